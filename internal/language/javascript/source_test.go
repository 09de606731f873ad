package javascript

import (
	"strings"
	"testing"

	"praxis/internal/language"
)

func TestHighlight(t *testing.T) {
	spans := Language().Spans("const re = /a[/]b/g; // note\nclass Point { #x = `a${n + 1}b` }\nlet n = 0xff / 2")
	want := []language.Span{
		{Class: language.Keyword, Text: "const"}, {Class: language.Text, Text: "/a[/]b/g"}, {Class: language.Comment, Text: "// note"},
		{Class: language.Keyword, Text: "class"}, {Class: language.Definition, Text: "Point"}, {Class: language.Text, Text: "`a"},
		{Class: language.Text, Text: "b`"}, {Class: language.Number, Text: "0xff"}, {Class: language.Number, Text: "2"},
	}
	at := 0
	for _, s := range spans {
		if at < len(want) && s == want[at] {
			at++
		}
	}
	if at != len(want) {
		t.Errorf("%v is missing in %v", want[at], spans)
	}
	if s := TypeScript().Spans("interface A {}"); s[0] != (language.Span{Class: language.Keyword, Text: "interface"}) {
		t.Errorf("got %v", s)
	}
}

func TestIncomplete(t *testing.T) {
	for source, want := range map[string]bool{
		"":                          false,
		"1 + 1":                     false,
		"function f() {":            true,
		"function f() {\n  }":       false,
		"`a\n":                      true,
		"`a ${ {b: 1}.b } c`":       false,
		"/* note":                   true,
		"/* note */ 1":              false,
		"a =":                       true,
		"a =>":                      true,
		"a++":                       false,
		"[1, 2].map(x =>\n x * 2)":  false,
		"x.replace(/[(]/g, '')":     false,
		"'it\\'s ('":                false,
		"a / b / (c)":               false,
		"const s = '('":             false,
		"// (":                      false,
		"foo(`${`inner ${1}`}`, {a": true,
	} {
		if got := Language().NeedsMore(source); got != want {
			t.Errorf("%q: got %t", source, got)
		}
	}
}

func TestIndent(t *testing.T) {
	for source, want := range map[string]string{"if (a) {": "  ", "  f(": "    ", "a": "", "  a": "  ", "`{": ""} {
		if got := indent(source); got != want {
			t.Errorf("%q: got %q", source, got)
		}
	}
}

func TestPackageOf(t *testing.T) {
	for text, want := range map[string]string{
		"Cannot find module 'lodash'\nRequire stack:\n- /work/cell.js":           "lodash",
		"Cannot find package '@scope/name' imported from /work/":                 "@scope/name",
		"Cannot find module '@scope/name/deep/file'":                             "@scope/name",
		"Cannot find module 'd3/sub'":                                            "d3",
		"Cannot find module './mine'":                                            "",
		"Cannot find module '/work/mine.js' imported from /work/":                "",
		"Cannot find module '../up'":                                             "",
		"Cannot find package 'Upper; rm -rf /' imported from /work/":             "",
		"Cannot find module '@scope'":                                            "",
		"Cannot find package 'node:nothing' imported from /work/; say something": "",
	} {
		if _, got := packageOf("ModuleNotFound", text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if _, got := packageOf("TypeError", "Cannot find module 'lodash'"); got != "" {
		t.Errorf("got %q for another error", got)
	}
}

func TestFill(t *testing.T) {
	code := fill([]string{"`a${1}` + \"'\":,.2f"})
	if !strings.Contains(code, "[\"`a${1}` + \\\"'\\\":,.2f\"]") || strings.Contains(code, "PLACEHOLDERS") {
		t.Errorf("got %s", code)
	}
	if list, ok := filled(" [[\"a\",true]]\n"); !ok || list != `[["a",true]]` {
		t.Errorf("got %q, %t", list, ok)
	}
	if _, ok := filled("a"); ok {
		t.Error("what is no list was taken")
	}
}

func FuzzHighlight(f *testing.F) {
	for _, s := range []string{"", "a`${b}`", "/a/", "/*", "'\\", "`${`${", "@", "#", "0x", "}}", "\xff", "a/b/c", "`\\"} {
		f.Add(s)
	}
	names := words()
	f.Fuzz(func(t *testing.T, source string) {
		var b strings.Builder
		for _, s := range scan(source, names).spans {
			if s.Text == "" {
				t.Fatalf("%q has an empty span", source)
			}
			b.WriteString(s.Text)
		}
		if b.String() != source {
			t.Fatalf("%q became %q", source, b.String())
		}
		incomplete(source)
		indent(source)
	})
}
