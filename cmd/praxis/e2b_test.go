package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"praxis/internal/test/cache"
	"praxis/internal/test/prepared"
)

var e2bMatrix = flag.Bool("e2b-matrix", false, "write what E2B's clients can do into docs/e2b.md; with -all-packages")

// e2bClient is a published client of E2B's, with the version of its code interpreter that goes
// with it.
type e2bClient struct {
	language string
	version  string // of e2b
	packages []string
}

// e2bClients are the newest ones and those of half a year before. The first is the one that
// every change is tried with.
var e2bClients = []e2bClient{
	{"Python", "2.63.0", []string{"e2b==2.63.0", "e2b-code-interpreter==2.11.5"}},
	{"Python", "2.45.1", []string{"e2b==2.45.1", "e2b-code-interpreter==2.9.1"}},
	{"JavaScript", "2.51.0", []string{"e2b@2.51.0", "@e2b/code-interpreter@2.8.0"}},
	{"JavaScript", "2.45.0", []string{"e2b@2.45.0", "@e2b/code-interpreter@2.7.1"}},
}

// install installs a client once a machine, and returns the program that runs its scripts and
// its environment. reason says why it cannot be installed.
func (c e2bClient) install(t *testing.T) (program string, env []string, reason string) {
	t.Helper()
	dir, err := cache.Dir("e2b-"+strings.ToLower(c.language), c.version)
	if err != nil {
		t.Fatal(err)
	}
	steps, tool := [][]string{{"python3", "-m", "venv", dir}, append([]string{filepath.Join(dir, "bin", "pip"), "install", "-q"}, c.packages...)}, "python3"
	program = filepath.Join(dir, "bin", "python")
	if c.language == "JavaScript" {
		steps, tool = [][]string{append([]string{"npm", "install", "--no-audit", "--no-fund", "--prefix", dir}, c.packages...)}, "npm"
		program, env = "node", []string{"E2B_TEST_MODULES=" + dir}
	}
	done := filepath.Join(dir, "installed")
	if _, err := os.Stat(done); err == nil {
		return program, env, ""
	}
	if _, err := exec.LookPath(tool); err != nil {
		return "", nil, "there is no " + tool
	}
	for _, step := range steps {
		if out, err := exec.CommandContext(t.Context(), step[0], step[1:]...).CombinedOutput(); err != nil {
			return "", nil, fmt.Sprintf("%s: %v: %s", step[0], err, bytes.TrimSpace(out))
		}
	}
	if err := os.WriteFile(done, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return program, env, ""
}

// e2bResult is a line of a script: what became of a group of tests.
type e2bResult struct {
	Group, Status, Reason string
}

// run runs groups of tests, all if none is named, of all scripts in the client's language.
func (c e2bClient) run(t *testing.T, env []string, groups ...string) (out []e2bResult) {
	t.Helper()
	program, own, reason := c.install(t)
	if reason != "" {
		t.Skipf("skipped: package %s absent: %s", c.packages[0], reason)
	}
	pattern := "*.py"
	if c.language == "JavaScript" {
		pattern = "*.mjs"
	}
	scripts, err := filepath.Glob(filepath.Join("testdata", "e2b", pattern))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("there are no scripts: %v", err)
	}
	for _, script := range scripts {
		cmd := exec.CommandContext(t.Context(), program, append([]string{script}, groups...)...)
		cmd.Env = slices.Concat(os.Environ(), own, env)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		text, err := cmd.Output()
		if err != nil {
			t.Errorf("%s %s: %v\n%s", c.language, c.version, err, stderr.String())
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		for lines.Scan() {
			var r e2bResult
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatalf("%s printed %q", script, lines.Text())
			}
			if r.Status == "fail" {
				t.Errorf("%s %s: %s: %s\n%s", c.language, c.version, r.Group, r.Reason, stderr.String())
			}
			out = append(out, r)
		}
	}
	return out
}

var saysE2B = regexp.MustCompile(`served at (\S+): `)

// serveE2B starts a server whose sandboxes reach one host, and returns the environment of clients.
func serveE2B(t *testing.T, args ...string) (env []string) {
	t.Helper()
	return serveE2BWith(t, func(string) {}, args...)
}

// serveE2BWith is serveE2B over a data folder that was prepared.
func serveE2BWith(t *testing.T, prepare func(home string), args ...string) (env []string) {
	t.Helper()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	t.Cleanup(host.Close)
	addr := strings.TrimPrefix(host.URL, "http://")
	s := &serving{T: t, home: filepath.Join(t.TempDir(), "home")}
	s.args = append([]string{"--e2b", "127.0.0.1:0", "--allow-net", addr, "--max-requests", "5000", "--max-sessions", "128"}, args...)
	if err := errors.Join(os.Mkdir(s.home, 0o700), prepared.Fill(s.home)); err != nil {
		t.Fatal(err)
	}
	prepare(s.home)
	s.start()
	t.Cleanup(func() { s.stop(syscall.SIGTERM) })
	line, err := s.out.ReadString('\n')
	m := saysE2B.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("it printed %q (%v)", line, err)
	}
	return []string{"E2B_API_URL=" + m[1], "E2B_SANDBOX_URL=" + m[1], "E2B_API_KEY=e2b_" + strings.TrimPrefix(s.key, "praxis_"), "E2B_TEST_HOST=" + addr}
}

// E2B's own client makes a sandbox, runs a command and reads a file.
func TestE2BClient(t *testing.T) {
	requireSandbox(t)
	if _, _, reason := e2bClients[0].install(t); reason != "" {
		t.Skipf("skipped: package %s absent: %s", e2bClients[0].packages[0], reason)
	}
	groups := []string{"create", "background", "files", "pause"}
	if got := e2bClients[0].run(t, serveE2B(t), groups...); len(got) < len(groups) {
		t.Errorf("got %v", got)
	}
}

// All groups of tests pass with every client, or are refused with a reason; with -e2b-matrix
// docs/e2b.md says so.
func TestE2BMatrix(t *testing.T) {
	if !*allPackages {
		t.Skip("it installs E2B's clients, and runs for minutes: -all-packages says so")
	}
	requireSandbox(t)
	env := append(serveE2BCode(t), "E2B_TEST_MANY=100")
	var names []string                                 // of groups, in the order in which they come
	became := map[string]map[int]e2bResult{}           // by group and client
	reasons, heads := map[string]string{}, "| group |" // of what is not supported
	rule := "| --- |"
	for i, c := range e2bClients {
		heads += fmt.Sprintf(" %s %s |", c.language, c.version)
		rule += " --- |"
		t.Run(c.language+" "+c.version, func(t *testing.T) {
			for _, r := range c.run(t, env) {
				if became[r.Group] == nil {
					names, became[r.Group] = append(names, r.Group), map[int]e2bResult{}
				}
				became[r.Group][i] = r
				if r.Status == "not supported" && reasons[r.Group] == "" {
					reasons[r.Group] = r.Reason
				}
			}
		})
	}
	if !*e2bMatrix {
		return
	}
	table := heads + "\n" + rule + "\n"
	for _, name := range names {
		table += "| " + name + " |"
		for i := range e2bClients {
			status := became[name][i].Status
			if status == "" {
				status = "–"
			}
			table += " " + status + " |"
		}
		table += "\n"
	}
	table += "\n"
	for _, name := range names {
		if reasons[name] != "" {
			table += "- " + name + ": " + reasons[name] + "\n"
		}
	}
	file := filepath.Join("..", "..", "docs", "e2b.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- matrix -->\n", "<!-- end of matrix -->"
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the matrix", file)
	}
	if err := os.WriteFile(file, []byte(before+begin+table+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
