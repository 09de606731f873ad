package rest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/server/api"
)

// What types write keeps to what the document says of them, and the document says all of it.
func TestSchemasAreTrue(t *testing.T) {
	types := roots(api.Table())
	s := newSchemas(types)
	for _, typ := range types {
		s.of(typ)
	}
	for _, schema := range s.named {
		if o := schema.(object); o["properties"] != nil {
			o["additionalProperties"] = false
		}
	}
	members := object{}
	for name := range s.named {
		members[name] = object{"$ref": "#/$defs/" + name}
	}
	text, err := json.Marshal(object{"$defs": s.named, "properties": members})
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(bytes.ReplaceAll(text, []byte("#/components/schemas/"), []byte("#/$defs/")), &schema); err != nil {
		t.Fatal(err)
	}
	whole, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range types {
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		name := s.names[typ]
		if has(typ, "path") || has(typ, "query") {
			continue // it is not written as a whole
		}
		for _, full := range []bool{true, false} {
			if !full && typ.PkgPath() == reflect.TypeFor[api.Nothing]().PkgPath() {
				continue // its lists are never null
			}
			text := mustEncode(t, fill(typ, full, 0))
			var got any
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			if err := whole.Validate(object{name: got}); err != nil {
				t.Errorf("%s: %v\n%s", name, err, text)
			}
		}
	}
}

func mustEncode(t *testing.T, v reflect.Value) []byte {
	t.Helper()
	out, err := event.Encode(v.Interface())
	if err != nil {
		t.Fatalf("%s: %v", v.Type(), err)
	}
	return out
}

// fill returns a value of a type with something in every field, or in those alone that are
// never null.
func fill(t reflect.Type, full bool, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = time.Unix(1, 0).UTC()
		return v
	case *json.RawMessage:
		*x = json.RawMessage(`{"a":1}`)
		return v
	}
	kind := t.Kind()
	if depth > 8 && kind != reflect.Slice || !full && (kind == reflect.Pointer || kind == reflect.Slice || kind == reflect.Map) {
		return v
	}
	switch kind {
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(fill(t.Elem(), full, depth+1))
	case reflect.Slice:
		if depth >= 8 { // what is below could not be filled: it is empty, not null
			v.Set(reflect.MakeSlice(t, 0, 0))
			break
		}
		v.Set(reflect.Append(v, fill(t.Elem(), full, depth+1)))
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(fill(t.Key(), full, depth+1), fill(t.Elem(), full, depth+1))
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				v.Field(i).Set(fill(t.Field(i).Type, full, depth+1))
			}
		}
	case reflect.String:
		v.SetString("intact")
		if closed, _ := fixed()[t]["enum"].([]string); closed != nil {
			v.SetString(closed[0])
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Interface:
		if t.NumMethod() == 0 {
			v.Set(reflect.ValueOf("x"))
		}
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8, reflect.Uint, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	}
	return v
}

// The document is the same each time, says what streams bring, and has nothing of the path in
// a body.
func TestDocumentOfStreams(t *testing.T) {
	doc := Document("test")
	for range 3 {
		if !bytes.Equal(doc, Document("test")) {
			t.Fatal("two documents differ")
		}
	}
	var got struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Ref string `json:"$ref"`
			}
			Responses map[string]struct {
				Content map[string]map[string]struct {
					Ref string `json:"$ref"`
				}
			}
		}
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any
				OneOf      []struct {
					Properties struct{ Event struct{ Const string } }
				} `json:"oneOf"`
			}
		}
	}
	if err := json.Unmarshal(doc, &got); err != nil {
		t.Fatal(err)
	}
	start := got.Paths["/v1/sessions/{session}/executions"]["post"].Responses["201"].Content
	if start["application/json"]["schema"].Ref != "#/components/schemas/Execution" || start["text/event-stream"]["x-end-schema"].Ref != "#/components/schemas/Execution" {
		t.Errorf("got %+v", start)
	}
	follow := got.Paths["/v1/runs/{run}/events"]["get"]
	if c := follow.Responses["200"].Content; len(c) != 1 || c["text/event-stream"]["x-end-schema"].Ref != "#/components/schemas/Run" || follow.Parameters[1].Ref != "#/components/parameters/LastEventID" {
		t.Errorf("got %+v", follow)
	}
	if p := got.Components.Schemas["NewExecution"].Properties; p["session"] != nil || p["code"] == nil {
		t.Errorf("got %v", p)
	}
	said := map[string]bool{}
	for _, e := range got.Components.Schemas["Event"].OneOf {
		said[e.Properties.Event.Const] = true
	}
	for _, name := range append(event.Names(), "lost") {
		if !said[name] {
			t.Errorf("the event %s is not described", name)
		}
	}
	if fault.Internal.String() != "internal" || fixed()[reflect.TypeFor[fault.Kind]()]["enum"].([]string)[7] != "internal" {
		t.Error("the kinds of faults are not whole")
	}
}
