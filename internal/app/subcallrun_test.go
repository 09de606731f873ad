package app

import (
	"slices"
	"testing"

	"praxis/event"
)

// TestNamedSink shows whose each line is, of a part of a part too.
func TestNamedSink(t *testing.T) {
	var got []string
	inner := namedSink(namedSink(event.SinkFunc(func(e event.Event) {
		switch e := e.(type) {
		case event.Progress:
			got = append(got, e.Text)
		case event.Notice:
			got = append(got, e.Text)
		default:
			t.Errorf("passed on %T", e)
		}
	}), "subagent 2"), "recursion 1")
	for _, e := range []event.Event{event.StepBegan{N: 3}, event.Notice{Text: "mind"}, event.AnswerGiven{}} {
		inner.Emit(e)
	}
	if want := []string{"subagent 2: recursion 1: step 3", "subagent 2: recursion 1: mind"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestGivenBytes shows that a tree stores hardly more than it may, however often code asks.
func TestGivenBytes(t *testing.T) {
	tree, stored := newTree(), int64(0)
	for range 100 {
		most := tree.left() + 1 // one byte more is read, to know that there is more
		tree.took(most)
		stored += most
	}
	if stored > maxGivenTree+200 {
		t.Errorf("%d bytes were stored", stored)
	}
	if tree.left() != 0 || tree.took(1) {
		t.Error("there is space left")
	}
}
