package vm

// Native is a function that is written in Go. Natives are known by their
// qualified name ("str.upper", "math.sqrt", "len"): that is what a dump holds.
type Native struct {
	name string // qualified: type or module, dot, name
	call func(t *Thread, a *Args) (Value, error)

	// params are the names of the parameters in Python's own notation, such as
	// "self, key, default=None, /, *, reverse=False, **kw". They are parsed once,
	// when the table is built; Args.Get and friends go by position in this list.
	// "" means that call reads the arguments by itself.
	params string

	// precise: the result carries exactly the labels that call gave it.
	// Otherwise the labels of all arguments and of all that was seen are joined in.
	precise bool

	// drains names the parameters (by position) that are iterated to their end:
	// the machine turns a generator or an instance there into a list beforehand, in
	// frames of its own, so that a host call in it can be dumped.
	drains []int

	sig signatureCell // of params
}

func (n *Native) class(t *Thread) *Class { return t.types.Native }

// Args are the arguments of a call to a native, already bound to its parameters.
// A missing optional argument is a kUnset Value. The slices belong to the machine:
// a native that keeps Pos must copy it (the values themselves, and Star, it may keep).
type Args struct {
	Pos   []Value // bound parameters in order of declaration, or the raw positional ones when Native.params is ""
	Star  []Value // what *args took
	Names []string
	Named []Value // what **kw took (or all keyword arguments when Native.params is ""), in order
}
