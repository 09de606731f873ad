// Package diagnostics is the one way by which what libraries have to say of
// themselves reaches a person: package log, log/slog, which ends there, and the
// loggers of the sandbox all write to a [Writer]. Nothing of ours logs: what happens
// in a run is an event, and what goes wrong is an error.
//
// Libraries quote what others sent them. net/http logs the first bytes that a host
// sends on an idle connection, and that host may have been given a credential, which
// it can write in any form it likes. Such a quotation is therefore left out, whatever
// stands in it, and secrets are looked for in all the rest.
package diagnostics

import (
	"io"
	"log"
	"slices"
	"strings"
	"sync"

	"praxis/internal/safetext"
)

// maxLine bounds one message in bytes.
const maxLine = 2000

// Writer passes messages on without secrets, each in a line of its own. It is safe
// for concurrent use.
type Writer struct {
	out   io.Writer
	clean func(string) string // of what libraries wrote

	mu     sync.Mutex
	redact []*func(string) string
}

// New returns a Writer for a program whose whole diagnostics go to out, a terminal:
// of each message one line is written, with nothing hidden in it.
func New(out io.Writer) *Writer {
	return &Writer{out: out, clean: func(s string) string {
		return "praxis: note of a library: " + safetext.OneLine(s, maxLine) + "\n"
	}}
}

// Redact adds a function that takes secrets out of a text, until remove is called.
func (w *Writer) Redact(f func(string) string) (remove func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.redact = append(w.redact, &f)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.redact = slices.DeleteFunc(w.redact, func(one *func(string) string) bool { return one == &f })
	}
}

// idle is how net/http begins a message in which it quotes what a host sent.
const idle = "Unsolicited response received on idle HTTP channel"

// Write writes one message, as package log calls it.
func (w *Writer) Write(message []byte) (int, error) {
	text := string(message)
	if i := strings.Index(text, idle); i >= 0 {
		text = text[:i] + idle + ": what the host sent is left out\n"
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.redact {
		text = (*f)(text)
	}
	if _, err := io.WriteString(w.out, w.clean(text)); err != nil {
		return 0, err
	}
	return len(message), nil
}

// Capture lets package log write to w alone, and with it log/slog, whose default
// handler does.
func (w *Writer) Capture() {
	log.SetFlags(0)
	log.SetOutput(w)
}

// Guard puts a Writer before that to which package log of somebody else's program
// writes. Its messages pass as they are, but for secrets and quotations of hosts,
// until release is called.
func Guard() (w *Writer, release func()) {
	before := log.Writer()
	w = &Writer{out: before, clean: func(s string) string { return s }}
	log.SetOutput(w)
	return w, func() {
		// Whoever came after us may write to w still; then it has no secrets to look for.
		if log.Writer() == io.Writer(w) {
			log.SetOutput(before)
		}
	}
}
