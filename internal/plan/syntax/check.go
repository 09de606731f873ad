package syntax

import "fmt"

// Check reports what CPython's compiler refuses in a program whose tree is
// well formed: `return` outside of a function, a name that is a parameter and
// global, two starred targets and so on. The first error is the one CPython
// reports, the rest follow in the order of its passes; at most
// DefaultMaxErrors are returned.
func Check(m *Module) []*Error {
	c := &checker{futureEnd: futureEnd(m.Body)}
	c.push(moduleScope, "")
	c.block(m.Body)
	c.analyze(c.scope, nil, nil)
	errs := append(append(c.early, c.binding...), c.late...)
	return errs[:min(len(errs), DefaultMaxErrors)]
}

// checker walks the tree once. CPython makes three passes: it gathers the
// names, then binds them, then writes code, and reports the first error of
// the first pass that has one. So the errors are collected by pass.
type checker struct {
	scope     *scope
	early     []*Error // of gathering names
	binding   []*Error
	late      []*Error // of writing code
	frames    []frame  // what a jump out of the statement leaves
	futureEnd Pos      // after the imports from __future__ at the start
}

// frame is a loop or an `except*` handler around the current statement.
type frame uint8

const (
	loopFrame frame = iota + 1
	starFrame
)

func (c *checker) add(list *[]*Error, s Span, format string, args ...any) {
	if len(*list) < DefaultMaxErrors {
		*list = append(*list, &Error{Pos: s.Start, End: s.End, Kind: SyntaxError, Message: fmt.Sprintf(format, args...)})
	}
}

// earlyAt reports an error of gathering names.
func (c *checker) earlyAt(n Node, format string, args ...any) {
	c.add(&c.early, n.Range(), format, args...)
}

// lateAt reports an error of writing code.
func (c *checker) lateAt(n Node, format string, args ...any) {
	c.add(&c.late, n.Range(), format, args...)
}

// futureEnd is where the imports from __future__ at the start of body end.
func futureEnd(body []Stmt) Pos {
	end := Pos{}
	for i, s := range body {
		if f, ok := s.(*ImportFrom); ok && f.Module == "__future__" && f.Level == 0 {
			end = f.End
		} else if i > 0 || !isDocstring(s) {
			break
		}
	}
	return end
}

func (c *checker) block(body []Stmt) {
	for _, s := range body {
		c.stmt(s)
	}
}

func (c *checker) stmt(s Stmt) {
	switch s := s.(type) {
	case *ExprStmt:
		c.expr(s.Value)
	case *Assign:
		c.expr(s.Value)
		for _, t := range s.Targets {
			c.target(t)
		}
	case *AugAssign:
		c.store(s.Target)
		c.expr(s.Value)
	case *AnnAssign:
		c.annAssign(s)
	case *Return:
		c.returns(s)
	case *Delete:
		for _, t := range s.Targets {
			c.store(t)
		}
	case *TypeAlias:
		c.typeAlias(s)
	case *Raise:
		c.expr(s.Exc)
		c.expr(s.Cause)
	case *Assert:
		c.expr(s.Test)
		c.expr(s.Msg)
	case *Import:
		c.imports(s.Names, "", 0)
	case *ImportFrom:
		c.importFrom(s)
	case *Global:
		c.declare(s, s.Names, defGlobal)
	case *Nonlocal:
		c.declare(s, s.Names, defNonlocal)
	case *Break:
		c.jump(s, "'break' outside loop")
	case *Continue:
		c.jump(s, "'continue' not properly in loop")
	default:
		c.compound(s)
	}
}

func (c *checker) compound(s Stmt) {
	switch s := s.(type) {
	case *FunctionDef:
		c.functionDef(s)
	case *ClassDef:
		c.classDef(s)
	case *For:
		if s.Async && !c.scope.async {
			c.earlyAt(s, "'async for' outside async function")
		}
		c.target(s.Target)
		c.expr(s.Iter)
		c.within(loopFrame, s.Body)
		c.block(s.OrElse)
	case *While:
		c.expr(s.Test)
		c.within(loopFrame, s.Body)
		c.block(s.OrElse)
	case *If:
		c.ifs(s)
	case *With:
		c.with(s)
	case *Match:
		c.match(s)
	case *TryStmt:
		c.try(s)
	}
}

// ifs walks a chain of elifs without recursion into each.
func (c *checker) ifs(s *If) {
	for {
		c.expr(s.Test)
		c.block(s.Body)
		if len(s.OrElse) != 1 {
			break
		}
		next, ok := s.OrElse[0].(*If)
		if !ok {
			break
		}
		s = next
	}
	c.block(s.OrElse)
}

// within walks the body of a loop or handler.
func (c *checker) within(f frame, body []Stmt) {
	c.frames = append(c.frames, f)
	c.block(body)
	c.frames = c.frames[:len(c.frames)-1]
}

const inStarHandler = "'break', 'continue' and 'return' cannot appear in an except* block"

// jump checks a break or continue.
func (c *checker) jump(s Stmt, outside string) {
	for i := len(c.frames) - 1; i >= 0; i-- {
		switch c.frames[i] {
		case loopFrame:
			return
		case starFrame:
			c.lateAt(s, inStarHandler)
			return
		}
	}
	c.lateAt(s, "%s", outside)
}

func (c *checker) returns(s *Return) {
	if c.scope.kind != functionScope {
		c.lateAt(s, "'return' outside function")
	}
	c.expr(s.Value)
	if c.scope.kind != functionScope {
		return
	}
	for _, f := range c.frames {
		if f == starFrame {
			c.lateAt(s, inStarHandler)
			return
		}
	}
	if s.Value != nil && c.scope.async {
		c.scope.returns = append(c.scope.returns, s)
	}
}

func (c *checker) with(s *With) {
	if s.Async && !c.scope.async {
		c.earlyAt(s, "'async with' outside async function")
	}
	for _, item := range s.Items {
		c.expr(item.ContextExpr)
		if item.OptionalVars != nil {
			c.target(item.OptionalVars)
		}
	}
	c.block(s.Body)
}

func (c *checker) try(s *TryStmt) {
	c.block(s.Body)
	for i, h := range s.Handlers {
		if h.Type == nil && i < len(s.Handlers)-1 {
			c.lateAt(h, "default 'except:' must be last")
		}
		c.expr(h.Type)
		if h.Name != "" {
			c.define(h, h.Name, defLocal)
			c.forbidden(h, h.Name)
		}
		if s.Star {
			c.within(starFrame, h.Body)
		} else {
			c.block(h.Body)
		}
	}
	c.block(s.OrElse)
	c.block(s.FinalBody)
}

// imports walks the names of an import, of modules when from is empty and
// level 0.
func (c *checker) imports(names []*Alias, from string, level int) {
	for _, a := range names {
		name := a.Bound()
		if name == "*" {
			if c.scope.kind != moduleScope {
				c.earlyAt(a, "import * only allowed at module level")
			}
			continue
		}
		c.define(a, name, defImport)
		c.forbidden(a, name)
	}
}

func (c *checker) importFrom(s *ImportFrom) {
	if s.Module == "__future__" && s.Level == 0 && !s.Start.Before(c.futureEnd) {
		c.lateAt(s, "from __future__ imports must occur at the beginning of the file")
	}
	c.imports(s.Names, s.Module, s.Level)
}

// forbidden reports an assignment to a name that cannot be assigned to.
func (c *checker) forbidden(n Node, name string) {
	if name == "__debug__" {
		c.lateAt(n, "cannot assign to __debug__")
	}
}

func (c *checker) annAssign(s *AnnAssign) {
	if n, ok := s.Target.(*Name); ok {
		flags := c.scope.symbols[n.ID]
		if s.Simple && flags&(defGlobal|defNonlocal) != 0 && c.scope.kind != moduleScope {
			c.earlyAt(s, "annotated name '%s' can't be %s", n.ID, flags.declared())
		}
		if s.Simple {
			c.define(n, n.ID, defAnnot|defLocal)
		} else if s.Value != nil {
			c.define(n, n.ID, defLocal)
		}
		c.forbidden(n, n.ID)
	} else {
		c.store(s.Target)
	}
	c.annotation(s.Annotation)
	c.expr(s.Value)
}

// annotation walks an annotation, which is a scope of its own.
func (c *checker) annotation(e Expr) {
	if e == nil {
		return
	}
	c.push(annotationScope, "an annotation")
	if s, ok := e.(*Starred); ok {
		e = s.Value // of `*args: *Ts`
	}
	c.expr(e)
	c.pop()
}

// target walks what is assigned to and reports stars that cannot be.
func (c *checker) target(e Expr) {
	if s, ok := e.(*Starred); ok {
		c.lateAt(s, "starred assignment target must be in a list or tuple")
		e = s.Value
	}
	c.store(e)
}

// store walks a target, or a part of one.
func (c *checker) store(e Expr) {
	switch e := e.(type) {
	case *Name:
		c.define(e, e.ID, defLocal)
		if e.ID == "__debug__" {
			c.lateAt(e, "cannot %s __debug__", verbOf(e.Ctx))
		}
	case *Attribute:
		c.expr(e.Value)
		if e.Attr == "__debug__" {
			c.lateAt(e, "cannot %s __debug__", verbOf(e.Ctx))
		}
	case *Subscript:
		c.expr(e.Value)
		c.expr(e.Slice)
	case *Starred:
		c.store(e.Value)
	case *Tuple:
		c.unpack(e, e.Elts)
	case *List:
		c.unpack(e, e.Elts)
	}
}

func verbOf(ctx Context) string {
	if ctx == Del {
		return "delete"
	}
	return "assign to"
}

// maxBeforeStar is how many targets may be before a starred one.
const maxBeforeStar = 256

// unpack walks the targets of an unpacking.
func (c *checker) unpack(whole Expr, elts []Expr) {
	starred := false
	for i, e := range elts {
		if _, ok := e.(*Starred); ok {
			switch {
			case starred:
				c.lateAt(whole, "multiple starred expressions in assignment")
			case i >= maxBeforeStar:
				c.lateAt(whole, "too many expressions in star-unpacking assignment")
			}
			starred = true
		}
	}
	for _, e := range elts {
		c.store(e)
	}
}
