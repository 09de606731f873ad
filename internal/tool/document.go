package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
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

	maxNodes = 1_000_000 // of a document with its aliases written out
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
	if isJSON(r.file, data) {
		return readJSON(r, data)
	}
	return readYAML(r, data)
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

// jsonReader builds nodes from the tokens of encoding/json, whose offsets give the places.
type jsonReader struct {
	r    *report
	data []byte
	dec  *json.Decoder
	last int // the byte up to which lines are counted
	line int
	col  int
}

func readJSON(r *report, data []byte) *node {
	if !utf8.Valid(data) {
		r.add(nil, "Write it as UTF-8.", "the text is not UTF-8")
		return nil
	}
	j := &jsonReader{r: r, data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1, col: 1}
	j.dec.UseNumber()
	n := j.value(0)
	if n == nil {
		return nil
	}
	if _, err := j.dec.Token(); err != io.EOF {
		line, col := place(data, int(j.dec.InputOffset()))
		r.addAt(Position{r.file, line, col}, "", "there is something after the end of the value")
		return nil
	}
	return n
}

// token returns the next token and a node at its place, or nil after a problem.
func (j *jsonReader) token() (json.Token, *node) {
	at := int(j.dec.InputOffset())
	for at < len(j.data) && strings.IndexByte(" \t\r\n,:", j.data[at]) >= 0 {
		at++
	}
	for _, c := range string(j.data[j.last:max(at, j.last)]) {
		j.col++
		if c == '\n' {
			j.line, j.col = j.line+1, 1
		}
	}
	j.last = max(at, j.last)
	tok, err := j.dec.Token()
	if err == nil {
		return tok, &node{line: int32(j.line), col: int32(j.col)}
	}
	pos, what := Position{j.r.file, j.line, j.col}, "the JSON text ends too early"
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && !errors.Is(err, io.ErrUnexpectedEOF) {
		pos.Line, pos.Column = place(j.data, int(syntax.Offset)-1)
		what = "not JSON: " + syntax.Error()
	} else if err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		what = "not JSON: " + err.Error()
	}
	j.r.addAt(pos, "", "%s", what)
	return nil, nil
}

func (j *jsonReader) value(depth int) *node {
	tok, n := j.token()
	if n == nil {
		return nil
	}
	if depth > MaxDepth {
		j.r.add(n, "", "nesting is deeper than %d", MaxDepth)
		return nil
	}
	switch t := tok.(type) {
	case nil:
		n.kind = nullNode
	case bool:
		n.kind, n.text = boolNode, "false"
		if t {
			n.text = "true"
		}
	case json.Number:
		n.kind, n.text = numberNode, string(t)
		if _, ok := parseDecimal(n.text); !ok {
			j.r.add(n, "", "the number is out of bounds (%d digits, exponent %d)", maxDigits, maxExponent)
			return nil
		}
	case string:
		n.kind, n.text = stringNode, t
	case json.Delim:
		if t == '[' {
			return j.list(n, depth)
		}
		return j.object(n, depth)
	}
	return n
}

func (j *jsonReader) list(n *node, depth int) *node {
	n.kind = listNode
	for j.dec.More() {
		item := j.value(depth + 1)
		if item == nil {
			return nil
		}
		n.items = append(n.items, item)
	}
	if _, end := j.token(); end == nil {
		return nil
	}
	return n
}

func (j *jsonReader) object(n *node, depth int) *node {
	n.kind = mapNode
	seen := keySet{}
	for j.dec.More() {
		tok, key := j.token()
		if key == nil {
			return nil
		}
		key.kind = stringNode
		key.text, _ = tok.(string)
		if first := seen.add(key); first != nil {
			j.r.add(key, "Remove one of them.", "the name %s stands twice; first on line %d", quote(key.text), first.line)
			return nil
		}
		v := j.value(depth + 1)
		if v == nil {
			return nil
		}
		n.keys, n.items = append(n.keys, key), append(n.items, v)
	}
	if _, end := j.token(); end == nil {
		return nil
	}
	return n
}

// keySet finds duplicate keys; a map is made only for large mappings.
type keySet struct {
	few  []*node
	many map[string]*node
}

// add returns the earlier key of the same text, if there is one.
func (s *keySet) add(key *node) *node {
	if s.many == nil {
		for _, k := range s.few {
			if k.text == key.text {
				return k
			}
		}
		if s.few = append(s.few, key); len(s.few) > 16 {
			s.many = make(map[string]*node, 64)
			for _, k := range s.few {
				s.many[k.text] = k
			}
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
			y.bad(n, "Use fewer aliases, or split the file.", "the document has more than %d values with its aliases written out", maxNodes)
		}
		return nil
	}
	if depth > MaxDepth {
		return y.bad(n, "", "nesting is deeper than %d", MaxDepth)
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return y.scalar(n)
	case yaml.SequenceNode:
		out := &node{kind: listNode, line: int32(n.Line), col: int32(n.Column)}
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
	out := &node{kind: mapNode, line: int32(n.Line), col: int32(n.Column)}
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
		key := &node{kind: stringNode, line: int32(k.Line), col: int32(k.Column), text: k.Value}
		if first := seen.add(key); first != nil {
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
	out := &node{kind: stringNode, line: int32(n.Line), col: int32(n.Column), text: n.Value}
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
			return y.bad(n, "", "the number is out of bounds (%d digits, exponent %d)", maxDigits, maxExponent)
		}
		out.kind = numberNode
		return out
	}
	if tag := n.ShortTag(); tag == "!!int" || tag == "!!float" {
		return y.bad(n, "Write a number as in JSON, or put a string into quotes.", "%s is ambiguous: some read it as a number", quote(n.Value))
	}
	return out
}
