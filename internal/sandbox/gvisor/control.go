package gvisor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// The control socket joins the owner and a helper: a SOCK_SEQPACKET pair, one
// JSON object a packet, at most maxPacket bytes. The owner sends requests with
// an id; the helper answers each with a reply of that id, in any order. A reply
// with id 0 says that the guest is over. The end of the socket ends the helper.

// maxPacket bounds one message. Paths are the longest thing in one.
const maxPacket = 64 << 10

// maxErrorText bounds the text of a failure that a helper reports.
const maxErrorText = 4 << 10

// The operations of a helper.
const (
	opCreate     = "create"     // make the sentry and the gofer, once
	opStart      = "start"      // boot the guest
	opRestore    = "restore"    // make the guest from the checkpoint in Dir
	opCheckpoint = "checkpoint" // write the guest's state into the empty folder Dir
	opCount      = "count"      // count the guest's processes
)

type request struct {
	ID  uint64 `json:"id"`
	Op  string `json:"op"`
	Dir string `json:"dir,omitempty"`
}

type reply struct {
	ID     uint64     `json:"id"`
	Error  string     `json:"error,omitempty"`
	TookNS int64      `json:"took_ns,omitempty"`
	Count  int        `json:"count,omitempty"`
	Exit   *guestExit `json:"exit,omitempty"`
}

// guestExit is how the guest's first process ended.
type guestExit struct {
	Code   int    `json:"code"`   // -1 when a signal or an error ended it
	Signal int    `json:"signal"` // 0 when it exited
	Error  string `json:"error,omitempty"`
}

// errHelperGone is the answer to requests whose helper ended before it replied.
var errHelperGone = errors.New("the sandbox ended")

// writePacket sends v as one packet.
func writePacket(f *os.File, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(b) > maxPacket {
		return fmt.Errorf("cannot send %d bytes: a message has at most %d", len(b), maxPacket)
	}
	_, err = f.Write(b)
	return err
}

// readPacket receives one packet into v. It returns io.EOF at the socket's end.
func readPacket(f *os.File, buf []byte, v any) error {
	n, err := f.Read(buf)
	if err != nil {
		return err
	}
	if n == 0 {
		return io.EOF
	}
	return json.Unmarshal(buf[:n], v)
}

// caller is the owner's end of a control socket.
type caller struct {
	sock *os.File

	mu      sync.Mutex
	next    uint64
	pending map[uint64]chan reply
	closed  bool
}

func newCaller(sock *os.File) *caller {
	return &caller{sock: sock, pending: make(map[uint64]chan reply)}
}

// serve reads replies until the socket ends, hands them to their callers and
// gives the guest's end to exited. Afterwards every request fails.
func (c *caller) serve(exited func(guestExit)) {
	buf := make([]byte, maxPacket)
	for {
		var r reply
		if err := readPacket(c.sock, buf, &r); err != nil {
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
func (c *caller) call(req request) <-chan reply {
	ch := make(chan reply, 1)
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
	if err := writePacket(c.sock, req); err != nil {
		c.mu.Lock()
		if _, ok := c.pending[req.ID]; ok {
			delete(c.pending, req.ID)
			close(ch)
		}
		c.mu.Unlock()
	}
	return ch
}
