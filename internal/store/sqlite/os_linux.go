package sqlite

import "syscall"

// noFollow refuses a symbolic link.
const noFollow = syscall.O_NOFOLLOW

// canWrite says whether this process may write a file or a folder, which it may
// not on a read-only file system either.
func canWrite(path string) bool {
	const here, write, effective = -100, 2, 0x200 // AT_FDCWD, W_OK, AT_EACCESS
	return syscall.Faccessat(here, path, write, effective) == nil
}
