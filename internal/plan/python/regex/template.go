package regex

import (
	"errors"
	"strconv"
	"strings"
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
	r := &replacement{tokens: newTokens(text), p: p}
	for {
		t := r.get()
		if r.err != nil {
			return nil, r.err
		}
		if t.end() {
			break
		}
		if t.n == 2 {
			r.escape(t)
		} else {
			r.add(t.c)
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
	tokens
	p       *Program
	out     Template
	literal []byte
}

// add adds a character to the literal.
func (r *replacement) add(c rune) {
	if r.bytes {
		r.literal = append(r.literal, byte(c))
	} else {
		r.literal = appendRune(r.literal, c)
	}
}

// flush ends the literal with a group.
func (r *replacement) flush(group int) {
	r.out.parts = append(r.out.parts, part{string(r.literal), group})
	r.out.fixed += len(r.literal)
	r.literal = r.literal[:0]
}

// group adds a group, whose text in the template began offset characters ago.
func (r *replacement) group(group, offset int) {
	if group > r.p.groups {
		r.fail(offset, "invalid group reference %d", group)
		return
	}
	r.flush(group)
}

func (r *replacement) escape(t token) {
	switch {
	case t.e == 'g':
		r.named()
	case t.e == '0':
		n, _ := strconv.ParseInt("0"+r.take(2, octals), 8, 32)
		r.add(rune(n & 0xFF))
	case t.e >= '1' && t.e <= '9':
		r.numbered(t)
	case strings.ContainsRune("abfnrtv\\", t.e):
		r.add(map[rune]rune{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '\\': '\\'}[t.e])
	case isASCIILetter(t.e):
		r.fail(2, "bad escape %s", t.text())
	default:
		r.add('\\')
		r.add(t.e)
	}
}

// named reads \g<name>.
func (r *replacement) named() {
	if !r.match('<') {
		r.fail(0, "missing <")
		return
	}
	name := r.until('>', "group name")
	if r.err != nil {
		return
	}
	if isNumber(name) {
		digits := strings.TrimLeft(string(name), "0")
		group, err := strconv.Atoi("0" + digits)
		if err != nil || group >= maxGroup {
			r.fail(len(name)+1, "invalid group reference %s", digits)
			return
		}
		r.group(group, len(name)+1)
		return
	}
	r.name(name, 1)
	if r.err != nil {
		return
	}
	group, ok := r.p.Group(encode(name))
	if !ok {
		r.failAt(Index, "unknown group name "+quote(name, false), -1)
		return
	}
	r.group(group, len(name)+1)
}

// numbered reads \1 and the like, and three octal digits.
func (r *replacement) numbered(t token) {
	digits := []rune{t.e}
	if r.next.digit() {
		digits = append(digits, r.get().c)
		if t.octal2() && digits[1] <= '7' && r.next.octal() {
			digits = append(digits, r.get().c)
			n, _ := strconv.ParseInt(string(digits), 8, 32)
			if n > 0o377 {
				r.fail(4, `octal escape value \%s outside of range 0-0o377`, string(digits))
			}
			r.add(rune(n))
			return
		}
	}
	group, _ := strconv.Atoi(string(digits))
	r.group(group, len(digits))
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
