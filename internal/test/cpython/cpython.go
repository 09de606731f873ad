// Package cpython lets a test run a program with the CPython that is embedded in
// Praxis, so that the plan language can be compared with the real one.
//
// The interpreter is unpacked once into the cache of tests and stays there; a
// [Python] is one process that runs many programs, each in a namespace of its own.
package cpython

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/kluctl/go-embed-python/python"

	"praxis/internal/test/cache"
)

//go:embed serve.py
var serve string

// Program is one program to run.
type Program struct {
	Code    string  `json:"code"`
	Expr    string  `json:"expr,omitempty"`    // evaluated after Code; its repr is Reply.Value
	Seconds float64 `json:"seconds,omitempty"` // of CPU time; 0: 10
}

// Reply is what a program did.
type Reply struct {
	Out   string `json:"out"`   // what it printed
	Error string `json:"error"` // "ValueError: message" of an exception that nothing caught; "TooLong"
	Line  int    `json:"line"`  // line of the program where it was raised
	Value string `json:"value"` // repr of Program.Expr
}

// Python is one interpreter process. It is safe for concurrent use; programs
// run one after the other.
type Python struct {
	path string

	mu  sync.Mutex
	cmd *exec.Cmd
	in  *json.Encoder
	out *bufio.Reader
}

// Unpack returns the path of the interpreter and unpacks it first when this
// user never did. The error says what is missing on this machine.
func Unpack() (string, error) {
	root, err := cache.Root()
	if err != nil {
		return "", err
	}
	py, err := python.NewEmbeddedPythonWithTmpDir(filepath.Join(root, "cpython"), true)
	if err != nil {
		return "", fmt.Errorf("cannot unpack CPython: %w", err)
	}
	return py.GetExePath()
}

// Start starts an interpreter that ends with the test.
func Start(t testing.TB) *Python {
	t.Helper()
	return StartSeed(t, 0)
}

// StartSeed is Start with hashes of strings that follow from a seed: what two
// such interpreters print differently, CPython itself leaves open.
func StartSeed(t testing.TB, seed uint32) *Python {
	t.Helper()
	path, err := Unpack()
	if err == nil {
		err = exec.Command(path, "-c", "").Run()
	}
	if err != nil {
		t.Fatalf("there is no CPython to compare with: %v", err)
	}
	p := &Python{path: path}
	p.cmd = exec.Command(path, "-s", "-P", "-c", serve) // not -I: that would ignore PYTHONHASHSEED
	p.cmd.Env = []string{fmt.Sprint("PYTHONHASHSEED=", seed), "LC_ALL=C.UTF-8", "TZ=UTC"}
	p.cmd.Stderr = os.Stderr
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		p.cmd.Wait()
	})
	p.in, p.out = json.NewEncoder(stdin), bufio.NewReaderSize(stdout, 1<<20)
	return p
}

// Path returns the interpreter's path, for tests that start a process of their own.
func (p *Python) Path() string { return p.path }

// Run runs one program. The error means that the interpreter itself is gone.
func (p *Python) Run(prog Program) (Reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var reply Reply
	if err := p.in.Encode(prog); err != nil {
		return reply, fmt.Errorf("cannot reach CPython: %w", err)
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return reply, fmt.Errorf("cannot read from CPython: %w", err)
	}
	if err := json.Unmarshal(line, &reply); err != nil {
		return reply, fmt.Errorf("cannot read from CPython: %w", err)
	}
	return reply, nil
}

// Exec runs code and fails the test when the interpreter is gone.
func (p *Python) Exec(t testing.TB, code string) Reply {
	t.Helper()
	reply, err := p.Run(Program{Code: code})
	if err != nil {
		t.Fatal(err)
	}
	return reply
}
