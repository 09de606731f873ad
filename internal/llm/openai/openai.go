// Package openai speaks the Chat Completions API through OpenAI's official
// SDK: to OpenAI itself and to every server that speaks the same, such as
// Ollama, vLLM and llama.cpp (set the base URL; the key may be empty then).
//
// Other servers differ from OpenAI in small ways, and the package bends:
//   - a server that has no native tools, or not for this model, says so with an
//     error; the model is then asked without tools from there on, and acts in
//     its text;
//   - tool calls may come whole in one piece, all with index 0, or without ids;
//   - the bound of the reply is sent as max_tokens, which they all know, and as
//     max_completion_tokens to OpenAI, whose newer models know only that.
//
// Retries are ours and not the SDK's, so that one pause and one bound hold for
// a failed request and for a stream that is cut in the middle. When a reply is
// cut after text was shown, the text is shown again from its beginning after a
// line that says so; the returned reply holds the last attempt only.
package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"praxis/fault"
	"praxis/internal/llm"
)

// The settings that a person can change, as errors name them.
const (
	KeyVar = "OPENAI_API_KEY"
	URLVar = "OPENAI_BASE_URL"
)

const (
	defaultURL       = "https://api.openai.com/v1/"
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
	Retry      llm.Retry
}

// Model is one model of one server. It is safe for concurrent use.
type Model struct {
	name     string
	host     string
	key      string
	own      bool // OpenAI's own server
	timeout  time.Duration
	retry    llm.Retry
	chat     sdk.ChatCompletionService
	toolless atomic.Bool // the server said that it has no native tools
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
	base, err := llm.ParseBaseURL(c.BaseURL, URLVar)
	if err != nil {
		return nil, err
	}
	return &Model{
		name:    c.Name,
		host:    base.Host,
		key:     c.Key,
		own:     base.Hostname() == "api.openai.com",
		timeout: c.Timeout,
		retry:   c.Retry,
		chat:    service(c, base),
	}, nil
}

// service builds the SDK's service alone: the SDK's client would also read keys
// and addresses from the environment.
func service(c Config, base *url.URL) sdk.ChatCompletionService {
	opts := []option.RequestOption{
		option.WithBaseURL(base.String()),
		option.WithHTTPClient(llm.Client(c.HTTPClient)),
		option.WithMaxRetries(0),
	}
	if c.Key != "" {
		opts = append(opts, option.WithAPIKey(c.Key))
	}
	return sdk.NewChatCompletionService(opts...)
}

// Name returns "openai:" and the model's name.
func (m *Model) Name() string { return "openai:" + m.name }

// Complete implements llm.Model.
func (m *Model) Complete(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	return m.retry.Stream(ctx, req, delta, func(show func(string)) (llm.Reply, error) {
		reply, err := m.attempt(ctx, req, show)
		if err != nil && len(req.Tools) > 0 && !m.toolless.Load() && saysNoTools(err) {
			m.toolless.Store(true)
			return m.attempt(ctx, req, show)
		}
		return reply, err
	})
}

func (m *Model) attempt(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	watched, stop := llm.Silence(ctx, m.timeout)
	defer stop()
	stream := m.chat.NewStreaming(watched, m.params(req))
	defer func() { _ = stream.Close() }() // the body is read to its end or given up: nothing to learn from its close
	r := reader{delta: delta}
	for stream.Next() {
		if err := r.take(stream.Current()); err != nil {
			return llm.Reply{}, m.failure(watched, err)
		}
	}
	if err := stream.Err(); err != nil {
		return llm.Reply{}, m.failure(watched, err)
	}
	reply, err := r.reply()
	if err != nil {
		return llm.Reply{}, m.failure(watched, err)
	}
	return reply, nil
}

// params turns the request into the API's own form.
func (m *Model) params(req llm.Request) sdk.ChatCompletionNewParams {
	limit := int64(req.MaxTokens)
	if limit <= 0 {
		limit = defaultMaxTokens
	}
	p := sdk.ChatCompletionNewParams{Model: m.name}
	p.StreamOptions.IncludeUsage = sdk.Bool(true)
	if m.own {
		p.MaxCompletionTokens = sdk.Int(limit)
	} else {
		p.MaxTokens = sdk.Int(limit)
	}
	native := !m.toolless.Load()
	if req.System != "" {
		p.Messages = append(p.Messages, sdk.SystemMessage(req.System))
	}
	for _, msg := range req.Messages {
		p.Messages = append(p.Messages, messages(msg, native)...)
	}
	if native {
		for _, t := range req.Tools {
			p.Tools = append(p.Tools, sdk.ChatCompletionFunctionTool(sdk.FunctionDefinitionParam{
				Name: t.Name, Description: sdk.String(t.Description), Parameters: t.Schema,
			}))
		}
	}
	return p
}

// messages turns one message into the API's: each result of a tool is a message
// of its own and comes before any text. Without native tools calls and results
// are told as text.
func messages(msg llm.Message, native bool) []sdk.ChatCompletionMessageParamUnion {
	if !native {
		msg = plain(msg)
	}
	if msg.Role == llm.Assistant {
		var a sdk.ChatCompletionAssistantMessageParam
		if msg.Text != "" || len(msg.Calls) == 0 {
			a.Content.OfString = sdk.String(msg.Text)
		}
		for _, c := range msg.Calls {
			a.ToolCalls = append(a.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
				OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
					ID:       c.ID,
					Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: input(c)},
				},
			})
		}
		return []sdk.ChatCompletionMessageParamUnion{{OfAssistant: &a}}
	}
	var out []sdk.ChatCompletionMessageParamUnion
	for _, r := range msg.Results {
		out = append(out, sdk.ToolMessage(r.Text, r.CallID))
	}
	if msg.Text != "" || len(out) == 0 {
		out = append(out, sdk.UserMessage(msg.Text))
	}
	return out
}

// plain tells calls and results as text, for a server without native tools.
func plain(msg llm.Message) llm.Message {
	var parts []string
	for _, r := range msg.Results {
		parts = append(parts, r.Text)
	}
	if msg.Text != "" {
		parts = append(parts, msg.Text)
	}
	for _, c := range msg.Calls {
		if code, ok := c.Input["code"].(string); ok {
			parts = append(parts, "```python\n"+code+"\n```")
			continue
		}
		parts = append(parts, c.Name+" "+input(c))
	}
	return llm.Message{Role: msg.Role, Text: strings.Join(parts, "\n\n")}
}

func input(c llm.Call) string {
	b, err := json.Marshal(c.InputObject())
	if err != nil { // the object came from JSON, or from a caller that put in what JSON cannot hold
		return "{}"
	}
	return string(b)
}
