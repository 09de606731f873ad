// Package openai speaks OpenAI's two APIs: Responses to OpenAI itself, and Chat
// Completions to every server that speaks the same, such as Ollama, vLLM,
// llama.cpp and DeepSeek (set the base URL; the key may be empty then). Either
// can be asked for by its name, see [API].
//
// By Responses nothing is stored at OpenAI: the reasoning that led to calls
// comes encrypted and is given back with them, so that the model goes on with it.
//
// Other servers of Chat Completions differ from OpenAI in small ways, and the package bends. What a
// server turns out not to know is remembered for the model's life (a [Model]):
//   - a server that has no native tools, or not for this model, says so with an
//     error; the model is then asked without tools from there on, and acts in
//     its text;
//   - the bound of the reply is sent as max_completion_tokens to OpenAI, whose
//     newer models know only that, and as max_tokens to others, which all know
//     that. A server that refuses the one by its name is asked with the other;
//   - the reasoning that a server streams apart from its answer is kept and
//     given back beside the calls that it led to, since DeepSeek refuses a
//     conversation without it. OpenAI streams none and is given none, and a
//     server that refuses the field gets none from there on;
//   - tool calls may come whole in one piece, all with index 0, or without ids.
package openai

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"

	"praxis/internal/llm"
	"praxis/internal/llm/stream"
)

// The settings that a person can change, as errors name them.
const (
	KeyVar = "OPENAI_API_KEY"
	URLVar = "OPENAI_BASE_URL"
)

const defaultMaxTokens = 4096

// API is which of OpenAI's interfaces a server is asked by.
type API string

// The interfaces. The zero value is Responses at OpenAI and Chat elsewhere.
const (
	Chat      API = "chat"
	Responses API = "responses"
)

// Provider returns the name of the provider that asks by an interface.
func (a API) Provider() string {
	if a == "" {
		return "openai"
	}
	return "openai-" + string(a)
}

// Config describes one model. Nothing is read from the environment.
type Config struct {
	stream.Options
	API API // "": Responses at OpenAI, Chat elsewhere
}

// Model is one model of one server. It is safe for concurrent use.
type Model struct {
	name     string
	fullName string // with the provider
	api      API
	own      bool // OpenAI's own server
	effort   llm.Effort
	client   *stream.Client
	retry    stream.Retry

	// What the server said that it does not know, or turned out to need.
	toolless    atomic.Bool // native tools
	otherBound  atomic.Bool // the bound of the reply by the name that it is sent with at first
	reasonless  atomic.Bool // reasoning_content in a conversation
	reasonsEach atomic.Bool // calls without reasoning_content, be it empty
	open        atomic.Bool // reasoning that is encrypted
	summaryless atomic.Bool // summaries of reasoning
	extended    atomic.Bool // a bound that counts the reply alone: it reasons unasked
}

var _ llm.Model = (*Model)(nil)

// New makes a model. It sends nothing. A missing key without a base URL is a fault.Denied.
func New(c Config) (*Model, error) {
	p := stream.Provider{
		Name: c.API.Provider(), Account: "OpenAI", KeyVar: KeyVar, URLVar: URLVar, URL: "https://api.openai.com/v1/", Host: "api.openai.com", Anybody: true,
		Key: func(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) },
	}
	client, err := p.Client(c.Options)
	if err != nil {
		return nil, err
	}
	if c.API == "" {
		c.API = Chat
		if client.Own() {
			c.API = Responses
		}
	}
	return &Model{name: c.Name, fullName: p.Name + ":" + c.Name, api: c.API, own: client.Own(), effort: c.Effort, client: client, retry: c.Retry}, nil
}

// Name returns the provider's and the model's name.
func (m *Model) Name() string { return m.fullName }

// Traits implements llm.Model.
func (m *Model) Traits() llm.Traits {
	return llm.Traits{Sees: m.client.Sees(), TextOnly: m.toolless.Load(), Local: m.client.Local()}
}

// Complete implements llm.Model.
func (m *Model) Complete(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	return m.retry.Bend(ctx, req, delta, &m.extended, func(show func(string)) (llm.Reply, bool, bool, error) {
		return m.once(ctx, req, show)
	})
}

// once sends one request. extended says whether its bound left space for reasoning,
// again whether the server refused it and it is worth trying another.
func (m *Model) once(ctx context.Context, req llm.Request, show func(string)) (reply llm.Reply, extended, again bool, err error) {
	limit, extended := m.bound(req)
	thoughts := stream.Reasoning{Show: req.Reasoning}
	if m.api == Responses {
		body := m.response(req, limit)
		reply, err = m.client.Ask(ctx, "responses", body, &responseDecoder{Draft: stream.Draft{Delta: show, Reasoning: thoughts}})
		return reply, extended, err != nil && m.bendResponse(body, stream.Refusal(err)), err
	}
	body := m.request(req, limit)
	reply, err = m.client.Ask(ctx, "chat/completions", body, &decoder{Draft: stream.Draft{Delta: show, Reasoning: thoughts}})
	return reply, extended, err != nil && m.bend(body, stream.Refusal(err)), err
}

// bound is how many tokens a reply may have. OpenAI counts reasoning among them.
func (m *Model) bound(req llm.Request) (limit int, extended bool) {
	limit = req.MaxTokens
	if limit <= 0 {
		limit = defaultMaxTokens
	}
	if extended = m.effort != "" || m.extended.Load(); extended {
		limit += stream.ReasoningAllowance(m.effort)
	}
	return limit, extended
}

// List returns the names of the models that a server has.
func (m *Model) List(ctx context.Context) ([]string, error) {
	var page struct {
		Data []struct {
			ID stream.Text `json:"id"`
		} `json:"data"`
	}
	if err := m.client.Get(ctx, "models", "", &page); err != nil {
		return nil, err
	}
	var out []string
	for _, d := range page.Data {
		out = stream.Names(out, string(d.ID))
	}
	return out, nil
}

// bend remembers what a server does not know when its refusal of a request says
// so, and says whether it is worth trying again: the next request differs from
// the one that was sent.
func (m *Model) bend(sent request, text string) bool {
	switch {
	case len(sent.Tools) > 0 && saysNoTools(text):
		m.toolless.Store(true)
		return true
	case stream.SaysUnknown(text, sent.bound()):
		if sent.bound() != m.firstBound() {
			return false // it knows neither
		}
		m.otherBound.Store(true)
		return true
	case sent.reasons() && stream.SaysUnknown(text, reasoningField):
		m.reasonless.Store(true)
		return true
	case strings.Contains(text, reasoningField) && saysMissing(text):
		if m.own || m.reasonless.Load() || sent.reasonsEach() {
			return false
		}
		m.reasonsEach.Store(true)
		return true
	}
	return false
}

// firstBound is the name of the reply's bound that a server is tried with first.
func (m *Model) firstBound() string {
	if m.own {
		return newBound
	}
	return oldBound
}

// saysNoTools recognizes the error of a server that has no native tools for
// this model. The texts are those of Ollama ("does not support tools"), vLLM
// (`"auto" tool choice requires --enable-auto-tool-choice …`) and llama.cpp
// ("tools param requires --jinja flag").
func saysNoTools(text string) bool {
	return stream.ContainsAny(text, "not support tools", "not support tool", "tool choice requires", "tools param requires", "tool calling is not supported", "not support function")
}

// saysMissing recognizes the demand for a field that was not sent, such as
// DeepSeek's "The reasoning_content in the thinking mode must be passed back".
func saysMissing(text string) bool {
	return stream.ContainsAny(text, "must be passed back", "missing", "required")
}
