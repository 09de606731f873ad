package ports

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/server/access"
)

// inside is a session whose programs listen on this machine.
func inside(t *testing.T, h http.HandlerFunc) Dialer {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return func(ctx context.Context, port int) (Conn, error) {
		if port != 8000 {
			return nil, fault.New(fault.Unavailable, "", "nobody takes connections at port %d", port)
		}
		c, err := new(net.Dialer).DialContext(ctx, "tcp", s.Listener.Addr().String())
		if err != nil {
			return nil, err
		}
		return c.(*net.TCPConn), nil
	}
}

// ask sends a request for a port.
func ask(t *testing.T, p *Port, change func(*http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "http://"+p.Host+":7411/page?a=b", nil)
	r.Header.Set(TokenHeader, p.Token)
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

func open(t *testing.T, dial Dialer, port int, browser bool) (*Ports, *Port) {
	t.Helper()
	all, err := New("Preview.Example.", access.Contains)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(all.Forget)
	p, err := all.Open("tenant", "s", port, browser, time.Hour, dial)
	if err != nil {
		t.Fatal(err)
	}
	return all, p
}

// Nothing of the server's reaches the session, and nothing of the session's reaches beyond its
// own origin.
func TestForward(t *testing.T) {
	const key = "praxis_00112233445566778899aabbccddeeff00112233445566778899aabb"
	_, p := open(t, inside(t, func(w http.ResponseWriter, r *http.Request) {
		for name, values := range r.Header {
			if text := name + strings.Join(values, ""); strings.Contains(text, "praxis_") || name == TokenHeader || name == "X-Hop" || name == "X-Forwarded-For" {
				t.Errorf("the session gets %s: %v", name, values)
			}
		}
		if r.Header.Get("X-Own") != "1" || r.Host != r.Header.Get("X-Forwarded-Host") {
			t.Errorf("got %v, %s", r.Header, r.Host)
		}
		w.Header().Add("Set-Cookie", "a=b; Domain=example; HttpOnly")
		w.Header().Add("Set-Cookie", "; Domain=example")
		w.Header().Set("Alt-Svc", `h2="other:1"`)
		w.Header().Set("Location", "http://elsewhere.example/")
		w.WriteHeader(http.StatusFound)
		_, _ = io.WriteString(w, r.URL.String())
	}), 8000, false)
	got := ask(t, p, func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("X-API-Key", key)
		r.Header.Set("Cookie", "k="+key)
		r.Header.Set("Connection", "X-Hop")
		r.Header.Set("X-Hop", "1")
		r.Header.Set("X-Own", "1")
	})
	if got.Code != 302 || got.Body.String() != "/page?a=b" || got.Header().Get("Set-Cookie") != "a=b; HttpOnly" || got.Header().Get("Alt-Svc") != "" {
		t.Errorf("got %d %s %v", got.Code, got.Body, got.Header())
	}
	if got := ask(t, p, func(r *http.Request) { r.URL.RawQuery = "key=" + key }); got.Code != 400 {
		t.Errorf("a key in the address: %d", got.Code)
	}
}

// A port needs its token, unless it is open to browsers, and ends when it is closed.
func TestWhoMayAsk(t *testing.T) {
	hello := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }
	all, closed := open(t, inside(t, hello), 8000, false)
	browser, err := all.Open("tenant", "s", 8000, true, time.Minute, inside(t, hello))
	if err != nil {
		t.Fatal(err)
	}
	without := func(r *http.Request) { r.Header.Del(TokenHeader) }
	wrong := func(r *http.Request) { r.Header.Set(TokenHeader, browser.Token) }
	for name, tt := range map[string]struct {
		port   *Port
		change func(*http.Request)
		want   int
	}{
		"with its token":         {closed, nil, 200},
		"without":                {closed, without, 401},
		"with another's":         {closed, wrong, 401},
		"a browser":              {browser, without, 200},
		"a browser, wrong token": {browser, func(r *http.Request) { r.Header.Set(TokenHeader, "x") }, 401},
		"CONNECT":                {closed, func(r *http.Request) { r.Method = "CONNECT" }, 405},
	} {
		if got := ask(t, tt.port, tt.change); got.Code != tt.want {
			t.Errorf("%s: %d", name, got.Code)
		}
	}
	if got := ask(t, browser, without); got.Header().Get("Referrer-Policy") != "same-origin" {
		t.Errorf("got %v", got.Header())
	}
	if found, named := all.Find(closed.Host + ":80"); found != closed || !named {
		t.Error("it is not found by its name")
	}
	if err := all.Close("other", "s", closed.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("closed by another tenant: %v", err)
	}
	if err := all.Close("tenant", "s", closed.ID); err != nil {
		t.Fatal(err)
	}
	if found, named := all.Find(closed.Host); found != nil || !named {
		t.Error("a port that was closed is found")
	}
	if got := all.List("tenant", "s"); len(got) != 1 || got[0] != browser {
		t.Errorf("got %v", got)
	}
	all.now = func() time.Time { return time.Now().Add(2 * time.Minute) }
	if found, _ := all.Find(browser.Host); found != nil {
		t.Error("a port is found whose time is over")
	}
	if got := ask(t, open2(t, all), nil); got.Code != 502 || !strings.Contains(got.Body.String(), "nobody takes connections") {
		t.Errorf("a port where nobody listens: %d %s", got.Code, got.Body)
	}
	for _, bad := range []struct {
		port  int
		lasts time.Duration
	}{{0, time.Hour}, {70000, time.Hour}, {80, 0}, {80, 25 * time.Hour}} {
		if _, err := all.Open("tenant", "s", bad.port, false, bad.lasts, nil); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%v: %v", bad, err)
		}
	}
	for _, domain := range []string{"", "127.0.0.1", "a/b", "a:80"} {
		if _, err := New(domain, access.Contains); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", domain, err)
		}
	}
}

// open2 opens a port at which nobody listens.
func open2(t *testing.T, all *Ports) *Port {
	p, err := all.Open("tenant", "s", 9, false, time.Hour, inside(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A connection that is upgraded goes on both ways, and ends with the port.
func TestUpgrade(t *testing.T) {
	all, p := open(t, inside(t, func(w http.ResponseWriter, r *http.Request) {
		conn, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = buf.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		_ = buf.Flush()
		_, _ = io.Copy(conn, buf)
	}), 8000, false)
	front := httptest.NewServer(p)
	defer front.Close()
	conn, err := net.Dial("tcp", front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: "+p.Host+"\r\nConnection: Upgrade\r\nUpgrade: echo\r\n"+TokenHeader+": "+p.Token+"\r\n\r\n")
	in := bufio.NewReader(conn)
	res, err := http.ReadResponse(in, nil)
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("got %v, %v", res, err)
	}
	_, _ = io.WriteString(conn, "back\n")
	if line, err := in.ReadString('\n'); line != "back\n" {
		t.Fatalf("got %q, %v", line, err)
	}
	if err := all.Close("tenant", "s", p.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := in.ReadByte(); err == nil {
		t.Error("it goes on when the port is closed")
	}
}

// Whatever stands in a Host header, it names a port in one form only.
func FuzzHost(f *testing.F) {
	f.Add("8000-abcdefghijklmnopqrstuvwxyz.preview.example:80")
	f.Add("08000-abcdefghijklmnopqrstuvwxy2.preview.example")
	f.Add("[::1]:80")
	all, err := New("preview.example", access.Contains)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, host string) {
		port, id, ok := all.parse(host)
		if ok && !strings.HasPrefix(strings.ToLower(host), (&net.TCPAddr{Port: port}).String()[1:]+"-"+id+".preview.example") {
			t.Fatalf("%q: %d, %q", host, port, id)
		}
	})
}
