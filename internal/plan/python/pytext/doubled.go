package pytext

import "math"

// double is an unevaluated sum of two floats, |lo| at most half a unit of hi:
// a number of about 106 bits.
type double struct{ hi, lo float64 }

// sum returns a + b exactly.
func sum(a, b float64) double {
	s := a + b
	t := s - a
	return double{s, (a - (s - t)) + (b - t)}
}

// quickSum returns a + b exactly for |a| >= |b|.
func quickSum(a, b float64) double {
	s := a + b
	return double{s, b - (s - a)}
}

// product returns a * b exactly. The conversion keeps machines that can from
// fusing the product with an addition that follows: results are the same on all.
func product(a, b float64) double {
	p := float64(a * b)
	return double{p, math.FMA(a, b, -p)}
}

func (a double) plus(b double) double {
	s := sum(a.hi, b.hi)
	return quickSum(s.hi, s.lo+a.lo+b.lo)
}

func (a double) times(f float64) double {
	p := product(a.hi, f)
	return quickSum(p.hi, math.FMA(a.lo, f, p.lo))
}

func (a double) mul(b double) double {
	p := product(a.hi, b.hi)
	return quickSum(p.hi, p.lo+(float64(a.hi*b.lo)+float64(a.lo*b.hi)))
}

func (a double) div(b double) double {
	q := a.hi / b.hi
	r := a.plus(b.times(-q))
	q2 := r.hi / b.hi
	r = r.plus(b.times(-q2))
	return quickSum(q, q2).plus(double{r.hi / b.hi, 0})
}

// scaled is d * 2**exp, which need not fit a float.
type scaled struct {
	d   double
	exp int
}

// round returns the nearest float.
func (s scaled) round() float64 {
	if s.exp > -1000 {
		return math.Ldexp(s.d.hi, s.exp) // hi is the sum, rounded
	}
	// A subnormal keeps fewer bits, and must not be rounded twice: cut hi
	// at the place of its last bit, and see what is left over.
	unit := math.Ldexp(1, -1074-s.exp)
	q := math.Floor(s.d.hi / unit)
	rest := sum(s.d.hi, -q*unit)
	left := rest.plus(double{s.d.lo, 0})
	switch half := unit / 2; {
	case left.hi > half, left.hi == half && left.lo > 0, left.hi == half && left.lo == 0 && math.Mod(q, 2) == 1:
		q++
	}
	return math.Ldexp(q, -1074)
}

// ln2 to twice the precision.
func ln2() double { return double{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56} }

// expDD returns e**z for |z| below 800.
func expDD(z double) scaled {
	k := math.Round(z.hi / math.Ln2)
	// What is left is within half of ln 2; a 256th of it needs few terms.
	r := z.plus(ln2().times(-k))
	const halvings = 8
	r = double{r.hi / (1 << halvings), r.lo / (1 << halvings)}
	// e**r - 1, kept apart from the 1 so that squaring loses nothing.
	t := double{1.0 / 5040, 0}
	for _, c := range [...]double{{1.0 / 720, 0}, {0x1.1111111111111p-7, 0x1.1111111111111p-63}, {0x1.5555555555555p-5, 0x1.5555555555555p-59}, {0x1.5555555555555p-3, 0x1.5555555555555p-57}, {0.5, 0}, {1, 0}} {
		t = t.mul(r).plus(c)
	}
	t = t.mul(r)
	for range halvings {
		// (1+t)**2 - 1 = 2t + t*t
		t = double{2 * t.hi, 2 * t.lo}.plus(t.mul(t))
	}
	return scaled{double{1, 0}.plus(t), int(k)}
}

// logDD returns the natural logarithm of finite x > 0.
func logDD(x float64) double {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	// One step of Newton's from the ordinary logarithm y, wrong by some
	// 2**-53: log m = y + log(1+d) with 1+d = m / e**y.
	y := math.Log(m)
	d := double{m, 0}.div(expDD(double{y, 0}).d)
	rest := d.plus(double{-1, 0})
	small := rest.plus(double{-float64(rest.hi*rest.hi) / 2, 0})
	out := double{y, 0}.plus(small)
	if e != 0 {
		out = ln2().times(float64(e)).plus(out)
	}
	return out
}
