package event

import (
	"testing"
	"time"
)

// TestBudgetTable checks that each part sets a field of its own, and no other.
func TestBudgetTable(t *testing.T) {
	var all Budget
	for _, s := range BudgetTable() {
		var b Budget
		s.Set(&b, s.Min)
		if s.Of(b) != s.Min || b == (Budget{}) {
			t.Errorf("%s: set to %g, it is %g", s.Name, s.Min, s.Of(b))
		}
		if s.Of(all) != 0 {
			t.Errorf("%s has the field of another part", s.Name)
		}
		s.Set(&all, s.Max)
	}
	if got := (Budget{Time: Duration(time.Second)}).Over(all); got.Time != Duration(time.Second) || got.Cost != all.Cost {
		t.Errorf("over: %+v", got)
	}
}
