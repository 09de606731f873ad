// Package openai speaks the Chat Completions API: to OpenAI itself and to every
// server that speaks the same, such as Ollama, vLLM, llama.cpp and DeepSeek
// (set the base URL; the key may be empty then).
//
// Other servers differ from OpenAI in small ways, and the package bends. What a
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
	"time"

	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/llm/stream"
)

// The settings that a person can change, as errors name them.
const (
	KeyVar = "OPENAI_API_KEY"
	URLVar = "OPENAI_BASE_URL"
)

const (
	defaultURL       = "https://api.openai.com/v1/"
	ownHost          = "api.openai.com"
	defaultTimeout   = 2 * time.Minute
	ownTimeout       = 5 * time.Minute // a server of one's own may load a model first; it is asked twice
	defaultMaxTokens = 4096
)

// Config describes one model. Nothing is read from the environment.
type Config struct {
	Name       string        // such as "gpt-5" or "qwen3:8b"
	Key        string        // may be empty when BaseURL is set
	BaseURL    string        // such as "http://localhost:11434/v1"; empty: OpenAI's own
	HTTPClient *http.Client  // gives the transport; nil: the default one
	Timeout    time.Duration // the longest silence of the server; 0: 2 minutes, 5 when BaseURL is set
	Retry      stream.Retry
}

// Model is one model of one server. It is safe for concurrent use.
type Model struct {
	name   string
	own    bool // OpenAI's own server
	client *stream.Client
	retry  stream.Retry

	// What the server said that it does not know.
	toolless    atomic.Bool // native tools
	otherBound  atomic.Bool // the bound of the reply by the name that it is sent with at first
	reasonless  atomic.Bool // reasoning_content in a conversation
	reasonsEach atomic.Bool // calls without reasoning_content, be it empty
}

var _ llm.Model = (*Model)(nil)

// New makes a model. It sends nothing. A missing key without a base URL is a fault.Denied.
func New(c Config) (*Model, error) {
	if c.Name == "" {
		return nil, fault.Coded(fault.ModelUnnamed, fault.Data{"provider": "openai"}, "cannot use openai: no model is named")
	}
	if c.Key == "" && c.BaseURL == "" {
		return nil, fault.Coded(fault.ModelKeyMissing, fault.Data{"model": "openai:" + c.Name, "account": "OpenAI", "key_variable": KeyVar, "url_variable": URLVar},
			"cannot use model openai:%s: neither %s nor %s is set", c.Name, KeyVar, URLVar)
	}
	if c.Timeout <= 0 {
		c.Timeout = ownTimeout
		if c.BaseURL == "" {
			c.Timeout = defaultTimeout
		}
	}
	if c.BaseURL == "" {
		c.BaseURL = defaultURL
	}
	header := http.Header{}
	if c.Key != "" {
		header.Set("Authorization", "Bearer "+c.Key)
	}
	client, err := stream.New(stream.Config{
		Model: "openai:" + c.Name, Key: c.Key, KeyVar: KeyVar, BaseURL: c.BaseURL, URLVar: URLVar,
		Header: header, HTTPClient: c.HTTPClient, Timeout: c.Timeout,
	})
	if err != nil {
		return nil, err
	}
	return &Model{name: c.Name, own: client.Hostname() == ownHost, client: client, retry: c.Retry}, nil
}

// Name returns "openai:" and the model's name.
func (m *Model) Name() string { return "openai:" + m.name }

// Traits implements llm.Model.
func (m *Model) Traits() llm.Traits {
	return llm.Traits{Sees: m.own, TextOnly: m.toolless.Load(), Local: !m.own}
}

// Complete implements llm.Model.
func (m *Model) Complete(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	return m.retry.Stream(ctx, req, delta, func(show func(string)) (llm.Reply, error) {
		for {
			body := m.request(req)
			reply, err := m.client.Ask(ctx, "chat/completions", body, &decoder{delta: show})
			if err == nil || !m.bend(body, err) {
				return reply, err
			}
		}
	})
}

// bend remembers what a server does not know when its refusal of a request says
// so, and says whether it is worth trying again: the next request differs from
// the one that was sent.
func (m *Model) bend(sent request, err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Unavailable:
	default:
		return false
	}
	text := strings.ToLower(err.Error())
	switch {
	case len(sent.Tools) > 0 && saysNoTools(text):
		m.toolless.Store(true)
		return true
	case saysUnknown(text, sent.bound()):
		if sent.bound() != m.firstBound() {
			return false // it knows neither
		}
		m.otherBound.Store(true)
		return true
	case sent.reasons() && saysUnknown(text, reasoningField):
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
	return containsAny(text, "not support tools", "not support tool", "tool choice requires", "tools param requires", "tool calling is not supported", "not support function")
}

// saysUnknown recognizes the refusal of a field by its name, such as OpenAI's
// "Unsupported parameter: 'max_tokens' is not supported with this model." and
// what servers say that check a request against a schema ("Extra inputs are not
// permitted", "Additional properties are not allowed"). A value that is refused
// is another matter.
func saysUnknown(text, field string) bool {
	return strings.Contains(text, field) &&
		containsAny(text, "unsupported", "not supported", "not support", "unknown", "unrecognized", "unexpected", "not permitted", "not allowed", "extra_forbidden", "no such field")
}

// saysMissing recognizes the demand for a field that was not sent, such as
// DeepSeek's "The reasoning_content in the thinking mode must be passed back".
func saysMissing(text string) bool {
	return containsAny(text, "must be passed back", "missing", "required")
}

func containsAny(text string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}
