package builtin

import "praxis/internal/plan/value"

// setNatives are the methods of sets and frozen sets.
func setNatives() []*value.Native {
	out := []*value.Native{
		{Name: "set.__new__", Params: "cls, iterable=(), /", Call: setNew, Precise: true},
		{Name: "frozenset.__new__", Params: "cls, iterable=(), /", Call: frozenSetNew, Precise: true},
	}
	for _, class := range [...]string{"set", "frozenset"} {
		m := func(name, params string, f value.NativeFunc) *value.Native {
			return newMethod(value.KSet, class+"."+name, params, f)
		}
		out = append(out,
			m("copy", "self, /", setCopy).Exact(),
			m("union", "self, *others", setUnion).Exact(),
			m("intersection", "self, *others", setIntersection).Exact(),
			m("difference", "self, *others", setDifference).Exact(),
			m("symmetric_difference", "self, other, /", setSymmetric).Exact().Drain(1),
			m("isdisjoint", "self, other, /", setIsDisjoint).Drain(1),
			m("issubset", "self, other, /", setIsSubset).Drain(1),
			m("issuperset", "self, other, /", setIsSuperset).Drain(1),
		)
		names := "__len__ __contains__ __iter__ __repr__ __and__ __or__ __sub__ __xor__ " +
			"__eq__ __ne__ __lt__ __le__ __gt__ __ge__"
		if class == "frozenset" {
			names += " __hash__"
		}
		out = append(out, dunders(value.KSet, class, names)...)
	}
	m := func(name, params string, f value.NativeFunc) *value.Native { return changing(name, params, f).Exact() }
	return append(out,
		m("__init__", "self, iterable=(), /", setInit),
		m("add", "self, object, /", setAdd),
		m("discard", "self, object, /", setDiscard),
		m("remove", "self, object, /", setRemove),
		m("pop", "self, /", setPop),
		m("clear", "self, /", setClear),
		m("update", "self, *others", setUpdateMethod),
		m("intersection_update", "self, *others", setIntersectionUpdate),
		m("difference_update", "self, *others", setDifferenceUpdate),
		m("symmetric_difference_update", "self, other, /", setSymmetricUpdate).Drain(1),
	)
}

// changing makes a method that changes a set, which must not be frozen.
func changing(name, params string, f value.NativeFunc) *value.Native {
	return newMethod(value.KSet, "set."+name, params, func(t *value.Thread, a *value.Args) (value.Value, error) {
		if a.Pos[0].Obj.(*value.Set).Frozen {
			return value.Value{}, t.WrongSelf("set."+name, a.Pos[0])
		}
		return f(t, a)
	})
}

func setNew(t *value.Thread, a *value.Args) (value.Value, error) {
	s := &value.Set{}
	v := value.Value{Kind: value.KSet, Obj: s}
	if !a.Pos[0].Obj.(*value.Class).Static {
		return t.Construct(a.Pos[0], v), t.Alloc(value.StrBytes)
	}
	if t.Foreign(a.Pos[1]) {
		return t.TailBuiltin("_into", t.NativeValue("set.update"), v, a.Pos[1])
	}
	return v, fillSet(t, s, a.Pos[1])
}

func frozenSetNew(t *value.Thread, a *value.Args) (value.Value, error) {
	if x := a.Pos[1]; x.Kind == value.KSet && x.Obj.(*value.Set).Frozen && a.Pos[0].Obj.(*value.Class).Static {
		return x, nil
	}
	if t.Foreign(a.Pos[1]) {
		return t.TailBuiltin("_frozen", a.Pos[0], a.Pos[1])
	}
	s := &value.Set{Frozen: true}
	err := fillSet(t, s, a.Pos[1])
	return t.Construct(a.Pos[0], value.Value{Kind: value.KSet, Obj: s}), err
}

// fillSet makes the elements of v those of s.
func fillSet(t *value.Thread, s *value.Set, v value.Value) error {
	if v.Kind == value.KUnset {
		return nil
	}
	l, err := t.Shaped(func() error { return t.SetUpdate(s, v) })
	t.Mark(&s.Shape, l)
	return err
}

func setInit(t *value.Thread, a *value.Args) (value.Value, error) {
	s := a.Pos[0].Obj.(*value.Set)
	s.Clear(t, a.Pos[0].Label)
	if t.Foreign(a.Pos[1]) {
		return t.InParts("set.update", a.Pos[0], a.Pos[1])
	}
	return value.None, fillSet(t, s, a.Pos[1])
}

func setAdd(t *value.Thread, a *value.Args) (value.Value, error) {
	s := a.Pos[0].Obj.(*value.Set)
	t.Mark(&s.Shape, a.Pos[0].Label)
	_, err := s.Add(t, a.Pos[1])
	return value.None, err
}

func setDiscard(t *value.Thread, a *value.Args) (value.Value, error) {
	s := a.Pos[0].Obj.(*value.Set)
	t.Mark(&s.Shape, a.Pos[0].Label)
	_, err := s.Discard(t, value.FrozenKey(t, a.Pos[1]))
	return value.None, err
}

func setRemove(t *value.Thread, a *value.Args) (value.Value, error) {
	s := a.Pos[0].Obj.(*value.Set)
	t.Mark(&s.Shape, a.Pos[0].Label)
	ok, err := s.Discard(t, value.FrozenKey(t, a.Pos[1]))
	if err == nil && !ok {
		err = t.Missing(a.Pos[0], a.Pos[1], s.Shape)
	}
	return value.None, err
}

func setPop(t *value.Thread, a *value.Args) (value.Value, error) {
	s := a.Pos[0].Obj.(*value.Set)
	l := t.Join(a.Pos[0].Label, s.Shape)
	if s.Used == 0 {
		return value.Value{}, t.FailAt(l, t.Types.KeyError, "pop from an empty set")
	}
	i := s.Finger & (len(s.Table) - 1)
	start := i
	for s.Table[i].Key.Kind == value.KUnset {
		i = (i + 1) & (len(s.Table) - 1)
	}
	if err := t.Step(int64((i-start)&(len(s.Table)-1)) / 16); err != nil {
		return value.Value{}, err
	}
	v := s.Table[i].Key
	t.Mark(&s.Shape, a.Pos[0].Label)
	s.RemoveAt(i)
	s.Finger = i + 1
	return v.With(t.Join(v.Label, l)), nil
}

func setClear(t *value.Thread, a *value.Args) (value.Value, error) {
	a.Pos[0].Obj.(*value.Set).Clear(t, a.Pos[0].Label)
	return value.None, nil
}

func setCopy(t *value.Thread, a *value.Args) (value.Value, error) {
	s := a.Pos[0].Obj.(*value.Set)
	if s.Frozen {
		return a.Pos[0], nil
	}
	c, err := t.CopySet(s, false)
	return value.Value{Kind: value.KSet, Obj: c, Label: a.Pos[0].Label}, err
}

func setUnion(t *value.Thread, a *value.Args) (value.Value, error) {
	s := a.Pos[0].Obj.(*value.Set)
	return t.Building(a.Pos[0], func(out *value.Set) error {
		if err := out.Merge(t, s); err != nil {
			return err
		}
		for _, o := range a.Star {
			if err := t.SetUpdate(out, o); err != nil {
				return err
			}
		}
		return nil
	})
}

func setIntersection(t *value.Thread, a *value.Args) (value.Value, error) {
	return t.Building(a.Pos[0], func(out *value.Set) error { return intersectAll(t, out, a.Pos[0], a.Star) })
}

// intersectAll fills out with what is in self and in all others.
func intersectAll(t *value.Thread, out *value.Set, self value.Value, others []value.Value) error {
	s := self.Obj.(*value.Set)
	if len(others) == 0 {
		return out.Merge(t, s)
	}
	for i, o := range others {
		next := out
		if i < len(others)-1 {
			next = &value.Set{}
		}
		if err := t.Intersect(next, s, o); err != nil {
			return err
		}
		s = next
	}
	return nil
}

func setDifference(t *value.Thread, a *value.Args) (value.Value, error) {
	s := a.Pos[0].Obj.(*value.Set)
	return t.Building(a.Pos[0], func(out *value.Set) error {
		if len(a.Star) == 0 {
			return out.Merge(t, s)
		}
		if err := t.Difference(out, s, a.Star[0]); err != nil {
			return err
		}
		for _, o := range a.Star[1:] {
			if err := t.SetSubtract(out, o); err != nil {
				return err
			}
		}
		return nil
	})
}

func setSymmetric(t *value.Thread, a *value.Args) (value.Value, error) {
	s := a.Pos[0].Obj.(*value.Set)
	return t.Building(a.Pos[0], func(out *value.Set) error {
		if err := t.SetUpdate(out, a.Pos[1]); err != nil {
			return err
		}
		return t.SetToggle(out, s)
	})
}

func setUpdateMethod(t *value.Thread, a *value.Args) (value.Value, error) {
	return t.Changed(a.Pos[0], func(s *value.Set) error {
		for _, o := range a.Star {
			if err := t.SetUpdate(s, o); err != nil {
				return err
			}
		}
		return nil
	})
}

func setIntersectionUpdate(t *value.Thread, a *value.Args) (value.Value, error) {
	return t.Changed(a.Pos[0], func(s *value.Set) error {
		out := &value.Set{}
		if err := intersectAll(t, out, a.Pos[0], a.Star); err != nil {
			return err
		}
		s.Take(t, out)
		return nil
	})
}

func setDifferenceUpdate(t *value.Thread, a *value.Args) (value.Value, error) {
	return t.Changed(a.Pos[0], func(s *value.Set) error {
		for _, o := range a.Star {
			if err := t.SetSubtract(s, o); err != nil {
				return err
			}
		}
		return nil
	})
}

func setSymmetricUpdate(t *value.Thread, a *value.Args) (value.Value, error) {
	return t.Changed(a.Pos[0], func(s *value.Set) error {
		o, err := t.AsSet(a.Pos[1])
		if err != nil {
			return err
		}
		return t.SetToggle(s, o)
	})
}

func setIsDisjoint(t *value.Thread, a *value.Args) (value.Value, error) {
	t.See(a.Pos[0].Label)
	out := true
	err := t.Each(a.Pos[1], func(v value.Value) error {
		if !out {
			return nil // what follows is not even hashed
		}
		if _, _, err := t.HashKey(v); err != nil {
			return t.ElementError(err, v) // a set has no hash, though the operator in takes one
		}
		ok, err := t.Contains(a.Pos[0], v)
		out = !ok
		return err
	})
	return value.Bool(out), err
}

func setIsSubset(t *value.Thread, a *value.Args) (value.Value, error) {
	s := a.Pos[0].Obj.(*value.Set)
	t.See(s.Shape)
	if b := t.Base(a.Pos[1]); b.Kind != value.KSet {
		both := &value.Set{}
		err := t.Intersect(both, s, a.Pos[1])
		return value.Bool(both.Used == s.Used), err
	}
	o, err := t.AsSet(a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	ok, err := t.Subset(s, o)
	return value.Bool(ok), err
}

func setIsSuperset(t *value.Thread, a *value.Args) (value.Value, error) {
	s := a.Pos[0].Obj.(*value.Set)
	t.See(s.Shape)
	o, err := t.AsSet(a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	ok, err := t.Subset(o, s)
	return value.Bool(ok), err
}
