package mcp_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"praxis/internal/app"
	"praxis/internal/server/mcp"
)

// The official clients, in the versions that they are known to pass with.
const (
	typescriptClient = "@modelcontextprotocol/sdk@1.32.2"
	pythonClient     = "mcp==2.3.0"
)

// childVar makes this program the door over standard input and output, so that a client can
// start it.
const childVar = "PRAXIS_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVar) == "" {
		os.Exit(m.Run())
	}
	if err := serveChild(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serveChild() error {
	home, err := os.MkdirTemp("", "praxis-mcp-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	file := filepath.Join(home, "tools.yaml")
	if err := os.WriteFile(file, []byte(saving), 0o600); err != nil {
		return err
	}
	s, err := newServer(filepath.Join(home, "data"), "none", app.ToolSpec{Files: []string{file}, Commands: true})
	if err != nil {
		return err
	}
	defer s.Close(context.Background())
	door, err := s.LocalMCP("", nil)
	if err != nil {
		return err
	}
	return door.Serve(context.Background(), os.Stdin, os.Stdout)
}

// toured runs a tour of a client.
func toured(t *testing.T, want []string, program string, args ...string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, settings{tools: savingTools(t)})
	web := httptest.NewServer(withKey(w.s.Handler(), w.key))
	defer web.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, append(args, web.URL+mcp.Path, self)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := strings.Split(strings.TrimSpace(string(out)), "\n"); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The official client of TypeScript runs code, sees pictures and progress, gives a call up, is
// asked for an approval, and reads files.
func TestTypeScriptClient(t *testing.T) {
	if !*allClients {
		t.Skip("skipped: it installs the client: -all-clients says so")
	}
	dir := install(t, typescriptClient)
	tour := filepath.Join(dir, "tour.mjs")
	data, err := os.ReadFile(filepath.Join("testdata", "tour.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(tour, data, 0o600); err != nil { // beside its packages
		t.Fatal(err)
	}
	toured(t, []string{"done http", "done stdio"}, node(t), tour)
}

// The official client of Python does the same, in both generations of the protocol.
func TestPythonClient(t *testing.T) {
	if !*allClients {
		t.Skip("skipped: it installs the client: -all-clients says so")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("skipped: there is no python3")
	}
	dir := t.TempDir()
	own := filepath.Join(dir, "bin", "python")
	for _, args := range [][]string{{python, "-m", "venv", dir}, {own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", pythonClient}} {
		if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	toured(t, []string{"done legacy", "done legacy", "done auto", "done auto"}, own, filepath.Join("testdata", "tour.py"))
}
