package app

import (
	"context"
	"errors"
	"slices"
	"sync"

	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/llm/anthropic"
	"praxis/internal/llm/gemini"
	"praxis/internal/llm/openai"
)

// ProviderModels are the models of one provider that can be used.
type ProviderModels struct {
	Provider    string       `json:"provider"`
	KeyVariable string       `json:"key_variable"` // the setting that holds the key
	KeySet      bool         `json:"key_set"`
	Server      string       `json:"server,omitempty"` // the setting that names another server, when it does
	Models      []string     `json:"models"`           // as a question names them, sorted
	Failure     *fault.Error `json:"failure,omitempty"`
	err         error
}

// Err returns why the models could not be listed, or nil.
func (p ProviderModels) Err() error {
	if p.err == nil && p.Failure != nil {
		return p.Failure
	}
	return p.err
}

// Usable says whether there is anybody to ask: a key, or a server of one's own.
func (p ProviderModels) Usable() bool { return p.KeySet || p.Server != "" }

// lister is a model whose server can be asked which models it has.
type lister interface {
	List(ctx context.Context) ([]string, error)
}

// anyModel stands for a model's name where any will do.
const anyModel = "*"

// ListModels asks the providers for which the environment has a key, or names a
// server, which models they have. It needs nothing but the environment, and asks
// all at once. What fails with one provider says so in its place.
func ListModels(ctx context.Context, getenv func(string) string) []ProviderModels {
	out := []ProviderModels{
		{Provider: "anthropic", KeyVariable: anthropic.KeyVar, Server: anthropic.URLVar},
		{Provider: "openai", KeyVariable: openai.KeyVar, Server: openai.URLVar},
		{Provider: "gemini", KeyVariable: gemini.KeyVar, Server: gemini.URLVar},
	}
	if getenv(gemini.KeyVar) == "" && getenv(gemini.OtherKeyVar) != "" {
		out[2].KeyVariable = gemini.OtherKeyVar
	}
	var pending sync.WaitGroup
	for i := range out {
		p := &out[i]
		p.Models, p.KeySet = []string{}, getenv(p.KeyVariable) != ""
		if getenv(p.Server) == "" {
			p.Server = ""
		}
		if p.Usable() {
			pending.Go(func() { p.list(ctx, getenv) })
		}
	}
	pending.Wait()
	return out
}

// ListModels is the function of the same name, with the environment of the program.
func (a *App) ListModels(ctx context.Context) []ProviderModels {
	return ListModels(ctx, a.opt.Getenv)
}

// list asks a provider.
func (p *ProviderModels) list(ctx context.Context, getenv func(string) string) {
	m, err := newModel(p.Provider+":"+anyModel, modelOptions{getenv: getenv})
	var names []string
	if err == nil {
		names, err = listOf(ctx, m)
	}
	if err != nil {
		p.err, p.Failure = err, fault.Of(err)
		return
	}
	slices.Sort(names)
	for _, name := range names {
		p.Models = append(p.Models, p.Provider+":"+name)
	}
}

func listOf(ctx context.Context, m llm.Model) ([]string, error) {
	l, ok := m.(lister)
	if !ok {
		return nil, errors.New("cannot list models: the provider has no list")
	}
	return l.List(ctx)
}
