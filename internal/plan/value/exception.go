package value

// setExceptionAttr sets an attribute that the built-in part of an exception holds.
func (t *Thread) setExceptionAttr(e *Exception, name string, v Value) (bool, error) {
	switch name {
	case "args":
		items, err := t.Collect(v)
		if err != nil {
			return true, err
		}
		e.Args = t.Tuple(items).With(v.Label)
		return true, nil
	case "__cause__":
		if _, ok := v.Obj.(*Exception); !ok && v.Kind != KNone {
			return true, t.Raise(t.Types.TypeError, "exception cause must be None or derive from BaseException")
		}
		e.Cause = v
		return true, nil
	}
	return false, nil
}

// NewException makes an instance of the exception class c.
func (t *Thread) NewException(c *Class, args []Value) *Exception {
	return &Exception{Instance: Instance{Cls: c}, Args: t.Tuple(args), Cause: None}
}

// dataAttr returns an attribute of a value of a built-in class that is data and
// not a method: slice.start, int.real, exception.args and their like. It is
// labelled with v's label.
func (t *Thread) dataAttr(v Value, name string) (Value, bool) {
	r, ok := t.dataOf(v, name)
	if ok && v.Label != 0 {
		r.Label = t.Join(r.Label, v.Label)
	}
	return r, ok
}

func (t *Thread) dataOf(v Value, name string) (Value, bool) {
	switch o := v.Obj.(type) {
	case *Slice:
		return rangePart(name, o.Start, o.Stop, o.Step)
	case *Range:
		return rangePart(name, Int(o.Start).With(o.Depends), Int(o.Stop).With(o.Depends), Int(o.Step).With(o.Depends))
	case *Exception:
		return t.exceptionAttr(o, name)
	}
	if b := t.Base(v); IsInt(b) {
		switch name {
		case "numerator":
			return PlainInt(b), true
		case "denominator":
			return Int(1), true
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
	items := e.Args.Obj.(*Tuple).Items
	at := func(i int) (Value, bool) {
		if i < len(items) {
			return items[i].With(t.Join(items[i].Label, e.Args.Label)), true
		}
		return None, true
	}
	switch name {
	case "args":
		return e.Args, true
	case "__cause__":
		return e.Cause, true
	case "__notes__":
		if e.Notes == nil {
			return Value{}, false
		}
		return t.List(append([]Value(nil), e.Notes...)), true
	}
	ts := t.Types
	switch {
	case e.Cls.Derives(ts.StopIteration) && name == "value":
		return at(0)
	case e.Cls.Derives(ts.SystemExit) && name == "code":
		if len(items) > 1 {
			return e.Args, true
		}
		return at(0)
	}
	return Value{}, false
}
