package vm

// Union is what int | None makes; nothing looks at it but isinstance and repr.
type Union struct{ args []Value }

func (*Union) class(t *Thread) *Class { return t.types.Union }

// Alias is what list[int] makes: a class and what its elements are said to be.
type Alias struct {
	origin *Class
	args   []Value
}

func (*Alias) class(t *Thread) *Class { return t.types.Alias }

// aliasNatives are the methods of unions and aliases of classes.
func aliasNatives() []*Native {
	var out []*Native
	for _, class := range [...]string{"UnionType", "GenericAlias"} {
		n := func(name, params string, f nativeFunc) {
			out = append(out, &Native{name: class + "." + name, params: params, call: f})
		}
		n("__or__", "self, value, /", func(t *Thread, a *Args) (Value, error) { return t.unionOrNot(a.Pos[0], a.Pos[1]) })
		n("__ror__", "self, value, /", func(t *Thread, a *Args) (Value, error) { return t.unionOrNot(a.Pos[1], a.Pos[0]) })
		n("__repr__", "self, /", func(t *Thread, a *Args) (Value, error) {
			s, err := t.typeRepr(a.Pos[0])
			return t.str(s), err
		})
		n("__eq__", "self, value, /", aliasEq)
		n("__hash__", "self, /", aliasHash)
		n("__instancecheck__", "self, instance, /", aliasInstanceCheck)
		n("__subclasscheck__", "self, cls, /", aliasSubclassCheck)
	}
	return append(out, &Native{name: "GenericAlias.__call__", params: "", call: func(t *Thread, a *Args) (Value, error) {
		return t.tailCall(Value{k: kClass, o: a.Pos[0].o.(*Alias).origin}, a.Pos[1:], a.Names, a.Named)
	}})
}

// isTypeLike reports whether v can be part of a union.
func isTypeLike(v Value) bool {
	switch v.o.(type) {
	case *Class, *Union, *Alias:
		return true
	}
	return v.k == kNone
}

func (t *Thread) unionOrNot(a, b Value) (Value, error) {
	if !isTypeLike(a) || !isTypeLike(b) {
		return notImplemented, nil
	}
	return t.union(a, b)
}

// union is a | b of types: each of them once.
func (t *Thread) union(a, b Value) (Value, error) {
	var args []Value
	for _, v := range [...]Value{a, b} {
		parts := []Value{v}
		if u, ok := v.o.(*Union); ok {
			parts = u.args
		}
		for _, p := range parts {
			if ok, err := t.holdsType(args, p); err != nil {
				return Value{}, err
			} else if !ok {
				args = append(args, p)
			}
		}
	}
	if len(args) == 1 {
		return args[0], nil
	}
	return Value{k: kSpecial, o: &Union{args}}, t.alloc(int64(len(args)) * valueBytes)
}

func (t *Thread) holdsType(args []Value, v Value) (bool, error) {
	for _, x := range args {
		if ok, err := t.sameType(x, v); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// sameType reports whether two types that were written are one.
func (t *Thread) sameType(a, b Value) (bool, error) {
	if err := t.step(1); err != nil {
		return false, err
	}
	if err := t.enter(" in comparison"); err != nil {
		return false, err
	}
	defer t.leave()
	switch x := a.o.(type) {
	case *Alias:
		y, ok := b.o.(*Alias)
		if !ok || x.origin != y.origin || len(x.args) != len(y.args) {
			return false, nil
		}
		for i := range x.args {
			if ok, err := t.sameType(x.args[i], y.args[i]); !ok || err != nil {
				return false, err
			}
		}
		return true, nil
	case *Union:
		y, ok := b.o.(*Union)
		if !ok || len(x.args) != len(y.args) {
			return false, nil
		}
		for _, v := range x.args {
			if ok, err := t.holdsType(y.args, v); !ok || err != nil {
				return false, err
			}
		}
		return true, nil
	case *Str:
		y, ok := b.o.(*Str)
		return ok && x.s == y.s, nil
	}
	return same(a, b), nil
}

// typeRepr writes a type as annotations have it.
func (t *Thread) typeRepr(v Value) (string, error) {
	t.see(v.l)
	if err := t.step(1); err != nil {
		return "", err
	}
	if err := t.enter(" while getting the repr of an object"); err != nil {
		return "", err
	}
	defer t.leave()
	var args []Value
	out, sep, end := "", " | ", ""
	switch o := v.o.(type) {
	case *Class:
		if o.module != "" && o.module != "builtins" {
			return o.module + "." + o.qual, nil
		}
		return o.qual, nil
	case *Union:
		args = o.args
	case *Alias:
		name, _ := t.typeRepr(Value{k: kClass, o: o.origin})
		if args = o.args; len(args) == 0 {
			return name + "[()]", nil
		}
		out, sep, end = name+"[", ", ", "]"
	case *List: // of the parameters of a callable
		args = o.items
		out, sep, end = "[", ", ", "]"
	default:
		if v.k == kEllipsis {
			return "...", nil
		}
		return t.repr(v)
	}
	for i, x := range args {
		if i > 0 {
			out += sep
		}
		s, err := t.typeRepr(x)
		if err != nil {
			return "", err
		}
		out += s
	}
	return out + end, t.alloc(int64(len(out)))
}

func aliasEq(t *Thread, a *Args) (Value, error) {
	if t.classOf(a.Pos[0]) != t.classOf(a.Pos[1]) {
		return notImplemented, nil
	}
	ok, err := t.sameType(a.Pos[0], a.Pos[1])
	return boolValue(ok), err
}

func aliasHash(t *Thread, a *Args) (Value, error) {
	h := uint64(0)
	args := []Value(nil)
	switch o := a.Pos[0].o.(type) {
	case *Union:
		args = o.args
	case *Alias:
		args = o.args
		h = t.identity(Value{k: kClass, o: o.origin})
	}
	for _, x := range args {
		n, err := t.hash(x)
		if err != nil {
			return Value{}, err
		}
		h ^= n // the order of a union does not matter
	}
	return intValue(int64(h)), nil
}

func aliasInstanceCheck(t *Thread, a *Args) (Value, error) {
	u, ok := a.Pos[0].o.(*Union)
	if !ok {
		return Value{}, t.raise(t.types.TypeError, "isinstance() argument 2 cannot be a parameterized generic")
	}
	for _, x := range u.args {
		switch o := x.o.(type) {
		case *Class:
			if t.isInstance(a.Pos[1], o) {
				return boolValue(true), nil
			}
		case *Alias:
			return Value{}, t.raise(t.types.TypeError, "isinstance() argument 2 cannot be a parameterized generic")
		default:
			if x.k == kNone && a.Pos[1].k == kNone {
				return boolValue(true), nil
			}
		}
	}
	return boolValue(false), nil
}

func aliasSubclassCheck(t *Thread, a *Args) (Value, error) {
	u, ok := a.Pos[0].o.(*Union)
	if !ok {
		return Value{}, t.raise(t.types.TypeError, "issubclass() argument 2 cannot be a parameterized generic")
	}
	c, ok := a.Pos[1].o.(*Class)
	if !ok {
		return Value{}, t.raise(t.types.TypeError, "issubclass() arg 1 must be a class")
	}
	for _, x := range u.args {
		if o, ok := x.o.(*Class); ok && c.derives(o) {
			return boolValue(true), nil
		}
	}
	return boolValue(false), nil
}
