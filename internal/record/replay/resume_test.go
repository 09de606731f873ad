package replay

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
)

// TestReplayRestored repeats a run whose session went back after code had ended its
// interpreter: it goes back again, although a replay keeps no states.
func TestReplayRestored(t *testing.T) {
	w := newWorld(t)
	rec := w.ask("r", "=== reply\n~~~python\nset total 7\n~~~\n=== reply\n~~~python\nset total 8\ndie\n~~~\n=== reply\nFINAL ANSWER: It is {{ total }}.")
	x := rec.find(2).Executions[0].Ended
	if x.State != event.Restored || !strings.Contains(x.Message, "killed after 1.5s; the session went back") || rec.Answer == nil || rec.Answer.Text != "It is 7." {
		t.Fatalf("%+v, answer %+v", x, rec.Answer)
	}
	r, err := Replay(t.Context(), w.config(), rec)
	if err != nil || !r.Identical {
		t.Errorf("%v\n%s", err, text(t, r))
	}
}

// made notes the calls that are really made.
type made []string

func (m *made) Prepare(context.Context, *tool.Definition) error { return nil }
func (m *made) Identity(*tool.Definition) string                { return "" }
func (m *made) Call(_ context.Context, inv tool.Invocation) (any, error) {
	*m = append(*m, inv.ID)
	return "really", nil
}

// TestResumedCalls makes no call of a run that goes on that could be one which was made
// before: in other words, or in a step that was over.
func TestResumedCalls(t *testing.T) {
	called := func(step int, id, effects, to string) Call {
		return Call{
			Called:   event.ToolCalled{Step: step, ID: id, Tool: "send", Effects: effects, Origin: event.OriginCode, Arguments: map[string]any{"to": to}},
			Decision: &event.DecisionMade{ID: id, Verdict: "allow"},
		}
	}
	returned := func(c Call) Call {
		c.Returned = &event.ToolReturned{ID: c.Called.ID, Result: `"as recorded"`}
		return c
	}
	over := Execution{Ended: &event.Execution{Status: event.OK}}
	for name, c := range map[string]struct {
		over  bool // the step that broke off
		calls []Call
		again []string // what is called then, each with its effects
		want  []string // what each comes to
		made  int
	}{
		"the same":            {false, []Call{returned(called(2, "a", "external", "ann"))}, []string{"external ann", "external bob"}, []string{"as recorded", "really"}, 1},
		"in other words":      {false, []Call{returned(called(2, "a", "external", "ann"))}, []string{"external bob", "external ann"}, []string{"not one of those", "as recorded"}, 0},
		"more than there was": {true, []Call{returned(called(2, "a", "external", "ann"))}, []string{"external ann", "external ann"}, []string{"as recorded", "not one of those"}, 0},
		"reads are made":      {true, []Call{returned(called(2, "a", "external", "ann"))}, []string{"read bob", "external ann"}, []string{"really", "as recorded"}, 1},
		"nobody knows":        {false, []Call{called(2, "a", "external", "ann")}, []string{"external ann", "external ann"}, []string{"it may be done", "really"}, 1},
		"reads again":         {false, []Call{called(2, "a", "read", "ann")}, []string{"read ann"}, []string{"really"}, 1},
		"none before":         {false, nil, []string{"external ann"}, []string{"really"}, 1},
	} {
		step := Step{N: 2, Calls: c.calls, Executions: []Execution{{}}}
		if c.over {
			step.Executions = []Execution{over}
		}
		rec := Recording{ID: "r", Steps: []Step{{N: 1}, step}}
		var m made
		calls := rec.Calls(t.Context(), newWorld(t), State{Step: 2}, &m, nil, nil)
		for i, what := range c.again {
			effects, to, _ := strings.Cut(what, " ")
			e := called(2, fmt.Sprint("new-", i), effects, to).Called
			calls.Observe(e)
			def := &tool.Definition{Name: "send", Effects: tool.External}
			if effects == "read" {
				def.Effects = tool.Read
			}
			result, err := calls.Call(t.Context(), tool.Invocation{Tool: def, ID: e.ID, Arguments: jsondoc.NewObject()})
			if r, ok := result.(gate.Rehearsed); ok {
				result = r.Result
			}
			if l, ok := result.(tool.Labelled); ok {
				result = l.Value
			}
			if got := fmt.Sprint(result, err); !strings.Contains(got, c.want[i]) {
				t.Errorf("%s: %s came to %s", name, what, got)
			}
		}
		if len(m) != c.made {
			t.Errorf("%s: %q were made", name, m)
		}
	}
}

// TestJoin joins runs that went on one after the other.
func TestJoin(t *testing.T) {
	w := newWorld(t)
	whole := w.ask("r", fiveSteps)
	w.cut("r", "execution_began", 2)
	began := w.load("r").Resumed("r", "1.0")
	if p := began.Parent; p == nil || p.Run != "r" || p.Step != 2 || p.Change != event.Resumed {
		t.Fatalf("parent %+v", p)
	}
	w.records["s"] = append([]event.Record{{Seq: 1, Event: began}}, w.records["r"][1:]...)
	// A second passes from record to record: what lies before the first step counts for nothing.
	counted := 0
	for i := range w.records["s"] {
		w.records["s"][i].Time = time.Unix(int64(i), 0)
		w.records["r"][i].Time = time.Unix(int64(1000+i), 0)
		if _, is := w.records["s"][i].Event.(event.StepBegan); is && counted == 0 {
			counted = len(w.records["s"]) - 1 - i
		}
	}
	joined, err := LoadResumed(t.Context(), w, "s")
	if err != nil || !slices.Equal(joined.Line, []string{"r", "s"}) || len(joined.Steps) != 2 || joined.Began.Parent != nil {
		t.Fatalf("%v: %+v", err, joined)
	}
	if want := 2 * time.Duration(counted) * time.Second; counted == 0 || joined.Took != want || joined.Begin(t.Context(), w, State{Step: 2}).Took != want {
		t.Errorf("it took %v, want %v", joined.Took, want)
	}
	states := joined.States()
	if len(states) < 2 || states[0].Snapshot == "" || states[len(states)-1] != (State{Step: 1}) {
		t.Errorf("states %+v", states)
	}
	if err := whole.Resumable(); err == nil {
		t.Error("a run with an answer goes on")
	}
}
