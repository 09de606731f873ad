package gate_test

import (
	"context"
	"testing"

	"praxis/event"
	"praxis/internal/tool/gate"
)

// What a person gives is the user's and trusted, even where the run has seen
// what nobody vouches for; a result depends on it.
func TestPerson(t *testing.T) {
	set := tools(t, `
  - name: mail.send
    version: 1.0.0
    effects: external
    input: {type: object, required: [to], properties: {to: {type: string}, text: {type: string, default: Hello}}}
    labels: {trusted: true, readers: everyone, arguments: {to: {trusted: true}}}
`)
	pol := rules(t, set, `
  - {name: chosen, tools: [mail.send], when: args.to.trusted(), decision: allow, reason: the user chose it}
`)
	j, w := &journal{}, &works{}
	g := open(t, gate.Config{Tools: set, Policy: pol, Caller: w, Sink: j, Origins: []gate.Origin{gate.Person, gate.Code}})
	g.Observe(event.FileGiven{Name: "letter.txt"})
	out, err := g.Call(context.Background(), gate.Request{Origin: gate.Person, Name: "mail.send", Arguments: args(t, `{"to": "ann@example.com"}`)})
	if err != nil || out.Fault() != nil || out.Value != "done" {
		t.Fatalf("got %+v, %v", out, err)
	}
	called := find[event.ToolCalled](j)[0]
	if called.Origin != "person" {
		t.Errorf("origin is %q", called.Origin)
	}
	for _, name := range []string{"to", "text"} {
		l := called.Labels[name]
		if !l.Trusted || !l.Anyone || len(l.Sources) != 1 || l.Sources[0] != "user."+name+" (trusted)" {
			t.Errorf("the label of %s is %+v", name, l)
		}
	}
	sources := map[string]bool{}
	for _, s := range out.Label.Sources {
		sources[s.String()] = true
	}
	if !sources["user.to (trusted)"] {
		t.Errorf("the result depends on %v", sources)
	}

	out, err = g.Call(context.Background(), gate.Request{Origin: gate.Code, Name: "mail.send", Arguments: args(t, `{"to": "ann@example.com"}`)})
	if err != nil || out.Denied == nil {
		t.Errorf("code with an untrusted file got %+v, %v", out, err)
	}
	if w.count() != 1 {
		t.Errorf("%d calls were made", w.count())
	}
}
