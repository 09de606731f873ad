package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// ErrLocked says that another process has a lock.
var ErrLocked = errors.New("another process has the lock")

// Lock takes the lock that a file is, and makes the file if there is none. Whoever has the lock
// has it until the file is closed or its process ends, however that ends: the kernel takes the
// lock back. Programs that the process starts do not inherit it. Errors: [ErrLocked].
func Lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = ErrLocked
	}
	return nil, errors.Join(err, f.Close())
}
