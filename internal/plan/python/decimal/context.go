package decimal

import "math/big"

// Condition is a set of things that happened in an operation.
type Condition uint32

// The conditions. Those after Clamped are kinds of InvalidOperation.
const (
	InvalidOperation Condition = 1 << iota
	FloatOperation
	DivisionByZero
	Overflow
	Underflow
	Subnormal
	Inexact
	Rounded
	Clamped
	ConversionSyntax
	DivisionImpossible
	DivisionUndefined
	InvalidContext
)

// Invalid are all kinds of invalid operations.
const Invalid = InvalidOperation | ConversionSyntax | DivisionImpossible | DivisionUndefined | InvalidContext

// Rounding says which of two numbers to take.
type Rounding uint8

// The rounding modes, in the order of Python's names.
const (
	RoundUp Rounding = iota
	RoundDown
	RoundCeiling
	RoundFloor
	RoundHalfUp
	RoundHalfDown
	RoundHalfEven
	Round05Up
)

// Context says how to compute. Status collects what happened.
type Context struct {
	Prec       int64
	Rounding   Rounding
	Emin, Emax int64
	Clamp      bool
	Status     Condition
}

// Default returns the context that a Python program begins with.
func Default() *Context {
	return &Context{Prec: 28, Rounding: RoundHalfEven, Emin: -999999, Emax: 999999}
}

// wide returns a context in which a result of at most prec digits is not rounded.
func wide(prec int64) *Context {
	return &Context{Prec: prec, Rounding: RoundHalfEven, Emin: MinExp, Emax: MaxExp}
}

// Etiny is the smallest exponent of a subnormal number.
func (c *Context) Etiny() int64 { return c.Emin - (c.Prec - 1) }

// Etop is the greatest exponent of a number with all digits.
func (c *Context) Etop() int64 { return c.Emax - (c.Prec - 1) }

// invalid notes a kind of invalid operation and returns a NaN.
func (c *Context) invalid(kind Condition) *Decimal {
	c.Status |= kind
	return &Decimal{Form: QuietNaN}
}

// nan returns the result of an operation that has a NaN among its operands, or nil.
func (c *Context) nan(ds ...*Decimal) *Decimal {
	var found *Decimal
	for _, d := range ds {
		if d.Form == SignalingNaN {
			c.Status |= InvalidOperation
			found = d
			break
		}
	}
	if found == nil {
		for _, d := range ds {
			if d.Form == QuietNaN {
				found = d
				break
			}
		}
	}
	if found == nil {
		return nil
	}
	r := *found
	r.Form = QuietNaN
	return c.fitNaN(&r)
}

// fitNaN cuts the digits of a NaN to the precision.
func (c *Context) fitNaN(d *Decimal) *Decimal {
	free := c.Prec
	if c.Clamp {
		free--
	}
	if d.coef == nil || d.Digits() <= free {
		return d
	}
	r := *d
	r.coef = new(big.Int).Rem(d.coef, pow10(free))
	return &r
}

// away says whether to take the number that is farther from zero. part says
// how what is cut off compares: 0 it is nothing, 1 less than half, 2 half, 3 more.
func (r Rounding) away(neg bool, last *big.Int, part int) bool {
	if part == 0 {
		return false
	}
	switch r {
	case RoundUp:
		return true
	case RoundDown:
		return false
	case RoundCeiling:
		return !neg
	case RoundFloor:
		return neg
	case RoundHalfUp:
		return part >= 2
	case RoundHalfDown:
		return part == 3
	case RoundHalfEven:
		return part == 3 || part == 2 && last.Bit(0) == 1
	}
	five := new(big.Int).Rem(last, big.NewInt(5))
	return five.Sign() == 0 // ends in 0 or 5
}

// cut divides a coefficient by 10^n and rounds; inexact says that something was lost.
func (r Rounding) cut(neg bool, coef *big.Int, n int64) (q *big.Int, inexact bool) {
	if n <= 0 {
		return coef, false
	}
	part := 0
	if size := digits(coef); n > size {
		q = new(big.Int)
		if coef.Sign() != 0 {
			part = 1
		}
	} else {
		p := pow10(n)
		rest := new(big.Int)
		q, rest = new(big.Int).QuoRem(coef, p, rest)
		if rest.Sign() != 0 {
			part = 2 + rest.Lsh(rest, 1).Cmp(p)
		}
	}
	if r.away(neg, q, part) {
		q.Add(q, one())
	}
	return q, part != 0
}

// fix rounds a result to the context.
func (c *Context) fix(d *Decimal) *Decimal {
	if d.Form != Finite {
		if d.IsNaN() {
			return c.fitNaN(d)
		}
		return d
	}
	tiny, top := c.Etiny(), c.Etop()
	if d.Coef().Sign() == 0 {
		highest := c.Emax
		if c.Clamp {
			highest = top
		}
		if e := min(max(d.Exp, tiny), highest); e != d.Exp {
			c.Status |= Clamped
			return New(d.Neg, nil, e)
		}
		return d
	}
	least := d.Digits() + d.Exp - c.Prec
	if least > top {
		return c.overflow(d.Neg)
	}
	small := least < tiny
	if small {
		least = tiny
	}
	if d.Exp < least {
		return c.shorten(d, least, top, small)
	}
	if small {
		c.Status |= Subnormal
	}
	if c.Clamp && d.Exp > top {
		c.Status |= Clamped
		return New(d.Neg, new(big.Int).Mul(d.Coef(), pow10(d.Exp-top)), top)
	}
	return d
}

// shorten rounds d to the exponent least.
func (c *Context) shorten(d *Decimal, least, top int64, small bool) *Decimal {
	coef, inexact := c.Rounding.cut(d.Neg, d.Coef(), least-d.Exp)
	if digits(coef) > c.Prec {
		coef = new(big.Int).Quo(coef, ten())
		least++
	}
	if least > top {
		return c.overflow(d.Neg)
	}
	if inexact && small {
		c.Status |= Underflow
	}
	if small {
		c.Status |= Subnormal
	}
	if inexact {
		c.Status |= Inexact
	}
	c.Status |= Rounded
	if coef.Sign() == 0 {
		c.Status |= Clamped
	}
	return New(d.Neg, coef, least)
}

// overflow is the result that is too large.
func (c *Context) overflow(neg bool) *Decimal {
	c.Status |= Overflow | Inexact | Rounded
	r := c.Rounding
	if r == RoundDown || r == Round05Up || r == RoundCeiling && neg || r == RoundFloor && !neg {
		if c.Prec > MaxDigits {
			return &Decimal{Form: Infinite, Neg: neg}
		}
		return New(neg, new(big.Int).Sub(pow10(c.Prec), one()), c.Etop())
	}
	return &Decimal{Form: Infinite, Neg: neg}
}

// rescale returns d with the exponent exp, rounded as r says; it does not look at limits.
func rescale(d *Decimal, exp int64, r Rounding) *Decimal {
	if d.Coef().Sign() == 0 {
		return New(d.Neg, nil, exp)
	}
	if d.Exp >= exp {
		return New(d.Neg, new(big.Int).Mul(d.Coef(), pow10(d.Exp-exp)), exp)
	}
	coef, _ := r.cut(d.Neg, d.Coef(), exp-d.Exp)
	return New(d.Neg, coef, exp)
}
