package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"praxis/internal/test/prepared"
)

// serving is "praxis serve" as a process.
type serving struct {
	*testing.T
	cmd  *exec.Cmd
	home string
	url  string
	key  string
}

var saysWhere = regexp.MustCompile(`answers at (\S+) `)

// start starts the server over the data folder, and reads where it answers.
func (s *serving) start() {
	s.Helper()
	s.cmd = exec.CommandContext(s.Context(), "/proc/self/exe", "serve", "--listen", "127.0.0.1:0")
	s.cmd.Args[0] = asProgram
	s.cmd.Env = append(os.Environ(), "PRAXIS_HOME="+s.home)
	var stderr bytes.Buffer
	s.cmd.Stderr = &stderr
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		s.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	m := saysWhere.FindStringSubmatch(line)
	if m == nil {
		s.Fatalf("it printed %q (%v): %s", line, err, stderr.String())
	}
	s.url = m[1]
	key, err := os.ReadFile(filepath.Join(s.home, "server", "key"))
	if err != nil {
		s.Fatal(err)
	}
	s.key = strings.TrimSpace(string(key))
}

// stop ends the server with a signal, and waits for its end.
func (s *serving) stop(sig syscall.Signal) {
	s.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.Fatal(err)
	}
	err := s.cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		s.Fatal(err)
	}
}

func (s *serving) call(method, path string, body any) map[string]any {
	s.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		s.Fatal(err)
	}
	r, err := http.NewRequestWithContext(s.Context(), method, s.url+path, bytes.NewReader(data))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		s.Fatal(err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(answer, &out); err != nil || res.StatusCode >= 300 && res.StatusCode != http.StatusConflict {
		s.Fatalf("%s %s: %d %s (%v)", method, path, res.StatusCode, answer, err)
	}
	return out
}

func (s *serving) execute(session, code string) string {
	s.Helper()
	out := s.call("POST", "/v1/sessions/"+session+"/executions", map[string]any{"code": code})
	x, _ := out["execution"].(map[string]any)
	result, _ := x["result"].(map[string]any)
	if x == nil {
		return fmt.Sprint(out["detail"])
	}
	return fmt.Sprint(result["text"])
}

// A server that is asked to stop saves its sessions; one that is killed brings back those
// that were saved, and says of the others that they are lost.
func TestServer(t *testing.T) {
	requireSandbox(t)
	s := &serving{T: t, home: filepath.Join(t.TempDir(), "home")}
	if err := errors.Join(os.Mkdir(s.home, 0o700), prepared.Fill(s.home)); err != nil {
		t.Fatal(err)
	}
	s.start()
	s.call("POST", "/v1/sessions", map[string]any{"id": "a"})
	if got := s.execute("a", "x = 41\nx + 1"); got != "42" {
		t.Fatalf("got %s", got)
	}
	s.stop(syscall.SIGTERM)
	s.start()
	if got := s.execute("a", "x"); got != "41" {
		t.Fatalf("after SIGTERM: got %s", got)
	}
	s.call("POST", "/v1/sessions/a/snapshots", map[string]any{"label": "before"})
	s.execute("a", "x = 0")
	s.call("POST", "/v1/sessions", map[string]any{"id": "b"})
	s.stop(syscall.SIGKILL)
	s.start()
	if got := s.execute("a", "x"); got != "41" {
		t.Errorf("after SIGKILL: got %s, want what was saved", got)
	}
	if got := s.execute("b", "1"); !strings.Contains(got, "lost") {
		t.Errorf("a session that was not saved: got %s", got)
	}
	s.stop(syscall.SIGINT)
}
