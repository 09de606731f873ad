package value

import (
	"slices"
	"strings"
	"sync/atomic"
)

// Native is a function that is written in Go. Natives are known by their
// qualified name ("str.upper", "math.sqrt", "len").
type Native struct {
	Name string // qualified: type or module, dot, name
	Call func(t *Thread, a *Args) (Value, error)

	// Params are the names of the parameters in Python's own notation, such as
	// "self, key, default=None, /, *, reverse=False, **kw". They are parsed once,
	// when they are first needed; Args.Pos has its values in this order.
	// "" means that Call reads the arguments by itself.
	Params string

	// Precise says that the result has exactly the labels that Call gave it.
	// Otherwise the labels of all arguments and of all that was seen are joined in.
	Precise bool

	// Drains names the parameters (by position) that are iterated to their end:
	// the machine turns a generator or an instance there into a list beforehand, in
	// frames of its own, so that a host call may be made in it.
	Drains []int

	// Streams says that the native goes over elements and keeps nothing of them but
	// what stands in its Args: what was allocated meanwhile and can no longer be
	// reached from there is free.
	Streams bool

	// Changes says that the native changes its first argument.
	Changes bool

	sig signatureCell // of params
}

func (n *Native) Class(t *Thread) *Class { return t.Types.Native }

// Args are the arguments of a call to a native, already bound to its parameters.
// A missing optional argument is a KUnset Value. The slices belong to the machine:
// a native that keeps Pos must copy it (the values themselves, and Star, it may keep).
type Args struct {
	Pos   []Value // bound parameters in order of declaration, or the raw positional ones when Native.Params is ""
	Star  []Value // what *args took
	Names []string
	Named []Value // what **kw took (or all keyword arguments when Native.Params is ""), in order
}

// NativeFunc is what a [Native] does.
type NativeFunc = func(t *Thread, a *Args) (Value, error)

// classNatives are natives that get the class that they are called on.
var classNatives = [...]string{"dict.fromkeys", "int.from_bytes", "Decimal.from_float", "Decimal.from_number"}

// bound returns what a native is in its class: a function, a classmethod or a staticmethod.
func bound(n *Native) Value {
	v := Value{Kind: KNative, Obj: n}
	bind := slices.Contains(classNatives[:], n.Name)
	if bind || strings.HasSuffix(n.Name, ".__new__") || n.Name == "str.maketrans" {
		return Value{Kind: KProp, Obj: &Wrapper{Fn: v, Bind: bind}}
	}
	return v
}

// WrongSelf is the TypeError of a method that was called on a value of another class.
func (t *Thread) WrongSelf(name string, self Value) error {
	class, method, _ := strings.Cut(name, ".")
	if strings.HasPrefix(method, "__") {
		return t.FailOf(self, t.Types.TypeError, "descriptor '%s' requires a '%s' object but received a '%s'", method, class, t.ClassName(self))
	}
	return t.FailOf(self, t.Types.TypeError, "descriptor '%s' for '%s' objects doesn't apply to a '%s' object", method, class, t.ClassName(self))
}

// Exact says that the native labels its result by itself.
func (n *Native) Exact() *Native { n.Precise = true; return n }

// Stream says that the native keeps nothing but what stands in its Args.
func (n *Native) Stream() *Native { n.Streams = true; return n }

// Drain says which parameters are iterated to their end.
func (n *Native) Drain(params ...int) *Native { n.Drains = params; return n }

// Given reports whether an optional argument was given and is not None.
func Given(v Value) bool { return v.Kind != KUnset && v.Kind != KNone }

// Signature is what Native.Params says.
type Signature struct {
	Names   []string // positional parameters, then keyword-only ones
	PosOnly int
	Pos     int // positional ones, the positional-only included
	Need    int // positional ones without a default
	Must    int // bit i: keyword-only parameter i has no default
	Star    bool
	KwStar  bool
	Self    bool // the first is the object, or the class of a constructor
	Free    bool // no params: the native reads the arguments by itself
}

// signatureCell keeps a signature once it has been read; VMs may read it at the same time.
type signatureCell struct{ p atomic.Pointer[Signature] }

// Signature reads n's params, once.
func (n *Native) Signature() *Signature {
	if s := n.sig.p.Load(); s != nil {
		return s
	}
	s := readSignature(n.Params)
	n.sig.p.Store(s)
	return s
}

func readSignature(params string) *Signature {
	s := &Signature{}
	if params == "" {
		s.Free = true
		return s
	}
	kwOnly := false
	for part := range strings.SplitSeq(params, ",") {
		name, _, optional := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		switch {
		case name == "":
		case name == "/":
			s.PosOnly = len(s.Names)
		case name == "*":
			kwOnly = true
		case strings.HasPrefix(name, "**"):
			s.KwStar = true
		case name[0] == '*':
			s.Star, kwOnly = true, true
		case kwOnly:
			if !optional {
				s.Must |= 1 << (len(s.Names) - s.Pos)
			}
			s.Names = append(s.Names, name)
		default:
			if s.Pos == 0 && (name == "self" || name == "cls") {
				s.Self = true
			}
			s.Names = append(s.Names, name)
			s.Pos++
			if !optional {
				s.Need = s.Pos
			}
		}
	}
	return s
}

// Short is the name without the class or module.
func (n *Native) Short() string { return n.Name[strings.LastIndexByte(n.Name, '.')+1:] }

// Called is the name in messages: a constructor is called like its class.
func (n *Native) Called() string { return strings.TrimSuffix(n.Name, ".__new__") }
