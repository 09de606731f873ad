package folder

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/agent/skill"
)

func folder(t *testing.T) Folder {
	t.Helper()
	dir := t.TempDir()
	return Folder{Dir: filepath.Join(dir, "skills"), Lock: filepath.Join(dir, "lock")}
}

func double(text string) skill.Skill {
	return skill.Skill{Name: "double_it", Description: "Doubles a number", Signature: "(x)", Code: "def double_it(x): return 2 * x  # " + text + "\n", Tests: "assert double_it(2) == 4\n"}
}

func put(t *testing.T, f Folder, s skill.Skill) skill.Skill {
	t.Helper()
	out, _, err := f.Put(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A changed skill is a new version, and the old ones stay readable.
func TestVersions(t *testing.T) {
	f := folder(t)
	if list, err := f.List(); list != nil || err != nil {
		t.Errorf("got %v, %v", list, err)
	}
	if s := put(t, f, double("a")); s.Version != 1 {
		t.Errorf("got version %d", s.Version)
	}
	if _, written, err := f.Put(t.Context(), double("a")); written || err != nil {
		t.Errorf("the same again: %v, %v", written, err)
	}
	for i := range maxVersions + 3 {
		put(t, f, double(fmt.Sprint(i)))
	}
	s, err := f.Read("double_it", 0)
	if err != nil || s.Version != maxVersions+4 || !strings.Contains(s.Code, fmt.Sprint("# ", maxVersions+2)) {
		t.Errorf("got %+v, %v", s, err)
	}
	got := f.Versions("double_it")
	if len(got) != maxVersions || got[0] != 4 || got[maxVersions-1] != maxVersions+3 {
		t.Errorf("got versions %v", got)
	}
	if old, err := f.Read("double_it", 5); err != nil || old.Version != 5 || !strings.Contains(old.Code, "# 3") {
		t.Errorf("got %+v, %v", old, err)
	}
	if _, err := f.Read("double_it", 2); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v", err)
	}
	if err := f.Remove(t.Context(), "double_it"); err != nil {
		t.Error(err)
	}
	if err := f.Remove(t.Context(), "double_it"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v", err)
	}
	if names := left(t, f); len(names) != 0 {
		t.Errorf("left: %v", names)
	}
}

func left(t *testing.T, f Folder) (names []string) {
	t.Helper()
	found, err := os.ReadDir(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range found {
		names = append(names, d.Name())
	}
	return names
}

// What somebody put into the folder that is no skill is said, and never followed or waited for.
func TestHostile(t *testing.T) {
	f := folder(t)
	put(t, f, double("a"))
	secret := filepath.Join(t.TempDir(), "secret")
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(f.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(secret, []byte("canary"), 0o600); err != nil {
		t.Fatal(err)
	}
	write("linked/SKILL.md", double("a").Files()[skill.Document])
	write("fifo/SKILL.md", "")
	write("huge/skill.py", strings.Repeat("#", skill.MaxText+1))
	write("Bad Name/SKILL.md", "")
	write("\x1b[31m/SKILL.md", "")
	write("file", "")
	for _, err := range []error{
		os.Symlink(secret, filepath.Join(f.Dir, "linked", skill.CodeFile)),
		os.Symlink(filepath.Join(f.Dir, "double-it"), filepath.Join(f.Dir, "alias")),
		syscall.Mkfifo(filepath.Join(f.Dir, "fifo", skill.CodeFile), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	list, err := f.List()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		if e.Err == nil {
			got = append(got, e.Folder)
		} else if fault.RemedyOf(e.Err) == "" || strings.Contains(e.Err.Error(), "canary") || strings.Contains(e.Err.Error(), "\x1b") {
			t.Errorf("%q: %v", e.Folder, e.Err)
		}
	}
	if !slices.Equal(got, []string{"double-it"}) || len(list) != 6 {
		t.Errorf("got %v of %d", got, len(list))
	}
	if _, err := f.Read("alias", 0); err == nil {
		t.Error("a link was followed")
	}
	write("double-it/skill.py", "import os\n")
	if _, err := f.Read("double_it", 0); fault.KindOf(err) != fault.Conflict {
		t.Errorf("tampered: %v", err)
	}
	if s := put(t, f, double("b")); s.Version != 2 {
		t.Errorf("got version %d", s.Version)
	}
	link := Folder{Dir: filepath.Join(t.TempDir(), "link"), Lock: f.Lock}
	if err := os.Symlink(f.Dir, link.Dir); err != nil {
		t.Fatal(err)
	}
	if _, _, err := link.Put(t.Context(), double("c")); fault.KindOf(err) != fault.Denied {
		t.Errorf("through a link: %v", err)
	}
	if all, err := link.List(); err != nil || len(all) == 0 {
		t.Errorf("a person's own link: %v, %v", all, err)
	}
	link.Project = true
	if all, err := link.List(); fault.KindOf(err) != fault.Denied {
		t.Errorf("a project's link: %v, %v", all, err)
	}
	if s, err := link.Read("double_it", 0); fault.KindOf(err) != fault.Denied {
		t.Errorf("a project's link: %v, %v", s.Name, err)
	}
}

// A writer that is killed leaves the skill whole: as it was, or as it was going to be.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("PRAXIS_TEST_WRITER"); dir != "" {
		for i := 0; ; i++ {
			if _, _, err := (Folder{Dir: filepath.Join(dir, "skills"), Lock: filepath.Join(dir, "lock")}).Put(t.Context(), double(fmt.Sprint(os.Getpid(), i))); err != nil {
				t.Fatal(err)
			}
			fmt.Println("written")
		}
	}
	f := folder(t)
	version := 0
	for range 8 {
		writer := exec.Command(os.Args[0], "-test.run=TestKilled$", "-test.v")
		writer.Env = append(os.Environ(), "PRAXIS_TEST_WRITER="+filepath.Dir(f.Dir))
		out, err := writer.StdoutPipe()
		if err == nil {
			err = writer.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 1)
		for n := 0; n < 3; {
			if _, err := out.Read(buf); err != nil {
				t.Fatal(err)
			}
			if buf[0] == 'w' {
				n++
			}
		}
		time.Sleep(time.Duration(rand.IntN(5000)) * time.Microsecond)
		if err := writer.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = writer.Wait() // it was killed
		s, err := f.Read("double_it", 0)
		if err != nil || s.Version <= version {
			t.Fatalf("after version %d: %+v, %v", version, s, err)
		}
		version = s.Version
		for _, n := range f.Versions("double_it") {
			if _, err := f.Read("double_it", n); err != nil {
				t.Errorf("version %d: %v", n, err)
			}
		}
	}
	put(t, f, double("last"))
	if names := left(t, f); !slices.Equal(names, []string{"double-it"}) {
		t.Errorf("left: %v", names)
	}
}

// Where folders cannot be exchanged, one that was moved away for the moment is put back.
func TestMovedAway(t *testing.T) {
	f := folder(t)
	put(t, f, double("a"))
	if err := os.Rename(filepath.Join(f.Dir, "double-it"), filepath.Join(f.Dir, before+"double-it")); err != nil {
		t.Fatal(err)
	}
	if s := put(t, f, double("b")); s.Version != 2 {
		t.Errorf("got version %d", s.Version)
	}
	if names := left(t, f); !slices.Equal(names, []string{"double-it"}) {
		t.Errorf("left: %v", names)
	}
}
