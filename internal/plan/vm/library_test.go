package vm

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/plan/library"
	"praxis/internal/plan/value"
)

// libraryModules are the names of the modules that have a source.
func libraryModules(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../library/*.py")
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".py")
	}
	return files
}

// TestLibraryImports imports every module of the library that a plan may import.
func TestLibraryImports(t *testing.T) {
	names := libraryModules(t)
	if len(names) < 20 {
		t.Fatalf("the library has only %v", names)
	}
	for _, name := range names {
		if strings.HasPrefix(name, "_") || name == "builtins" {
			continue
		}
		for _, strict := range []bool{false, true} {
			if got := runPlan("import "+name+" as m\nprint(m.__name__)\n", strict); got.Out != name+"\n" || got.Error != "" {
				t.Errorf("import %s (strict %v): %q %s", name, strict, got.Out, got.Error)
			}
		}
	}
	if _, ok := library.Source("../library/re"); ok {
		t.Error("a source outside of the library was found")
	}
}

// FuzzJSON reads texts as module json does: what is JSON must be read, what is
// read must be written and read again with the same result.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a": [1, 2.5, true, null, "x\n\u00e9"]}`, `[1,]`, `{"a":1,}`, `"\ud83d\ude00"`, `-0`, `1e400`, `NaN`, `[[[[`, `{"a":{"b":[{}]}}`, `"\u12"`} {
		f.Add(s)
	}
	p := program(f, "import json\ntry:\n    v = json.loads(text)\nexcept ValueError:\n    print('bad')\nelse:\n    w = json.dumps(v)\n    print('same' if repr(json.loads(w)) == repr(v) else 'other')\n", Env{}, Options{})
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		vm, err := New(p, Config{Limits: value.Limits{Steps: 1 << 24}})
		if err != nil {
			t.Fatal(err)
		}
		vm.main.Names.SetStr(&vm.t, "text", vm.t.Str(s))
		out, err := vm.Run()
		got := ended(vm, out, err)
		if len(s) < 1000 && (got.Error != "" || got.Out == "other\n") {
			t.Fatalf("%q: %s%s", s, got.Out, got.Error)
		}
		if json.Valid([]byte(s)) && len(s) < 1000 && got.Out != "same\n" {
			t.Fatalf("%q is JSON: %s%s", s, got.Out, got.Error)
		}
	})
}
