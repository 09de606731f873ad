package builtin

import "praxis/internal/plan/value"

// tupleNatives are the methods of tuples.
func tupleNatives() []*value.Native {
	return append([]*value.Native{
		{Name: "tuple.__new__", Params: "cls, iterable=(), /", Call: tupleNew, Precise: true, Drains: []int{1}},
		newMethod(value.KTuple, "tuple.count", "self, value, /", seqCount),
		newMethod(value.KTuple, "tuple.index", "self, value, start=0, stop=9223372036854775807, /", seqIndex),
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

// rangeNatives are the methods of ranges and slices.
func rangeNatives() []*value.Native {
	out := []*value.Native{
		{Name: "range.__new__", Params: "cls, start, stop=None, step=1, /", Call: rangeNew},
		{Name: "slice.__new__", Params: "cls, start, stop=None, step=None, /", Call: sliceNew, Precise: true},
	}
	out = append(out, dunders(value.KRange, "range", "__len__ __bool__ __getitem__ __contains__ __iter__ __repr__ __hash__ __eq__ __ne__")...)
	return append(out, dunders(value.KSlice, "slice", "__repr__ __hash__ __eq__ __ne__")...)
}

func rangeNew(t *value.Thread, a *value.Args) (value.Value, error) {
	parts := [3]int64{0, 0, 1}
	depends, err := t.Shaped(func() error {
		for i, x := range a.Pos[1:] {
			if x.Kind == value.KUnset {
				continue
			}
			n, err := t.Index(x)
			if err != nil {
				return err
			}
			if n.Kind == value.KBig || n.N < -value.MaxRange || n.N > value.MaxRange {
				return t.Raise(t.Types.OverflowError, "range() takes numbers up to 2**60")
			}
			parts[i] = n.N
		}
		if parts[2] == 0 {
			return t.Raise(t.Types.ValueError, "range() arg 3 must not be zero")
		}
		return nil
	})
	if a.Pos[2].Kind == value.KUnset {
		parts[0], parts[1] = 0, parts[0]
	}
	r := &value.Range{Start: parts[0], Stop: parts[1], Step: parts[2], Depends: depends}
	return value.Value{Kind: value.KRange, Obj: r, Label: depends}, err
}

func sliceNew(t *value.Thread, a *value.Args) (value.Value, error) {
	s := &value.Slice{Start: a.Pos[1], Stop: orNone(a.Pos[2]), Step: orNone(a.Pos[3])}
	if a.Pos[2].Kind == value.KUnset {
		s.Start, s.Stop = value.None, s.Start
	}
	return value.Value{Kind: value.KSlice, Obj: s}, nil
}

// reverseRange returns the numbers of r from the last to the first.
func reverseRange(r *value.Range) value.Value {
	last := r.Start + (r.Len()-1)*r.Step
	return value.Value{Kind: value.KRange, Obj: &value.Range{Start: last, Stop: r.Start - r.Step, Step: -r.Step, Depends: r.Depends}}
}
