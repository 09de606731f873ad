package python

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"praxis/internal/test/cpython"
)

// interpreter and program are what TestMain prepares for every test.
type prepared struct{ interpreter, program, cache string }

var rig prepared

// TestMain unpacks CPython, or takes the interpreter that PRAXIS_TEST_PYTHON
// names, and writes the kernel. PRAXIS_TEST_PYTHONPATH may name a folder of
// packages for the tests that want numpy, pandas and matplotlib.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "kernel")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	rig = prepared{program: filepath.Join(dir, "kernel.py"), cache: filepath.Join(dir, "cache")}
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

func (p *prepared) prepare(dir string) error {
	if err := os.WriteFile(p.program, []byte(kernelSource()), 0o600); err != nil {
		return err
	}
	lib := filepath.Join(dir, "lib")
	if err := os.Mkdir(lib, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(lib, "tools.py"), []byte(read("tools.py")), 0o600); err != nil {
		return err
	}
	if p.interpreter = os.Getenv("PRAXIS_TEST_PYTHON"); p.interpreter != "" {
		return nil
	}
	var err error
	p.interpreter, err = cpython.Unpack()
	return err
}

// message is any control frame of the kernel.
type message struct {
	Type          string            `json:"type"`
	ID            int               `json:"id"`
	Version       string            `json:"version"`
	PreloadErrors map[string]string `json:"preload_errors"`
	Status        string            `json:"status"`
	ExitCode      *int              `json:"exit_code"`
	Result        map[string]string `json:"result"`
	Bundle        map[string]string `json:"bundle"`
	Error         *raised           `json:"error"`
	Refused       []string          `json:"refused"`
	Interrupted   bool              `json:"interrupted"`
	CPUMS         float64           `json:"cpu_ms"`
	WallMS        float64           `json:"wall_ms"`
	PeakMemory    int64             `json:"peak_memory_bytes"`
	Start         int               `json:"start"`
	End           int               `json:"end"`
	Matches       []string          `json:"matches"`
}

type raised struct{ Name, Value, Traceback, Hint string }

// cellResult is what one cell did, in the order in which it happened.
type cellResult struct {
	done           message
	stdout, stderr string
	displays       []map[string]string
	order          []string // "1:text", "2:text", "display:text", runs of one stream joined
}

// kernel is one running interpreter and the agent's side of its channels. It
// is read by one goroutine with select, as an agent does that keeps the order.
type kernel struct {
	t                       *testing.T
	cmd                     *exec.Cmd
	control, stdout, stderr int
	buffer                  []byte
	next                    int
	ready                   message
	during                  func(k *kernel, o *cellResult) // called after each piece that arrives, and every nudge
}

const (
	patience = 2 * time.Minute
	nudge    = 200 * time.Millisecond
)

// start runs a kernel in a folder of its own. extra are fields of the start message.
func start(t *testing.T, extra map[string]any, env ...string) *kernel {
	t.Helper()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "control")
	k := &kernel{t: t, control: pair[0]}
	var outputs [2]*os.File
	for i, fd := range []*int{&k.stdout, &k.stderr} {
		var pipe [2]int
		if err := syscall.Pipe2(pipe[:], syscall.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		*fd, outputs[i] = pipe[0], os.NewFile(uintptr(pipe[1]), "output")
	}
	k.cmd = exec.Command(rig.interpreter, "-u", "-X", "utf8", rig.program)
	k.cmd.Dir = t.TempDir()
	k.cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + k.cmd.Dir, "TZ=UTC", "LC_ALL=C.UTF-8", "PYTHONPYCACHEPREFIX=" + rig.cache,
		"PYTHONPATH=" + os.Getenv("PRAXIS_TEST_PYTHONPATH"), // empty: none
	}, env...)
	k.cmd.ExtraFiles = []*os.File{theirs}
	k.cmd.Stdout, k.cmd.Stderr = outputs[0], outputs[1]
	if err := k.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*os.File{theirs, outputs[0], outputs[1]} {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(k.stop)
	begin := map[string]any{"op": "start", "preload": []string{}, "seed": nil, "deterministic": false, "columns": 80}
	for key, value := range extra {
		begin[key] = value
	}
	k.send(begin)
	k.ready = k.until("ready").done
	return k
}

func (k *kernel) stop() {
	_ = syscall.Close(k.control)
	gone := make(chan error, 1)
	go func() { gone <- k.cmd.Wait() }()
	select {
	case <-gone:
	case <-time.After(20 * time.Second):
		k.t.Errorf("the kernel lives on after its control socket was closed")
		_ = k.cmd.Process.Kill()
		<-gone
	}
	_ = syscall.Close(k.stdout)
	_ = syscall.Close(k.stderr)
}

func (k *kernel) send(m any) {
	k.t.Helper()
	body, err := json.Marshal(m)
	if err != nil {
		k.t.Fatal(err)
	}
	frame := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	for len(frame) > 0 {
		n, err := syscall.Write(k.control, frame)
		if err != nil {
			k.t.Fatalf("cannot write to the kernel: %v", err)
		}
		frame = frame[n:]
	}
}

// run executes a cell and returns what it did.
func (k *kernel) run(code string) cellResult {
	k.t.Helper()
	return k.runAt(code, 0)
}

// runAt executes a cell at a terminal of so many columns; 0: at none.
func (k *kernel) runAt(code string, columns int) cellResult {
	k.t.Helper()
	k.next++
	k.send(map[string]any{"op": "execute", "id": k.next, "code": code, "result": true, "columns": columns})
	o := k.until("done")
	if o.done.ID != k.next {
		k.t.Fatalf("the answer to cell %d has id %d", k.next, o.done.ID)
	}
	return o
}

// text runs a cell that must succeed and returns the text of its value.
func (k *kernel) text(code string) string {
	k.t.Helper()
	o := k.run(code)
	if o.done.Status != "ok" {
		k.t.Fatalf("%s\nstatus %s: %+v\nstderr: %s", code, o.done.Status, o.done.Error, o.stderr)
	}
	return o.done.Result["text"]
}

// until reads everything until a message of the type has come.
func (k *kernel) until(kind string) cellResult {
	k.t.Helper()
	var o cellResult
	deadline := time.Now().Add(patience)
	for {
		for {
			m, ok := k.frame()
			if !ok {
				break
			}
			if m.Type == kind {
				o.done = m
				return o
			}
			if m.Type != "display" {
				k.t.Fatalf("got a %s message while waiting for %s", m.Type, kind)
			}
			o.displays = append(o.displays, m.Bundle)
			o.order = append(o.order, "display:"+m.Bundle["text"])
		}
		k.fill(&o, kind, deadline)
		if k.during != nil {
			k.during(k, &o)
		}
	}
}

// fill waits for any channel and reads once from each that has something.
func (k *kernel) fill(o *cellResult, kind string, deadline time.Time) {
	k.t.Helper()
	var set syscall.FdSet
	for _, fd := range []int{k.control, k.stdout, k.stderr} {
		set.Bits[fd/64] |= 1 << (fd % 64)
	}
	wait := max(0, time.Until(deadline))
	if k.during != nil {
		wait = min(wait, nudge)
	}
	left := syscall.NsecToTimeval(wait.Nanoseconds())
	n, err := syscall.Select(max(k.control, k.stdout, k.stderr)+1, &set, nil, nil, &left)
	if err == syscall.EINTR || err == nil && n == 0 && time.Now().Before(deadline) {
		return
	}
	if err != nil || n == 0 {
		_ = k.cmd.Process.Signal(syscall.SIGABRT) // the kernel prints its stacks
		stacks := make([]byte, 1<<16)
		n, _ := syscall.Read(k.stderr, stacks)
		k.t.Fatalf("no %s message came: %v; stdout %q, stderr %q, stacks %s", kind, err, o.stdout, o.stderr, stacks[:max(0, n)])
	}
	chunk := make([]byte, 1<<16)
	for i, fd := range []int{k.stdout, k.stderr} {
		if set.Bits[fd/64]&(1<<(fd%64)) == 0 {
			continue
		}
		if n, err := syscall.Read(fd, chunk); err == nil && n > 0 {
			o.add(i+1, string(chunk[:n]))
		}
	}
	if set.Bits[k.control/64]&(1<<(k.control%64)) != 0 {
		n, err := syscall.Read(k.control, chunk)
		if err != nil || n == 0 {
			k.t.Fatalf("the kernel is gone while waiting for %s: %v; stderr %q", kind, err, o.stderr)
		}
		k.buffer = append(k.buffer, chunk[:n]...)
	}
}

func (o *cellResult) add(stream int, text string) {
	if stream == 1 {
		o.stdout += text
	} else {
		o.stderr += text
	}
	prefix := fmt.Sprintf("%d:", stream)
	if last := len(o.order) - 1; last >= 0 && strings.HasPrefix(o.order[last], prefix) {
		o.order[last] += text
		return
	}
	o.order = append(o.order, prefix+text)
}

// frame takes one message out of the buffer.
func (k *kernel) frame() (message, bool) {
	k.t.Helper()
	if len(k.buffer) < 4 {
		return message{}, false
	}
	size := int(binary.BigEndian.Uint32(k.buffer))
	if size > 64<<20 {
		k.t.Fatalf("a frame of %d bytes is over the bound", size)
	}
	if len(k.buffer) < 4+size {
		return message{}, false
	}
	var m message
	if err := json.Unmarshal(k.buffer[4:4+size], &m); err != nil {
		k.t.Fatalf("a frame is not JSON: %v", err)
	}
	k.buffer = k.buffer[4+size:]
	return m, true
}

// interrupt sends SIGINT to the kernel.
func (k *kernel) interrupt() {
	k.t.Helper()
	if err := k.cmd.Process.Signal(syscall.SIGINT); err != nil {
		k.t.Fatal(err)
	}
}
