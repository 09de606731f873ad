package app

import (
	"context"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

// TerminalSize is that of a terminal, in characters.
type TerminalSize struct {
	Rows int `json:"rows"`
	Cols int `json:"cols"`
}

// ProcessSpec says what program is to be started in a session.
type ProcessSpec struct {
	Name     string // that it is found by later
	Argv     []string
	Env      map[string]string // beside that of the session
	Cwd      string            // "": the working folder
	Stdin    bool              // false: its standard input is empty
	Terminal *TerminalSize     // nil: it has none
}

// ProcessInfo describes a process that a session has, as its guest does: nothing of it can be
// trusted.
type ProcessInfo struct {
	Name     string
	PID      int
	Argv     []string // the beginning of it
	Cwd      string
	Stdin    bool
	Terminal bool
}

// Exit is how a process ended.
type Exit struct {
	Code   int    `json:"code"` // -1: a signal ended it
	Signal int    `json:"signal,omitempty"`
	Reason string `json:"reason,omitempty"` // why it was ended from outside, such as the limit of memory
}

// Process is a program of a session that is followed.
type Process struct{ p *guest.Process }

// StartProcess starts a program as the session's user. What it writes goes to sink, which
// slows the program down when it blocks. The process goes on until it ends, also in a state
// that is saved meanwhile.
func (s *Session) StartProcess(ctx context.Context, spec ProcessSpec, sink event.Sink) (*Process, error) {
	args := wire.Process{Proc: spec.Name, Argv: spec.Argv, Env: spec.Env, Cwd: spec.Cwd, Stdin: spec.Stdin}
	if t := spec.Terminal; t != nil {
		args.Terminal = &wire.Size{Rows: t.Rows, Cols: t.Cols}
	}
	return s.followed(ctx, func(c *guest.Client) (*guest.Process, error) { return c.Start(ctx, args, sink) })
}

// FollowProcess follows a process that the session has already.
func (s *Session) FollowProcess(ctx context.Context, i ProcessInfo, sink event.Sink) (*Process, error) {
	return s.followed(ctx, func(c *guest.Client) (*guest.Process, error) {
		return c.Connect(ctx, wire.ProcessInfo{Proc: i.Name, Stdin: i.Stdin}, sink)
	})
}

func (s *Session) followed(ctx context.Context, f func(*guest.Client) (*guest.Process, error)) (out *Process, err error) {
	err = s.s.Use(ctx, func(c *guest.Client) error {
		p, err := f(c)
		out = &Process{p}
		return err
	})
	return out, err
}

// Processes lists the processes of the session that run, and those whose end nobody saw.
func (s *Session) Processes(ctx context.Context) (out []ProcessInfo, err error) {
	err = s.s.Use(ctx, func(c *guest.Client) error {
		list, err := c.Processes(ctx)
		for _, p := range list {
			argv := make([]string, len(p.Argv))
			for i, a := range p.Argv {
				argv[i] = safetext.Line(a)
			}
			out = append(out, ProcessInfo{p.Proc, p.PID, argv, safetext.Line(p.Cwd), p.Stdin, p.Terminal})
		}
		return err
	})
	return out, err
}

// PID is the process's number inside the session.
func (p *Process) PID() int { return p.p.PID() }

// Input writes to the process's standard input, or types at its terminal. It waits while the
// process does not read.
func (p *Process) Input(ctx context.Context, b []byte) error {
	_, err := p.p.Input(ctx, b)
	return noInput(err)
}

// CloseInput ends the process's standard input. To a terminal it says nothing.
func (p *Process) CloseInput() error { return noInput(p.p.Stdin().Close()) }

// noInput words that a process takes no input.
func noInput(err error) error {
	if err != nil && fault.KindOf(err) == fault.Internal {
		return fault.New(fault.Conflict, "Start it with stdin, and write while it runs.", "cannot write to the process: it has no standard input, or has ended")
	}
	return err
}

// Signal sends a signal, by its number, to the process and its group.
func (p *Process) Signal(ctx context.Context, signal int) error { return p.p.Signal(ctx, signal) }

// Resize gives the process's terminal another size.
func (p *Process) Resize(ctx context.Context, size TerminalSize) error {
	return p.p.Resize(ctx, wire.Size{Rows: size.Rows, Cols: size.Cols})
}

// Leave has the process not be followed any more once a state is saved: Wait returns an error
// then, and what the process does after that state does not come twice to whoever goes on
// from it.
func (p *Process) Leave() { p.p.Leave() }

// Wait returns how the process ended, or an error when it is not followed any more.
func (p *Process) Wait(ctx context.Context) (Exit, error) {
	e, err := p.p.Wait(ctx)
	return Exit{e.Code, e.Signal, e.Reason}, err
}

// Conn is a connection to a port of a session. It ends when a state of the session is saved,
// and with its sandbox.
type Conn = guest.Conn

// Forward connects to a port at which a program of the session listens. That none does is an
// error of the first Read, of the kind fault.Unavailable.
func (s *Session) Forward(ctx context.Context, port int) (out Conn, err error) {
	err = s.s.Use(ctx, func(c *guest.Client) error {
		out, err = c.Forward(ctx, port)
		return err
	})
	return out, err
}
