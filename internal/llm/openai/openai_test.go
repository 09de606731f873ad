package openai_test

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
	"praxis/internal/llm/openai"
	"praxis/internal/llm/stream"
)

const key = "sk-secret-0123456789"

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
		if r.URL.Path != "/v1/chat/completions" {
			t.Errorf("path = %s, want /v1/chat/completions", r.URL.Path)
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
			_, _ = io.WriteString(w, "data: "+e+"\n\n")
		}
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

// typed answers with a content of another type.
func typed(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, body)
	}
}

// chunk is one event with the one choice of a reply.
func chunk(delta, finish string) string {
	return `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `}]}`
}

const usage = `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":30,"completion_tokens":15,"total_tokens":45}}`

var textReply = []string{
	chunk(`{"role":"assistant","content":""}`, `null`),
	chunk(`{"content":"Hel"}`, `null`),
	chunk(`{"content":"lo"}`, `null`),
	chunk(`{}`, `"stop"`),
	usage,
	`[DONE]`,
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

func model(t *testing.T, s *server, n *naps, edit ...func(*openai.Config)) *openai.Model {
	t.Helper()
	c := openai.Config{Options: stream.Options{Name: "m", Key: key, BaseURL: s.URL + "/v1", Retry: n.retry()}}
	for _, e := range edit {
		e(&c)
	}
	m, err := openai.New(c)
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
	want := llm.Reply{Text: "Hello", Tokens: event.Tokens{Input: 30, Output: 15}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("reply = %+v, want %+v", got, want)
	}
	if want := []string{"Hel", "lo"}; !reflect.DeepEqual(pieces, want) {
		t.Errorf("pieces = %q, want %q", pieces, want)
	}
	if got := s.heads[0].Get("Authorization"); got != "Bearer "+key {
		t.Errorf("the key was sent as %q", got)
	}
	b := s.bodies[0]
	if b["max_tokens"] != float64(4096) || b["stream"] != true || b["model"] != "m" || !reflect.DeepEqual(b["stream_options"], map[string]any{"include_usage": true}) {
		t.Errorf("body = %v", b)
	}
}

func TestMaxTokensAtOpenAI(t *testing.T) {
	var body map[string]any
	m, err := openai.New(openai.Config{API: openai.Chat, Options: stream.Options{Name: "m", Key: key, HTTPClient: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		if r.URL.String() != "https://api.openai.com/v1/chat/completions" {
			t.Errorf("url = %s", r.URL)
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			return nil, err
		}
		rec := httptest.NewRecorder()
		sse(textReply...)(rec, r)
		return rec.Result(), nil
	})}}})
	if err != nil {
		t.Fatal(err)
	}
	req := ask()
	req.MaxTokens = 77
	if _, err := m.Complete(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	if body["max_completion_tokens"] != float64(77) || body["max_tokens"] != nil {
		t.Errorf("body = %v", body)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestToolRoundTrip(t *testing.T) {
	s := serve(t, sse(
		chunk(`{"role":"assistant","content":"I count."}`, `null`),
		chunk(`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"execute_python","arguments":""}}]}`, `null`),
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"code\": \"print("}}]}`, `null`),
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"1)\"}"}}]}`, `null`),
		chunk(`{}`, `"tool_calls"`),
		`[DONE]`,
	))
	req := ask()
	req.Tools = []llm.Tool{{Name: "execute_python", Description: "runs code", Schema: map[string]any{
		"type": "object", "properties": map[string]any{"code": map[string]any{"type": "string"}}, "required": []string{"code"}, "additionalProperties": false,
	}}}
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.Assistant, Text: "first", Calls: []llm.Call{{ID: "call_0", Name: "execute_python", Input: map[string]any{"code": "1/0"}}, {ID: "call_b", Name: "execute_python", Raw: `{"code": "cut`}}},
		llm.Message{Role: llm.User, Text: "mind the steps", Results: []llm.Result{{CallID: "call_0", Text: "ZeroDivisionError", IsError: true}, {CallID: "call_b", Text: "not run", IsError: true}}},
	)
	got, err := model(t, s, &naps{}).Complete(t.Context(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []llm.Call{{ID: "call_1", Name: "execute_python", Input: map[string]any{"code": "print(1)"}}}
	if got.Text != "I count." || !reflect.DeepEqual(got.Calls, want) {
		t.Errorf("reply = %+v, want calls %+v", got, want)
	}
	body, err := json.Marshal(map[string]any{"messages": s.bodies[0]["messages"], "tools": s.bodies[0]["tools"]})
	if err != nil {
		t.Fatal(err)
	}
	const wantBody = `{"messages":[` +
		`{"content":"be exact","role":"system"},{"content":"hi","role":"user"},` +
		`{"content":"first","role":"assistant","tool_calls":[{"function":{"arguments":"{\"code\":\"1/0\"}","name":"execute_python"},"id":"call_0","type":"function"},{"function":{"arguments":"{\"unreadable\":\"{\\\"code\\\": \\\"cut\"}","name":"execute_python"},"id":"call_b","type":"function"}]},` +
		`{"content":"ZeroDivisionError","role":"tool","tool_call_id":"call_0"},{"content":"not run","role":"tool","tool_call_id":"call_b"},{"content":"mind the steps","role":"user"}],` +
		`"tools":[{"function":{"description":"runs code","name":"execute_python","parameters":{"additionalProperties":false,"properties":{"code":{"type":"string"}},"required":["code"],"type":"object"}},"type":"function"}]}`
	if string(body) != wantBody {
		t.Errorf("request:\n%s\nwant:\n%s", body, wantBody)
	}
}

// Ollama sends each call whole, every one with index 0; others leave the ids out.
func TestWholeToolCalls(t *testing.T) {
	call := func(id, code string) string {
		return chunk(`{"tool_calls":[{"index":0,"id":"`+id+`","type":"function","function":{"name":"execute_python","arguments":"{\"code\":\"`+code+`\"}"}}]}`, `null`)
	}
	for name, ids := range map[string][2]string{"with ids": {"call_a", "call_b"}, "without ids": {"", ""}} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, sse(call(ids[0], "a"), call(ids[1], "b"), chunk(`{}`, `"stop"`), `[DONE]`))
			got, err := model(t, s, &naps{}).Complete(t.Context(), ask(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Calls) != 2 || got.Calls[0].Input["code"] != "a" || got.Calls[1].Input["code"] != "b" {
				t.Fatalf("calls = %+v", got.Calls)
			}
			if a, b := got.Calls[0].ID, got.Calls[1].ID; a == "" || b == "" || a == b {
				t.Errorf("ids = %q, %q, want two", a, b)
			}
		})
	}
}

func TestServerWithoutTools(t *testing.T) {
	refusals := map[string]http.HandlerFunc{
		"ollama":    status(400, `{"error":{"message":"registry/library/gemma:2b does not support tools","type":"api_error","param":null,"code":null}}`),
		"vllm":      status(400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}`),
		"llama.cpp": status(500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`),
	}
	for name, refusal := range refusals {
		t.Run(name, func(t *testing.T) {
			s := serve(t, refusal, sse(textReply...))
			n := &naps{}
			m := model(t, s, n)
			req := ask()
			req.Tools = []llm.Tool{{Name: "execute_python", Schema: map[string]any{"type": "object"}}}
			req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "c", Name: "execute_python", Input: map[string]any{"code": "1/0"}}}},
				llm.Message{Role: llm.User, Results: []llm.Result{{CallID: "c", Text: "ZeroDivisionError"}}})
			for range 2 {
				if got, err := m.Complete(t.Context(), req, nil); err != nil || got.Text != "Hello" {
					t.Fatalf("reply = %+v, %v", got, err)
				}
			}
			if s.requests() != 3 || len(n.took) != 0 {
				t.Errorf("%d requests and %d pauses, want 3 and 0: the server is asked for tools once", s.requests(), len(n.took))
			}
			for i, want := range []bool{true, false, false} {
				if _, got := s.bodies[i]["tools"]; got != want {
					t.Errorf("request %d has tools: %v, want %v", i+1, got, want)
				}
			}
			got, err := json.Marshal(s.bodies[1]["messages"])
			if err != nil {
				t.Fatal(err)
			}
			const want = `[{"content":"be exact","role":"system"},{"content":"hi","role":"user"},{"content":"` + "```python\\n1/0\\n```" + `","role":"assistant"},{"content":"ZeroDivisionError","role":"user"}]`
			if string(got) != want {
				t.Errorf("messages = %s\nwant %s", got, want)
			}
		})
	}
}

func TestCutByMaxTokens(t *testing.T) {
	s := serve(t, sse(
		chunk(`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"execute_python","arguments":"{\"code\": \"pri"}}]}`, `null`),
		chunk(`{}`, `"length"`),
		`[DONE]`,
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
	body := func(typ, code, msg string) string {
		return `{"error":{"message":"` + msg + `","type":"` + typ + `","param":null,"code":` + code + `}}`
	}
	tests := []struct {
		name     string
		handler  http.HandlerFunc
		kind     fault.Kind
		requests int
		text     string // in the error
		remedy   string
	}{
		{"401", status(401, body("invalid_request_error", `"invalid_api_key"`, "Incorrect API key provided: "+key)), fault.Denied, 1, "Incorrect API key provided: [key]", "OPENAI_API_KEY"},
		{"401 html", status(401, "<html>"), fault.Denied, 1, "refused the key", "OPENAI_API_KEY"},
		{"403", status(403, body("x", `null`, "region")), fault.Denied, 1, "region", "OPENAI_API_KEY"},
		{"404", status(404, body("invalid_request_error", `"model_not_found"`, "The model m does not exist")), fault.NotFound, 1, "The model m does not exist", "OPENAI_BASE_URL"},
		{"404 ollama", status(404, `{"error":"model m not found"}`), fault.NotFound, 1, "model m not found", "OPENAI_BASE_URL"},
		{"400", status(400, body("invalid_request_error", `"context_length_exceeded"`, "too long")), fault.Invalid, 1, "too long", ""},
		{"400 vllm", status(400, `{"object":"error","message":"bad seed","type":"BadRequestError","param":null,"code":400}`), fault.Invalid, 1, "bad seed", ""},
		{"429", status(429, body("requests", `"rate_limit_exceeded"`, "slow down")), fault.Exhausted, 3, "too many requests: slow down (asked 3 times)", "Wait"},
		{"quota", status(429, body("insufficient_quota", `"insufficient_quota"`, "check your plan")), fault.Exhausted, 1, "no credit", "credit"},
		{"500", status(500, body("server_error", `null`, "oops")), fault.Unavailable, 3, "500: oops (asked 3 times)", "later"},
		{"503 loading", status(503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`), fault.Unavailable, 3, "503: Loading model", "later"},
		{"redirect", status(302, "", "Location", "http://127.0.0.1:1/"), fault.Invalid, 1, "302", ""},
		{"garbage", sse(`{"choices": nonsense`), fault.Unavailable, 3, "answered what cannot be read: invalid character", "OPENAI_BASE_URL"},
		{"wrong types", sse(`{"choices": "none"}`), fault.Unavailable, 3, "", ""},
		{"empty", sse(), fault.Unavailable, 3, "answered with an empty stream", "OPENAI_BASE_URL"},
		{"no stream", status(200, `{"hello":"world"}`), fault.Unavailable, 1, "answered application/json, not a stream", "OPENAI_BASE_URL"},
		{"an error with 200", status(200, `{"error":{"message":"model is gone, `+key+`"}}`), fault.Unavailable, 1, "not a stream: model is gone, [key]", "OPENAI_BASE_URL"},
		{"a web page", typed("text/html; charset=utf-8", "<!doctype html><html>"), fault.Unavailable, 1, "answered text/html, not a stream", "OPENAI_BASE_URL"},
		{"an odd type", typed("no/such/type;;", "x"), fault.Unavailable, 1, "answered no/such/type, not a stream", "OPENAI_BASE_URL"},
		{"a plain text", typed("text/plain", "It works!\n"), fault.Unavailable, 3, "answered with an empty stream", "OPENAI_BASE_URL"},
		{"cut stream", sse(textReply[:3]...), fault.Unavailable, 3, "the connection was cut", ""},
		{"done too early", sse(textReply[0], `[DONE]`), fault.Unavailable, 3, "the connection was cut", ""},
		{"error in the stream", sse(textReply[0], body("server_error", `null`, "The server had an error")), fault.Unavailable, 3, "500: The server had an error", ""},
		{"limit in the stream", sse(textReply[0], body("tokens", `"rate_limit_exceeded"`, "slow")), fault.Exhausted, 3, "slow", ""},
		{"coded error in the stream", sse(textReply[0], `{"error":{"message":"bad","type":"BadRequest","code":400}}`), fault.Invalid, 1, "bad", ""},
		{"filter", sse(textReply[0], chunk(`{}`, `"content_filter"`), `[DONE]`), fault.Invalid, 1, "declined", "other words"},
		{"nameless call", sse(chunk(`{"tool_calls":[{"index":0,"id":"x","function":{"arguments":"{}"}}]}`, `null`), chunk(`{}`, `"tool_calls"`)), fault.Unavailable, 3, "without a name", ""},
		{"connection dropped", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, fault.Unavailable, 3, "the connection was cut", "OPENAI_BASE_URL"},
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
	s := serve(t, sse(textReply[:3]...), sse(textReply...))
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
	for name, h := range map[string]http.HandlerFunc{"from the start": hang(), "in the middle": hang(textReply[:3]...)} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, h)
			n := &naps{}
			_, err := model(t, s, n, func(c *openai.Config) { c.Timeout = 250 * time.Millisecond }).Complete(t.Context(), ask(), nil)
			if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "nothing came for 250ms") {
				t.Errorf("error = %v", err)
			}
			if len(n.took) != 0 || fault.CodeOf(err) != fault.ModelSilent {
				t.Errorf("%d pauses, want none: a server of one's own may still be at work; error %v", len(n.took), err)
			}
		})
	}
}

func TestNobodyListens(t *testing.T) {
	s := serve(t, sse(textReply...))
	m := model(t, s, &naps{})
	s.Close()
	_, err := m.Complete(t.Context(), ask(), nil)
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("error = %v", err)
	}
}

func TestCancel(t *testing.T) {
	s := serve(t, hang(textReply[:3]...))
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
	t.Setenv("OPENAI_API_KEY", "from-the-environment")
	tests := []struct {
		name string
		c    openai.Config
		kind fault.Kind
	}{
		{"no name", openai.Config{Options: stream.Options{Key: key}}, fault.Invalid},
		{"no key", openai.Config{Options: stream.Options{Name: "m"}}, fault.Denied},
		{"bad address", openai.Config{Options: stream.Options{Name: "m", BaseURL: "localhost:80"}}, fault.Invalid},
		{"password in the address", openai.Config{Options: stream.Options{Name: "m", BaseURL: "http://u:" + key + "@h/"}}, fault.Invalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := openai.New(tt.c)
			if fault.KindOf(err) != tt.kind || strings.Contains(err.Error(), key) {
				t.Errorf("error = %v, want %s", err, tt.kind)
			}
		})
	}
}

func TestNoKeyIsSentWithoutOne(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "from-the-environment")
	t.Setenv("OPENAI_ORG_ID", "from-the-environment")
	s := serve(t, sse(textReply...))
	if _, err := model(t, s, &naps{}, func(c *openai.Config) { c.Key = "" }).Complete(t.Context(), ask(), nil); err != nil {
		t.Fatal(err)
	}
	for _, h := range []string{"Authorization", "OpenAI-Organization"} {
		if got := s.heads[0].Get(h); got != "" {
			t.Errorf("%s = %q, want none", h, got)
		}
	}
}

// TestBoundByAnotherName checks that the reply's bound is sent by the name that
// a server knows, also from the next request on.
func TestBoundByAnotherName(t *testing.T) {
	newer := status(400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`)
	s := serve(t, newer, sse(textReply...))
	n := &naps{}
	m := model(t, s, n)
	for range 2 {
		if got, err := m.Complete(t.Context(), ask(), nil); err != nil || got.Text != "Hello" {
			t.Fatalf("reply = %+v, %v", got, err)
		}
	}
	if len(s.bodies) != 3 || len(n.took) != 0 {
		t.Fatalf("%d requests and %d pauses, want 3 and none", len(s.bodies), len(n.took))
	}
	if b := s.bodies[0]; b["max_tokens"] != float64(4096) || b["max_completion_tokens"] != nil {
		t.Errorf("first body = %v", b)
	}
	for _, b := range s.bodies[1:] {
		if b["max_completion_tokens"] != float64(4096) || b["max_tokens"] != nil {
			t.Errorf("later body = %v", b)
		}
	}
}

// TestBoundByTheOldName does the same for what stands in OpenAI's place and
// knows the old name only.
func TestBoundByTheOldName(t *testing.T) {
	refusals := map[string]http.HandlerFunc{
		"vllm":    status(400, `{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs are not permitted', 'input': 4096}]","type":"BadRequestError","param":null,"code":400}`),
		"fastapi": status(422, `{"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted","input":4096}]}`),
		"schema":  status(400, `{"error":{"message":"Additional properties are not allowed ('max_completion_tokens' was unexpected)"}}`),
	}
	for name, refusal := range refusals {
		t.Run(name, func(t *testing.T) {
			s := serve(t, refusal, sse(textReply...))
			c := openai.Config{API: openai.Chat, Options: stream.Options{Name: "m", Key: key, HTTPClient: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
				r.URL.Scheme, r.URL.Host = "http", strings.TrimPrefix(s.URL, "http://")
				return http.DefaultTransport.RoundTrip(r)
			})}}}
			m, err := openai.New(c)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := m.Complete(t.Context(), ask(), nil); err != nil || got.Text != "Hello" {
				t.Fatalf("reply = %+v, %v", got, err)
			}
			if a, b := s.bodies[0], s.bodies[1]; a["max_completion_tokens"] != float64(4096) || b["max_tokens"] != float64(4096) || b["max_completion_tokens"] != nil {
				t.Errorf("bodies = %v, %v", a, b)
			}
		})
	}
}

// TestBoundsAreNotGuessed checks that a refusal of the value, or of both names,
// comes back as it is.
func TestBoundsAreNotGuessed(t *testing.T) {
	tests := []struct {
		name     string
		refusal  string
		requests int
	}{
		{"too large", `{"error":{"message":"max_tokens is too large: 4096. This model supports at most 2048 completion tokens"}}`, 1},
		{"neither", `{"error":{"message":"unknown fields: max_tokens, max_completion_tokens"}}`, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, status(400, tt.refusal))
			_, err := model(t, s, &naps{}).Complete(t.Context(), ask(), nil)
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "max_tokens") || s.requests() != tt.requests {
				t.Errorf("error = %v after %d requests", err, s.requests())
			}
		})
	}
}

// reasoned is a reply with a call and the reasoning before it, in a field.
func reasoned(field string) []string {
	return []string{
		chunk(`{"role":"assistant","content":null,"`+field+`":"I must "}`, `null`),
		chunk(`{"`+field+`":"look.","content":null}`, `null`),
		chunk(`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"look","arguments":"{}"}}]}`, `null`),
		chunk(`{"content":""}`, `"tool_calls"`),
		`[DONE]`,
	}
}

// after is a conversation in which a model called with some reasoning.
func after(reasoning string) llm.Request {
	req := ask()
	req.Tools = []llm.Tool{{Name: "look", Description: "looks", Schema: map[string]any{"type": "object"}}}
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.Assistant, Reasoning: llm.Reasoning{Text: "not of a call"}, Text: "well"},
		llm.Message{Role: llm.User, Text: "go on"},
		llm.Message{Role: llm.Assistant, Reasoning: llm.Reasoning{Text: reasoning}, Calls: []llm.Call{{ID: "call_1", Name: "look", Input: map[string]any{}}}},
		llm.Message{Role: llm.User, Results: []llm.Result{{CallID: "call_1", Text: "nothing"}}},
	)
	return req
}

// given returns what of a request's messages is reasoning, by their places.
func given(body map[string]any) map[int]any {
	out := map[int]any{}
	for i, m := range body["messages"].([]any) {
		if r, ok := m.(map[string]any)["reasoning_content"]; ok {
			out[i] = r
		}
	}
	return out
}

func TestReasoning(t *testing.T) {
	for _, field := range []string{"reasoning_content", "reasoning"} {
		t.Run(field, func(t *testing.T) {
			s := serve(t, sse(reasoned(field)...))
			var shown strings.Builder
			got, err := model(t, s, &naps{}).Complete(t.Context(), after("I thought."), func(p string) { shown.WriteString(p) })
			if err != nil {
				t.Fatal(err)
			}
			if got.Text != "" || shown.String() != "" || got.Reasoning != (llm.Reasoning{Text: "I must look.", Model: "openai:m"}) || len(got.Calls) != 1 {
				t.Errorf("reply = %+v, shown %q", got, shown.String())
			}
			if want := map[int]any{4: "I thought."}; !reflect.DeepEqual(given(s.bodies[0]), want) {
				t.Errorf("given back %v, want %v", given(s.bodies[0]), want)
			}
		})
	}
}

// TestReasoningIsBent checks what servers say of reasoning that comes back, or
// does not.
func TestReasoningIsBent(t *testing.T) {
	tests := []struct {
		name     string
		thought  string
		refusal  string
		requests int
		want     map[int]any // given back at last
	}{
		{"unknown", "I thought.", `{"detail":[{"type":"extra_forbidden","loc":["body","messages",4,"reasoning_content"],"msg":"Extra inputs are not permitted"}]}`, 3, map[int]any{}},
		{"demanded", "", "{\"error\":{\"message\":\"The `reasoning_content` in the thinking mode must be passed back to the API.\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"invalid_request_error\"}}", 3, map[int]any{4: ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, status(400, tt.refusal), sse(textReply...))
			m := model(t, s, &naps{})
			for range 2 {
				if _, err := m.Complete(t.Context(), after(tt.thought), nil); err != nil {
					t.Fatal(err)
				}
			}
			if s.requests() != tt.requests {
				t.Fatalf("%d requests, want %d", s.requests(), tt.requests)
			}
			for _, b := range s.bodies[1:] {
				if !reflect.DeepEqual(given(b), tt.want) {
					t.Errorf("given back %v, want %v", given(b), tt.want)
				}
			}
		})
	}
}

// TestOpenAIGetsNoReasoning checks that a conversation with another server can
// go on at OpenAI.
func TestOpenAIGetsNoReasoning(t *testing.T) {
	s := serve(t, sse(textReply...))
	m, err := openai.New(openai.Config{API: openai.Chat, Options: stream.Options{Name: "m", Key: key, HTTPClient: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		r.URL.Scheme, r.URL.Host = "http", strings.TrimPrefix(s.URL, "http://")
		return http.DefaultTransport.RoundTrip(r)
	})}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Complete(t.Context(), after("I thought."), nil); err != nil {
		t.Fatal(err)
	}
	if got := given(s.bodies[0]); len(got) != 0 {
		t.Errorf("given %v", got)
	}
}

// Some servers write numbers, names and arguments in their own way.
func TestOddChunks(t *testing.T) {
	s := serve(t, sse(
		`{"choices":[{"index":null,"delta":{"tool_calls":[{"index":null,"id":null,"function":{"name":"look","arguments":{"at":1}}}]},"finish_reason":null}],"usage":null,"error":null}`,
		`{"choices":[{"delta":{"tool_calls":[{"id":7,"function":{"name":"look","arguments":null}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3.0,"completion_tokens":null}}`,
		`[DONE]`,
	))
	got, err := model(t, s, &naps{}).Complete(t.Context(), ask(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Reply{Calls: []llm.Call{{ID: "call_1", Name: "look", Input: map[string]any{"at": 1.0}}, {ID: "call_2", Name: "look", Input: map[string]any{}}}, Tokens: event.Tokens{Input: 3}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("reply = %+v, want %+v", got, want)
	}
}

// TestDoneEndsTheReply checks that a server that keeps the connection open is
// not waited for.
func TestDoneEndsTheReply(t *testing.T) {
	s := serve(t, hang(textReply...))
	if got, err := model(t, s, &naps{}).Complete(t.Context(), ask(), nil); err != nil || got.Text != "Hello" {
		t.Errorf("reply = %+v, %v", got, err)
	}
}

// TestBendingEnds checks that a server that contradicts itself is not asked for ever.
func TestBendingEnds(t *testing.T) {
	unknown := status(400, `{"error":{"message":"unknown field: reasoning_content"}}`)
	missing := status(400, `{"error":{"message":"reasoning_content is missing"}}`)
	s := serve(t, missing, unknown, missing)
	_, err := model(t, s, &naps{}).Complete(t.Context(), after(""), nil)
	if fault.KindOf(err) != fault.Invalid || s.requests() != 3 {
		t.Errorf("error = %v after %d requests", err, s.requests())
	}
}

// TestCutRepliesCount shows that what replies used that were cut and asked for again counts:
// what the server has said of it, else an estimate.
func TestCutRepliesCount(t *testing.T) {
	s := serve(t, sse(textReply[0], usage), sse(textReply[:3]...), status(500, `{}`), sse(textReply...))
	got, err := model(t, s, &naps{}, func(c *openai.Config) { c.Retry.Attempts = 4 }).Complete(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Text: strings.Repeat("words ", 400)}}}, nil)
	if err != nil || got.Text != "Hello" || !got.Tokens.Incomplete {
		t.Fatalf("reply = %+v, %v", got, err)
	}
	if in, out := got.Tokens.Input, got.Tokens.Output; in < 60+600 || in > 60+700 || out != 15+2+15 {
		t.Errorf("tokens = %+v", got.Tokens)
	}
	s = serve(t, sse(textReply[:3]...))
	if got, err := model(t, s, &naps{}).Complete(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Well?"}}}, nil); err == nil || got.Tokens.Output != 6 {
		t.Errorf("reply = %+v, %v", got, err)
	}
}
