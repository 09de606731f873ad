package mcp

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// The server that the protocol's authors test clients with.
const (
	everythingPackage = "@modelcontextprotocol/server-everything"
	everythingVersion = "2026.8.31"
)

// everything installs the server, once for this user, and returns the program.
func everything(t *testing.T) (node, program string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("skipped: there is no node")
	}
	home := filepath.Join(os.TempDir(), fmt.Sprintf("praxis-test-%d", os.Getuid()))
	dir := filepath.Join(home, "server-everything-"+everythingVersion)
	program = filepath.Join(dir, "node_modules", filepath.FromSlash(everythingPackage), "dist", "index.js")
	if _, err := os.Stat(program); err == nil {
		return node, program
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("skipped: there is no npm")
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	fresh, err := os.MkdirTemp(home, "install-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(fresh)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", fresh, everythingPackage+"@"+everythingVersion)
	cmd.Dir = fresh
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("skipped: npm cannot install %s: %v\n%s", everythingPackage, err, out)
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, missing := os.Stat(program); missing != nil {
			t.Fatal(err)
		}
	}
	return node, program
}

func TestEverythingOverStdio(t *testing.T) {
	t.Parallel()
	node, program := everything(t)
	spec := fmt.Sprintf(`{"command": [%q, %q, "stdio"], "env": {"TOKEN": "{secret:KEY}"}, "namespace": "all"}`, node, program)
	var progress atomic.Int64
	s, err := Open(context.Background(), Config{Name: "everything", Spec: object(t, spec), AllowCommands: true, Secrets: secretMap{"KEY": "canary-4711"},
		Log: func(line string) {
			if strings.Contains(line, "progress") {
				progress.Add(1)
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l := driveEverything(t, s)
	ctx := soonDone(t, 20*time.Second)
	got, err := l.call(ctx, "all.get_env", `{}`)
	if err != nil || strings.Contains(show(t, got), "4711") || !strings.Contains(show(t, got), "TOKEN") {
		t.Errorf("get_env: got %v, %v", got, err)
	}
	if _, err := l.call(ctx, "all.trigger_long_running_operation", `{"duration": 1, "steps": 4}`); err != nil || progress.Load() == 0 {
		t.Errorf("a long operation: %v, %d steps reported", err, progress.Load())
	}
	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if _, err := l.call(short, "all.trigger_long_running_operation", `{"duration": 60, "steps": 4}`); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("out of time: got %v", err)
	}
	if got, err := l.call(ctx, "all.echo", `{"message": "still there"}`); got != "Echo: still there" {
		t.Errorf("after that: got %v, %v", got, err)
	}
}

func TestEverythingOverHTTP(t *testing.T) {
	t.Parallel()
	node, program := everything(t)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	cmd := exec.Command(node, program, "streamableHttp")
	cmd.Env = append(os.Environ(), fmt.Sprint("PORT=", port))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	}()
	url := fmt.Sprintf("http://127.0.0.1:%d/mcp", port)
	up := soonDone(t, 20*time.Second)
	for {
		resp, err := http.Get(url)
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			break
		}
		select {
		case <-up.Done():
			t.Fatalf("the server does not start: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	s := openURL(t, url, `"namespace": "all"`)
	driveEverything(t, s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// driveEverything calls what the server has of each kind.
func driveEverything(t *testing.T, s *Server) *loaded {
	t.Helper()
	l := load(t, s)
	if p := s.Problems(); len(p) != 1 || !strings.Contains(p[0], "only runs as a task") {
		t.Errorf("problems: %v", p)
	}
	for name, d := range l.defs {
		if d.Labels.Trusted || d.Effects == tool.Pure {
			t.Errorf("%s is trusted or pure", name)
		}
	}
	ctx := soonDone(t, 20*time.Second)
	if got, err := l.call(ctx, "all.echo", `{"message": "hi"}`); got != "Echo: hi" {
		t.Errorf("echo: got %v, %v", got, err)
	}
	if got, err := l.call(ctx, "all.get_sum", `{"a": 2, "b": 40}`); err != nil || !strings.Contains(show(t, got), "42") {
		t.Errorf("get_sum: got %v, %v", got, err)
	}
	d := l.defs["all.get_structured_content"]
	got, err := l.call(ctx, "all.get_structured_content", `{"location": "Chicago"}`)
	if err != nil {
		t.Fatalf("get_structured_content: %v", err)
	}
	if err := d.CheckResult(got); err != nil {
		t.Error(err)
	}
	if _, ok := got.(*jsondoc.Object).Get("temperature"); !ok {
		t.Errorf("get_structured_content: got %s", show(t, got))
	}
	if got, err := l.call(ctx, "all.get_tiny_image", `{}`); err != nil || !strings.Contains(show(t, got), `"type":"image"`) {
		t.Errorf("get_tiny_image: got %v, %v", got, err)
	} else if err := l.defs["all.get_tiny_image"].CheckResult(got); err != nil {
		t.Error(err)
	}
	if _, err := l.call(ctx, "all.get_sum", `{"a": "two"}`); err == nil || !strings.Contains(err.Error(), "all.get_sum") {
		t.Errorf("wrong arguments: got %v", err)
	}
	return l
}
