package math

import (
	"math"
	"math/big"

	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// bigFrexp splits a large positive int into a float from 0.5 up to 1 and a power of two.
func bigFrexp(n *big.Int) (float64, int) {
	f := new(big.Float).SetPrec(53).SetInt(n)
	e := f.MantExp(f)
	m, _ := f.Float64()
	return m, e
}

// wholeNatives are the functions of module math on ints.
func wholeNatives() []*value.Native {
	return []*value.Native{
		{Name: "math.factorial", Params: "n, /", Call: mathFactorial},
		{Name: "math.comb", Params: "n, k, /", Call: mathComb},
		{Name: "math.perm", Params: "n, k=None, /", Call: mathPerm},
		{Name: "math.isqrt", Params: "n, /", Call: mathIsqrt},
		{Name: "math.gcd", Params: "*integers", Call: mathGCD},
		{Name: "math.lcm", Params: "*integers", Call: mathLCM},
	}
}

// product multiplies the numbers from lo to hi, in pieces of like size. Each
// multiplication is accounted for before it is made, so that a long product is
// refused or interrupted on its way.
func product(t *value.Thread, lo, hi *big.Int) (*big.Int, error) {
	n := new(big.Int).Sub(hi, lo)
	if n.Sign() < 0 {
		return big.NewInt(1), nil
	}
	if !n.IsInt64() {
		return nil, t.OutOfMemory(math.MaxInt32)
	}
	if n.Int64() < 16 {
		out, f, one := new(big.Int).Set(lo), new(big.Int).Set(lo), big.NewInt(1)
		for f.Cmp(hi) < 0 {
			out.Mul(out, f.Add(f, one))
		}
		return out, t.Step(n.Int64()*4 + 8)
	}
	// All of it is at least as long as half of the factors of the size of the middle.
	mid := new(big.Int).Rsh(new(big.Int).Add(lo, hi), 1)
	if bits := int64(mid.BitLen()-1) * (n.Int64() / 2); bits > 1<<16 {
		if err := t.Size(bits, value.MulWork(bits/2, bits/2)); err != nil {
			return nil, err
		}
	}
	a, err := product(t, lo, mid)
	if err != nil {
		return nil, err
	}
	b, err := product(t, new(big.Int).Add(mid, big.NewInt(1)), hi)
	if err != nil {
		return nil, err
	}
	return a.Mul(a, b), nil
}

func mathFactorial(t *value.Thread, a *value.Args) (value.Value, error) {
	n, err := t.Index(a.Pos[0])
	if err != nil {
		return value.Value{}, err
	}
	switch {
	case value.ToBig(n).Sign() < 0:
		return value.Value{}, t.Raise(t.Types.ValueError, "factorial() not defined for negative values")
	case n.Kind == value.KBig:
		return value.Value{}, t.Raise(t.Types.OverflowError, "factorial() argument should not exceed %d", int64(math.MaxInt64))
	}
	out, err := product(t, big.NewInt(1), big.NewInt(n.N))
	if err != nil {
		return value.Value{}, err
	}
	return t.Big(out)
}

// chosen reads the arguments of comb and perm.
func chosen(t *value.Thread, a *value.Args) (n, k *big.Int, err error) {
	nv, err := t.Index(a.Pos[0])
	if err != nil {
		return nil, nil, err
	}
	kv := nv
	if value.Given(a.Pos[1]) {
		if kv, err = t.Index(a.Pos[1]); err != nil {
			return nil, nil, err
		}
	}
	n, k = value.ToBig(nv), value.ToBig(kv)
	if n.Sign() < 0 {
		return nil, nil, t.Raise(t.Types.ValueError, "n must be a non-negative integer")
	}
	if k.Sign() < 0 {
		return nil, nil, t.Raise(t.Types.ValueError, "k must be a non-negative integer")
	}
	return n, k, nil
}

func mathComb(t *value.Thread, a *value.Args) (value.Value, error) {
	if a.Pos[1].Kind == value.KNone {
		_, err := t.Index(a.Pos[1])
		return value.Value{}, err
	}
	n, k, err := chosen(t, a)
	if err != nil {
		return value.Value{}, err
	}
	if k.Cmp(n) > 0 {
		return value.Int(0), nil
	}
	if rest := new(big.Int).Sub(n, k); rest.Cmp(k) < 0 {
		k = rest
	}
	top, err := falling(t, n, k, "min(n - k, k)")
	if err != nil {
		return value.Value{}, err
	}
	below, err := product(t, big.NewInt(1), k)
	if err != nil {
		return value.Value{}, err
	}
	if err := t.Step(4 * value.MulWork(int64(top.BitLen()-below.BitLen()), int64(below.BitLen())) / 1024); err != nil {
		return value.Value{}, err
	}
	return t.Big(top.Quo(top, below))
}

// falling is n*(n-1)*…, k factors; what says how the program has k.
func falling(t *value.Thread, n, k *big.Int, what string) (*big.Int, error) {
	if !k.IsInt64() {
		return nil, t.Raise(t.Types.OverflowError, "%s must not exceed %d", what, int64(math.MaxInt64))
	}
	lo := new(big.Int).Sub(n, k)
	return product(t, lo.Add(lo, big.NewInt(1)), n)
}

func mathPerm(t *value.Thread, a *value.Args) (value.Value, error) {
	if !value.Given(a.Pos[1]) {
		return mathFactorial(t, a)
	}
	n, k, err := chosen(t, a)
	if err != nil {
		return value.Value{}, err
	}
	if k.Cmp(n) > 0 {
		return value.Int(0), nil
	}
	out, err := falling(t, n, k, "k")
	if err != nil {
		return value.Value{}, err
	}
	return t.Big(out)
}

func mathIsqrt(t *value.Thread, a *value.Args) (value.Value, error) {
	n, err := t.Index(a.Pos[0])
	if err != nil {
		return value.Value{}, err
	}
	x := value.ToBig(n)
	if x.Sign() < 0 {
		return value.Value{}, t.Raise(t.Types.ValueError, "isqrt() argument must be nonnegative")
	}
	bits := int64(x.BitLen())
	if err := t.Size(bits, value.MulWork(bits, bits)*4); err != nil {
		return value.Value{}, err
	}
	return t.Big(new(big.Int).Sqrt(x))
}

func mathGCD(t *value.Thread, a *value.Args) (value.Value, error) {
	out := new(big.Int)
	for _, v := range a.Star {
		n, err := t.Index(v)
		if err != nil {
			return value.Value{}, err
		}
		x := new(big.Int).Abs(value.ToBig(n))
		bits := int64(max(x.BitLen(), out.BitLen()))
		if err := t.Size(bits, value.GCDWork(bits)); err != nil {
			return value.Value{}, err
		}
		out.GCD(nil, nil, out, x)
	}
	return t.Big(out)
}

func mathLCM(t *value.Thread, a *value.Args) (value.Value, error) {
	out := big.NewInt(1)
	for _, v := range a.Star {
		n, err := t.Index(v)
		if err != nil {
			return value.Value{}, err
		}
		x := new(big.Int).Abs(value.ToBig(n))
		if x.Sign() == 0 || out.Sign() == 0 {
			out.SetInt64(0)
			continue
		}
		bits := int64(x.BitLen() + out.BitLen())
		if err := t.Size(bits, value.GCDWork(bits)); err != nil {
			return value.Value{}, err
		}
		g := new(big.Int).GCD(nil, nil, out, x)
		out.Mul(out, x.Quo(x, g))
	}
	return t.Big(out)
}

// seriesNatives are the functions of module math that go over values.
func seriesNatives() []*value.Native {
	return []*value.Native{
		(&value.Native{Name: "math.fsum", Params: "seq, /", Call: mathFsum}).Stream(),
		{Name: "math._condensed", Params: "seq, /", Call: mathCondensed},
		(&value.Native{Name: "math.prod", Params: "iterable, /, *, start=1", Call: mathProd}).Stream(),
		(&value.Native{Name: "math.dist", Params: "p, q, /", Call: mathDist}).Drain(0, 1),
		{Name: "math.hypot", Params: "*coordinates", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			v, err := reals(t, a.Star)
			return value.Float(pytext.Hypot(v...)), err
		}},
	}
}

func mathFsum(t *value.Thread, a *value.Args) (value.Value, error) {
	if t.Foreign(a.Pos[0]) {
		return t.TailBuiltin("_fsum", t.NativeValue("math.fsum"), t.NativeValue("math._condensed"), a.Pos[0])
	}
	s, err := exactSum(t, a.Pos[0])
	if err != nil {
		return value.Value{}, err
	}
	f, err := s.Total()
	if err != nil {
		return value.Value{}, t.TextError(err)
	}
	return value.Float(f), nil
}

func exactSum(t *value.Thread, seq value.Value) (s pytext.ExactSum, err error) {
	return s, t.Each(seq, func(v value.Value) error {
		f, err := t.Real(v)
		s.Add(f)
		return err
	})
}

// mathCondensed returns a list of a few floats whose exact sum is that of many.
func mathCondensed(t *value.Thread, a *value.Args) (value.Value, error) {
	s, err := exactSum(t, a.Pos[0])
	if err != nil {
		return value.Value{}, err
	}
	parts, err := s.Parts()
	if err != nil {
		return value.Value{}, t.TextError(err)
	}
	var out []value.Value
	for _, f := range parts {
		out = append(out, value.Float(f).With(t.Seen))
	}
	return t.List(out), nil
}

func mathProd(t *value.Thread, a *value.Args) (value.Value, error) {
	total := a.Pos[1]
	if total.Kind == value.KUnset {
		total = value.Int(1)
	}
	if t.Foreign(a.Pos[0]) {
		return t.TailBuiltin("_prod", a.Pos[0], total)
	}
	err := t.Each(a.Pos[0], func(v value.Value) (err error) {
		total, err = t.Binary(syntax.Mult, total, v)
		a.Pos[1] = total // where its memory is counted
		return err
	})
	return total, err
}

func mathDist(t *value.Thread, a *value.Args) (value.Value, error) {
	p, err := t.Collect(a.Pos[0])
	if err != nil {
		return value.Value{}, err
	}
	q, err := t.Collect(a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	if len(p) != len(q) {
		return value.Value{}, t.Raise(t.Types.ValueError, "both points must have the same number of dimensions")
	}
	x, err := reals(t, p)
	if err != nil {
		return value.Value{}, err
	}
	y, err := reals(t, q)
	if err != nil {
		return value.Value{}, err
	}
	for i := range x {
		x[i] = math.Abs(x[i] - y[i])
	}
	return value.Float(pytext.Hypot(x...)), nil
}
