package builtin

import (
	"strings"

	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// newMethod makes a method of a built-in class: f gets self as a value of the kind recv.
func newMethod(recv value.Kind, name, params string, f value.NativeFunc) *value.Native {
	return &value.Native{Name: name, Params: params, Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
		if k := a.Pos[0].Kind; k != recv && !(recv == value.KInt && (k == value.KBool || k == value.KBig)) {
			self, ok := t.Payload(a.Pos[0], recv)
			if !ok {
				return value.Value{}, t.WrongSelf(name, a.Pos[0])
			}
			a.Pos[0] = self
		}
		return f(t, a)
	}}
}

// dunders makes the methods of a built-in class that implement operators.
func dunders(recv value.Kind, class, names string) []*value.Native {
	var out []*value.Native
	for name := range strings.FieldsSeq(names) {
		d := dunder(name)
		out = append(out, newMethod(recv, class+"."+name, d.Params, d.Call).Exact())
	}
	return out
}

// dunder is the native behind a special method of any built-in class.
func dunder(name string) value.Native {
	if name == "__pow__" {
		return value.Native{Params: "self, value, mod=None, /", Call: powNative}
	}
	for op, n := range value.Operators {
		switch name {
		case n.Plain:
			return value.Native{Params: "self, value, /", Call: operatorNative(syntax.Operator(op), false)}
		case n.Reflected:
			return value.Native{Params: "self, value, /", Call: operatorNative(syntax.Operator(op), true)}
		case n.Inplace:
			return value.Native{Params: "self, value, /", Call: inplaceNative(syntax.Operator(op))}
		}
	}
	for op, n := range value.CmpNames {
		if name == n.Plain {
			return value.Native{Params: "self, value, /", Call: compareNative(syntax.CmpOperator(op))}
		}
	}
	for op, n := range value.UnaryNames {
		if name == n.Plain && name != "" {
			return value.Native{Params: "self, /", Call: unaryNative(syntax.UnaryOperator(op))}
		}
	}
	switch name {
	case "__getitem__":
		return value.Native{Params: "self, key, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) { return t.GetItem(a.Pos[0], a.Pos[1]) }}
	case "__setitem__":
		return value.Native{Params: "self, key, value, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			return value.None, t.SetItem(a.Pos[0], a.Pos[1], a.Pos[2])
		}}
	case "__delitem__":
		return value.Native{Params: "self, key, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			return value.None, t.DelItem(a.Pos[0], a.Pos[1])
		}}
	case "__contains__":
		return value.Native{Params: "self, key, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			return t.Compare(syntax.In, a.Pos[1], a.Pos[0])
		}}
	case "__iter__":
		return value.Native{Params: "self, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) { return t.Iter(a.Pos[0]) }}
	}
	return value.Native{Params: "self, /", Call: seenNative(name)}
}

func operatorNative(op syntax.Operator, reflected bool) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		if reflected && op == syntax.Mod && value.IsSequence(a.Pos[0]) && t.Base(a.Pos[1]).Kind != a.Pos[0].Kind {
			return value.NotImplemented, nil
		}
		x, y := a.Pos[0], t.Base(a.Pos[1])
		if value.IsInt(x) && !value.IsInt(y) || x.Kind == value.KFloat && !value.IsInt(y) && y.Kind != value.KFloat {
			return value.NotImplemented.With(t.Join(x.Label, y.Label)), nil
		}
		if reflected {
			x, y = y, x
		}
		v, ok, err := t.BinaryCore(op, x, y)
		if !ok && err == nil {
			v, err = noSequence(t, op, a.Pos[0], a.Pos[1])
		}
		v.Label = t.Join(v.Label, t.Join(x.Label, y.Label))
		return v, err
	}
}

// noSequence is what a + b and a * b of the methods of sequences give when b
// does not fit: an exception, where other classes return NotImplemented.
func noSequence(t *value.Thread, op syntax.Operator, a, b value.Value) (value.Value, error) {
	switch {
	case value.IsSequence(a) && op == syntax.Add:
		return value.Value{}, t.NoOperator(op, "+", a, b)
	case value.IsSequence(a) && op == syntax.Mult:
		return value.Value{}, t.FailOn(a, b, t.Types.TypeError, "'%s' object cannot be interpreted as an integer", t.ClassName(b))
	}
	return value.NotImplemented, nil
}

// powNative is pow(self, value, mod) of numbers.
func powNative(t *value.Thread, a *value.Args) (value.Value, error) {
	if !value.Given(a.Pos[2]) {
		return operatorNative(syntax.Pow, false)(t, a)
	}
	x, y, z := a.Pos[0], t.Base(a.Pos[1]), t.Base(a.Pos[2])
	switch {
	case x.Kind == value.KFloat:
		return value.Value{}, t.FailAt(t.Join(x.Label, z.Label), t.Types.TypeError, "pow() 3rd argument not allowed unless all arguments are integers")
	case !value.IsInt(y) || !value.IsInt(z):
		return value.NotImplemented.With(t.Join(x.Label, t.Join(y.Label, z.Label))), nil
	}
	return t.PowMod(x, y, z)
}

func inplaceNative(op syntax.Operator) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		x, y := a.Pos[0], t.Base(a.Pos[1])
		if x.Kind == value.KSet && !value.IsSetLike(y) || x.Kind == value.KList && op == syntax.Mult && !t.IsIndex(y) {
			return noSequence(t, op, x, y)
		}
		return t.Inplace(op, x, a.Pos[1])
	}
}

func compareNative(op syntax.CmpOperator) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		x, y := a.Pos[0], t.Base(a.Pos[1])
		seen := t.Seen
		t.Seen = t.Join(x.Label, y.Label)
		v := value.NotImplemented
		var err error
		switch op {
		case syntax.Eq, syntax.NotEq:
			if sameFamily(x, y) {
				var eq bool
				eq, err = t.EqualCore(x, y)
				v = value.Bool(eq == (op == syntax.Eq))
			}
		default:
			var ok, known bool
			if value.IsInt(x) && y.Kind == value.KFloat {
				break
			}
			if ok, known, err = t.Order(op, x, y); known {
				v = value.Bool(ok)
			}
		}
		v.Label = t.Join(v.Label, t.Seen)
		t.Seen = seen
		return v, err
	}
}

// sameFamily reports whether == of two built-in values is more than identity.
func sameFamily(a, b value.Value) bool {
	number := func(v value.Value) bool { return value.IsInt(v) || v.Kind == value.KFloat }
	return a.Kind == b.Kind || number(a) && number(b) && !(value.IsInt(a) && b.Kind == value.KFloat)
}

func unaryNative(op syntax.UnaryOperator) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) { return t.Unary(op, a.Pos[0]) }
}

// seenNative is a special method whose result depends on all that was seen.
func seenNative(name string) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		seen := t.Seen
		t.Seen = 0
		v, err := special(t, name, a.Pos[0])
		v.Label = t.Join(v.Label, t.Seen)
		t.Seen = seen
		return v, err
	}
}

// special executes a special method without arguments on a built-in value.
func special(t *value.Thread, name string, self value.Value) (value.Value, error) {
	switch name {
	case "__len__":
		n, err := t.Length(self)
		return value.Int(int64(n)), err
	case "__bool__":
		ok, err := t.Truth(self)
		return value.Bool(ok), err
	case "__hash__":
		h, err := t.Hash(self)
		return value.Int(int64(h)), err
	case "__repr__":
		s, err := t.Repr(self)
		return t.Str(s), err
	case "__str__":
		s, err := t.StrOf(self)
		return t.Str(s), err
	case "__abs__":
		return t.Abs(self)
	case "__index__", "__int__", "__trunc__", "__floor__", "__ceil__":
		return toInt(t, name, self)
	case "__float__":
		t.See(self.Label)
		f, err := t.ToFloat(self)
		return value.Float(f), err
	case "__next__":
		return nextOrStop(t, self)
	}
	return value.Value{}, t.Raise(t.Types.SystemError, "no method %s", name)
}

// nextOrStop is the next element of an iterator, or StopIteration.
func nextOrStop(t *value.Thread, it value.Value) (value.Value, error) {
	v, ok, err := t.Next(it)
	if err == nil && !ok {
		seen := t.Seen
		t.See(v.Label)
		err = t.RaiseArgs(t.Types.StopIteration)
		t.Seen = seen
	}
	return v, err
}

// iterNatives are the methods of iterators.
func iterNatives() []*value.Native {
	var out []*value.Native
	for kind := value.IterKind(1); kind < value.IterKinds; kind++ {
		out = append(out, dunders(value.KIter, value.IterNames[kind], "__iter__ __next__")...)
	}
	return out
}
