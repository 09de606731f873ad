package vm

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"praxis/internal/plan/label"
)

// What the machine tells itself with errors. The program never sees them.
var (
	errReturned = errors.New("returned to Go")   // VM.result holds the value
	errHost     = errors.New("a tool is called") // VM.pending says which
)

// errTail is what a native returns to be replaced by a call; Thread.tail says
// which. The program never sees it.
var errTail = errors.New("a native calls on")

// tailCall is a call that takes the place of the native that asked for it.
type tailCall struct {
	fn    Value
	pos   []Value
	names []string
	named []Value
	l     label.ID // what the native had seen

	op    tailOp
	raise *Raise // of tailThrow
	extra Value  // of tailNextOr: what is given at the end
}

// tailOp says what the machine does in the place of a native.
type tailOp uint8

const (
	tailCalls  tailOp = iota // calls fn
	tailSend                 // next() and send(): the generator or iterator fn goes on with pos[0]
	tailNextOr               // next() with a value for the end
	tailAwait                // runs the coroutine fn to its end
	tailThrow                // throw()
	tailClose                // close()
)

// tail is what a native returns to be replaced by a call: return t.tailCall(fn, …).
// The machine makes the call in a frame of its own, so that a tool that is called
// in it can be answered later.
func (t *Thread) tailCall(fn Value, pos []Value, names []string, named []Value) (Value, error) {
	t.tail = tailCall{fn: fn, pos: pos, names: names, named: named}
	return Value{}, errTail
}

// again makes the call that a native asked for.
func (vm *VM) again(mode retMode, extra Value) error {
	c := vm.t.tail
	vm.t.tail = tailCall{}
	c.fn.l = vm.t.join(c.fn.l, c.l)
	if c.op != tailCalls {
		return vm.generator(c, mode, extra)
	}
	return vm.invoke(c.fn, Value{}, c.pos, c.names, c.named, mode, extra)
}

// maxNested bounds how deep Go code and the program call each other.
const maxNested = 1000

// machine is the VM as [Machine].
type machine VM

// of returns the VM that a thread belongs to.
func of(t *Thread) *VM { return (*VM)(t.Machine.(*machine)) }

// Call calls fn from Go and waits for its value. A tool cannot be called in it.
func (m *machine) Call(fn Value, pos []Value, names []string, named []Value) (Value, error) {
	vm := (*VM)(m)
	t := &vm.t
	for fn.k == kNative {
		v, err := vm.native(fn.o.(*Native), Value{}, pos, names, named, fn.l)
		if err != errTail {
			return v, err
		}
		c := t.tail
		t.tail = tailCall{}
		if c.op != tailCalls {
			c.fn.l = t.join(c.fn.l, c.l)
			return vm.generatorNow(c)
		}
		fn, pos, names, named = c.fn.with(t.join(c.fn.l, c.l)), c.pos, c.names, c.named
	}
	if vm.nested >= maxNested {
		return Value{}, vm.tooDeep()
	}
	vm.nested++
	err := vm.invoke(fn, Value{}, pos, names, named, retGo, Value{})
	if err == nil {
		err = vm.run()
		if err == nil {
			err = errReturned
		}
	}
	vm.nested--
	if err != errReturned {
		return Value{}, err
	}
	v := vm.result
	vm.result = Value{}
	return v, nil
}

// CallSelf calls fn with self and the arguments that are set from Go. Unlike
// Call it needs no slice on the heap.
func (m *machine) CallSelf(fn, self, x, y Value) (Value, error) {
	vm := (*VM)(m)
	t := &vm.t
	args := [...]Value{self, x, y}
	n := 1
	for n < len(args) && args[n].k != kUnset {
		n++
	}
	f, ok := fn.o.(*Func)
	if !ok || f.run == nil || f.run.fixed != n {
		return m.Call(fn, slices.Clone(args[:n]), nil, nil)
	}
	if t.steps -= callSteps; t.steps < 0 {
		if err := t.OutOfSteps(); err != nil {
			return Value{}, err
		}
	}
	if vm.nested >= maxNested {
		return Value{}, vm.tooDeep()
	}
	g, err := vm.push(f, retGo)
	if err != nil {
		return Value{}, err
	}
	copy(g.st, args[:n])
	g.ret = fn.l
	vm.nested++
	err = vm.run()
	vm.nested--
	if err != nil {
		return Value{}, err
	}
	v := vm.result
	vm.result = Value{}
	return v, nil
}

// invoke calls fn; self, when it is set, is the first argument. What comes back
// is treated as mode says, at once or when a frame returns.
func (vm *VM) invoke(fn, self Value, pos []Value, names []string, named []Value, mode retMode, extra Value) error {
	switch fn.k {
	case kFunc:
		return vm.callFunc(fn, self, pos, names, named, mode, extra)
	case kNative:
		v, err := vm.native(fn.o.(*Native), self, pos, names, named, fn.l)
		if err == errTail {
			return vm.again(mode, extra)
		}
		if err != nil {
			return vm.failed(mode, extra, err)
		}
		return vm.deliver(mode, extra, v)
	case kMethod:
		m := fn.o.(*Method)
		if self.k != kUnset {
			pos = prepend(self, pos)
		}
		return vm.invoke(m.fn.with(vm.t.join(m.fn.l, fn.l)), m.self, pos, names, named, mode, extra)
	case kClass:
		if self.k != kUnset {
			pos = prepend(self, pos)
		}
		return vm.construct(fn, pos, names, named, mode, extra)
	case kTool:
		if self.k != kUnset {
			pos = prepend(self, pos)
		}
		return vm.hostCall(fn, pos, names, named, mode, extra)
	case kProp:
		if w, ok := fn.o.(*Wrapper); ok && !w.bind {
			return vm.invoke(w.fn.with(vm.t.join(w.fn.l, fn.l)), self, pos, names, named, mode, extra)
		}
	case kObject, kSpecial:
		if call, _, ok := vm.t.classOf(fn).lookup("__call__"); ok {
			if self.k != kUnset {
				pos = prepend(self, pos)
			}
			if w, is := call.o.(*Wrapper); is && call.k == kProp {
				if w.bind {
					return vm.invoke(w.fn, classValue(vm.t.classOf(fn)), pos, names, named, mode, extra)
				}
				return vm.invoke(w.fn, Value{}, pos, names, named, mode, extra)
			}
			call.l = vm.t.join(call.l, fn.l)
			return vm.invoke(call, fn, pos, names, named, mode, extra)
		}
	}
	return vm.failed(mode, extra, vm.t.raise(vm.t.types.TypeError, "'%s' object is not callable", vm.t.className(fn)))
}

func prepend(v Value, rest []Value) []Value {
	return append(append(make([]Value, 0, len(rest)+1), v), rest...)
}

// classValue returns a class as a value, without a label.
func classValue(c *Class) Value { return Value{k: kClass, o: c} }

// callFunc makes the frame of a function of the program, or its generator.
func (vm *VM) callFunc(fv, self Value, pos []Value, names []string, named []Value, mode retMode, extra Value) error {
	t := &vm.t
	if t.steps -= callSteps; t.steps < 0 {
		if err := t.OutOfSteps(); err != nil {
			return err
		}
	}
	fn := fv.o.(*Func)
	if fn.run == nil {
		fn.run = vm.running(fn.code)
	}
	if fn.code.flags&(flagGenerator|flagCoroutine) != 0 {
		g, err := vm.newGen(fn)
		if err == nil {
			err = vm.bind(g.f.st, fn, self, pos, names, named)
		}
		if err != nil {
			return vm.failed(mode, extra, err)
		}
		return vm.deliver(mode, extra, Value{k: kGen, o: g, l: fv.l})
	}
	f, err := vm.push(fn, mode)
	if err != nil {
		return vm.failed(mode, extra, err)
	}
	f.ret = fv.l
	f.extra = extra
	if err := vm.bind(f.st, fn, self, pos, names, named); err != nil {
		vm.pop(f)
		return vm.failed(mode, extra, err)
	}
	return nil
}

// bind puts the arguments of a call into the slots of the parameters.
func (vm *VM) bind(slots []Value, fn *Func, self Value, pos []Value, names []string, named []Value) error {
	c := fn.code
	n := c.posOnly + c.pos
	given := len(pos)
	i := 0
	if self.k != kUnset {
		given++
		if n > 0 {
			slots[0] = self
			i = 1
		}
	}
	took := copy(slots[i:n], pos)
	i += took
	if i < c.params {
		clear(slots[i:c.params])
	}
	if given > n {
		if c.star < 0 {
			return vm.tooMany(fn, given, slots, names)
		}
		rest := pos[took:]
		if self.k != kUnset && n == 0 {
			rest = prepend(self, rest)
		}
		if err := vm.t.alloc(int64(len(rest)) * valueBytes); err != nil {
			return err
		}
		slots[c.star] = vm.t.tuple(append([]Value(nil), rest...))
	} else if c.star >= 0 {
		slots[c.star] = vm.t.tuple(nil)
	}
	if c.kwStar >= 0 {
		slots[c.kwStar] = vm.t.newDict()
	}
	if len(names) > 0 {
		if err := vm.bindNamed(slots, fn, names, named); err != nil {
			return err
		}
	}
	for ; i < n; i++ {
		if slots[i].k == kUnset {
			d := i - (n - len(fn.defaults))
			if d < 0 {
				return vm.missing(fn, slots, i)
			}
			slots[i] = fn.defaults[d]
		}
	}
	for i := n; i < n+c.kwOnly; i++ {
		if slots[i].k == kUnset {
			d, ok := fn.kw[c.slots[i]]
			if !ok {
				return vm.missingNamed(fn, slots, i)
			}
			slots[i] = d
		}
	}
	return nil
}

// labelKeys gives the keys of a dict of keyword arguments, the last of which was
// just added, what the names in the mapping of f(**m) depend on.
func (vm *VM) labelKeys(d *Dict) {
	t := &vm.t
	if t.keyLabel != 0 {
		t.mark(&d.shape, t.keyLabel)
		e := &d.entries[len(d.entries)-1]
		e.key.l = t.join(e.key.l, t.keyLabel)
	}
}

// bindNamed puts the keyword arguments into their slots.
func (vm *VM) bindNamed(slots []Value, fn *Func, names []string, named []Value) error {
	c := fn.code
	t := &vm.t
	n := c.posOnly + c.pos + c.kwOnly
	var posOnly []string
next:
	for j, name := range names {
		for i := c.posOnly; i < n; i++ {
			if c.slots[i] == name {
				if slots[i].k != kUnset {
					return t.raise(t.types.TypeError, "%s() got multiple values for argument '%s'", fn.qual, name)
				}
				slots[i] = named[j]
				continue next
			}
		}
		if c.kwStar >= 0 {
			if err := t.alloc(entryBytes); err != nil {
				return err
			}
			d := slots[c.kwStar].o.(*Dict)
			d.setName(t.intern(name), named[j])
			vm.labelKeys(d)
			continue
		}
		for i := 0; i < c.posOnly; i++ {
			if c.slots[i] == name {
				posOnly = append(posOnly, name)
				continue next
			}
		}
		hint := ""
		if like := nearest(name, c.slots[c.posOnly:n]); like != "" {
			hint = ". Did you mean '" + like + "'?"
		}
		return t.raise(t.types.TypeError, "%s() got an unexpected keyword argument '%s'%s", fn.qual, name, hint)
	}
	if posOnly != nil {
		return t.raise(t.types.TypeError, "%s() got some positional-only arguments passed as keyword arguments: '%s'",
			fn.qual, strings.Join(posOnly, ", "))
	}
	return nil
}

func (vm *VM) tooMany(fn *Func, given int, slots []Value, names []string) error {
	c := fn.code
	n := c.posOnly + c.pos
	kw := 0
	for i := n; i < n+c.kwOnly; i++ {
		for _, name := range names {
			if name == c.slots[i] {
				kw++
			}
		}
	}
	takes := plural(n, "positional argument")
	if d := len(fn.defaults); d > 0 {
		takes = "from " + strconv.Itoa(n-d) + " to " + strconv.Itoa(n) + " positional arguments"
	}
	were := "were"
	if given == 1 && kw == 0 {
		were = "was"
	}
	extra := ""
	if kw > 0 {
		extra = " " + strings.TrimPrefix(plural(given, "positional argument"), strconv.Itoa(given)+" ") +
			" (and " + plural(kw, "keyword-only argument") + ")"
	}
	return vm.t.raise(vm.t.types.TypeError, "%s() takes %s but %d%s %s given", fn.qual, takes, given, extra, were)
}

// plural writes a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// missing is the error of positional parameters without an argument, from i on.
func (vm *VM) missing(fn *Func, slots []Value, i int) error {
	c := fn.code
	var names []string
	for n := c.posOnly + c.pos - len(fn.defaults); i < n; i++ {
		if slots[i].k == kUnset {
			names = append(names, "'"+c.slots[i]+"'")
		}
	}
	return vm.missingError(fn, "positional", names)
}

func (vm *VM) missingNamed(fn *Func, slots []Value, i int) error {
	c := fn.code
	var names []string
	for n := c.posOnly + c.pos + c.kwOnly; i < n; i++ {
		if _, ok := fn.kw[c.slots[i]]; !ok && slots[i].k == kUnset {
			names = append(names, "'"+c.slots[i]+"'")
		}
	}
	return vm.missingError(fn, "keyword-only", names)
}

func (vm *VM) missingError(fn *Func, kind string, names []string) error {
	list := ""
	switch n := len(names); n {
	case 1:
		list = names[0]
	case 2:
		list = names[0] + " and " + names[1]
	default:
		list = strings.Join(names[:n-1], ", ") + ", and " + names[n-1]
	}
	return vm.t.raise(vm.t.types.TypeError, "%s() missing %s: %s",
		fn.qual, plural(len(names), "required "+kind+" argument"), list)
}

// deliver hands what a call gave to the frame at the top, as mode says.
func (vm *VM) deliver(mode retMode, extra, v Value) error {
	t := &vm.t
	f := vm.frames[vm.depth]
	switch mode {
	case retPush, retDefaultNext, retAttr:
		f.put(v)
	case retGo:
		vm.result = v
		return errReturned
	case retInit:
		if v.k != kNone {
			return t.raise(t.types.TypeError, "__init__() should return None, not '%s'", t.className(v))
		}
		f.put(extra)
	case retGetIter:
		if !vm.isIterator(v) {
			return t.raise(t.types.TypeError, "iter() returned non-iterator of type '%s'", t.className(v))
		}
		f.put(v)
	case retNext:
		vm.element(f, v)
	case retSendTo:
		return vm.leave(f, v, true)
	case retRaise:
		return vm.raiseValue(v, extra)
	case retStore:
	}
	return nil
}

// isIterator reports whether next(v) is possible.
func (vm *VM) isIterator(v Value) bool {
	switch v.k {
	case kIter, kGen:
		return true
	case kObject, kSpecial:
		_, _, ok := vm.t.classOf(v).lookup("__next__")
		return ok
	}
	return false
}

// element hands the next element to the loop that f is in.
func (vm *VM) element(f *Frame, v Value) {
	if it := f.at(1); it.l != 0 {
		v.l = vm.t.join(v.l, it.l)
	}
	if f.code.instrs[f.ip-1].op() == opForIterFast {
		f.st[f.code.instrs[f.ip]] = v
		f.ip++
		return
	}
	f.put(v)
}

// endLoop leaves the loop that f is in; l is what it depends on that there is no other element.
func (vm *VM) endLoop(f *Frame, l label.ID) {
	if vm.t.strict {
		vm.t.pc = vm.t.join(vm.t.pc, l)
	}
	f.sp--
	f.ip = f.code.instrs[f.ip-1].arg()
}

// failed looks whether mode expects the exception; otherwise it gives it back.
func (vm *VM) failed(mode retMode, extra Value, err error) error {
	r, ok := err.(*Raise)
	if !ok {
		return err
	}
	t := &vm.t
	f := vm.frames[vm.depth]
	stop := r.exc.cls.derives(t.types.StopIteration)
	switch {
	case mode == retNext && stop:
		vm.endLoop(f, r.l)
		return nil
	case mode == retDefaultNext && stop:
		f.put(extra.with(t.join(extra.l, r.l)))
		return nil
	case mode == retSendTo && stop:
		vm.sent(f, stopValue(r))
		return nil
	case mode == retSendTo || mode == retSend:
		f.ip++ // the frame stood at the instruction, not behind it
	case mode == retClose && (stop || r.exc.cls.derives(t.types.GeneratorExit)):
		f.put(none)
		return nil
	case mode == retAttr && r.exc.cls.derives(t.types.AttributeError):
		o := extra.o.(*Tuple).items // the object and the name
		if fn, _, ok := t.classOf(o[0]).lookup("__getattr__"); ok {
			return vm.invoke(fn, o[0], o[1:], nil, nil, retPush, Value{})
		}
	}
	return err
}

// stopValue is the value that a StopIteration brings.
func stopValue(r *Raise) Value {
	v := none
	if items := r.exc.args.o.(*Tuple).items; len(items) > 0 {
		v = items[0]
	}
	return v
}

// leave ends the frame at the top with a value, or lets its generator rest.
func (vm *VM) leave(f *Frame, v Value, yielded bool) error {
	if f.ret != 0 {
		v.l = vm.t.join(v.l, f.ret)
	}
	mode, extra := f.mode, f.extra
	if extra.k != kUnset {
		f.extra = Value{}
	}
	if g := f.gen; g != nil {
		handled := f.handled
		vm.pop(f)
		g.running = false
		if yielded {
			f.handled = handled
		} else {
			g.f = nil
		}
		return vm.deliverGen(g, mode, extra, v, yielded)
	}
	vm.pop(f)
	return vm.deliver(mode, extra, v)
}
