package pytext

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// AppendFloat appends repr(f), which is also str(f).
func AppendFloat(dst []byte, f float64) []byte {
	a := math.Abs(f)
	switch {
	case a < 1e15 && a == math.Trunc(a) && (f != 0 || !math.Signbit(f)):
		return append(strconv.AppendInt(dst, int64(f), 10), '.', '0')
	case a >= 1e-4 && a < 1e16:
		start := len(dst)
		dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
		for _, c := range dst[start:] {
			if c == '.' {
				return dst
			}
		}
		return append(dst, '.', '0')
	case f == 0:
		return append(dst, "-0.0"...)
	case a <= math.MaxFloat64:
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	case f > 0:
		return append(dst, "inf"...)
	case f < 0:
		return append(dst, "-inf"...)
	}
	return append(dst, "nan"...)
}

// maxFloatText is the longest text that strconv reads exactly, whatever its exponent.
const maxFloatText = 800

// ParseFloat is float(s).
func ParseFloat(s string) (float64, error) {
	text := trimmed(s)
	digits, ok := withoutUnderscores(text, 10)
	if ok && len(digits) > maxFloatText {
		digits, ok = brief(digits)
	}
	// strconv knows no sign of a NaN, and hexadecimal floats, too.
	if rest := strings.TrimLeft(digits, "+-"); ok && len(digits)-len(rest) == 1 && strings.EqualFold(rest, "nan") {
		digits = rest
	}
	if ok && !strings.ContainsAny(digits, "xXpP") {
		f, err := strconv.ParseFloat(digits, 64)
		if err == nil || errors.Is(err, strconv.ErrRange) { // out of range gives an infinity, as it should
			return f, nil
		}
	}
	return 0, valueError("could not convert string to float: " + ReprStr(s))
}

// brief is a long text of the same float with few digits; ok is false for what is no number.
func brief(s string) (text string, ok bool) {
	mantissa, exp, e := s, "0", strings.IndexAny(s, "eE")
	if e >= 0 {
		mantissa, exp = s[:e], s[e+1:]
	}
	rest := strings.TrimLeft(mantissa, "+-")
	sign := mantissa[:len(mantissa)-len(rest)]
	whole, part, _ := strings.Cut(rest, ".")
	power := strings.TrimPrefix(strings.TrimPrefix(exp, "-"), "+")
	if all := whole + part; len(sign) > 1 || all == "" || power == "" || len(exp) > len(power)+1 || strings.Trim(all+power, "0123456789") != "" {
		return s, false
	}
	// The number is 0.digits * 10**point.
	digits := strings.TrimLeft(whole+part, "0")
	point := len(digits) - len(part)
	if power = strings.TrimLeft(power, "0"); len(power) > 17 {
		power = power[:17] // out of range in any case
	}
	if n, _ := strconv.Atoi(power); exp[0] == '-' {
		point -= n
	} else {
		point += n
	}
	if digits = strings.TrimRight(digits, "0"); len(digits) > maxFloatText {
		digits = digits[:maxFloatText] + "1" // it is between two that have so many digits
	}
	return sign + "0." + digits + "0e" + strconv.Itoa(min(max(point, -9999), 9999)), true
}

// withoutUnderscores takes away the underscores between digits; ok is false where
// others are.
func withoutUnderscores(s string, base int) (digits string, ok bool) {
	digit := func(i int) bool { return i >= 0 && i < len(s) && DigitValue(s[i]) < base }
	for i := range len(s) {
		if s[i] == '_' && !(digit(i-1) && digit(i+1)) {
			return s, false
		}
	}
	return strings.ReplaceAll(s, "_", ""), true
}

// FloatToInt is int(f): the int64, or the big.Int where it is not nil.
func FloatToInt(f float64) (int64, *big.Int, error) {
	if f > -(1<<63) && f < 1<<63 {
		return int64(f), nil, nil
	}
	if math.IsNaN(f) {
		return 0, nil, valueError("cannot convert float NaN to integer")
	}
	if math.IsInf(f, 0) {
		return 0, nil, errorf(OverflowError, "cannot convert float infinity to integer")
	}
	b, _ := big.NewFloat(f).Int(nil)
	if b.IsInt64() {
		return b.Int64(), nil, nil
	}
	return 0, b, nil
}

// RoundFloat is round(f, digits).
func RoundFloat(f float64, digits int64) (float64, error) {
	switch {
	case f == 0 || math.IsNaN(f) || math.IsInf(f, 0) || digits > 323:
		return f, nil // 323 digits reach the smallest float
	case digits < -308:
		return math.Copysign(0, f), nil
	}
	var buf [400]byte
	if digits >= 0 {
		text := strconv.AppendFloat(buf[:0], f, 'f', int(digits), 64)
		out, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			return 0, errorf(OverflowError, "rounded value too large to represent")
		}
		return out, nil
	}
	// |f| has at most 309 digits before its point.
	n, _ := big.NewFloat(f).Int(nil)
	whole := new(big.Float).SetInt(n).Cmp(big.NewFloat(f)) == 0
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(-digits), nil)
	q, r := n.QuoRem(n, unit, new(big.Int))
	r.Lsh(r.Abs(r), 1)
	if c := r.Cmp(unit); c > 0 || c == 0 && (!whole || q.Bit(0) == 1) {
		q.Add(q, big.NewInt(int64(math.Copysign(1, f))))
	}
	out, _ := new(big.Float).SetInt(q.Mul(q, unit)).Float64()
	if math.IsInf(out, 0) {
		return 0, errorf(OverflowError, "rounded value too large to represent")
	}
	return math.Copysign(out, f), nil
}

// Ratio is float.as_integer_ratio.
func Ratio(f float64) (num, den *big.Int, err error) {
	if math.IsNaN(f) {
		return nil, nil, valueError("cannot convert NaN to integer ratio")
	}
	if math.IsInf(f, 0) {
		return nil, nil, errorf(OverflowError, "cannot convert Infinity to integer ratio")
	}
	r := new(big.Rat).SetFloat64(f)
	return new(big.Int).Set(r.Num()), new(big.Int).Set(r.Denom()), nil
}
