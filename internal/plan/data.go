package plan

import (
	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/plan/value"
	"praxis/internal/tool/jsondoc"
)

// Printed is a piece of what a plan printed, and what it depends on.
type Printed struct {
	Text  string
	Label label.Label
}

// Output returns what the plan has printed since the last call, and what all
// that it ever printed depends on.
func (r *Run) Output() ([]Printed, label.Label) {
	out := r.out
	r.out = nil
	return out, r.table.Label(r.outputs)
}

func (r *Run) print() {
	for _, c := range r.vm.Output() {
		l := r.table.Join(c.Label, r.base)
		r.out = append(r.out, Printed{c.Text, r.table.Label(l)})
		r.outputs = r.table.Join(r.outputs, l)
	}
}

// labelled is a value as the policy sees it.
func (r *Run) labelled(d value.Data) policy.Labelled {
	out := policy.Labelled{Value: d.Value, Label: r.table.Label(d.Label)}
	if d.Items != nil {
		out.Items = []policy.Labelled{}
	}
	for _, item := range d.Items {
		out.Items = append(out.Items, r.labelled(item))
	}
	if d.Fields != nil {
		out.Fields = make(map[string]policy.Labelled, len(d.Fields))
		for _, f := range d.Fields {
			out.Fields[f.Name] = r.labelled(f.Data)
		}
	}
	return out
}

// relabel changes the part of a value at a path; "*" is every item of a list.
func relabel(d value.Data, path []string, change func(value.Data) value.Data) value.Data {
	if len(path) == 0 {
		return change(d)
	}
	if path[0] == "*" {
		for i := range d.Items {
			d.Items[i] = relabel(d.Items[i], path[1:], change)
		}
	}
	for i := range d.Fields {
		if d.Fields[i].Name == path[0] {
			d.Fields[i].Data = relabel(d.Fields[i].Data, path[1:], change)
		}
	}
	return d
}

// labels changes the labels of a value and of everything in it.
func labels(d value.Data, change func(label.ID) label.ID) value.Data {
	d.Label = change(d.Label)
	for i := range d.Items {
		d.Items[i] = labels(d.Items[i], change)
	}
	for i := range d.Fields {
		d.Fields[i].Data = labels(d.Fields[i].Data, change)
	}
	return d
}

// whole gives a value and everything in it one label.
func whole(d value.Data, l label.ID) value.Data {
	return labels(d, func(label.ID) label.ID { return l })
}

// known are parts of results and inputs that are trusted, for the label of what a
// model writes into a plan: what stands in none of them is its own.
type known struct {
	values []any
	bytes  int
}

// maxKnown bounds them: what is taken from others counts as the planner's own.
const maxKnown = 1 << 20

// know adds the parts of a value that are trusted.
func (r *Run) know(d value.Data) {
	for _, item := range d.Items {
		r.know(item)
	}
	for _, f := range d.Fields {
		r.know(f.Data)
	}
	if r.task == nil || d.Items != nil || d.Fields != nil || !r.table.Label(d.Label).Trusted() {
		return
	}
	size := 16
	if text, ok := d.Value.(string); ok {
		size += len(text)
	}
	if r.known.bytes+size <= maxKnown {
		r.known.bytes += size
		r.known.values = append(r.known.values, d.Value)
		r.task.Add(d.Value)
	}
}

// enrol adds the trusted parts of the result that the plan waits for to the members.
func (r *Run) enrol(d value.Data, path jsondoc.Pointer) {
	for i, item := range d.Items {
		r.enrol(item, path.Index(i))
	}
	for _, f := range d.Fields {
		r.enrol(f.Data, path.Child(f.Name))
	}
	if d.Items == nil && d.Fields == nil && r.table.Label(d.Label).Trusted() {
		r.members.Add(policy.Member{Tool: r.call.Tool.Name, Call: r.call.Number, Path: path, Value: d.Value})
	}
}
