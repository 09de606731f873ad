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

// members are the processes of the user, as the group knows them.
func (c config) members() []int {
	text, err := os.ReadFile(filepath.Join(c.group, "cgroup.procs"))
	if err != nil {
		return nil
	}
	var pids []int
	for line := range strings.Lines(string(text)) {
		if pid, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && pid > 1 {
			pids = append(pids, pid)
		}
	}
	return pids
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
