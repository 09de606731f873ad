package live

import (
	"context"
	"strconv"

	"praxis/fault"
	"praxis/internal/safetext"
)

// Bounds are how many sessions may have a sandbox at a time, and how much memory those may
// have together. 0: any.
type Bounds struct {
	Sessions int
	Memory   int64
}

// Admit says why nothing new may begin on behalf of whoever asks, nil: it may.
func (h *Hub) Admit(ctx context.Context) error { return h.cfg.Admit(ctx) }

// makeSpace takes a place for the sandbox of a session: among those of its key, and of all.
// Where there is none, the session that was idle longest is paused.
func (h *Hub) makeSpace(ctx context.Context, opening *session) error {
	tenant, own := h.cfg.Bounds(opening.meta.Key)
	if tenant.Sessions == 0 || tenant.Sessions > h.cfg.Most {
		tenant.Sessions = h.cfg.Most
	}
	for {
		h.mu.Lock()
		idle, full := h.fullLocked(opening, tenant, "tenant", func(*session) bool { return true })
		if full == nil {
			idle, full = h.fullLocked(opening, own, "key", func(e *session) bool { return e.meta.Key == opening.meta.Key })
		}
		opening.opens = full == nil
		h.mu.Unlock()
		if full == nil {
			return nil
		}
		if idle == nil {
			return full
		}
		if err := h.pause(ctx, idle, false); err != nil {
			return err
		}
	}
}

// fullLocked says why a session may not get a sandbox beside those of other sessions, nil: it
// may, and which of them could be paused for it. h.mu is held.
func (h *Hub) fullLocked(opening *session, b Bounds, whose string, among func(*session) bool) (idle *session, full error) {
	alive, memory := 0, opening.meta.Memory
	for _, e := range h.sessions {
		if e == opening || e.s == nil && !e.opens || !among(e) {
			continue
		}
		alive++
		memory += e.meta.Memory
		if e.s != nil && e.calls == 0 && !e.gone && (idle == nil || e.used.Before(idle.used)) {
			idle = e
		}
	}
	switch {
	case b.Sessions > 0 && alive >= b.Sessions:
		return idle, fault.Coded(fault.SessionsUsedUp, fault.Data{"limit": strconv.Itoa(b.Sessions)}, "cannot open the session: %d of %d are busy", alive, b.Sessions)
	case b.Memory > 0 && memory > b.Memory:
		return idle, fault.Coded(fault.MemoryUsedUp, fault.Data{"whose": whose, "limit": safetext.Size(b.Memory)},
			"cannot open the session: with it those of the %s could have %s of memory", whose, safetext.Size(memory))
	}
	return nil, nil
}

// Counts says how much there is of what a hub holds.
type Counts struct {
	Sessions   map[State]int
	Executions int // that go on or wait
	Runs       int // that go on
}

// Counts counts what the hub holds.
func (h *Hub) Counts() Counts {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := Counts{Sessions: map[State]int{Live: 0, Paused: 0, Lost: 0}, Runs: h.runs.going()}
	for _, e := range h.sessions {
		out.Executions += e.execs.going()
		out.Sessions[e.state()]++
	}
	return out
}
