package storetest

import (
	"bufio"
	"os"
	"os/exec"
	"testing"
)

// Child starts this test's program again with variables of its own in the
// environment, NAME=value, and returns what it writes to standard output. It
// does not outlive the test.
func Child(t *testing.T, environ ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), environ...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, bufio.NewScanner(out)
}
