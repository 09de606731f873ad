package builtin

import (
	"math"
	"slices"

	"praxis/internal/plan/value"
)

// listNatives are the methods of lists.
func listNatives() []*value.Native {
	m := func(name, params string, f value.NativeFunc) *value.Native {
		return newMethod(value.KList, "list."+name, params, f).Exact()
	}
	return append([]*value.Native{
		{Name: "list.__new__", Params: "cls, iterable=(), /", Call: listNew, Precise: true, Drains: []int{1}},
		m("__init__", "self, iterable=(), /", listInit).Drain(1),
		m("append", "self, object, /", listAppend),
		m("extend", "self, iterable, /", listExtend).Drain(1),
		m("insert", "self, index, object, /", listInsert),
		m("pop", "self, index=-1, /", listPop),
		m("remove", "self, value, /", listRemove),
		m("clear", "self, /", listClear),
		m("copy", "self, /", listCopy),
		m("reverse", "self, /", listReverse),
		m("sort", "self, /, *, key=None, reverse=False", listSort),
		m("_sort_with", "self, keys, reverse, /", listSortWith),
		newMethod(value.KList, "list.count", "self, value, /", seqCount),
		newMethod(value.KList, "list.index", "self, value, start=0, stop=9223372036854775807, /", seqIndex),
	}, dunders(value.KList, "list", "__len__ __getitem__ __setitem__ __delitem__ __contains__ __iter__ __repr__ "+
		"__add__ __mul__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__")...)
}

func listNew(t *value.Thread, a *value.Args) (value.Value, error) {
	l := &value.List{}
	v := value.Value{Kind: value.KList, Obj: l}
	if !a.Pos[0].Obj.(*value.Class).Static || a.Pos[1].Kind == value.KUnset {
		t.Mark(&l.Shape, 0)
		return t.Construct(a.Pos[0], v), t.Alloc(value.StrBytes)
	}
	return v, fillList(t, l, a.Pos[1])
}

// fillList makes the elements of v those of the list.
func fillList(t *value.Thread, l *value.List, v value.Value) error {
	s, err := t.Shaped(func() (err error) {
		l.Items, err = t.Collect(v)
		return err
	})
	if t.PC != 0 {
		for i := range l.Items {
			l.Items[i] = t.Under(l.Items[i])
		}
	}
	t.Mark(&l.Shape, s)
	return err
}

func listInit(t *value.Thread, a *value.Args) (value.Value, error) {
	l := a.Pos[0].Obj.(*value.List)
	l.Items = nil
	t.Mark(&l.Shape, a.Pos[0].Label)
	if a.Pos[1].Kind == value.KUnset {
		return value.None, nil
	}
	return value.None, fillList(t, l, a.Pos[1])
}

func listAppend(t *value.Thread, a *value.Args) (value.Value, error) {
	l := a.Pos[0].Obj.(*value.List)
	v := a.Pos[1]
	if a.Pos[0].Label|t.PC != 0 {
		t.Mark(&l.Shape, a.Pos[0].Label)
		v = t.Under(v)
	}
	return value.None, t.Push(l, v)
}

func listExtend(t *value.Thread, a *value.Args) (value.Value, error) {
	return value.None, t.Extend(a.Pos[0], a.Pos[1])
}

func listInsert(t *value.Thread, a *value.Args) (value.Value, error) {
	l := a.Pos[0].Obj.(*value.List)
	var i int
	s, err := t.Shaped(func() (err error) {
		if _, err = t.IntArg(a.Pos[1]); err == nil {
			i, err = clampIndex(t, a.Pos[1], len(l.Items))
		}
		return err
	})
	if err != nil {
		return value.Value{}, err
	}
	t.Mark(&l.Shape, t.Join(s, a.Pos[0].Label))
	return value.None, t.Splice(l, i, i, []value.Value{t.Under(a.Pos[2])})
}

// clampIndex returns an index that counts from the end when negative, cut to [0, n]. It sees it.
func clampIndex(t *value.Thread, v value.Value, n int) (int, error) {
	x, err := t.Index(v)
	if err != nil {
		return 0, err
	}
	i := x.N
	if x.Kind == value.KBig {
		i = int64(x.Obj.(*value.Big).Int.Sign()) * math.MaxInt64
	}
	if i < 0 {
		i = max(i+int64(n), 0)
	}
	return int(min(i, int64(n))), nil
}

func listPop(t *value.Thread, a *value.Args) (value.Value, error) {
	l := a.Pos[0].Obj.(*value.List)
	depends := t.Join(a.Pos[0].Label, l.Shape)
	i := int64(len(l.Items)) - 1
	if a.Pos[1].Kind != value.KUnset {
		s, err := t.Shaped(func() (err error) {
			i, err = t.IntArg(a.Pos[1])
			return err
		})
		if err != nil {
			return value.Value{}, err
		}
		depends = t.Join(depends, s)
		if i < 0 {
			i += int64(len(l.Items))
		}
	}
	if len(l.Items) == 0 {
		return value.Value{}, t.FailAt(depends, t.Types.IndexError, "pop from empty list")
	}
	if uint64(i) >= uint64(len(l.Items)) {
		return value.Value{}, t.FailAt(depends, t.Types.IndexError, "pop index out of range")
	}
	v := l.Items[i]
	t.Lose(l, 0, v)
	if depends|t.PC != 0 {
		v.Label = t.Join(v.Label, depends)
		t.Mark(&l.Shape, depends)
	}
	if int(i) == len(l.Items)-1 {
		l.Items[i] = value.Value{}
		l.Items = l.Items[:i]
		return v, nil
	}
	return v, t.Splice(l, int(i), int(i)+1, nil)
}

func listRemove(t *value.Thread, a *value.Args) (value.Value, error) {
	l := a.Pos[0].Obj.(*value.List)
	at := -1
	s, err := t.Shaped(func() error {
		t.See(t.Join(a.Pos[0].Label, l.Shape))
		if err := t.Mixed(l.Items, a.Pos[1:]); err != nil {
			return err
		}
		for i := 0; i < len(l.Items); i++ {
			if ok, err := t.EqualItem(l.Items[i], a.Pos[1]); err != nil {
				return err
			} else if ok {
				at = i
				return nil
			}
		}
		return t.Raise(t.Types.ValueError, "list.remove(x): x not in list")
	})
	if err != nil {
		return value.Value{}, err
	}
	t.Mark(&l.Shape, s)
	if at >= len(l.Items) { // the comparison has changed the list
		return value.None, nil
	}
	return value.None, t.Splice(l, at, at+1, nil)
}

func listClear(t *value.Thread, a *value.Args) (value.Value, error) {
	l := a.Pos[0].Obj.(*value.List)
	for _, v := range l.Items {
		t.Lose(l, 0, v)
	}
	l.Items = nil
	if a.Pos[0].Label|t.PC == 0 {
		l.Shape = 0 // an empty list, whatever it was
	}
	t.Mark(&l.Shape, a.Pos[0].Label)
	return value.None, nil
}

func listCopy(t *value.Thread, a *value.Args) (value.Value, error) {
	l := a.Pos[0].Obj.(*value.List)
	items, err := t.ConcatItems(l.Items, nil)
	return t.NewList(items, l.Shape).With(a.Pos[0].Label), err
}

func listReverse(t *value.Thread, a *value.Args) (value.Value, error) {
	l := a.Pos[0].Obj.(*value.List)
	t.Mark(&l.Shape, a.Pos[0].Label)
	slices.Reverse(l.Items)
	return value.None, t.Step(int64(len(l.Items)) / 16)
}

// reversed is reversed(v) for values of built-in classes and for instances.
func reversed(t *value.Thread, v value.Value) (value.Value, error) {
	if r, ok, err := t.Own(v, "__reversed__"); ok {
		return r, err
	}
	b := t.Base(v)
	switch b.Kind {
	case value.KList:
		l := b.Obj.(*value.List)
		it := value.NewIter(value.IterListReverse, b, 0)
		it.Label = t.Join(it.Label, l.Shape)
		it.Obj.(*value.Iter).At = int64(len(l.Items)) - 1
		return it, nil
	case value.KRange:
		r := b.Obj.(*value.Range)
		return t.Iter(reverseRange(r).With(t.Join(b.Label, r.Depends)))
	case value.KStr, value.KTuple, value.KBytes, value.KDict, value.KView:
		var items []value.Value
		l, err := t.Shaped(func() (err error) {
			items, err = t.Collect(b)
			return err
		})
		if err != nil {
			return value.Value{}, err
		}
		return reversed(t, t.NewList(items, l).With(l))
	}
	return value.Value{}, t.FailOf(v, t.Types.TypeError, "'%s' object is not reversible", t.ClassName(v))
}

// itemsNow are the elements of a list or a tuple; a comparison may change those of a list.
func itemsNow(v value.Value) []value.Value {
	if l, ok := v.Obj.(*value.List); ok {
		return l.Items
	}
	return v.Obj.(*value.Tuple).Items
}

// search calls f with each place from lo on at which an element of the list or tuple self
// equals x, until it returns false; hi < 0 is the end.
func search(t *value.Thread, self, x value.Value, lo, hi int, f func(i int) bool) error {
	if l, ok := self.Obj.(*value.List); ok {
		t.See(l.Shape)
	}
	t.See(self.Label)
	if err := t.Mixed(itemsNow(self), []value.Value{x}); err != nil {
		return err
	}
	for i := lo; i < len(itemsNow(self)) && (hi < 0 || i < hi); i++ {
		if same, err := t.EqualItem(itemsNow(self)[i], x); err != nil || same && !f(i) {
			return err
		}
	}
	return nil
}

func seqCount(t *value.Thread, a *value.Args) (value.Value, error) {
	n := int64(0)
	err := search(t, a.Pos[0], a.Pos[1], 0, -1, func(int) bool { n++; return true })
	return value.Int(n), err
}

func seqIndex(t *value.Thread, a *value.Args) (value.Value, error) {
	n := len(itemsNow(a.Pos[0]))
	ends := [2]int{0, n}
	for i, v := range a.Pos[2:4] {
		if v.Kind != value.KUnset {
			var err error
			if ends[i], err = clampIndex(t, v, n); err != nil {
				return value.Value{}, err
			}
		}
	}
	at := -1
	err := search(t, a.Pos[0], a.Pos[1], ends[0], ends[1], func(i int) bool { at = i; return false })
	if err == nil && at < 0 {
		name := t.ClassName(a.Pos[0])
		err = t.Raise(t.Types.ValueError, "%s.index(x): x not in %s", name, name)
	}
	return value.Int(int64(at)), err
}

func listSort(t *value.Thread, a *value.Args) (value.Value, error) {
	reverse, s, err := flag(t, a.Pos[2])
	if err != nil {
		return value.Value{}, err
	}
	key := a.Pos[1]
	if !value.Given(key) {
		return value.None, t.SortList(a.Pos[0].With(t.Join(a.Pos[0].Label, s)), nil, reverse)
	}
	if key.Kind == value.KNative {
		return value.None, sortByNative(t, a.Pos[0].With(t.Join(a.Pos[0].Label, s)), key, reverse)
	}
	return t.TailBuiltin("_sort", a.Pos[0], key, value.Bool(reverse).With(s))
}

// sortByNative sorts by a key that a native computes: no frame is needed for it.
func sortByNative(t *value.Thread, self, key value.Value, reverse bool) error {
	l := self.Obj.(*value.List)
	keys := make([]value.Value, 0, len(l.Items))
	if err := t.Alloc(int64(len(l.Items)) * value.ValueBytes); err != nil {
		return err
	}
	for i := 0; i < len(l.Items); i++ {
		if err := t.Step(4); err != nil {
			return err
		}
		k, err := t.Call(key, []value.Value{l.Items[i]}, nil, nil)
		if err != nil {
			return err
		}
		keys = append(keys, k.With(t.Join(k.Label, key.Label)))
	}
	return t.SortList(self, keys, reverse)
}

// listSortWith sorts by keys that were computed: one for each element, in their order.
func listSortWith(t *value.Thread, a *value.Args) (value.Value, error) {
	keys, ok := t.Payload(a.Pos[1], value.KList)
	if !ok {
		return value.Value{}, t.FailOf(a.Pos[1], t.Types.TypeError, "keys must be a list")
	}
	k := keys.Obj.(*value.List)
	l := t.Join(a.Pos[0].Label, t.Join(keys.Label, k.Shape))
	reverse, s, err := flag(t, a.Pos[2])
	if err != nil {
		return value.Value{}, err
	}
	return value.None, t.SortList(a.Pos[0].With(t.Join(l, s)), append([]value.Value(nil), k.Items...), reverse)
}
