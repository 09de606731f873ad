package builtin

import (
	"encoding/hex"
	"unicode/utf8"

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
			if err := t.Charge(int64(len(s)), int64(len(s))/16); err != nil {
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
	return t.Charge(int64(n)*4, int64(n)/32)
}

func strEncode(t *value.Thread, a *value.Args) (value.Value, error) {
	t.See(a.Pos[0].Label)
	b, err := encode(t, a.Pos[0].Obj.(*value.Str).Text, a.Pos[1], a.Pos[2])
	return t.Bytes(b), err
}

func strFormat(t *value.Thread, a *value.Args) (value.Value, error) {
	f := value.Formatter{Thread: t, Args: a}
	t.See(a.Pos[0].Label)
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
		r, n := utf8.DecodeRuneInString(s)
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
				if b.Kind == value.KBig || b.N < 0 || b.N > utf8.MaxRune {
					return value.Value{}, t.Raise(t.Types.ValueError, "character mapping must be in range(0x110000)")
				}
				out = utf8.AppendRune(out, rune(b.N))
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
	to := []rune(texts[1])
	for i, r := range []rune(texts[0]) {
		if err := d.Set(t, value.Int(int64(r)), value.Int(int64(to[i]))); err != nil {
			return value.Value{}, err
		}
	}
	for _, r := range texts[2] {
		if err := d.Set(t, value.Int(int64(r)), value.None); err != nil {
			return value.Value{}, err
		}
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
		k := t.Base(e.Key)
		switch {
		case k.Kind == value.KUnset:
			continue
		case k.Kind == value.KStr && value.StrLen(k.Obj.(*value.Str)) == 1:
			r, _ := utf8.DecodeRuneInString(k.Obj.(*value.Str).Text)
			k = value.Int(int64(r)).With(k.Label)
		case k.Kind == value.KStr:
			return t.Raise(t.Types.ValueError, "string keys in translatetable must be of length 1")
		case !value.IsInt(k):
			return t.Raise(t.Types.TypeError, "keys in translate table must be strings or integers")
		}
		if err := d.Set(t, k, e.Val); err != nil {
			return err
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
		m("decode", "self, encoding='utf-8', errors='strict'", bytesDecode),
		m("hex", "self, /", bytesHex),
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
	p, own, err := t.OwnAs(x, "__bytes__", value.KBytes, "__bytes__ returned non-bytes (type %s)")
	if err != nil {
		return "", err
	}
	if !own {
		p = t.Base(x)
	}
	switch {
	case p.Kind == value.KBytes:
		return p.Obj.(*value.Bytes).Data, nil
	case t.IsIndex(x):
		n, err := t.IntArg(x)
		if err == nil && n < 0 {
			err = t.Raise(t.Types.ValueError, "negative count")
		}
		if err == nil {
			err = t.Charge(n, n/256)
		}
		if err != nil {
			return "", err
		}
		return string(make([]byte, n)), nil
	}
	if _, err := t.Iterable(x, "cannot convert '"+t.ClassName(x)+"' object to bytes"); err != nil {
		return "", err
	}
	var out []byte
	err = t.Each(x, func(v value.Value) error {
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

func bytesDecode(t *value.Thread, a *value.Args) (value.Value, error) {
	t.See(a.Pos[0].Label)
	return decode(t, a.Pos[0].Obj.(*value.Bytes).Data, a.Pos[1], a.Pos[2])
}

func bytesHex(t *value.Thread, a *value.Args) (value.Value, error) {
	b := a.Pos[0].Obj.(*value.Bytes).Data
	if err := charge(t, 2*int64(len(b))); err != nil {
		return value.Value{}, err
	}
	return t.NewStr(hex.EncodeToString([]byte(b)))
}
