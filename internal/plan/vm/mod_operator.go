package vm

import "praxis/internal/plan/syntax"

// operatorNatives are the functions of module operator that are operators.
func operatorNatives() []*Native {
	var out []*Native
	two := func(name string, f func(t *Thread, a, b Value) (Value, error)) {
		out = append(out, &Native{name: "operator." + name, params: "a, b, /", precise: true, call: func(t *Thread, a *Args) (Value, error) {
			return f(t, a.Pos[0], a.Pos[1])
		}})
	}
	for op, name := range map[syntax.Operator]string{
		syntax.Add: "add", syntax.Sub: "sub", syntax.Mult: "mul", syntax.Div: "truediv", syntax.FloorDiv: "floordiv", syntax.Mod: "mod",
		syntax.Pow: "pow", syntax.LShift: "lshift", syntax.RShift: "rshift", syntax.BitOr: "or_", syntax.BitXor: "xor", syntax.BitAnd: "and_",
		syntax.MatMult: "matmul",
	} {
		two(name, func(t *Thread, a, b Value) (Value, error) { return t.binary(op, a, b) })
	}
	for op, name := range map[syntax.CmpOperator]string{
		syntax.Eq: "eq", syntax.NotEq: "ne", syntax.Lt: "lt", syntax.LtE: "le", syntax.Gt: "gt", syntax.GtE: "ge",
	} {
		two(name, func(t *Thread, a, b Value) (Value, error) { return t.compare(op, a, b) })
	}
	two("getitem", func(t *Thread, a, b Value) (Value, error) { return t.getItem(a, b) })
	for op, names := range map[syntax.UnaryOperator][]string{syntax.USub: {"neg"}, syntax.UAdd: {"pos"}, syntax.Invert: {"inv", "invert"}} {
		for _, name := range names {
			out = append(out, &Native{name: "operator." + name, params: "a, /", precise: true, call: func(t *Thread, a *Args) (Value, error) {
				return t.unary(op, a.Pos[0])
			}})
		}
	}
	return append(out, &Native{name: "operator.abs", params: "a, /", call: func(t *Thread, a *Args) (Value, error) { return t.abs(a.Pos[0]) }})
}

// copyNatives are what module copy cannot do in the plan language.
func copyNatives() []*Native {
	return []*Native{
		{name: "copy._is_instance", params: "x, /", call: func(t *Thread, a *Args) (Value, error) {
			return boolValue(instance(a.Pos[0]) != nil), nil
		}},
		{name: "copy._shell", params: "x, /", call: copyShell, precise: true},
		{name: "copy._attrs", params: "x, /", call: func(t *Thread, a *Args) (Value, error) {
			i := instance(a.Pos[0])
			if i == nil {
				return t.newDict(), nil
			}
			return t.attrsDict(&i.attrs).with(a.Pos[0].l), t.alloc(int64(len(i.attrs.entries)) * entryBytes)
		}, precise: true},
		{name: "copy._set", params: "x, name, value, /", call: func(t *Thread, a *Args) (Value, error) {
			if i := instance(a.Pos[0]); i != nil {
				i.attrs.setStr(t, a.Pos[1].o.(*Str).s, t.under(a.Pos[2]))
			}
			return none, t.alloc(entryBytes)
		}, precise: true},
	}
}

// copyShell makes an instance of the same class without attributes and elements.
func copyShell(t *Thread, a *Args) (Value, error) {
	v := a.Pos[0]
	if err := t.alloc(instanceBytes); err != nil {
		return Value{}, err
	}
	switch o := v.o.(type) {
	case *Exception:
		e := t.newException(o.cls, nil)
		e.args = o.args
		v.o = e
		return v, nil
	case *Instance:
		i := &Instance{cls: o.cls, base: o.base}
		switch o.base.k {
		case kList:
			i.base = t.list(nil)
		case kDict:
			i.base = t.newDict()
		case kSet:
			if !o.base.o.(*Set).frozen {
				i.base = t.newSet(false)
			}
		}
		v.o = i
		return v, nil
	}
	return v, nil
}
