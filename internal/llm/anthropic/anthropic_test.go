package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/llm/anthropic"
	"praxis/internal/llm/stream"
)

const key = "sk-ant-secret-0123456789"

// server answers each request with the next handler, the last one for all that follow.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	next   []http.HandlerFunc
	bodies []map[string]any
	heads  []http.Header
}

func serve(t *testing.T, handlers ...http.HandlerFunc) *server {
	t.Helper()
	s := &server{next: handlers}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("cannot read the request: %v", err)
		}
		var body map[string]any
		if err := json.Unmarshal(raw, &body); err != nil {
			t.Errorf("the request is no JSON: %v", err)
		}
		s.mu.Lock()
		h := s.next[0]
		if len(s.next) > 1 {
			s.next = s.next[1:]
		}
		s.bodies = append(s.bodies, body)
		s.heads = append(s.heads, r.Header.Clone())
		s.mu.Unlock()
		if r.URL.Path != "/v1/messages" {
			t.Errorf("path = %s, want /v1/messages", r.URL.Path)
		}
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

// sse writes a stream as the API does; each line is the data of one event.
func sse(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, e := range events {
			var head struct{ Type string }
			if err := json.Unmarshal([]byte(e), &head); err != nil {
				head.Type = "message_start"
			}
			_, _ = io.WriteString(w, "event: "+head.Type+"\ndata: "+e+"\n\n")
		}
	}
}

// typed answers with a content of another type.
func typed(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, body)
	}
}

func status(code int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

var textReply = []string{
	`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"m","stop_reason":null,"usage":{"input_tokens":25,"cache_read_input_tokens":5,"output_tokens":1}}}`,
	`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
	`{"type":"ping"}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}`,
	`{"type":"content_block_stop","index":0}`,
	`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":15}}`,
	`{"type":"message_stop"}`,
}

// naps records the pauses instead of making them.
type naps struct{ took []time.Duration }

func (n *naps) retry() stream.Retry {
	return stream.Retry{Attempts: 3, Base: time.Second, Max: 20 * time.Second, Jitter: func() float64 { return 0 },
		Sleep: func(_ context.Context, d time.Duration) error {
			n.took = append(n.took, d)
			return nil
		}}
}

func model(t *testing.T, s *server, n *naps, edit ...func(*anthropic.Config)) *anthropic.Model {
	t.Helper()
	c := anthropic.Config{Name: "m", Key: key, BaseURL: s.URL, Retry: n.retry()}
	for _, e := range edit {
		e(&c)
	}
	m, err := anthropic.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ask() llm.Request {
	return llm.Request{System: "be exact", Messages: []llm.Message{{Role: llm.User, Text: "hi"}}}
}

func TestTextStream(t *testing.T) {
	s := serve(t, sse(textReply...))
	var pieces []string
	got, err := model(t, s, &naps{}).Complete(t.Context(), ask(), func(p string) { pieces = append(pieces, p) })
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Reply{Text: "Hello", Tokens: event.Tokens{Input: 30, Output: 15, CacheRead: 5}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("reply = %+v, want %+v", got, want)
	}
	if want := []string{"Hel", "lo"}; !reflect.DeepEqual(pieces, want) {
		t.Errorf("pieces = %q, want %q", pieces, want)
	}
	if got := s.heads[0].Get("X-Api-Key"); got != key {
		t.Errorf("the key was sent as %q", got)
	}
	if s.bodies[0]["max_tokens"] != float64(4096) || s.bodies[0]["stream"] != true || s.bodies[0]["model"] != "m" {
		t.Errorf("body = %v", s.bodies[0])
	}
}

func TestToolRoundTrip(t *testing.T) {
	s := serve(t, sse(
		`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":3,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I count."}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"execute_python","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"code\": \"print("}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"1)\"}"}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":40}}`,
		`{"type":"message_stop"}`,
	))
	req := ask()
	req.Tools = []llm.Tool{{Name: "execute_python", Description: "runs code", Schema: map[string]any{
		"type": "object", "properties": map[string]any{"code": map[string]any{"type": "string"}}, "required": []string{"code"}, "additionalProperties": false,
	}}}
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.Assistant, Text: "first", Calls: []llm.Call{{ID: "toolu_0", Name: "execute_python", Input: map[string]any{"code": "1/0"}}, {ID: "toolu_b", Name: "execute_python", Raw: `{"code": "cut`}}},
		llm.Message{Role: llm.User, Text: "mind the steps", Results: []llm.Result{{CallID: "toolu_0", Text: "ZeroDivisionError", IsError: true}, {CallID: "toolu_b", Text: "not run", IsError: true}}},
	)
	got, err := model(t, s, &naps{}).Complete(t.Context(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []llm.Call{{ID: "toolu_1", Name: "execute_python", Input: map[string]any{"code": "print(1)"}}}
	if got.Text != "I count." || !reflect.DeepEqual(got.Calls, want) {
		t.Errorf("reply = %+v, want calls %+v", got, want)
	}
	body, err := json.Marshal(map[string]any{"messages": s.bodies[0]["messages"], "tools": s.bodies[0]["tools"], "system": s.bodies[0]["system"]})
	if err != nil {
		t.Fatal(err)
	}
	const wantBody = `{"messages":[` +
		`{"content":[{"text":"hi","type":"text"}],"role":"user"},` +
		`{"content":[{"text":"first","type":"text"},{"id":"toolu_0","input":{"code":"1/0"},"name":"execute_python","type":"tool_use"},{"id":"toolu_b","input":{"unreadable":"{\"code\": \"cut"},"name":"execute_python","type":"tool_use"}],"role":"assistant"},` +
		`{"content":[{"content":[{"text":"ZeroDivisionError","type":"text"}],"is_error":true,"tool_use_id":"toolu_0","type":"tool_result"},{"content":[{"text":"not run","type":"text"}],"is_error":true,"tool_use_id":"toolu_b","type":"tool_result"},{"cache_control":{"type":"ephemeral"},"text":"mind the steps","type":"text"}],"role":"user"}],` +
		`"system":[{"cache_control":{"type":"ephemeral"},"text":"be exact","type":"text"}],` +
		`"tools":[{"description":"runs code","input_schema":{"additionalProperties":false,"properties":{"code":{"type":"string"}},"required":["code"],"type":"object"},"name":"execute_python"}]}`
	if string(body) != wantBody {
		t.Errorf("request:\n%s\nwant:\n%s", body, wantBody)
	}
}

func TestCutByMaxTokens(t *testing.T) {
	s := serve(t, sse(
		`{"type":"message_start","message":{"usage":{"input_tokens":3,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"execute_python","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"code\": \"pri"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":40}}`,
		`{"type":"message_stop"}`,
	))
	got, err := model(t, s, &naps{}).Complete(t.Context(), ask(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Cut || len(got.Calls) != 1 || got.Calls[0].Raw != `{"code": "pri` || got.Calls[0].Input != nil {
		t.Errorf("reply = %+v, want one call, cut, with its input in Raw", got)
	}
}

func TestFaults(t *testing.T) {
	body := func(typ, msg string) string {
		return `{"type":"error","error":{"type":"` + typ + `","message":"` + msg + `"}}`
	}
	tests := []struct {
		name     string
		handler  http.HandlerFunc
		kind     fault.Kind
		requests int
		text     string // in the error
		remedy   string
	}{
		{"401", status(401, body("authentication_error", "invalid x-api-key "+key)), fault.Denied, 1, "refused the key: invalid x-api-key [key]", "ANTHROPIC_API_KEY"},
		{"403", status(403, body("permission_error", "no")), fault.Denied, 1, "refused the key: no", "ANTHROPIC_API_KEY"},
		{"404", status(404, body("not_found_error", "model: m")), fault.NotFound, 1, "model: m", "name"},
		{"400", status(400, body("invalid_request_error", "prompt is too long")), fault.Invalid, 1, "prompt is too long", ""},
		{"credit", status(400, body("invalid_request_error", "Your credit balance is too low")), fault.Exhausted, 1, "no credit", "credit"},
		{"413", status(413, body("request_too_large", "big")), fault.Invalid, 1, "413", ""},
		{"429", status(429, body("rate_limit_error", "slow down")), fault.Exhausted, 3, "too many requests: slow down (asked 3 times)", "Wait"},
		{"500", status(500, body("api_error", "oops")), fault.Unavailable, 3, "500: oops (asked 3 times)", "later"},
		{"529", status(529, body("overloaded_error", "Overloaded")), fault.Unavailable, 3, "529: Overloaded", "later"},
		{"html", status(502, "<html>bad gateway</html>"), fault.Unavailable, 3, "502 (asked 3 times)", ""},
		{"redirect", status(302, "", "Location", "http://127.0.0.1:1/"), fault.Invalid, 1, "302", ""},
		{"garbage", sse(`{"type": nonsense`), fault.Unavailable, 3, "answered what cannot be read: invalid character", "ANTHROPIC_BASE_URL"},
		{"empty", sse(), fault.Unavailable, 3, "answered with an empty stream", "ANTHROPIC_BASE_URL"},
		{"no stream", status(200, `{"hello":"world"}`), fault.Unavailable, 1, "answered application/json, not a stream", "ANTHROPIC_BASE_URL"},
		{"an error with 200", status(200, `{"error":{"message":"model is gone, `+key+`"}}`), fault.Unavailable, 1, "not a stream: model is gone, [key]", "ANTHROPIC_BASE_URL"},
		{"a web page", typed("text/html; charset=utf-8", "<!doctype html><html>"), fault.Unavailable, 1, "answered text/html, not a stream", "ANTHROPIC_BASE_URL"},
		{"an odd type", typed("no/such/type;;", "x"), fault.Unavailable, 1, "answered no/such/type, not a stream", "ANTHROPIC_BASE_URL"},
		{"a plain text", typed("text/plain", "It works!\n"), fault.Unavailable, 3, "answered with an empty stream", "ANTHROPIC_BASE_URL"},
		{"cut stream", sse(textReply[:5]...), fault.Unavailable, 3, "the connection was cut", ""},
		{"overloaded in the stream", sse(append(textReply[:4:4], body("overloaded_error", "Overloaded"))...), fault.Unavailable, 3, "529: Overloaded", ""},
		{"denied in the stream", sse(body("authentication_error", "key expired")), fault.Denied, 1, "key expired", ""},
		{"refusal", sse(textReply[0], `{"type":"message_delta","delta":{"stop_reason":"refusal"},"usage":{"output_tokens":1}}`, textReply[7]), fault.Invalid, 1, "declined", "other words"},
		{"delta of no block", sse(textReply[0], `{"type":"content_block_delta","index":7,"delta":{"type":"input_json_delta","partial_json":"{}"}}`), fault.Unavailable, 3, "did not begin", ""},
		{"connection dropped", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, fault.Unavailable, 3, "the connection was cut", "ANTHROPIC_BASE_URL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.handler)
			n := &naps{}
			_, err := model(t, s, n).Complete(t.Context(), ask(), nil)
			if err == nil {
				t.Fatal("no error")
			}
			if got := fault.KindOf(err); got != tt.kind {
				t.Errorf("kind = %s, want %s (%v)", got, tt.kind, err)
			}
			if remedy := fmt.Sprint(fault.RemedyOf(err), fault.DataOf(err)); !strings.Contains(err.Error(), tt.text) || !strings.Contains(remedy, tt.remedy) {
				t.Errorf("error = %q (%s), want %q and a remedy or data with %q", err, remedy, tt.text, tt.remedy)
			}
			for e := err; e != nil; e = errors.Unwrap(e) {
				if strings.Contains(e.Error(), key) {
					t.Errorf("the key is in the error: %v", e)
				}
			}
			if got := s.requests(); got != tt.requests || len(n.took) != tt.requests-1 {
				t.Errorf("%d requests and %d pauses, want %d and %d", got, len(n.took), tt.requests, tt.requests-1)
			}
		})
	}
}

func TestRetryHonoursTheServer(t *testing.T) {
	s := serve(t, status(429, `{"error":{"message":"slow down"}}`, "Retry-After", "7"), status(529, `{}`), sse(textReply...))
	n := &naps{}
	req := ask()
	var pauses []llm.Pause
	req.Pausing = func(p llm.Pause) { pauses = append(pauses, p) }
	got, err := model(t, s, n).Complete(t.Context(), req, nil)
	if err != nil || got.Text != "Hello" {
		t.Fatalf("reply = %+v, %v", got, err)
	}
	if want := []llm.Pause{{Reason: "429 slow down", After: 7 * time.Second, Attempt: 2}, {Reason: "529", After: 2 * time.Second, Attempt: 3}}; !reflect.DeepEqual(pauses, want) {
		t.Errorf("received %+v, want %+v", pauses, want)
	}
	if want := []time.Duration{7 * time.Second, 2 * time.Second}; !reflect.DeepEqual(n.took, want) {
		t.Errorf("pauses = %v, want %v", n.took, want)
	}
}

func TestRetryDoesNotWaitForHours(t *testing.T) {
	s := serve(t, status(429, `{}`, "Retry-After", "3600"))
	n := &naps{}
	_, err := model(t, s, n).Complete(t.Context(), ask(), nil)
	if fault.KindOf(err) != fault.Exhausted || !strings.Contains(err.Error(), "asks to wait 1h0m0s") || len(n.took) != 0 {
		t.Errorf("error = %v after %v", err, n.took)
	}
}

func TestCutStreamIsShownAgain(t *testing.T) {
	s := serve(t, sse(textReply[:5]...), sse(textReply...))
	var shown strings.Builder
	got, err := model(t, s, &naps{}).Complete(t.Context(), ask(), func(p string) { shown.WriteString(p) })
	if err != nil || got.Text != "Hello" {
		t.Fatalf("reply = %+v, %v", got, err)
	}
	if want := "Hello\n[the reply was cut: sending the request again]\nHello"; shown.String() != want {
		t.Errorf("shown = %q, want %q", shown.String(), want)
	}
}

// hang answers nothing, or the beginning of a reply, until the client leaves.
func hang(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		sse(events...)(w, r)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}

func TestSilence(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{"from the start": hang(), "in the middle": hang(textReply[:4]...)} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, h)
			n := &naps{}
			_, err := model(t, s, n, func(c *anthropic.Config) { c.Timeout = 250 * time.Millisecond }).Complete(t.Context(), ask(), nil)
			if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "nothing came for 250ms") {
				t.Errorf("error = %v", err)
			}
			if len(n.took) != 0 || fault.CodeOf(err) != fault.ModelSilent {
				t.Errorf("%d pauses, want none: a server of one's own may still be at work; error %v", len(n.took), err)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	s := serve(t, hang(textReply[:4]...))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := model(t, s, &naps{}).Complete(ctx, ask(), func(string) { cancel() })
	if fault.KindOf(err) != fault.Canceled || !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want canceled", err)
	}
	if s.requests() != 1 {
		t.Errorf("%d requests, want 1", s.requests())
	}
}

func TestNew(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "from-the-environment")
	tests := []struct {
		name string
		c    anthropic.Config
		kind fault.Kind
	}{
		{"no name", anthropic.Config{Key: key}, fault.Invalid},
		{"no key", anthropic.Config{Name: "m"}, fault.Denied},
		{"bad address", anthropic.Config{Name: "m", BaseURL: "localhost:80"}, fault.Invalid},
		{"password in the address", anthropic.Config{Name: "m", BaseURL: "http://u:" + key + "@h/"}, fault.Invalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := anthropic.New(tt.c)
			if fault.KindOf(err) != tt.kind || strings.Contains(err.Error(), key) {
				t.Errorf("error = %v, want %s", err, tt.kind)
			}
		})
	}
}

func TestNoKeyIsSentWithoutOne(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "from-the-environment")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "from-the-environment")
	s := serve(t, sse(textReply...))
	if _, err := model(t, s, &naps{}, func(c *anthropic.Config) { c.Key = "" }).Complete(t.Context(), ask(), nil); err != nil {
		t.Fatal(err)
	}
	for _, h := range []string{"X-Api-Key", "Authorization"} {
		if got := s.heads[0].Get(h); got != "" {
			t.Errorf("%s = %q, want none", h, got)
		}
	}
}

// thinking is a reply of a server that thinks aloud, with a call.
var thinking = []string{
	`{"type":"message_start","message":{"usage":{"input_tokens":0,"output_tokens":0}}}`,
	`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"I must "}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"look."}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`,
	`{"type":"content_block_stop","index":0}`,
	`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"look","input":{"at":1}}}`,
	`{"type":"content_block_stop","index":1}`,
	`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"input_tokens":30,"output_tokens":40}}`,
	`{"type":"message_stop"}`,
}

func TestThinking(t *testing.T) {
	s := serve(t, sse(thinking...))
	m := model(t, s, &naps{})
	var shown strings.Builder
	got, err := m.Complete(t.Context(), ask(), func(p string) { shown.WriteString(p) })
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Reply{Reasoning: llm.Reasoning{Text: "I must look.", Signature: "c2ln", Model: "anthropic:m"}, Calls: []llm.Call{{ID: "toolu_1", Name: "look", Input: map[string]any{"at": 1.0}}}, Tokens: event.Tokens{Input: 30, Output: 40}}
	if !reflect.DeepEqual(got, want) || shown.String() != "" {
		t.Errorf("reply = %+v, want %+v; shown %q", got, want, shown.String())
	}
	req := ask()
	req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Reasoning: got.Reasoning, Calls: got.Calls},
		llm.Message{Role: llm.User, Results: []llm.Result{{CallID: "toolu_1", Text: "nothing"}}},
		llm.Message{Role: llm.Assistant, Reasoning: llm.Reasoning{Text: "not of a call"}, Text: "well"}, llm.Message{Role: llm.User, Text: "go on"})
	if _, err := m.Complete(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(s.bodies[1]["messages"].([]any)[1:4])
	if err != nil {
		t.Fatal(err)
	}
	const wantBody = `[{"content":[{"signature":"c2ln","thinking":"I must look.","type":"thinking"},{"id":"toolu_1","input":{"at":1},"name":"look","type":"tool_use"}],"role":"assistant"},` +
		`{"content":[{"content":[{"text":"nothing","type":"text"}],"is_error":false,"tool_use_id":"toolu_1","type":"tool_result"}],"role":"user"},` +
		`{"content":[{"text":"well","type":"text"}],"role":"assistant"}]`
	if string(body) != wantBody {
		t.Errorf("request:\n%s\nwant:\n%s", body, wantBody)
	}
}

// TestAnthropicGetsNoThinking checks that a conversation with another server
// can go on at Anthropic.
func TestAnthropicGetsNoThinking(t *testing.T) {
	s := serve(t, sse(textReply...))
	m, err := anthropic.New(anthropic.Config{Name: "m", Key: key, HTTPClient: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		if r.URL.String() != "https://api.anthropic.com/v1/messages" || r.Header.Get("Anthropic-Version") != "2023-06-01" {
			t.Errorf("asked %s with %v", r.URL, r.Header)
		}
		r.URL.Scheme, r.URL.Host = "http", strings.TrimPrefix(s.URL, "http://")
		return http.DefaultTransport.RoundTrip(r)
	})}})
	if err != nil {
		t.Fatal(err)
	}
	req := ask()
	req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Reasoning: llm.Reasoning{Text: "I must look.", Signature: "c2ln"}, Calls: []llm.Call{{ID: "toolu_1", Name: "look"}}},
		llm.Message{Role: llm.User, Results: []llm.Result{{CallID: "toolu_1", Text: "nothing"}}})
	if _, err := m.Complete(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(s.bodies[0]["messages"])
	if err != nil || strings.Contains(string(body), "thinking") {
		t.Errorf("messages = %s, %v", body, err)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestCutByTheWindow(t *testing.T) {
	s := serve(t, sse(textReply[0], textReply[1], textReply[3], `{"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"},"usage":{"output_tokens":1}}`, textReply[7]))
	if got, err := model(t, s, &naps{}).Complete(t.Context(), ask(), nil); err != nil || !got.Cut || got.Text != "Hel" {
		t.Errorf("reply = %+v, %v, want it cut", got, err)
	}
}

// TestStopEndsTheReply checks that a server that keeps the connection open is
// not waited for.
func TestStopEndsTheReply(t *testing.T) {
	s := serve(t, hang(textReply...))
	if got, err := model(t, s, &naps{}).Complete(t.Context(), ask(), nil); err != nil || got.Text != "Hello" {
		t.Errorf("reply = %+v, %v", got, err)
	}
}
