package oci

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/test/container"
)

type entry = container.Entry

// unpack unpacks layers into a folder of the test.
func unpack(t testing.TB, b Bounds, layers ...[]byte) (string, error) {
	t.Helper()
	// The folder beside it shows what gets out.
	dir := filepath.Join(t.TempDir(), "root")
	return dir, unpackInto(t, dir, b, layers...)
}

// unpackInto unpacks layers into a folder that it makes.
func unpackInto(t testing.TB, dir string, b Bounds, layers ...[]byte) error {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	u, err := NewUnpacker(dir, b)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, l := range layers {
		if err := u.Layer(t.Context(), bytes.NewReader(l), int64(len(l))); err != nil {
			return err
		}
	}
	return nil
}

// listing is what is in a folder, one line an entry.
func listing(t testing.TB, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || file == dir {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		switch d.Type() {
		case fs.ModeDir:
			rel += "/"
		case fs.ModeSymlink:
			target, err := os.Readlink(file)
			if err != nil {
				return err
			}
			rel += " -> " + target
		case 0:
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			rel += " " + string(data)
		}
		lines = append(lines, rel)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func TestLayers(t *testing.T) {
	long := strings.Repeat("n", 200)
	for _, tt := range []struct {
		name   string
		layers [][]entry
		want   string
	}{
		{"files of two layers", [][]entry{{{Name: "a/b", Text: "1"}, {Name: "./c", Text: "2"}}, {{Name: "/a/d", Text: "3"}, {Name: "c", Text: "4"}}}, "a/\na/b 1\na/d 3\nc 4"},
		{"a file is gone", [][]entry{{{Name: "a/b", Text: "1"}, {Name: "a/c", Text: "2"}}, {{Name: "a/.wh.b"}}}, "a/\na/c 2"},
		{"a folder is gone", [][]entry{{{Name: "a/b/c", Text: "1"}}, {{Name: "a/.wh.b"}}}, "a/"},
		{"what the layer brings itself stays", [][]entry{{{Name: "a/b/c", Text: "1"}}, {{Name: "a/b/d", Text: "2"}, {Name: "a/.wh.b"}}}, "a/\na/b/\na/b/d 2"},
		{"an opaque folder", [][]entry{{{Name: "a/b/c", Text: "1"}, {Name: "a/e", Text: "1"}}, {{Name: "a/b/d", Text: "2"}, {Name: "a/.wh..wh..opq"}}}, "a/\na/b/\na/b/d 2"},
		{"an opaque folder, first", [][]entry{{{Name: "a/b", Text: "1"}}, {{Name: "a/.wh..wh..opq"}, {Name: "a/c", Text: "2"}}}, "a/\na/c 2"},
		{"what one file system kept", [][]entry{{{Name: ".wh..wh.plnk/1.2", Text: "1"}, {Name: ".wh..wh.aufs", Text: "1"}}}, ".wh..wh.plnk/\n.wh..wh.plnk/1.2 1"},
		{"hard links", [][]entry{{{Name: "a", Text: "1"}, {Name: "b", Kind: tar.TypeLink, Link: "a"}, {Name: "c", Kind: tar.TypeLink, Link: "/a"}}, {{Name: "b", Text: "2"}}}, "a 1\nb 2\nc 1"},
		{"a file in the place of a folder", [][]entry{{{Name: "a/b", Text: "1"}}, {{Name: "a", Text: "2"}}}, "a 2"},
		{"a folder in the place of a file", [][]entry{{{Name: "a", Text: "1"}}, {{Name: "a", Kind: tar.TypeDir, Mode: 0o755}, {Name: "a/b", Text: "2"}}}, "a/\na/b 2"},
		{"a folder in the place of a link", [][]entry{{{Name: "b/x", Text: "0"}, {Name: "a", Kind: tar.TypeSymlink, Link: "b"}}, {{Name: "a", Kind: tar.TypeDir, Mode: 0o755}, {Name: "a/c", Text: "2"}}}, "a/\na/c 2\nb/\nb/x 0"},
		{"through links of the image", [][]entry{{{Name: "run/x", Text: "0"}, {Name: "var/run", Kind: tar.TypeSymlink, Link: "/run"}, {Name: "lib", Kind: tar.TypeSymlink, Link: "usr/lib"}}, {{Name: "var/run/y", Text: "1"}, {Name: "lib/z", Text: "2"}}},
			"lib -> usr/lib\nrun/\nrun/x 0\nrun/y 1\nusr/\nusr/lib/\nusr/lib/z 2\nvar/\nvar/run -> /run"},
		{"links above the root", [][]entry{{{Name: "up", Kind: tar.TypeSymlink, Link: "../../../../.."}, {Name: "up/a", Text: "1"}, {Name: "b/c", Kind: tar.TypeSymlink, Link: "../../../d"}, {Name: "b/c/e", Text: "2"}}},
			"a 1\nb/\nb/c -> ../../../d\nd/\nd/e 2\nup -> ../../../../.."},
		{"a link replaced by a file", [][]entry{{{Name: "a", Kind: tar.TypeSymlink, Link: "/etc/passwd"}, {Name: "a", Text: "mine"}}}, "a mine"},
		{"devices are left out", [][]entry{{{Name: "a", Text: "1"}}, {{Name: "a", Kind: tar.TypeChar}, {Name: "b", Kind: tar.TypeFifo}, {Name: "c", Kind: tar.TypeBlock}}}, ""},
		{"long names", [][]entry{{{Name: long + "/" + long + "/x", Text: "1"}, {Name: "y", Kind: tar.TypeSymlink, Link: long + long}}}, long + "/\n" + long + "/" + long + "/\n" + long + "/" + long + "/x 1\ny -> " + long + long},
		{"names that only seem to lead out", [][]entry{{{Name: "a/../b", Text: "1"}, {Name: "..c", Text: "2"}}}, "..c 2\nb 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var layers [][]byte
			for _, l := range tt.layers {
				layers = append(layers, container.Layer(t, l...))
			}
			dir, err := unpack(t, Bounds{}, layers...)
			if err != nil {
				t.Fatal(err)
			}
			if got := listing(t, dir); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 1 {
				t.Errorf("something got out: %v %v", entries, err)
			}
		})
	}
}

func TestHostileLayers(t *testing.T) {
	huge := &tar.Header{Name: "a", Typeflag: tar.TypeReg, Size: 1 << 50, Mode: 0o644}
	var endless bytes.Buffer
	if err := tar.NewWriter(&endless).WriteHeader(huge); err != nil {
		t.Fatal(err)
	}
	small := Bounds{Bytes: 1 << 20, Entries: 20, Names: 1 << 10, Ratio: 4, Free: 1 << 12}
	many := make([]entry, 30)
	for i := range many {
		many[i] = entry{Name: "f" + string(rune('a'+i))}
	}
	for _, tt := range []struct {
		name   string
		bounds Bounds
		layer  []byte
		want   fault.Kind
	}{
		{"above the root", Bounds{}, container.Layer(t, entry{Name: "../out", Text: "1"}), fault.Invalid},
		{"above the root, later", Bounds{}, container.Layer(t, entry{Name: "a/../../out", Text: "1"}), fault.Invalid},
		{"a link to above the root", Bounds{}, container.Layer(t, entry{Name: "a", Kind: tar.TypeLink, Link: "../../etc/passwd"}), fault.Invalid},
		{"a link to nothing", Bounds{}, container.Layer(t, entry{Name: "a", Kind: tar.TypeLink, Link: "b"}), fault.Invalid},
		{"a link to a folder", Bounds{}, container.Layer(t, entry{Name: "b", Kind: tar.TypeDir, Mode: 0o755}, entry{Name: "a", Kind: tar.TypeLink, Link: "b"}), fault.Invalid},
		{"a link to the root", Bounds{}, container.Layer(t, entry{Name: "a", Kind: tar.TypeLink, Link: "/"}), fault.Invalid},
		{"links in a circle", Bounds{}, container.Layer(t, entry{Name: "a", Kind: tar.TypeSymlink, Link: "b"}, entry{Name: "b", Kind: tar.TypeSymlink, Link: "a"}, entry{Name: "a/c", Text: "1"}), fault.Invalid},
		{"below a file", Bounds{}, container.Layer(t, entry{Name: "a", Text: "1"}, entry{Name: "a/b", Text: "1"}), fault.Invalid},
		{"folders too deep", Bounds{}, container.Layer(t, entry{Name: strings.Repeat("a/", 300) + "x"}), fault.Exhausted},
		{"a whiteout of nothing", Bounds{}, container.Layer(t, entry{Name: ".wh."}), fault.Invalid},
		{"a whiteout of above", Bounds{}, container.Layer(t, entry{Name: "a/.wh..."}), fault.Invalid},
		{"a name too long for a disk", Bounds{}, container.Layer(t, entry{Name: strings.Repeat("n", 300), Text: "1"}), fault.Invalid},
		{"no archive", Bounds{}, []byte(strings.Repeat("x", 2000)), fault.Invalid},
		{"it ends in between", Bounds{}, container.Layer(t, entry{Name: "a", Text: strings.Repeat("x", 5000)})[:2000], fault.Invalid},
		{"one file of a petabyte", Bounds{}, endless.Bytes(), fault.Exhausted},
		{"too many entries", small, container.Layer(t, many...), fault.Exhausted},
		{"names that are too long together", small, container.Layer(t, entry{Name: strings.Repeat("a/", 600) + "x"}), fault.Exhausted},
		{"too much together", small, container.Layer(t, entry{Name: "a", Text: strings.Repeat("x", 1<<19)}, entry{Name: "b", Text: strings.Repeat("x", 1<<20)}), fault.Exhausted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, err := unpack(t, tt.bounds, tt.layer)
			if fault.KindOf(err) != tt.want {
				t.Errorf("got %v, want the kind %v", err, tt.want)
			}
			if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 1 {
				t.Errorf("something got out: %v %v", entries, err)
			}
		})
	}
}

// A layer of little bytes that unpacks to many is refused before the disk is full.
func TestBomb(t *testing.T) {
	dir := t.TempDir()
	u, err := NewUnpacker(dir, Bounds{Bytes: 1 << 40, Entries: 10, Names: 1 << 10, Ratio: 10, Free: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	layer := container.Layer(t, entry{Name: "a", Text: strings.Repeat("x", 900<<10)}, entry{Name: "b", Text: strings.Repeat("x", 900<<10)})
	if err := u.Layer(t.Context(), bytes.NewReader(layer), 100); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "b")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("it went on")
	}
}

// What whiteouts look at again and again is bounded.
func TestManyWhiteouts(t *testing.T) {
	u, err := NewUnpacker(t.TempDir(), Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	u.looked = maxLooked - 2000
	var entries []entry
	for i := range 100 {
		entries = append(entries, entry{Name: "d/" + strconv.Itoa(i), Text: "1"})
	}
	for range 100 {
		entries = append(entries, entry{Name: "d/.wh..wh..opq"})
	}
	if err := u.Layer(t.Context(), bytes.NewReader(container.Layer(t, entries...)), 1<<20); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("got %v", err)
	}
}

// Stretches of zeros are left out when a file is written, and read back as they were.
func TestZeros(t *testing.T) {
	text := strings.Repeat("\x00", 1<<20) + "end" + strings.Repeat("\x00", 2<<20)
	dir, err := unpack(t, Bounds{}, container.Layer(t, entry{Name: "a", Text: text}))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "a"))
	if err != nil || string(data) != text {
		t.Errorf("the file is another: %d bytes, %v", len(data), err)
	}
}

// Modes are those of the package comment, whatever the umask is.
func TestModes(t *testing.T) {
	dir, err := unpack(t, Bounds{}, container.Layer(t,
		entry{Name: "secret", Mode: 0o600}, entry{Name: "su", Mode: 0o4755}, entry{Name: "group", Mode: 0o2711},
		entry{Name: "theirs", Mode: 0o640, UID: 70}, entry{Name: "open", Mode: 0o666},
		entry{Name: "locked", Kind: tar.TypeDir, Mode: 0o700}, entry{Name: "tmp", Kind: tar.TypeDir, Mode: 0o1777}, entry{Name: "data", Kind: tar.TypeDir, Mode: 0o700, UID: 999},
	))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{
		"secret": 0o644, "su": 0o755, "group": 0o755, "theirs": 0o666, "open": 0o666,
		"locked": fs.ModeDir | 0o755, "tmp": fs.ModeDir | fs.ModeSticky | 0o777, "data": fs.ModeDir | 0o777,
	} {
		st, err := os.Stat(filepath.Join(dir, name))
		if err != nil || st.Mode() != want {
			t.Errorf("%s: got %v, want %v, %v", name, st.Mode(), want, err)
		}
		if st.Mode().IsRegular() && !st.ModTime().Equal(time.Unix(1e9, 0)) {
			t.Errorf("%s has the time %v", name, st.ModTime())
		}
	}
}

func TestCanceled(t *testing.T) {
	u, err := NewUnpacker(t.TempDir(), Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	layer := container.Layer(t, entry{Name: "a", Text: "1"})
	if err := u.Layer(ctx, bytes.NewReader(layer), 1<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Folders that sessions need are real ones, and what links led to stays.
func TestFolder(t *testing.T) {
	dir, err := unpack(t, Bounds{}, container.Layer(t,
		entry{Name: "var/home/me/x", Text: "1"}, entry{Name: "home", Kind: tar.TypeSymlink, Link: "var/home"},
		entry{Name: "tmp", Kind: tar.TypeSymlink, Link: "/"}, entry{Name: "work", Kind: tar.TypeSymlink, Link: "/nowhere"}, entry{Name: "opt", Text: "a file"},
	))
	if err != nil {
		t.Fatal(err)
	}
	u, err := NewUnpacker(dir, Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	keep := []string{"home", "home/user", "tmp", "work", "opt"}
	for _, name := range keep {
		if err := u.Folder(name, 0o755, keep); err != nil {
			t.Fatal(err)
		}
	}
	const want = "home/\nhome/me/\nhome/me/x 1\nhome/user/\nopt/\ntmp/\nvar/\nvar/home -> /home\nwork/"
	if got := listing(t, dir); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if at, _, err := u.Find("var/home/me/x"); err != nil || at != "home/me/x" {
		t.Errorf("found %q, %v", at, err)
	}
}

// Whatever a layer holds, nothing gets out of the folder, and what is summed up is what
// was written.
func FuzzUnpack(f *testing.F) {
	f.Add(container.Layer(f, entry{Name: "a/b", Text: "1"}, entry{Name: "l", Kind: tar.TypeSymlink, Link: "../.."}, entry{Name: "l/x", Text: "2"}),
		container.Layer(f, entry{Name: "a/.wh..wh..opq"}, entry{Name: "h", Kind: tar.TypeLink, Link: "l/x"}))
	f.Add(container.Layer(f, entry{Name: "a", Kind: tar.TypeSymlink, Link: "/"}), container.Layer(f, entry{Name: "a/../../b", Text: "1"}, entry{Name: ".wh.a"}))
	for _, layer := range sparse(40960) {
		f.Add(layer, container.Layer(f, entry{Name: "a/b", Text: "1"}))
	}
	above := f.TempDir()
	f.Fuzz(func(t *testing.T, first, second []byte) { staysInside(t, above, first, second) })
}

// FuzzLayers is FuzzUnpack by what archives hold: those whose bytes were changed at random
// nearly all fail at their checksums.
func FuzzLayers(f *testing.F) {
	f.Add("0 a/b 1\n2 l ../..\n0 l/x 2", "0 a/.wh..wh..opq \n1 h l/x")
	f.Add("2 a /\n5 b ", "0 a/../../b 1\n0 .wh.a ")
	f.Add("0 a/.wh.b x\n3 d \n6 p ", "2 d p\n1 d a\n5 d/e \n0 d/e/.wh..wh..x ")
	above := f.TempDir()
	f.Fuzz(func(t *testing.T, first, second string) {
		staysInside(t, above, described(t, first), described(t, second))
	})
}

// staysInside unpacks layers below a folder: a folder of each call's own that the testing
// package makes and removes takes longer than all else.
func staysInside(t *testing.T, above string, layers ...[]byte) {
	t.Helper()
	top, err := os.MkdirTemp(above, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(top) }()
	dir := filepath.Join(top, "root")
	err = unpackInto(t, dir, Bounds{Bytes: 1 << 16, Entries: 64, Names: 1 << 13, Ratio: 100, Free: 1 << 16}, layers...)
	if entries, readErr := os.ReadDir(top); readErr != nil || len(entries) != 1 {
		t.Fatalf("something got out: %v %v", entries, readErr)
	}
	if err != nil && fault.KindOf(err) == fault.Internal {
		t.Errorf("no fault: %v", err)
	}
	walkErr := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err == nil && !slices.Contains([]fs.FileMode{0, fs.ModeDir, fs.ModeSymlink}, d.Type()) {
			t.Errorf("%s is a %v", file, d.Type())
		}
		return err
	})
	if walkErr != nil {
		t.Error(walkErr)
	}
}

// described makes a layer of lines with a kind, a name, and a text or the target of a link.
func described(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for line := range strings.Lines(text) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		name, other, _ := strings.Cut(rest, " ")
		if len(kind) != 1 || b.Len() > 64<<10 {
			continue
		}
		h := &tar.Header{Name: name, Typeflag: kind[0], Mode: 0o644, Uid: len(other) % 2}
		switch kind[0] {
		case tar.TypeReg:
			h.Size = int64(len(other))
		default:
			h.Linkname = other
		}
		if w.WriteHeader(h) != nil {
			return b.Bytes() // it has no such form
		}
		if h.Size > 0 {
			_, _ = io.WriteString(w, other)
		}
	}
	_ = w.Close() // what could not be written is no layer of ours
	return b.Bytes()
}

// An image that lists a layer many times, also by a link, has it read once.
func TestArchiveReadsLayersOnce(t *testing.T) {
	list := `[{"Config":"` + zerosHex + `.json","Layers":["` + strings.Repeat(zerosHex+`.tar","`, 60) + `repositories"]}]`
	file := filepath.Join(t.TempDir(), "saved.tar")
	err := os.WriteFile(file, container.Layer(t, entry{Name: zerosHex + ".tar", Text: "layer"}, entry{Name: "repositories", Kind: tar.TypeSymlink, Link: zerosHex + ".tar"},
		entry{Name: zerosHex + ".json", Text: "{}"}, entry{Name: "manifest.json", Text: list}), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	a, err := openArchive(t.Context(), file, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	l := &layout{open: a.open, at: map[string]string{}, made: map[string][]byte{}}
	if err := a.savedImage(l); err != nil || len(l.at) != 1 || len(a.layers) != 1 {
		t.Errorf("read %d layers of %d: %v", len(a.layers), len(l.at), err)
	}
}
