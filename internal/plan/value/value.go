package value

import (
	"math"
	"math/big"

	"praxis/internal/plan/label"
)

// Kind says what a value is. Kinds are what the machine switches on; the
// language's own types are classes ([Class]).
type Kind uint8

// The kinds. The zero kind is no value: a name that is not bound.
const (
	KUnset Kind = iota
	KNone
	KBool
	KInt   // fits an int64
	KFloat // IEEE 754 double in the scalar's bits
	KEllipsis
	KNotImplemented
	KBig // an int that does not fit an int64, never one that does
	KStr
	KBytes
	KTuple
	KList
	KDict
	KSet // sets and frozen sets
	KRange
	KSlice
	KFunc    // a function of the program
	KNative  // a native function
	KMethod  // a function bound to an object
	KClass   // a class, built in or the program's
	KObject  // an instance of the program's classes, exceptions among them
	KModule  // a module, and a name space of tools
	KTool    // a tool that can be called
	KIter    // an iterator of a built-in type
	KGen     // a generator or a coroutine
	KView    // a view of a dict
	KProp    // a descriptor: property, staticmethod, classmethod
	KSpecial // anything else that a native module brings: its object implements what it can
)

// Value is one labelled value. The zero Value is "not bound".
type Value struct {
	Obj   Object   // nil for scalars
	N     int64    // int, bool (0, 1), bits of a float
	Label label.ID // what it depends on; 0: the program's own literals
	Kind  Kind
}

// Object is what a value points to.
type Object interface {
	// Class returns the object's class; t knows the built-in ones.
	Class(t *Thread) *Class
}

// None is the value None, without a label.
var None = Value{Kind: KNone}

// Int makes an int.
func Int(n int64) Value { return Value{Kind: KInt, N: n} }

// Float makes a float.
func Float(f float64) Value { return Value{Kind: KFloat, N: int64(math.Float64bits(f))} }

// Bool makes True or False.
func Bool(b bool) Value {
	if b {
		return Value{Kind: KBool, N: 1}
	}
	return Value{Kind: KBool}
}

// Float returns the number of a float.
func (v Value) Float() float64 { return math.Float64frombits(uint64(v.N)) }

// With returns v with l as its label.
func (v Value) With(l label.ID) Value { v.Label = l; return v }

// BigInt returns the int n, small when it fits. It keeps n.
func BigInt(n *big.Int) Value {
	if n.IsInt64() {
		return Int(n.Int64())
	}
	return Value{Kind: KBig, Obj: &Big{n}}
}

// Big is an int that does not fit an int64. It is not changed.
type Big struct{ Int *big.Int }

// Str is a string: code points, in UTF-8. It is not changed.
type Str struct {
	Text  string
	Runes []rune // the code points, made when a string that is not ASCII is indexed
	hash  uint64 // 0: not computed yet
	Ascii int8   // 0: not known, 1: yes, -1: no
	tail  *tail  // where s can be made longer in place
}

// Bytes is a bytes object. It is not changed.
type Bytes struct{ Data string }

// Tuple is a tuple. It is not changed.
type Tuple struct{ Items []Value }

// List is a list. Shape is what its length and the places of its elements depend on.
type List struct {
	Items []Value
	Shape label.ID
}

// Dict is a dict that keeps the order of insertion; Entries is the order, Index
// the hash table. Shape is what its keys and their order depend on.
type Dict struct {
	Entries []Entry // removed ones have an unset key
	Index   []int32 // open addressing into Entries, from 1; nil while there are few
	Live    int
	filled  int // places of the index that are not 0; those past the entries are of removed ones
	Shape   label.ID
	Version uint32 // changes with the keys: an iterator finds out, a cache of names, too
}

// Entry is one key of a dict with its value; Hash is that of the key.
type Entry struct {
	Key, Val Value
	Hash     uint64
}

// Set is a set or, when frozen, a frozenset. Table is open addressing with the
// probing of CPython, so that sets of numbers come in the same order there and
// here. Shape is what its elements are made of and depend on.
type Set struct {
	Table   []Slot // a power of two; nil while nothing was added
	Used    int    // elements
	Filled  int    // elements and the places of removed ones
	Finger  int    // where pop goes on
	Shape   label.ID
	version uint32
	Frozen  bool
}

// Slot is one place of a set. Gone marks a place whose element was removed.
type Slot struct {
	Key  Value
	hash uint64
	Gone bool
}

// Range is a range. Depends is what its bounds depend on.
type Range struct {
	Start, Stop, Step int64 // none is beyond [MaxRange]
	Depends           label.ID
}

// MaxRange bounds the numbers of a range, so that no sum of three overflows.
const MaxRange = 1 << 60

// Slice is a slice object.
type Slice struct{ Start, Stop, Step Value }

// Cell holds a variable that closures share.
type Cell struct{ Val Value }

// Func is a function of the program (or of a library module).
type Func struct {
	Code     *Code
	Globals  *Module
	Name     string
	Qual     string
	Doc      Value
	Defaults []Value          // of the last positional parameters
	Kw       map[string]Value // of keyword-only parameters; written once, read by name only
	Closure  []*Cell
	Attrs    *Dict    // set by the program; may be nil
	Run      *Running // what the VM keeps beside the code
}

// Body is the function that runs the body of a module.
func (u *Unit) Body(m *Module) *Func {
	c := u.Codes[0]
	return &Func{Code: c, Globals: m, Name: c.Name, Qual: c.Qual}
}

// Method is a function bound to an object.
type Method struct{ Self, Fn Value }

// Module is a module, or a name space of tools.
type Module struct {
	Name  string
	Names Dict
	Tools bool // a name space of tools
	Fixed bool // its names cannot be set by the program
}

// ToolRef is a tool that a plan can call.
type ToolRef struct{ Name string }

// Instance is an object of a class that the program (or a library module) defines.
// Instances of classes derived from built-in ones (dict, str, int, …) keep the
// built-in part in Base.
type Instance struct {
	Cls   *Class
	Attrs Dict
	Base  Value // KUnset when the class derives from object alone
}

// Exception is an instance of an exception class.
type Exception struct {
	Instance
	Args  Value // a tuple
	Cause Value // __cause__
	Notes []Value
	Trace []Trace // innermost first
}

// Trace is one line of a traceback.
type Trace struct {
	Module string // "" is the plan itself
	Func   string
	Line   int
	Col    int
}

// Property, and the two wrappers of methods, are descriptors.
type Property struct{ Get, Set, Del, Doc Value }

// Wrapper is a staticmethod or a classmethod.
type Wrapper struct {
	Fn   Value
	Bind bool // classmethod: gets the class
}

// InstanceBytes is about what an instance takes beside its attributes.
const InstanceBytes = 160

// Sized is what objects of native modules implement: they hand the values that
// they hold to f and say how many bytes they take beside.
type Sized interface {
	Walk(f func(Value)) int64
}
