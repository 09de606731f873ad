package vm

import (
	"math"

	"praxis/internal/plan/label"
)

// listNatives are the methods of lists.
func listNatives() []*Native {
	m := func(name, params string, f nativeFunc) *Native { return meth(kList, "list."+name, params, f).exact() }
	return append([]*Native{
		{name: "list.__new__", params: "cls, iterable=(), /", call: listNew, precise: true, drains: []int{1}},
		m("__init__", "self, iterable=(), /", listInit).drain(1),
		m("append", "self, object, /", listAppend),
		m("extend", "self, iterable, /", listExtend).drain(1),
		m("insert", "self, index, object, /", listInsert),
		m("pop", "self, index=-1, /", listPop),
		m("remove", "self, value, /", listRemove),
		m("clear", "self, /", listClear),
		m("copy", "self, /", listCopy),
		m("reverse", "self, /", listReverse),
		m("sort", "self, /, *, key=None, reverse=False", listSort),
		m("_sort_with", "self, keys, reverse, /", listSortWith),
		m("__reversed__", "self, /", listReversed),
		meth(kList, "list.count", "self, value, /", listCount),
		meth(kList, "list.index", "self, value, start=0, stop=9223372036854775807, /", listIndex),
	}, dunders(kList, "list", "__len__ __getitem__ __setitem__ __delitem__ __contains__ __iter__ __repr__ "+
		"__add__ __mul__ __rmul__ __iadd__ __imul__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__")...)
}

// shaped runs f and returns what it saw.
func (t *Thread) shaped(f func() error) (label.ID, error) {
	seen := t.seen
	t.seen = 0
	err := f()
	l := t.seen
	t.seen = seen
	return l, err
}

func listNew(t *Thread, a *Args) (Value, error) {
	l := &List{}
	v := Value{k: kList, o: l}
	if !a.Pos[0].o.(*Class).static || a.Pos[1].k == kUnset {
		t.mark(&l.shape, 0)
		return t.construct(a.Pos[0], v), t.alloc(strBytes)
	}
	return v, t.fillList(l, a.Pos[1])
}

// fillList makes the elements of v those of the list.
func (t *Thread) fillList(l *List, v Value) error {
	s, err := t.shaped(func() (err error) {
		l.items, err = t.collect(v)
		return err
	})
	if t.pc != 0 {
		for i := range l.items {
			l.items[i] = t.under(l.items[i])
		}
	}
	t.mark(&l.shape, s)
	return err
}

func listInit(t *Thread, a *Args) (Value, error) {
	l := a.Pos[0].o.(*List)
	l.items = nil
	t.mark(&l.shape, a.Pos[0].l)
	if a.Pos[1].k == kUnset {
		return none, nil
	}
	return none, t.fillList(l, a.Pos[1])
}

func listAppend(t *Thread, a *Args) (Value, error) {
	l := a.Pos[0].o.(*List)
	v := a.Pos[1]
	if a.Pos[0].l|t.pc != 0 {
		t.mark(&l.shape, a.Pos[0].l)
		v = t.under(v)
	}
	return none, t.push(l, v)
}

func listExtend(t *Thread, a *Args) (Value, error) { return none, t.extend(a.Pos[0], a.Pos[1]) }

func listInsert(t *Thread, a *Args) (Value, error) {
	l := a.Pos[0].o.(*List)
	var i int
	s, err := t.shaped(func() (err error) {
		if _, err = t.intArg(a.Pos[1]); err == nil {
			i, err = t.clampIndex(a.Pos[1], len(l.items))
		}
		return err
	})
	if err != nil {
		return Value{}, err
	}
	t.mark(&l.shape, t.join(s, a.Pos[0].l))
	return none, t.splice(l, i, i, []Value{t.under(a.Pos[2])})
}

// clampIndex returns an index that counts from the end when negative, cut to [0, n]. It sees it.
func (t *Thread) clampIndex(v Value, n int) (int, error) {
	x, err := t.index(v)
	if err != nil {
		return 0, err
	}
	i := x.n
	if x.k == kBig {
		i = int64(x.o.(*Big).v.Sign()) * math.MaxInt64
	}
	if i < 0 {
		i = max(i+int64(n), 0)
	}
	return int(min(i, int64(n))), nil
}

func listPop(t *Thread, a *Args) (Value, error) {
	l := a.Pos[0].o.(*List)
	depends := t.join(a.Pos[0].l, l.shape)
	i := int64(len(l.items)) - 1
	if a.Pos[1].k != kUnset {
		s, err := t.shaped(func() (err error) {
			i, err = t.intArg(a.Pos[1])
			return err
		})
		if err != nil {
			return Value{}, err
		}
		depends = t.join(depends, s)
		if i < 0 {
			i += int64(len(l.items))
		}
	}
	if len(l.items) == 0 {
		return Value{}, t.failAt(depends, t.types.IndexError, "pop from empty list")
	}
	if uint64(i) >= uint64(len(l.items)) {
		return Value{}, t.failAt(depends, t.types.IndexError, "pop index out of range")
	}
	v := l.items[i]
	if depends|t.pc != 0 {
		v.l = t.join(v.l, depends)
		t.mark(&l.shape, depends)
	}
	if int(i) == len(l.items)-1 {
		l.items[i] = Value{}
		l.items = l.items[:i]
		return v, nil
	}
	return v, t.splice(l, int(i), int(i)+1, nil)
}

func listRemove(t *Thread, a *Args) (Value, error) {
	l := a.Pos[0].o.(*List)
	at := -1
	s, err := t.shaped(func() error {
		t.see(t.join(a.Pos[0].l, l.shape))
		for i := 0; i < len(l.items); i++ {
			if ok, err := t.equalItem(l.items[i], a.Pos[1]); err != nil {
				return err
			} else if ok {
				at = i
				return nil
			}
		}
		return t.raise(t.types.ValueError, "list.remove(x): x not in list")
	})
	if err != nil {
		return Value{}, err
	}
	t.mark(&l.shape, s)
	if at >= len(l.items) { // the comparison has changed the list
		return none, nil
	}
	return none, t.splice(l, at, at+1, nil)
}

func listClear(t *Thread, a *Args) (Value, error) {
	l := a.Pos[0].o.(*List)
	l.items = nil
	if a.Pos[0].l|t.pc == 0 {
		l.shape = 0 // an empty list, whatever it was
	}
	t.mark(&l.shape, a.Pos[0].l)
	return none, nil
}

func listCopy(t *Thread, a *Args) (Value, error) {
	l := a.Pos[0].o.(*List)
	items, err := t.concatItems(l.items, nil)
	return t.newList(items, l.shape).with(a.Pos[0].l), err
}

func listReverse(t *Thread, a *Args) (Value, error) {
	l := a.Pos[0].o.(*List)
	t.mark(&l.shape, a.Pos[0].l)
	reverseValues(l.items)
	return none, t.step(int64(len(l.items)) / 16)
}

func reverseValues(items []Value) {
	for i, j := 0, len(items)-1; i < j; i, j = i+1, j-1 {
		items[i], items[j] = items[j], items[i]
	}
}

func listReversed(t *Thread, a *Args) (Value, error) { return t.reversed(a.Pos[0]) }

// reversed is reversed(v) for values of built-in classes and for instances.
func (t *Thread) reversed(v Value) (Value, error) {
	if _, ok := t.override(v, "__reversed__"); ok {
		r, _, err := t.callSpecial(v, "__reversed__")
		return r, err
	}
	b := v
	if _, ok := t.override(v, "__getitem__"); !ok {
		b = t.base(v)
	}
	switch b.k {
	case kList:
		l := b.o.(*List)
		it := newIter(iterListReverse, b, 0)
		it.l = t.join(it.l, l.shape)
		it.o.(*Iter).i = int64(len(l.items)) - 1
		return it, nil
	case kDict:
		return t.iterDict(b, b.o.(*Dict), iterKeysReverse), nil
	case kView:
		w := b.o.(*View)
		return t.iterDict(Value{k: kDict, o: w.d, l: b.l}, w.d, iterKeysReverse+iterKind(w.kind-viewKeys)), nil
	case kRange:
		r := b.o.(*Range)
		back, err := t.reverseRange(r)
		if err != nil {
			return Value{}, err
		}
		return t.iter(back.with(t.join(b.l, r.label(t))))
	case kStr, kTuple, kBytes:
		return t.reversedSeq(b)
	case kObject, kSpecial:
		if _, ok := t.override(b, "__len__"); ok {
			return t.reversedSeq(b)
		}
	}
	return Value{}, t.failOf(v, t.types.TypeError, "'%s' object is not reversible", t.className(v))
}

// reversedSeq walks over a sequence by its length and __getitem__.
func (t *Thread) reversedSeq(v Value) (Value, error) {
	it := newIter(iterSeqReverse, v, 0)
	s, err := t.shaped(func() error {
		n, err := t.length(v)
		it.o.(*Iter).i = int64(n) - 1
		return err
	})
	it.l = t.join(it.l, s)
	return it, err
}

func listCount(t *Thread, a *Args) (Value, error) {
	l := a.Pos[0].o.(*List)
	t.see(l.shape)
	return t.countItems(func(i int) (Value, bool) {
		if i < len(l.items) {
			return l.items[i], true
		}
		return Value{}, false
	}, a.Pos[1])
}

// countItems counts the elements that equal x; at gives them one by one.
func (t *Thread) countItems(at func(i int) (Value, bool), x Value) (Value, error) {
	n := int64(0)
	for i := 0; ; i++ {
		v, ok := at(i)
		if !ok {
			return intValue(n), nil
		}
		same, err := t.equalItem(v, x)
		if err != nil {
			return Value{}, err
		}
		if same {
			n++
		}
	}
}

func listIndex(t *Thread, a *Args) (Value, error) {
	l := a.Pos[0].o.(*List)
	t.see(l.shape)
	return t.indexItem(a, func() []Value { return l.items }, "list.index(x): x not in list")
}

// indexItem is index(value, start, stop) of lists and tuples.
func (t *Thread) indexItem(a *Args, items func() []Value, message string) (Value, error) {
	for _, v := range a.Pos {
		t.see(v.l)
	}
	lo, hi := 0, len(items())
	var err error
	if a.Pos[2].k != kUnset {
		if lo, err = t.searchBound(a.Pos[2], hi); err != nil {
			return Value{}, err
		}
	}
	if a.Pos[3].k != kUnset {
		if hi, err = t.searchBound(a.Pos[3], hi); err != nil {
			return Value{}, err
		}
	}
	for i := lo; i < hi && i < len(items()); i++ {
		ok, err := t.equalItem(items()[i], a.Pos[1])
		if err != nil {
			return Value{}, err
		}
		if ok {
			return intValue(int64(i)), nil
		}
	}
	return Value{}, t.raise(t.types.ValueError, "%s", message)
}

// searchBound returns where a search starts or stops.
func (t *Thread) searchBound(v Value, n int) (int, error) {
	if !t.isIndex(v) {
		return 0, t.raise(t.types.TypeError, "slice indices must be integers or have an __index__ method")
	}
	return t.clampIndex(v, n)
}
