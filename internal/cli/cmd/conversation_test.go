package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestConversation types questions: the second fails, which ends no conversation, and the
// thread that nobody named is gone afterwards.
func TestConversation(t *testing.T) {
	script := filepath.Join(t.TempDir(), "one.txt")
	if err := os.WriteFile(script, []byte("=== reply\n```python\nprint one\n```\n=== reply\nIt is one.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := atTerminal(t, "ask", "--model", "scripted:"+script)
	p.sees("Ctrl-D ends the conversation.\n>>>")
	p.types("Which is it?\r")
	p.sees("  It is one.\n")
	p.sees("\n>>>\n") // keys that come before the prompt are not its
	p.types("And now?\r")
	p.sees("it ends after 2 replies")
	p.sees("\n>>>\n")
	if screen := p.screen(); strings.Contains(screen, "question And") || strings.Contains(screen, "\nmodel ") {
		t.Errorf("what was typed is shown again:\n%s", screen)
	}
	p.types("\x04")
	if code := p.ends(); code != exitOK {
		t.Errorf("exit code %d:\n%s", code, p.screen())
	}
	list := exec.Command(p.cmd.Path)
	list.Args, list.Env = []string{"praxis", "thread", "ls"}, p.cmd.Env
	if out, err := list.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "There are no threads") {
		t.Errorf("threads: %s (%v)", out, err)
	}
}
