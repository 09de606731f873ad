package gvisor

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"praxis/event"
	"praxis/internal/programs"
	"praxis/internal/sandbox"
	"praxis/internal/test/prepared"
	"praxis/internal/test/sandboxtest"
)

// ownerCommand makes the test binary a process that starts a sandbox in the
// folder of its second argument and waits to be killed.
const ownerCommand = "sandbox-test-owner"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case sandboxtest.GuestCommand:
			os.Exit(sandboxtest.RunGuest())
		case ownerCommand:
			os.Exit(runOwner(os.Args[2], os.Args[3]))
		case saverCommand:
			os.Exit(runSaver(os.Args[2], os.Args[3], os.Args[4]))
		}
	}
	os.Exit(run(m))
}

// helperVar names the program around sandboxes in this process and its children.
const helperVar = "PRAXIS_GVISOR_TEST_HELPER"

// run runs the tests with the program around sandboxes, unpacked where every user can
// execute it.
func run(m *testing.M) (code int) {
	if helperProgram() != "" { // another user runs a part of the tests
		return m.Run()
	}
	err := prepared.Fresh()
	dir := ""
	if err == nil {
		dir, err = os.MkdirTemp("", "praxis-gvisor-test-")
	}
	if err == nil {
		defer os.RemoveAll(dir)
		err = unpackHelper(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func unpackHelper(dir string) error {
	p, err := programs.Sandbox()
	if err != nil {
		return err
	}
	in, err := p.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	path := filepath.Join(dir, p.Name)
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), os.Chmod(dir, 0o755), os.Setenv(helperVar, path))
}

func helperProgram() string { return os.Getenv(helperVar) }

// needHost skips the test where sandboxes cannot run, and says why.
func needHost(t testing.TB) {
	t.Helper()
	h := examineHost(hostTree{root: "/"}, cgroupPlan{}, os.Geteuid() == 0)
	for _, f := range h.Findings {
		if f.Fatal {
			t.Skipf("this host cannot run sandboxes: %s. %s", f.What, f.Remedy)
		}
	}
}

// newRoot makes an image that holds the test binary alone.
func newRoot(t testing.TB) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	makeRoot(t, root)
	return root
}

func makeRoot(t testing.TB, root string) {
	t.Helper()
	for _, d := range []string{"proc", "sys", "dev", "tmp/.disk", "work"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "guest"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
}

func guestSpec(root, exe string) sandbox.Spec {
	return sandbox.Spec{
		Root:     root,
		Mounts:   []sandbox.Mount{{Source: exe, Target: "/guest"}},
		Args:     []string{"/guest", sandboxtest.GuestCommand},
		Env:      []string{"PATH=/"},
		Hostname: "praxis",
		Limits:   event.Limits{Memory: 512 << 20, Disk: 256 << 20},
	}
}

func testExe(t testing.TB) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	exe, err = filepath.EvalSymlinks(exe)
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// everyExam is for the night.
var everyExam = flag.Bool("all", false, "run the exam without cgroups as root, too, not only as an ordinary user")

func TestExam(t *testing.T) {
	needHost(t)
	t.Run("with cgroups", func(t *testing.T) {
		t.Parallel() // of the tests that run then it is the only one with cgroups
		if p := planCgroups(hostTree{root: "/"}); p.version == 0 {
			t.Skipf("no cgroups can be made here: %s", p.reason)
		}
		runExam(t, false)
	})
	t.Run("without cgroups", func(t *testing.T) {
		t.Parallel()
		if os.Geteuid() == 0 && !*everyExam {
			t.Skip("TestExamUnprivileged does the same as an ordinary user; -all does it as root, too")
		}
		runExam(t, true)
	})
}

func runExam(t *testing.T, noCgroups bool) {
	root, exe := newRoot(t), testExe(t)
	bases := make(map[string]string) // each test's state folder
	sandboxtest.Test(t, func(t *testing.T) sandbox.Backend {
		dir := t.TempDir()
		bases[t.Name()] = dir
		b, err := New(Config{Dir: dir, Program: helperProgram(), NoCgroups: noCgroups})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}, sandboxtest.Guest{
		Spec:   func(testing.TB) sandbox.Spec { return guestSpec(root, exe) },
		Traces: func(t testing.TB) []string { return traces(t, bases[t.Name()]) },
		Orphan: func(t testing.TB) sandbox.Backend { return orphan(t, root, bases[t.Name()], noCgroups) },
	})
}

// traces returns what is left of the sandboxes whose state folder is base.
func traces(t testing.TB, base string) []string {
	t.Helper()
	out, err := filepath.Glob(filepath.Join(base, ownerPrefix+"*", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, parent := range planCgroups(hostTree{root: "/"}).parents {
		dirs, err := filepath.Glob(filepath.Join(parent, fmt.Sprintf("%s%d-*", cgroupPrefix, os.Getpid())))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, dirs...)
	}
	return append(out, processesNaming(base)...)
}

// processesNaming returns the command lines of other processes that name path.
func processesNaming(path string) []string {
	var out []string
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, p := range all {
		b, err := os.ReadFile(p)
		if err == nil && strings.Contains(string(b), path) && p != fmt.Sprintf("/proc/%d/cmdline", os.Getpid()) {
			out = append(out, strings.ReplaceAll(string(b), "\x00", " "))
		}
	}
	return out
}

// orphan starts an owner process, kills it and returns a backend on its state.
func orphan(t testing.TB, root, base string, noCgroups bool) sandbox.Backend {
	t.Helper()
	cmd := exec.Command(testExe(t), ownerCommand, base, root)
	cmd.Env = append(os.Environ(), "NO_CGROUPS="+strconv.FormatBool(noCgroups))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 6)
	n, readErr := out.Read(b)
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if string(b[:n]) != "ready\n" {
		t.Fatalf("the owner said %q, %v", b[:n], readErr)
	}
	waitGone(t, base)
	fresh, err := New(Config{Dir: base, Program: helperProgram(), NoCgroups: noCgroups})
	if err != nil {
		t.Fatal(err)
	}
	return fresh
}

// waitGone waits until no process names path. The kernel kills an orphan's
// processes when it dies, but does not wait for them.
func waitGone(t testing.TB, path string) {
	t.Helper()
	if !eventually(func() bool { return len(processesNaming(path)) == 0 }) {
		t.Fatalf("processes outlive their owner: %q", processesNaming(path))
	}
}

func runOwner(base, root string) int {
	b, err := New(Config{Dir: base, Program: helperProgram(), NoCgroups: os.Getenv("NO_CGROUPS") == "true"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	spec := guestSpec(root, exe)
	spec.ID = "orphan"
	s, err := b.Start(testContext(), spec)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("ready")
	s.Wait()
	return 1
}
