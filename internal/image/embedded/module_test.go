//go:build !packed

package embedded

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"praxis/internal/image/embedded/archive"
)

func TestSweep(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	old, fresh := filepath.Join(os.TempDir(), "go-embedded-pip-praxis-old"), filepath.Join(os.TempDir(), "go-embedded-pip-praxis-new")
	for _, d := range []string{old, fresh} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	before := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, before, before); err != nil {
		t.Fatal(err)
	}
	Sweep()
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("the old one: %v", err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("the fresh one: %v", err)
	}
}

// TestPackedIsTheModule checks that both ways to carry the module unpack to the
// same files.
func TestPackedIsTheModule(t *testing.T) {
	text, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/kluctl/go-embed-python").Output()
	if err != nil {
		t.Skipf("the go command, which knows where the module is, does not run: %v", err)
	}
	module := strings.TrimSpace(string(text))
	for _, c := range []struct {
		name   string
		from   string
		drop   archive.Drop
		unpack func(string) error
	}{
		{"python", "python/internal/data/linux-" + runtime.GOARCH, archive.PythonDrop(), Python},
		{"pip", "pip/internal/data", archive.PipDrop(), Pip},
	} {
		t.Run(c.name, func(t *testing.T) {
			var packed bytes.Buffer
			if err := archive.Pack(&packed, os.DirFS(filepath.Join(module, c.from)), c.drop); err != nil {
				t.Fatal(err)
			}
			a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
			if err := archive.Unpack(&packed, a); err != nil {
				t.Fatal(err)
			}
			if err := c.unpack(b); err != nil {
				t.Fatal(err)
			}
			got, want := files(t, a), files(t, b)
			for name := range want {
				if _, ok := got[name]; !ok {
					t.Errorf("%s is not in the archive", name)
				}
			}
			for name, content := range got {
				if want[name] != content {
					t.Errorf("%s differs", name)
				}
			}
			if len(got) < 300 {
				t.Errorf("there are %d files", len(got))
			}
		})
	}
}
