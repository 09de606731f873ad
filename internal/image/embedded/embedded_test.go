package embedded

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReleaseMatchesGoMod(t *testing.T) {
	data, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "kluctl/go-embed-python") })
	if i < 0 || !strings.Contains(lines[i], " v0.0.0-"+Release) {
		t.Errorf("Release is %s, go.mod says %q", Release, lines[max(i, 0)])
	}
}

// unpacked unpacks what the binary carries; a test binary that was built before "make
// build" carries nothing.
func unpacked(t *testing.T, unpack func(string) error) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made")
	err := unpack(dir)
	if errors.Is(err, ErrMissing) {
		t.Fatal("the archives are missing: run make build first")
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestUnpacked checks that what is unpacked works together, with nothing of the host.
func TestUnpacked(t *testing.T) {
	python, pip, root := unpacked(t, Python), unpacked(t, Pip), unpacked(t, Root)
	loaders, err := filepath.Glob(filepath.Join(root, "usr/lib/*-linux-gnu/ld-linux-*.so.*"))
	if err != nil || len(loaders) != 1 {
		t.Fatalf("the loaders are %v, %v", loaders, err)
	}
	run := func(env string, program string, args ...string) string {
		t.Helper()
		cmd := exec.Command(loaders[0], append([]string{"--library-path", filepath.Dir(loaders[0]), "--argv0", program, program}, args...)...)
		cmd.Env = []string{env}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", program, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	const modules = "import ssl, sqlite3, ctypes, lzma, bz2, zlib, dbm.ndbm, curses, decimal, asyncio, zoneinfo, sysconfig, sys; sysconfig.get_config_vars(); print(sys.version.split()[0])"
	exe := filepath.Join(python, "bin", "python3.14")
	if got := run("", exe, "-B", "-I", "-c", modules); !strings.HasPrefix(Release, got+"-") {
		t.Errorf("it is CPython %s, and the release %s", got, Release)
	}
	if got := run("PYTHONPATH="+pip, exe, "-B", "-m", "pip", "--version"); !strings.HasPrefix(got, "pip ") {
		t.Errorf("pip says %q", got)
	}
	for name, want := range map[string]string{"bash": "GNU bash", "ls": "coreutils", "grep": "GNU grep", "sed": "GNU sed", "find": "findutils", "tar": "GNU tar",
		"gzip": "gzip", "xz": "XZ Utils", "git": "git version", "rg": "ripgrep", "diff": "diffutils", "patch": "GNU patch"} {
		if got := run("", filepath.Join(root, "usr/bin", name), "--version"); !strings.Contains(got, want) {
			t.Errorf("%s says %q", name, got)
		}
	}
	for _, name := range []string{"python", "python3"} {
		if target, err := os.Readlink(filepath.Join(python, "bin", name)); err != nil || target != "python3.14" {
			t.Errorf("%s is a link to %q, %v", name, target, err)
		}
	}
	for _, gone := range []string{filepath.Join(python, "lib/python3.14/test"), filepath.Join(root, "usr/share/man"), filepath.Join(root, "var")} {
		if _, err := os.Lstat(gone); !os.IsNotExist(err) {
			t.Errorf("%s is there: %v", gone, err)
		}
	}
	for _, name := range []string{"etc/ssl/certs/ca-certificates.crt", "usr/share/zoneinfo/Europe/Berlin", "usr/lib/terminfo/x/xterm"} {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRootList checks that every package of the root file system is there with all that
// is to be known of it, and its licence beside its files.
func TestRootList(t *testing.T) {
	text, err := RootList()
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Packages []struct {
			Name, Version, Source, Path, SHA256 string
			Licences                            []string
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	root := unpacked(t, Root)
	if len(list.Packages) < 30 {
		t.Errorf("there are %d packages", len(list.Packages))
	}
	for _, p := range list.Packages {
		if p.Name == "" || p.Version == "" || p.Source == "" || p.Path == "" || len(p.SHA256) != 64 || len(p.Licences) == 0 {
			t.Errorf("something is missing: %+v", p)
		}
		if _, err := os.Stat(filepath.Join(root, "usr/share/doc", p.Name, "copyright")); err != nil {
			t.Errorf("the licence of %s: %v", p.Name, err)
		}
	}
}
