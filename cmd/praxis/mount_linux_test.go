package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// unwritable makes a folder one that nothing can be written into: root may write
// everywhere but to a file system that is read-only.
func unwritable(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: unwritable DIR")
	}
	dir := ts.MkAbs(args[0])
	if os.Geteuid() != 0 {
		mode := func(mode fs.FileMode) error {
			return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.IsDir() {
					err = os.Chmod(path, mode)
				}
				return err
			})
		}
		ts.Check(mode(0o500))
		ts.Defer(func() { ts.Check(mode(0o700)) })
		return
	}
	ts.Check(syscall.Mount(dir, dir, "", syscall.MS_BIND, ""))
	ts.Defer(func() { ts.Check(syscall.Unmount(dir, syscall.MNT_DETACH)) })
	ts.Check(syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, ""))
}

// tiny makes a data folder on a small disk. Images and programs are beside it
// and are mounted, as they would fill it.
func (s *scripts) tiny(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tiny DIR SIZE")
	}
	dir, beside := ts.MkAbs(args[0]), ts.MkAbs(args[0]+".parts")
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(os.MkdirAll(beside, 0o700))
	ts.Check(s.furnish(beside))
	ts.Check(syscall.Mount("praxis-test", dir, "tmpfs", 0, "mode=700,size="+args[1]))
	ts.Check(os.Mkdir(filepath.Join(dir, "keys"), 0o700))
	key, err := os.ReadFile(filepath.Join(beside, "keys", "seal.key"))
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(dir, "keys", "seal.key"), key, 0o600))
	ts.Defer(func() { ts.Check(syscall.Unmount(dir, syscall.MNT_DETACH)) })
	for _, part := range []string{"images", "programs", "templates"} {
		from, to := filepath.Join(beside, part), filepath.Join(dir, part)
		ts.Check(os.MkdirAll(from, 0o700))
		ts.Check(os.Mkdir(to, 0o700))
		ts.Check(syscall.Mount(from, to, "", syscall.MS_BIND, ""))
		ts.Defer(func() { ts.Check(syscall.Unmount(to, syscall.MNT_DETACH)) })
	}
	ts.Setenv("PRAXIS_HOME", dir)
}

// mounts says whether this process may mount file systems.
func mounts() bool {
	if os.Geteuid() != 0 {
		return false
	}
	dir, err := os.MkdirTemp("", "praxis-mount-")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	if err := syscall.Mount("praxis-test", dir, "tmpfs", 0, "size=64k"); err != nil {
		return false
	}
	return syscall.Unmount(dir, 0) == nil
}
