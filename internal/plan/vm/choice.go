package vm

import (
	"slices"
	"strings"

	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
)

// touches notes which of the arguments of a native is changed by it: the first one,
// and iterators, which go on.
func (vm *VM) touches(n *value.Native, pos []value.Value) {
	t := &vm.t
	for i := range pos {
		if v := &pos[i]; v.Label != 0 && t.Hooks && (v.Kind == value.KObject || i == 0 && !n.Changes) {
			t.Chosen(v.Label, value.Unknown)
		} else if v.Label != 0 && (i == 0 && n.Changes || v.Kind == value.KIter || v.Kind == value.KGen) {
			attr := ""
			if name, ok := pos[min(1, len(pos)-1)].Obj.(*value.Str); ok && v.Kind == value.KObject {
				attr = name.Text
			}
			t.Touch(*v, attr)
		}
	}
	// What else data could have chosen may have a method of that name that is no native.
	if self := &pos[0]; self.Label != 0 && len(vm.methods[methodName(n)]) > 0 {
		vm.picks(value.Value{Kind: value.KNative, Obj: n, Label: self.Label}, *self)
	}
}

// methodName is the name of a native without that of its class.
func methodName(n *value.Native) string {
	_, name, _ := strings.Cut(n.Name, ".")
	return name
}

// choices notes what a native that gave v may have chosen it from.
func (vm *VM) choices(v value.Value, l label.ID, a *value.Args) {
	if len(vm.t.Choices) >= max(vm.t.Many, 32) {
		vm.forget(v, a)
		vm.t.Many = 2 * len(vm.t.Choices)
	}
	for _, vs := range [...][]value.Value{a.Pos, a.Star, a.Named} {
		for i := range vs {
			if vs[i].Changeable() && vs[i].Obj != v.Obj {
				vm.t.Choose(&v, l, vs[i])
			}
		}
	}
}

// forget drops the choices among what the program cannot reach any more, beside the
// result and the arguments of a native.
func (vm *VM) forget(v value.Value, a *value.Args) {
	h := &heap{t: &vm.t, seen: map[value.Object]bool{}}
	h.value(v)
	h.values(a.Pos, a.Star, a.Named)
	vm.visit(h)
	vm.t.Choices = slices.DeleteFunc(vm.t.Choices, func(c value.Choice) bool {
		known := c.From.Kind == value.KUnset
		if !known {
			vm.t.Reach(c.From, 0, func(o value.Object) { known = known || h.seen[o] })
		}
		return !known
	})
}

// goesOver notes that something goes over x by way of the iterator it: x is changed
// by that if it is the iterator itself, else its order may have chosen what comes.
func (vm *VM) goesOver(x, it value.Value) {
	if x.Obj == it.Obj {
		vm.t.Touch(x, "")
	} else {
		vm.t.Choose(&x, it.Label, x)
	}
}

// elements calls f with what a container holds directly.
func (vm *VM) elements(v value.Value, f func(value.Value)) {
	all := func(vs ...value.Value) {
		for i := range vs {
			f(vs[i])
		}
	}
	switch o := v.Obj.(type) {
	case *value.List:
		all(o.Items...)
	case *value.Tuple:
		all(o.Items...)
	case *value.Dict:
		for i := range o.Entries {
			all(o.Entries[i].Key, o.Entries[i].Val)
		}
	case *value.View:
		vm.elements(value.Value{Kind: value.KDict, Obj: o.Dict}, f)
	case *value.Set:
		for i := range o.Table {
			f(o.Table[i].Key)
		}
	case *value.Iter:
		all(o.Src, o.Stop)
	}
}

// gives reports whether a native is given anything that it could call or take elements of.
func (vm *VM) gives(a *argSlot) bool {
	const able = 1<<value.KFunc | 1<<value.KTool | 1<<value.KMethod | 1<<value.KNative | 1<<value.KClass | 1<<value.KObject | 1<<value.KIter | 1<<value.KGen
	kinds := uint64(0)
	for _, vs := range [...][]value.Value{a.Pos, a.Star, a.Named} {
		for i := range vs {
			kinds |= 1 << vs[i].Kind
		}
	}
	if kinds&able != 0 {
		return true
	}
	return vm.t.Hooks && kinds&(1<<value.KList|1<<value.KTuple|1<<value.KSet|1<<value.KDict) != 0
}

// keeps reports whether a native neither calls what it is given nor takes elements of it.
func keeps(name string, a *argSlot) bool {
	switch name {
	case "len":
		return a.Pos[0].Kind != value.KObject
	case "isinstance", "issubclass", "type", "id", "callable", "getattr", "hasattr", "iter", "next", "object.__new__", "type.__call__", "type.__new__":
		return true
	}
	return false
}

// calledBack is callbacks for a function of the library. Its own object or class
// is not what it calls back.
func (vm *VM) calledBack(g *Frame) {
	args := g.st[:g.code.Params]
	if len(args) > 0 && (g.code.Slots[0] == "self" || g.code.Slots[0] == "cls") {
		args = args[1:]
	}
	vm.callbacks(args, 0)
}

// callbacks notes that code that is no part of the program calls what it was
// given as often, and takes as much out of iterators, as its other arguments, and
// by, say.
func (vm *VM) callbacks(args []value.Value, by label.ID) {
	t := &vm.t
	for i := range args {
		v := &args[i]
		moves := v.Kind == value.KIter || v.Kind == value.KGen
		switch v.Kind {
		case value.KFunc, value.KMethod, value.KNative, value.KClass, value.KTool:
			if v.Silent() {
				continue
			}
		case value.KObject:
			cls := t.ClassOf(*v) // a mere object() runs nothing
			if _, _, ok := cls.Lookup("__call__"); !ok && (!t.Hooks || cls == t.Types.Object) {
				continue
			}
		case value.KList, value.KTuple, value.KSet, value.KDict:
			objects := false
			if t.Hooks {
				vm.elements(*v, func(e value.Value) { objects = objects || e.Kind == value.KObject })
			}
			if !objects {
				continue
			}
		default:
			if !moves {
				continue
			}
		}
		l := by
		for j := range args {
			if o := &args[j]; i != j || !moves {
				l = t.Join(l, t.Join(o.Label, shapeOf(t, *o)))
				if !moves || o.Kind == value.KTuple {
					vm.elements(*o, func(e value.Value) { l = t.Join(l, e.Label) })
				}
			}
		}
		if it, ok := v.Obj.(*value.Iter); ok {
			it.Moved = t.Join(it.Moved, l)
		} else if l != 0 {
			t.Stick(l)
		}
	}
}

// library reports whether code of the library runs in f.
func (f *Frame) library() bool { return f != nil && f.run != nil && f.run.Lib }
