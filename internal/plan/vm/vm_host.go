package vm

import (
	"strconv"

	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/plan/syntax"
)

// pending is the call of a tool whose answer is awaited.
type pending struct {
	tool  string
	args  []Argument
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
	if len(vm.made) >= vm.t.limits.Calls {
		return fault.Coded(fault.PlanCalls, fault.Data{"limit": strconv.Itoa(vm.t.limits.Calls)},
			"cannot go on with the plan: it made more than its %d calls of tools", vm.t.limits.Calls)
	}
	var args []Argument
	for _, v := range pos {
		d, err := vm.t.toData(v)
		if err != nil {
			return vm.failed(mode, extra, err)
		}
		args = append(args, Argument{Data: d})
	}
	for i, name := range names {
		d, err := vm.t.toData(named[i])
		if err != nil {
			return vm.failed(mode, extra, err)
		}
		args = append(args, Argument{name, d})
	}
	at := vm.place()
	vm.made = append(vm.made, CallSite{tool, int(at.Line), int(at.Col)})
	vm.pending = pending{tool: tool, l: vm.t.join(fn.l, vm.t.pc), args: args, mode: mode, extra: extra}
	return errHost
}

// place is where the plan itself is: of a library module that it called, where it called it.
func (vm *VM) place() syntax.Pos {
	for i := vm.depth; i > 0; i-- {
		if f := vm.frames[i]; f.code.unit.module == "" {
			return f.code.position(f.ip - 1)
		}
	}
	return syntax.Pos{}
}

// callOutcome is what the host learns of a call.
func (vm *VM) callOutcome() *Call {
	p := &vm.pending
	n := len(vm.made)
	at := vm.made[n-1]
	return &Call{Tool: p.tool, Number: n, Line: at.Line, Col: at.Col, Args: p.args, Control: p.l}
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

// admit makes a value of what the host gives.
func (vm *VM) admit(d Data) (Value, error) {
	if vm.t.plain {
		d = d.unlabelled()
	}
	return vm.t.fromData(d)
}

// unlabelled returns the value without any label.
func (d Data) unlabelled() Data {
	out := Data{Value: d.Value}
	if d.Items != nil {
		out.Items = make([]Data, len(d.Items))
		for i, e := range d.Items {
			out.Items[i] = e.unlabelled()
		}
	}
	if d.Fields != nil {
		out.Fields = make([]Field, len(d.Fields))
		for i, f := range d.Fields {
			out.Fields[i] = Field{f.Name, f.Data.unlabelled()}
		}
	}
	return out
}
