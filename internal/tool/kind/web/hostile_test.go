package web

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"praxis/fault"
)

const canary = `c4nary"/+ value`

func TestSecretsStayIn(t *testing.T) {
	cfg := Config{Secrets: secrets{"KEY": canary, "URLKEY": canary}}
	run := func(base string) string {
		return `{method: POST, url: "` + base + `/{secret:URLKEY}?key={secret:URLKEY}", headers: {X-Key: "{secret:KEY}"}, body: {k: "{secret:KEY}"}}`
	}
	quoted, _ := json.Marshal(canary)
	forms := []string{canary, url.QueryEscape(canary), url.PathEscape(canary), escape(canary), strings.Trim(string(quoted), `"`)}
	check := func(what string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: no error", what)
			return
		}
		for _, form := range append(forms, "c4nary") {
			if strings.Contains(err.Error(), form) || strings.Contains(fault.RemedyOf(err), form) || strings.Contains(fmt.Sprintf("%+v %#v", err, err), form) {
				t.Errorf("%s: the error holds the secret: %v", what, err)
			}
		}
	}

	for _, kind := range []string{"text/plain", "application/json", "application/problem+json"} {
		s := listen(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(400)
			if kind == "application/problem+json" {
				json.NewEncoder(w).Encode(map[string]string{"detail": "bad key " + canary})
				return
			}
			fmt.Fprint(w, r.RequestURI, " ", r.Header.Get("X-Key"), " ", strings.Join(forms, " "))
		})
		_, err := makeTool(t, cfg, object(), "write", run(s.URL)).with(t, `{}`)
		check(kind, err)
		if !strings.Contains(err.Error(), "(secret)") {
			t.Errorf("%s: what the server said is lost: %v", kind, err)
		}
	}

	s := listen(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("X-How") {
		case "elsewhere":
			w.Header().Set("Location", "http://"+strings.ReplaceAll(escape(canary), "%", "-")+".other.example/?k="+url.QueryEscape(canary))
			w.WriteHeader(307)
		case "broken":
			w.Header().Set("Location", "http://%zz"+canary)
			w.WriteHeader(302)
		case "json":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"a": `+canary)
		case "cut":
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(400)
			fmt.Fprint(w, strings.Repeat(canary, maxReason/len(canary)+2))
		case "hang up":
			panic(http.ErrAbortHandler)
		}
	})
	for _, how := range []string{"elsewhere", "broken", "json", "cut", "hang up"} {
		_, err := makeTool(t, cfg, object(), "write", strings.Replace(run(s.URL), "headers: {", `headers: {X-How: "`+how+`", `, 1)).with(t, `{}`)
		if how == "elsewhere" { // the server has turned the secret into another word
			if err == nil || strings.Contains(err.Error(), url.QueryEscape(canary)) {
				t.Errorf("%s: %v", how, err)
			}
			continue
		}
		check(how, err)
	}

	dead := httptest.NewServer(nil)
	dead.Close()
	_, err := makeTool(t, cfg, object(), "write", run(dead.URL)).with(t, `{}`)
	check("nobody listens", err)
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("nobody listens: %v", err)
	}
	_, err = makeTool(t, cfg, object(), "write", strings.Replace(run(s.URL), "http://", "https://", 1)).with(t, `{}`)
	check("no TLS there", err)
}

func TestSecretsAreMaskedInResults(t *testing.T) {
	s := listen(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"headers": map[string]string{"Authorization": r.Header.Get("Authorization")}, "list": []any{"x" + canary, 1}, canary: "name"})
	})
	cfg := Config{Secrets: secrets{"KEY": canary, "SHORT": "x"}}
	v, err := makeTool(t, cfg, object(), "read", `{url: "`+s.URL+`?s={secret:SHORT}", headers: {Authorization: "Bearer {secret:KEY}"}}`).with(t, `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := text(t, v), `{"(secret)":"name","headers":{"Authorization":"Bearer (secret)"},"list":["x(secret)",1]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSecretsThatAreMissing(t *testing.T) {
	s := listen(t, nil)
	for _, cfg := range []Config{{}, {Secrets: secrets{}}} {
		_, err := makeTool(t, cfg, object(), "read", `{url: "`+s.URL+`", headers: {A: "{secret:NOPE}"}}`).with(t, `{}`)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "NOPE") || s.count() != 0 {
			t.Errorf("got %v", err)
		}
	}
}

func TestRedirects(t *testing.T) {
	other := listen(t, nil)
	s := listen(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/same":
			http.Redirect(w, r, "/there?x=1", http.StatusFound)
		case "/keep":
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
		case "/other":
			http.Redirect(w, r, other.URL+"/steal", http.StatusTemporaryRedirect)
		case "/scheme":
			http.Redirect(w, r, "https://"+r.Host+"/", http.StatusFound)
		case "/name":
			http.Redirect(w, r, strings.Replace("http://"+r.Host+"/", "127.0.0.1", "localhost", 1), http.StatusFound)
		case "/user":
			http.Redirect(w, r, "http://u:p@"+r.Host+"/there", http.StatusFound)
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(302)
		case "/metadata":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/nowhere":
			w.WriteHeader(302)
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `%q`, r.Method+" "+r.RequestURI+" "+r.Header.Get("X-Key"))
		}
	})
	cfg := Config{Secrets: secrets{"KEY": "sesame"}}
	for path, want := range map[string]string{"/same": `"GET /there?x=1 (secret)"`, "/keep": `"POST /there (secret)"`} {
		v, err := makeTool(t, cfg, object("a"), "write", `{method: POST, url: "`+s.URL+path+`", headers: {X-Key: "{secret:KEY}"}}`).with(t, `{"a":1}`)
		if err != nil || text(t, v) != want {
			t.Errorf("%s: got %v %v, want %s", path, v, err, want)
		}
	}
	if got := s.last(t); got.body != `{"a":1}` && got.method == "POST" {
		t.Errorf("the body was lost: %v", got)
	}
	for _, path := range []string{"/other", "/scheme", "/name", "/user", "/file", "/metadata", "/loop"} {
		_, err := makeTool(t, cfg, object(), "write", `{method: POST, url: "`+s.URL+path+`", headers: {X-Key: "{secret:KEY}"}}`).with(t, `{}`)
		if fault.KindOf(err) != fault.Denied || !strings.Contains(err.Error(), "the server sends the request on") {
			t.Errorf("%s: got %s: %v", path, fault.KindOf(err), err)
		}
	}
	if _, err := makeTool(t, cfg, object(), "read", `{url: "`+s.URL+`/nowhere"}`).with(t, `{}`); err == nil {
		t.Error("a redirect without a place was taken for a result")
	}
	if n := other.count(); n != 0 {
		t.Errorf("the other host got %d requests", n)
	}
}

// names serves DNS on a loopback port: every name has the next of these addresses.
func names(t *testing.T, addrs ...string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		buf := make([]byte, 1500)
		lookups := 0
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			q := buf[:n]
			end := 12
			for q[end] != 0 {
				end += int(q[end]) + 1
			}
			end += 5
			kind := binary.BigEndian.Uint16(q[end-4:])
			answer := append([]byte{}, q[:2]...)
			answer = append(answer, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0)
			answer = append(answer, q[12:end]...)
			addr := netip.MustParseAddr(addrs[min(lookups, len(addrs)-1)])
			if kind == 1 && addr.Is4() || kind == 28 && addr.Is6() {
				lookups++
				data := addr.AsSlice()
				answer[7] = 1
				answer = append(answer, 0xc0, 12, 0, byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(len(data)))
				answer = append(answer, data...)
			}
			conn.WriteTo(answer, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func TestNamesThatLeadInside(t *testing.T) {
	s := listen(t, nil)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	call := func(resolver *net.Resolver, allow []netip.Prefix, base string) error {
		transport := guardedTransport(allow, resolver)
		defer transport.CloseIdleConnections()
		_, err := makeTool(t, Config{Transport: transport}, object(), "read", `{url: "`+base+`", timeout: 5s}`).with(t, `{}`)
		return err
	}
	for _, addr := range []string{"127.0.0.1", "10.1.2.3", "172.20.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
		"::1", "fe80::1", "fc00::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "::"} {
		err := call(names(t, addr), nil, "http://inside.example:"+port)
		if fault.KindOf(err) != fault.Denied || !strings.Contains(err.Error(), "which is not a public address") {
			t.Errorf("%s: got %v", addr, err)
		}
	}
	if n := s.count(); n != 0 {
		t.Fatalf("%d requests came through", n)
	}
	if err := call(names(t, "127.0.0.1"), []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, "http://inside.example:"+port); err != nil {
		t.Errorf("an address that is allowed: %v", err)
	}
	if err := call(nil, nil, "http://127.0.0.1:"+port); err != nil {
		t.Errorf("an address that the URL names: %v", err)
	}
	if err := call(nil, nil, "http://localhost:"+port); err != nil {
		t.Errorf("localhost: %v", err)
	}
	// A name server that changes its mind: the first answer is public and does
	// not answer, or the second is inside. Neither comes through.
	resolver := names(t, "192.0.2.1", "127.0.0.1")
	for range 2 {
		if err := call(resolver, nil, "http://rebind.example:"+port); fault.KindOf(err) != fault.Denied {
			t.Errorf("rebinding: %v", err)
		}
	}
	if n := s.count(); n != 3 {
		t.Errorf("the server got %d requests, want 3", n)
	}
}

func TestEnvironmentsProxyIsNotUsed(t *testing.T) {
	proxy := listen(t, nil)
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	transport := guardedTransport(nil, names(t, "10.0.0.1"))
	if _, err := makeTool(t, Config{Transport: transport}, object(), "read", `{url: "http://inside.example/"}`).with(t, `{}`); fault.KindOf(err) != fault.Denied {
		t.Errorf("got %v", err)
	}
	if proxy.count() != 0 {
		t.Error("the proxy got a request")
	}
}

// raw answers each connection with bytes as they are.
func raw(t *testing.T, answer string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				conn.SetDeadline(time.Now().Add(time.Minute))
				conn.Read(make([]byte, 4096))
				io.WriteString(conn, answer)
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

func TestServersThatSpeakBadly(t *testing.T) {
	cfg := Config{Secrets: secrets{"KEY": "sesame"}}
	for name, answer := range map[string]string{
		"nothing":       "",
		"no HTTP":       "220 mail sesame\r\n\r\n",
		"short":         "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"a\":1}",
		"huge headers":  "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n",
		"bad chunk":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nzz\r\n",
		"endless hints": strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 100),
		"bad gzip":      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd",
	} {
		_, err := makeTool(t, cfg, object(), "read", `{url: "`+raw(t, answer)+`/?k={secret:KEY}"}`).with(t, `{}`)
		if fault.KindOf(err) != fault.Unavailable || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestAnswerThatUnfolds(t *testing.T) {
	s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		zeros := make([]byte, 1<<20)
		for range 64 {
			z.Write(zeros)
		}
		z.Close()
	})
	if _, err := makeTool(t, Config{}, object(), "read", `{url: "`+s.URL+`"}`).with(t, `{}`); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("got %v", err)
	}
}

// TestNothingIsSentTwice breaks an idle connection after a request was read: the
// gate decides on retries, not the transport.
func TestNothingIsSentTwice(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	requests := make(chan string, 10)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				for i := range 2 {
					r, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					io.Copy(io.Discard, r.Body)
					requests <- r.Header.Get("Idempotency-Key")
					if i == 0 {
						io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
					}
				}
			}()
		}
	}()
	m := makeTool(t, Config{}, object("a"), "external", `{method: POST, url: "http://`+l.Addr().String()+`"}`)
	if _, err := m.with(t, `{"a":1}`); err != nil {
		t.Fatal(err)
	}
	if _, err := m.with(t, `{"a":2}`); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	if n := len(requests); n != 2 {
		t.Errorf("the server got %d requests, want 2", n)
	}
	if key := <-requests; key != "run-1/c1" {
		t.Errorf("key %q", key)
	}
}

func TestCloseDropsConnections(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {}))
	closed := make(chan struct{}, 1)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- struct{}{}
		}
	}
	s.Start()
	defer s.Close()
	m := makeTool(t, Config{}, object(), "read", `{url: "`+s.URL+`"}`)
	if _, err := m.with(t, `{}`); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-closed:
	case <-time.After(time.Minute):
		t.Error("the connection is kept after the last tool is closed")
	}
}

func TestTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "%q", r.Proto+" "+r.Header.Get("Idempotency-Key"))
	}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	run := `{method: POST, url: "` + s.URL + `"}`
	if _, err := makeTool(t, Config{}, object(), "write", run).with(t, `{}`); fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate that nobody signed: %v", err)
	}
	transport := guardedTransport(nil, nil)
	defer transport.CloseIdleConnections()
	transport.TLSClientConfig = s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	transport.TLSClientConfig.NextProtos = nil
	v, err := makeTool(t, Config{Transport: transport}, object(), "write", run).with(t, `{}`)
	if err != nil || v != "HTTP/2.0 run-1/c1" {
		t.Errorf("got %v %v", v, err)
	}
}
