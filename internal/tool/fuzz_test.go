package tool

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"praxis/fault"
)

// FuzzLoad holds that any file loads, or is refused with places and a bounded
// number of problems; and that what loads survives being written and read again.
func FuzzLoad(f *testing.F) {
	f.Add("t.yaml", documented(f))
	for _, test := range badFiles {
		text, _, _ := marked(test.file)
		f.Add("t.yaml", text)
	}
	f.Add("t.json", `{"version": 1, "tools": [{"name": "a.b", "version": "1.0.0", "effects": "read"}]}`)
	f.Fuzz(func(t *testing.T, name, text string) {
		file, err := Load(name, []byte(text))
		if err != nil {
			ps := asProblems(err)
			if len(ps) == 0 || len(ps) > maxProblems || fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%d problems: %v", len(ps), err)
			}
			for _, p := range ps {
				if strings.ContainsAny(p.What+p.Remedy, "\n\r") || len(p.What)+len(p.Remedy) > 4000 {
					t.Fatalf("not one line, or a long one: %q", p)
				}
			}
			return
		}
		if _, err := NewSet(file); err != nil && fault.KindOf(err) != fault.Conflict {
			t.Fatal(err)
		}
		for _, d := range file.Tools {
			again, err := ParseSchema("s.json", d.Input.JSON())
			if err != nil || again.Hash() != d.Input.Hash() {
				t.Fatalf("the input of %s does not survive: %v", d.Name, err)
			}
			for _, e := range d.Examples {
				if err := d.CheckArguments(e.Input); err != nil {
					t.Fatalf("an example of %s: %v", d.Name, err)
				}
			}
			if IsCompatible(Compatible(d, d)) != true {
				t.Fatalf("%s is not compatible with itself: %v", d.Name, Compatible(d, d))
			}
		}
	})
}

// FuzzSchema holds that any schema compiles or is refused, that judging is
// bounded, and that what a schema allows has its shape.
func FuzzSchema(f *testing.F) {
	for _, test := range badSchemas {
		text, _, _ := markedSchema(test.schema)
		f.Add(text, `{"a": [1, "x", null]}`)
	}
	f.Add(`{type: object, properties: {a: {items: {anyOf: [{type: integer}, {type: string}]}}}}`, `{"a": [1, "x"]}`)
	f.Fuzz(func(t *testing.T, text, value string) {
		s, err := ParseSchema("s.yaml", []byte(text))
		if err != nil {
			if len(problemsOf(err)) == 0 {
				t.Fatalf("no problems: %v", err)
			}
			return
		}
		s.Narrow()
		v, err := DecodeJSON([]byte(value))
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

// FuzzJSON holds that JSON is read as the standard library reads it, but for
// what is documented: duplicate names, depth, and numbers out of bounds.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{`{"a": [1, -0.5e+3, "x\u00e4\ud83d\ude00\n", null, true, false], "b": {}}`, `[`, `"\ud800"`, `01`, `1.`, `-`, `nul`, `{"a":1,}`, `{"a" 1}`, "\"\n\"", ` [ ] `, `tru`, `truex`, `"\q"`, `1e5x`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := DecodeJSON(data)
		r := &report{}
		n := (*node)(nil)
		if utf8.Valid(data) {
			n = readJSON(r, data)
		}
		if (err == nil) != (n != nil) {
			t.Fatalf("as a value %v, as a document %v", err, r.list)
		}
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		var want any
		valid := utf8.Valid(data) && json.Valid(data) && d.Decode(&want) == nil
		if err != nil {
			if valid && !strings.Contains(err.Error(), "stands twice") && !strings.Contains(err.Error(), "deeper than") && !strings.Contains(err.Error(), "out of bounds") {
				t.Fatalf("%q is refused: %v", data, err)
			}
			return
		}
		if !valid {
			t.Fatalf("%q is read as %v", data, v)
		}
		x, err1 := CanonicalJSON(v)
		y, err2 := CanonicalJSON(want)
		z, err3 := CanonicalJSON(n.value())
		if !bytes.Equal(x, y) || !bytes.Equal(x, z) || err1 != nil || err2 != nil || err3 != nil {
			t.Fatalf("%q is read as %s, %s as a document, and %s by the standard library", data, x, z, y)
		}
	})
}

// FuzzValidate judges values by one rich schema and by another implementation.
func FuzzValidate(f *testing.F) {
	const text = `{"type": "object", "required": ["a"], "properties": {"a": {"type": ["integer", "string"], "minimum": 1, "maxLength": 3},
		"b": {"type": "array", "items": {"type": "number", "multipleOf": 0.5}, "uniqueItems": true, "minItems": 1, "contains": {"minimum": 2}},
		"c": {"enum": [1, "1", null, [1], {"x": 1.0}]}, "d": {"oneOf": [{"type": "boolean"}, {"type": "string", "pattern": "^a+$"}, {"const": "aa"}]}},
		"patternProperties": {"^x": {"type": "null"}}, "additionalProperties": false, "maxProperties": 4, "dependentRequired": {"b": ["c"]}}`
	mine, err := ParseSchema("s.json", []byte(text))
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
	v, err := DecodeJSON([]byte(value))
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
		x, _ := CanonicalJSON(v)
		y, err2 := CanonicalJSON(json.Number(b))
		return err == nil && err2 == nil && bytes.Equal(x, y) && len(x) < 12
	case []any:
		for _, item := range v {
			if !exact(item) {
				return false
			}
		}
	case *Object:
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
		mine, err := ParseSchema("s.json", []byte(text))
		if err != nil {
			t.Fatalf("%v: %s", problemsOf(err), text)
		}
		theirs := resolved(t, text)
		for range values {
			value := g.value(0)
			compare(t, mine, theirs, text, value)
			if v, err := DecodeJSON([]byte(value)); err == nil && mine.Validate(v) == nil {
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

// thousand is a file of a thousand tools of the usual size.
func thousand() []byte {
	var b strings.Builder
	b.WriteString("version: 1\ntools:\n")
	for i := range 1000 {
		fmt.Fprintf(&b, `  - name: crm.tool%d
    version: 1.0.0
    description: Reads the records of one customer and returns them as a list.
    effects: read
    input:
      type: object
      required: [customer]
      properties:
        customer: {type: string, description: The customer's number}
        limit: {type: integer, minimum: 1, maximum: 1000, default: 100}
        since: {type: string, format: date}
    output:
      type: object
      properties:
        records:
          type: array
          items:
            type: object
            properties:
              id: {type: string, pattern: "^[a-z0-9]+$"}
              amount: {type: number}
              when: {type: string, format: date-time}
    labels: {trusted: false, readers: everyone}
    limits: {timeout: 10s, calls_per_run: 50}
    examples:
      - name: one
        input: {customer: a1}
        output: {records: [{id: x, amount: 1.5, when: "2026-01-01T00:00:00Z"}]}
`, i)
	}
	return []byte(b.String())
}

func BenchmarkLoadThousand(b *testing.B) {
	data := thousand()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		f, err := Load("t.yaml", data)
		if err != nil {
			b.Fatal(asProblems(err))
		}
		if _, err := NewSet(f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoadThousandJSON(b *testing.B) {
	var text bytes.Buffer
	writeNode(&text, readDocument(&report{file: "t.yaml"}, thousand()))
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load("t.json", text.Bytes()); err != nil {
			b.Fatal(asProblems(err))
		}
	}
}

func BenchmarkHash(b *testing.B) {
	d := loaded(b, "t.yaml", documented(b)).Tools[0]
	for b.Loop() {
		d.Hash()
	}
}

func BenchmarkValidate(b *testing.B) {
	d := loaded(b, "t.yaml", string(thousand())).Tools[0]
	v, err := DecodeJSON([]byte(`{"records":[` + strings.Repeat(`{"id":"x","amount":1.5,"when":"2026-01-01T00:00:00Z"},`, 999) + `{"id":"x"}]}`))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if m := d.Output.Validate(v); m != nil {
			b.Fatal(m)
		}
	}
}

func TestDocumentedFile(t *testing.T) {
	f := loaded(t, "tools.yaml", documented(t))
	d := f.Tools[0]
	if got, want := d.Signature(), "email.write(to, body, token=…)"; got != want {
		t.Errorf("signature is %q, want %q", got, want)
	}
	if got, want := d.Pos.String(), "tools.yaml:7:5"; got != want {
		t.Errorf("it stands at %s, want %s", got, want)
	}
	want := Limits{Timeout: 10 * time.Second, Bytes: 64 << 10, CallsPerRun: 20, Rate: Rate{10, time.Minute}}
	if d.Limits != want || d.Limits.Rate.String() != "10/minute" {
		t.Errorf("limits are %+v, want %+v", d.Limits, want)
	}
	if d.Effects != External || !d.Effects.Acts() || !d.Approval || d.Idempotent || d.Model || d.Namespace() != "email" || d.ID() != "email.write@1.0.0" {
		t.Errorf("the definition is %+v", d)
	}
	if got := fmt.Sprint(d.Labels.Arguments); got != "[{to true [] } {body false [to] }]" {
		t.Errorf("demands are %s", got)
	}
	if got := d.Labels.Demand("token"); got.Trusted || got.ReadableBy != nil {
		t.Errorf("a demand on token: %+v", got)
	}
	if len(d.Secrets.Input) != 1 || f.Me != "ann@example.com" || f.Inputs[0].Name != "customer" || !f.Inputs[0].Trusted || !f.Inputs[0].Readers.Everyone {
		t.Errorf("the file is %+v", f)
	}
}

// TestFileSchema holds the schema of the file against the tables that read it:
// the same keys everywhere, and the same verdict on the files of these tests.
func TestFileSchema(t *testing.T) {
	s, err := ParseSchema("tools.schema.json", FileSchema())
	if err != nil {
		t.Fatal(asProblems(err))
	}
	root := s.Type()
	sub := func(t *Type, path ...string) *Type {
		for _, name := range path {
			switch {
			case name == "*":
				t = t.Additional
			case name == "[]":
				t = t.Items
			case strings.HasPrefix(name, "|"):
				t = t.Variants[name[1]-'0']
			default:
				p, _ := t.Property(name)
				t = p.Type
			}
		}
		return t
	}
	of := sub(root, "tools", "[]")
	for _, test := range []struct {
		what string
		keys string
		t    *Type
	}{
		{"file", keysOf(fileFields()), root},
		{"input", keysOf(inputFields()), sub(root, "inputs", "*")},
		{"tool", keysOf(toolFields()), of},
		{"limits", keysOf(limitFields()), sub(of, "limits")},
		{"labels", keysOf(labelFields()), sub(of, "labels")},
		{"demand", keysOf(demandFields()), sub(of, "labels", "arguments", "*")},
		{"source", keysOf(sourceFields()), sub(of, "labels", "readers", "|1", "|1")},
		{"secrets", keysOf(secretFields(nil, nil)), sub(of, "secrets", "|1")},
		{"example", keysOf(exampleFields()), sub(of, "examples", "[]")},
		{"secret", keysOf(secretEntryFields()), sub(root, "secrets", "*")},
		{"run", strings.Join(append(BindingKinds(), "with"), ", "), sub(of, "run")},
	} {
		got, want := slices.Sorted(slices.Values(test.t.Names())), slices.Sorted(slices.Values(strings.Split(test.keys, ", ")))
		if !slices.Equal(got, want) {
			t.Errorf("%s has the keys %v in the schema and %v in Go", test.what, got, want)
		}
	}
	if got := fmt.Sprint(sub(of, "effects").Enum); got != fmt.Sprint(effectNames()) {
		t.Errorf("effects are %s", got)
	}
	for _, f := range toolFields() {
		if p, _ := of.Property(f.name); p.Required {
			t.Errorf("%s is required, even of a tool whose implementation says it", f.name)
		}
	}
	verdict := func(text string) (*Mismatch, bool) {
		r := &report{file: "t.yaml"}
		n := readDocument(r, []byte(text))
		if n == nil {
			return nil, false
		}
		return s.Validate(n.value()), true
	}
	if m, _ := verdict(documented(t)); m != nil {
		t.Errorf("the documented file does not fit: %v", m)
	}
	seen, total := 0, 0
	for _, test := range badFiles {
		text, _, _ := marked(test.file)
		if m, ok := verdict(text); ok {
			if total++; m != nil {
				seen++
			} else if strings.Contains(test.want, "unknown key") || strings.Contains(test.want, "lacks the key") || strings.Contains(test.want, "expected a boolean") {
				t.Errorf("%s: the schema lets it pass", test.name)
			}
		}
	}
	if seen*2 < total {
		t.Errorf("the schema sees %d of %d bad files", seen, total)
	}
}

// TestRoundTrip holds that YAML, JSON and what a schema writes out are the same.
func TestRoundTrip(t *testing.T) {
	f := loaded(t, "tools.yaml", documented(t))
	r := &report{}
	n := readDocument(r, []byte(documented(t)))
	var b bytes.Buffer
	writeNode(&b, n)
	g, err := Load("tools.json", b.Bytes())
	if err != nil {
		t.Fatal(asProblems(err))
	}
	if f.Tools[0].Hash() != g.Tools[0].Hash() || g.Tools[0].Signature() != f.Tools[0].Signature() {
		t.Error("as JSON it is another tool")
	}
	again, err := ParseSchema("s.json", f.Tools[0].Input.JSON())
	if err != nil || again.Hash() != f.Tools[0].Input.Hash() || !bytes.Equal(again.JSON(), f.Tools[0].Input.JSON()) {
		t.Errorf("the schema does not survive: %v", err)
	}
	v, err := DecodeJSON([]byte(`{"b":1.50,"a":["x\n\"\\ä\u0001",null,true,123456789012345678901234567890],"c":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := v.(*Object).MarshalJSON()
	if want := `{"b":1.50,"a":["x\n\"\\ä\u0001",null,true,123456789012345678901234567890],"c":{}}`; err != nil || string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
}

// TestHashOfDocumented holds the hash of a definition still: journals have it.
func TestHashOfDocumented(t *testing.T) {
	sum := loaded(t, "t.yaml", documented(t)).Tools[0].Hash()
	if got, want := hex.EncodeToString(sum[:]), "4cdaffb67ac74755f6d282ef33eb7f3680052daa996786dd8f6399ac2b13f9b1"; got != want {
		t.Errorf("the hash of the documented tool is %s: it changed, and with it every journal", got)
	}
}
