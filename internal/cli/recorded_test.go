package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"praxis/internal/fault"
	"praxis/internal/journal"
	"praxis/internal/session"
)

// TestVerifyRunning checks what is said of a run that is carried out meanwhile.
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

// TestWriteWhole checks that a file is there whole or not at all, and that what
// was there before stays.
func TestWriteWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	write := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, writeErr := io.WriteString(w, text)
			return errors.Join(writeErr, err)
		}
	}
	broken := errors.New("cannot go on")
	for _, c := range []struct {
		name    string
		replace bool
		text    string
		err     error
		kind    fault.Kind // 0: none
		want    string     // what the file holds then; "": there is none
	}{
		{"broken", false, "new", broken, fault.Internal, ""},
		{"full disk", false, "new", &os.PathError{Op: "write", Err: syscall.ENOSPC}, fault.Exhausted, ""},
		{"new", false, "first", nil, 0, "first"},
		{"there", false, "second", nil, fault.Conflict, "first"},
		{"replaced by half", true, "second", broken, fault.Internal, "first"},
		{"replaced", true, "second", nil, 0, "second"},
		{"as far as it goes", true, "third", damaged{fault.New(fault.Conflict, "", "damaged")}, fault.Conflict, "third"},
	} {
		err := writeWhole(path, c.replace, write(c.text, c.err))
		if fault.KindOf(err) != c.kind {
			t.Errorf("%s: error %v, want kind %v", c.name, err, c.kind)
		}
		got, readErr := os.ReadFile(path)
		if string(got) != c.want || (readErr != nil) != (c.want == "") {
			t.Errorf("%s: the file holds %q (%v), want %q", c.name, got, readErr, c.want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestFreed checks what gc says.
func TestFreed(t *testing.T) {
	at := time.Unix(0, 0)
	all := freed{
		Journal: journal.Collected{Runs: []string{"a", "b"}, Blobs: 1234, Bytes: 3 << 20, Kept: 1, KeptBytes: 1 << 10},
		Sessions: session.Collected{
			Snapshots: []session.Removed{{ID: "1", Bytes: 50 << 20, Created: at, Why: "nothing refers to it"},
				{ID: "2", Bytes: 1 << 20, Created: at, Why: "it is damaged"}, {ID: "3", Bytes: 50 << 20, Created: at, Why: "nothing refers to it"}},
			Templates: []session.Removed{{ID: "4", Bytes: 1 << 30, Created: at, Why: "its image or its program is gone"},
				{ID: "5", Bytes: 1 << 20, Created: at, Why: "it was not used for 720h0m0s"}, {ID: "6", Bytes: 1 << 20, Created: at, Why: "it was not used for 721h0m0s"}},
			Left: 2 << 30, InUse: 1,
		},
		Bytes: 1<<30 + 106<<20, runBytes: 1 << 20,
	}
	const want = `WHAT       HOW MANY    SIZE  WHY
runs              2    1MiB  older than --runs-older-than
contents      1,234    2MiB  no run and no thread refers to them
snapshots         2  100MiB  nothing refers to it
snapshots         1    1MiB  it is damaged
templates         1    1GiB  its image or its program is gone
templates         2    2MiB  not used for long enough

freed 1.1GiB
1 snapshot or template is in use by a running session: praxis gc removes them when it has ended.
kept: 1 content (1KiB), and snapshots of runs with 2GiB of the 4GiB that they may have
`
	if got := all.text(4 << 30); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	all.DryRun = true
	if got := all.text(4 << 30); !strings.Contains(got, "\nThat would free 1.1GiB. Nothing was removed.\n") {
		t.Errorf("got\n%s", got)
	}
}
