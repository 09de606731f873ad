package check

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/plan/syntax"
)

// Kind says what a finding is about. The zero value is not one.
type Kind string

// The kinds of findings.
const (
	Syntax    Kind = "syntax"
	Refused   Kind = "refused"   // left out of the plan language
	Name      Kind = "name"      // a name, module or attribute that does not exist
	Arguments Kind = "arguments" // a call that cannot be made
	Value     Kind = "value"     // against a schema
	Unused    Kind = "unreachable"
	Violation Kind = "violation" // the policy denies every such call
	Possible  Kind = "possible"  // the policy may deny it, or ask: decided when it runs
)

// Level says how much a finding matters.
type Level string

// The levels. A program with errors is refused.
const (
	Error   Level = "error"
	Warning Level = "warning"
	Note    Level = "note"
)

// Finding is something that was found.
type Finding struct {
	Kind    Kind   `json:"kind"`
	Level   Level  `json:"level"`
	Line    int    `json:"line"` // from 1
	Col     int    `json:"col"`  // from 0, in bytes
	EndLine int    `json:"end_line,omitempty"`
	EndCol  int    `json:"end_col,omitempty"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Paths   []Path `json:"paths,omitempty"` // how data get there
}

// Path is how data of a source get to an argument.
type Path struct {
	Source   string `json:"source"`
	Trusted  bool   `json:"trusted"`
	Argument string `json:"argument"`
	Steps    []Step `json:"steps"`
}

// Step is one step of a path.
type Step struct {
	Line int    `json:"line"`
	Col  int    `json:"col"` // from 0, in bytes
	Text string `json:"text"`
}

// Verdict says what is known of a call before it runs.
type Verdict string

// The verdicts.
const (
	Safe      Verdict = "safe"      // the policy allows every such call
	Violating Verdict = "violation" // it denies every such call
	Open      Verdict = "possible"  // it is decided when it runs
	Unjudged  Verdict = "unjudged"  // without a policy
	Dead      Verdict = "unreachable"
)

// Flow is what is known of one call of a tool in the program's text.
type Flow struct {
	Tool     string  `json:"tool"`
	Line     int     `json:"line"`
	Col      int     `json:"col"`
	Verdict  Verdict `json:"verdict"`
	Rule     string  `json:"rule,omitempty"`
	Args     []Arg   `json:"args"`
	Control  Sources `json:"control,omitempty"` // mode strict: what decides that it is called
	Anything bool    `json:"anything,omitempty"`
}

// Arg is what is known of an argument.
type Arg struct {
	Name    string  `json:"name"`
	May     Sources `json:"may"`
	Must    Sources `json:"must,omitempty"`
	AnyFrom bool    `json:"any,omitempty"` // every source is possible
	Paths   []Path  `json:"-"`
}

// Sources is a set of sources. The calls of one place are one source.
type Sources []Origin

// Origin is a source by its place in the program. Line is 0 for inputs, and for
// calls whose place is not known.
type Origin struct {
	Kind     string `json:"kind"`
	Name     string `json:"name"`
	Line     int    `json:"line,omitempty"`
	Col      int    `json:"col,omitempty"`
	Trusted  bool   `json:"trusted"`
	Endorsed bool   `json:"endorsed,omitempty"`
}

// Has says whether the set holds a source that a label of a run may name.
func (s Sources) Has(src label.Source) bool {
	return slices.ContainsFunc(s, func(o Origin) bool {
		return !o.Endorsed && o.Kind == src.Kind.String() && o.Name == src.Name && (o.Line == 0 || src.Line == 0 || o.Line == src.Line && o.Col == src.Col)
	})
}

// Result is what the check of a program found.
type Result struct {
	Name     string    `json:"name"`
	Accepted bool      `json:"accepted"`
	Strict   bool      `json:"strict,omitempty"`
	Findings []Finding `json:"findings"`
	Flows    []Flow    `json:"flows"`
	Lost     *Lost     `json:"lost,omitempty"`

	// Counted says, of each tool, what the calls depend on whose number decides about it.
	Counted map[string]label.Label `json:"-"`
	// Changing says it of tools whose calls a nested plan must not repeat unasked.
	Changing map[string]label.Label `json:"-"`

	source []byte
}

// maxFindings bounds what is reported of one program.
const maxFindings = 200

func (r *Result) add(f Finding) {
	if len(r.Findings) < maxFindings {
		r.Findings = append(r.Findings, f)
	}
}

// finish sorts the findings and decides.
func (r *Result) finish() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(rank(a.Level), rank(b.Level)))
	})
	r.Accepted = !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Level == Error })
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	if r.Flows == nil {
		r.Flows = []Flow{}
	}
}

func rank(l Level) int { return slices.Index([]Level{Error, Warning, Note}, l) }

// Broken is the result of a program that is no Python.
func Broken(name string, source []byte, bad []*syntax.Error) *Result {
	r := &Result{Name: name, source: source}
	for _, e := range bad {
		r.add(Finding{Kind: Syntax, Level: Error, Line: int(e.Pos.Line), Col: int(e.Pos.Col), EndLine: int(e.End.Line), EndCol: int(e.End.Col),
			Message: string(e.Kind) + ": " + e.Message})
	}
	r.finish()
	return r
}

// Refuse adds what the compiler refused.
func (r *Result) Refuse(err error) {
	f := Finding{Kind: Refused, Level: Error, Line: 1, Message: err.Error()}
	var e *fault.Error
	if errors.As(err, &e) {
		f.Remedy = e.Remedy
	}
	r.add(f)
	r.finish()
}

// report turns what the analysis found into findings and flows.
func (a *analysis) report(r *Result) {
	r.Lost = a.lost
	if a.lost != nil {
		r.add(Finding{Kind: Possible, Level: Warning, Line: max(a.lost.Line, 1), Col: max(a.lost.Col-1, 0),
			Message: "the flows of this program could not be followed: " + a.lost.Reason,
			Remedy:  "Every call is decided when it runs. Write it simpler to have it checked before."})
	}
	if a.lost != nil {
		a.flowsLost(r)
		return
	}
	a.misused(r)
	called := map[syntax.Node]bool{}
	for _, s := range a.sinkOrder {
		called[s.node] = true
		if s.live {
			a.reportSink(r, s)
		}
	}
	for _, c := range a.scopes.calls {
		if d, ok := a.toolOf(c); ok && !called[c.call] {
			f := found(c.call, Unused, Warning, "this call of "+d.Name+" is never reached")
			f.Tool = d.Name
			r.add(f)
			r.Flows = append(r.Flows, Flow{Tool: d.Name, Line: f.Line, Col: f.Col, Verdict: Dead, Args: []Arg{}})
		}
	}
	r.sortFlows()
}

func (r *Result) sortFlows() {
	slices.SortStableFunc(r.Flows, func(a, b Flow) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), strings.Compare(a.Tool, b.Tool))
	})
}

// flowsLost reports every call of a tool as one that everything can flow to.
func (a *analysis) flowsLost(r *Result) {
	for _, c := range a.scopes.calls {
		if d, ok := a.toolOf(c); ok {
			at := pos(c.call)
			r.Flows = append(r.Flows, Flow{Tool: d.Name, Line: int(at.Line), Col: int(at.Col), Verdict: Open, Args: []Arg{}, Anything: true})
		}
	}
	r.sortFlows()
}

func found(n syntax.Node, kind Kind, level Level, text string) Finding {
	return Finding{Kind: kind, Level: level, Message: text}.at(n.Range())
}

// at is a finding about a place.
func (f Finding) at(s syntax.Span) Finding {
	f.Line, f.Col, f.EndLine, f.EndCol = int(s.Start.Line), int(s.Start.Col), int(s.End.Line), int(s.End.Col)
	return f
}

func (a *analysis) reportSink(r *Result, s *sink) {
	at := pos(s.node)
	fl := Flow{Tool: s.def.Name, Line: int(at.Line), Col: int(at.Col), Control: a.sourcesOf(s.pc), Args: []Arg{}}
	for i := range s.args {
		x := &s.args[i]
		fl.Args = append(fl.Args, Arg{Name: x.name, May: a.sourcesOf(x.may), Must: a.sourcesOf(x.must), AnyFrom: x.may.any(), Paths: a.paths(x.may, x.name)})
	}
	fl.Verdict = Unjudged
	var judge []policy.Judgement
	for _, c := range s.calls {
		judge = append(judge, a.policy.Judge(c.Abstract))
	}
	if len(judge) > 0 {
		j := worst(judge)
		fl.Rule = j.Rule
		switch {
		case everywhere(judge, policy.CertainAllow):
			fl.Verdict = Safe
		case everywhere(judge, policy.CertainDeny):
			fl.Verdict = Violating
			r.add(a.judged(s, fl, j, Violation, Error, s.def.Name+" is called against the policy: "+reason(j)))
		default:
			fl.Verdict = Open
			text := fmt.Sprintf("%s may be called against the policy: %s", s.def.Name, reason(j))
			if everywhere(judge, policy.CertainAsk) {
				text = fmt.Sprintf("a person is asked before %s is called: %s", s.def.Name, reason(j))
			}
			r.add(a.judged(s, fl, j, Possible, Note, text))
		}
	}
	r.Flows = append(r.Flows, fl)
}

func everywhere(list []policy.Judgement, c policy.Certainty) bool {
	return !slices.ContainsFunc(list, func(j policy.Judgement) bool { return j.Certainty != c })
}

// worst is the judgement that is reported: the strictest, then the first.
func worst(list []policy.Judgement) policy.Judgement {
	order := []policy.Certainty{policy.CertainAllow, policy.CertainAsk, policy.DependsOnRunTime, policy.CertainDeny}
	return slices.MaxFunc(list, func(a, b policy.Judgement) int {
		return cmp.Compare(slices.Index(order, a.Certainty), slices.Index(order, b.Certainty))
	})
}

func reason(j policy.Judgement) string {
	if j.Reason != "" {
		return j.Reason
	}
	return "rule " + j.Rule
}

func (a *analysis) judged(s *sink, fl Flow, j policy.Judgement, kind Kind, level Level, text string) Finding {
	f := found(s.node, kind, level, text)
	f.Tool, f.Rule, f.Remedy = s.def.Name, j.Rule, j.Remedy
	var trusted []Path
	for _, x := range fl.Args {
		for _, p := range x.Paths {
			if p.Trusted {
				trusted = append(trusted, p)
			} else {
				f.Paths = append(f.Paths, p)
			}
		}
	}
	if f.Paths = f.Paths[:min(len(f.Paths), 4)]; len(f.Paths) == 0 {
		f.Paths = trusted[:min(len(trusted), 2)]
	}
	return f
}

// sourcesOf lists the sources of a set.
func (a *analysis) sourcesOf(l *lab) Sources {
	out := Sources{}
	if l == nil || l.any() {
		return out
	}
	for _, id := range l.ids {
		out = append(out, a.originNamed(id))
	}
	return out
}

func (a *analysis) originNamed(id int32) Origin {
	s := &a.sources[id]
	o := Origin{Kind: s.src.Kind.String(), Name: s.src.Name, Trusted: s.src.Trusted, Endorsed: s.mark != nil}
	if s.placed {
		o.Line, o.Col = s.src.Line, s.src.Col
	}
	return o
}

// paths lists how the sources of a set get to an argument.
func (a *analysis) paths(l *lab, argument string) []Path {
	if l == nil || l.any() {
		return nil
	}
	var out []Path
	for i, id := range l.ids {
		s := &a.sources[id]
		if s.mark != nil || len(out) >= maxTraced {
			continue
		}
		p := Path{Source: sourceName(s.src), Trusted: s.src.Trusted, Argument: argument}
		for st := l.steps[i]; st != nil; st = st.prev {
			p.Steps = append(p.Steps, Step{Line: int(st.pos.Line), Col: int(st.pos.Col), Text: st.text(s.src)})
		}
		slices.Reverse(p.Steps)
		out = append(out, p)
	}
	return out
}

func sourceName(s label.Source) string {
	switch s.Kind {
	case label.User:
		return "input " + s.Name
	case label.Model:
		return "model " + s.Name
	}
	return s.Name
}

func (s *step) text(src label.Source) string {
	name, arg, _ := strings.Cut(s.name, "\x00")
	switch s.kind {
	case stepSource:
		return sourceName(src)
	case stepAssign:
		return "assigned to " + name
	case stepArgument:
		return "passed to " + name + " as " + arg
	case stepReturn:
		return "returned by " + name
	case stepStore:
		if name == "append" {
			return "appended to a list"
		}
		if name == "" {
			return "stored in a container"
		}
		return "stored as " + name
	case stepSink:
		return "argument " + arg + " of " + name
	}
	return name
}
