package value

import (
	"errors"
	"slices"
	"unicode/utf8"

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
	s, ok, err := t.OwnAs(v, "__format__", KStr, "__format__ must return a str, not %s", t.Str(spec).With(t.Seen))
	switch {
	case err != nil:
		return dst, err
	case ok:
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
	if verb == 'r' {
		return t.written(v, (*Thread).Repr)
	}
	return t.written(v, func(t *Thread, v Value) (string, error) {
		s, err := t.Repr(v)
		return escapeASCII(s), err
	})
}

// escapeASCII writes what is not ASCII in a repr with escapes.
func escapeASCII(s string) string {
	if pytext.IsASCII(s) {
		return s
	}
	var out []byte
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
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
	Args   *Args
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
	case fd.Index >= len(f.Args.Star):
		return Value{}, t.Raise(t.Types.IndexError, "Replacement index %d out of range for positional args tuple", fd.Index)
	case fd.Index >= 0:
		v = f.Args.Star[fd.Index]
	default:
		i := slices.Index(f.Args.Names, fd.Name)
		if i < 0 {
			return Value{}, t.RaiseArgs(t.Types.KeyError, t.Str(fd.Name))
		}
		v = f.Args.Named[i]
	}
	for _, a := range fd.Path {
		t.hook(v)
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
	fields, err := pytext.ParseTemplate(template)
	if err != nil {
		return Value{}, f.Thread.TextError(err)
	}
	b, err := f.appendFields(nil, fields)
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
	convs, err := pytext.ParsePercent(template)
	if err != nil {
		return nil, t.TextError(err)
	}
	var dst []byte
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
	if p.next < len(p.items) && base.Kind != KDict {
		return nil, t.Raise(t.Types.TypeError, "not all arguments converted during string formatting")
	}
	return dst, nil
}

// append appends one conversion.
func (p *percentArgs) append(dst []byte, c *pytext.Conversion) (_ []byte, err error) {
	var v Value
	if c.HasKey {
		p.t.hook(p.args)
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
	case 'd', 'i', 'u', 'o', 'x', 'X':
		n, err := t.wholeArg(v, c.Spec.Type == 'd')
		if err != nil {
			return dst, err
		}
		if n.Kind != KBig {
			return pytext.FormatInt(dst, n.N, &c.Spec, limit)
		}
		b := n.Obj.(*Big).Int
		if err := t.Size(int64(b.BitLen()), MulWork(int64(b.BitLen()), int64(b.BitLen()))); err != nil {
			return dst, err
		}
		return pytext.FormatBig(dst, b, &c.Spec, limit)
	default: // e, f and g
		f, err := t.Real(v)
		if err != nil {
			return dst, err
		}
		return pytext.FormatFloat(dst, f, &c.Spec, limit)
	}
	if err != nil {
		return dst, err
	}
	return pytext.FormatStr(dst, text, &c.Spec, limit)
}

// wholeArg is the number of a conversion that writes an int; %d takes fractions, too.
func (t *Thread) wholeArg(v Value, fractions bool) (Value, error) {
	if n := t.Base(v); n.Kind == KFloat && fractions {
		return t.IntResult(pytext.FloatToInt(n.Float()))
	}
	if fractions {
		if n, ok, err := t.OwnAs(v, "__int__", KInt, "__int__ returned non-int (type %s)"); ok {
			return PlainInt(n), err
		}
	}
	return t.Index(t.Base(v))
}
