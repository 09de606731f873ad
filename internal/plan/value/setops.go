package value

import "praxis/internal/plan/syntax"

// viewHas is "x in view" for keys and items; known is false for values.
func (t *Thread) viewHas(w *View, x Value) (ok, known bool, err error) {
	switch w.Kind {
	case ViewKeys:
		ok, err := w.Dict.Has(t, x)
		return ok, true, err
	case ViewValues:
		return false, false, nil
	}
	p, isTuple := t.Payload(x, KTuple)
	t.See(w.Dict.Shape)
	if !isTuple || len(p.Obj.(*Tuple).Items) != 2 {
		return false, true, nil
	}
	items := p.Obj.(*Tuple).Items
	v, ok, err := w.Dict.Get(t, items[0])
	t.See(v.Label)
	if !ok || err != nil {
		return false, true, err
	}
	ok, err = t.EqualItem(v, items[1])
	return ok, true, err
}

// IsSetLike reports whether v is a set or a view that behaves like one.
func IsSetLike(v Value) bool {
	return v.Kind == KSet || v.Kind == KView && v.Obj.(*View).Kind != ViewValues
}

// SetUpdate adds the elements of v; it sees what their number depends on.
func (t *Thread) SetUpdate(s *Set, v Value) error {
	b := v
	if _, ok := t.Override(v, "__iter__"); !ok {
		b = t.Base(v)
	}
	t.See(b.Label)
	switch b.Kind {
	case KSet:
		o := b.Obj.(*Set)
		t.See(o.Shape)
		return s.Merge(t, o)
	case KDict:
		d := b.Obj.(*Dict)
		t.See(d.Shape)
		if err := s.reserve(t, d.Live); err != nil {
			return err
		}
		for i := 0; i < len(d.Entries); i++ {
			e := d.Entries[i]
			if e.Key.Kind == KUnset {
				continue
			}
			if _, err := s.addHashed(t, e.Key, e.Hash, 0); err != nil { // d's shape has the keys' labels
				return err
			}
		}
		return t.Step(int64(d.Live) / 4)
	}
	return t.Each(v, func(x Value) error {
		_, err := s.Add(t, x)
		return err
	})
}

// AsSet returns the set behind v, or a set made of its elements.
func (t *Thread) AsSet(v Value) (*Set, error) {
	t.See(v.Label)
	if b := t.Base(v); b.Kind == KSet {
		t.See(b.Obj.(*Set).Shape)
		return b.Obj.(*Set), nil
	}
	s := &Set{}
	err := t.SetUpdate(s, v)
	t.See(s.Shape)
	return s, err
}

// each calls f with the places of s that hold elements, in their order.
func (s *Set) each(t *Thread, f func(e Slot) error) error {
	if err := t.Step(int64(len(s.Table)) / 2); err != nil {
		return err
	}
	for i := 0; i < len(s.Table); i++ {
		if e := s.Table[i]; e.Key.Kind != KUnset {
			if err := f(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// pickSet adds to out the elements of s that are in o, or those that are not.
func (t *Thread) pickSet(out, s, o *Set, in bool) error {
	return s.each(t, func(e Slot) error {
		at, _, err := o.find(t, e.Key, e.hash)
		if err == nil && at >= 0 == in {
			_, err = out.addHashed(t, e.Key, e.hash, 0)
		}
		return err
	})
}

// intersect fills out with what is in both; it walks over the smaller.
func (t *Thread) intersect(out, s, o *Set) error {
	if o.Used > s.Used {
		s, o = o, s
	}
	return t.pickSet(out, o, s, true)
}

// subtract removes the elements of o from s.
func (t *Thread) subtract(s, o *Set) error {
	if s == o {
		s.Clear(t, 0)
		return nil
	}
	err := o.each(t, func(e Slot) error {
		at, _, err := s.find(t, e.Key, e.hash)
		if err == nil && at >= 0 {
			t.Lose(s, s.Shape, s.Table[at].Key)
			s.RemoveAt(at)
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.tidy(t)
}

// toggle removes from s what is in o, too, and adds the rest of o.
func (t *Thread) toggle(s, o *Set) error {
	if s == o {
		s.Clear(t, 0)
		return nil
	}
	return o.each(t, func(e Slot) error {
		at, _, err := s.find(t, e.Key, e.hash)
		if err != nil {
			return err
		}
		if at >= 0 {
			t.Lose(s, s.Shape, s.Table[at].Key)
			s.RemoveAt(at)
			return nil
		}
		_, err = s.addHashed(t, e.Key, e.hash, 0)
		return err
	})
}

// joined fills the new set out with s op o.
func (t *Thread) joined(op syntax.Operator, out, s *Set, v Value) error {
	if op == syntax.BitOr {
		if err := out.Merge(t, s); err != nil {
			return err
		}
		return t.SetUpdate(out, v)
	}
	o, err := t.AsSet(v)
	if err != nil {
		return err
	}
	switch {
	case op == syntax.BitAnd:
		return t.intersect(out, s, o)
	case op == syntax.BitXor:
		if err := out.Merge(t, o); err != nil {
			return err
		}
		return t.toggle(out, s)
	case t.Base(v).Kind == KSet && s.Used>>2 <= o.Used:
		return t.pickSet(out, s, o, false)
	}
	if err := out.Merge(t, s); err != nil {
		return err
	}
	return t.subtract(out, o)
}

// change makes s what s op o is.
func (t *Thread) change(op syntax.Operator, s *Set, v Value) error {
	if op == syntax.BitOr {
		return t.SetUpdate(s, v)
	}
	o, err := t.AsSet(v)
	if err != nil {
		return err
	}
	switch op {
	case syntax.Sub:
		return t.subtract(s, o)
	case syntax.BitXor:
		return t.toggle(s, o)
	}
	out := &Set{}
	if err := t.intersect(out, s, o); err != nil {
		return err
	}
	s.Take(t, out)
	return nil
}

// SetOf is a new set: self op each of the others. Its shape has the labels of all of them.
func (t *Thread) SetOf(op syntax.Operator, self Value, others []Value) (Value, error) {
	out := &Set{}
	if s, ok := self.Obj.(*Set); ok {
		out.Frozen = s.Frozen
	}
	l, err := t.Shaped(func() error {
		s, err := t.AsSet(self)
		if err != nil {
			return err
		}
		if len(others) == 0 {
			return out.Merge(t, s)
		}
		err = t.joined(op, out, s, others[0])
		for _, o := range others[1:] {
			if err == nil {
				err = t.change(op, out, o)
			}
		}
		return err
	})
	t.Mark(&out.Shape, l)
	return Value{Kind: KSet, Obj: out}, err
}

// SetChange makes the set self what self op each of the others is.
func (t *Thread) SetChange(op syntax.Operator, self Value, others []Value) error {
	s := self.Obj.(*Set)
	l, err := t.Shaped(func() (err error) {
		t.See(self.Label)
		for _, o := range others {
			if err = t.change(op, s, o); err != nil {
				break
			}
		}
		return err
	})
	t.Mark(&s.Shape, l)
	return err
}

// setOp is & | - ^ of two sets, or of a view of keys or items and anything.
func (t *Thread) setOp(op syntax.Operator, a, b Value) (Value, bool, error) {
	if op != syntax.BitAnd && op != syntax.BitOr && op != syntax.Sub && op != syntax.BitXor {
		return Value{}, false, nil
	}
	if !(IsSetLike(a) && IsSetLike(b)) && !(a.Kind == KView && IsSetLike(a)) && !(b.Kind == KView && IsSetLike(b)) {
		return Value{}, false, nil
	}
	v, err := t.SetOf(op, a, []Value{b})
	return v, true, err
}

// Disjoint reports whether s and o have nothing in common.
func (t *Thread) Disjoint(s, o *Set) (bool, error) {
	both := &Set{}
	err := t.intersect(both, s, o)
	return both.Used == 0, err
}

// Subset reports whether all elements of s are in o.
func (t *Thread) Subset(s, o *Set) (bool, error) {
	if s.Used > o.Used {
		return false, nil
	}
	both := &Set{}
	err := t.intersect(both, s, o)
	return both.Used == s.Used, err
}

// orderSets is < <= > >= of sets and of views: whether one is part of the other.
func (t *Thread) orderSets(op syntax.CmpOperator, a, b Value) (ok, known bool, err error) {
	if !IsSetLike(a) || !IsSetLike(b) {
		return false, false, nil
	}
	x, err := t.AsSet(a)
	if err != nil {
		return false, true, err
	}
	y, err := t.AsSet(b)
	if err != nil {
		return false, true, err
	}
	if op == syntax.Gt || op == syntax.GtE {
		x, y = y, x
	}
	if (op == syntax.Lt || op == syntax.Gt) && x.Used == y.Used {
		return false, true, nil
	}
	ok, err = t.Subset(x, y)
	return ok, true, err
}

// equalHashed is == of sets, dicts and views.
func (t *Thread) equalHashed(a, b Value) (bool, error) {
	if a.Kind == KDict {
		if b.Kind != KDict {
			return false, nil
		}
		return t.equalDicts(a.Obj.(*Dict), b.Obj.(*Dict))
	}
	if !IsSetLike(a) || !IsSetLike(b) {
		return Is(a, b), nil
	}
	x, err := t.AsSet(a)
	if err != nil {
		return false, err
	}
	y, err := t.AsSet(b)
	if err != nil || x.Used != y.Used {
		return false, err
	}
	return t.Subset(x, y)
}

func (t *Thread) equalDicts(x, y *Dict) (bool, error) {
	t.See(x.Shape)
	t.See(y.Shape)
	if x == y {
		return true, nil
	}
	if x.Live != y.Live {
		return false, nil
	}
	both := []Value{{Kind: KDict, Obj: x}, {Kind: KDict, Obj: y}}
	if err := t.enterItems(both, nil); err != nil {
		return false, err
	}
	defer t.Leave()
	for i := 0; i < len(x.Entries); i++ {
		e := x.Entries[i]
		if e.Key.Kind == KUnset {
			continue
		}
		at, _, err := y.find(t, e.Key, e.Hash)
		if err != nil || at < 0 {
			return false, err
		}
		if ok, err := t.EqualItem(e.Val, y.Entries[at].Val); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}
