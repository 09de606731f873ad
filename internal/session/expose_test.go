package session

import (
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/guest/wire"
)

// silent is a host that nobody asks anything.
type silent struct{}

func (silent) Tools(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }

func (silent) Connect(_ context.Context, conn io.ReadWriteCloser) { _ = conn.Close() }

func TestAnExposureOutlivesTheSandbox(t *testing.T) {
	m := toyManager(t, t.TempDir())
	s := create(t, m, toyOptions(t))
	want(t, s, "exposed", "")
	if err := s.Expose(t.Context(), wire.Exposure{Tools: true}, silent{}); err != nil {
		t.Fatal(err)
	}
	const made = `{"op":"expose","tools":true}`
	want(t, s, "exposed", made)
	snap, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, s, "exposed", made)
	if err := s.Rollback(t.Context(), snap.ID); err != nil {
		t.Fatal(err)
	}
	want(t, s, "exposed", made)
	if err := s.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(t, s, "exposed", made)
	out, err := s.Execute(t.Context(), "die", Exec{}, event.Discard)
	if err != nil || out.State != event.Restored {
		t.Fatalf("got %s, %v", out.State, err)
	}
	want(t, s, "exposed", made)
	child, err := s.Fork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, child, "exposed", "")
	if err := s.Expose(t.Context(), wire.Exposure{}, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(t, s, "exposed", `{"op":"expose"}`)
	if err := s.Expose(t.Context(), wire.Exposure{Port: -1}, nil); err == nil {
		t.Error("an exposure that cannot be was made")
	}
}

// curious is a host whose calls ask after their session before they give up.
type curious struct {
	silent
	s      *Session
	called chan struct{}
}

func (c *curious) Tools(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
	close(c.called)
	<-ctx.Done()
	c.s.Renew(time.Hour)
	return nil, ctx.Err()
}

// Whoever answers the code of a session may use the session, also while that is
// paused and waits for him.
func TestAPauseWaitsForCallsWithoutTheSessionsLock(t *testing.T) {
	m := toyManager(t, t.TempDir())
	s := create(t, m, toyOptions(t))
	h := &curious{s: s, called: make(chan struct{})}
	if err := s.Expose(t.Context(), wire.Exposure{Tools: true}, h); err != nil {
		t.Fatal(err)
	}
	eval(t, s, "ask")
	<-h.called
	paused := make(chan error, 1)
	go func() { paused <- s.Pause(t.Context()) }()
	select {
	case err := <-paused:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the pause and the call wait for each other")
	}
	want(t, s, "x", "")
}
