package value

import (
	"slices"

	"praxis/internal/plan/label"
)

// What a reference that data chose changes could have been something else: in
// another run it is another element of the container that the reference came
// from. So choices are noted, and a change by way of such a reference is a
// change of all that could have been chosen. Where that cannot be said, all that
// follows depends on the choice ([Thread.Stick]).

// Choice is a container that data of label L chose something out of. Where
// From is not set, nobody knows what it was chosen from. A Lost one is a list of what
// data took out of containers, which it might have left there.
type Choice struct {
	L    label.ID
	From Value
	Lost bool
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
	if l == 0 || !v.Changeable() && !(t.Acts && holdsInstance(from)) || t.Join(l, from.Label) == from.Label {
		return
	}
	for i := len(t.Choices) - 1; i >= 0; i-- {
		if c := &t.Choices[i]; c.L == l && c.From.Obj == from.Obj && c.From.Kind == from.Kind {
			return
		}
	}
	t.addChoice(Choice{L: l, From: from})
}

// maxMixed bounds how many elements of a container are looked at for instances.
const maxMixed = 256

// holdsInstance reports whether a container may hold an instance beside values that
// cannot be changed: its methods do what theirs do not.
func holdsInstance(from Value) bool {
	switch o := from.Obj.(type) {
	case *List:
		return anyInstance(o.Items)
	case *Tuple:
		return anyInstance(o.Items)
	case *Dict:
		for i := range min(len(o.Entries), maxMixed) {
			if o.Entries[i].Val.Kind == KObject {
				return true
			}
		}
		return len(o.Entries) > maxMixed
	}
	return false
}

func anyInstance(items []Value) bool {
	for i := range min(len(items), maxMixed) {
		if items[i].Kind == KObject {
			return true
		}
	}
	return len(items) > maxMixed
}

// Guess notes that data of label l chose something, nobody knows out of what.
func (t *Thread) Guess(l label.ID) {
	if !slices.ContainsFunc(t.Choices, func(c Choice) bool { return c.From.Kind == KUnset && t.Join(c.L, l) == l }) {
		t.addChoice(Choice{L: l})
	}
}

func (t *Thread) addChoice(c Choice) {
	switch n := len(t.Choices); {
	case n < maxChoices:
		t.Choices = append(t.Choices, c)
	case n == maxChoices:
		t.Choices = append(t.Choices, Choice{}) // any label, from anywhere
	}
}

// maxLost bounds how many values are kept that data of one label took out of containers.
const maxLost = 256

// Lose notes that v, which data of label l may have decided, is taken out of the
// container from: had data left it there, it could be chosen out of that, and before it
// may have chosen it already.
func (t *Thread) Lose(from Object, l label.ID, v Value) {
	if len(t.Choices) > 0 && v.Changeable() {
		for i := range t.Choices {
			if c := &t.Choices[i]; c.From.Obj == from && !c.Lost {
				t.lose(c.L, v)
			}
		}
	}
	t.lose(l, v)
}

func (t *Thread) lose(l label.ID, v Value) {
	if l == 0 || !v.Changeable() || t.Join(l, v.Label) == v.Label {
		return
	}
	i := slices.IndexFunc(t.Choices, func(c Choice) bool { return c.Lost && c.L == l })
	if i < 0 {
		t.addChoice(Choice{L: l, From: Value{Kind: KList, Obj: &List{Items: []Value{v}}}, Lost: true})
		return
	}
	c := &t.Choices[i]
	switch lost, ok := c.From.Obj.(*List); {
	case !ok || slices.ContainsFunc(lost.Items, func(w Value) bool { return w.Obj == v.Obj }):
	case len(lost.Items) < maxLost:
		lost.Items = append(lost.Items, v)
	default:
		c.From = Value{}
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

// Drive notes that data of label l decided how often the library takes an element of v: how
// far all goes that v goes over, and how often it calls what it calls.
func (t *Thread) Drive(v Value, l label.ID) {
	switch o := v.Obj.(type) {
	case *Iter:
		if o.Moved == t.Join(o.Moved, l) {
			return
		}
		if o.Moved = t.Join(o.Moved, l); o.Kind < IterEnumerate {
			return
		}
		t.Drive(o.Stop, l)
		t.Drive(o.Src, l)
		if its, ok := o.Src.Obj.(*Tuple); ok {
			for i := range its.Items {
				t.Drive(its.Items[i], l)
			}
		}
	case Generator:
		o.Drive(t, l)
	case *Instance:
		for _, name := range [...]string{"__next__", "__call__"} {
			if m, _, ok := o.Cls.Lookup(name); ok && !m.Silent() {
				t.Stick(l)
			}
		}
	case *Func, *Method, *Native, *Wrapper, *Class, *ToolRef:
		if !v.Silent() {
			t.Stick(l)
		}
	}
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

// Pure reports whether a call of v changes nothing.
func (v Value) Pure() bool { return v.does(FlagPure) }

// Silent reports whether a call of v changes nothing, calls no tool and prints nothing.
func (v Value) Silent() bool { return v.does(FlagPure | FlagSilent) }

// does reports whether a call of v is what flags say.
func (v Value) does(flags CodeFlags) bool {
	switch o := v.Obj.(type) {
	case *Func:
		return o.Code.Flags&flags == flags
	case *Method:
		return o.Fn.does(flags)
	case *Native:
		return !o.Changes && o.Name != "time.sleep" && (flags&FlagSilent == 0 || o.Name != "print")
	case *Wrapper:
		return o.Fn.does(flags)
	case *Class:
		for _, name := range [...]string{"__init__", "__new__", "__post_init__"} {
			if m, owner, ok := o.Lookup(name); ok && !owner.Static && !m.does(flags) {
				return false
			}
		}
		return true
	case *ToolRef:
		return flags&FlagSilent == 0
	}
	return false
}

// hook is called where an operator may run code of v's class.
func (t *Thread) hook(v Value) {
	if v.Label != 0 && t.Hooks {
		t.Chosen(v.Label, Unknown)
	}
}

// Touch is called before what o refers to is changed; attr is the name of the
// attribute that is, or "".
func (t *Thread) Touch(o Value, attr string) {
	if o.Label == 0 || len(t.Choices) == 0 || !o.Changeable() {
		return
	}
	library := t.InLibrary()
	t.Chosen(o.Label, func(from Value) bool {
		if library { // what it made itself, where data decided, was chosen from nowhere
			known := false
			t.Reach(from, 0, func(x Object) { known = known || x == o.Obj })
			if !known {
				return true
			}
		}
		return t.spread(from, o, attr)
	})
}

// changes is called before an attribute of o itself is set or deleted.
func (t *Thread) changes(o Value, name string) {
	attrs := (*Dict)(nil)
	if c, ok := o.Obj.(*Class); ok {
		attrs = &c.Attrs
	} else if in := InstanceOf(o); in != nil {
		attrs = &in.Attrs
	}
	if attrs != nil && o.Label != 0 {
		if i := attrs.Place(name); i >= 0 {
			t.Lose(o.Obj, o.Label, attrs.Entries[i].Val)
		}
	}
	t.Touch(o, name)
}

// spread labels what in from could have been changed in the place of o. It
// returns false when labels cannot say it.
func (t *Thread) spread(from, o Value, attr string) bool {
	l, base := o.Label, t.Base(o)
	mark := func(shape *label.ID) { *shape = t.Join(*shape, l) }
	kind := base.Kind // of what is changed
	switch _, exception := o.Obj.(*Exception); {
	case attr != "":
		if kind = o.Kind; kind != KObject || exception {
			return false
		}
	case kind == KIter:
		mark(&base.Obj.(*Iter).Moved)
	case kind != KList && kind != KDict && kind != KSet:
		return false
	}
	sure := true
	t.Reach(from, l, func(x Object) {
		switch x := x.(type) {
		case *List:
			if kind == KList {
				mark(&x.Shape)
			}
		case *Dict:
			if kind == KDict {
				mark(&x.Shape)
				for i := range x.Entries {
					t.lose(l, x.Entries[i].Val)
					mark(&x.Entries[i].Val.Label)
				}
			}
		case *Set:
			if kind == KSet {
				mark(&x.Shape)
			}
		case *Iter:
			if kind == KIter {
				mark(&x.Moved)
			}
		case *Instance:
			if next, _, ok := x.Cls.Lookup("__next__"); ok {
				sure = sure && (kind != KIter || next.Silent())
			}
			if attr == "" {
				return
			}
			mark(&x.Attrs.Shape)
			if i := x.Attrs.Place(attr); i >= 0 {
				t.lose(l, x.Attrs.Entries[i].Val)
				mark(&x.Attrs.Entries[i].Val.Label)
			}
		case Generator:
			sure = sure && kind != KIter // taking an element of it runs code
		case *Func, *Method, *Native, *Class, *ToolRef:
			sure = sure && (kind != KIter || Value{Obj: x}.Silent())
		}
	})
	return sure
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
