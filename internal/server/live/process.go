package live

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/time/rate"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
)

// Bounds of processes.
const (
	maxProcesses = 100      // of a session that can be looked at again
	maxOutput    = 4 << 20  // bytes of a log that are kept: a session may have many
	maxTail      = 64 << 10 // bytes of each stream that are kept at hand
	outputRate   = 16 << 20 // bytes a second of a process, at most: reading it costs the server time
)

// OutputEvent is the name of the entry of a process's log that is an Output.
const OutputEvent = "output"

// Output is a piece of what a process wrote, in order: as text where it is whole characters
// of UTF-8, else as data.
type Output struct {
	Stream event.Stream `json:"stream"`
	Text   string       `json:"text,omitempty"`
	Data   []byte       `json:"data,omitempty"`
}

// Bytes returns what was written.
func (o Output) Bytes() []byte {
	if o.Data != nil {
		return o.Data
	}
	return []byte(o.Text)
}

// DecodeOutput reads an entry of the name OutputEvent.
func DecodeOutput(data []byte) (o Output, err error) {
	err = json.Unmarshal(data, &o)
	return o, err
}

// Process is a program that runs in a session, or did. It goes on while its session is paused
// and opened again, and in what is forked from the session.
type Process struct {
	ID       string
	Session  string
	Argv     []string // the beginning of it, of a process that was found
	Cwd      string
	Stdin    bool
	Terminal bool
	Log      *Log
	span

	hub   *Hub
	owner *session
	rate  *rate.Limiter
	free  func() // called when it has ended; nil: nothing is to be done

	mu    sync.Mutex
	pid   int
	fresh bool         // it is being started
	guest *app.Process // nil: it is not followed now, as while its session is paused
	tails [2][]byte    // of stdout and stderr
	cut   bool         // a tail is not the whole
	exit  app.Exit
	lost  string // why it is not known how it ended
}

func (p *Process) id() string { return p.ID }

// PID is the process's number inside the session.
func (p *Process) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pid
}

// Exit says how the process ended, once it has; lost says why that is not known.
func (p *Process) Exit() (exit app.Exit, lost string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit, p.lost
}

// Tail returns the end of what the process wrote. cut says that it is not the whole.
func (p *Process) Tail() (stdout, stderr []byte, cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.tails[0]), slices.Clone(p.tails[1]), p.cut
}

// Emit takes what the process wrote. Only so much comes in a second.
func (p *Process) Emit(e event.Event) {
	o, ok := e.(event.Output)
	if !ok || o.Stream != event.Stdout && o.Stream != event.Stderr {
		return
	}
	_ = p.rate.WaitN(context.Background(), len(o.Data)) // a piece is smaller than the burst
	out := Output{Stream: o.Stream}
	if utf8.Valid(o.Data) {
		out.Text = string(o.Data)
	} else {
		out.Data = o.Data
	}
	p.Log.note(OutputEvent, out)
	p.mu.Lock()
	tail := &p.tails[0]
	if o.Stream == event.Stderr {
		tail = &p.tails[1]
	}
	*tail = append(*tail, o.Data...)
	if over := len(*tail) - maxTail; over > 0 {
		*tail, p.cut = slices.Clone((*tail)[over:]), true
	}
	p.mu.Unlock()
	p.hub.touch(p.owner)
}

// touch notes that a session is not idle.
func (h *Hub) touch(e *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e.used = time.Now()
}

// end says how the process ended. What comes second counts for nothing.
func (p *Process) end(exit app.Exit, lost string) {
	p.mu.Lock()
	over := p.Ended()
	if !over {
		p.guest, p.exit, p.lost = nil, exit, lost
		p.Log.end()
		close(p.done)
	}
	p.mu.Unlock()
	if !over && p.free != nil {
		p.free()
	}
}

// isLeft says whether nobody follows the process, which has not ended as far as is known.
func (p *Process) isLeft() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.guest == nil && !p.fresh && !p.Ended()
}

// follower returns the guest's process, nil while it is not followed.
func (p *Process) follower() *app.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.guest
}

// StartProcess starts a program in a session. One that is not detached keeps its session from
// being idle until it ends; of one that is, only what it writes does.
func (h *Hub) StartProcess(ctx context.Context, id string, spec app.ProcessSpec, detached bool) (*Process, error) {
	if err := h.cfg.Admit(ctx); err != nil {
		return nil, err
	}
	e, err := h.find(id)
	if err != nil {
		return nil, err
	}
	spec.Name = newID("p")
	p := h.newProcess(e, app.ProcessInfo{Name: spec.Name, Argv: spec.Argv, Cwd: spec.Cwd, Stdin: spec.Stdin || spec.Terminal != nil, Terminal: spec.Terminal != nil})
	if !detached {
		if p.free, err = h.occupy(e); err != nil {
			return nil, err
		}
	}
	p.fresh = true
	err = h.use(ctx, e, event.Discard, func(s *app.Session) error {
		h.mu.Lock()
		e.procs.add(p, maxProcesses)
		h.mu.Unlock()
		g, err := s.StartProcess(ctx, spec, p)
		if err == nil {
			h.follow(p, g)
		}
		return err
	})
	if err != nil {
		p.end(app.Exit{}, "it was not started")
		h.mu.Lock()
		defer h.mu.Unlock()
		e.procs = slices.DeleteFunc(e.procs, func(other *Process) bool { return other == p })
		return nil, err
	}
	return p, nil
}

func (h *Hub) newProcess(e *session, i app.ProcessInfo) *Process {
	log := h.newLog()
	log.most = maxOutput
	return &Process{
		ID: i.Name, Session: e.id, Argv: i.Argv, Cwd: i.Cwd, Stdin: i.Stdin, Terminal: i.Terminal, pid: i.PID,
		Log: log, span: newSpan(), hub: h, owner: e, rate: rate.NewLimiter(outputRate, outputRate),
	}
}

// follow waits for the end of a process. One that is not followed any more, since its sandbox
// was closed or replaced, is looked for in the sandbox that the session has then; while it has
// none, whoever opens the session does that.
func (h *Hub) follow(p *Process, g *app.Process) {
	p.mu.Lock()
	p.guest, p.pid, p.fresh = g, g.PID(), false
	p.mu.Unlock()
	h.busy.Go(func() {
		exit, err := g.Wait(context.Background())
		if err == nil {
			p.end(exit, "")
			return
		}
		e := p.owner
		e.turn <- struct{}{} // whoever has it opens or closes a sandbox, and gives it back
		defer e.give()
		p.mu.Lock()
		p.guest = nil
		p.mu.Unlock()
		if h.heal(context.Background(), e); e.s != nil {
			h.findProcesses(context.Background(), e, e.s)
		}
	})
}

// findProcesses follows the processes that a session has in a sandbox that was just opened. Its
// turn is held. Those that came with a saved state and are not known here, as after a start of
// the server and in forks, are taken in; those that the state does not have are lost.
func (h *Hub) findProcesses(ctx context.Context, e *session, s *app.Session) {
	list, err := s.Processes(ctx)
	h.mu.Lock()
	known := slices.Clone(e.procs)
	h.mu.Unlock()
	if err != nil {
		for _, p := range known {
			if p.isLeft() {
				p.end(app.Exit{}, "the sandbox ended, and the process with it")
			}
		}
		return
	}
	there := map[string]bool{}
	for _, i := range list {
		there[i.Name] = true
		p := known.find(i.Name)
		if p == nil {
			p = h.newProcess(e, i)
			h.mu.Lock()
			e.procs.add(p, maxProcesses)
			h.mu.Unlock()
		}
		if !p.isLeft() {
			continue
		}
		g, err := s.FollowProcess(ctx, i, p)
		if err != nil {
			p.end(app.Exit{}, "it could not be followed any more: "+fault.Of(err).Message)
			continue
		}
		h.follow(p, g)
	}
	for _, p := range known {
		if !there[p.ID] && p.isLeft() {
			p.end(app.Exit{}, "the session stands at a state without it")
		}
	}
}

// loseProcesses ends the processes of a session that has no sandbox.
func (h *Hub) loseProcesses(e *session, why string) {
	h.mu.Lock()
	procs := slices.Clone(e.procs)
	h.mu.Unlock()
	for _, p := range procs {
		p.end(app.Exit{}, why)
	}
}

// leaveProcesses has the processes of a session not be followed beyond the state that is saved
// next.
func (h *Hub) leaveProcesses(e *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range e.procs {
		if g := p.follower(); g != nil {
			g.Leave()
		}
	}
}

// Process finds a process of a session. A session that is paused is not opened for it.
func (h *Hub) Process(id, process string) (*Process, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e, err := h.findLocked(id)
	if err != nil {
		return nil, err
	}
	if p := e.procs.find(process); p != nil {
		return p, nil
	}
	return nil, fault.New(fault.NotFound, "List the session's processes; those that ended long ago are not kept.", "cannot find process %s of session %s", safetext.Clip(safetext.Line(process), 60), e.id)
}

// Processes lists the processes of a session, the oldest first. Those of a session that was
// not opened yet since the server started are not known before it is.
func (h *Hub) Processes(id string) ([]*Process, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e, err := h.findLocked(id)
	if err != nil {
		return nil, err
	}
	return slices.Clone(e.procs), nil
}

// do calls f with the guest's process, in a session that is opened for it.
func (p *Process) do(ctx context.Context, f func(*app.Process) error) error {
	over := fault.New(fault.Conflict, "Start another.", "cannot do this with process %s: it has ended", p.ID)
	if p.Ended() {
		return over
	}
	var g *app.Process
	err := p.hub.use(ctx, p.owner, event.Discard, func(*app.Session) error {
		if g = p.follower(); g == nil {
			return over
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = f(g) // who pauses the session does not wait for a process that does not read
	if err != nil && !p.Ended() && p.follower() != g {
		return fault.New(fault.Unavailable, "Try again: the session is opened for it.", "cannot do this with process %s: its session was paused meanwhile", p.ID)
	}
	return err
}

// Input writes to the process's standard input, or types at its terminal.
func (p *Process) Input(ctx context.Context, b []byte) error {
	return p.do(ctx, func(g *app.Process) error { return g.Input(ctx, b) })
}

// CloseInput ends the process's standard input.
func (p *Process) CloseInput(ctx context.Context) error {
	return p.do(ctx, func(g *app.Process) error { return g.CloseInput() })
}

// Signal sends a signal, by its number, to the process and its group.
func (p *Process) Signal(ctx context.Context, signal int) error {
	return p.do(ctx, func(g *app.Process) error { return g.Signal(ctx, signal) })
}

// Resize gives the process's terminal another size.
func (p *Process) Resize(ctx context.Context, size app.TerminalSize) error {
	return p.do(ctx, func(g *app.Process) error { return g.Resize(ctx, size) })
}

// killFor is how long a process that nobody waits for any more may take to be ended.
const killFor = time.Minute

// Interrupt ends the process, without waiting for it: who waited for it is gone.
func (p *Process) Interrupt() {
	free, err := p.hub.occupy(p.owner)
	if err != nil {
		return // what ends with the session, or with the server, needs no signal
	}
	go func() {
		defer free()
		ctx, cancel := context.WithTimeout(context.Background(), killFor)
		defer cancel()
		if err := p.Signal(ctx, sigKill); err != nil && !p.Ended() {
			p.hub.cfg.Failed(p.Session, err)
		}
	}()
}

const sigKill = 9

// Wait waits for the end of the process. When ctx ends before, the process is ended: a client
// that went away does not want it any more.
func (p *Process) Wait(ctx context.Context) error {
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		p.Interrupt()
		return fault.New(fault.Canceled, "", "cannot wait for process %s: %w", p.ID, context.Cause(ctx))
	}
}

// Occupy has the session of the process not be idle until free is called, for who follows it.
func (p *Process) Occupy() (free func(), err error) { return p.hub.occupy(p.owner) }
