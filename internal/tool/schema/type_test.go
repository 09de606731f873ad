package schema

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"praxis/internal/tool/jsondoc"
)

// TestDeclaredOrder checks that properties keep the order of the file, in YAML and in JSON.
func TestDeclaredOrder(t *testing.T) {
	for file, text := range map[string]string{
		"s.yaml": "type: object\nproperties:\n  zeta: {}\n  alpha: {}\n  mid: {}\n",
		"s.json": `{"type": "object", "properties": {"zeta": {}, "alpha": {}, "mid": {}}}`,
	} {
		s, err := Parse(file, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Join(s.Type().Names(), " "), "zeta alpha mid"; got != want {
			t.Errorf("%s: order is %s, want %s", file, got, want)
		}
	}
	s := mustSchema(t, `{type: object, allOf: [{properties: {b: {type: string}, a: {}}}, {properties: {c: {}, b: {maxLength: 3}}}], properties: {z: {}}, required: [a]}`)
	if got, want := strings.Join(s.Type().Names(), " "), "z b a c"; got != want {
		t.Errorf("order of allOf is %s, want %s", got, want)
	}
	if p, _ := s.Type().Property("b"); p.Type.Kinds != StringKind || p.Type.MaxLength != 3 {
		t.Errorf("b is %+v: the parts of allOf were not joined", p.Type)
	}
	if p, _ := s.Type().Property("a"); !p.Required {
		t.Error("a is required")
	}
}

func TestShapes(t *testing.T) {
	s := mustSchema(t, `{type: object, required: [n, more], additionalProperties: {type: integer}, properties: {
		n: {type: integer, minimum: 1, exclusiveMaximum: 9, default: 3, description: A number.},
		list: {type: array, items: {type: string, maxLength: 5}, prefixItems: [{type: boolean}], maxItems: 4},
		secret: {type: string, format: password}, one: {const: a}, tree: {$ref: '#/$defs/node'}},
		$defs: {node: {type: object, properties: {name: {type: string}, children: {type: array, items: {$ref: '#/$defs/node'}}}}}}`)
	root := s.Type()
	n, _ := root.Property("n")
	if n.Type.Kinds != IntegerKind || n.Type.Minimum != "1" || n.Type.Maximum != "9" || !n.Type.ExclusiveMaximum || n.Type.ExclusiveMinimum || !n.Required || fmt.Sprint(n.Type.Default) != "3" {
		t.Errorf("n is %+v", n.Type)
	}
	list, _ := root.Property("list")
	if list.Type.Items.MaxLength != 5 || list.Type.Prefix[0].Kinds != BooleanKind || list.Type.MaxItems != 4 || list.Type.Items.Kinds != StringKind {
		t.Errorf("list is %+v", list.Type)
	}
	if p, _ := root.Property("secret"); !p.Type.Secret {
		t.Error("a password is a secret")
	}
	if p, _ := root.Property("one"); !p.Type.HasEnum || p.Type.Kinds != StringKind {
		t.Errorf("one is %+v", p.Type)
	}
	if more, _ := root.Property("more"); !more.Required || more.Type.Kinds != AnyKind {
		t.Errorf("what is required and not declared is %+v", more)
	}
	if root.Additional.Kinds != IntegerKind {
		t.Errorf("additional is %+v", root.Additional)
	}
	tree, _ := root.Property("tree")
	for range 10 { // a cycle of types is walked as deep as one likes
		children, _ := tree.Type.Property("children")
		tree.Type = children.Type.Items
	}
	if got := strings.Join(tree.Type.Names(), " "); got != "name children" {
		t.Errorf("deep in the tree are %s", got)
	}
}

// TestShapesAreWide checks the promise of Type: what a schema allows has its shape.
func TestShapesAreWide(t *testing.T) {
	schemas := []string{
		"true", "false", "{type: [string, 'null']}", "{enum: [1, a, null, [1], {a: 1}]}", "{const: 2.0}",
		"{anyOf: [{type: string, enum: [a]}, {type: integer, maximum: 5}]}", "{oneOf: [{type: array, items: {type: string}}, {type: object, required: [a]}]}",
		"{allOf: [{type: object, properties: {a: {type: [string, integer]}}}, {properties: {a: {type: [integer, 'null']}}, additionalProperties: false}]}",
		"{$ref: '#/$defs/a', properties: {a: {}}, $defs: {a: {type: object, properties: {a: {$ref: '#/$defs/b'}}}, b: {type: integer}}}",
		"{allOf: [{properties: {a: {$ref: '#/$defs/b'}}}, {properties: {a: {$ref: '#/$defs/c'}}}], $defs: {b: {anyOf: [{type: integer}, {type: string}]}, c: {allOf: [{type: [integer, string, 'null']}]}}}",
		"{not: {type: string}}", "{if: {type: string}, then: {maxLength: 1}, else: {type: integer}}", "{type: array, prefixItems: [{type: integer}], items: false}",
		"{type: object, patternProperties: {^a: {type: integer}}, additionalProperties: false}", "{properties: {a: false}}", "{type: number}", "{type: integer}",
		"{$ref: '#/$defs/t', $defs: {t: {type: [object, integer], additionalProperties: {$ref: '#/$defs/t'}}}}", "{dependentSchemas: {a: {required: [b]}}}",
	}
	values := []any{nil, true, 1, 2.0, 2.5, 7, "a", "abc", []any{}, []any{1}, []any{"a"}, []any{1, 2}, map[string]any{},
		map[string]any{"a": 1}, map[string]any{"a": "x"}, map[string]any{"a": nil}, map[string]any{"b": 1}, map[string]any{"a": map[string]any{"a": 3}}, map[string]any{"a": 1, "b": "x"}}
	allowed := 0
	for _, text := range schemas {
		s := mustSchema(t, text)
		for _, v := range values {
			if s.Validate(v) != nil {
				continue
			}
			allowed++
			if why := outside(s.Type(), v, 0); why != "" {
				t.Errorf("%s allows %s, but its type does not: %s", text, Literal(v), why)
			}
		}
	}
	if allowed < 100 {
		t.Errorf("only %d pairs were judged", allowed)
	}
}

// outside says why a value does not have a type, "" when it does.
func outside(t *Type, v any, depth int) string {
	switch {
	case t == nil:
		return "may not be there"
	case depth > 20:
		return ""
	case t.Kinds&kindOf(v) == 0:
		return fmt.Sprintf("%s is not %s", kindOf(v), t.Kinds)
	case t.HasEnum && !slices.Contains(CanonicalSet(t.Enum), CanonicalSet([]any{v})[0]):
		return "not in the enum"
	case len(t.Variants) > 0 && !slices.ContainsFunc(t.Variants, func(o *Type) bool { return outside(o, v, depth+1) == "" }):
		return "no variant"
	}
	if list, ok := v.([]any); ok {
		for i, part := range list {
			if why := outside(item(t, i), part, depth+1); why != "" {
				return fmt.Sprintf("item %d: %s", i, why)
			}
		}
	}
	for name, member := range jsondoc.Members(v) {
		part := t.Additional
		if p, ok := t.Property(name); ok {
			part = p.Type
		}
		if why := outside(part, member, depth+1); why != "" {
			return name + ": " + why
		}
	}
	for _, p := range t.Properties {
		if _, has := jsondoc.MemberOf(v, p.Name); jsondoc.IsObject(v) && p.Required && !has {
			return "lacks " + p.Name
		}
	}
	return ""
}

func TestNarrow(t *testing.T) {
	for text, want := range map[string]string{
		"{enum: [a, b]}":  "enum",
		"{const: 1}":      "enum",
		"{type: boolean}": "boolean",
		"{type: integer, minimum: 0, maximum: 9}":                         "integer",
		"{type: [integer, 'null'], exclusiveMinimum: 0, maximum: 900000}": "integer",
		"{type: string, format: date}":                                    "date",
		"{type: string, format: date-time}":                               "date-time",
		"{type: string, format: uuid}":                                    "uuid",
		"{type: 'null'}":                                                  "null",
		"{anyOf: [{type: string, format: date}, {type: 'null'}]}":         "date",
		"{anyOf: [{enum: [a]}, {enum: [b]}]}":                             "enum",
		"{$ref: '#/$defs/d', $defs: {d: {type: boolean}}}":                "boolean",
		"{allOf: [{type: string}, {format: date}]}":                       "date",

		"{type: integer}":                                  "",
		"{type: integer, minimum: 1}":                      "",
		"{type: integer, minimum: 0, maximum: 1e300}":      "",
		"{type: number, minimum: 0, maximum: 1}":           "", // 0.0119711510…
		"{type: string, format: email}":                    "",
		"true":                                             "",
		"false":                                            "",
		"{type: string}":                                   "",
		"{type: string, maxLength: 10}":                    "",
		"{type: string, format: uri}":                      "",
		"{type: string, format: hostname}":                 "",
		"{format: date}":                                   "", // a number has no format
		"{type: [string, integer], format: date}":          "",
		"{type: array, items: {type: integer}}":            "",
		"{type: object}":                                   "",
		"{anyOf: [{type: integer}, {type: string}]}":       "",
		"{anyOf: [{enum: [1]}, {type: boolean}]}":          "",
		"{not: {type: string}}":                            "",
		"{oneOf: [{type: boolean}, {type: array}]}":        "",
		"{type: string, enum: [a], description: an enum.}": "enum",
	} {
		got, ok := mustSchema(t, text).Narrow()
		if got != want || ok != (want != "") {
			t.Errorf("%s is narrow as %q, %t; want %q", text, got, ok, want)
		}
	}
}
