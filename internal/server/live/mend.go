package live

import (
	"context"
	"errors"

	"praxis/fault"
)

// mend sees to it that the sandbox of a session lives. One that died while no code was executed
// is reported to whoever calls next, since what it did last is gone; the call after that has
// what it went back to. Its turn is held.
func (h *Hub) mend(ctx context.Context, e *session) error {
	h.heal(ctx, e)
	h.mu.Lock()
	note := e.note
	e.note = ""
	h.mu.Unlock()
	if note == "" {
		return nil
	}
	return fault.New(fault.Unavailable, "Look at what is there, and call again.", "cannot use session %s: %s", e.id, note)
}

// heal replaces the sandbox of a session if it has died, and notes that for who calls next. Its
// turn is held.
func (h *Hub) heal(ctx context.Context, e *session) {
	if e.s == nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	h.mu.Lock()
	reports := e.execs.going() > 0 // the result of the code says it
	gone := e.gone
	h.mu.Unlock()
	if gone { // who deletes it has ended the sandbox, and closes it
		return
	}
	note, err := e.s.Mend(ctx)
	if err != nil {
		s := e.s
		h.set(e, nil)
		note = "it ended by itself, and goes on from what was saved last, if anything was: " + fault.Of(err).Message
		h.loseProcesses(e, "the sandbox ended, and the process with it")
		err = errors.Join(err, s.Close())
	}
	if note == "" {
		return
	}
	if err == nil {
		err = errors.New(note)
		h.findProcesses(ctx, e, e.s)
	}
	h.cfg.Failed(e.id, err)
	if reports {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	e.note = note
}

// notice looks whether a session has ended by itself. One whose turn another has is looked at
// by that one.
func (h *Hub) notice(ctx context.Context, e *session) {
	select {
	case e.turn <- struct{}{}:
	default:
		return
	}
	defer e.give()
	h.heal(ctx, e)
}
