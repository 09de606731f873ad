package session

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
)

// inNamed opens a session, runs code in it, and saves.
func inNamed(t *testing.T, m *Manager, name, code string) string {
	t.Helper()
	opt := Options{}
	if _, err := m.LookupNamed(name); err != nil {
		opt = toyOptions(t)
	}
	n, err := m.OpenNamed(t.Context(), name, opt, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	text := eval(t, n.Session, code)
	if _, err := n.Save(t.Context(), code); err != nil {
		t.Fatal(err)
	}
	return text
}

func TestNamedSessionLivesOnDisk(t *testing.T) {
	dir := t.TempDir()
	inNamed(t, toyManager(t, dir), "a", "x = 41")
	m := toyManager(t, dir) // another process
	if got := inNamed(t, m, "a", "x"); got != "41" {
		t.Errorf("x is %q", got)
	}
	log, err := m.LogNamed(t.Context(), "a")
	if err != nil || len(log) == 0 {
		t.Fatalf("log %v %v", log, err)
	}
	last := log[len(log)-1]
	if !last.Head || log[0].Label != "x = 41" {
		t.Errorf("log %+v", log)
	}
}

func TestNamedForkAndRollback(t *testing.T) {
	m := toyManager(t, t.TempDir())
	inNamed(t, m, "a", "x = 1")
	inNamed(t, m, "a", "x = 2")
	if err := m.ForkNamed(t.Context(), "a", "b"); err != nil {
		t.Fatal(err)
	}
	inNamed(t, m, "b", "x = 3")
	head, err := m.RollbackNamed(t.Context(), "a", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := inNamed(t, m, "a", "x"); got != "1" {
		t.Errorf("after the rollback to %s x is %q", head, got)
	}
	if got := inNamed(t, m, "b", "x"); got != "3" {
		t.Errorf("in the fork x is %q", got)
	}
	if err := m.ForkNamed(t.Context(), "a", "b"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("forking over a session: %v", err)
	}
	if err := m.ForkNamed(t.Context(), "nothing", "c"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("forking nothing: %v", err)
	}
	if _, err := os.Stat(filepath.Join(m.names, "c")); err == nil {
		t.Error("a fork that failed left a folder")
	}
	if _, err := m.RollbackNamed(t.Context(), "a", "zzz"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("rolling back to an unknown snapshot: %v", err)
	}
}

func TestRemovingKeepsWhatAForkNeeds(t *testing.T) {
	m := toyManager(t, t.TempDir())
	inNamed(t, m, "a", "x = 1")
	inNamed(t, m, "a", "x = 2")
	if err := m.ForkNamed(t.Context(), "a", "b"); err != nil {
		t.Fatal(err)
	}
	if err := m.RemoveNamed(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if got := inNamed(t, m, "b", "x"); got != "2" {
		t.Errorf("in the fork x is %q", got)
	}
	if err := m.RemoveNamed(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	m.packing.Lock() // what is being packed has temporary folders
	left, err := os.ReadDir(m.snapshots.dir)
	m.packing.Unlock()
	if err != nil || len(left) != 0 {
		t.Errorf("%d snapshots left, %v", len(left), err)
	}
	if err := m.RemoveNamed(t.Context(), "a"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("removing twice: %v", err)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	m := toyManager(t, t.TempDir())
	n, err := m.OpenNamed(t.Context(), "a", toyOptions(t), event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	for i := range DefaultKeep + 5 {
		eval(t, n.Session, "x = "+strings.Repeat("i", i))
		if _, err := n.Save(t.Context(), "step"); err != nil {
			t.Fatal(err)
		}
	}
	log, err := m.LogNamed(t.Context(), "a")
	if err != nil || len(log) != DefaultKeep {
		t.Errorf("%d in the log, %v", len(log), err)
	}
	settle(t, m) // what is being packed has temporary folders
	m.packing.Lock()
	defer m.packing.Unlock()
	left, err := os.ReadDir(m.snapshots.dir)
	if err != nil || len(left) != DefaultKeep {
		t.Errorf("%d on disk, %v", len(left), err)
	}
}

func TestNamedSessionIsOpenOnce(t *testing.T) {
	dir := t.TempDir()
	a, b := toyManager(t, dir), toyManager(t, dir)
	n, err := a.OpenNamed(t.Context(), "a", toyOptions(t), event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	progress := 0
	_, err = b.OpenNamed(ctx, "a", toyOptions(t), event.SinkFunc(func(event.Event) {
		progress++
		cancel() // it waits, as it says
	}))
	if fault.KindOf(err) != fault.Canceled || progress != 1 {
		t.Errorf("a second opening: %v, told %d times", err, progress)
	}
	eval(t, n.Session, "x = 1")
	if _, err := n.Save(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if got := inNamed(t, b, "a", "x"); got != "1" {
		t.Errorf("x is %q", got)
	}
}

func TestNamedSessionRefusesOtherOptions(t *testing.T) {
	m := toyManager(t, t.TempDir())
	inNamed(t, m, "a", "x = 1")
	seed := int64(1)
	for name, change := range map[string]func(*Options){
		"image":  func(o *Options) { o.Image.ID = "other" },
		"limits": func(o *Options) { o.Limits.Memory = 1 << 29 },
		"seed":   func(o *Options) { o.Seed = &seed },
	} {
		opt := toyOptions(t)
		change(&opt)
		if n, err := m.OpenNamed(t.Context(), "a", opt, event.Discard); fault.KindOf(err) != fault.Conflict || fault.RemedyOf(err) == "" {
			t.Errorf("another %s: %v", name, err)
			if n != nil {
				n.Close()
			}
		}
	}
}

func TestBadNames(t *testing.T) {
	m := toyManager(t, t.TempDir())
	for _, name := range []string{"", ".", "..", ".lock", "a/b", "../a", "-a", strings.Repeat("a", 65), "a\x00", "ä"} {
		if _, err := m.OpenNamed(t.Context(), name, toyOptions(t), event.Discard); fault.KindOf(err) != fault.Invalid {
			t.Errorf("name %q: %v", name, err)
		}
	}
}

func TestDamagedNamedSession(t *testing.T) {
	m := toyManager(t, t.TempDir())
	inNamed(t, m, "a", "x = 1")
	inNamed(t, m, "a", "x = 2")
	info, err := m.LookupNamed("a")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(m.snapshots.dir, info.Head, "state", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.WriteFile(f, []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.OpenNamed(t.Context(), "a", Options{}, event.Discard); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a damaged head: %v", err)
	}
	// Nothing is lost but the damaged state: the one before can be used.
	if _, err := m.RollbackNamed(t.Context(), "a", ""); err != nil {
		t.Fatal(err)
	}
	if got := inNamed(t, m, "a", "x"); got != "1" {
		t.Errorf("x is %q", got)
	}
	if err := os.WriteFile(filepath.Join(m.names, "a", "session.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := m.OpenNamed(t.Context(), "a", Options{}, event.Discard); fault.KindOf(err) != fault.Conflict || fault.RemedyOf(err) == "" {
		t.Errorf("a damaged description: %v", err)
	}
	if err := m.RemoveNamed(t.Context(), "a"); err != nil {
		t.Error(err)
	}
}

// FuzzDescriptions reads whatever may lie in a data folder as the description
// of a snapshot and of a named session: it is refused or it is usable.
func FuzzDescriptions(f *testing.F) {
	f.Add([]byte(`{"version":4,"id":"00000000000000000000000000000000","name":"a","head":"00000000000000000000000000000000"}`))
	f.Add([]byte(`{"version":4,"name":"a","head":"../../x","snapshots":[{"id":"/etc"}]}`))
	f.Add([]byte(`{"version":4}`))
	key, id := testKey(f, f.TempDir()), strings.Repeat("0", 32)
	f.Fuzz(func(t *testing.T, text []byte) {
		named, err := key.Encode(namedKind, "a", json.RawMessage(text))
		if err != nil {
			named = text // it is no JSON
		}
		if info, err := parseNamed("a", named); err == nil {
			if info.Name != "a" || !validID(info.Head) {
				t.Errorf("accepted %+v", info)
			}
		} else if fault.KindOf(err) != fault.Conflict {
			t.Errorf("named: %v", err)
		}
		if snap, err := parseSnapshot(id, text); err == nil {
			if snap.Version != metaVersion || len(snap.program()) > len(text) {
				t.Errorf("accepted %+v", snap)
			}
		} else if fault.KindOf(err) != fault.Conflict {
			t.Errorf("snapshot: %v", err)
		}
	})
}

func TestNamedRename(t *testing.T) {
	m := toyManager(t, t.TempDir())
	inNamed(t, m, "a", "x = 1")
	inNamed(t, m, "a", "x = 2")
	inNamed(t, m, "taken", "x = 3")
	for name, tt := range map[string]struct {
		from, to string
		kind     fault.Kind
	}{
		"over another": {"a", "taken", fault.Conflict}, "of nothing": {"nothing", "c", fault.NotFound},
		"to a bad name": {"a", "../b", fault.Invalid}, "of a bad name": {"..", "b", fault.Invalid},
	} {
		if err := m.RenameNamed(t.Context(), tt.from, tt.to); fault.KindOf(err) != tt.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := m.RenameNamed(t.Context(), "a", "a"); err != nil {
		t.Errorf("to its own name: %v", err)
	}
	if err := m.RenameNamed(t.Context(), "a", "b"); err != nil {
		t.Fatal(err)
	}
	if _, err := m.LookupNamed("a"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("the old name: %v", err)
	}
	if entries, err := os.ReadDir(m.names); err != nil || len(entries) != 3 { // two sessions and the lock
		t.Errorf("left are %v, %v", entries, err)
	}
	log, err := m.LogNamed(t.Context(), "b")
	if err != nil || len(log) != 2 {
		t.Errorf("the log is %v, %v", log, err)
	}
	if got := inNamed(t, m, "b", "x"); got != "2" {
		t.Errorf("x is %q", got)
	}
	if got := inNamed(t, m, "taken", "x"); got != "3" {
		t.Errorf("in the other session x is %q", got)
	}
}

func TestNamedRenameWaitsForWhoHasItOpen(t *testing.T) {
	m := toyManager(t, t.TempDir())
	n, err := m.OpenNamed(t.Context(), "a", toyOptions(t), event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	eval(t, n.Session, "x = 1")
	if _, err := n.Save(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := m.RenameNamed(ctx, "a", "b"); fault.KindOf(err) != fault.Canceled {
		t.Errorf("while it is open: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- m.RenameNamed(t.Context(), "a", "b") }()
	eval(t, n.Session, "x = 2")
	if _, err := n.Save(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := inNamed(t, m, "b", "x"); got != "2" {
		t.Errorf("x is %q", got)
	}
}

func TestRenamesCrossing(t *testing.T) {
	m := toyManager(t, t.TempDir())
	inNamed(t, m, "a", "x = a")
	inNamed(t, m, "b", "x = b")
	done := make(chan error, 2)
	go func() { done <- m.RenameNamed(t.Context(), "a", "b") }()
	go func() { done <- m.RenameNamed(t.Context(), "b", "a") }()
	for range 2 {
		if err := <-done; fault.KindOf(err) != fault.Conflict {
			t.Errorf("got %v", err)
		}
	}
	for _, name := range []string{"a", "b"} {
		if got := inNamed(t, m, name, "x"); got != name {
			t.Errorf("in %s x is %q", name, got)
		}
	}
}

func TestHistoryIsBoundedByBytes(t *testing.T) {
	m := toyManager(t, t.TempDir())
	inNamed(t, m, "a", "x = 1")
	log, err := m.LogNamed(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	m.cfg.HistoryBytes = 3*log[0].Bytes + log[0].Bytes/2
	for range 5 {
		inNamed(t, m, "a", "x = 1")
		inNamed(t, m, "a", "x = 2")
	}
	if log, err = m.LogNamed(t.Context(), "a"); err != nil || len(log) > 3 || len(log) == 0 {
		t.Errorf("%d in the log, %v", len(log), err)
	}
	m.cfg.HistoryBytes = 1
	inNamed(t, m, "a", "x = 3")
	if log, err = m.LogNamed(t.Context(), "a"); err != nil || len(log) != 1 || !log[0].Head {
		t.Errorf("the log is %+v, %v", log, err)
	}
	if got := inNamed(t, m, "a", "x"); got != "3" {
		t.Errorf("x is %q", got)
	}
}

func TestTrimKeepsTheHead(t *testing.T) {
	i := NamedInfo{Head: "a"}
	for _, id := range []string{"a", "b", "c", "d"} {
		i.Snapshots = append(i.Snapshots, SnapshotInfo{ID: id, Bytes: 10})
	}
	old := i.trim(Retention{Keep: 2}, 1000, time.Now())
	if len(old) != 2 || old[0].ID != "b" || old[1].ID != "c" || len(i.Snapshots) != 2 || i.Snapshots[0].ID != "a" || i.Snapshots[1].ID != "d" {
		t.Errorf("took %+v, left %+v", old, i.Snapshots)
	}
	if old := i.trim(Retention{Keep: 2}, 5, time.Now()); len(old) != 1 || old[0].ID != "d" {
		t.Errorf("took %+v, left %+v", old, i.Snapshots)
	}
}

// A fork promises that its state can be used.
func TestForkOfADamagedHead(t *testing.T) {
	for name, damage := range map[string]func(file string) error{
		"a changed byte": func(f string) error {
			b, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			b[len(b)/2] ^= 1
			return os.WriteFile(f, b, 0o600)
		},
		"a missing file":  os.Remove,
		"a cut file":      func(f string) error { return os.Truncate(f, 1) },
		"a missing state": func(f string) error { return os.RemoveAll(filepath.Dir(f)) },
		"no snapshot":     func(f string) error { return os.RemoveAll(filepath.Dir(filepath.Dir(f))) },
	} {
		t.Run(name, func(t *testing.T) {
			m := toyManager(t, t.TempDir())
			inNamed(t, m, "a", "x = 1")
			inNamed(t, m, "a", "x = 2")
			info, err := m.LookupNamed("a")
			if err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(m.snapshots.dir, info.Head, "state", "*"))
			if err != nil || len(files) == 0 {
				t.Fatalf("no files: %v", err)
			}
			if err := damage(files[0]); err != nil {
				t.Fatal(err)
			}
			err = m.ForkNamed(t.Context(), "a", "b")
			if fault.KindOf(err) != fault.Conflict || fault.CodeOf(err) != fault.SessionUnusable || fault.DataOf(err)["name"] != "a" {
				t.Errorf("got %v (%s)", err, fault.RemedyOf(err))
			}
			if _, err := m.LookupNamed("b"); fault.KindOf(err) != fault.NotFound {
				t.Errorf("there is a fork: %v", err)
			}
			if _, err := m.RollbackNamed(t.Context(), "a", ""); err != nil {
				t.Fatal(err)
			}
			if err := m.ForkNamed(t.Context(), "a", "b"); err != nil {
				t.Errorf("of the state before: %v", err)
			}
		})
	}
}

// A session that is saved for the last time ends with that, and goes on from it.
func TestSaveLast(t *testing.T) {
	m := toyManager(t, t.TempDir())
	n, err := m.OpenNamed(t.Context(), "a", toyOptions(t), event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	eval(t, n.Session, "x = 41")
	id, err := n.SaveLast(t.Context(), "last")
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if left := m.Sessions(); len(left) != 0 {
		t.Errorf("%d sessions are left", len(left))
	}
	if info, err := m.LookupNamed("a"); err != nil || info.Head != id {
		t.Errorf("it stands at %s, not %s: %v", info.Head, id, err)
	}
	if got := inNamed(t, m, "a", "x"); got != "41" {
		t.Errorf("x is %q", got)
	}
}
