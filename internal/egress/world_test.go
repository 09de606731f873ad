package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/event"
)

// world is a network with names, in which every address is served by this process.
type world struct {
	t     *testing.T
	names map[string][]string // what a name resolves to
	hosts map[string]string   // from the address that is dialled to where it is served
	proxy *Proxy
	at    string // where the proxy listens

	mu     sync.Mutex
	looked []string
	dialed []string
	events []event.Event
}

func (w *world) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looked = append(w.looked, host)
	var out []netip.Addr
	for _, a := range w.names[strings.TrimSuffix(host, ".")] {
		out = append(out, netip.MustParseAddr(a))
	}
	if out == nil || !strings.HasSuffix(host, ".") {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return out, nil
}

func (w *world) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	w.dialed = append(w.dialed, address)
	real, ok := w.hosts[address]
	w.mu.Unlock()
	if !ok {
		return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
	}
	return new(net.Dialer).DialContext(ctx, network, real)
}

func (w *world) Emit(e event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e)
}

// newWorld makes a world and starts a proxy in it, which ends with the test: then
// everything that was opened must be closed.
func newWorld(t *testing.T, c Config, rules ...string) *world {
	t.Helper()
	w := &world{t: t, names: map[string][]string{}, hosts: map[string]string{}}
	c.Rules = mustRules(t, rules...)
	c.Resolver, c.Dial, c.Sink = w, w.dial, w
	if len(rules) == 1 && rules[0] == "none" {
		c.Rules = Rules{}
	}
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.proxy, w.at = p, ln.Addr().String()
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			// Only what the contract promises is handed on.
			wg.Go(func() { p.Serve(context.Background(), struct{ io.ReadWriteCloser }{conn}) })
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		w.checkPairs()
	})
	return w
}

// checkPairs requires that each opening is followed by one closing.
func (w *world) checkPairs() {
	open := map[string]bool{}
	for _, e := range w.seen() {
		switch e := e.(type) {
		case event.ConnectionOpened:
			if open[e.ID] {
				w.t.Errorf("%s was opened twice", e.ID)
			}
			open[e.ID] = true
		case event.ConnectionClosed:
			if !open[e.ID] || e.Reason == "" {
				w.t.Errorf("closed without opening or reason: %+v", e)
			}
			delete(open, e.ID)
		}
	}
	for id := range open {
		w.t.Errorf("%s was never closed", id)
	}
}

func (w *world) seen() []event.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.events)
}

func (w *world) lookups() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.looked)
}

func (w *world) dials() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.dialed)
}

// text returns all events as they are written.
func (w *world) text() string {
	var b strings.Builder
	for _, e := range w.seen() {
		data, err := event.Marshal(e)
		if err != nil {
			w.t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\n", event.Name(e), data)
	}
	return b.String()
}

// await waits for an event whose text contains the words.
func (w *world) await(words string) {
	w.t.Helper()
	for range 3000 {
		if strings.Contains(w.text(), words) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.t.Errorf("no event has %q:\n%s", words, w.text())
}

// serve makes a name lead to a handler, at a public address that no other has.
func (w *world) serve(name string, port int, secure bool, h http.Handler) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	w.t.Cleanup(s.Close)
	w.place(name, port, s.Listener.Addr().String())
	return s
}

func (w *world) place(name string, port int, real string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.names[name] == nil {
		w.names[name] = []string{fmt.Sprintf("93.184.216.%d", 10+len(w.names))}
	}
	w.hosts[netip.AddrPortFrom(netip.MustParseAddr(w.names[name][0]), uint16(port)).String()] = real
}

// client returns a Go client that uses the proxy.
func (w *world) client(scheme string, roots *x509.CertPool) *http.Client {
	tr := &http.Transport{
		Proxy:           http.ProxyURL(&url.URL{Scheme: scheme, Host: w.at}),
		TLSClientConfig: &tls.Config{RootCAs: roots},
	}
	w.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 20 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// raw opens a connection to the proxy and says something.
func (w *world) raw(say string) (net.Conn, *bufio.Reader) {
	w.t.Helper()
	conn, err := net.Dial("tcp", w.at)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(conn, say); err != nil {
		w.t.Fatal(err)
	}
	return conn, bufio.NewReader(conn)
}

// exchange sends something and returns all that comes back.
func (w *world) exchange(say string) string {
	w.t.Helper()
	_, br := w.raw(say)
	b, _ := io.ReadAll(br)
	return string(b)
}

func socksRequest(host string, port int) string {
	return "\x05\x01\x00\x05\x01\x00\x03" + string([]byte{byte(len(host))}) + host + string([]byte{byte(port >> 8), byte(port)})
}

func roots(servers ...*httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	for _, s := range servers {
		pool.AddCert(s.Certificate())
	}
	return pool
}

func get(t *testing.T, c *http.Client, url string) (int, string) {
	t.Helper()
	resp, err := c.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, string(b)
}

func hello(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, text+" "+r.Host+r.URL.Path)
	})
}

func TestMain(m *testing.M) {
	for _, name := range []string{"http_proxy", "https_proxy", "all_proxy", "no_proxy"} {
		_ = os.Unsetenv(name)
		_ = os.Unsetenv(strings.ToUpper(name))
	}
	os.Exit(m.Run())
}
