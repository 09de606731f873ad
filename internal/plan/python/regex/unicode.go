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

func isASCIIWord(r rune) bool { return isASCIILetter(r) || isASCIIDigit(r) || r == '_' }

func isASCIISpace(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' }

func isASCIIDigit(r rune) bool { return r >= '0' && r <= '9' }

func isASCIILetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// same reports whether two characters are the same to a back reference.
func same(p, q rune, mode caseMode) bool {
	switch {
	case p == q || mode == exact:
		return p == q
	case mode == foldASCII:
		return isASCIILetter(p) && p^q == 0x20
	}
	f := unicode.SimpleFold(p)
	for f != p && f != q {
		f = unicode.SimpleFold(f)
	}
	return f == q
}
