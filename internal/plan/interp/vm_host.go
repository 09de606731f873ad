package interp

import (
	"praxis/internal/fault"
	"praxis/internal/plan/label"
)

// pending is the call of a tool whose answer is awaited.
type pending struct {
	tool  string
	pos   []Value
	names []string
	named []Value
	l     label.ID // what the choice of the tool depends on
	mode  retMode
	extra Value
}

// hostCall stops the machine so that the host can carry out a tool.
func (vm *VM) hostCall(fn Value, pos []Value, names []string, named []Value, mode retMode, extra Value) error {
	tool := fn.o.(*ToolRef).name
	if vm.nested > 0 || mode == retGo {
		return fault.New(fault.Invalid,
			"Call the tool outside of special methods such as __eq__ and of the functions that Go code calls, and use its result there.",
			"cannot call %s here: the language itself is waiting for the value of this function", tool)
	}
	if vm.calls++; vm.calls > vm.cfg.Limits.Calls {
		return fault.New(fault.Exhausted, "Let the plan call fewer tools, or allow more calls.",
			"cannot go on with the plan: it made more than its %d calls of tools", vm.cfg.Limits.Calls)
	}
	vm.pending = pending{
		tool: tool, l: vm.t.join(fn.l, vm.t.pc), mode: mode, extra: extra, names: names,
		pos:   append([]Value(nil), pos...),
		named: append([]Value(nil), named...),
	}
	return errHost
}

// callOutcome is what the host learns of a call.
func (vm *VM) callOutcome() *Call {
	f := vm.frames[vm.depth]
	for i := vm.depth; i > 0; i-- { // the place in the plan itself
		if vm.frames[i].code.unit.module == "" {
			f = vm.frames[i]
			break
		}
	}
	pos := f.code.position(f.ip - 1)
	p := &vm.pending
	return &Call{Tool: p.tool, Number: vm.calls, Line: int(pos.Line), Col: int(pos.Col), Control: p.l}
}

// answer goes on with the value of the call that is awaited.
func (vm *VM) answer(v Value) (Outcome, error) {
	p := vm.pending
	vm.pending = pending{}
	vm.state = stateNew
	v.l = vm.t.join(v.l, p.l)
	err := vm.deliver(p.mode, p.extra, v)
	if err != nil {
		err = vm.unwind(err)
	}
	if err == nil {
		err = vm.run()
	}
	return vm.proceed(err)
}
