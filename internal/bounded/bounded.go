// Package bounded reads whole what is expected to be short, and refuses the rest.
package bounded

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"syscall"
)

// ErrIrregular is the error for a name that leads to a folder, a pipe or a device.
var ErrIrregular = errors.New("it is no regular file")

// TooLong is the error for what has more bytes than the bound.
type TooLong struct{ Most int64 }

// Error says what the bound is.
func (e *TooLong) Error() string { return fmt.Sprintf("it is longer than %d bytes", e.Most) }

// Read returns all that r gives. More than most bytes are *TooLong, of which no more
// than one byte over the bound was read.
func Read(r io.Reader, most int64) ([]byte, error) {
	most = min(most, math.MaxInt64-1)
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) > most:
		return nil, &TooLong{Most: most}
	}
	return data, nil
}

// ReaderFunc is a reader that is a function.
type ReaderFunc func(p []byte) (int, error)

// Read calls the function.
func (f ReaderFunc) Read(p []byte) (int, error) { return f(p) }

// ReadClose is Read of what has to be closed after it.
func ReadClose(r io.ReadCloser, most int64) (data []byte, err error) {
	defer func() { err = errors.Join(err, r.Close()) }()
	return Read(r, most)
}

// ReadLine returns the next line of r without its end. More than most bytes, its end
// included, are *TooLong. What ends without a line break is returned with the error that it
// ends with, such as io.EOF.
func ReadLine(r *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > most {
			return nil, &TooLong{Most: int64(most)}
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}

// ReadFile returns the content of a regular file of at most most bytes. Of others
// it returns ErrIrregular, so that nothing waits for what a pipe may bring.
func ReadFile(name string, most int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // to open a pipe waits for a writer
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrIrregular
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return ReadClose(f, most)
}
