package kernelspec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/language"
)

const ir = `{"argv": ["R", "--slave", "-e", "IRkernel::main()", "--args", "{connection_file}"], "display_name": "R", "language": "R", "env": {"A": "b"}}`

func TestParse(t *testing.T) {
	r, err := Parse("ir", []byte(ir))
	if err != nil || r.Language != "r" || r.Spec.Display != "R" || r.Spec.Name != "ir" || r.Spec.Message || r.Spec.Env["A"] != "b" || len(r.Spec.Argv) != 6 {
		t.Errorf("got %+v, %v", r, err)
	}
	if r, err := Parse("xcpp17", []byte(`{"argv":["x"],"language":"C++17","interrupt_mode":"message","display_name":"a\u001b[1m\nb"}`)); err != nil || r.Language != "cpp17" || !r.Spec.Message || strings.ContainsAny(r.Spec.Display, "\x1b\n") {
		t.Errorf("got %+v, %v", r, err)
	}
	for _, bad := range []string{"", "[]", "{}", `{"argv":[]}`, `{"argv":[""]}`, `{"argv":["a\u0000"],"language":"x"}`, `{"argv":["a"],"language":"x","env":{"A=":"1"}}`,
		`{"argv":["` + strings.Repeat("x", maxText+1) + `"],"language":"x"}`, `{"argv":"a"}`, `{"argv":["a"],"language":"--"}`} {
		if r, err := Parse("--", []byte(bad)); err == nil {
			t.Errorf("%.60s: got %+v", bad, r)
		}
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "kernel.json")
	if err := os.WriteFile(outside, []byte(`{"argv":["a"],"language":"secret"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	put("k/ir/kernel.json", ir)
	put("k/python3/kernel.json", `{"argv":["python","-f","{connection_file}"],"language":"python","display_name":"Python 3"}`)
	put("k/broken/kernel.json", `{`)
	put("l/ir/kernel.json", ir)
	put("k/out/x", "")
	if err := os.Symlink(outside, filepath.Join(dir, "k/out/kernel.json")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	got := Find(root, []string{"k", "nothing", "l"}, "/opt", "/bin/python3", []string{"python"})
	if len(got) != 2 || got[0].Language != "r" || got[0].Spec.Directory != "/opt/k/ir" || got[0].Program != "/bin/python3" || got[1].Language != "jupyterpython3" {
		t.Errorf("got %+v", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("ir", []byte(ir))
	f.Add("x", []byte(`{"argv":["a"],"language":"C#","env":{"A":"1"}}`))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		r, err := Parse(name, data)
		if err == nil && (!language.ValidName(r.Language) || len(r.Spec.Argv) == 0 || len(r.Spec.Display) > 4*maxDisplay) {
			t.Errorf("got %+v", r)
		}
	})
}
