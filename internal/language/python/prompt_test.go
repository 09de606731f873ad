package python

import (
	"regexp"
	"strings"
	"testing"
)

func TestIndent(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""},
		{"x = 1", ""},
		{"if x:", "    "},
		{"if x:  # why: so", "    "},
		{"def f():\n    for x in y:", "        "},
		{"def f():\n    x = 1", "    "},
		{"def f():\n    return 1", ""},
		{"for x in y:\n    if x:\n        break", "    "},
		{"for x in y:\n    returned = 1", "    "},
		{"f(1,", "    "},
		{"f(1,\n    2,", "    "},
		{"x = {1: 2}", ""},
		{"x[1:]", ""},
		{"'''if x:", ""},
		{"print('if:')", ""},
		{"while x:\n    ", "    "},
	} {
		if got := indent(c[0]); got != c[1] {
			t.Errorf("after %q the indent is %q, want %q", c[0], got, c[1])
		}
	}
}

// TestPrompt checks what a person asks for beside code, and that it leaves no name.
func TestPrompt(t *testing.T) {
	t.Parallel()
	p := Language().Prompt
	k := start(t, nil)
	k.Run("def area(r, *, pi=3):\n    'The area\\n    of a circle.'\n    return pi * r * r\nclass C: pass\nclass Bad:\n    def __len__(self): 1/0\n    def __repr__(self): raise SystemExit\nnames = sorted(globals())")
	for _, c := range []struct{ code, stdout, stderr string }{
		{p.Inspect("area"), "^area\\(r, \\*, pi=3\\)\ntype: function\n\nThe area\nof a circle\\.\n$", "^$"},
		{p.Inspect("[1, 2]"), `^\[1, 2\]` + "\ntype: list\nlength: 2\n\nBuilt-in", "^$"},
		{p.Inspect("C"), `^C\(\)`, "^$"},
		{p.Inspect("nope.x"), "^$", "^NameError: name 'nope' is not defined\n$"},
		{p.Inspect("'\"'"), `^'"'`, "^$"},
		{p.Inspect("'" + strings.Repeat("x", 1000) + "'"), "^'x{199}…\ntype: str\nlength: 1000\n", "^$"},
		{p.Time("area(2)"), `^[0-9.e+]+ [nµm]?s per loop, the best of 5 runs of [0-9,]+ loops; the worst [0-9.e+]+ [nµm]?s` + "\n$", "^$"},
		{p.Shell("echo \"a b\"; exit 3"), "^a b\n$", `^\[exit code 3\]` + "\n$"},
	} {
		o := k.Run(c.code)
		if o.Done.Status != "ok" || !regexp.MustCompile(c.stdout).MatchString(o.Stdout) || !regexp.MustCompile(c.stderr).MatchString(o.Stderr) {
			t.Errorf("%q\nends %s (%+v) and prints %q and %q", c.code[len(c.code)-40:], o.Done.Status, o.Done.Error, o.Stdout, o.Stderr)
		}
	}
	if got := k.Text("sorted(globals()) == sorted([*names, 'names'])"); got != "True" {
		t.Errorf("names are left: %s", k.Text("set(globals()) - set(names)"))
	}
}
