package decimal

import (
	"math/big"
	"strconv"

	"praxis/internal/plan/python/decimal"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

type (
	decUnary  = func(c *decimal.Context, a *decimal.Decimal) *decimal.Decimal
	decBinary = func(c *decimal.Context, a, b *decimal.Decimal) *decimal.Decimal
)

// decMethod makes a method of Decimal: f gets self as a number, and the context
// that is in place at, or the thread's when at is 0.
func decMethod(name, params string, at int, f func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error)) *value.Native {
	name = "Decimal." + name
	return &value.Native{Name: name, Params: params, Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
		self, ok := decOf(t, a.Pos[0])
		if !ok {
			return value.Value{}, t.WrongSelf(name, a.Pos[0])
		}
		var given value.Value
		if at > 0 {
			given = a.Pos[at]
		}
		c, err := contextOf(t, given)
		if err != nil {
			return value.Value{}, err
		}
		return f(t, c, self, a)
	}}
}

// decUnaryMethod is a method without further operands.
func decUnaryMethod(name string, kind decKind, f decUnary) *value.Native {
	return decMethod(name, "self, context=None", 1, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
		return compute(t, c, kind, func(c *decimal.Context, x, _ *decimal.Decimal) *decimal.Decimal { return f(c, x) }, self, nil)
	})
}

// decBinaryMethod is a method with one more operand.
func decBinaryMethod(name string, kind decKind, f decBinary) *value.Native {
	return decMethod(name, "self, other, context=None", 2, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
		b, err := argument(t, a.Pos[1])
		if err != nil {
			return value.Value{}, err
		}
		return compute(t, c, kind, f, self, b)
	})
}

// decOperators are an operator and its reflection.
func decOperators(name string, kind decKind, f decBinary) []*value.Native {
	one := func(name string, reflected bool) *value.Native {
		return decMethod(name, "self, value, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			b, ok := operand(t, a.Pos[1])
			if !ok {
				return value.NotImplemented, nil
			}
			if reflected {
				self, b = b, self
			}
			return compute(t, c, kind, f, self, b)
		})
	}
	return []*value.Native{one("__"+name+"__", false), one("__r"+name+"__", true)}
}

func Methods() []*value.Native {
	out := []*value.Native{{Name: "Decimal.__new__", Params: "cls, value='0', context=None", Call: decNew}}
	for _, op := range []struct {
		name string
		kind decKind
		f    decBinary
	}{
		{"add", needsSum, (*decimal.Context).Add}, {"sub", needsSum, (*decimal.Context).Sub}, {"mul", needsOwn, (*decimal.Context).Mul},
		{"truediv", needsPrec, (*decimal.Context).Quo}, {"floordiv", needsPrec, (*decimal.Context).QuoInt}, {"mod", needsPrec, (*decimal.Context).Rem},
	} {
		out = append(out, decOperators(op.name, op.kind, op.f)...)
	}
	out = append(out, decPowers()...)
	out = append(out, decPlain()...)
	out = append(out, decComparisons()...)
	out = append(out, decNumbers()...)
	return append(out, decTexts()...)
}

func decPowers() []*value.Native {
	pow := func(t *value.Thread, c *decContext, x, y, m value.Value) (value.Value, error) {
		a, ok := operand(t, x)
		b, ok2 := operand(t, y)
		if !ok || !ok2 {
			return value.NotImplemented, nil
		}
		if m.Kind == value.KUnset || m.Kind == value.KNone {
			kind := needsPrec
			if !b.IsInt() {
				kind = needsSeries
			}
			return compute(t, c, kind, (*decimal.Context).Pow, a, b)
		}
		mod, ok := operand(t, m)
		if !ok {
			return value.NotImplemented, nil
		}
		if err := spendDigits(t, c.Prec+int64(a.Coef().BitLen()+b.Coef().BitLen())/3+max(a.Exp, 0)+max(b.Exp, 0)); err != nil {
			return value.Value{}, err
		}
		r := c.PowMod(a, b, mod)
		if err := settle(t, c); err != nil {
			return value.Value{}, err
		}
		return decValue(t, r)
	}
	divmod := func(reflected bool) func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
		return func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			b, ok := operand(t, a.Pos[1])
			if !ok {
				return value.NotImplemented, nil
			}
			if reflected {
				self, b = b, self
			}
			if err := spendDigits(t, c.needs(needsPrec, self, b)); err != nil {
				return value.Value{}, err
			}
			q, r := c.DivMod(self, b, true, true)
			if err := settle(t, c); err != nil {
				return value.Value{}, err
			}
			x, err := decValue(t, q)
			if err != nil {
				return value.Value{}, err
			}
			y, err := decValue(t, r)
			return t.Tuple([]value.Value{x, y}), err
		}
	}
	return []*value.Native{
		decMethod("__pow__", "self, value, mod=None, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			return pow(t, c, a.Pos[0], a.Pos[1], a.Pos[2])
		}),
		decMethod("__rpow__", "self, value, mod=None, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			return pow(t, c, a.Pos[1], a.Pos[0], a.Pos[2])
		}),
		decMethod("__divmod__", "self, value, /", 0, divmod(false)),
		decMethod("__rdivmod__", "self, value, /", 0, divmod(true)),
	}
}

// decPlain are the operations that take numbers and give one.
func decPlain() []*value.Native {
	abs := func(c *decimal.Context, a *decimal.Decimal) *decimal.Decimal { return c.Abs(a) }
	out := []*value.Native{
		decMethod("__neg__", "self, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			return compute(t, c, needsOwn, func(c *decimal.Context, x, _ *decimal.Decimal) *decimal.Decimal { return c.Minus(x) }, self, nil)
		}),
		decMethod("__pos__", "self, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			return compute(t, c, needsOwn, func(c *decimal.Context, x, _ *decimal.Decimal) *decimal.Decimal { return c.Plus(x) }, self, nil)
		}),
		decMethod("__abs__", "self, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			return compute(t, c, needsOwn, func(c *decimal.Context, x, _ *decimal.Decimal) *decimal.Decimal { return abs(c, x) }, self, nil)
		}),
		decUnaryMethod("sqrt", needsPrec, (*decimal.Context).Sqrt),
		decUnaryMethod("exp", needsSeries, (*decimal.Context).Exp),
		decUnaryMethod("ln", needsSeries, (*decimal.Context).Ln),
		decUnaryMethod("log10", needsSeries, (*decimal.Context).Log10),
		decUnaryMethod("normalize", needsOwn, (*decimal.Context).Normalize),
		decUnaryMethod("next_minus", needsPrec, (*decimal.Context).NextMinus),
		decUnaryMethod("next_plus", needsPrec, (*decimal.Context).NextPlus),
		decUnaryMethod("logb", needsOwn, (*decimal.Context).Logb),
		decBinaryMethod("next_toward", needsPrec, (*decimal.Context).NextToward),
		decBinaryMethod("remainder_near", needsPrec, (*decimal.Context).RemNear),
		decBinaryMethod("max", needsOwn, (*decimal.Context).Max),
		decBinaryMethod("min", needsOwn, (*decimal.Context).Min),
		decBinaryMethod("max_mag", needsOwn, (*decimal.Context).MaxMag),
		decBinaryMethod("min_mag", needsOwn, (*decimal.Context).MinMag),
		decBinaryMethod("scaleb", needsOwn, (*decimal.Context).Scaleb),
		decBinaryMethod("rotate", needsPrec, func(c *decimal.Context, a, b *decimal.Decimal) *decimal.Decimal { return c.Shift(a, b, true) }),
		decBinaryMethod("shift", needsPrec, func(c *decimal.Context, a, b *decimal.Decimal) *decimal.Decimal { return c.Shift(a, b, false) }),
		decBinaryMethod("logical_and", needsOwn, logical(func(x, y byte) byte { return x & y })),
		decBinaryMethod("logical_or", needsOwn, logical(func(x, y byte) byte { return x | y })),
		decBinaryMethod("logical_xor", needsOwn, logical(func(x, y byte) byte { return x ^ y })),
		decUnaryMethod("logical_invert", needsPrec, func(c *decimal.Context, a *decimal.Decimal) *decimal.Decimal {
			return c.Logical(a, c.Ones(), func(x, y byte) byte { return x ^ y })
		}),
		decMethod("fma", "self, other, third, context=None", 3, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			b, err := argument(t, a.Pos[1])
			if err != nil {
				return value.Value{}, err
			}
			d, err := argument(t, a.Pos[2])
			if err != nil {
				return value.Value{}, err
			}
			if err := spendDigits(t, self.Digits()+b.Digits()+d.Digits()+c.Prec); err != nil {
				return value.Value{}, err
			}
			r := c.FMA(self, b, d)
			if err := settle(t, c); err != nil {
				return value.Value{}, err
			}
			return decValue(t, r)
		}),
		decMethod("quantize", "self, exp, rounding=None, context=None", 3, decQuantize),
	}
	for _, name := range []string{"to_integral_value", "to_integral", "to_integral_exact"} {
		out = append(out, decMethod(name, "self, rounding=None, context=None", 2, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			r, err := roundingOr(t, c, a.Pos[1])
			if err != nil {
				return value.Value{}, err
			}
			return compute(t, c, needsOwn, func(c *decimal.Context, x, _ *decimal.Decimal) *decimal.Decimal {
				return c.ToIntegral(x, r, name == "to_integral_exact")
			}, self, nil)
		}))
	}
	for name, f := range map[string]decUnary{
		"copy_abs":    func(c *decimal.Context, a *decimal.Decimal) *decimal.Decimal { return a.WithSign(false) },
		"copy_negate": func(c *decimal.Context, a *decimal.Decimal) *decimal.Decimal { return a.WithSign(!a.Neg) },
		"conjugate":   func(c *decimal.Context, a *decimal.Decimal) *decimal.Decimal { return a },
		"canonical":   func(c *decimal.Context, a *decimal.Decimal) *decimal.Decimal { return a },
	} {
		out = append(out, decMethod(name, "self, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			return decValue(t, f(&c.Context, self))
		}))
	}
	return append(out, decMethod("copy_sign", "self, other, context=None", 2, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
		b, err := argument(t, a.Pos[1])
		if err != nil {
			return value.Value{}, err
		}
		return decValue(t, self.WithSign(b.Neg))
	}))
}

func logical(op func(x, y byte) byte) decBinary {
	return func(c *decimal.Context, a, b *decimal.Decimal) *decimal.Decimal { return c.Logical(a, b, op) }
}

func roundingOr(t *value.Thread, c *decContext, v value.Value) (decimal.Rounding, error) {
	if v.Kind == value.KUnset || v.Kind == value.KNone {
		return c.Rounding, nil
	}
	return rounding(t, v)
}

func decQuantize(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
	b, err := argument(t, a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	r, err := roundingOr(t, c, a.Pos[2])
	if err != nil {
		return value.Value{}, err
	}
	return compute(t, c, needsSum, func(c *decimal.Context, x, y *decimal.Decimal) *decimal.Decimal { return c.Quantize(x, y, r) }, self, b)
}

// decComparisons are the operators that compare, and the methods.
func decComparisons() []*value.Native {
	var out []*value.Native
	for op, n := range value.CmpNames {
		if n.Plain == "" || n.Plain == "__contains__" {
			continue
		}
		switch op := syntax.CmpOperator(op); op {
		case syntax.Eq, syntax.NotEq, syntax.Lt, syntax.LtE, syntax.Gt, syntax.GtE:
			out = append(out, decMethod(n.Plain, "self, value, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
				return decCompare(t, c, op, self, a.Pos[1])
			}))
		}
	}
	for _, name := range []string{"compare", "compare_signal"} {
		out = append(out, decBinaryMethod(name, needsOwn, func(c *decimal.Context, a, b *decimal.Decimal) *decimal.Decimal {
			return c.Compare(a, b, name == "compare_signal")
		}))
	}
	total := func(name string, f func(a, b *decimal.Decimal) int) *value.Native {
		return decBinaryMethod(name, needsOwn, func(c *decimal.Context, a, b *decimal.Decimal) *decimal.Decimal {
			return decimal.FromInt64(int64(f(a, b)))
		})
	}
	return append(out, total("compare_total", decimal.CompareTotal), total("compare_total_mag", decimal.CompareTotalMag),
		decMethod("same_quantum", "self, other, context=None", 2, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			b, err := argument(t, a.Pos[1])
			if err != nil {
				return value.Value{}, err
			}
			if self.Form != decimal.Finite || b.Form != decimal.Finite {
				return value.Bool(self.IsNaN() && b.IsNaN() || self.Form == decimal.Infinite && b.Form == decimal.Infinite), nil
			}
			return value.Bool(self.Exp == b.Exp), nil
		}))
}

// decCompare compares with any number, floats and fractions too.
func decCompare(t *value.Thread, c *decContext, op syntax.CmpOperator, a *decimal.Decimal, v value.Value) (value.Value, error) {
	equality := op == syntax.Eq || op == syntax.NotEq
	b, ok := operand(t, v)
	if !ok {
		switch base := t.Base(v); {
		case base.Kind == value.KFloat:
			b = decimal.FromFloat(base.Float())
			if !equality || c.traps&decimal.FloatOperation == 0 {
				c.Status |= decimal.FloatOperation
			}
			if err := settle(t, c); err != nil {
				return value.Value{}, err
			}
		default:
			n, d, is := ratioOf(t, v)
			if !is {
				return value.NotImplemented, nil
			}
			if err := spendDigits(t, a.Digits()+int64(d.BitLen())); err != nil {
				return value.Value{}, err
			}
			if !a.IsNaN() {
				wide := *c
				wide.Prec, wide.Emax, wide.Emin = decimal.MaxDigits, decimal.MaxExp, decimal.MinExp
				a = wide.Mul(a, decimal.FromInt(d))
			}
			b = decimal.FromInt(n)
		}
	}
	if a.IsNaN() || b.IsNaN() {
		if !equality || a.Form == decimal.SignalingNaN || b.Form == decimal.SignalingNaN {
			c.Status |= decimal.InvalidOperation
			if err := settle(t, c); err != nil {
				return value.Value{}, err
			}
		}
		return value.Bool(op == syntax.NotEq), nil
	}
	if err := spendDigits(t, a.Digits()+b.Digits()); err != nil {
		return value.Value{}, err
	}
	return value.Bool(value.Fulfils(op, decimal.Cmp(a, b))), nil
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

// decNumbers turn a Decimal into numbers and truths.
func decNumbers() []*value.Native {
	out := []*value.Native{
		decMethod("__hash__", "self, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			switch self.Form {
			case decimal.SignalingNaN:
				return value.Value{}, t.Raise(t.Types.TypeError, "Cannot hash a signaling NaN value")
			case decimal.QuietNaN:
				return value.Int(int64(t.Identity(t.Base(a.Pos[0])))), nil
			}
			return value.Int(self.Hash()), nil
		}),
		decMethod("__bool__", "self, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			return value.Bool(!self.IsZero()), nil
		}),
		decMethod("__float__", "self, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			if self.Form == decimal.SignalingNaN {
				return value.Value{}, t.Raise(t.Types.ValueError, "cannot convert signaling NaN to float")
			}
			plain := *self
			if plain.IsNaN() {
				plain = *decimal.Special(decimal.QuietNaN, self.Neg, nil)
			}
			f, err := strconv.ParseFloat(plain.String(), 64)
			if err != nil && f == 0 {
				return value.Value{}, t.Raise(t.Types.ValueError, "cannot convert to float")
			}
			return value.Float(f), nil
		}),
		decMethod("__round__", "self, ndigits=None, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			if !value.Given(a.Pos[1]) {
				return decInt(t, c, self, decimal.RoundHalfEven)
			}
			n, err := t.Index(a.Pos[1])
			if err != nil {
				return value.Value{}, err
			}
			if n.Kind == value.KBig {
				return value.Value{}, t.Raise(t.Types.OverflowError, "Python int too large to convert to C ssize_t")
			}
			exp := -max(min(n.N, decimal.MaxExp), -decimal.MaxExp)
			return compute(t, c, needsSum, func(c *decimal.Context, x, y *decimal.Decimal) *decimal.Decimal {
				return c.Quantize(x, y, c.Rounding)
			}, self, decimal.New(false, big.NewInt(1), exp))
		}),
		decMethod("as_integer_ratio", "self, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			if self.Form == decimal.Infinite {
				return value.Value{}, t.Raise(t.Types.OverflowError, "cannot convert Infinity to integer ratio")
			}
			if self.IsNaN() {
				return value.Value{}, t.Raise(t.Types.ValueError, "cannot convert NaN to integer ratio")
			}
			if err := spendDigits(t, self.Digits()+max(self.Exp, -self.Exp)); err != nil {
				return value.Value{}, err
			}
			n, d, ok := self.Ratio()
			if !ok {
				return value.Value{}, t.OutOfMemory(maxWork)
			}
			return t.Tuple([]value.Value{value.BigInt(n), value.BigInt(d)}), nil
		}),
		decMethod("adjusted", "self, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			return value.Int(self.Adjusted()), nil
		}),
		decMethod("radix", "self, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			return decValue(t, decimal.FromInt64(10))
		}),
	}
	for name, r := range map[string]decimal.Rounding{"__int__": decimal.RoundDown, "__trunc__": decimal.RoundDown, "__floor__": decimal.RoundFloor, "__ceil__": decimal.RoundCeiling} {
		out = append(out, decMethod(name, "self, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			return decInt(t, c, self, r)
		}))
	}
	for name, f := range map[string]func(c *decContext, d *decimal.Decimal) bool{
		"is_nan":       func(c *decContext, d *decimal.Decimal) bool { return d.IsNaN() },
		"is_qnan":      func(c *decContext, d *decimal.Decimal) bool { return d.Form == decimal.QuietNaN },
		"is_snan":      func(c *decContext, d *decimal.Decimal) bool { return d.Form == decimal.SignalingNaN },
		"is_infinite":  func(c *decContext, d *decimal.Decimal) bool { return d.Form == decimal.Infinite },
		"is_finite":    func(c *decContext, d *decimal.Decimal) bool { return d.Form == decimal.Finite },
		"is_signed":    func(c *decContext, d *decimal.Decimal) bool { return d.Neg },
		"is_zero":      func(c *decContext, d *decimal.Decimal) bool { return d.IsZero() },
		"is_canonical": func(c *decContext, d *decimal.Decimal) bool { return true },
	} {
		out = append(out, decMethod(name, "self, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			return value.Bool(f(c, self)), nil
		}))
	}
	for name, want := range map[string]string{"is_normal": "Normal", "is_subnormal": "Subnormal"} {
		out = append(out, decMethod(name, "self, context=None", 1, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			return value.Bool(c.Class(self)[1:] == want), nil
		}))
	}
	return append(out, decMethod("number_class", "self, context=None", 1, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
		return t.Str(c.Class(self)), nil
	}))
}

// decInt is int(d), rounded as r says.
func decInt(t *value.Thread, c *decContext, d *decimal.Decimal, r decimal.Rounding) (value.Value, error) {
	switch d.Form {
	case decimal.Infinite:
		return value.Value{}, t.Raise(t.Types.OverflowError, "cannot convert Infinity to integer")
	case decimal.QuietNaN, decimal.SignalingNaN:
		return value.Value{}, t.Raise(t.Types.ValueError, "cannot convert NaN to integer")
	}
	if err := spendDigits(t, d.Digits()+max(d.Exp, 0)); err != nil {
		return value.Value{}, err
	}
	n, ok := c.ToIntegral(d, r, false).Int()
	if !ok {
		return value.Value{}, t.OutOfMemory(maxWork)
	}
	return value.BigInt(n), nil
}

// decTexts write a Decimal, and take it apart.
func decTexts() []*value.Native {
	text := func(name, params string, at int, f func(c *decContext, d *decimal.Decimal) string) *value.Native {
		return decMethod(name, params, at, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			if err := spendDigits(t, self.Digits()); err != nil {
				return value.Value{}, err
			}
			return t.NewStr(f(c, self))
		})
	}
	return []*value.Native{
		text("__str__", "self, /", 0, func(c *decContext, d *decimal.Decimal) string { return d.Text(false, c.capitals) }),
		text("__repr__", "self, /", 0, func(c *decContext, d *decimal.Decimal) string { return "Decimal('" + d.Text(false, c.capitals) + "')" }),
		text("to_eng_string", "self, context=None", 1, func(c *decContext, d *decimal.Decimal) string { return d.Text(true, c.capitals) }),
		decMethod("__format__", "self, format_spec, override=None, /", 0, decFormat),
		decMethod("as_tuple", "self, /", 0, decTuple),
		decMethod("__copy__", "self, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			return a.Pos[0], nil
		}),
		decMethod("__deepcopy__", "self, memo, /", 0, func(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
			return a.Pos[0], nil
		}),
		{Name: "Decimal.from_float", Params: "cls, f, /", Call: decFromFloat},
		{Name: "Decimal.from_number", Params: "cls, number, /", Call: decFromNumber},
	}
}

// Natives are what the library's contexts are made with.
func Natives() []*value.Native {
	return []*value.Native{
		{Name: "decimal._use", Params: "context, /", Precise: true, Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			t.Decimal = a.Pos[0]
			return value.None, nil
		}},
		{Name: "decimal._current", Params: "", Precise: true, Call: func(t *value.Thread, a *value.Args) (value.Value, error) { return t.Decimal, nil }},
		{Name: "decimal._create", Params: "context, value, /", Call: decCreate},
		{Name: "decimal._signal", Params: "context, condition, /", Call: decSignal},
	}
}

func decFormat(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
	spec, ok := t.Base(a.Pos[1]).Obj.(*value.Str)
	if !ok {
		return value.Value{}, t.FailOf(a.Pos[1], t.Types.TypeError, "format arg must be str")
	}
	if self.Form == decimal.Finite {
		if err := spendDigits(t, self.Digits()+max(self.Exp, 0)); err != nil && self.Exp > maxWork && writesAllDigits(spec.Text) {
			return value.Value{}, err
		}
	}
	s, ok := c.Format(self, spec.Text, c.capitals)
	if !ok {
		return value.Value{}, t.Raise(t.Types.ValueError, "invalid format string")
	}
	if err := t.Alloc(int64(len(s))); err != nil {
		return value.Value{}, err
	}
	return t.NewStr(s)
}

// writesAllDigits reports whether a format writes a number without an exponent.
func writesAllDigits(spec string) bool {
	return spec != "" && (spec[len(spec)-1]|0x20 == 'f' || spec[len(spec)-1] == '%')
}

// decTuple is as_tuple(): the class of what it returns is the library's.
func decTuple(t *value.Thread, c *decContext, self *decimal.Decimal, a *value.Args) (value.Value, error) {
	m, err := t.Import("decimal")
	if err != nil {
		return value.Value{}, err
	}
	cls, _ := m.Names.Str("DecimalTuple")
	sign := value.Int(0)
	if self.Neg {
		sign = value.Int(1)
	}
	if err := spendDigits(t, self.Digits()); err != nil {
		return value.Value{}, err
	}
	var digits []value.Value
	if self.Form == decimal.Infinite || !self.IsNaN() || self.Coef().Sign() != 0 {
		text := self.Coef().String()
		if err := t.Alloc(int64(len(text)) * value.ValueBytes); err != nil {
			return value.Value{}, err
		}
		for i := range len(text) {
			digits = append(digits, value.Int(int64(text[i]-'0')))
		}
	}
	exp := value.Int(self.Exp)
	switch self.Form {
	case decimal.Infinite:
		exp = t.Str("F")
	case decimal.QuietNaN:
		exp = t.Str("n")
	case decimal.SignalingNaN:
		exp = t.Str("N")
	}
	return t.Call(cls, []value.Value{sign, t.Tuple(digits), exp}, nil, nil)
}

func decFromFloat(t *value.Thread, a *value.Args) (value.Value, error) {
	var d *decimal.Decimal
	switch b := t.Base(a.Pos[1]); {
	case b.Kind == value.KFloat:
		d = decimal.FromFloat(b.Float())
	case value.IsInt(b):
		d = decimal.FromInt(value.ToBig(b))
	default:
		return value.Value{}, t.FailOf(a.Pos[1], t.Types.TypeError, "argument must be int or float")
	}
	v, err := decValue(t, d)
	return t.Construct(a.Pos[0], v), err
}

func decFromNumber(t *value.Thread, a *value.Args) (value.Value, error) {
	d, ok := operand(t, a.Pos[1])
	if !ok {
		b := t.Base(a.Pos[1])
		if b.Kind != value.KFloat {
			return value.Value{}, t.FailOf(a.Pos[1], t.Types.TypeError, "Cannot convert %s to Decimal", t.ClassName(a.Pos[1]))
		}
		d = decimal.FromFloat(b.Float())
	}
	v, err := decValue(t, d)
	return t.Construct(a.Pos[0], v), err
}

// decCreate is Context.create_decimal: a number, rounded to the context.
func decCreate(t *value.Thread, a *value.Args) (value.Value, error) {
	c, err := contextOf(t, a.Pos[0])
	if err != nil {
		return value.Value{}, err
	}
	d, err := decFrom(t, c, a.Pos[1], false)
	if err != nil {
		return value.Value{}, err
	}
	c.Status = 0
	r := c.Round(d)
	if d.IsNaN() && r.Coef().Cmp(d.Coef()) != 0 {
		c.Status |= decimal.ConversionSyntax
		r = decimal.Special(decimal.QuietNaN, false, nil)
	}
	if err := settle(t, c); err != nil {
		return value.Value{}, err
	}
	return decValue(t, r)
}

// decSignal has a context note a condition.
func decSignal(t *value.Thread, a *value.Args) (value.Value, error) {
	c, err := contextOf(t, a.Pos[0])
	if err != nil {
		return value.Value{}, err
	}
	c.Status = decimal.Condition(a.Pos[1].N)
	return value.None, settle(t, c)
}

// Values puts the class into the module.
func Values(t *value.Thread, m *value.Module) {
	m.Names.SetName(t.Intern("Decimal"), value.ClassValue(t.Types.Decimal))
}
