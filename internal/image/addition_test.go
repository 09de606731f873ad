package image

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"praxis/fault"
)

// TestAdd checks that packages for a session are resolved with what it has: that
// stays as it is and is not laid out again, what contradicts it is named, and what
// was resolved once needs no index.
func TestAdd(t *testing.T) {
	s, _ := sharedStore(t)
	ix := newIndex(t)
	ix.wheel(t, "atoms", "1.0", anyTag, map[string]string{"atoms.py": "N = 1\n"})
	img, err := s.Resolve(t.Context(), Request{With: []string{"atoms"}}, &collectSink{})
	if err != nil {
		t.Fatal(err)
	}
	ix.wheel(t, "atoms", "2.0", anyTag, map[string]string{"atoms.py": "N = 2\n"})
	molecule := ix.wheel(t, "molecule", "3.1", anyTag, map[string]string{"molecule.py": "import atoms\n"}, "Requires-Dist: atoms")
	ix.wheel(t, "newer", "1.0", anyTag, map[string]string{"newer.py": ""}, "Requires-Dist: atoms>=2")

	with := func(names ...string) Request { return Request{With: names} }
	add := func(req Request, added ...Package) (Addition, *collectSink) {
		t.Helper()
		sink := &collectSink{}
		a, err := s.Add(t.Context(), img, added, req, sink)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		})
		return a, sink
	}
	want := []Package{{"molecule", "3.1", "sha256:" + molecule}}
	first, _ := add(with("molecule", "Atoms"))
	if !slices.Equal(first.New, want) || !slices.Equal(first.Present, img.Packages) || first.Bytes == 0 || first.Folder != "/home/user/.packages" {
		t.Errorf("got %+v, want new %v and present %v", first, want, img.Packages)
	}
	for name, there := range map[string]bool{"molecule.py": true, "molecule-3.1.dist-info/METADATA": true, "__pycache__/molecule.cpython-314.pyc": true, "atoms.py": false} {
		if _, err := fs.Stat(first.Files, name); (err == nil) != there {
			t.Errorf("%s: %v, want there: %v", name, err, there)
		}
	}

	for _, c := range []struct{ what, want string }{
		{"newer", "newer 1.0 depends on atoms>=2; the session has atoms==1.0"},
		{"atoms==2.0", "The user requested atoms==2.0; the session has atoms==1.0"},
	} {
		_, err := s.Add(t.Context(), img, nil, with(c.what), &collectSink{})
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), c.want) || fault.RemedyOf(err) == "" {
			t.Errorf("%s: %v, want a fault that says %q", c.what, err, c.want)
		}
	}
	if _, err := s.Add(t.Context(), img, want, with("molecule==3.0"), &collectSink{}); fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.NotFound {
		t.Errorf("another version of what was added: %v", err)
	}
	if _, err := s.Add(t.Context(), img, nil, with("/etc/passwd"), &collectSink{}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("no package: %v", err)
	}
	if _, err := s.Add(t.Context(), img, nil, Request{}, &collectSink{}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("nothing: %v", err)
	}
	if got, _ := add(with("atoms>=1")); got.Files != nil || len(got.New) != 0 || !slices.Equal(got.Present, img.Packages) {
		t.Errorf("what is there fits: %+v", got)
	}

	ix.Close()
	for _, c := range []struct {
		req   Request
		added []Package
		new   int
	}{{with("molecule", "atoms"), nil, 1}, {with("atoms"), nil, 0}, {with("molecule", "atoms"), want, 0}} {
		if got, sink := add(c.req, c.added...); len(got.New) != c.new || len(sink.lines) != 0 {
			t.Errorf("%v without an index: %+v, %q", c.req, got, sink.lines)
		}
	}
	img.Runtimes[0].Version = "3.13"
	if _, err := s.Add(t.Context(), img, nil, with("molecule"), &collectSink{}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("an image with another Python: %v", err)
	}
}

// TestAddedLayerGoes checks that packages of a session are not stored unpacked once it has
// them, unless an image has the same, and that the wheels are enough to add them again.
func TestAddedLayerGoes(t *testing.T) {
	s, _ := sharedStore(t)
	ix := newIndex(t)
	ix.wheel(t, "guesthouse", "1.0", anyTag, map[string]string{"guesthouse.py": "N = 1\n"})
	img, err := s.Resolve(t.Context(), Request{}, &collectSink{})
	if err != nil {
		t.Fatal(err)
	}
	layers := func() int {
		entries, err := os.ReadDir(filepath.Join(s.dir, kindLayer))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	before := layers()
	for i, image := range []bool{false, false, true} {
		var open []Addition
		for range 2 {
			a, err := s.Add(t.Context(), img, nil, Request{With: []string{"guesthouse"}}, &collectSink{})
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, a)
		}
		if i == 0 {
			ix.Close() // what follows needs no index
		}
		if image {
			if _, err := s.Resolve(t.Context(), Request{With: []string{"guesthouse"}}, &collectSink{}); err != nil {
				t.Fatal(err)
			}
		}
		for n, a := range open {
			if _, err := fs.Stat(a.Files, "guesthouse.py"); err != nil {
				t.Errorf("round %d, addition %d: %v", i, n, err)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if want := before + map[bool]int{true: 1}[image]; layers() != want {
			t.Errorf("round %d: %d layers are left, want %d", i, layers(), want)
		}
	}
}
