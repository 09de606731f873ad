package policy

import (
	"slices"
	"strings"

	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// fits checks the paths that a condition follows, itself and through named
// conditions, against the schemas of the tools that its rule is about.
func (l *loader) fits(c *condition, tools []string, what string) {
	uses, froms := l.allUses(c, nil, nil)
	tested := map[string]bool{}
	for _, u := range uses {
		if u.kind == useTested {
			tested[u.path.String()] = true
		}
	}
	for _, u := range uses {
		l.fit(u, tools, tested, what)
	}
	for _, f := range froms {
		l.source(f)
	}
}

func (l *loader) allUses(c *condition, uses []use, froms []from) ([]use, []from) {
	uses, froms = append(uses, c.uses...), append(froms, c.froms...)
	for _, name := range c.names {
		if named := l.policy.named[name]; named != nil && named != c && len(uses) < 20*maxNodes {
			uses, froms = l.allUses(named, uses, froms)
		}
	}
	return uses, froms
}

// lack says what a path misses in a schema.
type lack uint8

const (
	lacksNothing lack = iota
	lacksMaybe        // it may be left out
	lacksAlways       // the schema has no such member
)

func (l *loader) fit(u use, tools []string, tested map[string]bool, what string) {
	if u.path.root != "args" || len(u.path.segs) == 0 {
		return
	}
	var never, optional []string
	var bad, known = "", []string{}
	for _, name := range tools {
		d, ok := l.tools.Lookup(name)
		if !ok {
			continue
		}
		miss, at, names := missing(d, u.path)
		guard := guarded(u.path, tested)
		switch {
		case miss == lacksAlways:
			if never = append(never, name); !guard || len(never) == len(tools) {
				bad, known = at, append(known, names...)
			}
		case miss == lacksMaybe && u.kind == usePlain && !guard:
			optional = append(optional, name)
		}
	}
	switch {
	case bad != "" && len(never) == len(tools):
		l.Add(u.at, jsondoc.DidYouMean(bad, known), "%s asks %s, but %s has no %s", what, u.path, strings.Join(clipNames(never), ", "), safetext.Quote(bad))
	case bad != "":
		l.Add(u.at, "Write has("+u.path.String()+") && …, or make two rules.", "%s asks %s, but %s has no %s", what, u.path, strings.Join(clipNames(never), ", "), safetext.Quote(bad))
	case len(optional) > 0:
		l.Add(u.at, "Write has("+u.path.String()+") && …: what is not given has no value.", "%s uses the value of %s, which %s may be called without", what, u.path, strings.Join(clipNames(optional), ", "))
	}
}

func clipNames(names []string) []string {
	if len(names) > 4 {
		return append(slices.Clone(names[:3]), "others")
	}
	return names
}

// guarded reports whether the condition calls has() on the path or on a part of it.
func guarded(p path, tested map[string]bool) bool {
	for n := 1; n <= len(p.segs); n++ {
		if tested[(path{p.root, p.segs[:n]}).String()] {
			return true
		}
	}
	return false
}

// missing follows a path in the arguments of a tool.
func missing(d *tool.Definition, p path) (lack, string, []string) {
	worst := lacksNothing
	t := d.Input.Type()
	for i, seg := range p.segs {
		if t == nil {
			return worst, "", nil
		}
		if seg == "*" {
			t, _ = element(t, 1<<20)
			continue
		}
		next, declared := member(t, seg)
		if !declared {
			refused := t.Additional == nil
			if i == 0 {
				_, err := d.BindPartial(0, []string{seg})
				refused = err != nil
			}
			// A schema that says nothing about other members allows them; one
			// that is nearly a declared one is a mistake all the same.
			if refused || len(t.Properties) > 0 && jsondoc.Nearest(seg, t.Names()) != "" {
				return lacksAlways, seg, t.Names()
			}
			return worst, "", nil
		}
		if prop, ok := t.Property(seg); ok && !prop.Required && !(i == 0 && prop.Type.HasDefault) {
			worst = lacksMaybe
		}
		t = next
	}
	return worst, "", nil
}

// source refuses sources that nothing can come from.
func (l *loader) source(f from) {
	known := []string{"user", "model", planner}
	for _, in := range l.tools.Inputs() {
		known = append(known, "user."+in.Name)
	}
	known = append(append(known, "user.today"), l.tools.Names()...)
	for _, k := range known {
		if globMatch(f.pattern, k) {
			return
		}
	}
	remedy := jsondoc.DidYouMean(f.pattern, known)
	if near := l.tools.Suggest(f.pattern); near != "" {
		remedy = "Did you mean " + near + "?"
	}
	l.Add(f.at, remedy, "there is no source %s", safetext.Quote(f.pattern))
}

// consistency refuses rules that can never decide and rules that contradict
// each other. It compares conditions by their texts in canonical form: what it
// says is certain, what it does not find may still be there.
func (l *loader) consistency() {
	rules := l.policy.rules
	for i, r := range rules {
		if l.impossible(r) {
			continue
		}
		var by *rule
		covered := 0
		for _, t := range r.tools {
			for k, s := range rules {
				if k != i && slices.Contains(s.tools, t) && (s.verdict > r.verdict || s.verdict == r.verdict && k < i) && s.weaker(r) {
					by = s
					covered++
					break
				}
			}
		}
		if covered < len(r.tools) || by == nil {
			continue
		}
		switch {
		case by.weaker(r) && r.weaker(by) && by.verdict != r.verdict:
			l.AddAt(r.pos, "Keep one of them, or give them different conditions.", "the rule %s says %s where the rule %s of line %d says %s", safetext.Quote(r.name), r.verdict, safetext.Quote(by.name), by.pos.Line, by.verdict)
		case by.weaker(r) && r.weaker(by):
			l.AddAt(r.pos, "Keep one of them.", "the rule %s says again what the rule %s of line %d says", safetext.Quote(r.name), safetext.Quote(by.name), by.pos.Line)
		default:
			l.AddAt(r.pos, "Remove it, or narrow the rule "+safetext.Quote(by.name)+".", "the rule %s never decides: where it applies, the rule %s of line %d says %s", safetext.Quote(r.name), safetext.Quote(by.name), by.pos.Line, by.verdict)
		}
	}
}

// impossible finds conditions that are never true.
func (l *loader) impossible(r *rule) bool {
	if r.when == nil {
		return false
	}
	texts := r.when.texts()
	for _, c := range r.when.clauses {
		if c.literal != nil && !*c.literal {
			l.Add(r.when.at, "Remove the rule.", "the rule %s never applies: its condition is false", safetext.Quote(r.name))
			return true
		}
		if slices.Contains(texts, "!"+c.text) || slices.Contains(texts, "!("+c.text+")") {
			l.Add(r.when.at, "Remove one of them.", "the rule %s never applies: its condition requires %s and its opposite", safetext.Quote(r.name), safetext.Quote(c.text))
			return true
		}
	}
	return false
}

// texts returns the clauses but the word true.
func (c *condition) texts() []string {
	if c == nil {
		return nil
	}
	var out []string
	for _, cl := range c.clauses {
		if cl.literal == nil || !*cl.literal {
			out = append(out, cl.text)
		}
	}
	return out
}

// weaker reports whether r surely applies where o does: each of its clauses is one of o's.
func (r *rule) weaker(o *rule) bool {
	theirs := o.when.texts()
	for _, t := range r.when.texts() {
		if !slices.Contains(theirs, t) {
			return false
		}
	}
	return true
}
