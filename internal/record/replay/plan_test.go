package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/planner"
	"praxis/internal/tool/gate"
)

// planSource is a run of a plan in memory. Contents have their names as hashes.
type planSource struct {
	events []event.Event
	blobs  map[string]string
}

func (s planSource) Records(context.Context, string) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for i, e := range s.events {
			data, err := event.Marshal(e)
			if err == nil {
				e, err = event.Unmarshal(event.Name(e), data)
			}
			if !yield(event.Record{Seq: int64(i + 1), Event: e}, err) || err != nil {
				return
			}
		}
	}
}

func (s planSource) Blob(_ context.Context, sum string) (io.ReadCloser, error) {
	text, ok := s.blobs[sum]
	if !ok {
		return nil, errors.New("it is gone")
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

const planTools = `version: 1
inputs: {n: {schema: {type: integer}}}
tools:
  - name: get
    version: 1.0.0
    description: Gets.
    effects: read
    input: {type: object, required: [key], properties: {key: {type: string}}}
    output: {}
  - name: put
    version: 1.0.0
    description: Puts.
    effects: write
    input: {type: object, required: [value], properties: {value: {}}}
    output: {}
`

const planPolicy = `version: 1
rules:
  - {name: any, tools: [put], decision: allow, reason: it is allowed}
`

const planCode = `v = get("a")
try:
    put(v["x"] + n)
except ToolError as e:
    print("failed", e)
print(v)
`

// recordedPlan makes the record of a run by executing the plan once.
func recordedPlan(t *testing.T) planSource {
	t.Helper()
	s := planSource{blobs: map[string]string{"tools": planTools, "policy": planPolicy}}
	sink := event.SinkFunc(func(e event.Event) {
		if !event.Transient(e) {
			s.events = append(s.events, e)
		}
	})
	sink.Emit(event.RunBegan{Kind: event.Plan, Question: "plan.py"})
	sink.Emit(event.FileGiven{Name: "tools.yaml", Role: planner.RoleTools, SHA256: "tools"})
	sink.Emit(event.FileGiven{Name: "policy.yaml", Role: planner.RolePolicy, SHA256: "policy"})
	sink.Emit(event.PlanWritten{Code: planCode, Name: "plan.py", Mode: "normal", Now: "2026-05-04T00:00:00Z", Inputs: map[string]json.RawMessage{"n": json.RawMessage("9007199254740993")}})
	rec, err := LoadPlan(t.Context(), s, "r")
	if err != nil {
		t.Fatal(err)
	}
	e := planRerun{rec: rec.Plans[0], rules: rec.Rules}
	options, err := rec.Rules.Load()
	if err != nil {
		t.Fatal(err)
	}
	run, err := e.start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	sink.Emit(planner.Checked(0, run.Plan()))
	replies, err := planner.ReadReplies("replies", []byte(`{"tool": "get", "result": {"x": 1, "a": [2.0]}}`+"\n"+`{"tool": "put", "error": "closed"}`))
	if err != nil {
		t.Fatal(err)
	}
	g, err := planner.NewGate(options, gate.Config{Caller: replies, Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	out, err := planner.Execute(t.Context(), run, planner.Host{Gate: g, Sink: sink})
	if err != nil || out.Status != "ok" {
		t.Fatalf("%+v, %v", out, err)
	}
	sink.Emit(event.RunEnded{Status: "ok"})
	return s
}

func TestReplayPlan(t *testing.T) {
	s := recordedPlan(t)
	replay := func(c PlanConfig) PlanReport {
		t.Helper()
		rec, err := LoadPlan(t.Context(), s, "r")
		if err != nil {
			t.Fatal(err)
		}
		report, err := ReplayPlan(t.Context(), rec, c)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	if r := replay(PlanConfig{}); !r.Identical || len(r.Plans) != 1 || len(r.Plans[0].Decisions) != 2 {
		t.Errorf("got %+v", r)
	}
	none := &planner.Text{Name: "none.yaml", Text: "version: 1\n"}
	r := replay(PlanConfig{Policy: none})
	if changed, all := r.Changed(); r.Identical || changed != 1 || all != 2 || r.Plans[0].Decisions[1].Is != (Ruling{"deny", "default", "no rule allows it, and put has effects (write)"}) {
		t.Errorf("got %+v", r.Plans[0].Decisions)
	}
	// What was changed in the record is found, and where.
	for _, c := range []struct {
		change func(event.Event) event.Event
		what   string
	}{
		{func(e event.Event) event.Event {
			if e, ok := e.(event.PlanEnded); ok {
				e.Output += "more\n"
				return e
			}
			return e
		}, "output"},
		{func(e event.Event) event.Event {
			if e, ok := e.(event.ToolCalled); ok && e.Tool == "put" {
				e.Arguments = map[string]any{"value": json.RawMessage("9007199254740995")}
				return e
			}
			return e
		}, "arguments of call-2"},
		{func(e event.Event) event.Event {
			if e, ok := e.(event.ToolCalled); ok && e.Tool == "put" {
				e.Labels = map[string]event.DataLabel{"value": {Trusted: true, Anyone: true}}
				return e
			}
			return e
		}, "labels of call-2"},
		{func(e event.Event) event.Event {
			if e, ok := e.(event.ToolCalled); ok && e.Tool == "put" {
				e.Line = 7
				return e
			}
			return e
		}, "call 2"},
		{func(e event.Event) event.Event {
			if e, ok := e.(event.PlanChecked); ok {
				e.Findings = nil
				return e
			}
			return e
		}, "findings"},
	} {
		was := s.events
		s.events = nil
		for _, e := range was {
			s.events = append(s.events, c.change(e))
		}
		r := replay(PlanConfig{})
		if r.Identical || len(r.Plans[0].Differences) == 0 || r.Plans[0].Differences[0].What != c.what {
			t.Errorf("%s: got %+v", c.what, r.Plans[0].Differences)
		}
		s.events = was
	}
}

// TestLoadPlanRefuses takes records apart that no run can have made.
func TestLoadPlanRefuses(t *testing.T) {
	good := recordedPlan(t)
	for name, change := range map[string]func(s *planSource){
		"no plan":           func(s *planSource) { s.events = s.events[:3] },
		"code":              func(s *planSource) { s.events[0] = event.RunBegan{Kind: event.Code} },
		"call without plan": func(s *planSource) { s.events = append(s.events[:1:1], event.ToolCalled{ID: "call-1", Line: 1}) },
		"result of nothing": func(s *planSource) { s.events = append(s.events, event.ToolReturned{ID: "call-9"}) },
		"no state":          func(s *planSource) { s.events = append(s.events, event.PlanResumed{State: "x"}) },
		"withheld": func(s *planSource) {
			s.events[1] = event.FileGiven{Name: "tools.yaml", Role: planner.RoleTools, Withheld: "it holds a secret"}
		},
		"tools gone": func(s *planSource) { s.blobs = map[string]string{"policy": planPolicy} },
	} {
		s := planSource{events: append([]event.Event(nil), good.events...), blobs: good.blobs}
		change(&s)
		if _, err := LoadPlan(t.Context(), s, "r"); fault.KindOf(err) != fault.Conflict {
			t.Errorf("%s: error %v", name, err)
		}
	}
	// Texts that are not what they were.
	for name, change := range map[string]func(s *planSource){
		"tools": func(s *planSource) {
			s.blobs = map[string]string{"tools": "version: 1\ntools: 7\n", "policy": planPolicy}
		},
		"result": func(s *planSource) {
			s.events[indexOf(s, "tool_returned")] = event.ToolReturned{ID: "call-1", Result: "{"}
		},
	} {
		s := planSource{events: append([]event.Event(nil), good.events...), blobs: good.blobs}
		change(&s)
		rec, err := LoadPlan(t.Context(), s, "r")
		if err == nil {
			_, err = ReplayPlan(t.Context(), rec, PlanConfig{})
		}
		if k := fault.KindOf(err); k != fault.Conflict && k != fault.Invalid {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func indexOf(s *planSource, name string) int {
	for i, e := range s.events {
		if event.Name(e) == name {
			return i
		}
	}
	panic(fmt.Sprintf("no event %s", name))
}
