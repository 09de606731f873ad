package app

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"praxis/fault"
)

// TestWriteWhole checks that a file is there whole or not at all, and that what
// was there before stays.
func TestWriteWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	write := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, writeErr := io.WriteString(w, text)
			return errors.Join(writeErr, err)
		}
	}
	broken := errors.New("cannot go on")
	for _, c := range []struct {
		name    string
		replace bool
		text    string
		err     error
		kind    fault.Kind // 0: none
		want    string     // what the file holds then; "": there is none
	}{
		{"broken", false, "new", broken, fault.Internal, ""},
		{"full disk", false, "new", &os.PathError{Op: "write", Err: syscall.ENOSPC}, fault.Exhausted, ""},
		{"new", false, "first", nil, 0, "first"},
		{"there", false, "second", nil, fault.Conflict, "first"},
		{"replaced by half", true, "second", broken, fault.Internal, "first"},
		{"replaced", true, "second", nil, 0, "second"},
	} {
		err := writeWhole(path, c.replace, write(c.text, c.err))
		if fault.KindOf(err) != c.kind {
			t.Errorf("%s: error %v, want kind %v", c.name, err, c.kind)
		}
		got, readErr := os.ReadFile(path)
		if string(got) != c.want || (readErr != nil) != (c.want == "") {
			t.Errorf("%s: the file holds %q (%v), want %q", c.name, got, readErr, c.want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}
