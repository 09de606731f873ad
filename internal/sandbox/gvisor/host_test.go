package gvisor

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"praxis/internal/sandbox"
)

// plant writes files below a new folder and returns it as a host.
func plant(t *testing.T, files map[string]string) hostTree {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return hostTree{root: root}
}

// goodHost is a host on which nothing is wrong.
func goodHost() map[string]string {
	return map[string]string{
		"proc/sys/kernel/osrelease":         "6.8.0-45-generic\n",
		"proc/sys/user/max_user_namespaces": "62000\n",
		"proc/sys/user/max_pid_namespaces":  "62000\n",
		"proc/sys/kernel/yama/ptrace_scope": "1\n",
		"proc/self/status":                  "Name:\tpraxis\nSeccomp:\t0\n",
		"proc/thread-self/children":         "",
	}
}

func fullPlan(version int) cgroupPlan {
	return cgroupPlan{version: version, parents: map[string]string{ctrlMemory: "/m", ctrlCPU: "/c", ctrlPids: "/p"}}
}

func TestExamineHost(t *testing.T) {
	for _, c := range []struct {
		name   string
		change map[string]string // to goodHost; "-" removes
		plan   cgroupPlan
		root   bool
		fatal  bool
		what   string // in the first finding; "" for no finding
		remedy string
	}{
		{name: "all well", plan: fullPlan(2)},
		{name: "all well as root", plan: fullPlan(1), root: true},
		{
			name: "no user namespaces", change: map[string]string{"proc/sys/user/max_user_namespaces": "0"}, plan: fullPlan(2),
			fatal: true, what: "user.max_user_namespaces is 0", remedy: "sysctl -w user.max_user_namespaces=",
		},
		{
			name: "no user namespaces, root", change: map[string]string{"proc/sys/user/max_user_namespaces": "0"}, plan: fullPlan(2), root: true,
			fatal: true, what: "user.max_user_namespaces is 0", remedy: "sysctl",
		},
		{
			name: "no pid namespaces", change: map[string]string{"proc/sys/user/max_pid_namespaces": "0"}, plan: fullPlan(2),
			fatal: true, what: "user.max_pid_namespaces is 0", remedy: "sysctl",
		},
		{
			name: "debian's switch", change: map[string]string{"proc/sys/kernel/unprivileged_userns_clone": "0"}, plan: fullPlan(2),
			fatal: true, what: "kernel.unprivileged_userns_clone is 0", remedy: "unprivileged_userns_clone=1",
		},
		{name: "debian's switch does not bind root", change: map[string]string{"proc/sys/kernel/unprivileged_userns_clone": "0"}, plan: fullPlan(2), root: true},
		{name: "debian's switch is on", change: map[string]string{"proc/sys/kernel/unprivileged_userns_clone": "1"}, plan: fullPlan(2)},
		{
			name: "ubuntu's switch", change: map[string]string{"proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1"}, plan: fullPlan(2),
			fatal: true, what: "AppArmor", remedy: "apparmor_restrict_unprivileged_userns=0",
		},
		{name: "ubuntu's switch does not bind root", change: map[string]string{"proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1"}, plan: fullPlan(2), root: true},
		{
			name: "old kernel", change: map[string]string{"proc/sys/kernel/osrelease": "3.10.0-1160.el7.x86_64"}, plan: fullPlan(2),
			fatal: true, what: "3.10.0", remedy: "4.15",
		},
		{
			name: "no seccomp", change: map[string]string{"proc/self/status": "Name:\tpraxis\n"}, plan: fullPlan(2),
			fatal: true, what: "seccomp", remedy: "CONFIG_SECCOMP_FILTER",
		},
		{
			name: "no ptrace", change: map[string]string{"proc/sys/kernel/yama/ptrace_scope": "3"}, plan: fullPlan(2),
			fatal: true, what: "ptrace_scope is 3", remedy: "ptrace_scope to 1",
		},
		{name: "no yama", change: map[string]string{"proc/sys/kernel/yama/ptrace_scope": "-"}, plan: fullPlan(2)},
		{
			name: "no cgroup", plan: cgroupPlan{reason: "nothing is delegated"},
			what: "nothing is delegated", remedy: "systemd-run --user --scope",
		},
		{
			name: "no cpu controller", plan: cgroupPlan{version: 2, parents: map[string]string{ctrlMemory: "/m", ctrlPids: "/p"}},
			what: "has no cpu here", remedy: "systemd-run",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := goodHost()
			maps.Copy(files, c.change)
			maps.DeleteFunc(files, func(_, v string) bool { return v == "-" })
			h := examineHost(plant(t, files), c.plan, c.root)
			// Of this test binary itself nothing is asked here.
			own := processorFindings()
			got := slices.DeleteFunc(h.Findings, func(f sandbox.Finding) bool { return slices.Contains(own, f) })
			if c.what == "" {
				if len(got) != 0 {
					t.Errorf("got %+v, want no finding", got)
				}
				return
			}
			if len(got) == 0 || got[0].Fatal != c.fatal || !strings.Contains(got[0].What, c.what) || !strings.Contains(got[0].Remedy, c.remedy) {
				t.Errorf("got %+v, want fatal %v, %q, %q", got, c.fatal, c.what, c.remedy)
			}
		})
	}
}

// TestGravestFirst wants fatal findings before others.
func TestGravestFirst(t *testing.T) {
	files := goodHost()
	files["proc/sys/kernel/unprivileged_userns_clone"] = "0"
	files["proc/sys/kernel/osrelease"] = "3.2.0"
	delete(files, "proc/thread-self/children")
	h := examineHost(plant(t, files), cgroupPlan{reason: "none"}, false)
	seen := false
	for _, f := range h.Findings {
		if !f.Fatal {
			seen = true
		} else if seen {
			t.Errorf("%+v comes after a lesser finding", f)
		}
	}
	if len(h.Findings) < 4 {
		t.Errorf("got %+v, want four findings", h.Findings)
	}
}

func TestEnforcements(t *testing.T) {
	by := func(p cgroupPlan) map[string]string {
		out := make(map[string]string)
		for _, e := range enforcements(p) {
			out[e.Limit] = e.By
		}
		return out
	}
	for _, c := range []struct {
		plan      cgroupPlan
		mem, cpus string
	}{
		{fullPlan(2), "cgroup v2", "cgroup v2"},
		{fullPlan(1), "cgroup v1", "cgroup v1"},
		{cgroupPlan{}, "watcher", "affinity"},
		{cgroupPlan{version: 2, parents: map[string]string{ctrlMemory: "/m"}}, "cgroup v2", "affinity"},
	} {
		got := by(c.plan)
		if got["memory"] != c.mem || got["cpus"] != c.cpus {
			t.Errorf("%+v: memory by %q, cpus by %q; want %q, %q", c.plan, got["memory"], got["cpus"], c.mem, c.cpus)
		}
	}
}

// TestLiveHost wants this very host to be found able, since the exam runs on it.
func TestLiveHost(t *testing.T) {
	needHost(t)
	b := newBackend(t, Config{})
	h, err := b.Host(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range h.Findings {
		if f.Fatal {
			t.Errorf("fatal: %+v", f)
		}
	}
	if names, err := readNames(b.owner.dir); err != nil || len(names) != 1 {
		t.Errorf("Host left %v, %v", names, err)
	}
}
