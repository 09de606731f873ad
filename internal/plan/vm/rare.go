package vm

import (
	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
)

// rare executes what [VM.run] does not do by itself. The frame's ip and sp
// are written back; rare moves sp.
func (vm *VM) rare(f *Frame, in bytecode.Instr) error {
	op := in.Op()
	switch {
	case op >= bytecode.PcSave:
		return vm.control(f, in)
	case op >= bytecode.Import:
		return vm.imports(f, in)
	case op >= bytecode.MatchSequence:
		return vm.match(f, in)
	case op >= bytecode.Raise:
		return vm.exceptions(f, in)
	case op >= bytecode.Call:
		return vm.calling(f, in)
	case op >= bytecode.BuildTuple:
		return vm.build(f, in)
	}
	return vm.variables(f, in)
}

// word reads the second word of the instruction that is executed.
func (f *Frame) word() int {
	f.ip++
	return int(f.code.Instrs[f.ip-1])
}

// put pushes an operand.
func (f *Frame) put(v value.Value) {
	f.st[f.sp] = v
	f.sp++
}

// take pops an operand.
func (f *Frame) take() value.Value {
	f.sp--
	return f.st[f.sp]
}

// at returns the i-th operand from the top, 1 is the top.
func (f *Frame) at(i int) *value.Value { return &f.st[f.sp-i] }

func (vm *VM) variables(f *Frame, in bytecode.Instr) error {
	t := &vm.t
	a := in.Arg()
	switch in.Op() {
	case bytecode.DeleteFast:
		if f.st[a].Kind == value.KUnset {
			return vm.unbound(f, a)
		}
		f.st[a] = value.Value{}
	case bytecode.MakeCell:
		if err := t.Alloc(cellBytes); err != nil {
			return err
		}
		f.st[a] = value.Value{Kind: value.KSpecial, Obj: &value.Cell{Val: f.st[a]}}
	case bytecode.DeleteDeref:
		c := f.st[a].Obj.(*value.Cell)
		if c.Val.Kind == value.KUnset {
			return vm.unbound(f, a)
		}
		c.Val = value.Value{}
	case bytecode.LoadCell:
		f.put(f.st[a])
	case bytecode.DeleteGlobal:
		if !f.fn.Globals.Names.DelStr(f.code.Sites[a]) {
			return vm.nameError(f.code.Sites[a])
		}
	case bytecode.LoadName:
		if v, ok := f.def.ns.Str(f.code.Sites[a]); ok {
			f.put(v)
			return nil
		}
		v, err := vm.loadGlobal(f, a)
		f.put(v)
		return err
	case bytecode.StoreName:
		if err := t.Alloc(value.EntryBytes); err != nil {
			return err
		}
		v := f.take()
		if len(f.def.bases) > 0 || f.def.meta != nil {
			var err error
			if v, err = vm.bindInBody(f.def, f.code.Names[a], v); err != nil {
				return err
			}
		}
		f.def.ns.SetName(t.Intern(f.code.Names[a]), v)
	case bytecode.DeleteName:
		if !f.def.ns.DelStr(f.code.Names[a]) {
			return vm.nameError(f.code.Names[a])
		}
	case bytecode.DeleteSubscr:
		k, o := f.take(), f.take()
		return t.DelItem(o, k)
	case bytecode.BuildSlice:
		s := &value.Slice{Step: value.None}
		if a == 3 {
			s.Step = f.take()
		}
		s.Stop, s.Start = f.take(), f.take()
		if err := t.Alloc(4 * value.ValueBytes); err != nil {
			return err
		}
		f.put(value.Value{Kind: value.KSlice, Obj: s, Label: t.Join(t.Join(s.Start.Label, s.Stop.Label), s.Step.Label)})
	case bytecode.DeleteAttr:
		return t.DelAttr(f.take(), f.code.Sites[a])
	case bytecode.LoadSuperAttr:
		return vm.loadSuper(f, f.code.Names[a])
	}
	return nil
}

const cellBytes = 48

// unbound is the error of a variable in slot i that is not bound.
func (vm *VM) unbound(f *Frame, i int) error {
	t := &vm.t
	c := f.code
	name := c.Slots[i]
	if i >= c.Params && i < c.Params+c.Free {
		return t.Raise(t.Types.NameError, "cannot access free variable '%s' where it is not associated with a value in enclosing scope", name)
	}
	return t.Raise(t.Types.UnboundLocalError, "cannot access local variable '%s' where it is not associated with a value", name)
}

func (vm *VM) nameError(name string) error {
	return vm.t.Raise(vm.t.Types.NameError, "name '%s' is not defined", name)
}

// loadGlobal looks up the name of site i and fills the cache.
func (vm *VM) loadGlobal(f *Frame, i int) (value.Value, error) {
	name := f.code.Sites[i]
	g := &f.fn.Globals.Names
	s := &f.run.Sites[i]
	if pos := g.Place(name); pos >= 0 {
		*s = value.Site{Kind: value.SiteGlobal, Ver: g.Version, Pos: int32(pos)}
		return g.Entries[pos].Val, nil
	}
	if v, ok := vm.t.Builtins.Names.Str(name); ok {
		*s = value.Site{Kind: value.SiteBuiltin, Ver: g.Version, Val: v}
		return v, nil
	}
	return value.Value{}, vm.nameError(name)
}

func (vm *VM) storeGlobal(f *Frame, i int, v value.Value) error {
	g := &f.fn.Globals.Names
	name := vm.t.Intern(f.code.Sites[i])
	pos := g.Place(name.Text)
	if pos < 0 {
		if err := vm.t.Alloc(value.EntryBytes); err != nil {
			return err
		}
		g.AddName(name, v)
		pos = g.Place(name.Text)
	} else {
		g.Entries[pos].Val = v
	}
	f.run.Sites[i] = value.Site{Kind: value.SiteGlobal, Ver: g.Version, Pos: int32(pos)}
	return nil
}

// truthValue is the truth of v as a bool with all labels that it depends on.
func (vm *VM) truthValue(v value.Value) (value.Value, error) {
	t := &vm.t
	seen := t.Seen
	t.Seen = v.Label
	ok, err := t.Truth(v)
	l := t.Seen
	t.Seen = seen
	if err != nil {
		return value.Value{}, err
	}
	return value.Bool(ok).With(l), nil
}

// truthJump is the truth of v where its label does not matter.
func (vm *VM) truthJump(v value.Value) (bool, error) {
	t := &vm.t
	seen := t.Seen
	t.Seen = v.Label
	ok, err := t.Truth(v)
	vm.frames[vm.depth].decides(t, t.Seen)
	t.Seen = seen
	return ok, err
}

// decides notes that code of the library goes on as something of label l says: what
// it gives depends on that. In mode strict the control label says so.
func (f *Frame) decides(t *value.Thread, l label.ID) {
	if l != 0 && !t.Strict && f.run.Lib {
		f.ret = t.Join(f.ret, l)
		switch from := f.st[:f.code.Params]; f.code.Qual {
		case "groupby":
			t.Drive(from[0], l)
		case "_filter", "filterfalse":
			if f.mode != retCall && f.mode != retDefault {
				from = from[1:] // all is asked for, but by next: so often is the function called
			}
			fallthrough
		case "_any", "_all", "compress", "dropwhile", "takewhile":
			for i := range from {
				t.Drive(from[i], l)
			}
		}
	}
}

func (vm *VM) build(f *Frame, in bytecode.Instr) error {
	t := &vm.t
	a := in.Arg()
	switch in.Op() {
	case bytecode.BuildSet:
		s := &value.Set{}
		for _, v := range f.st[f.sp-a : f.sp] {
			if _, err := s.Add(t, v); err != nil {
				return err
			}
		}
		f.sp -= a
		f.put(value.Value{Kind: value.KSet, Obj: s})
	case bytecode.BuildMap:
		d := &value.Dict{}
		for i := f.sp - 2*a; i < f.sp; i += 2 {
			if err := d.Set(t, f.st[i], f.st[i+1]); err != nil {
				return err
			}
		}
		f.sp -= 2 * a
		f.put(value.Value{Kind: value.KDict, Obj: d})
	case bytecode.SetAdd:
		v := f.take()
		_, err := f.at(a).Obj.(*value.Set).Add(t, v)
		return err
	case bytecode.MapAdd:
		v, k := f.take(), f.take()
		return f.at(a).Obj.(*value.Dict).Set(t, k, v)
	case bytecode.ListExtend, bytecode.ArgsExtend, bytecode.SetUpdate:
		return vm.extend(f, in)
	case bytecode.DictUpdate, bytecode.DictMerge:
		return vm.mergeDict(f, in)
	case bytecode.ListToTuple:
		l := f.take().Obj.(*value.List)
		f.put(t.Tuple(l.Items).With(l.Shape))
	case bytecode.UnpackSequence, bytecode.UnpackEx:
		return vm.unpack(f, in)
	}
	return nil
}

// drain replaces the operand at the top by a list of its elements, made by the
// language's own code, and has the instruction executed again.
func (vm *VM) drain(f *Frame, words int) error {
	v := f.take()
	f.ip -= words
	return vm.machine(f, "drain", v)
}

// machine calls a function of the machine's own module with the answer as an operand.
func (vm *VM) machine(f *Frame, name string, args ...value.Value) error {
	fn, err := vm.t.MachineFunc(name)
	if err != nil {
		return err
	}
	return vm.invoke(fn, value.Value{}, args, nil, nil, retPush, value.Value{})
}

// extend adds the elements of the top to a list, the arguments of a call, or a set.
func (vm *VM) extend(f *Frame, in bytecode.Instr) error {
	t := &vm.t
	v := *f.at(1)
	if in.Op() != bytecode.SetUpdate && !t.CanIter(v) {
		return vm.labelled(t.Raise(t.Types.TypeError, "Value after * must be an iterable, not %s", t.ClassName(v)), []value.Value{v})
	}
	if t.Foreign(v) {
		return vm.drain(f, 1)
	}
	seen := t.Seen
	t.Seen = 0
	defer func() { t.Seen = seen }()
	if in.Op() == bytecode.SetUpdate {
		s := f.at(in.Arg() + 1).Obj.(*value.Set)
		err := t.SetUpdate(s, v)
		if err != nil {
			return err
		}
		t.Mark(&s.Shape, t.Seen)
		f.sp--
		return nil
	}
	items, err := t.Collect(v)
	if err != nil {
		return err
	}
	where := in.Arg() + 1
	if in.Op() == bytecode.ArgsExtend {
		where = 2
	}
	l := f.at(where).Obj.(*value.List)
	if err := t.Alloc(int64(len(items)) * value.ValueBytes); err != nil {
		return err
	}
	l.Items = append(l.Items, items...)
	t.Mark(&l.Shape, t.Seen)
	f.sp--
	return nil
}

// mergeDict is {**m} and f(**m).
func (vm *VM) mergeDict(f *Frame, in bytecode.Instr) error {
	t := &vm.t
	v := t.Base(*f.at(1))
	call := in.Op() == bytecode.DictMerge
	where := in.Arg() + 1
	if call {
		where = 2
	}
	d := f.at(where).Obj.(*value.Dict)
	if v.Kind != value.KDict {
		_, _, ok := t.ClassOf(v).Lookup("keys")
		if v.Kind == value.KObject && ok {
			f.take()
			f.ip--
			return vm.machine(f, "mapping", v)
		}
		return t.Raise(t.Types.TypeError, "'%s' object is not a mapping", t.ClassName(v))
	}
	m := v.Obj.(*value.Dict)
	if err := t.Step(int64(len(m.Entries)) / 8); err != nil {
		return err
	}
	l := t.Join(v.Label, m.Shape)
	t.Mark(&d.Shape, l)
	for i := range m.Entries {
		e := m.Entries[i]
		if e.Key.Kind == value.KUnset {
			continue
		}
		if call {
			k, ok := t.Base(e.Key).Obj.(*value.Str)
			if !ok {
				return t.Raise(t.Types.TypeError, "keywords must be strings")
			}
			if ok, err := d.Has(t, e.Key); err != nil {
				return err
			} else if ok {
				return vm.argumentTwice(t.ClassName(*f.at(in.Arg() + 2)), k.Text)
			}
		}
		if l != 0 {
			e.Val.Label = t.Join(e.Val.Label, l)
		}
		if err := d.Set(t, e.Key, e.Val); err != nil {
			return err
		}
	}
	f.sp--
	return nil
}

// unpack takes a value apart into the targets of an assignment.
func (vm *VM) unpack(f *Frame, in bytecode.Instr) error {
	t := &vm.t
	v := *f.at(1)
	before, after, star := in.Arg(), 0, false
	if in.Op() == bytecode.UnpackEx {
		before, after, star = in.Arg()&0xfff, in.Arg()>>12, true
	}
	if !t.CanIter(v) {
		return vm.labelled(t.Raise(t.Types.TypeError, "cannot unpack non-iterable %s object", t.ClassName(v)), []value.Value{v})
	}
	if v.Label != 0 && (v.Kind == value.KIter || v.Kind == value.KGen) {
		t.Touch(v, "")
	}
	if t.Foreign(v) {
		if v.Kind == value.KGen || v.Kind == value.KObject {
			v = f.take()
			f.ip--
			limit := before + 1
			if star {
				limit = -1
			}
			return vm.machine(f, "take", v, value.Int(int64(limit)))
		}
		return vm.drain(f, 1)
	}
	var items []value.Value
	var l label.ID
	switch b := t.Base(v); b.Kind {
	case value.KTuple:
		items, l = b.Obj.(*value.Tuple).Items, b.Label
	case value.KList:
		items, l = b.Obj.(*value.List).Items, t.Join(b.Label, b.Obj.(*value.List).Shape)
	default:
		seen := t.Seen
		t.Seen = 0
		var err error
		if v.Kind == value.KIter && !star {
			items, err = vm.few(v, before+1)
		} else {
			items, err = t.Collect(v)
		}
		l = t.Seen
		t.Seen = seen
		if err != nil {
			return err
		}
	}
	if !star && len(items) != before || len(items) < before+after {
		seen := t.Seen // the number of items stands in the message
		t.Seen = t.Join(seen, t.Join(l, v.Label))
		err := vm.unpackError(v, len(items), before, after, star)
		t.Seen = seen
		return err
	}
	f.sp--
	part := func(i int) value.Value { return items[i].With(t.Join(items[i].Label, l)) }
	for i := len(items) - 1; i >= len(items)-after; i-- {
		f.put(part(i))
	}
	if star {
		if err := t.Step(int64(len(items)) / 4); err != nil {
			return err
		}
		if err := t.Alloc(int64(len(items)) * value.ValueBytes); err != nil {
			return err
		}
		rest := make([]value.Value, len(items)-after-before)
		for i := range rest {
			rest[i] = part(before + i)
		}
		f.put(value.Value{Kind: value.KList, Obj: &value.List{Items: rest, Shape: l}, Label: l})
	}
	for i := before - 1; i >= 0; i-- {
		f.put(part(i))
	}
	return nil
}

// few returns at most n elements of an iterator.
func (vm *VM) few(it value.Value, n int) ([]value.Value, error) {
	t := &vm.t
	t.See(it.Label)
	var items []value.Value
	for len(items) < n {
		v, ok, err := t.Next(it)
		if err != nil {
			return nil, err
		}
		if !ok {
			t.See(v.Label)
			break
		}
		items = append(items, v)
	}
	return items, nil
}

func (vm *VM) unpackError(v value.Value, n, before, after int, star bool) error {
	t := &vm.t
	switch k := t.Base(v).Kind; {
	case star:
		return t.Raise(t.Types.ValueError, "not enough values to unpack (expected at least %d, got %d)", before+after, n)
	case n < before:
		return t.Raise(t.Types.ValueError, "not enough values to unpack (expected %d, got %d)", before, n)
	case k == value.KTuple || k == value.KList || k == value.KDict:
		return t.Raise(t.Types.ValueError, "too many values to unpack (expected %d, got %d)", before, n)
	}
	return t.Raise(t.Types.ValueError, "too many values to unpack (expected %d)", before)
}

// control executes the instructions of strict mode.
func (vm *VM) control(f *Frame, in bytecode.Instr) error {
	t := &vm.t
	a := in.Arg()
	switch in.Op() {
	case bytecode.PcSave:
		f.st[a] = value.None.With(t.PC)
	case bytecode.PcRestore:
		if t.Trying || f.st[a].N != 0 {
			t.Sticky = t.Join(t.Sticky, t.PC)
		} else {
			t.PC = t.Join(f.st[a].Label, t.Sticky)
		}
	case bytecode.PcJoin:
		t.PC = t.Join(t.PC, f.at(1).Label)
	case bytecode.PcIter:
		t.PC = t.Join(t.PC, t.Join(f.at(1).Label, shapeOf(t, *f.at(1))))
	case bytecode.PcStick:
		t.Sticky = t.Join(t.Sticky, t.PC)
	case bytecode.PcTop:
		if t.PC != 0 {
			vm.decided(f.at(1), a > 0)
		}
	case bytecode.PcFast, bytecode.PcDeref, bytecode.PcGlobal, bytecode.PcName:
		w := f.word()
		v := vm.controlled(f, in.Op(), a)
		bound := v != nil && v.Kind != value.KUnset
		switch {
		case w > 1 && !bound:
			f.st[w-2].N = 1
		case w <= 1 && bound && t.PC != 0:
			if vm.decided(v, w == 1); w == 1 {
				joinContents(t, *v)
			}
		}
	case bytecode.May:
		for i := 1; i <= a && t.Trying; i++ {
			if v := f.at(i); v.Label != 0 || v.Kind == value.KList || v.Kind == value.KDict || v.Kind == value.KSet || v.Kind == value.KIter {
				stick(t, t.Join(v.Label, shapeOf(t, *v)))
			}
		}
	case bytecode.MaySave:
		f.st[a] = value.Bool(t.Trying)
		t.Trying = true
	case bytecode.MayJoin:
		t.Trying = f.st[a].N != 0
	}
	return nil
}

// decided joins pc into a value: what was tested chose it, or of a fresh container what it holds.
func (vm *VM) decided(v *value.Value, fresh bool) {
	t := &vm.t
	v.Label = t.Join(v.Label, t.PC)
	chosen := !fresh && v.Changeable()
	if fresh {
		vm.elements(*v, func(e value.Value) { chosen = chosen || e.Changeable() })
	}
	if chosen {
		t.Guess(t.PC)
	}
}

// stick joins a label into pc for the rest of the run.
func stick(t *value.Thread, l label.ID) {
	if l != 0 {
		t.PC = t.Join(t.PC, l)
		t.Sticky = t.Join(t.Sticky, l)
	}
}

// shapeOf is what the length and the order of a container depend on; of an
// iterator, those of what it walks over.
func shapeOf(t *value.Thread, v value.Value) label.ID {
	switch o := v.Obj.(type) {
	case *value.List:
		return o.Shape
	case *value.Dict:
		return o.Shape
	case *value.Set:
		return o.Shape
	case *value.View:
		return o.Dict.Shape
	case *value.Iter:
		if o.Src.Kind != value.KIter {
			return t.Join(o.Src.Label, shapeOf(t, o.Src))
		}
	}
	return 0
}

// controlled is the variable that an instruction of strict mode is about, or nil.
func (vm *VM) controlled(f *Frame, op bytecode.Op, a int) *value.Value {
	ns := &f.fn.Globals.Names
	name := ""
	switch op {
	case bytecode.PcFast:
		return &f.st[a]
	case bytecode.PcDeref:
		if c, ok := f.st[a].Obj.(*value.Cell); ok {
			return &c.Val
		}
		return nil // of a comprehension that was not reached
	case bytecode.PcName:
		ns, name = f.def.ns, f.code.Names[a]
	default:
		name = f.code.Sites[a]
	}
	if i := ns.Place(name); i >= 0 {
		return &ns.Entries[i].Val
	}
	return nil
}

// joinContents joins pc into the shape and the elements of a container.
func joinContents(t *value.Thread, v value.Value) {
	all := func(vs []value.Value) {
		for i := range vs {
			vs[i].Label = t.Join(vs[i].Label, t.PC)
		}
	}
	entries := func(d *value.Dict) {
		d.Shape = t.Join(d.Shape, t.PC)
		for i := range d.Entries {
			if e := &d.Entries[i]; e.Key.Kind != value.KUnset {
				e.Val.Label = t.Join(e.Val.Label, t.PC)
			}
		}
	}
	switch o := v.Obj.(type) {
	case *value.List:
		o.Shape = t.Join(o.Shape, t.PC)
		all(o.Items)
	case *value.Dict:
		entries(o)
	case *value.Set:
		o.Shape = t.Join(o.Shape, t.PC)
		for i := range o.Table {
			if k := &o.Table[i].Key; k.Kind != value.KUnset {
				k.Label = t.Join(k.Label, t.PC)
			}
		}
	case *value.Instance:
		entries(&o.Attrs)
		joinContents(t, o.Base)
	case *value.Exception:
		entries(&o.Attrs)
	case *value.View:
		entries(o.Dict)
	}
}
