package tui

import (
	"fmt"
	"strings"

	"praxis/event"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// project says what is worked on.
func (s *Screen) project(r event.Repo) {
	s.printf("%s  %s\n", s.Style.Paint(format.Bold, "project"), safetext.Line(r.Name))
	if r.Test != "" {
		s.printf("%s    %s\n", s.Style.Paint(format.Bold, "tests"), safetext.Line(r.Test))
	}
}

// testsRan shows what the tests of a project said.
func (s *Screen) testsRan(e event.TestsRan) {
	title := "tests"
	if e.Step == 0 {
		title = "tests as the project is"
	}
	verdict := s.Style.Paint(format.Green, "pass")
	if !e.Passed {
		verdict = s.Style.Paint(format.Red, "fail") + ": " + safetext.Line(e.Why)
		if len(e.Failing) == 0 && len(e.Flaky) > 0 {
			verdict = s.Style.Paint(format.Yellow, "fail at times")
		}
	}
	s.printf("  %s %s\n", s.Style.Paint(format.Bold, title+":"), verdict)
	if len(e.Undone) > 0 {
		s.printf("  %s\n", s.Style.Paint(format.Yellow, "changes of tests that were undone: "+safetext.Line(strings.Join(e.Undone, ", "))))
	}
	if len(e.Flaky) > 0 {
		s.printf("  %s\n", s.Style.Paint(format.Yellow, fmt.Sprintf("flaky: %s did not come out the same in %s without a change", safetext.Line(strings.Join(e.Flaky, ", ")), safetext.Count(e.Runs, "run"))))
	}
}

// patchMade says what became of which file.
func (s *Screen) patchMade(e event.PatchMade) {
	if len(e.Files) == 0 {
		s.printf("\n%s\n", s.Style.Paint(format.Bold, "nothing was changed"))
		return
	}
	s.printf("\n%s\n", s.Style.Rule("patch"))
	for _, f := range e.Files {
		name, lines := safetext.Line(f.Path), fmt.Sprintf("+%d −%d", f.Added, f.Removed)
		if f.From != "" {
			name = safetext.Line(f.From) + " → " + name
		}
		if f.Binary {
			lines = "binary"
		}
		s.printf("  %-8s %s  %s\n", f.Change, name, s.Style.Paint(format.Dim, lines))
	}
	if len(e.LeftOut) > 0 {
		s.printf("  %s\n", s.Style.Paint(format.Dim, "left out, as programs made them or git ignores them: "+someOf(lines(e.LeftOut), 200)))
	}
}

func lines(list []string) []string {
	out := make([]string, len(list))
	for i, l := range list {
		out[i] = safetext.Line(l)
	}
	return out
}

// Say shows a sentence of its own.
func (s *Screen) Say(text string) {
	s.printf("\n%s\n", s.Style.Paint(format.Bold, safetext.Line(text)))
}

// Patch shows a diff in colours, to its last line.
func (s *Screen) Patch(diff []byte) {
	s.printf("\n")
	for line := range strings.SplitSeq(strings.TrimSuffix(string(diff), "\n"), "\n") {
		sgr := ""
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "):
			sgr = format.Bold
		case strings.HasPrefix(line, "@@"):
			sgr = format.Cyan
		case strings.HasPrefix(line, "+"):
			sgr = format.Green
		case strings.HasPrefix(line, "-"):
			sgr = format.Red
		}
		s.printf("%s\n", s.Style.Paint(sgr, strings.TrimSuffix(safetext.Text(line), "\n")))
	}
}
