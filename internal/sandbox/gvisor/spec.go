package gvisor

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/lazyregexp"
	"praxis/internal/sandbox"
	"praxis/internal/sandbox/gvisor/control"
)

// The bounds of a Spec. They refuse what cannot work or cannot be meant.
const (
	minMemory    = 32 << 20
	maxMemory    = 1 << 46
	maxCPUs      = 1024
	maxProcesses = 1 << 15
	minDisk      = 1 << 20
	maxDisk      = 1 << 46
	minOpenFiles = 16
	maxOpenFiles = 1 << 20
	maxMounts    = 256
)

// sharedMemory bounds /dev/shm, and /tmp in an image that keeps nothing in it.
// It is part of a checkpoint's state, so it does not follow the memory limit,
// which also holds for what lies there.
const sharedMemory = 256 << 20

var idPattern = lazyregexp.New(`^[A-Za-z0-9_-]{1,64}$`)

// guestCaps are the capabilities of the guest's first process: what an init
// needs to run others as an unprivileged user and to keep them in bounds. They
// hold inside the sandbox only.
var guestCaps = []string{
	"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_SETUID", "CAP_SETGID",
	"CAP_KILL", "CAP_SYS_RESOURCE", "CAP_SYS_NICE", "CAP_SETPCAP",
}

// checkSpec returns spec with its limits completed, or a fault that names what is wrong.
func checkSpec(spec sandbox.Spec) (sandbox.Spec, error) {
	bad := func(remedy, format string, args ...any) (sandbox.Spec, error) {
		return spec, fault.New(fault.Invalid, remedy, "cannot start sandbox: "+format, args...)
	}
	if !idPattern.MatchString(spec.ID) {
		return bad("Use 1 to 64 letters, digits, '-' and '_'.", "bad id %q", spec.ID)
	}
	if len(spec.Args) == 0 || spec.Args[0] == "" {
		return bad("Name the guest's first program.", "no program to run")
	}
	if len(spec.Hostname) > 63 {
		return bad("Use at most 63 bytes.", "hostname of %d bytes", len(spec.Hostname))
	}
	for _, s := range append(append([]string{spec.Hostname}, spec.Args...), spec.Env...) {
		if strings.IndexByte(s, 0) >= 0 {
			return bad("Remove the zero byte.", "zero byte in %q", s)
		}
	}
	if err := checkFolder(spec.Root); err != nil {
		return bad("Name the image's root folder by its absolute path without symbolic links.", "bad root: %w", err)
	}
	if len(spec.Mounts) > maxMounts {
		return bad(fmt.Sprintf("Use at most %d.", maxMounts), "%d mounts", len(spec.Mounts))
	}
	for _, m := range spec.Mounts {
		if err := checkMount(spec.Root, m); err != nil {
			return bad("Name an existing path without symbolic links, and a target that the image has.", "bad mount of %q on %q: %w", m.Source, m.Target, err)
		}
	}
	spec.Limits = spec.Limits.WithDefaults()
	l := spec.Limits
	switch {
	case l.Memory < minMemory || l.Memory > maxMemory:
		return bad("Use at least 32 MiB.", "memory limit of %d bytes", l.Memory)
	case !(l.CPUs > 0) || l.CPUs > maxCPUs:
		return bad("Use more than 0 and at most 1024 CPUs.", "cpu limit of %v", l.CPUs)
	case l.Processes < 1 || l.Processes > maxProcesses:
		return bad("Use 1 to 32768 processes.", "process limit of %d", l.Processes)
	case l.Disk < minDisk || l.Disk > maxDisk:
		return bad("Use at least 1 MiB.", "disk limit of %d bytes", l.Disk)
	case l.OpenFiles < minOpenFiles || l.OpenFiles > maxOpenFiles:
		return bad("Use 16 to 1048576 files.", "open file limit of %d", l.OpenFiles)
	}
	return spec, nil
}

func checkFolder(path string) error {
	if err := checkPath(path); err != nil {
		return err
	}
	fi, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		return fmt.Errorf("%s is not a folder", path)
	}
	return nil
}

// checkPath refuses paths that another name could lead elsewhere.
func checkPath(path string) error {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return fmt.Errorf("%q is not a clean absolute path", path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if real != path {
		return fmt.Errorf("%s leads to %s", path, real)
	}
	return nil
}

// checkMount also wants the mount's target to exist in the image with the right
// type: gVisor would make it otherwise, by writing into the image.
func checkMount(root string, m sandbox.Mount) error {
	if err := checkPath(m.Source); err != nil {
		return err
	}
	src, err := os.Stat(m.Source)
	if err != nil {
		return err
	}
	if !src.IsDir() && !src.Mode().IsRegular() {
		return fmt.Errorf("%s is neither a folder nor a file", m.Source)
	}
	if !filepath.IsAbs(m.Target) || filepath.Clean(m.Target) != m.Target || m.Target == "/" {
		return fmt.Errorf("target %q is not a clean absolute path below /", m.Target)
	}
	for _, own := range []string{"/proc", "/sys", "/dev"} {
		if m.Target == own || strings.HasPrefix(m.Target, own+"/") {
			return fmt.Errorf("%s belongs to the sandbox", own)
		}
	}
	return nil
}

// checkTargets wants every mount's target to exist with the type of its source,
// in the image or in an earlier mount that holds it.
func checkTargets(spec sandbox.Spec) error {
	for i, m := range spec.Mounts {
		host := filepath.Join(spec.Root, m.Target)
		for _, o := range spec.Mounts[:i] {
			if rest, ok := strings.CutPrefix(m.Target, o.Target+"/"); ok {
				host = filepath.Join(o.Source, rest)
			}
		}
		want, err := os.Stat(m.Source)
		if err != nil {
			return err
		}
		got, err := os.Lstat(host)
		if err != nil {
			return fmt.Errorf("the image has no %s", m.Target)
		}
		if got.IsDir() != want.IsDir() || (!got.IsDir() && !got.Mode().IsRegular()) {
			return fmt.Errorf("%s in the image is not of the type of %s", m.Target, m.Source)
		}
	}
	return nil
}

// ociSpec is the guest in gVisor's words.
func ociSpec(spec sandbox.Spec) *specs.Spec {
	l := spec.Limits
	nofile := uint64(l.OpenFiles)
	mounts := []specs.Mount{
		{Destination: "/proc", Type: "proc", Source: "proc"},
		{Destination: "/dev", Type: "tmpfs", Source: "dev"},
		{Destination: "/dev/shm", Type: "tmpfs", Source: "shm", Options: []string{"nosuid", "nodev", "mode=1777", fmt.Sprintf("size=%d", sharedMemory)}},
		// gVisor's own v1 cgroups: the guest agent keeps the process limit with the pids controller.
		{Destination: "/sys/fs/cgroup", Type: "cgroup", Source: "cgroup"},
	}
	// gVisor would lay a tmpfs without a bound over a missing or empty /tmp. Where
	// the image keeps something in it, /tmp is part of the writable layer.
	if names, err := readNames(filepath.Join(spec.Root, "tmp")); err != nil || len(names) == 0 {
		mounts = append(mounts, specs.Mount{Destination: "/tmp", Type: "tmpfs", Source: "tmp", Options: []string{"nosuid", "nodev", "mode=1777", fmt.Sprintf("size=%d", sharedMemory)}})
	}
	for _, m := range spec.Mounts {
		mounts = append(mounts, specs.Mount{
			Destination: m.Target, Source: m.Source, Type: "bind",
			Options: []string{"bind", "ro", "nosuid", "nodev"},
		})
	}
	return &specs.Spec{
		Version: "1.0.0",
		Root:    &specs.Root{Path: spec.Root},
		Process: &specs.Process{
			Cwd: "/", Args: spec.Args, Env: spec.Env,
			NoNewPrivileges: true,
			Capabilities:    &specs.LinuxCapabilities{Bounding: guestCaps, Effective: guestCaps, Permitted: guestCaps},
			Rlimits: []specs.POSIXRlimit{
				{Type: "RLIMIT_NOFILE", Hard: nofile, Soft: nofile},
				{Type: "RLIMIT_CORE"},
			},
		},
		Hostname: spec.Hostname,
		Mounts:   mounts,
		Linux: &specs.Linux{Namespaces: []specs.LinuxNamespace{
			{Type: specs.PIDNamespace}, {Type: specs.NetworkNamespace}, {Type: specs.IPCNamespace},
			{Type: specs.UTSNamespace}, {Type: specs.MountNamespace},
		}},
	}
}

// minShownCPUs is the fewest CPUs that a guest sees. With one, the sentry
// and the guest's code never run side by side, and a system call costs 63 µs
// instead of 1.6 µs (both measured with a quota of one CPU, which is kept).
const minShownCPUs = 2

// guestLimits is what the guest sees of its size.
func guestLimits(l event.Limits) control.Size {
	return control.Size{Memory: l.Memory, CPUs: max(minShownCPUs, wholeCPUs(l))}
}

// guestSize is that, and how the guest is made.
func guestSize(spec sandbox.Spec) control.Size {
	s := guestLimits(spec.Limits)
	s.Seeded = spec.Seeded
	return s
}

// wholeCPUs is the CPU limit rounded up.
func wholeCPUs(l event.Limits) int { return int(math.Ceil(l.CPUs)) }

// writeBundle fills the new folder dir with what the helper and the sentry read.
func writeBundle(dir string, spec sandbox.Spec) error {
	for name, v := range map[string]any{"config.json": ociSpec(spec), control.SizeFile: guestSize(spec)} {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			return err
		}
	}
	return nil
}
