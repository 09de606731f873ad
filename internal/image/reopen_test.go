package image

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"praxis/fault"
)

// TestNameOfSeveralBuilds makes two images of one name, as an update of Praxis does, and
// takes the newer one's parts away: the name leads to the newest build that can be used.
func TestNameOfSeveralBuilds(t *testing.T) {
	s := open(t, t.TempDir())
	// What the interpreter is and what is in a root file system does not matter here.
	build := func(root string) Image {
		t.Helper()
		i := interpreter{python: makeFolder(t, s, kindPython, "python"), root: makeFolder(t, s, kindRoot, root)}
		img, err := s.finish(t.Context(), imageParts{py: i, contents: contents{first: languageName}}, []string{"python"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	first, second := build("1"), build("2")
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
	if err := os.RemoveAll(filepath.Join(s.dir, kindRoot, "2")); err != nil {
		t.Fatal(err)
	}
	wanted("after the update was taken back", first)
	if img, err := s.Reopen(t.Context(), second.ID); fault.KindOf(err) != fault.NotFound {
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

// makeFolder makes a part that holds one file, with the key as its text.
func makeFolder(t *testing.T, s *Store, kind, key string) part {
	t.Helper()
	p, err := s.makePart(t.Context(), kind, key, func(string) {}, func(_ context.Context, dir string) error {
		tree := filepath.Join(dir, treeDir)
		if err := os.Mkdir(tree, 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(tree, "file"), []byte(key), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
