package vm

import (
	"errors"
	"fmt"
	"strconv"

	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
)

// Errors by which the machine passes control. The program never sees them.
var (
	errReturned = errors.New("returned to Go")   // VM.result holds the value
	errHost     = errors.New("a tool is called") // VM.pending says which
)

// again makes the call that a native has returned.
func (vm *VM) again(mode retMode, extra value.Value) error {
	c := vm.t.Tail
	vm.t.Tail = value.TailCall{}
	c.Fn.Label = vm.t.Join(c.Fn.Label, c.Label)
	if c.Op != value.TailPlain {
		return vm.generator(c, mode, extra)
	}
	return vm.invoke(c.Fn, value.Value{}, c.Pos, c.Names, c.Named, mode, extra)
}

// maxNested bounds how deep Go code and the program call each other.
const maxNested = 1000

// machine is the VM as [value.Machine].
type machine VM

// of returns the VM that a thread belongs to.
func of(t *value.Thread) *VM { return (*VM)(t.Machine.(*machine)) }

// Call calls fn from Go and waits for its value. A tool cannot be called in it.
func (m *machine) Call(fn value.Value, pos []value.Value, names []string, named []value.Value) (value.Value, error) {
	vm := (*VM)(m)
	t := &vm.t
	for fn.Kind == value.KNative {
		v, err := vm.native(fn.Obj.(*value.Native), value.Value{}, pos, names, named, fn.Label)
		if err != value.ErrTail {
			return v, err
		}
		c := t.Tail
		t.Tail = value.TailCall{}
		if c.Op != value.TailPlain {
			l := t.Join(c.Fn.Label, c.Label)
			c.Fn.Label = l
			if c.Fn, c.Pos, err = vm.goesOn(c); err != nil {
				return value.Value{}, err
			}
			c.Label = t.Join(c.Label, l)
		}
		fn, pos, names, named = c.Fn.With(t.Join(c.Fn.Label, c.Label)), c.Pos, c.Names, c.Named
	}
	if vm.nested >= maxNested {
		return value.Value{}, vm.tooDeep()
	}
	return vm.waits(func() error { return vm.invoke(fn, value.Value{}, pos, names, named, retGo, value.Value{}) })
}

// CallSelf calls fn with self and args from Go.
func (m *machine) CallSelf(fn, self value.Value, args []value.Value) (value.Value, error) {
	vm := (*VM)(m)
	if vm.nested >= maxNested {
		return value.Value{}, vm.tooDeep()
	}
	return vm.waits(func() error { return vm.invoke(fn, self, args, nil, nil, retGo, value.Value{}) })
}

// waits runs what begin begins for Go code, and gives its value.
func (vm *VM) waits(begin func() error) (value.Value, error) {
	vm.nested++
	keys, length := vm.t.KeyLabel, vm.t.ArgsLabel
	vm.t.KeyLabel, vm.t.ArgsLabel = 0, 0
	err := begin()
	if err == nil {
		if err = vm.run(); err == nil {
			err = errReturned
		}
	}
	vm.nested--
	vm.t.KeyLabel, vm.t.ArgsLabel = keys, length
	if err != errReturned {
		return value.Value{}, err
	}
	v := vm.result
	vm.result = value.Value{}
	return v, nil
}

// invoke calls fn; self, when it is set, is the first argument. What comes back
// is treated as mode says, at once or when a frame returns.
func (vm *VM) invoke(fn, self value.Value, pos []value.Value, names []string, named []value.Value, mode retMode, extra value.Value) error {
	switch fn.Kind {
	case value.KFunc:
		return vm.callFunc(fn, self, pos, names, named, mode, extra)
	case value.KNative:
		if fn.Label != 0 && self.Kind == value.KUnset && len(vm.t.Choices) > 0 {
			vm.picks(fn, value.Value{})
		}
		v, err := vm.native(fn.Obj.(*value.Native), self, pos, names, named, fn.Label)
		if err == value.ErrTail {
			return vm.again(mode, extra)
		}
		if err != nil {
			return vm.failed(mode, extra, err)
		}
		return vm.deliver(mode, extra, v)
	case value.KMethod:
		m := fn.Obj.(*value.Method)
		pos = prepend(self, pos)
		chosen := fn.Label != 0 && len(vm.t.Choices) > 0 && vm.t.Join(m.Self.Label, fn.Label) != m.Self.Label && vm.picks(fn, m.Self)
		return vm.under(chosen, fn.Label, func() error {
			return vm.invoke(m.Fn.With(vm.t.Join(m.Fn.Label, fn.Label)), m.Self.With(vm.t.Join(m.Self.Label, fn.Label)), pos, names, named, mode, extra)
		})
	case value.KClass:
		return vm.construct(fn, prepend(self, pos), names, named, mode, extra)
	case value.KTool:
		if fn.Label != 0 {
			vm.picks(fn, value.Value{})
		}
		return vm.hostCall(fn, prepend(self, pos), names, named, mode, extra)
	case value.KProp:
		if w, ok := fn.Obj.(*value.Wrapper); ok && !w.Bind {
			return vm.invoke(w.Fn.With(vm.t.Join(w.Fn.Label, fn.Label)), self, pos, names, named, mode, extra)
		}
	case value.KObject, value.KSpecial:
		if call, _, ok := vm.t.ClassOf(fn).Lookup("__call__"); ok {
			pos = prepend(self, pos)
			if w, is := call.Obj.(*value.Wrapper); is && call.Kind == value.KProp {
				if w.Bind {
					return vm.invoke(w.Fn, value.ClassValue(vm.t.ClassOf(fn)), pos, names, named, mode, extra)
				}
				return vm.invoke(w.Fn, value.Value{}, pos, names, named, mode, extra)
			}
			call.Label = vm.t.Join(call.Label, fn.Label)
			return vm.invoke(call, fn, pos, names, named, mode, extra)
		}
	}
	return vm.failed(mode, extra, vm.t.FailAt(fn.Label, vm.t.Types.TypeError, "'%s' object is not callable", vm.t.ClassName(fn)))
}

// prepend puts a value before others, unless it is unset.
func prepend(v value.Value, rest []value.Value) []value.Value {
	if v.Kind == value.KUnset {
		return rest
	}
	return append(append(make([]value.Value, 0, len(rest)+1), v), rest...)
}

// callFunc makes the frame of a function of the program, or its generator.
func (vm *VM) callFunc(fv, self value.Value, pos []value.Value, names []string, named []value.Value, mode retMode, extra value.Value) error {
	t := &vm.t
	if t.Steps -= callSteps; t.Steps < 0 {
		if err := t.OutOfSteps(); err != nil {
			return err
		}
	}
	fn := fv.Obj.(*value.Func)
	if fn.Run == nil {
		fn.Run = vm.running(fn.Code)
	}
	if fn.Code.Flags&(value.FlagGenerator|value.FlagCoroutine) != 0 {
		g, err := vm.newGen(fn)
		if err == nil {
			err = vm.bind(g.f.st, fn, self, pos, names, named)
		}
		if err == nil && fn.Run.Lib && !vm.frames[vm.depth].library() {
			vm.calledBack(g.f)
		}
		if err != nil {
			return vm.failed(mode, extra, err)
		}
		return vm.deliver(mode, extra, value.Value{Kind: value.KGen, Obj: g, Label: fv.Label})
	}
	f, err := vm.push(fn, mode)
	if err != nil {
		return vm.failed(mode, extra, err)
	}
	f.ret = fv.Label
	f.extra = extra
	if err := vm.bind(f.st, fn, self, pos, names, named); err != nil {
		vm.pop(f)
		return vm.failed(mode, extra, err)
	}
	if fv.Label != 0 || fn.Run.Lib {
		vm.called(f, vm.frames[vm.depth-1], self)
	}
	return nil
}

// bind puts the arguments of a call into the slots of the parameters.
func (vm *VM) bind(slots []value.Value, fn *value.Func, self value.Value, pos []value.Value, names []string, named []value.Value) error {
	c := fn.Code
	n := c.PosOnly + c.Pos
	given := len(pos)
	i := 0
	if self.Kind != value.KUnset {
		given++
		if n > 0 {
			slots[0] = self
			i = 1
		}
	}
	took := copy(slots[i:n], pos)
	i += took
	if i < c.Params {
		clear(slots[i:c.Params])
	}
	if given > n {
		if c.Star < 0 {
			return vm.argumentCount(fn.Qual, n-len(fn.Defaults), n, given, "")
		}
		rest := pos[took:]
		if n == 0 {
			rest = prepend(self, rest)
		}
		if err := vm.t.Alloc(int64(len(rest)) * value.ValueBytes); err != nil {
			return err
		}
		slots[c.Star] = vm.t.Tuple(append([]value.Value(nil), rest...)).With(vm.t.ArgsLabel)
	} else if c.Star >= 0 {
		slots[c.Star] = vm.t.Tuple(nil).With(vm.t.ArgsLabel)
	}
	if c.KwStar >= 0 {
		d := vm.t.NewDict()
		d.Obj.(*value.Dict).Shape = vm.t.KeyLabel
		slots[c.KwStar] = d
	}
	if len(names) > 0 {
		if err := vm.bindNamed(slots, fn, names, named); err != nil {
			return err
		}
	}
	for ; i < n+c.KwOnly; i++ {
		if slots[i].Kind != value.KUnset {
			continue
		}
		d, ok := fn.Kw[c.Slots[i]]
		if at := i - (n - len(fn.Defaults)); i < n && at >= 0 {
			d, ok = fn.Defaults[at], true
		}
		if !ok {
			return vm.argumentCount(fn.Qual, n-len(fn.Defaults), n, given, c.Slots[i])
		}
		slots[i] = d.With(vm.t.Join(d.Label, vm.t.Join(vm.t.ArgsLabel, vm.t.KeyLabel)))
	}
	return nil
}

// argumentCount is the error of a call with too few or too many arguments, of a
// function with so many positional parameters; missing is one without an argument.
func (vm *VM) argumentCount(name string, need, most, given int, missing string) error {
	t := &vm.t
	if missing != "" {
		return t.Raise(t.Types.TypeError, "%s() missing required argument '%s'", name, missing)
	}
	takes := plural(most, "positional argument")
	if need < most {
		takes = fmt.Sprintf("from %d to %s", need, takes)
	}
	return t.Raise(t.Types.TypeError, "%s() takes %s but %d were given", name, takes, given)
}

// argumentTwice is the error of a parameter that two arguments are for.
func (vm *VM) argumentTwice(name, param string) error {
	return vm.t.Raise(vm.t.Types.TypeError, "%s() got multiple values for argument '%s'", name, param)
}

// noParameter is the error of a keyword argument for no parameter.
func (vm *VM) noParameter(name, param string) error {
	return vm.t.Raise(vm.t.Types.TypeError, "%s() got an unexpected keyword argument '%s'", name, param)
}

// labelKeys gives the keys of a dict of keyword arguments, the last of which was
// just added, what the names in the mapping of f(**m) depend on.
func (vm *VM) labelKeys(d *value.Dict) {
	t := &vm.t
	if t.KeyLabel != 0 {
		t.Mark(&d.Shape, t.KeyLabel)
		e := &d.Entries[len(d.Entries)-1]
		e.Key.Label = t.Join(e.Key.Label, t.KeyLabel)
	}
}

// bindNamed puts the keyword arguments into their slots.
func (vm *VM) bindNamed(slots []value.Value, fn *value.Func, names []string, named []value.Value) error {
	c := fn.Code
	t := &vm.t
	n := c.PosOnly + c.Pos + c.KwOnly
next:
	for j, name := range names {
		for i := c.PosOnly; i < n; i++ {
			if c.Slots[i] == name {
				if slots[i].Kind != value.KUnset {
					return vm.argumentTwice(fn.Qual, name)
				}
				slots[i] = named[j]
				continue next
			}
		}
		if c.KwStar >= 0 {
			if err := t.Alloc(value.EntryBytes); err != nil {
				return err
			}
			d := slots[c.KwStar].Obj.(*value.Dict)
			d.SetName(t.Intern(name), named[j])
			vm.labelKeys(d)
			continue
		}
		return vm.noParameter(fn.Qual, name)
	}
	return nil
}

// plural writes a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// deliver hands what a call gave to the frame at the top, as mode says.
func (vm *VM) deliver(mode retMode, extra, v value.Value) error {
	t := &vm.t
	f := vm.frames[vm.depth]
	switch mode {
	case retPush, retDefaultNext, retAttr:
		f.put(v)
	case retGo:
		vm.result = v
		return errReturned
	case retInit:
		if v.Kind != value.KNone {
			return t.Raise(t.Types.TypeError, "__init__() should return None, not '%s'", t.ClassName(v))
		}
		f.put(extra)
	case retGetIter:
		if !vm.isIterator(v) {
			return t.Raise(t.Types.TypeError, "iter() returned non-iterator of type '%s'", t.ClassName(v))
		}
		f.put(v)
	case retNext:
		vm.element(f, v)
	case retRaise:
		return vm.raiseValue(v, extra)
	}
	return nil
}

// isIterator reports whether next(v) is possible.
func (vm *VM) isIterator(v value.Value) bool {
	switch v.Kind {
	case value.KIter, value.KGen:
		return true
	case value.KObject, value.KSpecial:
		_, _, ok := vm.t.ClassOf(v).Lookup("__next__")
		return ok
	}
	return false
}

// element hands the next element to the loop that f is in.
func (vm *VM) element(f *Frame, v value.Value) {
	if it := f.at(1); it.Label != 0 {
		v.Label = vm.t.Join(v.Label, it.Label)
	}
	if f.code.Instrs[f.ip-1].Op() == bytecode.ForIterFast {
		f.st[f.code.Instrs[f.ip]] = v
		f.ip++
		return
	}
	f.put(v)
}

// endLoop leaves the loop that f is in; l is what it depends on that there is no other element.
func (vm *VM) endLoop(f *Frame, l label.ID) {
	if vm.t.Strict {
		vm.t.PC = vm.t.Join(vm.t.PC, l)
	}
	f.decides(&vm.t, l)
	f.sp--
	f.ip = f.code.Instrs[f.ip-1].Arg()
}

// failed looks whether mode expects the exception; otherwise it gives it back.
func (vm *VM) failed(mode retMode, extra value.Value, err error) error {
	r, ok := err.(*value.Raise)
	if !ok {
		return err
	}
	t := &vm.t
	f := vm.frames[vm.depth]
	stop := r.Exc.Cls.Derives(t.Types.StopIteration)
	switch {
	case mode == retNext && stop:
		vm.endLoop(f, r.Label)
		return nil
	case mode == retDefaultNext && stop:
		f.put(extra.With(t.Join(extra.Label, r.Label)))
		return nil
	case mode == retSend:
		f.ip++ // the frame stood at the instruction, not behind it
	case mode == retClose && (stop || r.Exc.Cls.Derives(t.Types.GeneratorExit)):
		f.put(value.None)
		return nil
	case mode == retAttr && r.Exc.Cls.Derives(t.Types.AttributeError):
		o := extra.Obj.(*value.Tuple).Items // the object and the name
		if fn, _, ok := t.ClassOf(o[0]).Lookup("__getattr__"); ok {
			return vm.invoke(fn.With(t.Join(fn.Label, o[0].Label)), o[0], o[1:], nil, nil, retPush, value.Value{})
		}
	}
	return err
}

// leave ends the frame at the top with a value, or lets its generator rest.
func (vm *VM) leave(f *Frame, v value.Value, yielded bool) error {
	if f.ret != 0 {
		if v.Changeable() && (f.chosen || yielded && f.run.Lib && f.gen.gave != f.ret) {
			vm.gave(f, &v)
		}
		v.Label = vm.t.Join(v.Label, f.ret)
	}
	mode, extra := f.mode, f.extra
	if extra.Kind != value.KUnset {
		f.extra = value.Value{}
	}
	if g := f.gen; g != nil {
		handled := f.handled
		vm.pop(f)
		g.running = false
		if yielded {
			f.handled = handled
		} else {
			g.f, g.end = nil, v.Label
		}
		return vm.deliverGen(g, mode, extra, v, yielded)
	}
	vm.pop(f)
	return vm.deliver(mode, extra, v)
}
