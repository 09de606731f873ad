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
		params, call := dunder(name)
		out = append(out, newMethod(recv, class+"."+name, params, call))
	}
	return out
}

// dunder is what is behind a special method of any built-in class.
func dunder(name string) (params string, call value.NativeFunc) {
	params = "self, value, /"
	for op, o := range value.Operators {
		if name == o.Plain {
			return params, operatorNative(syntax.Operator(op))
		}
	}
	for op, o := range value.CmpNames {
		if name == o.Plain {
			return params, func(t *value.Thread, a *value.Args) (value.Value, error) {
				return t.Compare(syntax.CmpOperator(op), a.Pos[0], t.Base(a.Pos[1]))
			}
		}
	}
	switch name {
	case "__getitem__":
		return params, func(t *value.Thread, a *value.Args) (value.Value, error) { return t.GetItem(a.Pos[0], a.Pos[1]) }
	case "__setitem__":
		return "self, key, value, /", func(t *value.Thread, a *value.Args) (value.Value, error) {
			return value.None, t.SetItem(a.Pos[0], a.Pos[1], a.Pos[2])
		}
	case "__delitem__":
		return params, func(t *value.Thread, a *value.Args) (value.Value, error) {
			return value.None, t.DelItem(a.Pos[0], a.Pos[1])
		}
	case "__contains__":
		return params, func(t *value.Thread, a *value.Args) (value.Value, error) {
			return t.Compare(syntax.In, a.Pos[1], a.Pos[0])
		}
	case "__format__":
		return params, builtinFormat
	}
	return "self, /", func(t *value.Thread, a *value.Args) (value.Value, error) { return special(t, name, a.Pos[0]) }
}

// operatorNative is an operator as a method: NotImplemented where the other side does not fit.
func operatorNative(op syntax.Operator) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		v, ok, err := t.BinaryCore(op, a.Pos[0], t.Base(a.Pos[1]))
		if !ok && err == nil {
			v = value.NotImplemented
		}
		return v, err
	}
}

// special executes a special method without arguments on a built-in value.
func special(t *value.Thread, name string, self value.Value) (value.Value, error) {
	for op, o := range value.UnaryNames {
		if name == o.Plain {
			return t.Unary(syntax.UnaryOperator(op), self)
		}
	}
	switch name {
	case "__len__":
		n, err := t.Length(self)
		return value.Int(int64(n)), err
	case "__iter__":
		return t.Iter(self)
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
	case "__index__", "__int__":
		return intOf(t, self)
	case "__float__":
		f, err := t.Real(self)
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
		t.See(v.Label)
		err = t.RaiseArgs(t.Types.StopIteration)
	}
	return v, err
}

// iterNatives are the methods of iterators.
func iterNatives() []*value.Native {
	var out []*value.Native
	for _, class := range [...]string{"iterator", "enumerate", "zip", "map", "filter", "reversed"} {
		out = append(out, dunders(value.KIter, class, "__iter__ __next__")...)
	}
	return out
}
