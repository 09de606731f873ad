package compile

import (
	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// comprehension compiles a comprehension in place: its
// variables are hidden slots of the code around.
func (b *builder) comprehension(e *syntax.Comp) {
	b.iterator(e.Generators[0].Iter)
	r := b.enter(e)
	old := b.scope
	b.scope = b.c.scopes.of[e]
	b.openInline()
	build, add := bytecode.BuildList, bytecode.ListAppend
	switch e.Kind {
	case syntax.SetComp:
		build, add = bytecode.BuildSet, bytecode.SetAdd
	case syntax.DictComp:
		build, add = bytecode.BuildMap, bytecode.MapAdd
	}
	b.emit(build, 0)
	b.emit(bytecode.Swap, 2)
	b.generators(e.Generators, 0, func(depth int) {
		b.expr(e.Elt)
		if e.Value != nil {
			b.expr(e.Value)
		}
		b.emitAdd(add, depth+1)
	})
	b.scope = old
	if r != nil {
		b.emit(bytecode.PcTop, 1) // the container is fresh
	}
	b.leave(r, false)
}

// openInline gives the variables of a comprehension their slots, which must not
// hold anything of an earlier pass.
func (b *builder) openInline() {
	s := b.scope
	for _, v := range s.order {
		// The body of a finally is compiled twice, with the functions and classes in it.
		if v.slot < 0 || v.in != b {
			v.slot, v.in = b.slot(v.name), b
		}
		b.bound.remove(v.slot)
		if v.cell {
			b.emit(bytecode.ClearFast, v.slot)
			b.emit(bytecode.MakeCell, v.slot)
			continue
		}
		// It is only cleared if there is a load that has to find out.
		v.opened = len(b.ins)
		b.emit(bytecode.Nop, v.slot)
	}
}

// generators compiles the loops of a comprehension, whose first iterator is on
// the stack; body gets how many iterators lie above the result.
func (b *builder) generators(gens []*syntax.Comprehension, i int, body func(depth int)) {
	g := gens[i]
	if i > 0 {
		b.iterator(g.Iter)
	}
	old := b.at(g.Target)
	head, end := b.head(), newPlace()
	b.may(1)
	b.pcIter()
	b.jump(bytecode.ForIter, end)
	b.assign(g.Target)
	for _, cond := range g.Ifs {
		skip := newPlace()
		b.jumpIf(cond, skip, true)
		b.jump(bytecode.JumpBack, head)
		b.arrive(skip)
	}
	if i+1 < len(gens) {
		b.generators(gens, i+1, body)
	} else {
		body(i + 1)
	}
	b.jump(bytecode.JumpBack, head)
	b.arrive(end)
	b.pos = old
}

// generatorExp compiles a generator expression: a generator function whose
// parameter is the iterator of the first iterable, called at once.
func (b *builder) generatorExp(e *syntax.Comp) {
	f := b.c.build(b, b.c.scopes.of[e], "<genexpr>")
	f.code.FirstLine = int(e.Start.Line)
	f.code.Flags |= value.FlagGenerator
	if b.own.kind == scopeFunc || b.own.kind == scopeGen {
		f.code.Flags |= value.FlagNested
	}
	f.code.Pos = 1
	f.pos = e.Start
	f.begin()
	f.variables(f.own.order[1:], f.own)
	f.beginStrict(nil)
	f.emit(bytecode.LoadFast, 0)
	f.generators(e.Generators, 0, func(int) {
		f.expr(e.Elt)
		f.pcTop()
		f.emit(bytecode.Yield, 0)
		f.emit(bytecode.Pop, 0)
	})
	f.leaveFunction(nil)
	f.finish()
	b.makeFunction(f, 0)
	b.iterator(e.Generators[0].Iter)
	b.emit(bytecode.Call, 1)
}
