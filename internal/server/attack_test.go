package server

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// listening is a server that listens itself, as it does for users: the bounds of connections
// hold. Its answers are read from the socket, since a client would tidy up what is sent.
func listening(t *testing.T, wait patience) *world {
	t.Helper()
	cfg := config(t.TempDir())
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.wait = wait
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, nil) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return &world{T: t, s: s, home: cfg.Home, web: &httptest.Server{URL: "http://" + l.Addr().String()}}
}

// dial opens a connection to the server.
func (w *world) dial() net.Conn {
	w.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.web.URL, "http://"))
	if err != nil {
		w.Fatal(err)
	}
	return conn
}

// exchange sends bytes, and returns what the server says until it closes the connection.
func (w *world) exchange(text string) string {
	w.Helper()
	conn := w.dial()
	defer conn.Close()
	_, _ = io.WriteString(conn, text) // it may be refused before it is sent
	answer, _ := io.ReadAll(conn)     // a connection that is reset is over, too
	return string(answer)
}

// statusOf is the status of the first answer, "": there is none.
func statusOf(answer string) string {
	_, rest, _ := strings.Cut(answer, " ")
	status, _, _ := strings.Cut(rest, " ")
	return status
}

// What could be read in two ways is refused, or is the last that its connection may say: nothing
// that a proxy took for a part of it is answered as a request of its own.
func TestSmuggling(t *testing.T) {
	w := listening(t, usual())
	const hidden = "GET /hidden HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
	const line = "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\n"
	for name, tt := range map[string]struct{ send, want string }{
		"both lengths":                 {line + "Content-Length: 71\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "401"},
		"both, the other way round":    {line + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", "401"},
		"two lengths":                  {line + "Content-Length: 0\r\nContent-Length: 66\r\n\r\n", "400"},
		"a list of lengths":            {line + "Content-Length: 0, 66\r\n\r\n", "400"},
		"a signed length":              {line + "Content-Length: +0\r\n\r\n", "400"},
		"a length that is folded":      {line + "Content-Length: 0\r\n 66\r\n\r\n", "400"},
		"a space before the colon":     {line + "Content-Length : 66\r\n\r\n", "400"},
		"a coding that is folded":      {line + "Transfer-Encoding:\r\n chunked\r\nContent-Length: 71\r\n\r\n0\r\n\r\n", "401"},
		"an unknown coding":            {line + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "501"},
		"a coding behind chunked":      {line + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", "501"},
		"two codings":                  {line + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", "501"},
		"a coding with a control":      {line + "Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n", ""},
		"a coding in the old protocol": {"POST /v1/sessions HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", "401"},
		"a chunk of no size":           {line + "Transfer-Encoding: chunked\r\n\r\nz\r\n\r\n", "401"},
		"a chunk that does not end":    {line + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n", "401"},
		"a header that begins folded":  {"POST /v1/sessions HTTP/1.1\r\n Host: localhost\r\n\r\n", "400"},
		"no protocol":                  {"GET /healthz\r\n\r\n", "400"},
		"a line break in the target":   {"GET /healthz\nX: y HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"},
	} {
		got := w.exchange(tt.send + hidden)
		if n := strings.Count(got, "HTTP/1."); n != 1 || strings.Contains(got, "hidden") || tt.want != "" && statusOf(got) != tt.want {
			t.Errorf("%s: want one answer, %s, got %s", name, tt.want, got)
		}
	}
	if got := w.exchange(line + "Content-Length: 5\r\n\r\n0\r\n\r\n" + hidden); strings.Count(got, "HTTP/1.") != 2 {
		t.Errorf("two requests that can be read in one way: got %s", got)
	}
}

// A request is for a name of this server, however it names it.
func TestTargets(t *testing.T) {
	w := listening(t, usual())
	const end = "Connection: close\r\n\r\n"
	for name, tt := range map[string]struct{ send, want string }{
		"another name":               {"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n" + end, "421"},
		"a name with ours before":    {"GET /healthz HTTP/1.1\r\nHost: localhost.evil.example\r\n" + end, "421"},
		"a name with a user":         {"GET /healthz HTTP/1.1\r\nHost: localhost@evil.example\r\n" + end, "400"},
		"another name in the target": {"GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n" + end, "421"},
		"our name in the target":     {"GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n" + end, "200"},
		"a connection to another":    {"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n" + end, "421"},
		"a connection to us":         {"CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n" + end, "404"},
		"no target":                  {"OPTIONS * HTTP/1.1\r\nHost: evil.example\r\n" + end, "421"},
		"no name":                    {"GET /healthz HTTP/1.1\r\n" + end, "400"},
		"two names":                  {"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n" + end, "400"},
		"a name of no form":          {"GET /healthz HTTP/1.1\r\nHost: local\x01host\r\n" + end, "400"},
	} {
		if got := w.exchange(tt.send); statusOf(got) != tt.want || strings.Contains(got, "Location:") {
			t.Errorf("%s: want %s, got %s", name, tt.want, got)
		}
	}
	for _, path := range []string{"//evil.example", "//evil.example/..", "//evil.example/%2e%2e", `/\evil.example/..`, "/v1//evil.example/", "/.//evil.example", "/v1/..//evil.example"} {
		got := w.exchange("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + end)
		_, to, moved := strings.Cut(got, "Location: ")
		if moved && (!strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.HasPrefix(to, `/\`)) {
			t.Errorf("%s leads elsewhere: %s", path, got)
		}
	}
}

// Who does not say what there is to say in time, or says too much, is cut off, with a key or
// without one.
func TestSlowClients(t *testing.T) {
	w := listening(t, usual())
	const line = "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\n"
	if got := w.exchange(line + "X-Long: " + strings.Repeat("x", 2*maxHeader) + "\r\n\r\n"); statusOf(got) != "431" {
		t.Errorf("a huge header: got %s", got)
	}
	if got := w.exchange(line + strings.Repeat("X-Many: x\r\n", maxHeader/4) + "\r\n"); statusOf(got) != "431" {
		t.Errorf("many headers: got %s", got)
	}
	w = listening(t, patience{header: 50 * time.Millisecond, body: 50 * time.Millisecond, idle: 50 * time.Millisecond})
	key := w.key("default")
	for name, text := range map[string]string{
		"nothing":                  "",
		"a part of a header":       line + "Content-",
		"a body without a key":     line + "Content-Length: 100\r\n\r\nabc",
		"chunks without a key":     line + "Transfer-Encoding: chunked\r\n\r\n1\r\n",
		"a body":                   line + "Authorization: Bearer " + key + "\r\nContent-Length: 1000000000000\r\n\r\n{",
		"a body for another host":  "POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 100\r\n\r\nabc",
		"a body that is announced": line + "Authorization: Bearer " + key + "\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n",
		"another request":          "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		if got := w.exchange(text); strings.Contains(got, " 201 ") { // that it ends is what is tested
			t.Errorf("%s: got %s", name, got)
		}
	}
	// A header that grows slowly is not waited for longer.
	conn := w.dial()
	defer conn.Close()
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = io.Copy(io.Discard, conn) // it ends when the server closes it
	}()
	for {
		_, _ = io.WriteString(conn, "G") // a connection that is closed shows above
		select {
		case <-over:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// A page of another origin gets no leave to ask, and opens no socket, even with a key.
func TestOtherOrigins(t *testing.T) {
	w := newWorld(t)
	key := w.key("default")
	for _, path := range []string{"/v1/sessions", "/rpc", "/openai/v1/models", "/healthz", "/v1/openapi.json"} {
		for _, method := range []string{"OPTIONS", "GET"} {
			r := w.request(key, method, path, nil)
			r.Header.Set("Origin", "http://evil.example")
			r.Header.Set("Access-Control-Request-Method", "POST")
			r.Header.Set("Access-Control-Request-Headers", "authorization")
			r.Header.Set("Access-Control-Request-Private-Network", "true")
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			for name := range res.Header {
				if strings.HasPrefix(name, "Access-Control-") || name == "Set-Cookie" {
					t.Errorf("%s %s: got the header %s", method, path, name)
				}
			}
			if method == "OPTIONS" && res.StatusCode < 400 {
				t.Errorf("%s %s: status %d", method, path, res.StatusCode)
			}
		}
	}
	for origin, want := range map[string]int{"http://evil.example": 403, "null": 403, "http://localhost.evil.example": 403, w.web.URL: 101} {
		header := http.Header{"Authorization": {"Bearer " + key}, "Origin": {origin}}
		conn, res, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.web.URL, "http")+"/rpc", &websocket.DialOptions{HTTPHeader: header})
		if err == nil {
			conn.CloseNow()
		}
		if res == nil || res.StatusCode != want {
			t.Errorf("a socket for %s: %v", origin, res)
		}
	}
}

// What reaches a session over a port is one request that can be read in one way.
func TestPortsSmuggling(t *testing.T) {
	w := listening(t, usual())
	key := w.key("default")
	w.must(key, "POST", "/v1/sessions", object{"id": "s"}, 201)
	p := w.must(key, "POST", "/v1/sessions/s/ports", object{"port": 80}, 201)
	line := fmt.Sprintf("POST / HTTP/1.1\r\nHost: %s\r\nX-Praxis-Port-Token: %s\r\n", p["host"], p["token"])
	got := w.exchange(line + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /hidden HTTP/1.1\r\n" + line[strings.Index(line, "Host"):] + "\r\n")
	if statusOf(got) != "200" || strings.Contains(got, "Content-Length: 6") || strings.Contains(got, "hidden") || strings.Count(got, "HTTP/1.1 200") != 1 {
		t.Errorf("got %s", got)
	}
	if got := w.exchange(line + "Connection: close, X-Praxis-Port-Token, X-Forwarded-Host\r\n\r\n"); statusOf(got) != "200" || strings.Contains(got, fmt.Sprint(p["token"])) {
		t.Errorf("got %s", got)
	}
}
