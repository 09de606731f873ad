package tui

import (
	"fmt"
	"io"
	"time"

	"praxis/event"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// waitTick is how often the line of a WaitLine is drawn; the first time after
// one tick, so that a reply that comes at once leaves the screen alone.
const waitTick = 500 * time.Millisecond

// WaitLine is the last line of a terminal while a model is waited for: it says
// for whom and how long, and is erased when something else is to be shown.
// Between begin and end the writer is its own. A nil WaitLine shows nothing.
type WaitLine struct {
	W     io.Writer
	Style format.Style

	text  string
	since time.Time
	stop  chan struct{} // nil: nothing is waited for
	done  chan error
}

// begin starts to wait for something new.
func (l *WaitLine) begin(text string) {
	if l == nil {
		return
	}
	l.text, l.since = text, time.Now()
	l.resume()
}

// resume goes on with the line that end erased.
func (l *WaitLine) resume() {
	if l == nil || l.stop != nil || l.text == "" {
		return
	}
	l.stop, l.done = make(chan struct{}), make(chan error, 1)
	go func() { l.done <- l.draw() }()
}

// end erases the line and returns what went wrong with it.
func (l *WaitLine) end() error {
	if l == nil || l.stop == nil {
		return nil
	}
	close(l.stop)
	err := <-l.done
	l.stop = nil
	return err
}

// draw shows the line until it is stopped.
func (l *WaitLine) draw() error {
	tick := time.NewTicker(waitTick)
	defer tick.Stop()
	for drawn := false; ; drawn = true {
		select {
		case <-l.stop:
			if !drawn {
				return nil
			}
			_, err := io.WriteString(l.W, "\r\x1b[K")
			return err
		case <-tick.C:
			line := fmt.Sprintf("  waiting for %s … %d s", l.text, int(time.Since(l.since).Seconds()))
			if r := []rune(line); len(r) >= l.Style.Width { // a line that wraps cannot be erased
				line = string(r[:max(l.Style.Width-1, 0)])
			}
			if _, err := io.WriteString(l.W, "\r"+l.Style.Paint(format.Dim, line)+"\x1b[K"); err != nil {
				return err
			}
		}
	}
}

// retrying is why a model is asked again and when.
func retrying(e event.ModelRetrying) string {
	if e.Model != "" {
		return fmt.Sprintf("[%s: asking %s]", safetext.Line(e.Reason), safetext.Line(e.Model))
	}
	pause := time.Duration(e.After)
	after := fmt.Sprintf("%.0f s", pause.Seconds())
	if pause < 950*time.Millisecond {
		after = fmt.Sprintf("%d ms", pause.Milliseconds())
	}
	return fmt.Sprintf("[%s: next request in %s]", safetext.Line(e.Reason), after)
}
