package pytext

import "math"

// The functions of Python's math module whose last digits differ between Go's
// and C's libraries. Where C's comes within a hair of the nearest float these
// return the nearest float, so that about one result in a thousand differs.
// Where C's is coarser (log10) they take the steps that it takes, on top of that.

// Exp returns e**x, an infinity when that is too large.
func Exp(x float64) float64 {
	if !(x > -746 && x < 710) {
		return math.Exp(x)
	}
	return expDD(double{x, 0}).round()
}

// Exp2 returns 2**x, an infinity when that is too large.
func Exp2(x float64) float64 {
	if !(x > -1076 && x < 1025) || x == math.Trunc(x) {
		return math.Exp2(x)
	}
	return expDD(ln2().times(x)).round()
}

// ordinary reports whether x has a logarithm that needs computing.
func ordinary(x float64) bool { return x > 0 && x <= math.MaxFloat64 && x != 1 }

// Log returns the natural logarithm of x.
func Log(x float64) float64 {
	if !ordinary(x) {
		return math.Log(x)
	}
	return logDD(x).hi
}

// Log2 returns the logarithm of x to the base 2.
func Log2(x float64) float64 {
	if !ordinary(x) {
		return math.Log2(x)
	}
	return logDD(x).mul(double{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56}).hi
}

// Log10 returns the logarithm of x to the base 10.
func Log10(x float64) float64 {
	if !ordinary(x) {
		return math.Log10(x)
	}
	// x = m * 2**k with m from 1 to 2, or from 1/2 to 1 when k would be negative.
	m, k := math.Frexp(x)
	if k > 0 {
		m, k = 2*m, k-1
	}
	// The logarithm of 2 in two parts: the first has few enough bits for its
	// product with k to be exact.
	const high = 0x1.34413509f6p-2
	const low = math.Ln2/math.Ln10 - high
	return float64(float64(k)*low) + float64(math.Log10E*Log(m)) + float64(float64(k)*high)
}

// halfPi takes multiples of pi/2 away: what is left, and the multiple modulo 4.
func halfPi(x float64) (double, int) {
	k := math.Round(x * (2 / math.Pi))
	r := double{x, 0}
	for _, part := range [...]float64{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110} {
		p := product(-k, part)
		s := sum(r.hi, p.hi)
		r = quickSum(s.hi, s.lo+(r.lo+p.lo))
	}
	return r, int(int64(k) & 3)
}

// farFromZero is where angles are too large for halfPi.
const farFromZero = 1 << 30

// series sums the terms of sine (first 1) or cosine (first 0) at r, which is
// within pi/4.
func series(r double, first int) double {
	square := r.mul(r)
	square = double{-square.hi, -square.lo}
	t := double{1, 0}
	for n := 28 - first; n > first; n -= 2 {
		t = t.mul(square).div(double{float64(n * (n - 1)), 0}).plus(double{1, 0})
	}
	if first == 1 {
		t = t.mul(r)
	}
	return t
}

// sinCos returns the sine and the cosine of x.
func sinCos(x float64) (sin, cos double) {
	r, quarter := halfPi(x)
	sin, cos = series(r, 1), series(r, 0)
	switch quarter {
	case 1:
		return cos, sin.times(-1)
	case 2:
		return sin.times(-1), cos.times(-1)
	case 3:
		return cos.times(-1), sin
	}
	return sin, cos
}

// Sin returns the sine of x.
func Sin(x float64) float64 {
	if !(math.Abs(x) < farFromZero) || math.Abs(x) < 1e-9 {
		return math.Sin(x)
	}
	sin, _ := sinCos(x)
	return sin.hi
}

// Cos returns the cosine of x.
func Cos(x float64) float64 {
	if !(math.Abs(x) < farFromZero) {
		return math.Cos(x)
	}
	_, cos := sinCos(x)
	return cos.hi
}

// Tan returns the tangent of x.
func Tan(x float64) float64 {
	if !(math.Abs(x) < farFromZero) || math.Abs(x) < 1e-9 {
		return math.Tan(x)
	}
	sin, cos := sinCos(x)
	return sin.div(cos).hi
}

// angle improves a, close to the angle of the point (x, y), by one step.
func angle(a float64, x, y double) float64 {
	sin, cos := sinCos(a)
	off := y.mul(cos).plus(x.mul(sin).times(-1))
	off = off.div(x.mul(cos).plus(y.mul(sin)))
	return double{a, 0}.plus(off).hi
}

// Atan returns the arc tangent of x.
func Atan(x float64) float64 {
	if a := math.Abs(x); !(a < 1e100) || a < 1e-9 {
		return math.Atan(x)
	}
	return angle(math.Atan(x), double{1, 0}, double{x, 0})
}

// Atan2 returns the angle of the point (x, y).
func Atan2(y, x float64) float64 {
	if a, b := math.Abs(x), math.Abs(y); !(a < 1e100 && b < 1e100 && a > 1e-100 && b > 1e-100) || b < a*1e-9 && x > 0 {
		return math.Atan2(y, x)
	}
	return angle(math.Atan2(y, x), double{x, 0}, double{y, 0})
}

// leg returns the square root of 1 - x*x.
func leg(x float64) double { return squareRoot(sum(1, -x).mul(sum(1, x))) }

// Asin returns the arc sine of x.
func Asin(x float64) float64 {
	if a := math.Abs(x); !(a < 1) || a < 1e-9 {
		return math.Asin(x)
	}
	w := leg(x)
	return angle(math.Atan2(x, w.hi), w, double{x, 0})
}

// Acos returns the arc cosine of x.
func Acos(x float64) float64 {
	if !(math.Abs(x) < 1) {
		return math.Acos(x)
	}
	w := leg(x)
	return angle(math.Atan2(w.hi, x), double{x, 0}, w)
}
