package value

// Union is what int | None makes; nothing looks at it but isinstance and repr.
type Union struct{ Args []Value }

func (*Union) Class(t *Thread) *Class { return t.Types.Union }

// Alias is what list[int] makes: a class and what its elements are said to be.
type Alias struct {
	Origin *Class
	Args   []Value
}

func (*Alias) Class(t *Thread) *Class { return t.Types.Alias }

// Union is a | b of types: each of them once.
func (t *Thread) Union(a, b Value) (Value, error) {
	var args []Value
	for _, v := range [...]Value{a, b} {
		parts := []Value{v}
		if u, ok := v.Obj.(*Union); ok {
			parts = u.Args
		}
		for _, p := range parts {
			if ok, err := t.containsType(args, p); err != nil {
				return Value{}, err
			} else if !ok {
				args = append(args, p)
			}
		}
	}
	if len(args) == 1 {
		return args[0], nil
	}
	return Value{Kind: KSpecial, Obj: &Union{args}}, t.Alloc(int64(len(args)) * ValueBytes)
}

func (t *Thread) containsType(args []Value, v Value) (bool, error) {
	for _, x := range args {
		if ok, err := t.SameType(x, v); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// SameType reports whether two types that were written are one.
func (t *Thread) SameType(a, b Value) (bool, error) {
	if err := t.Step(1); err != nil {
		return false, err
	}
	if err := t.Enter(" in comparison"); err != nil {
		return false, err
	}
	defer t.Leave()
	switch x := a.Obj.(type) {
	case *Alias:
		y, ok := b.Obj.(*Alias)
		if !ok || x.Origin != y.Origin || len(x.Args) != len(y.Args) {
			return false, nil
		}
		for i := range x.Args {
			if ok, err := t.SameType(x.Args[i], y.Args[i]); !ok || err != nil {
				return false, err
			}
		}
		return true, nil
	case *Union:
		y, ok := b.Obj.(*Union)
		if !ok || len(x.Args) != len(y.Args) {
			return false, nil
		}
		for _, v := range x.Args {
			if ok, err := t.containsType(y.Args, v); !ok || err != nil {
				return false, err
			}
		}
		return true, nil
	case *Str:
		y, ok := b.Obj.(*Str)
		return ok && x.Text == y.Text, nil
	}
	return Is(a, b), nil
}
