package vm

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"praxis/internal/test/cpython"
)

// sharedData opens a file of the data that lies beside the checkout, and skips
// the test where there is none.
func sharedData(t *testing.T, name string) [][]byte {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("no go.mod above the test: cannot find the data")
		}
		dir = up
	}
	path := filepath.Join(dir, "..", "shared", "data", name)
	f, err := os.Open(path)
	if err != nil {
		t.Skipf("the data is not here: %v", err)
	}
	defer f.Close()
	var lines [][]byte
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		lines = append(lines, append([]byte(nil), s.Bytes()...))
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	if len(lines) == 0 {
		t.Fatalf("%s is empty", path)
	}
	return lines
}

// TestCruxEval runs small programs whose results are known: f(input) must be output.
func TestCruxEval(t *testing.T) {
	t.Parallel()
	for _, line := range sharedData(t, "cruxeval-dev.jsonl") {
		var c struct{ Code, Input, Output, ID string }
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		src := fmt.Sprintf("%s\nr = f(%s)\nprint(r == (%s), repr(r))\n", c.Code, c.Input, c.Output)
		for _, strict := range []bool{false, true} {
			if got := runPlan(src, strict); got.Error != "" || len(got.Out) < 5 || got.Out[:5] != "True " {
				t.Errorf("%s (strict %v): got %s%s, want %s", c.ID, strict, got.Out, got.Error, c.Output)
			}
		}
	}
}

// TestGSMHard runs programs that compute an answer: it must be CPython's.
func TestGSMHard(t *testing.T) {
	t.Parallel()
	lines := sharedData(t, "gsmhard-dev.jsonl")
	py := cpython.Start(t)
	for _, line := range lines {
		var c struct {
			ID   int
			Code string
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		src := c.Code + "\nprint(repr(solution()))\n"
		got, want := runPlan(src, false), py.Exec(t, src)
		if got.Out != want.Out || got.Error != want.Error {
			t.Errorf("%d: got %s%s, want %s%s", c.ID, got.Out, got.Error, want.Out, want.Error)
		}
	}
}
