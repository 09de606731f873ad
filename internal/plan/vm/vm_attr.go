package vm

// loadAttr replaces the object at the top by its attribute; the program's own
// code that belongs to it runs in a frame.
func (vm *VM) loadAttr(f *Frame, i int) error {
	t := &vm.t
	o := *f.at(1)
	name := f.code.sites[i]
	var tr traits
	if o.k == kObject || o.k == kClass && o.o.(*Class).meta != nil {
		cls := t.classOf(o)
		tr = t.traits(cls)
		if tr&hasGetattribute != 0 {
			fn, _, _ := cls.lookup("__getattribute__")
			f.sp--
			n := t.nameValue(name)
			if tr&hasGetattr != 0 {
				return vm.invoke(fn, o, []Value{n}, nil, nil, retAttr, t.tuple([]Value{o, n}))
			}
			return vm.invoke(fn, o, []Value{n}, nil, nil, retPush, Value{})
		}
	}
	a, ok := t.find(o, name)
	if !ok {
		if tr&hasGetattr != 0 {
			fn, _, _ := t.classOf(o).lookup("__getattr__")
			f.sp--
			fn.l = t.join(fn.l, o.l)
			return vm.invoke(fn, o, []Value{t.nameValue(name)}, nil, nil, retPush, Value{})
		}
		return t.noAttr(o, name)
	}
	if a.call && a.args != nil {
		f.sp--
		a.v.l = t.join(a.v.l, a.l)
		if tr&hasGetattr != 0 {
			return vm.invoke(a.v, Value{}, a.args, nil, nil, retAttr, t.tuple([]Value{o, t.nameValue(name)}))
		}
		return vm.invoke(a.v, Value{}, a.args, nil, nil, retPush, Value{})
	}
	vm.learnAttr(f, i, o, a)
	v, err := t.value(a, o, name)
	if err != nil {
		return err
	}
	f.st[f.sp-1] = v
	return nil
}

// learnAttr fills the cache of an attribute that is read.
func (vm *VM) learnAttr(f *Frame, i int, o Value, a attr) {
	s := &f.run.sites[i]
	name := f.code.sites[i]
	switch x := o.o.(type) {
	case *Instance:
		if a.own == nil && !a.call {
			if pos := x.attrs.place(name); pos >= 0 {
				*s = site{kind: siteSlot, cls: x.cls, ver: vm.t.classVersion, pos: int32(pos), key: x.attrs.entries[pos].key.o.(*Str)}
			}
		}
	case *Module:
		if pos := x.names.place(name); pos >= 0 {
			*s = site{kind: siteModule, mod: x, ver: x.names.version, pos: int32(pos)}
		}
	case *Class:
		if x.meta == nil && a.own != nil && a.self.k == kUnset && !a.call {
			if pos := a.own.attrs.place(name); pos >= 0 && a.own.attrs.entries[pos].val.k != kProp && a.own.attrs.entries[pos].val.k != kObject {
				*s = site{kind: siteClass, cls: x, own: a.own, ver: vm.t.classVersion, pos: int32(pos), key: a.own.attrs.entries[pos].key.o.(*Str)}
			}
		}
	}
}

// loadMethod is loadAttr for what is called next: it leaves out the making of a bound method.
func (vm *VM) loadMethod(f *Frame, i int) error {
	t := &vm.t
	o := *f.at(1)
	name := f.code.sites[i]
	var tr traits
	if o.k == kObject || o.k == kClass && o.o.(*Class).meta != nil {
		tr = t.traits(t.classOf(o))
	}
	if tr&hasGetattribute == 0 {
		if a, ok := t.find(o, name); ok && !a.call {
			vm.learnMethod(f, i, o, a)
			if a.self.k != kUnset {
				// Which method it is depends on what chose the object.
				f.st[f.sp-1] = a.v.with(t.join(a.v.l, o.l))
				f.put(a.self)
				return nil
			}
			f.st[f.sp-1] = a.v.with(t.join(a.v.l, a.l))
			f.put(Value{})
			return nil
		}
	}
	// What the program's own code gives is called as it is.
	v, err := t.getAttr(o, name)
	if err != nil {
		return err
	}
	f.st[f.sp-1] = v
	f.put(Value{})
	return nil
}

// learnMethod fills the cache of a method that is called.
func (vm *VM) learnMethod(f *Frame, i int, o Value, a attr) {
	s := &f.run.sites[i]
	name := f.code.sites[i]
	switch x := o.o.(type) {
	case *Instance:
		if a.own != nil && a.v.k == kFunc && a.self.k == kObject && a.v.l == 0 {
			*s = site{kind: siteMethod, cls: x.cls, ver: vm.t.classVersion, val: a.v, hash: hashStr(vm.t.intern(name))}
		}
		return
	case *Module:
		if pos := x.names.place(name); pos >= 0 {
			*s = site{kind: siteModule, mod: x, ver: x.names.version, pos: int32(pos)}
		}
		return
	}
	switch o.k {
	case kStr, kList, kDict, kTuple, kBytes, kInt, kFloat:
		if a.v.k == kNative && a.self.k == o.k {
			*s = site{kind: siteNative, of: o.k, val: a.v}
		}
	}
}

// loadSuper reads an attribute of super(cls, self).
func (vm *VM) loadSuper(f *Frame, in Instr) error {
	t := &vm.t
	name := f.code.names[in.arg()]
	self := f.take()
	cls := f.take()
	s, err := t.super(cls, self)
	if err != nil {
		return err
	}
	a, ok := t.findSuper(s, cls.l, name)
	if !ok {
		return t.noAttr(Value{k: kSpecial, o: s}, name)
	}
	if a.call && a.args != nil {
		if in.op() == opLoadSuperAttr {
			return vm.invoke(a.v, Value{}, a.args, nil, nil, retPush, Value{})
		}
		v, err := t.Call(a.v, a.args, nil, nil)
		if err != nil {
			return err
		}
		f.put(v)
		f.put(Value{})
		return nil
	}
	if in.op() == opLoadSuperMethod && a.self.k != kUnset {
		f.put(a.v)
		f.put(a.self)
		return nil
	}
	v, err := t.value(a, self, name)
	if err != nil {
		return err
	}
	f.put(v)
	if in.op() == opLoadSuperMethod {
		f.put(Value{})
	}
	return nil
}

// storeAttr carries out o.name = v; __setattr__ and setters run in a frame.
func (vm *VM) storeAttr(f *Frame, i int) error {
	t := &vm.t
	o := f.take()
	v := f.take()
	name := f.code.sites[i]
	if in, ok := o.o.(*Instance); ok && o.k == kObject {
		s := &f.run.sites[i]
		if s.kind == siteAdd && s.cls == in.cls && s.ver == t.classVersion && int(s.pos) == len(in.attrs.entries) && !in.attrs.may(s.hash) {
			if in.attrs.index == nil {
				return t.addAttr(in, s.key, v.with(t.join(v.l, o.l)))
			}
		}
		fn, self, args, err := t.setter(o, name, v)
		if err != nil {
			return err
		}
		if fn.k != kUnset {
			return vm.invoke(fn, self, args, nil, nil, retStore, Value{})
		}
		before := len(in.attrs.entries)
		pos := in.attrs.place(name)
		if err := t.setOwn(o, name, v); err != nil {
			return err
		}
		if pos >= 0 {
			*s = site{kind: siteSlot, cls: in.cls, ver: t.classVersion, pos: int32(pos), key: in.attrs.entries[pos].key.o.(*Str)}
		} else if !in.cls.slotted || in.cls.hasSlot(name) {
			key := t.intern(name)
			*s = site{kind: siteAdd, cls: in.cls, ver: t.classVersion, pos: int32(before), key: key, hash: hashStr(key)}
		}
		return nil
	}
	fn, self, args, err := t.setter(o, name, v)
	if err != nil {
		return err
	}
	if fn.k != kUnset {
		return vm.invoke(fn, self, args, nil, nil, retStore, Value{})
	}
	return t.setOwn(o, name, v)
}

// addAttr gives an instance an attribute that it does not have.
func (t *Thread) addAttr(in *Instance, name *Str, v Value) error {
	if len(in.attrs.entries) == cap(in.attrs.entries) {
		if err := t.alloc(int64(max(len(in.attrs.entries), 4)) * entryBytes); err != nil {
			return err
		}
		if in.attrs.entries == nil {
			in.attrs.entries = make([]entry, 0, 4)
		}
	}
	if t.pc != 0 {
		in.attrs.shape = t.join(in.attrs.shape, t.pc)
	}
	in.attrs.addName(name, t.under(v))
	return nil
}

// setter finds the program's code that o.name = v runs: fn is unset when there is none.
func (t *Thread) setter(o Value, name string, v Value) (fn, self Value, args []Value, err error) {
	if o.k != kObject && (o.k != kClass || o.o.(*Class).meta == nil) {
		return
	}
	cls := t.classOf(o)
	if t.traits(cls)&hasSetattr != 0 {
		fn, _, _ = cls.lookup("__setattr__")
		return fn, o, []Value{t.nameValue(name), v}, nil
	}
	fn, args, err = t.dataSetter(o, cls, name, v)
	return
}

// dataSetter finds the setter of a property, or the __set__ of a descriptor.
func (t *Thread) dataSetter(o Value, cls *Class, name string, v Value) (fn Value, args []Value, err error) {
	d, _, ok := cls.lookup(name)
	if !ok {
		return
	}
	switch d.k {
	case kProp:
		if p, is := d.o.(*Property); is {
			if p.set.k == kUnset || p.set.k == kNone {
				return fn, nil, t.raise(t.types.AttributeError, "property '%s' of '%s' object has no setter", name, cls.name)
			}
			return p.set, []Value{o, v}, nil
		}
	case kObject:
		if set, owner, is := t.classOf(d).lookup("__set__"); is && !owner.core {
			return set, []Value{d, o, v}, nil
		}
	}
	return
}

// setAttr sets an attribute.
func (t *Thread) setAttr(o Value, name string, v Value) error {
	fn, self, args, err := t.setter(o, name, v)
	if err != nil {
		return err
	}
	if fn.k != kUnset {
		if self.k != kUnset {
			args = append([]Value{self}, args...)
		}
		_, err := t.Call(fn, args, nil, nil)
		return err
	}
	return t.setOwn(o, name, v)
}

// setOwn sets an attribute of the object itself, without the program's code.
func (t *Thread) setOwn(o Value, name string, v Value) error {
	v = t.under(v)
	if o.l != 0 {
		v.l = t.join(v.l, o.l)
	}
	switch x := o.o.(type) {
	case *Exception:
		if done, err := t.setExceptionAttr(x, name, v); done {
			return err
		}
	case *Class:
		return t.setClassAttr(x, name, v)
	case *Module:
		if x.fixed {
			return t.raise(t.types.AttributeError, "cannot set '%s' of module '%s'", name, x.name)
		}
		if err := t.alloc(entryBytes); err != nil {
			return err
		}
		x.names.setName(t.intern(name), v)
		return nil
	case *Func:
		return t.setFuncAttr(x, name, v)
	case *Method:
		return t.raise(t.types.AttributeError, "'method' object has no attribute '%s'", name)
	}
	in := instance(o)
	if in == nil {
		if a, ok := t.find(o, name); ok && (a.own == nil || a.own.static) {
			return t.raise(t.types.AttributeError, "'%s' object attribute '%s' is read-only", t.className(o), name)
		}
		return t.withObject(t.raise(t.types.AttributeError,
			"'%s' object has no attribute '%s' and no __dict__ for setting new attributes", t.className(o), name), o, name)
	}
	if pos := in.attrs.place(name); pos >= 0 {
		in.attrs.entries[pos].val = v
		return nil
	}
	if name == "__class__" || name == "__dict__" {
		return t.raise(t.types.AttributeError, "cannot set '%s' in a plan", name)
	}
	if in.cls.slotted && !in.cls.hasSlot(name) {
		if _, _, ok := in.cls.lookup(name); ok {
			return t.raise(t.types.AttributeError, "'%s' object attribute '%s' is read-only", in.cls.name, name)
		}
		return t.withObject(t.raise(t.types.AttributeError,
			"'%s' object has no attribute '%s' and no __dict__ for setting new attributes", in.cls.shown(), name), o, name)
	}
	return t.addAttr(in, t.intern(name), v)
}

// setClassAttr sets an attribute of a class. Caches hold functions and
// descriptors alone, so that a counter in a class does not empty them.
func (t *Thread) setClassAttr(c *Class, name string, v Value) error {
	if c.static {
		return t.raise(t.types.TypeError, "cannot set '%s' attribute of immutable type '%s'", name, c.name)
	}
	if err := t.plainName(name, v); err != nil {
		return err
	}
	switch name {
	case "__name__":
		if s, ok := v.o.(*Str); ok {
			c.name = s.s
			return nil
		}
	case "__qualname__":
		if s, ok := v.o.(*Str); ok {
			c.qual = s.s
			return nil
		}
	case "__module__":
		if s, ok := v.o.(*Str); ok {
			c.module = s.s
			return nil
		}
	case "__bases__", "__class__", "__mro__", "__dict__":
		return t.raise(t.types.AttributeError, "cannot set '%s' of a class in a plan", name)
	}
	if pos := c.attrs.place(name); pos >= 0 {
		old := &c.attrs.entries[pos].val
		if !plainAttr(*old) || !plainAttr(v) {
			t.classVersion++
		}
		*old = v
		return nil
	}
	if err := t.alloc(entryBytes); err != nil {
		return err
	}
	c.attrs.addName(t.intern(name), v)
	t.classVersion++
	return nil
}

// plainAttr reports whether a class attribute is a value like any other.
func plainAttr(v Value) bool {
	switch v.k {
	case kFunc, kNative, kProp, kObject, kClass:
		return false
	}
	return true
}

// plainName refuses a labelled text as the name of a class or of a function:
// names are shown in errors and representations, and carry no labels there.
func (t *Thread) plainName(attr string, v Value) error {
	switch attr {
	case "__name__", "__qualname__", "__module__":
		if t.join(v.l, t.sticky) != t.sticky {
			return t.raise(t.types.TypeError, "cannot set %s to a text that depends on data", attr)
		}
	}
	return nil
}

func (t *Thread) setFuncAttr(fn *Func, name string, v Value) error {
	if err := t.plainName(name, v); err != nil {
		return err
	}
	s, isStr := v.o.(*Str)
	switch name {
	case "__name__":
		if !isStr {
			return t.raise(t.types.TypeError, "__name__ must be set to a string object")
		}
		fn.name = s.s
		return nil
	case "__qualname__":
		if !isStr {
			return t.raise(t.types.TypeError, "__qualname__ must be set to a string object")
		}
		fn.qual = s.s
		return nil
	case "__doc__":
		fn.doc = v
		return nil
	case "__code__", "__closure__", "__globals__", "__defaults__", "__kwdefaults__":
		return t.raise(t.types.AttributeError, "cannot set '%s' of a function in a plan", name)
	}
	if fn.attrs == nil {
		fn.attrs = &Dict{}
	}
	if err := t.alloc(entryBytes); err != nil {
		return err
	}
	fn.attrs.setName(t.intern(name), v)
	return nil
}

// delAttr deletes an attribute.
func (t *Thread) delAttr(o Value, name string) error {
	cls := t.classOf(o)
	if o.k == kObject || o.k == kClass && o.o.(*Class).meta != nil {
		if t.traits(cls)&hasDelattr != 0 {
			fn, _, _ := cls.lookup("__delattr__")
			_, err := t.Call(fn, []Value{o, t.str(name)}, nil, nil)
			return err
		}
		if d, _, ok := cls.lookup(name); ok {
			if p, is := d.o.(*Property); is {
				if p.del.k == kUnset || p.del.k == kNone {
					return t.raise(t.types.AttributeError, "property '%s' of '%s' object has no deleter", name, cls.name)
				}
				_, err := t.Call(p.del, []Value{o}, nil, nil)
				return err
			}
			if del, owner, is := t.classOf(d).lookup("__delete__"); d.k == kObject && is && !owner.core {
				_, err := t.Call(del, []Value{d, o}, nil, nil)
				return err
			}
		}
	}
	return t.delOwn(o, name)
}

// delOwn deletes an attribute of the object itself.
func (t *Thread) delOwn(o Value, name string) error {
	switch x := o.o.(type) {
	case *Class:
		if x.static {
			return t.raise(t.types.TypeError, "cannot set '%s' attribute of immutable type '%s'", name, x.name)
		}
		if x.attrs.delStr(name) {
			t.classVersion++
			return nil
		}
		return t.noAttr(o, name)
	case *Module:
		if !x.fixed && x.names.delStr(name) {
			return nil
		}
	case *Func:
		if x.attrs != nil && x.attrs.delStr(name) {
			return nil
		}
	}
	if in := instance(o); in != nil && in.attrs.delStr(name) {
		return nil
	}
	return t.noAttr(o, name)
}
