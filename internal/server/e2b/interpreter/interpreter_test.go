package interpreter

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/server/api"
	"praxis/internal/server/audit"
	"praxis/internal/server/e2b/target"
	"praxis/internal/server/live"
	"praxis/internal/test/toy"
)

var update = flag.Bool("update", false, "write the transcripts anew")

// world is the handler before one sandbox, a toy.
type world struct {
	*testing.T
	box *target.Sandbox
	i   *interpreter
	web *httptest.Server
}

func newWorld(t *testing.T) *world {
	t.Helper()
	home := t.TempDir()
	c, err := app.DefaultConfig(home, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.Open(app.Options{Config: c, Version: "test", Parts: &app.Parts{Backend: toy.Backend(), Images: toy.Images{}, ImageFiles: toy.Images{}, Recipes: toy.Images{}, Program: toy.Program()}})
	if err != nil {
		t.Fatal(err)
	}
	hub, err := live.Open(live.Config{App: a, Dir: filepath.Join(home, "sessions")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hub.Create(t.Context(), live.Request{Spec: app.SessionSpec{Name: "box"}}, event.Discard); err != nil {
		t.Fatal(err)
	}
	log, err := audit.Open(home, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, box: &target.Sandbox{ID: "box", Tenant: &api.Tenant{App: a, Hub: hub}, Server: &api.Server{Audit: log}, Authorized: true}}
	w.i = newInterpreter(func(*http.Request) (*target.Sandbox, error) { return w.box, nil })
	routes := w.i.routes()
	w.web = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		ctx, stop := w.box.Until(r.Context())
		defer stop()
		routes.ServeHTTP(rw, r.WithContext(ctx))
	}))
	t.Cleanup(func() {
		w.web.Close()
		if err := errors.Join(hub.Close(context.WithoutCancel(t.Context())), a.Close()); err != nil {
			t.Errorf("cannot close: %v", err)
		}
	})
	return w
}

func (w *world) send(ctx context.Context, method, path, body string) (*http.Response, error) {
	w.Helper()
	r, err := http.NewRequestWithContext(ctx, method, w.web.URL+path, strings.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	return http.DefaultClient.Do(r)
}

// ask sends a request and returns its status and its body.
func (w *world) ask(method, path, body string) (int, string) {
	w.Helper()
	res, err := w.send(w.Context(), method, path, body)
	if err != nil {
		w.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		w.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// run runs code and returns the lines of the answer.
func (w *world) run(code string) string {
	w.Helper()
	body, err := json.Marshal(map[string]any{"code": code})
	if err != nil {
		w.Fatal(err)
	}
	status, text := w.ask("POST", "/execute", string(body))
	if status != http.StatusOK {
		w.Fatalf("status %d: %s", status, text)
	}
	return text
}

// times are what differs each time.
var times = regexp.MustCompile(`"timestamp":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"`)

// Each transcript of testdata is what the toy does in the directives above the line, and the
// answer below it.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no transcripts", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			code, want, _ := strings.Cut(string(data), "----\n")
			got := times.ReplaceAllString(newWorld(t).run(code), `"timestamp":"…"`)
			if *update {
				if err := os.WriteFile(name, []byte(code+"----\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// What a client does wrong is answered with the codes that it knows.
func TestRefusals(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"GET", "/health", "", 200, `"OK"`},
		{"POST", "/execute", `{"code":"print a","context_id":"x","language":"python"}`, 400, "Only one of context_id or language can be provided"},
		{"POST", "/execute", `{"code":"print a","context_id":"x"}`, 404, "Context x not found"},
		{"POST", "/execute", `{"code":"print a","language":"java"}`, 400, `"code":400`},
		{"POST", "/execute", `{"language":"python"}`, 400, "no member code"},
		{"POST", "/execute", `[]`, 400, "no object of JSON"},
		{"POST", "/execute", `{"code":"print a"} x`, 400, "no object of JSON"},
		{"POST", "/execute", `{"code":"print a","env_vars":{"A=B":"c"}}`, 400, "no environment variable"},
		{"POST", "/contexts", `{"language":"java"}`, 400, "not supported"},
		{"POST", "/contexts", `{"cwd":"a\u0000b"}`, 400, "no path"},
		{"DELETE", "/contexts/x", "", 404, "Context x not found"},
		{"POST", "/contexts/x/restart", "", 404, "Context x not found"},
		{"GET", "/execute", "", 405, ""},
	} {
		if status, text := w.ask(c.method, c.path, c.body); status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s %s %s: got %d %s", c.method, c.path, c.body, status, text)
		}
	}
	w.box.Authorized = false
	if status, text := w.ask("POST", "/execute", `{"code":"print a"}`); status != 401 || text != "Unauthorized" {
		t.Errorf("without the token: got %d %s", status, text)
	}
	w.box.ID = "gone"
	if status, text := w.ask("GET", "/contexts", ""); status != 502 {
		t.Errorf("of a sandbox that is gone: got %d %s", status, text)
	}
}

// line reads lines until one is of a type.
func line(t *testing.T, r *bufio.Scanner, kind string) {
	t.Helper()
	for r.Scan() {
		var l typed
		if err := json.Unmarshal(r.Bytes(), &l); err != nil {
			t.Fatalf("%q: %v", r.Text(), err)
		}
		if l.Type == kind {
			return
		}
	}
	t.Fatalf("no line of type %s came: %v", kind, r.Err())
}

// When a client goes away, its code is interrupted, and the next one has its turn.
func TestClientGoesAway(t *testing.T) {
	w := newWorld(t)
	ctx, leave := context.WithCancel(t.Context())
	res, err := w.send(ctx, "POST", "/execute", `{"code":"print on\nwait"}`)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	line(t, bufio.NewScanner(res.Body), "stdout")
	leave()
	if got := w.run("print next"); !strings.Contains(got, "next") || strings.Contains(got, aborted) {
		t.Errorf("got %s", got)
	}
	if len(w.i.turns) > 0 {
		t.Errorf("%d turns are left", len(w.i.turns))
	}
}

// In silence the client learns that the code goes on; when the sandbox ends, the answer is
// broken off.
func TestSilenceAndEnd(t *testing.T) {
	w := newWorld(t)
	over := make(chan struct{})
	w.box.Over, w.i.quiet = over, time.Millisecond
	res, err := w.send(t.Context(), "POST", "/execute", `{"code":"print on\nwait"}`)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	line(t, lines, "keepalive")
	line(t, lines, "keepalive")
	close(over)
	if _, err := io.Copy(io.Discard, res.Body); err == nil {
		t.Error("the answer ended as if it were whole")
	}
}

// Only so many wait for a context; what we broke is not described to those who ask.
func TestBoundsAndWords(t *testing.T) {
	i, p := newInterpreter(nil), place{context: "main"}
	give, _, err := i.take(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	i.turns[p].users = maxUsers
	if _, _, err := i.take(t.Context(), p); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("got %v", err)
	}
	i.turns[p].users = 1
	give()
	if len(i.turns) > 0 {
		t.Errorf("%d turns are left", len(i.turns))
	}
	w := httptest.NewRecorder()
	refuse(w, httptest.NewRequest("GET", "/", nil), errors.New("cannot read /a/secret/place"))
	if w.Code != 500 || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// A character whose bytes come one by one is one character, and each stream has its own.
func TestCharacters(t *testing.T) {
	r := httptest.NewRecorder()
	l := &lines{w: r, gone: func() {}, now: time.Now}
	for _, s := range []event.Stream{event.Stdout, event.Stderr} {
		for _, b := range []byte("aé€😀") {
			l.Emit(event.Output{Stream: s, Data: []byte{b}})
		}
	}
	l.Emit(event.Output{Stream: event.Stdout, Data: []byte{0xe2, 0x82}}) // never ends
	l.end(event.Execution{Status: event.OK, State: event.Intact}, "python")
	var texts [2]string
	for text := range strings.Lines(r.Body.String()) {
		var o outputLine
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		switch o.Type {
		case "stdout":
			texts[0] += o.Text
		case "stderr":
			texts[1] += o.Text
		}
	}
	if texts[0] != "aé€😀\uFFFD" || texts[1] != "aé€😀" {
		t.Errorf("got %q", texts)
	}
}

// What a guest says is JSON and is not does not get into a line.
func TestHostileResult(t *testing.T) {
	got, err := json.Marshal(resultOf(event.Bundle{
		"text": "'it\\'s'", "application/json": "{", "application/vnd.praxis.data+json": "[1]", "application/vnd.praxis.chart+json": `{"type": NaN}`,
		"application/vnd.x+json": "{\n}", "text/x": "{}", "application/vnd.praxis.file": "/a",
	}, true))
	const want = `{"type":"result","text":"it\\'s","extra":{"application/vnd.x+json":{},"text/x":"{}"},"is_main_result":true}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

func TestTracebacks(t *testing.T) {
	const in = "Traceback (most recent call last):\n  File \"Cell In[2]\", line 3, in <module>\n    f()\n    ~^^\n  File \"Cell In[1]\", line 2, in f\n    return 1/0\n           ~^~\n  … 2 frames in numpy, the last is g\nZeroDivisionError: division by zero\n"
	want := strings.Repeat("-", 75) + "\nZeroDivisionError                         Traceback (most recent call last)\n" +
		"Cell In[2], line 3\n----> 3 f()\nCell In[1], line 2, in f()\n----> 2 return 1/0\n  … 2 frames in numpy, the last is g\n\nZeroDivisionError: division by zero"
	if got := ipython("ZeroDivisionError", in); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := ipython("X", ""); got != "" {
		t.Errorf("of none: %q", got)
	}
}

// Whatever is sent, a request is read, or refused as the client's mistake.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"code":"1","context_id":null,"language":" JS ","env_vars":{"A":"b"},"more":1}`))
	f.Add([]byte(`{"language":"ts","cwd":"../x"}`))
	f.Add([]byte(`{"code":1}{}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		q, err := decodeExecution(data)
		if err == nil && (q.Code == nil || len(q.Language) > maxLanguage || q.Language != called(q.Language)) {
			t.Fatalf("%+v", q)
		}
		c, wrong := decodeWanted(data)
		if wrong == nil && (!filepath.IsAbs(c.Folder) || filepath.Clean(c.Folder) != c.Folder || c.Language == "") {
			t.Fatalf("%+v", c)
		}
		for _, err := range []error{err, wrong} {
			if err != nil {
				r := httptest.NewRecorder()
				if refuse(r, httptest.NewRequest("POST", "/", nil), err); r.Code != http.StatusBadRequest {
					t.Fatal(fmt.Sprint(r.Code), err)
				}
			}
		}
	})
}

// Whatever a traceback is, no line of ours is broken by it.
func FuzzTraceback(f *testing.F) {
	f.Add("Traceback (most recent call last):\n  File \"Cell In[1]\", line 1, in <module>\n    x\n")
	f.Add("  File \"Cell In[1]\", line 1\n")
	f.Fuzz(func(t *testing.T, text string) { ipython("E", text) })
}
