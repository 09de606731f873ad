package regex

// simulation runs the threads of an unrolled program side by side, character by
// character, in the order in which the backtracker would try them. Of two
// threads in the same state the first one counts.
type simulation struct {
	search
	prog  *unrolled
	slots int // of a thread: where it began, the last group, the spans of the groups
	steps int64

	mark  []uint32 // by state: the round that has seen it
	round uint32
	now   threads
	then  threads
	work  []int32 // the slots of the thread that is being followed
	todo  []visit
	best  []int32 // the slots of the match found so far
	stop  int     // where that ends
}

// threads are those that wait for one position's character.
type threads struct {
	at    []visit
	slots []int32 // of all, one after the other
}

func (t *threads) empty() { t.at, t.slots = t.at[:0], t.slots[:0] }

// visit is something to follow: an instruction, with the levels that have
// matched a character. When pc is negative, slot ^pc gets back its value.
type visit struct{ pc, value int32 }

// The slots that are not spans of groups.
const (
	slotBegin = 0
	slotLast  = 1
)

// reset prepares for a search.
func (m *simulation) reset(s search, prog *unrolled) {
	m.search, m.prog = s, prog
	m.slots = 2*s.p.groups + 2
	if cap(m.mark) < prog.count {
		m.mark = make([]uint32, prog.count)
		m.round = 0
	}
	m.mark = m.mark[:prog.count]
	if cap(m.work) < m.slots {
		m.work = make([]int32, m.slots)
		m.best = make([]int32, m.slots)
	}
	m.work, m.best = m.work[:m.slots], m.best[:m.slots]
	m.now.empty()
	m.then.empty()
	m.todo = m.todo[:0]
	m.steps -= int64(m.slots) >> 4
}

// find looks for the leftmost match that begins at from or later.
func (m *simulation) find(from int) status {
	found := false
	m.turn()
	for pos := from; pos <= m.end; pos++ {
		if !found && (pos == from || !m.once) && m.mayBegin(pos) {
			for i := range m.work {
				m.work[i] = -1
			}
			m.work[slotBegin] = int32(pos)
			m.follow(0, 0, pos, &m.now)
		} else if len(m.now.at) == 0 && (found || m.once) {
			break
		}
		m.turn()
		if m.step(pos) {
			found = true
		}
		m.steps--
		if m.steps < 0 {
			return outOfSteps
		}
		m.now, m.then = m.then, m.now
		m.then.empty()
	}
	if found {
		return matched
	}
	return failed
}

// turn begins a round: no state has been seen.
func (m *simulation) turn() {
	m.round++
	if m.round == 0 {
		clear(m.mark[:cap(m.mark)])
		m.round = 1
	}
}

// mayBegin reports whether a match can begin at pos, as far as that is quick to find out.
func (m *simulation) mayBegin(pos int) bool {
	if m.p.anchored {
		return pos == 0
	}
	if m.p.first == nil {
		return true
	}
	return pos < m.end && m.p.first.has(m.text.At(pos))
}

// step lets the threads of a position read its character, and those that have
// matched end: then the ones after them are given up.
func (m *simulation) step(pos int) (found bool) {
	code := m.prog.code
	for i, v := range m.now.at {
		m.steps--
		in := &code[v.pc]
		slots := m.now.slots[i*m.slots : (i+1)*m.slots]
		if in.op == opMatch {
			if m.full && pos != m.end || m.advance && pos == m.begin {
				continue
			}
			copy(m.best, slots)
			m.stop = pos
			return true
		}
		if pos >= m.end || !in.reads(m.text.At(pos)) {
			continue
		}
		copy(m.work, slots)
		m.steps -= int64(m.slots) >> 4
		m.follow(v.pc+1, m.prog.depth[v.pc], pos+1, &m.then)
	}
	return false
}

// reads reports whether an instruction for one character matches r.
func (in *inst) reads(r rune) bool {
	switch in.op {
	case opChar:
		return r == in.r
	case opSet:
		return in.set.has(r)
	case opAny:
		return r != '\n'
	}
	return true
}

// follow goes from an instruction to all those that read a character or end the
// match, and adds a thread for each. The thread's slots are in work.
func (m *simulation) follow(pc, level int32, pos int, to *threads) {
	m.todo = append(m.todo[:0], visit{pc, level})
	for len(m.todo) > 0 {
		v := m.todo[len(m.todo)-1]
		m.todo = m.todo[:len(m.todo)-1]
		if v.pc < 0 {
			m.work[^v.pc] = v.value
			continue
		}
		level := min(v.value, m.prog.depth[v.pc])
		state := m.prog.state[v.pc] + level
		m.steps--
		if m.mark[state] == m.round || m.steps < 0 {
			continue
		}
		m.mark[state] = m.round
		in := &m.prog.code[v.pc]
		next := visit{v.pc + 1, level}
		switch in.op {
		case opFail:
		case opJump:
			m.todo = append(m.todo, visit{in.x, level})
		case opSplit:
			m.todo = append(m.todo, visit{in.y, level}, visit{in.x, level})
		case opSave, opClose:
			m.save(in, pos)
			m.todo = append(m.todo, next)
		case opAt:
			if m.text.is(in.at, pos, m.end) {
				m.todo = append(m.todo, next)
			}
		case opLoop:
			next.value = min(level, in.x-1)
			m.todo = append(m.todo, next)
		case opAgain:
			m.decide(in, level)
		default:
			to.at = append(to.at, visit{v.pc, level})
			to.slots = append(to.slots, m.work...)
			m.steps -= int64(m.slots) >> 4
		}
	}
}

// decide follows an opAgain.
func (m *simulation) decide(in *inst, level int32) {
	leave, stay := visit{int32(in.min), level}, visit{in.y, level}
	switch {
	case level < in.x:
		m.todo = append(m.todo, leave)
	case in.r != 0:
		m.todo = append(m.todo, stay, leave)
	default:
		m.todo = append(m.todo, leave, stay)
	}
}

// save notes a position in the thread's slots, and how to take it back.
func (m *simulation) save(in *inst, pos int) {
	m.todo = append(m.todo, visit{^in.x, m.work[in.x]})
	m.work[in.x] = int32(pos)
	if in.op == opClose {
		m.todo = append(m.todo, visit{^int32(slotLast), m.work[slotLast]})
		m.work[slotLast] = in.x / 2
	}
}
