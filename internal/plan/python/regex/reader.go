package regex

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"praxis/internal/plan/python/pytext"
)

// reader reads a pattern or a template. The first error stays; after it there is
// nothing but the end.
type reader struct {
	src []rune
	pos int
	err *Error
}

// atEOF is the character after the last one.
const atEOF rune = -1

func newReader(t Text) reader { return reader{src: t.runes()} }

// fail records an error.
func (r *reader) fail(pos int, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Msg: fmt.Sprintf(format, args...), Pos: min(pos, len(r.src))}
	}
	r.pos = len(r.src)
}

// peek is the next character.
func (r *reader) peek() rune {
	if r.pos >= len(r.src) {
		return atEOF
	}
	return r.src[r.pos]
}

// next returns the next character and goes on.
func (r *reader) next() rune {
	c := r.peek()
	if c != atEOF {
		r.pos++
	}
	return c
}

// accept goes on if the next character is c.
func (r *reader) accept(c rune) bool {
	if r.peek() != c {
		return false
	}
	r.pos++
	return true
}

// ahead reports whether s, which is ASCII, comes next.
func (r *reader) ahead(s string) bool {
	for i, c := range s {
		if r.pos+i >= len(r.src) || r.src[r.pos+i] != c {
			return false
		}
	}
	return true
}

// digits reads up to most digits of a base.
func (r *reader) digits(most int, base int) string {
	start := r.pos
	for r.pos-start < most {
		if c := r.peek(); c == atEOF || c >= 0x80 || pytext.DigitValue(byte(c)) >= base {
			break
		}
		r.pos++
	}
	return string(r.src[start:r.pos])
}

// octal is the character that octal digits stand for.
func (r *reader) octal(digits string) rune {
	n, err := strconv.ParseUint(digits, 8, 8)
	if err != nil {
		r.fail(r.pos-len(digits), "bad octal escape")
	}
	return rune(n)
}

// number reads the digits after a backslash: a character in octal, or the number
// of a group.
func (r *reader) number() (c rune, group int) {
	start := r.pos
	if d := r.digits(3, 8); len(d) == 3 || r.src[start] == '0' {
		return r.octal(d), 0
	}
	r.pos = start
	group, _ = strconv.Atoi(r.digits(2, 10))
	return 0, group
}

// controls are the characters that have letters.
var controls = map[rune]rune{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '\\': '\\'}

// character reads the escape of a character, after the backslash. A letter
// without a meaning is an error.
func (r *reader) character() rune {
	start := r.pos - 1
	c := r.next()
	width := map[rune]int{'x': 2, 'u': 4, 'U': 8}[c]
	switch {
	case c == atEOF:
		r.fail(start, "bad escape (end of pattern)")
	case c == 'N' && r.accept('{'):
		r.fail(start, `\N{...} is not supported here, write the character or \uXXXX`)
	case width > 0:
		digits := r.digits(width, 16)
		n, _ := strconv.ParseInt(digits, 16, 64)
		if len(digits) < width || n > utf8.MaxRune {
			r.fail(start, `bad escape \%c%s`, c, digits)
		}
		return rune(n)
	case c != 'b' && controls[c] != 0:
		return controls[c]
	case isASCIILetter(c):
		r.fail(start, `bad escape \%c`, c)
	}
	return c
}

// name reads the name of a group up to the character after it.
func (r *reader) name(end rune) string {
	start := r.pos
	for c := r.peek(); c != end && c != atEOF; c = r.peek() {
		r.pos++
	}
	name := string(r.src[start:r.pos])
	if !r.accept(end) || !pytext.StrIsIdentifier(name) {
		r.fail(start, "bad group name")
	}
	return name
}
