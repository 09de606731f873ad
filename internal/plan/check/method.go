package check

import "strings"

// method calls a method of something built in by name.
func (f *frame) method(recv val, name string, x args) val {
	var out val
	f.hook(recv)
	if changer(name) {
		f.touch(recv, "")
	}
	f.callsBack(x, recv)
	f.inside(join(x.all(), recv))
	if f.a.strict && f.trying() {
		f.stick(union(f.a.deep(recv), f.a.deep(x.all())))
	}
	for o := range recv.objs.each {
		self := ref(o).with(recv.may)
		var r val
		ok := false
		if !x.open && !x.hasKw {
			if o.kind == oData {
				self.must = recv.must // for its text: what a method makes of that depends on the receiver
			}
			r, ok = f.methodOf(o, self, name, x)
		}
		if !ok {
			r = f.opaqueMethod(self, name, x)
		}
		out = join(out, r)
	}
	if recv.fl&scalar != 0 {
		s := recv
		s.objs = nil
		out = join(out, f.textMethod(s, name, x))
	}
	out = out.with(recv.may)
	f.choose(out, union(out.may, f.pc), join(x.all(), recv))
	return out
}

// opaqueMethod is a method that is not known: it may change its object and
// keep what it is given in it.
func (f *frame) opaqueMethod(self val, name string, x args) val {
	return f.opaque(x.site, "."+name, true, self, x.all())
}

// textMethod is a method of a value without parts.
func (f *frame) textMethod(s val, name string, x args) val {
	y := x
	y.pos = append([]val{s}, x.pos...)
	r := f.text(y)
	switch name {
	case "split", "rsplit", "splitlines", "groups", "findall":
		l := f.copyOf(oList, x.site, r.may, plain(r.may, r.must))
		f.a.objects[l.objs.ids[0]].kind = oList
		return l.with(r.may)
	case "partition", "rpartition":
		o := f.a.alloc(oTuple, x.site, f.act, name)
		p := plain(r.may, r.must)
		f.a.display(o, []val{p, p, p})
		return ref(o).with(r.may)
	case "upper", "lower", "strip", "lstrip", "rstrip", "join", "replace", "format", "startswith", "endswith", "find", "rfind", "index", "rindex", "count",
		"title", "capitalize", "swapcase", "casefold", "center", "ljust", "rjust", "zfill", "isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower",
		"istitle", "isdecimal", "isnumeric", "isidentifier", "isascii", "isprintable", "encode", "decode", "hex", "removeprefix", "removesuffix", "expandtabs",
		"bit_length", "is_integer", "isoformat", "strftime", "date", "time", "weekday", "isoweekday", "timestamp", "total_seconds", "quantize",
		"group", "start", "end":
		if name == "join" || name == "format" || name == "count" {
			r = f.iterated(r, x)
		}
		return r
	}
	// Anything else may give its arguments back or call them.
	return join(r.loose(), f.opaque(x.site, "."+name, false, s, x.all()))
}

// iterated joins what iterating over the arguments gives.
func (f *frame) iterated(r val, x args) val {
	for _, v := range x.pos {
		if v.objs != nil {
			el := f.iterate(v, x.site)
			r = r.with(union(f.a.deep(el), f.lengthOf(v)))
		}
	}
	return r
}

// methodOf is a method of an object.
func (f *frame) methodOf(o *object, self val, name string, x args) (val, bool) {
	switch o.kind {
	case oList:
		return f.listMethod(o, self, name, x)
	case oTuple:
		return f.searched(o, self, name, x)
	case oSet:
		return f.setMethod(o, self, name, x)
	case oDict:
		return f.dictMethod(o, self, name, x)
	case oData:
		return f.dataMethod(o, self, name, x)
	case oGen:
		return f.genMethod(o, self, name, x)
	case oWrap:
		if (name == "setter" || name == "getter" || name == "deleter") && len(x.pos) == 1 {
			if name == "getter" {
				f.a.grow(&o.fn, x.pos[0])
			} else {
				f.a.grow(&o.elem, x.pos[0])
			}
			return self, true
		}
	case oInst:
		return f.instMethod(o, self, name, x)
	case oClass:
		if name == "__new__" {
			// Of object: a bare instance.
			in := f.a.alloc(oInst, x.site, f.act, instName(o))
			for _, v := range x.pos {
				for c := range v.objs.each {
					if c.kind == oClass && in.of == nil {
						in.of = c
					}
				}
			}
			if in.of == nil {
				in.of = o
			}
			if len(in.of.class.nativeAll()) > 0 {
				f.absorbArgs(in, x)
			}
			return ref(in), true
		}
	case oSuper, oIter, oOpaque:
	}
	return val{}, false
}

// instMethod is a method that no class of the program defines.
func (f *frame) instMethod(o *object, self val, name string, x args) (val, bool) {
	switch name {
	case "__init__", "__setattr__", "__delattr__", "__new__":
		if name == "__new__" {
			return self, true
		}
		if name == "__setattr__" && len(x.pos) == 2 {
			if s, ok := x.pos[0].text(); ok {
				f.a.setAttr(o, s, x.pos[1].with(union(self.may, f.pc)))
			} else {
				f.a.grow(&o.other, x.pos[1].with(union(union(self.may, f.a.deep(x.pos[0])), f.pc)))
			}
			return f.constant(nil), true
		}
		if len(o.of.class.nativeAll()) > 0 {
			f.absorbArgs(o, x)
		}
		return f.constant(nil), true
	case "__eq__", "__ne__", "__hash__", "__repr__", "__str__", "__format__":
		y := x
		y.pos = append([]val{self}, x.pos...)
		return plain(f.a.deep(y.all()), nil), true
	}
	return val{}, false
}

// searched are count and index.
func (f *frame) searched(o *object, self val, name string, x args) (val, bool) {
	switch name {
	case "count", "index":
		return plain(union(f.compares(x.site, self, x.all()), o.shape), nil), true
	}
	return val{}, false
}

func (f *frame) listMethod(o *object, self val, name string, x args) (val, bool) {
	a := f.a
	by := union(self.may, f.pc)
	none := f.constant(nil)
	switch name {
	case "append":
		if len(x.pos) == 1 {
			v := x.pos[0]
			v.may = union(v.may, f.pc).via(pos(x.site), stepStore, "append")
			a.growLab(&o.shape, by)
			a.put(o, v)
			return none, true
		}
	case "extend":
		if len(x.pos) == 1 {
			a.growLab(&o.shape, by)
			f.extend(o, x.pos[0], x.site)
			return none, true
		}
	case "insert":
		if len(x.pos) == 2 {
			a.shuffle(o, union(by, a.deep(x.pos[0])))
			a.grow(&o.elem, x.pos[1].with(f.pc))
			return none, true
		}
	case "pop":
		l := by
		for _, v := range x.pos {
			l = union(l, a.deep(v))
		}
		r := a.contents(o).with(l)
		a.drop(o, l)
		f.raises(r.may)
		return r, true
	case "remove":
		a.drop(o, union(by, f.compares(x.site, self, x.all())))
		return none, true
	case "clear":
		a.drop(o, by)
		return none, true
	case "reverse":
		a.shuffle(o, by)
		return none, true
	case "copy":
		return f.copyOf(oList, x.site, union(by, o.shape), a.contents(o)), true
	case "sort":
		el := a.contents(o)
		if e := ent(x.named, "key"); e != nil && !isNone(e.v) {
			f.stick(a.deep(el))
		}
		a.shuffle(o, union(by, f.ordered(el, x)))
		return none, true
	}
	return f.searched(o, self, name, x)
}

func (f *frame) setMethod(o *object, self val, name string, x args) (val, bool) {
	a := f.a
	by := union(self.may, f.pc)
	all := x.all()
	switch name {
	case "add", "discard", "remove":
		all = f.hashes(all, x.site)
		l := union(union(by, f.hashes(o.elem, x.site).may), f.compares(x.site, self, all))
		a.growLab(&o.shape, l)
		if name == "add" {
			a.grow(&o.elem, all.with(f.pc))
		}
		return f.constant(nil), true
	case "pop":
		r := a.contents(o).with(union(by, f.compares(x.site, self)))
		a.growLab(&o.shape, by)
		return r, true
	case "clear":
		a.growLab(&o.shape, by)
		return f.constant(nil), true
	case "copy":
		return f.copyOf(oSet, x.site, union(by, o.shape), a.contents(o)), true
	}
	var el val
	l := by
	for _, v := range x.pos {
		el = join(el, f.iterate(v, x.site))
		l = union(l, f.lengthOf(v))
	}
	l = union(l, union(f.compares(x.site, self, el), o.shape))
	switch name {
	case "union", "intersection", "difference", "symmetric_difference":
		return f.copyOf(oSet, x.site, l, join(a.contents(o), el)), true
	case "update", "intersection_update", "difference_update", "symmetric_difference_update":
		a.growLab(&o.shape, l)
		a.grow(&o.elem, el.with(f.pc))
		return f.constant(nil), true
	case "issubset", "issuperset", "isdisjoint":
		return plain(l, nil), true
	}
	return val{}, false
}

// dictMethod is a method of a dict, or of a JSON value that may be one.
func (f *frame) dictMethod(o *object, self val, name string, x args) (val, bool) {
	a := f.a
	by := union(self.may, f.pc)
	keys := o.dictKeys()
	if o.kind == oData {
		keys = join(keys, plain(a.dataOwn(o), nil))
	}
	key := val{}
	if len(x.pos) > 0 {
		key = x.pos[0]
		key = f.hashes(key, x.site)
	}
	kl := a.deep(key)
	switch name {
	case "get", "pop", "setdefault":
		if len(x.pos) == 0 {
			return val{}, false
		}
		r := f.itemOf(o, self, key, x.site)
		def := f.constant(nil)
		if len(x.pos) > 1 {
			def = x.pos[1]
		}
		if name == "setdefault" {
			k := key
			k.may = union(union(k.may, kl), by)
			a.setKey(o, k, def.with(f.pc))
		}
		if name == "pop" {
			f.a.flag(&o.fewer)
			a.growLab(&o.shape, union(by, kl))
		}
		// Whether it is there depends on all keys that are not known.
		l := union(union(kl, by), union(o.shape, o.keys.may))
		f.raises(l)
		return join(r, def).with(l).loose(), true
	case "keys":
		return f.iterator(x.site, union(by, o.shape), keys.with(by)), true
	case "values":
		return f.iterator(x.site, union(by, o.shape), a.contents(o).with(by)), true
	case "items", "popitem":
		t := a.alloc(oTuple, x.site, f.act, "pair")
		a.display(t, []val{keys.with(by), a.contents(o).with(by)})
		if name == "popitem" {
			a.drop(o, by)
			return ref(t).with(union(by, o.shape)), true
		}
		return f.iterator(x.site, union(by, o.shape), ref(t)), true
	case "update":
		for _, v := range x.pos {
			f.update(o, v, x.site)
		}
		for _, e := range x.named {
			a.setKey(o, f.constant(e.name), e.v.with(f.pc))
		}
		a.growLab(&o.shape, by)
		return f.constant(nil), true
	case "clear":
		a.drop(o, by)
		return f.constant(nil), true
	case "copy":
		if o.kind == oData {
			d := f.copyOf(oDict, x.site, by, a.contents(o))
			a.grow(&a.objects[d.objs.ids[0]].keys, keys)
			return d, true
		}
		d := a.alloc(oDict, x.site, f.act, "copy")
		f.update(d, self, x.site)
		return ref(d), true
	}
	return val{}, false
}

// dataMethod is a method of a JSON value: of a dict or of a list.
func (f *frame) dataMethod(o *object, self val, name string, x args) (val, bool) {
	a := f.a
	own := a.dataOwn(o)
	text := plain(union(self.may, own), self.must)
	self = self.with(own)
	self.must = nil
	switch name {
	case "get", "pop", "setdefault", "keys", "values", "items", "popitem", "update", "clear", "copy":
		r, ok := f.dictMethod(o, self, name, x)
		if name == "copy" || name == "pop" || name == "clear" {
			l, _ := f.listMethod(o, self, name, x)
			r = join(r, l)
		}
		return r, ok
	case "append", "extend", "insert", "remove", "reverse", "sort", "count", "index":
		return f.listMethod(o, self, name, x)
	}
	if strings.HasPrefix(name, "__") {
		return val{}, false
	}
	return f.textMethod(text, name, x), true
}

func (f *frame) genMethod(o *object, self val, name string, x args) (val, bool) {
	switch name {
	case "send":
		if len(x.pos) == 1 {
			f.resume(o, x.pos[0].with(f.pc), x.site)
			return o.gen.yields, true
		}
	case "__next__":
		f.resume(o, val{}, x.site)
		return o.gen.yields, true
	case "close":
		f.resume(o, val{}, x.site)
		return f.constant(nil), true
	case "throw":
		f.resume(o, val{}, x.site)
		f.a.grow(&o.gen.sent, x.all())
		f.a.grow(&f.a.raised, x.all())
		return join(o.gen.yields, f.a.raised), true
	case "exception": // of a task
		f.resume(o, val{}, x.site)
		return join(join(o.gen.exc, f.a.raised), f.constant(nil)).loose(), true
	}
	return val{}, false
}
