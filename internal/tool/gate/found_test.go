package gate_test

import (
	"context"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/tool/gate"
)

// seeing keeps the question that it is asked.
type seeing struct{ q gate.Question }

func (s *seeing) Approve(_ context.Context, q gate.Question) (gate.Answer, error) {
	s.q = q
	return gate.Answer{By: gate.ByPerson}, nil
}

// TestFound checks that a question quotes where its values stand: in the code and in
// results, the newest first, and not what is too short to say anything.
func TestFound(t *testing.T) {
	set := tools(t, `
  - {name: mail.read, version: 1.0.0, effects: read}
  - {name: mail.send, version: 1.0.0, effects: external, approval: true, input: {type: object, properties: {to: {type: string}, n: {type: string}, other: {type: string}}}}
`)
	pol := rules(t, set, `
  - {name: asks, tools: [mail.send], decision: ask, reason: it sends}
`)
	s := &seeing{}
	g := open(t, gate.Config{Tools: set, Policy: pol, Caller: &works{}, Approver: s, Sink: &journal{}, Origins: []gate.Origin{gate.Code}})
	g.Observe(event.ExecutionBegan{Code: "x = 1\nsend(to='done')\n"})
	if out, err := g.Call(t.Context(), gate.Request{Origin: gate.Code, ID: "c-1", Name: "mail.read"}); err != nil || out.Fault() != nil {
		t.Fatal(out, err)
	}
	ask := func() []gate.Found {
		t.Helper()
		if _, err := g.Call(t.Context(), gate.Request{Origin: gate.Code, Name: "mail.send", Arguments: args(t, `{"to": "done", "n": "1", "other": "nowhere"}`)}); err != nil {
			t.Fatal(err)
		}
		if len(s.q.Found) != 1 {
			t.Errorf("got %v", s.q.Found)
		}
		return s.q.Found["to"]
	}
	if got := ask(); len(got) != 2 || got[0].Text != "what mail.read returned (call c-1)" || got[0].Quote != `"done"` ||
		got[1].Text != "the code" || !strings.Contains(got[1].Quote, "send(to='done')") {
		t.Errorf("got %q", got)
	}
}

// TestFoundBounds checks that old texts are forgotten.
func TestFoundBounds(t *testing.T) {
	set := tools(t, `
  - {name: mail.send, version: 1.0.0, effects: external, approval: true, input: {type: object, properties: {to: {type: string}}}}
`)
	pol := rules(t, set, `
  - {name: asks, tools: [mail.send], decision: ask, reason: it sends}
`)
	s := &seeing{}
	g := open(t, gate.Config{Tools: set, Policy: pol, Caller: &works{}, Approver: s, Sink: &journal{}, Origins: []gate.Origin{gate.Code}})
	g.Read("old", "ann@example.com")
	for range 5 {
		g.Read("long", strings.Repeat("é", 1<<20))
	}
	if _, err := g.Call(t.Context(), gate.Request{Origin: gate.Code, Name: "mail.send", Arguments: args(t, `{"to": "ann@example.com"}`)}); err != nil {
		t.Fatal(err)
	}
	if len(s.q.Found) != 0 {
		t.Errorf("got %v", s.q.Found)
	}
}

// TestFoundWithoutSecrets checks that no quote has a secret that stands in the code
// beside a value.
func TestFoundWithoutSecrets(t *testing.T) {
	set := tools(t, `
  - {name: mail.open, version: 1.0.0, effects: read, secrets: {input: [/pin]}, input: {type: object, properties: {pin: {type: string}}}}
  - {name: mail.send, version: 1.0.0, effects: external, approval: true, secrets: {input: [/pin]}, input: {type: object, properties: {to: {type: string}, pin: {type: string}}}}
`)
	pol := rules(t, set, `
  - {name: asks, tools: [mail.send], decision: ask, reason: it sends}
`)
	s := &seeing{}
	redact := func(s string) string { return strings.ReplaceAll(s, "canary-key", "***") }
	g := open(t, gate.Config{Tools: set, Policy: pol, Caller: &works{}, Approver: s, Sink: &journal{}, Origins: []gate.Origin{gate.Code}, Redact: redact})
	g.Observe(event.ExecutionBegan{Code: `open(pin="canary-1"); send(to="ann", pin="canary-\"2", key="canary-key")`})
	for name, text := range map[string]string{"mail.open": `{"pin": "canary-1"}`, "mail.send": `{"to": "ann", "pin": "canary-\"2"}`} {
		if _, err := g.Call(t.Context(), gate.Request{Origin: gate.Code, Name: name, Arguments: args(t, text)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.Call(t.Context(), gate.Request{Origin: gate.Code, Name: "mail.send", Arguments: args(t, `{"to": "ann", "pin": "canary-\"2"}`)}); err != nil {
		t.Fatal(err)
	}
	if len(s.q.Found["to"]) != 1 || !strings.Contains(s.q.Found["to"][0].Quote, `to="ann"`) || strings.Contains(s.q.Found["to"][0].Quote, "canary") {
		t.Errorf("got %q", s.q.Found)
	}
}
