package vm

import "praxis/internal/plan/syntax"

// dictNatives are the methods of dicts.
func dictNatives() []*Native {
	m := func(name, params string, f nativeFunc) *Native { return meth(kDict, "dict."+name, params, f).exact() }
	return append([]*Native{
		{name: "dict.__new__", params: "", call: dictNew, precise: true},
		{name: "dict.fromkeys", params: "cls, iterable, value=None, /", call: dictFromKeys, precise: true, drains: []int{1}},
		m("__init__", "", dictInit),
		m("get", "self, key, default=None, /", dictGet),
		m("setdefault", "self, key, default=None, /", dictSetDefault),
		m("pop", "self, key, default=None, /", dictPop),
		m("popitem", "self, /", dictPopItem),
		m("update", "", dictUpdateMethod),
		m("clear", "self, /", dictClear),
		m("copy", "self, /", dictCopy),
		m("keys", "self, /", viewOf(viewKeys)),
		m("values", "self, /", viewOf(viewValues)),
		m("items", "self, /", viewOf(viewItems)),
		m("__reversed__", "self, /", listReversed),
	}, dunders(kDict, "dict", "__len__ __getitem__ __setitem__ __delitem__ __contains__ __iter__ __repr__ "+
		"__or__ __ror__ __ior__ __eq__ __ne__")...)
}

func dictNew(t *Thread, a *Args) (Value, error) {
	d := &Dict{}
	v := Value{k: kDict, o: d}
	if !a.Pos[0].o.(*Class).static {
		return t.construct(a.Pos[0], v), t.alloc(strBytes)
	}
	if len(a.Pos) > 2 {
		return Value{}, t.arity("dict", len(a.Pos)-1, 0, 1)
	}
	return t.filled("dict.__new__", v, v, a)
}

func dictInit(t *Thread, a *Args) (Value, error) {
	if len(a.Pos) > 2 {
		return Value{}, t.arity("dict", len(a.Pos)-1, 0, 1)
	}
	return t.filled("dict.__init__", a.Pos[0], none, a)
}

func dictUpdateMethod(t *Thread, a *Args) (Value, error) {
	if len(a.Pos) > 2 {
		return Value{}, t.arity("update", len(a.Pos)-1, 0, 1)
	}
	return t.filled("dict.update", a.Pos[0], none, a)
}

// filled adds what the arguments of the native name give to the dict v, and
// returns result. What the program's own code has to give is asked for first, in
// frames of the machine, and the native is called again.
func (t *Thread) filled(name string, v, result Value, a *Args) (Value, error) {
	if len(a.Pos) > 1 && t.foreign(a.Pos[1]) {
		if _, ok := t.plainDict(a.Pos[1]); !ok {
			fn, err := t.own("filled")
			if err != nil {
				return Value{}, err
			}
			n := Value{k: kNative, o: t.natives[name]}
			return t.tailCall(fn, append([]Value{n}, a.Pos...), a.Names, a.Named)
		}
	}
	return result, t.fillDict(v, a)
}

// fillDict adds what the second positional argument and the keywords give.
func (t *Thread) fillDict(v Value, a *Args) error {
	if len(a.Pos) > 1 {
		if err := t.dictUpdate(v, a.Pos[1]); err != nil {
			return err
		}
	}
	d := v.o.(*Dict)
	if v.l != 0 || t.pc != 0 {
		t.mark(&d.shape, v.l)
	}
	for i, name := range a.Names {
		if err := d.set(t, t.str(name).with(t.keyLabel), a.Named[i]); err != nil {
			return err
		}
	}
	return nil
}

// dictUpdate adds the entries of b, a mapping or pairs, to the dict a.
func (t *Thread) dictUpdate(a, b Value) error {
	d := a.o.(*Dict)
	s, err := t.shaped(func() error {
		t.see(a.l)
		if p, ok := t.plainDict(b); ok {
			t.see(p.l)
			return d.merge(t, p.o.(*Dict))
		}
		t.see(b.l)
		if t.hasKeys(b) {
			return t.updateByKeys(d, b)
		}
		return t.updateByPairs(d, b)
	})
	t.mark(&d.shape, s)
	return err
}

// plainDict returns the dict behind v when nothing overrides how it is read.
func (t *Thread) plainDict(v Value) (Value, bool) {
	for _, name := range [...]string{"keys", "__getitem__", "__iter__"} {
		if _, ok := t.override(v, name); ok {
			return Value{}, false
		}
	}
	return t.payload(v, kDict)
}

// merge adds the entries of o; it sees o's shape.
func (d *Dict) merge(t *Thread, o *Dict) error {
	t.see(o.shape)
	if d == o {
		return nil
	}
	if err := t.step(int64(o.live) / 4); err != nil {
		return err
	}
	for i := 0; i < len(o.entries); i++ {
		e := o.entries[i]
		if e.key.k == kUnset {
			continue
		}
		n := o.version
		if err := d.setHashed(t, e.key, e.val, e.hash, 0); err != nil { // o's shape has the keys' labels
			return err
		}
		if o.version != n {
			return t.failAt(o.shape, t.types.RuntimeError, "dict mutated during update")
		}
	}
	return nil
}

// hasKeys reports whether v is a mapping: whether it has a method keys.
func (t *Thread) hasKeys(v Value) bool {
	switch v.k {
	case kDict:
		return true
	case kObject, kSpecial:
		_, _, ok := t.classOf(v).lookup("keys")
		return ok
	}
	return false
}

// updateByKeys adds what keys() and __getitem__ of a mapping give.
func (t *Thread) updateByKeys(d *Dict, b Value) error {
	keys, err := t.getAttr(b, "keys")
	if err != nil {
		return err
	}
	if keys, err = t.Call(keys, nil, nil, nil); err != nil {
		return err
	}
	return t.each(keys, func(k Value) error {
		v, err := t.getItem(b, k)
		if err != nil {
			return err
		}
		return d.set(t, k, v)
	})
}

// updateByPairs adds pairs of a key and a value.
func (t *Thread) updateByPairs(d *Dict, b Value) error {
	i := 0
	return t.each(b, func(pair Value) error {
		var items []Value
		if p := t.plainSeq(pair); p.k == kTuple {
			items = p.o.(*Tuple).items
			t.see(p.l)
		} else {
			if _, err := t.iterable(pair, "object is not iterable"); err != nil {
				return err
			}
			var err error
			if items, err = t.collect(pair); err != nil {
				return err
			}
		}
		if len(items) != 2 {
			return t.raise(t.types.ValueError, "dictionary update sequence element #%d has length %d; 2 is required", i, len(items))
		}
		i++
		return d.set(t, items[0], items[1])
	})
}

// dictOr is a | b of two dicts.
func (t *Thread) dictOr(a, b Value) (Value, bool, error) {
	d, err := a.o.(*Dict).copy(t)
	if err != nil {
		return Value{}, true, err
	}
	v := Value{k: kDict, o: d}
	return v, true, t.dictUpdate(v, b)
}

func dictFromKeys(t *Thread, a *Args) (Value, error) {
	val := a.Pos[2]
	if val.k == kUnset {
		val = none
	}
	if !a.Pos[0].o.(*Class).static {
		v, err := t.Call(a.Pos[0], nil, nil, nil)
		if err != nil {
			return Value{}, err
		}
		return v, t.each(a.Pos[1], func(k Value) error { return t.setItem(v, k, val) })
	}
	d := &Dict{}
	v := Value{k: kDict, o: d}
	s, err := t.shaped(func() error {
		return t.each(a.Pos[1], func(k Value) error { return d.set(t, k, val) })
	})
	t.mark(&d.shape, s)
	return v, err
}

func dictGet(t *Thread, a *Args) (Value, error) {
	self := a.Pos[0]
	v, ok, err := self.o.(*Dict).get(t, a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	if !ok {
		l := v.l
		if v = a.Pos[2]; v.k == kUnset {
			v = none
		}
		v.l = t.join(v.l, l)
	}
	if self.l != 0 {
		v.l = t.join(v.l, self.l)
	}
	return v, nil
}

func dictSetDefault(t *Thread, a *Args) (Value, error) {
	self := a.Pos[0]
	d := self.o.(*Dict)
	v, ok, err := d.get(t, a.Pos[1])
	if err != nil || ok {
		return v.with(t.join(v.l, self.l)), err
	}
	l := t.join(v.l, self.l)
	if v = a.Pos[2]; v.k == kUnset {
		v = none
	}
	t.mark(&d.shape, self.l)
	return v.with(t.join(v.l, l)), d.set(t, a.Pos[1], v)
}

func dictPop(t *Thread, a *Args) (Value, error) {
	self := a.Pos[0]
	d := self.o.(*Dict)
	var v Value
	var ok bool
	var err error
	if d.live > 0 {
		v, ok, err = d.del(t, a.Pos[1])
	} else { // the key is not even hashed
		v.l = t.join(d.shape, a.Pos[1].l)
	}
	if err != nil {
		return Value{}, err
	}
	t.mark(&d.shape, self.l)
	l := t.join(v.l, self.l)
	if !ok {
		if a.Pos[2].k == kUnset {
			return Value{}, t.missing(self, a.Pos[1], l)
		}
		v = a.Pos[2]
		l = t.join(l, v.l)
	}
	return v.with(l), nil
}

func dictPopItem(t *Thread, a *Args) (Value, error) {
	d := a.Pos[0].o.(*Dict)
	l := t.join(a.Pos[0].l, d.shape)
	i := d.last()
	if i < 0 {
		return Value{}, t.failAt(l, t.types.KeyError, "popitem(): dictionary is empty")
	}
	e := d.entries[i]
	t.mark(&d.shape, a.Pos[0].l)
	d.remove(i)
	return t.tuple([]Value{e.key, e.val}).with(l), nil
}

func dictClear(t *Thread, a *Args) (Value, error) {
	a.Pos[0].o.(*Dict).clear(t, a.Pos[0].l)
	return none, nil
}

func dictCopy(t *Thread, a *Args) (Value, error) {
	d, err := a.Pos[0].o.(*Dict).copy(t)
	return Value{k: kDict, o: d, l: a.Pos[0].l}, err
}

func viewOf(kind viewKind) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		return Value{k: kView, o: &View{kind: kind, d: a.Pos[0].o.(*Dict)}, l: a.Pos[0].l}, nil
	}
}

// viewNatives are the methods of the views of dicts.
func viewNatives() []*Native {
	var out []*Native
	for _, class := range [...]string{"dict_keys", "dict_values", "dict_items"} {
		out = append(out, meth(kView, class+".__reversed__", "self, /", listReversed).exact())
		names := "__len__ __iter__ __repr__"
		if class != "dict_values" {
			out = append(out, meth(kView, class+".isdisjoint", "self, other, /", setIsDisjoint).drain(1))
			names += " __contains__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __and__ __or__ __sub__ __xor__ __rand__ __ror__ __rsub__ __rxor__"
		}
		out = append(out, dunders(kView, class, names)...)
	}
	return out
}

// viewHas is "x in view" for keys and items; known is false for values.
func (t *Thread) viewHas(w *View, x Value) (ok, known bool, err error) {
	switch w.kind {
	case viewKeys:
		ok, err := w.d.has(t, x)
		return ok, true, err
	case viewValues:
		return false, false, nil
	}
	p, isTuple := t.payload(x, kTuple)
	t.see(w.d.shape)
	if !isTuple || len(p.o.(*Tuple).items) != 2 {
		return false, true, nil
	}
	items := p.o.(*Tuple).items
	v, ok, err := w.d.get(t, items[0])
	t.see(v.l)
	if !ok || err != nil {
		return false, true, err
	}
	ok, err = t.equalItem(v, items[1])
	return ok, true, err
}

// isSetLike reports whether v is a set or a view that behaves like one.
func isSetLike(v Value) bool {
	return v.k == kSet || v.k == kView && v.o.(*View).kind != viewValues
}

// viewOp is & | - ^ where a view of keys or items is one side.
func (t *Thread) viewOp(op syntax.Operator, a, b Value) (Value, bool, error) {
	if op != syntax.BitAnd && op != syntax.BitOr && op != syntax.Sub && op != syntax.BitXor {
		return Value{}, false, nil
	}
	if !(a.k == kView && isSetLike(a)) && !(b.k == kView && isSetLike(b)) {
		return Value{}, false, nil
	}
	out := &Set{}
	s, err := t.shaped(func() error {
		t.see(t.join(a.l, b.l))
		return t.viewSet(op, out, a, b)
	})
	t.mark(&out.shape, s)
	return Value{k: kSet, o: out}, true, err
}

// viewSet fills out with a op b.
func (t *Thread) viewSet(op syntax.Operator, out *Set, a, b Value) error {
	if op == syntax.BitAnd {
		x, y := a, b // y is walked over, x is asked
		if x.k != kView || !isSetLike(x) {
			x, y = y, x
		}
		if isSetLike(y) {
			n, _ := t.length(x)
			m, _ := t.length(y)
			if y.k == kSet && n <= m || y.k == kView && m > n {
				x, y = y, x
			}
		}
		return t.each(y, func(v Value) error {
			ok, err := t.contains(x, v)
			if ok && err == nil {
				_, err = out.add(t, v)
			}
			return err
		})
	}
	left := a
	if w, ok := a.o.(*View); ok && w.kind == viewKeys {
		left = Value{k: kDict, o: w.d, l: a.l}
	}
	if err := t.setUpdate(out, left); err != nil {
		return err
	}
	switch op {
	case syntax.BitOr:
		return t.setUpdate(out, b)
	case syntax.Sub:
		return t.setSubtract(out, b)
	}
	other, err := t.asSet(b)
	if err != nil {
		return err
	}
	return t.setToggle(out, other)
}
