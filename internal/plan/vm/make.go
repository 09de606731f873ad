package vm

import (
	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/value"
)

// calling executes the instructions that call and make functions and classes.
func (vm *VM) calling(f *Frame, in bytecode.Instr) error {
	n := in.Arg()
	switch in.Op() {
	case bytecode.CallKw, bytecode.CallMethodKw:
		names := f.code.Keywords[f.word()]
		args := f.st[f.sp-n : f.sp]
		f.high = f.sp
		f.sp -= n
		pos, named := args[:n-len(names)], args[n-len(names):]
		var self value.Value
		if in.Op() == bytecode.CallMethodKw {
			self = f.take()
		}
		return vm.invoke(f.take(), self, pos, names, named, retPush, value.Value{})
	case bytecode.CallEx:
		return vm.callEx(f, n)
	case bytecode.MakeFunction:
		return vm.makeFunction(f, n, f.word())
	case bytecode.MakeClass:
		return vm.classBody(f, n, f.code.Keywords[f.word()])
	case bytecode.ReturnClass:
		return vm.returnClass(f, n)
	case bytecode.YieldFrom:
		return vm.yieldFrom(f)
	case bytecode.YieldIter:
		return vm.yieldIter(f)
	case bytecode.Await:
		return vm.await(f)
	case bytecode.Annotate:
		return vm.annotate(f, n, f.word())
	}
	return nil
}

// callEx is a call whose arguments have been gathered in a list and a dict.
func (vm *VM) callEx(f *Frame, a int) error {
	t := &vm.t
	var names []string
	var named []value.Value
	keys, length := t.KeyLabel, t.ArgsLabel
	defer func() { t.KeyLabel, t.ArgsLabel = keys, length }()
	t.KeyLabel, t.ArgsLabel = 0, 0
	if a == 1 {
		d := f.take().Obj.(*value.Dict)
		t.KeyLabel = d.Shape
		for i := range d.Entries {
			e := &d.Entries[i]
			if e.Key.Kind == value.KUnset {
				continue
			}
			k := t.Base(e.Key)
			t.KeyLabel = t.Join(t.KeyLabel, k.Label)
			names = append(names, k.Obj.(*value.Str).Text)
			named = append(named, e.Val.With(t.Join(e.Val.Label, t.Join(k.Label, d.Shape))))
		}
	}
	l := f.take().Obj.(*value.List)
	if l.Shape != 0 {
		for i := range l.Items {
			l.Items[i].Label = t.Join(l.Items[i].Label, l.Shape)
		}
		t.ArgsLabel = l.Shape
	}
	fn := f.take()
	spread := t.Join(t.KeyLabel, t.ArgsLabel)
	if spread != 0 {
		m, _ := fn.Obj.(*value.Method)
		if fn.Kind == value.KNative || fn.Kind == value.KTool || m != nil && m.Fn.Kind == value.KNative {
			fn.Label = t.Join(fn.Label, spread)
		}
	}
	err := vm.invoke(fn, value.Value{}, l.Items, names, named, retPush, value.Value{})
	if r, ok := err.(*value.Raise); ok && spread != 0 {
		r.Label = t.Join(r.Label, spread)
	}
	return err
}

const funcBytes = 256

func (vm *VM) makeFunction(f *Frame, a, flags int) error {
	t := &vm.t
	c := f.code.Codes[a]
	if err := t.Alloc(funcBytes); err != nil {
		return err
	}
	fn := &value.Func{Code: c, Globals: f.fn.Globals, Name: c.Name, Qual: c.Qual, Run: vm.kid(f.run, a)}
	if c.Flags&value.FlagDoc != 0 {
		fn.Doc = t.Str(c.Doc)
	}
	if flags&4 != 0 {
		fn.Closure = make([]*value.Cell, c.Free)
		for i := c.Free - 1; i >= 0; i-- {
			fn.Closure[i] = f.take().Obj.(*value.Cell)
		}
	}
	if flags&2 != 0 {
		d := f.take().Obj.(*value.Dict)
		fn.Kw = make(map[string]value.Value, len(d.Entries))
		for i := range d.Entries {
			e := &d.Entries[i]
			fn.Kw[e.Key.Obj.(*value.Str).Text] = e.Val
		}
	}
	if flags&1 != 0 {
		fn.Defaults = f.take().Obj.(*value.Tuple).Items
	}
	f.put(value.Value{Kind: value.KFunc, Obj: fn})
	return nil
}

// classBody begins a class: its body runs in a frame with a name space of its own.
func (vm *VM) classBody(f *Frame, n int, names []string) error {
	t := &vm.t
	def := &classDef{ns: &value.Dict{}, library: f.code.Unit.Module != ""}
	args := append([]value.Value(nil), f.st[f.sp-n:f.sp]...)
	f.sp -= n
	def.bases = args[: n-len(names) : n-len(names)]
	for i, v := range args[len(def.bases):] {
		if names[i] != "metaclass" {
			def.names, def.named = append(def.names, names[i]), append(def.named, v)
		} else if c, ok := v.Obj.(*value.Class); ok && c != t.Types.Type {
			def.meta = c
		}
	}
	body := f.take().Obj.(*value.Func)
	def.name, def.l = body.Name, 0
	g, err := vm.push(body, retClass)
	if err != nil {
		return err
	}
	g.def = def
	if err := t.Alloc(classBytes); err != nil {
		return err
	}
	return nil
}

// bindInBody is what a name in the body of a class is bound to. A metaclass of a
// library module that has a function _bind_ may put another value there: that
// is how auto() gets its value before the next line of the body runs.
func (vm *VM) bindInBody(def *classDef, name string, v value.Value) (value.Value, error) {
	meta := def.meta
	for _, b := range def.bases {
		if c, ok := b.Obj.(*value.Class); ok && c.Meta != nil {
			meta = c.Meta
		}
	}
	if meta == nil {
		return v, nil
	}
	fn, _, ok := meta.Lookup("_bind_")
	if !ok {
		return v, nil
	}
	return vm.t.Call(fn, []value.Value{vm.t.Tuple(def.bases), {Kind: value.KDict, Obj: def.ns}, vm.t.NameValue(name), v}, nil, nil)
}

// returnClass ends the body of a class.
func (vm *VM) returnClass(f *Frame, a int) error {
	def := f.def
	f.def = nil
	code, globals := f.code, f.fn.Globals
	var cell *value.Cell
	if a > 0 {
		cell = f.st[a-1].Obj.(*value.Cell)
	}
	l := f.ret
	if code.Flags&value.FlagDoc != 0 {
		def.ns.SetStr(&vm.t, "__doc__", vm.t.Str(code.Doc))
	}
	vm.pop(f)
	v, err := vm.finishClass(def, code.Qual, globals.Name, cell)
	if err != nil {
		return err
	}
	v.Label = vm.t.Join(v.Label, l)
	vm.frames[vm.depth].put(v)
	return nil
}

// finishClass makes the class of a name space, by its metaclass when that says how.
func (vm *VM) finishClass(def *classDef, qual, module string, cell *value.Cell) (value.Value, error) {
	t := &vm.t
	meta := def.meta
	for _, b := range def.bases {
		if c, ok := b.Obj.(*value.Class); ok && c.Meta != nil && (meta == nil || c.Meta.Derives(meta)) {
			meta = c.Meta
		}
	}
	def.meta = meta
	if meta != nil {
		if fn, owner, ok := meta.Lookup("__new__"); ok && !owner.Static {
			def.ns.SetStr(t, "__qualname__", t.Str(qual))
			def.ns.SetStr(t, "__module__", t.Str(module))
			w, ok := fn.Obj.(*value.Wrapper)
			if !ok {
				return value.Value{}, t.Raise(t.Types.TypeError, "__new__ of a metaclass must be a function")
			}
			vm.classCell = cell
			return t.Call(w.Fn, []value.Value{value.ClassValue(meta), t.Str(def.name), t.Tuple(def.bases), {Kind: value.KDict, Obj: def.ns}}, def.names, def.named)
		}
	}
	return vm.makeClass(def, qual, module, cell)
}

// yieldIter is what yield from walks over.
func (vm *VM) yieldIter(f *Frame) error {
	t := &vm.t
	v := *f.at(1)
	if v.Kind == value.KGen {
		return nil
	}
	if v.Kind == value.KObject {
		f.sp--
		return vm.machine(f, "each", v)
	}
	it, err := t.Iter(v)
	if err != nil {
		return err
	}
	f.st[f.sp-1] = it
	return nil
}

// getIter replaces an instance by its iterator; __iter__ runs in a frame.
func (vm *VM) getIter(f *Frame) error {
	t := &vm.t
	v := *f.at(1)
	if fn, ok := t.Override(v, "__iter__"); ok && fn.Kind == value.KFunc {
		f.sp--
		fn.Label = t.Join(fn.Label, v.Label)
		return vm.invoke(fn, v, nil, nil, nil, retGetIter, value.Value{})
	}
	it, err := t.Iter(v)
	if err != nil {
		return err
	}
	f.st[f.sp-1] = it
	return nil
}

// forIter is the next element of a generator, an instance, or an iterator of a module.
func (vm *VM) forIter(f *Frame, in bytecode.Instr) error {
	t := &vm.t
	it := *f.at(1)
	switch it.Kind {
	case value.KGen:
		return vm.resume(it, value.None, retIter, value.Value{})
	case value.KObject:
		fn, _, ok := t.ClassOf(it).Lookup("__next__")
		if !ok {
			return t.Raise(t.Types.TypeError, "'%s' object is not an iterator", t.ClassName(it))
		}
		return vm.invoke(fn, it, nil, nil, nil, retNext, value.Value{})
	}
	v, ok, err := t.Next(it)
	if err != nil {
		return err
	}
	if ok {
		vm.element(f, v)
	} else {
		vm.endLoop(f, v.Label)
	}
	return nil
}

// await runs a coroutine to its end, or asks a task of the library for its result.
// Awaiting anything else gives it itself.
func (vm *VM) await(f *Frame) error {
	t := &vm.t
	v := *f.at(1)
	if g, ok := v.Obj.(*Gen); ok {
		f.sp--
		if !g.coroutine {
			return t.Raise(t.Types.TypeError, "'generator' object can't be awaited")
		}
		return vm.resume(v, value.None, retAwait, value.Value{})
	}
	if v.Kind == value.KObject {
		if fn, ok := t.Override(v, "__await__"); ok {
			f.sp--
			return vm.invoke(fn.With(t.Join(fn.Label, v.Label)), v, nil, nil, nil, retPush, value.Value{})
		}
	}
	return nil
}

// annotate notes the annotation of a name in the __annotations__ of the class or module.
func (vm *VM) annotate(f *Frame, a, w int) error {
	t := &vm.t
	ns := &f.fn.Globals.Names
	if f.def != nil {
		ns = f.def.ns
	}
	notes, ok := ns.Str("__annotations__")
	if !ok {
		notes = t.NewDict()
		ns.SetName(t.Intern("__annotations__"), notes)
	}
	d, ok := notes.Obj.(*value.Dict)
	if !ok {
		return nil
	}
	if err := t.Alloc(value.EntryBytes); err != nil {
		return err
	}
	d.SetName(t.Intern(f.code.Names[a]), f.code.Consts[w])
	return nil
}

// construct executes cls(…).
func (vm *VM) construct(cls value.Value, pos []value.Value, names []string, named []value.Value, mode retMode, extra value.Value) error {
	if cls.Label != 0 && vm.picks(cls, value.Value{}) {
		return vm.under(true, cls.Label, func() error { return vm.makes(cls, pos, names, named, mode, extra) })
	}
	return vm.makes(cls, pos, names, named, mode, extra)
}

// makes is construct, once it is known what data chose.
func (vm *VM) makes(cls value.Value, pos []value.Value, names []string, named []value.Value, mode retMode, extra value.Value) error {
	c := cls.Obj.(*value.Class)
	if cls.N != 0 { // from type.__call__
		cls.N = 0
	} else if c.Meta != nil {
		if fn, owner, ok := c.Meta.Lookup("__call__"); ok && !owner.Static {
			return vm.invoke(fn, cls, pos, names, named, mode, extra)
		}
	}
	return vm.create(cls, pos, names, named, mode, extra)
}

// create is what type.__call__ does.
func (vm *VM) create(cls value.Value, pos []value.Value, names []string, named []value.Value, mode retMode, extra value.Value) error {
	t := &vm.t
	c := cls.Obj.(*value.Class)
	newFn, owner, ok := c.Lookup("__new__")
	if c.Static && !c.IsExc && c != t.Types.Object { // a built-in class
		w, is := newFn.Obj.(*value.Wrapper)
		if _, own := c.Attrs.Str("__new__"); !is || !own {
			return vm.failed(mode, extra, t.Raise(t.Types.TypeError, "cannot create '%s' instances", c.Name))
		}
		return vm.invoke(w.Fn.With(cls.Label), cls.With(0), pos, names, named, mode, extra)
	}
	if ok && !owner.Static {
		fn, err := vm.t.MachineFunc("construct")
		if err != nil {
			return err
		}
		kw := &value.Dict{Shape: t.KeyLabel}
		for i, name := range names {
			kw.SetName(t.Intern(name), named[i])
			vm.labelKeys(kw)
		}
		args := []value.Value{cls, t.Tuple(append([]value.Value(nil), pos...)).With(t.ArgsLabel), {Kind: value.KDict, Obj: kw}}
		return vm.invoke(fn, value.Value{}, args, nil, nil, mode, extra)
	}
	init, initOwner, _ := c.Lookup("__init__")
	var obj value.Value
	var err error
	switch {
	case c.IsExc:
		obj, err = vm.newException(cls, newFn, pos, names, named)
	case c.Layout == value.KObject:
		if initOwner != nil && initOwner.Static && len(pos)+len(names) > 0 {
			return vm.failed(mode, extra, vm.argumentCount(c.Name, 0, 0, len(pos)+len(names), ""))
		}
		if c.Meta == nil && !c.Static {
			vm.learn(c, init)
		}
		if err = t.Alloc(value.InstanceBytes); err == nil {
			obj = value.Value{Kind: value.KObject, Obj: &value.Instance{Cls: c}, Label: cls.Label}
		}
	default: // the built-in part; lists, dicts and sets leave the arguments to __init__
		w, is := newFn.Obj.(*value.Wrapper)
		switch {
		case !is:
			err = t.Raise(t.Types.TypeError, "cannot create '%s' instances", c.Name)
		case c.Layout == value.KList || c.Layout == value.KDict || c.Layout == value.KSet && !c.Derives(t.Types.FrozenSet):
			obj, err = t.Call(w.Fn, []value.Value{cls}, nil, nil)
		default:
			obj, err = t.Call(w.Fn, prepend(cls, pos), names, named)
		}
	}
	if err != nil {
		return vm.failed(mode, extra, err)
	}
	if c.Static {
		return vm.deliver(mode, extra, obj)
	}
	return vm.initialize(obj, init, initOwner, pos, names, named, mode, extra)
}

// initialize calls __init__ of a new object, and hands out the object.
func (vm *VM) initialize(obj, init value.Value, owner *value.Class, pos []value.Value, names []string, named []value.Value, mode retMode, extra value.Value) error {
	t := &vm.t
	switch {
	case init.Kind == value.KUnset || owner == t.Types.Object || owner.Static && owner.IsExc && len(names) == 0:
		return vm.deliver(mode, extra, obj)
	case owner.Static && !owner.IsExc && owner.Layout != value.KList && owner.Layout != value.KDict && owner.Layout != value.KSet:
		return vm.deliver(mode, extra, obj)
	}
	self := obj
	if owner.Static {
		self = t.Base(obj)
	}
	if mode == retPush {
		return vm.invoke(init, self, pos, names, named, retInit, obj)
	}
	v, err := t.Call(init, prepend(self, pos), names, named)
	if err != nil {
		return vm.failed(mode, extra, err)
	}
	if v.Kind != value.KNone {
		return vm.failed(mode, extra, t.Raise(t.Types.TypeError, "__init__() should return None, not '%s'", t.ClassName(v)))
	}
	return vm.deliver(mode, extra, obj)
}
