package tool

import "fmt"

// Document returns the definition in the form that it has in a file. Defining it
// again gives the same definition ([Define], [Definition.Hash]).
func (d *Definition) Document() *Object {
	o := NewObject(Member{"name", d.Name}, Member{"version", string(d.Version)}, Member{"effects", d.Effects.String()})
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
		o.Set("secrets", NewObject(Member{"input", pointers(d.Secrets.Input)}, Member{"output", pointers(d.Secrets.Output)}))
	}
	flag("idempotent", d.Idempotent)
	flag("approval", d.Approval)
	flag("model", d.Model)
	var examples []any
	for _, e := range d.Examples {
		one := NewObject()
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

func (l Labels) document() *Object {
	o := NewObject(Member{"trusted", l.Trusted}, Member{"readers", l.Readers.document()})
	demands := NewObject()
	for _, a := range l.Arguments {
		one := NewObject()
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
	return o
}

func (r Readers) document() any {
	if r.Everyone {
		return "everyone"
	}
	list := texts(r.Principals)
	for _, src := range r.From {
		list = append(list, NewObject(Member{"from", src.Origin.String()}, Member{"path", string(src.Path)}))
	}
	return list
}

func (m Limits) document() *Object {
	o := NewObject()
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

// WriteFiles returns files as one, in JSON, without what implements their tools: what
// a run keeps of its tools, and what [Load] reads again wherever that is.
func WriteFiles(files ...*File) ([]byte, error) {
	set, err := NewSet(files...)
	if err != nil {
		return nil, err
	}
	o := NewObject(Member{"version", FormatVersion})
	if p := set.Principals(); p.Me != Me {
		o.Set("me", p.Me)
	}
	var names []any
	for _, name := range set.Principals().Names {
		names = append(names, name)
	}
	if names != nil {
		o.Set("principals", names)
	}
	if inputs := set.Inputs(); len(inputs) > 0 {
		all := NewObject()
		for _, in := range inputs {
			one := NewObject(Member{"schema", in.Schema.Value()}, Member{"trusted", in.Trusted}, Member{"readers", in.Readers.document()})
			if in.Description != "" {
				one.Set("description", in.Description)
			}
			if in.HasDefault {
				one.Set("default", in.Default)
			}
			all.Set(in.Name, one)
		}
		o.Set("inputs", all)
	}
	var tools []any
	for _, name := range set.Names() {
		for _, d := range set.Versions(name) {
			tools = append(tools, d.Document())
		}
	}
	o.Set("tools", tools)
	return o.MarshalJSON()
}
