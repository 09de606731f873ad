package fallback_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/llm/fallback"
)

// fake is a model that fails, or says its name.
type fake struct {
	name   string
	fails  []error // in this order; then it replies
	calls  int
	traits llm.Traits
}

func (f *fake) Name() string       { return f.name }
func (f *fake) Traits() llm.Traits { return f.traits }

func (f *fake) Complete(_ context.Context, _ llm.Request, delta func(string)) (llm.Reply, error) {
	f.calls++
	delta("I am " + f.name)
	if len(f.fails) > 0 {
		err := f.fails[0]
		f.fails = f.fails[1:]
		return llm.Reply{}, err
	}
	return llm.Reply{Text: "I am " + f.name}, nil
}

func fails(kind fault.Kind) error { return fault.New(kind, "", "no %s", kind) }

// TestNextModel checks that the next model is asked when one fails for good, and
// from there on, and that it is reported.
func TestNextModel(t *testing.T) {
	a, b, c := &fake{name: "p:a", fails: []error{fails(fault.Unavailable)}}, &fake{name: "p:b", fails: []error{fails(fault.Exhausted)}}, &fake{name: "p:c"}
	m := fallback.New(a, b, c)
	var pauses []llm.Pause
	var shown strings.Builder
	req := llm.Request{Pausing: func(p llm.Pause) { pauses = append(pauses, p) }}
	for range 2 {
		got, err := m.Complete(t.Context(), req, func(s string) { shown.WriteString(s) })
		if err != nil || got.Model != "p:c" || got.Text != "I am p:c" {
			t.Fatalf("reply = %+v, %v", got, err)
		}
	}
	if a.calls != 1 || b.calls != 1 || c.calls != 2 || m.Name() != "p:a" || m.Current() != c {
		t.Errorf("asked %d, %d, %d times", a.calls, b.calls, c.calls)
	}
	want := []llm.Pause{{Reason: "no unavailable", Attempt: 1, Model: "p:b"}, {Reason: "no exhausted", Attempt: 1, Model: "p:c"}}
	if !reflect.DeepEqual(pauses, want) {
		t.Errorf("pauses = %+v, want %+v", pauses, want)
	}
	if want := "I am p:a\n[the reply was cut: asking p:b]\nI am p:b\n[the reply was cut: asking p:c]\nI am p:cI am p:c"; shown.String() != want {
		t.Errorf("shown = %q", shown.String())
	}
}

// TestWhatIsNotHidden checks that what a person has to mend fails at once.
func TestWhatIsNotHidden(t *testing.T) {
	for _, kind := range []fault.Kind{fault.Denied, fault.Invalid, fault.NotFound, fault.Conflict, fault.Canceled} {
		a, b := &fake{name: "p:a", fails: []error{fails(kind)}}, &fake{name: "p:b"}
		_, err := fallback.New(a, b).Complete(t.Context(), llm.Request{}, nil)
		if fault.KindOf(err) != kind || b.calls != 0 {
			t.Errorf("%s: %v, the next was asked %d times", kind, err, b.calls)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a, b := &fake{name: "p:a", fails: []error{fails(fault.Unavailable)}}, &fake{name: "p:b"}
	if _, err := fallback.New(a, b).Complete(ctx, llm.Request{}, nil); err == nil || b.calls != 0 {
		t.Errorf("canceled: %v", err)
	}
}

func TestAllFail(t *testing.T) {
	a, b := &fake{name: "p:a", fails: []error{fails(fault.Unavailable)}}, &fake{name: "p:b", fails: []error{fails(fault.Denied)}}
	_, err := fallback.New(a, b).Complete(t.Context(), llm.Request{}, nil)
	if fault.KindOf(err) != fault.Denied || err.Error() != "no denied (and before: no unavailable)" {
		t.Errorf("error = %v", err)
	}
}

func TestTraits(t *testing.T) {
	got := fallback.New(&fake{traits: llm.Traits{Sees: true, Local: true, Window: 9}}, &fake{traits: llm.Traits{Sees: true, TextOnly: true, Window: 7}}, &fake{traits: llm.Traits{Local: true}}).Traits()
	if want := (llm.Traits{TextOnly: true, Window: 7}); got != want {
		t.Errorf("traits = %+v, want %+v", got, want)
	}
}
