package session

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/sandbox/fake"
	"praxis/internal/seal"
)

// forge changes a file as an editor does who hides it: its size and its time of
// modification are what they were.
func forge(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := errors.Join(os.WriteFile(path, data, info.Mode().Perm()), os.Chtimes(path, info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
}

// stateFile returns a file of a saved state.
func stateFile(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "state"))
	if err != nil || len(entries) == 0 {
		t.Fatalf("no state: %v", err)
	}
	return filepath.Join(dir, "state", entries[0].Name())
}

// isUnsealed says whether an error is the fault of what is not sealed.
func isUnsealed(err error) bool {
	var f *fault.Error
	return errors.As(err, &f) && f.Code == fault.Unsealed && errors.Is(err, seal.ErrBroken)
}

// TestForgedStates changes what lies in the data folder, in every way that leaves
// it readable: no session begins from it.
func TestForgedStates(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, m *Manager, head string){
		"pages": func(t *testing.T, m *Manager, head string) {
			forge(t, stateFile(t, filepath.Join(m.snapshots.dir, head)))
		},
		"description": func(t *testing.T, m *Manager, head string) {
			path := filepath.Join(m.snapshots.dir, head, metaFile)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, append(data, '\n'), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"no seal": func(t *testing.T, m *Manager, head string) {
			if err := os.Remove(filepath.Join(m.snapshots.dir, head, "seal")); err != nil {
				t.Fatal(err)
			}
		},
		"template": func(t *testing.T, m *Manager, head string) {
			replaceFolder(t, m.templates.dir, filepath.Join(m.snapshots.dir, head))
		},
		"other session's": func(t *testing.T, m *Manager, head string) {
			if err := m.ForkNamed(t.Context(), "a", "b"); err != nil {
				t.Fatal(err)
			}
			inNamed(t, m, "b", "x = other")
			data, err := os.ReadFile(filepath.Join(m.names, "b", namedFile))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(m.names, "a", namedFile), data, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := toyManager(t, t.TempDir())
			inNamed(t, m, "a", "x = 1")
			info, err := m.LookupNamed("a")
			if err != nil {
				t.Fatal(err)
			}
			change(t, m, info.Head)
			n, err := m.OpenNamed(t.Context(), "a", Options{}, event.Discard)
			if err == nil {
				n.Close()
			}
			if kind := fault.KindOf(err); kind != fault.Conflict {
				t.Fatalf("opened: %v", err)
			}
			if name != "other session's" {
				if !errors.Is(err, seal.ErrBroken) {
					t.Errorf("refused, but not for its seal: %v", err)
				}
				if _, err := m.FromSnapshot(t.Context(), info.Head, Options{}, event.Discard); !isUnsealed(err) {
					t.Errorf("from the snapshot: %v", err)
				}
			}
			if err := m.RemoveNamed(t.Context(), "a"); err != nil {
				t.Errorf("it cannot be removed: %v", err)
			}
		})
	}
}

// replaceFolder puts a copy of the first folder in dir into the place of path.
func replaceFolder(t *testing.T, dir, path string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := errors.Join(os.RemoveAll(path), os.CopyFS(path, os.DirFS(filepath.Join(dir, e.Name())))); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatal("there is no folder to copy")
}

// TestForgedTemplate changes a template: it is a cache, and is built again.
func TestForgedTemplate(t *testing.T) {
	m := toyManager(t, t.TempDir())
	for range 2 {
		s, err := m.Create(t.Context(), toyOptions(t), event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	forge(t, stateFile(t, filepath.Join(m.templates.dir, m.templateKey(toyOptions(t).withDefaults()))))
	s, err := m.Create(t.Context(), toyOptions(t), event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if origin, _ := s.Origin(); origin != Built {
		t.Errorf("the session is %v: the template was not built again", origin)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCopiedFolder copies a data folder as a backup does: the files are others, and
// hold the same.
func TestCopiedFolder(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	m := toyManager(t, from)
	inNamed(t, m, "a", "x = 1")
	settle(t, m) // nothing changes while it is copied
	if err := errors.Join(os.CopyFS(to, os.DirFS(from)), os.Chmod(to, 0o700), os.Chmod(filepath.Join(to, "keys", "seal.key"), 0o600)); err != nil {
		t.Fatal(err)
	}
	again := toyManager(t, to)
	if got := inNamed(t, again, "a", "x"); got != "1" {
		t.Errorf("x is %q in the copy", got)
	}
	settle(t, again) // or folders of what is being packed are counted
	// The same without the key: nothing in it can be trusted, and nothing is lost.
	if err := os.RemoveAll(filepath.Join(to, "keys")); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadDir(filepath.Join(to, "snapshots"))
	if err != nil {
		t.Fatal(err)
	}
	other := toyManager(t, to)
	if _, err := other.OpenNamed(t.Context(), "a", Options{}, event.Discard); !isUnsealed(err) {
		t.Errorf("with another key: %v", err)
	}
	if _, err := other.CollectSnapshots(t.Context(), Collect{}); err != nil {
		t.Fatal(err)
	}
	if all, err := other.ListNamed(t.Context()); err != nil || len(all) != 1 || !all[0].Unsealed {
		t.Errorf("listed as %+v, %v", all, err)
	}
	left, err := os.ReadDir(filepath.Join(to, "snapshots"))
	if err != nil || len(left) != len(before) {
		t.Errorf("%d of %d snapshots are left, which the session needs (%v)", len(left), len(before), err)
	}
}

// TestSameStateAfterForgery saves a state again whose folder was changed meanwhile:
// what is there is replaced, not believed.
func TestSameStateAfterForgery(t *testing.T) {
	store, a := saved(t, "one")
	forge(t, stateFile(t, a.dir))
	b, err := store.save(t.Context(), still{pages: "one"}, Snapshot{}, "")
	if err != nil || b.ID != a.ID {
		t.Fatalf("saved again: %s, %v", b.ID, err)
	}
	if err := errors.Join(store.check(b), store.verify(t.Context(), b.ID)); err != nil {
		t.Error(err)
	}
}

// TestForgedProgramOfSnapshot changes the program of another build that a saved
// state runs.
func TestForgedProgramOfSnapshot(t *testing.T) {
	dir := t.TempDir()
	m := backendManager(t, Config{Dir: dir, Backend: fake.New(fake.Config{Program: newToy}), MaxSessions: 8})
	inNamed(t, m, "a", "x = 1")
	old := m.program
	m.cfg.Program = testProgram("another build's")
	if got := inNamed(t, m, "a", "x"); got != "1" {
		t.Fatalf("x is %q", got)
	}
	forge(t, old)
	if _, err := m.OpenNamed(t.Context(), "a", Options{}, event.Discard); !errors.Is(err, seal.ErrBroken) {
		t.Errorf("opened with a changed program: %v", err)
	}
}
