package agent

import (
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	"praxis/internal/guest/wire"
)

const (
	// settleIn is how long an execution runs before the guard looks for it: most
	// are over sooner, and the look at their end is enough.
	settleIn = quick / 2
	// stackRoom is how much address space a thread may need to start: its stack
	// and what the allocator reserves for it.
	stackSpace = 16 << 20
	// maxRefused is how many words about refusals the agent reads.
	maxRefused = 16

	unboundedFiles = 1 << 30 // a limit above is none
	sharedMemory   = "/dev/shm"
)

// witness is what the agent itself saw of limits while an execution ran: what
// an exception says of the system is believed only when it agrees. The space for
// a process, a file or a thread is mostly there again when the exception arrives.
type witness struct {
	tasks   int   // the most that the group of the user's processes held
	disk    space // of the working folder
	shared  space // of the shared memory
	address int64 // the most address space that the interpreter had, bytes
}

// space is a file system's size in bytes, and whether it was seen full.
type space struct {
	size int64
	full bool
}

func (s *space) look(path string) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil || st.Blocks == 0 {
		return
	}
	s.size = int64(st.Blocks) * st.Bsize
	s.full = s.full || st.Bavail == 0
}

// look takes note of how things are now. pid is the interpreter's.
func (w *witness) look(cfg config, pid int) {
	if cfg.group != "" {
		if n, ok := cfg.tasks(); ok {
			w.tasks = max(w.tasks, n)
		}
	}
	if cfg.privileged() { // else the disk is not the session's own
		w.disk.look(cfg.Workdir)
		w.shared.look(sharedMemory)
	}
	var buf [1024]byte
	if text, err := readSmall(filepath.Join("/proc", fmt.Sprint(pid), "stat"), buf[:]); err == nil {
		if p, ok := parseStat(pid, text); ok {
			w.address = max(w.address, p.address)
		}
	}
}

// watch looks on behalf of an execution that runs.
func (k *kernel) watch(e *execution, now time.Time) {
	if now.Sub(e.began) >= settleIn {
		e.seen.look(k.cfg, k.in.child.pid)
	}
}

// refusal names the limit that refused something to an execution whose
// exception says so. files is the interpreter's limit of open files, 0 when it
// is not known. Both results are empty when nothing agrees.
func (w *witness) refusal(refused []string, cfg config, files uint64) (limit, message string) {
	for _, word := range refused[:min(len(refused), maxRefused)] {
		switch word {
		case "EMFILE", "ENFILE":
			limit, message = wire.LimitOpenFiles, fmt.Sprintf("the limit of %d open files was reached", files)
			if files == 0 {
				limit, message = "", ""
			}
		case "ENOSPC", "EDQUOT", "write":
			limit, message = w.noSpace(word)
		case "EAGAIN", "thread":
			limit, message = w.noTask(word, cfg)
		case "ENOMEM":
			if m := cfg.memoryOfProcess(); m > 0 {
				limit, message = wire.LimitMemory, fmt.Sprintf("the memory limit of %s per process was reached (ENOMEM)", bytesText(m))
			}
		}
		if limit != "" {
			return limit, message
		}
	}
	return "", ""
}

func (w *witness) noSpace(word string) (limit, message string) {
	switch {
	case w.disk.full:
		return wire.LimitDisk, fmt.Sprintf("the disk limit of %s was reached", bytesText(w.disk.size))
	case w.shared.full:
		return wire.LimitDisk, fmt.Sprintf("the limit of %s of shared memory (%s) was reached", bytesText(w.shared.size), sharedMemory)
	case word != "write" && w.disk.size > 0:
		// What did not fit left space again, or was too large to begin with.
		return wire.LimitDisk, fmt.Sprintf("there was no space for it within the disk limit of %s", bytesText(w.disk.size))
	}
	return "", ""
}

func (w *witness) noTask(word string, cfg config) (limit, message string) {
	processes, memory := cfg.Limits.Processes, cfg.memoryOfProcess()
	what := "processes"
	if word == "thread" {
		what = "processes and threads"
	}
	switch {
	case cfg.group != "" && processes > 0 && w.tasks >= processes:
		return wire.LimitProcesses, fmt.Sprintf("the limit of %d %s was reached", processes, what)
	case word != "thread": // anything may be unavailable for a moment
		return "", ""
	case memory > 0 && w.address > memory-stackSpace:
		return wire.LimitMemory, fmt.Sprintf("the memory limit of %s per process was reached: there was no space for another thread", bytesText(memory))
	case cfg.group != "" && processes > 0:
		return wire.LimitProcesses, fmt.Sprintf("a thread could not be started within the limit of %d processes and threads", processes)
	}
	return "", ""
}

// explain adds to a result which limit made the code raise.
func (k *kernel) explain(e *execution, refused []string, out *wire.Executed) {
	if len(refused) == 0 {
		return
	}
	pid := k.in.child.pid
	e.seen.look(k.cfg, pid)
	files, err := getLimit(pid, rlimitNoFile)
	if err != nil || files > unboundedFiles {
		files = uint64(max(k.cfg.Limits.OpenFiles, 0))
	}
	out.Limit, out.Message = e.seen.refusal(refused, k.cfg, files)
	if out.Limit == wire.LimitMemory {
		out.Status = "memory"
		noteState(out, noteIntact)
	}
}
