package tui

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"praxis/event"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// waitTick is how often the line of a WaitLine is drawn; the first time after
// one tick, so that what comes at once leaves the screen alone.
const waitTick = 500 * time.Millisecond

// WaitLine is the last line of a terminal while a run goes on: it says what is
// waited for and how long, how much of the budget is used and what comes in just now.
// It is erased when something else is to be shown. Between begin and end the writer is
// its own. A nil WaitLine shows nothing.
type WaitLine struct {
	W      io.Writer
	Style  format.Style
	Budget func() string // in a few words; nil: it is not shown

	stop chan struct{} // nil: nothing is drawn
	done chan error

	mu    sync.Mutex
	text  string // "": nothing is waited for
	tail  string
	since time.Time
}

// begin starts to wait for something new.
func (l *WaitLine) begin(text string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	l.text, l.tail, l.since = text, "", time.Now()
	l.mu.Unlock()
	l.resume()
}

// goOn says what is done meanwhile, and the end of what came.
func (l *WaitLine) goOn(text, tail string) {
	if l == nil {
		return
	}
	if len(tail) > maxThought {
		tail = tail[len(tail)-maxThought:]
	}
	l.mu.Lock()
	if l.text == "" {
		l.since = time.Now()
	}
	l.text, l.tail = text, tail
	l.mu.Unlock()
}

// Say changes what is waited for, and reports whether anything is. It may be called at
// any time.
func (l *WaitLine) Say(text string) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text == "" {
		return false
	}
	l.text = text
	return true
}

// over says that what was waited for is there.
func (l *WaitLine) over() {
	if l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.text = ""
	}
}

// resume goes on with the line that end erased.
func (l *WaitLine) resume() {
	if l == nil || l.stop != nil || !l.waits() {
		return
	}
	l.stop, l.done = make(chan struct{}), make(chan error, 1)
	go func() { l.done <- l.draw() }()
}

func (l *WaitLine) waits() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text != ""
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
			if _, err := io.WriteString(l.W, "\r"+l.Style.Paint(format.Dim, l.line())+"\x1b[K"); err != nil {
				return err
			}
		}
	}
}

// line is what is shown now. The end of what comes in has what is left of it, in whole words.
func (l *WaitLine) line() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := fmt.Sprintf("  %s … %d s", l.text, int(time.Since(l.since).Seconds()))
	if l.Budget != nil {
		line += l.Budget()
	}
	used, most := 0, max(l.Style.Width-1, 0)
	for i, r := range line { // a line that wraps cannot be erased
		if used += columnsOf(r); used > most {
			return line[:i]
		}
	}
	if tail := endOf(safetext.Line(strings.TrimSpace(l.tail)), most-used-len("  … ")); tail != "" {
		line += "  … " + tail
	}
	return line
}

// minTail is the least space that the end of a text is shown in.
const minTail = 12

// endOf returns the last whole words of a text that fit.
func endOf(text string, space int) string {
	if space < minTail {
		return ""
	}
	r := []rune(text)
	for i := len(r) - 1; i >= 0; i-- {
		if space -= columnsOf(r[i]); space < 0 {
			_, words, _ := strings.Cut(string(r[i:]), " ")
			return words
		}
	}
	return text
}

// columnsOf is how many columns a character takes, or more: what is East Asian or a picture
// takes two.
func columnsOf(r rune) int {
	if r < 0x1100 || 0x2000 <= r && r < 0x2600 {
		return 1
	}
	return 2
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
