package vm

import (
	"math"
	"math/big"
	"math/bits"

	"praxis/internal/plan/pytext"
	"praxis/internal/plan/syntax"
)

const numberDunders = "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __floordiv__ __rfloordiv__ " +
	"__mod__ __rmod__ __pow__ __rpow__ __neg__ __pos__ __abs__ __bool__ __int__ __float__ __hash__ __repr__ __trunc__ " +
	"__floor__ __ceil__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ "

// intNatives are the methods of ints and bools.
func intNatives() []*Native {
	m := func(name, params string, f nativeFunc) *Native { return meth(kInt, "int."+name, params, f) }
	out := []*Native{
		{name: "int.__new__", params: "", call: intNew},
		{name: "bool.__new__", params: "", call: boolNew},
		m("bit_length", "self, /", func(t *Thread, a *Args) (Value, error) {
			return intValue(int64(toBig(a.Pos[0]).BitLen())), nil
		}),
		m("bit_count", "self, /", intBitCount),
		m("as_integer_ratio", "self, /", func(t *Thread, a *Args) (Value, error) {
			return t.tuple([]Value{plainInt(a.Pos[0]), intValue(1)}), nil
		}),
		m("is_integer", "self, /", func(t *Thread, a *Args) (Value, error) { return boolValue(true), nil }),
		m("conjugate", "self, /", func(t *Thread, a *Args) (Value, error) { return plainInt(a.Pos[0]), nil }),
		m("to_bytes", "self, length=1, byteorder='big', *, signed=False", intToBytes),
		m("__round__", "self, ndigits=None, /", intRound),
		m("__format__", "self, format_spec, /", formatMethod),
		m("__divmod__", "self, value, /", intDivmod),
		m("__rdivmod__", "self, value, /", func(t *Thread, a *Args) (Value, error) {
			if t.base(a.Pos[1]).k == kFloat {
				return notImplemented, nil
			}
			return t.divmod(a.Pos[1], a.Pos[0])
		}),
		{name: "int.from_bytes", params: "cls, bytes, byteorder='big', *, signed=False", call: intFromBytes, drains: []int{1}},
	}
	out = append(out, dunders(kInt, "int", numberDunders+"__index__ __lshift__ __rlshift__ __rshift__ __rrshift__ __and__ __rand__ __or__ __ror__ __xor__ __rxor__ __invert__")...)
	return append(out, dunders(kInt, "bool", "__repr__ __and__ __rand__ __or__ __ror__ __xor__ __rxor__")...)
}

// plainInt returns an int that is no bool, without its label.
func plainInt(v Value) Value {
	if v.k == kBool {
		v.k = kInt
	}
	v.l = 0
	return v
}

func boolNew(t *Thread, a *Args) (Value, error) {
	if len(a.Named) > 0 {
		return Value{}, t.raise(t.types.TypeError, "bool() takes no keyword arguments")
	}
	switch len(a.Pos) {
	case 1:
		return boolValue(false), nil
	case 2:
		ok, err := t.truth(a.Pos[1])
		return boolValue(ok), err
	}
	return Value{}, t.arity("bool", len(a.Pos)-1, 0, 1)
}

func intNew(t *Thread, a *Args) (Value, error) {
	args := a.Pos[1:]
	if len(args) > 2 || len(args)+len(a.Named) > 2 {
		return Value{}, t.arity("int", len(args)+len(a.Named), 0, 2)
	}
	var base Value
	if len(args) == 2 {
		base = args[1]
	}
	for i, name := range a.Names {
		if name != "base" || base.k != kUnset {
			return Value{}, t.raise(t.types.TypeError, "int() got an unexpected keyword argument '%s'", name)
		}
		base = a.Named[i]
	}
	var v Value
	var err error
	switch {
	case len(args) == 0 && base.k != kUnset:
		return Value{}, t.raise(t.types.TypeError, "int() missing string argument")
	case len(args) == 0:
		v = intValue(0)
	case base.k != kUnset:
		v, err = t.intBase(args[0], base)
	default:
		v, err = t.intOf(args[0])
	}
	if err != nil {
		return Value{}, err
	}
	return t.construct(a.Pos[0], v), nil
}

// intOf is int(v), without v's label.
func (t *Thread) intOf(v Value) (Value, error) {
	t.see(v.l)
	if v.k == kObject || v.k == kSpecial {
		for _, name := range [...]string{"__int__", "__index__", "__trunc__"} {
			if _, ok := t.override(v, name); !ok {
				continue
			}
			r, _, err := t.callSpecial(v, name)
			if err != nil {
				return Value{}, err
			}
			t.see(r.l)
			n, ok := t.payload(r, kInt)
			if !ok {
				return Value{}, t.raise(t.types.TypeError, "%s returned non-int (type %s)", name, t.className(r))
			}
			return plainInt(n), nil
		}
	}
	switch b := t.base(v); b.k {
	case kInt, kBool, kBig:
		return plainInt(b), nil
	case kFloat:
		return t.intResult(pytext.FloatToInt(b.float()))
	case kStr:
		return t.parseInt(b, 10)
	case kBytes:
		return t.parseInt(b, 10)
	}
	return Value{}, t.raise(t.types.TypeError, "int() argument must be a string, a bytes-like object or a real number, not '%s'", t.className(v))
}

// intResult makes a value of what pytext returns for an int.
func (t *Thread) intResult(small int64, large *big.Int, err error) (Value, error) {
	if err != nil {
		return Value{}, t.textError(err)
	}
	if large != nil {
		return t.big(large)
	}
	return intValue(small), nil
}

// intBase is int(v, base).
func (t *Thread) intBase(v, base Value) (Value, error) {
	t.see(v.l)
	n, err := t.index(base)
	if err != nil {
		return Value{}, err
	}
	if n.k == kBig || n.n != 0 && (n.n < 2 || n.n > 36) {
		return Value{}, t.raise(t.types.ValueError, "int() base must be >= 2 and <= 36, or 0")
	}
	b := t.base(v)
	if b.k != kStr && b.k != kBytes {
		return Value{}, t.raise(t.types.TypeError, "int() can't convert non-string with explicit base")
	}
	return t.parseInt(b, int(n.n))
}

// parseInt reads an int from a string or a bytes object.
func (t *Thread) parseInt(v Value, base int) (Value, error) {
	if n := int64(textLen(v)); n > 64 { // bases that are no power of two are bounded by the digits that are read
		if err := t.size(n*6, n*64); err != nil {
			return Value{}, err
		}
	}
	if v.k == kBytes {
		return t.intResult(pytext.ParseIntBytes([]byte(v.o.(*Bytes).b), base))
	}
	return t.intResult(pytext.ParseInt(v.o.(*Str).s, base))
}

func intBitCount(t *Thread, a *Args) (Value, error) {
	n := 0
	for _, w := range toBig(a.Pos[0]).Bits() {
		n += bits.OnesCount(uint(w))
	}
	return intValue(int64(n)), nil
}

// byteOrder returns whether an argument says "little".
func (t *Thread) byteOrder(method string, v Value) (bool, error) {
	if v.k == kUnset {
		return false, nil
	}
	t.see(v.l)
	s, ok := t.payload(v, kStr)
	if !ok {
		return false, t.raise(t.types.TypeError, "%s() argument 'byteorder' must be str, not %s", method, t.argName(v))
	}
	switch s.o.(*Str).s {
	case "big":
		return false, nil
	case "little":
		return true, nil
	}
	return false, t.raise(t.types.ValueError, "byteorder must be either 'little' or 'big'")
}

// flag returns an optional argument's truth.
func (t *Thread) flag(v Value) (bool, error) {
	if v.k == kUnset {
		return false, nil
	}
	return t.truth(v)
}

func intToBytes(t *Thread, a *Args) (Value, error) {
	size := int64(1)
	var err error
	if a.Pos[1].k != kUnset {
		if size, err = t.intArg(a.Pos[1]); err != nil {
			return Value{}, err
		}
	}
	little, err := t.byteOrder("to_bytes", a.Pos[2])
	if err != nil {
		return Value{}, err
	}
	signed, err := t.flag(a.Pos[3])
	if err != nil {
		return Value{}, err
	}
	n := toBig(a.Pos[0])
	switch {
	case size < 0:
		return Value{}, t.raise(t.types.ValueError, "length argument must be non-negative")
	case n.Sign() < 0 && !signed:
		return Value{}, t.raise(t.types.OverflowError, "can't convert negative int to unsigned")
	}
	need := int64(n.BitLen())
	if signed {
		if need++; n.Sign() < 0 { // -128 fits eight bits
			need = int64(new(big.Int).Not(n).BitLen()) + 1
		}
	}
	if size < math.MaxInt64/8 && need > size*8 && n.Sign() != 0 {
		return Value{}, t.raise(t.types.OverflowError, "int too big to convert")
	}
	if err := t.alloc(size); err != nil {
		return Value{}, err
	}
	if err := t.step(size / 256); err != nil {
		return Value{}, err
	}
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(size)*8))
	}
	out := n.FillBytes(make([]byte, size))
	if little {
		reverseBytes(out)
	}
	return t.bytes(string(out)), nil
}

func reverseBytes(b []byte) {
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
}

func intFromBytes(t *Thread, a *Args) (Value, error) {
	little, err := t.byteOrder("from_bytes", a.Pos[2])
	if err != nil {
		return Value{}, err
	}
	signed, err := t.flag(a.Pos[3])
	if err != nil {
		return Value{}, err
	}
	b := t.base(a.Pos[1])
	if ok, _ := t.iterable(b, ""); !ok || b.k == kStr {
		return Value{}, t.failOf(b, t.types.TypeError, "cannot convert '%s' object to bytes", t.className(b))
	}
	raw, err := t.bytesOf(a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	buf := []byte(raw)
	if little {
		reverseBytes(buf)
	}
	n := new(big.Int).SetBytes(buf)
	if signed && len(buf) > 0 && buf[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(len(buf))*8))
	}
	v, err := t.big(n)
	if c := a.Pos[0].o.(*Class); err == nil && c != t.types.Int {
		return t.Call(a.Pos[0], []Value{v}, nil, nil)
	}
	return v, err
}

func intRound(t *Thread, a *Args) (Value, error) {
	v := plainInt(a.Pos[0])
	if !given(a.Pos[1]) {
		return v, nil
	}
	n, err := t.index(a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	places := toBig(n)
	if places.Sign() >= 0 {
		return v, nil
	}
	if !places.IsInt64() || places.Int64() < -int64(toBig(v).BitLen())-8 {
		return intValue(0), nil
	}
	return t.big(pytext.RoundInt(toBig(v), -places.Int64()))
}

func formatMethod(t *Thread, a *Args) (Value, error) {
	spec, ok := t.payload(a.Pos[1], kStr)
	if !ok {
		return Value{}, t.raise(t.types.TypeError, "__format__() argument must be str, not %s", t.argName(a.Pos[1]))
	}
	s, err := t.format(a.Pos[0], spec.o.(*Str).s)
	if err != nil {
		return Value{}, err
	}
	return t.newStr(s)
}

func intDivmod(t *Thread, a *Args) (Value, error) {
	if isInt(a.Pos[0]) && t.base(a.Pos[1]).k == kFloat {
		return notImplemented, nil
	}
	return t.divmod(a.Pos[0], a.Pos[1])
}

// divmod is divmod(a, b) for numbers; NotImplemented for anything else.
func (t *Thread) divmod(a, b Value) (Value, error) {
	x, y := t.base(a), t.base(b)
	if !isInt(x) && x.k != kFloat || !isInt(y) && y.k != kFloat {
		return notImplemented, nil
	}
	q, _, err := t.binaryCore(syntax.FloorDiv, x, y)
	if err != nil {
		return Value{}, err
	}
	r, _, err := t.binaryCore(syntax.Mod, x, y)
	return t.tuple([]Value{q, r}).with(t.join(a.l, b.l)), err
}

// abs is abs(v).
func (t *Thread) abs(v Value) (Value, error) {
	t.see(v.l)
	switch v.k {
	case kInt, kBool:
		if v.n == math.MinInt64 {
			return bigValue(new(big.Int).Abs(big.NewInt(v.n))), nil
		}
		return intValue(max(v.n, -v.n)), nil
	case kBig:
		return t.big(new(big.Int).Abs(v.o.(*Big).v))
	case kFloat:
		return floatValue(math.Abs(v.float())), nil
	case kObject, kSpecial:
		if _, ok := t.override(v, "__abs__"); ok {
			r, _, err := t.callSpecial(v, "__abs__")
			return r, err
		}
		if b := t.base(v); b.k != v.k {
			return t.abs(b)
		}
	}
	return Value{}, t.raise(t.types.TypeError, "bad operand type for abs(): '%s'", t.className(v))
}

// toInt is one of the methods that make an int of a number.
func (t *Thread) toInt(name string, v Value) (Value, error) {
	t.see(v.l)
	if v.k != kFloat {
		return plainInt(v), nil
	}
	f := v.float()
	switch name {
	case "__floor__":
		f = math.Floor(f)
	case "__ceil__":
		f = math.Ceil(f)
	}
	return t.intResult(pytext.FloatToInt(f))
}

// floatNatives are the methods of floats.
func floatNatives() []*Native {
	m := func(name, params string, f nativeFunc) *Native { return meth(kFloat, "float."+name, params, f) }
	return append([]*Native{
		{name: "float.__new__", params: "", call: floatNew},
		{name: "float.fromhex", params: "cls, string, /", call: floatFromHex},
		{name: "float.from_number", params: "cls, number, /", call: floatFromNumber},
		m("is_integer", "self, /", func(t *Thread, a *Args) (Value, error) {
			f := a.Pos[0].float()
			return boolValue(f == math.Trunc(f) && !math.IsInf(f, 0)), nil
		}),
		m("as_integer_ratio", "self, /", floatRatio),
		m("hex", "self, /", func(t *Thread, a *Args) (Value, error) {
			return t.str(string(pytext.AppendFloatHex(nil, a.Pos[0].float()))), nil
		}),
		m("conjugate", "self, /", func(t *Thread, a *Args) (Value, error) { return a.Pos[0], nil }),
		m("__round__", "self, ndigits=None, /", floatRound),
		m("__format__", "self, format_spec, /", formatMethod),
		m("__divmod__", "self, value, /", intDivmod),
		m("__rdivmod__", "self, value, /", func(t *Thread, a *Args) (Value, error) {
			return t.divmod(a.Pos[1], a.Pos[0])
		}),
	}, dunders(kFloat, "float", numberDunders)...)
}

func floatNew(t *Thread, a *Args) (Value, error) {
	if len(a.Named) > 0 {
		return Value{}, t.raise(t.types.TypeError, "float() takes no keyword arguments")
	}
	f := 0.0
	switch len(a.Pos) {
	case 1:
	case 2:
		var err error
		if f, err = t.floatOf(a.Pos[1]); err != nil {
			return Value{}, err
		}
	default:
		return Value{}, t.arity("float", len(a.Pos)-1, 0, 1)
	}
	return t.construct(a.Pos[0], floatValue(f)), nil
}

// floatOf is float(v); it sees v.
func (t *Thread) floatOf(v Value) (float64, error) {
	t.see(v.l)
	if _, ok := t.override(v, "__float__"); !ok {
		var f float64
		var err error
		switch b := t.base(v); b.k {
		case kStr:
			if err := t.step(int64(textLen(b)) / 64); err != nil {
				return 0, err
			}
			f, err = pytext.ParseFloat(b.o.(*Str).s)
		case kBytes:
			f, err = pytext.ParseFloatBytes([]byte(b.o.(*Bytes).b))
		default:
			if b.k != kFloat && !isInt(b) && !t.isIndex(v) {
				return 0, t.raise(t.types.TypeError, "float() argument must be a string or a real number, not '%s'", t.className(v))
			}
			return t.realArg(v)
		}
		if err != nil {
			err = t.textError(err)
		}
		return f, err
	}
	return t.realArg(v)
}

func floatFromHex(t *Thread, a *Args) (Value, error) {
	s, ok := t.payload(a.Pos[1], kStr)
	if !ok {
		return Value{}, t.raise(t.types.TypeError, "bad argument type for built-in operation")
	}
	t.see(s.l)
	f, err := pytext.ParseFloatHex(s.o.(*Str).s)
	if err != nil {
		return Value{}, t.textError(err)
	}
	if c := a.Pos[0].o.(*Class); !c.static {
		return t.Call(a.Pos[0], []Value{floatValue(f)}, nil, nil)
	}
	return floatValue(f), nil
}

func floatFromNumber(t *Thread, a *Args) (Value, error) {
	f, err := t.realArg(a.Pos[1])
	return floatValue(f), err
}

func floatRatio(t *Thread, a *Args) (Value, error) {
	t.see(a.Pos[0].l)
	n, d, err := pytext.Ratio(a.Pos[0].float())
	if err != nil {
		return Value{}, t.textError(err)
	}
	return t.tuple([]Value{bigValue(n), bigValue(d)}), nil
}

func floatRound(t *Thread, a *Args) (Value, error) {
	t.see(a.Pos[0].l)
	f := a.Pos[0].float()
	if !given(a.Pos[1]) {
		return t.intResult(pytext.FloatToInt(math.RoundToEven(f)))
	}
	n, err := t.index(a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	places := n.n
	if n.k == kBig {
		places = int64(n.o.(*Big).v.Sign()) * math.MaxInt32
	}
	f, err = pytext.RoundFloat(f, places)
	if err != nil {
		return Value{}, t.textError(err)
	}
	return floatValue(f), nil
}
