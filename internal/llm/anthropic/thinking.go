package anthropic

import (
	"encoding/json"
	"strings"

	"praxis/internal/llm"
	"praxis/internal/llm/stream"
)

// maxThoughts bounds the blocks of thinking of one reply.
const maxThoughts = 64

// thought is one block of thinking: its text and the signature of it, or what
// the server shows encrypted only.
type thought struct {
	Text      string `json:"text,omitempty"`
	Signature string `json:"signature,omitempty"`
	Hidden    string `json:"hidden,omitempty"`
}

// begunThought is one block of thinking while it arrives.
type begunThought struct {
	text, signature strings.Builder
	hidden          string
}

// think adds to the last block of thinking.
func (d *decoder) think(text, signature string) {
	d.Reasoning.Add(text)
	if n := len(d.thoughts); n > 0 {
		d.thoughts[n-1].text.WriteString(text)
		d.thoughts[n-1].signature.WriteString(signature)
	}
}

// signature is by what the blocks of thinking are known again. The signature of
// a single block is the server's own; of several, and of one that is encrypted,
// it is the list of the blocks.
func (d *decoder) signature() string {
	if len(d.thoughts) == 0 {
		return ""
	}
	if len(d.thoughts) == 1 && d.thoughts[0].hidden == "" {
		return d.thoughts[0].signature.String()
	}
	var blocks []thought
	for _, b := range d.thoughts {
		blocks = append(blocks, thought{b.text.String(), b.signature.String(), b.hidden})
	}
	text, err := json.Marshal(blocks)
	if err != nil { // strings can always be written
		return ""
	}
	return string(text)
}

// thinking returns the blocks that are given back of a message, which led to its calls.
func (m *Model) thinking(msg llm.Message) []block {
	r := stream.OwnReasoning(msg.Reasoning, m.Name())
	if len(msg.Calls) == 0 || r == (llm.Reasoning{}) || m.client.Own() && (r.Signature == "" || r.Model == "") {
		return nil
	}
	blocks := []thought{{Text: r.Text, Signature: r.Signature}}
	var several []thought
	if json.Unmarshal([]byte(r.Signature), &several) == nil && len(several) > 0 {
		blocks = several
	}
	var out []block
	for _, b := range blocks {
		if b.Hidden != "" {
			out = append(out, block{Type: "redacted_thinking", Data: b.Hidden})
			continue
		}
		out = append(out, block{Type: "thinking", Thinking: &b.Text, Signature: &b.Signature})
	}
	return out
}

// effort is what newer models are given of how much to reason.
type effort struct {
	Effort llm.Effort `json:"effort"`
}

// thinkingMode is how a model is asked to think.
type thinkingMode struct {
	Type   string `json:"type"`
	Budget int    `json:"budget_tokens,omitempty"`
}

// askToThink adds to a request how much the model is to reason. What it thinks
// counts as a part of the reply, so that the reply's bound grows by it.
func (m *Model) askToThink(out *request, messages []llm.Message) {
	out.extended = m.effort != "" || m.extended.Load()
	if out.extended {
		out.MaxTokens += stream.ReasoningAllowance(m.effort)
	}
	switch {
	case m.effort == "":
	case !m.budgeted.Load():
		out.Thinking, out.Effort = &thinkingMode{Type: "adaptive"}, &effort{m.effort}
	case m.thoughtless(messages): // the server would refuse to go on with thinking
	default:
		out.Thinking = &thinkingMode{Type: "enabled", Budget: stream.ReasoningAllowance(m.effort)}
	}
}

// thoughtless says whether the last calls are without the thinking that led to
// them, as they are when another model made them.
func (m *Model) thoughtless(messages []llm.Message) bool {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == llm.Assistant {
			return len(messages[i].Calls) > 0 && len(m.thinking(messages[i])) == 0
		}
	}
	return false
}
