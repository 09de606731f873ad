package egress

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"praxis/event"
)

// pipes is a network without one: each host answers requests, and says "echo "
// before all else.
type pipes struct {
	wg sync.WaitGroup

	mu     sync.Mutex
	dialed []string
}

func (p *pipes) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
}

func (p *pipes) dial(_ context.Context, _, address string) (net.Conn, error) {
	p.mu.Lock()
	p.dialed = append(p.dialed, address)
	p.mu.Unlock()
	ours, theirs := net.Pipe()
	p.wg.Go(func() {
		defer theirs.Close()
		br := bufio.NewReader(theirs)
		for {
			req, err := http.ReadRequest(br)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, req.Body)
			if req.URL.Path == "/silent" {
				continue
			}
			_, _ = io.WriteString(theirs, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	})
	return ours, nil
}

// TestNothingIsLeft runs with a clock of its own: it ends only when every
// goroutine did.
func TestNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events []event.Event
		hosts := &pipes{}
		p, err := New(Config{
			Rules: mustRules(t, "example.com,example.com:9"), Resolver: hosts, Dial: hosts.dial,
			Limits: Limits{Head: 10 * time.Second, Idle: time.Minute},
			Sink:   event.SinkFunc(func(e event.Event) { events = append(events, e) }),
		})
		if err != nil {
			t.Fatal(err)
		}
		var serving sync.WaitGroup
		begin := func(say string) net.Conn {
			ours, theirs := net.Pipe()
			serving.Go(func() { p.Serve(t.Context(), theirs) })
			go func() { _, _ = io.WriteString(ours, say) }()
			return ours
		}
		// waits reads until the proxy closes the connection, and says after how long.
		waits := func(c net.Conn) time.Duration {
			at := time.Now()
			_, _ = io.Copy(io.Discard, c)
			_ = c.Close()
			return time.Since(at)
		}
		const request = "GET http://example.com/ HTTP/1.1\r\n\r\n"
		for say, want := range map[string]time.Duration{
			"":      10 * time.Second,
			"\x05":  10 * time.Second,
			"GET /": 10 * time.Second,
			"CONNECT example.com:443 HTTP/1.1\r\n\r\n":                          10 * time.Second,
			"CONNECT example.com:9 HTTP/1.1\r\n\r\n":                            time.Minute,
			request:                                                             time.Minute,
			request + request + "GET":                                           10 * time.Second,
			"GET http://example.com/silent HTTP/1.1\r\n\r\n":                    time.Minute,
			"CONNECT other.net:443 HTTP/1.1\r\n\r\n":                            0,
			"POST http://example.com/ HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc": time.Minute,
		} {
			if got := waits(begin(say)); got != want {
				t.Errorf("%q: closed after %s, want %s", say, got, want)
			}
		}
		// What the code leaves open ends with the proxy, what it closes ends at once.
		gone := begin("GET http://example.com/silent HTTP/1.1\r\n\r\n")
		synctest.Wait()
		_ = gone.Close()
		synctest.Wait()
		p.mu.Lock()
		if len(p.guests) != 0 || len(p.links) != 0 || len(p.hosts) != 0 {
			t.Errorf("%d guests, %d links, %v are left", len(p.guests), len(p.links), p.hosts)
		}
		p.mu.Unlock()
		var open []net.Conn
		for _, say := range []string{"", request, "CONNECT example.com:9 HTTP/1.1\r\n\r\nx", "GET http://example.com/silent HTTP/1.1\r\n\r\n"} {
			c := begin(say)
			open = append(open, c)
			go func() { _, _ = io.Copy(io.Discard, c) }()
		}
		synctest.Wait()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		last := ""
		for _, e := range events {
			if e, ok := e.(event.ConnectionClosed); ok {
				last = e.Reason
			}
		}
		if last != "the run is over" {
			t.Errorf("the last reason is %q", last)
		}
		if got := waits(begin("GET")); got != 0 {
			t.Errorf("after Close: %s", got)
		}
		for _, c := range open {
			_ = c.Close()
		}
		serving.Wait()
		hosts.wg.Wait()
	})
}

// said is a connection that says something and then no more.
type said struct {
	io.Reader
	out bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) { return s.out.Write(b) }
func (s *said) Close() error                { return nil }

// FuzzServe requires that nothing that the code says makes the proxy reach a
// place that no rule allows, or stay.
func FuzzServe(f *testing.F) {
	for in := range smuggled {
		f.Add([]byte(strings.ReplaceAll(in, " / ", " http://example.com/ ")))
	}
	f.Add([]byte("CONNECT example.com:443 HTTP/1.1\r\n\r\n" + string(clientHello(f, "example.com"))))
	f.Add([]byte("CONNECT example.com:80 HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: example.com\r\n\r\n"))
	f.Add([]byte(socksRequest("example.com", 9) + "data"))
	f.Add([]byte(socksRequest("127.0.0.1", 9) + "data"))
	f.Add([]byte("POST http://10.0.0.7:8080/ HTTP/1.1\r\nHost: 10.0.0.7:8080\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\nGET http://example.com/ HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		hosts := &pipes{}
		p, err := New(Config{Rules: mustRules(t, "example.com,example.com:9,10.0.0.7:8080"), Resolver: hosts, Dial: hosts.dial, Limits: Limits{HeadBytes: 4 << 10}})
		if err != nil {
			t.Fatal(err)
		}
		p.Serve(t.Context(), &said{Reader: bytes.NewReader(in)})
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		hosts.wg.Wait()
		for _, address := range hosts.dialed {
			switch address {
			case "93.184.216.34:80", "93.184.216.34:443", "93.184.216.34:9", "10.0.0.7:8080":
			default:
				t.Fatalf("dialled %s", address)
			}
		}
	})
}
