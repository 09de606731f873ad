package jsondoc

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

const (
	MaxDigits   = 10_000    // of a number in a value or a schema
	maxExponent = 1_000_000 // decimal; beyond it a number is refused

	maxNumberText = "10000 digits, exponent 1000000"
)

// Decimal is an exact number: 0.digits × 10^exp. The digits have no leading
// and no trailing zeros; zero has none. So equal numbers have equal decimals
// and comparing never expands an exponent.
type Decimal struct {
	Neg    bool
	digits string
	Exp    int
}

// ParseDecimal reads a JSON number that IsNumber accepts (or FormatFloat wrote).
func ParseDecimal(s string) (Decimal, bool) {
	var d Decimal
	if len(s) > MaxDigits {
		return d, false
	}
	if strings.HasPrefix(s, "-") {
		d.Neg, s = true, s[1:]
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exp, err := strconv.Atoi(strings.TrimPrefix(s[i+1:], "+"))
		if err != nil || exp > maxExponent || exp < -maxExponent {
			return d, false
		}
		d.Exp, s = exp, s[:i]
	}
	whole, frac, _ := strings.Cut(s, ".")
	d.digits = whole + frac
	d.Exp += len(whole)
	trimmed := strings.TrimLeft(d.digits, "0")
	d.Exp -= len(d.digits) - len(trimmed)
	d.digits = strings.TrimRight(trimmed, "0")
	if d.digits == "" {
		return Decimal{}, true
	}
	return d, true
}

func (d Decimal) zero() bool { return d.digits == "" }

// Integer reports whether the number is whole.
func (d Decimal) Integer() bool { return d.Exp >= len(d.digits) }

// Compare returns -1, 0 or 1.
func (d Decimal) Compare(e Decimal) int {
	if d.Sign() != e.Sign() {
		return cmp.Compare(d.Sign(), e.Sign())
	}
	c := cmp.Or(cmp.Compare(d.Exp, e.Exp), cmp.Compare(d.digits, e.digits))
	if d.Neg {
		return -c
	}
	return c
}

// Sign returns -1, 0 or 1.
func (d Decimal) Sign() int {
	switch {
	case d.zero():
		return 0
	case d.Neg:
		return -1
	}
	return 1
}

// MultipleOf reports whether d is a whole number of times m, m not zero.
func (d Decimal) MultipleOf(m Decimal) bool {
	if d.zero() {
		return true
	}
	// d = a × 10^x and m = b × 10^y, so d/m = a × 10^(x-y) / b.
	a, x := d.scaled()
	b, y := m.scaled()
	shift := x - y
	if shift < 0 {
		// a has no trailing zero: it cannot make up for more than its own digits.
		if -shift > len(m.digits)+len(d.digits) {
			return false
		}
		b.Mul(b, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-shift)), nil))
		return new(big.Int).Rem(a, b).Sign() == 0
	}
	pow := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(shift)), b)
	return pow.Mul(pow, a).Rem(pow, b).Sign() == 0
}

func (d Decimal) scaled() (*big.Int, int) {
	n, _ := new(big.Int).SetString(d.digits, 10)
	return n, d.Exp - len(d.digits)
}

// append writes the canonical text: a plain number when it is short, else with an exponent.
func (d Decimal) append(b []byte) []byte {
	if d.zero() {
		return append(b, '0')
	}
	if d.Neg {
		b = append(b, '-')
	}
	n := len(d.digits)
	switch {
	case d.Exp >= n && d.Exp <= max(n, 400):
		b = append(b, d.digits...)
		for range d.Exp - n {
			b = append(b, '0')
		}
	case d.Exp > 0 && d.Exp < n:
		b = append(b, d.digits[:d.Exp]...)
		b = append(append(b, '.'), d.digits[d.Exp:]...)
	case d.Exp <= 0 && d.Exp > -8:
		b = append(b, "0."...)
		for range -d.Exp {
			b = append(b, '0')
		}
		b = append(b, d.digits...)
	default:
		b = append(b, d.digits[0])
		if n > 1 {
			b = append(append(b, '.'), d.digits[1:]...)
		}
		b = strconv.AppendInt(append(b, 'e'), int64(d.Exp-1), 10)
	}
	return b
}

// String returns the canonical text.
func (d Decimal) String() string { return string(d.append(nil)) }
