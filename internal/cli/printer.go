package cli

import (
	"io"
	"strings"

	"praxis/event"
	"praxis/internal/app"
)

// orEmpty makes a list that JSON writes as [] rather than null.
func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// printJSON writes one object on one line.
func (p *program) printJSON(v any) error {
	p.told = true
	return newEncoder(p.stdout).Encode(v)
}

// printer shows an execution as an interpreter at a prompt would.
type printer struct {
	stdout, stderr io.Writer
	column         [2]bool     // whether the last line of stdout, stderr is open
	alone          bool        // the session ends with the code
	err            error       // the first write that failed
	broken         func(error) // hears of it; may be nil
}

func newPrinter(stdout, stderr io.Writer) *printer {
	return &printer{stdout: guestWriter(stdout), stderr: guestWriter(stderr)}
}

// Emit shows output as it comes, and displayed values between it.
func (p *printer) Emit(e event.Event) {
	switch e := e.(type) {
	case event.Output:
		p.write(e.Stream, e.Data)
	case event.Display:
		p.value(e.Bundle)
	case event.ExecutionEnded:
		if x := e.Execution; x.State != "" && p.err == nil {
			if p.alone || x.State != event.Kept {
				x.Message = x.Cause() // nothing of it is there after this command
			}
			p.err = p.end(x)
		}
	}
}

func (p *printer) write(s event.Stream, data []byte) {
	if len(data) == 0 || p.err != nil {
		return
	}
	w, i := p.stdout, 0
	if s == event.Stderr {
		w, i = p.stderr, 1
	}
	p.column[i] = data[len(data)-1] != '\n'
	if _, p.err = w.Write(data); p.err != nil && p.broken != nil {
		p.broken(p.err)
	}
}

// line writes a text on lines of its own.
func (p *printer) line(s event.Stream, text string) {
	i := 0
	if s == event.Stderr {
		i = 1
	}
	if p.column[i] {
		p.write(s, []byte("\n"))
	}
	p.write(s, []byte(strings.TrimRight(text, "\n")+"\n"))
}

// value prints a bundle as text. A picture has none worth printing: it is a file.
func (p *printer) value(b event.Bundle) {
	if _, ok := app.PictureOf(b); ok {
		return
	}
	if text := app.TextOf(b); text != "" {
		p.line(event.Stdout, text)
	}
}

// end shows the value of the last expression, the traceback, and what ended the code.
func (p *printer) end(x event.Execution) error {
	p.value(x.Result)
	if x.Error != nil {
		text := x.Error.Traceback
		if text == "" {
			text = strings.TrimSuffix(x.Error.Name+": "+x.Error.Value, ": ")
		}
		p.line(event.Stderr, text)
	}
	if message, remedy := explain(x); message != "" && p.err == nil {
		if p.column[1] {
			p.write(event.Stderr, []byte("\n"))
		}
		var b strings.Builder
		tell(&b, message, remedy)
		_, p.err = io.WriteString(p.stderr, b.String())
	}
	for _, w := range []io.Writer{p.stdout, p.stderr} {
		if c, ok := w.(*cleaner); ok && p.err == nil {
			p.err = c.flush()
		}
	}
	return p.err
}

// explain says in one voice why code did not end by itself.
func explain(x event.Execution) (message, remedy string) {
	why := x.Message
	switch x.Status {
	case event.OK, event.Error:
		return why, remedyFor(x)
	case event.Interrupted:
		return strings.TrimSuffix("interrupted: "+why, ": "), ""
	}
	if why == "" {
		why = "status " + x.Status.String()
	}
	return "cannot finish the code: " + why, remedyFor(x)
}

// remedyFor says what to do about the limit that the code ran into.
func remedyFor(x event.Execution) string {
	switch x.Limit {
	case event.CPUTime:
		return "Give it more with --cpu-time, or compute less at once."
	case event.ProcessCount:
		return "Allow more with --processes, or start fewer at once."
	case event.DiskSpace:
		return "Give it more with --disk, or remove files that are no longer needed."
	case event.OpenFiles:
		return "Close files when they are no longer needed."
	case event.MemoryUse:
		return memoryRemedy
	}
	// A sandbox that was ended from outside tells its status alone.
	switch x.Status {
	case event.Timeout:
		return "Give it more time with --timeout, or do less at once."
	case event.Memory:
		return memoryRemedy
	case event.OutputLimit:
		return "Print less, raise --output-limit, or write to a file in /work and take it with --out."
	}
	return ""
}

const memoryRemedy = "Give it more with --memory, or hold less at once."
