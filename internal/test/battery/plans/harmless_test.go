package plans_test

import (
	"fmt"
	"testing"

	"praxis/internal/plan"
)

// TestHarmless: a policy that a person would write holds up at most every tenth
// of the harmless tasks, and every task runs to its end.
func TestHarmless(t *testing.T) {
	tasks := programs(t, "testdata/harmless.py")
	if len(tasks) < 100 {
		t.Fatalf("only %d tasks", len(tasks))
	}
	for _, strict := range []bool{false, true} {
		stopped := 0
		for _, p := range tasks {
			where := fmt.Sprintf("testdata/harmless.py:%d: %s", p.line, p.title)
			got := run(t, p.code, options(t, strict))
			switch {
			case got.refused != "":
				stopped++
				t.Logf("strict %v: refused: %s\n%s", strict, where, got.refused)
			case len(got.refusals) > 0:
				stopped++
				t.Logf("strict %v: stopped: %s\n%v", strict, where, got.refusals)
			case got.end.Status != plan.OK:
				t.Errorf("strict %v: %s\n%s", strict, where, got.end.Error)
			}
		}
		share := float64(stopped) / float64(len(tasks))
		t.Logf("strict %v: %d of %d harmless tasks were refused or asked about (%.1f %%)", strict, stopped, len(tasks), 100*share)
		if !strict && share > 0.10 {
			t.Errorf("%.1f %% of the harmless tasks are stopped in normal mode", 100*share)
		}
	}
}
