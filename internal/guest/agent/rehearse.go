package agent

import (
	"time"

	"praxis/internal/guest/wire"
)

// rehearse has a kernel go the way of an execution, so that the memory of a restored guest
// that executions touch is there before the first one comes. It is no execution: it has no
// name and no number, and what programs print meanwhile is the next one's.
func (s *server) rehearse(req *request, args wire.Context) error {
	k, err := s.kernelOf(args.Context)
	if err != nil {
		return err
	}
	s.mu.Lock()
	used, seeded := s.counter > 0, s.cfg.Deterministic
	s.mu.Unlock()
	switch {
	case used:
		return failf("conflict", "", "cannot rehearse: code was executed in the session")
	case seeded: // what it computes follows from what was computed before
		return failf("conflict", "", "cannot rehearse: the session has a seed")
	}
	e := newExecution(wire.Execute{}, 0, wholeFiles{})
	e.rehearsal = true
	if err := e.follow(req, 0); err != nil {
		return err
	}
	if err := k.rehearse(e); err != nil {
		return err
	}
	s.guard.nudge()
	return nil
}

// rehearse begins a rehearsal.
func (k *kernel) rehearse(e *execution) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closing || k.cur != nil || !k.live() {
		return failf("conflict", "Ask again when it is idle.", "cannot rehearse: context %s is busy", k.name)
	}
	k.cur = e
	e.began = time.Now()
	k.in.id++
	k.in.send(map[string]any{"op": "rehearse", "id": k.in.id})
	k.wakeIfStuck()
	return nil
}
