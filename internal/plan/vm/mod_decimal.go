package vm

import (
	"math/big"
	"strings"

	"praxis/internal/plan/decimal"
	"praxis/internal/plan/label"
	"praxis/internal/plan/pytext"
)

// Dec is a decimal number. It is not changed.
type Dec struct{ d decimal.Decimal }

func (d *Dec) class(t *Thread) *Class { return t.types.Decimal }

// walk says how many bytes the number takes.
func (d *Dec) walk(func(Value)) int64 { return decBytes(&d.d) }

// attr are the parts that every number has.
func (d *Dec) attr(t *Thread, name string) (Value, bool) {
	switch name {
	case "real":
		return Value{k: kSpecial, o: d}, true
	case "imag":
		return Value{k: kSpecial, o: &Dec{}}, true
	}
	return Value{}, false
}

func decBytes(d *decimal.Decimal) int64 { return 64 + int64(d.Coef().BitLen())/8 }

// decValue makes a value of a number.
func (t *Thread) decValue(d *decimal.Decimal) (Value, error) {
	return Value{k: kSpecial, o: &Dec{*d}}, t.alloc(decBytes(d))
}

// decOf returns the number behind a Decimal, or behind an instance of a class derived from it.
func (t *Thread) decOf(v Value) (*decimal.Decimal, bool) {
	if d, ok := t.base(v).o.(*Dec); ok {
		return &d.d, true
	}
	return nil, false
}

// decContext is a context of the library, as Go computes with it.
type decContext struct {
	decimal.Context
	of       *Instance
	capitals bool
	traps    decimal.Condition
	flags    decimal.Condition // those that are set already
	l        label.ID
}

var roundingNames = [...]string{
	"ROUND_UP", "ROUND_DOWN", "ROUND_CEILING", "ROUND_FLOOR", "ROUND_HALF_UP", "ROUND_HALF_DOWN", "ROUND_HALF_EVEN", "ROUND_05UP",
}

func (t *Thread) rounding(v Value) (decimal.Rounding, error) {
	t.see(v.l)
	if s, ok := t.base(v).o.(*Str); ok {
		for i, name := range roundingNames {
			if s.s == name {
				return decimal.Rounding(i), nil
			}
		}
	}
	return 0, t.raise(t.types.TypeError, "valid values for rounding are:\n  [ROUND_CEILING, ROUND_FLOOR, ROUND_UP, ROUND_DOWN,\n"+
		"   ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN,\n   ROUND_05UP]")
}

// decContext returns the context that a native computes in: the one that was
// given as an argument, or the thread's.
func (t *Thread) decContext(given Value) (*decContext, error) {
	v := given
	if v.k == kUnset || v.k == kNone {
		v = t.decimal
	}
	in := instance(v)
	if in == nil || v.k != kObject || in.attrs.place("_traps") < 0 {
		if v.k == kUnset {
			return &decContext{Context: *decimal.Default(), capitals: true}, nil
		}
		return nil, t.raise(t.types.TypeError, "optional argument must be a context")
	}
	c := &decContext{of: in, l: v.l}
	whole := func(name string) int64 {
		x, _ := in.attrs.str(name)
		c.l = t.join(c.l, x.l)
		return x.n
	}
	c.Prec, c.Emin, c.Emax = whole("prec"), whole("Emin"), whole("Emax")
	c.Clamp, c.capitals, c.traps = whole("clamp") != 0, whole("capitals") != 0, decimal.Condition(whole("_traps"))
	if f, ok := in.attrs.str("_flags"); ok {
		c.flags = decimal.Condition(f.n)
	}
	t.see(c.l)
	r, _ := in.attrs.str("rounding")
	var err error
	c.Rounding, err = t.rounding(r)
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
func (t *Thread) settle(c *decContext) error {
	if c.Status == 0 {
		return nil
	}
	s := signals(c.Status)
	if c.of != nil && c.flags|s != c.flags {
		c.flags |= s
		old, _ := c.of.attrs.str("_flags")
		c.of.attrs.setStr(t, "_flags", t.under(intValue(int64(c.flags)).with(t.join(old.l, t.seen))))
	}
	if s&c.traps == 0 {
		return nil
	}
	return t.raiseCondition(c.Status, c.traps)
}

// conditionNames are the exceptions of the conditions, in the order of their bits.
var conditionNames = [...]string{
	"InvalidOperation", "FloatOperation", "DivisionByZero", "Overflow", "Underflow", "Subnormal", "Inexact", "Rounded", "Clamped",
	"ConversionSyntax", "DivisionImpossible", "DivisionUndefined", "InvalidContext",
}

// raiseCondition raises the first trapped signal, with a list of all conditions that are trapped.
func (t *Thread) raiseCondition(status, traps decimal.Condition) error {
	m, err := t.Import("decimal")
	if err != nil {
		return err
	}
	var first Value
	var list []Value
	add := func(bit decimal.Condition, i int) {
		if status&bit == 0 {
			return
		}
		if v, ok := m.names.str(conditionNames[i]); ok {
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
	for i := 0; i < 9 && first.k == kUnset; i++ {
		if signals(status)&traps&(1<<i) != 0 {
			first, _ = m.names.str(conditionNames[i])
		}
	}
	v, err := t.Call(first, []Value{t.list(list)}, nil, nil)
	if err != nil {
		return err
	}
	e, ok := v.o.(*Exception)
	if !ok {
		return t.raise(t.types.ArithmeticError, "decimal: invalid operation")
	}
	return &Raise{exc: e, l: t.seen}
}

// maxWork bounds the digits that one operation makes.
const maxWork = 10_000_000

// decRoom accounts for an operation that makes about this many digits.
func (t *Thread) decRoom(digits int64) error {
	if digits > maxWork {
		return t.OutOfMemory(max(digits/2, 1<<40))
	}
	if digits < 200 {
		return nil
	}
	if err := t.alloc(digits); err != nil {
		return err
	}
	words := digits / 19
	return t.step(words + words*words/64)
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

// compute carries out an operation and makes a value of its result.
func (t *Thread) compute(c *decContext, kind decKind, f func(c *decimal.Context, a, b *decimal.Decimal) *decimal.Decimal, a, b *decimal.Decimal) (Value, error) {
	if err := t.decRoom(c.needs(kind, a, b)); err != nil {
		return Value{}, err
	}
	if kind == needsSeries {
		if err := t.step(c.ElementaryCost()); err != nil {
			return Value{}, err
		}
	}
	r := f(&c.Context, a, b)
	if err := t.settle(c); err != nil {
		return Value{}, err
	}
	return t.decValue(r)
}

// operand returns the other operand of an operator as a number: a Decimal or an int.
func (t *Thread) operand(v Value) (*decimal.Decimal, bool) {
	if d, ok := t.decOf(v); ok {
		return d, true
	}
	switch b := t.base(v); b.k {
	case kInt, kBool:
		return decimal.FromInt64(b.n), true
	case kBig:
		return decimal.FromInt(b.o.(*Big).v), true
	}
	return nil, false
}

// argument is operand for methods, which refuse anything else.
func (t *Thread) argument(v Value) (*decimal.Decimal, error) {
	d, ok := t.operand(v)
	if !ok {
		return nil, t.failOf(v, t.types.TypeError, "conversion from %s to Decimal is not supported", t.className(v))
	}
	return d, nil
}

// decNew is Decimal(value, context): exact, whatever the precision.
func decNew(t *Thread, a *Args) (Value, error) {
	d := &decimal.Decimal{}
	if a.Pos[1].k != kUnset {
		c, err := t.decContext(a.Pos[2])
		if err != nil {
			return Value{}, err
		}
		if d, err = t.decFrom(c, a.Pos[1], true); err != nil {
			return Value{}, err
		}
	}
	v, err := t.decValue(d)
	return t.construct(a.Pos[0], v), err
}

// decFrom makes a number of a value; exact says that it must not be rounded.
func (t *Thread) decFrom(c *decContext, v Value, exact bool) (*decimal.Decimal, error) {
	t.see(v.l)
	if d, ok := t.operand(v); ok {
		return d, nil
	}
	switch b := t.base(v); b.k {
	case kFloat:
		c.Status |= decimal.FloatOperation
		return decimal.FromFloat(b.float()), t.settle(c)
	case kStr:
		text := b.o.(*Str).s
		if err := t.decRoom(int64(len(text))); err != nil {
			return nil, err
		}
		d, ok := decimal.Parse(asciiDigits(text))
		if !ok || exact && !inLimits(d) {
			c.Status |= decimal.ConversionSyntax
			if ok {
				c.Status = c.Status&^decimal.ConversionSyntax | decimal.InvalidOperation
			}
			d = decimal.Special(decimal.QuietNaN, false, nil)
			return d, t.settle(c)
		}
		return d, nil
	case kTuple, kList:
		return t.decFromParts(b)
	}
	return nil, t.failOf(v, t.types.TypeError, "conversion from %s to Decimal is not supported", t.className(v))
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
func (t *Thread) decFromParts(v Value) (*decimal.Decimal, error) {
	items, err := t.collect(v)
	if err != nil {
		return nil, err
	}
	bad := func(text string) error { return t.raise(t.types.ValueError, "%s", text) }
	if len(items) != 3 {
		return nil, bad("argument must be a sequence of length 3")
	}
	for _, x := range items {
		t.see(x.l)
	}
	if sign := t.base(items[0]); !isInt(sign) || sign.k == kBig || sign.n != 0 && sign.n != 1 {
		return nil, bad("sign must be an integer with the value 0 or 1")
	}
	neg := t.base(items[0]).n == 1
	digits := []byte{'0'}
	part := t.base(items[1])
	if part.k != kTuple && part.k != kList {
		return nil, bad("coefficient must be a tuple of digits")
	}
	list, err := t.collect(part)
	if err != nil {
		return nil, err
	}
	for _, x := range list {
		t.see(x.l)
		n := t.base(x)
		if n.k != kInt && n.k != kBool || n.n < 0 || n.n > 9 {
			return nil, bad("coefficient must be a tuple of digits")
		}
		digits = append(digits, byte('0'+n.n))
	}
	if err := t.decRoom(int64(len(digits))); err != nil {
		return nil, err
	}
	coef, _ := new(big.Int).SetString(string(digits), 10)
	switch e := t.base(items[2]); e.k {
	case kInt, kBool:
		return decimal.New(neg, coef, max(min(e.n, 2*decimal.MaxExp), -2*decimal.MaxExp)), nil
	case kStr:
		switch e.o.(*Str).s {
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
