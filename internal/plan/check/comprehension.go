package check

import "praxis/internal/plan/syntax"

// Comprehensions, generators, and what waits for a value.

// comprehension evaluates a list, set or dict comprehension.
func (f *frame) comprehension(n *syntax.Comp) val {
	a := f.a
	outer := a.merge
	a.merge = nil
	kind := [...]okind{syntax.ListComp: oList, syntax.SetComp: oSet, syntax.DictComp: oDict}[n.Kind]
	o := a.alloc(kind, n, f.act, "")
	a.drop(o, nil)
	f.overValue(n, f.iterable(n.Generators[0].Iter), func() {
		v := f.eval(n.Elt)
		v.may = union(v.may, f.pc)
		if kind == oDict {
			x := f.eval(n.Value)
			f.risks(v, x)
			x.may = union(x.may, f.pc)
			v = f.hashes(v, n)
			v.may = union(a.deep(v), f.pc)
			a.setKey(o, v, x)
			return
		}
		if kind == oSet {
			f.risks(v)
			v = f.hashes(v, n)
			a.growLab(&o.shape, a.deep(v))
		}
		a.grow(&o.elem, v)
	}, &o.shape)
	a.merge = outer
	return ref(o)
}

type iterable struct {
	v    val
	elem val
}

func (f *frame) iterable(e syntax.Expr) iterable {
	v := f.eval(e)
	return iterable{v, f.iterate(v, e)}
}

// overValue analyses the loops of a comprehension. What their lengths depend on
// goes into shape.
func (f *frame) overValue(n *syntax.Comp, first iterable, each func(), shape **lab) {
	outer := f.scope
	f.scope = f.a.scopes.of[n]
	mark := f.mark()
	end := f.settle(n, mark, func() []diff {
		f.turns(n.Generators, first, each, shape)
		return nil
	})
	f.merge(end, diff{})
	f.unmark()
	f.scope = outer
}

func (f *frame) turns(gens []*syntax.Comprehension, first iterable, each func(), shape **lab) {
	for i, g := range gens {
		it := first
		if i > 0 {
			it = f.iterable(g.Iter)
		}
		f.iterates(it.v, g)
		l := union(it.v.may, f.lengthOf(it.v))
		l = union(l, it.elem.may)
		f.a.growLab(shape, l)
		f.control(it.v.with(l))
		f.assign(g.Target, it.elem)
		for _, c := range g.Ifs {
			t := f.eval(c)
			tl := f.truth(t, c)
			f.a.growLab(shape, union(t.may, tl))
			f.controlOf(t, c)
		}
	}
	each()
}

// lengthOf is what the length of a container depends on.
func (f *frame) lengthOf(v val) *lab {
	l := v.may
	for o := range v.objs.each {
		l = union(l, o.shape)
		switch o.kind {
		case oData:
			l = union(l, f.a.dataOwn(o))
		case oOpaque, oInst, oIter:
			l = union(l, o.elem.may)
		case oGen:
			l = union(l, union(o.gen.yields.may, o.gen.ret.may)) // what it returns ends it
		}
	}
	return l
}

// generator makes the object of a generator expression.
func (f *frame) generator(e *syntax.Comp) val {
	a := f.a
	v := f.function(e, nil)
	o := a.objects[v.objs.ids[0]]
	o.code.gens, o.code.lazy, o.code.name = e, true, "generator"
	first := f.iterable(e.Generators[0].Iter)
	act := f.activationFor(o, e)
	a.grow(&act.sent, first.v)
	g := a.alloc(oGen, e, act, "")
	g.gen = act
	if !f.pc.within(act.pc) {
		act.pc = union(act.pc, f.pc)
		act.stale = true
	}
	a.analyse(act)
	f.pc = union(f.pc, act.out)
	return ref(g)
}

// generatorBody analyses a generator expression's loops.
func (f *frame) generatorBody(e *syntax.Comp) {
	first := f.act.sent
	f.overValue(e, iterable{first, f.iterate(first, e)}, func() {
		v := f.eval(e.Elt)
		f.a.grow(&f.act.yields, v.with(f.pc))
	}, &f.act.shape)
	f.a.grow(&f.act.yields, val{may: f.act.shape})
}

// inlineGenerator evaluates a generator expression that is used up where it is.
func (f *frame) inlineGenerator(e *syntax.Comp) val {
	a := f.a
	first := f.iterable(e.Generators[0].Iter)
	v := f.function(e, nil)
	o := a.objects[v.objs.ids[0]]
	o.code.gens, o.code.name = e, "generator"
	act := f.activationFor(o, e)
	g := &frame{a: a, act: act, scope: a.scopes.of[e], inline: f, pc: f.pc, nest: f.nest, tried: f.trying()}
	act.round, act.stale = a.round, false
	g.start()
	l := a.alloc(oIter, e, f.act, "")
	g.overValue(e, first, func() {
		a.grow(&l.elem, g.eval(e.Elt).with(g.pc))
	}, &l.shape)
	f.pc = union(f.pc, g.pc)
	f.exc = joinExc(f.exc, g.exc, val{})
	return ref(l)
}

func (f *frame) yield(v val) val {
	f.a.grow(&f.act.yields, v.with(f.pc))
	// Others run until the generator goes on.
	return join(f.act.sent, f.constant(nil)).loose()
}

func (f *frame) yieldFrom(v val, n syntax.Node) val {
	f.raises(v.may)
	f.a.grow(&f.act.yields, f.iterate(v, n).with(f.pc))
	f.special(v, "send", args{site: n, pos: []val{f.act.sent}})
	return f.finished(v, n).loose()
}

// finished is what generators and coroutines return.
func (f *frame) finished(v val, n syntax.Node) val {
	out := f.constant(nil)
	for o := range v.objs.each {
		switch o.kind {
		case oGen:
			f.resume(o, f.act.sent, n)
			out = join(out, o.gen.ret)
		case oOpaque:
			out = join(out, f.a.contents(o))
		case oInst:
			out = join(out, f.a.raised)
		}
	}
	return out.with(v.may)
}

func (f *frame) await(v val, n syntax.Node) val {
	f.raises(v.may)
	if f.chosen(v.may).objs != nil {
		f.stay(v.may) // which task runs first
	}
	only := v.objs != nil && v.fl&scalar == 0
	for o := range v.objs.each {
		only = only && o.kind == oGen
	}
	if only {
		var out val
		for o := range v.objs.each {
			f.resume(o, val{}, n)
			out = join(out, o.gen.ret)
		}
		return out.with(v.may)
	}
	return join(v, f.finished(v, n).loose())
}
