package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"path"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Bounds of what is read.
const (
	// MaxFile is the greatest size of a file of tools in bytes.
	MaxFile = 4 << 20
	// MaxTools is how many tools a set may hold.
	MaxTools = 10_000
	// MaxDepth is how deep values, schemas and files may nest.
	MaxDepth = 128

	maxNodes     = 500_000 // of a document with its aliases written out
	maxNodesText = "500000"
	maxDepthText = "128"
)

type nodeKind uint8

const (
	nullNode nodeKind = iota + 1
	boolNode
	numberNode
	stringNode
	listNode
	mapNode
)

func (k nodeKind) String() string {
	switch k {
	case nullNode:
		return "null"
	case boolNode:
		return "a boolean"
	case numberNode:
		return "a number"
	case stringNode:
		return "a string"
	case listNode:
		return "a list"
	}
	return "a mapping"
}

// node is a value of a document with its place; YAML and JSON become the same tree.
type node struct {
	kind      nodeKind
	line, col int32
	text      string  // of a string; of a number as JSON writes it; "true", "false"
	items     []*node // a list's items, a mapping's values
	keys      []*node // a mapping's keys, strings in the file's order
}

func (n *node) get(key string) *node {
	for i, k := range n.keys {
		if k.text == key {
			return n.items[i]
		}
	}
	return nil
}

// names returns a mapping's keys.
func (n *node) names() []string {
	names := make([]string, len(n.keys))
	for i, k := range n.keys {
		names[i] = k.text
	}
	return names
}

// show describes the node in a message: its value when it is short, else its kind.
func (n *node) show() string {
	switch n.kind {
	case nullNode:
		return "null"
	case boolNode, numberNode:
		return clip(n.text, 40)
	case stringNode:
		return quote(n.text)
	case listNode:
		if len(n.items) == 0 {
			return "an empty list"
		}
	}
	return n.kind.String()
}

// value returns the node as a JSON value (see the package comment).
func (n *node) value() any {
	switch n.kind {
	case boolNode:
		return n.text == "true"
	case numberNode:
		return json.Number(n.text)
	case stringNode:
		return n.text
	case listNode:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = item.value()
		}
		return list
	case mapNode:
		o := &Object{members: make([]Member, 0, len(n.keys))}
		for i, k := range n.keys {
			o.Set(k.text, n.items[i].value())
		}
		return o
	}
	return nil
}

// readDocument reads YAML or JSON. It returns nil when r has got a problem.
func readDocument(r *report, data []byte) *node {
	if len(data) > MaxFile {
		r.add(nil, "Split it into several files.", "the file has %d bytes; at most %d are read", len(data), MaxFile)
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
		line, col := place(data, bad)
		r.addAt(Position{r.file, line, col}, "Save the file as UTF-8.", "the text is not UTF-8")
		return nil
	}
	if crowded(data) {
		r.addAt(Position{r.file, 1, 1}, "Split the file.", "the document has more than "+maxNodesText+" values")
		return nil
	}
	if isJSON(r.file, data) {
		return readJSON(r, data)
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

// place returns the line and column (in characters, from 1) of a byte.
func place(data []byte, offset int) (line, col int) {
	offset = max(0, min(offset, len(data)))
	before := data[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// keySet finds duplicate keys; a map is made only for large mappings.
type keySet struct {
	many map[string]*node
}

// add returns the earlier key of the same text, if there is one. The keys
// before it are those that were added and kept.
func (s *keySet) add(before []*node, key *node) *node {
	if s.many == nil {
		for _, k := range before {
			if k.text == key.text {
				return k
			}
		}
		if len(before) >= 16 {
			s.many = make(map[string]*node, 64)
			for _, k := range before {
				s.many[k.text] = k
			}
			s.many[key.text] = key
		}
		return nil
	}
	if k := s.many[key.text]; k != nil {
		return k
	}
	s.many[key.text] = key
	return nil
}

// yamlReader turns YAML's nodes into ours: JSON's types only, aliases written out, bounded.
type yamlReader struct {
	r     *report
	nodes int
	open  map[*yaml.Node]bool // anchors being written out, to find one inside of itself
	slab  []node              // from which nodes are taken, since there are many
}

func (y *yamlReader) new(kind nodeKind, at *yaml.Node) *node {
	if len(y.slab) == 0 {
		y.slab = make([]node, min(512, 16+y.nodes))
	}
	n := &y.slab[0]
	y.slab = y.slab[1:]
	n.kind, n.line, n.col = kind, int32(at.Line), int32(at.Column)
	return n
}

func readYAML(r *report, data []byte) *node {
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		r.yamlError(err)
		return nil
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		r.addAt(Position{r.file, 1, 1}, "", "the file is empty")
		return nil
	}
	y := &yamlReader{r: r, open: map[*yaml.Node]bool{}}
	n := y.node(doc.Content[0], 0)
	if len(r.list) > 0 {
		return nil
	}
	return n
}

func (r *report) yamlError(err error) {
	var one *yaml.LoadError
	if !errors.As(err, &one) {
		r.add(nil, "", "not YAML: %v", err)
		return
	}
	what := strings.TrimPrefix(one.Message, "yaml: ")
	switch what {
	case "no documents in stream":
		r.addAt(Position{r.file, 1, 1}, "", "the file is empty")
		return
	case "expected single document, found multiple":
		r.addAt(Position{r.file, 1, 1}, "Split it into several files.", "the file has several YAML documents")
		return
	}
	if one.ContextMsg != "" {
		what += " " + one.ContextMsg
	}
	r.addAt(Position{r.file, one.Mark.Line, one.Mark.Column}, "", "not YAML: %s", what)
}

func (y *yamlReader) bad(n *yaml.Node, remedy, format string, args ...any) *node {
	y.r.addAt(Position{y.r.file, n.Line, n.Column}, remedy, format, args...)
	return nil
}

func (y *yamlReader) node(n *yaml.Node, depth int) *node {
	if y.r.full() {
		return nil
	}
	if y.nodes++; y.nodes > maxNodes {
		if y.nodes == maxNodes+1 {
			y.bad(n, "Use fewer aliases, or split the file.", "the document has more than "+maxNodesText+" values with its aliases written out")
		}
		return nil
	}
	if depth > MaxDepth {
		return y.bad(n, "", "%s", tooDeep())
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return y.scalar(n)
	case yaml.SequenceNode:
		out := y.new(listNode, n)
		out.items = make([]*node, 0, len(n.Content))
		for _, item := range n.Content {
			if c := y.node(item, depth+1); c != nil {
				out.items = append(out.items, c)
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

func (y *yamlReader) mapping(n *yaml.Node, depth int) *node {
	out := y.new(mapNode, n)
	both := make([]*node, len(n.Content))
	out.keys, out.items = both[:0:len(both)/2], both[len(both)/2:len(both)/2]
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
		key := y.new(stringNode, k)
		key.text = k.Value
		if first := seen.add(out.keys, key); first != nil {
			y.bad(k, "Remove one of them.", "the key %s stands twice; first on line %d", quote(key.text), first.line)
			continue
		}
		if v := y.node(n.Content[i+1], depth+1); v != nil {
			out.keys, out.items = append(out.keys, key), append(out.items, v)
		}
	}
	return out
}

// scalar resolves a plain scalar as JSON would write it. YAML's other ways of
// writing numbers (octal, "1_000", ".inf") are refused, since readers of the
// file do not agree on what they are.
func (y *yamlReader) scalar(n *yaml.Node) *node {
	out := y.new(stringNode, n)
	out.text = n.Value
	if n.Style&yaml.TaggedStyle != 0 {
		return y.bad(n, "Remove the tag.", "YAML tags (%s) are not supported", n.Tag)
	}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return out
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		out.kind, out.text = nullNode, ""
		return out
	case "true", "True", "TRUE":
		out.kind, out.text = boolNode, "true"
		return out
	case "false", "False", "FALSE":
		out.kind, out.text = boolNode, "false"
		return out
	}
	if c := n.Value[0]; c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') {
		return out
	}
	if isNumber(n.Value) {
		if _, ok := parseDecimal(n.Value); !ok {
			return y.bad(n, "", "%s", outOfBounds())
		}
		out.kind = numberNode
		return out
	}
	if tag := n.ShortTag(); tag == "!!int" || tag == "!!float" {
		return y.bad(n, "Write a number as in JSON, or put a string into quotes.", "%s is ambiguous: some read it as a number", quote(n.Value))
	}
	return out
}
