package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool/schema"
)

// process is what to run.
type process struct {
	path, dir, stdin string
	argv, env        []string
	most             int64    // bytes of standard output
	secrets          []string // that nothing it writes may hold when it is handed on
}

// finished is what came of it.
type finished struct {
	stdout []byte
	stderr string // the last part
	code   int
	signal string // that ended it; "" when it ended by itself
}

// run runs a program and waits for it. Nothing of it is left when it returns.
func run(ctx context.Context, p process) (finished, error) {
	if err := context.Cause(ctx); err != nil {
		return finished{}, err
	}
	cmd := &exec.Cmd{Path: p.path, Args: p.argv, Env: p.env, Dir: p.dir, SysProcAttr: &syscall.SysProcAttr{Setpgid: true}}
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would mean all of ours
	}
	pipes, err := connect(cmd, p.stdin != "")
	if err != nil {
		return finished{}, fmt.Errorf("cannot run the command: %w", err)
	}
	err = cmd.Start()
	pipes.closeTheirs()
	if err != nil {
		pipes.closeOurs()
		return finished{}, failedToStart(err)
	}
	defer pipes.closeOurs()

	var readers sync.WaitGroup
	out, tail := &head{most: p.most, over: make(chan struct{})}, newTail(p.secrets)
	readers.Go(func() { _, _ = io.Copy(out, pipes.stdout) })
	readers.Go(func() { _, _ = io.Copy(tail, pipes.stderr) })
	if pipes.stdin != nil {
		readers.Go(func() {
			_, _ = io.WriteString(pipes.stdin, p.stdin)
			pipes.stdin.Close()
		})
	}
	pid := cmd.Process.Pid
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		awaitExit(pid)
	}()
	var stopped error
	select {
	case <-exited:
	case <-out.over:
		stopped = fault.New(fault.Exhausted, "Ask for less.", "cannot run the command: it writes more than %s", safetext.Size(int64(p.most)))
	case <-ctx.Done():
		stopped = context.Cause(ctx)
	}
	// The process was not waited for yet, so that its number and its group's
	// are still its own.
	if stopped != nil {
		killTree(pid)
	}
	killGroup(pid)
	<-exited
	pipes.stop()
	readers.Wait()
	if stopped == nil {
		rest(pipes.stdout, out)
		rest(pipes.stderr, tail)
	}
	// An exit code that is not 0 is no error of ours: the state says it.
	_ = cmd.Wait()
	if stopped == nil && out.full() {
		stopped = fault.New(fault.Exhausted, "Ask for less.", "cannot run the command: it wrote more than %s", safetext.Size(int64(p.most)))
	}
	if stopped != nil {
		return finished{}, stopped
	}
	for _, secret := range p.secrets {
		out.data = bytes.ReplaceAll(out.data, []byte(secret), []byte(schema.Redacted))
	}
	f := finished{stdout: out.data, stderr: tail.String(), code: cmd.ProcessState.ExitCode()}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		f.signal = ws.Signal().String()
	}
	return f, nil
}

func failedToStart(err error) error {
	if errors.Is(err, unix.E2BIG) {
		return fault.New(fault.Invalid, "Give less, or let the tool's file pass it in stdin.", "cannot run the command: its arguments are too long")
	}
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fault.New(fault.Unavailable, "", "cannot run the command: %w", err)
}

// ends are the pipes to a program, and its ends of them.
type ends struct {
	stdout, stderr, stdin *os.File
	theirs                []*os.File
}

func connect(cmd *exec.Cmd, feed bool) (p *ends, err error) {
	p = &ends{}
	defer func() {
		if err != nil {
			p.closeTheirs()
			p.closeOurs()
		}
	}()
	pipe := func(ours **os.File, reads bool) (*os.File, error) {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		if !reads {
			r, w = w, r
		}
		*ours = r
		p.theirs = append(p.theirs, w)
		return w, nil
	}
	if cmd.Stdout, err = pipe(&p.stdout, true); err != nil {
		return p, err
	}
	if cmd.Stderr, err = pipe(&p.stderr, true); err != nil {
		return p, err
	}
	if feed {
		if cmd.Stdin, err = pipe(&p.stdin, false); err != nil {
			return p, err
		}
	}
	return p, nil
}

func (p *ends) closeTheirs() {
	for _, f := range p.theirs {
		f.Close()
	}
	p.theirs = nil
}

// stop ends the reading and writing that goes on.
func (p *ends) stop() {
	now := time.Now()
	_ = p.stdout.SetReadDeadline(now)
	_ = p.stderr.SetReadDeadline(now)
	if p.stdin != nil {
		_ = p.stdin.SetWriteDeadline(now)
	}
}

// rest hands on what a program that ended had written to a pipe and nobody has
// read. It waits for nobody, and takes no more than the pipe can hold: something
// that escaped the program may have the pipe open, and go on writing.
func rest(pipe *os.File, to io.Writer) {
	_ = pipe.SetReadDeadline(time.Time{})
	conn, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	// An error of Read says that the pipe is closed: then there is nothing to read.
	_ = conn.Read(func(fd uintptr) bool {
		left, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0)
		for buf := make([]byte, 32<<10); err == nil && left > 0; {
			n, readErr := unix.Read(int(fd), buf[:min(left, len(buf))])
			if readErr == unix.EINTR {
				continue
			}
			if n <= 0 {
				break
			}
			left -= n
			_, err = to.Write(buf[:n])
		}
		return true
	})
}

func (p *ends) closeOurs() {
	for _, f := range []*os.File{p.stdout, p.stderr, p.stdin} {
		if f != nil {
			f.Close()
		}
	}
}

// awaitExit waits until a child ended, and leaves it to be waited for.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

func killGroup(pid int) {
	// It may have ended by itself.
	_ = unix.Kill(-pid, unix.SIGKILL)
}

// killTree kills the descendants of a process, those too that made a group of
// their own. Each is stopped before its children are looked for.
func killTree(pid int) {
	const most = 10_000
	seen := []int{pid}
	for i := 0; i < len(seen) && len(seen) < most; i++ {
		_ = unix.Kill(seen[i], unix.SIGSTOP)
		seen = append(seen, children(seen[i])...)
	}
	for _, p := range seen[1:] {
		_ = unix.Kill(p, unix.SIGKILL)
	}
}

func children(pid int) []int {
	lists, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	if err != nil {
		return nil
	}
	var out []int
	for _, l := range lists {
		data, err := os.ReadFile(l)
		if err != nil {
			continue
		}
		for _, word := range strings.Fields(string(data)) {
			if n, err := strconv.Atoi(word); err == nil && n > 1 {
				out = append(out, n)
			}
		}
	}
	return out
}

// head keeps what is written until there is too much.
type head struct {
	most int64
	over chan struct{}
	data []byte
	done bool
}

func (h *head) Write(b []byte) (int, error) {
	if h.done {
		return 0, io.ErrShortWrite
	}
	if int64(len(h.data)+len(b)) > h.most {
		h.done = true
		close(h.over)
		return 0, io.ErrShortWrite
	}
	h.data = append(h.data, b...)
	return len(b), nil
}

func (h *head) full() bool { return h.done }

// tail keeps the last part of what is written, and so much before that a secret
// is found that lies across the cut.
type tail struct {
	secrets []string
	keep    int
	data    []byte
	cut     bool
}

func newTail(secrets []string) *tail {
	t := &tail{secrets: secrets, keep: maxTail}
	for _, s := range secrets {
		t.keep = max(t.keep, maxTail+len(s))
	}
	return t
}

func (t *tail) Write(b []byte) (int, error) {
	n := len(b)
	if len(b) > t.keep {
		b, t.cut = b[len(b)-t.keep:], true
	}
	t.data = append(t.data, b...)
	if over := len(t.data) - t.keep; over > 0 {
		t.data = append(t.data[:0], t.data[over:]...)
		t.cut = true
	}
	return n, nil
}

func (t *tail) String() string {
	s := string(t.data)
	for _, secret := range t.secrets {
		s = strings.ReplaceAll(s, secret, schema.Redacted)
	}
	if !t.cut {
		return s[max(0, len(s)-maxTail):]
	}
	// The beginning may hold the end of a secret.
	s = s[min(len(s), t.keep-maxTail):]
	return "…" + s[max(0, len(s)-maxTail):]
}
