package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"praxis/internal/guest/wire"
)

// work makes a folder with two files and one who has looked at it.
func work(t *testing.T) (*changes, folder) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "d/b"} {
		write(t, filepath.Join(dir, name), "text")
	}
	// Times of long ago: those of a write that comes now are others, however
	// coarse the file system keeps them.
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"a", "d/b", "d", "."} {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	c, f := &changes{}, folder{path: dir}
	c.before(f)
	return c, f
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestStale(t *testing.T) {
	c := &changes{}
	if !c.stale() {
		t.Error("nobody looked, and it is not stale")
	}
	c, f := work(t)
	if c.stale() {
		t.Error("stale after a look")
	}
	over := c.writing()
	c.before(f)
	if !c.stale() {
		t.Error("not stale while somebody writes")
	}
	over()
	if !c.stale() {
		t.Error("not stale although somebody wrote since the look")
	}
	if c.after(f, nil, false); c.stale() {
		t.Error("stale after a second look")
	}
}

// TestUnchangedMissesNothing changes one thing at a time.
func TestUnchangedMissesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(dir string) error
		want   string
	}{
		"nothing":   {func(string) error { return nil }, ""},
		"content":   {func(d string) error { return os.WriteFile(d+"/a", []byte("TEXT"), 0o600) }, "changed a"},
		"deeper":    {func(d string) error { return os.WriteFile(d+"/d/b", []byte("TEXT"), 0o600) }, "changed d/b"},
		"new":       {func(d string) error { return os.WriteFile(d+"/d/c", nil, 0o600) }, "created d/c"},
		"gone":      {func(d string) error { return os.Remove(d + "/a") }, "removed a"},
		"moved":     {func(d string) error { return os.Rename(d+"/a", d+"/d/b") }, "removed a"}, // both had the same text,
		"folder":    {func(d string) error { return os.Rename(d+"/d", d+"/e") }, "removed d/b, created e/b"},
		"now link":  {func(d string) error { return swapForLink(d+"/d", "/etc") }, "removed d/b"},
		"mode":      {func(d string) error { return os.Chmod(d+"/a", 0o600) }, ""},
		"times":     {func(d string) error { return os.Chtimes(d+"/a", time.Now(), time.Now()) }, ""},
		"same text": {func(d string) error { return os.WriteFile(d+"/a", []byte("text"), 0o600) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c, f := work(t)
			if err := tt.change(f.path); err != nil {
				t.Fatal(err)
			}
			if unchanged := c.unchanged(f, false); unchanged != (name == "nothing") {
				t.Errorf("unchanged is %v", unchanged)
			}
			all, unlisted := c.after(f, nil, false)
			var got []string
			for _, one := range all {
				rel, err := filepath.Rel(f.path, one.Path)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, one.Kind+" "+rel)
			}
			if text := strings.Join(got, ", "); text != tt.want || unlisted != "" {
				t.Errorf("got %q, %q, want %q", text, unlisted, tt.want)
			}
			if err := all.Check(f.path); err != nil {
				t.Error(err)
			}
			if again, _ := c.after(f, nil, false); len(again) > 0 {
				t.Errorf("told twice: %v", again)
			}
		})
	}
}

func swapForLink(dir, target string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Symlink(target, dir)
}

func TestHasherKeepsItsBounds(t *testing.T) {
	c, f := work(t)
	names := []string{"a", "d/b", "nothing"}
	look := func(h hasher) (listing, hasher) {
		l := c.look(f)
		l.files["nothing"] = seen{}
		l.hash(f, names, &h)
		return l, h
	}
	if l, h := look(hasher{left: 100, opens: 100}); !l.files["a"].summed || !l.files["d/b"].summed || h.unread != 1 || h.left != 92 || h.opens != 96 {
		t.Errorf("with room: %+v", h)
	}
	if l, h := look(hasher{left: 7, opens: 100}); !l.files["a"].summed || l.files["d/b"].summed || h.large != 1 {
		t.Errorf("with little room: %+v", h)
	}
	// "a" and "nothing" are one name each, "d/b" is two.
	if l, h := look(hasher{left: 100, opens: 2}); !l.files["a"].summed || l.files["d/b"].summed || h.deep != 1 || h.unread != 1 || h.opens != 0 {
		t.Errorf("with few names to open: %+v", h)
	}
}

// What lies in a folder that cannot be read any more is neither gone nor forgotten.
func TestHiddenFilesAreNotGone(t *testing.T) {
	c, f := work(t)
	deep := strings.TrimSuffix(strings.Repeat("f/", maxDepth+1), "/")
	if err := os.MkdirAll(filepath.Join(f.path, deep), 0o755); err != nil {
		t.Fatal(err)
	}
	c.last.files[deep+"/x"] = seen{size: 1}
	for range 2 {
		all, unlisted := c.after(f, nil, false)
		if len(all) != 0 || unlisted != "one folder could not be read" {
			t.Errorf("got %v, %q", all, unlisted)
		}
		if _, ok := c.last.files[deep+"/x"]; !ok {
			t.Error("it was forgotten")
		}
	}
}

func TestChangesAreCutToWhatMayBeSent(t *testing.T) {
	long := strings.Repeat("x", wire.MaxPath)
	all := make(wire.Changes, wire.MaxChangeBytes/wire.MaxPath+3)
	for i := range all {
		all[i].Path = long
	}
	if cut, more := bounded(all); len(cut) != len(all)-3 || more != 3 {
		t.Errorf("%d told, %d left out", len(cut), more)
	}
	if cut, more := bounded(make(wire.Changes, wire.MaxChanges)); len(cut) != wire.MaxChanges || more != 0 {
		t.Errorf("%d told, %d left out", len(cut), more)
	}
}
