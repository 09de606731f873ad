package regex

// opcode is what an instruction of the backtracker does.
type opcode uint8

const (
	opMatch      opcode = iota // the pattern has matched
	opChar                     // the character r; as the three that follow it like the nodes
	opSet                      // a character of set
	opAny                      // a character but a newline
	opAll                      // a character
	opJump                     // to x
	opSplit                    // to x, or else to y
	opSave                     // the position, in register x
	opClose                    // the same, and the end of a group: x its register
	opAt                       // at
	opRun                      // min to max characters (unit, r, set), the most first
	opRunLazy                  // the fewest first
	opLoop                     // begin a loop: x its registers; goes on to the next instruction
	opAgain                    // decide on an iteration: x registers, y body; after the loop is the next
	opAgainLazy                // the same, preferring to leave
	opLook                     // begin lookahead (min 0) or lookbehind by min: y what follows the assertion if it is negated and holds
	opLookNot                  // the same, negated
	opLookEnd                  // it holds: forget its alternatives
	opLookNotEnd               // what must not match did
	opRef                      // what group x matched, compared as mode says
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
	maxPattern = 1 << 16
	maxCode    = 1 << 17
)

// generator writes the backtracker's code.
type generator struct {
	p    *Program
	pure bool // nothing in the program looks at what groups have matched
	full bool // the program is too large
}

// generate writes the code of a parsed program.
func generate(p *Program, tree *node) *Error {
	g := &generator{p: p, pure: !tree.looksBack()}
	p.regs = 2*(p.groups+1) + 1
	g.node(tree)
	g.emit(inst{op: opMatch})
	if g.full {
		return errLarge
	}
	p.minimum = int(min(tree.measure().min, 1<<31))
	p.finish()
	return nil
}

// emit appends an instruction and returns its place.
func (g *generator) emit(in inst) int32 {
	if len(g.p.code) >= maxCode {
		g.full = true
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

// node writes the code of a node.
func (g *generator) node(n *node) {
	if g.full {
		return
	}
	switch n.op {
	case nodeSeq:
		for _, k := range n.kids {
			g.node(k)
		}
	case nodeAlt:
		g.alternatives(n)
	case nodeChar, nodeSet, nodeAny, nodeAll:
		g.emit(n.unit())
	case nodeAt:
		g.emit(inst{op: opAt, at: n.at})
	case nodeRepeat:
		g.repeat(n)
	case nodeGroup:
		if n.group > 0 {
			g.emit(inst{op: opSave, x: int32(2 * n.group)})
		}
		g.node(n.kids[0])
		if n.group > 0 {
			g.emit(inst{op: opClose, x: int32(2*n.group + 1)})
		}
	case nodeLook:
		g.look(n)
	case nodeRef:
		g.emit(inst{op: opRef, x: int32(n.group), mode: n.mode})
	}
}

// unit is the instruction of a node that matches one character.
func (n *node) unit() inst {
	return inst{op: opChar + opcode(n.op-nodeChar), r: n.r, set: n.set}
}

func (g *generator) alternatives(n *node) {
	var jumps []int32
	for i, k := range n.kids {
		last := i == len(n.kids)-1
		split := int32(-1)
		if !last {
			split = g.emit(inst{op: opSplit})
			g.p.code[split].x = g.here()
		}
		g.node(k)
		if g.full {
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

func (g *generator) repeat(n *node) {
	kid := n.kids[0]
	if s := kid.single(); s != nil {
		in := s.unit()
		in.unit, in.min, in.max = in.op, n.min, n.max
		in.op = opRun
		if n.lazy {
			in.op = opRunLazy
		}
		g.emit(in)
		return
	}
	low, high := n.min, n.max
	w := kid.measure()
	if w.max == 0 && g.pure {
		// What is empty is the same the second time.
		low, high = min(low, 1), min(high, 1)
	}
	switch {
	case high == 0:
	case low == 1 && high == 1:
		g.node(kid)
	case low == 0 && high == 1:
		g.option(kid, n.lazy)
	case low <= 1 && high == infinite && w.min > 0:
		g.star(kid, low == 1, n.lazy)
	case n.lazy:
		g.loop(kid, low, high, opAgainLazy)
	default:
		g.loop(kid, low, high, opAgain)
	}
}

// option writes x?.
func (g *generator) option(kid *node, reluctant bool) {
	split := g.emit(inst{op: opSplit})
	body := g.here()
	g.node(kid)
	if !g.full {
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
func (g *generator) star(kid *node, once, reluctant bool) {
	split := int32(-1)
	if !once {
		split = g.emit(inst{op: opSplit})
	}
	body := g.here()
	g.node(kid)
	if g.full {
		return
	}
	if once {
		s := g.emit(inst{op: opSplit})
		if !g.full {
			g.p.code[s].x, g.p.code[s].y = order(body, s+1, reluctant)
		}
		return
	}
	g.emit(inst{op: opJump, x: split})
	if !g.full {
		g.p.code[split].x, g.p.code[split].y = order(body, g.here(), reluctant)
	}
}

// loop writes a repeat whose iterations are counted, or can be empty.
func (g *generator) loop(kid *node, low, high int64, op opcode) {
	regs := g.registers(2)
	g.emit(inst{op: opLoop, x: regs})
	again := g.emit(inst{op: op, x: regs, min: low, max: high})
	jump := g.emit(inst{op: opJump})
	body := g.here()
	g.node(kid)
	g.emit(inst{op: opJump, x: again})
	if !g.full {
		g.p.code[again].y = body
		g.p.code[jump].x = g.here()
	}
}

func (g *generator) look(n *node) {
	in, end := inst{op: opLook}, inst{op: opLookEnd}
	if n.behind {
		in.min = n.kids[0].measure().min
	}
	if n.not {
		in.op, end.op = opLookNot, opLookNotEnd
	}
	begin := g.emit(in)
	g.node(n.kids[0])
	g.emit(end)
	g.p.code[begin].y = g.here()
}
