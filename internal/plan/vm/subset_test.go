package vm

import (
	"maps"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/plan/subset"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// TestModuleNames compares the names that the text of a module shows with those
// that an import binds.
func TestModuleNames(t *testing.T) {
	for _, name := range libraryModules(t) {
		if !subset.Known(name) {
			continue
		}
		m, errs := syntax.Parse([]byte("import "+name), syntax.Options{})
		if len(errs) > 0 {
			t.Fatal(errs[0])
		}
		p, err := Compile(m, "import "+name, Env{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		vm, err := New(p, Config{})
		if err != nil {
			t.Fatal(err)
		}
		if out, err := vm.Run(); err != nil || out != (Done{}) {
			t.Fatalf("import %s gives %v, %v", name, out, err)
		}
		said := maps.Clone(subset.Names(name))
		for _, e := range vm.modules[name].Names.Entries {
			s, ok := e.Key.Obj.(*value.Str)
			if !ok || strings.HasPrefix(s.Text, "_") {
				continue
			}
			if !said[s.Text] {
				t.Errorf("%s.%s is bound but not known", name, s.Text)
			}
			delete(said, s.Text)
		}
		for n := range said {
			if !strings.HasPrefix(n, "_") {
				t.Errorf("%s.%s is known but not bound", name, n)
			}
		}
		for _, n := range subset.Exported(name) {
			if vm.modules[name].Names.Place(n) < 0 {
				t.Errorf("%s exports %s, which is not bound", name, n)
			}
		}
	}
}

func TestRefusalIsAFault(t *testing.T) {
	m, _ := syntax.Parse([]byte("x = 1\ny = eval('2')"), syntax.Options{})
	_, err := Compile(m, "", Env{}, Options{})
	if fault.KindOf(err) != fault.Invalid || fault.RemedyOf(err) == "" || !strings.Contains(err.Error(), "line 2: the name eval") {
		t.Errorf("compile gives %v", err)
	}
}
