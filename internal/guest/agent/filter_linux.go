package agent

import (
	"fmt"
	"slices"
	"syscall"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Programs of the session make only the system calls that interpreters, compilers,
// shells and git make. What the sandbox's kernel can do besides is code that nobody
// needs and that hostile programs would look for holes in. A call that is not listed
// does not exist (ENOSYS): C libraries then do without it. One of deniedCalls is
// refused (EPERM), which says better why a program cannot go on.

// namespaceFlags ask clone(2) and unshare(2) for namespaces. In a user namespace of
// its own a program would have every capability.
const namespaceFlags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// allowedCalls returns the calls that are allowed whatever their arguments are, on
// every architecture.
func allowedCalls() []uint32 {
	return slices.Concat([]uint32{
		// Files and folders.
		unix.SYS_READ, unix.SYS_WRITE, unix.SYS_PREAD64, unix.SYS_PWRITE64, unix.SYS_READV, unix.SYS_WRITEV,
		unix.SYS_PREADV, unix.SYS_PWRITEV, unix.SYS_PREADV2, unix.SYS_PWRITEV2, unix.SYS_OPENAT, unix.SYS_OPENAT2,
		unix.SYS_CLOSE, unix.SYS_CLOSE_RANGE, unix.SYS_LSEEK, unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_PIPE2, unix.SYS_FCNTL,
		unix.SYS_FLOCK, unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_SYNC, unix.SYS_SYNCFS, unix.SYS_SYNC_FILE_RANGE,
		unix.SYS_TRUNCATE, unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE, unix.SYS_FADVISE64, unix.SYS_READAHEAD,
		unix.SYS_SENDFILE, unix.SYS_SPLICE, unix.SYS_TEE, unix.SYS_VMSPLICE, unix.SYS_COPY_FILE_RANGE,
		unix.SYS_GETDENTS64, unix.SYS_FSTAT, unix.SYS_STATX, unix.SYS_STATFS, unix.SYS_FSTATFS,
		unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_READLINKAT, unix.SYS_MKDIRAT, unix.SYS_MKNODAT, unix.SYS_UNLINKAT,
		unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_CHDIR, unix.SYS_FCHDIR, unix.SYS_GETCWD,
		unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UMASK, unix.SYS_UTIMENSAT,
		unix.SYS_GETXATTR, unix.SYS_LGETXATTR, unix.SYS_FGETXATTR, unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR,
		unix.SYS_LISTXATTR, unix.SYS_LLISTXATTR, unix.SYS_FLISTXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
		unix.SYS_INOTIFY_INIT1, unix.SYS_INOTIFY_ADD_WATCH, unix.SYS_INOTIFY_RM_WATCH, unix.SYS_IOCTL,
		unix.SYS_IO_SETUP, unix.SYS_IO_DESTROY, unix.SYS_IO_SUBMIT, unix.SYS_IO_CANCEL, unix.SYS_IO_GETEVENTS,
		// Memory.
		unix.SYS_BRK, unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MPROTECT, unix.SYS_MADVISE, unix.SYS_MSYNC,
		unix.SYS_MINCORE, unix.SYS_MLOCK, unix.SYS_MLOCK2, unix.SYS_MUNLOCK, unix.SYS_MLOCKALL, unix.SYS_MUNLOCKALL,
		unix.SYS_MEMFD_CREATE, unix.SYS_MEMBARRIER, unix.SYS_GET_MEMPOLICY, unix.SYS_SET_MEMPOLICY, unix.SYS_MBIND,
		// Processes, threads and signals.
		unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_WAIT4, unix.SYS_WAITID,
		unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_SET_TID_ADDRESS, unix.SYS_SET_ROBUST_LIST, unix.SYS_GET_ROBUST_LIST,
		unix.SYS_RSEQ, unix.SYS_FUTEX, unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK,
		unix.SYS_RT_SIGPENDING, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGSUSPEND, unix.SYS_RT_SIGTIMEDWAIT, unix.SYS_RT_SIGQUEUEINFO,
		unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_SIGALTSTACK, unix.SYS_RESTART_SYSCALL, unix.SYS_SIGNALFD4, unix.SYS_EVENTFD2,
		unix.SYS_GETPID, unix.SYS_GETPPID, unix.SYS_GETTID, unix.SYS_GETPGID, unix.SYS_SETPGID, unix.SYS_GETSID, unix.SYS_SETSID,
		unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID, unix.SYS_GETRESUID, unix.SYS_GETRESGID, unix.SYS_GETGROUPS,
		unix.SYS_SETUID, unix.SYS_SETGID, unix.SYS_SETREUID, unix.SYS_SETREGID, unix.SYS_SETRESUID, unix.SYS_SETRESGID, unix.SYS_SETGROUPS,
		unix.SYS_SETFSUID, unix.SYS_SETFSGID, unix.SYS_CAPGET, unix.SYS_CAPSET, unix.SYS_PRCTL, unix.SYS_SECCOMP,
		unix.SYS_GETPRIORITY, unix.SYS_SETPRIORITY, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_SCHED_SETAFFINITY,
		unix.SYS_SCHED_GETPARAM, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_GETSCHEDULER, unix.SYS_SCHED_SETSCHEDULER,
		unix.SYS_SCHED_GET_PRIORITY_MAX, unix.SYS_SCHED_GET_PRIORITY_MIN, unix.SYS_SCHED_RR_GET_INTERVAL, unix.SYS_GETCPU,
		unix.SYS_GETRLIMIT, unix.SYS_SETRLIMIT, unix.SYS_PRLIMIT64, unix.SYS_GETRUSAGE, unix.SYS_TIMES, unix.SYS_SYSINFO, unix.SYS_UNAME,
		unix.SYS_GETRANDOM, unix.SYS_IOPRIO_GET, unix.SYS_IOPRIO_SET,
		// Time and waiting.
		unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_NANOSLEEP, unix.SYS_GETTIMEOFDAY,
		unix.SYS_GETITIMER, unix.SYS_SETITIMER, unix.SYS_TIMER_CREATE, unix.SYS_TIMER_DELETE, unix.SYS_TIMER_GETOVERRUN,
		unix.SYS_TIMER_GETTIME, unix.SYS_TIMER_SETTIME, unix.SYS_TIMERFD_CREATE, unix.SYS_TIMERFD_GETTIME, unix.SYS_TIMERFD_SETTIME,
		unix.SYS_PPOLL, unix.SYS_PSELECT6, unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_PWAIT2,
		// Sockets; socket itself is looked at more closely.
		unix.SYS_SOCKETPAIR, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4, unix.SYS_CONNECT, unix.SYS_SHUTDOWN,
		unix.SYS_GETSOCKNAME, unix.SYS_GETPEERNAME, unix.SYS_GETSOCKOPT, unix.SYS_SETSOCKOPT,
		unix.SYS_SENDTO, unix.SYS_RECVFROM, unix.SYS_SENDMSG, unix.SYS_RECVMSG, unix.SYS_SENDMMSG, unix.SYS_RECVMMSG,
	}, allowedHere())
}

// namespaceCalls are allowed to programs that may make user namespaces.
func namespaceCalls() []uint32 {
	return []uint32{
		unix.SYS_UNSHARE, unix.SYS_CLONE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
		unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	}
}

// deniedCalls are refused, and not unknown.
func deniedCalls() []uint32 {
	return []uint32{
		unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_PTRACE,
		unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
		unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX,
		unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_BPF, unix.SYS_PERSONALITY,
	}
}

// What a filter sees of a call: struct seccomp_data of seccomp(2), little-endian.
const (
	atNumber       = 0
	atArchitecture = 4
	atArgument     = 16 // the lower half of the first
)

const errno = unix.SECCOMP_RET_ERRNO

// filter returns the program that decides about system calls.
func filter(namespaces bool) []bpf.Instruction {
	allowed := allowedCalls()
	if namespaces {
		allowed = append(allowed, namespaceCalls()...)
	}
	out := []bpf.Instruction{
		bpf.LoadAbsolute{Off: atArchitecture, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArchitecture, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
		bpf.LoadAbsolute{Off: atNumber, Size: 4},
	}
	out = append(out, allCalls(allowed, unix.SECCOMP_RET_ALLOW)...)
	if !namespaces {
		// In clone(2) the bit of a time namespace belongs to the signal of the child's end.
		out = append(out, ifCall(unix.SYS_CLONE, noFlags(namespaceFlags))...)
		out = append(out, ifCall(unix.SYS_UNSHARE, noFlags(namespaceFlags|unix.CLONE_NEWTIME))...)
	}
	out = append(out, ifCall(unix.SYS_SOCKET, []bpf.Instruction{
		bpf.LoadAbsolute{Off: atArgument, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_UNIX, SkipTrue: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET, SkipTrue: 3},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET6, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_NETLINK, SkipTrue: 1},
		bpf.RetConstant{Val: errno | uint32(unix.EAFNOSUPPORT)},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
	})...)
	out = append(out, allCalls(deniedCalls(), errno|uint32(unix.EPERM))...)
	return append(out, bpf.RetConstant{Val: errno | uint32(unix.ENOSYS)})
}

// allCalls ends with verdict for each of the calls, which it looks for in runs of
// numbers that follow each other.
func allCalls(calls []uint32, verdict uint32) (out []bpf.Instruction) {
	calls = slices.Clone(calls)
	slices.Sort(calls)
	calls = slices.Compact(calls)
	for len(calls) > 0 {
		n := 1
		for n < len(calls) && calls[n] == calls[n-1]+1 {
			n++
		}
		out = append(out,
			bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: calls[0], SkipFalse: 2},
			bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: calls[n-1], SkipTrue: 1},
			bpf.RetConstant{Val: verdict})
		calls = calls[n:]
	}
	return out
}

// ifCall does what then says for one call.
func ifCall(number uint32, then []bpf.Instruction) []bpf.Instruction {
	return append([]bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpEqual, Val: number, SkipFalse: uint8(len(then))}}, then...)
}

// noFlags refuses a call whose first argument has one of the flags.
func noFlags(flags uint32) []bpf.Instruction {
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: atArgument, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: flags, SkipFalse: 1},
		bpf.RetConstant{Val: errno | uint32(unix.EPERM)},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
	}
}

// restrict has this thread, and what it executes, make no other calls for good. The
// thread cannot gain privileges any more.
func restrict(namespaces bool) error {
	raw, err := bpf.Assemble(filter(namespaces))
	if err != nil {
		return fmt.Errorf("cannot restrict system calls: %w", err)
	}
	if e := setFilter(raw); e != 0 {
		return fmt.Errorf("cannot restrict system calls: %w", syscall.Errno(e))
	}
	return nil
}
