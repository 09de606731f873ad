package regex

import (
	"strconv"
)

// set reads a character set after its bracket.
func (p *parser) set() *node {
	here := p.tell() - 1
	n := &node{op: nodeSet}
	n.not = p.match('^')
	for {
		t := p.get()
		if t.end() {
			p.fail(p.tell()-here, "unterminated character set")
			return n
		}
		if t.is(']') && len(n.items) > 0 {
			return n
		}
		lo := p.member(t)
		if !p.match('-') {
			n.items = append(n.items, lo)
			continue
		}
		u := p.get()
		if u.end() {
			p.fail(p.tell()-here, "unterminated character set")
			return n
		}
		if u.is(']') {
			n.items = append(n.items, lo, item{lo: '-', hi: '-'})
			return n
		}
		hi := p.member(u)
		if lo.cat != noCategory || hi.cat != noCategory || hi.lo < lo.lo {
			p.fail(int(t.n)+1+int(u.n), "bad character range %s-%s", t.text(), u.text())
			return n
		}
		n.items = append(n.items, item{lo: lo.lo, hi: hi.lo})
	}
}

// member reads one character or category of a set, of which t is the beginning.
func (p *parser) member(t token) item {
	r := t.c
	if t.n == 2 {
		if cat := categoryOf(t.e); cat != noCategory {
			return item{cat: cat}
		}
		if t.octal2() {
			digits := string(t.e) + p.take(2, octals)
			n, _ := strconv.ParseInt(digits, 8, 32)
			if n > 0o377 {
				p.fail(1+len(digits), `octal escape value \%s outside of range 0-0o377`, digits)
			}
			r = rune(n)
		} else {
			r = p.character(t)
		}
	}
	return item{lo: r, hi: r}
}

// group reads what is in parentheses, after the first of them. It returns
// nil for a comment and for flags of the whole pattern; global reports these.
func (p *parser) group(verbose, first bool) (n *node, global bool) {
	start, before := p.tell()-1, len(p.widths)
	n = &node{op: nodeGroup}
	defer func() {
		if n != nil {
			n.groups = len(p.widths) - before
		}
	}()
	if !p.match('?') {
		p.openGroup(n, nil)
		p.body(n, verbose, start)
		return n, false
	}
	t := p.get()
	switch {
	case t.end():
		p.fail(0, "unexpected end of pattern")
		return nil, false
	case t.is('P'):
		return p.extension(n, verbose, start), false
	case t.is('#'):
		p.comment(start)
		return nil, false
	case t.in("=!<"):
		return p.look(t, verbose, start), false
	case t.is('('):
		p.fail(p.tell()-start, "a conditional is not supported here, write two patterns")
		return nil, false
	case t.is(':'):
	case t.is('>'):
		p.fail(p.tell()-start, "an atomic group is not supported here, write (?:")
	case flagOf(t) != 0 || t.is('-'):
		var whole bool
		n.add, n.del, whole = p.flagLetters(t)
		if whole {
			if !first {
				p.fail(p.tell()-start, "global flags not at the start of the expression")
			}
			return nil, true
		}
	default:
		p.fail(int(t.n)+1, "unknown extension ?%s", t.text())
		return nil, false
	}
	verbose = (verbose || n.add&Verbose != 0) && n.del&Verbose == 0
	p.body(n, verbose, start)
	return n, false
}

// openGroup gives a capturing group its number.
func (p *parser) openGroup(n *node, name []rune) {
	n.group = len(p.widths)
	if name != nil {
		s := encode(name)
		if old, ok := p.byName[s]; ok {
			p.fail(len(name)+1, "redefinition of group name %s as group %d; was group %d", quote(name, false), n.group, old)
		}
		p.byName[s] = n.group
		p.names = append(p.names, Name{s, n.group})
	}
	p.widths = append(p.widths, width{})
	p.open = append(p.open, true)
}

// body reads the inside of a group and its closing parenthesis.
func (p *parser) body(n *node, verbose bool, start int) {
	kid := p.alternatives(verbose, false)
	n.kids = []*node{kid}
	p.closing(start)
	if n.group > 0 && p.err == nil {
		p.widths[n.group] = kid.measure(p.widths)
		p.open[n.group] = false
	}
}

// closing reads the closing parenthesis of what began at start.
func (p *parser) closing(start int) {
	if !p.match(')') {
		p.fail(p.tell()-start, "missing ), unterminated subpattern")
	}
}

func (p *parser) comment(start int) {
	for {
		if p.next.end() {
			p.fail(p.tell()-start, "missing ), unterminated comment")
			return
		}
		if p.get().is(')') {
			return
		}
	}
}

// extension reads (?P, of which there are named groups and references to them.
func (p *parser) extension(n *node, verbose bool, start int) *node {
	if p.match('<') {
		name := p.until('>', "group name")
		p.name(name, 1)
		if p.err != nil {
			return nil
		}
		p.openGroup(n, name)
		p.body(n, verbose, start)
		return n
	}
	if !p.match('=') {
		t := p.get()
		if t.end() {
			p.fail(0, "unexpected end of pattern")
		} else {
			p.fail(int(t.n)+2, "unknown extension ?P%s", t.text())
		}
		return nil
	}
	name := p.until(')', "group name")
	p.name(name, 1)
	if group, ok := p.named(name); ok {
		return p.reference(group, len(name)+1)
	}
	return nil
}

// named finds a group by its name.
func (p *parser) named(name []rune) (int, bool) {
	if group, ok := p.byName[encode(name)]; ok {
		return group, true
	}
	p.fail(len(name)+1, "unknown group name %s", quote(name, false))
	return 0, false
}

// look reads lookahead and lookbehind; t is what followed the question mark.
func (p *parser) look(t token, verbose bool, start int) *node {
	n := &node{op: nodeLook}
	before := p.behind
	if t.is('<') {
		t = p.get()
		if t.end() {
			p.fail(0, "unexpected end of pattern")
			return nil
		}
		if !t.in("=!") {
			p.fail(int(t.n)+2, "unknown extension ?<%s", t.text())
			return nil
		}
		n.behind = true
		if before < 0 {
			p.behind = len(p.widths)
		}
	}
	n.not = t.is('!')
	n.kids = []*node{p.alternatives(verbose, false)}
	p.behind = before
	p.closing(start)
	return n
}

// flagOf is the flag of a letter, or 0.
func flagOf(t token) Flags {
	if t.n != 1 {
		return 0
	}
	switch t.c {
	case 'i':
		return IgnoreCase
	case 'm':
		return MultiLine
	case 's':
		return DotAll
	case 'x':
		return Verbose
	case 'a':
		return ASCII
	case 'u':
		return Unicode
	}
	return 0
}

// flagLetters reads flags; t is the first letter, or the minus. Whole says that
// they are for the whole pattern.
func (p *parser) flagLetters(t token) (add, del Flags, whole bool) {
	if !t.is('-') {
		add, t = p.addFlags(t)
		if p.err != nil {
			return 0, 0, false
		}
		if t.is(')') {
			p.flags |= add
			return 0, 0, true
		}
	}
	if t.is('-') {
		del = p.delFlags()
	}
	if add&del != 0 {
		p.fail(1, "bad inline flags: flag turned on and off")
	}
	return add, del, false
}

// addFlags reads the letters to turn on; end is the character after them.
func (p *parser) addFlags(t token) (add Flags, end token) {
	for {
		flag := flagOf(t)
		if flag == Unicode && p.bytes {
			p.fail(0, "bad inline flags: cannot use 'u' flag with a bytes pattern")
		}
		add |= flag
		if flag&typeFlags != 0 && add&typeFlags != flag {
			p.fail(0, "bad inline flags: flags 'a', 'u' and 'L' are incompatible")
		}
		t = p.get()
		switch {
		case t.end():
			p.fail(0, "missing -, : or )")
			return add, t
		case t.in(")-:"):
			return add, t
		case flagOf(t) != 0:
		case isLetter(t):
			p.fail(int(t.n), "unknown flag")
		default:
			p.fail(int(t.n), "missing -, : or )")
		}
	}
}

// delFlags reads the letters to turn off, and the colon.
func (p *parser) delFlags() (del Flags) {
	t, missing := p.get(), "missing flag"
	for {
		flag := flagOf(t)
		switch {
		case t.end():
			p.fail(0, "%s", missing)
			return del
		case flag != 0:
		case isLetter(t):
			p.fail(int(t.n), "unknown flag")
		default:
			p.fail(int(t.n), "%s", missing)
		}
		if flag&typeFlags != 0 {
			p.fail(0, "bad inline flags: cannot turn off flags 'a', 'u' and 'L'")
		}
		del |= flag
		t, missing = p.get(), "missing :"
		if t.is(':') {
			return del
		}
	}
}
