package python

import "testing"

func TestInteractive(t *testing.T) {
	const call = `__import__("_praxis").command(`
	for _, c := range []struct{ in, want string }{
		{"x = 1\nx", "x = 1\nx"},
		{"\n    if x:\n        y = 1\n\n    y\n", "\nif x:\n    y = 1\n\ny\n"},
		{"!ls -l", call + `"!", "ls -l", "")`},
		{"if x:\n    !ls {y}\nz", "if x:\n    " + call + `"!", "ls {y}", "")` + "\nz"},
		{"a = !ls", "a = " + call + `"!=", "ls", "")`},
		{"%cd /tmp\n%pip install x", call + `"%", "cd /tmp", "")` + "\n" + call + `"%", "pip install x", "")`},
		{"%%bash\necho 1\necho 2", call + `"%%", "bash", "echo 1\necho 2")`},
		{"%%time\nx", "#\nx"},
		{"x = '''\n!ls\n'''", "x = '''\n!ls\n'''"},
		{"x = (1\n%cd\n)", "x = (1\n%cd\n)"},
		{"print?", "print?"},
		{"a %b", "a %b"},
	} {
		if got := Interactive(c.in); got != c.want {
			t.Errorf("%q: got\n%s\nwant\n%s", c.in, got, c.want)
		}
	}
}

// Whatever a cell is, it stays on its lines, and one without commands stays as it is, but for
// its indentation.
func FuzzInteractive(f *testing.F) {
	f.Add("!ls\n%%x\n  a = !b")
	f.Add("%%time\n%cd")
	f.Fuzz(func(t *testing.T, code string) { Interactive(Interactive(code)) })
}

// Values have forms for programs while executions ask for them, and no longer.
func TestRich(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	run := func(code string, rich bool) map[string]string {
		t.Helper()
		o := k.Ask(map[string]any{"code": code, "rich": rich})
		if o.Done.Status != "ok" {
			t.Fatalf("%s: %+v", code, o.Done)
		}
		return o.Done.Result
	}
	for _, c := range []struct{ code, want string }{
		{"{'a': [1, 2.5, None, True, 'x'], 3: (1,)}", `{"a": [1, 2.5, null, true, "x"], "3": [1]}`},
		{"[float('nan')]", "[null]"},
		{"{'a': object}", ""},
		{"import datetime; [datetime.date(2020, 1, 2)]", `["2020-01-02"]`},
		{"x = []; x.append(x); x", ""},
		{"[1] * 200_000", ""},
		{"1", ""},
	} {
		if got := run(c.code, true); got["application/json"] != c.want {
			t.Errorf("%s: got %q, want %q", c.code, got["application/json"], c.want)
		}
	}
	if got := run("[1]", false); len(got) != 1 || got["text"] != "[1]" {
		t.Errorf("of an execution that does not ask: got %v", got)
	}
	folder := t.TempDir()
	k.Send(map[string]any{"op": "environ", "set": map[string]string{"GIVEN": "yes"}, "unset": []string{"HOME"}, "folder": folder})
	if got := run("import os; [os.environ['GIVEN'], 'HOME' in os.environ, os.getcwd()]", true)["application/json"]; got != `["yes", false, "`+folder+`"]` {
		t.Errorf("got %s", got)
	}
}

// Commands of notebooks do what they do there.
func TestCommands(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	for _, c := range []struct{ cell, stdout, stderr, value string }{
		{"word = 'there'\n!echo {word} $word $$HOME_ {no}", "there there {no}\n", "", ""},
		{"out = !echo 1; echo 2\nout", "", "", "['1', '2']"},
		{"!exit 3\n_exit_code", "", "", "3"},
		{"%%bash\necho $((6 * 7))", "42\n", "", ""},
		{"%%writefile a.txt\nx\ny", "Writing a.txt\n", "", ""},
		{"%%writefile -a a.txt\nz", "Appending to a.txt\n", "", ""},
		{"open('a.txt').read()", "", "", "'x\\nyz'"},
		{"%env A=b", "env: A=b\n", "", ""},
		{"%env A", "", "", "'b'"},
		{"%nothing", "", "UsageError: Line magic function `%nothing` not found.\n", ""},
		{"%%nothing\nx", "", "UsageError: Cell magic function `%%nothing` not found.\n", ""},
		{"%matplotlib qt\n1", "", "", "1"},
		{"%cd /", "/\n", "", ""},
		{"%pwd", "", "", "'/'"},
	} {
		o := k.Ask(map[string]any{"code": Interactive(c.cell), "rich": true})
		if o.Stdout != c.stdout || o.Stderr != c.stderr || o.Done.Result["text"] != c.value || o.Done.Status != "ok" {
			t.Errorf("%q: got %q %q %q %+v", c.cell, o.Stdout, o.Stderr, o.Done.Result["text"], o.Done.Error)
		}
	}
}
