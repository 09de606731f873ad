// Package atomicfile has what the folders of Praxis's data have in common: it
// checks whom they belong to, writes files in them whole or not at all, and
// recognizes a full disk.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"praxis/fault"
)

// Own refuses a folder that somebody else could have put something into: what
// lies in a data folder is run, removed or killed by. It follows a symbolic
// link. Faults: Denied, with what to do.
func Own(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fault.New(fault.Invalid, "Give the path of a folder.", "%s is not a folder", path)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fault.Coded(fault.FolderForeign, fault.Data{"folder": path}, "%s belongs to user %d, not to %d", path, st.Uid, os.Geteuid())
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fault.Coded(fault.FolderOpen, fault.Data{"folder": path}, "others may write to %s", path)
	}
	return nil
}

// WriteFile replaces the file at path by data in one step: a reader, also after
// a crash, sees the old contents or the new, whole. Its mode is 0600.
func WriteFile(path string, data []byte) error { return Replace(path, data, 0o600) }

// Replace is WriteFile for a file that keeps a mode of its own.
func Replace(path string, data []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := errors.Join(f.Chmod(mode), f.Sync()); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return Sync(filepath.Dir(path))
}

// Create writes a file whole, unless there is one already. Its mode is 0600.
func Create(path string, data []byte) error {
	temp := path + ".tmp-" + rand.Text()
	defer os.Remove(temp)
	if err := WriteFile(temp, data); err != nil {
		return err
	}
	if err := os.Link(temp, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return Sync(filepath.Dir(path))
}

// ReadSecret reads a file of at most limit bytes that nobody else may read.
// Faults: Denied and Invalid, with what to do.
func ReadSecret(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, fault.New(fault.Invalid, "Give the path of a key file.", "%s is not a key file", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fault.New(fault.Denied, "Run chmod 600 on it.", "others may read %s", path)
	}
	data := make([]byte, info.Size())
	n, err := f.ReadAt(data, 0)
	if n == len(data) {
		err = nil
	}
	return data[:n], err
}

// Sync puts the entries of a folder on disk.
func Sync(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot sync folder: %w", err)
	}
	defer d.Close()
	return d.Sync()
}

// Full says whether an error is that of a full disk or of a quota that is used up.
func Full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
