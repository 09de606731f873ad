package regex

import (
	"errors"
	"strconv"
	"unicode/utf8"
)

// ErrTooLarge ends a substitution whose result would be too large.
var ErrTooLarge = errors.New("the result of the substitution is too large")

// Template is a replacement as re.sub and Match.expand take it.
type Template struct {
	parts []part
	fixed int // bytes of all literals
}

// part is a literal, and the group that follows it; -1 for none.
type part struct {
	text  string
	group int
}

// ParseTemplate reads a replacement for a program's matches.
func ParseTemplate(text Text, p *Program) (*Template, *Error) {
	r := &replacement{reader: newReader(text), p: p}
	for c := r.next(); c != atEOF; c = r.next() {
		if c == '\\' {
			r.escape()
		} else {
			r.add(c)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	r.flush(-1)
	return &r.out, nil
}

// replacement reads a template.
type replacement struct {
	reader
	p       *Program
	out     Template
	literal []byte
}

// add adds a character to the literal.
func (r *replacement) add(c rune) {
	r.literal = utf8.AppendRune(r.literal, c)
}

// flush ends the literal with a group.
func (r *replacement) flush(group int) {
	r.out.parts = append(r.out.parts, part{string(r.literal), group})
	r.out.fixed += len(r.literal)
	r.literal = r.literal[:0]
}

// escape reads what follows a backslash.
func (r *replacement) escape() {
	start, c := r.pos-1, r.peek()
	switch {
	case isASCIIDigit(c):
		if c, group := r.number(); group > 0 {
			r.group(start+1, group)
		} else {
			r.add(c)
		}
	case c == 'g' && r.ahead("g<"):
		r.pos += 2
		if number := r.digits(5, 10); number != "" && r.accept('>') {
			group, _ := strconv.Atoi(number)
			r.group(start+3, group)
			return
		}
		r.pos = start + 3
		name := r.name('>')
		group, ok := r.p.Group(name)
		if !ok {
			r.fail(start, "unknown group name '%s'", name)
			return
		}
		r.group(start, group)
	case c == 'b':
		r.pos++
		r.add('\b')
	case controls[c] != 0 || isASCIILetter(c) || c == atEOF:
		if controls[c] == 0 {
			r.fail(start, "bad escape in the replacement")
		}
		r.add(r.character())
	default:
		r.add('\\')
	}
}

// group adds a group.
func (r *replacement) group(start, group int) {
	if group > r.p.groups {
		r.fail(start, "invalid group reference %d", group)
		return
	}
	r.flush(group)
}

// Expand appends to dst what the template makes of a match of a text. A group
// that took no part is empty.
func (t *Template) Expand(dst []byte, text Text, m *Match) []byte {
	for _, p := range t.parts {
		dst = append(dst, p.text...)
		if p.group < 0 {
			continue
		}
		if b, e, ok := m.Span(p.group); ok {
			dst = append(dst, text.Slice(b, e)...)
		}
	}
	return dst
}

// Size bounds the bytes that Expand appends.
func (t *Template) Size(text Text, m *Match) int {
	n := t.fixed
	for _, p := range t.parts {
		if p.group < 0 {
			continue
		}
		if b, e, ok := m.Span(p.group); ok {
			n += text.bound(e - b)
		}
	}
	return n
}

// Sub replaces the matches in a text, limit of them if limit is positive, and
// returns how many. It ends with [ErrTooLarge] before it makes more than size bytes.
func (p *Program) Sub(t Text, repl *Template, limit int, size int, budget *int64) (string, int, error) {
	var out []byte
	last, n := 0, 0
	for scan := p.Scan(t, 0, t.Len(), budget); limit <= 0 || n < limit; n++ {
		m, err := scan.Next()
		if err != nil {
			return "", n, err
		}
		if m == nil {
			break
		}
		begin, end, _ := m.Span(0)
		if len(out)+t.bound(begin-last)+repl.Size(t, m) > size {
			return "", n, ErrTooLarge
		}
		out = append(out, t.Slice(last, begin)...)
		out = repl.Expand(out, t, m)
		last = end
	}
	if n == 0 {
		return t.String(), 0, nil
	}
	if len(out)+t.bound(t.Len()-last) > size {
		return "", n, ErrTooLarge
	}
	return string(append(out, t.Slice(last, t.Len())...)), n, nil
}
