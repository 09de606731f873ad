package tool_test

import (
	"strings"
	"testing"

	"praxis/internal/tool"
	"praxis/internal/tool/schema"
	"praxis/internal/tool/toolfile"
)

func TestCompatible(t *testing.T) {
	const input = "input: {type: object, required: [to], properties: {to: {type: string}, n: {type: integer, minimum: 1, maximum: 9}, kind: {enum: [a, b]}}}"
	const output = "output: {type: object, required: [id], properties: {id: {type: string}, note: {type: string}, state: {enum: [on, off]}}}"
	in := func(from, to string) string { return strings.Replace(input, from, to, 1) }
	out := func(from, to string) string { return strings.Replace(output, from, to, 1) }
	for _, test := range []struct {
		name          string
		before, after string
		want          string // of the first change; "" for none
	}{
		{"nothing", input, input, ""},
		{"words", input, in("{type: string}", "{type: string, description: Whom.}"), ""},
		{"new optional argument", input, in("kind:", "more: {type: string}, kind:"), "breaking: input/properties/kind: was argument 3, is argument 4"},
		{"new optional argument at the end", input, in("b]}", "b]}, more: {type: string}"), "widening: input/properties/more: is new"},
		{"new required argument", input, strings.Replace(in("b]}", "b]}, more: {type: string}"), "[to]", "[to, more]", 1), "breaking: input/properties/more: is new and required"},
		{"new required argument with default", input, strings.Replace(in("b]}", "b]}, more: {type: string, default: x}"), "[to]", "[to, more]", 1), "widening: input/properties/more: is new"},
		{"argument gone", input, in(", kind: {enum: [a, b]}", ""), "breaking: input/properties/kind: is no longer declared"},
		{"argument required", input, in("[to]", "[to, n]"), "breaking: input/properties/n: is now required"},
		{"argument no longer required", input, in("[to]", "[]"), "widening: input/properties/to: is no longer required"},
		{"order", input, in("to: {type: string}, n: {type: integer, minimum: 1, maximum: 9}", "n: {type: integer, minimum: 1, maximum: 9}, to: {type: string}"), "breaking: input/properties/to: was argument 1, is argument 2"},
		{"kind narrowed", input, in("type: integer", "type: string"), "breaking: input/properties/n: no longer takes integer"},
		{"kind widened", input, in("type: integer", "type: number"), "widening: input/properties/n: also takes"},
		{"minimum up", input, in("minimum: 1", "minimum: 2"), "breaking: input/properties/n: the minimum is tighter"},
		{"minimum the same, otherwise written", input, in("minimum: 1", "minimum: 1.0"), ""},
		{"minimum exclusive", input, in("minimum: 1", "exclusiveMinimum: 1"), "breaking: input/properties/n: the minimum is tighter"},
		{"maximum up", input, in("maximum: 9", "maximum: 10"), "widening: input/properties/n: the maximum is looser"},
		{"maximum gone", input, in(", maximum: 9", ""), "widening: input/properties/n: the maximum is looser"},
		{"value gone", input, in("[a, b]", "[a]"), `breaking: input/properties/kind: no longer takes "b"`},
		{"value new", input, in("[a, b]", "[a, b, c]"), `widening: input/properties/kind: also takes "c"`},
		{"format", input, in("to: {type: string}", "to: {type: string, format: email}"), `breaking: input/properties/to: the format "email" is new or another`},
		{"closed", input, in("type: object,", "type: object, additionalProperties: false,"), ""},
		{"null allowed beside", input, in("to: {type: string}", "to: {anyOf: [{type: string}, {type: 'null'}]}"), "widening: input/properties/to: also takes null"},
		{"alternative gone", in("to: {type: string}", "to: {anyOf: [{type: string, maxLength: 3}, {type: string, pattern: a}]}"), in("to: {type: string}", "to: {anyOf: [{type: string, maxLength: 3}]}"), "breaking: input/properties/to: no longer takes the alternative 2"},
		{"alternative wider", in("to: {type: string}", "to: {anyOf: [{type: string, maxLength: 3}, {type: integer}]}"), in("to: {type: string}", "to: {anyOf: [{type: string, maxLength: 4}, {type: integer}]}"), ""},
		{"negation", input, in("to: {type: string}", "to: {type: string, not: {const: x}}"), "breaking: input/properties/to/not: changed in a way that cannot be judged"},
		{"multiple", input, in("minimum: 1", "minimum: 1, multipleOf: 2"), "breaking: input/properties/n/multipleOf: changed"},
		{"secret", input, in("to: {type: string}", "to: {type: string, x-secret: true}"), "guarding: input/properties/to: is secret in one"},

		{"result new", output, out("state:", "more: {}, state:"), "widening: output/properties/more: is new"},
		{"result gone", output, out(", note: {type: string}", ""), "breaking: output/properties/note: is no longer declared"},
		{"result may be missing", output, out("[id]", "[]"), "breaking: output/properties/id: may now be missing"},
		{"result always there", output, out("[id]", "[id, note]"), "widening: output/properties/note: is now always there"},
		{"result of another kind too", output, out("id: {type: string}", "id: {type: [string, 'null']}"), "breaking: output/properties/id: may now be null"},
		{"result of fewer kinds", out("id: {type: string}", "id: {type: [string, 'null']}"), output, "widening: output/properties/id: is no longer null"},
		{"result with a new value", output, out("[on, off]", "[on, off, idle]"), `breaking: output/properties/state: may now be "idle"`},
		{"result with fewer values", output, out("[on, off]", "[on]"), `widening: output/properties/state: is no longer "off"`},
		{"result is shorter", output, out("note: {type: string}", "note: {type: string, maxLength: 5}"), "widening: output/properties/note: the greatest length is tighter"},
		{"result loses its format", out("note: {type: string}", "note: {type: string, format: date}"), output, `breaking: output/properties/note: the format "date" is gone`},

		{"trusted", "labels: {trusted: false}", "labels: {trusted: true}", "guarding: labels/trusted: was false, is true"},
		{"readers", "labels: {readers: everyone}", "labels: {readers: me}", "guarding: labels: who may read"},
		{"approval", "approval: true", "approval: false", "guarding: approval: was true, is false"},
		{"no longer idempotent", "idempotent: true", "idempotent: false", "breaking: idempotent"},
		{"less time", "limits: {timeout: 10s}", "limits: {timeout: 5s}", "breaking: limits/timeout: is tighter"},
		{"no bound of time", "limits: {timeout: 10s}", "limits: {}", "widening: limits/timeout: is looser"},
		{"rate", "limits: {rate: 60/minute}", "limits: {rate: 1/s}", ""},
		{"lower rate", "limits: {rate: 60/minute}", "limits: {rate: 59/minute}", "breaking: limits/rate: is tighter"},
		{"description", "description: a", "description: b", "harmless: description: changed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			changes := tool.Compatible(oneTool(t, toolLines(test.before)), oneTool(t, strings.Replace(toolLines(test.after), "version: 1.0.0", "version: 2.0.0", 1)))
			got := ""
			if len(changes) > 0 {
				got = changes[0].String()
			}
			if !strings.HasPrefix(got, test.want) || (test.want == "") != (got == "") {
				t.Errorf("got %q, want %q (%v)", got, test.want, changes)
			}
			if schema.IsCompatible(changes) != !strings.HasPrefix(test.want, "breaking") {
				t.Errorf("compatible: %t (%v)", schema.IsCompatible(changes), changes)
			}
		})
	}
}

func TestCompatibleVersions(t *testing.T) {
	const before = "input: {type: object, properties: {a: {type: string}}}"
	const broken = "input: {type: object, properties: {a: {type: integer}}}"
	for _, test := range []struct{ from, to, after, want string }{
		{"1.0.0", "1.0.0", before, ""},
		{"1.0.0", "1.0.0", "approval: true", "the version did not"},
		{"1.0.0", "0.9.0", before, "0.9.0 is before 1.0.0"},
		{"1.0.0", "1.1.0", broken, "such as 2.0.0"},
		{"9.9.9", "9.10.0", broken, "such as 10.0.0"},
		{"0.1.0", "0.2.0", broken, ""},
		{"1.0.0", "2.0.0", broken, ""},
	} {
		a := oneTool(t, strings.Replace(toolLines(before), "version: 1.0.0", "version: "+test.from, 1))
		b := oneTool(t, strings.Replace(toolLines(test.after), "version: 1.0.0", "version: "+test.to, 1))
		got := ""
		for _, c := range tool.Compatible(a, b) {
			if c.Path == "version" {
				got = c.What
			}
		}
		if !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s to %s: %q, want %q", test.from, test.to, got, test.want)
		}
	}
}

// TestCompatibleIsSound compares many pairs of schemas: when an input is called
// compatible, every value that passed before passes after; of outputs the other way round.
func TestCompatibleIsSound(t *testing.T) {
	parts := []string{
		"{}", "{type: string}", "{type: [string, 'null']}", "{type: integer}", "{type: number}", "{enum: [a, 1]}", "{enum: [a]}", "{const: 1}", "{maxLength: 1}",
		"{type: integer, minimum: 1}", "{type: integer, exclusiveMinimum: 1}", "{minimum: 1, maximum: 2}", "{anyOf: [{type: string}, {type: integer}]}",
		"{oneOf: [{type: string, maxLength: 1}, {type: array}]}", "{anyOf: [{type: string, maxLength: 1}, {type: integer, minimum: 2}]}",
		"{type: array}", "{type: array, items: {type: integer}}", "{type: array, minItems: 1}", "{type: array, prefixItems: [{type: string}]}", "{items: {enum: [1]}}",
		"{type: object, required: [x]}", "{type: object, properties: {x: {type: integer}}}", "{type: object, additionalProperties: false}",
		"{type: object, properties: {x: {}}, additionalProperties: false}", "{type: object, additionalProperties: {type: string}}",
		"{type: string, format: date}", "{pattern: ^a}", "{not: {type: string}}", "{allOf: [{type: [string, integer]}, {type: integer}]}", "false",
		"{allOf: [{minimum: 1}, {minimum: 2}]}", "{$ref: '#/properties/b'}", "{multipleOf: 2}", "{uniqueItems: true}", "{dependentRequired: {x: [y]}}",
	}
	values := []any{nil, true, 0, 1, 2, 1.5, "", "a", "bb", "2026-01-01", []any{}, []any{1}, []any{"a"}, []any{1, 1}, []any{2, "a"},
		map[string]any{}, map[string]any{"x": 1}, map[string]any{"x": "s"}, map[string]any{"y": 1}, map[string]any{"y": "s", "x": 2}}
	wrap := func(part string) (*tool.Definition, *tool.Definition) {
		in := oneTool(t, toolLines("input: {type: object, properties: {a: "+part+", b: {type: integer}}}"))
		out := oneTool(t, toolLines("output: {type: object, properties: {a: "+part+", b: {type: integer}}}"))
		return in, out
	}
	var ins, outs []*tool.Definition
	for _, part := range parts {
		in, out := wrap(part)
		ins, outs = append(ins, in), append(outs, out)
	}
	compatible := 0
	for i := range parts {
		for j := range parts {
			okIn := schemasCompatible(tool.Compatible(ins[i], ins[j]))
			okOut := schemasCompatible(tool.Compatible(outs[i], outs[j]))
			if okIn {
				compatible++
			}
			for _, v := range values {
				arg := map[string]any{"a": v}
				if okIn && ins[i].Input.Validate(arg) == nil && ins[j].Input.Validate(arg) != nil {
					t.Errorf("input %s → %s is called compatible, but %s no longer passes", parts[i], parts[j], schema.Literal(v))
				}
				if okOut && outs[j].Output.Validate(arg) == nil && outs[i].Output.Validate(arg) != nil {
					t.Errorf("output %s → %s is called compatible, but %s is new", parts[i], parts[j], schema.Literal(v))
				}
			}
		}
	}
	if compatible < 100 {
		t.Errorf("only %d pairs are compatible", compatible)
	}
}

// schemasCompatible leaves out what the equal versions of the pairs say.
func schemasCompatible(changes []schema.Change) bool {
	for _, c := range changes {
		if c.Impact == schema.Breaking && c.Path != "version" {
			return false
		}
	}
	return true
}

func oneTool(t testing.TB, text string) *tool.Definition {
	t.Helper()
	f, err := toolfile.Load("t.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f.Tools[0]
}
