package pytext

import (
	"math"
	"math/big"
	"strconv"
	"unicode/utf8"
)

// Conversion is one piece of a printf-style template: text, and the conversion
// that follows it.
type Conversion struct {
	Literal  string // what comes before it, with %% as %
	Key      string // of %(key)d
	HasKey   bool
	Left     bool // -
	Plus     bool // +
	Space    bool
	Zero     bool // 0
	Hash     bool // #
	WidthArg bool // *: the width is an argument
	PrecArg  bool // .*: the precision is an argument
	Width    int  // -1: none
	Prec     int  // -1: none
	Verb     rune // d, s, …; 0: the text ends the template
	Index    int  // of Verb in the template, in code points
}

// maxPieces is how many pieces a template may have: each takes far more memory
// than its text.
const maxPieces = 1 << 18

// ParsePercent splits a printf-style template. With an error it returns the
// pieces before the fault as well: their values are asked for, and may raise,
// before the error does. A key without its end gives a last piece that has
// HasKey and no Verb, because the values must be a mapping before it counts.
func ParsePercent(template string) ([]Conversion, error) {
	var out []Conversion
	p := percentReader{text: template}
	for {
		c := Conversion{Width: -1, Prec: -1}
		c.Literal = p.literal()
		if p.pos == len(template) {
			if c.Literal != "" {
				out = append(out, c)
			}
			return out, nil
		}
		if len(out) == maxPieces {
			return out, ErrTooLong
		}
		p.pos++
		if err := p.conversion(&c); err != nil {
			if c.Literal != "" || c.HasKey {
				out = append(out, Conversion{Literal: c.Literal, HasKey: c.HasKey, Key: c.Key, Width: -1, Prec: -1})
			}
			return out, err
		}
		out = append(out, c)
	}
}

// percentReader walks over a template.
type percentReader struct {
	text    string
	pos     int
	counted int // text[:counted] has index code points
	index   int
}

var (
	errFormatKey   error = &Error{Kind: ValueError, Text: "incomplete format key"}
	errFormatShort error = &Error{Kind: ValueError, Text: "incomplete format"}
	errWidthBig    error = &Error{Kind: ValueError, Text: "width too big"}
)

// literal reads up to the next conversion.
func (p *percentReader) literal() string {
	start, double := p.pos, false
	for ; p.pos < len(p.text); p.pos++ {
		if p.text[p.pos] == '%' {
			if p.pos+1 == len(p.text) || p.text[p.pos+1] != '%' {
				break
			}
			double = true
			p.pos++
		}
	}
	text := p.text[start:p.pos]
	if !double {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		out = append(out, text[i])
		if text[i] == '%' {
			i++
		}
	}
	return string(out)
}

// conversion reads what follows the percent sign.
func (p *percentReader) conversion(c *Conversion) (err error) {
	if p.peek() == '(' {
		if err := p.key(c); err != nil {
			return err
		}
	}
	for flag := p.flag(c); flag != nil; flag = p.flag(c) {
		*flag = true
		p.pos++
	}
	if p.peek() == '*' {
		c.WidthArg = true
		p.pos++
	} else if c.Width, err = p.number(math.MaxInt, errWidthBig); err != nil {
		return err
	}
	if p.peek() == '.' {
		p.pos++
		if p.peek() == '*' {
			c.PrecArg = true
			p.pos++
		} else if c.Prec, err = p.number(math.MaxInt32, errBigPrecision); err != nil {
			return err
		} else {
			c.Prec = max(c.Prec, 0)
		}
	}
	if b := p.peek(); b == 'h' || b == 'l' || b == 'L' {
		p.pos++
	}
	if p.pos == len(p.text) {
		return errFormatShort
	}
	p.index += RuneCount(p.text[p.counted:p.pos])
	p.counted, c.Index = p.pos, p.index
	r, n := DecodeRune(p.text[p.pos:])
	c.Verb = r
	p.pos += n
	return nil
}

func (p *percentReader) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

// flag returns the flag that comes next.
func (p *percentReader) flag(c *Conversion) *bool {
	switch p.peek() {
	case '-':
		return &c.Left
	case '+':
		return &c.Plus
	case ' ':
		return &c.Space
	case '#':
		return &c.Hash
	case '0':
		return &c.Zero
	}
	return nil
}

// key reads a mapping key, which may hold balanced parentheses.
func (p *percentReader) key(c *Conversion) error {
	start, depth := p.pos+1, 0
	c.HasKey = true
	for ; p.pos < len(p.text); p.pos++ {
		switch p.text[p.pos] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				c.Key = p.text[start:p.pos]
				p.pos++
				return nil
			}
		}
	}
	return errFormatKey
}

// number reads digits; -1 when there are none.
func (p *percentReader) number(most int, tooBig error) (int, error) {
	n := -1
	for ; p.pos < len(p.text) && p.text[p.pos]-'0' < 10; p.pos++ {
		d := int(p.text[p.pos] - '0')
		if n = max(n, 0); n > (most-d)/10 {
			return n, tooBig
		}
		n = n*10 + d
	}
	return n, nil
}

// Unsupported is the error of a verb that does not exist.
func (c *Conversion) Unsupported() error {
	shown := c.Verb
	if shown < 32 || shown >= utf8.RuneSelf-1 {
		shown = '?'
	}
	return errorf(ValueError, "unsupported format character '%c' (0x%x) at index %d", shown, c.Verb, c.Index)
}

// spec is the specifier that lays a value out as the conversion asks.
func (c *Conversion) spec(numeric bool) Spec {
	s := Spec{Fill: ' ', Align: '>', Width: c.Width, Precision: -1}
	switch {
	case c.Left:
		s.Align = '<'
	case c.Zero && numeric:
		s.Fill, s.Align = '0', '='
	}
	switch {
	case c.Plus:
		s.Sign = '+'
	case c.Space:
		s.Sign = ' '
	}
	return s
}

// base returns the base of a verb for integers, and its prefix.
func (c *Conversion) base() (base int, prefix string) {
	switch c.Verb {
	case 'o':
		base, prefix = 8, "0o"
	case 'x':
		base, prefix = 16, "0x"
	case 'X':
		base, prefix = 16, "0X"
	default:
		return 10, ""
	}
	if !c.Hash {
		prefix = ""
	}
	return base, prefix
}

// AppendInt appends an integer for the verbs d, i, u, o, x and X. The text may
// have at most limit bytes, as it may for the other methods.
func (c *Conversion) AppendInt(dst []byte, v int64, limit int) ([]byte, error) {
	if c.Width <= 0 && c.Prec <= 0 && !c.Plus && !c.Space && limit >= 20 && (c.Verb == 'd' || c.Verb == 'i' || c.Verb == 'u') {
		return strconv.AppendInt(dst, v, 10), nil
	}
	u := uint64(v)
	if v < 0 {
		u = -u
	}
	var buf [72]byte
	base, _ := c.base()
	return c.appendInteger(dst, strconv.AppendUint(buf[:0], u, base), v < 0, limit)
}

// AppendBig is AppendInt for integers of any size.
func (c *Conversion) AppendBig(dst []byte, v *big.Int, limit int) ([]byte, error) {
	base, _ := c.base()
	digits, err := appendDigits(nil, v, base, limit)
	if err != nil {
		return dst, err
	}
	return c.appendInteger(dst, digits, v.Sign() < 0, limit)
}

func (c *Conversion) appendInteger(dst, digits []byte, negative bool, limit int) ([]byte, error) {
	if c.Prec > limit {
		return dst, ErrTooLong
	}
	n := number{digits: digits}
	_, n.prefix = c.base()
	if c.Verb == 'X' {
		upperASCII(digits)
	}
	if c.Prec > len(digits) {
		n.digits = append(appendZeros(make([]byte, 0, c.Prec), c.Prec-len(digits)), digits...)
	}
	s := c.spec(true)
	n.setSign(&s, negative)
	return n.append(dst, &s, limit)
}

// AppendFloat appends a float for the verbs e, E, f, F, g and G.
func (c *Conversion) AppendFloat(dst []byte, f float64, limit int) ([]byte, error) {
	layout := floatLayout{form: byte(c.Verb) | 0x20, precision: c.Prec, alternate: c.Hash, upper: c.Verb < 'a'}
	if c.Prec < 0 {
		layout.precision = 6
	}
	if c.Prec > math.MaxInt32 {
		return dst, errBigPrecision
	}
	if c.Prec > limit {
		return dst, ErrTooLong
	}
	var buf [128]byte
	var n number
	negative := layout.number(&n, f, buf[:0])
	s := c.spec(true)
	n.setSign(&s, negative)
	return n.append(dst, &s, limit)
}

// AppendStr appends text for the verbs s, r and a, which cut it to the
// precision, and c.
func (c *Conversion) AppendStr(dst []byte, text string, limit int) ([]byte, error) {
	s := c.spec(false)
	s.Sign, s.Type = 0, 's'
	if c.Verb != 'c' {
		s.Precision = c.Prec
	}
	return FormatStr(dst, text, &s, limit)
}

// CharOf is the character of the code point v for the verb c.
func CharOf(v int64) (string, error) {
	if v < 0 || v > MaxRune {
		return "", errorf(OverflowError, "%%c arg not in range(0x110000)")
	}
	var buf [4]byte
	return string(AppendRune(buf[:0], rune(v))), nil
}
