package value

import "praxis/internal/plan/label"

// What a reference that data chose changes could have been something else: in
// another run it is another element of the container that the reference came
// from. So choices are noted, and a change by way of such a reference is a
// change of all that could have been chosen. Where that cannot be said, all that
// follows depends on the choice ([Thread.Stick]).

// Choice is a container that data of label L chose something out of. Where
// From is not set, nobody knows what it was chosen from.
type Choice struct {
	L    label.ID
	From Value
}

// maxChoices bounds the choices that are kept apart.
const maxChoices = 256

// changeable are the kinds that have, or lead to, something that can be changed or called.
const changeable = uint64(1)<<KTuple | 1<<KList | 1<<KDict | 1<<KSet | 1<<KFunc | 1<<KNative | 1<<KMethod | 1<<KClass | 1<<KObject |
	1<<KModule | 1<<KTool | 1<<KIter | 1<<KGen | 1<<KView | 1<<KSpecial | 1<<KProp

// Changeable reports whether v is, or leads to, something that can be changed or called.
func (v *Value) Changeable() bool { return changeable>>v.Kind&1 != 0 }

// Choose notes that data of label l chose v out of from. What has the label of
// from itself was not chosen by it.
func (t *Thread) Choose(v *Value, l label.ID, from Value) {
	if l == 0 || !v.Changeable() || t.Join(l, from.Label) == from.Label {
		return
	}
	for i := len(t.Choices) - 1; i >= 0; i-- {
		if c := &t.Choices[i]; c.L == l && c.From.Obj == from.Obj && c.From.Kind == from.Kind {
			return
		}
	}
	switch n := len(t.Choices); {
	case n < maxChoices:
		t.Choices = append(t.Choices, Choice{l, from})
	case n == maxChoices:
		t.Choices = append(t.Choices, Choice{}) // any label, from anywhere
	}
}

// maxWalked bounds how many values a run looks at to find what could have been
// chosen. Beyond it nobody looks, and all that follows depends on the choice.
const maxWalked = 64 << 20

// Stick makes all that follows depend on l.
func (t *Thread) Stick(l label.ID) {
	t.PC = t.Join(t.PC, l)
	t.Sticky = t.Join(t.Sticky, l)
}

// Chosen calls f with each container that a value of label l may have been chosen
// from; if one is not known or f returns false, all that follows depends on l.
func (t *Thread) Chosen(l label.ID, f func(from Value) bool) {
	for i := range t.Choices {
		c := &t.Choices[i]
		if t.Join(c.L, l) == l && (c.From.Kind == KUnset || t.Walked > maxWalked || !f(c.From)) {
			t.Stick(l)
			return
		}
	}
}

// Unknown is for [Thread.Chosen]: what could have been chosen does other things.
func Unknown(Value) bool { return false }

// hook is called where an operator may run code of v's class.
func (t *Thread) hook(v Value) {
	if v.Label != 0 && t.Hooks && v.Changeable() {
		t.Chosen(v.Label, Unknown)
	}
}

// Touch is called before what o refers to is changed; attr is the name of the
// attribute that is, or "".
func (t *Thread) Touch(o Value, attr string) {
	if o.Label == 0 || len(t.Choices) == 0 || !o.Changeable() {
		return
	}
	t.Chosen(o.Label, func(from Value) bool { return t.spread(from, o, attr) })
}

// spread labels what in from could have been changed in the place of o. It
// returns false when labels cannot say it.
func (t *Thread) spread(from, o Value, attr string) bool {
	l := o.Label
	mark := func(shape *label.ID) { *shape = t.Join(*shape, l) }
	list, dict, set, iter := false, false, false, false
	switch x := t.Base(o).Obj.(type) {
	case *List:
		list = true
	case *Dict:
		dict = true
	case *Set:
		set = true
	case *Iter:
		iter = true
		mark(&x.Moved)
	case *Instance:
		if attr == "" {
			return false
		}
	default:
		return false
	}
	if attr != "" {
		if o.Kind != KObject {
			return false
		}
		list, dict, set = false, false, false
	}
	t.Reach(from, l, func(x Object) {
		switch x := x.(type) {
		case *List:
			if list {
				mark(&x.Shape)
			}
		case *Dict:
			if dict {
				mark(&x.Shape)
				for i := range x.Entries {
					x.Entries[i].Val.Label = t.Join(x.Entries[i].Val.Label, l)
				}
			}
		case *Set:
			if set {
				mark(&x.Shape)
			}
		case *Iter:
			if iter {
				mark(&x.Moved)
			}
		case *Instance:
			if attr == "" {
				return
			}
			mark(&x.Attrs.Shape)
			if i := x.Attrs.Place(attr); i >= 0 {
				mark(&x.Attrs.Entries[i].Val.Label)
			}
		}
	})
	return true
}

// Reach calls f with each object that can be reached from v by way of values
// that do not have label l anyway.
func (t *Thread) Reach(v Value, l label.ID, f func(Object)) {
	seen := map[Object]bool{}
	queue := []Object{v.Obj}
	before := t.Walked
	defer func() { t.Steps -= (t.Walked - before) / 8 }()
	add := func(v Value) {
		t.Walked++
		if v.Changeable() && v.Obj != nil && !seen[v.Obj] && (v.Label == 0 || t.Join(v.Label, l) != v.Label) {
			seen[v.Obj] = true
			queue = append(queue, v.Obj)
		}
	}
	all := func(vs ...Value) {
		t.Walked += int64(len(vs)) / 16
		for i := range vs {
			if vs[i].Changeable() {
				add(vs[i])
			}
		}
	}
	dict := func(d *Dict) {
		for i := range d.Entries {
			all(d.Entries[i].Key, d.Entries[i].Val)
		}
	}
	class := func(c *Class) {
		for _, b := range c.MRO {
			if !b.Static && !seen[b] {
				seen[b] = true
				dict(&b.Attrs)
			}
		}
	}
	for len(queue) > 0 {
		o := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		f(o)
		switch o := o.(type) {
		case *List:
			all(o.Items...)
		case *Tuple:
			all(o.Items...)
		case *Dict:
			dict(o)
		case *View:
			add(Value{Kind: KDict, Obj: o.Dict})
		case *Set:
			for i := range o.Table {
				add(o.Table[i].Key)
			}
		case *Iter:
			all(o.Src, o.Stop)
		case *Method:
			all(o.Self, o.Fn)
		case *Wrapper:
			add(o.Fn)
		case *Property:
			all(o.Get, o.Set, o.Del)
		case *Super:
			add(o.Self)
		case *Func:
			all(o.Defaults...)
			for _, c := range o.Closure {
				add(c.Val)
			}
			if o.Attrs != nil {
				dict(o.Attrs)
			}
		case *Class:
			class(o)
		case *Instance:
			dict(&o.Attrs)
			add(o.Base)
			class(o.Cls)
		case *Exception:
			dict(&o.Attrs)
			add(o.Args)
			class(o.Cls)
		case Sized:
			o.Walk(add)
		}
	}
}
