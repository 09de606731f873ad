package syntax_test

import (
	"math"
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

// TestFirstMistake checks what is said of the first mistake, which is the only one reported.
func TestFirstMistake(t *testing.T) {
	for src, want := range map[string]string{
		"a b\nc d\n":                         "line 1: SyntaxError: invalid syntax",
		"(a b)":                              "line 1: SyntaxError: invalid syntax. Perhaps you forgot a comma?",
		" a":                                 "line 1: IndentationError: unexpected indent",
		"if x:\n    a\n  b\n":                "line 3: IndentationError: unindent does not match any outer indentation level",
		"def f(x)\n    return x\n":           "line 1: SyntaxError: expected ':'",
		"print x\n":                          "line 1: SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?",
		"if a = 1: pass":                     "line 1: SyntaxError: invalid syntax. Maybe you meant '==' or ':=' instead of '='?",
		"f() = 1":                            "line 1: SyntaxError: cannot assign to this expression or delete it",
		"x = [1,\n  2\ndef f():\n    pass\n": "line 1: SyntaxError: '[' was never closed",
		"del (a, b)":                         "line 1: SyntaxError: del of a tuple or list is not supported: name what to delete, with commas between",
		"f(a=1, 2)":                          "line 1: SyntaxError: positional argument follows keyword argument",
		"x = f'{a b}'":                       "line 1: SyntaxError: f-string: expecting '}'",
		"def f[T](x): pass":                  "line 1: SyntaxError: type parameters are not supported: leave them out",
		"try: pass\nexcept* A: pass":         "line 2: SyntaxError: except* is not supported: use except clauses without the star, there are no exception groups",
		"match a:\n case {**b}: pass":        "line 2: SyntaxError: ** in a pattern is not supported: match the keys, and make the rest by {k: v for k, v in d.items() if k not in (…)}",
		"t'{a}'":                             "line 1: SyntaxError: a template string is not supported: use an f-string",
		"'\\ud83d\\ude00'":                   "line 1: SyntaxError: half of a surrogate pair is not supported: write the character itself",
		"'\\N{BULLET}'":                      "line 1: SyntaxError: a character by its name is not supported: write the character itself, or \\u and its number",
	} {
		if m, errs := syntax.Parse([]byte(src), syntax.Options{}); len(errs) != 1 || errs[0].Error() != want || len(m.Body) > 0 {
			t.Errorf("%q: got %v, want %s", src, errs, want)
		}
	}
}

func TestEncodings(t *testing.T) {
	for src, want := range map[string]string{
		"\xef\xbb\xbf# coding: latin-1\nx = 'é'\r\n": "",
		"x = 1\ny = '\xff'\n":                        "line 2: SyntaxError: the source is not UTF-8: byte 0xff; save it as UTF-8",
		"x = 1\nx = '\x00'":                          "line 2: SyntaxError: source code cannot contain null bytes",
	} {
		_, errs := syntax.Parse([]byte(src), syntax.Options{})
		if want == "" && len(errs) > 0 || want != "" && (len(errs) != 1 || errs[0].Error() != want) {
			t.Errorf("%q: got %v, want %s", src, errs, want)
		}
	}
	if _, errs := syntax.Parse(make([]byte, 20), syntax.Options{MaxBytes: 10}); len(errs) != 1 || !strings.Contains(errs[0].Message, "too large") {
		t.Errorf("a source over the bound: %v", errs)
	}
}

func TestConstants(t *testing.T) {
	m := parse(t, "1; 0x_Ff; 9223372036854775807; 9223372036854775808; 1.5; 2e3j; '\\ud799'; b'\\xff'; u'a'; ...; 1e999")
	constant := func(i int) *syntax.Constant { return m.Body[i].(*syntax.ExprStmt).Value.(*syntax.Constant) }
	for i, want := range []syntax.Constant{
		{Kind: syntax.Int, Int: 1}, {Kind: syntax.Int, Int: 255}, {Kind: syntax.Int, Int: math.MaxInt64}, {Kind: syntax.Int},
		{Kind: syntax.Float, Float: 1.5}, {Kind: syntax.Complex, Float: 2000},
		{Kind: syntax.Str, Str: "\ud799"}, {Kind: syntax.Bytes, Str: "\xff"}, {Kind: syntax.Str, Str: "a"},
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
	m := parse(t, "@d\ndef f(a, /, b: c = 1, *e, g=2, **h) -> i:\n    with j as k: return {**l, m: n}\n    match o:\n        case [p, A(q=1)] if r: pass\n")
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
	if got, want := strings.Join(names, " "), "c o A r d i"; got != want {
		t.Errorf("visited %q, want %q", got, want)
	}
}
