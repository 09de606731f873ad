package gvisor

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nobody is an ordinary user for tests that run as root.
const nobody = 65534

// TestExamUnprivileged runs the exam again as an ordinary user, in a child
// process that gives up root for good.
func TestExamUnprivileged(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not root: TestExam itself runs as an ordinary user")
	}
	t.Parallel()
	needHost(t)
	out, err := asNobody(t, "-test.run=^TestExam$", "-test.v")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range []string{
		"--- PASS: TestExam/without_cgroups/restore_continues_the_state",
		"--- PASS: TestExam/without_cgroups/memory_limit",
		"--- PASS: TestExam/without_cgroups/sweep_after_the_owner_was_killed",
	} {
		if !strings.Contains(out, line) {
			t.Errorf("the exam's output lacks %q:\n%s", line, out)
		}
	}
}

// asNobody runs a copy of the test binary as an ordinary user.
func asNobody(t *testing.T, args ...string) (string, error) {
	t.Helper()
	dir, err := os.MkdirTemp("", "praxis-nobody-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dir, "exam")
	b, err := os.ReadFile(testExe(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(exe, b, 0o755); err != nil {
		t.Fatal(err)
	}
	tmp := filepath.Join(dir, "tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(tmp, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Dir = tmp
	cmd.Env = []string{"TMPDIR=" + tmp, "PATH=/usr/bin:/bin", helperVar + "=" + helperProgram()}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: nobody, Gid: nobody},
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}
