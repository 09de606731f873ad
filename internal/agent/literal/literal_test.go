package literal_test

import (
	"os"
	"strings"
	"testing"

	"praxis/internal/agent/literal"
	"praxis/internal/language"
	"praxis/internal/language/javascript"
	"praxis/internal/language/python"
)

// cases reads a file of testdata: pieces of code, each with its typed literals in order.
func cases(t testing.TB, name string) [][2]string {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out [][2]string
	for _, c := range strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n---\n") {
		code, want, ok := strings.Cut(c, "\n#>")
		if !ok {
			t.Fatalf("%s: no expectation in %s", name, c)
		}
		out = append(out, [2]string{code, strings.TrimPrefix(want, " ")})
	}
	return out
}

func typed(step int, c *literal.Code) string {
	var out []string
	for _, l := range c.All() {
		if l.Typed(step) {
			out = append(out, strings.TrimSpace(l.Text))
		}
	}
	return strings.Join(out, " | ")
}

// TestTyped reads the tables of what is typed in which code.
func TestTyped(t *testing.T) {
	for file, l := range map[string]language.Language{"python.txt": python.Language(), "javascript.txt": javascript.Language()} {
		for _, c := range cases(t, file) {
			var code literal.Code
			code.Add(1, l, c[0])
			if got := typed(1, &code); got != c[1] {
				t.Errorf("%s:\n%s\ntyped %q, want %q", file, c[0], got, c[1])
			}
		}
	}
}

// TestSteps shows that variables live on, and that a later step can make a parameter of them.
func TestSteps(t *testing.T) {
	var code literal.Code
	l := python.Language()
	code.Add(1, l, "x = 4711\ny = 12\nprint(y)")
	if got := typed(1, &code); got != "12" {
		t.Errorf("step 1: typed %q", got)
	}
	code.Add(2, l, "print(x, total / y)")
	if got := typed(1, &code) + "; " + typed(2, &code); got != "; 4711" {
		t.Errorf("steps 1; 2: typed %q", got)
	}
	code.Add(5, l, "x = len(rows)\nprint(x)")
	if got := typed(2, &code); got != "4711" {
		t.Errorf("step 2, when the name was assigned anew: typed %q", got)
	}
	code.Add(3, language.Language{Name: "unknown"}, "print 4712")
	if got := typed(3, &code); got != "" {
		t.Errorf("step 3: typed %q", got)
	}
}

func TestTexts(t *testing.T) {
	got := strings.Join(literal.Texts(python.Language(), `x = 42; answer(f"{x:.3f} of 7 and {d['8']} \u0034711", "%05d of 9 three" % x, r"\n5")`), "|")
	if got != " of 7 and | 4711|8| of 9 three|\\n5" {
		t.Errorf("texts = %q", got)
	}
}

// FuzzCode reads any code, in a bounded time.
func FuzzCode(f *testing.F) {
	for _, file := range []string{"python.txt", "javascript.txt"} {
		for _, c := range cases(f, file) {
			f.Add(c[0])
		}
	}
	for _, s := range []string{"((((", "f\"{f'{x}'}\" '", "`${`${1}`}`", "x = = 3", "for for in in", "print(", "}{", "def", "a[1][2](3)(4) = 5", "%d %", "'\\", "'\\u{'", "import"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, l := range []language.Language{python.Language(), javascript.Language()} {
			var code literal.Code
			code.Add(1, l, source)
			n := len(code.All())
			code.Add(2, l, source)
			if len(code.All()) < n {
				t.Error("literals are lost")
			}
			for _, lit := range code.All() {
				if lit.Text == "" || lit.Step < 1 {
					t.Errorf("a literal is %+v", lit)
				}
			}
		}
	})
}
