package check

import (
	"fmt"
	"strings"

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

// subscripts notes whether v can have the item that is read of it.
func (f *frame) subscripts(v, key val, n syntax.Node) {
	var wrong *Finding
	for _, id := range v.objs.all() {
		if wrong = f.lacks(f.a.objects[id], key); wrong == nil {
			break
		}
	}
	if v.fl&scalar != 0 {
		wrong = nil
	}
	if !v.bottom() {
		f.a.made(n, wrong)
	}
}

// lacks says what member an object cannot have.
func (f *frame) lacks(o *object, key val) *Finding {
	name, ok := key.text()
	if !ok || o.kind != oData || o.data.deep >= maxNested || ent(o.ents, name) != nil || !o.elem.bottom() {
		return nil
	}
	t := o.data.typ
	if t == nil || t.Kinds != schema.ObjectKind || t.Additional != nil || len(t.Variants) > 0 {
		return nil
	}
	if _, ok := t.Property(name); ok {
		return nil
	}
	what := "the input"
	if d := o.data.root.def; d != nil {
		what = "a result of " + d.Name
	}
	remedy := near(name, t.Names())
	if remedy == "" {
		remedy = "It has " + strings.Join(t.Names(), ", ") + "."
	}
	return &Finding{Kind: Value, Level: f.a.excused(name), Message: fmt.Sprintf("%s has no member %q", what, name), Remedy: remedy}
}
