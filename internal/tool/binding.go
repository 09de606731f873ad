package tool

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"praxis/fault"
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
	r := &report{file: name}
	l := &loader{report: r, schemas: newCompiler(r), file: &File{Name: name, Bindings: map[string]Binding{}}}
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
		l.add(n, "Write run: {python: {file: …}}, with one of "+strings.Join(kinds, ", ")+".", "run: expected a mapping with one kind, got %s", n.show())
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
		l.add(spec, "", "run: %s: expected a mapping, got %s", b.Kind, spec.show())
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
			l.add(with, "", "run: with: expected a mapping, got %s", with.show())
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
	l.run, l.bound = run, b
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
	if at != nil {
		p := planter{line: at.line, col: at.col, left: maxPlanted}
		if n := p.node(doc, 0); n != nil {
			return n
		}
	}
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

// maxPlanted bounds what a planter makes, in nodes and in bytes of text.
const maxPlanted = 64 << 10

// planter makes a tree of a value without its text, which what is derived of
// implementations would be written and read again for. It leaves to who reads
// the text what is large, deep or not plainly JSON.
type planter struct {
	line, col int32
	left      int
	slab      []node
	made      int
}

func (p *planter) new(kind nodeKind, text string) *node {
	if p.left -= 1 + len(text); p.left < 0 || kind == stringNode && !utf8.ValidString(text) {
		return nil
	}
	if len(p.slab) == 0 {
		p.slab = make([]node, min(512, 16+p.made))
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	p.made++
	n.kind, n.text, n.line, n.col = kind, text, p.line, p.col
	return n
}

// node returns nil for what it leaves to others.
func (p *planter) node(v any, depth int) *node {
	if depth > maxPlantedDepth {
		return nil
	}
	switch v := v.(type) {
	case nil:
		return p.new(nullNode, "")
	case bool:
		return p.new(boolNode, strconv.FormatBool(v))
	case string:
		return p.new(stringNode, v)
	case int64:
		return p.new(numberNode, strconv.FormatInt(v, 10))
	case []any:
		n := p.new(listNode, "")
		if n == nil {
			return nil
		}
		n.items = make([]*node, len(v))
		for i, item := range v {
			if n.items[i] = p.node(item, depth+1); n.items[i] == nil {
				return nil
			}
		}
		return n
	case *Object:
		n := p.new(mapNode, "")
		if n == nil || v == nil {
			return nil
		}
		both := make([]*node, 2*v.Len())
		n.keys, n.items = both[:v.Len():v.Len()], both[v.Len():]
		for i, m := range v.members {
			n.keys[i], n.items[i] = p.new(stringNode, m.Name), p.node(m.Value, depth+1)
			if n.keys[i] == nil || n.items[i] == nil {
				return nil
			}
		}
		return n
	}
	return nil
}

// maxPlantedDepth is less than [MaxDepth], so that who reads the text says what
// is too deep.
const maxPlantedDepth = 64

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
		l.add(v, "Write servers: {name: {command: […]}} or {name: {url: https://…}}.", "servers: expected a mapping of names, got %s", v.show())
		return
	}
	for i, key := range v.keys {
		if why, near := badIdentifier(key.text); why != "" {
			l.add(key, wouldBe(near), "the server %s: %s", quote(key.text), why)
		}
		if v.items[i].kind != mapNode {
			l.add(v.items[i], "", "the server %s: expected a mapping, got %s", quote(key.text), v.items[i].show())
			continue
		}
		f.Servers = append(f.Servers, ServerEntry{Name: key.text, Spec: v.items[i].value().(*Object), Pos: l.pos(key)})
	}
}

func (l *loader) secretEntries(f *File, v *node) {
	if v.kind != mapNode {
		l.add(v, "Write secrets: {NAME: {env: NAME}} or {NAME: {file: PATH}}.", "secrets: expected a mapping of names, got %s", v.show())
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
	l := &loader{report: r, file: &File{Name: name}}
	if v := n.get("secrets"); v != nil {
		l.secretEntries(l.file, v)
	}
	return l.file.Secrets, r.list.fault()
}
