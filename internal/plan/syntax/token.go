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

// kindTexts names the tokens as they are written.
var kindTexts = [kinds]string{
	kLpar: "(", kRpar: ")", kLsqb: "[", kRsqb: "]", kLbrace: "{", kRbrace: "}",
	kColon: ":", kComma: ",", kSemi: ";", kDot: ".", kEllipsis: "...", kArrow: "->",
	kColonEqual: ":=", kEqual: "=", kExclam: "!", kUnknown: "?", kTilde: "~", kPlus: "+", kMinus: "-",
	kStar: "*", kSlash: "/", kDoubleSlash: "//", kPercent: "%", kAt: "@", kDoubleStar: "**",
	kVbar: "|", kCaret: "^", kAmper: "&", kLshift: "<<", kRshift: ">>", kEqEq: "==",
	kNotEq: "!=", kLess: "<", kLessEq: "<=", kGreater: ">", kGreaterEq: ">=",
	kPlusEq: "+=", kMinusEq: "-=", kStarEq: "*=", kSlashEq: "/=", kDoubleSlashEq: "//=",
	kPercentEq: "%=", kAtEq: "@=", kDoubleStarEq: "**=", kVbarEq: "|=", kCaretEq: "^=",
	kAmperEq: "&=", kLshiftEq: "<<=", kRshiftEq: ">>=",
	kAnd: "and", kAs: "as", kAssert: "assert", kAsync: "async", kAwait: "await",
	kBreak: "break", kClass: "class", kContinue: "continue", kDef: "def", kDel: "del",
	kElif: "elif", kElse: "else", kExcept: "except", kFalse: "False", kFinally: "finally",
	kFor: "for", kFrom: "from", kGlobal: "global", kIf: "if", kImport: "import", kIn: "in",
	kIs: "is", kLambda: "lambda", kNone: "None", kNonlocal: "nonlocal", kNot: "not",
	kOr: "or", kPass: "pass", kRaise: "raise", kReturn: "return", kTrue: "True",
	kTry: "try", kWhile: "while", kWith: "with", kYield: "yield",
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

// fixed holds the tokens that are always written in the same way, by their text.
var fixed = func() map[string]kind {
	all := make(map[string]kind, kinds)
	for k, text := range kindTexts {
		if text != "" && text != "?" {
			all[text] = kind(k)
		}
	}
	return all
}()
