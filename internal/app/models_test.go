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
		spec   string
		kind   fault.Kind
		remedy string
	}{
		{"", fault.Invalid, "anthropic, openai, scripted"},
		{"gpt", fault.Invalid, "PROVIDER:NAME"},
		{"openai:", fault.Invalid, "PROVIDER:NAME"},
		{"oracle:delphi", fault.Invalid, "anthropic, openai, scripted"},
		{"anthropic:m", fault.Denied, "ANTHROPIC_API_KEY"},
		{"openai:m", fault.Denied, "OPENAI_API_KEY"},
		{"scripted:" + script + ".none", fault.NotFound, "scripted:"},
	} {
		m, err := NewModel(c.spec, func(string) string { return "" })
		if m != nil || fault.KindOf(err) != c.kind || !strings.Contains(fault.RemedyOf(err), c.remedy) {
			t.Errorf("%q: got %v, %v (%s), want %v with the remedy %q", c.spec, m, err, fault.RemedyOf(err), c.kind, c.remedy)
		}
	}
}
