package vm

import (
	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
)

// Frame is one activation of a code. Its window st holds the variables of the
// frame (Code.Slots) and above them the operands; sp is the place of the next
// operand. The window is part of the VM's slab, or the generator's own.
//
// While the frame runs, sp and ip are in registers of [VM.run]; they are written
// back before anything that may look at the frame: calls, allocations, errors.
type Frame struct {
	st      []value.Value
	code    *value.Code
	fn      *value.Func
	run     *value.Running
	sp, ip  int
	high    int           // operands below are in use by the call that is being made, although sp may be lower
	base    int           // VM.top before the frame was made
	under   []value.Value // the slab before, where the frame began a new one
	mode    retMode       // what is done with the value that the frame returns
	ret     label.ID      // joined into that value: what the choice of the function depends on
	raised  bool          // the control label was raised for the call
	before  label.ID      // what it was
	chosen  bool          // data chose the function among others
	gen     *Gen          // whose frame this is
	def     *classDef
	extra   value.Value // belongs to mode: the new instance, the default of next()
	handled value.Value // the exception that the frame handles now; unset: none
}

// retMode says what happens with the value that a frame returns or yields.
type retMode uint8

const (
	retPush        retMode = iota // becomes an operand of the caller
	retGo                         // goes to the Go code that called run
	retInit                       // __init__: must be None; extra becomes the operand
	retGetIter                    // __iter__: must be an iterator
	retIter                       // a generator in a for loop: the end of the generator is the end of the loop
	retNext                       // __next__ in a for loop: StopIteration is the end of the loop
	retSend                       // a generator in yield from
	retCall                       // next(g), g.send(x), g.throw(e): the end of the generator is StopIteration
	retDefault                    // next(g, default): the end gives extra
	retDefaultNext                // next(obj, default): StopIteration gives extra
	retClose                      // g.close()
	retAwait                      // a coroutine: what it returns is the operand
	retRaise                      // makes an exception, which is raised; extra is its cause
	retClass                      // the body of a class
	retStore                      // a value that nobody wants: __setattr__, setters
	retAttr                       // a property: AttributeError asks __getattr__ (extra: the object and the name)
)

// classDef is a class whose body is being executed.
type classDef struct {
	name  string
	bases []value.Value
	names []string // of the keywords
	named []value.Value
	ns    *value.Dict
	meta  *value.Class
	l     label.ID

	library bool // the class statement is one of a library module
}

// running returns what the VM keeps beside a code.
func (vm *VM) running(c *value.Code) *value.Running {
	rs := vm.runs[c.Unit]
	if rs == nil {
		if vm.runs == nil {
			vm.runs = make(map[*value.Unit][]*value.Running)
		}
		rs = make([]*value.Running, len(c.Unit.Codes))
		vm.runs[c.Unit] = rs
	}
	if r := rs[c.ID]; r != nil {
		return r
	}
	r := &value.Running{Code: c, Need: len(c.Slots) + c.Stack + 1, Fixed: -1, Lib: c.Unit.Module != ""}
	if c.KwOnly == 0 && c.Star < 0 && c.KwStar < 0 && c.Flags&(value.FlagGenerator|value.FlagCoroutine) == 0 {
		r.Fixed = c.PosOnly + c.Pos
	}
	r.Sites = make([]value.Site, len(c.Sites))
	r.Kids = make([]*value.Running, len(c.Codes))
	rs[c.ID] = r
	return r
}

// kid is running for the i-th of the codes in r's code.
func (vm *VM) kid(r *value.Running, i int) *value.Running {
	if k := r.Kids[i]; k != nil {
		return k
	}
	k := vm.running(r.Code.Codes[i])
	r.Kids[i] = k
	return k
}

const (
	firstSlab = 256     // values; a small plan needs no more
	mostSlab  = 1 << 16 // values that a slab has when one more is needed, unless one frame needs more
)

// push makes a frame for fn. Its parameters are not set yet; its other variables
// are unbound, but for the free ones.
func (vm *VM) push(fn *value.Func, mode retMode) (*Frame, error) {
	if vm.depth >= vm.t.Limits.Depth && vm.tooManyFrames() {
		return nil, vm.tooDeep()
	}
	r := fn.Run
	vm.depth++
	if vm.depth >= len(vm.pool) {
		vm.deepen()
	}
	f := vm.pool[vm.depth]
	vm.frames[vm.depth] = f
	f.base = vm.top
	if vm.top+r.Need > len(vm.slab) {
		f.under = vm.slab
		vm.grow(r.Need)
	}
	f.st = vm.slab[vm.top : vm.top+r.Need : vm.top+r.Need]
	vm.top += r.Need
	f.enter(fn, mode)
	return f, nil
}

// enter makes f a frame at the beginning of fn.
func (f *Frame) enter(fn *value.Func, mode retMode) {
	c := fn.Code
	f.fn, f.code, f.run = fn, c, fn.Run
	f.sp, f.ip, f.high = len(c.Slots), 0, 0
	f.mode, f.ret, f.chosen = mode, 0, false
	if rest := f.st[c.Params:len(c.Slots)]; len(rest) > 0 {
		clear(rest)
		for i, cell := range fn.Closure {
			rest[i] = value.Value{Kind: value.KSpecial, Obj: cell}
		}
	}
}

// tooManyFrames reports whether the frames at hand are more than the limit allows.
// Frames of the library, which are C's and no frames in CPython, are not counted,
// as long as there are no more than of the program's.
func (vm *VM) tooManyFrames() bool {
	vm.t.Steps -= int64(vm.depth) / 16
	own := 0
	for i := 1; i <= vm.depth; i++ {
		if vm.frames[i].code.Unit.Module == "" {
			own++
		}
	}
	return own >= vm.t.Limits.Depth || vm.depth >= 2*vm.t.Limits.Depth
}

// tooDeep is the exception of a recursion that does not end.
func (vm *VM) tooDeep() error {
	return vm.t.Raise(vm.t.Types.RecursionError, "maximum recursion depth exceeded")
}

// deepen makes space for more frames.
func (vm *VM) deepen() {
	n := max(2*len(vm.pool), 16)
	block := make([]Frame, n-len(vm.pool))
	for i := range block {
		vm.pool = append(vm.pool, &block[i])
		vm.frames = append(vm.frames, nil)
	}
}

// grow begins a new slab with space for n values.
func (vm *VM) grow(n int) {
	if size := max(min(2*len(vm.slab), mostSlab), firstSlab, n); len(vm.spare) >= size {
		vm.slab, vm.spare = vm.spare, nil
	} else {
		vm.slab = make([]value.Value, size)
	}
	vm.top = 0
}

// pop leaves the frame at the top.
func (vm *VM) pop(f *Frame) {
	vm.depth--
	if f.raised {
		f.raised = false
		vm.t.PC = vm.t.Join(f.before, vm.t.Sticky)
	}
	if f.handled.Kind != value.KUnset {
		f.handled = value.Value{}
		vm.handlers--
	}
	if f.gen != nil {
		return
	}
	vm.top = f.base
	if f.under != nil {
		vm.spare, vm.slab, f.under = vm.slab, f.under, nil
	}
}

// handling returns the exception that is handled now, of the innermost frame that handles one.
func (vm *VM) handling() value.Value {
	if vm.handlers > 0 {
		for i := vm.depth; i > 0; i-- {
			if h := vm.frames[i].handled; h.Kind != value.KUnset {
				return h
			}
		}
	}
	return value.Value{}
}

// handle makes exc what the frame handles; an unset value: nothing.
func (vm *VM) handle(f *Frame, exc value.Value) {
	if f.handled.Kind != value.KUnset {
		vm.handlers--
	}
	if f.handled = exc; exc.Kind != value.KUnset {
		vm.handlers++
	}
}
