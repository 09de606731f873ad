package vm

import (
	"strings"

	"praxis/internal/plan/label"
)

// site is what a VM has learnt at one place of a code that names something.
type site struct {
	kind siteKind
	of   Kind   // siteNative: the kind of the object
	pos  int32  // place among the entries of a dict
	ver  uint32 // version of the dict, or of all classes
	hash uint64 // of the name
	cls  *Class // of the object; siteClass: the class itself
	own  *Class // siteClass: the class that has the attribute
	mod  *Module
	key  *Str
	val  Value
}

// siteKind says what has been learnt.
type siteKind uint8

const (
	siteNone    siteKind = iota
	siteGlobal           // a global at pos
	siteBuiltin          // a built-in name: val
	siteSlot             // an attribute that instances of cls have at pos
	siteAdd              // an attribute that new instances of cls get at pos
	siteMethod           // the function val of class cls
	siteNative           // the native val of values of a kind
	siteModule           // a name of module mod at pos
	siteClass            // a plain attribute of class cls, of own at pos
)

// may reports whether the name space may have a name with this hash.
func (d *Dict) may(hash uint64) bool {
	if d.index != nil {
		return true
	}
	for i := range d.entries {
		if d.entries[i].hash == hash {
			return true
		}
	}
	return false
}

// attr is what was found under a name.
type attr struct {
	v    Value
	self Value    // when set: v is a function that is to be bound to it
	call bool     // the attribute is what v(args…) gives
	args []Value  //
	l    label.ID // what the object depends on
	own  *Class   // the class that had it; nil: the object itself
}

// find looks up an attribute of any value. It does not call the program.
func (t *Thread) find(o Value, name string) (attr, bool) {
	switch o.k {
	case kObject:
		return t.findInstance(o, name)
	case kClass:
		return t.findClass(o, name)
	case kModule:
		if m := o.o.(*Module); m.shows(name) {
			if v, ok := m.names.str(name); ok {
				return attr{v: v, l: o.l}, true
			}
		}
	case kFunc:
		if v, ok := t.funcAttr(o.o.(*Func), name); ok {
			return attr{v: v, l: o.l}, true
		}
	case kMethod:
		m := o.o.(*Method)
		switch name {
		case "__self__":
			return attr{v: m.self, l: o.l}, true
		case "__func__":
			return attr{v: m.fn, l: o.l}, true
		}
		if a, ok := t.find(m.fn, name); ok && a.self.k == kUnset {
			a.l = t.join(a.l, o.l)
			return a, true
		}
	case kNative:
		n := o.o.(*Native)
		switch name {
		case "__name__":
			return attr{v: t.str(n.short()), l: o.l}, true
		case "__qualname__":
			return attr{v: t.str(n.name), l: o.l}, true
		case "__doc__":
			return attr{v: none}, true
		}
	case kProp:
		if v, ok := propAttr(o.o, name); ok {
			return attr{v: v, l: o.l}, true
		}
	case kSpecial:
		if s, ok := o.o.(*Super); ok {
			return t.findSuper(s, o.l, name)
		}
		if h, ok := o.o.(holder); ok {
			if v, ok := h.attr(t, name); ok {
				return attr{v: v, l: o.l}, true
			}
		}
	case kGen:
		if v, ok := o.o.(holder).attr(t, name); ok {
			return attr{v: v, l: o.l}, true
		}
	}
	cls := t.classOf(o)
	if v, owner, ok := cls.lookup(name); ok {
		return t.bound(v, owner, o, cls), true
	}
	if v, ok := t.dataAttr(o, name); ok {
		return attr{v: v}, true
	}
	return t.findCommon(o, name)
}

// holder is an object that has attributes beside the methods of its class: all
// generators, and special objects that implement it.
type holder interface {
	attr(t *Thread, name string) (Value, bool)
}

// findCommon are the attributes that every object has.
func (t *Thread) findCommon(o Value, name string) (attr, bool) {
	switch name {
	case "__class__":
		return attr{v: classValue(t.classOf(o)), l: o.l}, true
	case "__doc__":
		return attr{v: none, l: o.l}, true
	case "__dict__":
		if i := instance(o); i != nil && !i.cls.slotted {
			return attr{v: t.attrsDict(&i.attrs), l: o.l}, true
		}
		if m, ok := o.o.(*Module); ok {
			return attr{v: t.moduleDict(m), l: o.l}, true
		}
	}
	return attr{}, false
}

// attrsDict is a copy of a name space: the program changes attributes by their names.
func (t *Thread) attrsDict(ns *Dict) Value {
	d := &Dict{}
	for i := range ns.entries {
		if e := &ns.entries[i]; e.key.k == kStr {
			d.setName(e.key.o.(*Str), e.val)
			d.entries[len(d.entries)-1].key.l = e.key.l
		}
	}
	d.shape = t.join(ns.shape, t.pc)
	return Value{k: kDict, o: d}
}

// shows reports whether a name of a module is for others: those of library
// modules that begin with an underscore are not.
func (m *Module) shows(name string) bool {
	return len(name) == 0 || name[0] != '_' || m.tools || m.name == "__main__" || !reflective(name) && strings.HasPrefix(name, "__")
}

// moduleDict is a copy of the names that a module shows.
func (t *Thread) moduleDict(m *Module) Value {
	d := &Dict{}
	for i := range m.names.entries {
		if e := &m.names.entries[i]; e.key.k == kStr && m.shows(e.key.o.(*Str).s) {
			d.setName(e.key.o.(*Str), e.val)
		}
	}
	return Value{k: kDict, o: d}
}

// isData reports whether a class attribute goes before the instance's own.
func (t *Thread) isData(v Value) bool {
	switch v.k {
	case kProp:
		_, ok := v.o.(*Property)
		return ok
	case kObject:
		c := t.classOf(v)
		if _, owner, ok := c.lookup("__set__"); ok && !owner.core {
			return true
		}
		_, owner, ok := c.lookup("__delete__")
		return ok && !owner.core
	}
	return false
}

func (t *Thread) findInstance(o Value, name string) (attr, bool) {
	cls := t.classOf(o)
	in := instance(o)
	v, owner, ok := cls.lookup(name)
	if ok && t.isData(v) {
		return t.bound(v, owner, o, cls), true
	}
	if own, has := in.attrs.str(name); has {
		return attr{v: own, l: o.l}, true
	}
	if _, is := o.o.(*Exception); is && (!ok || owner.static) {
		if v, has := t.dataAttr(o, name); has {
			return attr{v: v}, true
		}
	}
	if ok {
		return t.bound(v, owner, o, cls), true
	}
	if v, has := t.dataAttr(o, name); has {
		return attr{v: v}, true
	}
	return t.findCommon(o, name)
}

// bound is a class attribute v of owner as it is read through an instance of cls.
func (t *Thread) bound(v Value, owner *Class, self Value, cls *Class) attr {
	switch v.k {
	case kFunc:
		return attr{v: v, self: self, own: owner}
	case kNative:
		if !owner.static || v.o.(*Native).name == owner.name+".__new__" {
			return attr{v: v, l: self.l, own: owner}
		}
		if owner.layout != kObject && self.k == kObject {
			self = t.base(self)
		}
		return attr{v: v, self: self, own: owner}
	case kProp:
		switch p := v.o.(type) {
		case *Property:
			if p.get.k == kUnset || p.get.k == kNone {
				return attr{v: v, call: true, own: owner}
			}
			return attr{v: p.get, call: true, args: []Value{self}, l: self.l, own: owner}
		case *Wrapper:
			if p.bind {
				return attr{v: p.fn, self: classValue(cls).with(self.l), own: owner}
			}
			return attr{v: p.fn, l: self.l, own: owner}
		}
	case kObject:
		if get, gowner, ok := t.classOf(v).lookup("__get__"); ok && !gowner.core {
			return attr{v: get, call: true, args: []Value{v, self, classValue(cls)}, l: self.l, own: owner}
		}
	}
	return attr{v: v, l: self.l, own: owner}
}

func (t *Thread) findClass(o Value, name string) (attr, bool) {
	c := o.o.(*Class)
	meta := c.class(t)
	mv, mowner, mok := Value{}, (*Class)(nil), false
	if c.meta != nil {
		if mv, mowner, mok = meta.lookup(name); mok && t.isData(mv) {
			return t.bound(mv, mowner, o, meta), true
		}
	}
	if v, ok := t.classAttr(c, name); ok {
		return attr{v: v, l: o.l}, true
	}
	if v, owner, ok := c.lookup(name); ok && !(mok && owner.static && !mowner.static) {
		switch v.k {
		case kProp:
			if w, is := v.o.(*Wrapper); is {
				if w.bind {
					return attr{v: w.fn, self: o, own: owner}, true
				}
				return attr{v: w.fn, l: o.l, own: owner}, true
			}
		case kObject:
			if get, gowner, is := t.classOf(v).lookup("__get__"); is && !gowner.core {
				return attr{v: get, call: true, args: []Value{v, none, o}, l: o.l, own: owner}, true
			}
		}
		return attr{v: v, l: o.l, own: owner}, true
	}
	if c.meta == nil {
		mv, mowner, mok = meta.lookup(name)
	}
	if mok {
		return t.bound(mv, mowner, o, meta), true
	}
	return t.findCommon(o, name)
}

// classAttr are the attributes that every class has.
func (t *Thread) classAttr(c *Class, name string) (Value, bool) {
	if len(name) < 7 || name[0] != '_' || name[1] != '_' {
		return Value{}, false
	}
	switch name {
	case "__name__":
		return t.str(c.name), true
	case "__qualname__":
		return t.str(c.qual), true
	case "__module__":
		return t.str(c.module), true
	case "__doc__":
		if v, ok := c.attrs.str(name); ok {
			return v, true
		}
		return none, true
	case "__mro__":
		return t.tuple(classValues(c.mro)), true
	case "__bases__":
		return t.tuple(classValues(c.bases)), true
	case "__base__":
		if len(c.bases) == 0 {
			return none, true
		}
		return classValue(c.bases[0]), true
	case "__dict__":
		return t.attrsDict(&c.attrs), true
	case "__annotations__":
		if v, ok := c.attrs.str(name); ok {
			return v, true
		}
		return t.newDict(), true
	}
	return Value{}, false
}

// classValues returns classes as values.
func classValues(cs []*Class) []Value {
	out := make([]Value, len(cs))
	for i, c := range cs {
		out[i] = classValue(c)
	}
	return out
}

// funcAttr are the attributes of a function.
func (t *Thread) funcAttr(fn *Func, name string) (Value, bool) {
	if fn.attrs != nil {
		if v, ok := fn.attrs.str(name); ok {
			return v, true
		}
	}
	switch name {
	case "__name__":
		return t.str(fn.name), true
	case "__qualname__":
		return t.str(fn.qual), true
	case "__doc__":
		if fn.doc.k == kUnset {
			return none, true
		}
		return fn.doc, true
	case "__module__":
		return t.str(fn.globals.name), true
	case "__defaults__":
		if len(fn.defaults) == 0 {
			return none, true
		}
		return t.tuple(append([]Value(nil), fn.defaults...)), true
	case "__kwdefaults__":
		if len(fn.kw) == 0 {
			return none, true
		}
		d := &Dict{}
		c := fn.code
		for i := c.posOnly + c.pos; i < c.posOnly+c.pos+c.kwOnly; i++ {
			if v, ok := fn.kw[c.slots[i]]; ok {
				d.setStr(t, c.slots[i], v)
			}
		}
		return Value{k: kDict, o: d}, true
	case "__annotations__":
		d := &Dict{}
		for _, n := range fn.code.notes {
			d.setStr(t, n.name, t.str(n.text))
		}
		return Value{k: kDict, o: d}, true
	case "__dict__":
		if fn.attrs == nil {
			return t.newDict(), true
		}
		return t.attrsDict(fn.attrs), true
	}
	return Value{}, false
}

func propAttr(o Object, name string) (Value, bool) {
	switch p := o.(type) {
	case *Property:
		switch name {
		case "fget":
			return orNone(p.get), true
		case "fset":
			return orNone(p.set), true
		case "fdel":
			return orNone(p.del), true
		case "__doc__":
			return orNone(p.doc), true
		}
	case *Wrapper:
		switch name {
		case "__func__", "__wrapped__":
			return p.fn, true
		case "__name__", "__qualname__", "__doc__":
			if fn, ok := p.fn.o.(*Func); ok {
				return (*Thread)(nil).funcName(fn, name), true
			}
		}
	}
	return Value{}, false
}

// funcName is the part of a function's attributes that a wrapper of it shows, too.
func (t *Thread) funcName(fn *Func, name string) Value {
	switch name {
	case "__name__":
		return Value{k: kStr, o: &Str{s: fn.name}}
	case "__qualname__":
		return Value{k: kStr, o: &Str{s: fn.qual}}
	}
	return orNone(fn.doc)
}

func orNone(v Value) Value {
	if v.k == kUnset {
		return none
	}
	return v
}

// Super is what super() gives: the attributes of obj behind cls in the mro.
type Super struct {
	cls  *Class
	self Value
	of   *Class // the class whose mro counts
}

func (s *Super) class(t *Thread) *Class { return t.types.Super }

// super makes the object of super(cls, self).
func (t *Thread) super(cls, self Value) (*Super, error) {
	c, ok := cls.o.(*Class)
	if !ok {
		return nil, t.raise(t.types.TypeError, "super() argument 1 must be a type, not %s", t.className(cls))
	}
	if k, is := self.o.(*Class); is && k.derives(c) {
		return &Super{c, self, k}, nil
	}
	k := t.classOf(self)
	if !k.derives(c) {
		what := "instance of " + k.name
		if o, is := self.o.(*Class); is {
			what = "type " + o.name
		}
		return nil, t.raise(t.types.TypeError, "super(type, obj): obj (%s) is not an instance or subtype of type (%s).", what, c.name)
	}
	return &Super{c, self, k}, nil
}

// findSuper finds an attribute of super(); l is the label of the value of super().
func (t *Thread) findSuper(s *Super, l label.ID, name string) (attr, bool) {
	self := s.self
	self.l = t.join(self.l, l)
	past := false
	for _, k := range s.of.mro {
		if !past {
			past = k == s.cls
			continue
		}
		v, ok := k.attrs.str(name)
		if !ok {
			continue
		}
		if c, is := self.o.(*Class); is && c == s.of && self.k == kClass {
			switch v.k {
			case kFunc, kNative:
				return attr{v: v, own: k}, true
			case kProp:
				if w, is := v.o.(*Wrapper); is && w.bind {
					return attr{v: w.fn, self: self, own: k}, true
				}
			}
		}
		return t.bound(v, k, self, s.of), true
	}
	if name == "__class__" {
		return attr{v: classValue(t.types.Super)}, true
	}
	return attr{}, false
}

// value makes the value of what was found, calling the program where it must.
func (t *Thread) value(a attr, o Value, name string) (Value, error) {
	if a.call {
		if a.args == nil {
			return Value{}, t.raise(t.types.AttributeError, "property '%s' of '%s' object has no getter", name, t.className(o))
		}
		v, err := t.Call(a.v, a.args, nil, nil)
		if err == nil && a.l != 0 {
			v.l = t.join(v.l, a.l)
		}
		return v, err
	}
	if a.self.k != kUnset {
		if err := t.alloc(3 * valueBytes); err != nil {
			return Value{}, err
		}
		return Value{k: kMethod, o: &Method{a.self, a.v}, l: t.join(a.v.l, a.self.l)}, nil
	}
	if a.l != 0 {
		a.v.l = t.join(a.v.l, a.l)
	}
	return a.v, nil
}

// getAttr returns an attribute, bound.
func (t *Thread) getAttr(o Value, name string) (Value, error) {
	var tr traits
	var cls *Class
	if o.k == kObject || o.k == kClass && o.o.(*Class).meta != nil {
		cls = t.classOf(o)
		tr = t.traits(cls)
	}
	if tr&hasGetattribute != 0 {
		fn, _, _ := cls.lookup("__getattribute__")
		v, err := t.Call(fn, []Value{o, t.str(name)}, nil, nil)
		if r, ok := err.(*Raise); !ok || tr&hasGetattr == 0 || !r.exc.cls.derives(t.types.AttributeError) {
			return v, err
		}
	} else {
		v, ok, err := t.plainAttr(o, name)
		if ok && err == nil {
			return v, nil
		}
		if err != nil {
			r, is := err.(*Raise)
			if !is || tr&hasGetattr == 0 || !r.exc.cls.derives(t.types.AttributeError) {
				return Value{}, err
			}
		}
	}
	if tr&hasGetattr != 0 {
		fn, _, _ := cls.lookup("__getattr__")
		v, err := t.Call(fn, []Value{o, t.str(name)}, nil, nil)
		if err == nil && o.l != 0 {
			v.l = t.join(v.l, o.l)
		}
		return v, err
	}
	return Value{}, t.noAttr(o, name)
}

// plainAttr is getAttr without the program's __getattr__ and __getattribute__.
func (t *Thread) plainAttr(o Value, name string) (Value, bool, error) {
	a, ok := t.find(o, name)
	if !ok {
		return Value{}, false, nil
	}
	v, err := t.value(a, o, name)
	return v, err == nil, err
}

// lookupSpecial finds a method on the class of o, as the language's own
// operations do, and binds it.
func (t *Thread) lookupSpecial(o Value, name string) (Value, bool) {
	cls := t.classOf(o)
	v, owner, ok := t.method(cls, name)
	if !ok || v.k == kNone {
		return Value{}, false
	}
	fn, err := t.value(t.bound(v, owner, o, cls), o, name)
	return fn, err == nil
}

// noAttr is the AttributeError of o.name.
func (t *Thread) noAttr(o Value, name string) error {
	var err error
	t2 := t.types.AttributeError
	switch x := o.o.(type) {
	case *Class:
		err = t.raise(t2, "type object '%s' has no attribute '%s'", x.shown(), name)
	case *Module:
		if x.tools {
			return t.noTool(x, name)
		}
		err = t.raise(t2, "module '%s' has no attribute '%s'", x.name, name)
	case *Super:
		err = t.raise(t2, "'super' object has no attribute '%s'", name)
	default:
		err = t.raise(t2, "'%s' object has no attribute '%s'", t.className(o), name)
	}
	return t.withObject(err, o, name)
}

// withObject notes in an AttributeError what it is about: the text of an
// uncaught one tells of a name that is near.
func (t *Thread) withObject(err error, o Value, name string) error {
	if r, ok := err.(*Raise); ok {
		r.l = t.join(r.l, o.l)
		r.exc.attrs.setStr(t, "name", t.str(name))
		r.exc.attrs.setStr(t, "obj", o)
	}
	return err
}
