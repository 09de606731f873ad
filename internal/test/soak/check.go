package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// check says what is left that should not be, after one more command, which
// sweeps what was killed, and whether the journals verify, also after gc. In the end
// every run has an end, also those whose process was killed.
func (s *soak) check() {
	s.checkProcesses()
	commands := [][]string{{"run", "-c", "6*7"}, {"verify", "--all"}, {"gc"}, {"run", "-c", "6*7"}, {"verify", "--all"}}
	for i, args := range commands {
		code, text := s.praxis(args...)
		lines := strings.Split(strings.TrimSpace(text), "\n")
		fmt.Printf("soak: praxis %s: exit code %d, %s\n", strings.Join(args, " "), code, lines[len(lines)-1])
		if unfinished := args[0] == "verify" && code == 3; code != 0 && (!unfinished || i == len(commands)-1) {
			s.report.fail("praxis %s ends with %d: %s", strings.Join(args, " "), code, text)
		}
	}
	s.checkProcesses()
	for _, name := range groups() {
		if !slices.Contains(s.groups, name) && !othersGroup(filepath.Base(name)) {
			s.report.fail("a control group is left: %s", name)
		}
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil || strings.Count(string(mounts), " "+s.dir) > 1 {
		s.report.fail("mounts are left: %s %v", mounts, err)
	}
	s.checkFolder(s.home, "images", "journal", "blobs", "chain", "chunks", "unlisted", "keys", "owners", "praxis.db", "programs", "resumes", "run", "sessions", "snapshots", "templates")
	s.checkFolder(filepath.Join(s.home, "run"), "gate")
	exported, _ := filepath.Glob(filepath.Join(s.dir, "out", "*.jsonl")) // by hosts that were killed
	for _, name := range exported {
		_ = os.Remove(name)
	}
	for _, empty := range []string{"home/owners", "home/images/tmp", "tmp", "out"} {
		s.checkFolder(filepath.Join(s.dir, empty))
	}
	_ = filepath.WalkDir(s.home, func(name string, d fs.DirEntry, err error) error {
		if err == nil && (strings.HasPrefix(d.Name(), ".tmp-") || strings.HasSuffix(d.Name(), ".tmp")) {
			s.report.fail("a temporary file is left: %s", name)
		}
		return nil
	})
}

// checkProcesses waits a little for processes to end.
func (s *soak) checkProcesses() {
	for range 100 {
		if len(descendants(os.Getpid())) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	for _, p := range descendants(os.Getpid()) {
		s.report.fail("process %d is left: %s", p.pid, p.role)
	}
}

// groups returns the control groups of sandboxes that there are.
func groups() (out []string) {
	_ = filepath.WalkDir("/sys/fs/cgroup", func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), "praxis-") {
			out = append(out, name)
		}
		return nil // one may go while it is looked at
	})
	return out
}

// othersGroup says whether a control group belongs to a process that lives: to
// none of this run, whose processes have ended.
func othersGroup(name string) bool {
	var pid int
	n, _ := fmt.Sscanf(name, "praxis-%d-", &pid)
	_, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	return n == 1 && err == nil
}

// checkFolder looks for files in a folder that no document names.
func (s *soak) checkFolder(dir string, known ...string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		s.report.fail("%v", err)
	}
	for _, e := range entries {
		if name := e.Name(); !slices.Contains(known, strings.TrimSuffix(strings.TrimSuffix(name, "-wal"), "-shm")) {
			s.report.fail("a file is left: %s", filepath.Join(dir, name))
		}
	}
}
