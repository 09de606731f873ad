package vm

import "praxis/internal/plan/value"

// machineNatives are the natives of the classes that belong to the machine:
// functions, generators, descriptors, classes themselves.
func machineNatives() []*value.Native {
	return []*value.Native{
		{Name: "type.__call__", Call: typeCall, Precise: true},
		{Name: "type.__new__", Call: typeNew, Precise: true},
		{Name: "object.__setattr__", Params: "self, name, value, /", Call: objectSetattr, Precise: true},
		{Name: "object.__delattr__", Params: "self, name, /", Call: objectDelattr, Precise: true},
		{Name: "generator.__iter__", Params: "self, /", Call: same1, Precise: true},
		{Name: "generator.__next__", Params: "self, /", Call: genNext, Precise: true},
		{Name: "generator.send", Params: "self, value, /", Call: genSend, Precise: true},
		{Name: "generator.throw", Params: "self, value, /", Call: genThrow, Precise: true},
		{Name: "generator.close", Params: "self, /", Call: genClose, Precise: true},
		{Name: "coroutine.send", Params: "self, value, /", Call: genSend, Precise: true},
		{Name: "coroutine.throw", Params: "self, value, /", Call: genThrow, Precise: true},
		{Name: "coroutine.close", Params: "self, /", Call: genClose, Precise: true},
		{Name: "property.__new__", Params: "cls, fget=None, fset=None, fdel=None, doc=None", Call: propertyNew, Precise: true},
		{Name: "property.getter", Params: "self, fget, /", Call: propertyWith(func(p *value.Property, fn value.Value) { p.Get = fn }), Precise: true},
		{Name: "property.setter", Params: "self, fset, /", Call: propertyWith(func(p *value.Property, fn value.Value) { p.Set = fn }), Precise: true},
		{Name: "property.deleter", Params: "self, fdel, /", Call: propertyWith(func(p *value.Property, fn value.Value) { p.Del = fn }), Precise: true},
		{Name: "staticmethod.__new__", Params: "cls, function, /", Call: wrapperNew(false), Precise: true},
		{Name: "classmethod.__new__", Params: "cls, function, /", Call: wrapperNew(true), Precise: true},
		{Name: "super.__new__", Params: "cls, type=None, obj=None, /", Call: superNew, Precise: true},
	}
}

func same1(t *value.Thread, a *value.Args) (value.Value, error) { return a.Pos[0], nil }

// typeNew is type(x), and type(name, bases, dict).
func typeNew(t *value.Thread, a *value.Args) (value.Value, error) {
	if len(a.Pos) == 2 && len(a.Names) == 0 {
		return value.ClassValue(t.ClassOf(a.Pos[1])).With(a.Pos[1].Label), nil
	}
	if len(a.Pos) != 4 {
		return value.Value{}, t.Raise(t.Types.TypeError, "type.__new__() takes 1 or 3 arguments")
	}
	name, ok := t.Base(a.Pos[1]).Obj.(*value.Str)
	bases, ok2 := t.Base(a.Pos[2]).Obj.(*value.Tuple)
	ns, ok3 := t.Base(a.Pos[3]).Obj.(*value.Dict)
	if !ok || !ok2 || !ok3 {
		return value.Value{}, t.Raise(t.Types.TypeError, "type.__new__() takes a name, a tuple of bases and a dict")
	}
	copied := &value.Dict{}
	said := map[string]string{"__qualname__": name.Text, "__module__": "__main__"}
	for i := range ns.Entries {
		e := &ns.Entries[i]
		s, is := e.Key.Obj.(*value.Str)
		text, isText := e.Val.Obj.(*value.Str)
		switch {
		case e.Key.Kind != value.KStr || !is:
		case value.Hook(s.Text):
			return value.Value{}, t.Raise(t.Types.TypeError, "cannot set '%s' of a class in a plan", s.Text)
		case said[s.Text] != "" && isText:
			said[s.Text] = text.Text
		default:
			copied.SetName(t.Intern(s.Text), e.Val)
		}
	}
	def := &classDef{name: name.Text, bases: append([]value.Value(nil), bases.Items...), names: a.Names, named: a.Named, ns: copied,
		l: t.Join(t.Join(a.Pos[1].Label, a.Pos[2].Label), a.Pos[3].Label)}
	if c, ok := a.Pos[0].Obj.(*value.Class); ok && c != t.Types.Type {
		def.meta = c
	}
	vm := of(t)
	cell := vm.classCell
	vm.classCell = nil
	return vm.makeClass(def, said["__qualname__"], said["__module__"], cell)
}

// typeCall makes an instance past the __call__ of the metaclass.
func typeCall(t *value.Thread, a *value.Args) (value.Value, error) {
	if len(a.Pos) == 0 || a.Pos[0].Kind != value.KClass {
		return value.Value{}, t.Raise(t.Types.TypeError, "descriptor '__call__' requires a 'type' object")
	}
	cls := a.Pos[0]
	cls.N = 1
	return t.TailCall(cls, append([]value.Value(nil), a.Pos[1:]...), a.Names, append([]value.Value(nil), a.Named...))
}

// nameArg is an argument that must be the name of an attribute.
func nameArg(t *value.Thread, v value.Value) (string, error) {
	s, ok := t.Base(v).Obj.(*value.Str)
	if !ok {
		return "", t.FailOf(v, t.Types.TypeError, "attribute name must be string, not '%s'", t.ClassName(v))
	}
	return s.Text, nil
}

// objectSetattr sets an attribute past the __setattr__ of the class.
func objectSetattr(t *value.Thread, a *value.Args) (value.Value, error) {
	name, err := nameArg(t, a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	o, v := a.Pos[0], a.Pos[2]
	o.Label = t.Join(o.Label, a.Pos[1].Label)
	if o.Kind == value.KObject {
		fn, err := t.DataSetter(t.ClassOf(o), name)
		if err != nil {
			return value.Value{}, err
		}
		if fn.Kind != value.KUnset {
			_, err := t.CallSelf(fn.With(t.Join(fn.Label, o.Label)), o, []value.Value{v})
			return value.None, err
		}
	}
	return value.None, t.SetOwn(o, name, v)
}

func objectDelattr(t *value.Thread, a *value.Args) (value.Value, error) {
	name, err := nameArg(t, a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	return value.None, t.DelOwn(a.Pos[0], name)
}

func genNext(t *value.Thread, a *value.Args) (value.Value, error) {
	return t.TailNext(a.Pos[0], value.Value{})
}

func genSend(t *value.Thread, a *value.Args) (value.Value, error) {
	return t.TailGen(value.TailSend, a.Pos[0], a.Pos[1])
}

func genThrow(t *value.Thread, a *value.Args) (value.Value, error) {
	v := a.Pos[1]
	if c, ok := v.Obj.(*value.Class); ok && c.IsExc {
		made, err := t.Call(v, nil, nil, nil)
		if err != nil {
			return value.Value{}, err
		}
		v = made.With(t.Join(made.Label, v.Label))
	}
	e, ok := v.Obj.(*value.Exception)
	if !ok {
		return value.Value{}, t.Raise(t.Types.TypeError, "exceptions must be classes or instances deriving from BaseException, not %s", t.ClassName(v))
	}
	t.Tail = value.TailCall{Fn: a.Pos[0], Op: value.TailThrow, Raise: &value.Raise{Exc: e, Label: v.Label}}
	return value.Value{}, value.ErrTail
}

func genClose(t *value.Thread, a *value.Args) (value.Value, error) {
	return t.TailGen(value.TailClose, a.Pos[0], value.None)
}

// generator does what the call that a native returned says.
func (vm *VM) generator(c value.TailCall, mode retMode, extra value.Value) error {
	g := c.Fn
	if mode != retPush {
		fn, args, err := vm.goesOn(c)
		if err != nil {
			return vm.failed(mode, extra, err)
		}
		return vm.invoke(fn, value.Value{}, args, nil, nil, mode, extra)
	}
	switch {
	case g.Kind == value.KObject:
		fn, _, ok := vm.t.ClassOf(g).Lookup("__next__")
		if !ok {
			return vm.t.Raise(vm.t.Types.TypeError, "'%s' object is not an iterator", vm.t.ClassName(g))
		}
		m := retPush
		if c.Op == value.TailNextOr {
			m = retDefaultNext
		}
		return vm.invoke(fn.With(vm.t.Join(fn.Label, g.Label)), g, nil, nil, nil, m, c.Extra)
	case c.Op == value.TailThrow:
		return vm.throw(g, c.Raise, retCall)
	case c.Op == value.TailClose:
		r, _ := vm.t.RaiseArgs(vm.t.Types.GeneratorExit).(*value.Raise)
		return vm.throw(g, r, retClose)
	}
	next := retCall
	switch c.Op {
	case value.TailNextOr:
		next = retDefault
	case value.TailAwait:
		next = retAwait
	}
	return vm.resume(g, c.Pos[0], next, c.Extra)
}

// goesOn is the function of the machine that does what [VM.generator] does, for Go
// code that waits for the value.
func (vm *VM) goesOn(c value.TailCall) (fn value.Value, args []value.Value, err error) {
	t := &vm.t
	name := ""
	switch args = []value.Value{c.Fn}; c.Op {
	case value.TailSend:
		if name = "go_on"; c.Fn.Kind == value.KGen {
			name, args = "send", append(args, c.Pos[0])
		}
	case value.TailNextOr:
		name, args = "go_on", append(args, c.Extra)
	default:
		return fn, nil, t.Raise(t.Types.RuntimeError, "a plan can close, throw into and await a generator in statements of its own only")
	}
	fn, err = t.MachineFunc(name)
	return fn, args, err
}

func propertyNew(t *value.Thread, a *value.Args) (value.Value, error) {
	p := &value.Property{Get: a.Pos[1], Set: a.Pos[2], Del: a.Pos[3], Doc: a.Pos[4]}
	if p.Doc.Kind == value.KUnset {
		if fn, ok := p.Get.Obj.(*value.Func); ok {
			p.Doc = fn.Doc
		}
	}
	return value.Value{Kind: value.KProp, Obj: p}, t.Alloc(5 * value.ValueBytes)
}

func superNew(t *value.Thread, a *value.Args) (value.Value, error) {
	if a.Pos[1].Kind == value.KUnset || a.Pos[2].Kind == value.KUnset {
		return value.Value{}, t.Raise(t.Types.RuntimeError, "super(): no arguments")
	}
	s, err := t.Super(a.Pos[1], a.Pos[2])
	if err != nil {
		return value.Value{}, err
	}
	return value.Value{Kind: value.KSpecial, Obj: s, Label: t.Join(a.Pos[1].Label, a.Pos[2].Label)}, t.Alloc(3 * value.ValueBytes)
}

// propertyWith is a decorator that gives a copy of a property another part.
func propertyWith(set func(p *value.Property, fn value.Value)) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		p, ok := a.Pos[0].Obj.(*value.Property)
		if !ok {
			return value.Value{}, t.Raise(t.Types.TypeError, "descriptor for 'property' objects doesn't apply to a '%s' object", t.ClassName(a.Pos[0]))
		}
		q := *p
		set(&q, a.Pos[1])
		return value.Value{Kind: value.KProp, Obj: &q, Label: a.Pos[0].Label}, t.Alloc(5 * value.ValueBytes)
	}
}

// wrapperNew is staticmethod(f), and classmethod(f), which binds.
func wrapperNew(bind bool) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		return value.Value{Kind: value.KProp, Obj: &value.Wrapper{Fn: a.Pos[1], Bind: bind}}, t.Alloc(2 * value.ValueBytes)
	}
}
