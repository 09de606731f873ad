package vm

import "praxis/internal/plan/label"

// Frame is one activation of a code. Its window st holds the variables of the
// frame (Code.slots) and above them the operands; sp is the place of the next
// operand. The window is part of the VM's slab, or the generator's own.
//
// While the frame runs, sp and ip are in registers of [VM.run]; they are written
// back before anything that may look at the frame: calls, allocations, errors.
type Frame struct {
	st      []Value
	code    *Code
	fn      *Func
	run     *running
	sp, ip  int
	high    int      // operands below are in use by the call that is being made, although sp may be lower
	base    int      // VM.top before the frame was made
	grown   bool     // the frame began a new slab
	mode    retMode  // what is done with the value that the frame returns
	ret     label.ID // joined into that value: what the choice of the function depends on
	gen     *Gen     // whose frame this is
	def     *classDef
	extra   Value // belongs to mode: the new instance, the default of next()
	handled Value // the exception that the frame handles now; unset: none
}

// retMode says what happens with the value that a frame returns or yields.
type retMode uint8

const (
	retPush        retMode = iota // becomes an operand of the caller
	retGo                         // goes to the Go code that called run
	retInit                       // __init__: must be None; extra becomes the operand
	retNew                        // __new__ that the program wrote: __init__ comes next
	retGetIter                    // __iter__: must be an iterator
	retIter                       // a generator in a for loop: the end of the generator is the end of the loop
	retNext                       // __next__ in a for loop: StopIteration is the end of the loop
	retSend                       // a generator in yield from
	retSendTo                     // __next__ or send in yield from: StopIteration is its end
	retCall                       // next(g), g.send(x), g.throw(e): the end of the generator is StopIteration
	retDefault                    // next(g, default): the end gives extra
	retDefaultNext                // next(obj, default): StopIteration gives extra
	retClose                      // g.close()
	retAwait                      // a coroutine: what it returns is the operand
	retRaise                      // makes an exception, which is raised; extra is its cause
	retClass                      // the body of a class
	retStore                      // a value that nobody wants: __setattr__, __set__
	retAttr                       // a property or __getattribute__: AttributeError asks __getattr__ (extra: the object and the name)

	retModes // how many there are
)

// classDef is a class whose body is being carried out.
type classDef struct {
	name  string
	bases []Value
	names []string // of the keywords
	named []Value
	ns    *Dict
	meta  *Class
	l     label.ID

	library bool // the class statement is one of a library module
}

// running is what a VM keeps beside one code.
type running struct {
	code  *Code
	need  int // size of a frame's window
	fixed int // arguments of a call that needs no binding: as many positional parameters; -1: there is none
	sites []site
	kids  []*running // of code.codes, made when they are first used
}

// running returns what the VM keeps beside a code.
func (vm *VM) running(c *Code) *running {
	rs := vm.runs[c.unit]
	if rs == nil {
		if vm.runs == nil {
			vm.runs = make(map[*unit][]*running)
		}
		rs = make([]*running, len(c.unit.codes))
		vm.runs[c.unit] = rs
	}
	if r := rs[c.id]; r != nil {
		return r
	}
	r := &running{code: c, need: len(c.slots) + c.stack + 1, fixed: -1}
	if c.kwOnly == 0 && c.star < 0 && c.kwStar < 0 && c.flags&(flagGenerator|flagCoroutine) == 0 {
		r.fixed = c.posOnly + c.pos
	}
	r.sites = make([]site, len(c.sites))
	r.kids = make([]*running, len(c.codes))
	rs[c.id] = r
	return r
}

// kid is running for the i-th of the codes in r's code.
func (vm *VM) kid(r *running, i int) *running {
	if k := r.kids[i]; k != nil {
		return k
	}
	k := vm.running(r.code.codes[i])
	r.kids[i] = k
	return k
}

// segment is a slab that is full.
type segment struct {
	slab []Value
	top  int
}

const (
	firstSlab = 256     // values; a small plan needs no more
	mostSlab  = 1 << 16 // values that a slab has when one more is needed, unless one frame needs more
)

// push makes a frame for fn. Its parameters are not set yet; its other variables
// are unbound, but for the free ones.
func (vm *VM) push(fn *Func, mode retMode) (*Frame, error) {
	if vm.depth >= vm.t.limits.Depth && vm.tooManyFrames() {
		return nil, vm.tooDeep()
	}
	r := fn.run
	if vm.top+r.need > len(vm.slab) {
		vm.grow(r.need)
	}
	vm.depth++
	if vm.depth >= len(vm.pool) {
		vm.deepen()
	}
	f := vm.pool[vm.depth]
	vm.frames[vm.depth] = f
	f.base = vm.top
	f.grown = vm.grew
	vm.grew = false
	f.st = vm.slab[vm.top : vm.top+r.need : vm.top+r.need]
	vm.top += r.need
	f.enter(fn, mode)
	return f, nil
}

// enter makes f a frame at the beginning of fn.
func (f *Frame) enter(fn *Func, mode retMode) {
	c := fn.code
	f.fn, f.code, f.run = fn, c, fn.run
	f.sp, f.ip, f.high = len(c.slots), 0, 0
	f.mode, f.ret = mode, 0
	if rest := f.st[c.params:len(c.slots)]; len(rest) > 0 {
		clear(rest)
		for i, cell := range fn.closure {
			rest[i] = Value{k: kSpecial, o: cell}
		}
	}
}

// tooManyFrames reports whether the frames at hand are more than the limit allows.
// Frames of the library, which are C's and no frames in CPython, are not counted,
// as long as there are no more than of the program's.
func (vm *VM) tooManyFrames() bool {
	vm.t.steps -= int64(vm.depth) / 16
	own := 0
	for i := 1; i <= vm.depth; i++ {
		if vm.frames[i].code.unit.module == "" {
			own++
		}
	}
	return own >= vm.t.limits.Depth || vm.depth >= 2*vm.t.limits.Depth
}

// tooDeep is the exception of a recursion that does not end.
func (vm *VM) tooDeep() error {
	return vm.t.raise(vm.t.types.RecursionError, "maximum recursion depth exceeded")
}

// deepen makes room for more frames.
func (vm *VM) deepen() {
	n := max(2*len(vm.pool), 16)
	block := make([]Frame, n-len(vm.pool))
	for i := range block {
		vm.pool = append(vm.pool, &block[i])
		vm.frames = append(vm.frames, nil)
	}
}

// grow begins a new slab with room for n values.
func (vm *VM) grow(n int) {
	vm.segs = append(vm.segs, segment{vm.slab, vm.top})
	size := max(min(2*len(vm.slab), mostSlab), firstSlab, n)
	if len(vm.spare) >= size {
		size = 0
		vm.slab, vm.spare = vm.spare, nil
	}
	if size > 0 {
		vm.slab = make([]Value, size)
	}
	vm.top = 0
	vm.grew = true
}

// pop leaves the frame at the top.
func (vm *VM) pop(f *Frame) {
	vm.depth--
	if f.handled.k != kUnset {
		f.handled = Value{}
		vm.handlers--
	}
	if f.gen != nil {
		return
	}
	vm.top = f.base
	if f.grown {
		f.grown = false
		vm.shrink()
	}
}

// shrink goes back to the slab before.
func (vm *VM) shrink() {
	vm.spare = vm.slab
	last := len(vm.segs) - 1
	vm.slab, vm.top = vm.segs[last].slab, vm.segs[last].top
	vm.segs = vm.segs[:last]
}

// handling returns the exception that is handled now, of the innermost frame that handles one.
func (vm *VM) handling() Value {
	if vm.handlers > 0 {
		for i := vm.depth; i > 0; i-- {
			if h := vm.frames[i].handled; h.k != kUnset {
				return h
			}
		}
	}
	return Value{}
}

// handle makes exc what the frame handles; an unset value: nothing.
func (vm *VM) handle(f *Frame, exc Value) {
	if f.handled.k != kUnset {
		vm.handlers--
	}
	if f.handled = exc; exc.k != kUnset {
		vm.handlers++
	}
}
