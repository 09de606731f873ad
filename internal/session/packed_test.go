package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/chunks"
)

// steps makes a named session of so many steps, of which the last sets x to the
// number of steps, and waits until all but its head are packed.
func steps(t *testing.T, m *Manager, name string, n int) []SnapshotInfo {
	t.Helper()
	for i := range n {
		inNamed(t, m, name, fmt.Sprintf("x = %s%d", name, i+1))
	}
	settle(t, m)
	log, err := m.LogNamed(t.Context(), name)
	if err != nil || len(log) != n {
		t.Fatalf("%d snapshots (%v)", len(log), err)
	}
	for _, s := range log {
		if packedNow(m, s.ID) == s.Head {
			t.Fatalf("of %s the files are there: %t, and it is the head: %t", s.ID, s.Head, s.Head)
		}
	}
	return log
}

// packedNow says whether a snapshot has no files but chunks.
func packedNow(m *Manager, id string) bool {
	_, err := os.Stat(filepath.Join(m.snapshots.dir, id, "state"))
	return errors.Is(err, os.ErrNotExist)
}

// chunkOf returns the path of a chunk that one snapshot has and another has not.
func chunkOf(t *testing.T, m *Manager, id, not string) string {
	t.Helper()
	mine, err := m.snapshots.recipe(id)
	if err != nil {
		t.Fatal(err)
	}
	other, err := m.snapshots.recipe(not)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range mine.Chunks {
		if !slices.Contains(other.Chunks, c) {
			return filepath.Join(filepath.Dir(m.snapshots.packs.lock), c.String())
		}
	}
	t.Fatal("they have the same chunks")
	return ""
}

func TestPackedStepsGoOn(t *testing.T) {
	dir := t.TempDir()
	m := toyManager(t, dir)
	log := steps(t, m, "a", 4)
	if got := inNamed(t, toyManager(t, dir), "a", "x"); got != "a4" { // another process
		t.Errorf("at the head x is %q", got)
	}
	for i, s := range slices.Backward(log[:3]) {
		if _, err := m.RollbackNamed(t.Context(), "a", s.ID); err != nil {
			t.Fatal(err)
		}
		if packedNow(m, s.ID) {
			t.Error("the head has no files")
		}
		if err := m.ForkNamed(t.Context(), "a", fmt.Sprint("fork", i)); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", fmt.Sprint("fork", i)} {
			if got, want := inNamed(t, m, name, "x"), fmt.Sprint("a", i+1); got != want {
				t.Errorf("in %s x is %q, want %s", name, got, want)
			}
		}
	}
	// A session of a run goes back to what was packed meanwhile, and so does its fork.
	s, err := m.FromSnapshot(t.Context(), log[0].ID, Options{}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want(t, s, "x", "a1")
	if err := s.Rollback(t.Context(), log[2].ID); err != nil {
		t.Fatal(err)
	}
	settle(t, m)
	child, err := s.Fork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, s, "x", "a3")
	want(t, child, "x", "a3")
}

// TestSharedChunksAreStoredOnce compares what is on disk with what is said of it.
func TestSharedChunksAreStoredOnce(t *testing.T) {
	m := toyManager(t, t.TempDir())
	steps(t, m, "a", 3)
	before, err := m.snapshots.packs.store.Sizes()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.ForkNamed(t.Context(), "a", "b"); err != nil {
		t.Fatal(err)
	}
	inNamed(t, m, "a", "x = 9")
	inNamed(t, m, "b", "x = 9")
	settle(t, m) // their common head
	after, err := m.snapshots.packs.store.Sizes()
	if err != nil || len(after) != len(before)+1 {
		t.Errorf("%d chunks, were %d (%v)", len(after), len(before), err)
	}
	log, err := m.LogNamed(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	var said, disk int64
	for _, s := range log {
		said += s.Stored
		size, err := diskSize(filepath.Join(m.snapshots.dir, s.ID))
		if err != nil {
			t.Fatal(err)
		}
		disk += size
	}
	for _, size := range after {
		disk += size
	}
	if said != disk {
		t.Errorf("said are %d bytes, on disk are %d", said, disk)
	}
}

func TestDamagedChunkOfASnapshot(t *testing.T) {
	for name, damage := range map[string]func(path, other string) error{
		"missing": func(path, _ string) error { return os.Remove(path) },
		"changed": func(path, _ string) error {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b[len(b)-1] ^= 1
			return os.WriteFile(path, b, 0o600)
		},
		"swapped": func(path, other string) error {
			b, err := os.ReadFile(other)
			return errors.Join(err, os.WriteFile(path, b, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := toyManager(t, t.TempDir())
			log := steps(t, m, "a", 4)
			if err := damage(chunkOf(t, m, log[1].ID, log[2].ID), chunkOf(t, m, log[2].ID, log[1].ID)); err != nil {
				t.Fatal(err)
			}
			_, err := m.RollbackNamed(t.Context(), "a", log[1].ID)
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != fault.SnapshotDamaged {
				t.Fatalf("rolled back: %v", err)
			}
			if _, err := m.FromSnapshot(t.Context(), log[1].ID, Options{}, event.Discard); fault.KindOf(err) != fault.Conflict {
				t.Errorf("opened: %v", err)
			}
			if got := inNamed(t, m, "a", "x"); got != "a4" {
				t.Errorf("at the head x is %q", got)
			}
			for i, s := range log {
				if i == 1 {
					continue
				}
				if _, err := m.RollbackNamed(t.Context(), "a", s.ID); err != nil {
					t.Fatal(err)
				}
				if got := inNamed(t, m, "a", "x"); got != fmt.Sprint("a", i+1) {
					t.Errorf("after %d steps x is %q", i+1, got)
				}
			}
		})
	}
}

// TestForgedRecipe lets a snapshot be made of chunks that are all whole, and another's:
// what it is is sealed, and not of what it is made.
func TestForgedRecipe(t *testing.T) {
	m := toyManager(t, t.TempDir())
	log := steps(t, m, "a", 4)
	recipe := func(i int) string { return filepath.Join(m.snapshots.dir, log[i].ID, recipeFile) }
	good, err := os.ReadFile(recipe(0))
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(recipe(1))
	if err != nil {
		t.Fatal(err)
	}
	for name, forged := range map[string][]byte{"another's": other, "cut": good[:len(good)-1], "empty": {}} {
		if err := os.WriteFile(recipe(0), forged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := m.RollbackNamed(t.Context(), "a", log[0].ID); fault.KindOf(err) != fault.Conflict {
			t.Errorf("%s: rolled back: %v", name, err)
		}
		if !packedNow(m, log[0].ID) {
			t.Errorf("%s: its files were left", name)
		}
	}
	if err := os.WriteFile(recipe(0), good, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := m.RollbackNamed(t.Context(), "a", log[0].ID); err != nil {
		t.Errorf("with its own recipe: %v", err)
	}
}

// TestPackingThatEndedEarly makes what processes leave that are killed between any two
// steps of packing: everything is restored, and the next collection tidies up.
func TestPackingThatEndedEarly(t *testing.T) {
	dir := t.TempDir()
	m := toyManager(t, dir)
	for i := range 4 {
		inNamed(t, m, "a", fmt.Sprint("x = a", i+1))
	}
	settle(t, m)
	log, err := m.LogNamed(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	state := func(i int) string { return filepath.Join(m.snapshots.dir, log[i].ID, "state") }
	for i := range 3 { // the files are there still
		snap, err := m.snapshots.load(log[i].ID)
		if err != nil {
			t.Fatal(err)
		}
		release, err := m.snapshots.ready(t.Context(), snap)
		if err != nil {
			t.Fatal(err)
		}
		release()
	}
	chunk := chunkOf(t, m, log[1].ID, log[0].ID)
	left := filepath.Join(m.snapshots.dir, ".tmp-dead-1")
	if err := errors.Join(
		os.Remove(filepath.Join(m.snapshots.dir, log[0].ID, recipeFile)), // before the recipe
		os.Rename(state(1), left),           // while the files go
		os.Truncate(chunk, 3),               // a chunk after a loss of power,
		os.CopyFS(state(1), os.DirFS(left)), // of which the files are there
		os.WriteFile(filepath.Join(filepath.Dir(chunk), ".tmp-dead-2"), []byte("half"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	m = toyManager(t, dir)
	if _, err := m.CollectSnapshots(t.Context(), Collect{}); err != nil {
		t.Fatal(err)
	}
	for i, s := range log {
		if !s.Head && !packedNow(m, s.ID) {
			t.Errorf("snapshot %d is not packed", i)
		}
		if _, err := m.RollbackNamed(t.Context(), "a", s.ID); err != nil {
			t.Fatal(err)
		}
		if got := inNamed(t, m, "a", "x"); got != fmt.Sprint("a", i+1) {
			t.Errorf("after %d steps x is %q", i+1, got)
		}
	}
	for _, name := range []string{left, filepath.Join(filepath.Dir(chunk), ".tmp-dead-2")} {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s was left", name)
		}
	}
}

// TestFilesInUseStay packs a snapshot that is restored just now.
func TestFilesInUseStay(t *testing.T) {
	m := toyManager(t, t.TempDir())
	log := steps(t, m, "a", 2)
	snap, err := m.snapshots.load(log[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	release, err := m.snapshots.ready(t.Context(), snap)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.packRest(t.Context()); err != nil || packedNow(m, snap.ID) {
		t.Errorf("its files are gone (%v)", err)
	}
	release()
	if err := m.packRest(t.Context()); err != nil || !packedNow(m, snap.ID) {
		t.Errorf("its files are there still (%v)", err)
	}
}

// TestSweepWaitsForReaders removes a session while the files of its snapshot are made.
func TestSweepWaitsForReaders(t *testing.T) {
	m := toyManager(t, t.TempDir())
	steps(t, m, "a", 3)
	unlock, err := m.snapshots.packs.share(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- m.RemoveNamed(t.Context(), "a") }()
	for { // until it waits
		if _, err := m.LookupNamed("a"); fault.KindOf(err) == fault.NotFound {
			break
		}
	}
	if sizes, err := m.snapshots.packs.store.Sizes(); err != nil || len(sizes) == 0 {
		t.Errorf("the chunks are gone that somebody reads (%v)", err)
	}
	unlock()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if sizes, err := m.snapshots.packs.store.Sizes(); err != nil || len(sizes) != 0 {
		t.Errorf("%d chunks are left of nothing (%v)", len(sizes), err)
	}
}

// TestCollectWhileRestoring collects, and removes a relative, while a snapshot is
// restored again and again.
func TestCollectWhileRestoring(t *testing.T) {
	dir := t.TempDir()
	m, other := toyManager(t, dir), toyManager(t, dir)
	log := steps(t, m, "a", 3)
	stop := make(chan struct{})
	var g sync.WaitGroup
	g.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			name := fmt.Sprint("b", i)
			err := other.ForkNamed(t.Context(), "a", name)
			if err == nil {
				err = other.RemoveNamed(t.Context(), name)
			}
			if err == nil {
				_, err = other.CollectSnapshots(t.Context(), Collect{})
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	for i := range 20 {
		s, err := m.FromSnapshot(t.Context(), log[i%2].ID, Options{}, event.Discard)
		if err != nil {
			t.Error(err)
			break
		}
		want(t, s, "x", fmt.Sprint("a", i%2+1))
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	g.Wait()
}

// TestOrphansAreCollected leaves chunks that no snapshot is made of.
func TestOrphansAreCollected(t *testing.T) {
	m := toyManager(t, t.TempDir())
	log := steps(t, m, "a", 2)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pages"), []byte("of nobody"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := m.snapshots.packs.store.Pack(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	for _, dry := range []bool{true, false} {
		out, err := m.CollectSnapshots(t.Context(), Collect{DryRun: dry, OlderThan: 1 << 62})
		if err != nil || out.Chunks != 1 || out.Bytes != out.ChunkBytes || out.Bytes == 0 {
			t.Errorf("collected %+v, %v", out, err)
		}
	}
	if out, err := m.CollectSnapshots(t.Context(), Collect{OlderThan: 1 << 62}); err != nil || out.Chunks != 0 {
		t.Errorf("collected %+v, %v", out, err)
	}
	if _, err := m.RollbackNamed(t.Context(), "a", log[0].ID); err != nil {
		t.Error(err)
	}
}

// TestPackedChunksCannotBeWritten packs to where nothing can be written: what cannot be packed stays as it is.
func TestPackedChunksCannotBeWritten(t *testing.T) {
	m := toyManager(t, t.TempDir())
	inNamed(t, m, "a", "x = 1")
	var err error
	if m.snapshots.packs.store, err = chunks.Open(filepath.Join(t.TempDir(), "gone"), ".tmp-", 1); err != nil {
		t.Fatal(err)
	}
	inNamed(t, m, "a", "x = 2")
	if _, err := m.CollectSnapshots(t.Context(), Collect{}); err == nil {
		t.Error("nobody was said")
	}
	if _, err := m.RollbackNamed(t.Context(), "a", ""); err != nil {
		t.Fatal(err)
	}
	if got := inNamed(t, m, "a", "x"); got != "1" {
		t.Errorf("x is %q", got)
	}
}
