package pytext

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// MaxIntDigits is the most decimal digits that an integer is converted from
// or to.
const MaxIntDigits = 4300

// trimmed is a text without spaces around it, and with decimal digits of any script
// as '0' to '9'.
func trimmed(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if d := DecimalValue(r); d >= 0 {
			return '0' + rune(d)
		}
		return r
	}, s))
}

// ParseInt is int(s, base): base 0 or 2 to 36. The result is the int64, or
// the big.Int where it is not nil.
func ParseInt(s string, base int) (int64, *big.Int, error) {
	if base == 10 && len(s) > 0 && len(s) <= 18 {
		if v, ok := shortInt(s); ok {
			return v, nil, nil
		}
	}
	if base != 0 && (base < 2 || base > 36) {
		return 0, nil, valueError("int() base must be >= 2 and <= 36, or 0")
	}
	v, ok, err := readInt(trimmed(s), base)
	if err != nil {
		return 0, nil, err
	}
	if !ok {
		text := ReprStr(s)
		return 0, nil, errorf(ValueError, "invalid literal for int() with base %d: %s", base, text[:Offset(text, 200)])
	}
	if v.IsInt64() {
		return v.Int64(), nil, nil
	}
	return 0, v, nil
}

// shortInt reads a plain decimal number that cannot overflow.
func shortInt(s string) (int64, bool) {
	negative := s[0] == '-'
	if negative || s[0] == '+' {
		if s = s[1:]; s == "" {
			return 0, false
		}
	}
	v := int64(0)
	for i := 0; i < len(s); i++ {
		c := s[i] - '0'
		if c > 9 {
			return 0, false
		}
		v = v*10 + int64(c)
	}
	if negative {
		v = -v
	}
	return v, true
}

// readInt reads a number without spaces around it.
func readInt(s string, base int) (v *big.Int, ok bool, err error) {
	sign := ""
	if s != "" && (s[0] == '-' || s[0] == '+') {
		sign, s = s[:1], s[1:]
	}
	for prefix, prefixed := range map[string]int{"0x": 16, "0o": 8, "0b": 2} {
		if len(s) > 2 && strings.EqualFold(s[:2], prefix) && (base == 0 || base == prefixed) {
			base, s = prefixed, strings.TrimPrefix(s[2:], "_")
			break
		}
	}
	if base == 0 {
		if base = 10; strings.HasPrefix(s, "0") && strings.Trim(s, "0_") != "" {
			return nil, false, nil
		}
	}
	digits, ok := withoutUnderscores(s, base)
	if !ok || digits == "" || slices.ContainsFunc([]byte(digits), func(c byte) bool { return DigitValue(c) >= base }) {
		return nil, false, nil
	}
	if len(digits) > MaxIntDigits && base&(base-1) != 0 {
		return nil, false, errorf(ValueError, "Exceeds the limit (%d digits) for integer string conversion: value has %d digits; use sys.set_int_max_str_digits() to increase the limit", MaxIntDigits, len(digits))
	}
	v, ok = new(big.Int).SetString(sign+digits, base)
	return v, ok, nil
}

// DigitValue is what a digit or letter stands for in the bases up to 36; for
// others it is above.
func DigitValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return int(c|0x20-'a') + 10
	}
	return 99
}

// AppendInt appends v in decimal.
func AppendInt(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v, 10) }

// AppendBig appends v in decimal, or says that it has too many digits.
func AppendBig(dst []byte, v *big.Int) ([]byte, error) {
	if tooManyDigits(v) {
		return dst, errorf(ValueError, "Exceeds the limit (%d digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit", MaxIntDigits)
	}
	return v.Append(dst, 10), nil
}

// tooManyDigits reports whether v has more than MaxIntDigits digits without
// converting it when it is far from that.
func tooManyDigits(v *big.Int) bool {
	// 10**4300 has 14285 bits.
	const bits = 14285
	if n := v.BitLen(); n != bits {
		return n > bits
	}
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(MaxIntDigits), nil)
	return v.CmpAbs(limit) >= 0
}

// RoundInt is round(v, -places) for places > 0: v rounded to a multiple of
// 10**places, ties to the even multiple. v is not changed.
func RoundInt(v *big.Int, places int64) *big.Int {
	// Half of 10**places is above |v| when it has clearly more digits.
	if places > int64(v.BitLen())/3+2 {
		return new(big.Int)
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(places), nil)
	q, r := new(big.Int).QuoRem(v, unit, new(big.Int))
	r.Lsh(r.Abs(r), 1)
	if c := r.Cmp(unit); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(int64(v.Sign())))
	}
	return q.Mul(q, unit)
}
