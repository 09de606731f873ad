package anthropic

import (
	"slices"

	"praxis/internal/llm"
)

// request is the body of a request for a message.
type request struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	System    []block   `json:"system,omitempty"`
	Messages  []message `json:"messages"`
	Tools     []tool    `json:"tools,omitempty"`
	Stream    bool      `json:"stream"`

	Thinking *thinkingMode `json:"thinking,omitempty"`
	Effort   *effort       `json:"output_config,omitempty"`

	cached   bool // it marks what is to be kept in the cache
	extended bool // its bound leaves space for thinking
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is one piece of a message's content; which fields it has follows from
// its type.
type block struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"`

	Thinking  *string `json:"thinking,omitempty"`
	Signature *string `json:"signature,omitempty"`
	Data      string  `json:"data,omitempty"`

	ID    string         `json:"id,omitempty"`
	Name  string         `json:"name,omitempty"`
	Input map[string]any `json:"input,omitzero"`

	ToolUseID string  `json:"tool_use_id,omitempty"`
	Content   []block `json:"content,omitempty"`
	IsError   *bool   `json:"is_error,omitempty"`

	Source *source `json:"source,omitempty"`

	CacheControl *cacheControl `json:"cache_control,omitempty"`
}

// source is a picture. Its bytes are written in base64.
type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

// cacheControl marks the end of what the server is to keep in its cache.
type cacheControl struct {
	Type string `json:"type"`
}

type tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	InputSchema map[string]any `json:"input_schema"`
}

// request turns a request into the API's own form.
func (m *Model) request(req llm.Request) request {
	out := request{Model: m.name, MaxTokens: req.MaxTokens, Stream: true}
	if out.MaxTokens <= 0 {
		out.MaxTokens = defaultMaxTokens
	}
	if req.System != "" {
		out.System = []block{text(req.System)}
	}
	for _, msg := range req.Messages {
		out.Messages = append(out.Messages, m.message(msg))
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, tool{Name: t.Name, Description: t.Description, InputSchema: schema(t)})
	}
	m.askToThink(&out, req.Messages)
	if !m.cacheless.Load() {
		out.mark()
	}
	return out
}

// mark marks what later requests repeat: all up to the instructions, and all up
// to the end of the last message.
func (r *request) mark() {
	r.cached = true
	if n := len(r.System); n > 0 {
		r.System[n-1].CacheControl = &cacheControl{"ephemeral"}
	}
	if n := len(r.Messages); n > 0 {
		last := r.Messages[n-1].Content
		last[len(last)-1].CacheControl = &cacheControl{"ephemeral"}
	}
}

func text(s string) block { return block{Type: "text", Text: s} }

// pictureTypes are those that the API takes.
var pictureTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// message keeps the API's order: thinking and the results of tools come before
// any text, calls and pictures after it, and no block of text is empty.
func (m *Model) message(msg llm.Message) message {
	blocks := m.thinking(msg)
	for _, r := range msg.Results {
		said := r.Text
		if said == "" {
			said = "(no output)"
		}
		blocks = append(blocks, block{Type: "tool_result", ToolUseID: r.CallID, Content: []block{text(said)}, IsError: &r.IsError})
	}
	if msg.Text != "" {
		blocks = append(blocks, text(msg.Text))
	}
	for _, c := range msg.Calls {
		blocks = append(blocks, block{Type: "tool_use", ID: c.ID, Name: c.Name, Input: c.InputObject()})
	}
	for _, p := range msg.Pictures {
		if m.client.Own() && slices.Contains(pictureTypes, p.Type) {
			blocks = append(blocks, block{Type: "image", Source: &source{"base64", p.Type, p.Data}})
		}
	}
	if len(blocks) == 0 {
		blocks = append(blocks, text("(nothing)"))
	}
	return message{Role: msg.Role.String(), Content: blocks}
}

// schema is a tool's, which must be of an object.
func schema(t llm.Tool) map[string]any {
	out := map[string]any{}
	for k, v := range t.Schema {
		out[k] = v
	}
	out["type"] = "object"
	return out
}
