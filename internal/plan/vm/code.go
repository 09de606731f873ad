package vm

import (
	"sync"

	"praxis/internal/plan/syntax"
)

// Code is one compiled body: of a module, a function, a lambda, a class or a
// generator expression. It is not changed after it was compiled, and VMs share
// the code of library modules: what a VM learns while it runs (caches) it keeps
// beside, by unit and id.
type Code struct {
	unit *unit
	id   int // index in unit.codes; the same source gives the same ids

	name string // "f", "<lambda>", "<genexpr>", "<module>", a class's name
	qual string // "C.f", "f.<locals>.g"

	posOnly int // parameters that are positional only; they come first
	pos     int // further positional parameters
	kwOnly  int // keyword-only parameters, after the positional ones
	star    int // slot of *args, or -1
	kwStar  int // slot of **kw, or -1

	// slots names the variables of a frame in their order: parameters
	// (positional only, positional, keyword only, *args, **kw), then free
	// variables (Func.closure is copied to slots[params:params+free] when the frame
	// is made), then other locals and hidden ones of the compiler (begin with a
	// dot). A variable that closures share has its *Cell in its slot.
	slots  []string
	params int // posOnly + pos + kwOnly + one each for *args and **kw
	free   int
	stack  int // values on the stack at most

	consts   []Value  // no labels, not changed; a string's hash and ascii are set
	names    []string // names that are not behind a cache
	sites    []string // the name at each cache site
	keywords [][]string
	codes    []*Code // of MAKE_FUNCTION

	instrs []Instr
	tries  []try   // inner ones first
	where  []where // by rising pc

	flags codeFlags
	doc   string // docstring; flagDoc says whether there is one

	// notes are the annotations of the parameters, and of "return", as source
	// text: the values are not evaluated.
	notes []note

	firstLine int
}

// unit is what one compilation gives: a program or a library module.
type unit struct {
	module  string  // "" is the plan itself
	codes   []*Code // codes[0] is the module's body
	strict  bool
	source  string // of what a library module compiled while the program runs; "" for all else
	summing sync.Once
	summed  []byte // identifies the unit in a state; made when the first state is stored
}

// note is the annotation of a parameter, as source text.
type note struct{ name, text string }

// codeFlags say what kind of body a code is.
type codeFlags uint16

const (
	flagGenerator codeFlags = 1 << iota // has a yield; calling it makes a generator
	flagCoroutine                       // async def; calling it makes a coroutine
	flagNested                          // lies in a function
	flagClass                           // body of a class: has a name space of its own
	flagModule                          // body of a module: its names are the globals
	flagDoc                             // begins with a docstring
	flagMethod                          // lies in a class body directly
	flagGeneric                         // class body: the class has type parameters and can be subscripted
)

// try is one entry of the exception table: an exception at a pc in [start, end)
// cuts the stack to depth values, pushes the exception and goes on at handler.
// The first entry that holds the pc counts.
type try struct{ start, end, handler, depth int32 }

// where says which source the instructions from pc on come from.
type where struct {
	pc  int32
	pos syntax.Pos
}

// position returns the place in the source that instruction pc comes from.
func (c *Code) position(pc int) syntax.Pos {
	lo, hi := 0, len(c.where)
	for lo < hi {
		if mid := (lo + hi) / 2; int(c.where[mid].pc) <= pc {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return syntax.Pos{}
	}
	return c.where[lo-1].pos
}

// handler finds the entry of the exception table for pc.
func (c *Code) handler(pc int) (try, bool) {
	for _, t := range c.tries {
		if int32(pc) >= t.start && int32(pc) < t.end {
			return t, true
		}
	}
	return try{}, false
}

// Instr is one instruction: the operation in the low 8 bits, its argument in
// the upper 24. Some are followed by one word more, a plain number.
type Instr uint32

// op returns the operation.
func (i Instr) op() Op { return Op(i) }

// arg returns the argument.
func (i Instr) arg() int { return int(i >> 8) }

// pair reads an argument that is two numbers of 12 bits.
func (i Instr) pair() (a, b int) { return int(i>>8) & 0xfff, int(i >> 20) }

// triple reads an argument that is one number of 4 bits and two of 10.
func (i Instr) triple() (op, a, b int) { return int(i>>8) & 0xf, int(i>>12) & 0x3ff, int(i >> 22) }

// instr makes an instruction.
func instr(op Op, arg int) Instr { return Instr(op) | Instr(arg)<<8 }

// pairInstr makes an instruction whose argument is two numbers of 12 bits.
func pairInstr(op Op, a, b int) Instr { return Instr(op) | Instr(a)<<8 | Instr(b)<<20 }

// tripleInstr makes an instruction whose argument is one number of 4 bits and two of 10.
func tripleInstr(op Op, n, a, b int) Instr {
	return Instr(op) | Instr(n)<<8 | Instr(a)<<12 | Instr(b)<<22
}

// Bounds of what fits into instructions.
const (
	maxArg    = 1<<24 - 1
	maxPair   = 1<<12 - 1
	maxTriple = 1<<10 - 1
)

// Op is an operation.
type Op uint8

// The operations. Each comment gives the effect on the stack, top at the right:
// (before → after). a is the argument, w the word that follows ("two words").
// "Again": when the value at the top is a generator or an instance of the
// program, the machine calls the language's own code on it in a frame, puts the
// answer in its place and carries the instruction out again.
const (
	opNop Op = iota // ( → )

	// Constants and variables.
	opLoadConst     // ( → v)  consts[a]
	opLoadInt       // ( → v)  the small int a
	opLoadNone      // ( → None)
	opLoadTrue      // ( → True)
	opLoadFalse     // ( → False)
	opLoadFast      // ( → v)  slot a, known to be bound
	opLoadFastCheck // ( → v)  slot a; UnboundLocalError when it is not bound
	opStoreFast     // (v → )  slot a
	opDeleteFast    // ( → )   unbinds slot a; UnboundLocalError when it is not bound
	opClearFast     // ( → )   unbinds slot a, bound or not
	opMakeCell      // ( → )   puts what slot a holds (or nothing) into a new cell in slot a
	opLoadDeref     // ( → v)  what the cell in slot a holds; UnboundLocalError, or NameError for a free variable
	opStoreDeref    // (v → )
	opDeleteDeref   // ( → )
	opLoadCell      // ( → cell) the cell itself in slot a, for a closure
	opLoadGlobal    // ( → v)  sites[a], of the module, else of the built-in names; NameError
	opStoreGlobal   // (v → )  sites[a]
	opDeleteGlobal  // ( → )   sites[a]
	opLoadName      // ( → v)  class bodies: sites[a] in the class's name space, else global
	opStoreName     // (v → )  class bodies: names[a]
	opDeleteName    // ( → )   class bodies: names[a]

	// The stack.
	opPop    // (v → )
	opDup    // (v → v v)
	opDup2   // (x y → x y x y)
	opSwap   // swaps the top with the a-th from the top, 2 is the one below
	opRotate // (… v → v …) moves the top below the a-1 values under it

	// Two at once.
	opLoadFastFast  // ( → x y)  pair: slots, both known to be bound
	opLoadFastConst // ( → x c)  pair: slot known to be bound, consts
	opStoreLoadFast // (v → x)   pair: stores into the first slot, loads the second, known to be bound
	opStoreStore    // (x y → )  pair: y into the first slot, x into the second

	// Operators. Operands are popped, the result is pushed, with both labels.
	opAdd      // (x y → v)
	opSub      // (x y → v)
	opMul      // (x y → v)
	opFloorDiv // (x y → v)
	opMod      // (x y → v)
	opBinary   // (x y → v)  a is a syntax.Operator
	opInplace  // (x y → v)  a is a syntax.Operator; x op= y
	opUnary    // (x → v)    a is a syntax.UnaryOperator, not Not
	opNot      // (x → bool)
	opCompare  // (x y → v)  a is a syntax.CmpOperator: all ten
	opTruth    // (x → bool) the truth of x, with all labels that it depends on

	opAddFastConst    // ( → v)  pair: slot + consts; the slot is known to be bound
	opSubFastConst    // ( → v)  pair: slot - consts
	opIncrFastConst   // ( → )   pair: slot += consts
	opInplaceAddFast  // ( → )   pair: first slot += second slot
	opSubscrFastFast  // ( → v)  pair: first slot[second slot]
	opSubscr          // (o k → v)
	opStoreSubscr     // (v o k → )
	opDeleteSubscr    // (o k → )
	opBuildSlice      // (lo hi → slice), with a = 3 (lo hi step → slice)
	opLoadAttr        // (o → v)     sites[a]
	opStoreAttr       // (v o → )    sites[a]
	opDeleteAttr      // (o → )      sites[a]
	opLoadSuperAttr   // (cls self → v)  names[a] of super(cls, self): super() without arguments, and with two
	opLoadMethod      // (o → fn self)  sites[a] to be called: self is unset when fn is not a function of o's class
	opLoadSuperMethod // (cls self → fn self) the same for super()

	// Jumps go to instruction a. Those back count steps and look at the VM's limits.
	opJump          // ( → )
	opJumpBack      // ( → )
	opJumpFalse     // (v → )  pops, jumps when false
	opJumpTrue      // (v → )
	opJumpFalseKeep // (v → v when it jumps, nothing otherwise)
	opJumpTrueKeep  // (v → v when it jumps, nothing otherwise)
	opJumpNone      // (v → )
	opJumpNotNone   // (v → )
	opCompareJump   // (x y → ) two words: jumps to w unless x op y; a is the CmpOperator (Eq … GtE), bit 3 (8 | op-1, else op-1): jumps if instead
	opCmpFastFast   // ( → )    two words: triple(op as in opCompareJump, slot, slot), known to be bound
	opCmpFastConst  // ( → )    two words: triple(op, slot, const)

	// Iteration.
	opGetIter     // (v → it)
	opForIter     // (it → it v), or at the end (it → ) and jumps to a
	opForIterFast // (it → it) two words: stores the element into slot w; at the end (it → ) and jumps to a
	opPopIter     // (it → ) leaves a loop before its end

	// Building. n values of the stack become one.
	opBuildTuple  // (… → tuple)  a values
	opBuildList   // (… → list)   a values
	opBuildSet    // (… → set)    a values
	opBuildMap    // (k v … → dict) a pairs
	opBuildString // (… → str)    joins a strings, and ints
	opListAppend  // (list … v → list …)  the list is the a-th from the top, after v was popped
	opSetAdd      // (set … v → set …)
	opMapAdd      // (dict … k v → dict …)
	opListExtend  // (list … it → list …) Again. The display [*x]
	opSetUpdate   // (set … it → set …)   Again
	opDictUpdate  // (dict … m → dict …)  Again, with keys(). The display {**m}: TypeError "'X' object is not a mapping"
	opDictMerge   // (fn … dict m → fn … dict)  f(**m): a key that is not a string or is there twice is a TypeError that names the function; a: how far fn lies below dict
	opListToTuple // (list → tuple)
	opArgsExtend  // (fn … list it → fn … list)  Again. f(*it); a: how far fn lies below list

	opUnpackSequence // (v → xa … x1)  Again; the first at the top; ValueError when it is not a values
	opUnpackEx       // (v → … )       Again; a&0xfff values before the star, a>>12 after it; the first at the top, the starred one a list

	opFormat // (v spec → str) or (v → str): a&3 is the conversion (0 none, 1 str, 2 repr, 3 ascii), a&4 says that there is a spec; 8 alone: an int may stay what it is, opBuildString follows

	// Functions and calls. The position of the instruction is that of the call.
	opCall         // (fn x1 … xa → v)
	opCallMethod   // (fn self x1 … xa → v) self may be unset
	opCallKw       // (fn x1 … xa → v) two words: the last values are named by keywords[w]
	opCallMethodKw // (fn self x1 … xa → v) two words
	opCallEx       // (fn list → v), with a = 1 (fn list dict → v)
	opMakeFunction // (… → fn) two words: codes[a]; w: 1 defaults tuple, 2 dict of keyword-only defaults, 4 closure: as many cells as the code has free variables; pushed in this order
	opMakeClass    // (body x1 … xa → cls) two words: body is the function of the class body, then bases and keyword values named by keywords[w]. The body runs in a frame with a new name space
	opMakeClassEx  // (body list dict → cls)
	opReturn       // (v → ) leaves the frame
	opReturnNone   // ( → )
	opReturnClass  // ( → ) end of a class body: makes the class of the name space; a is 1 + the slot of the cell of __class__, or 0
	opYield        // (v → sent)
	opYieldFrom    // (it sent → v) sends to it; as long as it yields, the frame is left at this very instruction with (it), and sent is pushed before it is carried out again; throw() and close() are passed on to it
	opYieldIter    // (v → it)  iter(v) for yield from; a generator stays what it is
	opAwait        // (v → v)   a coroutine is run to its end; what is not one, such as the answer of a tool, stays
	opAnnotate     // ( → )     two words: consts[w], a text, is the annotation of names[a] in the class's or module's __annotations__
	opTypeAlias    // ( → v)    an opaque type alias named names[a]; two words: consts[w] is its text

	// Exceptions.
	opRaise       // ( → ) a = 0 raises again what is handled, 1 (exc → ), 2 (exc cause → )
	opReraise     // (exc → ) goes on with exc, its traceback unchanged
	opPushExc     // (exc → prev exc) exc is what is handled now; prev is what was
	opPopExc      // (prev → ) prev is handled again
	opMatchExc    // (exc type → exc bool) type: a class or a tuple of them; TypeError otherwise
	opAssertError // ( → )  raises AssertionError; a = 1 (msg → )
	opWithEnter   // (mgr → exit enter) bound __exit__ and __enter__, looked up on the class; TypeError without them
	opWithExcept  // (exit prev exc → exit prev exc v) v = exit(type(exc), exc, None)

	// Patterns.
	opMatchSequence // (v → v bool)
	opMatchMapping  // (v → v bool)
	opMatchLen      // (v → v bool) a>>1 elements, or at least that many when a&1 is set
	opMatchKeys     // (v keys → v keys values) a tuple of the values, or None when one is missing
	opMatchClass    // (v cls → values) two words: a positional sub-patterns, attributes named by keywords[w]; a tuple of their values, or None
	opMatchRest     // (v keys → dict) a copy of v without the keys of the tuple

	// Modules.
	opImport     // ( → mod) names[a]; dotted. w: 1 gives the first part of the dotted name. Two words
	opImportFrom // (mod → mod v) names[a]; ImportError
	opImportStar // (mod → ) all public names of mod become globals; library modules only

	// Labels of control: in strict mode only. See compile_strict.go. An exception
	// that is handled joins its label into pc and sticky.
	opPcSave       // ( → ) keeps the thread's pc in slot a (as the label of None)
	opPcRestore    // ( → ) pc = what slot a keeps ⊔ sticky; but while the thread is trying, or when opPcBound... marked the slot, sticky ⊔= pc
	opPcJoin       // (v → v) pc ⊔= v's label
	opPcIter       // (it → it) pc ⊔= what the end of the iteration depends on: it's label and the shape of its container
	opPcStick      // ( → ) sticky ⊔= pc: no restore will forget what pc is now
	opPcTop        // (v → v) v's label ⊔= pc
	opPcFast       // ( → ) label of slot a ⊔= pc, if bound
	opPcDeref      // ( → ) label in the cell of slot a ⊔= pc, if bound
	opPcGlobal     // ( → ) label of the global sites[a] ⊔= pc, if bound
	opPcName       // ( → ) label of names[a] in the class's name space ⊔= pc, if bound
	opPcHeldFast   // the four as above; and if what it holds is a list, set, dict or the like, pc also joins its shape and its elements' labels
	opPcHeldDeref  //
	opPcHeldGlobal //
	opPcHeldName   //
	opPcBoundFast  // ( → ) two words: marks slot w if the variable is not bound, for the four kinds of variables
	opPcBoundDeref //
	opPcBoundGlobal
	opPcBoundName
	opMay     // (…) while the thread is trying: pc and sticky ⊔= the labels of the a values at the top, and of their shapes
	opMaySave // ( → ) keeps in slot a whether the thread is trying; from now on it is
	opMayJoin // ( → ) it is trying if slot a says so

	opCount // how many there are
)
