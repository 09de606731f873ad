package anthropic

import "praxis/internal/llm"

// request is the body of a request for a message.
type request struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	System    []block   `json:"system,omitempty"`
	Messages  []message `json:"messages"`
	Tools     []tool    `json:"tools,omitempty"`
	Stream    bool      `json:"stream"`
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

	ID    string         `json:"id,omitempty"`
	Name  string         `json:"name,omitempty"`
	Input map[string]any `json:"input,omitzero"`

	ToolUseID string  `json:"tool_use_id,omitempty"`
	Content   []block `json:"content,omitempty"`
	IsError   *bool   `json:"is_error,omitempty"`
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
	return out
}

func text(s string) block { return block{Type: "text", Text: s} }

// message keeps the API's order: thinking and the results of tools come before
// any text, calls after it, and no block of text is empty.
func (m *Model) message(msg llm.Message) message {
	var blocks []block
	if r := msg.Reasoning; r.Text != "" && len(msg.Calls) > 0 && !m.own {
		blocks = append(blocks, block{Type: "thinking", Thinking: &r.Text, Signature: &r.Signature})
	}
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
