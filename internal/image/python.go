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

	"praxis/fault"
	"praxis/internal/image/embedded"
)

// With partRecipe the release of the embedded distribution names what is
// unpacked: raise partRecipe whenever pruning, compiling or the added files
// change.
const (
	partRecipe    = "3"
	pythonVersion = "3.14"
	// bytecodeSpace is what compiling the standard library adds on the disk.
	bytecodeSpace = 30 << 20
)

// packagesFile makes the guest's interpreter see the layer of packages, and after it
// what was added to the session. A .pth file, not PYTHONPATH, so that other
// interpreters in the guest do not.
const packagesFile = "praxis.pth"

// packagesPth is its text.
const packagesPth = "import site; site.addsitedir('" + guestPackages + "')\n" +
	"import os, site; os.path.isdir('" + guestAdded + "') and site.addsitedir('" + guestAdded + "')\n"

// pythonKey names the interpreter that this program carries.
func pythonKey() string { return embedded.Release + "-" + runtime.GOARCH + "-" + partRecipe }

// interpreter is the embedded CPython as it runs on the host, to install and to
// compile: with the loader and the C library of our root file system, so that it is the
// one of the guests, and the host needs none.
type interpreter struct {
	python part
	root   part
}

// program is the interpreter's path on the host.
func (i interpreter) program() string { return hostPython(i.python.tree()) }

// makeInterpreter returns the interpreter, and what it runs with.
func (s *Store) makeInterpreter(ctx context.Context, say progress) (interpreter, error) {
	root, err := s.makeRoot(ctx, say)
	if err != nil {
		return interpreter{}, err
	}
	py, err := s.makePython(ctx, root, say)
	return interpreter{python: py, root: root}, err
}

// findInterpreter returns the interpreter if both its parts are there.
func (s *Store) findInterpreter(ctx context.Context, python, root string) (interpreter, bool) {
	py, ok := s.findPart(ctx, kindPython, python)
	if !ok {
		return interpreter{}, false
	}
	r, ok := s.findPart(ctx, kindRoot, root)
	return interpreter{python: py, root: r}, ok
}

// makePython returns CPython.
func (s *Store) makePython(ctx context.Context, root part, say progress) (part, error) {
	return s.makePart(ctx, kindPython, pythonKey(), say, func(ctx context.Context, dir string) error {
		began := time.Now()
		if err := s.needSpace(embedded.PythonSpace + bytecodeSpace); err != nil {
			return err
		}
		say("unpacking CPython " + strings.SplitN(embedded.Release, "-", 2)[0] + " (once)")
		tree := filepath.Join(dir, treeDir)
		if err := embedded.Python(tree); err != nil {
			return cannotUnpack(err)
		}
		if err := addPackages(tree); err != nil {
			return fmt.Errorf("cannot unpack CPython: %w", err)
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := openUp(tree); err != nil {
			return fmt.Errorf("cannot unpack CPython: %w", err)
		}
		i := interpreter{python: part{dir: dir}, root: root}
		if err := i.check(ctx); err != nil {
			return err
		}
		say("compiling the standard library (once)")
		if err := i.compileTree(ctx, filepath.Join(tree, "lib"), guestPython+"/lib", true); err != nil {
			return err
		}
		if err := openUp(tree); err != nil {
			return fmt.Errorf("cannot unpack CPython: %w", err)
		}
		say(fmt.Sprintf("CPython is ready (%.1f s)", time.Since(began).Seconds()))
		return nil
	})
}

// addPackages makes the interpreter see the layer of packages.
func addPackages(tree string) error {
	site := filepath.Join(tree, "lib", "python"+pythonVersion, "site-packages")
	if err := os.MkdirAll(site, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(site, packagesFile), []byte(packagesPth), 0o644)
}

// hostCommand is how a program is started on the host with the loader and the C library
// of a root file system.
func hostCommand(root, program string) []string {
	folder, loader := "x86_64-linux-gnu", "ld-linux-x86-64.so.2"
	if runtime.GOARCH == "arm64" {
		folder, loader = "aarch64-linux-gnu", "ld-linux-aarch64.so.1"
	}
	libraries := filepath.Join(root, "usr", "lib", folder)
	return []string{filepath.Join(libraries, loader), "--library-path", libraries, "--argv0", program, program}
}

// hostPython is the interpreter's path on the host.
func hostPython(tree string) string {
	return filepath.Join(tree, "bin", "python"+pythonVersion)
}

// check starts the interpreter once and sees that it is the expected one.
func (i interpreter) check(ctx context.Context) error {
	var out tail
	err := i.run(ctx, pythonRun{
		args: []string{"-c", "import sys; print('%d.%d' % sys.version_info[:2])"},
		out:  &out,
	})
	switch {
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
func (i interpreter) compileTree(ctx context.Context, dir, guestDir string, strict bool) error {
	lists, err := modulesBelow(dir, min(runtime.NumCPU(), maxCompilers))
	if err != nil {
		return fmt.Errorf("cannot list the modules of %s: %w", guestDir, err)
	}
	errs := make([]error, len(lists))
	var all sync.WaitGroup
	for n, list := range lists {
		all.Go(func() { errs[n] = i.compileModules(ctx, dir, guestDir, list, strict) })
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
func (i interpreter) compileModules(ctx context.Context, dir, guestDir, list string, strict bool) error {
	var out tail
	err := i.run(ctx, pythonRun{
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

// run runs the interpreter apart from the person's own Python settings:
// no PYTHON* variables, no user site, no site packages, and it writes no bytecode.
func (i interpreter) run(ctx context.Context, r pythonRun) error {
	argv := append(hostCommand(i.root.tree(), i.program()), "-I", "-S", "-B")
	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:], r.args...)...)
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
