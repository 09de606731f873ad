package syntax

import (
	"math/big"
	"strconv"
	"strings"
)

// maxDigits is how many digits CPython converts from decimal.
const maxDigits = 4300

// number reads a number at l.off.
func (l *lexer) number(t *token) {
	src, i := l.src, l.off
	t.kind = kNumber
	var j int
	switch c := src[i+1] | 0x20; {
	case src[i] == '0' && (c == 'x' || c == 'o' || c == 'b'):
		j = l.based(i, c)
	default:
		j = l.decimal(i)
	}
	l.off = j
	t.end = int32(j)
	t.endPos = Pos{l.line, int32(j - l.lineStart)}
}

// based reads the number 0x…, 0o… or 0b… at i and returns its end.
func (l *lexer) based(i int, base byte) int {
	src := l.src
	what, ok := "hexadecimal", func(c byte) bool { return classes[c]&cHex != 0 }
	switch base {
	case 'o':
		what, ok = "octal", func(c byte) bool { return c >= '0' && c <= '7' }
	case 'b':
		what, ok = "binary", func(c byte) bool { return c == '0' || c == '1' }
	}
	for j := i + 2; ; {
		if src[j] == '_' {
			j++
		}
		if !ok(src[j]) {
			if classes[src[j]]&cDigit != 0 {
				l.fail(j, j+1, "invalid digit '%c' in %s literal", src[j], what)
			}
			l.fail(j-1, j, "invalid %s literal", what)
		}
		for ok(src[j]) {
			j++
		}
		if src[j] == '_' {
			continue
		}
		if classes[src[j]]&cDigit != 0 {
			l.fail(j, j+1, "invalid digit '%c' in %s literal", src[j], what)
		}
		l.endOfNumber(j, what)
		return j
	}
}

// digits reads digits with single underscores between them.
func (l *lexer) digits(j int) int {
	src := l.src
	for {
		for classes[src[j]]&cDigit != 0 {
			j++
		}
		if src[j] != '_' {
			return j
		}
		j++
		if classes[src[j]]&cDigit == 0 {
			l.fail(j-1, j, "invalid decimal literal")
		}
	}
}

// decimal reads a decimal integer, a float or an imaginary number at i.
func (l *lexer) decimal(i int) int {
	src, j := l.src, i
	whole := true
	if src[j] != '.' {
		j = l.digits(j)
	}
	end := j
	if src[j] == '.' {
		whole = false
		j++
		if classes[src[j]]&cDigit != 0 {
			j = l.digits(j)
		}
	}
	if src[j]|0x20 == 'e' {
		k := j + 1
		if src[k] == '+' || src[k] == '-' {
			k++
			if classes[src[k]]&cDigit == 0 {
				l.fail(k-1, k, "invalid decimal literal")
			}
		}
		if classes[src[k]]&cDigit != 0 {
			whole = false
			j = l.digits(k)
		}
	}
	if src[j]|0x20 == 'j' {
		l.endOfNumber(j+1, "imaginary")
		return j + 1
	}
	if whole && src[i] == '0' && strings.Trim(src[i:end], "0_") != "" {
		l.fail(i, end, "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers")
	}
	l.endOfNumber(j, "decimal")
	return j
}

// endOfNumber refuses a name right behind a number, but for the keywords
// that may follow one.
func (l *lexer) endOfNumber(j int, what string) {
	src := l.src
	c := src[j]
	if classes[c]&(cIdent|cDigit) == 0 || c >= 0x80 {
		return
	}
	if c == 'i' && strings.IndexByte("fns", src[j+1]) >= 0 {
		return
	}
	for _, word := range []string{"and", "else", "for", "or", "not"} {
		if strings.HasPrefix(src[j:], word) && classes[src[j+len(word)]]&(cIdent|cDigit) == 0 {
			return
		}
	}
	l.fail(j-1, j, "invalid %s literal", what)
}

// setNumber gives c the value of the number written as text.
func (p *parser) setNumber(c *Constant, text string) {
	if len(text) < 18 && p.smallInt(c, text) {
		return
	}
	if strings.IndexByte(text, '_') >= 0 {
		text = strings.ReplaceAll(text, "_", "")
	}
	last := text[len(text)-1] | 0x20
	based := len(text) > 1 && text[0] == '0' && text[1] > '9' && text[1]|0x20 != 'e' && text[1]|0x20 != 'j'
	switch {
	case !based && last == 'j':
		c.Kind, c.Float = Complex, parseFloat(text[:len(text)-1])
	case !based && strings.ContainsAny(text, ".eE"):
		c.Kind, c.Float = Float, parseFloat(text)
	default:
		p.bigInt(c, text, based)
	}
}

// smallInt reads a short decimal integer.
func (p *parser) smallInt(c *Constant, text string) bool {
	var n int64
	for i := range len(text) {
		d := text[i] - '0'
		if d > 9 {
			return false
		}
		n = n*10 + int64(d)
	}
	c.Kind, c.Int = Int, n
	return true
}

func parseFloat(text string) float64 {
	f, _ := strconv.ParseFloat(text, 64) // out of range gives an infinity, as in CPython
	return f
}

func (p *parser) bigInt(c *Constant, text string, based bool) {
	c.Kind = Int
	base := 10
	if based {
		base = map[byte]int{'x': 16, 'o': 8, 'b': 2}[text[1]|0x20]
		text = text[2:]
	} else if len(text) > maxDigits {
		p.failSpan(c.Span, "Exceeds the limit (%d digits) for integer string conversion: value has %d digits", maxDigits, len(text))
	}
	if n, err := strconv.ParseInt(text, base, 64); err == nil {
		c.Int = n
		return
	}
	c.Big, _ = new(big.Int).SetString(text, base)
}
