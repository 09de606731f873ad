package sdk

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

const pythonHead = "# Generated from the server's OpenAPI document: \"make clients\" writes it anew.\n"

// pythonKeywords are the words that cannot be names.
const pythonKeywords = "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield"

// pythonName is a name as Python can have it.
func pythonName(name string) string {
	if slices.Contains(strings.Fields(pythonKeywords), name) {
		return name + "_"
	}
	return name
}

// pythonType is the type of what a schema describes, where types have a prefix before them.
func pythonType(s *schema, prefix string) string {
	if s == nil {
		return "None"
	}
	if r := s.ref(); r != "" {
		return prefix + r
	}
	if len(s.AnyOf) > 0 {
		var parts []string
		for _, one := range s.AnyOf {
			parts = append(parts, pythonType(one, prefix))
		}
		return strings.Join(parts, " | ")
	}
	if len(s.Enum) > 0 {
		return fmt.Sprintf("Literal[%s]", quoted(s.Enum, ", "))
	}
	name, null := s.kind()
	out := map[string]string{"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None", "": "Any"}[name]
	switch name {
	case "array":
		out = "List[" + pythonType(s.Items, prefix) + "]"
	case "object":
		if out = "Dict[str, Any]"; s.Values != nil {
			out = "Dict[str, " + pythonType(s.Values, prefix) + "]"
		}
	}
	if null {
		out += " | None"
	}
	return out
}

// quoted writes values as literals, with sep between them.
func quoted(values []string, sep string) string {
	var out []string
	for _, v := range values {
		out = append(out, fmt.Sprintf("%q", v))
	}
	return strings.Join(out, sep)
}

// pythonTypes writes the types of requests, results and events.
func pythonTypes(d *document) []byte {
	var b bytes.Buffer
	b.WriteString(pythonHead)
	b.WriteString("\"\"\"What the server is sent and what it answers with, as it stands in JSON.\"\"\"\n\nfrom __future__ import annotations\n\n")
	b.WriteString("from typing import Any, Dict, List, Literal, NotRequired, TypedDict, Union\n\nfrom ._stream import StreamEvent\n")
	types, lists := d.named()
	for _, name := range types {
		pythonDict(&b, name, d.schemas[name].members(), "")
	}
	for _, list := range lists {
		fmt.Fprintf(&b, "\n\n%s = Union[\n", list)
		for _, e := range d.schemas[list].lists() {
			fmt.Fprintf(&b, "    StreamEvent[Literal[%q], %s],\n", e.name, e.data)
		}
		fmt.Fprintf(&b, "]\n\"\"\"%s\"\"\"\n", d.schemas[list].Description)
	}
	return b.Bytes()
}

// pythonDict writes a TypedDict: as a class, unless a member is called as a keyword.
func pythonDict(b *bytes.Buffer, name string, members []member, prefix string) {
	typ := func(m member) string {
		if t := pythonType(m.schema, prefix); m.required {
			return t
		} else {
			return "NotRequired[" + t + "]"
		}
	}
	if slices.ContainsFunc(members, func(m member) bool { return pythonName(m.name) != m.name }) {
		fmt.Fprintf(b, "\n\n%s = TypedDict(\n    %q,\n    {\n", name, name)
		for _, m := range members {
			fmt.Fprintf(b, "        %q: %q,%s\n", m.name, strings.ReplaceAll(typ(m), `"`, `'`), comment(m.Description))
		}
		b.WriteString("    },\n)\n")
		return
	}
	fmt.Fprintf(b, "\n\nclass %s(TypedDict):\n", name)
	for _, m := range members {
		fmt.Fprintf(b, "    %s: %s%s\n", m.name, typ(m), comment(m.Description))
	}
	if len(members) == 0 {
		b.WriteString("    pass\n")
	}
}

func comment(text string) string {
	if text == "" {
		return ""
	}
	return "  # " + text
}

// options are the types of the keywords that functions written by hand pass on.
var options = []struct {
	operation, name string
	given           []string // what the function passes by itself
}{
	{"runs.ask", "AskOptions", []string{"question", "files", "stream", "detach"}},
	{"sessions.create", "SessionOptions", []string{"id"}},
}

// pythonOperations writes a class for each group of operations, with a function for each.
func pythonOperations(d *document) []byte {
	var b bytes.Buffer
	b.WriteString(pythonHead)
	b.WriteString("\"\"\"The operations of a server, by the names that it has for them.\"\"\"\n\nfrom __future__ import annotations\n\n")
	b.WriteString("from typing import Any, Dict, List, Literal, TypedDict, cast\n\nfrom . import types\nfrom ._http import Body, Content, Http, segment\nfrom ._stream import Stream\n")
	for _, o := range options {
		for _, known := range d.operations {
			if known.group+"."+known.name != o.operation {
				continue
			}
			fmt.Fprintf(&b, "\n\nclass %s(TypedDict, total=False):\n", o.name)
			for _, m := range without(known.inner, o.given...) {
				fmt.Fprintf(&b, "    %s: %s | None%s\n", pythonName(m.name), pythonType(m.schema, "types."), comment(m.Description))
			}
		}
	}
	for _, g := range d.groups() {
		fmt.Fprintf(&b, "\n\nclass %s:\n    def __init__(self, http: Http) -> None:\n        self._http = http\n", className(g))
		for _, o := range d.of(g) {
			pythonFunction(&b, o)
		}
	}
	b.WriteString("\n\nclass Operations:\n    \"\"\"All operations of a server, by group.\"\"\"\n\n    def __init__(self, http: Http) -> None:\n")
	for _, g := range d.groups() {
		fmt.Fprintf(&b, "        self.%s = %s(http)\n", pythonName(g), className(g))
	}
	return b.Bytes()
}

func className(group string) string { return strings.ToUpper(group[:1]) + group[1:] }

// pythonFunction writes the function of an operation, and beside one that can stream another
// that does.
func pythonFunction(b *bytes.Buffer, o operation) {
	result := pythonType(o.result, "types.")
	switch o.kind {
	case events:
		inner := without(o.inner, "stream")
		pythonCall(b, o, pythonName(o.name), inner, result, "call", "")
		pythonCall(b, o, o.name+"_stream", inner, "Stream["+streamed(o)+"]", "stream", `"stream": True, `)
	case follow, watch:
		pythonCall(b, o, pythonName(o.name), o.inner, "Stream["+streamed(o)+"]", map[kind]string{follow: "follow", watch: "stream"}[o.kind], "")
	case download:
		pythonCall(b, o, pythonName(o.name), o.inner, "Content", "download", "")
	case upload:
		pythonCall(b, o, pythonName(o.name), o.inner, result, "upload", "")
	default:
		pythonCall(b, o, pythonName(o.name), o.inner, result, "call", "")
	}
}

// streamed are the types of an operation's events and of their end.
func streamed(o operation) string {
	end := "Any"
	if o.result != nil {
		end = pythonType(o.result, "types.")
	}
	return "types." + o.event + ", " + end
}

func pythonCall(b *bytes.Buffer, o operation, name string, inner []member, result, how, more string) {
	params := []string{"self"}
	path := o.path
	for _, m := range o.inPath {
		params = append(params, pythonName(m.name)+": str")
		path = strings.ReplaceAll(path, "{"+m.name+"}", "{segment("+pythonName(m.name)+")}")
	}
	named := requiredFirst(slices.Concat(o.query, inner))
	if len(named) > 0 || how == "upload" {
		params = append(params, "*")
	}
	doc := []string{o.summary}
	for _, m := range named {
		p := pythonName(m.name) + ": " + pythonType(m.schema, "types.")
		if !m.required {
			p += " | None = None"
		}
		if params = append(params, p); m.Description != "" {
			doc = append(doc, pythonName(m.name)+": "+m.Description)
		}
	}
	if how == "upload" {
		params = append(params, "data: Body")
	}
	fmt.Fprintf(b, "\n    def %s(%s) -> %s:\n", name, strings.Join(params, ", "), result)
	if doc = append(doc, "It needs the scope "+o.scope+"."); len(doc) > 2 {
		fmt.Fprintf(b, "        \"\"\"%s %s\n\n        %s\n        \"\"\"\n", doc[0], doc[len(doc)-1], strings.Join(doc[1:len(doc)-1], "\n        "))
	} else {
		fmt.Fprintf(b, "        \"\"\"%s %s\"\"\"\n", doc[0], doc[1])
	}
	args := []string{fmt.Sprintf("%q", o.method), "f" + fmt.Sprintf("%q", path)}
	if len(o.inPath) == 0 {
		args[1] = args[1][1:]
	}
	query, body := pythonObject(o.query, ""), pythonObject(inner, more)
	if len(o.query) == 0 && (how == "call" || how == "stream" || how == "follow") {
		query = "None"
	}
	switch {
	case how == "upload":
		args = append(args, query, "data")
	case how == "download":
		args = append(args, query)
	case o.body != "":
		args = append(args, query, body)
	case query != "None":
		args = append(args, query)
	}
	call := fmt.Sprintf("self._http.%s(%s)", how, strings.Join(args, ", "))
	switch {
	case result == "None":
		fmt.Fprintf(b, "        %s\n", call)
	case how == "download" || how == "stream" || how == "follow":
		fmt.Fprintf(b, "        return %s\n", call)
	default:
		fmt.Fprintf(b, "        return cast(%q, %s)\n", result, call)
	}
}

// pythonObject writes a dict of parameters.
func pythonObject(members []member, more string) string {
	var parts []string
	for _, m := range members {
		parts = append(parts, fmt.Sprintf("%q: %s", m.name, pythonName(m.name)))
	}
	return "{" + more + strings.Join(parts, ", ") + "}"
}
