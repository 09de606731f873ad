package tui

import (
	"bytes"
	"fmt"
	"testing"

	"praxis/event"
)

// TestFigures checks that the summary says what each figure was found as, and of how much.
func TestFigures(t *testing.T) {
	figures := []event.Figure{
		{Text: "41.5", Source: "output", Match: &event.Match{Text: "41.50", Step: 1, Line: 4, Stated: true}, Partial: "sql.query: 10 of 30 rows"},
		{Text: "7.7\x1b[m", Source: event.UntracedSource, Nearest: &event.Match{Text: "7.8", Step: 2, Line: 1}},
		{Text: "4711", Source: event.UntracedSource, Typed: 2},
		{Text: "20.5", Source: "question", Match: &event.Match{Text: "20.5", In: "file", Line: 4}},
	}
	for i := range maxFigures {
		figures = append(figures, event.Figure{Text: fmt.Sprint(i), Source: "computed", Expression: "x"})
	}
	var b bytes.Buffer
	s := NewScreen(&b, false, 80, languages)
	s.figures(figures)
	golden(t, "figures.txt", b.String())
}
