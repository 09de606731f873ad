package gate_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
)

const two = `
  - {name: crm.find, version: 1.0.0, effects: read, limits: {rate: 1/second}}
  - {name: crm.count, version: 1.0.0, effects: read}
`

// A call that waits for its turn was numbered before: those that pass it have
// numbers of their own. Ids name calls in the journal and in questions, and are
// the keys by which a service knows a call that it has executed.
func TestCallsAtOnceHaveIDsOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, j := &works{}, &journal{}
		g := open(t, gate.Config{Tools: tools(t, two), Caller: w, Sink: j})
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				name := []string{"crm.find", "crm.count", "crm.count", "crm.count"}[i%4]
				if out, err := g.Call(t.Context(), gate.Request{Origin: gate.Code, Name: name}); err != nil || out.Fault() != nil {
					t.Errorf("%s: %v, %v", name, err, out.Fault())
				}
			})
		}
		wg.Wait()
		keys, ids := map[string]bool{}, map[string]bool{}
		for _, c := range w.calls {
			if keys[c.Key] {
				t.Errorf("two calls have the key %s", c.Key)
			}
			keys[c.Key] = true
		}
		for _, e := range find[event.ToolCalled](j) {
			if ids[e.ID] {
				t.Errorf("two calls have the id %s", e.ID)
			}
			ids[e.ID] = true
		}
		if len(ids) == 0 || len(w.calls) != 40 {
			t.Errorf("%d calls, %d ids", len(w.calls), len(ids))
		}
	})
}

// What a rate refused, or was given up while it waited, was not called.
func TestARefusedRateLeavesTheBoundOfTheTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &works{do: func(context.Context, tool.Invocation) (any, error) { return "done", nil }}
		g := open(t, gate.Config{Tools: tools(t, reading("calls_per_run: 2, rate: 1/minute")), Caller: w})
		if _, err := call(t, g, gate.Request{}); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := call(t, g, gate.Request{}); fault.KindOf(err) != fault.Exhausted {
				t.Fatalf("a call that came too early: %v", err)
			}
		}
		time.Sleep(time.Minute)
		if _, err := call(t, g, gate.Request{}); err != nil {
			t.Errorf("the second call: %v", err)
		}
		time.Sleep(time.Minute)
		if _, err := call(t, g, gate.Request{}); fault.KindOf(err) != fault.Exhausted || w.count() != 2 {
			t.Errorf("the third call: %v, %d were made", err, w.count())
		}
	})
}
