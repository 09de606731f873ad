package builtin

import (
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// objectNatives are the methods that every object has.
func objectNatives() []*value.Native {
	n := func(name, params string, f value.NativeFunc) *value.Native {
		return &value.Native{Name: "object." + name, Params: params, Call: f, Precise: true}
	}
	return []*value.Native{
		n("__new__", "", objectNew),
		n("__init__", "", objectInit),
		n("__repr__", "self, /", objectRepr),
		n("__str__", "self, /", objectStr),
		n("__hash__", "self, /", func(t *value.Thread, a *value.Args) (value.Value, error) {
			return value.Int(int64(t.Identity(a.Pos[0]))).With(a.Pos[0].Label), nil
		}),
		n("__eq__", "self, value, /", objectEq),
		n("__ne__", "self, value, /", objectNe),
		n("__lt__", "self, value, /", objectOrder),
		n("__le__", "self, value, /", objectOrder),
		n("__gt__", "self, value, /", objectOrder),
		n("__ge__", "self, value, /", objectOrder),
		n("__format__", "self, format_spec, /", objectFormat),
	}
}

// objectNew makes an instance of a class that derives from object alone.
func objectNew(t *value.Thread, a *value.Args) (value.Value, error) {
	if len(a.Pos) == 0 {
		return value.Value{}, t.Raise(t.Types.TypeError, "object.__new__(): not enough arguments")
	}
	if a.Pos[0].Kind != value.KClass {
		return value.Value{}, t.FailOf(a.Pos[0], t.Types.TypeError, "object.__new__(X): X is not a type object (%s)", t.ClassName(a.Pos[0]))
	}
	c := a.Pos[0].Obj.(*value.Class)
	if len(a.Pos) > 1 || len(a.Named) > 0 {
		_, newOwner, _ := c.Lookup("__new__")
		_, initOwner, _ := c.Lookup("__init__")
		if newOwner != t.Types.Object {
			return value.Value{}, t.Raise(t.Types.TypeError, "object.__new__() takes exactly one argument (the type to instantiate)")
		}
		if initOwner == t.Types.Object {
			return value.Value{}, t.Raise(t.Types.TypeError, "%s() takes no arguments", c.Name)
		}
	}
	if c.IsExc {
		return value.Value{Kind: value.KObject, Obj: &value.Exception{Instance: value.Instance{Cls: c}, Args: t.Tuple(nil), Cause: value.None}, Label: a.Pos[0].Label}, nil
	}
	if c.Static && c != t.Types.Object || c.Layout != value.KObject {
		return value.Value{}, t.Raise(t.Types.TypeError, "object.__new__(%s) is not safe, use %s.__new__()", c.Name, c.Name)
	}
	return value.Value{Kind: value.KObject, Obj: &value.Instance{Cls: c}, Label: a.Pos[0].Label}, t.Alloc(128)
}

func objectInit(t *value.Thread, a *value.Args) (value.Value, error) {
	if len(a.Pos) == 0 {
		return value.Value{}, t.Raise(t.Types.TypeError, "object.__init__(): not enough arguments")
	}
	if len(a.Pos) > 1 || len(a.Named) > 0 {
		c := t.ClassOf(a.Pos[0])
		_, newOwner, _ := c.Lookup("__new__")
		_, initOwner, _ := c.Lookup("__init__")
		if initOwner != t.Types.Object {
			return value.Value{}, t.Raise(t.Types.TypeError, "object.__init__() takes exactly one argument (the instance to initialize)")
		}
		if newOwner == t.Types.Object {
			return value.Value{}, t.Raise(t.Types.TypeError, "%s.__init__() takes exactly one argument (the instance to initialize)", c.Name)
		}
	}
	return value.None, nil
}

func objectRepr(t *value.Thread, a *value.Args) (value.Value, error) {
	return t.Str(string(t.AppendDefault(nil, a.Pos[0]))).With(a.Pos[0].Label), nil
}

// objectStr is str() where the class has no __str__: what its __repr__ gives.
func objectStr(t *value.Thread, a *value.Args) (value.Value, error) { return t.Convert(a.Pos[0], 'r') }

func objectEq(t *value.Thread, a *value.Args) (value.Value, error) {
	l := t.Join(a.Pos[0].Label, a.Pos[1].Label)
	if value.Is(a.Pos[0], a.Pos[1]) {
		return value.Bool(true).With(l), nil
	}
	return value.NotImplemented.With(l), nil
}

// objectNe is the opposite of what __eq__ of the class says.
func objectNe(t *value.Thread, a *value.Args) (value.Value, error) {
	if _, ok := t.Override(a.Pos[0], "__eq__"); ok {
		v, _, err := t.CallSpecial(a.Pos[0], "__eq__", a.Pos[1])
		if err != nil || v.Kind == value.KNotImplemented {
			return v, err
		}
		return t.Unary(syntax.Not, v)
	}
	v, err := objectEq(t, a)
	if v.Kind == value.KBool {
		v.N = 0
	}
	return v, err
}

func objectOrder(t *value.Thread, a *value.Args) (value.Value, error) {
	return value.NotImplemented, nil
}

func objectFormat(t *value.Thread, a *value.Args) (value.Value, error) {
	l := t.Join(a.Pos[0].Label, a.Pos[1].Label)
	spec, ok := t.Payload(a.Pos[1], value.KStr)
	if !ok {
		return value.Value{}, t.FailAt(l, t.Types.TypeError, "__format__() argument must be str, not %s", argName(t, a.Pos[1]))
	}
	if spec.Obj.(*value.Str).Text != "" {
		return value.Value{}, t.FailAt(l, t.Types.TypeError, "unsupported format string passed to %s.__format__", t.ClassName(a.Pos[0]))
	}
	v, err := t.StrValue(a.Pos[0])
	return v.With(t.Join(v.Label, l)), err
}

// exceptionNatives are the methods of exceptions.
func exceptionNatives() []*value.Native {
	n := func(name, params string, f value.NativeFunc) *value.Native {
		return &value.Native{Name: name, Params: params, Call: f, Precise: true}
	}
	return []*value.Native{
		n("BaseException.__new__", "", exceptionNew),
		n("BaseException.__init__", "", exceptionInit),
		n("BaseException.__str__", "self, /", exceptionStr),
		n("BaseException.__repr__", "self, /", exceptionRepr),
		n("BaseException.with_traceback", "self, tb, /", func(t *value.Thread, a *value.Args) (value.Value, error) { return a.Pos[0], nil }),
		n("BaseException.add_note", "self, note, /", exceptionAddNote),
		n("OSError.__new__", "", osErrorNew),
	}
}

func exceptionNew(t *value.Thread, a *value.Args) (value.Value, error) {
	if len(a.Pos) == 0 || a.Pos[0].Kind != value.KClass || !a.Pos[0].Obj.(*value.Class).IsExc {
		return value.Value{}, t.Raise(t.Types.TypeError, "BaseException.__new__(X): X is not a subtype of BaseException")
	}
	c := a.Pos[0].Obj.(*value.Class)
	if c.Static && len(a.Named) > 0 && !value.TakesNames(t, c) {
		return value.Value{}, t.Raise(t.Types.TypeError, "%s() takes no keyword arguments", c.Name)
	}
	if c.Derives(t.Types.UnicodeDecodeError) || c.Derives(t.Types.UnicodeEncodeError) {
		if n := len(a.Pos) - 1; c.Static && n != 5 {
			return value.Value{}, t.Raise(t.Types.TypeError, "function takes exactly 5 arguments (%d given)", n)
		}
	}
	e := t.NewException(c, append([]value.Value(nil), a.Pos[1:]...))
	v := value.Value{Kind: value.KObject, Obj: e, Label: a.Pos[0].Label}
	setNames(t, e, a)
	return v, t.Alloc(256)
}

// setNames keeps the keyword arguments of exceptions that take some as attributes.
func setNames(t *value.Thread, e *value.Exception, a *value.Args) {
	if !e.Cls.Static {
		return
	}
	for i, name := range a.Names {
		e.Attrs.SetStr(t, name, a.Named[i])
	}
}

func exceptionInit(t *value.Thread, a *value.Args) (value.Value, error) {
	e, ok := a.Pos[0].Obj.(*value.Exception)
	if !ok {
		return value.Value{}, t.WrongSelf("BaseException.__init__", a.Pos[0])
	}
	if len(a.Named) > 0 && !value.TakesNames(t, e.Cls) {
		return value.Value{}, t.Raise(t.Types.TypeError, "%s() takes no keyword arguments", e.Cls.Name)
	}
	if e.Cls.Derives(t.Types.OSError) && len(a.Pos) > 3 {
		return value.None, nil // __new__ has them
	}
	e.Args = t.Tuple(append([]value.Value(nil), a.Pos[1:]...))
	for i, name := range a.Names {
		e.Attrs.SetStr(t, name, t.Under(a.Named[i]))
	}
	return value.None, nil
}

func exceptionStr(t *value.Thread, a *value.Args) (value.Value, error) {
	e, ok := a.Pos[0].Obj.(*value.Exception)
	if !ok {
		return value.Value{}, t.WrongSelf("BaseException.__str__", a.Pos[0])
	}
	return seenText(t, func() ([]byte, error) { return t.AppendException(nil, a.Pos[0], e) })
}

// exceptionRepr is repr() of an exception, whatever its class overrides.
func exceptionRepr(t *value.Thread, a *value.Args) (value.Value, error) {
	e, ok := a.Pos[0].Obj.(*value.Exception)
	if !ok {
		return value.Value{}, t.WrongSelf("BaseException.__repr__", a.Pos[0])
	}
	return seenText(t, func() ([]byte, error) { return t.AppendExceptionRepr(nil, a.Pos[0], e) })
}

// seenText makes a string value of what f writes, labelled with what f saw.
func seenText(t *value.Thread, f func() ([]byte, error)) (value.Value, error) {
	seen := t.Seen
	t.Seen = 0
	b, err := f()
	l := t.Seen
	t.Seen = seen
	if err != nil {
		return value.Value{}, err
	}
	v, err := t.NewStr(string(b))
	return v.With(l), err
}

func exceptionAddNote(t *value.Thread, a *value.Args) (value.Value, error) {
	e, ok := a.Pos[0].Obj.(*value.Exception)
	if !ok {
		return value.Value{}, t.WrongSelf("BaseException.add_note", a.Pos[0])
	}
	if _, ok := t.Payload(a.Pos[1], value.KStr); !ok {
		return value.Value{}, t.FailOf(a.Pos[1], t.Types.TypeError, "add_note() argument must be str, not %s", argName(t, a.Pos[1]))
	}
	e.Notes = append(e.Notes, t.Under(a.Pos[1]).With(t.Join(a.Pos[1].Label, a.Pos[0].Label)))
	return value.None, t.Alloc(value.ValueBytes)
}

// osErrors are the classes that OSError(number, …) becomes.
func osErrorClass(t *value.Thread, number int64) (*value.Class, bool) {
	e := &t.Types.Exceptions
	switch number {
	case 1, 13:
		return e.PermissionError, true
	case 2:
		return e.FileNotFoundError, true
	case 3:
		return e.ProcessLookupError, true
	case 4:
		return e.InterruptedError, true
	case 10:
		return e.ChildProcessError, true
	case 11, 114, 115:
		return e.BlockingIOError, true
	case 17:
		return e.FileExistsError, true
	case 20:
		return e.NotADirectoryError, true
	case 21:
		return e.IsADirectoryError, true
	case 32, 108:
		return e.BrokenPipeError, true
	case 103:
		return e.ConnectionAbortedError, true
	case 104:
		return e.ConnectionResetError, true
	case 110:
		return e.TimeoutError, true
	case 111:
		return e.ConnectionRefusedError, true
	}
	return nil, false
}

func osErrorNew(t *value.Thread, a *value.Args) (value.Value, error) {
	if len(a.Named) > 0 && a.Pos[0].Obj.(*value.Class).Static {
		return value.Value{}, t.Raise(t.Types.TypeError, "%s() takes no keyword arguments", a.Pos[0].Obj.(*value.Class).Name)
	}
	v, err := exceptionNew(t, a)
	if err != nil {
		return value.Value{}, err
	}
	e := v.Obj.(*value.Exception)
	n := len(a.Pos) - 1
	if n >= 2 && n <= 5 {
		if c, ok := osErrorClass(t, a.Pos[1].N); ok && a.Pos[1].Kind == value.KInt && e.Cls == t.Types.OSError {
			e.Cls = c
		}
		names := [...]string{"errno", "strerror", "filename", "winerror", "filename2"}
		for i, x := range a.Pos[1:] {
			e.Attrs.SetStr(t, names[i], x)
		}
		if n > 2 {
			e.Args = t.Tuple(append([]value.Value(nil), a.Pos[1:3]...))
		}
	}
	return v, nil
}
