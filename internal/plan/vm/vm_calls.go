package vm

// calling carries out the instructions that call and make functions and classes.
func (vm *VM) calling(f *Frame, in Instr) error {
	n := in.arg()
	switch in.op() {
	case opCallKw, opCallMethodKw:
		names := f.code.keywords[f.word()]
		args := f.st[f.sp-n : f.sp]
		f.high = f.sp
		f.sp -= n
		pos, named := args[:n-len(names)], args[n-len(names):]
		var self Value
		if in.op() == opCallMethodKw {
			self = f.take()
		}
		return vm.invoke(f.take(), self, pos, names, named, retPush, Value{})
	case opCallEx:
		return vm.callEx(f, n)
	case opMakeFunction:
		return vm.makeFunction(f, n, f.word())
	case opMakeClass, opMakeClassEx:
		return vm.classBody(f, in)
	case opReturnClass:
		return vm.returnClass(f, n)
	case opYieldFrom:
		return vm.yieldFrom(f)
	case opYieldIter:
		return vm.yieldIter(f)
	case opAwait:
		return vm.await(f)
	case opAnnotate:
		return vm.annotate(f, n, f.word())
	case opTypeAlias:
		text := f.code.consts[f.word()]
		f.put(Value{k: kSpecial, o: &TypeAlias{name: f.code.names[n], text: text}})
	}
	return nil
}

// TypeAlias is what a type statement makes: a name for an annotation, which is not evaluated.
type TypeAlias struct {
	name string
	text Value
}

func (a *TypeAlias) class(t *Thread) *Class { return t.types.Object }

func (a *TypeAlias) attr(t *Thread, name string) (Value, bool) {
	switch name {
	case "__name__":
		return t.str(a.name), true
	case "__value__":
		return a.text, true
	}
	return Value{}, false
}

// callEx is a call whose arguments have been gathered in a list and a dict.
func (vm *VM) callEx(f *Frame, a int) error {
	t := &vm.t
	var names []string
	var named []Value
	outer := t.keyLabel
	defer func() { t.keyLabel = outer }()
	t.keyLabel = 0
	if a == 1 {
		d := f.take().o.(*Dict)
		t.keyLabel = d.shape
		for i := range d.entries {
			e := &d.entries[i]
			if e.key.k == kUnset {
				continue
			}
			k := t.base(e.key)
			t.keyLabel = t.join(t.keyLabel, k.l)
			names = append(names, k.o.(*Str).s)
			named = append(named, e.val.with(t.join(e.val.l, t.join(k.l, d.shape))))
		}
	}
	l := f.take().o.(*List)
	if l.shape != 0 {
		for i := range l.items {
			l.items[i].l = t.join(l.items[i].l, l.shape)
		}
	}
	return vm.invoke(f.take(), Value{}, l.items, names, named, retPush, Value{})
}

const funcBytes = 256

func (vm *VM) makeFunction(f *Frame, a, flags int) error {
	t := &vm.t
	c := f.code.codes[a]
	if err := t.alloc(funcBytes); err != nil {
		return err
	}
	fn := &Func{code: c, globals: f.fn.globals, name: c.name, qual: c.qual, run: vm.kid(f.run, a)}
	if c.flags&flagDoc != 0 {
		fn.doc = t.str(c.doc)
	}
	if flags&4 != 0 {
		fn.closure = make([]*Cell, c.free)
		for i := c.free - 1; i >= 0; i-- {
			fn.closure[i] = f.take().o.(*Cell)
		}
	}
	if flags&2 != 0 {
		d := f.take().o.(*Dict)
		fn.kw = make(map[string]Value, len(d.entries))
		for i := range d.entries {
			e := &d.entries[i]
			fn.kw[e.key.o.(*Str).s] = e.val
		}
	}
	if flags&1 != 0 {
		fn.defaults = f.take().o.(*Tuple).items
	}
	f.put(Value{k: kFunc, o: fn})
	return nil
}

// classBody begins a class: its body runs in a frame with a name space of its own.
func (vm *VM) classBody(f *Frame, in Instr) error {
	t := &vm.t
	def := &classDef{ns: &Dict{}, library: f.code.unit.module != ""}
	if in.op() == opMakeClass {
		n := in.arg()
		names := f.code.keywords[f.word()]
		args := append([]Value(nil), f.st[f.sp-n:f.sp]...)
		f.sp -= n
		def.bases, def.names, def.named = args[:n-len(names)], names, args[n-len(names):]
	} else {
		d := f.take().o.(*Dict)
		for i := range d.entries {
			if e := &d.entries[i]; e.key.k == kStr {
				def.names = append(def.names, e.key.o.(*Str).s)
				def.named = append(def.named, e.val)
			}
		}
		def.bases = append([]Value(nil), f.take().o.(*List).items...)
	}
	if err := vm.metaclass(f, def); err != nil {
		return err
	}
	body := f.take().o.(*Func)
	def.name, def.l = body.name, 0
	g, err := vm.push(body, retClass)
	if err != nil {
		return err
	}
	g.def = def
	if err := t.alloc(classBytes); err != nil {
		return err
	}
	return nil
}

// metaclass takes the keyword metaclass out of a class statement; only library modules have it.
func (vm *VM) metaclass(f *Frame, def *classDef) error {
	t := &vm.t
	for i, name := range def.names {
		if name != "metaclass" {
			continue
		}
		c, ok := def.named[i].o.(*Class)
		names := append(append([]string(nil), def.names[:i]...), def.names[i+1:]...)
		def.named = append(append([]Value(nil), def.named[:i]...), def.named[i+1:]...)
		def.names = names
		if !ok {
			return t.raise(t.types.TypeError, "a metaclass must be a class")
		}
		if c != t.types.Type {
			def.meta = c
		}
		return nil
	}
	return nil
}

// bindInBody is what a name in the body of a class is bound to. A metaclass of a
// library module that has a function _bind_ may put another value there: that
// is how auto() gets its value before the next line of the body runs.
func (vm *VM) bindInBody(def *classDef, name string, v Value) (Value, error) {
	meta := def.meta
	for _, b := range def.bases {
		if c, ok := b.o.(*Class); ok && c.meta != nil {
			meta = c.meta
		}
	}
	if meta == nil {
		return v, nil
	}
	fn, _, ok := meta.lookup("_bind_")
	if !ok {
		return v, nil
	}
	return vm.t.Call(fn, []Value{vm.t.tuple(def.bases), {k: kDict, o: def.ns}, vm.t.nameValue(name), v}, nil, nil)
}

// returnClass ends the body of a class.
func (vm *VM) returnClass(f *Frame, a int) error {
	def := f.def
	f.def = nil
	code, globals := f.code, f.fn.globals
	var cell *Cell
	if a > 0 {
		cell = f.st[a-1].o.(*Cell)
	}
	l := f.ret
	if code.flags&flagDoc != 0 {
		def.ns.setStr(&vm.t, "__doc__", vm.t.str(code.doc))
	}
	if code.flags&flagGeneric != 0 {
		def.ns.setStr(&vm.t, "__class_getitem__", Value{k: kProp, o: &Wrapper{fn: Value{k: kNative, o: genericItem()}, bind: true}})
	}
	vm.pop(f)
	v, err := vm.finishClass(def, code.qual, globals.name, cell)
	if err != nil {
		return err
	}
	v.l = vm.t.join(v.l, l)
	vm.frames[vm.depth].put(v)
	return nil
}

// finishClass makes the class of a name space, by its metaclass when that says how.
func (vm *VM) finishClass(def *classDef, qual, module string, cell *Cell) (Value, error) {
	t := &vm.t
	meta := def.meta
	for _, b := range def.bases {
		if c, ok := b.o.(*Class); ok && c.meta != nil && (meta == nil || c.meta.derives(meta)) {
			meta = c.meta
		}
	}
	def.meta = meta
	if meta != nil {
		if fn, owner, ok := meta.lookup("__new__"); ok && !owner.static {
			def.ns.setStr(t, "__qualname__", t.str(qual))
			def.ns.setStr(t, "__module__", t.str(module))
			w, ok := fn.o.(*Wrapper)
			if !ok {
				return Value{}, t.raise(t.types.TypeError, "__new__ of a metaclass must be a function")
			}
			vm.classCell = cell
			return t.Call(w.fn, []Value{classValue(meta), t.str(def.name), t.tuple(def.bases), {k: kDict, o: def.ns}}, def.names, def.named)
		}
	}
	return vm.makeClass(def, qual, module, cell)
}

// yieldIter is what yield from walks over.
func (vm *VM) yieldIter(f *Frame) error {
	t := &vm.t
	v := *f.at(1)
	if v.k == kGen {
		return nil
	}
	if v.k == kObject {
		return vm.getIter(f)
	}
	it, err := t.iter(v)
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
	if fn, ok := t.override(v, "__iter__"); ok && fn.k == kFunc {
		f.sp--
		fn.l = t.join(fn.l, v.l)
		return vm.invoke(fn, v, nil, nil, nil, retGetIter, Value{})
	}
	it, err := t.iter(v)
	if err != nil {
		return err
	}
	f.st[f.sp-1] = it
	return nil
}

// forIter is the next element of a generator, an instance, or an iterator of a module.
func (vm *VM) forIter(f *Frame, in Instr) error {
	t := &vm.t
	it := *f.at(1)
	switch it.k {
	case kGen:
		return vm.resume(it, none, retIter, Value{})
	case kObject:
		fn, _, ok := t.classOf(it).lookup("__next__")
		if !ok {
			return t.raise(t.types.TypeError, "'%s' object is not an iterator", t.className(it))
		}
		return vm.invoke(fn, it, nil, nil, nil, retNext, Value{})
	}
	v, ok, err := t.next(it)
	if err != nil {
		return err
	}
	if ok {
		vm.element(f, v)
	} else {
		vm.endLoop(f, v.l)
	}
	return nil
}

// await runs a coroutine to its end. What is not one is what awaiting it gives.
func (vm *VM) await(f *Frame) error {
	t := &vm.t
	v := *f.at(1)
	if g, ok := v.o.(*Gen); ok {
		f.sp--
		if !g.coroutine {
			return t.raise(t.types.TypeError, "'generator' object can't be awaited")
		}
		return vm.resume(v, none, retAwait, Value{})
	}
	if v.k == kObject {
		if fn, ok := t.override(v, "__await__"); ok {
			f.sp--
			return vm.awaitObject(fn, v)
		}
	}
	return nil
}

// awaitObject waits for an instance with __await__, in the language's own code.
func (vm *VM) awaitObject(fn, v Value) error {
	own, err := vm.t.own("awaited")
	if err != nil {
		return err
	}
	return vm.invoke(own, Value{}, []Value{{k: kMethod, o: &Method{v, fn}}}, nil, nil, retPush, Value{})
}

// annotate notes the annotation of a name in the __annotations__ of the class or module.
func (vm *VM) annotate(f *Frame, a, w int) error {
	t := &vm.t
	ns := &f.fn.globals.names
	if f.def != nil {
		ns = f.def.ns
	}
	notes, ok := ns.str("__annotations__")
	if !ok {
		notes = t.newDict()
		ns.setName(t.intern("__annotations__"), notes)
	}
	d, ok := notes.o.(*Dict)
	if !ok {
		return nil
	}
	if err := t.alloc(entryBytes); err != nil {
		return err
	}
	d.setName(t.intern(f.code.names[a]), f.code.consts[w])
	return nil
}

// instanceBytes is about what an instance takes beside its attributes.
const instanceBytes = 160

// construct carries out cls(…).
func (vm *VM) construct(cls Value, pos []Value, names []string, named []Value, mode retMode, extra Value) error {
	c := cls.o.(*Class)
	if cls.n != 0 { // from type.__call__
		cls.n = 0
		return vm.create(cls, pos, names, named, mode, extra)
	}
	if c.meta != nil {
		if fn, owner, ok := c.meta.lookup("__call__"); ok && !owner.static {
			return vm.invoke(fn, cls, pos, names, named, mode, extra)
		}
	}
	return vm.create(cls, pos, names, named, mode, extra)
}

// create is what type.__call__ does.
func (vm *VM) create(cls Value, pos []Value, names []string, named []Value, mode retMode, extra Value) error {
	t := &vm.t
	c := cls.o.(*Class)
	newFn, owner, ok := c.lookup("__new__")
	if c.static {
		return vm.createStatic(cls, newFn, ok, pos, names, named, mode, extra)
	}
	if ok && !owner.static {
		fn, err := vm.t.own("construct")
		if err != nil {
			return err
		}
		kw := &Dict{}
		for i, name := range names {
			kw.setName(t.intern(name), named[i])
		}
		args := []Value{cls, t.tuple(append([]Value(nil), pos...)), {k: kDict, o: kw}}
		return vm.invoke(fn, Value{}, args, nil, nil, mode, extra)
	}
	init, initOwner, _ := c.lookup("__init__")
	var obj Value
	var err error
	switch {
	case c.isExc:
		obj, err = vm.newException(cls, newFn, pos, names, named)
	case c.layout == kObject:
		if initOwner != nil && initOwner.static && len(pos)+len(names) > 0 {
			return vm.failed(mode, extra, t.raise(t.types.TypeError, "%s() takes no arguments", c.name))
		}
		if c.meta == nil {
			vm.learn(c, init)
		}
		if err = t.alloc(instanceBytes); err == nil {
			obj = Value{k: kObject, o: &Instance{cls: c}, l: cls.l}
		}
	default:
		// The built-in part. Lists, dicts and sets ignore the arguments here: __init__ takes them.
		w, is := newFn.o.(*Wrapper)
		if !is {
			return vm.failed(mode, extra, t.raise(t.types.TypeError, "cannot create '%s' instances", c.name))
		}
		switch c.layout {
		case kList, kDict:
			obj, err = t.Call(w.fn, []Value{cls}, nil, nil)
		case kSet:
			if c.derives(t.types.FrozenSet) {
				obj, err = t.Call(w.fn, prepend(cls, pos), nil, nil)
			} else {
				obj, err = t.Call(w.fn, []Value{cls}, nil, nil)
			}
		default:
			obj, err = t.Call(w.fn, prepend(cls, pos), names, named)
		}
	}
	if err != nil {
		return vm.failed(mode, extra, err)
	}
	return vm.initialize(obj, init, initOwner, pos, names, named, mode, extra)
}

// initialize calls __init__ of a new object, and hands out the object.
func (vm *VM) initialize(obj, init Value, owner *Class, pos []Value, names []string, named []Value, mode retMode, extra Value) error {
	t := &vm.t
	switch {
	case init.k == kUnset || owner == t.types.Object || owner.static && owner.isExc && len(names) == 0:
		return vm.deliver(mode, extra, obj)
	case owner.static && !owner.isExc && owner.layout != kList && owner.layout != kDict && owner.layout != kSet:
		return vm.deliver(mode, extra, obj)
	}
	self := obj
	if owner.static {
		self = t.base(obj)
	}
	if mode == retPush {
		return vm.invoke(init, self, pos, names, named, retInit, obj)
	}
	v, err := t.Call(init, prepend(self, pos), names, named)
	if err != nil {
		return vm.failed(mode, extra, err)
	}
	if v.k != kNone {
		return vm.failed(mode, extra, t.raise(t.types.TypeError, "__init__() should return None, not '%s'", t.className(v)))
	}
	return vm.deliver(mode, extra, obj)
}

// createStatic makes an instance of a built-in class.
func (vm *VM) createStatic(cls, newFn Value, ok bool, pos []Value, names []string, named []Value, mode retMode, extra Value) error {
	t := &vm.t
	c := cls.o.(*Class)
	if c.isExc {
		v, err := vm.newException(cls, newFn, pos, names, named)
		if err != nil {
			return vm.failed(mode, extra, err)
		}
		return vm.deliver(mode, extra, v)
	}
	if c == t.types.Object {
		if len(pos)+len(names) > 0 {
			return vm.failed(mode, extra, t.raise(t.types.TypeError, "object() takes no arguments"))
		}
		return vm.deliver(mode, extra, Value{k: kObject, o: &Instance{cls: c}, l: cls.l})
	}
	fn := newFn
	if w, is := newFn.o.(*Wrapper); is {
		fn = w.fn
	}
	if _, has := c.attrs.str("__new__"); !ok || !has || fn.k != kNative {
		return vm.failed(mode, extra, t.raise(t.types.TypeError, "cannot create '%s' instances", c.name))
	}
	return vm.invoke(fn.with(cls.l), cls.with(0), pos, names, named, mode, extra)
}
