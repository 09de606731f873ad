package app

import (
	"maps"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/llm/anthropic"
	"praxis/internal/llm/openai"
	"praxis/internal/llm/scripted"
)

// provider makes one of its models. The environment holds the keys.
type provider func(name string, getenv func(string) string) (llm.Model, error)

// providers is the registry of models.
func providers() map[string]provider {
	return map[string]provider{
		"anthropic": func(name string, getenv func(string) string) (llm.Model, error) {
			return made(anthropic.New(anthropic.Config{Name: name, Key: getenv(anthropic.KeyVar), BaseURL: getenv(anthropic.URLVar)}))
		},
		"openai": func(name string, getenv func(string) string) (llm.Model, error) {
			return made(openai.New(openai.Config{Name: name, Key: getenv(openai.KeyVar), BaseURL: getenv(openai.URLVar)}))
		},
		"scripted": func(path string, _ func(string) string) (llm.Model, error) {
			return made(scripted.Open(path))
		},
	}
}

// Providers returns the names of the providers, sorted.
func Providers() []string { return slices.Sorted(maps.Keys(providers())) }

// made keeps a failed constructor's nil pointer from becoming a model.
func made[M llm.Model](m M, err error) (llm.Model, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Model makes the model called "provider:name".
func (a *App) Model(spec string) (llm.Model, error) { return NewModel(spec, a.getenv) }

// NewModel makes the model called "provider:name" from an environment. It sends nothing.
func NewModel(spec string, getenv func(string) string) (llm.Model, error) {
	all := providers()
	unknown := fault.Data{"model": spec, "providers": strings.Join(Providers(), ", ")}
	kind, name, found := strings.Cut(spec, ":")
	if !found || name == "" {
		return nil, fault.Coded(fault.ModelUnknown, unknown, "cannot use model %q: it does not name a provider and a model", spec)
	}
	construct, known := all[kind]
	if !known {
		return nil, fault.Coded(fault.ModelUnknown, unknown, "cannot use model %q: there is no provider %q", spec, kind)
	}
	return construct(name, getenv)
}
