package syntax_test

import (
	"strings"
	"testing"

	"praxis/internal/plan/syntax"
)

// height is how many nodes are within each other, but not more than limit+1.
func height(n syntax.Node, limit int) int {
	top := 0
	depth := map[syntax.Node]int{n: 0}
	syntax.Walk(n, func(n syntax.Node) bool {
		d := depth[n] + 1
		top = max(top, d)
		if d > limit {
			return false
		}
		syntax.Children(n, func(c syntax.Node) { depth[c] = d })
		return true
	})
	return top
}

// TestHostile checks that whatever is repeated however often, the parser comes to an end
// with a tree that may be walked by recursion, and an error with a place.
func TestHostile(t *testing.T) {
	r := strings.Repeat
	n := 100_000
	const nested = "too many nested parentheses"
	const deep = "too many nested expressions or statements"
	for _, c := range []struct{ src, want string }{
		{r("(", n), nested}, {r("[", n), nested}, {r("{", n), nested}, {r("(", n) + r(")", n), nested}, {"x = f(" + r("[", n), nested},
		{r("f(", n), nested}, {r("a[", n), nested}, {r("a[b:", n), nested}, {r("{a:", n), nested}, {r("{**", n), nested},
		{r("(yield ", n), nested}, {r("del (", n), "invalid syntax"}, {r("with (", n), "invalid syntax"}, {r("match (", n), nested},
		{r("def f(a=", n), "invalid syntax"}, {r("class A(", n), "invalid syntax"}, {r("(a b ", n), "forgot a comma"}, {r("[a for a in ", n), nested},
		{r("f(a for a in b, ", n), "must be parenthesized"}, {r("f(a=1, b ", n), "positional argument"}, {r("{x: y, z", n), "expected after dictionary key"}, {r("print [", n), nested},
		{"match x:\n case " + r("[", n), nested}, {"match x:\n case " + r("A(", n), nested},
		{r("not ", n) + "1", deep}, {r("-", n) + "1", deep}, {"a" + r(".b", n), deep}, {"a" + r("()", n), deep}, {"a" + r("[0]", n), deep},
		{"1" + r("+1", n), deep}, {"1" + r("**1", n), deep}, {r("lambda:", n) + "1", deep}, {r("lambda a=", n), deep},
		{r("a if b else ", n) + "1", deep}, {"if a: pass\n" + r("elif a: pass\n", n), deep}, {"x: " + r("-", n), deep},
		{"match x:\n case " + r("a.", n) + "b: pass", deep}, {"print " + r("-print ", n), deep},
		{r("f'{", n), nested}, {r("f\"{f'{", n), nested},
		{"9" + r("9", n), "Exceeds the limit"}, {r("1_", n), "invalid number"}, {r("é€", n), "invalid character"},
		{r("if x:\n", n), "expected an indented block"}, {r("a\n b\n", n), "unexpected indent"}, {r("'\n", n), "unterminated string"},
		{r("a)\n", n), "unmatched ')'"}, {r("(a\n", n), nested}, {r("try: x\n", n), "expected 'except' or 'finally' block"},
		{r("print lambda: ", n), "Missing parentheses"}, {r("a not ", n), "invalid syntax"},
		{r("'a' b ", n), "invalid syntax"}, {r("x: ", n), "invalid syntax"}, {r("a, b: ", n), "cannot annotate"},
		{"print " + r("[print ", 190) + "x y", "Missing parentheses"}, {r("f'{", 140) + "x y" + r("}'", 140), "expecting '}'"},
		{"a " + r("~", 2000) + " b", "invalid syntax"}, {r("word ", n) + "(", "invalid syntax"}, {r("[x, ", 190) + "y z" + r("]", 190), "Perhaps you forgot a comma?"},
		{"x" + r(",x", n), ""}, {r("x = ", n) + "1", ""}, {r("a<", n) + "b", ""}, {r("a and ", n) + "b", ""}, {r("'a' ", n), ""},
		{r("a\n", n), ""}, {r("global x;", n), ""}, {r("\\\n", n) + "x", ""}, {r("\\\n", n), "unexpected EOF"}, {r("(", 200) + r(")", 200), ""}, {r("#", n), ""},
		{"f'" + r("{x}", n) + "'", ""}, {"f'" + r("{{", n) + "'", ""}, {"\"" + r("\\u2022", n) + "\"", ""}, {"0x" + r("f", n), ""},
		{"if a: pass\n" + r("elif a: pass\n", 4000), ""}, {"1" + r("+1", 4000), ""},
	} {
		name := c.src[:min(24, len(c.src))]
		m, errs := syntax.Parse([]byte(c.src), syntax.Options{MaxBytes: 2 << 20})
		switch {
		case c.want == "" && len(errs) > 0:
			t.Errorf("%q…: %v", name, errs[0])
		case c.want != "" && (len(errs) == 0 || !strings.Contains(errs[0].Message, c.want)):
			t.Errorf("%q…: got %.200v, want %s", name, errs, c.want)
		}
		for _, e := range errs {
			if e.Pos.Line < 1 || e.Pos.Col < 0 {
				t.Errorf("%q…: the error has no place: %+v", name, e)
			}
		}
		if len(c.src) < 200_000 {
			if h := height(m, 2*syntax.DefaultMaxDepth); h > 2*syntax.DefaultMaxDepth {
				t.Errorf("%q…: the tree is %d high", name, h)
			}
		}
	}
}

func TestIndents(t *testing.T) {
	var b strings.Builder
	for i := range 150 {
		b.WriteString(strings.Repeat(" ", i) + "if a:\n")
	}
	if _, errs := syntax.Parse([]byte(b.String()+strings.Repeat(" ", 150)+"x\n"), syntax.Options{}); len(errs) > 0 {
		t.Errorf("150 blocks: %v", errs[0])
	}
}

func TestMaxDepth(t *testing.T) {
	_, errs := syntax.Parse([]byte("x = "+strings.Repeat("-", 100)+"1"), syntax.Options{MaxDepth: 50})
	if len(errs) != 1 || !strings.HasPrefix(errs[0].Message, "too many nested") {
		t.Errorf("got %v", errs)
	}
}

// TestLarge reads the largest program, and refuses a larger one.
func TestLarge(t *testing.T) {
	one := "def f(a, b=1):\n    for i in range(a):\n        b += i * 2 if i % 3 else g(i, key='value')[0]\n    return [b, f'{a!r}']\n"
	n := syntax.DefaultMaxBytes / len(one)
	m, errs := syntax.Parse([]byte(strings.Repeat(one, n)), syntax.Options{})
	if len(errs) > 0 || len(m.Body) != n {
		t.Errorf("%d statements, want %d, %v", len(m.Body), n, errs)
	}
	if _, errs := syntax.Parse([]byte(strings.Repeat(one, n+1)), syntax.Options{}); len(errs) != 1 || !strings.Contains(errs[0].Message, "too large") {
		t.Errorf("of a larger one: %v", errs)
	}
}
