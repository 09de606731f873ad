package image

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/seal"
)

// mountTmpfs mounts a small file system, or skips the test.
func mountTmpfs(t *testing.T, flags uintptr, options string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("mounting a file system needs root")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", flags, options); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestNoSpace(t *testing.T) {
	t.Parallel()
	t.Run("too small from the beginning", func(t *testing.T) {
		s := open(t, mountTmpfs(t, 0, "size=20m,mode=755"))
		_, err := s.Resolve(t.Context(), Request{}, event.Discard)
		if fault.KindOf(err) != fault.Exhausted || !strings.Contains(err.Error(), "MB are needed") || fault.RemedyOf(err) == "" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("full in the middle", func(t *testing.T) {
		// Inodes run out although there is space: nothing can foresee every shortage.
		s := open(t, mountTmpfs(t, 0, "size=400m,nr_inodes=300,mode=755"))
		_, err := s.Resolve(t.Context(), Request{}, event.Discard)
		if fault.KindOf(err) != fault.Exhausted {
			t.Errorf("got %v", err)
		}
		if left, err := os.ReadDir(s.tmp()); err != nil || len(left) != 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
		if checkWhole(t, s, kindPython) != 0 {
			t.Error("an interpreter was kept")
		}
	})
	t.Run("full while compiling", func(t *testing.T) {
		s := open(t, mountTmpfs(t, 0, "size=400m,nr_inodes=900,mode=755"))
		_, err := s.Resolve(t.Context(), Request{}, event.Discard)
		if fault.KindOf(err) != fault.Exhausted {
			t.Errorf("got %v", err)
		}
	})
}

func TestNoExec(t *testing.T) {
	t.Parallel()
	s := open(t, mountTmpfs(t, syscall.MS_NOEXEC, "size=400m,mode=755"))
	_, err := s.Resolve(t.Context(), Request{}, event.Discard)
	if fault.KindOf(err) != fault.Denied || !strings.Contains(fault.RemedyOf(err), "noexec") {
		t.Errorf("got %v", err)
	}
}

func TestReadOnlyDisk(t *testing.T) {
	dir := mountTmpfs(t, 0, "size=1m,mode=755")
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(dir, "store"), new(seal.Key)); fault.KindOf(err) != fault.Denied || !errors.Is(err, syscall.EROFS) {
		t.Errorf("got %v", err)
	}
}
