package cmd

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/server"
)

// world is a data folder that commands are run over: by themselves, or by a server.
type world struct {
	*testing.T
	env map[string]string
	dir string // with the files that command lines name
}

// here is a world in which commands do everything themselves.
func here(t *testing.T, dir string) *world {
	return &world{t, map[string]string{"PRAXIS_HOME": t.TempDir(), "TZ": "UTC"}, dir}
}

// there is a world in which a server does everything.
func there(t *testing.T, dir string, tools ...string) *world {
	t.Helper()
	return thereWith(t, dir, app.ToolSpec{Files: tools})
}

// thereWith is there with tools that can be called.
func thereWith(t *testing.T, dir string, tools app.ToolSpec) *world {
	t.Helper()
	home := t.TempDir()
	none := func(string) string { return "" }
	parts, err := toyParts(none)()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{Home: home, Version: "v0-test", FileModels: true, Tools: tools,
		Models: func(ctx context.Context) []app.ProviderModels { return app.ListModels(ctx, none) },
		Open: func(of server.Tenant) (*app.App, error) {
			c, err := app.DefaultConfig(of.Home, none)
			if err != nil {
				return nil, err
			}
			return app.Open(app.Options{Config: c, Version: "v0-test", Parts: parts})
		}})
	if err != nil {
		t.Fatal(err)
	}
	key, _, _, err := s.FirstKey()
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
		if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("cannot close: %v", err)
		}
	})
	// Nothing of this machine is needed: its data folder cannot be used.
	return &world{t, map[string]string{"PRAXIS_HOME": filepath.Join(dir, app.ToolsFile), "PRAXIS_SERVER": web.URL, "PRAXIS_KEY": key}, dir}
}

// do runs a command and returns what it printed and its exit code.
func (w *world) do(stdin string, args ...string) (code int, stdout, stderr string) {
	w.Helper()
	p, out, errs, _ := inProcess(w.T, nil)
	p.stdin = strings.NewReader(stdin)
	p.getenv = func(k string) string { return w.env[k] }
	p.parts = toyParts(p.getenv)
	code = p.run(w.Context(), args)
	if key := w.env["PRAXIS_KEY"]; key != "" && strings.Contains(out.String()+errs.String(), key) {
		w.Errorf("%q shows the key", args)
	}
	return code, out.String(), errs.String()
}

// varying is what differs between two runs of one command.
var varying = regexp.MustCompile(`ed25519:[^"]*|[0-9]{8}-[0-9]{6}-[0-9a-f]{4}|[0-9a-f]{12,}|[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:.]+Z?|"(wall_ms|cpu_ms|took_ms|executed_ms|bytes|stored_bytes|used|created|duration_ms)":"?[-0-9.TZ:]+"?|[0-9.]+[ \x{a0}\x{202f}]?(KiB|B|MiB|bytes)\b|[0-9]+(\.[0-9]+)? ?m?s\b| +`)

// onBehalf is on whose behalf a run was: a server records it.
var onBehalf = regexp.MustCompile(`,"client":\{[^}]*\}|(?m)^.*tenant default, key [0-9a-f]+.*\n`)

// progress is what is said of what is only waited for at a server, and the events whose place in
// a record is a matter of chance, with the places.
var progress = regexp.MustCompile(`(?m)^praxis: (testing the skill|building).*\n|^.*"event":"snapshot_taken".*\n|"seq":\d+,`)

func same(text, dir string) string {
	return varying.ReplaceAllString(progress.ReplaceAllString(onBehalf.ReplaceAllString(strings.ReplaceAll(text, dir, "DIR"), ""), ""), "·")
}

// TestRemote runs every command that a server can be asked for against one and by itself: what
// it prints, and the exit code, are the same.
func TestRemote(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	script := "scripted:" + write("talk.script", "=== reply\n```python\nprint 42\nwrite answer.txt forty-two\n```\n=== reply\nFINAL ANSWER: It is 42.\n")
	data := write("data.txt", "one two")
	plan := write("plan.py", "total = sum([1, 2, 39])\nprint(total)\n")
	bad := write("bad.py", "print(nothing.here())\n")
	tools := write(app.ToolsFile, "version: 1\ntools:\n- {name: bank.balance, version: 1.0.0, effects: read, description: Tells the balance., input: {type: object, properties: {}}, output: {type: integer}}\n- {name: bank.pay, version: 1.0.0, effects: external, approval: true, description: Pays., input: {type: object, properties: {}}, output: {type: integer}}\n")
	t.Chdir(dir)
	far := there(t, dir)
	near := here(t, dir)
	tested := map[string]bool{}
	compare := func(stdin string, args ...string) {
		t.Helper()
		code, out, errs := near.do(stdin, args...)
		files := made(t, args) // which removes them
		code2, out2, errs2 := far.do(stdin, args...)
		if code != code2 || same(out, dir) != same(out2, dir) || same(errs, dir) != same(errs2, dir) {
			t.Errorf("%q\nhere:  %d\n%s%s\nthere: %d\n%s%s", args, code, same(out, dir), same(errs, dir), code2, same(out2, dir), same(errs2, dir))
		}
		if files2 := made(t, args); !slices.Equal(files, files2) {
			t.Errorf("%q made %q here and %q there", args, files, files2)
		}
		for n := len(args); n > 0; n-- {
			if _, known := remoteCommands()[strings.Join(args[:n], " ")]; known {
				tested[strings.Join(args[:n], " ")] = true
				break
			}
		}
	}
	compare("", "runs")
	compare("", "session", "ls")
	compare("", "run", "-c", "print 1\nerr two\nvalue 3")
	compare("", "run", "-c", "raise ValueError broken", "--json")
	compare("typed", "run", "-c", "stdin", "--stdin")
	compare("", "run", "-c", "cat data.txt\npicture\nwrite out.txt made\nargs", "--file", data, "--out", "made", "--", "a", "b")
	compare("", "run", "-c", "picture\nwrite out.txt made")
	compare("", "run", "-c", "print 1", "--lang", "cobol")
	compare("", "run", "-c", "print 1", "--timeout", "0s")
	compare("", "run", "--session", "work", "-c", "set x", "--json")
	compare("", "run", "--session", "work", "-c", "get x")
	compare("", "session", "ls")
	compare("", "session", "ls", "--json")
	compare("", "session", "fork", "work", "other")
	compare("", "session", "log", "work")
	compare("", "session", "rollback", "work")
	compare("", "session", "rm", "other")
	compare("", "ask", "What is it?", "--model", script, "--file", data, "--out", "made", "--thread", "talk")
	compare("", "ask", "What is it?", "--model", script, "--json")
	compare("", "ask", "What is it?", "--model", "scripted:none")
	compare("", "thread", "ls", "--json")
	compare("", "thread", "show", "talk")
	compare("", "thread", "rm", "talk")
	compare("", "runs", "--kind", "ask", "--limit", "1", "--json")
	compare("", "runs", "--text", "nobody", "--since", "today")
	compare("", "show", "last")
	compare("", "show", "last", "--json")
	compare("", "show", "last", "--figures")
	compare("", "show", "none")
	compare("", "diff", "last~1", "last")
	compare("", "verify", "last")
	compare("", "verify", "last", "--json")
	compare("", "replay", "last")
	compare("", "replay", "none")
	compare("", "export", "last", "--format", "md", "--out", "-")
	compare("", "export", "last", "--format", "html", "--out", "page.html")
	compare("", "export", "last", "--format", "html", "--out", "page.html", "--force", "--json")
	compare("", "cost", "--by", "model")
	compare("", "runs", "rm", "last")
	compare("", "plan", "check", plan)
	compare("", "plan", "check", bad)
	compare("", "plan", "check", bad, "--json")
	compare("", "plan", "run", plan)
	compare("", "plan", "run", plan, "--json")
	compare("", "replay", "last")
	compare("", "plan", "run", plan, "--approve", "never")
	compare("", "plan", "graph", plan)
	compare("", "plan", "graph", bad, "--format", "dot")
	compare("", "plan", "explain", plan)
	compare("", "plan", "explain", bad, "--json")
	compare("", "plan", "resume", "last", "--approve")
	compare("", "plan", "resume", "none", "--deny", "no")
	compare("", "ask", "What is it?", "--mode", "plan", "--model", "scripted:none")
	compare("", "ask", "--resume", "last")
	compare("", "ask", "--resume", "none")
	cut := "scripted:" + write("cut.script", "=== reply\n```python\nprint 42\nwrite answer.txt forty-two\n```\n")
	compare("", "ask", "What is it?", "--model", cut)
	compare("", "ask", "--resume", "last", "--model", cut)
	compare("", "ask", "--resume", "last", "--model", "scripted:"+write("end.script", "=== reply\nFINAL ANSWER: It is 42.\n"), "--json")
	compare("", "ask", "What is it?", "--model", script, "--thread", "talk")
	compare("", "thread", "fork", "talk", "other-talk")
	compare("", "thread", "rename", "other-talk", "third")
	compare("", "thread", "ls")
	compare("", "thread", "rename", "none", "fourth")
	compare("", "policy", "cases", "last")
	compare("", "skill", "ls")
	compare("", "skill", "show", "none")
	compare("", "skill", "test", "none")
	compare("", "skill", "rm", "none")
	compare("", "skill", "export", "none")
	compare("", "skill", "import", data)
	compare("", "skill", "add", write("twice.py", "def twice(x):\n    return 2 * x\n"), "--tests", write("tests.py", "print nothing\n"))
	if code, _, errs := far.do("", "import", data); code != exitUsage || strings.Contains(errs, os.TempDir()) || !strings.Contains(errs, "it is no bundle") {
		t.Errorf("%d %q", code, errs)
	}
	tested["import"] = true
	compare("", "run", "--session", "work", "-c", "set y")
	compare("", "session", "prune", "--keep", "1", "--dry-run")
	compare("", "session", "prune", "none")
	compare("", "session", "export", "work", "--out", "made")
	compare("", "session", "import", data)
	book := write("book.ipynb", `{"cells": [{"cell_type": "code", "source": "print 1", "metadata": {}, "outputs": [], "execution_count": null}, {"cell_type": "code", "source": "value 2", "metadata": {}, "outputs": [], "execution_count": null}], "metadata": {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"}}, "nbformat": 4, "nbformat_minor": 5}`)
	compare("", "run", book)
	compare("", "run", book, "--json")
	compare("", "run", book, "--save")
	if text, err := os.ReadFile(book); err != nil || !strings.Contains(string(text), `"execution_count": 2`) {
		t.Errorf("the outputs of the cells are not in the notebook: %s %v", text, err)
	}
	compare("", "run", data+".ipynb")
	compare("print 1\nset q\n:files\n:save\n%bash\n:put data.txt\ncat data.txt\nraise E x\n", "shell", "--session", "typed")
	compare("get q\n:restart\nget q\n", "shell", "--session", "typed")
	compare("value 3", "shell", "--json")
	compare("print 1", "shell", "--lang", "cobol")
	compare("", "fix", "nowhere", "--test", "true")
	compare("", "fix", dir)
	compare("", "image", "ls")
	compare("", "image", "show", "none")
	compare("", "image", "history", "none")
	compare("", "image", "rm", "none")
	compare("", "image", "pull", "none.invalid/none")
	compare("", "image", "build", "--with", "numpy")
	compare("", "image", "build", data)
	compare("", "models", "--json")
	compare("", "memory", "ls")
	compare("", "memory", "search", "anything")
	compare("", "memory", "show", "none")
	compare("", "memory", "rm", "none")
	far = there(t, dir, tools)
	compare("", "tools", "ls")
	compare("", "tools", "ls", "--search", "balance")
	rules := write("rules.yaml", "version: 1\nrules:\n- {name: pays, tools: [bank.pay], decision: ask, reason: it pays}\ntests:\n- {name: one, call: bank.balance, expect: allow}\n")
	for _, args := range [][]string{{"policy", "test", rules}, {"policy", "explain", rules}, {"policy", "explain", rules, "--call", `{"call": "bank.pay", "args": {}}`}, {"policy", "test", rules, "--json"}, {"policy", "init"}} {
		code, out, errs := near.do("", append(args, "--tools", tools)...)
		code2, out2, errs2 := far.do("", args...)
		if code != code2 || same(out, dir) != same(out2, dir) || same(errs, dir) != same(errs2, dir) {
			t.Errorf("%q\nhere:  %d\n%s%s\nthere: %d\n%s%s", args, code, out, errs, code2, out2, errs2)
		}
		tested[strings.Join(args[:2], " ")] = true
	}
	// Nobody is asked about calls; a plan can wait for who is.
	pay := write("pay.py", "bank.pay()\n")
	if code, out, errs := far.do("", "plan", "run", pay); code != exitRaised || !strings.Contains(errs, "denied") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if code, out, errs := far.do("", "plan", "run", pay, "--later", "--json"); code != exitUnfinished || !strings.Contains(out, `"status":"waits"`) {
		t.Errorf("%d %q %q", code, out, errs)
	}
	for name := range remoteCommands() {
		if !tested[name] && !strings.HasPrefix(name, "serve key") && name != "session add" {
			t.Errorf("no test runs %q", name)
		}
	}

	// Keys are those of the server.
	if code, out, errs := far.do("", "serve", "key", "add", "--name", "ci", "--scope", "read"); code != 0 || !strings.HasPrefix(out, "praxis_") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if code, _, errs := far.do("", "session", "add", "none", "polars"); code != exitUsage || !strings.Contains(errs, "cannot find session none") {
		t.Errorf("%d %q", code, errs)
	}
	if code, out, errs := far.do("", "serve", "key", "ls"); code != 0 || !strings.Contains(out, "ci") {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

// made lists the files that a command saved in a folder, with what is in them, and removes
// what it saved.
func made(t *testing.T, args []string) (out []string) {
	t.Helper()
	i := slices.Index(args, "--out")
	if i < 0 || args[i+1] == "-" {
		return nil
	}
	files, _ := os.ReadDir(args[i+1]) // there are none of a file
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(args[i+1], f.Name()))
		if err != nil {
			t.Error(err)
		}
		out = append(out, f.Name()+": "+string(text))
	}
	if err := os.RemoveAll(args[i+1]); err != nil {
		t.Error(err)
	}
	return out
}

// TestNotRemote requires that what a server cannot be asked for is refused, and says so, and
// that the table names commands and flags that there are.
func TestNotRemote(t *testing.T) {
	dir := t.TempDir()
	far := &world{t, map[string]string{"PRAXIS_HOME": t.TempDir(), "PRAXIS_SERVER": "http://127.0.0.1:1", "PRAXIS_KEY": "praxis_secret"}, dir}
	for _, line := range []string{
		"doctor", "gc", "serve", "rpc", "mcp", "bench", "demo", "eval f", "key ls", "image export i", "tools show x", "fix x --requirements f", "policy test f --tools t",
		"run -c 1 --requirements f", "run -c 1 --allow-net example.com", "run -c 1 --trust-code", "ask x --tools f", "plan run f --yes", "verify", "replay last --from 1", "tools ls --tools f",
	} {
		code, out, errs := far.do("", strings.Fields(line)...)
		if code != exitUsage || out != "" || !strings.HasPrefix(errs, "praxis: cannot ") || strings.Contains(errs, "there is no such file") {
			t.Errorf("%s: %d %q %q", line, code, out, errs)
		}
	}
	for _, line := range []string{"version", "help", "exit-codes", "completion bash", `run --server= -c print\n1`} {
		if code, _, errs := far.do("", strings.Split(strings.ReplaceAll(line, `\n`, "\x00"), " ")...); code != 0 && !strings.Contains(line, "run") {
			t.Errorf("%s: %d %q", line, code, errs)
		}
	}
	if code, _, errs := far.do("", "runs"); code != exitFailed || !strings.Contains(errs, "cannot reach the server http://127.0.0.1:1") {
		t.Errorf("%d %q", code, errs)
	}
	for name, env := range map[string]map[string]string{
		"no key":     {"PRAXIS_SERVER": "http://127.0.0.1:1"},
		"no address": {"PRAXIS_SERVER": "server", "PRAXIS_KEY": "praxis_secret"},
		"a password": {"PRAXIS_SERVER": "http://me:hidden@127.0.0.1:1", "PRAXIS_KEY": "praxis_secret"},
		"no scheme":  {"PRAXIS_SERVER": "ftp://127.0.0.1:1", "PRAXIS_KEY": "praxis_secret"},
	} {
		w := &world{t, env, dir}
		if code, _, errs := w.do("", "runs"); code != exitUsage || !strings.Contains(errs, "→") || strings.Contains(errs, "hidden") {
			t.Errorf("%s: %d %q", name, code, errs)
		}
	}
	root := (&program{getenv: func(string) string { return "" }}).root()
	refused := refusedCommands()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		path := strings.TrimSpace(strings.TrimPrefix(c.CommandPath(), root.Name()))
		_, remote := remoteCommands()[path]
		r, no := refused[path]
		switch local := slices.Contains(localCommands(), path) || c.Annotations[holdsOthers] != ""; {
		case remote && (no || local) || no && local:
			t.Errorf("%q is remote %v, refused %v and local %v at once", path, remote, no, local)
		case !remote && !no && !local:
			t.Errorf("%q is neither remote nor refused with a reason", path)
		case no && (r.why == "" || r.remedy == ""):
			t.Errorf("%q is refused without a reason, or without what to do instead", path)
		}
		delete(refused, path)
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(root)
	for path := range refused {
		t.Errorf("there is no command %q", path)
	}
	for path, flags := range remoteCommands() {
		c, _, err := root.Find(strings.Fields(path))
		if err != nil || c == root {
			t.Errorf("there is no command %q", path)
			continue
		}
		for _, name := range flags {
			if c.Flags().Lookup(name) == nil {
				t.Errorf("%s has no flag --%s", path, name)
			}
		}
	}
	for _, path := range localCommands() {
		if path == "help" || strings.HasPrefix(path, "completion") {
			continue // the library adds them
		}
		if c, _, err := root.Find(strings.Fields(path)); path != "" && (err != nil || c == root) {
			t.Errorf("there is no command %q", path)
		}
	}
}
