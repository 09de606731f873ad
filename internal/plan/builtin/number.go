package builtin

import (
	"math"
	"math/big"
	"slices"

	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

const numberDunders = "__add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __pow__ __neg__ __pos__ __abs__ __bool__ __int__ __float__ " +
	"__hash__ __repr__ __str__ __format__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ "

// intNatives are the methods of ints and bools.
func intNatives() []*value.Native {
	m := func(name, params string, f value.NativeFunc) *value.Native {
		return newMethod(value.KInt, "int."+name, params, f)
	}
	out := []*value.Native{
		{Name: "int.__new__", Params: "cls, x=0, /, base=10", Call: intNew},
		{Name: "bool.__new__", Params: "cls, x=False, /", Call: boolNew},
		m("bit_length", "self, /", func(t *value.Thread, a *value.Args) (value.Value, error) {
			return value.Int(int64(value.ToBig(a.Pos[0]).BitLen())), nil
		}),
		m("as_integer_ratio", "self, /", func(t *value.Thread, a *value.Args) (value.Value, error) {
			return t.Tuple([]value.Value{value.PlainInt(a.Pos[0]), value.Int(1)}), nil
		}),
		m("is_integer", "self, /", func(t *value.Thread, a *value.Args) (value.Value, error) { return value.Bool(true), nil }),
		m("to_bytes", "self, length=1, byteorder='big', *, signed=False", intToBytes),
		{Name: "int.from_bytes", Params: "cls, bytes, byteorder='big', *, signed=False", Call: intFromBytes, Drains: []int{1}},
	}
	return append(out, dunders(value.KInt, "int", numberDunders+"__index__ __lshift__ __rshift__ __and__ __or__ __xor__ __invert__")...)
}

func boolNew(t *value.Thread, a *value.Args) (value.Value, error) {
	if a.Pos[1].Kind == value.KUnset {
		return value.Bool(false), nil
	}
	ok, err := t.Truth(a.Pos[1])
	return value.Bool(ok), err
}

func intNew(t *value.Thread, a *value.Args) (value.Value, error) {
	v, base := value.Int(0), a.Pos[2]
	var err error
	switch {
	case base.Kind != value.KUnset:
		v, err = intBase(t, a.Pos[1], base)
	case a.Pos[1].Kind != value.KUnset:
		v, err = intOf(t, a.Pos[1])
	}
	if err != nil {
		return value.Value{}, err
	}
	return t.Construct(a.Pos[0], v), nil
}

// intOf is int(v), without v's label.
func intOf(t *value.Thread, v value.Value) (value.Value, error) {
	t.See(v.Label)
	if v.Kind == value.KObject || v.Kind == value.KSpecial {
		for _, name := range [...]string{"__int__", "__index__", "__trunc__"} {
			if n, ok, err := t.OwnAs(v, name, value.KInt, name+" returned non-int (type %s)"); ok {
				return value.PlainInt(n), err
			}
		}
	}
	switch b := t.Base(v); b.Kind {
	case value.KInt, value.KBool, value.KBig:
		return value.PlainInt(b), nil
	case value.KFloat:
		return t.IntResult(pytext.FloatToInt(b.Float()))
	case value.KStr, value.KBytes:
		return parseInt(t, b, 10)
	}
	return value.Value{}, t.Raise(t.Types.TypeError, "int() argument must be a string, a bytes-like object or a real number, not '%s'", t.ClassName(v))
}

// intBase is int(v, base).
func intBase(t *value.Thread, v, base value.Value) (value.Value, error) {
	t.See(v.Label)
	n, err := t.Index(base)
	if err != nil {
		return value.Value{}, err
	}
	if n.Kind == value.KBig || n.N != 0 && (n.N < 2 || n.N > 36) {
		return value.Value{}, t.Raise(t.Types.ValueError, "int() base must be >= 2 and <= 36, or 0")
	}
	b := t.Base(v)
	if b.Kind != value.KStr && b.Kind != value.KBytes {
		return value.Value{}, t.Raise(t.Types.TypeError, "int() can't convert non-string with explicit base")
	}
	return parseInt(t, b, int(n.N))
}

// parseInt reads an int from a string or a bytes object.
func parseInt(t *value.Thread, v value.Value, base int) (value.Value, error) {
	if n := int64(value.TextLen(v)); n > 64 { // bases that are no power of two are bounded by the digits that are read
		if err := t.Size(n*6, n*64); err != nil {
			return value.Value{}, err
		}
	}
	return t.IntResult(pytext.ParseInt(digitsOf(v), base))
}

// digitsOf is the text of a string or a bytes object.
func digitsOf(v value.Value) string {
	if b, ok := v.Obj.(*value.Bytes); ok {
		return b.Data
	}
	return v.Obj.(*value.Str).Text
}

// byteOrder returns whether an argument says "little".
func byteOrder(t *value.Thread, method string, v value.Value) (bool, error) {
	if v.Kind == value.KUnset {
		return false, nil
	}
	order, err := textArg(t, text{}, v, method)
	if err != nil {
		return false, err
	}
	switch order {
	case "big":
		return false, nil
	case "little":
		return true, nil
	}
	return false, t.Raise(t.Types.ValueError, "byteorder must be either 'little' or 'big'")
}

// boolArg returns an optional argument's truth.
func boolArg(t *value.Thread, v value.Value) (bool, error) {
	if v.Kind == value.KUnset {
		return false, nil
	}
	return t.Truth(v)
}

func intToBytes(t *value.Thread, a *value.Args) (value.Value, error) {
	size := int64(1)
	var err error
	if a.Pos[1].Kind != value.KUnset {
		if size, err = t.IntArg(a.Pos[1]); err != nil {
			return value.Value{}, err
		}
	}
	little, err := byteOrder(t, "to_bytes", a.Pos[2])
	if err != nil {
		return value.Value{}, err
	}
	signed, err := boolArg(t, a.Pos[3])
	if err != nil {
		return value.Value{}, err
	}
	n := value.ToBig(a.Pos[0])
	switch {
	case size < 0:
		return value.Value{}, t.Raise(t.Types.ValueError, "length argument must be non-negative")
	case n.Sign() < 0 && !signed:
		return value.Value{}, t.Raise(t.Types.OverflowError, "can't convert negative int to unsigned")
	}
	need := int64(n.BitLen())
	if signed {
		if need++; n.Sign() < 0 { // -128 fits eight bits
			need = int64(new(big.Int).Not(n).BitLen()) + 1
		}
	}
	if size < math.MaxInt64/8 && need > size*8 && n.Sign() != 0 {
		return value.Value{}, t.Raise(t.Types.OverflowError, "int too big to convert")
	}
	if err := t.Charge(size, size/256); err != nil {
		return value.Value{}, err
	}
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(size)*8))
	}
	out := n.FillBytes(make([]byte, size))
	if little {
		slices.Reverse(out)
	}
	return t.Bytes(string(out)), nil
}

func intFromBytes(t *value.Thread, a *value.Args) (value.Value, error) {
	little, err := byteOrder(t, "from_bytes", a.Pos[2])
	if err != nil {
		return value.Value{}, err
	}
	signed, err := boolArg(t, a.Pos[3])
	if err != nil {
		return value.Value{}, err
	}
	b := t.Base(a.Pos[1])
	if ok, _ := t.Iterable(b, ""); !ok || b.Kind == value.KStr {
		return value.Value{}, t.FailOf(b, t.Types.TypeError, "cannot convert '%s' object to bytes", t.ClassName(b))
	}
	raw, err := bytesOf(t, a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	buf := []byte(raw)
	if little {
		slices.Reverse(buf)
	}
	n := new(big.Int).SetBytes(buf)
	if signed && len(buf) > 0 && buf[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(len(buf))*8))
	}
	return t.Big(n)
}

// divmod is divmod(a, b) of numbers; ok is false of anything else.
func divmod(t *value.Thread, a, b value.Value) (_ value.Value, ok bool, err error) {
	x, y := t.Base(a), t.Base(b)
	if !value.IsInt(x) && x.Kind != value.KFloat || !value.IsInt(y) && y.Kind != value.KFloat {
		return value.Value{}, false, nil
	}
	q, _, err := t.BinaryCore(syntax.FloorDiv, x, y)
	if err != nil {
		return value.Value{}, true, err
	}
	r, _, err := t.BinaryCore(syntax.Mod, x, y)
	return t.Tuple([]value.Value{q, r}).With(t.Join(a.Label, b.Label)), true, err
}

// floatNatives are the methods of floats.
func floatNatives() []*value.Native {
	m := func(name, params string, f value.NativeFunc) *value.Native {
		return newMethod(value.KFloat, "float."+name, params, f)
	}
	return append([]*value.Native{
		{Name: "float.__new__", Params: "cls, x=0, /", Call: floatNew},
		m("is_integer", "self, /", func(t *value.Thread, a *value.Args) (value.Value, error) {
			f := a.Pos[0].Float()
			return value.Bool(f == math.Trunc(f) && !math.IsInf(f, 0)), nil
		}),
		m("as_integer_ratio", "self, /", floatRatio),
	}, dunders(value.KFloat, "float", numberDunders)...)
}

func floatNew(t *value.Thread, a *value.Args) (value.Value, error) {
	f := 0.0
	if a.Pos[1].Kind != value.KUnset {
		var err error
		if f, err = floatOf(t, a.Pos[1]); err != nil {
			return value.Value{}, err
		}
	}
	return t.Construct(a.Pos[0], value.Float(f)), nil
}

// floatOf is float(v); it sees v.
func floatOf(t *value.Thread, v value.Value) (float64, error) {
	t.See(v.Label)
	var f float64
	var err error
	switch b := t.Base(v); {
	case b.Kind == value.KStr, b.Kind == value.KBytes:
		if err := t.Step(int64(value.TextLen(b)) / 64); err != nil {
			return 0, err
		}
		f, err = pytext.ParseFloat(digitsOf(b))
	default:
		return t.Real(v)
	}
	if err != nil {
		err = t.TextError(err)
	}
	return f, err
}

func floatRatio(t *value.Thread, a *value.Args) (value.Value, error) {
	t.See(a.Pos[0].Label)
	n, d, err := pytext.Ratio(a.Pos[0].Float())
	if err != nil {
		return value.Value{}, t.TextError(err)
	}
	return t.Tuple([]value.Value{value.BigInt(n), value.BigInt(d)}), nil
}

// intRound is round(v, n) of an int.
func intRound(t *value.Thread, v, n value.Value) (value.Value, error) {
	v = value.PlainInt(v)
	if !value.Given(n) {
		return v, nil
	}
	places, err := t.IntArg(n)
	switch {
	case err != nil:
		return value.Value{}, err
	case places >= 0:
		return v, nil
	case places < -int64(value.ToBig(v).BitLen())-8:
		return value.Int(0), nil
	}
	return t.Big(pytext.RoundInt(value.ToBig(v), -places))
}

// floatRound is round(v, n) of a float.
func floatRound(t *value.Thread, v, n value.Value) (value.Value, error) {
	t.See(v.Label)
	f := v.Float()
	if !value.Given(n) {
		return t.IntResult(pytext.FloatToInt(math.RoundToEven(f)))
	}
	places, err := t.IntArg(n)
	if err == nil {
		f, err = pytext.RoundFloat(f, places)
		if err != nil {
			err = t.TextError(err)
		}
	}
	return value.Float(f), err
}
