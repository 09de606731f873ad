package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// asHost is the name by which the test's own file makes itself a host and is the program
// there: its arguments are the folder of the host's root, what the host is called, the
// data folder, and those of the program.
const asHost = "praxis-on-another-host"

// becomeHost moves this process to a host that has a kernel, this file, and files of its
// own that mean nothing: no C library, no shell. It returns only when that fails.
func becomeHost(args []string) error {
	root, name, home := args[0], args[1], args[2]
	own, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return err
	}
	// Slave mounts: nothing that is done here is seen outside.
	if err := errors.Join(syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_SLAVE, ""), syscall.Mount("host", root, "tmpfs", 0, "")); err != nil {
		return err
	}
	for _, d := range []string{"proc", "dev", "sys", "tmp", "old", "etc", "usr/bin", "usr/lib", "data", "app"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			return err
		}
	}
	for file, text := range map[string]string{
		"app/praxis": string(own), "etc/os-release": "NAME=" + name, "etc/ld.so.cache": name, "usr/lib/libc.so.6": name, "usr/bin/of-" + name: name,
	} {
		if err := os.WriteFile(filepath.Join(root, file), []byte(text), 0o755); err != nil {
			return err
		}
	}
	for _, d := range []string{"proc", "dev", "sys"} {
		if err := syscall.Mount("/"+d, filepath.Join(root, d), "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
			return err
		}
	}
	err = errors.Join(syscall.Mount(home, filepath.Join(root, "data"), "", syscall.MS_BIND, ""), os.Chdir(root),
		syscall.PivotRoot(".", "old"), syscall.Unmount("/old", syscall.MNT_DETACH))
	if err != nil {
		return err
	}
	return syscall.Exec("/app/praxis", append([]string{asProgram}, args[3:]...), []string{"PRAXIS_HOME=/data", "HOME=/"})
}

// onHost runs the program on a host that is called name, with a data folder.
func onHost(t *testing.T, name, home string, args ...string) string {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", append([]string{t.TempDir(), name, home}, args...)...)
	cmd.Args[0] = asHost
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: praxis %s: %v\n%s%s", name, args[0], err, out, errs.String())
	}
	return string(out)
}

// wholeRoot prints a line for every file that code can see, with a hash of what is in it.
const wholeRoot = `
import hashlib, os
for folder, folders, files in os.walk('/'):
    if folder == '/':
        folders[:] = [f for f in folders if f not in ('proc', 'sys', 'dev', 'tmp')]
    folders.sort()
    for name in sorted(files):
        path = os.path.join(folder, name)
        if os.path.islink(path):
            print(path, os.readlink(path))
        elif os.access(path, os.R_OK):
            print(path, hashlib.sha256(open(path, 'rb').read()).hexdigest())
`

// TestHosts runs one program on two hosts that have nothing in common, not even a C
// library: the image has the same identity, and the code sees the same files, none of
// them the host's.
func TestHosts(t *testing.T) {
	requireSandbox(t)
	info, ok := debug.ReadBuildInfo()
	if ok && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "CGO_ENABLED" && s.Value == "1" }) {
		t.Skip("the test binary needs a C library, which these hosts lack: run the tests with CGO_ENABLED=0")
	}
	type seen struct{ image, files string }
	hosts := map[string]seen{}
	for _, name := range []string{"first", "second"} {
		home := t.TempDir()
		files := onHost(t, name, home, "run", "-c", wholeRoot)
		var image struct{ ID string }
		if err := json.Unmarshal([]byte(onHost(t, name, home, "image", "ls", "--json")), &image); err != nil || image.ID == "" {
			t.Fatalf("the image is %v, %v", image, err)
		}
		for _, want := range []string{"/usr/bin/bash ", "/usr/lib/x86_64-linux-gnu/libc.so.6 ", "/opt/python/bin/python3.14 "} {
			if !strings.Contains(strings.ReplaceAll(files, "aarch64", "x86_64"), want) {
				t.Errorf("%s: code does not see %s", name, want)
			}
		}
		if strings.Contains(files, "of-"+name) {
			t.Errorf("%s: code sees the host's files", name)
		}
		hosts[name] = seen{image.ID, files}
	}
	a, b := hosts["first"], hosts["second"]
	if a.image != b.image {
		t.Errorf("the images are %s and %s", a.image, b.image)
	}
	if a.files != b.files {
		t.Errorf("the files differ: %s", firstDifference(a.files, b.files))
	}
}

// firstDifference is the first line in which two texts differ.
func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("%q and %q", x[i], y[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}
