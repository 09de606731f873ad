package vm

import (
	"errors"
	"math"
	"math/big"
	"math/bits"

	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/plan/pytext"
	"praxis/internal/plan/syntax"
)

// textError turns an error of package pytext into an exception of the program.
func (t *Thread) textError(err error) error {
	var e *pytext.Error
	switch {
	case errors.As(err, &e):
		if d := e.Unicode; d != nil {
			return t.unicodeError(e.Kind, d)
		}
		if e.Kind == pytext.OverflowError && e.Text == rangeError {
			return t.raiseArgs(t.types.OverflowError, intValue(34), t.str("Numerical result out of range"))
		}
		return t.raiseArgs(t.textClass(e.Kind), t.str(e.Text))
	case errors.Is(err, pytext.ErrTooLong):
		return t.OutOfMemory(math.MaxInt32)
	case errors.Is(err, pytext.ErrComplex):
		return fault.New(fault.Invalid, "Use real numbers only.", "complex numbers are not part of the plan language")
	}
	return err
}

// rangeError is how C names a result that is no float; the exception has two arguments.
const rangeError = "(34, 'Numerical result out of range')"

// textErrorAt is textError for an exception that depends on l.
func (t *Thread) textErrorAt(err error, l label.ID) error {
	seen := t.seen
	t.see(l)
	err = t.textError(err)
	t.seen = seen
	return err
}

// unicodeError makes the exception of text that cannot be encoded, or of bytes that cannot be decoded.
func (t *Thread) unicodeError(k pytext.Kind, d *pytext.UnicodeDetail) error {
	object := t.str(d.Object)
	if k == pytext.UnicodeDecodeError {
		object = t.bytes(d.Object)
	}
	return t.raiseArgs(t.textClass(k), t.str(d.Encoding), object, intValue(int64(d.Start)), intValue(int64(d.End)), t.str(d.Reason))
}

func (t *Thread) textClass(k pytext.Kind) *Class {
	switch k {
	case pytext.ValueError:
		return t.types.ValueError
	case pytext.TypeError:
		return t.types.TypeError
	case pytext.OverflowError:
		return t.types.OverflowError
	case pytext.ZeroDivisionError:
		return t.types.ZeroDivisionError
	case pytext.LookupError:
		return t.types.LookupError
	case pytext.UnicodeEncodeError:
		return t.types.UnicodeEncodeError
	case pytext.UnicodeDecodeError:
		return t.types.UnicodeDecodeError
	}
	return t.types.SystemError
}

// intOp is an operator on two ints that fit an int64.
func (t *Thread) intOp(op syntax.Operator, a, b Value) (Value, bool, error) {
	x, y := a.n, b.n
	switch op {
	case syntax.Add:
		if s := x + y; (s > x) == (y > 0) {
			return intValue(s), true, nil
		}
	case syntax.Sub:
		if s := x - y; (s < x) == (y > 0) {
			return intValue(s), true, nil
		}
	case syntax.Mult:
		if p, ok := mul64(x, y); ok {
			return intValue(p), true, nil
		}
	case syntax.Div:
		if y == 0 {
			return Value{}, true, t.divisionByZero(a, b)
		}
		const exact = 1 << 53
		if x >= -exact && x <= exact && y >= -exact && y <= exact {
			return floatValue(float64(x) / float64(y)), true, nil
		}
	case syntax.FloorDiv, syntax.Mod:
		if y == 0 {
			return Value{}, true, t.divisionByZero(a, b)
		}
		if y != -1 || x != math.MinInt64 {
			q, r := floorDiv(x, y)
			if op == syntax.Mod {
				q = r
			}
			return intValue(q), true, nil
		}
	case syntax.Pow:
		return t.intPow(a, b)
	case syntax.LShift:
		if y < 0 {
			return Value{}, true, t.failOn(a, b, t.types.ValueError, "negative shift count")
		}
		if y < 63 && x == x<<y>>y {
			return intValue(x << y), true, nil
		}
	case syntax.RShift:
		if y < 0 {
			return Value{}, true, t.failOn(a, b, t.types.ValueError, "negative shift count")
		}
		return intValue(x >> min(y, 63)), true, nil
	case syntax.BitAnd, syntax.BitOr, syntax.BitXor:
		return bitwise(op, a, b), true, nil
	case syntax.MatMult:
		return Value{}, false, nil
	}
	return t.bigOp(op, a, b)
}

// divisionByZero is the exception of a division by zero.
func (t *Thread) divisionByZero(a, b Value) error {
	return t.failOn(a, b, t.types.ZeroDivisionError, "division by zero")
}

// bitwise is & | ^ on two small ints; of two bools it is a bool.
func bitwise(op syntax.Operator, a, b Value) Value {
	v := Value{k: kInt}
	if a.k == kBool && b.k == kBool {
		v.k = kBool
	}
	switch op {
	case syntax.BitAnd:
		v.n = a.n & b.n
	case syntax.BitOr:
		v.n = a.n | b.n
	default:
		v.n = a.n ^ b.n
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

// big makes an int of a result and accounts for it.
func (t *Thread) big(n *big.Int) (Value, error) {
	if n.IsInt64() {
		return intValue(n.Int64()), nil
	}
	return Value{k: kBig, o: &Big{n}}, t.alloc(int64(n.BitLen())/8 + strBytes)
}

// bigBox is an int and its number in one allocation.
type bigBox struct {
	Big
	n big.Int
}

// boxed makes an int of a result and accounts for it.
func (t *Thread) boxed(b *bigBox) (Value, error) {
	if b.n.IsInt64() {
		return intValue(b.n.Int64()), nil
	}
	b.v = &b.n
	return Value{k: kBig, o: &b.Big}, t.alloc(int64(b.n.BitLen())/8 + strBytes)
}

// size accounts for a result of so many bits, and for the work of making it, before it is made.
func (t *Thread) size(bits, work int64) error {
	if bits > 1<<12 {
		if err := t.alloc(bits / 8); err != nil {
			return err
		}
	}
	return t.step(work / 1024)
}

// bigOp is an operator on two ints of any size.
func (t *Thread) bigOp(op syntax.Operator, a, b Value) (Value, bool, error) {
	x, y := toBig(a), toBig(b)
	lx, ly := int64(x.BitLen()), int64(y.BitLen())
	box := &bigBox{}
	out := &box.n
	switch op {
	case syntax.Add, syntax.Sub, syntax.BitAnd, syntax.BitOr, syntax.BitXor:
		if err := t.size(max(lx, ly), lx+ly); err != nil {
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
		if err := t.size(lx+ly, mulWork(lx, ly)); err != nil {
			return Value{}, true, err
		}
		out.Mul(x, y)
	case syntax.FloorDiv, syntax.Mod:
		if y.Sign() == 0 {
			return Value{}, true, t.divisionByZero(a, b)
		}
		if err := t.size(lx, 4*mulWork(max(lx-ly, 0)+64, ly)); err != nil {
			return Value{}, true, err
		}
		q, r := floorBig(x, y)
		if op == syntax.Mod {
			q = r
		}
		v, err := t.big(q)
		return v, true, err
	case syntax.Div:
		if err := t.step((lx + ly) / 256); err != nil {
			return Value{}, true, err
		}
		f, err := pytext.BigTrueDiv(x, y)
		if err != nil {
			err = t.textErrorAt(err, t.join(a.l, b.l))
		}
		return floatValue(f), true, err
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

// mulWork is about how many bits are touched when numbers of so many bits are multiplied.
func mulWork(a, b int64) int64 {
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
	x, y := toBig(a), toBig(b)
	if y.Sign() < 0 {
		return Value{}, t.failOn(a, b, t.types.ValueError, "negative shift count")
	}
	if op == syntax.RShift {
		if b.k == kBig || b.n > int64(x.BitLen()) {
			if x.Sign() < 0 {
				return intValue(-1), nil
			}
			return intValue(0), nil
		}
		if err := t.size(int64(x.BitLen()), int64(x.BitLen())); err != nil {
			return Value{}, err
		}
		return t.big(new(big.Int).Rsh(x, uint(b.n)))
	}
	if x.Sign() == 0 {
		return intValue(0), nil
	}
	if b.k == kBig {
		return Value{}, t.failOn(a, b, t.types.OverflowError, "too many digits in integer")
	}
	if err := t.size(int64(x.BitLen())+b.n, b.n); err != nil {
		return Value{}, err
	}
	return t.big(new(big.Int).Lsh(x, uint(b.n)))
}

// intPow is a ** b for ints.
func (t *Thread) intPow(a, b Value) (Value, bool, error) {
	x, y := toBig(a), toBig(b)
	if y.Sign() < 0 {
		if x.Sign() == 0 {
			return Value{}, true, t.failOn(a, b, t.types.ZeroDivisionError, "zero to a negative power")
		}
		return t.floatOp(syntax.Pow, a, b)
	}
	if x.IsInt64() && a.k != kBig {
		switch {
		case a.n == 1, y.Sign() == 0:
			return intValue(1), true, nil
		case a.n == 0:
			return intValue(0), true, nil
		case a.n == -1:
			return intValue(1 - 2*int64(y.Bit(0))), true, nil
		}
	}
	if b.k == kBig {
		return Value{}, true, t.OutOfMemory(math.MaxInt64)
	}
	if a.k != kBig && b.n < 64 {
		if v, ok := pow64(a.n, b.n); ok {
			return intValue(v), true, nil
		}
	}
	bits := int64(x.BitLen())
	if hi, lo := mulHi(bits, b.n); hi || lo > 1<<40 {
		return Value{}, true, t.OutOfMemory(math.MaxInt64 / 8)
	}
	bits *= b.n
	if err := t.size(bits, mulWork(bits/2, bits/2)*2); err != nil {
		return Value{}, true, err
	}
	if a.k != kBig && a.n == 2 {
		v, err := t.big(new(big.Int).Lsh(big.NewInt(1), uint(b.n)))
		return v, true, err
	}
	v, err := t.big(new(big.Int).Exp(x, y, nil))
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

// powMod is pow(a, b, m) for ints.
func (t *Thread) powMod(a, b, m Value) (Value, error) {
	x, y, z := toBig(a), toBig(b), toBig(m)
	l := t.join(t.join(a.l, b.l), m.l)
	if z.Sign() == 0 {
		return Value{}, t.failAt(l, t.types.ValueError, "pow() 3rd argument cannot be 0")
	}
	work := mulWork(int64(z.BitLen()), int64(z.BitLen()))
	if n := int64(y.BitLen()) + 1; work < math.MaxInt64/8/n {
		work *= n
	}
	if err := t.size(int64(z.BitLen()), work); err != nil {
		return Value{}, err
	}
	mod := new(big.Int).Abs(z)
	base := new(big.Int).Mod(x, mod)
	if y.Sign() < 0 {
		if base.ModInverse(base, mod) == nil {
			return Value{}, t.failAt(l, t.types.ValueError, "base is not invertible for the given modulus")
		}
		y = new(big.Int).Neg(y)
	}
	out := new(big.Int).Exp(base, y, mod)
	if mod.IsInt64() && mod.Int64() == 1 {
		out.SetInt64(0)
	}
	if z.Sign() < 0 && out.Sign() > 0 {
		out.Add(out, z)
	}
	v, err := t.big(out)
	return v.with(l), err
}

// unaryCore is a unary operator on a value of a built-in class.
func (t *Thread) unaryCore(op syntax.UnaryOperator, v Value) (Value, bool, error) {
	switch v.k {
	case kInt, kBool:
		switch op {
		case syntax.UAdd:
			return intValue(v.n), true, nil
		case syntax.Invert:
			return intValue(^v.n), true, nil
		}
		if v.n != math.MinInt64 {
			return intValue(-v.n), true, nil
		}
		return bigValue(new(big.Int).Neg(toBig(v))), true, nil
	case kBig:
		n := v.o.(*Big).v
		if err := t.size(int64(n.BitLen()), int64(n.BitLen())); err != nil {
			return Value{}, true, err
		}
		switch op {
		case syntax.UAdd:
			return v, true, nil
		case syntax.Invert:
			n = new(big.Int).Not(n)
		default:
			n = new(big.Int).Neg(n)
		}
		r, err := t.big(n)
		return r, true, err
	case kFloat:
		switch op {
		case syntax.UAdd:
			return v, true, nil
		case syntax.USub:
			return floatValue(-v.float()), true, nil
		}
	}
	return Value{}, false, nil
}

// toFloat returns a number as a float; ints must fit.
func (t *Thread) toFloat(v Value) (float64, error) {
	switch v.k {
	case kFloat:
		return v.float(), nil
	case kBig:
		f, err := pytext.BigToFloat(v.o.(*Big).v)
		if err != nil {
			return 0, t.failOf(v, t.types.OverflowError, "int too large to convert to float")
		}
		return f, nil
	}
	return float64(v.n), nil
}

// floatOp is an operator on two numbers of which one is a float.
func (t *Thread) floatOp(op syntax.Operator, a, b Value) (Value, bool, error) {
	x, err := t.toFloat(a)
	if err != nil {
		return Value{}, true, err
	}
	y, err := t.toFloat(b)
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
		err = t.textErrorAt(err, t.join(a.l, b.l))
	}
	return floatValue(f), true, err
}
