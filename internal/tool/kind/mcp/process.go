package mcp

import (
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
)

// Program is what a server over standard input and output is started from.
type Program struct {
	Argv     []string
	Env      map[string]string
	Dir      string   // on the host
	Image    string   // of the sandbox; "" for the usual one
	Packages []string // to be installed there
}

// Process is a server that runs.
type Process interface {
	Stdin() io.WriteCloser
	// Stdout ends when the process does, or soon after it is stopped. Whoever reads
	// it closes it.
	Stdout() io.ReadCloser
	// Stderr is nil when there is none, and like Stdout otherwise.
	Stderr() io.ReadCloser
	// Stop closes standard input, waits as long as grace for the process to end,
	// then kills it with all that it started. It may be called more than once.
	Stop(grace time.Duration)
}

// Launcher starts programs in a sandbox.
type Launcher interface {
	Launch(ctx context.Context, p Program) (Process, error)
}

// inherited are the variables that a program on the host gets from ours.
func inherited() []string {
	return []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR"}
}

// hostProcess is a program on the host, in a process group of its own.
type hostProcess struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	ended  chan struct{}
	once   sync.Once
}

// startOnHost starts a program with nothing of our environment but what is
// inherited.
func startOnHost(p Program) (Process, error) {
	cmd := exec.Command(p.Argv[0], p.Argv[1:]...)
	cmd.Dir = p.Dir
	for _, name := range inherited() {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	for name, value := range p.Env {
		if name != tool.DepthVariable {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Env = append(cmd.Env, tool.DepthVariable+"="+tool.Deeper(os.Getenv))
	slices.Sort(cmd.Env)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	h := &hostProcess{cmd: cmd, ended: make(chan struct{})}
	theirs, err := h.pipes()
	if err == nil {
		err = cmd.Start()
	}
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		h.closePipes()
		return nil, fault.New(fault.Unavailable, "Check the command: is the program installed?", "cannot start %s: %w", safetext.OneLine(p.Argv[0], 100), err)
	}
	go h.wait()
	return h, nil
}

// pipes makes the three pipes and returns the child's ends.
func (h *hostProcess) pipes() (theirs []*os.File, err error) {
	pipe := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
		}
		return r, w
	}
	in, stdin := pipe()
	stdout, out := pipe()
	stderr, errs := pipe()
	for _, f := range []*os.File{in, out, errs} {
		if f != nil {
			theirs = append(theirs, f)
		}
	}
	h.stdin, h.stdout, h.stderr = stdin, stdout, stderr
	h.cmd.Stdin, h.cmd.Stdout, h.cmd.Stderr = in, out, errs
	return theirs, err
}

func (h *hostProcess) closePipes() {
	for _, f := range []*os.File{h.stdin, h.stdout, h.stderr} {
		if f != nil {
			f.Close()
		}
	}
}

// wait takes the end of the process, and ends what it left behind: a child that
// lives on would hold its output open.
func (h *hostProcess) wait() {
	_ = h.cmd.Wait()
	h.signal(syscall.SIGKILL)
	close(h.ended)
}

func (h *hostProcess) signal(sig syscall.Signal) { _ = syscall.Kill(-h.cmd.Process.Pid, sig) }

func (h *hostProcess) Stdin() io.WriteCloser { return h.stdin }
func (h *hostProcess) Stdout() io.ReadCloser { return h.stdout }
func (h *hostProcess) Stderr() io.ReadCloser { return h.stderr }

// drainTime is how long the output of a process that has ended is read on. Only
// one that left its process group, with the output open, writes for so long.
const drainTime = time.Second

// Stop ends the process: by the end of its input, by SIGTERM, by SIGKILL. What it
// has written until then can still be read.
func (h *hostProcess) Stop(grace time.Duration) {
	h.once.Do(func() {
		h.stdin.Close()
		if !h.endsWithin(grace) && grace > 0 {
			h.signal(syscall.SIGTERM)
			h.endsWithin(grace / 2)
		}
		select {
		case <-h.ended:
		default:
			h.signal(syscall.SIGKILL)
			<-h.ended
		}
		for _, f := range []*os.File{h.stdout, h.stderr} {
			_ = f.SetReadDeadline(time.Now().Add(drainTime)) // it fails when the reader closed it
		}
	})
}

func (h *hostProcess) endsWithin(d time.Duration) bool {
	if d <= 0 {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-h.ended:
		return true
	case <-timer.C:
		return false
	}
}
