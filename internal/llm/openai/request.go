package openai

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"praxis/internal/llm"
	"praxis/internal/llm/stream"
)

// request is the body of a request for a chat completion.
type request struct {
	Model               string        `json:"model"`
	Messages            []message     `json:"messages"`
	Tools               []tool        `json:"tools,omitempty"`
	MaxTokens           int           `json:"max_tokens,omitempty"`
	MaxCompletionTokens int           `json:"max_completion_tokens,omitempty"`
	Effort              llm.Effort    `json:"reasoning_effort,omitempty"`
	Stream              bool          `json:"stream"`
	StreamOptions       streamOptions `json:"stream_options"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// message is one message; which fields it has follows from the role.
type message struct {
	Role             string  `json:"role"`
	Content          any     `json:"content,omitempty"` // a string, or with pictures a list of parts
	ReasoningContent *string `json:"reasoning_content,omitempty"`
	ToolCalls        []call  `json:"tool_calls,omitempty"`
	ToolCallID       string  `json:"tool_call_id,omitempty"`
}

// contentPart is a piece of a message with pictures.
type contentPart struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters,omitempty"`
}

// The names of fields that servers name when they refuse them.
const (
	oldBound       = "max_tokens"
	newBound       = "max_completion_tokens"
	reasoningField = "reasoning_content"
)

// bound is the name of the field that bounds the reply.
func (r request) bound() string {
	if r.MaxCompletionTokens > 0 {
		return newBound
	}
	return oldBound
}

// reasons says whether any reasoning is given back.
func (r request) reasons() bool {
	return slices.ContainsFunc(r.Messages, func(m message) bool { return m.ReasoningContent != nil })
}

// reasonsEach says whether all calls come back with their reasoning.
func (r request) reasonsEach() bool {
	return !slices.ContainsFunc(r.Messages, func(m message) bool { return len(m.ToolCalls) > 0 && m.ReasoningContent == nil })
}

// request turns a request into the API's own form.
func (m *Model) request(req llm.Request, limit int) request {
	out := request{Model: m.name, Effort: m.effort, Stream: true, StreamOptions: streamOptions{IncludeUsage: true}}
	if (m.firstBound() == newBound) != m.otherBound.Load() {
		out.MaxCompletionTokens = limit
	} else {
		out.MaxTokens = limit
	}
	native := !m.toolless.Load()
	if req.System != "" {
		out.Messages = append(out.Messages, message{Role: "system", Content: req.System})
	}
	for _, msg := range req.Messages {
		out.Messages = append(out.Messages, m.messages(msg, native)...)
	}
	if native {
		for _, t := range req.Tools {
			out.Tools = append(out.Tools, tool{Type: "function", Function: function{Name: t.Name, Description: t.Description, Parameters: t.Schema}})
		}
	}
	return out
}

// messages turns one message into the API's: each result of a tool is a message
// of its own and comes before any text. Without native tools calls and results
// are written as text.
func (m *Model) messages(msg llm.Message, native bool) []message {
	if !native {
		msg = plain(msg)
	}
	if msg.Role == llm.Assistant {
		a := message{Role: "assistant", ReasoningContent: m.reasoning(msg)}
		if msg.Text != "" || len(msg.Calls) == 0 {
			a.Content = msg.Text
		}
		for _, c := range msg.Calls {
			one := call{ID: c.ID, Type: "function"}
			one.Function.Name, one.Function.Arguments = c.Name, input(c)
			a.ToolCalls = append(a.ToolCalls, one)
		}
		return []message{a}
	}
	var out []message
	for _, r := range msg.Results {
		out = append(out, message{Role: "tool", Content: r.Text, ToolCallID: r.CallID})
	}
	shown := m.pictures(msg)
	if msg.Text == "" && len(shown) == 0 && len(out) > 0 {
		return out
	}
	user := message{Role: "user", Content: msg.Text}
	if len(shown) > 0 {
		var parts []contentPart
		if msg.Text != "" {
			parts = append(parts, contentPart{Type: "text", Text: msg.Text})
		}
		for _, url := range shown {
			parts = append(parts, contentPart{Type: "image_url", ImageURL: &imageURL{url}})
		}
		user.Content = parts
	}
	return append(out, user)
}

// pictures returns the pictures of a message as addresses that hold them, where
// the model is known to see and the API takes their type.
func (m *Model) pictures(msg llm.Message) []string {
	var out []string
	for _, p := range msg.Pictures {
		if m.Traits().Sees && slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, p.Type) {
			out = append(out, "data:"+p.Type+";base64,"+base64.StdEncoding.EncodeToString(p.Data))
		}
	}
	return out
}

// reasoning is what is given back of the reasoning that led to calls.
func (m *Model) reasoning(msg llm.Message) *string {
	thought := stream.OwnReasoning(msg.Reasoning, m.fullName).Text
	if m.own || m.reasonless.Load() || len(msg.Calls) == 0 || thought == "" && !m.reasonsEach.Load() {
		return nil
	}
	return &thought
}

// plain writes calls and results as text, for a server without native tools.
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
			// The tool is called execute_ and the name of the code's language.
			parts = append(parts, "```"+strings.TrimPrefix(c.Name, "execute_")+"\n"+code+"\n```")
			continue
		}
		parts = append(parts, c.Name+" "+input(c))
	}
	return llm.Message{Role: msg.Role, Text: strings.Join(parts, "\n\n"), Pictures: msg.Pictures}
}

func input(c llm.Call) string {
	b, err := json.Marshal(c.InputObject())
	if err != nil { // the object came from JSON, or from a caller that put in what JSON cannot express
		return "{}"
	}
	return string(b)
}
