package regex

import (
	"slices"
	"unicode"

	"praxis/internal/plan/python/pytext"
)

// span is a range of code points.
type span struct{ lo, hi rune }

// isIn looks r up in sorted ranges.
func isIn(table []span, r rune) bool {
	_, ok := slices.BinarySearchFunc(table, r, func(s span, r rune) int {
		switch {
		case s.hi < r:
			return -1
		case s.lo > r:
			return 1
		}
		return 0
	})
	return ok
}

// isWord is str.isalnum of one character, or the underscore.
func isWord(r rune) bool {
	if r < 0x80 {
		return isASCIIWord(r)
	}
	return pytext.IsAlnum(r)
}

func isASCIIWord(r rune) bool { return isASCIILetter(r) || r >= '0' && r <= '9' || r == '_' }

// isDigit is str.isdecimal of one character.
func isDigit(r rune) bool { return pytext.DecimalValue(r) >= 0 }

func isASCIISpace(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' }

// lower is the lower case that the IGNORECASE flag compares.
func lower(r rune) rune {
	if r < 0x80 {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	return pytext.LowerRune(r)
}

// sameUpper are lower-case characters that share their upper case with others.
var sameUpper = []struct {
	r      rune
	others [2]rune
}{
	{0x0069, [2]rune{0x0131}}, {0x0073, [2]rune{0x017f}}, {0x00b5, [2]rune{0x03bc}},
	{0x0131, [2]rune{0x0069}}, {0x017f, [2]rune{0x0073}}, {0x0345, [2]rune{0x03b9, 0x1fbe}},
	{0x0390, [2]rune{0x1fd3}}, {0x03b0, [2]rune{0x1fe3}}, {0x03b2, [2]rune{0x03d0}},
	{0x03b5, [2]rune{0x03f5}}, {0x03b8, [2]rune{0x03d1}}, {0x03b9, [2]rune{0x0345, 0x1fbe}},
	{0x03ba, [2]rune{0x03f0}}, {0x03bc, [2]rune{0x00b5}}, {0x03c0, [2]rune{0x03d6}},
	{0x03c1, [2]rune{0x03f1}}, {0x03c2, [2]rune{0x03c3}}, {0x03c3, [2]rune{0x03c2}},
	{0x03c6, [2]rune{0x03d5}}, {0x03d0, [2]rune{0x03b2}}, {0x03d1, [2]rune{0x03b8}},
	{0x03d5, [2]rune{0x03c6}}, {0x03d6, [2]rune{0x03c0}}, {0x03f0, [2]rune{0x03ba}},
	{0x03f1, [2]rune{0x03c1}}, {0x03f5, [2]rune{0x03b5}}, {0x0432, [2]rune{0x1c80}},
	{0x0434, [2]rune{0x1c81}}, {0x043e, [2]rune{0x1c82}}, {0x0441, [2]rune{0x1c83}},
	{0x0442, [2]rune{0x1c84, 0x1c85}}, {0x044a, [2]rune{0x1c86}}, {0x0463, [2]rune{0x1c87}},
	{0x1c80, [2]rune{0x0432}}, {0x1c81, [2]rune{0x0434}}, {0x1c82, [2]rune{0x043e}},
	{0x1c83, [2]rune{0x0441}}, {0x1c84, [2]rune{0x0442, 0x1c85}}, {0x1c85, [2]rune{0x0442, 0x1c84}},
	{0x1c86, [2]rune{0x044a}}, {0x1c87, [2]rune{0x0463}}, {0x1c88, [2]rune{0xa64b}},
	{0x1e61, [2]rune{0x1e9b}}, {0x1e9b, [2]rune{0x1e61}}, {0x1fbe, [2]rune{0x0345, 0x03b9}},
	{0x1fd3, [2]rune{0x0390}}, {0x1fe3, [2]rune{0x03b0}}, {0xa64b, [2]rune{0x1c88}},
	{0xfb05, [2]rune{0xfb06}}, {0xfb06, [2]rune{0xfb05}},
}

// maxSame bounds the characters that match the same under IGNORECASE.
const maxSame = 16

// foldings appends to b, whose capacity is maxSame, all characters that match
// where r does under IGNORECASE: those whose lower case is that of r, or shares
// its upper case.
func foldings(b []rune, r rune) []rune {
	lo := lower(r)
	b = sameLower(b, lo)
	i, ok := slices.BinarySearchFunc(sameUpper, lo, func(e struct {
		r      rune
		others [2]rune
	}, r rune) int {
		return int(e.r - r)
	})
	if !ok {
		return b
	}
	for _, o := range sameUpper[i].others {
		if o != 0 {
			b = sameLower(b, o)
		}
	}
	return b
}

// sameLower appends the characters whose lower case is lo.
func sameLower(b []rune, lo rune) []rune {
	b = append(b, lo)
	for f := unicode.SimpleFold(lo); f != lo; f = unicode.SimpleFold(f) {
		if lower(f) == lo {
			b = append(b, f)
		}
	}
	// The library of Go knows Unicode 15, CPython 16.
	if up := pytext.UpperRune(lo); up != lo && lower(up) == lo && !slices.Contains(b, up) {
		b = append(b, up)
	}
	if lo == 'i' {
		b = append(b, 0x130) // which is not in the orbit of i
	}
	return b
}
