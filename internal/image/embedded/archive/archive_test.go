package archive

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestPackAndUnpack(t *testing.T) {
	entries := []Entry{
		{Name: "bin", Mode: fs.ModeDir | 0o700},
		{Name: "bin/tool", Mode: 0o755, Data: []byte("ELF")},
		{Name: "bin/link", Mode: fs.ModeSymlink, Link: "tool"},
		{Name: "lib", Mode: fs.ModeSymlink, Link: "/usr/lib"},
		{Name: "text", Mode: 0o444, Data: []byte("text")},
	}
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := Pack(b, entries); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same files make other bytes")
	}
	dir := filepath.Join(t.TempDir(), "made")
	if err := Unpack(&first, dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"bin/tool": "ELF", "bin/link": "ELF", "text": "text"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s = %q, %v", name, got, err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "bin/tool")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("the program's mode is %v, %v", info.Mode(), err)
	}
	// A link of the guest's root is for the guest: it stays as it is.
	if target, err := os.Readlink(filepath.Join(dir, "lib")); err != nil || target != "/usr/lib" {
		t.Errorf("the link leads to %q, %v", target, err)
	}
	if err := Pack(&first, []Entry{{Name: "device", Mode: fs.ModeDevice}}); err == nil {
		t.Error("a device is packed")
	}
}

// packed is an archive of what the headers say, with content for files.
func packed(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, h := range headers {
		h.Mode = 0o644
		if h.Typeflag == tar.TypeReg {
			h.Size = 3
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write([]byte("out")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestUnpackStaysInside checks that nothing is written outside of the folder.
func TestUnpackStaysInside(t *testing.T) {
	for _, headers := range [][]tar.Header{
		{{Name: "../out", Typeflag: tar.TypeReg}},
		{{Name: "/tmp/out", Typeflag: tar.TypeReg}},
		{{Name: "../out", Typeflag: tar.TypeDir}},
		{{Name: "link", Typeflag: tar.TypeSymlink, Linkname: ".."}, {Name: "link/out", Typeflag: tar.TypeReg}},
		{{Name: "link", Typeflag: tar.TypeSymlink, Linkname: "/tmp"}, {Name: "link/out", Typeflag: tar.TypeReg}},
		{{Name: "link", Typeflag: tar.TypeSymlink, Linkname: "../out"}, {Name: "link", Typeflag: tar.TypeReg}},
		{{Name: "link", Typeflag: tar.TypeLink, Linkname: "x"}},
		{{Name: "device", Typeflag: tar.TypeChar}},
	} {
		outer := t.TempDir()
		if err := Unpack(bytes.NewReader(packed(t, headers...)), filepath.Join(outer, "in")); err == nil {
			t.Errorf("%v: no error", headers)
		}
		if entries, err := os.ReadDir(outer); err != nil || len(entries) != 1 {
			t.Errorf("%v: there are %v, %v", headers, entries, err)
		}
	}
	if err := Unpack(strings.NewReader("no archive"), t.TempDir()); err == nil {
		t.Error("no archive: no error")
	}
}

// FuzzUnpack unpacks what is no archive of ours: it may fail, and writes nothing beside
// the folder.
func FuzzUnpack(f *testing.F) {
	f.Add(packed(f, tar.Header{Name: "a", Typeflag: tar.TypeReg}, tar.Header{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "../x"}))
	f.Add([]byte("no archive"))
	f.Fuzz(func(t *testing.T, data []byte) {
		outer := t.TempDir()
		_ = Unpack(bytes.NewReader(data), filepath.Join(outer, "in"))
		entries, err := os.ReadDir(outer)
		if err != nil || len(entries) > 1 {
			t.Fatalf("there are %v, %v", entries, err)
		}
	})
}
