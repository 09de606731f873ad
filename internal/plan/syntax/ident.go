package syntax

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// idStart says whether r may begin an identifier.
func idStart(r rune) bool {
	if r < 0x80 {
		return isLetter(byte(r))
	}
	return unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_ID_Start)
}

// idContinue says whether r may be within an identifier.
func idContinue(r rune) bool {
	if r < 0x80 {
		return isWord(byte(r))
	}
	return idStart(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}

// normalized returns an identifier as Python compares it.
func normalized(s string) string { return norm.NFKC.String(s) }
