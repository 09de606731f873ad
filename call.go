package praxis

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"sync/atomic"

	"praxis/event"
	"praxis/fault"
)

// Call is work that was described and is done once: when Events is ranged over
// or Result is called, whichever comes first. It is safe for concurrent use.
type Call[T any] struct {
	do func(ctx context.Context, sink event.Sink) (T, error)

	begun  atomic.Bool
	ended  chan struct{} // closed when result and err are there
	result T
	err    error
}

func newCall[T any](do func(context.Context, event.Sink) (T, error)) *Call[T] {
	return &Call[T]{do: do, ended: make(chan struct{})}
}

// queued is how many events may wait for the loop that ranges over them. A loop
// that is slower slows the work.
const queued = 1024

// Events does the work and yields what happens in it, in order. Leaving the loop
// early stops the work as the end of ctx does. It yields nothing when the work
// was begun before.
func (c *Call[T]) Events(ctx context.Context) iter.Seq[event.Event] {
	return func(yield func(event.Event) bool) {
		if c.begun.CompareAndSwap(false, true) {
			c.stream(ctx, yield)
		}
	}
}

// Result does the work, unless it was done, and returns what came of it. Its
// events are dropped. While the work is under way it waits for it, or until ctx is
// over: never call it in the body of the loop over Events, which would wait for
// itself.
func (c *Call[T]) Result(ctx context.Context) (T, error) {
	if c.begun.CompareAndSwap(false, true) {
		defer close(c.ended)
		c.err = errPanicked // for others that wait, should it panic
		c.result, c.err = c.do(ctx, event.Discard)
		return c.result, c.err
	}
	select {
	case <-c.ended:
		return c.result, c.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// errPanicked is what others learn of work that panicked in the goroutine that did it.
var errPanicked = errors.New("the work panicked")

// errLeft is the cause that stops work whose events nobody takes any more.
var errLeft = fault.New(fault.Canceled, "Range over all of the events to have it finished.", "the work was stopped: the loop over its events was left")

// stream does the work beside the loop, which runs in this goroutine.
func (c *Call[T]) stream(ctx context.Context, yield func(event.Event) bool) {
	ctx, stop := context.WithCancelCause(ctx)
	events, left := make(chan event.Event, queued), make(chan struct{})
	go func() {
		defer close(c.ended)
		defer close(events)
		c.result, c.err = c.do(ctx, event.SinkFunc(func(e event.Event) {
			if o, ok := e.(event.Output); ok {
				o.Data = bytes.Clone(o.Data) // the sender uses its bytes again
				e = o
			}
			select {
			case events <- e:
			case <-left:
			}
		}))
	}()
	defer func() { // also when the loop's body panics
		stop(errLeft)
		close(left)
		<-c.ended
	}()
	for e := range events {
		if !yield(e) {
			return
		}
	}
}
