package bench

import "testing"

// TestTrace traces an execution of a real sandbox: together its hops are the whole way,
// but for what clocks are corrected meanwhile.
func TestTrace(t *testing.T) {
	b := measured(t)
	got, err := TraceExecution(t.Context(), b.Config, 1)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, h := range got.Hops {
		if h.Runs != 1 || h.P50 < 0 {
			t.Errorf("measured %+v", h)
		}
		sum += h.P50
	}
	if d := sum - got.Whole.P50; d < -100 || d > 100 || got.Both.P50 <= 0 {
		t.Errorf("the hops take %g µs together, the whole way %+v, both ways %+v", sum, got.Whole, got.Both)
	}
}
