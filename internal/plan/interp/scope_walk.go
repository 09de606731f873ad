package interp

import (
	"strconv"

	"praxis/internal/plan/syntax"
)

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
		if s.kind != scopeFunc {
			a.fail(n.Span, "'return' outside function")
		} else if a.star > 0 {
			a.fail(n.Span, exceptStarJump)
		}
		a.expr(s, n.Value)
	case *syntax.Delete:
		for _, t := range n.Targets {
			a.target(s, t)
			a.unbind(s, t)
		}
	case *syntax.Assign:
		a.expr(s, n.Value)
		for _, t := range n.Targets {
			if st, ok := t.(*syntax.Starred); ok {
				a.fail(st.Span, "starred assignment target must be in a list or tuple")
			}
			a.target(s, t)
		}
	case *syntax.TypeAlias:
		a.store(s, n.Name.Span, n.Name.ID, markBound)
		a.typeParams(s, n, n.TypeParams)
	case *syntax.AugAssign:
		if name, ok := n.Target.(*syntax.Name); ok {
			a.load(s, name.ID)
		}
		a.target(s, n.Target)
		a.expr(s, n.Value)
	case *syntax.AnnAssign:
		a.annAssign(s, n)
	case *syntax.ExprStmt:
		a.expr(s, n.Value)
	case *syntax.Assert:
		a.expr(s, n.Test)
		a.expr(s, n.Msg)
	case *syntax.Raise:
		a.expr(s, n.Exc)
		a.expr(s, n.Cause)
	case *syntax.Import, *syntax.ImportFrom:
		a.imports(s, n)
	case *syntax.Global:
		a.declare(s, n.Span, n.Names, true)
	case *syntax.Nonlocal:
		a.declare(s, n.Span, n.Names, false)
	case *syntax.Break:
		a.jump(n.Span, "'break' outside loop")
	case *syntax.Continue:
		a.jump(n.Span, "'continue' not properly in loop")
	default:
		a.compound(s, n)
	}
}

func (a *analysis) compound(s *scope, n syntax.Stmt) {
	switch n := n.(type) {
	case *syntax.For:
		a.expr(s, n.Iter)
		if st, ok := n.Target.(*syntax.Starred); ok {
			a.fail(st.Span, "starred assignment target must be in a list or tuple")
		}
		a.target(s, n.Target)
		a.loop(s, n.Body)
		a.block(s, n.OrElse)
	case *syntax.While:
		a.expr(s, n.Test)
		a.loop(s, n.Body)
		a.block(s, n.OrElse)
	case *syntax.If:
		a.expr(s, n.Test)
		a.block(s, n.Body)
		a.block(s, n.OrElse)
	case *syntax.With:
		for _, it := range n.Items {
			a.expr(s, it.ContextExpr)
			if it.OptionalVars != nil {
				if st, ok := it.OptionalVars.(*syntax.Starred); ok {
					a.fail(st.Span, "starred assignment target must be in a list or tuple")
				}
				a.target(s, it.OptionalVars)
			}
		}
		a.block(s, n.Body)
	case *syntax.Match:
		a.match(s, n)
	case *syntax.TryStmt:
		a.try(s, n)
	}
}

func (a *analysis) try(s *scope, n *syntax.TryStmt) {
	a.block(s, n.Body)
	for i, h := range n.Handlers {
		if h.Type == nil && i < len(n.Handlers)-1 {
			a.fail(h.Span, "default 'except:' must be last")
		}
		a.expr(s, h.Type)
		if h.Name != "" {
			a.store(s, h.Span, h.Name, markBound)
			a.del(s, h.Name)
		}
		old := a.star
		if n.Star {
			a.star = a.loops + 1
		}
		a.block(s, h.Body)
		a.star = old
	}
	a.block(s, n.OrElse)
	a.block(s, n.FinalBody)
}

const exceptStarJump = "'break', 'continue' and 'return' cannot appear in an except* block"

func (a *analysis) loop(s *scope, body []syntax.Stmt) {
	a.loops++
	a.block(s, body)
	a.loops--
}

func (a *analysis) jump(span syntax.Span, outside string) {
	if a.star > a.loops {
		a.fail(span, exceptStarJump)
	} else if a.loops == 0 {
		a.fail(span, outside)
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

func (a *analysis) annAssign(s *scope, n *syntax.AnnAssign) {
	if name, ok := n.Target.(*syntax.Name); ok && n.Simple {
		switch m := s.mangle(name.ID); {
		case s.globals[m]:
			a.fail(n.Span, "annotated name '"+name.ID+"' can't be global")
		case s.nonlocals[m]:
			a.fail(n.Span, "annotated name '"+name.ID+"' can't be nonlocal")
		}
		a.store(s, name.Span, name.ID, markAnnotated)
	} else {
		a.target(s, n.Target)
	}
	a.expr(s, n.Value)
}

func (a *analysis) imports(s *scope, n syntax.Stmt) {
	switch n := n.(type) {
	case *syntax.Import:
		for _, al := range n.Names {
			a.store(s, al.Span, importedAs(al), markBound)
		}
	case *syntax.ImportFrom:
		for _, al := range n.Names {
			if al.Name != "*" {
				a.store(s, al.Span, importedAs(al), markBound)
			} else if s.kind != scopeModule {
				a.fail(al.Span, "import * only allowed at module level")
			}
		}
	}
}

// importedAs is the name that an import binds.
func importedAs(al *syntax.Alias) string {
	if al.AsName != "" {
		return al.AsName
	}
	for i := range len(al.Name) {
		if al.Name[i] == '.' {
			return al.Name[:i]
		}
	}
	return al.Name
}

// futures checks where `from __future__` stands.
func (a *analysis) futures(body []syntax.Stmt) {
	known := map[string]bool{"annotations": true, "division": true, "print_function": true, "generators": true,
		"nested_scopes": true, "absolute_import": true, "with_statement": true, "unicode_literals": true, "generator_stop": true, "barry_as_FLUFL": true}
	start := true
	for i, n := range body {
		f, ok := n.(*syntax.ImportFrom)
		if !ok || f.Module != "__future__" || f.Level != 0 {
			if _, doc := docstring(body[:min(1, len(body))]); !doc || i > 0 {
				start = false
			}
			continue
		}
		if !start {
			a.fail(f.Span, "from __future__ imports must occur at the beginning of the file")
		}
		for _, al := range f.Names {
			if !known[al.Name] {
				a.fail(al.Span, "future feature "+al.Name+" is not defined")
			}
		}
	}
}

// docstring returns the string that body begins with.
func docstring(body []syntax.Stmt) (string, bool) {
	if len(body) > 0 {
		if e, ok := body[0].(*syntax.ExprStmt); ok {
			if c, ok := e.Value.(*syntax.Constant); ok && c.Kind == syntax.Str {
				return c.Str, true
			}
		}
	}
	return "", false
}

func (a *analysis) functionDef(s *scope, n *syntax.FunctionDef) {
	a.exprs(s, n.Decorators)
	a.defaults(s, n.Args)
	a.store(s, n.NameSpan, n.Name, markBound)
	f := a.function(a.typeParams(s, n, n.TypeParams), n, n.Name, n.Args)
	f.coroutine = n.Async
	loops, star := a.loops, a.star
	a.loops, a.star = 0, 0
	a.block(f, n.Body)
	a.loops, a.star = loops, star
}

func (a *analysis) classDef(s *scope, n *syntax.ClassDef) {
	a.exprs(s, n.Decorators)
	a.store(s, n.NameSpan, n.Name, markBound)
	t := a.typeParams(s, n, n.TypeParams)
	a.exprs(t, n.Bases)
	for _, k := range n.Keywords {
		a.expr(t, k.Value)
	}
	c := a.push(t, scopeClass, n.Name)
	c.class = n.Name
	c.classCell = &variable{name: "__class__", home: c, slot: -1}
	a.of[n] = c
	loops, star := a.loops, a.star
	a.loops, a.star = 0, 0
	a.block(c, n.Body)
	a.loops, a.star = loops, star
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
		a.store(s, e.Span, e.ID, markBound)
	case *syntax.Starred:
		a.target(s, e.Value)
	case *syntax.Tuple:
		a.targets(s, e.Span, e.Elts)
	case *syntax.List:
		a.targets(s, e.Span, e.Elts)
	case *syntax.Attribute:
		a.debug(e.Span, e.Attr)
		a.expr(s, e.Value)
	case *syntax.Subscript:
		a.expr(s, e.Value)
		a.expr(s, e.Slice)
	default:
		a.expr(s, e)
	}
}

func (a *analysis) targets(s *scope, span syntax.Span, elts []syntax.Expr) {
	stars := 0
	for _, e := range elts {
		if _, ok := e.(*syntax.Starred); ok {
			if stars++; stars == 2 {
				a.fail(span, "multiple starred expressions in assignment")
			}
		}
		a.target(s, e)
	}
}

// expr walks an expression; nil is none.
func (a *analysis) expr(s *scope, e syntax.Expr) {
	switch e := e.(type) {
	case nil, *syntax.Constant:
	case *syntax.Name:
		a.load(s, e.ID)
	case *syntax.Starred:
		a.fail(e.Span, "can't use starred expression here")
	case *syntax.NamedExpr:
		a.expr(s, e.Value)
		a.walrus(s, e)
	case *syntax.Lambda:
		a.defaults(s, e.Args)
		f := a.function(s, e, "<lambda>", e.Args)
		loops, star := a.loops, a.star
		a.loops, a.star = 0, 0
		a.expr(f, e.Body)
		a.loops, a.star = loops, star
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
		a.yield(s, e.Span, "yield")
		a.expr(s, e.Value)
	case *syntax.YieldFrom:
		a.yield(s, e.Span, "yield from")
		a.expr(s, e.Value)
	case *syntax.Await:
		if c := s.code(); c.kind == scopeClass || c.kind == scopeFunc && !c.coroutine {
			a.fail(e.Span, "'await' outside async function")
		}
		a.expr(s, e.Value)
	case *syntax.Call:
		a.call(s, e)
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
	case *syntax.Interpolation:
		a.expr(s, e.Value)
		if e.FormatSpec != nil {
			a.exprs(s, e.FormatSpec.Values)
		}
	case *syntax.JoinedStr:
		a.exprs(s, e.Values)
	case *syntax.TemplateStr:
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

func (a *analysis) call(s *scope, e *syntax.Call) {
	a.expr(s, e.Func)
	if g := a.facts.wholeGenexp(e); g != nil {
		a.whole = g
	}
	a.elements(s, e.Args)
	var seen map[string]bool
	for _, k := range e.Keywords {
		a.expr(s, k.Value)
		if k.Arg == "" {
			continue
		}
		a.debug(k.Span, k.Arg)
		if seen[k.Arg] {
			a.fail(k.Span, "keyword argument repeated: "+k.Arg)
		}
		if seen == nil && len(e.Keywords) > 1 {
			seen = make(map[string]bool, len(e.Keywords))
		}
		if seen != nil {
			seen[k.Arg] = true
		}
	}
}

func (a *analysis) yield(s *scope, span syntax.Span, word string) {
	if s.kind == scopeInline && s.name != "" || s.kind == scopeGen {
		a.fail(span, "'"+word+"' inside "+comprehensionNames[s.name])
		return
	}
	c := s.code()
	if c.kind != scopeFunc {
		a.fail(span, "'"+word+"' outside function")
		return
	}
	if c.coroutine && word == "yield from" {
		a.fail(span, "'yield from' inside async function")
	}
	c.generator = true
}

var comprehensionNames = map[string]string{"<listcomp>": "list comprehension", "<setcomp>": "set comprehension",
	"<dictcomp>": "dict comprehension", "<genexpr>": "generator expression"}

// walrus binds the target of `name := value`: within comprehensions, in the
// function around them.
func (a *analysis) walrus(s *scope, e *syntax.NamedExpr) {
	span, name := e.Target.Span, e.Target.ID
	if a.iterating > 0 {
		a.fail(e.Span, "assignment expression cannot be used in a comprehension iterable expression")
		return
	}
	h := s
	for h.kind == scopeGen || h.kind == scopeInline && h.name != "" {
		if v := h.vars[h.mangle(name)]; v != nil && v.loop {
			a.fail(span, "assignment expression cannot rebind comprehension iteration variable '"+name+"'")
			return
		}
		h.mark(h.mangle(name), markWalrus)
		h = h.parent
	}
	if h != s && h.kind == scopeClass {
		a.fail(span, "assignment expression within a comprehension cannot be used in a class body")
		return
	}
	a.store(h, span, name, markBound)
	s.use(s.mangle(name))
}

func (a *analysis) comprehension(s *scope, n syntax.Expr, kind scopeKind, name string, gens []*syntax.Comprehension, elt, value syntax.Expr) {
	c := a.push(s, kind, name)
	a.of[n] = c
	if kind == scopeGen {
		c.bind(".0")
		c.params = 1
		c.generator = true
		c.coroutine = false
	}
	for i, g := range gens {
		where := c
		if i == 0 {
			where = s
		}
		a.iterable(where, g.Iter)
		before := len(c.order)
		a.target(c, g.Target)
		for _, v := range c.order[before:] {
			v.loop = true
			if i > 0 && c.marks[v.name]&markWalrus != 0 {
				a.fail(g.Target.Range(), "comprehension inner loop cannot rebind assignment expression target '"+v.name+"'")
			}
		}
		for _, cond := range g.Ifs {
			a.expr(c, cond)
		}
	}
	a.expr(c, elt)
	a.expr(c, value)
}

// iterable walks what a comprehension goes over, where no name may be assigned.
func (a *analysis) iterable(s *scope, e syntax.Expr) {
	a.iterating++
	a.expr(s, e)
	a.iterating--
}

func (a *analysis) match(s *scope, n *syntax.Match) {
	a.expr(s, n.Subject)
	for i, c := range n.Cases {
		names := map[string]bool{}
		a.pattern(s, c.Pattern, names)
		if i < len(n.Cases)-1 && c.Guard == nil {
			a.irrefutable(c.Pattern)
		}
		a.expr(s, c.Guard)
		a.block(s, c.Body)
	}
}

// irrefutable tells of a pattern that matches everything where more follow.
func (a *analysis) irrefutable(p syntax.Pattern) {
	switch q := p.(type) {
	case *syntax.MatchAs:
		if q.Pattern != nil {
			a.irrefutable(q.Pattern)
		} else if q.Name != "" {
			a.fail(q.Span, "name capture '"+q.Name+"' makes remaining patterns unreachable")
		} else {
			a.fail(q.Span, "wildcard makes remaining patterns unreachable")
		}
	case *syntax.MatchOr:
		a.irrefutable(q.Patterns[len(q.Patterns)-1])
	}
}

func (a *analysis) capture(s *scope, span syntax.Span, name string, names map[string]bool) {
	if name == "" {
		return
	}
	if names[name] {
		a.fail(span, "multiple assignments to name '"+name+"' in pattern")
	}
	names[name] = true
	a.store(s, span, name, markBound)
}

func (a *analysis) pattern(s *scope, p syntax.Pattern, names map[string]bool) {
	switch p := p.(type) {
	case *syntax.MatchValue:
		a.expr(s, p.Value)
	case *syntax.MatchSequence:
		stars := 0
		for _, q := range p.Patterns {
			if _, ok := q.(*syntax.MatchStar); ok {
				if stars++; stars == 2 {
					a.fail(p.Span, "multiple starred names in sequence pattern")
				}
			}
			a.pattern(s, q, names)
		}
	case *syntax.MatchMapping:
		a.mappingPattern(s, p, names)
	case *syntax.MatchClass:
		a.expr(s, p.Cls)
		for _, q := range p.Patterns {
			a.pattern(s, q, names)
		}
		seen := map[string]bool{}
		for i, q := range p.KwdPatterns {
			if seen[p.KwdAttrs[i]] {
				a.fail(q.Range(), "attribute name repeated in class pattern: "+p.KwdAttrs[i])
			}
			seen[p.KwdAttrs[i]] = true
			a.pattern(s, q, names)
		}
	case *syntax.MatchStar:
		a.capture(s, p.Span, p.Name, names)
	case *syntax.MatchAs:
		if p.Pattern != nil {
			a.pattern(s, p.Pattern, names)
		}
		a.capture(s, p.Span, p.Name, names)
	case *syntax.MatchOr:
		a.orPattern(s, p, names)
	}
}

func (a *analysis) mappingPattern(s *scope, p *syntax.MatchMapping, names map[string]bool) {
	seen := map[string]bool{}
	for i, k := range p.Keys {
		a.expr(s, k)
		if c, ok := k.(*syntax.Constant); ok {
			id := c.Kind.String() + " " + c.Str + " " + strconv.FormatInt(c.Int, 10) + " " + strconv.FormatFloat(c.Float, 'g', -1, 64)
			if c.Big != nil {
				id += c.Big.String()
			}
			if seen[id] {
				a.fail(p.Span, "mapping pattern checks duplicate key ("+unparse(c)+")")
			}
			seen[id] = true
		}
		a.pattern(s, p.Patterns[i], names)
	}
	a.capture(s, p.Span, p.Rest, names)
}

func (a *analysis) orPattern(s *scope, p *syntax.MatchOr, names map[string]bool) {
	first := map[string]bool{}
	for i, q := range p.Patterns {
		mine := map[string]bool{}
		a.pattern(s, q, mine)
		if i < len(p.Patterns)-1 {
			a.irrefutable(q)
		}
		if i == 0 {
			first = mine
			continue
		}
		same := len(mine) == len(first)
		for name := range mine {
			same = same && first[name]
		}
		if !same {
			a.fail(p.Span, "alternative patterns bind different names")
			break
		}
	}
	for name := range first {
		if names[name] {
			a.fail(p.Span, "multiple assignments to name '"+name+"' in pattern")
		}
		names[name] = true
	}
}
