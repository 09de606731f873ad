package policy

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"

	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// Verdict is what becomes of a call, from the mildest to the strictest. The
// zero value is not one.
type Verdict uint8

// The verdicts.
const (
	Allow Verdict = iota + 1
	Ask           // a person decides
	Deny
)

var verdictNames = [...]string{"", "allow", "ask", "deny"}

// String returns the name that files use, such as "deny".
func (v Verdict) String() string {
	if int(v) < len(verdictNames) && v != 0 {
		return verdictNames[v]
	}
	return fmt.Sprintf("verdict(%d)", uint8(v))
}

// MarshalText writes the name.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the name.
func (v *Verdict) UnmarshalText(text []byte) error {
	parsed, ok := parseVerdict(string(text))
	if !ok {
		return fault.New(fault.Invalid, "Write allow, ask or deny.", "cannot read the verdict %s", safetext.Quote(string(text)))
	}
	*v = parsed
	return nil
}

func parseVerdict(s string) (Verdict, bool) {
	i := slices.Index(verdictNames[1:], s)
	return Verdict(i + 1), i >= 0
}

// The names in decisions of rules that no file declares.
const (
	DefaultRule  = "default"  // no rule applies: by the tool's effects
	ApprovalRule = "approval" // the tool's definition requires a person's approval
	ArgumentRule = "argument" // the tool's definition demands something of an argument
	UnknownTool  = "unknown tool"

	OtherwiseRule = "otherwise" // an entry without a name of the section otherwise
	RepeatRule    = "repeat"    // an earlier plan of the run made the same call
)

// Policy is a loaded policy. It is immutable and safe for concurrent use.
type Policy struct {
	name    string
	tools   *tool.Set
	named   map[string]*condition
	rules   []*rule
	byTool  map[string][]*rule
	lowers  []*lowering
	cases   []testCase
	others  map[string]*rule // the section otherwise, by tool
	members []string         // patterns of the results that conditions look for a value in
	counts  bool             // a condition uses call.number
	groups  ref.Val          // name → principals, for conditions
	hash    [sha256.Size]byte
}

// rule is one rule of the file.
type rule struct {
	name    string
	pos     jsondoc.Position
	tools   []string   // sorted
	when    *condition // nil: always
	verdict Verdict
	reason  string
	remedy  string
}

// Name returns the name that Load was given.
func (p *Policy) Name() string { return p.name }

// Hash returns the SHA-256 of what the file says, without its tests and its layout.
func (p *Policy) Hash() [sha256.Size]byte { return p.hash }

// RuleInfo is what Rules returns about a rule.
type RuleInfo struct {
	Name    string           `json:"name"`
	Pos     jsondoc.Position `json:"-"`
	Place   string           `json:"place"` // Pos in words
	Tools   []string         `json:"tools"`
	When    string           `json:"when,omitempty"` // canonical; "" is always
	Verdict Verdict          `json:"decision"`
	Reason  string           `json:"reason"`
	Remedy  string           `json:"remedy,omitempty"`
}

// Counts reports whether a decision may depend on how many calls were made before.
func (p *Policy) Counts() bool { return p != nil && p.counts }

// Rules returns the rules of the file in its order.
func (p *Policy) Rules() []RuleInfo {
	out := make([]RuleInfo, len(p.rules))
	for i, r := range p.rules {
		out[i] = RuleInfo{Name: r.name, Pos: r.pos, Place: r.pos.String(), Tools: slices.Clone(r.tools), Verdict: r.verdict, Reason: r.reason, Remedy: r.remedy}
		if r.when != nil {
			out[i].When = r.when.text
		}
	}
	return out
}

// Conditions returns the named conditions that rules use, in canonical form.
func (p *Policy) Conditions() map[string]string {
	out := make(map[string]string, len(p.named))
	for name, c := range p.named {
		if c != nil {
			out[name] = c.text
		}
	}
	return out
}

// Lowerings says in words which results the policy vouches for.
func (p *Policy) Lowerings() []string {
	var out []string
	for _, w := range p.lowers {
		out = append(out, fmt.Sprintf("%s in results of %s: %s", strings.Join(w.kinds, ", "), strings.Join(w.tools, ", "), w.reason))
	}
	return out
}

// Otherwise returns the verdict on a tool when no rule applies: that of the section
// otherwise, or else reading is allowed and acting is denied.
func (p *Policy) Otherwise(d *tool.Definition) Verdict {
	if r := p.others[d.Name]; r != nil {
		return r.verdict
	}
	if d.Effects.Acts() {
		return Deny
	}
	return Allow
}

// Because returns the reason that the section otherwise gives, "" without a word there.
func (p *Policy) Because(d *tool.Definition) string {
	if r := p.others[d.Name]; r != nil {
		return r.reason
	}
	return ""
}

// Empty returns the policy without rules over a set of tools: the defaults and
// what the definitions themselves demand.
func Empty(tools *tool.Set) *Policy {
	p := &Policy{tools: tools}
	p.index()
	return p
}

// Endorse returns the label of data that a person has looked at and vouches
// for: its untrusted sources are replaced by a mark that names who and why.
func Endorse(l label.Label, who, why string) (label.Label, error) {
	switch {
	case who == "":
		return l, fault.New(fault.Invalid, "Say who endorses it.", "cannot endorse a value: nobody is named")
	case why == "":
		return l, fault.New(fault.Invalid, "Say why it can be trusted.", "cannot endorse a value: no reason is given")
	case len(who) > maxText || len(why) > maxText:
		return l, fault.New(fault.Invalid, "Be brief.", "cannot endorse a value: a name and a reason have at most %d bytes", maxText)
	}
	return l.Endorse(label.Endorser{Kind: label.Person, Name: who, Why: why}), nil
}

// evaluation is the state of one decision: the variables of all conditions. It
// is an activation of CEL.
type evaluation struct {
	policy    *Policy
	def       *tool.Definition
	args      *node
	control   *node
	vars      map[string]ref.Val
	results   map[string]ref.Val // of named conditions
	exhausted bool
	explain   bool     // steps show the labels that they depend on
	members   *Members // nil before a run
	found     []string // the members that arguments equal, for Decision.Members
}

var _ interpreter.Activation = (*evaluation)(nil)

// ResolveName returns a variable.
func (e *evaluation) ResolveName(name string) (any, bool) {
	switch name {
	case "args":
		return e.args, true
	case "pc":
		return e.control, true
	}
	if v, ok := e.vars[name]; ok {
		return v, true
	}
	c := e.policy.named[name]
	if c == nil {
		return nil, false
	}
	v, ok := e.results[name]
	if !ok {
		if e.results == nil {
			e.results = make(map[string]ref.Val)
		}
		v = e.named(c)
		e.results[name] = v
	}
	return v, true
}

// named evaluates a named condition once for all clauses that use it.
func (e *evaluation) named(c *condition) ref.Val {
	out, err := c.eval(e, nil)
	switch out {
	case isTrue:
		return types.True
	case isFalse:
		return types.False
	case isUnknown:
		return unknown()
	}
	return types.WrapErr(errors.Join(err))
}

// Parent returns nil.
func (e *evaluation) Parent() interpreter.Activation { return nil }

// evaluation prepares the variables. Number 0 is a number that is not known.
func (p *Policy) evaluation(def *tool.Definition, number int) *evaluation {
	e := &evaluation{policy: p, def: def}
	var n ref.Val = types.Int(number)
	if number == 0 {
		n = unknown()
	}
	texts := func(pairs ...string) ref.Val {
		m := make(map[string]string, len(pairs)/2)
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return types.NewStringStringMap(types.DefaultTypeAdapter, m)
	}
	e.vars = map[string]ref.Val{
		"tool":   texts("name", def.Name, "version", string(def.Version), "namespace", def.Namespace(), "effects", def.Effects.String()),
		"call":   types.NewStringInterfaceMap(types.DefaultTypeAdapter, map[string]any{"number": n}),
		"groups": p.groups,
	}
	return e
}
