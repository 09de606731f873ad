// Package rawkernel lets a test run the program of a kernel as a process of this machine,
// outside of a sandbox, and be its agent: it speaks the contract of the package comment of
// guest/agent. What every kernel must do inside a sandbox is another package's; this one
// is for what is the kernel's own.
package rawkernel

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Message is any control frame of a kernel.
type Message struct {
	Type          string            `json:"type"`
	ID            int               `json:"id"`
	Version       string            `json:"version"`
	PreloadErrors map[string]string `json:"preload_errors"`
	Status        string            `json:"status"`
	ExitCode      *int              `json:"exit_code"`
	Result        map[string]string `json:"result"`
	Bundle        map[string]string `json:"bundle"`
	Error         *Raised           `json:"error"`
	Refused       []string          `json:"refused"`
	Interrupted   bool              `json:"interrupted"`
	Lost          bool              `json:"lost"`
	CPUMS         float64           `json:"cpu_ms"`
	WallMS        float64           `json:"wall_ms"`
	PeakMemory    int64             `json:"peak_memory_bytes"`
	Start         int               `json:"start"`
	End           int               `json:"end"`
	Matches       []string          `json:"matches"`
}

// Raised is what a cell raised.
type Raised struct{ Name, Value, Traceback, Hint string }

// Result is what one cell did, in the order in which it happened.
type Result struct {
	Done           Message
	Stdout, Stderr string
	Displays       []map[string]string
	Order          []string // "1:text", "2:text", "display:text", runs of one stream joined
}

// Kernel is a kernel that runs.
type Kernel struct {
	// During is called after each piece that arrives, and every Nudge.
	During  func(k *Kernel, r *Result)
	Ready   Message
	T       testing.TB
	Cmd     *exec.Cmd
	Control int // the descriptor of the agent's end

	stdout, stderr int
	buffer         []byte
	next           int
}

// patience is how long a kernel may take for anything.
const patience = 2 * time.Minute

// Nudge is how often During is called at least.
const Nudge = 200 * time.Millisecond

// Start runs a command, which ends with the test, in a folder. extra are fields of the
// first message.
func Start(t testing.TB, folder string, env, command []string, extra map[string]any) *Kernel {
	t.Helper()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "control")
	k := &Kernel{T: t, Control: pair[0]}
	var outputs [2]*os.File
	for i, fd := range []*int{&k.stdout, &k.stderr} {
		var pipe [2]int
		if err := syscall.Pipe2(pipe[:], syscall.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		*fd, outputs[i] = pipe[0], os.NewFile(uintptr(pipe[1]), "output")
	}
	k.Cmd = exec.Command(command[0], command[1:]...)
	k.Cmd.Dir, k.Cmd.Env = folder, env
	k.Cmd.ExtraFiles = []*os.File{theirs}
	k.Cmd.Stdout, k.Cmd.Stderr = outputs[0], outputs[1]
	k.Cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := k.Cmd.Start(); err != nil {
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
	k.Send(begin)
	k.Ready = k.Until("ready").Done
	return k
}

func (k *Kernel) stop() {
	_ = syscall.Close(k.Control)
	gone := make(chan error, 1)
	go func() { gone <- k.Cmd.Wait() }()
	select {
	case <-gone:
	case <-time.After(patience):
		k.T.Errorf("the kernel lives on after its control socket was closed")
		_ = k.Cmd.Process.Kill()
		<-gone
	}
	_ = syscall.Close(k.stdout)
	_ = syscall.Close(k.stderr)
}

// Send sends a message.
func (k *Kernel) Send(m any) {
	k.T.Helper()
	body, err := json.Marshal(m)
	if err != nil {
		k.T.Fatal(err)
	}
	frame := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	for len(frame) > 0 {
		n, err := syscall.Write(k.Control, frame)
		if err != nil {
			k.T.Fatalf("cannot write to the kernel: %v", err)
		}
		frame = frame[n:]
	}
}

// Run executes a cell and returns what it did.
func (k *Kernel) Run(code string) Result {
	k.T.Helper()
	return k.RunAt(code, 0)
}

// Text executes a cell that must succeed and returns the text of its value.
func (k *Kernel) Text(code string) string {
	k.T.Helper()
	r := k.Run(code)
	if r.Done.Status != "ok" {
		k.T.Fatalf("%s\nstatus %s: %+v\nstderr: %s", code, r.Done.Status, r.Done.Error, r.Stderr)
	}
	return r.Done.Result["text"]
}

// RunAt executes a cell at a terminal of so many columns; 0: at none.
func (k *Kernel) RunAt(code string, columns int) Result {
	k.T.Helper()
	return k.Ask(map[string]any{"code": code, "columns": columns})
}

// Ask executes a cell. message has the members of the request that are not the usual ones.
func (k *Kernel) Ask(message map[string]any) Result {
	k.T.Helper()
	k.next++
	all := map[string]any{"op": "execute", "id": k.next, "result": true, "columns": 0}
	maps.Copy(all, message)
	k.Send(all)
	r := k.Until("done")
	if r.Done.ID != k.next {
		k.T.Fatalf("the answer to cell %d has id %d", k.next, r.Done.ID)
	}
	return r
}

// Rehearse has the kernel go the way of a cell, and returns what it did.
func (k *Kernel) Rehearse() Result {
	k.T.Helper()
	k.next++
	k.Send(map[string]any{"op": "rehearse", "id": k.next})
	r := k.Until("done")
	if r.Done.ID != k.next {
		k.T.Fatalf("the answer to rehearsal %d has id %d", k.next, r.Done.ID)
	}
	return r
}

// Complete asks for completions at the end of code.
func (k *Kernel) Complete(code string) Message {
	k.T.Helper()
	k.next++
	k.Send(map[string]any{"op": "complete", "id": k.next, "code": code, "cursor": len([]rune(code))})
	return k.Until("completions").Done
}

// Interrupt asks the kernel to stop the cell that runs.
func (k *Kernel) Interrupt() {
	k.T.Helper()
	if err := k.Cmd.Process.Signal(syscall.SIGINT); err != nil {
		k.T.Fatal(err)
	}
}

// Until reads everything until a message of the type has come.
func (k *Kernel) Until(kind string) Result {
	k.T.Helper()
	var r Result
	deadline := time.Now().Add(patience)
	for {
		for {
			m, ok := k.frame()
			if !ok {
				break
			}
			if m.Type == kind {
				r.Done = m
				return r
			}
			if m.Type != "display" {
				k.T.Fatalf("got a %s message while waiting for %s", m.Type, kind)
			}
			r.Displays = append(r.Displays, m.Bundle)
			r.Order = append(r.Order, "display:"+m.Bundle["text"])
		}
		k.fill(&r, kind, deadline)
		if k.During != nil {
			k.During(k, &r)
		}
	}
}

// Listen reads what a kernel writes of itself, while nothing runs, until it is enough.
func (k *Kernel) Listen(enough func(r Result) bool) {
	k.T.Helper()
	var r Result
	for deadline := time.Now().Add(patience); !enough(r); {
		k.fill(&r, "further", deadline)
	}
}

// fill waits for any channel and reads once from each that has something, output first.
func (k *Kernel) fill(r *Result, kind string, deadline time.Time) {
	k.T.Helper()
	var set syscall.FdSet
	for _, fd := range []int{k.Control, k.stdout, k.stderr} {
		set.Bits[fd/64] |= 1 << (fd % 64)
	}
	wait := max(0, time.Until(deadline))
	if k.During != nil {
		wait = min(wait, Nudge)
	}
	left := syscall.NsecToTimeval(wait.Nanoseconds())
	n, err := syscall.Select(max(k.Control, k.stdout, k.stderr)+1, &set, nil, nil, &left)
	if err == syscall.EINTR || err == nil && n == 0 && time.Now().Before(deadline) {
		return
	}
	if err != nil || n == 0 {
		_ = k.Cmd.Process.Signal(syscall.SIGABRT) // Python prints its stacks
		stacks := make([]byte, 1<<16)
		n, _ := syscall.Read(k.stderr, stacks)
		k.T.Fatalf("no %s message came: %v; stdout %q, stderr %q, stacks %s", kind, err, r.Stdout, r.Stderr, stacks[:max(0, n)])
	}
	chunk := make([]byte, 1<<16)
	for i, fd := range []int{k.stdout, k.stderr} {
		if set.Bits[fd/64]&(1<<(fd%64)) == 0 {
			continue
		}
		if n, err := syscall.Read(fd, chunk); err == nil && n > 0 {
			r.add(i+1, string(chunk[:n]))
		}
	}
	if set.Bits[k.Control/64]&(1<<(k.Control%64)) != 0 {
		n, err := syscall.Read(k.Control, chunk)
		if err != nil || n == 0 {
			k.T.Fatalf("the kernel is gone while waiting for %s: %v; stderr %q", kind, err, r.Stderr)
		}
		k.buffer = append(k.buffer, chunk[:n]...)
	}
}

func (r *Result) add(stream int, text string) {
	if stream == 1 {
		r.Stdout += text
	} else {
		r.Stderr += text
	}
	prefix := fmt.Sprintf("%d:", stream)
	if last := len(r.Order) - 1; last >= 0 && strings.HasPrefix(r.Order[last], prefix) {
		r.Order[last] += text
		return
	}
	r.Order = append(r.Order, prefix+text)
}

// frame takes one message out of the buffer.
func (k *Kernel) frame() (Message, bool) {
	k.T.Helper()
	if len(k.buffer) < 4 {
		return Message{}, false
	}
	size := int(binary.BigEndian.Uint32(k.buffer))
	if size > 64<<20 {
		k.T.Fatalf("a frame of %d bytes is over the bound", size)
	}
	if len(k.buffer) < 4+size {
		return Message{}, false
	}
	var m Message
	if err := json.Unmarshal(k.buffer[4:4+size], &m); err != nil {
		k.T.Fatalf("a frame is not JSON: %v", err)
	}
	k.buffer = k.buffer[4+size:]
	return m, true
}
