package check_test

import (
	"fmt"
	"strings"
	"testing"

	"praxis/internal/plan/check"
	"praxis/internal/plan/policy"
	"praxis/internal/plan/syntax"
	"praxis/internal/tool"
	"praxis/internal/tool/schema"
	"praxis/internal/tool/toolfile"
)

const toolsFile = `version: 1
me: ann@acme.com
inputs:
  customer: {schema: {type: string}, description: who}
  note: {schema: {type: object, properties: {text: {type: string}, to: {type: string}}}, trusted: false}
tools:
  - name: calendar.read
    version: 1.0.0
    description: reads
    effects: read
    input: {type: object, required: [day], properties: {day: {type: string}}}
    output: {type: object, required: [title], additionalProperties: false, properties: {title: {type: string}, guests: {type: array, items: {type: string}}, place: {type: object, properties: {city: {type: string}}}}}
    labels: {trusted: false, readers: everyone}
  - name: contacts.find
    version: 1.0.0
    description: finds
    effects: read
    input: {type: object, required: [name], properties: {name: {type: string}}}
    output: {type: string}
    labels: {trusted: true, readers: everyone}
  - name: secret.read
    version: 1.0.0
    description: reads a secret
    effects: read
    input: {type: object, properties: {id: {type: string}}}
    output: {type: string}
    labels: {trusted: true, readers: [me]}
  - name: email.write
    version: 1.0.0
    description: sends
    effects: external
    input: {type: object, required: [to, body], properties: {to: {}, body: {}, cc: {}}}
    labels: {arguments: {to: {trusted: true, reason: the address comes from others}}}
  - name: log
    version: 1.0.0
    description: logs
    effects: pure
    input: {type: object, required: [x], properties: {x: {}, y: {}}}
    labels: {trusted: true, readers: everyone}
`

const askInput = `{"type": "object", "required": ["question"], "properties": {"question": {"type": "string"}, "data": {}, "schema": {}}}`

const policyFile = `version: 1
rules:
  - name: mail
    tools: [email.write]
    decision: allow
    reason: mail is fine
lower:
  - name: dates
    tools: [ask_llm]
    output: [date, enum]
    reason: a date cannot contain instructions
`

type world struct {
	tools  *tool.Set
	policy *policy.Policy
}

func newWorld(t testing.TB) world {
	t.Helper()
	file, err := toolfile.Load("tools.yaml", []byte(toolsFile))
	if err != nil {
		t.Fatal(err)
	}
	in, err := schema.Parse("ask.json", []byte(askInput))
	if err != nil {
		t.Fatal(err)
	}
	model := &tool.Definition{Name: "ask_llm", Version: "1.0.0", Description: "asks", Effects: tool.Read, Model: true,
		Input: in, Output: schema.Any(), Labels: tool.Labels{Readers: tool.Readers{Everyone: true}}}
	set, err := tool.NewSet(file, &tool.File{Name: "ask_llm", Tools: []*tool.Definition{model}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Load("policy.yaml", []byte(policyFile), set)
	if err != nil {
		t.Fatal(err)
	}
	return world{set, p}
}

func (w world) check(t testing.TB, src string, strict bool) *check.Result {
	t.Helper()
	m, bad := syntax.Parse([]byte(src), syntax.Options{})
	if len(bad) > 0 {
		t.Fatalf("%s\n%s", bad[0], src)
	}
	r, err := check.Check(t.Context(), check.Input{Name: "plan.py", Source: []byte(src), Module: m, Tools: w.tools, Policy: w.policy, Strict: strict})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// brief writes the flows in one line each: "7 email.write possible to=calendar.read! body=".
// A source that is certain is marked with "!".
func brief(r *check.Result) string {
	var b strings.Builder
	for _, f := range r.Flows {
		fmt.Fprintf(&b, "%d %s %s", f.Line, f.Tool, f.Verdict)
		for _, a := range f.Args {
			fmt.Fprintf(&b, " %s=%s", a.Name, names(a))
		}
		if len(f.Control) > 0 {
			fmt.Fprintf(&b, " if=%s", names(check.Arg{May: f.Control}))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func names(a check.Arg) string {
	var out []string
	for _, o := range a.May {
		s := o.Name
		if o.Endorsed {
			s += "~"
		}
		for _, m := range a.Must {
			if m == o {
				s += "!"
			}
		}
		out = append(out, s)
	}
	if a.AnyFrom {
		out = append(out, "*")
	}
	return strings.Join(out, "+")
}
