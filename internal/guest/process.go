package guest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/guest/wire"
)

// Process is a program that runs in the session. It goes on until it ends or
// is signaled, also through checkpoints; the client follows it.
type Process struct {
	c    *Client
	name string
	sink event.Sink
	done chan struct{}
	pid  int
	fed  bool // it has a standard input, or a terminal

	// Written by follow before done is closed.
	exit wire.Exit
	err  error

	writing sync.Mutex // one Write at a time
	mu      sync.Mutex
	unwrite func() // ends the Write that goes on; nil while none does
	k       *call
	moved   chan struct{} // closed when k is another
	shut    bool          // standard input was closed
	leaves  bool          // it is not followed any more when the stream is reopened
}

// Start starts a program as the session's user. What it writes goes to sink,
// from a goroutine of the process's own; a sink that blocks slows the program.
func (c *Client) Start(ctx context.Context, args wire.Process, sink event.Sink) (*Process, error) {
	const what = "start process"
	if len(args.Argv) == 0 {
		return nil, fault.New(fault.Invalid, "", "cannot start process: no arguments")
	}
	if args.Proc == "" {
		args.Proc = newName()
	}
	if sink == nil {
		sink = event.Discard
	}
	// A checkpoint waits until the program runs.
	end, err := c.begin(ctx, what, true)
	if err != nil {
		return nil, err
	}
	defer end()
	k, err := c.openWhole(ctx, what, wire.OpStart, args)
	if err != nil {
		return nil, err
	}
	return c.followed(ctx, what, k, args.Proc, args.Stdin || args.Terminal != nil, sink)
}

// Connect follows a process that the guest has already, as after a restore: see
// [Client.Processes]. What it wrote before does not come again.
func (c *Client) Connect(ctx context.Context, info wire.ProcessInfo, sink event.Sink) (*Process, error) {
	const what = "follow process"
	end, err := c.begin(ctx, what, true)
	if err != nil {
		return nil, err
	}
	defer end()
	k, err := c.openWhole(ctx, what, wire.OpConnect, wire.Connect{Proc: info.Proc})
	if err != nil {
		return nil, err
	}
	return c.followed(ctx, what, k, info.Proc, info.Stdin, sink)
}

// followed makes the process of a request that starts or follows it.
func (c *Client) followed(ctx context.Context, what string, k *call, name string, fed bool, sink event.Sink) (*Process, error) {
	f, err := k.frame(ctx, what)
	if err != nil {
		return nil, err
	}
	pid, err := started(f)
	if err != nil {
		return nil, c.reject(what, err)
	}
	p := &Process{c: c, name: name, sink: sink, done: make(chan struct{}), pid: pid, fed: fed, k: k, moved: make(chan struct{})}
	c.mu.Lock()
	gone := c.err != nil // Close may be waiting already
	if !gone {
		c.wg.Add(1)
	}
	c.mu.Unlock()
	if gone {
		return nil, c.broken(what)
	}
	go p.follow()
	return p, nil
}

func started(f wire.Frame) (int, error) {
	var s wire.Started
	if f.Kind != wire.Event || json.Unmarshal(f.Body, &s) != nil || s.PID <= 0 {
		return 0, violation("a process that does not say what it is")
	}
	return s.PID, nil
}

// PID is the process's number inside the sandbox.
func (p *Process) PID() int { return p.pid }

// Name is the process's name in the guest.
func (p *Process) Name() string { return p.name }

// follow takes what the process writes until its end.
func (p *Process) follow() {
	defer p.c.wg.Done()
	defer close(p.done)
	const what = "follow process"
	// Only the end of the process or of the stream ends this: both are seen by next.
	ctx := context.Background()
	seq := uint64(0)
	k := p.k
	for {
		f, err := k.next(ctx, what)
		if errors.Is(err, errLost) && !p.isLeft() {
			if k, err = p.reconnect(ctx, what, seq); err == nil {
				continue
			}
		}
		switch {
		case err != nil:
		case f.Kind == wire.Output:
			if seq, err = p.show(seq, f.Body); err == nil {
				continue
			}
			err = p.c.reject(what, err)
		case f.Kind == wire.Response:
			if json.Unmarshal(f.Body, &p.exit) != nil || p.exit.Signal < 0 || p.exit.Signal > 64 || p.exit.Code < -1 || p.exit.Code > 255 {
				err = p.c.reject(what, violation("an end of a process that cannot be"))
			}
			p.exit.Reason = line(p.exit.Reason, maxMessage)
		case f.Kind == wire.Failure:
			err = p.c.failure(what, f.Body)
		default:
			err = p.c.reject(what, violation("%s for a process", f.Kind))
		}
		p.err = err
		return
	}
}

func (p *Process) show(seq uint64, body []byte) (uint64, error) {
	got, stream, data, err := wire.ParseOutput(body)
	if err != nil {
		return seq, violation("%v", err)
	}
	if got != seq+1 || len(data) == 0 {
		return seq, violation("output %d after output %d", got, seq)
	}
	p.sink.Emit(event.Output{Stream: event.Stream(stream), Data: data})
	return got, nil
}

// reconnect follows the process on a stream that was reopened.
func (p *Process) reconnect(ctx context.Context, what string, seq uint64) (*call, error) {
	k, err := p.c.openSoon(ctx, what, wire.OpConnect, wire.Connect{Proc: p.name, After: seq})
	if err != nil {
		return nil, err
	}
	f, err := k.next(ctx, what)
	switch {
	case errors.Is(err, errLost):
		return p.reconnect(ctx, what, seq)
	case err != nil:
		return nil, err
	case f.Kind == wire.Failure:
		return nil, p.c.failure(what, f.Body)
	}
	if pid, err := started(f); err != nil || pid != p.pid {
		return nil, p.c.reject(what, violation("a process that became another"))
	}
	p.mu.Lock()
	p.k = k
	close(p.moved)
	p.moved = make(chan struct{})
	shut := p.shut
	p.mu.Unlock()
	if shut { // the end may have been lost with the old stream; twice is no harm
		err = k.write(ctx, wire.End)
		if errors.Is(err, errQuiet) {
			err = nil // the stream is reopened once more
		}
	}
	return k, err
}

// Leave has the process not be followed any more when the stream is reopened: what it does
// after a checkpoint that it goes on from elsewhere does not come twice. Wait then returns an
// error.
func (p *Process) Leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leaves = true
}

func (p *Process) isLeft() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.leaves
}

// Done is closed when the process has ended, or is not followed any more.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait returns how the process ended.
func (p *Process) Wait(ctx context.Context) (wire.Exit, error) {
	select {
	case <-p.done:
		return p.exit, p.err
	default:
	}
	select {
	case <-p.done:
		return p.exit, p.err
	case <-ctx.Done():
		return wire.Exit{}, canceled(ctx, "wait for process")
	}
}

// Signal sends a signal, by its number, to the process and its group.
func (p *Process) Signal(ctx context.Context, signal int) error {
	_, err := roundTrip[struct{}](ctx, p.c, "signal process", wire.OpSignal, wire.Signal{Proc: p.name, Signal: signal})
	return err
}

// Stdin returns the process's standard input. Only a process that was started
// with Stdin has one; another's refuses what is written.
func (p *Process) Stdin() io.WriteCloser { return (*stdin)(p) }

type stdin Process

// Write sends b to the process. It waits while the process does not read, until Close.
func (s *stdin) Write(b []byte) (int, error) { return (*Process)(s).Input(context.Background(), b) }

// Input sends b to the process's standard input, or types it at its terminal. It waits
// while the process does not read, until the input is closed or ctx is over.
func (p *Process) Input(ctx context.Context, b []byte) (int, error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p.mu.Lock()
	shut := p.shut
	p.unwrite = func() { cancel(io.ErrClosedPipe) }
	p.mu.Unlock()
	if shut {
		return 0, io.ErrClosedPipe
	}
	n := 0
	for len(b) > 0 {
		piece := b[:min(len(b), wire.Chunk)]
		if err := p.send(ctx, func(k *call) error { return k.send(ctx, "write to process", piece) }); err != nil {
			return n, err
		}
		n, b = n+len(piece), b[len(piece):]
	}
	return n, nil
}

// Close ends the process's standard input, and a Write that waits for the process.
func (s *stdin) Close() error {
	s.mu.Lock()
	twice := s.shut
	s.shut = true
	if s.unwrite != nil {
		s.unwrite()
	}
	s.mu.Unlock()
	s.writing.Lock()
	defer s.writing.Unlock()
	if twice {
		return nil
	}
	err := (*Process)(s).send(context.Background(), func(k *call) error { return k.write(context.Background(), wire.End) })
	if errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}

// send does something with the process's request; when the stream is reopened
// meanwhile, again with the new one.
func (p *Process) send(ctx context.Context, f func(*call) error) error {
	for {
		if !p.fed {
			return io.ErrClosedPipe
		}
		p.mu.Lock()
		k, moved := p.k, p.moved
		p.mu.Unlock()
		select {
		case <-p.done:
			return io.ErrClosedPipe
		default:
		}
		err := f(k)
		if !errors.Is(err, errLost) && !errors.Is(err, errQuiet) {
			return err
		}
		select {
		case <-moved:
		case <-p.done:
			return io.ErrClosedPipe
		case <-ctx.Done():
			return canceled(ctx, "write to process")
		}
	}
}

// Resize gives the process's terminal another size.
func (p *Process) Resize(ctx context.Context, size wire.Size) error {
	_, err := roundTrip[struct{}](ctx, p.c, "resize terminal", wire.OpResize, wire.Resize{Proc: p.name, Size: size})
	return err
}

// Processes lists those that the guest has: those that run, and those whose end it has
// reported to nobody. What it says of them cannot be trusted.
func (c *Client) Processes(ctx context.Context) ([]wire.ProcessInfo, error) {
	const what = "list processes"
	out, err := roundTrip[wire.Processes](ctx, c, what, wire.OpProcesses, nil)
	if err != nil {
		return nil, err
	}
	if len(out.Processes) > wire.MaxProcesses {
		return nil, c.reject(what, violation("a list of too many processes"))
	}
	for _, p := range out.Processes {
		size := 0
		for _, a := range p.Argv {
			size += len(a) + 1
		}
		if !wire.ValidName(p.Proc) || p.PID <= 0 || size > wire.MaxArgv+len(p.Argv) || len(p.Argv) > wire.MaxArgv || len(p.Cwd) > wire.MaxPath {
			return nil, c.reject(what, violation("a process that cannot be"))
		}
	}
	return out.Processes, nil
}
