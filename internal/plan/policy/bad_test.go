package policy

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/tool/jsondoc"
)

// badFiles are files that Load refuses. "▸" stands where the first problem is
// and is not part of the file; want is in its message and remedy in its remedy.
func badFiles() []struct{ name, text, want, remedy string } {
	rule := func(s string) string { return "version: 1\nrules:\n" + s }
	when := func(s string) string {
		return rule("- {name: r, tools: [email.write], decision: allow, reason: x, when: ▸'" + s + "'}\n")
	}
	return []struct{ name, text, want, remedy string }{
		{"empty", "▸", "the file is empty", ""},
		{"no mapping", "▸- a\n", "expected a mapping, got a list", "version, groups"},
		{"unknown key", "version: 1\n▸rule: []\n", `unknown key "rule" in the file`, `Did you mean "rules"?`},
		{"no version", "▸rules: []\n", `lacks the key "version"`, "version: 1"},
		{"version 2", "version: ▸2\n", "expected 1, got 2", ""},
		{"not YAML", "version: 1\nrules: [a\n▸", "not YAML", ""},
		{"two documents", "▸version: 1\n---\nversion: 1\n", "several YAML documents", "Split"},
		{"not UTF-8", "version: 1\n# ▸\xff\n", "not UTF-8", ""},
		{"merge key", "version: 1\nx-a: &a {k: 1}\nx-b: {▸<<: *a}\n", "merge keys", ""},
		{"tag", "version: ▸!!int 1\n", "tags", ""},
		{"twice", "version: 1\n▸version: 1\n", "stands twice; first on line 1", ""},
		{"ambiguous", "version: ▸0x1\n", "ambiguous", ""},
		{"unknown tool", rule("- {name: r, tools: [▸email.writ], decision: allow, reason: x}\n"), "no tool \"email.writ\"", "Did you mean email.write?"},
		{"namespace", rule("- {name: r, tools: [▸email], decision: allow, reason: x}\n"), "no tool \"email\"", ""},
		{"empty glob", rule("- {name: r, tools: ▸sms.*, decision: allow, reason: x}\n"), "no tool \"sms.*\"", ""},
		{"no tools", rule("- ▸{name: r, decision: allow, reason: x}\n"), "lacks the key \"tools\"", ""},
		{"no reason", rule("- ▸{name: r, tools: [email.*], decision: allow}\n"), "lacks the key \"reason\"", "Add reason"},
		{"no remedy", rule("- ▸{name: r, tools: [email.*], decision: deny, reason: x}\n"), "lacks the key \"remedy\"", ""},
		{"decision", rule("- {name: r, tools: [email.*], decision: ▸permit, reason: x}\n"), "unknown decision \"permit\"", "allow, ask or deny"},
		{"reserved name", rule("- {name: ▸default, tools: [email.*], decision: allow, reason: x}\n"), "has the name", ""},
		{"two names", rule("- {name: r, tools: [email.*], decision: allow, reason: x}\n- {name: ▸r, tools: [bank.*], decision: allow, reason: x}\n"), "stands twice; first on line 3", ""},
		{"contradiction", rule("- ▸{name: a, tools: [email.write], when: 'args.to.trusted() && call.number < 3', decision: allow, reason: x}\n- {name: b, tools: [email.write], when: 'call.number<3&&args.to.trusted()', decision: deny, reason: x, remedy: y}\n"), `says allow where the rule "b" of line 4 says deny`, "Keep one"},
		{"contradiction in groups", "version: 1\ngroups: {a: {tools: [email.*]}, b: {tools: [email.write, email.read]}}\nrules:\n- ▸{name: a, tools: [a], decision: allow, reason: x}\n- {name: b, tools: [b], decision: ask, reason: x}\n", "says allow where", ""},
		{"duplicate", rule("- {name: a, tools: [email.write], when: 'args.to.trusted()', decision: ask, reason: x}\n- ▸{name: b, tools: [email.write], when: 'args.to.trusted()', decision: ask, reason: y}\n"), "says again", ""},
		{"unreachable", rule("- ▸{name: a, tools: [email.write], when: 'args.to.trusted()', decision: allow, reason: x}\n- {name: b, tools: ['*'], decision: deny, reason: x, remedy: y}\n"), "never decides", "narrow the rule"},
		{"unreachable by two", rule("- ▸{name: a, tools: [email.*], when: 'args.trusted()', decision: allow, reason: x}\n- {name: b, tools: [email.write], decision: ask, reason: x}\n- {name: c, tools: [email.read], decision: ask, reason: x}\n"), "never decides", ""},
		{"false", rule("- {name: r, tools: [email.write], decision: allow, reason: x, when: ▸'false'}\n"), "never applies: its condition is false", ""},
		{"opposites", rule("- {name: r, tools: [email.write], decision: allow, reason: x, when: ▸args.to.trusted() && call.number > 2 && !args.to.trusted()}\n"), "and its opposite", ""},
		{"opposites in brackets", rule("- {name: r, tools: [email.write], decision: allow, reason: x, when: ▸'!(call.number > 2) && call.number > 2'}\n"), "and its opposite", ""},
		{"no CEL", when("args.to.trusted( && true"), "not a condition in CEL (at 1:", "Write a condition in CEL"},
		{"unknown function", when("args.to.trustd()"), "at 1:15): undeclared reference to 'trustd'", "Did you mean trusted?"},
		{"unknown variable", when("arg.to.trusted()"), "undeclared reference to 'arg'", "Did you mean args?"},
		{"map", when("args.to.map(x, x).trusted()"), "undeclared reference", ""},
		{"type", rule("- {name: r, tools: [email.write], decision: allow, reason: x, when: ▸1 + 2}\n"), "a condition is true or false, this one is int", ""},
		{"operands", when("call.number < \"x\""), "no matching overload", "operands"},
		{"label of a value", when("(args.to + \"x\").trusted()"), "trusted is asked of a value that has no label", ""},
		{"label of a literal", when("\"x\".trusted()"), "has no label", ""},
		{"unknown argument", when("args.too.trusted()"), `has no "too"`, `Did you mean "to"?`},
		{"unknown member", rule("- {name: r, tools: [calendar.add], decision: allow, reason: x, when: ▸args.event.titel == 'x'}\n"), `has no "titel"`, `Did you mean "title"?`},
		{"argument of some", rule("- {name: r, tools: [email.*], decision: allow, reason: x, when: ▸args.to.trusted()}\n"), `email.read has no "to"`, "has(args.to)"},
		{"optional", when("args.cc.size() < 3"), "may be called without", "has(args.cc)"},
		{"through a name", "version: 1\nconditions: {small: ▸args.cc.size() < 3}\nrules:\n- {name: r, tools: [email.write], decision: allow, reason: x, when: small}\n", "may be called without", ""},
		{"unknown source", when("args.to.from(\"email.raed\")"), "no source \"email.raed\"", "Did you mean email.read?"},
		{"unknown group", when("args.to in groups.stuff"), "groups has no \"stuff\"", "Declare it"},
		{"unknown field of tool", when("tool.nam == \"x\""), "tool has no \"nam\"", ""},
		{"pc has no parts", when("pc.x.trusted()"), "labels but no x", ""},
		{"hidden variable", when("args.to.all(args, true)"), "hides", ""},
		{"pattern from data", when("args.body.matches(args.to)"), "has to be a literal", ""},
		{"bad pattern", when("args.body.matches(\"(\")"), "not a condition in CEL (at 1:", ""},
		{"huge pattern", when("args.body.matches(\"((((a{50}){50}){50}){50})\")"), "not a condition in CEL (at 1:", ""},
		{"time zone", when("timestamp(args.body).getHours(\"Europe/Paris\") < 3"), "depend on the machine", ""},
		{"nested loops", when("args.to.all(a, args.to.all(b, args.to.all(c, a == b)))"), "not a condition in CEL (at 1:", ""},
		{"deep condition", when("" + strings.Repeat("(", 500) + "true" + strings.Repeat(")", 500)), "not a condition in CEL (at 1:", ""},
		{"long condition", rule("- {name: r, tools: [email.write], decision: allow, reason: x, when: ▸" + strings.Repeat("true && ", 1000) + "true}\n"), "at most 4000 characters", "under conditions"},
		{"message", when("google.protobuf.Timestamp{} == args.to"), "messages cannot be made", ""},
		{"no condition", rule("- {name: r, tools: [email.*], decision: allow, reason: x, when: ▸[a]}\n"), "expected a string, got a list", ""},
		{"condition below", "version: 1\nconditions:\n  a: ▸b\n  b: call.number > 1\n", "does not stand above it", ""},
		{"condition of itself", "version: 1\nconditions:\n  a: ▸a\n", "does not stand above it", ""},
		{"name of a condition", "version: 1\nconditions:\n  ▸to-ok: 'true'\n", "cannot write", "Write to_ok."},
		{"taken name", "version: 1\nconditions:\n  ▸args: 'true'\n", "has a name that", ""},
		{"literal block", "version: 1\nrules:\n- name: r\n  tools: [email.write]\n  decision: allow\n  reason: x\n  when: ▸|\n    call.number < 3 &&\n      args.tu.trusted()\n", `has no "tu"`, ""},
		{"group of both", "version: 1\ngroups: {▸g: {}}\n", "one of the two", ""},
		{"group of a tool's name", "version: 1\ngroups: {▸email: {tools: [email.*]}}\n", "has the name of a tool", ""},
		{"unknown principal", "version: 1\ngroups: {g: {principals: [▸bob@acme.org]}}\n", "principal \"bob@acme.org\" is not known", "Did you mean bob@acme.com?"},
		{"star in a principal", "version: 1\ngroups: {g: {principals: [▸a*b]}}\n", "is not a principal", ""},
		{"lower wide type", "version: 1\nlower:\n- {name: l, tools: [ask_llm], output: [▸string], reason: x}\n", "cannot be lowered", "Only enum"},
		{"lower nothing", "version: 1\nlower:\n- ▸{name: l, tools: [ask_llm], reason: x}\n", "does not say which types", ""},
		{"lower unknown source", "version: 1\nlower:\n- {name: l, tools: [ask_llm], output: [date], sources: [▸sms.read], reason: x}\n", "no source", ""},
		{"test of no tool", "version: 1\ntests:\n- {name: t, call: ▸sms.send, expect: deny}\n", "no tool \"sms.send\"", ""},
		{"test of no argument", "version: 1\ntests:\n- {name: t, call: email.write, args: {▸tu: x}, expect: deny}\n", "has no argument \"tu\"", `Did you mean "to"?`},
		{"test of no principal", "version: 1\ntests:\n- {name: t, call: email.write, args: {to: {value: x, readers: [▸nobody@x.org]}}, expect: deny}\n", "not known", ""},
		{"test of no source", "version: 1\ntests:\n- {name: t, call: email.write, args: {to: {value: x, sources: [▸sms.read]}}, expect: deny}\n", "no source", ""},
		{"test of no rule", "version: 1\ntests:\n- {name: t, call: email.write, expect: deny, rule: ▸defualt}\n", "no rule", `Did you mean "default"?`},
		{"test of two values", "version: 1\ntests:\n- {name: t, call: email.write, args: {to: ▸{value: x, items: []}}, expect: deny}\n", "more than one", ""},
		{"test number", "version: 1\ntests:\n- {name: t, call: email.write, number: ▸0, expect: deny}\n", "expected a number", ""},
		{"test twice", "version: 1\ntests:\n- {name: t, call: email.write, expect: deny}\n- ▸{name: t, call: email.write, expect: deny}\n", "stands twice", ""},
	}
}

func TestBadFiles(t *testing.T) {
	set := tools(t)
	for _, c := range badFiles() {
		before, after, found := strings.Cut(c.text, "▸")
		if !found {
			t.Fatalf("%s: no mark", c.name)
		}
		line := 1 + strings.Count(before, "\n")
		col := 1 + len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
		_, err := Load("p.yaml", []byte(before+after), set)
		var problems jsondoc.Problems
		if err == nil || fault.KindOf(err) != fault.Invalid || !errors.As(err, &problems) {
			t.Errorf("%s: got %v", c.name, err)
			continue
		}
		if want := fmt.Sprintf("p.yaml:%d:%d", line, col); problems[0].Pos.String() != want || !strings.Contains(problems[0].What, c.want) || !strings.Contains(problems[0].Remedy, c.remedy) {
			t.Errorf("%s\n  got  %s\n  want %s: …%s… %s", c.name, problems[0], want, c.want, c.remedy)
		}
		if !strings.HasPrefix(err.Error(), "cannot load the policy: p.yaml:") || fault.RemedyOf(err) != problems[0].Remedy {
			t.Errorf("%s: the fault says %q", c.name, err)
		}
	}
}

func TestHugeFiles(t *testing.T) {
	set := tools(t)
	for name, text := range map[string]string{
		"10 MB":        "version: 1\n# " + strings.Repeat("x", 10<<20),
		"many rules":   "version: 1\nrules:\n" + strings.Repeat("- {}\n", 100_000),
		"deep flow":    "version: 1\nx-a: " + strings.Repeat("[", 500_000),
		"deep maps":    "version: 1\nx-a: " + strings.Repeat("{a: ", 200_000),
		"deep lists":   "version: 1\nx-a:\n" + strings.Repeat("- ", 400_000),
		"many entries": "version: 1\nx-a: [" + strings.Repeat("1,", 500_000) + "]",
		"many aliases": "version: 1\nx-a: &a x\nx-b: [" + strings.Repeat("*a,", 600_000) + "]",
		"many keys":    "version: 1\n" + strings.Repeat("k: 1\n", 150_000),
	} {
		if _, err := Load("p.yaml", []byte(text), set); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestStrangeCalls decides calls that no driver should make.
func TestStrangeCalls(t *testing.T) {
	p := load(t, `
version: 1
rules:
  - {name: a, tools: [email.write], when: args.to.trusted() && args.body == "x" && args.body.readableBy(args.to), decision: allow, reason: x}
  - {name: b, tools: [calendar.add], when: args.event.title == "x", decision: allow, reason: x}
`)
	write := def(t, p, "email.write")
	deep := any("x")
	for range 100_000 {
		deep = []any{deep}
	}
	unknown := label.Label{Readers: label.Only("someone\x00else", "", "nobody@nowhere")}
	for name, args := range map[string]map[string]Labelled{
		"no arguments":       nil,
		"deep":               {"to": own("x"), "body": own(deep)},
		"a channel":          {"to": own("x"), "body": own(make(chan int))},
		"a typed nil":        {"to": own("x"), "body": own((*jsondoc.Object)(nil))},
		"unknown principals": {"to": own("bob@acme.com"), "body": {Value: "x", Label: unknown}},
		"no kind":            {"to": {Value: "x", Label: label.Label{Sources: []label.Source{{Name: "?"}}}}, "body": own("x")},
	} {
		if d := p.Decide(Call{Tool: write, Number: -4, Args: args}); d.Verdict != Deny {
			t.Errorf("%s: got %+v", name, d)
		}
	}
	if d := p.Decide(Call{Tool: def(t, p, "calendar.add"), Args: map[string]Labelled{"event": own("x")}}); d.Verdict != Deny {
		t.Errorf("a string as an event: %+v", d)
	}
	full := label.NewTable().Label(label.Everything)
	if d := p.Decide(Call{Tool: write, Args: map[string]Labelled{"to": {Value: "x", Label: full}, "body": own("x")}}); d.Verdict != Deny {
		t.Errorf("the label of a full table: %+v", d)
	}
}

// TestLargeArguments decides calls whose arguments are as large as a run allows.
func TestLargeArguments(t *testing.T) {
	p := load(t, `
version: 1
rules:
  - {name: each, tools: [email.write], when: "has(args.cc) && args.cc.all(c, c.trusted() && c != 'x') && args.body.readableBy(args.cc)", decision: allow, reason: x}
`)
	write := def(t, p, "email.write")
	many := func(n int) Labelled {
		l := Labelled{Items: make([]Labelled, n)}
		for i := range l.Items {
			l.Items[i] = user(fmt.Sprint("p", i, "@sales.acme.com"))
		}
		return l
	}
	names := make([]string, 10_000)
	for i := range names {
		names[i] = fmt.Sprint("p", i, "@sales.acme.com")
	}
	body := mail(strings.Repeat("x", 1<<20), names...)
	for n, want := range map[int]Verdict{10_000: Allow, 10_001: Deny, 300_000: Deny} {
		d := p.Decide(Call{Tool: write, Args: map[string]Labelled{"to": own("x"), "body": body, "cc": many(n)}})
		if d.Verdict != want {
			t.Errorf("%d recipients: got %s by %s: %s (%v)", n, d.Verdict, d.Rule, d.Reason, d.Err)
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, c := range badFiles() {
		if len(c.text) < 2000 {
			f.Add(strings.Replace(c.text, "▸", "", 1))
		}
	}
	set := tools(f)
	write, _ := set.Lookup("email.write")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Load("f.yaml", []byte(text), set)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatalf("got %v", err)
			}
			return
		}
		p.Test()
		p.Explain(Call{Tool: write, Number: 1, Args: map[string]Labelled{"to": own("bob@acme.com"), "body": mail("x", "bob@acme.com")}})
		if again, err := Load("f.yaml", []byte(text), set); err != nil || again.Hash() != p.Hash() {
			t.Fatal("loading it again gives another policy")
		}
	})
}

func FuzzCondition(f *testing.F) {
	for _, s := range []string{
		"args.to.trusted() && args.body.readableBy(args.to)", `args.to.all(r, r.endsWith("@acme.com") || r.trusted())`, "args.to[0].from('email.*')",
		`has(args.cc) ? args.cc.within(groups.staff) : pc.trusted()`, "args.subject.matches('^a*$')", "call.number in [1, 2, 3]", "{'a': args.to}.a == args.body",
		"timestamp('2026-01-01T00:00:00Z').getFullYear() > 3", "args.all(k, args[k].sources() == [])", "[args.to, args.body].exists(x, x == 'x')", "dyn(args.to) == type(1)",
	} {
		f.Add(s)
	}
	set := tools(f)
	write, _ := set.Lookup("email.write")
	calls := []map[string]Labelled{
		{"to": own("bob@acme.com"), "body": mail("x", "bob@acme.com")},
		{"to": {Items: []Labelled{user("bob@acme.com"), mail("eve@evil.com")}}, "cc": own([]any{"x"}), "body": own("")},
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := &jsondoc.Report{File: "f"}
		c, err := newCompiler(r, set, []string{"staff"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		cond := c.compile(&jsondoc.Node{Kind: jsondoc.String, Line: 1, Col: 1, Text: text})
		if cond == nil {
			if len(r.Problems) == 0 {
				t.Fatal("refused without a problem")
			}
			return
		}
		p := Empty(set)
		p.groups = stringLists(map[string][]string{"staff": {"bob@acme.com"}})
		r1 := &rule{name: "f", tools: []string{"email.write"}, when: cond, verdict: Allow}
		p.rules = []*rule{r1}
		p.index()
		for _, args := range calls {
			call := Call{Tool: write, Number: 2, Args: args}
			d := p.Decide(call)
			for _, a := range []Abstract{
				{Tool: write, Open: true, Control: Bound{AnySource: true}},
				{Tool: write, Number: 2, Args: map[string]Bound{"to": {AnySource: true}, "cc": {Presence: MaybeGiven, AnySource: true}, "body": {AnySource: true, Known: true, Value: args["body"].Value}}},
			} {
				if j := p.Judge(a); j.Certainty != DependsOnRunTime && Certainty(d.Verdict) != j.Certainty && fault.KindOf(d.Err) != fault.Exhausted {
					t.Fatalf("%s: judged %s, decided %s (%v)\n%+v", text, j.Certainty, d.Verdict, d.Err, j)
				}
			}
		}
	})
}
