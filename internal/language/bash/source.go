package bash

import (
	"strings"

	"praxis/internal/language"
)

// keywords are the reserved words, where a command may stand.
var keywords = map[string]bool{
	"if": true, "then": true, "elif": true, "else": true, "fi": true, "for": true, "while": true,
	"until": true, "select": true, "do": true, "done": true, "case": true, "esac": true, "function": true,
	"time": true, "coproc": true, "!": true, "{": true, "}": true, "[[": true, "]]": true,
}

// builtins are the commands of the shell itself.
var builtins = map[string]bool{
	".": true, ":": true, "[": true, "alias": true, "bg": true, "bind": true, "break": true, "builtin": true,
	"caller": true, "cd": true, "command": true, "compgen": true, "complete": true, "compopt": true,
	"continue": true, "declare": true, "dirs": true, "disown": true, "echo": true, "enable": true,
	"eval": true, "exec": true, "exit": true, "export": true, "false": true, "fc": true, "fg": true,
	"getopts": true, "hash": true, "help": true, "history": true, "jobs": true, "kill": true, "let": true,
	"local": true, "logout": true, "mapfile": true, "popd": true, "printf": true, "pushd": true, "pwd": true,
	"read": true, "readarray": true, "readonly": true, "return": true, "set": true, "shift": true,
	"shopt": true, "source": true, "suspend": true, "test": true, "times": true, "trap": true, "true": true,
	"type": true, "typeset": true, "ulimit": true, "umask": true, "unalias": true, "unset": true,
	"wait": true,
}

// beforeCommand are the keywords behind which a command stands.
var beforeCommand = map[string]bool{
	"if": true, "then": true, "elif": true, "else": true, "while": true, "until": true, "do": true,
	"time": true, "coproc": true, "!": true, "{": true,
}

// What may be open. quote is a double quote, tick a backquote, brace "${", sub "$(" or "(",
// sum "$((" or "((", test "[[".
const (
	quote0 = `"`
	tick   = "`"
	brace  = "${"
	sub    = "("
	sum    = "(("
	test   = "[["
	group  = "{"
	branch = "if"
	loop   = "do"
	choice = "case"
)

// frame is something that is open.
type frame struct {
	kind    string
	pattern bool // choice: a pattern comes, which a parenthesis ends
	in      bool // choice, loop: the word in was seen
}

// heredoc is a text that begins with the next line.
type heredoc struct {
	end  string
	tabs bool // those before the end do not count
}

// scanner splits source, and keeps what is open. It knows as much of the grammar as tells
// strings, comments and blocks apart, and is content with source that has mistakes.
type scanner struct {
	source  string
	at      int
	spans   []language.Span
	open    []frame
	docs    []heredoc
	command bool // a command may stand here
	define  bool // the word before was "function"
	goes    bool // more must follow: a backslash, a pipe or the like is last
	cut     bool // a string or a text is not closed
}

// maxOpen bounds what is kept of source that only opens.
const maxOpen = 10_000

func scan(source string) *scanner {
	s := &scanner{source: source, command: true}
	for s.at < len(source) {
		s.step()
	}
	s.cut = s.cut || len(s.docs) > 0
	return s
}

// highlight splits source into spans.
func highlight(source string) []language.Span { return scan(source).spans }

// incomplete says that more of source must come before it can be run.
func incomplete(source string) bool {
	s := scan(source)
	return s.cut || s.goes || len(s.open) > 0
}

// indent returns the blanks that the line after source begins with.
func indent(source string) string {
	s := scan(source)
	if s.cut {
		return ""
	}
	n := 0
	for _, f := range s.open {
		switch f.kind {
		case sub, group, branch, loop, choice:
			n++
		}
	}
	return strings.Repeat("    ", min(n, 20))
}

func (s *scanner) rest() string { return s.source[s.at:] }

func (s *scanner) top() *frame {
	if len(s.open) == 0 {
		return &frame{}
	}
	return &s.open[len(s.open)-1]
}

func (s *scanner) push(kind string) {
	if len(s.open) < maxOpen {
		s.open = append(s.open, frame{kind: kind})
	}
}

// pop closes what is open last if it is of that kind. What closes nothing is a mistake,
// which the shell tells of.
func (s *scanner) pop(kind string) {
	if s.top().kind == kind {
		s.open = s.open[:len(s.open)-1]
	}
}

// emit makes a span of the next n bytes.
func (s *scanner) emit(class language.Class, n int) {
	n = min(n, len(s.source)-s.at)
	text := s.source[s.at : s.at+n]
	s.at += n
	if last := len(s.spans) - 1; last >= 0 && s.spans[last].Class == class {
		s.spans[last].Text = s.source[s.at-n-len(s.spans[last].Text) : s.at]
		return
	}
	if n > 0 {
		s.spans = append(s.spans, language.Span{Class: class, Text: text})
	}
}

// step takes what comes next.
func (s *scanner) step() {
	rest := s.rest()
	s.goes = false
	switch kind := s.top().kind; {
	case rest[0] == '$':
		s.dollar(kind)
	case rest[0] == '`':
		if kind == tick {
			s.pop(tick)
			s.command = false
		} else {
			s.push(tick)
			s.command = true
		}
		s.emit(language.Text, 1)
	case kind == quote0 || kind == brace:
		s.inside(kind)
	case rest[0] == '\n':
		s.line()
	case rest[0] == '\\':
		s.goes = len(rest) <= 2 && strings.Trim(rest[1:], "\n") == ""
		s.emit(language.Plain, 2)
	case rest[0] == '\'':
		s.single(rest, 1)
	case rest[0] == '"':
		s.push(quote0)
		s.emit(language.Text, 1)
	case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r':
		s.emit(language.Plain, 1)
	case rest[0] == '#' && kind != sum && s.begins():
		n := strings.IndexByte(rest, '\n')
		if n < 0 {
			n = len(rest)
		}
		s.emit(language.Comment, n)
	case strings.IndexByte("&|;()<>", rest[0]) >= 0:
		s.operator(kind, rest)
	default:
		s.word(kind, rest)
	}
}

// begins says that a word begins here.
func (s *scanner) begins() bool {
	return s.at == 0 || strings.IndexByte(" \t\r\n;|&()", s.source[s.at-1]) >= 0
}

// dollar takes a variable, an expansion or a string that begins with a dollar.
func (s *scanner) dollar(kind string) {
	rest := s.rest()
	class := language.Decorator
	switch {
	case strings.HasPrefix(rest, "$(("):
		s.push(sum)
		s.emit(class, 3)
	case strings.HasPrefix(rest, "$("):
		s.push(sub)
		s.command = true
		s.emit(class, 2)
		return
	case strings.HasPrefix(rest, "${"):
		s.push(brace)
		s.emit(class, 2)
	case strings.HasPrefix(rest, "$'") && kind != quote0:
		s.escapes(rest)
	default:
		n := 1
		for n < len(rest) && isName(rest[n]) {
			n++
		}
		if n == 1 && n < len(rest) && strings.IndexByte("@*#?-$!", rest[n]) >= 0 {
			n++
		}
		s.emit(class, n)
	}
	s.command = false
}

// single takes a string between single quotes, the first of which is at from-1.
func (s *scanner) single(rest string, from int) {
	n := strings.IndexByte(rest[from:], '\'')
	if s.command = false; n < 0 {
		s.cut = true
		s.emit(language.Text, len(rest))
		return
	}
	s.emit(language.Text, from+n+1)
}

// escapes takes a string such as $'\n', in which a backslash hides a quote.
func (s *scanner) escapes(rest string) {
	for i := 2; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '\'':
			s.emit(language.Text, i+1)
			return
		}
	}
	s.cut = true
	s.emit(language.Text, len(rest))
}

// inside takes what stands between double quotes, or in the braces of an expansion.
func (s *scanner) inside(kind string) {
	rest := s.rest()
	class := language.Text
	if kind == brace {
		class = language.Decorator
	}
	switch {
	case rest[0] == '\\':
		s.emit(class, 2)
	case rest[0] == '"' && kind == quote0:
		s.emit(class, 1)
		s.pop(quote0)
		s.command = false
	case rest[0] == '"':
		s.push(quote0)
		s.emit(language.Text, 1)
	case rest[0] == '}' && kind == brace:
		s.emit(class, 1)
		s.pop(brace)
	case rest[0] == '\'' && kind == brace && !s.quoted():
		s.single(rest, 1)
	default:
		s.emit(class, 1)
	}
}

// quoted says that an expansion stands in double quotes, in which single ones mean nothing.
func (s *scanner) quoted() bool { return len(s.open) > 1 && s.open[len(s.open)-2].kind == quote0 }

// line takes the end of a line, and the texts that follow it.
func (s *scanner) line() {
	s.emit(language.Plain, 1)
	s.command, s.define = true, false
	docs := s.docs
	s.docs = nil
	for _, d := range docs {
		if !s.document(d) {
			s.cut = true
			return
		}
	}
}

// document takes a text up to its end.
func (s *scanner) document(d heredoc) bool {
	for line := range strings.Lines(s.rest()) {
		bare := strings.TrimSuffix(line, "\n")
		if d.tabs {
			bare = strings.TrimLeft(bare, "\t")
		}
		if bare == d.end {
			s.emit(language.Plain, len(line)-1)
			if !strings.HasSuffix(line, "\n") {
				s.emit(language.Plain, 1)
				return true
			}
			s.emit(language.Plain, 1)
			return true
		}
		s.emit(language.Text, len(line))
	}
	return false
}

// operator takes a character that no word has.
func (s *scanner) operator(kind, rest string) {
	if kind == sum {
		s.sumOperator(rest)
		return
	}
	f := s.top()
	switch {
	case strings.HasPrefix(rest, "<<<"):
		s.emit(language.Plain, 3)
	case strings.HasPrefix(rest, "<<") && kind != test:
		s.hereDocument(rest)
	case strings.HasPrefix(rest, "((") && s.command || strings.HasPrefix(rest, "((") && kind == loop && !f.in:
		s.push(sum)
		s.command = false
		s.emit(language.Plain, 2)
	case rest[0] == '(' && (kind == test || kind == choice && f.pattern):
		s.emit(language.Plain, 1)
	case rest[0] == '(':
		s.push(sub)
		s.command = true
		s.emit(language.Plain, 1)
	case rest[0] == ')' && kind == choice:
		f.pattern = false
		s.command = true
		s.emit(language.Plain, 1)
	case rest[0] == ')':
		s.pop(sub)
		s.command = true // a function's body may follow
		s.emit(language.Plain, 1)
	case strings.HasPrefix(rest, ";;") || strings.HasPrefix(rest, ";&"):
		f.pattern = kind == choice
		s.command = true
		s.emit(language.Plain, 2)
	case rest[0] == ';' || rest[0] == '&' || rest[0] == '|':
		n := 1
		if len(rest) > 1 && rest[1] == rest[0] || strings.HasPrefix(rest, "|&") {
			n = 2
		}
		s.command = kind != test
		s.emit(language.Plain, n)
		s.goes = (rest[0] == '|' || n == 2) && strings.TrimSpace(s.rest()) == ""
		if s.goes {
			s.emit(language.Plain, len(s.rest()))
		}
	default:
		s.emit(language.Plain, 1)
	}
}

// sumOperator takes one of an arithmetic expression.
func (s *scanner) sumOperator(rest string) {
	switch {
	case strings.HasPrefix(rest, "))"):
		s.pop(sum)
		s.command = false
		s.emit(language.Plain, 2)
	case rest[0] == '(':
		s.push(sub)
		s.emit(language.Plain, 1)
	default:
		s.emit(language.Plain, 1)
	}
}

// hereDocument takes the beginning of a text: << and the word that ends it.
func (s *scanner) hereDocument(rest string) {
	n := 2
	d := heredoc{tabs: strings.HasPrefix(rest, "<<-")}
	if d.tabs {
		n++
	}
	for n < len(rest) && (rest[n] == ' ' || rest[n] == '\t') {
		n++
	}
	from := n
	for n < len(rest) && strings.IndexByte(" \t\r\n;|&()<>", rest[n]) < 0 {
		n++
	}
	if d.end = strings.NewReplacer(`'`, "", `"`, "", `\`, "").Replace(rest[from:n]); d.end != "" && len(s.docs) < maxOpen {
		s.docs = append(s.docs, d)
	}
	s.emit(language.Plain, n)
}

// word takes a word up to a quote, a blank or an operator.
func (s *scanner) word(kind, rest string) {
	n := 0
	for n < len(rest) && strings.IndexByte(" \t\r\n;|&()<>'\"`$\\", rest[n]) < 0 {
		n++
	}
	text := rest[:n]
	whole := s.begins() && (n == len(rest) || strings.IndexByte("'\"`$\\", rest[n]) < 0)
	f := s.top()
	switch {
	case kind == sum, !whole && !strings.Contains(text, "="):
		s.emit(numberOr(text), n)
		s.command = false
	case kind == test && text == "]]":
		s.pop(test)
		s.emit(language.Keyword, n)
	case s.define:
		s.define = false
		s.command = true
		s.emit(language.Definition, n)
	case text == "in" && (kind == choice || kind == loop) && !f.in:
		f.in = true
		f.pattern = kind == choice
		s.command = kind == choice
		s.emit(language.Keyword, n)
	case s.command && keywords[text] && !(kind == choice && f.pattern && text != "esac"):
		s.keyword(text)
		s.emit(language.Keyword, n)
	case s.command && strings.HasPrefix(strings.TrimLeft(rest[n:], " \t"), "()"):
		s.emit(language.Definition, n)
	case s.command && builtins[text]:
		s.command = false
		s.emit(language.Builtin, n)
	case s.command && assigned(text) > 0:
		s.emit(language.Definition, assigned(text))
		s.emit(language.Plain, n-assigned(text))
	default:
		s.command = s.command && kind == choice && f.pattern
		s.emit(numberOr(text), n)
	}
}

// keyword opens or closes what a keyword opens or closes.
func (s *scanner) keyword(text string) {
	s.command = beforeCommand[text] || text == "function"
	switch text {
	case "if":
		s.push(branch)
	case "fi":
		s.pop(branch)
	case "for", "while", "until", "select":
		s.push(loop)
	case "done":
		s.pop(loop)
	case "case":
		s.push(choice)
	case "esac":
		s.pop(choice)
	case "{":
		s.push(group)
	case "}":
		s.pop(group)
	case "[[":
		s.push(test)
	case "function":
		s.define = true
	case "do":
		s.top().in = true
	}
}

// assigned returns the length of the name in NAME=…, NAME+=… and NAME[…]=…; 0: there is none.
func assigned(text string) int {
	n := 0
	for n < len(text) && isName(text[n]) {
		n++
	}
	rest := text[n:]
	if n == 0 || text[0] <= '9' {
		return 0
	}
	if strings.HasPrefix(rest, "[") {
		if i := strings.IndexByte(rest, ']'); i > 0 {
			rest = rest[i+1:]
		}
	}
	if strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, "+=") {
		return n
	}
	return 0
}

func numberOr(text string) language.Class {
	if text != "" && strings.Trim(text, "0123456789") == "" {
		return language.Number
	}
	return language.Plain
}

func isName(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
