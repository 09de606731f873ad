package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// DescendantsPSS sums the proportional set size, in bytes, of all processes
// that descend from pid: what a session costs, shared pages split among users. The
// kernel splits a page among address spaces, and gVisor runs the threads of a guest's
// program as processes that share one: of those, one counts.
func DescendantsPSS(pid int) (int64, error) {
	children, err := childrenOf()
	if err != nil {
		return 0, err
	}
	var total int64
	var counted []int
	for todo := children[pid]; len(todo) > 0; {
		p := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], children[p]...)
		if slices.ContainsFunc(counted, func(q int) bool { return sameMemory(p, q) }) {
			continue
		}
		counted = append(counted, p)
		size, err := memoryOf(p)
		if gone := (*fs.PathError)(nil); errors.As(err, &gone) {
			continue // it ended meanwhile
		}
		if err != nil {
			return 0, err
		}
		total += size
	}
	return total, nil
}

// memoryOf is the proportional set size of one process, in bytes.
func memoryOf(pid int) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err != nil {
				return 0, fmt.Errorf("cannot read memory of process %d: %w", pid, err)
			}
			return kb << 10, nil
		}
	}
	return 0, nil // it is ending
}

// sameMemory says whether two processes share one address space. Where the kernel does
// not say it, they count as two.
func sameMemory(a, b int) bool {
	const kcmpVM = 1 // KCMP_VM, see kcmp(2)
	order, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(a), uintptr(b), kcmpVM, 0, 0, 0)
	return errno == 0 && order == 0
}

// childrenOf maps every process to its children.
func childrenOf() (map[int][]int, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	children := map[int][]int{}
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			continue
		}
		// The name may hold spaces and parentheses: fields count from the last ')'.
		fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		if len(fields) < 2 {
			continue
		}
		parent, err := strconv.Atoi(fields[1])
		if err != nil {
			continue
		}
		children[parent] = append(children[parent], pid)
	}
	return children, nil
}
