package builtin

import "praxis/internal/plan/value"

// unionNatives are the methods of what int | None makes.
func unionNatives() []*value.Native {
	n := func(name, params string, f value.NativeFunc) *value.Native {
		return &value.Native{Name: "UnionType." + name, Params: params, Call: f}
	}
	return []*value.Native{
		n("__or__", "self, value, /", func(t *value.Thread, a *value.Args) (value.Value, error) { return unionOrNot(t, a.Pos[0], a.Pos[1]) }),
		n("__ror__", "self, value, /", func(t *value.Thread, a *value.Args) (value.Value, error) { return unionOrNot(t, a.Pos[1], a.Pos[0]) }),
		n("__repr__", "self, /", unionRepr),
		n("__instancecheck__", "self, instance, /", func(t *value.Thread, a *value.Args) (value.Value, error) {
			ok, err := isAny(t, a.Pos[1], unionTuple(t, a.Pos[0]), 0)
			return value.Bool(ok), err
		}),
		n("__subclasscheck__", "self, cls, /", func(t *value.Thread, a *value.Args) (value.Value, error) {
			c, ok := a.Pos[1].Obj.(*value.Class)
			if !ok {
				return value.Value{}, t.Raise(t.Types.TypeError, "issubclass() arg 1 must be a class")
			}
			ok, err := derivesAny(t, c, unionTuple(t, a.Pos[0]), 0)
			return value.Bool(ok), err
		}),
	}
}

func unionOrNot(t *value.Thread, a, b value.Value) (value.Value, error) {
	for _, v := range [...]value.Value{a, b} {
		_, union := v.Obj.(*value.Union)
		if !union && v.Kind != value.KClass && v.Kind != value.KNone {
			return value.NotImplemented, nil
		}
	}
	return t.Union(a, b)
}

// unionTuple is a tuple of a union's classes, as isinstance takes them.
func unionTuple(t *value.Thread, u value.Value) value.Value {
	return t.Tuple(u.Obj.(*value.Union).Args)
}

func unionRepr(t *value.Thread, a *value.Args) (value.Value, error) {
	out := ""
	for i, c := range a.Pos[0].Obj.(*value.Union).Args {
		if i > 0 {
			out += " | "
		}
		t.See(c.Label)
		if class, ok := c.Obj.(*value.Class); ok {
			out += class.Qual
		} else {
			out += "None"
		}
	}
	return t.NewStr(out)
}
