package agent

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

// config is a setup that was checked and applied. It is replaced, never changed.
type config struct {
	wire.Setup
	ready   bool
	group   string            // folder of the pids group that programs join; empty when unprivileged
	folder  string            // where the kernels' files and the tools' socket are
	scratch string            // folder to remove at the end; only when unprivileged
	exposed map[string]string // environment that came with what is exposed; never changed
}

func (c config) privileged() bool { return !c.Unprivileged }

// seeded reports whether the sandbox's kernel gives programs what follows from the seed.
func (c config) seeded() bool { return c.Deterministic && c.privileged() }

// deterministicEnv makes the same code on the same inputs print the same bytes.
var deterministicEnv = map[string]string{
	"TZ": "UTC",
	// Threads that add up in the order in which they happen to end give other last digits.
	"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "BLIS_NUM_THREADS": "1",
	"RAYON_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1",
}

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// env is the environment of a program: what every program needs, the session's, and extra.
func (c config) env(extra map[string]string) (env []string, path string) {
	all := c.variables()
	maps.Copy(all, extra)
	for k, v := range all {
		env = append(env, k+"="+v)
	}
	slices.Sort(env)
	return env, all["PATH"]
}

// variables is the environment that every program starts with.
func (c config) variables() map[string]string {
	all := map[string]string{
		"HOME": c.Home, "LANG": "C.UTF-8", "USER": "user", "LOGNAME": "user", "TMPDIR": c.Temp,
		// An arena of glibc's takes 64 MiB of address space, which is limited.
		"MALLOC_ARENA_MAX": "2",
	}
	path := ""
	for _, k := range c.Kernels {
		path += filepath.Dir(k.Command[0]) + ":"
		maps.Copy(all, k.Environment)
	}
	all["PATH"] = path + defaultPath
	maps.Copy(all, c.Env)
	if c.Deterministic {
		maps.Copy(all, deterministicEnv)
		for _, k := range c.Kernels {
			maps.Copy(all, k.Deterministic)
		}
	}
	maps.Copy(all, c.exposed)
	return all
}

// maxCPUs bounds the limit of processors.
const maxCPUs = 1 << 16

// cpus is how many processors programs see; 0: all that there are.
func (c config) cpus() int { return int(math.Ceil(c.Limits.CPUs)) }

func (c config) memoryOfProcess() int64 {
	if c.Limits.Kernel > 0 {
		return c.Limits.Kernel
	}
	return c.Limits.Memory
}

// addressSpace is the limit of a process that keeps some for itself; 0: none.
func (c config) addressSpace(reserve int64) int64 {
	if m := c.memoryOfProcess(); m > 0 {
		return m + reserve
	}
	return 0
}

// check fills in defaults and refuses what cannot be meant.
func check(s wire.Setup) (wire.Setup, error) {
	if len(s.Roots) == 0 {
		s.Roots = []string{"/work", "/tmp", "/home/user"}
	}
	if s.Home == "" {
		s.Home = "/home/user"
	}
	if s.Temp == "" {
		s.Temp = "/tmp"
	}
	if s.Columns == 0 {
		s.Columns = 100
	}
	for _, p := range append([]string{s.Workdir, s.Home, s.Temp, cmp.Or(s.Cgroup, "/")}, s.Roots...) {
		if !filepath.IsAbs(p) || filepath.Clean(p) != p {
			return s, failf("invalid", "", "cannot set up session: %q is not a clean absolute path", safetext.Clip(p, 200))
		}
	}
	if !slices.Contains(s.Roots, s.Temp) {
		return s, failf("invalid", "", "cannot set up session: the folder for temporary files, %s, is not a root", s.Temp)
	}
	if _, _, err := within(s.Roots, s.Workdir); err != nil {
		return s, err
	}
	l := s.Limits
	if l.Memory < 0 || l.Kernel < 0 || l.Processes < 0 || l.OpenFiles < 0 || l.CPUs < 0 || l.CPUs > maxCPUs || s.Columns < 20 || s.Columns > 10000 {
		return s, failf("invalid", "", "cannot set up session: a limit is out of range")
	}
	if err := checkVariables(s.Env); err != nil {
		return s, err
	}
	return s, checkKernels(s.Kernels)
}

func checkVariables(env map[string]string) error {
	for k, v := range env {
		if k == "" || strings.ContainsAny(k, "=\x00") || strings.Contains(v, "\x00") {
			return failf("invalid", "", "cannot set up session: %q is no environment variable", safetext.Clip(k, 64))
		}
	}
	return nil
}

// setup applies a setup and returns once the kernel of main is ready.
func (s *server) setup(_ *request, args wire.Setup) (wire.SetupReply, error) {
	args, err := check(args)
	if err != nil {
		return wire.SetupReply{}, err
	}
	s.mu.Lock()
	old := s.cfg
	s.mu.Unlock()
	cfg := config{Setup: args, ready: true, group: old.group, folder: old.folder, scratch: old.scratch, exposed: old.exposed}
	if len(cfg.Kernels) == 0 {
		cfg.Kernels = old.Kernels
	}
	if len(cfg.Kernels) == 0 {
		return wire.SetupReply{}, failf("invalid", "", "cannot set up session: no language is named")
	}
	if !old.ready {
		if err := cfg.prepare(); err != nil {
			return wire.SetupReply{}, err
		}
	} else if old.Unprivileged != cfg.Unprivileged || old.Build != cfg.Build || !slices.Equal(old.Roots, cfg.Roots) {
		return wire.SetupReply{}, failf("invalid", "", "cannot set up session again: privileges and roots cannot change")
	}
	if len(args.Kernels) > 0 {
		if err := cfg.writeKernels(); err != nil {
			return wire.SetupReply{}, err
		}
	}
	if err := cfg.limitProcesses(); err != nil {
		return wire.SetupReply{}, err
	}
	// What is prepared first is the same under every seed and date: a template serves them all.
	if err := s.seed(cfg, old.ready); err != nil {
		return wire.SetupReply{}, err
	}
	s.mu.Lock()
	s.cfg = cfg
	kernels := s.allKernels()
	procs := s.livePrograms()
	s.mu.Unlock()
	if len(procs) > 0 {
		// What they started has its limits from them.
		all := processes()
		for _, pid := range procs {
			for _, p := range tree(all, pid) {
				limitLive(p.pid, cfg, 0)
			}
		}
	}
	for _, k := range kernels {
		k.adopt(old, cfg)
	}
	s.guard.wake()
	main, err := s.kernelFor(wire.Main, "", "")
	if err != nil {
		return wire.SetupReply{}, err
	}
	reply, err := main.waitReady()
	if err == nil {
		err = s.seed(cfg, true)
	}
	return reply, err
}

// seed begins what follows from the session's seed and date, or before it is prepared from
// those that are the same for all; without a seed the sandbox's kernel needs no word.
func (s *server) seed(cfg config, prepared bool) error {
	switch {
	case !cfg.seeded():
		s.seeds.off()
		return nil
	case !prepared || cfg.Seed == nil:
		return s.seeds.set(0, wire.DefaultDate*int64(time.Second))
	}
	return s.seeds.set(*cfg.Seed, cmp.Or(cfg.Date, wire.DefaultDate)*int64(time.Second))
}

// limitLive gives a running program the limits of cfg. A program that is
// gone has no use for them. reserve is what it keeps for itself of the address space.
func limitLive(pid int, cfg config, reserve int64) {
	if m := cfg.addressSpace(reserve); m > 0 {
		_ = prlimit(pid, rlimitAS, uint64(m))
	}
	if n := cfg.Limits.OpenFiles; n > 0 {
		_ = prlimit(pid, rlimitNoFile, uint64(n))
	}
	if n := cfg.cpus(); n > 0 {
		_ = allowCPUs(pid, n)
	}
}

// prepare makes what the first program needs: folders and the pids group.
func (c *config) prepare() error {
	// What follows changes the machine that the agent runs on, so it must be a sandbox.
	if c.privileged() && (os.Getuid() != 0 || os.Getpid() != 1) {
		return failf("conflict", "", "cannot set up session: the agent is not root and the first process of a sandbox")
	}
	for _, dir := range append(slices.Clone(c.Roots), c.Home) {
		if err := c.ownFolder(dir); err != nil {
			return err
		}
	}
	if err := c.makeWorkdir(); err != nil {
		return err
	}
	c.folder = "/run/praxis"
	if c.privileged() {
		if err := syscall.Setgroups(nil); err != nil {
			return fmt.Errorf("cannot set up session: drop groups: %w", err)
		}
		if err := c.makeGroup(); err != nil {
			return err
		}
		if err := os.MkdirAll(c.folder, 0o755); err != nil {
			return fmt.Errorf("cannot set up session: %w", err)
		}
		if err := c.shutDoors(); err != nil {
			return err
		}
	} else {
		dir, err := os.MkdirTemp("", "praxis-agent-")
		if err != nil {
			return fmt.Errorf("cannot set up session: %w", err)
		}
		c.folder, c.scratch = dir, dir
	}
	return nil
}

// shutDoors takes away what the sandbox's kernel gives to everyone and nobody
// needs: devices with code behind them, and a folder outside of the disk's bound.
func (c *config) shutDoors() error {
	for _, device := range []string{"/dev/fuse", "/dev/net", "/dev/char"} {
		if err := os.RemoveAll(device); err != nil {
			return fmt.Errorf("cannot set up session: %w", err)
		}
	}
	if err := os.Chmod("/sys/fs/cgroup", 0o755); err != nil && !errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("cannot set up session: %w", err)
	}
	return nil
}

// ownFolder makes a folder of the session's user. /tmp and its like, which
// exist and are open to all, are left as they are.
func (c *config) ownFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot set up session: %w", err)
	}
	if !c.privileged() {
		return nil
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("cannot set up session: %w", err)
	}
	if !info.IsDir() {
		return failf("conflict", "", "cannot set up session: %s is not a folder", dir)
	}
	if info.Mode()&os.ModeSticky != 0 && info.Mode().Perm() == 0o777 {
		return nil
	}
	if err := os.Lchown(dir, userID, groupID); err != nil {
		return fmt.Errorf("cannot set up session: %w", err)
	}
	return nil
}

// makeWorkdir makes a working folder below a root, as the user: his own links
// may be on the way.
func (c *config) makeWorkdir() error {
	base, rel, err := within(c.Roots, c.Workdir)
	if err != nil || rel == "." {
		return err
	}
	return asUser(c.privileged(), func() error {
		root, err := os.OpenRoot(base)
		if err != nil {
			return fmt.Errorf("cannot set up session: %w", err)
		}
		defer root.Close()
		if err := root.MkdirAll(rel, 0o755); err != nil {
			return fmt.Errorf("cannot set up session: %w", err)
		}
		return nil
	})
}

// cleanUp removes what an agent that is not alone in a sandbox leaves behind.
func (c config) cleanUp() {
	if c.scratch != "" {
		_ = os.RemoveAll(c.scratch)
	}
	if c.group != "" {
		_ = os.Remove(c.group)
	}
}

// within finds the root that a clean absolute path is in and the path's name below it.
func within(roots []string, path string) (root, rel string, err error) {
	for _, r := range roots {
		if path == r || r == "/" || strings.HasPrefix(path, r+"/") {
			if len(r) > len(root) {
				root = r
			}
		}
	}
	if root == "" {
		return "", "", failf("denied", "Use a path below "+strings.Join(roots, ", ")+".", "cannot use %s: it is outside of the session's folders", safetext.Clip(path, 200))
	}
	rel, err = filepath.Rel(root, path)
	return root, rel, err
}
