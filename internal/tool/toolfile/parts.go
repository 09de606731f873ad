package toolfile

import (
	"path"
	"slices"

	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// The keywords in an output schema that label the part which the schema is about.
const (
	trustedKeyword = "x-trusted"
	readersKeyword = "x-readers"
)

func partFields() []field[tool.PartLabel] {
	return []field[tool.PartLabel]{
		{"trusted", false, func(l *loader, p *tool.PartLabel, v *jsondoc.Node) {
			yes := l.flag("trusted", v)
			p.Trusted = &yes
		}},
		{"readers", false, func(l *loader, p *tool.PartLabel, v *jsondoc.Node) {
			who := l.whoReads(v)
			p.Readers = &who
		}},
	}
}

// fieldEntries reads labels of parts for tools that are declared elsewhere: by a server, or
// in a file that was made of an OpenAPI document.
func (l *loader) fieldEntries(f *tool.File, v *jsondoc.Node) {
	if v.Kind != jsondoc.Map {
		l.Add(v, `Write fields: {"crm.list_*": {"/*/owner": {trusted: true}}}.`, "fields: expected a mapping of tools, got %s", v.Show())
		return
	}
	for i, key := range v.Keys {
		if _, err := path.Match(key.Text, ""); err != nil || key.Text == "" {
			l.Add(key, "Write a name, with * for any characters.", "fields: %s is no pattern", safetext.Quote(key.Text))
		}
		f.Fields = append(f.Fields, tool.FieldEntry{Tools: key.Text, Parts: l.partLabels(nil, v.Items[i]), Pos: l.Pos(key)})
	}
}

// partLabels reads the labels of parts: pointers and what is said of each.
func (l *loader) partLabels(d *draft, v *jsondoc.Node) []tool.PartLabel {
	if v.Kind != jsondoc.Map {
		l.Add(v, `Write fields: {"/*/participants": {trusted: true}}.`, "labels of fields: expected a mapping of JSON pointers, got %s", v.Show())
		return nil
	}
	var out []tool.PartLabel
	for i, key := range v.Keys {
		p := tool.PartLabel{Path: l.pointer("fields", key)}
		fields(l, v.Items[i], "the labels of "+safetext.Quote(key.Text), partFields(), &p)
		if d != nil {
			l.path(key, "labels: field "+string(p.Path), p.Path, d.Output, "output")
		}
		out = append(out, p)
	}
	return out
}

// unmarked returns an output schema without the keywords that label parts, and what
// these say. Only below properties and items it is known which part that is.
func (l *loader) unmarked(n *jsondoc.Node, path jsondoc.Pointer, known bool, out *[]tool.PartLabel) *jsondoc.Node {
	if n.Kind != jsondoc.Map {
		return n
	}
	bare := *n
	bare.Keys, bare.Items = nil, nil
	mark := tool.PartLabel{Path: path}
	for i, key := range n.Keys {
		v := n.Items[i]
		switch key.Text {
		case trustedKeyword, readersKeyword:
			at := slices.IndexFunc(partFields(), func(f field[tool.PartLabel]) bool { return "x-"+f.name == key.Text })
			if partFields()[at].read(l, &mark, v); !known {
				l.Add(key, "Write it under labels: fields: {\"/path\": {…}}.", "%s: only below properties and items it is known which part of a result it is about", key.Text)
			}
			continue
		case "items":
			v = l.unmarked(v, path.Child("*"), known, out)
		case "default", "const", "enum", "example", "examples":
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			if v.Kind != jsondoc.Map {
				break
			}
			inner := *v
			inner.Items = slices.Clone(v.Items)
			for k, name := range v.Keys {
				inner.Items[k] = l.unmarked(v.Items[k], path.Child(name.Text), known && key.Text == "properties", out)
			}
			v = &inner
		default:
			v = l.unmarkedAll(v, path, out)
		}
		bare.Keys, bare.Items = append(bare.Keys, key), append(bare.Items, v)
	}
	if mark.Trusted != nil || mark.Readers != nil {
		*out = append(*out, mark)
	}
	return &bare
}

// unmarkedAll is unmarked for keywords that hold a schema or a list of them.
func (l *loader) unmarkedAll(n *jsondoc.Node, path jsondoc.Pointer, out *[]tool.PartLabel) *jsondoc.Node {
	if n.Kind != jsondoc.List {
		return l.unmarked(n, path, false, out)
	}
	list := *n
	list.Items = slices.Clone(n.Items)
	for i, item := range n.Items {
		list.Items[i] = l.unmarked(item, path, false, out)
	}
	return &list
}

// fieldLabels are the labels of parts by the keywords of the schema and by the
// labels of the tool, which count before them.
func (l *loader) fieldLabels(d *draft, written *jsondoc.Node) []tool.PartLabel {
	var out []tool.PartLabel
	if written != nil {
		out = l.partLabels(d, written)
	}
	out = tool.OverParts(out, d.marks)
	for _, p := range out {
		if d.Model && p.Trusted != nil && *p.Trusted {
			l.Add(d.model, "Remove it.", "the tool %s is answered by a model: no part of a reply is trusted", d.Name)
		}
	}
	return out
}
