package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/fault"
)

func TestNewModel(t *testing.T) {
	script := filepath.Join(t.TempDir(), "talk.txt")
	if err := os.WriteFile(script, []byte("=== reply\nhello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	keys := map[string]string{"ANTHROPIC_API_KEY": "k", "OPENAI_BASE_URL": "http://localhost:1/v1"}
	for _, spec := range []string{"anthropic:m", "openai:m:tag", "scripted:" + script} {
		m, err := newModel(spec, func(k string) string { return keys[k] })
		if err != nil || !strings.HasPrefix(m.Name(), strings.SplitN(spec, ":", 2)[0]+":") {
			t.Errorf("%s: got %v, %v", spec, m, err)
		}
	}
	for _, c := range []struct {
		spec        string
		code        fault.Code
		name, value string // of its data
	}{
		{"", fault.ModelUnknown, "providers", "anthropic, openai, scripted"},
		{"gpt", fault.ModelUnknown, "model", "gpt"},
		{"openai:", fault.ModelUnknown, "model", "openai:"},
		{"oracle:delphi", fault.ModelUnknown, "providers", "anthropic, openai, scripted"},
		{"anthropic:m", fault.ModelKeyMissing, "key_variable", "ANTHROPIC_API_KEY"},
		{"openai:m", fault.ModelKeyMissing, "key_variable", "OPENAI_API_KEY"},
		{"scripted:" + script + ".none", fault.ScriptMissing, "path", script + ".none"},
	} {
		m, err := newModel(c.spec, func(string) string { return "" })
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
