package anthropic_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/llm"
	"praxis/internal/llm/anthropic"
)

// own makes a model of Anthropic's own server, for which s stands in.
func own(t *testing.T, s *server, edit ...func(*anthropic.Config)) *anthropic.Model {
	t.Helper()
	return model(t, s, &naps{}, append(edit, func(c *anthropic.Config) {
		c.BaseURL = ""
		c.HTTPClient = &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			r.URL.Scheme, r.URL.Host = "http", strings.TrimPrefix(s.URL, "http://")
			return http.DefaultTransport.RoundTrip(r)
		})}
	})...)
}

func text(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func high(c *anthropic.Config) { c.Effort = llm.High }

// TestEffort checks that newer models are given an effort, and older ones, which
// refuse that, a number of tokens.
func TestEffort(t *testing.T) {
	refusal := `{"type":"error","error":{"type":"invalid_request_error","message":"adaptive thinking is not supported on this model"}}`
	s := serve(t, sse(textReply...), status(400, refusal), sse(textReply...))
	m := own(t, s, high)
	for range 3 {
		if _, err := m.Complete(t.Context(), ask(), nil); err != nil {
			t.Fatal(err)
		}
	}
	const adaptive, budget = `{"effort":"high"} {"type":"adaptive"} 20480`, `null {"budget_tokens":16384,"type":"enabled"} 20480`
	var got []string
	for _, b := range s.bodies {
		got = append(got, text(t, b["output_config"])+" "+text(t, b["thinking"])+" "+text(t, b["max_tokens"]))
	}
	if want := []string{adaptive, adaptive, budget, budget}; !reflect.DeepEqual(got, want) {
		t.Errorf("asked with %q, want %q", got, want)
	}
	s = serve(t, sse(textReply...))
	if _, err := own(t, s).Complete(t.Context(), ask(), nil); err != nil || s.bodies[0]["thinking"] != nil || s.bodies[0]["output_config"] != nil {
		t.Errorf("without an effort: %v, %v", s.bodies[0], err)
	}
}

// called is a conversation in which a model called with some reasoning.
func called(r llm.Reasoning) llm.Request {
	req := ask()
	req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Reasoning: r, Calls: []llm.Call{{ID: "toolu_1", Name: "look", Input: map[string]any{}}}},
		llm.Message{Role: llm.User, Results: []llm.Result{{CallID: "toolu_1", Text: "nothing"}}})
	return req
}

// TestThinkingComesBack checks that all blocks of thinking are given back as
// they were, and none of another model.
func TestThinkingComesBack(t *testing.T) {
	s := serve(t, sse(
		`{"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"One."}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s1"}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"dark"}}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"signature_delta","signature":"s2"}}`,
		`{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"look","input":{}}}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":40}}`,
		`{"type":"message_stop"}`), sse(textReply...))
	m := own(t, s)
	var thought strings.Builder
	req := ask()
	req.Reasoning = func(p string) { thought.WriteString(p) }
	got, err := m.Complete(t.Context(), req, nil)
	if err != nil || thought.String() != "One." || got.Reasoning.Model != "anthropic:m" {
		t.Fatalf("reply = %+v, %v; thought %q", got, err, thought.String())
	}
	foreign := got.Reasoning
	foreign.Model = "gemini:x"
	for _, r := range []llm.Reasoning{got.Reasoning, foreign, {Text: "Hm.", Signature: `[{"hidden":`, Model: "anthropic:m"}} {
		if _, err := m.Complete(t.Context(), called(r), nil); err != nil {
			t.Fatal(err)
		}
	}
	const call = `{"id":"toolu_1","input":{},"name":"look","type":"tool_use"}]`
	want := []string{
		`[{"signature":"s1","thinking":"One.","type":"thinking"},{"data":"dark","type":"redacted_thinking"},{"signature":"s2","thinking":"","type":"thinking"},` + call,
		`[` + call,
		`[{"signature":"[{\"hidden\":","thinking":"Hm.","type":"thinking"},` + call,
	}
	for i, w := range want {
		if said := text(t, s.bodies[i+1]["messages"].([]any)[1].(map[string]any)["content"]); said != w {
			t.Errorf("given back\n%s\nwant\n%s", said, w)
		}
	}
}

// TestBudgetNeedsThinking checks that a conversation that another model began goes
// on without thinking where the server would refuse it.
func TestBudgetNeedsThinking(t *testing.T) {
	s := serve(t, status(400, `{"error":{"message":"output_config: Extra inputs are not permitted"}}`), sse(textReply...))
	m := own(t, s, high)
	if _, err := m.Complete(t.Context(), called(llm.Reasoning{Text: "x", Signature: "y", Model: "openai:z"}), nil); err != nil {
		t.Fatal(err)
	}
	if s.requests() != 2 || s.bodies[1]["thinking"] != nil {
		t.Errorf("%d requests, the last with %v", s.requests(), s.bodies[1]["thinking"])
	}
}

// TestSpaceForThinking checks that a model that thinks unasked until its reply is
// cut is asked again with space for it, and all that it used is counted.
func TestSpaceForThinking(t *testing.T) {
	cut := sse(`{"type":"message_start","message":{"usage":{"input_tokens":10,"output_tokens":1}}}`,
		`{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":4096}}`, `{"type":"message_stop"}`)
	s := serve(t, cut, sse(textReply...))
	got, err := own(t, s).Complete(t.Context(), ask(), nil)
	if want := (event.Tokens{Input: 40, Output: 4111, CacheRead: 5}); err != nil || got.Text != "Hello" || got.Tokens != want {
		t.Errorf("reply = %+v, %v", got, err)
	}
	if s.bodies[1]["max_tokens"] != float64(4096+8192) {
		t.Errorf("asked with %v", s.bodies[1]["max_tokens"])
	}
	if again := serve(t, cut); true {
		if got, err := own(t, again).Complete(t.Context(), ask(), nil); err != nil || !got.Cut || again.requests() != 2 {
			t.Errorf("a model without end: %+v, %v after %d requests", got, err, again.requests())
		}
	}
}

// TestCache checks what is marked for the cache, how it is counted, and that a
// server that knows no marks is asked without them.
func TestCache(t *testing.T) {
	start := `{"type":"message_start","message":{"usage":{"input_tokens":7,"cache_creation_input_tokens":20,"cache_read_input_tokens":100,"output_tokens":1}}}`
	s := serve(t, status(400, `{"detail":[{"loc":["system",0,"cache_control"],"msg":"Extra inputs are not permitted"}]}`), sse(append([]string{start}, textReply[1:]...)...))
	m := model(t, s, &naps{})
	for range 2 {
		got, err := m.Complete(t.Context(), ask(), nil)
		if want := (event.Tokens{Input: 127, Output: 15, CacheRead: 100, CacheWritten: 20}); err != nil || got.Tokens != want {
			t.Fatalf("tokens = %+v, %v, want %+v", got.Tokens, err, want)
		}
	}
	var marks []int
	for _, b := range s.bodies {
		marks = append(marks, strings.Count(text(t, b), "cache_control"))
	}
	if !slices.Equal(marks, []int{2, 0, 0}) {
		t.Errorf("%v marks, want two, and none when they are refused", marks)
	}
}

func TestPictures(t *testing.T) {
	req := ask()
	req.Messages[0].Pictures = []llm.Picture{{Type: "image/png", Data: []byte("png")}, {Type: "image/svg+xml", Data: []byte("<svg/>")}}
	s := serve(t, sse(textReply...))
	if _, err := own(t, s).Complete(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := model(t, s, &naps{}).Complete(t.Context(), req, nil); err != nil { // another server, of which nothing is known
		t.Fatal(err)
	}
	const mark = `"cache_control":{"type":"ephemeral"},`
	for i, want := range []string{`[{"text":"hi","type":"text"},{` + mark + `"source":{"data":"cG5n","media_type":"image/png","type":"base64"},"type":"image"}]`, `[{` + mark + `"text":"hi","type":"text"}]`} {
		if got := text(t, s.bodies[i]["messages"].([]any)[0].(map[string]any)["content"]); got != want {
			t.Errorf("sent %s, want %s", got, want)
		}
	}
}

func TestTraits(t *testing.T) {
	s := serve(t, sse(textReply...))
	if got := own(t, s).Traits(); got != (llm.Traits{Sees: true}) {
		t.Errorf("Anthropic's own: %+v", got)
	}
	if got := model(t, s, &naps{}).Traits(); got != (llm.Traits{Local: true}) {
		t.Errorf("a server of one's own: %+v", got)
	}
}
