package stream

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
)

const key = "sk-secret-0123456789"

func client(t *testing.T, url string) *Client {
	t.Helper()
	c, err := New(Config{Model: "test:m", Key: key, KeyVar: "KEY", URLVar: "URL", BaseURL: url, Timeout: time.Minute,
		Header: http.Header{"Authorization": {"Bearer " + key}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAsk(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if r.Method != "POST" || r.URL.String() != "/v1/chat?version=7" || string(body) != `{"a":1}` ||
			r.Header.Get("Authorization") != "Bearer "+key || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("asked %s %s %s %v", r.Method, r.URL, body, r.Header)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, ": hello\n\ndata: a\n\nevent: x\ndata: b\n\n")
	}))
	defer s.Close()
	got, err := client(t, s.URL+"/v1/?version=7").Ask(t.Context(), "chat", map[string]int{"a": 1}, &collect{})
	if err != nil || got.Text != "=a|x=b" {
		t.Errorf("reply = %+v, %v", got, err)
	}
}

// TestNoRedirect checks that the key goes to no other host.
func TestNoRedirect(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("asked with %v", r.Header)
	}))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := httptest.NewServer(http.RedirectHandler(other.URL, status))
		_, err := client(t, s.URL).Ask(t.Context(), "x", nil, &collect{})
		if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), key) {
			t.Errorf("%d: error = %v", status, err)
		}
		s.Close()
	}
}

// TestBounds checks that an answer is given up when it is too long, and not
// asked for again.
func TestBounds(t *testing.T) {
	pings := strings.Repeat(": ping\n\n", 1<<10)
	big := "data: " + strings.Repeat("x", 1<<20) + "\n"
	tests := []struct {
		name  string
		piece string
		want  string
	}{
		{"an answer without end", pings, "more than 16 MiB"},
		{"an event without end", big, "an event of more than 4 MiB"},
		{"many events", big + "\n", "more than 16 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sent := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				for sent < 1<<30 {
					n, err := io.WriteString(w, tt.piece)
					if sent += n; err != nil {
						return
					}
				}
			}))
			_, err := client(t, s.URL).Ask(t.Context(), "x", nil, discard{})
			s.Close()
			var passing *Temporary
			if fault.KindOf(err) != fault.Unavailable || !strings.HasSuffix(err.Error(), tt.want) || errors.As(err, &passing) {
				t.Errorf("error = %v, want one for good that ends with %q", err, tt.want)
			}
			if sent > 4*MaxBody {
				t.Errorf("%d bytes were sent", sent)
			}
		})
	}
}

// discard is a decoder that keeps nothing.
type discard struct{}

func (discard) Take(Event) error           { return nil }
func (discard) Reply() (llm.Reply, error)  { return llm.Reply{}, nil }
func (discard) Begun() (event.Tokens, int) { return event.Tokens{}, 0 }

func TestErrorBodies(t *testing.T) {
	tests := []struct {
		name string
		raw  string
		want errorBody
	}{
		{"OpenAI", `{"error":{"message":"no","type":"invalid_request_error","param":"x","code":"unsupported_parameter"}}`, errorBody{Message: "no", Type: "invalid_request_error", Code: "unsupported_parameter"}},
		{"Anthropic", `{"type":"error","error":{"type":"api_error","message":"no"},"request_id":"r"}`, errorBody{Message: "no", Type: "api_error", Code: ""}},
		{"Ollama", `{"error":"no"}`, errorBody{Message: "no"}},
		{"flat", `{"object":"error","message":"no","type":"BadRequestError","code":400}`, errorBody{Message: "no", Type: "BadRequestError", Code: "400"}},
		{"Google", `{"error":{"code":429,"message":"no","status":"RESOURCE_EXHAUSTED","details":[{"@type":"a"},{"retryDelay":"2.5s"}]}}`, errorBody{Message: "no", Type: "RESOURCE_EXHAUSTED", Code: "429", After: 2500 * time.Millisecond}},
		{"details of another kind", `{"error":{"message":"no","details":{"retryDelay":7}}}`, errorBody{Message: "no"}},
		{"a list of details", `{"detail":[{"type":"extra_forbidden","loc":["body","x"]}]}`, errorBody{Message: `[{"type":"extra_forbidden","loc":["body","x"]}]`}},
		{"a detail", `{"detail":"Not Found"}`, errorBody{Message: "Not Found"}},
		{"details in the message", `{"object":"error","message":{"detail":[1]}}`, errorBody{Message: `{"detail":[1]}`}},
		{"no error", `{"error":null,"message":"no"}`, errorBody{Message: "no"}},
		{"a string", `"no"`, errorBody{Message: "no"}},
		{"another value", `[1]`, errorBody{}},
		{"a page", `<html>no</html>`, errorBody{}},
		{"nothing", ``, errorBody{}},
	}
	for _, tt := range tests {
		if got := readErrorBody([]byte(tt.raw)); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// FuzzErrors checks that no answer of a server makes an error that shows the
// key, has more than one line or is long.
func FuzzErrors(f *testing.F) {
	for _, raw := range []string{`{"error":{"message":"bad key ` + key + `","code":401}}`, `{"detail":["` + key + `"]}`, "<html>", `{"error":"a\nb"}`} {
		f.Add(401, raw)
		f.Add(0, raw)
		f.Add(200, strings.Repeat(raw, 100))
	}
	c, err := New(Config{Model: "test:m", Key: key, KeyVar: "KEY", URLVar: "URL", BaseURL: "http://server.example/"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, status int, raw string) {
		err := error(&statusError{status: status, body: readErrorBody([]byte(raw))})
		switch {
		case status == 0:
			err = ErrorEvent([]byte(raw))
		case status == http.StatusOK:
			err = &notStreamError{kind: otherType(raw), message: raw}
		}
		for err := c.failed(t.Context(), err); err != nil; err = errors.Unwrap(err) {
			if text := err.Error(); strings.Contains(text, key) || strings.ContainsAny(text, "\n\r") || len(text) > 2000 {
				t.Fatalf("error = %q", text)
			}
			if fault.KindOf(err) == fault.Internal {
				t.Fatalf("%v is no fault", err)
			}
		}
	})
}

// FuzzForeign checks that no JSON breaks what is read leniently.
func FuzzForeign(f *testing.F) {
	for _, raw := range []string{`1`, `-1`, `1e300`, `"1"`, `null`, `{}`, `"a\u0000b"`, `[`} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		var v struct {
			Count Count
			Text  Text
		}
		if !json.Valid([]byte(raw)) {
			return
		}
		if err := json.Unmarshal([]byte(`{"Count":`+raw+`,"Text":`+raw+`}`), &v); err != nil {
			t.Fatalf("cannot read: %v", err)
		}
		if v.Count < 0 || v.Count > 1<<40 {
			t.Fatalf("count = %d", v.Count)
		}
	})
}

func TestReasoningBounds(t *testing.T) {
	var r Reasoning
	for range 3 {
		r.Add(strings.Repeat("é", maxReasoning/4))
		r.Sign("s")
	}
	if got := r.Whole(); len(got.Text) > maxReasoning || len(got.Text) < maxReasoning-2 || strings.ContainsRune(got.Text, '\uFFFD') || got.Signature != "" {
		t.Errorf("%d bytes, signed %q", len(got.Text), got.Signature)
	}
	var signed Reasoning
	signed.Add("a")
	signed.Sign(strings.Repeat("s", maxSignature+1))
	if got := signed.Whole(); got.Text != "a" || got.Signature != "" {
		t.Errorf("a long signature was kept: %d bytes", len(got.Signature))
	}
}
