package check

import (
	"slices"
	"strings"

	"praxis/internal/plan/builtin"
	"praxis/internal/plan/syntax"
)

// args are the arguments of a call.
type args struct {
	site   syntax.Node
	pos    []val
	named  []entry
	star   val // elements of *args, of which there may be any number
	kw     val // values of **kwargs whose names are not known
	open   bool
	hasKw  bool
	spread *lab          // what the length of *args and the names in **kwargs depend on
	vague  bool          // the last of pos means any number of arguments
	direct bool          // the text of the program calls it, nothing built in does
	where  []syntax.Expr // of the positional arguments, where they are known
}

// all joins the arguments.
func (x *args) all() val {
	var v val
	for _, p := range x.pos {
		v = join(v, p)
	}
	for _, e := range x.named {
		v = join(v, e.v)
	}
	return join(join(v, x.star), x.kw).loose()
}

// maxCalling bounds how many calls are followed inside each other.
const maxCalling = 1000

// call calls what v may be.
func (f *frame) call(v val, x args) val {
	var out val
	f.a.step(1)
	if f.a.calling++; f.a.calling > maxCalling {
		f.a.lose(pos(x.site), "calls lead to calls without end")
	}
	defer func() { f.a.calling-- }()
	several := len(v.objs.all()) > 1
	if x.direct && (v.fl&scalar != 0 || several) {
		f.a.made(x.site, nil) // by one of them, perhaps
	}
	f.picks(v)
	for o := range v.objs.each {
		if several {
			f.a.step(8) // finding each one's context takes as long as this
		}
		r := f.callObject(o, v, x)
		switch o.kind {
		case oNative, oOpaque, oPartial:
			if o.fn.objs == nil {
				f.choose(r, union(r.may, f.pc), x.all())
			}
		}
		out = join(out, r)
		if f.dead {
			break
		}
	}
	f.raises(union(v.may, x.spread))
	if v.fl&scalar != 0 && out.bottom() {
		// A value without parts cannot be called: there is no result.
		out = join(out, plain(v.may, nil))
	}
	return out.with(v.may)
}

func (f *frame) callObject(o *object, v val, x args) val {
	switch o.kind {
	case oFunc:
		return f.callFunc(o, x, v)
	case oBound:
		if o.fn.objs != nil {
			y := x
			y.pos = append([]val{o.recv}, x.pos...)
			y.where = nil
			if x.where != nil {
				y.where = append([]syntax.Expr{nil}, x.where...)
			}
			return f.call(o.fn, y).with(o.recv.may)
		}
		return f.method(o.recv.with(x.spread), o.name, x).with(x.spread)
	case oClass:
		return f.construct(o, x)
	case oNative:
		return f.native(o.name, x).with(x.spread)
	case oTool:
		return f.toolCall(o, v, x)
	case oInst:
		if r, ok := f.specialOf(o, "__call__", ref(o).with(v.may), x); ok {
			return r
		}
		if len(o.of.class.nativeAll()) == 0 {
			return plain(v.may, nil) // it cannot be called
		}
	case oWrap:
		return f.call(o.fn, x)
	case oPartial:
		return f.callPartial(o, v, x)
	case oOpaque:
		return f.opaqueMethod(ref(o).with(v.may), "call", x).with(x.spread)
	default:
		return plain(v.may, nil) // it cannot be called
	}
	return f.opaque(x.site, "call", true, ref(o).with(v.may), x.all())
}

// maxChain is by how many of the last calls contexts are distinguished.
const maxChain = 3

// maxRecursion bounds how far back a function is looked for that calls itself.
const maxRecursion = 64

// maxContexts bounds the contexts of one function; further calls share one.
const maxContexts = 24

// activationFor finds the activation of a function object for a call.
func (f *frame) activationFor(o *object, site syntax.Node) *activation {
	a := f.a
	// A function that calls itself, by whatever way, goes on in the same context.
	if o.code.cached {
		if act, ok := o.called[0]; ok {
			return act
		}
		act := a.newActivation(o.code, o, nil)
		act.caller = f.act
		o.called = map[int32]*activation{0: act}
		o.bodies = append(o.bodies, act)
		return act
	}
	for up, n := f.act, 0; up != nil && n < maxRecursion; up, n = up.caller, n+1 {
		if up.self == o {
			return up
		}
	}
	ctx, chain := a.context(f.act, site)
	if act, ok := o.called[ctx]; ok {
		return act
	}
	if len(o.called) >= maxContexts {
		ctx, chain = 0, nil
		if act, ok := o.called[ctx]; ok {
			return act
		}
	}
	act := a.newActivation(o.code, o, chain)
	act.ctx, act.caller = ctx, f.act
	if o.called == nil {
		o.called = map[int32]*activation{}
	}
	o.called[ctx] = act
	o.bodies = append(o.bodies, act)
	return act
}

// context numbers the chain of calls that a call continues.
func (a *analysis) context(caller *activation, site syntax.Node) (int32, []syntax.Node) {
	chain := append([]syntax.Node{site}, caller.chain...)
	if len(chain) > maxChain {
		chain = chain[:maxChain]
	}
	ctx := int32(0)
	for i := len(chain) - 1; i >= 0; i-- {
		key := contextKey{ctx, chain[i]}
		id, ok := a.contexts[key]
		if !ok {
			id = int32(len(a.contexts)) + 1
			if a.contexts == nil {
				a.contexts = map[contextKey]int32{}
			}
			a.contexts[key] = id
		}
		ctx = id
	}
	return ctx, chain
}

// callFunc calls a function of the program.
func (f *frame) callFunc(o *object, x args, v val) val {
	a := f.a
	f.callable(o, x)
	act := f.activationFor(o, x.site)
	f.bind(act, o, x)
	if !f.pc.within(act.pc) {
		act.pc = union(act.pc, f.pc)
		act.stale = true
	}
	if a.strict && !act.trying && f.trying() {
		act.trying, act.stale = true, true
	}
	if o.code.lazy {
		g := a.alloc(oGen, x.site, act, o.code.name)
		g.gen = act
		a.analyse(act)
		f.pc = union(f.pc, act.out)
		return ref(g)
	}
	a.analyse(act)
	f.pc = union(f.pc, act.out)
	f.exc = joinExc(f.exc, act.exc, val{})
	r := act.ret
	if o.code.cached {
		// Whether a call was made before depends on all that it was ever called with.
		a.growLab(&o.shape, a.deep(x.all()))
		r = r.with(o.shape)
		f.stick(o.shape)
	}
	if r.may != nil {
		r.may = r.may.via(pos(x.site), stepReturn, o.code.name)
	}
	return r
}

// bind passes arguments to the parameters of an activation.
func (f *frame) bind(act *activation, o *object, x args) {
	a, fn := f.a, o.code
	p := fn.args
	if p == nil {
		return
	}
	n := len(p.PosOnlyArgs) + len(p.Args)
	total := n + len(p.KwOnlyArgs)
	if p.VarArg != nil {
		total++
	}
	if p.KwArg != nil {
		total++
	}
	if act.params == nil {
		act.params = make([]val, total)
	}
	give := func(i int, name string, v val) {
		v.may = union(v.may, f.pc).via(pos(x.site), stepArgument, fn.name+"\x00"+name)
		j := join(act.params[i], v)
		if act.params[i].bottom() {
			j = v
		}
		if !same(j, act.params[i]) {
			act.params[i] = j
			act.stale = true
			a.grew()
		}
	}
	used := make(map[string]bool, len(x.named))
	one := func(i int, name string, positional, byName bool) {
		var v val
		certain := false
		if positional && i < len(x.pos) {
			v, certain = x.pos[i], true
		} else {
			if positional {
				v = x.star
			}
			if byName {
				if e := ent(x.named, name); e != nil {
					used[name] = true
					v = join(v, e.v)
					certain = !e.weak && x.star.bottom()
				}
				v = join(v, x.kw)
			}
			if !certain {
				if d := ent(fn.defaults, name); d != nil {
					v = join(v, d.v.with(x.spread))
				}
			}
		}
		give(i, name, v)
	}
	for i, arg := range p.PosOnlyArgs {
		one(i, arg.Arg, true, false)
	}
	for i, arg := range p.Args {
		one(len(p.PosOnlyArgs)+i, arg.Arg, true, true)
	}
	at := n
	if p.VarArg != nil {
		t := a.alloc(oTuple, p, act, "*")
		f.fill(t, x, n)
		give(at, p.VarArg.Arg, ref(t).with(x.spread))
		at++
	}
	for i, arg := range p.KwOnlyArgs {
		one(at+i, arg.Arg, false, true)
	}
	if p.KwArg != nil {
		d := a.alloc(oDict, p, act, "**")
		for _, e := range x.named {
			if !used[e.name] {
				a.setKey(d, f.constant(e.name), e.v.with(f.pc))
			}
		}
		if x.hasKw {
			a.grow(&d.elem, x.kw)
			a.grow(&d.keys, plain(x.kw.may, nil))
		}
		give(at+len(p.KwOnlyArgs), p.KwArg.Arg, ref(d).with(x.spread))
	}
}

// fill puts the positional arguments from the n-th on into a tuple.
func (f *frame) fill(t *object, x args, n int) {
	var rest []val
	if len(x.pos) > n {
		rest = slices.Clone(x.pos[n:])
	}
	for i := range rest {
		rest[i] = rest[i].with(f.pc)
	}
	f.a.display(t, rest)
	if !x.star.bottom() {
		f.a.flag(&t.moved)
		f.a.grow(&t.elem, x.star)
		f.a.growLab(&t.shape, x.star.may)
	}
}

// display stores the elements of a literal in their places.
func (a *analysis) display(o *object, items []val) {
	if !o.made {
		o.made = true
		a.grew()
		if !o.moved && len(items) <= maxEntries {
			for _, v := range items {
				o.ents = append(o.ents, entry{v: v})
			}
			return
		}
	}
	if len(o.ents) == len(items) {
		for i, v := range items {
			a.grow(&o.ents[i].v, v)
		}
		return
	}
	a.drop(o, nil)
	for _, v := range items {
		a.grow(&o.elem, v)
	}
}

// arguments evaluates the arguments of a call.
func (f *frame) arguments(n *syntax.Call) args {
	x := args{site: n, where: n.Args}
	for _, e := range n.Args {
		st, ok := e.(*syntax.Starred)
		if !ok {
			v := f.eval(e)
			if x.open {
				x.star = join(x.star, v)
			} else {
				x.pos = append(x.pos, v)
			}
			continue
		}
		v := f.eval(st.Value)
		x.spread = union(x.spread, f.lengthOf(v))
		if items, ok := f.exactItems(v); ok && !x.open {
			x.pos = append(x.pos, items...)
			continue
		}
		el := f.iterate(v, st).with(v.may).loose()
		if !el.bottom() || el.may != nil {
			el.fl |= reached
		}
		x.star = join(x.star, el)
		x.open = true
	}
	for _, k := range n.Keywords {
		v := f.eval(k.Value)
		if k.Arg != "" {
			x.named = append(x.named, entry{name: k.Arg, v: v})
			continue
		}
		x.hasKw = x.hasKw || v.fl&scalar != 0
		x.spread = union(x.spread, f.namesOf(v))
		for o := range v.objs.each {
			if o.kind == oDict && len(v.objs.ids) == 1 && v.fl&scalar == 0 {
				for _, e := range o.ents {
					x.named = append(x.named, entry{name: e.name, v: e.v.with(union(v.may, o.shape)), weak: e.weak || o.fewer})
				}
				if !o.elem.bottom() {
					x.hasKw = true
					x.kw = join(x.kw, o.elem.with(union(union(v.may, o.shape), o.keys.may)).loose())
				}
				continue
			}
			x.hasKw = true
			x.kw = join(x.kw, f.item(v, plain(nil, nil), n).with(f.a.deep(v)).loose())
		}
		if v.fl&scalar != 0 {
			x.kw = join(x.kw, v.loose())
		}
	}
	return x
}

// namesOf is what the keys of a mapping depend on.
func (f *frame) namesOf(v val) *lab {
	l := v.may
	for _, id := range v.objs.all() {
		if o := f.a.objects[id]; o.kind == oDict {
			l = union(l, union(o.shape, o.keys.may))
		} else {
			l = union(l, f.a.deep(ref(o)))
		}
	}
	return l
}

// exactItems gives the elements of a tuple or list whose places are known.
func (f *frame) exactItems(v val) ([]val, bool) {
	if v.fl&scalar != 0 || v.objs == nil || len(v.objs.ids) != 1 {
		return nil, false
	}
	o := f.a.objects[v.objs.ids[0]]
	if o.kind != oTuple && o.kind != oList || o.moved || !o.elem.bottom() || o.act == nil {
		return nil, false
	}
	items := make([]val, len(o.ents))
	for i := range items {
		items[i] = o.ents[i].v.with(o.shape).after(v)
	}
	return items, true
}

// special calls a method with a special name of those instances that v may be.
func (f *frame) special(v val, name string, x args) val {
	var out val
	for o := range v.objs.each {
		if o.kind != oInst {
			continue
		}
		r, _ := f.specialOf(o, name, ref(o).with(v.may), x)
		out = join(out, r)
	}
	return out
}

// specialOf calls a method of an instance's class, if it has one.
func (f *frame) specialOf(o *object, name string, self val, x args) (val, bool) {
	m, ok := f.a.classAttr(o.of, name)
	if !ok {
		return val{}, false
	}
	f.receives(self, name)
	bound := f.bindAttr(m, o, self, name, x.site)
	return f.call(bound, x).with(self.may), true
}

// opaque is what something does that is not known in detail: it may read
// all that it is given, keep it, change it and call it.
func (f *frame) opaque(n syntax.Node, name string, changes bool, in ...val) val {
	a := f.a
	var all val
	for _, v := range in {
		all = join(all, v.loose())
	}
	o := a.alloc(oOpaque, n, f.act, name)
	f.absorb(o, all)
	f.callbacksOf(o, all)
	f.calledLater(o, func() { f.callbacksOf(o, all) })
	contents := o.contents(f.pc)
	if changes {
		f.smash(all, contents)
	}
	f.raises(contents.may)
	f.stick(contents.may)
	return contents
}

// absorb puts v, all that can be reached from it and what it gives when it is
// iterated into an opaque object.
func (f *frame) absorb(o *object, v val) {
	a := f.a
	l := union(a.deep(v), f.pc)
	objs := f.within(v).union(&o.only)
	if objs.within(o.elem.objs) && l.within(o.elem.may) && o.absorbed == a.round {
		return
	}
	o.absorbed = a.round
	for _, id := range objs.ids {
		switch p := a.objects[id]; p.kind {
		case oGen, oIter, oInst:
			if p == o {
				continue
			}
			e := f.elements(p, ref(p), o.node)
			objs = objs.union(f.within(e))
			l = union(l, a.deep(e))
		}
	}
	a.grow(&o.elem, val{may: l, objs: objs, fl: reached | scalar})
}

// callbacksOf calls what something opaque was given, once a round unless it
// was given more since.
func (f *frame) callbacksOf(o *object, all val) {
	a := f.a
	if o.busy {
		return
	}
	if o.calledBack == a.round && same(o.calledBackWith, o.elem) && f.pc.within(o.calledBackPC) {
		f.pc = union(f.pc, o.calledBackPC)
		return
	}
	o.calledBack, o.calledBackWith = a.round, o.elem
	o.busy = true
	f.callbacks(o, all)
	o.busy = false
	o.calledBackPC = union(o.calledBackPC, f.pc)
}

// callbacks calls the functions that can be reached from what something opaque
// was given, with all that it holds.
func (f *frame) callbacks(o *object, all val) {
	named := false // attributes are read, or methods called, by names that are not looked at
	for p := range f.within(all).each {
		named = named || p.kind == oOpaque && (p.name == "operator.methodcaller" || p.name == "operator.attrgetter")
	}
	for p := range f.within(all).each {
		x := args{site: o.node, star: o.elem, open: true}
		switch p.kind {
		case oInst:
			if p.of != nil {
				f.specials(p, o, x)
			}
			if p.of != nil && named {
				for c := range p.of.lineage {
					for _, e := range c.attrs {
						v := f.attrOf(p, ref(p).with(o.elem.may), e.name, o.node)
						f.absorb(o, v)
						f.absorb(o, f.callback(v, x))
					}
				}
			}
		case oNative:
			if !pureModule(p.name) && !builtin.Known(p.name) {
				f.smash(o.elem, o.contents(f.pc))
			}
		case oBound:
			if p.fn.objs == nil {
				// A method that is built in: it may change its object.
				f.smash(p.recv, o.contents(f.pc))
				continue
			}
			f.absorb(o, f.callback(ref(p), x))
		case oFunc, oClass, oTool, oWrap, oPartial:
			f.absorb(o, f.callback(ref(p), x))
		}
	}
}

// contents is what an opaque object may give back.
func (o *object) contents(pc *lab) val {
	return val{may: union(o.elem.may, pc), objs: o.elem.objs.union(&o.only), fl: reached | scalar}
}

// specials calls the methods with special names of an instance that something
// opaque was given: it may compare it, print it, iterate over it.
func (f *frame) specials(p, o *object, x args) {
	for _, name := range p.of.specialNames() {
		if v, ok := f.specialOf(p, name, ref(p).with(o.elem.may), x); ok {
			f.absorb(o, v)
		}
	}
}

// callPartial calls what functools.partial has made.
func (f *frame) callPartial(o *object, v val, x args) val {
	y := x
	y.pos, y.where, y.named, y.direct = nil, nil, nil, false
	for i := range o.ents {
		y.pos = append(y.pos, o.ents[i].v)
	}
	if !o.elem.bottom() {
		// Not the same number in all places.
		y.star, y.open = join(y.star, join(o.elem, x.all())), true
		y.spread = union(y.spread, f.a.deep(y.star))
	} else {
		y.pos = append(y.pos, x.pos...)
	}
	for _, e := range o.attrs {
		if ent(x.named, e.name) == nil {
			y.named = append(y.named, e)
		}
	}
	y.named = append(y.named, x.named...)
	return f.call(o.fn, y).with(v.may)
}

// smash lets what something opaque was given hold all that it has. Nothing
// built in changes what is within its arguments, but by the methods of objects
// that are made for that.
func (f *frame) smash(v, contents val) {
	for p := range v.objs.each {
		f.overwrite(p, contents)
		if p.kind == oOpaque && !keepsContents(p.name) {
			for _, id := range p.elem.objs.all() {
				f.overwrite(f.a.objects[id], contents)
			}
		}
	}
}

// keepsContents says whether the objects that a native makes leave what they hold as it is.
func keepsContents(name string) bool {
	switch module, _, _ := strings.Cut(name, "."); module {
	case "collections", "itertools", "re", "datetime", "statistics", "decimal", "fractions", "enum", "exception", "field", "object", "string", "textwrap", "json":
		return true
	case "": // the results of methods
		return true
	}
	return false
}

func (f *frame) overwrite(p *object, contents val) {
	switch p.kind {
	case oList, oSet, oOpaque, oIter:
		f.a.drop(p, nil)
	case oDict, oData:
		f.a.drop(p, nil)
		f.a.grow(&p.keys, plain(contents.may, nil))
	case oInst:
		f.a.grow(&p.other, contents)
	default:
		return
	}
	f.a.grow(&p.elem, contents)
	f.a.growLab(&p.shape, contents.may)
}
