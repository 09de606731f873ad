package compile

import (
	"slices"

	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// module compiles the body of the program.
func (c *compiler) module(m *syntax.Module) {
	s := c.scopes.of[m]
	b := c.build(nil, s, "<module>")
	b.code.Flags |= value.FlagModule
	b.code.FirstLine = 1
	b.begin()
	b.docstring(m.Body)
	if c.strict && c.facts.always {
		b.emit(bytecode.MaySave, b.hidden())
	}
	b.block(m.Body)
	b.emit(bytecode.ReturnNone, 0)
	b.finish()
}

func (b *builder) docstring(body []syntax.Stmt) {
	if s, ok := syntax.Docstring(body); ok {
		b.code.Doc = s
		b.code.Flags |= value.FlagDoc
	}
}

// block compiles statements. What cannot be reached is left out.
func (b *builder) block(body []syntax.Stmt) {
	for _, n := range body {
		if b.dead || b.c.err != nil {
			return
		}
		old := b.at(n)
		b.stmt(n)
		b.pos = old
	}
}

func (b *builder) stmt(n syntax.Stmt) {
	switch n := n.(type) {
	case *syntax.ExprStmt:
		if _, ok := n.Value.(*syntax.Constant); !ok {
			b.expr(n.Value)
			b.emit(bytecode.Pop, 0)
		}
	case *syntax.Assign:
		b.expr(n.Value)
		for i, t := range n.Targets {
			if i < len(n.Targets)-1 {
				b.emit(bytecode.Dup, 0)
			}
			b.assign(t)
		}
	case *syntax.AugAssign:
		b.augAssign(n)
	case *syntax.AnnAssign:
		b.annAssign(n)
	case *syntax.Return:
		b.returns(n)
	case *syntax.Delete:
		for _, t := range n.Targets {
			b.deleteTarget(t)
		}
	case *syntax.Assert:
		b.assert(n)
	case *syntax.Raise:
		b.raise(n)
	case *syntax.Import:
		for _, al := range n.Names {
			b.importName(al)
		}
	case *syntax.ImportFrom:
		b.importFrom(n)
	case *syntax.FunctionDef:
		b.functionDef(n)
	case *syntax.ClassDef:
		b.classDef(n)
	case *syntax.Declare, *syntax.Pass:
	default:
		b.compound(n)
	}
}

func (b *builder) compound(n syntax.Stmt) {
	switch n := n.(type) {
	case *syntax.If:
		b.ifStmt(n)
	case *syntax.While:
		b.while(n)
	case *syntax.For:
		b.forStmt(n)
	case *syntax.Break:
		b.breakLoop(false)
	case *syntax.Continue:
		b.breakLoop(true)
	case *syntax.TryStmt:
		b.try(n)
	case *syntax.With:
		b.with(n.Items, n.Body)
	case *syntax.Match:
		b.matchStmt(n)
	}
}

// assign pops the value at the top into a target.
func (b *builder) assign(t syntax.Expr) {
	old := b.at(t)
	switch t := t.(type) {
	case *syntax.Name:
		b.store(t.ID)
	case *syntax.Attribute:
		b.expr(t.Value)
		b.may(2)
		b.emit(bytecode.StoreAttr, b.site(b.scope.mangle(t.Attr)))
	case *syntax.Subscript:
		b.expr(t.Value)
		b.expr(t.Slice)
		b.may(3)
		b.emit(bytecode.StoreSubscr, 0)
	case *syntax.Tuple:
		b.unpack(t.Elts)
	case *syntax.List:
		b.unpack(t.Elts)
	case *syntax.Starred:
		b.assign(t.Value)
	}
	b.pos = old
}

func (b *builder) unpack(elts []syntax.Expr) {
	b.may(1)
	b.unpackInto(len(elts), slices.IndexFunc(elts, isStar))
	for _, e := range elts {
		b.assign(e)
	}
}

// unpackInto takes the value at the top apart into n, of which the one at star, if
// that is not negative, gets what is left over.
func (b *builder) unpackInto(n, star int) {
	switch {
	case star < 0:
		b.emit(bytecode.UnpackSequence, n)
	case n > bytecode.MaxPair:
		b.c.fail(b.pos, "too many expressions in star-unpacking assignment")
	default:
		b.emit(bytecode.UnpackEx, star|(n-star-1)<<12)
	}
}

// augAssign compiles target op= value; the parts of the target are evaluated once.
func (b *builder) augAssign(n *syntax.AugAssign) {
	switch t := n.Target.(type) {
	case *syntax.Name:
		b.load(t.ID)
		b.expr(n.Value)
		b.inplace(n)
		b.store(t.ID)
	case *syntax.Attribute:
		b.expr(t.Value)
		b.emit(bytecode.Dup, 0)
		b.may(1)
		b.emit(bytecode.LoadAttr, b.site(b.scope.mangle(t.Attr)))
		b.expr(n.Value)
		b.inplace(n)
		b.emit(bytecode.Swap, 2)
		b.may(2)
		b.emit(bytecode.StoreAttr, b.site(b.scope.mangle(t.Attr)))
	case *syntax.Subscript:
		b.expr(t.Value)
		b.expr(t.Slice)
		b.emit(bytecode.Dup2, 0)
		b.may(2)
		b.emit(bytecode.Subscr, 0)
		b.expr(n.Value)
		b.inplace(n)
		b.emit(bytecode.Rotate, 3)
		b.may(3)
		b.emit(bytecode.StoreSubscr, 0)
	}
}

func (b *builder) inplace(n *syntax.AugAssign) {
	b.may(2)
	b.emit(bytecode.Inplace, int(n.Op))
}

func (b *builder) annAssign(n *syntax.AnnAssign) {
	if n.Value != nil {
		b.expr(n.Value)
		b.assign(n.Target)
	}
	name, ok := n.Target.(*syntax.Name)
	if ok && n.Simple && (b.own.kind == scopeClass || b.own.kind == scopeModule) {
		b.emit2(bytecode.Annotate, b.nameIndex(b.scope.mangle(name.ID)), b.strConst(n.Text))
	}
}

func (b *builder) deleteTarget(t syntax.Expr) {
	old := b.at(t)
	switch t := t.(type) {
	case *syntax.Name:
		b.del(t.ID)
	case *syntax.Attribute:
		b.expr(t.Value)
		b.may(1)
		b.emit(bytecode.DeleteAttr, b.site(b.scope.mangle(t.Attr)))
	case *syntax.Subscript:
		b.expr(t.Value)
		b.expr(t.Slice)
		b.may(2)
		b.emit(bytecode.DeleteSubscr, 0)
	}
	b.pos = old
}

func (b *builder) assert(n *syntax.Assert) {
	ok := newPlace()
	r := b.enter(n)
	b.jumpIf(n.Test, ok, true)
	if n.Msg != nil {
		b.expr(n.Msg)
		b.emit(bytecode.AssertError, 1)
	} else {
		b.emit(bytecode.AssertError, 0)
	}
	b.set(ok)
	b.leave(r, false)
}

func (b *builder) raise(n *syntax.Raise) {
	args := 0
	for _, e := range []syntax.Expr{n.Exc, n.Cause} {
		if e != nil {
			b.expr(e)
			args++
		}
	}
	b.may(args)
	b.emit(bytecode.Raise, args)
}

func (b *builder) importName(al *syntax.Alias) {
	root := 1
	if al.AsName != "" {
		root = 0
	}
	b.emit2(bytecode.Import, b.nameIndex(al.Name), root)
	b.store(al.Bound())
}

func (b *builder) importFrom(n *syntax.ImportFrom) {
	if n.Module == "__future__" && n.Level == 0 {
		return
	}
	b.emit2(bytecode.Import, b.nameIndex(n.Module), 0)
	for _, al := range n.Names {
		b.emit(bytecode.ImportFrom, b.nameIndex(al.Name))
		b.store(al.Bound())
	}
	b.emit(bytecode.Pop, 0)
}

func (b *builder) ifStmt(n *syntax.If) {
	b.choose(n, n.Test, func() { b.block(n.Body) }, func() { b.block(n.OrElse) }, false)
}
