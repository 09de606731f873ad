package cli

import (
	"bytes"
	"strings"
	"testing"

	"praxis/event"
)

// TestLiveLine checks that progress stays on one line of the terminal, harmless
// and no wider than it, and leaves nothing behind.
func TestLiveLine(t *testing.T) {
	var b bytes.Buffer
	l := &liveLine{w: &b, style: style{width: 20}}
	l.end()
	l.Emit(event.Progress{Room: "image", Text: "one\x1b[2J\n"})
	l.Emit(event.StepBegan{N: 1})
	l.Emit(event.Progress{Room: "image", Text: strings.Repeat("long ", 20)})
	l.end()
	l.end()
	if got, want := b.String(), "\rpraxis: one\\x1b[2J…\x1b[K\rpraxis: long long …\x1b[K\r\x1b[K"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
