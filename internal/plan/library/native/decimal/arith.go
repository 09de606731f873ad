package decimal

import (
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// operation computes d of a and b; b is nil where there is one operand.
type operation func(c *apd.Context, d, a, b *apd.Decimal) (apd.Condition, error)

func add(c *apd.Context, d, a, b *apd.Decimal) (apd.Condition, error) { return c.Add(d, a, b) }

func sub(c *apd.Context, d, a, b *apd.Decimal) (apd.Condition, error) { return c.Sub(d, a, b) }

func mul(c *apd.Context, d, a, b *apd.Decimal) (apd.Condition, error) { return c.Mul(d, a, b) }

// quo divides. An exact quotient has no more digits than its operands ask for.
func quo(c *apd.Context, d, a, b *apd.Decimal) (apd.Condition, error) {
	happened, err := c.Quo(d, a, b)
	switch {
	case err != nil:
		return happened, err
	case happened.Inexact(): // rounding up may have made one digit more
		return c.Round(d, d)
	}
	trim(d, a.Exponent-b.Exponent)
	return happened, nil
}

// trim takes zeros away from the end of a number while its exponent is below one.
func trim(d *apd.Decimal, exponent int32) {
	if d.Form != apd.Finite || d.Coeff.Sign() == 0 || d.Exponent >= exponent {
		return
	}
	digits := d.Coeff.String()
	zeros := min(len(digits)-len(strings.TrimRight(digits, "0")), int(exponent-d.Exponent))
	if zeros > 0 {
		d.Coeff.Quo(&d.Coeff, new(apd.BigInt).Exp(apd.NewBigInt(10), apd.NewBigInt(int64(zeros)), nil))
		d.Exponent += int32(zeros)
	}
}

// quoInt is a // b, which Python cuts towards zero.
func quoInt(c *apd.Context, d, a, b *apd.Decimal) (apd.Condition, error) {
	return c.QuoInteger(d, a, b)
}

// rem is a % b, with the sign of a.
func rem(c *apd.Context, d, a, b *apd.Decimal) (apd.Condition, error) { return c.Rem(d, a, b) }

func neg(c *apd.Context, d, a, _ *apd.Decimal) (apd.Condition, error) {
	if isNaN(a) {
		d.Set(a)
		return 0, nil
	}
	return c.Sub(d, &apd.Decimal{Exponent: a.Exponent}, a)
}

func plus(c *apd.Context, d, a, _ *apd.Decimal) (apd.Condition, error) {
	if isNaN(a) {
		d.Set(a)
		return 0, nil
	}
	return c.Add(d, &apd.Decimal{Exponent: a.Exponent}, a)
}

func abs(c *apd.Context, d, a, _ *apd.Decimal) (apd.Condition, error) { return c.Abs(d, a) }

func sqrt(c *apd.Context, d, a, _ *apd.Decimal) (apd.Condition, error) {
	happened, err := c.Sqrt(d, a)
	if err == nil && !happened.Inexact() {
		trim(d, floorHalf(a.Exponent))
	}
	return happened, err
}

func floorHalf(n int32) int32 { return n >> 1 }

func exp(c *apd.Context, d, a, _ *apd.Decimal) (apd.Condition, error) {
	return rounded(c, d, func(c *apd.Context) (apd.Condition, error) { return c.Exp(d, a) })
}

func ln(c *apd.Context, d, a, _ *apd.Decimal) (apd.Condition, error) {
	return rounded(c, d, func(c *apd.Context) (apd.Condition, error) { return c.Ln(d, a) })
}

// rounded computes a series with more digits and rounds once: apd's last digits may be wrong.
func rounded(c *apd.Context, d *apd.Decimal, f func(c *apd.Context) (apd.Condition, error)) (apd.Condition, error) {
	wide := *c
	wide.Precision += 10
	wide.Rounding = apd.RoundHalfEven
	happened, err := f(&wide)
	if err != nil || d.Form != apd.Finite {
		return happened, err
	}
	wide.Precision = c.Precision
	last, err := wide.Round(d, d)
	return happened | last, err
}

func normalize(c *apd.Context, d, a, _ *apd.Decimal) (apd.Condition, error) {
	happened, err := c.Round(d, a)
	if trim(d, apd.MaxExponent); d.IsZero() {
		d.Exponent = 0
	}
	return happened, err
}

// pow is a ** b. A whole negative power is one of the reciprocal, so that what is
// exact stays short; a power of one that is not whole has all digits.
func pow(c *apd.Context, d, a, b *apd.Decimal) (apd.Condition, error) {
	one := apd.New(1, 0)
	switch {
	case isNaN(a) || isNaN(b):
	case a.Negative && !a.IsZero() && b.Form == apd.Infinite:
		return apd.InvalidOperation, nil
	case a.Cmp(one) == 0 && (b.Form == apd.Infinite || !isWhole(b)):
		return c.Quantize(d, one, 1-int32(c.Precision))
	case b.Form == apd.Infinite:
		if a.Cmp(one) > 0 != b.Negative {
			d.Form = apd.Infinite
		}
		return 0, nil
	case a.Form == apd.Finite && !a.IsZero() && b.Form == apd.Finite && b.Negative && isWhole(b):
		wide := *c
		wide.Precision += uint32(b.NumDigits()) + 12
		var reciprocal, power apd.Decimal
		happened, err := quo(&wide, &reciprocal, one, a)
		if err != nil || happened&^(apd.Inexact|apd.Rounded) != 0 {
			return happened, err
		}
		power.Neg(b)
		return c.Pow(d, &reciprocal, &power)
	}
	return rounded(c, d, func(c *apd.Context) (apd.Condition, error) { return c.Pow(d, a, b) })
}

func isWhole(d *apd.Decimal) bool {
	var whole, part apd.Decimal
	d.Modf(&whole, &part)
	return part.IsZero()
}

// quantize rounds a to an exponent.
func quantize(c *apd.Context, d, a *apd.Decimal, exponent int32) (apd.Condition, error) {
	return c.Quantize(d, near(a, exponent), exponent)
}

// integral rounds a to a whole number.
func integral(c *apd.Context, d, a *apd.Decimal) (apd.Condition, error) {
	if a.Exponent >= 0 {
		d.Set(a)
		return 0, nil
	}
	return c.RoundToIntegralValue(d, near(a, 0))
}

// near returns a, or, where a is far below one unit of the exponent, a number
// that is rounded as a is: apd takes what is that small for nothing, whatever the
// rounding.
func near(a *apd.Decimal, exponent int32) *apd.Decimal {
	if a.Form != apd.Finite || a.IsZero() || a.NumDigits()+int64(a.Exponent) >= int64(exponent) {
		return a
	}
	return &apd.Decimal{Negative: a.Negative, Coeff: *apd.NewBigInt(1), Exponent: exponent - 1}
}
