package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
	"praxis/internal/server/rest"
	"praxis/internal/server/rpc"
	"praxis/internal/server/trace"
)

// world is a server over toys, with a client for each key.
type world struct {
	*testing.T
	s     *Server
	web   *httptest.Server
	home  string
	tools app.ToolSpec

	traces trace.Config
}

func config(home string) Config {
	return Config{Home: home, Version: "test", FileModels: true, Ports: "localhost", Open: opened(func(*app.Options) {})}
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, home: t.TempDir()}
	w.start()
	t.Cleanup(w.stop)
	return w
}

func (w *world) start() {
	w.Helper()
	cfg := config(w.home)
	cfg.Tools, cfg.Traces = w.tools, w.traces
	w.startWith(cfg)
}

// startWith is start with another configuration.
func (w *world) startWith(cfg Config) {
	w.Helper()
	var err error
	if w.s, err = New(cfg); err != nil {
		w.Fatal(err)
	}
	w.web = httptest.NewServer(w.s.Handler())
}

func (w *world) stop() {
	w.Helper()
	w.web.CloseClientConnections()
	w.web.Close()
	if err := w.s.Close(context.WithoutCancel(w.Context())); err != nil {
		w.Errorf("cannot close: %v", err)
	}
}

func (w *world) key(tenant string, scopes ...access.Scope) string {
	w.Helper()
	text, _, err := w.s.shared.Keys.Add(access.Key{Tenant: tenant, Scopes: scopes})
	if err != nil {
		w.Fatal(err)
	}
	return text
}

// call sends a request and returns the status and the answer.
func (w *world) call(key, method, path string, body any) (int, map[string]any) {
	w.Helper()
	r := w.request(key, method, path, body)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		w.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		w.Fatal(err)
	}
	out := map[string]any{}
	if len(data) > 0 && json.Unmarshal(data, &out) != nil {
		out["text"] = string(data)
	}
	return res.StatusCode, out
}

func (w *world) request(key, method, path string, body any) *http.Request {
	w.Helper()
	var from io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		from = strings.NewReader(b)
	default:
		data, err := json.Marshal(b)
		if err != nil {
			w.Fatal(err)
		}
		from = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(w.Context(), method, w.web.URL+path, from)
	if err != nil {
		w.Fatal(err)
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	return r
}

// must is call that expects a status.
func (w *world) must(key, method, path string, body any, want int) map[string]any {
	w.Helper()
	status, out := w.call(key, method, path, body)
	if status != want {
		w.Fatalf("%s %s: status %d, want %d: %v", method, path, status, want, out)
	}
	return out
}

type object = map[string]any

func (w *world) execute(key, session, code string) object {
	w.Helper()
	out := w.must(key, "POST", "/v1/sessions/"+session+"/executions", object{"code": code}, 201)
	x, _ := out["execution"].(object)
	if x == nil {
		w.Fatalf("no execution: %v", out)
	}
	return x
}

// A session keeps its variables while it is paused, forked, rolled back, and while the server
// is started anew.
func TestSessionLives(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	w.must(key, "POST", "/v1/sessions", object{"id": "one", "metadata": object{"for": "test"}}, 201)
	w.execute(key, "one", "set x")
	if x := w.execute(key, "one", "get x"); x["status"] != "ok" || !strings.Contains(fmt.Sprint(x["stdout"], x["result"]), "true") {
		t.Fatalf("got %v", x)
	}
	w.must(key, "PUT", "/v1/sessions/one/file?path=a.txt", "hello", 204)
	if got := w.must(key, "POST", "/v1/sessions/one/pause", nil, 200); got["state"] != "paused" {
		t.Fatalf("got %v", got)
	}
	if _, got := w.call(key, "GET", "/v1/sessions/one/file?path=a.txt", nil); got["text"] != "hello" {
		t.Fatalf("got %v", got)
	}
	made := w.must(key, "POST", "/v1/sessions/one/fork", object{"count": 2}, 201)
	list, _ := made["sessions"].([]any)
	if len(list) != 2 {
		t.Fatalf("got %v", made)
	}
	child := fmt.Sprint(list[0].(object)["id"])
	w.must(key, "PUT", "/v1/sessions/"+child+"/file?path=a.txt", "changed", 204)
	if _, got := w.call(key, "GET", "/v1/sessions/one/file?path=a.txt", nil); got["text"] != "hello" {
		t.Fatalf("the parent has the child's file: %v", got)
	}
	w.must(key, "POST", "/v1/sessions/one/snapshots", object{"label": "before"}, 201)
	w.stop()
	w.start()
	if got := w.must(key, "GET", "/v1/sessions/one", nil, 200); got["state"] != "paused" || got["metadata"].(object)["for"] != "test" {
		t.Fatalf("after a start: %v", got)
	}
	if x := w.execute(key, "one", "cat a.txt"); !strings.Contains(fmt.Sprint(x["stdout"]), "hello") {
		t.Fatalf("after a start: %v", x)
	}
	w.must(key, "DELETE", "/v1/sessions/one", nil, 204)
	w.must(key, "GET", "/v1/sessions/one", nil, 404)
}

// events reads server-sent events until the stream ends or stop says so.
func (w *world) events(r *http.Request, each func(id, name, data string) (more bool)) {
	w.Helper()
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		w.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		data, _ := io.ReadAll(res.Body)
		w.Fatalf("status %d: %s", res.StatusCode, data)
	}
	var id, name string
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "id":
			id = value
		case "event":
			name = value
		case "data":
			if !each(id, name, value) {
				return
			}
			id = ""
		}
	}
}

// A reader that went away reads on from the event that it saw last, and misses none.
func TestEventsResume(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	code := strings.Repeat("print line\n", 20)
	x := w.must(key, "POST", "/v1/sessions/s/executions", object{"code": code, "detach": true}, 201)
	path := fmt.Sprintf("/v1/sessions/s/executions/%s/events", x["id"])
	var seen []string
	last := ""
	for end := false; !end; {
		r := w.request(key, "GET", path, nil)
		if last != "" {
			r.Header.Set("Last-Event-ID", last)
		}
		n := 0
		w.events(r, func(id, name, _ string) bool {
			if end = name == "end"; end {
				return false
			}
			last, seen = id, append(seen, id+" "+name)
			n++
			return n < 3 // and it goes away
		})
	}
	for i, s := range seen {
		if !strings.HasPrefix(s, fmt.Sprint(i+1, " ")) {
			t.Fatalf("event %d is %q: %v", i+1, s, seen)
		}
	}
	if len(seen) < 3 || !strings.HasSuffix(seen[len(seen)-1], " execution_ended") {
		t.Errorf("got %v", seen)
	}
}

// A client that goes away interrupts what it waited for, and the session can be used.
func TestClientGoesAway(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	r := w.request(key, "POST", "/v1/sessions/s/executions", object{"code": "print first\nwait", "stream": true})
	w.events(r, func(_, name, _ string) bool { return name != "output" })
	if x := w.execute(key, "s", "print 2"); x["status"] != "ok" {
		t.Fatalf("got %v", x)
	}
	list, _ := w.must(key, "GET", "/v1/sessions/s/executions", nil, 200)["executions"].([]any)
	path := fmt.Sprintf("/v1/sessions/s/executions/%s", list[0].(object)["id"])
	// The session is free a moment before the first execution is known to have ended.
	w.events(w.request(key, "GET", path+"/events", nil), func(string, string, string) bool { return true })
	first, _ := w.must(key, "GET", path, nil, 200)["execution"].(object)
	if first["status"] != "interrupted" {
		t.Errorf("got %v", first)
	}
}

// A question is answered, followed and found among the records.
func TestAsk(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	script := filepath.Join(t.TempDir(), "script.txt")
	if err := os.WriteFile(script, []byte("=== reply\n```python\nprint 42\n```\n=== reply\nFINAL ANSWER: It is 42.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := w.must(key, "POST", "/v1/runs", object{"question": "What is it?", "model": "scripted:" + script}, 201)
	answer, _ := got["answer"].(object)
	if answer == nil || answer["text"] != "It is 42." || answer["verified"] != true || got["record"] == "" {
		t.Fatalf("got %v", got)
	}
	record := fmt.Sprint(got["record"])
	if v := w.must(key, "POST", "/v1/records/"+record+"/verify", nil, 200); v["status"] != "whole" {
		t.Errorf("got %v", v)
	}
	if v := w.must(key, "POST", "/v1/records/"+record+"/replay", nil, 200); v["identical"] != true {
		t.Errorf("got %v", v)
	}
	if _, v := w.call(key, "GET", "/v1/records/"+record+"/export?format=md", nil); !strings.Contains(fmt.Sprint(v["text"]), "It is 42.") {
		t.Errorf("got %v", v)
	}
	list, _ := w.must(key, "GET", "/v1/records?words=what", nil, 200)["records"].([]any)
	if len(list) != 1 {
		t.Errorf("got %v", list)
	}
}

// No operation does anything for a key of another tenant with the first one's ids, for a key
// without its scope, or without a key: the whole table is tried.
func TestPermissions(t *testing.T) {
	w := newWorld(t)
	mine, theirs := w.key("default", access.Admin), w.key("other", access.Admin)
	reader := w.key("default", access.Read)
	w.must(mine, "POST", "/v1/sessions", object{"id": "secret-session"}, 201)
	x := w.must(mine, "POST", "/v1/sessions/secret-session/executions", object{"code": "print hidden"}, 201)
	process := w.must(mine, "POST", "/v1/sessions/secret-session/processes", object{"argv": []string{"echo", "hidden"}}, 201)
	run := w.must(mine, "POST", "/v1/runs/code", object{"code": "print hidden"}, 201)
	_, theirKey, err := w.s.shared.Keys.Add(access.Key{Tenant: "default"})
	if err != nil {
		t.Fatal(err)
	}
	ids := strings.NewReplacer("{session}", "secret-session", "{execution}", fmt.Sprint(x["id"]), "{run}", fmt.Sprint(run["id"]),
		"{record}", fmt.Sprint(run["record"]), "{id}", theirKey.ID, "{thread}", "secret-thread", "{context}", "python", "{process}", fmt.Sprint(process["id"]), "{approval}", "q-secret", "{note}", "secret-note", "{skill}", "secret_skill", "{image}", "secret-image")
	for _, o := range api.Table() {
		path := ids.Replace(o.Path)
		if strings.ContainsAny(path, "{}") {
			t.Fatalf("%s: the test has no id for %s", o.Name, o.Path)
		}
		if status, got := w.call("", o.Method, path, nil); status != 401 {
			t.Errorf("%s without a key: %d %v", o.Name, status, got)
		}
		if o.Scope != access.Read {
			if status, got := w.call(reader, o.Method, path, nil); status != 403 {
				t.Errorf("%s with a key that may only read: %d %v", o.Name, status, got)
			}
		}
		status, got := w.call(theirs, o.Method, path, nil)
		if strings.Contains(o.Path, "{") && status < 400 {
			t.Errorf("%s of another tenant: %d %v", o.Name, status, got)
		}
		if o.Name == "audit.list" {
			continue // it has what the other tenant asked for above
		}
		if text := fmt.Sprint(got); status < 400 && (strings.Contains(text, "secret-session") || strings.Contains(text, "hidden") || strings.Contains(text, fmt.Sprint(run["record"])) || strings.Contains(text, theirKey.ID)) {
			t.Errorf("%s shows what belongs to another tenant: %v", o.Name, got)
		}
	}
	w.must(mine, "GET", "/v1/sessions/secret-session", nil, 200)
}

// What a page in a browser could send is refused: another name of the server.
func TestHostIsChecked(t *testing.T) {
	w := newWorld(t)
	for host, want := range map[string]int{"evil.example": 421, "evil.example:80": 421, "localhost:1": 401, "127.0.0.1": 401, "[::1]:5": 401} {
		r := w.request("", "GET", "/v1/sessions", nil)
		r.Host = host
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: status %d, want %d", host, res.StatusCode, want)
		}
	}
}

// What is wrong with a request is a problem with a remedy.
func TestBadRequests(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	for name, tt := range map[string]struct {
		method, path string
		body         any
		want         int
	}{
		"no JSON":           {"POST", "/v1/sessions", "{", 400},
		"two objects":       {"POST", "/v1/sessions", "{}{}", 400},
		"unknown field":     {"POST", "/v1/sessions", object{"imagee": "x"}, 400},
		"bad name":          {"POST", "/v1/sessions", object{"id": "../x"}, 400},
		"taken":             {"POST", "/v1/sessions", object{"id": "s"}, 409},
		"negative time":     {"POST", "/v1/sessions", object{"lasts_s": -1}, 400},
		"unknown language":  {"POST", "/v1/sessions/s/executions", object{"code": "x", "language": "cobol"}, 400},
		"unknown execution": {"GET", "/v1/sessions/s/executions/x-1", nil, 404},
		"bad limit":         {"GET", "/v1/records?limit=many", nil, 400},
		"a path as record":  {"POST", "/v1/records/..%2Fx/verify", nil, 400},
		"file outside":      {"POST", "/v1/runs/code", object{"code": "print 1", "files": []object{{"name": "../x", "text": ""}}}, 400},
		"no route":          {"GET", "/v2", nil, 404},
		"long body":         {"POST", "/v1/sessions", `{"id":"` + strings.Repeat("x", rest.DefaultBody) + `"}`, 429},
	} {
		status, got := w.call(key, tt.method, tt.path, tt.body)
		if status != tt.want || got["detail"] == "" || got["remedy"] == nil && status != 404 {
			t.Errorf("%s: %d %v, want %d", name, status, got, tt.want)
		}
	}
}

// The name of a session is no path: one that cannot be made removes no other file.
func TestNamesAreNoPaths(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	keys := filepath.Join(w.home, Folder, "keys.json")
	for _, id := range []string{"../keys", "../../server/keys", "sessions/../../keys", ".", "..", "a/b", "a\x00b"} {
		w.must(key, "POST", "/v1/sessions", object{"id": id}, 400)
		if _, err := os.Stat(keys); err != nil {
			t.Fatalf("after %q: %v", id, err)
		}
	}
}

// The document names every operation, and is whole.
func TestDocument(t *testing.T) {
	var doc struct {
		Paths      map[string]map[string]struct{ OperationID string } `json:"paths"`
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(rest.Document("test"), &doc); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, o := range api.Table() {
		if got := doc.Paths[o.Path][strings.ToLower(o.Method)].OperationID; got != o.Name {
			t.Errorf("%s %s: got %q, want %q", o.Method, o.Path, got, o.Name)
		}
		if seen[o.Name] {
			t.Errorf("%s stands twice in the table", o.Name)
		}
		seen[o.Name] = true
		for _, typ := range []reflect.Type{o.In, o.Out} {
			if typ.Kind() == reflect.Struct && len(fmt.Sprint(doc.Components.Schemas[typ.Name()])) < 4 && typ.NumField() > 0 && typ == o.Out && o.Kind == api.Plain {
				t.Errorf("%s: %s has no schema", o.Name, typ)
			}
		}
	}
}

func TestAddresses(t *testing.T) {
	for addr, ok := range map[string]bool{"127.0.0.1:0": true, "[::1]:80": true, "localhost:80": true, "0.0.0.0:80": false, "192.168.1.1:80": false, ":80": false, "example.com:80": false} {
		err := CheckAddress(addr, false, false)
		if (err == nil) != ok || err != nil && fault.CodeOf(err) != fault.ServerInClear {
			t.Errorf("%s: %v", addr, err)
		}
		if CheckAddress(addr, true, false) != nil {
			t.Errorf("%s with certificates is refused", addr)
		}
	}
}

// JSON-RPC over a WebSocket: events come as notifications before the response, and a request
// that is given up is answered with what came of it.
func TestSocket(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.web.URL, "http")+"/rpc", &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + key}}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	send := func(text string) {
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	receive := func() (v struct {
		ID     any
		Method string
		Params struct{ Event string }
		Result object
		Error  object
	}) {
		_, data, err := conn.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"sessions.create","params":{"id":"s"}}`)
	if got := receive(); got.Result["id"] != "s" {
		t.Fatalf("got %+v", got)
	}
	send(`{"jsonrpc":"2.0","id":2,"method":"executions.start","params":{"session":"s","code":"print first\nwait","stream":true}}`)
	for receive().Params.Event != "output" {
	}
	send(`{"jsonrpc":"2.0","id":3,"method":"cancel","params":{"id":2}}`)
	ended := object(nil)
	for ended == nil {
		if got := receive(); got.ID == 2.0 && got.Method == "" {
			ended = got.Result
		}
	}
	if x, _ := ended["execution"].(object); x["status"] != "interrupted" {
		t.Fatalf("got %v", ended)
	}
	if _, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.web.URL, "http")+"/rpc", nil); err == nil {
		t.Error("a socket without a key was opened")
	}
}

// The same operations over a pair of streams, for the program's own caller.
func TestLines(t *testing.T) {
	w := newWorld(t)
	in := `{"jsonrpc":"2.0","id":1,"method":"sessions.create","params":{"id":"s"}}` + "\n"
	var out bytes.Buffer
	if err := w.s.Local().Serve(t.Context(), rpc.NewLines(strings.NewReader(in), &out)); err != nil {
		t.Fatal(err)
	}
	in = `{"jsonrpc":"2.0","id":1,"method":"files.write","params":{"session":"s","path":"a.txt","data":"aGk="}}` + "\n"
	if err := w.s.Local().Serve(t.Context(), rpc.NewLines(strings.NewReader(in), &out)); err != nil {
		t.Fatal(err)
	}
	in = `{"jsonrpc":"2.0","id":1,"method":"files.read","params":{"session":"s","path":"a.txt"}}` + "\n"
	out.Reset()
	if err := w.s.Local().Serve(t.Context(), rpc.NewLines(strings.NewReader(in), &out)); err != nil || !strings.Contains(out.String(), "aGk=") {
		t.Fatalf("got %s, %v", out.String(), err)
	}
}

// timed is an answer on a connection, which notes what it is given time for.
type timed struct {
	http.ResponseWriter
	did []string
}

func (w *timed) SetWriteDeadline(time.Time) error {
	w.did = append(w.did, "time")
	return nil
}

func (w *timed) WriteHeader(status int) {
	w.did = append(w.did, strconv.Itoa(status))
	w.ResponseWriter.WriteHeader(status)
}

// An answer without a body has time of its own, and not what its connection's last answer left.
func TestAnswersHaveTime(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	r := w.request(key, "DELETE", "/v1/sessions/s", nil)
	out := &timed{ResponseWriter: httptest.NewRecorder()}
	w.s.Handler().ServeHTTP(out, r)
	if got := strings.Join(out.did, " "); got != "time 204" {
		t.Errorf("got %s", got)
	}
}
