package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// unescape replaces the backslash sequences in the body of the literal t.
func (p *parser) unescape(t *token, s string, isBytes bool) string {
	var b strings.Builder
	b.Grow(len(s))
	for {
		before, rest, _ := strings.Cut(s, `\`)
		b.WriteString(before)
		if rest == "" { // one at the end stands before a field
			b.WriteString(s[len(before):])
			return b.String()
		}
		c := rest[0]
		s = rest[1:]
		if i := strings.IndexByte("\n\\'\"abfnrtv", c); i == 0 {
			continue
		} else if i > 0 {
			b.WriteByte("\n\\'\"\a\b\f\n\r\t\v"[i])
			continue
		}
		digits, base := 0, 16
		switch {
		case c >= '0' && c <= '7':
			s, base = rest, 8
			for digits < 3 && digits < len(s) && s[digits] >= '0' && s[digits] <= '7' {
				digits++
			}
		case c == 'x':
			digits = 2
		case c == 'u' && !isBytes:
			digits = 4
		case c == 'U' && !isBytes:
			digits = 8
		case c == 'N' && !isBytes:
			p.lacks(t, "a character by its name is not supported: write the character itself, or \\u and its number")
			b.WriteRune(utf8.RuneError)
			s = s[strings.IndexByte(s, '}')+1:]
			continue
		default:
			b.WriteByte('\\')
			s = rest
			_, n := utf8.DecodeRuneInString(s)
			b.WriteString(s[:n])
			s = s[n:]
			continue
		}
		n, err := strconv.ParseUint(s[:min(digits, len(s))], base, 32)
		switch {
		case err != nil || digits > len(s):
			p.failTok(t, "truncated escape \\%c: it has %d hexadecimal digits", c, digits)
		case n > utf8.MaxRune:
			p.failTok(t, "illegal Unicode character \\%c%s", c, s[:digits])
		case isBytes:
			b.WriteByte(byte(n))
		case !utf8.ValidRune(rune(n)):
			p.lacks(t, "half of a surrogate pair is not supported: write the character itself")
		default:
			b.WriteRune(rune(n))
		}
		s = s[digits:]
	}
}
