package vm

import (
	"slices"

	"praxis/internal/plan/value"
)

// classBytes is about what a class takes beside its attributes.
const classBytes = 2048

// makeClass makes a class of a name space that is filled. cell is that of __class__, or nil.
func (vm *VM) makeClass(def *classDef, qual, module string, cell *value.Cell) (value.Value, error) {
	t := &vm.t
	if err := t.Alloc(classBytes + int64(len(def.ns.Entries))*value.EntryBytes); err != nil {
		return value.Value{}, err
	}
	bases, err := vm.baseClasses(def)
	if err != nil {
		return value.Value{}, err
	}
	c := &value.Class{Name: def.name, Qual: qual, Module: module, Bases: bases, Layout: value.KObject, Meta: def.meta}
	if len(def.named) > 0 {
		return value.Value{}, t.Raise(t.Types.TypeError, "class %s takes no keyword arguments", def.name)
	}
	if err := vm.inherit(c); err != nil {
		return value.Value{}, err
	}
	c.Attrs = *def.ns
	vm.adopt(c)
	for i := range c.Attrs.Entries {
		if e := &c.Attrs.Entries[i]; e.Val.Kind == value.KFunc || e.Val.Kind == value.KProp {
			name := e.Key.Obj.(*value.Str).Text
			vm.methods[name] = append(vm.methods[name], e.Val)
			f, ok := e.Val.Obj.(*value.Func)
			t.Acts = t.Acts || !ok || f.Code.Unit.Module == "" && !e.Val.Silent()
		}
	}
	t.ClassVersion++
	v := value.ClassValue(c).With(def.l)
	if cell != nil {
		cell.Val = v
	}
	if err := vm.announce(v); err != nil {
		return value.Value{}, err
	}
	return v, nil
}

// baseClasses checks what a class statement lists as bases.
func (vm *VM) baseClasses(def *classDef) ([]*value.Class, error) {
	t := &vm.t
	var out []*value.Class
	for _, b := range def.bases {
		def.l = t.Join(def.l, b.Label)
		c, ok := b.Obj.(*value.Class)
		if !ok {
			return nil, t.Raise(t.Types.TypeError, "a class cannot derive from a '%s' object: name a class, such as list for List[int]", t.ClassName(b))
		}
		if (c.Final || c.Static && c.Layout == value.KClass) && !(def.library && c == t.Types.Type) {
			return nil, t.Raise(t.Types.TypeError, "type '%s' is not an acceptable base type", c.Name)
		}
		if slices.Contains(out, c) {
			return nil, t.Raise(t.Types.TypeError, "duplicate base class %s", c.Name)
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		out = []*value.Class{t.Types.Object}
	}
	return out, nil
}

// inherit fills in what c has from its bases.
func (vm *VM) inherit(c *value.Class) error {
	t := &vm.t
	if err := vm.linearize(c); err != nil {
		return err
	}
	solid, conflict := t.Types.Object, false
	for _, b := range c.Bases {
		if s := b.Solid(); s.Derives(solid) {
			solid = s
		} else {
			conflict = conflict || !solid.Derives(s)
		}
	}
	c.Layout = solid.Layout
	for _, k := range c.MRO[1:] {
		c.IsExc = c.IsExc || k.IsExc
		if k.Meta != nil && (c.Meta == nil || k.Meta.Derives(c.Meta)) {
			c.Meta = k.Meta
		}
	}
	if conflict || c.IsExc && c.Layout != value.KObject {
		return t.Raise(t.Types.TypeError, "multiple bases have instance lay-out conflict")
	}
	return nil
}

// linearize computes the method resolution order: C3.
func (vm *VM) linearize(c *value.Class) error {
	var lists [][]*value.Class
	for _, b := range c.Bases {
		lists = append(lists, b.MRO)
	}
	lists = append(lists, c.Bases)
	c.MRO = []*value.Class{c}
	for {
		lists = slices.DeleteFunc(lists, func(l []*value.Class) bool { return len(l) == 0 })
		if len(lists) == 0 {
			return nil
		}
		i := slices.IndexFunc(lists, func(first []*value.Class) bool {
			return !slices.ContainsFunc(lists, func(l []*value.Class) bool { return slices.Contains(l[1:], first[0]) })
		})
		if i < 0 {
			return vm.t.Raise(vm.t.Types.TypeError, "Cannot create a consistent method resolution order (MRO) for the bases of %s", c.Name)
		}
		next := lists[i][0]
		c.MRO = append(c.MRO, next)
		for i, l := range lists {
			if l[0] == next {
				lists[i] = l[1:]
			}
		}
	}
}

// adopt gives the attributes of a new class their places: functions that are
// methods of the class by their name alone are wrapped.
func (vm *VM) adopt(c *value.Class) {
	t := &vm.t
	for _, w := range [...]struct {
		name string
		bind bool
	}{{"__new__", false}, {"__class_getitem__", true}} {
		if v, ok := c.Attrs.Str(w.name); ok && v.Kind == value.KFunc {
			c.Attrs.SetStr(t, w.name, value.Value{Kind: value.KProp, Obj: &value.Wrapper{Fn: v, Bind: w.bind}})
		}
	}
	if _, ok := c.Attrs.Str("__eq__"); ok {
		if _, ok := c.Attrs.Str("__hash__"); !ok {
			c.Attrs.SetStr(t, "__hash__", value.None)
		}
	}
}

// announce calls __set_name__ of the attributes of a new class, which
// functools.cached_property has.
func (vm *VM) announce(cv value.Value) error {
	t := &vm.t
	c := cv.Obj.(*value.Class)
	for i := 0; i < len(c.Attrs.Entries); i++ {
		e := c.Attrs.Entries[i]
		if e.Val.Kind != value.KObject {
			continue
		}
		if fn, ok := t.LookupSpecial(e.Val, "__set_name__"); ok {
			if _, err := t.Call(fn, []value.Value{cv, e.Key}, nil, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// learn notes how instances of c are made, when that is plain: object's __new__
// and an __init__ of the program.
func (vm *VM) learn(c *value.Class, init value.Value) {
	t := &vm.t
	fn, ok := init.Obj.(*value.Func)
	if !ok || init.Label != 0 || fn.Run == nil || fn.Run.Fixed < 1 {
		return
	}
	c.Maker = &value.Maker{Ver: t.ClassVersion, Fixed: fn.Run.Fixed, Init: fn}
}

// newInstance makes an instance with space for as many attributes as the one before has.
func (vm *VM) newInstance(c *value.Class, m *value.Maker) (value.Value, error) {
	t := &vm.t
	if m.Last != nil {
		m.Attrs = max(m.Attrs, min(len(m.Last.Attrs.Entries), value.SmallDict))
	}
	if err := t.Alloc(value.InstanceBytes + int64(m.Attrs)*value.EntryBytes); err != nil {
		return value.Value{}, err
	}
	o := sized(m.Attrs)
	o.Cls = c
	m.Last = o
	return value.Value{Kind: value.KObject, Obj: o}, nil
}

// sized makes an instance with space for n attributes, in one allocation when they are few.
func sized(n int) *value.Instance {
	switch {
	case n == 0:
		return &value.Instance{}
	case n <= 2:
		o := &struct {
			value.Instance
			attrs [2]value.Entry
		}{}
		o.Attrs.Entries = o.attrs[:0]
		return &o.Instance
	case n <= 4:
		o := &struct {
			value.Instance
			attrs [4]value.Entry
		}{}
		o.Attrs.Entries = o.attrs[:0]
		return &o.Instance
	}
	o := &value.Instance{}
	o.Attrs.Entries = make([]value.Entry, 0, n)
	return o
}
