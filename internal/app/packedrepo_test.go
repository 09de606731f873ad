package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/run"
	"praxis/internal/worktree"
)

// TestPackedRepo checks that a project which somebody else changes is changed here by what was
// changed in it, as one that is changed here; and by nothing else.
func TestPackedRepo(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.py": "a = 1\n", "old.py": "old\n", "gone.py": "gone\n", "same.py": "same\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	spec := RepoSpec{Dir: dir, Test: "true"}
	here, err := PackRepo(spec, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	there, err := PackRepo(RepoSpec{Packed: &PackedRepo{Name: here.Name, Files: here.Files}}, event.Discard)
	if err != nil || there.Name != filepath.Base(dir) || there.tree.Sum() != here.tree.Sum() {
		t.Fatalf("got %q, %v", there.Name, err)
	}
	after := worktree.Tree{"a.py": {Data: []byte("a = 2\n")}, "new.py": {Data: []byte("old\n")}, "same.py": there.tree["same.py"], "sub/b.sh": {Data: []byte("b\n"), Executable: true}}
	made := run.Changed(there.tree, after)
	sent, err := (&RepoResult{changes: made.Changes, files: there.tree}).Packed()
	if err != nil {
		t.Fatal(err)
	}
	var got RepoResult
	if err := got.Unpack(here, sent); err != nil {
		t.Fatal(err)
	}
	if string(got.Diff) != string(made.Diff) || len(got.Files) != 4 || !strings.Contains(string(got.Diff), "rename from old.py") {
		t.Errorf("got %v\n%s", got.Files, got.Diff)
	}
	if err := ApplyPatch(spec, &got); err != nil {
		t.Fatal(err)
	}
	now, err := PackRepo(spec, event.Discard)
	if err != nil || now.tree.Sum() != after.Sum() {
		t.Errorf("the folder is not as it was made: %v %v", now.tree.Paths(), err)
	}

	// What is of other files, and what no project can have, is refused.
	if err := got.Unpack(now, sent); fault.KindOf(err) != fault.Conflict {
		t.Errorf("changes of other files: %v", err)
	}
	for _, name := range []string{".git/hooks/pre-commit", "../outside", "/etc/passwd"} {
		evil, err := worktree.Tree{name: {Data: []byte("x")}}.Archive()
		if err != nil {
			t.Fatal(err)
		}
		if err := new(RepoResult).Unpack(here, RepoChanges{Of: here.tree.Sum(), Files: evil}); err == nil {
			t.Errorf("%s was taken over", name)
		}
	}
	if _, err := PackRepo(RepoSpec{Packed: &PackedRepo{Files: []byte("no archive, and longer than a block of one is, which has five hundred and twelve bytes" + strings.Repeat(".", 600))}}, event.Discard); fault.KindOf(err) != fault.Invalid {
		t.Errorf("no archive: %v", err)
	}
}
