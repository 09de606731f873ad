package rest

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"praxis/event"
	"praxis/internal/server/api"
)

// Lost is what the event "lost" of a stream says: some are not kept any more.
type Lost struct {
	Events int64 `json:"events" jsonschema:"how many"`
}

// Document returns the OpenAPI 3.1 document of the operations. Clients are generated from it,
// so that it says more than people need: every struct has a name, and what an operation streams
// is described beside the text that OpenAPI knows it as.
//
//	x-scope        of an operation: what a key must be allowed
//	x-item-schema  of text/event-stream: what each event is, as its id, its name and its data
//	x-end-schema   of text/event-stream: the data of the last event, "end"
func Document(version string) []byte {
	table := api.Table()
	s := newSchemas(roots(table))
	paths, tags := map[string]object{}, []object{}
	for _, o := range table {
		if paths[o.Path] == nil {
			paths[o.Path] = object{}
		}
		paths[o.Path][strings.ToLower(o.Method)] = s.operation(o)
		if tag := (object{"name": group(o)}); !slices.ContainsFunc(tags, func(t object) bool { return t["name"] == tag["name"] }) {
			tags = append(tags, tag)
		}
	}
	s.named["Event"] = s.events(ofRuns())
	doc := object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Praxis", "version": version,
			"description": "Sessions, executions and runs of a Praxis server. What code does is a status in a result; what is wrong with a request is a problem with a remedy.",
		},
		"tags":  tags,
		"paths": paths,
		"components": object{
			"schemas":         s.named,
			"securitySchemes": object{"key": object{"type": "http", "scheme": "bearer", "description": "a key of the server"}},
			"parameters": object{"LastEventID": object{
				"name": "Last-Event-ID", "in": "header", "required": false,
				"description": "the id of the last event that was seen: those after it follow", "schema": object{"type": "integer", "minimum": 0},
			}},
			"responses": object{"Problem": object{
				"description": "Why it was not done.",
				"headers": object{
					"X-Request-Id": object{"description": "finds the request in the server's log", "schema": object{"type": "string"}},
					"Retry-After":  object{"description": "seconds after which it may work", "schema": object{"type": "integer"}},
				},
				"content": content("application/problem+json", s.of(reflect.TypeFor[Problem]())),
			}},
		},
		"security": []any{object{"key": []string{}}},
	}
	out, err := json.MarshalIndent(doc, "", "  ")
	if err != nil { // a table that cannot be written is a mistake that TestDocument finds
		panic(err)
	}
	return append(out, '\n')
}

// roots are the types that the document is about.
func roots(table []api.Operation) []reflect.Type {
	out := []reflect.Type{reflect.TypeFor[Problem](), reflect.TypeFor[Lost]()}
	for _, o := range table {
		if out = append(out, o.In); o.Kind != api.Download && o.Kind != api.Socket {
			out = append(out, o.Out)
		}
		for _, data := range o.Says {
			out = append(out, data)
		}
	}
	for _, e := range ofRuns() {
		out = append(out, e.data)
	}
	return out
}

// said is an event: its name, and the type of its data.
type said struct {
	name string
	data reflect.Type
}

// ofRuns are the events of executions and runs.
func ofRuns() []said {
	var out []said
	for _, name := range event.Names() {
		out = append(out, said{name, eventType(name)})
	}
	return out
}

// item returns the schema of the events of an operation.
func (s *schemas) item(o api.Operation) object {
	name := "Event"
	if o.Says != nil {
		var own []said
		for _, event := range slices.Sorted(maps.Keys(o.Says)) {
			own = append(own, said{event, o.Says[event]})
		}
		name = strings.ToUpper(group(o)[:1]) + group(o)[1:] + name
		s.named[name] = s.events(own)
	}
	return object{"$ref": "#/components/schemas/" + name}
}

// eventType is the type of the data of an event.
func eventType(name string) reflect.Type {
	e, err := event.Unmarshal(name, []byte("{}"))
	if err != nil { // a name of the vocabulary is one
		panic(err)
	}
	return reflect.TypeOf(e)
}

// events describes an event as clients see it: its number, its name, its data.
func (s *schemas) events(list []said) object {
	one := func(name string, data object, numbered bool) object {
		members, required := object{"event": object{"const": name}, "data": data}, []string{"event", "data"}
		if numbered {
			members["id"], required = object{"type": "integer"}, append(required, "id")
		}
		return object{"type": "object", "properties": members, "required": required}
	}
	var all []any
	for _, e := range list {
		all = append(all, one(e.name, s.of(e.data), true))
	}
	return object{
		"description": "What happens. New ones may be added: leave out those that you do not know.",
		"oneOf":       append(all, one("lost", s.of(reflect.TypeFor[Lost]()), false)),
	}
}

// group is the part of an operation's name that it shares with those of the same things.
func group(o api.Operation) string {
	name, _, _ := strings.Cut(o.Name, ".")
	return name
}

// operation returns the operation object of an operation.
func (s *schemas) operation(o api.Operation) object {
	out := object{
		"operationId": o.Name, "summary": o.Summary, "tags": []string{group(o)}, "x-scope": o.Scope,
		"responses": object{strconv.Itoa(o.Status): s.response(o), "default": object{"$ref": "#/components/responses/Problem"}},
	}
	if p := s.parameters(o); p != nil {
		out["parameters"] = p
	}
	switch {
	case o.Kind == api.Upload:
		out["requestBody"] = object{"required": true, "content": binary()}
	case has(o.In, "") && o.Method != http.MethodGet:
		body := content("application/json", s.body(o.In))
		if example := examples()[o.Name]; example != nil {
			maps.Copy(body["application/json"].(object), object{"example": example})
		}
		required := s.named[s.names[o.In]].(object)["required"] != nil
		out["requestBody"] = object{"required": required, "content": body}
	}
	return out
}

// body returns the schema of what of a request stands in its body.
func (s *schemas) body(t reflect.Type) object {
	name := s.names[t]
	s.named[name] = s.object(t, "")
	return object{"$ref": "#/components/schemas/" + name}
}

// parameters are what of a request does not stand in its body.
func (s *schemas) parameters(o api.Operation) []any {
	var out []any
	if o.In.Kind() == reflect.Struct {
		for _, f := range fieldsOf(o.In) {
			if f.in == "" {
				continue
			}
			p := object{"name": f.name, "in": f.in, "required": f.in == "path" || !f.optional, "schema": s.of(f.Type)}
			if text := f.Tag.Get("jsonschema"); text != "" {
				p["description"] = text
			}
			out = append(out, p)
		}
	}
	// A stream goes on where a client was when it is of something that has a name.
	if follows(o) && strings.HasSuffix(o.Name, ".events") {
		out = append(out, object{"$ref": "#/components/parameters/LastEventID"})
	}
	return out
}

// follows says whether an operation gives nothing but events.
func follows(o api.Operation) bool { return o.Kind == api.Events && o.Method == http.MethodGet }

// response describes what comes when all went well.
func (s *schemas) response(o api.Operation) object {
	out := object{"description": "It went well."}
	result := object{}
	if o.Out != reflect.TypeFor[api.Nothing]() && o.Kind != api.Download && o.Kind != api.Socket {
		result = s.of(o.Out)
	}
	types := object{}
	switch {
	case o.Kind == api.Download:
		types = binary()
	case len(result) > 0 && !follows(o):
		types = content("application/json", result)
	}
	if o.Kind == api.Events {
		stream := object{"schema": object{"type": "string"}, "x-item-schema": s.item(o)}
		if len(result) > 0 {
			stream["x-end-schema"] = result
		}
		types["text/event-stream"] = stream
	}
	if len(types) > 0 {
		out["content"] = types
	}
	return out
}

func content(mime string, schema object) object { return object{mime: object{"schema": schema}} }

func binary() object { return object{"application/octet-stream": object{}} }

// examples are bodies of requests, by operation.
func examples() map[string]object {
	return map[string]object{
		"sessions.create":  {"id": "analysis", "with": []string{"pandas"}, "lasts_s": 3600},
		"sessions.fork":    {"count": 2},
		"executions.start": {"code": "6*7"},
		"runs.ask":         {"question": "Which region sold most?", "files": []any{object{"name": "sales.csv", "text": "region,units\neu,3\nus,5\n"}}},
		"runs.code":        {"code": "print(6*7)"},
		"keys.create":      {"name": "ci", "scopes": []string{"read", "run"}, "lasts_s": 86400},
	}
}
