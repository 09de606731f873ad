package command_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/kind/command"
	"praxis/internal/tool/toolfile"
)

func object(t testing.TB, text string) *jsondoc.Object {
	t.Helper()
	v, err := jsondoc.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v.(*jsondoc.Object)
}

type secrets map[string]string

func (s secrets) Secret(name string) (string, error) {
	if v, ok := s[name]; ok {
		return v, nil
	}
	return "", fault.New(fault.NotFound, "Declare it.", "there is no secret %s", name)
}

func lookup(name string) (string, bool) {
	v, ok := map[string]string{"PATH": "relative::/usr/local/bin:/usr/bin:/bin", "HOME": "/home/x", "SECRET": "leaked"}[name]
	return v, ok
}

// open makes the tool of a spec, with the input that is derived from it.
func open(t testing.TB, spec string) (func(ctx context.Context, args string) (any, error), error) {
	t.Helper()
	k := command.New(command.Config{Allow: true, Secrets: secrets{"TOKEN": "s3cr3t"}, Lookup: lookup})
	b := tool.Binding{Kind: "command", Spec: object(t, spec), Dir: t.TempDir()}
	doc, err := k.Derive(t.Context(), b)
	if err != nil {
		return nil, err
	}
	for _, m := range []jsondoc.Member{{Name: "name", Value: "x.y"}, {Name: "version", Value: "1.0.0"}, {Name: "effects", Value: "read"}} {
		doc.Set(m.Name, m.Value)
	}
	d, err := toolfile.Define("test", doc)
	if err != nil {
		t.Fatal(err)
	}
	impl, err := k.New(t.Context(), d, b)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { impl.Close() })
	return func(ctx context.Context, args string) (any, error) {
		given := object(t, args)
		out, err := impl.Call(ctx, tool.Invocation{Tool: d, Arguments: given})
		if err == nil {
			if err := d.CheckResult(out); err != nil {
				t.Errorf("%s: %v", spec, err)
			}
		}
		return out, err
	}, nil
}

func TestCommand(t *testing.T) {
	for _, c := range []struct{ spec, args, want string }{
		{`{"argv":["printf","%s|","a{x}b","{x}","{{x}}"]}`, `{"x":"1 2;$(id)'"}`, `"a1 2;$(id)'b|1 2;$(id)'|{x}|"`},
		{`{"argv":["printf","%s|","{x}","{n}","{o}"]}`, `{"x":"*","n":1.50,"o":{"a":[true,null]}}`, `"*|1.5|{\"a\":[true,null]}|"`},
		{`{"argv":["printf","%s|","--","{x...}"]}`, `{"x":["a","-b",3,null]}`, `"--|a|-b|3|null|"`},
		{`{"argv":["printf","%s|","z",["-n","{n}"],["-m","{m}"],"{o}"]}`, `{"n":"1","o":null}`, `"z|-n|1|"`},
		{`{"argv":["printf","%s|","z","{x...}"]}`, `{"x":[]}`, `"z|"`},
		{`{"argv":["printf","%s|","--m={x}"]}`, `{"x":"-1"}`, `"--m=-1|"`},
		{`{"argv":["printf","%s|","z","{x}"],"verbatim":["x"]}`, `{"x":"-1"}`, `"z|-1|"`},
		{`{"argv":["printf","%s|","z","{x}","-d{y}","{z...}"],"verbatim":["x","y","z"]}`, `{"x":"@f","y":"@g","z":["@h","-i"]}`, `"z|@f|-d@g|@h|-i|"`},
		{`{"argv":["printf","%s|","{x}@{y}","--n={n}"]}`, `{"x":"a","y":"b@","n":-3}`, `"a@b@|--n=-3|"`},
		{`{"argv":["cat"],"stdin":"<{x}>{secret:TOKEN}{{}}"}`, `{"x":"-\n"}`, `"<-\n>(secret){}"`},
		{`{"argv":["cat"]}`, `{}`, `""`},
		{`{"argv":["env"],"env":{"A":"{secret:TOKEN}-{x}","PRAXIS_DEPTH":"0"},"output":"lines"}`, `{"x":"1"}`, `["A=(secret)-1","PATH=relative::/usr/local/bin:/usr/bin:/bin","HOME=/home/x","PRAXIS_DEPTH=1"]`},
		{`{"argv":["printf","a\r\nb\n\nc"],"output":"lines"}`, `{}`, `["a","b","","c"]`},
		{`{"argv":["printf",""],"output":"lines"}`, `{}`, `[]`},
		{`{"argv":["printf","{{\"b\":1.0,\"a\":[]}}"],"output":"json"}`, `{}`, `{"b":1.0,"a":[]}`},
		{`{"argv":["printf","\\377x"]}`, `{}`, `"` + "\ufffd" + `x"`},
		{`{"argv":["sh","-c","exit 1"],"exit":{"0":"ok","1":"empty"},"output":"lines"}`, `{}`, `[]`},
		{`{"argv":["sh","-c","echo x; exit 3"],"exit":{"3":"ok"}}`, `{}`, `"x\n"`},
		{`{"argv":["/bin/echo","x"],"dir":"/"}`, `{}`, `"x\n"`},
	} {
		call, err := open(t, c.spec)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		out, err := call(t.Context(), c.args)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		if b, err := json.Marshal(out); err != nil || strings.ReplaceAll(strings.ReplaceAll(string(b), `\u003e`, ">"), `\u003c`, "<") != c.want {
			t.Errorf("%s: got %s, want %s", c.spec, b, c.want)
		}
	}
}

// TestRefused calls with what must not become an option, and runs what fails.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		spec, args string
		kind       fault.Kind
		words      string
	}{
		{`{"argv":["echo","{x}"]}`, `{"x":"-n"}`, fault.Invalid, "option"},
		{`{"argv":["echo","{x}{y}"]}`, `{"x":"","y":"--help"}`, fault.Invalid, "option"},
		{`{"argv":["echo","{x...}"]}`, `{"x":["a","-n"]}`, fault.Invalid, "option"},
		{`{"argv":["echo","{x}","--"]}`, `{"x":"-n"}`, fault.Invalid, "option"},
		{`{"argv":["echo","{d}","{x}"]}`, `{"d":"--","x":"-n"}`, fault.Invalid, "option"},
		{`{"argv":["echo","{x}"]}`, `{"x":-5}`, fault.Invalid, "option"}, // its schema says string
		{`{"argv":["echo","{x}"]}`, `{"x":"@/etc/passwd"}`, fault.Invalid, "verbatim"},
		{`{"argv":["echo","--","{x}"]}`, `{"x":"@/etc/passwd"}`, fault.Invalid, "name of a file"},
		{`{"argv":["echo","--data={x}"]}`, `{"x":"@/etc/passwd"}`, fault.Invalid, "name of a file"},
		{`{"argv":["echo","{x...}"]}`, `{"x":["a","@b"]}`, fault.Invalid, "name of a file"},
		{`{"argv":["echo","{y}","{x}"],"verbatim":["y"]}`, `{"y":"-n","x":"-n"}`, fault.Invalid, "argument x begins with -"},
		{`{"argv":["echo","{y}-{x}"]}`, `{"y":"","x":"n"}`, fault.Invalid, "is empty"},
		{`{"argv":["echo","--data={y}@{x}"]}`, `{"y":"","x":"/etc/passwd"}`, fault.Invalid, "is empty"},
		{`{"argv":["echo","{x}"]}`, `{"x":"a\u0000b"}`, fault.Invalid, "zero byte"},
		{`{"argv":["echo"],"env":{"A":"{x}"}}`, `{"x":"a\u0000b"}`, fault.Invalid, "zero byte"},
		{`{"argv":["echo","{x}"]}`, `{"x":"` + strings.Repeat("x", 200_000) + `"}`, fault.Invalid, "stdin"},
		{`{"argv":["echo","{x...}"]}`, `{"x":["` + strings.Repeat(strings.Repeat("x", 100_000)+`","`, 20) + `"]}`, fault.Invalid, "stdin"},
		{`{"argv":["sh","-c","echo no such thing >&2; exit 7"]}`, `{}`, fault.Internal, "exit code 7: no such thing"},
		{`{"argv":["sh","-c","exit 2"],"exit":{"2":"no branch"}}`, `{}`, fault.Internal, "no branch (exit code 2)"},
		{`{"argv":["sh","-c","kill -TERM $$"]}`, `{}`, fault.Internal, "terminated"},
		{`{"argv":["echo","nojson"],"output":"json"}`, `{}`, fault.Internal, "JSON"},
		{`{"argv":["yes"]}`, `{}`, fault.Exhausted, "more than"},
		{`{"argv":["sh","-c","yes >&2"],"timeout":"100ms"}`, `{}`, fault.Exhausted, "100ms"},
		{`{"argv":["sleep","1000"],"timeout":"50ms"}`, `{}`, fault.Exhausted, "50ms"},
		{`{"argv":["sh","-c","trap '' TERM INT HUP; sleep 1000; sleep 1000"],"timeout":"50ms"}`, `{}`, fault.Exhausted, "50ms"},
		{`{"argv":["cat"],"stdin":"{secret:NONE}"}`, `{}`, fault.NotFound, "NONE"},
	} {
		call, err := open(t, c.spec)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		out, err := call(t.Context(), c.args)
		if err == nil || fault.KindOf(err) != c.kind || !strings.Contains(err.Error()+fault.RemedyOf(err), c.words) {
			t.Errorf("%.200s: got %v, %v, want %v %q", c.spec, out, err, c.kind, c.words)
		}
	}
}

// TestNegativeNumbers calls tools whose schemas say more or less about their numbers.
func TestNegativeNumbers(t *testing.T) {
	spec := object(t, `{"argv":["printf","%s|","{n}"]}`)
	many := object(t, `{"argv":["printf","%s|","{n...}"]}`)
	for _, c := range []struct {
		schema, value string
		spec          *jsondoc.Object
		want          string // "": it is refused
	}{
		{`{"type":"integer"}`, `-5`, spec, "-5|"},
		{`{"type":"number"}`, `-0.5`, spec, "-0.5|"},
		{`{"type":["number","null"]}`, `-2e3`, spec, "-2000|"},
		{`{"type":"array","items":{"type":"integer"}}`, `[-1,-2]`, many, "-1|-2|"},
		{`{"type":["integer","string"]}`, `-5`, spec, ""},
		{`{"type":["integer","string"]}`, `"-n"`, spec, ""},
		{`{}`, `-5`, spec, ""},
		{`{"type":"array","items":{}}`, `[-1]`, many, ""},
	} {
		k := command.New(command.Config{Allow: true, Lookup: lookup})
		doc := object(t, `{"name":"x.y","version":"1.0.0","effects":"read","description":"It prints.","output":{"type":"string"},"input":{"type":"object","properties":{"n":`+c.schema+`}}}`)
		d, err := toolfile.Define("test", doc)
		if err != nil {
			t.Fatal(err)
		}
		impl, err := k.New(t.Context(), d, tool.Binding{Kind: "command", Spec: c.spec, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		out, err := impl.Call(t.Context(), tool.Invocation{Tool: d, Arguments: object(t, `{"n":`+c.value+`}`)})
		if c.want != "" && (err != nil || out != c.want) || c.want == "" && fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s %s: got %v, %v, want %q", c.schema, c.value, out, err, c.want)
		}
	}
}

func TestSpec(t *testing.T) {
	for spec, words := range map[string]string{
		`{}`:                                                      "argv",
		`{"argv":[]}`:                                             "argv",
		`{"argv":["echo"],"verbatim":["x"]}`:                      "no argument",
		`{"argv":["{x}"]}`:                                        "not fixed",
		`{"argv":[1]}`:                                            "not fixed",
		`{"argv":["echo",1]}`:                                     "no text",
		`{"argv":["echo","{x"]}`:                                  "not closed",
		`{"argv":["echo","x}"]}`:                                  "closes nothing",
		`{"argv":["echo","{}"]}`:                                  "names nothing",
		`{"argv":["echo","{a b}"]}`:                               "names nothing",
		`{"argv":["echo","a{x...}"]}`:                             "list among",
		`{"argv":["echo","{secret:TOKEN}"]}`:                      "every user",
		`{"argv":["echo"],"ouput":"json"}`:                        "output",
		`{"argv":["echo"],"output":"yaml"}`:                       "json",
		`{"argv":["echo"],"env":{"A=B":"x"}}`:                     "no variable",
		`{"argv":["echo"],"env":{"A":1}}`:                         "no variable",
		`{"argv":["echo"],"exit":{"x":"ok"}}`:                     "no code",
		`{"argv":["echo"],"exit":{"256":"ok"}}`:                   "no code",
		`{"argv":["echo"],"timeout":"-1s"}`:                       "timeout",
		`{"argv":["no-such-program-here"]}`:                       "cannot find the program",
		`{"argv":["./x"]}`:                                        "cannot find the program",
		`{"argv":["/etc/passwd"]}`:                                "no program",
		`{"argv":["echo"],"dir":"nowhere"}`:                       "no folder",
		`{"argv":["echo","a\u0000b"]}`:                            "zero byte",
		`{"argv":["echo","` + strings.Repeat("x", 70_000) + `"]}`: "longer",
	} {
		kind := fault.Invalid
		if words == "cannot find the program" { // the file may be right elsewhere
			kind = fault.NotFound
		}
		if _, err := open(t, spec); fault.KindOf(err) != kind || !strings.Contains(err.Error()+fault.RemedyOf(err), words) {
			t.Errorf("%.100s: got %v, want %q", spec, err, words)
		}
	}
}

func TestOff(t *testing.T) {
	k := command.New(command.Config{Lookup: lookup})
	b := tool.Binding{Spec: object(t, `{"argv":["echo","{x}"]}`), Dir: t.TempDir()}
	doc, err := k.Derive(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []jsondoc.Member{{Name: "name", Value: "x.y"}, {Name: "version", Value: "1.0.0"}, {Name: "effects", Value: "read"}} {
		doc.Set(m.Name, m.Value)
	}
	d, err := toolfile.Define("test", doc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = k.New(t.Context(), d, b); fault.CodeOf(err) != fault.CommandsOff {
		t.Errorf("got %v", err)
	}
	k = command.New(command.Config{Allow: true, Lookup: lookup})
	if _, err = k.New(t.Context(), d, tool.Binding{Spec: object(t, `{"argv":["echo","{other}"]}`), Dir: t.TempDir()}); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "other") {
		t.Errorf("an argument that there is not: %v", err)
	}
	if _, err = k.New(t.Context(), d, tool.Binding{Spec: object(t, `{"argv":["echo"],"stdin":"{secret:A}"}`), Dir: t.TempDir()}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a secret that there is not: %v", err)
	}
}

// TestDerive checks the input that a template asks for.
func TestDerive(t *testing.T) {
	k := command.New(command.Config{})
	doc, err := k.Derive(t.Context(), tool.Binding{Spec: object(t, `{"argv":["git","log","{rev}",["-n","{n}"],"{paths...}"],"stdin":"{text}","output":"lines"}`)})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(doc)
	want := `{"input":{"type":"object","properties":{"rev":{"type":"string"},"n":{"type":"string"},"paths":{"type":"array","items":{"type":"string"}},"text":{"type":"string"}},"required":["rev","paths","text"],"additionalProperties":false},"output":{"type":"array","items":{"type":"string"}},"description":"Runs the program git. May be left out: n."}`
	if err != nil || string(b) != want {
		t.Errorf("got %s, %v", b, err)
	}
}

// TestRelative puts a program where the working folder and PATH's relative parts
// would find it.
func TestRelative(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"prx-x", "relative/prx-x"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho x\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	if _, err := open(t, `{"argv":["prx-x"]}`); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v", err)
	}
}

// TestNothingLeft runs programs that fork, leave their group and outlive their
// parent, and looks for what is left of them.
func TestNothingLeft(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		pids   int
		ends   bool // by itself; the others are given up once all their children run
	}{
		"a child in the background": {`sleep 987654 & echo $! > pids`, 1, true},
		"a child that hangs":        {`sleep 987654 & echo $! > pids; wait`, 1, false},
		"a child in its own group":  {`setsid sh -c 'echo $$ > pids; exec sleep 987654' & wait`, 1, false},
		"a tree":                    {`sh -c 'sleep 987654 & echo $! >> pids; wait' & sh -c 'sleep 987654 & echo $! >> pids; wait' & wait`, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			call, err := open(t, `{"argv":["sh","-c",`+quote(strings.NewReplacer("{", "{{", "}", "}}").Replace(c.script))+`],"dir":`+quote(dir)+`}`)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			why := errors.New("enough")
			defer cancel(nil)
			written := func() []string { // whole lines only
				data, _ := os.ReadFile(filepath.Join(dir, "pids"))
				return strings.Fields(string(data[:bytes.LastIndexByte(data, '\n')+1]))
			}
			if !c.ends {
				go func() {
					for len(written()) < c.pids && ctx.Err() == nil {
						time.Sleep(5 * time.Millisecond)
					}
					cancel(why)
				}()
			}
			if _, err = call(ctx, "{}"); c.ends && err != nil || !c.ends && !errors.Is(err, why) {
				t.Errorf("got %v", err)
			}
			pids := written()
			if len(pids) != c.pids {
				t.Fatalf("%d numbers of processes: %q", c.pids, pids)
			}
			for _, pid := range pids {
				// What is killed ends soon, not at once.
				for end := time.Now().Add(30 * time.Second); alive(pid); {
					if time.Now().After(end) {
						t.Fatalf("process %s is left", pid)
					}
					time.Sleep(5 * time.Millisecond)
				}
			}
		})
	}
}

func alive(pid string) bool {
	b, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	_, rest, ok := strings.Cut(string(b), ") ")
	return ok && !strings.HasPrefix(rest, "Z")
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// TestEscaped has a program whose pipe a process keeps open that has left its
// group: the call ends all the same.
func TestEscaped(t *testing.T) {
	dir := t.TempDir()
	call, err := open(t, `{"argv":["sh","-c","echo x; (setsid sh -c 'echo $$ > pid; exec sleep 120' &); until test -s pid; do :; done"],"dir":`+quote(dir)+`}`)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := call(t.Context(), "{}"); err != nil || out != "x\n" {
		t.Errorf("got %v, %v", out, err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid := strings.TrimSpace(string(data))
	if !alive(pid) {
		t.Error("the call waited for what escaped")
	}
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}

// TestAtOnce runs many at once, with a lot on both pipes.
func TestAtOnce(t *testing.T) {
	call, err := open(t, `{"argv":["cat"],"stdin":"{x}"}`)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			text := strings.Repeat(fmt.Sprint(i), 1<<20)
			if out, err := call(t.Context(), `{"x":"`+text+`"}`); err != nil || out != text {
				t.Errorf("%d: %v", i, err)
			}
		})
	}
	all.Wait()
}

// TestSecretsStay has programs write the secret that they were given.
func TestSecretsStay(t *testing.T) {
	call, err := open(t, `{"argv":["sh","-c","echo a$A; cat"],"env":{"A":"{secret:TOKEN}"},"stdin":"{secret:TOKEN}b"}`)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := call(t.Context(), "{}"); err != nil || out != "a(secret)\n(secret)b" {
		t.Errorf("got %v, %v", out, err)
	}
	for _, script := range []string{`echo $A >&2; exit 1`, `for i in $(seq 1 3000); do echo $A >&2; done; exit 1`, `printf $A >&2; head -c 4094 /dev/zero | tr '\\000' x >&2; exit 1`} {
		call, err := open(t, `{"argv":["sh","-c",`+quote(script)+`],"env":{"A":"{secret:TOKEN}"}}`)
		if err != nil {
			t.Fatal(err)
		}
		_, err = call(t.Context(), "{}")
		if err == nil || len(err.Error()) > 5000 || len(err.Error()) < 40 {
			t.Errorf("%s: %v", script, err)
			continue
		}
		for part := range 4 {
			if strings.Contains(err.Error(), "s3cr3t"[part:part+3]) && !strings.Contains("(secret)", "s3cr3t"[part:part+3]) {
				t.Errorf("%s: a part of the secret is shown: %.60q", script, err)
			}
		}
	}
}
