package syntax

import "math/big"

// Pos is a place in the source.
type Pos struct {
	Line int32 // 1-based
	Col  int32 // 0-based, counted in bytes of UTF-8, as CPython's col_offset
}

// Before says whether p lies before q.
func (p Pos) Before(q Pos) bool { return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col }

// Span is the stretch of source a node covers, End exclusive.
type Span struct{ Start, End Pos }

// Range returns the span itself; every node has it by embedding Span.
func (s Span) Range() Span { return s }

// Node is any node of the tree.
type Node interface{ Range() Span }

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

// Pattern is a pattern of a match statement.
type Pattern interface{ Node }

// Context says whether a name, attribute, element or display is read,
// assigned or deleted.
type Context uint8

// The contexts. Load is the zero value, as it is by far the most common.
const (
	Load Context = iota
	Store
	Del
)

// Operator is a binary arithmetic operator.
type Operator uint8

// The binary operators, in the order of Python's ast.
const (
	Add Operator = iota + 1
	Sub
	Mult
	MatMult
	Div
	Mod
	Pow
	LShift
	RShift
	BitOr
	BitXor
	BitAnd
	FloorDiv
)

// BoolOperator is And or Or.
type BoolOperator uint8

// The operators of [BoolOp].
const (
	And BoolOperator = iota + 1
	Or
)

// UnaryOperator is a prefix operator.
type UnaryOperator uint8

// The operators of [UnaryOp].
const (
	Invert UnaryOperator = iota + 1
	Not
	UAdd
	USub
)

// CmpOperator is a comparison.
type CmpOperator uint8

// The operators of [Compare].
const (
	Eq CmpOperator = iota + 1
	NotEq
	Lt
	LtE
	Gt
	GtE
	Is
	IsNot
	In
	NotIn
)

// ConstKind is the type of a [Constant].
type ConstKind uint8

// The kinds of constants.
const (
	None ConstKind = iota + 1
	True
	False
	Ellipsis
	Int
	Float
	Complex
	Str
	Bytes
)

// CompKind says what a [Comp] makes.
type CompKind uint8

// The kinds of comprehensions.
const (
	ListComp CompKind = iota + 1
	SetComp
	DictComp
	GeneratorExp
)

// Module is a whole program.
type Module struct {
	Span
	Body []Stmt
}

// Statements.
type (
	// FunctionDef is `def`, and `async def` when Async is set.
	FunctionDef struct {
		Span       // begins at `def` or `async`; decorators lie before it
		Name       string
		NameSpan   Span
		Args       *Arguments
		Body       []Stmt
		Decorators []Expr
		Returns    Expr // may be nil
		Async      bool
	}

	// ClassDef is `class`.
	ClassDef struct {
		Span       // begins at `class`; decorators lie before it
		Name       string
		NameSpan   Span
		Bases      []Expr
		Keywords   []*Keyword
		Body       []Stmt
		Decorators []Expr
	}

	// Return is `return`.
	Return struct {
		Span
		Value Expr // may be nil
	}

	// Delete is `del`.
	Delete struct {
		Span
		Targets []Expr
	}

	// Assign is `a = b = value`, and `type a = value`.
	Assign struct {
		Span
		Targets []Expr
		Value   Expr
	}

	// AugAssign is `target op= value`.
	AugAssign struct {
		Span
		Target Expr
		Op     Operator
		Value  Expr
	}

	// AnnAssign is `target: annotation = value`.
	AnnAssign struct {
		Span
		Target     Expr
		Annotation Expr
		Text       string // the annotation as it is written
		Value      Expr   // may be nil
		Simple     bool   // the target is a name without parentheses
	}

	// For is `for`, and `async for` when Async is set.
	For struct {
		Span
		Target Expr
		Iter   Expr
		Body   []Stmt
		OrElse []Stmt
		Async  bool
	}

	// While is `while`.
	While struct {
		Span
		Test   Expr
		Body   []Stmt
		OrElse []Stmt
	}

	// If is `if`; an `elif` is an If that is the only statement of OrElse.
	If struct {
		Span
		Test   Expr
		Body   []Stmt
		OrElse []Stmt
	}

	// With is `with`, and `async with` when Async is set.
	With struct {
		Span
		Items []*WithItem
		Body  []Stmt
		Async bool
	}

	// Match is `match`.
	Match struct {
		Span
		Subject Expr
		Cases   []*MatchCase
	}

	// Raise is `raise exc from cause`.
	Raise struct {
		Span
		Exc   Expr // may be nil
		Cause Expr // may be nil
	}

	// TryStmt is `try`.
	TryStmt struct {
		Span
		Body      []Stmt
		Handlers  []*ExceptHandler
		OrElse    []Stmt
		FinalBody []Stmt
	}

	// Assert is `assert test, msg`.
	Assert struct {
		Span
		Test Expr
		Msg  Expr // may be nil
	}

	// Import is `import a.b as c`.
	Import struct {
		Span
		Names []*Alias
	}

	// ImportFrom is `from ..module import a as b`.
	ImportFrom struct {
		Span
		Module string // "" in `from . import a`
		Names  []*Alias
		Level  int // number of leading dots
	}

	// Declare is `global`, and `nonlocal` when Nonlocal is set.
	Declare struct {
		Span
		Names    []string
		Nonlocal bool
	}

	// ExprStmt is an expression used as a statement (Expr in Python's ast).
	ExprStmt struct {
		Span
		Value Expr
	}

	// Pass is `pass`.
	Pass struct{ Span }

	// Break is `break`.
	Break struct{ Span }

	// Continue is `continue`.
	Continue struct{ Span }
)

// Expressions.
type (
	// BoolOp is `a and b and c`; a run of one operator is one node.
	BoolOp struct {
		Span
		Op     BoolOperator
		Values []Expr
	}

	// NamedExpr is `target := value`.
	NamedExpr struct {
		Span
		Target *Name
		Value  Expr
	}

	// BinOp is `left op right`.
	BinOp struct {
		Span
		Left  Expr
		Op    Operator
		Right Expr
	}

	// UnaryOp is `op operand`.
	UnaryOp struct {
		Span
		Op      UnaryOperator
		Operand Expr
	}

	// Lambda is `lambda args: body`.
	Lambda struct {
		Span
		Args *Arguments
		Body Expr
	}

	// IfExp is `body if test else orelse`.
	IfExp struct {
		Span
		Test   Expr
		Body   Expr
		OrElse Expr
	}

	// Dict is `{key: value, **value}`; the key of a `**value` is nil.
	Dict struct {
		Span
		Keys   []Expr
		Values []Expr
	}

	// Set is `{a, b}`.
	Set struct {
		Span
		Elts []Expr
	}

	// Comp is `[elt for …]`, `{elt for …}`, `{elt: value for …}` or `(elt for …)`.
	Comp struct {
		Span
		Kind       CompKind
		Elt        Expr
		Value      Expr // of a DictComp, else nil
		Generators []*Comprehension
	}

	// Await is `await value`.
	Await struct {
		Span
		Value Expr
	}

	// Yield is `yield value`, and `yield from value` when From is set.
	Yield struct {
		Span
		Value Expr // may be nil
		From  bool
	}

	// Compare is `left op comparator op comparator …`.
	Compare struct {
		Span
		Left        Expr
		Ops         []CmpOperator
		Comparators []Expr
	}

	// Call is `func(args, keywords)`.
	Call struct {
		Span
		Func     Expr
		Args     []Expr // *Starred for `*args`
		Keywords []*Keyword
	}

	// FormattedValue is one `{value!r:spec}` of a [JoinedStr].
	FormattedValue struct {
		Span
		Value      Expr
		Conversion int        // 's', 'r', 'a', or -1 for none
		FormatSpec *JoinedStr // may be nil
	}

	// JoinedStr is an f-string: *Constant and *FormattedValue in turn.
	JoinedStr struct {
		Span
		Values []Expr
	}

	// Constant is a literal.
	Constant struct {
		Span
		Kind ConstKind
		// Str is the value of a Str as UTF-8, of Bytes the bytes.
		Str   string
		Int   int64    // the value of an Int, when Big is nil
		Big   *big.Int // the value of an Int that does not fit into Int; never changed
		Float float64  // the value of a Float; the imaginary part of a Complex
	}

	// Attribute is `value.attr`.
	Attribute struct {
		Span
		Value Expr
		Attr  string
		Ctx   Context
	}

	// Subscript is `value[slice]`.
	Subscript struct {
		Span
		Value Expr
		Slice Expr
		Ctx   Context
	}

	// Starred is `*value`.
	Starred struct {
		Span
		Value Expr
		Ctx   Context
	}

	// Name is an identifier.
	Name struct {
		Span
		ID  string
		Ctx Context
	}

	// List is `[a, b]`.
	List struct {
		Span
		Elts []Expr
		Ctx  Context
	}

	// Tuple is `a, b`.
	Tuple struct {
		Span
		Elts []Expr
		Ctx  Context
	}

	// Slice is `lower:upper:step`; each may be nil.
	Slice struct {
		Span
		Lower, Upper, Step Expr
	}
)

// Patterns.
type (
	// MatchValue compares with a literal or a dotted name; None, True and False by identity.
	MatchValue struct {
		Span
		Value Expr
	}

	// MatchSequence is `[a, *b]`.
	MatchSequence struct {
		Span
		Patterns []Pattern
	}

	// MatchMapping is `{key: pattern}`.
	MatchMapping struct {
		Span
		Keys     []Expr
		Patterns []Pattern
	}

	// MatchClass is `Class(pattern, attr=pattern)`.
	MatchClass struct {
		Span
		Cls         Expr
		Patterns    []Pattern
		KwdAttrs    []string
		KwdPatterns []Pattern
	}

	// MatchStar is `*name`.
	MatchStar struct {
		Span
		Name string // "" for `*_`
	}

	// MatchAs is `pattern as name`, a capture (Pattern nil) or `_` (both empty).
	MatchAs struct {
		Span
		Pattern Pattern // may be nil
		Name    string  // "" for `_`
	}

	// MatchOr is `a | b`.
	MatchOr struct {
		Span
		Patterns []Pattern
	}
)

// Parts of statements and expressions.
type (
	// Arguments are the parameters of a function. Its span has no
	// counterpart in Python's ast.
	Arguments struct {
		Span
		PosOnlyArgs []*Arg
		Args        []*Arg
		VarArg      *Arg // may be nil
		KwOnlyArgs  []*Arg
		KwDefaults  []Expr // one for each of KwOnlyArgs; nil where there is none
		KwArg       *Arg   // may be nil
		Defaults    []Expr // of the last of PosOnlyArgs and Args
	}

	// Arg is one parameter.
	Arg struct {
		Span
		Arg        string
		Annotation Expr // may be nil
	}

	// Keyword is `arg=value` or `**value` in a call.
	Keyword struct {
		Span
		Arg   string // "" for `**value`
		Value Expr
	}

	// Alias is one name of an import.
	Alias struct {
		Span
		Name   string // dotted in `import a.b`; "*" in `from a import *`
		AsName string // "" when there is none
	}

	// WithItem is one context manager of a with statement. Its span has no
	// counterpart in Python's ast.
	WithItem struct {
		Span
		ContextExpr  Expr
		OptionalVars Expr // may be nil
	}

	// MatchCase is one case. Its span has no counterpart in Python's ast.
	MatchCase struct {
		Span
		Pattern Pattern
		Guard   Expr // may be nil
		Body    []Stmt
	}

	// ExceptHandler is one except clause.
	ExceptHandler struct {
		Span
		Type Expr   // may be nil
		Name string // "" when there is none
		Body []Stmt
	}

	// Comprehension is one `for target in iter if …`. Its span has no
	// counterpart in Python's ast.
	Comprehension struct {
		Span
		Target  Expr
		Iter    Expr
		Ifs     []Expr
		IsAsync bool
	}
)

func (*FunctionDef) stmt() {}
func (*ClassDef) stmt()    {}
func (*Return) stmt()      {}
func (*Delete) stmt()      {}
func (*Assign) stmt()      {}
func (*AugAssign) stmt()   {}
func (*AnnAssign) stmt()   {}
func (*For) stmt()         {}
func (*While) stmt()       {}
func (*If) stmt()          {}
func (*With) stmt()        {}
func (*Match) stmt()       {}
func (*Raise) stmt()       {}
func (*TryStmt) stmt()     {}
func (*Assert) stmt()      {}
func (*Import) stmt()      {}
func (*ImportFrom) stmt()  {}
func (*Declare) stmt()     {}
func (*ExprStmt) stmt()    {}
func (*Pass) stmt()        {}
func (*Break) stmt()       {}
func (*Continue) stmt()    {}

func (*BoolOp) expr()         {}
func (*NamedExpr) expr()      {}
func (*BinOp) expr()          {}
func (*UnaryOp) expr()        {}
func (*Lambda) expr()         {}
func (*IfExp) expr()          {}
func (*Dict) expr()           {}
func (*Set) expr()            {}
func (*Comp) expr()           {}
func (*Await) expr()          {}
func (*Yield) expr()          {}
func (*Compare) expr()        {}
func (*Call) expr()           {}
func (*FormattedValue) expr() {}
func (*JoinedStr) expr()      {}
func (*Constant) expr()       {}
func (*Attribute) expr()      {}
func (*Subscript) expr()      {}
func (*Starred) expr()        {}
func (*Name) expr()           {}
func (*List) expr()           {}
func (*Tuple) expr()          {}
func (*Slice) expr()          {}
