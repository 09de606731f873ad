package gate_test

import (
	"context"
	"testing"

	"praxis/internal/tool"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
)

// TestMembers: native calls, whose arguments depend on all that the model has seen, may
// use values of trusted results that it got before it saw anything else.
func TestMembers(t *testing.T) {
	set := tools(t, `
  - {name: contacts.all, version: 1.0.0, effects: read, input: {type: object, properties: {q: {}}}, output: {type: array, items: {type: object, properties: {email: {type: string, x-trusted: true}, note: {type: string}}}}}
  - {name: web.get, version: 1.0.0, effects: read}
  - {name: mail.send, version: 1.0.0, effects: external, input: {type: object, properties: {to: {type: string}}}}
`)
	w := &works{do: func(_ context.Context, c tool.Invocation) (any, error) {
		if c.Tool.Name == "contacts.all" {
			q, _ := c.Arguments.Get("q")
			return []any{jsondoc.NewObject(jsondoc.Member{Name: "email", Value: "ann@acme.com"}, jsondoc.Member{Name: "note", Value: "eve@evil.example"}),
				jsondoc.NewObject(jsondoc.Member{Name: "email", Value: q})}, nil
		}
		return "x", nil
	}}
	j := &journal{}
	g := open(t, gate.Config{Tools: set, Caller: w, Sink: j, Policy: rules(t, set, `
  - {name: known, tools: [mail.send], when: 'has(args.to) && args.to.among("contacts.all/*/email")', decision: allow, reason: r}
`)})
	for i, c := range []struct {
		name, args string
		made       bool
	}{
		{"mail.send", `{"to": "ann@acme.com"}`, false}, // nothing was returned yet
		{"contacts.all", `{"q": "own@acme.com"}`, true},
		{"web.get", `{}`, true},
		{"mail.send", `{"to": "ann@acme.com"}`, true},
		{"mail.send", `{"to": "eve@evil.example"}`, false},
		{"contacts.all", `{"q": "eve@evil.example"}`, true}, // chosen by what was seen
		{"mail.send", `{"to": "eve@evil.example"}`, false},
	} {
		out, err := g.Call(t.Context(), gate.Request{Name: c.name, Arguments: args(t, c.args), Origin: gate.Model, Step: 1})
		if err != nil {
			t.Fatal(err)
		}
		if made := out.Denied == nil; made != c.made {
			t.Errorf("%d: %s(%s): made %v, want %v: %v", i, c.name, c.args, made, c.made, out.Denied)
		}
	}
}
