package journal

import (
	"fmt"
	"reflect"
	"testing"

	"praxis/event"
)

// TestSummaryOfModels checks that what other models used in the run's model's
// place is counted apart, and that a model of one's own is known.
func TestSummaryOfModels(t *testing.T) {
	z := newSummarizer("r")
	add := func(e event.Event) { z.add(event.Record{Event: e}) }
	add(event.RunBegan{Kind: event.Ask, Model: "p:a", Traits: event.Traits{Local: true}})
	add(event.ModelReplied{Tokens: event.Tokens{Input: 5, Output: 1}})
	add(event.ModelReplied{Model: "p:b", Tokens: event.Tokens{Input: 7, CacheRead: 3}})
	add(event.ModelReplied{Model: "p:b", Tokens: event.Tokens{Output: 2, Incomplete: true}})
	got := z.summary(0, 0, "")
	want := map[string]event.Tokens{"p:b": {Input: 7, Output: 2, CacheRead: 3, Incomplete: true}}
	if !got.Local || !reflect.DeepEqual(got.Others, want) || got.Tokens != (event.Tokens{Input: 12, Output: 3, CacheRead: 3, Incomplete: true}) {
		t.Errorf("summary = %+v", got)
	}
	for i := range 100 {
		add(event.ModelReplied{Model: fmt.Sprintf("p:%d", i)})
	}
	if n := len(z.summary(0, 0, "").Others); n != maxOthers {
		t.Errorf("%d models, want %d at the most", n, maxOthers)
	}
}
