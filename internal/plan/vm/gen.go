package vm

import (
	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
)

// Gen is a generator or a coroutine: a frame that rests.
type Gen struct {
	f         *Frame // nil when it has ended
	coroutine bool
	started   bool
	running   bool
	end       label.ID // what its end depends on, once it has come to it
	gave      label.ID // what chose what it gave
}

func (g *Gen) Class(t *value.Thread) *value.Class {
	if g.coroutine {
		return t.Types.Coroutine
	}
	return t.Types.Generator
}

// newGen makes the generator of a function, whose arguments are not bound yet.
func (vm *VM) newGen(fn *value.Func) (*Gen, error) {
	r := fn.Run
	if err := vm.t.Alloc(int64(r.Need)*value.ValueBytes + frameBytes); err != nil {
		return nil, err
	}
	g := &Gen{coroutine: fn.Code.Flags&value.FlagCoroutine != 0}
	g.f = &Frame{gen: g, st: make([]value.Value, r.Need)}
	g.f.enter(fn, retPush)
	return g, nil
}

const frameBytes = 320

// resume lets a generator go on. sent is the value of the yield that it rests
// at. The frame that it came from must have been saved.
func (vm *VM) resume(gv, sent value.Value, mode retMode, extra value.Value) error {
	t := &vm.t
	t.Touch(gv, "")
	g := gv.Obj.(*Gen)
	if g.running {
		return vm.failed(mode, extra, t.Raise(t.Types.ValueError, "%s already executing", g.Class(t).Name))
	}
	if g.f == nil {
		if g.coroutine {
			return vm.failed(mode, extra, t.Raise(t.Types.RuntimeError, "cannot reuse already awaited coroutine"))
		}
		return vm.deliverGen(g, mode, extra, value.None.With(t.Join(gv.Label, g.end)), false)
	}
	if !g.started && sent.Kind != value.KNone {
		return vm.failed(mode, extra, t.Raise(t.Types.TypeError, "can't send non-None value to a just-started %s", g.Class(t).Name))
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
func (vm *VM) reenter(gv value.Value, mode retMode, extra value.Value) error {
	t := &vm.t
	if t.Steps -= callSteps; t.Steps < 0 {
		if err := t.OutOfSteps(); err != nil {
			return err
		}
	}
	if vm.depth >= t.Limits.Depth && vm.tooManyFrames() {
		return vm.tooDeep()
	}
	g := gv.Obj.(*Gen)
	vm.depth++
	if vm.depth >= len(vm.pool) {
		vm.deepen()
	}
	f := g.f
	vm.frames[vm.depth] = f
	if f.handled.Kind != value.KUnset {
		vm.handlers++
	}
	if f.mode, f.extra = mode, extra; t.Strict || !f.run.Lib {
		f.ret = 0 // code of the library keeps what it went on by
	}
	f.ret = t.Join(f.ret, gv.Label)
	g.running = true
	return nil
}

// deliverGen hands what a generator yielded or returned to the frame at the top.
func (vm *VM) deliverGen(g *Gen, mode retMode, extra, v value.Value, yielded bool) error {
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
			vm.endLoop(f, v.Label)
		}
	case retSend:
		if yielded {
			return vm.leave(f, v, true)
		}
		f.st[f.sp-1] = v // of the yield from, which ends
		f.ip++
	case retCall:
		if !yielded {
			return vm.stopIteration(v)
		}
		f.put(v)
	case retDefault:
		if !yielded {
			v = extra.With(t.Join(extra.Label, v.Label))
		}
		f.put(v)
	case retClose:
		if yielded {
			return t.Raise(t.Types.RuntimeError, "%s ignored GeneratorExit", g.Class(t).Name)
		}
		f.put(v)
	default: // retAwait
		if yielded {
			return t.Raise(t.Types.RuntimeError, "a coroutine of a plan cannot be suspended")
		}
		f.put(v)
	}
	return nil
}

// stopIteration is the end of a generator that returned v.
func (vm *VM) stopIteration(v value.Value) error {
	var args []value.Value
	if v.Kind != value.KNone {
		args = []value.Value{v}
	}
	err := vm.t.RaiseArgs(vm.t.Types.StopIteration, args...)
	if r, ok := err.(*value.Raise); ok {
		r.Label = vm.t.Join(r.Label, v.Label)
	}
	return err
}

// yieldFrom sends to what the frame delegates to.
func (vm *VM) yieldFrom(f *Frame) error {
	t := &vm.t
	sent := f.take()
	it := *f.at(1)
	f.ip-- // while it yields, the frame stays at this instruction
	switch {
	case it.Kind == value.KGen:
		return vm.resume(it, sent, retSend, value.Value{})
	case sent.Kind != value.KNone:
		return vm.failed(retSend, value.Value{}, t.Raise(t.Types.AttributeError, "'%s' object has no attribute 'send'", t.ClassName(it)))
	}
	t.Touch(it, "")
	v, ok, err := t.Next(it)
	if err != nil {
		return vm.failed(retSend, value.Value{}, err)
	}
	if !ok {
		f.st[f.sp-1] = value.None
		f.ip++
		return nil
	}
	return vm.leave(f, v, true)
}

// throw raises an exception where a generator rests.
func (vm *VM) throw(gv value.Value, r *value.Raise, mode retMode) error {
	t := &vm.t
	g := gv.Obj.(*Gen)
	if !g.started {
		g.started, g.f = true, nil
	}
	switch {
	case g.running:
		return t.Raise(t.Types.ValueError, "%s already executing", g.Class(t).Name)
	case g.f == nil:
		return vm.failed(mode, value.Value{}, r)
	case g.f.code.Instrs[g.f.ip].Op() == bytecode.YieldFrom:
		return t.Raise(t.Types.RuntimeError, "a plan cannot throw into or close a generator that waits in yield from: write a for loop with yield")
	}
	if err := vm.reenter(gv, mode, value.Value{}); err != nil {
		return err
	}
	return r
}

// Drive is for generators of the library: those of the program are its own branches.
func (g *Gen) Drive(t *value.Thread, l label.ID) {
	if g.f == nil || g.running || !g.f.run.Lib {
		return
	}
	for i, v := range g.f.st[:g.f.code.Params] {
		t.Drive(v, l)
		if i == g.f.code.Star {
			of(t).elements(v, func(v value.Value) { t.Drive(v, l) })
		}
	}
}

func isRaise(err error) bool {
	_, ok := err.(*value.Raise)
	return ok
}

// Next lets the generator go on from Go. A tool cannot be called in it.
func (g *Gen) Next(t *value.Thread) (v value.Value, ok bool, err error) {
	vm := of(t)
	if vm.nested >= maxNested {
		return value.Value{}, false, vm.tooDeep()
	}
	v, err = vm.waits(func() error {
		return vm.resume(value.Value{Kind: value.KGen, Obj: g}, value.None, retGo, value.Value{})
	})
	return v, err == nil && vm.yielded, err
}
