package image

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/kluctl/go-embed-python/python"

	"praxis/fault"
)

// embeddedRelease is the version of the module that carries CPython and pip;
// a test holds it against go.mod. With partRecipe it names what is unpacked:
// raise partRecipe whenever pruning, compiling or the added files change.
const (
	embeddedRelease = "3.14.6-20260610-1"
	partRecipe      = "1"
	pythonVersion   = "3.14"
	// pythonSpace is what the default image needs while it is built: 145 MB
	// unpacked and 11 MB of bytecode, before pruning.
	pythonSpace = 180 << 20
)

// pythonDrop is what a sandbox has no use for: graphical toolkits, the build
// system's leftovers, and the shared library of an interpreter that is linked
// statically. Patterns of filepath.Match, relative to the tree.
var pythonDrop = []string{
	"bin/idle*", "bin/pip*", "bin/pydoc*", "bin/*-config",
	"lib/libpython*", "lib/libtcl*", "lib/libtk*", "lib/itcl*", "lib/tcl*", "lib/tk*", "lib/thread*", "lib/pkgconfig",
	"lib/python3.14/tkinter", "lib/python3.14/idlelib", "lib/python3.14/turtledemo", "lib/python3.14/turtle.py",
	"lib/python3.14/test", "lib/python3.14/config-*", "lib/python3.14/ensurepip", "lib/python3.14/lib-dynload/_tkinter*",
	"include", "share",
}

// packagesPth makes the guest's interpreter see the layer of packages. A .pth
// file, not PYTHONPATH, so that other interpreters in the guest do not.
const packagesPth = "import site; site.addsitedir('" + guestPackages + "')\n"

// pythonKey names the interpreter that this program carries.
func pythonKey() string { return embeddedRelease + "-" + runtime.GOARCH + "-" + partRecipe }

// makePython returns the interpreter.
func (s *Store) makePython(ctx context.Context, say progress) (part, error) {
	return s.makePart(ctx, kindPython, pythonKey(), say, func(ctx context.Context, dir string) error {
		began := time.Now()
		if err := s.needSpace(pythonSpace); err != nil {
			return err
		}
		say("unpacking CPython " + strings.SplitN(embeddedRelease, "-", 2)[0] + " (once)")
		tree := filepath.Join(dir, treeDir)
		if err := unpackPython(tree); err != nil {
			return fmt.Errorf("cannot unpack CPython: %w", err)
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := prunePython(tree); err != nil {
			return fmt.Errorf("cannot prune CPython: %w", err)
		}
		if err := openUp(tree); err != nil {
			return fmt.Errorf("cannot unpack CPython: %w", err)
		}
		exe := hostPython(tree)
		if err := checkPython(ctx, exe); err != nil {
			return err
		}
		say("compiling the standard library (once)")
		if err := compileTree(ctx, exe, filepath.Join(tree, "lib"), guestPython+"/lib", true); err != nil {
			return err
		}
		if err := openUp(tree); err != nil {
			return fmt.Errorf("cannot unpack CPython: %w", err)
		}
		say(fmt.Sprintf("CPython is ready (%.1f s)", time.Since(began).Seconds()))
		return nil
	})
}

// unpackPython writes the embedded distribution to tree. Its own lock file
// stays beside the folder and is removed: we hold a better one.
func unpackPython(tree string) error {
	if _, err := python.NewEmbeddedPythonWithTmpDir(tree, false); err != nil {
		return err
	}
	return os.Remove(tree + ".lock")
}

func prunePython(tree string) error {
	if err := dropMatches(tree, pythonDrop); err != nil {
		return err
	}
	// The module stores links as copies of their targets: 29 MB each.
	const exe = "python" + pythonVersion
	for _, name := range []string{"python", "python3"} {
		link := filepath.Join(tree, "bin", name)
		if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.Symlink(exe, link); err != nil {
			return err
		}
	}
	site := filepath.Join(tree, "lib", exe, "site-packages")
	if err := os.MkdirAll(site, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(site, "praxis.pth"), []byte(packagesPth), 0o644)
}

// dropMatches removes what matches one of the patterns, each one folder level an element.
func dropMatches(tree string, patterns []string) error {
	for _, pattern := range patterns {
		dir, base := filepath.Split(pattern)
		entries, err := os.ReadDir(filepath.Join(tree, dir))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		// A wildcard in the folder's name is not supported, and none is used.
		for _, e := range entries {
			ok, err := filepath.Match(base, e.Name())
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			if err := os.RemoveAll(filepath.Join(tree, dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// hostPython is the interpreter's path on the host.
func hostPython(tree string) string {
	return filepath.Join(tree, "bin", "python"+pythonVersion)
}

// checkPython starts the interpreter once and sees that it is the expected one.
func checkPython(ctx context.Context, exe string) error {
	var out tail
	err := runPython(ctx, exe, pythonRun{
		args: []string{"-c", "import sys; print('%d.%d' % sys.version_info[:2])"},
		out:  &out,
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.Unavailable, "Run Praxis on a Linux distribution with glibc, such as Debian, Ubuntu or Fedora.",
			"cannot start the embedded CPython: its loader is missing: %w", err)
	case errors.Is(err, syscall.EACCES):
		return fault.New(fault.Denied, "Keep the image store on a file system that is not mounted with noexec.",
			"cannot start the embedded CPython: the store's file system does not let programs run: %w", err)
	case err != nil:
		return fmt.Errorf("cannot start the embedded CPython: %w: %s", err, out.String())
	case out.String() != pythonVersion:
		return fmt.Errorf("cannot use the embedded CPython: it says it is %q, not %s", out.String(), pythonVersion)
	}
	return nil
}

// maxCompilers bounds the interpreters that compile at the same time.
const maxCompilers = 16

// compileTree compiles every module below dir for its place in the guest, with an
// interpreter for each processor: they are all ours, so that they end with us, as
// the workers of compileall -j would not. strict makes a module that does not
// compile an error; packages may hold templates that do not.
func compileTree(ctx context.Context, exe, dir, guestDir string, strict bool) error {
	lists, err := modulesBelow(dir, min(runtime.NumCPU(), maxCompilers))
	if err != nil {
		return fmt.Errorf("cannot list the modules of %s: %w", guestDir, err)
	}
	errs := make([]error, len(lists))
	var all sync.WaitGroup
	for i, list := range lists {
		all.Go(func() { errs[i] = compileModules(ctx, exe, dir, guestDir, list, strict) })
	}
	all.Wait()
	return cmp.Or(errs...)
}

// modulesBelow shares the modules below dir out among n lists, one name a line.
// A name that would not be one line is left out: it is imported all the same.
func modulesBelow(dir string, n int) ([]string, error) {
	lists := make([]strings.Builder, n)
	next := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "__pycache__":
			return fs.SkipDir
		case !d.Type().IsRegular(), filepath.Ext(path) != ".py", strings.ContainsAny(path, "\n\r"), !utf8.ValidString(path):
			return nil
		}
		lists[next%n].WriteString(path + "\n")
		next++
		return nil
	})
	out := make([]string, 0, n)
	for i := range min(n, next) {
		out = append(out, lists[i].String())
	}
	return out, err
}

// compileModules compiles modules below dir. unchecked-hash spares the guest a
// look at each source's time. Tests are left out: they are large and seldom imported.
func compileModules(ctx context.Context, exe, dir, guestDir, list string, strict bool) error {
	var out tail
	err := runPython(ctx, exe, pythonRun{
		args: []string{
			"-m", "compileall", "-q", "-f", "--invalidation-mode", "unchecked-hash",
			"-s", dir, "-p", guestDir,
			"-x", "^" + regexp.QuoteMeta(dir) + "/(.*/)?tests?/", "-i", "-",
		},
		in:  strings.NewReader(list),
		out: &out,
	})
	if err != nil && noSpaceRE.MatchString(out.String()) {
		return fault.New(fault.Exhausted, spaceRemedy, "cannot compile %s: no space is left on the device", guestDir)
	}
	var exit *exec.ExitError
	if !strict && errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot compile %s: %w: %s", guestDir, err, out.String())
	}
	return nil
}

// pythonRun is one call of the embedded interpreter on the host.
type pythonRun struct {
	args []string
	env  []string
	dir  string
	in   io.Reader                               // standard input, nil: none
	out  interface{ Write([]byte) (int, error) } // standard output and error
}

// runPython runs the interpreter apart from the person's own Python settings:
// no PYTHON* variables, no user site, no site packages, and it writes no bytecode.
func runPython(ctx context.Context, exe string, r pythonRun) error {
	cmd := exec.CommandContext(ctx, exe, append([]string{"-I", "-S", "-B"}, r.args...)...)
	cmd.Env = append([]string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"}, r.env...)
	cmd.Dir = r.dir
	if cmd.Dir == "" {
		cmd.Dir = "/"
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.in, r.out, r.out
	err := runCommand(cmd)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}
