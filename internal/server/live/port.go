package live

import (
	"context"
	"sync"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
)

// maxConns bounds the connections to ports of a session at a time.
const maxConns = 64

// Dialer connects to ports of one session, which is opened for it. Another session that gets
// the name of that one later is not meant.
type Dialer struct {
	h *Hub
	e *session
}

// Dialer returns what connects to the ports of a session.
func (h *Hub) Dialer(id string) (*Dialer, error) {
	e, err := h.find(id)
	if err != nil {
		return nil, err
	}
	return &Dialer{h, e}, nil
}

// Dial connects to a port. As long as the connection is open, the session is not idle.
func (d *Dialer) Dial(ctx context.Context, port int) (app.Conn, error) {
	h, e := d.h, d.e
	h.mu.Lock()
	full := e.conns >= maxConns
	if !full {
		e.conns++
	}
	h.mu.Unlock()
	if full {
		return nil, fault.New(fault.Exhausted, "Close some of them.", "cannot connect to a port of session %s: %d connections are open", e.id, maxConns)
	}
	free, err := h.occupy(e)
	if err == nil {
		var conn app.Conn
		err = h.use(ctx, e, event.Discard, func(s *app.Session) error {
			conn, err = s.Forward(ctx, port)
			return err
		})
		if err == nil {
			return &connection{Conn: conn, closed: func() { free(); d.closed() }}, nil
		}
		free()
	}
	d.closed()
	return nil, err
}

// closed gives the place of a connection back.
func (d *Dialer) closed() {
	d.h.mu.Lock()
	defer d.h.mu.Unlock()
	d.e.conns--
}

// connection is an open one.
type connection struct {
	app.Conn
	once   sync.Once
	closed func()
}

// Close ends the connection both ways.
func (c *connection) Close() error {
	defer c.once.Do(c.closed)
	return c.Conn.Close()
}
