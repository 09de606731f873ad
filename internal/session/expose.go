package session

import (
	"context"

	"praxis/internal/guest"
	"praxis/internal/guest/wire"
)

// exposure is what the session exposes to the code in it.
type exposure struct {
	exposed wire.Exposure
	host    guest.Host
}

// Expose lets the session's code send requests for what o says, which h answers:
// see [guest.Client.Expose]. It lasts until another call, whatever becomes of the
// sandbox. Forks begin with nothing exposed.
func (s *Session) Expose(ctx context.Context, o wire.Exposure, h guest.Host) error {
	l, done, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer done()
	s.exposing.Lock() // what the guest exposes and what we note are the same
	defer s.exposing.Unlock()
	if err := l.client.Expose(ctx, o, h); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exposed = &exposure{o, h}
	return nil
}

// exposeAgain exposes to a guest that takes the place of another what that one had.
func (s *Session) exposeAgain(ctx context.Context, l *live) error {
	s.mu.Lock()
	o := s.exposed
	s.mu.Unlock()
	if o == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.m.cfg.Patience.Wake)
	defer cancel()
	return l.client.Expose(ctx, o.exposed, o.host)
}
