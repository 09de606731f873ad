package vm

// machineNatives are the natives of the classes that belong to the machine:
// functions, generators, descriptors, classes themselves.
func machineNatives() []*Native {
	return []*Native{
		{name: "type.__call__", call: typeCall, precise: true},
		{name: "type.__new__", call: typeNew, precise: true},
		{name: "object.__setattr__", params: "self, name, value, /", call: objectSetattr, precise: true},
		{name: "object.__delattr__", params: "self, name, /", call: objectDelattr, precise: true},
		{name: "object.__getattribute__", params: "self, name, /", call: objectGetattribute, precise: true},
		{name: "type.mro", params: "self, /", call: typeMro},
		{name: "generator.__iter__", params: "self, /", call: same1, precise: true},
		{name: "generator.__next__", params: "self, /", call: genNext, precise: true},
		{name: "generator.send", params: "self, value, /", call: genSend, precise: true},
		{name: "generator.throw", params: "self, typ, val=None, tb=None, /", call: genThrow, precise: true},
		{name: "generator.close", params: "self, /", call: genClose, precise: true},
		{name: "coroutine.send", params: "self, value, /", call: genSend, precise: true},
		{name: "coroutine.throw", params: "self, typ, val=None, tb=None, /", call: genThrow, precise: true},
		{name: "coroutine.close", params: "self, /", call: genClose, precise: true},
		{name: "property.__new__", params: "cls, fget=None, fset=None, fdel=None, doc=None", call: propertyNew, precise: true},
		{name: "property.getter", params: "self, fget, /", call: propertyGetter, precise: true},
		{name: "property.setter", params: "self, fset, /", call: propertySetter, precise: true},
		{name: "property.deleter", params: "self, fdel, /", call: propertyDeleter, precise: true},
		{name: "staticmethod.__new__", params: "cls, function, /", call: staticNew, precise: true},
		{name: "classmethod.__new__", params: "cls, function, /", call: classNew, precise: true},
		{name: "super.__new__", params: "cls, type=None, obj=None, /", call: superNew, precise: true},
		{name: "function.__get__", params: "self, obj, type=None, /", call: funcGet, precise: true},
	}
}

// hiddenNatives are natives that the machine alone hands out.
func hiddenNatives() []*Native {
	return []*Native{{name: "_machine.generic", params: "cls, item, /", call: same1, precise: true}}
}

// genericItem is what subscribes a class with type parameters: C[int] is C.
func genericItem() *Native { return natives()["_machine.generic"] }

func same1(t *Thread, a *Args) (Value, error) { return a.Pos[0], nil }

// typeNew is type(x), and type(name, bases, dict).
func typeNew(t *Thread, a *Args) (Value, error) {
	if len(a.Pos) == 2 && len(a.Names) == 0 {
		return classValue(t.classOf(a.Pos[1])).with(a.Pos[1].l), nil
	}
	if len(a.Pos) != 4 {
		return Value{}, t.raise(t.types.TypeError, "type.__new__() takes 1 or 3 arguments")
	}
	name, ok := t.base(a.Pos[1]).o.(*Str)
	bases, ok2 := t.base(a.Pos[2]).o.(*Tuple)
	ns, ok3 := t.base(a.Pos[3]).o.(*Dict)
	if !ok || !ok2 || !ok3 {
		return Value{}, t.raise(t.types.TypeError, "type.__new__() takes a name, a tuple of bases and a dict")
	}
	copied := &Dict{}
	qual, module := name.s, "__main__"
	for i := range ns.entries {
		e := &ns.entries[i]
		s, is := e.key.o.(*Str)
		if e.key.k != kStr || !is {
			continue
		}
		switch v, isStr := e.val.o.(*Str); {
		case s.s == "__qualname__" && isStr:
			qual = v.s
		case s.s == "__module__" && isStr:
			module = v.s
		default:
			copied.setName(t.intern(s.s), e.val)
		}
	}
	def := &classDef{name: name.s, bases: append([]Value(nil), bases.items...), names: a.Names, named: a.Named, ns: copied,
		l: t.join(t.join(a.Pos[1].l, a.Pos[2].l), a.Pos[3].l)}
	if c, ok := a.Pos[0].o.(*Class); ok && c != t.types.Type {
		def.meta = c
	}
	vm := of(t)
	cell := vm.classCell
	vm.classCell = nil
	return vm.makeClass(def, qual, module, cell)
}

// typeCall makes an instance past the __call__ of the metaclass.
func typeCall(t *Thread, a *Args) (Value, error) {
	if len(a.Pos) == 0 || a.Pos[0].k != kClass {
		return Value{}, t.raise(t.types.TypeError, "descriptor '__call__' requires a 'type' object")
	}
	cls := a.Pos[0]
	cls.n = 1
	return t.tailCall(cls, append([]Value(nil), a.Pos[1:]...), a.Names, append([]Value(nil), a.Named...))
}

// nameArg is an argument that must be the name of an attribute.
func (t *Thread) nameArg(v Value) (string, error) {
	s, ok := t.base(v).o.(*Str)
	if !ok {
		return "", t.failOf(v, t.types.TypeError, "attribute name must be string, not '%s'", t.className(v))
	}
	return s.s, nil
}

// objectSetattr sets an attribute past the __setattr__ of the class.
func objectSetattr(t *Thread, a *Args) (Value, error) {
	name, err := t.nameArg(a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	o, v := a.Pos[0], a.Pos[2]
	o.l = t.join(o.l, a.Pos[1].l)
	if o.k == kObject {
		fn, args, err := t.dataSetter(o, t.classOf(o), name, v)
		if err != nil {
			return Value{}, err
		}
		if fn.k != kUnset {
			_, err := t.Call(fn, args, nil, nil)
			return none, err
		}
	}
	return none, t.setOwn(o, name, v)
}

func objectDelattr(t *Thread, a *Args) (Value, error) {
	name, err := t.nameArg(a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	return none, t.delOwn(a.Pos[0], name)
}

// objectGetattribute reads an attribute past __getattribute__ and __getattr__ of the class.
func objectGetattribute(t *Thread, a *Args) (Value, error) {
	name, err := t.nameArg(a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	v, ok, err := t.plainAttr(a.Pos[0], name)
	if err != nil {
		return Value{}, err
	}
	if !ok {
		return Value{}, t.noAttr(a.Pos[0], name)
	}
	v.l = t.join(v.l, a.Pos[1].l)
	return v, nil
}

func typeMro(t *Thread, a *Args) (Value, error) {
	c, ok := a.Pos[0].o.(*Class)
	if !ok {
		return Value{}, t.raise(t.types.TypeError, "unbound method type.mro() needs an argument")
	}
	return t.list(classValues(c.mro)), nil
}

// tailGen is tailCall for something that is done with a generator.
func (t *Thread) tailGen(op tailOp, g, sent Value) (Value, error) {
	t.tail = tailCall{fn: g, pos: []Value{sent}, op: op}
	return Value{}, errTail
}

// tailNext is what next(it) and next(it, fallback) return: the machine goes on
// with the generator or calls __next__ in a frame. fallback may be unset.
func (t *Thread) tailNext(it, fallback Value) (Value, error) {
	op := tailSend
	if fallback.k != kUnset {
		op = tailNextOr
	}
	t.tail = tailCall{fn: it, pos: []Value{none}, op: op, extra: fallback}
	return Value{}, errTail
}

func genNext(t *Thread, a *Args) (Value, error) { return t.tailNext(a.Pos[0], Value{}) }

func genSend(t *Thread, a *Args) (Value, error) {
	return t.tailGen(tailSend, a.Pos[0], a.Pos[1])
}

func genThrow(t *Thread, a *Args) (Value, error) {
	typ, val := a.Pos[1], a.Pos[2]
	if c, ok := typ.o.(*Class); ok && c.isExc {
		var args []Value
		if val.k != kUnset && val.k != kNone {
			args = []Value{val}
		}
		if _, is := val.o.(*Exception); is {
			typ = val
		} else {
			v, err := t.Call(typ, args, nil, nil)
			if err != nil {
				return Value{}, err
			}
			typ = v
		}
	}
	e, ok := typ.o.(*Exception)
	if !ok {
		return Value{}, t.raise(t.types.TypeError, "exceptions must be classes or instances deriving from BaseException, not %s", t.className(typ))
	}
	t.tail = tailCall{fn: a.Pos[0], op: tailThrow, raise: &Raise{exc: e, l: typ.l}}
	return Value{}, errTail
}

func genClose(t *Thread, a *Args) (Value, error) {
	return t.tailGen(tailClose, a.Pos[0], none)
}

// generator carries out what a native asked for.
func (vm *VM) generator(c tailCall, mode retMode, extra Value) error {
	g := c.fn
	if mode != retPush {
		v, err := vm.generatorNow(c)
		if err != nil {
			return vm.failed(mode, extra, err)
		}
		return vm.deliver(mode, extra, v)
	}
	if g.k == kObject {
		fn, _, ok := vm.t.classOf(g).lookup("__next__")
		if !ok {
			return vm.t.raise(vm.t.types.TypeError, "'%s' object is not an iterator", vm.t.className(g))
		}
		m := retPush
		if c.op == tailNextOr {
			m = retDefaultNext
		}
		return vm.invoke(fn.with(vm.t.join(fn.l, g.l)), g, nil, nil, nil, m, c.extra)
	}
	switch c.op {
	case tailThrow:
		return vm.throw(g, c.raise, retCall)
	case tailClose:
		gen := g.o.(*Gen)
		if gen.f == nil || !gen.started {
			gen.f = nil
			gen.started = true
			return vm.deliver(retPush, Value{}, none)
		}
		return vm.throw(g, vm.raiseNow(vm.t.types.GeneratorExit), retClose)
	}
	return vm.resume(g, c.pos[0], tailMode(c.op), c.extra)
}

// tailMode says what is done with what the generator yields or returns.
func tailMode(op tailOp) retMode {
	switch op {
	case tailNextOr:
		return retDefault
	case tailAwait:
		return retAwait
	}
	return retCall
}

// generatorNow is generator for Go code that waits for the value.
func (vm *VM) generatorNow(c tailCall) (Value, error) {
	t := &vm.t
	if vm.nested >= maxNested {
		return Value{}, vm.tooDeep()
	}
	if c.fn.k == kObject {
		v, ok, err := t.next(c.fn)
		if err != nil || ok {
			return v, err
		}
		if c.op == tailNextOr {
			return c.extra, nil
		}
		return Value{}, vm.stopIteration(none)
	}
	if c.op == tailClose {
		return vm.closeNow(c.fn)
	}
	vm.nested++
	defer func() { vm.nested-- }()
	var err error
	if c.op == tailThrow {
		err = vm.throw(c.fn, c.raise, retGo)
		if g := c.fn.o.(*Gen); err != nil && isRaise(err) && g.running {
			err = vm.unwind(err)
		}
	} else {
		err = vm.resume(c.fn, c.pos[0], retGo, Value{})
	}
	if err == nil {
		if err = vm.run(); err == nil {
			err = errReturned
		}
	}
	if err != errReturned {
		return Value{}, err
	}
	v := vm.result
	vm.result = Value{}
	switch {
	case vm.yielded:
		return v, nil
	case c.op == tailNextOr:
		return c.extra, nil
	}
	return Value{}, vm.stopIteration(v)
}

func propertyNew(t *Thread, a *Args) (Value, error) {
	p := &Property{get: a.Pos[1], set: a.Pos[2], del: a.Pos[3], doc: a.Pos[4]}
	if p.doc.k == kUnset {
		if fn, ok := p.get.o.(*Func); ok {
			p.doc = fn.doc
		}
	}
	return Value{k: kProp, o: p}, t.alloc(5 * valueBytes)
}

func property(t *Thread, v Value) (*Property, error) {
	p, ok := v.o.(*Property)
	if !ok {
		return nil, t.raise(t.types.TypeError, "descriptor for 'property' objects doesn't apply to a '%s' object", t.className(v))
	}
	q := *p
	return &q, t.alloc(5 * valueBytes)
}

func propertyGetter(t *Thread, a *Args) (Value, error) {
	p, err := property(t, a.Pos[0])
	if err == nil {
		p.get = a.Pos[1]
	}
	return Value{k: kProp, o: p, l: a.Pos[0].l}, err
}

func propertySetter(t *Thread, a *Args) (Value, error) {
	p, err := property(t, a.Pos[0])
	if err == nil {
		p.set = a.Pos[1]
	}
	return Value{k: kProp, o: p, l: a.Pos[0].l}, err
}

func propertyDeleter(t *Thread, a *Args) (Value, error) {
	p, err := property(t, a.Pos[0])
	if err == nil {
		p.del = a.Pos[1]
	}
	return Value{k: kProp, o: p, l: a.Pos[0].l}, err
}

func staticNew(t *Thread, a *Args) (Value, error) {
	return Value{k: kProp, o: &Wrapper{fn: a.Pos[1]}}, t.alloc(2 * valueBytes)
}

func classNew(t *Thread, a *Args) (Value, error) {
	return Value{k: kProp, o: &Wrapper{fn: a.Pos[1], bind: true}}, t.alloc(2 * valueBytes)
}

func superNew(t *Thread, a *Args) (Value, error) {
	if a.Pos[1].k == kUnset || a.Pos[2].k == kUnset {
		return Value{}, t.raise(t.types.RuntimeError, "super(): no arguments")
	}
	s, err := t.super(a.Pos[1], a.Pos[2])
	if err != nil {
		return Value{}, err
	}
	return Value{k: kSpecial, o: s, l: t.join(a.Pos[1].l, a.Pos[2].l)}, t.alloc(3 * valueBytes)
}

// funcGet binds a function, as the attribute protocol does.
func funcGet(t *Thread, a *Args) (Value, error) {
	if a.Pos[1].k == kNone {
		return a.Pos[0], nil
	}
	return Value{k: kMethod, o: &Method{a.Pos[1], a.Pos[0]}, l: t.join(a.Pos[0].l, a.Pos[1].l)}, nil
}
