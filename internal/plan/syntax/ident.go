package syntax

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// notXID are the characters that begin an identifier by their category but
// not after normalisation (the X of XID in Unicode's annex 31), and
// notXIDContinue those that cannot even stand within one.
var (
	notXID = unicode.RangeTable{R16: []unicode.Range16{
		{Lo: 0x037A, Hi: 0x037A, Stride: 1}, {Lo: 0x0E33, Hi: 0x0E33, Stride: 1},
		{Lo: 0x0EB3, Hi: 0x0EB3, Stride: 1}, {Lo: 0x2E2F, Hi: 0x2E2F, Stride: 1}, {Lo: 0x309B, Hi: 0x309C, Stride: 1},
		{Lo: 0xFC5E, Hi: 0xFC63, Stride: 1}, {Lo: 0xFDFA, Hi: 0xFDFB, Stride: 1},
		{Lo: 0xFE70, Hi: 0xFE70, Stride: 1}, {Lo: 0xFE72, Hi: 0xFE72, Stride: 1},
		{Lo: 0xFE74, Hi: 0xFE74, Stride: 1}, {Lo: 0xFE76, Hi: 0xFE7E, Stride: 2},
		{Lo: 0xFF9E, Hi: 0xFF9F, Stride: 1},
	}}
	notXIDContinue = unicode.RangeTable{R16: []unicode.Range16{
		{Lo: 0x037A, Hi: 0x037A, Stride: 1}, {Lo: 0x2E2F, Hi: 0x2E2F, Stride: 1},
		{Lo: 0x309B, Hi: 0x309C, Stride: 1}, {Lo: 0xFC5E, Hi: 0xFC63, Stride: 1}, {Lo: 0xFDFA, Hi: 0xFDFB, Stride: 1},
		{Lo: 0xFE70, Hi: 0xFE70, Stride: 1}, {Lo: 0xFE72, Hi: 0xFE72, Stride: 1},
		{Lo: 0xFE74, Hi: 0xFE74, Stride: 1}, {Lo: 0xFE76, Hi: 0xFE7E, Stride: 2},
	}}
)

// idStart says whether r may begin an identifier.
func idStart(r rune) bool {
	if r < 0x80 {
		return classes[r]&cIdent != 0
	}
	return (unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_ID_Start, &newIDStart)) && !unicode.Is(&notXID, r)
}

// idContinue says whether r may be within an identifier.
func idContinue(r rune) bool {
	if r < 0x80 {
		return classes[r]&(cIdent|cDigit) != 0
	}
	return (unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc,
		unicode.Other_ID_Start, unicode.Other_ID_Continue, &newIDContinue)) && !unicode.Is(&notXIDContinue, r)
}

// normalized returns an identifier as Python compares it.
func normalized(s string) string { return norm.NFKC.String(s) }
