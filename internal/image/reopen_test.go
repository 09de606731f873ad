package image

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
)

// TestNameOfSeveralBuilds updates the host, takes the update back, and makes
// another: the name of an image leads to the newest build that the host can use.
func TestNameOfSeveralBuilds(t *testing.T) {
	onlyAMD64(t)
	s := open(t, t.TempDir())
	s.host = fakeHost(t, debian()...)
	// What the interpreter is does not matter here.
	_, err := s.makePart(t.Context(), kindPython, pythonKey(), func(string) {}, func(_ context.Context, dir string) error {
		return os.Mkdir(filepath.Join(dir, treeDir), 0o755)
	})
	if err != nil {
		t.Fatal(err)
	}
	release := filepath.Join(s.host, "usr/lib/os-release")
	install := func(version string) {
		t.Helper()
		if err := os.WriteFile(release, []byte(version), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := func() Image {
		t.Helper()
		img, err := s.Resolve(t.Context(), Request{}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	install("1")
	first := build()
	install("2")
	second := build()
	if first.ID == second.ID || first.Name != second.Name {
		t.Fatalf("images %+v and %+v", first, second)
	}
	// A record knows seconds; its lease says which of two within one is newer.
	later := time.Now().Add(time.Second)
	if err := os.Chtimes(s.leasePath(second.ID), later, later); err != nil {
		t.Fatal(err)
	}
	wanted := func(what string, want Image) {
		t.Helper()
		if got, err := s.Reopen(t.Context(), want.Name); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", what, got, err, want)
		}
	}
	wanted("after the update", second)
	install("1")
	wanted("after the update was taken back", first)
	install("3")
	if img, err := s.Reopen(t.Context(), first.Name); fault.KindOf(err) != fault.Conflict {
		t.Errorf("on a host that no build is of: %+v, %v", img, err)
	}
	if img, err := s.Reopen(t.Context(), first.ID); fault.KindOf(err) != fault.Conflict {
		t.Errorf("by its ID: %+v, %v", img, err)
	}
	// What is removed is named without doubt.
	if err := s.Remove(t.Context(), first.Name); fault.KindOf(err) != fault.Conflict {
		t.Errorf("Remove: %v", err)
	}
	if info, err := s.Find(t.Context(), first.Name); fault.KindOf(err) != fault.Conflict {
		t.Errorf("Find: %+v, %v", info, err)
	}
}
