package cmd

import (
	"regexp"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/cli/format"
	"praxis/internal/plan/syntax"
)

func TestIndented(t *testing.T) {
	module, bad := syntax.Parse([]byte("x = f(1, 'a (b)', *y)\nif x: pass\n"), syntax.Options{})
	if len(bad) > 0 {
		t.Fatal(bad[0])
	}
	want := `Module(
  body=[
    Assign(
      targets=[
        Name(id='x', ctx=Store())],
      value=Call(
        func=Name(id='f', ctx=Load()),
        args=[
          Constant(value=1),
          Constant(value='a (b)'),
          Starred(
            value=Name(id='y', ctx=Load()),
            ctx=Load())])),
    If(
      test=Name(id='x', ctx=Load()),
      body=[
        Pass()])])`
	if got := indented(syntax.Dump(module, false)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// FuzzIndented checks that laying a tree out loses and adds nothing but layout.
func FuzzIndented(f *testing.F) {
	for _, code := range []string{"", "x", "'it\\'s'", `"\\"`, "f'{x!r:>{w}}'", "class A(B, c=1):\n  def f(self, /, *, a=[]): return {1: {2}}", "match x:\n case [1, *_]: pass"} {
		f.Add(code)
	}
	broken := regexp.MustCompile(`(,?)\n *`)
	f.Fuzz(func(t *testing.T, code string) {
		module, bad := syntax.Parse([]byte(code), syntax.Options{})
		if len(bad) > 0 {
			return
		}
		dump := syntax.Dump(module, false)
		got := broken.ReplaceAllStringFunc(indented(dump), func(s string) string {
			if strings.HasPrefix(s, ",") {
				return ", "
			}
			return ""
		})
		if got != dump {
			t.Errorf("%q: got %s, want %s", code, got, dump)
		}
	})
}

func TestInputValue(t *testing.T) {
	for _, c := range []struct{ text, name, want, remedy string }{
		{text: `who="Ann"`, name: "who", want: `"Ann"`},
		{text: `n=1e400`, name: "n", want: `1e400`},
		{text: `o={"b": 1, "a": [null]}`, name: "o", want: `{"b":1,"a":[null]}`},
		{text: `who=Ann`, remedy: `--input who='"Ann"'`},
		{text: `who={"a": 1`, remedy: "as JSON."},
		{text: `who`, remedy: "NAME=JSON"},
		{text: `="x"`, remedy: "NAME=JSON"},
	} {
		name, v, err := inputValue(c.text)
		if c.remedy != "" {
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.RemedyOf(err), c.remedy) {
				t.Errorf("%s: error %v (%s), want the remedy %q", c.text, err, fault.RemedyOf(err), c.remedy)
			}
			continue
		}
		var b strings.Builder
		if err != nil || format.NewEncoder(&b).Encode(v) != nil || name != c.name || strings.TrimSpace(b.String()) != c.want {
			t.Errorf("%s: got %s = %s, %v", c.text, name, b.String(), err)
		}
	}
}
