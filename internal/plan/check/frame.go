package check

import "praxis/internal/plan/syntax"

// frame analyses the body of an activation. Local variables are kept in the
// order of the program: changes since a mark can be taken back, so that arms
// cost what they change.
type frame struct {
	a      *analysis
	act    *activation
	scope  *scope // of the function, or of a comprehension within
	inline *frame // of a generator expression that is used up at once: the frame around it

	vars  []val
	trail []slotVal
	marks int
	tries []*tryState
	loops []*loopState
	dead  bool
	pc    *lab
	exc   val
	nest  int // loops

	class *object // of class bodies
	tried bool    // the frame around it is trying

	stamp []int32
	accV  []val
	accN  []int32
	epoch int32
}

type slotVal struct {
	slot int32
	v    val
}

// diff is what the variables are since a mark.
type diff struct {
	pairs []slotVal
	dead  bool
}

// tryState gathers what a try statement's body may leave behind at any point.
type tryState struct {
	first map[int32]int
	pairs []slotVal // all that a variable ever was in it
	jumps []*loopState
	loops int // that are around it
}

type loopState struct {
	mark      int
	breaks    []diff
	continues []diff
}

func (f *frame) start() {
	host := f.act.fn.scope
	if host == nil {
		return
	}
	f.vars = make([]val, len(host.slotted))
}

// set stores a variable of this frame.
func (f *frame) set(slot int32, v val) {
	if f.marks > 0 {
		f.trail = append(f.trail, slotVal{slot, f.vars[slot]})
	}
	f.vars[slot] = v
	if n := len(f.tries); n > 0 {
		f.tries[n-1].note(slot, v)
	}
}

func (t *tryState) note(slot int32, v val) {
	if t.first == nil {
		t.first = map[int32]int{}
	}
	if i, ok := t.first[slot]; ok {
		t.pairs[i].v = join(t.pairs[i].v, v)
		return
	}
	t.first[slot] = len(t.pairs)
	t.pairs = append(t.pairs, slotVal{slot, v})
}

func (f *frame) mark() int {
	f.marks++
	return len(f.trail)
}

func (f *frame) unmark() {
	if f.marks--; f.marks == 0 {
		f.trail = f.trail[:0]
	}
}

// fresh prepares the scratch arrays.
func (f *frame) fresh() {
	if len(f.stamp) < len(f.vars) {
		n := len(f.vars)
		f.stamp, f.accV, f.accN = make([]int32, n), make([]val, n), make([]int32, n)
		f.epoch = 0
	}
	f.epoch++
}

// since returns what has changed since a mark.
func (f *frame) since(mark int) diff {
	d := diff{dead: f.dead}
	if len(f.trail) == mark {
		return d
	}
	f.fresh()
	for _, t := range f.trail[mark:] {
		if f.stamp[t.slot] != f.epoch {
			f.stamp[t.slot] = f.epoch
			d.pairs = append(d.pairs, slotVal{t.slot, f.vars[t.slot]})
		}
	}
	return d
}

// rollback takes back what has changed since a mark.
func (f *frame) rollback(mark int) {
	for i := len(f.trail) - 1; i >= mark; i-- {
		f.vars[f.trail[i].slot] = f.trail[i].v
	}
	f.trail = f.trail[:mark]
}

// take is since and rollback.
func (f *frame) take(mark int) diff {
	d := f.since(mark)
	f.rollback(mark)
	f.dead = false
	return d
}

func (f *frame) apply(d diff) {
	for _, p := range d.pairs {
		f.set(p.slot, p.v)
	}
	f.dead = d.dead
}

// merge continues with any of several states, all taken since the present one.
// What any of them has assigned depends on the control flow.
func (f *frame) merge(alts ...diff) {
	live, last := 0, -1
	for i := range alts {
		if !alts[i].dead {
			live++
			last = i
		}
	}
	if live == 0 {
		f.dead = true
		return
	}
	f.dead = false
	if live == 1 && f.pc == nil {
		f.apply(alts[last])
		return
	}
	f.fresh()
	var order []int32
	for i := range alts {
		if alts[i].dead {
			continue
		}
		for _, p := range alts[i].pairs {
			if f.stamp[p.slot] != f.epoch {
				f.stamp[p.slot] = f.epoch
				f.accV[p.slot], f.accN[p.slot] = p.v, 1
				order = append(order, p.slot)
			} else {
				f.accV[p.slot] = join(f.accV[p.slot], p.v)
				f.accN[p.slot]++
			}
		}
	}
	for _, slot := range order {
		v := f.accV[slot]
		if int(f.accN[slot]) < live {
			v = join(v, f.vars[slot])
		}
		if f.pc != nil {
			v = v.with(f.pc)
		}
		f.set(slot, v)
	}
	for i := range alts {
		if !alts[i].dead || f.pc == nil {
			continue
		}
		for _, p := range alts[i].pairs {
			if f.stamp[p.slot] != f.epoch {
				f.stamp[p.slot] = f.epoch
				f.set(p.slot, f.vars[p.slot].with(f.pc))
			}
		}
	}
}

// control joins what a test depends on into the control flow.
func (f *frame) control(v val) { f.stick(v.may) }

// stick notes that what is done is written in the plan language itself, with
// branches of its own that depend on what it is given.
func (f *frame) stick(l *lab) {
	if f.a.strict {
		f.pc = union(f.pc, l)
	}
}

// trying says whether somebody may handle an exception that is raised here.
func (f *frame) trying() bool {
	if f.a.scopes.always || len(f.tries) > 0 || f.tried || f.act.trying {
		return true
	}
	fn := f.act.fn
	return f.a.scopes.tries && fn.scope != nil && (fn.lazy || fn.gens != nil)
}

// raises notes that an operation may fail with an exception that depends on a set.
// In strict mode, that it did not fail depends on the set as well.
func (f *frame) raises(l *lab) {
	if l == nil || !f.a.scopes.catches && !(f.a.strict && f.a.scopes.foreign) {
		return
	}
	f.exc.may = union(f.exc.may, l)
	if f.a.strict && f.trying() {
		f.pc = union(f.pc, l)
	}
}

// risks is raises for operations on values, which depend on their shapes, too.
func (f *frame) risks(vs ...val) {
	if !f.a.strict || !f.trying() {
		return
	}
	for _, v := range vs {
		f.raises(f.lengthOf(v))
	}
}

// read returns the value of a variable that name stands for, and whether the
// program binds that name at all.
func (f *frame) read(n *syntax.Name) (val, bool) {
	owner, slot, ok := f.scope.lookup(n.ID)
	if !ok {
		return val{}, false
	}
	return f.variable(owner, slot), true
}

func (f *frame) variable(owner *scope, slot int32) val {
	if f.vars != nil && owner == f.act.fn.scope {
		v := f.vars[slot]
		if owner.shared[slot] {
			v = join(v, f.act.cell(slot))
		}
		return v
	}
	for g := f.inline; g != nil; g = g.inline {
		if g.act.fn.scope == owner {
			return g.variable(owner, slot)
		}
	}
	if act := f.act.around(owner); act != nil {
		return act.cell(slot)
	}
	return val{}
}

// around finds the activation of an enclosing function.
func (act *activation) around(owner *scope) *activation {
	for t := act; t != nil; t = t.fn.outer {
		if t.fn.scope == owner {
			return t
		}
	}
	return nil
}

func (act *activation) cell(slot int32) val {
	if int(slot) < len(act.cells) {
		return act.cells[slot]
	}
	return val{}
}

// write assigns to the variable that a name stands for.
func (f *frame) write(name string, v val, at syntax.Pos) {
	v.may = union(v.may, f.pc).via(at, stepAssign, name)
	owner, slot, ok := f.scope.lookup(name)
	if !ok {
		return
	}
	if f.class != nil && owner == f.act.fn.scope {
		f.a.setAttr(f.class, name, v)
	}
	f.keep(owner, slot, v)
}

// keep stores the value of a variable.
func (f *frame) keep(owner *scope, slot int32, v val) {
	if owner == f.act.fn.scope && f.vars != nil {
		f.set(slot, v)
		if owner.captured[slot] {
			f.a.share(f.act, slot, v)
		}
		return
	}
	for g := f.inline; g != nil; g = g.inline {
		if g.act.fn.scope == owner {
			g.set(slot, v)
			f.a.share(g.act, slot, v)
			return
		}
	}
	if act := f.act.around(owner); act != nil {
		if !owner.shared[slot] {
			owner.shared[slot], owner.captured[slot] = true, true
			f.a.grew()
		}
		f.a.share(act, slot, v)
	}
}

// share stores in a variable that several functions use.
func (a *analysis) share(act *activation, slot int32, v val) {
	if act.cells == nil {
		act.cells = make([]val, len(act.fn.scope.slotted))
	}
	a.grow(&act.cells[slot], v)
}
