package replay

import (
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/language"
)

// TestSubcallsTake checks which recorded child code is given that begins one again.
func TestSubcallsTake(t *testing.T) {
	ended := func(n int, text string) *event.ChildEnded {
		return &event.ChildEnded{N: n, Status: event.Answered, Text: text}
	}
	began := func(n, step int, task, given string) event.ChildBegan {
		return event.ChildBegan{N: n, Step: step, Role: event.Recursion, Task: task, Given: given, Data: []string{"context"}}
	}
	rec := Recording{Children: []Child{
		{began(1, 1, "early", "g"), ended(1, "early")},
		{began(2, 2, "same", "g1"), ended(2, "one")},
		{began(3, 2, "same", "g2"), ended(3, "two")},
		{began(4, 2, "open", "g"), nil},
		{began(5, 2, "canceled", "g"), &event.ChildEnded{N: 5, Status: event.Failed, Kind: fault.Canceled.String()}},
		{began(2, 2, "same", "g1"), ended(2, "taken over")},
		{event.ChildBegan{N: 6, Step: 2, Role: event.Attempt, Task: "attempt"}, ended(6, "attempt")},
		{began(7, 2, "open", "g"), ended(7, "open at last")},
	}}
	take := func(c *Children, task, given string) (int, string) {
		k := c.Take(began(0, 0, task, given))
		if k.Ended == nil {
			return k.Began.N, ""
		}
		return k.Began.N, k.Ended.Text
	}
	c := rec.Subcalls(2, nil, false)
	for _, want := range []struct {
		task, given string
		n           int
		text        string
	}{
		{"same", "g2", 3, "two"}, {"same", "g1", 2, "taken over"}, {"same", "g1", 0, ""}, {"early", "g", 0, ""}, {"same", "other", 0, ""},
		{"open", "g", 7, "open at last"}, {"open", "g", 4, ""}, {"canceled", "g", 5, ""}, {"attempt", "", 0, ""},
	} {
		if n, text := take(c, want.task, want.given); n != want.n || text != want.text {
			t.Errorf("%s %s: child %d %q, want %d %q", want.task, want.given, n, text, want.n, want.text)
		}
	}
	if b := c.Before(); len(b) != 1 || b[0].Began.N != 1 || c.Last() != 7 {
		t.Errorf("before are %+v, the last is %d", b, c.Last())
	}
	// In a replay a child that was given something else is still the recorded one.
	if n, _ := take(rec.Subcalls(2, nil, true), "same", "other"); n != 3 {
		t.Errorf("loosely: child %d", n)
	}
	var none *Children
	if k := none.Take(began(0, 0, "x", "")); k.Began.N != 0 || none.Last() != 0 {
		t.Errorf("of nothing: %+v", k)
	}
}

func TestResultOf(t *testing.T) {
	got := ResultOf(event.ChildEnded{Status: event.Unanswered, Reason: "no answer", Kind: "exhausted", Remedy: "Ask less."})
	if fault.KindOf(got.Err) != fault.Exhausted || got.Err.Error() != "no answer" || fault.RemedyOf(got.Err) != "Ask less." {
		t.Errorf("a failure is %v", got.Err)
	}
	if got := ResultOf(event.ChildEnded{Status: event.Failed}); fault.KindOf(got.Err) != fault.Unavailable {
		t.Errorf("a failure without a kind is %v", got.Err)
	}
	if got := ResultOf(event.ChildEnded{Status: event.Unverified, Text: "x"}); got.Err != nil || got.Text != "x" {
		t.Errorf("an answer is %+v", got)
	}
	one := []language.Given{{Name: "a", Form: "text"}, {Name: "b", Form: "text"}}
	if a, b := HashGiven(one, []string{"1", "2"}), HashGiven(one, []string{"2", "1"}); a == b || HashGiven(nil, nil) != "" {
		t.Error("hashes of what is given do not tell it apart")
	}
}
