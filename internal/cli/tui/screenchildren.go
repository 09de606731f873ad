package tui

import (
	"fmt"
	"strings"
	"time"

	"praxis/event"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// maxChildText is how many characters of a child's answer are shown.
const maxChildText = 200

// children shows what becomes of the runs that a run began.
func (s *Screen) children(e event.Event) {
	switch e := e.(type) {
	case event.ChildBegan:
		if e.Run == "" {
			return
		}
		s.printf("  %s\n", s.Style.Paint(format.Dim, fmt.Sprintf("[%s %d begins, run %s]", safetext.Line(string(e.Role)), e.N, safetext.Line(e.Run))))
	case event.ChildEnded:
		if e.Run == "" {
			return
		}
		s.childEnded(e)
	case event.AttemptChosen:
		sgr := format.Green
		if e.N == 0 {
			sgr = format.Yellow
		}
		s.printf("\n%s\n", s.Style.Paint(sgr, safetext.Line(e.Why)))
	case event.OutlineWritten:
		title := "plan"
		if e.Revised {
			title = "plan, revised"
		}
		s.printf("  %s\n", s.Style.Paint(format.Bold, title))
		s.block("    ", "", e.Text)
	}
}

func (s *Screen) childEnded(e event.ChildEnded) {
	mark, text := s.Style.Paint(format.Green, string(e.Status)), e.Text
	if e.Status != event.Answered {
		mark = s.Style.Paint(format.Yellow, safetext.Line(string(e.Status)))
	}
	if text == "" {
		text = e.Reason
	}
	used := []string{safetext.Count(e.Steps, "step")}
	if n := e.Tokens.Total(); n > 0 {
		used = append(used, safetext.Number(n)+" tokens")
	}
	used = append(used, seconds(time.Duration(e.Took)))
	s.printf("  %d %s %s\n", e.N, mark, s.Style.Paint(format.Dim, strings.Join(used, ", ")))
	if text != "" {
		s.block("    ", "", safetext.Clip(safetext.Line(text), maxChildText))
	}
}
