package toolfile

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// FuzzLoad checks that any file loads, or is refused with places and a bounded
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
			if len(ps) == 0 || len(ps) > jsondoc.MaxProblems || fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%d problems: %v", len(ps), err)
			}
			for _, p := range ps {
				if strings.ContainsAny(p.What+p.Remedy, "\n\r") || len(p.What)+len(p.Remedy) > 4000 {
					t.Fatalf("not one line, or a long one: %q", p)
				}
			}
			return
		}
		if _, err := tool.NewSet(file); err != nil && fault.KindOf(err) != fault.Conflict {
			t.Fatal(err)
		}
		for _, d := range file.Tools {
			again, err := schema.Parse("s.json", d.Input.JSON())
			if err != nil || again.Hash() != d.Input.Hash() {
				t.Fatalf("the input of %s does not survive: %v", d.Name, err)
			}
			for _, e := range d.Examples {
				if err := d.CheckArguments(e.Input); err != nil {
					t.Fatalf("an example of %s: %v", d.Name, err)
				}
			}
			if schema.IsCompatible(tool.Compatible(d, d)) != true {
				t.Fatalf("%s is not compatible with itself: %v", d.Name, tool.Compatible(d, d))
			}
		}
	})
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
		if _, err := tool.NewSet(f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoadThousandJSON(b *testing.B) {
	var text bytes.Buffer
	jsondoc.WriteNode(&text, jsondoc.Read(&jsondoc.Report{File: "t.yaml"}, thousand()))
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
	v, err := jsondoc.Decode([]byte(`{"records":[` + strings.Repeat(`{"id":"x","amount":1.5,"when":"2026-01-01T00:00:00Z"},`, 999) + `{"id":"x"}]}`))
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
	want := tool.Limits{Timeout: 10 * time.Second, Bytes: 64 << 10, CallsPerRun: 20, Rate: tool.Rate{Calls: 10, Per: time.Minute}}
	if d.Limits != want || d.Limits.Rate.String() != "10/minute" {
		t.Errorf("limits are %+v, want %+v", d.Limits, want)
	}
	if d.Effects != tool.External || !d.Effects.Acts() || !d.Approval || d.Idempotent || d.Model || d.Namespace() != "email" || d.ID() != "email.write@1.0.0" {
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

// TestFileSchema compares the schema of the file with the tables that read it:
// the same keys everywhere, and the same verdict on the files of these tests.
func TestFileSchema(t *testing.T) {
	s, err := schema.Parse("tools.schema.json", Schema())
	if err != nil {
		t.Fatal(asProblems(err))
	}
	root := s.Type()
	sub := func(t *schema.Type, path ...string) *schema.Type {
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
		t    *schema.Type
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
	if got := fmt.Sprint(sub(of, "effects").Enum); got != fmt.Sprint(tool.EffectNames()) {
		t.Errorf("effects are %s", got)
	}
	for _, f := range toolFields() {
		if p, _ := of.Property(f.name); p.Required {
			t.Errorf("%s is required, even of a tool whose implementation says it", f.name)
		}
	}
	verdict := func(text string) (*schema.Mismatch, bool) {
		r := &jsondoc.Report{File: "t.yaml"}
		n := jsondoc.Read(r, []byte(text))
		if n == nil {
			return nil, false
		}
		return s.Validate(n.Value()), true
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

// TestRoundTrip checks that YAML, JSON and what a schema writes out are the same.
func TestRoundTrip(t *testing.T) {
	f := loaded(t, "tools.yaml", documented(t))
	r := &jsondoc.Report{}
	n := jsondoc.Read(r, []byte(documented(t)))
	var b bytes.Buffer
	jsondoc.WriteNode(&b, n)
	g, err := Load("tools.json", b.Bytes())
	if err != nil {
		t.Fatal(asProblems(err))
	}
	if f.Tools[0].Hash() != g.Tools[0].Hash() || g.Tools[0].Signature() != f.Tools[0].Signature() {
		t.Error("as JSON it is another tool")
	}
	again, err := schema.Parse("s.json", f.Tools[0].Input.JSON())
	if err != nil || again.Hash() != f.Tools[0].Input.Hash() || !bytes.Equal(again.JSON(), f.Tools[0].Input.JSON()) {
		t.Errorf("the schema does not survive: %v", err)
	}
	v, err := jsondoc.Decode([]byte(`{"b":1.50,"a":["x\n\"\\ä\u0001",null,true,123456789012345678901234567890],"c":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := v.(*jsondoc.Object).MarshalJSON()
	if want := `{"b":1.50,"a":["x\n\"\\ä\u0001",null,true,123456789012345678901234567890],"c":{}}`; err != nil || string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
}

// TestHashOfDocumented checks that the hash of a definition does not change, since
// journals have it.
func TestHashOfDocumented(t *testing.T) {
	sum := loaded(t, "t.yaml", documented(t)).Tools[0].Hash()
	if got, want := hex.EncodeToString(sum[:]), "4cdaffb67ac74755f6d282ef33eb7f3680052daa996786dd8f6399ac2b13f9b1"; got != want {
		t.Errorf("the hash of the documented tool is %s: it changed, and with it every journal", got)
	}
}
