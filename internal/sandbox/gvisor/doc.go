// Package gvisor is the sandbox backend that carries its own kernel: gVisor,
// linked into the program around a sandbox as a library.
//
// # What stands between guest and host
//
// Guest code runs on gVisor's user-space kernel (the sentry). Its system calls
// never reach the host; the sentry makes a few, from a seccomp filter, in an
// empty root folder, in namespaces of its own without a network. Files of the
// image are opened by a second process (the gofer) and are read-only; what the
// guest writes lives in an overlay whose upper layer is an unlinked file in
// the sandbox's folder.
//
// # Processes
//
//	praxis                    one Backend; starts helpers from one locked thread
//	└─ praxis-sandbox         the helper (package runsc); PID 1 of a new PID namespace
//	   ├─ runsc-gofer         opens the image's files
//	   └─ runsc-sandbox       the sentry
//	      └─ …                one stub process per guest address space
//
// The helper's standard input and output are the guest's. File descriptor 3 is
// a control socket (package control). The helper dies with its owner twice over:
// by the parent-death signal and by the end of the control socket; and because
// it is PID 1, the kernel then kills everything under it. As an ordinary user
// the helper starts in a new user namespace in which it is root and only the
// user himself is mapped.
//
// This package does not link gVisor: the helper does, a program of its own, and gVisor's
// processes are re-executions of that.
//
// # Folders
//
//	Config.Dir/o-<pid>-<start>-<n>/lock    flock held by the living owner
//	Config.Dir/o-<pid>-<start>-<n>/<box>/  one sandbox: config.json, boot.json,
//	                                       cgroups.json, logs, control socket
//
// Several processes share Config.Dir. Whoever gets another owner's lock knows
// that the owner is dead and removes what it left ([Backend.Sweep]).
//
// # Limits
//
// Memory: a memory cgroup when one can be made (v2, then v1), else a watcher
// that measures the sandbox and kills it; both allow [memoryOverhead] more than
// the limit for the sandbox's own processes. CPUs: a quota of the cpu cgroup,
// else the sandbox is bound to that many host CPUs. Both begin when the guest
// runs: starting and restoring may use every CPU. Disk: the size of the overlay,
// kept by the sentry. Open files: RLIMIT_NOFILE, kept by the sentry. Processes:
// the sentry does not enforce RLIMIT_NPROC, but it has a pids controller under
// /sys/fs/cgroup which the guest agent sets; outside, a generous bound on host
// threads stands behind it.
//
// # Checkpoints
//
// A checkpoint is a folder of gVisor's three files and manifest.json, which
// names the gVisor release, the image, the mounts, the limits that are part of
// the state, and the size and CRC-32C of each file. It appears by rename. Memory and CPUs may differ at restore: they are kept
// from outside.
package gvisor
