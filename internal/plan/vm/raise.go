package vm

import "praxis/internal/plan/label"

// unwind looks for the handler of an exception, from the frame at the top
// downwards, and makes the machine go on there. It gives back what no handler
// catches, and what is not an exception.
func (vm *VM) unwind(err error) error {
	for {
		r, ok := err.(*Raise)
		if !ok {
			return err
		}
		f := vm.frames[vm.depth]
		if !r.linked {
			r.linked = true
			vm.link(r)
		}
		if !r.quiet {
			pos := f.code.position(f.ip - 1)
			r.exc.trace = append(r.exc.trace, Trace{Module: f.code.unit.module, Func: f.code.qual, Line: int(pos.Line), Col: int(pos.Col)})
		}
		r.quiet = false
		if h, ok := f.code.handler(f.ip - 1); ok {
			if vm.t.strict {
				vm.t.stick(r.l)
			}
			f.sp = len(f.code.slots) + int(h.depth)
			f.put(Value{k: kObject, o: r.exc, l: r.l})
			f.ip = int(h.handler)
			return nil
		}
		mode, extra := f.mode, f.extra
		f.extra = Value{}
		g := f.gen
		if f.ret != 0 {
			r.l = vm.t.join(r.l, f.ret)
		}
		vm.pop(f)
		if g != nil {
			g.running = false
			g.f = nil
			err = vm.stopped(g, r)
		}
		if mode == retGo {
			return err
		}
		if err = vm.failed(mode, extra, err); err == nil {
			return nil
		}
	}
}

// link sets the context of a new exception: what is handled while it is raised.
func (vm *VM) link(r *Raise) {
	h := vm.handling()
	if h.k == kUnset {
		return
	}
	e := h.o.(*Exception)
	if e == r.exc {
		return
	}
	// The chain must not become a ring. What was never raised before is in no chain.
	for i, c := 0, e; i < 1000 && r.exc.trace != nil; i++ {
		next, ok := c.context.o.(*Exception)
		if !ok {
			break
		}
		if next == r.exc {
			c.context = none
			break
		}
		c = next
	}
	r.exc.context = h
}

// stopped is what leaves a generator: a StopIteration becomes a RuntimeError.
func (vm *VM) stopped(g *Gen, r *Raise) error {
	t := &vm.t
	name := "StopIteration"
	if !r.exc.cls.derives(t.types.StopIteration) {
		return r
	}
	err := t.raise(t.types.RuntimeError, "%s raised %s", g.word(), name)
	n, ok := err.(*Raise)
	if ok {
		n.linked = true
		n.l = r.l
		v := Value{k: kObject, o: r.exc, l: r.l}
		n.exc.cause, n.exc.context, n.exc.suppress = v, v, true
	}
	return err
}

// exceptions carries out the instructions about exceptions.
func (vm *VM) exceptions(f *Frame, in Instr) error {
	t := &vm.t
	switch in.op() {
	case opRaise:
		return vm.raiseOp(f, in.arg())
	case opReraise:
		v := f.take()
		return &Raise{exc: v.o.(*Exception), l: v.l, linked: true, quiet: true}
	case opPushExc:
		exc := f.take()
		prev := f.handled
		if prev.k == kUnset {
			prev = none
		}
		vm.handle(f, exc)
		f.put(prev)
		f.put(exc)
	case opPopExc:
		prev := f.take()
		if prev.k != kObject {
			prev = Value{}
		}
		vm.handle(f, prev)
	case opMatchExc:
		cls := f.take()
		exc := *f.at(1)
		ok, err := vm.catches(cls, exc.o.(*Exception).cls)
		if err != nil {
			return err
		}
		f.put(boolValue(ok).with(t.join(exc.l, cls.l)))
	case opAssertError:
		var args []Value
		if in.arg() == 1 {
			args = []Value{f.take()}
		}
		return vm.labelled(t.raiseArgs(t.types.AssertionError, args...), args)
	case opWithEnter:
		return vm.withEnter(f)
	case opWithExcept:
		exc := *f.at(1)
		fn := *f.at(3)
		cls := classValue(exc.o.(*Exception).cls)
		return vm.invoke(fn, Value{}, []Value{cls, exc, none}, nil, nil, retPush, Value{})
	}
	return nil
}

// labelled joins the labels of values into what the exception depends on.
func (vm *VM) labelled(err error, vs []Value) error {
	if r, ok := err.(*Raise); ok {
		for i := range vs {
			r.l = vm.t.join(r.l, vs[i].l)
		}
	}
	return err
}

// catches reports whether an except clause with cls catches exceptions of class c.
func (vm *VM) catches(cls Value, c *Class) (bool, error) {
	switch o := cls.o.(type) {
	case *Class:
		if o.isExc {
			return c.derives(o), nil
		}
	case *Tuple:
		found := false
		for _, item := range o.items {
			k, ok := item.o.(*Class)
			if !ok || !k.isExc {
				found = false
				return false, vm.t.raise(vm.t.types.TypeError, "catching classes that do not inherit from BaseException is not allowed")
			}
			found = found || c.derives(k)
		}
		return found, nil
	}
	return false, vm.t.raise(vm.t.types.TypeError, "catching classes that do not inherit from BaseException is not allowed")
}

// raiseOp is the statement raise.
func (vm *VM) raiseOp(f *Frame, a int) error {
	t := &vm.t
	if a == 0 {
		h := vm.handling()
		if h.k == kUnset {
			return t.raise(t.types.RuntimeError, "No active exception to reraise")
		}
		return &Raise{exc: h.o.(*Exception), l: h.l, linked: true, quiet: true}
	}
	var cause Value
	if a == 2 {
		cause = f.take()
		if c, ok := cause.o.(*Class); ok && c.isExc {
			v, err := t.Call(cause, nil, nil, nil)
			if err != nil {
				return err
			}
			cause = v
		}
		if _, ok := cause.o.(*Exception); !ok && cause.k != kNone {
			return t.raise(t.types.TypeError, "exception causes must derive from BaseException")
		}
	}
	v := f.take()
	if c, ok := v.o.(*Class); ok && c.isExc {
		if c.static {
			return vm.raiseValue(Value{k: kObject, o: t.newException(c, nil), l: v.l}, cause)
		}
		return vm.invoke(v, Value{}, nil, nil, nil, retRaise, cause)
	}
	return vm.raiseValue(v, cause)
}

// raiseValue raises v; cause is unset, None or an exception.
func (vm *VM) raiseValue(v, cause Value) error {
	e, ok := v.o.(*Exception)
	if !ok {
		return vm.t.raise(vm.t.types.TypeError, "exceptions must derive from BaseException")
	}
	if cause.k != kUnset {
		e.cause, e.suppress = cause, true
	}
	return &Raise{exc: e, l: v.l}
}

// newException calls __new__ of an exception class that the program did not write.
func (vm *VM) newException(cls, newFn Value, pos []Value, names []string, named []Value) (Value, error) {
	w, ok := newFn.o.(*Wrapper)
	if !ok {
		return Value{}, vm.t.raise(vm.t.types.TypeError, "cannot create '%s' instances", cls.o.(*Class).name)
	}
	return vm.native(w.fn.o.(*Native), cls, pos, names, named, 0)
}

const exceptionBytes = 480

// withEnter looks up what a with statement calls.
func (vm *VM) withEnter(f *Frame) error {
	t := &vm.t
	mgr := f.take()
	exit, ok := t.lookupSpecial(mgr, "__exit__")
	if !ok {
		return t.raise(t.types.TypeError, "'%s' object does not support the context manager protocol (missed __exit__ method)", t.className(mgr))
	}
	enter, ok := t.lookupSpecial(mgr, "__enter__")
	if !ok {
		return t.raise(t.types.TypeError, "'%s' object does not support the context manager protocol", t.className(mgr))
	}
	f.put(exit)
	f.put(enter)
	return nil
}

// setExceptionAttr sets an attribute that the built-in part of an exception holds.
func (t *Thread) setExceptionAttr(e *Exception, name string, v Value) (bool, error) {
	excOrNone := func(what string) error {
		if _, ok := v.o.(*Exception); ok || v.k == kNone {
			return nil
		}
		return t.raise(t.types.TypeError, "exception %s must be None or derive from BaseException", what)
	}
	switch name {
	case "args":
		items, err := t.collect(v)
		if err != nil {
			return true, err
		}
		e.args = t.tuple(items).with(v.l)
	case "__cause__":
		if err := excOrNone("cause"); err != nil {
			return true, err
		}
		e.cause, e.suppress = v, true
	case "__context__":
		if err := excOrNone("context"); err != nil {
			return true, err
		}
		e.context = v
	case "__suppress_context__":
		ok, err := t.truth(v)
		if err != nil {
			return true, err
		}
		e.suppress = ok
	case "__traceback__":
		e.trace = nil
	default:
		return false, nil
	}
	return true, nil
}

// exceptionLabel is all that an exception and its arguments depend on.
func (t *Thread) exceptionLabel(e *Exception, l label.ID) label.ID {
	l = t.join(l, e.args.l)
	for _, v := range e.args.o.(*Tuple).items {
		l = t.join(l, v.l)
	}
	return l
}
