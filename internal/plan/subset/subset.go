// Package subset says which part of Python the plan language is: what a program
// uses that the language leaves out is found before anything is compiled or
// checked, and each refusal says what to write instead. It knows the modules that
// there are, and the names in them, from their texts and their natives.
package subset

import (
	"cmp"
	"slices"
	"sort"

	"praxis/fault"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// Fault returns a refusal as a fault of kind Invalid.
func Fault(r syntax.Refusal) *fault.Error {
	return fault.New(fault.Invalid, r.Remedy, "cannot compile the program: line %d: %s is not part of the plan language", r.Pos.Line, r.Feature)
}

// maxBases bounds how many classes a class statement names.
const maxBases = 100

// maxRefusals bounds how many are reported of one program.
const maxRefusals = 100

// Unsupported finds what a program uses that the plan language leaves out, in
// the order of the source. It first writes out the names of "from module import *".
func Unsupported(m *syntax.Module) []syntax.Refusal {
	f := &features{}
	writeStars(m)
	f.lacking(m)
	syntax.Walk(m, func(n syntax.Node) bool {
		f.node(n)
		return len(f.list) < maxRefusals
	})
	f.names(m)
	sort.SliceStable(f.list, func(i, k int) bool { return f.list[i].Pos.Before(f.list[k].Pos) })
	return f.list
}

// features looks for what is left out.
type features struct {
	list    []syntax.Refusal
	fine    map[syntax.Node]bool // nodes that their parent makes acceptable
	suspect []*syntax.Name       // names that are refused unless the program binds them
	enums   map[string]bool      // classes of module enum that the program imports
	kinds   map[string]bool      // names of kinds of containers that the program imports
}

func (f *features) refuse(span syntax.Span, feature, remedy string) {
	f.list = append(f.list, syntax.Refusal{Pos: span.Start, End: span.End, Feature: feature, Remedy: remedy})
}

func (f *features) allow(n syntax.Node) {
	if f.fine == nil {
		f.fine = map[syntax.Node]bool{}
	}
	f.fine[n] = true
}

// node looks at one node; parents come before their children.
func (f *features) node(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.For:
		if n.Async {
			f.refuse(n.Span, "async for", "Use a plain for loop; calls of tools need no await.")
		}
	case *syntax.With:
		if n.Async {
			f.refuse(n.Span, "async with", "Use a plain with statement.")
		}
	case *syntax.Comprehension:
		if n.IsAsync {
			f.refuse(n.Span, "an asynchronous comprehension", "Use a plain comprehension; calls of tools need no await.")
		}
	case *syntax.FunctionDef:
		if n.Async {
			f.asyncGenerator(n)
		}
	case *syntax.ClassDef:
		f.class(n)
	case *syntax.ImportFrom:
		if n.Level > 0 {
			f.refuse(n.Span, "a relative import", "Import a module of the language by its full name.")
		}
		for _, al := range n.Names {
			if al.Name == "*" {
				f.refuse(al.Span, "import *", "Name what you import, or import it at the outer level of the program.")
			}
		}
	case *syntax.Constant:
		if n.Kind == syntax.Complex {
			f.refuse(n.Span, "a complex number", "Compute with two floats, or with math.hypot and math.atan2.")
		}
	case *syntax.Attribute:
		f.attribute(n)
	case *syntax.Subscript:
		if n.Ctx != syntax.Load {
			f.copied(n.Value, n.Span)
		}
	case *syntax.Assign:
		if syntax.AttrName(n.Value) == "__dict__" {
			f.refuse(n.Value.Range(), "keeping the attribute __dict__", "Write dict(vars(x)): a copy, as vars(x) is.")
		}
	case *syntax.Call:
		f.call(n)
	case *syntax.Name:
		if remedy("name", n.ID) != "" && n.Ctx == syntax.Load && !f.fine[n] {
			f.suspect = append(f.suspect, n)
		}
	}
}

func (f *features) asyncGenerator(n *syntax.FunctionDef) {
	for _, s := range n.Body {
		syntax.Walk(s, func(c syntax.Node) bool {
			switch c.(type) {
			case *syntax.FunctionDef, *syntax.ClassDef, *syntax.Lambda:
				return false
			case *syntax.Yield:
				f.refuse(c.Range(), "an asynchronous generator", "Use a plain def with yield.")
			}
			return true
		})
	}
}

func (f *features) class(n *syntax.ClassDef) {
	for _, base := range n.Bases {
		if id, ok := base.(*syntax.Name); ok && f.kinds[id.ID] {
			f.refuse(id.Span, "deriving from "+id.ID, "Derive from dict, list or set.")
		}
	}
	for _, s := range n.Body {
		syntax.Walk(s, func(c syntax.Node) bool {
			for _, name := range syntax.Bindings(c) {
				if text := remedy("method", name); text != "" {
					f.refuse(s.Range(), "the method "+name, text)
				}
			}
			switch c.(type) {
			case *syntax.FunctionDef, *syntax.ClassDef, *syntax.Lambda:
				return false
			}
			return true
		})
	}
	stars := slices.ContainsFunc(n.Bases, func(e syntax.Expr) bool { _, ok := e.(*syntax.Starred); return ok })
	if stars || len(n.Bases) > maxBases || slices.ContainsFunc(n.Keywords, func(k *syntax.Keyword) bool { return k.Arg == "" }) {
		f.refuse(n.Span, "a class statement with stars", "Name the bases.")
	}
	for _, k := range n.Keywords {
		if k.Arg != "metaclass" {
			continue
		}
		name := syntax.AttrName(k.Value)
		if id, ok := k.Value.(*syntax.Name); ok {
			name = id.ID
		}
		if name != "ABCMeta" && name != "EnumMeta" && name != "EnumType" && name != "type" {
			f.refuse(k.Span, "a metaclass", "Use a class decorator.")
		}
	}
}

// copied refuses to change what vars(x) or x.__dict__ gives: it is a copy.
func (f *features) copied(e syntax.Expr, span syntax.Span) {
	c, ok := e.(*syntax.Call)
	if ok {
		name, is := c.Func.(*syntax.Name)
		ok = is && name.ID == "vars"
	}
	if ok || syntax.AttrName(e) == "__dict__" {
		f.refuse(span, "changing attributes through vars(x) or x.__dict__", "Use setattr(x, name, value) and delattr(x, name).")
	}
}

func (f *features) attribute(n *syntax.Attribute) {
	f.superOf(n.Value)
	switch n.Attr {
	case "update", "pop", "popitem", "setdefault", "clear":
		f.copied(n.Value, n.Span)
	case "__class__", "__dict__":
		if n.Ctx == syntax.Load {
			return
		}
	case "cache_info", "cache_parameters", "cache_clear":
		f.refuse(n.Span, "the attribute "+n.Attr, "Count the calls in a variable of your own.")
	}
	if !f.fine[n] && value.Reflective(n.Attr) {
		f.refuse(n.Span, "the attribute "+n.Attr, attributeRemedy(n.Attr))
	}
}

func attributeRemedy(name string) string {
	return cmp.Or(remedy("attribute", name), "Plans cannot reach into the language's machinery; do without it.")
}

func (f *features) call(n *syntax.Call) {
	name, ok := n.Func.(*syntax.Name)
	if !ok {
		return
	}
	switch name.ID {
	case "vars":
		if len(n.Args) == 1 {
			f.allow(name)
		}
	case "type":
		if len(n.Args) == 3 {
			f.refuse(n.Span, "making a class with type", "Write a class statement.")
		}
	case "Enum", "IntEnum", "StrEnum":
		if f.enums[name.ID] && len(n.Args) > 1 {
			f.refuse(n.Span, "making a class with "+name.ID, "Write a class statement with its members.")
		}
	case "getattr", "setattr", "hasattr", "delattr":
		if len(n.Args) >= 2 {
			if c, ok := n.Args[1].(*syntax.Constant); ok && c.Kind == syntax.Str && value.Reflective(c.Str) {
				f.refuse(n.Span, "the attribute "+c.Str, attributeRemedy(c.Str))
			}
		}
	}
}

// superOf allows super() and super(C, self) where an attribute is taken of it.
func (f *features) superOf(e syntax.Expr) {
	if c, ok := e.(*syntax.Call); ok && len(c.Keywords) == 0 && (len(c.Args) == 0 || len(c.Args) == 2) {
		if name, ok := c.Func.(*syntax.Name); ok && name.ID == "super" {
			f.allow(name)
		}
	}
}

// names refuses the suspect names that the program does not bind itself.
func (f *features) names(m *syntax.Module) {
	if len(f.suspect) == 0 {
		return
	}
	bound := map[string]bool{}
	syntax.Walk(m, func(n syntax.Node) bool {
		for _, name := range syntax.Bindings(n) {
			bound[name] = true
		}
		return true
	})
	for _, n := range f.suspect {
		if !bound[n.ID] && len(f.list) < maxRefusals {
			f.refuse(n.Span, "the name "+n.ID, remedy("name", n.ID))
		}
	}
}
