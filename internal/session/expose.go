package session

import (
	"context"

	"praxis/internal/guest"
	"praxis/internal/guest/wire"
)

// offered is what the session offers to the code in it.
type exposure struct {
	exposed wire.Exposure
	host    guest.Host
}

// Offer lets the session's code ask for what o says, which h answers: see
// [guest.Client.Offer]. It holds until another offer, whatever becomes of the
// sandbox. Forks begin without an offer.
func (s *Session) Expose(ctx context.Context, o wire.Exposure, h guest.Host) error {
	l, done, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer done()
	s.exposing.Lock() // the guest's offer and ours are the same
	defer s.exposing.Unlock()
	if err := l.client.Expose(ctx, o, h); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exposed = &exposure{o, h}
	return nil
}

// offerAgain offers to a guest that takes the place of another what that was offered.
func (s *Session) exposeAgain(ctx context.Context, l *live) error {
	s.mu.Lock()
	o := s.exposed
	s.mu.Unlock()
	if o == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, wakeTime)
	defer cancel()
	return l.client.Expose(ctx, o.exposed, o.host)
}
