// Package math has the functions and constants of module math.
package math

import (
	"math"
	"strings"

	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// domain checks an argument of a function of module math and gives the text of
// the ValueError, in which %s is the argument, or "".
type domain func(x float64) string

// Natives are the functions of module math.
func Natives() []*value.Native {
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
	out := []*value.Native{
		realNative("acos", pytext.Acos, unit), realNative("asin", pytext.Asin, unit),
		realNative("atan", pytext.Atan, nil),
		realNative("cos", pytext.Cos, finite), realNative("sin", pytext.Sin, finite), realNative("tan", pytext.Tan, finite),
		realNative("cosh", math.Cosh, nil), realNative("sinh", math.Sinh, nil), realNative("tanh", math.Tanh, nil),
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
		realNative("erf", math.Erf, nil), realNative("erfc", math.Erfc, nil),
		realNative("degrees", func(x float64) float64 { return x * (180 / math.Pi) }, nil),
		realNative("radians", func(x float64) float64 { return x * (math.Pi / 180) }, nil),
	}
	return append(append(append(out, pairNatives()...), partNatives()...), append(wholeNatives(), seriesNatives()...)...)
}

// realNative is a function of one float. A finite argument with an infinite
// result is an overflow.
func realNative(name string, f func(float64) float64, bad domain) *value.Native {
	overflows := strings.Contains(" cosh sinh exp exp2 expm1 ", " "+name+" ")
	return &value.Native{Name: "math." + name, Params: "x, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
		x, err := t.Real(a.Pos[0])
		if err != nil {
			return value.Value{}, err
		}
		if bad != nil {
			if text := bad(x); text != "" {
				return value.Value{}, t.Raise(t.Types.ValueError, text, pytext.AppendFloat(nil, x))
			}
		}
		y := f(x)
		if overflows && math.IsInf(y, 0) && !math.IsInf(x, 0) {
			return value.Value{}, t.Raise(t.Types.OverflowError, "math range error")
		}
		return value.Float(y), nil
	}}
}

// reals returns all arguments as floats.
func reals(t *value.Thread, vs []value.Value) ([]float64, error) {
	out := make([]float64, len(vs))
	for i, v := range vs {
		f, err := t.Real(v)
		if err != nil {
			return nil, err
		}
		out[i] = f
	}
	return out, nil
}

func domainError(t *value.Thread) error { return t.Raise(t.Types.ValueError, "math domain error") }

// pairNative is a function of two floats.
func pairNative(name string, f func(t *value.Thread, x, y float64) (float64, error)) *value.Native {
	return &value.Native{Name: "math." + name, Params: "x, y, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
		v, err := reals(t, a.Pos[:2])
		if err != nil {
			return value.Value{}, err
		}
		z, err := f(t, v[0], v[1])
		return value.Float(z), err
	}}
}

func pairNatives() []*value.Native {
	return []*value.Native{
		pairNative("atan2", func(t *value.Thread, y, x float64) (float64, error) { return pytext.Atan2(y, x), nil }),
		pairNative("copysign", func(t *value.Thread, x, y float64) (float64, error) { return math.Copysign(x, y), nil }),
		pairNative("fmod", func(t *value.Thread, x, y float64) (float64, error) {
			if (math.IsInf(x, 0) || y == 0) && x == x && y == y {
				return 0, domainError(t)
			}
			return math.Mod(x, y), nil
		}),
		pairNative("pow", mathPow),
		{Name: "math.isclose", Params: "a, b, *, rel_tol=1e-09, abs_tol=0.0", Call: mathIsClose},
		{Name: "math.log", Params: "x, base=None, /", Call: mathLog},
		{Name: "math.log2", Params: "x, /", Call: logNative(pytext.Log2, 1)},
		{Name: "math.log10", Params: "x, /", Call: logNative(pytext.Log10, math.Log10(2))},
	}
}

func mathPow(t *value.Thread, x, y float64) (float64, error) {
	switch {
	case x == 1 || y == 0:
		return 1, nil
	case x != x || y != y || math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.Pow(x, y), nil
	case x == 0 && y < 0, x < 0 && y != math.Trunc(y):
		return 0, domainError(t)
	}
	z, err := pytext.FloatPow(x, y)
	if err != nil || math.IsInf(z, 0) {
		return 0, t.Raise(t.Types.OverflowError, "math range error")
	}
	return z, nil
}

func mathIsClose(t *value.Thread, a *value.Args) (value.Value, error) {
	rel, abs := 1e-09, 0.0
	v, err := reals(t, a.Pos[:2])
	if err != nil {
		return value.Value{}, err
	}
	for i, p := range []*float64{&rel, &abs} {
		if a.Pos[2+i].Kind != value.KUnset {
			if *p, err = t.Real(a.Pos[2+i]); err != nil {
				return value.Value{}, err
			}
		}
	}
	if rel < 0 || abs < 0 {
		return value.Value{}, t.Raise(t.Types.ValueError, "tolerances must be non-negative")
	}
	x, y := v[0], v[1]
	if x == y {
		return value.Bool(true), nil
	}
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return value.Bool(false), nil
	}
	diff := math.Abs(y - x)
	return value.Bool(diff <= math.Abs(rel*y) || diff <= math.Abs(rel*x) || diff <= abs), nil
}

// logNative is a logarithm; two is the logarithm of 2.
func logNative(f func(float64) float64, two float64) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		y, err := logarithm(t, a.Pos[0], f, two)
		return value.Float(y), err
	}
}

func logarithm(t *value.Thread, v value.Value, f func(float64) float64, two float64) (float64, error) {
	if p, ok := t.Payload(v, value.KInt); ok {
		t.See(v.Label)
		n := value.ToBig(p)
		if n.Sign() <= 0 {
			return 0, t.Raise(t.Types.ValueError, "expected a positive input")
		}
		if n.BitLen() > 1000 {
			m, e := bigFrexp(n)
			return f(m) + two*float64(e), nil
		}
	}
	x, err := t.Real(v)
	if err != nil {
		return 0, err
	}
	if x <= 0 {
		return 0, t.Raise(t.Types.ValueError, "expected a positive input, got %s", pytext.AppendFloat(nil, x))
	}
	return f(x), nil
}

func mathLog(t *value.Thread, a *value.Args) (value.Value, error) {
	x, err := logarithm(t, a.Pos[0], pytext.Log, math.Ln2)
	if err != nil || a.Pos[1].Kind == value.KUnset {
		return value.Float(x), err
	}
	b, err := logarithm(t, a.Pos[1], pytext.Log, math.Ln2)
	if err != nil {
		return value.Value{}, err
	}
	return t.Binary(syntax.Div, value.Float(x), value.Float(b))
}

// partNatives take floats apart.
func partNatives() []*value.Native {
	n := func(name string, f func(x float64) value.Value) *value.Native {
		return &value.Native{Name: "math." + name, Params: "x, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			x, err := t.Real(a.Pos[0])
			if err != nil {
				return value.Value{}, err
			}
			return f(x), nil
		}}
	}
	return []*value.Native{
		n("isfinite", func(x float64) value.Value { return value.Bool(x-x == 0) }),
		n("isinf", func(x float64) value.Value { return value.Bool(math.IsInf(x, 0)) }),
		n("isnan", func(x float64) value.Value { return value.Bool(x != x) }),
		n("modf", func(x float64) value.Value {
			whole, part := math.Modf(x)
			if math.IsInf(x, 0) {
				part = 0
			}
			parts := []value.Value{value.Float(math.Copysign(part, x)), value.Float(whole)}
			return value.Value{Kind: value.KTuple, Obj: &value.Tuple{Items: parts}}
		}),
		{Name: "math.floor", Params: "x, /", Call: wholeNative("__floor__", math.Floor)},
		{Name: "math.ceil", Params: "x, /", Call: wholeNative("__ceil__", math.Ceil)},
		{Name: "math.trunc", Params: "x, /", Call: wholeNative("__trunc__", math.Trunc)},
	}
}

// wholeNative makes a whole number of a number.
func wholeNative(method string, f func(float64) float64) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		v := a.Pos[0]
		if fn, ok := t.Override(v, method); ok && fn.Kind != value.KNone {
			fn, _ := t.LookupSpecial(v, method)
			return t.TailCall(fn, nil, nil, nil)
		}
		if p, ok := t.Payload(v, value.KInt); ok {
			t.See(v.Label)
			return value.PlainInt(p).With(0), nil
		}
		if _, ok := t.Payload(v, value.KFloat); !ok && method == "__trunc__" {
			return value.Value{}, t.Raise(t.Types.TypeError, "type %s doesn't define __trunc__ method", t.ClassName(v))
		}
		x, err := t.Real(v)
		if err != nil {
			return value.Value{}, err
		}
		return t.IntResult(pytext.FloatToInt(f(x)))
	}
}

// constants are those of module math.
var constants = [...]struct {
	name string
	v    float64
}{{"pi", math.Pi}, {"e", math.E}, {"tau", 2 * math.Pi}, {"inf", math.Inf(1)}, {"nan", math.NaN()}}

// Values puts the constants into the module.
func Values(t *value.Thread, m *value.Module) {
	for _, c := range constants {
		m.Names.SetName(t.Intern(c.name), value.Float(c.v))
	}
}

// ValueNames returns the names of the constants.
func ValueNames() []string {
	var out []string
	for _, c := range constants {
		out = append(out, c.name)
	}
	return out
}
