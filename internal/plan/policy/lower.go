package policy

import (
	"slices"
	"strings"

	"praxis/internal/plan/label"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// lowering is a rule that lets results of a narrow type count as trusted.
type lowering struct {
	name    string
	pos     jsondoc.Position
	tools   []string
	kinds   []string // of narrow types
	sources []string // patterns; none: all
	release bool
	readers label.Readers
	reason  string
}

// narrowKinds are the types whose values contain little: see [schema.Type.Narrow].
func narrowKinds() []string {
	return []string{"enum", "boolean", "integer", "date", "date-time", "time", "uuid"}
}

func (l *loader) lowerings(e *jsondoc.Node) {
	for _, item := range l.list(e, "lower", maxRules, "{name: …, tools: …, output: [date], reason: …}") {
		if w := l.lowering(item); w != nil {
			l.policy.lowers = append(l.policy.lowers, w)
		}
	}
}

func (l *loader) lowering(e *jsondoc.Node) *lowering {
	before := len(l.Problems)
	if !l.keys(e, "a rule of lower", "name", "tools", "output", "sources", "readers", "reason") {
		return nil
	}
	w := &lowering{name: l.need(e, "name", "a rule of lower"), pos: l.Pos(e)}
	what := "the rule " + safetext.Quote(w.name)
	taken := slices.ContainsFunc(l.policy.lowers, func(o *lowering) bool { return o.name == w.name }) ||
		slices.ContainsFunc(l.policy.rules, func(o *rule) bool { return o.name == w.name })
	if taken {
		l.Add(e, "Give it a name of its own.", "%s stands twice", what)
	}
	w.reason = l.need(e, "reason", what)
	w.tools = l.needTools(e, what, "ask_llm")
	kinds := l.texts(e.Get("output"), "output of "+what, 20)
	if len(kinds) == 0 {
		l.Add(e, "Add output: [enum, date].", "%s does not say which types of results it lowers", what)
	}
	for _, k := range kinds {
		if !slices.Contains(narrowKinds(), k.Text) {
			l.Add(k, "Only "+strings.Join(narrowKinds(), ", ")+" contain so little that a rule may vouch for them.", "%s: results of the type %s cannot be lowered", what, safetext.Quote(k.Text))
		}
		w.kinds = append(w.kinds, k.Text)
	}
	for _, s := range l.texts(e.Get("sources"), "sources of "+what, 1000) {
		l.source(from{s.Text, s})
		w.sources = append(w.sources, s.Text)
	}
	if r := e.Get("readers"); r != nil {
		w.release = true
		if r.Kind == jsondoc.String && r.Text == "everyone" {
			w.readers = label.Everyone()
		} else {
			w.readers = label.Only(l.people(r, what)...)
		}
	}
	slices.Sort(w.kinds)
	slices.Sort(w.sources)
	if len(l.Problems) > before {
		return nil
	}
	return w
}

// Lower returns the label of a result that a rule under "lower" vouches for,
// and the rule's name. The result, or the part of it that has this label, has
// the type t and has been validated against it. A nil t is the tool's whole
// output. chose is the label of what the type comes from, which is the plan for the
// schema of ask_llm: an enum of somebody else's words is no narrow type, and who may
// not read its words does not get to read one of them. Without a rule for it the
// label is returned as it is.
func (p *Policy) Lower(def *tool.Definition, l label.Label, t *schema.Type, chose label.Label) (lowered label.Label, rule string, ok bool) {
	if def == nil || p.tools == nil || !chose.Trusted() {
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
			return w.apply(l, chose), w.name, true
		}
	}
	return l, "", false
}

func (w *lowering) apply(l, chose label.Label) label.Label {
	by := label.Endorser{Kind: label.Rule, Name: w.name, Why: w.reason}
	out := l.Endorse(by)
	if w.release {
		out = out.Release(by, w.readers.Intersect(chose.Readers))
	}
	return out
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
	Path  jsondoc.Pointer
	Label label.Label
	Rule  string
}

const (
	maxLowered      = 1000 // parts of a result that are looked at
	maxLoweredDepth = 16

	// maxLoweredItems is how many items a list may have whose items are lowered, with
	// the lists that it is in: as a record of so many fields, which a plan could ask for
	// one by one.
	maxLoweredItems = 16
)

// LowerParts applies [Policy.Lower] to a result and to the members of objects
// in it, by their types, and returns those that a rule vouches for,
// with all that is in them. It is for results that are objects of narrow
// fields, as quarantined models give them. Lists are entered only where their schema
// says that they are short ([maxLoweredItems]): any text can be written as a list of
// numbers. The segment "*" of a path stands for every item of a list.
//
// shapes are the objects whose own label, without that of their members, can be lowered
// because members of theirs are: objects that have exactly the members that their type
// requires, so that nothing can be read out of their shape.
func (p *Policy) LowerParts(def *tool.Definition, l label.Label, t *schema.Type, chose label.Label) (parts, shapes []Lowered) {
	if def == nil || len(p.lowers) == 0 {
		return nil, nil
	}
	if t == nil {
		t = def.Output.Type()
	}
	w := lowerWalk{policy: p, def: def, label: l, chose: chose, left: maxLowered}
	w.part(t, "", 0, 1)
	return w.leaves, w.shapes
}

type lowerWalk struct {
	policy         *Policy
	def            *tool.Definition
	label, chose   label.Label
	left           int
	leaves, shapes []Lowered
}

// part reports the rule that lowered something in the part, of which a result can have
// so many.
func (w *lowerWalk) part(t *schema.Type, at jsondoc.Pointer, depth, many int) string {
	if w.left--; w.left < 0 || depth > maxLoweredDepth || t == nil {
		return ""
	}
	if low, rule, ok := w.policy.Lower(w.def, w.label, t, w.chose); ok {
		w.leaves = append(w.leaves, Lowered{at, low, rule})
		return rule
	}
	by, fixed := "", t.Kinds == schema.ObjectKind && t.Additional == nil && len(t.Variants) == 0
	place := len(w.shapes)
	for _, prop := range t.Properties {
		fixed = fixed && prop.Required
		if rule := w.part(prop.Type, at.Child(prop.Name), depth+1, many); by == "" {
			by = rule
		}
	}
	if t.Kinds == schema.ArrayKind && len(t.Variants)+len(t.Prefix) == 0 && t.MaxItems >= 0 && t.MaxItems <= maxLoweredItems/many {
		by, fixed = w.part(t.Items, at.Child("*"), depth+1, many*max(t.MaxItems, 1)), true
	}
	if by == "" || !fixed {
		return ""
	}
	for _, rule := range w.policy.lowers {
		if rule.name == by {
			w.shapes = slices.Insert(w.shapes, place, Lowered{at, rule.apply(w.label, w.chose), by})
		}
	}
	return by
}
