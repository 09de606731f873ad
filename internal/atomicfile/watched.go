package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Watched is a secret file that several processes read and replace whole. It is read again
// when it has changed. It is for one goroutine at a time.
type Watched[T any] struct {
	path   string
	limit  int64
	decode func([]byte) (T, error)
	seen   os.FileInfo // of the file, when it was read; nil: there was none
	value  T
}

// NewWatched returns the file at path, of at most limit bytes. What is not there decodes as
// nil does.
func NewWatched[T any](path string, limit int64, decode func([]byte) (T, error)) *Watched[T] {
	return &Watched[T]{path: path, limit: limit, decode: decode}
}

// Get returns what the file holds.
func (w *Watched[T]) Get() (T, error) {
	var none T
	info, err := os.Stat(w.path)
	if errors.Is(err, fs.ErrNotExist) {
		w.seen = nil
		w.value, err = w.decode(nil)
		return w.value, err
	}
	if err != nil {
		return none, err
	}
	if w.seen != nil && os.SameFile(w.seen, info) && w.seen.ModTime().Equal(info.ModTime()) {
		return w.value, nil // it is replaced whole, so it is another file when it has changed
	}
	data, err := ReadSecret(w.path, w.limit)
	if err != nil {
		return none, err
	}
	value, err := w.decode(data)
	if err != nil {
		return none, fmt.Errorf("%s is damaged: %w", w.path, err)
	}
	w.seen, w.value = info, value
	return value, nil
}

// Put replaces what the file holds.
func (w *Watched[T]) Put(data []byte) error {
	if err := WriteFile(w.path, data); err != nil {
		return err
	}
	w.seen = nil
	_, err := w.Get()
	return err
}
