package compile

import (
	"strings"

	"praxis/internal/plan/syntax"
)

// Which calls change nothing, and which variables a piece of program sets for certain.

// pureCall says whether a call changes nothing; its arguments are checked
// by the caller.
func (f *facts) pureCall(n *syntax.Call) bool {
	for _, k := range n.Keywords {
		switch k.Arg {
		case "key", "default", "cls", "object_hook", "object_pairs_hook", "parse_int", "parse_float", "parse_constant", "default_factory", "dict_factory", "file", "":
			if !f.pureFunction(k.Value) {
				return false
			}
		}
	}
	switch fn := n.Func.(type) {
	case *syntax.Name:
		return f.pureNamed(fn.ID, n)
	case *syntax.Attribute:
		root, ok := rootName(fn)
		switch {
		case oneOf(changers, fn.Attr) || f.attrs[fn.Attr] || strings.HasPrefix(fn.Attr, "__"):
			return false
		case f.iterators && oneOf(walkers, fn.Attr) && (len(n.Keywords) > 0 || !f.inPlace(n.Args)):
			return false
		case ok && f.modules[root]:
			return !f.operators && !f.hasCallable(n.Args)
		case oneOf(pureMethods, fn.Attr):
			return !f.dynamic && !f.operators
		}
		// What nobody binds is a tool: the host acts, nothing in the program does.
		return ok && f.bound[root] == 0 && !builtinName(root)
	}
	return false
}

func builtinName(name string) bool { return oneOf(pureBuiltins, name) || oneOf(otherBuiltins, name) }

func (f *facts) pureNamed(name string, n *syntax.Call) bool {
	if f.pure[name] {
		return true
	}
	if f.bound[name] > 0 {
		return false
	}
	if !builtinName(name) {
		return !f.natives // a tool
	}
	switch {
	case !oneOf(pureBuiltins, name) || f.operators:
		return false
	case name == "map" || name == "filter":
		return len(n.Args) > 0 && f.pureFunction(n.Args[0])
	case name == "type":
		return len(n.Args) == 1
	case oneOf(drainers, name):
		return !f.iterators || f.inPlace(n.Args)
	}
	return true
}

// inPlace says whether all that is iterated is made where it is.
func (f *facts) inPlace(args []syntax.Expr) bool {
	for _, a := range args {
		switch a := a.(type) {
		case *syntax.List, *syntax.Tuple, *syntax.Set, *syntax.Dict, *syntax.Constant, *syntax.JoinedStr:
		case *syntax.Comp:
			if a.Kind == syntax.GeneratorExp {
				return false
			}
		case *syntax.Call:
			if name, ok := a.Func.(*syntax.Name); !ok || name.ID != "range" || f.bound["range"] > 0 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// hasCallable says whether an argument could be a function that changes something.
func (f *facts) hasCallable(args []syntax.Expr) bool {
	for _, a := range args {
		switch a := a.(type) {
		case *syntax.Lambda:
			if !f.pureFunction(a) {
				return true
			}
		case *syntax.Comp:
			if a.Kind == syntax.GeneratorExp {
				return true
			}
		case *syntax.Starred:
			return true
		}
	}
	return false
}

// pureFunction says whether calling what e stands for changes nothing.
func (f *facts) pureFunction(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Constant:
		return true
	case *syntax.Lambda:
		w := &effectWalk{f: f}
		w.node(e.Body)
		return !w.e.sticky && len(w.e.assigned) == 0
	case *syntax.Name:
		return f.pure[e.ID] || f.bound[e.ID] == 0 && oneOf(pureBuiltins, e.ID) && !f.operators
	case *syntax.Attribute:
		root, ok := rootName(e)
		return ok && f.bound[root] == 0 && oneOf(pureBuiltins, root) && oneOf(pureMethods, e.Attr) && !f.operators
	}
	return false
}

// speaks says whether a function that changes nothing may call a tool or print.
func (f *facts) speaks(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Name:
			found = found || f.speak[n.ID] || n.ID == "print"
		case *syntax.Call:
			switch fn := n.Func.(type) {
			case *syntax.Name:
				found = found || f.bound[fn.ID] == 0 && !builtinName(fn.ID)
			case *syntax.Attribute:
				root, ok := rootName(fn)
				found = found || ok && f.bound[root] == 0 && !builtinName(root)
			}
		}
		return !found
	})
	return found
}

// rootName is the name that a dotted name begins with.
func rootName(e *syntax.Attribute) (string, bool) {
	for {
		switch v := e.Value.(type) {
		case *syntax.Attribute:
			e = v
		case *syntax.Name:
			return v.ID, true
		default:
			return "", false
		}
	}
}

// definite lists the variables that a statement assigns in whichever way it is
// passed; what leaves it does not matter.
func definite(n syntax.Node) map[string]bool {
	switch n := n.(type) {
	case *syntax.If:
		return both(definiteBlock(n.Body), definiteBlock(n.OrElse))
	case *syntax.Match:
		var all map[string]bool
		for i, c := range n.Cases {
			if names := definiteBlock(c.Body); i == 0 {
				all = names
			} else {
				all = both(all, names)
			}
		}
		if last := n.Cases[len(n.Cases)-1]; last.Guard == nil && isWildcard(last.Pattern) {
			return all
		}
		return map[string]bool{}
	case *syntax.With:
		return definiteBlock(n.Body)
	case *syntax.Assign:
		names := map[string]bool{}
		for _, t := range n.Targets {
			if name, ok := t.(*syntax.Name); ok {
				names[name.ID] = true
			}
		}
		return names
	case *syntax.AugAssign:
		if name, ok := n.Target.(*syntax.Name); ok {
			return map[string]bool{name.ID: true}
		}
	case *syntax.FunctionDef:
		return map[string]bool{n.Name: true}
	case *syntax.ClassDef:
		return map[string]bool{n.Name: true}
	case *syntax.Return, *syntax.Raise, *syntax.Break, *syntax.Continue:
		return nil
	}
	return map[string]bool{}
}

func isWildcard(p syntax.Pattern) bool {
	as, ok := p.(*syntax.MatchAs)
	return ok && as.Pattern == nil
}

// definiteBlock is definite for statements one after the other; nil stands for
// all variables: the end is not reached.
func definiteBlock(body []syntax.Stmt) map[string]bool {
	out := map[string]bool{}
	for _, s := range body {
		names := definite(s)
		if names == nil {
			return nil
		}
		for name := range names {
			out[name] = true
		}
	}
	return out
}

// both are the variables in two sets.
func both(a, b map[string]bool) map[string]bool {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	out := map[string]bool{}
	for name := range a {
		if b[name] {
			out[name] = true
		}
	}
	return out
}
