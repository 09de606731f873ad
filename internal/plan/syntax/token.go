package syntax

// kind is the type of a token.
type kind uint8

// The tokens. Those up to kDedent are not part of what a node covers.
const (
	kEOF kind = iota
	kNewline
	kIndent
	kDedent
	kName
	kNumber
	kString
	kFStart  // the opening of an f-string
	kFMiddle // literal text in it
	kFEnd

	kLpar
	kRpar
	kLsqb
	kRsqb
	kLbrace
	kRbrace
	kColon
	kComma
	kSemi
	kDot
	kEllipsis
	kArrow
	kColonEqual
	kEqual
	kExclam
	kUnknown // a character that no Python program uses
	kTilde
	kPlus
	kMinus
	kStar
	kSlash
	kDoubleSlash
	kPercent
	kAt
	kDoubleStar
	kVbar
	kCaret
	kAmper
	kLshift
	kRshift
	kEqEq
	kNotEq
	kLess
	kLessEq
	kGreater
	kGreaterEq
	kPlusEq
	kMinusEq
	kStarEq
	kSlashEq
	kDoubleSlashEq
	kPercentEq
	kAtEq
	kDoubleStarEq
	kVbarEq
	kCaretEq
	kAmperEq
	kLshiftEq
	kRshiftEq

	kAnd
	kAs
	kAssert
	kAsync
	kAwait
	kBreak
	kClass
	kContinue
	kDef
	kDel
	kElif
	kElse
	kExcept
	kFalse
	kFinally
	kFor
	kFrom
	kGlobal
	kIf
	kImport
	kIn
	kIs
	kLambda
	kNone
	kNonlocal
	kNot
	kOr
	kPass
	kRaise
	kReturn
	kTrue
	kTry
	kWhile
	kWith
	kYield

	kinds // how many there are
)

// fixed holds the tokens that are always written in the same way, by their text.
var fixed = map[string]kind{
	"(": kLpar, ")": kRpar, "[": kLsqb, "]": kRsqb, "{": kLbrace, "}": kRbrace,
	":": kColon, ",": kComma, ";": kSemi, ".": kDot, "...": kEllipsis, "->": kArrow,
	":=": kColonEqual, "=": kEqual, "!": kExclam, "~": kTilde, "+": kPlus, "-": kMinus,
	"*": kStar, "/": kSlash, "//": kDoubleSlash, "%": kPercent, "@": kAt, "**": kDoubleStar,
	"|": kVbar, "^": kCaret, "&": kAmper, "<<": kLshift, ">>": kRshift, "==": kEqEq,
	"!=": kNotEq, "<": kLess, "<=": kLessEq, ">": kGreater, ">=": kGreaterEq,
	"+=": kPlusEq, "-=": kMinusEq, "*=": kStarEq, "/=": kSlashEq, "//=": kDoubleSlashEq,
	"%=": kPercentEq, "@=": kAtEq, "**=": kDoubleStarEq, "|=": kVbarEq, "^=": kCaretEq,
	"&=": kAmperEq, "<<=": kLshiftEq, ">>=": kRshiftEq,
	"and": kAnd, "as": kAs, "assert": kAssert, "async": kAsync, "await": kAwait,
	"break": kBreak, "class": kClass, "continue": kContinue, "def": kDef, "del": kDel,
	"elif": kElif, "else": kElse, "except": kExcept, "False": kFalse, "finally": kFinally,
	"for": kFor, "from": kFrom, "global": kGlobal, "if": kIf, "import": kImport, "in": kIn,
	"is": kIs, "lambda": kLambda, "None": kNone, "nonlocal": kNonlocal, "not": kNot,
	"or": kOr, "pass": kPass, "raise": kRaise, "return": kReturn, "True": kTrue,
	"try": kTry, "while": kWhile, "with": kWith, "yield": kYield,
}

// token is one token of the source.
type token struct {
	kind     kind
	level    uint8 // how many brackets were open when it began
	wide     bool  // a name with characters beyond ASCII
	off, end int32 // where it is in the source
	pos      Pos
	endPos   Pos
}
