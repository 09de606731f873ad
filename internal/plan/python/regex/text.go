package regex

import (
	"math"
	"unicode/utf8"
)

// Text is a str or a bytes object as the engine reads it: a sequence of
// characters with an index. The zero value is the empty str.
type Text struct {
	narrow string // one byte a character: an ASCII str, or bytes
	wide   []rune // otherwise
	bytes  bool
}

// Str is a str. ASCII is not copied. A surrogate is three bytes of s.
func Str(s string) Text {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return Text{wide: decode(s)}
		}
	}
	return Text{narrow: s}
}

// Runes is a str given as code points. The caller does not change them later.
func Runes(r []rune) Text { return Text{wide: r} }

// Bytes is a bytes object.
func Bytes(s string) Text { return Text{narrow: s, bytes: true} }

// IsBytes reports whether the text is a bytes object and not a str.
func (t Text) IsBytes() bool { return t.bytes }

// Len is the number of characters.
func (t Text) Len() int {
	if t.wide != nil {
		return len(t.wide)
	}
	return len(t.narrow)
}

// At is the character at i.
func (t Text) At(i int) rune {
	if t.wide != nil {
		return t.wide[i]
	}
	return rune(t.narrow[i])
}

// Slice is the text from i up to j: the bytes of a bytes object, UTF-8 for a
// str, with three bytes for a surrogate.
func (t Text) Slice(i, j int) string {
	if t.wide == nil {
		return t.narrow[i:j]
	}
	return encode(t.wide[i:j])
}

// String is the whole text as Slice gives it.
func (t Text) String() string { return t.Slice(0, t.Len()) }

// runes are the characters as code points, in a slice that must not be changed.
func (t Text) runes() []rune {
	if t.wide != nil {
		return t.wide
	}
	out := make([]rune, len(t.narrow))
	for i := range len(t.narrow) {
		out[i] = rune(t.narrow[i])
	}
	return out
}

// bound bounds the bytes of n characters.
func (t Text) bound(n int) int {
	if t.wide == nil {
		return n
	}
	return utf8.UTFMax * n
}

// fits reports whether positions in the text fit the machines' frames.
func (t Text) fits() bool { return t.Len() < math.MaxInt32 }

// decode reads UTF-8 in which surrogates may be alone.
func decode(s string) []rune {
	out := make([]rune, 0, utf8.RuneCountInString(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 && i+2 < len(s) && s[i] == 0xED && s[i+1]&0xE0 == 0xA0 && s[i+2]&0xC0 == 0x80 {
			r, n = 0xD000|rune(s[i+1]&0x3F)<<6|rune(s[i+2]&0x3F), 3
		}
		out = append(out, r)
		i += n
	}
	return out
}

// encode is the inverse of decode.
func encode(rs []rune) string {
	b := make([]byte, 0, len(rs)+len(rs)/2)
	for _, r := range rs {
		b = appendRune(b, r)
	}
	return string(b)
}

// appendRune appends UTF-8, with three bytes for a surrogate.
func appendRune(b []byte, r rune) []byte {
	if r >= 0xD800 && r <= 0xDFFF {
		return append(b, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0xBF)
	}
	return utf8.AppendRune(b, r)
}
