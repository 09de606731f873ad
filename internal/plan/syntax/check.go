package syntax

import (
	"cmp"
	"fmt"
	"slices"
)

// maxErrors bounds what Check reports.
const maxErrors = 20

// Check reports what cannot be in a program whose tree is well formed: `return`
// outside of a function, a name that is a parameter and global, two starred
// targets and so on, in the order of the source.
func Check(m *Module) []*Error {
	c := &checker{futureEnd: futureEnd(m.Body)}
	c.push(moduleScope, "")
	c.block(m.Body)
	c.analyze(c.scope, nil)
	slices.SortStableFunc(c.errs, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return c.errs[:min(len(c.errs), maxErrors)]
}

// checker walks the tree once, and then the scopes that it found.
type checker struct {
	scope     *scope
	errs      []*Error
	loops     int // around the current statement, within its function
	futureEnd Pos // after the imports from __future__ at the start
}

// at reports an error of n.
func (c *checker) at(n interface{ Range() Span }, format string, args ...any) {
	s := n.Range()
	c.errs = append(c.errs, &Error{Pos: s.Start, End: s.End, Kind: SyntaxError, Message: fmt.Sprintf(format, args...)})
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
		c.define(s.Name, s.Name.ID, defLocal)
		c.annotation(s.Value)
	case *Raise:
		c.expr(s.Exc)
		c.expr(s.Cause)
	case *Assert:
		c.expr(s.Test)
		c.expr(s.Msg)
	case *Import:
		c.imports(s.Names)
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
			c.at(s, "'async for' outside async function")
		}
		c.target(s.Target)
		c.expr(s.Iter)
		c.loop(s.Body)
		c.block(s.OrElse)
	case *While:
		c.expr(s.Test)
		c.loop(s.Body)
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

// loop walks the body of a loop.
func (c *checker) loop(body []Stmt) {
	c.loops++
	c.block(body)
	c.loops--
}

// jump checks a break or continue.
func (c *checker) jump(s Stmt, outside string) {
	if c.loops == 0 {
		c.at(s, "%s", outside)
	}
}

func (c *checker) returns(s *Return) {
	if c.scope.kind != functionScope {
		c.at(s, "'return' outside function")
	}
	c.expr(s.Value)
	if s.Value != nil && c.scope.async {
		c.scope.returns = append(c.scope.returns, s)
	}
}

func (c *checker) with(s *With) {
	if s.Async && !c.scope.async {
		c.at(s, "'async with' outside async function")
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
			c.at(h, "default 'except:' must be last")
		}
		c.expr(h.Type)
		if h.Name != "" {
			c.define(h, h.Name, defLocal)
			c.forbidden(h, h.Name)
		}
		c.block(h.Body)
	}
	c.block(s.OrElse)
	c.block(s.FinalBody)
}

// imports walks the names of an import.
func (c *checker) imports(names []*Alias) {
	for _, a := range names {
		name := a.Bound()
		if name == "*" {
			if c.scope.kind != moduleScope {
				c.at(a, "import * only allowed at module level")
			}
			continue
		}
		c.define(a, name, defImport)
		c.forbidden(a, name)
	}
}

func (c *checker) importFrom(s *ImportFrom) {
	if s.Module == "__future__" && s.Level == 0 && !s.Start.Before(c.futureEnd) {
		c.at(s, "from __future__ imports must occur at the beginning of the file")
	}
	c.imports(s.Names)
}

// forbidden reports an assignment to a name that cannot be assigned to.
func (c *checker) forbidden(n Node, name string) {
	if name == "__debug__" {
		c.at(n, "cannot assign to __debug__")
	}
}

func (c *checker) annAssign(s *AnnAssign) {
	if n, ok := s.Target.(*Name); ok {
		flags := c.scope.symbols[n.ID]
		if s.Simple && flags&(defGlobal|defNonlocal) != 0 && c.scope.kind != moduleScope {
			c.at(s, "annotated name '%s' can't be %s", n.ID, flags.declared())
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
		c.at(s, "starred assignment target must be in a list or tuple")
		e = s.Value
	}
	c.store(e)
}

// store walks a target, or a part of one.
func (c *checker) store(e Expr) {
	switch e := e.(type) {
	case *Name:
		c.define(e, e.ID, defLocal)
		c.forbidden(e, e.ID)
	case *Attribute:
		c.expr(e.Value)
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

// unpack walks the targets of an unpacking.
func (c *checker) unpack(whole Expr, elts []Expr) {
	starred := false
	for _, e := range elts {
		if _, ok := e.(*Starred); ok {
			if starred {
				c.at(whole, "multiple starred expressions in assignment")
			}
			starred = true
		}
	}
	for _, e := range elts {
		c.store(e)
	}
}
