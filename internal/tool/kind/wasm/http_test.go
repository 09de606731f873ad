package wasm

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"praxis/fault"
)

func TestRequests(t *testing.T) {
	f := shared(t)
	var hits atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer inside.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/hello", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "hello %s", r.Header.Get("X-Try")) })
	mux.HandleFunc("/bytes", func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte{0xff, 0xfe}) })
	mux.HandleFunc("/big", func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(make([]byte, maxAnswer+1)) })
	mux.HandleFunc("/headers", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Big", strings.Repeat("x", 2*maxHeaderBytes))
	})
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, inside.URL, http.StatusFound) })
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	server := httptest.NewServer(mux)
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(inside.URL, "http://"))

	impl := f.with(t, f.kind, fmt.Sprintf(`{"time":"2s","hosts":[%q,"localhost:%s","no-such-host.invalid:80"]}`, address, port))
	fetch := func(urls string) string {
		return must(t, impl, fmt.Sprintf(`{"do":"http","buffer":10,"urls":[%s]}`, urls))
	}
	for url, want := range map[string]string{
		server.URL + "/hello":                   `"body":"hello 1"`,
		server.URL + "/bytes":                   `"body_base64":"//4="`,
		server.URL + "/big":                     `"kind":"exhausted"`,
		server.URL + "/headers":                 `"kind":"unavailable"`,
		server.URL + "/away":                    `"status":302`,
		strings.ToUpper(server.URL) + "/hello":  `"body":"hello 1"`,
		inside.URL:                              `"kind":"denied"`, // granted as a name, which leads to a private address
		"http://localhost:" + port:              `"message":"cannot ask localhost:` + port + `: its name leads to no address of the public Internet"`,
		"http://LOCALHOST.:" + port:             `"kind":"denied"`,
		"http://2130706433:" + port:             `"kind":"denied"`,
		"http://0x7f.1:" + port:                 `"kind":"denied"`,
		"http://[::ffff:127.0.0.1]:" + port:     `"kind":"denied"`,
		"http://[::1]:" + port:                  `"kind":"denied"`,
		"http://127.1:" + port:                  `"kind":"denied"`,
		"http://example.com/":                   `"kind":"denied"`,
		"http://169.254.169.254/":               `"kind":"denied"`,
		"http://" + address + "@example.com/":   `"kind":"invalid"`,
		"http://u:p@" + address + "/hello":      `"kind":"invalid"`,
		"https://" + address[:9] + "/":          `"kind":"denied"`,
		"file:///etc/passwd":                    `"kind":"invalid"`,
		"gopher://" + address:                   `"kind":"invalid"`,
		"//" + address + "/hello":               `"kind":"invalid"`,
		"http://" + address + `\\@example.com/`: `"kind":"invalid"`,
		"http://no-such-host.invalid/":          `"kind":"unavailable"`,
	} {
		if got := fetch(`"` + url + `"`); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", url, got, want)
		}
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("%d requests went inside", n)
	}
	for text, want := range map[string]string{
		`{`:                                     "cannot read JSON",
		`[]`:                                    "not an object",
		`{"url":"http://a","metod":""}`:         "unknown key",
		`{"url":"http://a","method":"CONNECT"}`: "method",
		`{"url":"http://a","body":"x","body_base64":"eA=="}`:                                    "two bodies",
		`{"url":"http://a","body_base64":"!"}`:                                                  "not base64",
		`{"url":"` + server.URL + `","headers":{"Host":"evil"}}`:                                "cannot be set",
		`{"url":"` + server.URL + `","headers":{"Transfer-Encoding":"chunked"}}`:                "cannot be set",
		`{"url":"` + server.URL + `","headers":{"X-A":"b\r\nHost: evil"}}`:                      "invalid header",
		`{"method":"POST","url":"` + server.URL + `/hello","body":"x","headers":{"x-try":"2"}}`: "hello 2",
	} {
		got := must(t, impl, fmt.Sprintf(`{"do":"http","buffer":9000,"urls":[""],"text":%q}`, text))
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	many := strings.Repeat(`"`+server.URL+`/hello",`, maxRequests) + `"` + server.URL + `/hello"`
	if got := fetch(many); strings.Count(got, "hello 1") != maxRequests || !strings.Contains(got, "at most 100") {
		t.Errorf("many: %s", got[max(0, len(got)-300):])
	}
	_, err := call(t, impl, `{"do":"http","buffer":10,"urls":["`+server.URL+`/hang"]}`)
	wantFault(t, err, fault.Exhausted, "2s")
}

// The host that was refused is in the failure of a module that gives up.
func TestRefusedHostIsReported(t *testing.T) {
	f := shared(t)
	impl := f.with(t, f.kind, `{}`)
	_, err := call(t, impl, `{"do":"http","buffer":0,"urls":["http://example.com/","x"],"text":""}`)
	if err != nil {
		t.Fatal(err) // it answered, though it was refused
	}
	m := impl.(*implementation)
	g := &guest{client: &client{refused: "example.com:80"}, out: &boundedOutput{}, err: &ends{}, left: newAllowance(1)}
	err = m.verdict(t.Context(), g, 0, nil, fmt.Errorf("wasm error: unreachable\nstack"))
	wantFault(t, err, fault.Denied, "example.com:80", "Grant the host")
}

// A name is resolved once, and what it leads to is what is connected to.
func TestSafeDial(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	for _, found := range []string{"127.0.0.1", "10.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "fe80::1", "100.64.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "0.0.0.0", "::", "224.0.0.1", "255.255.255.255", "fd00::1", "192.168.1.1", "172.16.0.1"} {
		lookups := 0
		dial := safeDial(func(context.Context, string) ([]netip.Addr, error) {
			lookups++
			return []netip.Addr{netip.MustParseAddr(found)}, nil
		})
		_, port, _ := net.SplitHostPort(address)
		_, err := dial(t.Context(), "tcp", "inside.example.com:"+port)
		wantFault(t, err, fault.Denied, "inside.example.com")
		if lookups != 1 {
			t.Errorf("asked %d times", lookups)
		}
	}
	conn, err := safeDial(nil)(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}
