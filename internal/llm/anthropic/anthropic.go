// Package anthropic speaks Anthropic's Messages API, to Anthropic itself and to
// every server that speaks the same (set the base URL): streaming, native tool
// calls, and failures as the faults of the contract praxis/internal/llm.
//
// Blocks of type "thinking" come before the answer when a model is asked to
// reason, and from some models always. They are kept apart from the answer and
// given back before the calls that they led to, since servers refuse a
// conversation without them.
//
// The stable beginning of a conversation is marked for the server's cache: the
// tools and the instructions, and all up to the last message, which the next
// request repeats.
//
// What a server turns out not to know is remembered for the model's life: newer
// models are given an effort and decide themselves, older ones are given a number
// of tokens to think with; and a server may not know that there is a cache.
package anthropic

import (
	"context"
	"net/http"
	"sync/atomic"

	"praxis/internal/llm"
	"praxis/internal/llm/stream"
)

// The settings that a person can change, as errors name them.
const (
	KeyVar = "ANTHROPIC_API_KEY"
	URLVar = "ANTHROPIC_BASE_URL"
)

const (
	apiVersion       = "2023-06-01"
	defaultMaxTokens = 4096
)

// provider is Anthropic.
func provider() stream.Provider {
	return stream.Provider{
		Name: "anthropic", Account: "Anthropic", KeyVar: KeyVar, URLVar: URLVar, URL: "https://api.anthropic.com/", Host: "api.anthropic.com",
		Key:    func(h http.Header, key string) { h.Set("X-Api-Key", key) },
		Header: http.Header{"Anthropic-Version": {apiVersion}},
	}
}

// Config describes one model. Nothing is read from the environment.
type Config = stream.Options

// Model is one model of one server. It is safe for concurrent use.
type Model struct {
	name   string
	effort llm.Effort
	client *stream.Client
	retry  stream.Retry

	// What the server turned out not to know, or to need.
	budgeted  atomic.Bool // thinking is asked for by a number of tokens, not by an effort
	cacheless atomic.Bool // it knows no marks for a cache
	extended  atomic.Bool // it thinks unasked, and needs tokens for that
}

var _ llm.Model = (*Model)(nil)

// New makes a model. It sends nothing. A missing key without a base URL is a fault.Denied.
func New(c Config) (*Model, error) {
	client, err := provider().Client(c)
	if err != nil {
		return nil, err
	}
	return &Model{name: c.Name, effort: c.Effort, client: client, retry: c.Retry}, nil
}

// Name returns "anthropic:" and the model's name.
func (m *Model) Name() string { return "anthropic:" + m.name }

// Traits implements llm.Model.
func (m *Model) Traits() llm.Traits {
	return llm.Traits{Sees: m.client.Sees(), Local: m.client.Local()}
}

// Complete implements llm.Model.
func (m *Model) Complete(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	return m.retry.Bend(ctx, req, delta, &m.extended, func(show func(string)) (reply llm.Reply, extended, again bool, err error) {
		body := m.request(req)
		reply, err = m.client.Ask(ctx, "v1/messages", body, &decoder{Draft: stream.Draft{Delta: show, Reasoning: stream.Reasoning{Show: req.Reasoning}}})
		return reply, body.extended, err != nil && m.bend(body, stream.Refusal(err)), err
	})
}

// bend remembers what a server does not know when its refusal says so, and says
// whether it is worth trying again.
func (m *Model) bend(sent request, refusal string) bool {
	switch {
	case sent.cached && stream.SaysUnknown(refusal, "cache_control"):
		m.cacheless.Store(true)
	case sent.Effort != nil && stream.ContainsAny(refusal, "thinking", "output_config", "effort"):
		m.budgeted.Store(true)
	default:
		return false
	}
	return true
}

// List returns the names of the models that a server has.
func (m *Model) List(ctx context.Context) ([]string, error) {
	var page struct {
		Data []struct {
			ID stream.Text `json:"id"`
		} `json:"data"`
	}
	if err := m.client.Get(ctx, "v1/models", "limit=1000", &page); err != nil {
		return nil, err
	}
	var out []string
	for _, d := range page.Data {
		out = stream.Names(out, string(d.ID))
	}
	return out, nil
}
