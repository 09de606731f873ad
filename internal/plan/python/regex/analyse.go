package regex

import "strings"

// firstSet are the characters that a match can begin with.
type firstSet struct {
	low  [4]uint64
	high bool // characters from 256 on
}

func (f *firstSet) has(r rune) bool {
	if r < 256 {
		return f.low[r>>6]&(1<<(r&63)) != 0
	}
	return f.high
}

func (f *firstSet) add(in *inst, op opcode) {
	low, high := reach(in, op)
	for i, w := range low {
		f.low[i] |= w
	}
	f.high = f.high || high
}

// reach says which characters an instruction matches: the table below 256, and
// whether there may be others.
func reach(in *inst, op opcode) (low [4]uint64, high bool) {
	switch op {
	case opChar:
		if in.r >= 256 {
			return low, true
		}
		low[in.r>>6] = 1 << (in.r & 63)
	case opSet:
		return in.set.low, in.set.high
	case opAny, opAll:
		high = true
		for i := range low {
			low[i] = ^uint64(0)
		}
		if op == opAny {
			low[0] &^= 1 << '\n'
		}
	}
	return low, high
}

// apart reports whether it is certain that no character is matched by both of two
// instructions: in texts of one byte a character, and in all.
func apart(a *inst, aop opcode, b *inst, bop opcode) (narrow, wide bool) {
	alow, ahigh := reach(a, aop)
	blow, bhigh := reach(b, bop)
	for i := range alow {
		if alow[i]&blow[i] != 0 {
			return false, false
		}
	}
	return true, !ahigh || !bhigh
}

// finish looks the code over for what makes searching quicker.
func (p *Program) finish() {
	for i := range p.code {
		if in := &p.code[i]; in.op == opRun || in.op == opRunLazy {
			p.lookAhead(in, i+1)
		}
	}
	p.findPrefix()
	p.findFirst()
}

// lookAhead fills in what must follow a run.
func (p *Program) lookAhead(in *inst, pc int) {
	in.next = -1
	for range 16 {
		n := &p.code[pc]
		switch n.op {
		case opSave, opClose:
			pc++
			continue
		case opJump:
			pc = int(n.x)
			continue
		case opChar:
			in.next = n.r
			in.soloNarrow, in.soloWide = apart(in, in.unit, n, n.op)
		case opSet, opAny, opAll:
			in.soloNarrow, in.soloWide = apart(in, in.unit, n, n.op)
		case opRun, opRunLazy:
			if n.min > 0 {
				in.soloNarrow, in.soloWide = apart(in, in.unit, n, n.unit)
			}
		}
		return
	}
}

// findPrefix finds the characters that every match begins with.
func (p *Program) findPrefix() {
	var b strings.Builder
	for pc := range p.code {
		in := &p.code[pc]
		switch {
		case in.op == opSave || in.op == opClose:
		case in.op == opAt && pc == 0 && (in.at == atBeginning || in.at == atBeginningString):
			p.anchored = true
			return
		case in.op == opChar && in.r < 256:
			b.WriteByte(byte(in.r))
		default:
			p.prefix = b.String()
			return
		}
	}
}

// findFirst finds the characters that a match can begin with, if it must begin
// with some character.
func (p *Program) findFirst() {
	f := &firstSet{}
	seen := make([]bool, len(p.code))
	todo := []int32{0}
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		in := &p.code[pc]
		switch in.op {
		case opMatch, opRef, opLookEnd, opLookNotEnd:
			return
		case opChar, opSet, opAny, opAll:
			f.add(in, in.op)
		case opRun, opRunLazy:
			f.add(in, in.unit)
			if in.min == 0 {
				todo = append(todo, pc+1)
			}
		case opJump:
			todo = append(todo, in.x)
		case opSplit:
			todo = append(todo, in.y, in.x)
		case opAgain, opAgainLazy:
			todo = append(todo, pc+1, in.y)
		case opLook, opLookNot:
			todo = append(todo, in.y)
		default:
			todo = append(todo, pc+1)
		}
	}
	p.first = f
}
