package value

import (
	"sort"
	"strings"

	"praxis/internal/plan/label"
)

// May reports whether the name space may have a name with this hash.
func (d *Dict) May(hash uint64) bool {
	if d.Index != nil {
		return true
	}
	for i := range d.Entries {
		if d.Entries[i].Hash == hash {
			return true
		}
	}
	return false
}

// Attr is what was found under a name.
type Attr struct {
	Value Value
	Self  Value    // when set: v is a function that is to be bound to it
	Call  bool     // the attribute is what v(args…) gives
	Args  []Value  //
	Label label.ID // what the object depends on
	Own   *Class   // the class that had it; nil: the object itself
}

// Find looks up an attribute of any value. It does not call the program.
func (t *Thread) Find(o Value, name string) (Attr, bool) {
	switch o.Kind {
	case KObject:
		return t.findInstance(o, name)
	case KClass:
		return t.findClass(o, name)
	case KModule:
		if m := o.Obj.(*Module); m.shows(name) {
			if v, ok := m.Names.Str(name); ok {
				return Attr{Value: v, Label: o.Label}, true
			}
		}
	case KFunc:
		if v, ok := t.funcAttr(o.Obj.(*Func), name); ok {
			return Attr{Value: v, Label: o.Label}, true
		}
	case KMethod:
		if a, ok := t.Find(o.Obj.(*Method).Fn, name); ok && a.Self.Kind == KUnset {
			a.Label = t.Join(a.Label, o.Label)
			return a, true
		}
	case KNative:
		n := o.Obj.(*Native)
		switch name {
		case "__name__":
			return Attr{Value: t.Str(n.Short()), Label: o.Label}, true
		case "__qualname__":
			return Attr{Value: t.Str(n.Name), Label: o.Label}, true
		case "__doc__":
			return Attr{Value: None}, true
		}
	case KProp:
		if v, ok := propAttr(o.Obj, name); ok {
			return Attr{Value: v, Label: o.Label}, true
		}
	case KSpecial:
		if s, ok := o.Obj.(*Super); ok {
			return t.FindSuper(s, o.Label, name)
		}
		if h, ok := o.Obj.(AttrHolder); ok {
			if v, ok := h.Attr(t, name); ok {
				return Attr{Value: v, Label: o.Label}, true
			}
		}
	}
	cls := t.ClassOf(o)
	if v, owner, ok := cls.Lookup(name); ok {
		return t.bound(v, owner, o, cls), true
	}
	if v, ok := t.dataAttr(o, name); ok {
		return Attr{Value: v}, true
	}
	return t.findCommon(o, name)
}

// AttrHolder is a special object that has attributes beside the methods of its class.
type AttrHolder interface {
	Attr(t *Thread, name string) (Value, bool)
}

// findCommon are the attributes that every object has.
func (t *Thread) findCommon(o Value, name string) (Attr, bool) {
	switch name {
	case "__class__":
		return Attr{Value: ClassValue(t.ClassOf(o)), Label: o.Label}, true
	case "__doc__":
		return Attr{Value: None, Label: o.Label}, true
	case "__dict__":
		if i := InstanceOf(o); i != nil {
			return Attr{Value: t.AttrsDict(&i.Attrs), Label: o.Label}, true
		}
	}
	return Attr{}, false
}

// AttrsDict is a copy of a name space: the program changes attributes by their names.
func (t *Thread) AttrsDict(ns *Dict) Value {
	d := &Dict{}
	for i := range ns.Entries {
		if e := &ns.Entries[i]; e.Key.Kind == KStr {
			d.SetName(e.Key.Obj.(*Str), e.Val)
			d.Entries[len(d.Entries)-1].Key.Label = e.Key.Label
		}
	}
	d.Shape = t.Join(ns.Shape, t.PC)
	return Value{Kind: KDict, Obj: d}
}

// shows reports whether a name of a module is for others: those of library
// modules that begin with an underscore are not.
func (m *Module) shows(name string) bool {
	return len(name) == 0 || name[0] != '_' || m.Tools || m.Name == "__main__" || !Reflective(name) && strings.HasPrefix(name, "__")
}

// isData reports whether a class attribute goes before the instance's own.
func isData(v Value) bool {
	_, ok := v.Obj.(*Property)
	return ok
}

func (t *Thread) findInstance(o Value, name string) (Attr, bool) {
	cls := t.ClassOf(o)
	in := InstanceOf(o)
	v, owner, ok := cls.Lookup(name)
	if ok && isData(v) {
		return t.bound(v, owner, o, cls), true
	}
	if own, has := in.Attrs.Str(name); has {
		return Attr{Value: own, Label: o.Label}, true
	}
	o.Label = t.Join(o.Label, in.Attrs.Shape) // that it has none of its own
	if _, is := o.Obj.(*Exception); is && (!ok || owner.Static) {
		if v, has := t.dataAttr(o, name); has {
			return Attr{Value: v}, true
		}
	}
	if ok {
		return t.bound(v, owner, o, cls), true
	}
	if v, has := t.dataAttr(o, name); has {
		return Attr{Value: v}, true
	}
	return t.findCommon(o, name)
}

// bound is a class attribute v of owner as it is read through an instance of cls.
func (t *Thread) bound(v Value, owner *Class, self Value, cls *Class) Attr {
	switch v.Kind {
	case KFunc:
		return Attr{Value: v, Self: self, Own: owner}
	case KNative:
		if !owner.Static || v.Obj.(*Native).Name == owner.Name+".__new__" {
			return Attr{Value: v, Label: self.Label, Own: owner}
		}
		if owner.Layout != KObject && self.Kind == KObject {
			self = t.Base(self)
		}
		return Attr{Value: v, Self: self, Own: owner}
	case KProp:
		switch p := v.Obj.(type) {
		case *Property:
			if p.Get.Kind == KUnset || p.Get.Kind == KNone {
				return Attr{Value: v, Call: true, Own: owner}
			}
			return Attr{Value: p.Get, Call: true, Args: []Value{self}, Label: self.Label, Own: owner}
		case *Wrapper:
			if p.Bind {
				return Attr{Value: p.Fn, Self: ClassValue(cls).With(self.Label), Own: owner}
			}
			return Attr{Value: p.Fn, Label: self.Label, Own: owner}
		}
	case KObject:
		if get, gowner, ok := t.ClassOf(v).Lookup("__get__"); ok && !gowner.Core {
			return Attr{Value: get, Call: true, Args: []Value{v, self, ClassValue(cls)}, Label: self.Label, Own: owner}
		}
	}
	return Attr{Value: v, Label: self.Label, Own: owner}
}

func (t *Thread) findClass(o Value, name string) (Attr, bool) {
	c := o.Obj.(*Class)
	meta := c.Class(t)
	mv, mowner, mok := Value{}, (*Class)(nil), false
	if c.Meta != nil {
		if mv, mowner, mok = meta.Lookup(name); mok && isData(mv) {
			return t.bound(mv, mowner, o, meta), true
		}
	}
	if v, ok := t.classAttr(c, name); ok {
		return Attr{Value: v, Label: o.Label}, true
	}
	if v, owner, ok := c.Lookup(name); ok && !(mok && owner.Static && !mowner.Static) {
		switch v.Kind {
		case KProp:
			if w, is := v.Obj.(*Wrapper); is {
				if w.Bind {
					return Attr{Value: w.Fn, Self: o, Own: owner}, true
				}
				return Attr{Value: w.Fn, Label: o.Label, Own: owner}, true
			}
		case KObject:
			if get, gowner, is := t.ClassOf(v).Lookup("__get__"); is && !gowner.Core {
				return Attr{Value: get, Call: true, Args: []Value{v, None, o}, Label: o.Label, Own: owner}, true
			}
		}
		return Attr{Value: v, Label: o.Label, Own: owner}, true
	}
	if c.Meta == nil {
		mv, mowner, mok = meta.Lookup(name)
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
		return t.Str(c.Name), true
	case "__qualname__":
		return t.Str(c.Qual), true
	case "__module__":
		return t.Str(c.Module), true
	case "__doc__":
		if v, ok := c.Attrs.Str(name); ok {
			return v, true
		}
		return None, true
	case "__mro__":
		return t.Tuple(ClassValues(c.MRO)), true
	case "__dict__":
		return t.AttrsDict(&c.Attrs), true
	case "__annotations__":
		if v, ok := c.Attrs.Str(name); ok {
			return v, true
		}
		return t.NewDict(), true
	}
	return Value{}, false
}

// ClassValues returns classes as values.
func ClassValues(cs []*Class) []Value {
	out := make([]Value, len(cs))
	for i, c := range cs {
		out[i] = ClassValue(c)
	}
	return out
}

// funcAttr are the attributes of a function.
func (t *Thread) funcAttr(fn *Func, name string) (Value, bool) {
	if fn.Attrs != nil {
		if v, ok := fn.Attrs.Str(name); ok {
			return v, true
		}
	}
	switch name {
	case "__name__":
		return t.Str(fn.Name), true
	case "__qualname__":
		return t.Str(fn.Qual), true
	case "__doc__":
		if fn.Doc.Kind == KUnset {
			return None, true
		}
		return fn.Doc, true
	case "__module__":
		return t.Str(fn.Globals.Name), true
	case "__dict__":
		if fn.Attrs == nil {
			return t.NewDict(), true
		}
		return t.AttrsDict(fn.Attrs), true
	}
	return Value{}, false
}

func propAttr(o Object, name string) (Value, bool) {
	switch p := o.(type) {
	case *Property:
		switch name {
		case "fget":
			return orNone(p.Get), true
		case "fset":
			return orNone(p.Set), true
		case "fdel":
			return orNone(p.Del), true
		case "__doc__":
			return orNone(p.Doc), true
		}
	case *Wrapper:
		switch name {
		case "__func__":
			return p.Fn, true
		}
	}
	return Value{}, false
}

func orNone(v Value) Value {
	if v.Kind == KUnset {
		return None
	}
	return v
}

// Super is what super() gives: the attributes of obj behind cls in the mro.
type Super struct {
	Cls  *Class
	Self Value
	Of   *Class // the class whose mro counts
}

func (s *Super) Class(t *Thread) *Class { return t.Types.Super }

// Super makes the object of super(cls, self).
func (t *Thread) Super(cls, self Value) (*Super, error) {
	c, ok := cls.Obj.(*Class)
	if !ok {
		return nil, t.Raise(t.Types.TypeError, "super() argument 1 must be a type, not %s", t.ClassName(cls))
	}
	if k, is := self.Obj.(*Class); is && k.Derives(c) {
		return &Super{c, self, k}, nil
	}
	k := t.ClassOf(self)
	if !k.Derives(c) {
		what := "instance of " + k.Name
		if o, is := self.Obj.(*Class); is {
			what = "type " + o.Name
		}
		return nil, t.Raise(t.Types.TypeError, "super(type, obj): obj (%s) is not an instance or subtype of type (%s).", what, c.Name)
	}
	return &Super{c, self, k}, nil
}

// FindSuper finds an attribute of super(); l is the label of the value of super().
func (t *Thread) FindSuper(s *Super, l label.ID, name string) (Attr, bool) {
	self := s.Self
	self.Label = t.Join(self.Label, l)
	past := false
	for _, k := range s.Of.MRO {
		if !past {
			past = k == s.Cls
			continue
		}
		v, ok := k.Attrs.Str(name)
		if !ok {
			continue
		}
		if c, is := self.Obj.(*Class); is && c == s.Of && self.Kind == KClass {
			switch v.Kind {
			case KFunc, KNative:
				return Attr{Value: v, Own: k}, true
			case KProp:
				if w, is := v.Obj.(*Wrapper); is && w.Bind {
					return Attr{Value: w.Fn, Self: self, Own: k}, true
				}
			}
		}
		return t.bound(v, k, self, s.Of), true
	}
	if name == "__class__" {
		return Attr{Value: ClassValue(t.Types.Super)}, true
	}
	return Attr{}, false
}

// AttrValue makes the value of what was found, calling the program where it must.
func (t *Thread) AttrValue(a Attr, o Value, name string) (Value, error) {
	if a.Call {
		if a.Args == nil {
			return Value{}, t.Raise(t.Types.AttributeError, "property '%s' of '%s' object has no getter", name, t.ClassName(o))
		}
		return t.CallSelf(a.Value.With(t.Join(a.Value.Label, a.Label)), a.Args[0], a.Args[1:])
	}
	if a.Self.Kind != KUnset {
		if err := t.Alloc(3 * ValueBytes); err != nil {
			return Value{}, err
		}
		return Value{Kind: KMethod, Obj: &Method{a.Self, a.Value}, Label: t.Join(a.Value.Label, a.Self.Label)}, nil
	}
	if a.Label != 0 {
		a.Value.Label = t.Join(a.Value.Label, a.Label)
	}
	return a.Value, nil
}

// GetAttr returns an attribute, bound.
func (t *Thread) GetAttr(o Value, name string) (Value, error) {
	var tr Traits
	var cls *Class
	if o.Kind == KObject || o.Kind == KClass && o.Obj.(*Class).Meta != nil {
		cls = t.ClassOf(o)
		tr = t.Traits(cls)
	}
	if a, ok := t.Find(o, name); ok {
		v, err := t.AttrValue(a, o, name)
		r, is := err.(*Raise)
		if !is || tr&HasGetattr == 0 || !r.Exc.Cls.Derives(t.Types.AttributeError) {
			return v, err
		}
	}
	if tr&HasGetattr != 0 {
		fn, _, _ := cls.Lookup("__getattr__")
		v, err := t.CallSelf(fn.With(t.Join(fn.Label, o.Label)), o, []Value{t.Str(name)})
		if err == nil && o.Label != 0 {
			v.Label = t.Join(v.Label, o.Label)
		}
		return v, err
	}
	return Value{}, t.NoAttr(o, name)
}

// LookupSpecial finds a method on the class of o, as the language's own
// operations do, and binds it.
func (t *Thread) LookupSpecial(o Value, name string) (Value, bool) {
	t.hook(o)
	cls := t.ClassOf(o)
	v, owner, ok := t.method(cls, name)
	if !ok || v.Kind == KNone {
		return Value{}, false
	}
	fn, err := t.AttrValue(t.bound(v, owner, o, cls), o, name)
	return fn, err == nil
}

// NoAttr is the AttributeError of o.name.
func (t *Thread) NoAttr(o Value, name string) error {
	var err error
	t2 := t.Types.AttributeError
	switch x := o.Obj.(type) {
	case *Class:
		err = t.Raise(t2, "type object '%s' has no attribute '%s'", x.shown(), name)
	case *Module:
		if x.Tools {
			return t.noTool(x, name)
		}
		err = t.Raise(t2, "module '%s' has no attribute '%s'", x.Name, name)
	case *Super:
		err = t.Raise(t2, "'super' object has no attribute '%s'", name)
	default:
		err = t.Raise(t2, "'%s' object has no attribute '%s'", t.ClassName(o), name)
	}
	return t.withObject(err, o, name)
}

// withObject notes in an AttributeError what it is about: the text of an
// uncaught one proposes a similar name.
func (t *Thread) withObject(err error, o Value, name string) error {
	if in := InstanceOf(o); in != nil {
		o.Label = t.Join(o.Label, in.Attrs.Shape)
	}
	if r, ok := err.(*Raise); ok {
		r.Label = t.Join(r.Label, o.Label)
		r.Exc.Attrs.SetStr(t, "name", t.Str(name))
		r.Exc.Attrs.SetStr(t, "obj", o)
	}
	return err
}

// Reflective says whether an attribute's name reaches into the machinery of the
// language: names with two underscores on both sides but the methods of the data
// model and a few that describe. The machine refuses them at run time, too, where
// the name is computed.
func Reflective(name string) bool {
	if !strings.HasPrefix(name, "__") || !strings.HasSuffix(name, "__") || len(name) < 5 {
		return false
	}
	return !strings.Contains(plainDunders, " "+name[2:len(name)-2]+" ")
}

// plainDunders are the names with two underscores that programs may use.
const plainDunders = " init new del repr str bytes format lt le eq ne gt ge hash bool getattr setattr delattr " +
	"call len getitem setitem delitem missing iter next reversed contains " +
	"add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow " +
	"rlshift rrshift rand rxor ror iadd isub imul imatmul itruediv ifloordiv imod ipow ilshift irshift iand ixor ior neg pos abs invert " +
	"int float index round trunc floor ceil enter exit post_init copy deepcopy " +
	"name qualname doc module annotations members wrapped cause notes match_args slots version all "

// noTool is the error of a tool that a name space does not have.
func (t *Thread) noTool(m *Module, name string) error {
	var names []string
	for i := range m.Names.Entries {
		if s, ok := m.Names.Entries[i].Key.Obj.(*Str); ok {
			names = append(names, s.Text)
		}
	}
	sort.Strings(names)
	list := strings.Join(names[:min(len(names), 8)], ", ")
	if len(names) > 8 {
		list += ", …"
	}
	return t.Raise(t.Types.AttributeError, "there is no tool '%s.%s': %s has %s", m.Name, name, m.Name, list)
}

// Callable reports whether v can be called.
func (t *Thread) Callable(v Value) bool {
	switch v.Kind {
	case KFunc, KNative, KMethod, KClass, KTool:
		return true
	case KObject, KSpecial:
		_, _, ok := t.ClassOf(v).Lookup("__call__")
		return ok
	case KProp:
		w, ok := v.Obj.(*Wrapper)
		return ok && !w.Bind
	}
	return false
}
