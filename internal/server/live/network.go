package live

import (
	"context"
	"slices"

	"praxis/event"
	"praxis/internal/app"
)

// Reach lets the programs of a session reach the hosts that rules name, and no others, also
// when the session is paused and opened again; none: they reach no host. A server that starts
// anew does not know it any more.
func (h *Hub) Reach(ctx context.Context, id string, hosts []string) error {
	e, err := h.find(id)
	if err != nil {
		return err
	}
	h.mu.Lock()
	same := slices.Equal(e.hosts, hosts)
	h.mu.Unlock()
	if same {
		return nil
	}
	if err := app.CheckHosts(hosts); err != nil {
		return err
	}
	if err := e.take(ctx); err != nil {
		return err
	}
	defer e.give()
	h.mu.Lock()
	e.hosts = slices.Clone(hosts)
	h.mu.Unlock()
	if e.network != nil {
		return e.network.Allow(hosts)
	}
	if e.s == nil {
		return nil // it is opened with them
	}
	err = h.connect(ctx, e)
	if err != nil { // it reaches none, and who asks again does not find it done
		h.mu.Lock()
		e.hosts = nil
		h.mu.Unlock()
	}
	return err
}

// connect lets a session that has a sandbox reach the hosts that it may. Its turn is held.
func (h *Hub) connect(ctx context.Context, e *session) (err error) {
	h.mu.Lock()
	hosts, s := e.hosts, e.s
	h.mu.Unlock()
	if len(hosts) == 0 || e.network != nil {
		return nil
	}
	var sink event.Sink = h.cfg.Executed(ctx)
	e.network, err = s.OpenNetwork(ctx, hosts, sink)
	return err
}

// disconnect ends what a session reaches whose sandbox goes. Its turn is held.
func (e *session) disconnect() {
	if e.network != nil {
		_ = e.network.Close() // its connections ended with the sandbox
		e.network = nil
	}
}
