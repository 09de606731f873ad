// Package decimal has what module decimal does in Go: its numbers, their operators
// and methods. The arithmetic is that of cockroachdb/apd, brought to CPython's
// results where they differ; exponents go to ±100,000, as far as it computes.
package decimal

import (
	"math"
	"math/big"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/value"
)

// Number is a decimal number. It is not changed once it is a value.
type Number struct{ d apd.Decimal }

// Class returns the class Decimal.
func (n *Number) Class(t *value.Thread) *value.Class { return t.Types.Decimal }

// Walk says how many bytes the number takes.
func (n *Number) Walk(func(value.Value)) int64 { return 64 + int64(n.d.Coeff.BitLen())/8 }

// Attr are the parts that every number has: none but methods.
func (n *Number) Attr(*value.Thread, string) (value.Value, bool) { return value.Value{}, false }

// valueOf makes a value of a number.
func valueOf(t *value.Thread, n *Number) (value.Value, error) {
	return value.Value{Kind: value.KSpecial, Obj: n}, t.Alloc(n.Walk(nil))
}

// numberOf returns the number behind a Decimal, or behind an instance of a class derived from it.
func numberOf(t *value.Thread, v value.Value) (*apd.Decimal, bool) {
	if n, ok := t.Base(v).Obj.(*Number); ok {
		return &n.d, true
	}
	return nil, false
}

func isNaN(d *apd.Decimal) bool { return d.Form == apd.NaN }

// roundings are the rounding modes by their names.
func roundings(name string) (apd.Rounder, bool) {
	switch name {
	case "ROUND_UP":
		return apd.RoundUp, true
	case "ROUND_DOWN":
		return apd.RoundDown, true
	case "ROUND_CEILING":
		return apd.RoundCeiling, true
	case "ROUND_FLOOR":
		return apd.RoundFloor, true
	case "ROUND_HALF_UP":
		return apd.RoundHalfUp, true
	case "ROUND_HALF_DOWN":
		return apd.RoundHalfDown, true
	case "ROUND_HALF_EVEN":
		return apd.RoundHalfEven, true
	case "ROUND_05UP":
		return apd.Round05Up, true
	}
	return "", false
}

func rounding(t *value.Thread, v value.Value) (apd.Rounder, error) {
	t.See(v.Label)
	if s, ok := t.Base(v).Obj.(*value.Str); ok {
		if r, ok := roundings(s.Text); ok {
			return r, nil
		}
	}
	return "", t.Raise(t.Types.TypeError, "valid values for rounding are:\n  [ROUND_CEILING, ROUND_FLOOR, ROUND_UP, ROUND_DOWN,\n"+
		"   ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN,\n   ROUND_05UP]")
}

// exact is a context that rounds nothing.
func exact() *apd.Context {
	return &apd.Context{MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent, Rounding: apd.RoundHalfEven}
}

// current returns the context of the thread: the library's class Context has checked it.
func current(t *value.Thread) (*apd.Context, error) {
	c := exact()
	c.Precision = 28
	in := value.InstanceOf(t.Decimal)
	if in == nil {
		return c, nil
	}
	prec, _ := in.Attrs.Str("prec")
	mode, _ := in.Attrs.Str("rounding")
	t.See(t.Decimal.Label)
	t.See(prec.Label)
	c.Precision = uint32(prec.N)
	var err error
	c.Rounding, err = rounding(t, mode)
	return c, err
}

// settle raises what a program has to know of what happened in an operation.
func settle(t *value.Thread, happened apd.Condition, err error) error {
	switch {
	case happened.DivisionByZero():
		return signal(t, "DivisionByZero", "division by zero")
	case happened.DivisionUndefined(), happened.DivisionImpossible():
		return signal(t, "InvalidOperation", "the quotient is undefined or too long")
	case happened.InvalidOperation():
		return signal(t, "InvalidOperation", "the operation has no result")
	case happened.Overflow(), happened.SystemOverflow(), err != nil:
		return signal(t, "Overflow", "the result is too large")
	}
	return nil
}

// signal raises an exception of the library.
func signal(t *value.Thread, class, text string) error {
	m, err := t.Import("decimal")
	if err != nil {
		return err
	}
	cls, _ := m.Names.Str(class)
	return t.RaiseArgs(cls.Obj.(*value.Class), t.Str(text))
}

// maxWork bounds the digits that one operation makes.
const maxWork = 10_000_000

// spend accounts for an operation that makes about this many digits.
func spend(t *value.Thread, digits int64) error {
	if digits > maxWork {
		return t.OutOfMemory(max(digits/2, 1<<40))
	}
	if digits < 200 {
		return nil
	}
	if err := t.Alloc(digits); err != nil {
		return err
	}
	words := digits / 19
	return t.Step(words + words*words/64)
}

// size estimates the digits that moving two numbers to one exponent makes.
func size(a, b *apd.Decimal) int64 {
	n := a.NumDigits() + b.NumDigits()
	if a.Form == apd.Finite && b.Form == apd.Finite {
		n += max(int64(a.Exponent)-int64(b.Exponent), int64(b.Exponent)-int64(a.Exponent))
	}
	return n
}

// operand returns the other operand of an operator as a number: a Decimal or an int.
func operand(t *value.Thread, v value.Value) (*apd.Decimal, bool) {
	if d, ok := numberOf(t, v); ok {
		return d, true
	}
	switch b := t.Base(v); b.Kind {
	case value.KInt, value.KBool:
		return apd.New(b.N, 0), true
	case value.KBig:
		return fromInt(b.Obj.(*value.Big).Int), true
	}
	return nil, false
}

func fromInt(n *big.Int) *apd.Decimal {
	return apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(n), 0)
}

// fromFloat returns the exact value of f.
func fromFloat(f float64) *apd.Decimal {
	d := &apd.Decimal{Negative: math.Signbit(f)}
	switch {
	case f != f:
		d.Form = apd.NaN
		return d
	case math.IsInf(f, 0):
		d.Form = apd.Infinite
		return d
	case f == 0:
		return d
	}
	frac, e := math.Frexp(math.Abs(f))
	n := big.NewInt(int64(frac * (1 << 53)))
	e -= 53
	if zeros := min(int(n.TrailingZeroBits()), max(-e, 0)); zeros > 0 {
		n.Rsh(n, uint(zeros))
		e += zeros
	}
	if e >= 0 {
		n.Lsh(n, uint(e))
	} else {
		n.Mul(n, new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(-e)), nil))
		d.Exponent = int32(e)
	}
	d.Coeff.SetMathBigInt(n)
	return d
}

// parse reads a number as the constructor does; ok is false when it is none.
func parse(text string) (n *Number, ok bool) {
	s := strings.ReplaceAll(text, "_", "")
	name := strings.ToLower(strings.TrimLeft(s, "+-"))
	if name != "inf" && name != "infinity" && name != "nan" {
		for i := range len(s) {
			sign := s[i] == '+' || s[i] == '-'
			if sign && i > 0 && s[i-1]|0x20 != 'e' || !sign && (s[i] < '0' || s[i] > '9') && s[i] != '.' && s[i]|0x20 != 'e' {
				return nil, false
			}
		}
	}
	n = &Number{}
	_, _, err := n.d.SetString(s)
	return n, err == nil
}

// construct is Decimal(value): exact, whatever the precision.
func construct(t *value.Thread, a *value.Args) (value.Value, error) {
	n := &Number{}
	if v := a.Pos[1]; v.Kind != value.KUnset {
		t.See(v.Label)
		switch b := t.Base(v); b.Kind {
		case value.KFloat:
			n.d.Set(fromFloat(b.Float()))
		case value.KStr:
			text := b.Obj.(*value.Str).Text
			if err := spend(t, int64(len(text))); err != nil {
				return value.Value{}, err
			}
			var ok bool
			if n, ok = parse(asciiDigits(text)); !ok {
				return value.Value{}, signal(t, "InvalidOperation", "the text is no number")
			}
		default:
			d, ok := operand(t, v)
			if !ok {
				return value.Value{}, t.FailOf(v, t.Types.TypeError, "conversion from %s to Decimal is not supported", t.ClassName(v))
			}
			n.d.Set(d)
		}
	}
	v, err := valueOf(t, n)
	return t.Construct(a.Pos[0], v), err
}

// asciiDigits replaces the decimal digits of other scripts, and trims what Python trims.
func asciiDigits(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch n := pytext.DecimalValue(r); {
		case n >= 0:
			return rune('0' + n)
		case pytext.IsSpace(r):
			return ' '
		}
		return r
	}, s))
}

// Natives are what the library's contexts are made with.
func Natives() []*value.Native {
	return []*value.Native{
		{Name: "decimal._use", Params: "context, /", Precise: true, Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			t.Decimal = a.Pos[0]
			return value.None, nil
		}},
		{Name: "decimal._current", Params: "", Precise: true, Call: func(t *value.Thread, a *value.Args) (value.Value, error) { return t.Decimal, nil }},
	}
}

// Values puts the class into the module.
func Values(t *value.Thread, m *value.Module) {
	m.Names.SetName(t.Intern("Decimal"), value.ClassValue(t.Types.Decimal))
}
