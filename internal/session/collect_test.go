package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
)

// take snapshots a session after x was set to each of values.
func take(t *testing.T, s *Session, values ...string) []Snapshot {
	t.Helper()
	var out []Snapshot
	for _, v := range values {
		eval(t, s, "x = "+v)
		snap, err := s.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, snap)
	}
	return out
}

// collect collects and returns what went, snapshots by their index in known.
func collect(t *testing.T, m *Manager, c Collect, known []Snapshot) (string, Collected) {
	t.Helper()
	got, err := m.CollectSnapshots(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	bytes := int64(0)
	for _, r := range got.Snapshots {
		i := slices.IndexFunc(known, func(s Snapshot) bool { return s.ID == r.ID })
		names = append(names, string(rune('a'+i)))
		bytes += r.Bytes
		if r.Bytes <= 0 || r.Why == "" || r.Created.IsZero() {
			t.Errorf("described as %+v", r)
		}
	}
	for _, r := range got.Templates {
		names = append(names, "template: "+r.Why)
		bytes += r.Bytes
	}
	if bytes != got.Bytes {
		t.Errorf("%d bytes together, told were %d", bytes, got.Bytes)
	}
	noTemp(t, m)
	return strings.Join(names, " "), got
}

// settle packs every snapshot, so that nothing is left to be packed, or sealed anew,
// while a test changes their files.
func settle(t *testing.T, m *Manager) {
	t.Helper()
	if err := m.packRest(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// age makes a snapshot or template older.
func age(t *testing.T, snap Snapshot, d time.Duration) {
	t.Helper()
	path := filepath.Join(snap.dir, metaFile)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	then := snap.Created.Add(-d)
	old, err := snap.Created.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	now, err := then.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(b), string(old), string(now), 1)
	if changed == string(b) {
		t.Fatalf("no time in %s", b)
	}
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(snap.dir, then, then); err != nil {
		t.Fatal(err)
	}
}

func exists(snap Snapshot) bool {
	_, err := os.Stat(snap.dir)
	return err == nil
}

func TestCollectLeavesWhatIsNeeded(t *testing.T) {
	dir := t.TempDir()
	m := toyManager(t, dir)
	inNamed(t, m, "kept", "x = 0")
	s := create(t, m, toyOptions(t))
	snaps := take(t, s, "1", "2", "3")
	// Of a session that lives nothing goes, not even for another process.
	if got, all := collect(t, toyManager(t, dir), Collect{}, snaps); got != "" || all.InUse != 4 {
		t.Errorf("collected %q, in use %d", got, all.InUse)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	other := create(t, m, toyOptions(t)) // lives: its template stays
	keep := func(id string) bool { return id == snaps[1].ID }
	if got, _ := collect(t, m, Collect{Keep: keep, DryRun: true}, snaps); got != "a c" {
		t.Errorf("would collect %q", got)
	}
	if got, _ := collect(t, m, Collect{Keep: keep, OlderThan: time.Hour}, snaps); got != "" {
		t.Errorf("collected young ones: %q", got)
	}
	got, all := collect(t, m, Collect{Keep: keep}, snaps)
	if got != "a c" || exists(snaps[0]) || !exists(snaps[1]) || exists(snaps[2]) || all.InUse != 1 {
		t.Errorf("collected %q, in use %d", got, all.InUse)
	}
	costs, err := m.snapshots.costs()
	if err != nil {
		t.Fatal(err)
	}
	if size := costs.add(snaps[1].ID); all.Left != size {
		t.Errorf("%d bytes are left, told were %d", size, all.Left)
	}
	if got := inNamed(t, m, "kept", "x"); got != "0" {
		t.Errorf("in the named session x is %q", got)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if got, _ := collect(t, m, Collect{}, snaps); got != "b template: it was not used for 0s" {
		t.Errorf("collected %q", got)
	}
	want(t, create(t, m, toyOptions(t)), "x", "") // the template is made again
}

func TestCollectKeepsToAQuota(t *testing.T) {
	m := toyManager(t, t.TempDir())
	s := create(t, m, toyOptions(t))
	snaps := take(t, s, "1", "2", "3", "4")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	settle(t, m)
	for i, snap := range snaps {
		age(t, snap, time.Duration(len(snaps)-i)*time.Minute)
		if err := m.snapshots.key.Seal(m.snapshots.folder(snap.ID)); err != nil {
			t.Fatal(err)
		}
	}
	costs, err := m.snapshots.costs()
	if err != nil {
		t.Fatal(err)
	}
	sizes := make([]int64, len(snaps))
	for i, snap := range snaps {
		sizes[i] = costs.add(snap.ID)
	}
	keep := func(id string) bool { return id == snaps[0].ID }
	c := Collect{Keep: keep, OlderThan: time.Hour, Quota: sizes[0] + sizes[2] + sizes[3]}
	if got, all := collect(t, m, c, snaps); got != "b" || all.Left != c.Quota {
		t.Errorf("collected %q, left %d of %d", got, all.Left, c.Quota)
	}
	c.Quota = 1 // what is protected stays over any quota
	if got, all := collect(t, m, c, snaps); got != "c d" || all.Left != sizes[0] {
		t.Errorf("collected %q, left %d", got, all.Left)
	}
}

func TestCollectTemplates(t *testing.T) {
	dir := t.TempDir()
	m := toyManager(t, dir)
	root := t.TempDir()
	opt := toyOptions(t)
	opt.Image.Root = root
	for _, o := range []Options{toyOptions(t), opt} {
		if o.Image.Root == root {
			o.Image.ID = "gone"
		}
		if err := create(t, m, o).Close(); err != nil {
			t.Fatal(err)
		}
	}
	c := Collect{OlderThan: time.Hour}
	if got, _ := collect(t, m, c, nil); got != "" {
		t.Errorf("collected %q", got)
	}
	if err := os.Remove(root); err != nil {
		t.Fatal(err)
	}
	if got, _ := collect(t, m, c, nil); got != "template: its image or its program is gone" {
		t.Errorf("collected %q", got)
	}
	all, err := m.templates.all()
	if err != nil || len(all) != 1 {
		t.Fatalf("%d templates are left, %v", len(all), err)
	}
	age(t, all[0].spec, 2*time.Hour)
	if err := create(t, m, toyOptions(t)).Close(); err != nil { // uses it
		t.Fatal(err)
	}
	if got, _ := collect(t, m, c, nil); got != "" {
		t.Errorf("collected %q, which was just used", got)
	}
	all, err = m.templates.all()
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(all[0].dir, old, old); err != nil {
		t.Fatal(err)
	}
	if got, _ := collect(t, m, c, nil); got != "template: it was not used for 2h0m0s" {
		t.Errorf("collected %q", got)
	}
	if left, err := os.ReadDir(m.templates.dir); err != nil || len(left) != 0 { // their locks went with them
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestCollectMeetsDamage(t *testing.T) {
	m := toyManager(t, t.TempDir())
	s := create(t, m, toyOptions(t))
	snaps := take(t, s, "1", "2", "3")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	settle(t, m)
	for path, text := range map[string]string{
		filepath.Join(snaps[0].dir, metaFile): "{",
		filepath.Join(snaps[1].dir, metaFile): `{"version":99}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.cfg.Seals.Seal(m.snapshots.folder(snaps[1].ID)); err != nil { // of a later version, not damaged
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(snaps[2].dir, metaFile)); err != nil {
		t.Fatal(err)
	}
	got, all := collect(t, m, Collect{}, snaps)
	if !strings.HasPrefix(got, "a c") && !strings.HasPrefix(got, "c a") || !exists(snaps[1]) {
		t.Errorf("collected %q: %+v", got, all.Snapshots)
	}
	// What a damaged description refers to is not known: nothing goes.
	inNamed(t, m, "a", "x = 1")
	if err := os.WriteFile(filepath.Join(m.names, "a", "session.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	left, err := m.snapshots.all()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.CollectSnapshots(t.Context(), Collect{}); fault.KindOf(err) != fault.Conflict || fault.RemedyOf(err) == "" {
		t.Errorf("with a damaged session: %v", err)
	}
	if again, err := m.snapshots.all(); err != nil || len(again) != len(left) {
		t.Errorf("%d snapshots are left of %d, %v", len(again), len(left), err)
	}
}

// A session that is restored while everything is collected either has its
// snapshot for as long as it lives, or gets an error that there is none.
func TestCollectWhileSessionsBegin(t *testing.T) {
	m := toyManager(t, t.TempDir())
	s := create(t, m, toyOptions(t))
	done := make(chan error)
	go func() {
		defer close(done)
		for range 40 {
			if _, err := m.CollectSnapshots(t.Context(), Collect{}); err != nil {
				done <- err
			}
		}
	}()
	for range 10 {
		snap := take(t, s, "1")[0]
		c, err := m.FromSnapshot(t.Context(), snap.ID, Options{Image: toyOptions(t).Image}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.Execute(t.Context(), "die", Exec{}, event.Discard)
		if err != nil || out.State != event.Restored {
			t.Errorf("after its death: %+v %v", out, err)
		}
		want(t, c, "x", "1")
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if err := create(t, m, toyOptions(t)).Close(); err != nil {
			t.Fatal(err)
		}
	}
	for err := range done {
		t.Error(err)
	}
}

// TestProgramOfAnotherVersion removes the program of a process that runs for days, as
// another version does that knows of nothing that runs it: the next session has it again.
func TestProgramOfAnotherVersion(t *testing.T) {
	dir := t.TempDir()
	m, other := toyManager(t, dir), toyManager(t, dir)
	other.cfg.Program = testProgram("another version's")
	old := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(filepath.Dir(m.program), old, old); err != nil {
		t.Fatal(err)
	}
	got, err := other.CollectSnapshots(t.Context(), Collect{OlderThan: time.Hour})
	if err != nil || len(got.Programs) != 1 {
		t.Fatalf("collected %+v, %v", got, err)
	}
	if err := create(t, m, toyOptions(t)).Close(); err != nil {
		t.Fatal(err)
	}
	if err := m.cfg.Programs.Check(m.cfg.Program.Key()); err != nil {
		t.Error(err)
	}
}
