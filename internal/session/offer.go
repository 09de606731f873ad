package session

import (
	"context"

	"praxis/internal/guest"
	"praxis/internal/guest/wire"
)

// offered is what the session offers to the code in it.
type offered struct {
	offer wire.Offer
	host  guest.Host
}

// Offer lets the session's code ask for what o says, which h answers: see
// [guest.Client.Offer]. It holds until another offer, whatever becomes of the
// sandbox. Forks begin without an offer.
func (s *Session) Offer(ctx context.Context, o wire.Offer, h guest.Host) error {
	l, done, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer done()
	s.offering.Lock() // the guest's offer and ours are the same
	defer s.offering.Unlock()
	if err := l.client.Offer(ctx, o, h); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offered = &offered{o, h}
	return nil
}

// offerAgain offers to a guest that takes the place of another what that was offered.
func (s *Session) offerAgain(ctx context.Context, l *live) error {
	s.mu.Lock()
	o := s.offered
	s.mu.Unlock()
	if o == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, wakeTime)
	defer cancel()
	return l.client.Offer(ctx, o.offer, o.host)
}
