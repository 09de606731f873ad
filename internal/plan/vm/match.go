package vm

import (
	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/value"
)

// match executes the instructions of patterns.
func (vm *VM) match(f *Frame, in bytecode.Instr) error {
	t := &vm.t
	v := *f.at(1)
	switch in.Op() {
	case bytecode.MatchSequence:
		f.put(value.Bool(vm.isSequence(v)).With(v.Label))
	case bytecode.MatchMapping:
		f.put(value.Bool(vm.isMapping(v)).With(v.Label))
	case bytecode.MatchLen:
		n, err := lengthSeen(t, v)
		if err != nil {
			return err
		}
		want := int64(in.Arg() >> 1)
		f.put(value.Bool(n.N == want || in.Arg()&1 != 0 && n.N > want).With(n.Label))
	case bytecode.MatchKeys:
		return vm.matchKeys(f)
	case bytecode.MatchClass:
		return vm.matchClass(f, in.Arg(), f.code.Keywords[f.word()])
	case bytecode.MatchRest:
		return vm.matchRest(f)
	}
	return nil
}

// lengthSeen is the length of v with its label.
func lengthSeen(t *value.Thread, v value.Value) (value.Value, error) {
	seen := t.Seen
	t.Seen = v.Label
	n, err := t.Length(v)
	l := t.Seen
	t.Seen = seen
	return value.Int(int64(n)).With(l), err
}

// isSequence reports whether sequence patterns match v.
func (vm *VM) isSequence(v value.Value) bool {
	switch vm.t.Base(v).Kind {
	case value.KTuple, value.KList, value.KRange:
		return true
	}
	return false
}

// isMapping reports whether mapping patterns match v.
func (vm *VM) isMapping(v value.Value) bool {
	return vm.t.Base(v).Kind == value.KDict
}

// matchKeys looks up the keys of a mapping pattern.
func (vm *VM) matchKeys(f *Frame) error {
	t := &vm.t
	keys := f.at(1).Obj.(*value.Tuple).Items
	subject := *f.at(2)
	d := t.Base(subject).Obj.(*value.Dict) // MatchMapping has looked
	out := make([]value.Value, 0, len(keys))
	for _, k := range keys {
		v, found, err := d.Get(t, k)
		if err != nil {
			return err
		}
		if !found {
			f.put(value.None.With(t.Join(v.Label, subject.Label)))
			return nil
		}
		out = append(out, v.With(t.Join(v.Label, subject.Label)))
	}
	if err := t.Alloc(int64(len(out)+2) * value.ValueBytes); err != nil {
		return err
	}
	f.put(t.Tuple(out).With(subject.Label))
	return nil
}

// selfMatching are the built-in classes whose only positional sub-pattern is the value itself.
func selfMatching(t *value.Thread, c *value.Class) bool {
	ts := t.Types
	for _, k := range [...]*value.Class{ts.Bool, ts.Bytes, ts.Dict, ts.Float, ts.FrozenSet, ts.Int, ts.List, ts.Set, ts.Str, ts.Tuple} {
		if c.Derives(k) {
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
	c, ok := cv.Obj.(*value.Class)
	if !ok {
		return t.Raise(t.Types.TypeError, "called match pattern must be a class")
	}
	l := t.Join(v.Label, cv.Label)
	if !t.IsInstance(v, c) {
		f.put(value.None.With(l))
		return nil
	}
	var out []value.Value
	if pos > 0 {
		list, err := vm.matchArgs(c, pos)
		if err != nil {
			return err
		}
		if list == nil {
			out = append(out, v)
		}
		names = append(list, names...)
	}
	for _, name := range names {
		x, err := t.GetAttr(v, name)
		if r, is := err.(*value.Raise); is && r.Exc.Cls.Derives(t.Types.AttributeError) {
			f.put(value.None.With(t.Join(l, r.Label)))
			return nil
		}
		if err != nil {
			return err
		}
		out = append(out, x)
	}
	if err := t.Alloc(int64(len(out)+2) * value.ValueBytes); err != nil {
		return err
	}
	f.put(t.Tuple(out).With(l))
	return nil
}

// matchArgs are the names behind the positional sub-patterns of a class; nil
// stands for the value itself.
func (vm *VM) matchArgs(c *value.Class, pos int) ([]string, error) {
	t := &vm.t
	v, _, ok := c.Lookup("__match_args__")
	args, _ := v.Obj.(*value.Tuple)
	allowed := 0
	if args != nil {
		allowed = len(args.Items)
	} else if !ok && selfMatching(t, c) {
		allowed = 1
	}
	if pos > allowed {
		return nil, t.Raise(t.Types.TypeError, "%s() accepts %s (%d given)", c.Name, plural(allowed, "positional sub-pattern"), pos)
	}
	if args == nil {
		return nil, nil
	}
	names := make([]string, pos)
	for i, item := range args.Items[:pos] {
		s, is := item.Obj.(*value.Str)
		if !is {
			return nil, t.Raise(t.Types.TypeError, "__match_args__ elements must be strings (got %s)", t.ClassName(item))
		}
		names[i] = s.Text
	}
	return names, nil
}

// matchRest is the dict of what a mapping pattern did not name.
func (vm *VM) matchRest(f *Frame) error {
	t := &vm.t
	keys := f.take().Obj.(*value.Tuple).Items
	v := f.take()
	d := t.Base(v).Obj.(*value.Dict) // MatchMapping has looked
	out, err := d.Copy(t)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if _, _, err := out.Del(t, k); err != nil {
			return err
		}
	}
	f.put(value.Value{Kind: value.KDict, Obj: out, Label: v.Label})
	return nil
}
