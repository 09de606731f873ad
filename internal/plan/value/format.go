package value

import (
	"errors"
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
	items []Value // of a tuple, or the one value
	next  int
}

func (p *percentArgs) take() (Value, error) {
	if p.next >= len(p.items) {
		return Value{}, p.t.Raise(p.t.Types.TypeError, "not enough arguments for format string")
	}
	v := p.items[p.next]
	p.next++
	p.t.See(v.Label)
	return v, nil
}

// percent is template % args.
func (t *Thread) percent(template, args Value) (v Value, err error) {
	l, err := t.Shaped(func() error {
		t.See(t.Join(template.Label, args.Label))
		out, err := t.percentText(template.Obj.(*Str).Text, args)
		if err == nil {
			v, err = t.NewStr(string(out))
		}
		return err
	})
	return v.With(l), err
}

func (t *Thread) percentText(template string, args Value) ([]byte, error) {
	p := percentArgs{t: t, args: args, items: []Value{args}}
	base := t.Base(args)
	if base.Kind == KTuple {
		p.items = base.Obj.(*Tuple).Items
	}
	if err := t.Step(int64(len(template)) / 16); err != nil {
		return nil, err
	}
	convs, perr := pytext.ParsePercent(template)
	var dst []byte
	var err error
	for i := range convs {
		c := &convs[i]
		n := len(dst)
		dst = append(dst, c.Literal...)
		if c.Verb != 0 {
			if dst, err = p.append(dst, c); err != nil {
				return nil, err
			}
		}
		if err = t.Alloc(int64(len(dst) - n)); err != nil {
			return nil, err
		}
	}
	if perr != nil {
		return nil, t.TextError(perr)
	}
	if p.next < len(p.items) && base.Kind != KDict {
		return nil, t.Raise(t.Types.TypeError, "not all arguments converted during string formatting")
	}
	return dst, nil
}

// append appends one conversion.
func (p *percentArgs) append(dst []byte, c *pytext.Conversion) (_ []byte, err error) {
	if c.WidthArg {
		if c.Width, err = p.star(); err != nil {
			return dst, err
		}
		if c.Width < 0 {
			c.Left, c.Width = true, -c.Width
		}
	}
	if c.PrecArg {
		if c.Prec, err = p.star(); err != nil {
			return dst, err
		}
		c.Prec = max(c.Prec, 0)
	}
	var v Value
	if c.HasKey {
		v, err = p.t.GetItem(p.args, p.t.Str(c.Key))
		p.next = len(p.items)
	} else {
		v, err = p.take()
	}
	if err != nil {
		return dst, err
	}
	p.t.See(v.Label)
	dst, err = p.appendValue(dst, c, v)
	var wrong *pytext.Error
	if errors.As(err, &wrong) || errors.Is(err, pytext.ErrTooLong) {
		err = p.t.TextError(err)
	}
	return dst, err
}

// star takes a width or a precision from the values.
func (p *percentArgs) star() (int, error) {
	v, err := p.take()
	if err != nil {
		return 0, err
	}
	n, err := p.t.IntArg(v)
	if err == nil && (n > math.MaxInt32 || n < -math.MaxInt32) {
		err = p.t.Raise(p.t.Types.OverflowError, "Python int too large to convert to C int")
	}
	return int(n), err
}

func (p *percentArgs) appendValue(dst []byte, c *pytext.Conversion, v Value) ([]byte, error) {
	t, limit := p.t, p.t.formatLimit()
	text, err := "", error(nil)
	switch c.Verb {
	case 's':
		text, err = t.StrOf(v)
	case 'r', 'a':
		if text, err = t.Repr(v); c.Verb == 'a' {
			text = escapeASCII(text)
		}
	case 'c':
		text, err = t.charArg(v)
	case 'd', 'i', 'u', 'o', 'x', 'X':
		n, err := t.wholeArg(v, c.Verb == 'd' || c.Verb == 'i' || c.Verb == 'u')
		if err != nil {
			return dst, err
		}
		if n.Kind != KBig {
			return c.AppendInt(dst, n.N, limit)
		}
		b := n.Obj.(*Big).Int
		if err := t.Size(int64(b.BitLen()), MulWork(int64(b.BitLen()), int64(b.BitLen()))); err != nil {
			return dst, err
		}
		return c.AppendBig(dst, b, limit)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		f, err := t.Real(v)
		if err != nil {
			return dst, err
		}
		return c.AppendFloat(dst, f, limit)
	default:
		return dst, c.Unsupported()
	}
	if err != nil {
		return dst, err
	}
	return c.AppendStr(dst, text, limit)
}

// charArg is the text of %c: a character, or its number.
func (t *Thread) charArg(v Value) (string, error) {
	if s, ok := t.Payload(v, KStr); ok && StrLen(s.Obj.(*Str)) == 1 {
		return s.Obj.(*Str).Text, nil
	}
	n, err := t.IntArg(v)
	if err != nil {
		return "", err
	}
	return pytext.CharOf(n)
}

// wholeArg is the number of a conversion that writes an int; %d takes fractions, too.
func (t *Thread) wholeArg(v Value, fractions bool) (Value, error) {
	if n := t.Base(v); n.Kind == KFloat && fractions {
		return t.IntResult(pytext.FloatToInt(n.Float()))
	}
	if _, ok := t.Override(v, "__int__"); ok && fractions {
		r, _, err := t.CallSpecial(v, "__int__")
		if err != nil {
			return Value{}, err
		}
		return t.Index(r)
	}
	return t.Index(t.Base(v))
}
