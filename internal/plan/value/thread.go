package value

import (
	"fmt"
	"strconv"
	"time"

	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/plan/python/regex"
)

// Machine runs the program's own code. It is what natives and operators call
// back into.
type Machine interface {
	// Call calls fn and waits for its value. No tool can be called in it.
	Call(fn Value, pos []Value, names []string, named []Value) (Value, error)
	// CallSelf calls fn with self and args likewise.
	CallSelf(fn, self Value, args []Value) (Value, error)
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
	Labels *label.Table
	Types  *Types // the built-in classes
	Limits Limits

	Seen   label.ID // what the native that runs has touched so far
	PC     label.ID // strict mode: what the control flow depends on
	Sticky label.ID // strict mode: what no end of a block lets pc forget
	Trying bool     // strict mode: somebody may handle an exception
	Strict bool

	Choices []Choice // what data has chosen something from
	Many    int      // so many choices are looked through for those that no longer matter
	Walked  int64    // values that were looked at for it
	Acts    bool     // a class of the program has methods that change something, call a tool or print
	Hooks   bool     // [Unit.Hooks] of the program

	InLibrary func() bool // whether code of the library runs

	Plain bool // labels are off; for measuring their cost only

	Steps     int64 // left of those that were handed out last
	StepsLeft int64 // beyond them
	Memory    int64 // bytes left until the heap is measured again
	Output    []Chunk
	Written   int64

	nest int               // how deep natives and operators have called each other
	busy []Object          // what repr is writing right now, outermost first
	ids  map[Object]uint64 // the numbers that [Thread.Number] has given away

	Natives      map[string]*Native // all natives by their names
	Builtins     *Module            // the names that every program knows
	names        map[string]*Str    // interned names of attributes and globals
	ClassVersion uint32             // changes when caches of attributes are no longer right
	Tail         TailCall           // the call that takes the place of the native that returned ErrTail
	KeyLabel     label.ID           // what the names in the m of f(**m) depend on, while f is called
	ArgsLabel    label.ID           // what the length of the s of f(*s) depends on, likewise

	// State is what the machine's own state depends on: the clock, and the
	// generators that were seeded.
	State label.ID

	// What library modules keep.
	Began   time.Time                   // what the program's clock showed at first
	Now     time.Time                   // what it shows
	Seed    uint64                      // of the run's random numbers
	Seeds   uint64                      // generators that were seeded with it so far
	Decimal Value                       // the context that decimal numbers are computed in
	Regexes map[RegexKey]*regex.Program // compiled patterns
	Built   map[string]*Unit            // what data classes have compiled, by source
}

// Join is the label of what depends on both.
func (t *Thread) Join(a, b label.ID) label.ID {
	if a == b || b == 0 {
		return a
	}
	if a == 0 {
		return b
	}
	return t.Labels.Join(a, b)
}

// See notes that the native that runs has used something of label l.
func (t *Thread) See(l label.ID) {
	if l != t.Seen && l != 0 {
		t.Seen = t.Join(t.Seen, l)
	}
}

// Change notes that the machine's own state changes by what depends on l.
func (t *Thread) Change(l label.ID) {
	if l|t.Seen|t.PC|t.Sticky != 0 {
		t.State = t.Join(t.State, t.Join(t.Join(l, t.Seen), t.Join(t.PC, t.Sticky)))
	}
}

// Step uses n steps. Natives whose work grows with their input call it.
func (t *Thread) Step(n int64) error {
	if t.Steps -= n; t.Steps < 0 {
		return t.OutOfSteps()
	}
	return nil
}

// Alloc accounts for bytes that are about to be allocated, before they are.
func (t *Thread) Alloc(bytes int64) error {
	if t.Memory -= bytes; t.Memory < 0 {
		return t.OutOfMemory(bytes)
	}
	return nil
}

// Charge is Alloc, and accounts for the work of filling what is allocated.
func (t *Thread) Charge(bytes, steps int64) error {
	if err := t.Alloc(bytes); err != nil {
		return err
	}
	return t.Step(steps)
}

// Raise is an exception of the program on its way.
type Raise struct {
	Exc   *Exception
	Label label.ID // what it depends on that it was raised
	Quiet bool     // the frame that raises it again adds no line to the traceback
	Plain string   // its message where that quotes no data: constants and names of types alone
}

// Plainly says that the message of an exception quotes no data.
func Plainly(err error, message string) error {
	if r, ok := err.(*Raise); ok {
		r.Plain = message
	}
	return err
}

// Error returns the name of the class of the exception.
func (r *Raise) Error() string { return r.Exc.Cls.Name }

// Raise makes an exception of class c with a formatted message. Text that
// depends on data must have been seen ([Thread.See]): the exception gets the label of what was seen.
func (t *Thread) Raise(c *Class, format string, args ...any) error {
	msg := format
	if len(args) > 0 {
		msg = fmt.Sprintf(format, args...)
	}
	return t.RaiseArgs(c, t.Str(msg))
}

// RaiseArgs makes an exception of class c with these args.
func (t *Thread) RaiseArgs(c *Class, args ...Value) error {
	e := &Exception{Instance: Instance{Cls: c}, Cause: None}
	for i := range args {
		args[i].Label = t.Join(args[i].Label, t.Seen)
	}
	e.Args = t.Tuple(args)
	return &Raise{Exc: e, Label: t.Seen}
}

// Str makes a string value without a label.
func (t *Thread) Str(s string) Value { return Value{Kind: KStr, Obj: &Str{Text: s}} }

// Tuple makes a tuple value without a label; it keeps items.
func (t *Thread) Tuple(items []Value) Value { return Value{Kind: KTuple, Obj: &Tuple{items}} }

// List makes a list value without a label; it keeps items.
func (t *Thread) List(items []Value) Value { return Value{Kind: KList, Obj: &List{Items: items}} }

// ConstStr makes a string of which nothing is left to compute, since VMs share it.
func ConstStr(s string) *Str {
	o := &Str{Text: s, Ascii: 1, hash: hashString(s)}
	for i := range len(s) {
		if s[i] >= 0x80 {
			o.Ascii = -1
			o.Runes = []rune(s)
			break
		}
	}
	return o
}

// Intern returns the one object for a name in this thread.
func (t *Thread) Intern(name string) *Str {
	if s := t.names[name]; s != nil {
		return s
	}
	if t.names == nil {
		t.names = make(map[string]*Str, 64)
	}
	s := ConstStr(name)
	t.names[name] = s
	return s
}

// NameValue is a name as a string of the program.
func (t *Thread) NameValue(name string) Value { return Value{Kind: KStr, Obj: t.Intern(name)} }

// MachineModule is the name of the module that holds the machine's own functions.
const MachineModule = "_machine"

// MachineFunc returns a function of the machine's own module.
func (t *Thread) MachineFunc(name string) (Value, error) {
	m, err := t.Import(MachineModule)
	if err != nil {
		return Value{}, err
	}
	v, ok := m.Names.Str(name)
	if !ok {
		return Value{}, fault.New(fault.Internal, "", "the machine has no function %s", name)
	}
	return v, nil
}

// RegexKey names a compiled pattern: its text and its flags.
type RegexKey struct {
	Text  string
	Flags int64
}

// Shaped runs f and returns what it saw.
func (t *Thread) Shaped(f func() error) (label.ID, error) {
	seen := t.Seen
	t.Seen = 0
	err := f()
	l := t.Seen
	t.Seen = seen
	return l, err
}

// Limits bound a run. Zero means the default.
type Limits struct {
	Steps  int64 // about one instruction each; 200 million
	Memory int64 // bytes of the values that are in use; 256 MiB
	Output int64 // bytes printed; 1 MiB
	Calls  int   // of tools; 10,000
	Depth  int   // frames; 1,000, as CPython
}

// WithDefaults returns the limits with the defaults in the place of zeros.
func (l Limits) WithDefaults() Limits {
	set := func(n *int64, d int64) {
		if *n <= 0 {
			*n = d
		}
	}
	set(&l.Steps, 200_000_000)
	set(&l.Memory, 256<<20)
	set(&l.Output, 1<<20)
	if l.Calls <= 0 {
		l.Calls = 10_000
	}
	if l.Depth <= 0 {
		l.Depth = 1000
	}
	return l
}

// Chunk is a piece of what the program printed, and what it depends on.
type Chunk struct {
	Text  string
	Label label.ID
}

// Write prints a piece of text that depends on l.
func (t *Thread) Write(s string, l label.ID) error {
	if s == "" {
		return nil
	}
	if t.Written += int64(len(s)); t.Written > t.Limits.Output {
		return fault.Coded(fault.PlanOutput, fault.Data{"limit": strconv.FormatInt(t.Limits.Output, 10)},
			"cannot go on with the plan: it printed more than its %d bytes", t.Limits.Output)
	}
	if t.PC != 0 {
		l = t.Join(l, t.PC)
	}
	if err := t.Alloc(int64(len(s)) + 32); err != nil {
		return err
	}
	if n := len(t.Output); n > 0 && t.Output[n-1].Label == l && len(t.Output[n-1].Text) < 4096 {
		t.Output[n-1].Text += s
		return nil
	}
	t.Output = append(t.Output, Chunk{s, l})
	return nil
}
