package tool

import (
	"fmt"

	"praxis/internal/tool/jsondoc"
)

// Document returns the definition in the form that it has in a file. Defining it
// again gives the same definition ([Define], [Definition.Hash]).
func (d *Definition) Document() *jsondoc.Object {
	o := jsondoc.NewObject(jsondoc.Member{Name: "name", Value: d.Name}, jsondoc.Member{Name: "version", Value: string(d.Version)}, jsondoc.Member{Name: "effects", Value: d.Effects.String()})
	text := func(name, value string) {
		if value != "" {
			o.Set(name, value)
		}
	}
	flag := func(name string, value bool) {
		if value {
			o.Set(name, true)
		}
	}
	text("title", d.Title)
	text("description", d.Description)
	o.Set("input", d.Input.Value())
	o.Set("output", d.Output.Value())
	o.Set("labels", d.Labels.document())
	if limits := d.Limits.document(); limits.Len() > 0 {
		o.Set("limits", limits)
	}
	if len(d.Secrets.Input)+len(d.Secrets.Output) > 0 {
		o.Set("secrets", jsondoc.NewObject(jsondoc.Member{Name: "input", Value: pointers(d.Secrets.Input)}, jsondoc.Member{Name: "output", Value: pointers(d.Secrets.Output)}))
	}
	flag("idempotent", d.Idempotent)
	flag("approval", d.Approval)
	flag("model", d.Model)
	var examples []any
	for _, e := range d.Examples {
		one := jsondoc.NewObject()
		if e.Name != "" {
			one.Set("name", e.Name)
		}
		if e.Input != nil {
			one.Set("input", e.Input)
		}
		if e.HasOutput {
			one.Set("output", e.Output)
		}
		examples = append(examples, one)
	}
	if examples != nil {
		o.Set("examples", examples)
	}
	return o
}

func (l Labels) document() *jsondoc.Object {
	o := jsondoc.NewObject(jsondoc.Member{Name: "trusted", Value: l.Trusted}, jsondoc.Member{Name: "readers", Value: l.Readers.Document()})
	demands := jsondoc.NewObject()
	for _, a := range l.Arguments {
		one := jsondoc.NewObject()
		if a.Trusted {
			one.Set("trusted", true)
		}
		if len(a.ReadableBy) > 0 {
			one.Set("readable_by", texts(a.ReadableBy))
		}
		if a.Reason != "" {
			one.Set("reason", a.Reason)
		}
		demands.Set(a.Argument, one)
	}
	if demands.Len() > 0 {
		o.Set("arguments", demands)
	}
	if len(l.Fields) > 0 {
		o.Set("fields", l.fields())
	}
	return o
}

// Document returns the readers in the form that they have in a file.
func (r Readers) Document() any {
	if r.Everyone {
		return "everyone"
	}
	list := texts(r.Principals)
	for _, src := range r.From {
		list = append(list, jsondoc.NewObject(jsondoc.Member{Name: "from", Value: src.Origin.String()}, jsondoc.Member{Name: "path", Value: string(src.Path)}))
	}
	return list
}

func (m Limits) document() *jsondoc.Object {
	o := jsondoc.NewObject()
	if m.Timeout > 0 {
		o.Set("timeout", m.Timeout.String())
	}
	if m.Bytes > 0 {
		o.Set("bytes", m.Bytes)
	}
	if m.CallsPerRun > 0 {
		o.Set("calls_per_run", m.CallsPerRun)
	}
	if m.Rate.Calls > 0 {
		o.Set("rate", fmt.Sprintf("%d/%s", m.Rate.Calls, m.Rate.Per))
	}
	return o
}
