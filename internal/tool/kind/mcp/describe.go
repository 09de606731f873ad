package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

const (
	maxTitle       = 200
	maxDescription = 8_000
	maxToolName    = 256
)

// described is a tool as its server describes it now.
type described struct {
	original string // its name at the server
	hash     string // of the description, in hexadecimal
	object   *jsondoc.Object
}

// describe reads one tool of a list.
func describe(raw []byte) (*described, error) {
	v, err := jsondoc.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("cannot read its description: %v", err)
	}
	o, ok := v.(*jsondoc.Object)
	if !ok {
		return nil, errors.New("its description is no object")
	}
	d := &described{original: text(o, "name"), object: o}
	if d.original == "" || len(d.original) > maxToolName {
		return nil, fmt.Errorf("expected a name of 1 to %d bytes", maxToolName)
	}
	// What says what the tool is. Icons and other metadata may change.
	meaning := jsondoc.NewObject()
	for _, key := range []string{"name", "title", "description", "inputSchema", "outputSchema", "annotations"} {
		if v, ok := o.Get(key); ok {
			meaning.Set(key, v)
		}
	}
	if label, ok := get(o, "_meta", "ifc"); ok {
		meaning.Set("ifc", label)
	}
	canonical, err := jsondoc.Canonical(meaning)
	if err != nil {
		return nil, fmt.Errorf("cannot read its description: %v", err)
	}
	sum := sha256.Sum256(canonical)
	d.hash = hex.EncodeToString(sum[:])
	return d, nil
}

// local is the tool's name here, without the namespace.
func (d *described) local() string {
	return tool.Identifier(strings.Map(func(r rune) rune {
		if r < 0x80 {
			return r
		}
		return '_'
	}, d.original))
}

// document is the tool in the form of one in a file. The problem, if there is one,
// says what was left out of it.
func (d *described) document(s *settings, server, version string) (doc *jsondoc.Object, problem string, err error) {
	o, local := d.object, d.local()
	input, ok := o.Get("inputSchema")
	if _, isObject := input.(*jsondoc.Object); !ok || !isObject {
		return nil, "", errors.New("it has no input schema")
	}
	if support, _ := get(o, "execution", "taskSupport"); support == "required" {
		return nil, "", errors.New("it only runs as a task, which is not supported")
	}
	notes := annotationsOf(o)
	doc = jsondoc.NewObject(
		jsondoc.Member{Name: "name", Value: s.Namespace + "." + local},
		jsondoc.Member{Name: "version", Value: d.version(s, version)},
	)
	title := text(o, "title")
	if title == "" {
		title = notes.title
	}
	if title = strings.TrimSpace(safetext.OneLine(title, maxTitle-4)); title != "" {
		doc.Set("title", title)
	}
	if about := lines(text(o, "description"), maxDescription); about != "" {
		doc.Set("description", about)
	}
	effects := notes.effects(s)
	if chosen, ok := find(s.effects, d.original, local); ok {
		effects = chosen
	}
	doc.Set("effects", effects.String())
	doc.Set("input", input)
	label := readLabel(o)
	labels := jsondoc.NewObject(jsondoc.Member{Name: "trusted", Value: s.Trusted && !label.untrusted})
	if effects == tool.Pure && label.readers != nil {
		labels.Set("readers", tool.Me) // the results of others are the user's anyway
	}
	doc.Set("labels", labels)
	if notes.idempotent && (s.Hints == nil || *s.Hints) {
		doc.Set("idempotent", true)
	}
	if needs, ok := find(s.approval, d.original, local); ok {
		doc.Set("approval", needs)
	}
	doc.Set("x-mcp", jsondoc.NewObject(
		jsondoc.Member{Name: "server", Value: server},
		jsondoc.Member{Name: "tool", Value: d.original},
		jsondoc.Member{Name: "description", Value: "sha256:" + d.hash},
	))
	if err := check(doc); err != nil {
		return nil, "", err
	}
	doc.Set("output", textOrBlocks())
	if output, ok := d.output(); ok {
		doc.Set("output", output)
		if err := check(doc); err != nil {
			doc.Set("output", jsondoc.NewObject())
			problem = "its output schema does not count: " + err.Error()
		}
	}
	return doc, problem, nil
}

// output is the schema of the structured content, if there is one.
func (d *described) output() (any, bool) {
	v, ok := d.object.Get("outputSchema")
	return v, ok && v != nil
}

// version is the settings', else the server's, else made from the description.
func (d *described) version(s *settings, server string) string {
	if s.Version != "" {
		return s.Version
	}
	if v, err := tool.ParseVersion(server); err == nil && len(server) <= 64 {
		return string(v)
	}
	return "0.0.0+h" + d.hash[:12]
}

// check reads a document as the registry will.
func check(doc *jsondoc.Object) error {
	_, err := toolfile.Define("tool", doc)
	var problems jsondoc.Problems
	if errors.As(err, &problems) && len(problems) > 0 {
		return errors.New(problems[0].What)
	}
	return err
}

// textOrBlocks is the schema of a result that the server says nothing of.
func textOrBlocks() *jsondoc.Object {
	v, err := jsondoc.Decode([]byte(`{
		"description": "The text of the result, or its blocks when there is more than text.",
		"anyOf": [
			{"type": "string"},
			{"type": "object", "required": ["content"], "properties": {
				"content": {"type": "array", "items": {"type": "object"}, "description": "The blocks: text, image, audio, resource or resource_link."},
				"structured": {"description": "What the tool sent beside them, if it did."}
			}}
		]}`))
	if err != nil {
		panic(err) // the text above is wrong
	}
	o, _ := v.(*jsondoc.Object)
	return o
}

// annotations are the hints of a server on one tool.
type annotations struct {
	title                                        string
	readOnly, destructive, openWorld, idempotent bool
}

func annotationsOf(o *jsondoc.Object) annotations {
	flag := func(name string) bool {
		v, _ := get(o, "annotations", name)
		return v == true
	}
	title, _ := get(o, "annotations", "title")
	a := annotations{readOnly: flag("readOnlyHint"), destructive: flag("destructiveHint"), openWorld: flag("openWorldHint"), idempotent: flag("idempotentHint")}
	a.title, _ = title.(string)
	return a
}

// effects are what the hints say. One that is missing or that no boolean is, and
// hints that contradict each other, never make a tool more harmless than write.
func (a annotations) effects(s *settings) tool.Effects {
	switch {
	case a.destructive:
		return tool.External
	case a.readOnly && (s.Hints == nil || *s.Hints):
		return tool.Read
	case a.openWorld:
		return tool.External
	}
	return tool.Write
}

// get follows names into an object.
func get(o *jsondoc.Object, names ...string) (any, bool) {
	var v any = o
	for _, name := range names {
		inner, ok := v.(*jsondoc.Object)
		if !ok || inner == nil {
			return nil, false
		}
		if v, ok = inner.Get(name); !ok {
			return nil, false
		}
	}
	return v, true
}

func text(o *jsondoc.Object, name string) string {
	v, _ := o.Get(name)
	s, _ := v.(string)
	return s
}

// lines is a text of several lines with nothing hidden in it, shortened.
func lines(s string, n int) string {
	return strings.TrimSpace(safetext.Text(safetext.Clip(strings.ReplaceAll(s, "\r\n", "\n"), n)))
}
