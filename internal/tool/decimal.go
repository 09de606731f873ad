package tool

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

const (
	maxDigits   = 10_000    // of a number in a value or a schema
	maxExponent = 1_000_000 // decimal; beyond it a number is refused

	maxNumberText = "10000 digits, exponent 1000000"
)

// decimal is an exact number: 0.digits × 10^exp. The digits have no leading
// and no trailing zeros; zero has none. So equal numbers have equal decimals
// and comparing never expands an exponent.
type decimal struct {
	neg    bool
	digits string
	exp    int
}

// parseDecimal reads a JSON number that isNumber accepts (or FormatFloat wrote).
func parseDecimal(s string) (decimal, bool) {
	var d decimal
	if len(s) > maxDigits {
		return d, false
	}
	if strings.HasPrefix(s, "-") {
		d.neg, s = true, s[1:]
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exp, err := strconv.Atoi(strings.TrimPrefix(s[i+1:], "+"))
		if err != nil || exp > maxExponent || exp < -maxExponent {
			return d, false
		}
		d.exp, s = exp, s[:i]
	}
	whole, frac, _ := strings.Cut(s, ".")
	d.digits = whole + frac
	d.exp += len(whole)
	trimmed := strings.TrimLeft(d.digits, "0")
	d.exp -= len(d.digits) - len(trimmed)
	d.digits = strings.TrimRight(trimmed, "0")
	if d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

func (d decimal) zero() bool { return d.digits == "" }

// integer reports whether the number is whole.
func (d decimal) integer() bool { return d.exp >= len(d.digits) }

func (d decimal) compare(e decimal) int {
	if d.sign() != e.sign() {
		return cmp.Compare(d.sign(), e.sign())
	}
	c := cmp.Or(cmp.Compare(d.exp, e.exp), cmp.Compare(d.digits, e.digits))
	if d.neg {
		return -c
	}
	return c
}

func (d decimal) sign() int {
	switch {
	case d.zero():
		return 0
	case d.neg:
		return -1
	}
	return 1
}

// multipleOf reports whether d is a whole number of times m, m not zero.
func (d decimal) multipleOf(m decimal) bool {
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

func (d decimal) scaled() (*big.Int, int) {
	n, _ := new(big.Int).SetString(d.digits, 10)
	return n, d.exp - len(d.digits)
}

// append writes the canonical text: a plain number when it is short, else with an exponent.
func (d decimal) append(b []byte) []byte {
	if d.zero() {
		return append(b, '0')
	}
	if d.neg {
		b = append(b, '-')
	}
	n := len(d.digits)
	switch {
	case d.exp >= n && d.exp <= max(n, 400):
		b = append(b, d.digits...)
		for range d.exp - n {
			b = append(b, '0')
		}
	case d.exp > 0 && d.exp < n:
		b = append(b, d.digits[:d.exp]...)
		b = append(append(b, '.'), d.digits[d.exp:]...)
	case d.exp <= 0 && d.exp > -8:
		b = append(b, "0."...)
		for range -d.exp {
			b = append(b, '0')
		}
		b = append(b, d.digits...)
	default:
		b = append(b, d.digits[0])
		if n > 1 {
			b = append(append(b, '.'), d.digits[1:]...)
		}
		b = strconv.AppendInt(append(b, 'e'), int64(d.exp-1), 10)
	}
	return b
}

func (d decimal) String() string { return string(d.append(nil)) }
