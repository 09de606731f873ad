package builtin

import (
	"strings"

	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/value"
)

// strNatives are the methods of strings.
func strNatives() []*value.Native {
	m := func(name, params string, f value.NativeFunc) *value.Native {
		return newMethod(value.KStr, "str."+name, params, f)
	}
	out := []*value.Native{
		{Name: "str.__new__", Params: "", Call: strNew},
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
	args := [3]value.Value{}
	if n := len(a.Pos) - 1; n > 3 {
		return value.Value{}, arity(t, "str", n, 0, 3)
	}
	copy(args[:], a.Pos[1:])
	for i, name := range a.Names {
		at := map[string]int{"object": 0, "encoding": 1, "errors": 2}
		k, ok := at[name]
		if !ok {
			return value.Value{}, t.Raise(t.Types.TypeError, "str() got an unexpected keyword argument '%s'", name)
		}
		if args[k].Kind != value.KUnset {
			return value.Value{}, t.Raise(t.Types.TypeError, "argument for str() given by name ('%s') and position (%d)", name, k+1)
		}
		args[k] = a.Named[i]
	}
	x := args[0]
	if args[1].Kind == value.KUnset && args[2].Kind == value.KUnset {
		if x.Kind == value.KUnset {
			return t.Construct(a.Pos[0], t.Types.Empty), nil
		}
		s, err := t.StrValue(x)
		if err != nil {
			return value.Value{}, err
		}
		return t.Construct(a.Pos[0], s), nil
	}
	if x.Kind == value.KUnset {
		return t.Construct(a.Pos[0], t.Types.Empty), nil
	}
	t.See(x.Label)
	if _, _, err := codecArgs(t, "str", args[1], args[2]); err != nil {
		return value.Value{}, err
	}
	b, ok := t.Payload(x, value.KBytes)
	if !ok {
		if _, isStr := t.Payload(x, value.KStr); isStr {
			return value.Value{}, t.Raise(t.Types.TypeError, "decoding str is not supported")
		}
		return value.Value{}, t.Raise(t.Types.TypeError, "decoding to str: need a bytes-like object, %s found", t.ClassName(x))
	}
	s, err := decode(t, "str", b.Obj.(*value.Bytes).Data, args[1], args[2])
	return t.Construct(a.Pos[0], s), err
}

// codecArgs reads the optional arguments encoding and errors.
func codecArgs(t *value.Thread, method string, encoding, errs value.Value) (string, string, error) {
	names := [2]string{"utf-8", "strict"}
	for i, v := range [2]value.Value{encoding, errs} {
		if v.Kind == value.KUnset {
			continue
		}
		t.See(v.Label)
		s, ok := t.Payload(v, value.KStr)
		if !ok {
			name := argName(t, v)
			if method == "str" {
				name = t.ClassName(v)
			}
			return "", "", t.Raise(t.Types.TypeError, "%s() argument '%s' must be str, not %s", method, [2]string{"encoding", "errors"}[i], name)
		}
		names[i] = s.Obj.(*value.Str).Text
	}
	return names[0], names[1], nil
}

// decode makes a string of bytes.
func decode(t *value.Thread, method, b string, encoding, errs value.Value) (value.Value, error) {
	enc, mode, err := codecArgs(t, method, encoding, errs)
	if err != nil {
		return value.Value{}, err
	}
	if err := codecCost(t, len(b)); err != nil {
		return value.Value{}, err
	}
	out, err := pytext.Decode(nil, []byte(b), enc, mode)
	if err != nil {
		return value.Value{}, t.TextError(err)
	}
	return t.NewStr(string(out))
}

// encode makes bytes of a string.
func encode(t *value.Thread, method, s string, encoding, errs value.Value) (string, error) {
	enc, mode, err := codecArgs(t, method, encoding, errs)
	if err != nil {
		return "", err
	}
	if err := codecCost(t, len(s)); err != nil {
		return "", err
	}
	out, err := pytext.Encode(nil, s, enc, mode)
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
	b, err := encode(t, "encode", a.Pos[0].Obj.(*value.Str).Text, a.Pos[1], a.Pos[2])
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
	f := value.Formatter{Thread: t, IsMap: true, Named: func(name string) (value.Value, bool, error) {
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
	table := t.Base(a.Pos[1])
	for s != "" {
		r, n := pytext.DecodeRune(s)
		if err := t.Step(1); err != nil {
			return value.Value{}, err
		}
		v, ok, err := mapped(t, table, a.Pos[1], int64(r))
		if err != nil {
			return value.Value{}, err
		}
		size := len(out)
		if !ok {
			out = append(out, s[:n]...)
		} else {
			t.See(v.Label)
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

// mapped looks a character up in a table; ok is false when it has none.
func mapped(t *value.Thread, table, v value.Value, r int64) (value.Value, bool, error) {
	if _, own := t.Override(v, "__getitem__"); table.Kind == value.KDict && !own {
		if _, own := t.Override(v, "__missing__"); !own {
			x, ok, err := table.Obj.(*value.Dict).Get(t, value.Int(r))
			t.See(t.Join(x.Label, v.Label))
			return x, ok, err
		}
	}
	x, err := t.GetItem(v, value.Int(r))
	if err != nil {
		if e, is := err.(*value.Raise); is && e.Exc.Cls.Derives(t.Types.LookupError) {
			return value.Value{}, false, nil
		}
		return value.Value{}, false, err
	}
	return x, true, nil
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
		t.See(v.Label)
		s, ok := t.Payload(v, value.KStr)
		if !ok && i == 0 {
			if _, ok := t.Payload(a.Pos[1], value.KStr); !ok {
				return value.Value{}, t.Raise(t.Types.TypeError, "maketrans() argument 2 must be str, not %s", argName(t, a.Pos[1]))
			}
			if x := a.Pos[2]; x.Kind != value.KUnset {
				if _, ok := t.Payload(x, value.KStr); !ok {
					return value.Value{}, t.Raise(t.Types.TypeError, "maketrans() argument 3 must be str, not %s", argName(t, x))
				}
			}
			return value.Value{}, t.Raise(t.Types.TypeError, "first maketrans argument must be a string if there is a second argument")
		}
		if !ok {
			return value.Value{}, t.Raise(t.Types.TypeError, "maketrans() argument %d must be str, not %s", i+1, argName(t, v))
		}
		texts[i] = s.Obj.(*value.Str).Text
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
		{Name: "bytes.__new__", Params: "", Call: bytesNew, Drains: []int{1}},
		{Name: "bytes.fromhex", Params: "cls, string, /", Call: bytesFromHex},
		{Name: "bytes.maketrans", Params: "frm, to, /", Call: bytesMakeTrans},
		m("decode", "self, encoding='utf-8', errors='strict'", bytesDecode),
		m("hex", "self, sep=None, bytes_per_sep=1", bytesHex),
		m("translate", "self, table, /, delete=b''", bytesTranslate),
		m("__bytes__", "self, /", func(t *value.Thread, a *value.Args) (value.Value, error) { return a.Pos[0], nil }),
	}
	for _, c := range []struct {
		name string
		f    func(string) string
	}{
		{"capitalize", pytext.Capitalize}, {"lower", pytext.Lower},
		{"swapcase", pytext.SwapCase}, {"title", pytext.Title}, {"upper", pytext.Upper},
	} {
		out = append(out, m(c.name, "self, /", bytesMapping(c.f)))
	}
	for _, c := range []struct {
		name string
		f    func(string) bool
	}{
		{"isalnum", pytext.StrIsAlnum}, {"isalpha", pytext.StrIsAlpha}, {"isdigit", pytext.StrIsDigit},
		{"islower", pytext.StrIsLower}, {"isspace", byteSpaces}, {"istitle", pytext.StrIsTitle}, {"isupper", pytext.StrIsUpper},
	} {
		out = append(out, m(c.name, "self, /", bytesPredicate(c.f)))
	}
	out = append(out, m("isascii", "self, /", func(t *value.Thread, a *value.Args) (value.Value, error) {
		return value.Bool(pytext.IsASCII(a.Pos[0].Obj.(*value.Bytes).Data)), nil
	}))
	out = append(out, textMethods("bytes", value.KBytes)...)
	return append(out, dunders(value.KBytes, "bytes", "__len__ __getitem__ __contains__ __iter__ __repr__ __hash__ __add__ __mul__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__")...)
}

func byteSpaces(s string) bool {
	for i := range len(s) {
		if !pytext.IsByteSpace(s[i]) {
			return false
		}
	}
	return s != ""
}

// asciiView gives the ASCII part of bytes its meaning and makes everything
// else a character that no mapping changes.
func asciiView(b string) string {
	if pytext.IsASCII(b) {
		return b
	}
	out := []byte(b)
	for i := range out {
		if out[i] >= 0x80 {
			out[i] = 0
		}
	}
	return string(out)
}

func bytesMapping(f func(string) string) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		b := a.Pos[0].Obj.(*value.Bytes).Data
		if err := codecCost(t, len(b)); err != nil {
			return value.Value{}, err
		}
		out := []byte(f(asciiView(b)))
		for i := range out {
			if b[i] >= 0x80 {
				out[i] = b[i]
			}
		}
		return t.Bytes(string(out)), nil
	}
}

func bytesPredicate(f func(string) bool) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		b := a.Pos[0].Obj.(*value.Bytes).Data
		return value.Bool(f(asciiView(b))), t.Step(int64(len(b)) / 32)
	}
}

func bytesNew(t *value.Thread, a *value.Args) (value.Value, error) {
	args := [3]value.Value{}
	if n := len(a.Pos) - 1; n > 3 {
		return value.Value{}, arity(t, "bytes", n, 0, 3)
	}
	copy(args[:], a.Pos[1:])
	for i, name := range a.Names {
		k, ok := map[string]int{"source": 0, "encoding": 1, "errors": 2}[name]
		if !ok {
			return value.Value{}, t.Raise(t.Types.TypeError, "bytes() got an unexpected keyword argument '%s'", name)
		}
		args[k] = a.Named[i]
	}
	x := args[0]
	t.See(x.Label)
	b := ""
	_, _, err := codecArgs(t, "bytes", args[1], args[2])
	if err != nil {
		return value.Value{}, err
	}
	switch p := t.Base(x); {
	case p.Kind == value.KStr && args[1].Kind == value.KUnset && args[2].Kind == value.KUnset:
		err = t.Raise(t.Types.TypeError, "string argument without an encoding")
	case p.Kind == value.KStr:
		b, err = encode(t, "bytes", p.Obj.(*value.Str).Text, args[1], args[2])
	case args[1].Kind != value.KUnset:
		err = t.Raise(t.Types.TypeError, "encoding without a string argument")
	case args[2].Kind != value.KUnset:
		err = t.Raise(t.Types.TypeError, "errors without a string argument")
	case x.Kind == value.KUnset:
	default:
		b, err = bytesOf(t, x)
	}
	if err != nil {
		return value.Value{}, err
	}
	return t.Construct(a.Pos[0], t.Bytes(b)), nil
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
	t.See(a.Pos[1].Label)
	var s string
	switch p := t.Base(a.Pos[1]); p.Kind {
	case value.KStr:
		s = p.Obj.(*value.Str).Text
	case value.KBytes:
		s = p.Obj.(*value.Bytes).Data
	default:
		return value.Value{}, t.Raise(t.Types.TypeError, "fromhex() argument must be str or bytes-like, not %s", t.ClassName(p))
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

func bytesMakeTrans(t *value.Thread, a *value.Args) (value.Value, error) {
	x := text{bytes: true}
	from, err := textArg(t, x, a.Pos[0], "maketrans", 1)
	if err != nil {
		return value.Value{}, err
	}
	to, err := textArg(t, x, a.Pos[1], "maketrans", 2)
	if err != nil {
		return value.Value{}, err
	}
	if len(from) != len(to) {
		return value.Value{}, t.Raise(t.Types.ValueError, "maketrans arguments must have same length")
	}
	var table [256]byte
	for i := range table {
		table[i] = byte(i)
	}
	for i := range len(from) {
		table[from[i]] = to[i]
	}
	return t.Bytes(string(table[:])), nil
}

func bytesTranslate(t *value.Thread, a *value.Args) (value.Value, error) {
	b := a.Pos[0].Obj.(*value.Bytes).Data
	x := text{bytes: true}
	table := ""
	var err error
	if a.Pos[1].Kind != value.KNone {
		if table, err = textArg(t, x, a.Pos[1], "translate", 1); err != nil {
			return value.Value{}, err
		}
		if len(table) != 256 {
			return value.Value{}, t.Raise(t.Types.ValueError, "translation table must be 256 characters long")
		}
	}
	drop := ""
	if a.Pos[2].Kind != value.KUnset {
		if drop, err = textArg(t, x, a.Pos[2], "translate", 2); err != nil {
			return value.Value{}, err
		}
	}
	if err := codecCost(t, len(b)); err != nil {
		return value.Value{}, err
	}
	var dropped [256]bool
	for i := range len(drop) {
		dropped[drop[i]] = true
	}
	out := make([]byte, 0, len(b))
	for i := range len(b) {
		if c := b[i]; !dropped[c] {
			if table != "" {
				c = table[c]
			}
			out = append(out, c)
		}
	}
	return t.Bytes(string(out)), nil
}

func bytesDecode(t *value.Thread, a *value.Args) (value.Value, error) {
	t.See(a.Pos[0].Label)
	return decode(t, "decode", a.Pos[0].Obj.(*value.Bytes).Data, a.Pos[1], a.Pos[2])
}

func bytesHex(t *value.Thread, a *value.Args) (value.Value, error) {
	b := a.Pos[0].Obj.(*value.Bytes).Data
	sep, every := byte(0), 1
	if a.Pos[2].Kind != value.KUnset {
		n, err := t.IntArg(a.Pos[2])
		if err != nil {
			return value.Value{}, err
		}
		every = int(max(min(n, 1<<30), -1<<30))
	}
	if a.Pos[1].Kind != value.KUnset {
		t.See(a.Pos[1].Label)
		p := t.Base(a.Pos[1])
		if p.Kind != value.KStr && p.Kind != value.KBytes {
			return value.Value{}, t.Raise(t.Types.TypeError, "object of type '%s' has no len()", t.ClassName(p))
		}
		s := textOf(p).s
		if len(s) != 1 {
			return value.Value{}, t.Raise(t.Types.ValueError, "sep must be length 1.")
		}
		if s[0] >= 0x80 {
			return value.Value{}, t.Raise(t.Types.ValueError, "sep must be ASCII.")
		}
		sep = s[0]
	}
	if err := codecCost(t, len(b)); err != nil {
		return value.Value{}, err
	}
	return t.NewStr(strings.Clone(string(pytext.AppendHex(nil, []byte(b), sep, every))))
}
