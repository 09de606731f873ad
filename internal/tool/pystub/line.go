package pystub

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/schema"
)

// Bounds of a line in bytes.
const (
	lineParameter = 60
	lineResult    = 160
	lineSummary   = 100
	lineMembers   = 8  // of one object
	lineArguments = 12 // of one tool
)

// Shape returns what a call returns as [Line] shows it, "" when it may be anything.
func Shape(d *tool.Definition) string {
	if hint := fitting(d.Output.Type(), lineResult); hint != "Any" {
		return hint
	}
	return ""
}

// Line returns a tool in one line of few tokens, for a prompt:
//
//	crm.find(customer: str, limit: int = 10) -> list[{id: str, name?: str}] — Finds customers.
//
// Objects are shown by their members ("?": may be missing), what is too long by
// "…". A tool whose result may be anything has no arrow.
func Line(d *tool.Definition) string {
	args := d.Arguments()
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = a.Name
	}
	var parts []string
	for i, name := range identifiers(names) {
		if i == lineArguments {
			parts = append(parts, "…")
			break
		}
		text := name
		if hint := fitting(args[i].Type, lineParameter); hint != "Any" {
			text += ": " + hint
		}
		switch {
		case args[i].Type.HasDefault:
			value, ok := literal(args[i].Type.Default, maxDefault/2)
			if !ok {
				value = "…"
			}
			text += " = " + value
		case !args[i].Required:
			text += " = …"
		}
		parts = append(parts, text)
	}
	line := (&function{def: d}).callName() + "(" + strings.Join(parts, ", ") + ")"
	if hint := Shape(d); hint != "" {
		line += " -> " + hint
	}
	text := d.Description
	if strings.TrimSpace(text) == "" {
		text = d.Title
	}
	if text = summary(text, lineSummary); text != "" {
		line += " — " + text
	}
	return line
}

// fitting writes a type in as much detail as fits.
func fitting(t *schema.Type, bound int) string {
	text, m := "", newModule()
	for depth := 3; depth >= 0; depth-- {
		w := &short{same: m.same, left: 200, within: map[*schema.Type]bool{}}
		if text = w.write(t, schema.AnyKind, depth); len(text) <= bound {
			return text
		}
	}
	return safetext.Clip(text, bound)
}

// short writes types for people and models; its text is not Python.
type short struct {
	same   func(*schema.Type) *schema.Type
	left   int
	within map[*schema.Type]bool
}

func (w *short) write(t *schema.Type, mask schema.Kinds, depth int) string {
	t = w.same(t)
	if w.left--; t == nil || w.left < 0 || w.within[t] {
		return "…"
	}
	w.within[t] = true
	defer delete(w.within, t)
	kinds := t.Kinds & mask
	if t.HasEnum {
		return enumerated(t.Enum)
	}
	if len(t.Variants) > 0 && len(t.Properties) == 0 {
		var parts []string
		for _, v := range t.Variants {
			parts = append(parts, w.write(v, kinds, depth))
		}
		return join(parts)
	}
	if kinds == schema.AnyKind && len(t.Properties) == 0 && plainItems(t) {
		return "Any"
	}
	var parts []string
	if kinds.Has(schema.ObjectKind) {
		parts = append(parts, w.object(t, depth))
	}
	if kinds.Has(schema.ArrayKind) {
		parts = append(parts, w.array(t, depth))
	}
	for _, k := range []struct {
		kind schema.Kinds
		name string
	}{{schema.StringKind, "str"}, {schema.NumberKind, "float"}, {schema.IntegerKind, "int"}, {schema.BooleanKind, "bool"}, {schema.NullKind, "None"}} {
		if kinds.Has(k.kind) && !(k.name == "int" && slices.Contains(parts, "float")) {
			parts = append(parts, k.name)
		}
	}
	if len(parts) == 0 {
		return "Any"
	}
	return strings.Join(parts, " | ")
}

func (w *short) array(t *schema.Type, depth int) string {
	var inner []string
	for _, p := range t.Prefix {
		inner = append(inner, w.write(p, schema.AnyKind, depth))
	}
	if t.Items != nil && (len(t.Prefix) == 0 || t.Items.Kinds != schema.AnyKind) {
		inner = append(inner, w.write(t.Items, schema.AnyKind, depth))
	}
	text := join(inner)
	if text == "" || text == "Any" || text == "…" {
		return "list"
	}
	return "list[" + text + "]"
}

func (w *short) object(t *schema.Type, depth int) string {
	if len(t.Properties) == 0 {
		if t.Additional == nil || t.Additional == t || t.Additional.Kinds == schema.AnyKind {
			return "dict"
		}
		return "dict[str, " + w.write(t.Additional, schema.AnyKind, depth-1) + "]"
	}
	if depth <= 0 {
		return "{…}"
	}
	var parts []string
	for i, p := range t.Properties {
		if i == lineMembers {
			parts = append(parts, "…")
			break
		}
		name := p.Name
		if !isIdentifier(name) {
			name = quote(safetext.Clip(name, maxIdentifier))
		}
		if !p.Required {
			name += "?"
		}
		if hint := w.write(p.Type, schema.AnyKind, depth-1); hint != "Any" {
			name += ": " + hint
		}
		parts = append(parts, name)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// enumerated writes the first values of an enum.
func enumerated(values []any) string {
	var parts []string
	for i, v := range values {
		if i == 6 {
			parts = append(parts, "… "+strconv.Itoa(len(values)))
			break
		}
		if n, ok := v.(json.Number); ok && len(n) > 40 {
			v = json.Number(n[:40])
		}
		text, ok := literal(v, 40)
		if !ok {
			text = "…"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "|")
}
