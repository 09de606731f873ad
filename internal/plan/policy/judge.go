package policy

import (
	"fmt"
	"slices"

	"praxis/internal/tool/schema"
)

// Certainty is what can be said about a call before the program runs. The
// zero value is not one.
type Certainty uint8

// The certainties.
const (
	CertainAllow Certainty = iota + 1
	CertainAsk
	CertainDeny
	DependsOnRunTime
)

var certaintyNames = [...]string{"", "certain allow", "certain ask", "certain deny", "depends on the run"}

// String returns "certain deny".
func (c Certainty) String() string {
	if int(c) < len(certaintyNames) && c != 0 {
		return certaintyNames[c]
	}
	return fmt.Sprintf("certainty(%d)", uint8(c))
}

// MarshalText writes the name.
func (c Certainty) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Judgement is what the policy says about all the calls that an abstract one
// may become.
type Judgement struct {
	Certainty Certainty `json:"certainty"`
	Possible  []Verdict `json:"possible"` // the verdicts that a run may meet, the mildest first
	Decision            // of a certain one; otherwise the rule that is open and could be the strictest
}

// Judge says what Decide will say. It is sound: when it is certain, Decide
// gives that verdict for every call within the bounds, with one exception on
// the safe side: a call whose values are so large that a condition takes too
// many steps is denied.
func (p *Policy) Judge(a Abstract) Judgement {
	if bad := p.strange(a.Tool); bad != nil {
		return Judgement{Certainty: CertainDeny, Possible: []Verdict{Deny}, Decision: *bad}
	}
	e := p.prepare(&a, false)
	e.explain = true
	steps := p.steps(e)
	sure := strictest(steps)
	var open *Step
	certain, denied := p.Otherwise(e.def), false
	if sure != nil {
		certain = sure.Verdict
		denied = certain == Deny || sure.truth == isError
	}
	possible := []Verdict{Deny} // what is not known may fail
	if sure != nil || p.Otherwise(e.def) != Deny {
		possible = append(possible, certain)
	}
	for i := range steps {
		s := &steps[i]
		if s.truth != isUnknown {
			continue
		}
		if open == nil || s.Verdict > open.Verdict {
			open = s
		}
		if sure == nil || s.Verdict > certain {
			possible = append(possible, s.Verdict)
		}
	}
	if open == nil || denied {
		d := e.settle(steps, sure)
		return e.perhapsCautious(Judgement{Certainty: Certainty(d.Verdict), Possible: []Verdict{d.Verdict}, Decision: d})
	}
	slices.Sort(possible)
	j := Judgement{Certainty: DependsOnRunTime, Possible: slices.Compact(possible)}
	j.Decision = Decision{Verdict: open.Verdict, Rule: open.Rule, Reason: open.reason, Remedy: open.remedy, Steps: steps}
	return e.perhapsCautious(j)
}

// withDefault puts the default in the place of an argument that is not given.
func withDefault(args map[string]Bound, prop schema.Property, open bool) {
	b, ok := args[prop.Name]
	switch {
	case !ok && open:
		args[prop.Name] = Bound{AnySource: true}
	case !ok || b.Presence == NotGiven:
		args[prop.Name] = Bound{Known: true, Value: prop.Type.Default}
	case b.Presence == MaybeGiven:
		wide := Bound{May: b.May, AnySource: b.AnySource}
		for _, part := range b.Items {
			wide.widen(part)
		}
		for _, part := range b.Fields {
			wide.widen(part)
		}
		args[prop.Name] = wide
	}
}

// widen lets the label of a part into an upper bound.
func (b *Bound) widen(part Bound) {
	if part.Presence == NotGiven {
		return
	}
	b.May.Sources = slices.Concat(b.May.Sources, part.May.Sources)
	b.May.Endorsed = slices.Concat(b.May.Endorsed, part.May.Endorsed)
	b.May.Readers = b.May.Readers.Intersect(part.May.Readers)
	b.AnySource = b.AnySource || part.AnySource
	for _, p := range part.Items {
		b.widen(p)
	}
	for _, p := range part.Fields {
		b.widen(p)
	}
}
