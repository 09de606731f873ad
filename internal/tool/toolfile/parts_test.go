package toolfile_test

import (
	"slices"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

const marked = `version: 1
tools:
  - name: events
    version: 1.0.0
    effects: read
    labels: {fields: {"/*/owner": {trusted: false}}}
    output:
      type: array
      items:
        type: object
        x-readers: {from: result, path: /guests}
        properties:
          x-trusted: {type: string}
          owner: {type: string, x-trusted: true}
          guests: {type: array, x-trusted: true, items: {type: string}}
`

// TestPartLabels: keywords in an output schema and labels of fields are one list, in
// which the latter count first; a definition that is written and read again is the same.
func TestPartLabels(t *testing.T) {
	file, err := toolfile.Load("tools.yaml", []byte(marked))
	if err != nil {
		t.Fatal(err)
	}
	d := file.Tools[0]
	var got []string
	for _, p := range d.Labels.Fields {
		text := string(p.Path)
		if p.Trusted != nil {
			text += map[bool]string{true: " trusted", false: " untrusted"}[*p.Trusted]
		}
		if p.Readers != nil {
			text += " " + p.Readers.From[0].Origin.String() + string(p.Readers.From[0].Path)
		}
		got = append(got, text)
	}
	if want := []string{"/*/owner untrusted", "/*/guests trusted", "/* result/guests"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := d.Labels.Exceptions(); got != "; trusted are /*/guests" {
		t.Errorf("in words: %q", got)
	}
	if schema := string(d.Output.JSON()); strings.Contains(schema, "x-readers") || strings.Count(schema, "x-trusted") != 1 {
		t.Errorf("the schema is %s", schema)
	}
	again, err := toolfile.Define("tools.yaml", d.Document())
	if err != nil || again.Hash() != d.Hash() {
		t.Errorf("written and read again it is another one: %v", err)
	}
}

// TestPartLabelsOfOthers: what a server or an implementation says in its schema does
// not make anything trusted.
func TestPartLabelsOfOthers(t *testing.T) {
	doc, err := jsondoc.Decode([]byte(`{"name": "t", "version": "1.0.0", "effects": "read", "output": {"type": "object", "x-trusted": true, "properties": {"a": {"x-trusted": true, "x-readers": "everyone"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	d, err := toolfile.Define("a server", doc.(*jsondoc.Object))
	if err != nil {
		t.Fatal(err)
	}
	if d.Labels.Fields != nil || strings.Contains(string(d.Output.JSON()), "x-trusted") {
		t.Errorf("fields %v, schema %s", d.Labels.Fields, d.Output.JSON())
	}
	derived := func(tool.Binding) (*jsondoc.Object, error) { return doc.(*jsondoc.Object), nil }
	file, err := toolfile.LoadWith("tools.yaml", []byte("version: 1\ntools: [{run: {python: {file: a.py}}}]\n"), derived)
	if err != nil {
		t.Fatal(err)
	}
	if file.Tools[0].Labels.Fields != nil {
		t.Errorf("fields %v", file.Tools[0].Labels.Fields)
	}
}

func TestPartLabelsThatAreWrong(t *testing.T) {
	for change, want := range map[string]string{
		"labels: {fields: {\"/*/owners\": {trusted: true}}}":           "no \"owners\"",
		"labels: {fields: {\"/*/owner\": {trust: true}}}":              "unknown key \"trust\"",
		"labels: {fields: [\"/a\"]}":                                   "mapping of JSON pointers",
		"model: true":                                                  "no part of a reply is trusted",
		"labels: {fields: {\"/*/owner\": {trusted: maybe}}}":           "expected a boolean",
		"labels: {fields: {\"*/owner\": {readers: everyone}}}":         "expected a JSON pointer",
		"labels: {fields: {\"/*/owner\": {readers: {from: nowhere}}}}": "from: expected result",
	} {
		text := strings.Replace(marked, "labels: {fields: {\"/*/owner\": {trusted: false}}}", change, 1)
		if _, err := toolfile.Load("tools.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", change, err, want)
		}
	}
	text := strings.Replace(marked, "        type: object\n", "        anyOf: [{type: object, x-trusted: true}]\n", 1)
	if _, err := toolfile.Load("tools.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "only below properties and items") {
		t.Error(err)
	}
}

// TestFieldEntries: a file labels parts of results of tools that others declare, before
// what these say, and what is written of a run has it.
func TestFieldEntries(t *testing.T) {
	file, err := toolfile.Load("tools.yaml", []byte(marked))
	if err != nil {
		t.Fatal(err)
	}
	over, err := toolfile.Load("over.yaml", []byte("version: 1\nfields:\n  ev*: {/*/guests: {trusted: false}, /*/x-trusted: {trusted: true}}\n  other.*: {/a: {readers: everyone}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	set, err := tool.NewSet(file, over)
	if err != nil {
		t.Fatal(err)
	}
	d, _ := set.Lookup("events")
	if got := d.Labels.Exceptions(); got != "; trusted are /*/x-trusted" || len(d.Labels.Fields) != 4 {
		t.Errorf("%q of %v", got, d.Labels.Fields)
	}
	if file.Tools[0].Labels.Exceptions() != "; trusted are /*/guests" {
		t.Error("the definition itself was changed")
	}
	text, err := toolfile.Write(file, over)
	if err != nil {
		t.Fatal(err)
	}
	again, err := toolfile.Load("run.json", text)
	if err != nil || again.Tools[0].Hash() != d.Hash() {
		t.Errorf("what is written is another definition: %v", err)
	}
	for text, want := range map[string]string{
		"version: 1\nfields: {events: {/*/guest: {trusted: false}}}\n":                         `over.yaml:2:10: fields: /*/guest: the results of "events" have no "guest"`,
		"version: 1\nfields: {ev*: {/guests: {trusted: false}}}\n":                             "Write * for every item",
		"version: 1\nfields: {ev*: {/*/guests: {trusted: false}, /*/owners: {readers: me}}}\n": `no "owners"`,
	} {
		over, err := toolfile.Load("over.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tool.NewSet(file, over); err == nil || !strings.Contains(err.Error()+fault.RemedyOf(err), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"version: 1\nfields: []\n":                             "expected a mapping of tools",
		"version: 1\nfields: {\"[\": {/a: {trusted: true}}}\n": "no pattern",
		"version: 1\nfields: {a: {/a: {trust: true}}}\n":       "unknown key",
	} {
		if _, err := toolfile.Load("over.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestLabelsOfOnePart: who labels a part that is labelled already, and says nothing of its
// trust or its readers, leaves that as it is.
func TestLabelsOfOnePart(t *testing.T) {
	const text = `version: 1
fields: {a.get: {/y: {readers: everyone}, /z: {trusted: false}}}
tools:
  - name: a.get
    version: 1.0.0
    effects: read
    output: {type: object, properties: {x: {type: string, x-trusted: false}, y: {type: string, x-trusted: false}, z: {type: string, x-trusted: true, x-readers: [me]}}}
    labels: {trusted: true, readers: everyone, fields: {/x: {readers: [me]}}}
`
	file, err := toolfile.Load("tools.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	set, err := tool.NewSet(file)
	if err != nil {
		t.Fatal(err)
	}
	d, _ := set.Lookup("a.get")
	for part, readers := range map[string]bool{"x": false, "y": true, "z": false} {
		m := d.Labels.Marks([]string{part})
		if m.Trusted == nil || *m.Trusted || len(m.Readers) != 1 || m.Readers[0].Everyone != readers {
			t.Errorf("%s: %+v", part, m)
		}
	}
}
