package rest

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/server/api"
)

// Document returns the OpenAPI 3.1 document of the operations.
func Document(version string) []byte {
	paths := map[string]map[string]any{}
	schemas := newSchemas()
	for _, o := range api.Table() {
		if paths[o.Path] == nil {
			paths[o.Path] = map[string]any{}
		}
		paths[o.Path][strings.ToLower(o.Method)] = describe(o, schemas)
	}
	doc := map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": "Praxis", "version": version, "description": "Sessions, executions and runs of a Praxis server."},
		"paths":   paths,
		"components": map[string]any{
			"schemas":         schemas.named,
			"securitySchemes": map[string]any{"key": map[string]any{"type": "http", "scheme": "bearer"}},
		},
		"security": []any{map[string]any{"key": []string{}}},
	}
	out, err := json.MarshalIndent(doc, "", "  ")
	if err != nil { // a table that cannot be written is a mistake that TestDocument finds
		panic(err)
	}
	return append(out, '\n')
}

// describe returns the operation object of an operation.
func describe(o api.Operation, schemas *schemas) map[string]any {
	out := map[string]any{"operationId": o.Name, "summary": o.Summary, "x-scope": o.Scope}
	var parameters []any
	body := false
	for _, f := range reflect.VisibleFields(o.In) {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		in := f.Tag.Get("in")
		if in == "" {
			body = body || !f.Anonymous
			continue
		}
		parameters = append(parameters, map[string]any{
			"name": name, "in": in, "required": in == "path" || !strings.Contains(rest, "omitempty"), "description": f.Tag.Get("jsonschema"), "schema": schemas.of(f.Type),
		})
	}
	if parameters != nil {
		out["parameters"] = parameters
	}
	binary := map[string]any{"application/octet-stream": map[string]any{}}
	switch {
	case o.Kind == api.Upload:
		out["requestBody"] = map[string]any{"required": true, "content": binary}
	case body && o.Method != "GET":
		out["requestBody"] = map[string]any{"required": true, "content": content("application/json", schemas.of(o.In))}
	}
	done := map[string]any{"description": "it went well"}
	good := map[string]any{}
	if o.Out != reflect.TypeFor[api.Nothing]() && o.Kind != api.Download && o.Kind != api.Socket {
		good = content("application/json", schemas.of(o.Out))
	}
	switch o.Kind {
	case api.Events:
		good["text/event-stream"] = map[string]any{"schema": map[string]any{"type": "string"}}
	case api.Download:
		good = binary
	}
	if len(good) > 0 {
		done["content"] = good
	}
	out["responses"] = map[string]any{
		strconv.Itoa(o.Status): done,
		"default":              map[string]any{"description": "why not", "content": content("application/problem+json", schemas.of(reflect.TypeFor[Problem]()))},
	}
	return out
}

func content(mime string, schema any) map[string]any {
	return map[string]any{mime: map[string]any{"schema": schema}}
}

// schemas makes JSON Schemas of types, and gives those of structs a name.
type schemas struct {
	named map[string]any
	opt   *jsonschema.ForOptions
}

func newSchemas() *schemas {
	text := func(format string) *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Format: format} }
	anything := &jsonschema.Schema{}
	return &schemas{named: map[string]any{}, opt: &jsonschema.ForOptions{IgnoreInvalidTypes: true, TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time]():       text("date-time"),
		reflect.TypeFor[json.RawMessage](): anything,
		reflect.TypeFor[[]byte]():          {Type: "string", ContentEncoding: "base64"},
		reflect.TypeFor[event.Duration]():  {Type: "number", Description: "milliseconds"},
		reflect.TypeFor[event.Status]():    text(""),
		reflect.TypeFor[fault.Kind]():      text(""),
	}}}
}

// of returns the schema of a type: a reference where it is a struct.
func (s *schemas) of(t reflect.Type) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	schema, err := jsonschema.ForType(t, s.opt)
	if err != nil || schema == nil {
		schema = &jsonschema.Schema{} // whatever it is
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		return schema
	}
	s.named[t.Name()] = schema
	return map[string]any{"$ref": "#/components/schemas/" + t.Name()}
}
