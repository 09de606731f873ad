package decimal

import "math/big"

// Cmp compares two numbers that are no NaN by their values: -1, 0 or 1.
func Cmp(a, b *Decimal) int {
	if a.IsZero() && b.IsZero() {
		return 0
	}
	sa, sb := a.sign(), b.sign()
	if sa != sb {
		if sa < sb {
			return -1
		}
		return 1
	}
	return sa * cmpAbs(a, b)
}

// sign is -1, 0 or 1.
func (d *Decimal) sign() int {
	switch {
	case d.IsZero():
		return 0
	case d.Neg:
		return -1
	}
	return 1
}

// cmpAbs compares the absolute values of two numbers that are no NaN.
func cmpAbs(a, b *Decimal) int {
	if a.Form == Infinite || b.Form == Infinite {
		switch {
		case a.Form == b.Form:
			return 0
		case a.Form == Infinite:
			return 1
		}
		return -1
	}
	switch az, bz := a.IsZero(), b.IsZero(); {
	case az && bz:
		return 0
	case az:
		return -1
	case bz:
		return 1
	}
	if x, y := a.Adjusted(), b.Adjusted(); x != y {
		if x < y {
			return -1
		}
		return 1
	}
	x, y := a.Coef(), b.Coef()
	switch {
	case a.Exp > b.Exp:
		x = new(big.Int).Mul(x, pow10(a.Exp-b.Exp))
	case b.Exp > a.Exp:
		y = new(big.Int).Mul(y, pow10(b.Exp-a.Exp))
	}
	return x.Cmp(y)
}

// Compare returns a ? b as -1, 0 or 1, or a NaN. signal says that a quiet NaN is an invalid operation, too.
func (c *Context) Compare(a, b *Decimal, signal bool) *Decimal {
	if n := c.nan(a, b); n != nil {
		if signal {
			c.Status |= InvalidOperation
		}
		return n
	}
	return FromInt64(int64(Cmp(a, b)))
}

// CompareTotal orders all values, those that differ in form only, too.
func CompareTotal(a, b *Decimal) int {
	if a.Neg != b.Neg {
		if a.Neg {
			return -1
		}
		return 1
	}
	r := CompareTotalMag(a, b)
	if a.Neg {
		return -r
	}
	return r
}

// CompareTotalMag is CompareTotal without the signs.
func CompareTotalMag(a, b *Decimal) int {
	if a.IsNaN() || b.IsNaN() {
		rank := func(d *Decimal) int {
			switch d.Form {
			case QuietNaN:
				return 2
			case SignalingNaN:
				return 1
			}
			return 0
		}
		if x, y := rank(a), rank(b); x != y {
			if x < y {
				return -1
			}
			return 1
		}
		return a.Coef().Cmp(b.Coef())
	}
	if r := cmpAbs(a, b); r != 0 {
		return r
	}
	if a.Form == Infinite || a.Exp == b.Exp {
		return 0
	}
	if a.Exp < b.Exp {
		return -1
	}
	return 1
}

// pick is max and min: of two numbers, or the one that is no quiet NaN.
func (c *Context) pick(a, b *Decimal, cmp func(a, b *Decimal) int, want int) *Decimal {
	if a.IsNaN() || b.IsNaN() {
		switch {
		case a.Form == QuietNaN && !b.IsNaN():
			return c.fix(b)
		case b.Form == QuietNaN && !a.IsNaN():
			return c.fix(a)
		}
		return c.nan(a, b)
	}
	r := cmp(a, b)
	if r == 0 {
		r = CompareTotal(a, b)
	}
	if r == want || r == 0 && want < 0 {
		return c.fix(a)
	}
	return c.fix(b)
}

// Max returns the larger of two numbers.
func (c *Context) Max(a, b *Decimal) *Decimal { return c.pick(a, b, Cmp, 1) }

// Min returns the smaller of two numbers.
func (c *Context) Min(a, b *Decimal) *Decimal { return c.pick(a, b, Cmp, -1) }

// MaxMag is Max by absolute value.
func (c *Context) MaxMag(a, b *Decimal) *Decimal { return c.pick(a, b, cmpAbs, 1) }

// MinMag is Min by absolute value.
func (c *Context) MinMag(a, b *Decimal) *Decimal { return c.pick(a, b, cmpAbs, -1) }

// NextMinus returns the greatest number of the context that is less than d.
func (c *Context) NextMinus(d *Decimal) *Decimal { return c.next(d, true) }

// NextPlus returns the least number of the context that is greater than d.
func (c *Context) NextPlus(d *Decimal) *Decimal { return c.next(d, false) }

func (c *Context) next(d *Decimal, down bool) *Decimal {
	if n := c.nan(d); n != nil {
		return n
	}
	if d.Form == Infinite {
		if d.Neg == down {
			return d
		}
		return New(d.Neg, new(big.Int).Sub(pow10(c.Prec), one()), c.Etop())
	}
	quiet := *c
	quiet.Rounding = RoundCeiling
	if down {
		quiet.Rounding = RoundFloor
	}
	if r := quiet.fix(d); r.Form != Finite || Cmp(r, d) != 0 {
		return r
	}
	return quiet.Add(d, New(down, one(), quiet.Etiny()-1))
}

// NextToward returns the number of the context that is next to a in the direction of b.
func (c *Context) NextToward(a, b *Decimal) *Decimal {
	if n := c.nan(a, b); n != nil {
		return n
	}
	var r *Decimal
	switch Cmp(a, b) {
	case 0:
		return a.with(b.Neg)
	case -1:
		r = c.NextPlus(a)
	default:
		r = c.NextMinus(a)
	}
	switch {
	case r.Form == Infinite:
		c.Status |= Overflow | Inexact | Rounded
	case r.Adjusted() < c.Emin:
		c.Status |= Underflow | Subnormal | Inexact | Rounded
		if r.IsZero() {
			c.Status |= Clamped
		}
	}
	return r
}

// Logb returns the exponent of the first digit of d.
func (c *Context) Logb(d *Decimal) *Decimal {
	if n := c.nan(d); n != nil {
		return n
	}
	switch {
	case d.Form == Infinite:
		return d.with(false)
	case d.IsZero():
		c.Status |= DivisionByZero
		return &Decimal{Form: Infinite, Neg: true}
	}
	return c.fix(FromInt64(d.Adjusted()))
}

// Scaleb returns a × 10^b.
func (c *Context) Scaleb(a, b *Decimal) *Decimal {
	if n := c.nan(a, b); n != nil {
		return n
	}
	limit := 2 * (c.Emax + c.Prec)
	n, ok := small(b, limit)
	if !ok {
		return c.invalid(InvalidOperation)
	}
	if a.Form == Infinite {
		return a
	}
	return c.fix(New(a.Neg, a.Coef(), a.Exp+n))
}

// small returns a whole number with the exponent 0 whose absolute value is at most limit.
func small(d *Decimal, limit int64) (int64, bool) {
	if d.Form != Finite || d.Exp != 0 || !d.Coef().IsInt64() || d.Coef().Int64() > limit {
		return 0, false
	}
	n := d.Coef().Int64()
	if d.Neg {
		n = -n
	}
	return n, true
}

// Shift moves the digits of a by b places; rotate says that those that leave come back.
func (c *Context) Shift(a, b *Decimal, rotate bool) *Decimal {
	if n := c.nan(a, b); n != nil {
		return n
	}
	n, ok := small(b, c.Prec)
	if !ok {
		return c.invalid(InvalidOperation)
	}
	if a.Form == Infinite {
		return a
	}
	coef := new(big.Int).Rem(a.Coef(), pow10(c.Prec))
	switch {
	case rotate:
		if n < 0 {
			n += c.Prec
		}
		high, low := new(big.Int).QuoRem(coef, pow10(c.Prec-n), new(big.Int))
		coef = low.Mul(low, pow10(n))
		coef.Add(coef, high)
	case n < 0:
		coef.Quo(coef, pow10(-n))
	default:
		coef.Mul(coef, pow10(n))
		coef.Rem(coef, pow10(c.Prec))
	}
	return New(a.Neg, coef, a.Exp)
}

// Logical computes digit by digit on numbers of zeros and ones. op gets the two digits.
func (c *Context) Logical(a, b *Decimal, op func(x, y byte) byte) *Decimal {
	x, ok := c.logicalDigits(a)
	y, ok2 := c.logicalDigits(b)
	if !ok || !ok2 {
		return c.invalid(InvalidOperation)
	}
	out := make([]byte, max(len(x), len(y)))
	for i := range out {
		var p, q byte
		if k := len(x) - len(out) + i; k >= 0 {
			p = x[k] - '0'
		}
		if k := len(y) - len(out) + i; k >= 0 {
			q = y[k] - '0'
		}
		out[i] = '0' + op(p, q)
	}
	n, _ := new(big.Int).SetString(string(out), 10)
	return New(false, n, 0)
}

// Ones is the number of as many ones as the precision has digits.
func (c *Context) Ones() *Decimal {
	return New(false, new(big.Int).Quo(new(big.Int).Sub(pow10(c.Prec), one()), big.NewInt(9)), 0)
}

func (c *Context) logicalDigits(d *Decimal) (string, bool) {
	if d.Form != Finite || d.Neg || d.Exp != 0 || d.Digits() > c.Prec {
		return "", false
	}
	s := d.Coef().String()
	for i := range len(s) {
		if s[i] > '1' {
			return "", false
		}
	}
	return s, true
}

// Class names what kind of number d is.
func (c *Context) Class(d *Decimal) string {
	sign := "+"
	if d.Neg {
		sign = "-"
	}
	switch {
	case d.Form == QuietNaN:
		return "NaN"
	case d.Form == SignalingNaN:
		return "sNaN"
	case d.Form == Infinite:
		return sign + "Infinity"
	case d.IsZero():
		return sign + "Zero"
	case d.Adjusted() < c.Emin:
		return sign + "Subnormal"
	}
	return sign + "Normal"
}
