package builtin

import (
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// setOperators are the methods that take any number of sets.
var setOperators = [...]struct {
	name, change string
	op           syntax.Operator
}{
	{"union", "update", syntax.BitOr},
	{"intersection", "intersection_update", syntax.BitAnd},
	{"difference", "difference_update", syntax.Sub},
}

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
			m("symmetric_difference", "self, other, /", setOf(syntax.BitXor)).Exact().Drain(1),
			m("isdisjoint", "self, other, /", setTest(func(t *value.Thread, s, o *value.Set) (bool, error) { return t.Disjoint(s, o) })).Drain(1),
			m("issubset", "self, other, /", setTest(func(t *value.Thread, s, o *value.Set) (bool, error) { return t.Subset(s, o) })).Drain(1),
			m("issuperset", "self, other, /", setTest(func(t *value.Thread, s, o *value.Set) (bool, error) { return t.Subset(o, s) })).Drain(1),
		)
		for _, o := range setOperators {
			out = append(out, m(o.name, "self, *others", setOf(o.op)).Exact())
		}
		names := "__len__ __contains__ __iter__ __repr__ __and__ __or__ __sub__ __xor__ " +
			"__eq__ __ne__ __lt__ __le__ __gt__ __ge__"
		if class == "frozenset" {
			names += " __hash__"
		}
		out = append(out, dunders(value.KSet, class, names)...)
	}
	m := func(name, params string, f value.NativeFunc) *value.Native { return changing(name, params, f).Exact() }
	for _, o := range setOperators {
		out = append(out, m(o.change, "self, *others", setChange(o.op)))
	}
	return append(out,
		m("__init__", "self, iterable=(), /", setInit),
		m("add", "self, object, /", setWith(setAdd)),
		m("discard", "self, object, /", setWith(setDiscard)),
		m("remove", "self, object, /", setWith(setRemove)),
		m("pop", "self, /", setPop),
		m("clear", "self, /", setClear),
		m("symmetric_difference_update", "self, other, /", setChange(syntax.BitXor)).Drain(1),
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

// setWith makes a method of a set and an element.
func setWith(f func(t *value.Thread, s *value.Set, a *value.Args) error) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		s := a.Pos[0].Obj.(*value.Set)
		t.Mark(&s.Shape, a.Pos[0].Label)
		return value.None, f(t, s, a)
	}
}

func setAdd(t *value.Thread, s *value.Set, a *value.Args) error {
	_, err := s.Add(t, a.Pos[1])
	return err
}

func setDiscard(t *value.Thread, s *value.Set, a *value.Args) error {
	_, err := s.Discard(t, a.Pos[1])
	return err
}

func setRemove(t *value.Thread, s *value.Set, a *value.Args) error {
	ok, err := s.Discard(t, a.Pos[1])
	if err == nil && !ok {
		err = t.Missing(a.Pos[0], a.Pos[1], s.Shape)
	}
	return err
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
	t.Lose(s, 0, v)
	s.RemoveAt(i)
	s.Finger = i + 1
	return v.With(t.Join(v.Label, l)), nil
}

func setClear(t *value.Thread, a *value.Args) (value.Value, error) {
	a.Pos[0].Obj.(*value.Set).Clear(t, a.Pos[0].Label)
	return value.None, nil
}

func setCopy(t *value.Thread, a *value.Args) (value.Value, error) {
	if a.Pos[0].Obj.(*value.Set).Frozen {
		return a.Pos[0], nil
	}
	v, err := t.SetOf(syntax.BitOr, a.Pos[0], nil)
	return v.With(a.Pos[0].Label), err
}

// others are the arguments of a method about sets, however it declares them.
func others(a *value.Args) []value.Value {
	if len(a.Pos) > 1 {
		return a.Pos[1:]
	}
	return a.Star
}

func setOf(op syntax.Operator) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) { return t.SetOf(op, a.Pos[0], others(a)) }
}

func setChange(op syntax.Operator) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		return value.None, t.SetChange(op, a.Pos[0], others(a))
	}
}

// setTest compares a set or a view with the elements of any iterable.
func setTest(test func(t *value.Thread, s, o *value.Set) (bool, error)) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		s, err := t.AsSet(a.Pos[0])
		if err != nil {
			return value.Value{}, err
		}
		o, err := t.AsSet(a.Pos[1])
		if err != nil {
			return value.Value{}, err
		}
		ok, err := test(t, s, o)
		return value.Bool(ok), err
	}
}
