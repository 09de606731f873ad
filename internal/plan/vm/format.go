package vm

import (
	"math"

	"praxis/internal/plan/pytext"
)

// formatLimit is how long one formatted value may be at most: what memory is
// left, and no more than a gigabyte.
func (t *Thread) formatLimit() int {
	return int(min(max(t.memory, 1<<16), 1<<30))
}

// format is format(v, spec); it sees all that it writes.
func (t *Thread) format(v Value, spec string) (string, error) {
	if v.k == kStr && spec == "" {
		t.see(v.l)
		return v.o.(*Str).s, nil
	}
	var room [64]byte
	b, err := t.appendFormat(room[:0], v, spec)
	return string(b), err
}

// appendFormat appends format(v, spec).
func (t *Thread) appendFormat(dst []byte, v Value, spec string) ([]byte, error) {
	if v.k == kObject || v.k == kSpecial {
		return t.appendFormatObject(dst, v, spec)
	}
	if spec == "" {
		return t.appendStr(dst, v)
	}
	t.see(v.l)
	n := len(dst)
	dst, err := t.appendFormatCore(dst, v, spec)
	if err != nil {
		return dst, err
	}
	return dst, t.alloc(int64(len(dst) - n))
}

func (t *Thread) appendFormatCore(dst []byte, v Value, spec string) ([]byte, error) {
	target := pytext.ForInt
	switch v.k {
	case kStr:
		target = pytext.ForStr
	case kFloat:
		target = pytext.ForFloat
	case kInt, kBool, kBig:
	default:
		return dst, t.raise(t.types.TypeError, "unsupported format string passed to %s.__format__", t.className(v))
	}
	s, err := pytext.ParseSpec(spec, target, t.className(v))
	if err == nil {
		limit := t.formatLimit()
		switch v.k {
		case kStr:
			dst, err = pytext.FormatStr(dst, v.o.(*Str).s, &s, limit)
		case kFloat:
			dst, err = pytext.FormatFloat(dst, v.float(), &s, limit)
		case kBig:
			n := v.o.(*Big).v
			if err := t.size(int64(n.BitLen()), mulWork(int64(n.BitLen()), int64(n.BitLen()))); err != nil {
				return dst, err
			}
			dst, err = pytext.FormatBig(dst, n, &s, limit)
		default:
			dst, err = pytext.FormatInt(dst, v.n, &s, limit)
		}
	}
	if err != nil {
		return dst, t.textError(err)
	}
	return dst, nil
}

func (t *Thread) appendFormatObject(dst []byte, v Value, spec string) ([]byte, error) {
	t.see(v.l)
	if _, ok := t.override(v, "__format__"); ok {
		r, _, err := t.callSpecial(v, "__format__", t.str(spec).with(t.seen))
		if err != nil {
			return dst, err
		}
		t.see(r.l)
		s, ok := t.payload(r, kStr)
		if !ok {
			return dst, t.raise(t.types.TypeError, "__format__ must return a str, not %s", t.className(r))
		}
		return append(dst, s.o.(*Str).s...), t.alloc(int64(textLen(s)))
	}
	if spec == "" {
		return t.appendStr(dst, v)
	}
	if b := t.base(v); b.k != v.k {
		return t.appendFormat(dst, b, spec)
	}
	return dst, t.raise(t.types.TypeError, "unsupported format string passed to %s.__format__", t.className(v))
}

// convert applies !s, !r or !a.
func (t *Thread) convert(v Value, verb rune) (Value, error) {
	if verb == 's' {
		return t.strValue(v)
	}
	seen := t.seen
	t.seen = 0
	s, err := t.repr(v)
	l := t.seen
	t.seen = seen
	if err != nil {
		return Value{}, err
	}
	if verb == 'a' {
		s = escapeASCII(s)
	}
	r, err := t.newStr(s)
	return r.with(l), err
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

// formatter carries out a str.format template.
type formatter struct {
	t     *Thread
	pos   []Value
	named func(name string) (Value, bool, error)
	isMap bool // format_map: there are no positional values
}

// appendFields appends a template that was split.
func (f *formatter) appendFields(dst []byte, fields []pytext.Field) ([]byte, error) {
	t := f.t
	for i := range fields {
		fd := &fields[i]
		dst = append(dst, fd.Literal...)
		if err := t.alloc(int64(len(fd.Literal))); err != nil {
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
			t.see(v.l)
			return dst, t.textError(fd.Err)
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
			if v, err = t.convert(v, fd.Verb); err != nil {
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
func (f *formatter) value(fd *pytext.Field) (v Value, err error) {
	t := f.t
	switch {
	case fd.Index >= 0 && f.isMap:
		return Value{}, t.raise(t.types.ValueError, "Format string contains positional fields")
	case fd.Index >= len(f.pos):
		return Value{}, t.raise(t.types.IndexError, "Replacement index %d out of range for positional args tuple", fd.Index)
	case fd.Index >= 0:
		v = f.pos[fd.Index]
	default:
		var ok bool
		if v, ok, err = f.named(fd.Name); err != nil {
			return Value{}, err
		}
		if !ok {
			return Value{}, t.raiseArgs(t.types.KeyError, t.str(fd.Name))
		}
	}
	for _, a := range fd.Path {
		switch {
		case a.Attr:
			v, err = t.getAttr(v, a.Name)
		case a.Index >= 0:
			v, err = t.getItem(v, intValue(int64(a.Index)))
		default:
			v, err = t.getItem(v, t.str(a.Name))
		}
		if err != nil {
			return Value{}, err
		}
	}
	return v, nil
}

// render is template.format with the values of f; it sees what it writes.
func (f *formatter) render(template string) (Value, error) {
	if err := f.t.step(int64(len(template)) / 16); err != nil {
		return Value{}, err
	}
	fields, perr := pytext.ParseTemplate(template)
	b, err := f.appendFields(nil, fields)
	if err == nil && perr != nil {
		err = f.t.textError(perr)
	}
	if err != nil {
		return Value{}, err
	}
	return f.t.newStr(string(b))
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
			return Value{}, p.t.raise(p.t.types.TypeError, "not enough arguments for format string")
		}
		p.next++
		return p.items[p.next-1].with(p.t.join(p.items[p.next-1].l, p.args.l)), nil
	}
	if p.next > 0 {
		return Value{}, p.t.raise(p.t.types.TypeError, "not enough arguments for format string")
	}
	p.next++
	return p.args, nil
}

// mapping reports whether the values can be asked by key.
func (p *percentArgs) mapping() bool {
	switch p.args.k {
	case kDict, kList, kRange:
		return true
	case kBytes:
		return !p.bytes
	case kObject, kSpecial:
		if _, ok := p.t.override(p.args, "__getitem__"); ok {
			return true
		}
		b := p.t.base(p.args)
		return b.k == kDict || b.k == kList
	}
	return false
}

// percent is template % args for strings and bytes objects.
func (t *Thread) percent(template, args Value) (Value, error) {
	seen := t.seen
	t.seen = t.join(template.l, args.l)
	out, err := t.percentText(template, args)
	l := t.seen
	t.seen = seen
	if err != nil {
		return Value{}, err
	}
	var v Value
	if template.k == kBytes {
		v = t.bytes(string(out))
	} else if v, err = t.newStr(string(out)); err != nil {
		return Value{}, err
	}
	return v.with(l), nil
}

func (t *Thread) percentText(template, args Value) ([]byte, error) {
	p := percentArgs{t: t, args: args, bytes: template.k == kBytes}
	if b := t.base(args); b.k == kTuple {
		p.tuple, p.items = true, b.o.(*Tuple).items
	}
	var convs []pytext.Conversion
	var perr error
	if err := t.step(int64(textLen(template)) / 16); err != nil {
		return nil, err
	}
	isBytes := template.k == kBytes
	if isBytes {
		convs, perr = pytext.ParsePercentBytes(template.o.(*Bytes).b)
	} else {
		convs, perr = pytext.ParsePercent(template.o.(*Str).s)
	}
	var dst []byte
	var err error
	for i := range convs {
		c := &convs[i]
		dst = append(dst, c.Literal...)
		if c.HasKey && !p.mapping() {
			return nil, t.raise(t.types.TypeError, "format requires a mapping")
		}
		if c.Verb == 0 {
			continue
		}
		n := len(dst)
		if dst, err = p.append(dst, c, isBytes); err != nil {
			return nil, err
		}
		if err = t.alloc(int64(len(dst) - n)); err != nil {
			return nil, err
		}
	}
	if perr != nil {
		return nil, t.textError(perr)
	}
	if p.tuple && p.next < len(p.items) && !p.keyed || !p.tuple && p.next == 0 && !p.mapping() {
		return nil, t.raise(t.types.TypeError, "not all arguments converted during %s formatting", map[bool]string{true: "bytes", false: "string"}[isBytes])
	}
	return dst, nil
}

// append appends one conversion.
func (p *percentArgs) append(dst []byte, c *pytext.Conversion, isBytes bool) ([]byte, error) {
	t := p.t
	var v Value
	var err error
	if c.HasKey {
		key := t.str(c.Key)
		if isBytes {
			key = t.bytes(c.Key)
		}
		if v, err = t.getItem(p.args, key); err != nil {
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
	t.see(v.l)
	return p.appendValue(dst, c, v, isBytes)
}

// star takes a width or a precision from the values.
func (p *percentArgs) star(size string) (int, error) {
	v, err := p.take()
	if err != nil {
		return 0, err
	}
	p.t.see(v.l)
	n, ok := p.t.payload(v, kInt)
	if !ok {
		return 0, p.t.raise(p.t.types.TypeError, "* wants int")
	}
	if n.k == kBig || n.n > math.MaxInt32 || n.n < -math.MaxInt32 {
		return 0, p.t.raise(p.t.types.OverflowError, "Python int too large to convert to C %s", size)
	}
	return int(n.n), nil
}

func (p *percentArgs) appendValue(dst []byte, c *pytext.Conversion, v Value, isBytes bool) ([]byte, error) {
	t, limit := p.t, p.t.formatLimit()
	var text string
	var err error
	switch c.Verb {
	case 's', 'r', 'a', 'b':
		switch {
		case isBytes && (c.Verb == 's' || c.Verb == 'b'):
			b, ok := t.payload(v, kBytes)
			if !ok {
				return dst, t.raise(t.types.TypeError, "%%b requires a bytes-like object, or an object that implements __bytes__, not '%s'", t.className(v))
			}
			text = b.o.(*Bytes).b
		case c.Verb == 'b':
			return dst, t.textError(c.Unsupported())
		case c.Verb == 's':
			text, err = t.strOf(v)
		default:
			if text, err = t.repr(v); err == nil && (c.Verb == 'a' || isBytes) {
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
		f, ferr := t.realArg(v)
		if ferr != nil {
			return dst, ferr
		}
		dst, err = c.AppendFloat(dst, f, limit)
	default:
		err = c.Unsupported()
	}
	if err != nil {
		err = t.textError(err)
	}
	return dst, err
}

// char is the text of %c.
func (p *percentArgs) char(v Value, isBytes bool) (string, error) {
	t := p.t
	if isBytes {
		if b, ok := t.payload(v, kBytes); ok && textLen(b) == 1 {
			return b.o.(*Bytes).b, nil
		}
		if n, ok := t.payload(v, kInt); ok {
			if n.k == kBig || n.n < 0 || n.n > 255 {
				return "", t.raise(t.types.OverflowError, "%%c arg not in range(256)")
			}
			return string([]byte{byte(n.n)}), nil
		}
		return "", t.raise(t.types.TypeError, "%%c requires an integer in range(256) or a single byte, not %s", t.className(v))
	}
	if s, ok := t.payload(v, kStr); ok {
		if n := strLen(s.o.(*Str)); n != 1 {
			return "", t.raise(t.types.TypeError, "%%c requires an int or a unicode character, not a string of length %d", n)
		}
		return s.o.(*Str).s, nil
	}
	if !t.isIndex(v) {
		return "", t.raise(t.types.TypeError, "%%c requires an int or a unicode character, not %s", t.className(v))
	}
	n, err := t.index(v)
	if err != nil {
		return "", err
	}
	if n.k == kBig {
		n.n = -1
	}
	s, err := pytext.CharOf(n.n)
	if err != nil {
		err = t.textError(err)
	}
	return s, err
}

// appendInt appends a conversion that wants an integer.
func (p *percentArgs) appendInt(dst []byte, c *pytext.Conversion, v Value, limit int) ([]byte, error) {
	t := p.t
	decimal := c.Verb == 'd' || c.Verb == 'i' || c.Verb == 'u'
	n := t.base(v)
	if n.k == kFloat && decimal {
		small, large, err := pytext.FloatToInt(n.float())
		if err != nil {
			return dst, t.textError(err)
		}
		if n = intValue(small); large != nil {
			n = bigValue(large)
		}
	}
	if !isInt(n) {
		switch {
		case t.isIndex(v):
			var err error
			if n, err = t.index(v); err != nil {
				return dst, err
			}
		case decimal && t.hasInt(v):
			r, _, err := t.callSpecial(v, "__int__")
			if err != nil {
				return dst, err
			}
			n = r
		case decimal:
			return dst, t.raise(t.types.TypeError, "%%%c format: a real number is required, not %s", c.Verb, t.className(v))
		default:
			return dst, t.raise(t.types.TypeError, "%%%c format: an integer is required, not %s", c.Verb, t.className(v))
		}
	}
	var err error
	if n.k == kBig {
		b := n.o.(*Big).v
		if err := t.size(int64(b.BitLen()), mulWork(int64(b.BitLen()), int64(b.BitLen()))); err != nil {
			return dst, err
		}
		dst, err = c.AppendBig(dst, b, limit)
	} else {
		dst, err = c.AppendInt(dst, n.n, limit)
	}
	if err != nil {
		err = t.textError(err)
	}
	return dst, err
}

func (t *Thread) hasInt(v Value) bool {
	_, ok := t.override(v, "__int__")
	return ok
}

// realArg returns a number as a float, by __float__ or __index__ where it has them, and sees it.
func (t *Thread) realArg(v Value) (float64, error) {
	t.see(v.l)
	if v.k == kObject || v.k == kSpecial {
		if _, ok := t.override(v, "__float__"); ok {
			r, _, err := t.callSpecial(v, "__float__")
			if err != nil {
				return 0, err
			}
			t.see(r.l)
			f, ok := t.payload(r, kFloat)
			if !ok {
				return 0, t.raise(t.types.TypeError, "%s.__float__ returned non-float (type %s)", t.className(v), t.className(r))
			}
			return f.float(), nil
		}
		if b := t.base(v); b.k == kFloat || isInt(b) {
			return t.toFloat(b)
		}
		if t.isIndex(v) {
			n, err := t.index(v)
			if err != nil {
				return 0, err
			}
			return t.toFloat(n)
		}
	}
	if v.k == kFloat || isInt(v) {
		return t.toFloat(v)
	}
	return 0, t.raise(t.types.TypeError, "must be real number, not %s", t.className(v))
}
