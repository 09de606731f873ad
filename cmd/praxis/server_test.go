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
	args []string      // beside the usual ones
	out  *bufio.Reader // what it prints after where it answers
}

var saysWhere = regexp.MustCompile(`answers at (\S+) `)

// start starts the server over the data folder, and reads where it answers.
func (s *serving) start() {
	s.Helper()
	s.cmd = exec.CommandContext(s.Context(), "/proc/self/exe", append([]string{"serve", "--listen", "127.0.0.1:0", "--ports"}, s.args...)...)
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
	s.out = bufio.NewReader(out)
	line, err := s.out.ReadString('\n')
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
	status, answer, err := s.send(method, path, "", data)
	if err != nil {
		s.Fatal(err)
	}
	out := map[string]any{}
	if len(answer) > 0 {
		err = json.Unmarshal(answer, &out)
	}
	if err != nil || status >= 300 && status != http.StatusConflict {
		s.Fatalf("%s %s: %d %s (%v)", method, path, status, answer, err)
	}
	return out
}

// send sends a request under a name of the server's; "": its address.
func (s *serving) send(method, path, host string, body []byte) (status int, answer []byte, err error) {
	r, err := http.NewRequestWithContext(s.Context(), method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Host = host
	r.Header.Set("Authorization", "Bearer "+s.key)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(res.Body)
	return res.StatusCode, answer, err
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

// process starts a process and returns its id.
func (s *serving) process(session string, body map[string]any) string {
	s.Helper()
	return fmt.Sprint(s.call("POST", "/v1/sessions/"+session+"/processes", body)["id"])
}

// goesOn types at a process that was started before the server was, and reads how it ends.
func (s *serving) goesOn(path string) {
	s.Helper()
	if _, err := s.ask("POST", path+"/input", "", "typed\n"); err != nil {
		s.Fatal(err)
	}
	if events, err := s.ask("GET", path+"/events", "", ""); err != nil || !strings.Contains(events, "30 90") || !strings.Contains(events, `"exit":{"code":3}`) {
		s.Fatalf("a process that was saved: %s, %v", events, err)
	}
}

// answersAtPort asks a server that runs in a session under the name of its port.
func (s *serving) answersAtPort(session string) {
	s.Helper()
	s.process(session, map[string]any{"argv": []string{"python3", "-m", "http.server", "8000"}, "detach": true})
	up := s.execute(session, `import socket, time
def up():
    for _ in range(600):
        try:
            return socket.create_connection(("127.0.0.1", 8000)) and "up"
        except OSError:
            time.sleep(0.1)
open("page.txt", "w").write("a page") and up()`)
	port := s.call("POST", "/v1/sessions/"+session+"/ports", map[string]any{"port": 8000, "browser": true})
	if page, err := s.ask("GET", "/page.txt", fmt.Sprint(port["host"]), ""); err != nil || page != "a page" {
		s.Fatalf("at its port (%s): %q, %v", up, page, err)
	}
}

// ask sends a request whose answer is text.
func (s *serving) ask(method, path, host, body string) (string, error) {
	status, answer, err := s.send(method, path, host, []byte(body))
	if err == nil && status >= 300 {
		err = fmt.Errorf("status %d: %s", status, answer)
	}
	return string(answer), err
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
	process := s.process("a", map[string]any{"argv": []string{"sh", "-c", "read line; echo $line; stty size; exit 3"}, "terminal": map[string]int{"rows": 30, "cols": 90}, "detach": true})
	s.stop(syscall.SIGTERM)
	s.start()
	if got := s.execute("a", "x"); got != "41" {
		t.Fatalf("after SIGTERM: got %s", got)
	}
	s.goesOn("/v1/sessions/a/processes/" + process)
	s.answersAtPort("a")
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
