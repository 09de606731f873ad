package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/config"
	"praxis/internal/image"
	"praxis/internal/test/toy"
)

// cached is an image store with two images, each a file of a megabyte, of which a is
// the longer unused.
type cached struct {
	toy.Images
	home string
}

func (c cached) path(name string) string { return filepath.Join(c.home, "images", name) }

// Collect removes the files of images that are old enough, as the store does.
func (c cached) Collect(_ context.Context, q image.Collect) (image.Collected, error) {
	var out image.Collected
	for _, name := range []string{"a", "b"} {
		st, err := os.Stat(c.path(name))
		if err != nil || time.Since(st.ModTime()) < q.OlderThan {
			continue
		}
		if !q.DryRun {
			if err := os.Remove(c.path(name)); err != nil {
				return out, err
			}
		}
		out.Images = append(out.Images, image.RemovedImage{Info: image.Info{Name: name, Used: st.ModTime()}, Freed: st.Size()})
		out.Bytes += st.Size()
	}
	return out, nil
}

// TestHomeQuota fills a data folder: what can be made again goes, the longest unused
// first and no more than is needed; what cannot stays, and the command is refused.
func TestHomeQuota(t *testing.T) {
	a := toyApp(t, nil)
	images := cached{home: a.opt.Config.Home}
	a.opt.Parts.ImageFiles = images
	ctx := t.Context()
	run := func(code string) error {
		_, err := a.RunCode(ctx, CodeRequest{Code: code, Session: SessionSpec{Name: "work"}}, event.Discard)
		return err
	}
	if err := run("set x"); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(images.path(""), 0o755); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-48 * time.Hour)
	for name, used := range map[string]time.Time{"a": old, "b": old.Add(time.Hour)} {
		if err := os.WriteFile(images.path(name), []byte(strings.Repeat("x", 1<<20)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(images.path(name), used, used); err != nil {
			t.Fatal(err)
		}
	}
	before, err := a.Usage(ctx)
	if err != nil {
		t.Fatal(err)
	}
	there := func() (names string) {
		for _, name := range []string{"a", "b"} {
			if _, err := os.Stat(images.path(name)); err == nil {
				names += name
			}
		}
		return names
	}
	for _, step := range []struct {
		over int64 // what the quota is lower by than the folder was large
		left string
		full bool
	}{{-4 << 20, "ab", false}, {1 << 19, "b", false}, {1<<20 + 1<<19, "", false}, {before.Bytes - 4096, "", true}} {
		a.opt.Config.HomeQuota, a.home = before.Bytes-step.over, measured{}
		s, err := a.OpenSession(ctx, SessionSpec{}, event.Discard)
		if err == nil {
			err = s.Close()
		}
		if full := fault.CodeOf(err) == fault.HomeFull; full != step.full || !full && err != nil || there() != step.left {
			t.Errorf("%d bytes over the quota: %v, and %q is left", step.over, err, there())
		}
	}
	log, err := a.SessionLog(ctx, "work")
	if err != nil || len(log) != 1 {
		t.Errorf("%d steps of the session are left, %v", len(log), err)
	}
	// What was computed is saved all the same, and the next session is refused.
	a.opt.Config.HomeQuota = 0
	s, err := a.OpenSession(ctx, SessionSpec{Name: "work"}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	a.opt.Config.HomeQuota, a.home = 4096, measured{}
	if _, err := s.Save(ctx, "step"); err != nil {
		t.Errorf("a step that does not fit: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.OpenSession(ctx, SessionSpec{Name: "work"}, event.Discard); fault.CodeOf(err) != fault.HomeFull || fault.KindOf(err) != fault.Exhausted {
		t.Errorf("a session whose next step does not fit: %v", err)
	}
}

// TestUsage counts a file with two names once, and not what sandboxes have.
func TestUsage(t *testing.T) {
	a := toyApp(t, nil)
	home := a.opt.Config.Home
	for _, dir := range []string{"images", "chunks", "run"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "images", "one"), make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "run", "disk"), make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(home, "images", "one"), filepath.Join(home, "images", "two")); err != nil {
		t.Fatal(err)
	}
	got, err := a.Usage(t.Context())
	if err != nil || got.Bytes < 1<<20 || got.Bytes >= 2<<20 || len(got.Folders) == 0 || got.Folders[0].Name != "images" ||
		slices.ContainsFunc(got.Folders, func(f FolderUsage) bool { return f.Name == "run" }) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestReplayableStaysUnderAQuota checks that a state stays that a recorded run begins
// with, where another of the same age goes.
func TestReplayableStaysUnderAQuota(t *testing.T) {
	a := toyApp(t, nil)
	a.opt.Parts.ImageFiles = cached{home: a.opt.Config.Home}
	ctx := t.Context()
	var ids []string
	for _, code := range []string{"set x", "set y", "set z"} {
		out, err := a.RunCode(ctx, CodeRequest{Code: code, Session: SessionSpec{Name: "work"}}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, out.Snapshot)
	}
	// The session is gone, and the last state is one that no run begins with.
	if _, err := a.PruneSessions(ctx, PruneRequest{Keep: 1}); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(a.opt.Config.Home, "sessions", "work")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	a.opt.Config.HomeQuota = 4096
	if err := a.makeSpace(ctx, 0); fault.CodeOf(err) != fault.HomeFull {
		t.Errorf("got %v", err)
	}
	for i, id := range ids {
		_, err := os.Stat(filepath.Join(a.opt.Config.Home, "snapshots", id))
		if (err == nil) != (i < 2) {
			t.Errorf("state %d: %v", i, err)
		}
	}
}

func TestPruneRequestRetention(t *testing.T) {
	c := Config{Sessions: config.Sessions{Keep: 7, KeepFor: time.Hour}}
	day := 24 * time.Hour
	for _, x := range []struct {
		q    PruneRequest
		want Retention
	}{
		{PruneRequest{}, Retention{Keep: 7, For: time.Hour}},
		{PruneRequest{Keep: 3}, Retention{Keep: 3}},
		{PruneRequest{OlderThan: &day}, Retention{Keep: 1, For: day}},
		{PruneRequest{Keep: 3, OlderThan: &day}, Retention{Keep: 3, For: day}},
	} {
		if got, err := x.q.retention(c); err != nil || got != x.want {
			t.Errorf("%+v: got %+v, %v", x.q, got, err)
		}
	}
	if _, err := (PruneRequest{Keep: -1}).retention(c); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a negative number: %v", err)
	}
}
