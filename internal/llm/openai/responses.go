package openai

import (
	"encoding/json"

	"praxis/internal/llm"
	"praxis/internal/llm/stream"
)

// response is the body of a request for a response.
type response struct {
	Model        string         `json:"model"`
	Instructions string         `json:"instructions,omitempty"`
	Input        []any          `json:"input"`
	Tools        []responseTool `json:"tools,omitempty"`
	MaxTokens    int            `json:"max_output_tokens"`
	Reasoning    *reasoningMode `json:"reasoning,omitempty"`
	Include      []string       `json:"include,omitempty"`
	Store        bool           `json:"store"`
	Stream       bool           `json:"stream"`
}

type reasoningMode struct {
	Effort  llm.Effort `json:"effort"`
	Summary string     `json:"summary,omitempty"`
}

type responseTool struct {
	Type        string         `json:"type"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters"`
	Strict      bool           `json:"strict"` // which a schema of ours need not fit
}

// The items of a conversation.
type (
	responseMessage struct {
		Role    string         `json:"role"`
		Content []responsePart `json:"content"`
	}
	responsePart struct {
		Type     string `json:"type"`
		Text     string `json:"text,omitempty"`
		ImageURL string `json:"image_url,omitempty"`
	}
	responseCall struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	responseResult struct {
		Type   string `json:"type"`
		CallID string `json:"call_id"`
		Output string `json:"output"`
	}
	// responseReasoning is what the model thought. The server knows it again by
	// what is encrypted; the summary, which people may read, must come back with it.
	responseReasoning struct {
		Type      string        `json:"type"`
		ID        stream.Text   `json:"id"`
		Summary   []summaryPart `json:"summary"`
		Encrypted stream.Text   `json:"encrypted_content"`
	}
	summaryPart struct {
		Type stream.Text `json:"type"`
		Text stream.Text `json:"text"`
	}
)

// encrypted is what is asked for beside the reply, since nothing is stored.
const encrypted = "reasoning.encrypted_content"

// response turns a request into the API's own form.
func (m *Model) response(req llm.Request, limit int) response {
	out := response{Model: m.name, Instructions: req.System, Input: []any{}, MaxTokens: limit, Stream: true}
	if !m.open.Load() {
		out.Include = []string{encrypted}
	}
	if m.effort != "" {
		out.Reasoning = &reasoningMode{Effort: m.effort}
		if !m.summaryless.Load() {
			out.Reasoning.Summary = "auto"
		}
	}
	for _, msg := range req.Messages {
		out.Input = append(out.Input, m.items(msg)...)
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, responseTool{Type: "function", Name: t.Name, Description: t.Description, Parameters: t.Schema})
	}
	return out
}

// items turns a message into the API's items: reasoning comes before what it led
// to, results before what a person says.
func (m *Model) items(msg llm.Message) []any {
	var out []any
	kind := "input_text"
	if msg.Role == llm.Assistant {
		kind = "output_text"
		for _, r := range m.thoughts(msg) {
			out = append(out, r)
		}
	}
	for _, r := range msg.Results {
		out = append(out, responseResult{"function_call_output", r.CallID, r.Text})
	}
	var parts []responsePart
	if msg.Text != "" {
		parts = append(parts, responsePart{Type: kind, Text: msg.Text})
	}
	for _, url := range m.pictures(msg) {
		parts = append(parts, responsePart{Type: "input_image", ImageURL: url})
	}
	if len(parts) > 0 {
		out = append(out, responseMessage{msg.Role.String(), parts})
	}
	for _, c := range msg.Calls {
		out = append(out, responseCall{"function_call", c.ID, c.Name, input(c)})
	}
	return out
}

// thoughts returns the reasoning that led to a message's calls, as the server gave it.
func (m *Model) thoughts(msg llm.Message) []responseReasoning {
	if len(msg.Calls) == 0 || m.open.Load() {
		return nil
	}
	var out []responseReasoning
	if json.Unmarshal([]byte(stream.OwnReasoning(msg.Reasoning, m.fullName).Signature), &out) != nil {
		return nil
	}
	for i := range out {
		if out[i].Type = "reasoning"; out[i].Summary == nil {
			out[i].Summary = []summaryPart{}
		}
	}
	return out
}

// bendResponse remembers what a model does not know when its refusal says so, and
// says whether it is worth trying again.
func (m *Model) bendResponse(sent response, refusal string) bool {
	switch {
	case len(sent.Include) > 0 && stream.ContainsAny(refusal, "encrypted"):
		m.open.Store(true) // it is of a model that does not reason
	case sent.Reasoning != nil && sent.Reasoning.Summary != "" && stream.ContainsAny(refusal, "summar"):
		m.summaryless.Store(true) // accounts have to ask for them
	default:
		return false
	}
	return true
}
