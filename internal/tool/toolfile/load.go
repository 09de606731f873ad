package toolfile

import (
	"slices"
	"strconv"
	"strings"

	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// FormatVersion is the version of the format of files that Load reads.
const FormatVersion = 1

// Load reads a file of tools in YAML, or in JSON when its name ends in .json
// or it is valid JSON. It does no input or output: name is only shown
// in positions. The error is a fault of kind Invalid whose message is the first
// problem and whose cause is [Problems], all of them.
func Load(name string, data []byte) (*tool.File, error) { return load(name, data, nil) }

func load(name string, data []byte, derive Derive) (*tool.File, error) {
	r := &jsondoc.Report{File: name}
	n := jsondoc.Read(r, data)
	if n == nil {
		return nil, r.Problems.Fault()
	}
	l := &loader{Report: r, schemas: schema.NewCompiler(r), file: &tool.File{Name: name, Bindings: map[string]tool.Binding{}}, derive: derive}
	fields(l, n, "the file", fileFields(), l.file)
	if len(r.Problems) == 0 {
		l.principals()
	}
	if err := r.Problems.Fault(); err != nil {
		return nil, err
	}
	return l.file, nil
}

// loader reads one file.
type loader struct {
	*jsondoc.Report
	schemas *schema.Compiler
	file    *tool.File
	derive  Derive          // nil: files say everything themselves
	foreign bool            // what is read is no file of the user's
	own     bool            // the output schema stands in the file itself
	readers []*jsondoc.Node // literal principals, to be judged when all are known
	keys    []field[draft]
	run     *jsondoc.Node // the last that was read
	bound   tool.Binding  // what it says
}

// field is one key of a mapping: how it is read into a T.
type field[T any] struct {
	name string
	need bool
	read func(l *loader, into *T, v *jsondoc.Node)
}

// fields reads a mapping by a table; keys that are not in it are problems.
func fields[T any](l *loader, n *jsondoc.Node, what string, table []field[T], into *T) {
	if n.Kind != jsondoc.Map {
		l.Add(n, "Write keys and values: "+keysOf(table)+".", "%s: expected a mapping, got %s", what, n.Show())
		return
	}
	for i, key := range n.Keys {
		at := slices.IndexFunc(table, func(f field[T]) bool { return f.name == key.Text })
		if at < 0 {
			if !strings.HasPrefix(key.Text, "x-") {
				l.Add(key, jsondoc.DidYouMean(key.Text, strings.Split(keysOf(table), ", ")), "unknown key %s in %s", safetext.Quote(key.Text), what)
			}
			continue
		}
		table[at].read(l, into, n.Items[i])
	}
	for _, f := range table {
		if f.need && n.Get(f.name) == nil {
			l.Add(n, "Add "+f.name+": …", "%s lacks the key %s", what, safetext.Quote(f.name))
		}
	}
}

func keysOf[T any](table []field[T]) string {
	names := make([]string, len(table))
	for i, f := range table {
		names[i] = f.name
	}
	return strings.Join(names, ", ")
}

func fileFields() []field[tool.File] {
	return []field[tool.File]{
		{"version", false, func(l *loader, _ *tool.File, v *jsondoc.Node) {
			if v.Kind != jsondoc.Number || v.Text != strconv.Itoa(FormatVersion) {
				l.Add(v, "Write version: "+strconv.Itoa(FormatVersion)+".", "version of the format: expected %d, got %s", FormatVersion, v.Show())
			}
		}},
		{"me", false, func(l *loader, f *tool.File, v *jsondoc.Node) {
			if f.Me = l.principal(v); f.Me == tool.Me {
				l.Add(v, "Write the name by which results call the user, such as an e-mail address, or leave it out.", "me: %s is what stands for the user's name", safetext.Quote(tool.Me))
			}
			f.MePos = l.Pos(v)
		}},
		{"principals", false, func(l *loader, f *tool.File, v *jsondoc.Node) {
			for _, item := range l.list("principals", v) {
				if name := l.principal(item); name != "" && slices.Contains(f.Principals, name) {
					l.Add(item, "Remove one of them.", "principals: %s stands twice", safetext.Quote(name))
				} else if name != "" {
					f.Principals = append(f.Principals, name)
				}
			}
			if len(f.Principals) > tool.MaxPrincipals {
				l.Add(v, `Use patterns such as "*@example.com".`, "principals: more than %d", tool.MaxPrincipals)
			}
		}},
		{"inputs", false, func(l *loader, f *tool.File, v *jsondoc.Node) { l.inputs(f, v) }},
		{"secrets", false, func(l *loader, f *tool.File, v *jsondoc.Node) { l.secretEntries(f, v) }},
		{"tools", false, func(l *loader, f *tool.File, v *jsondoc.Node) { l.tools(f, v) }},
		{"fields", false, func(l *loader, f *tool.File, v *jsondoc.Node) { l.fieldEntries(f, v) }},
		{"servers", false, func(l *loader, f *tool.File, v *jsondoc.Node) { l.servers(f, v) }},
	}
}

// principal reads one name, or a pattern with a leading star.
func (l *loader) principal(v *jsondoc.Node) string {
	s := l.text("a principal", v, 320)
	if strings.Contains(strings.TrimPrefix(s, "*"), "*") {
		l.Add(v, `Write a name, or a pattern such as "*@example.com".`, "a star may only stand at the start of a principal, got %s", safetext.Quote(s))
	}
	return s
}

// principals checks the literal readers, now that all principals are known.
func (l *loader) principals() {
	p := tool.Principals{Me: l.file.Me, Names: l.file.Principals}
	if len(p.Names) == 0 {
		return
	}
	for _, n := range l.readers {
		if !p.Known(n.Text) {
			remedy := jsondoc.DidYouMean(n.Text, append([]string{tool.Me}, p.Names...))
			if remedy == "" {
				remedy = "Add it to principals."
			}
			l.Add(n, remedy, "readers: the principal %s is not known", safetext.Quote(n.Text))
		}
	}
}

// text reads a string of at most limit characters that is not empty.
func (l *loader) text(what string, v *jsondoc.Node, limit int) string {
	switch {
	case v.Kind != jsondoc.String:
		remedy := ""
		if v.Kind == jsondoc.Number || v.Kind == jsondoc.Bool {
			remedy = "Put it into quotes: " + strconv.Quote(v.Text) + "."
		}
		l.Add(v, remedy, "%s: expected a string, got %s", what, v.Show())
		return ""
	case v.Text == "":
		l.Add(v, "", "%s: the string is empty", what)
	case len(v.Text) > 4*limit || len([]rune(v.Text)) > limit:
		l.Add(v, "", "%s: longer than %d characters", what, limit)
		return ""
	}
	return v.Text
}

func (l *loader) flag(what string, v *jsondoc.Node) bool {
	if v.Kind != jsondoc.Bool {
		remedy := "Write true or false."
		switch strings.ToLower(v.Text) {
		case "yes", "on", "y":
			remedy = "Write true."
		case "no", "off", "n":
			remedy = "Write false."
		}
		l.Add(v, remedy, "%s: expected a boolean, got %s", what, v.Show())
	}
	return v.Text == "true"
}

func (l *loader) list(what string, v *jsondoc.Node) []*jsondoc.Node {
	if v.Kind != jsondoc.List {
		l.Add(v, "Write a list: [a, b].", "%s: expected a list, got %s", what, v.Show())
		return nil
	}
	return v.Items
}

func (l *loader) schema(what string, v *jsondoc.Node) *schema.Schema {
	if v.Kind != jsondoc.Map && v.Kind != jsondoc.Bool {
		l.Add(v, "Write a JSON Schema such as {type: string}.", "%s: expected a JSON Schema, got %s", what, v.Show())
		return nil
	}
	return l.schemas.Compile(v)
}

func (l *loader) inputs(f *tool.File, v *jsondoc.Node) {
	if v.Kind != jsondoc.Map {
		l.Add(v, "Write inputs: {name: {schema: {type: string}}}.", "inputs: expected a mapping of names, got %s", v.Show())
		return
	}
	for i, key := range v.Keys {
		if why, near := tool.BadIdentifier(key.Text); why != "" {
			l.Add(key, wouldBe(near), "the input %s: %s", safetext.Quote(key.Text), why)
		}
		if key.Text == "today" {
			l.Add(key, "Choose another name.", "the input \"today\" is given by the host")
		}
		in := tool.Input{Name: key.Text, Pos: l.Pos(key), Trusted: true, Readers: tool.Readers{Everyone: true}}
		fields(l, v.Items[i], "the input "+safetext.Quote(key.Text), inputFields(), &in)
		if in.Schema == nil {
			in.Schema = schema.Any()
		}
		if def := v.Items[i].Get("default"); def != nil && v.Items[i].Kind == jsondoc.Map {
			in.Default, in.HasDefault = def.Value(), true
			l.mismatch("default of the input "+safetext.Quote(key.Text), def, in.Schema.Validate(in.Default))
		}
		if len(in.Readers.From) > 0 {
			l.Add(v.Items[i].Get("readers"), "List the principals.", "readers of an input: there is no result to take them from")
		}
		f.Inputs = append(f.Inputs, in)
	}
}

func inputFields() []field[tool.Input] {
	return []field[tool.Input]{
		{"description", false, func(l *loader, in *tool.Input, v *jsondoc.Node) {
			in.Description = l.text("description", v, tool.MaxDescription)
		}},
		{"schema", false, func(l *loader, in *tool.Input, v *jsondoc.Node) { in.Schema = l.schema("schema", v) }},
		{"default", false, func(*loader, *tool.Input, *jsondoc.Node) {}},
		{"trusted", false, func(l *loader, in *tool.Input, v *jsondoc.Node) { in.Trusted = l.flag("trusted", v) }},
		{"readers", false, func(l *loader, in *tool.Input, v *jsondoc.Node) { in.Readers = l.whoReads(v) }},
	}
}

// mismatch notes that a value in the file does not fit a schema of the file, at its place.
func (l *loader) mismatch(what string, v *jsondoc.Node, m *schema.Mismatch) {
	if m == nil {
		return
	}
	for _, one := range append([]*schema.Mismatch{m}, m.More...) {
		at, parent, last := v, (*jsondoc.Node)(nil), ""
		for _, seg := range one.Path.Segments() {
			next := at.Child(seg)
			if next == nil {
				break
			}
			at, parent, last = next, at, seg
		}
		if one.Undeclared && parent != nil {
			at = parent.Key(last)
		}
		remedy := ""
		if one.Nearest != "" {
			remedy = strings.TrimSuffix(strings.ToUpper(one.Nearest[:1])+one.Nearest[1:], "?")
			if strings.HasSuffix(one.Nearest, "?") {
				remedy += "?"
			} else {
				remedy += "."
			}
		}
		where := ""
		if one.Path != "" {
			where = " at " + safetext.OneLine(string(one.Path), 100)
		}
		l.Add(at, remedy, "%s%s: expected %s, got %s", what, where, one.Expected, one.Got)
	}
}

func wouldBe(near string) string {
	if near == "" {
		return ""
	}
	return "Write " + near + "."
}
