package agent

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// pollFD is struct pollfd of poll(2).
type pollFD struct {
	fd      int32
	events  int16
	revents int16
}

const (
	pollIn  = 0x1
	pollOut = 0x4
	pollErr = 0x8
	pollHup = 0x10
)

// poll waits for one of fds; a negative wait has no end.
func poll(fds []pollFD, wait time.Duration) error {
	for {
		var ts *syscall.Timespec
		if wait >= 0 {
			t := syscall.NsecToTimespec(int64(wait))
			ts = &t
		}
		_, _, e := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(unsafe.SliceData(fds))), uintptr(len(fds)),
			uintptr(unsafe.Pointer(ts)), 0, 0, 0)
		switch e {
		case 0:
			return nil
		case syscall.EINTR:
			continue
		}
		return e
	}
}

// prlimit sets soft and hard limit of another process.
func prlimit(pid, resource int, value uint64) error {
	lim := syscall.Rlimit{Cur: value, Max: value}
	_, _, e := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), uintptr(resource), uintptr(unsafe.Pointer(&lim)), 0, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

// allowCPUs lets another program run on the first n processors; there are as many as it
// counts from then on, and so do those that it starts. More than there are is all of them.
func allowCPUs(pid, n int) error {
	mask := make([]byte, (n+63)/64*8) // whole words, as the kernel wants them
	for i := range n {
		mask[i/8] |= 1 << (i % 8)
	}
	_, _, e := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, uintptr(pid), uintptr(len(mask)), uintptr(unsafe.Pointer(unsafe.SliceData(mask))))
	if e != 0 {
		return e
	}
	return nil
}

// execute executes a program in the place of this one, with its address space limited
// to memory bytes; 0: no limit. It returns only when that failed. From the limit on
// nothing is allocated: this program has more address space than the limit allows, and
// the runtime ends a program that wants more and gets none.
func execute(path string, argv, env []string, memory int64) error {
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return err
	}
	args, err := syscall.SlicePtrFromStrings(argv)
	if err != nil {
		return err
	}
	variables, err := syscall.SlicePtrFromStrings(env)
	if err != nil {
		return err
	}
	var lim syscall.Rlimit
	if err := syscall.Getrlimit(rlimitAS, &lim); err != nil {
		return err
	}
	if memory > 0 {
		lim.Max = min(uint64(memory), lim.Max) // a limit that is already lower stays
		lim.Cur = lim.Max
	}
	_, _, e := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, 0, rlimitAS, uintptr(unsafe.Pointer(&lim)), 0, 0, 0)
	if e == 0 {
		_, _, e = syscall.RawSyscall(syscall.SYS_EXECVE, uintptr(unsafe.Pointer(name)),
			uintptr(unsafe.Pointer(unsafe.SliceData(args))), uintptr(unsafe.Pointer(unsafe.SliceData(variables))))
	}
	return e
}

// getLimit reads the soft limit of another process.
func getLimit(pid, resource int) (uint64, error) {
	var lim syscall.Rlimit
	_, _, e := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), uintptr(resource), 0, uintptr(unsafe.Pointer(&lim)), 0, 0)
	if e != 0 {
		return 0, e
	}
	return lim.Cur, nil
}

// lstatAt describes what name in the open folder dir is, not what it points to.
func lstatAt(dir int, name string, st *syscall.Stat_t) error {
	const noFollow = 0x100 // AT_SYMLINK_NOFOLLOW
	p, err := syscall.BytePtrFromString(name)
	if err != nil {
		return err
	}
	_, _, e := syscall.RawSyscall6(sysFstatat, uintptr(dir), uintptr(unsafe.Pointer(p)), uintptr(unsafe.Pointer(st)), noFollow, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

// dropCapabilities empties the thread's inheritable, permitted and effective capabilities.
func dropCapabilities() error { return keepCapabilities(nil) }

// keepCapabilities leaves the thread some permitted and effective capabilities, each less
// than 32, and no inheritable ones.
func keepCapabilities(keep []int) error {
	header := struct {
		version uint32
		pid     int32
	}{version: 0x20080522}
	var data [2]struct{ effective, permitted, inheritable uint32 }
	for _, c := range keep {
		data[0].effective |= 1 << c
		data[0].permitted |= 1 << c
	}
	_, _, e := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&data)), 0)
	if e != 0 {
		return e
	}
	return nil
}

// The orders of a seeded sandbox's kernel (package praxis/internal/sandbox/gvisor/patch).
const (
	prSeed   = 0x50525853
	seedSet  = 1
	seedJoin = 2
)

// setSeed says to the sandbox's kernel where in its life the session is.
func setSeed(s *seedState) syscall.Errno {
	_, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, prSeed, seedSet, uintptr(unsafe.Pointer(s)))
	return e
}

// joinSession makes this process one whose randomness follows from the session's seed.
func joinSession() syscall.Errno {
	_, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, prSeed, seedJoin, 0)
	return e
}

// setFilter installs a filter of system calls for this thread.
func setFilter(program []bpf.RawInstruction) syscall.Errno {
	filters := make([]unix.SockFilter, len(program))
	for i, r := range program {
		filters[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	f := unix.SockFprog{Len: uint16(len(filters)), Filter: unsafe.SliceData(filters)}
	_, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&f)), 0, 0, 0)
	runtime.KeepAlive(filters)
	return e
}
