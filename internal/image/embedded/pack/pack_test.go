package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"praxis/internal/image/embedded/archive"
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

// distribution is a small one. Folders have the bit of fs.ModeDir, links that of
// fs.ModeSymlink, as the list has them.
func distribution(t *testing.T) fstest.MapFS {
	return fstest.MapFS{
		"files.json": {Data: []byte(`{"contentHash":"x","files":[
			{"name":"bin","size":0,"perm":2147484141},
			{"name":"bin/tool","size":3,"perm":493,"compressed":true},
			{"name":"bin/link","size":4,"perm":134217728,"symlink":"tool"},
			{"name":"lib/test","size":0,"perm":2147484141},
			{"name":"lib/test/deep.py","size":1,"perm":420},
			{"name":"lib/tests.py","size":5,"perm":420}]}`)},
		"bin/tool.gz":      {Data: gz(t, "ELF")},
		"lib/test/deep.py": {Data: []byte("x")},
		"lib/tests.py":     {Data: []byte("tests")},
		"not/listed":       {Data: []byte("x")},
	}
}

func described(entries []archive.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%s %v %s %s\n", e.Name, e.Mode, e.Link, e.Data)
	}
	return b.String()
}

func TestModuleEntries(t *testing.T) {
	entries, err := moduleEntries(distribution(t), drop{"lib/test"})
	if err != nil {
		t.Fatal(err)
	}
	want := "bin drwxr-xr-x  \nbin/tool -rwxr-xr-x  ELF\nbin/link L--------- tool \nlib/tests.py -rw-r--r--  tests\n"
	if got := described(entries); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	missing := distribution(t)
	delete(missing, "lib/tests.py")
	damaged := distribution(t)
	damaged["bin/tool.gz"].Data = []byte("no")
	for name, m := range map[string]fstest.MapFS{"no list": {}, "a file that is not there": missing, "a damaged file": damaged} {
		if _, err := moduleEntries(m, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// debFile is a package with the files of headers.
func debFile(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	tarball := func(headers ...tar.Header) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		w := tar.NewWriter(z)
		for _, h := range headers {
			data := []byte("content of " + h.Name)
			if h.Typeflag == tar.TypeReg {
				h.Size = int64(len(data))
			}
			if err := w.WriteHeader(&h); err != nil {
				t.Fatal(err)
			}
			if h.Typeflag == tar.TypeReg {
				if _, err := w.Write(data); err != nil {
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
	var control bytes.Buffer
	z := gzip.NewWriter(&control)
	w := tar.NewWriter(z)
	text := "Package: x\nVersion: 1\nArchitecture: amd64\nMaintainer: M <m@example.com>\nDescription: d\n"
	if err := w.WriteHeader(&tar.Header{Name: "./control", Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	b := bytes.NewBufferString("!<arch>\n")
	for _, m := range []struct {
		name string
		data []byte
	}{{"debian-binary", []byte("2.0\n")}, {"control.tar.gz", control.Bytes()}, {"data.tar.gz", tarball(headers...)}} {
		fmt.Fprintf(b, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", m.name, 0, 0, 0, 0o644, len(m.data))
		b.Write(m.data)
		if len(m.data)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// served lets a mirror have the files, and returns the folder with a list of them.
func served(t *testing.T, files map[string][]byte, mirrors ...string) string {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := files[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(data)
	}))
	t.Cleanup(server.Close)
	l := list{Release: "12", Mirrors: append(mirrors, server.URL)}
	for name, data := range files {
		l.Packages = append(l.Packages, pinned{Name: name, Version: "1", Path: name, SHA256: digest(data)})
	}
	text, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, listFile), text, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRootEntries(t *testing.T) {
	data := debFile(t,
		tar.Header{Name: "./bin/tool", Typeflag: tar.TypeReg, Mode: 0o4755},
		tar.Header{Name: "./lib/x/a.so", Typeflag: tar.TypeReg, Mode: 0o644},
		tar.Header{Name: "./lib/x/b.so", Typeflag: tar.TypeSymlink, Linkname: "a.so"},
		tar.Header{Name: "./usr/bin/same", Typeflag: tar.TypeLink, Linkname: "./bin/tool", Mode: 0o755},
		tar.Header{Name: "./usr/share/man/man1/tool.1", Typeflag: tar.TypeReg, Mode: 0o644},
		tar.Header{Name: "./usr/share/doc/x/copyright", Typeflag: tar.TypeReg, Mode: 0o644},
		tar.Header{Name: "./usr/share/doc/x/changelog.gz", Typeflag: tar.TypeReg, Mode: 0o644},
		tar.Header{Name: "./usr/share/ca-certificates/mozilla/A.crt", Typeflag: tar.TypeReg, Mode: 0o644},
	)
	// The first mirror has nothing any more.
	gone := httptest.NewServer(http.NotFoundHandler())
	defer gone.Close()
	dir := served(t, map[string][]byte{"x.deb": data}, gone.URL)
	entries, err := rootEntries(context.Background(), filepath.Join(dir, listFile))
	if err != nil {
		t.Fatal(err)
	}
	got := described(entries)
	for _, want := range []string{
		"bin Lrwxrwxrwx usr/bin", "usr/bin drwxr-xr-x  \n", "usr/bin/tool -rwxr-xr-x  content of ./bin/tool\n",
		"usr/bin/same -rwxr-xr-x  content of ./bin/tool\n", "usr/lib/x/b.so L--------- a.so \n",
		"usr/share/doc/x/copyright -rw-r--r--", "etc/ssl/certs/ca-certificates.crt -rw-r--r--  content of ./usr/share/ca-certificates",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	for _, left := range []string{"share/man", "changelog", "mozilla/"} {
		if strings.Contains(strings.ReplaceAll(got, "content of ./usr/share/ca-certificates/mozilla/", ""), left) {
			t.Errorf("%q is in\n%s", left, got)
		}
	}
	gone.Close() // what was fetched is kept
	if again, err := rootEntries(context.Background(), filepath.Join(dir, listFile)); err != nil || described(again) != got {
		t.Errorf("again: %v", err)
	}
}

// TestRootEntriesRefuses checks that nothing is taken that is not what the list says.
func TestRootEntriesRefuses(t *testing.T) {
	data := debFile(t, tar.Header{Name: "./bin/tool", Typeflag: tar.TypeReg, Mode: 0o755})
	files := map[string][]byte{"x.deb": data}
	dir := served(t, files)
	files["x.deb"] = debFile(t, tar.Header{Name: "./bin/other", Typeflag: tar.TypeReg, Mode: 0o755})
	if _, err := rootEntries(context.Background(), filepath.Join(dir, listFile)); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("another package: %v", err)
	}
	delete(files, "x.deb")
	if _, err := rootEntries(context.Background(), filepath.Join(dir, listFile)); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a missing package: %v", err)
	}
	dir = served(t, map[string][]byte{"x.deb": []byte("no package")})
	if _, err := rootEntries(context.Background(), filepath.Join(dir, listFile)); err == nil {
		t.Error("no package: no error")
	}
}

func TestDrop(t *testing.T) {
	d := drop{"a/*.so", "b/c", "doc/*/[^c]*"}
	for name, want := range map[string]bool{
		"a/x.py": false, "a/x.so": true, "b/c": true, "b/c/d": true, "b/cc": false, "doc/x/copyright": false, "doc/x/NEWS": true,
	} {
		if got := d.match(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestLicences(t *testing.T) {
	text := "Files: *\nLicense: GPL-3+\n text\n\nLicense: MIT\n\nFiles: b\nLicense: GPL-3+\n"
	if got := licences(archive.Entry{Data: []byte(text)}); fmt.Sprint(got) != "[GPL-3+ MIT]" {
		t.Errorf("got %v", got)
	}
	if got := licences(archive.Entry{Data: []byte("Do as you like.")}); len(got) != 1 || !strings.Contains(got[0], "copyright") {
		t.Errorf("got %v", got)
	}
}
