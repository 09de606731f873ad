package policy

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/tool"
	"praxis/internal/tool/schema"
	"praxis/internal/tool/toolfile"
)

const testTools = `
version: 1
me: ann@acme.com
principals: [bob@acme.com, eve@evil.com, "*@sales.acme.com"]
inputs:
  task: {schema: {type: string}}
  upload: {schema: {type: string}, trusted: false}
tools:
  - name: email.write
    version: 1.0.0
    description: Sends an e-mail.
    effects: external
    input:
      type: object
      required: [to, body]
      additionalProperties: false
      properties:
        to: {anyOf: [{type: string}, {type: array, items: {type: string}}]}
        body: {type: string}
        cc: {type: array, items: {type: string}}
        subject: {type: string, default: ""}
  - name: email.read
    version: 1.0.0
    description: Reads an e-mail.
    effects: read
    input: {type: object, properties: {id: {type: string}}, additionalProperties: false}
    output: {type: object, properties: {text: {type: string}}}
  - name: calendar.add
    version: 1.0.0
    description: Adds an event.
    effects: write
    input:
      type: object
      required: [event]
      additionalProperties: false
      properties:
        event:
          type: object
          required: [title]
          additionalProperties: false
          properties:
            title: {type: string}
            guests: {type: array, items: {type: object, properties: {mail: {type: string}}, additionalProperties: false}}
            extra: {type: object}
    labels: {arguments: {event: {trusted: true, reason: invitations go to others}}}
  - name: note.save
    version: 1.0.0
    description: Saves a note.
    effects: write
    input:
      type: object
      additionalProperties: false
      properties:
        event: {type: object, properties: {title: {type: string}, guests: {type: array, items: {type: object, properties: {mail: {type: string}}}}, extra: {type: object}}}
  - name: bank.pay
    version: 1.0.0
    description: Pays.
    effects: external
    approval: true
    input: {type: object, required: [amount, iban], properties: {amount: {type: number}, iban: {type: string}, memo: {type: string}}, additionalProperties: false}
    labels: {arguments: {memo: {readable_by: iban}}}
  - name: clock.now
    version: 1.0.0
    description: Tells the time.
    effects: pure
    labels: {trusted: true}
`

func tools(t testing.TB) *tool.Set {
	t.Helper()
	f, err := toolfile.Load("tools.yaml", []byte(testTools))
	if err != nil {
		t.Fatal(err)
	}
	question, err := schema.Parse("ask.json", []byte(`{"type": "object", "properties": {"question": {"type": "string"}, "data": {}}}`))
	if err != nil {
		t.Fatal(err)
	}
	model := &tool.Definition{Name: "ask_llm", Version: "1.0.0", Input: question, Output: schema.Any(), Effects: tool.Read, Model: true}
	s, err := tool.NewSet(f, &tool.File{Tools: []*tool.Definition{model}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func load(t testing.TB, text string) *Policy {
	t.Helper()
	p, err := Load("policy.yaml", []byte(text), tools(t))
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, errors.Unwrap(err), fault.RemedyOf(err))
	}
	return p
}

func def(t testing.TB, p *Policy, name string) *tool.Definition {
	t.Helper()
	d, ok := p.tools.Lookup(name)
	if !ok {
		t.Fatalf("no tool %s", name)
	}
	return d
}

func user(v any) Labelled {
	return Labelled{Value: v, Label: label.Label{Sources: []label.Source{{Kind: label.User, Name: "task", Trusted: true}}}}
}

func mail(v any, readers ...string) Labelled {
	l := label.Label{Sources: []label.Source{{Kind: label.Tool, Name: "email.read", Call: 1, Line: 2}}}
	if readers != nil {
		l.Readers = label.Only(readers...)
	}
	return Labelled{Value: v, Label: l}
}

func own(v any) Labelled { return Labelled{Value: v} }

func TestExample(t *testing.T) {
	dir := "../../../examples/calendar-mail/"
	toolsText, err := os.ReadFile(dir + "tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	f, err := toolfile.Load("tools.yaml", toolsText)
	if err != nil {
		t.Fatal(err)
	}
	set, err := tool.NewSet(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(dir + "policy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Load("policy.yaml", text, set)
	if err != nil {
		t.Fatal(err, fault.RemedyOf(err))
	}
	report := p.Test()
	for _, c := range report.Cases {
		if !c.Pass {
			t.Error(c)
		}
	}
	if len(report.Uncovered) > 0 || len(report.Cases) < 9 {
		t.Errorf("%d cases, uncovered: %v", len(report.Cases), report.Uncovered)
	}
}

// conditionCases are conditions on email.write (or another tool) with what
// they are on the arguments.
func TestConditions(t *testing.T) {
	mixed := Labelled{Items: []Labelled{user("bob@acme.com"), mail("eve@evil.com")}}
	event := Labelled{Fields: map[string]Labelled{
		"title":  mail("Lunch", "bob@acme.com"),
		"guests": {Items: []Labelled{{Fields: map[string]Labelled{"mail": user("bob@acme.com")}}, {Fields: map[string]Labelled{"mail": mail("eve@evil.com")}}}},
		"extra":  own(map[string]any{"level": 3, "tags": []any{"a"}}),
	}}
	endorsed := mail("x")
	endorsed.Label = endorsed.Label.Endorse(label.Endorser{Kind: label.Person, Name: "ann", Why: "read"})
	model := Labelled{Value: "m", Label: label.Label{Sources: []label.Source{{Kind: label.Model, Name: "ask_llm", Call: 2}}}}
	for _, c := range []struct {
		when string
		args map[string]Labelled
		want truth
	}{
		{`args.to.trusted()`, map[string]Labelled{"to": user("bob@acme.com")}, isTrue},
		{`args.to.trusted()`, map[string]Labelled{"to": mail("bob@acme.com")}, isFalse},
		{`args.to.trusted()`, map[string]Labelled{"to": mixed}, isFalse},
		{`args.to[0].trusted()`, map[string]Labelled{"to": mixed}, isTrue},
		{`args.to[1].trusted()`, map[string]Labelled{"to": mixed}, isFalse},
		{`args.to[7].trusted()`, map[string]Labelled{"to": mixed}, isTrue},
		{`args.to[7] == "x"`, map[string]Labelled{"to": mixed}, isError},
		{`args.to.exists(r, r.trusted()) && !args.to.all(r, r.trusted())`, map[string]Labelled{"to": mixed}, isTrue},
		{`args.to.all(r, r.endsWith(".com") || r.trusted())`, map[string]Labelled{"to": mixed}, isTrue},
		{`args.to.exists_one(r, r == "bob@acme.com" && r.trusted())`, map[string]Labelled{"to": mixed}, isTrue},
		{`args.body.readableBy(args.to)`, map[string]Labelled{"to": own("bob@acme.com"), "body": mail("x", "bob@acme.com")}, isTrue},
		{`args.body.readableBy(args.to)`, map[string]Labelled{"to": mixed, "body": mail("x", "bob@acme.com")}, isFalse},
		{`args.body.readableBy(args.to)`, map[string]Labelled{"to": own([]any{"bob@acme.com"}), "body": mail("x", "bob@acme.com")}, isTrue},
		{`args.body.readableBy(args.to)`, map[string]Labelled{"to": own(3), "body": mail("x", "bob@acme.com")}, isError},
		{`args.body.readableBy(args.to)`, map[string]Labelled{"to": own(3), "body": mail("x")}, isTrue},
		{`args.body.readableBy(args.cc)`, map[string]Labelled{"to": own(3), "body": mail("x", "bob@acme.com")}, isTrue},
		{`args.body.readableBy(["bob@acme.com", args.to])`, map[string]Labelled{"to": own("me"), "body": mail("x", "bob@acme.com", "ann@acme.com")}, isTrue},
		{`args.body.readableBy(groups.staff)`, map[string]Labelled{"to": own("x"), "body": mail("x", "bob@acme.com")}, isFalse},
		{`args.to.sources() == ["email.read"]`, map[string]Labelled{"to": mail("x")}, isTrue},
		{`args.to.sources() == ["email.read", "user"]`, map[string]Labelled{"to": mixed}, isTrue},
		{`args.to.sources() == []`, map[string]Labelled{"to": own("x")}, isTrue},
		{`"model" in args.to.sources()`, map[string]Labelled{"to": model}, isTrue},
		{`args.to.from("ask_llm") && args.to.from("model") && !args.to.from("user")`, map[string]Labelled{"to": model}, isTrue},
		{`args.to.from("email.*") && args.to.from("email.read")`, map[string]Labelled{"to": mail("x")}, isTrue},
		{`args.to.from("user.task") && args.to.from("user") && !args.to.from("user.upload")`, map[string]Labelled{"to": user("x")}, isTrue},
		{`args.to.endorsed() && args.to.trusted()`, map[string]Labelled{"to": endorsed}, isTrue},
		{`args.to.endorsed()`, map[string]Labelled{"to": mail("x")}, isFalse},
		{`args.to.endsWith("@acme.com")`, map[string]Labelled{"to": mail("bob@acme.com")}, isTrue},
		{`args.to == "bob@acme.com" && args.to + "!" == "bob@acme.com!"`, map[string]Labelled{"to": mail("bob@acme.com")}, isTrue},
		{`args.to in groups.staff`, map[string]Labelled{"to": user("bob@acme.com")}, isTrue},
		{`args.to in groups.staff`, map[string]Labelled{"to": user("eve@evil.com")}, isFalse},
		{`args.to.within(groups.staff)`, map[string]Labelled{"to": own([]any{"bob@acme.com", "x@sales.acme.com"})}, isTrue},
		{`args.to.within(groups.staff)`, map[string]Labelled{"to": own("eve@evil.com,x@sales.acme.com")}, isFalse},
		{`args.to.within(groups.staff)`, map[string]Labelled{"to": own([]any{})}, isTrue},
		{`args.to.within(groups.staff)`, map[string]Labelled{"to": mail([]any{})}, isFalse},
		{`has(args.cc)`, map[string]Labelled{"to": own("x")}, isFalse},
		{`has(args.cc) && args.cc.size() > 1`, map[string]Labelled{"cc": own([]any{"a", "b"})}, isTrue},
		{`args.cc.trusted()`, map[string]Labelled{"to": own("x")}, isTrue},
		{`args.subject == ""`, map[string]Labelled{"to": own("x")}, isTrue},
		{`args.subject.matches("^[a-z]*$")`, map[string]Labelled{"subject": own("abc")}, isTrue},
		{`args.to.matches("^[a-z]*$")`, map[string]Labelled{"to": own(3)}, isError},
		{`args.to`, map[string]Labelled{"to": own(true)}, isTrue},
		{`args.to`, map[string]Labelled{"to": own("x")}, isError},
		{`args.to ? args.to : false`, map[string]Labelled{"to": own(false)}, isFalse},
		{`tool.name == "email.write" && tool.effects == "external" && tool.namespace == "email" && call.number == 4`, nil, isTrue},
		{`pc.trusted() && !pc.from("email.read") && pc.sources() == []`, nil, isTrue},
		{`args.all(k, k != "zz")`, map[string]Labelled{"to": own("x")}, isTrue},
		{`args.all(k, args[k].trusted())`, map[string]Labelled{"to": own("x"), "body": mail("y")}, isFalse},
		{`args["to"].trusted()`, map[string]Labelled{"to": own("x"), "body": mail("y")}, isTrue},
		{`args.trusted()`, map[string]Labelled{"to": own("x"), "body": mail("y")}, isFalse},
		{`named && args.to.trusted()`, map[string]Labelled{"to": user("bob@acme.com")}, isTrue},
		{`args.event.title.trusted()`, map[string]Labelled{"event": event}, isFalse},
		{`args.event.title.readableBy("bob@acme.com") && !args.event.title.readableBy("eve@evil.com")`, map[string]Labelled{"event": event}, isTrue},
		{`args.event.guests[0].trusted() && !args.event.guests[1].mail.trusted()`, map[string]Labelled{"event": event}, isTrue},
		{`args.event.guests[9].mail.trusted()`, map[string]Labelled{"event": event}, isTrue},
		{`has(args.event.extra) && args.event.extra.level > 2 && args.event.extra.tags[0] == "a"`, map[string]Labelled{"event": event}, isTrue},
		{`args.event.extra.nothing.trusted()`, map[string]Labelled{"event": event}, isError},
		{`has(args.event.extra.nothing)`, map[string]Labelled{"event": event}, isFalse},
		{`has(args.event.guests) && args.event.guests.exists(g, g.mail == "eve@evil.com" && !g.mail.trusted())`, map[string]Labelled{"event": event}, isTrue},
		{`args.event.trusted()`, map[string]Labelled{"event": mail(map[string]any{"title": "x"})}, isFalse},
		{`args.event.title.trusted()`, map[string]Labelled{"event": mail(map[string]any{"title": "x"})}, isFalse},
	} {
		name := "email.write"
		if strings.Contains(c.when, "args.event") {
			name = "calendar.add"
		}
		p := load(t, fmt.Sprintf("version: 1\ngroups: {staff: {principals: [me, bob@acme.com, '*@sales.acme.com']}}\nconditions: {named: 'args.to in groups.staff'}\nrules:\n- {name: r, tools: [%s], when: %q, decision: ask, reason: x}\n", name, c.when))
		e := p.concrete(&Call{Tool: def(t, p, name), Number: 4, Args: c.args})
		s := e.rule(p.rules[0])
		if s.truth != c.want {
			t.Errorf("%s\n  got %s (%v), want %s", c.when, s.truth, s.err, c.want)
		}
	}
}

func TestStrictestRuleDecides(t *testing.T) {
	p := load(t, `
version: 1
rules:
  - {name: mail goes, tools: [email.*], decision: allow, reason: mail is fine}
  - {name: look at bodies, tools: [email.write], when: "!args.body.trusted()", decision: ask, reason: the body is not the user's}
  - {name: never to eve, tools: [email.write], when: args.to == "eve@evil.com", decision: deny, reason: it is eve, remedy: Ask somebody else.}
`)
	write := def(t, p, "email.write")
	for _, c := range []struct {
		to, body Labelled
		want     Verdict
		rule     string
	}{
		{own("bob@acme.com"), own("x"), Allow, "mail goes"},
		{own("bob@acme.com"), mail("x"), Ask, "look at bodies"},
		{own("eve@evil.com"), mail("x"), Deny, "never to eve"},
	} {
		d := p.Decide(Call{Tool: write, Number: 1, Args: map[string]Labelled{"to": c.to, "body": c.body}})
		if d.Verdict != c.want || d.Rule != c.rule || d.Reason == "" {
			t.Errorf("got %s by %s, want %s by %s", d.Verdict, d.Rule, c.want, c.rule)
		}
	}
	if d := p.Decide(Call{Tool: def(t, p, "calendar.add"), Args: map[string]Labelled{"event": own(map[string]any{"title": "x"})}}); d.Verdict != Deny || d.Rule != DefaultRule || d.Remedy == "" {
		t.Errorf("writing without a rule: %+v", d)
	}
	if d := p.Decide(Call{Tool: def(t, p, "email.read")}); d.Verdict != Allow || d.Rule != "mail goes" {
		t.Errorf("reading: %+v", d)
	}
	if d := p.Decide(Call{Tool: &tool.Definition{Name: "rm"}}); d.Verdict != Deny || d.Rule != UnknownTool {
		t.Errorf("unknown tool: %+v", d)
	}
	if d := p.Decide(Call{}); d.Verdict != Deny {
		t.Errorf("no tool: %+v", d)
	}
}

func TestDefinitionsDemand(t *testing.T) {
	p := load(t, "version: 1\nrules:\n- {name: all, tools: ['*'], decision: allow, reason: x}\n")
	add := def(t, p, "calendar.add")
	d := p.Decide(Call{Tool: add, Args: map[string]Labelled{"event": {Fields: map[string]Labelled{"title": mail("x")}}}})
	if d.Verdict != Deny || d.Rule != ArgumentRule || !strings.Contains(d.Reason, "invitations go to others") {
		t.Errorf("got %+v", d)
	}
	pay := def(t, p, "bank.pay")
	args := map[string]Labelled{"amount": own(5), "iban": own("bob@acme.com"), "memo": mail("x", "bob@acme.com")}
	if d := p.Decide(Call{Tool: pay, Args: args}); d.Verdict != Ask || d.Rule != ApprovalRule {
		t.Errorf("got %+v", d)
	}
	args["iban"] = own("eve@evil.com")
	if d := p.Decide(Call{Tool: pay, Args: args}); d.Verdict != Deny || d.Rule != ArgumentRule {
		t.Errorf("got %+v", d)
	}
	delete(args, "memo")
	if d := p.Decide(Call{Tool: pay, Args: args}); d.Verdict != Ask {
		t.Errorf("got %+v", d)
	}
	if d := Empty(p.tools).Decide(Call{Tool: pay, Args: args}); d.Verdict != Ask || d.Rule != ApprovalRule {
		t.Errorf("the empty policy: %+v", d)
	}
}

func TestConditionThatNeverEnds(t *testing.T) {
	p := load(t, `
version: 1
rules:
  - {name: slow, tools: [email.write], when: "args.to.all(a, args.to.all(b, a + b != 'x'))", decision: allow, reason: x}
`)
	many := make([]any, 5000)
	for i := range many {
		many[i] = "bob@acme.com"
	}
	d := p.Decide(Call{Tool: def(t, p, "email.write"), Args: map[string]Labelled{"to": own(many), "body": own("x")}})
	if d.Verdict != Deny || fault.KindOf(d.Err) != fault.Exhausted || !strings.Contains(d.Reason, "too many steps") || d.Remedy == "" {
		t.Errorf("got %+v", d)
	}
	few := map[string]Labelled{"to": own(many[:5]), "body": own("x")}
	if d := p.Decide(Call{Tool: def(t, p, "email.write"), Args: few}); d.Verdict != Allow {
		t.Errorf("got %+v", d)
	}
}

func TestConditionThatFailsDenies(t *testing.T) {
	p := load(t, `
version: 1
rules:
  - {name: fine, tools: [email.write], decision: allow, reason: x}
  - {name: wrong, tools: [email.write], when: args.body < 3, decision: ask, reason: x}
`)
	d := p.Decide(Call{Tool: def(t, p, "email.write"), Args: map[string]Labelled{"to": own("x"), "body": own("secret text")}})
	if d.Verdict != Deny || d.Rule != "wrong" || fault.KindOf(d.Err) != fault.Invalid {
		t.Errorf("got %+v", d)
	}
	if strings.Contains(d.Reason+d.Remedy, "secret") {
		t.Errorf("the reason shows a value: %s", d.Reason)
	}
}

func TestExplainShowsLabels(t *testing.T) {
	p := load(t, `
version: 1
conditions: {chosen: args.to.trusted()}
rules:
  - {name: send, tools: [email.write], when: chosen && args.body.readableBy(args.to), decision: allow, reason: x}
`)
	d := p.Explain(Call{Tool: def(t, p, "email.write"), Args: map[string]Labelled{"to": mail("bob@acme.com"), "body": mail("x", "bob@acme.com")}})
	if len(d.Steps) != 1 || d.Steps[0].Result != "does not apply" || len(d.Steps[0].Clauses) != 2 {
		t.Fatalf("got %+v", d)
	}
	first, second := d.Steps[0].Clauses[0], d.Steps[0].Clauses[1]
	if first.Text != "chosen" || first.Result != "false" || !slices.Equal(first.Labels, []string{"args.to: email.read (untrusted); readers: everyone"}) {
		t.Errorf("got %+v", first)
	}
	if second.Result != "true" || !slices.Contains(second.Labels, "args.body: email.read (untrusted); readers: bob@acme.com") {
		t.Errorf("got %+v", second)
	}
}

func TestLowering(t *testing.T) {
	p := load(t, `
version: 1
lower:
  - {name: dates, tools: [ask_llm], output: [date, enum], sources: [email.read, model], reason: a date contains no instructions}
  - {name: numbers, tools: [ask_llm], output: [integer], readers: everyone, reason: figures are public}
`)
	model := def(t, p, "ask_llm")
	typ := func(text string) *schema.Type {
		s, err := schema.Parse("s.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return s.Type()
	}
	l := mail("x", "bob@acme.com").Label
	low, rule, ok := p.Lower(model, l, typ(`{"type":"string","format":"date"}`), label.Label{})
	if !ok || rule != "dates" || !low.Trusted() || low.ReadableBy("eve@evil.com") || len(low.Endorsed) != 1 || low.Endorsed[0].By.Name != "dates" {
		t.Errorf("got %s %s %v", low, rule, ok)
	}
	low, rule, ok = p.Lower(model, l, typ(`{"type":"integer","minimum":0,"maximum":99}`), label.Label{})
	if !ok || rule != "numbers" || !low.ReadableBy("eve@evil.com") {
		t.Errorf("got %s %s %v", low, rule, ok)
	}
	for _, s := range []string{`{"type":"string"}`, `{"type":"string","format":"email"}`, `{"type":"integer"}`, `{"type":"array","items":{"type":"integer"}}`, `true`} {
		if low, _, ok := p.Lower(model, l, typ(s), label.Label{}); ok || !low.Equal(l) {
			t.Errorf("%s lowers the label", s)
		}
	}
	other := label.Label{Sources: []label.Source{{Kind: label.Tool, Name: "calendar.add", Call: 1}}}
	if _, _, ok := p.Lower(model, other, typ(`{"enum":["a","b"]}`), label.Label{}); ok {
		t.Error("a rule lowers what it does not vouch for")
	}
	if _, _, ok := p.Lower(def(t, p, "email.read"), l, typ(`{"enum":["a"]}`), label.Label{}); ok {
		t.Error("a rule lowers the results of another tool")
	}
	reply := typ(`{"type":"object","required":["day","text","more"],"properties":{"day":{"type":"string","format":"date"},"text":{"type":"string"},
		"more":{"type":"object","required":["sum"],"properties":{"sum":{"type":"integer","minimum":0,"maximum":1000},"list":{"type":"array","items":{"type":"number"}}},"additionalProperties":false}},"additionalProperties":false}`)
	parts, shapes := p.LowerParts(model, l, reply, label.Label{})
	if len(parts) != 2 || parts[0].Path != "/day" || parts[1].Path != "/more/sum" || parts[1].Rule != "numbers" {
		t.Errorf("got %+v", parts)
	}
	// more has a member that may be left out: whether it is there tells something.
	if len(shapes) != 1 || shapes[0].Path != "" || shapes[0].Rule != "dates" || !shapes[0].Label.Trusted() {
		t.Errorf("got %+v", shapes)
	}
	open := typ(`{"type":"object","required":["day"],"properties":{"day":{"type":"string","format":"date"}}}`)
	if _, shapes := p.LowerParts(model, l, open, label.Label{}); shapes != nil {
		t.Errorf("an object of any members: %+v", shapes)
	}
	inner := typ(`{"type":"object","required":["a"],"additionalProperties":false,"properties":{"a":{"type":"object","required":["b"],"additionalProperties":false,"properties":{"b":{"enum":["x","y"]}}}}}`)
	if _, shapes := p.LowerParts(model, l, inner, label.Label{}); len(shapes) != 2 || shapes[0].Path != "" || shapes[1].Path != "/a" {
		t.Errorf("got %+v", shapes)
	}
	// Lists in lists have the items of all of them: 16 of them are lowered, in any form.
	for text, want := range map[string]int{
		`{"type":"array","maxItems":16,"items":N}`:                                                                                                    1,
		`{"type":"array","maxItems":17,"items":N}`:                                                                                                    0,
		`{"type":"array","maxItems":4,"items":{"type":"array","maxItems":4,"items":N}}`:                                                               1,
		`{"type":"array","maxItems":16,"items":{"type":"array","maxItems":2,"items":N}}`:                                                              0,
		`{"type":"array","maxItems":16,"items":{"type":"object","required":["a"],"properties":{"a":{"type":"array","maxItems":16,"items":N},"b":N}}}`: 1,
		`{"type":"array","maxItems":0,"items":{"type":"array","maxItems":16,"items":N}}`:                                                              1,
		`{"type":"array","maxItems":3,"items":{"type":"array","maxItems":3,"items":{"type":"array","maxItems":2,"items":N}}}`:                         0,
	} {
		parts, _ := p.LowerParts(model, l, typ(strings.ReplaceAll(text, "N", `{"type":"integer","minimum":0,"maximum":127}`)), label.Label{})
		if len(parts) != want {
			t.Errorf("%s: got %+v", text, parts)
		}
	}
	if parts, _ := p.LowerParts(nil, l, nil, label.Label{}); parts != nil {
		t.Error("no tool has results that are lowered")
	}
	if parts, _ := p.LowerParts(def(t, p, "email.read"), l, nil, label.Label{}); parts != nil {
		t.Error("results without a rule are lowered")
	}
	// Words that only Bob may read are not released as one of them, and words of
	// somebody who is not trusted are no narrow type.
	figure := typ(`{"type":"integer","minimum":0,"maximum":99}`)
	low, _, ok = p.Lower(model, l, figure, label.Label{Readers: label.Only("bob@acme.com")})
	if !ok || low.ReadableBy("eve@evil.com") || !low.ReadableBy("bob@acme.com") {
		t.Errorf("got %s, %v", low, ok)
	}
	if parts, shapes := p.LowerParts(model, l, reply, l); parts != nil || shapes != nil {
		t.Errorf("a type of other people's words lowers %v %v", parts, shapes)
	}
}

func TestEndorse(t *testing.T) {
	l := mail("x").Label
	for _, bad := range [][2]string{{"", "why"}, {"ann", ""}, {"ann", strings.Repeat("x", 5000)}} {
		if got, err := Endorse(l, bad[0], bad[1]); err == nil || got.Trusted() {
			t.Errorf("%q endorses", bad)
		}
	}
	got, err := Endorse(l, "ann", "I read it")
	if err != nil || !got.Trusted() || got.Endorsed[0].By != (label.Endorser{Kind: label.Person, Name: "ann", Why: "I read it"}) || got.Endorsed[0].Source.Name != "email.read" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestHashIsOfTheMeaning(t *testing.T) {
	const text = "version: 1\nrules:\n- {name: a, tools: [email.*], when: 'args.trusted() && call.number < 3', decision: allow, reason: x}\n"
	same := "# comment\nversion: 1\nrules:\n- name: a\n  tools: ['email.*']\n  when: >-\n    args.trusted() &&\n    call.number < 3\n  reason: x\n  decision: allow\ntests: [{name: t, call: email.read, expect: allow}]\n"
	other := strings.Replace(text, "3", "4", 1)
	if load(t, text).Hash() != load(t, same).Hash() {
		t.Error("layout changes the hash")
	}
	if load(t, text).Hash() == load(t, other).Hash() {
		t.Error("another condition has the same hash")
	}
}

func TestParseCall(t *testing.T) {
	p := load(t, "version: 1\nrules: [{name: send, tools: [email.write], when: args.to.trusted(), decision: allow, reason: x}]\n")
	c, err := p.ParseCall("call.yaml", []byte("call: email.write\nargs: {to: {value: x, sources: [email.read]}, body: y}\nnumber: 7\n"))
	if err != nil || c.Number != 7 || c.Args["body"].Value != "y" {
		t.Fatalf("got %+v, %v", c, err)
	}
	want := "deny by \"default\": no rule allows it, and email.write has effects (external)\n" +
		"  Change the call so that a rule allows it, or let the person who owns the policy add a rule for email.write.\n" +
		"- send (policy.yaml:2:9): allow does not apply\n    args.to.trusted(): false\n      args.to: email.read (untrusted); readers: everyone\n"
	if got := p.Explain(c).String(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if _, err := p.ParseCall("call.yaml", []byte("call: email.writ\n")); fault.KindOf(err) != fault.Invalid || !strings.HasPrefix(err.Error(), "cannot read the call: call.yaml:1:7:") {
		t.Errorf("got %v", err)
	}
}

func TestReport(t *testing.T) {
	p := load(t, `
version: 1
rules:
  - {name: a, tools: [email.write], when: args.to.trusted(), decision: allow, reason: x}
  - {name: b, tools: [email.write], when: call.number > 3, decision: ask, reason: x}
tests:
  - {name: right, call: email.write, args: {to: x, body: y}, expect: allow, rule: a}
  - {name: wrong, call: email.write, args: {to: {value: x, sources: [email.read]}, body: y}, expect: allow}
  - {name: wrong rule, call: email.write, args: {to: x, body: y}, expect: allow, rule: default}
`)
	r := p.Test()
	if r.OK() || r.Failed != 2 || len(r.Uncovered) != 1 || r.Uncovered[0].Name != "b" {
		t.Errorf("got %+v", r)
	}
	if got := r.Cases[1].String(); !strings.HasPrefix(got, "FAIL wrong (policy.yaml:8:5): expected allow, got deny by \"default\"") {
		t.Errorf("got %s", got)
	}
}

// TestPrincipalMatch: what stands for the star is one mailbox of that host, whoever reads it.
func TestPrincipalMatch(t *testing.T) {
	for name, want := range map[string]bool{
		"ann@acme.com": true, "Ann.O'Brien+x_1@ACME.com": true, "jos\u00e9@acme.com": true, "\u674e@acme.com": true,
		"@acme.com": false, "ann@xacme.com": false, "ann@a.acme.com": false, "ann@acme.com ": false, "ann@acme.com.evil.com": false,
		"eve@evil.com,ann@acme.com": false, "eve@evil.com ann@acme.com": false, "<eve@evil.com>ann@acme.com": false, "eve@evil.com\u2028ann@acme.com": false,
		"eve\uff20evil.com\uff0cann@acme.com": false, "eve\x00@acme.com": false, "e\u00a0ann@acme.com": false, "eve%evil.com@acme.com": false,
		"evil.com!eve@acme.com": false, "eve(x)@acme.com": false, "g:eve@acme.com": false, "eve\\@acme.com": false, "e\u200bve@acme.com": false,
	} {
		if got := principalMatch("*@acme.com", name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
