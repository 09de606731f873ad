package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestInterruptTwice interrupts a question of which nobody reads the output: the first
// Ctrl-C cancels it and waits for its end, which never comes, and the second one ends the
// process.
func TestInterruptTwice(t *testing.T) {
	dir := t.TempDir()
	script := "=== reply\n```python\n" + strings.Repeat("print "+strings.Repeat("x", 1000)+"\n", 200) + "```\n=== reply\nFINAL ANSWER: yes\n"
	if err := os.WriteFile(filepath.Join(dir, "long.script"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	program, err := exec.LookPath("praxis") // which testscript made of this test
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "ask", "Well?", "--model", "scripted:long.script")
	cmd.Dir, cmd.Stdout = dir, write
	cmd.Env = append(os.Environ(), "PRAXIS_HOME="+filepath.Join(dir, "home"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	for { // until the process waits for a reader
		n, err := unix.IoctlGetInt(int(read.Fd()), unix.TIOCINQ)
		if err != nil {
			t.Fatal(err)
		}
		size, err := unix.FcntlInt(read.Fd(), unix.F_GETPIPE_SZ, 0)
		if err != nil {
			t.Fatal(err)
		}
		if n > size-4096 { // what is written may not fill the last page
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	go func() { // again and again, as a person would
		for cmd.Process.Signal(os.Interrupt) == nil {
			time.Sleep(50 * time.Millisecond)
		}
	}()
	_ = cmd.Wait() // the code says how it ended
	if got := cmd.ProcessState.ExitCode(); got != exitInterrupted {
		t.Errorf("exit code is %d, want %d", got, exitInterrupted)
	}
}
