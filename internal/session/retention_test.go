package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
)

func TestRetention(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		keep Retention
		head string
		want string // of steps a (old) to e (new), an hour apart, the youngest just taken
	}{
		"the default":       {Retention{}, "e", "abcde"},
		"the last":          {Retention{Keep: 2}, "e", "de"},
		"for a time":        {Retention{Keep: 1, For: 150 * time.Minute}, "e", "cde"},
		"whichever is more": {Retention{Keep: 4, For: time.Minute}, "e", "bcde"},
		"after a rollback":  {Retention{Keep: 2}, "a", "ae"},
	} {
		i := NamedInfo{Head: c.head}
		for n, id := range []string{"a", "b", "c", "d", "e"} {
			i.Snapshots = append(i.Snapshots, SnapshotInfo{ID: id, Bytes: 10, Created: now.Add(time.Duration(n-4) * time.Hour)})
		}
		old := i.trim(c.keep, 1000, now)
		var left string
		for _, s := range i.Snapshots {
			left += s.ID
		}
		if left != c.want || len(old)+len(left) != 5 {
			t.Errorf("%s: left are %s, want %s", name, left, c.want)
		}
	}
}

// pruned prunes and returns what went by session, as name=N of M stored.
func pruned(t *testing.T, m *Manager, p Prune) map[string]PrunedSession {
	t.Helper()
	all, err := m.PruneNamed(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]PrunedSession{}
	for _, one := range all {
		bytes := int64(0)
		for _, s := range one.Steps {
			bytes += s.Bytes
		}
		if bytes != one.Bytes {
			t.Errorf("%s: %d bytes together, told were %d", one.Name, bytes, one.Bytes)
		}
		out[one.Name] = one
	}
	return out
}

// TestPrune takes steps away that nobody needs: a fork, a recorded run and a session
// that lives keep theirs.
func TestPrune(t *testing.T) {
	m := toyManager(t, t.TempDir())
	log := steps(t, m, "a", 5)
	settle(t, m)
	if _, err := m.RollbackNamed(t.Context(), "a", log[1].ID); err != nil {
		t.Fatal(err)
	}
	if err := m.ForkNamed(t.Context(), "a", "fork"); err != nil {
		t.Fatal(err)
	}
	if _, err := m.RollbackNamed(t.Context(), "a", log[4].ID); err != nil {
		t.Fatal(err)
	}
	live, err := m.FromSnapshot(t.Context(), log[2].ID, Options{Image: toyOptions(t).Image}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	p := Prune{Retention: Retention{Keep: 1}, Keep: func(id string) bool { return id == log[3].ID }, DryRun: true}
	for _, p.DryRun = range []bool{true, false} {
		got := pruned(t, m, p)
		if a := got["a"]; len(a.Steps) != 4 || a.Left != 1 || a.Needed != 3 || a.Steps[0].Bytes <= 0 || a.Steps[1].Bytes != 0 {
			t.Errorf("dry run %t: of a went %+v", p.DryRun, a)
		}
		if f := got["fork"]; len(f.Steps) != 0 || f.Left != 1 {
			t.Errorf("dry run %t: of the fork went %+v", p.DryRun, f)
		}
	}
	for i, s := range log {
		if _, err := m.snapshots.load(s.ID); (err == nil) != (i > 0) {
			t.Errorf("step %d: %v", i, err)
		}
	}
	if got, err := m.LogNamed(t.Context(), "a"); err != nil || len(got) != 1 || got[0].ID != log[4].ID {
		t.Errorf("the log is %+v, %v", got, err)
	}
	if got := inNamed(t, m, "fork", "x"); got != "a2" {
		t.Errorf("in the fork x is %q", got)
	}
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
	// What left the history and is needed no more goes like any other.
	got, err := m.CollectSnapshots(t.Context(), Collect{})
	if err != nil || !slices.ContainsFunc(got.Snapshots, func(r Removed) bool { return r.ID == log[2].ID }) {
		t.Errorf("collected %+v, %v", got, err)
	}
}

func TestPruneLeavesWhatIsOpen(t *testing.T) {
	m := toyManager(t, t.TempDir())
	steps(t, m, "a", 3)
	n, err := m.OpenNamed(t.Context(), "a", Options{}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	p := Prune{Names: []string{"a", "a"}, Retention: Retention{Keep: 1}}
	for _, p.DryRun = range []bool{true, false} {
		if got := pruned(t, m, p)["a"]; !got.InUse || len(got.Steps) != 0 || got.Left != 3 {
			t.Errorf("dry run: %t; of an open session went %+v", p.DryRun, got)
		}
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if got := pruned(t, m, p)["a"]; got.InUse || len(got.Steps) != 2 || got.Needed != 0 || got.Bytes <= 0 {
		t.Errorf("of a closed session went %+v", got)
	}
	if _, err := m.PruneNamed(t.Context(), Prune{Names: []string{"none"}}); fault.CodeOf(err) != fault.SessionMissing {
		t.Errorf("of no session: %v", err)
	}
}

// TestPruneOfRemoved takes the lock of a session that was removed after it was listed.
func TestPruneOfRemoved(t *testing.T) {
	m := toyManager(t, t.TempDir())
	if unlock, err := m.tryName("gone"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("locked: %t, %v", unlock != nil, err)
	}
}

// TestPruneBesideDamage prunes while another session's description is damaged, which may
// refer to anything: no step goes.
func TestPruneBesideDamage(t *testing.T) {
	m := toyManager(t, t.TempDir())
	steps(t, m, "a", 3)
	steps(t, m, "b", 1)
	if err := os.WriteFile(filepath.Join(m.names, "b", namedFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := m.PruneNamed(t.Context(), Prune{Retention: Retention{Keep: 1}})
	if fault.KindOf(err) != fault.Conflict {
		t.Errorf("pruned: %v", err)
	}
	if log, err := m.LogNamed(t.Context(), "a"); err != nil || len(log) != 3 {
		t.Errorf("%d steps are left, %v", len(log), err)
	}
}

// What runs may begin with stays when it leaves a history by itself.
func TestRecordedStatesStay(t *testing.T) {
	m := toyManager(t, t.TempDir())
	m.cfg.Recorded, m.cfg.Retention = true, Retention{Keep: 2}
	for i := range 4 {
		inNamed(t, m, "a", "x = "+strings.Repeat("i", i+1))
	}
	log, err := m.LogNamed(t.Context(), "a")
	all, err2 := m.snapshots.all()
	if err != nil || err2 != nil || len(log) != 2 || len(all) != 4 {
		t.Errorf("%d steps, %d snapshots: %v, %v", len(log), len(all), err, err2)
	}
}

// TestSources checks what snapshots need beside themselves, so that no image goes which
// one of them is restored with.
func TestSources(t *testing.T) {
	m := toyManager(t, t.TempDir())
	root := t.TempDir()
	opt := toyOptions(t)
	opt.Image.ID, opt.Image.Root = "another", root
	var snaps []Snapshot
	for _, o := range []Options{toyOptions(t), opt} {
		s := create(t, m, o)
		snaps = append(snaps, take(t, s, "1")...)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, left := range []bool{false, true} {
		got, err := m.Sources(func(id string) bool { return left && id == snaps[1].ID })
		if err != nil || got[root] == left || !got[snaps[0].Spec.Mounts[0].Source] {
			t.Errorf("the second snapshot is left out: %t; got %v, %v", left, got, err)
		}
	}
}
