package vm

import (
	"strings"
	"sync"

	"praxis/internal/plan/label"
	"praxis/internal/plan/pytext"
)

// builtinMethods are the methods of the built-in classes.
func builtinMethods() []*Native {
	var out []*Native
	for _, table := range [][]*Native{
		objectNatives(), exceptionNatives(), intNatives(), floatNatives(), strNatives(), bytesNatives(),
		tupleNatives(), listNatives(), dictNatives(), viewNatives(), setNatives(), rangeNatives(), iterNatives(), aliasNatives(), iterConstructors(),
	} {
		out = append(out, table...)
	}
	return out
}

// builtinNatives are the built-in functions.
func builtinNatives() []*Native {
	return append(append(append(textBuiltins(), numberBuiltins()...), objectBuiltins()...), iterBuiltins()...)
}

// BuiltinParams are the parameters of a built-in function in Python's notation,
// such as "iterable, /, *, key=None, reverse=False". It does not know classes,
// whose calls convert, and functions that look at their arguments themselves.
func BuiltinParams(name string) (params string, ok bool) {
	params, ok = paramTable()[name]
	return params, ok
}

var paramTable = sync.OnceValue(func() map[string]string {
	table := make(map[string]string, 64)
	for _, n := range builtinNatives() {
		if n.params != "" && !strings.Contains(n.name, ".") {
			table[n.name] = n.params
		}
	}
	return table
})

// textBuiltins are the built-in functions that write values.
func textBuiltins() []*Native {
	return []*Native{
		{name: "print", params: "*args, sep=None, end=None, file=None, flush=False", call: builtinPrint, precise: true},
		{name: "repr", params: "obj, /", call: convertNative('r'), precise: true},
		{name: "ascii", params: "obj, /", call: convertNative('a'), precise: true},
		{name: "format", params: "value, format_spec='', /", call: builtinFormat},
		{name: "chr", params: "i, /", call: builtinChr},
		{name: "ord", params: "c, /", call: builtinOrd},
		{name: "bin", params: "number, /", call: radix("0b", 2)},
		{name: "oct", params: "number, /", call: radix("0o", 8)},
		{name: "hex", params: "number, /", call: radix("0x", 16)},
	}
}

func builtinPrint(t *Thread, a *Args) (Value, error) {
	if given(a.Pos[2]) {
		return none, t.printTo(a)
	}
	seen := t.seen
	t.seen = 0
	for _, x := range a.Named {
		t.see(x.l)
	}
	text, err := t.printed(a)
	l := t.seen
	t.seen = seen
	if err != nil {
		t.see(l)
		return Value{}, err
	}
	return none, t.write(string(text), l)
}

// printTo prints to an object of the program that has a method write, such as
// an io.StringIO: one call for each value, and one for what stands between and after.
func (t *Thread) printTo(a *Args) error {
	sep, err := t.printWord(a.Pos[0], "sep", " ")
	if err != nil {
		return err
	}
	end, err := t.printWord(a.Pos[1], "end", "\n")
	if err != nil {
		return err
	}
	write, err := t.getAttr(a.Pos[2], "write")
	if err != nil {
		return err
	}
	put := func(s string, l label.ID) error {
		v, err := t.newStr(s)
		if err == nil {
			_, err = t.Call(write, []Value{v.with(l)}, nil, nil)
		}
		return err
	}
	for i, x := range a.Star {
		if i > 0 {
			if err := put(sep, a.Pos[0].l); err != nil {
				return err
			}
		}
		seen := t.seen
		t.seen = 0
		text, err := t.appendStr(nil, x)
		l := t.seen
		t.seen = seen
		if err != nil {
			t.see(l)
			return err
		}
		if err := put(string(text), t.join(l, x.l)); err != nil {
			return err
		}
	}
	return put(end, a.Pos[1].l)
}

// printed is the text that print writes; it sees all of it.
func (t *Thread) printed(a *Args) ([]byte, error) {
	sep, err := t.printWord(a.Pos[0], "sep", " ")
	if err != nil {
		return nil, err
	}
	end, err := t.printWord(a.Pos[1], "end", "\n")
	if err != nil {
		return nil, err
	}
	var room [128]byte
	text := room[:0]
	for i := range a.Star {
		if i > 0 {
			text = append(text, sep...)
		}
		if text, err = t.appendStr(text, a.Star[i]); err != nil {
			return nil, err
		}
	}
	return append(text, end...), nil
}

func (t *Thread) printWord(v Value, name, other string) (string, error) {
	if !given(v) {
		return other, nil
	}
	t.see(v.l)
	s, ok := t.payload(v, kStr)
	if !ok {
		return "", t.raise(t.types.TypeError, "%s must be None or a string, not %s", name, t.className(v))
	}
	return s.o.(*Str).s, nil
}

func convertNative(verb rune) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) { return t.convert(a.Pos[0], verb) }
}

func builtinFormat(t *Thread, a *Args) (Value, error) {
	spec := ""
	if a.Pos[1].k != kUnset {
		s, ok := t.payload(a.Pos[1], kStr)
		if !ok {
			return Value{}, t.raise(t.types.TypeError, "format() argument 2 must be str, not %s", t.className(a.Pos[1]))
		}
		spec = s.o.(*Str).s
	}
	s, err := t.format(a.Pos[0], spec)
	if err != nil {
		return Value{}, err
	}
	return t.newStr(s)
}

func builtinChr(t *Thread, a *Args) (Value, error) {
	n, err := t.index(a.Pos[0])
	if err != nil {
		return Value{}, err
	}
	if n.k == kBig || n.n < 0 || n.n > pytext.MaxRune {
		return Value{}, t.raise(t.types.ValueError, "chr() arg not in range(0x110000)")
	}
	if n.n < 128 {
		return t.types.chars[n.n], nil
	}
	return t.newStr(string(pytext.AppendRune(nil, rune(n.n))))
}

func builtinOrd(t *Thread, a *Args) (Value, error) {
	v := t.base(a.Pos[0])
	n := 0
	switch v.k {
	case kStr:
		s := v.o.(*Str)
		if n = strLen(s); n == 1 {
			r, _ := pytext.DecodeRune(s.s)
			return intValue(int64(r)), nil
		}
		return Value{}, t.raise(t.types.TypeError, "ord() expected a character, but string of length %d found", n)
	case kBytes:
		b := v.o.(*Bytes).b
		if n = len(b); n == 1 {
			return intValue(int64(b[0])), nil
		}
		return Value{}, t.raise(t.types.TypeError, "ord() expected a character, but string of length %d found", n)
	}
	return Value{}, t.raise(t.types.TypeError, "ord() expected string of length 1, but %s found", t.className(v))
}

// radix writes an int with a base that is a power of two.
func radix(prefix string, base int) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		v, err := t.index(a.Pos[0])
		if err != nil {
			return Value{}, err
		}
		n := toBig(v)
		if err := t.size(int64(n.BitLen()), 8*int64(n.BitLen())); err != nil {
			return Value{}, err
		}
		s := n.Text(base)
		if s[0] == '-' {
			return t.newStr("-" + prefix + s[1:])
		}
		return t.newStr(prefix + s)
	}
}
