package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/tool/jsondoc"
)

// badSchemas are schemas with one thing wrong each; ▸ as in badFiles.
var badSchemas = []struct{ name, schema, want, remedy string }{
	{"a number", "▸17", "expected a schema, got a number", "{type: string}"},
	{"unknown type", "{type: ▸strng}", `type: expected the name of a type, got "strng"`, `"string"`},
	{"type of another language", "{type: ▸float}", "expected the name of a type", "Known are"},
	{"type null without quotes", "{type: [string, ▸null]}", "got null", `"null"`},
	{"empty list of types", "{type: ▸[]}", "empty", ""},
	{"misspelt keyword", "{▸requried: [a]}", `unknown keyword "requried"`, `"required"`},
	{"camel case", "{▸additionalproperties: false}", "unknown keyword", `"additionalProperties"`},
	{"snake case", "{▸max_length: 3}", "unknown keyword", `"maxLength"`},
	{"required of draft 3", "{properties: {a: {required: ▸true}}}", "required: expected a list of names, got true", "[a, b]"},
	{"required twice", "{required: [a, ▸a]}", "stands twice", ""},
	{"required but not there", "{additionalProperties: false, properties: {title: {}}, required: ▸[titel]}", `"titel" is not among the properties`, `"title"`},
	{"properties as a list", "{properties: ▸[a]}", "expected a mapping of names to schemas", ""},
	{"property that is a type", "{properties: {a: ▸string}}", `expected a schema, got a string`, "{type: string}"},
	{"items as a list", "{items: ▸[{}]}", "items: expected a schema, got a list", "prefixItems"},
	{"length below zero", "{minLength: ▸-1}", "minLength: expected a whole number from 0", ""},
	{"length in text", "{minLength: ▸\"1\"}", "minLength", ""},
	{"minimum in text", "{minimum: ▸\"1\"}", "minimum: expected a number", ""},
	{"multiple of zero", "{multipleOf: ▸0}", "above 0", ""},
	{"enum as a value", "{enum: ▸a}", "enum: expected a list", "[a, b]"},
	{"anyOf of nothing", "{anyOf: ▸[]}", "anyOf: expected a list of schemas, got an empty list", ""},
	{"pattern", "{pattern: \"▸(\"}", "pattern: missing closing )", ""},
	{"look-ahead", "{pattern: ▸'^(?=a)'}", "pattern", "Look-ahead"},
	{"back reference", `{pattern: ▸'(a)\1'}`, "pattern", ""},
	{"long pattern", "{pattern: ▸" + strings.Repeat("a", maxPattern+1) + "}", "longer than", ""},
	{"repeated pattern", "{pattern: ▸'((a{1000}){1000}){1000}'}", "pattern", ""},
	{"remote reference", "{$ref: ▸https://example.com/a.json}", "leads out of this document", "#/$defs/NAME"},
	{"file reference", "{$ref: ▸other.json#/a}", "nothing is ever fetched", ""},
	{"reference to nothing", "{$ref: ▸'#/$defs/persn', $defs: {person: {}}}", `there is no "persn"`, `"person"`},
	{"anchor that is not there", "{$ref: ▸'#a'}", `there is no $anchor "a"`, ""},
	{"reference to a keyword's value", "{$ref: '#/title', title: ▸x}", "expected a schema", ""},
	{"reference to itself", "▸{$ref: '#'}", "refers to itself", "below properties"},
	{"references in a ring", "{$ref: '#/$defs/a', $defs: {a: {anyOf: [{$ref: '#/$defs/b'}]}, b: {$ref: '#/$defs/a'}}}", "refers to itself", ""},
	{"dynamic reference", "{▸$dynamicRef: '#a'}", "not supported", "$anchor"},
	{"unknown dialect", "{$schema: ▸https://example.com/schema}", "dialect", "2020-12"},
	{"repeated to exhaustion", "{pattern: ▸'a{900}b{900}c{900}d{900}e{900}'}", "repeats too much", ""},
	{"boolean in words", "{uniqueItems: ▸yes}", "uniqueItems: expected a boolean", ""},
}

func TestBadSchemas(t *testing.T) {
	for _, test := range badSchemas {
		t.Run(test.name, func(t *testing.T) {
			text, line, col := markedSchema(test.schema)
			if strings.Contains(test.schema, `"▸`) { // the place is that of the whole string
				col--
			}
			s, err := Parse("s.yaml", []byte(text))
			if err == nil {
				t.Fatalf("it compiled: %s", s.JSON())
			}
			judgeSchemaProblem(t, err, jsondoc.Problem{Pos: jsondoc.Position{File: "s.yaml", Line: line, Column: col}, What: test.want, Remedy: test.remedy})
		})
	}
}

// TestOldDrafts checks that what older drafts wrote is understood when they say so.
func TestOldDrafts(t *testing.T) {
	s := mustSchema(t, `{$schema: "http://json-schema.org/draft-07/schema#", definitions: {n: {type: integer}},
		items: [{$ref: "#/definitions/n"}], additionalItems: false}`)
	if s.Validate([]any{1}) != nil || s.Validate([]any{"a"}) == nil || s.Validate([]any{1, 2}) == nil {
		t.Error("a tuple of draft 7 is not one")
	}
	s = mustSchema(t, `{$schema: "http://json-schema.org/draft-04/schema#", minimum: 3, exclusiveMinimum: true}`)
	if s.Validate(3) == nil || s.Validate(4) != nil {
		t.Error("the exclusive minimum of draft 4 is not one")
	}
	s = mustSchema(t, `{type: string, nullable: true, format: date}`)
	if s.Validate(nil) != nil || s.Validate(3) == nil {
		t.Error("nullable is not")
	}
}

func mustSchema(t testing.TB, text string) *Schema {
	t.Helper()
	s, err := Parse("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMismatches(t *testing.T) {
	const mail = `{type: object, required: [to, body], additionalProperties: false, properties: {
		to: {type: string, format: email}, body: {type: string, maxLength: 5}, subject: {type: [string, "null"]},
		kind: {enum: [plain, html]}, copies: {type: integer, minimum: 1, maximum: 9, default: 1}, tags: {type: array, items: {type: string}, uniqueItems: true, maxItems: 2},
		urgent: {type: boolean}, key: {type: string, x-secret: true, minLength: 20}, when: {type: string, format: date}}}`
	base := func(extra ...jsondoc.Member) any {
		return jsondoc.NewObject(append([]jsondoc.Member{{Name: "to", Value: "a@b.example"}, {Name: "body", Value: "hi"}}, extra...)...)
	}
	for _, test := range []struct {
		name, schema string
		value        any
		want         string
	}{
		{"fits", mail, base(), ""},
		{"not an object", mail, "a", `expected an object with to, body, got string "a"`},
		{"missing", mail, jsondoc.NewObject(jsondoc.Member{Name: "to", Value: "a@b.example"}), `expected the member "body", got an object without it; add "body", a string`},
		{"misspelt", mail, jsondoc.NewObject(jsondoc.Member{Name: "to", Value: "a@b.example"}, jsondoc.Member{Name: "bdoy", Value: "x"}), `expected the member "body", got an object without it; rename "bdoy" to "body" (and 1 more)`},
		{"too many", mail, base(jsondoc.Member{Name: "subjet", Value: "x"}), `/subjet: expected no member of this name, got the member "subjet"; did you mean "subject"?`},
		{"e-mail", mail, base(jsondoc.Member{Name: "to", Value: "bob"}), `/to: expected a string of format email, got string "bob"; it needs a name, @ and a domain`},
		{"length", mail, base(jsondoc.Member{Name: "body", Value: "much too long"}), `/body: expected a string of at most 5 characters, got string "much too long"; it has 13`},
		{"kind of two", mail, base(jsondoc.Member{Name: "subject", Value: 3}), `/subject: expected a string or null, got integer 3; write "3"`},
		{"enum", mail, base(jsondoc.Member{Name: "kind", Value: "htm"}), `/kind: expected one of "plain", "html", got string "htm"; did you mean "html"?`},
		{"text for a number", mail, base(jsondoc.Member{Name: "copies", Value: "3"}), `/copies: expected an integer from 1 to 9, got string "3"; write 3 without quotes`},
		{"fraction", mail, base(jsondoc.Member{Name: "copies", Value: 2.5}), `/copies: expected an integer from 1 to 9, got number 2.5; write 2`},
		{"above", mail, base(jsondoc.Member{Name: "copies", Value: json.Number("12")}), `/copies: expected an integer from 1 to 9, got integer 12; the greatest is 9`},
		{"null", mail, base(jsondoc.Member{Name: "copies", Value: nil}), `/copies: expected an integer from 1 to 9, got null; leave it out: the default is 1`},
		{"item for a list", mail, base(jsondoc.Member{Name: "tags", Value: "a"}), `/tags: expected an array, got string "a"; write a list with this one item`},
		{"item", mail, base(jsondoc.Member{Name: "tags", Value: []any{"a", 1}}), `/tags/1: expected a string, got integer 1; write "1"`},
		{"same items", mail, base(jsondoc.Member{Name: "tags", Value: []any{"a", "a"}}), `/tags/1: expected different items, got the same as item 0; leave it out`},
		{"long list", mail, base(jsondoc.Member{Name: "tags", Value: []any{"a", "b", "c"}}), `/tags: expected an array of at most 2 items, got array of 3`},
		{"boolean as text", mail, base(jsondoc.Member{Name: "urgent", Value: "True"}), `/urgent: expected a boolean, got string "True"; write true without quotes`},
		{"secret", mail, base(jsondoc.Member{Name: "key", Value: "hunter2"}), `/key: expected a string of at least 20 characters, got string (secret); it has 7`},
		{"secret of another kind", mail, base(jsondoc.Member{Name: "key", Value: 1234}), `/key: expected a string, got integer (secret)`},
		{"date", mail, base(jsondoc.Member{Name: "when", Value: "2026-02-30"}), `/when: expected a string of format date, got string "2026-02-30"; such as "2026-05-31"`},
		{"union of kinds", "{anyOf: [{type: string}, {type: integer}]}", true, `expected one of: a string; an integer, got boolean true`},
		{"the variant that was meant", "{oneOf: [{properties: {kind: {const: circle}, r: {type: number}}, required: [kind, r]}, {properties: {kind: {const: box}, w: {type: number}}, required: [kind, w]}]}",
			map[string]any{"kind": "box", "r": 1}, `expected the member "w", got an object without it; add "w", a number`},
		{"several variants", "{oneOf: [{type: number}, {type: integer}]}", 3, `expected a value that fits exactly one alternative, got integer 3, which fits several`},
		{"never", "{properties: {a: false}}", map[string]any{"a": 1}, `/a: expected nothing (no value is allowed here), got integer 1`},
		{"not JSON", "true", map[string]any{"a": struct{}{}}, `/a: expected a JSON value, got a Go value of type struct {}`},
		{"not a number", "true", []any{math.NaN()}, `/0: expected a JSON value, got a Go value of type float64`},
		{"not UTF-8", "true", []any{"\xff"}, `/0: expected text in UTF-8, got a string of other bytes`},
		{"multiple", "{type: number, multipleOf: 0.01}", json.Number("0.075"), `expected a number in steps of 0.01, got number 0.075; write a multiple of 0.01`},
		{"path is escaped", `{additionalProperties: {type: string}}`, map[string]any{"a/b~c": 1}, `/a~1b~0c: expected a string, got integer 1; write "1"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if m := mustSchema(t, test.schema).Validate(test.value); m != nil {
				got = m.Error()
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestRedacted checks that nothing of the value remains.
func TestRedacted(t *testing.T) {
	s := mustSchema(t, `{properties: {who: {type: array, items: {properties: {mail: {type: integer}}, additionalProperties: {type: integer}}}}}`)
	for _, test := range []struct {
		value any
		want  string
	}{
		{map[string]any{"who": []any{map[string]any{"mail": "canary"}}}, "/who/*/mail: expected an integer, got string"},
		{map[string]any{"who": []any{map[string]any{"canary": "x"}}}, "/who/*/*: expected an integer, got string"},
		{map[string]any{"who": "canary"}, "/who: expected an array, got string"},
	} {
		got := s.Validate(test.value).Redacted(s).Error()
		if got != test.want || strings.Contains(got, "canary") {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// TestExactNumbers checks that no number is rounded on its way.
func TestExactNumbers(t *testing.T) {
	large := "9007199254740993" // 2^53 + 1, which float64 lacks
	s := mustSchema(t, "{type: integer, maximum: 9007199254740992}")
	n, _ := new(big.Int).SetString(large, 10)
	for _, v := range []any{json.Number(large), n, int64(9007199254740993), uint64(9007199254740993)} {
		if s.Validate(v) == nil {
			t.Errorf("%T %v passed for at most 2^53", v, v)
		}
	}
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"1", "1.0", 0}, {"10e-1", "1", 0}, {"-0", "0", 0}, {"1e400", "10e399", 0}, {"0.1", "0.10000000000000000001", -1},
		{"-2", "1", -1}, {"-2", "-1", -1}, {"1e-400", "0", 1}, {"99", "100", -1}, {"1e1000000", "9e999999", 1}, {"0.5", "0.05", 1},
	} {
		a, ok1 := jsondoc.ParseDecimal(test.a)
		b, ok2 := jsondoc.ParseDecimal(test.b)
		if got := a.Compare(b); !ok1 || !ok2 || got != test.want || b.Compare(a) != -test.want {
			t.Errorf("%s against %s is %d, want %d", test.a, test.b, got, test.want)
		}
	}
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"10", "5", true}, {"10", "4", false}, {"0.3", "0.1", true}, {"0.35", "0.1", false}, {"1e1000000", "3", false},
		{"1e1000000", "1e-1000000", true}, {"3e1000000", "3", true}, {"1e-1000000", "1", false}, {"0", "7", true}, {"-9", "3", true}, {"1", "0.125", true},
	} {
		a, _ := jsondoc.ParseDecimal(test.a)
		b, _ := jsondoc.ParseDecimal(test.b)
		if got := a.MultipleOf(b); got != test.want {
			t.Errorf("%s is a multiple of %s: %t, want %t", test.a, test.b, got, test.want)
		}
	}
	for in, want := range map[string]string{"1.50": "1.5", "1e2": "100", "-0.0": "0", "12.5e-3": "0.0125", "1e500": "1e500", "1.25e-30": "1.25e-30", "100": "100"} {
		if got, _ := jsondoc.Canonical(json.Number(in)); string(got) != want {
			t.Errorf("canonical %s is %s, want %s", in, got, want)
		}
	}
}

// TestBoundedJudging checks that schemas built to explode do not.
func TestBoundedJudging(t *testing.T) {
	var alternatives strings.Builder
	alternatives.WriteString("{$ref: '#/$defs/a0', $defs: {")
	for i := range 40 {
		fmt.Fprintf(&alternatives, "a%d: {allOf: [{$ref: '#/$defs/a%d'}, {$ref: '#/$defs/a%d'}]}, ", i, i+1, i+1)
	}
	alternatives.WriteString("a40: {type: string}}}")
	if m := mustSchema(t, alternatives.String()).Validate("x"); m == nil || !m.Limit {
		t.Errorf("2^40 alternatives were judged: %v", m)
	}
	doubling := mustSchema(t, "{$ref: '#/$defs/a', $defs: {a: {anyOf: [{items: {$ref: '#/$defs/a'}, minItems: 2}, {items: {$ref: '#/$defs/a'}}]}}}")
	var v any = "end"
	for range 100 {
		v = []any{v}
	}
	if m := doubling.Validate(v); m == nil || !m.Limit {
		t.Errorf("2^100 paths were judged: %v", m)
	}
	v = "end"
	for range jsondoc.MaxDepth + 1 {
		v = []any{v}
	}
	if m := Any().Validate(v); m == nil || !m.Limit {
		t.Errorf("a value deeper than %d was judged: %v", jsondoc.MaxDepth, m)
	}
	list := make([]any, 100_000)
	for i := range list {
		list[i] = i
	}
	if m := mustSchema(t, "{uniqueItems: true, items: {type: integer, enum: [1]}}").Validate(list); m == nil || m.Limit || len(m.More) > maxMismatches {
		t.Errorf("a long list gave %v", m)
	}
	if m := mustSchema(t, "{uniqueItems: true, items: {type: integer}}").Validate(list); m != nil {
		t.Errorf("a long list of different integers gave %v", m)
	}
}

func TestFormats(t *testing.T) {
	for format, values := range map[string][2][]string{
		"date":          {{"2024-02-29", "0001-01-01"}, {"2023-02-29", "2024-2-1", "24-02-01", "2024-02-01T00:00:00Z", ""}},
		"time":          {{"23:59:59Z", "00:00:00.123+02:00", "23:59:60Z", "01:29:60+01:30"}, {"24:00:00Z", "12:00Z", "12:00:00", "12:60:00Z", "22:59:60Z", "12:00:00+24:00", "12:00:00.Z"}},
		"date-time":     {{"2026-05-31T14:30:00Z", "2026-05-31t14:30:00.5-08:00"}, {"2026-05-31 14:30:00Z", "2026-05-31T14:30:00", "2026-13-31T14:30:00Z", "T"}},
		"duration":      {{"P1Y2M3DT4H5M6S", "PT1H", "P2W", "P1D"}, {"P", "PT", "P1", "1D", "P1S", "PT1D", "P1Y3D", "P1W2D"}},
		"email":         {{"john@acme.com", "a.b+c@x-y.example", "x@localhost"}, {"john", "@acme.com", "john@", `"ignore all rules"@acme.com`, "a b@acme.com", "a..b@acme.com", "a@[127.0.0.1]", "a@b@c d", "ö@acme.com"}},
		"hostname":      {{"example.com", "a", "xn--nxasmq6b"}, {"-a.com", "a..b", "", "a_b", strings.Repeat("a", 64)}},
		"ipv4":          {{"192.0.2.1"}, {"256.0.0.1", "1.2.3", "01.2.3.4", "::1"}},
		"ipv6":          {{"::1", "2001:db8::1", "::ffff:1.2.3.4"}, {"1.2.3.4", "fe80::1%eth0", ":::"}},
		"uri":           {{"https://example.com/a?b#c", "urn:a:b"}, {"/a", "https://a b", "http://[", `http:\\a`, "http://ä.example"}},
		"uri-reference": {{"/a", "a?b", ""}, {"a b", `\`}},
		"uuid":          {{"3F333df6-90a4-4fda-8dd3-9485d27cee36"}, {"3f333df690a44fda8dd39485d27cee36", "3f333df6-90a4-4fda-8dd3-9485d27cee3g"}},
		"json-pointer":  {{"", "/a~1b/0"}, {"a", "/a~2"}},
		"regex":         {{"^a+$", `\u0041`}, {"(", "a**b("}},
		"unheard-of":    {{"anything"}, nil},
	} {
		for _, s := range values[0] {
			if !formatOK(format, s) {
				t.Errorf("%q is not a %s", s, format)
			}
		}
		for _, s := range values[1] {
			if formatOK(format, s) {
				t.Errorf("%q is a %s", s, format)
			}
		}
		if example := formatExample(format); example != "" && !formatOK(format, example) {
			t.Errorf("the example %q is not a %s", example, format)
		}
	}
}

func TestECMAPatterns(t *testing.T) {
	for _, test := range []struct {
		pattern, value string
		want           bool
	}{
		{`^\u00e4\/$`, "ä/", true}, {`^\cA$`, "\x01", true}, {`\d{2}`, "a12", true}, {`^\d$`, "٣", false}, {`^a$`, "a\n", false}, {`\\u0041`, `\u0041`, true},
	} {
		s := mustSchema(t, "{pattern: '"+test.pattern+"'}")
		if got := s.Validate(test.value) == nil; got != test.want {
			t.Errorf("%s on %q: %t, want %t", test.pattern, test.value, got, test.want)
		}
	}
}

// markedSchema takes the ▸ out of a text and returns its place, 0 and 0 when there is none.
func markedSchema(text string) (plain string, line, col int) {
	before, after, found := strings.Cut(text, "▸")
	if !found {
		return text, 0, 0
	}
	line, col = jsondoc.LineCol([]byte(before), len(before))
	return before + after, line, col
}

// judgeSchemaProblem checks the first problem of an error; the texts of want are parts of it.
func judgeSchemaProblem(t *testing.T, err error, want jsondoc.Problem) {
	t.Helper()
	ps := problemsOf(err)
	if len(ps) == 0 {
		t.Fatalf("the error has no problems: %v", err)
	}
	got := ps[0]
	if want.Pos.Line != 0 && got.Pos != want.Pos {
		t.Errorf("place is %s, want %s (%s)", got.Pos, want.Pos, got)
	}
	if !strings.Contains(got.What, want.What) {
		t.Errorf("problem is %q, want %q", got.What, want.What)
	}
	if want.Remedy != "" && !strings.Contains(got.Remedy, want.Remedy) {
		t.Errorf("remedy is %q, want %q (of %q)", got.Remedy, want.Remedy, got.What)
	}
	if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "\n") {
		t.Errorf("the error is %v: %q", fault.KindOf(err), err)
	}
	if len(ps) == 1 && fault.RemedyOf(err) != got.Remedy {
		t.Errorf("the fault's remedy is %q, want %q", fault.RemedyOf(err), got.Remedy)
	}
}

func problemsOf(err error) jsondoc.Problems {
	var ps jsondoc.Problems
	errors.As(err, &ps)
	return ps
}
