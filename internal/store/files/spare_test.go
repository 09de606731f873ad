package files

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSpareSpace holds that a log keeps space for its next lines while it is
// open, and gives it back.
func TestSpareSpace(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.Logs().Create(t.Context(), "20260101-000000-abcd")
	if err != nil {
		t.Fatal(err)
	}
	l := made.(*log)
	blocks := func() int64 {
		var st unix.Stat_t
		if err := unix.Stat(l.path, &st); err != nil {
			t.Fatal(err)
		}
		return st.Blocks * 512
	}
	line := []byte(strings.Repeat("x", 99) + "\n")
	for range 1000 {
		if err := l.Append(line); err != nil {
			t.Fatal(err)
		}
		if l.reserved == 0 {
			t.Skipf("the file system of %s reserves no space", filepath.Dir(l.path))
		}
		if l.reserved < l.size+spare/2 {
			t.Fatalf("%d bytes are kept behind %d", l.reserved-l.size, l.size)
		}
	}
	if got := blocks(); got < l.size+spare/2 {
		t.Errorf("the file has %d bytes of the disk, with %d written", got, l.size)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := blocks(); got > l.size+8192 {
		t.Errorf("%d bytes stay reserved", got-l.size)
	}
}
