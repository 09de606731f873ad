package app

import (
	"context"

	"praxis/event"
)

// soon is a session that is opened while the record of its run is begun, which mostly
// waits for the disk. Until the run is recorded no guest goes on, and nothing is made or
// waited for of which there would be something to say: what cannot be recorded is not done.
type soon struct {
	begun chan struct{} // closed once the run is recorded
	stop  context.CancelCauseFunc
	done  chan struct{} // closed when s and err are there
	s     *Session
	err   error
	taken bool
}

// openSoon begins to open the session that a spec names. It must be dropped in the end.
func (a *App) openSoon(ctx context.Context, spec SessionSpec, sink event.Sink) *soon {
	o := &soon{begun: make(chan struct{}), done: make(chan struct{})}
	ctx, o.stop = context.WithCancelCause(ctx)
	telling := event.SinkFunc(func(e event.Event) {
		if o.recorded(ctx) == nil {
			sink.Emit(e)
		}
	})
	go func() { // drop waits for it
		defer close(o.done)
		o.s, o.err = a.openSession(ctx, spec, o.recorded, telling)
	}()
	return o
}

// recorded waits until the run is recorded.
func (o *soon) recorded(ctx context.Context) error {
	select {
	case <-o.begun:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// take returns the session of a run that is recorded. The caller closes it.
func (o *soon) take(ctx context.Context) (*Session, error) {
	o.taken = true
	close(o.begun)
	defer context.AfterFunc(ctx, func() { o.stop(context.Cause(ctx)) })()
	<-o.done
	return o.s, o.err
}

// drop ends a session that nobody took.
func (o *soon) drop() error {
	o.stop(nil)
	<-o.done
	if o.taken || o.s == nil {
		return nil
	}
	return o.s.Close()
}
