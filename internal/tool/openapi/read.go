package openapi

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

const (
	// MaxDocument is the greatest size of a document in bytes.
	MaxDocument = 16 << 20

	maxNodes = 1_000_000 // of a document with its aliases written out
	maxDepth = 100       // so that what is made of it stays below tool.MaxDepth
)

func invalid(remedy, format string, args ...any) error {
	return fault.New(fault.Invalid, remedy, "cannot import the OpenAPI document: "+format, args...)
}

// read makes one tree of a document, JSON or YAML, with the order of its members.
func read(data []byte) (*jsondoc.Object, error) {
	if len(data) > MaxDocument {
		return nil, invalid("Leave out the parts that are not needed.", "it has %d bytes; at most %d are read", len(data), MaxDocument)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return nil, invalid("Save it as UTF-8.", "it is not UTF-8")
	}
	marks := 0
	for _, mark := range []string{",", "[", "{", "\n"} {
		marks += bytes.Count(data, []byte(mark))
	}
	var v any
	var err error
	if marks > 2*maxNodes {
		err = tooMany()
	} else if first := bytes.TrimLeft(data, " \t\r\n"); len(first) > 0 && first[0] == '{' && json.Valid(data) {
		v, err = jsondoc.Decode(data)
		if err == nil && !shallow(v, 0) {
			err = tooDeep()
		}
	} else {
		v, err = readYAML(data)
	}
	if err != nil {
		return nil, invalid(fault.RemedyOf(err), "%w", err)
	}
	o, ok := v.(*jsondoc.Object)
	if !ok {
		return nil, invalid("", "it is not a mapping")
	}
	return o, nil
}

func tooMany() error {
	return fault.New(fault.Invalid, "Leave out the parts that are not needed.", "it has more than %d values", maxNodes)
}

func tooDeep() error {
	return fault.New(fault.Invalid, "", "nesting is deeper than %d", maxDepth)
}

func shallow(v any, depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if !shallow(item, depth+1) {
				return false
			}
		}
	case *jsondoc.Object:
		for _, member := range v.All() {
			if !shallow(member, depth+1) {
				return false
			}
		}
	}
	return true
}

func readYAML(data []byte) (any, error) {
	var doc yaml.Node
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fault.New(fault.Invalid, "", "it is empty")
	}
	if err := yaml.Load(data, &doc); err != nil {
		return nil, fault.New(fault.Invalid, "", "it is neither JSON nor YAML: %s", safetext.OneLine(err.Error(), 300))
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, fault.New(fault.Invalid, "", "it is empty")
	}
	y := &yamlReader{open: map[*yaml.Node]bool{}}
	return y.value(doc.Content[0], 0)
}

// yamlReader writes aliases out, within bounds.
type yamlReader struct {
	nodes int
	open  map[*yaml.Node]bool
}

func (y *yamlReader) value(n *yaml.Node, depth int) (any, error) {
	if y.nodes++; y.nodes > maxNodes {
		return nil, tooMany()
	}
	if depth > maxDepth {
		return nil, tooDeep()
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return scalar(n), nil
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			v, err := y.value(item, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.MappingNode:
		o := jsondoc.NewObject()
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			if k.Kind != yaml.ScalarNode {
				return nil, fault.New(fault.Invalid, "", "line %d: a key has to be a plain string", k.Line)
			}
			if _, twice := o.Get(k.Value); twice {
				return nil, fault.New(fault.Invalid, "Remove one of them.", "line %d: the key %q stands twice", k.Line, safetext.OneLine(k.Value, 80))
			}
			v, err := y.value(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			if inner, ok := v.(*jsondoc.Object); ok && k.Value == "<<" && k.Style == 0 {
				for name, member := range inner.All() {
					if _, own := o.Get(name); !own {
						o.Set(name, member)
					}
				}
				continue
			}
			o.Set(k.Value, v)
		}
		return o, nil
	case yaml.AliasNode:
		if n.Alias == nil || y.open[n.Alias] {
			return nil, fault.New(fault.Invalid, "", "line %d: the alias *%s stands inside of what it names", n.Line, safetext.OneLine(n.Value, 80))
		}
		y.open[n.Alias] = true
		defer delete(y.open, n.Alias)
		return y.value(n.Alias, depth+1)
	}
	return nil, fault.New(fault.Invalid, "", "line %d: this cannot stand here", n.Line)
}

// scalar reads what JSON has; all else of YAML's is a string.
func scalar(n *yaml.Node) any {
	if n.Style&^yaml.TaggedStyle != 0 {
		return n.Value
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		return nil
	case "true", "True", "TRUE":
		return true
	case "false", "False", "FALSE":
		return false
	}
	if c := n.Value[0]; c == '-' || c >= '0' && c <= '9' {
		if v, err := jsondoc.Decode([]byte(n.Value)); err == nil {
			return v
		}
	}
	return n.Value
}

// The document is read as it comes: what has another type than it should counts
// as not being there.

func get(v any, name string) any {
	if o, ok := v.(*jsondoc.Object); ok && o != nil {
		member, _ := o.Get(name)
		return member
	}
	return nil
}

func object(v any) *jsondoc.Object {
	if o, ok := v.(*jsondoc.Object); ok && o != nil {
		return o
	}
	return &jsondoc.Object{}
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func str(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number: // version: 1.0
		return string(v)
	}
	return ""
}

func truth(v any) bool {
	b, _ := v.(bool)
	return b
}

// words takes a name apart: at what is no letter or digit, and where small
// letters turn into capitals.
func words(s string) []string {
	var out []string
	var word []byte
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = nil
		}
	}
	for i := 0; i < len(s) && i < 1000; i++ {
		c := s[i]
		upper := c >= 'A' && c <= 'Z'
		digit := c >= '0' && c <= '9'
		lower := c >= 'a' && c <= 'z'
		if !upper && !lower && !digit {
			flush()
			continue
		}
		if upper && i > 0 {
			before := s[i-1]
			next := i+1 < len(s) && s[i+1] >= 'a' && s[i+1] <= 'z'
			if before >= 'a' && before <= 'z' || before >= '0' && before <= '9' || before >= 'A' && before <= 'Z' && next {
				flush()
			}
		}
		word = append(word, c)
	}
	flush()
	return out
}

// snake makes an identifier of a name, "" when nothing is left.
func snake(s string) string {
	return identifier(strings.Join(words(s), "_"))
}

// identifier makes of letters, digits and underscores what plans can call.
func identifier(s string) string {
	if len(s) > 60 {
		s = strings.TrimRight(s[:60], "_")
	}
	switch {
	case s == "":
		return ""
	case s[0] >= '0' && s[0] <= '9':
		s = "n" + s
	case tool.IsKeyword(s):
		s += "_"
	}
	return s
}

// isIdentifier reports whether a name can stay as it is.
func isIdentifier(s string) bool {
	if s == "" || len(s) > 60 || strings.HasPrefix(s, "__") || tool.IsKeyword(s) || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && !(r >= 'a' && r <= 'z') && !(r >= 'A' && r <= 'Z') && !(r >= '0' && r <= '9')
	})
}

// free returns name, or name_2, name_3, …, whichever is not taken, and takes it.
func free(taken map[string]bool, name string) string {
	out := name
	for i := 2; taken[out]; i++ {
		out = name + "_" + strconv.Itoa(i)
	}
	taken[out] = true
	return out
}
