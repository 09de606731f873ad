package value

// AddAttr gives an instance an attribute that it does not have.
func (t *Thread) AddAttr(in *Instance, name *Str, v Value) error {
	if len(in.Attrs.Entries) == cap(in.Attrs.Entries) {
		if err := t.Alloc(int64(max(len(in.Attrs.Entries), 4)) * EntryBytes); err != nil {
			return err
		}
		if in.Attrs.Entries == nil {
			in.Attrs.Entries = make([]Entry, 0, 4)
		}
	}
	if t.PC != 0 {
		in.Attrs.Shape = t.Join(in.Attrs.Shape, t.PC)
	}
	in.Attrs.AddName(name, t.Under(v))
	return nil
}

// Setter finds the program's code that o.name = v runs: fn is unset when there is none.
func (t *Thread) Setter(o Value, name string, v Value) (fn, self Value, args []Value, err error) {
	t.hook(o)
	if o.Kind != KObject && (o.Kind != KClass || o.Obj.(*Class).Meta == nil) {
		return
	}
	cls := t.ClassOf(o)
	if t.Traits(cls)&HasSetattr != 0 {
		fn, _, _ = cls.Lookup("__setattr__")
		self, args = o, []Value{t.NameValue(name), v}
	} else if fn, err = t.DataSetter(cls, name); fn.Kind != KUnset {
		self, args = o, []Value{v}
	}
	if fn.Kind != KUnset {
		fn.Label = t.Join(fn.Label, o.Label) // the object says whose code it is
		t.Touch(o, name)                     // that of another may set the attribute
	}
	return
}

// DataSetter finds the setter of a property: a function of the object and the value.
func (t *Thread) DataSetter(cls *Class, name string) (fn Value, err error) {
	d, _, ok := cls.Lookup(name)
	if !ok {
		return
	}
	if p, is := d.Obj.(*Property); is {
		if p.Set.Kind == KUnset || p.Set.Kind == KNone {
			return fn, t.Raise(t.Types.AttributeError, "property '%s' of '%s' object has no setter", name, cls.Name)
		}
		return p.Set, nil
	}
	return
}

// SetAttr sets an attribute.
func (t *Thread) SetAttr(o Value, name string, v Value) error {
	fn, self, args, err := t.Setter(o, name, v)
	if err != nil {
		return err
	}
	if fn.Kind != KUnset {
		_, err := t.CallSelf(fn, self, args)
		return err
	}
	return t.SetOwn(o, name, v)
}

// SetOwn sets an attribute of the object itself, without the program's code.
func (t *Thread) SetOwn(o Value, name string, v Value) error {
	v = t.Under(v)
	if o.Label != 0 {
		t.changes(o, name)
		v.Label = t.Join(v.Label, o.Label)
	}
	switch x := o.Obj.(type) {
	case *Exception:
		if done, err := t.setExceptionAttr(x, name, v); done {
			return err
		}
	case *Class:
		return t.setClassAttr(x, name, v)
	case *Module:
		if x.Fixed {
			return t.Raise(t.Types.AttributeError, "cannot set '%s' of module '%s'", name, x.Name)
		}
		if err := t.Alloc(EntryBytes); err != nil {
			return err
		}
		x.Names.SetName(t.Intern(name), v)
		return nil
	case *Func:
		return t.setFuncAttr(x, name, v)
	case *Method:
		return t.Raise(t.Types.AttributeError, "'method' object has no attribute '%s'", name)
	}
	in := InstanceOf(o)
	if in == nil {
		if a, ok := t.Find(o, name); ok && (a.Own == nil || a.Own.Static) {
			return t.Raise(t.Types.AttributeError, "'%s' object attribute '%s' is read-only", t.ClassName(o), name)
		}
		return t.withObject(t.Raise(t.Types.AttributeError,
			"'%s' object has no attribute '%s' and no __dict__ for setting new attributes", t.ClassName(o), name), o, name)
	}
	if pos := in.Attrs.Place(name); pos >= 0 {
		in.Attrs.Entries[pos].Val = v
		return nil
	}
	if name == "__class__" || name == "__dict__" {
		return t.Raise(t.Types.AttributeError, "cannot set '%s' in a plan", name)
	}
	in.Attrs.Shape = t.Join(in.Attrs.Shape, o.Label)
	return t.AddAttr(in, t.Intern(name), v)
}

// setClassAttr sets an attribute of a class. Caches hold functions and
// descriptors alone, so that a counter in a class does not empty them.
func (t *Thread) setClassAttr(c *Class, name string, v Value) error {
	if c.Static {
		return t.Raise(t.Types.TypeError, "cannot set '%s' attribute of immutable type '%s'", name, c.Name)
	}
	if err := t.plainName(name, v); err != nil {
		return err
	}
	if Hook(name) {
		return t.Raise(t.Types.AttributeError, "cannot set '%s' of a class in a plan", name)
	}
	text, isStr := v.Obj.(*Str)
	switch {
	case name == "__name__" && isStr:
		c.Name = text.Text
		return nil
	case name == "__qualname__" && isStr:
		c.Qual = text.Text
		return nil
	case name == "__module__" && isStr:
		c.Module = text.Text
		return nil
	case name == "__bases__", name == "__class__", name == "__mro__", name == "__dict__":
		return t.Raise(t.Types.AttributeError, "cannot set '%s' of a class in a plan", name)
	}
	if pos := c.Attrs.Place(name); pos >= 0 {
		old := &c.Attrs.Entries[pos].Val
		if !plainAttr(*old) || !plainAttr(v) {
			t.ClassVersion++
		}
		*old = v
		return nil
	}
	if err := t.Alloc(EntryBytes); err != nil {
		return err
	}
	c.Attrs.AddName(t.Intern(name), v)
	t.ClassVersion++
	return nil
}

// Hook says whether a name is a method that is called for classes of the library
// alone: programs define no such method, and computed names do not make one.
func Hook(name string) bool {
	switch name {
	case "__get__", "__set_name__", "__class_getitem__", "__instancecheck__", "__subclasscheck__":
		return true
	}
	return false
}

// plainAttr reports whether a class attribute is a value like any other.
func plainAttr(v Value) bool {
	switch v.Kind {
	case KFunc, KNative, KProp, KObject, KClass:
		return false
	}
	return true
}

// plainName refuses a labelled text as the name of a class or of a function:
// names are shown in errors and representations, and have no labels there.
func (t *Thread) plainName(attr string, v Value) error {
	switch attr {
	case "__name__", "__qualname__", "__module__":
		if t.Join(v.Label, t.Sticky) != t.Sticky {
			return t.Raise(t.Types.TypeError, "cannot set %s to a text that depends on data", attr)
		}
	}
	return nil
}

func (t *Thread) setFuncAttr(fn *Func, name string, v Value) error {
	if err := t.plainName(name, v); err != nil {
		return err
	}
	s, isStr := v.Obj.(*Str)
	switch {
	case name == "__name__" && isStr:
		fn.Name = s.Text
		return nil
	case name == "__qualname__" && isStr:
		fn.Qual = s.Text
		return nil
	case name == "__doc__":
		fn.Doc = v
		return nil
	}
	if fn.Attrs == nil {
		fn.Attrs = &Dict{}
	}
	if err := t.Alloc(EntryBytes); err != nil {
		return err
	}
	fn.Attrs.SetName(t.Intern(name), v)
	return nil
}

// DelAttr deletes an attribute.
func (t *Thread) DelAttr(o Value, name string) error {
	t.hook(o)
	cls := t.ClassOf(o)
	if o.Kind == KObject || o.Kind == KClass && o.Obj.(*Class).Meta != nil {
		if t.Traits(cls)&HasDelattr != 0 {
			fn, _, _ := cls.Lookup("__delattr__")
			_, err := t.Call(fn, []Value{o, t.Str(name)}, nil, nil)
			return err
		}
		if d, _, ok := cls.Lookup(name); ok {
			if p, is := d.Obj.(*Property); is {
				if p.Del.Kind == KUnset || p.Del.Kind == KNone {
					return t.Raise(t.Types.AttributeError, "property '%s' of '%s' object has no deleter", name, cls.Name)
				}
				_, err := t.Call(p.Del, []Value{o}, nil, nil)
				return err
			}
		}
	}
	return t.DelOwn(o, name)
}

// DelOwn deletes an attribute of the object itself.
func (t *Thread) DelOwn(o Value, name string) error {
	t.changes(o, name)
	if in := InstanceOf(o); in != nil {
		t.Mark(&in.Attrs.Shape, o.Label)
	}
	switch x := o.Obj.(type) {
	case *Class:
		if x.Static {
			return t.Raise(t.Types.TypeError, "cannot set '%s' attribute of immutable type '%s'", name, x.Name)
		}
		if x.Attrs.DelStr(name) {
			t.ClassVersion++
			return nil
		}
		return t.NoAttr(o, name)
	case *Module:
		if !x.Fixed && x.Names.DelStr(name) {
			return nil
		}
	case *Func:
		if x.Attrs != nil && x.Attrs.DelStr(name) {
			return nil
		}
	}
	if in := InstanceOf(o); in != nil && in.Attrs.DelStr(name) {
		return nil
	}
	return t.NoAttr(o, name)
}
