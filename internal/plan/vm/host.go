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
	if len(vm.made) >= vm.t.Limits.Calls {
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
	at := vm.place()
	vm.made = append(vm.made, CallSite{tool, int(at.Line), int(at.Col)})
	vm.pending = pending{tool: tool, l: vm.t.Join(fn.Label, vm.t.PC), args: args, mode: mode, extra: extra}
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
	n := len(vm.made)
	at := vm.made[n-1]
	return &Call{Tool: p.tool, Number: n, Line: at.Line, Col: at.Col, Args: p.args, Control: p.l}
}

// answer goes on with the value of the call that is awaited.
func (vm *VM) answer(v value.Value) (Stop, error) {
	p := vm.pending
	vm.pending = pending{}
	vm.state = stateNew
	v.Label = vm.t.Join(v.Label, p.l)
	err := vm.deliver(p.mode, p.extra, v)
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
