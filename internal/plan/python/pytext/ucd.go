package pytext

import (
	_ "embed"
	"unicode/utf8"
)

// ucd holds what CPython 3.14 (Unicode 16) knows of each code point, in
// little-endian numbers: the places of the records and of the special mappings;
// for each block of 128 code points the number of its page; the pages, which hold
// the index of each code point's record; the records, and the special mappings.
// TestTables compares it with CPython, and writes it anew with -update.
//
//go:embed ucd.bin
var ucd string

//go:generate go test -run ^TestTables$ . -update

// The properties in a record's flags.
const (
	flagAlpha uint16 = 1 << iota
	flagDecimal
	flagDigit
	flagNumeric
	flagSpace
	flagUpper
	flagLower
	flagTitle // titlecase letters only
	flagPrintable
	flagIDStart
	flagIDContinue
	flagLineBreak
	flagIgnorable // invisible to the rule of the final sigma
	flagSpecial   // the mappings are indices of special mappings
)

const (
	pageShift   = 7
	pageSize    = 1 << pageShift
	pageCount   = (utf8.MaxRune + 1) >> pageShift
	headSize    = 8
	recordSize  = 19
	specialSize = 6
)

// record is the place in ucd of what several code points have in common: flags,
// the value of a digit, and four mappings.
type record int

// The mappings of a record.
type mapping int

const (
	upper mapping = iota
	lower
	title
	fold
)

// number16 reads the 16-bit number at a place.
func number16(at int) int { return int(ucd[at]) | int(ucd[at+1])<<8 }

// recordOf returns the record of r.
func recordOf(r rune) record {
	records := number16(0) | number16(2)<<16
	if uint32(r) > utf8.MaxRune {
		return record(records)
	}
	page := number16(headSize + int(r>>pageShift)*2)
	index := number16(headSize + (pageCount+page*pageSize+int(r&(pageSize-1)))*2)
	return record(records + index*recordSize)
}

func (r record) flags() uint16 { return uint16(number16(int(r))) }

func (r record) digit() int { return int(int8(ucd[int(r)+2])) }

// mapped returns what to add to the code point, or the index of a special mapping.
func (r record) mapped(m mapping) int32 {
	at := int(r) + 3 + int(m)*4
	return int32(number16(at) | number16(at+2)<<16)
}

// special returns the code points of a special mapping; those behind the last are 0.
func special(index int32) (out [3]rune) {
	at := (number16(4) | number16(6)<<16) + int(index)*specialSize
	for i := range out {
		out[i] = rune(number16(at + 2*i))
	}
	return out
}

// IsSpace reports whether str.isspace, split and strip take r for a space.
func IsSpace(r rune) bool {
	if r < 0x80 {
		return r == ' ' || r >= 9 && r <= 13 || r >= 28 && r <= 31
	}
	return recordOf(r).flags()&flagSpace != 0
}

// IsByteSpace reports whether bytes.isspace, split and strip take b for a space.
func IsByteSpace(b byte) bool { return b == ' ' || b >= 9 && b <= 13 }

// IsLineBreak reports whether str.splitlines ends a line at r. The pair "\r\n"
// is one break.
func IsLineBreak(r rune) bool {
	if r < 0x80 {
		return r >= 10 && r <= 13 || r >= 28 && r <= 30
	}
	return r == 0x85 || r == 0x2028 || r == 0x2029
}

// IsPrintable reports whether repr shows r as it is.
func IsPrintable(r rune) bool {
	if r < 0x7F {
		return r >= ' '
	}
	return recordOf(r).flags()&flagPrintable != 0
}

// IsIDStart reports whether an identifier may begin with r.
func IsIDStart(r rune) bool {
	return r == '_' || recordOf(r).flags()&flagIDStart != 0
}

// DecimalValue returns the value of a decimal digit of any script, or -1.
func DecimalValue(r rune) int {
	if r < 0x80 {
		if r >= '0' && r <= '9' {
			return int(r - '0')
		}
		return -1
	}
	if rec := recordOf(r); rec.flags()&flagDecimal != 0 {
		return rec.digit()
	}
	return -1
}

// IsAlnum reports whether str.isalnum takes r for a letter or a number.
func IsAlnum(r rune) bool {
	return recordOf(r).flags()&(flagAlpha|flagDecimal|flagDigit|flagNumeric) != 0
}

// all reports whether s is not empty and each code point has one of the flags.
func all(s string, flags uint16) bool {
	for _, r := range s {
		if recordOf(r).flags()&flags == 0 {
			return false
		}
	}
	return len(s) > 0
}

// StrIsAlpha is str.isalpha.
func StrIsAlpha(s string) bool { return all(s, flagAlpha) }

// StrIsAlnum is str.isalnum.
func StrIsAlnum(s string) bool { return all(s, flagAlpha|flagDecimal|flagDigit|flagNumeric) }

// StrIsDecimal is str.isdecimal.
func StrIsDecimal(s string) bool { return all(s, flagDecimal) }

// StrIsDigit is str.isdigit.
func StrIsDigit(s string) bool { return all(s, flagDigit) }

// StrIsNumeric is str.isnumeric.
func StrIsNumeric(s string) bool { return all(s, flagNumeric) }

// StrIsSpace is str.isspace.
func StrIsSpace(s string) bool { return all(s, flagSpace) }

// StrIsPrintable is str.isprintable.
func StrIsPrintable(s string) bool { return s == "" || all(s, flagPrintable) }

// StrIsIdentifier is str.isidentifier.
func StrIsIdentifier(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n > 0 && IsIDStart(r) && (n == len(s) || all(s[n:], flagIDContinue))
}

// StrIsLower is str.islower.
func StrIsLower(s string) bool { return onlyCase(s, flagLower, flagUpper|flagTitle) }

// StrIsUpper is str.isupper.
func StrIsUpper(s string) bool { return onlyCase(s, flagUpper, flagLower|flagTitle) }

// onlyCase reports whether s has a code point with want and none with other.
func onlyCase(s string, want, other uint16) bool {
	found := false
	for _, r := range s {
		flags := recordOf(r).flags()
		if flags&other != 0 {
			return false
		}
		found = found || flags&want != 0
	}
	return found
}

// StrIsTitle is str.istitle.
func StrIsTitle(s string) bool {
	found, inWord := false, false
	for _, r := range s {
		switch flags := recordOf(r).flags(); {
		case flags&(flagUpper|flagTitle) != 0:
			if inWord {
				return false
			}
			inWord, found = true, true
		case flags&flagLower != 0:
			if !inWord {
				return false
			}
		default:
			inWord = false
		}
	}
	return found
}
