package javascript

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"praxis/internal/language"
)

// A light scanner of JavaScript and TypeScript: enough to colour code and to know whether
// a person at the prompt has more to type. The interpreter has the last word on both.

// scanner cuts source into spans whose texts put together are the source again.
type scanner struct {
	src    string
	pos    int
	words  map[string]language.Class
	spans  []language.Span
	last   string // the last token that is neither blank nor a comment
	before string // the one before it
	open   []byte // brackets that are open; '`' is a template, '$' a hole in one
	broken bool   // inside of a comment that does not end
}

// scan cuts source into spans. words are the language's names with a class of their own.
func scan(src string, words map[string]language.Class) *scanner {
	s := &scanner{src: src, words: words}
	for s.pos < len(src) {
		s.next()
	}
	return s
}

// highlighter returns a function that splits source into spans.
func highlighter(words map[string]language.Class) func(string) []language.Span {
	return func(source string) []language.Span { return scan(source, words).spans }
}

// add ends a token; neighbours of one class are one span.
func (s *scanner) add(class language.Class, end int) {
	text := s.src[s.pos:end]
	if n := len(s.spans); n > 0 && s.spans[n-1].Class == class {
		from := s.pos - len(s.spans[n-1].Text)
		s.spans[n-1].Text = s.src[from:end]
	} else {
		s.spans = append(s.spans, language.Span{Class: class, Text: text})
	}
	if class != language.Comment && strings.TrimSpace(text) != "" {
		s.before, s.last = s.last, text
	}
	s.pos = end
}

func (s *scanner) top() byte {
	if len(s.open) == 0 {
		return 0
	}
	return s.open[len(s.open)-1]
}

func (s *scanner) next() {
	rest := s.src[s.pos:]
	if s.top() == '`' {
		s.template(rest)
		return
	}
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case unicode.IsSpace(r):
		s.add(language.Plain, s.pos+size)
	case strings.HasPrefix(rest, "//"), s.pos == 0 && strings.HasPrefix(rest, "#!"):
		s.add(language.Comment, s.pos+until(rest, "\n", 0))
	case strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest[2:], "*/")
		if s.broken = end < 0; s.broken {
			s.add(language.Comment, len(s.src))
			return
		}
		s.add(language.Comment, s.pos+end+4)
	case r == '/' && s.regexBegins():
		s.add(language.Text, s.pos+regexLen(rest))
	case r == '"' || r == '\'':
		s.add(language.Text, s.pos+quotedLen(rest))
	case r == '`':
		s.open = append(s.open, '`')
		s.add(language.Text, s.pos+1)
	case r >= '0' && r <= '9', r == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
		s.add(language.Number, s.pos+numberLen(rest))
	case r == '@' && len(rest) > 1 && begins(rest[1:]):
		s.add(language.Decorator, s.pos+1+wordLen(rest[1:]))
	case begins(rest) || r == '#' && len(rest) > 1 && begins(rest[1:]):
		s.word(rest)
	default:
		s.punctuation(r, size)
	}
}

// template scans the text of a template up to its end or to the next hole.
func (s *scanner) template(rest string) {
	for i := 0; i < len(rest); {
		switch {
		case rest[i] == '`':
			s.open = s.open[:len(s.open)-1]
			s.add(language.Text, s.pos+i+1)
			return
		case rest[i] == '\\':
			i += 2
		case strings.HasPrefix(rest[i:], "${"):
			if i > 0 {
				s.add(language.Text, s.pos+i)
			}
			s.open = append(s.open, '$')
			s.add(language.Plain, s.pos+2)
			return
		default:
			i++
		}
	}
	s.add(language.Text, len(s.src))
}

func (s *scanner) punctuation(r rune, size int) {
	switch r {
	case '(', '[', '{':
		s.open = append(s.open, byte(r))
	case ')', ']', '}':
		want := map[rune]string{')': "(", ']': "[", '}': "{$"}[r]
		if strings.IndexByte(want, s.top()) >= 0 && len(s.open) > 0 {
			s.open = s.open[:len(s.open)-1]
		}
	}
	for _, long := range []string{"=>", "++", "--", "...", "?."} {
		if strings.HasPrefix(s.src[s.pos:], long) {
			size = len(long)
			break
		}
	}
	s.add(language.Plain, s.pos+size)
}

// word is a name or a keyword.
func (s *scanner) word(rest string) {
	n := wordLen(strings.TrimPrefix(rest, "#")) + len(rest) - len(strings.TrimPrefix(rest, "#"))
	word := rest[:n]
	class, attribute := s.words[word], s.last == "." || s.last == "?."
	switch {
	case attribute:
		class = language.Plain
	case (s.last == "function" || s.last == "class" || s.last == "*" && s.before == "function") && class != language.Keyword:
		class = language.Definition
	}
	s.add(class, s.pos+n)
}

// regexBegins says whether a slash begins a regular expression: it does where a value is
// expected.
func (s *scanner) regexBegins() bool {
	if s.last == "" || slices.Contains([]string{"return", "typeof", "case", "in", "of", "do", "else", "void", "delete", "throw", "new", "await", "yield", "instanceof"}, s.last) {
		return true
	}
	if s.last == "++" || s.last == "--" {
		return false
	}
	return strings.IndexByte("(,=:[!&|?{};+-*%<>~^.", s.last[len(s.last)-1]) >= 0
}

func begins(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || r == '_' || r == '$'
}

func wordLen(s string) int {
	for i, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '$' {
			return i
		}
	}
	return len(s)
}

// numberLen measures the number at the start of s, whose exponent may have a sign.
func numberLen(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		exponent := i > 0 && (c == '+' || c == '-') && (s[i-1] == 'e' || s[i-1] == 'E') && !strings.HasPrefix(s, "0x")
		if c != '.' && c != '_' && !exponent && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return i
		}
	}
	return len(s)
}

// until returns where an end stands in s from a place on, or the length of s.
func until(s, end string, from int) int {
	if i := strings.Index(s[from:], end); i >= 0 {
		return from + i
	}
	return len(s)
}

// quotedLen measures the string at the start of s, which ends with its line.
func quotedLen(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n':
			return i
		case s[0]:
			return i + 1
		}
	}
	return len(s)
}

// regexLen measures the regular expression at the start of s, with its flags. A slash that
// begins none is one character.
func regexLen(s string) int {
	set := false
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '\n':
			return 1
		case c == '[':
			set = true
		case c == ']':
			set = false
		case c == '/' && !set:
			return i + 1 + wordLen(s[i+1:])
		}
	}
	return 1
}

// incomplete says whether a person who typed src has more to type: something is open, or
// an operator waits for what it works on.
func incomplete(src string) bool {
	s := scan(src, nil)
	if len(s.open) > 0 || s.broken {
		return true
	}
	if s.last == "" || s.last == "++" || s.last == "--" {
		return false
	}
	return s.last == "=>" || s.last == "?." || strings.IndexByte("=+-*%&|^~<?:,.", s.last[len(s.last)-1]) >= 0 && len(s.last) == 1
}

const indentStep = "  "

// indent returns the blanks that the line after src begins with: those of its last line,
// and one step more where that leaves a bracket open.
func indent(src string) string {
	s := scan(src, nil)
	if s.top() == '`' || s.broken {
		return ""
	}
	line := src[strings.LastIndexByte(src, '\n')+1:]
	blanks := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	if s.last != "" && strings.IndexByte("([{", s.last[len(s.last)-1]) >= 0 {
		return blanks + indentStep
	}
	return blanks
}

// words returns the names that have a class.
func words(more ...string) map[string]language.Class {
	out := map[string]language.Class{}
	for word := range strings.FieldsSeq(`async await break case catch class const continue debugger default delete do else export extends
		false finally for from function get if import in instanceof let new null of return set static super switch this throw true try
		typeof undefined using var void while with yield`) {
		out[word] = language.Keyword
	}
	for word := range strings.FieldsSeq(`Array ArrayBuffer BigInt Boolean Buffer console Date display Error fetch globalThis Infinity JSON Map
		Math NaN Number Object process Promise Proxy RangeError Reflect RegExp require Set setImmediate setInterval setTimeout String
		structuredClone Symbol TypeError Uint8Array URL WeakMap WeakSet`) {
		out[word] = language.Builtin
	}
	for _, word := range more {
		out[word] = language.Keyword
	}
	return out
}
