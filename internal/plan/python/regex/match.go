package regex

// Mode says where a match must begin and end.
type Mode uint8

// The modes, as the methods of Python's patterns.
const (
	Search    Mode = iota // anywhere
	Prefix                // at the beginning: match
	FullMatch             // at the beginning, and it ends at the end
)

// Match is a match.
type Match struct {
	LastIndex int // the group that was closed last; 0 when there is none
	spans     []int32
}

// Span gives where a group begins and ends; group 0 is the whole match. It is
// -1, -1, false for a group that took no part. The group must exist.
func (m *Match) Span(group int) (begin, end int, ok bool) {
	b, e := m.spans[2*group], m.spans[2*group+1]
	if b < 0 || e < b {
		return -1, -1, false
	}
	return int(b), int(e), true
}

// Groups is the number of groups, group 0 not counted.
func (m *Match) Groups() int { return len(m.spans)/2 - 1 }

// keep keeps a machine for the next search, but not a large stack.
func (p *Program) keep(m *machine) {
	if cap(m.stack) > 1<<16 {
		m.stack = nil
	}
	m.text, m.narrow, m.wide = Text{}, "", nil
	p.machines.Put(m)
}

// Exec searches a text once, between pos and end, which are clipped as Python
// does it. A match or its absence is returned as nil, nil; the error is
// [ErrSteps] or [ErrStack]. Steps are taken off budget, which must not be
// negative; without a budget there is no bound.
func (p *Program) Exec(t Text, mode Mode, pos, end int, budget *int64) (*Match, error) {
	n := t.Len()
	pos, end = min(max(pos, 0), n), min(max(end, 0), n)
	return p.exec(search{p: p, text: t, begin: pos, end: end, once: mode != Search, full: mode == FullMatch}, budget)
}

// exec runs a search.
func (p *Program) exec(s search, budget *int64) (*Match, error) {
	if !s.text.fits() {
		return nil, ErrStack
	}
	m, _ := p.machines.Get().(*machine)
	if m == nil {
		m = new(machine)
	}
	defer p.keep(m)
	m.steps = noSteps
	if budget != nil {
		m.steps = *budget
	}
	m.reset(s)
	start, stop, how := m.find(s.begin)
	if budget != nil {
		*budget = max(m.steps, 0)
	}
	switch how {
	case outOfSteps:
		return nil, ErrSteps
	case outOfStack:
		return nil, ErrStack
	case failed:
		return nil, nil
	}
	match := &Match{spans: make([]int32, 2*p.groups+2)}
	match.spans[0], match.spans[1] = int32(start), int32(stop)
	for i := 2; i < len(match.spans); i++ {
		match.spans[i] = int32(m.regs[i])
	}
	match.LastIndex = max(0, int(m.regs[m.lastIndex()]))
	return match, nil
}

// Scanner finds the matches of a text one after the other, as finditer does.
type Scanner struct {
	p      *Program
	s      search
	budget *int64
	done   bool
}

// Scan begins with the matches between pos and end.
func (p *Program) Scan(t Text, pos, end int, budget *int64) *Scanner {
	n := t.Len()
	pos, end = min(max(pos, 0), n), min(max(end, 0), n)
	return &Scanner{p: p, s: search{p: p, text: t, begin: pos, end: end}, budget: budget}
}

// Next finds the next match; nil when there are no more. After an empty match
// the next one does not end where that was; after another one it may be empty.
func (c *Scanner) Next() (*Match, error) {
	if c.done || c.s.begin > c.s.end {
		return nil, nil
	}
	m, err := c.p.exec(c.s, c.budget)
	if m == nil || err != nil {
		c.done = true
		return nil, err
	}
	c.s.advance = m.spans[0] == m.spans[1]
	c.s.begin = int(m.spans[1])
	return m, nil
}

// FindAll finds all matches between pos and end.
func (p *Program) FindAll(t Text, pos, end int, budget *int64) ([]*Match, error) {
	var out []*Match
	for c := p.Scan(t, pos, end, budget); ; {
		m, err := c.Next()
		if m == nil || err != nil {
			return out, err
		}
		out = append(out, m)
	}
}

// Piece is a part of a text. OK is false for a group that took no part.
type Piece struct {
	Begin, End int
	OK         bool
}

// Split cuts a text at the matches, at limit of them if limit is positive. The
// groups of each match are between the pieces, as in Python.
func (p *Program) Split(t Text, limit int, budget *int64) ([]Piece, error) {
	var out []Piece
	last := 0
	scan := p.Scan(t, 0, t.Len(), budget)
	for n := 0; limit <= 0 || n < limit; n++ {
		m, err := scan.Next()
		if err != nil {
			return nil, err
		}
		if m == nil {
			break
		}
		begin, end, _ := m.Span(0)
		out = append(out, Piece{last, begin, true})
		for g := 1; g <= p.groups; g++ {
			b, e, ok := m.Span(g)
			out = append(out, Piece{b, e, ok})
		}
		last = end
	}
	return append(out, Piece{last, t.Len(), true}), nil
}
