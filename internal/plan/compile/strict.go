package compile

import (
	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/syntax"
)

// Strict mode follows implicit flows, too. What it promises: two runs of a
// program that differ in data of label L alone, and both come to their end,
// have the same values, calls and output wherever L is not in the label. How
// this is guaranteed:
//
// The thread has a label of control, pc. A value that is tested joins its label
// into pc before the jump. The machine joins pc into whatever is stored in an
// object, called or printed while it is not nothing.
//
// What was tested decides over a region of the program: both arms of an if, the
// body of a loop, the rest of an and. At its end, on each way that leads there,
// the variables that any arm could have assigned get pc; then pc becomes what
// it was before. A variable that += changes may refer to a list that others refer to,
// too: its shape and elements get pc as well.
//
// If an arm could have changed anything but variables, the region is sticky:
// pc stays as it is for the rest of the run. Facts about the whole program show
// what an arm could change (effects.go); calling a tool does not count, as
// nothing in the program changes by it and the call itself has the label of pc.
//
// A break or continue extends the region to the end of its loop, a return to the
// end of the function; there the variables that the function shares with others
// get pc, the value that is returned too, and pc is what it was when the
// function was called. In generators and coroutines that is not known, so they
// are sticky.
//
// Exceptions: within a try or a with statement the thread is trying. Whatever
// could raise then joins its operands' labels into pc, for the rest of the run,
// as what comes after it only happens if it did not raise; so does pc at the end
// of each region, as the region may have been left. The label of an exception that
// is handled joins pc, too. Where nobody could handle one, nobody sees that it was
// not raised. That a name is not bound is an exception as well: where one may be
// handled, a region that leaves it open whether a variable is bound is sticky.

// region is a stretch of program that is decided over by what was tested.
type region struct {
	slot int // keeps pc as it was before
	e    effects
}

// enter begins the region of n. It is nil when the program is not compiled for strict mode.
func (b *builder) enter(n syntax.Node) *region {
	if !b.c.strict || b.dead {
		return nil
	}
	r := &region{slot: b.hidden(), e: b.c.facts.of(n)}
	b.emit(bytecode.PcSave, r.slot)
	if b.c.facts.catches && len(r.e.assigned) > 0 {
		sure := definite(n)
		for _, name := range r.e.assigned {
			if !sure[name] {
				b.mustBeBound(name, r.slot)
			}
		}
	}
	return r
}

// mustBeBound makes a region sticky that leaves it open whether a variable is bound.
func (b *builder) mustBeBound(name string, slot int) {
	if op, arg, v := controlled.at(b, name); v == nil || !b.bound.has(v.slot) {
		b.emit2(op, arg, slot+2)
	}
}

// leave ends a region; top says that its value lies on the stack.
func (b *builder) leave(r *region, top bool) {
	if r == nil {
		return
	}
	if top {
		b.emit(bytecode.PcTop, 0)
	}
	for _, name := range r.e.assigned {
		b.pcVariable(name, r.e.only[name])
	}
	switch {
	case r.e.sticky || r.e.returns && !b.restores || b.own.kind == scopeClass && len(r.e.assigned) > 0: // anybody can ask which names a class has
		b.emit(bytecode.PcStick, 0)
	case r.e.escapes || r.e.returns:
	default:
		b.emit(bytecode.PcRestore, r.slot)
	}
	b.release(r.slot)
}

// pcVariable joins pc into a variable; contents: into the list that it refers to, too.
func (b *builder) pcVariable(name string, contents bool) {
	op, arg, _ := controlled.at(b, name)
	deep := 0
	if contents {
		deep = 1
	}
	b.emit2(op, arg, deep)
}

// controlled are the instructions that look at a variable for the label of control.
var controlled = places{bytecode.PcGlobal, bytecode.PcName, bytecode.PcDeref, bytecode.PcFast}

// beginStrict prepares the code of a function: if a return can be passed by, the
// whole body is one region, at whose end pc is what it was at the call.
func (b *builder) beginStrict(body []syntax.Stmt) {
	if !b.c.strict || b.own.generator || b.own.coroutine || !conditionalReturn(body) {
		return
	}
	b.restores = true
	b.whole = &region{slot: b.hidden(), e: b.c.facts.ofBody(body)}
	b.emit(bytecode.PcSave, b.whole.slot)
}

// conditionalReturn says whether there is a return within a compound statement.
func conditionalReturn(body []syntax.Stmt) bool {
	found := false
	for _, s := range body {
		if _, ok := s.(*syntax.Return); ok {
			continue
		}
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n.(type) {
			case *syntax.FunctionDef, *syntax.ClassDef, *syntax.Lambda:
				return false
			case *syntax.Return:
				found = true
			}
			return !found
		})
	}
	return found
}

// endStrict ends the region of a function before it returns.
func (b *builder) endStrict(value bool) {
	if !b.c.strict {
		return
	}
	if !value {
		b.emit(bytecode.LoadNone, 0)
	}
	b.emit(bytecode.PcTop, 0)
	if b.whole == nil {
		return
	}
	for _, name := range b.whole.e.assigned {
		m := b.scope.mangle(name)
		if r := b.scope.resolve(m); r.kind != refLocal || r.v.cell || b.whole.e.only[name] {
			b.pcVariable(name, b.whole.e.only[name])
		}
	}
	if b.whole.e.sticky {
		b.emit(bytecode.PcStick, 0)
	} else {
		b.emit(bytecode.PcRestore, b.whole.slot)
	}
}

// condJump adds a jump that depends on the value at the top.
func (b *builder) condJump(op bytecode.Op, p *place) {
	if !b.c.strict {
		b.jump(op, p)
		return
	}
	switch op {
	case bytecode.JumpNone, bytecode.JumpNotNone:
		b.emit(bytecode.PcJoin, 0)
		b.jump(op, p)
	case bytecode.JumpFalseKeep, bytecode.JumpTrueKeep:
		b.emit(bytecode.Dup, 0)
		b.truth()
		if op == bytecode.JumpFalseKeep {
			b.jump(bytecode.JumpFalse, p)
		} else {
			b.jump(bytecode.JumpTrue, p)
		}
		b.emit(bytecode.Pop, 0)
	default:
		b.truth()
		b.jump(op, p)
	}
}

func (b *builder) truth() {
	b.may(1)
	b.emit(bytecode.Truth, 0)
	b.emit(bytecode.PcJoin, 0)
}

// stuckJump is condJump where no region ends: pc stays.
func (b *builder) stuckJump(op bytecode.Op, p *place) {
	if b.c.strict {
		b.truth()
	}
	b.stick()
	b.jump(op, p)
}

func (b *builder) stick() {
	if b.c.strict {
		b.emit(bytecode.PcStick, 0)
	}
}

// may notes that what is at the top of the stack could make the next instruction raise.
func (b *builder) may(n int) {
	if b.c.strict && b.c.facts.catches && n > 0 {
		b.emit(bytecode.May, n)
	}
}

// pcIter: how often a loop goes round depends on what it goes over.
func (b *builder) pcIter() {
	if b.c.strict {
		b.emit(bytecode.PcIter, 0)
	}
}

func (b *builder) pcTop() {
	if b.c.strict {
		b.emit(bytecode.PcTop, 0)
	}
}

// tryBegin opens a try or with statement; n is the statement.
func (b *builder) tryBegin(n syntax.Stmt) *region {
	if !b.c.strict || b.dead {
		return nil
	}
	r := &region{slot: b.hidden(), e: b.c.facts.ofBody([]syntax.Stmt{n})}
	b.emit(bytecode.MaySave, r.slot)
	return r
}

// mayJoin ends the part of a try statement whose exceptions it handles. Nobody
// knows who resumes a generator, so there the thread goes on trying.
func (b *builder) mayJoin(r *region) {
	if r != nil && !b.own.generator && !b.own.coroutine {
		b.emit(bytecode.MayJoin, r.slot)
	}
}

func (b *builder) tryEnd(r *region) {
	if r == nil {
		return
	}
	for _, name := range r.e.assigned {
		b.pcVariable(name, r.e.only[name])
	}
	b.release(r.slot)
}

// wholeGenexp says whether a generator expression is used up by the call that it
// is an argument of, and nothing depends on when its elements are made: it is
// compiled like a list comprehension, as generators are sticky.
func (f *facts) wholeGenexp(call *syntax.Call) *syntax.Comp {
	if f == nil || len(call.Args) != 1 {
		return nil
	}
	g, ok := call.Args[0].(*syntax.Comp)
	if !ok || g.Kind != syntax.GeneratorExp {
		return nil
	}
	switch fn := call.Func.(type) {
	case *syntax.Name:
		if !oneOf(drainedWhole, fn.ID) || f.bound[fn.ID] > 0 {
			return nil
		}
	case *syntax.Attribute:
		if c, ok := fn.Value.(*syntax.Constant); !ok || c.Kind != syntax.Str || fn.Attr != "join" {
			return nil
		}
	default:
		return nil
	}
	w := &effectWalk{f: f}
	w.node(g.Elt)
	for i, c := range g.Generators {
		if i > 0 {
			w.node(c.Iter)
		}
		eachNode(w, c.Ifs)
	}
	if w.e.sticky || len(w.e.assigned) > 0 {
		return nil
	}
	return g
}
