// Package anthropic speaks to Anthropic's Messages API through the official
// SDK: streaming, native tool calls, and failures as the faults of the
// contract praxis/internal/llm.
//
// Retries are ours and not the SDK's, so that one pause and one bound hold for
// a failed request and for a stream that is cut in the middle. When a reply is
// cut after text was shown, the text is shown again from its beginning after a
// line that says so; the returned reply holds the last attempt only.
package anthropic

import (
	"context"
	"net/http"
	"net/url"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"praxis/fault"
	"praxis/internal/llm"
)

// The settings that a person can change, as errors name them.
const (
	KeyVar = "ANTHROPIC_API_KEY"
	URLVar = "ANTHROPIC_BASE_URL"
)

const (
	defaultURL       = "https://api.anthropic.com/"
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
	Retry      llm.Retry
}

// Model is one model of Anthropic's API. It is safe for concurrent use.
type Model struct {
	name     string
	host     string
	key      string
	timeout  time.Duration
	retry    llm.Retry
	messages sdk.MessageService
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
	base, err := llm.ParseBaseURL(c.BaseURL, URLVar)
	if err != nil {
		return nil, err
	}
	return &Model{
		name:     c.Name,
		host:     base.Host,
		key:      c.Key,
		timeout:  c.Timeout,
		retry:    c.Retry,
		messages: service(c, base),
	}, nil
}

// service builds the SDK's service alone: the SDK's client would also read keys
// and addresses from the environment.
func service(c Config, base *url.URL) sdk.MessageService {
	opts := []option.RequestOption{
		option.WithBaseURL(base.String()),
		option.WithHTTPClient(llm.Client(c.HTTPClient)),
		option.WithMaxRetries(0),
	}
	if c.Key != "" {
		opts = append(opts, option.WithAPIKey(c.Key))
	}
	return sdk.NewMessageService(opts...)
}

// Name returns "anthropic:" and the model's name.
func (m *Model) Name() string { return "anthropic:" + m.name }

// Complete implements llm.Model.
func (m *Model) Complete(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	params := m.params(req)
	return m.retry.Stream(ctx, req, delta, func(show func(string)) (llm.Reply, error) {
		return m.attempt(ctx, params, show)
	})
}

func (m *Model) attempt(ctx context.Context, params sdk.MessageNewParams, delta func(string)) (llm.Reply, error) {
	watched, stop := llm.Silence(ctx, m.timeout)
	defer stop()
	stream := m.messages.NewStreaming(watched, params)
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
func (m *Model) params(req llm.Request) sdk.MessageNewParams {
	limit := req.MaxTokens
	if limit <= 0 {
		limit = defaultMaxTokens
	}
	p := sdk.MessageNewParams{Model: m.name, MaxTokens: int64(limit)}
	if req.System != "" {
		p.System = []sdk.TextBlockParam{{Text: req.System}}
	}
	for _, msg := range req.Messages {
		p.Messages = append(p.Messages, message(msg))
	}
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, tool(t))
	}
	return p
}

// message keeps the API's order: the results of tools come before any text, and
// no block of text is empty.
func message(msg llm.Message) sdk.MessageParam {
	var blocks []sdk.ContentBlockParamUnion
	for _, r := range msg.Results {
		text := r.Text
		if text == "" {
			text = "(no output)"
		}
		blocks = append(blocks, sdk.NewToolResultBlock(r.CallID, text, r.IsError))
	}
	if msg.Text != "" {
		blocks = append(blocks, sdk.NewTextBlock(msg.Text))
	}
	for _, c := range msg.Calls {
		blocks = append(blocks, sdk.NewToolUseBlock(c.ID, c.InputObject(), c.Name))
	}
	if len(blocks) == 0 {
		blocks = append(blocks, sdk.NewTextBlock("(nothing)"))
	}
	if msg.Role == llm.Assistant {
		return sdk.NewAssistantMessage(blocks...)
	}
	return sdk.NewUserMessage(blocks...)
}

func tool(t llm.Tool) sdk.ToolUnionParam {
	schema := sdk.ToolInputSchemaParam{Properties: t.Schema["properties"], ExtraFields: map[string]any{}}
	for k, v := range t.Schema {
		switch k {
		case "type", "properties":
		default:
			schema.ExtraFields[k] = v
		}
	}
	return sdk.ToolUnionParam{OfTool: &sdk.ToolParam{Name: t.Name, Description: sdk.String(t.Description), InputSchema: schema}}
}
