package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"praxis/internal/fault"
	"praxis/internal/guest/wire"
)

// exclusive runs f while no call is in the session. f gets the live guest.
func (s *Session) exclusive(ctx context.Context, f func(*live) error) error {
	if err := s.resume(ctx); err != nil {
		return err
	}
	return s.alone(ctx, func() error {
		s.mu.Lock()
		l := s.guest
		if s.closed != "" || l == nil {
			defer s.mu.Unlock()
			return s.overLocked()
		}
		s.used = time.Now()
		s.mu.Unlock()
		return f(l)
	})
}

// alone runs f while it holds the whole gate.
func (s *Session) alone(ctx context.Context, f func() error) error {
	if err := s.gate.Acquire(ctx, allCalls); err != nil {
		return fault.New(fault.Canceled, "", "cannot wait for the session's calls: %w", err)
	}
	defer s.gate.Release(allCalls)
	return f()
}

// Snapshot saves the session's whole state, which goes on. It waits until no
// call is running. A dead sandbox goes back to the newest snapshot.
func (s *Session) Snapshot(ctx context.Context) (Snapshot, error) {
	var snap Snapshot
	err := s.exclusive(ctx, func(l *live) (err error) {
		snap, err = s.saveAs(ctx, l, s.m.snapshots)
		return err
	})
	return snap, err
}

// saveAs saves l into a folder of snapshots and lets it go on. The caller holds the gate.
func (s *Session) saveAs(ctx context.Context, l *live, into Snapshots) (Snapshot, error) {
	snap, tmp, err := s.freeze(ctx, l, into)
	if err != nil {
		return Snapshot{}, err
	}
	defer os.RemoveAll(tmp)
	if snap, err = into.publish(tmp, snap, ""); err != nil {
		return Snapshot{}, err
	}
	s.mu.Lock()
	s.base, s.own = snap, true
	s.mu.Unlock()
	return snap, nil
}

// freeze checkpoints l into a temporary folder and lets it go on.
func (s *Session) freeze(ctx context.Context, l *live, into Snapshots) (Snapshot, string, error) {
	if err := l.client.Quiesce(ctx); err != nil {
		return Snapshot{}, "", err
	}
	s.mu.Lock()
	base, own := s.base, s.own
	s.mu.Unlock()
	snap := Snapshot{Spec: base.Spec, Deterministic: s.opt.Seed != nil}
	snap.Spec.Limits = s.opt.Limits
	if own {
		snap.Parent = base.ID
	}
	tmp, err := into.capture(ctx, l.box, &snap)
	// The original goes on whether or not it could be saved; its randomness stays its own.
	return snap, tmp, errors.Join(err, l.client.Hello(context.WithoutCancel(ctx), wire.Hello{}))
}

// Fork makes a new session from the state of this one; both go on
// independently, the child with randomness of its own.
func (s *Session) Fork(ctx context.Context) (*Session, error) {
	free, err := s.m.reserve()
	if err != nil {
		return nil, err
	}
	defer free()
	began := time.Now()
	var snap Snapshot
	var tmp string
	err = s.exclusive(ctx, func(l *live) (err error) {
		snap, tmp, err = s.freeze(ctx, l, s.m.snapshots)
		return err
	})
	if tmp != "" {
		defer os.RemoveAll(tmp)
	}
	if err != nil {
		return nil, err
	}
	// The child is restored from the folder as it stands: naming it by its
	// contents would hash all of it, and nobody will ask for it again.
	l, err := s.m.restore(ctx, snap, s.opt)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	base, own := s.base, s.own
	s.mu.Unlock()
	child, err := s.m.adopt(l, s.opt, base)
	if err != nil {
		return nil, err
	}
	child.mu.Lock()
	child.own = own
	child.mu.Unlock()
	child.origin, child.took = Saved, time.Since(began)
	return child, nil
}

// Rollback takes the session back to a snapshot of its own or of a relative.
func (s *Session) Rollback(ctx context.Context, id string) error {
	snap, err := s.m.snapshots.load(id)
	if err != nil {
		return err
	}
	return s.alone(ctx, func() error {
		s.mu.Lock()
		if s.closed != "" {
			defer s.mu.Unlock()
			return s.overLocked()
		}
		s.mu.Unlock()
		if err := s.replace(ctx, snap); err != nil {
			return err
		}
		s.mu.Lock()
		s.base, s.own, s.used = snap, true, time.Now()
		temp := s.temp
		s.temp = ""
		s.mu.Unlock()
		if temp != "" {
			return os.RemoveAll(temp)
		}
		return nil
	})
}

// Pause saves the session and frees its sandbox: no memory, no processes. Any
// later call resumes it.
func (s *Session) Pause(ctx context.Context) error {
	s.mu.Lock()
	paused := s.temp != ""
	s.mu.Unlock()
	if paused {
		return nil
	}
	return s.exclusive(ctx, func(l *live) error {
		snap, tmp, err := s.freeze(ctx, l, s.m.snapshots)
		if err != nil {
			if tmp != "" {
				err = errors.Join(err, os.RemoveAll(tmp))
			}
			return err
		}
		if err := seal(tmp, &snap); err != nil {
			return errors.Join(noSpace(err), os.RemoveAll(tmp))
		}
		s.mu.Lock()
		s.guest, s.temp = nil, tmp
		s.mu.Unlock()
		return l.close()
	})
}

// Resume makes a paused session live again. It does nothing to a live one.
func (s *Session) Resume(ctx context.Context) error { return s.resume(ctx) }

func (s *Session) resume(ctx context.Context) error {
	s.mu.Lock()
	paused := s.temp != "" && s.closed == ""
	s.mu.Unlock()
	if !paused {
		return nil
	}
	return s.alone(ctx, func() error {
		s.mu.Lock()
		temp := s.temp
		s.mu.Unlock()
		if temp == "" {
			return nil // another call was first
		}
		snap, err := Snapshots{dir: filepath.Dir(temp)}.load(filepath.Base(temp))
		if err != nil {
			return err
		}
		if err := s.replace(ctx, snap); err != nil {
			return err
		}
		s.mu.Lock()
		s.temp = ""
		s.mu.Unlock()
		return os.RemoveAll(temp)
	})
}
