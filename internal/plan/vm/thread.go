package vm

import (
	"fmt"
	"time"

	"praxis/internal/plan/label"
	"praxis/internal/plan/regex"
)

// Machine runs the program's own code. It is what natives and operators call
// back into.
type Machine interface {
	// Call calls fn and waits for its value. No tool can be called in it.
	Call(fn Value, pos []Value, names []string, named []Value) (Value, error)
	// CallSelf calls fn with self, x and y; those of x and y that are unset are
	// left out. Unlike Call it needs no slice.
	CallSelf(fn, self, x, y Value) (Value, error)
	// Import returns a module, made at its first import.
	Import(name string) (*Module, error)
	// OutOfSteps is called when the steps that were handed out are used up: it
	// hands out more, or says why the run ends.
	OutOfSteps() error
	// OutOfMemory is called when the account of memory is used up by so many
	// bytes: it counts what is still in use, or says why the run ends.
	OutOfMemory(bytes int64) error
}

// Thread is what natives and operators work with: labels, limits, the built-in
// classes, and the machine to call back into. A VM has one.
type Thread struct {
	Machine
	labels *label.Table
	types  *types // the built-in classes
	limits Limits

	seen   label.ID // what the native that runs has touched so far
	pc     label.ID // strict mode: what the control flow depends on
	sticky label.ID // strict mode: what no end of a block lets pc forget
	trying bool     // strict mode: somebody may handle an exception
	strict bool
	plain  bool // labels are off; for measuring their cost only

	steps     int64 // left of those that were handed out last
	stepsLeft int64 // beyond them
	memory    int64 // bytes left until the heap is measured again
	output    []Chunk
	written   int64

	nest   int               // how deep natives and operators have called each other
	busy   []Object          // what repr is writing right now, outermost first
	ids    map[Object]uint64 // the identities that were asked for, but those of instances
	lastID uint64

	natives      map[string]*Native // all natives by their names
	builtins     *Module            // the names that every program knows
	names        map[string]*Str    // interned names of attributes and globals
	classVersion uint32             // changes when caches of attributes are no longer right
	tail         tailCall           // the call that takes the place of the native that returned errTail
	keyLabel     label.ID           // what the names in the m of f(**m) depend on, while f is called

	// What library modules keep.
	began   time.Time                   // what the program's clock showed at first
	now     time.Time                   // what it shows
	seed    uint64                      // of the run's random numbers
	seeds   uint64                      // generators that were seeded with it so far
	decimal Value                       // the context that decimal numbers are computed in
	regexes map[regexKey]*regex.Program // compiled patterns
	built   map[string]*unit            // what data classes have compiled, by source
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
		return t.OutOfSteps()
	}
	return nil
}

// alloc accounts for bytes that are about to be allocated, before they are.
func (t *Thread) alloc(bytes int64) error {
	if t.memory -= bytes; t.memory < 0 {
		return t.OutOfMemory(bytes)
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

// Error returns the name of the class of the exception.
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

// str makes a string value without a label.
func (t *Thread) str(s string) Value { return Value{k: kStr, o: &Str{s: s}} }

// tuple makes a tuple value without a label; it keeps items.
func (t *Thread) tuple(items []Value) Value { return Value{k: kTuple, o: &Tuple{items}} }

// list makes a list value without a label; it keeps items.
func (t *Thread) list(items []Value) Value { return Value{k: kList, o: &List{items: items}} }
