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
		m, err := NewModel(spec, func(k string) string { return keys[k] })
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
		m, err := NewModel(c.spec, func(string) string { return "" })
		if m != nil || fault.CodeOf(err) != c.code || fault.DataOf(err)[c.name] != c.value {
			t.Errorf("%q: got %v, %v (%v), want %v with %s %q", c.spec, m, err, fault.DataOf(err), c.code, c.name, c.value)
		}
	}
}
