package builtin

import (
	"strings"
	"sync"
	"unicode/utf8"

	"praxis/internal/plan/value"
)

// Methods are the methods of the built-in classes.
func Methods() []*value.Native {
	var out []*value.Native
	for _, table := range [][]*value.Native{
		objectNatives(), exceptionNatives(), intNatives(), floatNatives(), strNatives(), bytesNatives(),
		tupleNatives(), listNatives(), dictNatives(), viewNatives(), setNatives(), rangeNatives(), iterNatives(), unionNatives(), iterConstructors(),
	} {
		out = append(out, table...)
	}
	return out
}

// Functions are the built-in functions.
func Functions() []*value.Native {
	return append(append(append(textBuiltins(), numberBuiltins()...), objectBuiltins()...), iterBuiltins()...)
}

// Function is a built-in function by its name, nil when there is none of it.
func Function(name string) *value.Native { return functionTable()[name] }

var functionTable = sync.OnceValue(func() map[string]*value.Native {
	table := make(map[string]*value.Native, 64)
	for _, n := range Functions() {
		table[n.Name] = n
	}
	return table
})

// Known says whether every program has a name, of a function, a class or something else.
func Known(name string) bool {
	switch name {
	case "super", "exit", "quit", "NotImplemented", "Ellipsis", "__debug__", "__name__", "__file__", "__class__":
		return true
	}
	_, class := types().Named(name)
	return class || Function(name) != nil
}

var types = sync.OnceValue(value.NewTypes)

// HasMethod says whether a built-in class has a method, as in "dict.get".
func HasMethod(name string) bool { return methodTable()[name] }

// AnyMethod says whether any built-in class has a method of that name.
func AnyMethod(name string) bool { return methodTable()["."+name] }

var methodTable = sync.OnceValue(func() map[string]bool {
	table := make(map[string]bool, 512)
	for _, n := range Methods() {
		table[n.Name] = true
		if i := strings.LastIndexByte(n.Name, '.'); i >= 0 {
			table[n.Name[i:]] = true
		}
	}
	return table
})

// textBuiltins are the built-in functions that write values.
func textBuiltins() []*value.Native {
	return []*value.Native{
		{Name: "print", Params: "*args, sep=None, end=None, file=None, flush=False", Call: builtinPrint, Precise: true},
		{Name: "repr", Params: "obj, /", Call: convertNative('r'), Precise: true},
		{Name: "ascii", Params: "obj, /", Call: convertNative('a'), Precise: true},
		{Name: "format", Params: "value, format_spec='', /", Call: builtinFormat},
		{Name: "chr", Params: "i, /", Call: builtinChr},
		{Name: "ord", Params: "c, /", Call: builtinOrd},
		{Name: "bin", Params: "number, /", Call: radix("0b", 2)},
		{Name: "oct", Params: "number, /", Call: radix("0o", 8)},
		{Name: "hex", Params: "number, /", Call: radix("0x", 16)},
	}
}

func builtinPrint(t *value.Thread, a *value.Args) (value.Value, error) {
	seen := t.Seen
	t.Seen = 0
	for _, x := range a.Named {
		t.See(x.Label)
	}
	text, err := printed(t, a)
	l := t.Seen
	t.Seen = seen
	if err != nil {
		t.See(l)
		return value.Value{}, err
	}
	if !value.Given(a.Pos[2]) {
		return value.None, t.Write(string(text), l)
	}
	// An object of the program that has a method write, such as an io.StringIO.
	write, err := t.GetAttr(a.Pos[2], "write")
	if err != nil {
		return value.Value{}, err
	}
	v, err := t.NewStr(string(text))
	if err == nil {
		_, err = t.Call(write, []value.Value{v.With(l)}, nil, nil)
	}
	return value.None, err
}

// printed is the text that print writes; it sees all of it.
func printed(t *value.Thread, a *value.Args) ([]byte, error) {
	sep, err := printWord(t, a.Pos[0], "sep", " ")
	if err != nil {
		return nil, err
	}
	end, err := printWord(t, a.Pos[1], "end", "\n")
	if err != nil {
		return nil, err
	}
	var buf [128]byte
	text := buf[:0]
	for i := range a.Star {
		if i > 0 {
			text = append(text, sep...)
		}
		if text, err = t.AppendStr(text, a.Star[i]); err != nil {
			return nil, err
		}
	}
	return append(text, end...), nil
}

func printWord(t *value.Thread, v value.Value, name, other string) (string, error) {
	if !value.Given(v) {
		return other, nil
	}
	return textArg(t, text{}, v, name)
}

func convertNative(verb rune) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) { return t.Convert(a.Pos[0], verb) }
}

func builtinFormat(t *value.Thread, a *value.Args) (value.Value, error) {
	spec := ""
	if a.Pos[1].Kind != value.KUnset {
		var err error
		if spec, err = textArg(t, text{}, a.Pos[1], "format"); err != nil {
			return value.Value{}, err
		}
	}
	s, err := t.Format(a.Pos[0], spec)
	if err != nil {
		return value.Value{}, err
	}
	return t.NewStr(s)
}

func builtinChr(t *value.Thread, a *value.Args) (value.Value, error) {
	n, err := t.Index(a.Pos[0])
	if err != nil {
		return value.Value{}, err
	}
	if n.Kind == value.KBig || n.N < 0 || n.N > utf8.MaxRune {
		return value.Value{}, t.Raise(t.Types.ValueError, "chr() arg not in range(0x110000)")
	}
	if n.N < 128 {
		return t.Types.Chars[n.N], nil
	}
	if !utf8.ValidRune(rune(n.N)) {
		return value.Value{}, t.Raise(t.Types.ValueError, "half of a surrogate pair is no character here: write the whole one")
	}
	return t.NewStr(string(utf8.AppendRune(nil, rune(n.N))))
}

func builtinOrd(t *value.Thread, a *value.Args) (value.Value, error) {
	v := t.Base(a.Pos[0])
	switch o := v.Obj.(type) {
	case *value.Str:
		if value.StrLen(o) == 1 {
			r, _ := utf8.DecodeRuneInString(o.Text)
			return value.Int(int64(r)), nil
		}
		return value.Value{}, t.Raise(t.Types.TypeError, "ord() expected a character, but string of length %d found", value.StrLen(o))
	case *value.Bytes:
		if len(o.Data) == 1 {
			return value.Int(int64(o.Data[0])), nil
		}
	}
	return value.Value{}, t.Raise(t.Types.TypeError, "ord() expected string of length 1, but %s found", t.ClassName(v))
}

// radix writes an int with a base that is a power of two.
func radix(prefix string, base int) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		v, err := t.Index(a.Pos[0])
		if err != nil {
			return value.Value{}, err
		}
		n := value.ToBig(v)
		if err := t.Size(int64(n.BitLen()), 8*int64(n.BitLen())); err != nil {
			return value.Value{}, err
		}
		s := n.Text(base)
		if s[0] == '-' {
			return t.NewStr("-" + prefix + s[1:])
		}
		return t.NewStr(prefix + s)
	}
}
