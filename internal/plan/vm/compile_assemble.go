package vm

import "praxis/internal/plan/syntax"

// finish encodes the instructions and closes the code.
func (b *builder) finish() *Code {
	at := b.fuse()
	b.encode(at)
	return b.code
}

// fused is an instruction that stands for the first of `takes` others.
type fused struct {
	ins   ins
	takes int
}

// fuse joins common sequences into one instruction. It leaves a hole (takes 0)
// behind and returns the new place of each old instruction.
func (b *builder) fuse() []int32 {
	at := make([]int32, len(b.ins)+1)
	out := b.ins[:0:0]
	size := int32(0)
	for i := 0; i < len(b.ins); {
		f, ok := b.match(i)
		if !ok {
			f = fused{b.ins[i], 1}
		}
		f.ins.target = b.ins[i].target
		for k := range f.takes {
			at[i+k] = size
		}
		i += f.takes
		if f.ins.op == opNop {
			continue
		}
		b.settle(&f.ins)
		out = append(out, f.ins)
		size += 1 + int32(f.ins.words)
	}
	at[len(b.ins)] = size
	b.ins = out
	return at
}

// settle picks the short form of an instruction.
func (b *builder) settle(n *ins) {
	if n.op == opLoadConst {
		if v := b.code.consts[n.arg]; v.k == kInt && v.n >= 0 && v.n <= maxArg {
			n.op, n.arg = opLoadInt, int32(v.n)
		}
	}
}

// run returns the instructions from i on that nothing jumps into.
func (b *builder) run(i int) []ins {
	end := i + 1
	for end < len(b.ins) && end < i+4 && !b.ins[end].target {
		end++
	}
	return b.ins[i:end]
}

func (b *builder) match(i int) (fused, bool) {
	if n := &b.ins[i]; n.op == opJump && n.to.at == i+1 {
		return fused{ins{op: opNop}, 1}, true
	}
	r := b.run(i)
	if f, ok := matchLong(r); ok {
		return f, true
	}
	if len(r) < 2 {
		return fused{}, false
	}
	f, ok := matchPair(r)
	if !ok {
		return fused{}, false
	}
	// The second of the pair may begin something better.
	if _, better := matchLong(b.run(i + 1)); better && f.ins.op != opForIterFast {
		return fused{}, false
	}
	return f, true
}

// matchLong finds what is worth more than a pair.
func matchLong(r []ins) (fused, bool) {
	if len(r) >= 2 && r[0].op == opCompare {
		if op, ok := condition(r[0], r[1]); ok {
			n := r[1]
			return fused{ins{op: opCompareJump, words: 1, arg: int32(op), to: n.to, pos: r[0].pos}, 2}, true
		}
	}
	if len(r) < 3 || r[0].op != opLoadFast {
		return fused{}, false
	}
	second := r[1].op
	if second != opLoadFast && second != opLoadConst {
		return fused{}, false
	}
	x, y := int(r[0].arg), int(r[1].arg)
	if len(r) >= 4 {
		if op, ok := condition(r[2], r[3]); ok && x <= maxTriple && y <= maxTriple {
			kind := opCmpFastFast
			if second == opLoadConst {
				kind = opCmpFastConst
			}
			return fused{ins{op: kind, words: 1, arg: int32(tripleInstr(0, op, x, y) >> 8), to: r[3].to, pos: r[2].pos}, 4}, true
		}
		if r[2].op == opInplace && r[2].arg == int32(syntax.Add) && r[3].op == opStoreFast && r[3].arg == r[0].arg && x <= maxPair && y <= maxPair {
			kind := opInplaceAddFast
			if second == opLoadConst {
				kind = opIncrFastConst
			}
			return pair(kind, x, y, r[2].pos, 4)
		}
	}
	if x > maxPair || y > maxPair {
		return fused{}, false
	}
	switch {
	case second == opLoadConst && r[2].op == opAdd:
		return pair(opAddFastConst, x, y, r[2].pos, 3)
	case second == opLoadConst && r[2].op == opSub:
		return pair(opSubFastConst, x, y, r[2].pos, 3)
	case second == opLoadFast && r[2].op == opSubscr:
		return pair(opSubscrFastFast, x, y, r[2].pos, 3)
	}
	return fused{}, false
}

func pair(op Op, x, y int, pos syntax.Pos, takes int) (fused, bool) {
	return fused{ins{op: op, arg: int32(pairInstr(0, x, y) >> 8), pos: pos}, takes}, true
}

// condition reads a comparison and the jump after it.
func condition(cmp, jump ins) (int, bool) {
	if cmp.op != opCompare || cmp.arg > int32(syntax.GtE) || jump.op != opJumpFalse && jump.op != opJumpTrue {
		return 0, false
	}
	op := int(cmp.arg) - 1
	if jump.op == opJumpTrue {
		op |= 8
	}
	return op, true
}

func matchPair(r []ins) (fused, bool) {
	x, y := int(r[0].arg), int(r[1].arg)
	if r[0].op == opForIter && r[1].op == opStoreFast {
		return fused{ins{op: opForIterFast, words: 1, word: r[1].arg, to: r[0].to, pos: r[0].pos}, 2}, true
	}
	if x > maxPair || y > maxPair {
		return fused{}, false
	}
	switch {
	case r[0].op == opLoadFast && r[1].op == opLoadFast:
		return pair(opLoadFastFast, x, y, r[0].pos, 2)
	case r[0].op == opLoadFast && r[1].op == opLoadConst:
		return pair(opLoadFastConst, x, y, r[0].pos, 2)
	case r[0].op == opStoreFast && r[1].op == opLoadFast:
		return pair(opStoreLoadFast, x, y, r[0].pos, 2)
	case r[0].op == opStoreFast && r[1].op == opStoreFast:
		return pair(opStoreStore, x, y, r[0].pos, 2)
	}
	return fused{}, false
}

// encode writes the instructions, with the places that jumps go to.
func (b *builder) encode(at []int32) {
	c := b.code
	c.instrs = make([]Instr, 0, at[len(at)-1])
	for i := range b.ins {
		n := &b.ins[i]
		if k := len(c.where); k == 0 || c.where[k-1].pos != n.pos {
			c.where = append(c.where, where{int32(len(c.instrs)), n.pos})
		}
		arg, word := n.arg, n.word
		if n.to != nil {
			switch n.op {
			case opCompareJump, opCmpFastFast, opCmpFastConst:
				word = at[n.to.at]
			default:
				arg = at[n.to.at]
			}
		}
		c.instrs = append(c.instrs, instr(n.op, int(arg)))
		if n.words > 0 {
			c.instrs = append(c.instrs, Instr(word))
		}
	}
	for i, t := range b.tries {
		t.start, t.end, t.handler = at[t.start], at[t.end], at[b.handlers[i].at]
		if t.start < t.end {
			c.tries = append(c.tries, t)
		}
	}
	b.ins = nil
}
