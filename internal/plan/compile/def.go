package compile

import (
	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

func (b *builder) decorators(list []syntax.Expr) {
	for _, d := range list {
		b.expr(d)
	}
}

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
	b.decorators(n.Decorators)
	flags := b.defaults(n.Args)
	f := b.function(n, n.Name, n.Args)
	f.code.FirstLine = int(n.Start.Line)
	if n.Async {
		f.code.Flags |= value.FlagCoroutine
	}
	if b.c.own.pureDef(n) {
		f.code.Flags |= value.FlagPure
	}
	if !b.c.own.speaks(n) {
		f.code.Flags |= value.FlagSilent
	}
	f.docstring(n.Body)
	f.functionBody(n.Body)
	b.makeFunction(f, flags)
	b.decorate(n.Decorators)
	b.store(n.Name)
}

func (b *builder) lambda(e *syntax.Lambda) {
	flags := b.defaults(e.Args)
	f := b.function(e, "<lambda>", e.Args)
	f.code.FirstLine = int(e.Start.Line)
	f.pos = e.Body.Range().Start
	if b.c.own.pureFunction(e) {
		f.code.Flags |= value.FlagPure
	}
	if !b.c.own.speaks(e) {
		f.code.Flags |= value.FlagSilent
	}
	if f.own.generator {
		f.code.Flags |= value.FlagGenerator
	}
	f.beginStrict(nil)
	f.expr(e.Body)
	f.leaveFunction(e.Body)
	f.finish()
	b.makeFunction(f, flags)
}

// defaults pushes the defaults of parameters and returns the flags of MakeFunction.
func (b *builder) defaults(args *syntax.Arguments) int {
	flags := 0
	if args == nil {
		return 0
	}
	if len(args.Defaults) > 0 {
		for _, d := range args.Defaults {
			b.expr(d)
		}
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
func (b *builder) function(n syntax.Node, name string, args *syntax.Arguments) *builder {
	f := b.c.build(b, b.c.scopes.of[n], name)
	f.pos = n.Range().Start
	c := f.code
	if args != nil {
		c.PosOnly, c.Pos, c.KwOnly = len(args.PosOnlyArgs), len(args.Args), len(args.KwOnlyArgs)
		next := c.PosOnly + c.Pos + c.KwOnly
		if args.VarArg != nil {
			c.Star = next
			next++
		}
		if args.KwArg != nil {
			c.KwStar = next
		}
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

// functionBody compiles the statements of a def.
func (b *builder) functionBody(body []syntax.Stmt) {
	if b.own.generator {
		b.code.Flags |= value.FlagGenerator
	}
	b.beginStrict(body)
	b.block(body)
	b.leaveFunction(nil)
	b.finish()
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
	b.decorators(n.Decorators)
	f := b.classBody(n)
	b.makeFunction(f, 0)
	for _, e := range n.Bases {
		b.expr(e)
	}
	names := make([]string, 0, len(n.Keywords))
	for _, k := range n.Keywords {
		b.expr(k.Value)
		names = append(names, k.Arg)
	}
	b.may(len(n.Bases) + len(names))
	b.emit2(bytecode.MakeClass, len(n.Bases)+len(names), b.keywordsIndex(names))
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
