package image

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"praxis/event"
)

// sealed says whether the files of an image's layer are the very ones that were sealed,
// so that nobody has to read them again.
func sealed(s *Store, layer string) error {
	return s.seals.Check(s.folder(kindLayer, layer), func() error { return errors.New("its files are not those that were sealed") })
}

func sameInode(t *testing.T, a, b string) bool {
	t.Helper()
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	return os.SameFile(x, y)
}

// TestLinkOver puts links to files in the place of others: only to those that are the very
// same, and not to what leads to such a file or has other rights.
func TestLinkOver(t *testing.T) {
	for name, c := range map[string]struct {
		make func(path string) error
		want bool
	}{
		"the same": {func(path string) error { return os.WriteFile(path, []byte("data"), 0o644) }, true},
		"others":   {func(path string) error { return os.WriteFile(path, []byte("evil"), 0o644) }, false},
		"other rights": {func(path string) error {
			return errors.Join(os.WriteFile(path, []byte("data"), 0o644), os.Chmod(path, 0o4755))
		}, false},
		"a link": {func(path string) error {
			return errors.Join(os.WriteFile(path+".to", []byte("data"), 0o644), os.Symlink(path+".to", path))
		}, false},
		"a broken link": {func(path string) error { return os.Symlink("nowhere", path) }, false},
		"a pipe":        {func(path string) error { return unix.Mkfifo(path, 0o644) }, false},
		"nothing":       {func(string) error { return nil }, false},
	} {
		dir := t.TempDir()
		from, path := filepath.Join(dir, "from"), filepath.Join(dir, "path")
		if err := errors.Join(c.make(from), os.WriteFile(path, []byte("data"), 0o644)); err != nil {
			t.Fatal(err)
		}
		err := linkOver(from, path)
		st, errStat := os.Lstat(path)
		left, errList := filepath.Glob(filepath.Join(dir, ".link-*"))
		if err := errors.Join(err, errStat, errList); err != nil || !st.Mode().IsRegular() || len(left) > 0 {
			t.Fatalf("%s: %v, left are %v", name, err, left)
		}
		theirs, err := os.Lstat(from)
		if got := err == nil && os.SameFile(theirs, st); got != c.want {
			t.Errorf("%s: linked: %t", name, got)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != "data" {
			t.Errorf("%s: it holds %q, %v", name, data, err)
		}
	}
}

// TestLayersShareFiles makes images with a wheel in common: its files are there once, each
// layer is as it was sealed, a change is found in all of them, and removing one image
// leaves the others whole.
func TestLayersShareFiles(t *testing.T) {
	s, _ := sharedStore(t)
	ix := newIndex(t)
	ix.wheel(t, "shared", "1.0", anyTag, map[string]string{"shared/__init__.py": "N = 1\n", "shared/data.bin": "some data", "shared/empty": ""})
	for _, name := range []string{"alpha", "beta", "gamma"} {
		ix.wheel(t, name, "1.0", anyTag, map[string]string{name + ".py": "import shared\n"}, "Requires-Dist: shared")
	}
	layers := map[string]string{}
	build := func(name string) Image {
		img, err := s.Resolve(t.Context(), Request{With: []string{name}}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.readRecord(img.ID)
		if err != nil {
			t.Fatal(err)
		}
		layers[name] = r.Layer
		return img
	}
	file := func(name, rel string) string { return filepath.Join(s.dir, kindLayer, layers[name], treeDir, rel) }
	alpha := build("alpha")
	build("beta")
	for rel, want := range map[string]bool{"shared/__init__.py": true, "shared/data.bin": true, "shared/empty": false} {
		if got := sameInode(t, file("alpha", rel), file("beta", rel)); got != want {
			t.Errorf("%s is shared: %t", rel, got)
		}
	}
	for name, layer := range layers {
		if err := sealed(s, layer); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	freed := links{}
	if bytes, err := freed.remove(filepath.Dir(file("alpha", "shared/data.bin"))); err != nil || bytes != 0 {
		t.Errorf("%d bytes would be free without the files that beta has, too (%v)", bytes, err)
	}
	// What goes with one image leaves the other as it was sealed.
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(t.Context(), alpha.ID); err != nil {
		t.Fatal(err)
	}
	if err := sealed(s, layers["beta"]); err != nil {
		t.Errorf("after alpha was removed: %v", err)
	}
	// A file that was changed is not taken over, and found where it is.
	if err := os.Chmod(file("beta", "shared/data.bin"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file("beta", "shared/data.bin"), []byte("evil data"), 0o644); err != nil {
		t.Fatal(err)
	}
	build("gamma")
	if sameInode(t, file("beta", "shared/data.bin"), file("gamma", "shared/data.bin")) || !sameInode(t, file("beta", "shared/__init__.py"), file("gamma", "shared/__init__.py")) {
		t.Error("the wrong files are shared with a layer that was changed")
	}
	if _, ok := s.findPart(t.Context(), kindLayer, layers["beta"]); ok {
		t.Error("the layer that was changed is taken for the one that was sealed")
	}
	if _, ok := s.findPart(t.Context(), kindLayer, layers["gamma"]); !ok || sealed(s, layers["gamma"]) != nil {
		t.Error("the new layer is not as it was sealed")
	}
	// A change to a file that is shared is found in every layer that has it.
	if err := os.WriteFile(file("gamma", "shared/__init__.py"), []byte("N = 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-time.Hour)
	if err := os.Chtimes(file("gamma", "shared/__init__.py"), then, then); err != nil {
		t.Fatal(err)
	}
	for name, layer := range layers {
		if _, ok := s.findPart(t.Context(), kindLayer, layer); ok && name != "alpha" {
			t.Errorf("a file of %s was changed, and nobody finds it", name)
		}
	}
}
