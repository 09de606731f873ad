package vm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/test/cpython"
)

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
				got := runPlan(program, false)
				if !sameLine(got.Error, reply.Error) {
					t.Errorf("ended with %q, CPython with %q", got.Error, reply.Error)
				}
				lines += compareLines(t, program, got.Out, reply.Out)
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
		if !sameLine(line(g), line(w)) {
			t.Errorf("%s\n got  %.300s\n want %.300s", line(source), line(g), line(w))
		}
	}
	return len(w) - 1
}
