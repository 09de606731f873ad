package approval

import (
	"os"
	"os/signal"
	"syscall"
	"time"

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

// watchSignals calls did with what Ctrl-Z and Ctrl-\ mean, until it is ended.
func watchSignals(did func(error)) (end func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTSTP, syscall.SIGQUIT)
	ended := make(chan struct{})
	go func() {
		select {
		case s := <-signals:
			did(map[os.Signal]error{syscall.SIGTSTP: errSuspended, syscall.SIGQUIT: errQuit}[s])
		case <-ended:
		}
	}()
	return func() {
		signal.Stop(signals)
		close(ended)
	}
}

// suspend stops this process, as Ctrl-Z does, until the shell has it go on. In the
// group of the session's leader there is no shell that could, and nothing is done.
func suspend() {
	if leader, err := unix.Getsid(0); err != nil || leader == unix.Getpgrp() {
		return
	}
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGCONT)
	defer signal.Stop(again)
	// Go leaves its handler of SIGTSTP in place once there was one.
	if unix.Kill(os.Getpid(), unix.SIGSTOP) != nil {
		return
	}
	select {
	case <-again:
	case <-time.After(stopping):
	}
}

// stopping is how long a process may take to be stopped.
const stopping = 100 * time.Millisecond
