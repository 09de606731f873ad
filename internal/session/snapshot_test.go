package session

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/sandbox"
)

// still is a sandbox that can only be saved: its state is two files.
type still struct {
	sandbox.Sandbox
	pages string
}

func (s still) Checkpoint(_ context.Context, dir string) (time.Duration, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return 0, err
	}
	if err := os.WriteFile(filepath.Join(dir, "pages.img"), []byte(s.pages), 0o600); err != nil {
		return 0, err
	}
	return 3 * time.Millisecond, os.WriteFile(filepath.Join(dir, "checkpoint.img"), []byte("kernel"), 0o600)
}

func saved(t *testing.T, pages string) (Snapshots, Snapshot) {
	t.Helper()
	store := Snapshots{t.TempDir(), "snapshot", testOwner(t, t.TempDir()), testKey(t, t.TempDir()), nil}
	snap, err := store.save(t.Context(), still{pages: pages}, Snapshot{Spec: sandbox.Spec{Root: "/image"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	return store, snap
}

func TestSnapshotIsNamedByItsContent(t *testing.T) {
	store, a := saved(t, "one")
	b, err := store.save(t.Context(), still{pages: "one"}, Snapshot{}, "")
	if err != nil || b.ID != a.ID {
		t.Errorf("the same state again: id %s, %v, want %s", b.ID, err, a.ID)
	}
	c, err := store.save(t.Context(), still{pages: "two"}, Snapshot{}, "")
	if err != nil || c.ID == a.ID {
		t.Errorf("another state has the id of the first: %s, %v", c.ID, err)
	}
	entries, err := os.ReadDir(store.dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("%d folders, want 2 and nothing temporary (%v)", len(entries), err)
	}
	if a.Bytes != int64(len("one")+len("kernel")) || a.StoodStill != 3 {
		t.Errorf("described as %d bytes, %v ms", a.Bytes, a.StoodStill)
	}
}

func TestDamagedSnapshotIsRefused(t *testing.T) {
	edit := func(f func(b []byte) []byte, name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, name)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, f(b), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	cut := func(b []byte) []byte { return b[:len(b)-1] }
	meta := func(f func(map[string]any)) func(*testing.T, string) {
		return edit(func(b []byte) []byte {
			var m map[string]any
			if err := json.Unmarshal(b, &m); err != nil {
				t.Fatal(err)
			}
			f(m)
			out, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}, metaFile)
	}
	for name, tt := range map[string]struct {
		damage func(*testing.T, string)
		kind   fault.Kind
		says   string
	}{
		"no description":   {func(t *testing.T, d string) { os.Remove(filepath.Join(d, metaFile)) }, fault.NotFound, "does not exist"},
		"half description": {edit(cut, metaFile), fault.Conflict, "description cannot be read"},
		"from the future":  {meta(func(m map[string]any) { m["version"] = 99 }), fault.Conflict, "format 99"},
	} {
		t.Run(name, func(t *testing.T) {
			store, snap := saved(t, "pages of memory")
			tt.damage(t, snap.dir)
			if tt.kind != fault.NotFound {
				if err := store.key.Seal(store.folder(snap.ID)); err != nil { // as if it had been written so
					t.Fatal(err)
				}
			}
			_, err := store.load(snap.ID)
			if fault.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v (%s), want %s with %q", err, fault.KindOf(err), tt.kind, tt.says)
			}
			if tt.kind == fault.Conflict && fault.RemedyOf(err) == "" {
				t.Error("no remedy")
			}
		})
	}
}

func testOwner(t *testing.T, dir string) *owner {
	t.Helper()
	o, err := newOwner(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Many processes begin at once, and each sweeps while others make their claims.
func TestSweepRemovesNoClaimThatIsBeingMade(t *testing.T) {
	owners := t.TempDir()
	for range 200 {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := sweep(owners); err != nil {
					t.Error(err)
				}
				o, err := newOwner(t.Context(), owners)
				if err != nil {
					t.Error(err)
					return
				}
				if err := o.close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

func TestSweepKeepsWhatTheLivingWrite(t *testing.T) {
	owners, dir := t.TempDir(), t.TempDir()
	living, dead, closed := testOwner(t, owners), testOwner(t, owners), testOwner(t, owners)
	defer living.close()
	mine := filepath.Join(dir, living.prefix()+"x")
	gone := []string{filepath.Join(dir, dead.prefix()+"x"), filepath.Join(dir, closed.prefix()+"x"), filepath.Join(dir, ".tmp-"), filepath.Join(dir, ".tmp-123")}
	for _, d := range append(gone, mine, filepath.Join(dir, "named"), filepath.Join(dir, ".lock")) {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	dead.unlock() // as its death would
	if err := closed.close(); err != nil {
		t.Fatal(err)
	}
	if err := sweep(owners, dir); err != nil {
		t.Fatal(err)
	}
	for _, d := range gone {
		if _, err := os.Stat(d); err == nil {
			t.Errorf("%s of a dead owner was left", d)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 3 {
		t.Errorf("left: %v %v", left, err)
	}
	tokens, err := os.ReadDir(owners)
	if err != nil || len(tokens) != 1 || tokens[0].Name() != living.token {
		t.Errorf("owners left: %v %v", tokens, err)
	}
}

func TestOldBuildsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	m := toyManager(t, dir)
	inNamed(t, m, "a", "x = 1")
	builds := filepath.Join(dir, "programs")
	long := time.Now().Add(-48 * time.Hour)
	plant := func(key string, age time.Time) {
		path := filepath.Join(builds, key)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, age, age); err != nil {
			t.Fatal(err)
		}
	}
	plant("unused-old", long)
	plant("unused-new", time.Now())
	plant("another-old", long)
	plant("needed-old", long)
	for i := range 8 { // few are left alone
		plant(fmt.Sprint("recent-", i), time.Now())
	}
	// A snapshot of an older build keeps its program.
	old := Snapshot{Spec: sandbox.Spec{Mounts: []sandbox.Mount{{Source: filepath.Join(builds, "needed-old"), Target: "/.praxis"}}}}
	if _, err := m.snapshots.save(t.Context(), still{pages: "old"}, old, ""); err != nil {
		t.Fatal(err)
	}
	m = toyManager(t, dir)
	var left []string
	entries, err := os.ReadDir(builds)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	left = slices.DeleteFunc(left, func(name string) bool { return name == "lock" || strings.HasPrefix(name, "recent-") })
	if len(left) != 3 || !slices.Contains(left, "needed-old") || !slices.Contains(left, "unused-new") || !slices.Contains(left, m.cfg.Program.Key()) {
		t.Errorf("left %v", left)
	}
	if got := inNamed(t, m, "a", "x"); got != "1" {
		t.Errorf("x is %q", got)
	}
}
