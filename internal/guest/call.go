package guest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"

	"praxis/fault"
	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

// errLost says that the stream was reopened: the guest has forgotten the request.
var errLost = errors.New("the stream was reopened")

// call is one open request. The reader of the stream pushes frames, the caller
// takes them; the window bounds what lies between.
type call struct {
	c         *Client
	id        uint32
	epoch     uint64        // in which it was opened
	wake      chan struct{} // something for next
	space     chan struct{} // something for send
	wrote     time.Time     // when its request was written
	left      time.Duration // how much longer the guest may let its caller wait
	abandoned bool          // guarded by c.mu

	mu      sync.Mutex
	queue   []wire.Frame
	units   int       // of queue
	used    int       // units taken and not yet credited
	flying  int       // units of data sent and not credited by the guest
	ended   bool      // the guest sent its end
	dropped bool      // nobody takes frames any more
	closed  bool      // by the guest
	came    time.Time // when the frame that closed it was read
	lost    bool
}

// newCall makes a call of the epoch that is open. The caller holds c.mu.
func newCall(c *Client, id uint32) *call {
	return &call{c: c, id: id, epoch: c.live, left: c.waits.Answer, wake: make(chan struct{}, 1), space: make(chan struct{}, 1)}
}

// write writes a frame of the call's, or returns errQuiet.
func (k *call) write(ctx context.Context, kind wire.Kind, body ...[]byte) error {
	return k.c.write(ctx, k, kind, k.id, body...)
}

// take queues a frame that costs units.
func (k *call) take(f wire.Frame) error {
	k.mu.Lock()
	if k.dropped || k.lost {
		k.mu.Unlock()
		return nil
	}
	if f.Kind == wire.End {
		if k.ended || len(f.Body) != 0 {
			k.mu.Unlock()
			return violation("a second end, or one with a body")
		}
		k.ended = true
	} else {
		if k.ended && f.Kind == wire.Data {
			k.mu.Unlock()
			return violation("data after the end")
		}
		k.units += wire.Cost(len(f.Body))
	}
	over := k.units > wire.MaxInFlight
	if !over {
		f.Body = append([]byte(nil), f.Body...)
		k.queue = append(k.queue, f)
	}
	k.mu.Unlock()
	if over {
		return violation("more than the window of a request")
	}
	ring(k.wake)
	return nil
}

// push queues the frame that closes the request.
func (k *call) push(f wire.Frame) {
	f.Body = append([]byte(nil), f.Body...)
	k.mu.Lock()
	k.queue = append(k.queue, f)
	k.closed, k.came = true, time.Now()
	k.mu.Unlock()
	ring(k.wake)
	ring(k.space)
}

func (k *call) lose() {
	k.mu.Lock()
	k.lost = true
	k.mu.Unlock()
	ring(k.wake)
	ring(k.space)
}

func ring(signal chan struct{}) {
	select {
	case signal <- struct{}{}:
	default:
	}
}

func (k *call) credited(n int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.flying -= n; k.flying < 0 {
		return violation("credit for more than was sent")
	}
	ring(k.space)
	return nil
}

// next waits for the guest's next frame. It gives credit for what was taken
// before. After ctx is done it returns a cancellation; the request stays open.
func (k *call) next(ctx context.Context, what string) (wire.Frame, error) {
	for {
		if ctx.Err() != nil { // looked at first: a flood of frames must not hide it
			return wire.Frame{}, canceled(ctx, what)
		}
		k.mu.Lock()
		if len(k.queue) > 0 {
			f := k.queue[0]
			k.queue[0], k.queue = wire.Frame{}, k.queue[1:]
			credit := 0
			switch f.Kind {
			case wire.Data, wire.Event, wire.Output, wire.Part:
				n := wire.Cost(len(f.Body))
				k.units -= n
				if k.used += n; k.used >= wire.Window/2 {
					credit, k.used = k.used, 0
				}
			}
			k.mu.Unlock()
			if credit > 0 {
				// Not ctx: the frame is taken and must not be lost. If writing
				// fails, the stream is over or the request lost, as next will see.
				_ = k.write(context.Background(), wire.Credit, wire.AppendCredit(nil, uint32(credit)))
			}
			return f, nil
		}
		lost := k.lost
		k.mu.Unlock()
		if lost {
			return wire.Frame{}, errLost
		}
		select {
		case <-k.wake:
		case <-k.c.done:
			if f, ok := k.last(); ok {
				return f, nil
			}
			return wire.Frame{}, k.c.broken(what)
		case <-ctx.Done():
			return wire.Frame{}, canceled(ctx, what)
		}
	}
}

// soon does one step of a request that the guest has to get on with: a wait for it,
// which moves n bytes. A guest that takes too long in all its waits is ended.
func (k *call) soon(ctx context.Context, what string, step func(ctx context.Context) (n int, err error)) error {
	began := time.Now()
	bounded, cancel := context.WithTimeoutCause(ctx, k.left, ErrSilent)
	defer cancel()
	n, err := step(bounded)
	if err != nil && errors.Is(context.Cause(bounded), ErrSilent) && fault.KindOf(err) == fault.Canceled {
		return k.c.reject(what, fmt.Errorf("%w: it did not get on with a request for %s", ErrSilent, k.c.waits.Answer))
	}
	k.left = min(k.left-time.Since(began)+time.Duration(n)*time.Second/slowest, k.c.waits.Answer)
	return err
}

// nextSoon is next for what the guest has to get on with.
func (k *call) nextSoon(ctx context.Context, what string) (f wire.Frame, err error) {
	err = k.soon(ctx, what, func(ctx context.Context) (int, error) {
		f, err = k.next(ctx, what)
		return len(f.Body), err
	})
	return f, err
}

// last takes a frame that came before the stream was over.
func (k *call) last() (wire.Frame, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.queue) == 0 {
		return wire.Frame{}, false
	}
	f := k.queue[0]
	k.queue = k.queue[1:]
	return f, true
}

// response waits for a response to a request that brings nothing else.
func (k *call) response(ctx context.Context, what string) ([]byte, error) {
	f, err := k.nextSoon(ctx, what)
	if errors.Is(err, errLost) {
		return nil, lostFault(what)
	}
	if err != nil {
		k.abandon()
		return nil, err
	}
	switch f.Kind {
	case wire.Response:
		return f.Body, nil
	case wire.Failure:
		return nil, k.c.failure(what, f.Body)
	}
	return nil, k.c.reject(what, violation("%s where a response was due", f.Kind))
}

func lostFault(what string) error {
	return fault.New(fault.Unavailable, "Try again.", "cannot %s: %w", what, errLost)
}

// abandon gives the request up: the guest gets a cancel frame, and what it still sends is dropped.
func (k *call) abandon() {
	k.mu.Lock()
	k.dropped, k.queue = true, nil
	lost := k.lost
	k.mu.Unlock()
	c := k.c
	c.mu.Lock()
	open := c.calls[k.id] == k && !k.abandoned && !lost
	if open {
		k.abandoned = true
		c.abandoned++
	}
	many := c.abandoned > maxAbandoned
	c.mu.Unlock()
	if many {
		c.fail(violation("it closes no request that was given up"))
	}
	if open {
		// Best effort: a quiet stream forgets the request anyway.
		_ = k.write(context.Background(), wire.Cancel)
	}
}

// send sends data of the request's stream and waits while its window is shut.
// It returns io.ErrClosedPipe when the guest has closed the request.
func (k *call) send(ctx context.Context, what string, b []byte) error {
	return k.sendAs(ctx, what, wire.Data, b)
}

// sendAs is send for frames of another kind that take from the window.
func (k *call) sendAs(ctx context.Context, what string, kind wire.Kind, b []byte) error {
	for {
		k.mu.Lock()
		closed, lost := k.closed, k.lost
		space := k.flying < wire.Window
		if space && !closed && !lost {
			k.flying += wire.Cost(len(b))
		}
		k.mu.Unlock()
		switch {
		case lost:
			return errLost
		case closed:
			return io.ErrClosedPipe
		case space:
			return k.write(ctx, kind, b)
		}
		select {
		case <-k.space:
		case <-k.c.done:
			return k.c.broken(what)
		case <-ctx.Done():
			return canceled(ctx, what)
		}
	}
}

// failure turns a failure frame into the fault that it names.
func (c *Client) failure(what string, body []byte) error {
	var f wire.Fault
	if len(body) > 2*wire.MaxText || json.Unmarshal(body, &f) != nil {
		return c.reject(what, violation("a failure that cannot be read"))
	}
	if kind := fault.KindNamed(f.Kind); kind != 0 {
		return fault.New(kind, line(f.Remedy, maxMessage), "%s", line(f.Message, maxMessage))
	}
	return c.reject(what, violation("a failure of a kind that does not exist"))
}

// maxMessage bounds messages of the guest's that go into errors, in bytes.
const maxMessage = 4 << 10

// line makes a text of the guest's fit for an error or a screen: valid,
// bounded, and without control characters.
func line(s string, n int) string {
	return safetext.Clip(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")), n)
}
