package cmd

import (
	"io"
	"strings"

	"praxis/event"
	"praxis/internal/cli/format"
	"praxis/internal/cli/tui"
	"praxis/internal/safetext"
)

// progress returns the sink that shows long preparations on standard error: as
// one line that changes on a terminal, until settled is called. Into a file only
// what may take minutes is written, so that a log of what the code wrote to
// standard error stays that.
func (p *program) progress() event.Sink {
	if isTerminal(p.stderr) && p.getenv("TERM") != "dumb" {
		if p.live == nil {
			p.live = &tui.LiveLine{W: p.stderr, Style: format.Style{On: p.colours(p.stderr), Width: width(p.stderr)}}
		}
		p.live.Instead = p.waits
		return p.live
	}
	return event.SinkFunc(func(e event.Event) {
		if pr, ok := e.(event.Progress); ok && pr.Stage != "template" && pr.Stage != "bench" && pr.Stage != "replay" {
			// Nothing can be done about a standard error that is gone.
			_, _ = io.WriteString(p.stderr, "praxis: "+strings.TrimSpace(safetext.Line(pr.Text))+"\n")
		}
	})
}

// settled takes the line of progress away, before anything else is written.
func (p *program) settled() {
	if p.live != nil {
		p.live.End()
	}
}
