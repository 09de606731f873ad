package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"praxis/fault"
	"praxis/internal/tool"
)

// hostile is a server over pipes that does not do its part: in start when it is
// greeted, in list or in call. true says that nothing more comes of the request.
type hostile struct {
	name              string
	start, list, call func(l *line, id json.RawMessage, n int) bool // n counts the requests of a kind, from 1
	words             string                                        // what the caller reads; "": it works
	kind              fault.Kind
}

// forever writes texts to a client until it hangs up, one each time.
func forever(l *line, each time.Duration, text func(n int) string) bool {
	go func() {
		for n := 0; ; n++ {
			l.mu.Lock()
			_, err := l.w.Write([]byte(text(n)))
			l.mu.Unlock()
			if err != nil {
				return
			}
			time.Sleep(each)
		}
	}()
	return true
}

func silent(*line, json.RawMessage, int) bool { return true }

const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"

// habits are what a server may do instead of an answer, at any time.
func habits() map[string]func(l *line, id json.RawMessage, n int) bool {
	return map[string]func(l *line, id json.RawMessage, n int) bool{
		"is silent": silent,
		"reads nothing any more": func(l *line, _ json.RawMessage, _ int) bool {
			for l.send("") == nil {
				time.Sleep(time.Second)
			}
			return true
		},
		"writes half a line": func(l *line, id json.RawMessage, _ int) bool {
			_, _ = l.w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(id)))
			return true
		},
		"drips a line without end": func(l *line, _ json.RawMessage, _ int) bool {
			return forever(l, time.Second, func(int) string { return "{" })
		},
		"changes without end": func(l *line, _ json.RawMessage, _ int) bool {
			return forever(l, 10*time.Millisecond, func(int) string { return changed })
		},
		"reports progress without end": func(l *line, _ json.RawMessage, _ int) bool {
			return forever(l, 10*time.Millisecond, func(n int) string {
				return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"c-1","progress":%d}}`+"\n", n)
			})
		},
		"asks without end": func(l *line, _ json.RawMessage, _ int) bool {
			return forever(l, time.Second, func(n int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":"q%d","method":"roots/list"}`+"\n", n) })
		},
		"answers somebody else": func(l *line, id json.RawMessage, _ int) bool {
			return forever(l, time.Second, func(n int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":9%d,"result":{}}`+"\n", n) })
		},
	}
}

// bounds are how long the parts of a dealing with a server may last, with what it
// takes to end it.
const (
	listBound = startTimeout + listTimeout + slack
	callTime  = 10 * time.Second
	callBound = callTime + slack
	slack     = 2 * (stopGrace + lastWords + pingTimeout + closeTimeout)
)

// within fails when something lasts longer, on the clock of the bubble.
func within(t *testing.T, what string, bound time.Duration, f func()) {
	t.Helper()
	began := time.Now()
	f()
	if took := time.Since(began); took > bound {
		t.Errorf("%s took %s, more than %s", what, took, bound)
	}
}

// TestHostileServers runs servers that are silent, trickle or never end against the
// list, a call and the end. Time is that of a bubble, which also requires that no
// goroutine is left at its end. What the caller reads is one line.
func TestHostileServers(t *testing.T) {
	var all []hostile
	for name, habit := range habits() {
		all = append(all,
			hostile{name: name + " before the greeting", start: habit, words: "cannot start the MCP server fake", kind: fault.Unavailable},
			hostile{name: name + " in place of the list", list: habit, words: "cannot read the server's tools", kind: fault.Unavailable},
			hostile{name: name + " in place of a result", call: habit, words: "did not answer in time", kind: fault.Unavailable},
		)
	}
	page := func(cursor string) string {
		return fmt.Sprintf(`{"tools":%s,"nextCursor":%q}`, oneTool, cursor)
	}
	all = append(all,
		hostile{name: "has pages without end", list: func(l *line, id json.RawMessage, n int) bool {
			l.result(id, page(fmt.Sprint("p", n)))
			return true
		}},
		hostile{name: "has one page without end", list: func(l *line, id json.RawMessage, _ int) bool {
			l.result(id, page("p"))
			return true
		}},
		hostile{name: "has slow pages without end", list: func(l *line, id json.RawMessage, n int) bool {
			time.Sleep(time.Second)
			l.result(id, page(fmt.Sprint("p", n)))
			return true
		}, words: "cannot read the server's tools", kind: fault.Unavailable},
		hostile{name: "changes with each list", list: func(l *line, id json.RawMessage, n int) bool {
			_ = l.send(strings.TrimSpace(changed))
			l.result(id, fmt.Sprintf(`{"tools":%s}`, strings.Replace(oneTool, "again", fmt.Sprint("again ", n), 1)))
			return true
		}, words: "changed its definition", kind: fault.Conflict},
		hostile{name: "says that it changes with each list", list: func(l *line, id json.RawMessage, _ int) bool {
			l.result(id, `{"tools":`+oneTool+`}`)
			_ = l.send(strings.TrimSpace(changed))
			return true
		}},
		hostile{name: "takes its tools back", list: func(l *line, id json.RawMessage, n int) bool {
			if n > 1 {
				l.result(id, `{"tools":[]}`)
				return true
			}
			l.result(id, `{"tools":`+oneTool+`}`)
			_ = l.send(strings.TrimSpace(changed))
			return true
		}, words: "took the tool back", kind: fault.Conflict},
		hostile{name: "ends with each greeting", start: func(l *line, _ json.RawMessage, _ int) bool { l.die(); return true }, words: "cannot start the MCP server fake", kind: fault.Unavailable},
		hostile{name: "ends with each list", list: func(l *line, _ json.RawMessage, _ int) bool { l.die(); return true }, words: "the server ended", kind: fault.Unavailable},
		hostile{name: "ends with each call", call: func(l *line, _ json.RawMessage, _ int) bool { l.die(); return true }, words: "the server ended", kind: fault.Unavailable},
		hostile{name: "ends in the middle of a line", call: func(l *line, id json.RawMessage, _ int) bool {
			_, _ = l.w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":{"content":[`))
			l.die()
			return true
		}, words: "the server ended", kind: fault.Unavailable},
	)
	for _, h := range all {
		t.Run(h.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { h.run(t) })
		})
	}
}

// run deals with a server from the list to the end.
func (h *hostile) run(t *testing.T) {
	f := newFake(oneTool)
	count := map[string]int{}
	f.greet = func(l *line, id json.RawMessage) bool {
		count["start"]++
		return h.start != nil && h.start(l, id, count["start"])
	}
	f.list = func(l *line, id json.RawMessage, _ string) bool {
		count["list"]++
		return h.list != nil && h.list(l, id, count["list"])
	}
	answered := f.call
	f.call = func(l *line, id json.RawMessage, name string, params json.RawMessage) {
		count["call"]++
		if h.call == nil || !h.call(l, id, count["call"]) {
			answered(l, id, name, params)
		}
	}
	s, err := Open(context.Background(), Config{Name: "fake", Spec: object(t, `{"command": ["fake"], "sandbox": true}`), Sandbox: f})
	if err != nil {
		t.Fatal(err)
	}
	var tools []tool.Provided
	within(t, "the list", listBound, func() { tools, err = s.Tools(context.Background()) })
	if err == nil {
		l := defined(t, tools)
		synctest.Wait() // for what the server says after the list
		within(t, "the call", callBound, func() {
			_, err = l.call(soonDone(t, callTime), "fake.echo", `{}`)
		})
	}
	switch {
	case h.words == "" && err != nil:
		t.Errorf("got %v", err)
	case h.words != "" && (fault.KindOf(err) != h.kind || !strings.Contains(err.Error(), h.words) || strings.ContainsAny(err.Error(), "\n") || len(err.Error()) > 1000):
		t.Errorf("got %v, %v (%d tools); want one line with %q", fault.KindOf(err), err, len(tools), h.words)
	}
	if n := len(s.Problems()); n > 1 {
		t.Errorf("%d problems: %q", n, s.Problems())
	}
	within(t, "the end", slack, func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	time.Sleep(time.Minute) // until the last of the server has noticed that nobody reads
}

// pipes are a network within a bubble.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// webHabits are what a server may do instead of an answer over HTTP.
func webHabits() map[string]func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
	drip := func(kind string, each time.Duration, text string) func(http.ResponseWriter, *http.Request, json.RawMessage) {
		return func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			w.Header().Set("Content-Type", kind)
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, text); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				time.Sleep(each)
			}
		}
	}
	hang := func(_ http.ResponseWriter, r *http.Request, _ json.RawMessage) { <-r.Context().Done() }
	const events, plain = "text/event-stream", "application/json"
	return map[string]func(http.ResponseWriter, *http.Request, json.RawMessage){
		"is silent":                     hang,
		"drips JSON without end":        drip(plain, time.Second, "{"),
		"drips an event without end":    drip(events, time.Second, "data: {\n"),
		"drips half a line without end": drip(events, time.Second, "data"),
		"comments without end":          drip(events, time.Second, ": x\n\n"),
		"changes without end":           drip(events, 10*time.Millisecond, "data: "+changed+"\n"),
		"opens a stream and is silent": func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
			stream(w, "")
			hang(w, r, id)
		},
		"hints at more without end": func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			for r.Context().Err() == nil {
				w.WriteHeader(http.StatusEarlyHints)
				time.Sleep(time.Second)
			}
		},
		"loses the stream each time": func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) {
			stream(w, "id: 1\nretry: 10\ndata:\n\n")
		},
	}
}

// TestHostileServersOverHTTP is TestHostileServers over HTTP. A server that is silent is
// silent at the end of a session, too.
func TestHostileServersOverHTTP(t *testing.T) {
	for name, habit := range webHabits() {
		for _, at := range []string{"initialize", "notifications/initialized", "tools/list", "tools/call", http.MethodGet, http.MethodDelete} {
			t.Run(name+" at "+at, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { hostileWeb(t, at, habit) })
			})
		}
	}
}

func hostileWeb(t *testing.T, at string, habit func(http.ResponseWriter, *http.Request, json.RawMessage)) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		var m message
		method := r.Method
		if method == http.MethodPost {
			if data, err := io.ReadAll(r.Body); err != nil || json.Unmarshal(data, &m) != nil || m.Method == nil {
				w.WriteHeader(http.StatusAccepted)
				return
			}
			method = *m.Method
		}
		answer := func(result string) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
		}
		switch {
		case method == at || r.Header.Get("Last-Event-ID") != "":
			habit(w, r, m.ID)
		case method == "initialize":
			w.Header().Set("Mcp-Session-Id", "s")
			answer(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"web","version":"1.0.0"}}`)
		case method == "tools/list":
			answer(`{"tools":` + oneTool + `}`)
		case method == "tools/call":
			answer(`{"content":[{"type":"text","text":"here"}]}`)
		case method == http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}
	network := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: http.HandlerFunc(handler)}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(network) }()

	s, err := Open(context.Background(), Config{Name: "web", Spec: object(t, `{"url": "http://mcp.example.com/"}`)})
	if err != nil {
		t.Fatal(err)
	}
	s.dial = network.dial
	var tools []tool.Provided
	within(t, "the list", listBound, func() { tools, err = s.Tools(context.Background()) })
	if err == nil {
		l := defined(t, tools)
		synctest.Wait()
		var got any
		within(t, "the call", callBound, func() { got, err = l.call(soonDone(t, callTime), "web.echo", `{}`) })
		if err == nil && got != "here" {
			t.Errorf("got %v", got)
		}
	}
	works := at == http.MethodGet || at == http.MethodDelete
	if err != nil && (fault.KindOf(err) != fault.Unavailable || strings.Contains(err.Error(), "\n") || len(err.Error()) > 1000) || works && err != nil || !works && err == nil && at != "notifications/initialized" {
		t.Errorf("got %v, %v", fault.KindOf(err), err)
	}
	within(t, "the end", slack, func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	<-served
	time.Sleep(time.Minute) // until the last of the server has noticed that nobody reads
}
