package vm

import (
	"math"
	"math/big"

	"praxis/internal/plan/pytext"
	"praxis/internal/plan/syntax"
)

// bigFrexp splits a large positive int into a float from 0.5 up to 1 and a power of two.
func bigFrexp(n *big.Int) (float64, int) {
	f := new(big.Float).SetPrec(53).SetInt(n)
	e := f.MantExp(f)
	m, _ := f.Float64()
	return m, e
}

// wholeNatives are the functions of module math on ints.
func wholeNatives() []*Native {
	return []*Native{
		{name: "math.factorial", params: "n, /", call: mathFactorial},
		{name: "math.comb", params: "n, k, /", call: mathComb},
		{name: "math.perm", params: "n, k=None, /", call: mathPerm},
		{name: "math.isqrt", params: "n, /", call: mathIsqrt},
		{name: "math.gcd", params: "*integers", call: mathGCD},
		{name: "math.lcm", params: "*integers", call: mathLCM},
	}
}

// product accounts for a product of so many factors of so many bits at most.
func (t *Thread) product(factors, bits int64) error {
	if bits > 0 && factors > math.MaxInt64/bits/64 {
		return t.OutOfMemory(math.MaxInt32)
	}
	total := factors * bits
	return t.size(total, mulWork(total, total)/8)
}

func mathFactorial(t *Thread, a *Args) (Value, error) {
	n, err := t.index(a.Pos[0])
	if err != nil {
		return Value{}, err
	}
	switch {
	case toBig(n).Sign() < 0:
		return Value{}, t.raise(t.types.ValueError, "factorial() not defined for negative values")
	case n.k == kBig:
		return Value{}, t.raise(t.types.OverflowError, "factorial() argument should not exceed %d", int64(math.MaxInt64))
	}
	if err := t.product(n.n, int64(big.NewInt(n.n).BitLen())); err != nil {
		return Value{}, err
	}
	return t.big(new(big.Int).MulRange(1, n.n))
}

// chosen reads the arguments of comb and perm.
func (t *Thread) chosen(a *Args) (n, k *big.Int, err error) {
	nv, err := t.index(a.Pos[0])
	if err != nil {
		return nil, nil, err
	}
	kv := nv
	if given(a.Pos[1]) {
		if kv, err = t.index(a.Pos[1]); err != nil {
			return nil, nil, err
		}
	}
	n, k = toBig(nv), toBig(kv)
	if n.Sign() < 0 {
		return nil, nil, t.raise(t.types.ValueError, "n must be a non-negative integer")
	}
	if k.Sign() < 0 {
		return nil, nil, t.raise(t.types.ValueError, "k must be a non-negative integer")
	}
	return n, k, nil
}

func mathComb(t *Thread, a *Args) (Value, error) {
	if a.Pos[1].k == kNone {
		_, err := t.index(a.Pos[1])
		return Value{}, err
	}
	n, k, err := t.chosen(a)
	if err != nil {
		return Value{}, err
	}
	if k.Cmp(n) > 0 {
		return intValue(0), nil
	}
	if rest := new(big.Int).Sub(n, k); rest.Cmp(k) < 0 {
		k = rest
	}
	if !k.IsInt64() {
		return Value{}, t.raise(t.types.OverflowError, "min(n - k, k) must not exceed %d", int64(math.MaxInt64))
	}
	if err := t.product(k.Int64(), int64(n.BitLen())); err != nil {
		return Value{}, err
	}
	if n.IsInt64() {
		return t.big(new(big.Int).Binomial(n.Int64(), k.Int64()))
	}
	out := falling(n, k.Int64())
	return t.big(out.Quo(out, new(big.Int).MulRange(1, k.Int64())))
}

// falling is n*(n-1)*…, k factors.
func falling(n *big.Int, k int64) *big.Int {
	if n.IsInt64() {
		return new(big.Int).MulRange(n.Int64()-k+1, n.Int64())
	}
	out, f, one := big.NewInt(1), new(big.Int).Set(n), big.NewInt(1)
	for ; k > 0; k-- {
		out.Mul(out, f)
		f.Sub(f, one)
	}
	return out
}

func mathPerm(t *Thread, a *Args) (Value, error) {
	if !given(a.Pos[1]) {
		return mathFactorial(t, a)
	}
	n, k, err := t.chosen(a)
	if err != nil {
		return Value{}, err
	}
	if k.Cmp(n) > 0 {
		return intValue(0), nil
	}
	if !k.IsInt64() {
		return Value{}, t.raise(t.types.OverflowError, "k must not exceed %d", int64(math.MaxInt64))
	}
	if err := t.product(k.Int64(), int64(n.BitLen())); err != nil {
		return Value{}, err
	}
	if k.Sign() == 0 {
		return intValue(1), nil
	}
	return t.big(falling(n, k.Int64()))
}

func mathIsqrt(t *Thread, a *Args) (Value, error) {
	n, err := t.index(a.Pos[0])
	if err != nil {
		return Value{}, err
	}
	x := toBig(n)
	if x.Sign() < 0 {
		return Value{}, t.raise(t.types.ValueError, "isqrt() argument must be nonnegative")
	}
	bits := int64(x.BitLen())
	if err := t.size(bits, mulWork(bits, bits)*4); err != nil {
		return Value{}, err
	}
	return t.big(new(big.Int).Sqrt(x))
}

func mathGCD(t *Thread, a *Args) (Value, error) {
	out := new(big.Int)
	for _, v := range a.Star {
		n, err := t.index(v)
		if err != nil {
			return Value{}, err
		}
		x := new(big.Int).Abs(toBig(n))
		bits := int64(max(x.BitLen(), out.BitLen()))
		if err := t.size(bits, mulWork(bits, bits)*2); err != nil {
			return Value{}, err
		}
		out.GCD(nil, nil, out, x)
	}
	return t.big(out)
}

func mathLCM(t *Thread, a *Args) (Value, error) {
	out := big.NewInt(1)
	for _, v := range a.Star {
		n, err := t.index(v)
		if err != nil {
			return Value{}, err
		}
		x := new(big.Int).Abs(toBig(n))
		if x.Sign() == 0 || out.Sign() == 0 {
			out.SetInt64(0)
			continue
		}
		bits := int64(x.BitLen() + out.BitLen())
		if err := t.size(bits, mulWork(bits, bits)*2); err != nil {
			return Value{}, err
		}
		g := new(big.Int).GCD(nil, nil, out, x)
		out.Mul(out, x.Quo(x, g))
	}
	return t.big(out)
}

// seriesNatives are the functions of module math that go over values.
func seriesNatives() []*Native {
	return []*Native{
		(&Native{name: "math.fsum", params: "seq, /", call: mathFsum}).drain(0),
		(&Native{name: "math.prod", params: "iterable, /, *, start=1", call: mathProd}).drain(0),
		(&Native{name: "math.dist", params: "p, q, /", call: mathDist}).drain(0, 1),
		(&Native{name: "math.sumprod", params: "p, q, /", call: mathSumprod}).drain(0, 1),
		{name: "math.hypot", params: "*coordinates", call: func(t *Thread, a *Args) (Value, error) {
			v, err := t.reals(a.Star)
			return floatValue(pytext.Hypot(v...)), err
		}},
	}
}

func mathFsum(t *Thread, a *Args) (Value, error) {
	var s pytext.ExactSum
	err := t.each(a.Pos[0], func(v Value) error {
		f, err := t.real(v)
		s.Add(f)
		return err
	})
	if err != nil {
		return Value{}, err
	}
	f, err := s.Total()
	if err != nil {
		return Value{}, t.textError(err)
	}
	return floatValue(f), nil
}

func mathProd(t *Thread, a *Args) (Value, error) {
	total := a.Pos[1]
	if total.k == kUnset {
		total = intValue(1)
	}
	err := t.each(a.Pos[0], func(v Value) (err error) {
		total, err = t.binary(syntax.Mult, total, v)
		return err
	})
	return total, err
}

func mathDist(t *Thread, a *Args) (Value, error) {
	p, err := t.collect(a.Pos[0])
	if err != nil {
		return Value{}, err
	}
	q, err := t.collect(a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	if len(p) != len(q) {
		return Value{}, t.raise(t.types.ValueError, "both points must have the same number of dimensions")
	}
	x, err := t.reals(p)
	if err != nil {
		return Value{}, err
	}
	y, err := t.reals(q)
	if err != nil {
		return Value{}, err
	}
	for i := range x {
		x[i] = math.Abs(x[i] - y[i])
	}
	return floatValue(pytext.Hypot(x...)), nil
}

// mathSumprod adds up products: ints exactly, floats rounded once at the end.
func mathSumprod(t *Thread, a *Args) (Value, error) {
	p, err := t.collect(a.Pos[0])
	if err != nil {
		return Value{}, err
	}
	q, err := t.collect(a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	if len(p) != len(q) {
		return Value{}, t.raise(t.types.ValueError, "Inputs are not the same length")
	}
	if err := t.step(int64(len(p))); err != nil {
		return Value{}, err
	}
	if f, ok, err := t.floatSumprod(p, q); ok || err != nil {
		return floatValue(f), err
	}
	total := intValue(0)
	for i := range p {
		x, err := t.binary(syntax.Mult, p[i], q[i])
		if err != nil {
			return Value{}, err
		}
		if total, err = t.binary(syntax.Add, total, x); err != nil {
			return Value{}, err
		}
	}
	return total, nil
}

// floatSumprod is sumprod of numbers of which some are floats.
func (t *Thread) floatSumprod(p, q []Value) (float64, bool, error) {
	floats := false
	for i := range p {
		for _, v := range [...]Value{p[i], q[i]} {
			t.see(v.l)
			floats = floats || v.k == kFloat
			if !isInt(v) && v.k != kFloat {
				return 0, false, nil
			}
		}
	}
	if !floats {
		return 0, false, nil
	}
	sum := new(big.Float).SetPrec(2200) // exact for all floats
	plain := 0.0
	for i := range p {
		x, err := t.real(p[i])
		if err != nil {
			return 0, false, err
		}
		y, err := t.real(q[i])
		if err != nil {
			return 0, false, err
		}
		plain += float64(x * y)
		if x-x != 0 || y-y != 0 {
			sum = nil
		}
		if sum != nil {
			product := new(big.Float).SetPrec(106).Mul(big.NewFloat(x), big.NewFloat(y))
			sum.Add(sum, product)
		}
	}
	if sum == nil || plain-plain != 0 {
		return plain, true, nil
	}
	f, _ := sum.Float64()
	return f, true, nil
}
