package sql

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/test/cpython"
	"praxis/internal/test/rawkernel"
)

// rig is what TestMain prepares for every test.
var rig struct{ interpreter, folder string }

// TestMain unpacks CPython, or takes the interpreter that PRAXIS_TEST_PYTHON names, and
// writes the kernel of Python with the program of SQL. PRAXIS_TEST_PYTHONPATH may name a
// folder of packages for the tests that want DuckDB and pandas, in the place of the one that
// is fetched.
func TestMain(m *testing.M) {
	code := 1
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	if err := os.RemoveAll(rig.folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func prepare() (err error) {
	if rig.folder, err = os.MkdirTemp("", "sql"); err != nil {
		return err
	}
	l := language.Table{python.Language(), Language()}.Hosting(python.Language())
	for name, text := range l.Kernel.Files {
		path := filepath.Join(rig.folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	if rig.interpreter = os.Getenv("PRAXIS_TEST_PYTHON"); rig.interpreter == "" {
		rig.interpreter, err = cpython.Unpack()
	}
	return err
}

// message is what a cell did.
type message struct {
	rawkernel.Message
	displays []map[string]string
	stderr   string
}

// kernel is one running interpreter, in a folder of its own.
type kernel struct {
	*rawkernel.Kernel
	t   *testing.T
	dir string
}

// start runs a kernel with the packages of a folder; "": none.
func start(t *testing.T, packages string, extra map[string]any) *kernel {
	t.Helper()
	k := &kernel{t: t, dir: t.TempDir()}
	k.Kernel = rawkernel.Start(t, k.dir, []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TZ=UTC", "LC_ALL=C.UTF-8", "PYTHONPATH=" + packages,
		"PRAXIS_SHARED=" + filepath.Join(t.TempDir(), "shared"), "PYTHONPYCACHEPREFIX=" + filepath.Join(rig.folder, "cache"),
	}, []string{rig.interpreter, "-u", "-X", "utf8", filepath.Join(rig.folder, "kernel.py")}, extra)
	return k
}

// run runs a cell of Python.
func (k *kernel) run(code string) message {
	k.t.Helper()
	r := k.Run(code)
	return message{r.Done, r.Displays, r.Stderr}
}

// python runs a cell of Python that must succeed, and returns the text of its value.
func (k *kernel) python(code string) string {
	k.t.Helper()
	m := k.run(code)
	if m.Error != nil {
		k.t.Fatalf("%s\n%s", code, m.Error.Traceback)
	}
	return m.Result["text"]
}

// sql runs a cell of SQL.
func (k *kernel) sql(code string) message {
	k.t.Helper()
	return k.run(Language().Translate(code))
}

// table runs a cell of SQL that must succeed, and returns the text of its value.
func (k *kernel) table(code string) string {
	k.t.Helper()
	m := k.sql(code)
	if m.Error != nil {
		k.t.Fatalf("%s\n%s", code, m.Error.Traceback)
	}
	return m.Result["text"]
}

// file writes a file into the kernel's working folder.
func (k *kernel) file(name, text string) {
	k.t.Helper()
	if err := os.WriteFile(filepath.Join(k.dir, name), []byte(text), 0o600); err != nil {
		k.t.Fatal(err)
	}
}
