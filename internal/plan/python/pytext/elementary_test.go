package pytext

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"praxis/internal/test/cpython"
)

// function is one of the math module, and where to try it.
type function struct {
	name     string
	f        func(float64) float64
	from, to float64
}

func functions() []function {
	return []function{
		{"exp", Exp, -30, 30}, {"exp2", Exp2, -30, 30}, {"log", Log, 1e-3, 1e3}, {"log2", Log2, 1e-3, 1e3}, {"log10", Log10, 1e-3, 1e3},
		{"sin", Sin, -20, 20}, {"cos", Cos, -20, 20}, {"tan", Tan, -20, 20}, {"asin", Asin, -1, 1}, {"acos", Acos, -1, 1}, {"atan", Atan, -20, 20},
	}
}

// TestFunctions counts how often the last digit is not C's, which is allowed
// now and then, and checks that nothing else differs.
func TestFunctions(t *testing.T) {
	py := cpython.Start(t)
	d := newDice(40)
	for _, fn := range functions() {
		var args []float64
		for range *cases {
			args = append(args, fn.from+d.Float64()*(fn.to-fn.from))
		}
		for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 2, 3, 8, 10, 100, 1000, 1e-5, 1e-10, 1e-300, 5e-324, math.Pi, math.Pi / 2, 1e8, 1e15, 700, -700, -745, 1024, 1e22, 1e300} {
			switch y := fn.f(x); {
			case math.IsInf(y, 0) || y != y: // an exception in Python
			case x > 1e9 && strings.Contains("sin cos tan", fn.name):
			default:
				args = append(args, x)
			}
		}
		var list strings.Builder
		for _, x := range args {
			list.WriteString(pyFloat(x) + ",")
		}
		reply := py.Exec(t, "import math\nfor x in ["+list.String()+"]: print(repr(math."+fn.name+"(x)))")
		if reply.Error != "" {
			t.Fatal(fn.name, reply.Error)
		}
		different := 0
		for i, line := range strings.Fields(reply.Out) {
			want, err := ParseFloat(line)
			if err != nil {
				t.Fatal(err)
			}
			got := fn.f(args[i])
			if got == want && math.Signbit(got) == math.Signbit(want) {
				continue
			}
			if different++; math.Abs(got-want) > math.Abs(want)*0x1p-51 {
				t.Errorf("%s(%v): got %v, want %v", fn.name, args[i], got, want)
			}
		}
		if different > len(args)/100 {
			t.Errorf("%s: %d of %d results are not C's", fn.name, different, len(args))
		}
	}
}

// TestNearest compares functions with constants that have more digits than a float:
// the powers of e and 2, roots and right angles.
func TestNearest(t *testing.T) {
	for _, c := range []struct{ got, want float64 }{
		{Exp(1), math.E}, {Exp(0), 1}, {Log(math.E), 1}, {Log10(1000), 3}, {Log10(1e-5), -5}, {Log2(1 << 40), 40}, {Log2(0.125), -3}, {Exp2(10), 1024},
		{Sin(math.Pi), 1.2246467991473532e-16}, {Cos(math.Pi / 2), 6.123233995736766e-17}, {Tan(math.Pi / 4), 0.9999999999999999}, {Sin(1e6), -0.34999350217129294},
		{Atan(1), math.Pi / 4}, {Asin(1), math.Pi / 2}, {Acos(-1), math.Pi}, {Atan2(1, -1), 3 * math.Pi / 4}, {Atan2(1e-320, 1), 1e-320},
		{Exp(-745), 5e-324}, {Exp(710), math.Inf(1)}, {Log(0), math.Inf(-1)}, {Hypot(3, 4), 5}, {Hypot(1e308, 1e308), 1.4142135623730951e308}, {Hypot(5e-324, 0), 5e-324},
		{Hypot(), 0}, {Hypot(math.NaN(), math.Inf(-1)), math.Inf(1)}, {Hypot(1e200, 1e-200), 1e200},
	} {
		if c.got != c.want {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

func TestAtan2(t *testing.T) {
	d := newDice(41)
	var pairs []pair
	values := []float64{0, math.Copysign(0, -1), 1, -1, 5e-324, 1e300, -1e300, math.Inf(1), math.Inf(-1), 1e-9, 3}
	for _, y := range values {
		for _, x := range values {
			pairs = append(pairs, pair{fmt.Sprintf("math.atan2(%s, %s)", pyFloat(y), pyFloat(x)), showFloat(Atan2(y, x), nil)})
		}
	}
	for range 200 {
		y, x := float64(d.IntN(40)-20), float64(d.IntN(40)-20)
		pairs = append(pairs, pair{fmt.Sprintf("math.atan2(%s, %s)", pyFloat(y), pyFloat(x)), showFloat(Atan2(y, x), nil)})
	}
	compare(t, cpython.Start(t), pairs)
}

func TestSums(t *testing.T) {
	d := newDice(42)
	var pairs []pair
	for range *cases / 4 {
		var plain Sum
		var exact ExactSum
		var v []float64
		var list []string
		for range d.IntN(12) {
			f := of(d, d.float(), d.Float64(), 1e16, -1e16, 1, 1e100, -1e100, 0.1)
			if d.IntN(100) == 0 {
				f = of(d, math.Inf(1), math.Inf(-1), math.NaN())
			}
			plain.Add(f)
			exact.Add(f)
			v, list = append(v, f), append(list, pyFloat(f))
		}
		text := strings.Join(list, ", ")
		pairs = append(pairs,
			pair{"sum([" + text + "], 0.0)", showFloat(plain.Total(), nil)},
			pair{"math.fsum([" + text + "])", showFloat(exact.Total())},
			pair{"math.hypot(" + text + ")", showFloat(Hypot(v...), nil)})
	}
	compare(t, cpython.Start(t), pairs)
	var e ExactSum
	e.Add(math.MaxFloat64)
	e.Add(math.MaxFloat64)
	if _, err := e.Total(); err == nil || err.Error() != "intermediate overflow in fsum" {
		t.Errorf("got %v", err)
	}
}

// TestExactSum compares fsum with sums of 4,000 bits.
func TestExactSum(t *testing.T) {
	d := newDice(43)
	for range *cases / 4 {
		var e ExactSum
		want := new(big.Float).SetPrec(4000)
		for range d.IntN(30) {
			f := d.float() * of(d, 1, 1e-10, 1e-20)
			e.Add(f)
			want.Add(want, new(big.Float).SetFloat64(f))
		}
		w, _ := want.Float64()
		if got, err := e.Total(); err == nil && got != w {
			t.Errorf("got %v, want %v", got, w)
		}
	}
}
