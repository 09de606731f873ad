package toolfile

import (
	"errors"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

const boundFile = `version: 1
secrets:
  CRM: {env: CRM_TOKEN}
  KEY: {file: ~/.key}
tools:
  - {name: crm.find, version: 1.0.0, effects: read, run: {http: {url: "https://crm.example.com/{id}"}}}
  - run: {go: sql.query, with: {tables: {sales: sales.csv}}}
  - {name: my.count, run: {python: {file: count.py}}}
servers:
  everything: {command: [npx, server]}
`

// derived plays the kinds.
func derived(b tool.Binding) (*jsondoc.Object, error) {
	doc := func(name string) (*jsondoc.Object, error) {
		v, err := jsondoc.Decode([]byte(`{"name":"` + name + `","version":"2.1.0","effects":"read","input":{"type":"object","properties":{"q":{"type":"string"}}}}`))
		if err != nil {
			return nil, err
		}
		return v.(*jsondoc.Object), nil
	}
	switch b.Kind {
	case "go":
		use, _ := b.Spec.Get("use")
		return doc(use.(string))
	case "python":
		return doc("other.name")
	}
	return nil, nil
}

func TestBindings(t *testing.T) {
	f, err := LoadWith("tools.yaml", []byte(boundFile), derived)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, d := range f.Tools {
		ids = append(ids, d.ID()+"/"+f.Bindings[d.ID()].Kind)
	}
	if got := strings.Join(ids, " "); got != "crm.find@1.0.0/http sql.query@2.1.0/go my.count@2.1.0/python" {
		t.Errorf("tools %s", got)
	}
	spec := f.Bindings["sql.query@2.1.0"].Spec
	if text, err := spec.MarshalJSON(); err != nil || string(text) != `{"use":"sql.query","with":{"tables":{"sales":"sales.csv"}}}` {
		t.Errorf("spec %s %v", text, err)
	}
	if at := f.Bindings["my.count@2.1.0"].Pos.String(); at != "tools.yaml:8:27" {
		t.Errorf("the binding stands at %s", at)
	}
	if len(f.Servers) != 1 || f.Servers[0].Name != "everything" || len(f.Secrets) != 2 || f.Secrets[0].Env != "CRM_TOKEN" || f.Secrets[1].File != "~/.key" {
		t.Errorf("servers %+v, secrets %+v", f.Servers, f.Secrets)
	}
	if p, ok := f.Tools[2].Input.Type().Property("q"); !ok || p.Name != "q" {
		t.Error("what a kind derives is not in the definition")
	}
}

func TestBadBindings(t *testing.T) {
	refuse := func(b tool.Binding) (*jsondoc.Object, error) {
		if b.Kind != "python" {
			return nil, nil
		}
		return nil, fault.New(fault.Invalid, "Give it type hints.", "count.py: the argument x has no type")
	}
	for _, test := range []struct{ file, want string }{
		{"tools: [{name: a.b, version: 1.0.0, effects: pure, run: {}}]", "t.yaml:1:57: run: no kind"},
		{"tools: [{name: a.b, version: 1.0.0, effects: pure, run: {pyton: {file: x.py}}}]", `there is no kind "pyton"`},
		{"tools: [{name: a.b, version: 1.0.0, effects: pure, run: {http: {url: x}, wasm: {module: y}}}]", "run: both http and wasm"},
		{"tools: [{name: a.b, version: 1.0.0, effects: pure, run: {with: {}}}]", "run: no kind"},
		{"tools: [{name: a.b, version: 1.0.0, effects: pure, run: {http: {url: x}, with: {}}}]", `only a built-in tool (go) has the key "with"`},
		{"tools: [{name: a.b, version: 1.0.0, effects: pure, run: {wasm: [x]}}]", "run: wasm: expected a mapping"},
		{"tools: [{name: a.b, version: 1.0.0, effects: pure, run: {go: x, with: 3}}]", "run: with: expected a mapping"},
		{"tools: [{name: a.b, version: 1.0.0, effects: pure, model: true, output: {type: string}, run: {go: x}}]", "answered by a model"},
		{"tools: [{run: {python: {file: count.py}}}]", "t.yaml:1:15: count.py: the argument x has no type"},
		{"secrets: {A: {}}", "needs either env or file"},
		{"secrets: {A: {env: X, file: Y}}", "needs either env or file"},
		{"secrets: {A: {value: hunter2}}", "unknown key"},
		{"secrets: [A]", "expected a mapping of names"},
		{"servers: {a-b: {url: https://x}}", `the server "a-b"`},
		{"servers: {a: https://x}", "expected a mapping"},
	} {
		_, err := LoadWith("t.yaml", []byte(test.file), refuse)
		var ps jsondoc.Problems
		if !errors.As(err, &ps) || !strings.Contains(ps.Error(), test.want) {
			t.Errorf("%s\n  gives %v\n  want  %s", test.file, err, test.want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Error("a secret stands in the error")
		}
	}
}

func TestDefine(t *testing.T) {
	v, err := jsondoc.Decode([]byte(`{"name":"a.b","version":"1.0.0","effects":"pure","labels":{"readers":["me"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	d, err := Define("server x", v.(*jsondoc.Object))
	if err != nil || d.ID() != "a.b@1.0.0" {
		t.Fatal(d, err)
	}
	if _, err := Define("server x", jsondoc.NewObject(jsondoc.Member{Name: "name", Value: "a b"})); err == nil || !strings.Contains(err.Error(), "server x") {
		t.Errorf("a bad document gives %v", err)
	}
}
