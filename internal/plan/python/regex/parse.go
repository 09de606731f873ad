package regex

import (
	"strconv"
)

const (
	// maxNesting is the nesting of groups at which CPython's parser runs out of
	// stack, rounded.
	maxNesting = 500
	// maxGroup is above every number of a group.
	maxGroup = 1073741823
)

// parser reads a pattern into a tree.
type parser struct {
	tokens
	flags  Flags
	names  []Name
	widths []width // of the groups; the first is not used
	open   []bool  // by group
	byName map[string]int

	behind int // groups that were there when the outermost lookbehind began; -1 outside
	depth  int
}

func parse(pattern Text, flags Flags) (*parser, *node, *Error) {
	p := &parser{
		tokens: newTokens(pattern),
		flags:  flags,
		widths: make([]width, 1),
		open:   make([]bool, 1),
		behind: -1,
		byName: map[string]int{},
	}
	tree := p.alternatives(flags&Verbose != 0, true)
	if p.err != nil {
		return nil, nil, p.err
	}
	p.fixFlags()
	if !p.next.end() {
		p.fail(0, "unbalanced parenthesis")
	}
	if p.err != nil {
		return nil, nil, p.err
	}
	return p, tree, nil
}

// fixFlags checks the flags against the pattern's type, and completes them.
func (p *parser) fixFlags() {
	switch {
	case p.flags&Locale != 0:
		p.failAt(Value, "the LOCALE flag is not supported here", -1)
	case !p.bytes && p.flags&ASCII == 0:
		p.flags |= Unicode
	case !p.bytes && p.flags&Unicode != 0:
		p.failAt(Value, "ASCII and UNICODE flags are incompatible", -1)
	case p.bytes && p.flags&Unicode != 0:
		p.failAt(Value, "cannot use UNICODE flag with a bytes pattern", -1)
	}
}

// enter goes one level deeper, and reports whether that is allowed.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxNesting {
		p.failAt(Recursion, "maximum recursion depth exceeded", -1)
		return false
	}
	return true
}

// alternatives reads a|b|c up to a parenthesis or the end.
func (p *parser) alternatives(verbose, outermost bool) *node {
	if !p.enter() {
		return &node{}
	}
	defer func() { p.depth-- }()
	var items []*node
	for {
		items = append(items, p.sequence(verbose, outermost && len(items) == 0))
		if !p.match('|') {
			break
		}
		if outermost {
			verbose = p.flags&Verbose != 0
		}
	}
	if len(items) == 1 {
		return items[0]
	}
	return &node{op: nodeAlt, kids: items}
}

// sequence reads items one after the other up to a bar, a parenthesis or the
// end. Flags for the whole pattern may be in the first one alone.
func (p *parser) sequence(verbose, first bool) *node {
	seq := &node{}
	for {
		t := p.next
		if t.end() || t.in("|)") {
			return seq
		}
		p.advance()
		if verbose {
			if t.in(" \t\n\r\v\f") {
				continue
			}
			if t.is('#') {
				for c := p.get(); !c.end() && !c.is('\n'); {
					c = p.get()
				}
				continue
			}
		}
		var n *node
		switch {
		case t.n == 2:
			n = p.escape(t)
		case t.is('['):
			n = p.set()
		case t.in("*+?{"):
			n = p.repeat(t, seq)
		case t.is('.'):
			n = &node{op: nodeAny}
		case t.is('('):
			var global bool
			n, global = p.group(verbose, first && len(seq.kids) == 0)
			if global {
				verbose = p.flags&Verbose != 0
			}
		case t.is('^'):
			n = &node{op: nodeAt, at: atBeginning}
		case t.is('$'):
			n = &node{op: nodeAt, at: atEnd}
		default:
			n = literal(t.c)
		}
		if n != nil {
			seq.kids = append(seq.kids, n)
		}
	}
}

func literal(r rune) *node { return &node{op: nodeSet, items: []item{{lo: r, hi: r}}} }

// repeat reads the rest of a quantifier, whose first character is t, and wraps
// the last node of seq. A brace that begins no quantifier is given back as a
// literal.
func (p *parser) repeat(t token, seq *node) *node {
	here := p.tell()
	var lo, hi int64
	switch t.c {
	case '?':
		hi = 1
	case '*':
		hi = infinite
	case '+':
		lo, hi = 1, infinite
	case '{':
		if p.next.is('}') {
			return literal('{')
		}
		var ok bool
		if lo, hi, ok = p.braces(here); !ok {
			return literal('{')
		}
	}
	if len(seq.kids) == 0 || seq.kids[len(seq.kids)-1].op == nodeAt {
		p.fail(p.tell()-here+1, "nothing to repeat")
		return nil
	}
	last := &seq.kids[len(seq.kids)-1]
	if (*last).op == nodeRepeat {
		p.fail(p.tell()-here+1, "multiple repeat")
		return nil
	}
	n := &node{op: nodeRepeat, kids: []*node{*last}, min: lo, max: hi, groups: (*last).groups}
	if p.match('?') {
		n.mode = lazy
	} else if p.match('+') {
		p.fail(p.tell()-here, "a possessive repeat is not supported here, leave out the +")
	}
	*last = n
	return nil
}

// braces reads {lo,hi} after the brace; ok is false when it is not that, and
// then nothing is read.
func (p *parser) braces(here int) (lo, hi int64, ok bool) {
	low := p.digits()
	high := low
	if p.match(',') {
		high = p.digits()
	}
	if !p.match('}') {
		if p.err == nil {
			p.seek(here)
		}
		return 0, 0, false
	}
	lo, hi = 0, infinite
	if low != "" {
		lo = p.count(low)
	}
	if high != "" {
		hi = p.count(high)
		if hi < lo {
			p.fail(p.tell()-here, "min repeat greater than max repeat")
		}
	}
	return lo, hi, true
}

func (p *parser) digits() string {
	var b []byte
	for p.next.digit() {
		b = append(b, byte(p.get().c))
	}
	return string(b)
}

func (p *parser) count(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n >= infinite {
		p.failAt(Overflow, "the repetition number is too large", -1)
	}
	return n
}

// escape reads what a backslash begins outside of a set.
func (p *parser) escape(t token) *node {
	switch t.e {
	case 'A':
		return &node{op: nodeAt, at: atBeginningString}
	case 'b':
		return &node{op: nodeAt, at: atBoundary}
	case 'B':
		return &node{op: nodeAt, at: atNotBoundary}
	case 'z', 'Z':
		return &node{op: nodeAt, at: atEndString}
	}
	if cat := categoryOf(t.e); cat != noCategory {
		return &node{op: nodeSet, items: []item{{cat: cat}}}
	}
	switch {
	case t.e == '0':
		n, _ := strconv.ParseInt("0"+p.take(2, octals), 8, 32)
		return literal(rune(n))
	case t.e >= '1' && t.e <= '9':
		return p.numbered(t)
	}
	return literal(p.character(t))
}

const (
	octals = "01234567"
	hexes  = "0123456789abcdefABCDEF"
)

func categoryOf(e rune) category {
	switch e {
	case 'd':
		return catDigit
	case 'D':
		return catNotDigit
	case 's':
		return catSpace
	case 'S':
		return catNotSpace
	case 'w':
		return catWord
	case 'W':
		return catNotWord
	}
	return noCategory
}

// numbered reads a backslash with a digit but zero: a reference to a group, or
// three octal digits.
func (p *parser) numbered(t token) *node {
	digits := []rune{t.e}
	if p.next.digit() {
		digits = append(digits, p.get().c)
		if t.octal2() && digits[1] <= '7' && p.next.octal() {
			digits = append(digits, p.get().c)
			n, _ := strconv.ParseInt(string(digits), 8, 32)
			if n > 0o377 {
				p.fail(4, `octal escape value \%s outside of range 0-0o377`, string(digits))
			}
			return literal(rune(n))
		}
	}
	group, _ := strconv.Atoi(string(digits))
	if group >= len(p.widths) {
		p.fail(len(digits), "invalid group reference %d", group)
		return nil
	}
	return p.reference(group, len(digits)+1)
}

// octal2 reports whether the escaped character is an octal digit.
func (t token) octal2() bool { return t.e >= '0' && t.e <= '7' }

// reference makes a back reference; its text is offset characters long.
func (p *parser) reference(group, offset int) *node {
	if p.open[group] {
		p.fail(offset, "cannot refer to an open group")
		return nil
	}
	p.checkBehind(group)
	return &node{op: nodeRef, group: group}
}

// checkBehind refuses references within a lookbehind to groups of the same.
func (p *parser) checkBehind(group int) {
	switch {
	case p.behind < 0:
	case group >= len(p.open) || p.open[group]:
		p.fail(0, "cannot refer to an open group")
	case group >= p.behind:
		p.fail(0, "cannot refer to group defined in the same lookbehind subpattern")
	}
}

// character reads the escapes that stand for one character, in sets and outside.
func (p *parser) character(t token) rune {
	switch t.e {
	case 'a':
		return '\a'
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'v':
		return '\v'
	case 'x':
		return p.hex(t, 2)
	}
	if !p.bytes {
		switch t.e {
		case 'u':
			return p.hex(t, 4)
		case 'U':
			return p.hex(t, 8)
		case 'N':
			p.characterName()
			return 0
		}
	}
	if t.e < 0x80 && (isASCIILetter(t.e) || t.e >= '0' && t.e <= '9') {
		p.fail(2, "bad escape %s", t.text())
	}
	return t.e
}

func isASCIILetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// hex reads n hexadecimal digits.
func (p *parser) hex(t token, n int) rune {
	digits := p.take(n, hexes)
	if len(digits) < n {
		p.fail(2+len(digits), "incomplete escape %s%s", t.text(), digits)
		return 0
	}
	r, _ := strconv.ParseInt(digits, 16, 64)
	if r > 0x10FFFF {
		p.fail(2+len(digits), "bad escape %s%s", t.text(), digits)
		return 0
	}
	return rune(r)
}

// characterName refuses a character given by its name.
func (p *parser) characterName() {
	if !p.match('{') {
		p.fail(0, "missing {")
		return
	}
	name := p.until('}', "character name")
	p.fail(len(name)+4, `\N{%s} is not supported here, write the character or \uXXXX`, encode(name))
}
