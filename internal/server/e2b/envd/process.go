package envd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/e2b/target"
	"praxis/internal/server/live"
)

// The messages of process.Process, as JSON of Protocol Buffers has them.
type (
	processConfig struct {
		Cmd  string            `json:"cmd"`
		Args []string          `json:"args,omitempty"`
		Envs map[string]string `json:"envs,omitempty"`
		Cwd  *string           `json:"cwd,omitempty"`
	}
	terminal struct {
		Size *struct {
			Cols number `json:"cols"`
			Rows number `json:"rows"`
		} `json:"size"`
	}
	startRequest struct {
		Process processConfig `json:"process"`
		Pty     *terminal     `json:"pty"`
		Tag     *string       `json:"tag"`
		Stdin   *bool         `json:"stdin"`
	}
	selector struct {
		PID *number `json:"pid"`
		Tag *string `json:"tag"`
	}
	selected struct {
		Process selector `json:"process"`
	}
	updateRequest struct {
		selected
		Pty *terminal `json:"pty"`
	}
	input struct {
		Stdin bytesOf `json:"stdin"`
		Pty   bytesOf `json:"pty"`
	}
	inputRequest struct {
		selected
		Input input `json:"input"`
	}
	streamInput struct {
		Start     *selected `json:"start"`
		Data      *struct{ Input input }
		Keepalive *struct{} `json:"keepalive"`
	}
	signalRequest struct {
		selected
		Signal signalName `json:"signal"`
	}
	processInfo struct {
		Config processConfig `json:"config"`
		PID    int           `json:"pid"`
		Tag    *string       `json:"tag,omitempty"`
	}
	processList struct {
		Processes []processInfo `json:"processes"`
	}
	empty struct{}
)

// processEvent is an event of a process; one field is set.
type processEvent struct {
	Start     *startEvent `json:"start,omitempty"`
	Data      *dataEvent  `json:"data,omitempty"`
	End       *endEvent   `json:"end,omitempty"`
	Keepalive *empty      `json:"keepalive,omitempty"`
}

type startEvent struct {
	PID int `json:"pid"`
}

type dataEvent struct {
	Stdout []byte `json:"stdout,omitempty"`
	Stderr []byte `json:"stderr,omitempty"`
	Pty    []byte `json:"pty,omitempty"`
}

type endEvent struct {
	ExitCode int     `json:"exitCode"`
	Exited   bool    `json:"exited"`
	Status   string  `json:"status"`
	Error    *string `json:"error,omitempty"`
}

type eventMessage struct {
	Event processEvent `json:"event"`
}

// signalName is a signal, by its name or its number.
type signalName int

// UnmarshalJSON reads a signal.
func (s *signalName) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `"SIGNAL_SIGTERM"`:
		*s = signalName(syscall.SIGTERM)
	case `"SIGNAL_SIGKILL"`:
		*s = signalName(syscall.SIGKILL)
	default:
		var n number
		if err := n.UnmarshalJSON(data); err != nil {
			return err
		}
		*s = signalName(n)
	}
	return nil
}

// started is what was asked for when a process was started.
type started struct {
	config processConfig
	tag    *string
}

// endsWithin bounds the wait for the end of a process that was killed.
const endsWithin = 10 * time.Second

func (d *Daemon) processMethods() []method {
	return []method{
		unary("process.Process/List", false, d.listProcesses),
		streaming("process.Process/Start", true, d.startProcess),
		streaming("process.Process/Connect", false, d.connect),
		unary("process.Process/Update", true, func(ctx context.Context, c *call, in updateRequest) (empty, error) {
			p, err := d.process(ctx, c, in.Process)
			if err != nil {
				return empty{}, err
			}
			size, err := in.Pty.size()
			if err != nil || size == nil {
				return empty{}, err
			}
			return empty{}, p.Resize(ctx, *size)
		}),
		unary("process.Process/SendInput", true, func(ctx context.Context, c *call, in inputRequest) (empty, error) {
			p, err := d.process(ctx, c, in.Process)
			if err != nil {
				return empty{}, err
			}
			return empty{}, p.Input(ctx, in.Input.bytes())
		}),
		{name: "process.Process/StreamInput", writes: true, client: true, do: func(ctx context.Context, c *call, _ []byte) (any, error) { return empty{}, d.streamInput(ctx, c) }},
		unary("process.Process/SendSignal", true, func(ctx context.Context, c *call, in signalRequest) (empty, error) {
			p, err := d.process(ctx, c, in.Process)
			if err != nil {
				return empty{}, err
			}
			if s := syscall.Signal(in.Signal); s != syscall.SIGKILL && s != syscall.SIGTERM {
				return empty{}, &rpcError{codeUnsupported, "the signals are SIGNAL_SIGTERM and SIGNAL_SIGKILL"}
			}
			if err := p.Signal(ctx, int(in.Signal)); err != nil || syscall.Signal(in.Signal) != syscall.SIGKILL {
				return empty{}, err
			}
			// Who kills a process does not find it afterwards.
			timer := time.NewTimer(endsWithin)
			defer timer.Stop()
			select {
			case <-p.Done():
			case <-timer.C:
			case <-ctx.Done():
			}
			return empty{}, nil
		}),
		unary("process.Process/CloseStdin", true, func(ctx context.Context, c *call, in selected) (empty, error) {
			p, err := d.process(ctx, c, in.Process)
			if err != nil {
				return empty{}, err
			}
			if p.Terminal {
				return empty{}, &rpcError{codePrecondition, "a terminal has no standard input to close: type Ctrl-D"}
			}
			return empty{}, p.CloseInput(ctx)
		}),
	}
}

func (i input) bytes() []byte {
	if i.Pty != nil {
		return i.Pty
	}
	return i.Stdin
}

// size returns the size of a terminal; nil: there is none.
func (t *terminal) size() (*app.TerminalSize, error) {
	if t == nil {
		return nil, nil
	}
	size := &app.TerminalSize{Rows: 24, Cols: 80}
	if t.Size != nil {
		size.Rows, size.Cols = int(t.Size.Rows), int(t.Size.Cols)
	}
	if size.Rows < 1 || size.Cols < 1 || size.Rows > 10_000 || size.Cols > 10_000 {
		return nil, &rpcError{codeInvalid, "a terminal has 1 to 10000 rows and columns"}
	}
	return size, nil
}

// running returns the processes of a sandbox that have not ended, the newest first.
func (d *Daemon) running(ctx context.Context, c *call) ([]*live.Process, error) {
	// One that was not opened since the server started does not know its processes before.
	if err := c.Tenant.Hub.Use(ctx, c.ID, func(*app.Session) error { return nil }); err != nil {
		return nil, err
	}
	list, err := c.Tenant.Hub.Processes(c.ID)
	list = slices.DeleteFunc(list, func(p *live.Process) bool { return p.Ended() })
	slices.Reverse(list)
	return list, err
}

// process finds a process by its number or its tag.
func (d *Daemon) process(ctx context.Context, c *call, s selector) (*live.Process, error) {
	list, err := d.running(ctx, c)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.of(c.ID).started
	for _, p := range list {
		if s.PID != nil && p.PID() == int(*s.PID) {
			return p, nil
		}
		if tag := known[p.ID].tag; s.Tag != nil && tag != nil && *tag == *s.Tag {
			return p, nil
		}
	}
	switch {
	case s.PID != nil:
		return nil, &rpcError{codeNotFound, fmt.Sprintf("process with pid %d not found", int64(*s.PID))}
	case s.Tag != nil:
		return nil, &rpcError{codeNotFound, "process with tag " + safetext.Clip(safetext.Line(*s.Tag), 60) + " not found"}
	}
	return nil, &rpcError{codeInvalid, "name a process by its pid or its tag"}
}

func (d *Daemon) listProcesses(ctx context.Context, c *call, _ empty) (processList, error) {
	list, err := d.running(ctx, c)
	if err != nil {
		return processList{}, err
	}
	slices.Reverse(list)
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.of(c.ID).started
	out := processList{[]processInfo{}}
	for _, p := range list {
		info := processInfo{PID: p.PID()}
		if s, there := known[p.ID]; there {
			info.Config, info.Tag = s.config, s.tag
		} else if len(p.Argv) > 0 { // it came with a saved state
			info.Config = processConfig{Cmd: p.Argv[0], Args: p.Argv[1:], Cwd: &p.Cwd}
		}
		out.Processes = append(out.Processes, info)
	}
	return out, nil
}

// Environ returns the variables of a sandbox's programs beside its session's.
func Environ(id string, own map[string]string) map[string]string {
	out := map[string]string{"E2B_SANDBOX": "true", "E2B_SANDBOX_ID": id}
	maps.Copy(out, own)
	return out
}

// roots are the folders below which the session itself changes to a folder.
var roots = []string{"/work", "/tmp", Home}

func inRoots(dir string) bool {
	return slices.ContainsFunc(roots, func(r string) bool { return dir == r || strings.HasPrefix(dir, r+"/") })
}

// spec describes the process that a request asks for.
func (in startRequest) spec(ctx context.Context, c *call) (app.ProcessSpec, error) {
	spec := app.ProcessSpec{Argv: append([]string{in.Process.Cmd}, in.Process.Args...), Env: Environ(c.ID, c.Environ), Cwd: Home}
	if in.Process.Cmd == "" {
		return spec, &rpcError{codeInvalid, "there is no program to start"}
	}
	for k, v := range in.Process.Envs {
		if k == "" || strings.ContainsAny(k, "=\x00") {
			return spec, &rpcError{codeInvalid, "a variable has no possible name"}
		}
		spec.Env[k] = v
	}
	// Programs of old clients wait for input unless it is said that there is none.
	spec.Stdin = in.Stdin == nil || *in.Stdin
	size, err := in.Pty.size()
	if err != nil {
		return spec, err
	}
	spec.Terminal = size
	if in.Process.Cwd == nil || *in.Process.Cwd == "" {
		return spec, nil
	}
	dir, err := locate(*in.Process.Cwd)
	if err != nil {
		return spec, err
	}
	if !inRoots(dir) { // the program changes there with its user's own rights
		spec.Argv = append([]string{"/usr/bin/env", "-C", dir}, spec.Argv...)
		return spec, nil
	}
	spec.Cwd = dir
	err = c.Tenant.Hub.Use(ctx, c.ID, func(s *app.Session) error {
		i, err := s.Stat(ctx, dir)
		if err == nil && i.Kind == "file" || fault.KindOf(err) == fault.NotFound {
			return &rpcError{codeInvalid, "cwd '" + safetext.Clip(safetext.Line(dir), 200) + "' does not exist"}
		}
		return err
	})
	return spec, err
}

// startProcess starts a process and follows it. When the client is gone it goes on, until its
// own time is over.
func (d *Daemon) startProcess(ctx context.Context, c *call, in startRequest) error {
	spec, err := in.spec(ctx, c)
	if err != nil {
		return err
	}
	p, err := c.Tenant.Hub.StartProcess(ctx, c.ID, spec, false)
	if err != nil {
		return err
	}
	d.mu.Lock()
	m := d.of(c.ID)
	maps.DeleteFunc(m.started, func(id string, _ started) bool {
		old, err := c.Tenant.Hub.Process(c.ID, id)
		return err != nil || old.Ended()
	})
	m.started[p.ID] = started{in.Process, in.Tag}
	d.mu.Unlock()
	if c.timeout > 0 {
		d.work.Go(func() { d.bound(c, p, c.timeout) })
	}
	return d.follow(ctx, c, p, 0)
}

// bound ends a process when its time is over. A process that is in a sandbox that was paused
// goes on without a bound: its client is gone.
func (d *Daemon) bound(c *call, p *live.Process, lasts time.Duration) {
	timer := time.NewTimer(lasts)
	defer timer.Stop()
	select {
	case <-timer.C:
		p.Interrupt()
	case <-p.Done():
	case <-c.Over:
	case <-d.over:
	}
}

// connect follows a process from now on.
func (d *Daemon) connect(ctx context.Context, c *call, in selected) error {
	p, err := d.process(ctx, c, in.Process)
	if err != nil {
		return err
	}
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel()
	}
	return d.follow(ctx, c, p, p.Log.Last())
}

// follow sends what a process writes until it ends.
func (d *Daemon) follow(ctx context.Context, c *call, p *live.Process, after int64) error {
	if err := c.send(eventMessage{processEvent{Start: &startEvent{p.PID()}}}); err != nil {
		return err
	}
	err := p.Log.Read(ctx, after, live.Reader{
		Entry: func(e live.Entry) error {
			o, err := live.DecodeOutput(e.Data)
			if err != nil {
				return err
			}
			data := &dataEvent{}
			switch {
			case p.Terminal:
				data.Pty = o.Bytes()
			case o.Stream == event.Stderr:
				data.Stderr = o.Bytes()
			default:
				data.Stdout = o.Bytes()
			}
			return c.send(eventMessage{processEvent{Data: data}})
		},
		Lost: func(int64) error {
			return &rpcError{codeDataLoss, "the process wrote faster than this stream was read: what is missing is not stored any more"}
		},
		Still: func() error { return c.send(eventMessage{processEvent{Keepalive: &empty{}}}) },
	})
	if err != nil {
		return err
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	exit, lost := p.Exit()
	if lost != "" {
		return target.ErrOver
	}
	return c.send(eventMessage{processEvent{End: endOf(exit)}})
}

// endOf words how a process ended as clients know it.
func endOf(exit app.Exit) *endEvent {
	out := &endEvent{ExitCode: exit.Code, Exited: exit.Signal == 0, Status: fmt.Sprintf("exit status %d", exit.Code)}
	if exit.Signal != 0 {
		out.ExitCode, out.Status = -1, "signal: "+syscall.Signal(exit.Signal).String()
	}
	switch {
	case exit.Reason != "":
		out.Error = &exit.Reason
	case out.ExitCode != 0:
		out.Error = &out.Status
	}
	return out
}

// streamInput writes what a client sends to a process, message by message.
func (d *Daemon) streamInput(ctx context.Context, c *call) error {
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel()
	}
	var p *live.Process
	for {
		var in streamInput
		if err := c.receive(&in); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		switch {
		case in.Start != nil:
			var err error
			if p, err = d.process(ctx, c, in.Start.Process); err != nil {
				return err
			}
		case in.Data != nil:
			if p == nil {
				return &rpcError{codeInvalid, "the first message names the process"}
			}
			if err := p.Input(ctx, in.Data.Input.bytes()); err != nil {
				return err
			}
		}
	}
}
