package vm

import "praxis/internal/plan/syntax"

// objectNatives are the methods that every object has.
func objectNatives() []*Native {
	n := func(name, params string, f nativeFunc) *Native {
		return &Native{name: "object." + name, params: params, call: f, precise: true}
	}
	return []*Native{
		n("__new__", "", objectNew),
		n("__init__", "", objectInit),
		n("__repr__", "self, /", objectRepr),
		n("__str__", "self, /", objectStr),
		n("__hash__", "self, /", func(t *Thread, a *Args) (Value, error) {
			return intValue(int64(t.identity(a.Pos[0]))).with(a.Pos[0].l), nil
		}),
		n("__eq__", "self, value, /", objectEq),
		n("__ne__", "self, value, /", objectNe),
		n("__lt__", "self, value, /", objectOrder),
		n("__le__", "self, value, /", objectOrder),
		n("__gt__", "self, value, /", objectOrder),
		n("__ge__", "self, value, /", objectOrder),
		n("__format__", "self, format_spec, /", objectFormat),
		n("__init_subclass__", "", func(t *Thread, a *Args) (Value, error) {
			if len(a.Named) > 0 {
				return Value{}, t.raise(t.types.TypeError, "%s.__init_subclass__() takes no keyword arguments", a.Pos[0].o.(*Class).name)
			}
			return none, nil
		}),
	}
}

// objectNew makes an instance of a class that derives from object alone.
func objectNew(t *Thread, a *Args) (Value, error) {
	if len(a.Pos) == 0 {
		return Value{}, t.raise(t.types.TypeError, "object.__new__(): not enough arguments")
	}
	if a.Pos[0].k != kClass {
		return Value{}, t.failOf(a.Pos[0], t.types.TypeError, "object.__new__(X): X is not a type object (%s)", t.className(a.Pos[0]))
	}
	c := a.Pos[0].o.(*Class)
	if len(a.Pos) > 1 || len(a.Named) > 0 {
		_, newOwner, _ := c.lookup("__new__")
		_, initOwner, _ := c.lookup("__init__")
		if newOwner != t.types.Object {
			return Value{}, t.raise(t.types.TypeError, "object.__new__() takes exactly one argument (the type to instantiate)")
		}
		if initOwner == t.types.Object {
			return Value{}, t.raise(t.types.TypeError, "%s() takes no arguments", c.name)
		}
	}
	if c.isExc {
		return Value{k: kObject, o: &Exception{Instance: Instance{cls: c}, args: t.tuple(nil), cause: none, context: none}, l: a.Pos[0].l}, nil
	}
	if c.static && c != t.types.Object || c.layout != kObject {
		return Value{}, t.raise(t.types.TypeError, "object.__new__(%s) is not safe, use %s.__new__()", c.name, c.name)
	}
	return Value{k: kObject, o: &Instance{cls: c}, l: a.Pos[0].l}, t.alloc(128)
}

func objectInit(t *Thread, a *Args) (Value, error) {
	if len(a.Pos) == 0 {
		return Value{}, t.raise(t.types.TypeError, "object.__init__(): not enough arguments")
	}
	if len(a.Pos) > 1 || len(a.Named) > 0 {
		c := t.classOf(a.Pos[0])
		_, newOwner, _ := c.lookup("__new__")
		_, initOwner, _ := c.lookup("__init__")
		if initOwner != t.types.Object {
			return Value{}, t.raise(t.types.TypeError, "object.__init__() takes exactly one argument (the instance to initialize)")
		}
		if newOwner == t.types.Object {
			return Value{}, t.raise(t.types.TypeError, "%s.__init__() takes exactly one argument (the instance to initialize)", c.name)
		}
	}
	return none, nil
}

func objectRepr(t *Thread, a *Args) (Value, error) {
	return t.str(string(t.appendDefault(nil, a.Pos[0]))).with(a.Pos[0].l), nil
}

// objectStr is str() where the class has no __str__: what its __repr__ gives.
func objectStr(t *Thread, a *Args) (Value, error) { return t.convert(a.Pos[0], 'r') }

func objectEq(t *Thread, a *Args) (Value, error) {
	l := t.join(a.Pos[0].l, a.Pos[1].l)
	if same(a.Pos[0], a.Pos[1]) {
		return boolValue(true).with(l), nil
	}
	return notImplemented.with(l), nil
}

// objectNe is the opposite of what __eq__ of the class says.
func objectNe(t *Thread, a *Args) (Value, error) {
	if _, ok := t.override(a.Pos[0], "__eq__"); ok {
		v, _, err := t.callSpecial(a.Pos[0], "__eq__", a.Pos[1])
		if err != nil || v.k == kNotImplemented {
			return v, err
		}
		return t.unary(syntax.Not, v)
	}
	v, err := objectEq(t, a)
	if v.k == kBool {
		v.n = 0
	}
	return v, err
}

func objectOrder(t *Thread, a *Args) (Value, error) { return notImplemented, nil }

func objectFormat(t *Thread, a *Args) (Value, error) {
	l := t.join(a.Pos[0].l, a.Pos[1].l)
	spec, ok := t.payload(a.Pos[1], kStr)
	if !ok {
		return Value{}, t.failAt(l, t.types.TypeError, "__format__() argument must be str, not %s", t.argName(a.Pos[1]))
	}
	if spec.o.(*Str).s != "" {
		return Value{}, t.failAt(l, t.types.TypeError, "unsupported format string passed to %s.__format__", t.className(a.Pos[0]))
	}
	v, err := t.strValue(a.Pos[0])
	return v.with(t.join(v.l, l)), err
}

// exceptionNatives are the methods of exceptions.
func exceptionNatives() []*Native {
	n := func(name, params string, f nativeFunc) *Native {
		return &Native{name: name, params: params, call: f, precise: true}
	}
	return []*Native{
		n("BaseException.__new__", "", exceptionNew),
		n("BaseException.__init__", "", exceptionInit),
		n("BaseException.__str__", "self, /", exceptionStr),
		n("BaseException.__repr__", "self, /", exceptionRepr),
		n("BaseException.with_traceback", "self, tb, /", func(t *Thread, a *Args) (Value, error) { return a.Pos[0], nil }),
		n("BaseException.add_note", "self, note, /", exceptionAddNote),
		n("OSError.__new__", "", osErrorNew),
		n("BaseExceptionGroup.__new__", "", groupNew),
		n("BaseExceptionGroup.derive", "self, excs, /", groupDerive),
	}
}

// newException makes an instance of the exception class c.
func (t *Thread) newException(c *Class, args []Value) *Exception {
	return &Exception{Instance: Instance{cls: c}, args: t.tuple(args), cause: none, context: none}
}

func exceptionNew(t *Thread, a *Args) (Value, error) {
	if len(a.Pos) == 0 || a.Pos[0].k != kClass || !a.Pos[0].o.(*Class).isExc {
		return Value{}, t.raise(t.types.TypeError, "BaseException.__new__(X): X is not a subtype of BaseException")
	}
	c := a.Pos[0].o.(*Class)
	if c.static && len(a.Named) > 0 && !takesNames(t, c) {
		return Value{}, t.raise(t.types.TypeError, "%s() takes no keyword arguments", c.name)
	}
	if c.derives(t.types.UnicodeDecodeError) || c.derives(t.types.UnicodeEncodeError) {
		if n := len(a.Pos) - 1; c.static && n != 5 {
			return Value{}, t.raise(t.types.TypeError, "function takes exactly 5 arguments (%d given)", n)
		}
	}
	e := t.newException(c, append([]Value(nil), a.Pos[1:]...))
	v := Value{k: kObject, o: e, l: a.Pos[0].l}
	t.setNames(e, a)
	return v, t.alloc(256)
}

// takesNames reports whether a built-in exception takes keyword arguments.
func takesNames(t *Thread, c *Class) bool {
	return c.derives(t.types.ImportError) || c.derives(t.types.NameError) || c.derives(t.types.AttributeError)
}

// setNames keeps the keyword arguments of exceptions that take some as attributes.
func (t *Thread) setNames(e *Exception, a *Args) {
	if !e.cls.static {
		return
	}
	for i, name := range a.Names {
		e.attrs.setStr(t, name, a.Named[i])
	}
}

func exceptionInit(t *Thread, a *Args) (Value, error) {
	e, ok := a.Pos[0].o.(*Exception)
	if !ok {
		return Value{}, t.wrongSelf("BaseException.__init__", a.Pos[0])
	}
	if len(a.Named) > 0 && !takesNames(t, e.cls) {
		return Value{}, t.raise(t.types.TypeError, "%s() takes no keyword arguments", e.cls.name)
	}
	if e.cls.derives(t.types.OSError) && len(a.Pos) > 3 {
		return none, nil // __new__ has them
	}
	e.args = t.tuple(append([]Value(nil), a.Pos[1:]...))
	for i, name := range a.Names {
		e.attrs.setStr(t, name, t.under(a.Named[i]))
	}
	return none, nil
}

func exceptionStr(t *Thread, a *Args) (Value, error) {
	e, ok := a.Pos[0].o.(*Exception)
	if !ok {
		return Value{}, t.wrongSelf("BaseException.__str__", a.Pos[0])
	}
	return t.seenText(func() ([]byte, error) { return t.appendException(nil, a.Pos[0], e) })
}

// exceptionRepr is repr() of an exception, whatever its class overrides.
func exceptionRepr(t *Thread, a *Args) (Value, error) {
	e, ok := a.Pos[0].o.(*Exception)
	if !ok {
		return Value{}, t.wrongSelf("BaseException.__repr__", a.Pos[0])
	}
	return t.seenText(func() ([]byte, error) { return t.appendExceptionRepr(nil, a.Pos[0], e) })
}

// seenText makes a string value of what f writes, labelled with what f saw.
func (t *Thread) seenText(f func() ([]byte, error)) (Value, error) {
	seen := t.seen
	t.seen = 0
	b, err := f()
	l := t.seen
	t.seen = seen
	if err != nil {
		return Value{}, err
	}
	v, err := t.newStr(string(b))
	return v.with(l), err
}

func exceptionAddNote(t *Thread, a *Args) (Value, error) {
	e, ok := a.Pos[0].o.(*Exception)
	if !ok {
		return Value{}, t.wrongSelf("BaseException.add_note", a.Pos[0])
	}
	if _, ok := t.payload(a.Pos[1], kStr); !ok {
		return Value{}, t.failOf(a.Pos[1], t.types.TypeError, "add_note() argument must be str, not %s", t.argName(a.Pos[1]))
	}
	e.notes = append(e.notes, t.under(a.Pos[1]).with(t.join(a.Pos[1].l, a.Pos[0].l)))
	return none, t.alloc(valueBytes)
}

// osErrors are the classes that OSError(number, …) becomes.
func (t *Thread) osErrorClass(number int64) (*Class, bool) {
	e := &t.types.exceptions
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

func osErrorNew(t *Thread, a *Args) (Value, error) {
	if len(a.Named) > 0 && a.Pos[0].o.(*Class).static {
		return Value{}, t.raise(t.types.TypeError, "%s() takes no keyword arguments", a.Pos[0].o.(*Class).name)
	}
	v, err := exceptionNew(t, a)
	if err != nil {
		return Value{}, err
	}
	e := v.o.(*Exception)
	n := len(a.Pos) - 1
	if n >= 2 && n <= 5 {
		if c, ok := t.osErrorClass(a.Pos[1].n); ok && a.Pos[1].k == kInt && e.cls == t.types.OSError {
			e.cls = c
		}
		names := [...]string{"errno", "strerror", "filename", "winerror", "filename2"}
		for i, x := range a.Pos[1:] {
			e.attrs.setStr(t, names[i], x)
		}
		if n > 2 {
			e.args = t.tuple(append([]Value(nil), a.Pos[1:3]...))
		}
	}
	return v, nil
}

// groupNew makes a group of exceptions.
func groupNew(t *Thread, a *Args) (Value, error) {
	if len(a.Pos) != 3 {
		return Value{}, t.raise(t.types.TypeError, "BaseExceptionGroup.__new__() takes exactly 2 arguments (%d given)", max(len(a.Pos)-1, 0))
	}
	c := a.Pos[0].o.(*Class)
	if _, ok := t.payload(a.Pos[1], kStr); !ok {
		return Value{}, t.failOf(a.Pos[1], t.types.TypeError, "BaseExceptionGroup.__new__() argument 1 must be str, not %s", t.argName(a.Pos[1]))
	}
	seq := t.plainSeq(a.Pos[2])
	if seq.k != kList && seq.k != kTuple {
		return Value{}, t.failOf(a.Pos[2], t.types.TypeError, "second argument (exceptions) must be a sequence")
	}
	items, err := t.collect(seq)
	if err != nil {
		return Value{}, err
	}
	if len(items) == 0 {
		return Value{}, t.failOf(a.Pos[2], t.types.ValueError, "second argument (exceptions) must be a non-empty sequence")
	}
	plain := true
	for i, x := range items {
		if _, ok := x.o.(*Exception); !ok {
			return Value{}, t.failOf(x, t.types.ValueError, "Item %d of second argument (exceptions) is not an exception", i)
		}
		plain = plain && t.isInstance(x, t.types.Exception)
	}
	if c.derives(t.types.Exception) && !plain {
		return Value{}, t.raise(t.types.TypeError, "Cannot nest BaseExceptions in an ExceptionGroup")
	}
	if c == t.types.BaseExceptionGroup && plain {
		c = t.types.ExceptionGroup
	}
	e := t.newException(c, []Value{a.Pos[1], a.Pos[2]})
	e.attrs.setStr(t, "message", a.Pos[1])
	e.attrs.setStr(t, "exceptions", t.tuple(items).with(t.join(a.Pos[2].l, t.seen)))
	return Value{k: kObject, o: e, l: a.Pos[0].l}, t.alloc(256)
}

func groupDerive(t *Thread, a *Args) (Value, error) {
	e, ok := a.Pos[0].o.(*Exception)
	if !ok {
		return Value{}, t.wrongSelf("BaseExceptionGroup.derive", a.Pos[0])
	}
	message, _ := e.attrs.str("message")
	return groupNew(t, &Args{Pos: []Value{{k: kClass, o: t.types.BaseExceptionGroup}, message, a.Pos[1]}})
}

// dataAttr returns an attribute of a value of a built-in class that is data and
// not a method: slice.start, int.real, exception.args and their like. It is
// labelled with v's label.
func (t *Thread) dataAttr(v Value, name string) (Value, bool) {
	r, ok := t.dataOf(v, name)
	if ok && v.l != 0 {
		r.l = t.join(r.l, v.l)
	}
	return r, ok
}

func (t *Thread) dataOf(v Value, name string) (Value, bool) {
	switch o := v.o.(type) {
	case *Slice:
		return rangePart(name, o.start, o.stop, o.step)
	case *Range:
		return rangePart(name, o.start, o.stop, o.step)
	case *View:
		if name == "mapping" {
			return Value{k: kDict, o: o.d}, true
		}
	case *Exception:
		return t.exceptionAttr(o, name)
	}
	switch b := t.base(v); b.k {
	case kInt, kBool, kBig:
		switch name {
		case "real", "numerator":
			return plainInt(b), true
		case "imag":
			return intValue(0), true
		case "denominator":
			return intValue(1), true
		}
	case kFloat:
		switch name {
		case "real":
			return b, true
		case "imag":
			return floatValue(0), true
		}
	}
	return Value{}, false
}

func rangePart(name string, start, stop, step Value) (Value, bool) {
	switch name {
	case "start":
		return start, true
	case "stop":
		return stop, true
	case "step":
		return step, true
	}
	return Value{}, false
}

func (t *Thread) exceptionAttr(e *Exception, name string) (Value, bool) {
	items := e.args.o.(*Tuple).items
	at := func(i int) (Value, bool) {
		if i < len(items) {
			return items[i].with(t.join(items[i].l, e.args.l)), true
		}
		return none, true
	}
	switch name {
	case "args":
		return e.args, true
	case "__cause__":
		return e.cause, true
	case "__context__":
		return e.context, true
	case "__suppress_context__":
		return boolValue(e.suppress), true
	case "__traceback__":
		return none, true
	case "__notes__":
		if e.notes == nil {
			return Value{}, false
		}
		return t.list(append([]Value(nil), e.notes...)), true
	}
	ts := t.types
	switch {
	case e.cls.derives(ts.StopIteration) && name == "value":
		return at(0)
	case e.cls.derives(ts.SystemExit) && name == "code":
		if len(items) > 1 {
			return e.args, true
		}
		return at(0)
	case e.cls.derives(ts.OSError), takesNames(t, e.cls):
		if v, ok := e.attrs.str(name); ok {
			return v, true
		}
		switch name {
		case "errno", "strerror", "filename", "filename2":
			return none, e.cls.derives(ts.OSError)
		case "name":
			return none, !e.cls.derives(ts.OSError)
		case "obj":
			return none, e.cls.derives(ts.AttributeError)
		case "path":
			return none, e.cls.derives(ts.ImportError)
		case "msg":
			v, _ := at(0)
			return v, e.cls.derives(ts.ImportError)
		}
	case e.cls.derives(ts.BaseExceptionGroup) && (name == "message" || name == "exceptions"):
		return e.attrs.str(name)
	case e.cls.derives(ts.SyntaxError) && name == "msg":
		return at(0)
	case e.cls.derives(ts.UnicodeError):
		for i, n := range [...]string{"encoding", "object", "start", "end", "reason"} {
			if n == name && i < len(items) {
				return at(i)
			}
		}
	}
	return Value{}, false
}
