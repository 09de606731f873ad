package gemini_test

import (
	"context"
	"encoding/json"
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
	"praxis/internal/llm/gemini"
	"praxis/internal/llm/stream"
)

const key = "AIza-secret-0123456789"

// server answers each request with the next handler, the last one for all that follow.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	next   []http.HandlerFunc
	bodies []map[string]any
}

func serve(t *testing.T, handlers ...http.HandlerFunc) *server {
	t.Helper()
	s := &server{next: handlers}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Errorf("the request is no JSON: %v", err)
		}
		s.mu.Lock()
		h := s.next[0]
		if len(s.next) > 1 {
			s.next = s.next[1:]
		}
		s.bodies = append(s.bodies, body)
		s.mu.Unlock()
		if r.URL.String() != "/v1beta/models/m:streamGenerateContent?alt=sse" || r.Header.Get("X-Goog-Api-Key") != key {
			t.Errorf("asked %s with the key %q", r.URL, r.Header.Get("X-Goog-Api-Key"))
		}
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// sse writes a stream as the API does.
func sse(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			_, _ = io.WriteString(w, "data: "+e+"\r\n\r\n")
		}
	}
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// chunk is one event: parts, and why the reply ends, if it does.
func chunk(parts, finish string) string {
	end := ""
	if finish != "" {
		end = `,"finishReason":"` + finish + `"`
	}
	return `{"candidates":[{"content":{"parts":[` + parts + `],"role":"model"}` + end + `,"index":0}],"usageMetadata":{"promptTokenCount":30,"candidatesTokenCount":5,"thoughtsTokenCount":10,"cachedContentTokenCount":20,"totalTokenCount":45},"modelVersion":"m","responseId":"r"}`
}

var textReply = []string{chunk(`{"text":"Hel"}`, ""), chunk(`{"text":"lo"}`, ""), chunk(`{"text":"","thoughtSignature":"c2ln"}`, "STOP")}

func model(t *testing.T, s *server, edit ...func(*gemini.Config)) *gemini.Model {
	t.Helper()
	c := gemini.Config{Name: "models/m", Key: key, BaseURL: s.URL, Retry: stream.Retry{Attempts: 3, Sleep: func(context.Context, time.Duration) error { return nil }}}
	for _, e := range edit {
		e(&c)
	}
	m, err := gemini.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ask() llm.Request {
	return llm.Request{System: "be exact", Messages: []llm.Message{{Role: llm.User, Text: "hi"}}}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestTextStream(t *testing.T) {
	s := serve(t, sse(textReply...))
	var pieces []string
	got, err := model(t, s).Complete(t.Context(), ask(), func(p string) { pieces = append(pieces, p) })
	want := llm.Reply{Text: "Hello", Reasoning: llm.Reasoning{Signature: `{"text":"c2ln"}`, Model: "gemini:m"}, Tokens: event.Tokens{Input: 30, Output: 15, CacheRead: 20, Reasoning: 10}}
	if err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(pieces, []string{"Hel", "lo"}) {
		t.Errorf("reply = %+v in %q, %v; want %+v", got, pieces, err, want)
	}
	const body = `{"contents":[{"parts":[{"text":"hi"}],"role":"user"}],"generationConfig":{"maxOutputTokens":4096},"systemInstruction":{"parts":[{"text":"be exact"}]}}`
	if got := encode(t, s.bodies[0]); got != body {
		t.Errorf("asked\n%s\nwant\n%s", got, body)
	}
}

// TestConversation checks how calls, results, signatures and pictures are written.
func TestConversation(t *testing.T) {
	s := serve(t, sse(
		chunk(`{"text":"I must look.","thought":true}`, ""),
		chunk(`{"text":"Wait."},{"functionCall":{"id":"f1","name":"look","args":{"at":1}},"thoughtSignature":"s1"}`, ""),
		chunk(`{"functionCall":{"name":"look"}}`, "STOP")))
	m := model(t, s)
	req := ask()
	req.Tools = []llm.Tool{{Name: "look", Description: "looks", Schema: map[string]any{"type": "object", "additionalProperties": false}}}
	var thought strings.Builder
	req.Reasoning = func(p string) { thought.WriteString(p) }
	got, err := m.Complete(t.Context(), req, nil)
	if err != nil || thought.String() != "I must look." || got.Text != "Wait." {
		t.Fatalf("reply = %+v, %v", got, err)
	}
	if want := []llm.Call{{ID: "f1", Name: "look", Input: map[string]any{"at": 1.0}}, {ID: "call_2", Name: "look", Input: map[string]any{}}}; !reflect.DeepEqual(got.Calls, want) {
		t.Errorf("calls = %+v", got.Calls)
	}
	if want := (llm.Reasoning{Text: "I must look.", Signature: `{"calls":["s1",""]}`, Model: "gemini:m"}); got.Reasoning != want {
		t.Errorf("reasoning = %+v", got.Reasoning)
	}
	req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Text: got.Text, Reasoning: got.Reasoning, Calls: got.Calls},
		llm.Message{Role: llm.User, Text: "go on", Results: []llm.Result{{CallID: "f1", Text: "a lot"}, {CallID: "call_2", Text: "no", IsError: true}},
			Pictures: []llm.Picture{{Type: "image/png", Data: []byte("png")}, {Type: "image/svg+xml", Data: []byte("<svg/>")}}},
		llm.Message{Role: llm.Assistant})
	if _, err := m.Complete(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	const contents = `[{"parts":[{"text":"hi"}],"role":"user"},` +
		`{"parts":[{"text":"Wait."},{"functionCall":{"args":{"at":1},"id":"f1","name":"look"},"thoughtSignature":"s1"},{"functionCall":{"args":{},"id":"call_2","name":"look"}}],"role":"model"},` +
		`{"parts":[{"functionResponse":{"id":"f1","name":"look","response":{"output":"a lot"}}},{"functionResponse":{"id":"call_2","name":"look","response":{"error":"no"}}},{"text":"go on"},{"inlineData":{"data":"cG5n","mimeType":"image/png"}}],"role":"user"},` +
		`{"parts":[{"text":"(nothing)"}],"role":"model"}]`
	if got := encode(t, s.bodies[1]["contents"]); got != contents {
		t.Errorf("sent\n%s\nwant\n%s", got, contents)
	}
	if got := encode(t, s.bodies[1]["tools"]); got != `[{"functionDeclarations":[{"description":"looks","name":"look","parametersJsonSchema":{"additionalProperties":false,"type":"object"}}]}]` {
		t.Errorf("tools = %s", got)
	}
}

// TestForeignCalls checks that a conversation that another model began can go on:
// its signatures are not given, and a model that insists on some gets the text
// that stands for none.
func TestForeignCalls(t *testing.T) {
	s := serve(t, status(400, `{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts.","status":"INVALID_ARGUMENT"}}`), sse(textReply...))
	m := model(t, s)
	req := ask()
	req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Reasoning: llm.Reasoning{Text: "x", Signature: `{"calls":["theirs"]}`, Model: "gemini:other"}, Calls: []llm.Call{{ID: "toolu_1", Name: "look"}, {ID: "toolu_2", Name: "look"}}},
		llm.Message{Role: llm.User, Results: []llm.Result{{CallID: "toolu_1", Text: "a"}, {CallID: "toolu_2", Text: "b"}}})
	for range 2 {
		if _, err := m.Complete(t.Context(), req, nil); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []int{0, 1, 1} {
		if text := encode(t, s.bodies[i]["contents"]); strings.Count(text, "skip_thought_signature_validator") != want || strings.Contains(text, "theirs") {
			t.Errorf("request %d: %s", i, text)
		}
	}
}

func TestEffort(t *testing.T) {
	s := serve(t, sse(textReply...), status(400, `{"error":{"code":400,"message":"Thinking level is not supported for this model.","status":"INVALID_ARGUMENT"}}`), sse(textReply...))
	m := model(t, s, func(c *gemini.Config) { c.Effort = llm.Low })
	for range 3 {
		if _, err := m.Complete(t.Context(), ask(), nil); err != nil {
			t.Fatal(err)
		}
	}
	const level, budget = `{"maxOutputTokens":8192,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"low"}}`, `{"maxOutputTokens":8192,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":4096}}`
	for i, want := range []string{level, level, budget, budget} {
		if got := encode(t, s.bodies[i]["generationConfig"]); got != want {
			t.Errorf("request %d: %s, want %s", i, got, want)
		}
	}
}

func TestEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		handler  http.HandlerFunc
		requests int
		kind     fault.Kind
		text     string
	}{
		"cut":           {sse(textReply[0], chunk("", "MAX_TOKENS")), 1, 0, ""},
		"safety":        {sse(textReply[0], chunk("", "SAFETY")), 1, fault.Invalid, "declined"},
		"blocked":       {sse(`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":3}}`), 1, fault.Invalid, "declined"},
		"a broken call": {sse(chunk("", "MALFORMED_FUNCTION_CALL")), 3, fault.Unavailable, `the model stopped with "MALFORMED_FUNCTION_CALL"`},
		"broken":        {sse(textReply[:2]...), 3, fault.Unavailable, "the connection was cut"},
		"in the stream": {sse(textReply[0], `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`), 3, fault.Unavailable, "503: The model is overloaded."},
		"a bad key":     {status(400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key. `+key+`","status":"INVALID_ARGUMENT"}}`), 1, fault.Denied, "refused the key: API key not valid. Please pass a valid API key. [key]"},
		"quota":         {status(429, `{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3600s"}]}}`), 1, fault.Exhausted, "Quota exceeded (the server asks to wait 1h0m0s)"},
		"unknown":       {status(404, `{"error":{"code":404,"message":"models/m is not found","status":"NOT_FOUND"}}`), 1, fault.NotFound, "models/m is not found"},
		"nameless":      {sse(chunk(`{"functionCall":{}}`, "STOP")), 3, fault.Unavailable, "without a name"},
		"many calls":    {sse(chunk(strings.Repeat(`{"functionCall":{"name":"f"}},`, 64)+`{"functionCall":{"name":"f"}}`, "STOP")), 1, fault.Unavailable, "more than 64 tool calls"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, tt.handler)
			got, err := model(t, s).Complete(t.Context(), ask(), nil)
			if len(s.bodies) != tt.requests {
				t.Errorf("%d requests, want %d", len(s.bodies), tt.requests)
			}
			if tt.text == "" {
				if err != nil || !got.Cut || got.Text != "Hel" {
					t.Errorf("reply = %+v, %v", got, err)
				}
			} else if fault.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.text) || strings.Contains(err.Error(), key) {
				t.Errorf("error = %v", err)
			}
		})
	}
}

// TestSpaceForThinking checks that a model that thinks unasked until its reply is
// cut is asked again with space for it.
func TestSpaceForThinking(t *testing.T) {
	s := serve(t, sse(chunk("", "MAX_TOKENS")), sse(textReply...))
	got, err := model(t, s).Complete(t.Context(), ask(), nil)
	if err != nil || got.Text != "Hello" || got.Tokens.Output != 30 || encode(t, s.bodies[1]["generationConfig"]) != `{"maxOutputTokens":12288}` {
		t.Errorf("reply = %+v, %v after %v", got, err, s.bodies)
	}
}

func TestNew(t *testing.T) {
	for _, tt := range []struct {
		c    gemini.Config
		code fault.Code
	}{
		{gemini.Config{Key: key}, fault.ModelUnnamed},
		{gemini.Config{Name: "m"}, fault.ModelKeyMissing},
	} {
		if m, err := gemini.New(tt.c); m != nil || fault.CodeOf(err) != tt.code {
			t.Errorf("%+v: %v", tt.c, err)
		}
	}
	m, err := gemini.New(gemini.Config{Name: "m", Key: key})
	if err != nil || m.Name() != "gemini:m" || m.Traits() != (llm.Traits{Sees: true}) {
		t.Errorf("got %v, %v", m, err)
	}
}

// TestNameIsOneSegment checks that a name cannot lead to another address.
func TestNameIsOneSegment(t *testing.T) {
	var urls []string
	m, err := gemini.New(gemini.Config{Name: "../../x?y=/z", Key: key, HTTPClient: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		urls = append(urls, r.URL.String())
		rec := httptest.NewRecorder()
		status(404, "{}")(rec, r)
		return rec.Result(), nil
	})}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Complete(t.Context(), ask(), nil)
	const want = "https://generativelanguage.googleapis.com/v1beta/models/..%2F..%2Fx%3Fy=%2Fz:streamGenerateContent?alt=sse"
	if fault.KindOf(err) != fault.NotFound || len(urls) != 1 || urls[0] != want {
		t.Errorf("asked %q, %v, want %s", urls, err, want)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
