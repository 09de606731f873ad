package stream

import (
	"strings"

	"praxis/internal/llm"
)

// Bounds of the reasoning that is kept of a reply, in bytes. It goes back to
// the server with every later request.
const (
	maxReasoning = 256 << 10
	maxSignature = 64 << 10
)

// Reasoning gathers what a server streams of a model's reasoning, up to a
// bound: what is longer is cut, not refused, since the reply does not depend
// on it.
type Reasoning struct {
	text      strings.Builder
	signature strings.Builder
	blocks    int
	cut       bool
}

// Begin begins a block. A provider that does not send reasoning in blocks need
// not call it.
func (r *Reasoning) Begin() { r.blocks++ }

// Add appends a piece of the text.
func (r *Reasoning) Add(text string) {
	if left := maxReasoning - r.text.Len(); len(text) > left {
		text, r.cut = strings.ToValidUTF8(text[:left], ""), true
	}
	r.text.WriteString(text)
}

// Sign appends a piece of the signature.
func (r *Reasoning) Sign(signature string) {
	if len(signature) > maxSignature-r.signature.Len() {
		r.cut = true
		return
	}
	r.signature.WriteString(signature)
}

// Whole returns what was gathered. A signature is of one whole block, so that
// there is none when a block is missing something or is not the only one.
func (r *Reasoning) Whole() llm.Reasoning {
	out := llm.Reasoning{Text: r.text.String()}
	if r.blocks <= 1 && !r.cut {
		out.Signature = r.signature.String()
	}
	return out
}
