package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/server/access"
	"praxis/internal/server/live"
)

// Process is a program that runs in a session, or did.
type Process struct {
	ID       string    `json:"id"`
	Session  string    `json:"session"`
	PID      int       `json:"pid" jsonschema:"its number inside the session"`
	Argv     []string  `json:"argv" jsonschema:"the beginning of it, of a process that came with a saved state"`
	Cwd      string    `json:"cwd,omitempty"`
	Stdin    bool      `json:"stdin" jsonschema:"it can be written to"`
	Terminal bool      `json:"terminal"`
	Began    time.Time `json:"began"`
	Ended    bool      `json:"ended"`
	Exit     *app.Exit `json:"exit,omitempty" jsonschema:"how it ended, once it has"`
	Lost     string    `json:"lost,omitempty" jsonschema:"why it is not known how it ended"`
	Stdout   string    `json:"stdout,omitempty" jsonschema:"the last 64 KiB of what it wrote; of a terminal, all that it showed"`
	Stderr   string    `json:"stderr,omitempty" jsonschema:"the last 64 KiB"`
	Cut      bool      `json:"cut,omitempty" jsonschema:"it wrote more than that"`
}

// processOf describes a process, with what it wrote if that is asked for.
func processOf(p *live.Process, output bool) Process {
	out := Process{ID: p.ID, Session: p.Session, PID: p.PID(), Argv: p.Argv, Cwd: p.Cwd, Stdin: p.Stdin, Terminal: p.Terminal, Began: p.Began()}
	if out.Argv == nil {
		out.Argv = []string{}
	}
	if out.Ended = p.Ended(); out.Ended {
		exit, lost := p.Exit()
		if out.Lost = lost; lost == "" {
			out.Exit = &exit
		}
	}
	if output {
		stdout, stderr, cut := p.Tail()
		out.Stdout, out.Stderr, out.Cut = text(stdout), text(stderr), cut
	}
	return out
}

// text reads bytes of a program as text.
func text(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// NewProcess asks for a program to be started.
type NewProcess struct {
	SessionRef
	Argv     []string          `json:"argv" jsonschema:"the program, looked up in PATH, and its arguments"`
	Env      map[string]string `json:"env,omitempty" jsonschema:"beside the session's"`
	Cwd      string            `json:"cwd,omitempty" jsonschema:"left out: the working folder"`
	Stdin    bool              `json:"stdin,omitempty" jsonschema:"it can be written to; false: its standard input is empty"`
	Terminal *app.TerminalSize `json:"terminal,omitempty" jsonschema:"gives it a terminal of its own"`
	Stream   bool              `json:"stream,omitempty" jsonschema:"answer with what it writes as it comes, as events output: stream, and text or, where it is not whole characters of UTF-8, data in base64"`
	Detach   bool              `json:"detach,omitempty" jsonschema:"answer at once; the process goes on when the caller is gone"`
}

// ProcessRef names a process.
type ProcessRef struct {
	SessionRef
	Process string `json:"process" in:"path" jsonschema:"its id"`
}

// Processes is a list of processes, the oldest first.
type Processes struct {
	Processes []Process `json:"processes"`
}

// Signaling sends a signal.
type Signaling struct {
	ProcessRef
	Signal int `json:"signal" jsonschema:"its number: 15 asks to end (TERM), 9 ends (KILL), 2 is Ctrl-C (INT), 1 a terminal that is closed (HUP)"`
}

// Resizing gives a terminal another size.
type Resizing struct {
	ProcessRef
	app.TerminalSize
}

func processes() []Operation {
	const one = "/sessions/{session}/processes/{process}"
	return []Operation{
		events[NewProcess, Process]("processes.start", http.MethodPost, "/sessions/{session}/processes", access.Run, http.StatusCreated,
			"Start a program in a session. Without stream and detach the answer comes when it has ended; a caller that goes away ends it.", startProcess).saying(live.OutputEvent, reflect.TypeFor[live.Output]()),
		operation("processes.list", http.MethodGet, "/sessions/{session}/processes", access.Read, http.StatusOK, "List the processes of a session, those that ended lately, too.",
			func(_ context.Context, c *Call, in SessionRef) (Processes, error) {
				list, err := c.Tenant.Hub.Processes(in.Session)
				out := Processes{[]Process{}}
				for _, p := range list {
					out.Processes = append(out.Processes, processOf(p, false))
				}
				return out, err
			}),
		operation("processes.get", http.MethodGet, one, access.Read, http.StatusOK, "Describe a process, with the end of what it wrote.",
			func(_ context.Context, c *Call, in ProcessRef) (Process, error) {
				p, err := c.Tenant.Hub.Process(in.Session, in.Process)
				if err != nil {
					return Process{}, err
				}
				return processOf(p, true), nil
			}),
		events[ProcessRef, Process]("processes.events", http.MethodGet, one+"/events", access.Read, http.StatusOK,
			"Follow what a process writes; Last-Event-ID says what was seen before. It goes on when the caller is gone.",
			func(_ context.Context, c *Call, in ProcessRef) (any, error) {
				p, err := c.Tenant.Hub.Process(in.Session, in.Process)
				if err != nil {
					return nil, err
				}
				return processStream(p, c.After, nil), nil
			}).saying(live.OutputEvent, reflect.TypeFor[live.Output]()),
		operation("processes.input", http.MethodPost, one+"/input", access.Run, http.StatusNoContent, "Write bytes to a process's standard input, or type them at its terminal.",
			func(ctx context.Context, c *Call, in ProcessRef) (Nothing, error) {
				p, err := c.Tenant.Hub.Process(in.Session, in.Process)
				if err != nil {
					return Nothing{}, err
				}
				data, err := io.ReadAll(io.LimitReader(c.Body, maxInput+1))
				switch {
				case err != nil:
					return Nothing{}, err
				case len(data) > maxInput:
					return Nothing{}, fault.New(fault.Exhausted, "Write it piece by piece, or put it in a file.", "cannot write to the process: there are more than %d bytes at once", maxInput)
				}
				return Nothing{}, p.Input(ctx, data)
			}).of(Upload),
		operation("processes.close_input", http.MethodDelete, one+"/input", access.Run, http.StatusNoContent, "End a process's standard input.",
			onProcess(func(ctx context.Context, p *live.Process, _ ProcessRef) error { return p.CloseInput(ctx) }, func(in ProcessRef) ProcessRef { return in })),
		operation("processes.signal", http.MethodPost, one+"/signal", access.Run, http.StatusNoContent, "Send a signal to a process and its group.",
			onProcess(func(ctx context.Context, p *live.Process, in Signaling) error { return p.Signal(ctx, in.Signal) }, func(in Signaling) ProcessRef { return in.ProcessRef })),
		operation("processes.resize", http.MethodPost, one+"/resize", access.Run, http.StatusNoContent, "Give a process's terminal another size.",
			onProcess(func(ctx context.Context, p *live.Process, in Resizing) error { return p.Resize(ctx, in.TerminalSize) }, func(in Resizing) ProcessRef { return in.ProcessRef })),
		operation("terminals.open", http.MethodGet, "/sessions/{session}/terminal", access.Run, http.StatusSwitchingProtocols,
			"Open a terminal in a session as a WebSocket: binary messages are bytes both ways, text messages are JSON. The client may send {\"resize\":{\"rows\":24,\"cols\":80}} and {\"signal\":2}; the server sends {\"event\":\"started\",\"process\":…}, {\"event\":\"lost\",\"events\":n} and at last {\"event\":\"end\",\"process\":…}.", openTerminal).of(Socket),
	}
}

// maxInput bounds what is written to a process by one call.
const maxInput = 8 << 20

// onProcess makes an operation on one process that returns nothing.
func onProcess[In any](do func(ctx context.Context, p *live.Process, in In) error, ref func(In) ProcessRef) func(context.Context, *Call, In) (Nothing, error) {
	return func(ctx context.Context, c *Call, in In) (Nothing, error) {
		r := ref(in)
		p, err := c.Tenant.Hub.Process(r.Session, r.Process)
		if err != nil {
			return Nothing{}, err
		}
		return Nothing{}, do(ctx, p, in)
	}
}

func processStream(p *live.Process, after int64, leave func()) *Stream {
	return &Stream{Log: p.Log, After: after, Leave: leave, Final: func() any { <-p.Done(); return processOf(p, false) }}
}

// defaultTerm is what programs are given to know of terminals when nothing else is said.
const defaultTerm = "xterm-256color"

func (q NewProcess) spec() (app.ProcessSpec, error) {
	if len(q.Argv) == 0 || q.Argv[0] == "" {
		return app.ProcessSpec{}, fault.New(fault.Invalid, "Give the program and its arguments as argv.", "cannot start a process: there is no program")
	}
	for k := range q.Env {
		if k == "" || strings.ContainsAny(k, "=\x00") {
			return app.ProcessSpec{}, fault.New(fault.Invalid, "Use names without '='.", "cannot start a process: a variable of its environment has no possible name")
		}
	}
	env := q.Env
	if q.Terminal != nil && env["TERM"] == "" {
		env = map[string]string{"TERM": defaultTerm}
		for k, v := range q.Env {
			env[k] = v
		}
	}
	return app.ProcessSpec{Argv: q.Argv, Env: env, Cwd: q.Cwd, Stdin: q.Stdin, Terminal: q.Terminal}, nil
}

// startProcess starts a process, and waits for it unless it is to be followed or left alone.
func startProcess(ctx context.Context, c *Call, in NewProcess) (any, error) {
	spec, err := in.spec()
	if err != nil {
		return nil, err
	}
	p, err := c.Tenant.Hub.StartProcess(ctx, in.Session, spec, in.Detach)
	if err != nil {
		return nil, err
	}
	switch {
	case in.Stream && in.Detach:
		return processStream(p, 0, nil), nil
	case in.Stream:
		return processStream(p, 0, p.Interrupt), nil
	case in.Detach:
		return processOf(p, false), nil
	}
	if err := p.Wait(ctx); err != nil {
		return nil, err
	}
	return processOf(p, true), nil
}

// OpenTerminal asks for a terminal.
type OpenTerminal struct {
	SessionRef
	Process string `json:"process,omitempty" in:"query" jsonschema:"a process that has a terminal, which goes on when the connection is closed; left out: a new shell, which ends with it"`
	Rows    int    `json:"rows,omitempty" in:"query" jsonschema:"left out: 24 of a new shell"`
	Cols    int    `json:"cols,omitempty" in:"query" jsonschema:"left out: 80 of a new shell"`
	After   int    `json:"after,omitempty" in:"query" jsonschema:"the number of outputs that were seen before"`
}

// shell is the program of a terminal that none is named for: the best one that there is.
var shell = []string{"/bin/sh", "-c", "command -v bash >/dev/null && exec bash -il; exec sh -i"}

// openTerminal opens the terminal of a process that there is, or of a new shell.
func openTerminal(ctx context.Context, c *Call, in OpenTerminal) (*Terminal, error) {
	if in.After < 0 {
		return nil, fault.New(fault.Invalid, "Give the number of outputs that were seen.", "cannot open a terminal: after is %d", in.After)
	}
	size := app.TerminalSize{Rows: in.Rows, Cols: in.Cols}
	if in.Process == "" {
		if size.Rows == 0 {
			size.Rows = 24
		}
		if size.Cols == 0 {
			size.Cols = 80
		}
		spec, err := NewProcess{Argv: shell, Terminal: &size}.spec()
		if err != nil {
			return nil, err
		}
		p, err := c.Tenant.Hub.StartProcess(ctx, in.Session, spec, false)
		if err != nil {
			return nil, err
		}
		return &Terminal{Process: p, Leave: p.Interrupt, Final: func() any { return processOf(p, false) }}, nil
	}
	p, err := c.Tenant.Hub.Process(in.Session, in.Process)
	if err != nil {
		return nil, err
	}
	if !p.Terminal {
		return nil, fault.New(fault.Conflict, "Start it with a terminal, or follow its events.", "cannot open the terminal of process %s: it has none", p.ID)
	}
	if size != (app.TerminalSize{}) {
		if err := p.Resize(ctx, size); err != nil {
			return nil, fmt.Errorf("cannot open the terminal: %w", err)
		}
	}
	free, err := p.Occupy()
	if err != nil {
		return nil, err
	}
	return &Terminal{Process: p, After: int64(in.After), Leave: free, Final: func() any { return processOf(p, false) }}, nil
}
