package files

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// The locks are those of an open file description: two opens exclude each other
// in one process too, and a lock can be asked about without being taken, which
// flock cannot.

// tryLock locks a file that is open for writing, if nobody else has.
func tryLock(f *os.File) (bool, error) {
	err := control(f, unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart})
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return false, nil
	}
	return err == nil, err
}

// lock waits until nobody else has locked a file, and locks it.
func lock(f *os.File) error {
	return control(f, unix.F_OFD_SETLKW, &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart})
}

// unlock gives a lock up also where a child that is being started still has a
// copy of the description.
func unlock(f *os.File) error {
	return control(f, unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_UNLCK, Whence: io.SeekStart})
}

// locked says whether somebody else has locked a file.
func locked(f *os.File) (bool, error) {
	l := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	err := control(f, unix.F_OFD_GETLK, &l)
	return l.Type != unix.F_UNLCK, err
}

func control(f *os.File, cmd int, l *unix.Flock_t) error {
	for {
		err := unix.FcntlFlock(f.Fd(), cmd, l)
		if !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("fcntl", err)
		}
	}
}

// reserve takes space for what will be written behind the end of a file. That it
// cannot be had is no failure: there is only no promise then.
func reserve(f *os.File, from, bytes int64) bool {
	return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, from, bytes) == nil
}

// release gives back what was reserved behind the end of a file. What stays is
// given back when the file is written again or removed.
func release(f *os.File, size int64) {
	_ = unix.Ftruncate(int(f.Fd()), size)
}

// syncData puts a file's contents and its size on disk.
func syncData(f *os.File) error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		if !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}

// touch sets the time of a file, not of what a symbolic link points to.
func touch(path string, now time.Time) error {
	ts, err := unix.TimeToTimespec(now)
	if err != nil {
		return err
	}
	err = unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW)
	return os.NewSyscallError("utimensat", err)
}
