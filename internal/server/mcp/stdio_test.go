package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"praxis/internal/server"
)

var update = flag.Bool("update", false, "write what the door answers into the transcripts")

// child is the door over a pair of streams, as a program has it that starts Praxis.
type child struct {
	*testing.T
	in    io.WriteCloser
	lines *bufio.Reader
	ended chan error
}

func newChild(t *testing.T, s *server.Server, session string, folders ...string) *child {
	t.Helper()
	door, err := s.LocalMCP(session, folders)
	if err != nil {
		t.Fatal(err)
	}
	in, to := io.Pipe()
	from, out := io.Pipe()
	c := &child{t, to, bufio.NewReader(from), make(chan error, 1)}
	go func() {
		err := door.Serve(context.WithoutCancel(t.Context()), in, out)
		_ = out.Close()
		c.ended <- err
	}()
	t.Cleanup(func() {
		_, _ = to.Close(), from.Close() // so that it ends, whatever the test did
	})
	return c
}

func (c *child) send(line string) {
	c.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.Fatal(err)
	}
}

func (c *child) receive() string {
	c.Helper()
	line, err := c.lines.ReadString('\n')
	if err != nil {
		c.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

// leave closes the input, and waits for the end.
func (c *child) leave() {
	c.Helper()
	if err := c.in.Close(); err != nil {
		c.Error(err)
	}
	go func() { _, _ = io.Copy(io.Discard, c.lines) }() // what is said last
	if err := <-c.ended; err != nil {
		c.Errorf("it ended with %v", err)
	}
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

func (c *child) hello() *child {
	c.Helper()
	c.send(hello)
	c.receive()
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

// ids are what differs from run to run.
var ids = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`\bs-[0-9a-f]{16}\b`), "s-1"},
	{regexp.MustCompile(`\b20\d{6}-\d{6}-[0-9a-f]{4}\b`), "RUN"},
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\d \d\d:\d\d\b`), "TIME"},
}

// What a client sends (>) and gets (<), line by line.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { transcript(t, file) })
	}
}

func transcript(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, settings{})
	w.says("=== reply\n```python\nget a\nprint 8 units\n```\n=== reply\nFINAL ANSWER: 8 units were sold.\n")
	c := newChild(t, w.s, "")
	var got bytes.Buffer
	for line := range strings.Lines(string(data)) {
		message, sent := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "> ")
		if strings.HasPrefix(line, "#") {
			got.WriteString(line)
			continue
		}
		if !sent {
			continue
		}
		got.WriteString("> " + message + "\n")
		c.send(message)
		var m struct{ ID json.RawMessage }
		if json.Unmarshal([]byte(message), &m) == nil && m.ID == nil {
			continue // a notification
		}
		for { // what comes up to the answer
			answer := c.receive()
			for _, id := range ids {
				answer = id.pattern.ReplaceAllString(answer, id.name)
			}
			got.WriteString("< " + answer + "\n")
			if strings.Contains(answer, `"result"`) || strings.Contains(answer, `"error"`) {
				break
			}
		}
	}
	c.leave()
	if n := len(w.sessions()); n != 0 {
		t.Errorf("%d sessions stay", n)
	}
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got.String() != string(data) {
		t.Errorf("got:\n%s\nwant:\n%s", got.String(), data)
	}
}

func (c *child) tool(name string, args object) (text string, failed bool) {
	c.Helper()
	data, err := json.Marshal(object{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": object{"name": name, "arguments": args}})
	if err != nil {
		c.Fatal(err)
	}
	c.send(string(data))
	var m struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
		Error *struct{ Message string }
	}
	if err := json.Unmarshal([]byte(c.receive()), &m); err != nil {
		c.Fatal(err)
	}
	if m.Error != nil {
		return m.Error.Message, true
	}
	return m.Result.Content[0].Text, m.Result.IsError
}

// Files of this machine are read from the folders that were named, and from nowhere else: no
// path and no link leads out of them, and what is no file is not waited for.
func TestLocalFiles(t *testing.T) {
	dir := t.TempDir()
	allowed, secret := filepath.Join(dir, "allowed"), filepath.Join(dir, "secret.txt")
	if err := errors.Join(os.Mkdir(allowed, 0o700), os.WriteFile(secret, []byte("secret"), 0o600), os.WriteFile(filepath.Join(allowed, "a.csv"), []byte("a,b\n"), 0o600),
		os.Symlink(secret, filepath.Join(allowed, "link")), os.Symlink(dir, filepath.Join(allowed, "up")), syscall.Mkfifo(filepath.Join(allowed, "pipe"), 0o600)); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, settings{})
	c := newChild(t, w.s, "", allowed).hello()
	for _, name := range []string{"a.csv", filepath.Join(allowed, "a.csv"), filepath.Join(allowed, "..", "allowed", "a.csv")} {
		if text, failed := c.tool("copy_local_files", object{"paths": []string{name}}); failed || !strings.Contains(text, "copied /work/a.csv, 4B") {
			t.Errorf("%s: got %q", name, text)
		}
	}
	for _, name := range []string{secret, "../secret.txt", "link", "up/secret.txt", filepath.Join(allowed, "link"), "/etc/passwd", "", ".", "pipe", allowed, "none"} {
		if text, failed := c.tool("copy_local_files", object{"paths": []string{name}}); !failed {
			t.Errorf("%q is copied: %q", name, text)
		}
	}
	text, _ := c.tool("list_files", object{})
	if strings.Contains(text, "secret") || strings.Contains(text, "link") || !strings.Contains(text, "/work/a.csv") {
		t.Errorf("got %q", text)
	}
	c.leave()
	// Without a folder there is no such tool.
	c = newChild(t, w.s, "").hello()
	if text, failed := c.tool("copy_local_files", object{"paths": []string{"a.csv"}}); !failed {
		t.Errorf("got %q", text)
	}
	c.leave()
	if _, err := w.s.LocalMCP("", []string{secret}); err == nil {
		t.Error("a file is taken for a folder")
	}
}

// A session that was named stays when its client has gone, and is there for the next.
func TestNamedSession(t *testing.T) {
	w := newWorld(t, settings{})
	for _, want := range []string{"a is false", "a is true"} {
		c := newChild(t, w.s, "mine").hello()
		if text, failed := c.tool("run_code", code("get a\nset a")); failed || !strings.Contains(text, want) {
			t.Errorf("got %q, want %q", text, want)
		}
		c.leave()
	}
}

// wait sets a, and begins code that waits, in a call of the id 1.
func (c *child) wait() {
	c.Helper()
	if text, failed := c.tool("run_code", code("set a")); failed {
		c.Fatal(text)
	}
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_code","arguments":{"code":"wait"},"_meta":{"progressToken":"p"}}}`)
	for !strings.Contains(c.receive(), "running: wait") {
	}
}

// A client that ends in the middle of a call has its code interrupted: the session goes on at
// once.
func TestChildDies(t *testing.T) {
	w := newWorld(t, settings{})
	c := newChild(t, w.s, "mine").hello()
	c.wait()
	c.leave()
	c = newChild(t, w.s, "mine").hello()
	if text, failed := c.tool("run_code", code("get a")); failed || !strings.Contains(text, "a is true") {
		t.Errorf("got %q", text)
	}
	c.leave()
}

// A call is cancelled by its id, and the next is answered.
func TestChildCancels(t *testing.T) {
	w := newWorld(t, settings{})
	c := newChild(t, w.s, "").hello()
	c.wait()
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_code","arguments":{"code":"get a"}}}`)
	for {
		line := c.receive()
		if strings.Contains(line, `"id":2`) {
			has(t, line, "a is true")
			break
		}
	}
	c.leave()
}

// Whatever a client sends, it is refused and goes on, or the connection ends; nothing hangs.
func TestHostileChild(t *testing.T) {
	w := newWorld(t, settings{})
	c := newChild(t, w.s, "")
	for _, line := range []string{`garbage`, `[]`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"id":1}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, "\x00\xff", strings.Repeat("[", 100_000)} {
		c.send(line)
		has(t, c.receive(), `"error"`)
	}
	c.hello()
	for _, params := range []string{`{}`, `{"name":7}`, `{"name":"none","arguments":{}}`, `{"name":"run_code","arguments":[]}`, `{"name":"run_code","arguments":{"code":1}}`, `{"name":"run_code","arguments":{"code":"print a","rest":1}}`, `{"name":"run_code"}`, `{"name":"run_code","arguments":{"code":"print a","session":"../x"}}`, `{"name":"run_code","arguments":{"code":"print a","timeout_s":-1}}`, `{"name":"search_runs","arguments":{"limit":-5}}`, `null`} {
		c.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":` + params + `}`)
		if line := c.receive(); !strings.Contains(line, `"error"`) && !strings.Contains(line, `"isError":true`) {
			t.Errorf("%s: got %s", params, line)
		}
	}
	if text, failed := c.tool("run_code", code("print still there")); failed || text != "still there" {
		t.Errorf("got %q", text)
	}
	c.leave()
}
