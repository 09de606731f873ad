package compile

import (
	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// decorate calls the decorators, the last first.
func (b *builder) decorate(list []syntax.Expr) {
	old := b.pos
	for i := len(list) - 1; i >= 0; i-- {
		b.pos = list[i].Range().Start
		b.may(2)
		b.emit(bytecode.Call, 1)
	}
	b.pos = old
}

func (b *builder) functionDef(n *syntax.FunctionDef) {
	b.exprs(n.Decorators)
	flags := b.defaults(n.Args)
	f := b.function(n, n.Name, n.Args, b.c.pure.pureDef(n))
	if n.Async {
		f.code.Flags |= value.FlagCoroutine
	}
	f.docstring(n.Body)
	f.beginStrict(n.Body)
	f.block(n.Body)
	f.leaveFunction(nil)
	f.finish()
	b.makeFunction(f, flags)
	b.decorate(n.Decorators)
	b.store(n.Name)
}

func (b *builder) lambda(e *syntax.Lambda) {
	flags := b.defaults(e.Args)
	f := b.function(e, "<lambda>", e.Args, b.c.pure.pureFunction(e))
	f.pos = e.Body.Range().Start
	f.beginStrict(nil)
	f.expr(e.Body)
	f.leaveFunction(e.Body)
	f.finish()
	b.makeFunction(f, flags)
}

// defaults pushes the defaults of parameters and returns the flags of MakeFunction.
func (b *builder) defaults(args *syntax.Arguments) int {
	flags := 0
	if len(args.Defaults) > 0 {
		b.exprs(args.Defaults)
		b.emit(bytecode.BuildTuple, len(args.Defaults))
		flags |= 1
	}
	n := 0
	for i, d := range args.KwDefaults {
		if d != nil {
			b.loadStr(b.scope.mangle(args.KwOnlyArgs[i].Arg))
			b.expr(d)
			n++
		}
	}
	if n > 0 {
		b.emit(bytecode.BuildMap, n)
		flags |= 2
	}
	return flags
}

// function begins the code of a def or lambda.
func (b *builder) function(n syntax.Node, name string, args *syntax.Arguments, pure bool) *builder {
	f := b.c.build(b, b.c.scopes.of[n], name)
	f.pos = n.Range().Start
	c := f.code
	c.FirstLine = int(f.pos.Line)
	if pure {
		c.Flags |= value.FlagPure
	} else {
		b.c.unit.Changes = true
	}
	if !b.c.pure.speaks(n) {
		c.Flags |= value.FlagSilent
	}
	if f.own.generator {
		c.Flags |= value.FlagGenerator
	}
	c.PosOnly, c.Pos, c.KwOnly = len(args.PosOnlyArgs), len(args.Args), len(args.KwOnlyArgs)
	next := c.PosOnly + c.Pos + c.KwOnly
	if args.VarArg != nil {
		c.Star = next
		next++
	}
	if args.KwArg != nil {
		c.KwStar = next
	}
	switch b.own.kind {
	case scopeFunc, scopeGen:
		c.Flags |= value.FlagNested
	case scopeClass:
		c.Flags |= value.FlagMethod
	}
	f.begin()
	return f
}

// leaveFunction returns; the value is on the stack unless it is nil.
func (b *builder) leaveFunction(value syntax.Expr) {
	if b.dead {
		return
	}
	b.endStrict(value != nil)
	if value == nil && !b.c.strict {
		b.emit(bytecode.ReturnNone, 0)
		return
	}
	b.emit(bytecode.Return, 0)
}

// makeFunction makes a function of f's code; the defaults are on the stack.
func (b *builder) makeFunction(f *builder, flags int) {
	before := b.depth
	if flags&1 != 0 {
		before--
	}
	if flags&2 != 0 {
		before--
	}
	for _, v := range f.own.free {
		b.loadCell(v)
	}
	if len(f.own.free) > 0 {
		flags |= 4
	}
	b.code.Codes = append(b.code.Codes, f.code)
	b.emit2(bytecode.MakeFunction, len(b.code.Codes)-1, flags)
	if !b.dead {
		b.depth = before + 1
	}
}

// loadCell pushes the cell of a variable that f shares with this code.
func (b *builder) loadCell(v *variable) {
	if slot, ok := b.slotOf[v]; ok {
		b.emit(bytecode.LoadCell, slot)
	} else {
		b.emit(bytecode.LoadCell, v.slot)
	}
}

func (b *builder) classDef(n *syntax.ClassDef) {
	b.exprs(n.Decorators)
	f := b.classBody(n)
	b.makeFunction(f, 0)
	count, names := b.args(n.Bases, n.Keywords)
	b.may(count)
	b.emit2(bytecode.MakeClass, count, b.keywordsIndex(names))
	b.decorate(n.Decorators)
	b.store(n.Name)
}

// classBody compiles the body of a class, which runs in a name space of its own.
func (b *builder) classBody(n *syntax.ClassDef) *builder {
	f := b.c.build(b, b.c.scopes.of[n], n.Name)
	f.code.Flags |= value.FlagClass
	f.code.FirstLine = int(n.Start.Line)
	f.pos = n.Start
	f.begin()
	f.docstring(n.Body)
	f.block(n.Body)
	f.pos = n.Start
	cell := 0
	if v := f.own.classCell; v.cell {
		cell = 1 + v.slot
	}
	f.emit(bytecode.ReturnClass, cell)
	f.finish()
	return f
}
