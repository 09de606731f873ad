package jupyter

import (
	"strings"
	"testing"

	"praxis/internal/language"
)

func TestOf(t *testing.T) {
	table := language.Table{{Name: "python"}, Language()}
	r := language.Runtime{Language: "r", Program: "/bin/python3", Spec: language.Spec{Name: "ir", Display: "R 4", Argv: []string{"R"}}}
	has := table.In([]language.Runtime{{Language: "python"}, r})
	if len(has) != 2 || has[1].Name != "r" || has[1].Display != "R 4" || has[1].Extension() != ".r" || has[1].Make != nil || !strings.Contains(has[1].Kernel.Files["spec.json"], `"ir"`) {
		t.Errorf("got %+v", has)
	}
	if l, ok := has.Called(".r"); !ok || l.Name != "r" {
		t.Errorf("got %s", l.Name)
	}
	if l, ok := table.Called(".cpp"); !ok || l.Name != "cpp" || l.Make != nil {
		t.Errorf("got %+v", l)
	}
	cpp := table.In([]language.Runtime{{Language: "cpp17", Spec: language.Spec{Name: "xcpp17"}}})
	for _, word := range []string{"cpp", "cpp17", ".cpp"} {
		if l, ok := cpp.Called(word); !ok || l.Name != "cpp17" || l.Model.Hello == "" {
			t.Errorf("%s: got %+v", word, l)
		}
	}
	if names := table.Names(); len(names) != 1 {
		t.Errorf("the maker is a language: %q", names)
	}
	if _, ok := (language.Table{{Name: "r"}}).Runs(r); ok {
		t.Error("a kernelspec runs without a maker")
	}
	if len(Language().Kernel.Files) != 1 {
		t.Error("a language changed its maker")
	}
}

func FuzzHighlight(f *testing.F) {
	f.Add("x <- c(1, 2.5) # a\n\"b\\\"c\" 'd", "#")
	f.Add("\"\\", "//")
	f.Fuzz(func(t *testing.T, source, comment string) {
		if comment == "" {
			return
		}
		var b strings.Builder
		for _, s := range highlight(source, comment) {
			b.WriteString(s.Text)
		}
		if b.String() != source {
			t.Errorf("%q became %q", source, b.String())
		}
	})
}
