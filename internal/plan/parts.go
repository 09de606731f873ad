package plan

import (
	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// parts labels the parts of a result that the tool's definition labels by
// themselves. What is around a trusted part counts as trusted in its length, order
// and names: whoever trusts a part of an item trusts which items there are. An
// object with a member that its schema does not declare does not, since the name
// is data.
type parts struct {
	run    *Run
	call   *Call
	schema *schema.Schema
	result tool.Labelled // what it says of itself can only be stricter
	tool   around        // what the definition says of the whole
}

// around is what holds where no label of a part says otherwise.
type around struct {
	trusted bool
	readers label.Readers
}

// id is the label of a result, or of a part of it.
func (p parts) id(a around) label.ID {
	if p.result.Trusted != nil && !*p.result.Trusted {
		a.trusted = false
	}
	if p.result.Readers != nil {
		a.readers = a.readers.Intersect(label.Only(p.result.Readers...))
	}
	return p.run.table.Join(p.call.deep, p.run.table.Of(p.call.source(a.trusted), a.readers))
}

// readers are those that a definition names, for a result or a part of it.
func (p parts) readers(r tool.Readers, v any) (label.Readers, error) {
	who, everyone, err := r.Resolve(p.run.plan.Tools.Principals(), p.call.Arguments, v)
	if err != nil || everyone {
		return label.Everyone(), err
	}
	return label.Only(who...), nil
}

// label labels the parts of a result. What a rule has lowered keeps that label
// where the definition says nothing.
func (p parts) label(d *value.Data) error {
	if len(p.call.Tool.Labels.Fields) == 0 {
		return nil
	}
	return p.apply(d, p.result.Value, p.schema.Type(), nil, p.tool, false)
}

// apply labels the parts of d, which is the value v at a path. It changes nothing
// above the first part with a label of its own.
func (p parts) apply(d *value.Data, v any, t *schema.Type, path []string, a around, marked bool) error {
	m := p.call.Tool.Labels.Marks(path)
	if m.Trusted != nil {
		a.trusted = *m.Trusted
	}
	for i, r := range m.Readers {
		who, err := p.readers(r, v)
		if err != nil {
			return err
		}
		if i > 0 {
			who = a.readers.Intersect(who)
		}
		a.readers = who
	}
	marked = marked || m.Trusted != nil || m.Readers != nil
	own := a
	own.trusted = a.trusted || m.Inside && (d.Items != nil || d.Fields != nil && declared(d, t))
	if marked || own != a {
		d.Label = p.id(own)
	}
	path = path[:len(path):len(path)]
	list, _ := v.([]any)
	for i := range d.Items {
		if err := p.apply(&d.Items[i], list[i], item(t), append(path, "*"), a, marked); err != nil {
			return err
		}
	}
	for i := range d.Fields {
		f := &d.Fields[i]
		in, _ := jsondoc.Part(v, f.Name)
		if err := p.apply(&f.Data, in, member(t, f.Name), append(path, f.Name), a, marked); err != nil {
			return err
		}
	}
	return nil
}

// declared says whether an object has no member but those of its schema.
func declared(d *value.Data, t *schema.Type) bool {
	for i := range d.Fields {
		if member(t, d.Fields[i].Name) == nil {
			return false
		}
	}
	return true
}

func item(t *schema.Type) *schema.Type {
	if t == nil || len(t.Prefix) > 0 || len(t.Variants) > 0 {
		return nil
	}
	return t.Items
}

func member(t *schema.Type, name string) *schema.Type {
	if t == nil || len(t.Variants) > 0 {
		return nil
	}
	prop, _ := t.Property(name)
	return prop.Type
}
