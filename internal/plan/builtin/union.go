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
		n("__instancecheck__", "self, instance, /", unionCheck(false)),
		n("__subclasscheck__", "self, cls, /", unionCheck(true)),
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

// unionCheck is isinstance or issubclass of any class of a union.
func unionCheck(sub bool) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		ok, err := isAny(t, sub, a.Pos[1], t.Tuple(a.Pos[0].Obj.(*value.Union).Args), 0)
		return value.Bool(ok), err
	}
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
