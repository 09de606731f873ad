package stream

import (
	"strings"

	"praxis/internal/llm"
)

// Bounds of the reasoning that is kept of a reply, in bytes. It goes back to
// the server with every later request.
const (
	maxReasoning = 256 << 10
	maxSignature = 384 << 10 // a provider may keep the whole of it there
)

// Reasoning gathers what a server streams of a model's reasoning, up to a
// bound: what is longer is cut, not refused, since the reply does not depend
// on it.
type Reasoning struct {
	Show      func(string) // is passed each piece of the text; nil: nobody listens
	text      strings.Builder
	signature strings.Builder
	cut       bool
}

// Add appends a piece of the text.
func (r *Reasoning) Add(text string) {
	if r.Show != nil && text != "" {
		r.Show(text)
	}
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

// Len returns how many bytes of the text were gathered.
func (r *Reasoning) Len() int { return r.text.Len() }

// Whole returns what was gathered. A signature is of the whole text, so that
// there is none when anything is missing.
func (r *Reasoning) Whole() llm.Reasoning {
	out := llm.Reasoning{Text: r.text.String()}
	if !r.cut {
		out.Signature = r.signature.String()
	}
	return out
}

// OwnReasoning returns the reasoning of a message as the model called name may be
// given it back: none when another model thought it, whose signature would be
// refused. Recordings of old do not say whose it is.
func OwnReasoning(r llm.Reasoning, name string) llm.Reasoning {
	if r.Model != "" && r.Model != name {
		return llm.Reasoning{}
	}
	return r
}
