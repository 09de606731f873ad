package value

import "praxis/internal/plan/label"

// advanceBuilt is advance for the iterators over iterators.
func (t *Thread) advanceBuilt(it *Iter) (Value, bool, error) {
	if err := t.Step(1); err != nil {
		return Value{}, false, err
	}
	switch it.Kind {
	case IterEnumerate:
		v, ok, err := t.Next(it.Src)
		if err != nil || !ok {
			return v, false, err
		}
		n := Int(it.At).With(it.Stop.Label)
		it.At++
		return t.Tuple([]Value{n, v}), true, t.Alloc(4 * ValueBytes)
	case IterZip:
		row, l, err := t.row(it)
		if err != nil || row == nil {
			return Value{Label: l}, false, err
		}
		return t.Tuple(row), true, nil
	case IterMap:
		row, l, err := t.row(it)
		if err != nil || row == nil {
			return Value{Label: l}, false, err
		}
		v, err := t.Call(it.Stop, row, nil, nil)
		if r, is := err.(*Raise); is && r.Exc.Cls.Derives(t.Types.StopIteration) {
			return Value{Label: t.Join(r.Label, it.Stop.Label)}, false, nil // map(next, …) ends with the first that has no more
		}
		return v, err == nil, err
	case IterFilter:
		return t.advanceFilter(it)
	}
	return Value{}, false, nil
}

// advanceFilter finds the next element that passes. It depends on what the test said
// of all before it: no branch of the program chose it.
func (t *Thread) advanceFilter(it *Iter) (Value, bool, error) {
	for {
		v, ok, err := t.Next(it.Src)
		if err != nil || !ok {
			return v, false, err
		}
		if err := t.Step(1); err != nil {
			return Value{}, false, err
		}
		test := v
		if it.Stop.Kind != KNone {
			if test, err = t.Call(it.Stop, []Value{v}, nil, nil); err != nil {
				return Value{}, false, err
			}
		}
		pass := false
		l, err := t.Shaped(func() (err error) {
			pass, err = t.Truth(test)
			return err
		})
		if err != nil {
			return Value{}, false, err
		}
		it.Stop.Label = t.Join(it.Stop.Label, l)
		t.Drive(it.Src, it.Stop.Label)
		v.Label = t.Join(v.Label, it.Stop.Label)
		if pass {
			from := it.Src
			if src, ok := from.Obj.(*Iter); ok {
				from = src.Src
			}
			t.Choose(&v, it.Stop.Label, from)
			return v, true, nil
		}
	}
}

// row takes one element of each iterator of a zip or a map; nil at the end of one of them.
func (t *Thread) row(it *Iter) ([]Value, label.ID, error) {
	its := it.Src.Obj.(*Tuple).Items
	if len(its) == 0 {
		return nil, 0, nil
	}
	if err := t.Alloc(int64(len(its)+2) * ValueBytes); err != nil {
		return nil, 0, err
	}
	row := make([]Value, len(its))
	for i := range its {
		v, ok, err := t.Next(its[i])
		if err != nil {
			return nil, 0, err
		}
		if !ok {
			return nil, v.Label, t.uneven(it, its, i)
		}
		row[i] = v
	}
	return row, 0, nil
}

// uneven ends a zip or a map at iterator i, and fails when it is strict and not all end.
func (t *Thread) uneven(it *Iter, its []Value, i int) error {
	strict, longer := it.N == 1, i > 0
	it.Src = Value{}
	for k := 1; strict && !longer && k < len(its); k++ {
		var err error
		if _, longer, err = t.Next(its[k]); err != nil {
			return err
		}
	}
	if strict && longer {
		return t.Raise(t.Types.ValueError, "zip() arguments have different lengths")
	}
	return nil
}
