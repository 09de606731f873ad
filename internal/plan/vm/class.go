package vm

import "strings"

// Class is a class, built in or defined by the program.
type Class struct {
	name    string
	qual    string
	module  string
	bases   []*Class
	mro     []*Class // C3, itself first
	attrs   Dict     // its own name space, in order of definition
	layout  Kind     // what its instances are: kObject, or the kind of the built-in class that it derives from
	isExc   bool     // derives from BaseException
	final   bool     // cannot be derived from (bool, NoneType, …)
	static  bool     // built in: attributes cannot be set, its natives are found by name
	core    bool     // its methods are what the operators do by themselves
	slotted bool     // instances have only the attributes that __slots__ names, along the whole mro
	kinds   int      // version of this class's attributes, for caches; changes with each write
	meta    *Class   // the class of this class, of library modules; nil: type
	maker   *maker   // what the VM has learnt about making instances; nil: nothing
	traits  traits   // what the class brings, as of version kinds; see [VM.traits]
	methods *methods // what was looked up last, beside the class; not part of a dump
}

// traits say which of the rare hooks of the attribute protocol a class has.
type traits uint8

// The hooks. traitsKnown says that the others have been looked for.
const (
	traitsKnown traits = 1 << iota
	hasGetattr
	hasGetattribute
	hasSetattr
	hasDelattr
)

func (c *Class) class(t *Thread) *Class {
	if c.meta != nil {
		return c.meta
	}
	return t.types.Type
}

// shown is the class's name in messages: with its module where the class says
// so, which are those that are not written in Python in CPython.
func (c *Class) shown() string {
	if c.static && c.module != "builtins" {
		return c.module + "." + c.name
	}
	if !c.static && c.module != "__main__" {
		if _, ok := c.attrs.str("_qualified_"); ok {
			return c.module + "." + c.name
		}
	}
	return c.name
}

// derives reports whether c is base or derived from it.
func (c *Class) derives(base *Class) bool {
	for _, k := range c.mro {
		if k == base {
			return true
		}
	}
	return false
}

// lookup finds an attribute along the method resolution order.
func (c *Class) lookup(name string) (Value, *Class, bool) {
	for _, k := range c.mro {
		if v, ok := k.attrs.str(name); ok {
			return v, k, true
		}
	}
	return Value{}, nil, false
}

// solid is the built-in class that decides what instances of c are made of.
func (c *Class) solid() *Class {
	for _, k := range c.mro {
		if k.static && (k.layout != kObject || len(k.mro) == 1) {
			return k
		}
	}
	return c
}

// classBytes is about what a class takes beside its attributes.
const classBytes = 2048

// makeClass makes a class of a name space that is filled. cell is that of __class__, or nil.
func (vm *VM) makeClass(def *classDef, qual, module string, cell *Cell) (Value, error) {
	t := &vm.t
	if err := t.alloc(classBytes + int64(len(def.ns.entries))*entryBytes); err != nil {
		return Value{}, err
	}
	bases, err := vm.baseClasses(def)
	if err != nil {
		return Value{}, err
	}
	c := &Class{name: def.name, qual: qual, module: module, bases: bases, layout: kObject, meta: def.meta}
	if err := vm.inherit(c); err != nil {
		return Value{}, err
	}
	c.attrs = *def.ns
	vm.adopt(c)
	t.classVersion++
	v := classValue(c).with(def.l)
	if cell != nil {
		cell.v = v
	}
	if err := vm.announce(v, def); err != nil {
		return Value{}, err
	}
	return v, nil
}

// baseClasses checks what a class statement lists as bases.
func (vm *VM) baseClasses(def *classDef) ([]*Class, error) {
	t := &vm.t
	var out []*Class
	for i := 0; i < len(def.bases); i++ {
		b := def.bases[i]
		def.l = t.join(def.l, b.l)
		c, ok := b.o.(*Class)
		if !ok {
			fn, has := t.lookupSpecial(b, "__mro_entries__")
			if !has {
				return nil, vm.badBase(b)
			}
			r, err := t.Call(fn, []Value{t.tuple(def.bases)}, nil, nil)
			if err != nil {
				return nil, err
			}
			tu, ok := r.o.(*Tuple)
			if !ok {
				return nil, t.raise(t.types.TypeError, "__mro_entries__ must return a tuple")
			}
			rest := append(append([]Value(nil), tu.items...), def.bases[i+1:]...)
			def.bases = append(def.bases[:i:i], rest...)
			i--
			continue
		}
		if (c.final || c.static && c.layout == kClass) && !(def.library && c == t.types.Type) {
			return nil, t.raise(t.types.TypeError, "type '%s' is not an acceptable base type", c.name)
		}
		for _, k := range out {
			if k == c {
				return nil, t.raise(t.types.TypeError, "duplicate base class %s", c.name)
			}
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		out = []*Class{t.types.Object}
	}
	return out, nil
}

// badBase is the error of a base that is no class: Python calls its type with
// a name, the bases and a dict, and this is what comes of it.
func (vm *VM) badBase(b Value) error {
	t := &vm.t
	c := t.classOf(b)
	switch {
	case c == t.types.Int:
		return t.raise(t.types.TypeError, "int expected at most 2 arguments, got 3")
	case c == t.types.Module:
		return t.raise(t.types.TypeError, "module() takes at most 2 arguments (3 given)")
	case c == t.types.Func:
		return t.raise(t.types.TypeError, "function() argument 'code' must be code, not str")
	}
	return t.raise(t.types.TypeError, "cannot derive a class from a '%s' object", c.name)
}

// inherit fills in what c has from its bases.
func (vm *VM) inherit(c *Class) error {
	t := &vm.t
	if err := vm.linearize(c); err != nil {
		return err
	}
	var solid *Class
	for _, b := range c.bases {
		s := b.solid()
		if s == t.types.Object {
			if solid == nil {
				solid = s
			}
			continue
		}
		if solid != nil && solid != t.types.Object && solid != s && !solid.derives(s) && !s.derives(solid) {
			return t.raise(t.types.TypeError, "multiple bases have instance lay-out conflict")
		}
		if solid == nil || solid == t.types.Object || s.derives(solid) {
			solid = s
		}
	}
	if solid != nil {
		c.layout = solid.layout
	}
	for _, k := range c.mro[1:] {
		c.isExc = c.isExc || k.isExc
		if k.meta != nil && (c.meta == nil || k.meta.derives(c.meta)) {
			c.meta = k.meta
		}
	}
	if c.isExc && c.layout != kObject {
		return t.raise(t.types.TypeError, "multiple bases have instance lay-out conflict")
	}
	return nil
}

// linearize computes the method resolution order: C3.
func (vm *VM) linearize(c *Class) error {
	var lists [][]*Class
	for _, b := range c.bases {
		lists = append(lists, b.mro)
	}
	lists = append(lists, c.bases)
	c.mro = []*Class{c}
	for {
		var next *Class
		left := false
		for _, l := range lists {
			if len(l) == 0 {
				continue
			}
			left = true
			if !inTail(lists, l[0]) {
				next = l[0]
				break
			}
		}
		if !left {
			return nil
		}
		if next == nil {
			return vm.noOrder(lists)
		}
		c.mro = append(c.mro, next)
		for i, l := range lists {
			if len(l) > 0 && l[0] == next {
				lists[i] = l[1:]
			}
		}
	}
}

func inTail(lists [][]*Class, c *Class) bool {
	for _, l := range lists {
		for i, k := range l {
			if i > 0 && k == c {
				return true
			}
		}
	}
	return false
}

func (vm *VM) noOrder(lists [][]*Class) error {
	t := &vm.t
	var names []string
	seen := map[*Class]bool{}
	for _, l := range lists {
		if len(l) > 0 && !seen[l[0]] {
			seen[l[0]] = true
			names = append(names, l[0].name)
		}
	}
	return t.raise(t.types.TypeError, "Cannot create a consistent method resolution order (MRO) for bases %s", strings.Join(names, ", "))
}

// adopt gives the attributes of a new class their places: functions that are
// methods of the class by their name alone are wrapped.
func (vm *VM) adopt(c *Class) {
	t := &vm.t
	for _, w := range [...]struct {
		name string
		bind bool
	}{{"__new__", false}, {"__init_subclass__", true}, {"__class_getitem__", true}} {
		if v, ok := c.attrs.str(w.name); ok && v.k == kFunc {
			c.attrs.setStr(t, w.name, Value{k: kProp, o: &Wrapper{fn: v, bind: w.bind}})
		}
	}
	if _, ok := c.attrs.str("__eq__"); ok {
		if _, ok := c.attrs.str("__hash__"); !ok {
			c.attrs.setStr(t, "__hash__", none)
		}
	}
	_, own := c.attrs.str("__slots__")
	c.slotted = own && c.layout == kObject && !c.isExc
	for _, k := range c.mro[1:] {
		if !k.static && !k.slotted {
			c.slotted = false
		}
	}
}

// hasSlot reports whether __slots__ along the mro names an attribute.
func (c *Class) hasSlot(name string) bool {
	for _, k := range c.mro {
		v, ok := k.attrs.str("__slots__")
		if !ok {
			continue
		}
		switch o := v.o.(type) {
		case *Str:
			if o.s == name {
				return true
			}
		case *Tuple:
			if holdsName(o.items, name) {
				return true
			}
		case *List:
			if holdsName(o.items, name) {
				return true
			}
		case *Dict:
			if _, ok := o.str(name); ok {
				return true
			}
		}
	}
	return false
}

func holdsName(items []Value, name string) bool {
	for _, v := range items {
		if s, ok := v.o.(*Str); ok && (s.s == name || s.s == "__dict__") {
			return true
		}
	}
	return false
}

// announce tells the attributes of a new class their names, and its parents of the class.
func (vm *VM) announce(cv Value, def *classDef) error {
	t := &vm.t
	c := cv.o.(*Class)
	for i := 0; i < len(c.attrs.entries); i++ {
		e := c.attrs.entries[i]
		if e.val.k != kObject {
			continue
		}
		if fn, ok := t.lookupSpecial(e.val, "__set_name__"); ok {
			if _, err := t.Call(fn, []Value{cv, e.key}, nil, nil); err != nil {
				return err
			}
		}
	}
	for _, k := range c.mro[1:] {
		v, ok := k.attrs.str("__init_subclass__")
		if !ok {
			continue
		}
		w, ok := v.o.(*Wrapper)
		if !ok {
			break
		}
		_, err := t.Call(w.fn, []Value{cv}, def.names, def.named)
		return err
	}
	return nil
}

// traits says which hooks class c has.
func (t *Thread) traits(c *Class) traits {
	if c.static { // those are shared by all VMs, and have none of them
		return traitsKnown
	}
	if c.traits&traitsKnown != 0 && c.kinds == int(t.classVersion) {
		return c.traits
	}
	tr := traitsKnown
	for _, h := range [...]struct {
		name string
		t    traits
	}{{"__getattr__", hasGetattr}, {"__getattribute__", hasGetattribute}, {"__setattr__", hasSetattr}, {"__delattr__", hasDelattr}} {
		if _, owner, ok := c.lookup(h.name); ok && !owner.core {
			tr |= h.t
		}
	}
	c.traits, c.kinds = tr, int(t.classVersion)
	return tr
}

// maker is what a VM knows about the instances of one class.
type maker struct {
	ver   uint32 // VM.classVersion when it was learnt
	fixed int    // arguments that init takes, the object included, without any binding
	init  *Func
	attrs int // attributes that the last instance had when a new one was made
	last  *Instance
}

// learn notes how instances of c are made, when that is plain: object's __new__
// and an __init__ of the program.
func (vm *VM) learn(c *Class, init Value) {
	t := &vm.t
	fn, ok := init.o.(*Func)
	if !ok || init.l != 0 || fn.run == nil || fn.run.fixed < 1 {
		return
	}
	c.maker = &maker{ver: t.classVersion, fixed: fn.run.fixed, init: fn}
}

// newInstance makes an instance with room for as many attributes as the one before has.
func (vm *VM) newInstance(c *Class, m *maker) (Value, error) {
	t := &vm.t
	if m.last != nil {
		m.attrs = max(m.attrs, min(len(m.last.attrs.entries), smallDict))
	}
	if err := t.alloc(instanceBytes + int64(m.attrs)*entryBytes); err != nil {
		return Value{}, err
	}
	o := roomy(m.attrs)
	o.cls = c
	m.last = o
	return Value{k: kObject, o: o}, nil
}

// roomy makes an instance with room for n attributes, in one allocation when they are few.
func roomy(n int) *Instance {
	switch {
	case n == 0:
		return &Instance{}
	case n <= 2:
		o := &struct {
			Instance
			room [2]entry
		}{}
		o.attrs.entries = o.room[:0]
		return &o.Instance
	case n <= 4:
		o := &struct {
			Instance
			room [4]entry
		}{}
		o.attrs.entries = o.room[:0]
		return &o.Instance
	}
	o := &Instance{}
	o.attrs.entries = make([]entry, 0, n)
	return o
}
