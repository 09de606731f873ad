package syntax

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendRepr writes s, which is WTF-8, as Python's repr of a str.
func appendRepr(out []byte, s string) []byte {
	quote := byte('\'')
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		quote = '"'
	}
	out = append(out, quote)
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			out = appendASCII(out, c, quote)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 && i+2 < len(s) {
			// a lone surrogate
			r, n = rune(c&0x0F)<<12|rune(s[i+1]&0x3F)<<6|rune(s[i+2]&0x3F), 3
		}
		switch {
		case n > 1 && unicode.IsPrint(r):
			out = append(out, s[i:i+n]...)
		case r < 0x100:
			out = append(out, '\\', 'x', hexDigits[r>>4], hexDigits[r&15])
		case r < 0x10000:
			out = append(out, '\\', 'u')
			out = appendHex(out, r, 4)
		default:
			out = append(out, '\\', 'U')
			out = appendHex(out, r, 8)
		}
		i += n
	}
	return append(out, quote)
}

func appendHex(out []byte, r rune, n int) []byte {
	for n--; n >= 0; n-- {
		out = append(out, hexDigits[r>>(4*n)&15])
	}
	return out
}

// appendASCII writes one ASCII character of a repr.
func appendASCII(out []byte, c, quote byte) []byte {
	switch {
	case c == quote || c == '\\':
		return append(out, '\\', c)
	case c == '\n':
		return append(out, '\\', 'n')
	case c == '\r':
		return append(out, '\\', 'r')
	case c == '\t':
		return append(out, '\\', 't')
	case c < ' ' || c == 0x7f:
		return append(out, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
	}
	return append(out, c)
}

// appendBytesRepr writes s as Python's repr of bytes.
func appendBytesRepr(out []byte, s string) []byte {
	quote := byte('\'')
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		quote = '"'
	}
	out = append(out, 'b', quote)
	for i := range len(s) {
		if c := s[i]; c < 0x80 {
			out = appendASCII(out, c, quote)
		} else {
			out = append(out, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(out, quote)
}

// appendFloat writes f as Python's repr, with `.0` behind a whole number when
// dot is set.
func appendFloat(out []byte, f float64, dot bool) []byte {
	if math.IsInf(f, 0) {
		return append(out, "inf"...) // literals are never negative
	}
	digits := strconv.FormatFloat(f, 'e', -1, 64)
	e := strings.IndexByte(digits, 'e')
	exp, _ := strconv.Atoi(digits[e+1:])
	if exp < -4 || exp >= 16 {
		out = append(out, digits[:e+2]...)
		if n := max(exp, -exp); n < 10 {
			out = append(out, '0')
		}
		return strconv.AppendInt(out, int64(max(exp, -exp)), 10)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	out = append(out, text...)
	if dot && strings.IndexByte(text, '.') < 0 {
		out = append(out, ".0"...)
	}
	return out
}
