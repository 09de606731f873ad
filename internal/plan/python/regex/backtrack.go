package regex

import (
	"math"
	"strings"
)

// A frame of the backtracker's stack is a place to go back to. The low bits of what
// say what kind of place it is; its instruction is above them.
const (
	frameTry     = iota // go on at the instruction, at position a
	frameUndo           // register b was a
	frameClose          // the end of the group whose register is the instruction was a, the last group b
	frameRun            // a run: it is at a now, and may shrink to b
	frameRunLazy        // a run: it is at a now, and may grow by b
	frameAgain          // the opAgainLazy at the instruction, which has left its loop at a: iterate
	frameWall           // a lookaround begins, at a; the wall below is frame b
	frameTryWall        // the same, and if it fails go on at the instruction
	frameBits    = 3
	frameMask    = 1<<frameBits - 1
)

type frame struct {
	a    int64
	b    int32
	what int32
}

// maxFrames bounds the stack of the backtracker: 32 MiB.
const maxFrames = 1 << 21

// status is how a machine ended.
type status uint8

const (
	failed status = iota
	matched
	outOfSteps
	outOfStack
)

// search is one search: what is looked for, where, and how.
type search struct {
	p     *Program
	text  Text
	begin int // where it may begin
	end   int // the text ends here
	once  bool
	full  bool // the match must end at the end
	// The match that begins at begin must not be empty: the one before was, and there.
	advance bool
}

// machine is the backtracker's memory, which searches share.
type machine struct {
	search
	narrow string
	wide   []rune
	regs   []int64
	stack  []frame
	wall   int32 // the topmost wall of the stack, or -1
	steps  int64 // that are left
}

// reset prepares for a search.
func (m *machine) reset(s search) {
	m.search = s
	m.narrow, m.wide = s.text.narrow, s.text.wide
	if cap(m.regs) < s.p.regs {
		m.regs = make([]int64, s.p.regs)
	}
	m.regs = m.regs[:s.p.regs]
	m.steps -= int64(len(m.regs)) >> 4
	for i := range m.regs {
		m.regs[i] = -1
	}
	m.stack = m.stack[:0]
	m.wall = -1
}

func (m *machine) at(i int) rune {
	if m.wide != nil {
		return m.wide[i]
	}
	return rune(m.narrow[i])
}

// unit reports whether an instruction matches the character at pos, which is
// within the text.
func (m *machine) unit(in *inst, op opcode, pos int) bool {
	r := m.at(pos)
	switch op {
	case opChar:
		return r == in.r
	case opSet:
		return in.set.has(r)
	case opAny:
		return r != '\n'
	}
	return true
}

// cannot reports quickly whether it is certain that an instruction fails at pos.
func (m *machine) cannot(in *inst, pos int) bool {
	return (in.op == opChar || in.op == opSet) && (pos >= m.end || !m.unit(in, in.op, pos))
}

// find looks for the leftmost match that begins at from or later. It returns
// where it begins and ends; when steps or stack run out, start is how far it
// has come.
func (m *machine) find(from int) (start, end int, how status) {
	last := m.end - m.p.minimum
	if m.once || m.p.anchored {
		last = from
	}
	for start = from; start <= last; start++ {
		if !m.once {
			start = m.skip(start, last)
			if start > last {
				break
			}
		}
		if m.steps <= 0 {
			return start, 0, outOfSteps
		}
		end, how = m.run(start)
		if how != failed {
			return start, end, how
		}
	}
	if m.steps < 0 {
		return start, 0, outOfSteps
	}
	return start, 0, failed
}

// skip finds the next place where a match may begin.
func (m *machine) skip(start, last int) int {
	p := m.p
	switch {
	case p.anchored:
		if start > 0 {
			return last + 1
		}
	case p.prefix != "" && m.wide == nil:
		if start >= m.end {
			return last + 1
		}
		i := strings.Index(m.narrow[start:m.end], p.prefix)
		if i < 0 {
			m.steps -= int64(m.end-start) >> 4
			return last + 1
		}
		m.steps -= int64(i) >> 4
		return start + i
	case p.first != nil:
		i := start
		for i <= last && i < m.end && !p.first.has(m.at(i)) {
			i++
		}
		m.steps -= int64(i-start) >> 3
		if i >= m.end {
			return last + 1
		}
		return i
	}
	return start
}

// push puts a frame on the stack; the caller looks after its bound.
func (m *machine) push(kind int, pc int32, a int64, b int32) {
	m.stack = append(m.stack, frame{a, b, pc<<frameBits | int32(kind)})
}

// set changes a register, to be undone.
func (m *machine) set(reg int32, v int64) {
	m.push(frameUndo, 0, m.regs[reg], reg)
	m.regs[reg] = v
}

// build pushes a wall.
func (m *machine) build(kind int, pc int32, pos int) {
	m.push(kind, pc, int64(pos), m.wall)
	m.wall = int32(len(m.stack) - 1)
}

// cut forgets the alternatives above the topmost wall, and the wall, but not
// what is to be undone. It returns the position at the wall.
func (m *machine) cut() int {
	i := int(m.wall)
	w := m.stack[i]
	keep := m.stack[:i]
	for _, f := range m.stack[i+1:] {
		if kind := f.what & frameMask; kind == frameUndo || kind == frameClose {
			keep = append(keep, f)
		}
	}
	m.steps -= int64(len(m.stack)-i) >> 2
	m.stack = keep
	m.wall = w.b
	return int(w.a)
}

// drop undoes everything down to the topmost wall, and removes it.
func (m *machine) drop() {
	i := int(m.wall)
	for j := len(m.stack) - 1; j > i; j-- {
		m.undo(m.stack[j])
	}
	m.steps -= int64(len(m.stack)-i) >> 2
	m.wall = m.stack[i].b
	m.stack = m.stack[:i]
}

func (m *machine) undo(f frame) {
	switch f.what & frameMask {
	case frameUndo:
		m.regs[f.b] = f.a
	case frameClose:
		m.regs[f.what>>frameBits] = f.a
		m.regs[m.lastIndex()] = int64(f.b)
	}
}

// lastIndex is the register of the group that was closed last.
func (m *machine) lastIndex() int { return 2*m.p.groups + 2 }

// run tries to match at one place.
func (m *machine) run(pos int) (end int, how status) {
	code := m.p.code
	pc := int32(0)
	ok := true
	for {
		if !ok {
			if pc, pos, ok = m.back(); !ok {
				return 0, failed
			}
		}
		m.steps--
		if m.steps < 0 {
			return 0, outOfSteps
		}
		if len(m.stack) > maxFrames {
			return 0, outOfStack
		}
		in := &code[pc]
		switch in.op {
		case opChar:
			ok = pos < m.end && m.at(pos) == in.r
			pos++
			pc++
		case opSet:
			ok = pos < m.end && in.set.has(m.at(pos))
			pos++
			pc++
		case opAny, opAll:
			ok = pos < m.end && (in.op == opAll || m.at(pos) != '\n')
			pos++
			pc++
		case opJump:
			pc = in.x
		case opSplit:
			switch {
			case m.cannot(&code[in.x], pos):
				pc = in.y
			case m.cannot(&code[in.y], pos):
				pc = in.x
			default:
				m.push(frameTry, in.y, int64(pos), 0)
				pc = in.x
			}
		case opSave:
			m.set(in.x, int64(pos))
			pc++
		case opClose:
			last := m.lastIndex()
			m.push(frameClose, in.x, m.regs[in.x], int32(m.regs[last]))
			m.regs[in.x], m.regs[last] = int64(pos), int64(in.x/2)
			pc++
		case opAt:
			ok = m.text.is(in.at, pos, m.end)
			pc++
		case opRun, opRunLazy:
			pos, ok = m.enterRun(in, pc, pos)
			pc++
		case opMatch:
			if m.accepts(pos) {
				return pos, matched
			}
			ok = false
		case opRef:
			pos, ok = m.refer(in, pos)
			pc++
		default:
			pc, pos, ok = m.control(in, pc, pos)
		}
	}
}

// accepts reports whether a match may end at pos.
func (m *machine) accepts(pos int) bool {
	return !(m.full && pos != m.end) && !(m.advance && pos == m.begin)
}

// control runs the instructions of loops, and lookaround.
func (m *machine) control(in *inst, pc int32, pos int) (int32, int, bool) {
	switch in.op {
	case opLoop:
		m.set(in.x, -1)
		m.set(in.x+1, -1)
		return pc + 1, pos, true
	case opAgain, opAgainLazy:
		return m.again(in, pc, pos)
	case opLook, opLookNot:
		back := int64(pos) >= in.min
		switch {
		case in.op == opLookNot && !back:
			return in.y, pos, true
		case in.op == opLookNot:
			m.build(frameTryWall, in.y, pos)
		default:
			m.build(frameWall, 0, pos)
		}
		return pc + 1, pos - int(min(in.min, int64(pos))), back
	case opLookEnd:
		return pc + 1, m.cut(), true
	case opLookNotEnd:
		m.drop()
	}
	return 0, 0, false
}

// again decides on an iteration of a counted loop. Its registers are the number
// of iterations begun after the first, and where the last one that was not
// required began.
func (m *machine) again(in *inst, pc int32, pos int) (int32, int, bool) {
	count := m.regs[in.x] + 1
	switch {
	case count < in.min:
		m.set(in.x, count)
		return in.y, pos, true
	case in.op == opAgainLazy:
		m.push(frameAgain, pc, int64(pos), 0)
		return pc + 1, pos, true
	case m.more(in, pos):
		m.push(frameTry, pc+1, int64(pos), 0)
		m.iterate(in, pos)
		return in.y, pos, true
	}
	return pc + 1, pos, true
}

// more reports whether a loop may go on with an iteration that is not required.
func (m *machine) more(in *inst, pos int) bool {
	return (m.regs[in.x]+1 < in.max || in.max == infinite) && m.regs[in.x+1] != int64(pos)
}

// iterate begins such an iteration.
func (m *machine) iterate(in *inst, pos int) {
	m.set(in.x, m.regs[in.x]+1)
	m.set(in.x+1, int64(pos))
}

// back returns to the last alternative.
func (m *machine) back() (pc int32, pos int, ok bool) {
	for n := len(m.stack) - 1; n >= 0; n = len(m.stack) - 1 {
		f := &m.stack[n]
		pc = f.what >> frameBits
		pos = int(f.a)
		switch f.what & frameMask {
		case frameTry:
			m.stack = m.stack[:n]
			return pc, pos, true
		case frameUndo, frameClose:
			m.undo(*f)
		case frameRun:
			if pos, ok = m.shrink(f, &m.p.code[pc], n); ok {
				return pc + 1, pos, true
			}
			continue
		case frameRunLazy:
			if pos, ok = m.grow(f, &m.p.code[pc], n); ok {
				return pc + 1, pos, true
			}
			continue
		case frameAgain:
			m.stack = m.stack[:n]
			in := &m.p.code[pc]
			if m.more(in, pos) {
				m.iterate(in, pos)
				return in.y, pos, true
			}
			continue
		case frameWall:
			m.wall = f.b
		case frameTryWall:
			m.wall = f.b
			m.stack = m.stack[:n]
			return pc, pos, true
		}
		m.steps--
		m.stack = m.stack[:n]
	}
	return 0, 0, false
}

// enterRun matches a run of single characters.
func (m *machine) enterRun(in *inst, pc int32, pos int) (int, bool) {
	left := int64(m.end - pos)
	if left < in.min {
		return pos, false
	}
	if in.op == opRunLazy {
		least := pos + m.count(in, pos, int(in.min))
		if int64(least-pos) < in.min {
			return pos, false
		}
		more := min(in.max-in.min, left-in.min)
		if more == 0 {
			return least, true
		}
		m.push(frameRunLazy, pc, int64(least), int32(more)) // goes on if what follows does not
		return least, m.follows(in, least)
	}
	most := m.count(in, pos, int(min(in.max, left)))
	least := pos + int(in.min)
	pos += most
	switch {
	case pos < least:
		return pos, false
	case pos == least:
		return pos, true
	case m.wide == nil && in.soloNarrow || in.soloWide:
		return pos, true
	}
	m.push(frameRun, pc, int64(pos), int32(least))
	return pos, m.follows(in, pos)
}

// follows reports whether what must follow a run is at pos.
func (m *machine) follows(in *inst, pos int) bool {
	return in.next < 0 || pos < m.end && m.at(pos) == in.next
}

// shrink gives a greedy run back its last characters, up to where what must
// follow can follow.
func (m *machine) shrink(f *frame, in *inst, n int) (int, bool) {
	pos, least := int(f.a)-1, int(f.b)
	if in.next >= 0 {
		from := pos
		for pos >= least && m.at(pos) != in.next {
			pos--
		}
		m.steps -= int64(from-pos) >> 2
	}
	if pos <= least {
		m.stack = m.stack[:n]
		return pos, pos == least
	}
	f.a = int64(pos)
	return pos, true
}

// grow gives a lazy run more characters, up to where what must follow follows.
func (m *machine) grow(f *frame, in *inst, n int) (int, bool) {
	pos, more := int(f.a), f.b
	from := pos
	for more > 0 && pos < m.end && m.unit(in, in.unit, pos) {
		pos++
		more--
		if !m.follows(in, pos) {
			continue
		}
		m.steps -= int64(pos-from) >> 2
		if more == 0 {
			m.stack = m.stack[:n]
		} else {
			f.a, f.b = int64(pos), more
		}
		return pos, true
	}
	m.steps -= int64(pos-from) >> 2
	m.stack = m.stack[:n]
	return 0, false
}

// count counts the characters from pos on that a run matches, up to most.
func (m *machine) count(in *inst, pos, most int) int {
	n := 0
	if m.wide != nil {
		for n < most && m.unit(in, in.unit, pos+n) {
			n++
		}
	} else {
		n = countNarrow(in, m.narrow[pos:pos+most])
	}
	m.steps -= int64(n) >> 3
	return n
}

func countNarrow(in *inst, s string) int {
	switch in.unit {
	case opChar:
		n := 0
		for n < len(s) && rune(s[n]) == in.r {
			n++
		}
		return n
	case opSet:
		low := &in.set.low
		for i := range len(s) {
			if low[s[i]>>6]&(1<<(s[i]&63)) == 0 {
				return i
			}
		}
	case opAny:
		if i := strings.IndexByte(s, '\n'); i >= 0 {
			return i
		}
	}
	return len(s)
}

// refer matches what a group has matched.
func (m *machine) refer(in *inst, pos int) (int, bool) {
	b, e := m.regs[2*in.x], m.regs[2*in.x+1]
	if b < 0 || e < b || e-b > int64(m.end-pos) {
		return pos, false
	}
	n := int(e - b)
	m.steps -= int64(n) >> 2
	for i := range n {
		p, q := m.at(int(b)+i), m.at(pos+i)
		if !same(p, q, in.mode) {
			return pos, false
		}
	}
	return pos + n, true
}

// is reports whether a position is what an assertion requires. The text goes up to
// end, and always from its very beginning.
func (t Text) is(at position, pos, end int) bool {
	switch at {
	case atBeginning, atBeginningString:
		return pos == 0
	case atBeginningLine:
		return pos == 0 || t.At(pos-1) == '\n'
	case atEnd:
		return pos == end || pos == end-1 && t.At(pos) == '\n'
	case atEndLine:
		return pos == end || pos < end && t.At(pos) == '\n'
	case atEndString:
		return pos == end
	}
	word := isWord
	if at == atBoundaryASCII || at == atNotBoundaryASCII {
		word = isASCIIWord
	}
	before := pos > 0 && word(t.At(pos-1))
	after := pos < end && word(t.At(pos))
	return (before != after) == (at == atBoundary || at == atBoundaryASCII)
}

// noSteps is a budget that is never used up.
const noSteps = math.MaxInt64
