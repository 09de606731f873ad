package decimal

import (
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/value"
)

// text writes a number as str does: a zero far behind the point has an exponent.
func text(d *apd.Decimal) string {
	if d.Form == apd.Finite && d.IsZero() && d.Exponent < -6 {
		return d.Text('E')
	}
	return d.String()
}

// format is format(d, spec).
func format(t *value.Thread, c *apd.Context, d *apd.Decimal, spec string) (value.Value, error) {
	invalid := func() (value.Value, error) {
		return value.Value{}, t.Raise(t.Types.ValueError, "invalid format string")
	}
	s, err := pytext.ParseSpec(spec, pytext.ForFloat, "decimal.Decimal")
	if err != nil || !strings.ContainsRune("\x00eEfFgGn%", s.Type) {
		return invalid()
	}
	parts := pytext.Parts{Negative: d.Negative}
	if d.Form == apd.Finite {
		if err := spend(t, d.NumDigits()+max(int64(d.Exponent), int64(s.Precision), 0)); err != nil {
			return value.Value{}, err
		}
		shown, ok := shorten(c, d, &s)
		if !ok {
			return invalid()
		}
		layOut(shown, &s, &parts)
	} else {
		parts.Other = strings.TrimPrefix(text(d), "-")
		if s.Type == '%' {
			parts.Other += "%"
		}
		if s.Fill == '0' && s.Align == '=' {
			s.Fill, s.Align = ' ', '>'
		}
	}
	limit := int(min(t.Memory, 1<<30))
	out, err := pytext.FormatParts(nil, &parts, &s, max(limit, 1<<10))
	if err != nil {
		return value.Value{}, t.OutOfMemory(1 << 40)
	}
	if err := t.Alloc(int64(len(out))); err != nil {
		return value.Value{}, err
	}
	return t.NewStr(string(out))
}

// shorten rounds d to what the specification asks for.
func shorten(c *apd.Context, d *apd.Decimal, s *pytext.Spec) (*apd.Decimal, bool) {
	wide := *c
	wide.Precision = 1 << 30
	out := new(apd.Decimal).Set(d)
	if s.Type == '%' {
		out.Exponent += 2
	}
	to := func(exponent int64) bool {
		happened, err := quantize(&wide, out, out, int32(exponent))
		return err == nil && !happened.InvalidOperation()
	}
	precision, digits := int64(s.Precision), out.NumDigits()
	switch s.Type {
	case 'f', 'F', '%':
		if precision >= 0 {
			return out, to(-precision)
		}
		if out.IsZero() && out.Exponent > 0 {
			return out, to(0)
		}
		return out, true
	case 'e', 'E':
		precision++
	default:
		precision = max(precision, min(precision+1, 1))
	}
	last := int64(out.Exponent) + digits - precision
	if s.Precision < 0 || out.IsZero() || precision >= digits && s.Type|0x20 != 'e' {
		return out, true
	}
	if !to(last) {
		return out, false
	}
	if out.NumDigits() > precision { // 9.99 became 10.0
		return out, to(last + 1)
	}
	return out, true
}

// layOut fills in the digits before and after the point, and the exponent.
func layOut(d *apd.Decimal, s *pytext.Spec, parts *pytext.Parts) {
	digits := d.Coeff.String()
	left := int(d.Exponent) + len(digits)
	point := left
	switch s.Type {
	case 'f', 'F', '%':
	case 'e', 'E':
		if point = 1; d.IsZero() && s.Precision >= 0 {
			point = 1 - s.Precision
		}
	default:
		if d.Exponent > 0 || left <= -6 {
			point = 1
		}
	}
	switch {
	case point <= 0:
		parts.Whole, parts.Frac = "0", strings.Repeat("0", -point)+digits
	case point > len(digits):
		parts.Whole = digits + strings.Repeat("0", point-len(digits))
	default:
		parts.Whole, parts.Frac = digits[:point], digits[point:]
	}
	if exponent := left - point; exponent != 0 || s.Type|0x20 == 'e' {
		parts.Tail = "E"
		if s.Type == 'e' || s.Type == 'g' || s.Type == 'n' {
			parts.Tail = "e"
		}
		if exponent >= 0 {
			parts.Tail += "+"
		}
		parts.Tail += strconv.Itoa(exponent)
	}
	if s.Type == '%' {
		parts.Tail = "%"
	}
}
