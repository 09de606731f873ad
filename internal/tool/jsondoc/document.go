package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"praxis/internal/safetext"

	"go.yaml.in/yaml/v4"
)

// Bounds of what is read.
const (
	// MaxFile is the greatest size of a document in bytes.
	MaxFile = 4 << 20
	// MaxDepth is how deep values and documents may nest.
	MaxDepth = 128

	maxNodes     = 500_000 // of a document with its aliases written out
	maxNodesText = "500000"
	maxDepthText = "128"
)

// Kind is what a node holds.
type Kind uint8

// The kinds of nodes. The zero value is none.
const (
	Null Kind = iota + 1
	Bool
	Number
	String
	List
	Map
)

// String says what a node holds, as messages do.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "a boolean"
	case Number:
		return "a number"
	case String:
		return "a string"
	case List:
		return "a list"
	}
	return "a mapping"
}

// Node is a value of a document with its place; YAML and JSON become the same tree.
type Node struct {
	Kind      Kind
	Line, Col int32
	Text      string  // of a string; of a number as JSON writes it; "true", "false"
	Items     []*Node // a list's items, a mapping's values
	Keys      []*Node // a mapping's keys, strings in the file's order
}

// Get returns the value of a key of a mapping, or nil.
func (n *Node) Get(key string) *Node {
	for i, k := range n.Keys {
		if k.Text == key {
			return n.Items[i]
		}
	}
	return nil
}

// Names returns a mapping's keys.
func (n *Node) Names() []string {
	names := make([]string, len(n.Keys))
	for i, k := range n.Keys {
		names[i] = k.Text
	}
	return names
}

// Show describes the node in a message: its value when it is short, else its kind.
func (n *Node) Show() string {
	switch n.Kind {
	case Null:
		return "null"
	case Bool, Number:
		return safetext.OneLine(n.Text, 40)
	case String:
		return safetext.Quote(n.Text)
	case List:
		if len(n.Items) == 0 {
			return "an empty list"
		}
	}
	return n.Kind.String()
}

// Key returns a mapping's key of that name.
func (n *Node) Key(name string) *Node {
	for _, k := range n.Keys {
		if k.Text == name {
			return k
		}
	}
	return n
}

// Child follows one segment of a pointer.
func (n *Node) Child(seg string) *Node {
	switch n.Kind {
	case Map:
		return n.Get(seg)
	case List:
		if i, err := strconv.Atoi(seg); err == nil && i >= 0 && i < len(n.Items) {
			return n.Items[i]
		}
	}
	return nil
}

// MoveTo gives the node and all its parts one place.
func (n *Node) MoveTo(line, col int32) {
	n.Line, n.Col = line, col
	for _, k := range n.Keys {
		k.Line, k.Col = line, col
	}
	for _, item := range n.Items {
		item.MoveTo(line, col)
	}
}

// Value returns the node as a JSON value (see the package comment).
func (n *Node) Value() any {
	switch n.Kind {
	case Bool:
		return n.Text == "true"
	case Number:
		return json.Number(n.Text)
	case String:
		return n.Text
	case List:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = item.Value()
		}
		return list
	case Map:
		o := &Object{Members: make([]Member, 0, len(n.Keys))}
		for i, k := range n.Keys {
			o.Set(k.Text, n.Items[i].Value())
		}
		return o
	}
	return nil
}

// Read reads YAML or JSON. It returns nil when r has got a problem.
func Read(r *Report, data []byte) *Node {
	if len(data) > MaxFile {
		r.Add(nil, "Split it into several files.", "the file has %d bytes; at most %d are read", len(data), MaxFile)
		return nil
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		bad := 0
		for bad < len(data) {
			c, n := utf8.DecodeRune(data[bad:])
			if c == utf8.RuneError && n == 1 {
				break
			}
			bad += n
		}
		line, col := LineCol(data, bad)
		r.AddAt(Position{r.File, line, col}, "Save the file as UTF-8.", "the text is not UTF-8")
		return nil
	}
	if crowded(data) {
		r.AddAt(Position{r.File, 1, 1}, "Split the file.", "the document has more than "+maxNodesText+" values")
		return nil
	}
	if isJSON(r.File, data) {
		return ReadJSON(r, data)
	}
	return readYAML(r, data)
}

// crowded reports whether a text has so many marks that it is not worth
// building the parser's tree, a hundred times its size, to refuse it then.
func crowded(data []byte) bool {
	marks := 0
	for _, mark := range []string{",", "[", "{", "\n"} {
		marks += bytes.Count(data, []byte(mark))
	}
	return marks > 2*maxNodes
}

// isJSON decides the format: by the file's name, else JSON if it is valid as such.
func isJSON(file string, data []byte) bool {
	if strings.EqualFold(path.Ext(file), ".json") {
		return true
	}
	first := bytes.TrimLeft(data, " \t\r\n")
	return len(first) > 0 && (first[0] == '{' || first[0] == '[') && json.Valid(data)
}

// LineCol returns the line and column (in characters, from 1) of a byte.
func LineCol(data []byte, offset int) (line, col int) {
	offset = max(0, min(offset, len(data)))
	before := data[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// keySet finds duplicate keys; a map is made only for large mappings.
type keySet struct {
	many map[string]*Node
}

// add returns the earlier key of the same text, if there is one. The keys
// before it are those that were added.
func (s *keySet) add(before []*Node, key *Node) *Node {
	if s.many == nil {
		for _, k := range before {
			if k.Text == key.Text {
				return k
			}
		}
		if len(before) >= 16 {
			s.many = make(map[string]*Node, 64)
			for _, k := range before {
				s.many[k.Text] = k
			}
			s.many[key.Text] = key
		}
		return nil
	}
	if k := s.many[key.Text]; k != nil {
		return k
	}
	s.many[key.Text] = key
	return nil
}

// yamlReader turns YAML's nodes into ours: JSON's types only, aliases written out, bounded.
type yamlReader struct {
	r     *Report
	nodes int
	open  map[*yaml.Node]bool // anchors being written out, to find one inside of itself
	slab  []Node              // from which nodes are taken, since there are many
}

func (y *yamlReader) new(kind Kind, at *yaml.Node) *Node {
	if len(y.slab) == 0 {
		y.slab = make([]Node, min(512, 16+y.nodes))
	}
	n := &y.slab[0]
	y.slab = y.slab[1:]
	n.Kind, n.Line, n.Col = kind, int32(at.Line), int32(at.Column)
	return n
}

func readYAML(r *Report, data []byte) *Node {
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		r.yamlError(err)
		return nil
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		r.AddAt(Position{r.File, 1, 1}, "", "the file is empty")
		return nil
	}
	y := &yamlReader{r: r, open: map[*yaml.Node]bool{}}
	n := y.node(doc.Content[0], 0)
	if len(r.Problems) > 0 {
		return nil
	}
	return n
}

func (r *Report) yamlError(err error) {
	var one *yaml.LoadError
	if !errors.As(err, &one) {
		r.Add(nil, "", "not YAML: %v", err)
		return
	}
	what := strings.TrimPrefix(one.Message, "yaml: ")
	switch what {
	case "no documents in stream":
		r.AddAt(Position{r.File, 1, 1}, "", "the file is empty")
		return
	case "expected single document, found multiple":
		r.AddAt(Position{r.File, 1, 1}, "Split it into several files.", "the file has several YAML documents")
		return
	}
	if one.ContextMsg != "" {
		what += " " + one.ContextMsg
	}
	r.AddAt(Position{r.File, one.Mark.Line, one.Mark.Column}, "", "not YAML: %s", what)
}

func (y *yamlReader) bad(n *yaml.Node, remedy, format string, args ...any) *Node {
	y.r.AddAt(Position{y.r.File, n.Line, n.Column}, remedy, format, args...)
	return nil
}

func (y *yamlReader) node(n *yaml.Node, depth int) *Node {
	if y.r.Full() {
		return nil
	}
	if y.nodes++; y.nodes > maxNodes {
		if y.nodes == maxNodes+1 {
			y.bad(n, "Use fewer aliases, or split the file.", "the document has more than "+maxNodesText+" values with its aliases written out")
		}
		return nil
	}
	if depth > MaxDepth {
		return y.bad(n, "", "%s", TooDeep())
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return y.scalar(n)
	case yaml.SequenceNode:
		out := y.new(List, n)
		out.Items = make([]*Node, 0, len(n.Content))
		for _, item := range n.Content {
			if c := y.node(item, depth+1); c != nil {
				out.Items = append(out.Items, c)
			}
		}
		return out
	case yaml.MappingNode:
		return y.mapping(n, depth)
	case yaml.AliasNode:
		if n.Alias == nil || y.open[n.Alias] {
			return y.bad(n, "", "the alias *%s stands inside of what it names", n.Value)
		}
		y.open[n.Alias] = true
		defer delete(y.open, n.Alias)
		return y.node(n.Alias, depth+1)
	}
	return y.bad(n, "", "this cannot stand here")
}

func (y *yamlReader) mapping(n *yaml.Node, depth int) *Node {
	out := y.new(Map, n)
	both := make([]*Node, len(n.Content))
	out.Keys, out.Items = both[:0:len(both)/2], both[len(both)/2:len(both)/2]
	seen := keySet{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind != yaml.ScalarNode {
			y.bad(k, "", "a key has to be a plain string")
			continue
		}
		if k.Value == "<<" && k.Style == 0 {
			y.bad(k, "Write the keys out, or use an alias for a whole value.", "merge keys (<<) are not supported")
			continue
		}
		key := y.new(String, k)
		key.Text = k.Value
		if first := seen.add(out.Keys, key); first != nil {
			y.bad(k, "Remove one of them.", "the key %s stands twice; first on line %d", safetext.Quote(key.Text), first.Line)
			continue
		}
		if v := y.node(n.Content[i+1], depth+1); v != nil {
			out.Keys, out.Items = append(out.Keys, key), append(out.Items, v)
		}
	}
	return out
}

// scalar resolves a plain scalar as JSON would write it. YAML's other ways of
// writing numbers (octal, "1_000", ".inf") are refused, since readers of the
// file do not agree on what they are.
func (y *yamlReader) scalar(n *yaml.Node) *Node {
	out := y.new(String, n)
	out.Text = n.Value
	if n.Style&yaml.TaggedStyle != 0 {
		return y.bad(n, "Remove the tag.", "YAML tags (%s) are not supported", n.Tag)
	}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return out
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		out.Kind, out.Text = Null, ""
		return out
	case "true", "True", "TRUE":
		out.Kind, out.Text = Bool, "true"
		return out
	case "false", "False", "FALSE":
		out.Kind, out.Text = Bool, "false"
		return out
	}
	if c := n.Value[0]; c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') {
		return out
	}
	if IsNumber(n.Value) {
		if _, ok := ParseDecimal(n.Value); !ok {
			return y.bad(n, "", "%s", outOfBounds())
		}
		out.Kind = Number
		return out
	}
	if tag := n.ShortTag(); tag == "!!int" || tag == "!!float" {
		return y.bad(n, "Write a number as in JSON, or put a string into quotes.", "%s is ambiguous: some read it as a number", safetext.Quote(n.Value))
	}
	return out
}

// WriteNode writes a node as JSON, in its order, without spaces.
func WriteNode(b *bytes.Buffer, n *Node) {
	switch n.Kind {
	case Null:
		b.WriteString("null")
	case String:
		b.Write(appendString(b.AvailableBuffer(), n.Text))
	case List:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			WriteNode(b, item)
		}
		b.WriteByte(']')
	case Map:
		b.WriteByte('{')
		for i, k := range n.Keys {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(appendString(b.AvailableBuffer(), k.Text))
			b.WriteByte(':')
			WriteNode(b, n.Items[i])
		}
		b.WriteByte('}')
	default:
		b.WriteString(n.Text)
	}
}
