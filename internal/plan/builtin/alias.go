package builtin

import "praxis/internal/plan/value"

// aliasNatives are the methods of unions and aliases of classes.
func aliasNatives() []*value.Native {
	var out []*value.Native
	for _, class := range [...]string{"UnionType", "GenericAlias"} {
		n := func(name, params string, f value.NativeFunc) {
			out = append(out, &value.Native{Name: class + "." + name, Params: params, Call: f})
		}
		n("__or__", "self, value, /", func(t *value.Thread, a *value.Args) (value.Value, error) { return unionOrNot(t, a.Pos[0], a.Pos[1]) })
		n("__ror__", "self, value, /", func(t *value.Thread, a *value.Args) (value.Value, error) { return unionOrNot(t, a.Pos[1], a.Pos[0]) })
		n("__repr__", "self, /", func(t *value.Thread, a *value.Args) (value.Value, error) {
			s, err := typeRepr(t, a.Pos[0])
			return t.Str(s), err
		})
		n("__eq__", "self, value, /", aliasEq)
		n("__hash__", "self, /", aliasHash)
		n("__instancecheck__", "self, instance, /", aliasInstanceCheck)
		n("__subclasscheck__", "self, cls, /", aliasSubclassCheck)
	}
	return append(out, &value.Native{Name: "GenericAlias.__call__", Params: "", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
		return t.TailCall(value.Value{Kind: value.KClass, Obj: a.Pos[0].Obj.(*value.Alias).Origin}, a.Pos[1:], a.Names, a.Named)
	}})
}

// isTypeLike reports whether v can be part of a union.
func isTypeLike(v value.Value) bool {
	switch v.Obj.(type) {
	case *value.Class, *value.Union, *value.Alias:
		return true
	}
	return v.Kind == value.KNone
}

func unionOrNot(t *value.Thread, a, b value.Value) (value.Value, error) {
	if !isTypeLike(a) || !isTypeLike(b) {
		return value.NotImplemented, nil
	}
	return t.Union(a, b)
}

// typeRepr writes a type as annotations have it.
func typeRepr(t *value.Thread, v value.Value) (string, error) {
	t.See(v.Label)
	if err := t.Step(1); err != nil {
		return "", err
	}
	if err := t.Enter(" while getting the repr of an object"); err != nil {
		return "", err
	}
	defer t.Leave()
	var args []value.Value
	out, sep, end := "", " | ", ""
	switch o := v.Obj.(type) {
	case *value.Class:
		if o.Module != "" && o.Module != "builtins" {
			return o.Module + "." + o.Qual, nil
		}
		return o.Qual, nil
	case *value.Union:
		args = o.Args
	case *value.Alias:
		name, _ := typeRepr(t, value.Value{Kind: value.KClass, Obj: o.Origin})
		if args = o.Args; len(args) == 0 {
			return name + "[()]", nil
		}
		out, sep, end = name+"[", ", ", "]"
	case *value.List: // of the parameters of a callable
		args = o.Items
		out, sep, end = "[", ", ", "]"
	default:
		if v.Kind == value.KEllipsis {
			return "...", nil
		}
		return t.Repr(v)
	}
	for i, x := range args {
		if i > 0 {
			out += sep
		}
		s, err := typeRepr(t, x)
		if err != nil {
			return "", err
		}
		out += s
	}
	return out + end, t.Alloc(int64(len(out)))
}

func aliasEq(t *value.Thread, a *value.Args) (value.Value, error) {
	if t.ClassOf(a.Pos[0]) != t.ClassOf(a.Pos[1]) {
		return value.NotImplemented, nil
	}
	ok, err := t.SameType(a.Pos[0], a.Pos[1])
	return value.Bool(ok), err
}

func aliasHash(t *value.Thread, a *value.Args) (value.Value, error) {
	h := uint64(0)
	args := []value.Value(nil)
	switch o := a.Pos[0].Obj.(type) {
	case *value.Union:
		args = o.Args
	case *value.Alias:
		args = o.Args
		h = t.Identity(value.Value{Kind: value.KClass, Obj: o.Origin})
	}
	for _, x := range args {
		n, err := t.Hash(x)
		if err != nil {
			return value.Value{}, err
		}
		h ^= n // the order of a union does not matter
	}
	return value.Int(int64(h)), nil
}

func aliasInstanceCheck(t *value.Thread, a *value.Args) (value.Value, error) {
	u, ok := a.Pos[0].Obj.(*value.Union)
	if !ok {
		return value.Value{}, t.Raise(t.Types.TypeError, "isinstance() argument 2 cannot be a parameterized generic")
	}
	for _, x := range u.Args {
		switch o := x.Obj.(type) {
		case *value.Class:
			if t.IsInstance(a.Pos[1], o) {
				return value.Bool(true), nil
			}
		case *value.Alias:
			return value.Value{}, t.Raise(t.Types.TypeError, "isinstance() argument 2 cannot be a parameterized generic")
		default:
			if x.Kind == value.KNone && a.Pos[1].Kind == value.KNone {
				return value.Bool(true), nil
			}
		}
	}
	return value.Bool(false), nil
}

func aliasSubclassCheck(t *value.Thread, a *value.Args) (value.Value, error) {
	u, ok := a.Pos[0].Obj.(*value.Union)
	if !ok {
		return value.Value{}, t.Raise(t.Types.TypeError, "issubclass() argument 2 cannot be a parameterized generic")
	}
	c, ok := a.Pos[1].Obj.(*value.Class)
	if !ok {
		return value.Value{}, t.Raise(t.Types.TypeError, "issubclass() arg 1 must be a class")
	}
	for _, x := range u.Args {
		if o, ok := x.Obj.(*value.Class); ok && c.Derives(o) {
			return value.Bool(true), nil
		}
	}
	return value.Bool(false), nil
}
