package agent

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// decide runs the filter as the kernel would. The machine reads big-endian numbers.
func decide(t *testing.T, namespaces bool, architecture, number uint32, first uint64) uint32 {
	t.Helper()
	vm, err := bpf.NewVM(filter(namespaces))
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data[atNumber:], number)
	binary.BigEndian.PutUint32(data[atArchitecture:], architecture)
	binary.BigEndian.PutUint32(data[atArgument:], uint32(first))
	binary.BigEndian.PutUint32(data[atArgument+4:], uint32(first>>32))
	n, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(n)
}

func TestFilter(t *testing.T) {
	const (
		allow   = uint32(unix.SECCOMP_RET_ALLOW)
		denied  = errno | uint32(unix.EPERM)
		unknown = errno | uint32(unix.ENOSYS)
		family  = errno | uint32(unix.EAFNOSUPPORT)
	)
	thread := uint64(unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD | unix.CLONE_SYSVSEM | unix.CLONE_SETTLS)
	for _, c := range []struct {
		what          string
		number        uint32
		first         uint64
		want, nesting uint32 // without user namespaces, and with them
	}{
		{"read", unix.SYS_READ, 0, allow, allow},
		{"execve", unix.SYS_EXECVE, 0, allow, allow},
		{"a thread", unix.SYS_CLONE, thread, allow, allow},
		{"fork", unix.SYS_CLONE, uint64(unix.SIGCHLD) | unix.CLONE_CHILD_CLEARTID, allow, allow},
		{"clone into a user namespace", unix.SYS_CLONE, unix.CLONE_NEWUSER | uint64(unix.SIGCHLD), denied, allow},
		{"clone into a mount namespace", unix.SYS_CLONE, unix.CLONE_NEWNS, denied, allow},
		{"clone3, whose flags cannot be seen", unix.SYS_CLONE3, 0, unknown, unknown},
		{"unshare files", unix.SYS_UNSHARE, unix.CLONE_FILES, allow, allow},
		{"unshare users", unix.SYS_UNSHARE, unix.CLONE_NEWUSER, denied, allow},
		{"unshare users and files", unix.SYS_UNSHARE, unix.CLONE_NEWUSER | unix.CLONE_FILES, denied, allow},
		{"unshare time", unix.SYS_UNSHARE, unix.CLONE_NEWTIME, denied, allow},
		{"setns", unix.SYS_SETNS, 0, denied, allow},
		{"mount", unix.SYS_MOUNT, 0, denied, allow},
		{"ptrace", unix.SYS_PTRACE, 0, denied, denied},
		{"fsopen", unix.SYS_FSOPEN, 0, unknown, unknown},
		{"io_uring", unix.SYS_IO_URING_SETUP, 0, unknown, unknown},
		{"userfaultfd", unix.SYS_USERFAULTFD, 0, unknown, unknown},
		{"a message queue", unix.SYS_MSGGET, 0, unknown, unknown},
		{"shared memory of System V", unix.SYS_SHMGET, 0, unknown, unknown},
		{"a call of the future", 5000, 0, unknown, unknown},
		{"x32", 1<<30 | unix.SYS_READ, 0, unknown, unknown},
		{"a local socket", unix.SYS_SOCKET, unix.AF_UNIX, allow, allow},
		{"an internet socket", unix.SYS_SOCKET, unix.AF_INET6, allow, allow},
		{"the list of interfaces", unix.SYS_SOCKET, unix.AF_NETLINK, allow, allow},
		{"packets", unix.SYS_SOCKET, unix.AF_PACKET, family, family},
		{"virtual machines", unix.SYS_SOCKET, unix.AF_VSOCK, family, family},
	} {
		for namespaces, want := range map[bool]uint32{false: c.want, true: c.nesting} {
			if got := decide(t, namespaces, auditArchitecture, c.number, c.first); got != want {
				t.Errorf("%s (user namespaces: %t): %#x, want %#x", c.what, namespaces, got, want)
			}
		}
	}
	if got := decide(t, false, unix.AUDIT_ARCH_I386, unix.SYS_READ, 0); got != unix.SECCOMP_RET_KILL_PROCESS {
		t.Errorf("another architecture: %#x", got)
	}
}
