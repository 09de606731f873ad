package vm

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"reflect"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/plan/library"
	"praxis/internal/plan/library/native"
	"praxis/internal/plan/value"
)

// Dump returns the whole state of a run that waits for the answer of a tool. The
// same state gives the same bytes. The VM can go on afterwards.
func (vm *VM) Dump() ([]byte, error) {
	if vm.state != stateCalls {
		return nil, fault.New(fault.Conflict, "Store the state while the plan waits for a tool.", "cannot store the plan's state: it does not wait for a tool")
	}
	w := &dumpWriter{vm: vm, ids: map[value.Object]int{}, strs: map[string]int{}, units: []*value.Unit{vm.prog.unit}, unitIDs: map[*value.Unit]int{vm.prog.unit: 0}, inside: map[*value.Dict]insideRef{}}
	w.literals()
	w.current = -1
	state := w.section(w.state)
	contents := w.section(w.contents)
	objects := w.section(w.table)
	if w.err != nil {
		return nil, w.err
	}
	labels, err := vm.t.Labels.MarshalBinary()
	if err != nil {
		return nil, err
	}
	out := append([]byte(dumpMagic), dumpVersion)
	out = append(out, vm.prog.sum()...)
	out = append(out, machineSum()...)
	out = binary.AppendUvarint(out, uint64(len(labels)))
	out = append(out, labels...)
	out = w.library(out)
	out = binary.AppendUvarint(out, uint64(len(w.strings)))
	for _, s := range w.strings {
		out = binary.AppendUvarint(out, uint64(len(s)))
		out = append(out, s...)
	}
	out = append(append(append(out, objects...), state...), contents...)
	sum := sha256.Sum256(out)
	return append(out, sum[:sumSize]...), nil
}

// section collects what f writes.
func (w *dumpWriter) section(f func()) []byte {
	w.out = nil
	f()
	return w.out
}

// literals finds the constants of the units in use: they are known by place.
func (w *dumpWriter) literals() {
	w.consts = map[value.Object]constRef{}
	units := slices.SortedFunc(maps.Keys(w.vm.runs), func(a, b *value.Unit) int {
		return cmp.Or(strings.Compare(a.Module, b.Module), strings.Compare(a.Source, b.Source))
	})
	for _, u := range units {
		for _, c := range u.Codes {
			for i, v := range c.Consts {
				if _, ok := w.consts[v.Obj]; !ok && hasObject(v.Kind) {
					w.consts[v.Obj] = constRef{c, i}
				}
			}
		}
	}
}

// state writes what the VM itself holds.
func (w *dumpWriter) state() {
	layouts().vm.write(w, reflect.ValueOf(w.vm).Elem())
	w.uint(uint64(w.vm.depth))
	for _, f := range w.vm.frames[1 : w.vm.depth+1] {
		if f.gen != nil {
			w.out = append(w.out, 1)
			w.ref(f.gen)
			continue
		}
		w.out = append(w.out, 0)
		w.frame(f)
	}
}

// contents writes the objects; the list grows meanwhile.
func (w *dumpWriter) contents() {
	l := layouts()
	for w.current = 0; w.current < len(w.objects); w.current++ {
		o := w.objects[w.current]
		if w.byName(o) {
			continue
		}
		i, ok := l.byType[reflect.TypeOf(o)]
		if !ok {
			w.fail(fault.New(fault.Internal, "", "cannot store the plan's state: a %T cannot be stored", o))
			return
		}
		w.dicts = 0
		l.types[i].codec.write(w, reflect.ValueOf(o).Elem())
	}
}

// byName says whether an object is known without its contents.
func (w *dumpWriter) byName(o value.Object) bool {
	switch o := o.(type) {
	case *value.Native:
		return true
	case *value.Class:
		return o.Static
	case *value.Str:
		if len(o.Text) == 0 && o == w.vm.t.Types.Empty.Obj {
			return true
		}
		if len(o.Text) == 1 && o.Text[0] < 0x80 && o == w.vm.t.Types.Chars[o.Text[0]].Obj {
			return true
		}
	}
	_, ok := w.consts[o]
	return ok
}

// table writes what each object is.
func (w *dumpWriter) table() {
	l := layouts()
	w.uint(uint64(len(w.objects)))
	for _, o := range w.objects {
		switch x := o.(type) {
		case *value.Native:
			w.uint(tagNative)
			w.string(x.Name)
			continue
		case *value.Class:
			if x.Static {
				w.uint(tagClass)
				w.string(w.vm.t.Types.Key(x))
				continue
			}
		case *value.Dict:
			if in, ok := w.inside[x]; ok {
				w.uint(tagInside)
				w.uint(uint64(in.owner))
				w.uint(uint64(in.field))
				continue
			}
		case *value.Str:
			if w.byName(o) && len(x.Text) == 0 && o == w.vm.t.Types.Empty.Obj {
				w.uint(tagEmpty)
				continue
			}
			if len(x.Text) == 1 && x.Text[0] < 0x80 && o == w.vm.t.Types.Chars[x.Text[0]].Obj {
				w.uint(tagChar)
				w.uint(uint64(x.Text[0]))
				continue
			}
		}
		if c, ok := w.consts[o]; ok {
			w.uint(tagConst)
			w.code(c.code)
			w.uint(uint64(c.index))
			continue
		}
		w.uint(tagType + uint64(l.byType[reflect.TypeOf(o)]))
	}
}

// library writes which units beside the program are meant.
func (w *dumpWriter) library(out []byte) []byte {
	out = binary.AppendUvarint(out, uint64(len(w.units)-1))
	for _, u := range w.units[1:] {
		out = binary.AppendUvarint(out, uint64(len(u.Module)))
		out = append(out, u.Module...)
		out = binary.AppendUvarint(out, uint64(len(u.Source)))
		out = append(append(out, u.Source...), sumOf(u)...)
	}
	return out
}

// Load makes a VM of a state that [VM.Dump] gave, in this process or another
// one. It waits for the answer of the same tool. A state that was changed, that
// belongs to another program or that another version wrote is a fault.
func Load(p *Program, data []byte) (*VM, error) {
	r := &dumpReader{in: data, budget: 8<<20 + 128*int64(len(data))}
	r.head(p)
	if r.err != nil {
		return nil, r.err
	}
	vm := &VM{prog: p, loaded: true}
	t := &vm.t
	t.Machine, t.Labels = (*machine)(vm), label.NewTable()
	t.Types = builtinTypes()
	t.Natives = natives()
	r.vm, r.labels = vm, t.Labels
	if err := t.Labels.UnmarshalBinary(r.bytes(r.uint())); err != nil {
		r.fail("its labels cannot be read")
	}
	vm.slab = make([]value.Value, firstSlab)
	vm.deepen()
	r.library(p)
	r.texts()
	r.table()
	r.state()
	r.contents()
	r.finish()
	if r.err != nil {
		return nil, r.err
	}
	return vm, nil
}

// head checks that the state is whole, of this version and of this program.
func (r *dumpReader) head(p *Program) {
	n := len(dumpMagic)
	if len(r.in) < n+1+3*sumSize || string(r.in[:n]) != dumpMagic {
		r.fail("it is none")
		return
	}
	body, sum := r.in[:len(r.in)-sumSize], r.in[len(r.in)-sumSize:]
	if real := sha256.Sum256(body); !bytes.Equal(real[:sumSize], sum) {
		r.fail("it was changed or is not whole")
		return
	}
	r.in = body[n:]
	const other = "Run the plan again, or load its state with the version that stored it."
	if v := r.byte(); v != dumpVersion {
		r.err = fault.New(fault.Conflict, other, "cannot load the plan's state: it has version %d of the format, this is %d", v, dumpVersion)
		return
	}
	if !bytes.Equal(r.bytes(sumSize), p.sum()) {
		r.err = fault.New(fault.Conflict, "Give the program, tools and inputs that the plan began with.", "cannot load the plan's state: it belongs to another program")
		return
	}
	if !bytes.Equal(r.bytes(sumSize), machineSum()) {
		r.err = fault.New(fault.Conflict, other, "cannot load the plan's state: another version stored it")
	}
}

func (r *dumpReader) library(p *Program) {
	r.units = []*value.Unit{p.unit}
	for n := r.count(1); n > 0 && r.err == nil; n-- {
		name, source := string(r.bytes(r.uint())), string(r.bytes(r.uint()))
		sum := r.bytes(sumSize)
		if r.err != nil || !r.alloc(int64(len(source))*32) {
			return
		}
		u, err := r.vm.unitNamed(name, source, p.unit.Strict)
		if err != nil || !bytes.Equal(sumOf(u), sum) {
			r.err = fault.New(fault.Conflict, "Run the plan again, or load its state with the version that stored it.",
				"cannot load the plan's state: the module %q of the library is another one", name)
			return
		}
		r.units = append(r.units, u)
	}
}

// unitNamed returns the code of a library module, or of what one has compiled.
func (vm *VM) unitNamed(name, built string, strict bool) (*value.Unit, error) {
	if built != "" {
		if len(built) > native.MaxBuilt || name != "dataclasses" {
			return nil, vm.noModule(name)
		}
		return native.BuiltUnit(&vm.t, built, strict)
	}
	source := machineSource
	if name != "_machine" {
		var ok bool
		if source, ok = library.Source(name); !ok {
			return nil, vm.noModule(name)
		}
	}
	return units.get(name, source, strict)
}

func (r *dumpReader) texts() {
	n := r.count(reflect.TypeFor[string]().Size())
	r.strings = make([]string, 0, n)
	for ; n > 0 && r.err == nil; n-- {
		size := r.uint()
		if r.alloc(int64(min(size, uint64(len(r.in))))) {
			r.strings = append(r.strings, string(r.bytes(size)))
		}
	}
}

// table makes the objects, without what is in them.
func (r *dumpReader) table() {
	l := layouts()
	n := r.count(reflect.TypeFor[value.Object]().Size())
	r.objects = make([]value.Object, n)
	r.typed = make([]int, n)
	type insideDict struct{ at, owner, field int }
	var inside []insideDict
	for i := range r.objects {
		tag := r.uint()
		r.typed[i] = -1
		if tag == tagInside {
			inside = append(inside, insideDict{i, r.index(n), r.index(64)})
			r.typed[i] = l.byType[reflect.TypeFor[*value.Dict]()]
		} else if tag >= tagType {
			k := int(min(tag-tagType, 1<<20))
			if k >= len(l.types) || !r.alloc(int64(l.types[k].typ.Size())) {
				r.fail("there is no such type of object")
				return
			}
			r.typed[i] = k
			r.objects[i] = reflect.New(l.types[k].typ).Interface().(value.Object)
		} else {
			r.objects[i] = r.known(tag)
		}
		if r.err != nil {
			return
		}
	}
	for _, in := range inside {
		k := r.typed[in.owner]
		if k < 0 || r.objects[in.owner] == nil || in.field >= len(l.types[k].dicts) {
			r.fail("a dict lies in an object that has none")
			return
		}
		owner := reflect.ValueOf(r.objects[in.owner]).Elem()
		r.objects[in.at] = pointer[value.Dict](owner.FieldByIndex(l.types[k].dicts[in.field]))
	}
}

// index reads a number below n.
func (r *dumpReader) index(n int) int {
	i := r.uint()
	if i >= uint64(n) {
		r.fail("a number is too large")
		return 0
	}
	return int(i)
}

// known finds an object that is known by name.
func (r *dumpReader) known(tag objectTag) value.Object {
	ts := r.vm.t.Types
	switch tag {
	case tagNative:
		if n := natives()[r.string()]; n != nil {
			return n
		}
	case tagClass:
		if c := ts.All[r.string()]; c != nil {
			return c
		}
	case tagChar:
		return ts.Chars[r.index(len(ts.Chars))].Obj
	case tagEmpty:
		return ts.Empty.Obj
	case tagConst:
		if c := r.code(); c != nil {
			if i := r.index(len(c.Consts)); r.err == nil && c.Consts[i].Obj != nil {
				return c.Consts[i].Obj
			}
		}
	}
	r.fail("there is no such object")
	return nil
}

func (r *dumpReader) state() {
	vm := r.vm
	layouts().vm.read(r, reflect.ValueOf(vm).Elem())
	depth := r.uint()
	if r.err != nil {
		return
	}
	if depth == 0 || depth > 2*uint64(max(vm.t.Limits.Depth, 0))+1 || vm.state != stateCalls || vm.nested != 0 || len(vm.made) == 0 || vm.pending.mode >= retModes {
		r.fail("it is that of no plan which waits for a tool")
		return
	}
	if t := &vm.t; t.Steps > stepBatch || vm.batch > stepBatch || vm.batch < 1 || t.StepsLeft > t.Limits.Steps || t.Memory > t.Limits.Memory || t.Written < 0 {
		r.fail("it has more left than its limits")
		return
	}
	for ; depth > 0 && r.err == nil; depth-- {
		switch r.byte() {
		case 0:
			r.pushFrame()
		case 1:
			if g, ok := r.ref().(*Gen); ok {
				r.active = append(r.active, activeGen{vm.depth + 1, g})
				vm.depth++
				for vm.depth >= len(vm.pool) {
					vm.deepen()
				}
			} else {
				r.fail("a frame belongs to no generator")
			}
		default:
			r.fail("a frame is of no kind")
		}
	}
}

// activeGen is a generator that runs, at a depth of the stack of frames.
type activeGen struct {
	depth int
	gen   *Gen
}

// pushFrame reads a frame whose window lies in the VM's slab.
func (r *dumpReader) pushFrame() {
	vm := r.vm
	vm.depth++
	for vm.depth >= len(vm.pool) {
		vm.deepen()
	}
	f := vm.pool[vm.depth]
	vm.frames[vm.depth] = f
	r.frame(f, func(n int) []value.Value {
		if !r.alloc(int64(n) * value.ValueBytes) {
			return nil
		}
		if vm.top+n > len(vm.slab) {
			vm.grow(n)
		}
		f.base, f.grown = vm.top, vm.grew
		vm.grew = false
		st := vm.slab[vm.top : vm.top+n : vm.top+n]
		vm.top += n
		return st
	})
}

// contents reads what is in the objects.
func (r *dumpReader) contents() {
	l := layouts()
	for i, o := range r.objects {
		if r.err != nil {
			return
		}
		if k := r.typed[i]; k >= 0 {
			l.types[k].codec.read(r, reflect.ValueOf(o).Elem())
		}
	}
}

// finish computes what is not stored, and checks what the machine relies on.
func (r *dumpReader) finish() {
	if r.err == nil && len(r.in) > 0 {
		r.fail("something follows it")
	}
	if r.err != nil {
		return
	}
	for i, o := range r.objects {
		if r.typed[i] >= 0 {
			r.check(o)
		}
	}
	for _, f := range r.frames {
		if r.err == nil && (f.fn == nil || f.fn.Code != f.code) {
			r.fail("a frame belongs to no function")
		}
	}
	for _, a := range r.active {
		if a.gen.f == nil || r.err != nil {
			r.fail("a generator runs that has ended")
			return
		}
		r.vm.frames[a.depth] = a.gen.f
	}
	vm := r.vm
	if vm.main == nil || vm.t.Builtins == nil {
		r.fail("it has no names")
		return
	}
	for _, m := range vm.modules {
		if m == nil {
			r.fail("a module is missing")
			return
		}
	}
	r.settle()
}
