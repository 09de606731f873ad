package vm

import (
	"praxis/internal/plan/label"
	"praxis/internal/plan/syntax"
)

const (
	valueBytes = 32   // one Value in a slice
	strBytes   = 64   // a string object without its text
	maxNest    = 2000 // how deep natives and operators may call each other
)

// opName is how an operator is written and the methods that stand for it.
type opName struct{ sign, plain, reflected, inplace string }

// operators are the names of the operators, by [syntax.Operator].
var operators = [...]opName{
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

// enter notes that a native or an operator goes one level deeper; where ends the message.
func (t *Thread) enter(where string) error {
	if t.nest >= maxNest {
		return t.raise(t.types.RecursionError, "maximum recursion depth exceeded%s", where)
	}
	t.nest++
	return nil
}

// leave ends what enter began.
func (t *Thread) leave() { t.nest-- }

// failAt makes an exception that depends on l.
func (t *Thread) failAt(l label.ID, c *Class, format string, args ...any) error {
	seen := t.seen
	t.see(l)
	err := t.raise(c, format, args...)
	t.seen = seen
	return err
}

// failOf makes an exception about v.
func (t *Thread) failOf(v Value, c *Class, format string, args ...any) error {
	return t.failAt(v.l, c, format, args...)
}

// failOn makes an exception about a and b.
func (t *Thread) failOn(a, b Value, c *Class, format string, args ...any) error {
	return t.failAt(t.join(a.l, b.l), c, format, args...)
}

// notImplemented is the value NotImplemented.
var notImplemented = Value{k: kNotImplemented}

// binary is a op b.
func (t *Thread) binary(op syntax.Operator, a, b Value) (Value, error) {
	l := a.l
	if b.l != l {
		l = t.join(l, b.l)
	}
	var v Value
	var ok bool
	var err error
	if !isObject(a) && !isObject(b) {
		v, ok, err = t.binaryCore(op, a, b)
	}
	if !ok && err == nil {
		v, err = t.binaryObject(op, operators[op].sign, a, b)
	}
	if l != 0 {
		v.l = t.join(v.l, l)
	}
	return v, err
}

// isObject reports whether v is an instance whose class may bring its own operators.
func isObject(v Value) bool { return v.k == kObject || v.k == kSpecial }

// binaryCore is binary for values of built-in classes; ok is false when they
// have no such operator. The labels of the operands themselves are the caller's.
func (t *Thread) binaryCore(op syntax.Operator, a, b Value) (Value, bool, error) {
	switch a.k {
	case kInt, kBool, kBig:
		switch b.k {
		case kInt, kBool:
			if a.k != kBig {
				return t.intOp(op, a, b)
			}
			return t.bigOp(op, a, b)
		case kBig:
			return t.bigOp(op, a, b)
		case kFloat:
			return t.floatOp(op, a, b)
		}
		if op == syntax.Mult {
			return t.repeat(b, a)
		}
	case kFloat:
		switch b.k {
		case kFloat, kInt, kBool, kBig:
			return t.floatOp(op, a, b)
		}
		if op == syntax.Mult {
			return t.repeat(b, a)
		}
	case kStr, kBytes, kList, kTuple:
		if v, ok, err := t.seqOp(op, a, b); ok || err != nil {
			return v, ok, err
		}
	case kSet:
		return t.setOp(op, a, b)
	case kDict:
		if op == syntax.BitOr && b.k == kDict {
			return t.dictOr(a, b)
		}
	case kView:
		return t.viewOp(op, a, b)
	case kNone, kClass:
		if op == syntax.BitOr && (b.k == kClass || b.k == kNone && a.k == kClass) { // a union of types, as annotations have it
			v, err := t.union(a, b)
			return v, true, err
		}
	}
	if op == syntax.Mult {
		if isSequence(b) {
			return t.repeat(b, a)
		}
	}
	if b.k == kView {
		return t.viewOp(op, a, b)
	}
	return Value{}, false, nil
}

// isSequence reports whether v is a str, a list, a tuple or bytes.
func isSequence(v Value) bool { return v.k == kStr || v.k == kList || v.k == kTuple || v.k == kBytes }

// binaryObject is binary where at least one class may bring its own operator;
// sign is how messages call it.
func (t *Thread) binaryObject(op syntax.Operator, sign string, a, b Value) (Value, error) {
	n := &operators[op]
	_, left := t.override(a, n.plain)
	_, right := t.override(b, n.reflected)
	ca, cb := t.classOf(a), t.classOf(b)
	if right && ca != cb && cb.derives(ca) {
		if v, ok, err := t.tryOperator(b, n.reflected, a); ok || err != nil {
			return v, err
		}
		right = false
	}
	pa, pb := t.base(a), t.base(b)
	joins := isSequence(pa) || isSequence(pb) // sequences come after all else
	if left {
		if v, ok, err := t.tryOperator(a, n.plain, b); ok || err != nil {
			return v, err
		}
	} else if !joins {
		if v, ok, err := t.binaryCore(op, pa, pb); ok || err != nil {
			return v, err
		}
	}
	if right && ca != cb {
		if v, ok, err := t.tryOperator(b, n.reflected, a); ok || err != nil {
			return v, err
		}
	}
	if joins && !left {
		if op == syntax.Mod { // a template asks the values by themselves
			pb = b
		}
		if v, ok, err := t.binaryCore(op, pa, pb); ok || err != nil {
			return v, err
		}
	}
	return Value{}, t.noOperator(op, sign, a, b)
}

// tryOperator calls a method of an operator; ok is false when it returned NotImplemented.
func (t *Thread) tryOperator(self Value, name string, other Value) (Value, bool, error) {
	v, ok, err := t.callSpecial(self, name, other)
	return v, ok && v.k != kNotImplemented, err
}

// noOperator is the TypeError of operands that do not go together.
func (t *Thread) noOperator(op syntax.Operator, sign string, a, b Value) error {
	te := t.types.TypeError
	na, nb := t.className(a), t.className(b)
	pa, pb := t.base(a), t.base(b)
	switch {
	case op == syntax.Add && sign == "+" && pa.k == kStr:
		return t.failOn(a, b, te, "can only concatenate str (not \"%s\") to str", nb)
	case op == syntax.Add && pa.k == kList:
		return t.failOn(a, b, te, "can only concatenate list (not \"%s\") to list", nb)
	case op == syntax.Add && sign == "+" && pa.k == kTuple:
		return t.failOn(a, b, te, "can only concatenate tuple (not \"%s\") to tuple", nb)
	case op == syntax.Add && sign != "-" && pa.k == kBytes:
		return t.failOn(a, b, te, "can't concat %s to bytes", nb)
	case op == syntax.Mult && isSequence(pa):
		return t.failOn(a, b, te, "can't multiply sequence by non-int of type '%s'", nb)
	case op == syntax.Mult && isSequence(pb):
		return t.failOn(a, b, te, "can't multiply sequence by non-int of type '%s'", na)
	}
	return t.failOn(a, b, te, "unsupported operand type(s) for %s: '%s' and '%s'", sign, na, nb)
}

// inplace is a op= b; lists, sets and dicts are changed where they are.
func (t *Thread) inplace(op syntax.Operator, a, b Value) (Value, error) {
	switch a.k {
	case kInt, kFloat, kStr, kTuple:
		return t.binaryInplace(op, a, b)
	case kList:
		switch op {
		case syntax.Add:
			return a, t.extend(a, b)
		case syntax.Mult:
			return t.repeatInplace(a, b)
		}
	case kSet:
		if !a.o.(*Set).frozen && (b.k == kSet || b.k == kView) {
			return t.setInplace(op, a, b)
		}
	case kDict:
		if op == syntax.BitOr {
			return a, t.dictUpdate(a, b)
		}
	case kObject, kSpecial:
		n := &operators[op]
		if _, ok := t.override(a, n.inplace); ok {
			if v, ok, err := t.tryOperator(a, n.inplace, b); ok || err != nil {
				v.l = t.join(v.l, a.l)
				return v, err
			}
			break
		}
		if p := t.base(a); p.k != a.k && (p.k == kList || p.k == kDict || p.k == kSet) {
			if _, ok := t.override(a, n.plain); !ok {
				v, err := t.inplace(op, p, t.base(b))
				if v.o == p.o {
					v = a
				}
				return v, err
			}
		}
	}
	return t.binaryInplace(op, a, b)
}

// binaryInplace is binary whose TypeError names the operator with "=".
func (t *Thread) binaryInplace(op syntax.Operator, a, b Value) (Value, error) {
	l := t.join(a.l, b.l)
	sign := operators[op].sign + "="
	switch {
	case op == syntax.Pow:
		sign = "**="
	case op == syntax.Add && (a.k == kStr || a.k == kTuple):
		sign = "+"
	}
	var v Value
	var ok bool
	var err error
	if !isObject(a) && !isObject(b) {
		v, ok, err = t.binaryCore(op, a, b)
	}
	if !ok && err == nil {
		v, err = t.binaryObject(op, sign, a, b)
	}
	if l != 0 {
		v.l = t.join(v.l, l)
	}
	return v, err
}

// unary is -v, +v, ~v or not v.
func (t *Thread) unary(op syntax.UnaryOperator, v Value) (Value, error) {
	if op == syntax.Not {
		seen := t.seen
		t.seen = 0
		ok, err := t.truth(v)
		r := boolValue(!ok).with(t.join(v.l, t.seen))
		t.seen = seen
		return r, err
	}
	r, ok, err := t.unaryCore(op, v)
	if !ok && err == nil {
		r, err = t.unaryObject(op, v)
	}
	if v.l != 0 {
		r.l = t.join(r.l, v.l)
	}
	return r, err
}

// unaryNames are the names of the unary operators, by [syntax.UnaryOperator].
var unaryNames = [...]opName{
	syntax.Invert: {sign: "~", plain: "__invert__"},
	syntax.UAdd:   {sign: "+", plain: "__pos__"},
	syntax.USub:   {sign: "-", plain: "__neg__"},
}

func (t *Thread) unaryObject(op syntax.UnaryOperator, v Value) (Value, error) {
	n := &unaryNames[op]
	if _, ok := t.override(v, n.plain); ok {
		r, _, err := t.callSpecial(v, n.plain)
		return r, err
	}
	if b := t.base(v); b.k != v.k {
		if r, ok, err := t.unaryCore(op, b); ok || err != nil {
			return r, err
		}
	}
	return Value{}, t.failOf(v, t.types.TypeError, "bad operand type for unary %s: '%s'", n.sign, t.className(v))
}

// same is "a is b".
func same(a, b Value) bool {
	if a.k != b.k {
		return false
	}
	switch a.k {
	case kStr:
		return a.o == b.o || len(a.o.(*Str).s) <= 1 && a.o.(*Str).s == b.o.(*Str).s
	case kTuple:
		return a.o == b.o || len(a.o.(*Tuple).items) == 0 && len(b.o.(*Tuple).items) == 0
	case kBytes:
		return a.o == b.o || len(a.o.(*Bytes).b) == 0 && len(b.o.(*Bytes).b) == 0
	}
	return a.o == b.o && a.n == b.n
}

// truth is bool(v); it sees what the answer depends on.
func (t *Thread) truth(v Value) (bool, error) {
	t.see(v.l)
	switch v.k {
	case kBool, kInt:
		return v.n != 0, nil
	case kNone:
		return false, nil
	case kFloat:
		return v.float() != 0, nil
	case kStr:
		return v.o.(*Str).s != "", nil
	case kBytes:
		return v.o.(*Bytes).b != "", nil
	case kTuple:
		return len(v.o.(*Tuple).items) != 0, nil
	case kList, kDict, kSet, kRange, kView:
		n, err := t.length(v)
		return n != 0, err
	case kObject, kSpecial, kClass:
		return t.truthObject(v)
	case kNotImplemented:
		return false, t.raise(t.types.TypeError, "NotImplemented should not be used in a boolean context")
	}
	return true, nil
}

func (t *Thread) truthObject(v Value) (bool, error) {
	if _, ok := t.override(v, "__bool__"); ok {
		r, _, err := t.callSpecial(v, "__bool__")
		if err != nil {
			return false, err
		}
		t.see(r.l)
		if r.k != kBool {
			return false, t.raise(t.types.TypeError, "__bool__ should return bool, returned %s", t.className(r))
		}
		return r.n != 0, nil
	}
	if _, ok := t.override(v, "__len__"); ok {
		n, err := t.length(v)
		return n != 0, err
	}
	if b := t.base(v); b.k != v.k {
		return t.truth(b)
	}
	return true, nil
}

// length is len(v); it sees what that depends on.
func (t *Thread) length(v Value) (int, error) {
	t.see(v.l)
	switch v.k {
	case kStr:
		s := v.o.(*Str)
		if len(s.s) > 1024 && !isASCII(s) {
			t.steps -= int64(len(s.s)) / 256 // the next step finds out
		}
		return strLen(s), nil
	case kList:
		l := v.o.(*List)
		t.see(l.shape)
		return len(l.items), nil
	case kTuple:
		return len(v.o.(*Tuple).items), nil
	case kDict:
		d := v.o.(*Dict)
		t.see(d.shape)
		return d.live, nil
	case kSet:
		s := v.o.(*Set)
		t.see(s.shape)
		return s.used, nil
	case kBytes:
		return len(v.o.(*Bytes).b), nil
	case kView:
		d := v.o.(*View).d
		t.see(d.shape)
		return d.live, nil
	case kRange:
		r := v.o.(*Range)
		t.see(r.label(t))
		n := r.length()
		if !n.IsInt64() {
			return 0, t.raise(t.types.OverflowError, "Python int too large to convert to C ssize_t")
		}
		return int(n.Int64()), nil
	case kObject, kSpecial, kClass:
		return t.lengthObject(v)
	}
	return 0, t.raise(t.types.TypeError, "object of type '%s' has no len()", t.className(v))
}

func (t *Thread) lengthObject(v Value) (int, error) {
	if _, ok := t.override(v, "__len__"); !ok {
		if b := t.base(v); b.k != v.k {
			return t.length(b)
		}
		return 0, t.raise(t.types.TypeError, "object of type '%s' has no len()", t.className(v))
	}
	r, _, err := t.callSpecial(v, "__len__")
	if err != nil {
		return 0, err
	}
	n, err := t.index(r)
	if err != nil {
		return 0, err
	}
	if n.k == kBig {
		return 0, t.raise(t.types.OverflowError, "cannot fit '%s' into an index-sized integer", t.className(r))
	}
	if n.n < 0 {
		return 0, t.raise(t.types.ValueError, "__len__() should return >= 0")
	}
	return int(n.n), nil
}

// argName is what messages about arguments call the class of v.
func (t *Thread) argName(v Value) string {
	if v.k == kNone {
		return "None"
	}
	return t.className(v)
}

// index returns v as an exact int, by __index__ where it has one, and sees it.
func (t *Thread) index(v Value) (Value, error) {
	t.see(v.l)
	switch v.k {
	case kInt, kBig:
		return v, nil
	case kBool:
		v.k = kInt
		return v, nil
	case kObject, kSpecial:
		if _, ok := t.override(v, "__index__"); ok {
			r, _, err := t.callSpecial(v, "__index__")
			if err != nil {
				return Value{}, err
			}
			t.see(r.l)
			if p, ok := t.payload(r, kInt); ok {
				return t.index(p)
			}
			return Value{}, t.raise(t.types.TypeError, "__index__ returned non-int (type %s)", t.className(r))
		}
		if p, ok := t.payload(v, kInt); ok {
			return t.index(p)
		}
	}
	return Value{}, t.raise(t.types.TypeError, "'%s' object cannot be interpreted as an integer", t.className(v))
}

// isIndex reports whether v has an __index__.
func (t *Thread) isIndex(v Value) bool {
	switch v.k {
	case kInt, kBig, kBool:
		return true
	case kObject, kSpecial:
		if _, ok := t.override(v, "__index__"); ok {
			return true
		}
		_, ok := t.payload(v, kInt)
		return ok
	}
	return false
}

// intArg returns an argument that has to be an int of the machine's size, and sees it.
func (t *Thread) intArg(v Value) (int64, error) {
	n, err := t.index(v)
	if err != nil {
		return 0, err
	}
	if n.k == kBig {
		return 0, t.raise(t.types.OverflowError, "Python int too large to convert to C ssize_t")
	}
	return n.n, nil
}

// indexOf returns an index, and sees it; a number beyond the machine's size is an IndexError.
func (t *Thread) indexOf(v Value) (int64, error) {
	n, err := t.index(v)
	if err != nil {
		return 0, err
	}
	if n.k == kBig {
		return 0, t.raise(t.types.IndexError, "cannot fit '%s' into an index-sized integer", t.className(v))
	}
	return n.n, nil
}
