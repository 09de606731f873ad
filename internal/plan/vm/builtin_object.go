package vm

import "praxis/internal/plan/label"

// objectBuiltins are the built-in functions about objects and their attributes.
func objectBuiltins() []*Native {
	return []*Native{
		{name: "isinstance", params: "obj, class_or_tuple, /", call: builtinIsInstance},
		{name: "issubclass", params: "cls, class_or_tuple, /", call: builtinIsSubclass},
		{name: "callable", params: "obj, /", call: func(t *Thread, a *Args) (Value, error) {
			return boolValue(t.callable(a.Pos[0])), nil
		}},
		{name: "getattr", params: "object, name, default=None, /", call: builtinGetAttr, precise: true},
		{name: "hasattr", params: "obj, name, /", call: builtinHasAttr},
		{name: "setattr", params: "obj, name, value, /", call: builtinSetAttr, precise: true},
		{name: "delattr", params: "obj, name, /", call: builtinDelAttr, precise: true},
		{name: "vars", params: "object, /", call: builtinVars, precise: true},
		{name: "dir", params: "object, /", call: builtinDir},
	}
}

func builtinIsInstance(t *Thread, a *Args) (Value, error) {
	ok, err := t.isAny(a.Pos[0], a.Pos[1], 0)
	return boolValue(ok), err
}

// isAny reports whether v is an instance of a class, or of one in a tuple of them.
func (t *Thread) isAny(v, of Value, depth int) (bool, error) {
	t.see(of.l)
	switch o := of.o.(type) {
	case *Class:
		if o.meta != nil {
			if fn, owner, ok := o.meta.lookup("__instancecheck__"); ok && !owner.core {
				r, err := t.Call(fn, []Value{of, v}, nil, nil)
				if err != nil {
					return false, err
				}
				return t.truth(r)
			}
		}
		return t.isInstance(v, o), nil
	case *Tuple:
		if depth > 100 {
			return false, t.raise(t.types.RecursionError, "maximum recursion depth exceeded in __instancecheck__")
		}
		for _, c := range o.items {
			if ok, err := t.isAny(v, c, depth+1); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}
	if of.k == kNone && depth > 0 {
		return v.k == kNone, nil
	}
	if fn, ok := t.override(of, "__instancecheck__"); ok && fn.k != kNone {
		r, _, err := t.callSpecial(of, "__instancecheck__", v)
		if err != nil {
			return false, err
		}
		return t.truth(r)
	}
	return false, t.raise(t.types.TypeError, "isinstance() arg 2 must be a type, a tuple of types, or a union")
}

func builtinIsSubclass(t *Thread, a *Args) (Value, error) {
	c, ok := a.Pos[0].o.(*Class)
	if !ok {
		return Value{}, t.raise(t.types.TypeError, "issubclass() arg 1 must be a class")
	}
	is, err := t.derivesAny(c, a.Pos[1], 0)
	return boolValue(is), err
}

func (t *Thread) derivesAny(c *Class, of Value, depth int) (bool, error) {
	t.see(of.l)
	switch o := of.o.(type) {
	case *Class:
		if o.meta != nil {
			if fn, owner, ok := o.meta.lookup("__subclasscheck__"); ok && !owner.core {
				r, err := t.Call(fn, []Value{of, classValue(c)}, nil, nil)
				if err != nil {
					return false, err
				}
				return t.truth(r)
			}
		}
		return c.derives(o), nil
	case *Tuple:
		if depth > 100 {
			return false, t.raise(t.types.RecursionError, "maximum recursion depth exceeded in __subclasscheck__")
		}
		for _, x := range o.items {
			if ok, err := t.derivesAny(c, x, depth+1); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}
	if fn, ok := t.override(of, "__subclasscheck__"); ok && fn.k != kNone {
		r, _, err := t.callSpecial(of, "__subclasscheck__", classValue(c))
		if err != nil {
			return false, err
		}
		return t.truth(r)
	}
	return false, t.raise(t.types.TypeError, "issubclass() arg 2 must be a class, a tuple of classes, or a union")
}

// callable reports whether v can be called.
func (t *Thread) callable(v Value) bool {
	switch v.k {
	case kFunc, kNative, kMethod, kClass, kTool:
		return true
	case kObject, kSpecial:
		_, _, ok := t.classOf(v).lookup("__call__")
		return ok
	case kProp:
		w, ok := v.o.(*Wrapper)
		return ok && !w.bind
	}
	return false
}

// attrName reads the argument that names an attribute.
func (t *Thread) attrName(fn string, v Value) (string, error) {
	s, ok := t.payload(v, kStr)
	if !ok {
		return "", t.failOf(v, t.types.TypeError, "attribute name must be string, not '%s'", t.className(v))
	}
	return s.o.(*Str).s, nil
}

func builtinGetAttr(t *Thread, a *Args) (Value, error) {
	o, other := a.Pos[0], a.Pos[2]
	name, err := t.attrName("getattr", a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	l := a.Pos[1].l
	if t.plainlyRead(o) {
		at, ok := t.find(o, name)
		switch {
		case ok && at.call && at.args != nil && other.k == kUnset:
			t.tail.l = 0
			return t.tailCall(at.v.with(t.join(at.v.l, t.join(at.l, l))), at.args, nil, nil)
		case !ok && other.k != kUnset:
			return other.with(t.join(other.l, t.join(l, o.l))), nil
		}
	} else if other.k != kUnset {
		return t.tailBuiltin("_attr_or", o, a.Pos[1], other)
	}
	v, err := t.getAttr(o, name)
	if err == nil {
		return v.with(t.join(v.l, l)), nil
	}
	r, is := err.(*Raise)
	if is {
		r.l = t.join(r.l, l)
	}
	if is && other.k != kUnset && r.exc.cls.derives(t.types.AttributeError) {
		return other.with(t.join(other.l, t.join(r.l, o.l))), nil
	}
	return Value{}, err
}

// plainlyRead reports whether the program has no say in what o's attributes are, but for properties.
func (t *Thread) plainlyRead(o Value) bool {
	if o.k != kObject && !(o.k == kClass && o.o.(*Class).meta != nil) {
		return true
	}
	return t.traits(t.classOf(o))&(hasGetattr|hasGetattribute) == 0
}

// tailBuiltin goes on with a function of the library's module of built-in functions.
func (t *Thread) tailBuiltin(name string, args ...Value) (Value, error) {
	fn, err := t.builtin(name)
	if err != nil {
		return Value{}, err
	}
	return t.tailCall(fn, args, nil, nil)
}

func builtinHasAttr(t *Thread, a *Args) (Value, error) {
	name, err := t.attrName("hasattr", a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	if !t.plainlyRead(a.Pos[0]) {
		return t.tailBuiltin("_has_attr", a.Pos[0], a.Pos[1])
	}
	at, ok := t.find(a.Pos[0], name)
	if ok && at.call {
		return t.tailBuiltin("_has_attr", a.Pos[0], a.Pos[1])
	}
	return boolValue(ok), nil
}

func builtinSetAttr(t *Thread, a *Args) (Value, error) {
	name, err := t.attrName("setattr", a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	v := a.Pos[2]
	l := a.Pos[1].l
	err = t.setAttr(a.Pos[0], name, t.under(v.with(t.join(v.l, l))))
	if in := instance(a.Pos[0]); err == nil && in != nil && l != 0 {
		// Which attributes there are is told by vars and dir.
		in.attrs.shape = t.join(in.attrs.shape, l)
		if at := in.attrs.place(name); at >= 0 {
			in.attrs.entries[at].key.l = t.join(in.attrs.entries[at].key.l, l)
		}
	}
	return none, err
}

func builtinDelAttr(t *Thread, a *Args) (Value, error) {
	name, err := t.attrName("delattr", a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	return none, t.delAttr(a.Pos[0], name)
}

func builtinVars(t *Thread, a *Args) (Value, error) {
	v, err := t.getAttr(a.Pos[0], "__dict__")
	if r, ok := err.(*Raise); ok && r.exc.cls.derives(t.types.AttributeError) {
		return Value{}, t.failOf(a.Pos[0], t.types.TypeError, "vars() argument must have __dict__ attribute")
	}
	return v, err
}

// builtinDir lists the names of an object's attributes that do not begin with
// two underscores, and those that do where the program made them.
func builtinDir(t *Thread, a *Args) (Value, error) {
	o := a.Pos[0]
	if fn, ok := t.override(o, "__dir__"); ok && fn.k != kNone {
		r, _, err := t.callSpecial(o, "__dir__")
		if err != nil {
			return Value{}, err
		}
		return t.sortedList(r)
	}
	names := map[string]label.ID{}
	add := func(d *Dict) {
		for i := range d.entries {
			if e := &d.entries[i]; e.key.k == kStr {
				names[e.key.o.(*Str).s] = e.key.l
			}
		}
	}
	switch x := o.o.(type) {
	case *Module:
		add(&x.names)
	case *Class:
		for _, c := range x.mro {
			add(&c.attrs)
		}
	default:
		if i := instance(o); i != nil {
			add(&i.attrs)
		}
		for _, c := range t.classOf(o).mro {
			add(&c.attrs)
		}
	}
	if err := t.alloc(int64(len(names)) * (valueBytes + strBytes)); err != nil {
		return Value{}, err
	}
	out := make([]Value, 0, len(names))
	for name, l := range names {
		t.see(l)
		out = append(out, t.nameValue(name))
	}
	return t.sortedList(t.list(out))
}

// sortedList is a sorted list of the elements of v.
func (t *Thread) sortedList(v Value) (Value, error) {
	items, err := t.collect(v)
	if err != nil {
		return Value{}, err
	}
	return t.list(items), t.sortValues(items, nil, false)
}
