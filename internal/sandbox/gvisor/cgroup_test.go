package gvisor

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"praxis/fault"
)

const (
	v2Mount = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
	v1Mount = "31 23 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n" +
		"32 23 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n" +
		"33 23 0:29 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
	scope = "sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice"
)

func v2Host(files map[string]string) map[string]string {
	all := map[string]string{
		"proc/self/mountinfo": v2Mount,
		"proc/self/cgroup":    "0::/user.slice/user-1000.slice/user@1000.service/app.slice/run.scope\n",
	}
	maps.Copy(all, files)
	return all
}

func TestPlanCgroups(t *testing.T) {
	delegated := map[string]string{
		scope + "/cgroup.procs":                     "",
		scope + "/cgroup.controllers":               "cpu memory pids\n",
		scope + "/cgroup.subtree_control":           "memory pids\n",
		scope + "/run.scope/cgroup.procs":           "123\n",
		scope + "/run.scope/cgroup.controllers":     "memory pids\n",
		scope + "/run.scope/cgroup.subtree_control": "\n",
	}
	for _, c := range []struct {
		name    string
		files   map[string]string
		version int
		parent  string // of the memory controller
		ctrls   string
	}{
		{"nothing mounted", map[string]string{"proc/self/mountinfo": "", "proc/self/cgroup": ""}, 0, "", ""},
		{"no proc", map[string]string{}, 0, "", ""},
		{"v2, the parent hands down", v2Host(delegated), 2, scope, "cpu memory pids"},
		{
			"v2, own empty cgroup", v2Host(map[string]string{
				scope + "/run.scope/cgroup.procs":           "",
				scope + "/run.scope/cgroup.controllers":     "cpu memory pids",
				scope + "/run.scope/cgroup.subtree_control": "cpu memory pids",
			}), 2, scope + "/run.scope", "cpu memory pids",
		},
		{
			"v2 without controllers beside v1", map[string]string{
				"proc/self/mountinfo":              v2Mount + v1Mount,
				"proc/self/cgroup":                 "3:memory:/box\n2:cpu,cpuacct:/\n1:pids:/box\n0::/\n",
				"sys/fs/cgroup/cgroup.procs":       "1\n",
				"sys/fs/cgroup/cgroup.controllers": "hugetlb\n",
				"sys/fs/cgroup/memory/box/tasks":   "",
				"sys/fs/cgroup/cpu,cpuacct/tasks":  "",
				"sys/fs/cgroup/pids/box/tasks":     "",
			}, 1, "sys/fs/cgroup/memory/box", "cpu cpuacct memory pids",
		},
		{
			"v1 in part", map[string]string{
				"proc/self/mountinfo":        v1Mount,
				"proc/self/cgroup":           "3:memory:/gone\n1:pids:/\n",
				"sys/fs/cgroup/pids/tasks":   "",
				"sys/fs/cgroup/memory/tasks": "",
			}, 1, "", "pids",
		},
		{
			"a part of a hierarchy is mounted", map[string]string{
				"proc/self/mountinfo":        strings.ReplaceAll(v1Mount, " / /sys", " /docker/1 /sys"),
				"proc/self/cgroup":           "3:memory:/\n",
				"sys/fs/cgroup/memory/tasks": "",
			}, 0, "", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			host := plant(t, c.files)
			p := planCgroups(host)
			if c.name == "v2, the parent hands down" {
				// A planted file keeps what was written last, as the kernel's does not.
				if s, err := host.read("/" + scope + "/cgroup.subtree_control"); err != nil || !strings.Contains(s, "+cpu") {
					t.Errorf("cpu was not handed down: %q, %v", s, err)
				}
			}
			if p.version != c.version || (c.parent != "" && p.parents[ctrlMemory] != host.path("/"+c.parent)) {
				t.Errorf("got %+v, want version %d below %s", p, c.version, c.parent)
			}
			if got := strings.Join(slices.Sorted(maps.Keys(p.parents)), " "); got != c.ctrls {
				t.Errorf("got controllers %q, want %q", got, c.ctrls)
			}
			if (p.reason == "") != (p.version != 0) {
				t.Errorf("version %d with reason %q", p.version, p.reason)
			}
		})
	}
}

// TestMakeCgroupUndoes wants nothing left of a cgroup that cannot be limited: a
// planted folder has none of the kernel's files.
func TestMakeCgroupUndoes(t *testing.T) {
	host := plant(t, map[string]string{"sys/fs/cgroup/cgroup.procs": ""})
	parent := host.path("/sys/fs/cgroup")
	p := cgroupPlan{version: 2, parents: map[string]string{ctrlMemory: parent, ctrlPids: parent}}
	if g, err := p.makeCgroup("praxis-x", 1<<30, 100); err == nil {
		t.Errorf("got %+v", g)
	}
	if names, err := readNames(parent); err != nil || len(names) != 1 {
		t.Errorf("left %v, %v", names, err)
	}
}

// TestReadCgroup reads planted measurements of both versions.
func TestReadCgroup(t *testing.T) {
	host := plant(t, map[string]string{
		"v2/memory.stat":        "anon 1000\nfile 500000\nshmem 2000\nfile_mapped 7\n",
		"v2/memory.events":      "low 0\nhigh 0\nmax 12\noom 1\noom_kill 3\n",
		"v2/cpu.stat":           "usage_usec 1500\nuser_usec 1000\n",
		"v2/cpu.max":            "max 100000",
		"m1/memory.stat":        "cache 9\nrss 5\ntotal_cache 500000\ntotal_rss 1000\ntotal_shmem 2000\n",
		"m1/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n",
		"a1/cpuacct.usage":      "1500000\n",
		"c1/cpu.cfs_period_us":  "100000",
		"c1/cpu.cfs_quota_us":   "-1",
	})
	v2 := &cgroup{version: 2, dirs: map[string]string{ctrlMemory: host.path("v2"), ctrlCPU: host.path("v2"), ctrlPids: host.path("v2")}}
	v1 := &cgroup{version: 1, dirs: map[string]string{ctrlMemory: host.path("m1"), ctrlCPU: host.path("c1"), ctrlCPUAcct: host.path("a1")}}
	for _, c := range []struct {
		g    *cgroup
		oom  int64
		file string
		want string
	}{
		{v2, 3, host.path("v2/cpu.max"), "150000 100000"},
		{v1, 4, host.path("c1/cpu.cfs_quota_us"), "150000"},
	} {
		if n, ok := c.g.memory(); !ok || n != 3000 {
			t.Errorf("v%d: memory %d, %v", c.g.version, n, ok)
		}
		if d, ok := c.g.cpu(); !ok || d != 1500*time.Microsecond {
			t.Errorf("v%d: cpu %v, %v", c.g.version, d, ok)
		}
		if n := c.g.oomKills(); n != c.oom {
			t.Errorf("v%d: %d kills", c.g.version, n)
		}
		if err := c.g.limitCPU(1.5); err != nil {
			t.Error(err)
		}
		// O_TRUNC is not used on kernel files: compare the beginning.
		if b, err := os.ReadFile(c.file); err != nil || !strings.HasPrefix(string(b), c.want) {
			t.Errorf("v%d: %s holds %q, %v", c.g.version, c.file, b, err)
		}
	}
	empty := &cgroup{version: 1, dirs: map[string]string{}}
	if _, ok := empty.memory(); ok {
		t.Error("memory of no cgroup")
	}
	if _, ok := empty.cpu(); ok {
		t.Error("cpu of no cgroup")
	}
}

// TestSweepMindsWhatItRemoves plants records that name what is not a sandbox's
// cgroup, with a process in it that must not be killed.
func TestSweepMindsWhatItRemoves(t *testing.T) {
	victim := exec.Command("sleep", "60")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer victim.Wait()
	defer victim.Process.Kill()
	for _, name := range []string{"elsewhere", cgroupPrefix + "x", cgroupPrefix + "1-2-x-1"} {
		base, folder := t.TempDir(), filepath.Join(t.TempDir(), name)
		dir := filepath.Join(base, "o-1-2-x", "1")
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.Mkdir(folder, 0o755)); err != nil {
			t.Fatal(err)
		}
		procs := fmt.Sprintf("%d\n-1\n1\n", victim.Process.Pid)
		if err := os.WriteFile(filepath.Join(folder, "cgroup.procs"), []byte(procs), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := record(dir, map[string]string{ctrlMemory: folder}); err != nil {
			t.Fatal(err)
		}
		if n, err := sweep(base); err == nil || n != 0 {
			t.Errorf("%s: Sweep: %d, %v; want an error", name, n, err)
		}
		if _, err := os.Stat(folder); err != nil {
			t.Errorf("%s: the folder is gone: %v", name, err)
		}
		if err := victim.Process.Signal(syscall.Signal(0)); err != nil {
			t.Fatalf("%s: the process was killed: %v", name, err)
		}
		// What does not exist any more is nobody's.
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
		if n, err := sweep(base); err != nil || n != 1 {
			t.Errorf("%s: Sweep of what is gone: %d, %v; want 1", name, n, err)
		}
	}
}

// TestForeignStateIsRefused wants nothing swept in a folder that others may write to.
func TestForeignStateIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if b, err := New(Config{Dir: dir, Program: helperProgram()}); fault.KindOf(err) != fault.Denied {
		t.Errorf("open to all: %v", err)
		if b != nil {
			b.Close()
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can make a folder of somebody else's")
	}
	if err := errors.Join(os.Chmod(dir, 0o700), os.Chown(dir, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	if b, err := New(Config{Dir: dir, Program: helperProgram()}); fault.KindOf(err) != fault.Denied {
		t.Errorf("somebody else's: %v", err)
		if b != nil {
			b.Close()
		}
	}
}

// TestSweepSpares wants a living owner's folder kept, even one without a sandbox.
func TestSweepSpares(t *testing.T) {
	base := t.TempDir()
	o, err := newOwner(base)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := sweep(base); err != nil || n != 0 {
		t.Errorf("Sweep: %d, %v", n, err)
	}
	if _, err := os.Stat(o.dir); err != nil {
		t.Error(err)
	}
	if err := o.lock.Close(); err != nil { // as its death would
		t.Fatal(err)
	}
	if n, err := sweep(base); err != nil || n != 0 {
		t.Errorf("Sweep: %d, %v", n, err)
	}
	if _, err := os.Stat(o.dir); !os.IsNotExist(err) {
		t.Errorf("the dead owner's folder is still there: %v", err)
	}
}

// TestRemoveLost wants only empty cgroups of dead owners removed.
func TestRemoveLost(t *testing.T) {
	parent := t.TempDir()
	start, err := startTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	lost := []string{fmt.Sprintf("%s%d-%d-ab-1", cgroupPrefix, os.Getpid(), start+1), cgroupPrefix + "999999999-5-ab-1"}
	remains := []string{
		fmt.Sprintf("%s%d-%d-ab-1", cgroupPrefix, os.Getpid(), start), cgroupPrefix + "manager", "other-999999999-5-ab-1", cgroupPrefix + "999999998-5-ab-1",
	}
	for _, n := range append(slices.Clone(lost), remains...) {
		if err := os.Mkdir(filepath.Join(parent, n), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(parent, remains[3], "child"), 0o755); err != nil { // not empty
		t.Fatal(err)
	}
	removeLost(cgroupPlan{version: 2, parents: map[string]string{ctrlMemory: parent}})
	got, err := readNames(parent)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	slices.Sort(remains)
	if !slices.Equal(got, remains) {
		t.Errorf("left %q, want %q", got, remains)
	}
}

func TestPickCPUs(t *testing.T) {
	var all unix.CPUSet
	for _, c := range []int{1, 3, 5} {
		all.Set(c)
	}
	for _, c := range []struct {
		n, turn int
		want    []int
	}{{1, 0, []int{1}}, {1, 1, []int{3}}, {2, 2, []int{5, 1}}, {1, 4, []int{3}}, {9, 0, []int{1, 3, 5}}} {
		var want unix.CPUSet
		for _, i := range c.want {
			want.Set(i)
		}
		if got := pickCPUs(all, c.n, c.turn); got != want {
			t.Errorf("%d CPUs at turn %d: got %v, want %v", c.n, c.turn, got, want)
		}
	}
}
