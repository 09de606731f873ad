package vm

import (
	"strconv"

	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// pending is the call of a tool whose answer is awaited.
type pending struct {
	tool  string
	at    syntax.Pos
	args  []Argument
	l     label.ID // what the choice of the tool depends on
	mode  retMode
	extra value.Value
}

// hostCall stops the machine so that the host can call a tool.
func (vm *VM) hostCall(fn value.Value, pos []value.Value, names []string, named []value.Value, mode retMode, extra value.Value) error {
	tool := fn.Obj.(*value.ToolRef).Name
	if vm.nested > 0 || mode == retGo {
		return fault.New(fault.Invalid,
			"Call the tool outside of special methods such as __eq__ and of the functions that Go code calls, and use its result there.",
			"cannot call %s here: the language itself is waiting for the value of this function", tool)
	}
	if vm.calls >= vm.t.Limits.Calls {
		return fault.Coded(fault.PlanCalls, fault.Data{"limit": strconv.Itoa(vm.t.Limits.Calls)},
			"cannot go on with the plan: it made more than its %d calls of tools", vm.t.Limits.Calls)
	}
	var args []Argument
	for _, v := range pos {
		d, err := vm.t.ToData(v)
		if err != nil {
			return vm.failed(mode, extra, err)
		}
		args = append(args, Argument{Data: d})
	}
	for i, name := range names {
		d, err := vm.t.ToData(named[i])
		if err != nil {
			return vm.failed(mode, extra, err)
		}
		args = append(args, Argument{name, d})
	}
	vm.calls++
	vm.pending = pending{tool: tool, at: vm.place(), l: vm.t.Join(fn.Label, vm.t.PC), args: args, mode: mode, extra: extra}
	return errHost
}

// place is where the plan itself is: of a library module that it called, where it called it.
func (vm *VM) place() syntax.Pos {
	for i := vm.depth; i > 0; i-- {
		if f := vm.frames[i]; f.code.Unit.Module == "" {
			return f.code.Position(f.ip - 1)
		}
	}
	return syntax.Pos{}
}

// pendingCall is the call that waits, as the host sees it.
func (vm *VM) pendingCall() *Call {
	p := &vm.pending
	return &Call{Tool: p.tool, Number: vm.calls, Line: int(p.at.Line), Col: int(p.at.Col), Args: p.args, Control: p.l}
}

// answered goes on with what the call that is awaited came to.
func (vm *VM) answered(come func(p pending) error) (Stop, error) {
	p := vm.pending
	vm.pending = pending{}
	vm.state = stateNew
	err := come(p)
	if err != nil {
		err = vm.unwind(err)
	}
	if err == nil {
		err = vm.run()
	}
	return vm.proceed(err)
}

// admit makes a value of what the host gives.
func (vm *VM) admit(d value.Data) (value.Value, error) {
	if vm.t.Plain {
		d = d.Unlabelled()
	}
	return vm.t.FromData(d)
}
