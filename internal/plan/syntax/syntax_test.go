package syntax_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"praxis/internal/plan/syntax"
)

func parse(t *testing.T, src string) *syntax.Module {
	t.Helper()
	m, errs := syntax.Parse([]byte(src), syntax.Options{})
	if len(errs) > 0 {
		t.Fatalf("%q: %v", src, errs[0])
	}
	return m
}

func TestParseExpression(t *testing.T) {
	e, err := syntax.ParseExpression([]byte("a + 1\n"), syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := "BinOp(left=Name(id='a', ctx=Load()), op=Add(), right=Constant(value=1))"
	if got := syntax.Dump(e, false); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for src, want := range map[string]string{
		"":      "line 1: SyntaxError: invalid syntax",
		"a = 1": "line 1: SyntaxError: invalid syntax",
		"a\nb":  "line 2: SyntaxError: invalid syntax",
		"(a b)": "line 1: SyntaxError: invalid syntax. Perhaps you forgot a comma?",
		"pass":  "line 1: SyntaxError: invalid syntax",
		"a b\n": "line 1: SyntaxError: invalid syntax",
		" a":    "line 1: IndentationError: unexpected indent",
	} {
		if _, err := syntax.ParseExpression([]byte(src), syntax.Options{}); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", src, err, want)
		}
	}
}

// TestRecovery checks that independent mistakes are each reported, and the statements
// between them are read.
func TestRecovery(t *testing.T) {
	for _, c := range []struct {
		src   string
		lines []int32 // of the errors
		names string  // assigned at the top level
	}{
		{"a = 1\nb = = 2\nc = 3\nd = (4\ne = 5\n", []int32{2, 4}, "a c"},
		{"a = 1\nx y\nb = 2\nx y\nc = 3\n", []int32{2, 4}, "a b c"},
		{"if x\n    a b\n    c = 1\nd = 2\ne f\n", []int32{1, 2, 5}, "d"},
		{"if x y:\n    pass\nelif z:\n    a b\nelse:\n    c\nd = 1\n", []int32{1, 4}, "d"},
		{"def f(:\n    return )\n\nd = 1\n", []int32{1, 2}, "d"},
		{"a = 'x\nb = 1\nc = \"y\nd = 2\n", []int32{1, 3}, "b d"},
		{"x = [1, 2\ndef f():\n    return 1\ny = 2\n", []int32{1}, "y"},
		{"  a = 1\nb = 2\n", []int32{1}, "b"},
		{"if x:\n    a\n  b = 1\nc = 2\nd e\n", []int32{3, 5}, "b c"},
		{"class A:\n    def f(self):\n    x = 1\n    def g(self)\n        pass\n    y z\nw = 1\n", []int32{3, 4, 6}, "w"},
		{"try:\n    a b\nexcept:\n    c d\nfinally:\n    e f\ng = 1\n", []int32{2, 4, 6}, "g"},
		{"match x:\n    case 1 2:\n        a\n    case 3:\n        b c\nd = 1\n", []int32{2, 5}, "d"},
		{"x = f'{a b}'\ny = f'{'\nz = 1\n", []int32{1, 2}, "z"},
		{"a = 0777\nb = 1\nc = 1__0\nd = é€\n", []int32{1, 3, 4}, "b"},
		{"for x in y\n    pass\nelse:\n    a b\nz = 1\n", []int32{1, 4}, "z"},
		{"f'''{\nx\n}{'''{\ny\n!r}'b''\nz = 1", []int32{3, 5}, "z"},
		{"x y; z = 1; w v\nu = 1", []int32{1}, "u"},
		{"a b\n" + strings.Repeat("a b\n", 100), nil, ""},
	} {
		m, errs := syntax.Parse([]byte(c.src), syntax.Options{})
		if c.lines == nil {
			if len(errs) != syntax.DefaultMaxErrors {
				t.Errorf("%.40q: %d errors, want %d", c.src, len(errs), syntax.DefaultMaxErrors)
			}
			continue
		}
		var lines []int32
		for _, e := range errs {
			lines = append(lines, e.Pos.Line)
		}
		var names []string
		for _, s := range m.Body {
			if a, ok := s.(*syntax.Assign); ok {
				names = append(names, a.Targets[0].(*syntax.Name).ID)
			}
		}
		slices.Sort(lines)
		if !slices.Equal(lines, c.lines) || strings.Join(names, " ") != c.names {
			t.Errorf("%q: errors %v, assigned %q, want %v %q\n%v", c.src, lines, names, c.lines, c.names, errs)
		}
	}
}

func TestMaxErrors(t *testing.T) {
	_, errs := syntax.Parse([]byte("a b\nc d\ne f\n"), syntax.Options{MaxErrors: 2})
	if len(errs) != 2 {
		t.Errorf("got %d errors, want 2", len(errs))
	}
}

func TestRender(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"x = (1,\n\tfoo bar)\n", "line 2: SyntaxError: invalid syntax. Perhaps you forgot a comma?\n    foo bar)\n    ^^^^^^^\n"},
		{"é = ñ ü\n", "line 1: SyntaxError: invalid syntax\n    é = ñ ü\n          ^\n"},
		{"x = 'a", "line 1: SyntaxError: unterminated string literal (detected at line 1)\n    x = 'a\n        ^\n"},
		{"if x:\n", "line 1: IndentationError: expected an indented block after 'if' statement on line 1\n    if x:\n         ^\n"},
		{"\ufeffx y", "line 1: SyntaxError: invalid syntax\n    x y\n      ^\n"},
		{"x\ty \x1b[0m z", "line 1: SyntaxError: invalid non-printable character U+001B\n    x y ?[0m z\n        ^\n"},
	} {
		_, errs := syntax.Parse([]byte(c.src), syntax.Options{})
		if len(errs) == 0 {
			t.Fatalf("%q: no error", c.src)
		}
		if got := errs[0].Render([]byte(c.src)); got != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.src, got, c.want)
		}
	}
	// Of a long line the part around the mistake is shown.
	for _, fill := range []string{"a, ", "é, "} {
		src := "f(" + strings.Repeat(fill, 2000) + "b c, " + strings.Repeat(fill, 2000) + ")\n"
		_, errs := syntax.Parse([]byte(src), syntax.Options{})
		shown := strings.Split(errs[0].Render([]byte(src)), "\n")
		carets := strings.Index(shown[2], "^^^")
		if line := []rune(shown[1]); len(line) > 200 || carets < 0 || string(line[carets:carets+3]) != "b c" {
			t.Errorf("a long line is shown as\n%s\n%s", shown[1], shown[2])
		}
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		src     string
		version int // the first that knows it
		what    string
	}{
		{"(x := 1)", 8, "Assignment expressions are"},
		{"def f(a, /): pass", 8, "Positional-only parameters are"},
		{"@a[0]\ndef f(): pass", 9, "Expressions as decorators are"},
		{"with (a as b): pass", 9, "Parenthesized context managers are"},
		{"match x:\n    case 1: pass", 10, "Pattern matching is"},
		{"try: pass\nexcept* A: pass", 11, "Exception groups are"},
		{"x[*a]", 11, "Starred expressions in subscripts are"},
		{"def f(*a: *b): pass", 11, "Starred annotations are"},
		{"type X = int", 12, "Type statement is"},
		{"def f[T](): pass", 12, "Type parameter lists are"},
		{"f'{a[\"b\"]}{'c'}'", 12, "f-strings with nested quotes, backslashes or comments are"},
		{"f'{\"\\n\".join(a)}'", 12, "f-strings with nested quotes, backslashes or comments are"},
		{"def f[T = int](): pass", 13, "Type parameter defaults are"},
		{"try: pass\nexcept A, B: pass", 14, "except expressions without parentheses are"},
	} {
		for v := syntax.OldestVersion; v <= syntax.NewestVersion; v++ {
			_, errs := syntax.Parse([]byte(c.src), syntax.Options{Version: v})
			switch {
			case v >= c.version && len(errs) > 0:
				t.Errorf("%q in 3.%d: %v", c.src, v, errs[0])
			case v < c.version && (len(errs) == 0 || errs[0].Message != fmt.Sprintf("%s only supported in Python 3.%d and greater", c.what, c.version)):
				t.Errorf("%q in 3.%d: got %v", c.src, v, errs)
			}
		}
	}
	if _, errs := syntax.Parse([]byte("t'{a}'"), syntax.Options{Version: 13}); len(errs) == 0 {
		t.Error("t-strings are read as of 3.13")
	}
	if m, errs := syntax.Parse([]byte("f'{a}' f\"{b['c']:{d}}\""), syntax.Options{Version: 8}); len(errs) > 0 {
		t.Errorf("plain f-strings in 3.8: %v in %v", errs[0], m)
	}
}

func TestEncodings(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"# coding: latin-1\nx = '\xe9'", "é"},
		{"#!/bin/x\n# vim: set fileencoding=iso-8859-15 :\nx = '\xa4'", "€"},
		{"# coding: cp1252\nx = '\x80'", "€"},
		{"# -*- coding: koi8-r -*-\nx = '\xc1'", "а"},
		{"# coding=UTF_8\nx = 'é'", "é"},
		{"\xef\xbb\xbf# coding: utf-8\nx = 'é'", "é"},
		{"x = 1\n\n# coding: nonsense\nx = 'é'", "é"},
		{"# coding: ascii\nx = 'e'", "e"},
	} {
		m, errs := syntax.Parse([]byte(c.src), syntax.Options{})
		if len(errs) > 0 {
			t.Errorf("%q: %v", c.src, errs[0])
			continue
		}
		a := m.Body[len(m.Body)-1].(*syntax.Assign)
		if got := a.Value.(*syntax.Constant).Str; got != c.want {
			t.Errorf("%q: got %q, want %q", c.src, got, c.want)
		}
	}
	for _, c := range []struct{ src, want string }{
		{"# coding: nonsense\n", "line 1: SyntaxError: unknown encoding: nonsense"},
		{"\n# coding: uft-8\n", "line 2: SyntaxError: unknown encoding: uft-8"},
		{"\xef\xbb\xbf# coding: latin-1\n", "line 1: SyntaxError: encoding problem: latin-1 with BOM"},
		{"x = 1\ny = '\xff'\n", "line 2: SyntaxError: Non-UTF-8 code starting with '\\xff' on line 2, but no encoding declared; see https://peps.python.org/pep-0263/ for details"},
		{"# coding: ascii\nx = 'é'", "line 2: SyntaxError: (unicode error) 'ascii' codec can't decode byte 0xc3 in position 21"},
		{"# coding: utf-8\nx = '\xe9'", "line 2: SyntaxError: (unicode error) 'utf-8' codec can't decode byte 0xe9 on line 2"},
		{"x = 1\nx = '\x00'", "line 2: SyntaxError: source code cannot contain null bytes"},
	} {
		if _, errs := syntax.Parse([]byte(c.src), syntax.Options{}); len(errs) != 1 || errs[0].Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.src, errs, c.want)
		}
	}
	if _, errs := syntax.Parse(make([]byte, 20), syntax.Options{MaxBytes: 10}); len(errs) != 1 || !strings.Contains(errs[0].Message, "too large") {
		t.Errorf("a source over the bound: %v", errs)
	}
}

func TestConstants(t *testing.T) {
	m := parse(t, "1; 0x_Ff; 9223372036854775807; 9223372036854775808; 1.5; 2e3j; '\\ud800'; b'\\xff'; u'a'; ...; 1e999")
	constant := func(i int) *syntax.Constant { return m.Body[i].(*syntax.ExprStmt).Value.(*syntax.Constant) }
	for i, want := range []syntax.Constant{
		{Kind: syntax.Int, Int: 1}, {Kind: syntax.Int, Int: 255}, {Kind: syntax.Int, Int: math.MaxInt64}, {Kind: syntax.Int},
		{Kind: syntax.Float, Float: 1.5}, {Kind: syntax.Complex, Float: 2000},
		{Kind: syntax.Str, Str: "\xed\xa0\x80"}, {Kind: syntax.Bytes, Str: "\xff"}, {Kind: syntax.Str, Str: "a", U: true},
		{Kind: syntax.Ellipsis}, {Kind: syntax.Float, Float: math.Inf(1)},
	} {
		got := *constant(i)
		if i == 3 {
			if got.Big == nil || got.Big.String() != "9223372036854775808" {
				t.Errorf("constant %d: got %v", i, got.Big)
			}
			got.Big = nil
		}
		got.Span = syntax.Span{}
		if got != want {
			t.Errorf("constant %d: got %+v, want %+v", i, got, want)
		}
	}
}

func TestIdentifiers(t *testing.T) {
	m := parse(t, "ﬁx.ªb(𝐜=1)")
	want := "Module(body=[Expr(value=Call(func=Attribute(value=Name(id='fix', ctx=Load()), attr='ab', ctx=Load()), keywords=[keyword(arg='c', value=Constant(value=1))]))])"
	if got := syntax.Dump(m, false); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWalk(t *testing.T) {
	m := parse(t, "@d\ndef f[T: int](a, /, b: c = 1, *e, g=2, **h) -> i:\n    with j as k: return {**l, m: n}\n    match o:\n        case [p, A(q=1)] if r: pass\n")
	var names []string
	syntax.Walk(m, func(n syntax.Node) bool {
		if n == nil {
			t.Fatal("visited nil")
		}
		if name, ok := n.(*syntax.Name); ok {
			names = append(names, name.ID)
		}
		_, with := n.(*syntax.With)
		return !with
	})
	if got, want := strings.Join(names, " "), "c o A r d i int"; got != want {
		t.Errorf("visited %q, want %q", got, want)
	}
}

func TestOperators(t *testing.T) {
	for i := syntax.Add; i <= syntax.FloorDiv; i++ {
		if i.String() == "" || i.Symbol() == "" || strings.Contains(i.String(), "(") {
			t.Errorf("operator %d has no name", i)
		}
	}
	if got := syntax.CmpOperator(99).String(); got != "CmpOperator(99)" {
		t.Errorf("got %q", got)
	}
	if got := syntax.NotIn.Symbol() + syntax.USub.Symbol() + syntax.Or.Symbol() + syntax.Del.String(); got != "not in-orDel" {
		t.Errorf("got %q", got)
	}
}
