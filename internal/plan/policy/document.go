package policy

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

// The bounds of a file.
const (
	maxFile     = 1 << 20 // bytes
	maxDepth    = 64
	maxEntries  = 200_000 // values in a file
	maxProblems = 100
	maxText     = 2_000 // characters of a name, a reason or a remedy
)

type entryKind uint8

const (
	nullEntry entryKind = iota
	boolEntry
	numberEntry
	textEntry
	listEntry
	mapEntry
)

var entryNames = [...]string{"nothing", "a boolean", "a number", "a string", "a list", "a mapping"}

// entry is one value of the file with its place.
type entry struct {
	kind  entryKind
	pos   jsondoc.Position
	style yaml.Style
	text  string
	items []*entry // of a list, or the values of a mapping
	keys  []*entry // of a mapping
}

func (e *entry) get(key string) *entry {
	for i, k := range e.keys {
		if k.text == key {
			return e.items[i]
		}
	}
	return nil
}

// show says what an entry is, for messages.
func (e *entry) show() string {
	switch e.kind {
	case boolEntry, numberEntry:
		return e.text
	case textEntry:
		return safetext.Quote(e.text)
	}
	return entryNames[e.kind]
}

// reader gathers the problems of one file.
type reader struct {
	file     string
	lines    []string
	problems jsondoc.Problems
	entries  int
}

func (r *reader) add(pos jsondoc.Position, remedy, format string, args ...any) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, jsondoc.Problem{Pos: pos, What: fmt.Sprintf(format, args...), Remedy: remedy})
	}
}

func (r *reader) start() jsondoc.Position { return jsondoc.Position{File: r.file, Line: 1, Column: 1} }

// fault returns the problems as one fault whose message is the first of them.
func (r *reader) fault() error {
	if len(r.problems) == 0 {
		return nil
	}
	first := r.problems[0]
	message := "cannot load the policy: " + first.Pos.String() + ": " + first.What
	if more := len(r.problems) - 1; more > 0 {
		message += fmt.Sprintf(" (and %d more)", more)
	}
	return &fault.Error{Kind: fault.Invalid, Message: message, Remedy: first.Remedy, Err: r.problems}
}

// read parses the file, or returns nil after a problem.
func (r *reader) read(data []byte) *entry {
	if len(data) > maxFile {
		r.add(jsondoc.Position{File: r.file}, "Split the policy, or move its tests into another file.", "the file has %d bytes; at most %d are read", len(data), maxFile)
		return nil
	}
	if !utf8.Valid(data) {
		r.add(r.start(), "Save the file as UTF-8.", "the text is not UTF-8")
		return nil
	}
	r.lines = strings.Split(string(data), "\n")
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		r.yamlError(err)
		return nil
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		r.add(r.start(), "Write version: 1 and rules.", "the file is empty")
		return nil
	}
	e := r.entry(doc.Content[0], 0)
	if len(r.problems) > 0 {
		return nil
	}
	return e
}

func (r *reader) yamlError(err error) {
	var one *yaml.LoadError
	if !errors.As(err, &one) {
		r.add(r.start(), "", "not YAML: %v", err)
		return
	}
	what := strings.TrimPrefix(one.Message, "yaml: ")
	switch what {
	case "no documents in stream":
		r.add(r.start(), "Write version: 1 and rules.", "the file is empty")
	case "expected single document, found multiple":
		r.add(r.start(), "Split it into several files.", "the file has several YAML documents")
	default:
		r.add(jsondoc.Position{File: r.file, Line: one.Mark.Line, Column: one.Mark.Column}, "", "not YAML: %s", what)
	}
}

func (r *reader) entry(n *yaml.Node, depth int) *entry {
	pos := jsondoc.Position{File: r.file, Line: n.Line, Column: n.Column}
	e := &entry{pos: pos, style: n.Style}
	r.entries++
	switch {
	case r.entries > maxEntries:
		if r.entries == maxEntries+1 {
			r.add(pos, "Split the policy.", "the file has more than %d values", maxEntries)
		}
		return e
	case depth > maxDepth:
		r.add(pos, "", "nesting is deeper than %d", maxDepth)
		return e
	case n.Style&yaml.TaggedStyle != 0:
		r.add(pos, "Remove the tag.", "YAML tags (%s) are not supported", safetext.Clip(n.Tag, 40))
		return e
	}
	switch n.Kind {
	case yaml.ScalarNode:
		r.scalar(e, n)
	case yaml.SequenceNode:
		e.kind = listEntry
		for _, item := range n.Content {
			e.items = append(e.items, r.entry(item, depth+1))
		}
	case yaml.MappingNode:
		r.mapping(e, n, depth)
	default:
		r.add(pos, "Write the value out, or name it: groups and conditions are there for that.", "YAML aliases (*%s) are not supported", safetext.Clip(n.Value, 40))
	}
	return e
}

func (r *reader) mapping(e *entry, n *yaml.Node, depth int) {
	e.kind = mapEntry
	seen := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		pos := jsondoc.Position{File: r.file, Line: k.Line, Column: k.Column}
		if k.Kind != yaml.ScalarNode {
			r.add(pos, "", "a key has to be a plain string")
			continue
		}
		if line, twice := seen[k.Value]; twice {
			r.add(pos, "Remove one of them.", "the key %s stands twice; first on line %d", safetext.Quote(k.Value), line)
			continue
		}
		seen[k.Value] = k.Line
		e.keys = append(e.keys, &entry{kind: textEntry, pos: pos, text: k.Value})
		e.items = append(e.items, r.entry(n.Content[i+1], depth+1))
	}
}

func (r *reader) scalar(e *entry, n *yaml.Node) {
	e.kind, e.text = textEntry, n.Value
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return
	}
	switch n.ShortTag() {
	case "!!null":
		e.kind, e.text = nullEntry, ""
	case "!!bool":
		e.kind, e.text = boolEntry, strings.ToLower(n.Value)
		if e.text != "true" && e.text != "false" {
			r.add(e.pos, "Write true or false, or put a string into quotes.", "%s is ambiguous", safetext.Quote(n.Value))
		}
	case "!!int", "!!float":
		e.kind = numberEntry
		if _, err := jsondoc.Decode([]byte(n.Value)); err != nil {
			r.add(e.pos, "Write a number as in JSON, or put a string into quotes.", "%s is ambiguous: some read it as a number", safetext.Quote(n.Value))
		}
	}
}

// value returns the entry as a JSON value of internal/tool.
func (e *entry) value() any {
	switch e.kind {
	case boolEntry:
		return e.text == "true"
	case numberEntry:
		v, err := jsondoc.Decode([]byte(e.text))
		if err != nil {
			return e.text
		}
		return v
	case textEntry:
		return e.text
	case listEntry:
		list := make([]any, len(e.items))
		for i, item := range e.items {
			list[i] = item.value()
		}
		return list
	case mapEntry:
		o := jsondoc.NewObject()
		for i, k := range e.keys {
			o.Set(k.text, e.items[i].value())
		}
		return o
	}
	return nil
}

// within returns the place of a line (from 1) and a column (from 0) of the text
// that a scalar holds. Quoting and folding can shift it; when the file has
// another character there, it is the place of the scalar.
func (r *reader) within(e *entry, line, col int) jsondoc.Position {
	pos := e.pos
	switch {
	case e.style&yaml.LiteralStyle != 0:
		pos.Line += line
		pos.Column = 1 + col + r.indent(e.pos.Line+1)
	case line == 1 && e.style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		pos.Column += col + 1
	case line == 1:
		pos.Column += col
	}
	if want, ok := runeAt(strings.Split(e.text, "\n"), line, col); !ok {
		return pos
	} else if got, ok := runeAt(r.lines, pos.Line, pos.Column-1); !ok || got != want {
		return e.pos
	}
	return pos
}

// indent counts the spaces before the first text from a line on.
func (r *reader) indent(line int) int {
	for ; line <= len(r.lines); line++ {
		text := r.lines[line-1]
		if spaces := len(text) - len(strings.TrimLeft(text, " ")); spaces < len(text) {
			return spaces
		}
	}
	return 0
}

func runeAt(lines []string, line, col int) (rune, bool) {
	if line < 1 || line > len(lines) {
		return 0, false
	}
	for _, c := range lines[line-1] {
		if col == 0 {
			return c, true
		}
		col--
	}
	return 0, false
}

// didYouMean returns a sentence that names the nearest candidate, lists them
// when they are few, or is empty.
func didYouMean(name string, candidates []string) string {
	if n := jsondoc.Nearest(name, candidates); n != "" {
		return "Did you mean " + n + "?"
	}
	if len(candidates) > 0 && len(candidates) <= 24 {
		return "Known are " + strings.Join(candidates, ", ") + "."
	}
	return ""
}
