package vm

// Gen is a generator or a coroutine: a frame that rests.
type Gen struct {
	f         *Frame // nil when it has ended
	name      string
	qual      string
	coroutine bool
	started   bool
	running   bool
}

func (g *Gen) class(t *Thread) *Class {
	if g.coroutine {
		return t.types.Coroutine
	}
	return t.types.Generator
}

// word is how messages call it.
func (g *Gen) word() string {
	if g.coroutine {
		return "coroutine"
	}
	return "generator"
}

// attr finds the attributes that a generator has by itself.
func (g *Gen) attr(t *Thread, name string) (Value, bool) {
	switch name {
	case "__name__":
		return t.str(g.name), true
	case "__qualname__":
		return t.str(g.qual), true
	case "gi_running", "cr_running":
		return boolValue(g.running), true
	}
	return Value{}, false
}

// newGen makes the generator of a function, whose arguments are not bound yet.
func (vm *VM) newGen(fn *Func) (*Gen, error) {
	r := fn.run
	if err := vm.t.alloc(int64(r.need)*valueBytes + frameBytes); err != nil {
		return nil, err
	}
	g := &Gen{name: fn.name, qual: fn.qual, coroutine: fn.code.flags&flagCoroutine != 0}
	g.f = &Frame{gen: g, st: make([]Value, r.need)}
	g.f.enter(fn, retPush)
	return g, nil
}

const frameBytes = 320

// resume lets a generator go on. sent is the value of the yield that it rests
// at. The frame that it came from must have been saved.
func (vm *VM) resume(gv, sent Value, mode retMode, extra Value) error {
	t := &vm.t
	g := gv.o.(*Gen)
	if g.running {
		return vm.failed(mode, extra, t.raise(t.types.ValueError, "%s already executing", g.word()))
	}
	if g.f == nil {
		if g.coroutine {
			return vm.failed(mode, extra, t.raise(t.types.RuntimeError, "cannot reuse already awaited coroutine"))
		}
		return vm.deliverGen(g, mode, extra, none.with(gv.l), false)
	}
	if !g.started && sent.k != kNone {
		return vm.failed(mode, extra, t.raise(t.types.TypeError, "can't send non-None value to a just-started %s", g.word()))
	}
	if err := vm.reenter(gv, mode, extra); err != nil {
		return vm.failed(mode, extra, err)
	}
	if g.started {
		g.f.put(sent)
	}
	g.started = true
	return nil
}

// reenter makes the frame of a generator the one at the top.
func (vm *VM) reenter(gv Value, mode retMode, extra Value) error {
	t := &vm.t
	if t.steps -= callSteps; t.steps < 0 {
		if err := t.OutOfSteps(); err != nil {
			return err
		}
	}
	if vm.depth >= t.limits.Depth && vm.tooManyFrames() {
		return vm.tooDeep()
	}
	g := gv.o.(*Gen)
	vm.depth++
	if vm.depth >= len(vm.pool) {
		vm.deepen()
	}
	f := g.f
	vm.frames[vm.depth] = f
	if f.handled.k != kUnset {
		vm.handlers++
	}
	f.mode, f.ret, f.extra = mode, gv.l, extra
	g.running = true
	return nil
}

// deliverGen hands what a generator yielded or returned to the frame at the top.
func (vm *VM) deliverGen(g *Gen, mode retMode, extra, v Value, yielded bool) error {
	t := &vm.t
	if mode == retGo {
		vm.result, vm.yielded = v, yielded
		return errReturned
	}
	f := vm.frames[vm.depth]
	switch mode {
	case retIter:
		if yielded {
			vm.element(f, v)
		} else {
			vm.endLoop(f, v.l)
		}
	case retSend:
		if yielded {
			return vm.leave(f, v, true)
		}
		vm.sent(f, v)
	case retCall:
		if !yielded {
			return vm.stopIteration(v)
		}
		f.put(v)
	case retDefault:
		if !yielded {
			v = extra.with(t.join(extra.l, v.l))
		}
		f.put(v)
	case retClose:
		if yielded {
			return t.raise(t.types.RuntimeError, "%s ignored GeneratorExit", g.word())
		}
		f.put(v)
	default: // retAwait
		if yielded {
			return t.raise(t.types.RuntimeError, "a coroutine of a plan cannot be suspended")
		}
		f.put(v)
	}
	return nil
}

// stopIteration is the end of a generator that returned v.
func (vm *VM) stopIteration(v Value) error {
	var args []Value
	if v.k != kNone {
		args = []Value{v}
	}
	err := vm.t.raiseArgs(vm.t.types.StopIteration, args...)
	if r, ok := err.(*Raise); ok {
		r.l = vm.t.join(r.l, v.l)
	}
	return err
}

// sent ends the yield from that f stands at; v is its value.
func (vm *VM) sent(f *Frame, v Value) {
	f.st[f.sp-1] = v
	f.ip++
}

// yieldFrom sends to what the frame delegates to.
func (vm *VM) yieldFrom(f *Frame) error {
	t := &vm.t
	sent := f.take()
	it := *f.at(1)
	f.ip-- // while it yields, the frame stands at this instruction
	switch {
	case it.k == kGen:
		return vm.resume(it, sent, retSend, Value{})
	case sent.k != kNone:
		fn, err := t.getAttr(it, "send")
		if err != nil {
			return vm.failed(retSendTo, Value{}, err)
		}
		return vm.invoke(fn, Value{}, []Value{sent}, nil, nil, retSendTo, Value{})
	case it.k == kObject:
		fn, _, ok := t.classOf(it).lookup("__next__")
		if !ok {
			return vm.failed(retSendTo, Value{}, t.raise(t.types.TypeError, "'%s' object is not an iterator", t.className(it)))
		}
		return vm.invoke(fn, it, nil, nil, nil, retSendTo, Value{})
	}
	v, ok, err := t.next(it)
	if err != nil {
		return vm.failed(retSendTo, Value{}, err)
	}
	if !ok {
		vm.sent(f, none)
		return nil
	}
	return vm.leave(f, v, true)
}

// throw raises an exception where a generator rests.
func (vm *VM) throw(gv Value, r *Raise, mode retMode) error {
	t := &vm.t
	g := gv.o.(*Gen)
	switch {
	case g.running:
		return vm.failed(mode, Value{}, t.raise(t.types.ValueError, "%s already executing", g.word()))
	case g.f == nil:
		return vm.failed(mode, Value{}, r)
	case !g.started:
		c := g.f.code
		r.exc.trace = append(r.exc.trace, Trace{Module: c.unit.module, Func: c.qual, Line: c.firstLine})
		g.started = true
		g.f = nil
		return vm.failed(mode, Value{}, r)
	}
	if err := vm.reenter(gv, mode, Value{}); err != nil {
		return vm.failed(mode, Value{}, err)
	}
	f := g.f
	if f.code.instrs[f.ip].op() != opYieldFrom {
		return r
	}
	it := *f.at(1)
	closing := r.exc.cls.derives(t.types.GeneratorExit)
	if it.k == kGen && !closing {
		return vm.throw(it, r, retSend)
	}
	if closing {
		// The inner one is closed first. What it does not let pass replaces the exception.
		if _, err := vm.closeNow(it); err != nil {
			f.ip++
			return err
		}
		f.ip++
		return r
	}
	if it.k == kObject {
		if fn, ok := t.lookupSpecial(it, "throw"); ok {
			return vm.invoke(fn, Value{}, []Value{{k: kObject, o: r.exc, l: r.l}}, nil, nil, retSendTo, Value{})
		}
	}
	f.ip++
	return r
}

// closeNow closes an iterator that a generator delegates to.
func (vm *VM) closeNow(it Value) (Value, error) {
	t := &vm.t
	if it.k != kGen {
		if it.k == kObject {
			if fn, ok := t.lookupSpecial(it, "close"); ok {
				return t.Call(fn, nil, nil, nil)
			}
		}
		return none, nil
	}
	g := it.o.(*Gen)
	if g.f == nil || !g.started {
		g.started = true
		g.f = nil
		return none, nil
	}
	vm.nested++
	defer func() { vm.nested-- }()
	err := vm.throw(it, vm.raiseNow(t.types.GeneratorExit), retGo)
	if err == nil || isRaise(err) && g.running {
		err = vm.continueAfter(err)
	}
	switch {
	case err == errReturned && vm.yielded:
		return none, t.raise(t.types.RuntimeError, "%s ignored GeneratorExit", g.word())
	case err == errReturned:
		return vm.result, nil
	}
	if r, ok := err.(*Raise); ok && (r.exc.cls.derives(t.types.GeneratorExit) || r.exc.cls.derives(t.types.StopIteration)) {
		return none, nil
	}
	return none, err
}

// continueAfter runs the frame at the top, in which err may have been raised.
func (vm *VM) continueAfter(err error) error {
	if err != nil {
		if err = vm.unwind(err); err != nil {
			return err
		}
	}
	if err = vm.run(); err == nil {
		err = errReturned
	}
	return err
}

// raiseNow makes an exception of a class without arguments.
func (vm *VM) raiseNow(c *Class) *Raise {
	r, _ := vm.t.raiseArgs(c).(*Raise)
	return r
}

func isRaise(err error) bool {
	_, ok := err.(*Raise)
	return ok
}

// next lets the generator go on from Go. A tool cannot be called in it.
func (g *Gen) next(t *Thread) (v Value, ok bool, err error) {
	vm := of(t)
	if vm.nested >= maxNested {
		return Value{}, false, vm.tooDeep()
	}
	vm.nested++
	err = vm.resume(Value{k: kGen, o: g}, none, retGo, Value{})
	if err == nil {
		if err = vm.run(); err == nil {
			err = errReturned
		}
	}
	vm.nested--
	if err != errReturned {
		return Value{}, false, err
	}
	v = vm.result
	vm.result = Value{}
	return v, vm.yielded, nil
}
