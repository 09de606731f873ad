package pytext

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxIntDigits is the most decimal digits that an integer is converted from
// or to.
const MaxIntDigits = 4300

// spaceToASCII turns spaces into ' ' and decimal digits into '0' to '9', as
// int and float read them; ASCII stays as it is. What is neither becomes '?',
// and what follows it is of no interest.
func spaceToASCII(s string) string {
	if IsASCII(s) {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, n := DecodeRune(s[i:])
		i += n
		switch d := DecimalValue(r); {
		case r < utf8.RuneSelf:
			out = append(out, byte(r))
		case IsSpace(r):
			out = append(out, ' ')
		case d >= 0:
			out = append(out, '0'+byte(d))
		default:
			return string(append(out, '?'))
		}
	}
	return string(out)
}

// trimASCII cuts what C's isspace calls a space off both ends.
func trimASCII(s string) string {
	for len(s) > 0 && IsByteSpace(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && IsByteSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// ParseInt is int(s, base): base 0 or 2 to 36. The result is the int64, or
// the big.Int where it is not nil.
func ParseInt(s string, base int) (int64, *big.Int, error) {
	if base == 10 && len(s) > 0 && len(s) <= 18 {
		if v, ok := shortInt(s); ok {
			return v, nil, nil
		}
	}
	return parseInt(spaceToASCII(s), base, func() []byte { return AppendReprStr(nil, s) })
}

// ParseIntBytes is int(b, base) for a bytes object.
func ParseIntBytes(b []byte, base int) (int64, *big.Int, error) {
	return parseInt(string(b), base, func() []byte { return AppendReprBytes(nil, b) })
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

func parseInt(s string, base int, repr func() []byte) (int64, *big.Int, error) {
	if base != 0 && (base < 2 || base > 36) {
		return 0, nil, valueError("int() base must be >= 2 and <= 36, or 0")
	}
	v, b, ok, err := readInt(trimASCII(s), base)
	if ok || err != nil {
		return v, b, err
	}
	text := repr()
	if RuneCount(string(text)) > 200 {
		text = text[:Offset(string(text), 200)]
	}
	return 0, nil, errorf(ValueError, "invalid literal for int() with base %d: %s", base, text)
}

// readInt reads a number without spaces around it.
func readInt(s string, base int) (v int64, b *big.Int, ok bool, err error) {
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	onlyZero := false
	if len(s) >= 2 && s[0] == '0' {
		prefixed := 0
		switch s[1] | 0x20 {
		case 'x':
			prefixed = 16
		case 'o':
			prefixed = 8
		case 'b':
			prefixed = 2
		}
		if prefixed != 0 && (base == 0 || base == prefixed) {
			base = prefixed
			if s = s[2:]; strings.HasPrefix(s, "_") {
				s = s[1:]
			}
		}
	}
	if base == 0 {
		base, onlyZero = 10, strings.HasPrefix(s, "0")
	}
	digits, clean := intDigits(s, base)
	if clean && digits > MaxIntDigits && base&(base-1) != 0 {
		return 0, nil, false, errorf(ValueError, "Exceeds the limit (%d digits) for integer string conversion: value has %d digits; use sys.set_int_max_str_digits() to increase the limit", MaxIntDigits, digits)
	}
	if !clean {
		return 0, nil, false, nil
	}
	if digits != len(s) {
		s = strings.ReplaceAll(s, "_", "")
	}
	if u, e := strconv.ParseUint(s, base, 63); e == nil {
		v = int64(u)
	} else if b, ok = new(big.Int).SetString(s, base); !ok {
		return 0, nil, false, nil
	}
	if onlyZero && (b != nil || v != 0) {
		return 0, nil, false, nil
	}
	switch {
	case b != nil && negative:
		b.Neg(b)
		if b.IsInt64() {
			return b.Int64(), nil, true, nil
		}
	case negative:
		v = -v
	}
	return v, b, true, nil
}

// intDigits counts the digits that s begins with and reports whether s holds
// nothing else but single underscores between them.
func intDigits(s string, base int) (n int, clean bool) {
	last := byte('_')
	for i := 0; i < len(s); i++ {
		if s[i] == '_' {
			if last == '_' {
				return n, false
			}
		} else if DigitValue(s[i]) >= base {
			return n, false
		} else {
			n++
		}
		last = s[i]
	}
	return n, last != '_'
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
