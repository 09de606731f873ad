package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/internal/test/prepared"
)

var atOnce = flag.Int("at-once", 24, "how many commands TestAtOnce starts at once")

// TestAtOnce starts many commands at once over one data folder in which nothing is
// prepared but the interpreter: none fails, all are listed, all verify.
func TestAtOnce(t *testing.T) {
	requireSandbox(t)
	home := filepath.Join(t.TempDir(), "home")
	if err := errors.Join(os.Mkdir(home, 0o700), prepared.Fill(home)); err != nil {
		t.Fatal(err)
	}
	praxis := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe", args...)
		cmd.Args[0], cmd.WaitDelay = asProgram, time.Minute
		cmd.Env = append(os.Environ(), "PRAXIS_HOME="+home)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("praxis %s: %w: %s", strings.Join(args, " "), err, stderr.String())
		}
		return string(out), err
	}
	began := time.Now()
	var commands sync.WaitGroup
	var mu sync.Mutex
	failed := 0
	for n := range *atOnce {
		commands.Go(func() {
			out, err := praxis("run", "--memory", "256MiB", "-c", fmt.Sprintf("print(%d)", n))
			if err == nil && out != fmt.Sprintf("%d\n", n) {
				err = fmt.Errorf("command %d printed %q", n, out)
			}
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				if failed++; failed <= 5 {
					t.Error(err)
				}
			}
		})
	}
	commands.Wait()
	t.Logf("%d commands at once, %d failed, %.1f s", *atOnce, failed, time.Since(began).Seconds())
	out, err := praxis("runs", "--limit", "0", "--json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err != nil || len(lines) != *atOnce {
		t.Errorf("%d runs are listed, want %d (%v)", len(lines), *atOnce, err)
	}
	for _, line := range lines {
		var r struct{ ID, Status string }
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Status != "ok" {
			t.Errorf("run %s is listed as %q (%v)", r.ID, r.Status, err)
		}
	}
	if out, err := praxis("verify", "--all"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
