package cmd

import (
	"regexp"
	"testing"

	"praxis/internal/app"
)

// TestDescribeReport checks that a figure is shown with its aim and what it is.
func TestDescribeReport(t *testing.T) {
	r := app.BenchReport{Image: "python", Figures: map[string]app.BenchFigure{"restore_ms": {P50: 98.7, P95: 120, P99: 130.4, Runs: 7}}}
	want := regexp.MustCompile(`(?m)^restore_ms  ms    98\.7  120  130  7     ≤ 110 and ≤ 0\.35 × native_import_ms  a new session`)
	if got := describeReport(r, 0); !want.MatchString(got) {
		t.Errorf("got\n%s", got)
	}
}
