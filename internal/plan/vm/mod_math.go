package vm

import (
	"math"
	"strings"

	"praxis/internal/plan/pytext"
	"praxis/internal/plan/syntax"
)

// domain checks an argument of a function of module math and gives the text of
// the ValueError, in which %s is the argument, or "".
type domain func(x float64) string

// mathNatives are the functions of module math.
func mathNatives() []*Native {
	finite := func(x float64) string {
		if math.IsInf(x, 0) {
			return "expected a finite input, got %s"
		}
		return ""
	}
	unit := func(x float64) string {
		if x < -1 || x > 1 {
			return "expected a number in range from -1 up to 1, got %s"
		}
		return ""
	}
	out := []*Native{
		realNative("acos", pytext.Acos, unit), realNative("asin", pytext.Asin, unit),
		realNative("atan", pytext.Atan, nil), realNative("asinh", pytext.Asinh, nil),
		realNative("acosh", pytext.Acosh, func(x float64) string {
			if x < 1 {
				return "expected argument value not less than 1, got %s"
			}
			return ""
		}),
		realNative("atanh", math.Atanh, func(x float64) string {
			if x <= -1 || x >= 1 {
				return "expected a number between -1 and 1, got %s"
			}
			return ""
		}),
		realNative("cos", pytext.Cos, finite), realNative("sin", pytext.Sin, finite), realNative("tan", pytext.Tan, finite),
		realNative("cosh", pytext.Cosh, nil), realNative("sinh", pytext.Sinh, nil), realNative("tanh", pytext.Tanh, nil),
		realNative("exp", pytext.Exp, nil), realNative("exp2", pytext.Exp2, nil), realNative("expm1", math.Expm1, nil),
		realNative("log1p", math.Log1p, func(x float64) string {
			if x <= -1 {
				return "expected argument value > -1, got %s"
			}
			return ""
		}),
		realNative("sqrt", math.Sqrt, func(x float64) string {
			if x < 0 {
				return "expected a nonnegative input, got %s"
			}
			return ""
		}),
		realNative("cbrt", math.Cbrt, nil), realNative("fabs", math.Abs, nil),
		realNative("erf", pytext.Erf, nil), realNative("erfc", pytext.Erfc, nil),
		realNative("gamma", gamma, gammaDomain), realNative("lgamma", lgamma, lgammaDomain),
		realNative("degrees", func(x float64) float64 { return x * (180 / math.Pi) }, nil),
		realNative("radians", func(x float64) float64 { return x * (math.Pi / 180) }, nil),
		realNative("ulp", ulp, nil),
	}
	return append(append(append(out, pairNatives()...), partNatives()...), append(wholeNatives(), seriesNatives()...)...)
}

// realNative is a function of one float. A finite argument with an infinite
// result is an overflow.
func realNative(name string, f func(float64) float64, bad domain) *Native {
	overflows := strings.Contains(" cosh sinh exp exp2 expm1 gamma lgamma ", " "+name+" ")
	return &Native{name: "math." + name, params: "x, /", call: func(t *Thread, a *Args) (Value, error) {
		x, err := t.real(a.Pos[0])
		if err != nil {
			return Value{}, err
		}
		if bad != nil {
			if text := bad(x); text != "" {
				return Value{}, t.raise(t.types.ValueError, text, pytext.AppendFloat(nil, x))
			}
		}
		y := f(x)
		if overflows && math.IsInf(y, 0) && !math.IsInf(x, 0) {
			return Value{}, t.raise(t.types.OverflowError, "math range error")
		}
		return floatValue(y), nil
	}}
}

// real returns an argument that has to be a real number, and sees it.
func (t *Thread) real(v Value) (float64, error) {
	t.see(v.l)
	switch v.k {
	case kFloat:
		return v.float(), nil
	case kInt, kBool, kBig:
		return t.toFloat(v)
	case kObject, kSpecial:
		if _, ok := t.override(v, "__float__"); ok {
			r, _, err := t.callSpecial(v, "__float__")
			if err != nil {
				return 0, err
			}
			t.see(r.l)
			if p, ok := t.payload(r, kFloat); ok {
				return p.float(), nil
			}
			return 0, t.raise(t.types.TypeError, "%s.__float__() must return a float, not %s", t.className(v), t.className(r))
		}
		if p, ok := t.payload(v, kFloat); ok {
			return p.float(), nil
		}
		if t.isIndex(v) {
			n, err := t.index(v)
			if err != nil {
				return 0, err
			}
			return t.toFloat(n)
		}
	}
	return 0, t.raise(t.types.TypeError, "must be real number, not %s", t.className(v))
}

// reals returns all arguments as floats.
func (t *Thread) reals(vs []Value) ([]float64, error) {
	out := make([]float64, len(vs))
	for i, v := range vs {
		f, err := t.real(v)
		if err != nil {
			return nil, err
		}
		out[i] = f
	}
	return out, nil
}

func (t *Thread) domainError() error { return t.raise(t.types.ValueError, "math domain error") }

// pairNative is a function of two floats.
func pairNative(name string, f func(t *Thread, x, y float64) (float64, error)) *Native {
	return &Native{name: "math." + name, params: "x, y, /", call: func(t *Thread, a *Args) (Value, error) {
		v, err := t.reals(a.Pos[:2])
		if err != nil {
			return Value{}, err
		}
		z, err := f(t, v[0], v[1])
		return floatValue(z), err
	}}
}

func pairNatives() []*Native {
	return []*Native{
		pairNative("atan2", func(t *Thread, y, x float64) (float64, error) { return pytext.Atan2(y, x), nil }),
		pairNative("copysign", func(t *Thread, x, y float64) (float64, error) { return math.Copysign(x, y), nil }),
		pairNative("fmod", func(t *Thread, x, y float64) (float64, error) {
			if (math.IsInf(x, 0) || y == 0) && x == x && y == y {
				return 0, t.domainError()
			}
			return math.Mod(x, y), nil
		}),
		pairNative("remainder", func(t *Thread, x, y float64) (float64, error) {
			if (math.IsInf(x, 0) || y == 0) && x == x && y == y {
				return 0, t.domainError()
			}
			return math.Remainder(x, y), nil
		}),
		pairNative("pow", mathPow),
		{name: "math.nextafter", params: "x, y, /, *, steps=None", call: mathNextAfter},
		{name: "math.isclose", params: "a, b, *, rel_tol=1e-09, abs_tol=0.0", call: mathIsClose},
		{name: "math.fma", params: "x, y, z, /", call: mathFMA},
		{name: "math.ldexp", params: "x, i, /", call: mathLdexp},
		{name: "math.log", params: "x, base=None, /", call: mathLog},
		{name: "math.log2", params: "x, /", call: logNative(pytext.Log2, 1)},
		{name: "math.log10", params: "x, /", call: logNative(pytext.Log10, math.Log10(2))},
	}
}

func mathPow(t *Thread, x, y float64) (float64, error) {
	switch {
	case x == 1 || y == 0:
		return 1, nil
	case x != x || y != y || math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.Pow(x, y), nil
	case x == 0 && y < 0, x < 0 && y != math.Trunc(y):
		return 0, t.domainError()
	}
	z, err := pytext.FloatPow(x, y)
	if err != nil || math.IsInf(z, 0) {
		return 0, t.raise(t.types.OverflowError, "math range error")
	}
	return z, nil
}

func mathNextAfter(t *Thread, a *Args) (Value, error) {
	v, err := t.reals(a.Pos[:2])
	if err != nil {
		return Value{}, err
	}
	x, y := v[0], v[1]
	if !given(a.Pos[2]) {
		if x == y {
			return floatValue(y), nil
		}
		return floatValue(math.Nextafter(x, y)), nil
	}
	n, err := t.index(a.Pos[2])
	if err != nil {
		return Value{}, err
	}
	if toBig(n).Sign() < 0 {
		return Value{}, t.raise(t.types.ValueError, "steps must be a non-negative integer")
	}
	steps := uint64(math.MaxUint64)
	if toBig(n).IsUint64() {
		steps = toBig(n).Uint64()
	}
	switch {
	case steps == 0 || x != x:
		return floatValue(x), nil
	case y != y:
		return floatValue(y), nil
	}
	return floatValue(stepsAfter(x, y, steps)), nil
}

// stepsAfter goes from x towards y by so many floats.
func stepsAfter(x, y float64, steps uint64) float64 {
	order := func(f float64) int64 { // floats as integers in their order
		n := int64(math.Float64bits(f))
		if n < 0 {
			return math.MinInt64 - n
		}
		return n
	}
	from, to := order(x), order(y)
	if from == to {
		return y
	}
	gap := uint64(to) - uint64(from)
	if to < from {
		gap = uint64(from) - uint64(to)
	}
	if steps >= gap {
		return y
	}
	if to > from {
		from += int64(steps)
	} else {
		from -= int64(steps)
	}
	if from < 0 {
		return math.Float64frombits(uint64(math.MinInt64 - from))
	}
	if from == 0 && x < 0 {
		return math.Copysign(0, -1)
	}
	return math.Float64frombits(uint64(from))
}

func mathIsClose(t *Thread, a *Args) (Value, error) {
	rel, abs := 1e-09, 0.0
	v, err := t.reals(a.Pos[:2])
	if err != nil {
		return Value{}, err
	}
	for i, p := range []*float64{&rel, &abs} {
		if a.Pos[2+i].k != kUnset {
			if *p, err = t.real(a.Pos[2+i]); err != nil {
				return Value{}, err
			}
		}
	}
	if rel < 0 || abs < 0 {
		return Value{}, t.raise(t.types.ValueError, "tolerances must be non-negative")
	}
	x, y := v[0], v[1]
	if x == y {
		return boolValue(true), nil
	}
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return boolValue(false), nil
	}
	diff := math.Abs(y - x)
	return boolValue(diff <= math.Abs(rel*y) || diff <= math.Abs(rel*x) || diff <= abs), nil
}

func mathFMA(t *Thread, a *Args) (Value, error) {
	v, err := t.reals(a.Pos[:3])
	if err != nil {
		return Value{}, err
	}
	x, y, z := v[0], v[1], v[2]
	r := math.FMA(x, y, z)
	finite := func(f float64) bool { return f-f == 0 }
	switch {
	case finite(r):
	case r != r:
		if x == x && y == y && z == z {
			return Value{}, t.raise(t.types.ValueError, "invalid operation in fma")
		}
	case finite(x) && finite(y) && finite(z):
		return Value{}, t.raise(t.types.OverflowError, "overflow in fma")
	}
	return floatValue(r), nil
}

func mathLdexp(t *Thread, a *Args) (Value, error) {
	x, err := t.real(a.Pos[0])
	if err != nil {
		return Value{}, err
	}
	n, ok := t.payload(a.Pos[1], kInt)
	if !ok {
		return Value{}, t.raise(t.types.TypeError, "Expected an int as second argument to ldexp.")
	}
	if x == 0 || x-x != 0 {
		return floatValue(x), nil
	}
	e := n.n
	if n.k == kBig || e > 1<<20 || e < -(1<<20) {
		e = int64(toBig(n).Sign()) << 20
	}
	y := math.Ldexp(x, int(e))
	if math.IsInf(y, 0) {
		return Value{}, t.raise(t.types.OverflowError, "math range error")
	}
	return floatValue(y), nil
}

// logNative is a logarithm; two is the logarithm of 2.
func logNative(f func(float64) float64, two float64) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		y, err := t.logarithm(a.Pos[0], f, two)
		return floatValue(y), err
	}
}

func (t *Thread) logarithm(v Value, f func(float64) float64, two float64) (float64, error) {
	if p, ok := t.payload(v, kInt); ok {
		t.see(v.l)
		n := toBig(p)
		if n.Sign() <= 0 {
			return 0, t.raise(t.types.ValueError, "expected a positive input")
		}
		if n.BitLen() > 1000 {
			m, e := bigFrexp(n)
			return f(m) + two*float64(e), nil
		}
	}
	x, err := t.real(v)
	if err != nil {
		return 0, err
	}
	if x <= 0 {
		return 0, t.raise(t.types.ValueError, "expected a positive input, got %s", pytext.AppendFloat(nil, x))
	}
	return f(x), nil
}

func mathLog(t *Thread, a *Args) (Value, error) {
	x, err := t.logarithm(a.Pos[0], pytext.Log, math.Ln2)
	if err != nil || a.Pos[1].k == kUnset {
		return floatValue(x), err
	}
	b, err := t.logarithm(a.Pos[1], pytext.Log, math.Ln2)
	if err != nil {
		return Value{}, err
	}
	return t.binary(syntax.Div, floatValue(x), floatValue(b))
}

func ulp(x float64) float64 {
	x = math.Abs(x)
	switch next := math.Nextafter(x, math.Inf(1)); {
	case x-x != 0:
		return x
	case math.IsInf(next, 1):
		return x - math.Nextafter(x, 0)
	default:
		return next - x
	}
}

// partNatives take floats apart.
func partNatives() []*Native {
	n := func(name string, f func(x float64) Value) *Native {
		return &Native{name: "math." + name, params: "x, /", call: func(t *Thread, a *Args) (Value, error) {
			x, err := t.real(a.Pos[0])
			if err != nil {
				return Value{}, err
			}
			return f(x), nil
		}}
	}
	pair := func(a, b Value) Value { return Value{k: kTuple, o: &Tuple{items: []Value{a, b}}} }
	return []*Native{
		n("isfinite", func(x float64) Value { return boolValue(x-x == 0) }),
		n("isinf", func(x float64) Value { return boolValue(math.IsInf(x, 0)) }),
		n("isnan", func(x float64) Value { return boolValue(x != x) }),
		n("frexp", func(x float64) Value {
			m, e := math.Frexp(x)
			return pair(floatValue(m), intValue(int64(e)))
		}),
		n("modf", func(x float64) Value {
			if math.IsInf(x, 0) {
				return pair(floatValue(math.Copysign(0, x)), floatValue(x))
			}
			whole, part := math.Modf(x)
			return pair(floatValue(math.Copysign(part, x)), floatValue(whole))
		}),
		{name: "math.floor", params: "x, /", call: wholeNative("__floor__", math.Floor)},
		{name: "math.ceil", params: "x, /", call: wholeNative("__ceil__", math.Ceil)},
		{name: "math.trunc", params: "x, /", call: wholeNative("__trunc__", math.Trunc)},
	}
}

// wholeNative makes a whole number of a number.
func wholeNative(method string, f func(float64) float64) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		v := a.Pos[0]
		if fn, ok := t.override(v, method); ok && fn.k != kNone {
			fn, _ := t.lookupSpecial(v, method)
			return t.tailCall(fn, nil, nil, nil)
		}
		if p, ok := t.payload(v, kInt); ok {
			t.see(v.l)
			return plainInt(p).with(0), nil
		}
		if _, ok := t.payload(v, kFloat); !ok && method == "__trunc__" {
			return Value{}, t.raise(t.types.TypeError, "type %s doesn't define __trunc__ method", t.className(v))
		}
		x, err := t.real(v)
		if err != nil {
			return Value{}, err
		}
		return t.intResult(pytext.FloatToInt(f(x)))
	}
}

// mathValues are the constants of module math.
func mathValues(t *Thread, m *Module) {
	for _, c := range mathConstants() {
		m.names.setName(t.intern(c.name), floatValue(c.v))
	}
}

// mathConstant is a constant of module math.
type mathConstant struct {
	name string
	v    float64
}

// mathConstants are the constants of module math.
func mathConstants() []mathConstant {
	return []mathConstant{{"pi", math.Pi}, {"e", math.E}, {"tau", 2 * math.Pi}, {"inf", math.Inf(1)}, {"nan", math.NaN()}}
}
