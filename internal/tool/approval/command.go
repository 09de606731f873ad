package approval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool/gate"
)

// Command asks a program on this machine.
type Command struct {
	argv []string
	path string
	who  string
}

// NewCommand asks the program that argv starts, without a shell and with the
// environment of this process.
func NewCommand(argv []string) (*Command, error) {
	if len(argv) == 0 || argv[0] == "" {
		return nil, fault.New(fault.Invalid, "Name a program.", "cannot ask a command: there is none")
	}
	for _, arg := range argv {
		if strings.IndexByte(arg, 0) >= 0 {
			return nil, fault.New(fault.Invalid, "", "cannot ask a command: an argument holds a null character")
		}
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return nil, fault.New(fault.Invalid, "Name a program that can be run.", "cannot ask the command %s: it cannot be run", safetext.Clip(safetext.Line(argv[0]), 100))
	}
	return &Command{argv: append([]string(nil), argv...), path: path, who: safetext.Clip(safetext.Line(filepath.Base(argv[0])), maxWho)}, nil
}

// killed is how long a program that was killed may keep its pipes open.
const killed = 2 * time.Second

// Close does nothing: the program runs only while it is asked.
func (c *Command) Close() error { return nil }

// Approve asks. It waits as long as ctx allows; then the program is killed with
// all that it started.
func (c *Command) Approve(ctx context.Context, q gate.Question) (gate.Answer, error) {
	body, err := encode(q)
	if err != nil {
		return denied(gate.ByNobody, c.who, "cannot ask %s: %v", c.who, err), nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.path, c.argv[1:]...)
	cmd.Args[0] = c.argv[0]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	group := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel, cmd.WaitDelay = group, killed
	out := &clipped{max: maxAnswer, full: cancel}
	errs := &clipped{max: maxReason}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(body), out, errs
	if err := cmd.Start(); err != nil {
		return denied(gate.ByNobody, c.who, "cannot ask %s: it cannot be started", c.who), nil
	}
	err = cmd.Wait()
	_ = group() // ends what the program has left running, if anything
	if out.over {
		return denied(gate.ByNobody, c.who, "cannot ask %s: its answer has more than %s", c.who, safetext.Size(maxAnswer)), nil
	}
	if ctx.Err() != nil {
		return unanswered(ctx, c.who), nil
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return denied(gate.ByNobody, c.who, "cannot ask %s: %s%s", c.who, ended(err), errs.said()), nil
	}
	if err != nil {
		return denied(gate.ByNobody, c.who, "cannot ask %s: it ended, but something that it started kept its output open", c.who), nil
	}
	a, err := decode(out.data.Bytes(), q)
	if err != nil {
		return denied(gate.ByNobody, c.who, "cannot ask %s: %v", c.who, err), nil
	}
	if a.Who == "" {
		a.Who = c.who
	}
	return a, nil
}

func ended(err error) string {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return "it did not run to its end"
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return fmt.Sprintf("it was ended by the signal %s", status.Signal())
	}
	return fmt.Sprintf("it exited with %d", exit.ExitCode())
}

// clipped stores the first bytes that are written to it.
type clipped struct {
	data bytes.Buffer
	max  int
	over bool
	full func()
}

func (b *clipped) Write(p []byte) (int, error) {
	if free := b.max - b.data.Len(); free < len(p) {
		b.data.Write(p[:free])
		if b.over = true; b.full != nil {
			b.full()
		}
		return len(p), nil
	}
	return b.data.Write(p)
}

// said is the last line that a program has written to standard error.
func (b *clipped) said() string {
	lines := strings.Split(strings.TrimSpace(b.data.String()), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return ": " + safetext.Clip(last, 200)
	}
	return ""
}
