package app

import (
	"context"
	"slices"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/config"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
	"praxis/internal/session"
)

// ContextInfo describes a context: a kernel of a session with its variables.
type ContextInfo struct {
	Name     string `json:"name"`
	Language string `json:"language"`
	State    string `json:"state"` // starting, idle, busy or dead
}

// Contexts lists the contexts of the session: that of its first language, which is called
// main, one of each other language that code was in, called as that is, and those that were
// made.
func (s *Session) Contexts(ctx context.Context) (out []ContextInfo, err error) {
	err = s.s.Use(ctx, func(c *guest.Client) error {
		list, err := c.Contexts(ctx)
		for _, i := range list {
			out = append(out, ContextInfo{i.Name, safetext.Line(i.Language), i.State})
		}
		return err
	})
	return out, err
}

// FindContext finds a context by its name.
func (s *Session) FindContext(ctx context.Context, name string) (ContextInfo, error) {
	list, err := s.Contexts(ctx)
	if err != nil {
		return ContextInfo{}, err
	}
	if i := slices.IndexFunc(list, func(c ContextInfo) bool { return c.Name == name }); i >= 0 {
		return list[i], nil
	}
	return ContextInfo{}, fault.New(fault.NotFound, "List the contexts of the session, or make one.", "cannot find context %s", safetext.Clip(safetext.Line(name), wire.MaxName))
}

// MakeContext makes a context of a language, "" is the session's first, with variables of its
// own. The names of languages, and main, are those of contexts that there are by themselves.
func (s *Session) MakeContext(ctx context.Context, name, lang string) (ContextInfo, error) {
	refused := func(remedy, why string) (ContextInfo, error) {
		return ContextInfo{}, fault.New(fault.Conflict, remedy, "cannot make context %s: %s", safetext.Clip(safetext.Line(name), wire.MaxName), why)
	}
	if !wire.ValidName(name) {
		return ContextInfo{}, fault.New(fault.Invalid, "Use up to 64 letters, digits, '_', '-' and '.'.", "cannot make a context: %q is no name", safetext.Clip(safetext.Line(name), wire.MaxName))
	}
	if _, err := s.Speaks(name); err == nil || name == wire.Main {
		return refused("Choose another name.", "it is there by itself")
	}
	if _, err := s.FindContext(ctx, name); fault.KindOf(err) != fault.NotFound {
		if err != nil {
			return ContextInfo{}, err
		}
		return refused("Choose another name, or use it.", "there is one already")
	}
	if lang == "" {
		lang = s.Language().Name
	}
	x, err := s.ExecuteIn(ctx, name, lang, "", event.Bounds{}, event.Discard)
	if err == nil && x.Status != event.OK {
		err = fault.New(fault.Unavailable, "Try again, or end other contexts.", "cannot make context %s: %s", name, safetext.Line(x.Message))
	}
	if err != nil {
		return ContextInfo{}, err
	}
	return s.FindContext(ctx, name)
}

// RemoveContext ends a context: its variables are gone. main can be restarted only.
func (s *Session) RemoveContext(ctx context.Context, name string) error {
	return s.s.Use(ctx, func(c *guest.Client) error { return c.RemoveContext(ctx, name) })
}

// RestartContext starts a new interpreter in a context: its variables are gone, files stay.
func (s *Session) RestartContext(ctx context.Context, name string) error {
	return s.s.Restart(ctx, name)
}

// ExecuteIn is Execute in a context. "" is that of the language, and an empty language that of
// the context.
func (s *Session) ExecuteIn(ctx context.Context, name, lang, code string, b event.Bounds, sink event.Sink) (event.Execution, error) {
	if err := config.ValidateBounds(b); err != nil {
		return event.Execution{}, err
	}
	return s.s.Execute(ctx, code, session.Exec{Context: name, Language: lang, Bounds: b.Over(s.bounds), Changes: true}, sink)
}
