package vm

import (
	"strings"

	"praxis/internal/plan/syntax"
)

// nativeFunc is what a [Native] does.
type nativeFunc = func(t *Thread, a *Args) (Value, error)

// bindings of natives that are not methods of instances.
var classNatives = [...]string{
	"dict.fromkeys", "int.from_bytes", "float.fromhex", "float.from_number", "bytes.fromhex",
	"Decimal.from_float", "Decimal.from_number",
	"object.__init_subclass__", "object.__subclasshook__",
}

var staticNatives = [...]string{"str.maketrans", "bytes.maketrans"}

// bound returns what a native is in its class: a function, a classmethod or a staticmethod.
func bound(n *Native) Value {
	v := Value{k: kNative, o: n}
	for _, name := range classNatives {
		if n.name == name {
			return Value{k: kProp, o: &Wrapper{fn: v, bind: true}}
		}
	}
	if strings.HasSuffix(n.name, ".__new__") {
		return Value{k: kProp, o: &Wrapper{fn: v}}
	}
	for _, name := range staticNatives {
		if n.name == name {
			return Value{k: kProp, o: &Wrapper{fn: v}}
		}
	}
	return v
}

// meth makes a method of a built-in class: f gets self as a value of the kind recv.
func meth(recv Kind, name, params string, f nativeFunc) *Native {
	return &Native{name: name, params: params, call: func(t *Thread, a *Args) (Value, error) {
		if k := a.Pos[0].k; k != recv && !(recv == kInt && (k == kBool || k == kBig)) {
			self, ok := t.payload(a.Pos[0], recv)
			if !ok {
				return Value{}, t.wrongSelf(name, a.Pos[0])
			}
			a.Pos[0] = self
		}
		return f(t, a)
	}}
}

// wrongSelf is the TypeError of a method that was called on a value of another class.
func (t *Thread) wrongSelf(name string, self Value) error {
	class, method, _ := strings.Cut(name, ".")
	if strings.HasPrefix(method, "__") {
		return t.failOf(self, t.types.TypeError, "descriptor '%s' requires a '%s' object but received a '%s'", method, class, t.className(self))
	}
	return t.failOf(self, t.types.TypeError, "descriptor '%s' for '%s' objects doesn't apply to a '%s' object", method, class, t.className(self))
}

// exact says that the native labels its result by itself.
func (n *Native) exact() *Native { n.precise = true; return n }

// drain says which parameters are iterated to their end.
func (n *Native) drain(params ...int) *Native { n.drains = params; return n }

// dunders makes the methods of a built-in class that stand for operators.
func dunders(recv Kind, class, names string) []*Native {
	var out []*Native
	for name := range strings.FieldsSeq(names) {
		d := dunder(name)
		out = append(out, meth(recv, class+"."+name, d.params, d.call).exact())
	}
	return out
}

// dunder is the native behind a special method of any built-in class.
func dunder(name string) Native {
	if name == "__pow__" {
		return Native{params: "self, value, mod=None, /", call: powNative}
	}
	for op, n := range operators {
		switch name {
		case n.plain:
			return Native{params: "self, value, /", call: operatorNative(syntax.Operator(op), false)}
		case n.reflected:
			return Native{params: "self, value, /", call: operatorNative(syntax.Operator(op), true)}
		case n.inplace:
			return Native{params: "self, value, /", call: inplaceNative(syntax.Operator(op))}
		}
	}
	for op, n := range cmpNames {
		if name == n.plain {
			return Native{params: "self, value, /", call: compareNative(syntax.CmpOperator(op))}
		}
	}
	for op, n := range unaryNames {
		if name == n.plain && name != "" {
			return Native{params: "self, /", call: unaryNative(syntax.UnaryOperator(op))}
		}
	}
	switch name {
	case "__getitem__":
		return Native{params: "self, key, /", call: func(t *Thread, a *Args) (Value, error) { return t.getItem(a.Pos[0], a.Pos[1]) }}
	case "__setitem__":
		return Native{params: "self, key, value, /", call: func(t *Thread, a *Args) (Value, error) {
			return none, t.setItem(a.Pos[0], a.Pos[1], a.Pos[2])
		}}
	case "__delitem__":
		return Native{params: "self, key, /", call: func(t *Thread, a *Args) (Value, error) { return none, t.delItem(a.Pos[0], a.Pos[1]) }}
	case "__contains__":
		return Native{params: "self, key, /", call: func(t *Thread, a *Args) (Value, error) {
			return t.compare(syntax.In, a.Pos[1], a.Pos[0])
		}}
	case "__iter__":
		return Native{params: "self, /", call: func(t *Thread, a *Args) (Value, error) { return t.iter(a.Pos[0]) }}
	}
	return Native{params: "self, /", call: seenNative(name)}
}

func operatorNative(op syntax.Operator, reflected bool) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		if reflected && op == syntax.Mod && isSequence(a.Pos[0]) && t.base(a.Pos[1]).k != a.Pos[0].k {
			return notImplemented, nil
		}
		x, y := a.Pos[0], t.base(a.Pos[1])
		if isInt(x) && !isInt(y) || x.k == kFloat && !isInt(y) && y.k != kFloat {
			return notImplemented.with(t.join(x.l, y.l)), nil
		}
		if reflected {
			x, y = y, x
		}
		v, ok, err := t.binaryCore(op, x, y)
		if !ok && err == nil {
			v, err = t.noSequence(op, a.Pos[0], a.Pos[1])
		}
		v.l = t.join(v.l, t.join(x.l, y.l))
		return v, err
	}
}

// noSequence is what a + b and a * b of the methods of sequences give when b
// does not fit: an exception, where other classes return NotImplemented.
func (t *Thread) noSequence(op syntax.Operator, a, b Value) (Value, error) {
	switch {
	case isSequence(a) && op == syntax.Add:
		return Value{}, t.noOperator(op, "+", a, b)
	case isSequence(a) && op == syntax.Mult:
		return Value{}, t.failOn(a, b, t.types.TypeError, "'%s' object cannot be interpreted as an integer", t.className(b))
	}
	return notImplemented, nil
}

// powNative is pow(self, value, mod) of numbers.
func powNative(t *Thread, a *Args) (Value, error) {
	if !given(a.Pos[2]) {
		return operatorNative(syntax.Pow, false)(t, a)
	}
	x, y, z := a.Pos[0], t.base(a.Pos[1]), t.base(a.Pos[2])
	switch {
	case x.k == kFloat:
		return Value{}, t.failAt(t.join(x.l, z.l), t.types.TypeError, "pow() 3rd argument not allowed unless all arguments are integers")
	case !isInt(y) || !isInt(z):
		return notImplemented.with(t.join(x.l, t.join(y.l, z.l))), nil
	}
	return t.powMod(x, y, z)
}

func inplaceNative(op syntax.Operator) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		x, y := a.Pos[0], t.base(a.Pos[1])
		if x.k == kSet && !isSetLike(y) || x.k == kList && op == syntax.Mult && !t.isIndex(y) {
			return t.noSequence(op, x, y)
		}
		return t.inplace(op, x, a.Pos[1])
	}
}

func compareNative(op syntax.CmpOperator) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		x, y := a.Pos[0], t.base(a.Pos[1])
		seen := t.seen
		t.seen = t.join(x.l, y.l)
		v := notImplemented
		var err error
		switch op {
		case syntax.Eq, syntax.NotEq:
			if sameFamily(x, y) {
				var eq bool
				eq, err = t.equalCore(x, y)
				v = boolValue(eq == (op == syntax.Eq))
			}
		default:
			var ok, known bool
			if isInt(x) && y.k == kFloat {
				break
			}
			if ok, known, err = t.order(op, x, y); known {
				v = boolValue(ok)
			}
		}
		v.l = t.join(v.l, t.seen)
		t.seen = seen
		return v, err
	}
}

// sameFamily reports whether == of two built-in values is more than identity.
func sameFamily(a, b Value) bool {
	number := func(v Value) bool { return isInt(v) || v.k == kFloat }
	return a.k == b.k || number(a) && number(b) && !(isInt(a) && b.k == kFloat)
}

func unaryNative(op syntax.UnaryOperator) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) { return t.unary(op, a.Pos[0]) }
}

// isSlot reports whether a native is what CPython wraps a slot of a class in:
// its errors are worded in another way.
func (n *Native) isSlot() bool {
	class, method, _ := strings.Cut(n.name, ".")
	if !strings.HasPrefix(method, "__") {
		return false
	}
	switch method {
	case "__format__", "__round__", "__trunc__", "__floor__", "__ceil__", "__reversed__", "__new__", "__init_subclass__", "__setitem__", "__bytes__":
		return false
	case "__getitem__":
		return class != "list" && class != "dict"
	case "__contains__":
		return class != "dict" && class != "set" && class != "frozenset"
	}
	return true
}

// seenNative is a special method whose result carries what was seen.
func seenNative(name string) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		seen := t.seen
		t.seen = 0
		v, err := t.special(name, a.Pos[0])
		v.l = t.join(v.l, t.seen)
		t.seen = seen
		return v, err
	}
}

// special carries out a special method without arguments on a built-in value.
func (t *Thread) special(name string, self Value) (Value, error) {
	switch name {
	case "__len__":
		n, err := t.length(self)
		return intValue(int64(n)), err
	case "__bool__":
		ok, err := t.truth(self)
		return boolValue(ok), err
	case "__hash__":
		h, err := t.hash(self)
		return intValue(int64(h)), err
	case "__repr__":
		s, err := t.repr(self)
		return t.str(s), err
	case "__str__":
		s, err := t.strOf(self)
		return t.str(s), err
	case "__abs__":
		return t.abs(self)
	case "__index__", "__int__", "__trunc__", "__floor__", "__ceil__":
		return t.toInt(name, self)
	case "__float__":
		t.see(self.l)
		f, err := t.toFloat(self)
		return floatValue(f), err
	case "__next__":
		return t.nextOrStop(self)
	}
	return Value{}, t.raise(t.types.SystemError, "no method %s", name)
}

// nextOrStop is the next element of an iterator, or StopIteration.
func (t *Thread) nextOrStop(it Value) (Value, error) {
	v, ok, err := t.next(it)
	if err == nil && !ok {
		seen := t.seen
		t.see(v.l)
		err = t.raiseArgs(t.types.StopIteration)
		t.seen = seen
	}
	return v, err
}

// given reports whether an optional argument was given and is not None.
func given(v Value) bool { return v.k != kUnset && v.k != kNone }

// iterNatives are the methods of iterators.
func iterNatives() []*Native {
	var out []*Native
	for kind := iterKind(1); kind < iterKinds; kind++ {
		out = append(out, dunders(kIter, iterNames[kind], "__iter__ __next__")...)
		if kind == iterList || kind == iterRange || kind == iterTuple || kind == iterStr {
			out = append(out, meth(kIter, iterNames[kind]+".__length_hint__", "self, /", lengthHint))
		}
	}
	return out
}

func lengthHint(t *Thread, a *Args) (Value, error) {
	it, ok := a.Pos[0].o.(*Iter)
	if !ok || it.src.k == kUnset {
		return intValue(0), nil
	}
	if it.kind == iterRange {
		return intValue(it.n), nil
	}
	n, err := t.length(it.src)
	return intValue(max(int64(n)-it.i, 0)), err
}
