package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fence finds the blocks of the README that are run, with the word behind the language.
var fence = regexp.MustCompile("(?ms)^```(sh|go)(?: (\\w+)=(\\w+))?\n(.*?)^```$")

// notRun says why a block with skip=WORD is not run here.
func notRun() map[string]string {
	return map[string]string{
		"builds": "it builds and tests the program",
		"key":    "it needs a model's key, packages or hosts of one's own",
		"serves": "it goes on, at an address that another may have; tests of the server and its clients do the same",
	}
}

// TestREADME runs the blocks of the README in their order in a fresh folder, which
// has the examples. Where a block asks a model, model=WORD names the script that
// is played instead.
func TestREADME(t *testing.T) {
	requireSandbox(t)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir, home := t.TempDir(), filepath.Join(t.TempDir(), "home")
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join(root, "examples"))); err != nil {
		t.Fatal(err)
	}
	// In the checkout it is a link: a reader of the README finds the files there.
	if _, err := os.Stat(filepath.Join(root, "examples", "demo", "co2.csv")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "examples", "demo")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "examples", "demo"), os.DirFS(filepath.Join(root, "internal", "demo"))); err != nil {
		t.Fatal(err)
	}
	if err := (&scripts{}).furnish(home); err != nil {
		t.Fatal(err)
	}
	blocks := fence.FindAllStringSubmatch(string(text), -1)
	if marks := strings.Count("\n"+string(text), "\n```sh") + strings.Count("\n"+string(text), "\n```go"); marks != len(blocks) || marks < 8 {
		t.Fatalf("%d blocks of %d are found", len(blocks), marks)
	}
	for _, b := range blocks {
		language, key, word, code := b[1], b[2], b[3], b[4]
		name, _, _ := strings.Cut(code, "\n")
		env := append(os.Environ(), "PRAXIS_HOME="+home, "PRAXIS_MODEL=", "XDG_CONFIG_HOME=")
		switch key {
		case "skip":
			if notRun()[word] == "" {
				t.Errorf("%q: there is no reason %q", name, word)
			}
			t.Logf("not run: %q: %s", name, notRun()[word])
			continue
		case "model":
			script := filepath.Join(root, "cmd", "praxis", "testdata", "readme", word+".script")
			if word == "co2" { // the demonstration's own
				script = filepath.Join(root, "internal", "demo", "co2.script")
			}
			env = append(env, "PRAXIS_MODEL=scripted:"+script)
		}
		cmd := exec.Command("sh", "-euc", code)
		cmd.Dir = dir
		if language == "go" {
			cmd = goBlock(t, root, code)
		}
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", name, err, out)
		}
		if language == "go" && string(out) != "ok 42\n" {
			t.Errorf("the Go block prints %q", out)
		}
	}
}

// goBlock builds a program that stands in the README.
func goBlock(t *testing.T, root, code string) *exec.Cmd {
	t.Helper()
	main := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(main, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	program := strings.TrimSuffix(main, ".go")
	build := exec.Command("go", "build", "-o", program, main)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the Go block does not build: %v\n%s", err, out)
	}
	return exec.Command(program)
}
