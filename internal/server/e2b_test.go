package server

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"praxis/internal/app"
	"praxis/internal/server/access"
	"praxis/internal/server/e2b"
)

// sandboxes is a server over toys that E2B's clients use.
type sandboxes struct {
	*testing.T
	home string
	s    *Server
	web  *httptest.Server
}

func newSandboxes(t *testing.T) *sandboxes {
	t.Helper()
	w := &sandboxes{T: t, home: t.TempDir()}
	w.start()
	t.Cleanup(w.stop)
	return w
}

func (w *sandboxes) start() {
	w.Helper()
	cfg := config(w.home)
	cfg.E2B = &E2B{Domain: "sbx.test:8443"}
	cfg.Net = app.NetSpec{Hosts: []string{"api.example.com"}}
	var err error
	if w.s, err = New(cfg); err != nil {
		w.Fatal(err)
	}
	w.web = httptest.NewServer(w.s.handlerE2B())
}

func (w *sandboxes) stop() {
	w.Helper()
	w.web.CloseClientConnections()
	w.web.Close()
	if err := w.s.Close(context.WithoutCancel(w.Context())); err != nil {
		w.Errorf("cannot close: %v", err)
	}
}

// key makes a key, as E2B's clients write it.
func (w *sandboxes) key(tenant string, scopes ...access.Scope) (text, id string) {
	w.Helper()
	text, made, err := w.s.shared.Keys.Add(access.Key{Tenant: tenant, Scopes: scopes})
	if err != nil {
		w.Fatal(err)
	}
	return e2b.KeyFor(text), made.ID
}

// do sends a request; the response is to be closed.
func (w *sandboxes) do(ctx context.Context, method, path string, headers map[string]string, body []byte) *http.Response {
	w.Helper()
	r, err := http.NewRequestWithContext(ctx, method, w.web.URL+path, bytes.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	for k, v := range headers {
		if k == "Host" {
			r.Host = v
			continue
		}
		r.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		w.Fatal(err)
	}
	return res
}

// control sends a request to the control plane, which has to be answered with a status.
func (w *sandboxes) control(key, method, path string, body any, status int) (out any) {
	w.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		w.Fatal(err)
	}
	res := w.do(w.Context(), method, path, map[string]string{"X-API-KEY": key}, data)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status {
		w.Fatalf("%s %s: got %d %s, %v", method, path, res.StatusCode, text, err)
	}
	if len(text) > 0 && json.Unmarshal(text, &out) != nil {
		w.Fatalf("%s %s: got %s", method, path, text)
	}
	return out
}

// box is a sandbox with what its client knows.
type box struct {
	*sandboxes
	id      string
	headers map[string]string
}

func (w *sandboxes) make(key string, body object) box {
	w.Helper()
	if body["templateID"] == nil {
		body["templateID"] = "base"
	}
	return w.boxOf(w.control(key, "POST", "/v2/sandboxes", body, 201).(object))
}

func (w *sandboxes) boxOf(got object) box {
	return box{w, got["sandboxID"].(string), map[string]string{"E2b-Sandbox-Id": got["sandboxID"].(string), "E2b-Sandbox-Port": "49983", "X-Access-Token": fmt.Sprint(got["envdAccessToken"])}}
}

// send sends a request to the daemon, and returns the status and the text.
func (b box) send(method, path, mime string, body []byte) (int, string) {
	b.Helper()
	headers := map[string]string{"Content-Type": mime}
	for k, v := range b.headers {
		headers[k] = v
	}
	res := b.do(b.Context(), method, path, headers, body)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.Fatal(err)
	}
	return res.StatusCode, strings.TrimSpace(string(text))
}

// rpc makes a unary call.
func (b box) rpc(method, message string) (int, string) {
	b.Helper()
	return b.send("POST", "/"+method, "application/json", []byte(message))
}

// must is rpc of a call that has to be answered with a status.
func (b box) must(method, message string, status int) string {
	b.Helper()
	got, text := b.rpc(method, message)
	if got != status {
		b.Fatalf("%s %s: got %d %s", method, message, got, text)
	}
	return text
}

func framed(message string) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
}

// stream makes a call that is answered with messages, and gives each to f until that is false.
func (b box) stream(method, message string, f func(flags byte, text string) bool) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	headers := map[string]string{"Content-Type": "application/connect+json"}
	for k, v := range b.headers {
		headers[k] = v
	}
	res := b.do(ctx, "POST", "/"+method, headers, framed(message))
	defer res.Body.Close()
	for {
		var header [5]byte
		if _, err := io.ReadFull(res.Body, header[:]); err != nil {
			return
		}
		text := make([]byte, binary.BigEndian.Uint32(header[1:]))
		if _, err := io.ReadFull(res.Body, text); err != nil {
			b.Fatal(err)
		}
		if !f(header[0], string(text)) {
			return
		}
	}
}

// said returns all that a stream says.
func (b box) said(method, message string) string {
	b.Helper()
	var all []string
	b.stream(method, message, func(_ byte, text string) bool { all = append(all, text); return true })
	return strings.Join(all, "\n")
}

// A sandbox is made, used and ended; no other tenant sees it, and a server that starts anew
// knows it.
func TestE2BSandboxes(t *testing.T) {
	w := newSandboxes(t)
	key, _ := w.key("team-a")
	other, _ := w.key("team-b")
	reader, _ := w.key("team-a", access.Read)
	w.control("e2b_00", "GET", "/v2/sandboxes", nil, 401)
	w.control(reader, "POST", "/v2/sandboxes", object{"templateID": "base"}, 403)
	w.control(key, "POST", "/v2/sandboxes", object{"templateID": "none"}, 404)
	for _, body := range []object{{"mcp": object{"a": 1}}, {"autoPauseMemory": false}, {"volumeMounts": []object{{"name": "v"}}}, {"network": object{"egressProxy": object{"address": "x"}}}} {
		body["templateID"] = "base"
		w.control(key, "POST", "/v2/sandboxes", body, 501)
	}
	w.control(key, "GET", "/volumes", nil, 501)
	w.control(key, "POST", "/v2/sandboxes", object{"templateID": "base", "timeout": -1}, 400)
	w.control(key, "POST", "/v2/sandboxes", object{"templateID": "base", "envVars": object{"A=B": "c"}}, 400)

	b := w.make(key, object{"metadata": object{"a": "b"}, "envVars": object{"GREET": "1"}, "timeout": 3600})
	if got := w.control(key, "GET", "/sandboxes/"+b.id, nil, 200).(object); got["state"] != "running" || got["domain"] != "sbx.test:8443" || got["metadata"].(object)["a"] != "b" {
		t.Errorf("got %v", got)
	}
	if got := w.control(key, "GET", "/sandboxes/"+b.id, nil, 200).(object); got["envdAccessToken"] != b.headers["X-Access-Token"] {
		t.Errorf("got %v", got)
	}
	if got := w.control(reader, "GET", "/sandboxes/"+b.id, nil, 200).(object); got["envdAccessToken"] != nil {
		t.Errorf("a key that may read alone gets a token to write with: %v", got)
	}
	for method, path := range map[string]string{"GET": "/sandboxes/" + b.id, "DELETE": "/sandboxes/" + b.id, "POST": "/v2/sandboxes/" + b.id + "/connect", "PUT": "/sandboxes/" + b.id + "/network"} {
		w.control(other, method, path, object{}, 404)
	}
	if got := w.control(other, "GET", "/v2/sandboxes", nil, 200).([]any); len(got) != 0 {
		t.Errorf("another tenant sees %v", got)
	}
	for query, want := range map[string]int{"": 1, "?metadata=a%3Db": 1, "?metadata=a%3Dc": 0, "?state=paused": 0, "?state=running,paused&limit=1": 1} {
		if got := w.control(key, "GET", "/v2/sandboxes"+query, nil, 200).([]any); len(got) != want {
			t.Errorf("%s: got %v", query, got)
		}
	}
	w.control(key, "GET", "/v2/sandboxes?state=odd", nil, 400)
	w.control(key, "GET", "/v2/sandboxes?nextToken=odd", nil, 400)
	if got := w.control(key, "GET", "/sandboxes/"+b.id+"/metrics", nil, 200).([]any); len(got) != 1 {
		t.Errorf("got %v", got)
	}
	w.control(key, "POST", "/sandboxes/"+b.id+"/timeout", object{"timeout": 7200}, 204)
	w.control(key, "PUT", "/sandboxes/"+b.id+"/network", object{"denyOut": []string{"8.8.8.8"}}, 400)

	if status, _ := b.send("POST", "/files?path=a.txt", "application/octet-stream", []byte("kept")); status != 200 {
		t.Errorf("got %d", status)
	}
	w.stop()
	w.start()
	if status, text := b.send("GET", "/files?path=a.txt", "", nil); status != 200 || text != "kept" {
		t.Errorf("after a restart: %d %s", status, text)
	}
	w.control(key, "DELETE", "/sandboxes/"+b.id, nil, 204)
	w.control(key, "DELETE", "/sandboxes/"+b.id, nil, 404)
	if status, text := b.send("GET", "/health", "", nil); status != 502 || !strings.Contains(text, "The sandbox was not found") {
		t.Errorf("got %d %s", status, text)
	}
	short := w.make(key, object{"timeout": 0})
	if status, _ := short.send("GET", "/health", "", nil); status != 502 {
		t.Errorf("its time is over: %d", status)
	}
}

// A sandbox that is paused does not run and goes on later; forks and snapshots go on apart.
func TestE2BStates(t *testing.T) {
	w := newSandboxes(t)
	key, id := w.key("default")
	b := w.make(key, object{})
	write := func(b box, text string) {
		if status, said := b.send("POST", "/files?path=a", "application/octet-stream", []byte(text)); status != 200 {
			t.Errorf("got %d %s", status, said)
		}
	}
	reads := func(b box, want string) {
		t.Helper()
		if status, text := b.send("GET", "/files?path=a", "", nil); status != 200 || text != want {
			t.Errorf("got %d %s, want %s", status, text, want)
		}
	}
	write(b, "1")
	// Pausing ends the stream of a process, which goes on when the sandbox does.
	paused := false
	b.stream("process.Process/Start", `{"process":{"cmd":"sleep"}}`, func(flags byte, text string) bool {
		switch {
		case strings.Contains(text, `"start"`):
			w.control(key, "POST", "/sandboxes/"+b.id+"/pause", object{}, 204)
			paused = true
		case flags == 2 && !strings.Contains(text, "unavailable"):
			t.Errorf("got %s", text)
		}
		return true
	})
	if status, _ := b.send("GET", "/health", "", nil); !paused || status != 502 {
		t.Errorf("while it is paused: %d", status)
	}
	w.control(key, "POST", "/sandboxes/"+b.id+"/pause", object{}, 409)
	w.control(key, "POST", "/sandboxes/"+b.id+"/pause", object{"memory": false}, 501)
	if got := w.control(key, "GET", "/v2/sandboxes?state=paused", nil, 200).([]any); len(got) != 1 {
		t.Errorf("got %v", got)
	}
	w.control(key, "POST", "/sandboxes/"+b.id+"/connect", object{"timeout": 600}, 201)
	w.control(key, "POST", "/v2/sandboxes/"+b.id+"/connect", object{"timeout": 600}, 200)
	w.control(key, "POST", "/sandboxes/"+b.id+"/resume", object{}, 409)
	reads(b, "1")
	if got := b.must("process.Process/List", `{}`, 200); !strings.Contains(got, `"cmd":"sleep"`) {
		t.Errorf("got %s", got)
	}

	snapshot := w.control(key, "POST", "/sandboxes/"+b.id+"/snapshots", object{"name": "one"}, 201).(object)
	for _, name := range []string{"base:v2", ":v2"} {
		w.control(key, "POST", "/sandboxes/"+b.id+"/snapshots", object{"name": name}, map[string]int{"base:v2": 409, ":v2": 400}[name])
	}
	another, anotherID := w.key("default")
	theirs := w.boxOf(w.control(another, "POST", "/sandboxes/"+b.id+"/fork", object{}, 201).([]any)[0].(object)["sandbox"].(object))
	reads(theirs, "1")
	if err := w.s.shared.Keys.Remove(anotherID); err != nil {
		t.Fatal(err)
	}
	if status, _ := theirs.send("GET", "/files?path=a", "", nil); status != 403 {
		t.Errorf("a fork whose key is gone: %d", status)
	}
	forks := w.control(key, "POST", "/sandboxes/"+b.id+"/fork", object{"count": 2}, 201).([]any)
	w.control(key, "POST", "/sandboxes/"+b.id+"/fork", object{"count": 101}, 400)
	write(b, "2")
	for _, f := range forks {
		reads(w.boxOf(f.(object)["sandbox"].(object)), "1")
	}
	for _, name := range []any{"one", snapshot["snapshotID"]} {
		reads(w.make(key, object{"templateID": name}), "1")
	}
	if got := w.control(key, "GET", "/snapshots?sandboxID="+b.id, nil, 200).([]any); len(got) != 1 || len(forks) != 2 {
		t.Errorf("got %v", got)
	}
	w.control(key, "DELETE", "/templates/"+fmt.Sprint(snapshot["snapshotID"]), nil, 204)
	w.control(key, "POST", "/v2/sandboxes", object{"templateID": "one"}, 404)

	auto := w.make(key, object{"timeout": 0, "autoPause": true, "autoResume": object{"enabled": true}})
	if status, text := auto.send("GET", "/health", "", nil); status != 204 {
		t.Errorf("it is not resumed: %d %s", status, text)
	}
	if err := w.s.shared.Keys.Remove(id); err != nil {
		t.Fatal(err)
	}
	if status, _ := b.send("GET", "/files?path=a", "", nil); status != 403 {
		t.Errorf("with a key that is gone: %d", status)
	}
}

// Processes are started, followed, written to and ended as E2B's clients do it.
func TestE2BProcesses(t *testing.T) {
	w := newSandboxes(t)
	key, _ := w.key("default")
	b := w.make(key, object{"envVars": object{"GREET": "1"}})
	const start = "process.Process/Start"
	if got, want := b.said(start, `{"process":{"cmd":"echo","args":["a","b"]}}`), `{"event":{"start":{"pid":100}}}
{"event":{"data":{"stdout":"YSBiCg=="}}}
{"event":{"end":{"exitCode":0,"exited":true,"status":"exit status 0"}}}
{}`; got != want {
		t.Errorf("got %s", got)
	}
	if got := b.said(start, `{"process":{"cmd":"exit","args":["3"]}}`); !strings.Contains(got, `"exitCode":3,"exited":true,"status":"exit status 3","error":"exit status 3"`) {
		t.Errorf("got %s", got)
	}
	for message, want := range map[string]string{
		`{"process":{"cmd":"missing"}}`: `"not_found"`, `{"process":{}}`: `"invalid_argument"`, `{`: `"invalid_argument"`,
		`{"process":{"cmd":"echo","cwd":"/home/user/none"}}`: `"invalid_argument"`, `{"process":{"cmd":"echo","envs":{"A=":""}}}`: `"invalid_argument"`,
		`{"process":{"cmd":"cat"},"pty":{"size":{"cols":0,"rows":1}}}`: `"invalid_argument"`,
	} {
		if got := b.said(start, message); !strings.HasPrefix(got, `{"error":{"code":`+want) {
			t.Errorf("%s: got %s", message, got)
		}
	}
	// A client that dies in the middle leaves its process, which others follow.
	b.stream(start, `{"process":{"cmd":"cat"},"tag":"t","stdin":true}`, func(_ byte, text string) bool { return !strings.Contains(text, `"data"`) })
	if got := b.must("process.Process/List", `{}`, 200); !strings.Contains(got, `"cmd":"cat"`) || !strings.Contains(got, `"tag":"t"`) {
		t.Fatalf("got %s", got)
	}
	var seen []string
	b.stream("process.Process/Connect", `{"process":{"tag":"t"}}`, func(_ byte, text string) bool {
		seen = append(seen, text)
		switch len(seen) {
		case 1:
			b.must("process.Process/SendInput", `{"process":{"tag":"t"},"input":{"stdin":"aGk"}}`, 200)
		case 2:
			b.must("process.Process/CloseStdin", `{"process":{"tag":"t"}}`, 200)
		}
		return true
	})
	if got := strings.Join(seen, ""); !strings.Contains(got, `"stdout":"aGk="`) || !strings.Contains(got, `"exitCode":0`) {
		t.Errorf("got %s", got)
	}
	b.stream(start, `{"process":{"cmd":"cat"},"tag":"p","pty":{"size":{"cols":80,"rows":24}}}`, func(_ byte, text string) bool {
		switch {
		case strings.Contains(text, `"start"`):
			b.must("process.Process/Update", `{"process":{"tag":"p"},"pty":{"size":{"cols":81,"rows":25}}}`, 200)
			b.must("process.Process/SendSignal", `{"process":{"tag":"p"},"signal":2}`, 501)
			b.must("process.Process/SendSignal", `{"process":{"tag":"p"},"signal":"SIGNAL_SIGTERM"}`, 200)
		case strings.Contains(text, `"end"`):
			if !strings.Contains(text, `"exitCode":-1,"exited":false,"status":"signal: terminated"`) {
				t.Errorf("got %s", text)
			}
		}
		return true
	})
	b.must("process.Process/SendSignal", `{"process":{"pid":1},"signal":9}`, 404)
	b.must("process.Process/SendSignal", `{}`, 400)
	if status, _ := b.send("POST", "/process.Process/List", "application/proto", nil); status != 415 {
		t.Errorf("another encoding: %d", status)
	}
	for name, headers := range map[string]map[string]string{"root": {"Authorization": "Basic cm9vdDo="}, "no token": {"X-Access-Token": ""}, "a wrong token": {"X-Access-Token": "x"}} {
		wrong := box{w, b.id, map[string]string{"E2b-Sandbox-Id": b.id, "E2b-Sandbox-Port": "49983", "X-Access-Token": b.headers["X-Access-Token"]}}
		for k, v := range headers {
			wrong.headers[k] = v
		}
		if status, text := wrong.rpc("process.Process/List", `{}`); status != 401 || !strings.Contains(text, "unauthenticated") {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
}

// Files are written, described, watched and removed as E2B's clients do it.
func TestE2BFiles(t *testing.T) {
	w := newSandboxes(t)
	key, _ := w.key("default")
	b := w.make(key, object{})
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	for _, name := range []string{"d/a.txt", "/work/b.txt"} {
		part, err := parts.CreateFormFile("file", name)
		if err == nil {
			_, err = io.WriteString(part, "in "+name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := parts.Close(); err != nil {
		t.Fatal(err)
	}
	status, text := b.send("POST", "/files", parts.FormDataContentType(), form.Bytes())
	if status != 200 || !strings.Contains(text, `"path":"/home/user/d/a.txt"`) || !strings.Contains(text, `"path":"/work/b.txt"`) {
		t.Errorf("got %d %s", status, text)
	}
	if status, text := b.send("GET", "/files?path=d/a.txt&username=user", "", nil); status != 200 || text != "in d/a.txt" {
		t.Errorf("got %d %s", status, text)
	}
	for path, want := range map[string]int{"/files?path=none": 404, "/files?path=d/a.txt&username=root": 401, "/files?path=%00": 400, "/none": 404} {
		if status, text := b.send("GET", path, "", nil); status != want {
			t.Errorf("%s: got %d %s", path, status, text)
		}
	}
	for mime, body := range map[string]string{"": "x", "text/plain": "x", "multipart/form-data": "x"} {
		if status, text := b.send("POST", "/files", mime, []byte(body)); status != 400 {
			t.Errorf("%s: got %d %s", mime, status, text)
		}
	}
	if got := b.must("filesystem.Filesystem/Stat", `{"path":"/work/b.txt"}`, 200); !strings.Contains(got, `"type":"FILE_TYPE_FILE","path":"/work/b.txt","size":"14"`) {
		t.Errorf("got %s", got)
	}
	b.must("filesystem.Filesystem/Stat", `{"path":"none"}`, 404)
	for name, text := range map[string]string{"one": "1", "two": "2"} {
		if status, said := b.send("POST", "/files?path="+name, "application/octet-stream", []byte(text)); status != 200 {
			t.Errorf("got %d %s", status, said)
		}
	}
	if status, text := b.send("POST", "/files/compose", "application/json", []byte(`{"source_paths":["one","two"],"destination":"one"}`)); status != 200 {
		t.Errorf("got %d %s", status, text)
	}
	if status, text := b.send("GET", "/files?path=one", "", nil); status != 200 || text != "12" {
		t.Errorf("a file made of itself and another: got %d %s", status, text)
	}
	b.must("filesystem.Filesystem/Stat", `{"path":"two"}`, 404)
	if status, text := b.send("POST", "/files/compose", "application/json", []byte(`{"source_paths":["two"],"destination":"three"}`)); status != 404 {
		t.Errorf("of a file that is not there: got %d %s", status, text)
	}
	var seen []string
	b.stream("filesystem.Filesystem/WatchDir", `{"path":"/work"}`, func(_ byte, text string) bool {
		seen = append(seen, text)
		switch len(seen) {
		case 1:
			b.must("filesystem.Filesystem/Move", `{"source":"/work/b.txt","destination":"/work/c.txt"}`, 200)
		case 3:
			w.control(key, "DELETE", "/sandboxes/"+b.id, nil, 204)
		}
		return true
	})
	if got := strings.Join(seen, "\n"); !strings.HasPrefix(got, `{"start":{}}`) || !strings.Contains(got, `"name":"c.txt","type":"EVENT_TYPE_CREATE"`) || !strings.Contains(got, "unavailable") {
		t.Errorf("got %s", got)
	}
}

// Ports of sandboxes are reached by headers and by hosts, and no other host is answered.
func TestE2BHosts(t *testing.T) {
	w := newSandboxes(t)
	key, _ := w.key("default")
	open := w.boxOf(w.control(key, "POST", "/sandboxes", object{"templateID": "base", "secure": false}, 201).(object))
	shut := w.control(key, "POST", "/v2/sandboxes", object{"templateID": "base", "network": object{"allowPublicTraffic": false}}, 201).(object)
	get := func(headers map[string]string) (int, string) {
		res := w.do(w.Context(), "GET", "/health", headers, nil)
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(text)
	}
	id := fmt.Sprint(shut["sandboxID"])
	for name, c := range map[string]struct {
		headers map[string]string
		status  int
	}{
		"its host":              {map[string]string{"Host": "49983-" + open.id + ".sbx.test:8443"}, 204},
		"with a machine":        {map[string]string{"Host": "49983-" + open.id + "-00000000.sbx.test"}, 204},
		"headers":               {map[string]string{"Host": "sandbox.sbx.test", "E2b-Sandbox-Id": open.id, "E2b-Sandbox-Port": "49983"}, 204},
		"the control plane":     {map[string]string{"Host": "api.sbx.test"}, 200},
		"another sandbox":       {map[string]string{"Host": "49983-abcdefghijklmnopqrstuvwx23.sbx.test"}, 502},
		"no sandbox":            {map[string]string{"Host": "www.sbx.test"}, 502},
		"a name that was bound": {map[string]string{"Host": "evil.example"}, 421},
		"that with headers":     {map[string]string{"Host": "evil.example", "E2b-Sandbox-Id": open.id, "E2b-Sandbox-Port": "49983"}, 502},
		"a closed port":         {map[string]string{"E2b-Sandbox-Id": open.id, "E2b-Sandbox-Port": "81"}, 502},
		"without its token":     {map[string]string{"E2b-Sandbox-Id": id, "E2b-Sandbox-Port": "80"}, 403},
		"with a wrong token":    {map[string]string{"E2b-Sandbox-Id": id, "E2b-Sandbox-Port": "80", "E2b-Traffic-Access-Token": "x"}, 403},
		"the daemon":            {map[string]string{"E2b-Sandbox-Id": id, "E2b-Sandbox-Port": "49983"}, 204},
	} {
		if status, text := get(c.headers); status != c.status {
			t.Errorf("%s: got %d %s", name, status, text)
		}
	}
	if status, text := get(map[string]string{"E2b-Sandbox-Id": id, "E2b-Sandbox-Port": "81", "E2b-Traffic-Access-Token": fmt.Sprint(shut["trafficAccessToken"])}); status != 502 || !strings.Contains(text, `"port":81`) {
		t.Errorf("with its token: got %d %s", status, text)
	}
	if status, text := open.rpc("process.Process/List", `{}`); status != 200 {
		t.Errorf("a sandbox that needs no token: %d %s", status, text)
	}
	if got, _ := w.s.shared.Audit.List("default", 100); len(got) == 0 {
		t.Error("nothing is in the audit log")
	}
}
