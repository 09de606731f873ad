package pytext

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
)

// number is the text of a number in the parts that a specifier arranges.
type number struct {
	sign   byte   // '-', '+', ' ' or 0
	prefix string // 0x and the like
	digits []byte // before the point
	point  bool
	frac   []byte // after the point
	tail   []byte // exponent, percent sign
	other  []byte // instead of digits: inf, nan
	every  int    // digits in a group
}

// setSign chooses the sign that is shown.
func (n *number) setSign(s *Spec, negative bool) {
	switch {
	case negative:
		n.sign = '-'
	case s.Sign == '+' || s.Sign == ' ':
		n.sign = s.Sign
	}
}

// groupedLen returns the length of the digits with separators, filled with
// zeros up to least columns, and how many zeros these are.
func groupedLen(digits, least, every int) (length, zeros int) {
	for {
		group := min(every, max(digits, least, 1))
		taken := min(digits, group)
		zeros += group - taken
		length += group
		digits -= taken
		least -= group
		if digits <= 0 && least <= 0 {
			return length, zeros
		}
		length++ // the separator
		least--
	}
}

// appendGroups appends zeros and digits with sep between groups that are
// counted from the right.
func appendGroups(dst []byte, zeros int, digits []byte, sep Separator, every int) []byte {
	total := zeros + len(digits)
	for i := range total {
		if i > 0 && (total-i)%every == 0 {
			dst = append(dst, byte(sep))
		}
		if i < zeros {
			dst = append(dst, '0')
		} else {
			dst = append(dst, digits[i-zeros])
		}
	}
	return dst
}

// append arranges the number. The result may have at most limit bytes.
func (n *number) append(dst []byte, s *Spec, limit int) ([]byte, error) {
	if s.Width > limit {
		return dst, ErrTooLong
	}
	rest := len(n.prefix) + len(n.tail) + len(n.frac)
	if n.sign != 0 {
		rest++
	}
	if n.point {
		rest++
	}
	grouped := s.Group != NoSeparator && n.other == nil
	whole, zeros := len(n.digits)+RuneCount(string(n.other)), 0
	if grouped {
		least := 0
		if s.Fill == '0' && s.Align == '=' {
			least = max(s.Width-rest, 0)
		}
		whole, zeros = groupedLen(len(n.digits), least, n.every)
	}
	left, right := s.pad(rest + whole)
	if rest+whole > limit || left+right > (limit-rest-whole)/utf8.RuneLen(s.Fill) {
		return dst, ErrTooLong
	}
	if s.Align != '=' {
		dst = s.fill(dst, left)
	}
	if n.sign != 0 {
		dst = append(dst, n.sign)
	}
	dst = append(dst, n.prefix...)
	if s.Align == '=' {
		dst = s.fill(dst, left)
	}
	if grouped {
		dst = appendGroups(dst, zeros, n.digits, s.Group, n.every)
	} else {
		dst = append(append(dst, n.other...), n.digits...)
	}
	if n.point {
		dst = append(dst, '.')
	}
	return s.fill(append(append(dst, n.frac...), n.tail...), right), nil
}

// Parts are the texts of a number whose digits the caller has chosen.
type Parts struct {
	Negative          bool
	Whole, Frac, Tail string // before and after the point, and the exponent
	Other             string // instead of digits: an infinity, or no number
}

// FormatParts appends a number as the specifier arranges it. The result may have
// at most limit bytes.
func FormatParts(dst []byte, p *Parts, s *Spec, limit int) ([]byte, error) {
	n := number{digits: []byte(p.Whole), frac: []byte(p.Frac), tail: []byte(p.Tail), every: 3}
	n.point = p.Frac != "" || s.Alternate && p.Other == ""
	if p.Other != "" {
		n.other = []byte(p.Other)
	}
	n.setSign(s, p.Negative)
	return n.append(dst, s, limit)
}

// FormatInt appends format(v, spec). The result may have at most limit bytes.
func FormatInt(dst []byte, v int64, s *Spec, limit int) ([]byte, error) {
	if s.Type == 'd' && s.Width < 2 && s.Sign == 0 && s.Group == NoSeparator && s.Precision < 0 && limit >= 20 {
		return strconv.AppendInt(dst, v, 10), nil
	}
	if strings.ContainsRune(floatTypes, s.Type) {
		return FormatFloat(dst, float64(v), s, limit)
	}
	base, prefix, err := s.base()
	if err != nil {
		return dst, err
	}
	var buf [72]byte
	return s.integer(dst, strconv.AppendInt(buf[:0], v, base), prefix, limit)
}

// floatTypes are the presentation types that make a float of an int.
const floatTypes = "eEfFgG%"

// FormatBig appends format(v, spec). The result may have at most limit bytes.
func FormatBig(dst []byte, v *big.Int, s *Spec, limit int) ([]byte, error) {
	if strings.ContainsRune(floatTypes, s.Type) {
		f, err := BigToFloat(v)
		if err != nil {
			return dst, err
		}
		return FormatFloat(dst, f, s, limit)
	}
	base, prefix, err := s.base()
	var digits []byte
	switch {
	case err != nil:
	case base == 10:
		digits, err = AppendBig(nil, v)
	case v.BitLen()/bits.Len(uint(base-1)) > limit:
		err = ErrTooLong
	default:
		digits = v.Append(nil, base)
	}
	if err != nil {
		return dst, err
	}
	return s.integer(dst, digits, prefix, limit)
}

// integer arranges the digits of an integer, which a minus sign may precede.
func (s *Spec) integer(dst, digits []byte, prefix string, limit int) ([]byte, error) {
	negative := digits[0] == '-'
	if negative {
		digits = digits[1:]
	}
	if s.Type == 'X' {
		upperASCII(digits)
	}
	n := number{digits: digits, prefix: prefix, every: 3}
	if strings.ContainsRune(based, s.Type) {
		n.every = 4
	}
	n.setSign(s, negative)
	return n.append(dst, s, limit)
}

// base returns the base of an integer presentation and the prefix to show.
func (s *Spec) base() (base int, prefix string, err error) {
	switch s.Type {
	case 'd', 'n':
		base = 10
	case 'b':
		base, prefix = 2, "0b"
	case 'o':
		base, prefix = 8, "0o"
	case 'x':
		base, prefix = 16, "0x"
	case 'X':
		base, prefix = 16, "0X"
	default:
		return 0, "", s.unknownType()
	}
	if s.Precision >= 0 {
		return 0, "", valueError("Precision not allowed in integer format specifier")
	}
	if !s.Alternate {
		prefix = ""
	}
	return base, prefix, nil
}

func upperASCII(b []byte) {
	for i, c := range b {
		if c-'a' < 26 {
			b[i] = c - 0x20
		}
	}
}

// FormatFloat appends format(f, spec). The result may have at most limit bytes.
func FormatFloat(dst []byte, f float64, s *Spec, limit int) ([]byte, error) {
	layout := floatLayout{form: byte(s.Type), precision: s.Precision, alternate: s.Alternate}
	switch s.Type {
	case 'f', 'e', 'g':
	case 'F', 'E', 'G':
		layout.form |= 0x20
		layout.upper = true
	case '%':
		f *= 100
		layout.form = 'f'
	case 'n':
		layout.form = 'g'
	case 0:
		layout.form, layout.dotZero = 'g', true
		if s.Precision < 0 {
			layout.form = 'r'
		}
	default:
		return dst, s.unknownType()
	}
	if s.Precision > limit {
		return dst, ErrTooLong
	}
	if layout.precision < 0 {
		layout.precision = 6
	}
	if s.Width <= 0 && s.Type == 'f' && s.Sign == 0 && s.Group == NoSeparator &&
		!s.Alternate && layout.precision <= 100 && limit >= 500 && math.Abs(f) <= math.MaxFloat64 {
		return strconv.AppendFloat(dst, f, 'f', layout.precision, 64), nil
	}
	var buf [128]byte
	n := number{every: 3}
	negative := layout.number(&n, f, buf[:0])
	n.setSign(s, negative)
	if s.Type == '%' {
		n.tail = append(n.tail, '%')
	}
	return n.append(dst, s, limit)
}

// floatLayout says how the digits of a float are laid out.
type floatLayout struct {
	form      byte // e, f, g, or r for repr's
	precision int
	alternate bool // always a point, and in g the zeros behind
	dotZero   bool // a whole number ends in .0
	upper     bool
}

// exactDigits is more digits than any float has: all that follow are zeros.
const exactDigits = 1100

// number fills in the digits of f, without its sign, and reports whether the
// sign is negative. The digits are written to buf.
func (l *floatLayout) number(n *number, f float64, buf []byte) (negative bool) {
	negative = math.Signbit(f)
	f = math.Abs(f)
	switch {
	case f > math.MaxFloat64:
		n.other = append(buf, "inf"...)
	case f != f:
		n.other, negative = append(buf, "nan"...), false
	default:
		switch l.form {
		case 'f':
			l.fixed(n, f, buf)
		case 'e':
			l.scientific(n, f, buf)
		default:
			l.general(n, f, buf)
		}
		n.point = len(n.frac) > 0 || l.alternate
	}
	if l.upper {
		upperASCII(n.other)
		upperASCII(n.tail)
	}
	return negative
}

func appendZeros(dst []byte, n int) []byte {
	for ; n > 0; n-- {
		dst = append(dst, '0')
	}
	return dst
}

func (l *floatLayout) fixed(n *number, f float64, buf []byte) {
	text := strconv.AppendFloat(buf, f, 'f', min(l.precision, exactDigits), 64)
	n.digits = text
	for i, c := range text {
		if c == '.' {
			n.digits, n.frac = text[:i:i], text[i+1:]
			break
		}
	}
	n.frac = appendZeros(n.frac, l.precision-exactDigits)
}

func (l *floatLayout) scientific(n *number, f float64, buf []byte) {
	text := strconv.AppendFloat(buf, f, 'e', min(l.precision, exactDigits), 64)
	i := len(text) - 1
	for text[i] != 'e' {
		i--
	}
	n.tail = append(n.tail, text[i:]...)
	n.digits = text[:1:1]
	if i > 1 {
		n.frac = appendZeros(text[2:i], l.precision-exactDigits)
	}
}

// general lays out as C's %g does, and as repr does.
func (l *floatLayout) general(n *number, f float64, buf []byte) {
	precision, last := -1, 16
	if l.form == 'g' {
		l.precision = max(l.precision, 1)
		precision, last = min(l.precision, exactDigits)-1, l.precision
		if l.dotZero {
			last--
		}
	}
	text := strconv.AppendFloat(buf, f, 'e', precision, 64)
	i := len(text) - 1
	for text[i] != 'e' {
		i--
	}
	exponent, _ := strconv.Atoi(string(text[i+1:]))
	var shown [8]byte
	tail := append(shown[:0], text[i:]...)
	digits := text[:i]
	if len(digits) > 1 { // take the point out
		copy(digits[1:], digits[2:])
		digits = digits[:len(digits)-1]
	}
	if l.form == 'g' {
		if l.alternate {
			digits = appendZeros(digits, l.precision-len(digits))
		} else {
			for len(digits) > 1 && digits[len(digits)-1] == '0' {
				digits = digits[:len(digits)-1]
			}
		}
	}
	switch point := exponent + 1; {
	case point <= -4 || point > last:
		n.digits, n.frac = digits[:1:1], digits[1:]
		n.tail = append(n.tail, tail...)
		return
	case point <= 0:
		n.digits = []byte{'0'}
		n.frac = append(appendZeros(nil, -point), digits...)
	case point >= len(digits):
		n.digits = appendZeros(digits, point-len(digits))
	default:
		n.digits, n.frac = digits[:point:point], digits[point:]
	}
	if l.dotZero && len(n.frac) == 0 {
		n.frac = []byte{'0'}
	}
}
