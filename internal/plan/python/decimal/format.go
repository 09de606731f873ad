package decimal

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// spec is a format specification, taken apart.
type spec struct {
	fill      string
	align     byte // '<', '>', '=' or '^'
	sign      byte // '-', '+' or ' '
	noNegZero bool
	alt       bool
	zero      bool
	width     int
	grouping  string
	precision int // -1: none
	kind      byte
}

// maxFormat bounds the width and the precision of a format.
const maxFormat = 1 << 24

// readSpec takes a format specification apart; ok is false when it is none.
func readSpec(s string) (f spec, ok bool) {
	f = spec{fill: " ", align: '>', sign: '-', precision: -1}
	aligned := false
	if r, n := utf8.DecodeRuneInString(s); n > 0 && len(s) > n && strings.IndexByte("<>=^", s[n]) >= 0 && r != 0 {
		f.fill, f.align, aligned = s[:n], s[n], true
		s = s[n+1:]
	} else if s != "" && strings.IndexByte("<>=^", s[0]) >= 0 {
		f.align, aligned = s[0], true
		s = s[1:]
	}
	if s != "" && strings.IndexByte("-+ ", s[0]) >= 0 {
		f.sign = s[0]
		s = s[1:]
	}
	if f.noNegZero = strings.HasPrefix(s, "z"); f.noNegZero {
		s = s[1:]
	}
	if f.alt = strings.HasPrefix(s, "#"); f.alt {
		s = s[1:]
	}
	if strings.HasPrefix(s, "0") {
		if aligned {
			return f, false
		}
		f.zero, f.fill, f.align = true, "0", '='
		s = s[1:]
	}
	if f.width, s, ok = readNumber(s, 0); !ok {
		return f, false
	}
	if s != "" && (s[0] == ',' || s[0] == '_') {
		f.grouping = s[:1]
		s = s[1:]
	}
	if strings.HasPrefix(s, ".") {
		if f.precision, s, ok = readNumber(s[1:], -1); !ok || f.precision < 0 {
			return f, false
		}
	}
	if len(s) > 1 || s != "" && strings.IndexByte("eEfFgGn%", s[0]) < 0 {
		return f, false
	}
	if s != "" {
		f.kind = s[0]
	}
	return f, true
}

func readNumber(s string, missing int) (n int, rest string, ok bool) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == 0 {
		return missing, s, true
	}
	n, err := strconv.Atoi(s[:i])
	return n, s[i:], err == nil && n <= maxFormat
}

// Format writes d as the format specification says; ok is false when that is none.
func (c *Context) Format(d *Decimal, text string, capitals bool) (out string, ok bool) {
	f, ok := readSpec(text)
	if !ok {
		return "", false
	}
	kind := f.kind
	if kind == 0 || kind == 'n' {
		kind = 'g'
		if capitals && f.kind == 0 {
			kind = 'G'
		}
	}
	if d.Form != Finite {
		body := d.with(false).Text(false, capitals)
		if kind == '%' {
			body += "%"
		}
		if f.zero {
			f.fill = " "
			f.align = '>'
		}
		return f.pad(f.signOf(d.Neg), body), true
	}
	d = c.formatRound(d, f, kind)
	neg := d.Neg && !(f.noNegZero && d.IsZero())
	digits := d.Coef().String()
	left := d.Exp + int64(len(digits))
	point := left
	switch kind {
	case 'e', 'E':
		point = 1
		if d.IsZero() && f.precision >= 0 {
			point = 1 - int64(f.precision)
		}
	case 'g', 'G':
		if !(d.Exp <= 0 && left > -6) {
			point = 1
		}
	}
	if point > maxFormat*4 || point < -maxFormat*4 {
		return "", false
	}
	whole, frac := digits, ""
	switch {
	case point < 0:
		whole, frac = "0", strings.Repeat("0", int(-point))+digits
	case point > int64(len(digits)):
		whole = digits + strings.Repeat("0", int(point)-len(digits))
	default:
		whole, frac = digits[:point], digits[point:]
		if whole == "" {
			whole = "0"
		}
	}
	return f.number(neg, whole, frac, left-point, kind), true
}

// formatRound rounds d to what the specification asks for.
func (c *Context) formatRound(d *Decimal, f spec, kind byte) *Decimal {
	if kind == '%' {
		d = New(d.Neg, d.Coef(), d.Exp+2)
	}
	if f.precision >= 0 {
		switch kind {
		case 'e', 'E':
			d = c.roundTo(d, int64(f.precision)+1)
		case 'f', 'F', '%':
			d = rescale(d, -int64(f.precision), c.Rounding)
		default:
			if d.Digits() > int64(f.precision) {
				d = c.roundTo(d, int64(max(f.precision, 1)))
			}
		}
	}
	if d.IsZero() && d.Exp > 0 && (kind == 'f' || kind == 'F' || kind == '%') {
		d = rescale(d, 0, c.Rounding)
	}
	return d
}

// roundTo gives d this many digits, more where it has fewer.
func (c *Context) roundTo(d *Decimal, places int64) *Decimal {
	if d.IsZero() {
		return d
	}
	r := rescale(d, d.Adjusted()+1-places, c.Rounding)
	if r.Digits() > places {
		r = rescale(r, r.Adjusted()+1-places, c.Rounding)
	}
	return r
}

func (f spec) signOf(neg bool) string {
	switch {
	case neg:
		return "-"
	case f.sign == '-':
		return ""
	}
	return string(f.sign)
}

func (f spec) number(neg bool, whole, frac string, exp int64, kind byte) string {
	sign := f.signOf(neg)
	if frac != "" || f.alt {
		frac = "." + frac
	}
	if exp != 0 || kind == 'e' || kind == 'E' {
		letter := "e"
		if kind == 'E' || kind == 'G' {
			letter = "E"
		}
		frac += letter + signed(exp)
	}
	if kind == '%' {
		frac += "%"
	}
	if f.grouping != "" {
		free := 0
		if f.zero {
			free = f.width - len(frac) - len(sign)
		}
		whole = group(whole, f.grouping, free)
	}
	return f.pad(sign, whole+frac)
}

// group puts a sign between each three digits, and zeros in front up to a width.
func group(digits, sep string, width int) string {
	var parts []string
	for {
		n := min(max(len(digits), width, 1), 3)
		part := digits
		if len(digits) > n {
			part = digits[len(digits)-n:]
		}
		parts = append(parts, strings.Repeat("0", n-len(part))+part)
		digits = digits[:len(digits)-len(part)]
		width -= n
		if digits == "" && width <= 0 {
			break
		}
		width--
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
		if i > 0 {
			b.WriteString(sep)
		}
	}
	return b.String()
}

func (f spec) pad(sign, body string) string {
	free := f.width - len(sign) - len(body)
	if free <= 0 {
		return sign + body
	}
	switch f.align {
	case '<':
		return sign + body + strings.Repeat(f.fill, free)
	case '=':
		return sign + strings.Repeat(f.fill, free) + body
	case '^':
		return strings.Repeat(f.fill, free/2) + sign + body + strings.Repeat(f.fill, free-free/2)
	}
	return strings.Repeat(f.fill, free) + sign + body
}

// Hash returns the hash of a finite number or an infinity: equal to that of an int or a float with its value.
func (d *Decimal) Hash() int64 {
	const bits = 61
	mod := new(big.Int).Sub(new(big.Int).Lsh(one(), bits), one())
	if d.Form == Infinite {
		if d.Neg {
			return -314159
		}
		return 314159
	}
	p := new(big.Int)
	if d.Exp >= 0 {
		p.Exp(ten(), big.NewInt(d.Exp), mod)
	} else {
		inv := new(big.Int).ModInverse(ten(), mod)
		p.Exp(inv, big.NewInt(-d.Exp), mod)
	}
	p.Mul(p, d.Coef())
	p.Mod(p, mod)
	h := p.Int64()
	if d.Neg {
		h = -h
	}
	if h == -1 {
		h = -2
	}
	return h
}
