package check

import (
	"strconv"

	"praxis/internal/plan/syntax"
	"praxis/internal/tool/schema"
)

// attr reads an attribute.
func (f *frame) attr(v val, name string, n syntax.Node) val {
	var out val
	f.a.step(1)
	f.raises(v.may)
	f.risks(v)
	f.hook(v)
	if name == "__dict__" { // as vars(v)
		return join(v.loose(), plain(f.a.deep(v), nil)).with(v.may)
	}
	for o := range v.objs.each {
		out = join(out, f.attrOf(o, v, name, n))
	}
	if v.fl&scalar != 0 {
		// An attribute of a value without parts is one, too, or a method of it.
		s := v
		s.objs, s.k = nil, nil
		m := f.a.alloc(oBound, n, f.act, name)
		f.a.grow(&m.recv, s)
		out = join(out, val{may: v.may, objs: &m.only, fl: reached | scalar})
	}
	return out.with(v.may)
}

func (f *frame) attrOf(o *object, v val, name string, n syntax.Node) val {
	a := f.a
	self := ref(o).with(v.may)
	switch o.kind {
	case oInst:
		return f.instAttr(o, self, name, n)
	case oClass:
		return f.classRead(o, self, name, n)
	case oModule:
		return f.moduleAttr(o, name, n)
	case oSpace:
		return f.space(o.name+"."+name, n)
	case oSuper:
		return f.superAttr(o, name, n)
	case oFunc:
		// Functions may have attributes that the program sets.
		out := o.other
		if e := ent(o.attrs, name); e != nil {
			out = join(out, e.v)
		}
		return join(out, plain(nil, nil))
	case oNative:
		if s := a.nativeAttr(o.name, name); s != "" {
			return ref(a.nativeObject(s))
		}
	}
	m := a.alloc(oBound, n, f.act, name)
	if o.kind == oData {
		self.must = v.must // it may be a text, whose methods give what depends on it
	}
	a.grow(&m.recv, self)
	out := ref(m)
	switch o.kind {
	case oWrap: // a property's setter, getter, fget
		out = join(out, o.fn)
	case oOpaque, oData, oIter, oGen:
		// What is read may be a value as well.
		out = join(out, a.contents(o).loose())
		if o.kind == oOpaque {
			out = join(out, ref(o))
		}
		if name == "__cause__" || name == "__traceback__" {
			out = join(out, a.raised)
		}
		out.fl |= scalar
	}
	return out
}

func (f *frame) instAttr(o *object, self val, name string, n syntax.Node) val {
	a := f.a
	var out val
	found := false
	if e := ent(o.attrs, name); e != nil {
		out, found = join(out, e.v), true
	}
	if m, ok := a.classAttr(o.of, name); ok {
		out, found = join(out, f.bindAttr(m, o, self.with(o.shape), name, n)), true
	}
	out = join(out, o.other).with(o.shape)
	native := o.of.class.nativeAll()
	if m, ok := a.classAttr(o.of, "__getattr__"); ok && (!found || o.of.class.loose) {
		f.receives(self, name)
		out = join(out, f.call(f.bindAttr(m, o, self, "__getattr__", n), args{site: n, pos: []val{f.constant(name)}}))
	}
	if len(native) > 0 && !found {
		m := a.alloc(oBound, n, f.act, name)
		a.grow(&m.recv, self)
		out = join(join(out, ref(m)), a.contents(o).loose())
		out = join(out, a.raised.loose())
		if enumLike(native) {
			out = join(out, f.members(o.of))
		}
	}
	if !found && len(native) == 0 {
		// Such as __class__ and __doc__.
		out = join(out, plain(nil, nil))
		if name == "__class__" {
			out = join(out, ref(o.of))
		}
	}
	return out
}

// bindAttr is what an attribute of a class becomes when it is read from an instance.
func (f *frame) bindAttr(m val, o *object, self val, name string, n syntax.Node) val {
	a := f.a
	out := val{may: m.may, must: m.must, fl: m.fl & (reached | scalar), k: m.k}
	for p := range m.objs.each {
		switch p.kind {
		case oFunc, oNative, oOpaque, oBound:
			out.objs = out.objs.union(&f.methodFor(p, ref(p), self, o, n).only)
			if p.kind != oFunc { // it may or may not become a method
				out.objs = out.objs.union(&p.only)
			}
		case oWrap:
			r := f.unwrap(p, o, self, name, n)
			if p.name == "cached_property" && o.kind == oInst {
				a.setAttr(o, name, r)
			}
			out = join(out, r)
		default:
			out.objs = out.objs.union(&p.only)
		}
	}
	return out
}

// methodFor is the method that the function fn, found as p, becomes for an object.
func (f *frame) methodFor(p *object, fn, self val, o *object, n syntax.Node) *object {
	b := f.a.alloc(oBound, n, f.act, "bound "+strconv.Itoa(int(p.id))+" "+strconv.Itoa(int(o.id)))
	f.a.grow(&b.fn, fn)
	f.a.grow(&b.recv, self)
	return b
}

// unwrap reads a property, static method or class method from an instance or a class.
func (f *frame) unwrap(p, o *object, self val, name string, n syntax.Node) val {
	switch p.name {
	case "staticmethod":
		return p.fn
	case "classmethod":
		cls := self
		if o.kind == oInst {
			cls = ref(o.of).with(self.may)
		}
		return ref(f.methodFor(p, p.fn, cls, o, n))
	}
	if o.kind == oClass {
		return ref(p)
	}
	f.receives(self, name)
	return f.call(p.fn, args{site: n, pos: []val{self}}).loose()
}

func (f *frame) classRead(o *object, self val, name string, n syntax.Node) val {
	a := f.a
	var out val
	if m, ok := a.classAttr(o, name); ok {
		out = val{may: m.may, must: m.must, fl: m.fl, k: m.k}
		for p := range m.objs.each {
			if p.kind == oWrap {
				out = join(out, f.unwrap(p, o, self, name, n))
			} else {
				out.objs = out.objs.union(&p.only)
			}
		}
	}
	if native := o.class.nativeAll(); len(native) > 0 {
		if enumLike(native) && !dunder(name) && !out.bottom() {
			out = join(out, f.member(o, out.loose()))
		}
		m := a.alloc(oBound, n, f.act, name)
		a.grow(&m.recv, self)
		out = join(join(out, ref(m)), o.elem.loose())
	}
	if out.bottom() {
		out = plain(nil, nil)
		if name == "__init__" || name == "__new__" {
			m := a.alloc(oBound, n, f.act, name)
			a.grow(&m.recv, self)
			out = ref(m)
		}
	}
	return join(out, o.other)
}

// superAttr reads an attribute by way of super().
func (f *frame) superAttr(o *object, name string, n syntax.Node) val {
	a := f.a
	var out val
	found := false
	for p := range o.recv.objs.each {
		c := p.of
		if p.kind == oClass {
			c = p
		}
		if c == nil || c.class == nil {
			continue
		}
		multi := false
		for b := range c.lineage {
			multi = multi || len(b.class.bases) > 1
		}
		self := ref(p).with(o.recv.may)
		take := func(b *object) bool {
			e := ent(b.attrs, name)
			if e == nil {
				return true
			}
			found = true
			out = join(out, f.bindAttr(e.v, p, self, name, n))
			return multi || b.class.loose
		}
		if multi {
			c.lineage(func(b *object) bool { return b == o.of || take(b) })
			continue
		}
		for _, b := range o.of.class.bases {
			b.lineage(take)
		}
	}
	if !found {
		m := a.alloc(oBound, n, f.act, name)
		a.grow(&m.recv, o.recv)
		out = join(out, ref(m))
	}
	return out
}

// setAttr stores an attribute.
func (f *frame) setAttr(v val, name string, x val, n syntax.Node) {
	a := f.a
	f.hook(v)
	f.touch(v, name)
	x.may = union(x.may, f.pc)
	stored := x
	stored.may = stored.may.via(pos(n), stepStore, name)
	f.raises(v.may)
	f.risks(v, x)
	for o := range v.objs.each {
		switch o.kind {
		case oInst:
			if f.accessor(v, name, args{site: n, pos: []val{ref(o).with(v.may), x}}) {
				continue
			}
			if m, ok := a.classAttr(o.of, "__setattr__"); ok {
				f.receives(ref(o).with(v.may), "__setattr__")
				f.call(f.bindAttr(m, o, ref(o).with(v.may), "__setattr__", n), args{site: n, pos: []val{f.constant(name), x}})
			}
			a.setAttr(o, name, stored.with(v.may))
			a.growLab(&o.shape, v.may)
		case oClass, oFunc, oModule:
			a.setAttr(o, name, stored.with(v.may))
		default:
			a.grow(&o.other, stored.with(v.may))
			f.store(o, plain(v.may, nil), stored)
		}
	}
}

// accessor calls the setter or the deleter of a property, and says whether there is one.
func (f *frame) accessor(v val, name string, x args) bool {
	found := false
	for o := range v.objs.each {
		if o.kind != oInst {
			continue
		}
		m, ok := f.a.classAttr(o.of, name)
		if !ok {
			continue
		}
		for p := range m.objs.each {
			if p.kind == oWrap && p.name == "property" {
				found = true
				f.receives(v, name)
				f.call(p.elem, x)
			}
		}
	}
	return found
}

// item reads v[key].
func (f *frame) item(v, key val, n syntax.Node) val {
	var out val
	f.a.step(1)
	key = f.hashes(key, n)
	by := union(v.may, key.may)
	f.raises(by)
	f.risks(v, key)
	f.hook(v, key)
	shape := by
	for o := range v.objs.each {
		out = join(out, f.itemOf(o, v, key, n))
		shape = union(shape, o.shape)
	}
	f.choose(out, union(shape, f.a.deep(key)), v)
	if v.fl&scalar != 0 {
		r := plain(by, union(v.must, key.must))
		out = join(out, r)
	}
	out = out.after(v)
	out = out.after(key)
	return out.with(f.a.deep(key))
}

func (f *frame) itemOf(o *object, v, key val, n syntax.Node) val {
	a := f.a
	switch o.kind {
	case oList, oTuple:
		if i, ok := key.number(); ok && !o.moved {
			if i < 0 && o.elem.bottom() {
				i += len(o.ents)
			}
			if i >= 0 && i < len(o.ents) && (o.elem.bottom() || o.kind == oList) {
				return o.ents[i].v.with(o.shape)
			}
			if i >= 0 {
				return o.elem.with(o.shape)
			}
		}
		return a.contents(o)
	case oDict:
		if s, ok := key.text(); ok {
			r := o.elem
			if e := ent(o.ents, s); e != nil {
				r = join(r, e.v)
			}
			return r.with(o.shape)
		}
		return a.contents(o)
	case oData:
		return a.dataKey(o, key)
	case oInst:
		var out val
		if r, ok := f.specialOf(o, "__getitem__", ref(o).with(v.may), args{site: n, pos: []val{key}}); ok {
			out = r
		} else {
			out = join(join(a.contents(o), o.other), f.allAttrs(o)).loose()
		}
		fn, _ := a.classAttr(o.of, "__missing__")
		f.mayMiss(join(fn, join(a.contents(o), o.other)), union(a.deep(key), union(v.may, o.shape)))
		r, _ := f.specialOf(o, "__missing__", ref(o).with(v.may), args{site: n, pos: []val{key}})
		out = join(out, r)
		return out
	case oClass:
		return join(f.members(o), ref(o))
	case oNative, oFunc, oModule:
		return ref(o) // list[int]
	}
	if o.name == "collections.defaultdict" { // looking a key up puts it in
		f.overwrite(o, val{may: union(a.deep(key), f.pc), fl: reached})
		f.mayMiss(a.contents(o), union(a.deep(key), union(v.may, o.shape)))
	}
	return join(a.contents(o).loose(), ref(o))
}

// allAttrs joins the attributes of an instance.
func (f *frame) allAttrs(o *object) val {
	var v val
	for _, e := range o.attrs {
		v = join(v, e.v)
	}
	return v
}

// setItem stores v[key] = x.
func (f *frame) setItem(v, key, x val, n syntax.Node) {
	f.hook(v, key)
	f.touch(v, "")
	key.may = union(key.may, f.pc)
	x.may = union(x.may, f.pc)
	f.raises(union(v.may, key.may))
	f.risks(v, key, x)
	key = f.hashes(key, n)
	stored := x
	name := ""
	if s, ok := key.text(); ok {
		name = s
	}
	stored.may = stored.may.via(pos(n), stepStore, name)
	key.may = union(key.may, f.a.deep(key))
	for o := range v.objs.each {
		if o.kind == oInst {
			if _, ok := f.specialOf(o, "__setitem__", ref(o).with(v.may), args{site: n, pos: []val{key, x}}); ok {
				continue
			}
		}
		f.store(o, key.with(v.may), stored)
	}
}

// store puts x under a key into a container.
func (f *frame) store(o *object, key, x val) {
	a := f.a
	switch o.kind {
	case oList:
		a.growLab(&o.shape, key.may)
		if i, ok := key.number(); ok && !o.moved && i >= 0 && i < len(o.ents) {
			a.grow(&o.ents[i].v, x)
			return
		}
		// Another place, of those that are known, or a slice.
		a.flag(&o.moved)
		if _, ok := key.number(); !ok {
			a.flag(&o.fewer)
		}
		a.grow(&o.elem, join(x, f.maybeElements(x, o.node)))
	case oDict, oData:
		a.setKey(o, key, x)
	case oClass, oFunc, oModule, oNative, oTool, oSpace:
		a.grow(&o.other, x)
	default:
		a.grow(&o.keys, key.loose())
		a.growLab(&o.shape, key.may)
		a.grow(&o.elem, x.loose())
		if o.kind == oInst {
			a.grow(&o.other, x.loose())
		}
	}
}

// maybeElements is what iterating over x gives, if it holds anything: a slice
// may be replaced by it.
func (f *frame) maybeElements(x val, n syntax.Node) val {
	if x.objs == nil {
		return val{}
	}
	return f.iterate(x, n).loose()
}

func (f *frame) delItem(v, key val, n syntax.Node) {
	f.hook(v, key)
	f.touch(v, "")
	l := union(f.a.deep(key), union(v.may, f.pc))
	f.raises(l)
	f.risks(v, key)
	for o := range v.objs.each {
		if o.kind == oInst {
			f.specialOf(o, "__delitem__", ref(o).with(v.may), args{site: n, pos: []val{key}})
		}
		f.a.drop(o, l)
	}
}

// mayMiss notes that l decides whether something is called that makes a missing value.
func (f *frame) mayMiss(v val, l *lab) {
	for o := range v.objs.each {
		switch o.kind {
		case oFunc, oBound, oWrap, oNative, oClass, oTool:
			if !f.silent(o) {
				f.stay(l)
			}
		}
	}
}

// hashes calls the methods that a key's use in a dict or set calls, and returns the key
// with what they look at.
func (f *frame) hashes(key val, n syntax.Node) val {
	if key.objs == nil {
		return key
	}
	l := f.compares(n, key)
	if f.mayRun(key) {
		f.stay(l) // with which others it is compared
	}
	return key.with(l)
}

// iterate gives what iterating over v gives, each element with what it depends on.
func (f *frame) iterate(v val, n syntax.Node) val {
	var out val
	f.a.step(1)
	f.raises(v.may)
	f.risks(v)
	f.hook(v)
	for o := range v.objs.each {
		switch o.kind {
		case oIter, oGen, oOpaque:
			f.touch(ref(o).with(union(v.may, o.shape)), "")
		default:
			f.choose(v, union(v.may, o.shape), v)
		}
		// A join is as much work as there are objects in it.
		f.a.step(1 + int64(len(out.objs.all()))/16)
		out = join(out, f.elements(o, v, n))
	}
	if v.fl&scalar != 0 {
		out = join(out, plain(v.may, v.must))
	}
	return out.after(v)
}

// elements is what iterating over an object gives.
func (f *frame) elements(o *object, v val, n syntax.Node) val {
	a := f.a
	switch o.kind {
	case oDict:
		return o.dictKeys()
	case oData:
		k := val{may: a.dataOwn(o), fl: reached | text}
		if t := o.data.typ; t != nil && len(t.Variants) == 0 && o.data.deep < maxNested {
			if t.Kinds&schema.ObjectKind == 0 {
				k = val{}
			} else {
				k = join(k, o.dictKeys())
			}
			if t.Kinds&schema.ArrayKind != 0 {
				k = join(k, a.items(o, t))
			}
			return join(k, o.elem).with(o.shape).loose()
		}
		return join(join(a.dataItem(o), o.elem), join(k, o.dictKeys())).with(o.shape).loose()
	case oGen:
		f.resume(o, val{}, n)
		return o.gen.yields.with(o.gen.ret.may) // what it returns ends it
	case oInst:
		return f.instElements(o, v, n)
	case oClass:
		all := f.members(o)
		if enumLike(o.class.nativeAll()) {
			all = join(all, f.member(o, all))
		}
		return all
	case oOpaque:
		f.walked(o)
		return join(a.contents(o), ref(o)).loose()
	case oIter:
		f.walked(o)
	}
	return a.contents(o)
}

// member is a member of an enumeration: an object around the value.
func (f *frame) member(class *object, v val) val {
	inst := f.a.alloc(oInst, class.node, class.act, "member")
	inst.of = class
	f.a.grow(&inst.elem, v)
	return ref(inst)
}

func (f *frame) instElements(o *object, v val, n syntax.Node) val {
	a := f.a
	self := ref(o).with(v.may)
	var out val
	it, ok := f.specialOf(o, "__iter__", self, args{site: n})
	if ok {
		for p := range it.objs.each {
			if p.kind == oInst {
				r, _ := f.specialOf(p, "__next__", ref(p).with(it.may), args{site: n})
				out = join(out, r)
				if len(p.of.class.nativeAll()) > 0 {
					out = join(out, a.contents(p).loose())
				}
				continue
			}
			out = join(out, f.elements(p, it, n))
		}
		return out.with(it.may).loose()
	}
	r, _ := f.specialOf(o, "__next__", self, args{site: n})
	out = join(out, r)
	r, _ = f.specialOf(o, "__getitem__", self, args{site: n, pos: []val{plain(nil, nil)}})
	out = join(out, r)
	return join(out, join(join(a.contents(o), o.dictKeys()), f.allAttrs(o))).loose()
}

// resume lets a generator go on: what it is sent arrives, and its body has
// been executed as soon as something is known to start it.
func (f *frame) resume(o *object, sent val, n syntax.Node) {
	a := f.a
	for act := o.gen; act != nil; act = nil {
		a.grow(&act.sent, sent)
		if !f.pc.within(act.pc) {
			act.pc = union(act.pc, f.pc)
			act.stale = true
			a.grew()
		}
		a.analyse(act)
		f.pc = union(f.pc, act.out)
		f.exc = joinExc(f.exc, act.exc, val{})
	}
}
