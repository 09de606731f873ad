package compile

import "praxis/internal/plan/syntax"

// block walks statements in scope s.
func (a *analysis) block(s *scope, body []syntax.Stmt) {
	for _, n := range body {
		a.stmt(s, n)
	}
}

func (a *analysis) stmt(s *scope, n syntax.Stmt) {
	switch n := n.(type) {
	case *syntax.FunctionDef:
		a.functionDef(s, n)
	case *syntax.ClassDef:
		a.classDef(s, n)
	case *syntax.Return:
		a.expr(s, n.Value)
	case *syntax.Delete:
		for _, t := range n.Targets {
			a.target(s, t)
			a.unbind(s, t)
		}
	case *syntax.Assign:
		a.expr(s, n.Value)
		for _, t := range n.Targets {
			a.target(s, t)
		}
	case *syntax.TypeAlias:
		a.store(s, n.Name.ID)
	case *syntax.AugAssign:
		if name, ok := n.Target.(*syntax.Name); ok {
			a.load(s, name.ID)
		}
		a.target(s, n.Target)
		a.expr(s, n.Value)
	case *syntax.AnnAssign:
		a.target(s, n.Target)
		a.expr(s, n.Value)
	case *syntax.ExprStmt:
		a.expr(s, n.Value)
	case *syntax.Assert:
		a.expr(s, n.Test)
		a.expr(s, n.Msg)
	case *syntax.Raise:
		a.expr(s, n.Exc)
		a.expr(s, n.Cause)
	case *syntax.Import:
		a.imports(s, n.Names)
	case *syntax.ImportFrom:
		a.imports(s, n.Names)
	case *syntax.Global:
		a.declare(s, n.Names, true)
	case *syntax.Nonlocal:
		a.declare(s, n.Names, false)
	default:
		a.compound(s, n)
	}
}

func (a *analysis) compound(s *scope, n syntax.Stmt) {
	switch n := n.(type) {
	case *syntax.For:
		a.expr(s, n.Iter)
		a.target(s, n.Target)
		a.block(s, n.Body)
		a.block(s, n.OrElse)
	case *syntax.While:
		a.expr(s, n.Test)
		a.block(s, n.Body)
		a.block(s, n.OrElse)
	case *syntax.If:
		a.expr(s, n.Test)
		a.block(s, n.Body)
		a.block(s, n.OrElse)
	case *syntax.With:
		for _, it := range n.Items {
			a.expr(s, it.ContextExpr)
			if it.OptionalVars != nil {
				a.target(s, it.OptionalVars)
			}
		}
		a.block(s, n.Body)
	case *syntax.Match:
		a.expr(s, n.Subject)
		for _, c := range n.Cases {
			a.pattern(s, c.Pattern)
			a.expr(s, c.Guard)
			a.block(s, c.Body)
		}
	case *syntax.TryStmt:
		a.block(s, n.Body)
		for _, h := range n.Handlers {
			a.expr(s, h.Type)
			if h.Name != "" {
				a.store(s, h.Name)
				a.del(s, h.Name)
			}
			a.block(s, h.Body)
		}
		a.block(s, n.OrElse)
		a.block(s, n.FinalBody)
	}
}

// unbind marks the names of a del statement.
func (a *analysis) unbind(s *scope, t syntax.Expr) {
	switch t := t.(type) {
	case *syntax.Name:
		a.del(s, t.ID)
	case *syntax.Tuple:
		for _, e := range t.Elts {
			a.unbind(s, e)
		}
	case *syntax.List:
		for _, e := range t.Elts {
			a.unbind(s, e)
		}
	}
}

func (a *analysis) imports(s *scope, names []*syntax.Alias) {
	for _, al := range names {
		if al.Name != "*" {
			a.store(s, al.Bound())
		}
	}
}

func (a *analysis) functionDef(s *scope, n *syntax.FunctionDef) {
	a.exprs(s, n.Decorators)
	a.defaults(s, n.Args)
	a.store(s, n.Name)
	f := a.function(s, n, n.Name, n.Args)
	f.coroutine = n.Async
	a.block(f, n.Body)
}

func (a *analysis) classDef(s *scope, n *syntax.ClassDef) {
	a.exprs(s, n.Decorators)
	a.store(s, n.Name)
	a.elements(s, n.Bases)
	for _, k := range n.Keywords {
		a.expr(s, k.Value)
	}
	c := a.push(s, scopeClass, n.Name)
	c.class = n.Name
	c.classCell = &variable{name: "__class__", home: c, slot: -1}
	a.of[n] = c
	a.block(c, n.Body)
}

func (a *analysis) exprs(s *scope, list []syntax.Expr) {
	for _, e := range list {
		a.expr(s, e)
	}
}

// target walks what is assigned or deleted.
func (a *analysis) target(s *scope, e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.Name:
		a.store(s, e.ID)
	case *syntax.Starred:
		a.target(s, e.Value)
	case *syntax.Tuple:
		for _, x := range e.Elts {
			a.target(s, x)
		}
	case *syntax.List:
		for _, x := range e.Elts {
			a.target(s, x)
		}
	default:
		a.expr(s, e)
	}
}

// expr walks an expression; nil is none.
func (a *analysis) expr(s *scope, e syntax.Expr) {
	switch e := e.(type) {
	case nil, *syntax.Constant:
	case *syntax.Name:
		a.load(s, e.ID)
	case *syntax.NamedExpr:
		a.expr(s, e.Value)
		a.walrus(s, e)
	case *syntax.Lambda:
		a.defaults(s, e.Args)
		a.expr(a.function(s, e, "<lambda>", e.Args), e.Body)
	case *syntax.ListComp:
		a.comprehension(s, e, scopeInline, "<listcomp>", e.Generators, e.Elt, nil)
	case *syntax.SetComp:
		a.comprehension(s, e, scopeInline, "<setcomp>", e.Generators, e.Elt, nil)
	case *syntax.DictComp:
		a.comprehension(s, e, scopeInline, "<dictcomp>", e.Generators, e.Key, e.Value)
	case *syntax.GeneratorExp:
		kind := scopeGen
		if a.whole == e {
			kind = scopeInline
		}
		a.comprehension(s, e, kind, "<genexpr>", e.Generators, e.Elt, nil)
	case *syntax.Yield:
		s.code().generator = true
		a.expr(s, e.Value)
	case *syntax.YieldFrom:
		s.code().generator = true
		a.expr(s, e.Value)
	case *syntax.Await:
		a.expr(s, e.Value)
	case *syntax.Call:
		a.expr(s, e.Func)
		if g := a.facts.wholeGenexp(e); g != nil {
			a.whole = g
		}
		a.elements(s, e.Args)
		for _, k := range e.Keywords {
			a.expr(s, k.Value)
		}
	case *syntax.Tuple:
		a.elements(s, e.Elts)
	case *syntax.List:
		a.elements(s, e.Elts)
	case *syntax.Set:
		a.elements(s, e.Elts)
	default:
		a.operands(s, e)
	}
}

func (a *analysis) operands(s *scope, e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.BoolOp:
		a.exprs(s, e.Values)
	case *syntax.BinOp:
		a.expr(s, e.Left)
		a.expr(s, e.Right)
	case *syntax.UnaryOp:
		a.expr(s, e.Operand)
	case *syntax.IfExp:
		a.expr(s, e.Test)
		a.expr(s, e.Body)
		a.expr(s, e.OrElse)
	case *syntax.Dict:
		a.exprs(s, e.Keys)
		a.exprs(s, e.Values)
	case *syntax.Compare:
		a.expr(s, e.Left)
		a.exprs(s, e.Comparators)
	case *syntax.Attribute:
		a.expr(s, e.Value)
	case *syntax.Subscript:
		a.expr(s, e.Value)
		a.expr(s, e.Slice)
	case *syntax.Slice:
		a.expr(s, e.Lower)
		a.expr(s, e.Upper)
		a.expr(s, e.Step)
	case *syntax.FormattedValue:
		a.expr(s, e.Value)
		if e.FormatSpec != nil {
			a.exprs(s, e.FormatSpec.Values)
		}
	case *syntax.JoinedStr:
		a.exprs(s, e.Values)
	}
}

// elements walks elements among which *x is allowed.
func (a *analysis) elements(s *scope, list []syntax.Expr) {
	for _, e := range list {
		if st, ok := e.(*syntax.Starred); ok {
			e = st.Value
		}
		a.expr(s, e)
	}
}

// walrus binds the target of `name := value`: within comprehensions, in the
// function around them.
func (a *analysis) walrus(s *scope, e *syntax.NamedExpr) {
	h := s
	for h.kind == scopeGen || h.kind == scopeInline && h.name != "" {
		h = h.parent
	}
	a.store(h, e.Target.ID)
	s.use(s.mangle(e.Target.ID))
}

func (a *analysis) comprehension(s *scope, n syntax.Expr, kind scopeKind, name string, gens []*syntax.Comprehension, elt, value syntax.Expr) {
	c := a.push(s, kind, name)
	a.of[n] = c
	if kind == scopeGen {
		c.bind(".0")
		c.params = 1
		c.generator = true
	}
	for i, g := range gens {
		where := c
		if i == 0 {
			where = s
		}
		a.expr(where, g.Iter)
		a.target(c, g.Target)
		a.exprs(c, g.Ifs)
	}
	a.expr(c, elt)
	a.expr(c, value)
}

// pattern binds what a pattern captures.
func (a *analysis) pattern(s *scope, p syntax.Pattern) {
	syntax.Walk(p, func(n syntax.Node) bool {
		for _, name := range syntax.Bindings(n) {
			if name != "" {
				a.store(s, name)
			}
		}
		if e, ok := n.(syntax.Expr); ok {
			a.expr(s, e)
			return false
		}
		return true
	})
}
