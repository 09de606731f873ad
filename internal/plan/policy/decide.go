package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// Decision is what the policy says about a call. Rule, Reason and Remedy are
// texts of the policy and of the definitions: no value of an argument is in
// them, so that they may be shown to a model that must not see untrusted text.
// Steps and Err are for people: they may quote parts of values.
type Decision struct {
	Verdict Verdict `json:"verdict"`
	Rule    string  `json:"rule"` // a rule of the file, DefaultRule, ApprovalRule, ArgumentRule or UnknownTool
	Reason  string  `json:"reason"`
	Remedy  string  `json:"remedy,omitempty"`
	// Members says which values of trusted results arguments equal, where a rule asked:
	// "args.to: contacts.all#2 /0/email".
	Members []string `json:"members,omitempty"`
	// Code is that of Err. Whoever shows the remedy may have words of its own for it.
	Code  fault.Code `json:"code,omitempty"`
	Err   error      `json:"-"` // a fault when a condition could not be evaluated, which denies
	Steps []Step     `json:"explanation"`
}

// Step is how one rule applied to the call.
type Step struct {
	Rule    string           `json:"rule"`
	Pos     jsondoc.Position `json:"-"`
	Verdict Verdict          `json:"decision"`
	Result  string           `json:"result"` // "applies", "does not apply", "depends on the run", "cannot be evaluated"
	Clauses []ClauseStep     `json:"clauses,omitempty"`

	truth  truth
	err    error
	reason string
	remedy string
}

// ClauseStep is one of the parts that a condition joins by &&.
type ClauseStep struct {
	Text   string   `json:"text"`
	Result string   `json:"result"`           // "true", "false", "depends on the run", "cannot be evaluated"
	Labels []string `json:"labels,omitempty"` // "args.to: calendar.read (untrusted); readers: everyone"
	Error  string   `json:"error,omitempty"`
}

var stepNames = [...]string{"does not apply", "applies", "depends on the run", "cannot be evaluated"}

// Decide decides a call. Of the rules that apply the strictest verdict counts,
// and of those the first in the file; without any the tool's effects decide.
// A condition that cannot be evaluated denies.
func (p *Policy) Decide(c Call) Decision { return p.decide(&c, false) }

// Explain decides a call and says of each clause which labels it depends on.
func (p *Policy) Explain(c Call) Decision { return p.decide(&c, true) }

func (p *Policy) decide(c *Call, explain bool) Decision {
	if bad := p.strange(c.Tool); bad != nil {
		return *bad
	}
	e := p.concrete(c)
	e.explain = explain
	steps := p.steps(e)
	return e.cautious(e.settle(steps, strictest(steps)))
}

// strange denies what is no tool of the policy.
func (p *Policy) strange(d *tool.Definition) *Decision {
	name := "without a name"
	if d != nil {
		if _, ok := p.tools.Lookup(d.Name); ok {
			return nil
		}
		name = safetext.Quote(d.Name)
	}
	return &Decision{Verdict: Deny, Rule: UnknownTool, Reason: "the policy was loaded without the tool " + name, Remedy: "Load the policy with all the tools that can be called.", Steps: []Step{}}
}

// concrete prepares the evaluation of a call.
func (p *Policy) concrete(c *Call) *evaluation {
	args := Labelled{Fields: c.Args}
	control := Labelled{Label: c.Control}
	e := p.prepare(&Abstract{Tool: c.Tool, Number: max(c.Number, 1), Args: args.exactly().Fields, Control: control.exactly()}, true)
	if e.members = c.Members; e.members == nil {
		e.members = &Members{}
	}
	return e
}

// prepare prepares the evaluation of a call, exact or abstract. Arguments that are not
// given have the defaults that the program's author can read in the definition.
func (p *Policy) prepare(a *Abstract, exact bool) *evaluation {
	e := p.evaluation(a.Tool, a.Number)
	args := maps.Clone(a.Args)
	if args == nil {
		args = map[string]Bound{}
	}
	for _, prop := range a.Tool.Arguments() {
		if prop.Type.HasDefault {
			withDefault(args, prop, a.Open)
		}
	}
	e.args = newNode("args", a.Tool.Input.Type(), &Bound{Fields: args}, exact, bounds{})
	e.args.open, e.args.me, e.args.ev = a.Open, p.tools.Principals().Me, e
	e.control = newNode("pc", nil, &a.Control, exact, bounds{})
	e.control.form, e.control.known = mark, false
	return e
}

// settle makes the decision of the step that counts, or of none.
func (e *evaluation) settle(steps []Step, best *Step) Decision {
	d := Decision{Steps: steps, Members: e.found}
	if best == nil {
		d.Verdict, d.Rule = e.policy.Otherwise(e.def), DefaultRule
		if r := e.policy.others[e.def.Name]; r != nil {
			d.Rule, d.Reason, d.Remedy = r.name, r.reason, r.remedy
		} else {
			d.Reason, d.Remedy = defaultReason(e.def)
		}
		return d
	}
	d.Verdict, d.Rule, d.Reason, d.Remedy = best.Verdict, best.Rule, best.reason, best.remedy
	if best.truth == isError {
		d.failed(best)
	}
	return d
}

// failed makes the decision on a condition that cannot be evaluated.
func (d *Decision) failed(s *Step) {
	code, why := fault.RuleFails, "it fails on these arguments"
	if errors.Is(s.err, errTooLong) {
		code, why = fault.RuleTooCostly, errTooLong.Error()
	}
	d.Verdict = Deny
	d.Reason = fmt.Sprintf("the condition of the rule %s cannot be evaluated: %s", safetext.Quote(s.Rule), why)
	err := fault.Coded(code, fault.Data{"rule": s.Rule}, "cannot decide the call: %s: the condition of the rule %s: %w", s.Pos, safetext.Quote(s.Rule), s.err)
	d.Code, d.Remedy, d.Err = err.Code, err.Remedy, err
}

// strictest returns the step that decides: one that cannot be evaluated
// denies; otherwise the strictest verdict, and the first of them.
func strictest(steps []Step) *Step {
	var best *Step
	rank := func(s *Step) Verdict {
		if s.truth == isError {
			return Deny
		}
		return s.Verdict
	}
	for i := range steps {
		s := &steps[i]
		if s.truth != isTrue && s.truth != isError {
			continue
		}
		if best == nil || rank(s) > rank(best) {
			best = s
		}
	}
	return best
}

func defaultReason(d *tool.Definition) (reason, remedy string) {
	if !d.Effects.Acts() {
		return "no rule applies, and " + d.Name + " changes nothing", ""
	}
	return "no rule allows it, and " + d.Name + " has effects (" + d.Effects.String() + ")", "Change the call so that a rule allows it, or let the person who owns the policy add a rule for " + d.Name + "."
}

// steps evaluates what the definition demands, then the rules of the file.
func (p *Policy) steps(e *evaluation) []Step {
	rules := p.byTool[e.def.Name]
	steps := make([]Step, 0, len(rules)+len(e.def.Labels.Arguments)+1)
	for _, d := range e.def.Labels.Arguments {
		steps = append(steps, e.demand(d)...)
	}
	if e.def.Approval {
		steps = append(steps, Step{
			Rule: ApprovalRule, Pos: e.def.Pos, Verdict: Ask, truth: isTrue,
			reason: e.def.Name + " requires a person's approval of each call", remedy: "Ask the person.",
		})
	}
	for _, r := range rules {
		steps = append(steps, e.rule(r))
	}
	for i := range steps {
		steps[i].Result = stepNames[steps[i].truth]
	}
	return steps
}

func (e *evaluation) rule(r *rule) Step {
	s := Step{Rule: r.name, Pos: r.pos, Verdict: r.verdict, reason: r.reason, remedy: r.remedy, truth: isTrue}
	if r.when == nil {
		return s
	}
	e.exhausted = false
	s.truth, s.err = r.when.eval(e, func(c *clause, out truth, err error) {
		step := ClauseStep{Text: c.text, Result: out.String(), Labels: e.labelsOf(c)}
		if err != nil {
			step.Error = safetext.Clip(err.Error(), 300)
		}
		s.Clauses = append(s.Clauses, step)
	})
	return s
}

// demand turns a demand of the definition into denials.
func (e *evaluation) demand(d tool.ArgDemand) []Step {
	var steps []Step
	arg := e.args.at(types.String(d.Argument))
	if arg.presence == NotGiven {
		return nil
	}
	step := func(text string, met ref.Val, remedy, format string, args ...any) {
		s := Step{Rule: ArgumentRule, Pos: e.def.Pos, Verdict: Deny, reason: d.Reason, remedy: remedy}
		if s.reason == "" {
			s.reason = fmt.Sprintf(format, args...)
		}
		s.reason = "the argument " + d.Argument + " of " + e.def.Name + ": " + s.reason
		switch {
		case met == types.True:
			s.truth = isFalse
		case met == types.False:
			s.truth = isTrue
		case types.IsUnknown(met):
			s.truth = isUnknown
		default:
			s.truth = isError
			s.err, _ = met.(*types.Err)
		}
		s.Clauses = []ClauseStep{{Text: "!" + text, Result: s.truth.String(), Labels: e.show("args." + d.Argument)}}
		steps = append(steps, s)
	}
	if d.Trusted {
		step("args."+d.Argument+".trusted()", trustedBetween(arg.labels()),
			"Use a value that the user gave or that the program states itself.", "only trusted sources may influence it")
	}
	for _, who := range d.ReadableBy {
		step("args."+d.Argument+".readableBy(args."+who+")", isReadableBy(arg, e.args.at(types.String(who))),
			"Send only what "+who+" may read, or to principals who may read it.", "whoever %s names must be allowed to read it", who)
	}
	return steps
}

// String returns the decision with its explanation, some lines of text.
func (d Decision) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s by %s: %s\n", d.Verdict, safetext.Quote(d.Rule), d.Reason)
	if d.Remedy != "" {
		fmt.Fprintf(&b, "  %s\n", d.Remedy)
	}
	for _, s := range d.Steps {
		fmt.Fprintf(&b, "- %s (%s): %s %s\n", s.Rule, s.Pos, s.Verdict, s.Result)
		for _, c := range s.Clauses {
			fmt.Fprintf(&b, "    %s: %s", c.Text, c.Result)
			if c.Error != "" {
				fmt.Fprintf(&b, " (%s)", c.Error)
			}
			b.WriteString("\n")
			for _, l := range c.Labels {
				fmt.Fprintf(&b, "      %s\n", l)
			}
		}
	}
	return b.String()
}

// labelsOf shows the labels that a clause depends on, itself or through a named condition.
func (e *evaluation) labelsOf(c *clause) []string {
	if !e.explain {
		return nil
	}
	paths := c.labels
	if named := e.policy.named[c.text]; named != nil {
		for i := range named.clauses {
			paths = append(slices.Clip(paths), named.clauses[i].labels...)
		}
	}
	return e.show(paths...)
}

// show writes the labels at paths for people, when they are asked for.
func (e *evaluation) show(paths ...string) []string {
	var out []string
	for _, p := range paths {
		if e.explain {
			out = append(out, p+": "+e.follow(p).labels().may.String())
		}
	}
	return out
}

// follow goes a path of names; the items of lists are shown with their whole.
func (e *evaluation) follow(path string) *node {
	segs := strings.Split(path, ".")
	n := e.args
	if segs[0] == "pc" {
		return e.control
	}
	for _, s := range segs[1:] {
		name, _, items := strings.Cut(s, "[")
		n = n.at(types.String(name))
		if items || n.presence == NotGiven {
			break
		}
	}
	return n
}
