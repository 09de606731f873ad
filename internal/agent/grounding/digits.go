package grounding

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"praxis/internal/lazyregexp"
)

// normalized is a text whose digits of every script are European ones. at gives, for
// each byte, the byte of the original text that it comes from; nil: the same.
type normalized struct {
	text string
	at   []int
}

// normalize replaces digits such as those of Arabic, Devanagari or full-width text, the
// Arabic separators, and characters that are a number by themselves, as ½ is. A false figure
// would pass unread in them otherwise.
func normalize(text string) normalized {
	if !strings.ContainsFunc(text, func(r rune) bool { return european(r) != 0 || fractionOf(r) != "" || raised(r) != 0 }) {
		return normalized{text: text}
	}
	var out []byte
	var at []int
	add := func(s string, from int) {
		for range len(s) {
			at = append(at, from)
		}
		out = append(out, s...)
	}
	for i, r := range text {
		digit := len(out) > 0 && out[len(out)-1] >= '0' && out[len(out)-1] <= '9'
		switch f := fractionOf(r); {
		case f != "" && digit: // 2½
			add(f, i)
		case f != "" && wholeRE.Match(out[max(0, len(out)-24):]): // 2 ½
			out, at = out[:len(out)-1], at[:len(at)-1]
			add(f, i)
		case f != "":
			add("0"+f, i)
		case european(r) != 0:
			add(string(rune(european(r))), i)
		case raised(r) != 0 && alone(text, i, out):
			add(string(rune(raised(r))), i)
		default:
			_, size := utf8.DecodeRuneInString(text[i:]) // one byte of what is no UTF-8
			for k, c := range []byte(text[i : i+size]) {
				out, at = append(out, c), append(at, i+k)
			}
		}
	}
	return normalized{string(out), append(at, len(text))}
}

// wholeRE is a whole number before the fraction that belongs to it.
var wholeRE = lazyregexp.New(`(?:^|[^0-9.,])[0-9]{1,4} $`)

// fractionOf returns the decimals of a character that is a fraction, at the precision that
// people mean; "": it is none.
func fractionOf(r rune) string {
	if r < '¼' || r > '⅞' || r > '¾' && r < '⅐' {
		return ""
	}
	return map[rune]string{
		'½': ".50", '¼': ".25", '¾': ".75", '⅓': ".33", '⅔': ".67", '⅕': ".20", '⅖': ".40", '⅗': ".60", '⅘': ".80",
		'⅙': ".167", '⅚': ".833", '⅐': ".143", '⅛': ".125", '⅜': ".375", '⅝': ".625", '⅞': ".875", '⅑': ".111", '⅒': ".10",
	}[r]
}

// raised returns the digit that is written above or below the line, or 0.
func raised(r rune) byte {
	switch {
	case r == '¹':
		return '1'
	case r == '²' || r == '³':
		return byte('2' + r - '²')
	case r == '⁰' || r >= '⁴' && r <= '⁹':
		return byte('0' + r - '⁰')
	case r >= '₀' && r <= '₉':
		return byte('0' + r - '₀')
	}
	return 0
}

// alone says that raised digits are a number of their own: two or more, with nothing before
// them that they could be the power, the index or the footnote of. out is what stands before.
func alone(text string, i int, out []byte) bool {
	_, size := utf8.DecodeRuneInString(text[i:])
	next, _ := utf8.DecodeRuneInString(text[i+size:])
	before, _ := utf8.DecodeLastRune(out)
	last, _ := utf8.DecodeLastRuneInString(text[:i])
	return raised(last) != 0 && before >= '0' && before <= '9' ||
		raised(next) != 0 && (len(out) == 0 || unicode.IsSpace(before) || strings.ContainsRune("(\"'*_|", before))
}

// european returns the ASCII digit or separator that a rune stands for, or 0.
func european(r rune) byte {
	switch {
	case r < unicode.MaxLatin1:
		return 0
	case r == '٫' || r == '．':
		return '.'
	case r == '٬' || r == '，':
		return ','
	case r == '％' || r == '٪':
		return '%'
	case r == '＄':
		return '$'
	case !unicode.Is(unicode.Nd, r):
		return 0
	}
	// The digits of a script are ten runes in a row that begin with its zero.
	for _, in := range unicode.Nd.R16 {
		if lo := rune(in.Lo); r >= lo && r <= rune(in.Hi) {
			return byte('0' + (r-lo)%10)
		}
	}
	for _, in := range unicode.Nd.R32 {
		if lo := rune(in.Lo); r >= lo && r <= rune(in.Hi) {
			return byte('0' + (r-lo)%10)
		}
	}
	return 0
}

// original returns where a byte of the normalized text stands in the original one.
func (n normalized) original(i int) int {
	if n.at == nil {
		return i
	}
	return n.at[i]
}
