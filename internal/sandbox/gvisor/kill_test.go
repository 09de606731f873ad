package gvisor

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"praxis/internal/sandbox"
	"strings"
	"sync"
	"testing"
	"time"
)

// saverCommand makes the test binary an owner that checkpoints one sandbox over
// and over until it is killed.
const saverCommand = "sandbox-test-saver"

func runSaver(base, root, snaps string) int {
	b, err := New(Config{Dir: base, Program: helperProgram()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	spec := guestSpec(root, exe)
	spec.ID = "saver"
	s, err := b.Start(testContext(), spec)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	r := bufio.NewReader(s.Stream())
	for i := 1; ; i++ {
		if _, err := io.WriteString(s.Stream(), "add 1\n"); err != nil {
			return 1
		}
		if _, err := r.ReadString('\n'); err != nil {
			return 1
		}
		fmt.Println("saving")
		if _, err := s.Checkpoint(testContext(), filepath.Join(snaps, fmt.Sprint(i))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println("saved")
	}
}

// TestSweepBesideClose sweeps while owners begin and end.
func TestSweepBesideClose(t *testing.T) {
	base := t.TempDir()
	var owners sync.WaitGroup
	for range 4 {
		owners.Go(func() {
			for range 200 {
				o, err := newOwner(base)
				if err != nil {
					t.Error(err)
					return
				}
				if err := o.close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	over := make(chan struct{})
	go func() { owners.Wait(); close(over) }()
	for done := false; !done; {
		select {
		case <-over:
			done = true
		default:
		}
		if _, err := sweep(base); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(base, ownerPrefix+"*")); len(left) > 0 || err != nil {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestOwnerKilledWhileSaving kills an owner with SIGKILL at times spread over
// a checkpoint. Afterwards every checkpoint that has its name is whole, and none
// that was reported is missing.
func TestOwnerKilledWhileSaving(t *testing.T) {
	needHost(t)
	root := newRoot(t)
	base := t.TempDir()
	b := newBackend(t, Config{Dir: base, Program: helperProgram()})
	for round := range 8 {
		snaps := t.TempDir()
		saved := killWhileSaving(t, base, root, snaps, time.Duration(round*round)*2*time.Millisecond)
		names, err := readNames(snaps)
		if err != nil {
			t.Fatal(err)
		}
		whole := 0
		for _, n := range names {
			if strings.HasPrefix(n, ".") {
				continue // a half-written one has no name of its own
			}
			whole++
			spec := guestSpec(root, testExe(t))
			spec.ID = "back-" + n
			s, err := b.Restore(t.Context(), spec, sandbox.Folder(filepath.Join(snaps, n)))
			if err != nil {
				t.Errorf("round %d: %v", round, err)
				continue
			}
			back := session{t: t, x: s.(*box), r: bufio.NewReader(s.Stream())}
			if got := back.request("add 0"); got != n {
				t.Errorf("round %d: checkpoint %s holds %s", round, n, got)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		if whole < saved || whole > saved+1 {
			t.Errorf("round %d: %d checkpoints were reported, %d are there: %v", round, saved, whole, names)
		}
	}
	if n, err := b.Sweep(t.Context()); err != nil || n != 8 {
		t.Errorf("Sweep: %d, %v; want 8", n, err)
	}
}

// killWhileSaving starts a saver, kills it after it began its second checkpoint
// and delay has passed, and returns how many it reported.
func killWhileSaving(t *testing.T, base, root, snaps string, delay time.Duration) int {
	t.Helper()
	cmd := exec.Command(testExe(t), saverCommand, base, root, snaps)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	saved, began := 0, 0
	sc := bufio.NewScanner(out)
	for sc.Scan() {
		switch sc.Text() {
		case "saving":
			began++
		case "saved":
			saved++
		}
		if began == 2 {
			break
		}
	}
	time.Sleep(delay) // any moment will do
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for sc.Scan() { // what it said before it died
		if sc.Text() == "saved" {
			saved++
		}
	}
	_ = cmd.Wait()
	if began == 0 {
		t.Fatal("the saver did not save")
	}
	waitGone(t, base)
	return saved
}
