package policy

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"praxis/internal/tool"
	"praxis/internal/tool/toolfile"
)

const memberTools = `version: 1
tools:
  - {name: contacts.all, version: 1.0.0, effects: read, labels: {trusted: true}, output: {type: array, items: {type: object, properties: {name: {type: string}, email: {type: string}, note: {type: string, x-trusted: false}, age: {type: integer}}}}}
  - {name: bank.past, version: 1.0.0, effects: read, output: {type: array, items: {type: object, properties: {iban: {type: string, x-trusted: true}, subject: {type: string}}}}}
  - {name: web.get, version: 1.0.0, effects: read}
  - {name: mail.send, version: 1.0.0, effects: external, input: {type: object, required: [to], additionalProperties: false, properties: {to: {}, cc: {type: array, items: {type: string}}}}}
  - {name: bank.pay, version: 1.0.0, effects: external, input: {type: object, required: [iban], additionalProperties: false, properties: {iban: {type: string}}}}
  - {name: mail.drop, version: 1.0.0, effects: write}
  - {name: file.drop, version: 1.0.0, effects: write}
`

func memberSet(t testing.TB) *tool.Set {
	t.Helper()
	f, err := toolfile.Load("tools.yaml", []byte(memberTools))
	if err != nil {
		t.Fatal(err)
	}
	s, err := tool.NewSet(f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const memberPolicy = `version: 1
groups:
  drops: {tools: ["*.drop"]}
rules:
  - name: known
    tools: [mail.send]
    when: args.to.trusted() || args.to.among("contacts.all/*/email")
    decision: allow
    reason: r
  - {name: paid before, tools: [bank.pay], when: 'args.iban.among("bank.*/*/iban")', decision: allow, reason: r}
otherwise:
  - {tools: [mail.send], name: unknown, decision: ask, reason: nobody knows the address}
  - {tools: ["effects:external", "!mail.send"], decision: deny, reason: it costs money, remedy: Pay whom you paid.}
  - {tools: [drops], decision: allow, reason: it can be restored}
tests:
  - name: a contact
    call: mail.send
    args: {to: {value: ann@acme.com, sources: [web.get]}}
    results: {contacts.all: [{email: bob@acme.com}, {email: ann@acme.com}]}
    expect: allow
    rule: known
  - name: all are contacts
    call: mail.send
    args: {to: {items: [{value: ann@acme.com, sources: [web.get]}, {value: bob@acme.com, sources: [web.get]}]}}
    results: {contacts.all: [{email: bob@acme.com}, {email: ann@acme.com}]}
    expect: allow
  - name: one is none
    call: mail.send
    args: {to: {items: [{value: ann@acme.com, sources: [web.get]}, {value: eve@evil.com, sources: [web.get]}]}}
    results: {contacts.all: [{email: bob@acme.com}, {email: ann@acme.com}]}
    expect: ask
    rule: unknown
  - name: another field
    call: mail.send
    args: {to: {value: Ann, sources: [web.get]}}
    results: {contacts.all: [{name: Ann}]}
    expect: ask
  - name: another tool
    call: mail.send
    args: {to: {value: ann@acme.com, sources: [web.get]}}
    results: {web.get: [{email: ann@acme.com}]}
    expect: ask
  - name: a payee
    call: bank.pay
    args: {iban: {value: DE1, sources: [bank.past]}}
    results: {bank.past: [{iban: DE1, subject: DE2}]}
    expect: allow
    rule: paid before
  - name: what somebody wrote beside it
    call: bank.pay
    args: {iban: {value: DE2, sources: [bank.past]}}
    results: {bank.past: [{iban: DE1, subject: DE2}]}
    expect: deny
    rule: otherwise
  - {name: a number is no text, call: bank.pay, args: {iban: {value: "5", sources: [bank.past]}}, results: {bank.past: [{iban: 5}]}, expect: deny}
  - {name: what is owed is not what was paid, call: mail.send, args: {to: {value: 5, sources: [web.get]}}, results: {contacts.all: [{email: -5}]}, expect: ask}
  - {name: what was paid, call: mail.send, args: {to: {value: -5.0, sources: [web.get]}}, results: {contacts.all: [{email: -5}]}, expect: allow}
  - {name: somebody else emptied the list, call: mail.send, args: {to: {value: [], sources: [web.get]}}, results: {contacts.all: [{email: ann@acme.com}]}, expect: ask}
  - {name: the list is empty, call: mail.send, args: {to: {value: [], sources: [contacts.all]}}, results: {contacts.all: [{email: ann@acme.com}]}, expect: allow}
  - {name: drop, call: mail.drop, expect: allow, rule: otherwise}
`

// TestAmong: a value that equals one in a trusted result is endorsed by a rule that
// says so, and the decision says which; what no rule is about is decided by otherwise.
func TestAmong(t *testing.T) {
	set := memberSet(t)
	p, err := Load("policy.yaml", []byte(memberPolicy), set)
	if err != nil {
		t.Fatal(err, errors.Unwrap(err))
	}
	report := p.Test()
	for _, c := range report.Cases {
		if !c.Pass {
			t.Error(c)
		}
	}
	if got := report.Cases[0].Got.Members; !slices.Equal(got, []string{"args.to: contacts.all#1 /1/email"}) {
		t.Errorf("the provenance is %q", got)
	}
	for name, want := range map[string]bool{"contacts.all": true, "bank.past": true, "web.get": false} {
		if p.Watches(name) != want {
			t.Errorf("watches %s: %v", name, !want)
		}
	}
	pay, _ := set.Lookup("bank.pay")
	if j := p.Judge(Abstract{Tool: pay, Args: map[string]Bound{"iban": {Known: true, Value: "DE1"}}}); j.Certainty != DependsOnRunTime || !slices.Contains(j.Possible, Deny) || !slices.Contains(j.Possible, Allow) {
		t.Errorf("before the run it is %v %v", j.Certainty, j.Possible)
	}
}

func TestAmongThatIsWrong(t *testing.T) {
	set := memberSet(t)
	for change, want := range map[string]string{
		`args.to.among("contacts.al/*/email")`: "there is no tool",
		`args.to.among("web.get")`:             "nothing in the results",
		`args.to.among(args.to)`:               "has to be a literal",
		`args.cc.among("contacts.all")`:        "may be called without",
		`true && "a".among("contacts.all")`:    "has no label",
		`args.to.among("contacts.all") == "x"`: "no matching overload",
		`pc.among("contacts.all")`:             "it has labels but no value",
	} {
		text := strings.Replace(memberPolicy, `args.to.trusted() || args.to.among("contacts.all/*/email")`, change, 1)
		if _, err := Load("policy.yaml", []byte(text), set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", change, err, want)
		}
	}
	for _, c := range []struct{ old, change, want string }{
		{"{tools: [drops], decision: allow", "{tools: [drops], when: 'true', decision: allow", "otherwise has no conditions"},
		{"name: paid before", "name: otherwise", "has the name that decisions"},
		{"tools: [drops]", "tools: [mail.drop, mail.send]", "speaks of mail.send twice"},
		{"tools: [drops]", "tools: [\"!mail.drip\"]", "there is no tool"},
		{`tools: ["*.drop"]`, `tools: ["!file.drop", "*.drop"]`, "brings file.drop back"},
		{"tools: [drops]", `tools: ["*.drop", "!file.*", drops]`, "brings file.drop back"},
		{`when: args.to.trusted() || args.to.among("contacts.all/*/email")`, "x-when: no", "never decides here"},
	} {
		if _, err := Load("policy.yaml", []byte(strings.Replace(memberPolicy, c.old, c.change, 1)), set); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.change, err, c.want)
		}
	}
}

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"*", "a.b", true}, {"a.*", "a.b", true}, {"a.*", "b.b", false}, {"*.b", "a.b", true}, {"*.b", "a.bb", false},
		{"a.*.c", "a.b.c", true}, {"a.*.c", "a.c", false}, {"*list*", "mail.list_all", true}, {"a.b", "a.b", true}, {"a", "a.b", false},
	} {
		if globMatch(c.pattern, c.name) != c.want {
			t.Errorf("%s and %s: %v", c.pattern, c.name, !c.want)
		}
	}
}
