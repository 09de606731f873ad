// Package safetext writes what a person reads: texts of models, guests and files
// with nothing hidden in them, numbers and sizes.
//
// Nothing is dropped from a text. Every character that a terminal would act on,
// that shows nothing of itself or that reverses the direction of the text beside
// it is written as an escape, since what a page or a screen leaves out
// still runs.
package safetext

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text makes a text harmless to look at. Only newlines and tabs pass as they
// are. The result is valid UTF-8.
func Text(s string) string {
	if plainASCII(s) {
		return s
	}
	var out strings.Builder
	s = strings.ReplaceAll(s, "\r\n", "\n")
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&out, `\x%02x`, s[0])
		case r == '\n' || r == '\t':
			out.WriteRune(r)
		case r == '\r':
			out.WriteString(`\r`)
		case r < 0x20 || (r >= 0x7f && r < 0xa0):
			fmt.Fprintf(&out, `\x%02x`, r)
		case Hidden(r) && r > 0xffff:
			fmt.Fprintf(&out, `\U%08x`, r)
		case Hidden(r):
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteString(s[:n])
		}
		s = s[n:]
	}
	return out.String()
}

// Line is Text for what must stay on one line, such as a file name.
func Line(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(Text(s), "\n", `\n`), "\t", `\t`)
}

// JSON writes the hidden characters of a JSON text as JSON's own escapes, which
// mean the same to a program. They occur in strings only; JSON itself escapes
// the characters below a blank there.
func JSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, Hidden) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case !Hidden(r):
			out = append(out, text[:n]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[n:]
	}
	return out
}

// Hidden says whether a character above a blank shows nothing of itself, or
// reverses the text beside it: delete and C1 controls, separators of
// lines, format characters (direction, width zero, tags) and what is no
// character at all, fillers and variation selectors. The two joiners and the two
// selectors of emoji pass, since whole scripts and emoji need them.
func Hidden(r rune) bool {
	switch {
	case r < 0x7f || r == 0x200c || r == 0x200d:
		return false
	case r < 0xa0 || r == 0x2028 || r == 0x2029 || r&0xfffe == 0xfffe:
		return true
	case r == 0x34f || r == 0x115f || r == 0x1160 || r == 0x2800 || r == 0x3164 || r == 0xffa0: // fillers, a joiner and a blank
		return true
	case r >= 0xfe00 && r < 0xfe0e || r >= 0xe0100 && r <= 0xe01ef: // variation selectors
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if b := s[i]; (b < 0x20 && b != '\n' && b != '\t') || b >= 0x7f {
			return false
		}
	}
	return true
}

// Size writes bytes with the largest binary unit that keeps it short, such as
// "512MiB" or "1.5GiB".
func Size(n int64) string {
	units := [...]string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, i := float64(n), 0
	for math.Abs(v) >= 1024 && i < len(units)-1 {
		v, i = v/1024, i+1
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) + units[i]
}

// Over writes a size and the bound that it is over, such as "20MiB, more than
// 16MiB", in bytes where the units would make them the same.
func Over(n, bound int64) string {
	if Size(n) == Size(bound) {
		return Number(int(n)) + " bytes, more than " + Number(int(bound))
	}
	return Size(n) + ", more than " + Size(bound)
}

// Number writes a number with commas.
func Number(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Count writes "1 run" or "1,200 runs".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Number(n) + " " + what + "s"
}

// Clip returns s as valid UTF-8 of at most n bytes, n at least 3, which ends with
// an ellipsis when s was longer.
func Clip(s string, n int) string {
	whole := len(s) <= n
	if !whole {
		s = s[:n+1] // what lies behind is not looked at: s may be long
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if whole && len(s) <= n {
		return s
	}
	cut := min(max(n-len("…"), 0), len(s))
	for cut > 0 && cut < len(s) && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// OneLine is Line for a text of several lines, which it joins, clipped to n bytes.
func OneLine(s string, n int) string {
	return Clip(Line(strings.Join(strings.Fields(Clip(s, 8*n)), " ")), n)
}

// Quote writes s in double quotes for a message, clipped when it is long, with
// nothing hidden in it.
func Quote(s string) string { return strconv.Quote(Clip(s, 80)) }
