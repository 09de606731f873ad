package gvisor

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/sandbox"
	"praxis/internal/sandbox/gvisor/control"
)

// The oldest kernel that gVisor runs on.
const minKernelMajor, minKernelMinor = 4, 15

// Host implements [sandbox.Backend]. Beside reading what the host says of
// itself it starts and ends one helper, which makes every namespace and mount
// that a sandbox begins with.
func (b *Backend) Host(ctx context.Context) (sandbox.Host, error) {
	if err := ctx.Err(); err != nil {
		return sandbox.Host{}, fault.New(fault.Canceled, "", "cannot examine host: %w", err)
	}
	h := examineHost(hostTree{root: "/"}, b.plan, os.Geteuid() == 0)
	var st unix.Statfs_t
	if unix.Statfs(b.base, &st) == nil && st.Type == unix.TMPFS_MAGIC {
		h.Findings = append(h.Findings, sandbox.Finding{
			What:   fmt.Sprintf("the state folder %s lies in memory: what guests write to disk uses the host's memory", b.base),
			Remedy: "Choose a state folder on a disk.",
		})
	}
	for _, f := range h.Findings {
		if f.Fatal {
			return h, nil // the reason is known
		}
	}
	if err := b.probe(ctx); err != nil {
		if ctx.Err() != nil {
			return sandbox.Host{}, fault.New(fault.Canceled, "", "cannot examine host: %w", ctx.Err())
		}
		h.Findings = append([]sandbox.Finding{{
			Fatal:  true,
			What:   fmt.Sprintf("a sandbox's first process cannot set itself up: %v", err),
			Remedy: "Inside a container, allow it user namespaces, mounts and an unmasked /proc (as docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined does), or run outside of it.",
		}}, h.Findings...)
	}
	return h, nil
}

// probe starts a helper and asks it for something that it refuses: an answer
// shows that it stands.
func (b *Backend) probe(ctx context.Context) error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return errClosed()
	}
	b.turn++
	turn := b.turn
	b.making.Add(1)
	b.mu.Unlock()
	defer b.making.Done()
	x := newBox(b, sandbox.Spec{ID: "probe", Root: "/", Args: []string{"probe"}, Limits: event.DefaultLimits()}, turn)
	defer x.abandon()
	if err := x.launch(); err != nil {
		return err
	}
	out, err := x.call(ctx, control.Request{Op: control.Start})
	if out.Error != "" {
		return nil // it refused, so it lives
	}
	return x.explain(err)
}

// examineHost reads what the host says of itself.
func examineHost(t hostTree, plan cgroupPlan, root bool) sandbox.Host {
	h := sandbox.Host{
		Backend:  "gvisor",
		Boundary: boundary(root),
		Platform: "systrap",
		Root:     root,
		Limits:   enforcements(plan),
	}
	var fatal, minor []sandbox.Finding
	for _, f := range append(processorFindings(), kernelFindings(t)...) {
		if f.Fatal {
			fatal = append(fatal, f)
		} else {
			minor = append(minor, f)
		}
	}
	fatal = append(fatal, namespaceFindings(t, root)...)
	minor = append(minor, limitFindings(t, plan, root)...)
	h.Findings = append(fatal, minor...)
	return h
}

func boundary(root bool) string {
	const s = "Guest code runs on gVisor's user-space kernel, which alone makes system calls, few and filtered, in an empty root folder, in namespaces of its own and with no network"
	if root {
		return s + "; it runs as root without capabilities over the host."
	}
	return s + "; it runs as your user without capabilities over the host."
}

func enforcements(plan cgroupPlan) []sandbox.Enforcement {
	group := fmt.Sprintf("cgroup v%d", plan.version)
	mem := sandbox.Enforcement{Limit: "memory", By: "watcher", Note: "measured every 20 to 100 ms, so a fast guest can overrun it for a moment"}
	if plan.has(ctrlMemory) {
		mem = sandbox.Enforcement{Limit: "memory", By: group}
	}
	cpu := sandbox.Enforcement{Limit: "cpus", By: "affinity", Note: "rounded up to whole CPUs"}
	if plan.has(ctrlCPU) {
		cpu = sandbox.Enforcement{Limit: "cpus", By: group}
	}
	procs := sandbox.Enforcement{Limit: "processes", By: "guest agent", Note: "with the sentry's pids controller"}
	if plan.has(ctrlPids) {
		procs.Note += "; " + group + " bounds the host's threads"
	}
	return []sandbox.Enforcement{
		mem, cpu, procs,
		{Limit: "disk", By: "sentry"},
		{Limit: "open_files", By: "sentry"},
		{Limit: "wall", By: "guest agent"},
		{Limit: "output", By: "guest agent"},
	}
}

// processorFindings looks at what this program was built for.
func processorFindings() []sandbox.Finding {
	var out []sandbox.Finding
	switch runtime.GOARCH {
	case "amd64":
	case "arm64":
		out = append(out, sandbox.Finding{What: "sandboxes are not tested on arm64", Remedy: "Use an x86-64 machine for work that matters."})
	default:
		out = append(out, sandbox.Finding{Fatal: true, What: "gVisor does not run on " + runtime.GOARCH, Remedy: "Use an x86-64 machine."})
	}
	return out
}

// kernelFindings looks at the kernel's age and abilities.
func kernelFindings(t hostTree) []sandbox.Finding {
	var out []sandbox.Finding
	if rel, err := t.read("/proc/sys/kernel/osrelease"); err == nil {
		var major, minor int
		if n, _ := fmt.Sscanf(rel, "%d.%d", &major, &minor); n == 2 &&
			(major < minKernelMajor || major == minKernelMajor && minor < minKernelMinor) {
			out = append(out, sandbox.Finding{
				Fatal: true, What: fmt.Sprintf("the kernel %s is too old", rel),
				Remedy: fmt.Sprintf("Use Linux %d.%d or newer.", minKernelMajor, minKernelMinor),
			})
		}
	}
	if s, err := t.read("/proc/self/status"); err == nil && !strings.Contains(s, "\nSeccomp:") {
		out = append(out, sandbox.Finding{Fatal: true, What: "the kernel has no seccomp", Remedy: "Use a kernel with CONFIG_SECCOMP_FILTER."})
	}
	if s, err := t.read("/proc/sys/kernel/yama/ptrace_scope"); err == nil && s == "3" {
		out = append(out, sandbox.Finding{
			Fatal: true, What: "no process may trace another (kernel.yama.ptrace_scope is 3), which gVisor needs for its stub processes",
			Remedy: "Set kernel.yama.ptrace_scope to 1 in /etc/sysctl.d and restart the machine.",
		})
	}
	return out
}

// namespaceFindings looks for what forbids namespaces. All are fatal. gVisor
// makes a user namespace for its sentry even as root.
func namespaceFindings(t hostTree, root bool) []sandbox.Finding {
	var out []sandbox.Finding
	zero := func(path string) bool {
		s, err := t.read(path)
		n, convErr := strconv.Atoi(s)
		return err == nil && convErr == nil && n == 0
	}
	for _, ns := range []string{"user", "pid", "mnt", "net", "ipc", "uts"} {
		name := "user.max_" + ns + "_namespaces"
		if zero("/proc/sys/user/max_" + ns + "_namespaces") {
			out = append(out, sandbox.Finding{
				Fatal: true, What: fmt.Sprintf("%s namespaces are switched off (%s is 0)", ns, name),
				Remedy: fmt.Sprintf("Run: sudo sysctl -w %s=10000", name),
			})
		}
	}
	if root {
		return out
	}
	if zero("/proc/sys/kernel/unprivileged_userns_clone") {
		out = append(out, sandbox.Finding{
			Fatal: true, What: "ordinary users may not make user namespaces (kernel.unprivileged_userns_clone is 0)",
			Remedy: "Run: sudo sysctl -w kernel.unprivileged_userns_clone=1, or run as root.",
		})
	}
	if s, err := t.read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"); err == nil && s == "1" {
		out = append(out, sandbox.Finding{
			Fatal: true, What: "AppArmor keeps ordinary users from using user namespaces (kernel.apparmor_restrict_unprivileged_userns is 1)",
			Remedy: "Give this program an AppArmor profile with \"userns,\", or run: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or run as root.",
		})
	}
	return out
}

// limitFindings tells which limits are kept less well than they could be.
func limitFindings(t hostTree, plan cgroupPlan, root bool) []sandbox.Finding {
	var out []sandbox.Finding
	remedy := "Run it in a scope of your own: systemd-run --user --scope PROGRAM …"
	if root {
		remedy = "Give this process a writable cgroup hierarchy with the memory, cpu and pids controllers."
	}
	switch {
	case plan.version == 0:
		out = append(out, sandbox.Finding{What: "no cgroup can be made: " + plan.reason + "; memory is measured instead of bounded and CPUs are only counted whole", Remedy: remedy})
	default:
		var missing []string
		for _, c := range []string{ctrlMemory, ctrlCPU, ctrlPids} {
			if !plan.has(c) {
				missing = append(missing, c)
			}
		}
		if len(missing) > 0 {
			out = append(out, sandbox.Finding{What: fmt.Sprintf("cgroup v%d has no %s here", plan.version, strings.Join(missing, ", ")), Remedy: remedy})
		}
	}
	if !plan.has(ctrlMemory) {
		if _, err := os.Stat(t.path("/proc/thread-self/children")); err != nil {
			out = append(out, sandbox.Finding{
				What: "the memory limit is not kept: the kernel does not list a process's children", Remedy: "Use a kernel with CONFIG_PROC_CHILDREN, or cgroups.",
			})
		}
	}
	return out
}
