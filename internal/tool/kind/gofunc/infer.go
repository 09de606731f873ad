package gofunc

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"praxis/internal/tool/jsondoc"
)

// inferred returns the schema of a Go type as a JSON value.
func inferred(t reflect.Type) (any, error) {
	known := map[reflect.Type]*jsonschema.Schema{}
	if err := survey(t, known, map[reflect.Type]bool{}, t.String()); err != nil {
		return nil, err
	}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	schema, err := jsondoc.Decode(text)
	if err != nil {
		return nil, err
	}
	return listsAreLists(schema, t, known), nil
}

// written returns the schema of a type that writes itself, or nil.
func written(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[time.Time]():
		return &jsonschema.Schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[big.Int]():
		return &jsonschema.Schema{Type: "integer"}
	case reflect.TypeFor[json.Number]():
		return &jsonschema.Schema{Type: "number"}
	case reflect.TypeFor[jsondoc.Object]():
		return &jsonschema.Schema{Type: "object"}
	}
	implements := func(want reflect.Type) bool {
		return t.Kind() != reflect.Interface && (t.Implements(want) || reflect.PointerTo(t).Implements(want))
	}
	switch {
	case implements(reflect.TypeFor[json.Marshaler]()), implements(reflect.TypeFor[json.Unmarshaler]()):
		return &jsonschema.Schema{}
	case implements(reflect.TypeFor[encoding.TextMarshaler]()), implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return &jsonschema.Schema{Type: "string"}
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && written(t.Elem()) == nil:
		return &jsonschema.Schema{Type: "string", ContentEncoding: "base64"}
	}
	return nil
}

// survey finds the types that write themselves, and refuses what encoding/json
// would write in another way than the schema says.
func survey(t reflect.Type, known map[reflect.Type]*jsonschema.Schema, seen map[reflect.Type]bool, where string) error {
	if seen[t] {
		return nil
	}
	seen[t] = true
	if s := written(t); s != nil && t.Kind() != reflect.Pointer {
		known[t] = s
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return survey(t.Elem(), known, seen, where)
	case reflect.Struct:
		for f := range t.Fields() {
			name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
			if (name == "-" && rest == "") || (!f.IsExported() && !f.Anonymous) {
				continue
			}
			at := where + "." + f.Name
			for option := range strings.SplitSeq(rest, ",") {
				if option == "string" {
					return fmt.Errorf("%s: the json option string is not supported", at)
				}
			}
			if err := survey(f.Type, known, seen, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// listsAreLists takes null out of the types of slices, of which only a pointer
// may be null: a nil slice is an empty list.
func listsAreLists(schema any, t reflect.Type, known map[reflect.Type]*jsonschema.Schema) any {
	o, ok := schema.(*jsondoc.Object)
	if !ok {
		return schema
	}
	pointer := false
	for t.Kind() == reflect.Pointer {
		t, pointer = t.Elem(), true
	}
	if known[t] != nil {
		return o
	}
	inside := func(key string, t reflect.Type) {
		if v, ok := o.Get(key); ok {
			o.Set(key, listsAreLists(v, t, known))
		}
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		if _, is := o.Get("type"); is && t.Kind() == reflect.Slice && !pointer {
			o.Set("type", "array")
		}
		inside("items", t.Elem())
	case reflect.Map:
		inside("additionalProperties", t.Elem())
	case reflect.Struct:
		v, _ := o.Get("properties")
		properties, ok := v.(*jsondoc.Object)
		if !ok {
			return o
		}
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = f.Name
			}
			if v, ok := properties.Get(name); ok && !f.Anonymous && f.IsExported() {
				properties.Set(name, listsAreLists(v, f.Type, known))
			}
		}
	}
	return o
}
