package policy

import (
	"slices"
	"strconv"
	"strings"

	"praxis/internal/plan/label"
	"praxis/internal/tool"
)

// lowering is a rule that lets results of a narrow type count as trusted.
type lowering struct {
	name    string
	pos     tool.Position
	tools   []string
	kinds   []string // of narrow types
	sources []string // patterns; none: all
	release bool
	readers label.Readers
	reason  string
}

// narrowKinds are the types that carry little: see [tool.Type.Narrow].
func narrowKinds() []string {
	return []string{"enum", "boolean", "integer", "number", "date", "date-time", "time", "email", "uuid"}
}

func (l *loader) lowerings(e *entry) {
	if e == nil || e.kind == nullEntry {
		return
	}
	if e.kind != listEntry || len(e.items) > maxRules {
		l.add(e.pos, "Write a list: - {name: …, tools: …, output: [date], reason: …}.", "lower: expected a list of at most %d, got %s", maxRules, e.show())
		return
	}
	said := []any{}
	for _, item := range e.items {
		if w := l.lowering(item); w != nil {
			l.policy.lowers = append(l.policy.lowers, w)
			said = append(said, tool.NewObject(
				tool.Member{Name: "name", Value: w.name}, tool.Member{Name: "tools", Value: anyList(w.tools)}, tool.Member{Name: "output", Value: anyList(w.kinds)},
				tool.Member{Name: "sources", Value: anyList(w.sources)}, tool.Member{Name: "release", Value: w.release},
				tool.Member{Name: "readers", Value: w.readers.String()}, tool.Member{Name: "names", Value: anyList(w.readers.Principals())}, tool.Member{Name: "reason", Value: w.reason}))
		}
	}
	l.said.Set("lower", said)
}

func (l *loader) lowering(e *entry) *lowering {
	before := len(l.problems)
	if !l.keys(e, "a rule of lower", "name", "tools", "output", "sources", "readers", "reason") {
		return nil
	}
	w := &lowering{name: l.need(e, "name", "a rule of lower"), pos: e.pos}
	what := "the rule " + quote(w.name)
	taken := slices.ContainsFunc(l.policy.lowers, func(o *lowering) bool { return o.name == w.name }) ||
		slices.ContainsFunc(l.policy.rules, func(o *rule) bool { return o.name == w.name })
	if taken {
		l.add(e.pos, "Give it a name of its own.", "%s stands twice", what)
	}
	w.reason = l.need(e, "reason", what)
	if t := e.get("tools"); t == nil {
		l.add(e.pos, "Add tools: [ask_llm].", "%s lacks the key \"tools\"", what)
	} else {
		w.tools = l.pick(t, what)
	}
	kinds := l.texts(e.get("output"), "output of "+what, 20)
	if len(kinds) == 0 {
		l.add(e.pos, "Add output: [enum, date].", "%s does not say which types of results it lowers", what)
	}
	for _, k := range kinds {
		if !slices.Contains(narrowKinds(), k.text) {
			l.add(k.pos, "Only "+strings.Join(narrowKinds(), ", ")+" carry so little that a rule may vouch for them.", "%s: results of the type %s cannot be lowered", what, quote(k.text))
		}
		w.kinds = append(w.kinds, k.text)
	}
	for _, s := range l.texts(e.get("sources"), "sources of "+what, 1000) {
		l.source(from{s.text, s.pos})
		w.sources = append(w.sources, s.text)
	}
	if r := e.get("readers"); r != nil {
		w.release = true
		if r.kind == textEntry && r.text == "everyone" {
			w.readers = label.Everyone()
		} else {
			w.readers = label.Only(l.people(r, what)...)
		}
	}
	slices.Sort(w.kinds)
	slices.Sort(w.sources)
	if len(l.problems) > before {
		return nil
	}
	return w
}

// Lower returns the label of a result that a rule under "lower" vouches for,
// and the rule's name. The result, or the part of it that has this label, has
// the type t and has been validated against it. A nil t is the tool's whole
// output. Without a rule for it the label is returned as it is.
func (p *Policy) Lower(def *tool.Definition, l label.Label, t *tool.Type) (lowered label.Label, rule string, ok bool) {
	if def == nil || p.tools == nil {
		return l, "", false
	}
	if t == nil {
		t = def.Output.Type()
	}
	kind, narrow := t.Narrow()
	if !narrow {
		return l, "", false
	}
	for _, w := range p.lowers {
		if slices.Contains(w.tools, def.Name) && slices.Contains(w.kinds, kind) && w.vouches(l) {
			by := label.Endorser{Kind: label.Rule, Name: w.name, Why: w.reason}
			out := l.Endorse(by)
			if w.release {
				out = out.Release(by, w.readers)
			}
			return out, w.name, true
		}
	}
	return l, "", false
}

// vouches reports whether the rule covers all untrusted sources of a label.
func (w *lowering) vouches(l label.Label) bool {
	for _, s := range l.Sources {
		f := fact{s.Kind, s.Name, s.Trusted}
		covered := len(w.sources) == 0 || slices.ContainsFunc(w.sources, f.is)
		if f.kind == label.Tool && f.name == unknownTool {
			covered = false
		}
		if !s.Trusted && !covered {
			return false
		}
	}
	return true
}

// Lowered is a part of a result with its lowered label.
type Lowered struct {
	Path  tool.Pointer // "*" stands for every item of a list
	Label label.Label
	Rule  string
}

// LowerParts applies [Policy.Lower] to a result and to its parts as their type
// tells them, and returns those that a rule vouches for. It is for results
// that are objects of narrow fields, as quarantined models give them.
func (p *Policy) LowerParts(def *tool.Definition, l label.Label, t *tool.Type) []Lowered {
	if def == nil || len(p.lowers) == 0 {
		return nil
	}
	if t == nil {
		t = def.Output.Type()
	}
	var out []Lowered
	left := maxLowered
	p.lowerParts(def, l, t, "", 0, &left, &out)
	return out
}

const maxLowered = 1000 // parts that LowerParts looks at

func (p *Policy) lowerParts(def *tool.Definition, l label.Label, t *tool.Type, at tool.Pointer, depth int, left *int, out *[]Lowered) {
	if *left--; *left < 0 || depth > 16 || t == nil {
		return
	}
	if low, rule, ok := p.Lower(def, l, t); ok {
		*out = append(*out, Lowered{at, low, rule})
		return
	}
	for _, prop := range t.Properties {
		p.lowerParts(def, l, prop.Type, at.Child(prop.Name), depth+1, left, out)
	}
	if !t.Kinds.Has(tool.ArrayKind) || t.Kinds == tool.AnyKind {
		return
	}
	for i, item := range t.Prefix {
		p.lowerParts(def, l, item, at+"/"+tool.Pointer(strconv.Itoa(i)), depth+1, left, out)
	}
	if len(t.Prefix) == 0 {
		p.lowerParts(def, l, t.Items, at+"/*", depth+1, left, out)
	}
}
