package regex

import (
	"math"
	"unicode/utf8"

	"praxis/internal/plan/python/pytext"
)

// Text is a str as the engine reads it: a sequence of characters with an index. The
// zero value is the empty str.
type Text struct {
	narrow string // ASCII
	wide   []rune // otherwise
}

// Str is a str. ASCII is not copied.
func Str(s string) Text {
	if pytext.IsASCII(s) {
		return Text{narrow: s}
	}
	return Text{wide: []rune(s)}
}

// Runes is a str given as code points. The caller does not change them later.
func Runes(r []rune) Text { return Text{wide: r} }

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

// Slice is the text from i up to j, in UTF-8.
func (t Text) Slice(i, j int) string {
	if t.wide == nil {
		return t.narrow[i:j]
	}
	return string(t.wide[i:j])
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
