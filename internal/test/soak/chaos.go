package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// process is one below this one.
type process struct {
	pid, parent int
	role        string // "helper", "gofer", "sentry", "guest", "host" or "command"
}

// descendants returns the processes below pid that are no zombies.
func descendants(pid int) []process {
	all := map[int][]process{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		var state string
		var parent int
		if _, err := fmt.Sscan(rest, &state, &parent); err == nil && state != "Z" && state != "X" {
			all[parent] = append(all[parent], process{pid: n, parent: parent})
		}
	}
	var out []process
	var walk func(pid int, role string)
	walk = func(pid int, role string) {
		for _, p := range all[pid] {
			p.role = roleOf(p.pid, role)
			out = append(out, p)
			walk(p.pid, p.role)
		}
	}
	walk(pid, "")
	return out
}

// roleOf says what a process is, below one with the role above.
func roleOf(pid int, above string) string {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	args := strings.Split(string(line), "\x00")
	switch {
	case above == "sentry" || above == "guest":
		return "guest"
	case args[0] == "runsc-sandbox":
		return "sentry"
	case args[0] == "runsc-gofer":
		return "gofer"
	case len(args) > 1 && args[1] == "sandbox-helper":
		return "helper"
	case len(args) > 1 && args[1] == hostArg:
		return "host"
	}
	return "command"
}

// choose returns one of all, each as often as it says.
func choose[T any](rng *rand.Rand, all []T, often func(T) int) T {
	sum := 0
	for _, v := range all {
		sum += often(v)
	}
	n := rng.IntN(sum)
	for _, v := range all {
		if n -= often(v); n < 0 {
			return v
		}
	}
	panic("the sum is that of its parts")
}

// chaos causes one fault after the other until ctx is over.
func (s *soak) chaos(ctx context.Context) {
	rng := rand.New(rand.NewPCG(s.seed, 7))
	often := map[string]int{"helper": 5, "sentry": 5, "gofer": 2, "guest": 5, "host": 4, "command": 3, "disk": 2, "clock": 2}
	kinds := slices.Sorted(maps.Keys(often))
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(rng.ExpFloat64() * float64(s.every))):
		}
		switch name := choose(rng, kinds, func(k string) int { return often[k] }); name {
		case "disk":
			if s.mounted {
				s.fill(ctx, rng)
			}
		case "clock":
			s.clockBack(rng)
		default:
			s.kill(rng, name)
		}
	}
}

// kill kills a process of a role, that belongs to a host which is not quiet.
func (s *soak) kill(rng *rand.Rand, role string) {
	hosts := map[int]int{} // by process
	for _, m := range s.members {
		if pid := m.pid(); pid != 0 {
			hosts[pid] = m.k
		}
	}
	owner := map[int]int{}
	var victims []process
	for _, p := range descendants(os.Getpid()) { // parents before children
		k, ok := hosts[p.pid]
		if !ok {
			k = owner[p.parent]
		}
		owner[p.pid] = k
		// The second host lives as long as the soak, so that what it leaks adds up.
		if p.role == role && k != 0 && !(role == "host" && k == 1) {
			victims = append(victims, p)
		}
	}
	if len(victims) == 0 {
		return
	}
	p := victims[rng.IntN(len(victims))]
	s.report.fault(role, owner[p.pid], 0)
	_ = unix.Kill(p.pid, unix.SIGKILL)
}

// clockBack sets the clock of one host's records back, at most a day.
func (s *soak) clockBack(rng *rand.Rand) {
	m := s.members[rng.IntN(len(s.members))]
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cmd != nil {
		_, _ = fmt.Fprintln(m.input, rng.IntN(86400)) // it is killed just now, or not
		s.report.fault("clock", none, 0)
	}
}

// fill leaves nothing of the disk for some seconds: its size becomes what is used.
func (s *soak) fill(ctx context.Context, rng *rand.Rand) {
	var st unix.Statfs_t
	if err := unix.Statfs(s.home, &st); err != nil {
		s.report.fail("cannot look at the disk: %v", err)
		return
	}
	used := (st.Blocks - st.Bfree) * uint64(st.Bsize)
	if err := s.resize(fmt.Sprint(used + 64<<10)); err != nil {
		return // more was written meanwhile
	}
	s.report.fault("disk", everyone, time.Minute)
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(1+rng.IntN(8)) * time.Second):
	}
	if err := s.resize(s.disk); err != nil {
		s.report.fail("cannot make the disk large again: %v", err)
	}
	s.report.endFault()
}

// resize gives the data folder's file system another size.
func (s *soak) resize(size string) error {
	return unix.Mount("", s.home, "", unix.MS_REMOUNT, "size="+size)
}
