package vm

import "praxis/internal/plan/syntax"

// matcher compiles the pattern of one case. What a pattern captures waits in
// hidden slots until the whole pattern has matched.
type matcher struct {
	b     *builder
	base  int      // depth of the stack where the next case begins
	fails []*place // fails[k]: the pattern failed with k values left above base
	names []string // captured, in order
	slots map[string]int
}

func (b *builder) matchStmt(n *syntax.Match) {
	b.expr(n.Subject)
	subject := b.hidden()
	b.emit(opStoreFast, subject)
	r := b.enter(n)
	end := newPlace()
	for _, c := range n.Cases {
		if b.dead {
			break
		}
		b.matchCase(c, subject, end)
	}
	b.arrive(end)
	b.release(subject)
	b.leave(r, false)
}

func (b *builder) matchCase(c *syntax.MatchCase, subject int, end *place) {
	old := b.at(c.Pattern)
	m := &matcher{b: b, base: b.depth, slots: map[string]int{}}
	b.emit(opLoadFast, subject)
	m.pattern(c.Pattern)
	for _, name := range m.names {
		b.emit(opLoadFast, m.slots[name])
		b.store(name)
	}
	for _, name := range m.names {
		b.release(m.slots[name])
	}
	if c.Guard != nil {
		b.jumpIf(c.Guard, m.fail(0), false)
	}
	b.block(c.Body)
	b.jump(opJump, end)
	m.failed()
	b.pos = old
}

// fail is where a pattern that fails with k values above base goes.
func (m *matcher) fail(k int) *place {
	for len(m.fails) <= k {
		m.fails = append(m.fails, newPlace())
	}
	return m.fails[k]
}

// unless fails if the truth at the top of the stack is not what is wanted.
func (m *matcher) unless(op Op) { m.b.condJump(op, m.fail(max(0, m.b.depth-1-m.base))) }

// failed removes what failures left on the stack.
func (m *matcher) failed() {
	for k := len(m.fails) - 1; k >= 0; k-- {
		m.b.arrive(m.fails[k])
		if k > 0 {
			m.b.emit(opPop, 0)
		}
	}
}

// capture pops the value at the top into the slot of name.
func (m *matcher) capture(name string) {
	if name == "" {
		m.b.emit(opPop, 0)
		return
	}
	slot, ok := m.slots[name]
	if !ok {
		slot = m.b.hidden()
		m.slots[name] = slot
		m.names = append(m.names, name)
	}
	m.b.emit(opStoreFast, slot)
}

// pattern pops the value at the top and goes on if it matches.
func (m *matcher) pattern(p syntax.Pattern) {
	b := m.b
	if b.dead {
		return
	}
	old := b.at(p)
	switch p := p.(type) {
	case *syntax.MatchValue:
		b.expr(p.Value)
		b.may(2)
		b.emit(opCompare, int(syntax.Eq))
		m.unless(opJumpFalse)
	case *syntax.MatchSingleton:
		b.constantExpr(&syntax.Constant{Kind: p.Value})
		b.emit(opCompare, int(syntax.Is))
		m.unless(opJumpFalse)
	case *syntax.MatchAs:
		if p.Pattern != nil {
			b.emit(opDup, 0)
			m.pattern(p.Pattern)
		}
		m.capture(p.Name)
	case *syntax.MatchStar:
		m.capture(p.Name)
	case *syntax.MatchOr:
		m.or(p)
	case *syntax.MatchSequence:
		m.sequence(p)
	case *syntax.MatchMapping:
		m.mapping(p)
	case *syntax.MatchClass:
		m.class(p)
	}
	b.pos = old
}

// or tries the alternatives one after the other; the value stays below.
func (m *matcher) or(p *syntax.MatchOr) {
	b := m.b
	success := newPlace()
	for i, q := range p.Patterns {
		if b.dead {
			break
		}
		inner := &matcher{b: b, base: b.depth, slots: m.slots, names: m.names}
		b.emit(opDup, 0)
		inner.pattern(q)
		m.names = inner.names
		b.jump(opJump, success)
		inner.failed()
		if i == len(p.Patterns)-1 {
			b.jump(opJump, m.fail(max(0, b.depth-m.base)))
		}
	}
	b.arrive(success)
	b.emit(opPop, 0)
}

func (m *matcher) sequence(p *syntax.MatchSequence) {
	b := m.b
	star := -1
	for i, q := range p.Patterns {
		if _, ok := q.(*syntax.MatchStar); ok {
			star = i
		}
	}
	b.emit(opMatchSequence, 0)
	m.unless(opJumpFalse)
	n := len(p.Patterns)
	if star < 0 {
		b.emit(opMatchLen, n<<1)
		m.unless(opJumpFalse)
		b.emit(opUnpackSequence, n)
	} else {
		if n > 1 {
			b.emit(opMatchLen, (n-1)<<1|1)
			m.unless(opJumpFalse)
		}
		if n > maxPair {
			b.c.fail(b.pos, "too many expressions in star-unpacking assignment")
			return
		}
		b.emit(opUnpackEx, star|(n-star-1)<<12)
	}
	for _, q := range p.Patterns {
		m.pattern(q)
	}
}

func (m *matcher) mapping(p *syntax.MatchMapping) {
	b := m.b
	b.emit(opMatchMapping, 0)
	m.unless(opJumpFalse)
	for _, k := range p.Keys {
		b.expr(k)
	}
	if len(p.Keys) == 0 && p.Rest == "" {
		b.emit(opPop, 0)
		return
	}
	b.emit(opBuildTuple, len(p.Keys))
	if len(p.Keys) > 0 {
		b.may(2)
		b.emit(opMatchKeys, 0)
		b.emit(opDup, 0)
		m.unless(opJumpNone)
		b.emit(opUnpackSequence, len(p.Keys))
		for _, q := range p.Patterns {
			m.pattern(q)
		}
	}
	if p.Rest != "" {
		b.emit(opMatchRest, 0)
		m.capture(p.Rest)
		return
	}
	b.emit(opPop, 0)
	b.emit(opPop, 0)
}

func (m *matcher) class(p *syntax.MatchClass) {
	b := m.b
	b.expr(p.Cls)
	b.may(2)
	b.emit2(opMatchClass, len(p.Patterns), b.keywordsIndex(p.KwdAttrs))
	b.emit(opDup, 0)
	m.unless(opJumpNone)
	n := len(p.Patterns) + len(p.KwdPatterns)
	if n == 0 {
		b.emit(opPop, 0)
		return
	}
	b.emit(opUnpackSequence, n)
	for _, q := range p.Patterns {
		m.pattern(q)
	}
	for _, q := range p.KwdPatterns {
		m.pattern(q)
	}
}
