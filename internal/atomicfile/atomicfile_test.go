package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"praxis/fault"
)

func TestOwn(t *testing.T) {
	dir := t.TempDir()
	if err := Own(dir); err != nil {
		t.Errorf("our own: %v", err)
	}
	if err := os.Chmod(dir, 0o770); err != nil {
		t.Fatal(err)
	}
	if err := Own(dir); fault.KindOf(err) != fault.Denied || fault.RemedyOf(err) == "" {
		t.Errorf("open to the group: %v", err)
	}
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Own(file); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a file: %v", err)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can make a folder of somebody else's")
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if err := Own(dir); fault.KindOf(err) != fault.Denied {
		t.Errorf("somebody else's: %v", err)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	for _, text := range []string{"old", "new and longer", ""} {
		if err := WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("got %q %v, want %q", got, err, text)
		}
	}
	if err := Replace(path, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o640 {
		t.Errorf("its mode is %v, %v", info, err)
	}
	if err := WriteFile(filepath.Join(dir, "gone", "x"), nil); err == nil {
		t.Error("wrote into a folder that does not exist")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%d entries, want the file alone (%v)", len(entries), err)
	}
}

func TestMake(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for range 2 {
		if err := Make(dir); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("made %v %v", info, err)
	}
	if err := Make(filepath.Join("/proc", "praxis")); err == nil {
		t.Error("a folder was made in /proc")
	}
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "c")} {
		if err := Make(path); fault.KindOf(err) != fault.Denied || fault.RemedyOf(err) == "" {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestFull(t *testing.T) {
	for err, want := range map[error]bool{
		&os.PathError{Op: "write", Err: syscall.ENOSPC}:     true,
		fmt.Errorf("cannot write: %w", syscall.EDQUOT):      true,
		&os.PathError{Op: "write", Err: syscall.EACCES}:     false,
		errors.New("no space left on device, says a guest"): false,
	} {
		if got := Full(err); got != want {
			t.Errorf("%v: got %v, want %v", err, got, want)
		}
	}
	if Full(nil) {
		t.Error("no error is a full disk")
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	for range 2 { // also where the file is there already
		f, err := Lock(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Lock(path); !errors.Is(err, ErrLocked) {
			t.Errorf("it is locked twice: %v", err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(path, path+"2"); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(path + "2"); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("a link was followed: %v", err)
	}
}
