package python

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"praxis/internal/language"
)

// A light scanner of Python: enough to colour code and to know whether a person
// at the prompt has more to type. The interpreter has the last word on both.
//
// A highlighting library was measured and left out: registering its lexers
// costs 5 ms and 2.7 MB at the start of every process, and this binary is also
// the helper and the agent of every sandbox.

// token is a stretch of source that has a class, or that ends a line or takes
// part in the structure of the program.
type token struct {
	kind kind
	text string
}

type kind uint8

const (
	plain kind = iota
	keyword
	builtin
	text
	number
	comment
	definition // the name after def or class
	decorator
	operator
	newline
)

// class is what people see of a kind.
func (k kind) class() language.Class {
	switch k {
	case keyword:
		return language.Keyword
	case builtin:
		return language.Builtin
	case text:
		return language.Text
	case number:
		return language.Number
	case comment:
		return language.Comment
	case definition:
		return language.Definition
	case decorator:
		return language.Decorator
	}
	return language.Plain
}

// highlight splits source into spans; neighbours of one class are one span.
func highlight(source string) []language.Span {
	var out []language.Span
	start, end := 0, 0 // of the last span
	for _, t := range scanSource(source).tokens {
		c := t.kind.class()
		if n := len(out); n == 0 || out[n-1].Class != c {
			out = append(out, language.Span{Class: c})
			start = end
		}
		end += len(t.text)
		out[len(out)-1].Text = source[start:end]
	}
	return out
}

// scan is the state of a scanner; open says what is unfinished at the end.
type scan struct {
	src    string
	pos    int
	tokens []token
	open   openState
	fresh  bool // only blanks so far on this line
}

type openState struct {
	brackets  int
	triple    bool // inside a string of three quotes
	backslash bool // the last line is continued
}

// Bounds of a replacement field. Without them, a text of nothing but braces
// would take time that grows with its square.
const (
	maxNesting = 8
	maxField   = 512
)

// scanSource cuts src into tokens whose texts put together are src again.
func scanSource(src string) *scan {
	s := &scan{src: src, fresh: true}
	for s.pos < len(src) {
		s.next()
	}
	return s
}

func (s *scan) add(k kind, end int) {
	piece := s.src[s.pos:end]
	s.tokens = append(s.tokens, token{k, piece})
	s.fresh = k == newline || (s.fresh && strings.TrimSpace(piece) == "")
	s.pos = end
}

func (s *scan) next() {
	rest := s.src[s.pos:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == '\n':
		s.add(newline, s.pos+1)
	case r == '#':
		end := strings.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		s.add(comment, s.pos+end)
	case r == '\\':
		s.open.backslash = rest == "\\" || rest == "\\\n" || rest == "\\\r\n"
		s.add(operator, s.pos+1)
	case r == '"' || r == '\'':
		s.quoted(0)
	case unicode.IsLetter(r) || r == '_':
		s.word(rest)
	case r >= '0' && r <= '9':
		s.add(number, s.pos+numberLen(rest))
	case r == '@' && s.fresh:
		s.add(decorator, s.pos+1+wordLen(rest[1:], "."))
	case strings.ContainsRune("([{", r):
		s.open.brackets++
		s.add(operator, s.pos+1)
	case strings.ContainsRune(")]}", r):
		s.open.brackets = max(0, s.open.brackets-1)
		s.add(operator, s.pos+1)
	case r == ' ' || r == '\t' || r == '\r':
		s.add(plain, s.pos+len(rest)-len(strings.TrimLeft(rest, " \t\r")))
	default:
		s.add(operator, s.pos+size)
	}
}

// wordLen measures letters, digits, '_' and the extra bytes at the start of s.
func wordLen(s, extra string) int {
	for i, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && !strings.ContainsRune(extra, r) {
			return i
		}
	}
	return len(s)
}

// numberLen measures the number at the start of s, whose exponent may have a sign.
func numberLen(s string) int {
	n := wordLen(s, ".")
	exponent := s[n-1] == 'e' || s[n-1] == 'E'
	hex := strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X")
	if exponent && !hex && n+1 < len(s) && (s[n] == '+' || s[n] == '-') && s[n+1] >= '0' && s[n+1] <= '9' {
		n += 1 + wordLen(s[n+1:], "")
	}
	return n
}

// word is a name, a keyword or the prefix of a string.
func (s *scan) word(rest string) {
	n := wordLen(rest, "")
	word := rest[:n]
	if n <= 2 && n < len(rest) && (rest[n] == '"' || rest[n] == '\'') && strings.Trim(strings.ToLower(word), "rbuft") == "" {
		s.quoted(n)
		return
	}
	k, attribute := plain, strings.HasSuffix(s.src[:s.pos], ".")
	switch {
	case keywords[word] && !attribute:
		k = keyword
	case s.after("def") || s.after("class"):
		k = definition
	case builtins[word] && !attribute:
		k = builtin
	}
	s.add(k, s.pos+n)
}

// after says whether the last token that is not blank is the keyword.
func (s *scan) after(word string) bool {
	for i := len(s.tokens) - 1; i >= 0; i-- {
		if t := s.tokens[i]; t.kind != plain || strings.TrimSpace(t.text) != "" {
			return t.kind == keyword && t.text == word
		}
	}
	return false
}

// quoted scans a string whose prefix has n bytes.
func (s *scan) quoted(n int) {
	prefix := strings.ToLower(s.src[s.pos : s.pos+n])
	end, open := stringEnd(s.src, s.pos+n, strings.ContainsAny(prefix, "ft"), 0)
	s.open.triple = open
	s.add(text, end)
}

// stringEnd finds the end of the string whose quote is at pos. open is true for
// a string of three quotes that does not end. fields says that {…} holds code,
// in which the same quote may stand again.
func stringEnd(src string, pos int, fields bool, depth int) (end int, open bool) {
	quote := src[pos : pos+1]
	if strings.HasPrefix(src[pos:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	i := pos + len(quote)
	for i < len(src) {
		switch {
		case strings.HasPrefix(src[i:], quote):
			return i + len(quote), false
		case src[i] == '\\' && i+1 < len(src):
			i += 2
		case src[i] == '\n' && len(quote) == 1:
			return i, false
		case fields && strings.HasPrefix(src[i:], "{{"):
			i += 2
		case fields && src[i] == '{' && depth < maxNesting:
			i = fieldEnd(src, i+1, quote, depth)
		default:
			i++
		}
	}
	return len(src), len(quote) == 3
}

// fieldEnd finds the end of a replacement field; where there is none, it
// returns its start, so that the string is read as if it contained no code.
func fieldEnd(src string, start int, quote string, depth int) int {
	level := 1
	src = src[:min(len(src), start+maxField)]
	for i := start; i < len(src); {
		switch b := src[i]; {
		case b == '}':
			if level--; level == 0 {
				return i + 1
			}
			i++
		case b == '{':
			level++
			i++
		case b == '\n' && len(quote) == 1:
			return start
		case b == '"' || b == '\'':
			if len(quote) == 3 && strings.HasPrefix(src[i:], quote) {
				return start
			}
			end, open := stringEnd(src, i, false, depth+1)
			if open || (end < len(src) && src[end] == '\n') || end == i+1 {
				return start
			}
			i = end
		default:
			i++
		}
	}
	return start
}

// incomplete says whether a person who typed src has more to type: something is
// open, or a block was begun and no empty line has ended it.
func incomplete(src string) bool {
	s := scanSource(src)
	if s.open.brackets > 0 || s.open.triple || s.open.backslash {
		return true
	}
	block, first, last := false, true, ""
	for _, t := range s.tokens {
		switch {
		case t.kind == newline:
			block = block || last == ":"
			first, last = true, ""
		case t.kind == comment || strings.TrimSpace(t.text) == "":
		default:
			block = block || (first && (t.kind == decorator || (t.kind == keyword && blockKeywords[t.text])))
			first, last = false, t.text
		}
	}
	block = block || last == ":"
	return block && !strings.HasSuffix(strings.TrimRight(src, " \t"), "\n")
}

// indentStep is how far a block stands in.
const indentStep = "    "

// indent returns the blanks that the line after src begins with: those of its
// last line, one step more where that begins a block or a bracket is open, one
// step less where it ends a block.
func indent(src string) string {
	s := scanSource(src)
	if s.open.triple {
		return ""
	}
	line := src[strings.LastIndexByte(src, '\n')+1:]
	blanks := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	first, last, deeper := "", "", 0
	for _, t := range s.tokens {
		switch {
		case t.kind == newline:
			first, last, deeper = "", "", 0
		case t.kind == comment || strings.TrimSpace(t.text) == "":
		default:
			if first == "" {
				first = t.text
			}
			last = t.text
			if strings.ContainsAny(last, "([{") && t.kind == operator {
				deeper++
			} else if strings.ContainsAny(last, ")]}") && t.kind == operator {
				deeper--
			}
		}
	}
	switch {
	case s.open.brackets > 0 && deeper > 0, s.open.brackets == 0 && last == ":":
		return blanks + indentStep
	case s.open.brackets == 0 && (first == "return" || first == "pass" || first == "break" || first == "continue" || first == "raise"):
		return strings.TrimSuffix(blanks, indentStep)
	}
	return blanks
}

// Tables of the language.
var (
	blockKeywords = setOf{"async": true, "class": true, "def": true, "for": true, "if": true, "try": true, "while": true, "with": true}
	keywords      = setOf{
		"False": true, "None": true, "True": true, "and": true, "as": true, "assert": true, "async": true, "await": true,
		"break": true, "class": true, "continue": true, "def": true, "del": true, "elif": true, "else": true, "except": true,
		"finally": true, "for": true, "from": true, "global": true, "if": true, "import": true, "in": true, "is": true,
		"lambda": true, "nonlocal": true, "not": true, "or": true, "pass": true, "raise": true, "return": true, "try": true,
		"while": true, "with": true, "yield": true,
	}
	builtins = setOf{
		"abs": true, "all": true, "any": true, "bool": true, "bytes": true, "dict": true, "display": true, "divmod": true,
		"enumerate": true, "filter": true, "float": true, "format": true, "int": true, "isinstance": true, "iter": true,
		"len": true, "list": true, "map": true, "max": true, "min": true, "next": true, "open": true, "pow": true,
		"print": true, "range": true, "repr": true, "reversed": true, "round": true, "set": true, "sorted": true,
		"str": true, "sum": true, "tuple": true, "type": true, "zip": true,
	}
)

type setOf map[string]bool
