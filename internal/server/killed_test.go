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
	"praxis/internal/app"
	"praxis/internal/server/access"
	"praxis/internal/server/live"
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

// there says whether there is a file.
func there(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// serveUntilKilled serves in the process that other starts.
func serveUntilKilled(t *testing.T) {
	home := os.Getenv(servedHome)
	if home == "" {
		return
	}
	cfg := config(home)
	if file := filepath.Join(home, "tools.yaml"); there(file) {
		cfg.Tools = app.ToolSpec{Files: []string{file}, Commands: true}
	}
	s, err := New(cfg)
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

// What went on without its client when the server was killed goes on under its id, or ends with
// the reason: a plan makes no call again that has its answer, and asks its open question anew; a
// piece of code cannot go on.
func TestKilledRuns(t *testing.T) {
	serveUntilKilled(t)
	w := &world{T: t, home: t.TempDir()}
	w.tools = app.ToolSpec{Files: []string{w.file("tools.yaml", saving)}, Commands: true}
	kill := w.other()
	keys, err := access.Open(filepath.Join(w.home, Folder), nil)
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := keys.Add(access.Key{Tenant: "default", Scopes: []access.Scope{access.Admin}})
	if err != nil {
		t.Fatal(err)
	}
	plan := "from tools import notes\nprint(notes.save(text='a'))\nprint(notes.save(text='b'))\n"
	planned := fmt.Sprintf("/v1/runs/%s", w.must(key, "POST", "/v1/plans/run", object{"text": plan, "detach": true}, 201)["id"])
	// agree answers open questions until there is one about a text, which stays open.
	agree := func(path, until string) {
		w.events(w.request(key, "GET", path+"/events", nil), func(_, name, data string) bool {
			if name != "approval_open" {
				return true
			}
			for _, q := range objects(w.must(key, "GET", "/v1/approvals", nil, 200)["approvals"]) {
				if strings.Contains(fmt.Sprint(q), until) {
					return false
				}
				w.must(key, "POST", fmt.Sprintf("/v1/approvals/%s", q["id"]), object{"decision": "once"}, 204)
			}
			return true
		})
	}
	agree(planned, "text:b")
	code := fmt.Sprintf("/v1/runs/%s", w.must(key, "POST", "/v1/runs/code", object{"code": `call notes.save {"text":"c"}`, "detach": true}, 201)["id"])
	w.events(w.request(key, "GET", code+"/events", nil), func(_, name, _ string) bool { return name != "approval_open" })
	kill()
	w.start()
	t.Cleanup(w.stop)
	if err := w.s.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	var last string
	w.events(w.request(key, "GET", code+"/events", nil), func(_, name, data string) bool { last = name + data; return true })
	ended := w.must(key, "GET", code, nil, 200)
	why, _ := ended["failure"].(object)
	if !strings.Contains(fmt.Sprint(why["message"]), "the server ended while it went on") || !strings.HasPrefix(last, "end") || !strings.Contains(last, "the server ended") {
		t.Errorf("the code: got %v after %s", ended, last)
	}
	agree(planned, "text:a") // a call that is made again would be asked about, too
	got := w.must(key, "GET", planned, nil, 200)
	done, _ := got["plan"].(object)
	if done["status"] != "ok" || !strings.HasSuffix(strings.TrimSpace(fmt.Sprint(done["output"])), "kept b") || len(objects(done["calls"])) != 1 {
		t.Fatalf("the plan: got %v", got)
	}
	if v := w.must(key, "POST", fmt.Sprintf("/v1/records/%s/replay", got["record"]), nil, 200); v["identical"] != true {
		t.Errorf("its record: %v", v)
	}
	// By now another run began, which gives the runs that were killed their end.
	record := fmt.Sprint(w.must(key, "GET", fmt.Sprintf("/v1/records/%s", ended["record"]), nil, 200))
	if !strings.Contains(record, "abandoned") || !strings.Contains(record, "ended first") {
		t.Errorf("its record does not say why it ended: %.600s", record)
	}
	if left, err := filepath.Glob(filepath.Join(w.home, Folder, live.RunsFolder, "*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}

// Programs that start Praxis as their child work at once, beside a server, each with sessions of its
// own; what one left is there for the next.
func TestLocalServers(t *testing.T) {
	w := newWorld(t)
	local := config(w.home)
	local.Local = true
	var all []*Server
	for range 2 {
		s, err := New(local)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if all[0].folder == all[1].folder || all[0].folder == Folder {
		t.Errorf("got %s and %s", all[0].folder, all[1].folder)
	}
	for _, s := range all {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	next, err := New(local)
	if err != nil {
		t.Fatal(err)
	}
	if next.folder != all[0].folder {
		t.Errorf("got %s, want %s", next.folder, all[0].folder)
	}
	if err := next.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
