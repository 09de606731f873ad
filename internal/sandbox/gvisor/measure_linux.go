package gvisor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// clockTick is the unit of CPU times in /proc: USER_HZ is 100 on every
// architecture that gVisor runs on.
const clockTick = 10 * time.Millisecond

// maxTree bounds how many processes of a sandbox are looked at.
const maxTree = 1 << 16

// tree measures a sandbox through /proc, without a cgroup: the helper and
// everything below it. A process counts with its anonymous memory; the guest's
// memory is a memfd of the sentry and counts by its blocks, once.
type tree struct {
	helper int   // the helper's pid
	pids   []int // as of the last walk, the helper first
	sentry int   // the sentry's pid, 0 while unknown
	stubs  int64 // bytes that the processes other than the sentry had at the last walk
}

// walk finds the sandbox's processes and measures all but the sentry.
func (t *tree) walk() {
	t.pids = t.pids[:0]
	seen := make(map[int]bool)
	queue := []int{t.helper}
	for len(queue) > 0 && len(t.pids) < maxTree {
		pid := queue[0]
		queue = queue[1:]
		if seen[pid] {
			continue
		}
		seen[pid] = true
		t.pids = append(t.pids, pid)
		queue = append(queue, children(pid)...)
	}
	t.stubs = 0
	for _, pid := range t.pids {
		if t.sentry == 0 && isSentry(pid) {
			t.sentry = pid
		}
		if pid != t.sentry {
			t.stubs += anonMemory(pid)
		}
	}
}

// memory returns the bytes in use now; all but the sentry's are as of the last walk.
func (t *tree) memory() int64 {
	if t.sentry == 0 {
		return t.stubs
	}
	return t.stubs + anonMemory(t.sentry) + memfdMemory(t.sentry)
}

// cpu returns the CPU time of the processes of the last walk and of their
// reaped children.
func (t *tree) cpu() time.Duration {
	var sum time.Duration
	for _, pid := range t.pids {
		sum += cpuTime(pid)
	}
	return sum
}

// children returns the processes that any thread of pid has forked.
func children(pid int) []int {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil
	}
	var out []int
	for _, l := range lists {
		b, err := os.ReadFile(l)
		if err != nil {
			continue
		}
		for _, f := range strings.Fields(string(b)) {
			if n, err := strconv.Atoi(f); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

func isSentry(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && strings.HasPrefix(string(b), "runsc-sandbox\x00")
}

// anonMemory returns the process's own memory in bytes, 0 when it is gone.
func anonMemory(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err != nil {
				return 0
			}
			return n << 10
		}
	}
	return 0
}

// memfdMemory returns the bytes of the memory files that the process holds.
func memfdMemory(pid int) int64 {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	names, err := readNames(dir)
	if err != nil {
		return 0
	}
	var sum int64
	seen := make(map[uint64]bool)
	for _, n := range names {
		path := dir + "/" + n
		to, err := os.Readlink(path)
		if err != nil || !strings.HasPrefix(to, "/memfd:") {
			continue
		}
		var st unix.Stat_t
		if unix.Stat(path, &st) == nil && !seen[st.Ino] {
			seen[st.Ino] = true
			sum += st.Blocks * 512
		}
	}
	return sum
}

func readNames(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	names, err := d.Readdirnames(-1)
	return names, errors.Join(err, d.Close())
}

// statFields returns the fields of /proc/pid/stat from the third on: after the
// command's name, which may hold anything.
func statFields(pid int) ([]string, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	i := strings.LastIndexByte(string(b), ')')
	f := strings.Fields(string(b[i+1:]))
	if i < 0 || len(f) < 20 {
		return nil, fmt.Errorf("cannot read /proc/%d/stat", pid)
	}
	return f, nil
}

// cpuTime returns the user and system time of the process and of its reaped children.
func cpuTime(pid int) time.Duration {
	f, err := statFields(pid)
	if err != nil {
		return 0
	}
	var ticks int64
	for _, s := range f[11:15] { // utime, stime, cutime, cstime
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return 0
		}
		ticks += n
	}
	return time.Duration(ticks) * clockTick
}

// startTime returns when the process started, in ticks since the host's boot.
// With the pid it names a process for good.
func startTime(pid int) (uint64, error) {
	f, err := statFields(pid)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(f[19], 10, 64)
}

// bindCPUs binds every thread below root to n CPUs of those that this process
// may use, chosen by turn. Threads inherit their maker's binding, so it is done
// when one whole pass found nothing left to bind.
func bindCPUs(root, n, turn int) error {
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return fmt.Errorf("cannot limit cpu: %w", err)
	}
	if n >= all.Count() {
		return nil
	}
	want := pickCPUs(all, n, turn)
	for range 100 {
		changed := false
		t := tree{helper: root}
		t.walk()
		for _, pid := range t.pids {
			tids, err := readNames(fmt.Sprintf("/proc/%d/task", pid))
			if err != nil {
				continue // gone
			}
			for _, s := range tids {
				tid, err := strconv.Atoi(s)
				var have unix.CPUSet
				if err != nil || unix.SchedGetaffinity(tid, &have) != nil || have == want {
					continue
				}
				if err := unix.SchedSetaffinity(tid, &want); err != nil && err != unix.ESRCH {
					return fmt.Errorf("cannot limit cpu: %w", err)
				}
				changed = true
			}
		}
		if !changed {
			return nil
		}
	}
	return errors.New("cannot limit cpu: threads are made faster than they can be bound")
}

// pickCPUs returns n of the CPUs in all, starting with the turn-th.
func pickCPUs(all unix.CPUSet, n, turn int) unix.CPUSet {
	var list []int
	for i := 0; len(list) < all.Count(); i++ {
		if all.IsSet(i) {
			list = append(list, i)
		}
	}
	var out unix.CPUSet
	for i := range min(n, len(list)) {
		out.Set(list[(turn+i)%len(list)])
	}
	return out
}
