package check

import (
	"strings"

	"praxis/internal/plan/syntax"
)

// moduleCall calls a function of a module, or a method that is read from a
// built-in class, as str.upper.
func (f *frame) moduleCall(name string, x args) (val, bool) {
	i := strings.LastIndexByte(name, '.')
	owner, fn := name[:i], name[i+1:]
	switch owner {
	case "math", "base64", "time", "string", "textwrap", "html":
		if fn != "Template" && fn != "Formatter" && fn != "indent" {
			return f.iterated(f.text(x), x), true
		}
	case "str", "int", "float", "bytes", "list", "dict", "set", "tuple", "frozenset", "object":
		return f.unbound(owner, fn, x)
	case "json":
		return f.json(fn, x)
	case "asyncio":
		return f.async(fn, x)
	case "dataclasses":
		return f.dataclasses(fn, x)
	case "functools":
		return f.functools(fn, x)
	case "copy":
		if len(x.pos) > 0 {
			f.instancesCall(x.pos[0], x.site, args{site: x.site, star: x.pos[0].loose(), open: true}, "__copy__", "__deepcopy__")
			if fn == "deepcopy" {
				return x.pos[0].loose().with(f.a.deep(x.pos[0])), true // it asks what it has copied already
			}
			return x.pos[0].loose(), true
		}
	case "typing":
		if fn == "cast" && len(x.pos) == 2 {
			return x.pos[1], true
		}
	case "abc", "enum":
		if fn == "auto" {
			return plain(nil, nil), true
		}
	case "itertools":
		if fn == "chain" {
			var el val
			by := f.pc
			for _, v := range x.pos {
				el = join(el, f.iterate(v, x.site))
				by = union(by, f.lengthOf(v))
			}
			if !x.open {
				return f.uses(f.iterator(x.site, by, el), x), true
			}
		}
	}
	return val{}, false
}

// unbound calls a method that is read from its class: str.upper(s).
func (f *frame) unbound(owner, fn string, x args) (val, bool) {
	if fn == "fromkeys" && owner == "dict" && len(x.pos) > 0 {
		d := f.a.alloc(oDict, x.site, f.act, fn)
		el := f.iterate(x.pos[0], x.site)
		el = f.hashes(el, x.site)
		f.a.grow(&d.keys, el)
		f.a.growLab(&d.shape, union(f.lengthOf(x.pos[0]), f.a.deep(el)))
		v := f.constant(nil)
		if len(x.pos) > 1 {
			v = x.pos[1]
		}
		f.a.grow(&d.elem, v)
		return ref(d), true
	}
	if len(x.pos) == 0 || x.open || fn == "__new__" || fn == "__init__" || fn == "maketrans" || fn == "from_bytes" {
		if fn == "__new__" && len(x.pos) > 0 {
			return f.bareInstance(x), true
		}
		if fn == "__init__" && len(x.pos) > 0 {
			y := x
			y.pos = x.pos[1:]
			for o := range x.pos[0].objs.each {
				if o.kind == oInst {
					f.absorbArgs(o, y)
				}
			}
			return f.constant(nil), true
		}
		return val{}, false
	}
	y := x
	y.pos, y.where = x.pos[1:], nil
	return f.method(x.pos[0], fn, y), true
}

// bareInstance is object.__new__(C) and the like.
func (f *frame) bareInstance(x args) val {
	var out val
	for c := range x.pos[0].objs.each {
		if c.kind == oClass {
			r, _ := f.methodOf(c, ref(c), "__new__", x)
			out = join(out, r)
		}
	}
	if out.bottom() {
		out = f.opaque(x.site, "__new__", false, x.all())
	}
	return out
}

func (f *frame) json(fn string, x args) (val, bool) {
	switch fn {
	case "dumps":
		r := f.text(x)
		for _, e := range x.named {
			if e.name == "default" || e.name == "cls" {
				o := f.opaque(x.site, fn, false, x.all())
				r = r.with(o.may)
			}
		}
		return r, true
	case "loads":
		if x.open || x.hasKw || len(x.named) > 0 || len(x.pos) != 1 {
			return val{}, false
		}
		l := f.a.deep(x.pos[0])
		f.raises(l)
		org := f.a.originOf(originKey{x.site, f.act.id}, nil)
		f.a.growLab(&org.may, l)
		return f.a.dataVal(org, nil, "", 0).with(l), true
	}
	return val{}, false
}

func (f *frame) async(fn string, x args) (val, bool) {
	switch fn {
	case "run", "wait_for", "create_task", "ensure_future", "shield":
		if len(x.pos) > 0 {
			r := f.await(x.pos[0], x.site)
			if fn == "wait_for" {
				// Whether the time is enough, and how far the clock goes on.
				l := union(f.a.deep(x.all()), union(f.a.deep(r), f.a.clock))
				f.a.growLab(&f.a.clock, l)
				f.stay(l)
			}
			if fn == "run" {
				return r, true
			}
			return join(r, x.pos[0]), true
		}
	case "gather":
		var el val
		for _, v := range x.pos {
			el = join(el, f.await(v, x.site))
		}
		if !x.star.bottom() {
			el = join(el, f.await(x.star, x.site))
		}
		f.raises(f.a.deep(el))
		return f.copyOf(oList, x.site, x.star.may, el), true
	case "sleep":
		f.a.growLab(&f.a.clock, union(f.a.deep(x.all()), f.pc))
		if len(x.pos) > 1 {
			return x.pos[1], true
		}
		return f.constant(nil), true
	}
	return val{}, false
}

func (f *frame) dataclasses(fn string, x args) (val, bool) {
	switch fn {
	case "dataclass":
		if len(x.pos) == 0 && !x.open {
			return ref(f.a.nativeObject("dataclasses.dataclass")), true
		}
		if len(x.pos) > 0 {
			_, r := f.knownDecorator("dataclasses.dataclass", x.pos[0], x.site)
			return r, true
		}
	case "field":
		name := "field"
		for _, e := range x.named {
			if e.name == "init" || e.name == "kw_only" {
				name = "odd field"
			}
		}
		if x.hasKw {
			name = "odd field"
		}
		return f.opaque(x.site, name, false, x.all()), true
	case "replace":
		if len(x.pos) == 1 && !x.hasKw {
			// The copy is the same object here, with more in it.
			for o := range x.pos[0].objs.each {
				if o.kind == oInst {
					for _, e := range x.named {
						f.a.setAttr(o, e.name, e.v.with(f.pc))
					}
					f.specialOf(o, "__post_init__", ref(o), args{site: x.site, star: x.all(), open: true})
				}
			}
			return x.pos[0].loose(), true
		}
	}
	return val{}, false
}

func (f *frame) functools(fn string, x args) (val, bool) {
	switch fn {
	case "lru_cache", "cache", "wraps":
		if len(x.pos) == 1 && (fn == "cache" || x.open || fn == "lru_cache" && x.pos[0].fl&scalar == 0) {
			return x.pos[0], true // a decorator that gives back what it is put on
		}
		if len(x.pos) <= 1 && !x.open {
			return ref(f.a.nativeObject("functools." + fn)).with(f.a.deep(x.all())), true
		}
	case "partial":
		if len(x.pos) > 0 && !x.open && !x.hasKw {
			o := f.a.alloc(oPartial, x.site, f.act, "")
			f.a.grow(&o.fn, x.pos[0])
			f.a.display(o, x.pos[1:])
			for _, e := range x.named {
				f.a.setAttr(o, e.name, e.v)
			}
			return ref(o), true
		}
	case "reduce":
		if len(x.pos) >= 2 && !x.open {
			el := f.iterate(x.pos[1], x.site)
			by := f.lengthOf(x.pos[1])
			o := f.a.alloc(oIter, x.site, f.act, "reduced")
			f.a.grow(&o.elem, el.with(by))
			if len(x.pos) > 2 {
				f.a.grow(&o.elem, x.pos[2].with(by))
			}
			for range 4 {
				r := f.callback(x.pos[0], args{site: x.site, pos: []val{o.elem.loose(), el.loose()}})
				f.a.grow(&o.elem, r.with(by))
			}
			return o.elem.with(by).loose(), true
		}
	}
	return val{}, false
}

// match analyses a match statement.
func (f *frame) match(n *syntax.Match) {
	v := f.eval(n.Subject)
	mark := f.mark()
	var alts []diff
	sure := false
	for _, c := range n.Cases {
		f.pattern(c.Pattern, v)
		at := len(f.trail)
		if c.Guard != nil {
			t := f.eval(c.Guard)
			f.truth(t, c.Guard)
			f.controlOf(t, c.Guard)
			at = len(f.trail)
		} else if irrefutable(c.Pattern) {
			sure = true
		}
		f.block(c.Body)
		alts = append(alts, f.since(mark))
		// What a pattern has bound stays, whether the case fits or not.
		captured := append([]slotVal(nil), f.trail[mark:at]...)
		f.rollback(at)
		before := diff{}
		for _, t := range captured {
			before.pairs = append(before.pairs, slotVal{t.slot, join(t.v, f.vars[t.slot])})
		}
		f.dead = false
		f.apply(before)
		if sure {
			break
		}
	}
	last := f.take(mark)
	if !sure {
		alts = append(alts, last)
	}
	f.merge(alts...)
	f.unmark()
}

func irrefutable(p syntax.Pattern) bool {
	switch p := p.(type) {
	case *syntax.MatchAs:
		return p.Pattern == nil || irrefutable(p.Pattern)
	case *syntax.MatchOr:
		return irrefutable(p.Patterns[len(p.Patterns)-1])
	}
	return false
}

// pattern binds what a pattern captures of v.
func (f *frame) pattern(p syntax.Pattern, v val) {
	f.a.step(1)
	switch p := p.(type) {
	case *syntax.MatchValue:
		if c, ok := p.Value.(*syntax.Constant); ok && c.Singleton() {
			f.controlWith(v.may)
			return
		}
		f.controlWith(f.compares(p, v, f.eval(p.Value)))
	case *syntax.MatchSequence:
		f.controlWith(union(v.may, f.lengthOf(v)))
		star := -1
		for i, q := range p.Patterns {
			if _, ok := q.(*syntax.MatchStar); ok {
				star = i
			}
		}
		for i, part := range f.parts(v, p, len(p.Patterns), star) {
			f.pattern(p.Patterns[i], part)
		}
	case *syntax.MatchStar:
		f.capture(p.Name, v, p.Start)
	case *syntax.MatchMapping:
		f.controlWith(union(v.may, f.lengthOf(v)))
		for i, k := range p.Keys {
			key := f.eval(k)
			f.pattern(p.Patterns[i], f.item(v, key, p))
		}
	case *syntax.MatchClass:
		f.matchClass(p, v)
	case *syntax.MatchAs:
		if p.Pattern != nil {
			f.pattern(p.Pattern, v)
		}
		f.capture(p.Name, v, p.Start)
	case *syntax.MatchOr:
		for _, q := range p.Patterns {
			mark := f.mark()
			f.pattern(q, v)
			f.merge(f.take(mark), diff{})
			f.unmark()
		}
	}
}

func (f *frame) capture(name string, v val, at syntax.Pos) {
	if name != "" {
		f.write(name, v, at)
	}
}

func (f *frame) controlWith(l *lab) {
	f.raises(l)
	f.stick(l)
}

func (f *frame) matchClass(p *syntax.MatchClass, v val) {
	c := f.eval(p.Cls)
	f.controlWith(union(v.may, c.may))
	for i, q := range p.KwdPatterns {
		part := f.attr(v, p.KwdAttrs[i], p)
		f.controlWith(part.may)
		f.pattern(q, part)
	}
	if len(p.Patterns) == 0 {
		return
	}
	// The names of the positional ones are in __match_args__.
	any := join(v, f.attrs(v, append(f.attrNames(v), "?"), p)).loose()
	for o := range c.objs.each {
		names, _ := f.a.classAttr(o, "__match_args__")
		any = any.with(f.a.deep(names))
	}
	f.controlWith(any.may)
	for i, q := range p.Patterns {
		part := any
		if name, ok := f.matchArg(v, i); ok {
			part = f.attr(v, name, p)
		}
		f.pattern(q, part)
	}
}

// matchArg is the attribute that the i-th positional pattern stands for, if
// the value is an instance of one dataclass.
func (f *frame) matchArg(v val, i int) (string, bool) {
	if v.fl&scalar != 0 || v.objs == nil || len(v.objs.ids) != 1 {
		return "", false
	}
	o := f.a.objects[v.objs.ids[0]]
	if o.kind != oInst || !o.of.class.data || o.of.class.odd || len(o.of.class.bases) > 0 || i >= len(o.of.class.fields) {
		return "", false
	}
	if _, ok := f.a.classAttr(o.of, "__match_args__"); ok {
		return "", false
	}
	return o.of.class.fields[i], true
}
