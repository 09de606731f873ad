package gate_test

import (
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/tool/gate"
)

// TestTenThousandCallsInALoop checks that a loop ends at the bound of the run, and
// that its record has a few hundred bytes a call.
func TestTenThousandCallsInALoop(t *testing.T) {
	set := tools(t, `
  - {name: crm.find, version: 1.0.0, effects: read, input: {type: object, properties: {n: {type: integer}, q: {type: string}}}}
  - {name: crm.count, version: 1.0.0, effects: read, input: {type: object, properties: {n: {type: integer}, q: {type: string}}}}
`)
	j, w := &journal{}, &works{}
	g := open(t, gate.Config{Tools: set, Caller: w, Sink: j, MaxCalls: 10_000})
	names := []string{"crm.find", "crm.count"}
	for i := range 10_000 {
		out, err := g.Call(t.Context(), gate.Request{Origin: gate.Code, Name: names[i%2], Arguments: args(t, `{"n":1,"q":"a"}`)})
		if err != nil || out.Fault() != nil {
			t.Fatalf("call %d: %v, %v", i, err, out.Fault())
		}
	}
	for range 50 {
		_, err := g.Call(t.Context(), gate.Request{Origin: gate.Code, Name: "crm.find", Arguments: args(t, `{"n":1}`)})
		if fault.KindOf(err) != fault.Exhausted || fault.RemedyOf(err) == "" {
			t.Fatalf("call 10001: %v", err)
		}
	}
	if w.count() != 10_000 {
		t.Errorf("called %d times", w.count())
	}
	bytes := 0
	for _, e := range j.all() {
		text, err := event.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		bytes += len(text)
	}
	if bytes > 10_000*1500 {
		t.Errorf("10,000 calls are recorded in %d bytes", bytes)
	}
}
