package openai_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/llm/openai"
	"praxis/internal/llm/stream"
)

// ended is the last event of a response.
func ended(typ, more string) string {
	return `{"type":"response.` + typ + `","sequence_number":9,"response":{"id":"resp_1","object":"response","status":"` + typ + `"` + more +
		`,"usage":{"input_tokens":30,"input_tokens_details":{"cached_tokens":20},"output_tokens":15,"output_tokens_details":{"reasoning_tokens":10},"total_tokens":45}}}`
}

var textResponse = []string{
	`{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","error":null,"output":[]}}`,
	`{"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}}`,
	`{"type":"response.content_part.added","item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}`,
	`{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"Hel"}`,
	`{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"lo"}`,
	`{"type":"response.output_text.done","item_id":"msg_1","output_index":0,"content_index":0,"text":"Hello"}`,
	`{"type":"response.output_item.done","output_index":0,"item":{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hello","annotations":[]}]}}`,
	ended("completed", `,"incomplete_details":null,"error":null`),
}

var callResponse = []string{
	`{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}`,
	`{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"I must look."}`,
	`{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","encrypted_content":"dark","summary":[{"type":"summary_text","text":"I must look."}]}}`,
	`{"type":"response.output_item.added","output_index":1,"item":{"id":"fc_1","type":"function_call","status":"in_progress","call_id":"call_1","name":"look","arguments":""}}`,
	`{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":1,"delta":"{\"at\":"}`,
	`{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":1,"delta":"1}"}`,
	`{"type":"response.output_item.done","output_index":1,"item":{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"look","arguments":"{\"at\":1}"}}`,
	`{"type":"response.output_item.done","output_index":2,"item":{"id":"fc_2","type":"function_call","status":"completed","call_id":"call_2","name":"look","arguments":"{}"}}`,
	ended("completed", ""),
}

// openAI makes a model of OpenAI's own server, which answers with handlers, and
// returns the requests that it got.
func openAI(t *testing.T, n *naps, edit func(*openai.Config), handlers ...http.HandlerFunc) (*openai.Model, *[]map[string]any) {
	t.Helper()
	var bodies []map[string]any
	c := openai.Config{Options: stream.Options{Name: "m", Key: key, Retry: n.retry(), HTTPClient: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		if r.URL.String() != "https://api.openai.com/v1/responses" || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("asked %s", r.URL)
		}
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Errorf("the request is no JSON: %v", err)
		}
		h := handlers[min(len(bodies), len(handlers)-1)]
		bodies = append(bodies, body)
		rec := httptest.NewRecorder()
		h(rec, r)
		return rec.Result(), nil
	})}}}
	if edit != nil {
		edit(&c)
	}
	m, err := openai.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m, &bodies
}

func encode(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestResponse(t *testing.T) {
	m, bodies := openAI(t, &naps{}, nil, sse(textResponse...))
	var pieces []string
	got, err := m.Complete(t.Context(), ask(), func(p string) { pieces = append(pieces, p) })
	want := llm.Reply{Text: "Hello", Tokens: event.Tokens{Input: 30, Output: 15, CacheRead: 20, Reasoning: 10}}
	if err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(pieces, []string{"Hel", "lo"}) {
		t.Errorf("reply = %+v in %q, %v; want %+v", got, pieces, err, want)
	}
	const body = `{"include":["reasoning.encrypted_content"],"input":[{"content":[{"text":"hi","type":"input_text"}],"role":"user"}],"instructions":"be exact","max_output_tokens":4096,"model":"m","store":false,"stream":true}`
	if got := encode(t, (*bodies)[0]); got != body {
		t.Errorf("asked\n%s\nwant\n%s", got, body)
	}
}

// TestResponseConversation checks how calls, results, reasoning and pictures are
// written, and that another model's reasoning is not.
func TestResponseConversation(t *testing.T) {
	m, bodies := openAI(t, &naps{}, nil, sse(callResponse...))
	req := ask()
	req.Tools = []llm.Tool{{Name: "look", Description: "looks", Schema: map[string]any{"type": "object"}}}
	var thought strings.Builder
	req.Reasoning = func(p string) { thought.WriteString(p) }
	got, err := m.Complete(t.Context(), req, nil)
	if err != nil || thought.String() != "I must look." || got.Reasoning.Text != "I must look." || got.Reasoning.Model != "openai:m" {
		t.Fatalf("reply = %+v, %v", got, err)
	}
	calls := []llm.Call{{ID: "call_1", Name: "look", Input: map[string]any{"at": 1.0}}, {ID: "call_2", Name: "look", Input: map[string]any{}}}
	if !reflect.DeepEqual(got.Calls, calls) {
		t.Errorf("calls = %+v", got.Calls)
	}
	req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Text: "Wait.", Reasoning: got.Reasoning, Calls: calls[:1]},
		llm.Message{Role: llm.User, Text: "go on", Results: []llm.Result{{CallID: "call_1", Text: "a lot"}}, Pictures: []llm.Picture{{Type: "image/png", Data: []byte("png")}}},
		llm.Message{Role: llm.Assistant, Reasoning: llm.Reasoning{Text: "x", Signature: `[{"id":"rs_9"}]`, Model: "anthropic:m"}, Calls: calls[1:]},
		llm.Message{Role: llm.User, Results: []llm.Result{{CallID: "call_2", Text: "none"}}})
	if _, err := m.Complete(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	const input = `[{"content":[{"text":"hi","type":"input_text"}],"role":"user"},` +
		`{"encrypted_content":"dark","id":"rs_1","summary":[{"text":"I must look.","type":"summary_text"}],"type":"reasoning"},` +
		`{"content":[{"text":"Wait.","type":"output_text"}],"role":"assistant"},{"arguments":"{\"at\":1}","call_id":"call_1","name":"look","type":"function_call"},` +
		`{"call_id":"call_1","output":"a lot","type":"function_call_output"},{"content":[{"text":"go on","type":"input_text"},{"image_url":"data:image/png;base64,cG5n","type":"input_image"}],"role":"user"},` +
		`{"arguments":"{}","call_id":"call_2","name":"look","type":"function_call"},{"call_id":"call_2","output":"none","type":"function_call_output"}]`
	if got := encode(t, (*bodies)[1]["input"]); got != input {
		t.Errorf("sent\n%s\nwant\n%s", got, input)
	}
	if got := encode(t, (*bodies)[1]["tools"]); got != `[{"description":"looks","name":"look","parameters":{"type":"object"},"strict":false,"type":"function"}]` {
		t.Errorf("tools = %s", got)
	}
}

func TestResponseEnds(t *testing.T) {
	cut := textResponse[:4:4]
	for name, tt := range map[string]struct {
		events   []string
		requests int
		kind     fault.Kind
		text     string
	}{
		"cut":       {append(cut, ended("incomplete", `,"incomplete_details":{"reason":"max_output_tokens"}`)), 1, 0, ""},
		"filtered":  {append(cut, ended("incomplete", `,"incomplete_details":{"reason":"content_filter"}`)), 1, fault.Invalid, "declined"},
		"failed":    {append(cut, `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"oops"}}}`), 3, fault.Unavailable, "500: oops"},
		"limited":   {[]string{`{"type":"error","code":"rate_limit_exceeded","message":"slow down","param":null}`}, 3, fault.Exhausted, "too many requests: slow down"},
		"too long":  {[]string{`{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"too long"}}`}, 1, fault.Invalid, "too long"},
		"broken":    {cut, 3, fault.Unavailable, "the connection was cut"},
		"no call":   {[]string{`{"type":"response.function_call_arguments.delta","output_index":3,"delta":"{"}`}, 3, fault.Unavailable, "did not begin"},
		"many":      {append(calls(65), ended("completed", "")), 1, fault.Unavailable, "more than 64 tool calls"},
		"nameless":  {[]string{`{"type":"response.output_item.added","item":{"type":"function_call","call_id":"c"}}`}, 3, fault.Unavailable, "without an id or a name"},
		"odd shape": {[]string{`{"type":"response.completed","response":7}`}, 3, fault.Unavailable, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			m, bodies := openAI(t, &naps{}, nil, sse(tt.events...))
			got, err := m.Complete(t.Context(), ask(), nil)
			if len(*bodies) != tt.requests {
				t.Errorf("%d requests, want %d", len(*bodies), tt.requests)
			}
			if tt.text == "" {
				if err != nil || !got.Cut || got.Text != "Hel" {
					t.Errorf("reply = %+v, %v", got, err)
				}
			} else if fault.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error = %v", err)
			}
		})
	}
}

// calls are n calls in one response.
func calls(n int) []string {
	var out []string
	for i := range n {
		out = append(out, `{"type":"response.output_item.added","output_index":`+strconv.Itoa(i)+`,"item":{"type":"function_call","call_id":"c","name":"look"}}`)
	}
	return out
}

// TestResponseIsBent checks what models say that do not reason, or whose account
// gets no summaries.
func TestResponseIsBent(t *testing.T) {
	effort := func(c *openai.Config) { c.Effort = llm.Low }
	m, bodies := openAI(t, &naps{}, effort,
		status(400, `{"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error","param":"include","code":null}}`),
		status(400, `{"error":{"message":"Your organization must be verified to generate reasoning summaries.","type":"invalid_request_error","param":"reasoning.summary","code":"unsupported_value"}}`),
		sse(textResponse...))
	for range 2 {
		if _, err := m.Complete(t.Context(), ask(), nil); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, b := range *bodies {
		got = append(got, encode(t, b["include"])+" "+encode(t, b["reasoning"])+" "+encode(t, b["max_output_tokens"]))
	}
	const last = `null {"effort":"low"} 8192`
	want := []string{`["reasoning.encrypted_content"] {"effort":"low","summary":"auto"} 8192`, `null {"effort":"low","summary":"auto"} 8192`, last, last}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("asked with %q, want %q", got, want)
	}
}

// TestEffortIsRefused checks that an effort that was asked for is not given up
// without a word.
func TestEffortIsRefused(t *testing.T) {
	refusal := status(400, `{"error":{"message":"Unsupported parameter: 'reasoning.effort' is not supported with this model.","type":"invalid_request_error"}}`)
	m, bodies := openAI(t, &naps{}, func(c *openai.Config) { c.Effort = llm.High }, refusal)
	if _, err := m.Complete(t.Context(), ask(), nil); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "reasoning.effort") || len(*bodies) != 1 {
		t.Errorf("error = %v after %d requests", err, len(*bodies))
	}
	s := serve(t, sse(textReply...))
	if _, err := model(t, s, &naps{}, func(c *openai.Config) { c.Effort = llm.High }).Complete(t.Context(), ask(), nil); err != nil ||
		s.bodies[0]["reasoning_effort"] != "high" || s.bodies[0]["max_tokens"] != float64(4096+16384) {
		t.Errorf("chat: %v, %v", s.bodies[0], err)
	}
}

// TestSpaceForReasoning checks that a model that reasons until its reply is cut
// gets space for that, and all that it used is counted.
func TestSpaceForReasoning(t *testing.T) {
	m, bodies := openAI(t, &naps{}, nil, sse(ended("incomplete", `,"incomplete_details":{"reason":"max_output_tokens"}`)), sse(textResponse...))
	got, err := m.Complete(t.Context(), ask(), nil)
	if want := (event.Tokens{Input: 60, Output: 30, CacheRead: 40, Reasoning: 20}); err != nil || got.Tokens != want || got.Text != "Hello" {
		t.Errorf("reply = %+v, %v", got, err)
	}
	if (*bodies)[1]["max_output_tokens"] != float64(4096+8192) {
		t.Errorf("asked with %v", (*bodies)[1])
	}
}

// TestAPI checks which interface a server is asked by.
func TestAPI(t *testing.T) {
	for _, tt := range []struct {
		base, name, path string
		api              openai.API
	}{
		{"", "openai:m", "/v1/responses", ""},
		{"", "openai-chat:m", "/v1/chat/completions", openai.Chat},
		{"https://api.openai.com/v1", "openai:m", "/v1/responses", ""},
		{"http://localhost:1/v1", "openai:m", "/v1/chat/completions", ""},
		{"http://localhost:1/v1", "openai-responses:m", "/v1/responses", openai.Responses},
	} {
		m, err := openai.New(openai.Config{API: tt.api, Options: stream.Options{Name: "m", Key: key, BaseURL: tt.base, HTTPClient: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			if r.URL.Path != tt.path {
				t.Errorf("%+v: asked %s", tt, r.URL)
			}
			rec := httptest.NewRecorder()
			status(400, "{}")(rec, r)
			return rec.Result(), nil
		})}}})
		if err != nil || m.Name() != tt.name {
			t.Fatalf("%+v: %v", tt, err)
		}
		if _, err := m.Complete(t.Context(), ask(), nil); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// TestUsageDetails checks that what came from a cache is counted apart, by the
// names of OpenAI and of DeepSeek, and that a server may count nothing.
func TestUsageDetails(t *testing.T) {
	for usage, want := range map[string]event.Tokens{
		`{"prompt_tokens":30,"completion_tokens":15,"prompt_tokens_details":{"cached_tokens":16},"completion_tokens_details":{"reasoning_tokens":4}}`: {Input: 30, Output: 15, CacheRead: 16, Reasoning: 4},
		`{"prompt_tokens":30,"completion_tokens":15,"prompt_cache_hit_tokens":8,"prompt_tokens_details":null}`:                                        {Input: 30, Output: 15, CacheRead: 8},
		`{"prompt_tokens":30,"completion_tokens":15,"prompt_tokens_details":{"cached_tokens":99}}`:                                                    {Input: 30, Output: 15, CacheRead: 30},
		`null`: {Incomplete: true},
	} {
		s := serve(t, sse(chunk(`{"content":"a"}`, `"stop"`), `{"choices":[],"usage":`+usage+`}`, `[DONE]`))
		if got, err := model(t, s, &naps{}).Complete(t.Context(), ask(), nil); err != nil || got.Tokens != want {
			t.Errorf("%s: %+v, %v, want %+v", usage, got.Tokens, err, want)
		}
	}
}

func TestPictures(t *testing.T) {
	req := ask()
	req.Messages[0].Pictures = []llm.Picture{{Type: "image/png", Data: []byte("png")}, {Type: "image/svg+xml", Data: []byte("<svg/>")}}
	s := serve(t, sse(textReply...))
	if _, err := model(t, s, &naps{}).Complete(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	m, err := openai.New(openai.Config{API: openai.Chat, Options: stream.Options{Name: "m", Key: key, HTTPClient: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		r.URL.Scheme, r.URL.Host = "http", strings.TrimPrefix(s.URL, "http://")
		return http.DefaultTransport.RoundTrip(r)
	})}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Complete(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	// Of another server somebody may say that its model sees.
	seeing := model(t, s, &naps{}, func(c *openai.Config) { c.Sees = true })
	if _, err := seeing.Complete(t.Context(), req, nil); err != nil || !seeing.Traits().Sees {
		t.Fatal(err)
	}
	const seen = `[{"text":"hi","type":"text"},{"image_url":{"url":"data:image/png;base64,cG5n"},"type":"image_url"}]`
	for i, want := range []string{`"hi"`, seen, seen} {
		if got := encode(t, s.bodies[i]["messages"].([]any)[1].(map[string]any)["content"]); got != want {
			t.Errorf("sent %s, want %s", got, want)
		}
	}
}
