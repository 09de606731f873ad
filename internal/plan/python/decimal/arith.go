package decimal

import "math/big"

// Plus returns d rounded: the prefix operator +.
func (c *Context) Plus(d *Decimal) *Decimal {
	if r := c.nan(d); r != nil {
		return r
	}
	if d.IsZero() && c.Rounding != RoundFloor {
		d = d.with(false)
	}
	return c.fix(d)
}

// Round returns d rounded to the context, with its sign.
func (c *Context) Round(d *Decimal) *Decimal { return c.fix(d) }

// Minus returns -d rounded.
func (c *Context) Minus(d *Decimal) *Decimal {
	if r := c.nan(d); r != nil {
		return r
	}
	if d.IsZero() && c.Rounding != RoundFloor {
		return c.fix(d.with(false))
	}
	return c.fix(d.with(!d.Neg))
}

// Abs returns |d| rounded.
func (c *Context) Abs(d *Decimal) *Decimal {
	if d.Neg {
		return c.Minus(d)
	}
	return c.Plus(d)
}

// Add returns a + b.
func (c *Context) Add(a, b *Decimal) *Decimal {
	if r := c.nan(a, b); r != nil {
		return r
	}
	if a.Form == Infinite || b.Form == Infinite {
		if a.Form == Infinite && b.Form == Infinite && a.Neg != b.Neg {
			return c.invalid(InvalidOperation)
		}
		if a.Form == Infinite {
			return a
		}
		return b
	}
	exp := min(a.Exp, b.Exp)
	negZero := a.Neg && b.Neg || c.Rounding == RoundFloor && a.Neg != b.Neg
	switch az, bz := a.IsZero(), b.IsZero(); {
	case az && bz:
		return c.fix(New(negZero, nil, exp))
	case az:
		return c.fix(rescale(b, max(exp, b.Exp-c.Prec-1), c.Rounding))
	case bz:
		return c.fix(rescale(a, max(exp, a.Exp-c.Prec-1), c.Rounding))
	}
	x, y, exp := c.align(a, b)
	if a.Neg {
		x = new(big.Int).Neg(x)
	}
	if b.Neg {
		y = new(big.Int).Neg(y)
	}
	sum := new(big.Int).Add(x, y)
	if sum.Sign() == 0 {
		return c.fix(New(negZero, nil, exp))
	}
	neg := sum.Sign() < 0
	return c.fix(New(neg, sum.Abs(sum), exp))
}

// align gives the coefficients of both with one exponent. What is far below the
// last digit of the result is replaced by something as small that rounds the same.
func (c *Context) align(a, b *Decimal) (x, y *big.Int, exp int64) {
	swapped := a.Exp < b.Exp
	if swapped {
		a, b = b, a
	}
	y, exp = b.Coef(), b.Exp
	size := a.Digits()
	other := b.Digits()
	low := a.Exp + min(-1, size-c.Prec-2)
	if other+exp-1 < low {
		y, exp = one(), low
	}
	x = a.Coef()
	if a.Exp > exp {
		x = new(big.Int).Mul(x, pow10(a.Exp-exp))
	}
	if swapped {
		x, y = y, x
	}
	return x, y, exp
}

// Sub returns a - b.
func (c *Context) Sub(a, b *Decimal) *Decimal {
	if r := c.nan(a, b); r != nil {
		return r
	}
	return c.Add(a, b.with(!b.Neg))
}

// Mul returns a × b.
func (c *Context) Mul(a, b *Decimal) *Decimal {
	if r := c.nan(a, b); r != nil {
		return r
	}
	neg := a.Neg != b.Neg
	if a.Form == Infinite || b.Form == Infinite {
		if a.IsZero() || b.IsZero() {
			return c.invalid(InvalidOperation)
		}
		return &Decimal{Form: Infinite, Neg: neg}
	}
	return c.fix(New(neg, new(big.Int).Mul(a.Coef(), b.Coef()), a.Exp+b.Exp))
}

// FMA returns a × b + d, rounded once.
func (c *Context) FMA(a, b, d *Decimal) *Decimal {
	if r := c.nan(a, b); r != nil && (a.Form == SignalingNaN || b.Form == SignalingNaN || d.Form != SignalingNaN) {
		return r
	}
	if r := c.nan(d); r != nil {
		if a.Form != Finite || b.Form != Finite {
			if (a.Form == Infinite && b.IsZero() || b.Form == Infinite && a.IsZero()) && d.Form == QuietNaN {
				return c.invalid(InvalidOperation)
			}
		}
		return r
	}
	neg := a.Neg != b.Neg
	if a.Form == Infinite || b.Form == Infinite {
		if a.IsZero() || b.IsZero() {
			return c.invalid(InvalidOperation)
		}
		return c.Add(&Decimal{Form: Infinite, Neg: neg}, d)
	}
	return c.Add(New(neg, new(big.Int).Mul(a.Coef(), b.Coef()), a.Exp+b.Exp), d)
}

// Quo returns a / b.
func (c *Context) Quo(a, b *Decimal) *Decimal {
	if r := c.nan(a, b); r != nil {
		return r
	}
	neg := a.Neg != b.Neg
	switch {
	case a.Form == Infinite && b.Form == Infinite:
		return c.invalid(InvalidOperation)
	case a.Form == Infinite:
		return &Decimal{Form: Infinite, Neg: neg}
	case b.Form == Infinite:
		c.Status |= Clamped
		return New(neg, nil, c.Etiny())
	case b.IsZero():
		if a.IsZero() {
			return c.invalid(DivisionUndefined)
		}
		c.Status |= DivisionByZero
		return &Decimal{Form: Infinite, Neg: neg}
	case a.IsZero():
		return c.fix(New(neg, nil, a.Exp-b.Exp))
	}
	shift := b.Digits() - a.Digits() + c.Prec + 1
	exp := a.Exp - b.Exp - shift
	x, y := a.Coef(), b.Coef()
	if shift >= 0 {
		x = new(big.Int).Mul(x, pow10(shift))
	} else {
		y = new(big.Int).Mul(y, pow10(-shift))
	}
	rest := new(big.Int)
	q, rest := new(big.Int).QuoRem(x, y, rest)
	if rest.Sign() != 0 {
		if new(big.Int).Rem(q, big.NewInt(5)).Sign() == 0 { // no exact result, no half
			q.Add(q, one())
		}
	} else {
		q, exp = strip(q, exp, a.Exp-b.Exp)
	}
	return c.fix(New(neg, q, exp))
}

// strip takes zeros off the end of q, which is not 0, while the exponent is below ideal.
func strip(q *big.Int, exp, ideal int64) (*big.Int, int64) {
	if exp >= ideal {
		return q, exp
	}
	// A number with so many zeros at the end has as many factors 2.
	most := min(ideal-exp, int64(q.TrailingZeroBits()))
	step := int64(1)
	for step*2 <= most {
		step *= 2
	}
	for ; step >= 1; step /= 2 {
		for step <= most {
			x, rest := new(big.Int).QuoRem(q, pow10(step), new(big.Int))
			if rest.Sign() != 0 {
				break
			}
			q, exp, most = x, exp+step, most-step
		}
	}
	return q, exp
}

// divide returns the whole quotient and the remainder of finite a and b, b not
// zero; ok is false when the quotient has more digits than the precision.
func (c *Context) divide(a, b *Decimal) (q, r *Decimal, ok bool) {
	neg := a.Neg != b.Neg
	exp := min(a.Exp, b.Exp)
	if b.Form == Infinite {
		exp = a.Exp
	}
	distance := a.Adjusted() - b.Adjusted()
	if a.IsZero() || b.Form == Infinite || distance <= -2 {
		return New(neg, nil, 0), c.reach(a, exp), true
	}
	if distance > c.Prec {
		return nil, nil, false
	}
	x, y := a.Coef(), b.Coef()
	if a.Exp >= b.Exp {
		x = new(big.Int).Mul(x, pow10(a.Exp-b.Exp))
	} else {
		y = new(big.Int).Mul(y, pow10(b.Exp-a.Exp))
	}
	n, rest := new(big.Int).QuoRem(x, y, new(big.Int))
	if digits(n) > c.Prec {
		return nil, nil, false
	}
	return New(neg, n, 0), New(a.Neg, rest, exp), true
}

// reach gives a the exponent exp, or one as near to it as the precision lets it be.
func (c *Context) reach(a *Decimal, exp int64) *Decimal {
	if a.IsZero() || a.Form != Finite {
		if a.Form == Finite {
			return New(a.Neg, nil, exp)
		}
		return a
	}
	free := c.Prec - a.Digits()
	if a.Exp-exp > free+1 {
		exp = a.Exp - max(free, 0) - 1
	}
	return rescale(a, exp, c.Rounding)
}

// QuoInt returns the whole part of a / b: the operator //.
func (c *Context) QuoInt(a, b *Decimal) *Decimal {
	q, _ := c.DivMod(a, b, true, false)
	return q
}

// Rem returns what is left of a after whole times b: the operator %.
func (c *Context) Rem(a, b *Decimal) *Decimal {
	_, r := c.DivMod(a, b, false, true)
	return r
}

// DivMod returns a // b and a % b, of which only what is asked for is computed.
func (c *Context) DivMod(a, b *Decimal, quo, rem bool) (q, r *Decimal) {
	if n := c.nan(a, b); n != nil {
		return n, n
	}
	neg := a.Neg != b.Neg
	if a.Form == Infinite {
		if b.Form == Infinite || !quo {
			n := c.invalid(InvalidOperation)
			return n, n
		}
		if rem {
			c.Status |= InvalidOperation
		}
		return &Decimal{Form: Infinite, Neg: neg}, &Decimal{Form: QuietNaN}
	}
	if b.IsZero() {
		if a.IsZero() {
			n := c.invalid(DivisionUndefined)
			return n, n
		}
		if rem {
			r = c.invalid(InvalidOperation)
		}
		if quo {
			c.Status |= DivisionByZero
		}
		return &Decimal{Form: Infinite, Neg: neg}, r
	}
	q, r, ok := c.divide(a, b)
	if !ok {
		n := c.invalid(DivisionImpossible)
		return n, n
	}
	if quo {
		q = c.fix(q)
	}
	if rem {
		r = c.fix(r)
	}
	return q, r
}

// RemNear returns a less the whole multiple of b that is nearest to it.
func (c *Context) RemNear(a, b *Decimal) *Decimal {
	if n := c.nan(a, b); n != nil {
		return n
	}
	switch {
	case a.Form == Infinite:
		return c.invalid(InvalidOperation)
	case b.IsZero() && a.IsZero():
		return c.invalid(DivisionUndefined)
	case b.IsZero():
		return c.invalid(InvalidOperation)
	case b.Form == Infinite:
		return c.fix(a)
	}
	exp := min(a.Exp, b.Exp)
	if a.IsZero() {
		return c.fix(New(a.Neg, nil, exp))
	}
	distance := a.Adjusted() - b.Adjusted()
	if distance >= c.Prec+1 {
		return c.invalid(DivisionImpossible)
	}
	if distance <= -2 {
		return c.fix(c.reach(a, exp))
	}
	x, y := a.Coef(), b.Coef()
	if a.Exp >= b.Exp {
		x = new(big.Int).Mul(x, pow10(a.Exp-b.Exp))
	} else {
		y = new(big.Int).Mul(y, pow10(b.Exp-a.Exp))
	}
	q, r := new(big.Int).QuoRem(x, y, new(big.Int))
	twice := new(big.Int).Lsh(r, 1)
	if twice.Add(twice, new(big.Int).And(q, one())).Cmp(y) > 0 {
		r.Sub(r, y)
		q.Add(q, one())
	}
	if digits(q) > c.Prec {
		return c.invalid(DivisionImpossible)
	}
	neg := a.Neg
	if r.Sign() < 0 {
		neg = !neg
		r.Neg(r)
	}
	return c.fix(New(neg, r, exp))
}

// Quantize returns a with the exponent of b.
func (c *Context) Quantize(a, b *Decimal, r Rounding) *Decimal {
	if n := c.nan(a, b); n != nil {
		return n
	}
	if a.Form == Infinite || b.Form == Infinite {
		if a.Form == b.Form {
			return a
		}
		return c.invalid(InvalidOperation)
	}
	if b.Exp < c.Etiny() || b.Exp > c.Emax {
		return c.invalid(InvalidOperation)
	}
	if a.IsZero() {
		return c.fix(New(a.Neg, nil, b.Exp))
	}
	if a.Adjusted() > c.Emax || a.Adjusted()-b.Exp+1 > c.Prec {
		return c.invalid(InvalidOperation)
	}
	d := New(a.Neg, a.Coef(), b.Exp)
	inexact := false
	if a.Exp >= b.Exp {
		d.coef = new(big.Int).Mul(a.Coef(), pow10(a.Exp-b.Exp))
	} else {
		d.coef, inexact = r.cut(a.Neg, a.Coef(), b.Exp-a.Exp)
	}
	if d.Adjusted() > c.Emax || d.Digits() > c.Prec {
		return c.invalid(InvalidOperation)
	}
	if d.coef.Sign() != 0 && d.Adjusted() < c.Emin {
		c.Status |= Subnormal
	}
	if d.Exp > a.Exp {
		c.Status |= Rounded
		if inexact {
			c.Status |= Inexact
		}
	}
	return c.fix(d)
}

// ToIntegral returns d as a whole number; exact says that rounding is noted.
func (c *Context) ToIntegral(d *Decimal, r Rounding, exact bool) *Decimal {
	if n := c.nan(d); n != nil {
		return n
	}
	if d.Form == Infinite || d.Exp >= 0 {
		return d
	}
	if d.IsZero() {
		return New(d.Neg, nil, 0)
	}
	coef, inexact := r.cut(d.Neg, d.Coef(), -d.Exp)
	if exact {
		c.Status |= Rounded
		if inexact {
			c.Status |= Inexact
		}
	}
	return New(d.Neg, coef, 0)
}

// Normalize takes the zeros off the end of d.
func (c *Context) Normalize(d *Decimal) *Decimal {
	if n := c.nan(d); n != nil {
		return n
	}
	d = c.fix(d)
	if d.Form != Finite {
		return d
	}
	if d.IsZero() {
		return New(d.Neg, nil, 0)
	}
	top := c.Emax
	if c.Clamp {
		top = c.Etop()
	}
	coef, exp := strip(d.Coef(), d.Exp, top)
	return New(d.Neg, coef, exp)
}

// Sqrt returns the square root of d.
func (c *Context) Sqrt(d *Decimal) *Decimal {
	if n := c.nan(d); n != nil {
		return n
	}
	if d.Form == Infinite && !d.Neg {
		return d
	}
	if d.IsZero() {
		return c.fix(New(d.Neg, nil, floorHalf(d.Exp)))
	}
	if d.Neg {
		return c.invalid(InvalidOperation)
	}
	prec := c.Prec + 1
	e := floorHalf(d.Exp)
	coef := d.Coef()
	size := d.Digits()
	if d.Exp&1 != 0 {
		coef = new(big.Int).Mul(coef, ten())
		size = size>>1 + 1
	} else {
		size = (size + 1) >> 1
	}
	shift := prec - size
	exact := true
	if shift >= 0 {
		coef = new(big.Int).Mul(coef, pow10(2*shift))
	} else {
		var rest *big.Int
		coef, rest = new(big.Int).QuoRem(coef, pow10(-2*shift), new(big.Int))
		exact = rest.Sign() == 0
	}
	e -= shift
	n := new(big.Int).Sqrt(coef)
	exact = exact && new(big.Int).Mul(n, n).Cmp(coef) == 0
	if exact {
		if shift >= 0 {
			n.Quo(n, pow10(shift))
		} else {
			n.Mul(n, pow10(-shift))
		}
		e += shift
	} else if new(big.Int).Rem(n, big.NewInt(5)).Sign() == 0 {
		n.Add(n, one())
	}
	half := *c
	half.Status, half.Rounding = 0, RoundHalfEven
	r := half.fix(New(false, n, e))
	c.Status |= half.Status
	return r
}

func floorHalf(n int64) int64 { return n >> 1 }
