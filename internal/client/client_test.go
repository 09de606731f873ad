package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
)

// open returns a client of a server that answers as h says.
func open(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	c, err := New(Config{URL: web.URL, Key: "praxis_secret"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// send writes events as a server does, numbered from after+1.
func send(w http.ResponseWriter, after, upTo int) {
	for n := after + 1; n <= upTo; n++ {
		fmt.Fprintf(w, "id: %d\nevent: output\ndata: {\"stream\":\"stdout\",\"text\":\"%d \"}\n\n", n, n)
	}
	_ = http.NewResponseController(w).Flush()
}

// A connection that breaks is taken up again behind the event that was seen last, in the
// middle of an event, too, and no event is missed or seen twice.
func TestConnectionLost(t *testing.T) {
	var connections atomic.Int32
	c := open(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			fmt.Fprint(w, `{"id":"r-1"}`)
		case r.URL.Path != "/v1/runs/r-1/events":
			http.NotFound(w, r)
		default:
			after := 0
			_, _ = fmt.Sscan(r.Header.Get("Last-Event-ID"), &after)
			switch connections.Add(1) {
			case 1:
				send(w, 0, 2)
				fmt.Fprint(w, "id: 3\nevent: output\ndata: {\"stream\"")
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			case 2:
				http.Error(w, "a proxy has nobody behind it", http.StatusBadGateway)
			case 3:
				send(w, after-1, 4) // one of them twice
				fmt.Fprint(w, ": still there\n\n")
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			default:
				fmt.Fprint(w, "event: lost\ndata: {\"events\":0}\n\n")
				send(w, after, 5)
				fmt.Fprint(w, "event: end\ndata: {\"id\":\"r-1\",\"ended\":true,\"record\":\"rec\",\"code\":{\"execution\":{\"status\":\"ok\"}}}\n\n")
			}
		}
	})
	var seen, notice string
	out, err := c.RunCode(t.Context(), app.CodeRequest{Code: "x"}, event.SinkFunc(func(e event.Event) {
		switch e := e.(type) {
		case event.Output:
			seen += string(e.Data)
		case event.Notice:
			notice += e.Text
		}
	}))
	if err != nil || out.Run != "rec" || out.Execution.Status != event.OK || seen != "1 2 3 4 5 " || connections.Load() != 4 {
		t.Errorf("got %+v, %v; saw %q in %d connections", out, err, seen, connections.Load())
	}
	if !strings.Contains(notice, "started anew") {
		t.Errorf("it was said: %q", notice)
	}
}

// Who gives up has the server interrupt the work, and gets what came of it.
func TestInterrupted(t *testing.T) {
	cancelled := make(chan struct{})
	c := open(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/cancel"):
			close(cancelled)
			fmt.Fprint(w, `{}`)
		case r.Method == http.MethodPost:
			fmt.Fprint(w, `{"id":"r-1"}`)
		default:
			send(w, 0, 1)
			<-cancelled
			fmt.Fprint(w, "event: end\ndata: {\"record\":\"rec\",\"answer\":{\"steps\":1},\"failure\":{\"kind\":\"canceled\",\"message\":\"given up\"}}\n\n")
		}
	})
	ctx, stop := context.WithCancel(t.Context())
	out, err := c.Ask(ctx, app.AskRequest{Question: "x"}, event.SinkFunc(func(event.Event) { stop() }))
	if fault.KindOf(err) != fault.Canceled || out.Run != "rec" || out.Steps != 1 {
		t.Errorf("got %+v, %v", out, err)
	}
}

// The key is sent to the server that was named, and to no other, and stands in no error.
func TestKeyStays(t *testing.T) {
	var others atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { others.Add(1) }))
	defer other.Close()
	for name, h := range map[string]http.HandlerFunc{
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		},
		"a page": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, r.Header.Get("Authorization"), http.StatusForbidden)
		},
		"no JSON": func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Header.Get("Authorization")) },
		"nothing": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		_, err := open(t, h).ListImages(t.Context())
		if f := fault.Of(err); err == nil || strings.Contains(f.Message+f.Remedy, "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if others.Load() != 0 {
		t.Error("a redirect was followed")
	}
	if text := fmt.Sprintf("%+v", errors.Join(must(New(Config{URL: "http://a/?x", Key: "praxis_secret"})))); strings.Contains(text, "secret") {
		t.Error(text)
	}
}

func must(_ *Client, err error) error { return err }

// A server is vouched for by the certificates that were named, and by no others.
func TestCertificates(t *testing.T) {
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"images":[]}`) }))
	web.Config.ErrorLog = log.New(io.Discard, "", 0) // that it is refused is wanted
	web.StartTLS()
	defer web.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for ca, good := range map[string]bool{file: true, "": false} {
		c, err := New(Config{URL: web.URL, Key: "praxis_secret", CA: ca})
		if err == nil {
			_, err = c.ListImages(t.Context())
		}
		if (err == nil) != good {
			t.Errorf("with %q: %v", ca, err)
		}
	}
	if err := os.WriteFile(file, []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Config{URL: web.URL, Key: "praxis_secret", CA: file}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("without certificates: %v", err)
	}
}

// A name cannot lead out of its place in a path.
func TestNamesInPaths(t *testing.T) {
	var path string
	c := open(t, func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.EscapedPath()
		w.WriteHeader(http.StatusNoContent)
	})
	for name, want := range map[string]string{"..": "", ".": "", "": "", "a/b": "/v1/sessions/a%2Fb", "x?y#z": "/v1/sessions/x%3Fy%23z"} {
		path = ""
		err := c.RemoveSession(t.Context(), name)
		if path != want || (err == nil) != (want != "") {
			t.Errorf("%q: asked for %q, %v", name, path, err)
		}
	}
}

// Files that are longer than a request may be are refused before anything is sent.
func TestFilesAreBounded(t *testing.T) {
	c := open(t, func(http.ResponseWriter, *http.Request) { t.Error("it was asked") })
	big := app.Input{Name: "big", Open: func() (io.ReadCloser, error) { return io.NopCloser(io.LimitReader(zeros{}, maxGiven+1)), nil }}
	if _, err := c.RunCode(t.Context(), app.CodeRequest{Code: "x", Files: []app.Input{big}}, event.Discard); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("got %v", err)
	}
}

type zeros struct{}

// Read reads zeros.
func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func FuzzMessage(f *testing.F) {
	f.Add([]byte("id: 1\nevent: output\ndata: {}\n\n"))
	f.Add([]byte(": still there\n\n"))
	f.Add([]byte("data: a\ndata: b\r\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		from := bufio.NewReader(bytes.NewReader(data))
		for {
			m, err := readMessage(from)
			if err != nil {
				return
			}
			if m.id < 0 || bytes.Contains(data, []byte("event: ")) && len(m.data) > len(data) {
				t.Fatalf("read %+v", m)
			}
		}
	})
}

func FuzzProblem(f *testing.F) {
	f.Add([]byte(`{"kind":"conflict","code":"session_exists","detail":"cannot","data":{"name":"x"}}`))
	f.Add([]byte(`{"kind":"none"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p := decodeProblem(data); p != nil && (p.Kind == 0 || strings.ContainsAny(p.Message, "\x1b\x00")) {
			t.Fatalf("read %+v", p)
		}
	})
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte("x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = unpack(bytes.NewReader(data), func(name string, from io.Reader) error {
			if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "../") {
				t.Fatalf("a file is called %q", name)
			}
			return nil
		})
	})
}

func FuzzRecorded(f *testing.F) {
	f.Add([]byte(`{"id":"a","events":[{"seq":1,"event":"step_began","data":{"step":1}}],"children":[{"id":"b"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r api.Recorded
		if json.Unmarshal(data, &r) == nil {
			if out, err := recorded(r, 0); err == nil && len(out.Records) != len(r.Events) {
				t.Fatal("events are missing")
			}
		}
	})
}

// What a server says of images, sessions and rules is shown as it stands: nothing in it is hidden.
func TestResultsAreClean(t *testing.T) {
	c := open(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/images":
			fmt.Fprint(w, `{"id": "0123456789abcdef", "name": "a\u001b[2J", "runtimes": [{"language": "\u202e"}], "packages": [{"name": "\u0007"}]}`)
		case "/v1/policies/explain":
			fmt.Fprint(w, `{"policy": {"rules": [{"name": "\u001b", "decision": "deny"}], "tools": [{"tool": "\u009b", "rules": ["\u001b"]}]}}`)
		case "/v1/sessions/prune":
			fmt.Fprint(w, `{"sessions": [{"name": "\u001b", "steps": [{"Why": "\u001b", "why": "\u001b"}]}]}`)
		case "/v1/sessions/s/rollback", "/v1/notes/n":
			fmt.Fprint(w, `{"id": "\u001b"}`)
		case "/v1/keys":
			fmt.Fprint(w, `{"id": "\u001b", "key": "\u001b", "keys": [{"id": "\u001b"}]}`)
		case "/v1/records/r":
			fmt.Fprint(w, `{"run": "\u001b"}`)
		case "/v1/models":
			fmt.Fprint(w, `{"providers": [{"provider": "\u001b"}]}`)
		default:
			fmt.Fprint(w, `{}`)
		}
	})
	file := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(file, []byte("version: 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	image, err1 := c.BuildImage(t.Context(), app.SessionSpec{}, event.Discard)
	rules, err2 := c.ExplainPolicy(t.Context(), app.PolicyQuery{File: file}, event.Discard)
	pruned, err3 := c.PruneSessions(t.Context(), app.PruneRequest{})
	head, err4 := c.RollbackSession(t.Context(), "s", "")
	note, err5 := c.RemoveNote(t.Context(), "n")
	key, made, err6 := c.AddKey(t.Context(), access.Key{})
	keys, err7 := c.ListKeys(t.Context())
	run, err8 := c.RemoveRun(t.Context(), "r")
	models, err9 := c.ListModels(t.Context())
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7, err8, err9); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%+v %+v %+v", image, rules, pruned) + fmt.Sprint(head, note, key, made, keys, run, models)
	if strings.ContainsAny(text, "\x1b\x07\u009b\u202e") || !strings.Contains(text, `a\x1b[2J`) || len(rules.Tools) != 1 || len(pruned) != 1 {
		t.Errorf("got %q", text)
	}
}
