package value

import (
	"errors"
	"math"
	"math/big"
	"math/bits"

	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/syntax"
)

// TextError turns an error of package pytext into an exception of the program.
func (t *Thread) TextError(err error) error {
	var e *pytext.Error
	switch {
	case errors.As(err, &e):
		if e.Kind == pytext.OverflowError && e.Text == rangeError {
			return t.RaiseArgs(t.Types.OverflowError, Int(34), t.Str("Numerical result out of range"))
		}
		return t.RaiseArgs(t.Types.All[e.Kind.String()], t.Str(e.Text))
	case errors.Is(err, pytext.ErrTooLong):
		return t.OutOfMemory(math.MaxInt32)
	case errors.Is(err, pytext.ErrComplex):
		return fault.New(fault.Invalid, "Use real numbers only.", "complex numbers are not part of the plan language")
	}
	return err
}

// rangeError is how C names a result that is no float; the exception has two arguments.
const rangeError = "(34, 'Numerical result out of range')"

// TextErrorAt is TextError for an exception that depends on l.
func (t *Thread) TextErrorAt(err error, l label.ID) error {
	seen := t.Seen
	t.See(l)
	err = t.TextError(err)
	t.Seen = seen
	return err
}

// intOp is an operator on two ints that fit an int64.
func (t *Thread) intOp(op syntax.Operator, a, b Value) (Value, bool, error) {
	x, y := a.N, b.N
	switch op {
	case syntax.Add:
		if s := x + y; (s > x) == (y > 0) {
			return Int(s), true, nil
		}
	case syntax.Sub:
		if s := x - y; (s < x) == (y > 0) {
			return Int(s), true, nil
		}
	case syntax.Mult:
		if p, ok := mul64(x, y); ok {
			return Int(p), true, nil
		}
	case syntax.Div:
		const exact = 1 << 53
		if y != 0 && x >= -exact && x <= exact && y >= -exact && y <= exact {
			return Float(float64(x) / float64(y)), true, nil
		}
	case syntax.FloorDiv, syntax.Mod:
		if y != 0 && (y != -1 || x != math.MinInt64) {
			q, r := floorDiv(x, y)
			if op == syntax.Mod {
				q = r
			}
			return Int(q), true, nil
		}
	case syntax.LShift:
		if y >= 0 && y < 63 && x == x<<y>>y {
			return Int(x << y), true, nil
		}
	case syntax.RShift:
		if y >= 0 {
			return Int(x >> min(y, 63)), true, nil
		}
	case syntax.BitAnd, syntax.BitOr, syntax.BitXor:
		return bitwise(op, a, b), true, nil
	}
	return t.bigOp(op, a, b)
}

// bitwise is & | ^ on two small ints; of two bools it is a bool.
func bitwise(op syntax.Operator, a, b Value) Value {
	v := Value{Kind: KInt}
	if a.Kind == KBool && b.Kind == KBool {
		v.Kind = KBool
	}
	switch op {
	case syntax.BitAnd:
		v.N = a.N & b.N
	case syntax.BitOr:
		v.N = a.N | b.N
	default:
		v.N = a.N ^ b.N
	}
	return v
}

// mul64 multiplies, unless the product does not fit.
func mul64(x, y int64) (int64, bool) {
	const half = 1 << 31
	if x > -half && x < half && y > -half && y < half {
		return x * y, true
	}
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	if x < 0 {
		hi -= uint64(y)
	}
	if y < 0 {
		hi -= uint64(x)
	}
	return int64(lo), hi == 0 && int64(lo) >= 0 || hi == math.MaxUint64 && int64(lo) < 0
}

// floorDiv is Python's // and %; y is neither 0 nor, with the least x, -1.
func floorDiv(x, y int64) (q, r int64) {
	q, r = x/y, x%y
	if r != 0 && (r < 0) != (y < 0) {
		q--
		r += y
	}
	return q, r
}

// Big makes an int of a result and accounts for it.
func (t *Thread) Big(n *big.Int) (Value, error) {
	if n.IsInt64() {
		return Int(n.Int64()), nil
	}
	return Value{Kind: KBig, Obj: &Big{n}}, t.Alloc(int64(n.BitLen())/8 + StrBytes)
}

// bigBox is an int and its number in one allocation.
type bigBox struct {
	Big
	n big.Int
}

// boxed makes an int of a result and accounts for it.
func (t *Thread) boxed(b *bigBox) (Value, error) {
	if b.n.IsInt64() {
		return Int(b.n.Int64()), nil
	}
	b.Int = &b.n
	return Value{Kind: KBig, Obj: &b.Big}, t.Alloc(int64(b.n.BitLen())/8 + StrBytes)
}

// Size accounts for a result of so many bits, and for the work of making it, before it is made.
func (t *Thread) Size(bits, work int64) error {
	if bits > 1<<12 {
		if err := t.Alloc(bits / 8); err != nil {
			return err
		}
	}
	return t.Step(work / 1024)
}

// bigOp is an operator on two ints of any size.
func (t *Thread) bigOp(op syntax.Operator, a, b Value) (Value, bool, error) {
	x, y := ToBig(a), ToBig(b)
	lx, ly := int64(x.BitLen()), int64(y.BitLen())
	box := &bigBox{}
	out := &box.n
	switch op {
	case syntax.Add, syntax.Sub, syntax.BitAnd, syntax.BitOr, syntax.BitXor:
		if err := t.Size(max(lx, ly), lx+ly); err != nil {
			return Value{}, true, err
		}
		switch op {
		case syntax.Add:
			out.Add(x, y)
		case syntax.Sub:
			out.Sub(x, y)
		case syntax.BitAnd:
			out.And(x, y)
		case syntax.BitOr:
			out.Or(x, y)
		case syntax.BitXor:
			out.Xor(x, y)
		}
	case syntax.Mult:
		if err := t.Size(lx+ly, MulWork(lx, ly)); err != nil {
			return Value{}, true, err
		}
		out.Mul(x, y)
	case syntax.FloorDiv, syntax.Mod:
		if y.Sign() == 0 {
			return Value{}, true, t.FailOn(a, b, t.Types.ZeroDivisionError, "division by zero")
		}
		if err := t.Size(lx, 4*MulWork(max(lx-ly, 0)+64, ly)); err != nil {
			return Value{}, true, err
		}
		q, r := floorBig(x, y)
		if op == syntax.Mod {
			q = r
		}
		v, err := t.Big(q)
		return v, true, err
	case syntax.Div:
		if err := t.Step((lx + ly) / 256); err != nil {
			return Value{}, true, err
		}
		f, err := pytext.BigTrueDiv(x, y)
		if err != nil {
			err = t.TextErrorAt(err, t.Join(a.Label, b.Label))
		}
		return Float(f), true, err
	case syntax.Pow:
		return t.intPow(a, b)
	case syntax.LShift, syntax.RShift:
		v, err := t.shift(op, a, b)
		return v, true, err
	default:
		return Value{}, false, nil
	}
	v, err := t.boxed(box)
	return v, true, err
}

// MulWork is about how many bits are touched when numbers of so many bits are multiplied.
func MulWork(a, b int64) int64 {
	a, b = a/64+1, b/64+1
	if a > 1<<30 || b > 1<<30 {
		return math.MaxInt64 / 4
	}
	w := a * b
	if s := min(a, b); s > 64 { // Karatsuba
		w = int64(float64(max(a, b)) * math.Pow(float64(s), 0.585) * 4)
	}
	return w * 64
}

// GCDWork is about what the greatest common divisor, or the inverse, of numbers
// of so many bits takes: the square of their length.
func GCDWork(bits int64) int64 {
	words := bits/64 + 1
	if words > 1<<26 {
		return math.MaxInt64 / 4
	}
	return words * words * 1024
}

func floorBig(x, y *big.Int) (q, r *big.Int) {
	q, r = new(big.Int).QuoRem(x, y, new(big.Int))
	if r.Sign() != 0 && (r.Sign() < 0) != (y.Sign() < 0) {
		q.Sub(q, big.NewInt(1))
		r.Add(r, y)
	}
	return q, r
}

// shift is << or >> for any ints.
func (t *Thread) shift(op syntax.Operator, a, b Value) (Value, error) {
	x, y := ToBig(a), ToBig(b)
	if y.Sign() < 0 {
		return Value{}, t.FailOn(a, b, t.Types.ValueError, "negative shift count")
	}
	if op == syntax.RShift {
		if b.Kind == KBig || b.N > int64(x.BitLen()) {
			if x.Sign() < 0 {
				return Int(-1), nil
			}
			return Int(0), nil
		}
		if err := t.Size(int64(x.BitLen()), int64(x.BitLen())); err != nil {
			return Value{}, err
		}
		return t.Big(new(big.Int).Rsh(x, uint(b.N)))
	}
	if x.Sign() == 0 {
		return Int(0), nil
	}
	if b.Kind == KBig {
		return Value{}, t.FailOn(a, b, t.Types.OverflowError, "too many digits in integer")
	}
	if err := t.Size(int64(x.BitLen())+b.N, b.N); err != nil {
		return Value{}, err
	}
	return t.Big(new(big.Int).Lsh(x, uint(b.N)))
}

// intPow is a ** b for ints.
func (t *Thread) intPow(a, b Value) (Value, bool, error) {
	x, y := ToBig(a), ToBig(b)
	if y.Sign() < 0 {
		if x.Sign() == 0 {
			return Value{}, true, t.FailOn(a, b, t.Types.ZeroDivisionError, "zero to a negative power")
		}
		return t.floatOp(syntax.Pow, a, b)
	}
	if x.IsInt64() && a.Kind != KBig {
		switch {
		case a.N == 1, y.Sign() == 0:
			return Int(1), true, nil
		case a.N == 0:
			return Int(0), true, nil
		case a.N == -1:
			return Int(1 - 2*int64(y.Bit(0))), true, nil
		}
	}
	if b.Kind == KBig {
		return Value{}, true, t.OutOfMemory(math.MaxInt64)
	}
	if a.Kind != KBig && b.N < 64 {
		if v, ok := pow64(a.N, b.N); ok {
			return Int(v), true, nil
		}
	}
	bits := int64(x.BitLen())
	if hi, lo := mulHi(bits, b.N); hi || lo > 1<<40 {
		return Value{}, true, t.OutOfMemory(math.MaxInt64 / 8)
	}
	bits *= b.N
	if err := t.Size(bits, MulWork(bits/2, bits/2)*2); err != nil {
		return Value{}, true, err
	}
	v, err := t.Big(new(big.Int).Exp(x, y, nil))
	return v, true, err
}

func mulHi(x, y int64) (over bool, lo int64) {
	hi, l := bits.Mul64(uint64(x), uint64(y))
	return hi != 0 || l > math.MaxInt64, int64(l)
}

func pow64(x, n int64) (int64, bool) {
	out, ok := int64(1), true
	for {
		if n&1 != 0 {
			if out, ok = mul64(out, x); !ok {
				return 0, false
			}
		}
		if n >>= 1; n == 0 {
			return out, true
		}
		if x, ok = mul64(x, x); !ok {
			return 0, false
		}
	}
}

// PowMod is pow(a, b, m) for ints.
func (t *Thread) PowMod(a, b, m Value) (Value, error) {
	x, y, z := ToBig(a), ToBig(b), ToBig(m)
	l := t.Join(t.Join(a.Label, b.Label), m.Label)
	if z.Sign() == 0 {
		return Value{}, t.FailAt(l, t.Types.ValueError, "pow() 3rd argument cannot be 0")
	}
	// Each bit of the exponent takes a multiplication modulo z, by the school's method.
	work := GCDWork(int64(z.BitLen())) / 4
	if n := int64(y.BitLen()) + 8; work < math.MaxInt64/8/n {
		work *= n
	}
	if err := t.Size(int64(z.BitLen()), work); err != nil {
		return Value{}, err
	}
	mod := new(big.Int).Abs(z)
	base := new(big.Int).Mod(x, mod)
	if y.Sign() < 0 {
		if base.ModInverse(base, mod) == nil {
			return Value{}, t.FailAt(l, t.Types.ValueError, "base is not invertible for the given modulus")
		}
		y = new(big.Int).Neg(y)
	}
	out := new(big.Int).Exp(base, y, mod)
	if z.Sign() < 0 && out.Sign() > 0 {
		out.Add(out, z)
	}
	v, err := t.Big(out)
	return v.With(l), err
}

// unaryCore is a unary operator on a value of a built-in class.
func (t *Thread) unaryCore(op syntax.UnaryOperator, v Value) (Value, bool, error) {
	switch v.Kind {
	case KInt, KBool, KBig:
		switch {
		case op == syntax.UAdd:
			return PlainInt(v), true, nil
		case v.Kind == KBig:
		case op == syntax.Invert:
			return Int(^v.N), true, nil
		case v.N != math.MinInt64:
			return Int(-v.N), true, nil
		}
		n := ToBig(v)
		if err := t.Size(int64(n.BitLen()), int64(n.BitLen())); err != nil {
			return Value{}, true, err
		}
		out := new(big.Int)
		if op == syntax.Invert {
			out.Not(n)
		} else {
			out.Neg(n)
		}
		r, err := t.Big(out)
		return r, true, err
	case KFloat:
		switch op {
		case syntax.UAdd:
			return v, true, nil
		case syntax.USub:
			return Float(-v.Float()), true, nil
		}
	}
	return Value{}, false, nil
}

// ToFloat returns a number as a float; ints must fit.
func (t *Thread) ToFloat(v Value) (float64, error) {
	switch v.Kind {
	case KFloat:
		return v.Float(), nil
	case KBig:
		f, err := pytext.BigToFloat(v.Obj.(*Big).Int)
		if err != nil {
			return 0, t.FailOf(v, t.Types.OverflowError, "int too large to convert to float")
		}
		return f, nil
	}
	return float64(v.N), nil
}

// floatOp is an operator on two numbers of which one is a float.
func (t *Thread) floatOp(op syntax.Operator, a, b Value) (Value, bool, error) {
	x, err := t.ToFloat(a)
	if err != nil {
		return Value{}, true, err
	}
	y, err := t.ToFloat(b)
	if err != nil {
		return Value{}, true, err
	}
	f := 0.0
	switch op {
	case syntax.Add:
		f = x + y
	case syntax.Sub:
		f = x - y
	case syntax.Mult:
		f = x * y
	case syntax.Div:
		f, err = pytext.FloatDiv(x, y)
	case syntax.FloorDiv:
		f, _, err = pytext.FloatDivMod(x, y)
	case syntax.Mod:
		f, err = pytext.FloatMod(x, y)
	case syntax.Pow:
		f, err = pytext.FloatPow(x, y)
	default:
		return Value{}, false, nil
	}
	if err != nil {
		err = t.TextErrorAt(err, t.Join(a.Label, b.Label))
	}
	return Float(f), true, err
}

// Real returns an argument that has to be a real number, and sees it.
func (t *Thread) Real(v Value) (float64, error) {
	t.See(v.Label)
	switch v.Kind {
	case KFloat:
		return v.Float(), nil
	case KInt, KBool, KBig:
		return t.ToFloat(v)
	case KObject, KSpecial:
		if f, ok, err := t.OwnAs(v, "__float__", KFloat, t.ClassName(v)+".__float__() must return a float, not %s"); ok {
			return f.Float(), err
		}
		if p, ok := t.Payload(v, KFloat); ok {
			return p.Float(), nil
		}
		if t.IsIndex(v) {
			n, err := t.Index(v)
			if err != nil {
				return 0, err
			}
			return t.ToFloat(n)
		}
	}
	return 0, t.Raise(t.Types.TypeError, "must be real number, not %s", t.ClassName(v))
}

// PlainInt returns an int that is no bool, without its label.
func PlainInt(v Value) Value {
	if v.Kind == KBool {
		v.Kind = KInt
	}
	v.Label = 0
	return v
}

// IntResult makes a value of what pytext returns for an int.
func (t *Thread) IntResult(small int64, large *big.Int, err error) (Value, error) {
	if err != nil {
		return Value{}, t.TextError(err)
	}
	if large != nil {
		return t.Big(large)
	}
	return Int(small), nil
}

// Abs is abs(v).
func (t *Thread) Abs(v Value) (Value, error) {
	t.See(v.Label)
	if r, ok, err := t.Own(v, "__abs__"); ok {
		return r, err
	}
	switch b := t.Base(v); {
	case b.Kind == KFloat:
		return Float(math.Abs(b.Float())), nil
	case IsInt(b):
		op := syntax.UAdd
		if ToBig(b).Sign() < 0 {
			op = syntax.USub
		}
		r, _, err := t.unaryCore(op, b)
		return PlainInt(r), err
	}
	return Value{}, t.Raise(t.Types.TypeError, "bad operand type for abs(): '%s'", t.ClassName(v))
}
