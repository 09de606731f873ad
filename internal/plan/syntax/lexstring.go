package syntax

import "strings"

// str reads a string whose prefix begins at i and whose quote is at q.
func (l *lexer) str(t *token, i, q int) {
	src := l.src
	quote := src[q]
	triple := src[q+1] == quote && src[q+2] == quote
	if prefix := src[i:q]; strings.ContainsAny(prefix, "fFtT") {
		l.fstart(t, q, fmode{quote: quote, triple: triple, raw: strings.ContainsAny(prefix, "rR")})
		return
	}
	t.kind = kString
	n := 1
	if triple {
		n = 3
	}
	j := q + n
	for src[j] != quote || triple && (src[j+1] != quote || src[j+2] != quote) {
		if src[j] == '\\' {
			j++
			if src[j] == '\n' && j+1 < l.size {
				l.line++
				l.lineStart = j + 1
				j++
				continue
			}
		}
		switch {
		case src[j] == 0 && triple:
			l.unterminatedTriple(t, "")
		case src[j] == 0 || src[j] == '\n' && !triple:
			l.unterminated(t, j)
		case src[j] == '\n':
			l.line++
			l.lineStart = j + 1
		}
		j++
	}
	j += n
	l.off = j
	t.end = int32(j)
	t.endPos = Pos{l.line, int32(j - l.lineStart)}
}

// unterminated reports a string that its line, which ends at j, does not close.
func (l *lexer) unterminated(t *token, j int) {
	l.off = j
	l.failAt(SyntaxError, t.pos, Pos{t.pos.Line, t.pos.Col + 1}, "unterminated string literal (detected at line %d)", l.line)
}

// unterminatedTriple reports a triple-quoted string that the source does not close.
func (l *lexer) unterminatedTriple(t *token, what string) {
	line := l.line
	if l.lineStart >= l.size && line > t.pos.Line {
		line-- // the line behind the last newline does not exist
	}
	l.off = l.size
	l.failAt(SyntaxError, t.pos, Pos{t.pos.Line, t.pos.Col + 1}, "unterminated triple-quoted %sstring literal (detected at line %d)", what, line)
}

// fstart begins an f-string whose quote is at q.
func (l *lexer) fstart(t *token, q int, m fmode) {
	n := 1
	if m.triple {
		n = 3
	}
	l.give(t, kFStart, int(t.off), q+n-int(t.off))
	m.start = *t
	l.modes = append(l.modes, m)
}

// middle reads text of an f-string up to a field or the end, or that end or
// the brace of that field.
func (l *lexer) middle(t *token, m *fmode) {
	src, i := l.src, l.off
	inSpec := m.fields > 0
	*t = token{off: int32(i), pos: l.pos(i), level: uint8(len(l.brackets))}
	if l.closes(m, i) {
		n := 1
		if m.triple {
			n = 3
		}
		l.give(t, kFEnd, i, n)
		// A quote ends the string even inside a spec: the parser finds the
		// brace missing, which stays open for the lexer.
		l.modes = l.modes[:len(l.modes)-1]
		return
	}
	if src[i] == '{' && (src[i+1] != '{' || inSpec) {
		l.openField(t, m, i)
		return
	}
	if src[i] == '}' && inSpec {
		l.close(t, i, '}')
		m.field[m.fields].spec = false // of the field whose spec was read
		return
	}
	l.text(t, m, i, inSpec)
}

// closes says whether the closing quote of m is at i.
func (l *lexer) closes(m *fmode, i int) bool {
	src := l.src
	return src[i] == m.quote && (!m.triple || src[i+1] == m.quote && src[i+2] == m.quote)
}

func (l *lexer) openField(t *token, m *fmode, i int) {
	if m.fields > maxFields {
		l.fail(i-1, i, "f-string: expressions nested too deeply")
	}
	l.open(t, i, '{')
	m.field[m.fields].level = len(l.brackets)
	m.field[m.fields].spec = false
	m.fields++
}

// text reads literal text from i on.
func (l *lexer) text(t *token, m *fmode, i int, inSpec bool) {
	src, j := l.src, i
	finish := func(end, next int) {
		t.kind = kFMiddle
		t.end = int32(end)
		t.endPos = Pos{l.line, int32(next - l.lineStart)}
		l.off = next
	}
	for {
		switch c := src[j]; c {
		case m.quote:
			if l.closes(m, j) {
				finish(j, j)
				return
			}
		case '\n':
			if !m.triple {
				if inSpec {
					l.off = j
					l.fail(j, j, "f-string: newlines are not allowed in format specifiers for single quoted f-strings")
				}
				l.off = j
				s := m.start
				l.failAt(SyntaxError, s.pos, Pos{s.pos.Line, s.pos.Col + 1}, "unterminated f-string literal (detected at line %d)", l.line)
			}
			l.line++
			l.lineStart = j + 1
		case 0:
			s := m.start
			l.unterminatedTriple(&s, "f-")
		case '{':
			if src[j+1] != '{' || inSpec {
				finish(j, j)
				return
			}
			finish(j+1, j+2)
			return
		case '}':
			if inSpec {
				finish(j, j)
				return
			}
			if src[j+1] != '}' {
				l.off = j
				l.fail(j, j+1, "f-string: single '}' is not allowed")
			}
			finish(j+1, j+2)
			return
		case '\\':
			if next, done := l.backslash(t, m, j); done {
				finish(next, next)
				return
			} else {
				j = next
				continue
			}
		}
		j++
	}
}

// backslash steps over an escape at j; done means that the text ends here.
func (l *lexer) backslash(t *token, m *fmode, j int) (next int, done bool) {
	src := l.src
	c := src[j+1]
	switch {
	case c == 'N' && src[j+2] == '{' && !m.raw: // the name of a character, no field
		for j += 3; isWord(src[j]) || src[j] == ' ' || src[j] == '-'; j++ {
		}
		if src[j] == '}' {
			j++
		}
		return j, false
	case c == '{' || c == '}':
		return j + 1, false // the brace is looked at on its own
	case c == '\n':
		l.line++
		l.lineStart = j + 2
	case c == 0:
		return j + 1, false
	}
	return j + 2, false
}
