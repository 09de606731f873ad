package tui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"praxis/event"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// Bounds of the summary below an answer.
const (
	maxFigures = 8
	maxText    = 40 // of a figure, its expression or what it was found as
)

// figures shows what the figures of an answer were found as, those that were found
// nowhere first: they matter most.
func (s *Screen) figures(all []event.Figure) {
	var untraced, traced []event.Figure
	for _, f := range all {
		if f.Untraced() {
			untraced = append(untraced, f)
		} else {
			traced = append(traced, f)
		}
	}
	if len(traced) > 0 {
		s.note(fmt.Sprintf("[%s in the answer traced to what ran or to the question]", safetext.Count(len(traced), "figure")))
	}
	list := append(untraced, traced...)
	listed, width := list[:min(len(list), maxFigures)], 0
	for _, f := range listed {
		width = max(width, utf8.RuneCountInString(clipped(f.Text)))
	}
	for _, f := range listed {
		sgr := format.Dim
		if f.Untraced() {
			sgr = format.Yellow
		}
		text := clipped(f.Text)
		for i, part := range format.BreakWords(foundAs(f), s.columnsLeft(width+6)) {
			if i > 0 {
				text = ""
			}
			s.printf("    %s%s  %s\n", text, strings.Repeat(" ", width-utf8.RuneCountInString(text)), s.Style.Paint(sgr, part))
		}
	}
	if more := len(list) - len(listed); more > 0 {
		s.note(fmt.Sprintf("  … %d more: praxis show last --figures", more))
	}
}

func clipped(text string) string { return safetext.Clip(safetext.Line(text), maxText) }

// foundAs says in words where a figure comes from.
func foundAs(f event.Figure) string {
	source := map[string]string{"computed": "computed", "output": "printed", "question": "in the question", event.UntracedSource: "found nowhere"}[f.Source]
	if f.Match.Described() {
		source = "said about a file"
	}
	if source == "" {
		source = safetext.Line(f.Source)
	}
	switch m := f.Match; {
	case f.Typed > 0:
		source += fmt.Sprintf("; typed in the code of step %d, not computed", f.Typed)
	case f.Said != "":
		source += "; from a model's reply (" + safetext.Line(f.Said) + "), not computed"
	case f.Expression != "":
		source += ": " + clipped(f.Expression)
	case m != nil:
		source += shownAt(*m)
	case f.Nearest != nil:
		source += "; nearest is" + strings.TrimPrefix(shownAt(*f.Nearest), ":")
	}
	if f.Partial != "" {
		source += "; from " + safetext.Line(f.Partial)
	}
	return source
}

// shownAt is a number that the run was shown, and where.
func shownAt(m event.Match) string {
	text := ": " + clipped(m.Text)
	if where := m.Place(); where != "" {
		text += ", " + safetext.Line(where)
	}
	if m.Stated {
		text += ", which stands in the code, too"
	}
	return text
}
