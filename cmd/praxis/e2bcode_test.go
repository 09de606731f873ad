package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"praxis/internal/test/cache"
)

// serveE2BCode is serveE2B whose usual templates have what code of people imports.
func serveE2BCode(t *testing.T) (env []string) {
	t.Helper()
	return serveE2BWith(t, func(home string) {
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "image", "build", filepath.Join("testdata", "e2b", "image.yaml"))
		cmd.Args[0] = asProgram
		cmd.Env = append(os.Environ(), "PRAXIS_HOME="+home)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("cannot build the image: %v\n%s", err, out)
		}
	}, "--e2b-template", "base=e2b-code", "--e2b-template", "code-interpreter-v1=e2b-code")
}

// framework is a published package that works in E2B's sandboxes.
type framework struct {
	name     string
	packages []string
	tasks    []string // scripts that end with the word done
	suite    string   // a file for pytest
	fails    int      // of its tests, which docs/integrations.md names
}

var frameworks = []framework{
	{name: "smolagents", packages: []string{"smolagents==1.26.0", "e2b==2.63.0", "e2b-code-interpreter==2.11.5", "python-dotenv==1.2.1"}, tasks: []string{"smolagents_task.py"}},
	{name: "openai-agents", packages: []string{"openai-agents[e2b]==0.24.0", "e2b==2.31.0", "e2b-code-interpreter==2.8.1"}, tasks: []string{"openai_task.py"}},
	{name: "langchain-e2b", packages: []string{"langchain-e2b==0.0.6", "deepagents==0.6.12", "e2b==2.63.0"}, tasks: []string{"deepagents_task.py"}},
	{name: "pydantic-ai-harness", packages: []string{"pydantic-ai-harness[e2b]==0.62.0", "pydantic-ai-slim==2.62.0", "e2b==2.63.0", "pytest"}, tasks: []string{"pydantic_task.py"}, suite: "pydantic_suite.py", fails: 3},
}

// install installs a framework once a machine and returns its Python, "" and why it cannot be.
func (f framework) install(t *testing.T) (python, reason string) {
	t.Helper()
	_, version, _ := strings.Cut(f.packages[0], "==")
	dir, err := cache.Dir("e2b-"+f.name, version)
	if err != nil {
		t.Fatal(err)
	}
	python = filepath.Join(dir, "bin", "python")
	done := filepath.Join(dir, "installed")
	if _, err := os.Stat(done); err == nil {
		return python, ""
	}
	if _, err := exec.LookPath("python3"); err != nil {
		return "", "there is no python3"
	}
	for _, step := range [][]string{{"python3", "-m", "venv", dir}, append([]string{python, "-m", "pip", "install", "-q"}, f.packages...)} {
		if out, err := exec.CommandContext(t.Context(), step[0], step[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Sprintf("%v: %s", err, bytes.TrimSpace(out))
		}
	}
	if err := os.WriteFile(done, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return python, ""
}

var suiteFailed = regexp.MustCompile(`(?m)^(?:(\d+) failed, )?(\d+) passed`)

// Frameworks that were written for E2B's sandboxes do a small task in those of a server, with a
// model that follows a script.
func TestE2BFrameworks(t *testing.T) {
	if !*allPackages {
		t.Skip("it installs frameworks, and runs for minutes: -all-packages says so")
	}
	requireSandbox(t)
	pythons, ready := make([]string, len(frameworks)), false
	for i, f := range frameworks {
		python, reason := f.install(t)
		if reason != "" {
			t.Logf("skipped: package %s absent: %s", f.packages[0], reason)
		}
		pythons[i], ready = python, ready || reason == ""
	}
	if !ready {
		t.Skip("skipped: none of the packages is there")
	}
	env := append(os.Environ(), serveE2BCode(t)...)
	for i, f := range frameworks {
		if pythons[i] == "" {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			folder := filepath.Join("testdata", "e2b", "frameworks")
			run := func(args ...string) ([]byte, error) {
				cmd := exec.CommandContext(t.Context(), pythons[i], args...)
				cmd.Env = append(env, "PYTHONDONTWRITEBYTECODE=1")
				return cmd.CombinedOutput()
			}
			for _, task := range f.tasks {
				if out, err := run(filepath.Join(folder, task)); err != nil || !bytes.HasSuffix(bytes.TrimSpace(out), []byte("done")) {
					t.Errorf("%s: %v\n%s", task, err, out)
				}
			}
			if f.suite == "" {
				return
			}
			out, _ := run("-m", "pytest", "-q", "-p", "no:cacheprovider", filepath.Join(folder, f.suite))
			m := suiteFailed.FindSubmatch(out)
			if m == nil {
				t.Fatalf("%s does not end:\n%s", f.suite, out)
			}
			if failed, _ := strconv.Atoi(string(m[1])); failed > f.fails {
				t.Errorf("%s: %d of its tests fail, want %d at the most:\n%s", f.suite, failed, f.fails, out)
			}
		})
	}
}
