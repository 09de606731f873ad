package python

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"praxis/internal/test/cpython"
	"praxis/internal/test/rawkernel"
)

// interpreter and program are what TestMain prepares for every test.
type setup struct{ interpreter, program, cache string }

var rig setup

// TestMain unpacks CPython, or takes the interpreter that PRAXIS_TEST_PYTHON
// names, and writes the kernel. PRAXIS_TEST_PYTHONPATH may name a folder of
// packages for the tests that want numpy, pandas and matplotlib.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "kernel")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	rig = setup{program: filepath.Join(dir, "kernel.py"), cache: filepath.Join(dir, "cache")}
	code := 1
	if err := rig.prepare(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func (p *setup) prepare(dir string) error {
	if err := os.WriteFile(p.program, []byte(kernelSource()), 0o600); err != nil {
		return err
	}
	lib := filepath.Join(dir, "lib")
	if err := os.Mkdir(lib, 0o700); err != nil {
		return err
	}
	for _, name := range []string{"tools.py", "praxis.py"} {
		if err := os.WriteFile(filepath.Join(lib, name), []byte(read(name)), 0o600); err != nil {
			return err
		}
	}
	skills := filepath.Join(dir, "skills")
	if err := os.Mkdir(skills, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(skills, "skills.py"), []byte(read("skills.py")), 0o600); err != nil {
		return err
	}
	if p.interpreter = os.Getenv("PRAXIS_TEST_PYTHON"); p.interpreter != "" {
		return nil
	}
	var err error
	p.interpreter, err = cpython.Unpack()
	return err
}

type (
	kernel     = rawkernel.Kernel
	cellResult = rawkernel.Result
)

// start runs a kernel in a folder of its own. extra are fields of the start message.
func start(t *testing.T, extra map[string]any, env ...string) *kernel {
	t.Helper()
	dir := t.TempDir()
	return rawkernel.Start(t, dir, append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TZ=UTC", "LC_ALL=C.UTF-8", "PYTHONPYCACHEPREFIX=" + rig.cache,
		"PYTHONPATH=" + os.Getenv("PRAXIS_TEST_PYTHONPATH"), // empty: none
	}, env...), []string{rig.interpreter, "-u", "-X", "utf8", rig.program}, extra)
}
