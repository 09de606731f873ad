package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"praxis/internal/test/prepared"
)

// OpenAI's own libraries, in sessions that reach the server alone, get answers, streams,
// files and refusals from it.
func TestOpenAIClients(t *testing.T) {
	if !*allPackages {
		t.Skip("it installs the libraries: -all-packages says so")
	}
	requireSandbox(t)
	script, err := filepath.Abs(filepath.Join("testdata", "openai", "script"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PRAXIS_MODEL", "scripted:"+script)
	s := &serving{T: t, home: filepath.Join(t.TempDir(), "home")}
	if err := errors.Join(os.Mkdir(s.home, 0o700), prepared.Fill(s.home)); err != nil {
		t.Fatal(err)
	}
	s.start()
	defer s.stop(syscall.SIGTERM)
	for _, client := range [][]string{{"client.py", "--with", "openai"}, {"client.js", "--npm", "openai"}} {
		args := append([]string{"run", filepath.Join("testdata", "openai", client[0])}, client[1:]...)
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe", append(args, "--allow-net", strings.TrimPrefix(s.url, "http://"), "--", s.url, s.key)...)
		cmd.Args[0] = asProgram
		cmd.Env = append(os.Environ(), "PRAXIS_HOME="+os.Getenv(homeVar))
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "done") {
			t.Errorf("%s: %v\n%s", client[0], err, out)
		}
	}
}
