package policy

import (
	"cmp"
	"slices"
	"strings"

	"praxis/internal/plan/label"
)

// fact is what a policy sees of a source: not which call it was and where.
type fact struct {
	kind    label.SourceKind
	name    string
	trusted bool
}

// unknownTool is the name of a source that may be any tool: labels of a full table
// have it.
const unknownTool = "*"

// word is the name that sources() gives.
func (f fact) word() string {
	switch f.kind {
	case label.User:
		return "user"
	case label.Model:
		return "model"
	case label.Planner:
		return planner
	}
	return f.name
}

// is reports whether from(pattern) means this source: a tool or a model by its
// name, an input as user.name, all inputs as user, all models as model.
func (f fact) is(pattern string) bool {
	switch {
	case f.name == unknownTool && f.kind == label.Tool:
		return true
	case pattern == f.word():
		return true
	case f.kind == label.User:
		return globMatch(pattern, "user."+f.name)
	}
	return globMatch(pattern, f.name)
}

// globMatch matches names against patterns: "email.*", "*.delete", "*" for all.
func globMatch(pattern, name string) bool {
	head, tail, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	if !strings.HasPrefix(name, head) {
		return false
	}
	name = name[len(head):]
	if tail == "" {
		return true
	}
	for i := range len(name) + 1 {
		if globMatch(tail, name[i:]) {
			return true
		}
	}
	return false
}

// facts is what a policy sees of a label, or one of the two bounds of an
// unknown one. The zero value is that of the program's own literals.
type facts struct {
	sources  []fact // sorted, without doubles
	readers  label.Readers
	endorsed bool
	any      bool // an upper bound that leaves every source possible
}

func (f facts) trusted() bool {
	return !slices.ContainsFunc(f.sources, func(s fact) bool { return !s.trusted })
}

func (f facts) from(pattern string) bool {
	return slices.ContainsFunc(f.sources, func(s fact) bool { return s.is(pattern) })
}

// words is what sources() gives.
func (f facts) words() []string {
	out := make([]string, 0, len(f.sources))
	for _, s := range f.sources {
		out = append(out, s.word())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// String writes the facts as explanations show them.
func (f facts) String() string {
	var parts []string
	if f.any {
		parts = append(parts, "any source")
	}
	for i, s := range f.sources {
		if i == 8 && len(f.sources) > 9 {
			parts = append(parts, "and more")
			break
		}
		name := s.name
		switch {
		case s.kind == label.User && name == "":
			name = "user"
		case s.kind == label.User:
			name = "user." + name
		case s.kind == label.Model:
			name = "model " + name
		}
		if s.trusted {
			parts = append(parts, name+" (trusted)")
		} else {
			parts = append(parts, name+" (untrusted)")
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "the program")
	}
	text := strings.Join(parts, ", ") + "; readers: " + f.readers.String()
	if f.endorsed {
		text += "; endorsed"
	}
	return text
}

// bounds hold an unknown label between two: what is certainly in it and what
// may be in it. For a label that is known they are the same.
type bounds struct{ must, may facts }

// gather joins labels into facts.
type gather struct {
	facts
	seen map[fact]bool
	last []label.Source // the list that was added last: values often share theirs
}

func (g *gather) add(l *label.Label) {
	g.readers = g.readers.Intersect(l.Readers)
	for _, e := range l.Endorsed {
		g.endorsed = g.endorsed || e.Source.Kind != 0
	}
	if len(l.Sources) == 0 || len(g.last) == len(l.Sources) && &g.last[0] == &l.Sources[0] {
		return
	}
	g.last = l.Sources
	for _, s := range l.Sources {
		g.source(fact{s.Kind, s.Name, s.Trusted})
	}
}

func (g *gather) source(f fact) {
	if g.seen == nil {
		g.seen = make(map[fact]bool)
	}
	if !g.seen[f] {
		g.seen[f] = true
		g.sources = append(g.sources, f)
	}
}

func (g *gather) join(f facts) {
	g.readers = g.readers.Intersect(f.readers)
	g.endorsed = g.endorsed || f.endorsed
	g.any = g.any || f.any
	for _, s := range f.sources {
		g.source(s)
	}
}

// anything widens an upper bound to all there is.
func (g *gather) anything() {
	g.any, g.endorsed = true, true
	g.readers = label.Only()
}

func (g *gather) result() facts {
	slices.SortFunc(g.sources, func(a, b fact) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), strings.Compare(a.name, b.name), label.CompareBool(a.trusted, b.trusted))
	})
	return g.facts
}
