package builtin

import (
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
		(&value.Native{Name: "sum", Params: "iterable, /, start=0", Call: builtinSum, Precise: true}).Stream(),
		{Name: "_lost", Params: "lost, total, x, /", Call: builtinLost},
		{Name: "_regained", Params: "total, lost, /", Call: builtinRegained},
		{Name: "_ended", Params: "v, iterator, /", Call: builtinEnded, Precise: true},
		(&value.Native{Name: "min", Params: "*args, key=None, default=None", Call: extremeNative("min", -1), Precise: true}).Stream(),
		(&value.Native{Name: "max", Params: "*args, key=None, default=None", Call: extremeNative("max", 1), Precise: true}).Stream(),
		{Name: "_place", Params: "keys, sign, /", Call: builtinPlace},
		{Name: "hash", Params: "obj, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			h, err := t.Hash(a.Pos[0])
			return value.Int(int64(h)), err
		}},
		{Name: "id", Params: "obj, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			return value.Int(int64(t.Number(a.Pos[0]))), nil
		}},
		{Name: "len", Params: "obj, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			n, err := t.Length(a.Pos[0])
			return value.Int(int64(n)), err
		}},
	}
}

func builtinDivmod(t *value.Thread, a *value.Args) (value.Value, error) {
	x, y := a.Pos[0], a.Pos[1]
	if v, ok, err := divmod(t, x, y); ok || err != nil {
		return v, err
	}
	if v, ok, err := t.TryOperator(x, "__divmod__", y); ok || err != nil {
		return v, err
	}
	if v, ok, err := t.TryOperator(y, "__rdivmod__", x); ok || err != nil {
		return v, err
	}
	return value.Value{}, t.Raise(t.Types.TypeError, "unsupported operand type(s) for divmod(): '%s' and '%s'", t.ClassName(x), t.ClassName(y))
}

func builtinPow(t *value.Thread, a *value.Args) (value.Value, error) {
	x, y, z := a.Pos[0], a.Pos[1], a.Pos[2]
	if !value.Given(z) {
		return t.Binary(syntax.Pow, x, y)
	}
	bx, by, bz := t.Base(x), t.Base(y), t.Base(z)
	if value.IsInt(bx) && value.IsInt(by) && value.IsInt(bz) {
		return t.PowMod(bx, by, bz)
	}
	return value.Value{}, t.Raise(t.Types.TypeError, "pow() with three arguments takes integers alone")
}

func builtinRound(t *value.Thread, a *value.Args) (value.Value, error) {
	v := t.Base(a.Pos[0])
	if _, ok := t.Override(a.Pos[0], "__round__"); ok {
		v = a.Pos[0]
	}
	switch {
	case value.IsInt(v):
		return intRound(t, v, a.Pos[1])
	case v.Kind == value.KFloat:
		return floatRound(t, v, a.Pos[1])
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
// It keeps nothing of what it has added.
func builtinSum(t *value.Thread, a *value.Args) (value.Value, error) {
	start := a.Pos[1]
	if start.Kind == value.KUnset {
		start = value.Int(0)
	}
	switch t.Base(start).Kind {
	case value.KStr:
		return value.Value{}, t.FailAt(start.Label, t.Types.TypeError, "sum() can't sum strings [use ''.join(seq) instead]")
	case value.KBytes:
		return value.Value{}, t.FailAt(start.Label, t.Types.TypeError, "sum() can't sum bytes [use b''.join(seq) instead]")
	}
	if t.Foreign(a.Pos[0]) {
		return t.TailBuiltin("_sum", a.Pos[0], start)
	}
	it, err := t.Iter(a.Pos[0])
	if err != nil {
		return value.Value{}, err
	}
	s := adding{total: start, l: t.Join(start.Label, it.Label)}
	for {
		x, ok, err := t.Next(it)
		if err != nil {
			return value.Value{}, err
		}
		if !ok {
			total := s.result()
			return total.With(t.Join(total.Label, t.Join(s.l, x.Label))), nil
		}
		if x.Kind == value.KObject || s.total.Kind == value.KObject {
			return t.TailBuiltin("_sum", it, s.result().With(s.l), x)
		}
		if err := s.add(t, x); err != nil {
			return value.Value{}, err
		}
		if s.total.Obj != nil {
			a.Pos[1] = s.total // where its memory is counted
		}
	}
}

// adding is the state of a sum.
type adding struct {
	total  value.Value
	floats pytext.Sum // the total, once it is a float and a number was added to it
	float  bool
	l      label.ID
}

// result is the sum so far.
func (s *adding) result() value.Value {
	if s.float {
		return value.Float(s.floats.Total())
	}
	return s.total
}

// add adds x, which is no instance of a class of the program.
func (s *adding) add(t *value.Thread, x value.Value) error {
	if t.Steps--; t.Steps < 0 {
		if err := t.OutOfSteps(); err != nil {
			return err
		}
	}
	if s.total.Kind == value.KInt && x.Kind == value.KInt {
		if sum := s.total.N + x.N; (sum > s.total.N) == (x.N > 0) || x.N == 0 {
			s.l = t.Join(s.l, x.Label)
			s.total = value.Int(sum)
			return nil
		}
	}
	if !s.float && s.total.Kind == value.KFloat && (x.Kind == value.KFloat || value.IsInt(x)) {
		s.float = true
		s.floats.Add(s.total.Float())
	}
	if s.float {
		if x.Kind == value.KFloat || value.IsInt(x) {
			f, err := t.ToFloat(x)
			s.floats.Add(f)
			s.l = t.Join(s.l, x.Label)
			return err
		}
		s.total, s.float, s.floats = s.result(), false, pytext.Sum{}
	}
	total, err := t.Binary(syntax.Add, s.total, x)
	if total.Kind == value.KFloat || value.IsInt(total) { // the sum of numbers has one label
		s.l, total.Label = t.Join(s.l, total.Label), 0
	}
	s.total = total
	return err
}

// builtinLost returns what is lost of total and x by adding them as floats, with
// what was lost before.
func builtinLost(t *value.Thread, a *value.Args) (value.Value, error) {
	lost, total, x := a.Pos[0], a.Pos[1], a.Pos[2]
	if total.Kind != value.KFloat || x.Kind != value.KFloat && !value.IsInt(x) {
		return lost, nil
	}
	f, err := t.ToFloat(x)
	return value.Float(pytext.Lost(lost.Float(), total.Float(), f)), err
}

// builtinRegained is the end of a sum that lost so much.
func builtinRegained(_ *value.Thread, a *value.Args) (value.Value, error) {
	if a.Pos[0].Kind != value.KFloat {
		return a.Pos[0], nil
	}
	return value.Float(pytext.Regained(a.Pos[0].Float(), a.Pos[1].Float())), nil
}

// builtinEnded returns v with the label of an iterator that has come to its end.
func builtinEnded(t *value.Thread, a *value.Args) (value.Value, error) {
	v, it := a.Pos[0], a.Pos[1]
	l := it.Label
	if it.Kind == value.KIter || it.Kind == value.KGen {
		end, _, err := t.Next(it)
		if err != nil {
			return value.Value{}, err
		}
		l = end.Label
	}
	return v.With(t.Join(v.Label, l)), nil
}

// extreme are the arguments of min and max.
type extreme struct {
	name       string
	sign       int
	key, other value.Value // other is the default
	seq        value.Value
}

func extremeNative(name string, sign int) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		e := extreme{name: name, sign: sign, key: a.Pos[0], other: a.Pos[1]}
		switch {
		case len(a.Star) == 1:
			e.seq = a.Star[0]
		case len(a.Star) == 0 || e.other.Kind != value.KUnset:
			return value.Value{}, t.Raise(t.Types.TypeError, "%s() takes an iterable, or several values and no default", name)
		default:
			e.seq = t.Tuple(append([]value.Value(nil), a.Star...))
		}
		if t.Foreign(e.seq) || value.Given(e.key) && e.key.Kind != value.KNative {
			kw := &value.Dict{}
			if e.other.Kind != value.KUnset {
				kw.SetName(t.Intern("default"), e.other)
			}
			return t.TailBuiltin("_extreme", t.NativeValue(name), e.seq, orNone(e.key),
				value.Int(int64(sign)), value.Value{Kind: value.KDict, Obj: kw})
		}
		return e.find(t, a)
	}
}

// orNone is v, or None for an argument that was not given.
func orNone(v value.Value) value.Value {
	if v.Kind == value.KUnset {
		return value.None
	}
	return v
}

// find goes over the elements and keeps the best of them.
func (e *extreme) find(t *value.Thread, a *value.Args) (value.Value, error) {
	var best, bestKey value.Value
	var compared label.ID
	l, err := t.Shaped(func() error {
		return t.Each(e.seq, func(x value.Value) error {
			k := x
			if value.Given(e.key) {
				var err error
				if k, err = t.Call(e.key, []value.Value{x}, nil, nil); err != nil {
					return err
				}
				k.Label = t.Join(k.Label, e.key.Label)
			}
			if best.Kind == value.KUnset {
				best, bestKey = x, k
				a.Star = []value.Value{e.seq, x, k} // where their memory is counted
				return nil
			}
			i, err := placeAmong(t, []value.Value{bestKey, k}, e.sign, &compared)
			if i > 0 {
				best, bestKey = x, k
				a.Star[1], a.Star[2] = x, k
			}
			return err
		})
	})
	l = t.Join(l, compared)
	switch {
	case err != nil:
		t.See(l)
		return value.Value{}, err
	case best.Kind != value.KUnset:
		return best.With(t.Join(best.Label, l)), nil
	case e.other.Kind == value.KUnset:
		return value.Value{}, t.FailAt(l, t.Types.ValueError, "%s() iterable argument is empty", e.name)
	}
	return e.other.With(t.Join(e.other.Label, l)), nil
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
