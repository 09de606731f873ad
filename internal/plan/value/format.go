package value

import (
	"math"

	"praxis/internal/plan/python/pytext"
)

// formatLimit is how long one formatted value may be at most: what memory is
// left, and no more than a gigabyte.
func (t *Thread) formatLimit() int {
	return int(min(max(t.Memory, 1<<16), 1<<30))
}

// Format is format(v, spec); it sees all that it writes.
func (t *Thread) Format(v Value, spec string) (string, error) {
	if v.Kind == KStr && spec == "" {
		t.See(v.Label)
		return v.Obj.(*Str).Text, nil
	}
	var buf [64]byte
	b, err := t.appendFormat(buf[:0], v, spec)
	return string(b), err
}

// appendFormat appends format(v, spec).
func (t *Thread) appendFormat(dst []byte, v Value, spec string) ([]byte, error) {
	if v.Kind == KObject || v.Kind == KSpecial {
		return t.appendFormatObject(dst, v, spec)
	}
	if spec == "" {
		return t.AppendStr(dst, v)
	}
	t.See(v.Label)
	n := len(dst)
	dst, err := t.appendFormatCore(dst, v, spec)
	if err != nil {
		return dst, err
	}
	return dst, t.Alloc(int64(len(dst) - n))
}

func (t *Thread) appendFormatCore(dst []byte, v Value, spec string) ([]byte, error) {
	target := pytext.ForInt
	switch v.Kind {
	case KStr:
		target = pytext.ForStr
	case KFloat:
		target = pytext.ForFloat
	case KInt, KBool, KBig:
	default:
		return dst, t.Raise(t.Types.TypeError, "unsupported format string passed to %s.__format__", t.ClassName(v))
	}
	s, err := pytext.ParseSpec(spec, target, t.ClassName(v))
	if err == nil {
		limit := t.formatLimit()
		switch v.Kind {
		case KStr:
			dst, err = pytext.FormatStr(dst, v.Obj.(*Str).Text, &s, limit)
		case KFloat:
			dst, err = pytext.FormatFloat(dst, v.Float(), &s, limit)
		case KBig:
			n := v.Obj.(*Big).Int
			if err := t.Size(int64(n.BitLen()), MulWork(int64(n.BitLen()), int64(n.BitLen()))); err != nil {
				return dst, err
			}
			dst, err = pytext.FormatBig(dst, n, &s, limit)
		default:
			dst, err = pytext.FormatInt(dst, v.N, &s, limit)
		}
	}
	if err != nil {
		return dst, t.TextError(err)
	}
	return dst, nil
}

func (t *Thread) appendFormatObject(dst []byte, v Value, spec string) ([]byte, error) {
	t.See(v.Label)
	if _, ok := t.Override(v, "__format__"); ok {
		r, _, err := t.CallSpecial(v, "__format__", t.Str(spec).With(t.Seen))
		if err != nil {
			return dst, err
		}
		t.See(r.Label)
		s, ok := t.Payload(r, KStr)
		if !ok {
			return dst, t.Raise(t.Types.TypeError, "__format__ must return a str, not %s", t.ClassName(r))
		}
		return append(dst, s.Obj.(*Str).Text...), t.Alloc(int64(TextLen(s)))
	}
	if spec == "" {
		return t.AppendStr(dst, v)
	}
	if b := t.Base(v); b.Kind != v.Kind {
		return t.appendFormat(dst, b, spec)
	}
	return dst, t.Raise(t.Types.TypeError, "unsupported format string passed to %s.__format__", t.ClassName(v))
}

// Convert applies !s, !r or !a.
func (t *Thread) Convert(v Value, verb rune) (Value, error) {
	if verb == 's' {
		return t.StrValue(v)
	}
	seen := t.Seen
	t.Seen = 0
	s, err := t.Repr(v)
	l := t.Seen
	t.Seen = seen
	if err != nil {
		return Value{}, err
	}
	if verb == 'a' {
		s = escapeASCII(s)
	}
	r, err := t.NewStr(s)
	return r.With(l), err
}

// escapeASCII writes what is not ASCII in a repr with escapes.
func escapeASCII(s string) string {
	if pytext.IsASCII(s) {
		return s
	}
	var out []byte
	for s != "" {
		r, n := pytext.DecodeRune(s)
		if r < 0x80 {
			out = append(out, byte(r))
		} else {
			quoted := pytext.AppendASCII(nil, s[:n])
			out = append(out, quoted[1:len(quoted)-1]...)
		}
		s = s[n:]
	}
	return string(out)
}

// Formatter executes a str.format template.
type Formatter struct {
	Thread *Thread
	Pos    []Value
	Named  func(name string) (Value, bool, error)
	IsMap  bool // format_map: there are no positional values
}

// appendFields appends a template that was split.
func (f *Formatter) appendFields(dst []byte, fields []pytext.Field) ([]byte, error) {
	t := f.Thread
	for i := range fields {
		fd := &fields[i]
		dst = append(dst, fd.Literal...)
		if err := t.Alloc(int64(len(fd.Literal))); err != nil {
			return dst, err
		}
		if !fd.HasField {
			continue
		}
		v, err := f.value(fd)
		if err != nil {
			return dst, err
		}
		if fd.Err != nil {
			t.See(v.Label)
			return dst, t.TextError(fd.Err)
		}
		spec := ""
		if len(fd.Spec) > 0 {
			b, err := f.appendFields(nil, fd.Spec)
			if err != nil {
				return dst, err
			}
			spec = string(b)
		}
		if fd.Verb != 0 {
			if v, err = t.Convert(v, fd.Verb); err != nil {
				return dst, err
			}
		}
		if dst, err = t.appendFormat(dst, v, spec); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// value finds the value of a field.
func (f *Formatter) value(fd *pytext.Field) (v Value, err error) {
	t := f.Thread
	switch {
	case fd.Index >= 0 && f.IsMap:
		return Value{}, t.Raise(t.Types.ValueError, "Format string contains positional fields")
	case fd.Index >= len(f.Pos):
		return Value{}, t.Raise(t.Types.IndexError, "Replacement index %d out of range for positional args tuple", fd.Index)
	case fd.Index >= 0:
		v = f.Pos[fd.Index]
	default:
		var ok bool
		if v, ok, err = f.Named(fd.Name); err != nil {
			return Value{}, err
		}
		if !ok {
			return Value{}, t.RaiseArgs(t.Types.KeyError, t.Str(fd.Name))
		}
	}
	for _, a := range fd.Path {
		switch {
		case a.Attr:
			v, err = t.GetAttr(v, a.Name)
		case a.Index >= 0:
			v, err = t.GetItem(v, Int(int64(a.Index)))
		default:
			v, err = t.GetItem(v, t.Str(a.Name))
		}
		if err != nil {
			return Value{}, err
		}
	}
	return v, nil
}

// Render is template.format with the values of f; it sees what it writes.
func (f *Formatter) Render(template string) (Value, error) {
	if err := f.Thread.Step(int64(len(template)) / 16); err != nil {
		return Value{}, err
	}
	fields, perr := pytext.ParseTemplate(template)
	b, err := f.appendFields(nil, fields)
	if err == nil && perr != nil {
		err = f.Thread.TextError(perr)
	}
	if err != nil {
		return Value{}, err
	}
	return f.Thread.NewStr(string(b))
}

// percentArgs hands out the values of a printf-style template.
type percentArgs struct {
	t     *Thread
	args  Value
	items []Value // of a tuple
	tuple bool
	next  int
	keyed bool
	bytes bool // the template is a bytes object
}

func (p *percentArgs) take() (Value, error) {
	if p.tuple {
		if p.next >= len(p.items) {
			return Value{}, p.t.Raise(p.t.Types.TypeError, "not enough arguments for format string")
		}
		p.next++
		return p.items[p.next-1].With(p.t.Join(p.items[p.next-1].Label, p.args.Label)), nil
	}
	if p.next > 0 {
		return Value{}, p.t.Raise(p.t.Types.TypeError, "not enough arguments for format string")
	}
	p.next++
	return p.args, nil
}

// mapping reports whether the values can be looked up by key.
func (p *percentArgs) mapping() bool {
	switch p.args.Kind {
	case KDict, KList, KRange:
		return true
	case KBytes:
		return !p.bytes
	case KObject, KSpecial:
		if _, ok := p.t.Override(p.args, "__getitem__"); ok {
			return true
		}
		b := p.t.Base(p.args)
		return b.Kind == KDict || b.Kind == KList
	}
	return false
}

// percent is template % args for strings and bytes objects.
func (t *Thread) percent(template, args Value) (Value, error) {
	seen := t.Seen
	t.Seen = t.Join(template.Label, args.Label)
	out, err := t.percentText(template, args)
	l := t.Seen
	t.Seen = seen
	if err != nil {
		return Value{}, err
	}
	var v Value
	if template.Kind == KBytes {
		v = t.Bytes(string(out))
	} else if v, err = t.NewStr(string(out)); err != nil {
		return Value{}, err
	}
	return v.With(l), nil
}

func (t *Thread) percentText(template, args Value) ([]byte, error) {
	p := percentArgs{t: t, args: args, bytes: template.Kind == KBytes}
	if b := t.Base(args); b.Kind == KTuple {
		p.tuple, p.items = true, b.Obj.(*Tuple).Items
	}
	var convs []pytext.Conversion
	var perr error
	if err := t.Step(int64(TextLen(template)) / 16); err != nil {
		return nil, err
	}
	isBytes := template.Kind == KBytes
	if isBytes {
		convs, perr = pytext.ParsePercentBytes(template.Obj.(*Bytes).Data)
	} else {
		convs, perr = pytext.ParsePercent(template.Obj.(*Str).Text)
	}
	var dst []byte
	var err error
	for i := range convs {
		c := &convs[i]
		dst = append(dst, c.Literal...)
		if c.HasKey && !p.mapping() {
			return nil, t.Raise(t.Types.TypeError, "format requires a mapping")
		}
		if c.Verb == 0 {
			continue
		}
		n := len(dst)
		if dst, err = p.append(dst, c, isBytes); err != nil {
			return nil, err
		}
		if err = t.Alloc(int64(len(dst) - n)); err != nil {
			return nil, err
		}
	}
	if perr != nil {
		return nil, t.TextError(perr)
	}
	if p.tuple && p.next < len(p.items) && !p.keyed || !p.tuple && p.next == 0 && !p.mapping() {
		return nil, t.Raise(t.Types.TypeError, "not all arguments converted during %s formatting", map[bool]string{true: "bytes", false: "string"}[isBytes])
	}
	return dst, nil
}

// append appends one conversion.
func (p *percentArgs) append(dst []byte, c *pytext.Conversion, isBytes bool) ([]byte, error) {
	t := p.t
	var v Value
	var err error
	if c.HasKey {
		key := t.Str(c.Key)
		if isBytes {
			key = t.Bytes(c.Key)
		}
		if v, err = t.GetItem(p.args, key); err != nil {
			return dst, err
		}
		p.keyed = true
		p.next = max(p.next, 1)
	}
	if c.WidthArg {
		if c.Width, err = p.star("ssize_t"); err != nil {
			return dst, err
		}
		if c.Width < 0 {
			c.Left, c.Width = true, -c.Width
		}
	}
	if c.PrecArg {
		if c.Prec, err = p.star("int"); err != nil {
			return dst, err
		}
		c.Prec = max(c.Prec, 0)
	}
	if !c.HasKey {
		if v, err = p.take(); err != nil {
			return dst, err
		}
	}
	t.See(v.Label)
	return p.appendValue(dst, c, v, isBytes)
}

// star takes a width or a precision from the values.
func (p *percentArgs) star(size string) (int, error) {
	v, err := p.take()
	if err != nil {
		return 0, err
	}
	p.t.See(v.Label)
	n, ok := p.t.Payload(v, KInt)
	if !ok {
		return 0, p.t.Raise(p.t.Types.TypeError, "* wants int")
	}
	if n.Kind == KBig || n.N > math.MaxInt32 || n.N < -math.MaxInt32 {
		return 0, p.t.Raise(p.t.Types.OverflowError, "Python int too large to convert to C %s", size)
	}
	return int(n.N), nil
}

func (p *percentArgs) appendValue(dst []byte, c *pytext.Conversion, v Value, isBytes bool) ([]byte, error) {
	t, limit := p.t, p.t.formatLimit()
	var text string
	var err error
	switch c.Verb {
	case 's', 'r', 'a', 'b':
		switch {
		case isBytes && (c.Verb == 's' || c.Verb == 'b'):
			b, ok := t.Payload(v, KBytes)
			if !ok {
				return dst, t.Raise(t.Types.TypeError, "%%b requires a bytes-like object, or an object that implements __bytes__, not '%s'", t.ClassName(v))
			}
			text = b.Obj.(*Bytes).Data
		case c.Verb == 'b':
			return dst, t.TextError(c.Unsupported())
		case c.Verb == 's':
			text, err = t.StrOf(v)
		default:
			if text, err = t.Repr(v); err == nil && (c.Verb == 'a' || isBytes) {
				text = escapeASCII(text)
			}
		}
		if err != nil {
			return dst, err
		}
		dst, err = c.AppendStr(dst, text, limit)
	case 'c':
		if text, err = p.char(v, isBytes); err != nil {
			return dst, err
		}
		dst, err = c.AppendStr(dst, text, limit)
	case 'd', 'i', 'u', 'o', 'x', 'X':
		return p.appendInt(dst, c, v, limit)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		f, ferr := t.Real(v)
		if ferr != nil {
			return dst, ferr
		}
		dst, err = c.AppendFloat(dst, f, limit)
	default:
		err = c.Unsupported()
	}
	if err != nil {
		err = t.TextError(err)
	}
	return dst, err
}

// char is the text of %c.
func (p *percentArgs) char(v Value, isBytes bool) (string, error) {
	t := p.t
	if isBytes {
		if b, ok := t.Payload(v, KBytes); ok && TextLen(b) == 1 {
			return b.Obj.(*Bytes).Data, nil
		}
		if n, ok := t.Payload(v, KInt); ok {
			if n.Kind == KBig || n.N < 0 || n.N > 255 {
				return "", t.Raise(t.Types.OverflowError, "%%c arg not in range(256)")
			}
			return string([]byte{byte(n.N)}), nil
		}
		return "", t.Raise(t.Types.TypeError, "%%c requires an integer in range(256) or a single byte, not %s", t.ClassName(v))
	}
	if s, ok := t.Payload(v, KStr); ok {
		if n := StrLen(s.Obj.(*Str)); n != 1 {
			return "", t.Raise(t.Types.TypeError, "%%c requires an int or a unicode character, not a string of length %d", n)
		}
		return s.Obj.(*Str).Text, nil
	}
	if !t.IsIndex(v) {
		return "", t.Raise(t.Types.TypeError, "%%c requires an int or a unicode character, not %s", t.ClassName(v))
	}
	n, err := t.Index(v)
	if err != nil {
		return "", err
	}
	if n.Kind == KBig {
		n.N = -1
	}
	s, err := pytext.CharOf(n.N)
	if err != nil {
		err = t.TextError(err)
	}
	return s, err
}

// appendInt appends a conversion that wants an integer.
func (p *percentArgs) appendInt(dst []byte, c *pytext.Conversion, v Value, limit int) ([]byte, error) {
	t := p.t
	decimal := c.Verb == 'd' || c.Verb == 'i' || c.Verb == 'u'
	n := t.Base(v)
	if n.Kind == KFloat && decimal {
		small, large, err := pytext.FloatToInt(n.Float())
		if err != nil {
			return dst, t.TextError(err)
		}
		if n = Int(small); large != nil {
			n = BigInt(large)
		}
	}
	if !IsInt(n) {
		switch {
		case t.IsIndex(v):
			var err error
			if n, err = t.Index(v); err != nil {
				return dst, err
			}
		case decimal && t.hasInt(v):
			r, _, err := t.CallSpecial(v, "__int__")
			if err != nil {
				return dst, err
			}
			n = r
		case decimal:
			return dst, t.Raise(t.Types.TypeError, "%%%c format: a real number is required, not %s", c.Verb, t.ClassName(v))
		default:
			return dst, t.Raise(t.Types.TypeError, "%%%c format: an integer is required, not %s", c.Verb, t.ClassName(v))
		}
	}
	var err error
	if n.Kind == KBig {
		b := n.Obj.(*Big).Int
		if err := t.Size(int64(b.BitLen()), MulWork(int64(b.BitLen()), int64(b.BitLen()))); err != nil {
			return dst, err
		}
		dst, err = c.AppendBig(dst, b, limit)
	} else {
		dst, err = c.AppendInt(dst, n.N, limit)
	}
	if err != nil {
		err = t.TextError(err)
	}
	return dst, err
}

func (t *Thread) hasInt(v Value) bool {
	_, ok := t.Override(v, "__int__")
	return ok
}
