package vm

import (
	"strconv"

	"praxis/fault"
	"praxis/internal/plan/label"
)

// stepBatch is how many steps are handed out at a time: as often the VM looks
// whether it was interrupted.
const stepBatch = 4096

// OutOfSteps hands out the next batch of steps, or ends the run.
func (m *machine) OutOfSteps() error {
	vm := (*VM)(m)
	t := &vm.t
	if i := vm.stop.Load(); i != nil {
		return i.cause
	}
	take := min(max(vm.batch, -t.steps), t.stepsLeft)
	t.stepsLeft -= take
	if t.steps += take; t.steps < 0 {
		return fault.Coded(fault.PlanSteps, fault.Data{"limit": strconv.FormatInt(t.limits.Steps, 10)},
			"cannot go on with the plan: it used up its %d steps", t.limits.Steps)
	}
	return nil
}

// OutOfMemory counts what the program still uses, and gives the rest of the
// limit back.
func (m *machine) OutOfMemory(bytes int64) error {
	vm := (*VM)(m)
	t := &vm.t
	limit := t.limits.Memory
	live := vm.live()
	if vm.argTop > 0 {
		live += max(vm.mark-t.memory-bytes, 0) // what the native at work has made so far
	}
	if bytes > limit || live+bytes+limit/8 > limit {
		return fault.Coded(fault.PlanMemory, fault.Data{"limit": strconv.FormatInt(limit, 10)},
			"cannot go on with the plan: it needs more than its %d MiB of memory", limit>>20)
	}
	left := limit - live - bytes
	if vm.eager > 0 {
		vm.eager--
		left = 0
	}
	if vm.argTop > 0 {
		vm.mark = left + max(vm.mark-t.memory-bytes, 0) + bytes
	}
	t.memory = left
	return nil
}

// heap walks over everything that the program can reach and adds up its size.
type heap struct {
	t     *Thread
	seen  visited
	queue []Object
	size  int64
}

// sized is what objects of native modules implement: they hand the values that
// they hold to f and say how many bytes they take beside.
type sized interface {
	walk(f func(Value)) int64
}

// live is how many bytes the program can reach.
func (vm *VM) live() int64 {
	h := &heap{t: &vm.t}
	h.module(vm.main)
	for _, m := range vm.modules {
		h.module(m)
	}
	for i := 1; i <= vm.depth; i++ {
		h.frame(vm.frames[i])
	}
	vm.tidy()
	for i := 0; i < vm.argTop; i++ {
		a := vm.args[i]
		h.values(a.Pos)
		h.values(a.Star)
		h.values(a.Named)
	}
	h.value(vm.result)
	h.value(vm.pending.extra)
	for _, c := range vm.t.output {
		h.size += int64(len(c.Text)) + 32
	}
	for len(h.queue) > 0 {
		o := h.queue[len(h.queue)-1]
		h.queue = h.queue[:len(h.queue)-1]
		h.object(o)
	}
	return h.size
}

// tidy forgets what lies beyond the frames in use, so that Go can free it.
func (vm *VM) tidy() {
	clear(vm.slab[vm.top:])
	vm.spare = nil
	for i := vm.argTop + 1; i < len(vm.args); i++ { // the one at argTop may be filled right now
		*vm.args[i] = argSlot{}
	}
	for i := 1; i <= vm.depth; i++ {
		f := vm.frames[i]
		clear(f.st[max(f.sp, f.high):])
	}
}

func (h *heap) frame(f *Frame) {
	h.size += int64(len(f.st)) * valueBytes
	h.values(f.st[:f.sp])
	h.value(f.extra)
	h.value(f.handled)
	if f.fn != nil {
		h.add(f.fn)
	}
	if f.def != nil {
		h.dict(f.def.ns)
		h.values(f.def.bases)
		h.values(f.def.named)
	}
}

func (h *heap) module(m *Module) { h.add(m) }

func (h *heap) add(o Object) {
	if h.seen.add(o) {
		h.queue = append(h.queue, o)
	}
}

func (h *heap) value(v Value) {
	if v.o != nil {
		h.add(v.o)
	}
}

func (h *heap) values(vs []Value) {
	for i := range vs {
		if vs[i].o != nil {
			h.add(vs[i].o)
		}
	}
}

func (h *heap) dict(d *Dict) {
	h.size += int64(cap(d.entries))*entryBytes + int64(len(d.index))*4
	for i := range d.entries {
		h.value(d.entries[i].key)
		h.value(d.entries[i].val)
	}
}

// object adds what one object takes.
func (h *heap) object(o Object) {
	h.size += objectBytes
	switch o := o.(type) {
	case *Str:
		h.size += int64(len(o.s)) + int64(cap(o.runes))*4
	case *Bytes:
		h.size += int64(len(o.b))
	case *Big:
		h.size += int64(len(o.v.Bits())) * 8
	case *Tuple:
		h.size += int64(cap(o.items)) * valueBytes
		h.values(o.items)
	case *List:
		h.size += int64(cap(o.items)) * valueBytes
		h.values(o.items)
	case *Dict:
		h.dict(o)
	case *Set:
		h.size += int64(len(o.table)) * (valueBytes + 16)
		for i := range o.table {
			h.value(o.table[i].key)
		}
	case *View:
		h.add(o.d)
	case *Iter:
		h.value(o.src)
		h.value(o.stop)
	case *Range:
		h.values([]Value{o.start, o.stop, o.step})
	case *Slice:
		h.values([]Value{o.start, o.stop, o.step})
	case *Cell:
		h.value(o.v)
	case *Method:
		h.value(o.self)
		h.value(o.fn)
	case *Property:
		h.values([]Value{o.get, o.set, o.del, o.doc})
	case *Wrapper:
		h.value(o.fn)
	case *Super:
		h.value(o.self)
	case *Module:
		h.dict(&o.names)
	default:
		h.program(o)
	}
}

// objectBytes is about what any object takes beside what it holds.
const objectBytes = 64

// program adds what the program defines: functions, classes, instances, generators.
func (h *heap) program(o Object) {
	switch o := o.(type) {
	case *Func:
		h.size += funcBytes
		h.values(o.defaults)
		for _, v := range o.kw {
			h.value(v)
		}
		for _, c := range o.closure {
			h.add(c)
		}
		if o.attrs != nil {
			h.dict(o.attrs)
		}
		h.add(o.globals)
	case *Class:
		if o.static {
			return
		}
		h.size += classBytes
		h.dict(&o.attrs)
		for _, b := range o.bases {
			h.add(b)
		}
	case *Instance:
		h.instance(o)
	case *Exception:
		h.instance(&o.Instance)
		h.value(o.args)
		h.value(o.cause)
		h.value(o.context)
		h.values(o.notes)
		h.size += int64(len(o.trace))*64 + exceptionBytes
	case *Gen:
		if o.f != nil {
			h.size += frameBytes
			h.frame(o.f)
		}
	case sized:
		h.size += o.walk(h.value)
	}
}

func (h *heap) instance(o *Instance) {
	h.size += instanceBytes
	h.dict(&o.attrs)
	h.value(o.base)
	h.add(o.cls)
}

// write prints a piece of text that depends on l.
func (t *Thread) write(s string, l label.ID) error {
	if s == "" {
		return nil
	}
	if t.written += int64(len(s)); t.written > t.limits.Output {
		return fault.Coded(fault.PlanOutput, fault.Data{"limit": strconv.FormatInt(t.limits.Output, 10)},
			"cannot go on with the plan: it printed more than its %d bytes", t.limits.Output)
	}
	if t.pc != 0 {
		l = t.join(l, t.pc)
	}
	if err := t.alloc(int64(len(s)) + 32); err != nil {
		return err
	}
	if n := len(t.output); n > 0 && t.output[n-1].Label == l && len(t.output[n-1].Text) < 4096 {
		t.output[n-1].Text += s
		return nil
	}
	t.output = append(t.output, Chunk{s, l})
	return nil
}
