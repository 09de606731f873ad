package pytext

import (
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

// ParseFloat is float(s).
func ParseFloat(s string) (float64, error) {
	f, ok := readFloat(trimASCII(spaceToASCII(s)))
	if !ok {
		return 0, valueError("could not convert string to float: " + ReprStr(s))
	}
	return f, nil
}

// ParseFloatBytes is float(b) for a bytes object.
func ParseFloatBytes(b []byte) (float64, error) {
	f, ok := readFloat(trimASCII(string(b)))
	if !ok {
		return 0, valueError("could not convert string to float: " + string(AppendReprBytes(nil, b)))
	}
	return f, nil
}

// readFloat reads a number without spaces around it.
func readFloat(s string) (float64, bool) {
	body := s
	if body != "" && (body[0] == '-' || body[0] == '+') {
		body = body[1:]
	}
	if body == "" {
		return 0, false
	}
	if c := body[0] | 0x20; c == 'i' || c == 'n' {
		f, ok := math.Inf(1), strings.EqualFold(body, "inf") || strings.EqualFold(body, "infinity")
		if !ok {
			f, ok = math.NaN(), strings.EqualFold(body, "nan")
		}
		if !IsASCII(body) { // EqualFold knows letters of other scripts
			return 0, false
		}
		return math.Copysign(f, sign(s)), ok
	}
	shape := floatShape(body)
	if !shape.ok || len(s) > maxFloatText {
		return 0, false
	}
	if shape.underscore {
		s = strings.ReplaceAll(s, "_", "")
	}
	f, _ := strconv.ParseFloat(s, 64) // out of range gives an infinity, as it should
	return f, true
}

func sign(s string) float64 {
	if s[0] == '-' {
		return -1
	}
	return 1
}

type shape struct{ ok, underscore bool }

// floatShape checks digits [. digits] [e [sign] digits] with underscores
// between digits.
func floatShape(s string) (sh shape) {
	digits, i := 0, 0
	run := func() bool {
		for first := true; i < len(s); i++ {
			switch c := s[i]; {
			case c >= '0' && c <= '9':
				digits++
				first = false
			case c == '_':
				sh.underscore = true
				if first || i+1 == len(s) || s[i+1] < '0' || s[i+1] > '9' {
					return false
				}
			default:
				return true
			}
		}
		return true
	}
	if !run() {
		return sh
	}
	if i < len(s) && s[i] == '.' {
		if i++; !run() {
			return sh
		}
	}
	if digits == 0 {
		return sh
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		if i++; i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
		if digits = 0; !run() || digits == 0 {
			return sh
		}
	}
	sh.ok = i == len(s)
	return sh
}

// maxFloatText is the longest text that strconv reads exactly, whatever its
// exponent. What is longer is refused.
const maxFloatText = 800

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
