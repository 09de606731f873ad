package check

import (
	"slices"
	"strings"

	"praxis/internal/plan/builtin"
	"praxis/internal/plan/library"
	"praxis/internal/plan/syntax"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// given says whether a name means something that the program has not bound.
func (a *analysis) given(name string) bool {
	_, ok := a.inputs[name]
	if !ok && a.tools != nil {
		_, ok = a.tools.Lookup(name)
		ok = ok || a.tools.IsNamespace(name)
	}
	return ok || builtin.Known(name)
}

// names checks every name that the program reads.
func (a *analysis) names(r *Result) {
	for _, s := range a.scopes.all {
		for _, u := range s.uses {
			name := u.name.ID
			if _, _, ok := u.in.lookup(name); ok {
				continue
			}
			if a.given(name) || r.refuses(u.name) {
				continue
			}
			f := found(u.name, Name, Error, "name '"+name+"' is not defined")
			if _, module := library.Source(name); module {
				f.Remedy = "It is a module: import it first."
			} else if f.Remedy = near(name, a.visible(u.in)); f.Remedy == "" && a.tools != nil {
				if s := a.tools.Suggest(name); s != "" {
					f.Remedy = "Did you mean " + s + "?"
				}
			}
			r.add(f)
		}
	}
	if a.tools == nil {
		return
	}
	for _, c := range a.scopes.calls {
		a.toolCallNames(r, c)
	}
}

// refuses says whether a name is one that the language leaves out.
func (r *Result) refuses(n *syntax.Name) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool {
		return f.Kind == Refused && f.Line == int(n.Start.Line) && f.Col == int(n.Start.Col)
	})
}

// visible lists the names that a piece of program can use.
func (a *analysis) visible(s *scope) []string {
	var out []string
	for t := s; t != nil && len(out) < 2000; t = t.parent {
		out = append(out, t.names...)
	}
	for name := range a.inputs {
		out = append(out, name)
	}
	if a.tools != nil {
		out = append(out, a.tools.Namespaces()...)
		out = append(out, a.tools.Names()...)
	}
	return append(out, "abs", "all", "any", "bool", "dict", "enumerate", "filter", "float", "int", "isinstance", "len", "list", "map", "max", "min",
		"print", "range", "repr", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "type", "zip", "Exception", "ValueError", "KeyError")
}

// dottedName gives a.b.c as text, when a is a name from outside.
func dottedName(e syntax.Expr, s *scope) (string, bool) {
	switch e := e.(type) {
	case *syntax.Name:
		if _, _, bound := s.lookup(e.ID); bound {
			return "", false
		}
		return e.ID, true
	case *syntax.Attribute:
		base, ok := dottedName(e.Value, s)
		return base + "." + e.Attr, ok
	}
	return "", false
}

// toolOf is the tool that a call names.
func (a *analysis) toolOf(c callUse) (*tool.Definition, bool) {
	if a.tools == nil {
		return nil, false
	}
	name, ok := dottedName(c.call.Func, c.in)
	if !ok {
		return nil, false
	}
	return a.tools.Lookup(name)
}

// toolCallNames checks the name of a tool that is called, and how it is called.
func (a *analysis) toolCallNames(r *Result, c callUse) {
	name, ok := dottedName(c.call.Func, c.in)
	if !ok {
		return
	}
	d, ok := a.tools.Lookup(name)
	if !ok {
		root, _, _ := strings.Cut(name, ".")
		if a.tools.IsNamespace(root) && root != name {
			r.add(a.noTool(name).at(c.call.Func.Range()))
		}
		return
	}
	a.bindTool(r, d, c.call)
}

// noTool says that a name in a name space of tools is none of them.
func (a *analysis) noTool(name string) *Finding {
	root, _, _ := strings.Cut(name, ".")
	f := &Finding{Kind: Name, Level: Error, Message: "there is no tool " + name, Tool: name}
	if s := a.tools.Suggest(name); s != "" {
		f.Remedy = "Did you mean " + s + "?"
	} else {
		f.Remedy = "Known are " + toolNames(a.tools.Namespace(root)) + "."
	}
	return f
}

func toolNames(list []*tool.Definition) string {
	var names []string
	for i, d := range list {
		if i == 12 {
			names = append(names, "…")
			break
		}
		names = append(names, d.Name)
	}
	return strings.Join(names, ", ")
}

func (a *analysis) bindTool(r *Result, d *tool.Definition, call *syntax.Call) {
	var names []string
	partial := false
	positional := 0
	for _, e := range call.Args {
		if _, ok := e.(*syntax.Starred); ok {
			partial = true
		} else {
			positional++
		}
	}
	for _, k := range call.Keywords {
		if k.Arg == "" {
			partial = true
		} else {
			names = append(names, k.Arg)
		}
	}
	bind := d.Bind
	if partial {
		bind = d.BindPartial
	}
	if _, err := bind(positional, names); err != nil {
		f := found(call, Arguments, Error, err.Error())
		f.Tool = d.Name
		f.Remedy = "Call it as " + d.Signature() + "."
		r.add(f)
	}
}

// near is a sentence that names what was probably meant.
func near(name string, candidates []string) string {
	if best := jsondoc.Nearest(name, candidates); best != "" {
		return "Did you mean " + best + "?"
	}
	return ""
}
