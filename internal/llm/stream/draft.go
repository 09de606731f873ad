package stream

import (
	"strings"

	"praxis/event"
)

// Draft is what there is of a reply while it arrives. Decoders embed it.
type Draft struct {
	Delta     func(string) // is given the text as it comes
	Text      strings.Builder
	Reasoning Reasoning
	Arguments int // bytes of the arguments of its calls
	Tokens    event.Tokens
}

// Say adds to the text.
func (d *Draft) Say(text string) {
	if text != "" {
		d.Text.WriteString(text)
		d.Delta(text)
	}
}

// Begun implements Decoder.
func (d *Draft) Begun() (counted event.Tokens, bytes int) {
	return d.Tokens, d.Text.Len() + d.Reasoning.Len() + d.Arguments
}
