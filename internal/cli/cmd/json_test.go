package cmd

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// leaves calls f with each command that does something.
func leaves(c *cobra.Command, f func(*cobra.Command)) {
	for _, child := range c.Commands() {
		leaves(child, f)
	}
	if len(c.Commands()) == 0 && c.Runnable() {
		f(c)
	}
}

// TestJSONEverywhere checks that each command has --json, says what it prints, and
// prints objects and nothing else in a home where nothing was done yet.
func TestJSONEverywhere(t *testing.T) {
	arguments := map[string][]string{ // for those whose arguments are not names of what is not there
		"run":          {"-c", "print a\nvalue 42"},
		"demo":         {"--model", "scripted:none"},
		"bench trace":  {"--runs", "0"},
		"plan bench":   {"nothing"}, // measuring takes too long
		"ask":          {"Well?", "--model", "scripted:none"},
		"tools schema": {}, "key ls": {}, "key rotate": {}, "key show": {},
		"doctor": {}, "runs": {}, "gc": {}, "cost": {}, "version": {}, "shell": {},
		"image ls": {}, "image build": {}, "image prune": {}, "session ls": {}, "thread ls": {}, "memory ls": {},
		"diff": {"a", "b"}, "session fork": {"a", "b"}, "thread fork": {"a", "b"}, "thread rename": {"a", "b"}, "tools diff": {"a", "b"},
		"tools import mcp": {"a", "--command", "none"},
	}
	p, _, _, _ := inProcess(t, nil)
	leaves(p.root(), func(c *cobra.Command) {
		path := strings.TrimPrefix(c.CommandPath(), "praxis ")
		if path == "rpc" || path == "mcp" || path == "serve" { // they speak JSON, and go on until they are stopped
			return
		}
		flag := c.Flags().Lookup("json")
		switch {
		case flag == nil:
			t.Errorf("%s has no --json", path)
			return
		case !strings.Contains(flag.Usage, "JSON object"):
			t.Errorf("%s does not say what --json prints: %q", path, flag.Usage)
		}
		args, ok := arguments[path]
		if !ok {
			args = []string{"nothing"}
		}
		fresh, stdout, stderr, _ := inProcess(t, nil)
		fresh.stdin = strings.NewReader("print x\n:files\n:help\nvalue 1\n")
		code := fresh.run(t.Context(), append(append(strings.Fields(path), "--json"), args...))
		if code != exitOK && stdout.String() == "" {
			t.Errorf("%s fails with %d and prints no object: %s", path, code, stderr)
		}
		for line := range strings.Lines(stdout.String()) {
			var object map[string]any
			if err := json.Unmarshal([]byte(line), &object); err != nil {
				t.Errorf("%s prints %q: %v", path, line, err)
			}
		}
	})
}
