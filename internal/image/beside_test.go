package image

import (
	"archive/tar"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/test/container"
)

// arch is how wheels call the architecture of the test.
var arch = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[goarch]

// glibcPython are the files of an image with CPython 3.12.7 and a C library of glibc's, by
// which it is known which wheels it takes.
func glibcPython(more ...container.Entry) []container.Entry {
	out := fakePython("3.12")
	out[0].Text = program("/lib64/ld-linux-test.so.2")
	return append(append(out,
		container.Entry{Name: "usr/local/include/python3.12/patchlevel.h", Text: "#define PY_VERSION             \"3.12.7\"\n"},
		container.Entry{Name: "lib64", Kind: tar.TypeSymlink, Link: "usr/lib/gnu"},
		container.Entry{Name: "usr/lib/gnu/ld-linux-test.so.2", Text: "loader"},
		container.Entry{Name: "usr/lib/gnu/libc.so.6", Text: "\x7fELF..\x00GNU C Library (Debian GLIBC 2.31-13+deb11u11) stable release version 2.31.\n\x00"},
		container.Entry{Name: "usr/local/lib/python3.12/site-packages/atoms-1.0.dist-info/METADATA", Text: "Name: atoms\n"},
		container.Entry{Name: "usr/local/lib/python3.12/site-packages/odd-1.0~x.dist-info/METADATA"},
	), more...)
}

// program is the file of one that names its loader, behind much else.
func program(loader string) string {
	h := make([]byte, 64+2*56)
	copy(h, fakePython("3.12")[0].Text[:20])
	h[5] = 1
	binary.LittleEndian.PutUint64(h[32:], 64)
	binary.LittleEndian.PutUint16(h[54:], 56)
	binary.LittleEndian.PutUint16(h[56:], 2)
	at := 64 + 56 // the second segment
	binary.LittleEndian.PutUint32(h[at:], 3)
	binary.LittleEndian.PutUint64(h[at+8:], 100_000)
	binary.LittleEndian.PutUint64(h[at+32:], uint64(len(loader)+1))
	return string(h) + strings.Repeat("x", 100_000-len(h)) + loader + "\x00more"
}

// What is no program, or a damaged one, names no loader, and little of it is read.
func FuzzLoader(f *testing.F) {
	f.Add([]byte(program("/lib/ld-linux.so.2")))
	f.Add([]byte(program("/lib/ld-linux.so.2")[:150]))
	f.Add([]byte("\x7fELF"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := loaderOf(func(offset int64, n int) ([]byte, error) {
			if offset < 0 || n < 0 || n > 1<<20 {
				t.Fatalf("reads %d bytes at %d", n, offset)
			}
			return data[min(offset, int64(len(data))):min(offset+int64(n), int64(len(data)))], nil
		})
		if len(got) > maxLoader {
			t.Errorf("got %q", got)
		}
	})
}

// importAs takes an image into a store.
func importAs(t *testing.T, s *Store, name string, env []string, entries ...container.Entry) Image {
	t.Helper()
	file := filepath.Join(t.TempDir(), "image.tar")
	container.Image{Layers: [][]byte{container.Layer(t, entries...)}, Config: map[string]any{"Env": append([]string{"PATH=/usr/local/bin:/bin"}, env...)}}.Build(t).Save(t, file, name)
	img, err := s.Import(t.Context(), Import{Path: file}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// layerTree is the folder of an image's packages on the host.
func layerTree(t *testing.T, img Image) string {
	t.Helper()
	for _, m := range img.Mounts {
		if m.Target == guestPackages {
			return m.Source
		}
	}
	t.Fatalf("image %s has no packages: %+v", img.Name, img.Mounts)
	return ""
}

func names(packages []Package) string {
	var out []string
	for _, p := range packages {
		out = append(out, p.Name+" "+p.Version)
	}
	return strings.Join(out, ", ")
}

// Packages beside an image's own Python are those for its version and its C library, with
// what markers say of it; what it has stays. They come back without the index, also where
// the image travels, and sessions are given more of them.
func TestPackagesForOwnPython(t *testing.T) {
	s, _ := sharedStore(t)
	ix := newIndex(t)
	plain := importAs(t, s, "own:1", nil, glibcPython()...)
	for _, tag := range []string{"cp312-cp312-manylinux_2_28_" + arch, "cp312-cp312-manylinux_2_36_" + arch, "cp314-cp314-manylinux_2_28_" + arch, "cp312-cp312-musllinux_1_2_" + arch} {
		ix.wheel(t, "fast", "1.0", tag, map[string]string{"fast.py": "TAG = '" + tag + "'\n"},
			"Requires-Python: >=3.12.5", "Requires-Dist: atoms", `Requires-Dist: backport; python_version < "3.13"`, `Requires-Dist: forward; python_full_version > "3.12.7"`)
	}
	for _, version := range []string{"1.0", "2.0"} {
		ix.wheel(t, "atoms", version, anyTag, map[string]string{"atoms.py": ""})
	}
	ix.wheel(t, "backport", "1.1", anyTag, map[string]string{"backport.py": ""})
	ix.wheel(t, "forward", "1.1", anyTag, map[string]string{"forward.py": ""})
	ix.wheel(t, "newer", "1.0", anyTag, map[string]string{"newer.py": ""}, "Requires-Dist: atoms>=2")
	ix.wheel(t, "told", "1.0", anyTag, map[string]string{"told.py": "", "told-1.0.dist-info/entry_points.txt": "[console_scripts]\ntold = told:main\n"})

	req := Request{Image: "own:1", With: []string{"fast", "told"}}
	if _, err := s.Lookup(t.Context(), req); fault.CodeOf(err) != fault.ImageUnbuilt {
		t.Errorf("before it was built: %v", err)
	}
	img, err := s.Resolve(t.Context(), req, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	r := img.Runtimes[0]
	if got := names(img.Packages); got != "backport 1.1, fast 1.0, told 1.0" || img.Name != "own:1+fast+told" || img.Digest != plain.Digest {
		t.Errorf("got %s with %s", img.Name, got)
	}
	if r.Program != "/usr/local/bin/python3" || r.Version != "3.12" || !slices.Equal(r.Preload, []string{"fast", "told"}) || len(img.Mounts) != 1 {
		t.Errorf("got %+v and %+v", r, img.Mounts)
	}
	if path := variable(img.Env, "PATH", ""); !strings.Contains(path, ":/opt/packages/bin") {
		t.Errorf("programs are not found: %s", path)
	}
	tree := layerTree(t, img)
	text, err := os.ReadFile(filepath.Join(tree, "fast.py"))
	if want := "TAG = 'cp312-cp312-manylinux_2_28_" + arch + "'\n"; err != nil || string(text) != want {
		t.Errorf("got %q, %v, want %q", text, err, want)
	}
	if script, err := os.ReadFile(filepath.Join(tree, "bin/told")); err != nil || !strings.HasPrefix(string(script), "#!/usr/local/bin/python3\n") {
		t.Errorf("got %q, %v", script, err)
	}
	if _, err := os.Stat(filepath.Join(tree, "__pycache__")); err == nil {
		t.Error("bytecode of another Python is there")
	}
	if pth, err := os.ReadFile(filepath.Join(img.Root, "usr/local/lib/python3.12/site-packages/praxis.pth")); err != nil || string(pth) != packagesPth {
		t.Errorf("got %q, %v", pth, err)
	}

	hits := ix.requests()
	for _, name := range []string{"own:1", plain.ID, plain.Digest} {
		again, err := s.Resolve(t.Context(), Request{Image: name, With: req.With}, event.Discard)
		if err != nil || again.ID != img.ID {
			t.Errorf("%s: %s, %v", name, again.ID, err)
		}
	}
	if again, err := s.Lookup(t.Context(), req); err != nil || again.ID != img.ID {
		t.Errorf("%s, %v", again.ID, err)
	}
	if same, err := s.Resolve(t.Context(), Request{Image: "own:1", With: []string{"Atoms"}}, event.Discard); err != nil || same.ID != plain.ID || same.Name != "own:1" {
		t.Errorf("with what it has: %+v, %v", same, err)
	}
	if n := ix.requests() - hits; n != 0 {
		t.Errorf("%d requests were made again", n)
	}
	_, err = s.Resolve(t.Context(), Request{Image: "own:1", With: []string{"newer"}}, event.Discard)
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "newer 1.0 depends on atoms>=2; the image has atoms==1.0") {
		t.Errorf("got %v", err)
	}
	more, err := s.Resolve(t.Context(), Request{Image: img.Name, With: []string{"forward"}}, event.Discard)
	if err != nil || names(more.Packages) != "backport 1.1, fast 1.0, forward 1.1, told 1.0" || !slices.Equal(more.Runtimes[0].Preload, []string{"fast", "told", "forward"}) {
		t.Errorf("got %+v, %v", more, err)
	}
	a, err := s.Add(t.Context(), img, nil, Request{With: []string{"forward", "atoms"}}, event.Discard)
	if err != nil || names(a.New) != "forward 1.1" || names(a.Present) != "atoms 1.0" {
		t.Errorf("added %+v, %v", a, err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	exportedWithPackages(t, s, img)
	recipe, err := s.Recipe(t.Context(), more, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.Make(t.Context(), recipe, event.Discard); err != nil || again.ID != more.ID || again.Name != more.Name {
		t.Errorf("of its recipe: %s %s, %v, want %s %s", again.ID, again.Name, err, more.ID, more.Name)
	}
}

// exportedWithPackages exports an image, whose packages are layers of what is written.
func exportedWithPackages(t *testing.T, s *Store, img Image) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.tar")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Export(t.Context(), img.ID, out)
	if err = errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
	again, err := containerStore(t).Import(t.Context(), Import{Path: file, Name: "again"}, event.Discard)
	if err != nil || again.Runtimes[0].Program != img.Runtimes[0].Program || !strings.Contains(variable(again.Env, "PATH", ""), ":/opt/packages/bin") {
		t.Fatalf("got %+v, %v", again, err)
	}
	for _, name := range []string{"opt/packages/fast.py", "opt/packages/bin/told", "usr/local/lib/python3.12/site-packages/praxis.pth"} {
		if _, err := os.Stat(filepath.Join(again.Root, name)); err != nil {
			t.Error(err)
		}
	}
}

// What an image's files say of its Python.
func TestTargets(t *testing.T) {
	t.Parallel()
	s := containerStore(t)
	musl := fakePython("3.13")
	musl[0].Text = program("/lib/ld-musl-test.so.1")
	static := fakePython("3.11")
	environment := append(glibcPython(),
		container.Entry{Name: "opt/venv/bin/python3", Kind: tar.TypeSymlink, Link: "/usr/local/bin/python3"},
		container.Entry{Name: "opt/venv/pyvenv.cfg", Text: "home = /usr/local/bin\n"},
		container.Entry{Name: "opt/venv/lib/python3.12/site-packages/inner-2.0.dist-info/METADATA"})
	elf := fakePython("3.11")[0].Text
	debian := []container.Entry{
		{Name: "usr/bin/python3.11", Text: elf}, {Name: "usr/bin/python3", Kind: tar.TypeSymlink, Link: "python3.11"}, {Name: "usr/lib/python3.11/os.py"},
		{Name: "usr/lib/python3/dist-packages/six-1.16.0.egg-info"},
	}
	for name, c := range map[string]struct {
		env, path string
		entries   []container.Entry
		key       string
		there     string
		platforms []string
		pth       string
	}{
		"glibc": {"", "", glibcPython(), "cpython-3.12.7-glibc-31-" + goarch + `-"/usr/local/bin/python3"`, "atoms 1.0",
			[]string{"manylinux_2_31_" + arch, "manylinux2014_" + arch, "linux_" + arch}, "usr/local/lib/python3.12/site-packages"},
		"musl": {"PYTHON_VERSION=3.13.2", "", append(musl, container.Entry{Name: "lib/ld-musl-test.so.1", Text: "musl\x001.2.5\x00"}),
			"cpython-3.13.2-musl-2-" + goarch + `-"/usr/local/bin/python3"`, "", []string{"musllinux_1_2_" + arch, "musllinux_1_1_" + arch}, "usr/local/lib/python3.13/site-packages"},
		"static": {"PYTHON_VERSION=3.12.2", "", static, "cpython-3.11.0--0-" + goarch + `-"/usr/local/bin/python3"`, "", []string{"linux_" + arch}, "usr/local/lib/python3.11/site-packages"},
		"environment": {"", "PATH=/opt/venv/bin", environment, "cpython-3.12.7-glibc-31-" + goarch + `-"/opt/venv/bin/python3"`, "inner 2.0",
			[]string{"manylinux_2_31_" + arch}, "opt/venv/lib/python3.12/site-packages"},
		"debian": {"", "PATH=/usr/bin", debian, "cpython-3.11.0--0-" + goarch + `-"/usr/bin/python3"`, "six 1.16.0", nil, "usr/local/lib/python3.11/dist-packages"},
	} {
		img := importAs(t, s, name+":1", slices.DeleteFunc([]string{c.env, c.path}, func(kv string) bool { return kv == "" }), c.entries...)
		r, err := s.readRecord(img.ID)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.partsOf(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.base.target()
		if err != nil || got.key != c.key || names(got.there) != c.there {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
		for _, platform := range c.platforms {
			if !slices.Contains(got.options, platform) {
				t.Errorf("%s: %s is not among %q", name, platform, got.options)
			}
		}
		if _, err := os.Stat(filepath.Join(img.Root, c.pth, packagesFile)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// stepLayer writes the layer of a step.
func stepLayer(t *testing.T, entries ...container.Entry) func(io.Writer) error {
	data := container.Layer(t, entries...)
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// buildOf builds an image with a step.
func buildOf(t *testing.T, s *Store, q BuildRequest, entries ...container.Entry) (Image, error) {
	t.Helper()
	b, err := s.BeginBuild(t.Context(), q, event.Discard)
	if err != nil {
		return Image{}, err
	}
	defer b.Close()
	if len(entries) > 0 && !b.Known("run "+entries[0].Name, "run", entries[0].Name) {
		if err := b.Add(t.Context(), "run "+entries[0].Name, stepLayer(t, entries...), "run", entries[0].Name); err != nil {
			t.Fatal(err)
		}
	}
	return b.Name(t.Context())
}

// Images are built on images that were built, and have what those have; packages are put
// beside either.
func TestBesideBuilt(t *testing.T) {
	s, _ := sharedStore(t)
	ix := newIndex(t)
	for _, name := range []string{"one", "two", "three"} {
		ix.wheel(t, name, "1.0", anyTag, map[string]string{name + ".py": ""})
	}
	importAs(t, s, "floor:1", []string{"FLOOR=yes"}, glibcPython()...)
	for _, from := range []string{"", "floor:1"} {
		start := &Start{Command: "serve", Port: 80, Wait: 1e9}
		first, err := buildOf(t, s, BuildRequest{Name: "first", From: from, With: []string{"one"}, Env: []string{"A=1", "B=1"}, Start: start}, container.Entry{Name: "srv/a", Text: "1"})
		if err != nil {
			t.Fatal(err)
		}
		second, err := buildOf(t, s, BuildRequest{Name: "second", From: "first", With: []string{"two"}, Env: []string{"B=2"}}, container.Entry{Name: "srv/b", Text: "2"})
		if err != nil {
			t.Fatal(err)
		}
		if names(second.Packages) != "one 1.0, two 1.0" || second.Start == nil || *second.Start != *start || !slices.Equal(second.Runtimes[0].Preload, []string{"one", "two"}) ||
			variable(second.Env, "A", "") != "1" || variable(second.Env, "B", "") != "2" {
			t.Errorf("from %q: %+v", from, second)
		}
		for name, text := range map[string]string{"srv/a": "1", "srv/b": "2"} {
			if data, err := os.ReadFile(filepath.Join(second.Root, name)); err != nil || string(data) != text {
				t.Errorf("%s: %q, %v", name, data, err)
			}
		}
		if _, err := s.Lookup(t.Context(), Request{Image: "second", With: []string{"three"}}); fault.CodeOf(err) != fault.ImageUnbuilt {
			t.Errorf("before it was made: %v", err)
		}
		third, err := s.Resolve(t.Context(), Request{Image: "second", With: []string{"three"}}, event.Discard)
		if err != nil || third.Name != "second+three" || names(third.Packages) != "one 1.0, three 1.0, two 1.0" || third.Start == nil {
			t.Errorf("from %q: %+v, %v", from, third, err)
		}
		if again, err := s.Lookup(t.Context(), Request{Image: "second", With: []string{"three"}}); err != nil || again.ID != third.ID {
			t.Errorf("%s, %v", again.ID, err)
		}
		// The name means another image now, and so do those with packages beside it.
		if _, err = buildOf(t, s, BuildRequest{Name: "second", From: "first", With: []string{"two"}}, container.Entry{Name: "srv/c", Text: "3"}); err != nil {
			t.Fatal(err)
		}
		if other, err := s.Lookup(t.Context(), Request{Image: "second", With: []string{"three"}}); err == nil {
			t.Errorf("got %s", other.ID)
		}
		recipe, err := s.Recipe(t.Context(), third, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := s.Make(t.Context(), recipe, event.Discard); err != nil || again.ID != third.ID {
			t.Errorf("of its recipe: %+v, %v, want %s", again, err, third.ID)
		}
		if again, err := buildOf(t, s, BuildRequest{Name: "first", From: from, With: []string{"one"}, Env: []string{"A=1", "B=1"}, Start: start}, container.Entry{Name: "srv/a"}); err != nil || again.ID != first.ID {
			t.Errorf("built again: %s, %v, want %s", again.ID, err, first.ID)
		}
	}
}

// Where a step gives the base a Python, the packages of the file are for ours, which goes
// on to run; a step that takes away the Python that packages are for is refused.
func TestStepsWithPython(t *testing.T) {
	s, _ := sharedStore(t)
	ix := newIndex(t)
	ix.wheel(t, "one", "1.0", anyTag, map[string]string{"one.py": ""})
	importAs(t, s, "empty:1", nil, container.Entry{Name: "bin/x", Text: "x"})
	importAs(t, s, "brings:1", nil, glibcPython()...)
	img, err := buildOf(t, s, BuildRequest{Name: "it", From: "empty:1", With: []string{"one"}}, glibcPython()...)
	if err != nil || img.Runtimes[0].Program != "/opt/python/bin/python3" {
		t.Fatalf("%+v, %v", img, err)
	}
	if again, err := s.Reopen(t.Context(), img.ID); err != nil || again.ID != img.ID {
		t.Errorf("%+v, %v", again, err)
	}
	plain, err := buildOf(t, s, BuildRequest{Name: "plain", From: "empty:1"}, glibcPython()...)
	if err != nil || plain.Runtimes[0].Program != "/usr/local/bin/python3" {
		t.Errorf("%+v, %v", plain, err)
	}
	_, err = buildOf(t, s, BuildRequest{Name: "gone", From: "brings:1", With: []string{"one"}}, container.Entry{Name: "usr/local/bin/.wh.python3.12"})
	if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "changed the Python 3.12") {
		t.Errorf("got %v", err)
	}
}
