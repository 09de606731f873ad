package pytext

import (
	"strings"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// quote returns the quote that repr puts around text with these quotes in it.
func quote(single, double bool) byte {
	if single && !double {
		return '"'
	}
	return '\''
}

// AppendReprStr appends repr(s).
func AppendReprStr(dst []byte, s string) []byte { return appendStr(dst, s, false) }

// AppendASCII appends ascii(s): repr(s) with all but ASCII escaped.
func AppendASCII(dst []byte, s string) []byte { return appendStr(dst, s, true) }

// ReprStr returns repr(s).
func ReprStr(s string) string { return string(AppendReprStr(make([]byte, 0, len(s)+2), s)) }

func appendStr(dst []byte, s string, ascii bool) []byte {
	q := quote(strings.IndexByte(s, '\'') >= 0, strings.IndexByte(s, '"') >= 0)
	dst = append(dst, q)
	plain := 0 // s[plain:i] needs no escape
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < ' ' || c == q || c == '\\' || c == 0x7F {
				dst = append(dst, s[plain:i]...)
				dst = appendEscapedByte(dst, c)
				plain = i + 1
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if ascii || !IsPrintable(r) {
			dst = append(dst, s[plain:i]...)
			dst = appendEscape(dst, r)
			plain = i + n
		}
		i += n
	}
	dst = append(dst, s[plain:]...)
	return append(dst, q)
}

// appendEscapedByte appends the escape of an ASCII character.
func appendEscapedByte(dst []byte, c byte) []byte {
	switch c {
	case '\\', '\'', '"':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
}

// appendEscape appends \xhh, \uhhhh or \Uhhhhhhhh.
func appendEscape(dst []byte, r rune) []byte {
	digits := 2
	switch {
	case r > 0xFFFF:
		dst, digits = append(dst, '\\', 'U'), 8
	case r > 0xFF:
		dst, digits = append(dst, '\\', 'u'), 4
	default:
		dst = append(dst, '\\', 'x')
	}
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[r>>shift&15])
	}
	return dst
}

// AppendReprBytes appends repr of a bytes object.
func AppendReprBytes(dst, b []byte) []byte {
	single, double := false, false
	for _, c := range b {
		single, double = single || c == '\'', double || c == '"'
	}
	q := quote(single, double)
	dst = append(dst, 'b', q)
	for _, c := range b {
		if c < ' ' || c == q || c == '\\' || c >= 0x7F {
			dst = appendEscapedByte(dst, c)
		} else {
			dst = append(dst, c)
		}
	}
	return append(dst, q)
}
