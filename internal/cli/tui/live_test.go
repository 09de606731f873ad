package tui

import (
	"bytes"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/cli/format"
)

// TestLiveLine checks that progress stays on one line of the terminal, harmless
// and no wider than it, and leaves nothing behind.
func TestLiveLine(t *testing.T) {
	var b bytes.Buffer
	l := &LiveLine{W: &b, Style: format.Style{Width: 20}}
	l.End()
	l.Emit(event.Progress{Stage: "image", Text: "one\x1b[2J\n"})
	l.Emit(event.StepBegan{N: 1})
	l.Emit(event.Progress{Stage: "image", Text: strings.Repeat("long ", 20)})
	l.End()
	l.End()
	if got, want := b.String(), "\rpraxis: one\\x1b[2J…\x1b[K\rpraxis: long long …\x1b[K\r\x1b[K"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
