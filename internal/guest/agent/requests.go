package agent

import (
	"strconv"
	"sync"

	"praxis/internal/guest/wire"
)

// guestRequests are what code inside requests of the host. Its lock is the innermost: it is
// locked for looks at the tables only.
type guestRequests struct {
	link *link

	mu    sync.Mutex
	names uint64 // given so far
	last  uint32 // the last number of the epoch
	open  map[uint32]opened
	tools map[*errand]struct{} // without an answer, through epochs
}

// opened is a guest request of this epoch that the host has not closed.
type opened struct {
	r *request
	e *errand // nil: a connection
}

func newGuestRequests(l *link) *guestRequests {
	return &guestRequests{link: l, open: map[uint32]opened{}, tools: map[*errand]struct{}{}}
}

// begin sends the frame that opens a guest request. It reports the request, or nil while
// the link is silent.
func (a *guestRequests) begin(e *errand, body []byte) *request {
	var r *request
	ok := a.link.begin(func(epoch uint64) uint32 {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.last++
		r = newRequest(a.link, a.last|wire.GuestBit, epoch, a.closed)
		a.open[r.id] = opened{r, e}
		return r.id
	}, body)
	if !ok {
		return nil
	}
	return r
}

// closed takes a guest request out of the table of what is open.
func (a *guestRequests) closed(r *request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open[r.id].r == r {
		delete(a.open, r.id)
	}
}

// name makes up a name for a guest request.
func (a *guestRequests) name() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.names++
	return "a" + strconv.FormatUint(a.names, 10)
}

// spent reports whether the numbers of the epoch are used up. The caller holds mu.
func (a *guestRequests) spent() bool { return a.last >= wire.GuestBit-1-wire.MaxTools-wire.MaxConnect }

// errand makes the guest request of a call. rest is its fields after the name.
func (a *guestRequests) errand(c *caller, rest []byte, long bool) (*errand, error) {
	e := &errand{name: a.name(), c: c, rest: rest, long: long}
	e.cond.L = &e.mu
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.tools) >= wire.MaxTools || a.spent() {
		return nil, failf("exhausted", "Wait for some of them to end.", "%d calls are under way, the limit is %d", len(a.tools), wire.MaxTools)
	}
	a.tools[e] = struct{}{}
	return e, nil
}

// take handles the host's frames of guest requests. What is not open is ignored.
func (a *guestRequests) take(f wire.Frame) {
	a.mu.Lock()
	o := a.open[f.ID]
	if o.r != nil && (f.Kind == wire.Response || f.Kind == wire.Failure) {
		delete(a.open, f.ID)
		if o.e != nil {
			delete(a.tools, o.e)
		}
	}
	a.mu.Unlock()
	if o.r == nil {
		return
	}
	switch f.Kind {
	case wire.Response, wire.Failure:
		o.r.end(errForgot)
		if o.e != nil {
			o.e.finish(f.Kind == wire.Failure, f.Body)
		}
	case wire.Part:
		if o.e != nil {
			o.e.piece(o.r, f.Body)
		}
	case wire.Data:
		o.r.take(f.Body)
	case wire.End:
		o.r.takeEnd()
	case wire.Credit:
		if n, err := wire.ParseCredit(f.Body); err == nil {
			o.r.credit(n)
		}
	}
}

// forget begins an epoch. The link's lock is held, so that no ask is between two.
func (a *guestRequests) forget() (old []opened) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, o := range a.open {
		old = append(old, o)
	}
	a.open, a.last = map[uint32]opened{}, 0
	return old
}

// again sends what has no answer yet, once the link is open.
func (a *guestRequests) again() {
	a.mu.Lock()
	all := make([]*errand, 0, len(a.tools))
	for e := range a.tools {
		all = append(all, e)
	}
	a.mu.Unlock()
	for _, e := range all {
		a.send(e)
	}
}

// send opens an errand's guest request in this epoch, if it is not open already.
func (a *guestRequests) send(e *errand) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over || e.r != nil && e.r.epoch == a.link.current() {
		return
	}
	if e.canceled && !e.opened {
		a.drop(e)
		return
	}
	text := append([]byte(`{"op":"tools","name":"`), e.name...)
	text = append(text, '"')
	if e.opened {
		text = append(text, `,"again":true,"sent":`...)
		text = strconv.AppendInt(text, int64(e.sent), 10)
		text = append(text, `,"after":`...)
		text = strconv.AppendInt(text, int64(e.after), 10)
	}
	text = append(append(text, e.rest...), '}')
	r := a.begin(e, text)
	if r == nil {
		return // at the next hello
	}
	e.r, e.opened = r, true
	if e.ended {
		a.link.send(r.epoch, wire.End, r.id)
	}
	if e.canceled {
		a.link.send(r.epoch, wire.Cancel, r.id)
	}
	e.cond.Broadcast()
}

// drop forgets an errand that was never asked.
func (a *guestRequests) drop(e *errand) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.tools, e)
}

// close ends whoever waits for the host.
func (a *guestRequests) close() {
	for _, o := range a.forget() {
		o.r.end(errForgot)
	}
	a.mu.Lock()
	all := a.tools
	a.tools = map[*errand]struct{}{}
	a.mu.Unlock()
	for e := range all {
		e.mu.Lock()
		e.over = true
		e.cond.Broadcast()
		e.mu.Unlock()
	}
}

// errand is a call of a tool, from the frame of its caller to the answer.
type errand struct {
	name string
	c    *caller
	rest []byte
	long bool

	mu       sync.Mutex
	cond     sync.Cond
	r        *request // of the last epoch in which it was asked
	opened   bool
	sent     int // bytes of a long body
	ended    bool
	after    int // bytes of the answer that came in parts
	canceled bool
	over     bool
}

// send sends a piece of a long body, through epochs. It reports false when
// nobody takes more of it.
func (e *errand) send(b []byte) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	var tried *request
	for {
		for !e.over && (e.r == nil || e.r == tried) {
			e.cond.Wait()
		}
		if e.over || e.canceled {
			return false
		}
		r := e.r
		e.mu.Unlock()
		_ = r.open() // whether it is still good, trySend says
		e.mu.Lock()
		if e.r != r {
			continue
		}
		if r.trySend(wire.Data, b) {
			e.sent += len(b)
			return true
		}
		tried = r
	}
}

// end says that the body is whole.
func (e *errand) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
	if e.r != nil && !e.over {
		e.r.link.send(e.r.epoch, wire.End, e.r.id)
	}
}

// cancel gives the errand up; the host still closes it.
func (e *errand) cancel() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over || e.canceled {
		return
	}
	e.canceled = true
	if e.r != nil {
		e.r.link.send(e.r.epoch, wire.Cancel, e.r.id)
	}
}

// piece hands a part of the answer over.
func (e *errand) piece(r *request, body []byte) {
	e.mu.Lock()
	e.after += len(body)
	e.mu.Unlock()
	e.c.deliver(answerPart, body, r)
}

// finish hands the answer, or its last part, over.
func (e *errand) finish(failed bool, body []byte) {
	e.mu.Lock()
	e.over = true
	e.cond.Broadcast()
	e.mu.Unlock()
	kind := byte(answerResult)
	if failed {
		kind = answerFailure
	}
	e.c.finish(e, kind, body)
}
