package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"praxis/internal/guest/wire"
)

// rested is work with a watch, which comes after two executions that changed nothing.
func rested(t *testing.T) (*changes, folder) {
	t.Helper()
	c, f := work(t)
	for i := range 2 {
		if c.watch.Load() != nil {
			t.Fatalf("an alarm after %d executions", i)
		}
		if all, unlisted := c.after(f, nil, true); len(all) > 0 || unlisted != "" {
			t.Fatalf("%v %s", all, unlisted)
		}
	}
	if c.watch.Load() == nil {
		t.Fatal("no alarm")
	}
	t.Cleanup(c.stopWatching)
	return c, f
}

func TestFileWatchFires(t *testing.T) {
	outside := t.TempDir()
	for name, do := range map[string]func(dir string) error{
		"write":         func(d string) error { return os.WriteFile(d+"/a", []byte("TEXT"), 0o600) },
		"write deeper":  func(d string) error { return os.WriteFile(d+"/d/b", []byte("TEXT"), 0o600) },
		"truncate":      func(d string) error { return os.Truncate(d+"/a", 1) },
		"create":        func(d string) error { return os.WriteFile(d+"/c", nil, 0o600) },
		"create deeper": func(d string) error { return os.WriteFile(d+"/d/c", nil, 0o600) },
		"remove":        func(d string) error { return os.Remove(d + "/a") },
		"move away":     func(d string) error { return os.Rename(d+"/a", outside+"/a") },
		"move here":     func(d string) error { return os.Rename(outside+"/given", d+"/d/given") },
		"move a folder": func(d string) error { return os.Rename(d+"/d", outside+"/d") },
		"make a folder": func(d string) error { return os.Mkdir(d+"/e", 0o700) },
		"link away":     func(d string) error { return os.Link(d+"/a", outside+"/link") },
		"link here":     func(d string) error { return os.Link(outside+"/linked", d+"/link") },
		"times":         func(d string) error { return os.Chtimes(d+"/a", time.Now(), time.Now()) },
		"mode":          func(d string) error { return os.Chmod(d+"/d", 0o700) },
		"itself":        func(d string) error { return os.Rename(d, d+".away") },
	} {
		t.Run(name, func(t *testing.T) {
			write(t, outside+"/given", "text")
			write(t, outside+"/linked", "text")
			c, f := rested(t)
			a := c.watch.Load()
			if !a.silent() || !c.stillHolds(f, a) || !c.unchanged(f, false) {
				t.Fatal("it rang too early")
			}
			if _, err := os.ReadFile(f.path + "/a"); err != nil {
				t.Fatal(err)
			}
			if !a.silent() {
				t.Fatal("it rang for reading")
			}
			if err := do(f.path); err != nil {
				t.Fatal(err)
			}
			if a.silent() {
				t.Error("it did not ring")
			}
			c.after(f, nil, true)
			if c.watch.Load() != nil || !a.fired.Load() || c.stillHolds(f, a) {
				t.Error("it is still relied on")
			}
		})
	}
}

// A watch is for one listing, and not for what others did meanwhile.
func TestFileWatchIsIgnored(t *testing.T) {
	c, f := rested(t)
	a := c.watch.Load()
	if c.stillHolds(folder{path: filepath.Join(f.path, "d")}, a) || c.unchanged(folder{path: filepath.Join(f.path, "d")}, false) {
		t.Error("heard for another folder")
	}
	if c.stillHolds(f, nil) || c.stillHolds(f, &fileWatch{fd: a.fd}) {
		t.Error("another one was heard")
	}
	over := c.writing()
	if c.stillHolds(f, a) {
		t.Error("heard while somebody writes")
	}
	over()
	if c.stillHolds(f, a) {
		t.Error("heard after somebody wrote")
	}
	if c.before(f); c.stale() || c.watch.Load() != a || !c.stillHolds(f, a) {
		t.Error("not heard after it was asked")
	}
	if err := os.Rename(f.path, f.path+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(f.path, 0o700); err != nil {
		t.Fatal(err)
	}
	if c.inPlace(f) || c.stillHolds(f, a) {
		t.Error("heard for what is somewhere else now")
	}
	c.stopWatching()
	if !a.fired.Load() || a.silent() || c.watch.Load() != nil {
		t.Error("not closed")
	}
}

func TestNoFileWatch(t *testing.T) {
	for name, prepare := range map[string]func(c *changes, dir string) error{
		"a file with two names": func(_ *changes, d string) error { return os.Link(d+"/a", t.TempDir()+"/link") },
		"a file that had two": func(c *changes, d string) error {
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Link(d+"/a", link); err != nil {
				return err
			}
			c.after(folder{path: d}, nil, true)
			return os.Remove(link)
		},
		"too much": func(_ *changes, d string) error {
			for i := range maxWatches {
				if err := os.Mkdir(fmt.Sprint(d, "/d/", i), 0o700); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, f := work(t)
			if err := prepare(c, f.path); err != nil {
				t.Fatal(err)
			}
			for range 4 {
				if _, unlisted := c.after(f, nil, true); unlisted != "" || c.watch.Load() != nil {
					t.Fatalf("an alarm, or %q", unlisted)
				}
			}
			write(t, f.path+"/d/b", "seen nevertheless")
			if all, _ := c.after(f, nil, true); len(all) != 1 || all[0].Kind != wire.Altered {
				t.Errorf("told %v", all)
			}
		})
	}
	c, f := rested(t)
	c.stopWatching()
	for range 4 {
		if c.after(f, nil, false); c.watch.Load() != nil {
			t.Error("an alarm that nobody waits for")
		}
	}
	c.last.files["gone"] = c.last.files["a"]
	if a := newFileWatch(&c.last); a != nil {
		t.Error("an alarm without all its watches")
	}
}

// What is written while the watches are set up is seen by the look that follows.
func TestFileWatchIsSetUpBeforeTheLook(t *testing.T) {
	c, f := work(t)
	a := newFileWatch(&c.last)
	if a == nil {
		t.Fatal("no alarm")
	}
	defer a.close()
	write(t, f.path+"/d/b", "TEXT")
	if c.asListed() {
		t.Error("not seen")
	}
	if a.silent() {
		t.Error("not heard")
	}
}
