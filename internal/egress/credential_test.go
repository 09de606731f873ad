package egress

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/test/cpython"
)

const canary = `cAnArY/5+"7f&9`

// withCredential makes a world with a credential for api.example.com, and a
// server there that repeats all that it receives, in every form.
func withCredential(t *testing.T, more ...Credential) (w *world, c *http.Client, placeholder string, seen func() []string) {
	t.Helper()
	placeholder = NewPlaceholder()
	roots := x509.NewCertPool()
	config := Config{Roots: roots, Credentials: append([]Credential{{
		Name: "API_KEY", Host: "API.example.com", PathPrefix: "/v1", Header: "authorization", Placeholder: placeholder,
		Value: func() (string, error) { return canary, nil },
	}}, more...)}
	w = newWorld(t, config, "api.example.com,other.example.com,api.example.com:8080")
	var arrived []string
	seen = func() []string {
		w.mu.Lock()
		defer w.mu.Unlock()
		return slices.Clone(arrived)
	}
	h := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		auth := r.Header.Get("Authorization")
		w.mu.Lock()
		arrived = append(arrived, fmt.Sprintf("%s %s %s %s", r.Host, r.URL, auth, r.Header.Get("Accept-Encoding")+r.Header.Get("Range")))
		w.mu.Unlock()
		if r.URL.Path == "/v1/gzip" {
			rw.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(rw)
			_, _ = io.WriteString(z, auth)
			_ = z.Close()
			return
		}
		_, token, _ := strings.Cut(auth, " ")
		plain, _ := base64.StdEncoding.DecodeString(token)
		rw.Header().Set("X-Echo", auth)
		rw.Header().Set("Location", "/?"+url.QueryEscape(auth))
		rw.Header().Set("Trailer", "X-End")
		for _, form := range []string{auth, string(plain), fmt.Sprintf("%q", auth), url.QueryEscape(auth), base64.StdEncoding.EncodeToString([]byte(token)), string(body)} {
			half := len(form) / 2
			_, _ = io.WriteString(rw, form[:half])
			rw.(http.Flusher).Flush()
			_, _ = io.WriteString(rw, form[half:]+"\n")
		}
		rw.Header().Set("X-End", auth)
	})
	s := w.serve("api.example.com", 443, true, h)
	other := w.serve("other.example.com", 80, false, h)
	w.place("api.example.com", 80, other.Listener.Addr().String())
	w.place("api.example.com", 8080, other.Listener.Addr().String())
	w.place("other.example.com", 443, s.Listener.Addr().String())
	certify(t, s.TLS, roots, "api.example.com")
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(w.proxy.CA()) {
		t.Fatal("there is no CA")
	}
	return w, w.client("http", pool), placeholder, seen
}

// certify gives a server a certificate for a name, signed by an authority that is put into roots.
func certify(t *testing.T, c *tls.Config, roots *x509.CertPool, name string) {
	t.Helper()
	it, err := parseTarget(name, 443)
	if err != nil {
		t.Fatal(err)
	}
	a, err := newAuthority([]target{it}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := a.leaf(it, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	roots.AddCert(a.cert)
	c.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		return &tls.Config{Certificates: []tls.Certificate{*leaf}}, nil
	}
}

func send(t *testing.T, c *http.Client, method, url, header, value, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(header, value)
	req.Header.Set("Range", "bytes=0-3")
	resp, err := c.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	var all bytes.Buffer
	_ = resp.Header.Write(&all)
	_, _ = io.Copy(&all, resp.Body)
	_ = resp.Trailer.Write(&all)
	return resp.StatusCode, all.String()
}

// leaks looks for the canary, in whatever form.
func leaks(text string) bool {
	for _, form := range []string{canary, "cAnArY", base64.StdEncoding.EncodeToString([]byte(canary)), base64.StdEncoding.EncodeToString([]byte("user:" + canary))} {
		if strings.Contains(text, form) {
			return true
		}
	}
	return false
}

func TestCredential(t *testing.T) {
	w, c, placeholder, seen := withCredential(t)
	for _, x := range []struct{ value, arrives string }{
		{"Bearer " + placeholder, "Bearer " + canary},
		{"Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+placeholder)), "Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+canary))},
		{"Bearer nothing", "Bearer nothing"},
	} {
		status, body := send(t, c, "POST", "https://api.example.com/v1/items?q=1", "Authorization", x.value, "a body")
		if status != 200 || leaks(body) || !strings.Contains(body, "a body") || !strings.Contains(body, x.value+"\n") {
			t.Errorf("%s: %d %q", x.value, status, body)
		}
		want := "api.example.com /v1/items?q=1 " + x.arrives + " identity"
		if got := seen()[len(seen())-1]; got != want {
			t.Errorf("arrived %q, want %q", got, want)
		}
	}
	if status, body := send(t, c, "GET", "https://api.example.com/v1/gzip", "Authorization", "Bearer "+placeholder, ""); status != 501 || leaks(body) {
		t.Errorf("a coding: %d %q", status, body)
	}
	c.CloseIdleConnections()
	w.await(`"protocol":"https"`)
	w.await(`"injected":`)
	if leaks(w.text()) {
		t.Errorf("in the events:\n%s", w.text())
	}
}

// TestPlaceholderElsewhere sends the placeholder to where it does not belong.
func TestPlaceholderElsewhere(t *testing.T) {
	w, c, placeholder, seen := withCredential(t, Credential{Name: "PLAIN", Host: "api.example.com", Port: 8080, Header: "X-Key", Plain: true, Placeholder: "plain-placeholder-1", Value: func() (string, error) { return canary, nil }})
	bearer := "Bearer " + placeholder
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(placeholder+":x"))
	for _, x := range []struct{ what, url, header, value, body string }{
		{"another host", "http://other.example.com/v1/", "Authorization", bearer, ""},
		{"another host, basic", "http://other.example.com/v1/", "Authorization", basic, ""},
		{"another host, in the body", "http://other.example.com/v1/", "X", "y", strings.Repeat("x", 40_000) + placeholder},
		{"another host, in the URL", "http://other.example.com/?k=" + placeholder, "X", "y", ""},
		{"another path", "https://api.example.com/v2/", "Authorization", bearer, ""},
		{"a path that looks like it", "https://api.example.com/v10", "Authorization", bearer, ""},
		{"a path that leads out", "https://api.example.com/v1/../v2", "Authorization", bearer, ""},
		{"a path that leads out, escaped", "https://api.example.com/v1/%2e%2e/v2", "Authorization", bearer, ""},
		{"a path with an escaped slash", "https://api.example.com/v1/x%2f..%2f..%2fv2", "Authorization", bearer, ""},
		{"a path escaped twice", "https://api.example.com/v1/%252e%252e/v2", "Authorization", bearer, ""},
		{"a path with backslashes", `https://api.example.com/v1/..%5cv2`, "Authorization", bearer, ""},
		{"another header", "https://api.example.com/v1/", "X-Other", bearer, ""},
		{"the body", "https://api.example.com/v1/", "X", "y", "a" + placeholder},
		{"the URL", "https://api.example.com/v1/?k=" + placeholder, "X", "y", ""},
		{"the URL, escaped", "https://api.example.com/v1/?k=%70" + placeholder[1:], "X", "y", ""},
		{"a header, escaped", "https://api.example.com/v1/", "Authorization", "%70" + placeholder[1:], ""},
		{"another port", "http://api.example.com:8080/v1/", "Authorization", bearer, ""},
		{"without TLS", "http://api.example.com/v1/", "Authorization", bearer, ""},
	} {
		if status, body := send(t, c, "POST", x.url, x.header, x.value, x.body); status != 403 || leaks(body) {
			t.Errorf("%s: %d %q", x.what, status, body)
		}
	}
	for _, arrived := range seen() {
		if leaks(arrived) || strings.Contains(arrived, placeholder) {
			t.Errorf("arrived: %s", arrived)
		}
	}
	// Where a person said so, a secret goes without TLS.
	if status, body := send(t, c, "GET", "http://api.example.com:8080/any", "X-Key", "plain-placeholder-1", ""); status != 200 || leaks(body) {
		t.Errorf("plain: %d %q", status, body)
	}
	w.await("holds the placeholder of the credential API_KEY, which is not for it")
	if leaks(w.text()) {
		t.Errorf("in the events:\n%s", w.text())
	}
}

// TestOnlyItsHostIsRead checks that the traffic of a host without credentials is not
// read.
func TestOnlyItsHostIsRead(t *testing.T) {
	w, _, _, _ := withCredential(t)
	shake := func(name string) *x509.Certificate {
		conn, br := w.raw("CONNECT " + name + ":443 HTTP/1.1\r\n\r\n")
		if _, err := http.ReadResponse(br, nil); err != nil {
			t.Fatal(err)
		}
		inner := tls.Client(conn, &tls.Config{ServerName: name, InsecureSkipVerify: true})
		if err := inner.Handshake(); err != nil {
			t.Fatal(err)
		}
		return inner.ConnectionState().PeerCertificates[0]
	}
	block, _ := pem.Decode(w.proxy.CA())
	ca, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if err := shake("api.example.com").CheckSignatureFrom(ca); err != nil {
		t.Errorf("the host with credentials: %v", err)
	}
	if err := shake("other.example.com").CheckSignatureFrom(ca); err == nil {
		t.Error("the TLS of another host is read")
	}
	// The authority can sign for no other name.
	other, err := w.proxy.ca.leaf(target{host: "other.example.com", port: 443}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(ca)
	if _, err := other.Leaf.Verify(x509.VerifyOptions{Roots: pool, DNSName: "other.example.com"}); err == nil {
		t.Error("the authority is trusted for every name")
	}
	// The connection of a client that does not trust the authority fails, and an
	// event says why.
	if _, err := w.client("http", x509.NewCertPool()).Get("https://api.example.com/v1/"); err == nil {
		t.Error("a certificate that is not trusted was accepted")
	}
	w.await("the code does not accept the certificate of the proxy")
	// What is spoken to a host with credentials must be HTTP for it.
	w.raw("CONNECT api.example.com:8080 HTTP/1.1\r\n\r\n")
	if got := w.exchange("CONNECT api.example.com:443 HTTP/1.1\r\n\r\n\x00\x01"); !strings.HasSuffix(got, "established\r\n\r\n") {
		t.Errorf("got %q", got)
	}
}

func TestHostIsVerified(t *testing.T) {
	w, c, placeholder, seen := withCredential(t)
	w.names["api.example.com"] = []string{"93.184.216.77"}
	w.serve("api.example.com", 443, true, hello("an impostor")) // with a certificate that nobody vouches for
	status, body := send(t, c, "GET", "https://api.example.com/v1/", "Authorization", "Bearer "+placeholder, "")
	if status != 502 || !strings.Contains(body, "certificate cannot be trusted") || len(seen()) != 0 {
		t.Errorf("%d %q", status, body)
	}
}

func TestValueFails(t *testing.T) {
	fail := errors.New("the file holds " + canary)
	for want, value := range map[string]func() (string, error){
		"API cannot be used: it cannot be read": func() (string, error) { return "", fail },
		"the secret API is not set":             func() (string, error) { return "", fault.New(fault.NotFound, "", "the secret API is not set") },
		"it is shorter than":                    func() (string, error) { return "abc", nil },
		"it has a control character":            func() (string, error) { return canary + "\r\nX: y", nil },
		"it is longer than":                     func() (string, error) { return strings.Repeat(canary, 9999), nil },
	} {
		placeholder := NewPlaceholder()
		w := newWorld(t, Config{Credentials: []Credential{{Name: "API", Host: "x.example.com", Port: 80, Plain: true, Header: "X-Key", Placeholder: placeholder, Value: value}}}, "x.example.com")
		w.serve("x.example.com", 80, false, hello("x"))
		if status, body := send(t, w.client("http", nil), "GET", "http://x.example.com/", "X-Key", placeholder, ""); status != 502 || !strings.Contains(body, want) || leaks(body) {
			t.Errorf("%s: %d %q", want, status, body)
		}
		if status, body := send(t, w.client("http", nil), "GET", "http://x.example.com/", "X-Key", "none", ""); status != 200 {
			t.Errorf("%s: without it %d %q", want, status, body)
		}
		if leaks(w.text()) {
			t.Errorf("in the events:\n%s", w.text())
		}
	}
}

func TestCredentialsRefused(t *testing.T) {
	good := Credential{Name: "C", Host: "a.example.com", Header: "Authorization", Placeholder: NewPlaceholder(), Value: func() (string, error) { return canary, nil }}
	for want, change := range map[string]func(*Credential){
		"no host name":                func(c *Credential) { c.Host = "*.example.com" },
		"has a port":                  func(c *Credential) { c.Host = "a.example.com:443" },
		"odd notation":                func(c *Credential) { c.Host = "127.1" },
		"is no port":                  func(c *Credential) { c.Port = 65536 },
		"no header":                   func(c *Credential) { c.Header = "X Y" },
		`"host" is no header`:         func(c *Credential) { c.Header = "host" },
		"absolute and straight":       func(c *Credential) { c.PathPrefix = "/v1/../" },
		"absolute and straight one":   func(c *Credential) { c.PathPrefix = "v1" },
		"the placeholder is not made": func(c *Credential) { c.Placeholder = "short" },
		"has no value":                func(c *Credential) { c.Value = nil },
	} {
		c := good
		change(&c)
		if _, err := New(Config{Credentials: []Credential{c}}); err == nil || fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := New(Config{Credentials: []Credential{good, good}}); err == nil || !strings.Contains(err.Error(), "share a placeholder") {
		t.Errorf("twice: %v", err)
	}
}

// TestPrograms drives the proxy with Python's urllib, and with curl when it is
// on this machine.
func TestPrograms(t *testing.T) {
	w, _, placeholder, seen := withCredential(t)
	_, port, err := net.SplitHostPort(w.at)
	if err != nil {
		t.Fatal(err)
	}
	bundle := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(bundle, w.proxy.CA(), 0o600); err != nil {
		t.Fatal(err)
	}
	var n int
	_, _ = fmt.Sscan(port, &n)
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	for name, value := range w.proxy.Environ(n, bundle) {
		env = append(env, name+"="+value)
	}
	run := func(name string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Env = env
		out, _ := cmd.CombinedOutput() // it may fail: the text says how
		return string(out)
	}
	for name, programs := range map[string]func(url, header string) []string{
		"curl": func(url, header string) []string {
			return []string{"-sS", "-m", "20", "-H", header, url}
		},
		"python3": func(url, header string) []string {
			return []string{"-c", "import sys, urllib.request as u\nk, _, v = sys.argv[2].partition(': ')\nprint(u.urlopen(u.Request(sys.argv[1], headers={k: v}), timeout=20).read().decode(errors='replace'))", url, header}
		},
	} {
		path, err := exec.LookPath(name)
		if name == "python3" {
			path, err = cpython.Unpack()
		}
		if err != nil {
			t.Logf("without %s: %v", name, err)
			continue
		}
		before := len(seen())
		header := "Authorization: Bearer " + placeholder
		if out := run(path, programs("https://api.example.com/v1/", header)...); !strings.Contains(out, "Bearer "+placeholder) || leaks(out) {
			t.Errorf("%s, with a credential: %s", name, out)
		}
		if got := seen()[before:]; len(got) != 1 || !strings.Contains(got[0], canary) {
			t.Errorf("%s: arrived %q", name, got)
		}
		if out := run(path, programs("http://other.example.com/x", "X: y")...); strings.Contains(out, "rror") || len(seen()) != before+2 {
			t.Errorf("%s, plain: %s", name, out)
		}
		if out := run(path, programs("https://elsewhere.net/", "X: y")...); !strings.Contains(out, "403") {
			t.Errorf("%s, refused: %s", name, out)
		}
	}
	if path, err := exec.LookPath("curl"); err == nil {
		if out := run(path, "-sS", "-m", "20", "-x", "socks5h://"+w.at, "https://api.example.com/v1/", "-H", "Authorization: Bearer "+placeholder); !strings.Contains(out, placeholder) || leaks(out) {
			t.Errorf("curl over SOCKS5: %s", out)
		}
		if out := run(path, "-sS", "-m", "20", "-x", "socks5h://"+w.at, "https://elsewhere.net/"); !strings.Contains(out, "curl: (97)") {
			t.Errorf("curl over SOCKS5, refused: %s", out)
		}
	}
}
