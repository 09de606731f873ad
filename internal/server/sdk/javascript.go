package sdk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

const javaScriptHead = "// Generated from the server's OpenAPI document: \"make clients\" writes it anew.\n"

// javaScriptTable writes how each operation is called: its method, its path, what of its
// parameters stands in the query, its kind.
func javaScriptTable(d *document) []byte {
	var b bytes.Buffer
	b.WriteString(javaScriptHead)
	b.WriteString("\n// method, path, the parameters of the query, how it is called\nexport const operations = {\n")
	for _, g := range d.groups() {
		fmt.Fprintf(&b, "  %s: {\n", g)
		for _, o := range d.of(g) {
			query := []string{}
			for _, m := range o.query {
				query = append(query, m.name)
			}
			row, err := json.Marshal([]any{o.method, o.path, query, o.kind})
			if err != nil { // strings can be written
				panic(err)
			}
			fmt.Fprintf(&b, "    %s: %s,\n", o.name, row)
		}
		b.WriteString("  },\n")
	}
	b.WriteString("};\n")
	return b.Bytes()
}

// javaScriptType is the type of what a schema describes.
func javaScriptType(s *schema) string {
	if s == nil {
		return "void"
	}
	if r := s.ref(); r != "" {
		return r
	}
	if len(s.AnyOf) > 0 {
		var parts []string
		for _, one := range s.AnyOf {
			parts = append(parts, javaScriptType(one))
		}
		return strings.Join(parts, " | ")
	}
	if len(s.Enum) > 0 {
		return quoted(s.Enum, " | ")
	}
	name, null := s.kind()
	out := map[string]string{"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null", "": "unknown"}[name]
	switch name {
	case "array":
		out = "Array<" + javaScriptType(s.Items) + ">"
	case "object":
		if out = "Record<string, unknown>"; s.Values != nil {
			out = "Record<string, " + javaScriptType(s.Values) + ">"
		}
	}
	if null {
		out += " | null"
	}
	return out
}

// javaScriptTypes writes the types of requests, results, events and operations.
func javaScriptTypes(d *document) []byte {
	var b bytes.Buffer
	b.WriteString(javaScriptHead)
	b.WriteString("\nimport type { CallOptions, Content, EventStream, Upload } from \"./praxis.js\";\n")
	types, lists := d.named()
	for _, name := range types {
		fmt.Fprintf(&b, "\nexport interface %s {\n", name)
		javaScriptMembers(&b, "  ", d.schemas[name].members())
		b.WriteString("}\n")
	}
	for _, list := range lists {
		fmt.Fprintf(&b, "\n/** %s */\nexport type %s =", d.schemas[list].Description, list)
		for _, e := range d.schemas[list].lists() {
			fmt.Fprintf(&b, "\n  | { name: %q; data: %s; id: number | null }", e.name, e.data)
		}
		b.WriteString(";\n")
	}
	b.WriteString("\n/** All operations of a server, by group. */\nexport interface Operations {\n")
	for _, g := range d.groups() {
		fmt.Fprintf(&b, "  readonly %s: {\n", g)
		for _, o := range d.of(g) {
			javaScriptFunction(&b, o)
		}
		b.WriteString("  };\n")
	}
	b.WriteString("}\n")
	return b.Bytes()
}

func javaScriptMembers(b *bytes.Buffer, indent string, members []member) {
	for _, m := range members {
		if m.Description != "" {
			fmt.Fprintf(b, "%s/** %s */\n", indent, strings.ReplaceAll(m.Description, "*/", "* /"))
		}
		optional := "?"
		if m.required {
			optional = ""
		}
		fmt.Fprintf(b, "%s%s%s: %s;\n", indent, m.name, optional, javaScriptType(m.schema))
	}
}

// javaScriptFunction writes the type of the function of an operation, and beside one that can
// stream that of another that does.
func javaScriptFunction(b *bytes.Buffer, o operation) {
	var parts []string
	required := false
	if outside := slices.Concat(o.inPath, o.query); len(outside) > 0 {
		var inner []string
		for _, m := range outside {
			optional := "?"
			if m.required {
				optional, required = "", true
			}
			inner = append(inner, fmt.Sprintf("%s%s: %s", m.name, optional, javaScriptType(m.schema)))
		}
		parts = append(parts, "{ "+strings.Join(inner, "; ")+" }")
	}
	if o.body != "" {
		body := o.body
		if o.kind == events {
			body = "Omit<" + body + `, "stream">`
		}
		parts = append(parts, body)
		required = required || slices.ContainsFunc(o.inner, func(m member) bool { return m.required })
	}
	params := "params?: "
	if required {
		params = "params: "
	}
	if len(parts) == 0 {
		parts = []string{"Record<string, never>"}
	}
	params += strings.Join(parts, " & ")
	doc := fmt.Sprintf("    /** %s It needs the scope %s. */\n", o.summary, o.scope)
	end := "unknown"
	if o.result != nil {
		end = javaScriptType(o.result)
	}
	result, stream := "Promise<"+javaScriptType(o.result)+">", "EventStream<"+end+", "+o.event+">"
	switch o.kind {
	case events:
		fmt.Fprintf(b, "%s    %s(%s, options?: CallOptions): %s;\n", doc, o.name, params, result)
		fmt.Fprintf(b, "%s    %sStream(%s, options?: CallOptions): %s;\n", doc, o.name, params, stream)
		return
	case follow, watch:
		result = stream
	case download:
		result = "Promise<Content>"
	case upload:
		params += ", data: Upload"
	}
	fmt.Fprintf(b, "%s    %s(%s, options?: CallOptions): %s;\n", doc, o.name, params, result)
}
