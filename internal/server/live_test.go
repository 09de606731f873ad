package server

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// Files are looked at, moved and removed one by one, read and written as an archive, and
// watched.
func TestFiles(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	const s = "/v1/sessions/s"
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	w.must(key, "PUT", s+"/file?path=a.txt", "hello", 204)
	if got := w.must(key, "GET", s+"/file/info?path=a.txt", nil, 200); got["kind"] != "file" || got["bytes"] != 5.0 || got["path"] != "/work/a.txt" {
		t.Errorf("got %v", got)
	}
	var seen []string
	w.events(w.request(key, "GET", s+"/files/events?path=/work&recursive=false", nil), func(_, name, data string) bool {
		seen = append(seen, name+" "+data)
		switch len(seen) {
		case 1:
			w.must(key, "POST", s+"/files/move", object{"from": "a.txt", "to": "b.txt"}, 204)
		case 3:
			w.must(key, "DELETE", s+"/file?path=b.txt&recursive=true", nil, 204)
		case 4: // pausing ends it
			w.must(key, "POST", s+"/pause", object{}, 200)
		}
		return true
	})
	if got := strings.Join(seen, "\n"); len(seen) != 6 || !strings.Contains(got, `changed {"type":"created","path":"/work/b.txt"}`) ||
		!strings.Contains(seen[3], `"removed"`) || !strings.Contains(seen[5], `end {"reason":"the session was paused`) {
		t.Errorf("got %s", got)
	}
	w.must(key, "GET", s+"/file/info?path=b.txt", nil, 404)
	w.must(key, "GET", s+"/files/events?path=a&recursive=perhaps", nil, 400)
	w.must(key, "POST", s+"/folders", object{"path": "d/e"}, 204)
	if _, got := w.call(key, "GET", s+"/archive", nil); got["text"] != "an archive" {
		t.Errorf("got %v", got)
	}
	w.must(key, "GET", s+"/archive?format=rar", nil, 400)
	w.must(key, "PUT", s+"/archive?path=d", archived(t, "c.txt", "packed"), 204)
	if _, got := w.call(key, "GET", s+"/file?path=d/c.txt", nil); got["text"] != "packed" {
		t.Errorf("got %v", got)
	}
}

// A process is waited for, followed, written to and signaled; one that is detached goes on
// while its session is paused and the server stopped.
func TestProcesses(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	const all = "/v1/sessions/s/processes"
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	if got := w.must(key, "POST", all, object{"argv": []string{"echo", "a", "b"}}, 201); got["stdout"] != "a b\n" || got["exit"].(object)["code"] != 0.0 {
		t.Errorf("got %v", got)
	}
	if got := w.must(key, "POST", all, object{"argv": []string{"exit", "3"}}, 201); got["exit"].(object)["code"] != 3.0 {
		t.Errorf("got %v", got)
	}
	for name, body := range map[string]object{"no program": {"argv": []string{}}, "a bad variable": {"argv": []string{"echo"}, "env": object{"A=": ""}}} {
		if status, _ := w.call(key, "POST", all, body); status != 400 {
			t.Errorf("%s: %d", name, status)
		}
	}
	w.must(key, "POST", all, object{"argv": []string{"missing"}}, 404)

	p := w.must(key, "POST", all, object{"argv": []string{"cat"}, "stdin": true, "detach": true}, 201)
	one := all + "/" + fmt.Sprint(p["id"])
	w.must(key, "POST", one+"/input", "one", 204)
	w.must(key, "POST", "/v1/sessions/s/pause", object{}, 200)
	if got := w.must(key, "GET", one, nil, 200); got["ended"] != false || got["stdout"] != "one" {
		t.Errorf("in a paused session: %v", got)
	}
	w.must(key, "POST", one+"/input", "two\xff", 204) // which opens it
	var seen []string
	w.events(w.request(key, "GET", one+"/events", nil), func(id, name, data string) bool {
		seen = append(seen, id+name+data)
		if len(seen) == 2 {
			w.must(key, "DELETE", one+"/input", nil, 204)
		}
		return name != "end"
	})
	want := []string{`1output{"stream":"stdout","text":"one"}`, `2output{"stream":"stdout","data":"dHdv/w=="}`}
	if len(seen) != 3 || seen[0] != want[0] || seen[1] != want[1] || !strings.Contains(seen[2], `"exit":{"code":0}`) {
		t.Errorf("got %q", seen)
	}
	w.must(key, "POST", one+"/input", "late", 409)

	p = w.must(key, "POST", all, object{"argv": []string{"sleep"}, "detach": true}, 201)
	w.stop()
	w.start()
	one = all + "/" + fmt.Sprint(p["id"])
	w.must(key, "GET", one, nil, 404) // before the session is opened
	w.must(key, "POST", "/v1/sessions/s/resume", object{}, 200)
	if list, _ := w.must(key, "GET", all, nil, 200)["processes"].([]any); len(list) != 1 || list[0].(object)["ended"] != false {
		t.Fatalf("got %v", list)
	}
	w.must(key, "POST", one+"/signal", object{"signal": 15}, 204)
	w.events(w.request(key, "GET", one+"/events", nil), func(_, name, data string) bool {
		if name != "end" || !strings.Contains(data, `"signal":15`) {
			t.Errorf("got %s %s", name, data)
		}
		return true
	})
	// A client that goes away ends what it waited for.
	var id string
	w.events(w.request(key, "POST", all, object{"argv": []string{"cat"}, "terminal": object{"rows": 1, "cols": 1}, "stream": true, "env": object{"GREET": "1"}}), func(_, name, _ string) bool {
		list := w.must(key, "GET", all, nil, 200)["processes"].([]any)
		id = fmt.Sprint(list[len(list)-1].(object)["id"])
		return false
	})
	w.events(w.request(key, "GET", all+"/"+id+"/events", nil), func(_, name, data string) bool {
		if name == "end" && !strings.Contains(data, `"signal":9`) {
			t.Errorf("got %s", data)
		}
		return true
	})
}

// What a fork has of its parent are its processes, too.
func TestProcessesAreForked(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	w.must(key, "POST", "/v1/sessions/s/processes", object{"argv": []string{"sleep"}, "detach": true}, 201)
	list := w.must(key, "POST", "/v1/sessions/s/fork", object{}, 201)["sessions"].([]any)
	fork := "/v1/sessions/" + fmt.Sprint(list[0].(object)["id"])
	w.must(key, "POST", fork+"/resume", object{}, 200)
	if got := w.must(key, "GET", fork+"/processes", nil, 200)["processes"].([]any); len(got) != 1 || got[0].(object)["ended"] != false {
		t.Errorf("got %v", got)
	}
	w.must(key, "DELETE", fork, nil, 204)
	if got := w.must(key, "GET", "/v1/sessions/s/processes", nil, 200)["processes"].([]any); got[0].(object)["ended"] != false {
		t.Errorf("got %v", got)
	}
}

// terminal opens a terminal.
func (w *world) terminal(key, path string, header http.Header) (*websocket.Conn, *http.Response, error) {
	if header == nil {
		header = http.Header{}
	}
	header.Set("Authorization", "Bearer "+key)
	return websocket.Dial(w.Context(), "ws"+strings.TrimPrefix(w.web.URL, "http")+path, &websocket.DialOptions{HTTPHeader: header})
}

// A terminal is typed at and resized over a WebSocket; what is no message of it ends the
// connection, and a new shell ends with its connection.
func TestTerminal(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	const all = "/v1/sessions/s/processes"
	p := w.must(key, "POST", all, object{"argv": []string{"cat"}, "terminal": object{"rows": 24, "cols": 80}, "detach": true}, 201)
	id := fmt.Sprint(p["id"])
	conn, _, err := w.terminal(key, "/v1/sessions/s/terminal?process="+id, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	receive := func(want string) {
		t.Helper()
		_, data, err := conn.Read(t.Context())
		if err != nil || !strings.Contains(string(data), want) {
			t.Fatalf("got %s, %v, want %s", data, err, want)
		}
	}
	send := func(kind websocket.MessageType, text string) {
		t.Helper()
		if err := conn.Write(t.Context(), kind, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	receive(`"started"`)
	send(websocket.MessageBinary, "typed\xff")
	receive("typed\xff")
	send(websocket.MessageText, `{"resize":{"rows":30,"cols":90}}`)
	receive("30 rows, 90 columns")
	send(websocket.MessageText, `{"signal":2}`)
	receive(`"signal":2`)
	if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("got %v", err)
	}

	conn, _, err = w.terminal(key, "/v1/sessions/s/terminal?rows=10&cols=20", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	var began struct{ Process struct{ ID string } }
	if _, data, err := conn.Read(t.Context()); err != nil || json.Unmarshal(data, &began) != nil {
		t.Fatal(err)
	}
	send(websocket.MessageText, `{"resize":1,"signal":1}`)
	if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("got %v", err)
	}
	w.events(w.request(key, "GET", all+"/"+began.Process.ID+"/events", nil), func(_, name, data string) bool {
		if name == "end" && !strings.Contains(data, `"signal":9`) {
			t.Errorf("got %s", data)
		}
		return true
	})
	for name, tt := range map[string]struct {
		key, path string
		header    http.Header
		want      int
	}{
		"another origin":  {key, "/v1/sessions/s/terminal", http.Header{"Origin": {"http://evil.example"}}, 403},
		"no key":          {"", "/v1/sessions/s/terminal", nil, 401},
		"another process": {key, "/v1/sessions/s/terminal?process=none", nil, 404},
		"no size":         {key, "/v1/sessions/s/terminal?rows=many", nil, 400},
	} {
		_, res, err := w.terminal(tt.key, tt.path, tt.header)
		if err == nil || res == nil || res.StatusCode != tt.want {
			t.Errorf("%s: %v", name, res)
		}
	}
}

// A session whose sandbox died while no code was executed says so once, and goes on.
func TestSandboxDies(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	w.must(key, "PUT", "/v1/sessions/s/file?path=a", "saved", 204)
	p := w.must(key, "POST", "/v1/sessions/s/processes", object{"argv": []string{"sleep"}, "detach": true}, 201)
	w.must(key, "POST", "/v1/sessions/s/snapshots", object{}, 201)
	w.must(key, "POST", "/v1/sessions/s/processes", object{"argv": []string{"die"}}, 503)
	if got := w.must(key, "GET", "/v1/sessions/s/file?path=a", nil, 503); !strings.Contains(fmt.Sprint(got["detail"]), "snapshot") {
		t.Errorf("got %v", got)
	}
	if _, got := w.call(key, "GET", "/v1/sessions/s/file?path=a", nil); got["text"] != "saved" {
		t.Errorf("got %v", got)
	}
	if got := w.must(key, "GET", "/v1/sessions/s/processes/"+fmt.Sprint(p["id"]), nil, 200); got["ended"] != false {
		t.Errorf("the process that was saved: %v", got)
	}
}

// archived is an archive of one file.
func archived(t *testing.T, name, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A port of a session answers under a name of its own and nowhere else, with its token, and the
// server's routes not under that name.
func TestPorts(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	p := w.must(key, "POST", "/v1/sessions/s/ports", object{"port": 80}, 201)
	host, token := fmt.Sprint(p["host"]), fmt.Sprint(p["token"])
	if want := "http://" + host + w.web.URL[strings.LastIndex(w.web.URL, ":"):] + "/"; p["url"] != want {
		t.Errorf("got %v, want %s", p["url"], want)
	}
	ask := func(host, token, path string) (int, string) {
		t.Helper()
		r := w.request(key, "GET", path, nil)
		r.Host = host
		r.Header.Set("X-Praxis-Port-Token", token)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		data, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(data)
	}
	status, got := ask(host, token, "/v1/sessions")
	if status != 200 || !strings.Contains(got, "GET /v1/sessions HTTP/1.1") || !strings.Contains(got, "Host: "+host) || strings.Contains(got, key) || strings.Contains(got, token) {
		t.Errorf("got %d %s", status, got)
	}
	w.must(key, "POST", "/v1/sessions/s/pause", object{}, 200)
	if status, got := ask(host, token, "/"); status != 200 {
		t.Errorf("of a paused session: %d %s", status, got)
	}
	if status, _ := ask(host, "", "/"); status != 401 {
		t.Errorf("without the token: %d", status)
	}
	if status, _ := ask(strings.Replace(host, "80-", "81-", 1), token, "/"); status != 404 {
		t.Errorf("another port: %d", status)
	}
	other := w.must(key, "POST", "/v1/sessions/s/ports", object{"port": 81}, 201)
	if status, _ := ask(fmt.Sprint(other["host"]), fmt.Sprint(other["token"]), "/"); status != 502 {
		t.Errorf("a port where nobody listens: %d", status)
	}
	if list := w.must(key, "GET", "/v1/sessions/s/ports", nil, 200)["ports"].([]any); len(list) != 2 || list[0].(object)["token"] != nil {
		t.Errorf("got %v", list)
	}
	w.must(key, "DELETE", "/v1/sessions/s/ports/"+fmt.Sprint(p["id"]), nil, 204)
	if status, _ := ask(host, token, "/"); status != 404 {
		t.Errorf("a closed port: %d", status)
	}
	// A session that gets the name of another does not get its ports.
	w.must(key, "DELETE", "/v1/sessions/s", nil, 204)
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	if status, _ := ask(fmt.Sprint(other["host"]), fmt.Sprint(other["token"]), "/"); status != 502 {
		t.Errorf("a port of a deleted session: %d", status)
	}
	w.must(key, "POST", "/v1/sessions/none/ports", object{"port": 80}, 404)
}

// A context that is made has variables of its own, and code says in which it is run.
func TestContexts(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	const all = "/v1/sessions/s/contexts"
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	if got := w.must(key, "POST", all, object{"name": "mine"}, 201); got["name"] != "mine" || got["language"] != "python" {
		t.Errorf("got %v", got)
	}
	w.must(key, "POST", all, object{"name": "mine"}, 409)
	w.must(key, "POST", all, object{"name": "python"}, 409)
	w.must(key, "POST", all, object{"name": "a b"}, 400)
	w.must(key, "POST", all, object{"language": "cobol"}, 400)
	w.must(key, "POST", "/v1/sessions/s/executions", object{"code": "print 1", "context": "mine"}, 201)
	w.must(key, "POST", "/v1/sessions/s/executions", object{"code": "print 1", "context": "none"}, 404)
	if list := w.must(key, "GET", all, nil, 200)["contexts"].([]any); len(list) != 2 {
		t.Errorf("got %v", list)
	}
	w.must(key, "POST", all+"/mine/restart", object{}, 204)
	w.must(key, "DELETE", all+"/mine", nil, 204)
	w.must(key, "DELETE", all+"/mine", nil, 404)
}
