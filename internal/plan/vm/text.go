package vm

import (
	"strconv"

	"praxis/internal/plan/label"
	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/value"
)

// joinParts makes one string of the parts of an f-string: strings, and ints
// that are written as str() writes them.
func (vm *VM) joinParts(parts []value.Value) (value.Value, error) {
	size, ascii := 0, true
	var l label.ID
	for i := range parts {
		p := &parts[i]
		if p.Kind == value.KInt {
			size += 20
		} else {
			s := p.Obj.(*value.Str)
			size += len(s.Text)
			ascii = ascii && s.Ascii == 1
		}
		if p.Label != 0 {
			l = vm.t.Join(l, p.Label)
		}
	}
	if err := vm.t.Alloc(int64(size) + value.StrBytes); err != nil {
		return value.Value{}, err
	}
	buf := vm.text[:0]
	for i := range parts {
		if parts[i].Kind == value.KInt {
			buf = strconv.AppendInt(buf, parts[i].N, 10)
		} else {
			buf = append(buf, parts[i].Obj.(*value.Str).Text...)
		}
	}
	if cap(buf) <= 1<<16 {
		vm.text = buf
	}
	s := value.NewStr(buf)
	if ascii {
		s.Ascii = 1
	}
	return value.Value{Kind: value.KStr, Obj: s, Label: l}, nil
}

// specEntry remembers how one format specifier reads.
type specEntry struct {
	text string
	k    value.Kind
	spec pytext.Spec
}

// spec reads the specifier of an int or a float; ok is false when it has an
// error, which the slow path reports.
func (vm *VM) spec(text string, k value.Kind) (*pytext.Spec, bool) {
	at := uint32(k)
	for i := range len(text) {
		at = at*33 ^ uint32(text[i])
	}
	e := &vm.specs[at%uint32(len(vm.specs))]
	if e.k == k && e.text == text {
		return &e.spec, true
	}
	target, name := pytext.ForInt, "int"
	if k == value.KFloat {
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
	var spec value.Value
	if a&4 != 0 {
		spec = f.take()
	}
	v := *f.at(1)
	switch {
	case v.Kind == value.KStr && spec.Kind == value.KUnset && a != 2 && a != 3:
		return nil
	case (v.Kind == value.KInt || v.Kind == value.KFloat) && a&3 == 0:
		ok, err := vm.formatNumber(f, v, spec)
		if ok || err != nil {
			return err
		}
	}
	seen := t.Seen
	t.Seen = 0
	defer func() { t.Seen = seen }()
	t.See(v.Label)
	t.See(spec.Label)
	if verb := a & 3; verb != 0 {
		x, err := t.Convert(v, rune("-sra"[verb]))
		if err != nil {
			return err
		}
		if v = x; spec.Kind == value.KUnset {
			f.st[f.sp-1] = v.With(t.Join(v.Label, t.Seen))
			return nil
		}
	}
	text := ""
	if spec.Kind == value.KStr {
		text = spec.Obj.(*value.Str).Text
	}
	s, err := t.Format(v, text)
	if err != nil {
		return err
	}
	if err := t.Alloc(int64(len(s)) + value.StrBytes); err != nil {
		return err
	}
	f.st[f.sp-1] = t.Str(s).With(t.Seen)
	return nil
}

// formatNumber is the short way for an int or a float.
func (vm *VM) formatNumber(f *Frame, v, spec value.Value) (bool, error) {
	t := &vm.t
	buf := vm.text[:0]
	text := ""
	if spec.Kind == value.KStr {
		text = spec.Obj.(*value.Str).Text
	}
	switch {
	case text != "":
		sp, ok := vm.spec(text, v.Kind)
		if !ok {
			return false, nil
		}
		var err error
		if v.Kind == value.KInt {
			buf, err = pytext.FormatInt(buf, v.N, sp, 1<<16)
		} else {
			buf, err = pytext.FormatFloat(buf, v.Float(), sp, 1<<16)
		}
		if err != nil {
			return false, nil
		}
	case v.Kind == value.KInt:
		buf = strconv.AppendInt(buf, v.N, 10)
	default:
		buf = pytext.AppendFloat(buf, v.Float())
	}
	vm.text = buf
	if err := t.Alloc(int64(len(buf)) + value.StrBytes); err != nil {
		return false, err
	}
	l := v.Label
	if l|spec.Label != 0 {
		l = t.Join(l, spec.Label)
	}
	f.st[f.sp-1] = value.Value{Kind: value.KStr, Obj: value.NewStr(buf), Label: l}
	return true, nil
}
