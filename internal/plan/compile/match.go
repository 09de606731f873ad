package compile

import (
	"slices"

	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/syntax"
)

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
	b.emit(bytecode.StoreFast, subject)
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
	b.emit(bytecode.LoadFast, subject)
	m.pattern(c.Pattern)
	for _, name := range m.names {
		b.emit(bytecode.LoadFast, m.slots[name])
		b.store(name)
	}
	for _, name := range m.names {
		b.release(m.slots[name])
	}
	if c.Guard != nil {
		b.jumpIf(c.Guard, m.fail(0), false)
	}
	b.block(c.Body)
	b.jump(bytecode.Jump, end)
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
func (m *matcher) unless(op bytecode.Op) { m.b.condJump(op, m.fail(max(0, m.b.depth-1-m.base))) }

// failed removes what failures left on the stack.
func (m *matcher) failed() {
	for k := len(m.fails) - 1; k >= 0; k-- {
		m.b.arrive(m.fails[k])
		if k > 0 {
			m.b.emit(bytecode.Pop, 0)
		}
	}
}

// capture pops the value at the top into the slot of name.
func (m *matcher) capture(name string) {
	if name == "" {
		m.b.emit(bytecode.Pop, 0)
		return
	}
	slot, ok := m.slots[name]
	if !ok {
		slot = m.b.hidden()
		m.slots[name] = slot
		m.names = append(m.names, name)
	}
	m.b.emit(bytecode.StoreFast, slot)
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
		if c, ok := p.Value.(*syntax.Constant); ok && c.Singleton() {
			b.emit(bytecode.Compare, int(syntax.Is))
		} else {
			b.may(2)
			b.emit(bytecode.Compare, int(syntax.Eq))
		}
		m.unless(bytecode.JumpFalse)
	case *syntax.MatchAs:
		if p.Pattern != nil {
			b.emit(bytecode.Dup, 0)
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
		b.emit(bytecode.Dup, 0)
		inner.pattern(q)
		m.names = inner.names
		b.jump(bytecode.Jump, success)
		inner.failed()
		if i == len(p.Patterns)-1 {
			b.jump(bytecode.Jump, m.fail(max(0, b.depth-m.base)))
		}
	}
	b.arrive(success)
	b.emit(bytecode.Pop, 0)
}

func (m *matcher) sequence(p *syntax.MatchSequence) {
	b := m.b
	star := slices.IndexFunc(p.Patterns, func(q syntax.Pattern) bool { _, ok := q.(*syntax.MatchStar); return ok })
	n := len(p.Patterns)
	if star < 0 {
		b.emit(bytecode.MatchSequence, n<<1)
	} else {
		b.emit(bytecode.MatchSequence, (n-1)<<1|1)
	}
	m.unless(bytecode.JumpFalse)
	b.unpackInto(n, star)
	for _, q := range p.Patterns {
		m.pattern(q)
	}
}

func (m *matcher) mapping(p *syntax.MatchMapping) {
	b := m.b
	b.exprs(p.Keys)
	b.emit(bytecode.BuildTuple, len(p.Keys))
	b.may(2)
	b.emit(bytecode.MatchKeys, 0)
	m.parts(p.Patterns)
}

// parts matches the values of the tuple at the top, or fails if there is None.
func (m *matcher) parts(list ...[]syntax.Pattern) {
	m.b.emit(bytecode.Dup, 0)
	m.unless(bytecode.JumpNone)
	all := slices.Concat(list...)
	m.b.emit(bytecode.UnpackSequence, len(all))
	for _, q := range all {
		m.pattern(q)
	}
}

func (m *matcher) class(p *syntax.MatchClass) {
	b := m.b
	b.expr(p.Cls)
	b.may(2)
	b.emit2(bytecode.MatchClass, len(p.Patterns), b.keywordsIndex(p.KwdAttrs))
	m.parts(p.Patterns, p.KwdPatterns)
}
