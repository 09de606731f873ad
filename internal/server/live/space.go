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
	return h.findSpace(ctx, place{opening.meta.Key, opening.meta.Memory, opening}, func() { opening.opens = true })
}

// Occupy takes a place for the sandbox of the run, which it has until it ends: among what its
// key and its tenant may have by their quotas. Sandboxes of what it begins are a part of it.
func (r *Run) Occupy(ctx context.Context, memory int64) error {
	return r.hub.findSpace(ctx, place{r.key, memory, nil}, func() { r.memory = memory })
}

// place is that of a sandbox.
type place struct {
	key    string
	memory int64
	of     *session // nil: of a run
}

// findSpace calls take when there is a place, and says why there is none. take is called with h.mu
// held.
func (h *Hub) findSpace(ctx context.Context, p place, take func()) error {
	tenant, own := h.cfg.Bounds(p.key)
	for {
		h.mu.Lock()
		idle, full := h.fullLocked(p, tenant, "tenant", func(string) bool { return true })
		if full == nil {
			idle, full = h.fullLocked(p, own, "key", func(key string) bool { return key == p.key })
		}
		if full == nil && p.of != nil { // runs have a bound of their own
			idle, full = h.fullLocked(p, Bounds{Sessions: h.cfg.Most}, "", func(string) bool { return true })
		}
		if full == nil {
			take()
		}
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

// fullLocked says why there is no place for a sandbox beside those of the sessions, and by a quota
// of the runs, of some keys, nil: there is, and which session could be paused for it. h.mu is held.
func (h *Hub) fullLocked(p place, b Bounds, whose string, among func(key string) bool) (idle *session, full error) {
	alive, memory := 0, p.memory
	for _, r := range h.runs {
		if whose != "" && r.memory > 0 && !r.Ended() && among(r.key) {
			alive++
			memory += r.memory
		}
	}
	for _, e := range h.sessions {
		if e == p.of || e.s == nil && !e.opens || !among(e.meta.Key) {
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
