package embedded

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"praxis/internal/image/embedded/archive"
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

// run runs the interpreter in a folder.
func run(t *testing.T, dir string, env string, args ...string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(dir, "bin", exe), append([]string{"-B"}, args...)...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", env}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestUnpacked checks that what is unpacked works, that nothing of what is left
// out is there, and that nothing is left behind.
func TestUnpacked(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	python, pip := filepath.Join(dir, "python"), filepath.Join(dir, "pip")
	if err := Python(python); err != nil {
		t.Fatal(err)
	}
	if err := Pip(pip); err != nil {
		t.Fatal(err)
	}
	const modules = "import ssl, sqlite3, ctypes, lzma, bz2, zlib, dbm.ndbm, curses, decimal, asyncio, zoneinfo, sysconfig, sys; sysconfig.get_config_vars(); print(sys.version.split()[0])"
	if got := run(t, python, "", "-I", "-c", modules); !strings.HasPrefix(Release, got+"-") {
		t.Errorf("it is CPython %s, and the release %s", got, Release)
	}
	if got := run(t, python, "PYTHONPATH="+pip, "-m", "pip", "--version"); !strings.HasPrefix(got, "pip ") {
		t.Errorf("pip says %q", got)
	}
	for _, name := range []string{"python", "python3"} {
		if target, err := os.Readlink(filepath.Join(python, "bin", name)); err != nil || target != exe {
			t.Errorf("%s is a link to %q, %v", name, target, err)
		}
	}
	for tree, drop := range map[string]archive.Drop{python: archive.PythonDrop(), pip: archive.PipDrop()} {
		for name := range files(t, tree) {
			if drop.Match(name) {
				t.Errorf("%s is there", name)
			}
		}
	}
	for _, d := range []string{dir, os.TempDir()} {
		entries, err := os.ReadDir(d)
		if want := map[string]int{dir: 2}[d]; err != nil || len(entries) != want {
			t.Errorf("in %s there are %v, %v", d, entries, err)
		}
	}
}

// files returns what is below dir: mode, and content or target of each.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		said := info.Mode().Type().String()
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			// The owner may always write; the image store sets the rest.
			said = (info.Mode().Perm() &^ 0o066).String() + " " + string(data)
		case info.Mode()&os.ModeSymlink != 0:
			if said, err = os.Readlink(file); err != nil {
				return err
			}
		}
		out[name] = said
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
