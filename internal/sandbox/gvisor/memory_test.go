package gvisor

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"praxis/internal/sandbox"
)

func restore(t *testing.T, b *Backend, spec sandbox.Spec, id, dir string) session {
	t.Helper()
	spec.ID = id
	s, err := b.Restore(t.Context(), spec, sandbox.Folder(dir))
	if err != nil {
		t.Fatal(err)
	}
	return session{t: t, x: s.(*box), r: bufio.NewReader(s.Stream())}
}

// TestMemoryIsReadWhenTouched restores a guest with much memory: what it does not look at
// is not read, all of it is what it was when it looks, from many threads at once, and a
// guest that is saved with half of it still to be read loses nothing.
func TestMemoryIsReadWhenTouched(t *testing.T) {
	needHost(t)
	const mib = 96
	b := newBackend(t, Config{})
	spec := newSpec(t, "grown")
	s := start(t, b, spec)
	if got := s.request(fmt.Sprintf("grow %d", mib)); got != "ok" {
		t.Fatal(got)
	}
	want := fmt.Sprintf("%d MiB, 0 wrong", mib)
	dir := t.TempDir()
	save := func(s session, name string) string {
		path := filepath.Join(dir, name)
		if _, err := s.x.Checkpoint(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := save(s, "first")

	idle := restore(t, b, spec, "idle", first)
	if got := idle.request("echo hi"); got != "hi" {
		t.Fatal(got)
	}
	tr := tree{helper: idle.x.proc.cmd.Process.Pid}
	tr.walk()
	if used := memfdMemory(tr.sentry); used > mib<<20/2 {
		t.Errorf("a guest that looked at nothing has %d MiB in memory", used>>20)
	}
	second := save(idle, "second") // nothing of it was read before
	if got := idle.request("check"); got != want {
		t.Errorf("after it was saved: %s", got)
	}

	busy := restore(t, b, spec, "busy", second)
	if _, err := io.WriteString(busy.x.Stream(), "check\n"); err != nil {
		t.Fatal(err)
	}
	third := save(busy, "third") // while it looks
	if got, err := busy.r.ReadString('\n'); err != nil || got != want+"\n" {
		t.Errorf("saved while it looked: %s, %v", got, err)
	}

	// Of the one that was saved while it looked, the look goes on.
	last := restore(t, b, spec, "last", third)
	if got, err := last.r.ReadString('\n'); err != nil || got != want+"\n" {
		t.Errorf("restored while it looked: %s, %v", got, err)
	}
	for range 3 {
		if got := last.request("check"); got != want {
			t.Errorf("looked again: %s", got)
		}
	}
}
