// Package gemini speaks Google's Gemini API, to Google itself and to every server
// that speaks the same (set the base URL): streaming, native tool calls,
// pictures, and failures as the faults of the contract praxis/internal/llm.
//
// What a model thought is signed where it led to a call, and newer models refuse
// a conversation whose calls come back without the signature. A call that
// another model made has none; the API then takes a text that says so in its place.
//
// What a model turns out not to know is remembered for the model's life: newer
// ones are given a level of thinking, older ones a number of tokens to think with.
package gemini

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"praxis/internal/llm"
	"praxis/internal/llm/stream"
)

// The settings that a person can change, as errors name them. Google's programs
// know a key by either name.
const (
	KeyVar      = "GEMINI_API_KEY"
	OtherKeyVar = "GOOGLE_API_KEY"
	URLVar      = "GEMINI_BASE_URL"
)

const defaultMaxTokens = 4096

// provider is Google.
func provider() stream.Provider {
	const host = "generativelanguage.googleapis.com"
	return stream.Provider{
		Name: "gemini", Account: "Google", KeyVar: KeyVar, URLVar: URLVar, URL: "https://" + host + "/", Host: host, Query: "alt=sse",
		Key: func(h http.Header, key string) { h.Set("X-Goog-Api-Key", key) },
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
	budgeted atomic.Bool // thinking is asked for by a number of tokens, not by a level
	strict   atomic.Bool // every call has a signature
	extended atomic.Bool // it thinks unasked, and needs tokens for that
}

var _ llm.Model = (*Model)(nil)

// New makes a model. It sends nothing. A missing key without a base URL is a fault.Denied.
func New(c Config) (*Model, error) {
	c.Name = strings.TrimPrefix(c.Name, "models/")
	client, err := provider().Client(c)
	if err != nil {
		return nil, err
	}
	return &Model{name: c.Name, effort: c.Effort, client: client, retry: c.Retry}, nil
}

// Name returns "gemini:" and the model's name.
func (m *Model) Name() string { return "gemini:" + m.name }

// Traits implements llm.Model.
func (m *Model) Traits() llm.Traits { return llm.Traits{Sees: true, Local: m.client.Local()} }

// Complete implements llm.Model.
func (m *Model) Complete(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	path := "v1beta/models/" + url.PathEscape(m.name) + ":streamGenerateContent"
	return m.retry.Bend(ctx, req, delta, &m.extended, func(show func(string)) (reply llm.Reply, extended, again bool, err error) {
		body := m.request(req)
		reply, err = m.client.Ask(ctx, path, body, &decoder{Draft: stream.Draft{Delta: show, Reasoning: stream.Reasoning{Show: req.Reasoning}}})
		return reply, body.extended, err != nil && m.bend(body, stream.Refusal(err)), err
	})
}

// bend remembers what a model does not know when its refusal says so, and says
// whether it is worth trying again.
func (m *Model) bend(sent request, refusal string) bool {
	thinking := sent.Generation.Thinking
	switch {
	case !sent.strict && stream.ContainsAny(refusal, "thought_signature", "thoughtsignature", "thought signature"):
		m.strict.Store(true)
	case thinking != nil && thinking.Level != "" && stream.ContainsAny(refusal, "thinking"):
		m.budgeted.Store(true)
	default:
		return false
	}
	return true
}

// List returns the names of the models that a server has and that can be asked.
func (m *Model) List(ctx context.Context) ([]string, error) {
	var page struct {
		Models []struct {
			Name    stream.Text `json:"name"`
			Methods []string    `json:"supportedGenerationMethods"`
		} `json:"models"`
	}
	if err := m.client.Get(ctx, "v1beta/models", "pageSize=1000", &page); err != nil {
		return nil, err
	}
	var out []string
	for _, one := range page.Models {
		if len(one.Methods) == 0 || slices.Contains(one.Methods, "generateContent") {
			out = stream.Names(out, strings.TrimPrefix(string(one.Name), "models/"))
		}
	}
	return out, nil
}
