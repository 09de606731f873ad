package wasm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/schema"
)

// What the manifest does not grant, the module cannot do.
func TestNothingGranted(t *testing.T) {
	t.Setenv("SECRET_OF_THE_HOST", "canary")
	f := shared(t)
	impl := f.with(t, f.kind, `{}`)
	for _, c := range []struct{ arguments, want string }{
		{`{"do":"echo"}`, `{"args":["test.probe"],"calls":1,"env":[],"tool":"test.probe"}`},
		{`{"do":"echo"}`, `{"args":["test.probe"],"calls":1,"env":[],"tool":"test.probe"}`}, // nothing is left of the first call
		{`{"do":"read","path":"/etc/passwd"}`, `"errno":"Bad file number"`},
		{`{"do":"read","path":"../../../../etc/passwd"}`, `"errno":"Bad file number"`},
		{`{"do":"list","path":"/"}`, `"errno":"Bad file number"`},
		{`{"do":"write","path":"/tmp/x","text":"x"}`, `"errno":"Bad file number"`},
		{`{"do":"clock","size":5}`, `{"now":946684800,"slept":18000.`},
		{`{"do":"sockets"}`, `[8,8,`},
		{`{"do":"renumber"}`, `58`},
		{`{"do":"http","urls":["https://example.com/"],"buffer":5000}`, `"kind":"denied"`},
	} {
		if got := must(t, impl, c.arguments); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.arguments, got, c.want)
		}
	}
	if a, b := must(t, impl, `{"do":"random"}`), must(t, impl, `{"do":"random"}`); a != b {
		t.Errorf("random numbers differ: %s and %s", a, b)
	}
}

func TestGranted(t *testing.T) {
	f := shared(t)
	impl := f.with(t, f.kind, `{"clock":true,"random":true,"env":{"TOKEN":{"secret":"CRM"},"LANGUAGE":"en","BOTH":"Bearer {secret:CRM}."}}`)
	if a, b := must(t, impl, `{"do":"random"}`), must(t, impl, `{"do":"random"}`); a == b {
		t.Errorf("random numbers are the same: %s", a)
	}
	got := must(t, impl, `{"do":"clock"}`)
	if year := fmt.Sprintf(`{"now":%d`, time.Now().Unix()/1e5); !strings.HasPrefix(got, year) {
		t.Errorf("clock: got %s, want %s…", got, year)
	}
	got = must(t, impl, `{"do":"echo"}`)
	if want := `"env":["BOTH=Bearer canary-in-the-environment.","LANGUAGE=en","TOKEN=canary-in-the-environment"]`; !strings.Contains(got, want) {
		t.Errorf("environment: got %s, want %s", got, want)
	}
	_, err := call(t, impl, `{"do":"stderr","size":100}`)
	wantFault(t, err, fault.Internal, "exited with code 3", "…", "the end of "+schema.Redacted)
	if strings.ContainsAny(err.Error(), "\x1b") || strings.Contains(err.Error(), "canary") || len(err.Error()) > 4000 {
		t.Errorf("the error is %q", err)
	}
}

// folders makes a folder that is granted and one beside it that is not.
func folders(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"data/a.txt": "inside", "data/sub/b.txt": "deeper", "secret.txt": "outside", "other/c.txt": "other"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for at, to := range map[string]string{
		"abs": filepath.Join(dir, "secret.txt"), "up": "../secret.txt", "far": "sub/../../secret.txt", "dir": "..", "root": "/", "in": "sub/b.txt", "loop": "loop", "gone": "../new.txt", "proc": "/proc/self/root/etc/passwd",
	} {
		if err := os.Symlink(to, filepath.Join(dir, "data", at)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "data", "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// snapshot lists everything below a folder with its content.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v", p, info.Mode())
		if d.Type().IsRegular() {
			text, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %v %q", info.ModTime(), text)
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// escapes are paths that lead out of the granted folder.
var escapes = []string{
	"/etc/passwd", "/data/../secret.txt", "/data/../../../../../../etc/passwd", "/data/sub/../../secret.txt", "/data/./../other/c.txt",
	"/data/abs", "/data/up", "/data/far", "/data/dir/secret.txt", "/data/root/etc/passwd", "/data/dir/data/dir/secret.txt", "/data/proc", "/data/loop", "/secret.txt", "/other/c.txt", "//etc/passwd", "/data//../secret.txt",
}

func TestReadOnlyFolder(t *testing.T) {
	f := shared(t)
	dir := folders(t)
	before := snapshot(t, dir)
	impl := f.with(t, f.kind, fmt.Sprintf(`{"files":{"/data":{"path":%q}}}`, filepath.Join(dir, "data")))
	for arguments, want := range map[string]string{
		`{"do":"read","path":"/data/a.txt"}`:                      `"inside"`,
		`{"do":"read","path":"/data/sub/../a.txt"}`:               `"inside"`,
		`{"do":"read","path":"/data/in"}`:                         `"deeper"`,
		`{"do":"list","path":"/data/sub"}`:                        `["b.txt:----------"]`,
		`{"do":"stat","path":"/data/a.txt"}`:                      `{"dir":false,"size":6,"time":0}`,
		`{"do":"readlink","path":"/data/up"}`:                     `"../secret.txt"`,
		`{"do":"readlink","path":"/data/abs"}`:                    `Permission denied`,
		`{"do":"read","path":"/data/pipe"}`:                       `Permission denied`,
		`{"do":"write","path":"/data/a.txt","text":"x"}`:          `Read-only`,
		`{"do":"write","path":"/data/new.txt","text":"x"}`:        `"error"`,
		`{"do":"append","path":"/data/a.txt","text":"x"}`:         `Read-only`,
		`{"do":"openwrite","path":"/data/a.txt","text":"x"}`:      `Read-only`,
		`{"do":"readthenwrite","path":"/data/a.txt","text":"x"}`:  `Bad file number`,
		`{"do":"openwrite","path":"/data/pipe","text":"x"}`:       `Permission denied`,
		`{"do":"truncate","path":"/data/a.txt"}`:                  `Read-only`,
		`{"do":"remove","path":"/data/a.txt"}`:                    `Read-only`,
		`{"do":"remove","path":"/data/sub"}`:                      `Read-only`,
		`{"do":"rename","path":"/data/a.txt","to":"/data/b"}`:     `Read-only`,
		`{"do":"mkdir","path":"/data/new"}`:                       `Read-only`,
		`{"do":"symlink","path":"/etc","to":"/data/new"}`:         `"error"`,
		`{"do":"link","path":"/data/a.txt","to":"/data/new"}`:     `"error"`,
		`{"do":"chtimes","path":"/data/a.txt"}`:                   `Read-only`,
		`{"do":"open","path":"/data/a.txt"}`:                      `25`, // of 256, some are the folders'
		`{"do":"read","path":"/data/a.txt/"}`:                     `"error"`,
		`{"do":"read","path":"/data/` + strings.Repeat("x", 5000): `"error"`,
	} {
		if strings.Count(arguments, `"`)%2 == 1 {
			arguments += `"}`
		}
		if got := must(t, impl, arguments); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", arguments, got, want)
		}
	}
	for _, p := range escapes {
		for _, do := range []string{"read", "list", "stat"} {
			if got := must(t, impl, fmt.Sprintf(`{"do":%q,"path":%q}`, do, p)); !strings.Contains(got, `"error"`) {
				t.Errorf("%s %s: got %s", do, p, got)
			}
		}
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("something changed:\n%s\nwas\n%s", after, before)
	}
}

func TestWritableFolder(t *testing.T) {
	f := shared(t)
	dir := folders(t)
	impl := f.with(t, f.kind, fmt.Sprintf(`{"disk":"3MiB","files":{"/data":{"path":%q,"write":true},"/ro":{"path":%q}}}`, filepath.Join(dir, "data"), filepath.Join(dir, "other")))
	for _, p := range append(escapes, "/data/gone", "/ro/x", "/data/../new.txt") {
		for _, c := range []string{
			`{"do":"write","path":%q,"text":"x"}`, `{"do":"append","path":%q,"text":"x"}`, `{"do":"openwrite","path":%q,"text":"x"}`,
			`{"do":"rename","path":"/data/a.txt","to":%q}`, `{"do":"chtimes","path":%q}`,
		} {
			// To rename over a link replaces the link, which is inside.
			if link := filepath.Join(dir, strings.TrimPrefix(p, "/")); strings.Contains(c, "rename") && strings.HasPrefix(p, "/data/") && filepath.Dir(link) == filepath.Join(dir, "data") {
				continue
			}
			arguments := fmt.Sprintf(c, p)
			if got := must(t, impl, arguments); !strings.Contains(got, `"error"`) {
				t.Errorf("%s: got %s", arguments, got)
			}
		}
	}
	for _, c := range []struct{ arguments, want string }{
		{`{"do":"write","path":"/data/new.txt","text":"one"}`, `null`},
		{`{"do":"append","path":"/data/new.txt","text":" two"}`, `null`},
		{`{"do":"read","path":"/data/new.txt"}`, `"one two"`},
		{`{"do":"mkdir","path":"/data/more"}`, `null`},
		{`{"do":"rename","path":"/data/new.txt","to":"/data/more/moved.txt"}`, `null`},
		{`{"do":"rename","path":"/data/more/moved.txt","to":"/ro/moved.txt"}`, `"error"`},
		{`{"do":"truncate","path":"/data/more/moved.txt","size":3}`, `null`},
		{`{"do":"read","path":"/data/more/moved.txt"}`, `"one"`},
		{`{"do":"truncate","path":"/data/more/moved.txt","size":1000000000000}`, `"error"`},
		{`{"do":"remove","path":"/data/more"}`, `"error"`},
		{`{"do":"chtimes","path":"/data/more/moved.txt"}`, `null`},
		{`{"do":"symlink","path":"../secret.txt","to":"/data/link"}`, `"error"`},
		{`{"do":"link","path":"/data/up","to":"/data/link"}`, `"error"`},
		{`{"do":"link","path":"/ro/c.txt","to":"/data/link"}`, `"error"`},
	} {
		if got := must(t, impl, c.arguments); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.arguments, got, c.want)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "data/more/moved.txt"))
	if err != nil || info.Mode() != 0o600 || info.Size() != 3 || info.ModTime().Unix() != 1e9 {
		t.Errorf("the file is %v, %v", info, err)
	}
	_, err = call(t, impl, `{"do":"fill","path":"/data/big"}`)
	wantFault(t, err, fault.Exhausted, "disk", "3MiB")
	if info, err := os.Stat(filepath.Join(dir, "data/big")); err != nil || info.Size() > 3<<20 {
		t.Errorf("the file is %v, %v", info, err)
	}
	for _, name := range []string{"secret.txt", "other/c.txt", "new.txt", "data/link", "other/moved.txt"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		want := map[string]string{"secret.txt": "outside", "other/c.txt": "other"}[name]
		if string(text) != want || (want == "") != os.IsNotExist(err) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

func TestBounds(t *testing.T) {
	f := shared(t)
	impl := f.with(t, f.kind, `{"time":"20s","memory":"32MiB","output":"128KiB"}`)
	hasty := f.with(t, f.kind, `{"time":"1s"}`)
	awake := f.with(t, f.kind, `{"time":"300ms","clock":true}`)
	for _, c := range []struct {
		impl      tool.Implementation
		arguments string
		kind      fault.Kind
		words     []string
	}{
		{hasty, `{"do":"loop"}`, fault.Exhausted, []string{"1s", "time"}},
		{awake, `{"do":"loop"}`, fault.Exhausted, []string{"300ms"}},
		{awake, `{"do":"sleep"}`, fault.Exhausted, []string{"300ms"}},
		{impl, `{"do":"grow"}`, fault.Exhausted, []string{"32MiB of memory"}},
		{impl, `{"do":"recurse"}`, fault.Internal, []string{"code 2", "of 32MiB of memory", "fatal error"}},
		{impl, `{"do":"flood"}`, fault.Exhausted, []string{"128KiB", "output"}},
		{impl, `{"do":"panic","text":"on purpose"}`, fault.Internal, []string{"code 2", "on purpose"}},
		{impl, `{"do":"exit","size":7}`, fault.Internal, []string{"code 7"}},
		{impl, `{"do":"exit","size":4294967295}`, fault.Internal, []string{"code 4294967295"}},
		{impl, `{"do":"exit"}`, fault.Internal, []string{"no answer"}},
		{impl, `{"do":"raw","text":" \n"}`, fault.Internal, []string{"no answer"}},
		{impl, `{"do":"raw","text":"{\"a\":1"}`, fault.Internal, []string{"not JSON"}},
		{impl, `{"do":"raw","text":"{} {}"}`, fault.Internal, []string{"not JSON"}},
		{impl, `{"do":"raw","text":"{\"a\":1,\"a\":2}"}`, fault.Internal, []string{"not JSON"}},
	} {
		_, err := call(t, c.impl, c.arguments)
		if err == nil {
			t.Fatalf("%s: it did well", c.arguments)
		}
		t.Run(c.arguments, func(t *testing.T) { wantFault(t, err, c.kind, c.words...) })
	}
	if got := must(t, impl, `{"do":"raw","text":" {\"b\":1.50,\"a\":[]}\n"}`); got != `{"b":1.50,"a":[]}` {
		t.Errorf("got %s", got)
	}
}

func TestCancelAndClose(t *testing.T) {
	f := shared(t)
	impl := f.with(t, f.kind, `{"time":"1m"}`)
	must(t, impl, `{"do":"echo"}`)
	before := runtime.NumGoroutine()

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := impl.Call(ctx, tool.Invocation{Arguments: object(t, `{"do":"loop"}`)}); err == nil || fault.KindOf(err) != fault.Internal {
		t.Errorf("canceled: %v", err)
	}
	ended := make(chan error)
	go func() {
		_, err := impl.Call(context.Background(), tool.Invocation{Arguments: object(t, `{"do":"loop"}`)})
		ended <- err
	}()
	m := impl.(*implementation)
	for running := false; !running; runtime.Gosched() {
		m.mu.Lock()
		running = len(m.running) > 0
		m.mu.Unlock()
	}
	if err := impl.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("closed while it ran: %v", err)
	}
	if _, err := call(t, impl, `{"do":"echo"}`); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("called after it was closed: %v", err)
	}
	// Goroutines end after what they were started for; they get a while.
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, before %d", runtime.NumGoroutine(), before)
		}
	}
}

func TestConcurrent(t *testing.T) {
	f := shared(t)
	impl := f.with(t, f.kind, `{}`)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			got, err := call(t, impl, `{"do":"echo"}`)
			if err != nil || !strings.Contains(got, `"calls":1`) {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
	wg.Wait()
	if n := len(f.kind.slots); n != 0 {
		t.Errorf("%d slots are taken", n)
	}
}
