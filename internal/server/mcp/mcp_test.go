package mcp_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/internal/app"
	"praxis/internal/server"
	"praxis/internal/server/access"
	"praxis/internal/server/mcp"
	"praxis/internal/test/toy"
)

// world is a server over toys whose usual model follows a script.
type world struct {
	*testing.T
	home, script string
	s            *server.Server
	web          *httptest.Server
	key          string
}

// settings are what the server of a world is made with beside what all have.
type settings struct {
	tools app.ToolSpec
}

// newServer opens a server over toys.
func newServer(home, script string, tools app.ToolSpec) (*server.Server, error) {
	return server.New(server.Config{Home: home, Version: "test", Tools: tools, Hosts: []string{"praxis.example"}, Open: func(t server.Tenant) (*app.App, error) {
		c, err := app.DefaultConfig(t.Home, func(string) string { return "" })
		if err != nil {
			return nil, err
		}
		c.Ask.Model = "scripted:" + script
		return app.Open(app.Options{Config: c, Version: "test", Parts: &app.Parts{Backend: toy.Backend(), Images: toy.Images{}, ImageFiles: toy.Images{}, Recipes: toy.Images{}, Program: toy.Program()}})
	}})
}

func newWorld(t *testing.T, with settings) *world {
	t.Helper()
	w := &world{T: t, home: t.TempDir(), script: filepath.Join(t.TempDir(), "script")}
	w.says("=== reply\nFINAL ANSWER: nothing.\n")
	var err error
	w.s, err = newServer(w.home, w.script, with.tools)
	if err == nil {
		w.key, _, _, err = w.s.FirstKey()
	}
	if err != nil {
		t.Fatal(err)
	}
	w.web = httptest.NewServer(w.s.Handler())
	t.Cleanup(func() {
		w.web.CloseClientConnections()
		w.web.Close()
		if err := w.s.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("cannot close: %v", err)
		}
	})
	return w
}

// says makes the usual model follow a script from the next question on.
func (w *world) says(script string) {
	w.Helper()
	if err := os.WriteFile(w.script, []byte(script), 0o600); err != nil {
		w.Fatal(err)
	}
}

// keyed sends a key with each request.
type keyed struct {
	key  string
	over http.RoundTripper
}

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return k.over.RoundTrip(r)
}

// legacy is the newest version of the protocol that has sessions over HTTP.
const legacy = "2025-11-25"

// connect returns a client of the server that speaks a version of the protocol.
func (w *world) connect(key, version string, options *sdk.ClientOptions) *peer {
	w.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options)
	// Connections of its own: one that a test has cut would be taken for an older server's.
	connections := &http.Transport{}
	w.Cleanup(connections.CloseIdleConnections)
	transport := &sdk.StreamableClientTransport{Endpoint: w.web.URL + mcp.Path, HTTPClient: &http.Client{Transport: keyed{key, connections}}}
	s, err := c.Connect(w.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		w.Fatal(err)
	}
	if got := s.InitializeResult().ProtocolVersion; got != version {
		w.Fatalf("the client speaks %s, want %s", got, version)
	}
	w.Cleanup(func() { _ = s.Close() }) // it may be closed already
	return &peer{w.T, s}
}

// peer is a client's side of a connection.
type peer struct {
	*testing.T
	*sdk.ClientSession
}

// call calls a tool and returns its text, its pictures and its structured result.
func (p *peer) call(name string, args any) (text string, pictures int, out map[string]any, failed bool) {
	p.Helper()
	res, err := p.CallTool(p.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		p.Fatalf("%s: %v", name, err)
	}
	for _, c := range res.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			text += c.Text
		case *sdk.ImageContent:
			pictures++
		}
	}
	out, _ = res.StructuredContent.(map[string]any)
	return text, pictures, out, res.IsError
}

// must calls a tool and returns its text.
func (p *peer) must(name string, args any) string {
	p.Helper()
	text, _, _, failed := p.call(name, args)
	if failed {
		p.Fatalf("%s failed: %s", name, text)
	}
	return text
}

type object = map[string]any

func code(text string) object { return object{"code": text} }

func has(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, s := range want {
		if !strings.Contains(got, s) {
			t.Errorf("got %q, want %q in it", got, s)
		}
	}
}

// sessions lists the ids of the server's sessions.
func (w *world) sessions() (ids []string) {
	w.Helper()
	for _, s := range w.get("/v1/sessions")["sessions"].([]any) {
		ids = append(ids, fmt.Sprint(s.(map[string]any)["id"]))
	}
	return ids
}

func (w *world) get(path string) object { return w.send(http.MethodGet, path, nil) }

func (w *world) post(path string, body object) object { return w.send(http.MethodPost, path, body) }

// send sends a request to the REST API.
func (w *world) send(method, path string, body object) object {
	w.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		w.Fatal(err)
	}
	r, err := http.NewRequestWithContext(w.Context(), method, w.web.URL+path, bytes.NewReader(data))
	if err != nil {
		w.Fatal(err)
	}
	res, err := (&http.Client{Transport: keyed{w.key, http.DefaultTransport}}).Do(r)
	if err != nil {
		w.Fatal(err)
	}
	defer res.Body.Close()
	out := object{}
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil && res.StatusCode != http.StatusNoContent || res.StatusCode > 299 {
		w.Fatalf("%s %s: status %d: %v", method, path, res.StatusCode, err)
	}
	return out
}

// until waits for something that another goroutine does soon.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 1000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("it did not happen: %s", what)
}

// Code runs in a session that keeps its variables; output, values, pictures and errors come back
// as text, pictures and structured results; the session goes when the client ends it.
func TestCode(t *testing.T) {
	w := newWorld(t, settings{})
	p := w.connect(w.key, legacy, nil)
	other := w.connect(w.key, legacy, nil)
	text, pictures, out, failed := p.call("run_code", code("set a\nprint hello\nerr oh\npicture\nmake b.txt x\nvalue 42"))
	has(t, text, "hello", "[stderr] oh", "42", "[created /work/b.txt, 2B]")
	if pictures != 1 || failed || out["status"] != "ok" || out["result"] != "42" || out["stdout"] != "hello\n" || out["pictures"] != 1.0 || strings.Contains(text, "[session") {
		t.Errorf("got %d pictures, failed %v, %v\n%s", pictures, failed, out, text)
	}
	has(t, p.must("run_code", code("get a")), "a is true")
	has(t, other.must("run_code", code("get a")), "a is false") // another client has another session
	text, _, out, failed = p.call("run_code", code("raise ValueError no"))
	if has(t, text, "ValueError: no"); !failed || out["status"] != "error" {
		t.Errorf("an exception: failed %v, %v", failed, out)
	}
	// Another session by its name, which stays.
	p.must("run_code", object{"code": "set b", "session": "mine"})
	has(t, other.must("run_code", object{"code": "get b", "session": "mine"}), "b is true")
	has(t, p.must("run_code", code("get b")), "b is false")
	if n := len(w.sessions()); n != 3 {
		t.Errorf("there are %d sessions", n)
	}
	if err := errors.Join(p.Close(), other.Close()); err != nil {
		t.Error(err)
	}
	until(t, "the sessions of the clients go", func() bool { return slices.Equal(w.sessions(), []string{"mine"}) })
}

// A client of the newest version has no session: a result names the one that the next call goes
// on in.
func TestCodeWithoutSession(t *testing.T) {
	w := newWorld(t, settings{})
	p := w.connect(w.key, stateless, nil)
	text, _, out, _ := p.call("run_code", code("set a"))
	session, _ := out["session"].(string)
	has(t, text, "[session "+session)
	text = p.must("run_code", object{"code": "get a", "session": session})
	if has(t, text, "a is true"); strings.Contains(text, "[session") {
		t.Errorf("got %q", text)
	}
	has(t, p.must("run_code", code("get a")), "a is false")
}

// Files are written, listed, read as text, in parts, as pictures and as bytes, and are resources.
func TestFiles(t *testing.T) {
	w := newWorld(t, settings{})
	p := w.connect(w.key, legacy, nil)
	p.must("write_file", object{"path": "dir/a.txt", "text": "häh"})
	p.must("write_file", object{"path": "long.txt", "text": strings.Repeat("é", 30_000)})
	png := base64.StdEncoding.EncodeToString(pixel())
	p.must("write_file", object{"path": "p.png", "base64": png})
	p.must("write_file", object{"path": "raw", "base64": "AP8="})
	has(t, p.must("list_files", object{}), "/work/dir/a.txt  4B", "/work/p.png")
	if got := p.must("read_file", object{"path": "dir/a.txt"}); got != "häh" {
		t.Errorf("got %q", got)
	}
	_, _, first, _ := p.call("read_file", object{"path": "long.txt"})
	_, _, second, _ := p.call("read_file", object{"path": "long.txt", "offset": first["next"]})
	if whole := fmt.Sprint(first["text"], second["text"]); whole != strings.Repeat("é", 30_000) || second["next"] != nil {
		t.Errorf("the parts have %d bytes", len(whole))
	}
	if _, pictures, out, _ := p.call("read_file", object{"path": "/work/p.png"}); pictures != 1 || out["type"] != "image/png" {
		t.Errorf("got %d pictures, %v", pictures, out)
	}
	for _, bad := range []object{{"path": "none"}, {"path": "long.txt", "offset": -1}, {"path": "dir/a.txt", "offset": 99}} {
		if text, _, _, failed := p.call("read_file", bad); !failed {
			t.Errorf("%v: got %q", bad, text)
		}
	}
	if text, _, _, failed := p.call("write_file", object{"path": "x", "base64": "?"}); !failed {
		t.Errorf("got %q", text)
	}
	list, err := p.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range list.Resources {
		got, err := p.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: r.URI})
		if err != nil || len(got.Contents) != 1 {
			t.Fatalf("%s: %v", r.URI, err)
		}
		names = append(names, fmt.Sprint(r.Name, " ", len(got.Contents[0].Text), " ", len(got.Contents[0].Blob)))
	}
	slices.Sort(names)
	if want := []string{"dir/a.txt 4 0", "long.txt 60000 0", fmt.Sprint("p.png 0 ", len(pixel())), "raw 0 2"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	for _, uri := range []string{"praxis://sessions/none/files/x", "praxis://runs/none", "praxis://sessions/..%2f/files/x", "file:///etc/passwd"} {
		if _, err := p.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s is read", uri)
		}
	}
}

// The agent works in the client's session, sees its variables, and its run is found again.
func TestAsk(t *testing.T) {
	w := newWorld(t, settings{})
	p := w.connect(w.key, legacy, nil)
	p.must("run_code", code("set a"))
	w.says("=== reply\n```python\nget a\nprint 8 units\npicture\n```\n=== reply\nFINAL ANSWER: 8 units were sold.\n")
	text, pictures, out, failed := p.call("ask", object{"question": "How many?"})
	if has(t, text, "8 units were sold."); failed || pictures != 1 || out["verified"] != true || out["steps"] != 2.0 {
		t.Fatalf("failed %v, %d pictures, %v", failed, pictures, out)
	}
	has(t, p.must("run_code", code("get a")), "a is true")
	run, _ := out["run"].(string)
	has(t, p.must("search_runs", object{"words": "many"}), run, "How many?")
	has(t, p.must("search_runs", object{"run": run}), "a is true", "8 units were sold")
	got, err := p.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "praxis://runs/" + run})
	if err != nil || !strings.Contains(got.Contents[0].Text, "8 units") {
		t.Errorf("the transcript: %v", err)
	}
	if text, _, _, failed := p.call("search_runs", object{"run": "/etc/passwd"}); !failed {
		t.Errorf("got %q", text)
	}
}

// What keys may, they may here: no more, and nothing of another's.
func TestKeys(t *testing.T) {
	w := newWorld(t, settings{})
	post := func(key, session, origin, host, body string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.web.URL+mcp.Path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range map[string]string{"Authorization": "Bearer " + key, "Mcp-Session-Id": session, "Origin": origin, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"} {
			if v != "" && v != "Bearer " {
				r.Header.Set(name, v)
			}
		}
		if host != "" {
			r.Host = host
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode, res.Header.Get("Mcp-Session-Id")
	}

	status, session := post(w.key, "", "", "", begin)
	if status != http.StatusOK || session == "" {
		t.Fatalf("status %d", status)
	}
	reader, stranger := w.newKey(access.DefaultTenant, access.Read), w.newKey("others", access.Run, access.Read)
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	for _, c := range []struct {
		what, key, session, origin, host, body string
		want                                   int
	}{
		{"its owner", w.key, session, "", "", list, 200},
		{"nobody", "", "", "", "", begin, 401},
		{"an unknown key", "praxis_00", "", "", "", begin, 401},
		{"another key", reader, session, "", "", list, 404},
		{"another tenant", stranger, session, "", "", list, 404},
		{"a session that is not there", w.key, "none", "", "", list, 404},
		{"a page of elsewhere", w.key, session, "https://evil.example", "", list, 403},
		{"a page of another address", w.key, session, "http://6.6.6.6", "", list, 403},
		{"a page of this machine", w.key, session, "http://localhost:6274", "", list, 200},
		{"a page of the server's name", w.key, session, "https://praxis.example", "praxis.example", list, 200},
		{"another host", w.key, session, "", "evil.example", list, 421},
		{"no message", w.key, session, "", "", "{", 400},
		{"no body", w.key, session, "", "", "", 400},
	} {
		if got, _ := post(c.key, c.session, c.origin, c.host, c.body); got != c.want {
			t.Errorf("%s: status %d, want %d", c.what, got, c.want)
		}
	}
	// A key that may read does not run, and learns why.
	p := w.connect(reader, legacy, nil)
	if text, _, _, failed := p.call("run_code", code("print x")); !failed || !strings.Contains(text, "has not the scope run") {
		t.Errorf("got %q", text)
	}
	p.must("search_runs", object{})
	// Another tenant has sessions of its own, also under the same name.
	w.connect(w.key, legacy, nil).must("run_code", object{"code": "set a", "session": "shared"})
	has(t, w.connect(stranger, legacy, nil).must("run_code", object{"code": "get a", "session": "shared"}), "a is false")
}

// newKey makes a key.
func (w *world) newKey(tenant string, scopes ...access.Scope) string {
	w.Helper()
	keys, err := access.Open(filepath.Join(w.home, server.Folder), nil)
	if err != nil {
		w.Fatal(err)
	}
	text, _, err := keys.Add(access.Key{Tenant: tenant, Scopes: scopes})
	if err != nil {
		w.Fatal(err)
	}
	return text
}

// A call that is cancelled, or whose client is gone, interrupts the code, and the kernel is
// there for the next call; progress comes meanwhile.
func TestGivenUp(t *testing.T) {
	for _, version := range []string{legacy, stateless} {
		for _, dies := range []bool{false, true} {
			t.Run(fmt.Sprint(version, " dies ", dies), func(t *testing.T) { givenUp(t, version, dies) })
		}
	}
}

func givenUp(t *testing.T, version string, dies bool) {
	w := newWorld(t, settings{})
	said := make(chan string, 100)
	p := w.connect(w.key, version, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		said <- r.Params.Message
	}})
	p.must("run_code", object{"code": "set a", "session": "s"})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	params := &sdk.CallToolParams{Name: "run_code", Arguments: object{"code": "print begun\nwait", "session": "s"}}
	params.SetProgressToken("p")
	go func() {
		_, err := p.CallTool(ctx, params)
		ended <- err
	}()
	for message := range said {
		if strings.HasPrefix(message, "running: print begun") {
			break
		}
	}
	if dies {
		w.web.CloseClientConnections()
	} else {
		cancel()
	}
	if err := <-ended; err == nil {
		t.Error("a call that was given up has a result")
	}
	cancel()
	again := w.connect(w.key, version, nil)
	has(t, again.must("run_code", object{"code": "get a", "session": "s"}), "a is true")
}
