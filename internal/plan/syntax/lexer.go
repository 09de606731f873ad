package syntax

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of CPython's tokenizer.
const (
	maxBrackets = 200 // open brackets
	maxFields   = 2   // replacement fields within each other's format specs
)

// isLetter says whether c may begin a name; every byte beyond ASCII may.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool { return isLetter(c) || isDigit(c) }

// bracket is one that is open.
type bracket struct {
	char byte
	pos  Pos
}

// fmode is one f-string that is being read.
type fmode struct {
	quote  byte
	triple bool
	raw    bool
	start  token
	fields int // open replacement fields
	field  [maxFields + 1]struct {
		level int  // brackets open inside it, its own brace included
		spec  bool // its format spec is being read
	}
}

// lexer cuts the source into tokens. The source ends in a newline and zero
// bytes, which occur nowhere else.
type lexer struct {
	src       string
	size      int // without the zero bytes
	off       int
	line      int32
	lineStart int // offset of the current line
	bol       bool
	indents   []int32
	pending   int // INDENT (1) or DEDENTs (< 0) to be given
	brackets  []bracket
	modes     []fmode
	lenient   bool // what the plan language leaves out is read, too
	last      kind
}

// lexError passes an error of the lexer up to the statement.
type lexError struct {
	err      *Error
	unclosed bool // the source ended within brackets
}

func (l *lexer) pos(off int) Pos { return Pos{l.line, int32(off - l.lineStart)} }

// fail stops reading with a SyntaxError over [from, to) of the current line.
func (l *lexer) fail(from, to int, format string, args ...any) {
	l.failAt(SyntaxError, l.pos(from), l.pos(to), format, args...)
}

func (l *lexer) failAt(k ErrorKind, from, to Pos, format string, args ...any) {
	panic(lexError{err: &Error{Pos: from, End: to, Kind: k, Message: fmt.Sprintf(format, args...)}})
}

// next reads the next token into t.
func (l *lexer) next(t *token) {
	if len(l.modes) > 0 {
		m := &l.modes[len(l.modes)-1]
		if m.fields == 0 || m.field[m.fields-1].spec {
			l.middle(t, m)
			l.last = t.kind
			return
		}
	}
	if l.bol {
		l.bol = false
		l.indentation()
	}
	if l.pending != 0 {
		l.dent(t)
		return
	}
	l.plain(t)
	l.last = t.kind
}

// dent gives one of the pending INDENT or DEDENT tokens.
func (l *lexer) dent(t *token) {
	p := l.pos(l.off)
	*t = token{kind: kIndent, off: int32(l.off), end: int32(l.off), pos: p, endPos: p}
	if l.pending < 0 {
		t.kind = kDedent
		l.pending++
	} else {
		l.pending--
	}
	l.last = t.kind
}

// indentation measures the start of a line and compares it with the blocks
// that are open. Lines without code change nothing.
func (l *lexer) indentation() {
	var col int32
	for ; ; l.off++ {
		switch l.src[l.off] {
		case ' ':
			col++
		case '\t':
			col = (col/8 + 1) * 8
		case '\f':
			col = 0
		case '#', '\n':
			return
		case 0:
			l.compareIndent(0)
			return
		default:
			l.compareIndent(col)
			return
		}
	}
}

func (l *lexer) compareIndent(col int32) {
	top := len(l.indents) - 1
	if col > l.indents[top] {
		l.indents = append(l.indents, col)
		l.pending = 1
		return
	}
	for ; col < l.indents[top]; top-- {
		l.pending--
	}
	l.indents = l.indents[:top+1]
	if col != l.indents[top] {
		// The line is read on as if it stood at the outer level.
		l.failAt(IndentationError, l.lineEnd(), l.lineEnd(), "unindent does not match any outer indentation level")
	}
}

// lineEnd is the end of the current line.
func (l *lexer) lineEnd() Pos {
	return l.pos(l.off + strings.IndexByte(l.src[l.off:], '\n'))
}

// plain reads a token outside the text of f-strings.
func (l *lexer) plain(t *token) {
	src := l.src
again:
	i := l.off
	for src[i] == ' ' || src[i] == '\t' || src[i] == '\f' {
		i++
	}
	c := src[i]
	t.off = int32(i)
	t.pos = Pos{l.line, int32(i - l.lineStart)}
	if c == '#' {
		i += strings.IndexByte(src[i:], '\n')
		c = '\n'
	}
	t.level = uint8(len(l.brackets))
	t.wide = false
	switch {
	case isLetter(c):
		l.name(t, i)
		return
	case isDigit(c), c == '.' && isDigit(src[i+1]):
		l.number(t, i)
		return
	}
	switch c {
	case '\n':
		l.off = i + 1
		if l.newline(t, i) {
			return
		}
		goto again
	case '\\':
		l.off = i
		l.continuation()
		goto again
	case '\'', '"':
		l.str(t, i, i)
		return
	case 0:
		l.off = i
		l.eof(t)
		return
	}
	l.operator(t, i)
}

// newline reads the end of a line at i. It reports false when the line says
// nothing: the next one is to be read.
func (l *lexer) newline(t *token, i int) bool {
	blank := len(l.brackets) > 0 || len(l.modes) > 0 || l.last == kNewline || l.last == kIndent || l.last == kDedent
	if !blank {
		t.kind = kNewline
		t.end = int32(i + 1)
		t.endPos = Pos{l.line, int32(i - l.lineStart + 1)}
		l.line++
		l.lineStart = i + 1
		l.bol = true
		return true
	}
	l.line++
	l.lineStart = i + 1
	if len(l.brackets) == 0 && len(l.modes) == 0 {
		l.indentation()
		if l.pending != 0 {
			l.dent(t)
			return true
		}
	}
	return false
}

// continuation reads a backslash and the end of its line.
func (l *lexer) continuation() {
	i := l.off
	if l.src[i+1] != '\n' {
		l.fail(i+1, i+1, "unexpected character after line continuation character")
	}
	if i+2 >= l.size {
		l.fail(i+1, i+1, "unexpected EOF while parsing")
	}
	l.off = i + 2
	l.line++
	l.lineStart = l.off
}

// eof gives the tokens at the end of the source.
func (l *lexer) eof(t *token) {
	if len(l.brackets) > 0 {
		l.unclosed()
	}
	t.kind = kEOF
	t.end = t.off
	t.endPos = t.pos
}

// name reads a name, a keyword, or a string with a prefix.
func (l *lexer) name(t *token, i int) {
	src := l.src
	j := i
	var bits byte
	for isWord(src[j]) {
		bits |= src[j]
		j++
	}
	if c := src[j]; (c == '\'' || c == '"') && j-i <= 2 && l.isPrefix(i, j) {
		l.str(t, i, j)
		return
	}
	if bits >= 0x80 {
		l.wideName(i, j)
		t.wide = true
		t.kind = kName
	} else if t.kind = fixed[src[i:j]]; t.kind == kEOF {
		t.kind = kName
	}
	l.off = j
	t.end = int32(j)
	t.endPos = Pos{l.line, int32(j - l.lineStart)}
}

// isPrefix says whether the letters [i, j) make the quote behind them begin a
// string.
func (l *lexer) isPrefix(i, j int) bool {
	switch strings.ToLower(l.src[i:j]) {
	case "r", "b", "u", "f", "br", "rb", "fr", "rf":
		return true
	case "t", "tr", "rt":
		if !l.lenient {
			l.fail(i, j, "a template string is not supported: use an f-string")
		}
		return true
	}
	return false
}

// wideName checks a name with characters beyond ASCII.
func (l *lexer) wideName(i, j int) {
	for k := i; k < j; {
		r, n := utf8.DecodeRuneInString(l.src[k:j])
		if k == i && !idStart(r) || k > i && !idContinue(r) {
			l.badChar(k, k+n, r)
		}
		k += n
	}
}

func (l *lexer) badChar(from, to int, r rune) {
	if unicode.IsPrint(r) {
		l.fail(from, to, "invalid character '%c' (U+%04X)", r, r)
	}
	l.fail(from, to, "invalid non-printable character U+%04X", r)
}

// operator reads an operator or a bracket at i.
func (l *lexer) operator(t *token, i int) {
	src := l.src
	switch c := src[i]; c {
	case '(', '[', '{':
		l.open(t, i, c)
		return
	case ')', ']', '}':
		l.close(t, i, c)
		return
	case '$', '?', '`':
		l.give(t, kUnknown, i, 1)
		return
	case ':':
		if l.fieldLevel() {
			m := &l.modes[len(l.modes)-1]
			m.field[m.fields-1].spec = true
			l.give(t, kColon, i, 1)
			return
		}
	}
	longest := 3
	if strings.IndexByte("=<>*/-.!|&", src[i+1]) < 0 {
		longest = 1 // no operator goes on with it
	}
	for n := longest; n > 0; n-- {
		if k := fixed[src[i:i+n]]; k != kEOF {
			l.give(t, k, i, n)
			return
		}
	}
	r, size := utf8.DecodeRuneInString(src[i:])
	l.off = i
	l.badChar(i, i+size, r)
}

// give fills in a token of n bytes on one line.
func (l *lexer) give(t *token, k kind, i, n int) {
	t.kind = k
	t.end = int32(i + n)
	t.endPos = Pos{l.line, t.pos.Col + int32(n)}
	l.off = i + n
}

// fieldLevel says whether the lexer is in the expression of a replacement
// field and outside all brackets within it.
func (l *lexer) fieldLevel() bool {
	if len(l.modes) == 0 {
		return false
	}
	m := &l.modes[len(l.modes)-1]
	return m.fields > 0 && m.field[m.fields-1].level == len(l.brackets)
}

func (l *lexer) open(t *token, i int, c byte) {
	if len(l.brackets) >= maxBrackets {
		l.fail(i, i+1, "too many nested parentheses")
	}
	l.brackets = append(l.brackets, bracket{c, t.pos})
	t.level = uint8(len(l.brackets))
	k := kLpar
	switch c {
	case '[':
		k = kLsqb
	case '{':
		k = kLbrace
	}
	l.give(t, k, i, 1)
}

func (l *lexer) close(t *token, i int, c byte) {
	want, k := byte('('), kRpar
	switch c {
	case ']':
		want, k = '[', kRsqb
	case '}':
		want, k = '{', kRbrace
	}
	if l.fieldLevel() && c == '}' {
		m := &l.modes[len(l.modes)-1]
		m.fields--
	} else if len(l.modes) > 0 && c == '}' && len(l.brackets) == 0 {
		l.fail(i, i+1, "f-string: single '}' is not allowed")
	}
	n := len(l.brackets)
	if n == 0 {
		l.fail(i, i+1, "unmatched '%c'", c)
	}
	if open := l.brackets[n-1]; open.char != want {
		l.mismatch(i, c, open)
	}
	l.brackets = l.brackets[:n-1]
	t.level = uint8(n - 1)
	l.give(t, k, i, 1)
}

func (l *lexer) mismatch(i int, c byte, open bracket) {
	l.fail(i, i+1, "closing parenthesis '%c' does not match opening parenthesis '%c' on line %d", c, open.char, open.pos.Line)
}
