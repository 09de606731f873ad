package pytext

import (
	"math"
	"math/bits"
)

// FloatPow is a ** b of floats. A negative base with a broken exponent gives
// ErrComplex.
func FloatPow(a, b float64) (float64, error) {
	switch {
	case b == 0 || a == 1:
		return 1, nil
	case b == 1:
		return a, nil
	case a != a || b != b:
		return math.NaN(), nil
	case math.IsInf(b, 0):
		switch x := math.Abs(a); {
		case x == 1:
			return 1, nil
		case (b > 0) == (x > 1):
			return math.Inf(1), nil
		}
		return 0, nil
	case a == 0 && b < 0:
		return 0, errorf(ZeroDivisionError, "zero to a negative power")
	}
	whole := b == math.Trunc(b)
	odd := whole && math.Abs(b) < 1<<53 && int64(b)&1 == 1
	switch {
	case a == 0 || math.IsInf(a, 0):
		out := math.Abs(a)
		if b < 0 {
			out = 0 // of an infinity
		}
		if odd {
			out = math.Copysign(out, a)
		}
		return out, nil
	case a < 0 && !whole:
		return 0, ErrComplex
	}
	out := power(math.Abs(a), b)
	if math.IsInf(out, 0) {
		return 0, errRange
	}
	if a < 0 && odd {
		out = -out
	}
	return out, nil
}

// power returns x**y, rounded to the nearest float, for finite x > 0.
// The libraries that CPython is built on come within 0.52 units of the last
// place, while math.Pow may be several off: after a few years of compound
// interest that shows.
func power(x, y float64) float64 {
	switch y {
	case 2:
		return x * x
	case 0.5:
		return math.Sqrt(x)
	case -1:
		return 1 / x
	}
	if y > 0 && y < 54 && y == math.Trunc(y) {
		if out, ok := smallPower(x, int(y)); ok {
			return out
		}
	}
	l := logDD(x)
	// Far outside the range of floats the product needs no care.
	if p := l.hi * y; p > 710 || p < -746 {
		return math.Exp(p)
	}
	return expDD(l.times(y)).round()
}

// smallPower computes a power whose mantissa fits 64 bits: an exact result, or
// a tie, that approximation could miss.
func smallPower(x float64, n int) (float64, bool) {
	m, e := math.Frexp(x)
	u := uint64(m * (1 << 53))
	zeros := bits.TrailingZeros64(u)
	u, e = u>>zeros, e-53+zeros
	if bits.Len64(u)*n > 64+n {
		return 0, false
	}
	out := uint64(1)
	for range n {
		hi, lo := bits.Mul64(out, u)
		if hi != 0 {
			return 0, false
		}
		out = lo
	}
	if e *= n; e < -1000 { // rounding to a subnormal is another matter
		return 0, false
	}
	return math.Ldexp(float64(out), e), true
}
