package agent

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
	"time"

	"praxis/internal/guest/wire"
)

// link is the way out to the host. Frames of an epoch that is over are dropped.
type link struct {
	w io.Writer

	mu    sync.Mutex
	epoch uint64 // 0: silent, before the first hello and after a quiesce
	buf   []byte
	err   error
}

// send writes one frame with one write and reports whether the host will see it.
func (l *link) send(epoch uint64, kind wire.Kind, id uint32, body ...[]byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sendLocked(epoch, kind, id, body...)
}

func (l *link) sendLocked(epoch uint64, kind wire.Kind, id uint32, body ...[]byte) bool {
	if l.epoch == 0 || l.epoch != epoch || l.err != nil {
		return false
	}
	buf, err := wire.Append(l.buf[:0], kind, id, body...)
	if err != nil {
		return false
	}
	if l.buf = buf; cap(buf) > 2*wire.Chunk {
		l.buf = nil // a rare large frame should not stay in memory
	}
	_, l.err = l.w.Write(buf)
	return l.err == nil
}

// open answers a hello: from here on only its epoch speaks. reset is called
// between the two epochs.
func (l *link) open(h wire.Hello, reset func()) {
	body, _ := json.Marshal(wire.Hello{Version: wire.Version, Epoch: h.Epoch})
	l.mu.Lock()
	defer l.mu.Unlock()
	reset()
	l.epoch = h.Epoch
	l.sendLocked(h.Epoch, wire.HelloKind, 0, body)
}

// silence sends a last response and makes the link silent.
func (l *link) silence(epoch uint64, id uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sendLocked(epoch, wire.Response, id, []byte("{}")) {
		l.epoch = 0
	}
}

// begin sends the frame that opens a guest request, under the number that register gives
// it, so that numbers are sent in their order.
func (l *link) begin(register func(epoch uint64) uint32, body []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.epoch == 0 || l.err != nil {
		return false
	}
	return l.sendLocked(l.epoch, wire.GuestRequestKind, register(l.epoch), body)
}

// current returns the epoch that may speak, 0 while there is none.
func (l *link) current() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.epoch
}

// request is one open request of the host's, or a guest request.
type request struct {
	id    uint32
	epoch uint64
	link  *link
	done  func(*request) // takes it out of the table of open requests
	came  time.Time      // when it had been read

	mu       sync.Mutex
	cond     sync.Cond
	flying   int      // units sent and not credited
	inbox    [][]byte // data from the host, not yet used
	units    int      // of inbox
	used     int      // units used and not yet credited
	ended    bool     // the host sends no more data
	err      error    // canceled or forgotten: nobody waits for an answer
	onCredit func()   // set by a follower; called without mu
}

func newRequest(l *link, id uint32, epoch uint64, done func(*request)) *request {
	r := &request{id: id, epoch: epoch, link: l, done: done, came: time.Now()}
	r.cond.L = &r.mu
	return r
}

// reply closes the request with a response.
func (r *request) reply(v any) {
	body, err := marshal(v)
	if err != nil || len(body) > wire.MaxBody {
		r.fail(failf("internal", "", "cannot answer: the reply has %d bytes, the limit is %d", len(body), wire.MaxBody))
		return
	}
	r.replyBody(body)
}

func (r *request) replyBody(body []byte) {
	r.done(r)
	r.link.send(r.epoch, wire.Response, r.id, body)
}

// fail closes the request with a failure.
func (r *request) fail(err error) {
	body, _ := marshal(asFailure(err).wire())
	r.done(r)
	r.link.send(r.epoch, wire.Failure, r.id, body)
}

// finish closes the request with v, or with err when it is not nil.
func (r *request) finish(v any, err error) {
	if err != nil {
		r.fail(err)
		return
	}
	r.reply(v)
}

// end gives the request up: whoever waits in send or receive comes back with err.
func (r *request) end(err error) {
	r.mu.Lock()
	if r.err == nil {
		r.err = err
	}
	f := r.onCredit
	r.mu.Unlock()
	r.cond.Broadcast()
	if f != nil {
		f()
	}
}

// listen has f called, without mu, whenever credit comes or the request ends. If
// it has ended, f is never called, and the reason is returned.
func (r *request) listen(f func()) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.onCredit = f
	}
	return r.err
}

// retire ends whoever waits in the request, and tells no follower.
func (r *request) retire() {
	r.mu.Lock()
	r.err, r.onCredit = errForgot, nil
	r.mu.Unlock()
	r.cond.Broadcast()
}

// gone returns why nobody waits for an answer, or nil.
func (r *request) gone() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// waitGone waits until nobody waits for an answer.
func (r *request) waitGone() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.err == nil {
		r.cond.Wait()
	}
}

// credit gives units of the window back.
func (r *request) credit(units int) {
	r.mu.Lock()
	r.flying = max(r.flying-units, 0)
	f := r.onCredit
	r.mu.Unlock()
	r.cond.Broadcast()
	if f != nil {
		f()
	}
}

// trySend sends a frame if the window is open and reports whether it did.
func (r *request) trySend(kind wire.Kind, body ...[]byte) bool {
	n := 0
	for _, b := range body {
		n += len(b)
	}
	r.mu.Lock()
	if r.err != nil || r.flying >= wire.Window {
		r.mu.Unlock()
		return false
	}
	r.flying += wire.Cost(n)
	r.mu.Unlock()
	return r.link.send(r.epoch, kind, r.id, body...)
}

// open waits until the window is open.
func (r *request) open() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.err == nil && r.flying >= wire.Window {
		r.cond.Wait()
	}
	return r.err
}

// send waits for the window and sends a frame.
func (r *request) send(kind wire.Kind, body []byte) error {
	if err := r.open(); err != nil {
		return err
	}
	if !r.trySend(kind, body) {
		if err := r.gone(); err != nil {
			return err
		}
		return errForgot
	}
	return nil
}

// Write sends data and so makes the request an io.Writer.
func (r *request) Write(p []byte) (int, error) {
	n := 0
	for len(p) > 0 {
		b := p[:min(len(p), wire.Chunk)]
		if err := r.send(wire.Data, b); err != nil {
			return n, err
		}
		n, p = n+len(b), p[len(b):]
	}
	return n, nil
}

// event sends v as an event; it must fit in one frame.
func (r *request) event(v any) error {
	body, err := marshal(v)
	if err != nil {
		return err
	}
	return r.send(wire.Event, body)
}

// take receives data from the host. It is called by the reader of the stream,
// so it never waits: a host that ignores the window loses the request.
func (r *request) take(body []byte) {
	r.mu.Lock()
	over := r.units > wire.Window
	if !over && r.err == nil {
		r.inbox = append(r.inbox, append([]byte(nil), body...))
		r.units += wire.Cost(len(body))
	}
	r.mu.Unlock()
	if over {
		r.end(failf("exhausted", "", "cannot take data: more than the window was sent"))
		return
	}
	r.cond.Broadcast()
}

func (r *request) takeEnd() {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.cond.Broadcast()
}

// receive waits for the next piece of data. It returns io.EOF after the last.
// What came before the request was forgotten is still handed out.
func (r *request) receive() ([]byte, error) {
	r.mu.Lock()
	for r.err == nil && len(r.inbox) == 0 && !r.ended {
		r.cond.Wait()
	}
	if r.err != nil && (r.err != errForgot || len(r.inbox) == 0) {
		r.mu.Unlock()
		return nil, r.err
	}
	if len(r.inbox) == 0 {
		r.mu.Unlock()
		return nil, io.EOF
	}
	b := r.inbox[0]
	r.inbox[0], r.inbox = nil, r.inbox[1:]
	r.units -= wire.Cost(len(b))
	r.mu.Unlock()
	r.spend(wire.Cost(len(b)))
	return b, nil
}

// spend gives credit for units that were used, now or with later ones.
func (r *request) spend(units int) {
	give := 0
	r.mu.Lock()
	if r.used += units; r.used >= wire.Window/2 {
		give, r.used = r.used, 0
	}
	r.mu.Unlock()
	if give > 0 {
		r.link.send(r.epoch, wire.Credit, r.id, wire.AppendCredit(nil, uint32(give)))
	}
}

// reader reads the data of a request.
type reader struct {
	r    *request
	rest []byte
}

func (d *reader) Read(p []byte) (int, error) {
	for len(d.rest) == 0 {
		b, err := d.r.receive()
		if err != nil {
			return 0, err
		}
		d.rest = b
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// marshal is json.Marshal without the escapes that are meant for HTML pages,
// which would make markup several times as long.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// isOpen reports whether the window has space.
func (r *request) isOpen() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err == nil && r.flying < wire.Window
}

// sleep waits, or returns early why nobody waits for an answer any more.
func (r *request) sleep(d time.Duration) error {
	end := time.Now().Add(d)
	timer := time.AfterFunc(d, func() {
		r.mu.Lock() // not between the look at the clock and the wait
		defer r.mu.Unlock()
		r.cond.Broadcast()
	})
	defer timer.Stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.err == nil && time.Now().Before(end) {
		r.cond.Wait()
	}
	return r.err
}
