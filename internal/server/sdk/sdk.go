// Package sdk writes the parts of the Python and the JavaScript client that follow from the
// OpenAPI document of the server: the types, and a function for each operation. What people use
// above them is written by hand, in the folder clients.
//
// It reads what package rest writes and nothing else of OpenAPI: what it does not know is an
// error, so that nothing is left out of a client without a word.
package sdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Files returns the generated files by their names below the folder clients.
func Files(document []byte) (map[string][]byte, error) {
	d, err := read(document)
	if err != nil {
		return nil, fmt.Errorf("cannot write the clients: %w", err)
	}
	return map[string][]byte{
		"python/src/praxis_client/types.py":       pythonTypes(d),
		"python/src/praxis_client/_operations.py": pythonOperations(d),
		"javascript/operations.js":                javaScriptTable(d),
		"javascript/operations.d.ts":              javaScriptTypes(d),
	}, nil
}

// schema is a JSON Schema, as far as the document has them.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        any                `json:"type"` // a name, or a name and "null"
	Const       string             `json:"const"`
	Enum        []string           `json:"enum"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Items       *schema            `json:"items"`
	Values      *schema            `json:"additionalProperties"`
	AnyOf       []*schema          `json:"anyOf"`
	OneOf       []*schema          `json:"oneOf"`
	Description string             `json:"description"`
}

// ref is the name of the component that a schema refers to, "" for others.
func (s *schema) ref() string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

// kind is the type of a schema, and whether it may be null instead.
func (s *schema) kind() (name string, null bool) {
	switch t := s.Type.(type) {
	case string:
		return t, false
	case []any:
		if len(t) > 0 {
			name, _ = t[0].(string)
		}
		return name, len(t) > 1
	}
	return "", false
}

// member is a field of an object, or a parameter of an operation.
type member struct {
	name     string
	required bool
	*schema
}

// members are the fields of an object, those that must be there first.
func (s *schema) members() []member {
	var out []member
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		out = append(out, member{name, slices.Contains(s.Required, name), s.Properties[name]})
	}
	return requiredFirst(out)
}

// requiredFirst are members in their order, those that must be there before the others.
func requiredFirst(members []member) []member {
	var first, others []member
	for _, m := range members {
		if m.required {
			first = append(first, m)
		} else {
			others = append(others, m)
		}
	}
	return append(first, others...)
}

// kind says how an operation is called.
type kind string

// The kinds, by the names that the JavaScript client knows them by.
const (
	plain    kind = "json"
	events   kind = "events"   // it answers with events where that is asked for
	follow   kind = "follow"   // it answers with events, those after one as well
	watch    kind = "watch"    // it answers with events from then on
	upload   kind = "upload"   // it is sent bytes
	download kind = "download" // it answers with bytes
)

// operation is one operation of the document.
type operation struct {
	group, name          string
	method, path         string
	summary, scope       string
	kind                 kind
	inPath, query, inner []member // inner: of the body
	body                 string   // the component that the body is
	result               *schema  // nil: there is none; of events, of their end
	event                string   // the component that each event is
}

// document is what the clients are made from.
type document struct {
	schemas    map[string]*schema
	operations []operation // by group and name
}

// raw is the document as it is written.
type raw struct {
	Paths      map[string]map[string]rawOperation `json:"paths"`
	Components struct {
		Schemas map[string]*schema `json:"schemas"`
	} `json:"components"`
}

type media struct {
	Schema *schema `json:"schema"`
	Event  *schema `json:"x-item-schema"`
	End    *schema `json:"x-end-schema"`
}

type rawOperation struct {
	ID         string `json:"operationId"`
	Summary    string `json:"summary"`
	Scope      string `json:"x-scope"`
	Parameters []struct {
		Ref         string  `json:"$ref"`
		Name        string  `json:"name"`
		In          string  `json:"in"`
		Required    bool    `json:"required"`
		Description string  `json:"description"`
		Schema      *schema `json:"schema"`
	} `json:"parameters"`
	Body struct {
		Content map[string]media `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]media `json:"content"`
	} `json:"responses"`
}

const (
	lastEventID = "#/components/parameters/LastEventID"

	jsonType   = "application/json"
	bytesType  = "application/octet-stream"
	eventsType = "text/event-stream"
)

func read(text []byte) (*document, error) {
	var from raw
	if err := json.Unmarshal(text, &from); err != nil {
		return nil, fmt.Errorf("the document is not read: %w", err)
	}
	d := &document{schemas: from.Components.Schemas}
	for name, s := range d.schemas {
		if err := d.check(name, s); err != nil {
			return nil, err
		}
	}
	if d.schemas["Event"] == nil {
		return nil, errors.New("the events are not described")
	}
	for path, methods := range from.Paths {
		for method, o := range methods {
			if _, socket := o.Responses["101"]; socket {
				continue // a WebSocket, which the standard library of Python does not speak
			}
			out, err := d.operation(strings.ToUpper(method), path, o)
			if err != nil {
				return nil, fmt.Errorf("operation %s: %w", o.ID, err)
			}
			d.operations = append(d.operations, out)
		}
	}
	slices.SortFunc(d.operations, func(a, b operation) int { return strings.Compare(a.group+"."+a.name, b.group+"."+b.name) })
	return d, nil
}

// identifier is what can be a name in both languages.
var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,99}$`)

// check says what of a schema cannot be written as a type, and of those in it.
func (d *document) check(of string, s *schema) error {
	if !identifier.MatchString(of) {
		return fmt.Errorf("%q cannot be a name", of)
	}
	if s == nil {
		return fmt.Errorf("%s is not described", of)
	}
	if r := s.ref(); r != "" && d.schemas[r] == nil {
		return fmt.Errorf("%s refers to %q, which is not there", of, r)
	}
	kind, _ := s.kind()
	if !slices.Contains([]string{"", "string", "integer", "number", "boolean", "array", "object", "null"}, kind) {
		return fmt.Errorf("%s is of the type %q", of, kind)
	}
	inside := slices.Concat(s.AnyOf, s.OneOf)
	if kind == "array" {
		inside = append(inside, s.Items)
	}
	if s.Values != nil {
		inside = append(inside, s.Values)
	}
	for _, one := range s.OneOf {
		if one == nil || one.Properties["event"] == nil || one.Properties["data"] == nil || !identifier.MatchString(one.Properties["event"].Const) || one.Properties["data"].ref() == "" {
			return fmt.Errorf("an event of %s has no name or no data", of)
		}
	}
	for _, one := range inside {
		if err := d.check(of, one); err != nil {
			return err
		}
	}
	for _, m := range s.members() {
		if err := d.check(m.name, m.schema); err != nil {
			return fmt.Errorf("%s: %w", of, err)
		}
	}
	return nil
}

func (d *document) operation(method, path string, o rawOperation) (operation, error) {
	out := operation{method: method, path: path, summary: o.Summary, scope: o.Scope, kind: plain}
	var ok bool
	if out.group, out.name, ok = strings.Cut(o.ID, "."); !ok || !identifier.MatchString(out.group) || !identifier.MatchString(out.name) {
		return out, errors.New("its name is not like group.verb")
	}
	resumes := false
	for _, p := range o.Parameters {
		if p.Ref == lastEventID {
			resumes = true // the clients send it by themselves
			continue
		}
		if err := d.check(p.Name, p.Schema); err != nil {
			return out, err
		}
		m := member{p.Name, p.Required, p.Schema}
		m.Description = p.Description
		switch {
		case p.In == "path":
			out.inPath = append(out.inPath, m)
		case p.In == "query":
			out.query = append(out.query, m)
		default:
			return out, fmt.Errorf("parameter %s stands in %q", p.Name, p.In)
		}
	}
	for mime, m := range o.Body.Content {
		switch mime {
		case bytesType:
			out.kind = upload
		case jsonType:
			if m.Schema == nil || m.Schema.ref() == "" || d.schemas[m.Schema.ref()] == nil {
				return out, errors.New("its body is no component")
			}
			out.body = m.Schema.ref()
			out.inner = d.schemas[out.body].members()
		default:
			return out, fmt.Errorf("its body is %s", mime)
		}
	}
	for status, r := range o.Responses {
		if status == "default" {
			continue
		}
		if err := out.answer(r.Content); err != nil {
			return out, err
		}
		if out.kind == watch && resumes {
			out.kind = follow
		}
		if out.event != "" && len(d.schemas[out.event].lists()) == 0 {
			return out, fmt.Errorf("its events are %q, which is no list of them", out.event)
		}
		if out.result != nil {
			if err := d.check(out.name, out.result); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// answer takes over what an operation answers with.
func (o *operation) answer(content map[string]media) error {
	_, whole := content[jsonType]
	for mime, m := range content {
		switch mime {
		case jsonType:
			o.result = m.Schema
		case bytesType:
			o.kind = download
		case eventsType:
			if o.kind = watch; whole {
				o.kind = events
			}
			if o.result = m.End; m.Event == nil || m.Event.ref() == "" {
				return errors.New("its events are not described")
			}
			o.event = m.Event.ref()
		default:
			return fmt.Errorf("it answers with %s", mime)
		}
	}
	return nil
}

// without are the members whose names are not those.
func without(members []member, names ...string) []member {
	return slices.DeleteFunc(slices.Clone(members), func(m member) bool { return slices.Contains(names, m.name) })
}

// groups are the groups of the operations, in order.
func (d *document) groups() []string {
	var out []string
	for _, o := range d.operations {
		out = append(out, o.group)
	}
	return slices.Compact(out)
}

// of are the operations of a group.
func (d *document) of(group string) []operation {
	return slices.DeleteFunc(slices.Clone(d.operations), func(o operation) bool { return o.group != group })
}

// named are the components that are types of their own, in order, and those that are lists of
// events.
func (d *document) named() (types, lists []string) {
	for _, name := range slices.Sorted(maps.Keys(d.schemas)) {
		if len(d.schemas[name].OneOf) > 0 {
			lists = append(lists, name)
		} else {
			types = append(types, name)
		}
	}
	return types, lists
}

// lists are the names of events and the components of their data, in the order of the
// vocabulary.
func (s *schema) lists() (out []struct{ name, data string }) {
	if s == nil {
		return nil
	}
	for _, one := range s.OneOf {
		out = append(out, struct{ name, data string }{one.Properties["event"].Const, one.Properties["data"].ref()})
	}
	return out
}
