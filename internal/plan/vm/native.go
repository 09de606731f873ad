package vm

import (
	"slices"

	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
)

// argSlot is one place of the stack of arguments of natives.
type argSlot struct {
	value.Args
	buf [6]value.Value
}

// maxNatives bounds how deep natives call each other.
const maxNatives = 1000

// nativeSteps is what the call of a native costs of the limit of steps.
const nativeSteps = 4

// native calls a native function; self, when it is set, is the first argument.
// l is the label of the function itself.
func (vm *VM) native(n *value.Native, self value.Value, pos []value.Value, names []string, named []value.Value, l label.ID) (value.Value, error) {
	t := &vm.t
	if t.Steps -= nativeSteps; t.Steps < 0 {
		if err := t.OutOfSteps(); err != nil {
			return value.Value{}, err
		}
	}
	if vm.argTop >= len(vm.args) {
		if vm.argTop >= maxNatives {
			return value.Value{}, vm.tooDeep()
		}
		vm.args = append(vm.args, &argSlot{})
	}
	a := vm.args[vm.argTop]
	sig := n.Signature()
	switch {
	case names == nil && self.Kind == value.KUnset && len(pos) == len(sig.Names) && len(pos) == sig.Pos && !sig.Star && !sig.KwStar:
		a.Pos, a.Star, a.Names, a.Named = pos, nil, nil, nil
	case sig.Free:
		pos = prepend(self, pos)
		a.Pos, a.Star, a.Names, a.Named = pos, nil, names, named
	default:
		if err := vm.bindNative(n, sig, a, self, pos, names, named); err != nil {
			return value.Value{}, err
		}
	}
	for _, i := range n.Drains {
		if i < len(a.Pos) && t.Foreign(a.Pos[i]) {
			if sig.Free {
				self = value.Value{} // it is in pos
			}
			return vm.drainArg(n, sig, i, self, pos, names, named, l)
		}
	}
	if len(t.Choices) > 0 && len(a.Pos) > 0 {
		vm.touches(n, a.Pos)
	}
	if vm.gives(a) && !n.Changes && !keeps(n.Name, a) && !vm.frames[vm.depth].library() {
		args, by := slices.Concat(a.Pos, a.Star, a.Named), label.ID(0)
		if sig.Self {
			by = t.Join(args[0].Label, shapeOf(t, args[0]))
			args = args[1:]
		}
		vm.callbacks(args, by)
	}
	any := label.ID(0)
	if !n.Precise {
		any = vm.argLabels(&a.Args)
	}
	if any|l != 0 {
		any = t.Join(any, l)
	}
	outermost := !vm.keeping && !n.Streams
	if outermost {
		vm.keeping, vm.mark = true, t.Memory
	}
	vm.argTop++
	seen := t.Seen
	t.Seen = 0
	if t.ArgsLabel|t.KeyLabel != 0 {
		t.Seen = t.Join(t.ArgsLabel, t.KeyLabel)
	}
	v, err := n.Call(t, &a.Args)
	vm.argTop--
	if outermost {
		vm.keeping = false
	}
	if t.Seen != 0 {
		if t.Trying {
			stick(t, t.Seen)
		}
		if err != nil || !n.Precise {
			any = t.Join(any, t.Seen)
		}
	}
	t.Seen = seen
	if err == nil && any|v.Label != 0 && v.Changeable() {
		vm.choices(v, t.Join(v.Label, any), &a.Args)
	}
	if any != 0 {
		if err == nil {
			v.Label = t.Join(v.Label, any)
		} else if r, ok := err.(*value.Raise); ok {
			r.Label = t.Join(r.Label, any)
		} else if err == value.ErrTail {
			t.Tail.Label = t.Join(t.Tail.Label, any)
		}
	}
	return v, err
}

// argLabels joins the labels of all arguments.
func (vm *VM) argLabels(a *value.Args) label.ID {
	t := &vm.t
	l := label.ID(0)
	for _, vs := range [...][]value.Value{a.Pos, a.Star, a.Named} {
		for i := range vs {
			if vs[i].Label != 0 {
				l = t.Join(l, vs[i].Label)
			}
		}
	}
	return l
}

// bindNative puts arguments to the places of the parameters of a native.
func (vm *VM) bindNative(n *value.Native, sig *value.Signature, a *argSlot, self value.Value, pos []value.Value, names []string, named []value.Value) error {
	total := len(sig.Names)
	var slots []value.Value
	if total <= len(a.buf) {
		slots = a.buf[:total]
		clear(slots)
	} else {
		slots = make([]value.Value, total)
	}
	given := len(pos)
	i := 0
	if self.Kind != value.KUnset {
		given++
		if sig.Pos > 0 {
			slots[0] = self
			i = 1
		}
	}
	took := copy(slots[i:sig.Pos], pos)
	a.Pos, a.Star, a.Names, a.Named = slots, nil, nil, nil
	if given > sig.Pos {
		if !sig.Star {
			return vm.argumentCount(n.Called(), sig.Need, sig.Pos, given, "")
		}
		rest := pos[took:]
		if sig.Pos == 0 {
			rest = prepend(self, rest)
		}
		if err := vm.t.Alloc(int64(len(rest)) * value.ValueBytes); err != nil {
			return err
		}
		a.Star = append([]value.Value(nil), rest...)
	}
	if names != nil {
		if err := vm.nativeNamed(n, sig, a, names, named); err != nil {
			return err
		}
	}
	for i := range total {
		if slots[i].Kind == value.KUnset && (i < sig.Need || i >= sig.Pos && sig.Must>>(i-sig.Pos)&1 != 0) {
			return vm.argumentCount(n.Called(), sig.Need, sig.Pos, given, sig.Names[i])
		}
	}
	return nil
}

// nativeNamed puts keyword arguments to their places.
func (vm *VM) nativeNamed(n *value.Native, sig *value.Signature, a *argSlot, names []string, named []value.Value) error {
next:
	for j, name := range names {
		for i := sig.PosOnly; i < len(sig.Names); i++ {
			if sig.Names[i] != name {
				continue
			}
			if a.Pos[i].Kind != value.KUnset {
				return vm.argumentTwice(n.Called(), name)
			}
			a.Pos[i] = named[j]
			continue next
		}
		if !sig.KwStar {
			return vm.noParameter(n.Called(), name)
		}
		a.Names = append(a.Names, name)
		a.Named = append(a.Named, named[j])
	}
	return nil
}

// drainArg has the language's own code make a list of the argument for
// parameter i, and call the native again.
func (vm *VM) drainArg(n *value.Native, sig *value.Signature, i int, self value.Value, pos []value.Value, names []string, named []value.Value, l label.ID) (value.Value, error) {
	t := &vm.t
	fn, err := vm.t.MachineFunc("drained")
	if err != nil {
		return value.Value{}, err
	}
	pos = slices.Clone(prepend(self, pos))
	kw := &value.Dict{}
	for j, name := range names {
		kw.SetName(t.Intern(name), named[j])
		vm.labelKeys(kw)
	}
	at := value.Int(int64(i))
	if i >= len(pos) {
		at = t.NameValue(sig.Names[i])
	}
	return t.TailCall(fn, []value.Value{{Kind: value.KNative, Obj: n, Label: l}, t.Tuple(pos), at, {Kind: value.KDict, Obj: kw}}, nil, nil)
}
