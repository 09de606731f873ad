package value

import (
	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/syntax"
)

// Site is what a VM has learnt at one place of a code that names something.
type Site struct {
	Kind SiteKind
	Of   Kind   // SiteNative: the kind of the object
	Pos  int32  // place among the entries of a dict
	Ver  uint32 // version of the dict, or of all classes
	Hash uint64 // of the name
	Cls  *Class // of the object; SiteClass: the class itself
	Own  *Class // SiteClass: the class that has the attribute
	Mod  *Module
	Key  *Str
	Val  Value
}

// SiteKind says what has been learnt.
type SiteKind uint8

// What can be learnt.
const (
	SiteNone    SiteKind = iota
	SiteGlobal           // a global at Pos
	SiteBuiltin          // a built-in name: Val
	SiteSlot             // an attribute that instances of Cls have at Pos
	SiteAdd              // an attribute that new instances of Cls get at Pos
	SiteMethod           // the function Val of class Cls
	SiteNative           // the native Val of values of a kind
	SiteModule           // a name of module Mod at Pos
	SiteClass            // a plain attribute of class Cls, of Own at Pos
)

// Code is one compiled body: of a module, a function, a lambda, a class or a
// generator expression. It is not changed after it was compiled, and VMs share
// the code of library modules: what a VM caches while it runs is stored
// beside the code, by unit and id.
type Code struct {
	Unit *Unit
	ID   int // index in Unit.Codes; the same source gives the same ids

	Name string // "f", "<lambda>", "<genexpr>", "<module>", a class's name
	Qual string // "C.f", "f.<locals>.g"

	PosOnly int // parameters that are positional only; they come first
	Pos     int // further positional parameters
	KwOnly  int // keyword-only parameters, after the positional ones
	Star    int // slot of *args, or -1
	KwStar  int // slot of **kw, or -1

	// Slots names the variables of a frame in their order: parameters
	// (positional only, positional, keyword only, *args, **kw), then free
	// variables (Func.Closure is copied to Slots[Params:Params+Free] when the frame
	// is made), then other locals and hidden ones of the compiler (begin with a
	// dot). A variable that closures share has its *Cell in its slot.
	Slots  []string
	Params int // PosOnly + Pos + KwOnly + one each for *args and **kw
	Free   int
	Stack  int // values on the stack at most

	Consts   []Value  // no labels, not changed; a string's hash and ascii are set
	Names    []string // names that are not behind a cache
	Sites    []string // the name at each cache site
	Keywords [][]string
	Codes    []*Code // of MAKE_FUNCTION

	Instrs    []bytecode.Instr
	Tries     []Try       // inner ones first
	Positions []SourcePos // by rising pc

	Flags CodeFlags
	Doc   string // docstring; FlagDoc says whether there is one

	FirstLine int
}

// Unit is what one compilation gives: a program or a library module.
type Unit struct {
	Module  string  // "" is the plan itself
	Codes   []*Code // Codes[0] is the module's body
	Strict  bool
	Hooks   bool   // operators and attributes may run code of the program that changes something
	Changes bool   // a function of it may change something
	Source  string // of what a library module compiled while the program runs; "" for all else
}

// CodeFlags say what kind of body a code is.
type CodeFlags uint16

// The kinds of bodies.
const (
	FlagGenerator CodeFlags = 1 << iota // has a yield; calling it makes a generator
	FlagCoroutine                       // async def; calling it makes a coroutine
	FlagNested                          // lies in a function
	FlagClass                           // body of a class: has a name space of its own
	FlagModule                          // body of a module: its names are the globals
	FlagDoc                             // begins with a docstring
	FlagMethod                          // lies in a class body directly
	FlagPure                            // calling it changes nothing but, as __init__, its own object
	FlagSilent                          // calling it calls no tool and prints nothing
)

// Try is one entry of the exception table: an exception at a pc in [start, end)
// cuts the stack to depth values, pushes the exception and goes on at handler.
// The first entry that holds the pc counts.
type Try struct{ Start, End, Handler, Depth int32 }

// SourcePos says which source the instructions from pc on come from.
type SourcePos struct {
	PC  int32
	Pos syntax.Pos
}

// Position returns the place in the source that instruction pc comes from.
func (c *Code) Position(pc int) syntax.Pos {
	lo, hi := 0, len(c.Positions)
	for lo < hi {
		if mid := (lo + hi) / 2; int(c.Positions[mid].PC) <= pc {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return syntax.Pos{}
	}
	return c.Positions[lo-1].Pos
}

// Handler finds the entry of the exception table for pc.
func (c *Code) Handler(pc int) (Try, bool) {
	for _, t := range c.Tries {
		if int32(pc) >= t.Start && int32(pc) < t.End {
			return t, true
		}
	}
	return Try{}, false
}

// Running is what a VM keeps beside one code.
type Running struct {
	Code  *Code
	Need  int // size of a frame's window
	Fixed int // arguments of a call that needs no binding: as many positional parameters; -1: there is none
	Sites []Site
	Lib   bool       // it belongs to a library module
	Kids  []*Running // of Code.Codes, made when they are first used
}
