package native

import (
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// operatorNatives are the functions of module operator that are operators.
func operatorNatives() []*value.Native {
	var out []*value.Native
	two := func(name string, f func(t *value.Thread, a, b value.Value) (value.Value, error)) {
		out = append(out, &value.Native{Name: "operator." + name, Params: "a, b, /", Precise: true, Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			return f(t, a.Pos[0], a.Pos[1])
		}})
	}
	for op, name := range map[syntax.Operator]string{
		syntax.Add: "add", syntax.Sub: "sub", syntax.Mult: "mul", syntax.Div: "truediv", syntax.FloorDiv: "floordiv", syntax.Mod: "mod",
		syntax.Pow: "pow", syntax.LShift: "lshift", syntax.RShift: "rshift", syntax.BitOr: "or_", syntax.BitXor: "xor", syntax.BitAnd: "and_",
		syntax.MatMult: "matmul",
	} {
		two(name, func(t *value.Thread, a, b value.Value) (value.Value, error) { return t.Binary(op, a, b) })
	}
	for op, name := range map[syntax.CmpOperator]string{
		syntax.Eq: "eq", syntax.NotEq: "ne", syntax.Lt: "lt", syntax.LtE: "le", syntax.Gt: "gt", syntax.GtE: "ge",
	} {
		two(name, func(t *value.Thread, a, b value.Value) (value.Value, error) { return t.Compare(op, a, b) })
	}
	two("getitem", func(t *value.Thread, a, b value.Value) (value.Value, error) { return t.GetItem(a, b) })
	for op, names := range map[syntax.UnaryOperator][]string{syntax.USub: {"neg"}, syntax.UAdd: {"pos"}, syntax.Invert: {"inv", "invert"}} {
		for _, name := range names {
			out = append(out, &value.Native{Name: "operator." + name, Params: "a, /", Precise: true, Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
				return t.Unary(op, a.Pos[0])
			}})
		}
	}
	return append(out, &value.Native{Name: "operator.abs", Params: "a, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) { return t.Abs(a.Pos[0]) }})
}

// copyNatives are what module copy cannot do in the plan language.
func copyNatives() []*value.Native {
	return []*value.Native{
		{Name: "copy._is_instance", Params: "x, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			return value.Bool(value.InstanceOf(a.Pos[0]) != nil), nil
		}},
		{Name: "copy._shell", Params: "x, /", Call: copyShell, Precise: true},
		{Name: "copy._attrs", Params: "x, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			i := value.InstanceOf(a.Pos[0])
			if i == nil {
				return t.NewDict(), nil
			}
			return t.AttrsDict(&i.Attrs).With(a.Pos[0].Label), t.Alloc(int64(len(i.Attrs.Entries)) * value.EntryBytes)
		}, Precise: true},
		{Name: "copy._set", Params: "x, name, value, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			if i := value.InstanceOf(a.Pos[0]); i != nil {
				i.Attrs.SetStr(t, a.Pos[1].Obj.(*value.Str).Text, t.Under(a.Pos[2]))
			}
			return value.None, t.Alloc(value.EntryBytes)
		}, Precise: true},
	}
}

// copyShell makes an instance of the same class without attributes and elements.
func copyShell(t *value.Thread, a *value.Args) (value.Value, error) {
	v := a.Pos[0]
	if err := t.Alloc(value.InstanceBytes); err != nil {
		return value.Value{}, err
	}
	switch o := v.Obj.(type) {
	case *value.Exception:
		e := t.NewException(o.Cls, nil)
		e.Args = o.Args
		v.Obj = e
		return v, nil
	case *value.Instance:
		i := &value.Instance{Cls: o.Cls, Base: o.Base}
		switch o.Base.Kind {
		case value.KList:
			i.Base = t.List(nil)
		case value.KDict:
			i.Base = t.NewDict()
		case value.KSet:
			if !o.Base.Obj.(*value.Set).Frozen {
				i.Base = t.NewSet(false)
			}
		}
		v.Obj = i
		return v, nil
	}
	return v, nil
}
