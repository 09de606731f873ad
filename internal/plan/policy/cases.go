package policy

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"praxis/internal/plan/label"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

// testCase is one case of the section tests.
type testCase struct {
	name   string
	pos    jsondoc.Position
	call   Call
	expect Verdict
	rule   string // "" when the case does not say
}

// CaseResult is what became of one case.
type CaseResult struct {
	Name   string           `json:"name"`
	Pos    jsondoc.Position `json:"-"`
	Place  string           `json:"place"`
	Pass   bool             `json:"pass"`
	Expect Verdict          `json:"expect"`
	Rule   string           `json:"rule,omitempty"` // expected
	Got    Decision         `json:"got"`
}

// String returns the case in one line.
func (c CaseResult) String() string {
	if c.Pass {
		return "pass " + c.Name
	}
	want := c.Expect.String()
	if c.Rule != "" {
		want += " by " + safetext.Quote(c.Rule)
	}
	return fmt.Sprintf("FAIL %s (%s): expected %s, got %s by %s: %s", c.Name, c.Pos, want, c.Got.Verdict, safetext.Quote(c.Got.Rule), c.Got.Reason)
}

// Report is the result of the cases in a policy's file.
type Report struct {
	Cases     []CaseResult `json:"cases"`
	Failed    int          `json:"failed"`
	Uncovered []RuleInfo   `json:"uncovered"` // rules that apply in no case
}

// OK reports whether all cases pass.
func (r Report) OK() bool { return r.Failed == 0 }

// Test runs the cases of the file.
func (p *Policy) Test() Report {
	report := Report{Cases: []CaseResult{}, Uncovered: []RuleInfo{}}
	covered := map[string]bool{}
	for _, c := range p.cases {
		d := p.Explain(c.call)
		pass := d.Verdict == c.expect && (c.rule == "" || c.rule == d.Rule)
		if !pass {
			report.Failed++
		}
		report.Cases = append(report.Cases, CaseResult{Name: c.name, Pos: c.pos, Place: c.pos.String(), Pass: pass, Expect: c.expect, Rule: c.rule, Got: d})
		for _, s := range d.Steps {
			if s.truth == isTrue {
				covered[s.Rule] = true
			}
		}
	}
	for _, r := range p.Rules() {
		if !covered[r.Name] {
			report.Uncovered = append(report.Uncovered, r)
		}
	}
	return report
}

func (l *loader) cases(e *jsondoc.Node) {
	names := map[string]int{}
	for _, item := range l.list(e, "tests", maxCases, "{name: …, call: …, args: …, expect: deny}") {
		c := l.testCase(item)
		if c == nil {
			continue
		}
		if line, twice := names[c.name]; twice {
			l.Add(item, "Give it a name of its own.", "the case %s stands twice; first on line %d", safetext.Quote(c.name), line)
		}
		names[c.name] = int(item.Line)
		l.policy.cases = append(l.policy.cases, *c)
	}
}

// ParseCall reads a call in the form that tests have: call, args, number,
// control. It is for explanations of calls that a person writes down.
func (p *Policy) ParseCall(name string, data []byte) (Call, error) {
	r := &jsondoc.Report{File: name}
	root := jsondoc.Read(r, data)
	if root == nil {
		return Call{}, refused("cannot read the call", r)
	}
	l := &loader{Report: r, tools: p.tools, policy: p}
	var c Call
	if l.keys(root, "a call", "call", "number", "args", "control", "results") {
		c, _ = l.call(root, "the call")
	}
	return c, refused("cannot read the call", r)
}

func (l *loader) testCase(e *jsondoc.Node) *testCase {
	before := len(l.Problems)
	if !l.keys(e, "a case", "name", "call", "number", "args", "control", "results", "expect", "rule") {
		return nil
	}
	c := &testCase{name: l.need(e, "name", "a case"), pos: l.Pos(e)}
	what := "the case " + safetext.Quote(c.name)
	c.expect = l.verdict(e, "expect", what)
	if c.rule = l.text(e.Get("rule"), "rule of "+what); c.rule != "" {
		l.knownRule(e.Get("rule"), what)
	}
	ok := false
	if c.call, ok = l.call(e, what); !ok || len(l.Problems) > before {
		return nil
	}
	return c
}

// call reads the call of a case.
func (l *loader) call(e *jsondoc.Node, what string) (Call, bool) {
	c := Call{Number: 1, Args: map[string]Labelled{}}
	name := l.need(e, "call", what)
	d, ok := l.tools.Lookup(name)
	if !ok && name != "" {
		remedy := ""
		if near := l.tools.Suggest(name); near != "" {
			remedy = "Did you mean " + near + "?"
		}
		l.Add(e.Get("call"), remedy, "%s: there is no tool %s", what, safetext.Quote(name))
	}
	if n := e.Get("number"); n != nil {
		v, ok := new(big.Int).SetString(n.Text, 10)
		if n.Kind != jsondoc.Number || !ok || !v.IsInt64() || v.Int64() < 1 {
			l.Add(n, "Write the number of the call in the run, from 1.", "%s: expected a number, got %s", what, n.Show())
		} else {
			c.Number = int(v.Int64())
		}
	}
	if ctl := e.Get("control"); ctl != nil && l.keys(ctl, "control of "+what, "sources", "readers", "endorsed") {
		c.Control = l.label(ctl, what)
	}
	c.Members = l.results(e.Get("results"), what)
	if d == nil {
		return c, false
	}
	c.Tool = d
	if args := e.Get("args"); l.mapping(args, "args of "+what, maxMembers) {
		for i, k := range args.Keys {
			if _, err := d.BindPartial(0, []string{k.Text}); err != nil {
				l.Add(k, jsondoc.DidYouMean(k.Text, d.Input.Type().Names()), "%s: %s has no argument %s", what, d.Name, safetext.Quote(k.Text))
				continue
			}
			c.Args[k.Text] = l.labelled(args.Items[i], what)
		}
	}
	return c, true
}

// results are those of calls before, with trusted arguments, by tool.
func (l *loader) results(e *jsondoc.Node, what string) *Members {
	out := &Members{}
	if !l.mapping(e, "results of "+what, maxMembers) {
		return out
	}
	for i, k := range e.Keys {
		d, ok := l.tools.Lookup(k.Text)
		if !ok {
			l.Add(k, jsondoc.DidYouMean(k.Text, l.tools.Names()), "%s: there is no tool %s", what, safetext.Quote(k.Text))
			continue
		}
		out.AddResult(d, i+1, e.Items[i].Value())
	}
	return out
}

func (l *loader) knownRule(e *jsondoc.Node, what string) {
	known := []string{DefaultRule, ApprovalRule, ArgumentRule}
	for _, r := range l.policy.others {
		known = append(known, r.name)
	}
	for _, r := range l.policy.rules {
		known = append(known, r.name)
	}
	if !slices.Contains(known, e.Text) {
		l.Add(e, jsondoc.DidYouMean(e.Text, known), "%s: there is no rule %s", what, safetext.Quote(e.Text))
	}
}

// labelled reads a value with its labels. A plain scalar or list is a value
// that the program states itself.
func (l *loader) labelled(e *jsondoc.Node, what string) Labelled {
	if e.Kind != jsondoc.Map {
		return Labelled{Value: e.Value()}
	}
	if !l.keys(e, "an argument of "+what, "value", "sources", "readers", "endorsed", "items", "fields") {
		return Labelled{}
	}
	out := Labelled{Label: l.label(e, what)}
	value, items, fields := e.Get("value"), e.Get("items"), e.Get("fields")
	count := 0
	for _, v := range []*jsondoc.Node{value, items, fields} {
		if v != nil {
			count++
		}
	}
	if count > 1 {
		l.Add(e, "Write value, or items for a list whose items have labels, or fields for an object.", "an argument of %s has more than one of value, items and fields", what)
		return out
	}
	switch {
	case value != nil:
		out.Value = value.Value()
	case items != nil && items.Kind == jsondoc.List:
		out.Items = []Labelled{}
		for _, item := range items.Items {
			out.Items = append(out.Items, l.labelled(item, what))
		}
	case items != nil:
		l.Add(items, "Write a list.", "items of an argument of %s: expected a list, got %s", what, items.Show())
	case l.mapping(fields, "fields of an argument of "+what, maxMembers):
		out.Fields = map[string]Labelled{}
		for i, k := range fields.Keys {
			out.Fields[k.Text] = l.labelled(fields.Items[i], what)
		}
	}
	return out
}

// label reads sources, readers and endorsed.
func (l *loader) label(e *jsondoc.Node, what string) label.Label {
	out := label.Label{Readers: label.Everyone()}
	for _, s := range l.texts(e.Get("sources"), "sources of "+what, maxMembers) {
		if src, ok := l.sourceNamed(s.Text); ok {
			out.Sources = append(out.Sources, src)
		} else {
			l.source(from{s.Text, s})
			if strings.Contains(s.Text, "*") {
				l.Add(s, "Name one source.", "%s: a star in the sources of a value", what)
			}
		}
	}
	if r := e.Get("readers"); r != nil && !(r.Kind == jsondoc.String && r.Text == "everyone") {
		people := l.people(r, what)
		for _, p := range people {
			if strings.HasPrefix(p, "*") {
				l.Add(r, "Name the principals.", "%s: a star in the readers of a value", what)
			}
		}
		out.Readers = label.Only(people...)
	}
	if by := e.Get("endorsed"); by != nil {
		if who := l.text(by, "endorsed in "+what); who != "" {
			out = out.Endorse(label.Endorser{Kind: label.Person, Name: who, Why: "stated in a test"})
		}
	}
	slices.SortFunc(out.Sources, label.Source.Compare)
	out.Sources = slices.Compact(out.Sources)
	return out
}

// sourceNamed makes the source that a test names. "(trusted)" or "(untrusted)" behind
// a tool is for parts of its results whose trust is not that of the whole.
func (l *loader) sourceNamed(name string) (label.Source, bool) {
	for word, trusted := range map[string]bool{" (trusted)": true, " (untrusted)": false} {
		if bare, ok := strings.CutSuffix(name, word); ok {
			s, known := l.sourceNamed(bare)
			s.Trusted = trusted && s.Kind != label.Model
			return s, known
		}
	}
	switch {
	case name == "user":
		return label.Source{Kind: label.User, Trusted: true}, true
	case name == "model":
		return label.Source{Kind: label.Model, Name: "model", Call: 1}, true
	case name == planner:
		return label.Source{Kind: label.Planner, Name: planner, Trusted: true}, true
	case name == "user.today":
		return label.Source{Kind: label.User, Name: "today", Trusted: true}, true
	}
	if input, ok := strings.CutPrefix(name, "user."); ok {
		if in, ok := l.tools.Input(input); ok {
			return label.Source{Kind: label.User, Name: in.Name, Trusted: in.Trusted}, true
		}
	}
	d, ok := l.tools.Lookup(name)
	if !ok {
		return label.Source{}, false
	}
	if d.Model {
		return label.Source{Kind: label.Model, Name: d.Name, Call: 1}, true
	}
	return label.Source{Kind: label.Tool, Name: d.Name, Call: 1, Trusted: d.Labels.Trusted}, true
}
