package report

import (
	"regexp"
	"strings"
)

// span is a piece of Python of one class. The texts of all spans put together
// are the code.
type span struct {
	Class string // of keywords, texts and so on; empty: plain
	Text  string
}

// The classes, which are also those of the page's style sheet.
const (
	classComment = "c"
	classText    = "s"
	classNumber  = "n"
	classKeyword = "k"
	classBuiltin = "b"
	className    = "d" // after def or class, and decorators
)

// pythonToken finds the next token that has a colour. It is only for looking
// at: what the pattern takes wrong is coloured wrong.
var pythonToken = regexp.MustCompile(`(?s)(?P<c>#[^\n]*)` +
	`|(?P<s>(?i:\b[rbuft]{1,2})?(?:"""(?:\\.|[^\\])*?(?:"""|\z)|'''(?:\\.|[^\\])*?(?:'''|\z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))` +
	`|(?P<d>(?m:^[ \t]*)@[\pL_][\pL\pN_.]*)` +
	`|(?P<n>\b(?:0[xXoObB][0-9a-fA-F_]+|[0-9][0-9_]*\.?[0-9_]*(?:[eE][+-]?[0-9]+)?j?))` +
	`|(?P<w>[\pL_][\pL\pN_]*)`)

var pythonKeywords = map[string]bool{
	"False": true, "None": true, "True": true, "and": true, "as": true, "assert": true, "async": true, "await": true,
	"break": true, "class": true, "continue": true, "def": true, "del": true, "elif": true, "else": true, "except": true,
	"finally": true, "for": true, "from": true, "global": true, "if": true, "import": true, "in": true, "is": true,
	"lambda": true, "nonlocal": true, "not": true, "or": true, "pass": true, "raise": true, "return": true, "try": true,
	"while": true, "with": true, "yield": true,
}

var pythonBuiltins = map[string]bool{
	"abs": true, "all": true, "any": true, "bool": true, "bytes": true, "dict": true, "display": true, "enumerate": true,
	"float": true, "format": true, "int": true, "isinstance": true, "iter": true, "len": true, "list": true, "map": true,
	"max": true, "min": true, "next": true, "open": true, "print": true, "range": true, "repr": true, "reversed": true,
	"round": true, "set": true, "sorted": true, "str": true, "sum": true, "tuple": true, "type": true, "zip": true,
}

// maxHighlit bounds the code that is coloured.
const maxHighlit = 256 << 10

// highlight splits Python into spans.
func highlight(code string) []span {
	if len(code) > maxHighlit {
		return []span{{"", code}}
	}
	var out []span
	start := 0 // of the last span
	put := func(class string, from, to int) {
		switch n := len(out); {
		case from == to:
		case n > 0 && out[n-1].Class == class:
			out[n-1].Text = code[start:to]
		default:
			out = append(out, span{class, code[from:to]})
			start = from
		}
	}
	names := pythonToken.SubexpNames()
	at, before := 0, ""
	for _, m := range pythonToken.FindAllStringSubmatchIndex(code, -1) {
		put("", at, m[0])
		text, class := code[m[0]:m[1]], ""
		for i := 1; i < len(names); i++ {
			if m[2*i] >= 0 {
				class = names[i]
			}
		}
		if class == "w" {
			class = classOf(text, before, strings.HasSuffix(code[:m[0]], "."))
			before = text
		}
		put(class, m[0], m[1])
		at = m[1]
	}
	put("", at, len(code))
	return out
}

// classOf finds a word's class by itself and by the word before.
func classOf(word, before string, attribute bool) string {
	switch {
	case pythonKeywords[word] && !attribute:
		return classKeyword
	case before == "def" || before == "class":
		return className
	case pythonBuiltins[word] && !attribute:
		return classBuiltin
	}
	return ""
}
