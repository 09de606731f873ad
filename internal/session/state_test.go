package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/sandbox"
	"praxis/internal/sandbox/fake"
)

// slowBackend lets a test act while a snapshot is taken, or while it is put on disk.
type slowBackend struct {
	sandbox.Backend
	taken  chan chan struct{} // each checkpoint sends what it waits for
	onDisk string             // name of a pipe in the state that must be written before it can be read
}

type slowBox struct {
	sandbox.Sandbox
	b *slowBackend
}

func (b *slowBackend) Restore(ctx context.Context, spec sandbox.Spec, from sandbox.From) (sandbox.Sandbox, error) {
	box, err := b.Backend.Restore(ctx, spec, from)
	if err != nil {
		return nil, err
	}
	return slowBox{box, b}, nil
}

func (b slowBox) Checkpoint(ctx context.Context, dir string) (time.Duration, error) {
	if b.b.taken != nil {
		goOn := make(chan struct{})
		b.b.taken <- goOn
		<-goOn
	}
	d, err := b.Sandbox.Checkpoint(ctx, dir)
	if err == nil && b.b.onDisk != "" {
		err = syscall.Mkfifo(filepath.Join(dir, b.b.onDisk), 0o600)
	}
	return d, err
}

// The agent's loop saves while the model thinks: code that comes meanwhile
// waits until the state is taken.
func TestExecutionDuringASnapshotWaits(t *testing.T) {
	b := &slowBackend{Backend: fake.New(fake.Config{Program: newToy}), taken: make(chan chan struct{})}
	m := backendManager(t, Config{Dir: t.TempDir(), Backend: b, MaxSessions: 8})
	s := create(t, m, toyOptions(t))
	eval(t, s, "x = 1")
	snapped, ran := make(chan Snapshot, 1), make(chan error, 1)
	go func() {
		snap, err := s.Snapshot(t.Context())
		if err != nil {
			t.Error(err)
		}
		snapped <- snap
	}()
	goOn := <-b.taken
	go func() {
		_, err := s.Execute(t.Context(), "x = 2", Exec{}, event.Discard)
		ran <- err
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := s.Execute(ctx, "x = 3", Exec{}, event.Discard); fault.KindOf(err) != fault.Canceled {
		t.Errorf("one that does not wait so long: %v", err)
	}
	select {
	case err := <-ran:
		t.Fatalf("it ran while the state was taken: %v", err)
	default:
	}
	close(goOn)
	if err := <-ran; err != nil {
		t.Fatal(err)
	}
	snap := <-snapped
	want(t, s, "x", "2")
	if err := s.Rollback(t.Context(), snap.ID); err != nil {
		t.Fatal(err)
	}
	want(t, s, "x", "1")
}

// Once the state is written, code runs while the snapshot is hashed and synced.
// What the session goes back to is the newest state, not the one named last.
func TestExecutionRunsWhileASnapshotIsNamed(t *testing.T) {
	b := &slowBackend{Backend: fake.New(fake.Config{Program: newToy}), onDisk: "pipe"}
	m := backendManager(t, Config{Dir: t.TempDir(), Backend: b, MaxSessions: 8})
	s := create(t, m, toyOptions(t))
	eval(t, s, "x = 1")
	done := make(chan error, 1)
	go func() {
		_, err := s.Snapshot(t.Context())
		done <- err
	}()
	// Opening the pipe to write waits for the one who reads it to hash it.
	var pipe *os.File
	for pipe == nil {
		found, err := filepath.Glob(filepath.Join(m.snapshots.dir, ".tmp-*", "state", "pipe"))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 1 {
			if pipe, err = os.OpenFile(found[0], os.O_WRONLY, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	eval(t, s, "x = 2")
	select {
	case err := <-done:
		t.Fatalf("the snapshot is done already: %v", err)
	default:
	}
	if err := pipe.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil { // a pipe cannot be synced
		t.Error("it was named without being on disk")
	}
	noTemp(t, m)
	want(t, s, "x", "2")
}

func TestNewestStateCounts(t *testing.T) {
	m := toyManager(t, t.TempDir())
	s := create(t, m, toyOptions(t))
	snaps := take(t, s, "1", "2")
	if err := s.Rollback(t.Context(), snaps[0].ID); err != nil {
		t.Fatal(err)
	}
	if out, err := s.Execute(t.Context(), "die", Exec{}, event.Discard); err != nil || out.State != event.Restored {
		t.Fatalf("got %+v, %v", out, err)
	}
	want(t, s, "x", "1")
}

func TestFromSnapshot(t *testing.T) {
	dir := t.TempDir()
	m := toyManager(t, dir)
	seed := int64(3)
	seeded := toyOptions(t)
	seeded.Seed = &seed
	opt := toyOptions(t)
	opt.Limits.Memory = 1 << 28
	plain, fixed := create(t, m, opt), create(t, m, seeded)
	a, b := take(t, plain, "1")[0], take(t, fixed, "2")[0]
	if a.Deterministic || !b.Deterministic {
		t.Errorf("deterministic: %v and %v", a.Deterministic, b.Deterministic)
	}
	m = toyManager(t, dir) // another process
	s, err := m.FromSnapshot(t.Context(), a.ID, Options{}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want(t, s, "x", "1")
	if s.Options().Limits.Memory != 1<<28 {
		t.Errorf("its limits are %+v", s.Options().Limits)
	}
	if o, _ := s.Origin(); o != Saved {
		t.Errorf("it is %s", o)
	}
	f, err := m.FromSnapshot(t.Context(), b.ID, Options{Image: seeded.Image, Seed: &seed}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want(t, f, "reseeds", "0")
	if again := take(t, f, "3")[0]; !again.Deterministic {
		t.Error("its snapshot is not deterministic")
	}
	other := toyOptions(t).Image
	other.ID, other.Root = "other", "/other"
	for name, tt := range map[string]struct {
		id   string
		opt  Options
		kind fault.Kind
	}{
		"no such":           {"00000000000000000000000000000000", Options{}, fault.NotFound},
		"no name":           {"../x", Options{}, fault.Invalid},
		"another image":     {a.ID, Options{Image: other}, fault.Conflict},
		"a seed for none":   {a.ID, Options{Seed: &seed}, fault.Conflict},
		"no seed for one":   {b.ID, Options{}, fault.Conflict},
		"another disk size": {a.ID, Options{Limits: event.Limits{Disk: 1 << 20}}, fault.Conflict},
	} {
		if s, err := m.FromSnapshot(t.Context(), tt.id, tt.opt, event.Discard); fault.KindOf(err) != tt.kind {
			t.Errorf("%s: %v", name, err)
			if s != nil {
				s.Close()
			}
		}
	}
}

func TestChangedFiles(t *testing.T) {
	m := toyManager(t, t.TempDir())
	s := create(t, m, toyOptions(t))
	request := func(code string, x Exec) event.Execution {
		t.Helper()
		out, err := s.Execute(t.Context(), code, x, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := request("touch /work/a", Exec{Changes: true}); len(out.Changes) != 1 || out.Changes[0] != (event.Change{Path: "/work/a", Kind: "created", Bytes: 3}) {
		t.Errorf("got %+v", out)
	}
	if out := request("touch /work/a", Exec{}); out.Changes != nil {
		t.Errorf("without being asked: %+v", out)
	}
	if out := request("die", Exec{Changes: true}); out.Changes != nil || out.Unlisted == "" || out.State != event.Fresh || out.StateNote == "" || !strings.HasSuffix(out.Message, "; "+out.StateNote) {
		t.Errorf("of a dead sandbox: %+v", out)
	}
	if out := request("die", Exec{}); out.Unlisted != "" {
		t.Errorf("of a dead sandbox, without being asked: %+v", out)
	}
	// A guest that tells of files elsewhere broke the protocol.
	if out := request("touch /etc/passwd", Exec{Changes: true}); out.Status != event.Crashed || out.State != event.Fresh || out.Changes != nil {
		t.Errorf("of a lying guest: %+v", out)
	}
}

// Variables that went away while nothing ran would be missed by the next
// command only, when the whole state is gone: such a state is not saved.
func TestUnreportedLossIsNotSaved(t *testing.T) {
	dir := t.TempDir()
	m := toyManager(t, dir)
	n, err := m.OpenNamed(t.Context(), "work", toyOptions(t), event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	eval(t, n.Session, "x = 1")
	head, err := n.Save(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	eval(t, n.Session, "lose")
	_, err = n.Save(t.Context(), "")
	if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "the variables were lost") || n.Head() != head {
		t.Fatalf("saved with head %s: %v", n.Head(), err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "snapshots", "*")); err != nil || len(left) != 1 {
		t.Errorf("snapshots: %v, %v", left, err)
	}
	if err := n.Rollback(t.Context(), head); err != nil {
		t.Fatal(err)
	}
	want(t, n.Session, "x", "1")
	eval(t, n.Session, "lose")
	if out, err := n.Execute(t.Context(), "x = 2", Exec{}, event.Discard); err != nil || out.State != event.Lost {
		t.Fatalf("told %+v, %v", out, err)
	}
	if id, err := n.Save(t.Context(), ""); err != nil || id == head {
		t.Errorf("who was told cannot save: %s, %v", id, err)
	}
}
