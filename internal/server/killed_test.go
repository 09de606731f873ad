package server

import (
	"bufio"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/server/access"
)

// servedHome is the variable that makes a test serve a data folder until it is killed.
const servedHome = "PRAXIS_TEST_SERVES"

// other starts another process that serves the world's folder, and has the world's requests go
// there. It is the test itself, which calls serveUntilKilled first. kill ends it as kill -9 does.
func (w *world) other() (kill func()) {
	w.Helper()
	cmd := exec.CommandContext(w.Context(), os.Args[0], "-test.run", "^"+w.Name()+"$")
	cmd.Env, cmd.Stderr = append(os.Environ(), servedHome+"="+w.home), os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		w.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		w.Fatalf("the other server did not start: %q %v", line, err)
	}
	w.web = &httptest.Server{URL: "http://" + strings.TrimSpace(line)}
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it says that it was killed
	}
}

// serveUntilKilled serves in the process that other starts.
func serveUntilKilled(t *testing.T) {
	home := os.Getenv(servedHome)
	if home == "" {
		return
	}
	s, err := New(config(home))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(l.Addr())
	t.Fatal(s.Serve(t.Context(), l, nil))
}

// A data folder is served by one process at a time. When that is killed, the next has what was
// saved; a session that never was is lost, and says so.
func TestKilledServer(t *testing.T) {
	serveUntilKilled(t)
	w := &world{T: t, home: t.TempDir()}
	kill := w.other()
	keys, err := access.Open(filepath.Join(w.home, Folder), nil)
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := keys.Add(access.Key{Tenant: "default"})
	if err != nil {
		t.Fatal(err)
	}
	others, _, err := keys.Add(access.Key{Tenant: "other"})
	if err != nil {
		t.Fatal(err)
	}
	w.must(key, "POST", "/v1/sessions", object{"id": "saved"}, 201)
	w.must(key, "POST", "/v1/sessions/saved/snapshots", object{}, 201)
	w.must(key, "POST", "/v1/sessions", object{"id": "unsaved"}, 201)
	w.must(others, "POST", "/v1/sessions", object{"id": "unsaved"}, 201)
	for _, home := range []string{w.home, filepath.Join(w.home, "tenants", "other")} {
		if s, err := New(config(home)); fault.CodeOf(err) != fault.FolderServed || fault.RemedyOf(err) == "" {
			t.Fatalf("%s is served twice: %v %v", home, s, err)
		}
	}
	kill()
	w.start()
	t.Cleanup(w.stop)
	for id, state := range map[string]string{"saved": "paused", "unsaved": "lost"} {
		if got := w.must(key, "GET", "/v1/sessions/"+id, nil, 200); got["state"] != state {
			t.Errorf("%s: got %v", id, got)
		}
	}
	got := w.must(key, "POST", "/v1/sessions/unsaved/executions", object{"code": "print 1"}, 409)
	if !strings.Contains(fmt.Sprint(got["detail"]), "lost") {
		t.Errorf("got %v", got)
	}
}

// A folder is free again when its server has stopped, also where it could not start.
func TestStoppedServer(t *testing.T) {
	w := newWorld(t)
	w.must(w.key("other"), "POST", "/v1/sessions", object{"id": "one"}, 201)
	w.stop()
	bad := config(w.home)
	bad.OIDC.Issuer = "no URL"
	for range 2 {
		if _, err := New(bad); err == nil || fault.CodeOf(err) == fault.FolderServed {
			t.Fatalf("got %v", err)
		}
	}
	w.start()
	w.must(w.key("other"), "GET", "/v1/sessions/one", nil, 200)
}
