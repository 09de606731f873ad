package regex

import (
	"fmt"
	"strconv"
	"strings"
)

// opcode is what an instruction of the backtracker does.
type opcode uint8

const (
	opFail       opcode = iota
	opMatch             // the pattern has matched
	opChar              // the character r
	opSet               // a character of set
	opAny               // a character but a newline
	opAll               // a character
	opJump              // to x
	opSplit             // to x, or else to y
	opSave              // the position, in register x
	opClose             // the same, and the end of a group: x its register
	opAt                // at
	opRun               // min to max characters (unit, r, set), the most first
	opRunLazy           // the fewest first
	opLoop              // begin a loop: x its registers; goes on to the next instruction
	opAgain             // decide on an iteration: x registers, y body; after the loop is the next
	opAgainLazy         // the same, preferring to leave
	opLook              // begin lookahead (min 0) or lookbehind by min: y what follows the assertion if it is negated and holds
	opLookNot           // the same, negated
	opLookEnd           // it holds: forget its alternatives
	opLookNotEnd        // what must not match did
	opRef               // what group x matched, compared as mode says
)

// inst is one instruction.
type inst struct {
	op   opcode
	unit opcode // of the runs: opChar, opSet, opAny or opAll
	at   position
	mode caseMode
	// Of the runs: no shorter run than the longest can be followed by what
	// follows, in a text of one byte a character, and in any other.
	soloNarrow, soloWide bool

	x, y     int32
	r        rune
	next     rune // of the runs: the character that must follow, or -1
	min, max int64
	set      *charset
}

// maxPattern bounds the characters of a pattern, maxCode the instructions of a
// program.
const (
	maxPattern = 1 << 18
	maxCode    = 1 << 19
)

// generator writes the backtracker's code.
type generator struct {
	p      *Program
	widths []width // of the groups
	pure   bool    // nothing in the program looks at what groups have matched
	sets   setCache
	err    *Error
}

// setCache finds the sets of a pattern that are the same.
type setCache map[string]*charset

// of makes the set of a node under some flags.
func (c setCache) of(n *node, flags Flags) *charset {
	flags &= IgnoreCase | Unicode
	var b strings.Builder
	b.WriteString(strconv.Itoa(int(flags)))
	if n.not {
		b.WriteByte('^')
	}
	for _, it := range n.items {
		b.WriteString(" " + strconv.Itoa(int(it.lo)) + "-" + strconv.Itoa(int(it.hi)) + "/" + strconv.Itoa(int(it.cat)))
	}
	key := b.String()
	s := c[key]
	if s == nil {
		s = newCharset(n.items, n.not, flags)
		c[key] = s
	}
	return s
}

// generate writes the code of a parsed program.
func generate(p *Program, widths []width) *Error {
	g := &generator{p: p, widths: widths, pure: !looksBack(p.tree), sets: setCache{}}
	p.regs = 2*(p.groups+1) + 1
	p.bare = true
	g.node(p.tree, p.flags)
	g.emit(inst{op: opMatch})
	if g.err != nil {
		return g.err
	}
	p.minimum = int(min(p.tree.measure(widths).min, 1<<31))
	p.finish()
	return nil
}

func (g *generator) fail(kind Kind, format string, args ...any) {
	if g.err == nil {
		g.err = &Error{Kind: kind, Msg: fmt.Sprintf(format, args...), Pos: -1}
	}
}

// emit appends an instruction and returns its place.
func (g *generator) emit(in inst) int32 {
	if len(g.p.code) >= maxCode {
		g.fail(Memory, "the regular expression is too large")
		return 0
	}
	g.p.code = append(g.p.code, in)
	return int32(len(g.p.code) - 1)
}

// here is the place of the next instruction.
func (g *generator) here() int32 { return int32(len(g.p.code)) }

// registers reserves n registers and returns the first.
func (g *generator) registers(n int) int32 {
	r := g.p.regs
	g.p.regs += n
	return int32(r)
}

// combine gives the flags within a group that changes them.
func combine(flags, add, del Flags) Flags {
	if add&typeFlags != 0 {
		flags &^= typeFlags
	}
	return (flags | add) &^ del
}

// node writes the code of a node.
func (g *generator) node(n *node, flags Flags) {
	if n == nil || g.err != nil {
		return
	}
	switch n.op {
	case nodeSeq:
		for _, k := range n.kids {
			g.node(k, flags)
		}
	case nodeAlt:
		g.alternatives(n, flags)
	case nodeSet, nodeAny:
		g.emit(g.unit(n, flags))
	case nodeAt:
		g.emit(inst{op: opAt, at: placed(n.at, flags)})
	case nodeRepeat:
		g.repeat(n, flags)
	case nodeGroup:
		if n.group > 0 {
			g.emit(inst{op: opSave, x: int32(2 * n.group)})
		}
		g.node(n.kids[0], combine(flags, n.add, n.del))
		if n.group > 0 {
			g.emit(inst{op: opClose, x: int32(2*n.group + 1)})
		}
	case nodeLook:
		g.look(n, flags)
	case nodeRef:
		g.p.bare = false
		g.emit(inst{op: opRef, x: int32(n.group), mode: modeOf(flags)})
	}
}

// placed is what a position means under some flags.
func placed(at position, flags Flags) position {
	switch {
	case at == atBeginning && flags&MultiLine != 0:
		return atBeginningLine
	case at == atEnd && flags&MultiLine != 0:
		return atEndLine
	case at == atBoundary && flags&Unicode == 0:
		return atBoundaryASCII
	case at == atNotBoundary && flags&Unicode == 0:
		return atNotBoundaryASCII
	}
	return at
}

// unit is the instruction that matches one character.
func (g *generator) unit(n *node, flags Flags) inst { return unitOf(n, flags, g.sets) }

func unitOf(n *node, flags Flags, sets setCache) inst {
	if n.op == nodeAny {
		if flags&DotAll != 0 {
			return inst{op: opAll}
		}
		return inst{op: opAny}
	}
	if !n.not && len(n.items) == 1 && n.items[0].cat == noCategory && flags&IgnoreCase == 0 && n.items[0].lo == n.items[0].hi {
		return inst{op: opChar, r: n.items[0].lo}
	}
	s := sets.of(n, flags)
	if r, ok := s.alone(); ok {
		return inst{op: opChar, r: r}
	}
	return inst{op: opSet, set: s}
}

func (g *generator) alternatives(n *node, flags Flags) {
	var jumps []int32
	for i, k := range n.kids {
		last := i == len(n.kids)-1
		split := int32(-1)
		if !last {
			split = g.emit(inst{op: opSplit})
			g.p.code[split].x = g.here()
		}
		g.node(k, flags)
		if g.err != nil {
			return
		}
		if !last {
			jumps = append(jumps, g.emit(inst{op: opJump}))
			g.p.code[split].y = g.here()
		}
	}
	for _, j := range jumps {
		g.p.code[j].x = g.here()
	}
}

func (g *generator) repeat(n *node, flags Flags) {
	kid := n.kids[0]
	if s := kid.single(); s != nil {
		in := g.unit(s, flags)
		in.unit, in.min, in.max = in.op, n.min, n.max
		switch n.mode {
		case greedy:
			in.op = opRun
		case lazy:
			in.op = opRunLazy
		}
		g.emit(in)
		return
	}
	low, high := n.min, n.max
	w := kid.measure(g.widths)
	if w.max == 0 && g.pure {
		// What is empty is the same the second time.
		low, high = min(low, 1), min(high, 1)
	}
	switch {
	case high == 0:
		// CPython finds errors even in what is never matched.
		begin := len(g.p.code)
		g.node(kid, flags)
		g.p.code = g.p.code[:begin]
	case low == 1 && high == 1:
		g.node(kid, flags)
	case low == 0 && high == 1:
		g.option(kid, flags, n.mode == lazy)
	case low <= 1 && high == infinite && w.min > 0:
		g.star(kid, flags, low == 1, n.mode == lazy)
	case n.mode == lazy:
		g.loop(kid, flags, low, high, opAgainLazy)
	default:
		g.loop(kid, flags, low, high, opAgain)
	}
}

// looksBack reports whether something in n looks at what groups have matched.
func looksBack(n *node) bool {
	if n == nil {
		return false
	}
	if n.op == nodeRef {
		return true
	}
	for _, k := range n.kids {
		if looksBack(k) {
			return true
		}
	}
	return false
}

// option writes x?.
func (g *generator) option(kid *node, flags Flags, reluctant bool) {
	split := g.emit(inst{op: opSplit})
	body := g.here()
	g.node(kid, flags)
	if g.err == nil {
		g.p.code[split].x, g.p.code[split].y = order(body, g.here(), reluctant)
	}
}

func order(body, after int32, reluctant bool) (x, y int32) {
	if reluctant {
		return after, body
	}
	return body, after
}

// star writes x* and x+ where x is never empty.
func (g *generator) star(kid *node, flags Flags, once, reluctant bool) {
	split := int32(-1)
	if !once {
		split = g.emit(inst{op: opSplit})
	}
	body := g.here()
	g.node(kid, flags)
	if g.err != nil {
		return
	}
	if once {
		s := g.emit(inst{op: opSplit})
		if g.err == nil {
			g.p.code[s].x, g.p.code[s].y = order(body, s+1, reluctant)
		}
		return
	}
	g.emit(inst{op: opJump, x: split})
	if g.err == nil {
		g.p.code[split].x, g.p.code[split].y = order(body, g.here(), reluctant)
	}
}

// loop writes a repeat whose iterations are counted, or can be empty.
func (g *generator) loop(kid *node, flags Flags, low, high int64, op opcode) {
	regs := g.registers(2)
	g.emit(inst{op: opLoop, x: regs})
	again := g.emit(inst{op: op, x: regs, min: low, max: high})
	jump := g.emit(inst{op: opJump})
	body := g.here()
	g.node(kid, flags)
	g.emit(inst{op: opJump, x: again})
	if g.err == nil {
		g.p.code[again].y = body
		g.p.code[jump].x = g.here()
	}
}

func (g *generator) look(n *node, flags Flags) {
	g.p.bare = false
	in := inst{op: opLook}
	if n.behind {
		w := n.kids[0].measure(g.widths)
		switch {
		case w.min > infinite:
			g.fail(Pattern, "looks too much behind")
		case w.min != w.max:
			g.fail(Pattern, "look-behind requires fixed-width pattern")
		}
		in.min = w.min
	}
	end := inst{op: opLookEnd}
	if n.not {
		in.op, end.op = opLookNot, opLookNotEnd
	}
	begin := g.emit(in)
	g.node(n.kids[0], flags)
	g.emit(end)
	if g.err == nil {
		g.p.code[begin].y = g.here()
	}
}
