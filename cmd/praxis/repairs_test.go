package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/test/prepared"
)

var allRepairs = flag.Bool("all-repairs", false, "repair every broken program of the examples, those of Go and C too, for which images are built")

// TestRepairs repairs broken programs of the examples by replies that take the change back:
// as each is, its tests fail, and repaired they pass.
func TestRepairs(t *testing.T) {
	requireSandbox(t)
	home := filepath.Join(t.TempDir(), "home")
	if err := (&scripts{}).furnish(home); err != nil {
		t.Fatal(err)
	}
	without := map[string]string{}
	if err := prepared.Node(home); fault.KindOf(err) == fault.Unavailable {
		without["js-"] = "the registry of npm cannot be reached"
	} else if err != nil {
		t.Fatal(err)
	}
	if *allRepairs {
		compilers(t, home, without)
	} else {
		without["go-"] = "an image with its compiler takes minutes: -all-repairs takes them, as \"make nightly\" does"
		without["c-"] = without["go-"]
	}
	dir, n := filepath.Join("..", "..", "examples", "repairs"), 0
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var chosen []string
	skipped := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c struct{ ID string }
		if json.Unmarshal(lines.Bytes(), &c) != nil {
			continue
		}
		language, _, _ := strings.Cut(c.ID, "-")
		if without[language+"-"] != "" {
			skipped[language+"-"]++
			continue
		}
		chosen, n = append(chosen, lines.Text()), n+1
	}
	for language, why := range without {
		t.Logf("%d programs %s… are left out: %s", skipped[language], language, why)
	}
	if n < 22 { // those of Python are always there
		t.Fatalf("there are %d programs", n)
	}
	if err := os.WriteFile(filepath.Join(work, "chosen.jsonl"), []byte(strings.Join(chosen, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := program(home, work, "eval", "chosen.jsonl", "--model", "replies", "--json")
	right := len(regexp.MustCompile(`"verdict":"passed"`).FindAll(out, -1))
	if err != nil || right < n {
		t.Errorf("%d of %d were repaired: %v\n%s", right, n, err, out)
	}
}

// program runs the program in a folder with a data folder.
func program(home, dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Args[0], cmd.Dir = asProgram, dir
	cmd.Env = append(os.Environ(), "PRAXIS_HOME="+home, "PRAXIS_MODEL=")
	return cmd.CombinedOutput()
}

// block finds the image files in the documentation.
var block = regexp.MustCompile("(?ms)^```yaml\n# (\\w+\\.yaml).*?\n(.*?)^```$")

// compilers builds the images with compilers, of the files in the documentation: that of Go of
// the toolchain which runs the tests, that of C of a package of Python's index.
func compilers(t *testing.T, home string, without map[string]string) {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "fix.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := block.FindAllStringSubmatch(string(doc), -1)
	if len(files) != 2 {
		t.Fatalf("the documentation has %d files of images", len(files))
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f[1]), []byte(f[2]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil || runtime.GOOS != "linux" {
		without["go-"] = "there is no toolchain of Go for Linux"
	} else {
		for _, part := range []string{"bin", "pkg", "src", "lib"} {
			if err := os.CopyFS(filepath.Join(dir, "go", part), os.DirFS(filepath.Join(strings.TrimSpace(string(goroot)), part))); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"VERSION", "go.env"} {
			data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), name))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "go", name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if out, err := program(home, dir, "image", "build", "go.yaml"); err != nil {
			t.Fatalf("image build go.yaml: %v: %s", err, out)
		}
	}
	if out, err := program(home, dir, "image", "build", "cc.yaml"); err != nil {
		if !strings.Contains(string(out), "cannot reach") {
			t.Fatalf("image build cc.yaml: %v: %s", err, out)
		}
		without["c-"] = "the index of Python's packages cannot be reached"
	}
}
