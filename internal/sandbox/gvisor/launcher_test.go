package gvisor

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAnyNumbers starts programs with files of all kinds of numbers, as they are when
// others are opened and closed beside: none may come into the place of the program.
func TestAnyNumbers(t *testing.T) {
	l, err := newLauncher("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for n := range 100 {
		fd, err := unix.FcntlInt(null.Fd(), unix.F_DUPFD_CLOEXEC, n)
		if err != nil {
			t.Fatal(err)
		}
		f := os.NewFile(uintptr(fd), "a file of a helper")
		cmd := l.command(t.TempDir(), "", [3]*os.File{f, f, f}, f)
		if err := l.start(cmd, nil); err != nil {
			t.Errorf("a file with the number %d: %v", fd, err)
		} else if err := cmd.Wait(); err != nil {
			t.Errorf("a file with the number %d: %v", fd, err)
		}
		f.Close()
	}
}
