package files

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"praxis/internal/atomicfile"
)

// disk is all that changes the file system, so that a test can let any step of
// it fail. Reading is not among it.
type disk interface {
	// Open opens a file that is to be written. It does not follow a symbolic link.
	Open(path string, flag int) (file, error)
	Mkdir(path string) error
	Rename(from, to string) error
	Remove(path string) error
	// Sync puts the entries of a folder on disk.
	Sync(folder string) error
}

// file is an open file of a disk.
type file interface {
	io.Writer
	Truncate(size int64) error
	// Sync puts the contents on disk.
	Sync() error
	Close() error
	// Handle is the file for what does not change it: reading, locks, its size.
	Handle() *os.File
}

const (
	fileMode   fs.FileMode = 0o600
	folderMode fs.FileMode = 0o700
	// noFollow refuses a symbolic link, and does not wait for the other end of a pipe.
	noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_CLOEXEC
)

// system is the disk of the operating system.
type system struct{}

func (system) Open(path string, flag int) (file, error) {
	f, err := os.OpenFile(path, flag|noFollow, fileMode)
	if err != nil {
		return nil, err
	}
	return systemFile{f}, nil
}

func (system) Mkdir(path string) error      { return os.Mkdir(path, folderMode) }
func (system) Rename(from, to string) error { return os.Rename(from, to) }
func (system) Remove(path string) error     { return os.Remove(path) }
func (system) Sync(path string) error       { return atomicfile.Sync(path) }

type systemFile struct{ f *os.File }

func (f systemFile) Write(p []byte) (int, error) { return f.f.Write(p) }
func (f systemFile) Truncate(size int64) error   { return f.f.Truncate(size) }
func (f systemFile) Sync() error                 { return syncData(f.f) }
func (f systemFile) Close() error                { return f.f.Close() }
func (f systemFile) Handle() *os.File            { return f.f }
