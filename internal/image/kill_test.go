package image

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/event"
)

// buildChild is the program of a child process: it builds the default image,
// or the many small parts of fillSlowly, in the store dir.
func buildChild(dir, part string) int {
	s, err := openIn(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if part == "" {
		img, err := s.Resolve(context.Background(), Request{}, event.Discard)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(img.ID)
		return 0
	}
	fmt.Println("ready")
	for i := range 1000 {
		if _, err := s.makePart(context.Background(), kindLayer, fmt.Sprintf("%s%d", part, i), func(string) {}, fillMany); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

// fillMany makes a tree of many small files.
func fillMany(_ context.Context, dir string) error {
	for i := range 60 {
		name := filepath.Join(dir, treeDir, fmt.Sprint(i%7), fmt.Sprint(i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(strings.Repeat(fmt.Sprint(i), 500)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func childCommand(t *testing.T, dir, part string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), "PRAXIS_IMAGE_TEST_BUILD="+dir, "PRAXIS_IMAGE_TEST_PART="+part)
	cmd.Stderr = os.Stderr
	return cmd
}

// checkWhole fails when a part that would be used is not whole.
func checkWhole(t *testing.T, s *Store, kind string) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.dir, kind))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		p, ok := s.findPart(t.Context(), kind, e.Name())
		if !ok {
			t.Errorf("%s/%s stands in its place without a seal", kind, e.Name())
			continue
		}
		wrong, err := verifyPart(t.Context(), p)
		if err != nil || len(wrong) > 0 {
			t.Errorf("%s/%s is not whole: %v, %v", kind, e.Name(), wrong, err)
		}
	}
	return len(entries)
}

func TestKilledBuilder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	s, err := openIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 25
	for i := range rounds {
		cmd := childCommand(t, dir, fmt.Sprintf("r%dn", i))
		cmd.Stdout = nil
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 16)); err != nil {
			t.Fatal(err)
		}
		// The moment is random on purpose: any of them must do.
		time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
	}
	whole := checkWhole(t, s, kindLayer)
	left, err := os.ReadDir(s.tmp())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d builders killed: %d whole parts, %d unfinished", rounds, whole, len(left))
	if whole+len(left) == 0 {
		t.Error("no builder did anything: the test proves nothing")
	}
	if _, err := openIn(dir); err != nil {
		t.Fatal(err)
	}
	if left, err = os.ReadDir(s.tmp()); err != nil || len(left) != 0 {
		t.Errorf("not swept: %v, %v", left, err)
	}
}

// waitGone waits until no process names dir: what a builder starts ends with it.
func waitGone(t *testing.T, dir string) {
	t.Helper()
	var left []string
	for range 6000 {
		left = left[:0]
		names, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if line, err := os.ReadFile(name); err == nil && strings.Contains(string(line), dir) {
				left = append(left, strings.ReplaceAll(string(line), "\x00", " "))
			}
		}
		if len(left) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("a builder was killed and left %q", left)
}

var kills = flag.Int("kills", 1, "how many builders of the real interpreter are killed")

// The real interpreter has a store of its own here: it is built several times.
func TestKilledBuilderOfDefaultImage(t *testing.T) {
	t.Parallel()
	_, want := sharedStore(t)
	dir := filepath.Join(t.TempDir(), "store")
	for range *kills {
		cmd := childCommand(t, dir, "")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.Int64N(int64(shared.took))))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		waitGone(t, dir)
		s, err := openIn(dir)
		if err != nil {
			t.Fatal(err)
		}
		checkWhole(t, s, kindPython)
	}
	// Two at once: one builds, both get the same.
	var wg sync.WaitGroup
	ids := make([]string, 2)
	for i := range ids {
		wg.Go(func() {
			out, err := childCommand(t, dir, "").Output()
			if err != nil {
				t.Error(err)
			}
			ids[i] = strings.TrimSpace(string(out))
		})
	}
	wg.Wait()
	if ids[0] != want.ID || ids[1] != want.ID {
		t.Errorf("got %q, want %s twice: the same content must give the same identity", ids, want.ID)
	}
	s, err := openIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(t.Context(), want.ID); err != nil {
		t.Error(err)
	}
	if n := checkWhole(t, s, kindPython); n != 1 {
		t.Errorf("%d interpreters, want 1", n)
	}
}
