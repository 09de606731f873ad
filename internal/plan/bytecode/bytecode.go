// Package bytecode is what the compiler writes and the machine runs: the
// operations, what each does to the stack, and how an instruction holds its
// argument. What belongs to one compiled body beside its instructions is
// [praxis/internal/plan/value.Code].
package bytecode

// Instr is one instruction: the operation in the low 8 bits, its argument in
// the upper 24. Some are followed by one word more, a plain number.
type Instr uint32

// Op returns the operation.
func (i Instr) Op() Op { return Op(i) }

// Arg returns the argument.
func (i Instr) Arg() int { return int(i >> 8) }

// Pair reads an argument that is two numbers of 12 bits.
func (i Instr) Pair() (a, b int) { return int(i>>8) & 0xfff, int(i >> 20) }

// Triple reads an argument that is one number of 4 bits and two of 10.
func (i Instr) Triple() (op, a, b int) { return int(i>>8) & 0xf, int(i>>12) & 0x3ff, int(i >> 22) }

// Make makes an instruction.
func Make(op Op, arg int) Instr { return Instr(op) | Instr(arg)<<8 }

// MakePair makes an instruction whose argument is two numbers of 12 bits.
func MakePair(op Op, a, b int) Instr { return Instr(op) | Instr(a)<<8 | Instr(b)<<20 }

// MakeTriple makes an instruction whose argument is one number of 4 bits and two of 10.
func MakeTriple(op Op, n, a, b int) Instr {
	return Instr(op) | Instr(n)<<8 | Instr(a)<<12 | Instr(b)<<22
}

// Bounds of what fits into instructions.
const (
	MaxArg    = 1<<24 - 1
	MaxPair   = 1<<12 - 1
	MaxTriple = 1<<10 - 1
)

// Op is an operation.
type Op uint8

// The operations. Each comment gives the effect on the stack, top at the right:
// (before → after). a is the argument, w the word that follows ("two words").
// "Again": when the value at the top is a generator or an instance of the
// program, the machine calls the language's own code on it in a frame, puts the
// answer in its place and executes the instruction again.
const (
	Nop Op = iota // ( → )

	// Constants and variables.
	LoadConst     // ( → v)  consts[a]
	LoadInt       // ( → v)  the small int a
	LoadNone      // ( → None)
	LoadFast      // ( → v)  slot a, known to be bound
	LoadFastCheck // ( → v)  slot a; UnboundLocalError when it is not bound
	StoreFast     // (v → )  slot a
	DeleteFast    // ( → )   unbinds slot a; UnboundLocalError when it is not bound
	ClearFast     // ( → )   unbinds slot a, bound or not
	MakeCell      // ( → )   puts what slot a holds (or nothing) into a new cell in slot a
	LoadDeref     // ( → v)  what the cell in slot a holds; UnboundLocalError, or NameError for a free variable
	StoreDeref    // (v → )
	DeleteDeref   // ( → )
	LoadCell      // ( → cell) the cell itself in slot a, for a closure
	LoadGlobal    // ( → v)  sites[a], of the module, else of the built-in names; NameError
	StoreGlobal   // (v → )  sites[a]
	DeleteGlobal  // ( → )   sites[a]
	LoadName      // ( → v)  class bodies: sites[a] in the class's name space, else global
	StoreName     // (v → )  class bodies: names[a]
	DeleteName    // ( → )   class bodies: names[a]

	// The stack.
	Pop    // (v → )
	Dup    // (v → v v)
	Dup2   // (x y → x y x y)
	Swap   // swaps the top with the a-th from the top, 2 is the one below
	Rotate // (… v → v …) moves the top below the a-1 values under it

	// Two at once.
	LoadFastFast  // ( → x y)  pair: slots, both known to be bound
	LoadFastConst // ( → x c)  pair: slot known to be bound, consts
	StoreLoadFast // (v → x)   pair: stores into the first slot, loads the second, known to be bound
	StoreStore    // (x y → )  pair: y into the first slot, x into the second

	// Operators. Operands are popped, the result is pushed, with both labels.
	Add      // (x y → v)
	Sub      // (x y → v)
	Mul      // (x y → v)
	FloorDiv // (x y → v)
	Mod      // (x y → v)
	Binary   // (x y → v)  a is a syntax.Operator
	Inplace  // (x y → v)  a is a syntax.Operator; x op= y
	Unary    // (x → v)    a is a syntax.UnaryOperator, not Not
	Not      // (x → bool)
	Compare  // (x y → v)  a is a syntax.CmpOperator: all ten
	Truth    // (x → bool) the truth of x, with all labels that it depends on

	AddFastConst   // ( → v)  pair: slot + consts; the slot is known to be bound
	SubFastConst   // ( → v)  pair: slot - consts
	IncrFastConst  // ( → )   pair: slot += consts
	InplaceAddFast // ( → )   pair: first slot += second slot
	SubscrFastFast // ( → v)  pair: first slot[second slot]
	Subscr         // (o k → v)
	StoreSubscr    // (v o k → )
	DeleteSubscr   // (o k → )
	BuildSlice     // (lo hi → slice), with a = 3 (lo hi step → slice)
	LoadAttr       // (o → v)     sites[a]
	StoreAttr      // (v o → )    sites[a]
	DeleteAttr     // (o → )      sites[a]
	LoadSuperAttr  // (cls self → v)  names[a] of super()
	LoadMethod     // (o → fn self)  sites[a] to be called: self is unset when fn is not a function of o's class

	// Jumps go to instruction a. Those back count steps and look at the VM's limits.
	Jump          // ( → )
	JumpBack      // ( → )
	JumpFalse     // (v → )  pops, jumps when false
	JumpTrue      // (v → )
	JumpFalseKeep // (v → v when it jumps, nothing otherwise)
	JumpTrueKeep  // (v → v when it jumps, nothing otherwise)
	JumpNone      // (v → )
	JumpNotNone   // (v → )
	CompareJump   // (x y → ) two words: jumps to w unless x op y; a is the CmpOperator (Eq … GtE), bit 3 (8 | op-1, else op-1): jumps if instead
	CmpFastFast   // ( → )    two words: triple(op as in CompareJump, slot, slot), known to be bound
	CmpFastConst  // ( → )    two words: triple(op, slot, const)

	// Iteration.
	GetIter     // (v → it)
	ForIter     // (it → it v), or at the end (it → ) and jumps to a
	ForIterFast // (it → it) two words: stores the element into slot w; at the end (it → ) and jumps to a
	PopIter     // (it → ) leaves a loop before its end

	// Building. n values of the stack become one.
	BuildTuple  // (… → tuple)  a values
	BuildList   // (… → list)   a values
	BuildSet    // (… → set)    a values
	BuildMap    // (k v … → dict) a pairs
	BuildString // (… → str)    joins a strings, and ints
	ListAppend  // (list … v → list …)  the list is the a-th from the top, after v was popped
	SetAdd      // (set … v → set …)
	MapAdd      // (dict … k v → dict …)
	ListExtend  // (list … it → list …) Again. The display [*x]
	SetUpdate   // (set … it → set …)   Again
	DictUpdate  // (dict … m → dict …)  Again, with keys(). The display {**m}: TypeError "'X' object is not a mapping"
	DictMerge   // (fn … dict m → fn … dict)  f(**m): a key that is not a string or is there twice is a TypeError that names the function; a: how far fn lies below dict
	ListToTuple // (list → tuple)
	ArgsExtend  // (fn … list it → fn … list)  Again. f(*it); a: how far fn lies below list

	UnpackSequence // (v → xa … x1)  Again; the first at the top; ValueError when it is not a values
	UnpackEx       // (v → … )       Again; a&0xfff values before the star, a>>12 after it; the first at the top, the starred one a list

	Format // (v spec → str) or (v → str): a&3 is the conversion (0 none, 1 str, 2 repr, 3 ascii), a&4 says that there is a spec; 8 alone: an int may stay what it is, BuildString follows

	// Functions and calls. The position of the instruction is that of the call.
	Call         // (fn x1 … xa → v)
	CallMethod   // (fn self x1 … xa → v) self may be unset
	CallKw       // (fn x1 … xa → v) two words: the last values are named by keywords[w]
	CallMethodKw // (fn self x1 … xa → v) two words
	CallEx       // (fn list → v), with a = 1 (fn list dict → v)
	MakeFunction // (… → fn) two words: codes[a]; w: 1 defaults tuple, 2 dict of keyword-only defaults, 4 closure: as many cells as the code has free variables; pushed in this order
	MakeClass    // (body x1 … xa → cls) two words: body is the function of the class body, then bases and keyword values named by keywords[w]. The body runs in a frame with a new name space
	Return       // (v → ) leaves the frame
	ReturnNone   // ( → )
	ReturnClass  // ( → ) end of a class body: makes the class of the name space; a is 1 + the slot of the cell of __class__, or 0
	Yield        // (v → sent)
	YieldFrom    // (it sent → v) sends to it; as long as it yields, the frame is left at this very instruction with (it), and sent is pushed before it is executed again; throw() and close() are passed on to it
	YieldIter    // (v → it)  iter(v) for yield from; a generator stays what it is
	Await        // (v → v)   a coroutine is run to its end; what is not one, such as the answer of a tool, stays
	Annotate     // ( → )     two words: consts[w], a text, is the annotation of names[a] in the class's or module's __annotations__

	// Exceptions.
	Raise       // ( → ) a = 0 raises again what is handled, 1 (exc → ), 2 (exc cause → )
	Reraise     // (exc → ) goes on with exc, its traceback unchanged
	PushExc     // (exc → prev exc) exc is what is handled now; prev is what was
	PopExc      // (prev → ) prev is handled again
	MatchExc    // (exc type → exc bool) type: a class or a tuple of them; TypeError otherwise
	AssertError // ( → )  raises AssertionError; a = 1 (msg → )
	WithEnter   // (mgr → exit enter) bound __exit__ and __enter__, looked up on the class; TypeError without them
	WithExcept  // (exit prev exc → exit prev exc v) v = exit(type(exc), exc, None)

	// Patterns.
	MatchSequence // (v → v bool) a sequence of a>>1 elements, or at least that many when a&1 is set
	MatchKeys     // (v keys → values) a tuple of the values, or None when one is missing or v is no mapping
	MatchClass    // (v cls → values) two words: a positional sub-patterns, attributes named by keywords[w]; a tuple of their values, or None

	// Modules.
	Import     // ( → mod) names[a]; dotted. w: 1 gives the first part of the dotted name. Two words
	ImportFrom // (mod → mod v) names[a]; ImportError

	// Labels of control: in strict mode only. See strict.go of the compiler. An exception
	// that is handled joins its label into pc and sticky.
	PcSave    // ( → ) keeps the thread's pc in slot a (as the label of None)
	PcRestore // ( → ) pc = what slot a keeps ⊔ sticky; but while the thread is trying, or when the slot is marked, sticky ⊔= pc
	PcJoin    // (v → v) pc ⊔= v's label
	PcIter    // (it → it) pc ⊔= what the end of the iteration depends on: it's label and the shape of its container
	PcStick   // ( → ) sticky ⊔= pc: no restore will forget what pc is now
	PcTop     // (v → v) v's label ⊔= pc
	// Two words: for a variable that is bound, its label ⊔= pc; with w = 1 pc joins the shape
	// of a container that it holds and its elements' labels, too. With w > 1 only slot w-2 is
	// marked, if the variable is not bound.
	PcFast   // ( → ) of slot a
	PcDeref  // ( → ) in the cell of slot a
	PcGlobal // ( → ) the global sites[a]
	PcName   // ( → ) names[a] in the class's name space
	May      // (…) while the thread is trying: pc and sticky ⊔= the labels of the a values at the top, and of their shapes
	MaySave  // ( → ) keeps in slot a whether the thread is trying; from now on it is
	MayJoin  // ( → ) it is trying if slot a says so

	Count // how many there are
)

// Words says how many words an instruction has.
func (op Op) Words() int {
	switch op {
	case CompareJump, CmpFastFast, CmpFastConst, ForIterFast, CallKw, CallMethodKw,
		MakeFunction, MakeClass, Annotate, MatchClass, Import,
		PcFast, PcDeref, PcGlobal, PcName:
		return 2
	}
	return 1
}
