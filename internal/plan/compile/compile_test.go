package compile

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// compileText compiles a program.
func compileText(t *testing.T, src string, o Options) *value.Unit {
	t.Helper()
	m, errs := syntax.Parse([]byte(src), syntax.Options{})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	u, err := Compile(m, o)
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
			u, err := Compile(m, Options{Strict: strict})
			if err != nil {
				t.Logf("%s: %v", f, err)
				continue
			}
			if err := verify(u.Codes[0]); err != nil {
				t.Fatalf("%s strict=%v: %v", f, strict, err)
			}
		}
	}
}

var update = flag.Bool("update", false, "write the listings of testdata anew")

// TestSyntaxErrors checks that what only the checks after the grammar find is refused with its place.
func TestSyntaxErrors(t *testing.T) {
	m, _ := syntax.Parse([]byte("x = 1\ndef f():\n    break\n"), syntax.Options{})
	_, err := Compile(m, Options{})
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "line 3: SyntaxError: 'break' outside loop") {
		t.Errorf("compile gives %v", err)
	}
	for _, src := range []string{"await f()", "x = [await f(y) for y in z]", "for x in y:\n    print(await f(x))"} {
		compileText(t, src, Options{})
	}
	m, _ = syntax.Parse([]byte("def f():\n    await g()"), syntax.Options{})
	if bad := SyntaxErrors(m); len(bad) != 1 || bad[0].Message != "'await' outside async function" {
		t.Errorf("an await in a plain function gives %v", bad)
	}
}

// TestBroken refuses programs of testdata/broken.txt that the grammar allows, each at the
// line that is behind it; of those that are marked `#!` CPython refuses more, at the line before.
func TestBroken(t *testing.T) {
	data, err := os.ReadFile("testdata/broken.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n---\n") {
		src, want, _ := strings.Cut(text, "\n#= ")
		if _, ours, ok := strings.Cut(want, "\n#! "); ok {
			want = ours
		}
		m, errs := syntax.Parse([]byte(src), syntax.Options{})
		if errs = append(errs, SyntaxErrors(m)...); len(errs) == 0 {
			if want != "ok" {
				t.Errorf("%q: nothing is found, want %s", src, want)
			}
		} else if got := fmt.Sprintf("line %d", errs[0].Pos.Line); got != want {
			t.Errorf("%q: %v, want %s", src, errs[0], want)
		}
	}
}

// TestListings compares the code of some programs with what was looked over by hand.
func TestListings(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.py")
	if len(files) == 0 {
		t.Fatal("no programs")
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		u := compileText(t, string(src), Options{Strict: filepath.Base(f) == "strict.py"})
		if err := verify(u.Codes[0]); err != nil {
			t.Error(err)
		}
		golden := f[:len(f)-3] + ".txt"
		got := listing(u.Codes[0])
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: the code differs from the listing:\n%s", f, got)
		}
		again := compileText(t, string(src), Options{Strict: u.Strict})
		if listing(again.Codes[0]) != got {
			t.Errorf("%s: a second compilation gives other code", f)
		}
	}
}

// FuzzCompile checks that whatever the parser reads is compiled to sound code, or refused.
func FuzzCompile(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.py")
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(src), false)
		f.Add(string(src), true)
	}
	for _, src := range []string{"return", "def f():\n nonlocal x", "[(yield) for x in y]", "await f()", "del a, (b, [c])"} {
		f.Add(src, true)
	}
	f.Fuzz(func(t *testing.T, src string, strict bool) {
		m, errs := syntax.Parse([]byte(src), syntax.Options{})
		if len(errs) > 0 {
			return
		}
		u, err := Compile(m, Options{Strict: strict})
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatal(err)
			}
			return
		}
		if err := verify(u.Codes[0]); err != nil {
			t.Fatal(err)
		}
	})
}

// TestTooLarge checks that code that would grow without bound is refused with its place,
// and what is only long is not.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	nested := "def f():\n"
	for i := range 40 {
		pad := strings.Repeat(" ", i+1)
		nested += pad + "try: return g()\n" + pad + "finally:\n"
	}
	nested += strings.Repeat(" ", 41) + "pass\n"
	m, errs := syntax.Parse([]byte(nested), syntax.Options{})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	_, err := Compile(m, Options{})
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), ": the program is too large") || !strings.Contains(err.Error(), "line ") {
		t.Errorf("nested finally clauses give %v", err)
	}
	for _, src := range []string{
		strings.Repeat("x = 1\n", 100_000),
		"x = [" + strings.Repeat("a, ", 100_000) + "]\n",
		"f(" + strings.Repeat("a, ", 10_000) + ")\n",
		strings.Repeat("a, ", 10_000) + " = x\n",
		"x = " + strings.Repeat("a + ", 1000) + "1\n",
	} {
		u := compileText(t, src, Options{})
		if err := verify(u.Codes[0]); err != nil {
			t.Errorf("%.1000v", err)
		}
		if n := u.Codes[0].Stack; n > 10_010 {
			t.Errorf("%.20q… needs a stack of %d values", src, n)
		}
	}
}
