package tool_test

import (
	"strings"
	"testing"

	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// TestRedact looks for a canary wherever a secret can be declared.
func TestRedact(t *testing.T) {
	d := oneTool(t, toolLines(`input: {type: object, properties: {
      key: {type: string, writeOnly: true}, password: {type: string, format: password}, token: {x-secret: true},
      either: {anyOf: [{type: integer}, {type: object, properties: {pin: {type: string, x-secret: true}}}]},
      list: {type: array, prefixItems: [{}, {x-secret: true}], items: {$ref: '#/$defs/account'}},
      headers: {type: object, additionalProperties: {type: string, x-secret: true}},
      deep: {type: array, items: {type: object, properties: {a: {}, plain: {}}}}, patterned: {type: object, patternProperties: {^x: {type: string, writeOnly: true}}},
      chosen: {if: {required: [a]}, then: {properties: {a: {x-secret: true}}}}, whole: {}, plain: {type: string}},
      $defs: {account: {type: object, properties: {secret: {type: string, writeOnly: true}, more: {$ref: '#/$defs/account'}}}}}`,
		"output: {type: object, properties: {session: {type: string}, rows: {type: array, items: {type: object, properties: {x: {x-secret: true}}}}}}",
		"secrets: {input: [/deep/*/a, /whole], output: [/session]}"))
	const canary = "canary"
	args := map[string]any{
		"key": canary, "password": canary, "token": []any{canary}, "either": map[string]any{"pin": canary},
		"list":      []any{"first stays", canary, map[string]any{"secret": canary, "more": map[string]any{"more": map[string]any{"secret": canary}}}},
		"patterned": map[string]any{"x1": canary}, "chosen": map[string]any{"a": canary},
		"headers": map[string]any{"authorization": canary}, "deep": []any{map[string]any{"a": canary, "plain": "deep stays"}},
		"whole": map[string]any{canary: canary}, "plain": "plain stays", "undeclared": "undeclared stays",
	}
	text, err := jsondoc.Canonical(d.RedactArguments(args))
	if err != nil || strings.Contains(string(text), canary) || strings.Count(string(text), " stays") != 4 || strings.Count(string(text), schema.Redacted) != 12 {
		t.Errorf("redacted: %s (%v)", text, err)
	}
	if args["key"] != canary {
		t.Error("the arguments themselves were changed")
	}
	text, err = jsondoc.Canonical(d.RedactResult(jsondoc.NewObject(jsondoc.Member{Name: "session", Value: canary}, jsondoc.Member{Name: "rows", Value: []any{map[string]any{"x": canary, "y": "stays"}}})))
	if want := `{"rows":[{"x":"(secret)","y":"stays"}],"session":"(secret)"}`; err != nil || string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
}
