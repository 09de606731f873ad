package decimal

import (
	"math"
	"math/big"
)

// The functions of this file compute with fixed-point numbers: big integers that
// stand for their value times 10^w. An approximation is taken when rounding it
// gives the same as rounding all that is within its error; else more digits are computed.

// MaxElementary bounds the precision of exp, ln, log10 and powers with a fraction.
const MaxElementary = 100_000

// ElementaryCost estimates the steps that exp, ln or log10 takes.
func (c *Context) ElementaryCost() int64 {
	p := min(c.Prec, MaxElementary)
	return 20 + p*p/50
}

// Exp returns e^d.
func (c *Context) Exp(d *Decimal) *Decimal {
	if n := c.nan(d); n != nil {
		return n
	}
	switch {
	case d.Form == Infinite && d.Neg:
		return New(false, nil, 0)
	case d.Form == Infinite:
		return d
	case d.IsZero():
		return New(false, one(), 0)
	}
	adj := d.Adjusted()
	digitsOf := func(n int64) int64 { return int64(len(big.NewInt(n).String())) }
	switch {
	case !d.Neg && adj > digitsOf((c.Emax+1)*3):
		return c.halfEven(New(false, one(), c.Emax+1))
	case d.Neg && adj > digitsOf((-c.Etiny()+1)*3):
		return c.halfEven(New(false, one(), c.Etiny()-1))
	case !d.Neg && adj < -c.Prec:
		n := new(big.Int).Add(pow10(c.Prec), one())
		return c.halfEven(New(false, n, -c.Prec))
	case d.Neg && adj < -c.Prec-1:
		n := new(big.Int).Sub(pow10(c.Prec+1), one())
		return c.halfEven(New(false, n, -c.Prec-1))
	}
	for extra := int64(3); ; extra += 3 + extra/2 {
		coef, exp := expDigits(d, c.Prec+extra)
		if settled(coef, c.Prec) {
			return c.halfEven(New(false, coef, exp))
		}
	}
}

// halfEven rounds a result of an elementary function, which is always to the nearest.
func (c *Context) halfEven(d *Decimal) *Decimal {
	half := *c
	half.Rounding, half.Status = RoundHalfEven, 0
	r := half.fix(d)
	c.Status |= half.Status
	return r
}

// settled reports whether coef, wrong by at most 2 in its last place, rounds to
// prec digits in one way only.
func settled(coef *big.Int, prec int64) bool {
	cut := digits(coef) - prec
	if cut < 2 {
		return false
	}
	p := pow10(cut)
	rest := new(big.Int).Rem(coef, p)
	half := new(big.Int).Rsh(p, 1)
	diff := new(big.Int).Sub(rest, half)
	edge := big.NewInt(4)
	return diff.CmpAbs(edge) > 0 && rest.Cmp(edge) > 0 && new(big.Int).Sub(p, rest).Cmp(edge) > 0
}

// expDigits returns e^d as coef × 10^exp with at least p correct digits, wrong by at most 2.
func expDigits(d *Decimal, p int64) (coef *big.Int, exp int64) {
	adj := max(d.Adjusted(), 0)
	w := p + adj + 5
	x := fixed(d, w)
	l := ln10(w)
	k := new(big.Int).Div(x, l)
	r := new(big.Int).Sub(x, new(big.Int).Mul(k, l)) // 0 <= r < ln 10
	// What ln 10 is wrong by counts k times: that is what adj more digits are for.
	y := expFixed(r, w)
	exp = k.Int64() - w
	extra := digits(y) - p
	if extra > 0 {
		y, _ = RoundHalfEven.cut(false, y, extra)
		exp += extra
	}
	return y, exp
}

// fixed returns d × 10^w, rounded down.
func fixed(d *Decimal, w int64) *big.Int {
	n := new(big.Int)
	if e := d.Exp + w; e >= 0 {
		n.Mul(d.Coef(), pow10(e))
	} else if -e <= d.Digits() {
		n.Quo(d.Coef(), pow10(-e))
	}
	if d.Neg {
		n.Neg(n)
	}
	return n
}

// expFixed returns e^r for a fixed-point number r of [0, 3): the series of r / 2^k, squared k times.
func expFixed(r *big.Int, w int64) *big.Int {
	k := uint(math.Sqrt(float64(w)*3.33)) + 4
	bits := uint(float64(w)*3.3219280948873626) + 2*k + 16
	unit := new(big.Int).Lsh(one(), bits)
	x := new(big.Int).Lsh(r, bits)
	x.Quo(x, pow10(w))
	x.Rsh(x, k)
	sum := new(big.Int).Add(unit, x)
	term := new(big.Int).Set(x)
	for n := int64(2); term.Sign() != 0; n++ {
		term.Mul(term, x)
		term.Rsh(term, bits)
		term.Quo(term, big.NewInt(n))
		sum.Add(sum, term)
	}
	for range k {
		sum.Mul(sum, sum)
		sum.Rsh(sum, bits)
	}
	sum.Mul(sum, pow10(w))
	return sum.Rsh(sum, bits)
}

// ln10 returns the logarithm of 10 times 10^w, by three series of the inverse hyperbolic tangent.
func ln10(w int64) *big.Int {
	guard := w + 10
	sum := new(big.Int)
	for _, t := range [...]struct{ n, d int64 }{{46, 31}, {34, 49}, {20, 161}} {
		part := inverseTanh(t.d, guard)
		sum.Add(sum, part.Mul(part, big.NewInt(t.n)))
	}
	return sum.Quo(sum, pow10(10))
}

// inverseTanh returns artanh(1/d) times 10^w.
func inverseTanh(d, w int64) *big.Int {
	square := big.NewInt(d * d)
	term := new(big.Int).Quo(pow10(w), big.NewInt(d))
	sum := new(big.Int).Set(term)
	for n := int64(3); term.Sign() != 0; n += 2 {
		term.Quo(term, square)
		sum.Add(sum, new(big.Int).Quo(term, big.NewInt(n)))
	}
	return sum
}

// Ln returns the natural logarithm of d.
func (c *Context) Ln(d *Decimal) *Decimal { return c.logarithm(d, false) }

// Log10 returns the logarithm of d to base 10.
func (c *Context) Log10(d *Decimal) *Decimal { return c.logarithm(d, true) }

func (c *Context) logarithm(d *Decimal, common bool) *Decimal {
	if n := c.nan(d); n != nil {
		return n
	}
	switch {
	case d.IsZero():
		return &Decimal{Form: Infinite, Neg: true}
	case d.Form == Infinite && !d.Neg:
		return d
	case d.Neg:
		return c.invalid(InvalidOperation)
	}
	coef, exp := strip(d.Coef(), d.Exp, math.MaxInt64/2)
	if coef.Cmp(one()) == 0 {
		if exp == 0 {
			return New(false, nil, 0)
		}
		if common {
			return c.fix(FromInt64(exp))
		}
	}
	for extra := int64(4); ; extra += 3 + extra/2 {
		n, e := logDigits(d, c.Prec+extra, common)
		neg := n.Sign() < 0
		n.Abs(n)
		if settled(n, c.Prec) {
			return c.halfEven(New(neg, n, e))
		}
	}
}

// logDigits returns the logarithm of d as n × 10^exp with at least p correct digits, wrong by at most 2.
func logDigits(d *Decimal, p int64, common bool) (n *big.Int, exp int64) {
	// Near 1 the logarithm is small: as many digits more are needed as it has zeros.
	near := c1(d)
	w := p + near + int64(len(big.NewInt(d.Adjusted()).String())) + 6
	k := d.Adjusted() + 1
	m := New(false, d.Coef(), d.Exp-k) // in [0.1, 1)
	if near > 0 && k == 1 && d.Adjusted() == 0 {
		k, m = 0, d // in [1, 10)
	}
	x := lnFixed(fixed(m, w+d.Digits()), w+d.Digits(), w)
	l := ln10(w)
	if common {
		x.Mul(x, pow10(w))
		x.Quo(x, l)
		x.Add(x, new(big.Int).Mul(big.NewInt(k), pow10(w)))
	} else {
		x.Add(x, new(big.Int).Mul(big.NewInt(k), l))
	}
	exp = -w
	if extra := digits(new(big.Int).Abs(x)) - p; extra > 0 {
		neg := x.Sign() < 0
		x, _ = RoundHalfEven.cut(neg, x.Abs(x), extra)
		if neg {
			x.Neg(x)
		}
		exp += extra
	}
	return x, exp
}

// c1 counts how many digits d has in common with 1, roughly.
func c1(d *Decimal) int64 {
	if a := d.Adjusted(); a != 0 && a != -1 {
		return 0
	}
	wideCtx := wide(max(d.Digits()+2, 3) + 2)
	diff := wideCtx.Sub(d, New(false, one(), 0))
	if diff.IsZero() {
		return 0
	}
	return max(0, -diff.Adjusted())
}

// lnFixed returns the logarithm of x / 10^from times 10^w, for x / 10^from of
// [0.1, 10): a first guess a, and the series of the little that x e^-a is from 1.
func lnFixed(x *big.Int, from, w int64) *big.Int {
	guard := w + 10
	v := new(big.Int)
	if guard >= from {
		v.Mul(x, pow10(guard-from))
	} else {
		v.Quo(x, pow10(from-guard))
	}
	unit := pow10(guard)
	f, _ := new(big.Rat).SetFrac(v, unit).Float64()
	guess := math.Log(f)
	a := new(big.Int)
	new(big.Float).SetPrec(80).Mul(big.NewFloat(guess), big.NewFloat(1e15)).Int(a)
	a.Mul(a, pow10(guard-15)) // the guess, in fixed point
	y := new(big.Int)
	if a.Sign() <= 0 {
		y.Mul(v, expFixed(new(big.Int).Neg(a), guard))
		y.Quo(y, unit)
	} else {
		y.Mul(v, unit)
		y.Quo(y, expFixed(a, guard))
	}
	// ln y = 2 artanh((y-1)/(y+1))
	t := new(big.Int).Sub(y, unit)
	t.Mul(t, unit)
	t.Quo(t, new(big.Int).Add(y, unit))
	square := new(big.Int).Mul(t, t)
	square.Quo(square, unit)
	sum := new(big.Int).Set(t)
	term := new(big.Int).Set(t)
	for n := int64(3); term.Sign() != 0; n += 2 {
		term.Mul(term, square)
		term.Quo(term, unit)
		sum.Add(sum, new(big.Int).Quo(term, big.NewInt(n)))
	}
	sum.Lsh(sum, 1)
	sum.Add(sum, a)
	return sum.Quo(sum, pow10(10))
}

// Pow returns a^b.
func (c *Context) Pow(a, b *Decimal) *Decimal {
	if n := c.nan(a, b); n != nil {
		return n
	}
	if b.IsZero() {
		if a.IsZero() {
			return c.invalid(InvalidOperation)
		}
		return New(false, one(), 0)
	}
	whole := b.IsInt()
	neg := false
	if a.Neg {
		neg = whole && isOdd(b)
		if !whole && !a.IsZero() {
			return c.invalid(InvalidOperation)
		}
	}
	switch {
	case a.IsZero() && b.Neg:
		return &Decimal{Form: Infinite, Neg: neg}
	case a.IsZero():
		return New(neg, nil, 0)
	case a.Form == Infinite && b.Neg:
		return New(neg, nil, 0)
	case a.Form == Infinite:
		return &Decimal{Form: Infinite, Neg: neg}
	}
	base := a.with(false)
	size := cmpAbs(base, New(false, one(), 0))
	if b.Form == Infinite {
		switch {
		case size == 0:
			c.Status |= Inexact | Rounded
			return New(false, pow10(c.Prec-1), 1-c.Prec)
		case (size > 0) == b.Neg:
			return New(neg, nil, 0)
		}
		return &Decimal{Form: Infinite, Neg: neg}
	}
	if size == 0 {
		return c.powOfOne(base, b, whole, neg)
	}
	if r := c.powBounds(base, b, neg); r != nil {
		return r
	}
	if whole {
		return c.powInt(base, b, neg)
	}
	return c.powReal(base, b)
}

func isOdd(d *Decimal) bool {
	if d.Exp > 0 {
		return false
	}
	n, ok := d.Int()
	return ok && n.Bit(0) == 1
}

// powOfOne is 1.00^b: a one with as many zeros as the exact result would have.
func (c *Context) powOfOne(a, b *Decimal, whole, neg bool) *Decimal {
	zeros := c.Prec - 1
	switch {
	case whole && b.Neg:
		zeros = 0
	case whole:
		n, ok := b.Int()
		if ok && n.IsInt64() && n.Int64() <= c.Prec && n.Int64()*-a.Exp <= c.Prec-1 {
			zeros = n.Int64() * -a.Exp
		} else if a.Exp == 0 {
			zeros = 0
		} else {
			c.Status |= Rounded
		}
	default:
		c.Status |= Inexact | Rounded
	}
	return New(neg, pow10(zeros), -zeros)
}

// powBounds returns the result where it is plain that it is far too large or too small.
func (c *Context) powBounds(a, b *Decimal, neg bool) *Decimal {
	// |log10 a| is at least its adjusted exponent, or what a differs from 1.
	adj := a.Adjusted()
	var low int64
	if adj != 0 && adj != -1 {
		if adj < 0 {
			adj = -adj - 1
		}
		low = int64(len(big.NewInt(adj).String())) - 1
	} else {
		diff := wide(a.Digits()+4).Sub(a, New(false, one(), 0))
		low = diff.Adjusted() - 2
	}
	if low+b.Adjusted() < 20 {
		return nil
	}
	if (cmpAbs(a, New(false, one(), 0)) > 0) != b.Neg {
		return c.overflow(neg)
	}
	c.Status |= Underflow | Subnormal | Inexact | Rounded | Clamped
	return New(neg, nil, c.Etiny())
}

// powInt is a^b for a whole b: squares and products in a precision that holds b's digits more.
func (c *Context) powInt(a, b *Decimal, neg bool) *Decimal {
	work := *c
	work.Status, work.Clamp, work.Rounding = 0, false, RoundHalfEven
	work.Prec += b.Digits() + b.Exp + 2
	x := a
	if b.Neg {
		work.Prec++
		x = work.Quo(New(false, one(), 0), a)
		work.Status &^= InvalidOperation
	}
	n, ok := b.Int()
	if !ok {
		return c.invalid(InvalidOperation)
	}
	n.Abs(n)
	r := x
	for i := n.BitLen() - 2; i >= 0; i-- {
		r = work.Mul(r, r)
		if n.Bit(i) == 1 {
			r = work.Mul(r, x)
		}
		if r.Form != Finite || r.IsZero() && work.Status&Clamped != 0 {
			break
		}
	}
	c.Status |= work.Status
	return c.fix(r.with(neg))
}

// powReal is a^b by the exponential of the logarithm, with 23 digits more.
func (c *Context) powReal(a, b *Decimal) *Decimal {
	work := wide(max(c.Prec, a.Digits()) + 23)
	work.Emax, work.Emin = MaxExp, MinExp
	r := work.Ln(a)
	r = work.Mul(r, b)
	limited := *work
	limited.Status = 0
	limited.Emax, limited.Emin = c.Emax+work.Prec, c.Emin-work.Prec
	r = limited.Exp(r)
	c.Status |= (work.Status | limited.Status) & (Inexact | Rounded)
	if r.Form == Infinite {
		return c.overflow(false)
	}
	if Cmp(r, New(false, one(), 0)) == 0 {
		r = New(false, pow10(c.Prec-1), 1-c.Prec)
	}
	return c.fix(r)
}

// PowMod returns a^b mod m for whole numbers.
func (c *Context) PowMod(a, b, m *Decimal) *Decimal {
	if n := c.nan(a, b, m); n != nil {
		return n
	}
	if !a.IsInt() || !b.IsInt() || !m.IsInt() || b.Neg || m.IsZero() || a.IsZero() && b.IsZero() || m.Adjusted() >= c.Prec {
		return c.invalid(InvalidOperation)
	}
	base, ok := a.Int()
	exp, ok2 := b.Int()
	mod, ok3 := m.Int()
	if !ok || !ok2 || !ok3 {
		return c.invalid(InvalidOperation)
	}
	mod.Abs(mod)
	neg := a.Neg && exp.Bit(0) == 1
	r := new(big.Int).Exp(base.Abs(base), exp, mod)
	return New(neg, r, 0)
}
