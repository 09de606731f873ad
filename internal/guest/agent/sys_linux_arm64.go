package agent

import (
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	sysFstatat        = syscall.SYS_FSTATAT
	auditArchitecture = unix.AUDIT_ARCH_AARCH64
)

// allowedHere are calls of this architecture that others have under another name.
func allowedHere() []uint32 { return []uint32{unix.SYS_FSTATAT} }
