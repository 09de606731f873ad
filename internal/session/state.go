package session

import (
	"context"
	"errors"
	"os"
	"time"

	"praxis/fault"
	"praxis/internal/guest/wire"
)

// alone runs f with the live guest while no call is in the session.
func (s *Session) alone(ctx context.Context, f func(*live) error) error {
	var l *live
	if err := s.inGate(ctx, allCalls, func() error { l = s.guest; return nil }); err != nil {
		return err
	}
	defer s.gate.Release(allCalls)
	return f(l)
}

// freeze checkpoints l into a temporary folder, the snapshot's dir, and lets it
// go on. The caller holds the gate and owns the folder.
func (s *Session) freeze(ctx context.Context, l *live) (Snapshot, error) {
	s.mu.Lock()
	snap := Snapshot{Spec: s.base.Spec, Deterministic: s.base.Deterministic, Added: s.added}
	snap.Origin = s.base.ID
	if s.own {
		snap.Parent, snap.Origin = s.base.ID, s.base.Origin
	}
	s.mu.Unlock()
	snap.Spec.Limits = s.opt.Limits
	err := l.client.Quiesce(ctx)
	if err == nil {
		err = s.m.snapshots.capture(ctx, l.box, &snap)
	}
	// The original goes on whether or not it could be saved, with its own randomness.
	again, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.m.cfg.Patience.Wake)
	defer cancel()
	gone := l.client.Hello(again, wire.Hello{})
	if gone != nil {
		l.close() // it is quiet for good: the next call goes back to the last snapshot
	}
	if err = errors.Join(err, gone); err != nil && snap.dir != "" {
		err = errors.Join(err, os.RemoveAll(snap.dir))
	}
	return snap, err
}

// intact refuses a guest that lost variables while nothing ran, which nobody
// was reported yet: what is saved of it must not take the place of a whole state. It
// is asked once the state is taken, since a kernel may die until then.
func intact(ctx context.Context, l *live) error {
	contexts, err := l.client.Contexts(ctx)
	if err != nil {
		return err
	}
	for _, c := range contexts {
		if c.Lost != "" {
			return fault.Coded(fault.VariablesLost, fault.Data{"context": c.Name}, "cannot save session: context %s: %s", c.Name, c.Lost)
		}
	}
	return nil
}

// Snapshot saves the session's whole state, which goes on. It waits until no
// call is running; calls that come meanwhile wait until the state is written,
// not until it is on disk for good. A dead sandbox goes back to the newest
// snapshot. A state that lost its variables while nothing ran is not saved
// before an execution has said so.
func (s *Session) Snapshot(ctx context.Context) (Snapshot, error) {
	return s.snapshot(ctx, func() {})
}

// snapshot is Snapshot; taken is called when the state is taken and not yet on disk.
func (s *Session) snapshot(ctx context.Context, taken func()) (Snapshot, error) {
	var frozen Snapshot
	var nth int
	err := s.alone(ctx, func(l *live) (err error) {
		if frozen, err = s.freeze(ctx, l); err == nil {
			err = intact(ctx, l)
		}
		s.mu.Lock()
		nth = s.nextLocked()
		s.mu.Unlock()
		return err
	})
	if frozen.dir != "" {
		defer os.RemoveAll(frozen.dir)
	}
	if err != nil {
		return Snapshot{}, err
	}
	taken()
	snap, h, err := s.m.snapshots.publish(ctx, frozen, "")
	if err != nil {
		return Snapshot{}, err
	}
	s.keep(h)
	s.mu.Lock()
	defer s.mu.Unlock()
	if nth > s.since {
		s.rebaseLocked(snap, nth)
	}
	return snap, nil
}

// rebaseLocked makes snap what a dead sandbox goes back to. What that was before is
// packed. s.mu is held.
func (s *Session) rebaseLocked(snap Snapshot, nth int) {
	if s.own && s.base.ID != snap.ID {
		s.m.retire(false, s.base.ID)
	}
	s.base, s.own, s.since = snap, true, nth
}

// nextLocked numbers what a dead sandbox may go back to: the newest counts, and
// not what is published last. s.mu is held.
func (s *Session) nextLocked() int {
	s.states++
	return s.states
}

// Fork makes a new session from the state of this one; both go on
// independently, the child with randomness of its own.
func (s *Session) Fork(ctx context.Context) (*Session, error) {
	free, err := s.m.reserve()
	if err != nil {
		return nil, err
	}
	defer free()
	st := start{origin: Saved, began: time.Now()}
	// The child's sandbox is made while the state is written. It is restored from the
	// folder as it stands: naming it by its contents would hash all of it, and nobody
	// will ask for it again.
	var snap Snapshot
	s.mu.Lock()
	child := Snapshot{Spec: s.base.Spec, Deterministic: s.base.Deterministic}
	s.mu.Unlock()
	l, err := s.m.restoreLater(ctx, child, s.opt, func(ctx context.Context) (string, error) {
		err := s.alone(ctx, func(l *live) (err error) {
			snap, err = s.freeze(ctx, l)
			s.mu.Lock()
			st.base, st.own = s.base, s.own
			s.mu.Unlock()
			return err
		})
		return snap.state(), err
	})
	if snap.dir != "" {
		defer os.RemoveAll(snap.dir)
	}
	if err != nil {
		return nil, err
	}
	st.added = snap.Added
	st.hold, _ = holdFolder(st.base.dir) // that one is gone is reported when it is needed
	return s.m.adopt(l, s.opt, st)
}

// Rollback takes the session back to a snapshot of its own or of a relative.
func (s *Session) Rollback(ctx context.Context, id string) error {
	snap, h, err := s.m.snapshots.take(id)
	if err != nil {
		return err
	}
	err = s.alone(ctx, func(*live) error {
		if err := s.replace(ctx, snap); err != nil {
			return err
		}
		s.mu.Lock()
		s.rebaseLocked(snap, s.nextLocked())
		s.mu.Unlock()
		return nil
	})
	if err != nil {
		h.release()
		return err
	}
	s.keep(h)
	return nil
}

// Pause saves the session and frees its sandbox: no memory, no processes. Any
// later call resumes it.
func (s *Session) Pause(ctx context.Context) error {
	s.mu.Lock()
	paused := s.paused != nil
	s.mu.Unlock()
	if paused {
		return nil
	}
	return s.alone(ctx, func(l *live) error {
		snap, err := s.freeze(ctx, l)
		if err != nil {
			return err
		}
		s.mu.Lock()
		if s.closed != "" { // meanwhile: its guest is ended already
			defer s.mu.Unlock()
			return errors.Join(s.overLocked(), os.RemoveAll(snap.dir))
		}
		s.guest, s.paused = nil, &snap
		s.mu.Unlock()
		return l.close() // waits for whoever answers its code, who may ask after the session
	})
}

// Resume makes a paused session live again. It does nothing to a live one.
func (s *Session) Resume(ctx context.Context) error {
	if !s.isPaused() {
		return nil
	}
	if err := s.gate.Acquire(ctx, allCalls); err != nil {
		return context.Cause(ctx)
	}
	defer s.gate.Release(allCalls)
	s.mu.Lock()
	snap := s.paused
	s.mu.Unlock()
	if snap == nil {
		return nil // another call was first
	}
	if err := s.replace(ctx, *snap); err != nil {
		return err
	}
	s.mu.Lock()
	s.paused = nil
	s.mu.Unlock()
	return os.RemoveAll(snap.dir)
}

func (s *Session) isPaused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paused != nil
}
