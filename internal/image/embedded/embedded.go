// Package embedded is what the binary carries of an image: CPython, pip, and the root
// file system, which is made of packages of Debian.
//
// They lie in archives/ARCHITECTURE. "make build" packs them there (command pack), from
// a Go module whose content go.sum vouches for, and from the packages that
// archives/ARCHITECTURE/root.json lists with their versions, digests, sources and
// licences. A binary that was built without that step carries the list alone, and says
// so when it is asked for the rest.
package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"

	"praxis/internal/image/embedded/archive"
)

// Release is the version of the module that brings CPython and pip; a test compares it
// with go.mod.
const Release = "3.14.6-20260610-1"

// PythonSpace, PipSpace and RootSpace are the bytes that unpacking needs on the disk.
const (
	PythonSpace = 50 << 20
	PipSpace    = 10 << 20
	RootSpace   = 80 << 20
)

// ErrMissing says that the binary was built without its archives, or for an
// architecture that there are none for.
var ErrMissing = errors.New("the binary was built without it")

// RootList is the list of the packages that the root file system is made of, as it
// stands in root.json. What is unpacked follows from it and from how it is packed.
func RootList() ([]byte, error) { return fs.ReadFile(contents, file("root.json")) }

// Python unpacks CPython to a folder, which it makes, without what a sandbox has no use
// for.
func Python(dir string) error { return unpack("python.tar.zst", dir) }

// Pip unpacks pip to a folder, which it makes.
func Pip(dir string) error { return unpack("pip.tar.zst", dir) }

// Root unpacks the root file system to a folder, which it makes.
func Root(dir string) error { return unpack("root.tar.zst", dir) }

func file(name string) string { return path.Join("archives", runtime.GOARCH, name) }

func unpack(name, dir string) error {
	f, err := contents.Open(file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", name, ErrMissing)
	}
	if err != nil {
		return err
	}
	return errors.Join(archive.Unpack(f, dir), f.Close())
}
