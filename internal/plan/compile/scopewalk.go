package compile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"praxis/internal/plan/syntax"
)

// maxErrors bounds what is reported of one program.
const maxErrors = 20

// SyntaxErrors finds what Python calls a SyntaxError although the grammar allows
// it, in the order of the source. Unlike a Python module a plan may await outside of
// functions, as if it were the body of one.
func SyntaxErrors(m *syntax.Module) []*syntax.Error { return analyse(m, nil).errs }

// analysis walks a tree, makes its scopes and finds what cannot be where it is.
type analysis struct {
	scopes
	facts     *facts // of strict mode, or nil
	root      *scope
	s         *scope       // the one that is being walked
	whole     *syntax.Comp // strict mode: the one that is compiled in place
	nonlocals []nonlocal
	errs      []*syntax.Error
}

// nonlocal is a name that a nonlocal statement declares.
type nonlocal struct {
	s    *scope
	name string
	at   syntax.Node
}

// analyse finds the scopes of a program, and what its names mean.
func analyse(m *syntax.Module, f *facts) *analysis {
	a := &analysis{facts: f, scopes: scopes{of: map[syntax.Node]*scope{}}}
	a.root = a.open(m, scopeModule)
	walkAll(a, m.Body)
	for _, d := range a.nonlocals {
		if d.s.find(d.name).kind == refGlobal {
			a.at(d.at, "no binding for nonlocal '%s' found", d.name)
		}
	}
	// Outer scopes first: free variables have the same order each time, and what
	// is shared is known before code is made.
	for _, s := range a.list {
		for _, name := range s.uses {
			s.resolve(name)
		}
	}
	slices.SortStableFunc(a.errs, func(x, y *syntax.Error) int {
		return cmp.Or(cmp.Compare(x.Pos.Line, y.Pos.Line), cmp.Compare(x.Pos.Col, y.Pos.Col))
	})
	a.errs = a.errs[:min(len(a.errs), maxErrors)]
	return a
}

// at reports an error of n.
func (a *analysis) at(n syntax.Node, format string, args ...any) {
	at := n.Range()
	a.errs = append(a.errs, &syntax.Error{Pos: at.Start, End: at.End, Kind: syntax.SyntaxError, Message: fmt.Sprintf(format, args...)})
}

// open makes the scope of a node, and walks in it until it is closed.
func (a *analysis) open(n syntax.Node, kind scopeKind) *scope {
	s := &scope{kind: kind, parent: a.s}
	if a.s != nil {
		s.class = a.s.class
	}
	a.list = append(a.list, s)
	a.of[n] = s
	a.s = s
	return s
}

func (a *analysis) close() { a.s = a.s.parent }

func walkAll[T syntax.Node](a *analysis, list []T) {
	for _, n := range list {
		a.node(n)
	}
}

// node walks a node. Annotations are not evaluated and have no part in it.
func (a *analysis) node(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.FunctionDef:
		walkAll(a, n.Decorators)
		a.defaults(n.Args)
		a.store(n.Name)
		a.function(n, n.Args).coroutine = n.Async
		walkAll(a, n.Body)
		a.close()
	case *syntax.Lambda:
		a.defaults(n.Args)
		a.function(n, n.Args)
		a.node(n.Body)
		a.close()
	case *syntax.ClassDef:
		a.classDef(n)
	case *syntax.AnnAssign:
		a.node(n.Target)
		if n.Value != nil {
			a.node(n.Value)
		}
	case *syntax.For:
		a.node(n.Iter)
		a.node(n.Target)
		a.loop(n.Body, n.OrElse)
	case *syntax.While:
		a.node(n.Test)
		a.loop(n.Body, n.OrElse)
	case *syntax.Return:
		if a.s.kind != scopeFunc {
			a.at(n, "'return' outside function")
		}
		syntax.Children(n, a.node)
	case *syntax.Break:
		a.jump(n, "break")
	case *syntax.Continue:
		a.jump(n, "continue")
	case *syntax.Declare:
		a.declare(n)
	case *syntax.ExceptHandler:
		if n.Name != "" {
			a.store(n.Name)
			a.del(n.Name)
		}
		syntax.Children(n, a.node)
	case *syntax.Alias:
		if n.Name != "*" {
			a.store(n.Bound())
		}
	case *syntax.Match:
		a.match(n)
	case *syntax.MatchAs, *syntax.MatchStar:
		for _, name := range syntax.Bindings(n) {
			if name != "" {
				a.store(name)
			}
		}
		syntax.Children(n, a.node)
	case syntax.Expr:
		a.expr(n)
	default:
		syntax.Children(n, a.node)
	}
}

func (a *analysis) expr(n syntax.Expr) {
	switch n := n.(type) {
	case *syntax.Name:
		switch n.Ctx {
		case syntax.Load:
			a.load(n.ID)
		case syntax.Del:
			a.store(n.ID)
			a.del(n.ID)
		default:
			a.store(n.ID)
		}
	case *syntax.NamedExpr:
		a.node(n.Value)
		a.walrus(n)
	case *syntax.Starred:
		a.at(n, "can't use starred expression here")
	case *syntax.Tuple:
		a.elements(n, n.Elts, n.Ctx)
	case *syntax.List:
		a.elements(n, n.Elts, n.Ctx)
	case *syntax.Set:
		a.elements(n, n.Elts, syntax.Load)
	case *syntax.Call:
		a.node(n.Func)
		if g := a.facts.wholeGenexp(n); g != nil {
			a.whole = g
		}
		a.arguments(n, n.Args, n.Keywords)
	case *syntax.Comp:
		a.comprehension(n)
	case *syntax.Yield:
		if a.s.kind != scopeFunc {
			a.at(n, "'yield' outside function")
		}
		a.s.code().generator = true
		syntax.Children(n, a.node)
	case *syntax.Await:
		f := a.s
		for f.comprehends() {
			f = f.parent
		}
		if f.kind == scopeFunc && !f.coroutine {
			a.at(n, "'await' outside async function")
		}
		a.node(n.Value)
	default:
		syntax.Children(n, a.node)
	}
}

func (a *analysis) loop(body, orElse []syntax.Stmt) {
	a.s.loops++
	walkAll(a, body)
	a.s.loops--
	walkAll(a, orElse)
}

// jump checks a break or continue.
func (a *analysis) jump(n syntax.Stmt, what string) {
	if a.s.loops == 0 {
		a.at(n, "'%s' outside loop", what)
	}
}

// function opens the scope of a def or lambda; defaults, decorators and
// annotations belong to the scope around.
func (a *analysis) function(n syntax.Node, args *syntax.Arguments) *scope {
	s := a.open(n, scopeFunc)
	for _, p := range parameters(args) {
		s.bind(s.mangle(p.Arg))
		s.params++
	}
	return s
}

func (a *analysis) defaults(args *syntax.Arguments) {
	walkAll(a, args.Defaults)
	for _, d := range args.KwDefaults {
		if d != nil {
			a.node(d)
		}
	}
}

func (a *analysis) classDef(n *syntax.ClassDef) {
	walkAll(a, n.Decorators)
	a.store(n.Name)
	a.arguments(n, n.Bases, n.Keywords)
	c := a.open(n, scopeClass)
	c.class = n.Name
	c.classCell = &variable{name: "__class__", home: c, slot: -1}
	walkAll(a, n.Body)
	a.close()
}

// arguments walks the arguments of a call or of a class.
func (a *analysis) arguments(n syntax.Node, args []syntax.Expr, keywords []*syntax.Keyword) {
	a.elements(n, args, syntax.Load)
	seen := make(map[string]bool, len(keywords))
	for _, k := range keywords {
		if seen[k.Arg] {
			a.at(k, "keyword argument repeated: %s", k.Arg)
		}
		seen[k.Arg] = k.Arg != ""
		a.node(k.Value)
	}
}

// elements walks what may be starred; of targets, one may.
func (a *analysis) elements(n syntax.Node, list []syntax.Expr, ctx syntax.Context) {
	stars := 0
	for _, e := range list {
		if st, ok := e.(*syntax.Starred); ok {
			stars++
			e = st.Value
		}
		a.node(e)
	}
	if stars > 1 && ctx == syntax.Store {
		a.at(n, "multiple starred expressions in assignment")
	}
}

// walrus binds the target of `name := value`: within comprehensions, in the
// function around them.
func (a *analysis) walrus(e *syntax.NamedExpr) {
	s, name := a.s, a.s.mangle(e.Target.ID)
	for a.s.comprehends() {
		if a.s.vars[name] != nil {
			a.at(e.Target, "assignment expression cannot rebind comprehension iteration variable '%s'", name)
		}
		a.s = a.s.parent
	}
	if a.s.kind == scopeClass && a.s != s {
		a.at(e.Target, "assignment expression within a comprehension cannot be used in a class body")
	}
	a.store(e.Target.ID)
	a.s = s
	s.use(name)
}

func (a *analysis) comprehension(n *syntax.Comp) {
	a.node(n.Generators[0].Iter) // in the scope around
	c := a.open(n, scopeInline)
	if n.Kind == syntax.GeneratorExp && a.whole != n {
		c.kind = scopeGen
		c.bind(".0")
		c.params = 1
		c.generator = true
	}
	for i, g := range n.Generators {
		if i > 0 {
			a.node(g.Iter)
		}
		a.node(g.Target)
		walkAll(a, g.Ifs)
	}
	a.node(n.Elt)
	if n.Value != nil {
		a.node(n.Value)
	}
	a.close()
}

func (a *analysis) match(n *syntax.Match) {
	for i, c := range n.Cases {
		a.reachable(c.Pattern, c.Guard != nil || i == len(n.Cases)-1)
		a.captures(c.Pattern, map[string]bool{})
	}
	syntax.Children(n, a.node)
}

// reachable refuses a pattern that matches everything before others.
func (a *analysis) reachable(p syntax.Pattern, last bool) {
	if !last && isWildcard(p) {
		a.at(p, "this pattern matches everything: put it last, or compare with a constant as X.NAME or in a guard")
	}
}

// captures adds the names that a pattern binds, each once; alternatives bind the same.
func (a *analysis) captures(p syntax.Node, names map[string]bool) {
	if or, ok := p.(*syntax.MatchOr); ok {
		var first map[string]bool
		for i, alternative := range or.Patterns {
			a.reachable(alternative, i == len(or.Patterns)-1)
			own := map[string]bool{}
			a.captures(alternative, own)
			if first == nil {
				first = own
			} else if !maps.Equal(first, own) {
				a.at(p, "alternative patterns bind different names")
			}
		}
		maps.Copy(names, first)
		return
	}
	if seq, ok := p.(*syntax.MatchSequence); ok {
		stars := 0
		for _, e := range seq.Patterns {
			if _, ok := e.(*syntax.MatchStar); ok {
				stars++
			}
		}
		if stars > 1 {
			a.at(p, "multiple starred names in sequence pattern")
		}
	}
	if _, ok := p.(syntax.Expr); ok {
		return
	}
	for _, name := range syntax.Bindings(p) {
		if names[name] {
			a.at(p, "multiple assignments to name '%s' in pattern", name)
		}
		if name != "" {
			names[name] = true
		}
	}
	syntax.Children(p, func(n syntax.Node) { a.captures(n, names) })
}

// store binds a name, where a declaration says so in another scope.
func (a *analysis) store(name string) {
	s := a.s
	name = s.mangle(name)
	switch {
	case s.globals[name]:
		a.root.bind(name)
		s.use(name)
	case s.nonlocals[name]:
		s.use(name)
	default:
		s.bind(name)
	}
}

func (a *analysis) load(name string) {
	a.s.use(a.s.mangle(name))
	if name == "super" || name == "__class__" {
		a.s.use("__class__")
	}
}

// del notes that a name is unbound at some place.
func (a *analysis) del(name string) {
	if v := a.s.vars[a.s.mangle(name)]; v != nil {
		v.deleted = true
	}
}

// declare is a global or nonlocal statement.
func (a *analysis) declare(n *syntax.Declare) {
	s := a.s
	if s.kind == scopeModule {
		if n.Nonlocal {
			a.at(n, "nonlocal declaration not allowed at module level")
		}
		return
	}
	list := &s.globals
	if n.Nonlocal {
		list = &s.nonlocals
	}
	if *list == nil {
		*list = map[string]bool{}
	}
	for _, name := range n.Names {
		name = s.mangle(name)
		if s.used[name] && !(*list)[name] {
			a.at(n, "name '%s' is used before its global or nonlocal declaration", name)
		}
		(*list)[name] = true
		if n.Nonlocal {
			a.nonlocals = append(a.nonlocals, nonlocal{s, name, n})
		}
	}
}
