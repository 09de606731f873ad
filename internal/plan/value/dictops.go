package value

// DictUpdate adds the entries of b, a mapping or pairs, to the dict a.
func (t *Thread) DictUpdate(a, b Value) error {
	d := a.Obj.(*Dict)
	s, err := t.Shaped(func() error {
		t.See(a.Label)
		if p, ok := t.PlainDict(b); ok {
			t.See(p.Label)
			return d.merge(t, p.Obj.(*Dict))
		}
		t.See(b.Label)
		if t.hasKeys(b) {
			return t.updateByKeys(d, b)
		}
		return t.updateByPairs(d, b)
	})
	t.Mark(&d.Shape, s)
	return err
}

// PlainDict returns the dict behind v when nothing overrides how it is read.
func (t *Thread) PlainDict(v Value) (Value, bool) {
	for _, name := range [...]string{"keys", "__getitem__", "__iter__"} {
		if _, ok := t.Override(v, name); ok {
			return Value{}, false
		}
	}
	return t.Payload(v, KDict)
}

// hasKeys reports whether v is a mapping: whether it has a method keys.
func (t *Thread) hasKeys(v Value) bool {
	switch v.Kind {
	case KDict:
		return true
	case KObject, KSpecial:
		_, _, ok := t.ClassOf(v).Lookup("keys")
		return ok
	}
	return false
}

// updateByKeys adds what keys() and __getitem__ of a mapping give.
func (t *Thread) updateByKeys(d *Dict, b Value) error {
	keys, err := t.GetAttr(b, "keys")
	if err != nil {
		return err
	}
	if keys, err = t.Call(keys, nil, nil, nil); err != nil {
		return err
	}
	return t.Each(keys, func(k Value) error {
		v, err := t.GetItem(b, k)
		if err != nil {
			return err
		}
		return d.Set(t, k, v)
	})
}

// updateByPairs adds pairs of a key and a value.
func (t *Thread) updateByPairs(d *Dict, b Value) error {
	i := 0
	return t.Each(b, func(pair Value) error {
		var items []Value
		if p := t.PlainSeq(pair); p.Kind == KTuple {
			items = p.Obj.(*Tuple).Items
			t.See(p.Label)
		} else {
			if _, err := t.Iterable(pair, "object is not iterable"); err != nil {
				return err
			}
			var err error
			if items, err = t.Collect(pair); err != nil {
				return err
			}
		}
		if len(items) != 2 {
			return t.Raise(t.Types.ValueError, "dictionary update sequence element #%d has length %d; 2 is required", i, len(items))
		}
		i++
		return d.Set(t, items[0], items[1])
	})
}

// dictOr is a | b of two dicts.
func (t *Thread) dictOr(a, b Value) (Value, bool, error) {
	d, err := a.Obj.(*Dict).Copy(t)
	if err != nil {
		return Value{}, true, err
	}
	v := Value{Kind: KDict, Obj: d}
	return v, true, t.DictUpdate(v, b)
}
