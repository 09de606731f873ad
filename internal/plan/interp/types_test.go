package interp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/plan/cpython"
	"praxis/internal/plan/syntax"
)

// runPlan runs a program without tools and returns what it printed, and the
// line "Class: text" of an exception that nothing caught.
func runPlan(t *testing.T, source string) (out, failed string) {
	t.Helper()
	m, errs := syntax.Parse([]byte(source), syntax.Options{})
	if len(errs) > 0 {
		t.Fatalf("cannot parse: %v\n%s", errs[0], source)
	}
	p, err := Compile(m, source, Env{}, Options{})
	if err != nil {
		t.Fatalf("cannot compile: %v\n%s", err, source)
	}
	vm, err := New(p, Config{})
	if err != nil {
		t.Fatal(err)
	}
	end, err := vm.Run()
	var b strings.Builder
	for _, c := range vm.Output() {
		b.WriteString(c.Text)
	}
	if err != nil {
		return b.String(), err.Error()
	}
	if f, ok := end.(*Failed); ok {
		failed = f.Class
		if f.Text != "" {
			failed += ": " + f.Text
		}
	}
	return b.String(), failed
}

// TestBuiltinTypes runs the programs of testdata/types_*.py here and on CPython:
// each prints a line for each expression, so that one difference shows one line.
func TestBuiltinTypes(t *testing.T) {
	py := cpython.Start(t)
	files, err := filepath.Glob("testdata/types_*.py")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	lines := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".py"), func(t *testing.T) {
			for _, program := range strings.Split(string(source), "---\n") {
				reply := py.Exec(t, program)
				out, failed := runPlan(t, program)
				if failed != reply.Error {
					t.Errorf("ended with %q, CPython with %q", failed, reply.Error)
				}
				lines += compareLines(t, program, out, reply.Out)
			}
		})
	}
	if lines < 1500 {
		t.Errorf("only %d lines compared", lines)
	}
}

// compareLines reports the lines that differ and, as far as each expression of
// the program prints one line, the expression.
func compareLines(t *testing.T, program, got, want string) int {
	t.Helper()
	var source []string
	for _, l := range strings.Split(program, "\n") {
		if strings.HasPrefix(l, "e(") || strings.HasPrefix(l, "print(") {
			source = append(source, l)
		}
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := 0; i < len(g) || i < len(w); i++ {
		line := func(s []string) string {
			if i < len(s) {
				return s[i]
			}
			return "(nothing)"
		}
		if line(g) != line(w) {
			t.Errorf("%s\n got  %.300s\n want %.300s", line(source), line(g), line(w))
		}
	}
	return len(w) - 1
}
