package egress

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"praxis/event"
)

// TestRaw passes other protocols where a rule names the port, whoever speaks first.
func TestRaw(t *testing.T) {
	w := newWorld(t, Config{}, "db.example.com:5432,example.com")
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	w.place("db.example.com", 5432, ln.Addr().String())
	go func() {
		for first := true; ; first = false {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			if first {
				_, _ = io.WriteString(conn, "220 hello\r\n")
			}
			_, _ = io.Copy(conn, conn)
			_ = conn.Close()
		}
	}()
	const granted = "\x05\x00\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00"
	conn, br := w.raw(socksRequest("db.example.com", 5432))
	want := granted + "220 hello\r\n"
	b := make([]byte, len(want))
	if _, err := io.ReadFull(br, b); err != nil || string(b) != want {
		t.Fatalf("got %q %v", b, err)
	}
	_, _ = io.WriteString(conn, "GET is data here")
	_ = conn.(*net.TCPConn).CloseWrite()
	if rest, err := io.ReadAll(br); err != nil || string(rest) != "GET is data here" {
		t.Errorf("got %q %v", rest, err)
	}
	conn, br = w.raw(socksRequest("db.example.com", 5432) + "\x00\x00\x00\x08startup")
	_ = conn.(*net.TCPConn).CloseWrite()
	if rest, err := io.ReadAll(br); err != nil || string(rest) != granted+"\x00\x00\x00\x08startup" {
		t.Errorf("got %q %v", rest, err)
	}
	// TLS and HTTP for other hosts are known for what they are there, too.
	if got := w.exchange(socksRequest("db.example.com", 5432) + string(clientHello(t, "evil.net"))); !strings.HasSuffix(got, string(alert())) {
		t.Errorf("got %q", got)
	}
	if got := w.exchange(socksRequest("db.example.com", 5432) + "GET / HTTP/1.1\r\nHost: evil.net\r\n\r\n"); !strings.Contains(got, "403 Refused") {
		t.Errorf("got %q", got)
	}
	w.await(`"protocol":"raw","sent_bytes":16,"received_bytes":27`)
}

func TestSOCKSRefusals(t *testing.T) {
	w := newWorld(t, Config{}, "example.com")
	for in, want := range map[string]string{
		"\x05\x01\x02": "\x05\xff",
		"\x05\x01\x00\x05\x02\x00\x01\x00\x00\x00\x00\x00\x50": "\x05\x00\x05\x07\x00\x01\x00\x00\x00\x00\x00\x00",
		"\x04\x01\x00\x50\x01\x02\x03\x04\x00":                 "\x00\x5b\x00\x00\x00\x00\x00\x00",
		socksRequest("other.net", 443):                         "\x05\x00\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00",
		socksRequest("example.com", 22):                        "\x05\x00\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00",
		socksRequest("example.com", 80):                        "\x05\x00\x05\x04\x00\x01\x00\x00\x00\x00\x00\x00", // it has no address
		"\x16\x03\x01\x00\x00":                                 string(alert()),
	} {
		if got := w.exchange(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestTimesOut feeds the proxy one byte at a time, and nothing at all.
func TestTimesOut(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{Head: 300 * time.Millisecond, Idle: 2 * time.Second}}, "example.com,raw.example.com:9")
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	w.place("raw.example.com", 9, silent.Addr().String())
	w.place("example.com", 80, silent.Addr().String())
	// drip returns how much of slow went before the connection was closed.
	drip := func(say, slow string) int {
		sent := 0
		conn, br := w.raw(say)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := range len(slow) {
				sent = i
				if _, err := io.WriteString(conn, slow[i:i+1]); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		}()
		_, _ = io.Copy(io.Discard, br)
		_ = conn.Close()
		<-done
		return sent
	}
	long := strings.Repeat("x", 1000)
	for say, slow := range map[string]string{
		"": "",
		"GET http://example.com/ HTTP/1.1\r\nX: ": long,
		"\x05\xff": long,
		"CONNECT example.com:80 HTTP/1.1\r\n\r\n":                                     "",
		"CONNECT example.com:80 HTTP/1.1\r\n\r\nGET":                                  long,
		"CONNECT example.com:80 HTTP/1.1\r\n\r\n\x16\x03\x01\x20\x00\x01\x00\x1f\x00": long,
		"GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n":               "", // the host says nothing
		socksRequest("raw.example.com", 9):                                            "",
	} {
		if sent := drip(say, slow); slow != "" && sent >= len(slow)-1 {
			t.Errorf("%q was buffered until all was sent", say)
		}
	}
	w.await("the head of a request took longer than 300ms")
	w.await("no byte moved for 2s")
	w.await("the SOCKS request took longer")
	w.await("the first bytes took longer")
}

// left waits until so many connections of the code are left: one that has ended
// may still be counted for a moment.
func (w *world) left(n int) {
	w.t.Helper()
	count := func() int {
		w.proxy.mu.Lock()
		defer w.proxy.mu.Unlock()
		return len(w.proxy.guests)
	}
	for end := time.Now().Add(20 * time.Second); count() != n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("%d connections are left, want %d", count(), n)
		}
	}
}

func TestLimits(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{Connections: 3, PerHost: 2, ReceivedBytes: 5000}}, "example.com,big.example.com,other.example.com")
	release := make(chan struct{})
	defer close(release)
	s := w.serve("example.com", 80, false, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	w.place("other.example.com", 80, s.Listener.Addr().String())
	w.serve("big.example.com", 80, false, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = rw.Write(bytes.Repeat([]byte("x"), 1<<20))
	}))
	if got := w.exchange("GET http://big.example.com/ HTTP/1.1\r\nConnection: close\r\n\r\n"); len(got) > 6000 {
		t.Errorf("got %d bytes", len(got))
	}
	w.await("the bound of 5000 bytes from the host is met")
	w.left(0)
	for i := range 2 {
		w.raw("GET http://example.com/ HTTP/1.1\r\n\r\n")
		w.await(fmt.Sprintf("%s%d\"", w.proxy.prefix, i+2))
	}
	if got := w.exchange("GET http://example.com/ HTTP/1.1\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 503 ") {
		t.Errorf("a third one to the host: %q", got)
	}
	w.left(2)
	w.raw("GET http://other.example.com/ HTTP/1.1\r\n\r\n")
	w.await(fmt.Sprintf("%s4\"", w.proxy.prefix))
	if got := w.exchange(""); got != "" {
		t.Errorf("a fourth one: %q", got)
	}
	w.await("there are 3 connections already")
}

func TestRefusalsAreGrouped(t *testing.T) {
	w := newWorld(t, Config{}, "example.com")
	const refusals = 3 * refusalsEach
	for i := range refusals {
		w.exchange(fmt.Sprintf("CONNECT h%d.other.net:443 HTTP/1.1\r\n\r\n", i%40))
	}
	if err := w.proxy.Close(); err != nil {
		t.Fatal(err)
	}
	total, events := 0, w.seen()
	for _, e := range events {
		total += e.(event.ConnectionRefused).Count
	}
	// One by one, then twice as sorts, the last of which is all the others.
	if want := refusalsEach + 2*(refusalsSorts+1); total != refusals || len(events) != want {
		t.Errorf("%d refusals in %d events, want %d in %d:\n%s", total, len(events), refusals, want, w.text())
	}
}

func TestSetRules(t *testing.T) {
	w := newWorld(t, Config{}, "example.com,a.example.com,raw.example.com:9,in.example.com,10.0.0.9:80")
	secure := w.serve("example.com", 443, true, hello("secure"))
	release := make(chan struct{})
	s := w.serve("a.example.com", 80, false, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(rw, "begun\n")
		rw.(http.Flusher).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	w.place("raw.example.com", 9, s.Listener.Addr().String())
	w.names["in.example.com"] = []string{"10.0.0.9"}
	w.hosts["10.0.0.9:80"] = s.Listener.Addr().String()

	tunnel, br := w.raw("CONNECT example.com:443 HTTP/1.1\r\n\r\n")
	if _, err := http.ReadResponse(br, nil); err != nil {
		t.Fatal(err)
	}
	inner := tls.Client(tunnel, &tls.Config{ServerName: "example.com", RootCAs: roots(secure)})
	if err := inner.Handshake(); err != nil {
		t.Fatal(err)
	}
	streams := map[string]*bufio.Reader{}
	for _, host := range []string{"a.example.com", "in.example.com"} {
		_, br := w.raw("GET http://" + host + "/ HTTP/1.1\r\n\r\n")
		resp, err := http.ReadResponse(br, nil)
		if err != nil {
			t.Fatal(err)
		}
		streams[host] = bufio.NewReader(resp.Body)
		if line, err := streams[host].ReadString('\n'); err != nil || line != "begun\n" {
			t.Fatalf("%s: %q %v", host, line, err)
		}
	}
	raw, rbr := w.raw(socksRequest("raw.example.com", 9) + "\x00")
	w.await(`"host":"raw.example.com"`)
	_, _ = io.ReadFull(rbr, make([]byte, 12))
	for w.rawLinks() == 0 {
		time.Sleep(5 * time.Millisecond)
	}

	w.proxy.SetRules(mustRules(t, "example.com:443,raw.example.com:1-99,in.example.com"))
	for host, br := range streams { // one name is gone, and one address
		if rest, err := io.ReadAll(br); err == nil {
			t.Errorf("%s goes on: %q", host, rest)
		}
	}
	w.await("the rules changed: they no longer allow a.example.com:80")
	w.await("the rules changed: they no longer allow in.example.com:80")
	if _, err := io.WriteString(inner, "GET /x HTTP/1.1\r\nHost: example.com\r\n\r\n"); err != nil {
		t.Error(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(inner), nil)
	if err != nil || resp.StatusCode != 200 {
		t.Errorf("what is still allowed was closed: %v", err)
	}
	if w.rawLinks() != 1 {
		t.Error("the raw connection was closed")
	}
	w.proxy.SetRules(Rules{})
	_, _ = io.Copy(io.Discard, tunnel)
	if got := w.proxy.Rules().Strings(); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	w.await("they no longer allow example.com:443")
	_, _ = io.Copy(io.Discard, raw)
	w.await("they no longer allow raw.example.com:9")
	close(release)
}

func (w *world) rawLinks() int {
	w.proxy.mu.Lock()
	defer w.proxy.mu.Unlock()
	n := 0
	for l := range w.proxy.links {
		if l.raw.Load() {
			n++
		}
	}
	return n
}

func TestWebSocket(t *testing.T) {
	w := newWorld(t, Config{}, "example.com")
	echo := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "websocket" || r.Header.Get("Connection") != "Upgrade" {
			rw.WriteHeader(400)
			return
		}
		conn, brw, err := http.NewResponseController(rw).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n")
		_, _ = io.Copy(conn, brw)
	})
	w.serve("example.com", 80, false, echo)
	secure := w.serve("example.com", 443, true, echo)
	speak := func(what string, conn io.ReadWriter, br *bufio.Reader, target string) {
		_, _ = io.WriteString(conn, "GET "+target+" HTTP/1.1\r\nHost: example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
		resp, err := http.ReadResponse(br, nil)
		if err != nil || resp.StatusCode != 101 || resp.Header.Get("Sec-WebSocket-Accept") != "x" {
			t.Errorf("%s: %v %v", what, resp, err)
			return
		}
		_, _ = io.WriteString(conn, "ping")
		b := make([]byte, 4)
		if _, err := io.ReadFull(br, b); err != nil || string(b) != "ping" {
			t.Errorf("%s: got %q %v", what, b, err)
		}
	}
	conn, br := w.raw("")
	speak("to the proxy", conn, br, "http://example.com/chat")
	for _, port := range []string{"80", "443"} {
		conn, br = w.raw("CONNECT example.com:" + port + " HTTP/1.1\r\n\r\n")
		if _, err := http.ReadResponse(br, nil); err != nil {
			t.Fatal(err)
		}
		if port == "80" {
			speak("in a tunnel", conn, br, "/chat")
			continue
		}
		inner := tls.Client(conn, &tls.Config{ServerName: "example.com", RootCAs: roots(secure)})
		speak("in TLS", inner, bufio.NewReader(inner), "/chat")
	}
}

// TestBodies sends and fetches more than any buffer holds, and streams.
func TestBodies(t *testing.T) {
	w := newWorld(t, Config{}, "example.com")
	w.serve("example.com", 80, false, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/stream":
			for i := range 3 {
				_, _ = fmt.Fprintf(rw, "%d\n", i)
				rw.(http.Flusher).Flush()
			}
		case "/early":
			rw.WriteHeader(http.StatusUnauthorized)
		default:
			body, _ := io.ReadAll(r.Body)
			_, _ = rw.Write(body)
		}
	}))
	c := w.client("http", nil)
	big := strings.Repeat("0123456789", 300_000)
	for _, body := range []io.Reader{strings.NewReader(big), io.MultiReader(strings.NewReader(big))} { // with and without a length
		resp, err := c.Post("http://example.com/", "text/plain", body)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || string(got) != big {
			t.Errorf("%d of %d bytes came back: %v", len(got), len(big), err)
		}
	}
	if status, body := get(t, c, "http://example.com/stream"); status != 200 || body != "0\n1\n2\n" {
		t.Errorf("%d %q", status, body)
	}
	resp, err := c.Head("http://example.com/x")
	if err != nil || resp.StatusCode != 200 {
		t.Errorf("HEAD: %v %v", resp, err)
	}
	// A client of HTTP/1.0 gets no chunks.
	if got := w.exchange("GET http://example.com/stream HTTP/1.0\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.0 200 OK\r\n") || !strings.HasSuffix(got, "\r\n\r\n0\n1\n2\n") {
		t.Errorf("got %q", got)
	}
	got := w.exchange("POST http://example.com/ HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
	if !strings.HasPrefix(got, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n") || !strings.HasSuffix(got, "hi") {
		t.Errorf("got %q", got)
	}
	// An answer before the body was sent: what follows is not taken for a request.
	got = w.exchange("POST http://example.com/early HTTP/1.1\r\nContent-Length: 1000000\r\n\r\nGET http://example.com/ HTTP/1.1\r\n\r\n")
	if strings.Count(got, "HTTP/1.1") != 1 || !strings.Contains(got, " 401 ") {
		t.Errorf("got %q", got)
	}
}

func TestEnviron(t *testing.T) {
	p, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	env := p.Environ(3128, "/etc/ca.pem")
	if p.CA() != nil || len(env) != 14 || env["NODE_USE_ENV_PROXY"] != "1" || env["HTTPS_PROXY"] != "http://127.0.0.1:3128" || env["all_proxy"] != "http://127.0.0.1:3128" || env["no_proxy"] != "localhost,127.0.0.1,::1" || env["SSL_CERT_FILE"] != "/etc/ca.pem" || env["PIP_CERT"] != "/etc/ca.pem" {
		t.Errorf("got %v", env)
	}
	// An address that a rule names is the host's, not the sandbox's own.
	rules, err := ParseRules([]string{"127.0.0.1:8080,localhost:81"})
	if err != nil {
		t.Fatal(err)
	}
	p.SetRules(rules)
	if env := p.Environ(3128, ""); env["no_proxy"] != "::1" || len(env) != 9 {
		t.Errorf("got %v", env)
	}
}
