package session

import (
	"context"
	"errors"
	"sync"

	"praxis/internal/event"
	"praxis/internal/fault"
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

// pool keeps warm guests of one template.
type pool struct {
	template template
	opt      Options
	want     int

	mu     sync.Mutex
	warm   []*live
	filled chan struct{} // closed and replaced whenever a refill got further or failed
	busy   bool
	failed error // of the last refill
}

// Warm keeps n restored guests ready for sessions like opt, from now until the
// manager closes, and returns when they are there. A claimed guest is replaced
// in the background.
func (m *Manager) Warm(ctx context.Context, opt Options, n int, sink event.Sink) error {
	opt = opt.withDefaults()
	t, err := m.template(ctx, opt, sink)
	if err != nil {
		return err
	}
	m.mu.Lock()
	p := m.pools[t.key]
	if p == nil {
		p = &pool{template: t, opt: opt, filled: make(chan struct{})}
		m.pools[t.key] = p
	}
	p.want = n
	m.mu.Unlock()
	for {
		p.mu.Lock()
		ready, filled, failed := len(p.warm), p.filled, p.failed
		p.failed = nil
		p.mu.Unlock()
		if ready >= n || failed != nil {
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

// claim takes a warm guest of t, if there is one that still lives.
func (m *Manager) claim(t template, opt Options) (*live, bool) {
	m.mu.Lock()
	p := m.pools[t.key]
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
	m.refill(p)
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

func (m *Manager) fill(ctx context.Context, p *pool) {
	for more := true; more; {
		l, err := m.restore(ctx, p.template.Snapshot, p.opt)
		if err == nil {
			// The kernel takes its fresh randomness and touches its memory now, not when it is claimed.
			if _, err = l.client.Complete(ctx, "", "", 0); err != nil {
				err = l.failed("cannot warm session", err)
			}
		}
		p.mu.Lock()
		p.failed = err
		if err == nil {
			p.warm = append(p.warm, l)
		}
		more = err == nil && len(p.warm) < p.want && ctx.Err() == nil
		p.busy = more
		close(p.filled)
		p.filled = make(chan struct{})
		p.mu.Unlock()
	}
}

// close ends the warm guests. The manager's tasks are over by then.
func (p *pool) close() error {
	var err error
	for _, l := range p.warm {
		err = errors.Join(err, l.close())
	}
	return err
}
