package pystub

import (
	"slices"
	"strings"

	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// Spec returns the tool as JSON for the module that code imports; see the
// package comment for its members.
func Spec(d *tool.Definition) *jsondoc.Object {
	m := newModule()
	name := lastName(d.Name)
	m.reserve(name)
	f := m.function(d)
	parameters := make([]any, 0, len(f.parameters))
	for _, p := range f.parameters {
		doc := safetext.OneLine(p.Type.Description, maxArgument)
		o := jsondoc.NewObject(
			jsondoc.Member{Name: "name", Value: p.Name}, jsondoc.Member{Name: "type", Value: p.hint},
			jsondoc.Member{Name: "required", Value: p.value == ""})
		if p.Type.HasDefault {
			o.Set("default", p.Type.Default)
		}
		o.Set("doc", doc)
		if p.python != p.Name {
			o.Set("python", p.python)
		}
		if p.keyword {
			o.Set("keyword", true)
		}
		parameters = append(parameters, o)
	}
	t := &tree{functions: []*function{f}}
	return jsondoc.NewObject(
		jsondoc.Member{Name: "name", Value: d.Name},
		jsondoc.Member{Name: "version", Value: string(d.Version)},
		jsondoc.Member{Name: "doc", Value: f.doc()},
		jsondoc.Member{Name: "signature", Value: f.head(name, "")},
		jsondoc.Member{Name: "stub", Value: m.body(t)},
		jsondoc.Member{Name: "parameters", Value: parameters},
		jsondoc.Member{Name: "returns", Value: f.returns},
	)
}

// tree is a namespace with its functions and the namespaces below it.
type tree struct {
	name      string
	functions []*function
	below     []*tree
}

func (t *tree) child(name string) *tree {
	for _, c := range t.below {
		if c.name == name {
			return c
		}
	}
	c := &tree{name: name}
	t.below = append(t.below, c)
	return c
}

// File returns the stub file (.pyi) of a namespace: all tools of defs that are
// below it, at any depth; "" is the namespace of all. Namespaces below it are
// classes with static methods. Of several versions of a tool the first counts.
func File(defs []*tool.Definition, namespace string) string {
	m := newModule()
	prefix := ""
	if namespace != "" {
		prefix = namespace + "."
	}
	var list []*tool.Definition
	seen := map[string]bool{}
	for _, d := range defs {
		if strings.HasPrefix(d.Name, prefix) && !seen[d.Name] {
			seen[d.Name] = true
			list = append(list, d)
			// In a class too, its functions hide what has their names outside.
			for part := range strings.SplitSeq(d.Name[len(prefix):], ".") {
				m.reserve(lastName(part))
			}
		}
	}
	slices.SortFunc(list, func(a, b *tool.Definition) int { return strings.Compare(a.Name, b.Name) })
	root := &tree{}
	for _, d := range list {
		parts := strings.Split(d.Name[len(prefix):], ".")
		at := root
		for _, part := range parts[:len(parts)-1] {
			at = at.child(lastName(part))
		}
		at.functions = append(at.functions, m.function(d))
	}
	body := m.body(root)
	return m.header(namespace) + body
}

// reserve keeps the name of a function or a namespace from classes and from hints.
func (m *module) reserve(name string) {
	m.taken[name] = true
	m.shadow[name] = true
}

func (m *module) header(namespace string) string {
	var b strings.Builder
	title := "Tools."
	if namespace != "" {
		title = "Tools: " + docText(safetext.OneLine(namespace, 200)) + "."
	}
	b.WriteString("\"\"\"" + title + "\"\"\"\n\n")
	if m.used["_builtins"] {
		b.WriteString("import builtins as _builtins\n")
	}
	var names []string
	whole := false
	for _, name := range typingNames() {
		switch {
		case m.used[name] && m.shadow[name]:
			whole = true
		case m.used[name]:
			names = append(names, name)
		}
	}
	if whole {
		b.WriteString("import typing as _typing\n")
	}
	if len(names) > 0 {
		b.WriteString("from typing import " + strings.Join(names, ", ") + "\n")
	}
	if len(names) > 0 || whole || m.used["_builtins"] {
		b.WriteByte('\n')
	}
	return b.String()
}

// body writes the classes and then the functions.
func (m *module) body(t *tree) string {
	for i := 0; i < len(m.classes); i++ { // writing one may find more
		m.classesLeft = maxClasses - min(maxClasses, m.ofOwner(m.classes[i].owner))
		m.classes[i].text = m.class(m.classes[i])
	}
	var b strings.Builder
	for _, c := range m.classes {
		b.WriteString(c.text + "\n\n")
	}
	m.functions(&b, t, "")
	return b.String()
}

func (m *module) ofOwner(owner string) int {
	n := 0
	for _, c := range m.classes {
		if c.owner == owner {
			n++
		}
	}
	return n
}

func (m *module) functions(b *strings.Builder, t *tree, indent string) {
	for _, c := range t.below {
		name := c.name
		called := slices.IndexFunc(t.functions, func(f *function) bool { return lastName(f.def.Name) == c.name })
		if called >= 0 {
			name = "_" + name + "_namespace"
		}
		b.WriteString(indent + "class " + name + ":\n")
		m.functions(b, c, indent+"    ")
		if called >= 0 { // a tool of that name too
			m.define(b, t.functions[called], indent+"    ", "__call__", "self")
			b.WriteString(indent + c.name + ": " + name + "\n\n")
		}
	}
	for _, f := range t.functions {
		name := lastName(f.def.Name)
		if slices.ContainsFunc(t.below, func(c *tree) bool { return c.name == name }) {
			continue
		}
		if indent != "" {
			b.WriteString(indent + "@" + m.name("staticmethod") + "\n")
		}
		m.define(b, f, indent, name, "")
	}
}

func (m *module) define(b *strings.Builder, f *function, indent, name, self string) {
	inner := indent + "    "
	b.WriteString(indent + f.head(name, self) + ":\n")
	b.WriteString(inner + `"""`)
	for i, line := range strings.Split(docText(f.doc()), "\n") {
		if i > 0 {
			b.WriteByte('\n')
			if line != "" {
				b.WriteString(inner)
			}
		}
		b.WriteString(line)
	}
	b.WriteString(`"""` + "\n\n")
}

// docText escapes a text for a string in three quotes.
func docText(s string) string {
	s = strings.ReplaceAll(s, `\`, `\\`)
	s = strings.ReplaceAll(s, `"""`, `\"\"\"`)
	if strings.HasSuffix(s, `"`) {
		s = s[:len(s)-1] + `\"`
	}
	return s
}

// class writes a TypedDict. The form with braces takes names that the other cannot.
func (m *module) class(c class) string {
	members := c.t.Properties[:min(len(c.t.Properties), maxMembers)]
	plain := true
	for _, p := range members {
		plain = plain && isIdentifier(p.Name) && !strings.HasPrefix(p.Name, "__") &&
			!slices.Contains(builtinNames(), p.Name) && !slices.Contains(typingNames(), p.Name)
	}
	var b strings.Builder
	base := m.name("TypedDict")
	if plain {
		b.WriteString("class " + c.name + "(" + base + "):\n")
		if text := safetext.OneLine(c.t.Description, maxArgument); text != "" {
			b.WriteString(`    """` + docText(text) + "\"\"\"\n")
		}
		for _, p := range members {
			hint := m.hint(p.Type, p.Name, c.owner)
			if !p.Required {
				hint = m.name("NotRequired") + "[" + hint + "]"
			}
			b.WriteString("    " + p.Name + ": " + hint + m.comment(p.Type) + "\n")
		}
		return b.String()
	}
	b.WriteString(c.name + " = " + base + "(" + quote(c.name) + ", {\n")
	for _, p := range members {
		hint := m.hint(p.Type, p.Name, c.owner)
		if m.forward(p.Type) {
			hint = quote(hint) // a class that is defined below
		}
		if !p.Required {
			hint = m.name("NotRequired") + "[" + hint + "]"
		}
		b.WriteString("    " + quote(p.Name) + ": " + hint + "," + m.comment(p.Type) + "\n")
	}
	b.WriteString("})\n")
	return b.String()
}

// forward says whether a hint may hold the name of a class.
func (m *module) forward(t *schema.Type) bool {
	return t.Kinds&(schema.ObjectKind|schema.ArrayKind) != 0
}

func (m *module) comment(t *schema.Type) string {
	text := safetext.OneLine(t.Description, 160)
	if notes := bounds(t); len(notes) > 0 {
		text = strings.TrimSpace(text + " (" + strings.Join(notes, "; ") + ")")
	}
	if text == "" {
		return ""
	}
	return "  # " + text
}
