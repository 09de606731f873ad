package builtin

import (
	"encoding/hex"

	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/value"
)

// strNatives are the methods of strings.
func strNatives() []*value.Native {
	m := func(name, params string, f value.NativeFunc) *value.Native {
		return newMethod(value.KStr, "str."+name, params, f)
	}
	out := []*value.Native{
		{Name: "str.__new__", Params: "cls, object='', encoding='utf-8', errors='strict'", Call: strNew},
		{Name: "str.maketrans", Params: "x, y=None, z=None, /", Call: strMakeTrans},
		m("encode", "self, encoding='utf-8', errors='strict'", strEncode),
		m("format", "self, /, *args, **kwargs", strFormat),
		m("format_map", "self, mapping, /", strFormatMap),
		m("translate", "self, table, /", strTranslate),
	}
	for _, c := range []struct {
		name string
		f    func(string) string
	}{
		{"capitalize", pytext.Capitalize}, {"casefold", pytext.CaseFold}, {"lower", pytext.Lower},
		{"swapcase", pytext.SwapCase}, {"title", pytext.Title}, {"upper", pytext.Upper},
	} {
		out = append(out, m(c.name, "self, /", mapping(c.f)))
	}
	for _, c := range []struct {
		name string
		f    func(string) bool
	}{
		{"isalnum", pytext.StrIsAlnum}, {"isalpha", pytext.StrIsAlpha}, {"isascii", pytext.IsASCII},
		{"isdecimal", pytext.StrIsDecimal}, {"isdigit", pytext.StrIsDigit}, {"isidentifier", pytext.StrIsIdentifier},
		{"islower", pytext.StrIsLower}, {"isnumeric", pytext.StrIsNumeric}, {"isprintable", pytext.StrIsPrintable},
		{"isspace", pytext.StrIsSpace}, {"istitle", pytext.StrIsTitle}, {"isupper", pytext.StrIsUpper},
	} {
		out = append(out, m(c.name, "self, /", predicate(c.f)))
	}
	out = append(out, textMethods("str", value.KStr)...)
	return append(out, dunders(value.KStr, "str", "__len__ __getitem__ __contains__ __iter__ __repr__ __str__ __format__ __hash__ "+
		"__add__ __mul__ __mod__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__")...)
}

func mapping(f func(string) string) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		s := a.Pos[0].Obj.(*value.Str).Text
		if len(s) > 64 {
			if err := t.Step(int64(len(s)) / 16); err != nil {
				return value.Value{}, err
			}
			if err := t.Alloc(int64(len(s))); err != nil {
				return value.Value{}, err
			}
		}
		out := f(s)
		if out == s {
			return a.Pos[0], nil
		}
		return t.NewStr(out)
	}
}

func predicate(f func(string) bool) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		s := a.Pos[0].Obj.(*value.Str).Text
		return value.Bool(f(s)), t.Step(int64(len(s)) / 32)
	}
}

func strNew(t *value.Thread, a *value.Args) (value.Value, error) {
	v, err := t.Types.Empty, error(nil)
	switch x := a.Pos[1]; {
	case x.Kind == value.KUnset:
	case a.Pos[2].Kind == value.KUnset && a.Pos[3].Kind == value.KUnset:
		v, err = t.StrValue(x)
	default:
		b, e := textArg(t, text{bytes: true}, x, "str")
		if e != nil {
			return value.Value{}, e
		}
		v, err = decode(t, b, a.Pos[2], a.Pos[3])
	}
	return t.Construct(a.Pos[0], v), err
}

// codecArgs reads the optional arguments encoding and errors, and accounts for a
// conversion of n bytes.
func codecArgs(t *value.Thread, n int, encoding, errs value.Value) (names [2]string, err error) {
	names = [2]string{"utf-8", "strict"}
	for i, v := range [2]value.Value{encoding, errs} {
		if v.Kind != value.KUnset {
			if names[i], err = textArg(t, text{}, v, [2]string{"encoding", "errors"}[i]); err != nil {
				return names, err
			}
		}
	}
	return names, codecCost(t, n)
}

// decode makes a string of bytes.
func decode(t *value.Thread, b string, encoding, errs value.Value) (value.Value, error) {
	names, err := codecArgs(t, len(b), encoding, errs)
	if err != nil {
		return value.Value{}, err
	}
	out, err := pytext.Decode(nil, []byte(b), names[0], names[1])
	if err != nil {
		return value.Value{}, t.TextError(err)
	}
	return t.NewStr(string(out))
}

// encode makes bytes of a string.
func encode(t *value.Thread, s string, encoding, errs value.Value) (string, error) {
	names, err := codecArgs(t, len(s), encoding, errs)
	if err != nil {
		return "", err
	}
	out, err := pytext.Encode(nil, s, names[0], names[1])
	if err != nil {
		return "", t.TextError(err)
	}
	return string(out), nil
}

// codecCost accounts for a conversion of n bytes, whose result is at most a few times as long.
func codecCost(t *value.Thread, n int) error {
	if err := t.Alloc(int64(n) * 4); err != nil {
		return err
	}
	return t.Step(int64(n) / 32)
}

func strEncode(t *value.Thread, a *value.Args) (value.Value, error) {
	t.See(a.Pos[0].Label)
	b, err := encode(t, a.Pos[0].Obj.(*value.Str).Text, a.Pos[1], a.Pos[2])
	return t.Bytes(b), err
}

func strFormat(t *value.Thread, a *value.Args) (value.Value, error) {
	f := value.Formatter{Thread: t, Pos: a.Star, Named: func(name string) (value.Value, bool, error) {
		for i, n := range a.Names {
			if n == name {
				return a.Named[i], true, nil
			}
		}
		return value.Value{}, false, nil
	}}
	t.See(a.Pos[0].Label)
	return f.Render(a.Pos[0].Obj.(*value.Str).Text)
}

func strFormatMap(t *value.Thread, a *value.Args) (value.Value, error) {
	t.See(a.Pos[0].Label)
	f := value.Formatter{Thread: t, Named: func(name string) (value.Value, bool, error) {
		v, err := t.GetItem(a.Pos[1], t.Str(name))
		return v, true, err
	}}
	return f.Render(a.Pos[0].Obj.(*value.Str).Text)
}

// strTranslate maps each character by a table: an int, a string, or None for nothing.
func strTranslate(t *value.Thread, a *value.Args) (value.Value, error) {
	s := a.Pos[0].Obj.(*value.Str).Text
	t.See(a.Pos[0].Label)
	var out []byte
	table, ok := t.PlainDict(a.Pos[1])
	if !ok {
		return value.Value{}, t.FailOf(a.Pos[1], t.Types.TypeError, "translate() argument must be a dict, not %s", t.ClassName(a.Pos[1]))
	}
	t.See(table.Label)
	for s != "" {
		r, n := pytext.DecodeRune(s)
		if err := t.Step(1); err != nil {
			return value.Value{}, err
		}
		v, ok, err := table.Obj.(*value.Dict).Get(t, value.Int(int64(r)))
		if err != nil {
			return value.Value{}, err
		}
		t.See(v.Label)
		size := len(out)
		if !ok {
			out = append(out, s[:n]...)
		} else {
			switch b := t.Base(v); b.Kind {
			case value.KNone:
			case value.KStr:
				out = append(out, b.Obj.(*value.Str).Text...)
			case value.KInt, value.KBool, value.KBig:
				if b.Kind == value.KBig || b.N < 0 || b.N > pytext.MaxRune {
					return value.Value{}, t.Raise(t.Types.ValueError, "character mapping must be in range(0x110000)")
				}
				out = pytext.AppendRune(out, rune(b.N))
			default:
				return value.Value{}, t.Raise(t.Types.TypeError, "character mapping must return integer, None or str")
			}
		}
		if err := t.Alloc(int64(len(out) - size)); err != nil {
			return value.Value{}, err
		}
		s = s[n:]
	}
	return t.NewStr(string(out))
}

func strMakeTrans(t *value.Thread, a *value.Args) (value.Value, error) {
	out := t.NewDict()
	d := out.Obj.(*value.Dict)
	if a.Pos[1].Kind == value.KUnset {
		return out, transFromDict(t, d, a.Pos[0])
	}
	var texts [3]string
	for i, v := range a.Pos {
		if v.Kind == value.KUnset {
			continue
		}
		var err error
		if texts[i], err = textArg(t, text{}, v, "maketrans"); err != nil {
			return value.Value{}, err
		}
	}
	if pytext.RuneCount(texts[0]) != pytext.RuneCount(texts[1]) {
		return value.Value{}, t.Raise(t.Types.ValueError, "the first two maketrans arguments must have equal length")
	}
	for from, to := texts[0], texts[1]; from != ""; {
		r, n := pytext.DecodeRune(from)
		q, m := pytext.DecodeRune(to)
		if err := d.Set(t, value.Int(int64(r)), value.Int(int64(q))); err != nil {
			return value.Value{}, err
		}
		from, to = from[n:], to[m:]
	}
	for s := texts[2]; s != ""; {
		r, n := pytext.DecodeRune(s)
		if err := d.Set(t, value.Int(int64(r)), value.None); err != nil {
			return value.Value{}, err
		}
		s = s[n:]
	}
	return out, nil
}

// transFromDict makes the keys of a dict code points.
func transFromDict(t *value.Thread, d *value.Dict, v value.Value) error {
	t.See(v.Label)
	p, ok := t.Payload(v, value.KDict)
	if !ok {
		return t.Raise(t.Types.TypeError, "if you give only one argument to maketrans it must be a dict")
	}
	t.See(p.Obj.(*value.Dict).Shape)
	for _, e := range p.Obj.(*value.Dict).Entries {
		switch k := t.Base(e.Key); k.Kind {
		case value.KUnset:
			continue
		case value.KStr:
			r, n := pytext.DecodeRune(k.Obj.(*value.Str).Text)
			if n == 0 || n != len(k.Obj.(*value.Str).Text) {
				return t.Raise(t.Types.ValueError, "string keys in translatetable must be of length 1")
			}
			if err := d.Set(t, value.Int(int64(r)).With(k.Label), e.Val); err != nil {
				return err
			}
		case value.KInt, value.KBool, value.KBig:
			if err := d.Set(t, e.Key, e.Val); err != nil {
				return err
			}
		default:
			return t.Raise(t.Types.TypeError, "keys in translate table must be strings or integers")
		}
	}
	return nil
}

// bytesNatives are the methods of bytes objects.
func bytesNatives() []*value.Native {
	m := func(name, params string, f value.NativeFunc) *value.Native {
		return newMethod(value.KBytes, "bytes."+name, params, f)
	}
	out := []*value.Native{
		{Name: "bytes.__new__", Params: "cls, source=b'', encoding='utf-8', errors='strict'", Call: bytesNew, Drains: []int{1}},
		{Name: "bytes.fromhex", Params: "cls, string, /", Call: bytesFromHex},
		m("decode", "self, encoding='utf-8', errors='strict'", bytesDecode),
		m("hex", "self, sep='', /", bytesHex),
		m("__bytes__", "self, /", func(t *value.Thread, a *value.Args) (value.Value, error) { return a.Pos[0], nil }),
	}
	out = append(out, textMethods("bytes", value.KBytes)...)
	return append(out, dunders(value.KBytes, "bytes", "__len__ __getitem__ __contains__ __iter__ __repr__ __hash__ __add__ __mul__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__")...)
}

func bytesNew(t *value.Thread, a *value.Args) (value.Value, error) {
	b, x := "", a.Pos[1]
	t.See(x.Label)
	var err error
	switch p := t.Base(x); {
	case p.Kind == value.KStr && a.Pos[2].Kind == value.KUnset:
		err = t.Raise(t.Types.TypeError, "string argument without an encoding")
	case p.Kind == value.KStr:
		b, err = encode(t, p.Obj.(*value.Str).Text, a.Pos[2], a.Pos[3])
	case x.Kind != value.KUnset:
		b, err = bytesOf(t, x)
	}
	return t.Construct(a.Pos[0], t.Bytes(b)), err
}

// bytesOf returns the bytes that a value gives: itself, so many zeros, or its numbers.
func bytesOf(t *value.Thread, x value.Value) (string, error) {
	if _, ok := t.Override(x, "__bytes__"); ok {
		r, _, err := t.CallSpecial(x, "__bytes__")
		if err != nil {
			return "", err
		}
		t.See(r.Label)
		b, ok := t.Payload(r, value.KBytes)
		if !ok {
			return "", t.Raise(t.Types.TypeError, "__bytes__ returned non-bytes (type %s)", t.ClassName(r))
		}
		return b.Obj.(*value.Bytes).Data, nil
	}
	p := t.Base(x)
	switch {
	case p.Kind == value.KBytes:
		return p.Obj.(*value.Bytes).Data, nil
	case t.IsIndex(x):
		n, err := t.Index(x)
		if err != nil {
			return "", err
		}
		if n.Kind == value.KBig {
			return "", t.Raise(t.Types.OverflowError, "cannot fit '%s' into an index-sized integer", t.ClassName(x))
		}
		if n.N < 0 {
			return "", t.Raise(t.Types.ValueError, "negative count")
		}
		if err := t.Alloc(n.N); err != nil {
			return "", err
		}
		return string(make([]byte, n.N)), t.Step(n.N / 256)
	}
	if _, err := t.Iterable(x, "cannot convert '"+t.ClassName(x)+"' object to bytes"); err != nil {
		return "", err
	}
	var out []byte
	err := t.Each(x, func(v value.Value) error {
		n, err := t.Index(v)
		if err != nil {
			return err
		}
		if n.Kind == value.KBig || n.N < 0 || n.N > 255 {
			return t.Raise(t.Types.ValueError, "bytes must be in range(0, 256)")
		}
		out = append(out, byte(n.N))
		return t.Alloc(1)
	})
	return string(out), err
}

func bytesFromHex(t *value.Thread, a *value.Args) (value.Value, error) {
	s, err := textArg(t, text{}, a.Pos[1], "fromhex")
	if err != nil {
		return value.Value{}, err
	}
	if err := codecCost(t, len(s)); err != nil {
		return value.Value{}, err
	}
	b, err := pytext.ParseHex(s)
	if err != nil {
		return value.Value{}, t.TextError(err)
	}
	return t.Bytes(string(b)), nil
}

func bytesDecode(t *value.Thread, a *value.Args) (value.Value, error) {
	t.See(a.Pos[0].Label)
	return decode(t, a.Pos[0].Obj.(*value.Bytes).Data, a.Pos[1], a.Pos[2])
}

// bytesHex writes bytes in hexadecimal, with a separator between them.
func bytesHex(t *value.Thread, a *value.Args) (value.Value, error) {
	b, sep := a.Pos[0].Obj.(*value.Bytes).Data, ""
	if a.Pos[1].Kind != value.KUnset {
		var err error
		if sep, err = textArg(t, text{}, a.Pos[1], "hex"); err != nil {
			return value.Value{}, err
		}
	}
	if err := charge(t, int64(len(b))*int64(2+len(sep))); err != nil {
		return value.Value{}, err
	}
	out := make([]byte, 0, len(b)*(2+len(sep)))
	for i := range len(b) {
		if i > 0 {
			out = append(out, sep...)
		}
		out = hex.AppendEncode(out, []byte{b[i]})
	}
	return t.NewStr(string(out))
}
