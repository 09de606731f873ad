package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/fault"
	"praxis/internal/tool"
)

func openURL(t testing.TB, url, more string) *Server {
	t.Helper()
	spec := `{"url": "` + url + `"`
	if more != "" {
		spec += ", " + more
	}
	s, err := Open(context.Background(), Config{Name: "web", Spec: object(t, spec+"}"), Secrets: secretMap{"KEY": "canary-4711", "BAD": "a\nb"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

type addIn struct {
	A, B int
}
type addOut struct {
	Sum int `json:"sum"`
}

// realServer is the SDK's own server with a tool.
func realServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "real", Version: "2.1.0"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "add", Description: "Adds.", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *sdk.CallToolRequest, in addIn) (*sdk.CallToolResult, addOut, error) {
			if in.A < 0 {
				return nil, addOut{}, errors.New("a is negative")
			}
			return nil, addOut{in.A + in.B}, nil
		})
	return s
}

func TestSDKServerOverHTTP(t *testing.T) {
	for _, options := range []*sdk.StreamableHTTPOptions{nil, {JSONResponse: true}, {Stateless: true}} {
		t.Run(fmt.Sprintf("%+v", options), func(t *testing.T) {
			server := realServer()
			var methods sync.Map
			h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, options)
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				methods.Store(r.Method, r.Header.Get("Authorization"))
				h.ServeHTTP(w, r)
			}))
			defer web.Close()
			s := openURL(t, web.URL+"/mcp", `"headers": {"Authorization": "Bearer {secret:KEY}"}`)
			l := load(t, s)
			d := l.defs["web.add"]
			if d == nil || d.Effects != tool.Read || d.Version != "2.1.0" {
				t.Fatalf("got %+v", d)
			}
			ctx := soonDone(t, 40*time.Second)
			got, err := l.call(ctx, "web.add", `{"A": 2, "B": 40}`)
			if err != nil || show(t, got) != `{"sum":42}` {
				t.Fatalf("got %v, %v", got, err)
			}
			if err := d.CheckResult(got); err != nil {
				t.Error(err)
			}
			if _, err := l.call(ctx, "web.add", `{"A": -2, "B": 40}`); err == nil || err.Error() != "web.add failed: a is negative" {
				t.Errorf("got %v", err)
			}
			if options == nil || !options.Stateless {
				for len(s.Changed()) > 0 {
					<-s.Changed()
				}
				server.AddTool(&sdk.Tool{Name: "more", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
					return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "more"}}}, nil
				})
				select {
				case <-s.Changed():
				case <-ctx.Done():
					t.Fatal("no change was reported")
				}
				if got, err := load(t, s).call(ctx, "web.more", `{}`); got != "more" {
					t.Errorf("got %v, %v", got, err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				if v, ok := methods.Load(http.MethodDelete); !ok || v != "Bearer canary-4711" {
					t.Error("the session was not ended")
				}
			}
			if v, _ := methods.Load(http.MethodPost); v != "Bearer canary-4711" {
				t.Errorf("the header was %v", v)
			}
		})
	}
}

// web is a server over HTTP whose answers are written by hand.
type web struct {
	*httptest.Server
	call     func(w http.ResponseWriter, r *http.Request, id json.RawMessage)
	get      http.HandlerFunc
	sessions atomic.Int64
	posts    atomic.Int64
}

func newWeb(t testing.TB) *web {
	x := &web{}
	x.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodDelete:
			return
		case r.Method == http.MethodGet && x.get != nil:
			x.get(w, r)
			return
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		x.posts.Add(1)
		var m message
		if data, err := io.ReadAll(r.Body); err != nil || json.Unmarshal(data, &m) != nil || m.Method == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := func(result string) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
		}
		switch *m.Method {
		case "initialize":
			w.Header().Set("Mcp-Session-Id", fmt.Sprint("s", x.sessions.Add(1)))
			answer(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1.0.0"}}`)
		case "tools/list":
			answer(`{"tools":` + oneTool + `}`)
		case "tools/call":
			x.call(w, r, m.ID)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(x.Close)
	return x
}

func stream(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, text)
	w.(http.Flusher).Flush()
}

func event(id json.RawMessage, text string) string {
	return fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"id\":%s,\ndata:  \"result\":{\"content\":[{\"type\":\"text\",\"text\":%q}]}}\n\n", id, text)
}

func TestHostileHTTP(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another host was asked, with %q", r.Header.Get("X-Key"))
	}))
	defer elsewhere.Close()
	long := strings.Repeat("x", maxMessage+10)
	cases := []struct {
		name string
		call func(w http.ResponseWriter, r *http.Request, id json.RawMessage)
		want any
		kind fault.Kind
		text string
	}{
		{"events", func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
			stream(w, ": hello\nretry: 5\nevent: other\ndata: {}\n\nid: 1\ndata:\n\n"+event(json.RawMessage("99"), "wrong")+event(id, "right"))
		}, "right", 0, ""},
		{"redirect elsewhere", func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, nil, fault.Denied, "redirects to"},
		{"redirect to https", func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			http.Redirect(w, r, "https://"+r.Host+"/", http.StatusTemporaryRedirect)
		}, nil, fault.Denied, "redirects to"},
		{"redirect in circles", func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			http.Redirect(w, r, "/again", http.StatusTemporaryRedirect)
		}, nil, fault.Unavailable, "redirects more than"},
		{"refused", func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			http.Error(w, "who are you? "+r.Header.Get("X-Key"), http.StatusUnauthorized)
		}, nil, fault.Denied, "refuses access: 401"},
		{"bad day", func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			http.Error(w, r.Header.Get("X-Key"), http.StatusBadGateway)
		}, nil, fault.Unavailable, "Bad Gateway"},
		{"gigantic body", func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[],"x":%q}}`, id, long)
		}, nil, fault.Exhausted, "more than 16777216 bytes"},
		{"gigantic event", func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
			stream(w, event(id, long))
		}, nil, fault.Exhausted, "more than 16777216 bytes"},
		{"endless event", func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			stream(w, "")
			for r.Context().Err() == nil {
				stream(w, "data: "+strings.Repeat("y", 1<<20)+"\n")
			}
		}, nil, fault.Exhausted, "more than 16777216 bytes"},
		{"flood", func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			for r.Context().Err() == nil {
				stream(w, strings.Repeat("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n", 100))
			}
		}, nil, fault.Exhausted, "floods"},
		{"flood of comments", func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			for r.Context().Err() == nil {
				stream(w, strings.Repeat(": x\n\n", 1000))
			}
		}, nil, fault.Exhausted, "floods"},
		{"no answer in the stream", func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) {
			stream(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n")
		}, nil, fault.Unavailable, "terminated without response"},
		{"garbage", func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "<html>")
		}, nil, fault.Unavailable, ""},
		{"another type", func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) {
			fmt.Fprint(w, "<html>")
		}, nil, fault.Unavailable, "unsupported content type"},
		{"another id", func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			stream(w, event(json.RawMessage("12345"), "wrong"))
			<-r.Context().Done()
		}, nil, fault.Unavailable, "did not answer in time"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			x := newWeb(t)
			var hostile atomic.Bool
			hostile.Store(true)
			x.call = func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
				if hostile.Load() {
					c.call(w, r, id)
					return
				}
				stream(w, event(id, "again"))
			}
			l := load(t, openURL(t, x.URL, `"headers": {"X-Key": "{secret:KEY}"}`))
			patience := 40 * time.Second
			if c.text == "did not answer in time" {
				patience = 200 * time.Millisecond
			}
			got, err := l.call(soonDone(t, patience), "web.echo", `{}`)
			switch {
			case c.kind == 0:
				if err != nil || got != c.want {
					t.Errorf("got %v, %v", got, err)
				}
			case fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "4711"):
				t.Errorf("got %v, %v (%v); want %v with %q", got, err, fault.KindOf(err), c.kind, c.text)
			}
			hostile.Store(false)
			if got, err := l.call(soonDone(t, 40*time.Second), "web.echo", `{}`); got != "again" {
				t.Errorf("the next call: got %v, %v", got, err)
			}
		})
	}
}

func TestLostSessionIsMadeAnew(t *testing.T) {
	x := newWeb(t)
	x.call = func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
		if r.Header.Get("Mcp-Session-Id") == "s1" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"Session not found"}}`, id)
			return
		}
		stream(w, event(id, "second"))
	}
	l := load(t, openURL(t, x.URL, ""))
	if got, err := l.call(soonDone(t, 40*time.Second), "web.echo", `{}`); got != "second" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestLostStreamGoesOn(t *testing.T) {
	x := newWeb(t)
	var call atomic.Pointer[json.RawMessage]
	x.call = func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
		call.Store(&id)
		stream(w, "id: here-1\nretry: 10\ndata:\n\n")
	}
	x.get = func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") != "here-1" {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		stream(w, event(*call.Load(), "late"))
	}
	l := load(t, openURL(t, x.URL, ""))
	if got, err := l.call(soonDone(t, 40*time.Second), "web.echo", `{}`); got != "late" {
		t.Errorf("got %v, %v", got, err)
	}
}

// A server that never opens the stream on which it would speak unasked.
func TestServerThatDoesNotListen(t *testing.T) {
	t.Parallel()
	x := newWeb(t)
	x.call = func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) { stream(w, event(id, "received")) }
	x.get = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	if _, err := openURL(t, x.URL, "").Tools(soonDone(t, 200*time.Millisecond)); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("out of time: got %v", err)
	}
	l := load(t, openURL(t, x.URL, ""))
	if got, err := l.call(soonDone(t, 40*time.Second), "web.echo", `{}`); got != "received" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestCanceledHTTPCallEnds(t *testing.T) {
	x := newWeb(t)
	called := make(chan struct{})
	over := make(chan struct{})
	x.call = func(_ http.ResponseWriter, r *http.Request, _ json.RawMessage) {
		close(called)
		<-r.Context().Done()
		close(over)
	}
	l := load(t, openURL(t, x.URL, ""))
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-called; cancel() }()
	if _, err := l.call(ctx, "web.echo", `{}`); fault.KindOf(err) != fault.Canceled {
		t.Errorf("got %v", err)
	}
	select {
	case <-over:
	case <-soonDone(t, 40*time.Second).Done():
		t.Error("the request goes on")
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	_, err := openURL(t, gone.URL+"/?key=1", "").Tools(soonDone(t, 40*time.Second))
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "cannot start the MCP server web") {
		t.Errorf("got %v", err)
	}
}

func TestHeaderWithALineBreak(t *testing.T) {
	x := newWeb(t)
	_, err := openURL(t, x.URL, `"headers": {"X": "{secret:BAD}"}`).Tools(soonDone(t, 40*time.Second))
	if fault.KindOf(err) != fault.Invalid || x.posts.Load() > 0 {
		t.Errorf("got %v after %d requests", err, x.posts.Load())
	}
}

func FuzzEvents(f *testing.F) {
	f.Add("id: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
	f.Add(": c\nretry: 3\nevent: x\ndata: a\ndata: b\n\n\n\ndata")
	f.Fuzz(func(t *testing.T, data string) {
		e := &edge{in: &inbound{changed: func() {}, say: func(string) {}}, fail: func(error) {}}
		body := &eventBody{events: bufio.NewReader(strings.NewReader(data)), body: io.NopCloser(nil), e: e}
		out, err := io.ReadAll(body)
		if err != nil {
			t.Skip()
		}
		for line := range strings.Lines(string(out)) {
			if line == "\n" {
				continue
			}
			if name, _, ok := strings.Cut(line, ": "); !ok || (name != "data" && name != "id" && name != "retry") {
				t.Errorf("%q became %q", data, out)
			}
		}
	})
}
