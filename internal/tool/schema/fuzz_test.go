package schema

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"praxis/internal/tool/jsondoc"
)

// FuzzSchema checks that any schema compiles or is refused, that judging is
// bounded, and that what a schema allows has its shape.
func FuzzSchema(f *testing.F) {
	for _, test := range badSchemas {
		text, _, _ := markedSchema(test.schema)
		f.Add(text, `{"a": [1, "x", null]}`)
	}
	f.Add(`{type: object, properties: {a: {items: {anyOf: [{type: integer}, {type: string}]}}}}`, `{"a": [1, "x"]}`)
	f.Fuzz(func(t *testing.T, text, value string) {
		s, err := Parse("s.yaml", []byte(text))
		if err != nil {
			if len(problemsOf(err)) == 0 {
				t.Fatalf("no problems: %v", err)
			}
			return
		}
		s.Narrow()
		v, err := jsondoc.Decode([]byte(value))
		if err != nil {
			return
		}
		m := s.Validate(v)
		if m == nil {
			if why := outside(s.Type(), v, 0); why != "" {
				t.Fatalf("%s allows %s, but its type does not: %s", text, value, why)
			}
			return
		}
		if strings.ContainsAny(m.Error(), "\n\r") {
			t.Fatalf("not one line: %q", m.Error())
		}
		m.Redacted(s)
	})
}

// FuzzValidate judges values by one rich schema and by another implementation.
func FuzzValidate(f *testing.F) {
	const text = `{"type": "object", "required": ["a"], "properties": {"a": {"type": ["integer", "string"], "minimum": 1, "maxLength": 3},
		"b": {"type": "array", "items": {"type": "number", "multipleOf": 0.5}, "uniqueItems": true, "minItems": 1, "contains": {"minimum": 2}},
		"c": {"enum": [1, "1", null, [1], {"x": 1.0}]}, "d": {"oneOf": [{"type": "boolean"}, {"type": "string", "pattern": "^a+$"}, {"const": "aa"}]}},
		"patternProperties": {"^x": {"type": "null"}}, "additionalProperties": false, "maxProperties": 4, "dependentRequired": {"b": ["c"]}}`
	mine, err := Parse("s.json", []byte(text))
	if err != nil {
		f.Fatal(err)
	}
	theirs := resolved(f, text)
	for _, v := range []string{`{"a": 1}`, `{"a": "abcd"}`, `{"a": 1, "b": [2, 2.5], "c": {"x": 1}}`, `{"a": 0.5, "d": "aa", "x1": null}`, `[1, {"a": 1e400}]`, `"ä\ud800"`} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, value string) {
		compare(t, mine, theirs, text, value)
	})
}

func resolved(t testing.TB, text string) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return r
}

// compare judges a value twice. Values on which the other implementation is
// known to differ are left out: it rounds numbers to float64.
func compare(t *testing.T, mine *Schema, theirs *jsonschema.Resolved, text, value string) {
	t.Helper()
	v, err := jsondoc.Decode([]byte(value))
	if err != nil || !exact(v) {
		return
	}
	var w any
	if json.Unmarshal([]byte(value), &w) != nil {
		return
	}
	m := mine.Validate(v)
	if err := theirs.Validate(w); (m == nil) != (err == nil) {
		t.Errorf("%s by %s: %v here, %v there", value, text, m, err)
	}
}

// exact reports whether float64 has all the numbers of v.
func exact(v any) bool {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		b, _ := json.Marshal(f)
		x, _ := jsondoc.Canonical(v)
		y, err2 := jsondoc.Canonical(json.Number(b))
		return err == nil && err2 == nil && bytes.Equal(x, y) && len(x) < 12
	case []any:
		for _, item := range v {
			if !exact(item) {
				return false
			}
		}
	case *jsondoc.Object:
		for _, member := range v.All() {
			if !exact(member) {
				return false
			}
		}
	}
	return true
}

// TestAgainstAnother judges generated values by generated schemas, here and by
// another implementation of draft 2020-12.
func TestAgainstAnother(t *testing.T) {
	g := &generator{rand.New(rand.NewPCG(1, 2))}
	valid := 0
	const schemas, values = 400, 40
	for range schemas {
		text := g.schema(0)
		mine, err := Parse("s.json", []byte(text))
		if err != nil {
			t.Fatalf("%v: %s", problemsOf(err), text)
		}
		theirs := resolved(t, text)
		for range values {
			value := g.value(0)
			compare(t, mine, theirs, text, value)
			if v, err := jsondoc.Decode([]byte(value)); err == nil && mine.Validate(v) == nil {
				valid++
				if why := outside(mine.Type(), v, 0); why != "" {
					t.Errorf("%s allows %s, but its type does not: %s", text, value, why)
				}
			}
		}
	}
	if valid < schemas*values/10 || valid > schemas*values*9/10 {
		t.Errorf("%d of %d are valid: they say little", valid, schemas*values)
	}
}

type generator struct{ *rand.Rand }

func (g *generator) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g *generator) schema(depth int) string {
	if depth > 3 || g.IntN(12) == 0 {
		return g.pick("true", "false", "{}", `{"type":"string"}`, `{"type":"integer"}`)
	}
	var parts []string
	add := func(chance int, part func() string) {
		if g.IntN(chance) == 0 {
			parts = append(parts, part())
		}
	}
	sub := func() string { return g.schema(depth + 1) }
	list := func() string { return "[" + sub() + "," + sub() + "]" }
	add(3, func() string {
		return `"type":` + g.pick(`"string"`, `"integer"`, `"number"`, `"array"`, `"object"`, `"null"`, `["string","object"]`, `["array","integer"]`)
	})
	add(6, func() string { return `"enum":[` + g.value(2) + "," + g.value(2) + "]" })
	add(6, func() string { return `"const":` + g.value(2) })
	add(4, func() string { return g.pick(`"minimum":1`, `"maximum":2`, `"exclusiveMinimum":0`, `"multipleOf":2`) })
	add(4, func() string { return g.pick(`"minLength":1`, `"maxLength":1`, `"pattern":"^a"`) })
	add(4, func() string { return `"properties":{"a":` + sub() + `,"b":` + sub() + "}" })
	add(5, func() string { return `"required":["a"]` })
	add(5, func() string { return `"additionalProperties":` + sub() })
	add(7, func() string { return `"patternProperties":{"^b":` + sub() + "}" })
	add(8, func() string { return `"propertyNames":` + sub() })
	add(6, func() string { return g.pick(`"minProperties":1`, `"maxProperties":1`) })
	add(4, func() string { return `"items":` + sub() })
	add(6, func() string { return `"prefixItems":` + list() })
	add(7, func() string { return `"contains":` + sub() + g.pick("", `,"maxContains":1`, `,"minContains":2`) })
	add(6, func() string { return g.pick(`"minItems":1`, `"maxItems":1`, `"uniqueItems":true`) })
	add(6, func() string { return `"allOf":` + list() })
	add(6, func() string { return `"anyOf":` + list() })
	add(6, func() string { return `"oneOf":` + list() })
	add(8, func() string { return `"not":` + sub() })
	add(8, func() string { return `"if":` + sub() + `,"then":` + sub() + `,"else":` + sub() })
	add(9, func() string { return `"unevaluatedProperties":` + sub() })
	add(9, func() string { return `"unevaluatedItems":` + sub() })
	add(9, func() string { return `"dependentSchemas":{"a":` + sub() + "}" })
	add(9, func() string { return `"dependentRequired":{"a":["b"]}` })
	return "{" + strings.Join(parts, ",") + "}"
}

func (g *generator) value(depth int) string {
	if depth < 3 && g.IntN(3) > 0 {
		if g.IntN(2) == 0 {
			return g.pick("[]", "["+g.value(depth+1)+"]", "["+g.value(depth+1)+","+g.value(depth+1)+"]")
		}
		return g.pick("{}", `{"a":`+g.value(depth+1)+"}", `{"a":`+g.value(depth+1)+`,"b":`+g.value(depth+1)+"}", `{"bb":`+g.value(depth+1)+"}", `{"c":1}`)
	}
	return g.pick("0", "1", "2", "3", "1.5", "2.0", "-1", `""`, `"a"`, `"b"`, `"ab"`, "null", "true", "false")
}
