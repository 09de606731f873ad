package pytext

import (
	"math"
	"math/big"
)

var (
	errZeroDivision error = &Error{Kind: ZeroDivisionError, Text: "division by zero"}
	errIntTooLarge  error = &Error{Kind: OverflowError, Text: "int too large to convert to float"}
	errBigQuotient  error = &Error{Kind: OverflowError, Text: "integer division result too large for a float"}
	errRange        error = &Error{Kind: OverflowError, Text: "(34, 'Numerical result out of range')"}
)

// BigToFloat is float(v), rounded to the nearest float.
func BigToFloat(v *big.Int) (float64, error) {
	f, _ := v.Float64()
	if math.IsInf(f, 0) {
		return 0, errIntTooLarge
	}
	return f, nil
}

// FloatDiv is a / b of floats.
func FloatDiv(a, b float64) (float64, error) {
	if b == 0 {
		return 0, errZeroDivision
	}
	return a / b, nil
}

// remainder is C's fmod, in one step where the quotient fits a float.
func remainder(a, b float64) float64 {
	x, y := math.Abs(a), math.Abs(b)
	if q := x / y; q < 1<<53 && x <= math.MaxFloat64 && y <= math.MaxFloat64 && y >= 1e-290 {
		// The truncated quotient is right or one too large, and what the
		// fused operation leaves is exact in both cases.
		r := math.FMA(-math.Trunc(q), y, x)
		if r < 0 {
			r += y
		}
		return math.Copysign(r, a)
	}
	return math.Mod(a, b)
}

// FloatMod is a % b of floats: it has the sign of b.
func FloatMod(a, b float64) (float64, error) {
	if b == 0 {
		return 0, errZeroDivision
	}
	m := remainder(a, b)
	if m == 0 {
		return math.Copysign(0, b), nil
	}
	if (b < 0) != (m < 0) {
		m += b
	}
	return m, nil
}

// FloatDivMod is divmod(a, b) of floats; its quotient is a // b.
func FloatDivMod(a, b float64) (quotient, mod float64, err error) {
	if b == 0 {
		return 0, 0, errZeroDivision
	}
	mod = remainder(a, b)
	quotient = (a - mod) / b
	switch {
	case mod == 0:
		mod = math.Copysign(0, b)
	case (b < 0) != (mod < 0):
		mod += b
		quotient--
	}
	if quotient == 0 {
		return math.Copysign(0, a/b), mod, nil
	}
	floor := math.Floor(quotient)
	if quotient-floor > 0.5 {
		floor++
	}
	return floor, mod, nil
}

// BigTrueDiv is a / b of integers of any size, rounded once.
func BigTrueDiv(a, b *big.Int) (float64, error) {
	if b.Sign() == 0 {
		return 0, errZeroDivision
	}
	if a.Sign() == 0 {
		return zeroOf(b), nil
	}
	x, y := new(big.Int).Abs(a), new(big.Int).Abs(b)
	// The quotient lies between 2**(size-1) and 2**(size+1).
	size := x.BitLen() - y.BitLen()
	switch {
	case size > 1025:
		return 0, errBigQuotient
	case size < -1080:
		if a.Sign() < 0 {
			return -zeroOf(b), nil
		}
		return zeroOf(b), nil
	}
	// Keep 66 bits or more of the quotient, and whether any bit follows.
	shift := 66 - size
	if shift > 0 {
		x.Lsh(x, uint(shift))
	} else {
		y.Lsh(y, uint(-shift))
	}
	q, r := x.QuoRem(x, y, new(big.Int))
	if r.Sign() != 0 {
		q.SetBit(q, 0, 1)
	}
	f := new(big.Float).SetPrec(uint(q.BitLen())).SetInt(q)
	out, _ := f.SetMantExp(f, -shift).Float64() // rounds once, to subnormals too
	if math.IsInf(out, 0) {
		return 0, errBigQuotient
	}
	if a.Sign() != b.Sign() {
		out = -out
	}
	return out, nil
}

// zeroOf is 0 / b.
func zeroOf(b *big.Int) float64 {
	if b.Sign() < 0 {
		return math.Copysign(0, -1)
	}
	return 0
}

// CompareIntFloat compares v with f exactly: -1, 0 or 1. ok is false when f is
// not a number.
func CompareIntFloat(v int64, f float64) (order int, ok bool) {
	switch {
	case f != f:
		return 0, false
	case f >= 1<<63:
		return -1, true
	case f < -(1 << 63):
		return 1, true
	}
	whole := int64(f)
	switch {
	case v < whole:
		return -1, true
	case v > whole:
		return 1, true
	}
	switch rest := f - math.Trunc(f); {
	case rest > 0:
		return -1, true
	case rest < 0:
		return 1, true
	}
	return 0, true
}

// CompareBigFloat compares v with f exactly, as CompareIntFloat does.
func CompareBigFloat(v *big.Int, f float64) (order int, ok bool) {
	if f != f {
		return 0, false
	}
	if math.IsInf(f, 0) {
		return -int(math.Copysign(1, f)), true
	}
	if v.IsInt64() {
		return CompareIntFloat(v.Int64(), f)
	}
	return new(big.Float).SetInt(v).Cmp(big.NewFloat(f)), true
}
