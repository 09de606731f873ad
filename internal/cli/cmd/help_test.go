package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestHelp checks that the pages with many flags show first what is used most and
// the rest in groups, that every flag is there once, and that lines fit.
func TestHelp(t *testing.T) {
	p, _, _, _ := inProcess(t, nil)
	leaves(p.root(), func(c *cobra.Command) {
		path := strings.Fields(strings.TrimPrefix(c.CommandPath(), "praxis "))
		p, stdout, _, _ := inProcess(t, nil)
		if code := p.run(t.Context(), append(path, "--help")); code != exitOK {
			t.Fatalf("%v --help ends with %d", path, code)
		}
		page := stdout.String()
		_, flags, _ := strings.Cut(page, "\nFlags:\n")
		for line := range strings.Lines(flags) {
			if len([]rune(line)) > 81 && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("%v: a line is too wide: %q", path, line)
			}
		}
		for _, g := range grouped(c.Flags()) {
			for _, f := range g.flags {
				if n := len(regexp.MustCompile(`(?m)^ +(-\w, )?--`+f.Name+`\b[^-]`).FindAllString(page, -1)); n != 1 {
					t.Errorf("%v: --%s is there %d times", path, f.Name, n)
				}
			}
		}
	})
	for _, name := range []string{"ask", "run"} {
		_, stdout, _, _ := inProcess(t, nil)
		p.stdout = stdout
		p.run(t.Context(), []string{name, "--help"})
		page := stdout.String()
		file, limits, disk := strings.Index(page, "--file"), strings.Index(page, "\nLimits:\n"), strings.Index(page, "--disk")
		if file < 0 || file > limits || limits > disk {
			t.Errorf("the help of %s is not in its groups:\n%s", name, page)
		}
	}
}

// TestScriptedTopic checks that the example of the help is a script that runs, and
// that the help shows it.
func TestScriptedTopic(t *testing.T) {
	script := filepath.Join(t.TempDir(), "sum.script")
	// The sessions of this test know directives in the place of Python.
	example := strings.NewReplacer("total = sum(range(10))\nprint(total)", "print 45", "{{ total }}", "45").Replace(scriptedExample)
	if example == scriptedExample {
		t.Fatal("the example is another")
	}
	if err := os.WriteFile(script, []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	p, stdout, stderr, _ := inProcess(t, nil)
	if code := p.run(t.Context(), []string{"ask", "The sum?", "--model", "scripted:" + script}); code != exitOK {
		t.Errorf("the example ends with %d: %s", code, stderr)
	}
	if !strings.Contains(stdout.String(), "The sum is 45.") {
		t.Errorf("the answer is not there:\n%s", stdout)
	}
	p, stdout, _, _ = inProcess(t, nil)
	p.run(t.Context(), []string{"help", "scripted"})
	for line := range strings.Lines(scriptedExample) {
		if !strings.Contains(stdout.String(), line) {
			t.Errorf("the help has no line %q", line)
		}
	}
}
