package journal

import (
	"fmt"
	"maps"
	"slices"

	"praxis/event"
)

// hidden are the arguments of tools that their schemas mark as secret, as paths
// of names, by tool. A schema marks a property by "writeOnly": true, by
// "format": "password" or by "x-secret": true.
type hidden map[string][][]string

// each stands in a path for every element of an array.
const each = "[]"

// learn remembers what the schema of a tool marks.
func (h hidden) learn(t event.Tool) {
	var paths [][]string
	marked(t.Schema, nil, &paths)
	if len(paths) > 0 {
		h[t.Name] = paths
	}
}

func marked(schema map[string]any, path []string, out *[][]string) {
	if len(path) > 16 {
		return
	}
	if schema["writeOnly"] == true || schema["format"] == "password" || schema["x-secret"] == true {
		*out = append(*out, slices.Clone(path))
		return
	}
	if items, ok := schema["items"].(map[string]any); ok {
		marked(items, append(path, each), out)
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if p, ok := properties[name].(map[string]any); ok {
			marked(p, append(path, name), out)
		}
	}
}

// conceal returns v with the value at path replaced by what mark returns.
func conceal(v any, path []string, mark func(any) string) any {
	if len(path) == 0 {
		return mark(v)
	}
	switch v := v.(type) {
	case map[string]any:
		inner, ok := v[path[0]]
		if !ok || inner == nil {
			return v
		}
		out := maps.Clone(v)
		out[path[0]] = conceal(inner, path[1:], mark)
		return out
	case []any:
		if path[0] != each {
			return v
		}
		out := slices.Clone(v)
		for i := range out {
			out[i] = conceal(out[i], path[1:], mark)
		}
		return out
	}
	return v
}

// hideArguments returns the arguments of a call without what is marked. From
// then on the texts that were marked are replaced wherever they occur.
func (r *Recorder) hideArguments(tool string, input map[string]any) map[string]any {
	var out any = input
	for _, path := range r.hide[tool] {
		name := tool
		for _, p := range path {
			name += "." + p
		}
		out = conceal(out, path, func(v any) string {
			text, ok := v.(string)
			if !ok {
				text = fmt.Sprint(v)
			} else if len(text) >= minSecret {
				r.red = r.red.with(name, text)
			}
			return fmt.Sprintf("[secret %s %s]", name, r.red.digest(text))
		})
	}
	hiddenInput, _ := out.(map[string]any)
	return hiddenInput
}

func (r *Recorder) hideCalls(calls []event.Call) []event.Call {
	out := slices.Clone(calls)
	for i, c := range out {
		if len(r.hide[c.Name]) == 0 {
			continue
		}
		out[i].Input = r.hideArguments(c.Name, c.Input)
		if c.Raw != "" { // it cannot be said where the secret is in it
			out[i].Raw = fmt.Sprintf("[secret %s %s]", c.Name, r.red.digest(c.Raw))
		}
	}
	return out
}

// hideMarked returns e without the arguments that schemas mark as secret.
func (r *Recorder) hideMarked(e event.Event) event.Event {
	switch e := e.(type) {
	case event.ModelRequested:
		for _, t := range e.Tools {
			r.hide.learn(t)
		}
		if len(r.hide) == 0 {
			return e
		}
		e.Messages = slices.Clone(e.Messages)
		for i := range e.Messages {
			e.Messages[i].Calls = r.hideCalls(e.Messages[i].Calls)
		}
		return e
	case event.ModelReplied:
		if len(r.hide) > 0 {
			e.Calls = r.hideCalls(e.Calls)
		}
		return e
	case event.ToolCalled:
		if len(r.hide[e.Tool]) > 0 {
			e.Arguments = r.hideArguments(e.Tool, e.Arguments)
		}
		return e
	}
	return e
}
