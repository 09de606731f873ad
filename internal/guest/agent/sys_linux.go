package agent

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
)

// The user that everything but the agent runs as.
const (
	userID  = 1000
	groupID = 1000
)

const (
	prCapBSetDrop   = 24
	prSetNoNewPrivs = 38
	niceOfAgent     = -10
	rlimitAS        = 9
	rlimitNoFile    = 7
	rlimitCore      = 4
	lastCapability  = 63
)

// raisePriority lets the agent answer while user code uses every cycle. A
// kernel that does not allow it leaves the agent with the priority it has.
func raisePriority() {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return
	}
	for _, t := range tasks {
		if tid, err := strconv.Atoi(t.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, tid, niceOfAgent)
		}
	}
}

// asUser runs f on a thread whose effective user and group are the session's,
// which also takes every capability from it. The real and saved ids stay
// root's, so that the user cannot signal or trace the thread.
func asUser(privileged bool, f func() error) error {
	if !privileged {
		return f()
	}
	runtime.LockOSThread()
	if err := setEffective(userID, groupID); err != nil {
		// Not unlocked: the thread's ids are unknown, so it ends with its goroutine.
		return fmt.Errorf("cannot become the session's user: %w", err)
	}
	defer func() {
		if setEffective(0, 0) == nil {
			runtime.UnlockOSThread()
		}
	}()
	return f()
}

// setEffective changes the effective ids of this thread only; package
// syscall's own functions change them for the whole process.
func setEffective(uid, gid int) error {
	const keep = ^uintptr(0)
	if uid == 0 { // the right to change the group comes with the user
		if _, _, e := syscall.RawSyscall(syscall.SYS_SETRESUID, keep, 0, keep); e != 0 {
			return e
		}
	}
	if _, _, e := syscall.RawSyscall(syscall.SYS_SETRESGID, keep, uintptr(gid), keep); e != 0 {
		return e
	}
	if uid != 0 {
		if _, _, e := syscall.RawSyscall(syscall.SYS_SETRESUID, keep, uintptr(uid), keep); e != 0 {
			return e
		}
	}
	return nil
}

// wakeup is an eventfd that wakes a poll.
type wakeup int

func newWakeup() (wakeup, error) {
	fd, _, e := syscall.Syscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if e != 0 {
		return -1, e
	}
	return wakeup(fd), nil
}

func (b wakeup) wake() {
	var one [8]byte
	binary.NativeEndian.PutUint64(one[:], 1)
	_, _ = syscall.Write(int(b), one[:]) // full means that it is set
}

func (b wakeup) clear() {
	var n [8]byte
	_, _ = syscall.Read(int(b), n[:])
}

func (b wakeup) close() { _ = syscall.Close(int(b)) }

// readNow reads what is there. n is 0 with a nil error at the end of the
// stream and again is true when there is nothing now.
func readNow(fd int, buf []byte) (n int, again bool, err error) {
	for {
		n, err = syscall.Read(fd, buf)
		switch err {
		case nil:
			return n, false, nil
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			return 0, true, nil
		}
		return 0, false, err
	}
}

// outPipe makes a pipe for a program's output: the agent's end does not block.
func outPipe(privileged bool) (ours, theirs int, err error) {
	r, w, err := userPipe(privileged)
	if err != nil {
		return -1, -1, err
	}
	if err := syscall.SetNonblock(r, true); err != nil {
		closeAll(r, w)
		return -1, -1, fmt.Errorf("cannot make pipe: %w", err)
	}
	return r, w, nil
}

// userPipe makes a pipe that belongs to the session's user, so that a program
// can open /dev/stdout and its like, as shell scripts do.
func userPipe(privileged bool) (r, w int, err error) {
	var p [2]int
	err = asUser(privileged, func() error { return syscall.Pipe2(p[:], syscall.O_CLOEXEC) })
	if err != nil {
		return -1, -1, fmt.Errorf("cannot make pipe: %w", err)
	}
	return p[0], p[1], nil
}

// socketPair makes two connected stream sockets; ours does not block.
func socketPair() (ours, theirs int, err error) {
	p, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, -1, fmt.Errorf("cannot make socket: %w", err)
	}
	if err := syscall.SetNonblock(p[0], true); err != nil {
		closeAll(p[0], p[1])
		return -1, -1, fmt.Errorf("cannot make socket: %w", err)
	}
	return p[0], p[1], nil
}

func closeAll(fds ...int) {
	for _, fd := range fds {
		if fd >= 0 {
			_ = syscall.Close(fd)
		}
	}
}
