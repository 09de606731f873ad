package vm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/plan/label"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// FuzzRun runs whatever compiles, within narrow limits: nothing that a program
// does may make the machine panic or fail in a way of its own.
func FuzzRun(f *testing.F) {
	files, err := filepath.Glob("testdata/*.py")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range strings.Split(string(src), "\n---\n") {
			if len(c) < 2000 {
				f.Add(c, false)
			}
		}
	}
	for _, c := range append(flows, strictFlows...) {
		f.Add(c.src, true)
	}
	f.Fuzz(func(t *testing.T, src string, strict bool) {
		m, errs := syntax.Parse([]byte(src), syntax.Options{})
		if len(errs) > 0 {
			return
		}
		p, err := Compile(m, src, Env{Tools: testEnv.Tools}, Options{Strict: strict})
		if err != nil {
			return
		}
		labels := label.NewTable()
		vm, err := New(p, Config{Labels: labels, Limits: value.Limits{Steps: 100_000, Memory: 8 << 20, Calls: 50, Output: 1 << 16}})
		if err != nil {
			t.Fatal(err)
		}
		vm.batch = 64
		out, err := vm.Run()
		for err == nil {
			c, ok := out.(*Call)
			if !ok {
				break
			}
			l := labels.Of(label.Source{Kind: label.Tool, Name: c.Tool, Call: c.Number, Line: c.Line, Col: c.Col}, label.Everyone())
			var d value.Data
			if d, err = value.DataOf(answers[c.Tool], l); err != nil {
				t.Fatal(err)
			}
			out, err = vm.Reply(d)
		}
		if err != nil && !isFault(err) {
			t.Fatalf("%v\n%s", err, src)
		}
	})
}
