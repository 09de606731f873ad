package builtin

import (
	"math"

	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
)

// iterBuiltins are the built-in functions that go over values.
func iterBuiltins() []*value.Native {
	return []*value.Native{
		{Name: "iter", Params: "object, sentinel=None, /", Call: builtinIter, Precise: true},
		{Name: "next", Params: "iterator, default=None, /", Call: builtinNext, Precise: true},
		(&value.Native{Name: "any", Params: "iterable, /", Call: anyNative("_any", true)}).Stream(),
		(&value.Native{Name: "all", Params: "iterable, /", Call: anyNative("_all", false)}).Stream(),
		(&value.Native{Name: "sorted", Params: "iterable, /, *, key=None, reverse=False", Call: builtinSorted, Precise: true}).Drain(0),
	}
}

// iterConstructors make the built-in iterators that are classes in Python.
func iterConstructors() []*value.Native {
	return []*value.Native{
		{Name: "enumerate.__new__", Params: "cls, iterable, start=0", Call: enumerateNew, Precise: true},
		{Name: "zip.__new__", Params: "cls, /, *iterables, strict=False", Call: zipNew, Precise: true},
		{Name: "map.__new__", Params: "cls, function, iterable, /, *iterables", Call: mapNew, Precise: true},
		{Name: "filter.__new__", Params: "cls, function, iterable, /", Call: filterNew, Precise: true},
		{Name: "reversed.__new__", Params: "cls, sequence, /", Call: reversedNew, Precise: true},
	}
}

func builtinIter(t *value.Thread, a *value.Args) (value.Value, error) {
	v, sentinel := a.Pos[0], a.Pos[1]
	if sentinel.Kind == value.KUnset {
		if fn, ok := t.Override(v, "__iter__"); ok && fn.Kind == value.KFunc {
			return t.TailCall(fn.With(t.Join(fn.Label, v.Label)), []value.Value{v}, nil, nil)
		}
		return t.Iter(v)
	}
	if !t.Callable(v) {
		return value.Value{}, t.FailOf(v, t.Types.TypeError, "iter(v, w): v must be callable")
	}
	return t.TailBuiltin("_call_until", v, sentinel)
}

func builtinNext(t *value.Thread, a *value.Args) (value.Value, error) {
	it, other := a.Pos[0], a.Pos[1]
	switch it.Kind {
	case value.KGen:
		return t.TailNext(it, other)
	case value.KObject, value.KSpecial:
		if _, ok := t.Override(it, "__next__"); ok {
			return t.TailNext(it, other)
		}
		return value.Value{}, t.FailOf(it, t.Types.TypeError, "'%s' object is not an iterator", t.ClassName(it))
	case value.KIter:
		if other.Kind == value.KUnset {
			return nextOrStop(t, it)
		}
		v, ok, err := t.Next(it)
		if err == nil && !ok {
			v = other.With(t.Join(other.Label, v.Label))
		}
		return v, err
	}
	return value.Value{}, t.FailOf(it, t.Types.TypeError, "'%s' object is not an iterator", t.ClassName(it))
}

// anyNative is any or all: it stops at the first element whose truth is stop.
func anyNative(own string, stop bool) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		if t.Foreign(a.Pos[0]) {
			return t.TailBuiltin(own, a.Pos[0])
		}
		it, err := t.Iter(a.Pos[0])
		if err != nil {
			return value.Value{}, err
		}
		t.See(it.Label)
		for {
			x, ok, err := t.Next(it)
			if err != nil {
				return value.Value{}, err
			}
			if !ok {
				t.See(x.Label)
				return value.Bool(!stop), nil
			}
			if err := t.Step(1); err != nil {
				return value.Value{}, err
			}
			yes, err := t.Truth(x)
			t.Drive(it, t.Join(x.Label, t.Seen))
			if err != nil || yes == stop {
				return value.Bool(stop), err
			}
		}
	}
}

func builtinSorted(t *value.Thread, a *value.Args) (value.Value, error) {
	key := a.Pos[1]
	var items []value.Value
	reverse := false
	s, err := t.Shaped(func() (err error) {
		if items, err = t.Collect(a.Pos[0]); err != nil {
			return err
		}
		reverse, err = boolArg(t, a.Pos[2])
		return err
	})
	if err != nil {
		t.See(s)
		return value.Value{}, err
	}
	list := t.NewList(items, s)
	switch {
	case !value.Given(key):
		return list, t.SortList(list, nil, reverse)
	case plainCallable(t, key):
		return list, sortByNative(t, list, key, reverse)
	}
	return t.TailBuiltin("_sorted", list, key, value.Bool(reverse).With(s))
}

// plainCallable reports whether calling v needs no frame of the machine.
func plainCallable(t *value.Thread, v value.Value) bool {
	switch o := v.Obj.(type) {
	case *value.Native:
		return true
	case *value.Class:
		return o.Static && !o.IsExc
	case *value.Method:
		return o.Fn.Kind == value.KNative
	}
	return false
}

// iterators makes iterators of all values, labelled with what they depend on; ok is false
// when the language's own code has to walk over one of them.
func iterators(t *value.Thread, vs []value.Value) (its []value.Value, l label.ID, ok bool, err error) {
	its = make([]value.Value, len(vs))
	for i, v := range vs {
		if t.Foreign(v) {
			return nil, 0, false, nil
		}
		if its[i], err = t.Iter(v); err != nil {
			return nil, 0, false, err
		}
		l = t.Join(l, its[i].Label)
	}
	return its, l, true, t.Alloc(int64(len(vs)+4) * value.ValueBytes)
}

func enumerateNew(t *value.Thread, a *value.Args) (value.Value, error) {
	start := value.Int(0)
	if a.Pos[2].Kind != value.KUnset {
		from, err := t.Shaped(func() (err error) {
			start.N, err = t.IntArg(a.Pos[2])
			return err
		})
		if err != nil {
			return value.Value{}, err
		}
		start.Label = from
	}
	its, l, ok, err := iterators(t, a.Pos[1:2])
	if err != nil {
		return value.Value{}, err
	}
	if !ok || start.N > math.MaxInt64/2 {
		return t.TailBuiltin("_enumerate", a.Pos[1], start)
	}
	it := &value.Iter{Kind: value.IterEnumerate, Src: its[0], At: start.N, Stop: value.None.With(start.Label)}
	return value.Value{Kind: value.KIter, Obj: it, Label: l}, nil
}

func zipNew(t *value.Thread, a *value.Args) (value.Value, error) {
	strict, l, err := flag(t, a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	its, shape, ok, err := iterators(t, a.Star)
	if err != nil {
		return value.Value{}, err
	}
	if !ok {
		return t.TailBuiltin("_zip", append([]value.Value{value.Bool(strict).With(l)}, a.Star...)...)
	}
	it := &value.Iter{Kind: value.IterZip, Src: t.Tuple(its)}
	if strict {
		it.N = 1
	}
	return value.Value{Kind: value.KIter, Obj: it, Label: t.Join(shape, l)}, nil
}

// flag is boolArg, and what the truth depends on.
func flag(t *value.Thread, v value.Value) (yes bool, l label.ID, err error) {
	l, err = t.Shaped(func() (err error) {
		yes, err = boolArg(t, v)
		return err
	})
	return yes, l, err
}

func mapNew(t *value.Thread, a *value.Args) (value.Value, error) {
	fn := a.Pos[1]
	sources := append([]value.Value{a.Pos[2]}, a.Star...)
	if plainCallable(t, fn) {
		its, shape, ok, err := iterators(t, sources)
		if err != nil {
			return value.Value{}, err
		}
		if ok {
			it := &value.Iter{Kind: value.IterMap, Src: t.Tuple(its), Stop: fn}
			return value.Value{Kind: value.KIter, Obj: it, Label: t.Join(shape, fn.Label)}, nil
		}
	}
	for _, v := range sources {
		if !t.CanIter(v) {
			return value.Value{}, t.FailOf(v, t.Types.TypeError, "'%s' object is not iterable", t.ClassName(v))
		}
	}
	return t.TailBuiltin("_map", append([]value.Value{fn}, sources...)...)
}

func filterNew(t *value.Thread, a *value.Args) (value.Value, error) {
	fn := a.Pos[1]
	if fn.Kind == value.KNone || plainCallable(t, fn) {
		its, shape, ok, err := iterators(t, a.Pos[2:3])
		if err != nil {
			return value.Value{}, err
		}
		if ok {
			return value.Value{Kind: value.KIter, Obj: &value.Iter{Kind: value.IterFilter, Src: its[0], Stop: fn}, Label: t.Join(shape, fn.Label)}, nil
		}
	}
	if !t.CanIter(a.Pos[2]) {
		return value.Value{}, t.FailOf(a.Pos[2], t.Types.TypeError, "'%s' object is not iterable", t.ClassName(a.Pos[2]))
	}
	if fn.Kind == value.KNone {
		fn = value.ClassValue(t.Types.Bool)
	}
	return t.TailBuiltin("_filter", fn, a.Pos[2])
}

func reversedNew(t *value.Thread, a *value.Args) (value.Value, error) {
	v := a.Pos[1]
	if fn, ok := t.Override(v, "__reversed__"); ok && fn.Kind == value.KFunc {
		return t.TailCall(fn.With(t.Join(fn.Label, v.Label)), []value.Value{v}, nil, nil)
	}
	return reversed(t, v)
}
