package run_test

import (
	"encoding/json"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/run"
)

// TestChoose has, for each part of the rule, two attempts or more that only it distinguishes.
func TestChoose(t *testing.T) {
	answered := func(n int, text string, change ...func(*event.ChildEnded)) event.ChildEnded {
		e := event.ChildEnded{N: n, Run: "r", Status: event.Answered, Text: text, Steps: 3}
		for _, c := range change {
			c(&e)
		}
		return e
	}
	value := func(v string) func(*event.ChildEnded) {
		return func(e *event.ChildEnded) { e.Value = json.RawMessage(v) }
	}
	figures := func(source string, texts ...string) func(*event.ChildEnded) {
		return func(e *event.ChildEnded) {
			for _, text := range texts {
				e.Figures = append(e.Figures, event.Figure{Text: text, Source: source})
			}
		}
	}
	failed := func(n int) event.ChildEnded { return event.ChildEnded{N: n, Status: event.Unanswered, Reason: "no"} }
	for name, c := range map[string]struct {
		ended []event.ChildEnded
		want  int
		why   string
	}{
		"nobody":     {[]event.ChildEnded{failed(1), failed(2)}, 0, "no attempt has an answer"},
		"none":       {nil, 0, "no attempt has an answer"},
		"the only":   {[]event.ChildEnded{failed(1), answered(2, "b")}, 2, "the only one with an answer that passed"},
		"one":        {[]event.ChildEnded{answered(3, "b")}, 3, "it is the only one"},
		"complete":   {[]event.ChildEnded{answered(1, "a", func(e *event.ChildEnded) { e.Incomplete = "steps" }), answered(2, "b")}, 2, "was done when it answered"},
		"verified":   {[]event.ChildEnded{answered(1, "a", figures("unverified", "5")), answered(2, "b", figures("computed", "7"))}, 2, "all of its figures were found"},
		"values":     {[]event.ChildEnded{answered(1, "a", value(`{"a":1}`)), answered(2, "b", value(`{"x":1,"y":2.0}`)), answered(3, "c", value(`{"y":2,"x":1}`))}, 2, "2 attempts came to its answer"},
		"figures":    {[]event.ChildEnded{answered(1, "It is 4.", figures("computed", "4")), answered(2, "It is 5.", figures("computed", "5")), answered(3, "The sum: 5", figures("computed", "5"))}, 2, "2 attempts came to its answer"},
		"words":      {[]event.ChildEnded{answered(1, "South"), answered(2, "north  is first."), answered(3, "North is FIRST")}, 2, "2 attempts came to its answer"},
		"errors":     {[]event.ChildEnded{answered(1, "a", func(e *event.ChildEnded) { e.Errors = 2 }), answered(2, "a", func(e *event.ChildEnded) { e.Errors = 1; e.Steps = 9 })}, 2, "it has 1 error, and attempt 1 has 2"},
		"steps":      {[]event.ChildEnded{answered(1, "a"), answered(2, "a", func(e *event.ChildEnded) { e.Steps = 2 })}, 2, "it took 2 steps, and attempt 1 took 3"},
		"number":     {[]event.ChildEnded{answered(2, "a"), answered(1, "a")}, 1, "has the lower number"},
		"order":      {[]event.ChildEnded{answered(4, "a"), failed(3), answered(2, "b"), answered(1, "b")}, 1, "has the lower number"},
		"unverified": {[]event.ChildEnded{failed(1), answered(2, "b", func(e *event.ChildEnded) { e.Status = event.Unverified })}, 2, "the only one with an answer"},
	} {
		got := run.Choose(c.ended)
		if got.N != c.want || !strings.Contains(got.Why, c.why) || len(got.Marks) != len(c.ended) {
			t.Errorf("%s: got %d, %q and %d marks, want %d, %q", name, got.N, got.Why, len(got.Marks), c.want, c.why)
		}
		for i, m := range got.Marks {
			if i > 0 && got.Marks[i-1].N >= m.N {
				t.Errorf("%s: the marks are not in the order of the numbers", name)
			}
		}
	}
}
