package check

import (
	"strings"

	"praxis/internal/plan/builtin"
	"praxis/internal/plan/compile"
	"praxis/internal/plan/syntax"
)

// choice is what data chose something from; see package value. Here choices of
// all runs are one list, and what may be chosen in any run is.
type choice struct {
	lab  *lab
	from val
}

// maxChoices bounds the choices that are kept apart.
const maxChoices = 64

// choose notes that data of the set l chose out among what from holds.
func (f *frame) choose(out val, l *lab, from val) {
	a := f.a
	if l == nil || out.objs == nil || from.objs == nil || l.within(from.must) {
		return
	}
	from = val{objs: from.objs, fl: reached}
	for i := range a.choices {
		c := &a.choices[i]
		if sameLab(c.lab, l) || i == maxChoices-1 {
			a.growLab(&c.lab, l)
			a.grow(&c.from, from)
			return
		}
	}
	a.choices = append(a.choices, choice{l, from})
	a.grew()
}

// overlaps says whether two sets have a source in common.
func (l *lab) overlaps(o *lab) bool {
	return both(l, o) != nil || l.any() && o != nil || o.any() && l != nil
}

// chosen gathers what a value of the set l may have been chosen from.
func (f *frame) chosen(l *lab) (from val) {
	if l == nil {
		return val{}
	}
	for _, c := range f.a.choices {
		if c.lab.overlaps(l) {
			from = join(from, c.from)
		}
	}
	return from
}

// stay makes all that follows depend on l.
func (f *frame) stay(l *lab) { f.pc = union(f.pc, l) }

// reachAll visits what can be reached, also by way of functions and classes.
func (a *analysis) reachAll(v val, visit func(*object)) {
	more := v.objs
	for done := (*oset)(nil); !more.within(done); {
		done = done.union(more)
		next := done
		a.reach(done, func(o *object) {
			next = next.union(&o.only)
			switch o.kind {
			case oInst:
				next = next.union(&o.of.only)
			case oClass:
				for _, b := range o.class.bases {
					next = next.union(&b.only)
				}
				for i := range o.attrs {
					next = next.union(o.attrs[i].v.objs)
				}
			case oFunc:
				for act := o.code.outer; act != nil && act.fn.outer != nil; act = act.fn.outer {
					for _, c := range act.cells {
						next = next.union(c.objs)
					}
				}
				for i := range o.attrs {
					next = next.union(o.attrs[i].v.objs)
				}
			}
		})
		more = next
	}
	for o := range more.each {
		visit(o)
	}
}

// touch notes that what v refers to is changed: if data chose it, all that could
// have been chosen is. attr is the name of an attribute, or "".
func (f *frame) touch(v val, attr string) {
	from := f.chosen(v.may)
	if from.objs == nil || v.objs == nil {
		return
	}
	a := f.a
	goes := false // an iterator goes on
	for o := range v.objs.each {
		goes = goes || o.kind == oIter
		switch o.kind {
		case oList, oTuple, oSet, oDict, oData, oIter:
			if attr != "" || o.kind == oIter && o.moved {
				f.stay(v.may)
			}
		case oInst:
			if attr == "" {
				f.stay(v.may)
			}
		default:
			f.stay(v.may)
		}
	}
	a.reachAll(from, func(o *object) {
		switch o.kind {
		case oGen, oFunc, oBound, oNative, oClass, oTool, oPartial, oWrap:
			if goes && !f.silent(o) {
				f.stay(v.may) // it could be what goes on
			}
		case oInst:
			if e := ent(o.attrs, attr); e != nil && attr != "" {
				a.grow(&e.v, val{may: v.may})
			}
			a.growLab(&o.shape, v.may)
		case oList, oSet, oDict, oData, oIter, oOpaque:
			if attr == "" {
				a.growLab(&o.shape, v.may)
			}
			if o.kind == oOpaque {
				a.grow(&o.elem, val{may: v.may, fl: reached})
			}
		}
	})
}

// ownCode says what the program's own code may do.
type ownCode struct {
	hooks  bool                 // operators and attributes may run code of the program that changes something
	silent map[syntax.Node]bool // functions and lambdas whose call changes nothing, calls no tool and prints nothing
}

// code looks at the program when data first chooses something in it: most
// programs never ask.
func (a *analysis) code() *ownCode {
	if a.own == nil {
		a.own = &ownCode{}
		a.own.silent, a.own.hooks = compile.Silent(a.module, a.strict)
	}
	return a.own
}

// hook notes that an operator may run code of the program that data chose.
func (f *frame) hook(vs ...val) {
	if !f.a.hasClasses() {
		return
	}
	for _, v := range vs {
		if v.may != nil && f.chosen(v.may).objs != nil && f.a.code().hooks {
			f.stay(v.may)
		}
	}
}

// inside notes that code of the library may choose by way of in among objects of its
// own, which it then changes, where operators run code of the program.
func (f *frame) inside(in val) {
	if in.may != nil && f.a.hasClasses() && f.a.code().hooks {
		f.stay(f.a.deep(in))
	}
}

// picks notes that v is called: if data chose it among functions that do
// different things, all that follows depends on the choice.
func (f *frame) picks(v val) {
	a := f.a
	from := f.chosen(v.may)
	if from.objs == nil {
		for o := range v.objs.each {
			if a.strict && v.may != nil && o.kind == oFunc {
				f.stay(v.may) // it was bound where data decided
			}
		}
		return
	}
	alone := false // a function is called, not as a method
	var seen *oset
	var first syntax.Node
	several := false
	see := func(n syntax.Node) {
		several = several || first != nil && n != first
		first = n
	}
	name := ""
	var look func(v val)
	look = func(v val) {
		for o := range v.objs.each {
			switch o.kind {
			case oFunc:
				name = o.code.name
				see(o.node)
			case oBound:
				for p := range o.fn.objs.each {
					if p.kind != oFunc {
						several = true
					}
				}
				look(o.fn)
			case oTool, oNative:
			default:
				several = true
			}
		}
	}
	look(v)
	for o := range v.objs.each {
		alone = alone || o.kind == oFunc
	}
	if first != nil && !several && (v.fl&scalar != 0 || builtin.AnyMethod(name)) {
		several = true // what is built in may have a method of that name, too
	}
	if first != nil && !several {
		// Closures of one function are several, too.
		for o := range v.objs.each {
			several = several || o.kind == oFunc && len(v.objs.all()) > 1 || o.kind == oFunc && o.code.outer != nil && o.code.outer.fn.outer != nil
		}
	}
	if first == nil && !several {
		for o := range v.objs.each {
			if o.kind == oBound {
				f.touch(o.recv.with(v.may), "")
			}
		}
		several = len(v.objs.all()) > 1
	}
	a.reachAll(from, func(o *object) {
		seen = seen.union(&o.only)
		switch o.kind {
		case oFunc:
			if o.code.class == nil || alone {
				see(o.node)
			}
		case oClass:
			if m, ok := a.classAttr(o, name); ok {
				look(m)
			}
		case oPartial, oBound:
			several = true
		}
	})
	for o := range v.objs.each {
		several = several || o.kind == oFunc && !o.only.within(seen) // it comes from elsewhere
	}
	if several {
		f.stay(v.may)
	}
}

// receives is picks for a method that is called by its name, or for what runs when an
// attribute is read or set.
func (f *frame) receives(v val, name string) {
	a := f.a
	from := f.chosen(v.may)
	if from.objs == nil {
		if a.strict && v.may != nil && a.severalNamed(name) {
			f.stay(v.may)
		}
		return
	}
	var direct *oset // what lies in the containers themselves
	for o := range from.objs.each {
		direct = direct.union(a.contents(o).objs)
		if o.kind == oInst {
			direct = direct.union(&o.only)
		}
	}
	all := v.objs.within(direct)
	var first *object
	var seen *oset
	several := false
	a.reachAll(from, func(o *object) {
		c := o
		seen = seen.union(&o.only)
		switch o.kind {
		case oInst:
			c = o.of
			// Another object may have an attribute of its own, or none at all.
			several = several || ent(o.attrs, name) != nil || !o.other.bottom()
		case oClass:
		default:
			return
		}
		m, ok := a.classAttr(c, name)
		if !ok {
			m, ok = a.classAttr(c, "__getattr__")
		}
		for p := range m.objs.each {
			several = several || first != nil && p != first
			first = p
		}
		several = several || ok && m.fl&scalar != 0 || !ok && o.kind == oInst && (!all || o.only.within(direct))
	})
	// What comes from elsewhere may be an object of any class.
	several = several || !v.objs.within(seen) && a.severalNamed(name)
	// Values of other types that have a method of that name do what it does not.
	mixed := v.fl&scalar != 0 && builtin.AnyMethod(name)
	for _, id := range v.objs.all() {
		switch a.objects[id].kind {
		case oList, oTuple, oSet, oDict, oData, oOpaque, oIter:
			mixed = mixed || builtin.AnyMethod(name)
		}
	}
	if several || mixed && first != nil {
		f.stay(v.may)
	}
}

// severalNamed says whether classes of the program have several things of one name.
func (a *analysis) severalNamed(name string) bool {
	var first *object
	for _, c := range a.classes {
		e := ent(c.attrs, name)
		if e == nil {
			continue
		}
		for p := range e.v.objs.each {
			if first != nil && p != first {
				return true
			}
			first = p
		}
	}
	return false
}

// silentAll is silent for all that a value may be.
func (f *frame) silentAll(v val) bool {
	for o := range v.objs.each {
		if !f.silent(o) {
			return false
		}
	}
	return true
}

// silent says whether calling an object changes nothing, calls no tool and prints nothing.
func (f *frame) silent(o *object) bool {
	switch o.kind {
	case oFunc:
		return f.a.code().silent[o.node]
	case oBound, oWrap:
		return f.silentAll(o.fn) && (o.fn.objs != nil || !changer(o.name))
	case oIter:
		if o.busy {
			return true // it is being asked already
		}
		o.busy = true
		defer func() { o.busy = false }()
		return f.silentAll(o.fn)
	case oNative:
		_, method, dotted := strings.Cut(o.name, ".")
		if !dotted {
			return o.name != "next" && o.name != "print" && o.name != "setattr" && o.name != "delattr"
		}
		return !changer(method)
	case oClass:
		for _, name := range [...]string{"__init__", "__new__", "__post_init__"} {
			if m, ok := f.a.classAttr(o, name); ok {
				if !f.silentAll(m) {
					return false
				}
			}
		}
		return true
	}
	return false
}

// changer says whether a method that is built in may change its object.
func changer(name string) bool {
	switch name {
	case "count", "index", "get", "keys", "values", "items", "copy", "union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint",
		"upper", "lower", "strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "partition", "rpartition", "join", "format", "startswith", "endswith", "replace",
		"find", "rfind", "title", "capitalize", "casefold", "isdigit", "isalpha", "isalnum", "isspace", "encode", "decode", "fromkeys", "isoformat", "strftime":
		return false
	}
	return true
}

// callsBack notes that something built in calls what it was given as often, and takes
// as much out of iterators, as what else it was given says.
func (f *frame) callsBack(x args, recv val) {
	all := join(x.all(), recv)
	if all.objs == nil {
		return
	}
	impure, moves, several := false, false, len(x.pos)+len(x.named) > 1 || recv.objs != nil
	for o := range x.all().objs.each {
		switch o.kind {
		case oFunc, oBound, oClass, oTool, oSpace, oNative:
			impure = impure || !f.silent(o)
		case oPartial, oWrap:
			impure = true
		case oGen:
			impure = impure || several
		case oIter:
			impure = impure || several && !f.silentAll(o.fn)
			moves = true
		case oOpaque:
			if lazy(o.name) {
				impure = impure || len(x.pos)+len(x.named) > 1
				moves = true
			}
		case oInst:
			_, calls := f.a.classAttr(o.of, "__call__")
			impure = impure || calls || f.a.code().hooks
		case oList, oTuple, oSet, oDict:
			if f.a.code().hooks {
				impure = impure || f.a.holdsInstance(o)
			}
		}
	}
	if !impure && !moves {
		return
	}
	l := f.a.deep(all)
	if impure {
		f.stay(l)
	}
	for o := range x.all().objs.each {
		if o.kind == oIter || o.kind == oOpaque {
			f.a.growLab(&o.shape, l)
		}
	}
}

// drives notes that data of the set l decides how often something built in takes an element
// of v: how far all goes that v goes over, and how often it calls what it calls.
func (f *frame) drives(v val, l *lab) {
	for o := range v.objs.each {
		switch o.kind {
		case oIter, oOpaque:
			if l == nil || o.busy || o.kind == oOpaque && !lazy(o.name) {
				continue
			}
			f.a.growLab(&o.shape, l)
			over := o.fn
			if o.kind == oOpaque {
				over = o.elem
			}
			o.busy = true
			f.drives(over, l)
			o.busy = false
			f.walked(o)
		case oInst:
			for _, name := range [...]string{"__next__", "__call__"} {
				if m, ok := f.a.classAttr(o.of, name); ok && !f.silentAll(m) {
					f.stay(l)
				}
			}
		case oFunc, oBound, oClass, oTool, oNative, oPartial, oWrap:
			if !f.silent(o) {
				f.stay(l)
			}
		}
	}
}

// lazy says whether what a native makes takes elements and calls functions later.
func lazy(name string) bool {
	switch module, _, _ := strings.Cut(name, "."); module {
	case "itertools", "functools", "map", "filter", "zip", "enumerate", "reversed", "operator", "csv", "re":
		return true
	}
	return false
}

func (a *analysis) holdsInstance(o *object) bool {
	for p := range a.contents(o).objs.each {
		if p.kind == oInst {
			return true
		}
	}
	return false
}
