package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
)

// Origin says how a session came to be. A pool miss is never silent.
type Origin string

// The origins.
const (
	FromPool Origin = "pool"     // it was warm
	Restored Origin = "restored" // from its template
	Built    Origin = "built"    // its template had to be built first
	Saved    Origin = "snapshot" // from a snapshot: a fork, or a named session
)

// poolKey is what warm guests can serve: sessions of one template with the
// limits that they were restored with.
type poolKey struct {
	template string
	limits   event.Limits
}

// pool keeps warm guests.
type pool struct {
	template template
	hold     *hold // of the template
	opt      Options
	last     int64 // under Manager.mu: how many sessions had been made when one like these was; 0: Warm made the pool

	mu     sync.Mutex
	want   int
	warm   []*live
	filled chan struct{} // closed and replaced whenever a refill got further or failed
	busy   bool
	tries  int
	failed error // of the last try
}

// Warm keeps n restored guests ready for sessions like opt, from now until the
// manager closes, and returns when they are there. A claimed guest is replaced
// in the background.
func (m *Manager) Warm(ctx context.Context, opt Options, n int, sink event.Sink) error {
	opt = opt.withDefaults()
	t, h, err := m.takeTemplate(ctx, opt, sink)
	if err != nil {
		return err
	}
	key := poolKey{t.key, opt.Limits}
	m.mu.Lock()
	p := m.pools[key]
	if p == nil && !m.closed {
		p = &pool{template: t, hold: h, opt: opt, filled: make(chan struct{})}
		m.pools[key], h = p, nil
	}
	m.mu.Unlock()
	h.release()
	if p == nil {
		return fault.New(fault.Conflict, "", "cannot warm sessions: the session manager is closed")
	}
	p.mu.Lock()
	p.want = n
	before := p.tries
	p.mu.Unlock()
	for {
		p.mu.Lock()
		ready, filled, failed := len(p.warm) >= p.want, p.filled, p.failed
		if p.tries == before {
			failed = nil // an older one
		}
		p.mu.Unlock()
		if ready || failed != nil {
			return failed
		}
		m.refill(p)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-m.done:
			return fault.New(fault.Conflict, "", "cannot warm sessions: the session manager is closed")
		case <-filled:
		}
	}
}

// PoolStats say what pools are worth.
type PoolStats struct {
	Warm   int   // guests that are ready
	Hits   int64 // sessions that were claimed from a pool
	Misses int64 // sessions that had to be restored from a template, or whose template was built first
}

// Pools returns what the pools hold, and what became of the sessions that were made.
func (m *Manager) Pools() PoolStats {
	out := PoolStats{Hits: m.hits.Load(), Misses: m.misses.Load()}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.pools {
		p.mu.Lock()
		out.Warm += len(p.warm)
		p.mu.Unlock()
	}
	return out
}

// maxKinds is for how many kinds of sessions guests are kept warm by Config.Warm: those
// that were made last.
const maxKinds = 3

// keepWarm keeps Config.Warm guests ready for sessions like one that is being made, and
// ends what is ready for a kind that was not asked for in a long time.
func (m *Manager) keepWarm(t template, opt Options) {
	if m.cfg.Warm <= 0 || opt.Seed != nil || opt.build {
		return
	}
	key := poolKey{t.key, opt.Limits}
	m.mu.Lock()
	m.made++
	if p := m.pools[key]; p != nil || m.closed {
		if p != nil && p.last > 0 {
			p.last = m.made
		}
		m.mu.Unlock()
		return
	}
	m.mu.Unlock()
	h, err := holdFolder(t.dir)
	if err != nil {
		return // the session that is being made says what is wrong with its template
	}
	p := &pool{template: t, hold: h, opt: opt, want: m.cfg.Warm, filled: make(chan struct{})}
	p.opt.Before = nil // it is of the session that is being made
	m.mu.Lock()
	if m.pools[key] != nil || m.closed {
		m.mu.Unlock()
		h.release()
		return
	}
	p.last = m.made
	m.pools[key] = p
	over := m.oldestLocked()
	m.mu.Unlock()
	m.refillSoon(p)
	if over != nil && !m.spawn(func(context.Context) { over.end() }) {
		over.end()
	}
}

// oldestLocked takes the pool out that was not asked for longest, if there are too many.
func (m *Manager) oldestLocked() *pool {
	kinds, oldest := 0, poolKey{}
	for key, p := range m.pools {
		if p.last == 0 {
			continue
		}
		if kinds++; kinds == 1 || p.last < m.pools[oldest].last {
			oldest = key
		}
	}
	if kinds <= maxKinds {
		return nil
	}
	p := m.pools[oldest]
	delete(m.pools, oldest)
	return p
}

// end ends the warm guests of a pool that was taken out, and one that is just getting warm.
func (p *pool) end() {
	for {
		p.mu.Lock()
		p.want = 0
		warm, busy, filled := p.warm, p.busy, p.filled
		p.warm = nil
		p.mu.Unlock()
		for _, l := range warm {
			l.close() // that of a guest which served nobody; there is nothing of it to save
		}
		if !busy {
			p.hold.release()
			return
		}
		<-filled // a refill is bounded by the patience with a guest
	}
}

// claim takes a warm guest for a session like opt, if there is one that still lives.
func (m *Manager) claim(t template, opt Options) (*live, bool) {
	m.mu.Lock()
	p := m.pools[poolKey{t.key, opt.Limits}]
	m.mu.Unlock()
	// A seed is given to the guest when it is restored: a warm one has another.
	if p == nil || opt.Seed != nil {
		return nil, false
	}
	p.mu.Lock()
	var got *live
	for len(p.warm) > 0 && got == nil {
		l := p.warm[0]
		p.warm = p.warm[1:]
		select {
		case <-l.client.Done(): // it died while it waited
			m.spawn(func(context.Context) { l.close() })
		default:
			got = l
		}
	}
	p.mu.Unlock()
	if got == nil {
		m.refill(p)
	} else {
		m.refillSoon(p)
	}
	return got, got != nil
}

// refill restores guests until the pool is full, one refill at a time.
func (m *Manager) refill(p *pool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.busy && len(p.warm) < p.want {
		p.busy = m.spawn(func(ctx context.Context) { m.fill(ctx, p) })
	}
}

// refillSoon is refill once the first code of the guest that was claimed has run, as it
// mostly has after a while.
func (m *Manager) refillSoon(p *pool) {
	m.spawn(func(ctx context.Context) {
		select {
		case <-ctx.Done():
		case <-time.After(refillDelay):
			m.refill(p)
		}
	})
}

func (m *Manager) fill(ctx context.Context, p *pool) {
	for more := true; more; {
		l, err := m.warmUp(ctx, p)
		p.mu.Lock()
		p.tries++
		p.failed = err
		spare := err == nil && len(p.warm) >= p.want // fewer are wanted meanwhile
		if err == nil && !spare {
			p.warm = append(p.warm, l)
		}
		more = err == nil && len(p.warm) < p.want && ctx.Err() == nil
		p.busy = more
		close(p.filled)
		p.filled = make(chan struct{})
		p.mu.Unlock()
		if spare {
			l.close()
		}
	}
}

// rehearsals is how often a warm guest goes the way of an execution. After the first time
// a claim costs 3.1 ms, after the third 2.6, and 8 without any.
const rehearsals = 3

// refillDelay is how long a guest that was claimed has the machine for itself before
// another is restored in its place, which takes two processors for some 200 ms.
const refillDelay = 250 * time.Millisecond

// warmUp restores a guest and has its kernel take its fresh randomness and touch
// its memory now, not when it is claimed.
func (m *Manager) warmUp(ctx context.Context, p *pool) (*live, error) {
	l, err := m.restore(ctx, p.template.Snapshot, p.opt)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, m.cfg.Patience.Wake, errors.New("the guest did not get warm in time"))
	defer cancel()
	for range rehearsals {
		if err := l.client.Rehearse(ctx); err != nil {
			return nil, l.failed("cannot warm session", err)
		}
	}
	return l, nil
}

// close ends the warm guests. The manager's tasks are over by then.
func (p *pool) close() error {
	defer p.hold.release()
	var err error
	for _, l := range p.warm {
		err = errors.Join(err, l.close())
	}
	return err
}
