package builtin

import (
	"math/big"

	"praxis/internal/plan/value"
)

// tupleNatives are the methods of tuples.
func tupleNatives() []*value.Native {
	return append([]*value.Native{
		{Name: "tuple.__new__", Params: "cls, iterable=(), /", Call: tupleNew, Precise: true, Drains: []int{1}},
		newMethod(value.KTuple, "tuple.count", "self, value, /", tupleCount),
		newMethod(value.KTuple, "tuple.index", "self, value, start=0, stop=9223372036854775807, /", tupleIndex),
	}, dunders(value.KTuple, "tuple", "__len__ __getitem__ __contains__ __iter__ __repr__ __hash__ "+
		"__add__ __mul__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__")...)
}

func tupleNew(t *value.Thread, a *value.Args) (value.Value, error) {
	v := t.Tuple(nil)
	if a.Pos[1].Kind == value.KTuple && a.Pos[0].Obj.(*value.Class).Static {
		return a.Pos[1], nil
	}
	if a.Pos[1].Kind != value.KUnset {
		s, err := t.Shaped(func() error {
			items, err := t.Collect(a.Pos[1])
			v = t.Tuple(items)
			return err
		})
		if err != nil {
			return value.Value{}, err
		}
		v.Label = t.Join(s, t.PC)
	}
	return t.Construct(a.Pos[0], v), nil
}

func tupleCount(t *value.Thread, a *value.Args) (value.Value, error) {
	items := a.Pos[0].Obj.(*value.Tuple).Items
	return countItems(t, func(i int) (value.Value, bool) {
		if i < len(items) {
			return items[i], true
		}
		return value.Value{}, false
	}, a.Pos[1])
}

func tupleIndex(t *value.Thread, a *value.Args) (value.Value, error) {
	items := a.Pos[0].Obj.(*value.Tuple).Items
	return indexItem(t, a, func() []value.Value { return items }, "tuple.index(x): x not in tuple")
}

// rangeNatives are the methods of ranges and slices.
func rangeNatives() []*value.Native {
	out := []*value.Native{
		{Name: "range.__new__", Params: "", Call: rangeNew},
		{Name: "slice.__new__", Params: "", Call: sliceNew, Precise: true},
		newMethod(value.KRange, "range.count", "self, value, /", rangeCount),
		newMethod(value.KRange, "range.index", "self, value, /", rangeIndex),
		newMethod(value.KRange, "range.__reversed__", "self, /", listReversed).Exact(),
		newMethod(value.KSlice, "slice.indices", "self, length, /", sliceIndices),
	}
	out = append(out, dunders(value.KRange, "range", "__len__ __bool__ __getitem__ __contains__ __iter__ __repr__ __hash__ __eq__ __ne__")...)
	return append(out, dunders(value.KSlice, "slice", "__repr__ __hash__ __eq__ __ne__")...)
}

// arity is the TypeError of a built-in class that was called with too few or too many arguments.
func arity(t *value.Thread, name string, n, least, most int) error {
	plural := func(n int) string {
		if n == 1 {
			return ""
		}
		return "s"
	}
	if n < least {
		return t.Raise(t.Types.TypeError, "%s expected at least %d argument%s, got %d", name, least, plural(least), n)
	}
	return t.Raise(t.Types.TypeError, "%s expected at most %d argument%s, got %d", name, most, plural(most), n)
}

func rangeNew(t *value.Thread, a *value.Args) (value.Value, error) {
	if len(a.Named) > 0 {
		return value.Value{}, t.Raise(t.Types.TypeError, "range() takes no keyword arguments")
	}
	args := a.Pos[1:]
	if len(args) < 1 || len(args) > 3 {
		return value.Value{}, arity(t, "range", len(args), 1, 3)
	}
	r := &value.Range{Start: value.Int(0), Step: value.Int(1)}
	var parts [3]value.Value
	for i, x := range args {
		n, err := t.Index(x)
		if err != nil {
			return value.Value{}, err
		}
		parts[i] = n
	}
	if len(args) == 1 {
		r.Stop = parts[0]
	} else {
		r.Start, r.Stop = parts[0], parts[1]
	}
	if len(args) == 3 {
		if r.Step = parts[2]; r.Step.N == 0 && r.Step.Kind == value.KInt {
			return value.Value{}, t.Raise(t.Types.ValueError, "range() arg 3 must not be zero")
		}
	}
	return value.Value{Kind: value.KRange, Obj: r}, nil
}

func sliceNew(t *value.Thread, a *value.Args) (value.Value, error) {
	args := a.Pos[1:]
	s := &value.Slice{Start: value.None, Stop: value.None, Step: value.None}
	switch len(args) {
	case 1:
		s.Stop = args[0]
	case 2:
		s.Start, s.Stop = args[0], args[1]
	case 3:
		s.Start, s.Stop, s.Step = args[0], args[1], args[2]
	default:
		return value.Value{}, arity(t, "slice", len(args), 1, 3)
	}
	return value.Value{Kind: value.KSlice, Obj: s}, nil
}

// reverseRange returns the numbers of r from the last to the first.
func reverseRange(t *value.Thread, r *value.Range) (value.Value, error) {
	n, step := r.Length(), value.ToBig(r.Step)
	start := value.ToBig(r.Start)
	last := new(big.Int).Sub(n, big.NewInt(1))
	last.Add(last.Mul(last, step), start)
	return value.Value{Kind: value.KRange, Obj: &value.Range{
		Start: value.BigInt(last),
		Stop:  value.BigInt(new(big.Int).Sub(start, step)),
		Step:  value.BigInt(new(big.Int).Neg(step)),
	}}, nil
}

func rangeCount(t *value.Thread, a *value.Args) (value.Value, error) {
	r := a.Pos[0].Obj.(*value.Range)
	if x := a.Pos[1]; value.IsInt(x) {
		t.See(x.Label)
		if t.RangeHas(r, x) {
			return value.Int(1), nil
		}
		return value.Int(0), nil
	}
	n := int64(0)
	err := t.Each(a.Pos[0], func(v value.Value) error {
		ok, err := t.Equal(v, a.Pos[1])
		if ok {
			n++
		}
		return err
	})
	return value.Int(n), err
}

func rangeIndex(t *value.Thread, a *value.Args) (value.Value, error) {
	r, x := a.Pos[0].Obj.(*value.Range), a.Pos[1]
	t.See(t.Join(r.Label(t), x.Label))
	if value.IsInt(x) {
		if !t.RangeHas(r, x) {
			return value.Value{}, t.Raise(t.Types.ValueError, "range.index(x): x not in range")
		}
		d := new(big.Int).Sub(value.ToBig(x), value.ToBig(r.Start))
		return value.BigInt(d.Quo(d, value.ToBig(r.Step))), nil
	}
	i, at := int64(0), int64(-1)
	err := t.Each(a.Pos[0], func(v value.Value) error {
		if ok, err := t.Equal(v, x); ok && at < 0 || err != nil {
			at = i
			return err
		}
		i++
		return nil
	})
	if err == nil && at < 0 {
		err = t.Raise(t.Types.ValueError, "sequence.index(x): x not in sequence")
	}
	return value.Int(at), err
}

func sliceIndices(t *value.Thread, a *value.Args) (value.Value, error) {
	n, err := t.Index(a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	if value.ToBig(n).Sign() < 0 {
		return value.Value{}, t.Raise(t.Types.ValueError, "length should not be negative")
	}
	lo, hi, step, err := t.BigBounds(a.Pos[0].Obj.(*value.Slice), value.ToBig(n))
	if err != nil {
		return value.Value{}, err
	}
	return t.Tuple([]value.Value{value.BigInt(lo), value.BigInt(hi), value.BigInt(step)}), nil
}
