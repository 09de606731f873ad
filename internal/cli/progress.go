package cli

import (
	"io"
	"strings"
	"sync"

	"praxis/event"
	"praxis/internal/safetext"
)

// progress returns the sink that shows long preparations on standard error: as
// one line that changes on a terminal, until settled is called. Into a file only
// what may take minutes is written, so that a log of what the code wrote to
// standard error stays that.
func (p *program) progress() event.Sink {
	if isTerminal(p.stderr) && p.getenv("TERM") != "dumb" {
		if p.live == nil {
			p.live = &liveLine{w: p.stderr, style: style{on: p.colours(p.stderr), width: width(p.stderr)}}
		}
		return p.live
	}
	return event.SinkFunc(func(e event.Event) {
		if pr, ok := e.(event.Progress); ok && pr.Room != "template" && pr.Room != "bench" {
			// Nothing can be done about a standard error that is gone.
			_, _ = io.WriteString(p.stderr, "praxis: "+strings.TrimSpace(safetext.Line(pr.Text))+"\n")
		}
	})
}

// settled takes the line of progress away, before anything else is written.
func (p *program) settled() {
	if p.live != nil {
		p.live.end()
	}
}

// liveLine is the last line of a terminal while something is prepared.
type liveLine struct {
	w     io.Writer
	style style

	mu    sync.Mutex
	shown bool
}

// Emit shows a preparation in the place of the one before.
func (l *liveLine) Emit(e event.Event) {
	pr, ok := e.(event.Progress)
	if !ok {
		return
	}
	line := []rune("praxis: " + strings.TrimSpace(safetext.Line(pr.Text)))
	if len(line) >= l.style.width { // a line that wraps cannot be erased
		line = append(line[:max(l.style.width-2, 0)], '…')
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown = true
	// Nothing can be done about a standard error that is gone.
	_, _ = io.WriteString(l.w, "\r"+l.style.paint(sgrDim, string(line))+"\x1b[K")
}

// end erases the line.
func (l *liveLine) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown {
		l.shown = false
		_, _ = io.WriteString(l.w, "\r\x1b[K")
	}
}
