package sql

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/test/cpython"
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

// message is a control frame of the kernel.
type message struct {
	Type   string
	Status string
	Result map[string]string
	Bundle map[string]string
	Error  *struct{ Name, Value, Traceback string }

	Interrupted bool
	displays    []map[string]string
	stderr      string
}

// kernel is one running interpreter.
type kernel struct {
	t       *testing.T
	cmd     *exec.Cmd
	control net.Conn
	dir     string
	readers sync.WaitGroup
	mu      sync.Mutex
	stderr  strings.Builder
}

// start runs a kernel in a folder of its own, with the packages of a folder; "": none.
func start(t *testing.T, packages string, extra map[string]any) *kernel {
	t.Helper()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "control"), os.NewFile(uintptr(pair[1]), "control")
	k := &kernel{t: t, dir: t.TempDir()}
	if k.control, err = net.FileConn(ours); err != nil {
		t.Fatal(err)
	}
	_ = ours.Close()
	k.cmd = exec.Command(rig.interpreter, "-u", "-X", "utf8", filepath.Join(rig.folder, "kernel.py"))
	k.cmd.Dir = k.dir
	k.cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TZ=UTC", "LC_ALL=C.UTF-8", "PYTHONPATH=" + packages,
		"PRAXIS_SHARED=" + filepath.Join(t.TempDir(), "shared"), "PYTHONPYCACHEPREFIX=" + filepath.Join(rig.folder, "cache"),
	}
	k.cmd.ExtraFiles = []*os.File{theirs}
	stdout, err := k.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := k.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := k.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = theirs.Close()
	k.readers.Add(2)
	go func() { defer k.readers.Done(); _, _ = io.Copy(io.Discard, stdout) }()
	go func() { defer k.readers.Done(); _, _ = io.Copy(k, stderr) }()
	t.Cleanup(k.stop)
	begin := map[string]any{"op": "start", "preload": []string{}, "seed": nil, "deterministic": false, "columns": 80}
	for key, value := range extra {
		begin[key] = value
	}
	k.send(begin)
	if m := k.receive(); m.Type != "ready" {
		t.Fatalf("the kernel began with %+v", m)
	}
	return k
}

// Write takes what the kernel writes to standard error.
func (k *kernel) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.stderr.Write(p)
}

func (k *kernel) stop() {
	_ = k.control.Close()
	k.readers.Wait()
	_ = k.cmd.Wait()
}

func (k *kernel) send(m any) {
	k.t.Helper()
	body, err := json.Marshal(m)
	if err != nil {
		k.t.Fatal(err)
	}
	if _, err := k.control.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)); err != nil {
		k.t.Fatal(err)
	}
}

func (k *kernel) receive() (m message) {
	k.t.Helper()
	var head [4]byte
	if _, err := io.ReadFull(k.control, head[:]); err != nil {
		k.t.Fatalf("the kernel is gone: %v; standard error %s", err, k.stderr.String())
	}
	body := make([]byte, binary.BigEndian.Uint32(head[:]))
	if _, err := io.ReadFull(k.control, body); err != nil {
		k.t.Fatal(err)
	}
	if err := json.Unmarshal(body, &m); err != nil {
		k.t.Fatal(err)
	}
	return m
}

// begin sends a cell of Python.
func (k *kernel) begin(code string) {
	k.t.Helper()
	k.send(map[string]any{"op": "execute", "id": 1, "code": code, "result": true})
}

// end waits until the cell has ended.
func (k *kernel) end() message {
	k.t.Helper()
	var displays []map[string]string
	for {
		m := k.receive()
		if m.Type == "done" {
			m.displays = displays
			k.mu.Lock()
			m.stderr = k.stderr.String()
			k.stderr.Reset()
			k.mu.Unlock()
			return m
		}
		displays = append(displays, m.Bundle)
	}
}

// python runs a cell of Python that must succeed, and returns the text of its value.
func (k *kernel) python(code string) string {
	k.t.Helper()
	k.begin(code)
	m := k.end()
	if m.Error != nil {
		k.t.Fatalf("%s\n%s", code, m.Error.Traceback)
	}
	return m.Result["text"]
}

// sql runs a cell of SQL.
func (k *kernel) sql(code string) message {
	k.t.Helper()
	k.begin(Language().Translate(code))
	return k.end()
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
