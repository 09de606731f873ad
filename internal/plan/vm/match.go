package vm

// match carries out the instructions of patterns.
func (vm *VM) match(f *Frame, in Instr) error {
	t := &vm.t
	v := *f.at(1)
	switch in.op() {
	case opMatchSequence:
		f.put(boolValue(vm.isSequence(v)).with(v.l))
	case opMatchMapping:
		f.put(boolValue(vm.isMapping(v)).with(v.l))
	case opMatchLen:
		n, err := t.lengthSeen(v)
		if err != nil {
			return err
		}
		want := int64(in.arg() >> 1)
		f.put(boolValue(n.n == want || in.arg()&1 != 0 && n.n > want).with(n.l))
	case opMatchKeys:
		return vm.matchKeys(f)
	case opMatchClass:
		return vm.matchClass(f, in.arg(), f.code.keywords[f.word()])
	case opMatchRest:
		return vm.matchRest(f)
	}
	return nil
}

// lengthSeen is the length of v with its label.
func (t *Thread) lengthSeen(v Value) (Value, error) {
	seen := t.seen
	t.seen = v.l
	n, err := t.length(v)
	l := t.seen
	t.seen = seen
	return intValue(int64(n)).with(l), err
}

// isSequence reports whether sequence patterns match v.
func (vm *VM) isSequence(v Value) bool {
	switch vm.t.base(v).k {
	case kTuple, kList, kRange:
		return true
	}
	return v.k == kObject && vm.marked(v, "Sequence")
}

// isMapping reports whether mapping patterns match v.
func (vm *VM) isMapping(v Value) bool {
	return vm.t.base(v).k == kDict || v.k == kObject && vm.marked(v, "Mapping")
}

// marked reports whether v's class derives from a class of the library with this name.
func (vm *VM) marked(v Value, name string) bool {
	for _, c := range vm.t.classOf(v).mro {
		if c.name == name && c.module == "collections.abc" {
			return true
		}
	}
	return false
}

// matchKeys looks up the keys of a mapping pattern.
func (vm *VM) matchKeys(f *Frame) error {
	t := &vm.t
	keys := f.at(1).o.(*Tuple).items
	subject := *f.at(2)
	d, ok := t.base(subject).o.(*Dict)
	out := make([]Value, 0, len(keys))
	seen := &Set{}
	for _, k := range keys {
		isNew, err := seen.add(t, k)
		if err != nil {
			return err
		}
		if !isNew {
			text, err := t.repr(k)
			if err != nil {
				return err
			}
			return t.raise(t.types.ValueError, "mapping pattern checks duplicate key (%s)", text)
		}
		var v Value
		found := false
		if ok {
			if v, found, err = d.get(t, k); err == nil {
				v.l = t.join(v.l, subject.l)
			}
		} else {
			v, found, err = vm.lookupKey(subject, k)
		}
		if err != nil {
			return err
		}
		if !found {
			f.put(none.with(t.join(v.l, subject.l)))
			return nil
		}
		out = append(out, v)
	}
	if err := t.alloc(int64(len(out)+2) * valueBytes); err != nil {
		return err
	}
	f.put(t.tuple(out).with(subject.l))
	return nil
}

// lookupKey is subject[k], false for a KeyError.
func (vm *VM) lookupKey(subject, k Value) (Value, bool, error) {
	t := &vm.t
	v, err := t.getItem(subject, k)
	if r, ok := err.(*Raise); ok && r.exc.cls.derives(t.types.KeyError) {
		return Value{l: r.l}, false, nil
	}
	return v, err == nil, err
}

// selfMatching are the built-in classes whose only positional sub-pattern is the value itself.
func (t *Thread) selfMatching(c *Class) bool {
	ts := t.types
	for _, k := range [...]*Class{ts.Bool, ts.Bytes, ts.Dict, ts.Float, ts.FrozenSet, ts.Int, ts.List, ts.Set, ts.Str, ts.Tuple} {
		if c.derives(k) {
			return true
		}
	}
	return false
}

// matchClass checks the class of the subject and gathers the attributes that the sub-patterns look at.
func (vm *VM) matchClass(f *Frame, pos int, names []string) error {
	t := &vm.t
	cv := f.take()
	v := f.take()
	c, ok := cv.o.(*Class)
	if !ok {
		return t.raise(t.types.TypeError, "called match pattern must be a class")
	}
	l := t.join(v.l, cv.l)
	if !t.isInstance(v, c) {
		f.put(none.with(l))
		return nil
	}
	var out []Value
	seen := map[string]bool{}
	if pos > 0 {
		list, err := vm.matchArgs(c, pos)
		if err != nil {
			return err
		}
		if list == nil {
			out = append(out, v)
		}
		for _, name := range list {
			if seen[name] {
				return t.raise(t.types.TypeError, "%s() got multiple sub-patterns for attribute '%s'", c.name, name)
			}
			seen[name] = true
		}
		names = append(append([]string(nil), list...), names...)
	}
	for i, name := range names {
		if i >= pos && seen[name] {
			return t.raise(t.types.TypeError, "%s() got multiple sub-patterns for attribute '%s'", c.name, name)
		}
		seen[name] = true
		x, err := t.getAttr(v, name)
		if r, is := err.(*Raise); is && r.exc.cls.derives(t.types.AttributeError) {
			f.put(none.with(t.join(l, r.l)))
			return nil
		}
		if err != nil {
			return err
		}
		out = append(out, x)
	}
	if err := t.alloc(int64(len(out)+2) * valueBytes); err != nil {
		return err
	}
	f.put(t.tuple(out).with(l))
	return nil
}

// matchArgs are the names behind the positional sub-patterns of a class; nil
// stands for the value itself.
func (vm *VM) matchArgs(c *Class, pos int) ([]string, error) {
	t := &vm.t
	v, _, ok := c.lookup("__match_args__")
	allowed := 0
	if !ok {
		if t.selfMatching(c) {
			allowed = 1
		}
	} else {
		tu, is := v.o.(*Tuple)
		if !is {
			return nil, t.raise(t.types.TypeError, "%s.__match_args__ must be a tuple (got %s)", c.name, t.className(v))
		}
		allowed = len(tu.items)
	}
	if pos > allowed {
		s := "s"
		if allowed == 1 {
			s = ""
		}
		return nil, t.raise(t.types.TypeError, "%s() accepts %d positional sub-pattern%s (%d given)", c.name, allowed, s, pos)
	}
	if !ok {
		return nil, nil
	}
	names := make([]string, pos)
	for i, item := range v.o.(*Tuple).items[:pos] {
		s, is := item.o.(*Str)
		if !is {
			return nil, t.raise(t.types.TypeError, "__match_args__ elements must be strings (got %s)", t.className(item))
		}
		names[i] = s.s
	}
	return names, nil
}

// matchRest is the dict of what a mapping pattern did not name.
func (vm *VM) matchRest(f *Frame) error {
	t := &vm.t
	keys := f.take().o.(*Tuple).items
	v := f.take()
	d, ok := t.base(v).o.(*Dict)
	if !ok {
		fn, err := vm.t.own("rest")
		if err != nil {
			return err
		}
		return vm.invoke(fn, Value{}, []Value{v, t.tuple(keys)}, nil, nil, retPush, Value{})
	}
	out, err := d.copy(t)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if _, _, err := out.del(t, k); err != nil {
			return err
		}
	}
	f.put(Value{k: kDict, o: out, l: v.l})
	return nil
}
