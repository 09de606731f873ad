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
		row, l, err := t.row(it, "zip")
		if err != nil || row == nil {
			return Value{Label: l}, false, err
		}
		return t.Tuple(row), true, nil
	case IterMap:
		row, l, err := t.row(it, "map")
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
		v.Label = t.Join(v.Label, it.Stop.Label)
		if pass {
			return v, true, nil
		}
	}
}

// row takes one element of each iterator of a zip or a map; nil at the end of one of them.
func (t *Thread) row(it *Iter, name string) ([]Value, label.ID, error) {
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
			return nil, v.Label, t.uneven(it, its, i, name)
		}
		row[i] = v
	}
	return row, 0, nil
}

// uneven ends a zip or a map at iterator i, and fails when it is strict and not all end.
func (t *Thread) uneven(it *Iter, its []Value, i int, name string) error {
	strict := it.N == 1
	it.Src = Value{}
	if !strict {
		return nil
	}
	words := func(what string, i int) error {
		s := " "
		if i > 1 {
			s = "s 1-"
		}
		return t.Raise(t.Types.ValueError, "%s() argument %d is %s than argument%s%d", name, i+1, what, s, i)
	}
	if i > 0 {
		return words("shorter", i)
	}
	for k := 1; k < len(its); k++ {
		_, ok, err := t.Next(its[k])
		if err != nil {
			return err
		}
		if ok {
			return words("longer", k)
		}
	}
	return nil
}
