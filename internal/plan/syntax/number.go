package syntax

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// maxDigits is how many digits CPython converts from decimal.
const maxDigits = 4300

var (
	// numberRE matches the number that a text begins with; DD stands for digits.
	numberRE = regexp.MustCompile(strings.ReplaceAll(
		`^(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:(?:DD)?\.DD|DD\.?)(?:[eE][+-]?DD)?[jJ]?)`, "DD", `[0-9](?:_?[0-9])*`))
	// afterNumberRE matches the keywords that may stand right behind a number.
	afterNumberRE = regexp.MustCompile(`^(?:and|else|for|if|in|is|not|or)\b`)
)

// number reads the number at i.
func (l *lexer) number(t *token, i int) {
	j := i
	for isDigit(l.src[j]) {
		j++
	}
	if c := l.src[j]; isLetter(c) || c == '.' {
		j = i + len(numberRE.FindString(l.src[i:]))
	}
	text := l.src[i:j]
	if isWord(l.src[j]) && !afterNumberRE.MatchString(l.src[j:]) {
		l.fail(j, j+1, "invalid number")
	}
	if text[0] == '0' && strings.Trim(text, "0123456789_") == "" && strings.Trim(text, "0_") != "" {
		l.fail(i, j, "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers")
	}
	l.give(t, kNumber, i, j-i)
}

// setNumber gives c the value of the number written as text.
func (p *parser) setNumber(c *Constant, text string) {
	text = strings.ReplaceAll(text, "_", "")
	based := len(text) > 1 && strings.ContainsAny(text[1:2], "xXoObB")
	switch {
	case !based && text[len(text)-1]|0x20 == 'j':
		c.Kind = Complex
		c.Float, _ = strconv.ParseFloat(text[:len(text)-1], 64)
	case !based && strings.ContainsAny(text, ".eE"):
		c.Kind = Float
		c.Float, _ = strconv.ParseFloat(text, 64) // out of range gives an infinity, as in CPython
	case !based && len(text) > maxDigits:
		p.failSpan(c.Span, "Exceeds the limit (%d digits) for integer string conversion: value has %d digits", maxDigits, len(text))
	default:
		c.Kind = Int
		if n, err := strconv.ParseInt(text, 0, 64); err == nil {
			c.Int = n
		} else {
			c.Big, _ = new(big.Int).SetString(text, 0)
		}
	}
}
