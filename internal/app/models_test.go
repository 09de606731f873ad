package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
)

func TestNewModel(t *testing.T) {
	script := filepath.Join(t.TempDir(), "talk.txt")
	if err := os.WriteFile(script, []byte("=== reply\nhello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	keys := map[string]string{"ANTHROPIC_API_KEY": "k", "OPENAI_BASE_URL": "http://localhost:1/v1", "GEMINI_API_KEY": "k"}
	for _, spec := range []string{"anthropic:m", "openai:m:tag", "openai-responses:m", "gemini:m", "scripted:" + script} {
		m, err := newModel(spec, modelOptions{getenv: func(k string) string { return keys[k] }})
		if err != nil || !strings.HasPrefix(m.Name(), strings.SplitN(spec, ":", 2)[0]+":") {
			t.Errorf("%s: got %v, %v", spec, m, err)
		}
	}
	for _, c := range []struct {
		spec        string
		code        fault.Code
		name, value string // of its data
	}{
		{"", fault.ModelUnknown, "providers", "anthropic, gemini, openai, openai-chat, openai-responses, record, replay, scripted"},
		{"gpt", fault.ModelUnknown, "model", "gpt"},
		{"openai:", fault.ModelUnknown, "model", "openai:"},
		{"oracle:delphi", fault.ModelUnknown, "providers", "anthropic, gemini, openai, openai-chat, openai-responses, record, replay, scripted"},
		{"anthropic:m", fault.ModelKeyMissing, "key_variable", "ANTHROPIC_API_KEY"},
		{"openai:m", fault.ModelKeyMissing, "key_variable", "OPENAI_API_KEY"},
		{"openai-chat:m", fault.ModelKeyMissing, "model", "openai-chat:m"},
		{"gemini:m", fault.ModelKeyMissing, "key_variable", "GEMINI_API_KEY"},
		{"scripted:" + script + ".none", fault.ScriptMissing, "path", script + ".none"},
	} {
		m, err := newModel(c.spec, modelOptions{getenv: func(string) string { return "" }})
		if m != nil || fault.CodeOf(err) != c.code || fault.DataOf(err)[c.name] != c.value {
			t.Errorf("%q: got %v, %v (%v), want %v with %s %q", c.spec, m, err, fault.DataOf(err), c.code, c.name, c.value)
		}
	}
}

func TestChooseModel(t *testing.T) {
	for _, c := range []struct {
		flag, file string
		env        map[string]string
		want       string
	}{
		{"a:1", "c:3", map[string]string{"PRAXIS_MODEL": "b:2"}, "a:1"},
		{"", "c:3", map[string]string{"PRAXIS_MODEL": "b:2"}, "b:2"},
		{"", "c:3", map[string]string{"ANTHROPIC_API_KEY": "k"}, "c:3"},
		{"", "", map[string]string{"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}, AnthropicModel},
		{"", "", map[string]string{"OPENAI_API_KEY": "k"}, OpenAIModel},
		{"", "", map[string]string{"GOOGLE_API_KEY": "k"}, GeminiModel},
		{"", "", map[string]string{"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://localhost"}, ""},
		{"", "", nil, ""},
	} {
		a := &App{opt: Options{Getenv: func(k string) string { return c.env[k] }}}
		a.opt.Config.Ask.Model = c.file
		got, err := a.chooseModel(c.flag)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%+v: got %q, %v", c, got, err)
		}
	}
}

// TestModelsThatSee checks who says that a model of another server sees pictures.
func TestModelsThatSee(t *testing.T) {
	keys := map[string]string{"OPENAI_BASE_URL": "http://localhost:1/v1", "ANTHROPIC_BASE_URL": "http://localhost:1"}
	a := &App{opt: Options{Getenv: func(k string) string { return keys[k] }}}
	a.opt.Config.Ask.Sees = []string{"openai:qwen*", "anthropic:m"}
	file := filepath.Join(t.TempDir(), "talk.jsonl")
	for c, want := range map[*modelChoice]bool{
		{name: "openai:qwen2.5vl:7b"}: true, {name: "openai:llama"}: false, {name: "openai:llama", sees: true}: true, {name: "anthropic:m"}: true, {name: "anthropic:m2"}: false,
		{name: "record:" + file + "=openai:qwen"}: true, {name: "openai:qwen", fallbacks: []string{"openai:llama"}}: false,
		{name: "openai:qwen", fallbacks: []string{"openai:llama"}, sees: true}: true,
	} {
		m, err := a.model(*c)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Traits().Sees; got != want {
			t.Errorf("%+v sees: %v, want %v", *c, got, want)
		}
	}
}

// TestFallbackModels checks which models stand behind one, and what a run records of it.
func TestFallbackModels(t *testing.T) {
	keys := map[string]string{"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k", "GOOGLE_API_KEY": "k"}
	a := &App{opt: Options{Getenv: func(k string) string { return keys[k] }}}
	a.opt.Config.Ask.Model, a.opt.Config.Ask.Fallbacks = "anthropic:a", []string{"openai:b", "gemini:c"}
	for _, c := range []struct {
		choice modelChoice
		want   event.RunBegan
	}{
		{modelChoice{}, event.RunBegan{Model: "anthropic:a", Fallbacks: []string{"openai:b", "gemini:c"}, Traits: event.Traits{Sees: true}}},
		{modelChoice{name: "openai-chat:x"}, event.RunBegan{Model: "openai-chat:x", Traits: event.Traits{Sees: true}}},
		{modelChoice{fallbacks: []string{"gemini:y"}}, event.RunBegan{Model: "anthropic:a", Fallbacks: []string{"gemini:y"}, Traits: event.Traits{Sees: true}}},
	} {
		m, err := a.model(c.choice)
		if err != nil {
			t.Fatal(err)
		}
		var got event.RunBegan
		if describeModel(&got, m, ""); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v: %+v, want %+v", c.choice, got, c.want)
		}
	}
	if _, err := a.model(modelChoice{fallbacks: []string{"oracle:delphi"}}); fault.CodeOf(err) != fault.ModelUnknown {
		t.Errorf("an unknown fallback: %v", err)
	}
	if _, err := a.model(modelChoice{effort: "extreme"}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("an unknown effort: %v", err)
	}
}

// TestRecordAndReplay checks the models that are a file, and that nothing else is written to it.
func TestRecordAndReplay(t *testing.T) {
	dir := t.TempDir()
	script, file := filepath.Join(dir, "talk.txt"), filepath.Join(dir, "talk.jsonl")
	if err := os.WriteFile(script, []byte("=== reply\nhello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"hello"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	a := &App{opt: Options{Getenv: func(k string) string { return map[string]string{"OPENAI_BASE_URL": s.URL + "/v1"}[k] }}}
	record, replay := modelChoice{name: "record:" + file + "=openai:m"}, modelChoice{name: "replay:" + file}
	req := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "hi"}}}
	for _, c := range []modelChoice{record, replay} {
		m, err := a.model(c)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.Complete(t.Context(), req, nil); err != nil || got.Text != "hello" || !got.Tokens.Incomplete {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
		if scriptedModel(m) != (c.name == replay.name) || !slices.Equal(a.modelFiles(c), []string{file}) {
			t.Errorf("%s: scripted %v, files %q", c.name, scriptedModel(m), a.modelFiles(c))
		}
		s.Close()
	}
	for _, name := range []string{"record:", "record:" + file, "record:=openai:m", "record:" + file + "=scripted:" + script, "record:" + file + "=record:x=openai:m", "replay:" + file + ".none"} {
		if m, err := a.model(modelChoice{name: name}); m != nil || err == nil || fault.RemedyOf(err) == "" {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	if got := a.modelFiles(modelChoice{name: "openai:m", fallbacks: []string{"scripted:" + script, "openai:x"}}); !slices.Equal(got, []string{script}) {
		t.Errorf("files = %q", got)
	}
}
