package check

import "praxis/internal/plan/syntax"

// body analyses the code of the frame's function.
func (f *frame) body() {
	fn := f.act.fn
	f.bindParams()
	switch {
	case fn.gens != nil:
		f.generatorBody(fn.gens)
	case fn.expr != nil:
		f.returned(f.eval(fn.expr))
	default:
		f.block(fn.body)
		if !f.dead {
			f.returned(f.constant(nil))
		}
	}
}

// bindParams puts what was passed into the parameters.
func (f *frame) bindParams() {
	if f.act.fn.args == nil {
		return
	}
	for i, v := range f.act.params {
		f.vars[i] = v
		if f.scope.captured[i] {
			f.a.share(f.act, int32(i), v)
		}
	}
}

func (f *frame) returned(v val) { f.a.grow(&f.act.ret, v.with(f.pc)) }

func (f *frame) block(body []syntax.Stmt) {
	for _, s := range body {
		if f.dead {
			return
		}
		f.stmt(s)
	}
}

func (f *frame) stmt(n syntax.Stmt) {
	f.a.step(1)
	switch n := n.(type) {
	case *syntax.ExprStmt:
		f.eval(n.Value)
	case *syntax.Assign:
		v := f.eval(n.Value)
		for _, t := range n.Targets {
			f.assign(t, v)
		}
	case *syntax.AugAssign:
		f.augment(n)
	case *syntax.AnnAssign:
		if n.Value != nil {
			f.assign(n.Target, f.eval(n.Value))
		}
	case *syntax.Return:
		v := f.constant(nil)
		if n.Value != nil {
			v = f.eval(n.Value)
		}
		f.returned(v)
		f.dead = true
	case *syntax.If:
		f.ifStmt(n)
		f.decided(n)
	case *syntax.While, *syntax.For:
		f.loop(n)
		f.decided(n)
	case *syntax.TryStmt:
		f.try(n)
		f.decided(n)
	case *syntax.With:
		f.with(n.Items, n.Body)
		f.decided(n)
	case *syntax.Match:
		f.match(n)
		f.decided(n)
	case *syntax.Raise:
		f.raise(n)
	case *syntax.Break:
		f.jump(true)
	case *syntax.Continue:
		f.jump(false)
	case *syntax.FunctionDef:
		f.def(n)
	case *syntax.ClassDef:
		f.classDef(n)
	case *syntax.Delete:
		for _, t := range n.Targets {
			f.del(t)
		}
	case *syntax.Assert:
		f.assert(n)
	case *syntax.Import:
		for _, al := range n.Names {
			name := al.Name
			if al.AsName == "" {
				name = al.Bound()
			}
			f.write(al.Bound(), f.module(name, al), n.Start)
		}
	case *syntax.ImportFrom:
		m := f.module(n.Module, n)
		for _, al := range n.Names {
			f.write(al.Bound(), f.attr(m, al.Name, al), n.Start)
		}
	}
}

// decided lets the variables that a statement could have assigned depend on
// the control flow, in mode strict: also those that it did not.
func (f *frame) decided(n syntax.Stmt) {
	if f.pc == nil {
		return
	}
	syntax.Walk(n, func(c syntax.Node) bool {
		f.a.step(1)
		if _, param := c.(*syntax.Arg); !param {
			for _, name := range syntax.Bindings(c) {
				f.tint(name)
			}
		}
		return true
	})
}

// tint joins the control flow into a variable and into the list that it may hold.
func (f *frame) tint(name string) {
	owner, slot, ok := f.scope.lookup(name)
	if name == "" || !ok {
		return
	}
	v := f.variable(owner, slot)
	for o := range v.objs.each {
		switch o.kind {
		case oList, oSet, oDict, oData:
			f.a.growLab(&o.shape, f.pc)
		}
	}
	f.keep(owner, slot, v.with(f.pc))
}

func (f *frame) ifStmt(n *syntax.If) {
	// elif after elif is a loop here, so that long chains do not nest.
	var done []diff
	mark := f.mark()
	base := mark
	for {
		t := f.eval(n.Test)
		f.control(t)
		at := len(f.trail)
		f.block(n.Body)
		d := f.since(base)
		f.rollback(at)
		f.dead = false
		done = append(done, d)
		if len(n.OrElse) == 1 {
			if next, ok := n.OrElse[0].(*syntax.If); ok {
				n = next
				continue
			}
		}
		f.block(n.OrElse)
		break
	}
	done = append(done, f.take(base))
	f.merge(done...)
	f.unmark()
}

// settled bounds how often a loop is repeated before it waits for the next round.
func settled(nest int) int {
	switch {
	case nest <= 1:
		return 8
	case nest == 2:
		return 3
	}
	return 1
}

func (f *frame) loop(n syntax.Stmt) {
	mark := f.mark()
	var first val
	var orElse []syntax.Stmt
	switch n := n.(type) {
	case *syntax.For:
		first, orElse = f.eval(n.Iter), n.OrElse
	case *syntax.While:
		orElse = n.OrElse
	}
	st := &loopState{mark: mark}
	var exit diff
	f.settle(n, mark, func() []diff {
		st.breaks, st.continues = nil, nil
		f.loops = append(f.loops, st)
		exit = f.turn(n, first, mark)
		f.loops = f.loops[:len(f.loops)-1]
		return st.continues
	})
	f.rollback(mark)
	f.apply(exit)
	f.block(orElse)
	f.merge(append(st.breaks, f.take(mark))...)
	f.unmark()
}

// settle analyses a loop until nothing at its head grows, or leaves the rest to the
// next round. once analyses the body, and gives the states from which it goes on
// early; the result is the state at its end.
func (f *frame) settle(n syntax.Node, mark int, once func() []diff) (end diff) {
	f.nest++
	key := headKey{n, f.act.id}
	known := f.a.heads[key]
	head := known.pairs
	f.pc = union(f.pc, known.pc)
	base := len(f.trail)
	for turn := 1; ; turn++ {
		for _, p := range head {
			f.set(p.slot, p.v)
		}
		pc := f.pc
		backs := once()
		end = f.since(mark)
		f.rollback(base)
		f.dead = false
		grown := false
		head, grown = f.widen(head, append(backs, end))
		if !grown && f.pc.within(pc) {
			break
		}
		if turn >= settled(f.nest) {
			f.later(key, head)
			break
		}
	}
	f.nest--
	return end
}

// later leaves a loop that has not settled to the next round.
func (f *frame) later(key headKey, head []slotVal) {
	a := f.a
	if a.heads == nil {
		a.heads = map[headKey]headState{}
	}
	old := a.heads[key]
	equal := len(old.pairs) == len(head) && f.pc.within(old.pc)
	for i := range head {
		equal = equal && old.pairs[i].slot == head[i].slot && same(old.pairs[i].v, head[i].v)
	}
	if !equal {
		a.heads[key] = headState{head, union(old.pc, f.pc)}
		a.grew()
	}
}

// turn analyses a loop's test and body once, and returns the state in which
// the loop ends by itself.
func (f *frame) turn(n syntax.Stmt, first val, mark int) (exit diff) {
	switch n := n.(type) {
	case *syntax.For:
		f.iterates(first, n)
		elem := f.iterate(first, n.Iter)
		f.control(first.with(elem.may))
		exit = f.since(mark)
		f.assign(n.Target, elem)
		f.block(n.Body)
	case *syntax.While:
		t := f.eval(n.Test)
		f.control(t)
		exit = f.since(mark)
		if t.k != nil && t.k.Kind == syntax.True {
			exit.dead = true
		}
		f.block(n.Body)
	}
	return exit
}

// widen joins the states that lead back to a loop's head into it.
func (f *frame) widen(head []slotVal, backs []diff) ([]slotVal, bool) {
	grown := false
	for _, d := range backs {
		if d.dead {
			continue
		}
	pairs:
		for _, p := range d.pairs {
			if f.pc != nil {
				p.v = p.v.with(f.pc)
			}
			for i := range head {
				if head[i].slot == p.slot {
					if j := join(head[i].v, p.v); !same(j, head[i].v) {
						head = append([]slotVal(nil), head...)
						head[i].v = j
						grown = true
					}
					continue pairs
				}
			}
			if j := join(f.vars[p.slot], p.v); !same(j, f.vars[p.slot]) {
				head = append(head[:len(head):len(head)], slotVal{p.slot, j})
				grown = true
			}
		}
	}
	return head, grown
}

// jump leaves a loop's body.
func (f *frame) jump(out bool) {
	if n := len(f.loops); n > 0 {
		l := f.loops[n-1]
		d := f.since(l.mark)
		if out {
			l.breaks = append(l.breaks, d)
		} else {
			l.continues = append(l.continues, d)
		}
		for _, t := range f.tries {
			if t.loops >= n {
				t.jumps = append(t.jumps, l)
			}
		}
	}
	f.dead = true
}

// jumped lets the jumps out of a body go on from here.
func (f *frame) jumped(t *tryState) {
	if f.dead {
		return
	}
	for _, l := range t.jumps {
		d := f.since(l.mark)
		l.breaks = append(l.breaks, d)
		l.continues = append(l.continues, d)
	}
}

// thrown is the exception that a handler gets.
func (f *frame) thrown(n syntax.Node, exc val) val {
	o := f.a.alloc(oOpaque, n, f.act, "exception")
	f.a.grow(&o.elem, val{may: exc.may, objs: exc.objs.union(&o.only), fl: reached | scalar})
	v := val{may: exc.may, objs: exc.objs.union(&o.only), fl: reached}
	f.a.grow(&f.a.raised, v)
	return v
}

// attempt analyses a body whose exceptions are seen. It returns the state at
// its end, the one in which an exception may leave it, and what is raised.
func (f *frame) attempt(mark int, body func()) (end, left diff, exc val, t *tryState) {
	outer := f.exc
	f.exc = val{}
	t = &tryState{loops: len(f.loops)}
	f.tries = append(f.tries, t)
	body()
	f.tries = f.tries[:len(f.tries)-1]
	exc = f.exc
	f.exc = outer
	end = f.take(mark)
	left = f.anywhere(t)
	f.pass(t)
	return end, left, exc, t
}

// anywhere is the state of variables at any point of a try's body.
func (f *frame) anywhere(t *tryState) diff {
	var d diff
	for _, p := range t.pairs {
		d.pairs = append(d.pairs, slotVal{p.slot, join(f.vars[p.slot], p.v)})
	}
	return d
}

// pass passes what happened in an inner try to the one around it.
func (f *frame) pass(t *tryState) {
	if n := len(f.tries); n > 0 {
		for _, p := range t.pairs {
			f.tries[n-1].note(p.slot, p.v)
		}
	}
}

func (f *frame) try(n *syntax.TryStmt) {
	mark := f.mark()
	if len(n.FinalBody) == 0 {
		f.handled(n, mark)
		f.unmark()
		return
	}
	end, left, exc, t := f.attempt(mark, func() {
		inner := f.mark()
		f.handled(n, inner)
		f.unmark()
	})
	f.exc = joinExc(f.exc, exc, val{})
	f.stick(exc.may)
	dead := end.dead
	end.dead = false
	f.merge(end, left)
	f.block(n.FinalBody)
	f.jumped(t)
	f.dead = f.dead || dead
	f.unmark()
}

// handled analyses a try statement without its finally.
func (f *frame) handled(n *syntax.TryStmt, mark int) {
	if len(n.Handlers) == 0 {
		f.block(n.Body)
		return
	}
	end, left, exc, _ := f.attempt(mark, func() { f.block(n.Body) })
	if f.act.fn.lazy {
		exc = joinExc(exc, f.a.raised, val{}) // whoever walks it may throw something in
	}
	f.stick(exc.may)
	f.apply(end)
	if !f.dead {
		f.block(n.OrElse)
	}
	alts := []diff{f.take(mark)}
	all := false
	for _, h := range n.Handlers {
		f.apply(left)
		f.dead = false
		if h.Type != nil {
			f.eval(h.Type)
		} else {
			all = true
		}
		caught := f.thrown(h, exc)
		if h.Name != "" {
			f.write(h.Name, caught, h.Start)
		}
		outer := f.exc
		f.exc = val{}
		f.block(h.Body)
		// A handler may raise again what it caught.
		f.exc = joinExc(outer, f.exc, caught)
		alts = append(alts, f.take(mark))
	}
	if !all {
		f.exc = joinExc(f.exc, exc, val{})
	}
	f.merge(alts...)
}

func joinExc(a, b, c val) val {
	return val{may: union(union(a.may, b.may), c.may), objs: a.objs.union(b.objs).union(c.objs), fl: a.fl | b.fl | c.fl}
}

func (f *frame) raise(n *syntax.Raise) {
	if n.Exc != nil {
		v := f.eval(n.Exc)
		v = f.raisable(v, n)
		f.exc = joinExc(f.exc, v.with(f.pc), val{})
		f.a.grow(&f.a.raised, v.loose())
	}
	if n.Cause != nil {
		f.a.grow(&f.a.raised, f.raisable(f.eval(n.Cause), n).loose())
	}
	f.exc.may = union(f.exc.may, f.pc)
	f.dead = true
}

// raisable is v, or the exception that the class v makes.
func (f *frame) raisable(v val, n syntax.Node) val {
	out := v
	for o := range v.objs.each {
		switch o.kind {
		case oClass, oNative:
			out = join(out, f.call(ref(o).with(v.may), args{site: n}))
		}
	}
	return out
}

func (f *frame) assert(n *syntax.Assert) {
	t := f.eval(n.Test)
	f.control(t)
	f.raises(t.may)
	if n.Msg != nil {
		mark := f.mark()
		m := f.eval(n.Msg)
		f.exc = joinExc(f.exc, m.with(f.pc), val{})
		d := f.take(mark)
		d.dead = true
		f.merge(d, diff{})
		f.unmark()
	}
}

// assign stores a value in a target.
func (f *frame) assign(t syntax.Expr, v val) {
	switch t := t.(type) {
	case *syntax.Name:
		f.write(t.ID, v, t.Start)
	case *syntax.Starred:
		f.assign(t.Value, v)
	case *syntax.Tuple:
		f.unpack(t.Elts, v, t)
	case *syntax.List:
		f.unpack(t.Elts, v, t)
	case *syntax.Attribute:
		f.setAttr(f.eval(t.Value), t.Attr, v, t)
	case *syntax.Subscript:
		o := f.eval(t.Value)
		key := f.eval(t.Slice)
		if _, ok := t.Slice.(*syntax.Slice); ok {
			key = key.with(union(v.may, f.lengthOf(v))) // how long the list becomes
		}
		f.setItem(o, key, v, t)
	}
}

// unpack stores the elements of v in several targets.
func (f *frame) unpack(elts []syntax.Expr, v val, n syntax.Node) {
	star := -1
	for i, e := range elts {
		if _, ok := e.(*syntax.Starred); ok {
			star = i
		}
	}
	parts := f.parts(v, n, len(elts), star)
	for i, e := range elts {
		f.assign(e, parts[i])
	}
}

// parts gives the n elements that v is unpacked into; at star there is a list of the rest.
func (f *frame) parts(v val, n syntax.Node, count, star int) []val {
	out := make([]val, count)
	f.control(v)
	all := f.iterate(v, n)
	f.control(all)
	f.raises(f.lengthOf(v)) // the number of elements stands in the message
	for i := range out {
		out[i] = all
	}
	if star >= 0 {
		l := f.a.alloc(oList, n, f.act, "rest")
		f.a.flag(&l.moved)
		f.a.put(l, all)
		f.a.growLab(&l.shape, all.may)
		out[star] = ref(l).with(v.may)
		return out
	}
	if v.fl&scalar != 0 || v.objs == nil {
		return out
	}
	// Tuples whose places are known are taken apart.
	exact := make([]val, count)
	for o := range v.objs.each {
		if o.kind != oTuple && o.kind != oList || o.moved || len(o.ents) != count || !o.elem.bottom() {
			return out
		}
		for i := range exact {
			exact[i] = join(exact[i], o.ents[i].v.with(o.shape).after(v))
		}
	}
	return exact
}

func (f *frame) augment(n *syntax.AugAssign) {
	var old val
	var obj, key val
	switch t := n.Target.(type) {
	case *syntax.Name:
		old = f.name(&syntax.Name{Span: t.Span, ID: t.ID})
	case *syntax.Attribute:
		obj = f.eval(t.Value)
		old = f.attr(obj, t.Attr, t)
	case *syntax.Subscript:
		obj = f.eval(t.Value)
		key = f.eval(t.Slice)
		old = f.item(obj, key, t)
	}
	v := f.inplace(n, old, f.eval(n.Value))
	switch t := n.Target.(type) {
	case *syntax.Name:
		f.write(t.ID, v, t.Start)
	case *syntax.Attribute:
		f.setAttr(obj, t.Attr, v, t)
	case *syntax.Subscript:
		f.setItem(obj, key, v, t)
	}
}

func (f *frame) del(t syntax.Expr) {
	switch t := t.(type) {
	case *syntax.Name:
		f.write(t.ID, val{}, t.Start)
	case *syntax.Tuple:
		for _, e := range t.Elts {
			f.del(e)
		}
	case *syntax.List:
		for _, e := range t.Elts {
			f.del(e)
		}
	case *syntax.Attribute:
		v := f.eval(t.Value)
		f.hook(v)
		f.touch(v, t.Attr)
		f.special(v, "__delattr__", args{site: t, pos: []val{f.constant(t.Attr)}})
		f.accessor(v, t.Attr, args{site: t, pos: []val{v}})
		f.raises(v.may)
	case *syntax.Subscript:
		f.delItem(f.eval(t.Value), f.eval(t.Slice), t)
	}
}

func (f *frame) with(items []*syntax.WithItem, body []syntax.Stmt) {
	if len(items) == 0 {
		f.block(body)
		return
	}
	it := items[0]
	m := f.eval(it.ContextExpr)
	if f.chosen(m.may).objs != nil {
		f.stay(m.may)
	}
	got := f.enter(m, it)
	if it.OptionalVars != nil {
		f.assign(it.OptionalVars, got)
	}
	mark := f.mark()
	end, left, exc, t := f.attempt(mark, func() { f.with(items[1:], body) })
	caught := f.thrown(it, exc)
	f.stick(exc.may)
	f.exc = joinExc(f.exc, exc, val{})
	f.merge(end, left)
	answer := f.special(m, "__exit__", args{site: it, pos: []val{caught, caught, caught}})
	f.control(answer)
	f.jumped(t)
	if end.dead && !f.swallows(m) {
		f.dead = true
	}
	f.unmark()
}

// enter is what the as of a with statement gets.
func (f *frame) enter(m val, n syntax.Node) val {
	v := f.special(m, "__enter__", args{site: n})
	for o := range m.objs.each {
		switch o.kind {
		case oOpaque, oGen, oIter:
			v = join(v, f.a.contents(o).with(m.may).loose())
			v = join(v, ref(o).with(m.may))
		case oInst:
			if len(o.of.class.nativeAll()) > 0 {
				v = join(v, ref(o).with(m.may))
				v = join(v, f.a.contents(o).with(m.may).loose())
			}
		}
	}
	if v.bottom() || m.fl&scalar != 0 {
		v = join(v, m.loose())
	}
	return v.with(m.may)
}

// swallows says whether leaving a with statement may stop an exception.
func (f *frame) swallows(m val) bool {
	if m.fl&scalar != 0 || m.objs == nil {
		return true
	}
	for _, id := range m.objs.all() {
		if k := f.a.objects[id].kind; k == oInst || k == oOpaque {
			return true
		}
	}
	return false
}
