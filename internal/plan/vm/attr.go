package vm

import (
	"praxis/internal/plan/value"
)

// loadAttr replaces the object at the top by its attribute; the program's own
// code that belongs to it runs in a frame.
func (vm *VM) loadAttr(f *Frame, i int) error {
	t := &vm.t
	o := *f.at(1)
	name := f.code.Sites[i]
	var tr value.Traits
	if o.Kind == value.KObject || o.Kind == value.KClass && o.Obj.(*value.Class).Meta != nil {
		tr = t.Traits(t.ClassOf(o))
	}
	if o.Label != 0 && t.Hooks {
		t.Chosen(o.Label, value.Unknown)
	}
	a, ok := t.Find(o, name)
	if !ok {
		if tr&value.HasGetattr != 0 {
			fn, _, _ := t.ClassOf(o).Lookup("__getattr__")
			f.sp--
			fn.Label = t.Join(fn.Label, o.Label)
			return vm.invoke(fn, o, []value.Value{t.NameValue(name)}, nil, nil, retPush, value.Value{})
		}
		return t.NoAttr(o, name)
	}
	if a.Call && a.Args != nil {
		f.sp--
		a.Value.Label = t.Join(a.Value.Label, a.Label)
		if tr&value.HasGetattr != 0 {
			return vm.invoke(a.Value, a.Args[0], a.Args[1:], nil, nil, retAttr, t.Tuple([]value.Value{o, t.NameValue(name)}))
		}
		return vm.invoke(a.Value, a.Args[0], a.Args[1:], nil, nil, retPush, value.Value{})
	}
	vm.learnAttr(f, i, o, a)
	v, err := t.AttrValue(a, o, name)
	if err != nil {
		return err
	}
	f.st[f.sp-1] = v
	return nil
}

// learnAttr fills the cache of an attribute that is read.
func (vm *VM) learnAttr(f *Frame, i int, o value.Value, a value.Attr) {
	s := &f.run.Sites[i]
	name := f.code.Sites[i]
	switch x := o.Obj.(type) {
	case *value.Instance:
		if a.Own == nil && !a.Call {
			if pos := x.Attrs.Place(name); pos >= 0 {
				*s = value.Site{Kind: value.SiteSlot, Cls: x.Cls, Ver: vm.t.ClassVersion, Pos: int32(pos), Key: x.Attrs.Entries[pos].Key.Obj.(*value.Str)}
			}
		}
	case *value.Module:
		if pos := x.Names.Place(name); pos >= 0 {
			*s = value.Site{Kind: value.SiteModule, Mod: x, Ver: x.Names.Version, Pos: int32(pos)}
		}
	case *value.Class:
		if x.Meta == nil && a.Own != nil && a.Self.Kind == value.KUnset && !a.Call {
			if pos := a.Own.Attrs.Place(name); pos >= 0 && a.Own.Attrs.Entries[pos].Val.Kind != value.KProp && a.Own.Attrs.Entries[pos].Val.Kind != value.KObject {
				*s = value.Site{Kind: value.SiteClass, Cls: x, Own: a.Own, Ver: vm.t.ClassVersion, Pos: int32(pos), Key: a.Own.Attrs.Entries[pos].Key.Obj.(*value.Str)}
			}
		}
	}
}

// loadMethod is loadAttr for what is called next: it leaves out the making of a bound method.
func (vm *VM) loadMethod(f *Frame, i int) error {
	t := &vm.t
	o := *f.at(1)
	name := f.code.Sites[i]
	if a, ok := t.Find(o, name); ok && !a.Call {
		vm.learnMethod(f, i, o, a)
		if a.Self.Kind != value.KUnset {
			// Which method it is depends on what chose the object.
			f.st[f.sp-1] = a.Value.With(t.Join(a.Value.Label, o.Label))
			f.put(a.Self)
			return nil
		}
		f.st[f.sp-1] = a.Value.With(t.Join(a.Value.Label, a.Label))
		f.put(value.Value{})
		return nil
	}
	// What the program's own code gives is called as it is.
	v, err := t.GetAttr(o, name)
	if err != nil {
		return err
	}
	f.st[f.sp-1] = v
	f.put(value.Value{})
	return nil
}

// learnMethod fills the cache of a method that is called.
func (vm *VM) learnMethod(f *Frame, i int, o value.Value, a value.Attr) {
	s := &f.run.Sites[i]
	name := f.code.Sites[i]
	switch x := o.Obj.(type) {
	case *value.Instance:
		if a.Own != nil && a.Value.Kind == value.KFunc && a.Self.Kind == value.KObject && a.Value.Label == 0 {
			*s = value.Site{Kind: value.SiteMethod, Cls: x.Cls, Ver: vm.t.ClassVersion, Val: a.Value, Hash: value.HashStr(vm.t.Intern(name))}
		}
		return
	case *value.Module:
		if pos := x.Names.Place(name); pos >= 0 {
			*s = value.Site{Kind: value.SiteModule, Mod: x, Ver: x.Names.Version, Pos: int32(pos)}
		}
		return
	}
	switch o.Kind {
	case value.KStr, value.KList, value.KDict, value.KTuple, value.KBytes, value.KInt, value.KFloat:
		if a.Value.Kind == value.KNative && a.Self.Kind == o.Kind {
			*s = value.Site{Kind: value.SiteNative, Of: o.Kind, Val: a.Value}
		}
	}
}

// loadSuper reads an attribute of super(cls, self).
func (vm *VM) loadSuper(f *Frame, name string) error {
	t := &vm.t
	self := f.take()
	cls := f.take()
	s, err := t.Super(cls, self)
	if err != nil {
		return err
	}
	a, ok := t.FindSuper(s, cls.Label, name)
	if !ok {
		return t.NoAttr(value.Value{Kind: value.KSpecial, Obj: s}, name)
	}
	if a.Call && a.Args != nil {
		a.Value.Label = t.Join(a.Value.Label, a.Label)
		return vm.invoke(a.Value, a.Args[0], a.Args[1:], nil, nil, retPush, value.Value{})
	}
	v, err := t.AttrValue(a, self, name)
	f.put(v)
	return err
}

// storeAttr executes o.name = v; __setattr__ and setters run in a frame.
func (vm *VM) storeAttr(f *Frame, i int) error {
	t := &vm.t
	o := f.take()
	v := f.take()
	name := f.code.Sites[i]
	if in, ok := o.Obj.(*value.Instance); ok && o.Kind == value.KObject {
		s := &f.run.Sites[i]
		if s.Kind == value.SiteAdd && s.Cls == in.Cls && s.Ver == t.ClassVersion && int(s.Pos) == len(in.Attrs.Entries) && !in.Attrs.May(s.Hash) {
			if in.Attrs.Index == nil && o.Label == 0 {
				return t.AddAttr(in, s.Key, v)
			}
		}
		fn, self, args, err := t.Setter(o, name, v)
		if err != nil {
			return err
		}
		if fn.Kind != value.KUnset {
			return vm.invoke(fn, self, args, nil, nil, retStore, value.Value{})
		}
		before := len(in.Attrs.Entries)
		pos := in.Attrs.Place(name)
		if err := t.SetOwn(o, name, v); err != nil {
			return err
		}
		if pos >= 0 {
			*s = value.Site{Kind: value.SiteSlot, Cls: in.Cls, Ver: t.ClassVersion, Pos: int32(pos), Key: in.Attrs.Entries[pos].Key.Obj.(*value.Str)}
		} else {
			key := t.Intern(name)
			*s = value.Site{Kind: value.SiteAdd, Cls: in.Cls, Ver: t.ClassVersion, Pos: int32(before), Key: key, Hash: value.HashStr(key)}
		}
		return nil
	}
	fn, self, args, err := t.Setter(o, name, v)
	if err != nil {
		return err
	}
	if fn.Kind != value.KUnset {
		return vm.invoke(fn, self, args, nil, nil, retStore, value.Value{})
	}
	return t.SetOwn(o, name, v)
}
