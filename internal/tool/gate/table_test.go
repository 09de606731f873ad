package gate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/tool/gate"
)

// verdicts is what the rules say of a call: by effect, by whether the definition
// requires an approval, and by what the policy adds.
var verdicts = []struct {
	effect   string
	approval bool
	policy   string // "", "allow", "deny" or "ask"
	want     string
}{
	{"pure", false, "", "allow"}, {"pure", false, "allow", "allow"}, {"pure", false, "deny", "deny"}, {"pure", false, "ask", "ask"},
	{"read", false, "", "allow"}, {"read", false, "allow", "allow"}, {"read", false, "deny", "deny"}, {"read", false, "ask", "ask"},
	{"write", false, "", "deny"}, {"write", false, "allow", "allow"}, {"write", false, "deny", "deny"}, {"write", false, "ask", "ask"},
	{"external", false, "", "deny"}, {"external", false, "allow", "allow"}, {"external", false, "deny", "deny"}, {"external", false, "ask", "ask"},
	{"pure", true, "", "ask"}, {"pure", true, "allow", "ask"}, {"pure", true, "deny", "deny"}, {"pure", true, "ask", "ask"},
	{"read", true, "", "ask"}, {"read", true, "allow", "ask"}, {"read", true, "deny", "deny"}, {"read", true, "ask", "ask"},
	{"write", true, "", "ask"}, {"write", true, "allow", "ask"}, {"write", true, "deny", "deny"}, {"write", true, "ask", "ask"},
	{"external", true, "", "ask"}, {"external", true, "allow", "ask"}, {"external", true, "deny", "deny"}, {"external", true, "ask", "ask"},
}

// modes is who may call in each mode.
var modes = []struct {
	name    string
	origins []gate.Origin
}{
	{"tools", []gate.Origin{gate.Model}},
	{"code", []gate.Origin{gate.Code}},
	{"both", []gate.Origin{gate.Code, gate.Model}},
	{"plan", []gate.Origin{gate.Plan}},
}

// answers is what somebody who is asked may say, and what it comes to: for the
// call, for the same one again, and for one with other arguments.
var answers = []struct {
	name               string
	give               func() (gate.Answer, error)
	first, same, other string // events after "called, ask, asked"
}{
	{
		"once", func() (gate.Answer, error) {
			return gate.Answer{Granted: true, Scope: gate.Once, By: gate.ByPerson}, nil
		},
		"granted by person, returned", "granted by person, returned", "granted by person, returned",
	},
	{
		"exact", func() (gate.Answer, error) {
			return gate.Answer{Granted: true, Scope: gate.Exact, By: gate.ByProgram, Who: "approver"}, nil
		},
		"granted by program, returned", "granted by program, returned", "granted by program, returned",
	},
	{
		"run", func() (gate.Answer, error) {
			return gate.Answer{Granted: true, Scope: gate.Whole, By: gate.ByPerson}, nil
		},
		"granted by person, returned", "granted by person, returned", "granted by person, returned",
	},
	{
		"denied", func() (gate.Answer, error) {
			return gate.Answer{By: gate.ByPerson, Reason: "not today"}, nil
		},
		"refused by person, not called", "refused by person, not called", "refused by person, not called",
	},
	{
		"timeout", func() (gate.Answer, error) {
			return gate.Answer{By: gate.ByTimeout, Reason: "nobody answered"}, nil
		},
		"refused by timeout, not called", "refused by timeout, not called", "refused by timeout, not called",
	},
	{
		"silent", func() (gate.Answer, error) {
			return gate.Answer{By: gate.ByNobody, Reason: "the webhook answered with status 502"}, nil
		},
		"refused by nobody, not called", "refused by nobody, not called", "refused by nobody, not called",
	},
	{
		"broken", func() (gate.Answer, error) { return gate.Answer{Granted: true}, errors.New("the pager is broken") },
		"refused by policy, not called", "refused by policy, not called", "refused by policy, not called",
	},
	{"nobody", nil, "refused by policy, not called", "refused by policy, not called", "refused by policy, not called"},
}

// questionsOf is how many questions are asked over the three calls: whoever said no
// is not asked the same again.
var questionsOf = map[string]int{"once": 3, "exact": 2, "run": 1, "denied": 2, "timeout": 3, "silent": 3, "broken": 3, "nobody": 0}

// cell is one place of the table.
type cell struct {
	effect, policy, want string
	approval             bool
	mode                 string
	origins              []gate.Origin
	origin               gate.Origin
}

// TestTheTable makes a call for every effect × approval × policy × mode × origin,
// and where somebody is asked for every answer, and compares the decision, the
// events in their order, and whether the tool was called.
func TestTheTable(t *testing.T) {
	cells := 0
	for _, v := range verdicts {
		for _, m := range modes {
			for _, o := range []gate.Origin{gate.Model, gate.Code, gate.Plan} {
				c := cell{v.effect, v.policy, v.want, v.approval, m.name, m.origins, o}
				name := fmt.Sprintf("%s approval=%v policy=%s mode=%s origin=%s", c.effect, c.approval, c.policy, c.mode, c.origin)
				switch {
				case !slices.Contains(m.origins, o):
					c.shut(t, name)
					cells++
				case v.want != "ask":
					c.decided(t, name)
					cells++
				default:
					for i := range answers {
						c.question(t, name, i)
						cells++
					}
				}
			}
		}
	}
	// 32 rules × 12 pairs, of which 5 are open; 16 of the rules ask, with 8 answers.
	if want := 32*7 + 16*5 + 16*5*8; cells != want {
		t.Errorf("the table has %d cells, want %d", cells, want)
	}
}

func (c cell) gate(t *testing.T, a gate.Approver) (*gate.Gate, *journal, *works) {
	t.Helper()
	set := tools(t, fmt.Sprintf(`
  - {name: do.it, version: 1.0.0, effects: %s, approval: %v, input: {type: object, properties: {x: {}}}}
`, c.effect, c.approval))
	rule := ""
	if c.policy != "" {
		rule = fmt.Sprintf("  - {name: the rule, tools: [do.it], decision: %s, reason: because, remedy: Do otherwise.}\n", c.policy)
	}
	j, w := &journal{}, &works{}
	return open(t, gate.Config{Tools: set, Policy: rules(t, set, rule), Caller: w, Approver: a, Sink: j, Origins: c.origins}), j, w
}

func (c cell) request(t *testing.T, text string) gate.Request {
	t.Helper()
	r := gate.Request{Origin: c.origin, Step: 2, Name: "do.it", Arguments: args(t, text)}
	if c.origin == gate.Plan {
		r.Labels = map[string]label.Label{"x": {Readers: label.Everyone()}}
	}
	return r
}

// shut checks a call of somebody who may call nothing in this mode: nothing is
// decided, recorded or done.
func (c cell) shut(t *testing.T, name string) {
	t.Helper()
	g, j, w := c.gate(t, approverFunc(func(context.Context, gate.Question) (gate.Answer, error) {
		t.Errorf("%s: somebody was asked", name)
		return gate.Answer{Granted: true}, nil
	}))
	_, err := g.Call(t.Context(), c.request(t, `{"x":1}`))
	if fault.KindOf(err) != fault.Denied || fault.RemedyOf(err) == "" {
		t.Errorf("%s: got %v, want a denial with a remedy", name, err)
	}
	if w.count() != 0 || j.kinds() != "" {
		t.Errorf("%s: called %d times, events %q", name, w.count(), j.kinds())
	}
}

func (c cell) decided(t *testing.T, name string) {
	t.Helper()
	g, j, w := c.gate(t, approverFunc(func(context.Context, gate.Question) (gate.Answer, error) {
		t.Errorf("%s: somebody was asked", name)
		return gate.Answer{Granted: true}, nil
	}))
	out, err := g.Call(t.Context(), c.request(t, `{"x":1}`))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	want, calls := "called, allow, returned", 1
	if c.want == "deny" {
		want, calls = "called, deny, not called", 0
	}
	if j.kinds() != want || w.count() != calls || out.Done != (calls == 1) {
		t.Errorf("%s: events %q, want %q; called %d times, done %v", name, j.kinds(), want, w.count(), out.Done)
	}
	err = out.Fault()
	if c.want == "deny" && (fault.KindOf(err) != fault.Denied || out.Denied.By != gate.ByPolicy || out.Value != nil) {
		t.Errorf("%s: got %v, %+v", name, err, out)
	}
	if c.want == "deny" && c.policy == "deny" && (!strings.Contains(err.Error(), "because") || fault.RemedyOf(err) != "Do otherwise.") {
		t.Errorf("%s: the denial says %v: %s", name, err, fault.RemedyOf(err))
	}
	if c.want == "allow" && (err != nil || out.Value != "done") {
		t.Errorf("%s: got %v, %v", name, out.Value, err)
	}
	if d := find[event.DecisionMade](j); len(d) != 1 || d[0].Tool != "do.it" || d[0].ID != out.ID || d[0].Step != 2 {
		t.Errorf("%s: decisions %+v", name, d)
	}
	if e := find[event.ToolCalled](j); e[0].Origin != string(c.origin) || len(e[0].Hash) != 64 || e[0].Version != "1.0.0" {
		t.Errorf("%s: recorded as %+v", name, e[0])
	}
}

func (c cell) question(t *testing.T, name string, i int) {
	t.Helper()
	a := answers[i]
	name += " answer=" + a.name
	times := 0
	var approver gate.Approver
	if a.give != nil {
		approver = approverFunc(func(_ context.Context, q gate.Question) (gate.Answer, error) {
			times++
			if q.Tool.Name != "do.it" || q.Origin != c.origin || len(q.Bound) != 64 || q.Run != "run-1" || q.ID == "" {
				t.Errorf("%s: asked with %+v", name, q)
			}
			return a.give()
		})
	}
	g, j, w := c.gate(t, approver)
	calls := 0
	for _, one := range []struct{ text, after string }{{`{"x":1}`, a.first}, {`{"x":1}`, a.same}, {`{"x":2}`, a.other}} {
		before := len(j.all())
		out, err := g.Call(t.Context(), c.request(t, one.text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		part := &journal{events: j.all()[before:]}
		if want := "called, ask, asked, " + one.after; part.kinds() != want {
			t.Errorf("%s: events %q, want %q", name, part.kinds(), want)
		}
		if strings.Contains(one.after, "returned") {
			calls++
			if out.Value != "done" || out.Fault() != nil {
				t.Errorf("%s: got %v, %v", name, out.Value, out.Fault())
			}
		} else if fault.KindOf(out.Fault()) != fault.Denied || out.Done {
			t.Errorf("%s: got %v", name, out.Fault())
		}
		q, given := find[event.ApprovalRequested](part), find[event.ApprovalGiven](part)
		if len(q) != 1 || len(given) != 1 || q[0].Bound != given[0].Bound || q[0].ID != out.ID || given[0].ID != out.ID {
			t.Errorf("%s: the answer %+v is not bound to the question %+v", name, given, q)
		}
	}
	if w.count() != calls {
		t.Errorf("%s: called %d times, want %d", name, w.count(), calls)
	}
	// What native calls and code give depends on all that they have seen, so
	// that arguments that were allowed exactly are other ones after a result.
	want := questionsOf[a.name]
	if a.name == "exact" && c.origin != gate.Plan {
		want = 3
	}
	if times != want {
		t.Errorf("%s: somebody was asked %d times, want %d", name, times, want)
	}
}
