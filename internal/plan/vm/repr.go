package vm

import (
	"strconv"

	"praxis/internal/plan/pytext"
)

// repr is repr(v); it sees all that it writes.
func (t *Thread) repr(v Value) (string, error) {
	var room [64]byte
	b, err := t.appendRepr(room[:0], v)
	return string(b), err
}

// strOf is str(v); it sees all that it writes.
func (t *Thread) strOf(v Value) (string, error) {
	if v.k == kStr {
		t.see(v.l)
		return v.o.(*Str).s, nil
	}
	var room [64]byte
	b, err := t.appendStr(room[:0], v)
	return string(b), err
}

// strValue is str(v) as a value, with its label.
func (t *Thread) strValue(v Value) (Value, error) {
	if v.k == kStr {
		return v, nil
	}
	seen := t.seen
	t.seen = 0
	s, err := t.strOf(v)
	l := t.seen
	t.seen = seen
	if err != nil {
		return Value{}, err
	}
	r, err := t.newStr(s)
	return r.with(l), err
}

// appendStr appends str(v).
func (t *Thread) appendStr(dst []byte, v Value) ([]byte, error) {
	switch v.k {
	case kStr:
		t.see(v.l)
		return append(dst, v.o.(*Str).s...), nil
	case kObject, kSpecial, kClass:
		for _, name := range [...]string{"__str__", "__repr__"} {
			if _, ok := t.override(v, name); ok {
				return t.appendCall(dst, v, name)
			}
		}
		if e, ok := v.o.(*Exception); ok {
			return t.appendException(dst, v, e)
		}
		if b := t.base(v); b.k != v.k && b.k != kSet {
			return t.appendStr(dst, b)
		}
	}
	return t.appendRepr(dst, v)
}

// appendCall appends what v's method name returns.
func (t *Thread) appendCall(dst []byte, v Value, name string) ([]byte, error) {
	if err := t.enter(" while getting the repr of an object"); err != nil {
		return dst, err
	}
	defer t.leave()
	t.see(v.l)
	r, _, err := t.callSpecial(v, name)
	if err != nil {
		return dst, err
	}
	t.see(r.l)
	s, ok := t.payload(r, kStr)
	if !ok {
		return dst, t.raise(t.types.TypeError, "%s returned non-string (type %s)", name, t.className(r))
	}
	text := s.o.(*Str).s
	return append(dst, text...), t.alloc(int64(len(text)))
}

// appendRepr appends repr(v).
func (t *Thread) appendRepr(dst []byte, v Value) ([]byte, error) {
	t.see(v.l)
	if err := t.step(1); err != nil {
		return dst, err
	}
	n := len(dst)
	switch v.k {
	case kNone:
		return append(dst, "None"...), nil
	case kBool:
		if v.n != 0 {
			return append(dst, "True"...), nil
		}
		return append(dst, "False"...), nil
	case kInt:
		return strconv.AppendInt(dst, v.n, 10), nil
	case kFloat:
		return pytext.AppendFloat(dst, v.float()), nil
	case kEllipsis:
		return append(dst, "Ellipsis"...), nil
	case kNotImplemented:
		return append(dst, "NotImplemented"...), nil
	case kBig:
		return t.appendBig(dst, v)
	case kStr:
		s := v.o.(*Str).s
		if err := t.step(int64(len(s)) / 256); err != nil {
			return dst, err
		}
		dst = pytext.AppendReprStr(dst, s)
	case kBytes:
		dst = pytext.AppendReprBytes(dst, []byte(v.o.(*Bytes).b))
	case kTuple, kList, kDict, kSet, kView:
		return t.appendContainer(dst, v)
	default:
		return t.appendOther(dst, v)
	}
	return dst, t.alloc(int64(len(dst) - n))
}

// appendBig appends an int that does not fit an int64 in decimal.
func (t *Thread) appendBig(dst []byte, v Value) ([]byte, error) {
	n := v.o.(*Big).v
	if err := t.size(int64(n.BitLen()), mulWork(int64(n.BitLen()), int64(n.BitLen()))); err != nil {
		return dst, err
	}
	dst, err := pytext.AppendBig(dst, n)
	if err != nil {
		err = t.textErrorAt(err, v.l)
	}
	return dst, err
}

// appendContainer appends the repr of a value that has elements; one that is
// being written already is written as dots.
func (t *Thread) appendContainer(dst []byte, v Value) ([]byte, error) {
	for _, o := range t.busy {
		if o == v.o {
			return append(dst, dots(v)...), nil
		}
	}
	if len(t.busy) >= maxNest {
		return dst, t.raise(t.types.RecursionError, "maximum recursion depth exceeded while getting the repr of an object")
	}
	if err := t.step(int64(len(t.busy)) / 8); err != nil {
		return dst, err
	}
	t.busy = append(t.busy, v.o)
	dst, err := t.appendElements(dst, v)
	t.busy = t.busy[:len(t.busy)-1]
	return dst, err
}

// dots is the repr of a container inside itself.
func dots(v Value) string {
	switch v.k {
	case kList:
		return "[...]"
	case kTuple:
		return "(...)"
	case kDict:
		return "{...}"
	case kSet:
		if v.o.(*Set).frozen {
			return "frozenset(...)"
		}
		return "set(...)"
	}
	return "..."
}

func (t *Thread) appendElements(dst []byte, v Value) ([]byte, error) {
	switch o := v.o.(type) {
	case *List:
		t.see(o.shape)
		dst = append(dst, '[')
		var err error
		for i := 0; i < len(o.items); i++ {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			if dst, err = t.appendRepr(dst, o.items[i]); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), t.alloc(2 * int64(len(o.items)))
	case *Tuple:
		dst, err := t.appendItems(append(dst, '('), o.items)
		if len(o.items) == 1 {
			dst = append(dst, ',')
		}
		return append(dst, ')'), err
	case *Dict:
		t.see(o.shape)
		return t.appendDict(dst, o)
	case *Set:
		t.see(o.shape)
		return t.appendSet(dst, o, t.className(v))
	}
	w := v.o.(*View)
	t.see(w.d.shape)
	dst = append(append(dst, t.className(v)...), "(["...)
	var items []Value
	for i := range w.d.entries {
		if e := &w.d.entries[i]; e.key.k != kUnset {
			items = append(items, t.entryValue(iterKeys+iterKind(w.kind-viewKeys), e, 0))
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
	return dst, t.alloc(2 * int64(len(items)))
}

func (t *Thread) appendDict(dst []byte, d *Dict) (_ []byte, err error) {
	dst = append(dst, '{')
	first := true
	for i := 0; i < len(d.entries); i++ {
		e := d.entries[i]
		if e.key.k == kUnset {
			continue
		}
		if !first {
			dst = append(dst, ", "...)
		}
		first = false
		if dst, err = t.appendRepr(dst, e.key); err != nil {
			return dst, err
		}
		if dst, err = t.appendRepr(append(dst, ": "...), e.val); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), t.alloc(4 * int64(len(d.entries)))
}

// appendSet appends the repr of a set of the class called name.
func (t *Thread) appendSet(dst []byte, s *Set, name string) ([]byte, error) {
	if s.used == 0 {
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
	switch o := v.o.(type) {
	case *Range:
		t.see(o.label(t))
		return t.appendParts(append(dst, "range("...), o.parts())
	case *Slice:
		return t.appendParts(append(dst, "slice("...), o.parts())
	case *Func:
		return t.appendAt(append(append(append(dst, "<function "...), o.qual...), " at"...), v), nil
	case *Native:
		return append(dst, t.nativeRepr(o)...), nil
	case *Method:
		return t.appendMethod(dst, v, o)
	case *Class:
		if o.meta != nil {
			if _, ok := t.override(v, "__repr__"); ok {
				return t.appendCall(dst, v, "__repr__")
			}
		}
		dst = append(dst, "<class '"...)
		if o.module != "" && o.module != "builtins" {
			dst = append(append(dst, o.module...), '.')
		}
		return append(append(dst, o.qual...), "'>"...), nil
	case *Module:
		return append(append(append(dst, "<module '"...), o.name...), "'>"...), nil
	case *ToolRef:
		return append(append(append(dst, "<tool "...), o.name...), '>'), nil
	}
	if v.k == kObject || v.k == kSpecial {
		return t.appendObject(dst, v)
	}
	return t.appendDefault(dst, v), nil
}

func (r *Range) parts() []Value {
	if r.step.k == kInt && r.step.n == 1 {
		return []Value{r.start, r.stop}
	}
	return []Value{r.start, r.stop, r.step}
}

func (t *Thread) appendParts(dst []byte, parts []Value) ([]byte, error) {
	dst, err := t.appendItems(dst, parts)
	return append(dst, ')'), err
}

// nativeRepr is the repr of a native function; one whose name has a dot and a
// class before it is a method.
func (t *Thread) nativeRepr(n *Native) string {
	for i := 0; i < len(n.name); i++ {
		if n.name[i] == '.' {
			if _, ok := t.types.all[n.name[:i]]; ok {
				return "<method '" + n.name[i+1:] + "' of '" + n.name[:i] + "' objects>"
			}
			return "<built-in function " + n.name[i+1:] + ">"
		}
	}
	return "<built-in function " + n.name + ">"
}

func (t *Thread) appendMethod(dst []byte, v Value, m *Method) ([]byte, error) {
	switch f := m.fn.o.(type) {
	case *Func:
		dst = append(append(append(dst, "<bound method "...), f.qual...), " of "...)
		dst, err := t.appendRepr(dst, m.self)
		return append(dst, '>'), err
	case *Native:
		name := f.name
		for i := len(name) - 1; i >= 0; i-- {
			if name[i] == '.' {
				name = name[i+1:]
				break
			}
		}
		dst = append(append(append(dst, "<built-in method "...), name...), " of "...)
		dst = append(append(dst, t.className(m.self)...), " object at"...)
		return append(t.appendAddress(dst, m.self), '>'), nil
	}
	return t.appendDefault(dst, v), nil
}

// appendObject appends the repr of an instance.
func (t *Thread) appendObject(dst []byte, v Value) ([]byte, error) {
	if _, ok := t.override(v, "__repr__"); ok {
		return t.appendCall(dst, v, "__repr__")
	}
	if e, ok := v.o.(*Exception); ok {
		return t.appendExceptionRepr(dst, v, e)
	}
	if b := t.base(v); b.k != v.k {
		if b.k == kSet {
			s := b.o.(*Set)
			t.see(s.shape)
			return t.appendSet(dst, s, t.className(v))
		}
		return t.appendRepr(dst, b)
	}
	return t.appendDefault(dst, v), nil
}

// appendExceptionRepr appends the repr that exceptions have by themselves.
func (t *Thread) appendExceptionRepr(dst []byte, v Value, e *Exception) ([]byte, error) {
	t.see(v.l)
	t.see(e.args.l)
	dst, err := t.appendItems(append(append(dst, e.cls.name...), '('), e.args.o.(*Tuple).items)
	return append(dst, ')'), err
}

// appendDefault appends "<module.class object at 0x…>".
func (t *Thread) appendDefault(dst []byte, v Value) []byte {
	c := t.classOf(v)
	dst = append(dst, '<')
	if c.module != "" && c.module != "builtins" {
		dst = append(append(dst, c.module...), '.')
	}
	return t.appendAt(append(append(dst, c.qual...), " object at"...), v)
}

func (t *Thread) appendAt(dst []byte, v Value) []byte { return append(t.appendAddress(dst, v), '>') }

// appendAddress appends what stands for the address of an object: the same in each run.
func (t *Thread) appendAddress(dst []byte, v Value) []byte {
	dst = append(dst, " 0x"...)
	return strconv.AppendUint(dst, 0x7f0000000000+t.identity(v)*16, 16)
}

// appendException appends str() of an exception.
func (t *Thread) appendException(dst []byte, v Value, e *Exception) ([]byte, error) {
	t.see(v.l)
	t.see(e.args.l)
	items := e.args.o.(*Tuple).items
	switch ts := t.types; {
	case len(items) == 0:
		return dst, nil
	case e.cls.derives(ts.KeyError) && len(items) == 1:
		return t.appendRepr(dst, items[0])
	case e.cls.derives(ts.OSError) && len(items) >= 2 && len(items) <= 5:
		return t.appendOSError(dst, e, items)
	case e.cls.derives(ts.UnicodeError) && len(items) >= 4:
		return t.appendUnicodeError(dst, e.cls, items)
	case e.cls.derives(ts.BaseExceptionGroup) && len(items) == 2:
		dst, err := t.appendStr(dst, items[0])
		if err != nil {
			return dst, err
		}
		n, err := t.length(items[1])
		dst = strconv.AppendInt(append(dst, " ("...), int64(n), 10)
		dst = append(dst, " sub-exception"...)
		if n != 1 {
			dst = append(dst, 's')
		}
		return append(dst, ')'), err
	case len(items) == 1, e.cls.derives(ts.SyntaxError):
		return t.appendStr(dst, items[0])
	}
	return t.appendRepr(dst, e.args)
}

func (t *Thread) appendOSError(dst []byte, e *Exception, items []Value) ([]byte, error) {
	dst, err := t.appendStr(append(dst, "[Errno "...), items[0])
	if err != nil {
		return dst, err
	}
	if dst, err = t.appendStr(append(dst, "] "...), items[1]); err != nil {
		return dst, err
	}
	file, ok := e.attrs.str("filename")
	if !ok || file.k == kNone {
		return dst, nil
	}
	return t.appendRepr(append(dst, ": "...), file)
}

// appendUnicodeError appends str() of an exception of encoding or decoding.
func (t *Thread) appendUnicodeError(dst []byte, c *Class, items []Value) ([]byte, error) {
	if c.derives(t.types.UnicodeTranslateError) || len(items) != 5 ||
		items[0].k != kStr || items[2].k != kInt || items[3].k != kInt || items[4].k != kStr {
		return t.appendRepr(dst, t.tuple(items))
	}
	for _, x := range items {
		t.see(x.l)
	}
	codec, start, end := items[0].o.(*Str).s, items[2].n, items[3].n
	head := "'" + codec + "' codec can't "
	tail := ": " + items[4].o.(*Str).s
	span := strconv.FormatInt(start, 10) + "-" + strconv.FormatInt(end-1, 10)
	switch o := items[1].o.(type) {
	case *Bytes:
		if end == start+1 && start >= 0 && start < int64(len(o.b)) {
			hex := strconv.FormatInt(int64(o.b[start])|0x100, 16)[1:]
			return append(dst, head+"decode byte 0x"+hex+" in position "+strconv.FormatInt(start, 10)+tail...), nil
		}
		return append(dst, head+"decode bytes in position "+span+tail...), nil
	case *Str:
		if runes := pytext.Runes(o.s); end == start+1 && start >= 0 && start < int64(len(runes)) {
			shown := pytext.AppendASCII(nil, string(pytext.AppendRune(nil, runes[start])))
			return append(dst, head+"encode character "+string(shown)+" in position "+strconv.FormatInt(start, 10)+tail...), nil
		}
		return append(dst, head+"encode characters in position "+span+tail...), nil
	}
	return t.appendRepr(dst, t.tuple(items))
}
