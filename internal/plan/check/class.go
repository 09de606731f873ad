package check

import (
	"slices"
	"strings"

	"praxis/internal/plan/syntax"
)

// def analyses a def statement.
func (f *frame) def(n *syntax.FunctionDef) {
	v := f.function(n, n.Args)
	o := f.a.objects[v.objs.ids[0]]
	o.code.name, o.code.body = n.Name, n.Body
	for i := len(n.Decorators) - 1; i >= 0; i-- {
		v = f.decorate(f.eval(n.Decorators[i]), v, n.Decorators[i])
	}
	f.write(n.Name, v, n.NameSpan.Start)
}

// function makes the object of a def, a lambda or a generator expression.
func (f *frame) function(n syntax.Node, p *syntax.Arguments) val {
	a := f.a
	o := a.alloc(oFunc, n, f.act, "")
	if o.code == nil {
		s := a.scopes.of[n]
		o.code = &function{name: "lambda", args: p, scope: s, outer: f.act, class: f.class, lazy: s.generator || s.async, async: s.async}
	}
	if p != nil {
		f.defaults(o, p)
	}
	return ref(o)
}

func (f *frame) defaults(o *object, p *syntax.Arguments) {
	give := func(name string, e syntax.Expr) {
		v := f.eval(e)
		if d := ent(o.code.defaults, name); d != nil {
			f.a.grow(&d.v, v)
			return
		}
		o.code.defaults = append(o.code.defaults, entry{name: name, v: v})
		f.a.grew()
	}
	names := slices.Concat(p.PosOnlyArgs, p.Args)
	names = names[len(names)-len(p.Defaults):]
	for i, e := range p.Defaults {
		give(names[i].Arg, e)
	}
	for i, e := range p.KwDefaults {
		if e != nil {
			give(p.KwOnlyArgs[i].Arg, e)
		}
	}
}

// decorate applies a decorator.
func (f *frame) decorate(d, v val, n syntax.Node) val {
	out := val{}
	for o := range d.objs.each {
		if o.kind == oNative {
			if known, r := f.knownDecorator(o.name, v, n); known {
				out = join(out, r.with(d.may))
				continue
			}
		}
		one := d
		one.objs = ref(o).objs
		one.fl &^= scalar
		out = join(out, f.call(one, args{site: n, pos: []val{v}}))
	}
	if d.fl&scalar != 0 {
		out = join(out, f.opaque(n, "decorator", true, d, v))
	}
	return out
}

// knownDecorator applies decorators that are built in.
func (f *frame) knownDecorator(name string, v val, n syntax.Node) (bool, val) {
	switch name {
	case "property", "staticmethod", "classmethod", "functools.cached_property", "abc.abstractproperty", "abc.abstractclassmethod", "abc.abstractstaticmethod":
		return true, f.wrap(strings.TrimPrefix(strings.TrimPrefix(name, "functools."), "abc.abstract"), v, n)
	case "dataclasses.dataclass":
		var made *lab // it looks at the defaults of the fields to make the class
		for o := range v.objs.each {
			if o.kind == oClass {
				f.a.flag(&o.class.data)
				for c := range o.lineage {
					made = union(made, f.ownLabels(c))
				}
			}
		}
		f.stay(made)
		return true, v.with(made)
	case "abc.abstractmethod", "functools.total_ordering", "enum.unique", "typing.final", "typing.override", "typing.runtime_checkable", "typing.overload", "typing.no_type_check":
		return true, v
	case "functools.lru_cache", "functools.cache":
		for o := range v.objs.each {
			if o.kind != oFunc {
				return false, val{}
			}
			f.a.flag(&o.code.cached)
		}
		return v.fl&scalar == 0, v
	case "functools.wraps":
		return true, v
	}
	return false, val{}
}

// ownLabels is what the attributes of a class depend on.
func (f *frame) ownLabels(o *object) *lab {
	var l *lab
	for _, e := range o.attrs {
		l = union(l, f.a.deep(e.v))
	}
	return l
}

// wrap makes a property, static method or class method of a function.
func (f *frame) wrap(kind string, v val, n syntax.Node) val {
	o := f.a.alloc(oWrap, n, f.act, kind)
	f.a.grow(&o.fn, v)
	return ref(o).with(v.may)
}

// classDef analyses a class statement.
func (f *frame) classDef(n *syntax.ClassDef) {
	a := f.a
	o := a.alloc(oClass, n, f.act, n.Name)
	if o.class == nil {
		o.class = &classInfo{name: n.Name, loose: conditional(n.Body)}
		o.class.fields, o.class.odd = fieldNames(n.Body)
		a.classes = append(a.classes, o)
	}
	var chosen *lab
	var others []val
	for _, b := range n.Bases {
		v := f.eval(b)
		chosen = union(chosen, v.may)
		if v.fl&scalar != 0 {
			o.class.addNative("?")
		}
		for p := range v.objs.each {
			switch p.kind {
			case oClass:
				if p != o && !p.derives(o, 0) && !slices.Contains(o.class.bases, p) {
					o.class.bases = append(o.class.bases, p)
					a.grew()
				}
			case oNative:
				o.class.addNative(p.name)
			default:
				o.class.addNative("?")
				others = append(others, ref(p))
			}
		}
	}
	for _, k := range n.Keywords {
		f.eval(k.Value)
	}
	f.classBody(o, n)
	if native := o.class.nativeAll(); enumLike(native) {
		f.stay(f.ownLabels(o)) // its members are made of them
	} else if len(native) > 0 {
		f.stick(f.ownLabels(o))
	}
	if len(others) > 0 {
		a.grow(&o.elem, f.opaque(n, "base", true, others...))
	}
	v := ref(o).with(chosen)
	for i := len(n.Decorators) - 1; i >= 0; i-- {
		v = f.decorate(f.eval(n.Decorators[i]), v, n.Decorators[i])
	}
	f.write(n.Name, v, n.NameSpan.Start)
}

// classBody analyses the body of a class in a frame of its own.
func (f *frame) classBody(o *object, n *syntax.ClassDef) {
	a := f.a
	act := o.gen
	if act == nil {
		act = a.newActivation(&function{name: n.Name, scope: a.scopes.of[n], outer: f.act}, o, f.act.chain)
		o.gen = act
	}
	g := &frame{a: a, act: act, scope: act.fn.scope, pc: f.pc, class: o, tried: f.trying()}
	g.start()
	g.block(n.Body)
	f.pc = union(f.pc, g.pc)
	f.exc = joinExc(f.exc, g.exc, val{})
	if g.dead {
		f.dead = true
	}
}

// conditional says whether a class's body may leave out a definition.
func conditional(body []syntax.Stmt) bool {
	for _, s := range body {
		switch s.(type) {
		case *syntax.If, *syntax.For, *syntax.While, *syntax.TryStmt, *syntax.With, *syntax.Match, *syntax.Delete:
			return true
		}
	}
	return false
}

// fieldNames are the annotated names of a class's body; odd says that some of
// them are no parameters, or are passed by name only.
func fieldNames(body []syntax.Stmt) (names []string, odd bool) {
	for _, s := range body {
		n, ok := s.(*syntax.AnnAssign)
		if !ok {
			continue
		}
		name, ok := n.Target.(*syntax.Name)
		if !ok {
			continue
		}
		names = append(names, name.ID)
		syntax.Walk(n.Annotation, func(c syntax.Node) bool {
			switch c := c.(type) {
			case *syntax.Name:
				odd = odd || c.ID == "ClassVar"
			case *syntax.Attribute:
				odd = odd || c.Attr == "ClassVar"
			case *syntax.Constant:
				odd = odd || c.Kind == syntax.Str
			}
			return true
		})
	}
	return names, odd
}

func (c *classInfo) addNative(name string) {
	if !slices.Contains(c.native, name) {
		c.native = append(c.native, name)
	}
}

// derives says whether c is p or derived from it.
func (o *object) derives(p *object, depth int) bool {
	if o == p {
		return true
	}
	for _, b := range o.class.bases {
		if depth < 100 && b.derives(p, depth+1) {
			return true
		}
	}
	return false
}

// lineage visits a class and its bases, each once.
func (o *object) lineage(visit func(*object) bool) {
	seen := []*object{o}
	for i := 0; i < len(seen); i++ {
		if !visit(seen[i]) {
			return
		}
		for _, b := range seen[i].class.bases {
			if !slices.Contains(seen, b) {
				seen = append(seen, b)
			}
		}
	}
}

// nativeAll returns the built-in classes that instances have the abilities of.
func (c *classInfo) nativeAll() []string {
	var out []string
	add := func(c *classInfo) {
		for _, n := range c.native {
			if !plainBase(n) {
				out = append(out, n)
			}
		}
	}
	add(c)
	for _, b := range c.bases {
		for o := range b.lineage {
			add(o.class)
		}
	}
	return out
}

// plainBase says whether a built-in class gives its instances nothing.
func plainBase(name string) bool {
	switch name {
	case "object", "abc.ABC", "typing.Generic", "typing.Protocol":
		return true
	}
	return false
}

// classAttr finds an attribute of a class or of its bases.
func (a *analysis) classAttr(o *object, name string) (v val, ok bool) {
	multi := false // the order of several bases is not followed
	for c := range o.lineage {
		e := ent(c.attrs, name)
		if e != nil {
			v = join(v, e.v)
			ok = true
		}
		if e != nil && !c.class.loose && (c == o || !multi) {
			break
		}
		multi = multi || len(c.class.bases) > 1
	}
	return v, ok
}

// specialNames are the special methods that something built in may call.
func (o *object) specialNames() []string {
	var out []string
	for p := range o.lineage {
		for _, e := range p.attrs {
			if dunder(e.name) && !slices.Contains(out, e.name) {
				switch e.name {
				case "__init__", "__new__", "__slots__", "__match_args__", "__doc__", "__module__", "__annotations__":
				default:
					out = append(out, e.name)
				}
			}
		}
	}
	return out
}

func dunder(name string) bool {
	return len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

// construct makes an instance of a class of the program.
func (f *frame) construct(c *object, x args) val {
	a := f.a
	o := a.alloc(oInst, x.site, f.act, instName(c))
	if o.of == nil {
		o.of = c
	} else if o.of != c {
		o = a.alloc(oInst, c.node, f.act, "of")
		o.of = c
	}
	self := ref(o)
	out := self
	known := false
	// A call of an Enum looks a member up: its methods take the values of members.
	x.direct = x.direct && !enumLike(c.class.nativeAll())
	if m, ok := a.classAttr(c, "__new__"); ok {
		y := x
		y.pos = append([]val{ref(c)}, x.pos...)
		y.where = nil
		r := f.call(m, y)
		out = join(out, r)
		known = true
	}
	for p := range out.objs.each {
		if p.kind != oInst {
			continue
		}
		if _, ok := f.specialOf(p, "__init__", ref(p), x); ok {
			known = true
			continue
		}
		if f.fields(p, x) {
			known = true
			f.specialOf(p, "__post_init__", ref(p), args{site: x.site, star: x.all(), open: true})
		}
	}
	native := c.class.nativeAll()
	if !known && a.strict {
		f.raises(a.deep(x.all()))
	}
	if !known || len(native) > 0 {
		f.absorbArgs(o, x)
	}
	if len(native) > 0 && enumLike(native) {
		// Looking up a member: it is chosen by the arguments.
		f.inside(x.all())
		f.stick(a.deep(x.all()))
		if m, ok := a.classAttr(c, "_missing_"); ok && !f.silentAll(m) {
			f.stay(a.deep(x.all()))
		}
		out = join(out, f.members(c))
		out.may = union(out.may, a.deep(x.all()))
	}
	return out
}

func instName(c *object) string { return "instance " + c.name }

// absorbArgs lets an instance of a class that is derived from a built-in one hold the arguments.
func (f *frame) absorbArgs(o *object, x args) {
	all := x.all()
	if all.bottom() && all.may == nil {
		return
	}
	f.absorb(o, all)
	f.a.growLab(&o.shape, f.a.deep(all))
	f.callbacksOf(o, all)
}

func enumLike(native []string) bool {
	for _, n := range native {
		if strings.HasPrefix(n, "enum.") || n == "?" {
			return true
		}
	}
	return false
}

// members is what the attributes of a class may be.
func (f *frame) members(c *object) val {
	var v val
	for o := range c.lineage {
		for _, e := range o.attrs {
			if !dunder(e.name) {
				v = join(v, e.v)
			}
		}
	}
	return v.loose()
}

// fields passes arguments to the fields of a dataclass or the like, and says
// whether the class is one.
func (f *frame) fields(o *object, x args) bool {
	a := f.a
	var names []string
	is := false
	exact := true
	for c := range o.of.lineage {
		is = is || c.class.data || slices.ContainsFunc(c.class.native, func(n string) bool { return n == "typing.NamedTuple" || n == "typing.TypedDict" })
		names = append(slices.Clone(c.class.fields), names...)
		exact = exact && len(c.class.bases) <= 1 && !c.class.odd
	}
	if !is {
		return false
	}
	f.stick(f.a.deep(x.all()))
	names = unique(names)
	exact = exact && !x.open && !x.hasKw
	for _, name := range names {
		if d, ok := a.classAttr(o.of, name); ok {
			exact = exact && !f.fieldCall(d)
			a.setAttr(o, name, f.fieldDefault(d, x.site))
		}
	}
	if !exact {
		all := x.all()
		for _, name := range names {
			a.setAttr(o, name, all)
		}
		a.grow(&o.other, all)
		return true
	}
	for i, v := range x.pos {
		if i < len(names) {
			a.setAttr(o, names[i], v.with(f.pc))
		}
	}
	for _, e := range x.named {
		a.setAttr(o, e.name, e.v.with(f.pc))
	}
	return true
}

// unique keeps the first of equal names.
func unique(names []string) []string {
	out := names[:0:0]
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// fieldCall says whether a field's default is a call of dataclasses.field, which may change the parameters.
func (f *frame) fieldCall(v val) bool {
	for o := range v.objs.each {
		if o.kind == oOpaque && o.name == "odd field" {
			return true
		}
	}
	return false
}

// fieldDefault is what a field is without an argument.
func (f *frame) fieldDefault(v val, n syntax.Node) val {
	out := v
	for o := range v.objs.each {
		if o.kind == oOpaque {
			out = join(out, f.a.contents(o))
		}
	}
	return out
}
