package patch_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/worktree"
	"praxis/internal/worktree/patch"
)

func file(s string) worktree.File { return worktree.File{Data: []byte(s)} }

// TestWrite fixes the form of every kind of change.
func TestWrite(t *testing.T) {
	before := worktree.Tree{
		"a.txt": file("one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n"), "gone.txt": file("x\n"), "old name.txt": file("same\n"),
		"run.sh": file("echo\n"), "bin": file("a\x00b"), "end": file("no end"),
	}
	after := worktree.Tree{
		"a.txt": file("one\n2\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"), "new ü.txt": file("y"), "dir/new name.txt": file("same\n"),
		"run.sh": {Data: []byte("echo\n"), Executable: true}, "bin": file("a\x00c"), "end": file("no end\n"), "link": {Link: "a.txt"},
	}
	got := string(patch.Write(worktree.Changes(before, after)))
	for _, want := range []string{
		"diff --git a/a.txt b/a.txt\nindex ", " 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1,5 +1,5 @@\n one\n-two\n+2\n three\n four\n five\n@@ -7,3 +7,4 @@\n seven\n eight\n nine\n+ten\n",
		"diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n", "--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
		"diff --git a/old name.txt b/dir/new name.txt\nsimilarity index 100%\nrename from old name.txt\nrename to dir/new name.txt\n",
		"diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n",
		"GIT binary patch\nliteral 3\n",
		`+++ "b/new \303\274.txt"` + "\n@@ -0,0 +1 @@\n+y\n\\ No newline at end of file\n",
		"-no end\n\\ No newline at end of file\n+no end\n",
		"new file mode 120000\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the patch lacks\n%s\nin\n%s", want, got)
		}
	}
}

// TestApply has git apply what was written: the result must be what it was written for.
func TestApply(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git on this machine")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 60 {
		before, after := worktree.Tree{}, worktree.Tree{}
		for i := range 4 {
			p := fmt.Sprintf("d%d/file %d.txt", i%2, i)
			f := worktree.File{Data: text(r, 40), Executable: r.IntN(5) == 0}
			if r.IntN(4) > 0 {
				before[p] = f
			}
			switch r.IntN(6) {
			case 0:
			case 1:
				after["moved/"+p] = f
			case 2:
				after[p] = worktree.File{Data: binaryText(r)}
			case 3:
				after[p] = worktree.File{Link: "elsewhere"}
			default:
				after[p] = worktree.File{Data: mutate(r, f.Data), Executable: r.IntN(5) == 0}
			}
		}
		dir := t.TempDir()
		put(t, dir, before)
		cmd := exec.Command(git, "apply", "--whitespace=nowarn", "-")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(string(patch.Write(worktree.Changes(before, after))))
		cmd.Env = append(os.Environ(), "GIT_DIR=/nonexistent", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		changes := worktree.Changes(before, after)
		if len(changes) == 0 {
			continue
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("case %d: git apply: %v\n%s\n%s", n, err, out, patch.Write(changes))
		}
		got := take(t, dir)
		if d := worktree.Changes(got, after); len(d) > 0 {
			t.Fatalf("case %d: %d files differ, the first is %s:\n%v\nwant\n%v\n%s", n, len(d), d[0].Path, d[0].Before, d[0].After, patch.Write(changes))
		}
	}
}

func text(r *rand.Rand, most int) []byte {
	var b strings.Builder
	for range r.IntN(most) {
		fmt.Fprintf(&b, "line %d\n", r.IntN(12))
	}
	s := b.String()
	if r.IntN(3) == 0 {
		s = strings.TrimSuffix(s, "\n")
	}
	return []byte(s)
}

func binaryText(r *rand.Rand) []byte {
	out := make([]byte, r.IntN(300))
	for i := range out {
		out[i] = byte(r.IntN(256))
	}
	return out
}

func mutate(r *rand.Rand, data []byte) []byte {
	lines := strings.SplitAfter(string(data), "\n")
	for range r.IntN(6) {
		if i := r.IntN(len(lines)); r.IntN(2) == 0 {
			lines[i] = fmt.Sprintf("new %d\n", r.IntN(9)) + lines[i]
		} else {
			lines[i] = ""
		}
	}
	return []byte(strings.Join(lines, ""))
}

func put(t *testing.T, dir string, tree worktree.Tree) {
	t.Helper()
	for p, f := range tree {
		name, mode := filepath.Join(dir, p), os.FileMode(0o644)
		if f.Executable {
			mode = 0o755
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, mode); err != nil {
			t.Fatal(err)
		}
	}
}

func take(t *testing.T, dir string) worktree.Tree {
	t.Helper()
	out := worktree.Tree{}
	err := filepath.Walk(dir, func(name string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		p, _ := filepath.Rel(dir, name)
		if info.Mode()&os.ModeSymlink != 0 {
			to, err := os.Readlink(name)
			out[p] = worktree.File{Link: to}
			return err
		}
		data, err := os.ReadFile(name)
		out[p] = worktree.File{Data: data, Executable: info.Mode()&0o100 != 0}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
