package vm

import "math/big"

// tupleNatives are the methods of tuples.
func tupleNatives() []*Native {
	return append([]*Native{
		{name: "tuple.__new__", params: "cls, iterable=(), /", call: tupleNew, precise: true, drains: []int{1}},
		meth(kTuple, "tuple.count", "self, value, /", tupleCount),
		meth(kTuple, "tuple.index", "self, value, start=0, stop=9223372036854775807, /", tupleIndex),
	}, dunders(kTuple, "tuple", "__len__ __getitem__ __contains__ __iter__ __repr__ __hash__ "+
		"__add__ __mul__ __rmul__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__")...)
}

func tupleNew(t *Thread, a *Args) (Value, error) {
	v := t.tuple(nil)
	if a.Pos[1].k == kTuple && a.Pos[0].o.(*Class).static {
		return a.Pos[1], nil
	}
	if a.Pos[1].k != kUnset {
		s, err := t.shaped(func() error {
			items, err := t.collect(a.Pos[1])
			v = t.tuple(items)
			return err
		})
		if err != nil {
			return Value{}, err
		}
		v.l = t.join(s, t.pc)
	}
	return t.construct(a.Pos[0], v), nil
}

func tupleCount(t *Thread, a *Args) (Value, error) {
	items := a.Pos[0].o.(*Tuple).items
	return t.countItems(func(i int) (Value, bool) {
		if i < len(items) {
			return items[i], true
		}
		return Value{}, false
	}, a.Pos[1])
}

func tupleIndex(t *Thread, a *Args) (Value, error) {
	items := a.Pos[0].o.(*Tuple).items
	return t.indexItem(a, func() []Value { return items }, "tuple.index(x): x not in tuple")
}

// rangeNatives are the methods of ranges and slices.
func rangeNatives() []*Native {
	out := []*Native{
		{name: "range.__new__", params: "", call: rangeNew},
		{name: "slice.__new__", params: "", call: sliceNew, precise: true},
		meth(kRange, "range.count", "self, value, /", rangeCount),
		meth(kRange, "range.index", "self, value, /", rangeIndex),
		meth(kRange, "range.__reversed__", "self, /", listReversed).exact(),
		meth(kSlice, "slice.indices", "self, length, /", sliceIndices),
	}
	out = append(out, dunders(kRange, "range", "__len__ __bool__ __getitem__ __contains__ __iter__ __repr__ __hash__ __eq__ __ne__")...)
	return append(out, dunders(kSlice, "slice", "__repr__ __hash__ __eq__ __ne__")...)
}

// arity is the TypeError of a built-in class that was called with too few or too many arguments.
func (t *Thread) arity(name string, n, least, most int) error {
	plural := func(n int) string {
		if n == 1 {
			return ""
		}
		return "s"
	}
	if n < least {
		return t.raise(t.types.TypeError, "%s expected at least %d argument%s, got %d", name, least, plural(least), n)
	}
	return t.raise(t.types.TypeError, "%s expected at most %d argument%s, got %d", name, most, plural(most), n)
}

func rangeNew(t *Thread, a *Args) (Value, error) {
	if len(a.Named) > 0 {
		return Value{}, t.raise(t.types.TypeError, "range() takes no keyword arguments")
	}
	args := a.Pos[1:]
	if len(args) < 1 || len(args) > 3 {
		return Value{}, t.arity("range", len(args), 1, 3)
	}
	r := &Range{start: intValue(0), step: intValue(1)}
	var parts [3]Value
	for i, x := range args {
		n, err := t.index(x)
		if err != nil {
			return Value{}, err
		}
		parts[i] = n
	}
	if len(args) == 1 {
		r.stop = parts[0]
	} else {
		r.start, r.stop = parts[0], parts[1]
	}
	if len(args) == 3 {
		if r.step = parts[2]; r.step.n == 0 && r.step.k == kInt {
			return Value{}, t.raise(t.types.ValueError, "range() arg 3 must not be zero")
		}
	}
	return Value{k: kRange, o: r}, nil
}

func sliceNew(t *Thread, a *Args) (Value, error) {
	args := a.Pos[1:]
	s := &Slice{none, none, none}
	switch len(args) {
	case 1:
		s.stop = args[0]
	case 2:
		s.start, s.stop = args[0], args[1]
	case 3:
		s.start, s.stop, s.step = args[0], args[1], args[2]
	default:
		return Value{}, t.arity("slice", len(args), 1, 3)
	}
	return Value{k: kSlice, o: s}, nil
}

// reverseRange returns the numbers of r from the last to the first.
func (t *Thread) reverseRange(r *Range) (Value, error) {
	n, step := r.length(), toBig(r.step)
	start := toBig(r.start)
	last := new(big.Int).Sub(n, big.NewInt(1))
	last.Add(last.Mul(last, step), start)
	return Value{k: kRange, o: &Range{
		start: bigValue(last),
		stop:  bigValue(new(big.Int).Sub(start, step)),
		step:  bigValue(new(big.Int).Neg(step)),
	}}, nil
}

func rangeCount(t *Thread, a *Args) (Value, error) {
	r := a.Pos[0].o.(*Range)
	if x := a.Pos[1]; isInt(x) {
		t.see(x.l)
		if t.rangeHas(r, x) {
			return intValue(1), nil
		}
		return intValue(0), nil
	}
	n := int64(0)
	err := t.each(a.Pos[0], func(v Value) error {
		ok, err := t.equal(v, a.Pos[1])
		if ok {
			n++
		}
		return err
	})
	return intValue(n), err
}

func rangeIndex(t *Thread, a *Args) (Value, error) {
	r, x := a.Pos[0].o.(*Range), a.Pos[1]
	t.see(t.join(r.label(t), x.l))
	if isInt(x) {
		if !t.rangeHas(r, x) {
			return Value{}, t.raise(t.types.ValueError, "range.index(x): x not in range")
		}
		d := new(big.Int).Sub(toBig(x), toBig(r.start))
		return bigValue(d.Quo(d, toBig(r.step))), nil
	}
	i, at := int64(0), int64(-1)
	err := t.each(a.Pos[0], func(v Value) error {
		if ok, err := t.equal(v, x); ok && at < 0 || err != nil {
			at = i
			return err
		}
		i++
		return nil
	})
	if err == nil && at < 0 {
		err = t.raise(t.types.ValueError, "sequence.index(x): x not in sequence")
	}
	return intValue(at), err
}

func sliceIndices(t *Thread, a *Args) (Value, error) {
	n, err := t.index(a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	if toBig(n).Sign() < 0 {
		return Value{}, t.raise(t.types.ValueError, "length should not be negative")
	}
	lo, hi, step, err := t.bigBounds(a.Pos[0].o.(*Slice), toBig(n))
	if err != nil {
		return Value{}, err
	}
	return t.tuple([]Value{bigValue(lo), bigValue(hi), bigValue(step)}), nil
}
