package vm

import (
	"strconv"

	"praxis/fault"
	"praxis/internal/plan/value"
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
	take := min(max(vm.batch, -t.Steps), t.StepsLeft)
	t.StepsLeft -= take
	if t.Steps += take; t.Steps < 0 {
		return fault.Coded(fault.PlanSteps, fault.Data{"limit": strconv.FormatInt(t.Limits.Steps, 10)},
			"cannot go on with the plan: it used up its %d steps", t.Limits.Steps)
	}
	return nil
}

// OutOfMemory counts what the program still uses, and gives the rest of the
// limit back.
func (m *machine) OutOfMemory(bytes int64) error {
	vm := (*VM)(m)
	t := &vm.t
	limit := t.Limits.Memory
	live := vm.live()
	if vm.keeping {
		live += max(vm.mark-t.Memory-bytes, 0) // what the native at work has made so far
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
	if vm.keeping {
		vm.mark = left + max(vm.mark-t.Memory-bytes, 0) + bytes
	}
	t.Memory = left
	return nil
}

// heap walks over everything that the program can reach and adds up its size.
type heap struct {
	t     *value.Thread
	seen  map[value.Object]bool
	queue []value.Object
	size  int64
}

// live is how many bytes the program can reach.
func (vm *VM) live() int64 {
	h := &heap{t: &vm.t, seen: map[value.Object]bool{}}
	for _, c := range vm.t.Choices {
		h.value(c.From)
	}
	vm.visit(h)
	return h.size
}

// visit goes over what the program can reach.
func (vm *VM) visit(h *heap) {
	h.add(vm.main)
	for _, m := range vm.modules {
		h.add(m)
	}
	for i := 1; i <= vm.depth; i++ {
		h.frame(vm.frames[i])
	}
	vm.tidy()
	for i := 0; i < vm.argTop; i++ {
		a := vm.args[i]
		h.values(a.Pos, a.Star, a.Named)
	}
	h.value(vm.result)
	h.value(vm.pending.extra)
	for _, c := range vm.t.Output {
		h.size += int64(len(c.Text)) + 32
	}
	for len(h.queue) > 0 {
		o := h.queue[len(h.queue)-1]
		h.queue = h.queue[:len(h.queue)-1]
		h.object(o)
	}
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
	h.size += int64(len(f.st)) * value.ValueBytes
	h.values(f.st[:f.sp])
	h.value(f.extra)
	h.value(f.handled)
	if f.fn != nil {
		h.add(f.fn)
	}
	if f.def != nil {
		h.dict(f.def.ns)
		h.values(f.def.bases, f.def.named)
	}
}

func (h *heap) add(o value.Object) {
	if !h.seen[o] {
		h.seen[o] = true
		h.queue = append(h.queue, o)
	}
}

func (h *heap) value(v value.Value) {
	if v.Obj != nil {
		h.add(v.Obj)
	}
}

func (h *heap) values(lists ...[]value.Value) {
	for _, vs := range lists {
		for i := range vs {
			h.value(vs[i])
		}
	}
}

func (h *heap) dict(d *value.Dict) {
	h.size += int64(cap(d.Entries))*value.EntryBytes + int64(len(d.Index))*4
	for i := range d.Entries {
		h.value(d.Entries[i].Key)
		h.value(d.Entries[i].Val)
	}
}

// object adds what one object takes.
func (h *heap) object(o value.Object) {
	h.size += objectBytes
	switch o := o.(type) {
	case *value.Str:
		h.size += int64(len(o.Text)) + int64(cap(o.Runes))*4
	case *value.Bytes:
		h.size += int64(len(o.Data))
	case *value.Big:
		h.size += int64(len(o.Int.Bits())) * 8
	case *value.Tuple:
		h.size += int64(cap(o.Items)) * value.ValueBytes
		h.values(o.Items)
	case *value.List:
		h.size += int64(cap(o.Items)) * value.ValueBytes
		h.values(o.Items)
	case *value.Dict:
		h.dict(o)
	case *value.Set:
		h.size += int64(len(o.Table)) * (value.ValueBytes + 16)
		for i := range o.Table {
			h.value(o.Table[i].Key)
		}
	case *value.View:
		h.add(o.Dict)
	case *value.Iter:
		h.value(o.Src)
		h.value(o.Stop)
	case *value.Slice:
		h.values([]value.Value{o.Start, o.Stop, o.Step})
	case *value.Cell:
		h.value(o.Val)
	case *value.Method:
		h.value(o.Self)
		h.value(o.Fn)
	case *value.Property:
		h.values([]value.Value{o.Get, o.Set, o.Del, o.Doc})
	case *value.Wrapper:
		h.value(o.Fn)
	case *value.Super:
		h.value(o.Self)
	case *value.Module:
		h.dict(&o.Names)
	default:
		h.program(o)
	}
}

// objectBytes is about what any object takes beside what it holds.
const objectBytes = 64

// program adds what the program defines: functions, classes, instances, generators.
func (h *heap) program(o value.Object) {
	switch o := o.(type) {
	case *value.Func:
		h.size += funcBytes
		h.values(o.Defaults)
		for _, v := range o.Kw {
			h.value(v)
		}
		for _, c := range o.Closure {
			h.add(c)
		}
		if o.Attrs != nil {
			h.dict(o.Attrs)
		}
		h.add(o.Globals)
	case *value.Class:
		if o.Static {
			return
		}
		h.size += classBytes
		h.dict(&o.Attrs)
		for _, b := range o.Bases {
			h.add(b)
		}
	case *value.Instance:
		h.instance(o)
	case *value.Exception:
		h.instance(&o.Instance)
		h.value(o.Args)
		h.value(o.Cause)
		h.values(o.Notes)
		h.size += int64(len(o.Trace))*64 + exceptionBytes
	case *Gen:
		if o.f != nil {
			h.size += frameBytes
			h.frame(o.f)
		}
	case value.Sized:
		h.size += o.Walk(h.value)
	}
}

func (h *heap) instance(o *value.Instance) {
	h.size += value.InstanceBytes
	h.dict(&o.Attrs)
	h.value(o.Base)
	h.add(o.Cls)
}
