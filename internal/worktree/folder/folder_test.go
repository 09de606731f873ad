package folder_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"praxis/fault"
	"praxis/internal/worktree"
	"praxis/internal/worktree/folder"
)

// fill writes files, "name -> target" is a symbolic link.
func fill(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name, to, link := strings.Cut(name, " -> ")
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		err := error(nil)
		if link {
			err = os.Symlink(to, p)
		} else {
			err = os.WriteFile(p, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	bin, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git on this machine")
	}
	cmd := exec.Command(bin, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestAsGit reads what git lists as tracked and as neither tracked nor ignored.
func TestAsGit(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, map[string]string{
		".gitignore": "*.log\n/build/\n!keep.log\ndoc/**/tmp\n# a comment\n\\#odd\nspace\\ \n*.py[co]\nvendor\n/only\nsub/deep\n",
		"a.go":       "x", "a.log": "x", "keep.log": "x", "build/out": "x", "sub/build/out": "x", "doc/a/b/tmp/x": "x", "doc/tmp": "x", "#odd": "x", "space ": "x",
		"x.pyc": "x", "x.pyz": "x", "vendor/lib.go": "x", "only": "x", "sub/only": "x", "sub/deep/file": "x", "sub/.gitignore": "*.txt\n!good.txt\n/local\n",
		"sub/a.txt": "x", "sub/good.txt": "x", "sub/local": "x", "sub/more/local": "x", "sub/more/a.txt": "x", "dist/tracked.log": "x", "build/kept": "x", "sub/link -> good.txt": "",
		"excluded": "x",
	})
	git(t, dir, "init", "-q")
	git(t, dir, "add", "-f", "dist/tracked.log", "build/kept", "a.go")
	if err := os.WriteFile(filepath.Join(dir, ".git/info/exclude"), []byte("excluded\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"", "sub"} {
		at := filepath.Join(dir, sub)
		want := strings.Split(strings.TrimSuffix(git(t, at, "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00"), "\x00")
		slices.Sort(want)
		tree, left, err := folder.Read(at, nil)
		if err != nil || len(left) > 0 {
			t.Fatalf("%v, left out %v", err, left)
		}
		if got := tree.Paths(); !slices.Equal(got, want) {
			t.Errorf("in %q: got\n%q\nwant\n%q", sub, got, want)
		}
	}
}

func TestLeftOut(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, map[string]string{"a.py": "x", ".env": "KEY=1", ".env.example": "KEY=", "conf/server.key": "x", ".git/config": "x", "sub/.git/HEAD": "x", "sub/b.py": "x"})
	tree, left, err := folder.Read(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := tree.Paths(); !slices.Equal(got, []string{".env.example", "a.py", "sub/b.py"}) {
		t.Errorf("read %q", got)
	}
	if len(left) != 2 || left[0].Path != ".env" || left[1].Path != "conf/server.key" {
		t.Errorf("left out %v", left)
	}
	if tree, _, err = folder.Read(dir, []string{"conf/server.key"}); err != nil || tree["conf/server.key"].Data == nil {
		t.Errorf("an included file is not there: %v", err)
	}
}

func TestRefused(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"leads out of the folder, to ../..": {"a": "x", "l -> ../..": ""},
		"leads out of the folder, to /etc":  {"a": "x", "sub/l -> /etc": ""},
		"holds no file":                     {},
		"longer than":                       {"a": strings.Repeat("x", folder.MaxFile+1)},
	} {
		dir := t.TempDir()
		fill(t, dir, files)
		if _, _, err := folder.Read(dir, nil); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := folder.Read(filepath.Join(t.TempDir(), "none"), nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("no folder: %v", err)
	}
}

func TestApply(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, map[string]string{"a": "1", "gone/b": "2", "c": "3", "old": "4", ".gitignore": "hidden\n", "hidden": "h"})
	before, _, err := folder.Read(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := func(s string) worktree.File { return worktree.File{Data: []byte(s)} }
	if err := os.Chmod(filepath.Join(dir, "a"), 0o600); err != nil {
		t.Fatal(err)
	}
	after := worktree.Tree{"a": f("one"), "c": {Data: []byte("3"), Executable: true}, "new/old": f("4"), "n/m/x": f("5"), ".gitignore": before[".gitignore"], "l": {Link: "a"}}
	if err := folder.Apply(dir, nil, before, worktree.Changes(before, after)); err != nil {
		t.Fatal(err)
	}
	got, _, err := folder.Read(dir, nil)
	if err != nil || got.Sum() != after.Sum() {
		t.Errorf("the folder holds %v: %v", got.Paths(), err)
	}
	if info, err := os.Stat(filepath.Join(dir, "a")); err != nil || info.Mode() != 0o600 {
		t.Errorf("a changed file has the mode %v: %v", info.Mode(), err)
	}
	if _, err := os.Stat(filepath.Join(dir, "gone")); !os.IsNotExist(err) {
		t.Errorf("an empty folder stays: %v", err)
	}

	// What changed meanwhile is refused, and what cannot be done as a whole is not done at all.
	if err := folder.Apply(dir, nil, before, worktree.Changes(before, after)); fault.KindOf(err) != fault.Conflict {
		t.Errorf("another folder: %v", err)
	}
	bad := worktree.Tree{"a": f("two"), "hidden": f("x")}
	if err := folder.Apply(dir, nil, got, worktree.Changes(got, bad)); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a file that was left out: %v", err)
	}
	broken := []worktree.Change{{Path: "a", Before: ptr(f("one")), After: ptr(f("two"))}, {Path: "n/new", After: ptr(f("x"))}, {Path: "never", Before: ptr(f("x"))}}
	if err := folder.Apply(dir, nil, got, broken); err == nil {
		t.Error("a file was removed that is not there")
	}
	if again, _, err := folder.Read(dir, nil); err != nil || again.Sum() != got.Sum() {
		t.Errorf("what failed left %v: %v", again.Paths(), err)
	}
	if info, err := os.Stat(filepath.Join(dir, "a")); err != nil || info.Mode() != 0o600 {
		t.Errorf("a file that was put back has the mode %v: %v", info.Mode(), err)
	}

	// Nothing is written through a link that git ignores, nor over what was saved a moment ago.
	if err := os.MkdirAll(filepath.Join(dir, ".git", "hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".git/hooks", filepath.Join(dir, "hidden2")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("hidden\nhidden2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, _, err = folder.Read(dir, nil); err != nil {
		t.Fatal(err)
	}
	if err := folder.Apply(dir, nil, got, []worktree.Change{{Path: "hidden2/post-commit", After: ptr(f("x"))}}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a file below a link: %v", err)
	}
	if err := folder.Apply(dir, nil, got, []worktree.Change{{Path: "a", Before: ptr(f("older")), After: ptr(f("two"))}}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a file that was saved meanwhile: %v", err)
	}
	if again, _, err := folder.Read(dir, nil); err != nil || again.Sum() != got.Sum() {
		t.Errorf("what was refused left %v: %v", again.Paths(), err)
	}
}

func ptr(f worktree.File) *worktree.File { return &f }

// TestPipes reads a project with pipes in the place of git's files: nothing waits for them.
func TestPipes(t *testing.T) {
	for _, name := range []string{".git", ".gitignore", ".git/index", ".git/info/exclude"} {
		dir := t.TempDir()
		fill(t, dir, map[string]string{"a": "1"})
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(at, 0o644); err != nil {
			t.Fatal(err)
		}
		got, _, err := folder.Read(dir, nil)
		if name == ".git/index" {
			if err == nil {
				t.Error("an index that is a pipe was read")
			}
		} else if err != nil || got["a"].Data == nil {
			t.Errorf("%s: %v, %v", name, got.Paths(), err)
		}
	}
}
