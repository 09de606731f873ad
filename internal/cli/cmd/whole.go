package cmd

import (
	"path/filepath"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// cutMark is what stands in a stream where output was left out.
var cutMark = lazyregexp.New(`… \[([0-9]+ bytes left out); the whole is in /[^\]\n]*\] …`)

// wholeIn says in a text where the whole output is: the file that the session
// has of it is of no use to a person when the session ends with the command.
func wholeIn(text, out string) string {
	where := "; --out DIR keeps the whole"
	if out != "" {
		where = "; the whole is in " + safetext.Line(filepath.Join(out, app.WholeOutput))
	}
	return string(cutMark.ReplaceAllFunc([]byte(text), func(mark []byte) []byte {
		return []byte("… [" + string(cutMark.FindSubmatch(mark)[1]) + where + "] …")
	}))
}

// wholeSink passes events on with the marks of cut output rewritten. A mark is a
// piece of output of its own, so that what code prints is left alone.
func wholeSink(next event.Sink, out string) event.Sink {
	return event.SinkFunc(func(e event.Event) {
		if o, ok := e.(event.Output); ok && len(o.Data) < 8<<10 {
			if at := cutMark.FindIndex(o.Data); at != nil && at[0] <= 1 && len(o.Data)-at[1] <= 1 {
				e = event.Output{Stream: o.Stream, Data: []byte(wholeIn(string(o.Data), out))}
			}
		}
		next.Emit(e)
	})
}
