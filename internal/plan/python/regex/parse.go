package regex

import (
	"math"
	"strconv"
	"strings"
)

// maxNesting bounds the nesting of groups.
const maxNesting = 500

// parser reads a pattern into a tree.
type parser struct {
	reader
	flags  Flags // in force here
	names  []Name
	byName map[string]int
	groups []*node // nil while a group is open; the first is not used
	sets   map[setKey]*charset
	depth  int
}

// setKey is the source of a set of characters.
type setKey struct {
	src   string
	flags Flags
}

func parse(pattern Text, flags Flags) (*parser, *node, *Error) {
	p := &parser{
		reader: newReader(pattern),
		flags:  flags,
		groups: make([]*node, 1),
		byName: map[string]int{},
		sets:   map[setKey]*charset{},
	}
	switch {
	case flags&Locale != 0:
		p.fail(0, "the LOCALE flag is not supported here")
	case flags&Unicode != 0 && flags&ASCII != 0:
		p.fail(0, "the UNICODE flag does not fit the ASCII flag")
	case flags&ASCII == 0:
		p.flags |= Unicode
	}
	p.globalFlags()
	tree := p.alternatives()
	if p.peek() == ')' {
		p.fail(p.pos, "unbalanced parenthesis")
	}
	if p.err != nil {
		return nil, nil, p.err
	}
	return p, tree, nil
}

// globalFlags reads (?i) and the like at the beginning of the pattern.
func (p *parser) globalFlags() {
	for p.skip(); p.ahead("(?"); p.skip() {
		start := p.pos
		p.pos += 2
		add := p.flagLetters()
		if add == 0 || !p.accept(')') {
			p.pos = start
			return
		}
		p.flags = p.combine(start, add, 0)
	}
}

// combine gives the flags after some are turned on and off.
func (p *parser) combine(start int, add, del Flags) Flags {
	if kinds := add & typeFlags; kinds == typeFlags&^Locale || del&typeFlags != 0 || add&del != 0 {
		p.fail(start, "the inline flags do not fit each other or the pattern")
	}
	flags := p.flags
	if add&typeFlags != 0 {
		flags &^= typeFlags
	}
	return (flags | add) &^ del
}

// flagLetters reads the letters of flags.
func (p *parser) flagLetters() (flags Flags) {
	for {
		flag, ok := letterFlags[p.peek()]
		if !ok {
			return flags
		}
		flags |= flag
		p.pos++
	}
}

var letterFlags = map[rune]Flags{'i': IgnoreCase, 'm': MultiLine, 's': DotAll, 'x': Verbose, 'a': ASCII, 'u': Unicode}

// skip skips what means nothing in a verbose pattern.
func (p *parser) skip() {
	for p.flags&Verbose != 0 {
		switch c := p.peek(); {
		case c == '#':
			for c = p.next(); c != '\n' && c != atEOF; {
				c = p.next()
			}
		case c != atEOF && strings.ContainsRune(" \t\n\r\v\f", c):
			p.pos++
		default:
			return
		}
	}
}

// alternatives reads a|b|c up to a parenthesis or the end.
func (p *parser) alternatives() *node {
	if p.depth++; p.depth > maxNesting {
		p.fail(p.pos, "the groups are nested too deep")
	}
	defer func() { p.depth-- }()
	kids := []*node{p.sequence()}
	for p.accept('|') {
		kids = append(kids, p.sequence())
	}
	if len(kids) == 1 {
		return kids[0]
	}
	return &node{op: nodeAlt, kids: kids}
}

// sequence reads items one after the other up to a bar, a parenthesis or the end.
func (p *parser) sequence() *node {
	seq := &node{}
	for {
		p.skip()
		if c := p.peek(); c == atEOF || c == '|' || c == ')' {
			return seq
		}
		start := p.pos
		if lo, hi, ok := p.quantifier(); ok {
			p.repeat(start, lo, hi, seq)
		} else if n := p.atom(); n != nil {
			seq.kids = append(seq.kids, n)
		}
	}
}

// atom reads an item of a sequence; nil stands for nothing.
func (p *parser) atom() *node {
	switch c := p.next(); c {
	case '\\':
		return p.escape()
	case '[':
		return p.set()
	case '(':
		return p.group()
	case '.':
		if p.flags&DotAll != 0 {
			return &node{op: nodeAll}
		}
		return &node{op: nodeAny}
	case '^':
		return p.place(atBeginning)
	case '$':
		return p.place(atEnd)
	default:
		return p.literal(c)
	}
}

// place is a position under the flags.
func (p *parser) place(at position) *node {
	switch {
	case at == atBeginning && p.flags&MultiLine != 0:
		at = atBeginningLine
	case at == atEnd && p.flags&MultiLine != 0:
		at = atEndLine
	case at == atBoundary && p.flags&Unicode == 0:
		at = atBoundaryASCII
	case at == atNotBoundary && p.flags&Unicode == 0:
		at = atNotBoundaryASCII
	}
	return &node{op: nodeAt, at: at}
}

func (p *parser) literal(r rune) *node {
	if p.flags&IgnoreCase == 0 {
		return &node{op: nodeChar, r: r}
	}
	s := p.charset(string([]rune{r}), []item{{lo: r, hi: r}}, false)
	if s.alone() {
		return &node{op: nodeChar, r: r}
	}
	return &node{op: nodeSet, set: s}
}

// charset is the set of the characters that src describes.
func (p *parser) charset(src string, items []item, not bool) *charset {
	key := setKey{src, p.flags & (IgnoreCase | Unicode)}
	s := p.sets[key]
	if s == nil {
		s = newCharset(items, not, p.flags)
		p.sets[key] = s
	}
	return s
}

// quantifier reads *, +, ? or {lo,hi}. A brace that begins no quantifier is a
// character.
func (p *parser) quantifier() (lo, hi int64, ok bool) {
	start := p.pos
	switch p.peek() {
	case '?':
		hi = 1
	case '*':
		hi = infinite
	case '+':
		lo, hi = 1, infinite
	case '{':
		p.pos++
		low := p.digits(math.MaxInt, 10)
		high, comma := low, p.accept(',')
		if comma {
			high = p.digits(math.MaxInt, 10)
		}
		if p.peek() != '}' || low == "" && !comma {
			p.pos = start
			return 0, 0, false
		}
		lo, hi = p.count(low, 0), p.count(high, infinite)
	default:
		return 0, 0, false
	}
	p.pos++
	if hi < lo {
		p.fail(start+1, "min repeat greater than max repeat")
	}
	return lo, hi, true
}

func (p *parser) count(digits string, none int64) int64 {
	if digits == "" {
		return none
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n >= infinite {
		p.fail(p.pos, "the repetition number is too large")
	}
	return n
}

// repeat wraps the last node of seq.
func (p *parser) repeat(start int, lo, hi int64, seq *node) {
	if len(seq.kids) == 0 || seq.kids[len(seq.kids)-1].op == nodeAt {
		p.fail(start, "nothing to repeat")
		return
	}
	last := &seq.kids[len(seq.kids)-1]
	if (*last).op == nodeRepeat {
		p.fail(start, "multiple repeat")
	}
	*last = &node{op: nodeRepeat, kids: []*node{*last}, min: lo, max: hi, lazy: p.accept('?')}
	if p.peek() == '+' {
		p.fail(p.pos, "a possessive repeat is not supported here, leave out the +")
	}
}

var (
	places     = map[rune]position{'A': atBeginningString, 'b': atBoundary, 'B': atNotBoundary, 'z': atEndString, 'Z': atEndString}
	categories = map[rune]category{
		'd': catDigit, 'D': catNotDigit, 's': catSpace, 'S': catNotSpace, 'w': catWord, 'W': catNotWord,
	}
)

// escape reads what follows a backslash outside of a set.
func (p *parser) escape() *node {
	start, c := p.pos-1, p.peek()
	if at, ok := places[c]; ok {
		p.pos++
		return p.place(at)
	}
	if cat, ok := categories[c]; ok {
		p.pos++
		return &node{op: nodeSet, set: p.charset(`\`+string(c), []item{{cat: cat}}, false)}
	}
	if isASCIIDigit(c) {
		r, group := p.number()
		if group > 0 {
			return p.reference(start, group)
		}
		return p.literal(r)
	}
	return p.literal(p.character())
}

// reference is what a group has matched.
func (p *parser) reference(start, group int) *node {
	if group >= len(p.groups) || p.groups[group] == nil {
		p.fail(start, "group %d is not complete here", group)
		return nil
	}
	return &node{op: nodeRef, group: group, mode: modeOf(p.flags), width: p.groups[group].measure(), measured: true}
}

// set reads a set of characters after its bracket.
func (p *parser) set() *node {
	start := p.pos - 1
	not := p.accept('^')
	var items []item
	for len(items) == 0 || !p.accept(']') {
		if p.peek() == atEOF {
			p.fail(start, "unterminated character set")
			return nil
		}
		at := p.pos
		it := p.member()
		if p.peek() == '-' && !p.ahead("-]") {
			p.pos++
			hi := p.member()
			if it.cat != noCategory || hi.cat != noCategory || hi.lo < it.lo {
				p.fail(at, "bad character range %s", string(p.src[at:p.pos]))
			}
			it.hi = hi.lo
		}
		items = append(items, it)
	}
	return &node{op: nodeSet, set: p.charset(string(p.src[start:p.pos]), items, not)}
}

// member reads one character or category of a set.
func (p *parser) member() item {
	c := p.next()
	if c == '\\' {
		switch c = p.peek(); {
		case categories[c] != noCategory:
			p.pos++
			return item{cat: categories[c]}
		case c == 'b':
			p.pos++
			c = '\b'
		case isASCIIDigit(c):
			c = p.octal(p.digits(3, 8))
		default:
			c = p.character()
		}
	}
	return item{lo: c, hi: c}
}

// group reads what is in parentheses, after the first of them; nil stands for a
// comment.
func (p *parser) group() *node {
	start, outer := p.pos-1, p.flags
	n := &node{op: nodeGroup}
	if !p.accept('?') {
		p.open(start, n, "")
		p.body(start, n)
		return n
	}
	switch c := p.next(); {
	case c == ':':
	case c == '#':
		for c = p.next(); c != ')'; c = p.next() {
			if c == atEOF {
				p.fail(start, "unterminated comment")
				return nil
			}
		}
		return nil
	case c == 'P' && p.accept('='):
		name := p.name(')')
		group, ok := p.byName[name]
		if !ok {
			p.fail(start, "unknown group name '%s'", name)
		}
		return p.reference(start, group)
	case c == 'P' && p.accept('<'):
		p.open(start, n, p.name('>'))
	case c == '=' || c == '!':
		n.op, n.not = nodeLook, c == '!'
	case c == '<' && (p.peek() == '=' || p.peek() == '!'):
		n.op, n.behind, n.not = nodeLook, true, p.next() == '!'
	case c == '(':
		p.fail(start, "a conditional is not supported here, write two patterns")
	case c == '>':
		p.fail(start, "an atomic group is not supported here, write (?:")
	default:
		p.pos--
		p.scopedFlags(start)
	}
	p.body(start, n)
	p.flags = outer
	return n
}

// scopedFlags reads the flags of a group and the colon.
func (p *parser) scopedFlags(start int) {
	add, del := p.flagLetters(), Flags(0)
	if p.accept('-') {
		del = p.flagLetters()
	}
	switch {
	case add|del != 0 && p.peek() == ')':
		p.fail(start, "flags for the whole pattern must be at its start")
	case add|del == 0 || !p.accept(':'):
		p.fail(start, "unknown extension (?%s", string(p.src[min(start+2, len(p.src)):min(p.pos+1, len(p.src))]))
	}
	p.flags = p.combine(start, add, del)
}

// open gives a capturing group its number.
func (p *parser) open(start int, n *node, name string) {
	n.group = len(p.groups)
	p.groups = append(p.groups, nil)
	if name == "" {
		return
	}
	if old, ok := p.byName[name]; ok {
		p.fail(start+4, "redefinition of group name '%s' as group %d; was group %d", name, n.group, old)
	}
	p.byName[name] = n.group
	p.names = append(p.names, Name{name, n.group})
}

// body reads the inside of a group and its closing parenthesis.
func (p *parser) body(start int, n *node) {
	n.kids = []*node{p.alternatives()}
	if !p.accept(')') {
		p.fail(start, "missing ), unterminated subpattern")
	}
	if n.group > 0 {
		p.groups[n.group] = n
	}
	if w := n.kids[0].measure(); n.behind && (w.min != w.max || w.min > infinite) {
		p.fail(start, "look-behind requires fixed-width pattern")
	}
}
