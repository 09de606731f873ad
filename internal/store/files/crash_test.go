package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"praxis/fault"
	"praxis/internal/store"
)

// history is what a workload did and what it was promised.
type history struct {
	t *testing.T
	s *Store
	d *fallible

	tried   map[string][]string // log → lines that were given to it, without those that it refused
	synced  map[string]int      // log → how many of them a sync has put on disk
	removed map[string]bool     // logs that were to be removed
	stored  map[string][]byte   // sum → content that Put returned
	gone    map[string]bool     // sums that were to be removed
}

func (h *history) dead() bool { return h.d.dead && h.d.fell }

// refused checks what a step said that failed, and says whether to try again.
func (h *history) refused(what string, err error) bool {
	h.t.Helper()
	switch {
	case h.dead():
		if !errors.Is(err, errDead) {
			h.t.Errorf("%s in a dead process: %v", what, err)
		}
		return false
	case !errors.Is(err, syscall.ENOSPC) || fault.KindOf(err) != fault.Exhausted || fault.RemedyOf(err) == "":
		h.t.Fatalf("%s on a full disk: %v", what, err)
	}
	return true
}

// do runs a step until it works; it says false when the process is dead.
func (h *history) do(what string, step func() error) bool {
	h.t.Helper()
	for try := range 5 {
		err := step()
		if err == nil {
			return true
		}
		if !h.refused(fmt.Sprint(what, ", try ", try+1), err) {
			return false
		}
	}
	h.t.Fatalf("%s still fails", what)
	return false
}

// write makes or opens a log and appends lines to it, each two synced.
func (h *history) write(name string, lines ...string) bool {
	ctx := context.Background()
	var l store.Log
	reopen := func() (err error) {
		if l != nil {
			l.Close()
		}
		l, _, err = h.s.Logs().Reopen(ctx, name)
		return err
	}
	step := reopen
	if h.tried[name] == nil {
		tries := 0
		step = func() (err error) {
			l, err = h.s.Logs().Create(ctx, name)
			if tries++; tries > 1 && fault.KindOf(err) == fault.Conflict {
				// The disk was too bad to take it back.
				return reopen()
			}
			return err
		}
	}
	if !h.do("open", step) {
		return false
	}
	defer func() {
		if l != nil {
			l.Close()
		}
	}()
	h.tried[name] = append([]string{}, h.tried[name]...)
	for len(lines) > 0 {
		part := lines[:min(2, len(lines))]
		err := l.Append(bytesOf(part)...)
		done := len(part)
		switch {
		case err != nil && !h.refused("append", err):
			h.tried[name] = append(h.tried[name], part...)
			return false
		case err != nil && l.(*log).broken == nil:
			done = 0
		case err != nil:
			// What is left of it is said by the log when it is opened again.
			if l.Append([]byte("x\n")) == nil || l.Sync() == nil {
				h.t.Error("a log with a torn record takes more")
			}
			if !h.do("reopen a torn log", reopen) {
				return false
			}
			done = len(linesOf(h.t, h.s, name)) - len(h.tried[name])
			if done < 0 || done >= len(part) {
				h.t.Fatalf("%d of %d lines are left of a torn append", done, len(part))
			}
		}
		h.tried[name], lines = append(h.tried[name], part[:done]...), lines[done:]
		if !h.do("sync", func() error {
			if l == nil || l.(*log).broken != nil {
				if err := reopen(); err != nil {
					return err
				}
			}
			return l.Sync()
		}) {
			return false
		}
		h.synced[name] = len(h.tried[name])
	}
	return true
}

func bytesOf(lines []string) [][]byte {
	var data [][]byte
	for _, l := range lines {
		data = append(data, []byte(l+"\n"))
	}
	return data
}

// linesOf returns the whole lines of a log that was trimmed.
func linesOf(t *testing.T, s *Store, name string) []string {
	t.Helper()
	r, err := s.Logs().Read(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) == 0 {
		return nil
	}
	if data[len(data)-1] != '\n' {
		t.Fatalf("%s ends with a torn line: %.80q", name, data)
	}
	return strings.Split(string(data[:len(data)-1]), "\n")
}

func (h *history) put(data []byte) bool {
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:])
	ok := h.do("put", func() error {
		blob, err := h.s.Blobs().Put(context.Background(), bytes.NewReader(data))
		if err == nil && blob.SHA256 != name {
			return fmt.Errorf("got %s", blob.SHA256)
		}
		return err
	})
	if ok {
		h.stored[name] = data
		delete(h.gone, name)
	}
	return ok
}

func (h *history) drop(data []byte) bool {
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:])
	h.gone[name] = true
	delete(h.stored, name)
	return h.do("remove a blob", func() error { return h.s.Blobs().Remove(context.Background(), name) })
}

// workload does everything that a store can do.
func (h *history) workload() {
	small, large := []byte("a small content"), bytes.Repeat([]byte("a large content "), small/16+1)
	for _, step := range []func() bool{
		func() bool { return h.write("20261121-a", "one", "two", "three") },
		func() bool { return h.put(small) },
		func() bool { return h.write("20261121-b", "first", strings.Repeat("long ", 1000)) },
		func() bool { return h.put(large) },
		func() bool { return h.put(small) },
		func() bool { return h.write("20261121-a", "four", "five", "six", "seven") },
		func() bool { return h.drop(small) },
		func() bool {
			h.removed["20261121-b"] = true
			return h.do("remove", func() error {
				err := h.s.Logs().Remove(context.Background(), "20261121-b")
				if fault.KindOf(err) == fault.NotFound {
					return nil // it was removed, and only that could not be synced
				}
				return err
			})
		},
		func() bool { return h.put(small) },
		func() bool { return h.write("20261122-c", "other folder") },
	} {
		if !step() {
			return
		}
	}
}

// check looks at what is left at root.
func (h *history) check(root string, l loss) {
	t, ctx := h.t, context.Background()
	// Without real syncs, which take most of the time.
	s, err := open(filepath.Join(root, "data"), Options{}, newFallible(0, 0, false))
	if err != nil {
		t.Fatal(err)
	}
	present := map[string]bool{}
	for name, err := range s.Logs().Names(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		present[name] = true
	}
	for name := range h.tried {
		if !present[name] {
			if !h.removed[name] {
				t.Errorf("%+v: log %s is gone", l, name)
			}
			continue
		}
		log, _, err := s.Logs().Reopen(ctx, name)
		if err != nil {
			t.Fatalf("%+v: %v", l, err)
		}
		got := linesOf(t, s, name)
		if len(got) < h.synced[name] || len(got) > len(h.tried[name]) || !slices.Equal(got, h.tried[name][:len(got)]) {
			t.Errorf("%+v: log %s has %.200q, want at least the first %d of %.200q", l, name, got, h.synced[name], h.tried[name])
		}
		if err := errors.Join(log.Append([]byte("more\n")), log.Sync(), log.Close()); err != nil {
			t.Errorf("%+v: %v", l, err)
		}
	}
	found := map[string]bool{}
	for blob, err := range s.Blobs().All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		found[blob.SHA256] = true
		if !intact(s.Blobs().path(blob.SHA256), blob.SHA256) {
			t.Errorf("%+v: blob %s is torn", l, blob.SHA256)
		}
	}
	for sum := range h.stored {
		if !found[sum] {
			t.Errorf("%+v: blob %s is gone", l, sum)
		}
	}
	if _, err := s.Blobs().Put(ctx, strings.NewReader("after")); err != nil {
		t.Errorf("%+v: %v", l, err)
	}
	if left, _ := filepath.Glob(filepath.Join(root, "data", "blobs", temporary+"*")); len(left) > 0 {
		t.Errorf("%+v: %q are left", l, left)
	}
}

// try runs the workload on a disk that fails in one way and checks all that a
// crash may leave behind then. It says whether anything failed.
func try(t *testing.T, d *fallible) bool {
	root := t.TempDir()
	s, err := open(filepath.Join(root, "data"), Options{}, d)
	if err != nil {
		t.Fatal(err)
	}
	h := &history{t: t, s: s, d: d, tried: map[string][]string{}, synced: map[string]int{}, removed: map[string]bool{},
		stored: map[string][]byte{}, gone: map[string]bool{}}
	defer d.close()
	h.workload()
	for _, l := range losses() {
		if t.Failed() {
			break
		}
		h.check(d.after(t, root, l), l)
	}
	return d.fell
}

var everyStep = flag.Bool("all", false, "let every step fail in every way, not some of them in each")

// TestCrash lets the steps of a workload fail, in every way, and looks at what a
// killed process or a loss of power leaves. Of each way a commit takes one step in
// so many, another one for each way.
func TestCrash(t *testing.T) {
	whole := newFallible(0, 0, false)
	if try(t, whole) {
		t.Fatal("a step fails although no failure was planned")
	}
	if whole.steps < 50 {
		t.Fatalf("the workload has %d steps only", whole.steps)
	}
	t.Logf("%d steps", whole.steps)
	for _, way := range []struct {
		name         string
		times        int
		dead         bool
		every, first int // of the steps, in a commit
	}{{"killed", 1, true, 2, 1}, {"one step fails", 1, false, 2, 2}, {"two steps fail", 2, false, 4, 1}, {"three steps fail", 3, false, 4, 3}} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			if *everyStep {
				way.every, way.first = 1, 1
			}
			for n := way.first; n <= whole.steps; n += way.every {
				t.Run(fmt.Sprint("step ", n), func(t *testing.T) {
					if !try(t, newFallible(n, way.times, way.dead)) {
						t.Error("the step does not fail")
					}
				})
			}
		})
	}
}

func TestTornTail(t *testing.T) {
	for _, c := range []struct {
		content string
		cut     int64
	}{
		{"", 0}, {"\n", 0}, {"one\n", 0}, {"one\ntwo", 3}, {"torn", 4}, {"one\n\x00\x00\x00", 3},
		{"one\n" + strings.Repeat("x", 200<<10), 200 << 10}, {strings.Repeat("y", 100<<10) + "\n" + strings.Repeat("x", 64<<10), 64 << 10},
		{strings.Repeat("x", 64<<10), 64 << 10}, {strings.Repeat("x", 64<<10-1) + "\n", 0},
	} {
		s := fresh(t, Options{})
		ctx := context.Background()
		l, err := s.Logs().Create(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		path, _ := s.Logs().path("a")
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		l, cut, err := s.Logs().Reopen(ctx, "a")
		if err != nil || cut != c.cut {
			t.Fatalf("%.20q…: %d cut, want %d (%v)", c.content, cut, c.cut, err)
		}
		if err := errors.Join(l.Append([]byte("next\n")), l.Close()); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if want := c.content[:len(c.content)-int(cut)] + "next\n"; err != nil || string(got) != want {
			t.Errorf("%.20q… became %.20q… of %d bytes, want %d (%v)", c.content, got, len(got), len(want), err)
		}
	}
}
