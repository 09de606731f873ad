package vm

import (
	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
)

// unwind looks for the handler of an exception, from the frame at the top
// downwards, and makes the machine go on there. It gives back what no handler
// catches, and what is not an exception.
func (vm *VM) unwind(err error) error {
	for {
		r, ok := err.(*value.Raise)
		if !ok {
			return err
		}
		f := vm.frames[vm.depth]
		if !r.Quiet {
			pos := f.code.Position(f.ip - 1)
			r.Exc.Trace = append(r.Exc.Trace, value.Trace{Module: f.code.Unit.Module, Func: f.code.Qual, Line: int(pos.Line), Col: int(pos.Col)})
		}
		r.Quiet = false
		if h, ok := f.code.Handler(f.ip - 1); ok {
			if vm.t.Strict {
				stick(&vm.t, r.Label)
			}
			f.decides(&vm.t, r.Label)
			f.sp = len(f.code.Slots) + int(h.Depth)
			f.put(value.Value{Kind: value.KObject, Obj: r.Exc, Label: r.Label})
			f.ip = int(h.Handler)
			return nil
		}
		mode, extra := f.mode, f.extra
		f.extra = value.Value{}
		g := f.gen
		if f.ret != 0 {
			r.Label = vm.t.Join(r.Label, f.ret)
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

// stopped is what leaves a generator: a StopIteration becomes a RuntimeError.
func (vm *VM) stopped(g *Gen, r *value.Raise) error {
	t := &vm.t
	if !r.Exc.Cls.Derives(t.Types.StopIteration) {
		return r
	}
	err := t.Raise(t.Types.RuntimeError, "%s raised StopIteration", g.Class(t).Name)
	if n, ok := err.(*value.Raise); ok {
		n.Label = r.Label
		n.Exc.Cause = value.Value{Kind: value.KObject, Obj: r.Exc, Label: r.Label}
	}
	return err
}

// exceptions executes the instructions about exceptions.
func (vm *VM) exceptions(f *Frame, in bytecode.Instr) error {
	t := &vm.t
	switch in.Op() {
	case bytecode.Raise:
		return vm.raiseOp(f, in.Arg())
	case bytecode.Reraise:
		v := f.take()
		return &value.Raise{Exc: v.Obj.(*value.Exception), Label: v.Label, Quiet: true}
	case bytecode.PushExc:
		exc := f.take()
		prev := f.handled
		if prev.Kind == value.KUnset {
			prev = value.None
		}
		vm.handle(f, exc)
		f.put(prev)
		f.put(exc)
	case bytecode.PopExc:
		prev := f.take()
		if prev.Kind != value.KObject {
			prev = value.Value{}
		}
		vm.handle(f, prev)
	case bytecode.MatchExc:
		cls := f.take()
		exc := *f.at(1)
		ok, err := vm.catches(cls, exc.Obj.(*value.Exception).Cls)
		if err != nil {
			return err
		}
		f.put(value.Bool(ok).With(t.Join(exc.Label, cls.Label)))
	case bytecode.AssertError:
		var args []value.Value
		if in.Arg() == 1 {
			args = []value.Value{f.take()}
		}
		return vm.labelled(t.RaiseArgs(t.Types.AssertionError, args...), args)
	case bytecode.WithEnter:
		return vm.withEnter(f)
	case bytecode.WithExcept:
		exc := *f.at(1)
		fn := *f.at(3)
		cls := value.ClassValue(exc.Obj.(*value.Exception).Cls)
		return vm.invoke(fn, value.Value{}, []value.Value{cls, exc, value.None}, nil, nil, retPush, value.Value{})
	}
	return nil
}

// labelled joins the labels of values into what the exception depends on.
func (vm *VM) labelled(err error, vs []value.Value) error {
	if r, ok := err.(*value.Raise); ok {
		for i := range vs {
			r.Label = vm.t.Join(r.Label, vs[i].Label)
		}
	}
	return err
}

// catches reports whether an except clause with cls catches exceptions of class c.
func (vm *VM) catches(cls value.Value, c *value.Class) (bool, error) {
	classes, found := []value.Value{cls}, false
	if o, ok := cls.Obj.(*value.Tuple); ok {
		classes = o.Items
	}
	for _, item := range classes {
		k, ok := item.Obj.(*value.Class)
		if !ok || !k.IsExc {
			return false, vm.t.Raise(vm.t.Types.TypeError, "catching classes that do not inherit from BaseException is not allowed")
		}
		found = found || c.Derives(k)
	}
	return found, nil
}

// raiseOp is the statement raise.
func (vm *VM) raiseOp(f *Frame, a int) error {
	t := &vm.t
	if a == 0 {
		h := vm.handling()
		if h.Kind == value.KUnset {
			return t.Raise(t.Types.RuntimeError, "No active exception to reraise")
		}
		return &value.Raise{Exc: h.Obj.(*value.Exception), Label: h.Label, Quiet: true}
	}
	var cause value.Value
	if a == 2 {
		cause = f.take()
		if c, ok := cause.Obj.(*value.Class); ok && c.IsExc {
			v, err := t.Call(cause, nil, nil, nil)
			if err != nil {
				return err
			}
			cause = v
		}
		if _, ok := cause.Obj.(*value.Exception); !ok && cause.Kind != value.KNone {
			return t.Raise(t.Types.TypeError, "exception causes must derive from BaseException")
		}
	}
	v := f.take()
	if c, ok := v.Obj.(*value.Class); ok && c.IsExc {
		if c.Static {
			return vm.raiseValue(value.Value{Kind: value.KObject, Obj: t.NewException(c, nil), Label: v.Label}, cause)
		}
		return vm.invoke(v, value.Value{}, nil, nil, nil, retRaise, cause)
	}
	return vm.raiseValue(v, cause)
}

// raiseValue raises v; cause is unset, None or an exception.
func (vm *VM) raiseValue(v, cause value.Value) error {
	e, ok := v.Obj.(*value.Exception)
	if !ok {
		return vm.t.Raise(vm.t.Types.TypeError, "exceptions must derive from BaseException")
	}
	if cause.Kind != value.KUnset {
		vm.t.Touch(v, "__cause__")
		e.Cause = cause
	}
	return &value.Raise{Exc: e, Label: v.Label}
}

// newException calls __new__ of an exception class that the program did not write.
func (vm *VM) newException(cls, newFn value.Value, pos []value.Value, names []string, named []value.Value) (value.Value, error) {
	w, ok := newFn.Obj.(*value.Wrapper)
	if !ok {
		return value.Value{}, vm.t.Raise(vm.t.Types.TypeError, "cannot create '%s' instances", cls.Obj.(*value.Class).Name)
	}
	return vm.native(w.Fn.Obj.(*value.Native), cls, pos, names, named, 0)
}

const exceptionBytes = 480

// withEnter looks up what a with statement calls.
func (vm *VM) withEnter(f *Frame) error {
	t := &vm.t
	mgr := f.take()
	exit, ok := t.LookupSpecial(mgr, "__exit__")
	if !ok {
		return t.Raise(t.Types.TypeError, "'%s' object does not support the context manager protocol (missed __exit__ method)", t.ClassName(mgr))
	}
	enter, ok := t.LookupSpecial(mgr, "__enter__")
	if !ok {
		return t.Raise(t.Types.TypeError, "'%s' object does not support the context manager protocol", t.ClassName(mgr))
	}
	f.put(exit)
	f.put(enter)
	return nil
}

// exceptionLabel is all that an exception and its arguments depend on.
func exceptionLabel(t *value.Thread, e *value.Exception, l label.ID) label.ID {
	l = t.Join(l, e.Args.Label)
	for _, v := range e.Args.Obj.(*value.Tuple).Items {
		l = t.Join(l, v.Label)
	}
	return l
}
