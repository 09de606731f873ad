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
	n := len(inverseFactorial) - 1
	if n%2 != first {
		n--
	}
	t := inverseFactorial[n]
	for n -= 2; n >= 0; n -= 2 {
		t = t.mul(square).plus(inverseFactorial[n])
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

// inverseFactorial holds 1/n! at n.
var inverseFactorial = [...]double{
	{1, 0}, {1, 0},
	{0x1.0000000000000p-1, 0x0.0p+0},
	{0x1.5555555555555p-3, 0x1.5555555555555p-57},
	{0x1.5555555555555p-5, 0x1.5555555555555p-59},
	{0x1.1111111111111p-7, 0x1.1111111111111p-63},
	{0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
	{0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
	{0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},
	{0x1.71de3a556c734p-19, -0x1.c154f8ddc6c00p-73},
	{0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76},
	{0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80},
	{0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83},
	{0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87},
	{0x1.93974a8c07c9dp-37, 0x1.05d6f8a2efd1fp-92},
	{0x1.ae7f3e733b81fp-41, 0x1.1d8656b0ee8cbp-97},
	{0x1.ae7f3e733b81fp-45, 0x1.1d8656b0ee8cbp-101},
	{0x1.952c77030ad4ap-49, 0x1.ac981465ddc6cp-103},
	{0x1.6827863b97d97p-53, 0x1.eec01221a8b0bp-107},
	{0x1.2f49b46814157p-57, 0x1.2650f61dbdcb4p-112},
	{0x1.e542ba4020225p-62, 0x1.ea72b4afe3c2fp-120},
	{0x1.71b8ef6dcf572p-66, -0x1.d043ae40c4647p-120},
	{0x1.0ce396db7f853p-70, -0x1.aebcdbd20331cp-124},
	{0x1.761b41316381ap-75, -0x1.3423c7d91404fp-130},
	{0x1.f2cf01972f578p-80, -0x1.9ada5fcc1ab14p-135},
	{0x1.3f3ccdd165fa9p-84, -0x1.58ddadf344487p-139},
	{0x1.88e85fc6a4e5ap-89, -0x1.71c37ebd16540p-143},
	{0x1.d1ab1c2dccea3p-94, 0x1.054d0c78aea14p-149},
	{0x1.0a18a2635085dp-98, 0x1.b9e2e28e1aa54p-153},
}
