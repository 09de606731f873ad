package tui

import (
	"strings"
	"testing"
)

func TestNeedsMore(t *testing.T) {
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
		if got := NeedsMore(c.src); got != c.want {
			t.Errorf("%q: got %v, want %v", c.src, got, c.want)
		}
	}
}

func TestScanPython(t *testing.T) {
	classes := func(src string) string {
		var b strings.Builder
		for _, s := range scanPython(src).spans {
			if strings.TrimSpace(s.text) != "" {
				b.WriteString(s.text + "=" + string("pkbtncdro"[s.class]) + " ")
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

// FuzzScanPython checks that the spans put together are the source, and that it ends.
func FuzzScanPython(f *testing.F) {
	for _, s := range []string{"def f():\n  pass", `f"{x["a"]}"`, "'''", "\\\n", "f'{" + strings.Repeat("f'{", 20), "\xff\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		var b strings.Builder
		for _, s := range scanPython(src).spans {
			if s.text == "" {
				t.Fatal("empty span")
			}
			b.WriteString(s.text)
		}
		if b.String() != src {
			t.Fatalf("got %q, want %q", b.String(), src)
		}
		NeedsMore(src)
	})
}
