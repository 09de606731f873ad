package gvisor

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/sandbox"
)

// session is a guest and a reader of its lines.
type session struct {
	t testing.TB
	x *box
	r *bufio.Reader
}

func newBackend(t testing.TB, cfg Config) *Backend {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	cfg.Program = helperProgram()
	b, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func start(t testing.TB, b *Backend, spec sandbox.Spec) session {
	t.Helper()
	s, err := b.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return session{t: t, x: s.(*box), r: bufio.NewReader(s.Stream())}
}

func (s session) request(line string) string {
	s.t.Helper()
	if _, err := io.WriteString(s.x.Stream(), line+"\n"); err != nil {
		s.t.Fatal(err)
	}
	out, err := s.r.ReadString('\n')
	if err != nil {
		s.t.Fatalf("%s: %v, %+v", line, err, s.x.Wait())
	}
	return strings.TrimSuffix(out, "\n")
}

func newSpec(t testing.TB, id string) sandbox.Spec {
	t.Helper()
	spec := guestSpec(newRoot(t), testExe(t))
	spec.ID = id
	return spec
}

// TestNothingOfTheOwner wants neither environment nor open files of the owner in
// any process of a sandbox.
func TestNothingOfTheOwner(t *testing.T) {
	needHost(t)
	t.Setenv("OWNERS_SECRET", "hunter2")
	path := filepath.Join(t.TempDir(), "owners-file")
	if err := os.WriteFile(path, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(path, unix.O_RDONLY, 0) // outlives an exec
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	s := start(t, newBackend(t, Config{}), newSpec(t, "leak"))
	if got := s.request("env"); strings.Contains(got, "hunter2") || len(strings.Fields(got)) != 2 { // gVisor adds HOME
		t.Errorf("the guest's environment: %q", got)
	}
	tr := tree{helper: s.x.proc.cmd.Process.Pid}
	tr.walk()
	if len(tr.pids) < 4 || tr.sentry == 0 {
		t.Fatalf("found processes %v, sentry %d; want helper, gofer, sentry and a stub", tr.pids, tr.sentry)
	}
	for _, pid := range tr.pids {
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err == nil && strings.Contains(string(env), "hunter2") {
			t.Errorf("process %d has the owner's environment", pid)
		}
		names, err := readNames(fmt.Sprintf("/proc/%d/fd", pid))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			if to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, n)); err == nil && to == path {
				t.Errorf("process %d has the owner's file open", pid)
			}
		}
	}
}

// TestGuestSeesItsLimits wants the guest to see its own size, not the host's.
func TestGuestSeesItsLimits(t *testing.T) {
	needHost(t)
	spec := newSpec(t, "size")
	spec.Limits.Memory, spec.Limits.CPUs = 300<<20, 1.5
	s := start(t, newBackend(t, Config{}), spec)
	for line, want := range map[string]string{
		"read /proc/meminfo":                  fmt.Sprintf("MemTotal:         %d kB", 300<<10),
		"read /sys/devices/system/cpu/online": "0-1",
		"read /sys/class/dmi/id/product_name": "praxis",
		"read /proc/sys/kernel/hostname":      "praxis",
		"read /proc/cmdline":                  "BOOT_IMAGE=/vmlinuz-4.19.0-gvisor quiet",
	} {
		if got := s.request(line); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
		s.drain()
	}
}

// drain drops what is left of an answer of several lines.
func (s session) drain() {
	s.t.Helper()
	if _, err := io.WriteString(s.x.Stream(), "echo -drained-\n"); err != nil {
		s.t.Fatal(err)
	}
	for {
		line, err := s.r.ReadString('\n')
		if err != nil {
			s.t.Fatal(err)
		}
		if line == "-drained-\n" {
			return
		}
	}
}

// TestImageIsNeverWritten lets the guest, root inside, write everywhere.
func TestImageIsNeverWritten(t *testing.T) {
	needHost(t)
	root, shared := newRoot(t), newRoot(t)
	if err := os.WriteFile(filepath.Join(root, "file"), []byte("image"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(shared, "file"), []byte("shared"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "mnt"), 0o755); err != nil {
		t.Fatal(err)
	}
	spec := guestSpec(root, testExe(t))
	spec.ID = "writer"
	spec.Mounts = append(spec.Mounts, sandbox.Mount{Source: shared, Target: "/mnt"})
	s := start(t, newBackend(t, Config{}), spec)
	if got := s.request("write /file guest"); got != "ok" {
		t.Errorf("the guest's own layer: %q", got)
	}
	if got := s.request("read /file"); got != "guest" {
		t.Errorf("the guest reads %q", got)
	}
	for _, line := range []string{"write /mnt/file guest", "write /mnt/new guest", "write /guest guest"} {
		if got := s.request(line); !strings.HasPrefix(got, "error:") {
			t.Errorf("%s: %q", line, got)
		}
	}
	for path, want := range map[string]string{filepath.Join(root, "file"): "image", filepath.Join(shared, "file"): "shared"} {
		if b, err := os.ReadFile(path); err != nil || string(b) != want {
			t.Errorf("%s holds %q, %v; want %q", path, b, err, want)
		}
	}
	names, err := readNames(filepath.Join(root, "tmp"))
	if err != nil || len(names) != 1 {
		t.Errorf("the image's /tmp holds %v, %v", names, err)
	}
}

// TestDiskLimit fills the writable layer.
func TestDiskLimit(t *testing.T) {
	needHost(t)
	spec := newSpec(t, "full")
	spec.Limits.Disk = 4 << 20
	s := start(t, newBackend(t, Config{}), spec)
	text := strings.Repeat("x", 500<<10)
	var last string
	n := 0
	for ; n < 20 && !strings.HasPrefix(last, "error:"); n++ {
		last = s.request(fmt.Sprintf("write /tmp/f%d %s", n, text))
	}
	if !strings.Contains(last, "no space left on device") || n < 5 || n > 9 {
		t.Errorf("after %d files of 500 KiB with 4 MiB of disk: %.80q", n, last)
	}
	if got := s.request("echo alive"); got != "alive" {
		t.Errorf("got %q", got)
	}
}

// TestWritableLayerIsOnDisk wants what the guest writes to files not to use memory.
func TestWritableLayerIsOnDisk(t *testing.T) {
	needHost(t)
	s := start(t, newBackend(t, Config{NoCgroups: true}), newSpec(t, "disk"))
	before, err := s.x.Usage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("x", 800<<10)
	for i := range 60 { // 48 MB
		if got := s.request(fmt.Sprintf("write /work/f%d %s", i, text)); got != "ok" {
			t.Fatal(got)
		}
	}
	after, err := s.x.Usage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if grew := after.Memory - before.Memory; grew > 40<<20 {
		t.Errorf("48 MB of files took %s of memory", size(grew))
	}
}

// TestCPULimit measures how much CPU time a spinning guest gets.
func TestCPULimit(t *testing.T) {
	needHost(t)
	b := newBackend(t, Config{})
	if !b.plan.has(ctrlCPU) {
		t.Skip("no cpu cgroup can be made here: CPUs are only counted whole")
	}
	spec := newSpec(t, "half")
	spec.Limits.CPUs = 0.5
	s := start(t, b, spec)
	dir := s.x.group.dirs[ctrlCPU]
	want := map[int]string{1: "50000", 2: "50000 100000"}[s.x.group.version]
	file := map[int]string{1: "cpu.cfs_quota_us", 2: "cpu.max"}[s.x.group.version]
	check := func(when string) {
		t.Helper()
		if got, err := os.ReadFile(filepath.Join(dir, file)); err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("%s: %s holds %q, %v; want %q", when, file, got, err, want)
		}
	}
	check("at the start")
	if _, err := s.x.Checkpoint(t.Context(), filepath.Join(t.TempDir(), "c")); err != nil {
		t.Fatal(err)
	}
	check("after a checkpoint")
}

// TestCPUAffinity wants a sandbox without a cpu cgroup bound to its CPUs.
func TestCPUAffinity(t *testing.T) {
	needHost(t)
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	if all.Count() < 2 {
		t.Skip("there is one CPU only")
	}
	spec := newSpec(t, "bound")
	spec.Limits.CPUs = 1
	s := start(t, newBackend(t, Config{NoCgroups: true}), spec)
	tr := tree{helper: s.x.proc.cmd.Process.Pid}
	tr.walk()
	for _, pid := range tr.pids {
		var have unix.CPUSet
		if err := unix.SchedGetaffinity(pid, &have); err == nil && have.Count() != 1 {
			t.Errorf("process %d may use %d CPUs", pid, have.Count())
		}
	}
}

// TestBrokenProcesses kills each of a sandbox's processes in turn.
func TestBrokenProcesses(t *testing.T) {
	needHost(t)
	b := newBackend(t, Config{})
	for _, who := range []string{"helper", "sentry"} {
		s := start(t, b, newSpec(t, who))
		s.request("echo up")
		tr := tree{helper: s.x.proc.cmd.Process.Pid}
		tr.walk()
		pid := map[string]int{"helper": tr.helper, "sentry": tr.sentry}[who]
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if x := s.x.Wait(); x.Status != event.Crashed || x.Message == "" {
			t.Errorf("%s killed: %+v, want crashed", who, x)
		}
		for _, pid := range tr.pids {
			if !eventually(func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }) {
				t.Errorf("%s killed: process %d lives", who, pid)
			}
		}
		if _, err := os.Stat(s.x.dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s killed: the folder is still there (%v)", who, err)
		}
		if err := s.x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestStderrIsBounded lets the guest write more to standard error than is kept.
func TestStderrIsBounded(t *testing.T) {
	needHost(t)
	s := start(t, newBackend(t, Config{}), newSpec(t, "noisy"))
	for range 2000 { // 14 kB
		if got := s.request("note"); got != "ok" {
			t.Fatal(got)
		}
	}
	s.x.tail.mu.Lock()
	n := len(s.x.tail.buf)
	s.x.tail.mu.Unlock()
	if n > tailBytes {
		t.Errorf("%d bytes are kept", n)
	}
	if _, err := io.WriteString(s.x.Stream(), "exit 9\n"); err != nil {
		t.Fatal(err)
	}
	if x := s.x.Wait(); !strings.Contains(x.Message, "a note") || x.Code != 9 {
		t.Errorf("got %+v, want the last line of standard error", x)
	}
}

// smallDisk returns a file system of 1 MiB.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("small", dir, "tmpfs", 0, "size=1m,mode=700"); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestStartOnFullDisk starts a guest whose folder has no space left.
func TestStartOnFullDisk(t *testing.T) {
	needHost(t)
	dir := smallDisk(t)
	b := newBackend(t, Config{Dir: dir, Program: helperProgram()})
	if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 2<<20), 0o600); err == nil {
		t.Fatal("2 MiB fit on a disk of 1 MiB")
	}
	_, err := b.Start(t.Context(), newSpec(t, "late"))
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.DiskFull {
		t.Errorf("got %v, want a full disk", err)
	}
	if err := os.Remove(filepath.Join(dir, "filler")); err != nil {
		t.Fatal(err)
	}
}

// TestFullDisk checkpoints to a file system that is too small.
func TestFullDisk(t *testing.T) {
	needHost(t)
	dir := smallDisk(t)
	s := start(t, newBackend(t, Config{}), newSpec(t, "orig"))
	s.request("grow 8")
	_, err := s.x.Checkpoint(t.Context(), filepath.Join(dir, "snap"))
	if fault.KindOf(err) != fault.Exhausted {
		t.Errorf("got %v, want exhausted", err)
	}
	if names, err := readNames(dir); err != nil || len(names) != 0 {
		t.Errorf("the disk holds %v, %v", names, err)
	}
	if got := s.request("echo alive"); got != "alive" {
		t.Errorf("got %q", got)
	}
	if _, err := s.x.Checkpoint(t.Context(), filepath.Join(t.TempDir(), "snap")); err != nil {
		t.Errorf("the next checkpoint: %v", err)
	}
}

// TestGoroutines wants none to outlive a backend.
func TestGoroutines(t *testing.T) {
	needHost(t)
	spec := newSpec(t, "once")
	before := runtime.NumGoroutine()
	b, err := New(Config{Dir: t.TempDir(), Program: helperProgram()})
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, b, spec)
	dir := filepath.Join(t.TempDir(), "c")
	if _, err := s.x.Checkpoint(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	spec.ID = "twice"
	if _, err := b.Restore(t.Context(), spec, sandbox.Folder(dir)); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if !eventually(func() bool { return runtime.NumGoroutine() <= before }) {
		buf := make([]byte, 1<<20)
		t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
	}
}
