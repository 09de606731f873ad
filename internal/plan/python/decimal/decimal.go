package decimal

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"sync"
)

// Form says what a [Decimal] is.
type Form uint8

// The forms. A NaN may have digits that say where it comes from.
const (
	Finite Form = iota
	Infinite
	QuietNaN
	SignalingNaN
)

// Decimal is a decimal number: ±coef × 10^Exp, or one of the special values. It
// is not changed once made; the zero value is 0.
type Decimal struct {
	Neg  bool
	Form Form
	Exp  int64    // of finite numbers
	coef *big.Int // not negative; nil is 0. The digits of a NaN, too.
}

// The limits of the exponents and of the precision.
const (
	MaxExp  = 999999999999999999
	MinExp  = -MaxExp
	MinTiny = MinExp - (MaxPrec - 1)
	MaxPrec = MaxExp
)

// MaxDigits bounds the digits that a number may have here.
const MaxDigits = 100_000_000

// ErrTooLong says that a number would have more than [MaxDigits] digits.
var ErrTooLong = errors.New("the decimal number has too many digits")

// New returns ±coef × 10^exp; it keeps coef, which must not be negative.
func New(neg bool, coef *big.Int, exp int64) *Decimal {
	return &Decimal{Neg: neg, coef: coef, Exp: exp}
}

// FromInt returns n exactly.
func FromInt(n *big.Int) *Decimal {
	return &Decimal{Neg: n.Sign() < 0, coef: new(big.Int).Abs(n)}
}

// FromInt64 returns n exactly.
func FromInt64(n int64) *Decimal { return FromInt(big.NewInt(n)) }

// FromFloat returns the exact value of f.
func FromFloat(f float64) *Decimal {
	neg := math.Signbit(f)
	switch {
	case math.IsNaN(f):
		return &Decimal{Neg: neg, Form: QuietNaN}
	case math.IsInf(f, 0):
		return &Decimal{Neg: neg, Form: Infinite}
	case f == 0:
		return &Decimal{Neg: neg}
	}
	frac, e := math.Frexp(math.Abs(f))
	n := big.NewInt(int64(frac * (1 << 53)))
	e -= 53
	if tz := int(n.TrailingZeroBits()); tz > 0 && e < 0 {
		tz = min(tz, -e)
		n.Rsh(n, uint(tz))
		e += tz
	}
	if e >= 0 {
		return &Decimal{Neg: neg, coef: n.Lsh(n, uint(e))}
	}
	n.Mul(n, new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(-e)), nil))
	return &Decimal{Neg: neg, coef: n, Exp: int64(e)}
}

// Special returns a value that is no finite number; digits, which may be nil,
// are those of a NaN.
func Special(form Form, neg bool, digits *big.Int) *Decimal {
	return &Decimal{Neg: neg, Form: form, coef: digits}
}

// Coef returns the coefficient, or the digits of a NaN. It must not be changed.
func (d *Decimal) Coef() *big.Int {
	if d.coef == nil {
		return new(big.Int)
	}
	return d.coef
}

// IsNaN reports whether d is a NaN of either kind.
func (d *Decimal) IsNaN() bool { return d.Form >= QuietNaN }

// IsZero reports whether d is a zero.
func (d *Decimal) IsZero() bool { return d.Form == Finite && d.Coef().Sign() == 0 }

// Digits returns how many digits the coefficient has; 0 has one.
func (d *Decimal) Digits() int64 { return digits(d.Coef()) }

// Adjusted returns the exponent of the first digit.
func (d *Decimal) Adjusted() int64 {
	if d.Form != Finite {
		return 0
	}
	return d.Exp + d.Digits() - 1
}

// IsInt reports whether d is a whole number.
func (d *Decimal) IsInt() bool {
	if d.Form != Finite {
		return false
	}
	if d.Exp >= 0 || d.Coef().Sign() == 0 {
		return true
	}
	if -d.Exp >= d.Digits() {
		return false
	}
	_, r := new(big.Int).QuoRem(d.Coef(), pow10(-d.Exp), new(big.Int))
	return r.Sign() == 0
}

// with returns d with another sign.
func (d *Decimal) with(neg bool) *Decimal {
	c := *d
	c.Neg = neg
	return &c
}

// WithSign returns d with the given sign, without rounding.
func (d *Decimal) WithSign(neg bool) *Decimal { return d.with(neg) }

// digits counts the decimal digits of n, which is not negative; 0 has one.
func digits(n *big.Int) int64 {
	bits := n.BitLen()
	if bits <= 63 {
		v := n.Uint64()
		k := int64(1)
		for v >= 10 {
			v /= 10
			k++
		}
		return k
	}
	k := int64(float64(bits-1)*0.30102999566398119) + 1
	if n.Cmp(pow10(k)) >= 0 {
		k++
	} else if n.Cmp(pow10(k-1)) < 0 {
		k--
	}
	return k
}

// powers are the powers of ten that are used most; they are not changed.
var powers = sync.OnceValue(func() []*big.Int {
	out := make([]*big.Int, 130)
	p, base := big.NewInt(1), big.NewInt(10)
	for i := range out {
		out[i] = p
		p = new(big.Int).Mul(p, base)
	}
	return out
})

// one and ten are the numbers; they must not be changed.
func one() *big.Int { return powers()[0] }

func ten() *big.Int { return powers()[1] }

// pow10 returns 10^n, which must not be changed. The caller has seen to it that n is not too large.
func pow10(n int64) *big.Int {
	if n <= 0 {
		return one()
	}
	if table := powers(); n < int64(len(table)) {
		return table[n]
	}
	return new(big.Int).Exp(ten(), big.NewInt(n), nil)
}

// Parse reads a number as Python's constructor does: white space around it and
// underscores in it do not count. ok is false when it is no number.
func Parse(s string) (d *Decimal, ok bool) {
	s = strings.ReplaceAll(strings.TrimSpace(s), "_", "")
	d = &Decimal{}
	switch {
	case strings.HasPrefix(s, "-"):
		d.Neg = true
		s = s[1:]
	case strings.HasPrefix(s, "+"):
		s = s[1:]
	}
	switch lower := strings.ToLower(s); {
	case lower == "inf" || lower == "infinity":
		d.Form = Infinite
		return d, true
	case strings.HasPrefix(lower, "nan"):
		d.Form = QuietNaN
		return d, d.payload(s[3:])
	case strings.HasPrefix(lower, "snan"):
		d.Form = SignalingNaN
		return d, d.payload(s[4:])
	}
	return d, d.number(s)
}

func (d *Decimal) payload(s string) bool {
	if s == "" {
		return true
	}
	if !allDigits(s) || len(s) > MaxDigits {
		return false
	}
	d.coef, _ = new(big.Int).SetString(s, 10)
	return true
}

// number reads digits with a point and an exponent.
func (d *Decimal) number(s string) bool {
	mantissa, exp, has := s, "", false
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exp, has = s[:i], s[i+1:], true
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	if len(whole)+len(frac) == 0 || !allDigits(whole) || !allDigits(frac) || len(s) > MaxDigits {
		return false
	}
	if has {
		e, ok := exponent(exp)
		if !ok {
			return false
		}
		d.Exp = e
	}
	d.Exp -= int64(len(frac))
	d.coef, _ = new(big.Int).SetString(whole+frac, 10)
	return true
}

// exponent reads an exponent; one that is too large becomes one that no context has.
func exponent(s string) (int64, bool) {
	neg := strings.HasPrefix(s, "-")
	if neg || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	if s == "" || !allDigits(s) {
		return 0, false
	}
	s = strings.TrimLeft(s, "0")
	e := int64(0)
	if len(s) > 18 {
		e = 4 * MaxExp
	} else {
		for i := range len(s) {
			e = min(e*10+int64(s[i]-'0'), 4*MaxExp)
		}
	}
	if neg {
		e = -e
	}
	return e, true
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// String writes d as Python's str does.
func (d *Decimal) String() string { return d.Text(false, true) }

// Text writes d in scientific notation where it needs an exponent: one that
// three divides when eng is set. capitals says which letter begins it.
func (d *Decimal) Text(eng, capitals bool) string {
	sign := ""
	if d.Neg {
		sign = "-"
	}
	switch d.Form {
	case Infinite:
		return sign + "Infinity"
	case QuietNaN, SignalingNaN:
		name := "NaN"
		if d.Form == SignalingNaN {
			name = "sNaN"
		}
		if d.Coef().Sign() != 0 {
			name += d.Coef().String()
		}
		return sign + name
	}
	text := d.Coef().String()
	left := d.Exp + int64(len(text))
	point := left
	switch {
	case d.Exp <= 0 && left > -6:
	case !eng:
		point = 1
	case d.Coef().Sign() == 0:
		point = mod3(left+1) - 1
	default:
		point = mod3(left-1) + 1
	}
	var b strings.Builder
	b.WriteString(sign)
	switch {
	case point <= 0:
		b.WriteString("0.")
		b.WriteString(strings.Repeat("0", int(-point)))
		b.WriteString(text)
	case point >= int64(len(text)):
		b.WriteString(text)
		b.WriteString(strings.Repeat("0", int(point)-len(text)))
	default:
		b.WriteString(text[:point])
		b.WriteByte('.')
		b.WriteString(text[point:])
	}
	if left != point {
		if capitals {
			b.WriteByte('E')
		} else {
			b.WriteByte('e')
		}
		b.WriteString(signed(left - point))
	}
	return b.String()
}

func mod3(n int64) int64 { return ((n % 3) + 3) % 3 }

// signed writes n with its sign.
func signed(n int64) string {
	if n < 0 {
		return big.NewInt(n).String()
	}
	return "+" + big.NewInt(n).String()
}

// MarshalText writes d so that [Decimal.UnmarshalText] gives the same value.
func (d *Decimal) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (d *Decimal) UnmarshalText(b []byte) error {
	p, ok := Parse(string(b))
	if !ok {
		return errors.New("not a decimal number")
	}
	*d = *p
	return nil
}

// Int returns d without its fraction; ok is false when d is no finite number or
// has more than [MaxDigits] digits.
func (d *Decimal) Int() (n *big.Int, ok bool) {
	if d.Form != Finite || d.Coef().Sign() != 0 && d.Exp > MaxDigits {
		return nil, false
	}
	switch {
	case d.Coef().Sign() == 0:
		n = new(big.Int)
	case d.Exp >= 0:
		n = new(big.Int).Mul(d.Coef(), pow10(d.Exp))
	case -d.Exp >= d.Digits():
		n = new(big.Int)
	default:
		n = new(big.Int).Quo(d.Coef(), pow10(-d.Exp))
	}
	if d.Neg {
		n.Neg(n)
	}
	return n, true
}

// Ratio returns a finite d as a fraction in lowest terms; ok is false when it is too long.
func (d *Decimal) Ratio() (n, den *big.Int, ok bool) {
	if d.Form != Finite || d.Exp > MaxDigits || d.Exp < -MaxDigits {
		return nil, nil, false
	}
	n = new(big.Int).Set(d.Coef())
	den = new(big.Int).Set(one())
	if d.Exp >= 0 {
		n.Mul(n, pow10(d.Exp))
	} else if n.Sign() != 0 {
		den.Set(pow10(-d.Exp))
		g := new(big.Int).GCD(nil, nil, n, den)
		n.Quo(n, g)
		den.Quo(den, g)
	}
	if d.Neg {
		n.Neg(n)
	}
	return n, den, true
}
