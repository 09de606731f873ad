package vm

import "praxis/internal/plan/label"

// rare carries out what [VM.run] does not do by itself. The frame's ip and sp
// are written back; rare moves sp.
func (vm *VM) rare(f *Frame, in Instr) error {
	op := in.op()
	switch {
	case op >= opPcSave:
		return vm.control(f, in)
	case op >= opImport:
		return vm.imports(f, in)
	case op >= opMatchSequence:
		return vm.match(f, in)
	case op >= opRaise:
		return vm.exceptions(f, in)
	case op >= opCall:
		return vm.calling(f, in)
	case op >= opBuildTuple:
		return vm.build(f, in)
	}
	return vm.variables(f, in)
}

// word reads the second word of the instruction that is carried out.
func (f *Frame) word() int {
	f.ip++
	return int(f.code.instrs[f.ip-1])
}

// put pushes an operand.
func (f *Frame) put(v Value) {
	f.st[f.sp] = v
	f.sp++
}

// take pops an operand.
func (f *Frame) take() Value {
	f.sp--
	return f.st[f.sp]
}

// at returns the i-th operand from the top, 1 is the top.
func (f *Frame) at(i int) *Value { return &f.st[f.sp-i] }

func (vm *VM) variables(f *Frame, in Instr) error {
	t := &vm.t
	a := in.arg()
	switch in.op() {
	case opDeleteFast:
		if f.st[a].k == kUnset {
			return vm.unbound(f, a)
		}
		f.st[a] = Value{}
	case opMakeCell:
		if err := t.alloc(cellBytes); err != nil {
			return err
		}
		f.st[a] = Value{k: kSpecial, o: &Cell{f.st[a]}}
	case opDeleteDeref:
		c := f.st[a].o.(*Cell)
		if c.v.k == kUnset {
			return vm.unbound(f, a)
		}
		c.v = Value{}
	case opLoadCell:
		f.put(f.st[a])
	case opDeleteGlobal:
		if !f.fn.globals.names.delStr(f.code.sites[a]) {
			return vm.nameError(f.code.sites[a])
		}
	case opLoadName:
		if v, ok := f.def.ns.str(f.code.sites[a]); ok {
			f.put(v)
			return nil
		}
		v, err := vm.loadGlobal(f, a)
		f.put(v)
		return err
	case opStoreName:
		if err := t.alloc(entryBytes); err != nil {
			return err
		}
		v := f.take()
		if len(f.def.bases) > 0 || f.def.meta != nil {
			var err error
			if v, err = vm.bindInBody(f.def, f.code.names[a], v); err != nil {
				return err
			}
		}
		f.def.ns.setName(t.intern(f.code.names[a]), v)
	case opDeleteName:
		if !f.def.ns.delStr(f.code.names[a]) {
			return vm.nameError(f.code.names[a])
		}
	case opDeleteSubscr:
		k, o := f.take(), f.take()
		return t.delItem(o, k)
	case opBuildSlice:
		s := &Slice{step: none}
		if a == 3 {
			s.step = f.take()
		}
		s.stop, s.start = f.take(), f.take()
		if err := t.alloc(4 * valueBytes); err != nil {
			return err
		}
		f.put(Value{k: kSlice, o: s, l: t.join(t.join(s.start.l, s.stop.l), s.step.l)})
	case opDeleteAttr:
		return t.delAttr(f.take(), f.code.sites[a])
	case opLoadSuperAttr, opLoadSuperMethod:
		return vm.loadSuper(f, in)
	}
	return nil
}

const cellBytes = 48

// unbound is the error of a variable in slot i that is not bound.
func (vm *VM) unbound(f *Frame, i int) error {
	t := &vm.t
	c := f.code
	name := c.slots[i]
	if i >= c.params && i < c.params+c.free {
		return vm.nameFail(t.types.NameError, name,
			"cannot access free variable '%s' where it is not associated with a value in enclosing scope", name)
	}
	return vm.nameFail(t.types.UnboundLocalError, name,
		"cannot access local variable '%s' where it is not associated with a value", name)
}

func (vm *VM) nameError(name string) error {
	return vm.nameFail(vm.t.types.NameError, name, "name '%s' is not defined", name)
}

// nameFail makes a NameError, which knows the name.
func (vm *VM) nameFail(c *Class, name, format string, args ...any) error {
	err := vm.t.raise(c, format, args...)
	if r, ok := err.(*Raise); ok {
		r.exc.attrs.setStr(&vm.t, "name", vm.t.str(name))
	}
	return err
}

// loadGlobal looks up the name of site i and fills the cache.
func (vm *VM) loadGlobal(f *Frame, i int) (Value, error) {
	name := f.code.sites[i]
	g := &f.fn.globals.names
	s := &f.run.sites[i]
	if pos := g.place(name); pos >= 0 {
		*s = site{kind: siteGlobal, ver: g.version, pos: int32(pos)}
		return g.entries[pos].val, nil
	}
	if v, ok := vm.t.builtins.names.str(name); ok {
		*s = site{kind: siteBuiltin, ver: g.version, val: v}
		return v, nil
	}
	return Value{}, vm.nameError(name)
}

func (vm *VM) storeGlobal(f *Frame, i int, v Value) error {
	g := &f.fn.globals.names
	name := vm.t.intern(f.code.sites[i])
	pos := g.place(name.s)
	if pos < 0 {
		if err := vm.t.alloc(entryBytes); err != nil {
			return err
		}
		g.addName(name, v)
		pos = g.place(name.s)
	} else {
		g.entries[pos].val = v
	}
	f.run.sites[i] = site{kind: siteGlobal, ver: g.version, pos: int32(pos)}
	return nil
}

// truthValue is the truth of v as a bool with all labels that it depends on.
func (vm *VM) truthValue(v Value) (Value, error) {
	t := &vm.t
	seen := t.seen
	t.seen = v.l
	ok, err := t.truth(v)
	l := t.seen
	t.seen = seen
	if err != nil {
		return Value{}, err
	}
	return boolValue(ok).with(l), nil
}

// truthJump is the truth of v where its label does not matter.
func (vm *VM) truthJump(v Value) (bool, error) {
	switch v.k {
	case kNone:
		return false, nil
	case kInt:
		return v.n != 0, nil
	case kList:
		return len(v.o.(*List).items) > 0, nil
	case kStr:
		return v.o.(*Str).s != "", nil
	case kDict:
		return v.o.(*Dict).live > 0, nil
	}
	t := &vm.t
	seen := t.seen
	ok, err := t.truth(v)
	t.seen = seen
	return ok, err
}

func (vm *VM) build(f *Frame, in Instr) error {
	t := &vm.t
	a := in.arg()
	switch in.op() {
	case opBuildSet:
		s := &Set{}
		for _, v := range f.st[f.sp-a : f.sp] {
			if _, err := s.add(t, v); err != nil {
				return err
			}
		}
		f.sp -= a
		f.put(Value{k: kSet, o: s})
	case opBuildMap:
		d := &Dict{}
		for i := f.sp - 2*a; i < f.sp; i += 2 {
			if err := d.set(t, f.st[i], f.st[i+1]); err != nil {
				return err
			}
		}
		f.sp -= 2 * a
		f.put(Value{k: kDict, o: d})
	case opSetAdd:
		v := f.take()
		_, err := f.at(a).o.(*Set).add(t, v)
		return err
	case opMapAdd:
		v, k := f.take(), f.take()
		return f.at(a).o.(*Dict).set(t, k, v)
	case opListExtend, opArgsExtend, opSetUpdate:
		return vm.extend(f, in)
	case opDictUpdate, opDictMerge:
		return vm.mergeDict(f, in)
	case opListToTuple:
		l := f.take().o.(*List)
		f.put(t.tuple(l.items).with(l.shape))
	case opUnpackSequence, opUnpackEx:
		return vm.unpack(f, in)
	}
	return nil
}

// foreign reports whether the language's own code has to walk over v: a
// generator, or an instance whose class says how it is iterated.
func (t *Thread) foreign(v Value) bool {
	switch v.k {
	case kGen:
		return true
	case kObject:
		if _, ok := t.override(v, "__iter__"); ok {
			return true
		}
		return instance(v) != nil && instance(v).base.k == kUnset
	case kClass:
		return v.o.(*Class).meta != nil
	}
	return false
}

// drain replaces the operand at the top by a list of its elements, made by the
// language's own code, and has the instruction carried out again.
func (vm *VM) drain(f *Frame, words int) error {
	v := f.take()
	f.ip -= words
	return vm.machine(f, "drain", v)
}

// machine calls a function of the machine's own module with the answer as an operand.
func (vm *VM) machine(f *Frame, name string, args ...Value) error {
	fn, err := vm.t.own(name)
	if err != nil {
		return err
	}
	return vm.invoke(fn, Value{}, args, nil, nil, retPush, Value{})
}

// extend adds the elements of the top to a list, the arguments of a call, or a set.
func (vm *VM) extend(f *Frame, in Instr) error {
	t := &vm.t
	v := *f.at(1)
	if in.op() != opSetUpdate {
		if ok := t.canIter(v); !ok && in.op() == opArgsExtend {
			return vm.notExpandable(f, in.arg()+1, "argument after * must be an iterable, not ", v)
		} else if !ok {
			return vm.labelled(t.raise(t.types.TypeError, "Value after * must be an iterable, not %s", t.className(v)), []Value{v})
		}
	}
	if t.foreign(v) {
		return vm.drain(f, 1)
	}
	seen := t.seen
	t.seen = 0
	defer func() { t.seen = seen }()
	if in.op() == opSetUpdate {
		s := f.at(in.arg() + 1).o.(*Set)
		err := t.setUpdate(s, v)
		if err != nil {
			return err
		}
		t.mark(&s.shape, t.seen)
		f.sp--
		return nil
	}
	items, err := t.collect(v)
	if err != nil {
		return err
	}
	where := in.arg() + 1
	if in.op() == opArgsExtend {
		where = 2
	}
	l := f.at(where).o.(*List)
	if err := t.alloc(int64(len(items)) * valueBytes); err != nil {
		return err
	}
	l.items = append(l.items, items...)
	t.mark(&l.shape, t.seen)
	f.sp--
	return nil
}

// canIter reports whether iter(v) would answer, without calling the program.
func (t *Thread) canIter(v Value) bool {
	switch v.k {
	case kNone, kBool, kInt, kBig, kFloat, kFunc, kNative, kMethod, kModule, kTool, kEllipsis, kNotImplemented, kProp, kSlice:
		return false
	case kClass:
		return v.o.(*Class).meta != nil
	case kObject, kSpecial:
		if fn, _, ok := t.classOf(v).lookup("__iter__"); ok {
			return fn.k != kNone
		}
		_, _, ok := t.classOf(v).lookup("__getitem__")
		return ok || t.base(v).k != v.k || v.k == kSpecial
	}
	return true
}

// notExpandable is the error of f(*x) and f(**x) for what cannot be expanded.
func (vm *VM) notExpandable(f *Frame, fn int, text string, v Value) error {
	return vm.t.raise(vm.t.types.TypeError, "%s %s%s", vm.callName(*f.at(fn + 1)), text, vm.t.className(v))
}

// callName is how messages name what is called: "__main__.f()".
func (vm *VM) callName(fn Value) string {
	switch o := fn.o.(type) {
	case *Func:
		if m := o.globals.name; m != "" && m != "builtins" {
			return m + "." + o.qual + "()"
		}
		return o.qual + "()"
	case *Native:
		return o.name + "()"
	case *Method:
		return vm.callName(o.fn)
	case *Class:
		if o.static {
			return o.name + "()"
		}
		return o.module + "." + o.qual + "()"
	}
	return vm.t.className(fn) + " object"
}

// mergeDict is {**m} and f(**m).
func (vm *VM) mergeDict(f *Frame, in Instr) error {
	t := &vm.t
	v := t.base(*f.at(1))
	call := in.op() == opDictMerge
	where := in.arg() + 1
	if call {
		where = 2
	}
	d := f.at(where).o.(*Dict)
	if v.k != kDict {
		_, _, ok := t.classOf(v).lookup("keys")
		if v.k == kObject && ok {
			f.take()
			f.ip--
			return vm.machine(f, "mapping", v)
		}
		if call {
			return vm.notExpandable(f, in.arg()+1, "argument after ** must be a mapping, not ", v)
		}
		return t.raise(t.types.TypeError, "'%s' object is not a mapping", t.className(v))
	}
	m := v.o.(*Dict)
	if err := t.step(int64(len(m.entries)) / 8); err != nil {
		return err
	}
	l := t.join(v.l, m.shape)
	t.mark(&d.shape, l)
	for i := range m.entries {
		e := m.entries[i]
		if e.key.k == kUnset {
			continue
		}
		if call {
			if k := t.base(e.key); k.k != kStr {
				return t.raise(t.types.TypeError, "keywords must be strings")
			}
			if ok, err := d.has(t, e.key); err != nil {
				return err
			} else if ok {
				return t.raise(t.types.TypeError, "%s got multiple values for keyword argument '%s'",
					vm.callName(*f.at(in.arg() + 2)), t.base(e.key).o.(*Str).s)
			}
		}
		if l != 0 {
			e.val.l = t.join(e.val.l, l)
		}
		if err := d.set(t, e.key, e.val); err != nil {
			return err
		}
	}
	f.sp--
	return nil
}

// unpack takes a value apart into the targets of an assignment.
func (vm *VM) unpack(f *Frame, in Instr) error {
	t := &vm.t
	v := *f.at(1)
	before, after, star := in.arg(), 0, false
	if in.op() == opUnpackEx {
		before, after, star = in.arg()&0xfff, in.arg()>>12, true
	}
	if !t.canIter(v) {
		return vm.labelled(t.raise(t.types.TypeError, "cannot unpack non-iterable %s object", t.className(v)), []Value{v})
	}
	if t.foreign(v) {
		if v.k == kGen || v.k == kObject {
			v = f.take()
			f.ip--
			limit := before + 1
			if star {
				limit = -1
			}
			return vm.machine(f, "take", v, intValue(int64(limit)))
		}
		return vm.drain(f, 1)
	}
	var items []Value
	var l label.ID
	switch b := t.base(v); b.k {
	case kTuple:
		items, l = b.o.(*Tuple).items, b.l
	case kList:
		items, l = b.o.(*List).items, t.join(b.l, b.o.(*List).shape)
	default:
		seen := t.seen
		t.seen = 0
		var err error
		if v.k == kIter && !star {
			items, err = vm.few(v, before+1)
		} else {
			items, err = t.collect(v)
		}
		l = t.seen
		t.seen = seen
		if err != nil {
			return err
		}
	}
	if !star && len(items) != before || len(items) < before+after {
		return vm.unpackError(v, len(items), before, after, star)
	}
	f.sp--
	if !star {
		for i := before - 1; i >= 0; i-- {
			f.put(items[i].with(t.join(items[i].l, l)))
		}
		return nil
	}
	if err := t.alloc(int64(len(items)) * valueBytes); err != nil {
		return err
	}
	n := len(items)
	for i := n - 1; i >= n-after; i-- {
		f.put(items[i].with(t.join(items[i].l, l)))
	}
	rest := make([]Value, n-after-before)
	for i := range rest {
		rest[i] = items[before+i].with(t.join(items[before+i].l, l))
	}
	f.put(Value{k: kList, o: &List{items: rest, shape: l}, l: l})
	for i := before - 1; i >= 0; i-- {
		f.put(items[i].with(t.join(items[i].l, l)))
	}
	return nil
}

// few returns at most n elements of an iterator.
func (vm *VM) few(it Value, n int) ([]Value, error) {
	t := &vm.t
	t.see(it.l)
	var items []Value
	for len(items) < n {
		v, ok, err := t.next(it)
		if err != nil {
			return nil, err
		}
		if !ok {
			t.see(v.l)
			break
		}
		items = append(items, v)
	}
	return items, nil
}

func (vm *VM) unpackError(v Value, n, before, after int, star bool) error {
	t := &vm.t
	switch {
	case star:
		return t.raise(t.types.ValueError, "not enough values to unpack (expected at least %d, got %d)", before+after, n)
	case n < before:
		return t.raise(t.types.ValueError, "not enough values to unpack (expected %d, got %d)", before, n)
	}
	switch t.base(v).k {
	case kTuple, kList, kDict:
		return t.raise(t.types.ValueError, "too many values to unpack (expected %d, got %d)", before, n)
	}
	return t.raise(t.types.ValueError, "too many values to unpack (expected %d)", before)
}

// control carries out the instructions of strict mode.
func (vm *VM) control(f *Frame, in Instr) error {
	t := &vm.t
	a := in.arg()
	switch in.op() {
	case opPcSave:
		f.st[a] = none.with(t.pc)
	case opPcRestore:
		if t.trying || f.st[a].n != 0 {
			t.sticky = t.join(t.sticky, t.pc)
		} else {
			t.pc = t.join(f.st[a].l, t.sticky)
		}
	case opPcJoin:
		t.pc = t.join(t.pc, f.at(1).l)
	case opPcIter:
		t.pc = t.join(t.pc, t.join(f.at(1).l, t.shapeOf(*f.at(1))))
	case opPcStick:
		t.sticky = t.join(t.sticky, t.pc)
	case opPcTop:
		if t.pc != 0 {
			f.at(1).l = t.join(f.at(1).l, t.pc)
		}
	case opPcFast, opPcHeldFast, opPcDeref, opPcHeldDeref, opPcGlobal, opPcHeldGlobal, opPcName, opPcHeldName:
		if v := vm.controlled(f, in.op(), a); v != nil && t.pc != 0 && v.k != kUnset {
			v.l = t.join(v.l, t.pc)
			if op := in.op(); op == opPcHeldFast || op == opPcHeldDeref || op == opPcHeldGlobal || op == opPcHeldName {
				t.hold(*v)
			}
		}
	case opPcBoundFast, opPcBoundDeref, opPcBoundGlobal, opPcBoundName:
		if v := vm.controlled(f, in.op(), a); v == nil || v.k == kUnset {
			f.st[f.word()].n = 1
		} else {
			f.word()
		}
	case opMay:
		for i := 1; i <= a && t.trying; i++ {
			if v := f.at(i); v.l != 0 || v.k == kList || v.k == kDict || v.k == kSet || v.k == kIter {
				t.stick(t.join(v.l, t.shapeOf(*v)))
			}
		}
	case opMaySave:
		f.st[a] = boolValue(t.trying)
		t.trying = true
	case opMayJoin:
		t.trying = f.st[a].n != 0
	}
	return nil
}

// stick joins a label into pc for the rest of the run.
func (t *Thread) stick(l label.ID) {
	if l != 0 {
		t.pc = t.join(t.pc, l)
		t.sticky = t.join(t.sticky, l)
	}
}

// shapeOf is what the length and the order of a container depend on; of an
// iterator, those of what it walks over.
func (t *Thread) shapeOf(v Value) label.ID {
	switch o := v.o.(type) {
	case *List:
		return o.shape
	case *Dict:
		return o.shape
	case *Set:
		return o.shape
	case *View:
		return o.d.shape
	case *Iter:
		if o.src.k != kIter {
			return t.join(o.src.l, t.shapeOf(o.src))
		}
	}
	return 0
}

// controlled is the variable that an instruction of strict mode is about, or nil.
func (vm *VM) controlled(f *Frame, op Op, a int) *Value {
	ns := &f.fn.globals.names
	name := ""
	switch op {
	case opPcFast, opPcHeldFast, opPcBoundFast:
		return &f.st[a]
	case opPcDeref, opPcHeldDeref, opPcBoundDeref:
		if c, ok := f.st[a].o.(*Cell); ok {
			return &c.v
		}
		return nil // of a comprehension that was not reached
	case opPcName, opPcHeldName, opPcBoundName:
		ns, name = f.def.ns, f.code.names[a]
	default:
		name = f.code.sites[a]
	}
	if i := ns.place(name); i >= 0 {
		return &ns.entries[i].val
	}
	return nil
}

// hold joins pc into the shape and the elements of a container.
func (t *Thread) hold(v Value) {
	all := func(vs []Value) {
		for i := range vs {
			vs[i].l = t.join(vs[i].l, t.pc)
		}
	}
	entries := func(d *Dict) {
		d.shape = t.join(d.shape, t.pc)
		for i := range d.entries {
			if e := &d.entries[i]; e.key.k != kUnset {
				e.val.l = t.join(e.val.l, t.pc)
			}
		}
	}
	switch o := v.o.(type) {
	case *List:
		o.shape = t.join(o.shape, t.pc)
		all(o.items)
	case *Dict:
		entries(o)
	case *Set:
		o.shape = t.join(o.shape, t.pc)
		for i := range o.table {
			if k := &o.table[i].key; k.k != kUnset {
				k.l = t.join(k.l, t.pc)
			}
		}
	case *Instance:
		entries(&o.attrs)
		t.hold(o.base)
	case *Exception:
		entries(&o.attrs)
	case *View:
		entries(o.d)
	}
}
