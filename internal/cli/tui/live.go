package tui

import (
	"io"
	"strings"
	"sync"

	"praxis/event"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// LiveLine is the last line of a terminal while something is prepared.
type LiveLine struct {
	W     io.Writer
	Style format.Style
	// Instead shows what is prepared while it waits for something on the same terminal.
	Instead *WaitLine

	mu    sync.Mutex
	shown bool
}

// Emit shows a preparation and replaces the one before.
func (l *LiveLine) Emit(e event.Event) {
	pr, ok := e.(event.Progress)
	if !ok {
		return
	}
	if l.Instead.Say(strings.TrimSpace(safetext.Line(pr.Text))) {
		return
	}
	line := []rune("praxis: " + strings.TrimSpace(safetext.Line(pr.Text)))
	if len(line) >= l.Style.Width { // a line that wraps cannot be erased
		line = append(line[:max(l.Style.Width-2, 0)], '…')
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown = true
	// Nothing can be done about a standard error that is gone.
	_, _ = io.WriteString(l.W, "\r"+l.Style.Paint(format.Dim, string(line))+"\x1b[K")
}

// End erases the line.
func (l *LiveLine) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown {
		l.shown = false
		_, _ = io.WriteString(l.W, "\r\x1b[K")
	}
}
