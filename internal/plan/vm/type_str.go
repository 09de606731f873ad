package vm

import (
	"strings"

	"praxis/internal/plan/pytext"
)

// strNatives are the methods of strings.
func strNatives() []*Native {
	m := func(name, params string, f nativeFunc) *Native { return meth(kStr, "str."+name, params, f) }
	out := []*Native{
		{name: "str.__new__", params: "", call: strNew},
		{name: "str.maketrans", params: "x, y=None, z=None, /", call: strMakeTrans},
		m("encode", "self, encoding='utf-8', errors='strict'", strEncode),
		m("format", "self, /, *args, **kwargs", strFormat),
		m("format_map", "self, mapping, /", strFormatMap),
		m("translate", "self, table, /", strTranslate),
		m("__format__", "self, format_spec, /", formatMethod),
		m("__str__", "self, /", func(t *Thread, a *Args) (Value, error) { return a.Pos[0], nil }),
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
	out = append(out, textMethods("str", kStr)...)
	return append(out, dunders(kStr, "str", "__len__ __getitem__ __contains__ __iter__ __repr__ __hash__ "+
		"__add__ __mul__ __rmul__ __mod__ __rmod__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__")...)
}

func mapping(f func(string) string) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		s := a.Pos[0].o.(*Str).s
		if len(s) > 64 {
			if err := t.step(int64(len(s)) / 16); err != nil {
				return Value{}, err
			}
			if err := t.alloc(int64(len(s))); err != nil {
				return Value{}, err
			}
		}
		out := f(s)
		if out == s {
			return a.Pos[0], nil
		}
		return t.newStr(out)
	}
}

func predicate(f func(string) bool) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		s := a.Pos[0].o.(*Str).s
		return boolValue(f(s)), t.step(int64(len(s)) / 32)
	}
}

func strNew(t *Thread, a *Args) (Value, error) {
	args := [3]Value{}
	if n := len(a.Pos) - 1; n > 3 {
		return Value{}, t.arity("str", n, 0, 3)
	}
	copy(args[:], a.Pos[1:])
	for i, name := range a.Names {
		at := map[string]int{"object": 0, "encoding": 1, "errors": 2}
		k, ok := at[name]
		if !ok {
			return Value{}, t.raise(t.types.TypeError, "str() got an unexpected keyword argument '%s'", name)
		}
		if args[k].k != kUnset {
			return Value{}, t.raise(t.types.TypeError, "argument for str() given by name ('%s') and position (%d)", name, k+1)
		}
		args[k] = a.Named[i]
	}
	x := args[0]
	if args[1].k == kUnset && args[2].k == kUnset {
		if x.k == kUnset {
			return t.construct(a.Pos[0], t.types.empty), nil
		}
		s, err := t.strValue(x)
		if err != nil {
			return Value{}, err
		}
		return t.construct(a.Pos[0], s), nil
	}
	if x.k == kUnset {
		return t.construct(a.Pos[0], t.types.empty), nil
	}
	t.see(x.l)
	if _, _, err := t.codecArgs("str", args[1], args[2]); err != nil {
		return Value{}, err
	}
	b, ok := t.payload(x, kBytes)
	if !ok {
		if _, isStr := t.payload(x, kStr); isStr {
			return Value{}, t.raise(t.types.TypeError, "decoding str is not supported")
		}
		return Value{}, t.raise(t.types.TypeError, "decoding to str: need a bytes-like object, %s found", t.className(x))
	}
	s, err := t.decode("str", b.o.(*Bytes).b, args[1], args[2])
	return t.construct(a.Pos[0], s), err
}

// codecArgs reads the optional arguments encoding and errors.
func (t *Thread) codecArgs(method string, encoding, errs Value) (string, string, error) {
	names := [2]string{"utf-8", "strict"}
	for i, v := range [2]Value{encoding, errs} {
		if v.k == kUnset {
			continue
		}
		t.see(v.l)
		s, ok := t.payload(v, kStr)
		if !ok {
			name := t.argName(v)
			if method == "str" {
				name = t.className(v)
			}
			return "", "", t.raise(t.types.TypeError, "%s() argument '%s' must be str, not %s", method, [2]string{"encoding", "errors"}[i], name)
		}
		names[i] = s.o.(*Str).s
	}
	return names[0], names[1], nil
}

// decode makes a string of bytes.
func (t *Thread) decode(method, b string, encoding, errs Value) (Value, error) {
	enc, mode, err := t.codecArgs(method, encoding, errs)
	if err != nil {
		return Value{}, err
	}
	if err := t.codecCost(len(b)); err != nil {
		return Value{}, err
	}
	out, err := pytext.Decode(nil, []byte(b), enc, mode)
	if err != nil {
		return Value{}, t.textError(err)
	}
	return t.newStr(string(out))
}

// encode makes bytes of a string.
func (t *Thread) encode(method, s string, encoding, errs Value) (string, error) {
	enc, mode, err := t.codecArgs(method, encoding, errs)
	if err != nil {
		return "", err
	}
	if err := t.codecCost(len(s)); err != nil {
		return "", err
	}
	out, err := pytext.Encode(nil, s, enc, mode)
	if err != nil {
		return "", t.textError(err)
	}
	return string(out), nil
}

// codecCost accounts for a conversion of n bytes, whose result is at most a few times as long.
func (t *Thread) codecCost(n int) error {
	if err := t.alloc(int64(n) * 4); err != nil {
		return err
	}
	return t.step(int64(n) / 32)
}

func strEncode(t *Thread, a *Args) (Value, error) {
	t.see(a.Pos[0].l)
	b, err := t.encode("encode", a.Pos[0].o.(*Str).s, a.Pos[1], a.Pos[2])
	return t.bytes(b), err
}

func strFormat(t *Thread, a *Args) (Value, error) {
	f := formatter{t: t, pos: a.Star, named: func(name string) (Value, bool, error) {
		for i, n := range a.Names {
			if n == name {
				return a.Named[i], true, nil
			}
		}
		return Value{}, false, nil
	}}
	t.see(a.Pos[0].l)
	return f.render(a.Pos[0].o.(*Str).s)
}

func strFormatMap(t *Thread, a *Args) (Value, error) {
	t.see(a.Pos[0].l)
	f := formatter{t: t, isMap: true, named: func(name string) (Value, bool, error) {
		v, err := t.getItem(a.Pos[1], t.str(name))
		return v, true, err
	}}
	return f.render(a.Pos[0].o.(*Str).s)
}

// strTranslate maps each character by a table: an int, a string, or None for nothing.
func strTranslate(t *Thread, a *Args) (Value, error) {
	s := a.Pos[0].o.(*Str).s
	t.see(a.Pos[0].l)
	var out []byte
	table := t.base(a.Pos[1])
	for s != "" {
		r, n := pytext.DecodeRune(s)
		if err := t.step(1); err != nil {
			return Value{}, err
		}
		v, ok, err := t.mapped(table, a.Pos[1], int64(r))
		if err != nil {
			return Value{}, err
		}
		size := len(out)
		if !ok {
			out = append(out, s[:n]...)
		} else {
			t.see(v.l)
			switch b := t.base(v); b.k {
			case kNone:
			case kStr:
				out = append(out, b.o.(*Str).s...)
			case kInt, kBool, kBig:
				if b.k == kBig || b.n < 0 || b.n > pytext.MaxRune {
					return Value{}, t.raise(t.types.ValueError, "character mapping must be in range(0x110000)")
				}
				out = pytext.AppendRune(out, rune(b.n))
			default:
				return Value{}, t.raise(t.types.TypeError, "character mapping must return integer, None or str")
			}
		}
		if err := t.alloc(int64(len(out) - size)); err != nil {
			return Value{}, err
		}
		s = s[n:]
	}
	return t.newStr(string(out))
}

// mapped asks a table for a character; ok is false when it has none.
func (t *Thread) mapped(table, v Value, r int64) (Value, bool, error) {
	if _, own := t.override(v, "__getitem__"); table.k == kDict && !own {
		if _, own := t.override(v, "__missing__"); !own {
			x, ok, err := table.o.(*Dict).get(t, intValue(r))
			t.see(t.join(x.l, v.l))
			return x, ok, err
		}
	}
	x, err := t.getItem(v, intValue(r))
	if err != nil {
		if e, is := err.(*Raise); is && e.exc.cls.derives(t.types.LookupError) {
			return Value{}, false, nil
		}
		return Value{}, false, err
	}
	return x, true, nil
}

func strMakeTrans(t *Thread, a *Args) (Value, error) {
	out := t.newDict()
	d := out.o.(*Dict)
	if a.Pos[1].k == kUnset {
		return out, t.transFromDict(d, a.Pos[0])
	}
	var texts [3]string
	for i, v := range a.Pos {
		if v.k == kUnset {
			continue
		}
		t.see(v.l)
		s, ok := t.payload(v, kStr)
		if !ok && i == 0 {
			if _, ok := t.payload(a.Pos[1], kStr); !ok {
				return Value{}, t.raise(t.types.TypeError, "maketrans() argument 2 must be str, not %s", t.argName(a.Pos[1]))
			}
			if x := a.Pos[2]; x.k != kUnset {
				if _, ok := t.payload(x, kStr); !ok {
					return Value{}, t.raise(t.types.TypeError, "maketrans() argument 3 must be str, not %s", t.argName(x))
				}
			}
			return Value{}, t.raise(t.types.TypeError, "first maketrans argument must be a string if there is a second argument")
		}
		if !ok {
			return Value{}, t.raise(t.types.TypeError, "maketrans() argument %d must be str, not %s", i+1, t.argName(v))
		}
		texts[i] = s.o.(*Str).s
	}
	if pytext.RuneCount(texts[0]) != pytext.RuneCount(texts[1]) {
		return Value{}, t.raise(t.types.ValueError, "the first two maketrans arguments must have equal length")
	}
	for from, to := texts[0], texts[1]; from != ""; {
		r, n := pytext.DecodeRune(from)
		q, m := pytext.DecodeRune(to)
		if err := d.set(t, intValue(int64(r)), intValue(int64(q))); err != nil {
			return Value{}, err
		}
		from, to = from[n:], to[m:]
	}
	for s := texts[2]; s != ""; {
		r, n := pytext.DecodeRune(s)
		if err := d.set(t, intValue(int64(r)), none); err != nil {
			return Value{}, err
		}
		s = s[n:]
	}
	return out, nil
}

// transFromDict makes the keys of a dict code points.
func (t *Thread) transFromDict(d *Dict, v Value) error {
	t.see(v.l)
	p, ok := t.payload(v, kDict)
	if !ok {
		return t.raise(t.types.TypeError, "if you give only one argument to maketrans it must be a dict")
	}
	t.see(p.o.(*Dict).shape)
	for _, e := range p.o.(*Dict).entries {
		switch k := t.base(e.key); k.k {
		case kUnset:
			continue
		case kStr:
			r, n := pytext.DecodeRune(k.o.(*Str).s)
			if n == 0 || n != len(k.o.(*Str).s) {
				return t.raise(t.types.ValueError, "string keys in translatetable must be of length 1")
			}
			if err := d.set(t, intValue(int64(r)).with(k.l), e.val); err != nil {
				return err
			}
		case kInt, kBool, kBig:
			if err := d.set(t, e.key, e.val); err != nil {
				return err
			}
		default:
			return t.raise(t.types.TypeError, "keys in translate table must be strings or integers")
		}
	}
	return nil
}

// bytesNatives are the methods of bytes objects.
func bytesNatives() []*Native {
	m := func(name, params string, f nativeFunc) *Native { return meth(kBytes, "bytes."+name, params, f) }
	out := []*Native{
		{name: "bytes.__new__", params: "", call: bytesNew, drains: []int{1}},
		{name: "bytes.fromhex", params: "cls, string, /", call: bytesFromHex},
		{name: "bytes.maketrans", params: "frm, to, /", call: bytesMakeTrans},
		m("decode", "self, encoding='utf-8', errors='strict'", bytesDecode),
		m("hex", "self, sep=None, bytes_per_sep=1", bytesHex),
		m("translate", "self, table, /, delete=b''", bytesTranslate),
		m("__bytes__", "self, /", func(t *Thread, a *Args) (Value, error) { return a.Pos[0], nil }),
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
	out = append(out, m("isascii", "self, /", func(t *Thread, a *Args) (Value, error) {
		return boolValue(pytext.IsASCII(a.Pos[0].o.(*Bytes).b)), nil
	}))
	out = append(out, textMethods("bytes", kBytes)...)
	return append(out, dunders(kBytes, "bytes", "__len__ __getitem__ __contains__ __iter__ __repr__ __hash__ "+
		"__add__ __mul__ __rmul__ __mod__ __rmod__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__")...)
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

func bytesMapping(f func(string) string) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		b := a.Pos[0].o.(*Bytes).b
		if err := t.codecCost(len(b)); err != nil {
			return Value{}, err
		}
		out := []byte(f(asciiView(b)))
		for i := range out {
			if b[i] >= 0x80 {
				out[i] = b[i]
			}
		}
		return t.bytes(string(out)), nil
	}
}

func bytesPredicate(f func(string) bool) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		b := a.Pos[0].o.(*Bytes).b
		return boolValue(f(asciiView(b))), t.step(int64(len(b)) / 32)
	}
}

func bytesNew(t *Thread, a *Args) (Value, error) {
	args := [3]Value{}
	if n := len(a.Pos) - 1; n > 3 {
		return Value{}, t.arity("bytes", n, 0, 3)
	}
	copy(args[:], a.Pos[1:])
	for i, name := range a.Names {
		k, ok := map[string]int{"source": 0, "encoding": 1, "errors": 2}[name]
		if !ok {
			return Value{}, t.raise(t.types.TypeError, "bytes() got an unexpected keyword argument '%s'", name)
		}
		args[k] = a.Named[i]
	}
	x := args[0]
	t.see(x.l)
	b := ""
	_, _, err := t.codecArgs("bytes", args[1], args[2])
	if err != nil {
		return Value{}, err
	}
	switch p := t.base(x); {
	case p.k == kStr && args[1].k == kUnset && args[2].k == kUnset:
		err = t.raise(t.types.TypeError, "string argument without an encoding")
	case p.k == kStr:
		b, err = t.encode("bytes", p.o.(*Str).s, args[1], args[2])
	case args[1].k != kUnset:
		err = t.raise(t.types.TypeError, "encoding without a string argument")
	case args[2].k != kUnset:
		err = t.raise(t.types.TypeError, "errors without a string argument")
	case x.k == kUnset:
	default:
		b, err = t.bytesOf(x)
	}
	if err != nil {
		return Value{}, err
	}
	return t.construct(a.Pos[0], t.bytes(b)), nil
}

// bytesOf returns the bytes that a value gives: itself, so many zeros, or its numbers.
func (t *Thread) bytesOf(x Value) (string, error) {
	if _, ok := t.override(x, "__bytes__"); ok {
		r, _, err := t.callSpecial(x, "__bytes__")
		if err != nil {
			return "", err
		}
		t.see(r.l)
		b, ok := t.payload(r, kBytes)
		if !ok {
			return "", t.raise(t.types.TypeError, "__bytes__ returned non-bytes (type %s)", t.className(r))
		}
		return b.o.(*Bytes).b, nil
	}
	p := t.base(x)
	switch {
	case p.k == kBytes:
		return p.o.(*Bytes).b, nil
	case t.isIndex(x):
		n, err := t.index(x)
		if err != nil {
			return "", err
		}
		if n.k == kBig {
			return "", t.raise(t.types.OverflowError, "cannot fit '%s' into an index-sized integer", t.className(x))
		}
		if n.n < 0 {
			return "", t.raise(t.types.ValueError, "negative count")
		}
		if err := t.alloc(n.n); err != nil {
			return "", err
		}
		return string(make([]byte, n.n)), t.step(n.n / 256)
	}
	if _, err := t.iterable(x, "cannot convert '"+t.className(x)+"' object to bytes"); err != nil {
		return "", err
	}
	var out []byte
	err := t.each(x, func(v Value) error {
		n, err := t.index(v)
		if err != nil {
			return err
		}
		if n.k == kBig || n.n < 0 || n.n > 255 {
			return t.raise(t.types.ValueError, "bytes must be in range(0, 256)")
		}
		out = append(out, byte(n.n))
		return t.alloc(1)
	})
	return string(out), err
}

func bytesFromHex(t *Thread, a *Args) (Value, error) {
	t.see(a.Pos[1].l)
	var s string
	switch p := t.base(a.Pos[1]); p.k {
	case kStr:
		s = p.o.(*Str).s
	case kBytes:
		s = p.o.(*Bytes).b
	default:
		return Value{}, t.raise(t.types.TypeError, "fromhex() argument must be str or bytes-like, not %s", t.className(p))
	}
	if err := t.codecCost(len(s)); err != nil {
		return Value{}, err
	}
	b, err := pytext.ParseHex(s)
	if err != nil {
		return Value{}, t.textError(err)
	}
	return t.bytes(string(b)), nil
}

func bytesMakeTrans(t *Thread, a *Args) (Value, error) {
	x := text{bytes: true}
	from, err := t.textArg(x, a.Pos[0], "maketrans", 1)
	if err != nil {
		return Value{}, err
	}
	to, err := t.textArg(x, a.Pos[1], "maketrans", 2)
	if err != nil {
		return Value{}, err
	}
	if len(from) != len(to) {
		return Value{}, t.raise(t.types.ValueError, "maketrans arguments must have same length")
	}
	var table [256]byte
	for i := range table {
		table[i] = byte(i)
	}
	for i := range len(from) {
		table[from[i]] = to[i]
	}
	return t.bytes(string(table[:])), nil
}

func bytesTranslate(t *Thread, a *Args) (Value, error) {
	b := a.Pos[0].o.(*Bytes).b
	x := text{bytes: true}
	table := ""
	var err error
	if a.Pos[1].k != kNone {
		if table, err = t.textArg(x, a.Pos[1], "translate", 1); err != nil {
			return Value{}, err
		}
		if len(table) != 256 {
			return Value{}, t.raise(t.types.ValueError, "translation table must be 256 characters long")
		}
	}
	drop := ""
	if a.Pos[2].k != kUnset {
		if drop, err = t.textArg(x, a.Pos[2], "translate", 2); err != nil {
			return Value{}, err
		}
	}
	if err := t.codecCost(len(b)); err != nil {
		return Value{}, err
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
	return t.bytes(string(out)), nil
}

func bytesDecode(t *Thread, a *Args) (Value, error) {
	t.see(a.Pos[0].l)
	return t.decode("decode", a.Pos[0].o.(*Bytes).b, a.Pos[1], a.Pos[2])
}

func bytesHex(t *Thread, a *Args) (Value, error) {
	b := a.Pos[0].o.(*Bytes).b
	sep, every := byte(0), 1
	if a.Pos[2].k != kUnset {
		n, err := t.intArg(a.Pos[2])
		if err != nil {
			return Value{}, err
		}
		every = int(max(min(n, 1<<30), -1<<30))
	}
	if a.Pos[1].k != kUnset {
		t.see(a.Pos[1].l)
		p := t.base(a.Pos[1])
		if p.k != kStr && p.k != kBytes {
			return Value{}, t.raise(t.types.TypeError, "object of type '%s' has no len()", t.className(p))
		}
		s := textOf(p).s
		if len(s) != 1 {
			return Value{}, t.raise(t.types.ValueError, "sep must be length 1.")
		}
		if s[0] >= 0x80 {
			return Value{}, t.raise(t.types.ValueError, "sep must be ASCII.")
		}
		sep = s[0]
	}
	if err := t.codecCost(len(b)); err != nil {
		return Value{}, err
	}
	return t.newStr(strings.Clone(string(pytext.AppendHex(nil, []byte(b), sep, every))))
}
