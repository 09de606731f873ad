package builtin

import "praxis/internal/plan/value"

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
	}
}

// objectNew makes an instance of a class that derives from object alone.
func objectNew(t *value.Thread, a *value.Args) (value.Value, error) {
	if len(a.Pos) == 0 || a.Pos[0].Kind != value.KClass {
		return value.Value{}, t.Raise(t.Types.TypeError, "object.__new__() takes a class")
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
	if len(a.Pos) > 1 || len(a.Named) > 0 {
		c := t.ClassOf(a.Pos[0])
		_, newOwner, _ := c.Lookup("__new__")
		_, initOwner, _ := c.Lookup("__init__")
		if initOwner != t.Types.Object || newOwner == t.Types.Object {
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

// exceptionNatives are the methods of exceptions.
func exceptionNatives() []*value.Native {
	n := func(name, params string, f value.NativeFunc) *value.Native {
		return &value.Native{Name: name, Params: params, Call: f, Precise: true}
	}
	return []*value.Native{
		n("BaseException.__new__", "", exceptionNew),
		n("BaseException.__init__", "", exceptionInit),
		{Name: "BaseException.__str__", Params: "self, /", Call: exceptionText("__str__", (*value.Thread).AppendException)},
		{Name: "BaseException.__repr__", Params: "self, /", Call: exceptionText("__repr__", (*value.Thread).AppendExceptionRepr)},
		n("BaseException.with_traceback", "self, tb, /", func(t *value.Thread, a *value.Args) (value.Value, error) { return a.Pos[0], nil }),
		{Name: "BaseException.add_note", Params: "self, note, /", Call: exceptionAddNote, Precise: true, Changes: true},
	}
}

func exceptionNew(t *value.Thread, a *value.Args) (value.Value, error) {
	if len(a.Pos) == 0 || a.Pos[0].Kind != value.KClass || !a.Pos[0].Obj.(*value.Class).IsExc {
		return value.Value{}, t.Raise(t.Types.TypeError, "BaseException.__new__(X): X is not a subtype of BaseException")
	}
	c := a.Pos[0].Obj.(*value.Class)
	if c.Static && len(a.Named) > 0 {
		return value.Value{}, t.Raise(t.Types.TypeError, "%s() takes no keyword arguments", c.Name)
	}
	e := t.NewException(c, append([]value.Value(nil), a.Pos[1:]...))
	return value.Value{Kind: value.KObject, Obj: e, Label: a.Pos[0].Label}, t.Alloc(256)
}

// exceptionOf is the exception that a method of BaseException was called on.
func exceptionOf(t *value.Thread, v value.Value, method string) (*value.Exception, error) {
	e, ok := v.Obj.(*value.Exception)
	if !ok {
		return nil, t.WrongSelf("BaseException."+method, v)
	}
	return e, nil
}

func exceptionInit(t *value.Thread, a *value.Args) (value.Value, error) {
	e, err := exceptionOf(t, a.Pos[0], "__init__")
	if err != nil {
		return value.Value{}, err
	}
	if len(a.Named) > 0 {
		return value.Value{}, t.Raise(t.Types.TypeError, "%s() takes no keyword arguments", e.Cls.Name)
	}
	e.Args = t.Tuple(append([]value.Value(nil), a.Pos[1:]...))
	return value.None, nil
}

// exceptionText is str() or repr() of an exception, whatever its class overrides.
func exceptionText(method string, write func(*value.Thread, []byte, value.Value, *value.Exception) ([]byte, error)) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		e, err := exceptionOf(t, a.Pos[0], method)
		if err != nil {
			return value.Value{}, err
		}
		b, err := write(t, nil, a.Pos[0], e)
		if err != nil {
			return value.Value{}, err
		}
		return t.NewStr(string(b))
	}
}

func exceptionAddNote(t *value.Thread, a *value.Args) (value.Value, error) {
	e, err := exceptionOf(t, a.Pos[0], "add_note")
	if err != nil {
		return value.Value{}, err
	}
	if _, err := textArg(t, text{}, a.Pos[1], "add_note"); err != nil {
		return value.Value{}, err
	}
	t.Chosen(a.Pos[0].Label, value.Unknown) // whether others have notes
	e.Notes = append(e.Notes, t.Under(a.Pos[1]).With(t.Join(a.Pos[1].Label, a.Pos[0].Label)))
	return value.None, t.Alloc(value.ValueBytes)
}
