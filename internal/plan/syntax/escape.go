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
			switch {
			case isBytes:
				b.WriteByte('\\')
				b.WriteByte(c)
			case c == 'u':
				i = p.hexEscape(&b, t, s, i, 4, false)
			case c == 'U':
				i = p.hexEscape(&b, t, s, i, 8, false)
			default:
				p.lacks(t, "a character by its name is not supported: write the character itself, or \\u and its number")
				b.WriteRune(utf8.RuneError)
				i += strings.IndexByte(s[i:], '}') + 1
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
	switch {
	case k < n:
		p.failTok(t, "truncated escape \\%c: it has %d hexadecimal digits", s[i-1], n)
	case v > utf8.MaxRune:
		p.failTok(t, "illegal Unicode character \\%s", s[i-1:i+n])
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
