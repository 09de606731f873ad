package session

import (
	"testing"

	"praxis/internal/event"
	"praxis/internal/guest/wire"
)

func TestAnOfferOutlivesTheSandbox(t *testing.T) {
	m := toyManager(t, t.TempDir())
	s := create(t, m, toyOptions(t))
	want(t, s, "offer", "")
	if err := s.Offer(t.Context(), wire.Offer{Tools: true}, &counter{}); err != nil {
		t.Fatal(err)
	}
	const made = `{"op":"offer","tools":true}`
	want(t, s, "offer", made)
	snap, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, s, "offer", made)
	if err := s.Rollback(t.Context(), snap.ID); err != nil {
		t.Fatal(err)
	}
	want(t, s, "offer", made)
	if err := s.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(t, s, "offer", made)
	out, err := s.Execute(t.Context(), "die", Exec{}, event.Discard)
	if err != nil || out.State != event.Restored {
		t.Fatalf("got %s, %v", out.State, err)
	}
	want(t, s, "offer", made)
	child, err := s.Fork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, child, "offer", "")
	if err := s.Offer(t.Context(), wire.Offer{}, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(t, s, "offer", `{"op":"offer"}`)
	if err := s.Offer(t.Context(), wire.Offer{Port: -1}, nil); err == nil {
		t.Error("an offer that cannot be was made")
	}
}
