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
		if self.Kind != value.KUnset {
			pos = prepend(self, pos)
		}
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
	if vm.gives(a) && !n.Changes && !keeps(n.Name) && !vm.frames[vm.depth].library() {
		args := slices.Concat(a.Pos, a.Star, a.Named)
		if sig.Self {
			args = args[1:]
		}
		vm.callbacks(args)
	}
	any := label.ID(0)
	if !n.Precise {
		for i := range a.Pos {
			any |= a.Pos[i].Label
		}
		for i := range a.Star {
			any |= a.Star[i].Label
		}
		for i := range a.Named {
			any |= a.Named[i].Label
		}
		if any != 0 {
			any = vm.argLabels(&a.Args)
		}
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
			l = t.Join(l, vs[i].Label)
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
			return vm.nativeCount(n, sig, given, names)
		}
		rest := pos[took:]
		if self.Kind != value.KUnset && sig.Pos == 0 {
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
	for i := min(given, sig.Pos); i < sig.Need; i++ {
		if slots[i].Kind == value.KUnset {
			if i == 0 && sig.Self {
				return vm.noSelf(n)
			}
			if names != nil && i >= sig.PosOnly {
				return vm.nativeMissing(n, sig, i)
			}
			return vm.nativeCount(n, sig, given, names)
		}
	}
	if sig.Must != 0 {
		for i := sig.Pos; i < total; i++ {
			if sig.Must>>(i-sig.Pos)&1 != 0 && slots[i].Kind == value.KUnset {
				return vm.t.Raise(vm.t.Types.TypeError, "%s() missing required argument '%s' (pos %d)", n.Shown(false), sig.Names[i], i+1)
			}
		}
	}
	return nil
}

func (vm *VM) noSelf(n *value.Native) error {
	t := &vm.t
	if n.Short() == "__new__" {
		return t.Raise(t.Types.TypeError, "%s(): not enough arguments", n.Name)
	}
	return t.Raise(t.Types.TypeError, "unbound method %s() needs an argument", n.Name)
}

func (vm *VM) nativeMissing(n *value.Native, sig *value.Signature, i int) error {
	at := i + 1
	if sig.Self {
		at--
	}
	return vm.t.Raise(vm.t.Types.TypeError, "%s() missing required argument '%s' (pos %d)", n.Shown(false), sig.Names[i], at)
}

// nativeNamed puts keyword arguments to their places.
func (vm *VM) nativeNamed(n *value.Native, sig *value.Signature, a *argSlot, names []string, named []value.Value) error {
	t := &vm.t
	if !sig.KwStar && sig.PosOnly == len(sig.Names) {
		if len(names) > 0 {
			return t.Raise(t.Types.TypeError, "%s() takes no keyword arguments", n.Shown(true))
		}
		return nil
	}
next:
	for j, name := range names {
		for i := sig.PosOnly; i < len(sig.Names); i++ {
			if sig.Names[i] != name {
				continue
			}
			if a.Pos[i].Kind != value.KUnset {
				at := i + 1
				if sig.Self {
					at--
				}
				return t.Raise(t.Types.TypeError, "argument for %s() given by name ('%s') and position (%d)", n.Shown(false), name, at)
			}
			a.Pos[i] = named[j]
			continue next
		}
		if !sig.KwStar {
			hint := ""
			return t.Raise(t.Types.TypeError, "%s() got an unexpected keyword argument '%s'%s", n.Shown(false), name, hint)
		}
		a.Names = append(a.Names, name)
		a.Named = append(a.Named, named[j])
	}
	return nil
}

// nativeCount is the error of a wrong number of positional arguments, in the
// words of CPython, which has one wording for each way to declare a function.
func (vm *VM) nativeCount(n *value.Native, sig *value.Signature, given int, names []string) error {
	t := &vm.t
	pos, need := sig.Pos, sig.Need
	if sig.Self {
		pos, need, given = pos-1, need-1, given-1
	}
	keywords := sig.PosOnly < len(sig.Names)
	if n.Name == "sorted" || n.Name == "int.__new__" { // they look at the positional ones first
		if n.Name == "sorted" {
			return t.Raise(t.Types.TypeError, "sorted expected 1 argument, got %d", given)
		}
		return t.Raise(t.Types.TypeError, "int expected at most 2 arguments, got %d", given)
	}
	if n.IsSlot() {
		if need != pos {
			return t.Raise(t.Types.TypeError, "expected %d or %s, got %d", need, plural(pos, "argument"), given)
		}
		return t.Raise(t.Types.TypeError, "expected %s, got %d", plural(pos, "argument"), given)
	}
	switch {
	case !keywords && pos == 0 && !sig.Star:
		return t.Raise(t.Types.TypeError, "%s() takes no arguments (%d given)", n.Shown(true), given)
	case !keywords && pos == 1 && need == 1 && !sig.Star && n.Short() != "__new__":
		return t.Raise(t.Types.TypeError, "%s() takes exactly one argument (%d given)", n.Shown(true), given)
	case !keywords:
		word, bound := "", need
		if need != pos || sig.Star {
			word = "at least "
			if given > pos {
				word, bound = "at most ", pos
			}
		}
		return t.Raise(t.Types.TypeError, "%s expected %s%s, got %d", n.Shown(false), word, plural(bound, "argument"), given)
	case given > pos && pos == 0:
		return t.Raise(t.Types.TypeError, "%s() takes no positional arguments", n.Shown(false))
	case given > pos:
		kind := "positional argument"
		if pos == len(sig.Names) || sig.Self && pos == len(sig.Names)-1 {
			kind = "argument"
		}
		word := "at most "
		if need == pos && kind == "positional argument" {
			word = "exactly "
		}
		return t.Raise(t.Types.TypeError, "%s() takes %s%s (%d given)", n.Shown(false), word, plural(pos, kind), given+len(names))
	case sig.PosOnly > 0 && given < min(need, sig.PosOnly):
		return t.Raise(t.Types.TypeError, "%s() takes at least %s (%d given)", n.Shown(false), plural(need, "positional argument"), given)
	}
	i := given
	if sig.Self {
		i++
	}
	return vm.nativeMissing(n, sig, i)
}

// drainArg has the language's own code make a list of the argument for
// parameter i, and call the native again.
func (vm *VM) drainArg(n *value.Native, sig *value.Signature, i int, self value.Value, pos []value.Value, names []string, named []value.Value, l label.ID) (value.Value, error) {
	t := &vm.t
	fn, err := vm.t.MachineFunc("drained")
	if err != nil {
		return value.Value{}, err
	}
	if self.Kind != value.KUnset {
		pos = prepend(self, pos)
	} else {
		pos = append([]value.Value(nil), pos...)
	}
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
