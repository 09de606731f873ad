package rest

import (
	"encoding"
	"encoding/json"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
	"praxis/internal/server/live"
)

// object is an object of the document.
type object = map[string]any

// fixed are the schemas of types that are not written as their fields say.
func fixed() map[reflect.Type]object {
	return map[reflect.Type]object{
		reflect.TypeFor[time.Time]():       {"type": "string", "format": "date-time"},
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[event.Duration]():  {"type": "number", "description": "milliseconds"},
		reflect.TypeFor[event.Stream]():    oneOf(event.Stdout.String(), event.Stderr.String()),
		reflect.TypeFor[event.Status]():    oneOf(names(event.OK, event.Crashed)...),
		reflect.TypeFor[event.State]():     oneOf(string(event.Intact), string(event.Lost), string(event.Restored), string(event.Fresh), string(event.Gone)),
		reflect.TypeFor[fault.Kind]():      oneOf(names(fault.Invalid, fault.Internal)...),
		reflect.TypeFor[access.Scope]():    oneOf(scopes()...),
		reflect.TypeFor[live.State]():      oneOf(string(live.Live), string(live.Paused), string(live.Lost)),
		reflect.TypeFor[event.Output](): {
			"type": "object", "required": []string{"stream", "text"},
			"properties": object{"stream": oneOf(event.Stdout.String(), event.Stderr.String()), "text": object{"type": "string"}},
		},
	}
}

func oneOf(values ...string) object { return object{"type": "string", "enum": values} }

func scopes() []string {
	var out []string
	for _, s := range access.Scopes() {
		out = append(out, string(s))
	}
	return out
}

// names are those of the values of a closed list of numbers.
func names[T interface {
	~uint8
	String() string
}](first, last T) []string {
	var out []string
	for v := first; v <= last; v++ {
		out = append(out, v.String())
	}
	return out
}

// schemas makes JSON Schemas of types as package encoding/json writes them. Each struct with a
// name is a component, which the others refer to.
type schemas struct {
	fixed map[reflect.Type]object
	names map[reflect.Type]string
	named object // what the document has, by name
}

// newSchemas gives the structs that can be reached from some types their names.
func newSchemas(roots []reflect.Type) *schemas {
	s := &schemas{fixed: fixed(), names: map[reflect.Type]string{}, named: object{}}
	byName := map[string][]reflect.Type{}
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		if s.fixed[t] != nil && t != reflect.TypeFor[event.Output]() {
			return
		}
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			walk(t.Elem())
		case reflect.Struct:
			for _, f := range fieldsOf(t) {
				walk(f.Type)
			}
			if t.Name() != "" {
				byName[plainName(t)] = append(byName[plainName(t)], t)
			}
		}
	}
	for _, t := range roots {
		walk(t)
	}
	contract := reflect.TypeFor[api.Nothing]().PkgPath()
	for name, types := range byName {
		for _, t := range types {
			// A name that several have is that of the operations' own; the others' say where
			// they are from.
			if s.names[t] = name; len(types) > 1 && t.PkgPath() != contract {
				dir := path.Base(t.PkgPath())
				s.names[t] = strings.ToUpper(dir[:1]) + dir[1:] + name
			}
		}
	}
	return s
}

var noName = regexp.MustCompile(`[^A-Za-z0-9]+`)

// plainName is the name of a type without what a parameter adds to it.
func plainName(t reflect.Type) string { return noName.ReplaceAllString(t.Name(), "") }

// field is a member of an object.
type field struct {
	reflect.StructField
	name     string
	in       string // "path" or "query" of a request; "": it stands in the body
	optional bool
}

// fieldsOf are the members that a struct is written with. Those of an embedded struct stand
// among the others, as encoding/json has them.
func fieldsOf(t reflect.Type) []field {
	var out []field
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() || f.Anonymous && name == "" || len(f.Index) > 1 && nested(t, f.Index) {
			continue
		}
		if name == "" {
			name = f.Name
		}
		out = append(out, field{f, name, f.Tag.Get("in"), strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")})
	}
	return out
}

// nested says whether a promoted field is written in an object of its own: the embedded struct
// that it is from has a name.
func nested(t reflect.Type, index []int) bool {
	for i := 1; i < len(index); i++ {
		if t.FieldByIndex(index[:i]).Tag.Get("json") != "" {
			return true
		}
	}
	return false
}

// of returns the schema of a type: a reference where it is a struct with a name.
func (s *schemas) of(t reflect.Type) object {
	if t.Kind() == reflect.Pointer {
		return s.of(t.Elem())
	}
	if name := s.names[t]; name != "" {
		if s.named[name] == nil {
			s.named[name] = object{} // it may refer to itself
			if s.named[name] = s.fixed[t]; s.fixed[t] == nil {
				s.named[name] = s.object(t, "")
			}
		}
		return object{"$ref": "#/components/schemas/" + name}
	}
	if known := s.fixed[t]; known != nil {
		return known
	}
	switch {
	case t.Implements(reflect.TypeFor[json.Marshaler]()):
		return object{}
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return object{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return object{"type": "string", "contentEncoding": "base64"}
		}
		return object{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		return s.object(t, "")
	case reflect.Interface:
		return object{}
	}
	return object{"type": "integer"}
}

// object returns the schema of a struct: of its members that stand where in says. What a
// server of a later version adds to a result is no mistake, so that other members may be there.
func (s *schemas) object(t reflect.Type, in string) object {
	members, required := object{}, []string{}
	for _, f := range fieldsOf(t) {
		if f.in != in {
			continue
		}
		schema := s.of(f.Type)
		if !f.optional {
			required = append(required, f.name)
			schema = nullable(f, t, schema)
		}
		if text := f.Tag.Get("jsonschema"); text != "" {
			schema = maps.Clone(schema)
			schema["description"] = text
		}
		members[f.name] = schema
	}
	out := object{"type": "object", "properties": members}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// nullable says that a member may be null, where it may: the lists of the operations' own
// results are empty instead.
func nullable(f field, of reflect.Type, schema object) object {
	switch f.Type.Kind() {
	case reflect.Pointer, reflect.Map:
	case reflect.Slice:
		if of.PkgPath() == reflect.TypeFor[api.Nothing]().PkgPath() || f.Type == reflect.TypeFor[json.RawMessage]() {
			return schema
		}
	default:
		return schema
	}
	if kind, ok := schema["type"].(string); ok {
		schema = maps.Clone(schema) // it may be one that others have, too
		schema["type"] = []string{kind, "null"}
		return schema
	}
	return object{"anyOf": []any{schema, object{"type": "null"}}}
}

// has says whether a struct has members that stand where in says.
func has(t reflect.Type, in string) bool {
	return t.Kind() == reflect.Struct && slices.ContainsFunc(fieldsOf(t), func(f field) bool { return f.in == in })
}
