package python

import (
	"strings"
	"testing"

	"praxis/internal/language"
)

func TestIncomplete(t *testing.T) {
	for _, c := range []struct {
		src  string
		want bool
	}{
		{"", false},
		{"1 + 1", false},
		{"x = [1,", true},
		{"x = [1,\n2]", false},
		{"f(a)(", true},
		{"'''", true},
		{"'''a\nb'''", false},
		{`x = """ ' `, true},
		{"'not closed", false},
		{"x = 1 + \\", true},
		{"x = 1 + \\\n1", false},
		{"if x:", true},
		{"if x:\n    y", true},
		{"if x:\n    y\n", false},
		{"if x: y", true},
		{"if x: y\n", false},
		{"for i in range(3):  # each\n    print(i)", true},
		{"def f():\n    return 1\n  ", false},
		{"@cache", true},
		{"@cache\ndef f():\n    pass\n", false},
		{"match x:\n    case 1:\n        y", true},
		{"async with a as b:", true},
		{"x = {1: 2}", false},
		{"x[1:]", false},
		{"# a comment (", false},
		{"'(' + \"[\"", false},
		{`f"{x["a"]}"`, false},
		{`f"{x["a"]`, false},
		{`f'{{'`, false},
		{`f"{'''`, false},
		{`print(f"{d["k"]:>{w}}"`, true},
		{`rb"\""`, false},
		{"lambda: 1", false},
		{"x: int = 3", false},
		{"print('é', \"日本\")", false},
	} {
		if got := incomplete(c.src); got != c.want {
			t.Errorf("%q: got %v, want %v", c.src, got, c.want)
		}
	}
}

func TestScanSource(t *testing.T) {
	classes := func(src string) string {
		var b strings.Builder
		for _, s := range scanSource(src).tokens {
			if strings.TrimSpace(s.text) != "" {
				b.WriteString(s.text + "=" + string("pkbtncdro"[s.kind]) + " ")
			}
		}
		return b.String()
	}
	for _, c := range []struct{ src, want string }{
		{"def mean(xs): # m", "def=k mean=d (=o xs=p )=o :=o # m=c "},
		{"import csv", "import=k csv=p "},
		{"x.sum(1_0.5)", "x=p .=o sum=p (=o 1_0.5=n )=o "},
		{"sum(x)", "sum=b (=o x=p )=o "},
		{"f'a{b}' r\"c\"", "f'a{b}'=t r\"c\"=t "},
		{"@dataclass(x)", "@dataclass=r (=o x=p )=o "},
		{"a @ b", "a=p @=o b=p "},
	} {
		if got := classes(c.src); got != c.want {
			t.Errorf("%q: got %q, want %q", c.src, got, c.want)
		}
	}
}

func TestHighlight(t *testing.T) {
	letters := map[language.Class]string{language.Comment: "c", language.Text: "s", language.Number: "n",
		language.Keyword: "k", language.Builtin: "b", language.Definition: "d", language.Decorator: "r"}
	for in, want := range map[string]string{
		"def f(x): return len(x) # done":   "k(def) d(f)(x): k(return) b(len)(x) c(# done)",
		"s.print(1.5e-3, 0xFF, x1, 0xe+1)": "s.print(n(1.5e-3), n(0xFF), x1, n(0xe)+n(1))",
		`rb"a\"b" 'it' + f"""x` + "\ny\"":  `s(rb"a\"b") s('it') + s(f"""x` + "\ny\")",
		"  @decorated\nclass A:":           "  r(@decorated)\nk(class) d(A):",
		"m @ n":                            "m @ n",
		"'open\nx":                         "s('open)\nx",
		"été = naïve":                      "été = naïve",
		"":                                 "",
	} {
		var b, whole strings.Builder
		for _, s := range highlight(in) {
			whole.WriteString(s.Text)
			if letter := letters[s.Class]; letter != "" {
				b.WriteString(letter + "(" + s.Text + ")")
			} else {
				b.WriteString(s.Text)
			}
		}
		if b.String() != want || whole.String() != in {
			t.Errorf("got %q, want %q", b.String(), want)
		}
	}
}

// FuzzHighlight checks that the spans put together are the source, and that it ends.
func FuzzHighlight(f *testing.F) {
	for _, s := range []string{"def f():\n  pass", `f"{x["a"]}"`, "'''", "\\\n", "f'{" + strings.Repeat("f'{", 20), "\xff\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		var b strings.Builder
		for _, s := range highlight(src) {
			if s.Text == "" {
				t.Fatal("empty span")
			}
			b.WriteString(s.Text)
		}
		if b.String() != src {
			t.Fatalf("got %q, want %q", b.String(), src)
		}
		incomplete(src)
	})
}
