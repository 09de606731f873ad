package api

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"

	"praxis/internal/app"
	"praxis/internal/server/access"
)

// NewContext asks for a context.
type NewContext struct {
	SessionRef
	Name     string `json:"name,omitempty" jsonschema:"left out: one is chosen"`
	Language string `json:"language,omitempty" jsonschema:"left out: the session's first"`
}

// ContextRef names a context of a session.
type ContextRef struct {
	SessionRef
	Context string `json:"context" in:"path" jsonschema:"its name, or that of a language"`
}

// Contexts is a list of contexts.
type Contexts struct {
	Contexts []app.ContextInfo `json:"contexts"`
}

// Completing asks what may stand at a place in code.
type Completing struct {
	SessionRef
	Code     string `json:"code"`
	Cursor   int    `json:"cursor" jsonschema:"counts characters"`
	Language string `json:"language,omitempty"`
}

func contexts() []Operation {
	return []Operation{
		operation("contexts.create", http.MethodPost, "/sessions/{session}/contexts", access.Run, http.StatusCreated, "Make a context: an interpreter with variables of its own beside those of the session's languages.",
			func(ctx context.Context, c *Call, in NewContext) (out app.ContextInfo, err error) {
				if in.Name == "" {
					in.Name = "c-" + strings.ToLower(rand.Text()[:12])
				}
				err = c.Tenant.Hub.Use(ctx, in.Session, func(s *app.Session) error {
					lang, err := s.LanguageName(in.Language)
					if err != nil {
						return err
					}
					out, err = s.MakeContext(ctx, in.Name, lang, "")
					return err
				})
				return out, err
			}),
		operation("contexts.list", http.MethodGet, "/sessions/{session}/contexts", access.Read, http.StatusOK, "List the contexts of a session.",
			func(ctx context.Context, c *Call, in SessionRef) (Contexts, error) {
				out := Contexts{[]app.ContextInfo{}}
				err := c.Tenant.Hub.Use(ctx, in.Session, func(s *app.Session) error {
					list, err := s.Contexts(ctx)
					out.Contexts = append(out.Contexts, list...)
					return err
				})
				return out, err
			}),
		operation("contexts.delete", http.MethodDelete, "/sessions/{session}/contexts/{context}", access.Run, http.StatusNoContent, "End a context: its variables are gone. That of the first language, main, can be restarted only.",
			func(ctx context.Context, c *Call, in ContextRef) (Nothing, error) {
				return Nothing{}, c.Tenant.Hub.Use(ctx, in.Session, func(s *app.Session) error { return s.RemoveContext(ctx, in.Context) })
			}),
		operation("contexts.restart", http.MethodPost, "/sessions/{session}/contexts/{context}/restart", access.Run, http.StatusNoContent,
			"Start a new interpreter in a context, or of a language: its variables are gone, files stay.",
			func(ctx context.Context, c *Call, in ContextRef) (Nothing, error) {
				return Nothing{}, c.Tenant.Hub.Use(ctx, in.Session, func(s *app.Session) error {
					if l, err := s.Speaks(in.Context); err == nil {
						return s.Restart(ctx, l.Name)
					}
					return s.RestartContext(ctx, in.Context)
				})
			}),
		operation("contexts.complete", http.MethodPost, "/sessions/{session}/complete", access.Run, http.StatusOK, "Say what may stand at a place in code.",
			func(ctx context.Context, c *Call, in Completing) (out app.Completion, err error) {
				err = c.Tenant.Hub.Use(ctx, in.Session, func(s *app.Session) error {
					lang, err := s.LanguageName(in.Language)
					if err != nil {
						return err
					}
					out, err = s.Complete(ctx, lang, in.Code, in.Cursor)
					return err
				})
				return out, err
			}),
	}
}
