package cmd

import (
	"regexp"
	"testing"

	"praxis/internal/app"
)

// TestDescribeReport checks that a figure is shown with its aim and what it is, and
// compared with its goal, and what was skipped with the reason.
func TestDescribeReport(t *testing.T) {
	r := app.BenchReport{
		Image:   "python",
		Figures: map[string]app.BenchFigure{"claim_warm_ms": {P50: 98.7, P95: 120, P99: 130.4, Runs: 7}, "call_us": {P50: 500, P95: 501, P99: 502, Runs: 7}},
		Skipped: map[string]string{"roundtrip_ratio": "no index"},
	}
	got := describeReport(r, app.BenchNames(), 0)
	for _, want := range []string{
		`^claim_warm_ms  ms    98\.7  120  130  7     ≤ 3    taking a session`,
		`^claim_warm_ms    ms    ≤ 3     98\.7      no   warm claim`,
		`^call_us          µs    ≤ 500   500       yes  tool call`,
		`^roundtrip_ratio  ×     ≤ 0\.07  skipped        round trip of`,
		`^skipped: roundtrip_ratio: no index$`,
	} {
		if !regexp.MustCompile(`(?m)` + want).MatchString(got) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}
