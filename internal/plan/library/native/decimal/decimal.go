// Package decimal has what module decimal does in Go: its numbers, their operators
// and methods, over the arithmetic of [praxis/internal/plan/python/decimal].
package decimal

import (
	"math/big"
	"strings"

	"praxis/internal/plan/label"
	"praxis/internal/plan/python/decimal"
	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/value"
)

// Number is a decimal number. It is not changed.
type Number struct{ d decimal.Decimal }

func (d *Number) Class(t *value.Thread) *value.Class { return t.Types.Decimal }

// Walk says how many bytes the number takes.
func (d *Number) Walk(func(value.Value)) int64 { return decBytes(&d.d) }

// Attr are the parts that every number has.
func (d *Number) Attr(t *value.Thread, name string) (value.Value, bool) {
	switch name {
	case "real":
		return value.Value{Kind: value.KSpecial, Obj: d}, true
	case "imag":
		return value.Value{Kind: value.KSpecial, Obj: &Number{}}, true
	}
	return value.Value{}, false
}

func decBytes(d *decimal.Decimal) int64 { return 64 + int64(d.Coef().BitLen())/8 }

// decValue makes a value of a number.
func decValue(t *value.Thread, d *decimal.Decimal) (value.Value, error) {
	return value.Value{Kind: value.KSpecial, Obj: &Number{*d}}, t.Alloc(decBytes(d))
}

// decOf returns the number behind a Decimal, or behind an instance of a class derived from it.
func decOf(t *value.Thread, v value.Value) (*decimal.Decimal, bool) {
	if d, ok := t.Base(v).Obj.(*Number); ok {
		return &d.d, true
	}
	return nil, false
}

// decContext is a context of the library, as Go computes with it.
type decContext struct {
	decimal.Context
	of       *value.Instance
	capitals bool
	traps    decimal.Condition
	flags    decimal.Condition // those that are set already
	l        label.ID
}

var roundingNames = [...]string{
	"ROUND_UP", "ROUND_DOWN", "ROUND_CEILING", "ROUND_FLOOR", "ROUND_HALF_UP", "ROUND_HALF_DOWN", "ROUND_HALF_EVEN", "ROUND_05UP",
}

func rounding(t *value.Thread, v value.Value) (decimal.Rounding, error) {
	t.See(v.Label)
	if s, ok := t.Base(v).Obj.(*value.Str); ok {
		for i, name := range roundingNames {
			if s.Text == name {
				return decimal.Rounding(i), nil
			}
		}
	}
	return 0, t.Raise(t.Types.TypeError, "valid values for rounding are:\n  [ROUND_CEILING, ROUND_FLOOR, ROUND_UP, ROUND_DOWN,\n"+
		"   ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN,\n   ROUND_05UP]")
}

// contextOf returns the context that a native computes in: the one that was
// given as an argument, or the thread's.
func contextOf(t *value.Thread, given value.Value) (*decContext, error) {
	v := given
	if v.Kind == value.KUnset || v.Kind == value.KNone {
		v = t.Decimal
	}
	in := value.InstanceOf(v)
	if in == nil || v.Kind != value.KObject || in.Attrs.Place("_traps") < 0 {
		if v.Kind == value.KUnset {
			return &decContext{Context: *decimal.Default(), capitals: true}, nil
		}
		return nil, t.Raise(t.Types.TypeError, "optional argument must be a context")
	}
	c := &decContext{of: in, l: v.Label}
	whole := func(name string) int64 {
		x, _ := in.Attrs.Str(name)
		c.l = t.Join(c.l, x.Label)
		return x.N
	}
	c.Prec, c.Emin, c.Emax = whole("prec"), whole("Emin"), whole("Emax")
	c.Clamp, c.capitals, c.traps = whole("clamp") != 0, whole("capitals") != 0, decimal.Condition(whole("_traps"))
	if f, ok := in.Attrs.Str("_flags"); ok {
		c.flags = decimal.Condition(f.N)
	}
	t.See(c.l)
	r, _ := in.Attrs.Str("rounding")
	var err error
	c.Rounding, err = rounding(t, r)
	return c, err
}

// signals are what a program sees of conditions.
func signals(c decimal.Condition) decimal.Condition {
	if c&decimal.Invalid != 0 {
		c = c&^decimal.Invalid | decimal.InvalidOperation
	}
	return c
}

// settle notes what happened in an operation in the flags of the context, and
// raises what it traps.
func settle(t *value.Thread, c *decContext) error {
	if c.Status == 0 {
		return nil
	}
	s := signals(c.Status)
	if c.of != nil && c.flags|s != c.flags {
		c.flags |= s
		old, _ := c.of.Attrs.Str("_flags")
		c.of.Attrs.SetStr(t, "_flags", t.Under(value.Int(int64(c.flags)).With(t.Join(old.Label, t.Seen))))
	}
	if s&c.traps == 0 {
		return nil
	}
	return raiseCondition(t, c.Status, c.traps)
}

// conditionNames are the exceptions of the conditions, in the order of their bits.
var conditionNames = [...]string{
	"InvalidOperation", "FloatOperation", "DivisionByZero", "Overflow", "Underflow", "Subnormal", "Inexact", "Rounded", "Clamped",
	"ConversionSyntax", "DivisionImpossible", "DivisionUndefined", "InvalidContext",
}

// raiseCondition raises the first trapped signal, with a list of all conditions that are trapped.
func raiseCondition(t *value.Thread, status, traps decimal.Condition) error {
	m, err := t.Import("decimal")
	if err != nil {
		return err
	}
	var first value.Value
	var list []value.Value
	add := func(bit decimal.Condition, i int) {
		if status&bit == 0 {
			return
		}
		if v, ok := m.Names.Str(conditionNames[i]); ok {
			list = append(list, v)
		}
	}
	if traps&decimal.InvalidOperation != 0 {
		add(decimal.InvalidOperation, 0)
		for i := 9; i < len(conditionNames); i++ {
			add(1<<i, i)
		}
	}
	for i := 1; i < 9; i++ {
		if traps&(1<<i) != 0 {
			add(1<<i, i)
		}
	}
	for i := 0; i < 9 && first.Kind == value.KUnset; i++ {
		if signals(status)&traps&(1<<i) != 0 {
			first, _ = m.Names.Str(conditionNames[i])
		}
	}
	v, err := t.Call(first, []value.Value{t.List(list)}, nil, nil)
	if err != nil {
		return err
	}
	e, ok := v.Obj.(*value.Exception)
	if !ok {
		return t.Raise(t.Types.ArithmeticError, "decimal: invalid operation")
	}
	return &value.Raise{Exc: e, Label: t.Seen}
}

// maxWork bounds the digits that one operation makes.
const maxWork = 10_000_000

// spendDigits accounts for an operation that makes about this many digits.
func spendDigits(t *value.Thread, digits int64) error {
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

// needs estimates the digits that an operation of a kind makes.
func (c *decContext) needs(kind decKind, a, b *decimal.Decimal) int64 {
	n := a.Digits()
	if b != nil {
		n += b.Digits()
	}
	switch kind {
	case needsSum:
		if b != nil && a.Form == decimal.Finite && b.Form == decimal.Finite {
			n += min(c.Prec, max(a.Exp-b.Exp, b.Exp-a.Exp, 0))
		}
	case needsPrec:
		n += c.Prec
	case needsSeries:
		p := max(c.Prec, n)
		if p > decimal.MaxElementary {
			return maxWork + 1
		}
		n += p * 40
	}
	if c.Clamp {
		n += c.Prec
	}
	return n
}

// decKind says what the digits that an operation makes depend on.
type decKind uint8

const (
	needsOwn    decKind = iota // on its operands
	needsSum                   // on how far their exponents are from each other, too
	needsPrec                  // on the precision
	needsSeries                // on the precision; it takes many steps
)

// compute executes an operation and makes a value of its result.
func compute(t *value.Thread, c *decContext, kind decKind, f func(c *decimal.Context, a, b *decimal.Decimal) *decimal.Decimal, a, b *decimal.Decimal) (value.Value, error) {
	if err := spendDigits(t, c.needs(kind, a, b)); err != nil {
		return value.Value{}, err
	}
	if kind == needsSeries {
		if err := t.Step(c.ElementaryCost()); err != nil {
			return value.Value{}, err
		}
	}
	r := f(&c.Context, a, b)
	if err := settle(t, c); err != nil {
		return value.Value{}, err
	}
	return decValue(t, r)
}

// operand returns the other operand of an operator as a number: a Decimal or an int.
func operand(t *value.Thread, v value.Value) (*decimal.Decimal, bool) {
	if d, ok := decOf(t, v); ok {
		return d, true
	}
	switch b := t.Base(v); b.Kind {
	case value.KInt, value.KBool:
		return decimal.FromInt64(b.N), true
	case value.KBig:
		return decimal.FromInt(b.Obj.(*value.Big).Int), true
	}
	return nil, false
}

// argument is operand for methods, which refuse anything else.
func argument(t *value.Thread, v value.Value) (*decimal.Decimal, error) {
	d, ok := operand(t, v)
	if !ok {
		return nil, t.FailOf(v, t.Types.TypeError, "conversion from %s to Decimal is not supported", t.ClassName(v))
	}
	return d, nil
}

// decNew is Decimal(value, context): exact, whatever the precision.
func decNew(t *value.Thread, a *value.Args) (value.Value, error) {
	d := &decimal.Decimal{}
	if a.Pos[1].Kind != value.KUnset {
		c, err := contextOf(t, a.Pos[2])
		if err != nil {
			return value.Value{}, err
		}
		if d, err = decFrom(t, c, a.Pos[1], true); err != nil {
			return value.Value{}, err
		}
	}
	v, err := decValue(t, d)
	return t.Construct(a.Pos[0], v), err
}

// decFrom makes a number of a value; exact says that it must not be rounded.
func decFrom(t *value.Thread, c *decContext, v value.Value, exact bool) (*decimal.Decimal, error) {
	t.See(v.Label)
	if d, ok := operand(t, v); ok {
		return d, nil
	}
	switch b := t.Base(v); b.Kind {
	case value.KFloat:
		c.Status |= decimal.FloatOperation
		return decimal.FromFloat(b.Float()), settle(t, c)
	case value.KStr:
		text := b.Obj.(*value.Str).Text
		if err := spendDigits(t, int64(len(text))); err != nil {
			return nil, err
		}
		d, ok := decimal.Parse(asciiDigits(text))
		if !ok || exact && !inLimits(d) {
			c.Status |= decimal.ConversionSyntax
			if ok {
				c.Status = c.Status&^decimal.ConversionSyntax | decimal.InvalidOperation
			}
			d = decimal.Special(decimal.QuietNaN, false, nil)
			return d, settle(t, c)
		}
		return d, nil
	case value.KTuple, value.KList:
		return decFromParts(t, b)
	}
	return nil, t.FailOf(v, t.Types.TypeError, "conversion from %s to Decimal is not supported", t.ClassName(v))
}

func inLimits(d *decimal.Decimal) bool {
	return d.Form != decimal.Finite || d.Exp >= decimal.MinTiny && d.Exp <= decimal.MaxExp && (d.IsZero() || d.Adjusted() <= decimal.MaxExp)
}

// asciiDigits replaces the decimal digits of other scripts, and trims what Python trims.
func asciiDigits(s string) string {
	plain := true
	for i := range len(s) {
		plain = plain && s[i] < 0x80
	}
	if plain {
		return strings.Trim(s, " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f")
	}
	var b strings.Builder
	for _, r := range s {
		switch n := pytext.DecimalValue(r); {
		case n >= 0:
			b.WriteByte(byte('0' + n))
		case pytext.IsSpace(r):
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}

// decFromParts reads (sign, digits, exponent).
func decFromParts(t *value.Thread, v value.Value) (*decimal.Decimal, error) {
	items, err := t.Collect(v)
	if err != nil {
		return nil, err
	}
	bad := func(text string) error { return t.Raise(t.Types.ValueError, "%s", text) }
	if len(items) != 3 {
		return nil, bad("argument must be a sequence of length 3")
	}
	for _, x := range items {
		t.See(x.Label)
	}
	if sign := t.Base(items[0]); !value.IsInt(sign) || sign.Kind == value.KBig || sign.N != 0 && sign.N != 1 {
		return nil, bad("sign must be an integer with the value 0 or 1")
	}
	neg := t.Base(items[0]).N == 1
	digits := []byte{'0'}
	part := t.Base(items[1])
	if part.Kind != value.KTuple && part.Kind != value.KList {
		return nil, bad("coefficient must be a tuple of digits")
	}
	list, err := t.Collect(part)
	if err != nil {
		return nil, err
	}
	for _, x := range list {
		t.See(x.Label)
		n := t.Base(x)
		if n.Kind != value.KInt && n.Kind != value.KBool || n.N < 0 || n.N > 9 {
			return nil, bad("coefficient must be a tuple of digits")
		}
		digits = append(digits, byte('0'+n.N))
	}
	if err := spendDigits(t, int64(len(digits))); err != nil {
		return nil, err
	}
	coef, _ := new(big.Int).SetString(string(digits), 10)
	switch e := t.Base(items[2]); e.Kind {
	case value.KInt, value.KBool:
		return decimal.New(neg, coef, max(min(e.N, 2*decimal.MaxExp), -2*decimal.MaxExp)), nil
	case value.KStr:
		switch e.Obj.(*value.Str).Text {
		case "F":
			return decimal.Special(decimal.Infinite, neg, nil), nil
		case "n":
			return decimal.Special(decimal.QuietNaN, neg, coef), nil
		case "N":
			return decimal.Special(decimal.SignalingNaN, neg, coef), nil
		}
		return nil, bad("string argument in the third position must be 'F', 'n' or 'N'")
	}
	return nil, bad("exponent must be an integer")
}
