package interp

import (
	"os"
	"path/filepath"
	"testing"

	"praxis/internal/plan/syntax"
)

// compileText compiles a program, as a library module if it may use everything.
func compileText(t *testing.T, src string, o compileOptions) *unit {
	t.Helper()
	m, errs := syntax.Parse([]byte(src), syntax.Options{})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	u, err := compile(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestLibraryOfPython compiles what is at hand of Python's own library, and
// checks the code's structure.
func TestLibraryOfPython(t *testing.T) {
	dir := os.Getenv("PRAXIS_PYTHON_LIB")
	if dir == "" {
		t.Skip("PRAXIS_PYTHON_LIB does not name a folder of Python sources")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.py"))
	more, _ := filepath.Glob(filepath.Join(dir, "*", "*.py"))
	for _, f := range append(files, more...) {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m, errs := syntax.Parse(src, syntax.Options{})
		if len(errs) > 0 {
			continue
		}
		for _, strict := range []bool{false, true} {
			u, err := compile(m, compileOptions{library: true, strict: strict})
			if err != nil {
				t.Logf("%s: %v", f, err)
				continue
			}
			if err := verify(u.codes[0]); err != nil {
				t.Fatalf("%s strict=%v: %v", f, strict, err)
			}
		}
	}
}
