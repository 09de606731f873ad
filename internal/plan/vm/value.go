package vm

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
	kUnset Kind = iota
	kNone
	kBool
	kInt   // fits an int64
	kFloat // IEEE 754 double in the scalar's bits
	kEllipsis
	kNotImplemented
	kBig // an int that does not fit an int64, never one that does
	kStr
	kBytes
	kTuple
	kList
	kDict
	kSet // sets and frozen sets
	kRange
	kSlice
	kFunc    // a function of the program
	kNative  // a native function
	kMethod  // a function bound to an object
	kClass   // a class, built in or the program's
	kObject  // an instance of the program's classes, exceptions among them
	kModule  // a module, and a name space of tools
	kTool    // a tool that can be called
	kIter    // an iterator of a built-in type
	kGen     // a generator or a coroutine
	kView    // a view of a dict
	kProp    // a descriptor: property, staticmethod, classmethod
	kSpecial // anything else that a native module brings: its object implements what it can
)

// Value is one labelled value. The zero Value is "not bound".
type Value struct {
	o Object   // nil for scalars
	n int64    // int, bool (0, 1), bits of a float
	l label.ID // what it depends on; 0: the program's own literals
	k Kind
}

// Object is what a value points to.
type Object interface {
	// class returns the object's class; t knows the built-in ones.
	class(t *Thread) *Class
}

// none is the value None, without a label.
var none = Value{k: kNone}

// intValue makes an int.
func intValue(n int64) Value { return Value{k: kInt, n: n} }

// floatValue makes a float.
func floatValue(f float64) Value { return Value{k: kFloat, n: int64(math.Float64bits(f))} }

// boolValue makes True or False.
func boolValue(b bool) Value {
	if b {
		return Value{k: kBool, n: 1}
	}
	return Value{k: kBool}
}

// float returns the number of a float.
func (v Value) float() float64 { return math.Float64frombits(uint64(v.n)) }

// with returns v with l as its label.
func (v Value) with(l label.ID) Value { v.l = l; return v }

// bigValue returns the int n, small when it fits. It keeps n.
func bigValue(n *big.Int) Value {
	if n.IsInt64() {
		return intValue(n.Int64())
	}
	return Value{k: kBig, o: &Big{n}}
}

// Big is an int that does not fit an int64. It is not changed.
type Big struct{ v *big.Int }

// Str is a string: code points, in WTF-8 (lone surrogates have their three-byte form). It is not changed.
type Str struct {
	s     string
	runes []rune // the code points, made when a string that is not ASCII is indexed; not part of a dump
	hash  uint64 // 0: not computed yet
	ascii int8   // 0: not known, 1: yes, -1: no
	tail  *tail  // where s can be made longer in place; not part of a dump
}

// Bytes is a bytes object. It is not changed.
type Bytes struct{ b string }

// Tuple is a tuple. It is not changed.
type Tuple struct{ items []Value }

// List is a list. shape is what its length and the places of its elements depend on.
type List struct {
	items []Value
	shape label.ID
}

// Dict is a dict that keeps the order of insertion; entries is the order, index
// the hash table. shape is what its keys and their order depend on.
type Dict struct {
	entries []entry // removed ones have an unset key
	index   []int32 // open addressing into entries, from 1; nil while there are few
	live    int
	filled  int // places of the index that are not 0; those past the entries are of removed ones
	shape   label.ID
	version uint32 // changes with the keys: an iterator finds out, a cache of names, too
}

// entry is one key of a dict with its value; hash is that of the key.
type entry struct {
	key, val Value
	hash     uint64
}

// Set is a set or, when frozen, a frozenset. table is open addressing with the
// probing of CPython, so that sets of numbers come in the same order there and
// here. shape is what its elements are made of and depend on.
type Set struct {
	table   []slot // a power of two; nil while nothing was added
	used    int    // elements
	filled  int    // elements and the places of removed ones
	finger  int    // where pop goes on
	shape   label.ID
	version uint32
	frozen  bool
}

// slot is one place of a set. gone marks a place whose element was removed.
type slot struct {
	key  Value
	hash uint64
	gone bool
}

// Range is a range; its bounds are exact.
type Range struct{ start, stop, step Value }

// Slice is a slice object.
type Slice struct{ start, stop, step Value }

// Cell holds a variable that closures share.
type Cell struct{ v Value }

// Func is a function of the program (or of a library module).
type Func struct {
	code     *Code
	globals  *Module
	name     string
	qual     string
	doc      Value
	defaults []Value          // of the last positional parameters
	kw       map[string]Value // of keyword-only parameters; written once, read by name only
	closure  []*Cell
	attrs    *Dict    // set by the program; may be nil
	run      *running // what the VM keeps beside the code
}

// body is the function that runs the body of a module.
func (u *unit) body(m *Module) *Func {
	c := u.codes[0]
	return &Func{code: c, globals: m, name: c.name, qual: c.qual}
}

// Method is a function bound to an object.
type Method struct{ self, fn Value }

// Module is a module, or a name space of tools.
type Module struct {
	name  string
	names Dict
	tools bool // a name space of tools
	fixed bool // its names cannot be set by the program
}

// ToolRef is a tool that a plan can call.
type ToolRef struct{ name string }

// Object is an instance of a class that the program (or a library module) defines.
// Instances of classes derived from built-in ones (dict, str, int, …) keep the
// built-in part in base.
type Instance struct {
	id    uint64 // its identity, given when it is first asked for
	cls   *Class
	attrs Dict
	base  Value // kUnset when the class derives from object alone
}

// Exception is an instance of an exception class.
type Exception struct {
	Instance
	args     Value // a tuple
	cause    Value // __cause__
	context  Value // __context__
	suppress bool  // __suppress_context__
	notes    []Value
	trace    []Trace // innermost first
}

// Trace is one line of a traceback.
type Trace struct {
	Module string // "" is the plan itself
	Func   string
	Line   int
	Col    int
}

// Property, and the two wrappers of methods, are descriptors.
type Property struct{ get, set, del, doc Value }

// Wrapper is a staticmethod or a classmethod.
type Wrapper struct {
	fn   Value
	bind bool // classmethod: gets the class
}
