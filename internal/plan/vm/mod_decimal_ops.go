package vm

import (
	"math/big"
	"strconv"

	"praxis/internal/plan/decimal"
	"praxis/internal/plan/syntax"
)

type (
	decUnary  = func(c *decimal.Context, a *decimal.Decimal) *decimal.Decimal
	decBinary = func(c *decimal.Context, a, b *decimal.Decimal) *decimal.Decimal
)

// decMethod makes a method of Decimal: f gets self as a number, and the context
// that is in place at, or the thread's when at is 0.
func decMethod(name, params string, at int, f func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error)) *Native {
	name = "Decimal." + name
	return &Native{name: name, params: params, call: func(t *Thread, a *Args) (Value, error) {
		self, ok := t.decOf(a.Pos[0])
		if !ok {
			return Value{}, t.wrongSelf(name, a.Pos[0])
		}
		var given Value
		if at > 0 {
			given = a.Pos[at]
		}
		c, err := t.decContext(given)
		if err != nil {
			return Value{}, err
		}
		return f(t, c, self, a)
	}}
}

// decUnaryMethod is a method without further operands.
func decUnaryMethod(name string, kind decKind, f decUnary) *Native {
	return decMethod(name, "self, context=None", 1, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
		return t.compute(c, kind, func(c *decimal.Context, x, _ *decimal.Decimal) *decimal.Decimal { return f(c, x) }, self, nil)
	})
}

// decBinaryMethod is a method with one more operand.
func decBinaryMethod(name string, kind decKind, f decBinary) *Native {
	return decMethod(name, "self, other, context=None", 2, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
		b, err := t.argument(a.Pos[1])
		if err != nil {
			return Value{}, err
		}
		return t.compute(c, kind, f, self, b)
	})
}

// decOperators are an operator and its reflection.
func decOperators(name string, kind decKind, f decBinary) []*Native {
	one := func(name string, reflected bool) *Native {
		return decMethod(name, "self, value, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			b, ok := t.operand(a.Pos[1])
			if !ok {
				return notImplemented, nil
			}
			if reflected {
				self, b = b, self
			}
			return t.compute(c, kind, f, self, b)
		})
	}
	return []*Native{one("__"+name+"__", false), one("__r"+name+"__", true)}
}

func decimalNatives() []*Native {
	out := []*Native{{name: "Decimal.__new__", params: "cls, value='0', context=None", call: decNew}}
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

func decPowers() []*Native {
	pow := func(t *Thread, c *decContext, x, y, m Value) (Value, error) {
		a, ok := t.operand(x)
		b, ok2 := t.operand(y)
		if !ok || !ok2 {
			return notImplemented, nil
		}
		if m.k == kUnset || m.k == kNone {
			kind := needsPrec
			if !b.IsInt() {
				kind = needsSeries
			}
			return t.compute(c, kind, (*decimal.Context).Pow, a, b)
		}
		mod, ok := t.operand(m)
		if !ok {
			return notImplemented, nil
		}
		if err := t.decRoom(c.Prec + int64(a.Coef().BitLen()+b.Coef().BitLen())/3 + max(a.Exp, 0) + max(b.Exp, 0)); err != nil {
			return Value{}, err
		}
		r := c.PowMod(a, b, mod)
		if err := t.settle(c); err != nil {
			return Value{}, err
		}
		return t.decValue(r)
	}
	divmod := func(reflected bool) func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
		return func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			b, ok := t.operand(a.Pos[1])
			if !ok {
				return notImplemented, nil
			}
			if reflected {
				self, b = b, self
			}
			if err := t.decRoom(c.needs(needsPrec, self, b)); err != nil {
				return Value{}, err
			}
			q, r := c.DivMod(self, b, true, true)
			if err := t.settle(c); err != nil {
				return Value{}, err
			}
			x, err := t.decValue(q)
			if err != nil {
				return Value{}, err
			}
			y, err := t.decValue(r)
			return t.tuple([]Value{x, y}), err
		}
	}
	return []*Native{
		decMethod("__pow__", "self, value, mod=None, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			return pow(t, c, a.Pos[0], a.Pos[1], a.Pos[2])
		}),
		decMethod("__rpow__", "self, value, mod=None, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			return pow(t, c, a.Pos[1], a.Pos[0], a.Pos[2])
		}),
		decMethod("__divmod__", "self, value, /", 0, divmod(false)),
		decMethod("__rdivmod__", "self, value, /", 0, divmod(true)),
	}
}

// decPlain are the operations that take numbers and give one.
func decPlain() []*Native {
	abs := func(c *decimal.Context, a *decimal.Decimal) *decimal.Decimal { return c.Abs(a) }
	out := []*Native{
		decMethod("__neg__", "self, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			return t.compute(c, needsOwn, func(c *decimal.Context, x, _ *decimal.Decimal) *decimal.Decimal { return c.Minus(x) }, self, nil)
		}),
		decMethod("__pos__", "self, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			return t.compute(c, needsOwn, func(c *decimal.Context, x, _ *decimal.Decimal) *decimal.Decimal { return c.Plus(x) }, self, nil)
		}),
		decMethod("__abs__", "self, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			return t.compute(c, needsOwn, func(c *decimal.Context, x, _ *decimal.Decimal) *decimal.Decimal { return abs(c, x) }, self, nil)
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
		decMethod("fma", "self, other, third, context=None", 3, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			b, err := t.argument(a.Pos[1])
			if err != nil {
				return Value{}, err
			}
			d, err := t.argument(a.Pos[2])
			if err != nil {
				return Value{}, err
			}
			if err := t.decRoom(self.Digits() + b.Digits() + d.Digits() + c.Prec); err != nil {
				return Value{}, err
			}
			r := c.FMA(self, b, d)
			if err := t.settle(c); err != nil {
				return Value{}, err
			}
			return t.decValue(r)
		}),
		decMethod("quantize", "self, exp, rounding=None, context=None", 3, decQuantize),
	}
	for _, name := range []string{"to_integral_value", "to_integral", "to_integral_exact"} {
		out = append(out, decMethod(name, "self, rounding=None, context=None", 2, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			r, err := t.roundingOr(c, a.Pos[1])
			if err != nil {
				return Value{}, err
			}
			return t.compute(c, needsOwn, func(c *decimal.Context, x, _ *decimal.Decimal) *decimal.Decimal {
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
		out = append(out, decMethod(name, "self, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			return t.decValue(f(&c.Context, self))
		}))
	}
	return append(out, decMethod("copy_sign", "self, other, context=None", 2, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
		b, err := t.argument(a.Pos[1])
		if err != nil {
			return Value{}, err
		}
		return t.decValue(self.WithSign(b.Neg))
	}))
}

func logical(op func(x, y byte) byte) decBinary {
	return func(c *decimal.Context, a, b *decimal.Decimal) *decimal.Decimal { return c.Logical(a, b, op) }
}

func (t *Thread) roundingOr(c *decContext, v Value) (decimal.Rounding, error) {
	if v.k == kUnset || v.k == kNone {
		return c.Rounding, nil
	}
	return t.rounding(v)
}

func decQuantize(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
	b, err := t.argument(a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	r, err := t.roundingOr(c, a.Pos[2])
	if err != nil {
		return Value{}, err
	}
	return t.compute(c, needsSum, func(c *decimal.Context, x, y *decimal.Decimal) *decimal.Decimal { return c.Quantize(x, y, r) }, self, b)
}

// decComparisons are the operators that compare, and the methods.
func decComparisons() []*Native {
	var out []*Native
	for op, n := range cmpNames {
		if n.plain == "" || n.plain == "__contains__" {
			continue
		}
		switch op := syntax.CmpOperator(op); op {
		case syntax.Eq, syntax.NotEq, syntax.Lt, syntax.LtE, syntax.Gt, syntax.GtE:
			out = append(out, decMethod(n.plain, "self, value, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
				return t.decCompare(c, op, self, a.Pos[1])
			}))
		}
	}
	for _, name := range []string{"compare", "compare_signal"} {
		out = append(out, decBinaryMethod(name, needsOwn, func(c *decimal.Context, a, b *decimal.Decimal) *decimal.Decimal {
			return c.Compare(a, b, name == "compare_signal")
		}))
	}
	total := func(name string, f func(a, b *decimal.Decimal) int) *Native {
		return decBinaryMethod(name, needsOwn, func(c *decimal.Context, a, b *decimal.Decimal) *decimal.Decimal {
			return decimal.FromInt64(int64(f(a, b)))
		})
	}
	return append(out, total("compare_total", decimal.CompareTotal), total("compare_total_mag", decimal.CompareTotalMag),
		decMethod("same_quantum", "self, other, context=None", 2, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			b, err := t.argument(a.Pos[1])
			if err != nil {
				return Value{}, err
			}
			if self.Form != decimal.Finite || b.Form != decimal.Finite {
				return boolValue(self.IsNaN() && b.IsNaN() || self.Form == decimal.Infinite && b.Form == decimal.Infinite), nil
			}
			return boolValue(self.Exp == b.Exp), nil
		}))
}

// decCompare compares with any number, floats and fractions too.
func (t *Thread) decCompare(c *decContext, op syntax.CmpOperator, a *decimal.Decimal, v Value) (Value, error) {
	equality := op == syntax.Eq || op == syntax.NotEq
	b, ok := t.operand(v)
	if !ok {
		switch base := t.base(v); {
		case base.k == kFloat:
			b = decimal.FromFloat(base.float())
			if !equality || c.traps&decimal.FloatOperation == 0 {
				c.Status |= decimal.FloatOperation
			}
			if err := t.settle(c); err != nil {
				return Value{}, err
			}
		default:
			n, d, is := t.ratioOf(v)
			if !is {
				return notImplemented, nil
			}
			if err := t.decRoom(a.Digits() + int64(d.BitLen())); err != nil {
				return Value{}, err
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
			if err := t.settle(c); err != nil {
				return Value{}, err
			}
		}
		return boolValue(op == syntax.NotEq), nil
	}
	if err := t.decRoom(a.Digits() + b.Digits()); err != nil {
		return Value{}, err
	}
	return boolValue(holds(op, decimal.Cmp(a, b))), nil
}

// ratioOf returns the numerator and the denominator of a fraction of the library.
func (t *Thread) ratioOf(v Value) (n, d *big.Int, ok bool) {
	in := instance(v)
	if in == nil || in.cls.module != "fractions" && (len(in.cls.mro) < 2 || in.cls.mro[1].module != "fractions") {
		return nil, nil, false
	}
	x, ok := in.attrs.str("_numerator")
	y, ok2 := in.attrs.str("_denominator")
	if !ok || !ok2 || !isInt(x) || !isInt(y) {
		return nil, nil, false
	}
	t.see(x.l)
	t.see(y.l)
	return toBig(x), toBig(y), true
}

// decNumbers turn a Decimal into numbers and truths.
func decNumbers() []*Native {
	out := []*Native{
		decMethod("__hash__", "self, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			switch self.Form {
			case decimal.SignalingNaN:
				return Value{}, t.raise(t.types.TypeError, "Cannot hash a signaling NaN value")
			case decimal.QuietNaN:
				return intValue(int64(t.identity(t.base(a.Pos[0])))), nil
			}
			return intValue(self.Hash()), nil
		}),
		decMethod("__bool__", "self, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			return boolValue(!self.IsZero()), nil
		}),
		decMethod("__float__", "self, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			if self.Form == decimal.SignalingNaN {
				return Value{}, t.raise(t.types.ValueError, "cannot convert signaling NaN to float")
			}
			plain := *self
			if plain.IsNaN() {
				plain = *decimal.Special(decimal.QuietNaN, self.Neg, nil)
			}
			f, err := strconv.ParseFloat(plain.String(), 64)
			if err != nil && f == 0 {
				return Value{}, t.raise(t.types.ValueError, "cannot convert to float")
			}
			return floatValue(f), nil
		}),
		decMethod("__round__", "self, ndigits=None, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			if !given(a.Pos[1]) {
				return t.decInt(c, self, decimal.RoundHalfEven)
			}
			n, err := t.index(a.Pos[1])
			if err != nil {
				return Value{}, err
			}
			if n.k == kBig {
				return Value{}, t.raise(t.types.OverflowError, "Python int too large to convert to C ssize_t")
			}
			exp := -max(min(n.n, decimal.MaxExp), -decimal.MaxExp)
			return t.compute(c, needsSum, func(c *decimal.Context, x, y *decimal.Decimal) *decimal.Decimal {
				return c.Quantize(x, y, c.Rounding)
			}, self, decimal.New(false, big.NewInt(1), exp))
		}),
		decMethod("as_integer_ratio", "self, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			if self.Form == decimal.Infinite {
				return Value{}, t.raise(t.types.OverflowError, "cannot convert Infinity to integer ratio")
			}
			if self.IsNaN() {
				return Value{}, t.raise(t.types.ValueError, "cannot convert NaN to integer ratio")
			}
			if err := t.decRoom(self.Digits() + max(self.Exp, -self.Exp)); err != nil {
				return Value{}, err
			}
			n, d, ok := self.Ratio()
			if !ok {
				return Value{}, t.OutOfMemory(maxWork)
			}
			return t.tuple([]Value{bigValue(n), bigValue(d)}), nil
		}),
		decMethod("adjusted", "self, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			return intValue(self.Adjusted()), nil
		}),
		decMethod("radix", "self, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			return t.decValue(decimal.FromInt64(10))
		}),
	}
	for name, r := range map[string]decimal.Rounding{"__int__": decimal.RoundDown, "__trunc__": decimal.RoundDown, "__floor__": decimal.RoundFloor, "__ceil__": decimal.RoundCeiling} {
		out = append(out, decMethod(name, "self, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			return t.decInt(c, self, r)
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
		out = append(out, decMethod(name, "self, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			return boolValue(f(c, self)), nil
		}))
	}
	for name, want := range map[string]string{"is_normal": "Normal", "is_subnormal": "Subnormal"} {
		out = append(out, decMethod(name, "self, context=None", 1, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			return boolValue(c.Class(self)[1:] == want), nil
		}))
	}
	return append(out, decMethod("number_class", "self, context=None", 1, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
		return t.str(c.Class(self)), nil
	}))
}

// decInt is int(d), rounded as r says.
func (t *Thread) decInt(c *decContext, d *decimal.Decimal, r decimal.Rounding) (Value, error) {
	switch d.Form {
	case decimal.Infinite:
		return Value{}, t.raise(t.types.OverflowError, "cannot convert Infinity to integer")
	case decimal.QuietNaN, decimal.SignalingNaN:
		return Value{}, t.raise(t.types.ValueError, "cannot convert NaN to integer")
	}
	if err := t.decRoom(d.Digits() + max(d.Exp, 0)); err != nil {
		return Value{}, err
	}
	n, ok := c.ToIntegral(d, r, false).Int()
	if !ok {
		return Value{}, t.OutOfMemory(maxWork)
	}
	return bigValue(n), nil
}

// decTexts write a Decimal, and take it apart.
func decTexts() []*Native {
	text := func(name, params string, at int, f func(c *decContext, d *decimal.Decimal) string) *Native {
		return decMethod(name, params, at, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
			if err := t.decRoom(self.Digits()); err != nil {
				return Value{}, err
			}
			return t.newStr(f(c, self))
		})
	}
	return []*Native{
		text("__str__", "self, /", 0, func(c *decContext, d *decimal.Decimal) string { return d.Text(false, c.capitals) }),
		text("__repr__", "self, /", 0, func(c *decContext, d *decimal.Decimal) string { return "Decimal('" + d.Text(false, c.capitals) + "')" }),
		text("to_eng_string", "self, context=None", 1, func(c *decContext, d *decimal.Decimal) string { return d.Text(true, c.capitals) }),
		decMethod("__format__", "self, format_spec, override=None, /", 0, decFormat),
		decMethod("as_tuple", "self, /", 0, decTuple),
		decMethod("__copy__", "self, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) { return a.Pos[0], nil }),
		decMethod("__deepcopy__", "self, memo, /", 0, func(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) { return a.Pos[0], nil }),
		{name: "Decimal.from_float", params: "cls, f, /", call: decFromFloat},
		{name: "Decimal.from_number", params: "cls, number, /", call: decFromNumber},
	}
}

// contextNatives are what the library's contexts are made with.
func contextNatives() []*Native {
	return []*Native{
		{name: "decimal._use", params: "context, /", precise: true, call: func(t *Thread, a *Args) (Value, error) {
			t.decimal = a.Pos[0]
			return none, nil
		}},
		{name: "decimal._current", params: "", precise: true, call: func(t *Thread, a *Args) (Value, error) { return t.decimal, nil }},
		{name: "decimal._create", params: "context, value, /", call: decCreate},
		{name: "decimal._signal", params: "context, condition, /", call: decSignal},
	}
}

func decFormat(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
	spec, ok := t.base(a.Pos[1]).o.(*Str)
	if !ok {
		return Value{}, t.failOf(a.Pos[1], t.types.TypeError, "format arg must be str")
	}
	if self.Form == decimal.Finite {
		if err := t.decRoom(self.Digits() + max(self.Exp, 0)); err != nil && self.Exp > maxWork && wantsAll(spec.s) {
			return Value{}, err
		}
	}
	s, ok := c.Format(self, spec.s, c.capitals)
	if !ok {
		return Value{}, t.raise(t.types.ValueError, "invalid format string")
	}
	if err := t.alloc(int64(len(s))); err != nil {
		return Value{}, err
	}
	return t.newStr(s)
}

// wantsAll reports whether a format writes a number without an exponent.
func wantsAll(spec string) bool {
	return spec != "" && (spec[len(spec)-1]|0x20 == 'f' || spec[len(spec)-1] == '%')
}

// decTuple is as_tuple(): the class of what it returns is the library's.
func decTuple(t *Thread, c *decContext, self *decimal.Decimal, a *Args) (Value, error) {
	m, err := t.Import("decimal")
	if err != nil {
		return Value{}, err
	}
	cls, _ := m.names.str("DecimalTuple")
	sign := intValue(0)
	if self.Neg {
		sign = intValue(1)
	}
	if err := t.decRoom(self.Digits()); err != nil {
		return Value{}, err
	}
	var digits []Value
	if self.Form == decimal.Infinite || !self.IsNaN() || self.Coef().Sign() != 0 {
		text := self.Coef().String()
		if err := t.alloc(int64(len(text)) * valueBytes); err != nil {
			return Value{}, err
		}
		for i := range len(text) {
			digits = append(digits, intValue(int64(text[i]-'0')))
		}
	}
	exp := intValue(self.Exp)
	switch self.Form {
	case decimal.Infinite:
		exp = t.str("F")
	case decimal.QuietNaN:
		exp = t.str("n")
	case decimal.SignalingNaN:
		exp = t.str("N")
	}
	return t.Call(cls, []Value{sign, t.tuple(digits), exp}, nil, nil)
}

func decFromFloat(t *Thread, a *Args) (Value, error) {
	var d *decimal.Decimal
	switch b := t.base(a.Pos[1]); {
	case b.k == kFloat:
		d = decimal.FromFloat(b.float())
	case isInt(b):
		d = decimal.FromInt(toBig(b))
	default:
		return Value{}, t.failOf(a.Pos[1], t.types.TypeError, "argument must be int or float")
	}
	v, err := t.decValue(d)
	return t.construct(a.Pos[0], v), err
}

func decFromNumber(t *Thread, a *Args) (Value, error) {
	d, ok := t.operand(a.Pos[1])
	if !ok {
		b := t.base(a.Pos[1])
		if b.k != kFloat {
			return Value{}, t.failOf(a.Pos[1], t.types.TypeError, "Cannot convert %s to Decimal", t.className(a.Pos[1]))
		}
		d = decimal.FromFloat(b.float())
	}
	v, err := t.decValue(d)
	return t.construct(a.Pos[0], v), err
}

// decCreate is Context.create_decimal: a number, rounded to the context.
func decCreate(t *Thread, a *Args) (Value, error) {
	c, err := t.decContext(a.Pos[0])
	if err != nil {
		return Value{}, err
	}
	d, err := t.decFrom(c, a.Pos[1], false)
	if err != nil {
		return Value{}, err
	}
	c.Status = 0
	r := c.Round(d)
	if d.IsNaN() && r.Coef().Cmp(d.Coef()) != 0 {
		c.Status |= decimal.ConversionSyntax
		r = decimal.Special(decimal.QuietNaN, false, nil)
	}
	if err := t.settle(c); err != nil {
		return Value{}, err
	}
	return t.decValue(r)
}

// decSignal has a context note a condition.
func decSignal(t *Thread, a *Args) (Value, error) {
	c, err := t.decContext(a.Pos[0])
	if err != nil {
		return Value{}, err
	}
	c.Status = decimal.Condition(a.Pos[1].n)
	return none, t.settle(c)
}

// decimalValues puts the class into the module.
func decimalValues(t *Thread, m *Module) {
	m.names.setName(t.intern("Decimal"), classValue(t.types.Decimal))
}
