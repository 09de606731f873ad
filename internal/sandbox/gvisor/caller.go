package gvisor

import (
	"errors"
	"os"
	"sync"

	"praxis/internal/sandbox/gvisor/control"
)

// errHelperGone is the answer to requests whose helper ended before it replied.
var errHelperGone = errors.New("the sandbox ended")

// caller is the owner's end of a control socket.
type caller struct {
	sock *os.File

	mu      sync.Mutex
	next    uint64
	pending map[uint64]chan control.Reply
	closed  bool
}

func newCaller(sock *os.File) *caller {
	return &caller{sock: sock, pending: make(map[uint64]chan control.Reply)}
}

// serve reads replies until the socket ends, hands them to their callers and
// gives the guest's end to exited. Afterwards every request fails.
func (c *caller) serve(exited func(control.Exit)) {
	buf := make([]byte, control.MaxPacket)
	for {
		var r control.Reply
		if err := control.Receive(c.sock, buf, &r); err != nil {
			break
		}
		if r.Exit != nil {
			exited(*r.Exit)
			continue
		}
		c.mu.Lock()
		ch := c.pending[r.ID]
		delete(c.pending, r.ID)
		c.mu.Unlock()
		if ch != nil {
			ch <- r
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for id, ch := range c.pending {
		delete(c.pending, id)
		close(ch)
	}
}

// call sends req and returns a channel that gets the reply, or is closed when
// the helper is gone.
func (c *caller) call(req control.Request) <-chan control.Reply {
	ch := make(chan control.Reply, 1)
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		close(ch)
		return ch
	}
	c.next++
	req.ID = c.next
	c.pending[req.ID] = ch
	c.mu.Unlock()
	if err := control.Send(c.sock, req); err != nil {
		c.mu.Lock()
		if _, ok := c.pending[req.ID]; ok {
			delete(c.pending, req.ID)
			close(ch)
		}
		c.mu.Unlock()
	}
	return ch
}
