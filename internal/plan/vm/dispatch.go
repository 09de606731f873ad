package vm

import (
	"slices"

	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
)

// called is called when a function of the program or of the library is about to run in
// g, called by f; self is set when it is called as a method.
func (vm *VM) called(g, f *Frame, self value.Value) {
	t := &vm.t
	if g.run.Lib && !f.library() {
		vm.calledBack(g)
	}
	if g.ret == 0 || len(t.Choices) == 0 && !t.Strict {
		return
	}
	if g.run.Lib && g.fn.Name == "__get__" {
		self = g.st[0]
	}
	g.chosen = vm.picks(value.Value{Kind: value.KFunc, Obj: g.fn, Label: g.ret}, self)
	if g.chosen {
		vm.raise(g, t.PC, g.ret)
	}
}

// gave notes that a function that data chose gave v: another one might have given what
// the program's variables hold, or what it was called with. A generator of the library
// gives what it goes over.
func (vm *VM) gave(g *Frame, v *value.Value) {
	var from []value.Value
	if g.chosen {
		from = append(from, value.Value{Kind: value.KDict, Obj: &vm.main.Names})
	}
	for _, p := range g.st[:g.code.Params] {
		if it, ok := p.Obj.(*value.Iter); ok && !g.chosen {
			p = it.Src
		}
		from = append(from, p)
	}
	if g.gen != nil {
		g.gen.gave = g.ret
	}
	vm.t.Choose(v, g.ret, value.Value{Kind: value.KTuple, Obj: &value.Tuple{Items: from}})
}

// raise makes all that runs in g depend on l; before is the control label without it.
func (vm *VM) raise(g *Frame, before, l label.ID) {
	t := &vm.t
	if !g.raised && t.Join(t.PC, l) != t.PC {
		g.raised, g.before = true, before
	}
	t.PC = t.Join(t.PC, l)
}

// under begins a call; where data of label l chose what is called, the frame in which
// it runs depends on that.
func (vm *VM) under(chosen bool, l label.ID, begin func() error) error {
	depth, before := vm.depth, vm.t.PC
	err := begin()
	if chosen && vm.depth > depth {
		vm.raise(vm.frames[vm.depth], before, l)
	}
	return err
}

// dispatch compares what runs with what would run had data chosen otherwise.
type dispatch struct {
	vm     *VM
	fn     value.Value  // what is called
	via    value.Object // the property or descriptor of which it is a part
	sets   bool         // it sets a property
	found  bool         // it is among what could have been chosen
	others bool         // something else is
	pure   bool         // what else is changes nothing
}

// see takes in something that could have run.
func (d *dispatch) see(v value.Value) {
	if p, ok := v.Obj.(*value.Property); ok {
		if v = p.Get; d.sets {
			v = p.Set
		}
	}
	if w, ok := v.Obj.(*value.Wrapper); ok && v.Obj != d.fn.Obj {
		v = w.Fn
	}
	if v.Obj != nil && (v.Obj == d.fn.Obj || v.Obj == d.via) {
		d.found = true
	} else {
		d.others, d.pure = true, d.pure && pure(v)
	}
}

// pure reports whether what runs when v is called, or read by its descriptor, changes
// nothing. What cannot be called changes nothing.
func pure(v value.Value) bool {
	switch v.Kind {
	case value.KFunc, value.KNative, value.KMethod, value.KClass, value.KTool:
		return v.Pure()
	case value.KObject:
		in := value.InstanceOf(v)
		if in == nil {
			return true
		}
		if get, _, is := in.Cls.Lookup("__get__"); is && get.Kind == value.KFunc {
			of, has := in.Attrs.Str("func")
			return has && of.Pure()
		}
		call, _, has := in.Cls.Lookup("__call__")
		return !has || call.Pure()
	}
	return true
}

// same reports whether what runs is the same whatever data chooses, or all of it
// changes nothing.
func (d *dispatch) same() bool {
	if !d.others {
		return d.pure
	}
	if d.via != nil {
		return d.pure && pure(value.Value{Kind: value.KObject, Obj: d.via})
	}
	return d.pure && d.fn.Pure()
}

// picks reports whether data chose fn among functions that do different things. If
// any of them changes something, all that follows depends on the choice.
func (vm *VM) picks(fn, self value.Value) bool {
	t := &vm.t
	if t.Join(t.Sticky, fn.Label) == t.Sticky {
		return false // all depends on it anyway
	}
	d := &dispatch{vm: vm, fn: fn, pure: true}
	var names []string
	switch f := fn.Obj.(type) {
	case *value.Func:
		if self.Kind != value.KUnset {
			names = d.names(f, &self)
		}
	case *value.Native:
		names = []string{methodName(f)}
	}
	member := len(names) > 0 && self.Kind != value.KUnset && t.Join(self.Label, fn.Label) == self.Label
	known, found := false, false
	t.Chosen(fn.Label, func(from value.Value) bool {
		known = true
		if fn.Kind == value.KMethod && self.Obj == from.Obj && self.Kind != value.KObject {
			d.others, found = true, true // another method of something built in
			return false
		}
		here := *d
		here.found, here.others, here.pure = false, false, true
		of, names, member := self, names, member
		if f, ok := fn.Obj.(*value.Func); ok && !member {
			of, names = here.holder(from, f)
			member = names != nil
		}
		if !member {
			here.callables(from)
		}
		for _, name := range names {
			if member {
				here.members(from, of, name)
			}
		}
		if _, ok := fn.Obj.(*value.Func); ok && !here.found {
			return true // it does not come from there
		}
		found, d.others = true, d.others || here.others
		return here.same()
	})
	if f, ok := fn.Obj.(*value.Func); ok && !found && (known || t.Strict) && !f.Run.Lib && f.Name != "__init__" && !vm.frames[vm.depth-1].library() {
		d.anywhere(names)
		if !d.same() {
			t.Stick(fn.Label)
		}
	}
	return d.others
}

// anywhere sees what could run where nobody knows what data chose from: the methods of
// these names of all classes, or any function.
func (d *dispatch) anywhere(names []string) {
	if len(names) == 0 {
		d.others = true
		d.pure = d.pure && !d.vm.prog.unit.Changes
	}
	for _, name := range names {
		for _, m := range d.vm.methods[name] {
			d.see(m)
		}
	}
}

// names are the names by which f is a method of self, gets or sets a property of it, or
// is the code of a descriptor; then self becomes the object that it is read from.
func (d *dispatch) names(f *value.Func, self *value.Value) []string {
	t := &d.vm.t
	if args := d.vm.frames[d.vm.depth].st; len(args) > 1 && args[0].Obj == self.Obj {
		name, _ := args[1].Obj.(*value.Str)
		switch {
		case f.Name == "__getattr__" && name != nil:
			return []string{name.Text}
		case f.Run.Lib && f.Name == "__get__":
			d.via, *self = self.Obj, args[1].With(t.Join(args[1].Label, d.fn.Label))
		}
	}
	mro := t.ClassOf(*self).MRO
	if c, ok := self.Obj.(*value.Class); ok {
		mro = slices.Concat(c.MRO, mro)
	}
	names := d.inClasses(mro, f)
	if names == nil {
		names = []string{f.Name}
	}
	return names
}

// inClasses are the names that f has in classes.
func (d *dispatch) inClasses(mro []*value.Class, f *value.Func) (names []string) {
	for _, c := range mro {
		if !c.Static {
			names = d.in(&c.Attrs, f, names)
		}
	}
	return names
}

// in adds the names that f has in a name space.
func (d *dispatch) in(ns *value.Dict, f *value.Func, names []string) []string {
	for i := range ns.Entries {
		e := &ns.Entries[i]
		is := e.Val.Obj == value.Object(f) || d.via != nil && e.Val.Obj == d.via
		switch p := e.Val.Obj.(type) {
		case *value.Property:
			d.sets = d.sets || p.Set.Obj == value.Object(f)
			is = p.Get.Obj == value.Object(f) || p.Set.Obj == value.Object(f)
		case *value.Wrapper:
			is = p.Fn.Obj == value.Object(f)
		}
		if name, ok := e.Key.Obj.(*value.Str); ok && is && !slices.Contains(names, name.Text) {
			names = append(names, name.Text)
		}
	}
	return names
}

// holder finds an object that data could have chosen from a container and of which f is
// an attribute, by these names.
func (d *dispatch) holder(from value.Value, f *value.Func) (of value.Value, names []string) {
	itself := false // it is what was chosen
	d.vm.elements(from, func(v value.Value) { itself = itself || v.Obj == value.Object(f) })
	d.vm.t.Reach(from, d.fn.Label, func(o value.Object) {
		if names != nil || itself {
			return
		}
		switch o := o.(type) {
		case *value.Instance:
			of = value.Value{Kind: value.KObject, Obj: o}
			if names = d.in(&o.Attrs, f, nil); names == nil {
				names = d.inClasses(o.Cls.MRO, f)
			}
		case *value.Class:
			of, names = value.ClassValue(o), d.inClasses(o.MRO, f)
		}
	})
	return of, names
}

// members sees what is called name in the place of self in all that data could have
// chosen from a container.
func (d *dispatch) members(from, self value.Value, name string) {
	vm, t := d.vm, &d.vm.t
	direct := self.Obj == from.Obj
	var elements []value.Value
	vm.elements(from, func(v value.Value) {
		direct = direct || v.Obj == self.Obj
		elements = append(elements, v)
	})
	if ns, ok := from.Obj.(*value.Dict); ok && slices.ContainsFunc(ns.Entries, func(e value.Entry) bool { return e.Val.Obj == self.Obj }) {
		elements = elements[:0] // its values, not its keys
		for i := range ns.Entries {
			elements = append(elements, ns.Entries[i].Val)
		}
	}
	// Methods that are built in are compared with those of the program alone: the
	// container and what lies in its elements are no choice among themselves.
	t.Reach(from, d.fn.Label, func(o value.Object) {
		switch x := o.(type) {
		case *value.Class:
			d.member(x, nil, name, false)
		case *value.Instance:
			d.member(x.Cls, &x.Attrs, name, !direct && x.Cls.Module == "__main__")
		default:
			if o != from.Obj {
				d.member(o.Class(t), nil, name, false)
			}
		}
	})
	for _, v := range elements {
		switch x := v.Obj.(type) {
		case *value.Instance:
			d.member(x.Cls, &x.Attrs, name, true)
		case *value.Func:
			d.see(v)
		case *value.Method:
			d.see(x.Fn)
		case *value.Class:
			if d.member(x, nil, name, false); !direct {
				d.see(v) // it is what was chosen, and is called
			}
		default:
			d.member(t.ClassOf(v), nil, name, true)
		}
	}
}

// member sees what is called name in an object of a class with these attributes of its
// own. If must is set, it counts that there is nothing of that name, too.
func (d *dispatch) member(cls *value.Class, own *value.Dict, name string, must bool) {
	m, owner, has := cls.Lookup(name)
	if _, property := m.Obj.(*value.Property); own != nil && !property {
		if v, is := own.Str(name); is {
			d.see(v)
			return
		}
	}
	switch {
	case has && cls.Static && d.fn.Kind == value.KNative:
	case has && (name == "__setattr__" || name == "__delattr__") && owner.Core:
		d.others = true // which sets the attribute, as is noted there
	case has:
		d.see(m)
	case must && d.fn.Kind != value.KNative:
		if m, _, has = cls.Lookup("__getattr__"); has && !d.sets {
			d.see(m)
			return
		}
		d.others = true
	}
}

// callables sees what can be called in a container, or among the attributes of an object.
func (d *dispatch) callables(from value.Value) {
	seen := map[value.Object]bool{}
	var look func(v value.Value, first bool)
	dict := func(ns *value.Dict) {
		for i := range ns.Entries {
			look(ns.Entries[i].Val, false)
		}
	}
	class := func(c *value.Class) {
		for _, b := range c.MRO {
			if !b.Static && !seen[b] {
				seen[b] = true
				dict(&b.Attrs)
			}
		}
	}
	look = func(v value.Value, first bool) {
		d.vm.t.Walked++
		if v.Obj == nil || seen[v.Obj] {
			return
		}
		switch o := v.Obj.(type) {
		case *value.Func, *value.Native, *value.ToolRef:
			d.see(v)
		case *value.Method:
			d.see(v)
			if first {
				look(o.Fn, false)
			}
		case *value.Wrapper:
			look(o.Fn, false)
		case *value.Property:
			look(o.Get, false)
		case *value.Class:
			if first {
				class(o)
			} else {
				seen[o] = true
				d.see(v)
			}
		case *value.Instance:
			seen[o] = true
			if m, _, ok := o.Cls.Lookup("__call__"); ok {
				look(m, false)
			}
			dict(&o.Attrs)
			look(o.Base, false)
			if first {
				class(o.Cls)
			}
		case *value.Module:
			dict(&o.Names)
		default:
			switch v.Kind {
			case value.KList, value.KTuple, value.KDict, value.KSet, value.KIter, value.KView:
				seen[v.Obj] = true
				d.vm.elements(v, func(e value.Value) { look(e, false) })
			}
		}
	}
	look(from, true)
}
