package pytext

import "unicode/utf8"

// MaxRune is the greatest code point.
const MaxRune = 0x10FFFF

// DecodeRune returns the first code point of s and its width in bytes. Lone
// surrogates are code points. An invalid byte gives (U+FFFD, 1), the empty
// string (U+FFFD, 0).
func DecodeRune(s string) (rune, int) {
	if len(s) > 0 && s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 && len(s) >= 3 && s[0] == 0xED && s[1]&0xE0 == 0xA0 && s[2]&0xC0 == 0x80 {
		return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return r, n
}

// DecodeLastRune returns the last code point of s and its width in bytes.
func DecodeLastRune(s string) (rune, int) {
	n := len(s)
	if n > 0 && s[n-1] < utf8.RuneSelf {
		return rune(s[n-1]), 1
	}
	if n >= 3 && s[n-3] == 0xED && s[n-2]&0xE0 == 0xA0 && s[n-1]&0xC0 == 0x80 {
		return DecodeRune(s[n-3:])
	}
	return utf8.DecodeLastRuneInString(s)
}

// AppendRune appends the code point r, which may be a surrogate.
func AppendRune(dst []byte, r rune) []byte {
	if r&^0x7FF == 0xD800 {
		return append(dst, 0xED, 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(dst, r)
}

// RuneLen returns the bytes that the code point r takes.
func RuneLen(r rune) int {
	switch {
	case r < 0x80:
		return 1
	case r < 0x800:
		return 2
	case r < 0x10000:
		return 3
	}
	return 4
}

// word reads eight bytes; the compiler makes one load of it.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

const highBits = 0x8080808080808080

// IsASCII reports whether s has no byte above 0x7F.
func IsASCII(s string) bool {
	for ; len(s) >= 8; s = s[8:] {
		if word(s)&highBits != 0 {
			return false
		}
	}
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// RuneCount returns the number of code points of the valid string s.
func RuneCount(s string) int {
	n := len(s)
	for ; len(s) >= 8; s = s[8:] {
		w := word(s)
		if w&highBits == 0 {
			continue
		}
		// A continuation byte is 10xxxxxx: bit 7 set, bit 6 not.
		w = w >> 7 & (^w >> 6) & 0x0101010101010101
		n -= int(w * 0x0101010101010101 >> 56)
	}
	for i := 0; i < len(s); i++ {
		if s[i]&0xC0 == 0x80 {
			n--
		}
	}
	return n
}

// Offset returns the byte offset of code point n of the valid string s, and
// len(s) when s is not longer than n code points.
func Offset(s string, n int) int {
	i := 0
	for n >= 8 && len(s)-i >= 8 {
		w := word(s[i:])
		if w&highBits == 0 {
			i, n = i+8, n-8
			continue
		}
		w = w >> 7 & (^w >> 6) & 0x0101010101010101
		i, n = i+8, n-(8-int(w*0x0101010101010101>>56))
	}
	for i < len(s) && s[i]&0xC0 == 0x80 {
		i++ // the word ended inside a code point
	}
	for ; n > 0 && i < len(s); n-- {
		for i++; i < len(s) && s[i]&0xC0 == 0x80; i++ {
		}
	}
	return i
}

// HasSurrogate reports whether the valid string s holds a lone surrogate.
func HasSurrogate(s string) bool {
	for i := 0; i+2 < len(s); i++ {
		if s[i] == 0xED && s[i+1] >= 0xA0 {
			return true
		}
	}
	return false
}

// Runes returns the code points of s.
func Runes(s string) []rune {
	out := make([]rune, 0, RuneCount(s))
	for len(s) > 0 {
		r, n := DecodeRune(s)
		out, s = append(out, r), s[n:]
	}
	return out
}

// FromRunes returns the string of the code points.
func FromRunes(runes []rune) string {
	n := 0
	for _, r := range runes {
		n += RuneLen(r)
	}
	out := make([]byte, 0, n)
	for _, r := range runes {
		out = AppendRune(out, r)
	}
	return string(out)
}
