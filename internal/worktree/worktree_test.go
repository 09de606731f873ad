package worktree_test

import (
	"archive/tar"
	"bytes"
	"slices"
	"testing"

	"praxis/internal/worktree"
)

func TestArchive(t *testing.T) {
	tree := worktree.Tree{"a/b.txt": {Data: []byte("x")}, "run": {Data: []byte("y"), Executable: true}, "link": {Link: "a/b.txt"}, "empty": {}}
	data, err := tree.Archive()
	if err != nil {
		t.Fatal(err)
	}
	again, err := tree.Archive()
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("the same tree made another archive: %v", err)
	}
	got, left, err := worktree.Read(bytes.NewReader(data))
	if err != nil || len(left) > 0 || got.Sum() != tree.Sum() {
		t.Errorf("read %v, left out %v: %v", got, left, err)
	}
}

// TestHostile reads what leads out of the folder or into git's files.
func TestHostile(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range []tar.Header{
		{Name: "../x", Typeflag: tar.TypeReg}, {Name: "/etc/passwd", Typeflag: tar.TypeReg}, {Name: ".git/hooks/post-commit", Typeflag: tar.TypeReg, Mode: 0o755},
		{Name: "sub/.GIT/config", Typeflag: tar.TypeReg}, {Name: "a\nb", Typeflag: tar.TypeReg}, {Name: "out", Typeflag: tar.TypeSymlink, Linkname: "../../etc"},
		{Name: "abs", Typeflag: tar.TypeSymlink, Linkname: "/etc"}, {Name: "hooks", Typeflag: tar.TypeSymlink, Linkname: ".git/hooks"},
		{Name: "dev", Typeflag: tar.TypeChar}, {Name: "hard", Typeflag: tar.TypeLink, Linkname: "x"}, {Name: "dir", Typeflag: tar.TypeDir}, {Name: "./good", Typeflag: tar.TypeReg},
	} {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, left, err := worktree.Read(&b)
	if err != nil || !slices.Equal(got.Paths(), []string{"good"}) || len(left) != 10 {
		t.Errorf("read %v, left out %q: %v", got.Paths(), left, err)
	}
}

// TestSettled reads a file below a file, which no folder can hold.
func TestSettled(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range []string{"a/b/c", "a", "x"} {
		if err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, _, err := worktree.Read(&b)
	if err != nil || !slices.Equal(got.Paths(), []string{"a", "x"}) {
		t.Errorf("read %v: %v", got.Paths(), err)
	}
	got.Put("a/b", worktree.File{})
	if !slices.Equal(got.Paths(), []string{"a/b", "x"}) {
		t.Errorf("put %v", got.Paths())
	}
}

// TestLeaves reads links of which each is within the folder, and that lead out together:
// a/b/c is the folder top, so that a/b/c/../.. is above all.
func TestLeaves(t *testing.T) {
	for target, leaves := range map[string]bool{"a/b/c/../../x": true, "a/..": true, "a/./b": false, "./a": false, "..": true, ".": false} {
		if got := worktree.Leaves("l", target); got != leaves {
			t.Errorf("%s: %v", target, got)
		}
	}
	if worktree.Leaves("a/b/c", "../../top") || worktree.Leaves("a/b", ".././x") {
		t.Error("a link to a neighbor is refused")
	}
}

func TestChanges(t *testing.T) {
	f := func(s string) worktree.File { return worktree.File{Data: []byte(s)} }
	before := worktree.Tree{"same": f("1"), "changed": f("1"), "gone": f("2"), "moved": f("3"), "mode": f("4"), "empty": f("")}
	after := worktree.Tree{"same": f("1"), "changed": f("9"), "new": f("5"), "to": f("3"), "mode": {Data: []byte("4"), Executable: true}, "empty2": f("")}
	var got []string
	for _, c := range worktree.Changes(before, after) {
		got = append(got, c.Kind()+" "+c.Path)
	}
	want := []string{"changed changed", "removed empty", "created empty2", "removed gone", "changed mode", "created new", "renamed to"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzRead(f *testing.F) {
	data, err := (worktree.Tree{"a": {Data: []byte("x")}, "l": {Link: "a"}}).Archive()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, _, err := worktree.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for p, file := range tree {
			if worktree.CheckPath(p) != nil || file.Link != "" && worktree.Leaves(p, file.Link) {
				t.Errorf("took %q, a link to %q", p, file.Link)
			}
		}
		packed, err := tree.Archive()
		if err != nil {
			t.Fatal(err)
		}
		again, left, err := worktree.Read(bytes.NewReader(packed))
		if err != nil || len(left) > 0 || again.Sum() != tree.Sum() {
			t.Errorf("read again: %v, %v", left, err)
		}
	})
}
