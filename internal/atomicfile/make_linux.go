package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"praxis/fault"
)

// Make makes the data folder unless it is there, and refuses one that this
// process may not write into: its mode, or its file system, does not allow it.
// Faults: Denied, with what to do.
func Make(path string) error {
	const here, write, effective = -100, 2, 0x200 // AT_FDCWD, W_OK, AT_EACCESS
	if err := os.MkdirAll(path, 0o700); err != nil {
		return denied(path, fmt.Errorf("cannot make the data folder: %w", err))
	}
	if err := syscall.Faccessat(here, path, write, effective); err != nil {
		return denied(path, fmt.Errorf("cannot write to the data folder %s: %w", path, err))
	}
	return nil
}

// denied says what to do about an error that says that one may not.
func denied(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fault.Coded(fault.FolderUnwritable, fault.Data{"folder": path}, "%w", err)
	}
	return err
}
