package bounded_test

import (
	"bufio"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"praxis/internal/bounded"
)

// counted is a reader without an end that counts what was taken of it.
type counted struct{ taken int64 }

func (c *counted) Read(p []byte) (int, error) {
	c.taken += int64(len(p))
	return len(p), nil
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		text string
		most int64
		long bool
	}{{"", 0, false}, {"abc", 3, false}, {"abcd", 3, true}, {"a", 0, true}} {
		data, err := bounded.Read(strings.NewReader(c.text), c.most)
		var long *bounded.TooLong
		if errors.As(err, &long) != c.long || !c.long && (err != nil || string(data) != c.text) || c.long && (data != nil || long.Most != c.most) {
			t.Errorf("Read(%q, %d) = %q, %v", c.text, c.most, data, err)
		}
	}
	endless := &counted{}
	if _, err := bounded.Read(endless, 1000); err == nil || endless.taken > 1001 {
		t.Errorf("read %d bytes of an endless stream, error %v", endless.taken, err)
	}
}

func TestReadLine(t *testing.T) {
	long := strings.Repeat("x", 40) // longer than the buffer
	r := bufio.NewReaderSize(strings.NewReader("a\r\n\n"+long+"\nrest"), 16)
	for _, want := range []string{"a", "", long} {
		if line, err := bounded.ReadLine(r, 41); err != nil || string(line) != want {
			t.Errorf("got %q, %v, want %q", line, err, want)
		}
	}
	if line, err := bounded.ReadLine(r, 41); !errors.Is(err, io.EOF) || string(line) != "rest" {
		t.Errorf("at the end: %q, %v", line, err)
	}
	endless := &counted{}
	if _, err := bounded.ReadLine(bufio.NewReaderSize(endless, 16), 40); !errors.As(err, new(*bounded.TooLong)) || endless.taken > 64 {
		t.Errorf("read %d bytes of a line without an end, error %v", endless.taken, err)
	}
}

type closing struct {
	io.Reader
	err error
}

func (c closing) Close() error { return c.err }

func TestReadClose(t *testing.T) {
	failed := errors.New("broken")
	if _, err := bounded.ReadClose(closing{strings.NewReader("a"), failed}, 5); !errors.Is(err, failed) {
		t.Errorf("the error of Close is lost: %v", err)
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	if err := os.WriteFile(name, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := bounded.ReadFile(name, 4); err != nil || string(data) != "text" {
		t.Errorf("got %q, %v", data, err)
	}
	var long *bounded.TooLong
	if _, err := bounded.ReadFile(name, 3); !errors.As(err, &long) {
		t.Errorf("got %v", err)
	}
	if _, err := bounded.ReadFile(dir, 4); !errors.Is(err, bounded.ErrIrregular) {
		t.Errorf("a folder: got %v", err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := bounded.ReadFile(pipe, 4); !errors.Is(err, bounded.ErrIrregular) {
		t.Errorf("a pipe that nobody writes: got %v", err)
	}
	if data, err := bounded.ReadFile(name, math.MaxInt64); err != nil || string(data) != "text" {
		t.Errorf("the greatest bound: got %q, %v", data, err)
	}
	if _, err := bounded.ReadFile(filepath.Join(dir, "none"), 4); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
