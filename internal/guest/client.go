// Package guest is the host's side of what runs inside a sandbox. A [Client]
// speaks package wire with the agent over the sandbox's stream.
//
// The guest is hostile, and so is every byte that it sends: whatever does not
// follow the protocol ends the stream with an error, numbers are checked before
// they are used, and no queue grows beyond what the window of a request allows.
//
// # Life of a stream
//
//	c := guest.New(sandbox.Stream())
//	err := c.Hello(ctx, wire.Hello{})          // at boot, after a checkpoint, after a restore
//	err = c.Setup(ctx, wire.Setup{…})
//	x, err := c.Execute(ctx, wire.Execute{Code: "1+1"}, sink)
//	err = c.Quiesce(ctx)                       // then take the checkpoint, then Hello again
//
// Executions, processes and watches that go on at a Quiesce are followed again
// after the Hello, without the caller noticing. So are calls of tools: what
// code inside requests, after [Client.Expose], a [Host] answers.
package guest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/guest/wire"
)

// Patience is how long a guest is waited for. Zero values mean the defaults.
type Patience struct {
	// Answer bounds the waits for one request together, as long as nothing comes of
	// it: what the guest sends, or takes, makes up for the time at slowest. Default: 10
	// minutes, since importing large packages is one request.
	Answer time.Duration
	// Read is how long the guest may take to read a frame; one that takes longer reads
	// no more. Default: 30 seconds, because the machine may be busy.
	Read time.Duration
	// Stop is how long an execution that was interrupted may take to end: the agent's
	// escalation is over after 10 seconds, then it looks for changed files. Default: 1 minute.
	Stop time.Duration
}

// slowest is how many bytes a second a guest has to move to get on with a request.
const slowest = 16 << 10

// maxAbandoned bounds requests that were given up and that the guest has not closed.
const maxAbandoned = 1024

// phase is what may be written to the stream.
type phase uint8

const (
	unopened  phase = iota // no hello yet
	opened                 // everything
	quiescing              // what goes on may go on, nothing new begins
	quiet                  // a hello only
)

var errClosed = errors.New("the client was closed")

// Client is the host's end of a guest's stream. Its methods are safe for
// concurrent use. Sinks and callbacks are called from the method that was given
// them; one that blocks slows its own request only.
type Client struct {
	stream  io.ReadWriteCloser
	waits   Patience
	writing chan struct{} // held to write; a channel, so that waiting can be given up
	wbuf    []byte
	done    chan struct{}
	wg      sync.WaitGroup

	mu        sync.Mutex
	err       error
	phase     phase
	ready     chan struct{} // closed while the phase is opened
	idle      chan struct{} // not nil while a Quiesce waits for busy to be 0
	busy      int           // requests that a checkpoint must not cut in two
	epoch     uint64        // that was asked for last
	live      uint64        // that is open, or was until the stream became quiet
	awaiting  chan struct{} // closed by the answer to a hello; nil when none is awaited
	lastID    uint32
	calls     map[uint32]*call
	abandoned int
	workdir   string // where executions change files
	requests  guestRequests
}

// New makes a client of a sandbox's stream, which belongs to the client from
// then on. Closing the stream must end a Write that waits. Hello comes first.
func New(stream io.ReadWriteCloser, waits Patience) *Client {
	waits.Answer, waits.Read, waits.Stop = cmp.Or(waits.Answer, 10*time.Minute), cmp.Or(waits.Read, 30*time.Second), cmp.Or(waits.Stop, time.Minute)
	c := &Client{
		stream: stream, waits: waits, writing: make(chan struct{}, 1), done: make(chan struct{}),
		ready: make(chan struct{}), calls: map[uint32]*call{}, workdir: wire.DefaultWorkdir,
		requests: guestRequests{open: map[uint32]*guestRequest{}, named: map[string]*guestRequest{}},
	}
	c.wg.Add(1)
	go c.read()
	return c
}

// Done is closed when the stream is over; Err says why.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err returns why the stream is over, or nil while it is not.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Stop ends what goes on, without waiting for it.
func (c *Client) Stop() { c.fail(errClosed) }

// Close ends the stream and waits for everything that the client started. Whoever
// reads what the guest writes waits for its end: the sandbox is killed first.
func (c *Client) Close() error {
	c.Stop()
	c.wg.Wait()
	return nil
}

// fail ends the stream. The first reason stays.
func (c *Client) fail(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	close(c.done)
	c.mu.Unlock()
	_ = c.stream.Close()
	c.cancelRequests()
}

// broken is the error of a request that the end of the stream cut off.
func (c *Client) broken(what string) error {
	return fault.New(fault.Unavailable, "Open the session again from its last snapshot.", "cannot %s: the guest is gone: %w", what, c.Err())
}

// Hello opens a fresh stream: at boot, after a checkpoint and after a restore.
// Version is filled in, and Epoch and NowUnixNS too when they are 0.
func (c *Client) Hello(ctx context.Context, h wire.Hello) error {
	h.Version = wire.Version
	if h.Epoch == 0 {
		h.Epoch = newEpoch()
	}
	if h.NowUnixNS == 0 {
		h.NowUnixNS = time.Now().UnixNano()
	}
	if len(h.Reseed) > 128 {
		return fault.New(fault.Invalid, "", "cannot open guest: reseed has more than 128 digits")
	}
	body, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("cannot open guest: %w", err)
	}
	answer := make(chan struct{})
	c.mu.Lock()
	c.epoch, c.awaiting = h.Epoch, answer
	if c.phase != unopened {
		c.toPhase(quiet)
	}
	c.mu.Unlock()
	if err := c.write(ctx, nil, wire.HelloKind, 0, body); err != nil {
		return err
	}
	select {
	case <-answer:
		return nil
	case <-ctx.Done():
		return canceled(ctx, "open guest")
	case <-c.done:
		return c.broken("open guest")
	}
}

func newEpoch() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.BigEndian.Uint64(b[:])>>12 | 1
}

// toPhase changes the phase. The caller holds mu.
func (c *Client) toPhase(p phase) {
	if c.phase == opened && p != opened {
		c.ready = make(chan struct{})
	}
	if c.phase != opened && p == opened {
		close(c.ready)
	}
	c.phase = p
}

// Quiesce makes the guest silent for a checkpoint. It waits until no file
// request is half done and lets nothing new begin; executions, processes and
// watches go on. Whatever it returns, call Hello to go on; only after a
// cancellation before the guest was asked is that not needed.
func (c *Client) Quiesce(ctx context.Context) error {
	c.mu.Lock()
	if c.phase != opened {
		c.mu.Unlock()
		return fault.New(fault.Conflict, "Say hello first.", "cannot quiesce guest: its stream is not open")
	}
	c.toPhase(quiescing)
	var idle chan struct{}
	if c.busy > 0 {
		idle = make(chan struct{})
		c.idle = idle
	}
	c.mu.Unlock()
	if idle != nil {
		select {
		case <-idle:
		case <-c.done:
			return c.broken("quiesce guest")
		case <-ctx.Done():
			c.mu.Lock()
			if c.idle == idle {
				c.idle = nil
			}
			if c.phase == quiescing { // else a hello came between
				c.toPhase(opened)
			}
			c.mu.Unlock()
			return canceled(ctx, "quiesce guest")
		}
	}
	k := c.register()
	if err := c.write(ctx, nil, wire.Request, k.id, []byte(`{"op":"`+wire.OpQuiesce+`"}`)); err != nil {
		return err
	}
	_, err := k.response(ctx, "quiesce guest")
	return err
}

// begin waits until the stream is open. A request that a checkpoint must not
// cut in two is counted until the function that begin returns is called.
func (c *Client) begin(ctx context.Context, what string, whole bool) (end func(), err error) {
	for {
		if ctx.Err() != nil {
			return nil, canceled(ctx, what)
		}
		c.mu.Lock()
		switch {
		case c.err != nil:
			c.mu.Unlock()
			return nil, c.broken(what)
		case c.phase == unopened:
			c.mu.Unlock()
			return nil, fault.New(fault.Conflict, "Say hello first.", "cannot %s: the guest's stream is not open", what)
		case c.phase == opened:
			if whole {
				c.busy++
			}
			c.mu.Unlock()
			return func() {
				if whole {
					c.settled()
				}
			}, nil
		}
		ready := c.ready
		c.mu.Unlock()
		select {
		case <-ready:
		case <-c.done:
		case <-ctx.Done():
			return nil, canceled(ctx, what)
		}
	}
}

func (c *Client) settled() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy--; c.busy == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// errQuiet says that nothing may be written now, or no more for this call.
var errQuiet = errors.New("the stream is quiet, or was reopened")

// write writes one frame for k. Numbers are used again in the next epoch, so
// what belongs to a call is written in its own epoch only. Without a call it is
// the last frame before a quiet phase, or the hello that ends one.
func (c *Client) write(ctx context.Context, k *call, kind wire.Kind, id uint32, body ...[]byte) error {
	select {
	case c.writing <- struct{}{}:
	case <-c.done:
		return c.broken("write to guest")
	case <-ctx.Done():
		return canceled(ctx, "write to guest")
	}
	defer func() { <-c.writing }()
	c.mu.Lock()
	may := k == nil || k.epoch == c.live && (c.phase == opened || c.phase == quiescing)
	if k == nil && kind == wire.Request {
		c.toPhase(quiet)
	}
	c.mu.Unlock()
	if !may {
		return errQuiet
	}
	buf, err := wire.Append(c.wbuf[:0], kind, id, body...)
	if err != nil {
		return fault.New(fault.Invalid, "Put the data in a file of the session.", "cannot send request: %w", err)
	}
	if c.wbuf = buf; cap(buf) > 4*wire.Chunk {
		c.wbuf = nil
	}
	watchdog := time.AfterFunc(c.waits.Read, func() { c.fail(fmt.Errorf("%w: it read nothing for %s", ErrSilent, c.waits.Read)) })
	_, err = c.stream.Write(buf)
	watchdog.Stop()
	if err != nil {
		c.fail(fmt.Errorf("%w: %w", ErrEnded, err))
		return c.broken("write to guest")
	}
	return nil
}

// read is the only reader of the stream. It never waits for anybody, so the
// guest can always be read.
func (c *Client) read() {
	defer c.wg.Done()
	r := wire.NewReader(c.stream)
	for {
		f, err := r.Next()
		if err == nil {
			err = c.take(f)
		}
		if err != nil {
			switch {
			case errors.Is(err, io.EOF):
				err = ErrEnded
			case errors.Is(err, wire.ErrFrame):
				err = fmt.Errorf("%w: %w", ErrProtocol, err)
			}
			c.fail(err)
			return
		}
	}
}

// What is in the chain of [Client.Err] when the stream is over because of the guest.
var (
	// ErrEnded says that the guest ended it, as the end of the guest does.
	ErrEnded = errors.New("the guest ended the stream")
	// ErrProtocol says that the guest did not keep to the protocol.
	ErrProtocol = errors.New("the guest broke the protocol")
	// ErrSilent says that the guest did not get on with a request, or read nothing.
	ErrSilent = errors.New("the guest gives no answer")
)

// violation is the error of a guest that does not keep to the protocol.
func violation(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrProtocol}, args...)...)
}

// take handles one frame of the guest's.
func (c *Client) take(f wire.Frame) error {
	if f.Kind == wire.HelloKind {
		return c.takeHello(f)
	}
	c.mu.Lock()
	awaiting := c.awaiting != nil || c.phase == unopened
	k := c.calls[f.ID]
	c.mu.Unlock()
	switch {
	case awaiting:
		return nil // of an older epoch, which is forgotten
	case f.ID&wire.GuestBit != 0:
		return c.takeRequest(f)
	case k == nil:
		return violation("%s for the request %d, which is not open", f.Kind, f.ID)
	}
	switch f.Kind {
	case wire.Response, wire.Failure:
		c.mu.Lock()
		delete(c.calls, f.ID)
		if k.abandoned {
			c.abandoned--
		}
		c.mu.Unlock()
		k.push(f)
		return nil
	case wire.Data, wire.Event, wire.Output, wire.Part, wire.End:
		return k.take(f)
	case wire.Credit:
		n, err := wire.ParseCredit(f.Body)
		if err != nil {
			return violation("%v", err)
		}
		return k.credited(n)
	}
	return violation("a frame of %s", f.Kind)
}

func (c *Client) takeHello(f wire.Frame) error {
	var h wire.Hello
	if f.ID != 0 || len(f.Body) > 1<<10 || json.Unmarshal(f.Body, &h) != nil {
		return violation("a hello that cannot be read")
	}
	if h.Version != wire.Version {
		return violation("it speaks version %d, not %d", h.Version, wire.Version)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.awaiting == nil {
		return violation("a hello that nobody asked for")
	}
	if h.Epoch != c.epoch {
		return nil // answers an older hello
	}
	close(c.awaiting)
	c.awaiting = nil
	for _, k := range c.calls {
		k.lose()
	}
	c.calls, c.abandoned, c.live = map[uint32]*call{}, 0, h.Epoch
	c.forgetRequests()
	c.toPhase(opened)
	return nil
}

// register makes a request's number.
func (c *Client) register() *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		c.lastID++
		c.lastID &^= wire.GuestBit // the guest's
		if _, taken := c.calls[c.lastID]; c.lastID != 0 && !taken {
			break
		}
	}
	k := newCall(c, c.lastID)
	c.calls[k.id] = k
	return k
}

// open sends a request.
func (c *Client) open(ctx context.Context, op string, args any) (*call, error) {
	body, err := request(op, args)
	if err != nil {
		return nil, err
	}
	k := c.register()
	k.wrote = time.Now()
	if err := k.write(ctx, wire.Request, body); err != nil {
		c.mu.Lock()
		if c.calls[k.id] == k {
			delete(c.calls, k.id)
		}
		c.mu.Unlock()
		return nil, err
	}
	return k, nil
}

// openWhole sends a request that begin counted. Only a Hello without a Quiesce
// can have made the stream quiet meanwhile.
func (c *Client) openWhole(ctx context.Context, what, op string, args any) (*call, error) {
	k, err := c.open(ctx, op, args)
	if errors.Is(err, errQuiet) {
		err = lostFault(what)
	}
	return k, err
}

// request writes {"op": op, …fields of args…}.
func request(op string, args any) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`{"op":"` + op + `"`)
	if args != nil {
		head := b.Len()
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(args); err != nil {
			return nil, fmt.Errorf("cannot send request: %w", err)
		}
		b.Truncate(b.Len() - 1) // the newline
		if b.Len() == head+2 {  // no fields
			b.Truncate(head)
		} else {
			b.Bytes()[head] = ','
			return b.Bytes(), nil
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// roundTrip sends a request that is answered by one response.
func roundTrip[R any](ctx context.Context, c *Client, what, op string, args any) (R, error) {
	var out R
	end, err := c.begin(ctx, what, true)
	if err != nil {
		return out, err
	}
	defer end()
	k, err := c.openWhole(ctx, what, op, args)
	if err != nil {
		return out, err
	}
	body, err := k.response(ctx, what)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(body, &out); err != nil {
		return out, c.reject(what, violation("a response to %s that cannot be read", op))
	}
	return out, nil
}

// reject ends the stream because of what the guest sent and returns the error
// for the caller.
func (c *Client) reject(what string, err error) error {
	c.fail(err)
	return c.broken(what)
}

func canceled(ctx context.Context, what string) error {
	return fault.New(fault.Canceled, "", "cannot %s: %w", what, context.Cause(ctx))
}

// Ping returns once the guest has answered.
func (c *Client) Ping(ctx context.Context) error {
	_, err := roundTrip[struct{}](ctx, c, "reach guest", wire.OpPing, nil)
	return err
}
