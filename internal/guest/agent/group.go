package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Names of the groups below the sandbox's own: one for the agent, one for all
// that it starts.
const (
	groupOfAgent = "agent"
	groupOfUser  = "praxis"
)

// makeGroup makes the group that counts the user's processes. Both shapes of
// control groups are known: a folder of the pids controller (v1) and a unified
// one (v2), where a group with processes of its own can limit no group below
// it, so that the agent moves into one first.
func (c *config) makeGroup() error {
	base := c.Cgroup
	if base == "" {
		base = "/sys/fs/cgroup"
		if _, err := os.Stat(filepath.Join(base, "cgroup.controllers")); err != nil {
			base = filepath.Join(base, "pids")
		}
	}
	c.group = filepath.Join(base, groupOfUser)
	if _, err := os.Stat(filepath.Join(base, "cgroup.controllers")); err == nil {
		if err := enablePids(base); err != nil {
			return groupFailure(err)
		}
	}
	if err := os.Mkdir(c.group, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return groupFailure(err)
	}
	return nil
}

func groupFailure(err error) error {
	return failf("conflict", "Mount the pids controller in the sandbox.", "cannot set up session: cannot count processes: %v", err)
}

func enablePids(base string) error {
	own := filepath.Join(base, groupOfAgent)
	if err := os.Mkdir(own, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := os.WriteFile(filepath.Join(own, "cgroup.procs"), []byte(strconv.Itoa(os.Getpid())), 0); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(base, "cgroup.subtree_control"), []byte("+pids"), 0)
}

// limitProcesses writes the bound of the group that every program is in.
func (c *config) limitProcesses() error {
	if c.group == "" {
		return nil
	}
	value := "max"
	if c.Limits.Processes > 0 {
		value = strconv.Itoa(c.Limits.Processes)
	}
	if err := os.WriteFile(filepath.Join(c.group, "pids.max"), []byte(value), 0); err != nil {
		return fmt.Errorf("cannot limit processes: %w", err)
	}
	return nil
}

// tasks is how many processes and threads the group holds.
func (c config) tasks() (int, bool) {
	var buf [32]byte
	text, err := readSmall(filepath.Join(c.group, "pids.current"), buf[:])
	if err != nil {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	return n, err == nil
}

// overshoot is how many more tasks than the limit are let be: programs that the
// agent starts join the group without being counted against it, and a kernel
// that counts well refuses the rest by itself.
func overshoot(limit int) int { return limit/8 + 16 }

// checkProcesses ends what has the most processes when there are far more than
// the limit: gVisor's v1 groups charge a fork to one of their hierarchies, taken
// at random, and so let most forks beyond the limit through.
func (s *server) checkProcesses() {
	s.mu.Lock()
	cfg := s.cfg
	kernels := s.allKernels()
	procs := s.started()
	s.mu.Unlock()
	limit := cfg.Limits.Processes
	if cfg.group == "" || limit <= 0 {
		return
	}
	if n, ok := cfg.tasks(); !ok || n <= limit+overshoot(limit) {
		return
	}
	all := processes()
	reason := fmt.Sprintf("the limit of %d processes was reached", limit)
	owned := map[int]bool{os.Getpid(): true}
	most, end := 0, func() {}
	consider := func(root int, kill func()) {
		members := tree(all, root)
		for _, p := range members {
			owned[p.pid] = true
		}
		if len(members) > most {
			most, end = len(members), kill
		}
	}
	for _, k := range kernels {
		if pid := k.info().PID; pid != 0 {
			consider(pid, func() { k.endForProcesses(pid, reason) })
		}
	}
	for _, p := range procs {
		consider(p.child.pid, func() { p.endFor(reason) })
	}
	var orphans []int
	for _, p := range all {
		if !owned[p.pid] && !p.zombie {
			orphans = append(orphans, p.pid)
		}
	}
	if len(orphans) > most {
		end = func() {
			for _, pid := range orphans {
				killPID(pid)
			}
		}
	}
	end()
}

// endForProcesses ends the interpreter if it still is the process pid.
func (k *kernel) endForProcesses(pid int, limit string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.in != nil && k.in.child.pid == pid {
		k.kill(overProcesses, limit)
	}
}
