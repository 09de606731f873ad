package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/fault"
)

// tgz makes a package of npm's of files, in the order in which they are given.
func tgz(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: files[i], Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(files[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
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

func TestParseNPM(t *testing.T) {
	got, err := parseNPM([]string{"lodash, d3@7", "@scope/name@^1.2 || 2"})
	if err != nil || fmt.Sprint(got) != "[@scope/name@^1.2 || 2 d3@7 lodash]" {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []string{"../x", "git+ssh://host/x", "a@file:../b", "a@http://host/b.tgz", "a b", "@scope", "a@", "-x", "a@npm:b@1", "node_modules", strings.Repeat("a", 300), "a@1,a@2", ".a"} {
		if _, err := parseNPM([]string{bad}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}

func TestUntar(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	data := tgz(t, "package/package.json", "{}", "package/lib/a.js", "1", "other/lib/a.js", "2", "../../evil", "x", "/abs/evil", "ok", "package/../../../evil", "x", "flat", "x")
	left := &space{1 << 20, 100}
	if err := untar(t.Context(), bytes.NewReader(data), dir, left); err != nil {
		t.Fatal(err)
	}
	var names []string
	_ = filepath.WalkDir(filepath.Dir(dir), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, strings.TrimPrefix(path, dir))
		}
		return err
	})
	if got := strings.Join(names, " "); got != "/evil /lib/a.js /package.json" {
		t.Errorf("got %s", got)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "lib", "a.js")); string(text) != "2" {
		t.Errorf("the later of two files is %q", text)
	}
	for name, small := range map[string]*space{"bytes": {1, 100}, "files": {1 << 20, 2}} {
		if err := untar(t.Context(), bytes.NewReader(data), filepath.Join(t.TempDir(), "p"), small); err == nil {
			t.Errorf("more %s than may be were unpacked", name)
		}
	}
}

// Folders that files lie in count as files do.
func TestUntarCountsFolders(t *testing.T) {
	deep := tgz(t, "package/"+strings.Repeat("a/", 200)+"x", "1")
	if err := untar(t.Context(), bytes.NewReader(deep), filepath.Join(t.TempDir(), "p"), &space{1 << 20, 100}); err == nil {
		t.Error("more folders than may be were made")
	}
	if err := untar(t.Context(), bytes.NewReader(deep), filepath.Join(t.TempDir(), "p"), &space{1 << 20, 201}); err != nil {
		t.Error(err)
	}
}

// What does not come over the network is no package of a registry.
func TestInstalledFromFiles(t *testing.T) {
	for resolved, may := range map[string]bool{
		"https://registry.example/a.tgz": true, "http://localhost:1/a.tgz": true,
		"file:../../etc/a.tgz": false, "git+ssh://host/a": false, "": false,
	} {
		text := fmt.Sprintf(`{"packages":{"node_modules/a":{"version":"1.0.0","resolved":%q,"integrity":"sha512-%s=="}}}`, resolved, strings.Repeat("A", 86))
		if _, err := parseInstalled([]byte(text)); err == nil != may || !may && fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", resolved, err)
		}
	}
}

// npm lists the folders that packages are linked to by where they lie.
func TestInstalledFromFolders(t *testing.T) {
	for _, path := range []string{"a", "../../etc", "/"} {
		if _, err := parseInstalled([]byte(`{"packages":{"` + path + `":{"version":"1.0.0"}}}`)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func FuzzUntar(f *testing.F) {
	f.Add(tgz(f, "package/a", "1"))
	f.Add(tgz(f, "package/a", "1", "package/a/b", "2"))
	f.Add([]byte{0x1f, 0x8b})
	f.Fuzz(func(t *testing.T, data []byte) {
		top := t.TempDir()
		_ = untar(context.Background(), bytes.NewReader(data), filepath.Join(top, "in"), &space{1 << 16, 50})
		entries, err := os.ReadDir(top)
		if err != nil || len(entries) > 1 {
			t.Fatalf("it wrote beside its folder: %v, %v", entries, err)
		}
	})
}

func FuzzInstalled(f *testing.F) {
	f.Add([]byte(`{"packages":{"node_modules/a":{"version":"1.0.0","resolved":"https://r/a.tgz","integrity":"sha512-` + strings.Repeat("A", 86) + `=="}}}`))
	f.Add([]byte(`{"packages":{"node_modules/../a":{}}}`))
	f.Add([]byte(`{"packages":{"a":{}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := parseInstalled(data)
		if err != nil {
			return
		}
		for _, p := range l.Tarballs {
			if !filepath.IsLocal(p.Path) {
				t.Fatalf("it leads to %q", p.Path)
			}
			if _, err := cachePath(p.Integrity); err != nil {
				t.Fatal(err)
			}
		}
	})
}
