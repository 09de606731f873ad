package regex

import (
	"slices"
	"unicode"
)

// CPython 3.14 knows Unicode 16, the standard library of Go Unicode 15. The
// tables here are what was added, and the cases in which Python's notions differ.

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

// newAlnum are the letters and numbers of Unicode 16 that Unicode 15 lacks.
var newAlnum = []span{
	{0x1c89, 0x1c8a}, {0xa7cb, 0xa7cd}, {0xa7da, 0xa7dc}, {0x105c0, 0x105f3},
	{0x10d40, 0x10d65}, {0x10d6f, 0x10d85}, {0x10ec2, 0x10ec4}, {0x11380, 0x11389},
	{0x1138b, 0x1138b}, {0x1138e, 0x1138e}, {0x11390, 0x113b5}, {0x113b7, 0x113b7},
	{0x113d1, 0x113d1}, {0x113d3, 0x113d3}, {0x116d0, 0x116e3}, {0x11bc0, 0x11be0},
	{0x11bf0, 0x11bf9}, {0x13460, 0x143fa}, {0x16100, 0x1611d}, {0x16130, 0x16139},
	{0x16d40, 0x16d6c}, {0x16d70, 0x16d79}, {0x18cff, 0x18cff}, {0x1ccf0, 0x1ccf9},
	{0x1e5d0, 0x1e5ed}, {0x1e5f0, 0x1e5fa}, {0x2ebf0, 0x2ee5d},
}

// newDigits are the decimal digits among them.
var newDigits = []span{
	{0x10d40, 0x10d49}, {0x116d0, 0x116e3}, {0x11bf0, 0x11bf9}, {0x16130, 0x16139},
	{0x16d70, 0x16d79}, {0x1ccf0, 0x1ccf9}, {0x1e5f1, 0x1e5fa},
}

// newPrintable are the characters of Unicode 16 that are printed as they are
// and that Unicode 15 lacks.
var newPrintable = []span{
	{0x897, 0x897}, {0x1b4e, 0x1b4f}, {0x1b7f, 0x1b7f}, {0x1c89, 0x1c8a},
	{0x2427, 0x2429}, {0x2ffc, 0x2fff}, {0x31e4, 0x31e5}, {0x31ef, 0x31ef},
	{0xa7cb, 0xa7cd}, {0xa7da, 0xa7dc}, {0x105c0, 0x105f3}, {0x10d40, 0x10d65},
	{0x10d69, 0x10d85}, {0x10d8e, 0x10d8f}, {0x10ec2, 0x10ec4}, {0x10efc, 0x10efc},
	{0x11380, 0x11389}, {0x1138b, 0x1138b}, {0x1138e, 0x1138e}, {0x11390, 0x113b5},
	{0x113b7, 0x113c0}, {0x113c2, 0x113c2}, {0x113c5, 0x113c5}, {0x113c7, 0x113ca},
	{0x113cc, 0x113d5}, {0x113d7, 0x113d8}, {0x113e1, 0x113e2}, {0x116d0, 0x116e3},
	{0x11bc0, 0x11be1}, {0x11bf0, 0x11bf9}, {0x11f5a, 0x11f5a}, {0x13460, 0x143fa},
	{0x16100, 0x16139}, {0x16d40, 0x16d79}, {0x18cff, 0x18cff}, {0x1cc00, 0x1ccf9},
	{0x1cd00, 0x1ceb3}, {0x1e5d0, 0x1e5fa}, {0x1e5ff, 0x1e5ff}, {0x1f8b2, 0x1f8bb},
	{0x1f8c0, 0x1f8c1}, {0x1fa89, 0x1fa89}, {0x1fa8f, 0x1fa8f}, {0x1fabe, 0x1fabe},
	{0x1fac6, 0x1fac6}, {0x1fadc, 0x1fadc}, {0x1fadf, 0x1fadf}, {0x1fae9, 0x1fae9},
	{0x1fbcb, 0x1fbef}, {0x2ebf0, 0x2ee5d},
}

// newMarks are the combining marks and digits of Unicode 16 that continue an
// identifier, beside newAlnum.
var newMarks = []span{
	{0x897, 0x897}, {0x10d69, 0x10d6d}, {0x10efc, 0x10efc}, {0x113b8, 0x113c0},
	{0x113c2, 0x113c2}, {0x113c5, 0x113c5}, {0x113c7, 0x113ca}, {0x113cc, 0x113d0},
	{0x113d2, 0x113d2}, {0x113e1, 0x113e2}, {0x11f5a, 0x11f5a}, {0x1611e, 0x1612f},
	{0x1e5ee, 0x1e5ef},
}

// notStart are the letters that do not begin an identifier, because their
// compatibility forms do not.
var notStart = []span{
	{0x37a, 0x37a}, {0xe33, 0xe33}, {0xeb3, 0xeb3}, {0x2e2f, 0x2e2f},
	{0x309b, 0x309c}, {0xfc5e, 0xfc63}, {0xfdfa, 0xfdfb}, {0xfe70, 0xfe70},
	{0xfe72, 0xfe72}, {0xfe74, 0xfe74}, {0xfe76, 0xfe76}, {0xfe78, 0xfe78},
	{0xfe7a, 0xfe7a}, {0xfe7c, 0xfe7c}, {0xfe7e, 0xfe7e}, {0xff9e, 0xff9f},
}

// continuesOnly are those of notStart that may continue one.
var continuesOnly = []span{{0xe33, 0xe33}, {0xeb3, 0xeb3}, {0xff9e, 0xff9f}}

func isNewLetter(r rune) bool { return isIn(newAlnum, r) && !isIn(newDigits, r) }

// isWord is str.isalnum of one character, or the underscore.
func isWord(r rune) bool {
	if r < 0x80 {
		return isASCIIWord(r)
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || isIn(newAlnum, r)
}

func isASCIIWord(r rune) bool { return isASCIILetter(r) || r >= '0' && r <= '9' || r == '_' }

// isDigit is str.isdecimal of one character.
func isDigit(r rune) bool { return unicode.Is(unicode.Nd, r) || isIn(newDigits, r) }

// isSpace is str.isspace of one character.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1C && r <= 0x1F }

func isASCIISpace(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' }

func isPrintable(r rune) bool { return unicode.IsPrint(r) || isIn(newPrintable, r) }

// isIdentifier is str.isidentifier.
func isIdentifier(rs []rune) bool {
	for i, r := range rs {
		ok := isStart(r)
		if i > 0 && !ok {
			ok = isContinuation(r)
		}
		if !ok {
			return false
		}
	}
	return len(rs) > 0
}

func isStart(r rune) bool {
	if r < 0x80 {
		return isASCIILetter(r) || r == '_'
	}
	if isIn(notStart, r) {
		return false
	}
	return unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_ID_Start) || isNewLetter(r)
}

func isContinuation(r rune) bool {
	switch {
	case r < 0x80:
		return isASCIIWord(r)
	case isIn(notStart, r):
		return isIn(continuesOnly, r)
	case r == 0x200c, r == 0x200d, r == 0x30fb, r == 0xff65:
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue) ||
		isIn(newDigits, r) || isIn(newMarks, r)
}

// lower is the lower case that the IGNORECASE flag compares.
func lower(r rune) rune {
	if r < 0x80 {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	switch {
	case r < 0x1c89:
	case r == 0x1c89, r == 0xa7cc, r == 0xa7da:
		return r + 1
	case r == 0xa7cb:
		return 0x264
	case r == 0xa7dc:
		return 0x19b
	case r >= 0x10d50 && r <= 0x10d65:
		return r + 0x20
	}
	return unicode.ToLower(r)
}

// newUpper is the character of Unicode 16 whose lower case is r.
func newUpper(r rune) (rune, bool) {
	switch {
	case r == 'i':
		return 0x130, true // not new, but not in the orbit of i either
	case r < 0x19b:
	case r == 0x1c8a, r == 0xa7cd, r == 0xa7db:
		return r - 1, true
	case r == 0x264:
		return 0xa7cb, true
	case r == 0x19b:
		return 0xa7dc, true
	case r >= 0x10d70 && r <= 0x10d85:
		return r - 0x20, true
	}
	return 0, false
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
	if u, ok := newUpper(lo); ok {
		b = append(b, u)
	}
	return b
}
