package decimal

import (
	"math/big"
	"strconv"

	"github.com/cockroachdb/apd/v3"

	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// call is what a method does with self, in the context of the thread.
type call func(t *value.Thread, c *apd.Context, self *apd.Decimal, a *value.Args) (value.Value, error)

// method makes a method of Decimal.
func method(name, params string, f call) *value.Native {
	name = "Decimal." + name
	return &value.Native{Name: name, Params: params, Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
		self, ok := numberOf(t, a.Pos[0])
		if !ok {
			return value.Value{}, t.WrongSelf(name, a.Pos[0])
		}
		c, err := current(t)
		if err != nil {
			return value.Value{}, err
		}
		return f(t, c, self, a)
	}}
}

// cost is what the work of an operation depends on beside its operands' digits.
type cost uint8

const (
	byDigits    cost = iota
	byPrecision      // digits of the precision are made
	bySeries         // as many terms of as many digits
)

// compute executes an operation and makes a value of its result.
func compute(t *value.Thread, c *apd.Context, work cost, f operation, a, b *apd.Decimal) (value.Value, error) {
	digits := a.NumDigits()
	if b != nil {
		digits = size(a, b)
	}
	if work >= byPrecision {
		digits += int64(c.Precision)
	}
	if err := spend(t, digits); err != nil {
		return value.Value{}, err
	}
	if work == bySeries {
		p := max(int64(c.Precision), a.NumDigits())
		if err := t.Step(2 * p * p); err != nil {
			return value.Value{}, err
		}
	}
	n := &Number{}
	happened, err := f(c, &n.d, a, b)
	if happened.SystemUnderflow() || happened.Underflow() {
		happened, err = 0, nil
		n.d.SetFinite(0, apd.MinExponent)
	}
	if err := settle(t, happened, err); err != nil {
		return value.Value{}, err
	}
	return valueOf(t, n)
}

// operators are an operator and its reflection.
func operators(name string, work cost, f operation) []*value.Native {
	one := func(name string, reflected bool) *value.Native {
		return binary(name, reflected, func(t *value.Thread, c *apd.Context, a, b *apd.Decimal) (value.Value, error) {
			if name == "__pow__" || name == "__rpow__" {
				work = bySeries
				if isWhole(b) {
					work = byPrecision
				}
			}
			return compute(t, c, work, f, a, b)
		})
	}
	return []*value.Native{one("__"+name+"__", false), one("__r"+name+"__", true)}
}

// binary is a method of two numbers; a reflected one has the first as its argument.
func binary(name string, reflected bool, f func(t *value.Thread, c *apd.Context, a, b *apd.Decimal) (value.Value, error)) *value.Native {
	return method(name, "self, value, /", func(t *value.Thread, c *apd.Context, self *apd.Decimal, a *value.Args) (value.Value, error) {
		other, ok := operand(t, a.Pos[1])
		if !ok {
			return value.NotImplemented, nil
		}
		if reflected {
			self, other = other, self
		}
		return f(t, c, self, other)
	})
}

// divmod is divmod(a, b), or of b and a when it is reflected.
func divmod(name string, reflected bool) *value.Native {
	return binary(name, reflected, func(t *value.Thread, c *apd.Context, self, b *apd.Decimal) (value.Value, error) {
		if b.IsZero() && !self.IsZero() {
			return value.Value{}, signal(t, "InvalidOperation", "division by zero")
		}
		quotient, err := compute(t, c, byDigits, quoInt, self, b)
		if err != nil {
			return value.Value{}, err
		}
		rest, err := compute(t, c, byDigits, rem, self, b)
		return t.Tuple([]value.Value{quotient, rest}), err
	})
}

// unary is a method that makes a number of self alone.
func unary(name string, work cost, f operation) *value.Native {
	return method(name, "self, /", func(t *value.Thread, c *apd.Context, self *apd.Decimal, a *value.Args) (value.Value, error) {
		return compute(t, c, work, f, self, nil)
	})
}

// Methods are the methods of class Decimal.
func Methods() []*value.Native {
	out := []*value.Native{
		{Name: "Decimal.__new__", Params: "cls, value='0', /", Call: construct},
		{Name: "Decimal.from_float", Params: "cls, f, /", Call: construct},
		unary("__neg__", byDigits, neg), unary("__pos__", byDigits, plus), unary("__abs__", byDigits, abs),
		unary("sqrt", byPrecision, sqrt), unary("exp", bySeries, exp), unary("ln", bySeries, ln),
		unary("normalize", byDigits, normalize),
		divmod("__divmod__", false), divmod("__rdivmod__", true),
	}
	out = append(out, operators("add", byDigits, add)...)
	out = append(out, operators("sub", byDigits, sub)...)
	out = append(out, operators("mul", byDigits, mul)...)
	out = append(out, operators("truediv", byPrecision, quo)...)
	out = append(out, operators("floordiv", byDigits, quoInt)...)
	out = append(out, operators("mod", byDigits, rem)...)
	out = append(out, operators("pow", byPrecision, pow)...)
	out = append(out, roundingMethods()...)
	out = append(out, comparisons()...)
	out = append(out, conversions()...)
	return append(out, texts()...)
}

// roundingMethods round a number, or move its point.
func roundingMethods() []*value.Native {
	out := []*value.Native{
		method("quantize", "self, exp, rounding=None", func(t *value.Thread, c *apd.Context, self *apd.Decimal, a *value.Args) (value.Value, error) {
			b, ok := operand(t, a.Pos[1])
			if !ok {
				return value.Value{}, t.FailOf(a.Pos[1], t.Types.TypeError, "conversion from %s to Decimal is not supported", t.ClassName(a.Pos[1]))
			}
			if err := chooseRounding(t, c, a.Pos[2]); err != nil {
				return value.Value{}, err
			}
			return compute(t, c, byDigits, func(c *apd.Context, d, a, b *apd.Decimal) (apd.Condition, error) {
				return quantize(c, d, a, b.Exponent)
			}, self, b)
		}),
		method("__round__", "self, ndigits=None, /", func(t *value.Thread, c *apd.Context, self *apd.Decimal, a *value.Args) (value.Value, error) {
			if !value.Given(a.Pos[1]) {
				return toInt(t, self, apd.RoundHalfEven)
			}
			n, err := t.Index(a.Pos[1])
			if err != nil {
				return value.Value{}, err
			}
			exponent := -max(min(n.N, apd.MaxExponent), apd.MinExponent)
			return compute(t, c, byDigits, func(c *apd.Context, d, a, b *apd.Decimal) (apd.Condition, error) {
				return quantize(c, d, a, b.Exponent)
			}, self, apd.New(1, int32(exponent)))
		}),
	}
	for _, name := range []string{"to_integral_value", "to_integral"} {
		out = append(out, method(name, "self, rounding=None", func(t *value.Thread, c *apd.Context, self *apd.Decimal, a *value.Args) (value.Value, error) {
			if err := chooseRounding(t, c, a.Pos[1]); err != nil {
				return value.Value{}, err
			}
			return compute(t, c, byDigits, func(c *apd.Context, d, a, _ *apd.Decimal) (apd.Condition, error) { return integral(c, d, a) }, self, nil)
		}))
	}
	return out
}

// chooseRounding puts the mode that was given, if one was, into the context.
func chooseRounding(t *value.Thread, c *apd.Context, v value.Value) (err error) {
	if value.Given(v) {
		c.Rounding, err = rounding(t, v)
	}
	return err
}

// comparisons are the operators that compare, with any number: floats and fractions, too.
func comparisons() []*value.Native {
	var out []*value.Native
	for op, n := range value.CmpNames {
		switch op := syntax.CmpOperator(op); op {
		case syntax.Eq, syntax.NotEq, syntax.Lt, syntax.LtE, syntax.Gt, syntax.GtE:
			out = append(out, method(n.Plain, "self, value, /", func(t *value.Thread, c *apd.Context, self *apd.Decimal, a *value.Args) (value.Value, error) {
				return compare(t, op, self, a.Pos[1])
			}))
		}
	}
	return out
}

func compare(t *value.Thread, op syntax.CmpOperator, a *apd.Decimal, v value.Value) (value.Value, error) {
	b, ok := operand(t, v)
	if base := t.Base(v); !ok && base.Kind == value.KFloat {
		b = fromFloat(base.Float())
	} else if !ok {
		n, d, is := ratioOf(t, v)
		if !is {
			return value.NotImplemented, nil
		}
		if err := spend(t, a.NumDigits()+int64(d.BitLen())); err != nil {
			return value.Value{}, err
		}
		b = fromInt(n)
		if a.Form == apd.Finite {
			product := new(apd.Decimal)
			happened, err := exact().Mul(product, a, fromInt(d))
			if err := settle(t, happened, err); err != nil {
				return value.Value{}, err
			}
			a = product
		}
	}
	if isNaN(a) || isNaN(b) {
		if op != syntax.Eq && op != syntax.NotEq {
			return value.Value{}, signal(t, "InvalidOperation", "NaN has no order")
		}
		return value.Bool(op == syntax.NotEq), nil
	}
	if err := spend(t, a.NumDigits()+b.NumDigits()); err != nil {
		return value.Value{}, err
	}
	return value.Bool(value.Fulfils(op, a.Cmp(b))), nil
}

// ratioOf returns the numerator and the denominator of a fraction of the library.
func ratioOf(t *value.Thread, v value.Value) (n, d *big.Int, ok bool) {
	in := value.InstanceOf(v)
	if in == nil || in.Cls.Module != "fractions" && (len(in.Cls.MRO) < 2 || in.Cls.MRO[1].Module != "fractions") {
		return nil, nil, false
	}
	x, ok := in.Attrs.Str("_numerator")
	y, ok2 := in.Attrs.Str("_denominator")
	if !ok || !ok2 || !value.IsInt(x) || !value.IsInt(y) {
		return nil, nil, false
	}
	t.See(x.Label)
	t.See(y.Label)
	return value.ToBig(x), value.ToBig(y), true
}

// conversions turn a number into other numbers and truths, and copy it.
func conversions() []*value.Native {
	out := []*value.Native{
		method("__hash__", "self, /", func(t *value.Thread, c *apd.Context, self *apd.Decimal, a *value.Args) (value.Value, error) {
			if isNaN(self) {
				return value.Int(int64(t.Identity(t.Base(a.Pos[0])))), nil
			}
			return value.Int(hash(self)), nil
		}),
		method("__float__", "self, /", func(t *value.Thread, c *apd.Context, self *apd.Decimal, a *value.Args) (value.Value, error) {
			f, err := strconv.ParseFloat(text(self), 64)
			if err != nil && f == 0 {
				return value.Value{}, t.Raise(t.Types.ValueError, "cannot convert to float")
			}
			return value.Float(f), nil
		}),
		method("as_integer_ratio", "self, /", ratio),
		method("adjusted", "self, /", func(t *value.Thread, c *apd.Context, self *apd.Decimal, a *value.Args) (value.Value, error) {
			if self.Form != apd.Finite {
				return value.Int(0), nil
			}
			return value.Int(int64(self.Exponent) + self.NumDigits() - 1), nil
		}),
	}
	for _, m := range []struct {
		name string
		mode apd.Rounder
	}{{"__int__", apd.RoundDown}, {"__trunc__", apd.RoundDown}, {"__floor__", apd.RoundFloor}, {"__ceil__", apd.RoundCeiling}} {
		out = append(out, method(m.name, "self, /", func(t *value.Thread, c *apd.Context, self *apd.Decimal, a *value.Args) (value.Value, error) {
			return toInt(t, self, m.mode)
		}))
	}
	for _, m := range []struct {
		name string
		is   func(d *apd.Decimal) bool
	}{
		{"__bool__", func(d *apd.Decimal) bool { return !d.IsZero() }},
		{"is_zero", (*apd.Decimal).IsZero},
		{"is_nan", isNaN},
		{"is_infinite", func(d *apd.Decimal) bool { return d.Form == apd.Infinite }},
		{"is_finite", func(d *apd.Decimal) bool { return d.Form == apd.Finite }},
		{"is_signed", func(d *apd.Decimal) bool { return d.Negative }},
	} {
		out = append(out, method(m.name, "self, /", func(t *value.Thread, c *apd.Context, self *apd.Decimal, a *value.Args) (value.Value, error) {
			return value.Bool(m.is(self)), nil
		}))
	}
	return out
}

// hash is that of an int or a float with the same value.
func hash(d *apd.Decimal) int64 {
	if d.Form == apd.Infinite {
		return int64(d.Sign()) * 314159
	}
	modulus := big.NewInt(1<<61 - 1)
	power := big.NewInt(10)
	if d.Exponent < 0 {
		power.ModInverse(power, modulus)
	}
	power.Exp(power, big.NewInt(max(int64(d.Exponent), -int64(d.Exponent))), modulus)
	h := power.Mul(power, d.Coeff.MathBigInt()).Mod(power, modulus).Int64()
	if d.Negative {
		h = -h
	}
	if h == -1 {
		return -2
	}
	return h
}

// whole refuses what is no finite number; into says what it was to become.
func whole(t *value.Thread, d *apd.Decimal, into string) error {
	switch d.Form {
	case apd.Infinite:
		return t.Raise(t.Types.OverflowError, "cannot convert Infinity to %s", into)
	case apd.NaN:
		return t.Raise(t.Types.ValueError, "cannot convert NaN to %s", into)
	}
	return spend(t, d.NumDigits()+max(int64(d.Exponent), -int64(d.Exponent)))
}

// toInt is d rounded to an int.
func toInt(t *value.Thread, d *apd.Decimal, mode apd.Rounder) (value.Value, error) {
	if err := whole(t, d, "integer"); err != nil {
		return value.Value{}, err
	}
	c := exact()
	c.Rounding = mode
	var r apd.Decimal
	if _, err := integral(c, &r, d); err != nil {
		return value.Value{}, err
	}
	n, _ := fraction(&r)
	return value.BigInt(n), nil
}

// fraction returns d as a numerator over a power of ten.
func fraction(d *apd.Decimal) (n, under *big.Int) {
	n, under = d.Coeff.MathBigInt(), big.NewInt(1)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(int64(d.Exponent), -int64(d.Exponent))), nil)
	if d.Exponent < 0 {
		under = power
	} else {
		n.Mul(n, power)
	}
	if d.Negative {
		n.Neg(n)
	}
	return n, under
}

func ratio(t *value.Thread, c *apd.Context, self *apd.Decimal, a *value.Args) (value.Value, error) {
	if err := whole(t, self, "integer ratio"); err != nil {
		return value.Value{}, err
	}
	r := new(big.Rat).SetFrac(fraction(self))
	return t.Tuple([]value.Value{value.BigInt(r.Num()), value.BigInt(r.Denom())}), nil
}

// texts write a number, and take it apart.
func texts() []*value.Native {
	written := func(before, after string) call {
		return func(t *value.Thread, c *apd.Context, self *apd.Decimal, a *value.Args) (value.Value, error) {
			if err := spend(t, self.NumDigits()); err != nil {
				return value.Value{}, err
			}
			return t.NewStr(before + text(self) + after)
		}
	}
	same := func(t *value.Thread, c *apd.Context, self *apd.Decimal, a *value.Args) (value.Value, error) {
		return a.Pos[0], nil
	}
	return []*value.Native{
		method("__str__", "self, /", written("", "")),
		method("__repr__", "self, /", written("Decimal('", "')")),
		method("__copy__", "self, /", same),
		method("__deepcopy__", "self, memo, /", same),
		method("as_tuple", "self, /", tuple),
		method("__format__", "self, format_spec, /", func(t *value.Thread, c *apd.Context, self *apd.Decimal, a *value.Args) (value.Value, error) {
			spec, ok := t.Base(a.Pos[1]).Obj.(*value.Str)
			if !ok {
				return value.Value{}, t.FailOf(a.Pos[1], t.Types.TypeError, "format arg must be str")
			}
			return format(t, c, self, spec.Text)
		}),
	}
}

// tuple is as_tuple(): the class of what it returns is the library's.
func tuple(t *value.Thread, c *apd.Context, self *apd.Decimal, a *value.Args) (value.Value, error) {
	m, err := t.Import("decimal")
	if err != nil {
		return value.Value{}, err
	}
	if err := spend(t, self.NumDigits()); err != nil {
		return value.Value{}, err
	}
	sign, exponent := value.Int(0), value.Int(int64(self.Exponent))
	if self.Negative {
		sign = value.Int(1)
	}
	coef := self.Coeff.String()
	switch self.Form {
	case apd.Infinite:
		exponent = t.Str("F")
	case apd.NaN:
		exponent, coef = t.Str("n"), ""
	}
	if err := t.Alloc(int64(len(coef)) * value.ValueBytes); err != nil {
		return value.Value{}, err
	}
	var digits []value.Value
	for i := range len(coef) {
		digits = append(digits, value.Int(int64(coef[i]-'0')))
	}
	cls, _ := m.Names.Str("DecimalTuple")
	return t.Call(cls, []value.Value{sign, t.Tuple(digits), exponent}, nil, nil)
}
