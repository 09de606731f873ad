package battery

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/guest"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/sandbox/gvisor"
	"praxis/internal/seal"
	"praxis/internal/session"
	"praxis/internal/test/prepared"
)

var kills = flag.Int("kills", 3, "random kills of TestKilledWhileSaving; the nightly target runs 300")

// crashArg makes the test binary the process that is killed.
const crashArg = "battery-crash-child"

// TestKilledWhileSaving kills one of our processes at a random moment while a
// named session counts and saves, again and again. Afterwards the session must
// open and hold the last count that was said to be saved, or the next one.
func TestKilledWhileSaving(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	img, err := json.Marshal(defaultImage)
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	saved := 0
	for round := range *kills {
		saved = killOnce(t, rng, dir, string(img), saved, round)
		got := countOf(t, dir)
		if got != saved && got != saved+1 {
			t.Fatalf("round %d: the session holds %d, saved was %d", round, got, saved)
		}
		saved = got
	}
	goBack(t, dir, saved)
	for _, folder := range []string{"snapshots", "sessions", "templates", "programs", "chunks"} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".tmp-") {
				t.Errorf("%s/%s was left behind", folder, e.Name())
			}
		}
	}
}

// goBack restores every state of the session, all but the last of which were being
// packed while processes were killed. Each counted further than the one before.
func goBack(t *testing.T, dir string, last int) {
	t.Helper()
	err := withSession(dir, session.Options{}, func(ctx context.Context, s *session.Named) error {
		states, before := s.History(), 0
		for i, at := range states {
			if err := s.Rollback(ctx, at.ID); err != nil {
				return err
			}
			out, err := s.Execute(ctx, "print(n, len(open('/work/n').read()))", session.Exec{}, event.Discard)
			if err != nil {
				return err
			}
			n, size := 0, 0
			if _, err := fmt.Sscan(out.Stdout, &n, &size); err != nil || n != size || n <= before {
				return fmt.Errorf("state %d of %d holds %q (%v), the one before %d", i, len(states), out.Stdout, err, before)
			}
			before = n
		}
		if before != last {
			return fmt.Errorf("the last state holds %d, want %d", before, last)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// killOnce runs the child, kills one of its processes, then the child, and
// returns the last count that the child said was saved.
func killOnce(t *testing.T, rng *rand.Rand, dir, img string, saved, round int) int {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, crashArg, dir, img)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	lines := bufio.NewScanner(out)
	read := func() (string, bool) {
		if !lines.Scan() {
			return "", false
		}
		word, n, _ := strings.Cut(lines.Text(), " ")
		if word == "saved" {
			if saved, err = strconv.Atoi(n); err != nil {
				t.Fatalf("child said %q", lines.Text())
			}
		}
		return word, true
	}
	for word := ""; word != "open"; {
		var ok bool
		if word, ok = read(); !ok {
			t.Fatalf("round %d: the child did not open the session: %s", round, errs.String())
		}
	}
	victims := append(descendants(cmd.Process.Pid), cmd.Process.Pid)
	victim := victims[rng.IntN(len(victims))]
	wait := time.Duration(rng.IntN(600)) * time.Millisecond
	killed := time.AfterFunc(wait, func() { syscall.Kill(victim, syscall.SIGKILL) })
	defer killed.Stop()
	// The child may live on (only its sandbox was killed): it gets a moment, then goes the same way.
	end := time.AfterFunc(wait+400*time.Millisecond, func() { cmd.Process.Kill() })
	defer end.Stop()
	for {
		if _, ok := read(); !ok {
			return saved
		}
	}
}

// descendants lists the processes below pid, as far as they exist now.
func descendants(pid int) []int {
	var out []int
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return nil
	}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, f := range threads {
		if more, err := os.ReadFile(f); err == nil {
			b = append(append(b, ' '), more...)
		}
	}
	seen := map[int]bool{}
	for _, s := range strings.Fields(string(b)) {
		if n, err := strconv.Atoi(s); err == nil && !seen[n] {
			seen[n] = true
			out = append(append(out, n), descendants(n)...)
		}
	}
	return out
}

// countOf opens the session as the next command would and returns what it holds.
func countOf(t *testing.T, dir string) int {
	t.Helper()
	n := 0
	err := withSession(dir, session.Options{}, func(ctx context.Context, s *session.Named) error {
		out, err := s.Execute(ctx, "print(n, len(open('/work/n').read()))", session.Exec{}, event.Discard)
		if err != nil {
			return err
		}
		var size int
		if _, err := fmt.Sscan(out.Stdout, &n, &size); err != nil {
			return fmt.Errorf("the session says %+v: %w", out, err)
		}
		if size != n {
			return fmt.Errorf("variable %d and file %d differ", n, size)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// withSession opens the session "counter" in a data folder of its own.
func withSession(dir string, opt session.Options, f func(context.Context, *session.Named) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	key, err := seal.OfHome(dir)
	if err != nil {
		return err
	}
	machine, err := prepared.Programs(dir, key)
	if err != nil {
		return err
	}
	backend, err := gvisor.New(gvisor.Config{Dir: filepath.Join(dir, "run"), Program: machine.Sandbox})
	if err != nil {
		return err
	}
	defer backend.Close()
	m, err := session.Open(session.Config{Dir: dir, Languages: language.Table{python.Language()}, Backend: backend, Programs: machine.Store, Program: machine.Guest, Seals: key})
	if err != nil {
		return err
	}
	defer m.Close()
	n, err := m.OpenNamed(ctx, "counter", opt, event.Discard)
	if err != nil {
		return err
	}
	defer n.Close()
	return f(ctx, n)
}

// crashChild counts and saves until it is killed. n characters in /work/n and
// the variable n must always agree.
func crashChild(dir, img string) int {
	var opt session.Options
	if err := json.Unmarshal([]byte(img), &opt.Image); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	err := withSession(dir, opt, func(ctx context.Context, s *session.Named) error {
		first := true
		for {
			out, err := s.Execute(ctx, "n = globals().get('n', 0) + 1\nopen('/work/n', 'w').write('x' * n)\nprint(n)", session.Exec{}, event.Discard)
			if err != nil {
				return err
			}
			if head := s.Head(); out.State == event.Lost && head != "" {
				// Its kernel was killed, and the count would begin anew.
				if err := s.Rollback(ctx, head); err != nil {
					return err
				}
				continue
			}
			if out.Status != event.OK {
				continue // its sandbox was killed: it is back at the last snapshot
			}
			if _, err := s.Save(ctx, "count"); err != nil {
				if fault.KindOf(err) == fault.Conflict {
					continue // the kernel was killed after it counted: the next execution says so
				}
				if ping := s.Use(ctx, func(c *guest.Client) error { return c.Ping(ctx) }); ping == nil {
					return fmt.Errorf("saving failed though the guest lives: %w", err)
				}
				continue
			}
			fmt.Println("saved " + strings.TrimSpace(out.Stdout))
			if first {
				fmt.Println("open")
				first = false
			}
		}
	})
	fmt.Fprintln(os.Stderr, err)
	return 1
}
