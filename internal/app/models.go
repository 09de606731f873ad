package app

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/config"
	"praxis/internal/llm"
	"praxis/internal/llm/anthropic"
	"praxis/internal/llm/cassette"
	"praxis/internal/llm/fallback"
	"praxis/internal/llm/gemini"
	"praxis/internal/llm/openai"
	"praxis/internal/llm/scripted"
	"praxis/internal/llm/stream"
)

// modelOptions are what models are made with.
type modelOptions struct {
	getenv  func(string) string // holds the keys
	effort  llm.Effort          // "": models are not asked how much to reason
	silence time.Duration       // that a server is allowed; 0: what its provider has for it
	redact  func(string) string // takes secrets out of what is recorded
	seeing  []string            // models that see pictures, as config.Ask has them
	sees    bool                // the one that is made does
}

// of are the options of a provider's model.
func (o modelOptions) of(name, key, urlVariable string) stream.Options {
	return stream.Options{Name: name, Key: key, BaseURL: o.getenv(urlVariable), Effort: o.effort, Timeout: o.silence, Sees: o.sees}
}

// seen says whether a model is among those that see.
func (o modelOptions) seen(spec string) bool {
	return slices.ContainsFunc(o.seeing, func(name string) bool {
		beginning, any := strings.CutSuffix(name, "*")
		return name == spec || any && strings.HasPrefix(spec, beginning)
	})
}

// provider makes one of its models.
type provider func(name string, o modelOptions) (llm.Model, error)

// providers is the registry of models.
func providers() map[string]provider {
	return map[string]provider{
		"anthropic": func(name string, o modelOptions) (llm.Model, error) {
			return made(anthropic.New(o.of(name, o.getenv(anthropic.KeyVar), anthropic.URLVar)))
		},
		"openai":           openAI(""),
		"openai-chat":      openAI(openai.Chat),
		"openai-responses": openAI(openai.Responses),
		"gemini": func(name string, o modelOptions) (llm.Model, error) {
			return made(gemini.New(o.of(name, geminiKey(o.getenv), gemini.URLVar)))
		},
		"scripted": func(path string, _ modelOptions) (llm.Model, error) {
			return made(scripted.Open(path))
		},
		"replay": func(path string, o modelOptions) (llm.Model, error) {
			return made(cassette.Play(path, o.redact))
		},
		"record": record,
	}
}

func openAI(api openai.API) provider {
	return func(name string, o modelOptions) (llm.Model, error) {
		return made(openai.New(openai.Config{API: api, Options: o.of(name, o.getenv(openai.KeyVar), openai.URLVar)}))
	}
}

// geminiKey returns Google's key, by either of its names.
func geminiKey(getenv func(string) string) string {
	return cmp.Or(getenv(gemini.KeyVar), getenv(gemini.OtherKeyVar))
}

// record makes a model "record:FILE=PROVIDER:NAME": another one, whose replies are kept in a file.
func record(spec string, o modelOptions) (llm.Model, error) {
	path, inner, found := strings.Cut(spec, "=")
	if !found || path == "" || inFile(inner) {
		return nil, fault.New(fault.Invalid, "Write record:FILE=PROVIDER:NAME, where the model is one of a provider.", "cannot record model %q: it does not name a file and a model", spec)
	}
	m, err := newModel(inner, o)
	if err != nil {
		return nil, err
	}
	return made(cassette.Record(path, m, o.redact))
}

// inFile says whether a model's replies come from a file, or go into one.
func inFile(spec string) bool { return modelFile(spec) != "" }

// modelFile returns the file that a model's replies come from or go into, which
// nothing else may be written to; "": there is none.
func modelFile(spec string) string {
	kind, name, _ := strings.Cut(spec, ":")
	switch kind {
	case "scripted", "replay":
		return name
	case "record":
		path, _, _ := strings.Cut(name, "=")
		return path
	}
	return ""
}

// scriptedModel says whether a model's replies come from a file, so that nobody is paid for them.
func scriptedModel(m llm.Model) bool {
	kind, _, _ := strings.Cut(m.Name(), ":")
	return kind == "scripted" || kind == "replay"
}

// Providers returns the names of the providers, sorted.
func Providers() []string { return slices.Sorted(maps.Keys(providers())) }

// Efforts returns how much a model can be asked to reason, the least first.
func Efforts() []string { return config.Efforts() }

// made keeps a failed constructor's nil pointer from becoming a model.
func made[M llm.Model](m M, err error) (llm.Model, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// newModel makes the model called "provider:name". It sends nothing.
func newModel(spec string, o modelOptions) (llm.Model, error) {
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
	o.sees = o.sees || o.seen(spec)
	return construct(name, o)
}

// modelChoice says which model is asked and how. What it leaves out is as
// environment and configuration say.
type modelChoice struct {
	name string // "provider:name"
	// fallbacks are asked when the models before fail for good. Those of the
	// configuration do not stand behind a model that a caller names.
	fallbacks []string
	effort    string
	sees      bool      // they see pictures, whichever server they have
	given     llm.Model // in place of all of these; nil: they hold
}

// modelOptions are what models are made with, when effort is asked for.
func (a *App) modelOptions(effort string) (modelOptions, error) {
	ask := a.opt.Config.Ask
	if effort = cmp.Or(effort, ask.Effort); effort != "" && !slices.Contains(config.Efforts(), effort) {
		return modelOptions{}, fault.New(fault.Invalid, "Write one of "+strings.Join(config.Efforts(), ", ")+".", "cannot ask a model with the effort %q", effort)
	}
	o := modelOptions{getenv: a.opt.Getenv, effort: llm.Effort(effort), silence: ask.Silence, seeing: ask.Sees}
	if a.records != nil {
		o.redact = a.records.Journal.Redact
	}
	return o, nil
}

// model makes the model of a choice. It sends nothing.
func (a *App) model(c modelChoice) (llm.Model, error) {
	if c.given != nil {
		return c.given, nil
	}
	o, err := a.modelOptions(c.effort)
	if err != nil {
		return nil, err
	}
	o.sees = c.sees
	name, err := a.chooseModel(c.name)
	if err != nil {
		return nil, err
	}
	if c.name == "" && len(c.fallbacks) == 0 {
		c.fallbacks = a.opt.Config.Ask.Fallbacks
	}
	first, err := newModel(name, o)
	if err != nil || len(c.fallbacks) == 0 {
		return first, err
	}
	var others []llm.Model
	for _, spec := range c.fallbacks {
		m, err := newModel(spec, o)
		if err != nil {
			return nil, err
		}
		others = append(others, m)
	}
	return fallback.New(first, others...), nil
}

// modelFiles returns the files that the replies of a choice's models come from or go into.
func (a *App) modelFiles(c modelChoice) []string {
	var out []string
	if c.given != nil {
		return nil
	}
	name, err := a.chooseModel(c.name)
	if err != nil { // no model is chosen, so that no file is
		return nil
	}
	for _, spec := range append([]string{name}, c.fallbacks...) {
		if file := modelFile(spec); file != "" {
			out = append(out, file)
		}
	}
	return out
}

// describeModel says in the beginning of a run which model is asked, and how.
func describeModel(began *event.RunBegan, m llm.Model, effort string) {
	began.Model, began.Scripted, began.Traits, began.Effort, began.Fallbacks = m.Name(), scriptedModel(m), m.Traits(), effort, nil
	if several, ok := m.(*fallback.Model); ok {
		for _, one := range several.Models()[1:] {
			began.Fallbacks = append(began.Fallbacks, one.Name())
		}
	}
}

// Models that a key alone chooses. Whoever needs another names it.
const (
	AnthropicModel = "anthropic:claude-sonnet-4-5"
	OpenAIModel    = "openai:gpt-5"
	GeminiModel    = "gemini:gemini-2.5-pro"
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
	case geminiKey(getenv) != "":
		return GeminiModel, nil
	}
	return "", fault.Coded(fault.ModelUnchosen, nil, "cannot ask: no model is set up")
}
