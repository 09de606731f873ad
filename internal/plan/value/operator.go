package value

import (
	"praxis/internal/plan/label"
	"praxis/internal/plan/syntax"
)

const (
	ValueBytes = 32   // one Value in a slice
	StrBytes   = 64   // a string object without its text
	maxNest    = 2000 // how deep natives and operators may call each other
)

// OpName is how an operator is written and the methods that implement it.
type OpName struct{ Sign, Plain, Reflected, Inplace string }

// Operators are the names of the operators, by [syntax.Operator].
var Operators = [...]OpName{
	syntax.Add:      {"+", "__add__", "__radd__", "__iadd__"},
	syntax.Sub:      {"-", "__sub__", "__rsub__", "__isub__"},
	syntax.Mult:     {"*", "__mul__", "__rmul__", "__imul__"},
	syntax.MatMult:  {"@", "__matmul__", "__rmatmul__", "__imatmul__"},
	syntax.Div:      {"/", "__truediv__", "__rtruediv__", "__itruediv__"},
	syntax.Mod:      {"%", "__mod__", "__rmod__", "__imod__"},
	syntax.Pow:      {"** or pow()", "__pow__", "__rpow__", "__ipow__"},
	syntax.LShift:   {"<<", "__lshift__", "__rlshift__", "__ilshift__"},
	syntax.RShift:   {">>", "__rshift__", "__rrshift__", "__irshift__"},
	syntax.BitOr:    {"|", "__or__", "__ror__", "__ior__"},
	syntax.BitXor:   {"^", "__xor__", "__rxor__", "__ixor__"},
	syntax.BitAnd:   {"&", "__and__", "__rand__", "__iand__"},
	syntax.FloorDiv: {"//", "__floordiv__", "__rfloordiv__", "__ifloordiv__"},
}

// Enter notes that a native or an operator goes one level deeper; where ends the message.
func (t *Thread) Enter(where string) error {
	if t.nest >= maxNest {
		return t.Raise(t.Types.RecursionError, "maximum recursion depth exceeded%s", where)
	}
	t.nest++
	return nil
}

// Leave ends what enter began.
func (t *Thread) Leave() { t.nest-- }

// FailAt makes an exception that depends on l.
func (t *Thread) FailAt(l label.ID, c *Class, format string, args ...any) error {
	seen := t.Seen
	t.See(l)
	err := t.Raise(c, format, args...)
	t.Seen = seen
	return err
}

// FailOf makes an exception about v.
func (t *Thread) FailOf(v Value, c *Class, format string, args ...any) error {
	return t.FailAt(v.Label, c, format, args...)
}

// FailOn makes an exception about a and b.
func (t *Thread) FailOn(a, b Value, c *Class, format string, args ...any) error {
	return t.FailAt(t.Join(a.Label, b.Label), c, format, args...)
}

// NotImplemented is the value NotImplemented.
var NotImplemented = Value{Kind: KNotImplemented}

// Binary is a op b.
func (t *Thread) Binary(op syntax.Operator, a, b Value) (Value, error) {
	l := a.Label
	if b.Label != l {
		l = t.Join(l, b.Label)
	}
	var v Value
	var ok bool
	var err error
	if !isObject(a) && !isObject(b) {
		v, ok, err = t.BinaryCore(op, a, b)
	}
	if !ok && err == nil {
		v, err = t.binaryObject(op, a, b)
	}
	if l != 0 {
		v.Label = t.Join(v.Label, l)
	}
	return v, err
}

// isObject reports whether v is an instance whose class may bring its own operators.
func isObject(v Value) bool { return v.Kind == KObject || v.Kind == KSpecial }

// BinaryCore is binary for values of built-in classes; ok is false when they
// have no such operator. The labels of the operands themselves are the caller's.
func (t *Thread) BinaryCore(op syntax.Operator, a, b Value) (Value, bool, error) {
	switch a.Kind {
	case KInt, KBool, KBig:
		switch b.Kind {
		case KInt, KBool:
			if a.Kind != KBig {
				return t.intOp(op, a, b)
			}
			return t.bigOp(op, a, b)
		case KBig:
			return t.bigOp(op, a, b)
		case KFloat:
			return t.floatOp(op, a, b)
		}
		if op == syntax.Mult {
			return t.repeat(b, a)
		}
	case KFloat:
		switch b.Kind {
		case KFloat, KInt, KBool, KBig:
			return t.floatOp(op, a, b)
		}
		if op == syntax.Mult {
			return t.repeat(b, a)
		}
	case KStr, KBytes, KList, KTuple:
		if v, ok, err := t.seqOp(op, a, b); ok || err != nil {
			return v, ok, err
		}
	case KSet, KView:
		return t.setOp(op, a, b)
	case KDict:
		if op == syntax.BitOr && b.Kind == KDict {
			return t.dictOr(a, b)
		}
	case KNone, KClass:
		if op == syntax.BitOr && (b.Kind == KClass || b.Kind == KNone && a.Kind == KClass) { // a union of types, as annotations have it
			v, err := t.Union(a, b)
			return v, true, err
		}
	}
	if op == syntax.Mult {
		if IsSequence(b) {
			return t.repeat(b, a)
		}
	}
	if b.Kind == KView {
		return t.setOp(op, a, b)
	}
	return Value{}, false, nil
}

// IsSequence reports whether v is a str, a list, a tuple or bytes.
func IsSequence(v Value) bool {
	return v.Kind == KStr || v.Kind == KList || v.Kind == KTuple || v.Kind == KBytes
}

// binaryObject is binary where at least one class may bring its own operator.
func (t *Thread) binaryObject(op syntax.Operator, a, b Value) (Value, error) {
	n := &Operators[op]
	_, left := t.Override(a, n.Plain)
	_, right := t.Override(b, n.Reflected)
	ca, cb := t.ClassOf(a), t.ClassOf(b)
	if right && ca != cb && cb.Derives(ca) {
		if v, ok, err := t.TryOperator(b, n.Reflected, a); ok || err != nil {
			return v, err
		}
		right = false
	}
	pa, pb := t.Base(a), t.Base(b)
	joins := IsSequence(pa) || IsSequence(pb) // sequences come after all else
	if left {
		if v, ok, err := t.TryOperator(a, n.Plain, b); ok || err != nil {
			return v, err
		}
	} else if !joins {
		if v, ok, err := t.BinaryCore(op, pa, pb); ok || err != nil {
			return v, err
		}
	}
	if right && ca != cb {
		if v, ok, err := t.TryOperator(b, n.Reflected, a); ok || err != nil {
			return v, err
		}
	}
	if joins && !left {
		if op == syntax.Mod { // a template looks at the values one by one
			pb = b
		}
		if v, ok, err := t.BinaryCore(op, pa, pb); ok || err != nil {
			return v, err
		}
	}
	return Value{}, t.NoOperator(op, a, b)
}

// TryOperator calls a method of an operator; ok is false when it returned NotImplemented.
func (t *Thread) TryOperator(self Value, name string, other Value) (Value, bool, error) {
	v, ok, err := t.CallSpecial(self, name, other)
	return v, ok && v.Kind != KNotImplemented, err
}

// NoOperator is the TypeError of operands that do not go together.
func (t *Thread) NoOperator(op syntax.Operator, a, b Value) error {
	na, nb := t.ClassName(a), t.ClassName(b)
	if kind := t.Base(a).Kind; op == syntax.Add && (kind == KStr || kind == KList) {
		return t.FailOn(a, b, t.Types.TypeError, "can only concatenate %s (not \"%s\") to %s", na, nb, na)
	}
	return t.FailOn(a, b, t.Types.TypeError, "unsupported operand type(s) for %s: '%s' and '%s'", Operators[op].Sign, na, nb)
}

// Inplace is a op= b; lists, sets and dicts are changed where they are.
func (t *Thread) Inplace(op syntax.Operator, a, b Value) (Value, error) {
	switch a.Kind {
	case KInt, KFloat, KStr, KTuple:
		return t.Binary(op, a, b)
	}
	t.Touch(a, "")
	switch a.Kind {
	case KList:
		switch op {
		case syntax.Add:
			return a, t.Extend(a, b)
		case syntax.Mult:
			return t.repeatInplace(a, b)
		}
	case KSet:
		if !a.Obj.(*Set).Frozen && IsSetLike(b) && (op == syntax.BitAnd || op == syntax.BitOr || op == syntax.Sub || op == syntax.BitXor) {
			return a, t.SetChange(op, a, []Value{b})
		}
	case KDict:
		if op == syntax.BitOr {
			return a, t.DictUpdate(a, b)
		}
	case KObject, KSpecial:
		n := &Operators[op]
		if _, ok := t.Override(a, n.Inplace); ok {
			if v, ok, err := t.TryOperator(a, n.Inplace, b); ok || err != nil {
				v.Label = t.Join(v.Label, a.Label)
				return v, err
			}
			break
		}
		if p := t.Base(a); p.Kind != a.Kind && (p.Kind == KList || p.Kind == KDict || p.Kind == KSet) {
			if _, ok := t.Override(a, n.Plain); !ok {
				v, err := t.Inplace(op, p, t.Base(b))
				if v.Obj == p.Obj {
					v = a
				}
				return v, err
			}
		}
	}
	return t.Binary(op, a, b)
}

// Unary is -v, +v, ~v or not v.
func (t *Thread) Unary(op syntax.UnaryOperator, v Value) (Value, error) {
	if op == syntax.Not {
		seen := t.Seen
		t.Seen = 0
		ok, err := t.Truth(v)
		r := Bool(!ok).With(t.Join(v.Label, t.Seen))
		t.Seen = seen
		return r, err
	}
	r, ok, err := t.unaryCore(op, v)
	if !ok && err == nil {
		r, err = t.unaryObject(op, v)
	}
	if v.Label != 0 {
		r.Label = t.Join(r.Label, v.Label)
	}
	return r, err
}

// UnaryNames are the names of the unary operators, by [syntax.UnaryOperator].
var UnaryNames = [...]OpName{
	syntax.Invert: {Sign: "~", Plain: "__invert__"},
	syntax.UAdd:   {Sign: "+", Plain: "__pos__"},
	syntax.USub:   {Sign: "-", Plain: "__neg__"},
}

func (t *Thread) unaryObject(op syntax.UnaryOperator, v Value) (Value, error) {
	n := &UnaryNames[op]
	if r, ok, err := t.Own(v, n.Plain); ok {
		return r, err
	}
	if b := t.Base(v); b.Kind != v.Kind {
		if r, ok, err := t.unaryCore(op, b); ok || err != nil {
			return r, err
		}
	}
	return Value{}, t.FailOf(v, t.Types.TypeError, "bad operand type for unary %s: '%s'", n.Sign, t.ClassName(v))
}

// Is is "a is b".
func Is(a, b Value) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case KStr:
		return a.Obj == b.Obj || len(a.Obj.(*Str).Text) <= 1 && a.Obj.(*Str).Text == b.Obj.(*Str).Text
	case KTuple:
		return a.Obj == b.Obj || len(a.Obj.(*Tuple).Items) == 0 && len(b.Obj.(*Tuple).Items) == 0
	case KBytes:
		return a.Obj == b.Obj || len(a.Obj.(*Bytes).Data) == 0 && len(b.Obj.(*Bytes).Data) == 0
	}
	return a.Obj == b.Obj && a.N == b.N
}

// Truth is bool(v); it sees what the answer depends on.
func (t *Thread) Truth(v Value) (bool, error) {
	t.See(v.Label)
	switch v.Kind {
	case KBool, KInt:
		return v.N != 0, nil
	case KNone:
		return false, nil
	case KFloat:
		return v.Float() != 0, nil
	case KStr:
		return v.Obj.(*Str).Text != "", nil
	case KBytes:
		return v.Obj.(*Bytes).Data != "", nil
	case KTuple:
		return len(v.Obj.(*Tuple).Items) != 0, nil
	case KList, KDict, KSet, KRange, KView:
		n, err := t.Length(v)
		return n != 0, err
	case KObject, KSpecial, KClass:
		return t.truthObject(v)
	case KNotImplemented:
		return false, t.Raise(t.Types.TypeError, "NotImplemented should not be used in a boolean context")
	}
	return true, nil
}

func (t *Thread) truthObject(v Value) (bool, error) {
	if r, ok, err := t.OwnAs(v, "__bool__", KBool, "__bool__ should return bool, returned %s"); ok {
		return r.N != 0, err
	}
	if _, ok := t.Override(v, "__len__"); ok {
		n, err := t.Length(v)
		return n != 0, err
	}
	if b := t.Base(v); b.Kind != v.Kind {
		return t.Truth(b)
	}
	return true, nil
}

// Length is len(v); it sees what that depends on.
func (t *Thread) Length(v Value) (int, error) {
	t.See(v.Label)
	switch v.Kind {
	case KStr:
		s := v.Obj.(*Str)
		if len(s.Text) > 1024 && !IsASCII(s) {
			t.Steps -= int64(len(s.Text)) / 256 // the next step finds out
		}
		return StrLen(s), nil
	case KList:
		l := v.Obj.(*List)
		t.See(l.Shape)
		return len(l.Items), nil
	case KTuple:
		return len(v.Obj.(*Tuple).Items), nil
	case KDict:
		d := v.Obj.(*Dict)
		t.See(d.Shape)
		return d.Live, nil
	case KSet:
		s := v.Obj.(*Set)
		t.See(s.Shape)
		return s.Used, nil
	case KBytes:
		return len(v.Obj.(*Bytes).Data), nil
	case KView:
		d := v.Obj.(*View).Dict
		t.See(d.Shape)
		return d.Live, nil
	case KRange:
		r := v.Obj.(*Range)
		t.See(r.Depends)
		return int(r.Len()), nil
	case KObject, KSpecial, KClass:
		return t.lengthObject(v)
	}
	return 0, t.Raise(t.Types.TypeError, "object of type '%s' has no len()", t.ClassName(v))
}

func (t *Thread) lengthObject(v Value) (int, error) {
	r, ok, err := t.Own(v, "__len__")
	if !ok {
		if b := t.Base(v); b.Kind != v.Kind {
			return t.Length(b)
		}
		return 0, t.Raise(t.Types.TypeError, "object of type '%s' has no len()", t.ClassName(v))
	}
	n := int64(0)
	if err == nil {
		n, err = t.IntArg(r)
	}
	if err == nil && n < 0 {
		err = t.Raise(t.Types.ValueError, "__len__() should return >= 0")
	}
	return int(n), err
}

// Index returns v as an exact int, by __index__ where it has one, and sees it.
func (t *Thread) Index(v Value) (Value, error) {
	t.See(v.Label)
	switch v.Kind {
	case KInt, KBig:
		return v, nil
	case KBool:
		v.Kind = KInt
		return v, nil
	case KObject, KSpecial:
		if p, ok, err := t.OwnAs(v, "__index__", KInt, "__index__ returned non-int (type %s)"); ok {
			return PlainInt(p), err
		}
		if p, ok := t.Payload(v, KInt); ok {
			return t.Index(p)
		}
	}
	return Value{}, t.Raise(t.Types.TypeError, "'%s' object cannot be interpreted as an integer", t.ClassName(v))
}

// IsIndex reports whether v has an __index__.
func (t *Thread) IsIndex(v Value) bool {
	switch v.Kind {
	case KInt, KBig, KBool:
		return true
	case KObject, KSpecial:
		if _, ok := t.Override(v, "__index__"); ok {
			return true
		}
		_, ok := t.Payload(v, KInt)
		return ok
	}
	return false
}

// IntArg returns an argument that has to be an int of the machine's size, and sees it.
func (t *Thread) IntArg(v Value) (int64, error) {
	n, err := t.Index(v)
	if err != nil {
		return 0, err
	}
	if n.Kind == KBig {
		return 0, t.Raise(t.Types.OverflowError, "Python int too large to convert to C ssize_t")
	}
	return n.N, nil
}
