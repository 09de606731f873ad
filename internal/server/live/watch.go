package live

import (
	"context"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
)

// Watch is a watch of files that goes on. Its log has a change for each entry.
type Watch struct {
	Log *Log
	*task
}

// Watch begins to watch a file, or what is in a folder. It returns once changes are seen. As
// long as it goes on its session is not idle; it ends when the session is paused or deleted.
func (h *Hub) Watch(ctx context.Context, id, path string, recursive bool) (*Watch, error) {
	e, err := h.find(id)
	if err != nil {
		return nil, err
	}
	free, err := h.occupy(e)
	if err != nil {
		return nil, err
	}
	going, t := newTask(ctx)
	w := &Watch{Log: newLog(), task: t} // it is there for as long as its client reads
	w.Log.most = maxOutput
	seen := make(chan struct{})
	go func() {
		defer free()
		defer t.cancel()
		first := true
		t.err = h.lend(going, e, func(s *app.Session) error {
			err := s.WatchFiles(going, path, recursive, func(c app.FileChange) {
				w.Log.note("changed", c)
				if first {
					first = false
					close(seen)
				}
			})
			h.mu.Lock()
			defer h.mu.Unlock()
			if err != nil && e.s != s {
				err = fault.New(fault.Unavailable, "Watch again: the session is opened for it.", "the session was paused, or ended")
			}
			return err
		})
		w.Log.end()
		close(t.done)
	}()
	select {
	case <-seen:
		return w, nil
	case <-t.done:
		return nil, t.err
	case <-ctx.Done():
		t.Interrupt()
		<-t.done
		return nil, context.Cause(ctx)
	}
}

// lend opens a session and lends it to f without keeping who pauses it waiting.
func (h *Hub) lend(ctx context.Context, e *session, f func(*app.Session) error) error {
	var opened *app.Session
	if err := h.use(ctx, e, event.Discard, func(s *app.Session) error { opened = s; return nil }); err != nil {
		return err
	}
	return f(opened)
}

// Err returns why the watch ended, nil when it was given up.
func (w *Watch) Err() error { return w.err }
