package agent

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"syscall"

	"praxis/internal/guest/wire"
)

// The kinds of frames that a caller gets: u32 length | u8 kind | body, where
// length counts the body. What a caller sends is u32 length | JSON.
const (
	answerResult  = 0 // the JSON of the answer, or the last part of it
	answerFailure = 1 // the JSON of a wire.Fault, in the place of what was sent of an answer
	answerPart    = 2 // a part of the JSON
	answerRetired = 3 // the connection was idle and is closed: what was sent on it was not read
)

const (
	maxCallers = wire.MaxTools // connections; one that is idle gives its place to a new one
	callerBuf  = 16 << 10
	shortCall  = 512 << 10 // bytes of a body that goes in one frame
	callHead   = 4
)

// toolSocket is where processes of the session's user bring their calls of tools: a
// socket on which one call after the other is made. A connection has a goroutine
// that waits in read(2), which takes one system call a call.
type toolSocket struct {
	s      *server
	fd     int
	wakeup wakeup
	path   string
	uid    uint32

	mu      sync.Mutex
	callers map[*caller]struct{}
	clock   uint64 // counts calls
	closing bool
}

func newToolSocket(s *server, path string, uid uint32) (*toolSocket, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot listen for calls of tools: %w", err)
	}
	b, err := newWakeup()
	if err == nil {
		_ = os.Remove(path) // what is there is not ours: nobody else can make it
		if err = syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}); err == nil {
			if err = os.Chmod(path, 0o666); err == nil {
				err = syscall.Listen(fd, maxCallers)
			}
		}
	}
	if err != nil {
		closeAll(fd, int(b))
		return nil, fmt.Errorf("cannot listen for calls of tools: %w", err)
	}
	d := &toolSocket{s: s, fd: fd, wakeup: b, path: path, uid: uid, callers: map[*caller]struct{}{}}
	s.wg.Add(1)
	go d.run()
	return d, nil
}

// run accepts connections.
func (d *toolSocket) run() {
	defer d.s.wg.Done()
	defer closeAll(d.fd, int(d.wakeup))
	for {
		fds := []pollFD{{fd: int32(d.fd), events: pollIn}, {fd: int32(d.wakeup), events: pollIn}}
		if poll(fds, -1) != nil || fds[1].revents != 0 {
			return
		}
		fd, _, err := syscall.Accept4(d.fd, syscall.SOCK_CLOEXEC)
		switch {
		case err == syscall.EMFILE || err == syscall.ENFILE:
			d.retire()
		case err == nil:
			d.admit(fd)
		}
	}
}

// admit takes a connection of the session's user's or root's.
func (d *toolSocket) admit(fd int) {
	peer, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil || peer.Uid != d.uid && peer.Uid != 0 {
		closeAll(fd)
		return
	}
	c := &caller{d: d, fd: fd}
	d.mu.Lock()
	full, closing := len(d.callers) >= maxCallers, d.closing
	d.mu.Unlock()
	if full && !d.retire() {
		c.fail(failf("exhausted", "Make fewer calls at a time.", "%d processes and threads call tools, the limit is %d", maxCallers, maxCallers))
		closing = true
	}
	if closing {
		closeAll(fd)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closing {
		closeAll(fd)
		return
	}
	d.callers[c] = struct{}{}
	d.s.wg.Add(1)
	go c.run()
}

// retire closes the connection that was idle for longest.
func (d *toolSocket) retire() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	var oldest *caller
	for c := range d.callers {
		if c.idle() && (oldest == nil || c.used < oldest.used) {
			oldest = c
		}
	}
	if oldest == nil || !oldest.retire() {
		return false
	}
	delete(d.callers, oldest)
	return true
}

func (d *toolSocket) remove(c *caller) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.callers, c)
}

// close ends all connections; the server waits for their goroutines.
func (d *toolSocket) close() {
	d.wakeup.wake()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closing = true
	for c := range d.callers {
		_ = syscall.Shutdown(c.fd, syscall.SHUT_RDWR)
	}
	_ = os.Remove(d.path)
}

// caller is one connection.
type caller struct {
	d    *toolSocket
	fd   int
	used uint64 // guarded by the tool socket's mu

	mu      sync.Mutex
	cur     *errand
	retired bool
	dead    bool
	head    []byte   // to write an answer with one call
	queue   []queued // what the socket did not take yet; a goroutine writes it
}

// queued is what is to be written to a caller, and to whose window it counts.
type queued struct {
	data []byte
	r    *request // nil: none
	cost int
}

func (c *caller) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cur == nil && len(c.queue) == 0 && !c.retired
}

// retire closes an idle connection, and says so.
func (c *caller) retire() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cur != nil || len(c.queue) > 0 || c.retired || c.dead {
		return false
	}
	c.retired = true
	c.writeLocked(answerRetired, nil, nil)
	_ = syscall.Shutdown(c.fd, syscall.SHUT_RDWR)
	return true
}

// run reads calls until the connection ends.
func (c *caller) run() {
	defer c.d.s.wg.Done()
	defer c.gone()
	buf := make([]byte, callerBuf)
	for have := 0; ; {
		n, err := c.read(buf[have:])
		if n <= 0 || err != nil {
			return
		}
		if have += n; have < callHead {
			continue
		}
		size := binary.BigEndian.Uint32(buf)
		total := callHead + int(size)
		switch {
		case size > wire.MaxArguments:
			c.fail(failf("exhausted", "Put the data in a file and pass its name.", "the arguments have %d bytes, the limit is %d", size, wire.MaxArguments))
			return
		case have > total:
			return // it must wait for the answer
		case have == total:
			if !c.call(buf[callHead:total]) {
				return
			}
			have = 0
			if len(buf) > callerBuf {
				buf = make([]byte, callerBuf)
			}
		case size > shortCall:
			if !c.long(int(size), buf[callHead:have]) {
				return
			}
			have = 0
		case total > len(buf):
			bigger := make([]byte, total)
			copy(bigger, buf[:have])
			buf = bigger
		}
	}
}

func (c *caller) read(buf []byte) (int, error) {
	for {
		n, err := syscall.Read(c.fd, buf)
		if err != syscall.EINTR {
			return n, err
		}
	}
}

// take makes e the call of the connection. There is one at a time.
func (c *caller) take(e *errand) bool {
	c.d.mu.Lock()
	c.d.clock++
	c.used = c.d.clock
	c.d.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cur != nil || c.retired {
		return false
	}
	c.cur = e
	return true
}

// call sends the call to the host. It reports false when the connection is to be closed.
func (c *caller) call(body []byte) bool {
	if !json.Valid(body) {
		c.fail(failf("invalid", "", "the call is no JSON"))
		return true
	}
	return c.begin(append([]byte(`,"body":`), body...), false) != nil
}

// begin opens a guest request. It returns nil when the connection is to be closed.
func (c *caller) begin(rest []byte, long bool) *errand {
	a := c.d.s.toHost
	e, err := a.errand(c, rest, long)
	if err != nil {
		c.fail(err)
		e = &errand{over: true}
		e.cond.L = &e.mu
		return e
	}
	if !c.take(e) {
		a.drop(e)
		return nil
	}
	a.send(e)
	return e
}

// long sends the host a body that does not fit in a frame: it goes on as it comes.
func (c *caller) long(size int, first []byte) bool {
	e := c.begin([]byte(`,"long":true`), true)
	if e == nil {
		return false
	}
	wanted := e.send(first)
	buf := make([]byte, wire.Chunk)
	for left := size - len(first); left > 0; {
		n, err := c.read(buf[:min(left, len(buf))])
		if n <= 0 || err != nil {
			return false
		}
		left -= n
		wanted = wanted && e.send(buf[:n]) // the rest is read, so that the caller comes to the answer
	}
	if wanted {
		e.end()
	}
	return true
}

// gone ends the connection from its reader.
func (c *caller) gone() {
	c.d.remove(c)
	c.mu.Lock()
	c.dead = true
	e, writing := c.cur, len(c.queue) > 0
	c.mu.Unlock()
	if e != nil {
		e.cancel()
	}
	_ = syscall.Shutdown(c.fd, syscall.SHUT_RDWR)
	if !writing {
		closeAll(c.fd)
	}
}

// fail answers without the host.
func (c *caller) fail(err error) {
	body, _ := marshal(asFailure(err).wire())
	c.deliver(answerFailure, body, nil)
}

// finish answers the call that is under way.
func (c *caller) finish(e *errand, kind byte, body []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cur == e {
		c.cur = nil // before the answer, which the next call follows
	}
	c.writeLocked(kind, body, nil)
}

// deliver writes to the caller; of a part, r gets credit when it is used.
func (c *caller) deliver(kind byte, body []byte, r *request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writeLocked(kind, body, r)
}

// writeLocked writes without waiting; what the socket does not take now a
// goroutine writes. The caller holds mu.
func (c *caller) writeLocked(kind byte, body []byte, r *request) {
	cost := wire.Cost(len(body))
	if c.dead {
		if r != nil {
			r.spend(cost)
		}
		return
	}
	text := append(binary.BigEndian.AppendUint32(c.head[:0], uint32(len(body))), kind)
	text = append(text, body...)
	if c.head = text; cap(text) > callerBuf {
		c.head = nil
	}
	if len(c.queue) == 0 {
		n, err := syscall.SendmsgN(c.fd, text, nil, nil, syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL)
		if err != nil {
			n = 0 // the socket is full, or gone: the goroutine finds out
		}
		if text = text[n:]; len(text) == 0 {
			if r != nil {
				r.spend(cost)
			}
			return
		}
	}
	c.queue = append(c.queue, queued{append([]byte(nil), text...), r, cost})
	if len(c.queue) == 1 {
		c.d.s.wg.Add(1)
		go c.write()
	}
}

// write writes what waits.
func (c *caller) write() {
	defer c.d.s.wg.Done()
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) > 0 {
		q := c.queue[0]
		if !c.dead {
			c.mu.Unlock()
			c.writeAll(q.data)
			c.mu.Lock()
		}
		if q.r != nil {
			q.r.spend(q.cost)
		}
		c.queue[0], c.queue = queued{}, c.queue[1:]
	}
	if c.dead {
		closeAll(c.fd)
	}
}

func (c *caller) writeAll(b []byte) {
	for len(b) > 0 {
		n, err := syscall.SendmsgN(c.fd, b, nil, nil, syscall.MSG_NOSIGNAL)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return
		}
		b = b[n:]
	}
}
