package cmd

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// provider is a server that speaks as OpenAI's, Anthropic's and Google's do.
func provider(t *testing.T, status int) (url string, requests *int) {
	t.Helper()
	requests = new(int)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*requests++
		if status != 200 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"error":{"message":"no"}}`)
			return
		}
		switch r.URL.String() {
		case "/v1/models":
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"b","object":"model"},{"id":"a\u001b[2J"},{"id":"a:7b"}]}`)
		case "/v1/models?limit=1000":
			if r.Header.Get("Anthropic-Version") == "" || r.Header.Get("X-Api-Key") != "k" {
				t.Errorf("asked with %v", r.Header)
			}
			_, _ = io.WriteString(w, `{"data":[{"type":"model","id":"claude-x","display_name":"X"}],"has_more":false}`)
		case "/v1beta/models?pageSize=1000":
			_, _ = io.WriteString(w, `{"models":[{"name":"models/gemini-x","supportedGenerationMethods":["generateContent"]},{"name":"models/embedding","supportedGenerationMethods":["embedContent"]}]}`)
		case "/v1/chat/completions":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"FINAL ANSWER: yes"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
		default:
			t.Errorf("asked %s", r.URL)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

func TestModels(t *testing.T) {
	good, _ := provider(t, 200)
	bad, _ := provider(t, 401)
	for _, tt := range []struct {
		name string
		env  map[string]string
		code int
		want string
	}{
		{"all", map[string]string{"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": good, "OPENAI_BASE_URL": good + "/v1", "GOOGLE_API_KEY": "k", "GEMINI_BASE_URL": good}, 0,
			"anthropic (ANTHROPIC_API_KEY is set, and ANTHROPIC_BASE_URL names the server)\n  anthropic:claude-x\nopenai (OPENAI_API_KEY is not set, and OPENAI_BASE_URL names the server)\n  openai:a:7b\n  openai:b\n" +
				"gemini (GOOGLE_API_KEY is set, and GEMINI_BASE_URL names the server)\n  gemini:gemini-x\n"},
		{"none", nil, 0, "anthropic (ANTHROPIC_API_KEY is not set)\nopenai (OPENAI_API_KEY is not set)\ngemini (GEMINI_API_KEY is not set)\n"},
		{"some", map[string]string{"OPENAI_BASE_URL": good + "/v1", "GEMINI_API_KEY": "k", "GEMINI_BASE_URL": bad}, 0,
			"  openai:a:7b\n  openai:b\ngemini (GEMINI_API_KEY is set, and GEMINI_BASE_URL names the server)\n  cannot use model gemini:*: " + strings.TrimPrefix(bad, "http://") + " refused the key: no\n  Set GEMINI_API_KEY to a key that may use this model.\n"},
		{"no network", map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, exitFailed, "cannot use model openai:*: no answer from 127.0.0.1:1: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, stdout, stderr, _ := inProcess(t, tt.env)
			if code := p.run(t.Context(), []string{"models"}); code != tt.code || !strings.Contains(stdout.String(), tt.want) {
				t.Errorf("exit code %d, printed\n%s%s\nwant\n%s", code, stdout, stderr, tt.want)
			}
		})
	}
	p, stdout, _, _ := inProcess(t, map[string]string{"OPENAI_BASE_URL": bad + "/v1"})
	code := p.run(t.Context(), []string{"models", "--json"})
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	var second struct {
		Provider string
		Models   []string
		Failure  struct{ Code, Remedy string }
	}
	if code != exitFailed || len(lines) != 3 || json.Unmarshal([]byte(lines[1]), &second) != nil || second.Provider != "openai" || second.Models == nil || second.Failure.Code != "model_key_refused" {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}

// TestRecordedAnswer checks that an answer that was recorded comes again without
// a server, and that another question does not.
func TestRecordedAnswer(t *testing.T) {
	url, requests := provider(t, 200)
	file := filepath.Join(t.TempDir(), "talk.jsonl")
	env := map[string]string{"OPENAI_BASE_URL": url + "/v1", "OPENAI_API_KEY": "sk-s3cret"}
	ask := func(question, model string) (int, string) {
		p, stdout, stderr, _ := inProcess(t, env)
		code := p.run(t.Context(), []string{"ask", question, "--model", model})
		return code, stdout.String() + stderr.String()
	}
	if code, text := ask("Is it so?", "record:"+file+"=openai:m"); code != 0 || !strings.Contains(text, "yes") {
		t.Fatalf("recorded: %d\n%s", code, text)
	}
	made := *requests
	if code, text := ask("Is it so?", "replay:"+file); code != 0 || !strings.Contains(text, "yes") {
		t.Errorf("replayed: %d\n%s", code, text)
	}
	if code, text := ask("Is it not?", "replay:"+file); code == 0 || !strings.Contains(text, "message 1 (user) is not the one that was recorded") {
		t.Errorf("another question: %d\n%s", code, text)
	}
	if raw, err := os.ReadFile(file); *requests != made || err != nil || strings.Contains(string(raw), "s3cret") || strings.Contains(string(raw), "Is it so") {
		t.Errorf("%d requests, want %d; the file: %s, %v", *requests, made, raw, err)
	}
}

// TestFallbackAnswer checks that another model answers when the first has no
// credit, and that the person reads it.
func TestFallbackAnswer(t *testing.T) {
	poor, _ := provider(t, 402)
	good, _ := provider(t, 200)
	p, stdout, stderr, _ := inProcess(t, map[string]string{"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": poor, "OPENAI_BASE_URL": good + "/v1"})
	code := p.run(t.Context(), []string{"ask", "Is it so?", "--model", "anthropic:a", "--fallback-model", "openai:b", "--json"})
	for _, want := range []string{`"fallbacks":["openai:b"]`, `"event":"model_retrying"`, `"model":"openai:b"`, `"text":"yes"`, "has no credit left"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("%s is missing; exit code %d:\n%s%s", want, code, stdout, stderr)
		}
	}
}
