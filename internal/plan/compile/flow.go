package compile

import (
	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// block is what encloses a statement, and has to be left in order when a jump
// or a return goes out of it.
type block struct {
	kind   blockKind
	brk    *place // loops
	cont   *place
	ranges []*protected
	final  []syntax.Stmt // blockFinally
	name   string        // blockHandler: the variable of `except E as name`
	pos    syntax.Pos    // blockWith: where the with statement stands
	region *region       // blockTry, blockFinally, blockWith: strict mode
}

type blockKind uint8

const (
	blockWhile   blockKind = iota + 1
	blockFor               // (it) lies on the stack
	blockTry               // body of a try with except clauses
	blockFinally           // body of a try with a finally clause
	blockEnd               // the finally clause itself, after an exception: (prev exc) lie on the stack
	blockHandler           // an except clause: (prev) lies on the stack
	blockWith              // (exit) lies on the stack
)

// protected is a stretch of code whose exceptions go to a handler. It has holes
// where code of blocks further out was put into it.
type protected struct {
	handler *place
	depth   int
	start   int // of the open stretch; -1 when closed
	bound   slotSet
	any     bool // some code is in it
}

// protect opens a protected range here.
func (b *builder) protect() *protected {
	p := &protected{handler: newPlace(), depth: b.depth, start: len(b.ins), bound: b.bound}
	b.boundary = true
	return p
}

// pause ends the open stretch; resume opens the next one.
func (b *builder) pause(p *protected) {
	if p.start >= 0 && p.start < len(b.ins) {
		b.tries = append(b.tries, value.Try{Start: int32(p.start), End: int32(len(b.ins)), Depth: int32(p.depth)})
		b.handlers = append(b.handlers, p.handler)
		p.any = true
	}
	p.start = -1
	b.boundary = true
}

func (b *builder) resume(p *protected) {
	p.start = len(b.ins)
	b.boundary = true
}

// catch begins the handler of p: the exception lies on top of the stack. It
// reports false when nothing can raise there.
func (b *builder) catch(p *protected) bool {
	if !p.any {
		b.dead = true
		return false
	}
	p.handler.depth = p.depth + 1
	p.handler.bound = p.bound
	b.dead = true
	b.set(p.handler)
	b.code.Stack = max(b.code.Stack, b.depth+1)
	return true
}

// loops

func (b *builder) while(n *syntax.While) {
	truth, isKnown := known(n.Test)
	if isKnown && !truth {
		b.block(n.OrElse)
		return
	}
	r := b.enter(n)
	head, end, brk := b.head(), newPlace(), newPlace()
	if !isKnown {
		b.jumpIf(n.Test, end, false)
	}
	b.blocks = append(b.blocks, block{kind: blockWhile, brk: brk, cont: head})
	b.block(n.Body)
	b.blocks = b.blocks[:len(b.blocks)-1]
	b.jump(bytecode.JumpBack, head)
	b.arrive(end)
	b.block(n.OrElse)
	b.arrive(brk)
	b.leave(r, false)
}

// arrive sets p here if anything goes there; otherwise what follows stays dead.
func (b *builder) arrive(p *place) {
	if p.depth >= 0 {
		b.set(p)
	}
}

func (b *builder) forStmt(n *syntax.For) {
	b.iterator(n.Iter)
	r := b.enter(n)
	head, end, brk := b.head(), newPlace(), newPlace()
	b.may(1)
	b.pcIter()
	b.jump(bytecode.ForIter, end)
	b.assign(n.Target)
	b.blocks = append(b.blocks, block{kind: blockFor, brk: brk, cont: head})
	b.block(n.Body)
	b.blocks = b.blocks[:len(b.blocks)-1]
	b.jump(bytecode.JumpBack, head)
	b.arrive(end)
	b.block(n.OrElse)
	b.arrive(brk)
	b.leave(r, false)
}

// breakLoop compiles break and continue.
func (b *builder) breakLoop(again bool) {
	i := len(b.blocks) - 1
	for i >= 0 && b.blocks[i].kind != blockWhile && b.blocks[i].kind != blockFor {
		i--
	}
	if i < 0 {
		return // reported as an error already
	}
	loop := b.blocks[i]
	paused := b.unwind(i + 1)
	if again {
		b.jump(bytecode.JumpBack, loop.cont)
	} else {
		if loop.kind == blockFor {
			b.emit(bytecode.PopIter, 0)
		}
		b.jump(bytecode.Jump, loop.brk)
	}
	b.rejoin(paused)
}

func (b *builder) returns(n *syntax.Return) {
	plain := true
	for _, k := range b.blocks {
		plain = plain && (k.kind == blockWhile || k.kind == blockFor || k.kind == blockTry && !b.c.strict)
	}
	c, isConst := fold(n.Value)
	if n.Value == nil || isConst && !b.c.strict {
		var paused []*protected
		if !plain {
			paused = b.unwind(0)
		}
		if isConst {
			b.constantExpr(c)
		}
		b.leaveFunction(n.Value)
		b.rejoin(paused)
		return
	}
	b.expr(n.Value)
	if plain {
		b.leaveFunction(n.Value)
		return
	}
	slot := b.returnSlot()
	b.emit(bytecode.StoreFast, slot)
	b.saving++
	paused := b.unwind(0)
	b.saving--
	b.emit(bytecode.LoadFast, slot)
	b.emit(bytecode.ClearFast, slot)
	b.leaveFunction(n.Value)
	b.rejoin(paused)
}

// returnSlot is where the value of a return waits while finally clauses run;
// each return that happens in such a clause has a slot of its own.
func (b *builder) returnSlot() int {
	for len(b.rets) <= b.saving {
		b.rets = append(b.rets, b.slot(".r"))
	}
	return b.rets[b.saving]
}

// unwind leaves the blocks from the innermost down to blocks[to]. The ranges that
// it closed must be opened again with rejoin after the jump.
func (b *builder) unwind(to int) []*protected {
	all := b.blocks
	var paused []*protected
	for i := len(all) - 1; i >= to; i-- {
		k := all[i]
		b.blocks = all[:i:i]
		for _, p := range k.ranges {
			b.pause(p)
			paused = append(paused, p)
		}
		switch k.kind {
		case blockFor:
			b.emit(bytecode.PopIter, 0)
		case blockFinally:
			b.mayJoin(k.region)
			b.block(k.final)
		case blockTry:
			b.mayJoin(k.region)
		case blockEnd:
			b.emit(bytecode.Pop, 0)
			b.emit(bytecode.PopExc, 0)
		case blockHandler:
			b.emit(bytecode.PopExc, 0)
			b.forget(k.name)
		case blockWith:
			b.exit(k.pos)
			b.mayJoin(k.region)
		}
	}
	b.blocks = all
	return paused
}

func (b *builder) rejoin(paused []*protected) {
	for _, p := range paused {
		b.resume(p)
	}
}

// forget unbinds the variable of an except clause.
func (b *builder) forget(name string) {
	if name != "" {
		b.emit(bytecode.LoadNone, 0)
		b.store(name)
		b.del(name)
	}
}

// exit calls the __exit__ that lies on the stack, after no exception.
func (b *builder) exit(pos syntax.Pos) {
	old := b.pos
	b.pos = pos
	for range 3 {
		b.emit(bytecode.LoadNone, 0)
	}
	b.emit(bytecode.Call, 3)
	b.may(1)
	b.emit(bytecode.Pop, 0)
	b.pos = old
}

// try statements

func (b *builder) try(n *syntax.TryStmt) {
	r := b.tryBegin(n)
	if len(n.FinalBody) == 0 {
		b.tryExcept(n, r)
	} else {
		b.tryFinally(n, r)
	}
	b.tryEnd(r)
}

func (b *builder) tryFinally(n *syntax.TryStmt, r *region) {
	end := newPlace()
	p := b.protect()
	b.blocks = append(b.blocks, block{kind: blockFinally, ranges: []*protected{p}, final: n.FinalBody, region: r})
	if len(n.Handlers) > 0 {
		b.tryExcept(n, r)
	} else {
		b.block(n.Body)
		b.block(n.OrElse)
	}
	b.blocks = b.blocks[:len(b.blocks)-1]
	b.pause(p)
	b.mayJoin(r)
	b.block(n.FinalBody)
	b.jump(bytecode.Jump, end)
	if b.catch(p) {
		b.emit(bytecode.PushExc, 0)
		b.mayJoin(r)
		q := b.protectBelow(1)
		b.blocks = append(b.blocks, block{kind: blockEnd, ranges: []*protected{q}})
		b.block(n.FinalBody)
		b.blocks = b.blocks[:len(b.blocks)-1]
		b.emit(bytecode.Reraise, 0)
		b.pause(q)
		b.cleanup(q)
	}
	b.arrive(end)
}

// cleanup is where an exception within a handler goes: what was handled before
// is handled again, and the exception goes on.
func (b *builder) cleanup(p *protected) {
	if b.catch(p) {
		b.emit(bytecode.Swap, 2)
		b.emit(bytecode.PopExc, 0)
		b.emit(bytecode.Reraise, 0)
	}
}

func (b *builder) tryExcept(n *syntax.TryStmt, r *region) {
	end := newPlace()
	p := b.protect()
	b.blocks = append(b.blocks, block{kind: blockTry, ranges: []*protected{p}, region: r})
	b.block(n.Body)
	b.blocks = b.blocks[:len(b.blocks)-1]
	b.pause(p)
	b.mayJoin(r)
	b.block(n.OrElse)
	b.jump(bytecode.Jump, end)
	if b.catch(p) {
		b.emit(bytecode.PushExc, 0)
		b.mayJoin(r)
		q := b.protectBelow(1)
		for _, h := range n.Handlers {
			b.handler(h, q, end)
		}
		b.emit(bytecode.Reraise, 0)
		b.pause(q)
		b.cleanup(q)
	}
	b.arrive(end)
}

// handler compiles one except clause: (prev exc) lie on the stack before, and
// after it when the clause was not for this exception.
func (b *builder) handler(h *syntax.ExceptHandler, q *protected, end *place) {
	if b.dead {
		return
	}
	old := b.at(h)
	next := newPlace()
	if h.Type != nil {
		b.expr(h.Type)
		b.emit(bytecode.MatchExc, 0)
		b.stuckJump(bytecode.JumpFalse, next)
	}
	k := block{kind: blockHandler, ranges: []*protected{q}, name: h.Name}
	var named *protected
	if h.Name != "" {
		b.store(h.Name)
		named = b.protect()
		k.ranges = []*protected{named, q}
	} else {
		b.emit(bytecode.Pop, 0)
	}
	b.blocks = append(b.blocks, k)
	b.block(h.Body)
	b.blocks = b.blocks[:len(b.blocks)-1]
	if named != nil {
		b.pause(named)
	}
	b.pause(q)
	b.emit(bytecode.PopExc, 0)
	b.forget(h.Name)
	b.jump(bytecode.Jump, end)
	b.resume(q)
	if named != nil && b.catch(named) {
		b.forget(h.Name)
		b.emit(bytecode.Reraise, 0)
	}
	b.arrive(next)
	b.pos = old
}

// with compiles a with statement, one item after the other.
func (b *builder) with(items []*syntax.WithItem, body []syntax.Stmt) {
	if len(items) == 0 {
		b.block(body)
		return
	}
	r := b.tryBegin(&syntax.With{Items: items, Body: body})
	it, pos, end := items[0], b.pos, newPlace()
	b.expr(it.ContextExpr)
	b.pos = it.ContextExpr.Range().Start
	b.may(1)
	b.emit(bytecode.WithEnter, 0)
	b.emit(bytecode.Call, 0)
	p := b.protectBelow(1)
	b.blocks = append(b.blocks, block{kind: blockWith, ranges: []*protected{p}, pos: b.pos, region: r})
	if it.OptionalVars != nil {
		b.assign(it.OptionalVars)
	} else {
		b.emit(bytecode.Pop, 0)
	}
	at := b.pos
	b.pos = pos
	b.with(items[1:], body)
	b.blocks = b.blocks[:len(b.blocks)-1]
	b.pause(p)
	b.mayJoin(r)
	b.exit(at)
	b.jump(bytecode.Jump, end)
	b.pos = at
	if b.catch(p) {
		suppress := newPlace()
		b.emit(bytecode.PushExc, 0)
		b.mayJoin(r)
		q := b.protectBelow(1)
		b.emit(bytecode.WithExcept, 0)
		b.stuckJump(bytecode.JumpTrue, suppress)
		b.emit(bytecode.Reraise, 0)
		b.pause(q)
		b.set(suppress)
		b.emit(bytecode.Pop, 0)
		b.emit(bytecode.PopExc, 0)
		b.emit(bytecode.Pop, 0)
		b.jump(bytecode.Jump, end)
		b.cleanup(q)
	}
	b.pos = pos
	b.arrive(end)
	b.tryEnd(r)
}

// protectBelow opens a protected range whose exceptions cut off the n values at the top, too.
func (b *builder) protectBelow(n int) *protected {
	b.depth -= n
	p := b.protect()
	b.depth += n
	return p
}
