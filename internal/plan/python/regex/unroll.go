package regex

// The program of the simulation has no counters: loops are unrolled. It has the
// backtracker's instructions for single characters, opAt, opSave, opClose,
// opJump, opSplit, opMatch, opFail, and for loops whose body can be empty two
// more, which differ in their fields:
//
//	opLoop   an iteration that was not required begins: x is the loop's level
//	opAgain  an iteration has ended: x is the level, y the next iteration, min
//	         where the loop is left for, as it must be if the iteration matched
//	         nothing; r is 1 when leaving is preferred
//
// CPython enters such an iteration only at another place than the one before it
// of the same loop. What it has to know is thus one bit for each loop that a
// thread is in: has it matched a character since its iteration began? When an
// inner iteration has, all outer ones have as well, so that the bits of all levels are
// one number, the count of levels that have. A state of the simulation is an
// instruction with such a number.

// maxUnrolled bounds the states of an unrolled program, maxSlots what all
// threads together can note of groups: 16 MiB twice.
const (
	maxUnrolled = 20000
	maxSlots    = 1 << 22
)

// unrolled is the program of the simulation.
type unrolled struct {
	code  []inst
	depth []int32 // by instruction: the levels that it is in
	state []int32 // by instruction: its first state
	count int     // states
}

// unroller writes it.
type unroller struct {
	out   *unrolled
	p     *Program
	sets  setCache
	level int32
	full  bool
}

// unroll writes the program of the simulation, or nil if it would be too large.
func unroll(p *Program) *unrolled {
	u := &unroller{out: &unrolled{}, p: p, sets: setCache{}}
	u.node(p.tree, p.flags)
	u.emit(inst{op: opMatch})
	if u.full || u.out.count*(2*p.groups+2) > maxSlots {
		return nil
	}
	return u.out
}

func (u *unroller) emit(in inst) int32 {
	if u.full || u.out.count > maxUnrolled {
		u.full = true
		return 0
	}
	o := u.out
	o.code = append(o.code, in)
	o.depth = append(o.depth, u.level)
	o.state = append(o.state, int32(o.count))
	o.count += int(u.level) + 1
	return int32(len(o.code) - 1)
}

func (u *unroller) here() int32 { return int32(len(u.out.code)) }

// patch sets both targets of a split.
func (u *unroller) patch(at, body, after int32, reluctant bool) {
	if !u.full {
		u.out.code[at].x, u.out.code[at].y = order(body, after, reluctant)
	}
}

func (u *unroller) node(n *node, flags Flags) {
	if n == nil || u.full {
		return
	}
	switch n.op {
	case nodeSeq:
		for _, k := range n.kids {
			u.node(k, flags)
		}
	case nodeAlt:
		u.alternatives(n, flags)
	case nodeSet, nodeAny:
		u.emit(unitOf(n, flags, u.sets))
	case nodeAt:
		u.emit(inst{op: opAt, at: placed(n.at, flags)})
	case nodeRepeat:
		u.repeat(n, flags)
	case nodeGroup:
		if n.group > 0 {
			u.emit(inst{op: opSave, x: int32(2 * n.group)})
		}
		u.node(n.kids[0], combine(flags, n.add, n.del))
		if n.group > 0 {
			u.emit(inst{op: opClose, x: int32(2*n.group + 1)})
		}
	default:
		u.emit(inst{op: opFail})
	}
}

func (u *unroller) alternatives(n *node, flags Flags) {
	var jumps []int32
	for i, k := range n.kids {
		if i == len(n.kids)-1 {
			u.node(k, flags)
			break
		}
		split := u.emit(inst{op: opSplit})
		body := u.here()
		u.node(k, flags)
		jumps = append(jumps, u.emit(inst{op: opJump}))
		u.patch(split, body, u.here(), false)
	}
	if u.full {
		return
	}
	for _, j := range jumps {
		u.out.code[j].x = u.here()
	}
}

func (u *unroller) repeat(n *node, flags Flags) {
	kid := n.kids[0]
	w := kid.width // measured with the whole tree
	low, high := n.min, n.max
	reluctant := n.mode == lazy
	if w.max == 0 {
		low, high = min(low, 1), min(high, 1)
	}
	if low > maxUnrolled || high != infinite && high > maxUnrolled {
		u.full = true
		return
	}
	switch {
	case high == infinite && w.min > 0 && low > 0:
		u.copies(kid, flags, low-1)
		body := u.here()
		u.node(kid, flags)
		split := u.emit(inst{op: opSplit})
		u.patch(split, body, u.here(), reluctant)
	case high == infinite && w.min > 0:
		split := u.emit(inst{op: opSplit})
		body := u.here()
		u.node(kid, flags)
		u.emit(inst{op: opJump, x: split})
		u.patch(split, body, u.here(), reluctant)
	case high == infinite:
		// A required iteration is free of the rule about empty ones. That shows
		// only in what groups capture: without them spare one copy.
		free := low > 0 && kid.groups == 0
		if free {
			low--
		}
		u.copies(kid, flags, low)
		u.optional(kid, flags, 0, reluctant, free)
	default:
		u.copies(kid, flags, low)
		if high > low {
			u.optional(kid, flags, high-low, reluctant, false)
		}
	}
}

func (u *unroller) copies(kid *node, flags Flags, n int64) {
	for range n {
		u.node(kid, flags)
		if u.full {
			return
		}
	}
}

// iteration writes one iteration of a loop that can be empty, and, if there may
// be another one, the decision on it, which the caller fills in.
func (u *unroller) iteration(kid *node, flags Flags, more bool) (again int32) {
	u.level++
	u.emit(inst{op: opLoop, x: u.level})
	u.node(kid, flags)
	if more {
		again = u.emit(inst{op: opAgain, x: u.level})
	}
	u.level--
	return again
}

// decide fills in an opAgain.
func (u *unroller) decide(at, body, after int32, reluctant bool) {
	if u.full {
		return
	}
	in := &u.out.code[at]
	in.y, in.min = body, int64(after)
	if reluctant {
		in.r = 1
	}
}

// optional writes up to n optional iterations, any number if n is 0. Free leaves
// out the way around them: then it is x+.
func (u *unroller) optional(kid *node, flags Flags, n int64, reluctant, free bool) {
	plain := kid.width.min > 0 || n == 1
	var splits, agains []int32
	for i := int64(0); i == 0 || i < n; i++ {
		body := u.here()
		if !free && (plain || i == 0) {
			body++
			splits = append(splits, u.emit(inst{op: opSplit}))
		}
		switch {
		case plain:
			u.node(kid, flags)
		case n == 0:
			u.decide(u.iteration(kid, flags, true), body, u.here(), reluctant)
		default:
			again := u.iteration(kid, flags, i+1 < n)
			if i+1 < n {
				u.decide(again, u.here(), 0, reluctant)
				agains = append(agains, again)
			}
		}
		if u.full {
			return
		}
	}
	for _, at := range splits {
		u.out.code[at].x, u.out.code[at].y = order(at+1, u.here(), reluctant)
	}
	for _, at := range agains {
		u.out.code[at].min = int64(u.here())
	}
}
