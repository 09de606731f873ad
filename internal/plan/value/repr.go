package value

import (
	"fmt"
	"strconv"

	"praxis/internal/plan/python/pytext"
)

// Repr is repr(v); it sees all that it writes.
func (t *Thread) Repr(v Value) (string, error) {
	var buf [64]byte
	b, err := t.appendRepr(buf[:0], v)
	return string(b), err
}

// StrOf is str(v); it sees all that it writes.
func (t *Thread) StrOf(v Value) (string, error) {
	if v.Kind == KStr {
		t.See(v.Label)
		return v.Obj.(*Str).Text, nil
	}
	var buf [64]byte
	b, err := t.AppendStr(buf[:0], v)
	return string(b), err
}

// StrValue is str(v) as a value, with its label.
func (t *Thread) StrValue(v Value) (Value, error) {
	if v.Kind == KStr {
		return v, nil
	}
	return t.written(v, (*Thread).StrOf)
}

// written is the text that write makes of v as a value, with its label.
func (t *Thread) written(v Value, write func(*Thread, Value) (string, error)) (r Value, err error) {
	l, err := t.Shaped(func() error {
		s, err := write(t, v)
		if err == nil {
			r, err = t.NewStr(s)
		}
		return err
	})
	return r.With(l), err
}

// AppendStr appends str(v).
func (t *Thread) AppendStr(dst []byte, v Value) ([]byte, error) {
	switch v.Kind {
	case KStr:
		t.See(v.Label)
		text := v.Obj.(*Str).Text
		return append(dst, text...), t.Alloc(int64(len(text)))
	case KObject, KSpecial, KClass:
		for _, name := range [...]string{"__str__", "__repr__"} {
			if _, ok := t.Override(v, name); ok {
				return t.appendCall(dst, v, name)
			}
		}
		if e, ok := v.Obj.(*Exception); ok {
			return t.AppendException(dst, v, e)
		}
		if b := t.Base(v); b.Kind != v.Kind && b.Kind != KSet {
			return t.AppendStr(dst, b)
		}
	}
	return t.appendRepr(dst, v)
}

// appendCall appends what v's method name returns.
func (t *Thread) appendCall(dst []byte, v Value, name string) ([]byte, error) {
	if err := t.Enter(" while getting the repr of an object"); err != nil {
		return dst, err
	}
	defer t.Leave()
	t.See(v.Label)
	s, _, err := t.OwnAs(v, name, KStr, name+" returned non-string (type %s)")
	if err != nil {
		return dst, err
	}
	return append(dst, s.Obj.(*Str).Text...), t.Alloc(int64(TextLen(s)))
}

// appendRepr appends repr(v).
func (t *Thread) appendRepr(dst []byte, v Value) ([]byte, error) {
	t.See(v.Label)
	if err := t.Step(1); err != nil {
		return dst, err
	}
	n := len(dst)
	if err := t.building(int64(n)); err != nil {
		return dst, err
	}
	switch v.Kind {
	case KNone:
		return append(dst, "None"...), nil
	case KBool:
		if v.N != 0 {
			return append(dst, "True"...), nil
		}
		return append(dst, "False"...), nil
	case KInt:
		return strconv.AppendInt(dst, v.N, 10), nil
	case KFloat:
		return pytext.AppendFloat(dst, v.Float()), nil
	case KEllipsis:
		return append(dst, "Ellipsis"...), nil
	case KNotImplemented:
		return append(dst, "NotImplemented"...), nil
	case KBig:
		return t.AppendBig(dst, v)
	case KStr:
		s := v.Obj.(*Str).Text
		if err := t.Step(int64(len(s)) / 256); err != nil {
			return dst, err
		}
		dst = pytext.AppendReprStr(dst, s)
	case KBytes:
		dst = pytext.AppendReprBytes(dst, []byte(v.Obj.(*Bytes).Data))
	case KTuple, KList, KDict, KSet, KView:
		return t.appendContainer(dst, v)
	default:
		return t.appendOther(dst, v)
	}
	return dst, t.Alloc(int64(len(dst) - n))
}

// AppendBig appends an int that does not fit an int64 in decimal.
func (t *Thread) AppendBig(dst []byte, v Value) ([]byte, error) {
	n := v.Obj.(*Big).Int
	if err := t.Size(int64(n.BitLen()), MulWork(int64(n.BitLen()), int64(n.BitLen()))); err != nil {
		return dst, err
	}
	dst, err := pytext.AppendBig(dst, n)
	if err != nil {
		err = t.TextErrorAt(err, v.Label)
	}
	return dst, err
}

// appendContainer appends the repr of a value that has elements; one that is
// being written already is written as dots.
func (t *Thread) appendContainer(dst []byte, v Value) ([]byte, error) {
	for _, o := range t.busy {
		if o == v.Obj {
			return append(dst, dots(v)...), nil
		}
	}
	if len(t.busy) >= maxNest {
		return dst, t.Raise(t.Types.RecursionError, "maximum recursion depth exceeded while getting the repr of an object")
	}
	if err := t.Step(int64(len(t.busy)) / 8); err != nil {
		return dst, err
	}
	t.busy = append(t.busy, v.Obj)
	dst, err := t.appendElements(dst, v)
	t.busy = t.busy[:len(t.busy)-1]
	return dst, err
}

// dots is the repr of a container inside itself.
func dots(v Value) string {
	switch v.Kind {
	case KList:
		return "[...]"
	case KTuple:
		return "(...)"
	case KDict:
		return "{...}"
	case KSet:
		if v.Obj.(*Set).Frozen {
			return "frozenset(...)"
		}
		return "set(...)"
	}
	return "..."
}

func (t *Thread) appendElements(dst []byte, v Value) ([]byte, error) {
	switch o := v.Obj.(type) {
	case *List:
		t.See(o.Shape)
		dst = append(dst, '[')
		var err error
		for i := 0; i < len(o.Items); i++ {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			if dst, err = t.appendRepr(dst, o.Items[i]); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), t.Alloc(2 * int64(len(o.Items)))
	case *Tuple:
		dst, err := t.appendItems(append(dst, '('), o.Items)
		if len(o.Items) == 1 {
			dst = append(dst, ',')
		}
		return append(dst, ')'), err
	case *Dict:
		t.See(o.Shape)
		return t.appendDict(dst, o)
	case *Set:
		t.See(o.Shape)
		return t.appendSet(dst, o, t.ClassName(v))
	}
	w := v.Obj.(*View)
	t.See(w.Dict.Shape)
	dst = append(append(dst, t.ClassName(v)...), "(["...)
	var items []Value
	for i := range w.Dict.Entries {
		if e := &w.Dict.Entries[i]; e.Key.Kind != KUnset {
			items = append(items, t.entryValue(IterKeys+IterKind(w.Kind-ViewKeys), e, 0))
		}
	}
	dst, err := t.appendItems(dst, items)
	return append(dst, "])"...), err
}

func (t *Thread) appendItems(dst []byte, items []Value) (_ []byte, err error) {
	for i, x := range items {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if dst, err = t.appendRepr(dst, x); err != nil {
			return dst, err
		}
	}
	return dst, t.Alloc(2 * int64(len(items)))
}

func (t *Thread) appendDict(dst []byte, d *Dict) (_ []byte, err error) {
	dst = append(dst, '{')
	first := true
	for i := 0; i < len(d.Entries); i++ {
		e := d.Entries[i]
		if e.Key.Kind == KUnset {
			continue
		}
		if !first {
			dst = append(dst, ", "...)
		}
		first = false
		if dst, err = t.appendRepr(dst, e.Key); err != nil {
			return dst, err
		}
		if dst, err = t.appendRepr(append(dst, ": "...), e.Val); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), t.Alloc(4 * int64(len(d.Entries)))
}

// appendSet appends the repr of a set of the class called name.
func (t *Thread) appendSet(dst []byte, s *Set, name string) ([]byte, error) {
	if s.Used == 0 {
		return append(append(dst, name...), "()"...), nil
	}
	plain := name == "set"
	if !plain {
		dst = append(append(dst, name...), '(')
	}
	dst, err := t.appendItems(append(dst, '{'), s.items())
	dst = append(dst, '}')
	if !plain {
		dst = append(dst, ')')
	}
	return dst, err
}

// appendOther appends the repr of what has no elements and is no number or text.
func (t *Thread) appendOther(dst []byte, v Value) ([]byte, error) {
	switch o := v.Obj.(type) {
	case *Range:
		t.See(o.Depends)
		dst = fmt.Appendf(dst, "range(%d, %d", o.Start, o.Stop)
		if o.Step != 1 {
			dst = fmt.Appendf(dst, ", %d", o.Step)
		}
		return append(dst, ')'), nil
	case *Slice:
		dst, err := t.appendItems(append(dst, "slice("...), []Value{o.Start, o.Stop, o.Step})
		return append(dst, ')'), err
	case *Func:
		return t.appendAt(append(append(append(dst, "<function "...), o.Qual...), " at"...), v), nil
	case *Native:
		return append(append(append(dst, "<built-in function "...), o.Short()...), '>'), nil
	case *Method:
		return t.appendMethod(dst, o)
	case *Class:
		if o.Meta != nil {
			if _, ok := t.Override(v, "__repr__"); ok {
				return t.appendCall(dst, v, "__repr__")
			}
		}
		dst = append(dst, "<class '"...)
		if o.Module != "" && o.Module != "builtins" {
			dst = append(append(dst, o.Module...), '.')
		}
		return append(append(dst, o.Qual...), "'>"...), nil
	case *Module:
		return append(append(append(dst, "<module '"...), o.Name...), "'>"...), nil
	case *ToolRef:
		return append(append(append(dst, "<tool "...), o.Name...), '>'), nil
	}
	if v.Kind == KObject || v.Kind == KSpecial {
		return t.appendObject(dst, v)
	}
	return t.AppendDefault(dst, v), nil
}

func (t *Thread) appendMethod(dst []byte, m *Method) ([]byte, error) {
	name := "?"
	switch f := m.Fn.Obj.(type) {
	case *Func:
		name = f.Qual
	case *Native:
		name = f.Short()
	}
	dst, err := t.appendRepr(append(append(append(dst, "<bound method "...), name...), " of "...), m.Self)
	return append(dst, '>'), err
}

// appendObject appends the repr of an instance.
func (t *Thread) appendObject(dst []byte, v Value) ([]byte, error) {
	if _, ok := t.Override(v, "__repr__"); ok {
		return t.appendCall(dst, v, "__repr__")
	}
	if e, ok := v.Obj.(*Exception); ok {
		return t.AppendExceptionRepr(dst, v, e)
	}
	if b := t.Base(v); b.Kind != v.Kind {
		if b.Kind == KSet {
			s := b.Obj.(*Set)
			t.See(s.Shape)
			return t.appendSet(dst, s, t.ClassName(v))
		}
		return t.appendRepr(dst, b)
	}
	return t.AppendDefault(dst, v), nil
}

// AppendExceptionRepr appends the repr that exceptions have by themselves.
func (t *Thread) AppendExceptionRepr(dst []byte, v Value, e *Exception) ([]byte, error) {
	t.See(v.Label)
	t.See(e.Args.Label)
	dst, err := t.appendItems(append(append(dst, e.Cls.Name...), '('), e.Args.Obj.(*Tuple).Items)
	return append(dst, ')'), err
}

// AppendDefault appends "<module.class object at 0x…>".
func (t *Thread) AppendDefault(dst []byte, v Value) []byte {
	c := t.ClassOf(v)
	dst = append(dst, '<')
	if c.Module != "" && c.Module != "builtins" {
		dst = append(append(dst, c.Module...), '.')
	}
	return t.appendAt(append(append(dst, c.Qual...), " object at"...), v)
}

// appendAt appends a number in place of the address of an object: the same in each run.
func (t *Thread) appendAt(dst []byte, v Value) []byte {
	return fmt.Appendf(dst, " 0x%x>", 0x7f0000000000+t.Identity(v)*16)
}

// AppendException appends str() of an exception.
func (t *Thread) AppendException(dst []byte, v Value, e *Exception) ([]byte, error) {
	t.See(v.Label)
	t.See(e.Args.Label)
	items := e.Args.Obj.(*Tuple).Items
	switch ts := t.Types; {
	case len(items) == 0:
		return dst, nil
	case e.Cls.Derives(ts.KeyError) && len(items) == 1:
		return t.appendRepr(dst, items[0])
	case len(items) == 1:
		return t.AppendStr(dst, items[0])
	}
	return t.appendRepr(dst, e.Args)
}
