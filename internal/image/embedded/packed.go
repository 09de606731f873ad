//go:build packed

package embedded

import (
	_ "embed"
	"strings"

	"praxis/internal/image/embedded/archive"
)

// PythonSpace and PipSpace are the bytes that unpacking needs on the disk.
const (
	PythonSpace = 50 << 20
	PipSpace    = 10 << 20
)

//go:embed pip.tar.zst
var pipArchive string

func unpackPython(dir string) error { return archive.Unpack(strings.NewReader(pythonArchive), dir) }

func unpackPip(dir string) error { return archive.Unpack(strings.NewReader(pipArchive), dir) }

// Sweep removes what unpacking left behind when it was killed: nothing, since
// the archives are unpacked where they belong.
func Sweep() {}
