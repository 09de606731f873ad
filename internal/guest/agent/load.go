package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// A session whose image is a container image may lack the C library that a program of
// ours is built for: it has another one, or none. Then the program is called by a link to
// this executable, and lies at the same path below a root file system of its own, whose
// loader starts it with that file system's libraries. What the program starts in turn is
// not touched by that, unlike by a variable of the environment.

// otherRoot is where that root file system is.
const otherRoot = "/.praxis-root"

// agentFile is what the links lead to.
const agentFile = "/.praxis/praxis-guest"

// maxLinks bounds how many links lead to a program.
const maxLinks = 40

// loadMain executes the program that argv[0] names in the other root. It returns only when
// that failed.
func loadMain(argv []string, environ []string) error {
	name, err := linkedProgram(argv[0], os.Getenv("PATH"))
	if err != nil {
		return err
	}
	libraries, loader := filepath.Join(otherRoot, "usr/lib/x86_64-linux-gnu"), "ld-linux-x86-64.so.2"
	if runtime.GOARCH == "arm64" {
		libraries, loader = filepath.Join(otherRoot, "usr/lib/aarch64-linux-gnu"), "ld-linux-aarch64.so.1"
	}
	loader = filepath.Join(libraries, loader)
	// The program gets the path by which it was called: an interpreter finds its library,
	// and its virtual environment, by that.
	called := argv[0]
	if !strings.Contains(called, "/") {
		called = name
	}
	args := append([]string{loader, "--inhibit-cache", "--library-path", libraries, "--argv0", called, filepath.Join(otherRoot, name)}, argv[1:]...)
	return fmt.Errorf("cannot start %s: %w", name, syscall.Exec(loader, args, environ))
}

// linkedProgram returns the link to this executable by which a program was called.
func linkedProgram(called, search string) (string, error) {
	if !strings.Contains(called, "/") {
		found := ""
		for _, dir := range filepath.SplitList(search) {
			if _, err := os.Readlink(filepath.Join(dir, called)); err == nil && filepath.IsAbs(dir) {
				found = filepath.Join(dir, called)
				break
			}
		}
		if found == "" {
			return "", fmt.Errorf("cannot find %s: %w", called, fs.ErrNotExist)
		}
		called = found
	}
	at, err := filepath.Abs(called)
	for range maxLinks {
		if err != nil {
			break
		}
		var target string
		if target, err = os.Readlink(at); err != nil {
			break
		}
		if target == agentFile {
			var dir string
			dir, err = filepath.EvalSymlinks(filepath.Dir(at))
			return filepath.Join(dir, filepath.Base(at)), err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(at), target)
		}
		at = target
	}
	return "", errors.Join(fmt.Errorf("cannot find what %s stands for", called), err)
}
