package regex

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"praxis/internal/plan/python/pytext"
)

// token is one character of a pattern, or a backslash with the one after it.
type token struct {
	n int8 // characters: 0 at the end of the pattern
	c rune // the character, or the backslash
	e rune // the character after the backslash
}

func (t token) is(c rune) bool { return t.n == 1 && t.c == c }
func (t token) in(set string) bool {
	return t.n == 1 && t.c < utf8.RuneSelf && strings.IndexByte(set, byte(t.c)) >= 0
}
func (t token) digit() bool { return t.n == 1 && t.c >= '0' && t.c <= '9' }
func (t token) octal() bool { return t.n == 1 && t.c >= '0' && t.c <= '7' }
func (t token) end() bool   { return t.n == 0 }
func (t token) append(b []rune) []rune {
	if t.n > 0 {
		b = append(b, t.c)
	}
	if t.n > 1 {
		b = append(b, t.e)
	}
	return b
}
func (t token) text() string { return encode(t.append(nil)) }

// tokens reads a pattern or a template one token ahead, as Python's own reader
// does: a lone backslash at the end is found when it is next, not when it is
// read. The first error stays; after it there is nothing but the end.
type tokens struct {
	src   []rune
	bytes bool
	index int // after next
	next  token
	err   *Error
}

func newTokens(t Text) tokens {
	s := tokens{src: t.runes(), bytes: t.bytes}
	s.advance()
	return s
}

// advance reads the next token.
func (s *tokens) advance() {
	if s.err != nil || s.index >= len(s.src) {
		s.next = token{}
		return
	}
	c := s.src[s.index]
	if c != '\\' {
		s.index++
		s.next = token{n: 1, c: c}
		return
	}
	if s.index+1 >= len(s.src) {
		s.failAt(Pattern, "bad escape (end of pattern)", len(s.src)-1)
		return
	}
	s.next = token{n: 2, c: c, e: s.src[s.index+1]}
	s.index += 2
}

// get returns the next token and goes on.
func (s *tokens) get() token {
	t := s.next
	s.advance()
	return t
}

// match goes on if the next token is the character c.
func (s *tokens) match(c rune) bool {
	if !s.next.is(c) {
		return false
	}
	s.advance()
	return true
}

// tell is the position of the next token.
func (s *tokens) tell() int { return s.index - int(s.next.n) }

// seek goes back to a position.
func (s *tokens) seek(pos int) {
	s.index = pos
	s.advance()
}

// fail records an error that begins offset characters before the next token.
func (s *tokens) fail(offset int, format string, args ...any) {
	if s.err == nil {
		s.failAt(Pattern, fmt.Sprintf(format, args...), s.tell()-offset)
	}
}

// failAt records an error; pos is -1 for one without a position.
func (s *tokens) failAt(kind Kind, msg string, pos int) {
	if s.err != nil {
		return
	}
	if s.bytes {
		msg = escapeNonASCII(msg)
	}
	s.err = &Error{Kind: kind, Msg: msg, Pos: -1}
	if pos >= 0 {
		s.err.place(s.src, pos)
	}
	s.next = token{}
}

// take reads up to n tokens that are among the set's characters.
func (s *tokens) take(n int, set string) string {
	var b []byte
	for ; n > 0 && s.next.in(set); n-- {
		b = append(b, byte(s.get().c))
	}
	return string(b)
}

// until reads up to a terminator; what names the thing for the error.
func (s *tokens) until(term rune, what string) []rune {
	var out []rune
	for {
		t := s.get()
		switch {
		case t.end():
			if len(out) == 0 {
				s.fail(0, "missing %s", what)
			} else {
				s.fail(len(out), "missing %c, unterminated name", term)
			}
			return out
		case t.is(term):
			if len(out) == 0 {
				s.fail(1, "missing %s", what)
			}
			return out
		}
		out = t.append(out)
	}
}

// name checks the name of a group.
func (s *tokens) name(name []rune, offset int) {
	if s.bytes {
		for _, r := range name {
			if r >= utf8.RuneSelf {
				s.fail(len(name)+offset, "bad character in group name %s", quote(name, true))
				return
			}
		}
	}
	if !pytext.StrIsIdentifier(encode(name)) {
		s.fail(len(name)+offset, "bad character in group name %s", quote(name, false))
	}
}

// isNumber reports whether a group is given by its number and not by its name.
func isNumber(name []rune) bool {
	for _, r := range name {
		if r < '0' || r > '9' {
			return false
		}
	}
	return len(name) > 0
}

// quote is Python's repr of a str, or its ascii.
func quote(rs []rune, ascii bool) string {
	q := rune('\'')
	if strings.ContainsRune(string(rs), '\'') && !strings.ContainsRune(string(rs), '"') {
		q = '"'
	}
	b := appendRune(nil, q)
	for _, r := range rs {
		switch {
		case r == q || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < ' ' || r == 0x7F || r >= utf8.RuneSelf && (ascii || !pytext.IsPrintable(r)):
			b = appendEscape(b, r)
		default:
			b = appendRune(b, r)
		}
	}
	return string(appendRune(b, q))
}

// escapeNonASCII writes what is not ASCII as Python's backslashreplace does.
func escapeNonASCII(s string) string {
	var b []byte
	for _, r := range decode(s) {
		if r < utf8.RuneSelf {
			b = append(b, byte(r))
		} else {
			b = appendEscape(b, r)
		}
	}
	return string(b)
}

func appendEscape(b []byte, r rune) []byte {
	switch {
	case r < 0x100:
		return fmt.Appendf(b, `\x%02x`, r)
	case r < 0x10000:
		return fmt.Appendf(b, `\u%04x`, r)
	}
	return fmt.Appendf(b, `\U%08x`, r)
}

// isLetter is str.isalpha of one character, for the words of flag errors.
func isLetter(t token) bool { return t.n == 1 && pytext.StrIsAlpha(string(t.c)) }
