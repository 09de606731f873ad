package vm

import (
	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
)

// match executes the instructions of patterns.
func (vm *VM) match(f *Frame, in bytecode.Instr) error {
	switch in.Op() {
	case bytecode.MatchSequence:
		return vm.matchSequence(f, in.Arg()>>1, in.Arg()&1 != 0)
	case bytecode.MatchKeys:
		return vm.matchKeys(f)
	case bytecode.MatchClass:
		return vm.matchClass(f, in.Arg(), f.code.Keywords[f.word()])
	}
	return nil
}

// matchSequence checks that the subject is a sequence of n elements, or more.
func (vm *VM) matchSequence(f *Frame, n int, more bool) error {
	t := &vm.t
	v := *f.at(1)
	switch t.Base(v).Kind {
	case value.KTuple, value.KList, value.KRange:
	default:
		f.put(value.Bool(false).With(v.Label))
		return nil
	}
	seen := t.Seen
	t.Seen = v.Label
	got, err := t.Length(v)
	f.put(value.Bool(got == n || more && got > n).With(t.Seen))
	t.Seen = seen
	return err
}

// matchKeys looks up the keys of a mapping pattern.
func (vm *VM) matchKeys(f *Frame) error {
	t := &vm.t
	keys := f.take().Obj.(*value.Tuple).Items
	subject := f.take()
	d, ok := t.Base(subject).Obj.(*value.Dict)
	if !ok {
		f.put(value.None.With(subject.Label))
		return nil
	}
	out := make([]value.Value, 0, len(keys))
	for _, k := range keys {
		v, found, err := d.Get(t, k)
		if err != nil {
			return err
		}
		v.Label = t.Join(v.Label, subject.Label)
		if !found {
			f.put(value.None.With(v.Label))
			return nil
		}
		out = append(out, v)
	}
	return vm.putParts(f, out, subject.Label)
}

// putParts pushes the tuple of what sub-patterns look at.
func (vm *VM) putParts(f *Frame, parts []value.Value, l label.ID) error {
	f.put(vm.t.Tuple(parts).With(l))
	return vm.t.Alloc(int64(len(parts)+2) * value.ValueBytes)
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
	if v.Label != 0 && t.Hooks && pos+len(names) > 0 {
		t.Chosen(v.Label, value.Unknown)
	}
	if !t.IsInstance(v, c) {
		f.put(value.None.With(l))
		return nil
	}
	var out []value.Value
	if pos > 0 {
		list, by, err := vm.matchArgs(c, pos)
		if err != nil {
			return err
		}
		l = t.Join(l, by)
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
		out = append(out, x.With(t.Join(x.Label, l)))
	}
	return vm.putParts(f, out, l)
}

// matchArgs are the names behind the positional sub-patterns of a class, and the label of
// what they depend on; nil stands for the value itself.
func (vm *VM) matchArgs(c *value.Class, pos int) ([]string, label.ID, error) {
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
		return nil, 0, t.Raise(t.Types.TypeError, "%s() accepts %s (%d given)", c.Name, plural(allowed, "positional sub-pattern"), pos)
	}
	l := v.Label
	if args == nil {
		return nil, l, nil
	}
	names := make([]string, pos)
	for i, item := range args.Items[:pos] {
		s, is := item.Obj.(*value.Str)
		if !is {
			return nil, 0, t.Raise(t.Types.TypeError, "__match_args__ elements must be strings (got %s)", t.ClassName(item))
		}
		names[i] = s.Text
		l = t.Join(l, item.Label)
	}
	return names, l, nil
}
