package tool

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// FormatVersion is the version of the format of files that Load reads.
const FormatVersion = 1

const (
	maxName        = 128    // characters of a tool's name
	maxDescription = 20_000 // characters
	maxPrincipals  = 10_000
	maxTimeout     = 30 * 24 * time.Hour
)

// File is what one file of tools declares.
type File struct {
	Name       string
	Me         string   // the user's own name as a principal, "" when the file does not say
	Principals []string // names or patterns "*@example.com"
	Inputs     []Input
	Tools      []*Definition
	Bindings   map[string]Binding // how tools are implemented, by their IDs; not every tool is
	Servers    []ServerEntry
	Secrets    []SecretEntry
	mePos      Position
}

// Input is a name that a plan is given from outside.
type Input struct {
	Name        string
	Description string
	Schema      *Schema
	Default     any
	HasDefault  bool
	Trusted     bool    // true unless the file says otherwise: it is the user's
	Readers     Readers // everyone unless the file says otherwise; never with From
	Pos         Position
}

// Load reads a file of tools in YAML, or in JSON when its name ends in .json
// or it is valid JSON. It does no input or output: name only stands in
// positions. The error is a fault of kind Invalid whose message is the first
// problem and whose cause is [Problems], all of them.
func Load(name string, data []byte) (*File, error) { return load(name, data, nil) }

func load(name string, data []byte, derive Derive) (*File, error) {
	r := &report{file: name}
	n := readDocument(r, data)
	if n == nil {
		return nil, r.list.fault()
	}
	l := &loader{report: r, schemas: newCompiler(r), file: &File{Name: name, Bindings: map[string]Binding{}}, derive: derive}
	fields(l, n, "the file", fileFields(), l.file)
	if len(r.list) == 0 {
		l.principals()
	}
	if err := r.list.fault(); err != nil {
		return nil, err
	}
	return l.file, nil
}

// loader reads one file.
type loader struct {
	*report
	schemas *Compiler
	file    *File
	derive  Derive  // nil: files say everything themselves
	readers []*node // literal principals, to be judged when all are known
	keys    []field[draft]
	run     *node   // the last that was read
	bound   Binding // what it says
}

// field is one key of a mapping: how it is read into a T.
type field[T any] struct {
	name string
	need bool
	read func(l *loader, into *T, v *node)
}

// fields reads a mapping by a table; keys that are not in it are problems.
func fields[T any](l *loader, n *node, what string, table []field[T], into *T) {
	if n.kind != mapNode {
		l.add(n, "Write keys and values: "+keysOf(table)+".", "%s: expected a mapping, got %s", what, n.show())
		return
	}
	for i, key := range n.keys {
		at := slices.IndexFunc(table, func(f field[T]) bool { return f.name == key.text })
		if at < 0 {
			if !strings.HasPrefix(key.text, "x-") {
				l.add(key, didYouMean(key.text, strings.Split(keysOf(table), ", ")), "unknown key %s in %s", quote(key.text), what)
			}
			continue
		}
		table[at].read(l, into, n.items[i])
	}
	for _, f := range table {
		if f.need && n.get(f.name) == nil {
			l.add(n, "Add "+f.name+": …", "%s lacks the key %s", what, quote(f.name))
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

func fileFields() []field[File] {
	return []field[File]{
		{"version", false, func(l *loader, _ *File, v *node) {
			if v.kind != numberNode || v.text != strconv.Itoa(FormatVersion) {
				l.add(v, "Write version: "+strconv.Itoa(FormatVersion)+".", "version of the format: expected %d, got %s", FormatVersion, v.show())
			}
		}},
		{"me", false, func(l *loader, f *File, v *node) {
			if f.Me = l.principal(v); f.Me == Me {
				l.add(v, "Write the name by which results call the user, such as an e-mail address, or leave it out.", "me: %s is what stands for the user's name", quote(Me))
			}
			f.mePos = l.pos(v)
		}},
		{"principals", false, func(l *loader, f *File, v *node) {
			for _, item := range l.list("principals", v) {
				if name := l.principal(item); name != "" && slices.Contains(f.Principals, name) {
					l.add(item, "Remove one of them.", "principals: %s stands twice", quote(name))
				} else if name != "" {
					f.Principals = append(f.Principals, name)
				}
			}
			if len(f.Principals) > maxPrincipals {
				l.add(v, `Use patterns such as "*@example.com".`, "principals: more than %d", maxPrincipals)
			}
		}},
		{"inputs", false, func(l *loader, f *File, v *node) { l.inputs(f, v) }},
		{"secrets", false, func(l *loader, f *File, v *node) { l.secretEntries(f, v) }},
		{"tools", false, func(l *loader, f *File, v *node) { l.tools(f, v) }},
		{"servers", false, func(l *loader, f *File, v *node) { l.servers(f, v) }},
	}
}

// principal reads one name, or a pattern with a leading star.
func (l *loader) principal(v *node) string {
	s := l.text("a principal", v, 320)
	if strings.Contains(strings.TrimPrefix(s, "*"), "*") {
		l.add(v, `Write a name, or a pattern such as "*@example.com".`, "a star may only stand at the start of a principal, got %s", quote(s))
	}
	return s
}

// principals judges the literal readers, now that all principals are known.
func (l *loader) principals() {
	p := Principals{Me: l.file.Me, Names: l.file.Principals}
	if len(p.Names) == 0 {
		return
	}
	for _, n := range l.readers {
		if !p.Known(n.text) {
			remedy := didYouMean(n.text, append([]string{Me}, p.Names...))
			if remedy == "" {
				remedy = "Add it to principals."
			}
			l.add(n, remedy, "readers: the principal %s is not known", quote(n.text))
		}
	}
}

// text reads a string of at most limit characters that is not empty.
func (l *loader) text(what string, v *node, limit int) string {
	switch {
	case v.kind != stringNode:
		remedy := ""
		if v.kind == numberNode || v.kind == boolNode {
			remedy = "Put it into quotes: " + strconv.Quote(v.text) + "."
		}
		l.add(v, remedy, "%s: expected a string, got %s", what, v.show())
		return ""
	case v.text == "":
		l.add(v, "", "%s: the string is empty", what)
	case len(v.text) > 4*limit || len([]rune(v.text)) > limit:
		l.add(v, "", "%s: longer than %d characters", what, limit)
		return ""
	}
	return v.text
}

func (l *loader) flag(what string, v *node) bool {
	if v.kind != boolNode {
		remedy := "Write true or false."
		switch strings.ToLower(v.text) {
		case "yes", "on", "y":
			remedy = "Write true."
		case "no", "off", "n":
			remedy = "Write false."
		}
		l.add(v, remedy, "%s: expected a boolean, got %s", what, v.show())
	}
	return v.text == "true"
}

func (l *loader) list(what string, v *node) []*node {
	if v.kind != listNode {
		l.add(v, "Write a list: [a, b].", "%s: expected a list, got %s", what, v.show())
		return nil
	}
	return v.items
}

func (l *loader) schema(what string, v *node) *Schema {
	if v.kind != mapNode && v.kind != boolNode {
		l.add(v, "Write a JSON Schema such as {type: string}.", "%s: expected a JSON Schema, got %s", what, v.show())
		return nil
	}
	return l.schemas.compile(v)
}

func (l *loader) inputs(f *File, v *node) {
	if v.kind != mapNode {
		l.add(v, "Write inputs: {name: {schema: {type: string}}}.", "inputs: expected a mapping of names, got %s", v.show())
		return
	}
	for i, key := range v.keys {
		if why, near := badIdentifier(key.text); why != "" {
			l.add(key, wouldBe(near), "the input %s: %s", quote(key.text), why)
		}
		if key.text == "today" {
			l.add(key, "Choose another name.", "the input \"today\" is given by the host")
		}
		in := Input{Name: key.text, Pos: l.pos(key), Trusted: true, Readers: Readers{Everyone: true}}
		fields(l, v.items[i], "the input "+quote(key.text), inputFields(), &in)
		if in.Schema == nil {
			in.Schema = AnySchema()
		}
		if def := v.items[i].get("default"); def != nil && v.items[i].kind == mapNode {
			in.Default, in.HasDefault = def.value(), true
			l.mismatch("default of the input "+quote(key.text), def, in.Schema.Validate(in.Default))
		}
		if len(in.Readers.From) > 0 {
			l.add(v.items[i].get("readers"), "List the principals.", "readers of an input: there is no result to take them from")
		}
		f.Inputs = append(f.Inputs, in)
	}
}

func inputFields() []field[Input] {
	return []field[Input]{
		{"description", false, func(l *loader, in *Input, v *node) { in.Description = l.text("description", v, maxDescription) }},
		{"schema", false, func(l *loader, in *Input, v *node) { in.Schema = l.schema("schema", v) }},
		{"default", false, func(*loader, *Input, *node) {}},
		{"trusted", false, func(l *loader, in *Input, v *node) { in.Trusted = l.flag("trusted", v) }},
		{"readers", false, func(l *loader, in *Input, v *node) { in.Readers = l.whoReads(v) }},
	}
}

// mismatch notes that a value in the file does not fit a schema of the file, at its place.
func (l *loader) mismatch(what string, v *node, m *Mismatch) {
	if m == nil {
		return
	}
	for _, one := range append([]*Mismatch{m}, m.More...) {
		at, parent, last := v, (*node)(nil), ""
		for _, seg := range one.Path.Segments() {
			next := at.child(seg)
			if next == nil {
				break
			}
			at, parent, last = next, at, seg
		}
		if one.undeclared && parent != nil {
			at = parent.key(last)
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
			where = " at " + clip(string(one.Path), 100)
		}
		l.add(at, remedy, "%s%s: expected %s, got %s", what, where, one.Expected, one.Got)
	}
}

// key returns a mapping's key of that name.
func (n *node) key(name string) *node {
	for _, k := range n.keys {
		if k.text == name {
			return k
		}
	}
	return n
}

// child follows one segment of a pointer.
func (n *node) child(seg string) *node {
	switch n.kind {
	case mapNode:
		return n.get(seg)
	case listNode:
		if i, err := strconv.Atoi(seg); err == nil && i >= 0 && i < len(n.items) {
			return n.items[i]
		}
	}
	return nil
}

// badIdentifier says why s cannot be a name in a plan, and the nearest that can.
func badIdentifier(s string) (why, near string) {
	switch {
	case s == "":
		return "a name is empty", ""
	case len(s) > maxName:
		return "longer than " + strconv.Itoa(maxName) + " characters", ""
	case strings.HasPrefix(s, "__"):
		return "names that begin with two underscores are Python's", strings.TrimLeft(s, "_")
	case isKeyword(s):
		return "a plan cannot use this word of Python as a name", s + "_"
	}
	ok := !(s[0] >= '0' && s[0] <= '9')
	fixed := []byte(s)
	for i := range fixed {
		if !alnum(fixed[i]) && fixed[i] != '_' {
			ok, fixed[i] = false, '_'
		}
	}
	if ok {
		return "", ""
	}
	near = strings.Trim(string(fixed), "_")
	if near != "" && near[0] <= '9' {
		near = "n" + near
	}
	return "a name has letters, digits and underscores and does not begin with a digit", near
}

func isKeyword(s string) bool {
	switch s {
	case "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
		"else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or",
		"pass", "raise", "return", "try", "while", "with", "yield":
		return true
	}
	return false
}

func wouldBe(near string) string {
	if near == "" {
		return ""
	}
	return "Write " + near + "."
}
