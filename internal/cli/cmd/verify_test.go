package cmd

import (
	"os"
	"strings"
	"testing"
)

// TestVerifyRunning checks what is said of a run that is executed meanwhile.
func TestVerifyRunning(t *testing.T) {
	p, stdout, _, signals := inProcess(t, nil)
	home := p.getenv("PRAXIS_HOME")
	began := make(chan struct{})
	p.stdout = writerFunc(func(b []byte) (int, error) {
		defer close(began)
		return stdout.Write(b)
	})
	ended := make(chan int)
	go func() { ended <- p.run(t.Context(), []string{"run", "-c", "print a\nwait"}) }()
	<-began
	look := func(want int, args ...string) string {
		t.Helper()
		q, stdout, stderr, _ := inProcess(t, nil)
		q.getenv = func(k string) string { return map[string]string{"PRAXIS_HOME": home}[k] }
		if got := q.run(t.Context(), args); got != want {
			t.Errorf("%v: exit code is %d, want %d (%s)", args, got, want, stderr)
		}
		return stdout.String()
	}
	if got := look(exitUnfinished, "verify", "last"); !strings.Contains(got, "  begun, not finished\n") ||
		!strings.Contains(got, "none yet: the run goes on") {
		t.Errorf("verify says\n%s", got)
	}
	if got := look(exitOK, "runs"); !strings.Contains(got, "  running  ") {
		t.Errorf("runs says\n%s", got)
	}
	if got := look(exitOK, "show"); !strings.Contains(got, "print a") {
		t.Errorf("show says\n%s", got)
	}
	if look(exitFailed, "export", "last"); len(look(exitOK, "runs", "--json")) == 0 {
		t.Error("there is no run")
	}
	signals <- os.Interrupt
	if got := <-ended; got != exitInterrupted {
		t.Errorf("exit code is %d", got)
	}
	if got := look(exitOK, "verify", "last"); !strings.Contains(got, "  whole\n") {
		t.Errorf("verify says\n%s", got)
	}
}
