package vm

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"praxis/internal/plan/syntax"
	"praxis/internal/test/cpython"
)

// program compiles a test's program.
func program(t testing.TB, src string, env Env, o Options) *Program {
	t.Helper()
	m, errs := syntax.Parse([]byte(src), syntax.Options{})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	p, err := Compile(m, src, env, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// machine makes a VM for a test's program.
func newVM(t testing.TB, src string, env Env, o Options, cfg Config) *VM {
	t.Helper()
	vm, err := New(program(t, src, env, o), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return vm
}

// ended says what a program did as [cpython.Reply] says it.
func ended(vm *VM, out Stop, err error) cpython.Reply {
	var r cpython.Reply
	var b strings.Builder
	for _, c := range vm.Output() {
		b.WriteString(c.Text)
	}
	r.Out = b.String()
	switch out := out.(type) {
	case *Failed:
		r.Error = out.Class
		if out.Text != "" {
			r.Error += ": " + out.Text
		}
		if len(out.Trace) > 0 {
			r.Line = out.Trace[0].Line
		}
	case *Call:
		r.Error = "call of " + out.Tool
	}
	if err != nil {
		r.Error = "fault: " + err.Error()
	}
	return r
}

func runPlan(src string, strict bool) (r cpython.Reply) {
	m, errs := syntax.Parse([]byte(src), syntax.Options{})
	if len(errs) > 0 {
		r.Error = "SyntaxError: " + errs[0].Message
		r.Line = int(errs[0].Pos.Line)
		return r
	}
	p, err := Compile(m, src, Env{}, Options{Strict: strict})
	if err != nil {
		r.Error = "fault: " + err.Error()
		return r
	}
	vm, err := New(p, Config{})
	if err != nil {
		r.Error = "fault: " + err.Error()
		return r
	}
	if strict { // each step and each allocation looks at the limits: no operation may be cut short by that
		vm.batch, vm.eager, vm.t.Memory = 1, 200, 0
	}
	out, err := vm.Run()
	return ended(vm, out, err)
}

// TestLanguage runs the language files here and on CPython: what they print, and
// how they end, must be the same. Cases are split by lines of ---.
func TestLanguage(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.py")
	if err != nil || len(files) == 0 {
		t.Fatal("no language files", err)
	}
	py := cpython.Start(t)
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".py")
		if only := os.Getenv("ONLY"); only != "" && !strings.Contains(name, only) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if name == "mod_zoneinfo" && py.Exec(t, "import zoneinfo\nzoneinfo.ZoneInfo('Europe/Berlin')\n").Error != "" {
				t.Skip("CPython finds no time zones on this machine to compare with: install tzdata")
			}
			line := 1
			for _, c := range strings.Split(string(src), "\n---\n") {
				compare(t, py, fmt.Sprintf("%s:%d", file, line), c+"\n")
				line += strings.Count(c, "\n") + 2
			}
		})
	}
}

// compare runs one program on both.
func compare(t *testing.T, py *cpython.Python, where, src string) {
	t.Helper()
	want := py.Exec(t, src)
	for _, strict := range []bool{false, true} {
		got := runPlan(src, strict)
		if sameLines(got.Out, want.Out) && sameLine(got.Error, want.Error) && got.Line == want.Line {
			continue
		}
		t.Errorf("%s (strict %v):\n%s", where, strict, difference(got, want))
		return
	}
}

// ourWords are the sentences about arguments of calls: the language has its own.
var ourWords = regexp.MustCompile(`\(\) (missing required argument '|takes .* arguments? but \d+ were given|got an unexpected keyword|got multiple values for)|must be an iterable, not|is not a mapping|` +
	`cannot be interpreted as an integer|must be real number, not|is not subscriptable|unsupported operand type|indices must be integers|does not support item deletion|unhashable type|can't multiply sequence`)

// sameLine says that two programs print, or end with, the same line.
func sameLine(got, want string) bool {
	return got == want || ourWords.MatchString(got) && (strings.Contains(want, "argument") || strings.HasPrefix(want, "TypeError: ") || ourWords.MatchString(want))
}

// sameLines is sameLine for all that they print.
func sameLines(got, want string) bool {
	return slices.EqualFunc(strings.Split(got, "\n"), strings.Split(want, "\n"), sameLine)
}

// difference shows the first line in which two runs differ.
func difference(got, want cpython.Reply) string {
	var b strings.Builder
	g, w := strings.Split(got.Out, "\n"), strings.Split(want.Out, "\n")
	for i := 0; i < len(g) || i < len(w); i++ {
		var x, y string
		if i < len(g) {
			x = g[i]
		}
		if i < len(w) {
			y = w[i]
		}
		if !sameLine(x, y) || i >= len(g) || i >= len(w) {
			fmt.Fprintf(&b, "  output line %d:\n   got  %q\n   want %q\n", i+1, x, y)
			break
		}
	}
	if !sameLine(got.Error, want.Error) || got.Line != want.Line {
		fmt.Fprintf(&b, "  end:\n   got  %q line %d\n   want %q line %d\n", got.Error, got.Line, want.Error, want.Line)
	}
	return b.String()
}

// TestFile gives a plan the name of its file.
func TestFile(t *testing.T) {
	t.Parallel()
	if got := runPlan("def f():\n    return __file__\nprint(f(), __name__)\n", true); got.Out != "plan.py __main__\n" {
		t.Errorf("got %+v", got)
	}
}
