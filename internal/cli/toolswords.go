package cli

import (
	"fmt"
	"strings"

	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/stub"
)

// arguments is a table of what a tool takes.
func arguments(d *tool.Definition) string {
	args := d.Arguments()
	if len(args) == 0 {
		return "It takes no arguments.\n\n"
	}
	t := table{{head: "ARGUMENT"}, {head: "TYPE"}, {head: "REQUIRED"}, {head: "DEFAULT", drop: 1}, {head: "WHAT IT IS", drop: 1}}
	types := hintsOf(d)
	for _, a := range args {
		required, def := "", ""
		if a.Required {
			required = "yes"
		}
		if a.Type.HasDefault {
			def = shortened(asJSON(a.Type.Default), 40)
		}
		what := a.Type.Description
		if what == "" {
			what = a.Type.Title
		}
		if a.Type.Secret {
			what = strings.TrimSpace(what + " (secret)")
		}
		t.add(a.Name, types[a.Name], required, def, what)
	}
	return t.String() + "\n"
}

// result is what a tool gives.
func result(d *tool.Definition) string {
	returns, _ := stub.Spec(d).Get("returns")
	text, _ := returns.(string)
	if text == "" {
		text = "any value"
	}
	out := "It returns " + safetext.Line(text)
	if shape := stub.Shape(d); strings.Contains(shape, "{") { // the name of a class alone says little
		out += ": " + safetext.Line(shape)
	}
	out += "."
	if what := d.Output.Type().Description; what != "" {
		out += " " + safetext.Line(what)
	}
	return out + "\n\n"
}

// hintsOf are the Python types of a tool's arguments.
func hintsOf(d *tool.Definition) map[string]string {
	out := map[string]string{}
	list, _ := stub.Spec(d).Get("parameters")
	items, _ := list.([]any)
	for _, item := range items {
		o, ok := item.(*tool.Object)
		if !ok {
			continue
		}
		name, _ := o.Get("name")
		hint, _ := o.Get("type")
		key, _ := name.(string)
		out[key], _ = hint.(string)
	}
	return out
}

func doesWords(d *tool.Definition) string {
	if d.Model {
		return "answered by a model that calls nothing"
	}
	return map[tool.Effects]string{
		tool.Pure:     "pure: the result depends on the arguments alone",
		tool.Read:     "read: looks at a state and changes nothing",
		tool.Write:    "write: changes a state that is yours",
		tool.External: "external: reaches others",
	}[d.Effects]
}

func resultWords(d *tool.Definition) string {
	trust := "not trusted: they may not steer calls that demand trust"
	if d.Labels.Trusted {
		trust = "trusted"
	}
	r := d.Labels.Readers
	who := "readable by " + strings.Join(r.Principals, ", ")
	switch {
	case r.Everyone:
		who = "readable by everyone"
	case len(r.Principals) == 0 && len(r.From) == 0:
		who = "readable by nobody"
	case len(r.Principals) == 0:
		who = "readable by those that the call names"
	case len(r.From) > 0:
		who += " and those that the call names"
	}
	return trust + "; " + who
}

func demandWords(a tool.ArgDemand) string {
	var parts []string
	if a.Trusted {
		parts = append(parts, "must come from trusted sources alone")
	}
	if len(a.ReadableBy) > 0 {
		parts = append(parts, "must be readable by whom "+strings.Join(a.ReadableBy, ", ")+" names")
	}
	return a.Argument + " " + strings.Join(parts, " and ")
}

func limitWords(l tool.Limits) string {
	var parts []string
	if l.Timeout > 0 {
		parts = append(parts, l.Timeout.String()+" a call")
	}
	if l.Bytes > 0 {
		parts = append(parts, safetext.Size(l.Bytes)+" a result")
	}
	if l.CallsPerRun > 0 {
		parts = append(parts, safetext.Count(l.CallsPerRun, "call")+" a run")
	}
	if l.Rate.Calls > 0 {
		parts = append(parts, l.Rate.String())
	}
	return strings.Join(parts, ", ")
}

// secretWords names what is never shown.
func secretWords(d *tool.Definition) string {
	var parts []string
	for _, a := range d.Arguments() {
		if a.Type.Secret {
			parts = append(parts, "the argument "+a.Name)
		}
	}
	for _, p := range d.Secrets.Input {
		parts = append(parts, "of the arguments "+string(p))
	}
	for _, p := range d.Secrets.Output {
		parts = append(parts, "of the result "+string(p))
	}
	return strings.Join(parts, ", ")
}

// asJSON is a value in one line.
func asJSON(v any) string {
	text, err := tool.CanonicalJSON(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(safetext.JSON(text))
}
