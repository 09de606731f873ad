package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"
)

func gz(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// module is a small distribution. Directories have the bit of fs.ModeDir, links
// that of fs.ModeSymlink, as the list has them.
func module(t *testing.T) fstest.MapFS {
	return fstest.MapFS{
		"files.json": {Data: []byte(`{"contentHash":"x","files":[
			{"name":"bin","size":0,"perm":2147484141},
			{"name":"bin/tool","size":3,"perm":493,"compressed":true},
			{"name":"bin/link","size":4,"perm":134217728,"symlink":"tool"},
			{"name":"lib","size":0,"perm":2147484141},
			{"name":"lib/test","size":0,"perm":2147484141},
			{"name":"lib/test/deep.py","size":1,"perm":420},
			{"name":"lib/tests.py","size":5,"perm":420}]}`)},
		"bin/tool.gz":      {Data: gz(t, "ELF")},
		"lib/test/deep.py": {Data: []byte("x")},
		"lib/tests.py":     {Data: []byte("tests")},
		"not/listed":       {Data: []byte("x")},
	}
}

func TestPackAndUnpack(t *testing.T) {
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := Pack(b, module(t), Drop{"lib/test"}); err != nil {
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
	for name, want := range map[string]string{"bin/tool": "ELF", "bin/link": "ELF", "lib/tests.py": "tests"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s = %q, %v", name, got, err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "bin/tool")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("the program's mode is %v, %v", info.Mode(), err)
	}
	for _, name := range []string{"lib/test", "not"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPackRefuses(t *testing.T) {
	missing := module(t)
	delete(missing, "lib/tests.py")
	damaged := module(t)
	damaged["bin/tool.gz"].Data = []byte("no")
	for name, m := range map[string]fstest.MapFS{"no list": {}, "a file that is not there": missing, "a damaged file": damaged} {
		if err := Pack(&bytes.Buffer{}, m, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/x.py", "a/x.so", "b/c/d", "b/cc"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Prune(dir, Drop{"a/*.so", "b/c", "none"}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"a/x.py": true, "a/x.so": false, "b/c": false, "b/cc": true} {
		if _, err := os.Lstat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestUnpackStaysInside checks that nothing is written outside of the folder.
func TestUnpackStaysInside(t *testing.T) {
	for _, h := range []tar.Header{
		{Name: "../out", Typeflag: tar.TypeReg},
		{Name: "/tmp/out", Typeflag: tar.TypeReg},
		{Name: "../out", Typeflag: tar.TypeDir},
		{Name: "link", Typeflag: tar.TypeSymlink, Linkname: "../out"},
		{Name: "link", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
		{Name: "link", Typeflag: tar.TypeLink, Linkname: "x"},
		{Name: "device", Typeflag: tar.TypeChar},
	} {
		var b bytes.Buffer
		z, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w := tar.NewWriter(z)
		h.Mode = 0o644
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		outer := t.TempDir()
		if err := Unpack(&b, filepath.Join(outer, "in")); err == nil {
			t.Errorf("%c %s: no error", h.Typeflag, h.Name)
		}
		if entries, err := os.ReadDir(outer); err != nil || len(entries) != 1 {
			t.Errorf("%c %s: there are %v, %v", h.Typeflag, h.Name, entries, err)
		}
	}
	if err := Unpack(strings.NewReader("no archive"), t.TempDir()); err == nil {
		t.Error("no archive: no error")
	}
}
