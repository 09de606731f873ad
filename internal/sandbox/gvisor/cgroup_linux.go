package gvisor

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// memoryOverhead is what a sandbox may use beyond its memory limit: the
// sentry's, the gofer's and the helper's own memory and the stubs' page
// tables. Measured at rest: 40 to 65 MB with pandas loaded.
const memoryOverhead = 96 << 20

// cpuPeriod is the quota's period in microseconds, the kernel's default.
const cpuPeriod = 100_000

// hostThreads bounds the host's threads for one sandbox: every guest process
// has a stub process and every guest thread a stub thread, and the sentry needs
// threads of its own. The guest's limit is kept inside; this one protects the host.
func hostThreads(processes int) int { return 4*processes + 512 }

// The controllers that are used.
const (
	ctrlMemory  = "memory"
	ctrlCPU     = "cpu"
	ctrlPids    = "pids"
	ctrlCPUAcct = "cpuacct" // v1 only
)

// cgroupPlan is where cgroups can be made on this host. The zero plan has none.
type cgroupPlan struct {
	version int // 0, 1 or 2
	// parents holds, for each controller that can be used, the folder in which
	// a sandbox's cgroup is made. Under v2 it is the same for all.
	parents map[string]string
	reason  string // why version is 0
}

func (p cgroupPlan) has(ctrl string) bool { return p.parents[ctrl] != "" }

// hostTree is the host's /proc and /sys, or a planted tree in a test.
type hostTree struct{ root string }

func (t hostTree) path(p string) string { return filepath.Join(t.root, p) }

func (t hostTree) read(p string) (string, error) {
	b, err := os.ReadFile(t.path(p))
	return strings.TrimSpace(string(b)), err
}

// cgroupMounts returns where each controller's hierarchy is mounted; the v2 one
// has the name "".
func (t hostTree) cgroupMounts() (map[string]string, error) {
	f, err := os.Open(t.path("/proc/self/mountinfo"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := make(map[string]string)
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		left, right, ok := strings.Cut(sc.Text(), " - ")
		l, r := strings.Fields(left), strings.Fields(right)
		if !ok || len(l) < 5 || len(r) < 3 || l[3] != "/" {
			continue // a hierarchy of which only a part is mounted: paths would not fit
		}
		switch r[0] {
		case "cgroup2":
			out[""] = l[4]
		case "cgroup":
			for _, o := range strings.Split(r[2], ",") {
				if _, known := out[o]; !known && slices.Contains([]string{ctrlMemory, ctrlCPU, ctrlPids, ctrlCPUAcct}, o) {
					out[o] = l[4]
				}
			}
		}
	}
	return out, sc.Err()
}

// ownCgroups returns this process's path in each hierarchy; the v2 one has the name "".
func (t hostTree) ownCgroups() (map[string]string, error) {
	s, err := t.read("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	out := make(map[string]string)
	for line := range strings.Lines(s) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		for _, c := range strings.Split(f[1], ",") {
			out[c] = f[2]
		}
	}
	return out, nil
}

// planCgroups finds where this process can make cgroups that keep memory, CPU
// and threads in bounds. It prefers v2.
func planCgroups(t hostTree) cgroupPlan {
	mounts, err := t.cgroupMounts()
	if err != nil {
		return cgroupPlan{reason: err.Error()}
	}
	own, err := t.ownCgroups()
	if err != nil {
		return cgroupPlan{reason: err.Error()}
	}
	p2 := planV2(t, mounts, own)
	if p2.has(ctrlMemory) {
		return p2
	}
	p1 := planV1(t, mounts, own)
	if p1.version != 0 {
		return p1
	}
	if p2.version != 0 {
		return p2
	}
	switch {
	case mounts[""] != "":
		return cgroupPlan{reason: "no cgroup with memory, cpu and pids is delegated to this user"}
	default:
		return cgroupPlan{reason: "no cgroup hierarchy is mounted"}
	}
}

// planV1 uses the own cgroup of each controller as the parent.
func planV1(t hostTree, mounts, own map[string]string) cgroupPlan {
	p := cgroupPlan{parents: make(map[string]string)}
	for _, c := range []string{ctrlMemory, ctrlCPU, ctrlPids, ctrlCPUAcct} {
		if mounts[c] == "" {
			continue
		}
		dir := t.path(filepath.Join(mounts[c], own[c]))
		if canMake(dir) {
			p.parents[c] = dir
			p.version = 1
		}
	}
	return p
}

// planV2 looks for the nearest cgroup, from the own one upwards, that hands
// controllers to its children and in which children can be made. A process may
// be put into a child of that cgroup if it may write the cgroup's own
// cgroup.procs, the common ancestor's.
func planV2(t hostTree, mounts, own map[string]string) cgroupPlan {
	top := mounts[""]
	if top == "" {
		return cgroupPlan{}
	}
	for path := filepath.Clean("/" + own[""]); ; path = filepath.Dir(path) {
		dir := t.path(filepath.Join(top, path))
		if canMake(dir) && unix.Access(filepath.Join(dir, "cgroup.procs"), unix.W_OK) == nil {
			p := cgroupPlan{parents: make(map[string]string)}
			for _, c := range handedDown(dir) {
				if c == ctrlMemory || c == ctrlCPU || c == ctrlPids {
					p.parents[c] = dir
					p.version = 2
				}
			}
			if p.has(ctrlMemory) || path == "/" {
				return p
			}
		}
		if path == "/" {
			return cgroupPlan{}
		}
	}
}

// handedDown returns the controllers that children of the v2 cgroup dir have.
// It tries to hand down those that are missing: that succeeds where no process
// is in dir itself, as in a cgroup delegated for this purpose.
func handedDown(dir string) []string {
	read := func(name string) []string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil
		}
		return strings.Fields(string(b))
	}
	have := read("cgroup.subtree_control")
	available := read("cgroup.controllers")
	procs := read("cgroup.procs")
	for _, c := range []string{ctrlMemory, ctrlCPU, ctrlPids} {
		if slices.Contains(have, c) || !slices.Contains(available, c) || len(procs) != 0 {
			continue
		}
		if writeFile(filepath.Join(dir, "cgroup.subtree_control"), "+"+c) == nil {
			have = append(have, c)
		}
	}
	return have
}

func canMake(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }

// writeFile writes an existing file of a kernel interface.
func writeFile(path, value string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

func readInt(path string) (int64, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
}

// readField returns the number after the word key in a file of "key number" lines.
func readField(path, key string) (int64, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) == 2 && f[0] == key {
			return strconv.ParseInt(f[1], 10, 64)
		}
	}
	return 0, fmt.Errorf("%s has no %s", path, key)
}

// cgroup is one sandbox's cgroup: one folder a controller under v1, one folder
// under v2.
type cgroup struct {
	version int
	dirs    map[string]string
}

// dirsOf returns the folders that a cgroup called name has under the plan.
func (p cgroupPlan) dirsOf(name string) map[string]string {
	out := make(map[string]string)
	for c, parent := range p.parents {
		out[c] = filepath.Join(parent, name)
	}
	return out
}

// makeCgroup makes the cgroup called name with a memory limit and a bound on
// threads. CPU is limited later, see limitCPU.
func (p cgroupPlan) makeCgroup(name string, memory int64, threads int) (*cgroup, error) {
	g := &cgroup{version: p.version, dirs: p.dirsOf(name)}
	for _, d := range g.folders() {
		if err := os.Mkdir(d, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			_ = g.remove(0)
			return nil, fmt.Errorf("cannot make cgroup: %w", err)
		}
	}
	type setting struct {
		ctrl, file, value string
		optional          bool
	}
	mem, thr := strconv.FormatInt(memory, 10), strconv.Itoa(threads)
	settings := []setting{
		{ctrlMemory, "memory.max", mem, false},
		{ctrlMemory, "memory.swap.max", "0", true},  // absent without swap accounting
		{ctrlMemory, "memory.oom.group", "1", true}, // since 4.19
		{ctrlPids, "pids.max", thr, false},
	}
	if g.version == 1 {
		settings = []setting{
			{ctrlMemory, "memory.limit_in_bytes", mem, false},
			{ctrlMemory, "memory.memsw.limit_in_bytes", mem, true},
			{ctrlPids, "pids.max", thr, false},
		}
	}
	for _, s := range settings {
		dir := g.dirs[s.ctrl]
		if dir == "" {
			continue
		}
		if err := writeFile(filepath.Join(dir, s.file), s.value); err != nil && !s.optional {
			_ = g.remove(0)
			return nil, fmt.Errorf("cannot limit cgroup: %w", err)
		}
	}
	return g, nil
}

// folders returns the cgroup's distinct folders.
func (g *cgroup) folders() []string {
	var out []string
	for _, d := range g.dirs {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	slices.Sort(out)
	return out
}

// enter moves the calling thread into the cgroup, so that what it forks is born
// there, and returns a function that moves it back. A thread that moves itself
// costs microseconds; to move another process the kernel waits for all CPUs,
// some 5 ms a controller. Only v1 lets single threads move; under v2 a process is
// born in the cgroup by a flag of clone.
func (g *cgroup) enter() (leave func() error, err error) {
	move := func(dir string) error {
		if err := writeFile(filepath.Join(dir, "tasks"), "0"); err != nil {
			return fmt.Errorf("cannot enter cgroup: %w", err)
		}
		return nil
	}
	var inside []string
	leave = func() error {
		var errs []error
		for _, d := range inside {
			errs = append(errs, move(filepath.Dir(d)))
		}
		return errors.Join(errs...)
	}
	for _, d := range g.folders() {
		if err := move(d); err != nil {
			return nil, errors.Join(err, leave())
		}
		inside = append(inside, d)
	}
	return leave, nil
}

// limitCPU sets the quota.
func (g *cgroup) limitCPU(cpus float64) error {
	dir := g.dirs[ctrlCPU]
	if dir == "" {
		return nil
	}
	quota := max(int64(math.Round(cpus*cpuPeriod)), 1000)
	if g.version == 1 {
		if err := writeFile(filepath.Join(dir, "cpu.cfs_period_us"), strconv.Itoa(cpuPeriod)); err != nil {
			return fmt.Errorf("cannot limit cpu: %w", err)
		}
		return writeFile(filepath.Join(dir, "cpu.cfs_quota_us"), strconv.FormatInt(quota, 10))
	}
	return writeFile(filepath.Join(dir, "cpu.max"), fmt.Sprintf("%d %d", quota, cpuPeriod))
}

// memory returns the bytes that cannot be taken back: anonymous and shared
// memory, without the page cache of files.
func (g *cgroup) memory() (int64, bool) {
	dir := g.dirs[ctrlMemory]
	if dir == "" {
		return 0, false
	}
	anon, shared := "anon", "shmem"
	if g.version == 1 {
		anon, shared = "total_rss", "total_shmem"
	}
	stat := filepath.Join(dir, "memory.stat")
	a, err := readField(stat, anon)
	if err != nil {
		return 0, false
	}
	s, err := readField(stat, shared)
	if err != nil {
		return a, g.version == 1 // kernels before 4.15 count shared memory as cache
	}
	return a + s, true
}

// cpu returns the time that the cgroup's processes have used.
func (g *cgroup) cpu() (time.Duration, bool) {
	if g.version == 1 {
		n, err := readInt(filepath.Join(g.dirs[ctrlCPUAcct], "cpuacct.usage"))
		return time.Duration(n), err == nil && g.dirs[ctrlCPUAcct] != ""
	}
	for _, d := range g.folders() {
		n, err := readField(filepath.Join(d, "cpu.stat"), "usage_usec")
		return time.Duration(n) * time.Microsecond, err == nil
	}
	return 0, false
}

// oomKills counts the processes that the kernel killed for the memory limit.
func (g *cgroup) oomKills() int64 {
	dir := g.dirs[ctrlMemory]
	if dir == "" {
		return 0
	}
	file := "memory.events"
	if g.version == 1 {
		file = "memory.oom_control"
	}
	n, err := readField(filepath.Join(dir, file), "oom_kill")
	if err != nil {
		return 0
	}
	return n
}

// remove removes the cgroup's folders. The kernel refuses while a dead process
// has not been reaped, so remove tries again for as long as wait.
func (g *cgroup) remove(wait time.Duration) error {
	deadline := time.Now().Add(wait)
	for {
		var err error
		for _, d := range g.folders() {
			if e := unix.Rmdir(d); e != nil && e != unix.ENOENT {
				err = fmt.Errorf("cannot remove cgroup %s: %w", d, e)
			}
		}
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// pids returns the processes in the cgroup.
func (g *cgroup) pids() []int {
	var out []int
	for _, d := range g.folders() {
		b, err := os.ReadFile(filepath.Join(d, "cgroup.procs"))
		if err != nil {
			continue
		}
		for _, f := range strings.Fields(string(b)) {
			if pid, err := strconv.Atoi(f); err == nil && pid > 1 && !slices.Contains(out, pid) {
				out = append(out, pid)
			}
		}
	}
	return out
}
