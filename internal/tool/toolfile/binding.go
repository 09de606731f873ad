package toolfile

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// Derive returns what a binding says of the definition that it implements, in
// the form of a tool in a file; nil: nothing. See [Kind].
type Derive func(b tool.Binding) (*jsondoc.Object, error)

// LoadWith is [Load] for files whose tools may leave out what their
// implementation says already, such as the schemas of a function with type hints.
func LoadWith(name string, data []byte, derive Derive) (*tool.File, error) {
	return load(name, data, derive)
}

// Define makes a definition of a tool in the form that it has in a file. name
// is shown in positions: it says where the document comes from.
func Define(name string, doc *jsondoc.Object) (*tool.Definition, error) {
	r := &jsondoc.Report{File: name}
	l := &loader{Report: r, schemas: schema.NewCompiler(r), file: &tool.File{Name: name, Bindings: map[string]tool.Binding{}}, foreign: true}
	n := l.graft(nil, doc)
	if n == nil {
		return nil, l.Report.Problems.Fault()
	}
	d := l.tool(n)
	if len(l.Report.Problems) == 0 {
		l.principals()
	}
	if err := l.Report.Problems.Fault(); err != nil {
		return nil, err
	}
	return d, nil
}

// bindingKind is a kind of implementation as files name it.
type bindingKind struct {
	name   string
	target string // the setting that says what it leads to: a file, an address, a program
}

// bindingKinds returns the kinds that "run" may have, sorted.
func bindingKinds() []bindingKind {
	return []bindingKind{{"command", "argv"}, {"go", "use"}, {"http", "url"}, {"python", "file"}, {"wasm", "module"}}
}

// BindingKinds returns the names of the kinds that "run" may have, sorted.
func BindingKinds() []string {
	var names []string
	for _, k := range bindingKinds() {
		names = append(names, k.name)
	}
	return names
}

// Target returns what a binding leads to, in a word: a file, a program, or the host
// of an address.
func Target(b tool.Binding) string {
	for _, k := range bindingKinds() {
		if k.name != b.Kind {
			continue
		}
		v, _ := b.Spec.Get(k.target)
		if list, ok := v.([]any); ok && len(list) > 0 {
			v = list[0]
		}
		text, _ := v.(string)
		if _, rest, isURL := strings.Cut(text, "://"); isURL {
			text, _, _ = strings.Cut(rest, "/")
		}
		return text
	}
	return ""
}

// binding reads the value of "run": one kind and its settings.
func (l *loader) binding(n *jsondoc.Node) (tool.Binding, bool) {
	kinds := BindingKinds()
	if n.Kind == jsondoc.Map && len(n.Keys) == 0 {
		l.Add(n, "Write one of "+strings.Join(kinds, ", ")+".", "run: no kind")
		return tool.Binding{}, false
	}
	if n.Kind != jsondoc.Map {
		l.Add(n, "Write run: {python: {file: …}}, with one of "+strings.Join(kinds, ", ")+".", "run: expected a mapping with one kind, got %s", n.Show())
		return tool.Binding{}, false
	}
	b := tool.Binding{Pos: l.Pos(n)}
	var with, spec *jsondoc.Node
	for i, key := range n.Keys {
		switch {
		case key.Text == "with":
			with = n.Items[i]
		case !slices.Contains(kinds, key.Text):
			l.Add(key, jsondoc.DidYouMean(key.Text, kinds), "run: there is no kind %s", safetext.Quote(key.Text))
			return b, false
		case spec != nil:
			l.Add(key, "Leave one.", "run: both %s and %s", b.Kind, key.Text)
			return b, false
		default:
			b.Kind, spec = key.Text, n.Items[i]
		}
	}
	switch {
	case spec == nil:
		l.Add(n, "Write one of "+strings.Join(kinds, ", ")+".", "run: no kind")
		return b, false
	case b.Kind == "go":
		return b, l.builtin(&b, spec, with)
	case with != nil:
		l.Add(with, "Put it under "+b.Kind+".", "run: only a built-in tool (go) has the key \"with\"")
		return b, false
	case spec.Kind != jsondoc.Map:
		l.Add(spec, "", "run: %s: expected a mapping, got %s", b.Kind, spec.Show())
		return b, false
	}
	b.Spec = spec.Value().(*jsondoc.Object)
	return b, true
}

// builtin reads run: {go: NAME, with: {…}}.
func (l *loader) builtin(b *tool.Binding, use, with *jsondoc.Node) bool {
	name := l.text("go", use, tool.MaxName)
	settings := jsondoc.NewObject()
	if with != nil {
		if with.Kind != jsondoc.Map {
			l.Add(with, "", "run: with: expected a mapping, got %s", with.Show())
			return false
		}
		settings = with.Value().(*jsondoc.Object)
	}
	b.Spec = jsondoc.NewObject(jsondoc.Member{Name: "use", Value: name}, jsondoc.Member{Name: "with", Value: settings})
	return name != ""
}

// derived returns a tool's mapping with the keys that its binding adds. A file's
// own keys count before them.
func (l *loader) derived(n *jsondoc.Node) *jsondoc.Node {
	run := n.Get("run")
	if run == nil || n.Kind != jsondoc.Map || l.derive == nil {
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
	out.Keys, out.Items = slices.Clone(n.Keys), slices.Clone(n.Items)
	for i, key := range more.Keys {
		if n.Get(key.Text) == nil {
			out.Keys, out.Items = append(out.Keys, key), append(out.Items, more.Items[i])
		}
	}
	return &out
}

// graft makes a tree of a value that is in no file; its parts get the place of at.
func (l *loader) graft(at *jsondoc.Node, doc *jsondoc.Object) *jsondoc.Node {
	if at != nil {
		p := planter{line: at.Line, col: at.Col, left: maxPlanted}
		if n := p.node(doc, 0); n != nil {
			return n
		}
	}
	data, err := doc.MarshalJSON()
	if err != nil || len(data) > jsondoc.MaxFile {
		l.Add(at, "", "the definition cannot be read")
		return nil
	}
	n := jsondoc.ReadJSON(l.Report, data)
	if n == nil {
		return nil
	}
	if at != nil {
		n.MoveTo(at.Line, at.Col)
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
	slab      []jsondoc.Node
	made      int
}

func (p *planter) new(kind jsondoc.Kind, text string) *jsondoc.Node {
	if p.left -= 1 + len(text); p.left < 0 || kind == jsondoc.String && !utf8.ValidString(text) {
		return nil
	}
	if len(p.slab) == 0 {
		p.slab = make([]jsondoc.Node, min(512, 16+p.made))
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	p.made++
	n.Kind, n.Text, n.Line, n.Col = kind, text, p.line, p.col
	return n
}

// node returns nil for what it leaves to others.
func (p *planter) node(v any, depth int) *jsondoc.Node {
	if depth > maxPlantedDepth {
		return nil
	}
	switch v := v.(type) {
	case nil:
		return p.new(jsondoc.Null, "")
	case bool:
		return p.new(jsondoc.Bool, strconv.FormatBool(v))
	case string:
		return p.new(jsondoc.String, v)
	case int64:
		return p.new(jsondoc.Number, strconv.FormatInt(v, 10))
	case []any:
		n := p.new(jsondoc.List, "")
		if n == nil {
			return nil
		}
		n.Items = make([]*jsondoc.Node, len(v))
		for i, item := range v {
			if n.Items[i] = p.node(item, depth+1); n.Items[i] == nil {
				return nil
			}
		}
		return n
	case *jsondoc.Object:
		n := p.new(jsondoc.Map, "")
		if n == nil || v == nil {
			return nil
		}
		both := make([]*jsondoc.Node, 2*v.Len())
		n.Keys, n.Items = both[:v.Len():v.Len()], both[v.Len():]
		for i, m := range v.Members {
			n.Keys[i], n.Items[i] = p.new(jsondoc.String, m.Name), p.node(m.Value, depth+1)
			if n.Keys[i] == nil || n.Items[i] == nil {
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

func (l *loader) servers(f *tool.File, v *jsondoc.Node) {
	if v.Kind != jsondoc.Map {
		l.Add(v, "Write servers: {name: {command: […]}} or {name: {url: https://…}}.", "servers: expected a mapping of names, got %s", v.Show())
		return
	}
	for i, key := range v.Keys {
		if why, near := tool.BadIdentifier(key.Text); why != "" {
			l.Add(key, wouldBe(near), "the server %s: %s", safetext.Quote(key.Text), why)
		}
		if v.Items[i].Kind != jsondoc.Map {
			l.Add(v.Items[i], "", "the server %s: expected a mapping, got %s", safetext.Quote(key.Text), v.Items[i].Show())
			continue
		}
		f.Servers = append(f.Servers, tool.ServerEntry{Name: key.Text, Spec: v.Items[i].Value().(*jsondoc.Object), Pos: l.Pos(key)})
	}
}

func (l *loader) secretEntries(f *tool.File, v *jsondoc.Node) {
	if v.Kind != jsondoc.Map {
		l.Add(v, "Write secrets: {NAME: {env: NAME}} or {NAME: {file: PATH}}.", "secrets: expected a mapping of names, got %s", v.Show())
		return
	}
	for i, key := range v.Keys {
		if why, near := tool.BadIdentifier(key.Text); why != "" {
			l.Add(key, wouldBe(near), "the secret %s: %s", safetext.Quote(key.Text), why)
		}
		s := tool.SecretEntry{Name: key.Text, Pos: l.Pos(key)}
		fields(l, v.Items[i], "the secret "+safetext.Quote(key.Text), secretEntryFields(), &s)
		if (s.Env == "") == (s.File == "") {
			l.Add(v.Items[i], "Write {env: NAME} or {file: PATH}. The value itself never stands in a file of tools.", "the secret %s needs either env or file", safetext.Quote(key.Text))
		}
		f.Secrets = append(f.Secrets, s)
	}
}

func secretEntryFields() []field[tool.SecretEntry] {
	return []field[tool.SecretEntry]{
		{"env", false, func(l *loader, s *tool.SecretEntry, v *jsondoc.Node) { s.Env = l.text("env", v, 1000) }},
		{"file", false, func(l *loader, s *tool.SecretEntry, v *jsondoc.Node) { s.File = l.text("file", v, 4096) }},
	}
}

// addFault notes what a kind says of a binding.
func (l *loader) addFault(at *jsondoc.Node, err error) {
	var f *fault.Error
	if errors.As(err, &f) {
		l.Add(at, f.Remedy, "%s", f.Message)
		return
	}
	l.Add(at, "", "%s", err)
}

// SecretEntries returns the secrets that a file declares, whatever else is wrong
// with it.
func SecretEntries(name string, data []byte) ([]tool.SecretEntry, error) {
	r := &jsondoc.Report{File: name}
	n := jsondoc.Read(r, data)
	if n == nil {
		return nil, r.Problems.Fault()
	}
	l := &loader{Report: r, file: &tool.File{Name: name}}
	if v := n.Get("secrets"); v != nil {
		l.secretEntries(l.file, v)
	}
	return l.file.Secrets, r.Problems.Fault()
}
