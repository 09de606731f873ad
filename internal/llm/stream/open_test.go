package stream

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/llm"
)

// at makes a client of a server that is known by another name.
func at(t *testing.T, name string, s *httptest.Server, timeout time.Duration) *Client {
	t.Helper()
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, s.Listener.Addr().String())
	}
	c, err := New(Config{Model: "test:m", KeyVar: "KEY", URLVar: "URL", BaseURL: "http://" + name + "/", Timeout: timeout,
		HTTPClient: &http.Client{Transport: &http.Transport{DialContext: dial}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestOneRequestAtATime checks that no request is sent while another is open,
// and that a server of one's own that is slow is not asked again at all.
func TestOneRequestAtATime(t *testing.T) {
	for host, want := range map[string]int32{"api.example.com": 2, "models.lan": 1, "127.0.0.1": 1} {
		t.Run(host, func(t *testing.T) {
			var requests, open, most atomic.Int32
			left := make(chan struct{}, 8)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				most.Store(max(most.Load(), open.Add(1)))
				defer func() { open.Add(-1); left <- struct{}{} }()
				if _, err := io.Copy(io.Discard, r.Body); err != nil { // the server sees a client leave only then
					t.Error(err)
				}
				w.Header().Set("Content-Type", "text/event-stream")
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}))
			defer s.Close()
			c := at(t, host, s, 100*time.Millisecond)
			retry := Retry{Sleep: func(context.Context, time.Duration) error {
				<-left // it never comes when the first request stays open
				return nil
			}}
			_, err := retry.Stream(t.Context(), llm.Request{}, nil, func(func(string)) (llm.Reply, error) {
				return c.Ask(t.Context(), "x", nil, &collect{})
			})
			if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "nothing came for 100ms") {
				t.Errorf("error = %v", err)
			}
			if want == 1 && fault.CodeOf(err) != fault.ModelSilent {
				t.Errorf("code = %s", fault.CodeOf(err))
			}
			if requests.Load() != want || most.Load() != 1 {
				t.Errorf("%d requests, %d at once; want %d, one at a time", requests.Load(), most.Load(), want)
			}
		})
	}
}

func TestLocal(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "::1": true, "192.168.1.7": true, "10.0.0.1": true, "::ffff:10.0.0.1": true, "0.0.0.0": true, "ollama": true, "gpu.local": true, "gpu.local.": true,
		"host.docker.internal": true, "nas.lan": true, "fd00::1": true,
		"api.openai.com": false, "8.8.8.8": false, "localhost.example.com": false, "lan.example": false, "2001:db8::1": false,
	} {
		if got := isLocal(host); got != want {
			t.Errorf("%s: local %v, want %v", host, got, want)
		}
	}
}

func TestSilenceOfServers(t *testing.T) {
	for base, want := range map[string]time.Duration{"https://api.example.com/": ownSilence, "https://other.example.com/": otherSilence, "http://localhost:1/": localSilence} {
		c, err := New(Config{BaseURL: base, OwnHost: "api.example.com"})
		if err != nil || c.Silence() != want {
			t.Errorf("%s: %s, %v, want %s", base, c.Silence(), err, want)
		}
		if c.cfg.Timeout = time.Hour; c.Silence() != time.Hour {
			t.Errorf("%s: what was set is not kept", base)
		}
	}
}

func TestIncompleteTokens(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: a\n\n")
	}))
	defer s.Close()
	got, err := client(t, s.URL).Ask(t.Context(), "x", nil, &collect{})
	if err != nil || !got.Tokens.Incomplete {
		t.Errorf("reply = %+v, %v: want its tokens marked as not counted", got, err)
	}
}

func TestGet(t *testing.T) {
	var v struct{ A int }
	for name, tt := range map[string]struct {
		status int
		body   string
		kind   fault.Kind
		text   string
	}{
		"a list":    {200, `{"a": 7}`, 0, ""},
		"no JSON":   {200, `<html>`, fault.Unavailable, "it is no list of models"},
		"denied":    {401, `{"error":{"message":"bad ` + key + `"}}`, fault.Denied, "refused the key: bad [key]"},
		"a bad key": {400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`, fault.Denied, "refused the key"},
		"busy":      {429, `{}`, fault.Exhausted, "too many requests"},
		"no end":    {200, strings.Repeat(" ", MaxBody+1), fault.Unavailable, "more than 16 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests++
				if r.Method != "GET" || r.URL.String() != "/v1/models?n=1" || r.Header.Get("Authorization") != "Bearer "+key {
					t.Errorf("asked %s %s", r.Method, r.URL)
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			}))
			defer s.Close()
			err := client(t, s.URL).Get(t.Context(), "v1/models", "n=1", &v)
			if requests != 1 || tt.text == "" && (err != nil || v.A != 7) {
				t.Fatalf("got %+v, %v after %d requests", v, err, requests)
			}
			if tt.text != "" && (fault.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.text) || strings.Contains(err.Error(), key)) {
				t.Errorf("error = %v", err)
			}
		})
	}
}

func TestNames(t *testing.T) {
	var got []string
	for _, name := range []string{"a", "", "b\x1b[2J", strings.Repeat("x", 300), "c/d:e"} {
		got = Names(got, name)
	}
	if strings.Join(got, " ") != "a c/d:e" {
		t.Errorf("got %q", got)
	}
}

// TestProxy checks that a request goes through the proxy that the environment
// names, unless it says that it does not. Go reads the environment once a
// process, so that each case is one.
func TestProxy(t *testing.T) {
	if mode := os.Getenv("PRAXIS_TEST_PROXY"); mode != "" {
		var dialled string
		over, ok := http.DefaultTransport.(*http.Transport)
		if !ok {
			t.Fatal("the default transport is another")
		}
		over = over.Clone()
		over.DialContext = func(_ context.Context, _, address string) (net.Conn, error) {
			dialled = address
			return nil, errors.New("not now")
		}
		c, err := New(Config{Model: "test:m", BaseURL: mode, HTTPClient: &http.Client{Transport: over}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Ask(t.Context(), "x", nil, &collect{}); err == nil {
			t.Fatal("a reply")
		}
		t.Log("dialled", dialled)
		return
	}
	for _, tt := range []struct{ url, want string }{
		{"https://api.example.com/", "proxy.example.com:3128"},
		{"http://api.example.com/", "plain.example.com:80"},
		{"https://direct.example.com/", "direct.example.com:443"},
		{"http://localhost:7/", "localhost:7"},
	} {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxy$", "-test.v")
		child.Env = []string{"PRAXIS_TEST_PROXY=" + tt.url, "HTTPS_PROXY=http://proxy.example.com:3128", "HTTP_PROXY=http://plain.example.com", "NO_PROXY=direct.example.com"}
		out, err := child.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "dialled "+tt.want+"\n") {
			t.Errorf("%s: %v, want it to dial %s:\n%s", tt.url, err, tt.want, out)
		}
	}
}
