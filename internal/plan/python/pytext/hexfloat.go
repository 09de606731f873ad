package pytext

import (
	"math"
	"strconv"
	"strings"
)

// AppendFloatHex appends float.hex(f).
func AppendFloatHex(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return AppendFloat(dst, f)
	}
	if math.Signbit(f) {
		dst = append(dst, '-')
	}
	if f == 0 {
		return append(dst, "0x0.0p+0"...)
	}
	b := math.Float64bits(f)
	exponent := int64(b>>52&0x7FF) - 1023
	if exponent == -1023 {
		dst, exponent = append(dst, "0x0."...), -1022
	} else {
		dst = append(dst, "0x1."...)
	}
	for shift := 48; shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[b>>shift&15])
	}
	dst = append(dst, 'p')
	if exponent >= 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, exponent, 10)
}

var errHexFloat error = &Error{Kind: ValueError, Text: "invalid hexadecimal floating-point string"}

// ParseFloatHex is float.fromhex(s).
func ParseFloatHex(s string) (float64, error) {
	if !IsASCII(s) { // letters of other scripts may become ASCII below
		return 0, errHexFloat
	}
	s = trimASCII(s)
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	out, err := hexValue(strings.ToLower(s))
	if negative {
		out = -out
	}
	return out, err
}

// hexValue reads a number without its sign.
func hexValue(s string) (float64, error) {
	switch s {
	case "inf", "infinity":
		return math.Inf(1), nil
	case "nan":
		return math.NaN(), nil
	}
	s = strings.TrimPrefix(s, "0x")
	mantissa, power, hasPower := strings.Cut(s, "p")
	exponent := int64(0)
	if hasPower {
		digits := strings.TrimLeft(power, "+-")
		if digits == "" || len(power)-len(digits) > 1 || strings.Trim(digits, "0123456789") != "" {
			return 0, errHexFloat
		}
		exponent, _ = strconv.ParseInt(power, 10, 48) // out of range: the limit of the range
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if digits == "" || strings.Trim(digits, "0123456789abcdef") != "" {
		return 0, errHexFloat
	}
	exponent -= 4 * int64(len(fraction))
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return 0, nil
	}
	// Sixteen digits and one for all the rest decide every rounding.
	const most = 16
	if len(digits) > most {
		exponent += 4 * int64(len(digits)-most-1)
		rest := "0"
		if strings.Trim(digits[most:], "0") != "" {
			rest = "1"
		}
		digits = digits[:most] + rest
	}
	exponent = max(min(exponent, 5000), -5000)
	out, err := strconv.ParseFloat("0x"+digits+"p"+strconv.FormatInt(exponent, 10), 64)
	if err != nil {
		return 0, errorf(OverflowError, "hexadecimal value too large to represent as a float")
	}
	return out, nil
}
