package vm

import (
	"strings"
	"sync/atomic"

	"praxis/internal/plan/label"
)

// signature is what Native.params says.
type signature struct {
	names   []string // positional parameters, then keyword-only ones
	posOnly int
	pos     int // positional ones, the positional-only included
	need    int // positional ones without a default
	must    int // bit i: keyword-only parameter i has no default
	star    bool
	kwStar  bool
	self    bool // the first is the object, or the class of a constructor
	free    bool // no params: the native reads the arguments by itself
}

// signatureCell keeps a signature once it has been read; VMs may read it at the same time.
type signatureCell struct{ p atomic.Pointer[signature] }

// signature reads n's params, once.
func (n *Native) signature() *signature {
	if s := n.sig.p.Load(); s != nil {
		return s
	}
	s := readSignature(n.params)
	n.sig.p.Store(s)
	return s
}

func readSignature(params string) *signature {
	s := &signature{}
	if params == "" {
		s.free = true
		return s
	}
	kwOnly := false
	for _, part := range splitParams(params) {
		name, _, optional := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		switch {
		case name == "":
		case name == "/":
			s.posOnly = len(s.names)
		case name == "*":
			kwOnly = true
		case strings.HasPrefix(name, "**"):
			s.kwStar = true
		case name[0] == '*':
			s.star, kwOnly = true, true
		case kwOnly:
			if !optional {
				s.must |= 1 << (len(s.names) - s.pos)
			}
			s.names = append(s.names, name)
		default:
			if s.pos == 0 && (name == "self" || name == "cls") {
				s.self = true
			}
			s.names = append(s.names, name)
			s.pos++
			if !optional {
				s.need = s.pos
			}
		}
	}
	return s
}

// splitParams splits at the commas that are not within brackets or quotes.
func splitParams(params string) []string {
	var out []string
	depth, start := 0, 0
	quote := byte(0)
	for i := 0; i < len(params); i++ {
		switch c := params[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			out = append(out, params[start:i])
			start = i + 1
		}
	}
	return append(out, params[start:])
}

// short is the name without the class or module.
func (n *Native) short() string { return n.name[strings.LastIndexByte(n.name, '.')+1:] }

// shown is the name in messages: a constructor is called like its class.
func (n *Native) shown(full bool) string {
	if class, ok := strings.CutSuffix(n.name, ".__new__"); ok {
		return class
	}
	if full {
		return n.name
	}
	return n.short()
}

// argSlot is one place of the stack of arguments of natives.
type argSlot struct {
	Args
	buf [6]Value
}

// maxNatives bounds how deep natives call each other.
const maxNatives = 1000

// nativeSteps is what the call of a native costs of the limit of steps.
const nativeSteps = 4

// native calls a native function; self, when it is set, is the first argument.
// l is the label of the function itself.
func (vm *VM) native(n *Native, self Value, pos []Value, names []string, named []Value, l label.ID) (Value, error) {
	t := &vm.t
	if t.steps -= nativeSteps; t.steps < 0 {
		if err := t.OutOfSteps(); err != nil {
			return Value{}, err
		}
	}
	if vm.argTop >= len(vm.args) {
		if vm.argTop >= maxNatives {
			return Value{}, vm.tooDeep()
		}
		vm.args = append(vm.args, &argSlot{})
	}
	a := vm.args[vm.argTop]
	sig := n.signature()
	switch {
	case names == nil && self.k == kUnset && len(pos) == len(sig.names) && len(pos) == sig.pos && !sig.star && !sig.kwStar:
		a.Pos, a.Star, a.Names, a.Named = pos, nil, nil, nil
	case sig.free:
		if self.k != kUnset {
			pos = prepend(self, pos)
		}
		a.Pos, a.Star, a.Names, a.Named = pos, nil, names, named
	default:
		if err := vm.bindNative(n, sig, a, self, pos, names, named); err != nil {
			return Value{}, err
		}
	}
	for _, i := range n.drains {
		if i < len(a.Pos) && t.foreign(a.Pos[i]) {
			if sig.free {
				self = Value{} // it is in pos
			}
			return vm.drainArg(n, sig, i, self, pos, names, named, l)
		}
	}
	any := label.ID(0)
	if !n.precise {
		for i := range a.Pos {
			any |= a.Pos[i].l
		}
		for i := range a.Star {
			any |= a.Star[i].l
		}
		for i := range a.Named {
			any |= a.Named[i].l
		}
		if any != 0 {
			any = vm.argLabels(&a.Args)
		}
	}
	if any|l != 0 {
		any = t.join(any, l)
	}
	if vm.argTop == 0 {
		vm.mark = t.memory
	}
	vm.argTop++
	seen := t.seen
	t.seen = 0
	v, err := n.call(t, &a.Args)
	vm.argTop--
	if vm.argTop == 0 {
		vm.mark = 0
	}
	if t.seen != 0 {
		if t.trying {
			t.stick(t.seen)
		}
		if err != nil || !n.precise {
			any = t.join(any, t.seen)
		}
	}
	t.seen = seen
	if any != 0 {
		if err == nil {
			v.l = t.join(v.l, any)
		} else if r, ok := err.(*Raise); ok {
			r.l = t.join(r.l, any)
		} else if err == errTail {
			t.tail.l = t.join(t.tail.l, any)
		}
	}
	return v, err
}

// argLabels joins the labels of all arguments.
func (vm *VM) argLabels(a *Args) label.ID {
	t := &vm.t
	l := label.ID(0)
	for _, vs := range [...][]Value{a.Pos, a.Star, a.Named} {
		for i := range vs {
			l = t.join(l, vs[i].l)
		}
	}
	return l
}

// bindNative puts arguments to the places of the parameters of a native.
func (vm *VM) bindNative(n *Native, sig *signature, a *argSlot, self Value, pos []Value, names []string, named []Value) error {
	total := len(sig.names)
	var slots []Value
	if total <= len(a.buf) {
		slots = a.buf[:total]
		clear(slots)
	} else {
		slots = make([]Value, total)
	}
	given := len(pos)
	i := 0
	if self.k != kUnset {
		given++
		if sig.pos > 0 {
			slots[0] = self
			i = 1
		}
	}
	took := copy(slots[i:sig.pos], pos)
	a.Pos, a.Star, a.Names, a.Named = slots, nil, nil, nil
	if given > sig.pos {
		if !sig.star {
			return vm.nativeCount(n, sig, given, names)
		}
		rest := pos[took:]
		if self.k != kUnset && sig.pos == 0 {
			rest = prepend(self, rest)
		}
		if err := vm.t.alloc(int64(len(rest)) * valueBytes); err != nil {
			return err
		}
		a.Star = append([]Value(nil), rest...)
	}
	if names != nil {
		if err := vm.nativeNamed(n, sig, a, names, named); err != nil {
			return err
		}
	}
	for i := min(given, sig.pos); i < sig.need; i++ {
		if slots[i].k == kUnset {
			if i == 0 && sig.self {
				return vm.noSelf(n)
			}
			if names != nil && i >= sig.posOnly {
				return vm.nativeMissing(n, sig, i)
			}
			return vm.nativeCount(n, sig, given, names)
		}
	}
	if sig.must != 0 {
		for i := sig.pos; i < total; i++ {
			if sig.must>>(i-sig.pos)&1 != 0 && slots[i].k == kUnset {
				return vm.t.raise(vm.t.types.TypeError, "%s() missing required argument '%s' (pos %d)", n.shown(false), sig.names[i], i+1)
			}
		}
	}
	return nil
}

func (vm *VM) noSelf(n *Native) error {
	t := &vm.t
	if n.short() == "__new__" {
		return t.raise(t.types.TypeError, "%s(): not enough arguments", n.name)
	}
	return t.raise(t.types.TypeError, "unbound method %s() needs an argument", n.name)
}

func (vm *VM) nativeMissing(n *Native, sig *signature, i int) error {
	at := i + 1
	if sig.self {
		at--
	}
	return vm.t.raise(vm.t.types.TypeError, "%s() missing required argument '%s' (pos %d)", n.shown(false), sig.names[i], at)
}

// nativeNamed puts keyword arguments to their places.
func (vm *VM) nativeNamed(n *Native, sig *signature, a *argSlot, names []string, named []Value) error {
	t := &vm.t
	if !sig.kwStar && sig.posOnly == len(sig.names) {
		if len(names) > 0 {
			return t.raise(t.types.TypeError, "%s() takes no keyword arguments", n.shown(true))
		}
		return nil
	}
next:
	for j, name := range names {
		for i := sig.posOnly; i < len(sig.names); i++ {
			if sig.names[i] != name {
				continue
			}
			if a.Pos[i].k != kUnset {
				at := i + 1
				if sig.self {
					at--
				}
				return t.raise(t.types.TypeError, "argument for %s() given by name ('%s') and position (%d)", n.shown(false), name, at)
			}
			a.Pos[i] = named[j]
			continue next
		}
		if !sig.kwStar {
			hint := ""
			return t.raise(t.types.TypeError, "%s() got an unexpected keyword argument '%s'%s", n.shown(false), name, hint)
		}
		a.Names = append(a.Names, name)
		a.Named = append(a.Named, named[j])
	}
	return nil
}

// nativeCount is the error of a wrong number of positional arguments, in the
// words of CPython, which has one wording for each way to declare a function.
func (vm *VM) nativeCount(n *Native, sig *signature, given int, names []string) error {
	t := &vm.t
	pos, need := sig.pos, sig.need
	if sig.self {
		pos, need, given = pos-1, need-1, given-1
	}
	keywords := sig.posOnly < len(sig.names)
	if n.name == "sorted" || n.name == "int.__new__" { // they look at the positional ones first
		if n.name == "sorted" {
			return t.raise(t.types.TypeError, "sorted expected 1 argument, got %d", given)
		}
		return t.raise(t.types.TypeError, "int expected at most 2 arguments, got %d", given)
	}
	if n.isSlot() {
		if need != pos {
			return t.raise(t.types.TypeError, "expected %d or %s, got %d", need, plural(pos, "argument"), given)
		}
		return t.raise(t.types.TypeError, "expected %s, got %d", plural(pos, "argument"), given)
	}
	switch {
	case !keywords && pos == 0 && !sig.star:
		return t.raise(t.types.TypeError, "%s() takes no arguments (%d given)", n.shown(true), given)
	case !keywords && pos == 1 && need == 1 && !sig.star && n.short() != "__new__":
		return t.raise(t.types.TypeError, "%s() takes exactly one argument (%d given)", n.shown(true), given)
	case !keywords:
		word, bound := "", need
		if need != pos || sig.star {
			word = "at least "
			if given > pos {
				word, bound = "at most ", pos
			}
		}
		return t.raise(t.types.TypeError, "%s expected %s%s, got %d", n.shown(false), word, plural(bound, "argument"), given)
	case given > pos && pos == 0:
		return t.raise(t.types.TypeError, "%s() takes no positional arguments", n.shown(false))
	case given > pos:
		kind := "positional argument"
		if pos == len(sig.names) || sig.self && pos == len(sig.names)-1 {
			kind = "argument"
		}
		word := "at most "
		if need == pos && kind == "positional argument" {
			word = "exactly "
		}
		return t.raise(t.types.TypeError, "%s() takes %s%s (%d given)", n.shown(false), word, plural(pos, kind), given+len(names))
	case sig.posOnly > 0 && given < min(need, sig.posOnly):
		return t.raise(t.types.TypeError, "%s() takes at least %s (%d given)", n.shown(false), plural(need, "positional argument"), given)
	}
	i := given
	if sig.self {
		i++
	}
	return vm.nativeMissing(n, sig, i)
}

// drainArg has the language's own code make a list of the argument for
// parameter i, and call the native again.
func (vm *VM) drainArg(n *Native, sig *signature, i int, self Value, pos []Value, names []string, named []Value, l label.ID) (Value, error) {
	t := &vm.t
	fn, err := vm.t.own("drained")
	if err != nil {
		return Value{}, err
	}
	if self.k != kUnset {
		pos = prepend(self, pos)
	} else {
		pos = append([]Value(nil), pos...)
	}
	kw := &Dict{}
	for j, name := range names {
		kw.setName(t.intern(name), named[j])
		vm.labelKeys(kw)
	}
	at := intValue(int64(i))
	if i >= len(pos) {
		at = t.nameValue(sig.names[i])
	}
	return t.tailCall(fn, []Value{{k: kNative, o: n, l: l}, t.tuple(pos), at, {k: kDict, o: kw}}, nil, nil)
}
