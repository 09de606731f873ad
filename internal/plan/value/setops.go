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

// viewOp is & | - ^ where a view of keys or items is one side.
func (t *Thread) viewOp(op syntax.Operator, a, b Value) (Value, bool, error) {
	if op != syntax.BitAnd && op != syntax.BitOr && op != syntax.Sub && op != syntax.BitXor {
		return Value{}, false, nil
	}
	if !(a.Kind == KView && IsSetLike(a)) && !(b.Kind == KView && IsSetLike(b)) {
		return Value{}, false, nil
	}
	out := &Set{}
	s, err := t.Shaped(func() error {
		t.See(t.Join(a.Label, b.Label))
		return t.viewSet(op, out, a, b)
	})
	t.Mark(&out.Shape, s)
	return Value{Kind: KSet, Obj: out}, true, err
}

// viewSet fills out with a op b.
func (t *Thread) viewSet(op syntax.Operator, out *Set, a, b Value) error {
	if op == syntax.BitAnd {
		x, y := a, b // y is iterated over, its items are looked up in x
		if x.Kind != KView || !IsSetLike(x) {
			x, y = y, x
		}
		if IsSetLike(y) {
			n, _ := t.Length(x)
			m, _ := t.Length(y)
			if y.Kind == KSet && n <= m || y.Kind == KView && m > n {
				x, y = y, x
			}
		}
		return t.Each(y, func(v Value) error {
			ok, err := t.Contains(x, v)
			if ok && err == nil {
				_, err = out.Add(t, v)
			}
			return err
		})
	}
	left := a
	if w, ok := a.Obj.(*View); ok && w.Kind == ViewKeys {
		left = Value{Kind: KDict, Obj: w.Dict, Label: a.Label}
	}
	if err := t.SetUpdate(out, left); err != nil {
		return err
	}
	switch op {
	case syntax.BitOr:
		return t.SetUpdate(out, b)
	case syntax.Sub:
		return t.SetSubtract(out, b)
	}
	other, err := t.AsSet(b)
	if err != nil {
		return err
	}
	return t.SetToggle(out, other)
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

// FrozenKey stands for a set that is looked for in a set: it counts as frozen.
func FrozenKey(t *Thread, k Value) Value {
	if b := t.Base(k); b.Kind == KSet && !b.Obj.(*Set).Frozen {
		f := *b.Obj.(*Set)
		f.Frozen = true
		return Value{Kind: KSet, Obj: &f, Label: b.Label}
	}
	return k
}

// setHas is "x in s".
func (t *Thread) setHas(s *Set, x Value) (bool, error) { return s.has(t, FrozenKey(t, x)) }

// Building runs f on a new set and gives it the labels of all that f saw.
func (t *Thread) Building(self Value, f func(out *Set) error) (Value, error) {
	out := &Set{Frozen: self.Obj.(*Set).Frozen}
	l, err := t.Shaped(func() error {
		t.See(self.Label)
		t.See(self.Obj.(*Set).Shape)
		return f(out)
	})
	t.Mark(&out.Shape, l)
	return Value{Kind: KSet, Obj: out}, err
}

// Intersect fills out with what is in s and in o. It walks over the smaller of two sets.
func (t *Thread) Intersect(out, s *Set, o Value) error {
	if b := t.Base(o); b.Kind == KSet {
		x := b.Obj.(*Set)
		t.See(b.Label)
		t.See(x.Shape)
		if x.Used > s.Used {
			x, s = s, x
		}
		if err := t.Step(int64(len(x.Table)) / 2); err != nil {
			return err
		}
		for i := 0; i < len(x.Table); i++ {
			e := x.Table[i]
			if e.Key.Kind == KUnset {
				continue
			}
			at, err := s.find(t, e.Key, e.hash)
			if err == nil && at >= 0 {
				_, err = out.addHashed(t, e.Key, e.hash, 0)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return t.Each(o, func(v Value) error {
		if out.Used > 0 && out.Used == s.Used {
			return nil // all is found: what follows is not even hashed
		}
		h, l, err := t.HashKey(v)
		if err != nil {
			return err
		}
		t.See(l)
		at, err := s.find(t, v, h)
		if err == nil && at >= 0 {
			_, err = out.addHashed(t, v, h, l)
		}
		return err
	})
}

// Difference fills out with what is in s and not in o.
func (t *Thread) Difference(out, s *Set, o Value) error {
	b := t.Base(o)
	if b.Kind != KSet && b.Kind != KDict {
		if err := out.Merge(t, s); err != nil {
			return err
		}
		return t.SetSubtract(out, o)
	}
	n, err := t.Length(b)
	if err != nil {
		return err
	}
	if s.Used>>2 > n {
		if err := out.Merge(t, s); err != nil {
			return err
		}
		return t.SetSubtract(out, b)
	}
	if err := t.Step(int64(len(s.Table)) / 2); err != nil {
		return err
	}
	for i := 0; i < len(s.Table); i++ {
		e := s.Table[i]
		if e.Key.Kind == KUnset {
			continue
		}
		at := 0
		if b.Kind == KSet {
			at, err = b.Obj.(*Set).find(t, e.Key, e.hash)
		} else {
			at, err = b.Obj.(*Dict).find(t, e.Key, e.hash)
		}
		if err == nil && at < 0 {
			_, err = out.addHashed(t, e.Key, e.hash, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// SetSubtract removes the elements of o from s; it sees them.
func (t *Thread) SetSubtract(s *Set, o Value) error {
	b := t.Base(o)
	if b.Kind == KSet {
		x := b.Obj.(*Set)
		t.See(b.Label)
		t.See(x.Shape)
		if x == s {
			s.Clear(t, 0)
			return nil
		}
		if err := t.Step(int64(len(x.Table)) / 2); err != nil {
			return err
		}
		for i := 0; i < len(x.Table); i++ {
			if e := x.Table[i]; e.Key.Kind != KUnset {
				at, err := s.find(t, e.Key, e.hash)
				if err != nil {
					return err
				}
				if at >= 0 {
					s.RemoveAt(at)
				}
			}
		}
		return s.tidy(t)
	}
	err := t.Each(o, func(v Value) error {
		_, err := s.Discard(t, v)
		return err
	})
	if err != nil {
		return err
	}
	return s.tidy(t)
}

// SetToggle removes from s what is in o, too, and adds the rest of o.
func (t *Thread) SetToggle(s, o *Set) error {
	t.See(o.Shape)
	if s == o {
		s.Clear(t, 0)
		return nil
	}
	if err := t.Step(int64(len(o.Table)) / 2); err != nil {
		return err
	}
	for i := 0; i < len(o.Table); i++ {
		e := o.Table[i]
		if e.Key.Kind == KUnset {
			continue
		}
		at, err := s.find(t, e.Key, e.hash)
		if err != nil {
			return err
		}
		if at >= 0 {
			s.RemoveAt(at)
		} else if _, err := s.addHashed(t, e.Key, e.hash, 0); err != nil {
			return err
		}
	}
	return nil
}

// Changed runs f, which changes the set self, and gives its shape the labels that f saw.
func (t *Thread) Changed(self Value, f func(s *Set) error) (Value, error) {
	s := self.Obj.(*Set)
	l, err := t.Shaped(func() error {
		t.See(self.Label)
		return f(s)
	})
	t.Mark(&s.Shape, l)
	return None, err
}

// setOp is & | - ^ of two sets.
func (t *Thread) setOp(op syntax.Operator, a, b Value) (Value, bool, error) {
	if b.Kind == KView {
		return t.viewOp(op, a, b)
	}
	if b.Kind != KSet {
		return Value{}, false, nil
	}
	s := a.Obj.(*Set)
	var fill func(out *Set) error
	switch op {
	case syntax.BitAnd:
		fill = func(out *Set) error { return t.Intersect(out, s, b) }
	case syntax.BitOr:
		fill = func(out *Set) error {
			if err := out.Merge(t, s); err != nil {
				return err
			}
			return t.SetUpdate(out, b)
		}
	case syntax.Sub:
		fill = func(out *Set) error { return t.Difference(out, s, b) }
	case syntax.BitXor:
		fill = func(out *Set) error {
			if err := t.SetUpdate(out, b); err != nil {
				return err
			}
			return t.SetToggle(out, s)
		}
	default:
		return Value{}, false, nil
	}
	v, err := t.Building(a, func(out *Set) error {
		t.See(b.Label)
		t.See(b.Obj.(*Set).Shape)
		return fill(out)
	})
	return v, true, err
}

// setInplace is &= |= -= ^= of a set.
func (t *Thread) setInplace(op syntax.Operator, a, b Value) (Value, error) {
	if !IsSetLike(b) {
		return t.binaryInplace(op, a, b)
	}
	_, err := t.Changed(a, func(s *Set) error {
		t.See(b.Label)
		switch op {
		case syntax.BitOr:
			return t.SetUpdate(s, b)
		case syntax.Sub:
			return t.SetSubtract(s, b)
		case syntax.BitAnd:
			out := &Set{}
			if err := t.Intersect(out, s, b); err != nil {
				return err
			}
			s.Take(t, out)
			return nil
		case syntax.BitXor:
			o, err := t.AsSet(b)
			if err != nil {
				return err
			}
			return t.SetToggle(s, o)
		}
		return t.NoOperator(op, Operators[op].Sign+"=", a, b)
	})
	return a, err
}

// Subset reports whether all elements of s are in o.
func (t *Thread) Subset(s, o *Set) (bool, error) {
	if s.Used > o.Used {
		return false, nil
	}
	if err := t.Step(int64(len(s.Table)) / 2); err != nil {
		return false, err
	}
	for i := 0; i < len(s.Table); i++ {
		if e := s.Table[i]; e.Key.Kind != KUnset {
			if at, err := o.find(t, e.Key, e.hash); err != nil || at < 0 {
				return false, err
			}
		}
	}
	return true, nil
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
	if err := t.Enter(" in comparison"); err != nil {
		return false, err
	}
	defer t.Leave()
	for i := 0; i < len(x.Entries); i++ {
		e := x.Entries[i]
		if e.Key.Kind == KUnset {
			continue
		}
		at, err := y.find(t, e.Key, e.Hash)
		if err != nil || at < 0 {
			return false, err
		}
		if ok, err := t.EqualItem(e.Val, y.Entries[at].Val); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}
