package approval

import (
	"os"

	"golang.org/x/sys/unix"
)

// discardTyped throws away what the system holds of a terminal's input.
func discardTyped(f *os.File) {
	control(f, func(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) })
}

// size is the width and the height of a terminal, 0 when it does not say.
func size(f *os.File) (columns, rows int) {
	control(f, func(fd int) {
		if s, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ); err == nil {
			columns, rows = int(s.Col), int(s.Row)
		}
	})
	return columns, rows
}

// control calls with the file's descriptor, which stays in its mode.
func control(f *os.File, call func(fd int)) {
	if raw, err := f.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { call(int(fd)) })
	}
}
