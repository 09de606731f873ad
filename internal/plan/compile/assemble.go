package compile

import (
	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// finish encodes the instructions and closes the code.
func (b *builder) finish() *value.Code {
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
		if f.ins.op == bytecode.Nop {
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
	if n.op == bytecode.LoadConst {
		if v := b.code.Consts[n.arg]; v.Kind == value.KInt && v.N >= 0 && v.N <= bytecode.MaxArg {
			n.op, n.arg = bytecode.LoadInt, int32(v.N)
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
	if n := &b.ins[i]; n.op == bytecode.Jump && n.to.at == i+1 {
		return fused{ins{op: bytecode.Nop}, 1}, true
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
	if _, better := matchLong(b.run(i + 1)); better && f.ins.op != bytecode.ForIterFast {
		return fused{}, false
	}
	return f, true
}

// matchLong finds what is worth more than a pair.
func matchLong(r []ins) (fused, bool) {
	if len(r) >= 2 && r[0].op == bytecode.Compare {
		if op, ok := condition(r[0], r[1]); ok {
			n := r[1]
			return fused{ins{op: bytecode.CompareJump, words: 1, arg: int32(op), to: n.to, pos: r[0].pos}, 2}, true
		}
	}
	if len(r) < 3 || r[0].op != bytecode.LoadFast {
		return fused{}, false
	}
	second := r[1].op
	if second != bytecode.LoadFast && second != bytecode.LoadConst {
		return fused{}, false
	}
	x, y := int(r[0].arg), int(r[1].arg)
	if len(r) >= 4 {
		if op, ok := condition(r[2], r[3]); ok && x <= bytecode.MaxTriple && y <= bytecode.MaxTriple {
			kind := bytecode.CmpFastFast
			if second == bytecode.LoadConst {
				kind = bytecode.CmpFastConst
			}
			return fused{ins{op: kind, words: 1, arg: int32(bytecode.MakeTriple(0, op, x, y) >> 8), to: r[3].to, pos: r[2].pos}, 4}, true
		}
		if r[2].op == bytecode.Inplace && r[2].arg == int32(syntax.Add) && r[3].op == bytecode.StoreFast && r[3].arg == r[0].arg && x <= bytecode.MaxPair && y <= bytecode.MaxPair {
			kind := bytecode.InplaceAddFast
			if second == bytecode.LoadConst {
				kind = bytecode.IncrFastConst
			}
			return pair(kind, x, y, r[2].pos, 4)
		}
	}
	if x > bytecode.MaxPair || y > bytecode.MaxPair {
		return fused{}, false
	}
	switch {
	case second == bytecode.LoadConst && r[2].op == bytecode.Add:
		return pair(bytecode.AddFastConst, x, y, r[2].pos, 3)
	case second == bytecode.LoadConst && r[2].op == bytecode.Sub:
		return pair(bytecode.SubFastConst, x, y, r[2].pos, 3)
	case second == bytecode.LoadFast && r[2].op == bytecode.Subscr:
		return pair(bytecode.SubscrFastFast, x, y, r[2].pos, 3)
	}
	return fused{}, false
}

func pair(op bytecode.Op, x, y int, pos syntax.Pos, takes int) (fused, bool) {
	return fused{ins{op: op, arg: int32(bytecode.MakePair(0, x, y) >> 8), pos: pos}, takes}, true
}

// condition reads a comparison and the jump after it.
func condition(cmp, jump ins) (int, bool) {
	if cmp.op != bytecode.Compare || cmp.arg > int32(syntax.GtE) || jump.op != bytecode.JumpFalse && jump.op != bytecode.JumpTrue {
		return 0, false
	}
	op := int(cmp.arg) - 1
	if jump.op == bytecode.JumpTrue {
		op |= 8
	}
	return op, true
}

func matchPair(r []ins) (fused, bool) {
	x, y := int(r[0].arg), int(r[1].arg)
	if r[0].op == bytecode.ForIter && r[1].op == bytecode.StoreFast {
		return fused{ins{op: bytecode.ForIterFast, words: 1, word: r[1].arg, to: r[0].to, pos: r[0].pos}, 2}, true
	}
	if x > bytecode.MaxPair || y > bytecode.MaxPair {
		return fused{}, false
	}
	switch {
	case r[0].op == bytecode.LoadFast && r[1].op == bytecode.LoadFast:
		return pair(bytecode.LoadFastFast, x, y, r[0].pos, 2)
	case r[0].op == bytecode.LoadFast && r[1].op == bytecode.LoadConst:
		return pair(bytecode.LoadFastConst, x, y, r[0].pos, 2)
	case r[0].op == bytecode.StoreFast && r[1].op == bytecode.LoadFast:
		return pair(bytecode.StoreLoadFast, x, y, r[0].pos, 2)
	case r[0].op == bytecode.StoreFast && r[1].op == bytecode.StoreFast:
		return pair(bytecode.StoreStore, x, y, r[0].pos, 2)
	}
	return fused{}, false
}

// encode writes the instructions, with the places that jumps go to.
func (b *builder) encode(at []int32) {
	c := b.code
	c.Instrs = make([]bytecode.Instr, 0, at[len(at)-1])
	for i := range b.ins {
		n := &b.ins[i]
		if k := len(c.Positions); k == 0 || c.Positions[k-1].Pos != n.pos {
			c.Positions = append(c.Positions, value.SourcePos{PC: int32(len(c.Instrs)), Pos: n.pos})
		}
		arg, word := n.arg, n.word
		if n.to != nil {
			switch n.op {
			case bytecode.CompareJump, bytecode.CmpFastFast, bytecode.CmpFastConst:
				word = at[n.to.at]
			default:
				arg = at[n.to.at]
			}
		}
		c.Instrs = append(c.Instrs, bytecode.Make(n.op, int(arg)))
		if n.words > 0 {
			c.Instrs = append(c.Instrs, bytecode.Instr(word))
		}
	}
	for i, t := range b.tries {
		t.Start, t.End, t.Handler = at[t.Start], at[t.End], at[b.handlers[i].at]
		if t.Start < t.End {
			c.Tries = append(c.Tries, t)
		}
	}
	b.ins = nil
}
