package egress

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/internal/diagnostics"
)

// screen is standard error, as somebody sees it.
type screen struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// TestUnsolicitedBytes has a host that was sent a credential send it back on the idle
// connection, in forms that nobody looks for: net/http logs what it finds there.
func TestUnsolicitedBytes(t *testing.T) {
	before, flags := log.Writer(), log.Flags()
	t.Cleanup(func() { log.SetOutput(before); log.SetFlags(flags) })
	seen := &screen{}
	notes := diagnostics.New(seen)
	notes.Capture()

	twice := base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(canary))))
	upper := strings.ToUpper(canary)
	placeholder := NewPlaceholder()
	w := newWorld(t, Config{Credentials: []Credential{{Name: "API", Host: "x.example.com", Port: 80, Plain: true, Header: "X-Key", Placeholder: placeholder, Value: func() (string, error) { return canary, nil }}}}, "x.example.com")
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var hosts sync.WaitGroup
	t.Cleanup(func() { ln.Close(); hosts.Wait() })
	hosts.Go(func() {
		for n := 0; ; n++ {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			hosts.Go(func() {
				defer conn.Close()
				_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
				req, err := http.ReadRequest(bufio.NewReader(conn))
				if err != nil || req.Header.Get("X-Key") != canary {
					t.Errorf("the request came with %v, %v", req, err)
					return
				}
				echo := fmt.Sprintf("%s %s %s", canary, twice, upper)
				if n == 0 { // with the response, or after it
					_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"+echo)
				} else {
					_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
					time.Sleep(10 * time.Millisecond)
					_, _ = io.WriteString(conn, echo)
				}
				_, _ = io.Copy(io.Discard, conn) // until the proxy closes it
			})
		}
	})
	w.place("x.example.com", 80, ln.Addr().String())
	for n := 1; n <= 2; n++ {
		client := w.client("http", nil)
		if status, body := send(t, client, "GET", "http://x.example.com/", "X-Key", placeholder, ""); status != 200 || !strings.HasSuffix(body, "ok") {
			t.Errorf("%d %q", status, body)
		}
		for range 2000 {
			if strings.Count(seen.String(), "Unsolicited") >= n {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	got := seen.String()
	if n := strings.Count(got, "Unsolicited"); n != 2 {
		t.Errorf("%d connections were noted:\n%s", n, got)
	}
	for _, form := range []string{canary, "cAnArY", "CANARY", twice, twice[:12]} {
		if strings.Contains(got, form) {
			t.Errorf("standard error has %q:\n%s", form, got)
		}
	}
}
