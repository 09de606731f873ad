package check

import (
	"slices"
	"strings"

	"praxis/internal/plan/syntax"
)

// nativeObject is something built in, by its qualified name.
func (a *analysis) nativeObject(name string) *object {
	return a.alloc(oNative, a.scopes.root.node, a.root, name)
}

// nativeAttr names an attribute of something built in: str.upper, dict.fromkeys.
func (a *analysis) nativeAttr(name, attr string) string {
	if strings.HasPrefix(attr, "__") && attr != "__init__" && attr != "__new__" {
		return ""
	}
	return name + "." + attr
}

// module is an imported module.
func (f *frame) module(name string, n syntax.Node) val {
	return ref(f.a.alloc(oModule, f.a.scopes.root.node, f.a.root, name))
}

// moduleAttr is what a module holds: something built in, by its qualified
// name, or what the program has put there.
func (f *frame) moduleAttr(o *object, name string, n syntax.Node) val {
	v := ref(f.a.nativeObject(o.name + "." + name))
	if e := ent(o.attrs, name); e != nil {
		v = join(v, e.v)
	}
	return join(v, o.other)
}

// native calls something built in.
func (f *frame) native(name string, x args) val {
	r := f.nativeCall(name, x)
	module, _, _ := strings.Cut(name, ".")
	switch state := &f.a.clock; module {
	case "random":
		state = &f.a.dice
		fallthrough
	case "time", "datetime":
		if module == "random" || name == "time.sleep" {
			f.a.growLab(state, union(f.a.deep(x.all()), f.pc))
		}
		return r.with(*state)
	}
	return r
}

func (f *frame) nativeCall(name string, x args) val {
	in := x.all()
	f.hook(in)
	switch name {
	case "isinstance", "issubclass", "type", "id", "callable", "getattr", "hasattr", "iter", "next", "print":
	default:
		f.callsBack(x, val{})
		f.inside(in)
	}
	for o := range in.objs.each {
		switch o.kind {
		case oIter, oGen, oOpaque:
			f.touch(ref(o).with(union(in.may, o.shape)), "")
		}
	}
	if strings.HasPrefix(name, "heapq.") || strings.HasPrefix(name, "bisect.") || strings.HasPrefix(name, "random.") {
		f.touch(in, "")
	}
	if f.a.strict && (f.trying() || f.library(name, x, in)) {
		f.stick(f.a.deep(in))
	}
	if strings.IndexByte(name, '.') < 0 {
		if r, ok := f.builtin(name, x); ok {
			return r
		}
	} else if r, ok := f.moduleCall(name, x); ok {
		return r
	} else if moment(name) {
		r := f.opaque(x.site, name, false, in)
		return val{may: r.may, objs: &f.a.alloc(oOpaque, x.site, f.act, name).only, fl: reached}
	}
	if exceptionName(name) {
		return f.newException(name, x)
	}
	r := f.opaque(x.site, name, !pureModule(name), in)
	switch name {
	case "itertools.takewhile", "itertools.dropwhile", "itertools.filterfalse", "itertools.compress", "itertools.groupby":
		f.drives(in, r.may)
	}
	return r
}

// library says whether a function is written in the plan language, or does
// what it does by way of such functions.
func (f *frame) library(name string, x args, all val) bool {
	switch name {
	case "len", "str", "repr", "ascii", "int", "float", "bool", "abs", "round", "divmod", "pow", "chr", "ord", "hex", "oct", "bin", "hash", "callable",
		"isinstance", "issubclass", "bytes", "slice", "range", "print", "format", "type", "object", "iter", "setattr", "property", "staticmethod", "classmethod":
		return false
	case "list", "tuple", "set", "frozenset", "sorted", "reversed", "enumerate", "zip", "dict", "sum", "min", "max", "any", "all":
		if ent(x.named, "key") != nil {
			return true
		}
		for _, id := range all.objs.all() {
			switch f.a.objects[id].kind {
			case oList, oTuple, oSet, oDict, oData:
			default:
				return true
			}
		}
		return false
	}
	return !strings.HasPrefix(name, "math.")
}

func exceptionName(name string) bool {
	return strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "Iteration") || name == "NotEnoughInformation" || name == "KeyboardInterrupt" || name == "SystemExit" || name == "GeneratorExit" || strings.HasSuffix(name, "Warning")
}

// newException makes a built-in exception.
func (f *frame) newException(name string, x args) val {
	o := f.a.alloc(oOpaque, x.site, f.act, name)
	f.absorb(o, x.all())
	return ref(o)
}

// pureModule says whether the functions of a module leave what they are given as it is.
func pureModule(name string) bool {
	i := strings.IndexByte(name, '.')
	if i < 0 {
		return false
	}
	switch name[:i] {
	case "math", "statistics", "itertools", "json", "re", "textwrap", "string", "datetime", "decimal", "fractions", "collections", "copy", "typing", "time", "calendar", "enum", "base64", "hashlib", "functools", "asyncio",
		"struct", "uuid", "difflib", "urllib", "zoneinfo", "timeit":
		return true
	}
	return false
}

// text is the result of a function that makes a value without parts of all
// that its arguments hold, asking their classes for text and order.
func (f *frame) text(x args) val {
	all := x.all()
	l := f.a.deep(all)
	if all.objs != nil && f.a.hasClasses() {
		l = union(l, f.a.deep(f.describes(all, x.site)))
		l = union(l, f.compares(x.site, all))
		l = union(l, f.a.deep(f.instancesCall(all, x.site, args{site: x.site, pos: nil},
			"__int__", "__float__", "__index__", "__round__", "__abs__", "__trunc__", "__floor__", "__ceil__", "__hash__", "__len__", "__bool__", "__bytes__", "__divmod__", "__pow__")))
	}
	f.raises(l)
	return plain(l, mustOf(x))
}

// mustOf is what is certain of a value that is made of all arguments.
func mustOf(x args) *lab {
	var m *lab
	if x.open || x.hasKw {
		return nil
	}
	for _, v := range x.pos {
		m = union(m, v.must)
	}
	return m
}

// builtin calls a built-in function or class.
func (f *frame) builtin(name string, x args) (val, bool) {
	if x.open || x.hasKw {
		return f.builtinOpen(name, x)
	}
	switch name {
	case "len":
		if len(x.pos) == 1 {
			l := f.lengthOf(x.pos[0])
			r := f.special(x.pos[0], "__len__", args{site: x.site})
			f.raises(union(l, r.may))
			m := x.pos[0].must
			return val{may: union(l, f.a.deep(r)), must: m, fl: reached | number}, true
		}
	case "print":
		f.text(x)
		for _, e := range x.named {
			if e.name == "file" {
				return f.opaque(x.site, name, true, x.all()), true
			}
		}
		return f.constant(nil), true
	case "str", "repr", "ascii", "format", "int", "float", "bool", "abs", "round", "divmod", "pow", "chr", "ord", "hex", "oct", "bin", "hash", "callable", "isinstance", "issubclass", "bytes", "slice":
		r := f.text(x)
		if name == "divmod" {
			return join(f.copyOf(oTuple, x.site, nil, r), r.loose()), true
		}
		switch name {
		case "str", "repr", "ascii", "format", "chr", "hex", "oct", "bin":
			r.fl = reached | text
		case "int", "float", "ord":
			r.fl = reached | number
		}
		if name == "str" && len(x.pos) == 1 && len(x.named) == 0 {
			if _, ok := x.pos[0].text(); ok {
				r.k = x.pos[0].k
			}
		}
		if name == "isinstance" || name == "issubclass" || name == "callable" {
			r.must = nil
		}
		return r, true
	case "range":
		r := f.text(x)
		o := f.a.alloc(oIter, x.site, f.act, "range")
		f.a.grow(&o.elem, plain(r.may, nil))
		f.a.growLab(&o.shape, r.may)
		return ref(o), true
	case "object":
		return ref(f.a.alloc(oOpaque, x.site, f.act, "object")), true
	}
	return f.builtinMore(name, x)
}

// builtinOpen calls a built-in function with arguments that are not known one by one.
func (f *frame) builtinOpen(name string, x args) (val, bool) {
	switch name {
	case "print":
		f.text(x)
		return f.constant(nil), true
	case "str", "repr", "int", "float", "bool", "abs", "round", "len", "hash", "bytes":
		return f.text(x), true
	}
	if x.hasKw {
		return val{}, false
	}
	// Any number of arguments: each may be any of them.
	y := x
	y.open, y.vague = false, true
	y.star, y.where = val{}, nil
	y.pos = append(append([]val(nil), x.pos...), x.star)
	r, ok := f.builtin(name, y)
	if len(x.pos) == 0 && (name == "min" || name == "max") {
		r = join(r, x.star.loose())
	}
	return r.loose(), ok
}

func (f *frame) builtinMore(name string, x args) (val, bool) {
	a := f.a
	first := val{}
	if len(x.pos) > 0 {
		first = x.pos[0]
	}
	switch name {
	case "list", "tuple", "set", "frozenset", "sorted", "reversed", "enumerate", "zip", "iter", "dict":
		return f.container(name, x)
	case "sum", "min", "max", "any", "all":
		return f.reduce(name, x), true
	case "map", "filter":
		return f.mapped(name, x)
	case "next":
		return f.next(x), true
	case "getattr", "setattr", "hasattr", "delattr":
		return f.attrCall(name, x)
	case "type":
		if len(x.pos) == 1 {
			out := plain(first.may, nil)
			for o := range first.objs.each {
				if o.kind == oInst {
					out = join(out, ref(o.of))
				}
			}
			return out.with(first.may), true
		}
	case "property", "staticmethod", "classmethod":
		if len(x.pos) > 0 {
			w := f.wrap(name, first, x.site)
			if name == "property" {
				f.accessors(a.objects[w.objs.ids[0]], x)
			}
			return w, true
		}
	case "vars":
		if len(x.pos) == 1 {
			return join(first.loose(), plain(a.deep(first), nil)), true
		}
	}
	return val{}, false
}

// accessors notes the setter and the deleter of a property.
func (f *frame) accessors(w *object, x args) {
	for i, v := range x.pos {
		if i == 1 || i == 2 {
			f.a.grow(&w.elem, v)
		}
	}
	for _, e := range x.named {
		switch e.name {
		case "fget":
			f.a.grow(&w.fn, e.v)
		case "fset", "fdel":
			f.a.grow(&w.elem, e.v)
		}
	}
}

// container makes a built-in container of what an argument gives.
func (f *frame) container(name string, x args) (val, bool) {
	a := f.a
	var el, first val
	by := f.pc
	for _, v := range x.pos {
		el = join(el, f.iterate(v, x.site))
		by = union(by, f.lengthOf(v))
		first = join(first, v)
	}
	switch name {
	case "list", "tuple":
		if len(x.pos) == 0 {
			o := a.alloc(kindNamed(name), x.site, f.act, "")
			a.display(o, nil)
			return ref(o), true
		}
		return f.copyOf(kindNamed(name), x.site, by, el), true
	case "set", "frozenset":
		el = f.hashes(el, x.site)
		return f.copyOf(oSet, x.site, union(by, a.deep(el)), el), true
	case "sorted":
		l := f.ordered(el, x)
		return f.copyOf(oList, x.site, union(by, l), el.with(l)), true
	case "reversed", "iter":
		if name == "iter" && len(x.pos) == 2 {
			r := f.callback(x.pos[0], args{site: x.site})
			f.compares(x.site, r, x.pos[1])
			f.drives(x.pos[0], union(f.a.deep(r), f.a.deep(x.pos[1])))
			it := f.uses(f.iterator(x.site, union(by, x.pos[1].may), r), x)
			f.calledLater(a.objects[it.objs.ids[0]], func() { f.callback(x.pos[0], args{site: x.site}) })
			return it, true
		}
		r := f.special(first, "__reversed__", args{site: x.site})
		it := f.iterator(x.site, by, el)
		for _, id := range first.objs.all() {
			switch a.objects[id].kind {
			case oGen, oIter, oOpaque, oInst:
				it = join(it, ref(a.objects[id]))
			}
		}
		return join(it, r).with(first.may), true
	case "enumerate", "zip":
		return f.zipped(name, x, by), true
	case "dict":
		o := a.alloc(oDict, x.site, f.act, "")
		for _, v := range x.pos {
			f.update(o, v, x.site)
		}
		for _, e := range x.named {
			a.setKey(o, f.constant(e.name), e.v)
		}
		return ref(o), true
	}
	return val{}, false
}

func kindNamed(name string) okind {
	switch name {
	case "tuple":
		return oTuple
	case "set", "frozenset":
		return oSet
	}
	return oList
}

func isNone(v val) bool { return v.k != nil && v.k.Kind == syntax.None }

// iterator makes an iterator.
func (f *frame) iterator(n syntax.Node, shape *lab, elem val) val {
	o := f.a.alloc(oIter, n, f.act, "iterator")
	f.a.grow(&o.elem, elem)
	f.a.growLab(&o.shape, union(shape, f.pc))
	return ref(o)
}

// zipped makes the iterator of enumerate and zip: it gives tuples.
func (f *frame) zipped(name string, x args, by *lab) val {
	a := f.a
	t := a.alloc(oTuple, x.site, f.act, "pair")
	var items []val
	if name == "enumerate" {
		i := plain(nil, nil)
		for _, v := range x.pos[min(1, len(x.pos)):] {
			i = i.with(v.may)
		}
		for _, e := range x.named {
			i = i.with(e.v.may)
		}
		items = append(items, i.with(by))
		if len(x.pos) > 0 {
			items = append(items, f.iterate(x.pos[0], x.site))
		} else {
			items = append(items, f.iterate(x.all(), x.site))
		}
	} else {
		for _, v := range x.pos {
			items = append(items, f.iterate(v, x.site).with(by))
		}
	}
	a.display(t, items)
	if x.vague {
		a.drop(t, nil)
	}
	return f.uses(f.iterator(x.site, by, ref(t)), x)
}

// ordered is what the order of elements depends on that are compared, or what a key makes of them.
func (f *frame) ordered(el val, x args) *lab {
	l := f.compares(x.site, el)
	if e := ent(x.named, "key"); e != nil && !isNone(e.v) {
		k := f.callback(e.v, args{site: x.site, pos: []val{el.loose()}})
		l = f.compares(x.site, k)
	}
	if e := ent(x.named, "reverse"); e != nil {
		l = union(l, f.a.deep(e.v))
	}
	return l
}

// reduce is sum, min, max, any and all.
func (f *frame) reduce(name string, x args) val {
	a := f.a
	var el val
	var by *lab
	if len(x.pos) == 1 || name == "sum" && len(x.pos) > 0 {
		el = f.iterate(x.pos[0], x.site)
		by = union(x.pos[0].may, f.lengthOf(x.pos[0]))
	} else {
		for _, v := range x.pos {
			el = join(el, v)
		}
	}
	by = union(by, f.truth(el, x.site))
	switch name {
	case "any", "all":
		f.drives(x.all(), union(by, el.may))
		return plain(union(by, el.may), nil)
	case "sum":
		start := val{}
		if len(x.pos) > 1 {
			start = x.pos[1]
		}
		if e := ent(x.named, "start"); e != nil {
			start = e.v
		}
		r := plain(union(union(by, a.deep(el)), a.deep(start)), nil)
		if el.objs != nil || start.objs != nil {
			both := join(el, start)
			r = join(r, f.binary(syntax.Add, both.loose(), both.loose(), x.site))
			r = join(r, both.loose())
		}
		f.raises(r.may)
		return r
	}
	out := el.with(union(by, f.ordered(el, x))).loose()
	if e := ent(x.named, "default"); e != nil {
		out = join(out, e.v.with(by)).loose()
	}
	f.raises(out.may)
	return out
}

// mapped is map and filter.
func (f *frame) mapped(name string, x args) (val, bool) {
	if len(x.pos) < 2 {
		return val{}, false
	}
	by := f.pc
	var els []val
	for _, v := range x.pos[1:] {
		els = append(els, f.iterate(v, x.site))
		by = union(by, f.lengthOf(v))
	}
	fn := x.pos[0]
	if name == "filter" && isNone(fn) {
		f.drives(x.pos[1], f.truth(els[0], x.site))
		return f.iterator(x.site, union(by, f.truth(els[0], x.site)), els[0]), true
	}
	r := f.callback(fn, args{site: x.site, pos: els})
	o := f.a.alloc(oIter, x.site, f.act, "iterator")
	f.calledLater(o, func() { f.callback(fn, args{site: x.site, pos: els}) })
	if name == "map" {
		return f.uses(f.iterator(x.site, by, r.with(by)), x), true
	}
	l := f.truth(r, x.site)
	f.drives(x.pos[1], l)
	return f.uses(f.iterator(x.site, union(by, union(l, fn.may)), els[0].with(l)), x), true
}

// uses notes which of its arguments an iterator calls or goes on with when it is walked:
// it is not one over elements alone.
func (f *frame) uses(it val, x args) val {
	f.a.flag(&f.a.objects[it.objs.ids[0]].moved)
	for o := range x.all().objs.each {
		switch o.kind {
		case oList, oTuple, oSet, oDict, oData:
		default:
			f.a.grow(&f.a.objects[it.objs.ids[0]].fn, ref(o))
		}
	}
	return it
}

// calledLater analyses the calls that an iterator makes once more, as they are made where it is walked.
func (f *frame) calledLater(o *object, calls func()) {
	if before := f.pc; !o.late.within(before) {
		f.pc = union(before, o.late)
		calls()
		if !f.a.strict {
			f.pc = before
		}
	}
}

// walked notes that the elements of an iterator are taken here.
func (f *frame) walked(o *object) {
	if !f.pc.within(o.late) {
		f.a.growLab(&o.late, f.pc)
		for p := range join(o.fn, o.elem).objs.each {
			if p.kind == oIter || p.kind == oOpaque {
				f.walked(p)
			}
		}
	}
}

// next is next(it, default).
func (f *frame) next(x args) val {
	if len(x.pos) == 0 {
		return plain(nil, nil)
	}
	v := x.pos[0]
	for o := range v.objs.each {
		f.drives(ref(o), union(v.may, o.shape))
	}
	out := f.iterate(v, x.site)
	var ended *lab // what the end of the iterator depends on
	for o := range v.objs.each {
		if o.kind == oGen {
			ended = union(ended, union(o.gen.ret.may, o.gen.exc.may))
		}
		if o.kind == oInst {
			r, _ := f.specialOf(o, "__next__", ref(o).with(v.may), args{site: x.site})
			out = join(out, r)
		}
	}
	l := f.lengthOf(v)
	if len(x.pos) > 1 {
		out = join(out, x.pos[1].with(union(l, ended)))
		if f.a.scopes.catches {
			out = out.with(f.a.raised.may)
		}
		out = out.with(f.exc.may)
	}
	return out.with(l).loose()
}

// attrCall is getattr, setattr, hasattr and delattr.
func (f *frame) attrCall(name string, x args) (val, bool) {
	if len(x.pos) < 2 {
		return val{}, false
	}
	o, key := x.pos[0], x.pos[1]
	known, ok := key.text()
	names := []string{known}
	if !ok {
		names = append(f.attrNames(o), "?")
	}
	switch name {
	case "setattr":
		if len(x.pos) < 3 {
			return val{}, false
		}
		if ok {
			f.setAttr(o, known, x.pos[2].with(key.may), x.site)
			return f.constant(nil), true
		}
		f.named(o, key)
		f.setAnyAttr(o, key, x.pos[2], x.site)
		return f.constant(nil), true
	case "delattr":
		f.touch(o, "")
		f.named(o, key)
		f.special(o, "__delattr__", args{site: x.site, pos: []val{key}})
		for _, name := range names {
			f.accessor(o, name, args{site: x.site, pos: []val{o}})
		}
		return f.constant(nil), true
	}
	r := f.attrs(o, names, x.site)
	by := union(o.may, f.a.deep(key))
	if name == "hasattr" {
		return plain(by, nil).with(union(r.may, f.exc.may)), true
	}
	if len(x.pos) > 2 {
		r = join(r, x.pos[2])
	}
	if ok && len(x.pos) == 2 {
		return r.with(by), true
	}
	return r.with(by).loose(), true
}

// attrs reads attributes, one of which it may be; "?" stands for those that are not known.
func (f *frame) attrs(v val, names []string, n syntax.Node) val {
	var out val
	for _, name := range names {
		out = join(out, f.attr(v, name, n))
	}
	return out
}

// named notes that a key that is not known says which attribute is changed.
func (f *frame) named(o, key val) {
	l := f.a.deep(key)
	for p := range o.objs.each {
		if p.kind != oInst || f.a.code().hooks {
			f.stay(l)
		}
		f.a.growLab(&p.shape, union(o.may, l))
		for i := range p.attrs {
			f.a.grow(&p.attrs[i].v, val{may: l})
		}
	}
}

// attrNames are the names of the attributes that are known of instances.
func (f *frame) attrNames(v val) []string {
	var names []string
	for o := range v.objs.each {
		for _, e := range o.attrs {
			names = append(names, e.name)
		}
		c := o
		if o.kind == oInst {
			c = o.of
		}
		if c.kind == oClass {
			for c := range c.lineage {
				for _, e := range c.attrs {
					names = append(names, e.name)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// setAnyAttr stores an attribute whose name is not known.
func (f *frame) setAnyAttr(v, key, x val, n syntax.Node) {
	l := union(union(v.may, f.a.deep(key)), f.pc)
	stored := x.with(l).loose()
	for _, name := range f.attrNames(v) {
		f.accessor(v, name, args{site: n, pos: []val{v, x}})
	}
	for o := range v.objs.each {
		if o.kind == oInst {
			f.specialOf(o, "__setattr__", ref(o).with(v.may), args{site: n, pos: []val{key, x}})
		}
		f.a.grow(&o.other, stored)
		for i := range o.attrs {
			f.a.grow(&o.attrs[i].v, stored)
		}
	}
}

// callback calls what a function was given, any number of times: in mode
// strict a call may depend on what those before it gave.
func (f *frame) callback(fn val, x args) val {
	tried := f.tried
	defer func() { f.tried = tried }()
	f.tried = tried || f.a.strict || f.a.scopes.foreign
	given := x
	for r := (val{}); ; {
		before := f.pc
		x.pos = nil
		for _, v := range given.pos {
			x.pos = append(x.pos, v.with(f.pc))
		}
		r = join(r, f.call(fn, x))
		f.stick(f.a.deep(r))
		if f.pc.within(before) {
			return r
		}
	}
}
