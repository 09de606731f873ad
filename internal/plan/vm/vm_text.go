package vm

import (
	"strconv"

	"praxis/internal/plan/label"
	"praxis/internal/plan/pytext"
)

// joinParts makes one string of the parts of an f-string: strings, and ints
// that are written as str() writes them.
func (vm *VM) joinParts(parts []Value) (Value, error) {
	size, ascii := 0, true
	var l label.ID
	for i := range parts {
		p := &parts[i]
		if p.k == kInt {
			size += 20
		} else {
			s := p.o.(*Str)
			size += len(s.s)
			ascii = ascii && s.ascii == 1
		}
		if p.l != 0 {
			l = vm.t.join(l, p.l)
		}
	}
	if err := vm.t.alloc(int64(size) + strBytes); err != nil {
		return Value{}, err
	}
	buf := vm.text[:0]
	for i := range parts {
		if parts[i].k == kInt {
			buf = strconv.AppendInt(buf, parts[i].n, 10)
		} else {
			buf = append(buf, parts[i].o.(*Str).s...)
		}
	}
	if cap(buf) <= 1<<16 {
		vm.text = buf
	}
	s := newStr(buf)
	if ascii {
		s.ascii = 1
	}
	return Value{k: kStr, o: s, l: l}, nil
}

// specEntry remembers how one format specifier reads.
type specEntry struct {
	text string
	k    Kind
	spec pytext.Spec
}

// spec reads the specifier of an int or a float; ok is false when it has an
// error, which the slow way tells.
func (vm *VM) spec(text string, k Kind) (*pytext.Spec, bool) {
	at := uint32(k)
	for i := range len(text) {
		at = at*33 ^ uint32(text[i])
	}
	e := &vm.specs[at%uint32(len(vm.specs))]
	if e.k == k && e.text == text {
		return &e.spec, true
	}
	target, name := pytext.ForInt, "int"
	if k == kFloat {
		target, name = pytext.ForFloat, "float"
	}
	s, err := pytext.ParseSpec(text, target, name)
	if err != nil || s.Width > 1024 || s.Precision > 1024 {
		return nil, false
	}
	*e = specEntry{text, k, s}
	return &e.spec, true
}

// format is one {} of an f-string.
func (vm *VM) format(f *Frame, a int) error {
	t := &vm.t
	var spec Value
	if a&4 != 0 {
		spec = f.take()
	}
	v := *f.at(1)
	switch {
	case v.k == kStr && spec.k == kUnset && a != 2 && a != 3:
		return nil
	case (v.k == kInt || v.k == kFloat) && a&3 == 0:
		ok, err := vm.formatNumber(f, v, spec)
		if ok || err != nil {
			return err
		}
	}
	seen := t.seen
	t.seen = 0
	defer func() { t.seen = seen }()
	t.see(v.l)
	t.see(spec.l)
	if verb := a & 3; verb != 0 {
		x, err := t.convert(v, rune("-sra"[verb]))
		if err != nil {
			return err
		}
		if v = x; spec.k == kUnset {
			f.st[f.sp-1] = v.with(t.join(v.l, t.seen))
			return nil
		}
	}
	text := ""
	if spec.k == kStr {
		text = spec.o.(*Str).s
	}
	s, err := t.format(v, text)
	if err != nil {
		return err
	}
	if err := t.alloc(int64(len(s)) + strBytes); err != nil {
		return err
	}
	f.st[f.sp-1] = t.str(s).with(t.seen)
	return nil
}

// formatNumber is the short way for an int or a float.
func (vm *VM) formatNumber(f *Frame, v, spec Value) (bool, error) {
	t := &vm.t
	buf := vm.text[:0]
	text := ""
	if spec.k == kStr {
		text = spec.o.(*Str).s
	}
	switch {
	case text != "":
		sp, ok := vm.spec(text, v.k)
		if !ok {
			return false, nil
		}
		var err error
		if v.k == kInt {
			buf, err = pytext.FormatInt(buf, v.n, sp, 1<<16)
		} else {
			buf, err = pytext.FormatFloat(buf, v.float(), sp, 1<<16)
		}
		if err != nil {
			return false, nil
		}
	case v.k == kInt:
		buf = strconv.AppendInt(buf, v.n, 10)
	default:
		buf = pytext.AppendFloat(buf, v.float())
	}
	vm.text = buf
	if err := t.alloc(int64(len(buf)) + strBytes); err != nil {
		return false, err
	}
	l := v.l
	if l|spec.l != 0 {
		l = t.join(l, spec.l)
	}
	f.st[f.sp-1] = Value{k: kStr, o: newStr(buf), l: l}
	return true, nil
}
