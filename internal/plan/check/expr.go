package check

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"praxis/internal/plan/syntax"
)

// constant is a value that the program states.
func (f *frame) constant(v any) val { return literal(constantOf(v)) }

func literal(n *syntax.Constant) val {
	v := val{fl: reached | scalar}
	switch n.Kind {
	case syntax.Str:
		v.fl = reached | text
	case syntax.Int, syntax.Float:
		v.fl = reached | number
	}
	if n.Kind != syntax.Bytes && n.Kind != syntax.Ellipsis && n.Kind != syntax.Complex {
		v.k = n
	}
	return v
}

// eval gives the value of an expression.
func (f *frame) eval(e syntax.Expr) val {
	f.a.step(1)
	switch e := e.(type) {
	case *syntax.Constant:
		return literal(e)
	case *syntax.Name:
		return f.name(e)
	case *syntax.Attribute:
		if v, ok := f.dotted(e, e); ok {
			return v
		}
		v := f.eval(e.Value)
		f.attributes(v, e)
		return f.attr(v, e.Attr, e)
	case *syntax.Call:
		return f.callExpr(e)
	case *syntax.Subscript:
		return f.subscript(e)
	case *syntax.JoinedStr:
		return f.joined(e)
	case *syntax.FormattedValue:
		return f.formatted(e)
	case *syntax.BinOp:
		return f.binary(e.Op, f.eval(e.Left), f.eval(e.Right), e)
	case *syntax.UnaryOp:
		return f.unary(e)
	case *syntax.BoolOp:
		return f.boolOp(e)
	case *syntax.Compare:
		return f.compare(e)
	case *syntax.IfExp:
		return f.ifExp(e)
	case *syntax.List:
		return f.sequence(oList, e, e.Elts)
	case *syntax.Tuple:
		return f.sequence(oTuple, e, e.Elts)
	case *syntax.Set:
		return f.sequence(oSet, e, e.Elts)
	case *syntax.Dict:
		return f.dict(e)
	}
	return f.evalRare(e)
}

func (f *frame) evalRare(e syntax.Expr) val {
	switch e := e.(type) {
	case *syntax.NamedExpr:
		v := f.eval(e.Value)
		f.write(e.Target.ID, v, e.Start)
		return v
	case *syntax.Lambda:
		v := f.function(e, e.Args)
		f.a.objects[v.objs.ids[0]].code.expr = e.Body
		return v
	case *syntax.Comp:
		if e.Kind == syntax.GeneratorExp {
			return f.generator(e)
		}
		return f.comprehension(e)
	case *syntax.Await:
		return f.await(f.eval(e.Value), e)
	case *syntax.Yield:
		if e.From {
			return f.yieldFrom(f.eval(e.Value), e)
		}
		v := f.constant(nil)
		if e.Value != nil {
			v = f.eval(e.Value)
		}
		return f.yield(v)
	case *syntax.Starred:
		return f.eval(e.Value)
	case *syntax.Slice:
		return f.slice(e)
	}
	return plain(nil, nil)
}

// name reads a variable, or a name from outside.
func (f *frame) name(n *syntax.Name) val {
	v, ok := f.read(n)
	if !ok || f.mayLack(n) {
		return join(v, f.outside(n.ID))
	}
	return v
}

// mayLack says whether a variable may not be there yet, so that its name means what it
// means outside: that of a tool, an input or something built in.
func (f *frame) mayLack(n *syntax.Name) bool {
	owner, _, _ := f.scope.lookup(n.ID)
	if owner.kind == functionScope || !f.a.given(n.ID) {
		return false
	}
	return owner != f.a.scopes.root || f.act != f.a.root || !slices.ContainsFunc(f.a.scopes.sure[n.ID], func(s syntax.Span) bool {
		return !n.Start.Before(s.Start) && n.Start.Before(s.End)
	})
}

// outside is the value of a name that the program does not bind.
func (f *frame) outside(name string) val {
	if id, ok := f.a.inputs[name]; ok {
		return f.a.input(name, id)
	}
	if v, ok := f.toolName(name); ok {
		return v
	}
	return ref(f.a.nativeObject(name))
}

// toolName is a tool, or the names before a tool's dot.
func (f *frame) toolName(name string) (val, bool) {
	if f.a.tools == nil {
		return val{}, false
	}
	if d, ok := f.a.tools.Lookup(name); ok {
		return ref(f.a.toolObject(d)), true
	}
	if f.a.tools.IsNamespace(name) {
		return f.space(name, nil), true
	}
	return val{}, false
}

// space is a name below tools' dots: a tool, or more names.
func (f *frame) space(name string, n syntax.Node) val {
	a := f.a
	if d, ok := a.tools.Lookup(name); ok {
		return ref(a.toolObject(d))
	}
	if at, ok := n.(*syntax.Attribute); ok && !a.tools.IsNamespace(name) {
		wrong := a.noTool(name)
		wrong.Level = a.mistake()
		a.made(at, wrong)
	}
	o := a.alloc(oSpace, a.scopes.root.node, a.root, name)
	return ref(o)
}

// dotted reads a.b.c that names a tool without the steps between. n is where it is
// said that there is none, nil where that is said otherwise.
func (f *frame) dotted(e *syntax.Attribute, n syntax.Node) (val, bool) {
	if f.a.tools == nil {
		return val{}, false
	}
	root, ok := e.Value.(*syntax.Name)
	if !ok {
		return val{}, false
	}
	if _, _, bound := f.scope.lookup(root.ID); bound || !f.a.tools.IsNamespace(root.ID) {
		return val{}, false
	}
	return f.space(root.ID+"."+e.Attr, n), true
}

func (f *frame) callExpr(e *syntax.Call) val {
	if name, ok := e.Func.(*syntax.Name); ok && name.ID == "super" && len(e.Args) != 1 {
		if _, _, bound := f.scope.lookup("super"); !bound {
			return f.super(e)
		}
	}
	var fn val
	if at, ok := e.Func.(*syntax.Attribute); ok {
		if fn, ok = f.dotted(at, nil); !ok {
			return f.callAttr(at, e)
		}
	} else {
		fn = f.eval(e.Func)
		f.callee(fn, e)
	}
	x := f.given(e, f.drains(fn))
	f.risks(fn)
	r := f.call(fn, x).with(f.pc)
	f.risks(r)
	return r
}

// callAttr is a call of an attribute: mostly of a method, which needs no object
// of its own.
func (f *frame) callAttr(at *syntax.Attribute, e *syntax.Call) val {
	v := f.eval(at.Value)
	f.attributes(v, at)
	f.raises(v.may)
	f.risks(v)
	x := f.given(e, at.Attr == "join" && v.objs == nil)
	f.gets(v, at.Attr, e)
	if v.fl&scalar != 0 || len(v.objs.all()) > 1 {
		f.a.made(e, nil) // with one of them, perhaps
	}
	var out val
	for o := range v.objs.each {
		out = join(out, f.callMethod(o, v, at, x))
	}
	if v.fl&scalar != 0 {
		s := v
		s.objs = nil
		out = join(out, f.method(s, at.Attr, x))
	}
	out = out.with(union(v.may, f.pc))
	f.risks(out)
	return out
}

// callMethod calls the method of an object that an attribute names.
func (f *frame) callMethod(o *object, v val, at *syntax.Attribute, x args) val {
	f.receives(v, at.Attr)
	self := ref(o).with(v.may)
	switch o.kind {
	case oList, oTuple, oSet, oDict, oData, oIter, oGen, oOpaque:
		return f.method(self, at.Attr, x)
	case oInst:
		if m, ok := f.a.classAttr(o.of, at.Attr); ok && ent(o.attrs, at.Attr) == nil && o.other.bottom() && m.fl&scalar == 0 && m.objs != nil && len(m.objs.ids) == 1 {
			p := f.a.objects[m.objs.ids[0]]
			if p.kind == oFunc && !o.of.class.loose {
				x.pos = append([]val{self}, x.pos...)
				x.where = nil
				return f.callFunc(p, x, m).with(m.may)
			}
		}
	}
	return f.call(f.attrOf(o, v, at.Attr, at), x)
}

// given evaluates the arguments of a call in the text of the program; one that drains
// uses up a generator expression before it returns.
func (f *frame) given(e *syntax.Call, drains bool) args {
	x := args{site: e, where: e.Args}
	if g, ok := soleGenerator(e); ok && drains {
		x.pos = []val{f.inlineGenerator(g)}
		for _, k := range e.Keywords {
			x.named = append(x.named, entry{name: k.Arg, v: f.eval(k.Value)})
		}
	} else {
		x = f.arguments(e)
	}
	x.direct = true
	f.risks(x.pos...)
	for _, n := range x.named {
		f.risks(n.v)
	}
	f.risks(x.star, x.kw)
	return x
}

// soleGenerator is the generator expression that is a call's only positional argument.
func soleGenerator(e *syntax.Call) (*syntax.Comp, bool) {
	if len(e.Args) != 1 || slices.ContainsFunc(e.Keywords, func(k *syntax.Keyword) bool { return k.Arg == "" }) {
		return nil, false
	}
	g, ok := e.Args[0].(*syntax.Comp)
	return g, ok && g.Kind == syntax.GeneratorExp
}

// drains says whether a function is built in and uses up its argument before it returns.
func (f *frame) drains(fn val) bool {
	if fn.objs == nil || len(fn.objs.ids) != 1 {
		return false
	}
	o := f.a.objects[fn.objs.ids[0]]
	if o.kind != oNative {
		return false
	}
	switch o.name {
	case "sum", "list", "tuple", "set", "frozenset", "sorted", "min", "max", "dict", "any", "all", "len":
		return true
	}
	return false
}

// super is super() in a method: what comes after its class.
func (f *frame) super(e *syntax.Call) val {
	o := f.a.alloc(oSuper, e, f.act, "super")
	if len(e.Args) == 2 {
		classes, out := f.eval(e.Args[0]), val{}
		f.a.grow(&o.recv, f.eval(e.Args[1]).with(classes.may))
		for c := range classes.objs.each {
			if c.kind == oClass {
				s := f.a.alloc(oSuper, e, f.act, "super "+strconv.Itoa(int(c.id)))
				s.of = c
				f.a.grow(&s.recv, o.recv)
				out = join(out, ref(s).with(o.recv.may))
			}
		}
		if out.objs != nil {
			return out
		}
	} else {
		for act := f.act; act != nil; act = act.fn.outer {
			if act.fn.class != nil {
				o.of = act.fn.class
				if len(act.params) > 0 {
					f.a.grow(&o.recv, act.params[0])
				}
				break
			}
		}
	}
	if o.of == nil {
		return f.opaque(e, "super", true, o.recv)
	}
	return ref(o).with(o.recv.may)
}

func (f *frame) subscript(e *syntax.Subscript) val {
	v := f.eval(e.Value)
	if s, ok := e.Slice.(*syntax.Slice); ok {
		return f.sliced(v, f.slice(s), e)
	}
	key := f.eval(e.Slice)
	f.subscripts(v, key, e)
	out := f.item(v, key, e)
	if f.a.scopes.slices && key.fl&other != 0 { // it may be a slice
		out = join(out, f.sliced(v, key, e))
	}
	return out
}

// slice is a slice object on its own.
func (f *frame) slice(e *syntax.Slice) val {
	v := plain(nil, nil)
	for _, p := range []syntax.Expr{e.Lower, e.Upper, e.Step} {
		if p != nil {
			v = v.with(f.a.deep(f.eval(p)))
		}
	}
	return v
}

// sliced is v[a:b].
func (f *frame) sliced(v, key val, n syntax.Node) val {
	l := union(key.may, v.may)
	f.raises(l)
	f.risks(v)
	var out val
	for o := range v.objs.each {
		switch o.kind {
		case oInst:
			if r, ok := f.specialOf(o, "__getitem__", ref(o).with(v.may), args{site: n, pos: []val{key}}); ok {
				out = join(out, r)
				continue
			}
			fallthrough
		case oList, oTuple, oData, oOpaque:
			kind := oList
			if o.kind == oTuple {
				kind = oTuple
			}
			r := f.copyOf(kind, n, union(l, o.shape), f.elements(o, v, n))
			out = join(out, r)
			if o.kind == oOpaque || o.kind == oInst {
				out = join(out, f.a.contents(o).loose())
			}
		default:
			out = join(out, f.a.contents(o).loose())
		}
	}
	if v.fl&scalar != 0 {
		out = join(out, plain(l, v.must))
	}
	return out.with(l)
}

// copyOf makes a container of elements whose places are not known.
func (f *frame) copyOf(kind okind, n syntax.Node, shape *lab, elem val) val {
	o := f.a.alloc(kind, n, f.act, "copy")
	f.a.drop(o, nil)
	f.a.grow(&o.elem, elem)
	f.a.growLab(&o.shape, union(shape, f.pc))
	return ref(o)
}

func (f *frame) joined(e *syntax.JoinedStr) val {
	out := val{fl: reached | text}
	var b strings.Builder
	known := true
	for _, p := range e.Values {
		v := f.eval(p)
		out.may, out.must = union(out.may, v.may), union(out.must, v.must)
		if s, ok := v.text(); ok && known && b.Len() < 1<<16 {
			b.WriteString(s)
		} else {
			known = false
		}
	}
	if known {
		out.k = constantOf(b.String())
	}
	return out
}

func (f *frame) formatted(e *syntax.FormattedValue) val {
	v := f.eval(e.Value)
	out := f.textOf(v, e)
	if e.FormatSpec != nil {
		s := f.joined(e.FormatSpec)
		out = plain(union(out.may, s.may), union(out.must, s.must))
	} else if _, ok := v.text(); ok && (e.Conversion == -1 || e.Conversion == 's') {
		out.k = v.k
	}
	return out
}

// textOf is the text of a value: it depends on all that the value holds.
func (f *frame) textOf(v val, n syntax.Node) val {
	f.hook(v)
	l := f.a.deep(v)
	l = union(l, f.a.deep(f.describes(v, n)))
	f.raises(l)
	return plain(l, v.must)
}

// describes calls the methods of the program's classes that make text.
func (f *frame) describes(v val, n syntax.Node) val {
	return f.instancesCall(v, n, args{site: n, pos: nil}, "__str__", "__repr__", "__format__")
}

// compares calls the methods of the program's classes that compare.
func (f *frame) compares(n syntax.Node, vs ...val) *lab {
	var l *lab
	var all val
	for _, v := range vs {
		l = union(l, f.a.deep(v))
		all = join(all, v)
	}
	if all.objs == nil {
		return l
	}
	contents := val{may: l, objs: f.within(all), fl: reached | scalar}
	f.mixed(all, l)
	r := f.instancesCall(all, n, args{site: n, star: contents, open: true},
		"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__contains__", "__bool__", "__len__")
	return union(l, f.a.deep(r))
}

// mixed notes that elements which are compared decide whether those behind them are,
// where that may run code of the program.
func (f *frame) mixed(all val, l *lab) {
	holds := false
	for _, id := range all.objs.all() {
		o := f.a.objects[id]
		holds = holds || o.kind != oInst || o.of.class.data
	}
	if holds && f.mayRun(all) {
		f.stay(l)
	}
}

// mayRun says whether v holds instances, and operators may run code of the program
// that changes something.
func (f *frame) mayRun(v val) bool {
	if v.objs == nil || !f.a.hasClasses() || !f.a.code().hooks {
		return false
	}
	instance := false
	f.a.reach(v.objs, func(o *object) { instance = instance || o.kind == oInst })
	return instance
}

// maxWithin bounds the objects that something opaque may hold.
const maxWithin = 400

// within is all objects that can be reached from a value.
func (f *frame) within(v val) *oset {
	if v.objs == nil {
		return nil
	}
	var ids []int32
	f.a.reach(v.objs, func(o *object) { ids = append(ids, o.id) })
	if len(ids) > maxWithin {
		f.a.lose(syntax.Pos{}, "too many objects reach something that is not known in detail")
	}
	f.a.step(int64(len(ids)))
	slices.Sort(ids)
	return &oset{of: f.a, ids: ids}
}

// instancesCall calls special methods of all instances that can be reached.
func (f *frame) instancesCall(v val, n syntax.Node, x args, names ...string) val {
	if v.objs == nil || !f.a.hasClasses() {
		return val{}
	}
	var insts []*object
	f.a.reach(v.objs, func(o *object) {
		if o.kind == oInst {
			insts = append(insts, o)
		}
	})
	var out val
	for _, o := range insts {
		if f.a.strict && (o.of.class.data || len(o.of.class.nativeAll()) > 0) {
			f.stick(f.a.deep(v))
		}
		for _, name := range names {
			y := x
			if name == "__format__" {
				y.pos = []val{plain(nil, nil)}
			}
			r, _ := f.specialOf(o, name, ref(o), y)
			out = join(out, r)
		}
	}
	return out
}

func (a *analysis) hasClasses() bool { return a.scopes.classes }

func (f *frame) unary(e *syntax.UnaryOp) val {
	v := f.eval(e.Operand)
	f.hook(v)
	f.raises(v.may)
	f.risks(v)
	if e.Op == syntax.Not {
		t := f.truth(v, e)
		return plain(t, v.must)
	}
	out := plain(f.a.deep(v), v.must)
	if v.k != nil && e.Op == syntax.USub {
		switch n := jsonOf(v.k).(type) {
		case int64:
			if n != -1<<63 {
				out.k = constantOf(-n)
			}
		case float64:
			out.k = constantOf(-n)
		case *big.Int:
			out.k = constantOf(new(big.Int).Neg(n))
		}
	}
	if v.objs != nil {
		out = join(out, f.special(v, unaryMethod(e.Op), args{site: e}))
		out = join(out, f.opaqueOperands(e, v))
	}
	return out.with(v.may)
}

func unaryMethod(op syntax.UnaryOperator) string {
	switch op {
	case syntax.UAdd:
		return "__pos__"
	case syntax.USub:
		return "__neg__"
	}
	return "__invert__"
}

// truth is what the truth of a value depends on.
func (f *frame) truth(v val, n syntax.Node) *lab {
	l := v.may
	f.hook(v)
	for o := range v.objs.each {
		l = union(l, o.shape)
		switch o.kind {
		case oData:
			l = union(l, f.a.dataOwn(o))
		case oOpaque:
			l = union(l, o.elem.may)
		case oInst:
			self := ref(o).with(v.may)
			for _, name := range []string{"__bool__", "__len__"} {
				if r, ok := f.specialOf(o, name, self, args{site: n}); ok {
					l = union(l, r.may)
				}
			}
			l = union(l, o.elem.may)
		}
	}
	return l
}

func (f *frame) boolOp(e *syntax.BoolOp) val {
	var out val
	mark := f.mark()
	var alts []diff
	for i, x := range e.Values {
		v := f.eval(x)
		out = join(out, v)
		if i < len(e.Values)-1 {
			f.truth(v, x)
			f.controlOf(v, x)
			alts = append(alts, f.since(mark))
		}
	}
	alts = append(alts, f.take(mark))
	f.merge(alts...)
	f.unmark()
	return out.with(f.pc)
}

// controlOf joins what the truth of a value depends on into the control flow.
func (f *frame) controlOf(v val, n syntax.Node) {
	if f.a.strict {
		f.pc = union(f.pc, f.truth(v, n))
	}
}

func (f *frame) ifExp(e *syntax.IfExp) val {
	t := f.eval(e.Test)
	f.truth(t, e.Test)
	f.controlOf(t, e.Test)
	mark := f.mark()
	a := f.eval(e.Body)
	d := f.take(mark)
	b := f.eval(e.OrElse)
	f.merge(d, f.take(mark))
	f.unmark()
	return join(a, b).with(f.pc)
}

func (f *frame) compare(e *syntax.Compare) val {
	left := f.eval(e.Left)
	out := plain(left.may, nil)
	for i, x := range e.Comparators {
		if i > 0 {
			f.controlOf(out, e)
		}
		right := f.eval(x)
		f.compared(e.Ops[i], left, right, e)
		f.hook(left, right)
		if i == 0 && left.objs == nil && right.objs == nil {
			out.must = union(left.must, right.must)
		}
		switch e.Ops[i] {
		case syntax.Is, syntax.IsNot:
			out.may = union(out.may, union(left.may, right.may))
		default:
			out.may = union(out.may, f.compares(e, left, right))
			if e.Ops[i] == syntax.In || e.Ops[i] == syntax.NotIn {
				f.contains(right, left, e)
			}
		}
		f.risks(left, right)
		left = right
	}
	f.raises(out.may)
	return out.with(f.pc)
}

// contains analyses what in does beside comparing: it iterates.
func (f *frame) contains(v, x val, n syntax.Node) {
	f.special(v, "__contains__", args{site: n, pos: []val{x}})
	for o := range v.objs.each {
		switch o.kind {
		case oGen, oInst, oIter, oOpaque:
			f.touch(ref(o).with(union(v.may, o.shape)), "")
			f.compares(n, f.elements(o, v, n), x)
			if l := union(f.a.deep(v), f.a.deep(x)); o.kind != oInst || f.a.code().hooks {
				f.stay(l)
			} else {
				f.stick(l)
			}
		}
	}
}

// sequence evaluates a display.
func (f *frame) sequence(kind okind, n syntax.Node, elts []syntax.Expr) val {
	a := f.a
	o := a.alloc(kind, n, f.act, "")
	items := make([]val, 0, len(elts))
	exact := true
	outer := a.merge
	if len(elts) > maxEntries && a.merge == nil {
		a.merge = n
	}
	for _, e := range elts {
		st, ok := e.(*syntax.Starred)
		if !ok {
			v := f.eval(e)
			v.may = union(v.may, f.pc)
			items = append(items, v)
			continue
		}
		v := f.eval(st.Value)
		if in, ok := f.exactItems(v); ok && kind != oSet {
			items = append(items, in...)
			continue
		}
		exact = false
		el := f.iterate(v, st)
		a.growLab(&o.shape, union(v.may, el.may))
		items = append(items, el.loose())
	}
	a.merge = outer
	if kind == oSet {
		for _, v := range items {
			f.risks(v)
			v = f.hashes(v, n)
			a.grow(&o.elem, v)
			a.growLab(&o.shape, a.deep(v))
		}
		return ref(o)
	}
	if !exact {
		a.drop(o, nil)
		for _, v := range items {
			a.grow(&o.elem, v)
		}
		return ref(o)
	}
	a.display(o, items)
	return ref(o)
}

func (f *frame) dict(e *syntax.Dict) val {
	a := f.a
	o := a.alloc(oDict, e, f.act, "")
	outer := a.merge
	if len(e.Keys) > maxEntries && a.merge == nil {
		a.merge = e
	}
	for i, k := range e.Keys {
		if k == nil {
			f.update(o, f.eval(e.Values[i]), e)
			continue
		}
		key := f.eval(k)
		v := f.eval(e.Values[i])
		f.risks(key, v)
		v.may = union(v.may, f.pc)
		key = f.hashes(key, e)
		key.may = a.deep(key)
		a.setKey(o, key, v)
		if s, ok := key.text(); ok && !o.made {
			if x := ent(o.ents, s); x != nil {
				x.weak = false
			}
		}
	}
	if !o.made {
		o.made = true
		a.grew()
	}
	a.merge = outer
	return ref(o)
}

// update puts the entries of v into a dict.
func (f *frame) update(o *object, v val, n syntax.Node) {
	a := f.a
	f.raises(v.may)
	f.risks(v)
	a.growLab(&o.shape, union(v.may, f.pc))
	for p := range v.objs.each {
		switch p.kind {
		case oDict:
			a.growLab(&o.shape, p.shape)
			for i := range p.ents {
				a.setKey(o, f.constant(p.ents[i].name), p.ents[i].v.with(v.may))
			}
			a.grow(&o.elem, p.elem.with(v.may))
			a.grow(&o.keys, p.keys.with(v.may))
			a.growLab(&o.shape, p.keys.may)
		default:
			// Pairs, or something like a dict.
			el := f.elements(p, v, n)
			pair := f.iterate(el, n)
			got := f.item(ref(p).with(v.may), plain(nil, nil), n)
			a.grow(&o.keys, join(el, pair).with(v.may).loose())
			a.growLab(&o.shape, union(union(el.may, pair.may), p.shape))
			a.grow(&o.elem, join(join(pair, got), el).with(v.may).loose())
		}
	}
	if v.fl&scalar != 0 {
		a.grow(&o.keys, plain(v.may, nil))
		a.grow(&o.elem, plain(v.may, nil))
	}
}
