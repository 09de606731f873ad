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

// newModel makes the model called "provider:name" from an environment. It sends nothing.
func newModel(spec string, getenv func(string) string) (llm.Model, error) {
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

// Models that a key alone chooses. Whoever needs another names it.
const (
	AnthropicModel = "anthropic:claude-sonnet-4-5"
	OpenAIModel    = "openai:gpt-5"
)

// chooseModel returns the model to use: what the caller says, then the environment
// and the configuration, then what the keys allow.
func (a *App) chooseModel(named string) (string, error) {
	getenv := a.opt.Getenv
	for _, name := range [...]string{named, getenv("PRAXIS_MODEL"), a.opt.Config.Ask.Model} {
		if name != "" {
			return name, nil
		}
	}
	switch {
	case getenv(anthropic.KeyVar) != "":
		return AnthropicModel, nil
	case getenv(openai.URLVar) != "":
		// Which models a local server has is not known here.
		return "", fault.Coded(fault.ModelUnnamed, fault.Data{"provider": "openai"},
			"cannot choose a model: OPENAI_BASE_URL names a server, but not which of its models to use")
	case getenv(openai.KeyVar) != "":
		return OpenAIModel, nil
	}
	return "", fault.Coded(fault.ModelUnchosen, nil, "cannot ask: no model is set up")
}
