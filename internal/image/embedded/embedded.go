// Package embedded is the CPython and the pip that the binary carries. Both
// come from one Go module, so that go.sum vouches for them.
//
// The module is 41 MB as it stands, of which a third is never used and most is
// not compressed. So there are two ways to carry it, which unpack to the same
// files:
//
//   - as it stands, which every go command can build;
//   - with the tag "packed", as archives of 14 MB without what no guest uses.
//     "make build" makes them first (command pack) and sets the tag.
package embedded

import (
	"os"
	"path/filepath"

	"praxis/internal/image/embedded/archive"
)

// Release is the version of the module; a test compares it with go.mod.
const Release = "3.14.6-20260610-1"

// exe is the interpreter's file in bin.
const exe = "python3.14"

// Python unpacks CPython to a folder, which it makes, without what a sandbox
// has no use for.
func Python(dir string) error {
	if err := unpackPython(dir); err != nil {
		return err
	}
	if err := archive.Prune(dir, archive.PythonDrop()); err != nil {
		return err
	}
	// The module unpacks its links as copies of what they point to, 29 MB each.
	for _, name := range []string{"python", "python3"} {
		link := filepath.Join(dir, "bin", name)
		if err := os.RemoveAll(link); err != nil {
			return err
		}
		if err := os.Symlink(exe, link); err != nil {
			return err
		}
	}
	return nil
}

// Pip unpacks pip to a folder, which it makes.
func Pip(dir string) error {
	if err := unpackPip(dir); err != nil {
		return err
	}
	return archive.Prune(dir, archive.PipDrop())
}
