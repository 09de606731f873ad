package check

import (
	"fmt"
	"slices"
	"strings"

	"praxis/internal/plan/builtin"
	"praxis/internal/plan/syntax"
	"praxis/internal/tool/schema"
)

// excused is how much a value's use matters that would raise an exception: less
// in a program that looks at what a value is, or whether it has a member of that name.
func (a *analysis) excused(name string) Level {
	if a.scopes.sorts || a.scopes.tested[name] {
		return Warning
	}
	return a.mistake()
}

// mistaken is a finding about a value that is used as what it is not.
func (f *frame) mistaken(name, text, remedy string) *Finding {
	return &Finding{Kind: Value, Level: f.a.excused(name), Message: text, Remedy: remedy}
}

// subscripts notes whether v can have the item that is read of it.
func (f *frame) subscripts(v, key val, n syntax.Node) {
	s, k := f.shapes(v), f.shapes(key)
	if s == 0 || k == 0 {
		return
	}
	if s&aDict == 0 && (s&(aText|aList|aTuple|aThing) == 0 || k == aText && s&aThing == 0) {
		remedy := ""
		switch {
		case s&(aList|aTuple) != 0:
			remedy = "Go through its items: for item in …: item[…]."
		case s == aText:
			remedy = "It is the value already; or a loop went through a dict, whose keys it gives: use .values() or .items()."
		}
		f.a.made(n, f.mistaken("", s.String()+" has no item under "+k.String(), remedy))
		return
	}
	var wrong *Finding
	if s == aThing && v.fl&scalar == 0 && !slices.ContainsFunc(v.objs.all(), func(id int32) bool {
		o := f.a.objects[id]
		return o.kind != oInst || len(o.of.class.nativeAll()) > 0 || f.hasAttr(o.of, "__getitem__")
	}) {
		wrong = f.mistaken("", "objects of the class "+f.a.objects[v.objs.ids[0]].of.class.name+" have no items", "Read a field as an attribute: x.field.")
	}
	if s == aDict {
		wrong = f.lacks(v, key)
	}
	f.a.made(n, wrong)
}

// gets warns of a member that get cannot find in any run.
func (f *frame) gets(v val, method string, n *syntax.Call) {
	if method != "get" || len(n.Args) == 0 || f.shapes(v) != aDict {
		return
	}
	k, ok := n.Args[0].(*syntax.Constant)
	if !ok {
		return
	}
	wrong := f.lacks(v, literal(k))
	if wrong != nil {
		wrong.Level = Warning
	}
	f.a.made(k, wrong)
}

// lacks says what member none of the dicts can have that v may be.
func (f *frame) lacks(v, key val) (wrong *Finding) {
	for _, id := range v.objs.all() {
		if wrong = f.lacking(f.a.objects[id], key); wrong == nil {
			break
		}
	}
	return wrong
}

func (f *frame) lacking(o *object, key val) *Finding {
	if o.kind != oData || o.data.deep >= maxNested || !o.elem.bottom() || len(o.data.typ.Variants) > 0 || o.data.typ.Kinds != schema.ObjectKind {
		return nil
	}
	t := o.data.typ
	what := "the input"
	if d := o.data.root.def; d != nil {
		what = "a result of " + d.Name
	}
	remedy := "It has " + strings.Join(t.Names(), ", ") + "."
	if _, ok := key.number(); ok && o.keys.bottom() {
		return f.mistaken("", what+" is no list here: it is a dict", remedy)
	}
	name, ok := key.text()
	if _, declared := t.Property(name); !ok || declared || t.Additional != nil || ent(o.ents, name) != nil {
		return nil
	}
	if s := near(name, t.Names()); s != "" {
		remedy = s
	}
	return f.mistaken(name, fmt.Sprintf("%s has no member %q", what, name), remedy)
}

const hiddenTools = "It hides the tools of that name: give it another."

// callee notes whether v can be called.
func (f *frame) callee(v val, n *syntax.Call) {
	name, ok := n.Func.(*syntax.Name)
	s := f.shapes(v)
	if !ok || s == 0 {
		return
	}
	if s&aThing != 0 {
		f.a.made(name, nil)
		return
	}
	remedy := ""
	if _, tool := f.toolName(name.ID); tool {
		remedy = hiddenTools
	} else if _, input := f.a.inputs[name.ID]; input {
		remedy = "It is the value itself: write " + name.ID + "."
	}
	f.a.made(name, f.mistaken("", name.ID+" is no function: it is "+s.String(), remedy))
}

// attributes notes whether v can have the attribute that is read of it.
func (f *frame) attributes(v val, n *syntax.Attribute) {
	s := f.shapes(v)
	name, named := n.Value.(*syntax.Name)
	hidden := named && f.a.tools != nil && f.a.tools.IsNamespace(name.ID)
	if hidden && v.bottom() {
		f.a.made(n, f.mistaken("", name.ID+" is a variable of this function, which has no value yet", hiddenTools))
	}
	if s == 0 || strings.HasPrefix(n.Attr, "_") {
		return
	}
	if s == aThing && v.fl&scalar == 0 {
		f.instanceHas(v, n)
		return
	}
	for x := range s.each {
		switch x {
		case aThing, aMoment, aNull:
			f.a.made(n, nil)
			return
		case aNumber:
			if builtin.HasMethod("int."+n.Attr) || n.Attr == "numerator" || n.Attr == "denominator" {
				f.a.made(n, nil)
				return
			}
		}
		if builtin.HasMethod(x.class() + "." + n.Attr) {
			f.a.made(n, nil)
			return
		}
	}
	remedy := ""
	switch {
	case hidden:
		remedy = hiddenTools
	case s == aDict:
		remedy = fmt.Sprintf("Read a member as [%q].", n.Attr)
	case s&(aList|aTuple) != 0:
		remedy = "Go through its items, and read members as [\"…\"]."
	}
	f.a.made(n, f.mistaken(n.Attr, s.String()+" has no attribute "+n.Attr, remedy))
}

// instanceHas notes whether instances of the program's classes can have an attribute.
func (f *frame) instanceHas(v val, n *syntax.Attribute) {
	for o := range v.objs.each {
		if o.kind == oSpace {
			return // which tools there are is said elsewhere
		}
		if o.kind != oInst || !o.other.bottom() || ent(o.attrs, n.Attr) != nil || len(o.of.class.nativeAll()) > 0 || f.hasAttr(o.of, n.Attr) {
			f.a.made(n, nil)
			return
		}
	}
	o := f.a.objects[v.objs.ids[0]]
	names := append([]string(nil), o.of.class.fields...)
	for _, e := range o.attrs {
		names = append(names, e.name)
	}
	f.a.made(n, f.mistaken(n.Attr, "objects of the class "+o.of.class.name+" have no attribute "+n.Attr, near(n.Attr, names)))
}

// hasAttr says whether a class may give its instances an attribute.
func (f *frame) hasAttr(c *object, name string) bool {
	has := false
	c.lineage(func(b *object) bool {
		has = has || b.class.loose || !b.other.bottom()
		return !has
	})
	for _, name := range []string{name, "__getattr__", "__slots__"} {
		_, ok := f.a.classAttr(c, name)
		has = has || ok
	}
	return has
}
