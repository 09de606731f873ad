package syntax

// expr walks an expression that is read.
func (c *checker) expr(e Expr) {
	switch e := e.(type) {
	case nil:
	case *Name:
		c.use(e)
	case *Constant:
	case *Starred:
		c.at(e, "can't use starred expression here")
		c.expr(e.Value)
	case *Tuple:
		c.elements(e.Elts)
	case *List:
		c.elements(e.Elts)
	case *Set:
		c.elements(e.Elts)
	case *Call:
		c.expr(e.Func)
		c.arguments(e.Args, e.Keywords)
	case *Lambda:
		c.defaults(e.Args)
		c.function(e.Args, false, func() { c.expr(e.Body) })
	case *NamedExpr:
		c.named(e)
	case *Await:
		c.await(e)
	case *Yield:
		c.yield(e, "'yield'")
		c.expr(e.Value)
	case *YieldFrom:
		c.yield(e, "'yield from'")
		if c.scope.async {
			c.at(e, "'yield from' inside async function")
		}
		c.expr(e.Value)
	case *ListComp:
		c.comprehension(e, "list comprehension", e.Generators, e.Elt)
	case *SetComp:
		c.comprehension(e, "set comprehension", e.Generators, e.Elt)
	case *DictComp:
		c.comprehension(e, "dict comprehension", e.Generators, e.Key, e.Value)
	case *GeneratorExp:
		c.comprehension(e, "generator expression", e.Generators, e.Elt)
	default:
		exprChildren(e, func(n Node) {
			if child, ok := n.(Expr); ok {
				c.expr(child)
			}
		})
	}
}

// elements walks what may be starred.
func (c *checker) elements(list []Expr) {
	for _, e := range list {
		if s, ok := e.(*Starred); ok {
			e = s.Value
		}
		c.expr(e)
	}
}

// arguments walks the arguments of a call or of a class.
func (c *checker) arguments(args []Expr, keywords []*Keyword) {
	c.elements(args)
	seen := make(map[string]bool, len(keywords))
	for _, k := range keywords {
		c.forbidden(k, k.Arg)
		c.expr(k.Value)
		if k.Arg != "" && seen[k.Arg] {
			c.at(k, "keyword argument repeated: %s", k.Arg)
		}
		seen[k.Arg] = true
	}
}

// inType reports an expression that annotations and their like cannot hold.
func (c *checker) inType(e Expr, what string) bool {
	switch c.scope.kind {
	case annotationScope:
		c.at(e, "%s cannot be used within %s", what, c.scope.what)
		return true
	}
	return false
}

func (c *checker) await(e *Await) {
	switch s := c.scope; {
	case c.inType(e, "await expression"):
	case s.kind == comprehensionScope:
		s.coroutine = true
	case !s.functionLike():
		c.at(e, "'await' outside function")
	case !s.async:
		c.at(e, "'await' outside async function")
	}
	c.expr(e.Value)
}

func (c *checker) yield(e Expr, what string) {
	switch s := c.scope; {
	case c.inType(e, "yield expression"):
	case s.kind == comprehensionScope:
		c.at(e, "'yield' inside %s", s.what)
	case !s.functionLike():
		c.at(e, "%s outside function", what)
	default:
		s.yields = true
	}
}

func (c *checker) named(e *NamedExpr) {
	if c.inType(e, "named expression") {
		return
	}
	switch {
	case c.scope.inIter > 0:
		c.at(e, "assignment expression cannot be used in a comprehension iterable expression")
	case c.scope.kind == comprehensionScope:
		c.namedInComprehension(e)
	default:
		c.define(e.Target, e.Target.ID, defLocal)
	}
	c.forbidden(e.Target, e.Target.ID)
	c.expr(e.Value)
}

// namedInComprehension binds the target of a named expression where the
// comprehension stands.
func (c *checker) namedInComprehension(e *NamedExpr) {
	name := e.Target.ID
	for s := c.scope; s != nil; s = s.parent {
		switch s.kind {
		case comprehensionScope:
			if s.symbols[name]&defIter != 0 {
				c.at(e.Target, "assignment expression cannot rebind comprehension iteration variable '%s'", name)
				return
			}
		case classScope:
			c.at(e.Target, "assignment expression within a comprehension cannot be used in a class body")
			return
		case functionScope, moduleScope:
			how := defNonlocal
			if s.kind == moduleScope || s.symbols[name]&defGlobal != 0 {
				how = defGlobal
			}
			c.define(e.Target, name, how)
			c.defineIn(s, e.Target, name, defLocal)
			return
		default:
			c.at(e.Target, "assignment expression within a comprehension cannot be used in %s", s.what)
			return
		}
	}
}

// comprehension walks a comprehension or generator expression.
func (c *checker) comprehension(e Expr, what string, gens []*Comprehension, elts ...Expr) {
	outer := c.scope
	_, isGenerator := e.(*GeneratorExp)
	outer.inIter++
	c.expr(gens[0].Iter)
	outer.inIter--
	s := c.push(comprehensionScope, what)
	s.generator = isGenerator
	for i, g := range gens {
		s.coroutine = s.coroutine || g.IsAsync
		s.inTarget = true
		c.target(g.Target)
		s.inTarget = false
		if i > 0 {
			s.inIter++
			c.expr(g.Iter)
			s.inIter--
		}
		for _, cond := range g.Ifs {
			c.expr(cond)
		}
	}
	for _, elt := range elts {
		c.expr(elt)
	}
	c.pop()
	if !s.coroutine || isGenerator {
		return
	}
	if outer.kind == comprehensionScope {
		outer.coroutine = true
	} else if !outer.async {
		c.at(e, "asynchronous comprehension outside of an asynchronous function")
	}
}
