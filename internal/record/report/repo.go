package report

import (
	"fmt"
	"strings"

	"praxis/event"
	"praxis/internal/safetext"
)

// testsRan says what the tests of a project said.
func testsRan(e event.TestsRan) annotation {
	what := "they pass"
	if !e.Passed {
		what = "they do not pass: " + e.Why
	}
	if e.Step == 0 {
		what = "as the project is, " + what
	}
	var more []string
	for _, list := range []struct {
		what  string
		names []string
	}{{"fail each time", e.Failing}, {fmt.Sprintf("flaky, in %s without a change", safetext.Count(e.Runs, "run")), e.Flaky}, {"changes of tests that were undone", e.Undone}} {
		if len(list.names) > 0 {
			more = append(more, list.what+": "+strings.Join(list.names, ", "))
		}
	}
	return annotation{"tests", safetext.Line(what), strings.Join(more, "\n"), !e.Passed}
}

// patchMade lists the files of a patch.
func patchMade(e event.PatchMade) annotation {
	var more []string
	for _, f := range e.Files {
		name, lines := f.Path, fmt.Sprintf("+%d −%d", f.Added, f.Removed)
		if f.From != "" {
			name = f.From + " → " + f.Path
		}
		if f.Binary {
			lines = "binary"
		}
		more = append(more, f.Change+" "+name+" "+lines)
	}
	if len(e.LeftOut) > 0 {
		more = append(more, "left out: "+strings.Join(e.LeftOut, ", "))
	}
	tests := ""
	if !e.Passed {
		tests = ", with which the tests do not pass"
	}
	return annotation{"patch", safetext.Line(fmt.Sprintf("of %s%s, sha256 %s", safetext.Count(len(e.Files), "file"), tests, e.SHA256)), strings.Join(more, "\n"), false}
}
