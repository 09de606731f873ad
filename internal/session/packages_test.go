package session

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image"
)

// addition is packages by name, as the image store resolves them.
func addition(names ...string) image.Addition {
	a := image.Addition{Folder: "/home/user/.packages", Files: fstest.MapFS{}, Bytes: 1 << 10}
	for _, name := range names {
		a.New = append(a.New, image.Package{Name: name, Version: "1.0", Hash: "sha256:" + strings.Repeat("0", 64)})
		a.Files.(fstest.MapFS)[name+".py"] = &fstest.MapFile{Data: []byte("N = 1")}
	}
	return a
}

// names are those of packages.
func names(packages []image.Package) string {
	var out []string
	for _, p := range packages {
		out = append(out, p.Name)
	}
	return strings.Join(out, " ")
}

// TestAddedPackages checks that a session which goes on has what was added and its
// variables, and that snapshots, forks and rollbacks say truly what they have.
func TestAddedPackages(t *testing.T) {
	m := toyManager(t, t.TempDir())
	s := create(t, m, toyOptions(t))
	eval(t, s, "x = 1")
	before, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AddPackages(t.Context(), addition("polars"), nil); err != nil {
		t.Fatal(err)
	}
	want(t, s, "x", "1")
	want(t, s, "found", "/home/user/.packages")
	child, err := s.Fork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	after, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AddPackages(t.Context(), addition("plotly"), s.Added()); err != nil {
		t.Fatal(err)
	}
	if got := names(s.Added()) + ", " + names(child.Added()); got != "polars plotly, polars" {
		t.Errorf("the session and its fork have %s", got)
	}
	for _, c := range []struct{ id, want string }{{before.ID, ""}, {after.ID, "polars"}} {
		if err := s.Rollback(t.Context(), c.id); err != nil {
			t.Fatal(err)
		}
		if got := names(s.Added()); got != c.want {
			t.Errorf("after a rollback the session has %q, want %q", got, c.want)
		}
		again, err := m.FromSnapshot(t.Context(), c.id, Options{}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if got := names(again.Added()); got != c.want {
			t.Errorf("a session of the snapshot has %q, want %q", got, c.want)
		}
	}
	if err := s.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.AddPackages(t.Context(), addition("plotly"), nil); fault.KindOf(err) != fault.Conflict {
		t.Errorf("packages that were resolved for another state: %v", err)
	}
	if got := names(s.Added()); got != "polars" {
		t.Errorf("after a pause the session has %q", got)
	}
	if err := s.AddPackages(t.Context(), addition("plotly"), s.Added()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Execute(t.Context(), "die", Exec{}, event.Discard); err != nil {
		t.Fatal(err)
	}
	if got := names(s.Added()); got != "polars" {
		t.Errorf("a session that died and went back has %q", got)
	}
}

// TestPackagesThatDoNotFit checks that what cannot be copied leaves nothing.
func TestPackagesThatDoNotFit(t *testing.T) {
	s := create(t, toyManager(t, t.TempDir()), toyOptions(t))
	large := addition("polars")
	large.Bytes = s.opt.Limits.Disk + 1
	if err := s.AddPackages(t.Context(), large, nil); fault.KindOf(err) != fault.Exhausted || fault.RemedyOf(err) == "" {
		t.Errorf("packages larger than the disk: %v", err)
	}
	eval(t, s, "disk = full")
	if err := s.AddPackages(t.Context(), addition("polars"), nil); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("a disk that is full: %v", err)
	}
	want(t, s, "removed", "/home/user/.packages/polars.py ")
	want(t, s, "found", "")
	if len(s.Added()) != 0 {
		t.Errorf("the session has %v", s.Added())
	}
}

// TestGuestThatIsNotRefreshed checks that a guest which does not answer when it is
// given packages is ended, and that the session goes back to what it says it has.
func TestGuestThatIsNotRefreshed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := create(t, toyManager(t, t.TempDir()), toyOptions(t))
		eval(t, s, "x = 1")
		if _, err := s.Snapshot(t.Context()); err != nil {
			t.Fatal(err)
		}
		eval(t, s, "mute = yes")
		if err := s.AddPackages(t.Context(), addition("polars"), nil); err == nil {
			t.Error("a guest that does not answer has packages")
		}
		out, err := s.Execute(t.Context(), "x", Exec{}, event.Discard)
		if err != nil || out.State != event.Restored {
			t.Fatalf("%+v, %v", out, err)
		}
		want(t, s, "x", "1")
		if got := names(s.Added()); got != "" {
			t.Errorf("the session has %q", got)
		}
	})
}

// TestNamedPackages checks that the description of a named session says what was
// added where it stands, also for a fork and after a rollback.
func TestNamedPackages(t *testing.T) {
	m := toyManager(t, t.TempDir())
	inNamed(t, m, "a", "x = 1")
	n, err := m.OpenNamed(t.Context(), "a", Options{}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	added := addition("polars")
	if err := n.AddPackages(t.Context(), added, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Save(t.Context(), "add polars"); err != nil {
		t.Fatal(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if err := m.ForkNamed(t.Context(), "a", "b"); err != nil {
		t.Fatal(err)
	}
	if _, err := m.RollbackNamed(t.Context(), "a", ""); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]image.Package{"a": nil, "b": added.New} {
		info, err := m.LookupNamed(name)
		if err != nil || !slices.Equal(info.Added(), want) {
			t.Errorf("session %s has %v, %v, want %v", name, info.Added(), err, want)
		}
		n, err := m.OpenNamed(t.Context(), name, Options{}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(n.Added(), want) {
			t.Errorf("session %s was opened with %v, want %v", name, n.Added(), want)
		}
		if err := n.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
