package agent

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// procInfo is what /proc/N/stat says of a process.
type procInfo struct {
	pid, parent, session int
	zombie               bool
	cpu                  time.Duration // its own and that of children it waited for
	rss, address         int64         // bytes in memory and of address space
}

// clockTick is the unit of the times in /proc/N/stat: USER_HZ is 100 on every
// architecture that this runs on.
const clockTick = 10 * time.Millisecond

// maxScanned bounds a look at /proc.
const maxScanned = 65536

// processes reads /proc.
func processes() []procInfo {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	var all []procInfo
	var buf [1024]byte
	names, _ := d.Readdirnames(maxScanned)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		text, err := readSmall("/proc/"+name+"/stat", buf[:])
		if err != nil {
			continue // it ended meanwhile
		}
		if p, ok := parseStat(pid, text); ok {
			all = append(all, p)
		}
	}
	return all
}

// readSmall reads a file of the kernel's that fits in buf. It is for what is
// read again and again: os.ReadFile makes three times as many system calls.
func readSmall(path string, buf []byte) ([]byte, error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer closeAll(fd)
	for {
		n, err := syscall.Read(fd, buf)
		if err == syscall.EINTR {
			continue
		}
		return buf[:max(n, 0)], err
	}
}

// parseStat reads proc_pid_stat(5). The command's name may hold anything, so
// fields are counted from the last parenthesis.
func parseStat(pid int, text []byte) (procInfo, bool) {
	i := bytes.LastIndexByte(text, ')')
	if i < 0 {
		return procInfo{}, false
	}
	f := strings.Fields(string(text[i+1:]))
	if len(f) < 22 {
		return procInfo{}, false
	}
	num := func(field int) int64 { // numbered as in the manual page, where state is 3
		n, _ := strconv.ParseInt(f[field-3], 10, 64)
		return n
	}
	return procInfo{
		pid:     pid,
		parent:  int(num(4)),
		session: int(num(6)),
		zombie:  f[0] == "Z" || f[0] == "X",
		cpu:     time.Duration(num(14)+num(15)+num(16)+num(17)) * clockTick,
		rss:     num(24) * int64(os.Getpagesize()),
		address: num(23),
	}, true
}

// tree returns the processes that belong to the one called root: itself, its
// session and its descendants.
func tree(all []procInfo, root int) []procInfo {
	in := map[int]bool{root: true}
	for _, p := range all {
		if p.session == root {
			in[p.pid] = true
		}
	}
	for grew := true; grew; {
		grew = false
		for _, p := range all {
			if !in[p.pid] && in[p.parent] {
				in[p.pid], grew = true, true
			}
		}
	}
	var out []procInfo
	for _, p := range all {
		if in[p.pid] {
			out = append(out, p)
		}
	}
	return out
}

// killTree ends a program and what belongs to it. It looks again until nothing
// is left, because a program may fork while it is being ended.
func killTree(c *child) {
	self := os.Getpid()
	for range 5 {
		members := tree(processes(), c.pid)
		c.killGroup(syscall.SIGKILL)
		left := 0
		for _, p := range members {
			if p.pid != c.pid && p.pid != self && !p.zombie {
				left++
				_ = syscall.Kill(p.pid, syscall.SIGKILL)
			}
		}
		if left == 0 {
			return
		}
	}
}

// cpuOf is the CPU time of a program and what belongs to it.
func cpuOf(root int) time.Duration {
	var sum time.Duration
	for _, p := range tree(processes(), root) {
		sum += p.cpu
	}
	return sum
}
