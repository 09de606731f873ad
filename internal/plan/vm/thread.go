package vm

import (
	"fmt"
	"strconv"

	"praxis/fault"
	"praxis/internal/plan/label"
)

// Thread is what natives and operators work with: labels, limits, the built-in
// classes, and the machine to call back into. A VM has one.
type Thread struct {
	labels *label.Table
	types  *types // the built-in classes
	vm     *VM

	seen   label.ID // what the native that runs has touched so far
	pc     label.ID // strict mode: what the control flow depends on
	sticky label.ID // strict mode: what no end of a block lets pc forget
	trying bool     // strict mode: somebody may handle an exception
	strict bool
	plain  bool // labels are off; for measuring their cost only

	steps  int64 // left
	memory int64 // bytes left until the heap is measured again

	nest   int               // how deep natives and operators have called each other
	busy   []Object          // what repr is writing right now, outermost first
	ids    map[Object]uint64 // the identities that were asked for, but those of instances
	lastID uint64
}

// join is the label of what depends on both.
func (t *Thread) join(a, b label.ID) label.ID {
	if a == b || b == 0 {
		return a
	}
	if a == 0 {
		return b
	}
	return t.labels.Join(a, b)
}

// see notes that the native that runs has used something of label l.
func (t *Thread) see(l label.ID) {
	if l != t.seen && l != 0 {
		t.seen = t.join(t.seen, l)
	}
}

// step uses n steps. Natives whose work grows with their input call it.
func (t *Thread) step(n int64) error {
	if t.steps -= n; t.steps < 0 {
		return t.outOfSteps()
	}
	return nil
}

// alloc accounts for bytes that are about to be allocated, before they are.
func (t *Thread) alloc(bytes int64) error {
	if t.memory -= bytes; t.memory < 0 {
		return t.outOfMemory(bytes)
	}
	return nil
}

// Raise is an exception of the program on its way.
type Raise struct {
	exc    *Exception
	l      label.ID // what it depends on that it was raised
	linked bool     // its context has been set
	quiet  bool     // the frame that raises it again adds no line to the traceback
}

func (r *Raise) Error() string { return r.exc.cls.name }

// raise makes an exception of class c with a formatted message. Text that
// depends on data must have been seen ([Thread.see]): the exception carries what was.
func (t *Thread) raise(c *Class, format string, args ...any) error {
	msg := format
	if len(args) > 0 {
		msg = fmt.Sprintf(format, args...)
	}
	return t.raiseArgs(c, t.str(msg))
}

// raiseArgs makes an exception of class c with these args.
func (t *Thread) raiseArgs(c *Class, args ...Value) error {
	e := &Exception{Instance: Instance{cls: c}, cause: none, context: none}
	for i := range args {
		args[i].l = t.join(args[i].l, t.seen)
	}
	e.args = t.tuple(args)
	return &Raise{exc: e, l: t.seen}
}

// refuse is the fault of a use of the language that is left out.
func refuse(remedy, format string, args ...any) error {
	return fault.New(fault.Invalid, remedy, format, args...)
}

// itoa writes an int.
func itoa(n int) string { return strconv.Itoa(n) }

// str makes a string value without a label.
func (t *Thread) str(s string) Value { return Value{k: kStr, o: &Str{s: s}} }

// tuple makes a tuple value without a label; it keeps items.
func (t *Thread) tuple(items []Value) Value { return Value{k: kTuple, o: &Tuple{items}} }

// list makes a list value without a label; it keeps items.
func (t *Thread) list(items []Value) Value { return Value{k: kList, o: &List{items: items}} }
