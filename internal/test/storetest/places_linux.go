package storetest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The variables by which a test knows that it was started again.
const (
	nobodyVariable = "STORE_TEST_NOBODY"
	fullVariable   = "STORE_TEST_FULL"
)

// nobody is a user who is not root.
const nobody = 65534

// again runs the test once more, alone, in a process that attr describes.
func again(t *testing.T, variable, dir string, attr *syscall.SysProcAttr) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=120s")
	cmd.Env = append(os.Environ(), variable+"="+dir)
	cmd.Dir = "/"
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, syscall.EPERM):
		t.Skipf("this process may not do that: %v", err)
	case strings.Contains(string(out), "--- SKIP: "+t.Name()):
		t.Skipf("%s", out)
	case err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()):
		t.Errorf("in another process: %v\n%s", err, out)
	}
}

// AsNobody has a test run as a user whom permissions bind, with a folder of his
// own. It says whether this is that run: the test goes on only then.
func AsNobody(t *testing.T) (dir string, inside bool) {
	t.Helper()
	if dir := os.Getenv(nobodyVariable); dir != "" {
		return dir, true
	}
	dir, err := os.MkdirTemp("", "store-test-")
	must(t, err, "make a folder")
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if os.Geteuid() != 0 {
		return dir, true
	}
	must(t, os.Chown(dir, nobody, nobody), "give it away")
	again(t, nobodyVariable, dir, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}})
	return dir, false
}

// OnFullDisk has a test run with a folder that is a file system of its own, of
// 2 MiB. It says whether this is that run: the test goes on only then.
func OnFullDisk(t *testing.T) (dir string, inside bool) {
	t.Helper()
	if dir := os.Getenv(fullVariable); dir != "" {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m,mode=0700"); err != nil {
			t.Skipf("cannot mount a file system: %v", err)
		}
		return dir, true
	}
	dir = t.TempDir()
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}}
	again(t, fullVariable, dir, attr)
	return dir, false
}

// Writable makes all folders below dir, and the files in them, writable for
// their owner or not.
func Writable(t *testing.T, dir string, yes bool) {
	t.Helper()
	bits := os.FileMode(0)
	if yes {
		bits = 0o200
	}
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.Chmod(path, 0o500|bits)
		}
		return os.Chmod(path, 0o400|bits)
	}), "change permissions")
}
