package toolfile

import (
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// Write returns files as one, in JSON, without what implements their tools: what
// a run keeps of its tools, and what [Load] reads again wherever that is.
func Write(files ...*tool.File) ([]byte, error) {
	set, err := tool.NewSet(files...)
	if err != nil {
		return nil, err
	}
	o := jsondoc.NewObject(jsondoc.Member{Name: "version", Value: FormatVersion})
	if p := set.Principals(); p.Me != tool.Me {
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
		all := jsondoc.NewObject()
		for _, in := range inputs {
			one := jsondoc.NewObject(jsondoc.Member{Name: "schema", Value: in.Schema.Value()}, jsondoc.Member{Name: "trusted", Value: in.Trusted}, jsondoc.Member{Name: "readers", Value: in.Readers.Document()})
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
