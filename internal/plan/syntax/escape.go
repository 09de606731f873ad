package syntax

import (
	"strings"
	"unicode/utf8"
)

// unescape replaces the backslash sequences in the body of the literal t.
func (p *parser) unescape(t *token, s string, isBytes bool) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		j := strings.IndexByte(s[i:], '\\')
		if j < 0 || i+j+1 >= len(s) {
			b.WriteString(s[i:])
			break
		}
		b.WriteString(s[i : i+j])
		i += j + 1
		c := s[i]
		i++
		switch c {
		case '\n':
		case '\\', '\'', '"':
			b.WriteByte(c)
		case 'a':
			b.WriteByte('\a')
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'v':
			b.WriteByte('\v')
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n := rune(c - '0')
			for k := 0; k < 2 && i < len(s) && s[i] >= '0' && s[i] <= '7'; k++ {
				n = n<<3 | rune(s[i]-'0')
				i++
			}
			if isBytes {
				b.WriteByte(byte(n))
			} else {
				b.WriteRune(n)
			}
		case 'x':
			i = p.hexEscape(&b, t, s, i, 2, isBytes)
		case 'u', 'U', 'N':
			if isBytes {
				b.WriteByte('\\')
				b.WriteByte(c)
				break
			}
			switch c {
			case 'u':
				i = p.hexEscape(&b, t, s, i, 4, false)
			case 'U':
				i = p.hexEscape(&b, t, s, i, 8, false)
			default:
				i = p.namedEscape(&b, t, s, i)
			}
		default:
			b.WriteByte('\\')
			i--
			_, n := utf8.DecodeRuneInString(s[i:])
			b.WriteString(s[i : i+n])
			i += n
		}
	}
	return b.String()
}

// hexEscape reads n hexadecimal digits at i.
func (p *parser) hexEscape(b *strings.Builder, t *token, s string, i, n int, isBytes bool) int {
	var v uint32
	k := 0
	for ; k < n && i+k < len(s) && classes[s[i+k]]&cHex != 0; k++ {
		v = v<<4 | uint32(hexValue(s[i+k]))
	}
	at := i - 2
	switch {
	case k < n && isBytes:
		p.failTok(t, "(value error) invalid \\x escape at position %d", at)
	case k < n:
		what := map[int]string{2: "\\xXX", 4: "\\uXXXX", 8: "\\UXXXXXXXX"}[n]
		p.badEscape(t, s, at, i+k-1, "truncated "+what+" escape")
	case v > utf8.MaxRune:
		p.badEscape(t, s, at, i+k-1, "illegal Unicode character")
	}
	if isBytes {
		b.WriteByte(byte(v))
	} else {
		writeWTF8(b, rune(v))
	}
	return i + n
}

func hexValue(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// badEscape reports an escape over s[from:to+1], counted as CPython's codec
// does: with the characters beyond ASCII written as ten bytes each.
func (p *parser) badEscape(t *token, s string, from, to int, why string) {
	from, to = escapedLen(s[:from]), escapedLen(s[:to])
	if from == to {
		p.failTok(t, "(unicode error) 'unicodeescape' codec can't decode byte 0x5c in position %d: %s", from, why)
	}
	p.failTok(t, "(unicode error) 'unicodeescape' codec can't decode bytes in position %d-%d: %s", from, to, why)
}

func escapedLen(s string) int {
	n := 0
	for _, r := range s {
		if r >= utf8.RuneSelf {
			n += 9
		}
		n++
	}
	return n
}

// writeWTF8 writes a code point, a surrogate too.
func writeWTF8(b *strings.Builder, r rune) {
	if r >= 0xD800 && r < 0xE000 {
		b.WriteByte(0xE0 | byte(r>>12))
		b.WriteByte(0x80 | byte(r>>6)&0x3F)
		b.WriteByte(0x80 | byte(r)&0x3F)
		return
	}
	b.WriteRune(r)
}

// namedEscape reads the `{NAME}` of a `\N{NAME}` at i.
func (p *parser) namedEscape(b *strings.Builder, t *token, s string, i int) int {
	at := i - 2
	if i >= len(s) || s[i] != '{' {
		p.badEscape(t, s, at, i-1, "malformed \\N character escape")
	}
	n := strings.IndexByte(s[i:], '}')
	if n < 2 {
		end := len(s) - 1
		if n == 1 {
			end = i + 1
		}
		p.badEscape(t, s, at, end, "malformed \\N character escape")
	}
	r, ok := p.characterNamed(s[i+1 : i+n])
	if !ok {
		p.badEscape(t, s, at, i+n, "unknown Unicode character name")
	}
	b.WriteRune(r)
	return i + n + 1
}
