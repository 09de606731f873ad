//go:build !packed

package embedded

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/kluctl/go-embed-python/pip"
	"github.com/kluctl/go-embed-python/python"
)

// PythonSpace and PipSpace are the bytes that unpacking needs on the disk.
const (
	PythonSpace = 150 << 20
	PipSpace    = 20 << 20
)

// unpackPython writes the distribution to a folder. Its own lock file stays
// beside the folder and is removed: the image store has a better one.
func unpackPython(dir string) error {
	if _, err := python.NewEmbeddedPythonWithTmpDir(dir, false); err != nil {
		return err
	}
	return os.Remove(dir + ".lock")
}

// pipPrefix begins the names of the folders that the module makes for pip. It
// writes below the system's temporary folder only; the name is random, because
// a folder that somebody else made there before us would be taken as it is.
const pipPrefix = "praxis-"

func unpackPip(dir string) (err error) {
	var name [16]byte
	if _, err := rand.Read(name[:]); err != nil {
		return err
	}
	lib, err := pip.NewPipLib(pipPrefix + hex.EncodeToString(name[:]))
	if err != nil {
		return err
	}
	made := lib.GetExtractedPath()
	defer func() { err = errors.Join(err, os.RemoveAll(made), os.RemoveAll(made+".lock")) }()
	return os.CopyFS(dir, os.DirFS(made))
}

// Sweep removes what unpacking pip left in the system's temporary folder when
// it was killed. An hour is far more than unpacking takes.
func Sweep() {
	old, err := filepath.Glob(filepath.Join(os.TempDir(), "go-embedded-pip-"+pipPrefix+"*"))
	if err != nil {
		return
	}
	for _, path := range old {
		info, err := os.Lstat(path)
		if err != nil || time.Since(info.ModTime()) < time.Hour {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) == os.Geteuid() {
			_ = os.RemoveAll(path)
		}
	}
}
