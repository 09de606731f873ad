package pytext

import "unicode/utf8"

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
