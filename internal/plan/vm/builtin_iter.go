package vm

import (
	"math"

	"praxis/internal/plan/label"
)

// iterBuiltins are the built-in functions that go over values.
func iterBuiltins() []*Native {
	return []*Native{
		{name: "iter", params: "object, sentinel=None, /", call: builtinIter, precise: true},
		{name: "next", params: "iterator, default=None, /", call: builtinNext, precise: true},
		{name: "any", params: "iterable, /", call: anyNative("_any", true)},
		{name: "all", params: "iterable, /", call: anyNative("_all", false)},
		(&Native{name: "sorted", params: "iterable, /, *, key=None, reverse=False", call: builtinSorted, precise: true}).drain(0),
	}
}

// iterConstructors make the built-in iterators that are classes in Python.
func iterConstructors() []*Native {
	return []*Native{
		{name: "enumerate.__new__", params: "cls, iterable=None, start=0", call: enumerateNew, precise: true},
		{name: "zip.__new__", params: "cls, /, *iterables, strict=False", call: zipNew, precise: true},
		{name: "map.__new__", params: "cls, function=None, iterable=None, /, *iterables, strict=False", call: mapNew, precise: true},
		{name: "filter.__new__", params: "cls, function, iterable, /", call: filterNew, precise: true},
		{name: "reversed.__new__", params: "cls, sequence, /", call: reversedNew, precise: true},
	}
}

func builtinIter(t *Thread, a *Args) (Value, error) {
	v, sentinel := a.Pos[0], a.Pos[1]
	if sentinel.k == kUnset {
		if fn, ok := t.override(v, "__iter__"); ok && fn.k == kFunc {
			return t.tailCall(fn.with(t.join(fn.l, v.l)), []Value{v}, nil, nil)
		}
		return t.iter(v)
	}
	if !t.callable(v) {
		return Value{}, t.failOf(v, t.types.TypeError, "iter(v, w): v must be callable")
	}
	if t.plainCallable(v) {
		return Value{k: kIter, o: &Iter{kind: iterCall, src: v, stop: sentinel}, l: t.join(v.l, sentinel.l)}, nil
	}
	return t.tailBuiltin("_call_until", v, sentinel)
}

func builtinNext(t *Thread, a *Args) (Value, error) {
	it, other := a.Pos[0], a.Pos[1]
	switch it.k {
	case kGen:
		return t.tailNext(it, other)
	case kObject, kSpecial:
		if _, ok := t.override(it, "__next__"); ok {
			return t.tailNext(it, other)
		}
		return Value{}, t.failOf(it, t.types.TypeError, "'%s' object is not an iterator", t.className(it))
	case kIter:
		v, ok, err := t.next(it)
		switch {
		case err != nil || ok:
			return v, err
		case other.k != kUnset:
			return other.with(t.join(other.l, v.l)), nil
		}
		t.see(v.l)
		return Value{}, t.raiseArgs(t.types.StopIteration)
	}
	return Value{}, t.failOf(it, t.types.TypeError, "'%s' object is not an iterator", t.className(it))
}

// anyNative is any or all: it stops at the first element whose truth is stop.
func anyNative(own string, stop bool) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		if t.foreign(a.Pos[0]) {
			return t.tailBuiltin(own, a.Pos[0])
		}
		it, err := t.iter(a.Pos[0])
		if err != nil {
			return Value{}, err
		}
		t.see(it.l)
		for {
			x, ok, err := t.next(it)
			if err != nil {
				return Value{}, err
			}
			if !ok {
				t.see(x.l)
				return boolValue(!stop), nil
			}
			if err := t.step(1); err != nil {
				return Value{}, err
			}
			yes, err := t.truth(x)
			if err != nil || yes == stop {
				return boolValue(stop), err
			}
		}
	}
}

func builtinSorted(t *Thread, a *Args) (Value, error) {
	key := a.Pos[1]
	var items []Value
	reverse := false
	s, err := t.shaped(func() (err error) {
		if items, err = t.collect(a.Pos[0]); err != nil {
			return err
		}
		if a.Pos[2].k != kUnset {
			reverse, err = t.truth(a.Pos[2])
		}
		return err
	})
	if err != nil {
		t.see(s)
		return Value{}, err
	}
	list := t.newList(items, s)
	switch {
	case !given(key):
		return list, t.sortList(list, nil, reverse)
	case t.plainCallable(key):
		return list, t.sortByNative(list, key, reverse)
	}
	return t.tailBuiltin("_sorted", list, key, boolValue(reverse).with(s))
}

// plainCallable reports whether calling v needs no frame of the machine.
func (t *Thread) plainCallable(v Value) bool {
	switch o := v.o.(type) {
	case *Native:
		return true
	case *Class:
		return o.static && !o.isExc
	case *Method:
		return o.fn.k == kNative
	}
	return false
}

// iterators makes iterators of all values, labelled with what they depend on; ok is false
// when the language's own code has to walk over one of them.
func (t *Thread) iterators(vs []Value) (its []Value, l label.ID, ok bool, err error) {
	its = make([]Value, len(vs))
	for i, v := range vs {
		if t.foreign(v) {
			return nil, 0, false, nil
		}
		if its[i], err = t.iter(v); err != nil {
			return nil, 0, false, err
		}
		l = t.join(l, its[i].l)
	}
	return its, l, true, t.alloc(int64(len(vs)+4) * valueBytes)
}

func enumerateNew(t *Thread, a *Args) (Value, error) {
	if a.Pos[1].k == kUnset {
		return Value{}, t.raise(t.types.TypeError, "enumerate() missing required argument 'iterable'")
	}
	start := intValue(0)
	if a.Pos[2].k != kUnset {
		seen := t.seen
		n, err := t.index(a.Pos[2])
		if err != nil {
			return Value{}, err
		}
		t.seen = seen
		start = n.with(a.Pos[2].l)
	}
	its, l, ok, err := t.iterators(a.Pos[1:2])
	if err != nil {
		return Value{}, err
	}
	if !ok || start.k == kBig || start.n > math.MaxInt64/2 {
		return t.tailBuiltin("_enumerate", a.Pos[1], start)
	}
	it := &Iter{kind: iterEnumerate, src: its[0], i: start.n, stop: none.with(start.l)}
	return Value{k: kIter, o: it, l: l}, nil
}

func zipNew(t *Thread, a *Args) (Value, error) {
	strict, l, err := t.strictFlag(a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	its, shape, ok, err := t.iterators(a.Star)
	if err != nil {
		return Value{}, t.zipError(err, a.Star)
	}
	if !ok {
		return t.tailBuiltin("_zip", append([]Value{boolValue(strict).with(l)}, a.Star...)...)
	}
	it := &Iter{kind: iterZip, src: t.tuple(its)}
	if strict {
		it.n = 1
	}
	return Value{k: kIter, o: it, l: t.join(shape, l)}, nil
}

// zipError names the argument of zip that cannot be iterated.
func (t *Thread) zipError(err error, vs []Value) error {
	if r, ok := err.(*Raise); ok && r.exc.cls == t.types.TypeError {
		for i, v := range vs {
			if !t.canIter(v) {
				return t.failOf(v, t.types.TypeError, "'%s' object is not iterable", t.className(vs[i]))
			}
		}
	}
	return err
}

// strictFlag reads the argument strict.
func (t *Thread) strictFlag(v Value) (bool, label.ID, error) {
	if v.k == kUnset {
		return false, 0, nil
	}
	strict := false
	l, err := t.shaped(func() (err error) {
		strict, err = t.truth(v)
		return err
	})
	return strict, l, err
}

func mapNew(t *Thread, a *Args) (Value, error) {
	if a.Pos[2].k == kUnset {
		return Value{}, t.raise(t.types.TypeError, "map() must have at least two arguments.")
	}
	fn := a.Pos[1]
	strict, l, err := t.strictFlag(a.Pos[3])
	if err != nil {
		return Value{}, err
	}
	sources := append([]Value{a.Pos[2]}, a.Star...)
	if t.plainCallable(fn) {
		its, shape, ok, err := t.iterators(sources)
		if err != nil {
			return Value{}, err
		}
		if ok {
			it := &Iter{kind: iterMap, src: t.tuple(its), stop: fn}
			if strict {
				it.n = 1
			}
			return Value{k: kIter, o: it, l: t.join(shape, t.join(l, fn.l))}, nil
		}
	}
	for _, v := range sources {
		if !t.canIter(v) {
			return Value{}, t.failOf(v, t.types.TypeError, "'%s' object is not iterable", t.className(v))
		}
	}
	return t.tailBuiltin("_map", append([]Value{fn, boolValue(strict).with(l)}, sources...)...)
}

func filterNew(t *Thread, a *Args) (Value, error) {
	fn := a.Pos[1]
	if fn.k == kNone || t.plainCallable(fn) {
		its, shape, ok, err := t.iterators(a.Pos[2:3])
		if err != nil {
			return Value{}, err
		}
		if ok {
			return Value{k: kIter, o: &Iter{kind: iterFilter, src: its[0], stop: fn}, l: t.join(shape, fn.l)}, nil
		}
	}
	if !t.canIter(a.Pos[2]) {
		return Value{}, t.failOf(a.Pos[2], t.types.TypeError, "'%s' object is not iterable", t.className(a.Pos[2]))
	}
	if fn.k == kNone {
		fn = classValue(t.types.Bool)
	}
	return t.tailBuiltin("_filter", fn, a.Pos[2])
}

func reversedNew(t *Thread, a *Args) (Value, error) {
	v := a.Pos[1]
	if fn, ok := t.override(v, "__reversed__"); ok && fn.k == kFunc {
		return t.tailCall(fn.with(t.join(fn.l, v.l)), []Value{v}, nil, nil)
	}
	return t.reversed(v)
}

// advanceBuilt is advance for the iterators over iterators.
func (t *Thread) advanceBuilt(it *Iter) (Value, bool, error) {
	if err := t.step(1); err != nil {
		return Value{}, false, err
	}
	switch it.kind {
	case iterEnumerate:
		v, ok, err := t.next(it.src)
		if err != nil || !ok {
			return v, false, err
		}
		n := intValue(it.i).with(it.stop.l)
		it.i++
		return t.tuple([]Value{n, v}), true, t.alloc(4 * valueBytes)
	case iterZip:
		row, l, err := t.row(it, "zip")
		if err != nil || row == nil {
			return Value{l: l}, false, err
		}
		return t.tuple(row), true, nil
	case iterMap:
		row, l, err := t.row(it, "map")
		if err != nil || row == nil {
			return Value{l: l}, false, err
		}
		v, err := t.Call(it.stop, row, nil, nil)
		if r, is := err.(*Raise); is && r.exc.cls.derives(t.types.StopIteration) {
			return Value{l: t.join(r.l, it.stop.l)}, false, nil // map(next, …) ends with the first that has no more
		}
		return v, err == nil, err
	case iterFilter:
		return t.advanceFilter(it)
	}
	return Value{}, false, nil
}

// advanceFilter finds the next element that passes. That the ones before it did
// not is an implicit flow.
func (t *Thread) advanceFilter(it *Iter) (Value, bool, error) {
	for {
		v, ok, err := t.next(it.src)
		if err != nil || !ok {
			return v, false, err
		}
		if err := t.step(1); err != nil {
			return Value{}, false, err
		}
		test := v
		if it.stop.k != kNone {
			if test, err = t.Call(it.stop, []Value{v}, nil, nil); err != nil {
				return Value{}, false, err
			}
		}
		pass := false
		l, err := t.shaped(func() (err error) {
			pass, err = t.truth(test)
			return err
		})
		if err != nil {
			return Value{}, false, err
		}
		if t.strict {
			it.stop.l = t.join(it.stop.l, l)
			v.l = t.join(v.l, it.stop.l)
		}
		if pass {
			return v, true, nil
		}
	}
}

// row takes one element of each iterator of a zip or a map; nil at the end of one of them.
func (t *Thread) row(it *Iter, name string) ([]Value, label.ID, error) {
	its := it.src.o.(*Tuple).items
	if len(its) == 0 {
		return nil, 0, nil
	}
	if err := t.alloc(int64(len(its)+2) * valueBytes); err != nil {
		return nil, 0, err
	}
	row := make([]Value, len(its))
	for i := range its {
		v, ok, err := t.next(its[i])
		if err != nil {
			return nil, 0, err
		}
		if !ok {
			return nil, v.l, t.uneven(it, its, i, name)
		}
		row[i] = v
	}
	return row, 0, nil
}

// uneven ends a zip or a map at iterator i, and fails when it is strict and not all end.
func (t *Thread) uneven(it *Iter, its []Value, i int, name string) error {
	strict := it.n == 1
	it.src = Value{}
	if !strict {
		return nil
	}
	words := func(what string, i int) error {
		s := " "
		if i > 1 {
			s = "s 1-"
		}
		return t.raise(t.types.ValueError, "%s() argument %d is %s than argument%s%d", name, i+1, what, s, i)
	}
	if i > 0 {
		return words("shorter", i)
	}
	for k := 1; k < len(its); k++ {
		_, ok, err := t.next(its[k])
		if err != nil {
			return err
		}
		if ok {
			return words("longer", k)
		}
	}
	return nil
}
