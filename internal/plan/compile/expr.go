package compile

import (
	"slices"

	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// exprs compiles expressions one after the other.
func (b *builder) exprs(list []syntax.Expr) {
	for _, e := range list {
		b.expr(e)
	}
}

// expr compiles an expression, which leaves its value on the stack.
func (b *builder) expr(e syntax.Expr) {
	if b.dead {
		return
	}
	old := b.at(e)
	switch e := e.(type) {
	case *syntax.Constant:
		b.constantExpr(e)
	case *syntax.Name:
		b.load(e.ID)
	case *syntax.BinOp:
		b.binOp(e)
	case *syntax.UnaryOp:
		b.unaryOp(e)
	case *syntax.BoolOp:
		b.boolOp(e)
	case *syntax.Compare:
		b.compare(e)
	case *syntax.IfExp:
		b.ifExp(e)
	case *syntax.NamedExpr:
		b.expr(e.Value)
		b.emit(bytecode.Dup, 0)
		b.store(e.Target.ID)
	case *syntax.Attribute:
		b.attribute(e)
	case *syntax.Subscript:
		b.expr(e.Value)
		b.expr(e.Slice)
		b.may(2)
		b.emit(bytecode.Subscr, 0)
	case *syntax.Slice:
		b.slice(e)
	case *syntax.Call:
		b.call(e)
	case *syntax.JoinedStr:
		b.joinedStr(e)
	case *syntax.FormattedValue:
		b.formatted(e, false)
	case *syntax.Lambda:
		b.lambda(e)
	default:
		b.display(e)
	}
	b.pos = old
}

func (b *builder) display(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.Tuple:
		b.tuple(e)
	case *syntax.List:
		b.elements(bytecode.BuildList, bytecode.ListAppend, bytecode.ListExtend, e.Elts)
	case *syntax.Set:
		b.setDisplay(e)
	case *syntax.Dict:
		b.dict(e)
	case *syntax.Comp:
		if b.c.scopes.of[e].kind == scopeInline {
			b.comprehension(e)
		} else {
			b.generatorExp(e)
		}
	case *syntax.Await:
		b.expr(e.Value)
		b.may(1)
		b.emit(bytecode.Await, 0)
	case *syntax.Yield:
		b.orNone(e.Value)
		if e.From {
			b.may(1)
			b.emit(bytecode.YieldIter, 0)
			b.pcIter()
			b.stick()
			b.emit(bytecode.LoadNone, 0)
			b.emit(bytecode.YieldFrom, 0)
		} else {
			b.pcTop()
			b.emit(bytecode.Yield, 0)
		}
	default:
		r := e.Range().Start
		b.c.fail(r, "this expression is not part of the language")
		b.emit(bytecode.LoadNone, 0)
	}
}

func (b *builder) binOp(e *syntax.BinOp) {
	b.expr(e.Left)
	b.expr(e.Right)
	b.may(2)
	switch e.Op {
	case syntax.Add:
		b.emit(bytecode.Add, 0)
	case syntax.Sub:
		b.emit(bytecode.Sub, 0)
	case syntax.Mult:
		b.emit(bytecode.Mul, 0)
	case syntax.FloorDiv:
		b.emit(bytecode.FloorDiv, 0)
	case syntax.Mod:
		b.emit(bytecode.Mod, 0)
	default:
		b.emit(bytecode.Binary, int(e.Op))
	}
}

func (b *builder) unaryOp(e *syntax.UnaryOp) {
	if c, ok := fold(e); ok {
		b.constantExpr(c)
		return
	}
	b.expr(e.Operand)
	b.may(1)
	if e.Op == syntax.Not {
		b.emit(bytecode.Not, 0)
	} else {
		b.emit(bytecode.Unary, int(e.Op))
	}
}

// boolOp compiles `a and b`, `a or b` for their value.
func (b *builder) boolOp(e *syntax.BoolOp) {
	r := b.enter(e)
	end := newPlace()
	op := bytecode.JumpFalseKeep
	if e.Op == syntax.Or {
		op = bytecode.JumpTrueKeep
	}
	for _, v := range e.Values[:len(e.Values)-1] {
		b.expr(v)
		b.condJump(op, end)
	}
	b.expr(e.Values[len(e.Values)-1])
	b.arrive(end)
	b.leave(r, true)
}

func (b *builder) ifExp(e *syntax.IfExp) {
	b.choose(e, e.Test, func() { b.expr(e.Body) }, func() { b.expr(e.OrElse) }, true)
}

// choose compiles what depends on a test: a statement, or an expression, which
// leaves a value. Of a test that is known only the side that it takes is compiled.
func (b *builder) choose(n syntax.Node, test syntax.Expr, body, orElse func(), leavesValue bool) {
	if truth, ok := known(test); ok {
		if truth {
			body()
		} else {
			orElse()
		}
		return
	}
	r := b.enter(n)
	end, other := newPlace(), newPlace()
	b.jumpIf(test, other, false)
	body()
	b.jump(bytecode.Jump, end)
	b.set(other)
	orElse()
	b.set(end)
	b.leave(r, leavesValue)
}

// compare compiles a comparison for its value; a chain ends at the first that fails.
func (b *builder) compare(e *syntax.Compare) {
	b.expr(e.Left)
	if len(e.Ops) == 1 {
		b.chain(e, 0, nil)
		return
	}
	r := b.enter(e)
	end, done := newPlace(), newPlace()
	b.chain(e, bytecode.JumpFalseKeep, end)
	b.jump(bytecode.Jump, done)
	b.set(end)
	b.emit(bytecode.Swap, 2)
	b.emit(bytecode.Pop, 0)
	b.set(done)
	b.leave(r, true)
}

// chain compares what is at the top with one operand after the other, up to the value of
// the last comparison; each before it that fails goes to fail by op.
func (b *builder) chain(e *syntax.Compare, op bytecode.Op, fail *place) {
	for i, cmp := range e.Ops {
		b.expr(e.Comparators[i])
		more := i < len(e.Ops)-1
		if more {
			b.emit(bytecode.Dup, 0)
			b.emit(bytecode.Rotate, 3)
		}
		b.may(2)
		b.emit(bytecode.Compare, int(cmp))
		if more {
			b.condJump(op, fail)
		}
	}
}

// jumpIf goes to p when the truth of e is when, else on.
func (b *builder) jumpIf(e syntax.Expr, p *place, when bool) {
	if b.dead {
		return
	}
	old := b.at(e)
	defer func() { b.pos = old }()
	switch e := e.(type) {
	case *syntax.UnaryOp:
		if e.Op == syntax.Not {
			b.jumpIf(e.Operand, p, !when)
			return
		}
	case *syntax.BoolOp:
		b.jumpIfBool(e, p, when)
		return
	case *syntax.Compare:
		if len(e.Ops) > 1 {
			b.jumpIfChain(e, p, when)
			return
		}
		if c, ok := e.Comparators[0].(*syntax.Constant); ok && c.Kind == syntax.None && (e.Ops[0] == syntax.Is || e.Ops[0] == syntax.IsNot) {
			b.expr(e.Left)
			op := bytecode.JumpNone
			if (e.Ops[0] == syntax.Is) != when {
				op = bytecode.JumpNotNone
			}
			b.condJump(op, p)
			return
		}
	case *syntax.Constant:
		if truth, ok := known(e); ok {
			if truth == when {
				b.jump(bytecode.Jump, p)
			}
			return
		}
	}
	b.expr(e)
	if when {
		b.condJump(bytecode.JumpTrue, p)
	} else {
		b.condJump(bytecode.JumpFalse, p)
	}
}

func (b *builder) jumpIfBool(e *syntax.BoolOp, p *place, when bool) {
	// The truth value that ends the evaluation early: false for and, true for or.
	early := e.Op == syntax.Or
	last := len(e.Values) - 1
	if early == when {
		for _, v := range e.Values {
			b.jumpIf(v, p, when)
		}
		return
	}
	on := newPlace()
	for _, v := range e.Values[:last] {
		b.jumpIf(v, on, early)
	}
	b.jumpIf(e.Values[last], p, when)
	b.arrive(on)
}

func (b *builder) jumpIfChain(e *syntax.Compare, p *place, when bool) {
	fail, end := newPlace(), newPlace()
	b.expr(e.Left)
	b.chain(e, bytecode.JumpFalse, fail)
	if when {
		b.condJump(bytecode.JumpTrue, p)
	} else {
		b.condJump(bytecode.JumpFalse, p)
	}
	b.jump(bytecode.Jump, end)
	b.set(fail)
	b.emit(bytecode.Pop, 0)
	if !when {
		b.jump(bytecode.Jump, p)
	}
	b.set(end)
}

func (b *builder) attribute(e *syntax.Attribute) {
	if b.superCall(e.Value) {
		b.may(2)
		b.emit(bytecode.LoadSuperAttr, b.nameIndex(b.scope.mangle(e.Attr)))
		return
	}
	b.expr(e.Value)
	b.may(1)
	b.emit(bytecode.LoadAttr, b.site(b.scope.mangle(e.Attr)))
}

// superCall recognizes super() and pushes class and object.
func (b *builder) superCall(e syntax.Expr) bool {
	call, ok := e.(*syntax.Call)
	if !ok || len(call.Args)+len(call.Keywords) > 0 {
		return false
	}
	name, ok := call.Func.(*syntax.Name)
	if !ok || name.ID != "super" || b.scope.resolve("super").kind != refGlobal || b.root().vars["super"] != nil {
		return false
	}
	r := b.scope.resolve("__class__")
	if b.own.params == 0 || r.kind != refFree && r.kind != refLocal {
		return false
	}
	b.load("__class__")
	b.loadVar(b.own.order[0])
	return true
}

func (b *builder) root() *scope {
	s := b.own
	for s.parent != nil {
		s = s.parent
	}
	return s
}

func (b *builder) slice(e *syntax.Slice) {
	parts, n := [3]syntax.Expr{e.Lower, e.Upper, e.Step}, 2
	if e.Step != nil {
		n = 3
	}
	for _, p := range parts[:n] {
		b.orNone(p)
	}
	b.emit(bytecode.BuildSlice, n)
}

// orNone compiles an expression, which may be left out.
func (b *builder) orNone(e syntax.Expr) {
	if e == nil {
		b.emit(bytecode.LoadNone, 0)
	} else {
		b.expr(e)
	}
}

// tuple folds tuples of literals.
func (b *builder) tuple(e *syntax.Tuple) {
	if v, ok := b.literalOf(e, maxFold); ok {
		b.code.Consts = append(b.code.Consts, v)
		b.emit(bytecode.LoadConst, len(b.code.Consts)-1)
		return
	}
	if hasStar(e.Elts) {
		b.elements(bytecode.BuildList, bytecode.ListAppend, bytecode.ListExtend, e.Elts)
		b.emit(bytecode.ListToTuple, 0)
		return
	}
	b.exprs(e.Elts)
	b.emit(bytecode.BuildTuple, len(e.Elts))
}

// maxFold bounds the height of a tuple of literals, as each tuple in it tries again.
const maxFold = 8

// literalOf returns the value of a literal, or of a tuple of some.
func (b *builder) literalOf(e syntax.Expr, height int) (value.Value, bool) {
	tu, ok := e.(*syntax.Tuple)
	if !ok {
		c, ok := fold(e)
		if !ok {
			return value.Value{}, false
		}
		v, _ := b.literal(c)
		return v, true
	}
	if height == 0 {
		return value.Value{}, false
	}
	items := make([]value.Value, len(tu.Elts))
	for i, x := range tu.Elts {
		if items[i], ok = b.literalOf(x, height-1); !ok {
			return value.Value{}, false
		}
	}
	return value.Value{Kind: value.KTuple, Obj: &value.Tuple{Items: items}}, true
}

func isStar(e syntax.Expr) bool {
	_, ok := e.(*syntax.Starred)
	return ok
}

func hasStar(elts []syntax.Expr) bool { return slices.ContainsFunc(elts, isStar) }

// maxBuild bounds the values that a display lays on the stack before it is built.
const maxBuild = 64

// elements builds a list or set of elements, some of which may be *x.
func (b *builder) elements(build, add, extend bytecode.Op, elts []syntax.Expr) {
	n := 0
	for n < len(elts) && n < maxBuild && !isStar(elts[n]) {
		b.expr(elts[n])
		n++
	}
	b.emitBuild(build, n)
	for _, e := range elts[n:] {
		if st, ok := e.(*syntax.Starred); ok {
			b.expr(st.Value)
			b.may(1)
			b.emit(extend, 1)
		} else {
			b.expr(e)
			b.emitAdd(add, 1)
		}
	}
}

// setDisplay builds a set. One of three literals or more is made, as in CPython,
// by an update from a set of them: that decides the order of its elements.
func (b *builder) setDisplay(e *syntax.Set) {
	if !b.isLiteralSet(e) {
		b.elements(bytecode.BuildSet, bytecode.SetAdd, bytecode.SetUpdate, e.Elts)
		return
	}
	b.emit(bytecode.BuildSet, 0)
	b.elements(bytecode.BuildSet, bytecode.SetAdd, bytecode.SetUpdate, e.Elts)
	b.may(1)
	b.emit(bytecode.SetUpdate, 1)
}

// iterator puts an iterator over e on the stack. A set of literals is walked over as it is.
func (b *builder) iterator(e syntax.Expr) {
	if s, ok := e.(*syntax.Set); ok && b.isLiteralSet(s) {
		old := b.at(e)
		b.elements(bytecode.BuildSet, bytecode.SetAdd, bytecode.SetUpdate, s.Elts)
		b.pos = old
	} else {
		b.expr(e)
	}
	b.may(1)
	b.emit(bytecode.GetIter, 0)
}

func (b *builder) isLiteralSet(e *syntax.Set) bool {
	return len(e.Elts) > 2 && !slices.ContainsFunc(e.Elts, func(x syntax.Expr) bool {
		_, ok := b.literalOf(x, maxFold)
		return !ok
	})
}

// emitBuild and emitAdd: a set looks at its elements' hashes, which may fail.
func (b *builder) emitBuild(op bytecode.Op, n int) {
	if op == bytecode.BuildSet {
		b.may(n)
	}
	b.emit(op, n)
}

func (b *builder) emitAdd(op bytecode.Op, n int) {
	switch op {
	case bytecode.SetAdd:
		b.may(1)
	case bytecode.MapAdd:
		b.may(2)
	}
	b.emit(op, n)
}

func (b *builder) dict(e *syntax.Dict) {
	n := 0
	for n < len(e.Keys) && n < maxBuild && e.Keys[n] != nil {
		b.expr(e.Keys[n])
		b.expr(e.Values[n])
		n++
	}
	b.may(2 * n)
	b.emit(bytecode.BuildMap, n)
	for i := n; i < len(e.Keys); i++ {
		if e.Keys[i] == nil {
			b.expr(e.Values[i])
			b.may(1)
			b.emit(bytecode.DictUpdate, 1)
			continue
		}
		b.expr(e.Keys[i])
		b.expr(e.Values[i])
		b.emitAdd(bytecode.MapAdd, 1)
	}
}

// joinedStr compiles an f-string.
func (b *builder) joinedStr(e *syntax.JoinedStr) {
	n := 0
	for _, v := range e.Values {
		if f, ok := v.(*syntax.FormattedValue); ok {
			old := b.at(f)
			b.formatted(f, len(e.Values) > 1)
			b.pos = old
		} else {
			b.expr(v)
		}
		if n++; n == maxBuild {
			b.emit(bytecode.BuildString, n)
			n = 1
		}
	}
	switch {
	case n == 0:
		b.loadStr("")
	case n == 1 && len(e.Values) == 1:
		// A literal alone, or a formatted value, which is a string already.
	default:
		b.emit(bytecode.BuildString, n)
	}
}

// formatted formats one value; part says that it becomes part of a longer string.
func (b *builder) formatted(e *syntax.FormattedValue, part bool) {
	b.expr(e.Value)
	arg := 0
	switch e.Conversion {
	case 's':
		arg = 1
	case 'r':
		arg = 2
	case 'a':
		arg = 3
	}
	if e.FormatSpec != nil {
		b.joinedStr(e.FormatSpec)
		arg |= 4
	}
	b.may(1 + arg>>2)
	if part && arg == 0 {
		arg = 8
	}
	b.emit(bytecode.Format, arg)
}
