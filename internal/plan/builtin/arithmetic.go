package builtin

import (
	"math/big"

	"praxis/internal/plan/label"
	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// numberBuiltins are the built-in functions that compute.
func numberBuiltins() []*value.Native {
	return []*value.Native{
		{Name: "abs", Params: "x, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) { return t.Abs(a.Pos[0]) }},
		{Name: "divmod", Params: "x, y, /", Call: builtinDivmod},
		{Name: "pow", Params: "base, exp, mod=None", Call: builtinPow},
		{Name: "round", Params: "number, ndigits=None", Call: builtinRound},
		(&value.Native{Name: "sum", Params: "iterable, /, start=0", Call: builtinSum, Precise: true}).Drain(0),
		{Name: "min", Params: "", Call: extremeNative("min", -1), Precise: true},
		{Name: "max", Params: "", Call: extremeNative("max", 1), Precise: true},
		{Name: "_place", Params: "keys, sign, /", Call: builtinPlace},
		{Name: "hash", Params: "obj, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			h, err := t.Hash(a.Pos[0])
			return value.Int(int64(h)), err
		}},
		{Name: "id", Params: "obj, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			return value.Int(int64(t.Identity(a.Pos[0]))), nil
		}},
		{Name: "len", Params: "obj, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			n, err := t.Length(a.Pos[0])
			return value.Int(int64(n)), err
		}},
	}
}

func builtinDivmod(t *value.Thread, a *value.Args) (value.Value, error) {
	x, y := a.Pos[0], a.Pos[1]
	_, left := t.Override(x, "__divmod__")
	_, right := t.Override(y, "__rdivmod__")
	if !left && !right {
		if v, err := divmod(t, x, y); err != nil || v.Kind != value.KNotImplemented {
			return v, err
		}
	}
	if left {
		if v, ok, err := t.TryOperator(x, "__divmod__", y); ok || err != nil {
			return v, err
		}
	}
	if right {
		if v, ok, err := t.TryOperator(y, "__rdivmod__", x); ok || err != nil {
			return v, err
		}
	}
	return value.Value{}, t.Raise(t.Types.TypeError, "unsupported operand type(s) for divmod(): '%s' and '%s'", t.ClassName(x), t.ClassName(y))
}

func builtinPow(t *value.Thread, a *value.Args) (value.Value, error) {
	x, y, z := a.Pos[0], a.Pos[1], a.Pos[2]
	if !value.Given(z) {
		return t.Binary(syntax.Pow, x, y)
	}
	if _, ok := t.Override(x, "__pow__"); ok {
		v, _, err := t.CallSpecial(x, "__pow__", y, z)
		if err != nil || v.Kind != value.KNotImplemented {
			return v, err
		}
	}
	bx, by, bz := t.Base(x), t.Base(y), t.Base(z)
	if value.IsInt(bx) && value.IsInt(by) && value.IsInt(bz) {
		return t.PowMod(bx, by, bz)
	}
	if (value.IsInt(bx) || bx.Kind == value.KFloat) && (value.IsInt(by) || by.Kind == value.KFloat) && (value.IsInt(bz) || bz.Kind == value.KFloat) {
		return value.Value{}, t.Raise(t.Types.TypeError, "pow() 3rd argument not allowed unless all arguments are integers")
	}
	return value.Value{}, t.Raise(t.Types.TypeError, "unsupported operand type(s) for ** or pow(): '%s', '%s', '%s'",
		t.ClassName(x), t.ClassName(y), t.ClassName(z))
}

func builtinRound(t *value.Thread, a *value.Args) (value.Value, error) {
	v := t.Base(a.Pos[0])
	if _, ok := t.Override(a.Pos[0], "__round__"); ok {
		v = a.Pos[0]
	}
	args := &value.Args{Pos: []value.Value{v, a.Pos[1]}}
	switch {
	case value.IsInt(v):
		return intRound(t, args)
	case v.Kind == value.KFloat:
		return floatRound(t, args)
	}
	fn, ok := t.LookupSpecial(v, "__round__")
	if !ok {
		return value.Value{}, t.Raise(t.Types.TypeError, "type %s doesn't define __round__ method", t.ClassName(v))
	}
	if value.Given(a.Pos[1]) {
		return t.TailCall(fn, a.Pos[1:2], nil, nil)
	}
	return t.TailCall(fn, nil, nil, nil)
}

// builtinSum adds up: ints exactly, floats with what the additions lose beside them.
func builtinSum(t *value.Thread, a *value.Args) (value.Value, error) {
	start := a.Pos[1]
	l := start.Label
	if start.Kind == value.KUnset {
		start = value.Int(0)
	}
	switch t.Base(start).Kind {
	case value.KStr:
		return value.Value{}, t.FailAt(l, t.Types.TypeError, "sum() can't sum strings [use ''.join(seq) instead]")
	case value.KBytes:
		return value.Value{}, t.FailAt(l, t.Types.TypeError, "sum() can't sum bytes [use b''.join(seq) instead]")
	}
	seen := t.Seen
	t.Seen = 0
	items, err := t.Collect(a.Pos[0])
	if err != nil {
		return value.Value{}, err
	}
	l = t.Join(l, t.Seen)
	t.Seen = seen
	if err := t.Step(int64(len(items)) / 4); err != nil {
		return value.Value{}, err
	}
	if len(items) == 0 {
		return start.With(t.Join(start.Label, l)), nil
	}
	total, rest, err := sumNumbers(t, start, items, &l)
	if err != nil {
		return value.Value{}, err
	}
	if len(rest) > 0 {
		return sumRest(t, rest, total, l)
	}
	return total.With(t.Join(total.Label, l)), nil
}

// sumNumbers adds up the ints and floats at the front of items and returns the rest.
func sumNumbers(t *value.Thread, total value.Value, items []value.Value, l *label.ID) (value.Value, []value.Value, error) {
	i := 0
	if value.IsInt(total) && total.Kind != value.KBig {
		n := total.N
		for i < len(items) && (items[i].Kind == value.KInt || items[i].Kind == value.KBool) {
			s := n + items[i].N
			if (s > n) != (items[i].N > 0) && items[i].N != 0 {
				break
			}
			n = s
			if items[i].Label != 0 {
				*l = t.Join(*l, items[i].Label)
			}
			i++
		}
		total = value.Int(n)
	}
	if i < len(items) && value.IsInt(items[i]) && value.IsInt(total) {
		n := new(big.Int).Set(value.ToBig(total))
		for ; i < len(items) && value.IsInt(items[i]); i++ {
			*l = t.Join(*l, items[i].Label)
			n.Add(n, value.ToBig(items[i]))
			if err := t.Step(int64(n.BitLen()) / 4096); err != nil {
				return value.Value{}, nil, err
			}
		}
		var err error
		if total, err = t.Big(n); err != nil {
			return value.Value{}, nil, err
		}
	}
	if i == len(items) {
		return total, nil, nil
	}
	if total.Kind != value.KFloat {
		if !value.IsInt(total) || items[i].Kind != value.KFloat {
			return total, items[i:], nil
		}
		v, err := t.Binary(syntax.Add, total, items[i])
		if err != nil {
			return value.Value{}, nil, err
		}
		*l = t.Join(*l, items[i].Label)
		total = v
		i++
	}
	var s pytext.Sum
	s.Add(total.Float())
	for ; i < len(items); i++ {
		x := items[i]
		switch x.Kind {
		case value.KFloat:
			s.Add(x.Float())
		case value.KInt, value.KBool, value.KBig:
			f, err := t.ToFloat(x)
			if err != nil {
				return value.Value{}, nil, err
			}
			s.Add(f)
		default:
			return value.Float(s.Total()), items[i:], nil
		}
		*l = t.Join(*l, x.Label)
	}
	return value.Float(s.Total()), nil, nil
}

// sumRest adds up anything: in Go where no class of the program has a say.
func sumRest(t *value.Thread, items []value.Value, total value.Value, l label.ID) (value.Value, error) {
	total.Label = t.Join(total.Label, l)
	for i := range items {
		if items[i].Kind == value.KObject || total.Kind == value.KObject {
			return tailBuiltin(t, "_sum", t.List(append([]value.Value(nil), items[i:]...)).With(l), total)
		}
		v, err := t.Binary(syntax.Add, total, items[i])
		if err != nil {
			return value.Value{}, err
		}
		if err := t.Step(1); err != nil {
			return value.Value{}, err
		}
		total = v
	}
	return total, nil
}

// extreme are the arguments of min and max.
type extreme struct {
	name       string
	sign       int
	key, other value.Value // other is the default
	items      []value.Value
	l          label.ID // of the choice
}

func extremeNative(name string, sign int) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		if len(a.Pos) == 1 && t.Foreign(a.Pos[0]) {
			return redo(t, name, a)
		}
		e := extreme{name: name, sign: sign}
		if err := e.read(t, a); err != nil {
			return value.Value{}, err
		}
		if len(e.items) == 0 {
			if e.other.Kind == value.KUnset {
				return value.Value{}, t.FailAt(e.l, t.Types.ValueError, "%s() iterable argument is empty", name)
			}
			return e.other.With(t.Join(e.other.Label, e.l)), nil
		}
		keys := e.items
		if value.Given(e.key) {
			if e.key.Kind != value.KNative {
				return tailBuiltin(t, "_extreme", t.List(e.items).With(e.l), e.key, value.Int(int64(sign)))
			}
			keys = make([]value.Value, len(e.items))
			for i, x := range e.items {
				k, err := t.Call(e.key, []value.Value{x}, nil, nil)
				if err != nil {
					return value.Value{}, err
				}
				keys[i] = k.With(t.Join(k.Label, e.key.Label))
			}
		}
		i, err := placeAmong(t, keys, sign, &e.l)
		if err != nil {
			return value.Value{}, err
		}
		v := e.items[i]
		return v.With(t.Join(v.Label, e.l)), nil
	}
}

// redo calls a native again with a list of what its only positional argument gives.
func redo(t *value.Thread, name string, a *value.Args) (value.Value, error) {
	kw := &value.Dict{}
	for i, n := range a.Names {
		kw.SetName(t.Intern(n), a.Named[i])
	}
	return tailBuiltin(t, "_redo", value.Value{Kind: value.KNative, Obj: t.Natives[name]}, a.Pos[0], value.Value{Kind: value.KDict, Obj: kw})
}

func (e *extreme) read(t *value.Thread, a *value.Args) error {
	for i, name := range a.Names {
		switch name {
		case "key":
			e.key = a.Named[i]
		case "default":
			e.other = a.Named[i]
		default:
			return t.Raise(t.Types.TypeError, "%s() got an unexpected keyword argument '%s'", e.name, name)
		}
	}
	switch len(a.Pos) {
	case 0:
		return t.Raise(t.Types.TypeError, "%s expected at least 1 argument, got 0", e.name)
	case 1:
		seen := t.Seen
		t.Seen = 0
		items, err := t.Collect(a.Pos[0])
		if err != nil {
			return err
		}
		e.items, e.l = items, t.Seen
		t.Seen = seen
	default:
		if e.other.Kind != value.KUnset {
			return t.Raise(t.Types.TypeError, "Cannot specify a default for %s() with multiple positional arguments", e.name)
		}
		e.items = append([]value.Value(nil), a.Pos...)
	}
	return t.Step(int64(len(e.items)) / 2)
}

// placeAmong returns the index of the first of the least or greatest; l gets what was compared.
func placeAmong(t *value.Thread, keys []value.Value, sign int, l *label.ID) (int, error) {
	best := 0
	seen := t.Seen
	t.Seen = *l
	defer func() { *l, t.Seen = t.Seen, seen }()
	for i := 1; i < len(keys); i++ {
		a, b := keys[i], keys[best]
		var less bool
		if a.Kind == value.KInt && b.Kind == value.KInt {
			t.See(t.Join(a.Label, b.Label))
			less = sign < 0 && a.N < b.N || sign > 0 && a.N > b.N
		} else {
			op := syntax.Lt
			if sign > 0 {
				op = syntax.Gt
			}
			v, err := t.Compare(op, a, b)
			if err == nil {
				less, err = t.Truth(v)
			}
			if err != nil {
				return 0, err
			}
		}
		if less {
			best = i
		}
	}
	return best, nil
}

// builtinPlace is place for the library.
func builtinPlace(t *value.Thread, a *value.Args) (value.Value, error) {
	keys, err := t.Collect(a.Pos[0])
	if err != nil {
		return value.Value{}, err
	}
	l := label.ID(0)
	i, err := placeAmong(t, keys, int(a.Pos[1].N), &l)
	t.See(l)
	return value.Int(int64(i)), err
}

// argName is what messages about arguments call the class of v.
func argName(t *value.Thread, v value.Value) string {
	if v.Kind == value.KNone {
		return "None"
	}
	return t.ClassName(v)
}
