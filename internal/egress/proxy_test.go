package egress

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestProtocols sends requests in every protocol, for what is allowed and what is not.
func TestProtocols(t *testing.T) {
	w := newWorld(t, Config{}, "example.com,*.example.com:8080")
	plain := w.serve("example.com", 80, false, hello("plain"))
	w.place("a.example.com", 8080, plain.Listener.Addr().String())
	secure := w.serve("example.com", 443, true, hello("secure"))
	for _, scheme := range []string{"http", "socks5h"} {
		c := w.client(scheme, roots(secure))
		for _, x := range []struct {
			url, want string
			status    int
		}{
			{"http://example.com/x", "plain example.com/x", 200},
			{"http://EXAMPLE.com./y", "plain ", 200},
			{"https://example.com/z", "secure example.com/z", 200},
			{"http://a.example.com:8080/", "plain a.example.com:8080/", 200},
			{"http://example.com/again", "plain example.com/again", 200},
		} {
			if status, body := get(t, c, x.url); status != x.status || !strings.HasPrefix(body, x.want) {
				t.Errorf("%s %s: %d %q", scheme, x.url, status, body)
			}
		}
		for _, url := range []string{"https://a.example.com/", "http://other.net/", "https://other.net/", "https://example.com:8443/", "http://93.184.216.10/", "http://127.0.0.1/", "http://[::1]/"} {
			status, body := get(t, c, url)
			if status != 403 && status != 0 || status == 403 && !strings.Contains(body, "ask for a rule") {
				t.Errorf("%s %s: %d %q", scheme, url, status, body)
			}
			if status == 0 && scheme == "http" && !strings.Contains(body, "Refused by praxis") {
				t.Errorf("%s %s: %q does not say why", scheme, url, body)
			}
		}
	}
	for _, name := range w.lookups() {
		if name == "other.net." {
			t.Error("a name that is not allowed was looked up")
		}
	}
	w.await(`"rule":"*.example.com:8080"`)
	w.await(`"remedy":"Go on without it, or ask for a rule of the network that allows other.net:443.","code":"host_denied"`)
}

func TestOffByDefault(t *testing.T) {
	w := newWorld(t, Config{}, "none")
	w.serve("example.com", 80, false, hello("plain"))
	if status, body := get(t, w.client("http", nil), "http://example.com/"); status != 403 || !strings.Contains(body, "ask for a rule of the network that allows example.com:80") {
		t.Errorf("got %d %q", status, body)
	}
	if len(w.lookups())+len(w.dials()) != 0 {
		t.Errorf("looked up %v, dialled %v", w.lookups(), w.dials())
	}
}

// TestAddresses connects to addresses in every notation that some program reads.
func TestAddresses(t *testing.T) {
	w := newWorld(t, Config{}, "10.0.0.7:8080,[fd00::7]:8080,example.com")
	s := w.serve("example.com", 80, false, hello("plain"))
	w.hosts["10.0.0.7:8080"] = s.Listener.Addr().String()
	w.hosts["[fd00::7]:8080"] = s.Listener.Addr().String()
	c := w.client("http", nil)
	for _, url := range []string{"http://10.0.0.7:8080/", "http://[fd00::7]:8080/", "http://[fd00:0:0::0:7]:8080/"} {
		if status, body := get(t, c, url); status != 200 {
			t.Errorf("%s: %d %q", url, status, body)
		}
	}
	before := len(w.dials())
	for _, host := range []string{
		"10.0.0.8:8080", "10.0.0.7:80", "167772167:8080", "0xa.0.0.7:8080", "0xa000007:8080", "012.0.0.7:8080", "10.7:8080", "10.0.7:8080", "10.0.0.7.:8080",
		"[::ffff:10.0.0.7]:8080", "[::ffff:a00:7]:8080", "[fd00::7%25eth0]:8080", "[64:ff9b::a00:7]:8080", "127.0.0.1:80", "0:80", "0.0.0.0:80", "localhost:80", "[::]:80", "１０.0.0.7:8080",
	} {
		for _, in := range []string{
			"GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
			"CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
		} {
			if got := w.exchange(in); !strings.HasPrefix(got, "HTTP/1.1 403 ") && !strings.HasPrefix(got, "HTTP/1.1 400 ") {
				t.Errorf("%q: got %.100q", in, got)
			}
		}
		name, _, _ := strings.Cut(strings.Trim(host, "["), "]")
		if !strings.HasPrefix(host, "[") {
			name, _, _ = strings.Cut(host, ":")
		}
		if name == "10.0.0.7" {
			continue // refused for its port alone
		}
		if got := w.exchange(socksRequest(name, 8080)); len(got) < 4 || got[3] != socksDenied {
			t.Errorf("SOCKS %q: got %q", name, got)
		}
	}
	if len(w.dials()) != before {
		t.Errorf("dialled %v", w.dials()[before:])
	}
}

// TestAnswersInside checks names that lead into networks that are off limits.
func TestAnswersInside(t *testing.T) {
	w := newWorld(t, Config{}, "*.example.com,10.0.0.9:80")
	s := w.serve("ok.example.com", 80, false, hello("plain"))
	at := s.Listener.Addr().String()
	for i, addr := range []string{"127.0.0.1", "10.0.0.8", "169.254.169.254", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "0.0.0.0", "100.100.100.200"} {
		name := fmt.Sprintf("in%d.example.com", i)
		w.names[name] = []string{addr}
		w.hosts[netip.AddrPortFrom(netip.MustParseAddr(addr), 80).String()] = at
		if status, body := get(t, w.client("http", nil), "http://"+name+"/"); status != 403 || !strings.Contains(body, "leads to") {
			t.Errorf("%s: %d %q", addr, status, body)
		}
		if got := w.exchange(socksRequest(name, 80)); got[3] != socksDenied {
			t.Errorf("%s: SOCKS %q", addr, got)
		}
	}
	if len(w.dials()) != 0 {
		t.Errorf("dialled %v", w.dials())
	}
	// Of several, only those that are allowed are dialled, in whatever order they come.
	w.names["mixed.example.com"] = []string{"127.0.0.1", "93.184.216.99", "10.0.0.8"}
	w.hosts["93.184.216.99:80"] = at
	if status, body := get(t, w.client("http", nil), "http://mixed.example.com/"); status != 200 {
		t.Errorf("mixed: %d %q", status, body)
	}
	// A name may lead to an address that the rules name.
	w.names["listed.example.com"] = []string{"10.0.0.9"}
	w.hosts["10.0.0.9:80"] = at
	if status, body := get(t, w.client("http", nil), "http://listed.example.com/"); status != 200 {
		t.Errorf("listed: %d %q", status, body)
	}
	// A name cannot change its address between the check and the dialling: it is looked up once.
	if want := []string{"93.184.216.99:80", "10.0.0.9:80"}; !slices.Equal(w.dials(), want) {
		t.Errorf("dialled %v, want %v", w.dials(), want)
	}
	if got := len(w.lookups()); got != 20 {
		t.Errorf("%d look-ups, want one for each of 20 connections", got)
	}
}

func TestOwnAddress(t *testing.T) {
	own, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range own {
		ip, _ := netip.AddrFromSlice(a.(*net.IPNet).IP)
		if off(ip.Unmap()) == "" {
			t.Errorf("%s is this machine", ip)
		}
	}
}

func TestTunnelNames(t *testing.T) {
	w := newWorld(t, Config{}, "example.com,10.0.0.7:443")
	secure := w.serve("example.com", 443, true, hello("secure"))
	plain := w.serve("example.com", 80, false, hello("plain"))
	w.hosts["10.0.0.7:443"] = secure.Listener.Addr().String()
	shake := func(target, sni string) error {
		conn, br := w.raw("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n")
		resp, err := http.ReadResponse(br, nil)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("%s: %v %v", target, resp, err)
		}
		return tls.Client(conn, &tls.Config{ServerName: sni, InsecureSkipVerify: true}).Handshake()
	}
	for _, c := range []struct {
		target, sni string
		ok          bool
	}{
		{"example.com:443", "example.com", true},
		{"EXAMPLE.COM.:443", "Example.com", true},
		{"example.com:443", "evil.net", false},
		{"example.com:443", "sub.example.com", false},
		{"example.com:443", "", false},
		{"10.0.0.7:443", "", true},
		{"10.0.0.7:443", "anything.example", true},
	} {
		err := shake(c.target, c.sni)
		if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "access denied") {
			t.Errorf("CONNECT %s, SNI %q: %v", c.target, c.sni, err)
		}
	}
	w.await("the TLS ClientHello names \\\"evil.net\\\", but the connection is for example.com:443")

	tunnel := "CONNECT example.com:80 HTTP/1.1\r\n\r\n"
	for in, want := range map[string]string{
		"GET /p HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n":                  "plain example.com/p",
		"GET /p HTTP/1.1\r\nHost: EXAMPLE.com:80\r\nConnection: close\r\n\r\n":               "plain example.com/p",
		"GET /p HTTP/1.1\r\nHost: evil.net\r\n\r\n":                                          "403 Refused",
		"GET /p HTTP/1.1\r\n\r\n":                                                            "403 Refused",
		"GET /p HTTP/1.1\r\nHost: example.com:81\r\n\r\n":                                    "403 Refused",
		"GET http://evil.net/ HTTP/1.1\r\nHost: example.com\r\n\r\n":                         "400 Refused",
		"CONNECT evil.net:80 HTTP/1.1\r\nHost: evil.net:80\r\n\r\n":                          "400 Refused",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":                                                   "501 Refused",
		"GET / HTTP/1.1\r\nHost: example.com\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n": "501 Refused",
		"\x00\x01\x02":         "established\r\n\r\n",
		"SSH-2.0-client\r\n":   "400 Refused",
		"\x16\x03\x01\x00\x00": "access",
	} {
		got := w.exchange(tunnel + in)
		if want == "access" {
			want = string(alert())
		}
		if !strings.Contains(got, want) || want == "established\r\n\r\n" && !strings.HasSuffix(got, want) {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	w.await("neither TLS nor HTTP was spoken to example.com:80")
	_ = plain
}

// TestSmuggling sends what could be read in two ways, and looks at what arrives.
func TestSmuggling(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{HeadBytes: 4 << 10}}, "example.com")
	var mu sync.Mutex
	var arrived []string
	w.serve("example.com", 80, false, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		arrived = append(arrived, fmt.Sprintf("%s %s %s %s %q %v", r.Method, r.Host, r.URL, r.Header.Get("X-Mark"), body, r.Header))
	}))
	for in := range smuggled {
		if strings.HasSuffix(in, "Host: a\r\n") || strings.HasPrefix(in, "\r\n") || strings.HasPrefix(in, " ") {
			continue // it is waited for the rest
		}
		if got := w.exchange(strings.ReplaceAll(in, " / ", " http://example.com/ ")); !strings.HasPrefix(got, "HTTP/1.1 4") && !strings.HasPrefix(got, "HTTP/1.1 501") {
			t.Errorf("%.80q: got %.80q", in, got)
		}
	}
	if len(arrived) != 0 {
		t.Errorf("arrived: %q", arrived)
	}
	for in, want := range map[string]string{
		"GET http://example.com/ HTTP/1.1\r\nHost: evil.net\r\n\r\n":            "400",
		"GET http://user:pw@example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n": "400",
		"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n":                           "400",
		"GET https://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n":        "501",
		"GET ftp://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n":          "501",
		"CONNECT example.com HTTP/1.1\r\n\r\n":                                  "400",
		"CONNECT example.com:80 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc":       "400",
	} {
		if got := w.exchange(in); !strings.HasPrefix(got, "HTTP/1.1 "+want) {
			t.Errorf("%q: got %.80q, want %s", in, got, want)
		}
	}
	if len(arrived) != 0 {
		t.Errorf("arrived: %q", arrived)
	}
	// Two requests at once, the first with a chunked body: both arrive, made anew, without what is for the proxy.
	got := w.exchange("POST http://example.com/a?q=1 HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\nConnection: X-Gone\r\nX-Gone: 1\r\nProxy-Authorization: Basic eA==\r\nProxy-Connection: keep-alive\r\nX-Mark: one\r\n\r\n" +
		"3;ext=1\r\nabc\r\n0\r\nTrailer: x\r\n\r\nGET http://example.com/b HTTP/1.1\r\nHost: example.com\r\nX-Mark: two\r\nConnection: close\r\n\r\n")
	if strings.Count(got, "HTTP/1.1 200 OK") != 2 {
		t.Errorf("got %q", got)
	}
	want := []string{`POST example.com /a?q=1 one "abc" map[X-Mark:[one]]`, `GET example.com /b two "" map[X-Mark:[two]]`}
	if !slices.Equal(arrived, want) {
		t.Errorf("arrived %q\nwant    %q", arrived, want)
	}
}

func TestRedirectsAreJudgedAgain(t *testing.T) {
	w := newWorld(t, Config{}, "example.com")
	w.serve("example.com", 80, false, http.RedirectHandler("http://169.254.169.254/latest/", http.StatusFound))
	c := w.client("http", nil)
	c.CheckRedirect = nil
	if status, body := get(t, c, "http://example.com/"); status != 403 || !strings.Contains(body, "169.254.169.254:80") {
		t.Errorf("got %d %q", status, body)
	}
	if len(w.dials()) != 1 {
		t.Errorf("dialled %v", w.dials())
	}
}
