package value

import (
	"errors"

	"praxis/fault"
	"praxis/internal/plan/label"
)

// ErrTail is what a native returns to be replaced by a call; Thread.Tail says
// which. The program never sees it.
var ErrTail = errors.New("a native calls on")

// TailCall is a call that replaces the call of the native that returned it.
type TailCall struct {
	Fn    Value
	Pos   []Value
	Names []string
	Named []Value
	Label label.ID // what the native had seen

	Op    TailOp
	Raise *Raise // of TailThrow
	Extra Value  // of TailNextOr: what is given at the end
}

// TailOp says what the machine does in the place of a native.
type TailOp uint8

// The operations.
const (
	TailPlain  TailOp = iota // calls Fn
	TailSend                 // next() and send(): the generator or iterator Fn goes on with Pos[0]
	TailNextOr               // next() with a value for the end
	TailAwait                // runs the coroutine Fn to its end
	TailThrow                // throw()
	TailClose                // close()
)

// TailCall is what a native returns to be replaced by a call: return t.TailCall(fn, …).
// The machine makes the call in a frame of its own, so that a tool that is called
// in it can be answered later.
func (t *Thread) TailCall(fn Value, pos []Value, names []string, named []Value) (Value, error) {
	t.Tail = TailCall{Fn: fn, Pos: pos, Names: names, Named: named}
	return Value{}, ErrTail
}

// TailBuiltin is TailCall for a function of the module of the built-in ones.
func (t *Thread) TailBuiltin(name string, args ...Value) (Value, error) {
	fn, ok := t.Builtins.Names.Str(name)
	if !ok {
		return Value{}, fault.New(fault.Internal, "", "the machine has no function %s", name)
	}
	return t.TailCall(fn, args, nil, nil)
}

// InParts calls the native name with self and the elements of v, some hundred at
// a time, so that no list of all of them is made. v is a generator or an instance.
func (t *Thread) InParts(name string, self, v Value) (Value, error) {
	return t.TailBuiltin("_in_parts", t.NativeValue(name), self, v)
}

// NativeValue is a native as a value, by its qualified name.
func (t *Thread) NativeValue(name string) Value { return Value{Kind: KNative, Obj: t.Natives[name]} }

// TailGen is TailCall for something that is done with a generator.
func (t *Thread) TailGen(op TailOp, g, sent Value) (Value, error) {
	t.Tail = TailCall{Fn: g, Pos: []Value{sent}, Op: op}
	return Value{}, ErrTail
}

// TailNext is what next(it) and next(it, fallback) return: the machine goes on
// with the generator or calls __next__ in a frame. fallback may be unset.
func (t *Thread) TailNext(it, fallback Value) (Value, error) {
	op := TailSend
	if fallback.Kind != KUnset {
		op = TailNextOr
	}
	t.Tail = TailCall{Fn: it, Pos: []Value{None}, Op: op, Extra: fallback}
	return Value{}, ErrTail
}
