package vm

import (
	"math/big"

	"praxis/internal/plan/label"
	"praxis/internal/plan/pytext"
	"praxis/internal/plan/syntax"
)

// numberBuiltins are the built-in functions that compute.
func numberBuiltins() []*Native {
	return []*Native{
		{name: "abs", params: "x, /", call: func(t *Thread, a *Args) (Value, error) { return t.abs(a.Pos[0]) }},
		{name: "divmod", params: "x, y, /", call: builtinDivmod},
		{name: "pow", params: "base, exp, mod=None", call: builtinPow},
		{name: "round", params: "number, ndigits=None", call: builtinRound},
		(&Native{name: "sum", params: "iterable, /, start=0", call: builtinSum, precise: true}).drain(0),
		{name: "min", params: "", call: extremeNative("min", -1), precise: true},
		{name: "max", params: "", call: extremeNative("max", 1), precise: true},
		{name: "_place", params: "keys, sign, /", call: builtinPlace},
		{name: "hash", params: "obj, /", call: func(t *Thread, a *Args) (Value, error) {
			h, err := t.hash(a.Pos[0])
			return intValue(int64(h)), err
		}},
		{name: "id", params: "obj, /", call: func(t *Thread, a *Args) (Value, error) {
			return intValue(int64(t.identity(a.Pos[0]))), nil
		}},
		{name: "len", params: "obj, /", call: func(t *Thread, a *Args) (Value, error) {
			n, err := t.length(a.Pos[0])
			return intValue(int64(n)), err
		}},
	}
}

func builtinDivmod(t *Thread, a *Args) (Value, error) {
	x, y := a.Pos[0], a.Pos[1]
	_, left := t.override(x, "__divmod__")
	_, right := t.override(y, "__rdivmod__")
	if !left && !right {
		if v, err := t.divmod(x, y); err != nil || v.k != kNotImplemented {
			return v, err
		}
	}
	if left {
		if v, ok, err := t.tryOperator(x, "__divmod__", y); ok || err != nil {
			return v, err
		}
	}
	if right {
		if v, ok, err := t.tryOperator(y, "__rdivmod__", x); ok || err != nil {
			return v, err
		}
	}
	return Value{}, t.raise(t.types.TypeError, "unsupported operand type(s) for divmod(): '%s' and '%s'", t.className(x), t.className(y))
}

func builtinPow(t *Thread, a *Args) (Value, error) {
	x, y, z := a.Pos[0], a.Pos[1], a.Pos[2]
	if !given(z) {
		return t.binary(syntax.Pow, x, y)
	}
	if _, ok := t.override(x, "__pow__"); ok {
		v, _, err := t.callSpecial(x, "__pow__", y, z)
		if err != nil || v.k != kNotImplemented {
			return v, err
		}
	}
	bx, by, bz := t.base(x), t.base(y), t.base(z)
	if isInt(bx) && isInt(by) && isInt(bz) {
		return t.powMod(bx, by, bz)
	}
	if (isInt(bx) || bx.k == kFloat) && (isInt(by) || by.k == kFloat) && (isInt(bz) || bz.k == kFloat) {
		return Value{}, t.raise(t.types.TypeError, "pow() 3rd argument not allowed unless all arguments are integers")
	}
	return Value{}, t.raise(t.types.TypeError, "unsupported operand type(s) for ** or pow(): '%s', '%s', '%s'",
		t.className(x), t.className(y), t.className(z))
}

func builtinRound(t *Thread, a *Args) (Value, error) {
	v := t.base(a.Pos[0])
	if _, ok := t.override(a.Pos[0], "__round__"); ok {
		v = a.Pos[0]
	}
	args := &Args{Pos: []Value{v, a.Pos[1]}}
	switch {
	case isInt(v):
		return intRound(t, args)
	case v.k == kFloat:
		return floatRound(t, args)
	}
	fn, ok := t.lookupSpecial(v, "__round__")
	if !ok {
		return Value{}, t.raise(t.types.TypeError, "type %s doesn't define __round__ method", t.className(v))
	}
	if given(a.Pos[1]) {
		return t.tailCall(fn, a.Pos[1:2], nil, nil)
	}
	return t.tailCall(fn, nil, nil, nil)
}

// builtinSum adds up: ints exactly, floats with what the additions lose beside them.
func builtinSum(t *Thread, a *Args) (Value, error) {
	start := a.Pos[1]
	l := start.l
	if start.k == kUnset {
		start = intValue(0)
	}
	switch t.base(start).k {
	case kStr:
		return Value{}, t.failAt(l, t.types.TypeError, "sum() can't sum strings [use ''.join(seq) instead]")
	case kBytes:
		return Value{}, t.failAt(l, t.types.TypeError, "sum() can't sum bytes [use b''.join(seq) instead]")
	}
	seen := t.seen
	t.seen = 0
	items, err := t.collect(a.Pos[0])
	if err != nil {
		return Value{}, err
	}
	l = t.join(l, t.seen)
	t.seen = seen
	if err := t.step(int64(len(items)) / 4); err != nil {
		return Value{}, err
	}
	if len(items) == 0 {
		return start.with(t.join(start.l, l)), nil
	}
	total, rest, err := t.sumNumbers(start, items, &l)
	if err != nil {
		return Value{}, err
	}
	if len(rest) > 0 {
		return t.sumRest(rest, total, l)
	}
	return total.with(t.join(total.l, l)), nil
}

// sumNumbers adds up the ints and floats at the front of items and returns the rest.
func (t *Thread) sumNumbers(total Value, items []Value, l *label.ID) (Value, []Value, error) {
	i := 0
	if isInt(total) && total.k != kBig {
		n := total.n
		for i < len(items) && (items[i].k == kInt || items[i].k == kBool) {
			s := n + items[i].n
			if (s > n) != (items[i].n > 0) && items[i].n != 0 {
				break
			}
			n = s
			if items[i].l != 0 {
				*l = t.join(*l, items[i].l)
			}
			i++
		}
		total = intValue(n)
	}
	if i < len(items) && isInt(items[i]) && isInt(total) {
		n := new(big.Int).Set(toBig(total))
		for ; i < len(items) && isInt(items[i]); i++ {
			*l = t.join(*l, items[i].l)
			n.Add(n, toBig(items[i]))
			if err := t.step(int64(n.BitLen()) / 4096); err != nil {
				return Value{}, nil, err
			}
		}
		var err error
		if total, err = t.big(n); err != nil {
			return Value{}, nil, err
		}
	}
	if i == len(items) {
		return total, nil, nil
	}
	if total.k != kFloat {
		if !isInt(total) || items[i].k != kFloat {
			return total, items[i:], nil
		}
		v, err := t.binary(syntax.Add, total, items[i])
		if err != nil {
			return Value{}, nil, err
		}
		*l = t.join(*l, items[i].l)
		total = v
		i++
	}
	var s pytext.Sum
	s.Add(total.float())
	for ; i < len(items); i++ {
		x := items[i]
		switch x.k {
		case kFloat:
			s.Add(x.float())
		case kInt, kBool, kBig:
			f, err := t.toFloat(x)
			if err != nil {
				return Value{}, nil, err
			}
			s.Add(f)
		default:
			return floatValue(s.Total()), items[i:], nil
		}
		*l = t.join(*l, x.l)
	}
	return floatValue(s.Total()), nil, nil
}

// sumRest adds up anything: in Go where no class of the program has a say.
func (t *Thread) sumRest(items []Value, total Value, l label.ID) (Value, error) {
	total.l = t.join(total.l, l)
	for i := range items {
		if items[i].k == kObject || total.k == kObject {
			return t.tailBuiltin("_sum", t.list(append([]Value(nil), items[i:]...)).with(l), total)
		}
		v, err := t.binary(syntax.Add, total, items[i])
		if err != nil {
			return Value{}, err
		}
		if err := t.step(1); err != nil {
			return Value{}, err
		}
		total = v
	}
	return total, nil
}

// extreme are the arguments of min and max.
type extreme struct {
	name       string
	sign       int
	key, other Value // other is the default
	items      []Value
	l          label.ID // of the choice
}

func extremeNative(name string, sign int) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		if len(a.Pos) == 1 && t.foreign(a.Pos[0]) {
			return t.redo(name, a)
		}
		e := extreme{name: name, sign: sign}
		if err := e.read(t, a); err != nil {
			return Value{}, err
		}
		if len(e.items) == 0 {
			if e.other.k == kUnset {
				return Value{}, t.failAt(e.l, t.types.ValueError, "%s() iterable argument is empty", name)
			}
			return e.other.with(t.join(e.other.l, e.l)), nil
		}
		keys := e.items
		if given(e.key) {
			if e.key.k != kNative {
				return t.tailBuiltin("_extreme", t.list(e.items).with(e.l), e.key, intValue(int64(sign)))
			}
			keys = make([]Value, len(e.items))
			for i, x := range e.items {
				k, err := t.Call(e.key, []Value{x}, nil, nil)
				if err != nil {
					return Value{}, err
				}
				keys[i] = k.with(t.join(k.l, e.key.l))
			}
		}
		i, err := t.place(keys, sign, &e.l)
		if err != nil {
			return Value{}, err
		}
		v := e.items[i]
		return v.with(t.join(v.l, e.l)), nil
	}
}

// redo calls a native again with a list of what its only positional argument gives.
func (t *Thread) redo(name string, a *Args) (Value, error) {
	kw := &Dict{}
	for i, n := range a.Names {
		kw.setName(t.intern(n), a.Named[i])
	}
	return t.tailBuiltin("_redo", Value{k: kNative, o: t.natives[name]}, a.Pos[0], Value{k: kDict, o: kw})
}

func (e *extreme) read(t *Thread, a *Args) error {
	for i, name := range a.Names {
		switch name {
		case "key":
			e.key = a.Named[i]
		case "default":
			e.other = a.Named[i]
		default:
			return t.raise(t.types.TypeError, "%s() got an unexpected keyword argument '%s'", e.name, name)
		}
	}
	switch len(a.Pos) {
	case 0:
		return t.raise(t.types.TypeError, "%s expected at least 1 argument, got 0", e.name)
	case 1:
		seen := t.seen
		t.seen = 0
		items, err := t.collect(a.Pos[0])
		if err != nil {
			return err
		}
		e.items, e.l = items, t.seen
		t.seen = seen
	default:
		if e.other.k != kUnset {
			return t.raise(t.types.TypeError, "Cannot specify a default for %s() with multiple positional arguments", e.name)
		}
		e.items = append([]Value(nil), a.Pos...)
	}
	return t.step(int64(len(e.items)) / 2)
}

// place returns the index of the first of the least or greatest; l gets what was compared.
func (t *Thread) place(keys []Value, sign int, l *label.ID) (int, error) {
	best := 0
	seen := t.seen
	t.seen = *l
	defer func() { *l, t.seen = t.seen, seen }()
	for i := 1; i < len(keys); i++ {
		a, b := keys[i], keys[best]
		var less bool
		if a.k == kInt && b.k == kInt {
			t.see(t.join(a.l, b.l))
			less = sign < 0 && a.n < b.n || sign > 0 && a.n > b.n
		} else {
			op := syntax.Lt
			if sign > 0 {
				op = syntax.Gt
			}
			v, err := t.compare(op, a, b)
			if err == nil {
				less, err = t.truth(v)
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
func builtinPlace(t *Thread, a *Args) (Value, error) {
	keys, err := t.collect(a.Pos[0])
	if err != nil {
		return Value{}, err
	}
	l := label.ID(0)
	i, err := t.place(keys, int(a.Pos[1].n), &l)
	t.see(l)
	return intValue(int64(i)), err
}
