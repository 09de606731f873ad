// Package anthropic speaks Anthropic's Messages API, to Anthropic itself and to
// every server that speaks the same (set the base URL): streaming, native tool
// calls, and failures as the faults of the contract praxis/internal/llm.
//
// No model is asked to think aloud. Servers that do so all the same send blocks
// of type "thinking" before the answer: they are kept apart from it and given
// back before the calls that they led to, since such servers refuse a
// conversation without them. Anthropic itself sends none and is given none.
package anthropic

import (
	"context"
	"net/http"
	"time"

	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/llm/stream"
)

// The settings that a person can change, as errors name them.
const (
	KeyVar = "ANTHROPIC_API_KEY"
	URLVar = "ANTHROPIC_BASE_URL"
)

const (
	defaultURL       = "https://api.anthropic.com/"
	ownHost          = "api.anthropic.com"
	apiVersion       = "2023-06-01"
	defaultTimeout   = 2 * time.Minute
	defaultMaxTokens = 4096
)

// Config describes one model. Nothing is read from the environment.
type Config struct {
	Name       string        // such as "claude-sonnet-4-5"
	Key        string        // may be empty when BaseURL is set
	BaseURL    string        // empty: Anthropic's own
	HTTPClient *http.Client  // gives the transport; nil: the default one
	Timeout    time.Duration // the longest silence of the server; 0: 2 minutes
	Retry      stream.Retry
}

// Model is one model of one server. It is safe for concurrent use.
type Model struct {
	name   string
	own    bool // Anthropic's own server
	client *stream.Client
	retry  stream.Retry
}

var _ llm.Model = (*Model)(nil)

// New makes a model. It sends nothing. A missing key is a fault.Denied.
func New(c Config) (*Model, error) {
	if c.Name == "" {
		return nil, fault.Coded(fault.ModelUnnamed, fault.Data{"provider": "anthropic"}, "cannot use anthropic: no model is named")
	}
	if c.Key == "" && c.BaseURL == "" {
		return nil, fault.Coded(fault.ModelKeyMissing, fault.Data{"model": "anthropic:" + c.Name, "account": "Anthropic", "key_variable": KeyVar, "url_variable": ""},
			"cannot use model anthropic:%s: %s is not set", c.Name, KeyVar)
	}
	if c.BaseURL == "" {
		c.BaseURL = defaultURL
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	header := http.Header{}
	header.Set("Anthropic-Version", apiVersion)
	if c.Key != "" {
		header.Set("X-Api-Key", c.Key)
	}
	client, err := stream.New(stream.Config{
		Model: "anthropic:" + c.Name, Key: c.Key, KeyVar: KeyVar, BaseURL: c.BaseURL, URLVar: URLVar,
		Header: header, HTTPClient: c.HTTPClient, Timeout: c.Timeout,
	})
	if err != nil {
		return nil, err
	}
	return &Model{name: c.Name, own: client.Hostname() == ownHost, client: client, retry: c.Retry}, nil
}

// Name returns "anthropic:" and the model's name.
func (m *Model) Name() string { return "anthropic:" + m.name }

// Traits implements llm.Model.
func (m *Model) Traits() llm.Traits { return llm.Traits{Sees: m.own, Local: !m.own} }

// Complete implements llm.Model.
func (m *Model) Complete(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	body := m.request(req)
	return m.retry.Stream(ctx, req, delta, func(show func(string)) (llm.Reply, error) {
		return m.client.Ask(ctx, "v1/messages", body, &decoder{delta: show})
	})
}
