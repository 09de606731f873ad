package cmd

import (
	"io"
	"strconv"
	"strings"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/language"
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
	p.printedObject = true
	return format.NewEncoder(p.stdout).Encode(v)
}

// printer shows an execution as an interpreter at a prompt would.
type printer struct {
	languages      language.Table // those that the code may be in
	model          language.Model // of the code, whose exit codes are shown as they are meant
	stdout, stderr io.Writer
	column         [2]bool                 // whether the last line of stdout, stderr is open
	alone          bool                    // the session ends with the code
	err            error                   // the first write that failed
	broken         func(error)             // is called with it; may be nil
	show           func(app.Picture) error // shows an image in its place; nil: nothing does
}

func newPrinter(stdout, stderr io.Writer) *printer {
	return &printer{stdout: guestWriter(stdout), stderr: guestWriter(stderr)}
}

// excerpted bounds what a terminal gets of each stream of an execution. more says
// how to see all.
func (p *printer) excerpted(more string) {
	for _, w := range []io.Writer{p.stdout, p.stderr} {
		if c, ok := w.(*format.Cleaner); ok {
			c.W = &format.Excerpt{W: c.W, More: more}
		}
	}
}

// flushed writes what the streams keep back.
func (p *printer) flushed() {
	for _, w := range []io.Writer{p.stdout, p.stderr} {
		c, ok := w.(*format.Cleaner)
		if !ok || p.err != nil {
			continue
		}
		p.err = c.Flush()
		if e, ok := c.W.(*format.Excerpt); ok && p.err == nil {
			p.err = e.Flush()
		}
	}
}

// Emit shows output as it comes, and displayed values between it.
func (p *printer) Emit(e event.Event) {
	switch e := e.(type) {
	case event.ExecutionBegan:
		p.model = p.languages.Named(e.Language).Model
	case event.Output:
		p.write(e.Stream, e.Data)
	case event.Display:
		p.value(e.Bundle)
	case event.ExecutionEnded:
		if x := e.Execution; x.State != "" && p.err == nil {
			if p.alone || x.State != event.Intact {
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

// value prints a bundle as text. An image has none worth printing: it is a file.
func (p *printer) value(b event.Bundle) {
	text := app.TextOf(b)
	if picture, ok := app.PictureOf(b); ok {
		text = app.TextBeside(b, picture)
		if p.show != nil && picture.Ext != app.PageExt {
			p.image(picture)
		}
	}
	if text != "" {
		p.line(event.Stdout, text)
	}
}

// image shows an image after the output that came before it.
func (p *printer) image(picture app.Picture) {
	if p.column[0] {
		p.write(event.Stdout, []byte("\n"))
	}
	p.flushed()
	if p.err == nil {
		p.err = p.show(picture)
	}
}

// raised is what is shown of an exception. Of code that ended itself it is the text that
// it gave in place of an exit code.
func (p *printer) raised(e event.Raised) string {
	if e.Traceback != "" {
		return e.Traceback
	}
	if _, chosen := p.model.ExitCode(e.Name, e.Value); !chosen {
		return strings.TrimSuffix(e.Name+": "+e.Value, ": ")
	}
	if _, err := strconv.Atoi(e.Value); err == nil {
		return ""
	}
	return e.Value
}

// end shows the value of the last expression, the traceback, and what ended the code.
func (p *printer) end(x event.Execution) error {
	p.flushed() // a value and a traceback have a space of their own
	p.value(x.Result)
	if x.Error != nil {
		if text := p.raised(*x.Error); text != "" {
			p.line(event.Stderr, text)
		}
	}
	if message, remedy := format.Explain(x); message != "" && p.err == nil {
		if p.column[1] {
			p.write(event.Stderr, []byte("\n"))
		}
		var b strings.Builder
		printMessage(&b, message, remedy)
		_, p.err = io.WriteString(p.stderr, b.String())
	}
	p.flushed()
	return p.err
}
