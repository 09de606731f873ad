package tool

import (
	"errors"
	"slices"
	"strings"

	"praxis/internal/fault"
)

// ServerEntry is a server of tools as a file declares it.
type ServerEntry struct {
	Name string // the namespace of its tools, unless Spec says otherwise
	Spec *Object
	Pos  Position
}

// SecretEntry is a secret as a file declares it: where its value is, never the
// value.
type SecretEntry struct {
	Name string
	Env  string // the environment variable that holds it, or ""
	File string // the file that holds it, or ""
	Pos  Position
}

// Derive returns what a binding says of the definition that it implements, in
// the form of a tool in a file; nil: nothing. See [Kind].
type Derive func(b Binding) (*Object, error)

// LoadWith is [Load] for files whose tools may leave out what their
// implementation says already, such as the schemas of a function with type hints.
func LoadWith(name string, data []byte, derive Derive) (*File, error) {
	return load(name, data, derive)
}

// Define makes a definition of a tool in the form that it has in a file. name
// stands in positions: it says where the document comes from.
func Define(name string, doc *Object) (*Definition, error) {
	l := &loader{report: &report{file: name}, file: &File{Name: name, pos: map[string]Position{}, Bindings: map[string]Binding{}}}
	n := l.graft(nil, doc)
	if n == nil {
		return nil, l.report.list.fault()
	}
	d := l.tool(n)
	if len(l.report.list) == 0 {
		l.principals()
	}
	if err := l.report.list.fault(); err != nil {
		return nil, err
	}
	return d, nil
}

// BindingKinds are the kinds that may stand under "run", sorted.
func BindingKinds() []string { return []string{"command", "go", "http", "python", "wasm"} }

// binding reads what stands under "run": one kind, and what the kind reads.
func (l *loader) binding(n *node) (Binding, bool) {
	kinds := BindingKinds()
	if n.kind == mapNode && len(n.keys) == 0 {
		l.add(n, "Write one of "+strings.Join(kinds, ", ")+".", "run: no kind")
		return Binding{}, false
	}
	if n.kind != mapNode {
		l.add(n, "Write run: {python: {file: …}}, with one of "+strings.Join(kinds, ", ")+".", "run: expected a mapping with one kind, got %s", show(n))
		return Binding{}, false
	}
	b := Binding{Pos: l.pos(n)}
	var with, spec *node
	for i, key := range n.keys {
		switch {
		case key.text == "with":
			with = n.items[i]
		case !slices.Contains(kinds, key.text):
			l.add(key, didYouMean(key.text, kinds), "run: there is no kind %s", quote(key.text))
			return b, false
		case spec != nil:
			l.add(key, "Leave one.", "run: both %s and %s", b.Kind, key.text)
			return b, false
		default:
			b.Kind, spec = key.text, n.items[i]
		}
	}
	switch {
	case spec == nil:
		l.add(n, "Write one of "+strings.Join(kinds, ", ")+".", "run: no kind")
		return b, false
	case b.Kind == "go":
		return b, l.builtin(&b, spec, with)
	case with != nil:
		l.add(with, "Put it under "+b.Kind+".", "run: only a built-in tool (go) has the key \"with\"")
		return b, false
	case spec.kind != mapNode:
		l.add(spec, "", "run: %s: expected a mapping, got %s", b.Kind, show(spec))
		return b, false
	}
	b.Spec = spec.value().(*Object)
	return b, true
}

// builtin reads run: {go: NAME, with: {…}}.
func (l *loader) builtin(b *Binding, use, with *node) bool {
	name := l.text("go", use, maxName)
	settings := NewObject()
	if with != nil {
		if with.kind != mapNode {
			l.add(with, "", "run: with: expected a mapping, got %s", show(with))
			return false
		}
		settings = with.value().(*Object)
	}
	b.Spec = NewObject(Member{"use", name}, Member{"with", settings})
	return name != ""
}

// derived returns a tool's mapping with the keys that its binding adds. A file's
// own keys count before them.
func (l *loader) derived(n *node) *node {
	run := n.get("run")
	if run == nil || n.kind != mapNode || l.derive == nil {
		return n
	}
	b, ok := l.binding(run)
	if !ok {
		return nil
	}
	doc, err := l.derive(b)
	if err != nil {
		l.addFault(run, err)
		return nil
	}
	if doc == nil {
		return n
	}
	more := l.graft(run, doc)
	if more == nil {
		return nil
	}
	out := *n
	out.keys, out.items = slices.Clone(n.keys), slices.Clone(n.items)
	for i, key := range more.keys {
		if n.get(key.text) == nil {
			out.keys, out.items = append(out.keys, key), append(out.items, more.items[i])
		}
	}
	return &out
}

// graft makes a tree of a value that stands in no file: it takes the place of at.
func (l *loader) graft(at *node, doc *Object) *node {
	data, err := doc.MarshalJSON()
	if err != nil || len(data) > MaxFile {
		l.add(at, "", "the definition cannot be read")
		return nil
	}
	n := readJSON(l.report, data)
	if n == nil {
		return nil
	}
	if at != nil {
		n.moveTo(at.line, at.col)
	}
	return n
}

func (n *node) moveTo(line, col int32) {
	n.line, n.col = line, col
	for _, k := range n.keys {
		k.line, k.col = line, col
	}
	for _, item := range n.items {
		item.moveTo(line, col)
	}
}

func (l *loader) servers(f *File, v *node) {
	if v.kind != mapNode {
		l.add(v, "Write servers: {name: {command: […]}} or {name: {url: https://…}}.", "servers: expected a mapping of names, got %s", show(v))
		return
	}
	for i, key := range v.keys {
		if why, near := badIdentifier(key.text); why != "" {
			l.add(key, wouldBe(near), "the server %s: %s", quote(key.text), why)
		}
		if v.items[i].kind != mapNode {
			l.add(v.items[i], "", "the server %s: expected a mapping, got %s", quote(key.text), show(v.items[i]))
			continue
		}
		f.Servers = append(f.Servers, ServerEntry{Name: key.text, Spec: v.items[i].value().(*Object), Pos: l.pos(key)})
	}
}

func (l *loader) secretEntries(f *File, v *node) {
	if v.kind != mapNode {
		l.add(v, "Write secrets: {NAME: {env: NAME}} or {NAME: {file: PATH}}.", "secrets: expected a mapping of names, got %s", show(v))
		return
	}
	for i, key := range v.keys {
		if why, near := badIdentifier(key.text); why != "" {
			l.add(key, wouldBe(near), "the secret %s: %s", quote(key.text), why)
		}
		s := SecretEntry{Name: key.text, Pos: l.pos(key)}
		fields(l, v.items[i], "the secret "+quote(key.text), secretEntryFields(), &s)
		if (s.Env == "") == (s.File == "") {
			l.add(v.items[i], "Write {env: NAME} or {file: PATH}. The value itself never stands in a file of tools.", "the secret %s needs either env or file", quote(key.text))
		}
		f.Secrets = append(f.Secrets, s)
	}
}

func secretEntryFields() []field[SecretEntry] {
	return []field[SecretEntry]{
		{"env", false, func(l *loader, s *SecretEntry, v *node) { s.Env = l.text("env", v, 1000) }},
		{"file", false, func(l *loader, s *SecretEntry, v *node) { s.File = l.text("file", v, 4096) }},
	}
}

// addFault notes what a kind says of a binding.
func (l *loader) addFault(at *node, err error) {
	var f *fault.Error
	if errors.As(err, &f) {
		l.add(at, f.Remedy, "%s", f.Message)
		return
	}
	l.add(at, "", "%s", err)
}

// SecretEntries returns the secrets that a file declares, whatever else is wrong
// with it.
func SecretEntries(name string, data []byte) ([]SecretEntry, error) {
	r := &report{file: name}
	n := readDocument(r, data)
	if n == nil {
		return nil, r.list.fault()
	}
	l := &loader{report: r, file: &File{Name: name, pos: map[string]Position{}}}
	if v := n.get("secrets"); v != nil {
		l.secretEntries(l.file, v)
	}
	return l.file.Secrets, r.list.fault()
}
